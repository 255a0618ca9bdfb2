/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lch.c - the bearers of one direction as MAC sees them: logical channels that share its blocks;
 * see lch.h.
 *
 * How blocks are shared is in mac/common/lcp.h.
 */
#include "ran/nr/lch.h"

#include "ran/channel/channel.h"
#include "rlc/nr/pdu.h"

/* Headers of MAC and RLC of a packet in one PDU, and of a segment. */
#define HEADERS_OF_PDU 6
#define HEADERS_BESIDE 16
#define SUBHEADER      3 /* of MAC */

int64_t nr_lch_head_ns(const struct nr_sch *sch)
{
	int64_t first_ns = CELL_NEVER;

	for (uint8_t k = 0; k < sch->n_drbs; k++) {
		const struct pkt *head = sch->drb[k].rlc.queue->sdus.head;

		if (head && head->queued_ns < first_ns)
			first_ns = head->queued_ns;
	}
	return first_ns;
}

uint32_t nr_lch_need_of(const struct drb *b, uint32_t bytes)
{
	const struct rlc_sdu_queue *q = b->rlc.queue;
	uint32_t packets = q->bytes ? (uint32_t)((uint64_t)q->sdus.n * bytes / q->bytes) + 1 : 1;

	return bytes ? bytes + HEADERS_OF_PDU * packets + HEADERS_BESIDE : 0;
}

uint32_t nr_lch_need(const struct nr_sch *sch)
{
	uint32_t bytes = nr_lch_bytes(sch);

	return bytes ? bytes + HEADERS_OF_PDU * nr_lch_packets(sch) + HEADERS_BESIDE : 0;
}

void nr_lch_set_order(struct nr_sch *sch)
{
	uint16_t priority[CELL_MAX_BEARERS];

	for (uint8_t k = 0; k < sch->n_drbs; k++)
		priority[k] = lcp_priority(&sch->drb[k].cfg, sch->drb[k].qos.level);
	lcp_order(sch->n_drbs, priority, sch->order);
}

static uint32_t rlc_header(const struct drb *b, enum nr_si si)
{
	const struct cell_rlc_cfg *rlc = &b->cfg.rlc;

	return b->rlc.mode->acknowledged ? nr_am_header_bytes(rlc->am.sn_bits, si)
	                                 : nr_um_header_bytes(rlc->um.sn_bits, si);
}

static struct lcp_waiting waiting(const struct drb *b)
{
	uint32_t whole = rlc_header(b, NR_SI_ALL), rest = rlc_header(b, NR_SI_LAST);

	return (struct lcp_waiting){
		.queue = b->rlc.queue,
		.bytes = drb_bytes(b),
		.headers = b->rlc.queue->head_sent > 0 ? rest - whole : 0,
		.sdu_header = SUBHEADER + whole,
	};
}

/* Bytes of a block that are kept for each bearer, by priority. Return: of all. */
static uint32_t keep_for_each(const struct nr *nr, struct nr_sch *sch, uint32_t room,
                              uint32_t kept[CELL_MAX_BEARERS])
{
	uint32_t all = 0;

	for (uint8_t i = 0; i < sch->n_drbs; i++) {
		struct drb *b = &sch->drb[sch->order[i]];

		kept[i] = lcp_keep(&b->bucket, &b->cfg, nr->slot_next, nr->frame.mu, waiting(b),
		                   room - all);
		all += kept[i];
	}
	return all;
}

/* RLC PDUs of @b as long as there is room for more than @others bytes. Return: bytes of them. */
static uint32_t fill(struct drb *b, struct nr_pdu_builder *mac, uint32_t others, struct nr_tb *tb)
{
	uint32_t used = 0;

	if (b->stopped || b->suspended || b->outage_expiry_ns != CELL_NEVER)
		return 0;
	while (tb->n_sdus < NR_TB_SDUS_MAX) {
		uint32_t room = nr_pdu_room(mac), n_ends = tb->ends.n, size;
		uint32_t waited = b->rlc.queue->bytes;

		if (room <= others || (b->qos.most.rate_bps && drb_bytes(b) == 0))
			break;
		size = b->rlc.mode->build(&b->rlc, room - others, nr_pdu_at(mac), &tb->ends);
		if (size == 0)
			break;
		qos_sent(&b->qos, waited - b->rlc.queue->bytes, b->rlc.cell->event_ns);
		(void)nr_pdu_sdu(mac, b->at.lcid, size);
		nr_tb_add_sdu(tb, tb->ends.n - n_ends);
		used += size;
	}
	return used;
}

void nr_lch_fill(struct nr *nr, struct nr_sch *sch, struct nr_pdu_builder *mac, struct nr_tb *tb)
{
	uint32_t kept[CELL_MAX_BEARERS], others;

	for (uint8_t k = 0; k < sch->n_drbs; k++)
		tb->epoch[k] = sch->drb[k].epoch;
	if (sch->n_drbs == 1) {
		(void)fill(&sch->drb[0], mac, 0, tb);
		return;
	}
	others = keep_for_each(nr, sch, nr_pdu_room(mac), kept);
	for (uint8_t i = 0; i < sch->n_drbs; i++) {
		struct drb *b = &sch->drb[sch->order[i]];
		uint32_t used;

		others -= kept[i];
		used = fill(b, mac, others, tb);
		lcp_spend(&b->bucket, used < kept[i] ? used : kept[i]);
	}
}

struct drb *nr_lch_classify(const struct nr_sch *sch, struct pkt *p)
{
	for (uint8_t k = 1; k < sch->n_drbs; k++)
		if (channel_takes(&sch->drb[k].cfg, p, sch->at.dir != CELL_DIR_DL))
			return &sch->drb[k];
	return &sch->drb[0];
}

struct drb *nr_lch_first_timer(const struct nr_sch *sch)
{
	struct drb *first = &sch->drb[0];

	for (uint8_t k = 1; k < sch->n_drbs; k++)
		if (drb_next_ns(&sch->drb[k]) < drb_next_ns(first))
			first = &sch->drb[k];
	return first;
}

void nr_lch_record_buffers(struct nr *nr, const struct nr_sch *sch)
{
	for (uint8_t k = 0; k < sch->n_drbs; k++)
		drb_record_buffer(nr, &sch->drb[k]);
}

void nr_lch_granted(struct nr_ue *u, uint32_t bytes)
{
	const struct nr_sch *ul = &u->sch[CELL_DIR_UL];

	for (uint8_t i = 0; i < ul->n_drbs; i++) {
		uint32_t *backlog = &u->backlog_of[ul->order[i]];
		uint32_t granted = bytes < *backlog ? bytes : *backlog;

		*backlog -= granted;
		bytes -= granted;
	}
}
