/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_rlc_am_rx.c - an AM receiver that gets PDUs and segments of any bytes, while its timers run
 * and STATUS PDUs leave: no packet and no PDU of its pool is lost, its variables stay those of
 * TS 36.322 7.1, and what it says of itself is true.
 */
#include "rlc/lte/am/am.h"
#include "rlc_ends.h"
#include "rlc_feed.h"

#define N_PDUS   (AM_WINDOW + SENT_PDUS)
#define DATA_MAX 200
#define PDU_MAX  300 /* longer ones are refused */
#define MS       INT64_C(1000000)

struct receiver {
	struct rlc_am_rx rx;
	struct rlc_pool pool;
	struct rlc_pdu pdus[N_PDUS];
	struct rlc_pdu *window[AM_SLOTS];
	struct rlc_pdu *sent_slot[AM_SLOTS];
	struct rlc_sent sent;
	struct rlc_ends ends;
	struct rlc_out out;
	uint8_t data[N_PDUS * DATA_MAX];
	int64_t now_ns;
};

static void start(struct receiver *r, struct fuzz_input *in)
{
	int64_t t_reordering_ns = FUZZ_PICK(in, 35, 0, 5) * MS;
	int64_t t_status_prohibit_ns = FUZZ_PICK(in, 0, 10) * MS;
	enum cell_delivery delivery = (enum cell_delivery)fuzz_range(in, 0, 1);

	feed_pool(&r->pool, r->pdus, r->data, N_PDUS, DATA_MAX);
	rlc_am_rx_init(&r->rx, t_reordering_ns, t_status_prohibit_ns, delivery, r->window,
	               r->sent_slot, &r->pool);
	ends_start(&r->ends);
	r->sent = (struct rlc_sent){ .slot = r->sent_slot };
	r->out = (struct rlc_out){ 0 };
	r->now_ns = 0;
}

static uint16_t dist(const struct receiver *r, uint32_t sn)
{
	return (uint16_t)((sn - r->rx.reassembly.lower) & AM_SN_MASK);
}

static void check_pdu(const struct rlc_pdu *pdu)
{
	uint16_t last = pdu->ranges.at[pdu->ranges.n - 1].to;

	FUZZ_CHECK(pdu->ranges.n > 0 && last <= DATA_MAX && !pdu->ends.head);
	FUZZ_CHECK(pdu->len == 0 || last <= pdu->len);
	for (uint16_t i = 0; i < pdu->n_cuts; i++)
		FUZZ_CHECK(pdu->cut[i] <= last && (i == 0 || pdu->cut[i - 1] < pdu->cut[i]));
}

static void check(struct receiver *r)
{
	const struct rlc_am_rx *rx = &r->rx;
	const struct rlc_pdu *next = r->window[rx->reassembly.lower];
	uint32_t kept = 0;

	for (uint32_t sn = 0; sn < AM_SLOTS; sn++) {
		if (!r->window[sn])
			continue;
		kept++;
		FUZZ_CHECK(dist(r, sn) < dist(r, rx->vr_h));
		check_pdu(r->window[sn]);
	}
	FUZZ_CHECK(kept + r->sent.n + r->pool.n_free == N_PDUS);
	FUZZ_CHECK(dist(r, rx->vr_ms) <= dist(r, rx->vr_h) && dist(r, rx->vr_h) <= AM_WINDOW);
	FUZZ_CHECK(!next || !rlc_pdu_complete(next));
	FUZZ_CHECK((rx->reordering_expiry_ns == CELL_NEVER) || rx->vr_x != rx->reassembly.lower);
	ends_check(&r->ends, &r->out, sent_held(&r->sent));
}

static void receive(struct receiver *r, const uint8_t *bytes, size_t n)
{
	uint8_t *pdu = exact_copy(bytes, n);
	int sn = rlc_am_rx_receive(&r->rx, pdu, (uint32_t)n, r->now_ns, &r->out);

	FUZZ_CHECK(sn <= AM_SN_MASK);
	free(pdu);
}

/* Such that more of them get further than of those of any bytes. */
static void receive_made_up(struct receiver *r, struct fuzz_input *in)
{
	uint8_t buf[PDU_MAX] = { 0 }, flags = fuzz_u8(in);
	struct am_pdu am = { .fi = flags & 3,
		             .rf = flags >> 2 & 1,
		             .poll = flags >> 3 & 1,
		             .lsf = flags >> 4 & 1,
		             .so = flags >> 5 & 1 ? (uint16_t)fuzz_range(in, 0, 60) : 0 };
	size_t data = fuzz_elements(in, &am.n, am.len);

	am.sn = (uint16_t)((r->rx.reassembly.lower +
	                    FUZZ_PICK(in, 0, 1, 2, 3, 4, 5, 100, 511, 512)) &
	                   AM_SN_MASK);
	sent_add(&r->sent, &r->ends, &r->pool, in, am.sn);
	receive(r, buf, am_pack(&am, buf) + data);
}

static void pass(struct receiver *r, int64_t ns)
{
	r->now_ns += ns;
	if (r->rx.reordering_expiry_ns <= r->now_ns)
		rlc_am_rx_expire(&r->rx, r->now_ns);
	if (r->rx.prohibit_expiry_ns <= r->now_ns)
		r->rx.prohibit_expiry_ns = CELL_NEVER;
}

/* Nothing that it names as missing has come, and all before ACK_SN that it does not name has. */
static void report(struct receiver *r, uint32_t max)
{
	uint32_t all = rlc_am_rx_status_bytes(&r->rx), size, at = 0;
	static struct am_status status, same;
	static uint8_t buf[8192];

	size = rlc_am_rx_status_build(&r->rx, max, r->now_ns, buf, &status);
	FUZZ_CHECK(size <= max && size <= all);
	if (size == 0)
		return;
	FUZZ_CHECK(am_status_unpack(&same, buf, size) == 0 && same.n == status.n);
	FUZZ_CHECK(dist(r, status.ack_sn) <= dist(r, r->rx.vr_ms));
	for (uint16_t sn = r->rx.reassembly.lower; sn != status.ack_sn;
	     sn = (sn + 1) & AM_SN_MASK) {
		const struct rlc_pdu *pdu = r->window[sn];
		bool named = at < status.n && status.nack[at].sn == sn;

		FUZZ_CHECK(named != (pdu && rlc_pdu_complete(pdu)));
		for (; at < status.n && status.nack[at].sn == sn; at++)
			FUZZ_CHECK(!pdu || !rlc_ranges_cover(&pdu->ranges, status.nack[at].so_start,
			                                     status.nack[at].so_start + 1));
	}
	FUZZ_CHECK(at == status.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	static struct receiver r;
	const uint8_t *bytes;

	if (size > 4096)
		return 0;
	start(&r, &in);
	while (in.left > 0) {
		uint32_t what = fuzz_u8(&in);

		if (what < 130) {
			receive_made_up(&r, &in);
		} else if (what < 190) {
			size_t n = fuzz_take(&in, what - 130, &bytes);

			receive(&r, bytes, n);
		} else if (what < 220) {
			pass(&r, (what - 190) * MS);
		} else if (what < 245) {
			report(&r, (what - 220) * 4);
		} else if (what < 250) {
			sent_forget(&r.sent, &r.ends, &r.pool);
		} else {
			rlc_am_rx_finish(&r.rx, &r.out);
			rlc_am_rx_reset(&r.rx);
		}
		check(&r);
	}
	rlc_am_rx_reset(&r.rx);
	sent_forget(&r.sent, &r.ends, &r.pool);
	FUZZ_CHECK(r.pool.n_free == N_PDUS && r.ends.given == 0);
	return 0;
}
