/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.c - which event is next, and when a packet can leave next; see event.h and cellcore.h. */
#include "event.h"

#include "ran/dch/utran.h"
#include "ran/recorded/opportunity.h"

/* First unprocessed sub-frame that begins at or after the last event. */
static uint32_t tti_from(const struct cell *c)
{
	int64_t since = c->event_ns - c->start_ns + CELL_TTI_NS - 1;
	uint32_t tti = since > 0 ? (uint32_t)(since / CELL_TTI_NS) : 0;

	return tti > c->tti_next ? tti : c->tti_next;
}

static uint32_t next_tti(const struct cell *c)
{
	uint32_t from = tti_from(c), next = enb_next_tti(c, from);

	for (uint8_t i = 0; i < c->cfg.n_ue && next > from; i++) {
		uint32_t tti = ue_next_tti(c, &c->ue[i], from);

		if (tti < next)
			next = tti;
		for (int d = 0; d < CELL_DIR_COUNT; d++) {
			tti = bearer_discard_tti(c, &c->ue[i].leg[d], from);
			if (tti < next)
				next = tti;
		}
	}
	return next;
}

static void earlier(struct event *e, const struct event *candidate)
{
	if (candidate->t_ns < e->t_ns)
		*e = *candidate;
}

/* The timer of @leg that expires first. Runs for all legs before every event. */
static enum leg_timer first_timer(const struct cell *c, const struct leg *leg, int64_t *ret_t_ns)
{
	enum leg_timer first = LEG_T_REORDERING;

	*ret_t_ns = bearer_expiry_ns(c, leg, first);
	for (enum leg_timer t = first + 1; t < LEG_TIMER_COUNT; t++)
		if (bearer_expiry_ns(c, leg, t) < *ret_t_ns) {
			*ret_t_ns = bearer_expiry_ns(c, leg, t);
			first = t;
		}
	return first;
}

/* The timer that expires first; at CELL_NEVER when none runs. */
static struct event next_timer(const struct cell *c)
{
	struct event first = { .kind = EVENT_TIMER, .t_ns = CELL_NEVER };

	for (uint8_t i = 0; i < c->cfg.n_ue; i++)
		for (int d = 0; d < CELL_DIR_COUNT; d++) {
			int64_t t_ns;
			enum leg_timer timer = first_timer(c, &c->ue[i].leg[d], &t_ns);

			if (t_ns < first.t_ns) {
				first.t_ns = t_ns;
				first.leg = &c->ue[i].leg[d];
				first.timer = timer;
			}
		}
	return first;
}

/* What a handover does next; at CELL_NEVER when there is none. */
static struct event next_rrc(const struct cell *c)
{
	struct event first = { .kind = EVENT_RRC, .t_ns = CELL_NEVER };

	for (uint8_t i = 0; i < c->cfg.n_ue && c->cfg.n_enb > 1; i++) {
		int64_t t_ns = rrc_next_ns(c, &c->ue[i]);

		if (t_ns < first.t_ns) {
			first.t_ns = t_ns;
			first.ue = &c->ue[i];
		}
	}
	return first;
}

struct event event_next(const struct cell *c)
{
	struct event e = { .kind = EVENT_NONE, .t_ns = CELL_NEVER }, timer, rrc;
	uint32_t tti;

	if (c->arrivals.head)
		earlier(&e, &(struct event){ .kind = EVENT_ARRIVAL,
		                             .t_ns = c->arrivals.head->arrival_ns });
	if (c->n_cmds > 0)
		earlier(&e, &(struct event){ .kind = EVENT_COMMAND,
		                             .t_ns = c->cmd[c->cmd_first].t_ns });
	if (c->utran) {
		earlier(&e, &(struct event){ .kind = EVENT_UTRAN, .t_ns = utran_next(c) });
		return e;
	}
	if (c->link) {
		earlier(&e, &(struct event){ .kind = EVENT_LINK, .t_ns = opportunity_next(c) });
		return e;
	}
	rrc = next_rrc(c);
	earlier(&e, &rrc);
	for (int i = 0; i < 2; i++)
		if (c->air[i].head)
			earlier(&e, &(struct event){ .kind = EVENT_DECODE,
			                             .t_ns = c->air[i].head->decode_ns,
			                             .air = (struct pdu_queue *)&c->air[i] });
	timer = next_timer(c);
	earlier(&e, &timer);
	tti = next_tti(c);
	if (tti != TTI_NEVER)
		earlier(&e, &(struct event){
				    .kind = EVENT_TTI, .tti = tti, .t_ns = cell_tti_ns(c, tti) });
	return e;
}

int64_t cell_next(const struct cell *c)
{
	return event_next(c).t_ns;
}

/* When a packet that needs @pdu can leave: at once on the last leg; another
 * uplink PDU first has to lead to a downlink or, by its BSR, to a granted PDU. */
static int64_t output_after(const struct cell *c, const struct pdu *pdu)
{
	const struct cell_cfg *cfg = &c->cfg;
	uint8_t wait_tti = cfg->dl_sched_to_tx_tti < cfg->grant_to_tx_tti ? cfg->dl_sched_to_tx_tti
	                                                                  : cfg->grant_to_tx_tti;

	if (pdu->dir != CELL_DIR_UL || c->ue[pdu->ue - 1].peer == CELL_PEER_NETWORK)
		return pdu->decode_ns;
	return pdu->decode_ns + (wait_tti + cfg->decode_tti) * CELL_TTI_NS;
}

int64_t cell_next_output(const struct cell *c)
{
	struct event e = event_next(c);
	uint32_t tti;
	int64_t bound, rrc_ns;

	if (e.kind == EVENT_ARRIVAL || e.kind == EVENT_COMMAND)
		return e.t_ns; /* may change what comes next */
	if (c->utran)
		return utran_next_output(c);
	if (c->link)
		return opportunity_next_output(c);
	tti = next_tti(c);
	bound = next_timer(c).t_ns;
	rrc_ns = next_rrc(c).t_ns;
	bound = rrc_ns < bound ? rrc_ns : bound;
	if (tti != TTI_NEVER) {
		int64_t t_ns = cell_tti_ns(c, tti + c->cfg.decode_tti) - c->cfg.processing_lead_ns;

		bound = t_ns < bound ? t_ns : bound;
	}
	for (int i = 0; i < 2; i++)
		for (const struct pdu *p = c->air[i].head; p; p = p->next)
			if (output_after(c, p) < bound)
				bound = output_after(c, p);
	return bound;
}

int64_t cell_transit_min(const struct cell *c)
{
	if (c->utran || c->link || c->cfg.sgw_gtpu_addr)
		return 0;
	return c->cfg.decode_tti * CELL_TTI_NS - c->cfg.processing_lead_ns;
}
