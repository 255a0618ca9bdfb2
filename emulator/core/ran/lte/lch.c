/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lch.c - logical channels: the bearers of one direction as MAC sees them, which
 * share its transport blocks; see lch.h.
 *
 * How blocks are shared is in mac/common/lcp.h.
 */
#include "ran/lte/lch.h"

#include "ran/channel/channel.h"

/* MAC's subheader and RLC's fixed part, of which the first SDU pays a length indicator, as the
 * others do, and does without. */
#define HEADERS          3
#define LENGTH_INDICATOR 2

_Static_assert(TB_SDUS_MAX >= MAC_SDUS_MAX, "a block has room for the SDUs of a MAC PDU");

bool lte_lch_fits(const struct lte_sch *sch, uint32_t room)
{
	uint32_t need = 0;

	if (sch->n_bearers == 1)
		return bearer_fits(&sch->bearer[0], room);
	for (uint8_t k = 0; k < sch->n_bearers; k++) {
		uint32_t bytes = bearer_bytes(&sch->bearer[k]);

		need += bytes ? bytes + grant_overhead(bytes) : 0;
	}
	return need <= room;
}

void lte_lch_set_order(struct lte_sch *sch)
{
	uint16_t priority[CELL_MAX_BEARERS];

	for (uint8_t k = 0; k < sch->n_bearers; k++)
		priority[k] = lcp_priority(&sch->bearer[k].cfg, sch->bearer[k].qos.level);
	lcp_order(sch->n_bearers, priority, sch->order);
}

/* Bytes of a block that are kept for each bearer, by priority. Return: of all. */
static uint32_t keep_for_each(const struct lte *lte, struct lte_sch *sch, uint32_t room,
                              uint32_t kept[CELL_MAX_BEARERS])
{
	uint32_t all = 0;

	for (uint8_t i = 0; i < sch->n_bearers; i++) {
		struct bearer *b = &sch->bearer[sch->order[i]];
		struct lcp_waiting w = { .queue = b->rlc.queue,
			                 .bytes = bearer_bytes(b),
			                 .headers = HEADERS,
			                 .sdu_header = LENGTH_INDICATOR };

		kept[i] = lcp_keep(&b->bucket, &b->cfg, lte->tti_next, 0, w, room - all);
		all += kept[i];
	}
	return all;
}

/* The fixed part of RLC's header. Source: TS 36.322 6.2.1.3, 6.2.1.4 */
static uint32_t fixed_part(const struct cell_rlc_cfg *rlc)
{
	if (rlc->mode == CELL_RLC_TM)
		return 0;
	return rlc->mode == CELL_RLC_UM && rlc->um.sn_bits == 5 ? 1 : 2;
}

/* Of @room bytes what RLC of @b may fill, which joins SDUs: no more than its maximum bit rate
 * allows.
 */
static uint32_t allowed(const struct bearer *b, uint32_t room)
{
	uint32_t bytes, need;

	if (!b->qos.most.rate_bps)
		return room;
	bytes = bearer_bytes(b);
	need = bytes ? bytes + fixed_part(&b->cfg.rlc) : 0;
	return need < room ? need : room;
}

/* RLC PDUs of @b for @mac, which has @used bytes of them, but for @others bytes. Return: bytes
 * with those. */
static uint32_t fill(struct lte *lte, struct bearer *b, struct mac_pdu *mac, uint32_t tbs,
                     uint32_t used, uint32_t others, struct tb *tb)
{
	uint32_t max = b->rlc.mode->pdus_max, size;

	if (b->stopped || b->outage_expiry_ns != CELL_NEVER)
		return used;
	for (; max > 0 && mac->n_sdus < MAC_SDUS_MAX; max--, used += size) {
		uint32_t room = mac_sdu_room(mac, tbs, b->at.lcid), n_ends = tb->ends.n;
		uint32_t waited = b->rlc.queue->bytes;

		size = room > others ? b->rlc.mode->build(&b->rlc, allowed(b, room - others),
		                                          lte->rlc_buf + used, &tb->ends)
		                     : 0;
		if (size == 0)
			break;
		qos_sent(&b->qos, waited - b->rlc.queue->bytes, lte->cell.event_ns);
		tb->sdu[mac->n_sdus] = (struct tb_sdu){
			.epoch = b->epoch,
			.n_ends = tb->ends.n - n_ends,
		};
		mac->sdu[mac->n_sdus++] = (struct mac_sdu){
			.lcid = b->at.lcid,
			.len = size,
		};
	}
	return used;
}

void lte_lch_fill(struct lte *lte, struct lte_sch *sch, struct mac_pdu *mac, uint32_t tbs,
                  struct tb *tb)
{
	uint32_t kept[CELL_MAX_BEARERS], others, used = 0;

	lte_sch_touch(lte, sch);
	if (sch->n_bearers == 1) {
		(void)fill(lte, &sch->bearer[0], mac, tbs, 0, 0, tb);
		return;
	}
	others = keep_for_each(lte, sch, mac_sdu_room(mac, tbs, sch->at.lcid), kept);
	for (uint8_t i = 0; i < sch->n_bearers; i++) {
		struct bearer *b = &sch->bearer[sch->order[i]];
		uint32_t before = used;

		others -= kept[i];
		used = fill(lte, b, mac, tbs, used, others, tb);
		lcp_spend(&b->bucket, used - before < kept[i] ? used - before : kept[i]);
	}
}

struct bearer *lte_lch_bearer_of(const struct lte_sch *sch, uint8_t lcid)
{
	uint8_t k = 0;

	while (k + 1 < sch->n_bearers && sch->bearer[k].at.lcid != lcid)
		k++;
	return &sch->bearer[k];
}

struct bearer *lte_lch_filter(const struct lte_sch *sch, struct pkt *p)
{
	for (uint8_t k = 1; k < sch->n_bearers; k++)
		if (channel_takes(&sch->bearer[k].cfg, p, sch->at.dir != CELL_DIR_DL))
			return &sch->bearer[k];
	return &sch->bearer[0];
}

void lte_lch_send(struct lte *lte, struct lte_sch *sch, struct pkt *p)
{
	bearer_send(lte, lte_lch_classify(sch, p), p);
}

void lte_lch_record_buffers(struct lte *lte, const struct lte_sch *sch)
{
	for (uint8_t k = 0; k < sch->n_bearers; k++)
		bearer_record_buffer(lte, &sch->bearer[k]);
}

void lte_lch_take_blocks(struct lte *lte, const struct lte_sch *sch, struct pkt_queue *ret)
{
	struct ue *u = &lte->ue[sch->ue - 1];

	for (int i = 0; i < 2; i++)
		for (struct tb *p = lte->air[i].head; p; p = p->next)
			if (p->ue == sch->ue && p->dir == sch->at.dir)
				pkt_queue_move(ret, &p->ends);
	for (uint32_t i = 0; i < HARQ_PROCESSES; i++) {
		for (uint32_t k = 0; sch->at.dir != CELL_DIR_DL && k < CELL_MAX_CARRIERS; k++)
			if (u->harq_ul[k][i].tb && u->harq_ul[k][i].tb->dir == sch->at.dir)
				pkt_queue_move(ret, &u->harq_ul[k][i].tb->ends);
		for (uint32_t stream = 0; sch->at.dir == CELL_DIR_DL && stream < HARQ_DL_TB_MAX;
		     stream++)
			if (u->harq_dl[stream][i].tb)
				pkt_queue_move(ret, &u->harq_dl[stream][i].tb->ends);
	}
}

void lte_lch_empty(struct lte *lte, struct lte_sch *sch, bool air, struct pkt_queue *ret)
{
	if (air)
		lte_lch_take_blocks(lte, sch, ret);
	for (uint8_t k = 0; k < sch->n_bearers; k++)
		bearer_empty(lte, &sch->bearer[k], air, ret);
}
