/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utran.c - a dedicated channel of the UTRAN; see utran.h. */
#include "ran/dch/utran.h"

#include <string.h>

#include "base/assert.h"
#include "ran/dch/trace.h"

#define NS_PER_MS INT64_C(1000000)
#define LCID      5 /* radio bearer, in the trace and in the capture */

uint32_t utran_pdus(const struct cell_cfg *cfg, uint32_t rate_bps)
{
	uint64_t bits = (uint64_t)rate_bps * cfg->utran_tti_ms; /* times 1000 */
	uint32_t pdu = 8000u * cfg->utran_pdu_bytes;

	return bits % pdu ? 0 : (uint32_t)(bits / pdu);
}

static uint32_t tti_pdus(const struct cell_cfg *cfg)
{
	return utran_pdus(cfg, cfg->utran_ul_rate_bps) + utran_pdus(cfg, cfg->utran_dl_rate_bps);
}

size_t utran_pdus_needed(const struct cell_cfg *cfg)
{
	return tti_pdus(cfg) * (size_t)(cfg->utran_delay_ms / cfg->utran_tti_ms + 8);
}

size_t utran_rlc_pdus_needed(const struct cell_cfg *cfg)
{
	return 2 * (2 * (size_t)cfg->utran_tx_window_pdus + 2);
}

size_t utran_out_min(const struct cell_cfg *cfg)
{
	return tti_pdus(cfg) * (UMTS_CUTS_MAX + 8) + (size_t)cfg->max_pkts * 4 + 64;
}

static void init_leg(struct utran_leg *l, struct cell *c, enum cell_dir dir,
                     struct rlc_pdu **windows)
{
	const struct cell_cfg *cfg = &c->cfg;
	const struct rlc_umts_cfg rlc = {
		.pdu_size = cfg->utran_pdu_bytes,
		.window = cfg->utran_tx_window_pdus,
		.max_dat = cfg->utran_max_dat,
		.poll_pdu = cfg->utran_poll_pdu,
		.poll_window = cfg->utran_poll_window_percent,
		.timer_poll_ns = cfg->utran_timer_poll_ms * NS_PER_MS,
		.timer_mrw_ns = cfg->utran_timer_mrw_ms * NS_PER_MS,
		.timer_status_prohibit_ns = cfg->utran_timer_status_prohibit_ms * NS_PER_MS,
		.queue_limit = cfg->utran_queue_pkts,
	};
	bool dl = dir == CELL_DIR_DL;

	*l = (struct utran_leg){
		.bler_q32 = dl ? cfg->utran_bler_dl_q32 : cfg->utran_bler_ul_q32,
		.tti_pdus = (uint16_t)utran_pdus(cfg, dl ? cfg->utran_dl_rate_bps
		                                         : cfg->utran_ul_rate_bps),
	};
	rng_init(&l->loss_rng, cfg->seed, dl ? "loss-dl" : "loss-ul", 1);
	rlc_umts_tx_init(&l->tx, &rlc, windows, &c->rlc_pool);
	rlc_umts_rx_init(&l->rx, &rlc, windows + UMTS_SLOTS, windows, &c->rlc_pool);
}

void utran_init(struct cell *c, struct rlc_pdu **windows)
{
	struct ue *ue = &c->ue[0];

	*ue = (struct ue){ .id = 1, .rnti = c->cfg.ue[0].rnti, .mode = CELL_MODE_IM };
	for (uint8_t d = 0; d < 2; d++) {
		ue->leg[d] = (struct leg){ .ue = 1, .dir = d, .lcid = LCID };
		init_leg(&c->utran->leg[d], c, (enum cell_dir)d, windows + 2 * d * UMTS_SLOTS);
	}
	c->utran->tti_ns = c->cfg.utran_tti_ms * NS_PER_MS;
	c->utran->delay_ns = c->cfg.utran_delay_ms * NS_PER_MS;
	c->utran->next_tti_ns = c->start_ns;
}

/* --- packets --- */

void utran_ingress(struct cell *c, struct pkt *p)
{
	int dir = p->port & CELL_PORT_NETWORK ? CELL_DIR_DL : CELL_DIR_UL;
	struct rlc_sdu_queue *q = &c->utran->leg[dir].tx.queue;

	utran_record(
		c, dir, false,
		(struct cell_record){
			.event = CELL_EV_PKT_IN, .pkt = p->id, .tag = p->tag, .bytes = p->len });
	if (rlc_sdu_queue_full(q)) {
		out_drop(c, p, &c->ue[0].leg[dir], CELL_DROP_QUEUE_FULL);
		return;
	}
	p->queued_ns = c->event_ns;
	p->sdu_len = p->len;
	rlc_sdu_queue_push(q, p);
	utran_record_buffer(c, dir);
}

static void hand_up(struct cell *c, int dir, struct rlc_out *out)
{
	struct pkt *p;

	CELL_ASSERT(out->foreign_sdus == 0); /* inside the cell all PDUs are its own */
	if (out->discarded_pdus)
		utran_record(c, dir, true,
		             (struct cell_record){ .event = CELL_EV_RLC_DISCARD,
		                                   .sn = c->utran->leg[dir].rx.vr_r,
		                                   .value = (int32_t)out->discarded_pdus });
	out_drop_all(c, &out->discarded, &c->ue[0].leg[dir], CELL_DROP_RLC_DISCARD);
	while ((p = pkt_dequeue(&out->delivered))) {
		p->sdu_len = 0;
		out_deliver(c, p, dir == CELL_DIR_DL ? 1 : 1 | CELL_PORT_NETWORK);
	}
}

/* --- transmission --- */

/* An MRW or a report, unpacked in u->status. Return: its size, 0 when none is due. */
static uint32_t build_status(struct cell *c, int dir, bool mrw, uint32_t max, uint8_t *buf)
{
	struct utran *u = c->utran;
	uint32_t n;

	if (!mrw)
		return rlc_umts_rx_status_build(&u->leg[!dir].rx, max, c->event_ns, buf,
		                                &u->status);
	n = rlc_umts_tx_mrw_build(&u->leg[dir].tx, max, c->event_ns, buf);
	CELL_ASSERT(n == 0 || umts_status_unpack(&u->status, buf, n) == 0);
	return n;
}

static uint32_t build_control(struct cell *c, int dir, uint8_t *buf)
{
	struct utran_leg *l = &c->utran->leg[dir];
	uint32_t max = c->cfg.utran_pdu_bytes;
	bool mrw = !l->status_next;
	uint32_t n = build_status(c, dir, mrw, max, buf);

	if (n == 0) {
		mrw = !mrw;
		n = build_status(c, dir, mrw, max, buf);
	}
	if (n == 0)
		return 0;
	l->status_next = mrw;
	c->stats.rlc_status_tx++;
	c->stats.mac_padding_bytes[dir] += max - n;
	utran_record_status(c, dir, false, n);
	memset(buf + n, 0, max - n); /* transport blocks have one size */
	return max;
}

static uint32_t build_data(struct cell *c, int dir, uint8_t *buf, int32_t *ret_sn)
{
	struct rlc_umts_built b =
		rlc_umts_tx_build(&c->utran->leg[dir].tx, c->event_ns, buf, &c->tx_pdu);

	if (b.size == 0)
		return 0;
	c->stats.rlc_pdus_tx++;
	c->stats.rlc_retx += b.retx;
	utran_record_data(c, dir, &b);
	*ret_sn = b.sn;
	return b.size;
}

/* Put @pdu, with AMD PDU @sn or a control PDU (-1), on the air. */
static void send(struct cell *c, int dir, struct pdu *pdu, int32_t sn)
{
	struct utran *u = c->utran;
	struct utran_leg *l = &u->leg[dir];
	const struct cell_pdu_info info = {
		.dir = (uint8_t)dir,
		.ue = 1,
		.rnti = c->ue[0].rnti,
		.crc_ok = 1,
		.subframe = (uint32_t)((c->event_ns - c->start_ns) / u->tti_ns),
	};

	pdu->subframe = info.subframe;
	pdu->decode_ns = c->event_ns + u->tti_ns + u->delay_ns;
	pdu->outcome = rng_hit(&l->loss_rng, l->bler_q32) ? PDU_LOST : PDU_DECODED;
	c->stats.mac_pdus[dir]++;
	c->stats.mac_bytes[dir] += pdu->len;
	if (pdu->outcome == PDU_DECODED) {
		out_pdu(c, pdu->buf, pdu->len, &info);
		if (sn >= 0 && l->arrival_ns[sn] <= c->event_ns)
			l->arrival_ns[sn] = pdu->decode_ns;
	}
	pdu_enqueue(&c->air[dir], pdu);
}

static void transmit(struct cell *c, int dir)
{
	struct utran_leg *l = &c->utran->leg[dir];
	uint32_t queued = l->tx.queue.bytes;

	for (uint16_t i = 0; i < l->tti_pdus; i++) {
		struct pdu *pdu = c->free_pdus.head;
		int32_t sn = -1;

		CELL_ASSERT(pdu); /* cell_init() provides for the worst case */
		pdu->len = build_control(c, dir, pdu->buf);
		if (pdu->len == 0)
			pdu->len = build_data(c, dir, pdu->buf, &sn);
		if (pdu->len == 0)
			break;
		send(c, dir, cell_pdu_alloc(c), sn);
	}
	if (l->tx.queue.bytes != queued)
		utran_record_buffer(c, dir);
}

/* --- reception --- */

/* What a STATUS PDU, or a timer, made of the transmitter of leg @dir. */
static void settle(struct cell *c, int dir, uint32_t n_discards, struct rlc_out *out)
{
	if (c->utran->leg[dir].tx.n_discards != n_discards)
		utran_record_discard(c, dir);
	hand_up(c, dir, out);
}

static void receive_control(struct cell *c, int dir, const struct pdu *pdu)
{
	struct utran *u = c->utran;
	struct rlc_out up = { 0 }, acked = { 0 };
	uint32_t n_discards = u->leg[!dir].tx.n_discards;

	CELL_ASSERT(umts_status_unpack(&u->status, pdu->buf, pdu->len) == 0);
	c->stats.rlc_status_rx++;
	utran_record_status(c, dir, true, (uint32_t)umts_status_bytes(&u->status));
	rlc_umts_rx_status(&u->leg[dir].rx, &u->status, &up);
	hand_up(c, dir, &up);
	(void)rlc_umts_tx_status(&u->leg[!dir].tx, &u->status, &acked);
	settle(c, !dir, n_discards, &acked);
}

static void receive_data(struct cell *c, int dir, const struct pdu *pdu)
{
	struct rlc_out out = { 0 };
	int sn = rlc_umts_rx_receive(&c->utran->leg[dir].rx, pdu->buf, pdu->len, &out);

	CELL_ASSERT(sn >= 0);
	c->stats.rlc_pdus_rx++;
	utran_record(c, dir, true,
	             (struct cell_record){
			     .event = CELL_EV_RLC_RX, .sn = (uint32_t)sn, .bytes = pdu->len });
	hand_up(c, dir, &out);
}

static void receive(struct cell *c, int dir)
{
	struct pdu *pdu = pdu_dequeue(&c->air[dir]);

	if (pdu->outcome == PDU_LOST) {
		c->stats.mac_lost[dir]++;
		utran_record(c, dir, true,
		             (struct cell_record){ .event = CELL_EV_MAC_LOST,
		                                   .sn = pdu->subframe,
		                                   .bytes = pdu->len });
	} else if (umts_is_data(pdu->buf)) {
		receive_data(c, dir, pdu);
	} else {
		receive_control(c, dir, pdu);
	}
	cell_pdu_free(c, pdu);
}

/* --- timers and TTIs --- */

static void poll_expired(struct cell *c, int dir)
{
	struct rlc_umts_tx *tx = &c->utran->leg[dir].tx;
	struct rlc_out none = { 0 };
	uint32_t n_discards = tx->n_discards;

	utran_record(c, dir, false,
	             (struct cell_record){ .event = CELL_EV_T_POLL_RETRANSMIT, .sn = tx->poll_sn });
	rlc_umts_tx_poll_expire(tx);
	settle(c, dir, n_discards, &none);
}

static bool may_send(const struct utran *u, int dir)
{
	const struct utran_leg *l = &u->leg[dir];

	return l->tx.mrw_due || rlc_umts_tx_pdus(&l->tx) > 0 ||
	       rlc_umts_rx_status_ready(&u->leg[!dir].rx);
}

int64_t utran_tti_from(const struct cell *c, int64_t t_ns)
{
	const struct utran *u = c->utran;

	if (t_ns <= u->next_tti_ns)
		return u->next_tti_ns;
	return u->next_tti_ns + (t_ns - u->next_tti_ns + u->tti_ns - 1) / u->tti_ns * u->tti_ns;
}

int64_t utran_next(const struct cell *c)
{
	const struct utran *u = c->utran;
	int64_t first_ns = CELL_NEVER;

	for (int d = 0; d < 2; d++) {
		const struct utran_leg *l = &u->leg[d];
		const int64_t times_ns[] = {
			c->air[d].head ? c->air[d].head->decode_ns : CELL_NEVER,
			l->tx.poll_expiry_ns,
			l->tx.mrw_expiry_ns,
			l->rx.prohibit_expiry_ns,
			may_send(u, d) ? utran_tti_from(c, c->event_ns) : CELL_NEVER,
		};

		for (size_t i = 0; i < sizeof(times_ns) / sizeof(*times_ns); i++)
			if (times_ns[i] < first_ns)
				first_ns = times_ns[i];
	}
	return first_ns;
}

/* Return: a timer of leg @dir was due. */
static bool expire(struct cell *c, int dir)
{
	struct utran_leg *l = &c->utran->leg[dir];

	if (l->tx.poll_expiry_ns <= c->event_ns)
		poll_expired(c, dir);
	else if (l->tx.mrw_expiry_ns <= c->event_ns)
		rlc_umts_tx_mrw_expire(&l->tx);
	else if (l->rx.prohibit_expiry_ns <= c->event_ns)
		rlc_umts_rx_expire(&l->rx);
	else
		return false;
	return true;
}

void utran_process(struct cell *c)
{
	for (int d = 0; d < 2; d++)
		if (c->air[d].head && c->air[d].head->decode_ns <= c->event_ns) {
			receive(c, d);
			return;
		}
	for (int d = 0; d < 2; d++)
		if (expire(c, d))
			return;
	c->stats.ttis_active++;
	c->utran->next_tti_ns = c->event_ns + c->utran->tti_ns;
	for (int d = 0; d < 2; d++)
		transmit(c, d);
}

/* --- end --- */

void utran_empty(struct cell *c, struct pkt_queue *ret)
{
	for (int d = 0; d < 2; d++) {
		struct rlc_out out = { 0 };

		rlc_umts_rx_reset(&c->utran->leg[d].rx);
		rlc_umts_tx_reset(&c->utran->leg[d].tx, &out);
		pkt_queue_move(ret, &out.discarded);
	}
}
