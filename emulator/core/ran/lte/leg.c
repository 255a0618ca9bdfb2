/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leg.c - the bearers of one direction together, as MAC sees them: logical channels that
 * share its transport blocks; see leg.h.
 *
 * How blocks are shared is in mac/lcp.h.
 */
#include "ran/lte/leg.h"

#include "ran/channel/channel.h"

bool leg_fits(const struct leg *leg, uint32_t room)
{
	uint32_t need = 0;

	if (leg->n_bearers == 1)
		return bearer_fits(&leg->bearer[0], room);
	for (uint8_t k = 0; k < leg->n_bearers; k++) {
		uint32_t bytes = bearer_bytes(&leg->bearer[k]);

		need += bytes ? bytes + grant_overhead(bytes) : 0;
	}
	return need <= room;
}

void leg_set_order(struct leg *leg)
{
	uint8_t priority[CELL_MAX_BEARERS];

	for (uint8_t k = 0; k < leg->n_bearers; k++)
		priority[k] = leg->bearer[k].cfg.priority;
	lcp_order(leg->n_bearers, priority, leg->order);
}

/* Bytes of a block that are kept for each bearer, by priority. Return: of all. */
static uint32_t keep_for_each(const struct lte *lte, struct leg *leg, uint32_t room,
                              uint32_t kept[CELL_MAX_BEARERS])
{
	uint32_t all = 0;

	for (uint8_t i = 0; i < leg->n_bearers; i++) {
		struct bearer *b = &leg->bearer[leg->order[i]];
		uint32_t need = bearer_bytes(b);

		need += need ? grant_overhead(need) : 0;
		kept[i] = lcp_keep(&b->bucket, &b->cfg, lte->tti_next, 0, need, room - all);
		all += kept[i];
	}
	return all;
}

/* RLC PDUs of @b for @mac, which has @used bytes of them, but for @others bytes. Return: bytes
 * with those. */
static uint32_t fill(struct lte *lte, struct bearer *b, struct mac_pdu *mac, uint32_t tbs,
                     uint32_t used, uint32_t others, struct pdu *pdu)
{
	uint32_t max = b->rlc.mode->pdus_max, size;

	if (b->stopped || b->outage_expiry_ns != CELL_NEVER)
		return used;
	for (; max > 0 && mac->n_sdus < MAC_SDUS_MAX; max--, used += size) {
		uint32_t room = mac_sdu_room(mac, tbs, b->at.lcid), n_ends = pdu->ends.n;

		size = room > others ? b->rlc.mode->build(&b->rlc, room - others,
		                                          lte->rlc_buf + used, &pdu->ends)
		                     : 0;
		if (size == 0)
			break;
		pdu->sdu[mac->n_sdus] = (struct pdu_sdu){
			.epoch = b->epoch,
			.n_ends = pdu->ends.n - n_ends,
		};
		mac->sdu[mac->n_sdus++] = (struct mac_sdu){
			.lcid = b->at.lcid,
			.len = size,
		};
	}
	return used;
}

void leg_fill(struct lte *lte, struct leg *leg, struct mac_pdu *mac, uint32_t tbs, struct pdu *pdu)
{
	uint32_t kept[CELL_MAX_BEARERS], others, used = 0;

	leg_touch(lte, leg);
	if (leg->n_bearers == 1) {
		(void)fill(lte, &leg->bearer[0], mac, tbs, 0, 0, pdu);
		return;
	}
	others = keep_for_each(lte, leg, mac_sdu_room(mac, tbs, leg->at.lcid), kept);
	for (uint8_t i = 0; i < leg->n_bearers; i++) {
		struct bearer *b = &leg->bearer[leg->order[i]];
		uint32_t before = used;

		others -= kept[i];
		used = fill(lte, b, mac, tbs, used, others, pdu);
		lcp_spend(&b->bucket, used - before);
	}
}

struct bearer *leg_bearer_of(const struct leg *leg, uint8_t lcid)
{
	uint8_t k = 0;

	while (k + 1 < leg->n_bearers && leg->bearer[k].at.lcid != lcid)
		k++;
	return &leg->bearer[k];
}

struct bearer *leg_filter(const struct leg *leg, struct pkt *p)
{
	for (uint8_t k = 1; k < leg->n_bearers; k++)
		if (channel_takes(&leg->bearer[k].cfg, p, leg->at.dir != CELL_DIR_DL))
			return &leg->bearer[k];
	return &leg->bearer[0];
}

void leg_send(struct lte *lte, struct leg *leg, struct pkt *p)
{
	bearer_send(lte, leg_classify(leg, p), p);
}

void leg_record_buffers(struct lte *lte, const struct leg *leg)
{
	for (uint8_t k = 0; k < leg->n_bearers; k++)
		bearer_record_buffer(lte, &leg->bearer[k]);
}

void leg_take_blocks(struct lte *lte, const struct leg *leg, struct pkt_queue *ret)
{
	struct ue *u = &lte->ue[leg->ue - 1];

	for (int i = 0; i < 2; i++)
		for (struct pdu *p = lte->air[i].head; p; p = p->next)
			if (p->ue == leg->ue && p->dir == leg->at.dir)
				pkt_queue_move(ret, &p->ends);
	for (uint32_t i = 0; i < HARQ_PROCESSES; i++) {
		if (leg->at.dir != CELL_DIR_DL && u->harq_ul[i].pdu &&
		    u->harq_ul[i].pdu->dir == leg->at.dir)
			pkt_queue_move(ret, &u->harq_ul[i].pdu->ends);
		for (uint32_t tb = 0; leg->at.dir == CELL_DIR_DL && tb < HARQ_DL_TB_MAX; tb++)
			if (u->harq_dl[tb][i].pdu)
				pkt_queue_move(ret, &u->harq_dl[tb][i].pdu->ends);
	}
}

void leg_empty(struct lte *lte, struct leg *leg, bool air, struct pkt_queue *ret)
{
	if (air)
		leg_take_blocks(lte, leg, ret);
	for (uint8_t k = 0; k < leg->n_bearers; k++)
		bearer_empty(lte, &leg->bearer[k], air, ret);
}
