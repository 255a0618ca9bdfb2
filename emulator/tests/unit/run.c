/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c - see run.h. */
#include "run.h"

#include <netinet/in.h>
#include <stdlib.h>

#include "unit.h"

static void *grow(void *array, size_t n, size_t size)
{
	void *larger;

	/* Powers of two: grown when the count reaches one. */
	if (n & (n - 1))
		return array;
	larger = realloc(array, (n ? 2 * n : 1) * size);
	assert_non_null(larger);
	return larger;
}

#define SERVER_ADDR UINT32_C(0x0a2e0101)

/* In a core network a tag ends with its UE, as in run_push(). Return: that UE, of a packet to it.
 */
static const struct cell_ue_cfg *dst_ue(const struct run *r, uint64_t tag)
{
	return r->router.cfg && tag & CELL_PORT_NETWORK ? &r->cfg.ue[(tag & 0x7f) - 1] : NULL;
}

/* Of a packet to a UE without an IPv4 address. */
static uint8_t ipv6_byte(const struct cell_ue_cfg *dst, uint64_t tag, size_t i)
{
	if (i == 0)
		return 6 << 4;
	if (i >= 24 && i < 40)
		return dst->addr6[i - 24];
	if (i == 6)
		return IPPROTO_TCP;
	if (i >= 44 && i < 52)
		return (uint8_t)(tag >> (8 * (51 - i)));
	return (uint8_t)(tag * 131 + i * 7);
}

/* With a core network a TCP segment, whose sequence numbers are the tag: the network knows no
 * other. */
static uint8_t byte_of(const struct run *r, uint64_t tag, size_t i)
{
	const struct cell_ue_cfg *dst = dst_ue(r, tag);

	if (dst && dst->addr == 0)
		return ipv6_byte(dst, tag, i);
	if (r->router.cfg && i == 0)
		return 4 << 4 | 5;
	if (r->router.cfg && i == 1) /* every second one has a DSCP */
		return tag >> 8 & 1 ? RUN_DSCP << 2 : 0;
	if (r->router.cfg && i == 9)
		return IPPROTO_TCP;
	if (r->router.cfg && i >= 16 && i < 20)
		return (uint8_t)((dst ? dst->addr : SERVER_ADDR) >> (8 * (19 - i)));
	if (r->router.cfg && i >= 24 && i < 32)
		return (uint8_t)(tag >> (8 * (31 - i)));
	return (uint8_t)(tag * 131 + i * 7 + (i >> 8));
}

void run_defaults(struct run *r, enum cell_mode mode)
{
	*r = (struct run){ 0 };
	cell_cfg_default(&r->cfg);
	r->cfg.lte.timing.processing_lead_ns = 250000;
	for (int i = 0; i < 2; i++)
		r->cfg.ue[i].mode = (uint8_t)mode;
}

void run_core_network(struct run *r)
{
	r->cfg.n_enb = 2;
	r->cfg.gtpu.sgw_addr = UINT32_C(0x0a3c0001);
	for (uint32_t i = 0; i < 2; i++) {
		r->cfg.gtpu.enb_addr[i] = UINT32_C(0x0a3c0101) + (i << 8);
		r->cfg.ue[i].peer = CELL_PEER_NETWORK;
		r->cfg.ue[i].addr = UINT32_C(0x0a2d0001) + i;
		r->cfg.ue[i].enb = (uint8_t)i;
	}
}

void run_start(struct run *r)
{
	size_t size = cell_size(&r->cfg);

	if (r->cfg.gtpu.sgw_addr)
		r->router = (struct router){ .cfg = &r->cfg, .delay_ns = RUN_WIRE_NS };

	r->mem = malloc(size);
	assert_non_null(r->mem);
	memset(r->mem, 0xa5, size);       /* what was there before means nothing */
	r->n_out = cell_out_min(&r->cfg); /* the least */
	r->out = calloc(r->n_out, sizeof(*r->out));
	assert_non_null(r->out);
	assert_int_equal(cell_init(&r->cell, r->mem, size, &r->cfg, RUN_START_NS), 0);
}

static void check_bytes(const struct run *r, const struct cell_out *o)
{
	for (uint32_t i = 0; i < o->len; i++)
		assert_int_equal(o->data[i], byte_of(r, o->tag, i));
}

/* Return: it goes on between the ends of tunnels. */
static bool routed(struct run *r, const struct cell_out *o)
{
	uint32_t src;

	if (!r->router.cfg)
		return false;
	if (r->n_routed + 1 == r->lost && o->port >= CELL_PORT_SGW && o->data[9] == IPPROTO_UDP) {
		r->n_routed++;
		return true;
	}
	if (router_take(&r->router, o) != 1)
		return false;
	src = o->port == CELL_PORT_SGW ? r->cfg.gtpu.sgw_addr
	                               : r->cfg.gtpu.enb_addr[o->port - CELL_PORT_ENB(0)];
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(o->data[12 + i], (uint8_t)(src >> (24 - 8 * i)));
	r->n_routed++;
	return true;
}

static void keep(struct run *r, const struct cell_out *o)
{
	struct run_pkt p = { .t_ns = o->t_ns - RUN_START_NS,
		             .tag = o->tag,
		             .pkt = o->pkt,
		             .ue = o->port,
		             .reason = o->reason };

	switch (o->type) {
	case CELL_OUT_DELIVER:
		r->bytes_out += o->len;
		if (routed(r, o))
			break;
		check_bytes(r, o);
		r->delivered = grow(r->delivered, r->n_delivered, sizeof(p));
		r->delivered[r->n_delivered++] = p;
		break;
	case CELL_OUT_DROP:
		r->dropped = grow(r->dropped, r->n_dropped, sizeof(p));
		r->dropped[r->n_dropped++] = p;
		break;
	case CELL_OUT_PDU:
		r->pdus = grow(r->pdus, r->n_pdus, sizeof(o->info));
		r->pdus[r->n_pdus++] = o->info;
		break;
	case CELL_OUT_RECORD:
		r->records = grow(r->records, r->n_records, sizeof(o->record));
		r->records[r->n_records] = o->record;
		r->records[r->n_records++].t_ns -= RUN_START_NS;
		break;
	}
}

/* By the cell's clock, as the next one. */
static void advance(struct run *r, int64_t t_ns)
{
	size_t n = 0;
	int ret;

	do {
		ret = cell_advance(r->cell, t_ns, r->out, r->n_out, &n);
		for (size_t i = 0; i < n; i++)
			keep(r, &r->out[i]);
	} while (ret == -EAGAIN);
	assert_int_equal(ret, 0);
}

/* All before @t_ns, with what the network brings step by step, as one packet leads to another. */
static void go_on(struct run *r, int64_t t_ns)
{
	while (router_next_ns(&r->router) < t_ns || cell_next(r->cell) < t_ns) {
		int64_t wire_ns = router_next_ns(&r->router), at_ns = cell_next(r->cell);

		if (wire_ns < at_ns)
			at_ns = wire_ns;
		else if (!r->router.cfg && t_ns != RUN_FOREVER)
			at_ns = t_ns - 1;
		router_deliver(&r->router, r->cell, at_ns);
		advance(r, at_ns);
	}
}

int run_push(struct run *r, uint8_t ue, size_t len, int64_t t_ns)
{
	uint8_t data[CELL_MTU_MAX], port = ue;
	uint64_t tag = ++r->next_tag;
	int ret;

	t_ns += RUN_START_NS;
	go_on(r, t_ns);
	if (r->router.cfg) {
		tag = tag << 8 | ue;
		port = ue & CELL_PORT_NETWORK ? CELL_PORT_SGW : ue;
	}
	for (size_t i = 0; i < len; i++)
		data[i] = byte_of(r, tag, i);
	ret = cell_push(r->cell, port, data, len, tag, t_ns);
	if (ret == 0 || ret == -ENOBUFS)
		r->bytes_in += len;
	return ret;
}

int run_cmd(struct run *r, const struct cell_cmd *cmd, int64_t t_ns)
{
	return cell_apply(r->cell, cmd, RUN_START_NS + t_ns);
}

void run_apply(struct run *r, enum cell_cmd_type type, uint8_t ue, uint8_t enb, int64_t t_ns)
{
	const struct cell_cmd cmd = { .type = type, .ue = ue, .enb = enb };

	go_on(r, RUN_START_NS + t_ns);
	assert_int_equal(run_cmd(r, &cmd, t_ns), 0);
}

void run_until(struct run *r, int64_t t_ns)
{
	if (t_ns == RUN_FOREVER) {
		go_on(r, RUN_FOREVER);
		return;
	}
	go_on(r, RUN_START_NS + t_ns);
	advance(r, RUN_START_NS + t_ns);
}

void run_end(struct run *r)
{
	struct cell_stats s;
	uint64_t out;
	size_t n;

	assert_int_equal(cell_done(r->cell, r->out, r->n_out, &n), 0);
	for (size_t i = 0; i < n; i++)
		keep(r, &r->out[i]);
	cell_stats(r->cell, &s);
	out = s.pkts_terminated;
	for (int i = 0; i < CELL_DROP_COUNT; i++)
		out += s.pkts_dropped[i];
	assert_int_equal(s.pkts_held, 0);
	assert_int_equal(s.pkts_in + s.pkts_originated, s.pkts_delivered + out);
	assert_int_equal(s.pkts_delivered, r->n_delivered + r->n_routed);
	assert_int_equal(s.bytes_delivered, r->bytes_out);
	if (!r->router.cfg)
		assert_int_equal(s.bytes_in, r->bytes_in);
	router_close(&r->router);
	free(r->mem);
	free(r->out);
	free(r->records);
	free(r->pdus);
	free(r->delivered);
	free(r->dropped);
}

static bool matches(const struct cell_record *rec, enum cell_event event, uint8_t node)
{
	return rec->event == event && rec->node == node;
}

const struct cell_record *run_find(const struct run *r, enum cell_event event, uint8_t node,
                                   size_t n)
{
	for (size_t i = 0; i < r->n_records; i++)
		if (matches(&r->records[i], event, node) && n-- == 0)
			return &r->records[i];
	fail_msg("no such %s at node %u", cell_event_name(event), node);
	return NULL;
}

size_t run_count(const struct run *r, enum cell_event event, uint8_t node)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_records; i++)
		n += matches(&r->records[i], event, node);
	return n;
}
