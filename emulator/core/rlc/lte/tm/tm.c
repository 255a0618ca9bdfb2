/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tm.c - RLC transparent mode as a mode of rlc.h.
 *
 * A TMD PDU is an SDU and nothing else: no header, so no sequence number; neither segmented nor
 * joined with others. The transmitter hands the first SDU to MAC when a grant takes it whole,
 * and until then it waits, and all behind it. The receiver delivers what arrives as it arrives:
 * it puts nothing in order, notices no gap and has no timer. Packets that HARQ delays arrive late,
 * and those that it loses are missing.
 *
 * LTE has it for broadcast, paging and the first messages of RRC (TS 36.322 4.2.1.1.1). As the mode
 * of a data radio bearer it shows what segmentation and reordering cost and give. It has LCIDs
 * of release 15, as those of release 10 are used. In the trace the SN of a PDU is that of its
 * packet, as it has none itself.
 * Source: TS 36.322 4.2.1.1, 5.1.1
 */
#include <string.h>

#include "rlc/common/digest.h"
#include "rlc/common/rlc.h"

#define LCID_TM 32

struct tm {
	struct rlc_sdu_queue queue;
};

static struct tm *tm_of(const struct rlc *rlc)
{
	return rlc->state;
}

static uint16_t sn_of(const struct pkt *p)
{
	return (uint16_t)p->id;
}

static const struct lcids *tm_lcids(const struct cell_rlc_cfg *cfg)
{
	static const struct lcids lcids = { { LCID_TM, LCID_TM + 1, LCID_TM + 2 } };

	(void)cfg;
	return &lcids;
}

/* Nothing waits for other PDUs. */
static uint32_t tm_slots(const struct cell_rlc_cfg *cfg)
{
	(void)cfg;
	return 0;
}

static void tm_init(struct rlc *rlc, const struct cell_rlc_cfg *cfg, struct rlc_pdu **window)
{
	(void)window;
	*tm_of(rlc) = (struct tm){ .queue.limit = cfg->queue_pkts };
	rlc->queue = &tm_of(rlc)->queue;
	rlc->expiry_ns = CELL_NEVER;
}

static uint32_t tm_bytes_waiting(const struct rlc *rlc)
{
	return tm_of(rlc)->queue.bytes;
}

/* Source: TS 36.322 5.1.1.1 */
static uint32_t tm_build(struct rlc *rlc, uint32_t room, uint8_t *buf, struct pkt_queue *ret_ends)
{
	const struct pkt *p = tm_of(rlc)->queue.sdus.head;
	struct rlc_tx_pdu *pdu = &rlc->shared->tx_pdu;

	if (!p || p->sdu_len > room)
		return 0;
	pdu->sn = sn_of(p);
	pdu->n = 1;
	pdu->fi = 0;
	pdu->len[0] = p->sdu_len;
	rlc_sdu_queue_take(&tm_of(rlc)->queue, pdu, buf, ret_ends);
	rlc->cell->stats.rlc_pdus_tx++;
	rlc_record_new(rlc, pdu->len[0]);
	return pdu->len[0];
}

/* Source: TS 36.322 5.1.1.2 */
static void tm_receive(struct rlc *rlc, const uint8_t *buf, uint32_t len, struct pkt_queue *ends,
                       struct rlc_out *out)
{
	struct pkt *p = pkt_dequeue(ends);

	if (!p || p->sdu_len != len) {
		out->foreign_sdus++;
		return;
	}
	memcpy(pkt_sdu(p), buf, len);
	rlc_record_received(rlc, sn_of(p), len);
	pkt_enqueue(&out->delivered, p);
}

/* Both ends keep nothing but the queue, which is the caller's. */

static void tm_expire(struct rlc *rlc, struct rlc_out *out)
{
	(void)rlc, (void)out;
}

static void tm_finish(struct rlc *rlc, struct rlc_out *out)
{
	(void)rlc, (void)out;
}

static void tm_reset(struct rlc *rlc)
{
	(void)rlc;
}

static void tm_empty(struct rlc *rlc, struct pkt_queue *ret)
{
	(void)rlc, (void)ret;
}

static void tm_digest(const struct rlc *rlc, uint64_t *h)
{
	rlc_digest_sdus(h, &tm_of(rlc)->queue);
}

const struct rlc_mode rlc_mode_tm = {
	.name = "tm",
	.whole = true,
	.pdus_max = UINT8_MAX,
	.bytes = sizeof(struct tm),
	.lcids = tm_lcids,
	.slots = tm_slots,
	.init = tm_init,
	.bytes_waiting = tm_bytes_waiting,
	.build = tm_build,
	.receive = tm_receive,
	.expire = tm_expire,
	.finish = tm_finish,
	.reset = tm_reset,
	.empty = tm_empty,
	.digest = tm_digest,
};
