/* SPDX-License-Identifier: GPL-2.0-or-later */
/* http.c - requests on the control socket; see http.h. */
#define _GNU_SOURCE
#include "http.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define METHOD "POST "
#define LENGTH "content-length:"

/* The value of Content-Length among lines of headers, 0 without one. Return: whether it is a
 * number. */
static bool content_length(const char *headers, const char *end, size_t *ret)
{
	*ret = 0;
	for (const char *line = headers; line < end;) {
		const char *after = memmem(line, (size_t)(end - line), "\r\n", 2);
		const char *at = line + strlen(LENGTH);

		after = after ? after : end;
		if (after > at && strncasecmp(line, LENGTH, strlen(LENGTH)) == 0) {
			while (at < after && *at == ' ')
				at++;
			if (at == after)
				return false;
			for (*ret = 0; at < after; at++) {
				if (!isdigit((unsigned char)*at) || *ret > 1000000)
					return false;
				*ret = *ret * 10 + (size_t)(*at - '0');
			}
		}
		line = after + 2;
	}
	return true;
}

enum http_state http_read(const char *buf, size_t len, size_t room, size_t *body_at,
                          size_t *body_len)
{
	size_t start = len < strlen(METHOD) ? len : strlen(METHOD);
	const char *end;

	if (memcmp(buf, METHOD, start) != 0)
		return HTTP_NOT;
	end = memmem(buf, len, "\r\n\r\n", 4);
	if (!end)
		return len < room ? HTTP_MORE : HTTP_WRONG;
	*body_at = (size_t)(end - buf) + 4;
	if (!content_length(buf, end, body_len) || *body_len > room - *body_at)
		return HTTP_WRONG;
	return len - *body_at < *body_len ? HTTP_MORE : HTTP_WHOLE;
}

int http_answer(int fd, int status, const char *json)
{
	int n = dprintf(fd,
	                "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\n"
	                "Content-Length: %zu\r\nConnection: close\r\n\r\n%s\n",
	                status, status == 200 ? "OK" : "Bad Request", strlen(json) + 1, json);

	return n < 0 ? -errno : 0;
}
