/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * celld.c - the radio daemon: the core between TUN devices and the clock.
 *
 * One thread. Every wake-up reads the clock once, pushes what the devices
 * hold, advances the core to that time, performs the outputs and arms one
 * absolute timer for the next time at which a packet can leave. What happens
 * inside the cell before that is processed late but at its own time.
 *
 * Phases: configuration, devices, files, real time, capabilities dropped, sandbox,
 * readiness announced, loop, flush. After the sandbox nothing is opened any more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "celld.h"
#include "config.h"
#include "control.h"
#include "lateness.h"
#include "output.h"
#include "ports.h"
#include "privilege.h"
#include "sandbox.h"
#include "script.h"

#define NS_PER_S INT64_C(1000000000)

struct celld {
	const struct config *cfg;
	struct cell *cell;
	void *mem;
	struct cell_out *out;
	size_t n_out;
	struct ports ports;
	struct output output;
	struct control control;
	struct lateness lateness;
	struct script script;
	FILE *stats;           /* opened before capabilities are dropped */
	bool seccomp;          /* the sandbox is there */
	uint64_t capabilities; /* that are left */
	int epoll_fd;          /* timer, signals, control */
	int traffic_fd;        /* these, and the devices */
	int timer_fd;
	int signal_fd;
	int64_t armed_ns;      /* CELL_NEVER when the timer is off */
	int64_t gather_ns;     /* until then packets wait in the devices; 0 = wake for each */
	int64_t busy_until_ns; /* end of the sub-frame of the last such wake-up */
	int64_t start_ns;
	int64_t end_ns;
	int64_t realtime_offset_ns;
	bool delivered; /* packets since the devices were read */
	bool stop;
};

static int64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	(void)clock_gettime(id, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/* A clock read takes time, in virtual time too: MONOTONIC before and after. */
static int64_t realtime_offset(void)
{
	int64_t before_ns = clock_ns(CLOCK_MONOTONIC), real_ns = clock_ns(CLOCK_REALTIME);

	return real_ns - (before_ns + clock_ns(CLOCK_MONOTONIC)) / 2;
}

/* --- set-up --- */

static int watch_by(int epoll_fd, int fd, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.fd = fd };

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &e) < 0 ? -errno : 0;
}

/* Whether devices are watched or not. */
static int watch(struct celld *d, int fd, uint32_t events)
{
	int r = watch_by(d->epoll_fd, fd, events);

	return r < 0 ? r : watch_by(d->traffic_fd, fd, events);
}

static int open_devices(struct celld *d)
{
	const struct config_port *port;
	const char *what;
	int r = ports_open(&d->ports, d->cfg, &port, &what);

	if (r < 0)
		celld_say("port of '%s' (%s in %s): %s: %s%s", config_port_name(d->cfg, port->port),
		          port->ifname, port->netns, what, strerror(-r),
		          r == -EPERM || r == -EACCES ? " (needs CAP_NET_ADMIN and "
		                                        "CAP_SYS_ADMIN; run `cellbed doctor`)"
		                                      : "");
	for (size_t i = 0; i < d->ports.n && r == 0; i++)
		r = watch_by(d->traffic_fd, d->ports.tun[i].fd, EPOLLIN);
	return r;
}

static int open_events(struct celld *d)
{
	sigset_t signals;

	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGTERM);
	(void)sigaddset(&signals, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &signals, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	d->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	d->traffic_fd = epoll_create1(EPOLL_CLOEXEC);
	d->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	d->signal_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
	if (d->epoll_fd < 0 || d->traffic_fd < 0 || d->timer_fd < 0 || d->signal_fd < 0 ||
	    watch(d, d->timer_fd, EPOLLIN | EPOLLET) < 0 || watch(d, d->signal_fd, EPOLLIN) < 0) {
		celld_say("setting up events: %s", strerror(errno));
		return -errno;
	}
	return 0;
}

/* Memory for the worst case, most of which nobody ever touches: addresses only, and zeros. */
static void *reserve(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return mem == MAP_FAILED ? NULL : mem;
}

static int open_cell(struct celld *d)
{
	size_t size = cell_size(&d->cfg->cell);
	char error[CONFIG_ERROR_MAX];
	int r;

	d->n_out = 2 * cell_out_min(&d->cfg->cell);
	d->mem = reserve(size);
	d->out = reserve(d->n_out * sizeof(*d->out));
	if (!d->mem || !d->out) {
		celld_say("out of memory: the cell needs %zu MiB", size >> 20);
		return -ENOMEM;
	}
	d->start_ns = d->cfg->start_ns;
	if (d->start_ns == 0)
		d->start_ns = (clock_ns(CLOCK_MONOTONIC) / CELL_TTI_NS + 1) * CELL_TTI_NS;
	r = script_open(&d->script, d->cfg, d->start_ns, error);
	if (r < 0) {
		celld_say("%s", error);
		return r;
	}
	return cell_init(&d->cell, d->mem, size, &d->cfg->cell, d->start_ns);
}

static int open_outputs(struct celld *d)
{
	int r = output_open(&d->output, d->cfg, d->realtime_offset_ns, d->start_ns);

	if (r < 0)
		celld_say("%s: %s", d->output.error_path, strerror(-r));
	if (r == 0 && *d->cfg->output.stats) {
		d->stats = fopen(d->cfg->output.stats, "we");
		if (!d->stats) {
			r = -errno;
			celld_say("%s: %s", d->cfg->output.stats, strerror(errno));
		}
	}
	if (r == 0 && *d->cfg->control) {
		r = control_open(&d->control, d->cfg->control);
		if (r == 0)
			r = watch(d, d->control.listen_fd, EPOLLIN);
		if (r < 0)
			celld_say("control socket %s: %s", d->cfg->control, strerror(-r));
	}
	return r;
}

/* --- loop --- */

static void advance(struct celld *d, int64_t now_ns)
{
	int r;

	do {
		size_t n = 0;

		r = cell_advance(d->cell, now_ns, d->out, d->n_out, &n);
		for (size_t i = 0; i < n; i++) {
			if (d->out[i].type == CELL_OUT_DELIVER) {
				ports_deliver(&d->ports, &d->out[i]);
				d->delivered = true;
			}
			output_perform(&d->output, &d->out[i]);
		}
	} while (r == -EAGAIN);
	ports_flush(&d->ports);
}

/*
 * What is scripted up to @now_ns. At @now_ns itself it is only handed over:
 * packets may still be pushed for that time, and come first.
 */
static void play_script(struct celld *d, int64_t now_ns)
{
	int64_t t_ns;

	while ((t_ns = script_next(&d->script)) <= now_ns) {
		script_apply(&d->script, d->cell);
		if (t_ns < now_ns)
			advance(d, t_ns);
	}
}

static int64_t next_subframe(const struct celld *d, int64_t now_ns)
{
	return d->start_ns + ((now_ns - d->start_ns) / CELL_TTI_NS + 1) * CELL_TTI_NS;
}

static void arm(struct celld *d)
{
	int64_t next_ns = cell_next_output(d->cell);
	struct itimerspec t = { 0 };

	if (d->gather_ns && d->gather_ns < next_ns)
		next_ns = d->gather_ns;
	if (next_ns != CELL_NEVER && script_next(&d->script) < next_ns)
		next_ns = script_next(&d->script); /* may change what comes next */

	if (next_ns == d->armed_ns)
		return;
	if (next_ns != CELL_NEVER) {
		t.it_value.tv_sec = next_ns / NS_PER_S;
		t.it_value.tv_nsec = next_ns % NS_PER_S;
	}
	(void)timerfd_settime(d->timer_fd, TFD_TIMER_ABSTIME, &t, NULL);
	d->armed_ns = next_ns;
}

static int drain(struct celld *d, int64_t t_ns)
{
	const struct tun *tun;
	int n = ports_drain(&d->ports, d->cell, &d->output, t_ns, &tun);

	if (n < 0)
		celld_say("reading %s of '%s': %s", tun->ifname,
		          config_port_name(d->cfg, tun->port), strerror(-n));
	return n;
}

/* A packet came: the first one of a sub-frame, or another one. */
static int receive(struct celld *d, int64_t now_ns)
{
	int n = drain(d, now_ns);

	if (now_ns < d->busy_until_ns)
		d->gather_ns = d->busy_until_ns;
	d->busy_until_ns = next_subframe(d, now_ns);
	return n < 0 ? n : 0;
}

/*
 * Nothing goes on the air between two sub-frames, so packets may as well wait
 * in their device for the next one. The first packet of a sub-frame wakes the
 * daemon; from the second wake-up on they are gathered, as long as several
 * come in a sub-frame, and their time of arrival is the sub-frame's end.
 */
static int gather(struct celld *d, int64_t now_ns)
{
	int n = drain(d, d->gather_ns);

	d->gather_ns = n > 1 ? next_subframe(d, now_ns) : 0;
	return n < 0 ? n : 0;
}

/* What a host answers at once to packets it got is in the devices already. */
static int take_answers(struct celld *d, int64_t now_ns)
{
	int n = 0;

	while (d->delivered && n >= 0) {
		d->delivered = false;
		n = drain(d, now_ns);
		advance(d, now_ns);
	}
	return n < 0 ? n : 0;
}

static char *handle(void *arg, const struct control_request *request)
{
	struct celld *d = arg;
	char *text = NULL;
	json_t *o;

	switch (request->kind) {
	case CONTROL_STATS:
		o = json_pack("{s:b, s:o, s:o}", "ok", 1, "cell", stats_json(d->cell), "lateness",
		              lateness_json(&d->lateness));
		text = json_dumps(o, JSON_COMPACT);
		json_decref(o);
		break;
	case CONTROL_ROUTE:
		if (cell_apply(d->cell, &request->cmd, d->end_ns) < 0)
			text = strdup("{\"ok\": false, \"error\": \"too many commands wait\"}");
		break;
	case CONTROL_QUIT:
		d->stop = true;
		break;
	}
	return text;
}

static int dispatch(struct celld *d, int fd, int64_t now_ns, bool *ret_traffic)
{
	if (fd == d->timer_fd) { /* edge-triggered: arming it anew is enough */
		if (d->armed_ns != CELL_NEVER)
			lateness_add(&d->lateness, now_ns - d->armed_ns);
		d->armed_ns = CELL_NEVER;
		return 0;
	}
	if (fd == d->signal_fd) {
		d->stop = true;
		return 0;
	}
	if (fd == d->control.listen_fd) {
		int client = control_accept(&d->control);

		return client >= 0 ? watch(d, client, EPOLLIN) : 0;
	}
	if (fd == d->control.client_fd) {
		control_read(&d->control, d->cfg, handle, d);
		return 0;
	}
	*ret_traffic = true;
	return 0;
}

static int loop(struct celld *d)
{
	struct epoll_event events[CONFIG_PORTS_MAX + 8];
	int r = 0;

	d->armed_ns = CELL_NEVER;
	while (!d->stop && r == 0 && d->output.error == 0) {
		int n = epoll_wait(d->gather_ns ? d->epoll_fd : d->traffic_fd, events,
		                   CONFIG_PORTS_MAX + 8, -1);
		int64_t now_ns;
		bool traffic = false;

		/* Stopped and continued: the timer has still to say by how much it is late. */
		if (n < 0 && errno == EINTR)
			continue;
		now_ns = clock_ns(CLOCK_MONOTONIC);
		if (now_ns < d->start_ns)
			now_ns = d->start_ns; /* before sub-frame 0 */
		d->end_ns = now_ns;
		if (d->gather_ns && now_ns >= d->gather_ns) {
			play_script(d, d->gather_ns);
			r = gather(d, now_ns);
		}
		play_script(d, now_ns);
		for (int i = 0; i < n && r == 0; i++)
			r = dispatch(d, events[i].data.fd, now_ns, &traffic);
		if (traffic && r == 0)
			r = receive(d, now_ns);
		advance(d, now_ns);
		if (r == 0)
			r = take_answers(d, now_ns);
		arm(d);
	}
	return r;
}

/* --- end --- */

static json_t *sandbox_json(const struct celld *d)
{
	json_t *held = json_array();

	for (int cap = 0; cap < 64; cap++)
		if (d->capabilities >> cap & 1)
			json_array_append_new(held, json_integer(cap));
	return json_pack("{s:o, s:b}", "capabilities", held, "seccomp", d->seccomp);
}

static int write_stats(struct celld *d)
{
	json_t *o;
	int r;

	if (!d->stats)
		return 0;
	o = stats_json(d->cell);
	json_object_set_new(o, "ports", ports_json(&d->ports));
	json_object_set_new(o, "lateness", lateness_json(&d->lateness));
	json_object_set_new(o, "sandbox", sandbox_json(d));
	json_object_set_new(o, "realtime_offset_ns", json_integer(d->realtime_offset_ns));
	json_object_set_new(o, "start_ns", json_integer(d->start_ns));
	json_object_set_new(o, "end_ns", json_integer(d->end_ns));
	r = json_dumpf(o, d->stats, JSON_INDENT(1));
	json_decref(o);
	if (fclose(d->stats) != 0)
		r = -1;
	if (r < 0)
		celld_say("%s: %s", d->cfg->output.stats, strerror(errno));
	return r < 0 ? -EIO : 0;
}

static int finish(struct celld *d)
{
	size_t n = 0;
	int r;

	(void)cell_done(d->cell, d->out, d->n_out, &n);
	for (size_t i = 0; i < n; i++)
		output_perform(&d->output, &d->out[i]);
	r = output_close(&d->output);
	if (r < 0)
		celld_say("%s: %s", d->output.error_path, strerror(-r));
	if (write_stats(d) < 0)
		r = -EIO;
	control_close(&d->control);
	ports_close(&d->ports);
	script_close(&d->script);
	return r;
}

static int announce(int ready_fd)
{
	if (ready_fd < 0)
		return 0;
	if (write(ready_fd, "ready\n", 6) != 6) {
		celld_say("announcing readiness: %s", strerror(errno));
		return -EPIPE;
	}
	(void)close(ready_fd);
	return 0;
}

int celld_run(const struct config *cfg, int ready_fd)
{
	static struct celld daemon;
	struct celld *d = &daemon;
	int r;

	d->cfg = cfg;

	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	d->control.listen_fd = d->control.client_fd = -1;
	d->realtime_offset_ns = realtime_offset();
	r = open_events(d);
	if (r == 0)
		r = open_devices(d);
	if (r == 0)
		r = open_cell(d);
	if (r == 0)
		r = open_outputs(d);
	if (r < 0) {
		control_close(&d->control);
		return r;
	}
	if (d->cfg->realtime && !privilege_lock_memory())
		celld_say("note: memory is not locked: %s", strerror(errno));
	if (d->cfg->realtime && !privilege_realtime())
		celld_say("note: no real-time scheduling: %s", strerror(errno));
	privilege_drop();
	d->capabilities = privilege_held();
	d->seccomp = sandbox_enter();
	r = announce(ready_fd);
	if (r == 0)
		r = loop(d);
	return finish(d) < 0 ? -EIO : r;
}
