/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cell_run.c - a plan is carried out, and what holds is checked, as the property tests say, see
 * emulator/tests/prop: packets are accounted for, intact and in order; outputs come in order of
 * time and not before they were announced.
 */
#include "cell_run.h"

#include <errno.h>
#include <string.h>

#include "base/octets.h"
#include "router.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(at, size)   ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

#define GUARD_BYTES 65536
#define FILL_MAX    (8 << 20)
#define TAGS_MAX    (PLAN_ACTIONS_MAX * 30 + 1)

struct memory {
	uint8_t *at;
	size_t size;
};

struct run {
	const struct plan *plan;
	struct cell *cell;
	struct cell_out *out;
	size_t n_out;
	struct router router;
	const struct plan_action *mangle; /* what happens to the next packet of a tunnel */
	int64_t now_ns;
	int64_t last_ns; /* of the last output */
	uint32_t tags;   /* given out */
	struct cell_came *came;
	struct {
		uint32_t len;
		uint8_t port;
		uint8_t ended; /* times */
		bool accepted;
	} sent[TAGS_MAX];
	uint32_t last_tag[UINT8_MAX + 1]; /* delivered, by port of origin */
};

/* What a packet holds: an IPv4 header to the UE where there is room, its tag, and what follows. */
static void fill(const struct run *p, uint8_t *data, uint32_t tag)
{
	uint32_t len = p->sent[tag].len, dst = 0x0b000001;

	for (uint32_t i = 0; i < len; i++)
		data[i] = (uint8_t)(tag * 131 + i * 7);
	if (len < 24)
		return;
	if (p->sent[tag].port == CELL_PORT_SGW)
		dst = p->plan->cfg.ue[tag % p->plan->cfg.n_ue].addr;
	memset(data, 0, 20);
	data[0] = 0x45;
	data[2] = (uint8_t)(len >> 8);
	data[3] = (uint8_t)len;
	data[9] = 0xfd; /* for experiments. Source: RFC 3692 */
	if (p->plan->kinds) {
		data[1] = (uint8_t)((tag % 3 == 0 ? 46 << 2 : 0) | (tag >> 3 & 3));
		data[9] = (uint8_t[]){ 6, 17, 1 }[tag % 3];
	}
	for (int i = 0; i < 4; i++) {
		data[16 + i] = (uint8_t)(dst >> (24 - 8 * i));
		data[20 + i] = (uint8_t)(tag >> (24 - 8 * i));
	}
}

static bool has_core(const struct run *p)
{
	return p->plan->cfg.gtpu.sgw_addr != 0;
}

static uint8_t destination(const struct run *p, uint8_t port)
{
	uint8_t peer;

	if (port & CELL_PORT_NETWORK)
		return port & (uint8_t)~CELL_PORT_NETWORK;
	peer = p->plan->cfg.ue[port - 1].peer;
	return peer ? peer : port | CELL_PORT_NETWORK;
}

/* In order of the port of origin, where nothing may be lost or overtake. */
static void check_order(struct run *p, uint32_t tag)
{
	uint8_t port = p->sent[tag].port;

	if (!p->plan->lossless || p->plan->commands || p->plan->cfg.lte.mode_switch.select_ms ||
	    has_core(p))
		return;
	FUZZ_CHECK(tag > p->last_tag[port]);
	p->last_tag[port] = tag;
}

static void delivered(struct run *p, const struct cell_out *o)
{
	uint8_t expected[CELL_MTU_MAX];
	uint64_t tag = o->tag;

	FUZZ_CHECK(o->data && o->len >= 1 && o->len <= CELL_MTU_MAX);
	if (!p->plan->intact)
		return;
	if (has_core(p) && o->len >= 24) /* tags outside are the router's */
		tag = get32(o->data + 20);
	else if (has_core(p))
		return;
	FUZZ_CHECK(tag >= 1 && tag <= p->tags && p->sent[tag].accepted);
	FUZZ_CHECK(o->len == p->sent[tag].len);
	fill(p, expected, (uint32_t)tag);
	FUZZ_CHECK(memcmp(o->data, expected, o->len) == 0);
	if (!has_core(p)) {
		FUZZ_CHECK(++p->sent[tag].ended == 1);
		FUZZ_CHECK(o->port == destination(p, p->sent[tag].port));
		check_order(p, (uint32_t)tag);
	}
}

static uint64_t mix(uint64_t hash, const void *data, size_t len)
{
	const uint8_t *b = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ b[i]) * 0x100000001b3u;
	return hash;
}

/* Not what is between the fields of a structure. */
static uint64_t mix_info(uint64_t hash, const struct cell_pdu_info *info)
{
	hash = mix(hash, info, offsetof(struct cell_pdu_info, enb) + 1);
	hash = mix(hash, &info->rnti, sizeof(info->rnti));
	return mix(hash, &info->subframe, sizeof(info->subframe));
}

static uint64_t hash_of(const struct cell_out *o)
{
	uint64_t hash = mix(0, &o->type, sizeof(o->type));

	hash = mix(hash, &o->t_ns, sizeof(o->t_ns));
	hash = mix(hash, &o->tag, sizeof(o->tag));
	if (o->data)
		hash = mix(hash, o->data, o->len);
	if (o->type == CELL_OUT_RECORD)
		return mix(hash, &o->record, sizeof(o->record));
	hash = mix(hash, &o->port, sizeof(o->port));
	if (o->type == CELL_OUT_DROP)
		return mix(hash, &o->reason, sizeof(o->reason));
	return o->type == CELL_OUT_PDU ? mix_info(hash, &o->info) : hash;
}

static void count(struct cell_came *came, const struct cell_out *o)
{
	uint64_t hash = hash_of(o), *of_kind = &came->hash[o->type];

	came->n[o->type]++;
	*of_kind = mix(*of_kind, &hash, sizeof(hash));
	came->all = mix(came->all, &hash, sizeof(hash));
}

/* A packet goes from one end of a tunnel to another, maybe not as it was. */
static bool route(struct run *p, const struct cell_out *o)
{
	const struct plan_action *m = p->mangle;
	struct cell_out changed = *o;
	uint8_t bytes[CELL_MTU_MAX];

	FUZZ_CHECK(o->data);
	if (m && o->port >= CELL_PORT_SGW && o->port <= CELL_PORT_ENB(CELL_MAX_ENB - 1)) {
		p->mangle = NULL;
		if (!m->flip)
			return true; /* lost */
		memcpy(bytes, o->data, o->len);
		bytes[m->offset % o->len] ^= m->flip;
		changed.data = bytes;
	}
	return router_take(&p->router, &changed) == 1;
}

static void perform(struct run *p, size_t n, int64_t bound_ns)
{
	for (size_t i = 0; i < n; i++) {
		const struct cell_out *o = &p->out[i];

		FUZZ_CHECK(o->t_ns >= p->last_ns && o->t_ns <= p->now_ns);
		p->last_ns = o->t_ns;
		count(p->came, o);
		if (o->type == CELL_OUT_DELIVER) {
			FUZZ_CHECK(o->t_ns >= bound_ns);
			if (!route(p, o))
				delivered(p, o);
		}
		if (o->type == CELL_OUT_DROP && !has_core(p) && p->plan->intact && o->tag)
			FUZZ_CHECK(o->tag <= p->tags && ++p->sent[o->tag].ended == 1);
	}
}

/* A link delivers packets twice. */
static bool duplicates(const struct cell_cfg *cfg)
{
	for (int dir = 0; dir < 2; dir++)
		if (cfg->constant.netem[dir].duplicate_q32 ||
		    cfg->recorded.way[dir].netem.duplicate_q32)
			return true;
	return false;
}

static void check_stats(const struct run *p)
{
	struct cell_stats s;
	uint64_t dropped = 0;

	cell_stats(p->cell, &s);
	for (int i = 0; i < CELL_DROP_COUNT; i++)
		dropped += s.pkts_dropped[i];
	FUZZ_CHECK(s.pkts_in + s.pkts_originated ==
	           s.pkts_delivered + dropped + s.pkts_terminated + s.pkts_held);
	FUZZ_CHECK(has_core(p) || duplicates(&p->plan->cfg) || /* tunnels add headers */
	           s.bytes_delivered <= s.bytes_in);
	if (p->plan->lossless && p->plan->intact)
		FUZZ_CHECK(!s.mac_lost[CELL_DIR_UL] && !s.mac_lost[CELL_DIR_SL]);
}

static void advance(struct run *p, int64_t to_ns)
{
	int64_t bound_ns = cell_next_output(p->cell);
	size_t n = 0;
	int r;

	FUZZ_CHECK(bound_ns >= cell_next(p->cell));
	p->now_ns = to_ns;
	do {
		r = cell_advance(p->cell, to_ns, p->out, p->n_out, &n);
		FUZZ_CHECK((r == 0 || r == -EAGAIN) && n <= p->n_out);
		perform(p, n, bound_ns);
	} while (r == -EAGAIN);
	FUZZ_CHECK(cell_next(p->cell) > to_ns);
}

/* Up to, but not including, @to_ns. Packets between tunnels arrive on their way. */
static void until(struct run *p, int64_t to_ns)
{
	for (;;) {
		int64_t cell_ns = cell_next(p->cell), router_ns = router_next_ns(&p->router);
		int64_t t_ns = cell_ns < router_ns ? cell_ns : router_ns;

		if (t_ns >= to_ns || (!p->plan->few_outputs && !has_core(p)))
			break;
		router_deliver(&p->router, p->cell, t_ns);
		advance(p, t_ns);
	}
	if (to_ns > p->now_ns + 1)
		advance(p, to_ns - 1);
}

static void push(struct run *p, const struct plan_action *a)
{
	uint8_t data[CELL_MTU_MAX];

	for (uint8_t i = 0; i < a->n; i++) {
		uint32_t tag = ++p->tags;

		p->sent[tag].len = a->len;
		p->sent[tag].port = a->port;
		fill(p, data, tag);
		p->sent[tag].accepted =
			cell_push(p->cell, a->port, data, a->len, tag, a->t_ns) == 0;
	}
}

static void push_raw(struct run *p, const struct plan_action *a)
{
	uint8_t data[CELL_MTU_MAX + 1] = { 0 };
	int r;

	for (uint32_t i = 0; i < sizeof(data); i++)
		data[i] = i < PLAN_BYTES_MAX ? a->bytes[i] : (uint8_t)i;
	r = cell_push(p->cell, a->port, data, a->len, 0, a->t_ns);
	FUZZ_CHECK(r == 0 || r == -EINVAL || r == -EMSGSIZE || r == -ENOBUFS);
	FUZZ_CHECK(r != 0 || (a->len >= 1 && a->len <= CELL_MTU_MAX));
}

static void act(struct run *p, const struct plan_action *a)
{
	int r;

	switch (a->kind) {
	case PLAN_PUSH:
		push(p, a);
		break;
	case PLAN_COMMAND:
		r = cell_apply(p->cell, &a->cmd, a->t_ns);
		FUZZ_CHECK(r == 0 || r == -EINVAL || r == -ENOBUFS);
		break;
	case PLAN_RAW:
		push_raw(p, a);
		break;
	default:
		p->mangle = a;
		break;
	}
}

static void check_end(const struct run *p)
{
	const struct cell_cfg *cfg = &p->plan->cfg;
	struct cell_stats s;

	check_stats(p);
	cell_stats(p->cell, &s);
	FUZZ_CHECK(s.pkts_held == 0);
	for (uint32_t tag = 1; tag <= p->tags && !has_core(p) && p->plan->intact; tag++)
		FUZZ_CHECK(p->sent[tag].ended == p->sent[tag].accepted);
	if ((cfg->system == CELL_SYSTEM_LTE || cfg->system == CELL_SYSTEM_NR) &&
	    cfg->rlc.mode == CELL_RLC_AM && cfg->n_bearers == 0 && !has_core(p) &&
	    cfg->rlc.am.on_max_retx == CELL_MAX_RETX_REESTABLISH &&
	    cfg->lte.mode_switch.flush == CELL_FLUSH_KEEP)
		FUZZ_CHECK(!s.pkts_dropped[CELL_DROP_RADIO_LOSS] &&
		           !s.pkts_dropped[CELL_DROP_RLC_DISCARD] &&
		           !s.pkts_dropped[CELL_DROP_RADIO_LINK_FAILURE]);
}

/*
 * @size bytes of anything: what was there before must not matter. What follows
 * them is out of bounds. Kept from input to input, as the system's memory is slow.
 */
static void *memory(struct memory *m, size_t size, int fill)
{
	if (m->size < size + GUARD_BYTES) {
		free(m->at);
		m->size = size + GUARD_BYTES;
		m->at = malloc(m->size);
		FUZZ_CHECK(m->at);
	}
	ASAN_UNPOISON_MEMORY_REGION(m->at, size);
	ASAN_POISON_MEMORY_REGION(m->at + size, m->size - size);
	memset(m->at, fill, size < FILL_MAX ? size : FILL_MAX);
	return m->at;
}

void cell_run(const struct plan *plan, struct cell_came *ret)
{
	static struct memory cell_memory, out_memory;
	const int fill = plan->few_outputs ? 0xa5 : 0x5a;
	static struct run p;
	size_t size = cell_size(&plan->cfg), n = 0;

	*ret = (struct cell_came){ 0 };
	p = (struct run){ .plan = plan, .came = ret };
	p.router = (struct router){ .cfg = &plan->cfg, .delay_ns = plan->router_ns };
	p.n_out = (plan->few_outputs ? 1 : 4) * cell_out_min(&plan->cfg);
	p.out = memory(&out_memory, p.n_out * sizeof(*p.out), fill);
	FUZZ_CHECK(cell_init(&p.cell, memory(&cell_memory, size, fill), size, &plan->cfg, 0) == 0);
	for (uint32_t i = 0; i < plan->n_actions; i++) {
		until(&p, plan->action[i].t_ns);
		act(&p, &plan->action[i]);
		check_stats(&p);
	}
	until(&p, plan->end_ns);
	ret->state = cell_digest(p.cell);
	p.now_ns = INT64_MAX;
	FUZZ_CHECK(cell_done(p.cell, p.out, p.n_out, &n) == 0);
	perform(&p, n, INT64_MIN);
	check_end(&p);
	cell_stats(p.cell, &ret->stats);
	ret->bytes = size;
	router_close(&p.router);
}
