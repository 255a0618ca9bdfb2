/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utran.c - a dedicated channel of the UTRAN; see utran.h. */
#include "ran/dch/utran.h"

#include <string.h>

#include "base/assert.h"
#include "ran/dch/trace.h"

#define NS_PER_MS INT64_C(1000000)
#define LCID      5 /* radio bearer, in the trace and in the capture */

/* Transport blocks of a TTI at @rate_bps; 0 when that is no whole number. */
static uint32_t pdus_at(const struct cell_cfg *cfg, uint32_t rate_bps)
{
	uint64_t bits = (uint64_t)rate_bps * cfg->utran_tti_ms; /* times 1000 */
	uint32_t pdu = 8000u * cfg->utran_pdu_bytes;

	return bits % pdu ? 0 : (uint32_t)(bits / pdu);
}

static bool fits(uint32_t pdus)
{
	return pdus >= 1 && pdus <= UTRAN_PDUS_MAX;
}

const char *utran_check(const struct cell_cfg *cfg, const char **ret_range)
{
	*ret_range = "10, 20, 40 or 80";
	if (cfg->utran_tti_ms != 10 && cfg->utran_tti_ms != 20 && cfg->utran_tti_ms != 40 &&
	    cfg->utran_tti_ms != 80)
		return "utran_tti_ms";
	*ret_range = "1..64 whole PDUs in a TTI";
	if (!fits(pdus_at(cfg, cfg->utran_ul_rate_bps)))
		return "utran_ul_rate_bps";
	if (!fits(pdus_at(cfg, cfg->utran_dl_rate_bps)))
		return "utran_dl_rate_bps";
	*ret_range = "1 on a dedicated channel";
	if (cfg->n_ue != 1)
		return "n_ue";
	*ret_range = "1 without S-GW, in the UTRAN";
	if (cfg->n_enb != 1 || cfg->sgw_gtpu_addr)
		return "n_enb";
	*ret_range = "the network";
	return cfg->ue[0].peer != CELL_PEER_NETWORK ? "peer" : NULL;
}

static uint32_t tti_pdus(const struct cell_cfg *cfg)
{
	return pdus_at(cfg, cfg->utran_ul_rate_bps) + pdus_at(cfg, cfg->utran_dl_rate_bps);
}

size_t utran_out_min(const struct cell_cfg *cfg)
{
	return tti_pdus(cfg) * (UMTS_CUTS_MAX + 8) + (size_t)cfg->max_pkts * 4 + 64;
}

struct cell *utran_lay_out(struct arena *a, const struct cell_cfg *cfg)
{
	/* On the air, or in outputs of one advance. */
	size_t n_pdus = tti_pdus(cfg) * (size_t)(cfg->utran_delay_ms / cfg->utran_tti_ms + 8);
	size_t n_rlc = 2 * (2 * (size_t)cfg->utran_tx_window_pdus + 2); /* of all windows */
	struct utran *u = arena_take(a, 1, sizeof(*u));
	struct rlc_pdu **window = arena_take(a, UTRAN_WINDOW_SLOTS, sizeof(*window));
	struct pdu *pdu = arena_take(a, n_pdus, sizeof(*pdu));
	uint8_t *pdu_buf = arena_take(a, n_pdus, cfg->utran_pdu_bytes);
	struct rlc_pdu *rlc_pdu = arena_take(a, n_rlc, sizeof(*rlc_pdu));
	uint8_t *rlc_data = arena_take(a, n_rlc, cfg->utran_pdu_bytes);

	if (!u)
		return NULL;
	*u = (struct utran){
		.window = window,
		.rlc_pool = { .data_max = cfg->utran_pdu_bytes,
		              .fresh = rlc_pdu,
		              .fresh_data = rlc_data,
		              .n_fresh = (uint32_t)n_rlc },
	};
	pdu_pool_init(&u->pdus, pdu, n_pdus, pdu_buf, cfg->utran_pdu_bytes);
	return &u->cell;
}

static void init_leg(struct utran_leg *l, struct utran *u, enum cell_dir dir,
                     struct rlc_pdu **windows)
{
	const struct cell_cfg *cfg = &u->cell.cfg;
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
		.tti_pdus = (uint16_t)pdus_at(cfg,
		                              dl ? cfg->utran_dl_rate_bps : cfg->utran_ul_rate_bps),
	};
	rng_init(&l->loss_rng, cfg->seed, dl ? "loss-dl" : "loss-ul", 1);
	rlc_umts_tx_init(&l->tx, &rlc, windows, &u->rlc_pool);
	rlc_umts_rx_init(&l->rx, &rlc, windows + UMTS_SLOTS, windows, &u->rlc_pool);
}

void utran_init(struct utran *u)
{
	for (uint8_t d = 0; d < 2; d++) {
		u->at[d] = (struct out_leg){
			.from = d == CELL_DIR_UL, .to = d == CELL_DIR_DL, .dir = d, .lcid = LCID
		};
		init_leg(&u->leg[d], u, (enum cell_dir)d, u->window + 2 * d * UMTS_SLOTS);
	}
	u->tti_ns = u->cell.cfg.utran_tti_ms * NS_PER_MS;
	u->delay_ns = u->cell.cfg.utran_delay_ms * NS_PER_MS;
	u->next_tti_ns = u->cell.start_ns;
}

bool utran_has_room(const struct utran *u)
{
	return pdu_pool_has(&u->pdus,
	                    (size_t)u->leg[CELL_DIR_UL].tti_pdus + u->leg[CELL_DIR_DL].tti_pdus);
}

/* --- packets --- */

void utran_ingress(struct utran *u, struct pkt *p)
{
	int dir = p->port & CELL_PORT_NETWORK ? CELL_DIR_DL : CELL_DIR_UL;
	struct rlc_sdu_queue *q = &u->leg[dir].tx.queue;

	utran_record(
		u, dir, false,
		(struct cell_record){
			.event = CELL_EV_PKT_IN, .pkt = p->id, .tag = p->tag, .bytes = p->len });
	if (rlc_sdu_queue_full(q)) {
		out_drop(&u->cell, p, &u->at[dir], CELL_DROP_QUEUE_FULL);
		return;
	}
	p->queued_ns = u->cell.event_ns;
	p->sdu_len = p->len;
	rlc_sdu_queue_push(q, p);
	utran_record_buffer(u, dir);
}

static void hand_up(struct utran *u, int dir, struct rlc_out *out)
{
	struct pkt *p;

	CELL_ASSERT(out->foreign_sdus == 0); /* inside the cell all PDUs are its own */
	if (out->discarded_pdus)
		utran_record(u, dir, true,
		             (struct cell_record){ .event = CELL_EV_RLC_DISCARD,
		                                   .sn = u->leg[dir].rx.vr_r,
		                                   .value = (int32_t)out->discarded_pdus });
	out_drop_all(&u->cell, &out->discarded, &u->at[dir], CELL_DROP_RLC_DISCARD);
	while ((p = pkt_dequeue(&out->delivered))) {
		p->sdu_len = 0;
		out_deliver(&u->cell, p, dir == CELL_DIR_DL ? 1 : 1 | CELL_PORT_NETWORK);
	}
}

/* --- transmission --- */

/* An MRW or a report, unpacked in u->status. Return: its size, 0 when none is due. */
static uint32_t build_status(struct utran *u, int dir, bool mrw, uint32_t max, uint8_t *buf)
{
	uint32_t n;

	if (!mrw)
		return rlc_umts_rx_status_build(&u->leg[!dir].rx, max, u->cell.event_ns, buf,
		                                &u->status);
	n = rlc_umts_tx_mrw_build(&u->leg[dir].tx, max, u->cell.event_ns, buf);
	CELL_ASSERT(n == 0 || umts_status_unpack(&u->status, buf, n) == 0);
	return n;
}

static uint32_t build_control(struct utran *u, int dir, uint8_t *buf)
{
	struct utran_leg *l = &u->leg[dir];
	uint32_t max = u->cell.cfg.utran_pdu_bytes;
	bool mrw = !l->status_next;
	uint32_t n = build_status(u, dir, mrw, max, buf);

	if (n == 0) {
		mrw = !mrw;
		n = build_status(u, dir, mrw, max, buf);
	}
	if (n == 0)
		return 0;
	l->status_next = mrw;
	u->cell.stats.rlc_status_tx++;
	u->cell.stats.mac_padding_bytes[dir] += max - n;
	utran_record_status(u, dir, false, n);
	memset(buf + n, 0, max - n); /* transport blocks have one size */
	return max;
}

static uint32_t build_data(struct utran *u, int dir, uint8_t *buf, int32_t *ret_sn)
{
	struct rlc_umts_built b =
		rlc_umts_tx_build(&u->leg[dir].tx, u->cell.event_ns, buf, &u->tx_pdu);

	if (b.size == 0)
		return 0;
	u->cell.stats.rlc_pdus_tx++;
	u->cell.stats.rlc_retx += b.retx;
	utran_record_data(u, dir, &b);
	*ret_sn = b.sn;
	return b.size;
}

/* Put @pdu, with AMD PDU @sn or a control PDU (-1), on the air. */
static void send(struct utran *u, int dir, struct pdu *pdu, int32_t sn)
{
	struct utran_leg *l = &u->leg[dir];
	const struct cell_pdu_info info = {
		.dir = (uint8_t)dir,
		.ue = 1,
		.rnti = u->cell.cfg.ue[0].rnti,
		.crc_ok = 1,
		.subframe = (uint32_t)((u->cell.event_ns - u->cell.start_ns) / u->tti_ns),
	};

	pdu->subframe = info.subframe;
	pdu->decode_ns = u->cell.event_ns + u->tti_ns + u->delay_ns;
	pdu->outcome = rng_hit(&l->loss_rng, l->bler_q32) ? PDU_LOST : PDU_DECODED;
	u->cell.stats.mac_pdus[dir]++;
	u->cell.stats.mac_bytes[dir] += pdu->len;
	if (pdu->outcome == PDU_DECODED) {
		out_pdu(&u->cell, pdu->buf, pdu->len, &info);
		if (sn >= 0 && l->arrival_ns[sn] <= u->cell.event_ns)
			l->arrival_ns[sn] = pdu->decode_ns;
	}
	pdu_enqueue(&u->air[dir], pdu);
}

static void transmit(struct utran *u, int dir)
{
	struct utran_leg *l = &u->leg[dir];
	uint32_t queued = l->tx.queue.bytes;

	for (uint16_t i = 0; i < l->tti_pdus; i++) {
		struct pdu *pdu = u->pdus.free.head;
		int32_t sn = -1;

		CELL_ASSERT(pdu); /* utran_lay_out() provides for the worst case */
		pdu->len = build_control(u, dir, pdu->buf);
		if (pdu->len == 0)
			pdu->len = build_data(u, dir, pdu->buf, &sn);
		if (pdu->len == 0)
			break;
		send(u, dir, pdu_alloc(&u->pdus), sn);
	}
	if (l->tx.queue.bytes != queued)
		utran_record_buffer(u, dir);
}

/* --- reception --- */

/* What a STATUS PDU, or a timer, made of the transmitter of leg @dir. */
static void settle(struct utran *u, int dir, uint32_t n_discards, struct rlc_out *out)
{
	if (u->leg[dir].tx.n_discards != n_discards)
		utran_record_discard(u, dir);
	hand_up(u, dir, out);
}

static void receive_control(struct utran *u, int dir, const struct pdu *pdu)
{
	struct rlc_out up = { 0 }, acked = { 0 };
	uint32_t n_discards = u->leg[!dir].tx.n_discards;

	CELL_ASSERT(umts_status_unpack(&u->status, pdu->buf, pdu->len) == 0);
	u->cell.stats.rlc_status_rx++;
	utran_record_status(u, dir, true, (uint32_t)umts_status_bytes(&u->status));
	rlc_umts_rx_status(&u->leg[dir].rx, &u->status, &up);
	hand_up(u, dir, &up);
	(void)rlc_umts_tx_status(&u->leg[!dir].tx, &u->status, &acked);
	settle(u, !dir, n_discards, &acked);
}

static void receive_data(struct utran *u, int dir, const struct pdu *pdu)
{
	struct rlc_out out = { 0 };
	int sn = rlc_umts_rx_receive(&u->leg[dir].rx, pdu->buf, pdu->len, &out);

	CELL_ASSERT(sn >= 0);
	u->cell.stats.rlc_pdus_rx++;
	utran_record(u, dir, true,
	             (struct cell_record){
			     .event = CELL_EV_RLC_RX, .sn = (uint32_t)sn, .bytes = pdu->len });
	hand_up(u, dir, &out);
}

static void receive(struct utran *u, int dir)
{
	struct pdu *pdu = pdu_dequeue(&u->air[dir]);

	if (pdu->outcome == PDU_LOST) {
		u->cell.stats.mac_lost[dir]++;
		utran_record(u, dir, true,
		             (struct cell_record){ .event = CELL_EV_MAC_LOST,
		                                   .sn = pdu->subframe,
		                                   .bytes = pdu->len });
	} else if (umts_is_data(pdu->buf)) {
		receive_data(u, dir, pdu);
	} else {
		receive_control(u, dir, pdu);
	}
	pdu_free(&u->pdus, pdu);
}

/* --- timers and TTIs --- */

static void poll_expired(struct utran *u, int dir)
{
	struct rlc_umts_tx *tx = &u->leg[dir].tx;
	struct rlc_out none = { 0 };
	uint32_t n_discards = tx->n_discards;

	utran_record(u, dir, false,
	             (struct cell_record){ .event = CELL_EV_T_POLL_RETRANSMIT, .sn = tx->poll_sn });
	rlc_umts_tx_poll_expire(tx);
	settle(u, dir, n_discards, &none);
}

static bool may_send(const struct utran *u, int dir)
{
	const struct utran_leg *l = &u->leg[dir];

	return l->tx.mrw_due || rlc_umts_tx_pdus(&l->tx) > 0 ||
	       rlc_umts_rx_status_ready(&u->leg[!dir].rx);
}

int64_t utran_tti_from(const struct utran *u, int64_t t_ns)
{

	if (t_ns <= u->next_tti_ns)
		return u->next_tti_ns;
	return u->next_tti_ns + (t_ns - u->next_tti_ns + u->tti_ns - 1) / u->tti_ns * u->tti_ns;
}

int64_t utran_next(const struct utran *u)
{
	int64_t first_ns = CELL_NEVER;

	for (int d = 0; d < 2; d++) {
		const struct utran_leg *l = &u->leg[d];
		const int64_t times_ns[] = {
			u->air[d].head ? u->air[d].head->decode_ns : CELL_NEVER,
			l->tx.poll_expiry_ns,
			l->tx.mrw_expiry_ns,
			l->rx.prohibit_expiry_ns,
			may_send(u, d) ? utran_tti_from(u, u->cell.event_ns) : CELL_NEVER,
		};

		for (size_t i = 0; i < sizeof(times_ns) / sizeof(*times_ns); i++)
			if (times_ns[i] < first_ns)
				first_ns = times_ns[i];
	}
	return first_ns;
}

/* Return: a timer of leg @dir was due. */
static bool expire(struct utran *u, int dir)
{
	struct utran_leg *l = &u->leg[dir];

	if (l->tx.poll_expiry_ns <= u->cell.event_ns)
		poll_expired(u, dir);
	else if (l->tx.mrw_expiry_ns <= u->cell.event_ns)
		rlc_umts_tx_mrw_expire(&l->tx);
	else if (l->rx.prohibit_expiry_ns <= u->cell.event_ns)
		rlc_umts_rx_expire(&l->rx);
	else
		return false;
	return true;
}

void utran_process(struct utran *u)
{
	for (int d = 0; d < 2; d++)
		if (u->air[d].head && u->air[d].head->decode_ns <= u->cell.event_ns) {
			receive(u, d);
			return;
		}
	for (int d = 0; d < 2; d++)
		if (expire(u, d))
			return;
	u->cell.stats.ttis_active++;
	u->next_tti_ns = u->cell.event_ns + u->tti_ns;
	for (int d = 0; d < 2; d++)
		transmit(u, d);
}

/* --- end --- */

void utran_empty(struct utran *u, struct pkt_queue *ret)
{
	for (int d = 0; d < 2; d++) {
		struct rlc_out out = { 0 };

		rlc_umts_rx_reset(&u->leg[d].rx);
		rlc_umts_tx_reset(&u->leg[d].tx, &out);
		pkt_queue_move(ret, &out.discarded);
	}
}
