/* SPDX-License-Identifier: GPL-2.0-or-later */
/* http.h - a POST of HTTP/1.1 with a body, of which the control socket takes JSON.
 *
 * Source: RFC 9112
 */
#ifndef HTTP_H
#define HTTP_H

#include <stddef.h>

/* What some bytes are: no POST, the beginning of one, a whole one, or one that cannot be. */
enum http_state { HTTP_NOT, HTTP_MORE, HTTP_WHOLE, HTTP_WRONG };

/**
 * http_read() - look for a request at the beginning of @buf
 * @room: bytes that @buf can have
 * @body_at, @body_len: where its body lies, if it is whole
 */
enum http_state http_read(const char *buf, size_t len, size_t room, size_t *body_at,
                          size_t *body_len);

/** http_answer() - write the answer, after which the connection ends. Return: 0 or negative errno.
 */
int http_answer(int fd, int status, const char *json);

#endif
