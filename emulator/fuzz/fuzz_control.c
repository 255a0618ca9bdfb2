/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_control.c - what a client may write to the control socket: every line, or
 * POST, gets one answer, a JSON object with "ok", and only valid commands get through.
 */
#define _GNU_SOURCE
#include <jansson.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control.h"
#include "fuzz.h"

struct heard {
	const struct config *cfg;
	size_t n;
};

static char *handle(void *arg, const struct control_request *r)
{
	struct heard *heard = arg;

	heard->n++;
	FUZZ_CHECK(r->kind == CONTROL_STATS || r->kind == CONTROL_ROUTE || r->kind == CONTROL_SET ||
	           r->kind == CONTROL_QUIT);
	if (r->kind == CONTROL_ROUTE) {
		FUZZ_CHECK(r->cmd.ue >= 1 && r->cmd.ue <= heard->cfg->cell.n_ue);
		FUZZ_CHECK(r->cmd.mode < CELL_MODE_COUNT);
	}
	return r->kind == CONTROL_STATS ? strdup("{\"ok\": true, \"cell\": {}}") : NULL;
}

/* Return: answers waiting at the client's end. */
static size_t answers(int fd)
{
	static char text[1 << 16];
	size_t n = 0;
	char *line = text, *end;
	ssize_t got = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	if (got <= 0)
		return 0;
	text[got] = '\0';
	if (strncmp(text, "HTTP/1.1 ", strlen("HTTP/1.1 ")) == 0) {
		line = strstr(text, "\r\n\r\n");
		FUZZ_CHECK(line);
		line += strlen("\r\n\r\n");
	}
	while ((end = strchr(line, '\n'))) {
		json_t *o = json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, NULL);

		FUZZ_CHECK(json_is_boolean(json_object_get(o, "ok")));
		json_decref(o);
		line = end + 1;
		n++;
	}
	FUZZ_CHECK(*line == '\0');
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct config cfg;
	struct fuzz_input in = { data, size };
	struct heard heard = { .cfg = &cfg };
	struct control c = { .listen_fd = -1 };
	size_t lines = 0, answered = 0, sent = 0;
	uint8_t start[] = { 0, 0, 0, 0, 0 };
	int pair[2];

	cfg.cell.n_ue = 2;
	(void)strcpy(cfg.ue_name[0], "ue1");
	(void)strcpy(cfg.ue_name[1], "ue2");
	FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
	c.client_fd = pair[0];
	while (in.left > 0 && c.client_fd >= 0) {
		const uint8_t *bytes;
		size_t n = fuzz_take(&in, 1u + fuzz_u8(&in) * 5u, &bytes);

		if (n == 0)
			break;
		for (size_t i = 0; i < n; i++)
			lines += bytes[i] == '\n';
		for (size_t i = 0; i < n; i++, sent++)
			if (sent < sizeof(start))
				start[sent] = bytes[i];
		FUZZ_CHECK(send(pair[1], bytes, n, MSG_NOSIGNAL) == (ssize_t)n);
		for (size_t turn = 0; turn <= n / 1024 + 1; turn++)
			if (c.client_fd >= 0)
				control_read(&c, &cfg, handle, &heard);
		answered += answers(pair[1]);
		FUZZ_CHECK(heard.n <= answered);
		if (memcmp(start, "POST ", sent < sizeof(start) ? sent : sizeof(start)) == 0)
			FUZZ_CHECK(answered == (c.client_fd < 0));
		else if (c.client_fd >= 0)
			FUZZ_CHECK(answered == lines);
	}
	control_close(&c);
	(void)close(pair[1]);
	return 0;
}
