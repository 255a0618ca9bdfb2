/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c - see run.h. */
#include "run.h"

#include <stdlib.h>

#include "unit.h"

static void *grow(void *array, size_t n, size_t size)
{
	/* Powers of two: grown when the count reaches one. */
	if (n & (n - 1))
		return array;
	array = realloc(array, (n ? 2 * n : 1) * size);
	assert_non_null(array);
	return array;
}

static uint8_t byte_of(uint64_t tag, size_t i)
{
	return (uint8_t)(tag * 131 + i * 7 + (i >> 8));
}

void run_defaults(struct run *r, enum cell_mode mode)
{
	*r = (struct run){ 0 };
	cell_cfg_default(&r->cfg);
	r->cfg.processing_lead_ns = 250000;
	for (int i = 0; i < 2; i++)
		r->cfg.ue[i].mode = (uint8_t)mode;
}

void run_start(struct run *r)
{
	size_t size = cell_size(&r->cfg);

	r->mem = malloc(size);
	assert_non_null(r->mem);
	r->n_out = 2 * cell_out_min(&r->cfg);
	r->out = calloc(r->n_out, sizeof(*r->out));
	assert_non_null(r->out);
	assert_int_equal(cell_init(&r->cell, r->mem, size, &r->cfg, 0), 0);
}

static void check_bytes(const struct cell_out *o)
{
	for (uint32_t i = 0; i < o->len; i++)
		assert_int_equal(o->data[i], byte_of(o->tag, i));
}

static void keep(struct run *r, const struct cell_out *o)
{
	struct run_pkt p = {
		.t_ns = o->t_ns, .tag = o->tag, .pkt = o->pkt, .ue = o->port, .reason = o->reason
	};

	switch (o->type) {
	case CELL_OUT_DELIVER:
		check_bytes(o);
		r->delivered = grow(r->delivered, r->n_delivered, sizeof(p));
		r->delivered[r->n_delivered++] = p;
		break;
	case CELL_OUT_DROP:
		r->dropped = grow(r->dropped, r->n_dropped, sizeof(p));
		r->dropped[r->n_dropped++] = p;
		break;
	case CELL_OUT_PDU:
		r->n_pdus++;
		break;
	case CELL_OUT_RECORD:
		r->records = grow(r->records, r->n_records, sizeof(o->record));
		r->records[r->n_records++] = o->record;
		break;
	}
}

static void advance(struct run *r, int64_t t_ns)
{
	size_t n;
	int ret;

	do {
		ret = cell_advance(r->cell, t_ns, r->out, r->n_out, &n);
		for (size_t i = 0; i < n; i++)
			keep(r, &r->out[i]);
	} while (ret == -EAGAIN);
	assert_int_equal(ret, 0);
}

int run_push(struct run *r, uint8_t ue, size_t len, int64_t t_ns)
{
	uint8_t data[CELL_MTU_MAX];
	uint64_t tag = ++r->next_tag;

	for (size_t i = 0; i < len; i++)
		data[i] = byte_of(tag, i);
	if (cell_next(r->cell) < t_ns)
		advance(r, t_ns - 1);
	return cell_push(r->cell, ue, data, len, tag, t_ns);
}

void run_until(struct run *r, int64_t t_ns)
{
	if (t_ns != RUN_FOREVER) {
		advance(r, t_ns);
		return;
	}
	while (cell_next(r->cell) != CELL_NEVER)
		advance(r, cell_next(r->cell));
}

void run_end(struct run *r)
{
	struct cell_stats s;
	uint64_t out = 0;
	size_t n;

	assert_int_equal(cell_done(r->cell, r->out, r->n_out, &n), 0);
	for (size_t i = 0; i < n; i++)
		keep(r, &r->out[i]);
	cell_stats(r->cell, &s);
	for (int i = 0; i < CELL_DROP_COUNT; i++)
		out += s.pkts_dropped[i];
	assert_int_equal(s.pkts_held, 0);
	assert_int_equal(s.pkts_in, s.pkts_delivered + out);
	assert_int_equal(s.pkts_delivered, r->n_delivered);
	free(r->mem);
	free(r->out);
	free(r->records);
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
