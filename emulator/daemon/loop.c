/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop.c - celld's wake-ups; see loop.h. */
#include "loop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "celld.h"
#include "clock.h"

static int watch_by(int epoll_fd, int fd, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.fd = fd };

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &e) < 0 ? -errno : 0;
}

/* Whether packets are gathered or not. */
static int watch(struct loop *l, int fd, uint32_t events)
{
	int r = watch_by(l->epoll_fd, fd, events);

	return r < 0 ? r : watch_by(l->traffic_fd, fd, events);
}

int loop_watch(struct loop *l, int fd)
{
	return watch(l, fd, EPOLLIN);
}

int loop_watch_device(struct loop *l, int fd)
{
	return watch_by(l->traffic_fd, fd, EPOLLIN);
}

int loop_open(struct loop *l)
{
	sigset_t signals;

	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGTERM);
	(void)sigaddset(&signals, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &signals, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	l->traffic_fd = epoll_create1(EPOLL_CLOEXEC);
	l->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	l->signal_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
	if (l->epoll_fd < 0 || l->traffic_fd < 0 || l->timer_fd < 0 || l->signal_fd < 0 ||
	    watch(l, l->timer_fd, EPOLLIN | EPOLLET) < 0 || watch(l, l->signal_fd, EPOLLIN) < 0) {
		celld_say("setting up events: %s", strerror(errno));
		return -errno;
	}
	return 0;
}

static void advance(struct loop *l, int64_t now_ns)
{
	int r;

	do {
		size_t n = 0;

		r = cell_advance(l->cell, now_ns, l->out, l->n_out, &n);
		for (size_t i = 0; i < n; i++) {
			if (l->out[i].type == CELL_OUT_DELIVER) {
				ports_deliver(l->ports, &l->out[i]);
				l->delivered = true;
			}
			output_perform(l->output, &l->out[i]);
		}
	} while (r == -EAGAIN);
	ports_flush(l->ports);
}

/*
 * What is scripted up to @now_ns. At @now_ns itself it is only handed over:
 * packets may still be pushed for that time, and come first.
 *
 * Return: 0, or negative errno after a message.
 */
static int play_script(struct loop *l, int64_t now_ns)
{
	int64_t t_ns;
	int r = 0;

	while (r == 0 && (t_ns = script_next(l->script)) <= now_ns) {
		r = script_apply(l->script, l->cell);
		if (r < 0)
			celld_say("scripted change at %lld ns: %s", (long long)(t_ns - l->start_ns),
			          strerror(-r));
		else if (t_ns < now_ns)
			advance(l, t_ns);
	}
	return r;
}

static int64_t next_subframe(const struct loop *l, int64_t now_ns)
{
	return l->start_ns + ((now_ns - l->start_ns) / CELL_TTI_NS + 1) * CELL_TTI_NS;
}

static void arm(struct loop *l)
{
	int64_t next_ns = cell_next_output(l->cell);
	struct itimerspec t = { 0 };

	if (l->gather_ns && l->gather_ns < next_ns)
		next_ns = l->gather_ns;
	if (next_ns != CELL_NEVER && script_next(l->script) < next_ns)
		next_ns = script_next(l->script); /* may change what comes next */

	if (next_ns == l->armed_ns)
		return;
	if (next_ns != CELL_NEVER) {
		t.it_value.tv_sec = next_ns / NS_PER_S;
		t.it_value.tv_nsec = next_ns % NS_PER_S;
	}
	(void)timerfd_settime(l->timer_fd, TFD_TIMER_ABSTIME, &t, NULL);
	l->armed_ns = next_ns;
}

static int drain(struct loop *l, int64_t t_ns)
{
	const struct tun *tun;
	int n = ports_drain(l->ports, l->cell, l->output, t_ns, &tun);

	if (n < 0)
		celld_say("reading %s of '%s': %s", tun->ifname,
		          config_port_name(l->cfg, tun->port), strerror(-n));
	return n;
}

/* A packet came: the first one of a sub-frame, or another one. */
static int receive(struct loop *l, int64_t now_ns)
{
	int n = drain(l, now_ns);

	if (now_ns < l->busy_until_ns)
		l->gather_ns = l->busy_until_ns;
	l->busy_until_ns = next_subframe(l, now_ns);
	return n < 0 ? n : 0;
}

/*
 * Nothing goes on the air between two sub-frames, so packets may as well wait
 * in their device for the next one. The first packet of a sub-frame wakes the
 * daemon; from the second wake-up on they are gathered, as long as several
 * come in a sub-frame, and their time of arrival is the sub-frame's end.
 */
static int gather(struct loop *l, int64_t now_ns)
{
	int n = drain(l, l->gather_ns);

	l->gather_ns = n > 1 ? next_subframe(l, now_ns) : 0;
	return n < 0 ? n : 0;
}

/* What a host answers at once to packets it got is in the devices already. */
static int take_answers(struct loop *l, int64_t now_ns)
{
	int n = 0;

	while (l->delivered && n >= 0) {
		l->delivered = false;
		n = drain(l, now_ns);
		advance(l, now_ns);
	}
	return n < 0 ? n : 0;
}

static char *handle(void *arg, const struct control_request *request)
{
	struct loop *l = arg;
	char *text = NULL;
	json_t *o;
	int r;

	switch (request->kind) {
	case CONTROL_STATS:
		o = json_pack("{s:b, s:o, s:o}", "ok", 1, "cell", stats_json(l->cell), "lateness",
		              lateness_json(&l->lateness));
		text = json_dumps(o, JSON_COMPACT);
		json_decref(o);
		break;
	case CONTROL_ROUTE:
		r = cell_apply(l->cell, &request->cmd, l->end_ns);
		if (r == -ENOBUFS)
			text = strdup("{\"ok\": false, \"error\": \"too many commands wait\"}");
		else if (r < 0)
			text = strdup("{\"ok\": false, \"error\": \"this UE has no such mode\"}");
		break;
	case CONTROL_QUIT:
		l->stop = true;
		break;
	}
	return text;
}

static int dispatch(struct loop *l, int fd, int64_t now_ns, bool *ret_traffic)
{
	if (fd == l->timer_fd) { /* edge-triggered: arming it anew is enough */
		if (l->armed_ns != CELL_NEVER)
			lateness_add(&l->lateness, now_ns - l->armed_ns);
		l->armed_ns = CELL_NEVER;
		return 0;
	}
	if (fd == l->signal_fd) {
		l->stop = true;
		return 0;
	}
	if (fd == l->control->listen_fd) {
		int client = control_accept(l->control);

		return client >= 0 ? watch(l, client, EPOLLIN) : 0;
	}
	if (fd == l->control->client_fd) {
		control_read(l->control, l->cfg, handle, l);
		return 0;
	}
	*ret_traffic = true;
	return 0;
}

int loop_run(struct loop *l)
{
	struct epoll_event events[CONFIG_PORTS_MAX + 8];
	int r = 0;

	l->armed_ns = CELL_NEVER;
	while (!l->stop && r == 0 && l->output->error == 0) {
		int n = epoll_wait(l->gather_ns ? l->epoll_fd : l->traffic_fd, events,
		                   CONFIG_PORTS_MAX + 8, -1);
		int64_t now_ns;
		bool traffic = false;

		/* Stopped and continued: the timer has still to say by how much it is late. */
		if (n < 0 && errno == EINTR)
			continue;
		now_ns = clock_ns(CLOCK_MONOTONIC);
		if (now_ns < l->start_ns)
			now_ns = l->start_ns; /* before sub-frame 0 */
		l->end_ns = now_ns;
		if (l->gather_ns && now_ns >= l->gather_ns) {
			r = play_script(l, l->gather_ns);
			if (r == 0)
				r = gather(l, now_ns);
		}
		if (r == 0)
			r = play_script(l, now_ns);
		for (int i = 0; i < n && r == 0; i++)
			r = dispatch(l, events[i].data.fd, now_ns, &traffic);
		if (traffic && r == 0)
			r = receive(l, now_ns);
		advance(l, now_ns);
		if (r == 0)
			r = take_answers(l, now_ns);
		arm(l);
	}
	return r;
}
