/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.c - which event of the network is next, and when a packet can leave next; see event.h. */
#include "ran/lte/event.h"

#include "ran/lte/bearer.h"
#include "ran/lte/enb.h"
#include "ran/lte/rrc.h"
#include "ran/lte/ue.h"

/* First unprocessed sub-frame that begins at or after the last event. */
static uint32_t tti_from(const struct lte *lte)
{
	int64_t since = lte->cell.event_ns - lte->cell.start_ns + CELL_TTI_NS - 1;
	uint32_t tti = since > 0 ? (uint32_t)(since / CELL_TTI_NS) : 0;

	return tti > lte->tti_next ? tti : lte->tti_next;
}

static uint32_t next_tti(const struct lte *lte)
{
	uint32_t from = tti_from(lte), next = enb_next_tti(lte, from);

	for (uint8_t i = 0; i < lte->cell.cfg.n_ue && next > from; i++) {
		uint32_t tti = ue_next_tti(lte, &lte->ue[i], from);

		if (tti < next)
			next = tti;
		for (int d = 0; d < CELL_DIR_COUNT; d++) {
			tti = bearer_discard_tti(lte, &lte->ue[i].leg[d], from);
			if (tti < next)
				next = tti;
		}
	}
	return next;
}

static void earlier(struct lte_event *e, const struct lte_event *candidate)
{
	if (candidate->t_ns < e->t_ns)
		*e = *candidate;
}

/* The timer of @leg that expires first. Runs for all legs before every event. */
static enum leg_timer first_timer(const struct lte *lte, const struct leg *leg, int64_t *ret_t_ns)
{
	enum leg_timer first = LEG_T_REORDERING;

	*ret_t_ns = bearer_expiry_ns(lte, leg, first);
	for (enum leg_timer t = first + 1; t < LEG_TIMER_COUNT; t++)
		if (bearer_expiry_ns(lte, leg, t) < *ret_t_ns) {
			*ret_t_ns = bearer_expiry_ns(lte, leg, t);
			first = t;
		}
	return first;
}

/* The timer that expires first; at CELL_NEVER when none runs. */
static struct lte_event next_timer(const struct lte *lte)
{
	struct lte_event first = { .kind = LTE_EVENT_TIMER, .t_ns = CELL_NEVER };

	for (uint8_t i = 0; i < lte->cell.cfg.n_ue; i++)
		for (int d = 0; d < CELL_DIR_COUNT; d++) {
			int64_t t_ns;
			enum leg_timer timer = first_timer(lte, &lte->ue[i].leg[d], &t_ns);

			if (t_ns < first.t_ns) {
				first.t_ns = t_ns;
				first.leg = &lte->ue[i].leg[d];
				first.timer = timer;
			}
		}
	return first;
}

/* What a handover does next; at CELL_NEVER when there is none. */
static struct lte_event next_rrc(const struct lte *lte)
{
	struct lte_event first = { .kind = LTE_EVENT_RRC, .t_ns = CELL_NEVER };

	for (uint8_t i = 0; i < lte->cell.cfg.n_ue && lte->cell.cfg.n_enb > 1; i++) {
		int64_t t_ns = rrc_next_ns(lte, &lte->ue[i]);

		if (t_ns < first.t_ns) {
			first.t_ns = t_ns;
			first.ue = &lte->ue[i];
		}
	}
	return first;
}

struct lte_event lte_event_next(const struct lte *lte)
{
	struct lte_event e = { .kind = LTE_EVENT_NONE, .t_ns = CELL_NEVER }, timer, rrc;
	uint32_t tti;

	rrc = next_rrc(lte);
	earlier(&e, &rrc);
	for (int i = 0; i < 2; i++)
		if (lte->air[i].head)
			earlier(&e, &(struct lte_event){ .kind = LTE_EVENT_DECODE,
			                                 .t_ns = lte->air[i].head->decode_ns,
			                                 .air = (struct pdu_queue *)&lte->air[i] });
	timer = next_timer(lte);
	earlier(&e, &timer);
	tti = next_tti(lte);
	if (tti != TTI_NEVER)
		earlier(&e, &(struct lte_event){ .kind = LTE_EVENT_TTI,
		                                 .tti = tti,
		                                 .t_ns = cell_tti_ns(&lte->cell, tti) });
	return e;
}

/* When a packet that needs @pdu can leave: at once on the last leg; another
 * uplink PDU first has to lead to a downlink or, by its BSR, to a granted PDU. */
static int64_t output_after(const struct lte *lte, const struct pdu *pdu)
{
	const struct cell_cfg *cfg = &lte->cell.cfg;
	uint8_t wait_tti = cfg->dl_sched_to_tx_tti < cfg->grant_to_tx_tti ? cfg->dl_sched_to_tx_tti
	                                                                  : cfg->grant_to_tx_tti;

	if (pdu->dir != CELL_DIR_UL || lte->ue[pdu->ue - 1].peer == CELL_PEER_NETWORK)
		return pdu->decode_ns;
	return pdu->decode_ns + (wait_tti + cfg->decode_tti) * CELL_TTI_NS;
}

int64_t lte_next_output(const struct lte *lte)
{
	uint32_t tti = next_tti(lte);
	int64_t bound = next_timer(lte).t_ns, rrc_ns = next_rrc(lte).t_ns;

	bound = rrc_ns < bound ? rrc_ns : bound;
	if (tti != TTI_NEVER) {
		int64_t t_ns = cell_tti_ns(&lte->cell, tti + lte->cell.cfg.decode_tti) -
		               lte->cell.cfg.processing_lead_ns;

		bound = t_ns < bound ? t_ns : bound;
	}
	for (int i = 0; i < 2; i++)
		for (const struct pdu *p = lte->air[i].head; p; p = p->next)
			if (output_after(lte, p) < bound)
				bound = output_after(lte, p);
	return bound;
}
