/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ports.c - the cell's ports; see ports.h. */
#include "ports.h"

#include <assert.h>
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Devices that share a batch: each has two places, for a packet and for finding no other. */
#define BATCH_DEVICES (PACKET_IO_BATCH / 2)

int ports_open(struct ports *ports, const struct config *cfg, int control_fd,
               const struct config_port **ret_failed, const char **ret_what)
{
	struct epoll_event readable = { .events = EPOLLIN };

	ports->cfg = cfg;
	ports->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	for (size_t i = 0; i < cfg->n_ports; i++) {
		int r = tun_open(&ports->tun[i], &cfg->port[i], ret_what);

		*ret_failed = &cfg->port[i];
		if (r < 0)
			return r;
		*ret_what = "watching it";
		if (epoll_ctl(ports->epoll_fd, EPOLL_CTL_ADD, ports->tun[i].fd, &readable) < 0)
			return -errno;
		ports->by_port[cfg->port[i].port] = &ports->tun[i];
		ports->source[i] = (struct packet_source){ .fd = ports->tun[i].fd };
		ports->n++;
	}
	packet_io_open(&ports->io, control_fd, ports->epoll_fd, ports->tun[0].fd);
	return 0;
}

static void push(struct tun *tun, struct cell *cell, struct output *output, const uint8_t *packet,
                 size_t len, int64_t t_ns)
{
	uint64_t tag = output_tag(packet, len);
	int r;

	tun->read_pkts++;
	if (packet[0] >> 4 != 4) {
		tun->refused_not_ipv4++;
		return;
	}
	r = cell_push(cell, tun->port, packet, len, tag, t_ns);
	assert(r != -EINVAL);
	if (r == -EMSGSIZE) {
		tun->refused_oversize++;
		return;
	}
	output_arrival(output, tun->port, packet, len, tag, t_ns);
}

int ports_wait(struct ports *ports, int64_t read_ns, int64_t until_ns)
{
	return packet_io_wait(&ports->io, ports->source, (uint32_t)ports->n, read_ns, until_ns);
}

/* The devices @first to @end - 1. Return: number of packets, or negative errno. */
static int drain_batch(struct ports *ports, size_t first, size_t end, struct cell *cell,
                       struct output *output, int64_t t_ns, const struct tun **ret_failed)
{
	struct packet_io *io = &ports->io;
	bool more = true;
	int total = 0;

	while (more) {
		more = packet_io_read(io, &ports->source[first], (uint32_t)(end - first),
		                      total > 0);
		for (size_t k = first; k < end; k++) {
			const struct packet_source *s = &ports->source[k];

			for (uint32_t i = s->first; i < s->first + s->n; i++)
				push(&ports->tun[k], cell, output, io->in[i].data, io->in[i].len,
				     t_ns);
			total += (int)s->n;
			if (s->error < 0) {
				*ret_failed = &ports->tun[k];
				return s->error;
			}
		}
	}
	return total;
}

int ports_drain(struct ports *ports, struct cell *cell, struct output *output, int64_t t_ns,
                const struct tun **ret_failed)
{
	int total = 0;

	for (size_t first = 0; first < ports->n; first += BATCH_DEVICES) {
		size_t end = first + BATCH_DEVICES < ports->n ? first + BATCH_DEVICES : ports->n;
		int n = drain_batch(ports, first, end, cell, output, t_ns, ret_failed);

		if (n < 0)
			return n;
		total += n;
	}
	return total;
}

void ports_deliver(struct ports *ports, const struct cell_out *o)
{
	struct tun *tun = ports->by_port[o->port];

	if (tun)
		packet_io_write(&ports->io, tun->fd, o->data, o->len, &tun->write_pkts,
		                &tun->write_errors);
}

json_t *ports_json(const struct ports *ports)
{
	json_t *o = json_object();

	for (size_t i = 0; i < ports->n; i++) {
		const struct tun *t = &ports->tun[i];
		int64_t dropped = tun_tx_dropped(t);

		json_object_set_new(
			o, config_port_name(ports->cfg, t->port),
			json_pack("{s:s, s:I, s:I, s:I, s:o, s:{s:I, s:I}}", "ifname", t->ifname,
		                  "read_pkts", (json_int_t)t->read_pkts, "write_pkts",
		                  (json_int_t)t->write_pkts, "write_errors",
		                  (json_int_t)t->write_errors, "tun_tx_dropped",
		                  dropped < 0 ? json_null() : json_integer(dropped), "refused_pkts",
		                  "not_ipv4", (json_int_t)t->refused_not_ipv4, "oversize",
		                  (json_int_t)t->refused_oversize));
	}
	return o;
}

void ports_close(struct ports *ports)
{
	packet_io_close(&ports->io);
	(void)close(ports->epoll_fd);
	for (size_t i = 0; i < ports->n; i++)
		tun_close(&ports->tun[i]);
}
