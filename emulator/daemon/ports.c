/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ports.c - the cell's ports; see ports.h. */
#include "ports.h"

#include <assert.h>
#include <errno.h>

#include "gso.h"

int ports_open(struct ports *ports, const struct config *cfg, int control_fd,
               const struct config_port **ret_failed, const char **ret_what)
{
	bool udp = true;

	ports->cfg = cfg;
	for (size_t i = 0; i < cfg->n_ports; i++) {
		int r = tun_open(&ports->tun[i], &cfg->port[i], cfg->segmentation_offload,
		                 ret_what);

		*ret_failed = &cfg->port[i];
		if (r < 0)
			return r;
		ports->by_port[cfg->port[i].port] = &ports->tun[i];
		ports->source[i] = (struct packet_source){ .fd = ports->tun[i].fd };
		udp &= ports->tun[i].udp;
		ports->n++;
	}
	*ret_what = "memory for packets";
	return packet_io_open(&ports->io, control_fd, ports->source, (uint32_t)ports->n,
	                      cfg->segmentation_offload, udp);
}

/* Whether a packet of IPv6 is for the other end of the link at most: neighbour discovery, and what
 * routers and listeners say. Source: RFC 4291 2.4, 2.7 */
static bool is_of_link(const uint8_t *packet, size_t len)
{
	const uint8_t *dst = packet + 24;

	if (len < 40)
		return false;
	return (dst[0] == 0xff && (dst[1] & 0xf) <= 2) ||
	       (dst[0] == 0xfe && (dst[1] & 0xc0) == 0x80);
}

/* Whether the cell gets the packet; else it is counted. */
static bool takes(struct tun *tun, const uint8_t *packet, size_t len)
{
	bool of_link;

	if (packet[0] >> 4 == 4)
		return true;
	if (!tun->ipv6 || packet[0] >> 4 != 6) {
		tun->refused_not_ipv4++;
		return false;
	}
	of_link = is_of_link(packet, len);
	tun->refused_of_link += of_link;
	return !of_link;
}

static void push(struct tun *tun, struct cell *cell, struct output *output, const uint8_t *packet,
                 size_t len, int64_t t_ns)
{
	uint64_t tag = output_tag(packet, len);
	int r;

	tun->read_pkts++;
	if (!takes(tun, packet, len))
		return;
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
	return packet_io_wait(&ports->io, read_ns, until_ns);
}

/* What a device gave at once. */
static void push_packets(struct ports *ports, struct tun *tun, struct cell *cell,
                         struct output *output, uint8_t *data, uint32_t len, int64_t t_ns)
{
	struct gso packets;
	uint8_t *packet;

	if (!ports->io.offload) {
		push(tun, cell, output, data, len, t_ns);
	} else if (!gso_open(&packets, data, len)) {
		tun->read_pkts++;
		tun->refused_not_ipv4++;
	} else {
		while ((len = gso_next(&packets, &packet)) > 0)
			push(tun, cell, output, packet, len, t_ns);
	}
}

/* Packets @from..@to - 1 of those that a device has given. Return: how many, or negative errno. */
static int push_read(struct ports *ports, uint32_t k, uint32_t from, uint32_t to, struct cell *cell,
                     struct output *output, int64_t t_ns)
{
	const struct packet_source *s = &ports->source[k];

	for (uint32_t i = s->first + from; i < s->first + to; i++)
		push_packets(ports, &ports->tun[k], cell, output, ports->io.in[i].data,
		             ports->io.in[i].len, t_ns);
	return s->error < 0 ? s->error : (int)(to - from);
}

bool ports_read_asleep(const struct ports *ports)
{
	return ports->io.has_read;
}

bool ports_overflow(const struct ports *ports)
{
	return packet_io_overflows(&ports->io);
}

int ports_push_in_time(struct ports *ports, struct cell *cell, struct output *output, int64_t t_ns,
                       const struct tun **ret_failed)
{
	uint32_t end;
	int total = 0;

	ports->more = packet_io_read(&ports->io, 0, false, &end);
	ports->half_pushed = true;
	for (uint32_t k = 0; k < end; k++) {
		int n = push_read(ports, k, 0, ports->source[k].in_time, cell, output, t_ns);

		if (n < 0) {
			*ret_failed = &ports->tun[k];
			return n;
		}
		total += n;
	}
	return total;
}

int ports_drain(struct ports *ports, struct cell *cell, struct output *output, int64_t t_ns,
                const struct tun **ret_failed)
{
	uint32_t first = 0, end = (uint32_t)ports->n;
	bool again = false;
	int total = 0;

	while (first < ports->n) {
		bool rest = ports->half_pushed;

		again = rest ? ports->more : packet_io_read(&ports->io, first, again, &end);
		ports->half_pushed = false;
		for (uint32_t k = first; k < end; k++) {
			const struct packet_source *s = &ports->source[k];
			int n = push_read(ports, k, rest ? s->in_time : 0, s->n, cell, output,
			                  t_ns);

			if (n < 0) {
				*ret_failed = &ports->tun[k];
				return n;
			}
			total += n;
		}
		if (!again)
			first = end;
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

		json_t *refused =
			json_pack("{s:I, s:I}", "not_ipv4", (json_int_t)t->refused_not_ipv4,
		                  "oversize", (json_int_t)t->refused_oversize);

		if (t->ipv6)
			json_object_set_new(refused, "of_link",
			                    json_integer((json_int_t)t->refused_of_link));
		json_object_set_new(o, config_port_name(ports->cfg, t->port),
		                    json_pack("{s:s, s:I, s:I, s:I, s:o, s:o}", "ifname", t->ifname,
		                              "read_pkts", (json_int_t)t->read_pkts, "write_pkts",
		                              (json_int_t)t->write_pkts, "write_errors",
		                              (json_int_t)t->write_errors, "tun_tx_dropped",
		                              dropped < 0 ? json_null() : json_integer(dropped),
		                              "refused_pkts", refused));
	}
	return o;
}

void ports_close(struct ports *ports)
{
	packet_io_close(&ports->io);
	for (size_t i = 0; i < ports->n; i++)
		tun_close(&ports->tun[i]);
}
