/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery.c - a UE whose radio link has failed; see recovery.h. */
#include "ran/handover/recovery.h"

#include "base/digest.h"
#include "epc/gateway.h"
#include "epc/tunnel.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_US INT64_C(1000)

static const struct cell_link_cfg *cfg_of(const struct cell *c)
{
	return &c->cfg.handover.link_failure;
}

void recovery_lose(struct cell *c, struct recovery *r, struct timeline *t, uint8_t ue,
                   enum link_cause cause, uint8_t home, uint8_t tried)
{
	static const enum rrc_step_kind kinds[] = { RRC_STEP_REPORT,  RRC_STEP_REQUEST,
		                                    RRC_STEP_ACK,     RRC_STEP_LEAVE,
		                                    RRC_STEP_ACCESS,  RRC_STEP_SYNCHRONISED,
		                                    RRC_STEP_CONFIRM, RRC_STEP_T304 };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		timeline_remove(t, kinds[i]);
	link_leave(&r->radio);
	r->home = home;
	r->tried = tried;
	r->idle = false;
	c->stats.radio_link_failures += cause != LINK_RLC; /* which RLC has counted */
	out_record(c, NULL,
	           (struct cell_record){ .event = CELL_EV_RRC,
	                                 .node = ue,
	                                 .enb = home,
	                                 .peer = ue,
	                                 .sn = home,
	                                 .aux = (uint8_t)cause,
	                                 .value = CELL_RRC_RADIO_LINK_FAILURE });
	timeline_add(t, c, RRC_STEP_T311, home, cfg_of(c)->t311_ms * NS_PER_MS);
	timeline_add(t, c, RRC_STEP_SELECT, home, cfg_of(c)->selection_ms * NS_PER_MS);
}

uint8_t recovery_select(const struct cell *c, const struct link_quality q[CELL_MAX_ENB])
{
	uint8_t best = 0;

	for (uint8_t k = 1; k < c->cfg.n_enb; k++)
		if (link_better(q[k], q[best]))
			best = k;
	return link_suits(c, q[best]) ? best : RECOVERY_NO_CELL;
}

/* It was here, or was prepared to be. */
static bool is_known(const struct recovery *r, uint8_t enb)
{
	return enb == r->home || enb == r->tried || r->admitted & recovery_bit(enb);
}

static bool has_context(const struct cell *c, const struct recovery *r, uint8_t enb)
{
	if (r->idle || cfg_of(c)->context == CELL_CONTEXT_NONE)
		return false;
	return cfg_of(c)->context == CELL_CONTEXT_FETCH || is_known(r, enb);
}

int64_t recovery_answer(const struct cell *c, struct recovery *r, uint8_t at)
{
	int64_t after_ns = cfg_of(c)->reestablish_ms * NS_PER_MS;

	if (!has_context(c, r, at)) {
		r->idle = true;
		return cfg_of(c)->setup_ms * NS_PER_MS;
	}
	if (!is_known(r, at)) /* it fetches the context. Source: TS 38.300 9.2.3.3 */
		after_ns += 2 * c->cfg.handover.signalling_us * NS_PER_US;
	return after_ns;
}

void recovery_cancel(struct epc *epc, const struct recovery *r, struct timeline *t, uint8_t ue,
                     uint8_t at, bool forwarded)
{
	if (r->tried == RECOVERY_NO_CELL || r->tried == at)
		return;
	timeline_record(epc->cell, ue, CELL_NODE_ENB, r->home, r->tried, CELL_RRC_HANDOVER_CANCEL);
	if (forwarded)
		timeline_add(t, epc->cell, RRC_STEP_CANCEL, r->tried,
		             epc->cell->cfg.handover.signalling_us * NS_PER_US);
	else
		tunnel_forget(epc, ue, r->tried);
}

void recovery_return(struct epc *epc, uint8_t ue, uint8_t from)
{
	uint8_t at = epc->cell->serving[ue - 1];

	if (at == from) /* the UE has come back there meanwhile */
		return;
	(void)tunnel_forward(epc, ue, from, at, &(struct pkt_queue){ 0 });
	tunnel_end_marker(epc, ue, from);
}

void recovery_set_up(struct epc *epc, struct recovery *r, struct timeline *t, uint8_t ue,
                     uint8_t at)
{
	timeline_remove(t, RRC_STEP_S1_MARKER);
	timeline_remove(t, RRC_STEP_X2_MARKER);
	timeline_remove(t, RRC_STEP_CANCEL);
	for (uint8_t k = 0; k < epc->cell->cfg.n_enb; k++)
		if (k != at)
			tunnel_forget(epc, ue, k);
	tunnel_set_up(epc, ue, at);
	r->admitted = 0;
	if (epc->path[ue - 1] == at)
		return;
	timeline_record(epc->cell, ue, CELL_NODE_SGW, 0, at, CELL_RRC_PATH_SWITCHED);
	gateway_switch_path(epc, ue, at);
}

void recovery_digest(const struct recovery *r, uint64_t *h)
{
	link_digest(&r->radio, h);
	digest_mix(h, (uint64_t)(r->admitted << 24 | r->home << 16 | r->tried << 8 | r->idle));
}
