/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control.c - commands on a UNIX socket; see control.h. */
#define _GNU_SOURCE
#include "control.h"

#include "config_event.h"
#include "http.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int control_open(struct control *ret, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	mode_t mask;
	int r;

	*ret = (struct control){ .listen_fd = -1, .client_fd = -1 };
	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	memcpy(addr.sun_path, path, strlen(path) + 1);
	(void)snprintf(ret->path, sizeof(ret->path), "%s", path);
	ret->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (ret->listen_fd < 0)
		return -errno;
	mask = umask(0177);
	r = bind(ret->listen_fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ? -errno : 0;
	(void)umask(mask);
	if (r == 0 && listen(ret->listen_fd, 1) < 0)
		r = -errno;
	if (r < 0) {
		(void)close(ret->listen_fd);
		ret->listen_fd = -1;
	}
	return r;
}

int control_accept(struct control *c)
{
	int fd = accept4(c->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (c->client_fd >= 0) {
		(void)close(fd); /* one at a time */
		return -EBUSY;
	}
	c->client_fd = fd;
	c->len = 0;
	return fd;
}

static void drop_client(struct control *c)
{
	if (c->client_fd >= 0)
		(void)close(c->client_fd);
	c->client_fd = -1;
}

static void answer(struct control *c, const char *text)
{
	if (dprintf(c->client_fd, "%s\n", text) < 0)
		drop_client(c);
}

static const char *parse_route(struct cell_cmd *ret, const struct config *cfg, const json_t *o)
{
	const char *ue = json_string_value(json_object_get(o, "ue"));
	const char *mode = json_string_value(json_object_get(o, "mode"));

	ret->ue = config_ue(cfg, ue ? ue : "");
	if (!ret->ue)
		return "key 'ue': allowed the name of a UE";
	if (!mode || (strcmp(mode, "dm") != 0 && strcmp(mode, "im") != 0))
		return "key 'mode': allowed im, dm";
	ret->mode = *mode == 'd' ? CELL_MODE_DM : CELL_MODE_IM;
	return NULL;
}

/* A change as in `events`, now. Return: NULL, or what is wrong. */
static const char *parse_set(struct cell_cmd *ret, const struct config *cfg, json_t *o)
{
	static char error[CONFIG_ERROR_MAX];
	struct reader r = { .cfg = (struct config *)cfg, .name = "set", .error = error };
	struct config_event e;

	if (json_object_get(o, "t_ms"))
		return "key 't_ms': a change happens now; remove the key";
	(void)json_object_del(o, "cmd");
	if (config_read_event(&r, "change", o, &e) < 0)
		return error;
	*ret = e.cmd;
	return NULL;
}

/* Return: NULL, or what is wrong. */
static const char *parse(struct control_request *ret, const struct config *cfg, json_t *o)
{
	const char *cmd = json_string_value(json_object_get(o, "cmd"));
	size_t keys = 1;

	*ret = (struct control_request){ 0 };
	if (!json_is_object(o))
		return "not a JSON object";
	if (cmd && strcmp(cmd, "stats") == 0) {
		ret->kind = CONTROL_STATS;
	} else if (cmd && strcmp(cmd, "quit") == 0) {
		ret->kind = CONTROL_QUIT;
	} else if (cmd && strcmp(cmd, "set") == 0) {
		ret->kind = CONTROL_SET;
		return parse_set(&ret->cmd, cfg, o);
	} else if (cmd && strcmp(cmd, "route") == 0) {
		const char *wrong = parse_route(&ret->cmd, cfg, o);

		if (wrong)
			return wrong;
		ret->kind = CONTROL_ROUTE;
		keys = 3;
	} else {
		return "key 'cmd': allowed stats, route, set, quit";
	}
	return json_object_size(o) > keys ? "unknown keys: allowed cmd, and of route ue and mode"
	                                  : NULL;
}

typedef char *(*handler)(void *arg, const struct control_request *r);

/* The answer to one request. Return: JSON, allocated, or NULL; @ok: whether it was done. */
static char *reply_to(const struct config *cfg, const char *text, size_t len, handler handle,
                      void *arg, bool *ok)
{
	json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	struct control_request request;
	const char *error = parse(&request, cfg, o);
	char *reply;

	json_decref(o);
	*ok = !error;
	if (!error) {
		reply = handle(arg, &request);
		return reply ? reply : strdup("{\"ok\": true}");
	}
	o = json_pack("{s:b, s:s}", "ok", 0, "error", error);
	reply = json_dumps(o, 0);
	json_decref(o);
	return reply ? reply : strdup("{\"ok\": false, \"error\": \"not UTF-8\"}");
}

static void handle_line(struct control *c, const struct config *cfg, size_t len, handler handle,
                        void *arg)
{
	bool ok;
	char *reply = reply_to(cfg, c->line, len, handle, arg, &ok);

	answer(c, reply ? reply : "{\"ok\": false, \"error\": \"out of memory\"}");
	free(reply);
}

/* One request of HTTP, after which the client is dropped. */
static void handle_post(struct control *c, const struct config *cfg, size_t at, size_t len,
                        handler handle, void *arg)
{
	bool ok;
	char *reply = reply_to(cfg, c->line + at, len, handle, arg, &ok);

	if (reply)
		(void)http_answer(c->client_fd, ok ? 200 : 400, reply);
	free(reply);
	drop_client(c);
}

static void refuse_long(struct control *c, bool post)
{
	static const char too_long[] = "{\"ok\": false, \"error\": \"line too long\"}";

	if (post)
		(void)http_answer(c->client_fd, 400, too_long);
	else
		answer(c, too_long);
	drop_client(c);
}

void control_read(struct control *c, const struct config *cfg,
                  char *(*handle)(void *arg, const struct control_request *r), void *arg)
{
	ssize_t n = read(c->client_fd, c->line + c->len, sizeof(c->line) - c->len);
	size_t body_at = 0, body_len = 0;
	char *end;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop_client(c);
		return;
	}
	c->len += (size_t)n;
	switch (http_read(c->line, c->len, sizeof(c->line), &body_at, &body_len)) {
	case HTTP_MORE:
		return;
	case HTTP_WHOLE:
		handle_post(c, cfg, body_at, body_len, handle, arg);
		return;
	case HTTP_WRONG:
		refuse_long(c, true);
		return;
	case HTTP_NOT:
		break;
	}
	while (c->client_fd >= 0 && (end = memchr(c->line, '\n', c->len))) {
		size_t len = (size_t)(end - c->line);

		handle_line(c, cfg, len, handle, arg);
		c->len -= len + 1;
		memmove(c->line, end + 1, c->len);
	}
	if (c->client_fd >= 0 && c->len == sizeof(c->line))
		refuse_long(c, false);
}

void control_close(struct control *c)
{
	drop_client(c);
	if (c->listen_fd >= 0) {
		(void)close(c->listen_fd);
		(void)unlink(c->path);
	}
	c->listen_fd = -1;
}
