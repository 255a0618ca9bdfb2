/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drx.c - when a UE listens to PDCCH; see drx.h.
 *
 * Timers are the slots in which they run, so none has to be stopped by a clock. drx-ShortCycleTimer
 * starts when drx-InactivityTimer expires, which new data put off: the slots of short cycles to
 * come are known from the last new data on, and those of the activity before may still be going on.
 */
#include "mac/nr/drx.h"

#include "base/assert.h"

void nr_drx_init(struct nr_drx *d, const struct nr_drx_cfg *cfg)
{
	*d = (struct nr_drx){ .cfg = cfg };
	CELL_ASSERT(cfg->long_cycle == 0 || cfg->offset < cfg->long_cycle);
	CELL_ASSERT(cfg->short_cycle == 0 || cfg->long_cycle % cfg->short_cycle == 0);
}

static bool within(struct nr_drx_span span, uint32_t slot)
{
	return slot >= span.from && slot < span.until;
}

static struct nr_drx_span short_cycles(const struct nr_drx *d, uint32_t from)
{
	return (struct nr_drx_span){ from, from + d->cfg->short_cycle * d->cfg->short_timer };
}

void nr_drx_new_data(struct nr_drx *d, uint32_t slot)
{
	if (d->inactivity_until <= slot)
		d->previous = d->recent;
	d->inactivity_until = slot + 1 + d->cfg->inactivity;
	d->recent = short_cycles(d, d->inactivity_until);
}

static void wait(struct nr_drx_span *spans, uint64_t *waiting, uint8_t harq, uint32_t from,
                 uint32_t slots)
{
	CELL_ASSERT(harq < NR_DRX_PROCESSES);
	spans[harq] = (struct nr_drx_span){ from, from + slots };
	*waiting |= UINT64_C(1) << harq;
}

void nr_drx_dl_feedback(struct nr_drx *d, uint8_t harq, uint32_t slot, bool decoded)
{
	if (decoded)
		d->dl_waiting &= ~(UINT64_C(1) << harq);
	else
		wait(d->dl, &d->dl_waiting, harq, slot + 1 + d->cfg->rtt_dl,
		     d->cfg->retransmission_dl);
}

void nr_drx_dl_assigned(struct nr_drx *d, uint8_t harq)
{
	d->dl_waiting &= ~(UINT64_C(1) << harq);
}

void nr_drx_ul_sent(struct nr_drx *d, uint8_t harq, uint32_t slot)
{
	wait(d->ul, &d->ul_waiting, harq, slot + 1 + d->cfg->rtt_ul, d->cfg->retransmission_ul);
}

void nr_drx_ul_granted(struct nr_drx *d, uint8_t harq)
{
	d->ul_waiting &= ~(UINT64_C(1) << harq);
}

void nr_drx_command(struct nr_drx *d, uint32_t slot, bool is_long)
{
	struct nr_drx_span going_on = d->inactivity_until <= slot ? d->recent : d->previous;

	d->stopped = slot + 1;
	if (d->inactivity_until > slot + 1)
		d->inactivity_until = slot + 1;
	d->previous = going_on;
	if (is_long) { /* drx-ShortCycleTimer stops, and does not start */
		if (d->previous.until > slot + 1)
			d->previous.until = slot + 1;
		d->recent = (struct nr_drx_span){ 0 };
	} else {
		d->recent = short_cycles(d, slot + 1);
	}
}

static bool in_short(const struct nr_drx *d, uint32_t slot)
{
	return within(d->recent, slot) || within(d->previous, slot);
}

/* The last slot up to @slot where an on duration of @cycle can start. Return: false if none */
static bool last_start(const struct nr_drx *d, uint32_t cycle, uint32_t slot, uint32_t *ret)
{
	uint32_t offset = d->cfg->offset % cycle;

	if (slot < offset)
		return false;
	*ret = slot - (slot - offset) % cycle;
	return true;
}

/* The first one from @slot on. */
static uint32_t next_start(const struct nr_drx *d, uint32_t cycle, uint32_t slot)
{
	uint32_t last;

	if (!last_start(d, cycle, slot, &last))
		return d->cfg->offset % cycle;
	return last == slot ? slot : last + cycle;
}

static bool on_since(const struct nr_drx *d, uint32_t start, uint32_t slot)
{
	bool stopped = start < d->stopped && slot >= d->stopped;

	return !stopped && slot - start < d->cfg->on_duration;
}

/* Long cycles start where a short one does, so their on durations are those of both. */
static bool on_duration(const struct nr_drx *d, uint32_t slot)
{
	uint32_t start;

	if (last_start(d, d->cfg->long_cycle, slot, &start) && on_since(d, start, slot))
		return true;
	return d->cfg->short_cycle && last_start(d, d->cfg->short_cycle, slot, &start) &&
	       in_short(d, start) && on_since(d, start, slot);
}

/* First slot from @slot on of what processes wait for. */
static uint32_t next_wait(const struct nr_drx_span *spans, uint64_t waiting, uint32_t slot)
{
	uint32_t next = NR_SLOT_NEVER;

	for (; waiting; waiting &= waiting - 1) {
		struct nr_drx_span span = spans[__builtin_ctzll(waiting)];
		uint32_t first = span.from > slot ? span.from : slot;

		if (first < span.until && first < next)
			next = first;
	}
	return next;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* First slot from @slot on in which a short cycle starts within @span. */
static uint32_t next_short(const struct nr_drx *d, struct nr_drx_span span, uint32_t slot)
{
	uint32_t next = next_start(d, d->cfg->short_cycle, span.from > slot ? span.from : slot);

	return next < span.until ? next : NR_SLOT_NEVER;
}

bool nr_drx_active(const struct nr_drx *d, uint32_t slot)
{
	return d->cfg->long_cycle == 0 || d->request || d->contention ||
	       slot < d->inactivity_until || next_wait(d->dl, d->dl_waiting, slot) == slot ||
	       next_wait(d->ul, d->ul_waiting, slot) == slot || on_duration(d, slot);
}

uint32_t nr_drx_next_active(const struct nr_drx *d, uint32_t slot)
{
	uint32_t next;

	if (nr_drx_active(d, slot))
		return slot;
	next = least(next_wait(d->dl, d->dl_waiting, slot), next_wait(d->ul, d->ul_waiting, slot));
	next = least(next, next_start(d, d->cfg->long_cycle, slot));
	if (d->cfg->short_cycle) {
		next = least(next, next_short(d, d->recent, slot));
		next = least(next, next_short(d, d->previous, slot));
	}
	return next;
}
