/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_rlc_utran.c - AMD and STATUS PDUs of the UTRAN: what they say lies
 * inside, and means the same packed again; and a transmitter that gets any
 * STATUS PDU accounts for its packets and goes on.
 */
#include <string.h>

#include "fuzz.h"
#include "rlc/utran/am.h"
#include "rlc_feed.h"

#define WINDOW   64
#define N_PDUS   (WINDOW + 1)
#define PDU_SIZE 40

static void check_data(const uint8_t *buf, size_t len)
{
	uint8_t again[RLC_UTRAN_AMD_MAX] = { 0 };
	struct rlc_utran_amd amd, same;
	size_t header, header_again;

	if (len < 2 || rlc_utran_amd_unpack(&amd, &header, buf, len) < 0)
		return;
	FUZZ_CHECK(rlc_utran_is_data(buf) && amd.sn <= RLC_UTRAN_SN_MASK &&
	           amd.n_cuts <= RLC_UTRAN_CUTS_MAX);
	FUZZ_CHECK(header + amd.len <= len && amd.status_at <= len);
	for (uint16_t i = 0; i < amd.n_cuts; i++)
		FUZZ_CHECK(amd.cut[i] <= amd.len && (i == 0 || amd.cut[i] > amd.cut[i - 1]));
	/* Its place is found again in the padding of the same PDU, also when no octet is left for
	 * it. */
	if (amd.status_at) {
		size_t n = len - amd.status_at;

		(void)rlc_utran_amd_pack(&amd, len, again);
		FUZZ_CHECK(rlc_utran_amd_piggyback(again, len, n + 1) == 0);
		FUZZ_CHECK(rlc_utran_amd_piggyback(again, len, n) == amd.status_at);
		return;
	}
	if (RLC_UTRAN_AMD_FIXED + (size_t)amd.n_cuts + amd.len == len - 1 && header + amd.len < len)
		return; /* an indicator of no padding where it is not needed */
	FUZZ_CHECK(rlc_utran_amd_pack(&amd, len, again) == header);
	FUZZ_CHECK(rlc_utran_amd_unpack(&same, &header_again, again, len) == 0);
	FUZZ_CHECK(same.poll == amd.poll && same.sn == amd.sn && same.len == amd.len &&
	           same.n_cuts == amd.n_cuts && header_again == header);
	FUZZ_CHECK(memcmp(same.cut, amd.cut, amd.n_cuts * sizeof(amd.cut[0])) == 0);
}

static bool check_status(struct rlc_utran_status *ret, const uint8_t *buf, size_t len)
{
	static uint8_t again[RLC_UTRAN_SUFIS_MAX * 40];
	static struct rlc_utran_status same;

	if (rlc_utran_status_unpack(ret, buf, len) < 0)
		return false;
	FUZZ_CHECK(ret->n <= RLC_UTRAN_SUFIS_MAX);
	FUZZ_CHECK(rlc_utran_status_pack(ret, again) == rlc_utran_status_bytes(ret));
	FUZZ_CHECK(rlc_utran_status_bytes(ret) <= len);
	FUZZ_CHECK(rlc_utran_status_unpack(&same, again, rlc_utran_status_bytes(ret)) == 0);
	FUZZ_CHECK(same.n == ret->n);
	FUZZ_CHECK(memcmp(same.sufi, ret->sufi, ret->n * sizeof(ret->sufi[0])) == 0);
	return true;
}

struct sender {
	struct rlc_utran_tx tx;
	struct rlc_pool pool;
	struct rlc_pdu pdus[N_PDUS];
	struct rlc_pdu *sent[RLC_UTRAN_SLOTS];
	struct rlc_feed feed;
	uint8_t data[N_PDUS * PDU_SIZE];
	uint32_t discarded;
};

static void start(struct sender *s, uint8_t max_dat, uint16_t window)
{
	const struct rlc_utran_cfg cfg = { .pdu_size = PDU_SIZE,
		                           .window = window,
		                           .max_dat = max_dat,
		                           .poll_pdu = 4,
		                           .poll_window = 90,
		                           .timer_poll_ns = 85000000,
		                           .timer_mrw_ns = 100000000,
		                           .queue_limit = FEED_PKTS };

	feed_pool(&s->pool, s->pdus, s->data, N_PDUS, PDU_SIZE);
	rlc_utran_tx_init(&s->tx, &cfg, s->sent, &s->pool);
	s->feed.queued = s->discarded = 0;
}

/* Every packet is in the queue, in a PDU, about to be marked as ended, or discarded. */
static void check_sender(const struct sender *s)
{
	uint32_t n = s->tx.queue.sdus.n + (s->tx.unmarked ? 1 : 0) + s->discarded, kept = 0;

	for (uint32_t sn = s->tx.vt_a; sn != s->tx.vt_s;
	     sn = (sn + 1) & RLC_UTRAN_SN_MASK, kept++) {
		FUZZ_CHECK(s->sent[sn]);
		n += s->sent[sn]->ends.n;
	}
	FUZZ_CHECK(n == s->feed.queued && kept + s->pool.n_free == N_PDUS);
	FUZZ_CHECK(kept <= s->tx.vt_ws + 1u && s->tx.n_retx <= kept);
}

static void transmit(struct sender *s, int64_t now_ns)
{
	static struct rlc_tx_pdu elements;
	static struct rlc_utran_status status;
	uint8_t buf[PDU_SIZE] = { 0 };
	uint32_t n = rlc_utran_tx_mrw_build(&s->tx, PDU_SIZE, now_ns, buf);

	if (n) {
		FUZZ_CHECK(check_status(&status, buf, n));
		return;
	}
	n = rlc_utran_tx_build(&s->tx, now_ns, buf, &elements).size;
	FUZZ_CHECK(n == 0 || n == PDU_SIZE);
	if (n)
		check_data(buf, n);
}

static void converse(struct fuzz_input *in)
{
	static struct rlc_utran_status status;
	static struct sender s;
	const uint8_t *bytes;
	int64_t now_ns = 0;
	struct rlc_out out = { 0 };

	start(&s, (uint8_t)fuzz_range(in, 0, 3), (uint16_t)FUZZ_PICK(in, WINDOW, 1, 5));
	while (in->left > 0) {
		uint32_t what = fuzz_u8(in);

		now_ns += 10000000;
		if (what < 60) {
			feed_packet(&s.feed, &s.tx.queue, 1 + what * 5);
		} else if (what < 160) {
			transmit(&s, now_ns);
		} else if (what < 240) {
			size_t n = fuzz_take(in, (what - 160) / 2, &bytes);

			out = (struct rlc_out){ 0 };
			if (check_status(&status, bytes, n))
				(void)rlc_utran_tx_status(&s.tx, &status, &out);
			s.discarded += out.discarded.n;
		} else if (what < 248) {
			rlc_utran_tx_poll_expire(&s.tx);
		} else {
			rlc_utran_tx_mrw_expire(&s.tx);
		}
		check_sender(&s);
	}
	out = (struct rlc_out){ 0 };
	rlc_utran_tx_reset(&s.tx, &out);
	FUZZ_CHECK(s.discarded + out.discarded.n == s.feed.queued && s.pool.n_free == N_PDUS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rlc_utran_status status;
	struct fuzz_input in = { data, size };

	if (size > 4096)
		return 0;
	check_data(data, size);
	(void)check_status(&status, data, size);
	converse(&in);
	return 0;
}
