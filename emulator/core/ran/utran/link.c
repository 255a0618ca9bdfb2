/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link.c - what happens on a dedicated channel of the UTRAN: packets, TTIs, timers; see link.h
 * and state.h.
 *
 * A TTI fills the blocks of both directions, control PDUs first unless they have a channel beside
 * or wait for the padding of an AMD PDU. Each block is lost or not by a draw of its own, as there
 * is neither HARQ nor a scheduler. A block that arrives gives its AMD PDU to the receiver of its
 * direction, and a STATUS PDU in it to both: its MRW is for that receiver, its ACK, LIST and
 * MRW_ACK for the transmitter of the opposite direction. At one time blocks that arrive come first,
 * then timers, then the TTI, which so knows all that has been heard.
 * Source: TS 25.322 4.2.1.3, 9.7.2, 11.3, 11.5, 11.6; DeMey 2005, section IV
 */
#include "ran/utran/link.h"

#include <string.h>

#include "base/assert.h"
#include "ran/utran/trace.h"

/* --- packets --- */

void utran_ingress(struct independent_link *link, struct pkt *p)
{
	struct utran_link *u = (struct utran_link *)link;
	int dir = p->port & CELL_PORT_NETWORK ? CELL_DIR_DL : CELL_DIR_UL;
	struct rlc_sdu_queue *q = &u->dch[dir].tx.queue;

	utran_record(
		u, dir, false,
		(struct cell_record){
			.event = CELL_EV_PKT_IN, .pkt = p->id, .tag = p->tag, .bytes = p->len });
	if (rlc_sdu_queue_full(q)) {
		out_drop(u->link.cell, p, &u->at[dir], CELL_DROP_QUEUE_FULL);
		return;
	}
	p->queued_ns = u->link.cell->event_ns;
	p->sdu_len = p->len;
	rlc_sdu_queue_push(q, p);
	utran_record_buffer(u, dir);
}

static void hand_up(struct utran_link *u, int dir, struct rlc_out *out)
{
	struct pkt *p;

	CELL_ASSERT(out->foreign_sdus == 0); /* inside the cell all PDUs are its own */
	if (out->discarded_pdus)
		utran_record(u, dir, true,
		             (struct cell_record){ .event = CELL_EV_RLC_DISCARD,
		                                   .sn = u->dch[dir].rx.vr_r,
		                                   .value = (int32_t)out->discarded_pdus });
	out_drop_all(u->link.cell, &out->discarded, &u->at[dir], CELL_DROP_RLC_DISCARD);
	while ((p = pkt_dequeue(&out->delivered))) {
		p->sdu_len = 0;
		out_deliver(u->link.cell, p,
		            dir == CELL_DIR_DL ? u->link.ue : u->link.ue | CELL_PORT_NETWORK);
	}
}

/* --- transmission --- */

/* Return: octets of the control PDU that is next on direction @dir, 0 when none is due. */
static uint32_t control_due(struct utran_link *u, int dir, bool *ret_mrw)
{
	const struct utran_dch *l = &u->dch[dir];
	const struct rlc_utran_rx *rx = &u->dch[!dir].rx;
	bool report = rlc_utran_rx_status_ready(rx);

	*ret_mrw = l->tx.mrw_due && !(l->status_next && report);
	if (*ret_mrw)
		return RLC_UTRAN_MRW_BYTES;
	return report ? rlc_utran_rx_status_plan(rx, u->link.cell->cfg.utran.pdu_bytes,
	                                         &utran_of(u)->status)
	              : 0;
}

/* The MRW or the report that is due, in at most @max octets at @buf. */
static void build_control(struct utran_link *u, int dir, bool mrw, uint32_t max, uint8_t *buf,
                          bool piggybacked)
{
	struct utran_dch *l = &u->dch[dir];
	int64_t now_ns = u->link.cell->event_ns;
	uint32_t n;

	if (mrw) {
		n = rlc_utran_tx_mrw_build(&l->tx, max, now_ns, buf);
		CELL_ASSERT(rlc_utran_status_unpack(&utran_of(u)->status, buf, n) == 0);
	} else {
		n = rlc_utran_rx_status_build(&u->dch[!dir].rx, max, now_ns, buf,
		                              &utran_of(u)->status);
	}
	CELL_ASSERT(n > 0 && n <= max);
	l->status_next = mrw;
	l->put_off = false;
	u->link.cell->stats.rlc_status_tx++;
	utran_record_status(u, dir, false, n, piggybacked);
	memset(buf + n, 0, max - n); /* transport blocks have one size */
	if (!piggybacked)
		u->link.cell->stats.mac_padding_bytes[dir] += max - n;
}

/* Put a control PDU that is due into the padding of the AMD PDU at @buf, if it has room. */
static void piggyback(struct utran_link *u, int dir, uint8_t *buf, uint32_t len)
{
	bool mrw;
	uint32_t need = control_due(u, dir, &mrw);
	size_t at = need > 0 ? rlc_utran_amd_piggyback(buf, len, need) : 0;

	if (at > 0)
		build_control(u, dir, mrw, (uint32_t)(len - at), buf + at, true);
}

/*
 * A control PDU of @need octets waits for the padding of an AMD PDU: of this TTI, which has
 * @blocks left, or, once, of the next one, as in EURANE.
 */
static bool waits_for_room(const struct utran_link *u, int dir, uint32_t need, uint32_t blocks)
{
	const struct utran_dch *l = &u->dch[dir];
	uint32_t most = blocks + (l->put_off ? 0 : l->tti_pdus);

	return u->link.cell->cfg.utran.status == CELL_STATUS_PIGGYBACK &&
	       rlc_utran_tx_room_ahead(&l->tx, need, most) > 0;
}

static uint32_t build_data(struct utran_link *u, int dir, uint8_t *buf, int32_t *ret_sn)
{
	struct rlc_utran_built b = rlc_utran_tx_build(&u->dch[dir].tx, u->link.cell->event_ns, buf,
	                                              &utran_of(u)->tx_pdu);

	if (b.size == 0)
		return 0;
	u->link.cell->stats.rlc_pdus_tx++;
	u->link.cell->stats.rlc_retx += b.retx;
	utran_record_data(u, dir, &b);
	*ret_sn = b.sn;
	return b.size;
}

/* Put @tb, with AMD PDU @sn or a control PDU (-1), on the air. */
static void send(struct utran_link *u, int dir, struct tb *tb, int32_t sn)
{
	struct utran_dch *l = &u->dch[dir];
	const struct cell_pdu_info info = {
		.dir = (uint8_t)dir,
		.ue = u->link.ue,
		.rnti = u->link.cell->cfg.ue[u->link.ue - 1].rnti,
		.crc_ok = 1,
		.subframe =
			(uint32_t)((u->link.cell->event_ns - u->link.cell->start_ns) / u->tti_ns),
	};

	tb->subframe = info.subframe;
	tb->decode_ns = u->link.cell->event_ns + u->tti_ns + u->delay_ns;
	tb->outcome = rng_hit(&l->loss_rng, l->bler_q32) ? TB_LOST : TB_DECODED;
	u->link.cell->stats.mac_pdus[dir]++;
	u->link.cell->stats.mac_bytes[dir] += tb->len;
	if (tb->outcome == TB_DECODED) {
		out_pdu(u->link.cell, tb->buf, tb->len, &info);
		if (sn >= 0 && l->arrival_ns[sn] <= u->link.cell->event_ns)
			l->arrival_ns[sn] = tb->decode_ns;
	}
	tb_enqueue(&u->air[dir], tb);
}

/* What goes into the next of @blocks that are left. Return: its octets, 0 for nothing. */
static uint32_t build(struct utran_link *u, int dir, uint32_t blocks, uint8_t *buf, int32_t *ret_sn)
{
	uint32_t max = u->link.cell->cfg.utran.pdu_bytes, n;
	bool mrw;
	uint32_t need = control_due(u, dir, &mrw);

	if (need > 0 && u->link.cell->cfg.utran.status != CELL_STATUS_CHANNEL &&
	    !waits_for_room(u, dir, need, blocks)) {
		build_control(u, dir, mrw, max, buf, false);
		return max;
	}
	n = build_data(u, dir, buf, ret_sn);
	if (n > 0 && u->link.cell->cfg.utran.status == CELL_STATUS_PIGGYBACK)
		piggyback(u, dir, buf, n);
	return n;
}

/* On its own channel a control PDU has one block, whatever data do. */
static void transmit_control(struct utran_link *u, int dir)
{
	struct tb *tb = utran_of(u)->blocks.free.head;
	bool mrw;

	CELL_ASSERT(tb); /* utran_lay_out() provides for the worst case */
	if (control_due(u, dir, &mrw) == 0)
		return;
	tb->len = u->link.cell->cfg.utran.pdu_bytes;
	build_control(u, dir, mrw, tb->len, tb->buf, false);
	send(u, dir, tb_alloc(&utran_of(u)->blocks), -1);
}

static void transmit(struct utran_link *u, int dir)
{
	struct utran_dch *l = &u->dch[dir];
	uint32_t queued = l->tx.queue.bytes;
	bool mrw;

	if (u->link.cell->cfg.utran.status == CELL_STATUS_CHANNEL)
		transmit_control(u, dir);
	for (uint16_t i = 0; i < l->tti_pdus; i++) {
		struct tb *tb = utran_of(u)->blocks.free.head;
		int32_t sn = -1;

		CELL_ASSERT(tb); /* utran_lay_out() provides for the worst case */
		tb->len = build(u, dir, (uint32_t)(l->tti_pdus - i), tb->buf, &sn);
		if (tb->len == 0)
			break;
		send(u, dir, tb_alloc(&utran_of(u)->blocks), sn);
	}
	l->put_off = control_due(u, dir, &mrw) > 0;
	if (l->tx.queue.bytes != queued)
		utran_record_buffer(u, dir);
}

/* --- reception --- */

/* What a STATUS PDU, or a timer, made of the transmitter of direction @dir. */
static void settle(struct utran_link *u, int dir, uint32_t n_discards, struct rlc_out *out)
{
	if (u->dch[dir].tx.n_discards != n_discards)
		utran_record_discard(u, dir);
	hand_up(u, dir, out);
}

/* The STATUS PDU that starts at octet @at of @tb. */
static void receive_control(struct utran_link *u, int dir, const struct tb *tb, uint32_t at)
{
	struct rlc_out up = { 0 }, acked = { 0 };
	uint32_t n_discards = u->dch[!dir].tx.n_discards;

	CELL_ASSERT(rlc_utran_status_unpack(&utran_of(u)->status, tb->buf + at, tb->len - at) == 0);
	u->link.cell->stats.rlc_status_rx++;
	utran_record_status(u, dir, true, (uint32_t)rlc_utran_status_bytes(&utran_of(u)->status),
	                    at > 0);
	rlc_utran_rx_status(&u->dch[dir].rx, &utran_of(u)->status, &up);
	hand_up(u, dir, &up);
	(void)rlc_utran_tx_status(&u->dch[!dir].tx, &utran_of(u)->status, &acked);
	settle(u, !dir, n_discards, &acked);
}

static void receive_data(struct utran_link *u, int dir, const struct tb *tb)
{
	struct rlc_out out = { 0 };
	int sn = rlc_utran_rx_receive(&u->dch[dir].rx, tb->buf, tb->len, &out);

	CELL_ASSERT(sn >= 0);
	u->link.cell->stats.rlc_pdus_rx++;
	utran_record(u, dir, true,
	             (struct cell_record){
			     .event = CELL_EV_RLC_RX, .sn = (uint32_t)sn, .bytes = tb->len });
	hand_up(u, dir, &out);
}

static void receive(struct utran_link *u, int dir)
{
	struct tb *tb = tb_dequeue(&u->air[dir]);
	int status_at;

	CELL_ASSERT(tb);
	status_at = rlc_utran_status_at(tb->buf, tb->len);
	if (tb->outcome == TB_LOST) {
		u->link.cell->stats.mac_lost[dir]++;
		utran_record(u, dir, true,
		             (struct cell_record){ .event = CELL_EV_MAC_LOST,
		                                   .sn = tb->subframe,
		                                   .bytes = tb->len });
	} else {
		if (status_at != 0)
			receive_data(u, dir, tb);
		if (status_at >= 0)
			receive_control(u, dir, tb, (uint32_t)status_at);
	}
	tb_free(&utran_of(u)->blocks, tb);
}

/* --- timers and TTIs --- */

static void poll_expired(struct utran_link *u, int dir)
{
	struct rlc_utran_tx *tx = &u->dch[dir].tx;
	struct rlc_out none = { 0 };
	uint32_t n_discards = tx->n_discards;

	utran_record(u, dir, false,
	             (struct cell_record){ .event = CELL_EV_T_POLL_RETRANSMIT, .sn = tx->poll_sn });
	rlc_utran_tx_poll_expire(tx);
	settle(u, dir, n_discards, &none);
}

static bool may_send(const struct utran_link *u, int dir)
{
	const struct utran_dch *l = &u->dch[dir];

	return l->tx.mrw_due || rlc_utran_tx_pdus(&l->tx) > 0 ||
	       rlc_utran_rx_status_ready(&u->dch[!dir].rx);
}

int64_t utran_tti_from(const struct utran_link *u, int64_t t_ns)
{

	if (t_ns <= u->next_tti_ns)
		return u->next_tti_ns;
	return u->next_tti_ns + (t_ns - u->next_tti_ns + u->tti_ns - 1) / u->tti_ns * u->tti_ns;
}

int64_t utran_next(const struct independent_link *link)
{
	const struct utran_link *u = (const struct utran_link *)link;
	int64_t first_ns = CELL_NEVER;

	for (int d = 0; d < 2; d++) {
		const struct utran_dch *l = &u->dch[d];
		const int64_t times_ns[] = {
			u->air[d].head ? u->air[d].head->decode_ns : CELL_NEVER,
			l->tx.poll_expiry_ns,
			l->tx.mrw_expiry_ns,
			l->rx.prohibit_expiry_ns,
			may_send(u, d) ? utran_tti_from(u, u->link.cell->event_ns) : CELL_NEVER,
		};

		for (size_t i = 0; i < sizeof(times_ns) / sizeof(*times_ns); i++)
			if (times_ns[i] < first_ns)
				first_ns = times_ns[i];
	}
	return first_ns;
}

/* Return: a timer of direction @dir was due. */
static bool expire(struct utran_link *u, int dir)
{
	struct utran_dch *l = &u->dch[dir];

	if (l->tx.poll_expiry_ns <= u->link.cell->event_ns)
		poll_expired(u, dir);
	else if (l->tx.mrw_expiry_ns <= u->link.cell->event_ns)
		rlc_utran_tx_mrw_expire(&l->tx);
	else if (l->rx.prohibit_expiry_ns <= u->link.cell->event_ns)
		rlc_utran_rx_expire(&l->rx);
	else
		return false;
	return true;
}

void utran_process(struct independent_link *link)
{
	struct utran_link *u = (struct utran_link *)link;

	for (int d = 0; d < 2; d++)
		if (u->air[d].head && u->air[d].head->decode_ns <= u->link.cell->event_ns) {
			receive(u, d);
			return;
		}
	for (int d = 0; d < 2; d++)
		if (expire(u, d))
			return;
	u->link.cell->stats.ttis_active++;
	u->next_tti_ns = u->link.cell->event_ns + u->tti_ns;
	for (int d = 0; d < 2; d++)
		transmit(u, d);
}

/* --- end --- */

void utran_empty(struct independent_link *link, struct pkt_queue *ret)
{
	struct utran_link *u = (struct utran_link *)link;

	for (int d = 0; d < 2; d++) {
		struct rlc_out out = { 0 };

		rlc_utran_rx_reset(&u->dch[d].rx);
		rlc_utran_tx_reset(&u->dch[d].tx, &out);
		pkt_queue_move(ret, &out.discarded);
	}
}
