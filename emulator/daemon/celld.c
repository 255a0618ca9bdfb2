/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * celld.c - the life of the radio daemon, the core between TUN devices and the clock.
 *
 * One thread. Phases: configuration, devices, files, real time, capabilities dropped, sandbox,
 * readiness announced, loop, flush. After the sandbox nothing is opened any more.
 */
#include "celld.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "clock.h"
#include "lifetime.h"
#include "loop.h"
#include "message.h"
#include "privilege.h"
#include "sandbox.h"

struct celld {
	const struct config *cfg;
	void *mem; /* of the cell */
	struct ports ports;
	struct output output;
	struct control control;
	struct script script;
	struct loop loop;
	FILE *stats;           /* opened before capabilities are dropped */
	bool seccomp;          /* the sandbox is there */
	uint64_t capabilities; /* that are left */
	int64_t realtime_offset_ns;
};

/* --- set-up --- */

static int open_devices(struct celld *d)
{
	const struct config_port *port;
	const char *what;
	int r = ports_open(&d->ports, d->cfg, d->loop.control_fd, &port, &what);

	if (r < 0)
		celld_say("port of '%s' (%s in %s): %s: %s%s", config_port_name(d->cfg, port->port),
		          port->ifname, port->netns, what, strerror(-r),
		          r == -EPERM || r == -EACCES ? " (needs CAP_NET_ADMIN and "
		                                        "CAP_SYS_ADMIN; run `cellbed doctor`)"
		                                      : "");
	return r;
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
	struct cell_cfg cell = d->cfg->cell;
	char error[CONFIG_ERROR_MAX];
	size_t size;
	int r;

	d->loop.start_ns = d->cfg->start_ns;
	if (d->loop.start_ns == 0)
		d->loop.start_ns = (clock_ns(CLOCK_MONOTONIC) / CELL_TTI_NS + 1) * CELL_TTI_NS;
	r = script_open(&d->script, d->cfg, d->loop.start_ns, error);
	if (r < 0) {
		celld_say("%s", error);
		return r;
	}
	cell.max_cmds = script_max_cmds(&d->script);
	size = cell_size(&cell);
	d->loop.n_out = 2 * cell_out_min(&cell);
	d->mem = reserve(size);
	d->loop.out = reserve(d->loop.n_out * sizeof(*d->loop.out));
	if (!d->mem || !d->loop.out) {
		celld_say(
			"out of memory: the cell needs %zu MiB; free some, or lower cell.max_pkts",
			size >> 20);
		return -ENOMEM;
	}
	return cell_init(&d->loop.cell, d->mem, size, &cell, d->loop.start_ns);
}

static int open_outputs(struct celld *d)
{
	int r = output_open(&d->output, d->cfg, d->realtime_offset_ns, d->loop.start_ns);

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
			r = loop_watch(&d->loop, d->control.listen_fd);
		if (r < 0)
			celld_say("control socket %s: %s", d->cfg->control, strerror(-r));
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
	o = stats_json(d->loop.cell);
	json_object_set_new(o, "ports", ports_json(&d->ports));
	json_object_set_new(o, "lateness", lateness_json(&d->loop.lateness));
	json_object_set_new(o, "sandbox", sandbox_json(d));
	json_object_set_new(o, "realtime_offset_ns", json_integer(d->realtime_offset_ns));
	json_object_set_new(o, "start_ns", json_integer(d->loop.start_ns));
	if (d->loop.n_changes)
		json_object_set_new(o, "changes", json_integer((json_int_t)d->loop.n_changes));
	json_object_set_new(o, "end_ns", json_integer(d->loop.end_ns));
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

	(void)cell_done(d->loop.cell, d->loop.out, d->loop.n_out, &n);
	for (size_t i = 0; i < n; i++)
		output_perform(&d->output, &d->loop.out[i]);
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

int celld_run(const struct config *cfg, int ready_fd)
{
	static struct celld daemon;
	struct celld *d = &daemon;
	int r;

	d->cfg = cfg;
	d->loop = (struct loop){ .cfg = cfg,
		                 .ports = &d->ports,
		                 .output = &d->output,
		                 .control = &d->control,
		                 .script = &d->script };
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	d->control.listen_fd = d->control.client_fd = -1;
	d->realtime_offset_ns = clock_realtime_offset_ns();
	r = loop_open(&d->loop);
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
		celld_say("warning: memory is not locked, and packets may be late: %s",
		          strerror(errno));
	if (d->cfg->realtime && !privilege_realtime())
		celld_say("warning: no real-time scheduling, and packets may be late: %s",
		          strerror(errno));
	privilege_drop();
	d->capabilities = privilege_held();
	d->seccomp = sandbox_enter();
	r = lifetime_ready(ready_fd);
	if (r < 0)
		celld_say("writing to --ready-fd: %s", strerror(-r));
	if (r == 0)
		r = loop_run(&d->loop);
	return finish(d) < 0 ? -EIO : r;
}
