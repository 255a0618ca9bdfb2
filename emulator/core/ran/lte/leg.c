/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leg.c - the bearers of one direction together, as MAC sees them: logical channels that
 * share its transport blocks; see leg.h.
 * Source: TS 36.321 4.4, 5.4.3.1
 */
#include "ran/lte/leg.h"

bool leg_fits(const struct leg *leg, uint32_t room)
{
	return bearer_fits(&leg->bearer[0], room);
}

/* RLC PDUs of @b for @mac, which has @used bytes of them. Return: bytes with those. */
static uint32_t fill(struct lte *lte, struct bearer *b, struct mac_pdu *mac, uint32_t tbs,
                     uint32_t used, struct pdu *pdu)
{
	uint32_t max = b->rlc.mode->pdus_max, size;

	if (b->stopped || b->outage_expiry_ns != CELL_NEVER)
		return used;
	for (; max > 0 && mac->n_sdus < MAC_SDUS_MAX; max--, used += size) {
		uint32_t n_ends = pdu->ends.n;

		size = b->rlc.mode->build(&b->rlc, mac_sdu_room(mac, tbs), lte->rlc_buf + used,
		                          &pdu->ends);
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
	uint32_t used = 0;

	leg_touch(lte, leg);
	for (uint8_t k = 0; k < leg->n_bearers; k++)
		used = fill(lte, &leg->bearer[k], mac, tbs, used, pdu);
}

struct bearer *leg_bearer_of(const struct leg *leg, uint8_t lcid)
{
	uint8_t k = 0;

	while (k + 1 < leg->n_bearers && leg->bearer[k].at.lcid != lcid)
		k++;
	return &leg->bearer[k];
}

struct bearer *leg_classify(const struct leg *leg, const struct pkt *p)
{
	(void)p;
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
