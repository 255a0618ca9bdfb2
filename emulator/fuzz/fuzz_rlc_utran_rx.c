/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_rlc_utran_rx.c - a receiver of the UTRAN that gets AMD and STATUS PDUs of any bytes, while
 * its timer runs and STATUS PDUs leave: no packet and no PDU of its pool is lost, and its window
 * stays that of TS 25.322 9.4.
 */
#include "rlc/utran/am.h"
#include "rlc_ends.h"
#include "rlc_feed.h"

#define PDU_SIZE   20
#define WINDOW_MAX 64
#define N_PDUS     (WINDOW_MAX + SENT_PDUS)
#define MS         INT64_C(1000000)

struct receiver {
	struct rlc_utran_rx rx;
	struct rlc_pool pool;
	struct rlc_pdu pdus[N_PDUS];
	struct rlc_pdu *window[RLC_UTRAN_SLOTS];
	struct rlc_pdu *sent_slot[RLC_UTRAN_SLOTS];
	struct rlc_sent sent;
	struct rlc_ends ends;
	struct rlc_out out;
	uint8_t data[N_PDUS * PDU_SIZE];
	uint32_t n_pdus;
	int64_t now_ns;
};

static void start(struct receiver *r, struct fuzz_input *in)
{
	const struct rlc_utran_cfg cfg = {
		.pdu_size = (uint16_t)FUZZ_PICK(in, PDU_SIZE, RLC_UTRAN_AMD_MIN, 8),
		.window = (uint16_t)FUZZ_PICK(in, 8, 1, 2, WINDOW_MAX),
		.timer_status_prohibit_ns = FUZZ_PICK(in, 0, 40) * MS,
	};

	r->n_pdus = cfg.window + SENT_PDUS;
	feed_pool(&r->pool, r->pdus, r->data, r->n_pdus, PDU_SIZE);
	rlc_utran_rx_init(&r->rx, &cfg, r->window, r->sent_slot, &r->pool);
	ends_start(&r->ends);
	r->sent = (struct rlc_sent){ .slot = r->sent_slot };
	r->out = (struct rlc_out){ 0 };
	r->now_ns = 0;
}

static uint16_t dist(const struct receiver *r, uint32_t sn)
{
	return (uint16_t)((sn - r->rx.vr_r) & RLC_UTRAN_SN_MASK);
}

static void check(struct receiver *r)
{
	uint16_t high = dist(r, r->rx.vr_h);
	uint32_t kept = 0;

	FUZZ_CHECK(high <= r->rx.window_size && !r->window[r->rx.vr_r]);
	for (uint16_t i = 0; i < high; i++)
		kept += r->window[(r->rx.vr_r + i) & RLC_UTRAN_SN_MASK] != NULL;
	FUZZ_CHECK(kept + r->sent.n + r->pool.n_free == r->n_pdus);
	ends_check(&r->ends, &r->out, sent_held(&r->sent));
}

static void receive(struct receiver *r, const uint8_t *bytes, size_t n)
{
	uint8_t *pdu = exact_copy(bytes, n);
	int sn = rlc_utran_rx_receive(&r->rx, pdu, (uint32_t)n, &r->out);

	FUZZ_CHECK(sn <= RLC_UTRAN_SN_MASK);
	free(pdu);
}

/* An SN near those expected; now and then far. */
static uint16_t near(const struct receiver *r, struct fuzz_input *in)
{
	return (uint16_t)((r->rx.vr_r + FUZZ_PICK(in, 0, 1, 2, 3, 7, 8, 9, 64, 65, 2048, 4095)) &
	                  RLC_UTRAN_SN_MASK);
}

/* Such that more of them get further than of those of any bytes. */
static void receive_made_up(struct receiver *r, struct fuzz_input *in)
{
	uint16_t sn = near(r, in);
	uint8_t buf[PDU_SIZE] = { (uint8_t)(0x80 | sn >> 5), (uint8_t)(sn << 3) };
	uint8_t n_li = (uint8_t)fuzz_range(in, 0, 3), poll = (uint8_t)fuzz_range(in, 0, 1);

	buf[1] |= (uint8_t)(poll << 2 | (n_li > 0));
	for (uint8_t i = 0; i < n_li; i++)
		buf[2 + i] = (uint8_t)(FUZZ_PICK(in, 0, 1, 2, 5, 10, RLC_UTRAN_LI_PADDING,
		                                 RLC_UTRAN_LI_STATUS)
		                               << 1 |
		                       (i + 1 < n_li));
	sent_add(&r->sent, &r->ends, &r->pool, in, sn);
	receive(r, buf, r->rx.pdu_size);
}

static void hear(struct receiver *r, const uint8_t *bytes, size_t n)
{
	static struct rlc_utran_status status;
	uint8_t *pdu = exact_copy(bytes, n);

	if (rlc_utran_status_unpack(&status, pdu, n) == 0)
		rlc_utran_rx_status(&r->rx, &status, &r->out);
	free(pdu);
}

static void hear_mrw(struct receiver *r, struct fuzz_input *in)
{
	const struct rlc_utran_status status = {
		.n = 1,
		.sufi = { { .type = RLC_UTRAN_SUFI_MRW,
		            .n = (uint8_t)fuzz_range(in, 0, 1),
		            .n_li = (uint8_t)fuzz_range(in, 0, 3),
		            .sn = { near(r, in) } } },
	};

	rlc_utran_rx_status(&r->rx, &status, &r->out);
}

/* Whatever it names as missing has not come. */
static void report(struct receiver *r, uint32_t max)
{
	static struct rlc_utran_status status, same;
	static uint8_t buf[256];
	uint32_t size = rlc_utran_rx_status_build(&r->rx, max, r->now_ns, buf, &status);

	FUZZ_CHECK(size <= max);
	if (size == 0)
		return;
	FUZZ_CHECK(rlc_utran_status_unpack(&same, buf, size) == 0 && same.n == status.n);
	for (uint16_t i = 0; i < status.n; i++) {
		const struct rlc_utran_sufi *sufi = &status.sufi[i];

		for (uint8_t k = 0; sufi->type == RLC_UTRAN_SUFI_LIST && k < sufi->n; k++)
			for (uint8_t l = 0; l <= sufi->l[k]; l++)
				FUZZ_CHECK(!r->window[(sufi->sn[k] + l) & RLC_UTRAN_SN_MASK]);
		FUZZ_CHECK(sufi->type != RLC_UTRAN_SUFI_ACK ||
		           dist(r, sufi->sn[0]) <= dist(r, r->rx.vr_h));
	}
}

static void pass(struct receiver *r, int64_t ns)
{
	r->now_ns += ns;
	if (r->rx.prohibit_expiry_ns <= r->now_ns)
		rlc_utran_rx_expire(&r->rx);
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

		if (what < 120) {
			receive_made_up(&r, &in);
		} else if (what < 150) {
			size_t n = fuzz_take(&in, r.rx.pdu_size, &bytes);

			receive(&r, bytes, n);
		} else if (what < 190) {
			size_t n = fuzz_take(&in, what - 150, &bytes);

			hear(&r, bytes, n);
		} else if (what < 210) {
			hear_mrw(&r, &in);
		} else if (what < 220) {
			pass(&r, (what - 210) * 5 * MS);
		} else if (what < 245) {
			report(&r, (what - 220) * 2);
		} else if (what < 252) {
			sent_forget(&r.sent, &r.ends, &r.pool);
		} else {
			rlc_utran_rx_reset(&r.rx);
		}
		check(&r);
	}
	rlc_utran_rx_reset(&r.rx);
	sent_forget(&r.sent, &r.ends, &r.pool);
	FUZZ_CHECK(r.pool.n_free == r.n_pdus && r.ends.given == 0);
	return 0;
}
