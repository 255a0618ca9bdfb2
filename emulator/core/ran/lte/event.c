/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.c - which event of the network is next, and when a packet can leave next; see event.h.
 *
 * Looking at everything before each event would cost as much with a hundred UEs as those
 * hundred do. So every UE is a number in heaps: of its first timer (each direction), of the first
 * sub-frame in which something is to be done for it, of the next step of its handover.
 * They change only by what happens to the UE; whatever does something to it says so
 * (ue_touch()), and after the event its numbers are worked out again.
 *
 * A sub-frame in which something can be done is one with a grant, a retransmission or an
 * answer to a preamble, or the next one for data that wait, or a random access occasion. None
 * of these passes before its sub-frame was processed, and that touches the UE; so what was
 * worked out stays true until then.
 */
#include "ran/lte/event.h"

#include "ran/lte/crowd.h"
#include "ran/lte/enb.h"
#include "ran/lte/lch.h"
#include "ran/lte/rrc.h"
#include "ran/lte/ue.h"

/* First unprocessed sub-frame that starts at or after the last event. */
static uint32_t tti_from(const struct lte *lte)
{
	int64_t since = lte->cell.event_ns - lte->cell.start_ns + CELL_TTI_NS - 1;
	uint32_t tti = since > 0 ? (uint32_t)(since / CELL_TTI_NS) : 0;

	return tti > lte->tti_next ? tti : lte->tti_next;
}

/* First sub-frame from @from on in which something is to be done for @u, or TTI_NEVER. */
static uint32_t ue_tti(const struct lte *lte, const struct ue *u, uint32_t from)
{
	uint32_t next = enb_next_tti(lte, u, from), tti;

	if (next == from)
		return from;
	tti = ue_next_tti(lte, u, from);
	next = tti < next ? tti : next;
	for (int d = 0; d < CELL_DIR_COUNT; d++)
		for (uint8_t k = 0; k < u->sch[d].n_bearers; k++) {
			const struct bearer *b = &u->sch[d].bearer[k];

			if (b->cfg.pdcp.discard_timer_ms == 0)
				continue;
			tti = bearer_discard_tti(lte, b, from);
			next = tti < next ? tti : next;
		}
	return next;
}

/* Nothing of @u is on the air or granted, and its eNB knows of nothing that waits. */
static bool is_quiet(const struct lte *lte, const struct ue *u)
{
	uint32_t n_dl = lte_tbs_dl(&lte->cell.cfg) * HARQ_PROCESSES;

	for (int d = 0; d < CELL_DIR_COUNT; d++)
		if (u->enb_backlog[d])
			return false;
	return u->ra.state == RA_IDLE && grant_next_tti(&u->ul) == TTI_NEVER &&
	       grant_next_tti(&u->dl) == TTI_NEVER &&
	       harq_next_tti(u->harq_ul[0], lte_processes_ul(&lte->cell.cfg)) == TTI_NEVER &&
	       harq_next_tti(u->harq_dl[0], n_dl) == TTI_NEVER;
}

static bool has_data(const struct lte *lte, const struct lte_sch *sch)
{
	return lte_lch_packets(sch) || lte_lch_bytes(lte, sch);
}

/* No sub-frame before @tti, from @from on, has anything to do for @u until something happens to it:
 * it has no data; or data that wait for an occasion to ask, or until the eNB has heard that. */
static bool is_idle(const struct lte *lte, const struct ue *u, uint32_t from, uint32_t tti)
{
	bool asks = lte->cell.cfg.lte.sr.period_ms > 0 && tti > from && tti != TTI_NEVER;

	if (!is_quiet(lte, u) || has_data(lte, &u->sch[CELL_DIR_DL]))
		return false;
	return asks || (u->request.heard_tti == TTI_NEVER && !has_data(lte, &u->sch[CELL_DIR_UL]) &&
	                !has_data(lte, &u->sch[CELL_DIR_SL]));
}

static void update(struct lte *lte, struct ue *u, uint32_t from)
{
	uint8_t i = (uint8_t)(u->id - 1);
	uint32_t tti = ue_tti(lte, u, from);

	for (int d = 0; d < CELL_DIR_COUNT; d++)
		heap_set(&lte->due_timer, lte_sch_number(&u->sch[d]),
		         bearer_next_ns(lte_lch_first_timer(&u->sch[d])));
	heap_set(&lte->due_tti, i, tti == TTI_NEVER ? CELL_NEVER : tti);
	if (lte->cell.cfg.n_enb > 1)
		heap_set(&lte->due_rrc, i, rrc_next_ns(lte, u));
	if (is_idle(lte, u, from, tti))
		ue_set_remove(&lte->active, i);
}

/* The first sub-frame from @from on with something to do, or TTI_NEVER. */
static uint32_t next_tti(const struct lte *lte, uint32_t from)
{
	uint32_t period = lte->cell.cfg.lte.mode_switch.select_ms, tti = TTI_NEVER;
	int64_t due = heap_first(&lte->due_tti).t_ns;

	if (due != CELL_NEVER)
		tti = (uint32_t)due;
	if (period && (from + period - 1) / period * period < tti)
		tti = (from + period - 1) / period * period;
	return tti > from ? tti : from;
}

static void earlier(struct lte_event *e, enum lte_event_kind kind, int64_t t_ns)
{
	if (t_ns < e->t_ns) {
		e->kind = kind;
		e->t_ns = t_ns;
	}
}

static struct lte_event next(const struct lte *lte, uint32_t from)
{
	struct lte_event e = { .kind = LTE_EVENT_NONE, .t_ns = CELL_NEVER };

	e.tti = next_tti(lte, from);
	if (lte->cell.cfg.crowd.count) {
		uint32_t crowd_tti = lte_crowd_next_tti(lte, from);

		e.tti = crowd_tti < e.tti ? crowd_tti : e.tti;
	}
	earlier(&e, LTE_EVENT_RRC, heap_first(&lte->due_rrc).t_ns);
	for (int i = 0; i < 2; i++)
		if (lte->air[i].head)
			earlier(&e, LTE_EVENT_DECODE, lte->air[i].head->decode_ns);
	earlier(&e, LTE_EVENT_TIMER, heap_first(&lte->due_timer).t_ns);
	if (e.tti != TTI_NEVER)
		earlier(&e, LTE_EVENT_TTI, cell_tti_ns(&lte->cell, e.tti));
	return e;
}

void lte_event_wake(struct lte *lte, uint32_t tti)
{
	for (struct heap_entry first = heap_first(&lte->due_tti); first.t_ns <= tti;
	     first = heap_first(&lte->due_tti)) {
		heap_set(&lte->due_tti, first.id, CELL_NEVER); /* until it is worked out again */
		ue_touch(lte, (uint8_t)(first.id + 1));
	}
}

void lte_event_update(struct lte *lte)
{
	uint32_t from = tti_from(lte);

	for (uint8_t i = ue_set_next(&lte->touched, 0); i != UINT8_MAX;
	     i = ue_set_next(&lte->touched, i + 1u))
		update(lte, &lte->ue[i], from);
	lte->touched = (struct ue_set){ 0 };
	lte->next = next(lte, from);
}

struct tb *lte_next_decoded(struct lte *lte)
{
	bool dl = !lte->air[0].head ||
	          (lte->air[1].head && lte->air[1].head->decode_ns < lte->air[0].head->decode_ns);

	return tb_dequeue(&lte->air[dl]);
}

struct bearer *lte_next_timer(const struct lte *lte)
{
	uint32_t number = heap_first(&lte->due_timer).id;

	return lte_lch_first_timer(&lte->ue[number / CELL_DIR_COUNT].sch[number % CELL_DIR_COUNT]);
}

struct ue *lte_next_rrc(const struct lte *lte)
{
	return &lte->ue[heap_first(&lte->due_rrc).id];
}

/* When a packet that needs @tb can leave: at once on the last hop; another
 * uplink PDU first has to lead to a downlink or, by its BSR, to a granted PDU. */
static int64_t output_after(const struct lte *lte, const struct tb *tb)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	uint8_t wait_tti = cfg->lte.timing.dl_sched_to_tx_tti < cfg->lte.timing.grant_to_tx_tti
	                           ? cfg->lte.timing.dl_sched_to_tx_tti
	                           : cfg->lte.timing.grant_to_tx_tti;

	if (tb->dir != CELL_DIR_UL || lte->ue[tb->ue - 1].peer == CELL_PEER_NETWORK)
		return tb->decode_ns;
	return tb->decode_ns + (wait_tti + cfg->lte.timing.decode_tti) * CELL_TTI_NS;
}

/*
 * A crowd lets nothing out. But as much of it as this is processed together, so that what comes
 * after a silence need not wait until all sub-frames of that are.
 */
#define CROWD_TOGETHER_TTI 20

int64_t lte_next_output(const struct lte *lte)
{
	uint32_t from = tti_from(lte), crowd_tti = lte_crowd_next_tti(lte, from);
	uint32_t tti = next_tti(lte, from);
	int64_t bound = heap_first(&lte->due_timer).t_ns;
	int64_t rrc_ns = heap_first(&lte->due_rrc).t_ns;

	bound = rrc_ns < bound ? rrc_ns : bound;
	if (tti != TTI_NEVER) {
		int64_t t_ns = cell_tti_ns(&lte->cell, tti + lte->cell.cfg.lte.timing.decode_tti) -
		               lte->cell.cfg.lte.timing.processing_lead_ns;

		bound = t_ns < bound ? t_ns : bound;
	}
	if (crowd_tti < TTI_NEVER - CROWD_TOGETHER_TTI) {
		int64_t t_ns = cell_tti_ns(&lte->cell, crowd_tti + CROWD_TOGETHER_TTI);

		bound = t_ns < bound ? t_ns : bound;
	}
	for (int i = 0; i < 2; i++)
		for (const struct tb *p = lte->air[i].head; p; p = p->next)
			if (output_after(lte, p) < bound)
				bound = output_after(lte, p);
	return bound;
}
