/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.c - which event of the network is next, and when a packet can leave next; see event.h.
 *
 * As in ran/lte/event.c each UE is a number in heaps: of the first timer of each direction, and of
 * the first slot in which something is to be done for it. They change only by what happens to the
 * UE, which says so by nr_touch(); after the event its numbers are worked out again.
 */
#include "ran/nr/event.h"

#include "ran/nr/crowd.h"
#include "ran/nr/drb_tx.h"
#include "ran/nr/gnb.h"
#include "ran/nr/lch.h"
#include "ran/nr/report.h"
#include "ran/nr/rrc.h"
#include "ran/nr/ue.h"

/* First slot that was not processed and starts at or after the last event. */
static uint32_t slot_from(const struct nr *nr)
{
	uint32_t slot = nr_slot_at(nr, nr->cell.event_ns);

	return slot > nr->slot_next ? slot : nr->slot_next;
}

static uint32_t earlier(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t discard_slot(const struct nr *nr, const struct nr_ue *u, uint32_t from)
{
	uint32_t next = NR_SLOT_NEVER;

	for (int d = 0; d < 2; d++)
		for (uint8_t k = 0; k < u->sch[d].n_drbs; k++) {
			int64_t t_ns = drb_discard_ns(&u->sch[d].drb[k]);

			if (t_ns != CELL_NEVER)
				next = earlier(next, nr_slot_at(nr, t_ns));
		}
	return next == NR_SLOT_NEVER || next > from ? next : from;
}

/* First slot from @from on in which something is to be done for @u, or never. */
static uint32_t ue_slot(const struct nr *nr, const struct nr_ue *u, uint32_t from)
{
	uint32_t next = nr_gnb_next_slot(nr, u, from);

	if (next == from)
		return from;
	next = earlier(next, nr_ue_next_slot(nr, u, from));
	return earlier(next, discard_slot(nr, u, from));
}

/* No slot has anything to do for @u until something happens to it. */
static bool is_idle(const struct nr_ue *u, uint32_t slot)
{
	return slot == NR_SLOT_NEVER && u->ra.state == NR_RA_IDLE &&
	       nr_lch_bytes(&u->sch[CELL_DIR_UL]) == 0 && nr_lch_bytes(&u->sch[CELL_DIR_DL]) == 0;
}

static void update(struct nr *nr, struct nr_ue *u, uint32_t from)
{
	uint8_t i = (uint8_t)(u - nr->ue);
	uint32_t slot;

	nr_report_notice(nr, u);
	slot = ue_slot(nr, u, from);
	for (uint32_t d = 0; d < 2; d++)
		heap_set(&nr->due_timer, 2u * i + d, drb_next_ns(nr_lch_first_timer(&u->sch[d])));
	heap_set(&nr->due_slot, i, slot == NR_SLOT_NEVER ? CELL_NEVER : slot);
	if (nr->cell.cfg.n_enb > 1)
		heap_set(&nr->due_rrc, u->id - 1u, nr_rrc_next_ns(nr, &nr->ue[u->id - 1]));
	if (is_idle(u, slot))
		ue_set_remove(&nr->active, i);
}

static void sooner(struct nr_event *e, enum nr_event_kind kind, int64_t t_ns)
{
	if (t_ns < e->t_ns) {
		e->kind = kind;
		e->t_ns = t_ns;
	}
}

static uint32_t next_slot(const struct nr *nr, uint32_t from)
{
	int64_t due = heap_first(&nr->due_slot).t_ns;

	if (due == CELL_NEVER)
		return NR_SLOT_NEVER;
	return (uint32_t)due > from ? (uint32_t)due : from;
}

void nr_event_update(struct nr *nr)
{
	struct nr_event e = { .kind = NR_EVENT_NONE, .t_ns = CELL_NEVER };
	uint32_t from = slot_from(nr);

	for (uint8_t i = ue_set_next(&nr->touched, 0); i != UINT8_MAX;
	     i = ue_set_next(&nr->touched, i + 1u))
		update(nr, &nr->ue[i], from);
	nr->touched = (struct ue_set){ 0 };
	e.slot = earlier(next_slot(nr, from), nr_crowd_next_slot(nr, from));
	sooner(&e, NR_EVENT_RRC, heap_first(&nr->due_rrc).t_ns);
	for (int d = 0; d < 2; d++)
		if (nr->air[d].head)
			sooner(&e, NR_EVENT_DECODE, nr->air[d].head->decode_ns);
	sooner(&e, NR_EVENT_TIMER, heap_first(&nr->due_timer).t_ns);
	if (e.slot != NR_SLOT_NEVER)
		sooner(&e, NR_EVENT_SLOT, nr_slot_start(nr, e.slot));
	nr->next = e;
}

struct nr_tb *nr_event_decoded(struct nr *nr)
{
	const struct nr_tb *ul = nr->air[CELL_DIR_UL].head, *dl = nr->air[CELL_DIR_DL].head;
	bool down = !ul || (dl && dl->decode_ns < ul->decode_ns);

	return nr_tb_dequeue(&nr->air[down ? CELL_DIR_DL : CELL_DIR_UL]);
}

struct drb *nr_event_timer(const struct nr *nr)
{
	uint32_t number = heap_first(&nr->due_timer).id;

	return nr_lch_first_timer(&nr->ue[number / 2].sch[number % 2]);
}

struct nr_ue *nr_event_rrc(const struct nr *nr)
{
	return &nr->ue[heap_first(&nr->due_rrc).id];
}

int64_t nr_event_transit_ns(const struct nr *nr)
{
	const struct nr_frame *f = &nr->frame;

	return f->slot_ns + (f->dl_decode_ns < f->ul_decode_ns ? f->dl_decode_ns : f->ul_decode_ns);
}

/*
 * A crowd lets nothing out. But as much of it as this is processed together, so that what comes
 * after a silence need not wait until all slots of that are.
 */
#define CROWD_TOGETHER_MS 20

int64_t nr_event_next_output(const struct nr *nr)
{
	uint32_t slot = next_slot(nr, slot_from(nr));
	uint32_t crowd_slot = nr_crowd_next_slot(nr, slot_from(nr));
	int64_t bound = heap_first(&nr->due_timer).t_ns, rrc_ns = heap_first(&nr->due_rrc).t_ns;

	bound = rrc_ns < bound ? rrc_ns : bound;
	if (slot != NR_SLOT_NEVER) {
		int64_t t_ns = nr_slot_start(nr, slot) + nr_event_transit_ns(nr);

		bound = t_ns < bound ? t_ns : bound;
	}
	if (crowd_slot != NR_SLOT_NEVER) {
		int64_t t_ns = nr_slot_start(nr, crowd_slot) + CROWD_TOGETHER_MS * CELL_TTI_NS;

		bound = t_ns < bound ? t_ns : bound;
	}
	for (int d = 0; d < 2; d++)
		if (nr->air[d].head && nr->air[d].head->decode_ns < bound)
			bound = nr->air[d].head->decode_ns;
	return bound;
}
