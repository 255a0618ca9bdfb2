/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop.c - celld's wake-ups; see loop.h. */
#include "loop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "clock.h"
#include "lifetime.h"
#include "message.h"

/* So many empty sub-frames in a row, and packets are no longer gathered: flows are not that even.
 */
#define EMPTY_SUBFRAMES 2

int loop_watch(struct loop *l, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(l->control_fd, EPOLL_CTL_ADD, fd, &e) < 0 ? -errno : 0;
}

int loop_open(struct loop *l)
{
	(void)signal(SIGPIPE, SIG_IGN);
	l->signal_fd = lifetime_signal_fd();
	l->control_fd = epoll_create1(EPOLL_CLOEXEC);
	if (l->control_fd < 0 || l->signal_fd < 0 || loop_watch(l, l->signal_fd) < 0) {
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
}

/*
 * What is scripted up to @now_ns. At @now_ns itself it is only handed over:
 * packets may still be pushed for that time, and come first.
 *
 * Return: 0, or negative errno after a message.
 */
static int apply_script(struct loop *l, int64_t now_ns)
{
	int64_t t_ns;
	int r = 0;

	while (r == 0 && (t_ns = script_next(l->script)) <= now_ns) {
		r = script_apply(l->script, l->cell);
		if (r < 0 && *l->script->error)
			celld_say("%s", l->script->error);
		else if (r < 0)
			celld_say("scripted change at %lld ns: %s", (long long)(t_ns - l->start_ns),
			          strerror(-r));
		else if (t_ns < now_ns)
			advance(l, t_ns);
	}
	return r;
}

static int64_t next_subframe(const struct loop *l, int64_t now_ns)
{
	int64_t slot_ns = cell_slot_ns(l->cell);

	return l->start_ns + ((now_ns - l->start_ns) / slot_ns + 1) * slot_ns;
}

static int64_t earlier(int64_t a_ns, int64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

/*
 * When to wake up at the latest. Packets that are gathered cannot leave at once: what leaves before
 * they can is known, and if that is in the sub-frame that follows, one wake-up does for both.
 */
static int64_t wake_up_ns(const struct loop *l)
{
	int64_t next_ns = cell_next_output(l->cell), both_ns;

	if (next_ns != CELL_NEVER)
		next_ns = earlier(next_ns, script_next(l->script)); /* may change what comes next */
	if (!l->gather_ns || next_ns <= l->gather_ns)
		return next_ns;
	if (ports_overflow(l->ports)) /* what else there is should be read then, too */
		return l->gather_ns;
	both_ns = l->gather_ns + earlier(cell_transit_min(l->cell), cell_slot_ns(l->cell) - 1);
	return next_ns <= both_ns ? next_ns : l->gather_ns;
}

/* Packets of the devices as of a time, by one of ports.h's functions. */
static int take(struct loop *l, int64_t t_ns,
                int (*from)(struct ports *ports, struct cell *cell, struct output *output,
                            int64_t t_ns, const struct tun **ret_failed))
{
	const struct tun *tun;
	int n = from(l->ports, l->cell, l->output, t_ns, &tun);

	if (n < 0)
		celld_say("reading %s of '%s': %s", tun->ifname,
		          config_port_name(l->cfg, tun->port), strerror(-n));
	return n;
}

static int drain(struct loop *l, int64_t t_ns)
{
	return take(l, t_ns, ports_drain);
}

/* Where a packet can leave as soon as it has come, its time of arrival is not rounded up. */
static bool time_matters(const struct loop *l)
{
	return cell_transit_min(l->cell) == 0;
}

/*
 * Nothing goes on the air between two sub-frames, so packets may as well wait in their device for
 * the next one. The first packet wakes the daemon; when another wake-up follows in the same
 * sub-frame or the next, packets are gathered from then on until sub-frames are empty, and their
 * time of arrival is the sub-frame's end.
 *
 * Where a packet can leave as soon as it has come, it does matter when that is: only those are
 * gathered that come several in a sub-frame, and answers are not left to the next one.
 */
static int receive(struct loop *l, int64_t now_ns)
{
	int n = drain(l, now_ns);

	if (now_ns < l->busy_until_ns)
		l->gather_ns = next_subframe(l, now_ns);
	l->busy_until_ns = next_subframe(l, now_ns) + (time_matters(l) ? 0 : cell_slot_ns(l->cell));
	return n < 0 ? n : 0;
}

/* What the devices had at the sub-frame's end counts as of then, and what is read later as of now.
 */
static int take_gathered(struct loop *l, int64_t now_ns)
{
	int r = apply_script(l, l->gather_ns), in_time, later;

	if (r < 0)
		return r;
	if (!ports_read_asleep(l->ports))
		return drain(l, l->gather_ns);
	in_time = take(l, l->gather_ns, ports_push_in_time);
	if (in_time < 0)
		return in_time;
	r = apply_script(l, now_ns);
	later = r == 0 ? drain(l, now_ns) : r;
	return later < 0 ? later : in_time + later;
}

static int gather(struct loop *l, int64_t now_ns)
{
	int n = take_gathered(l, now_ns);

	if (n > (time_matters(l) ? 1 : 0))
		l->busy_until_ns = l->gather_ns +
		                   (time_matters(l) ? 1 : EMPTY_SUBFRAMES) * cell_slot_ns(l->cell);
	l->gather_ns = next_subframe(l, now_ns);
	if (l->gather_ns > l->busy_until_ns)
		l->gather_ns = 0;
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
	case CONTROL_SET:
		r = cell_apply(l->cell, &request->cmd, l->end_ns);
		if (r < 0)
			text = strdup(
				r == -ENOBUFS
					? "{\"ok\": false, \"error\": \"too many commands wait\"}"
					: "{\"ok\": false, \"error\": \"this link cannot change "
					  "so\"}");
		else
			l->n_changes++;
		break;
	case CONTROL_QUIT:
		l->stop = true;
		break;
	}
	return text;
}

static void dispatch(struct loop *l, int fd)
{
	int client;

	if (fd == l->signal_fd) {
		l->stop = true;
	} else if (fd == l->control->listen_fd) {
		client = control_accept(l->control);
		if (client >= 0)
			(void)loop_watch(l, client);
	} else if (fd == l->control->client_fd) {
		control_read(l->control, l->cfg, handle, l);
	}
}

static void obey(struct loop *l)
{
	struct epoll_event events[4];
	int n = epoll_wait(l->control_fd, events, 4, 0);

	for (int i = 0; i < n; i++)
		dispatch(l, events[i].data.fd);
}

int loop_run(struct loop *l)
{
	int r = 0;

	while (!l->stop && r == 0 && l->output->error == 0) {
		int64_t due_ns = wake_up_ns(l), now_ns;
		bool gathering = l->gather_ns;
		int why = ports_wait(l->ports, l->gather_ns, due_ns);

		if (why < 0) {
			celld_say("waiting: %s", strerror(-why));
			return why;
		}
		now_ns = clock_ns(CLOCK_MONOTONIC);
		if (now_ns >= due_ns) /* whatever ended the sleep, such as being continued */
			lateness_add(&l->lateness, now_ns - due_ns);
		if (now_ns < l->start_ns)
			now_ns = l->start_ns; /* before sub-frame 0 */
		l->end_ns = now_ns;
		if (gathering && now_ns >= l->gather_ns) /* also when another wake-up is so late */
			r = gather(l, now_ns);
		if (r == 0)
			r = apply_script(l, now_ns);
		if (!gathering && why & PACKET_IO_READ && r == 0)
			r = receive(l, now_ns);
		if (why & PACKET_IO_CONTROL)
			obey(l);
		l->delivered = false;
		advance(l, now_ns);
		if (time_matters(l) && r == 0)
			r = take_answers(l, now_ns);
	}
	return r;
}
