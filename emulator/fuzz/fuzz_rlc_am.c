/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_rlc_am.c - AMD PDUs, segments and STATUS PDUs: what they say lies
 * inside, and means the same packed again; and a transmitter that gets any
 * STATUS PDU keeps its packets and goes on.
 */
#include <string.h>

#include "fuzz.h"
#include "rlc/lte/am/am.h"
#include "rlc_feed.h"

#define N_PDUS   64
#define DATA_MAX 400

static void check_data(const uint8_t *buf, size_t len)
{
	uint8_t again[4096] = { 0 };
	struct am_pdu am, same;
	size_t header, header_again, data = 0;

	if (len == 0 || am_unpack(&am, &header, buf, len) < 0)
		return;
	FUZZ_CHECK(am_is_data(buf) && am.n >= 1 && am.n <= RLC_ELEMENTS_MAX && am.sn <= AM_SN_MASK);
	for (uint16_t i = 0; i < am.n; i++) {
		FUZZ_CHECK(am.len[i] > 0);
		data += am.len[i];
	}
	FUZZ_CHECK(header + data == len && header == am_header_bytes(am.rf, am.n));
	FUZZ_CHECK(am_pack(&am, again) == header);
	FUZZ_CHECK(am_unpack(&same, &header_again, again, len) == 0 && header_again == header);
	FUZZ_CHECK(same.rf == am.rf && same.poll == am.poll && same.lsf == am.lsf &&
	           same.fi == am.fi && same.sn == am.sn && same.so == am.so && same.n == am.n);
	FUZZ_CHECK(memcmp(same.len, am.len, am.n * sizeof(am.len[0])) == 0);
}

static bool check_status(struct am_status *ret, const uint8_t *buf, size_t len)
{
	static struct am_status same;
	static uint8_t again[8192];
	uint16_t n_so = 0;
	size_t size;

	if (am_status_unpack(ret, buf, len) < 0)
		return false;
	FUZZ_CHECK(ret->n <= AM_NACKS_MAX && ret->ack_sn <= AM_SN_MASK);
	for (uint16_t i = 0; i < ret->n; i++)
		n_so = (uint16_t)(n_so + ret->nack[i].has_so);
	size = am_status_pack(ret, again);
	FUZZ_CHECK(size == am_status_bytes(ret->n, n_so) && size <= len);
	FUZZ_CHECK(am_status_unpack(&same, again, size) == 0);
	FUZZ_CHECK(same.ack_sn == ret->ack_sn && same.n == ret->n);
	for (uint16_t i = 0; i < ret->n; i++)
		FUZZ_CHECK(same.nack[i].sn == ret->nack[i].sn &&
		           same.nack[i].has_so == ret->nack[i].has_so &&
		           same.nack[i].so_start == ret->nack[i].so_start &&
		           same.nack[i].so_end == ret->nack[i].so_end);
	return true;
}

struct sender {
	struct rlc_am_tx tx;
	struct rlc_pool pool;
	struct rlc_pdu pdus[N_PDUS];
	struct rlc_pdu *sent[AM_SLOTS];
	struct rlc_feed feed;
	uint8_t data[N_PDUS * DATA_MAX];
};

static void start(struct sender *s)
{
	const struct rlc_am_cfg cfg = { .poll_pdu = 4,
		                        .poll_byte = 500,
		                        .max_retx_threshold = 4,
		                        .t_poll_retransmit_ns = 45000000,
		                        .queue_limit = FEED_PKTS };

	feed_pool(&s->pool, s->pdus, s->data, N_PDUS, DATA_MAX);
	rlc_am_tx_init(&s->tx, &cfg, s->sent, &s->pool);
	s->feed.queued = 0;
}

/* What is acknowledged was delivered: a receiver would have taken the packets. */
static void deliver_all(struct sender *s)
{
	for (uint32_t sn = s->tx.vt_a; sn != s->tx.vt_s; sn = (sn + 1) & AM_SN_MASK)
		s->sent[sn]->ends = (struct pkt_queue){ 0 };
}

static void check_sender(const struct sender *s)
{
	uint32_t pending = 0, kept = 0;

	for (uint32_t sn = s->tx.vt_a; sn != s->tx.vt_s; sn = (sn + 1) & AM_SN_MASK, kept++) {
		FUZZ_CHECK(s->sent[sn]);
		pending += s->sent[sn]->ranges.n > 0;
	}
	FUZZ_CHECK(pending == s->tx.n_retx && kept + s->pool.n_free == N_PDUS);
	FUZZ_CHECK(((s->tx.vt_s - s->tx.vt_a) & AM_SN_MASK) <= AM_WINDOW);
	FUZZ_CHECK((s->tx.n_retx > 0) == (s->tx.retx_bytes > 0));
}

/* A transmitter that sends now and then, and between hears whatever the input says. */
static void converse(struct fuzz_input *in)
{
	static struct sender s;
	static struct am_status status;
	static struct rlc_tx_pdu elements;
	uint8_t buf[DATA_MAX + 500];
	const uint8_t *bytes;
	int64_t now_ns = 0;

	start(&s);
	while (in->left > 0) {
		uint32_t what = fuzz_u8(in);

		now_ns += 1000000;
		if (what < 60) {
			feed_packet(&s.feed, &s.tx.queue, 3 + what * 20);
		} else if (what < 160 && s.pool.n_free > 0) {
			uint32_t max = what < 70 ? what - 60 : (what - 60) * 4;
			struct rlc_am_built b = rlc_am_tx_build(&s.tx, max, now_ns, buf, &elements);

			FUZZ_CHECK(b.size <= max);
			if (b.size)
				check_data(buf, b.size);
		} else if (what < 250) {
			size_t n = fuzz_take(in, (what - 160) / 2, &bytes);

			deliver_all(&s);
			if (check_status(&status, bytes, n))
				(void)rlc_am_tx_status(&s.tx, &status);
		} else {
			rlc_am_tx_expire(&s.tx);
		}
		check_sender(&s);
	}
	rlc_am_tx_reset(&s.tx);
	FUZZ_CHECK(s.tx.queue.sdus.n <= s.feed.queued && s.pool.n_free == N_PDUS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct am_status status;
	struct fuzz_input in = { data, size };

	if (size > 4096)
		return 0;
	check_data(data, size);
	(void)check_status(&status, data, size);
	converse(&in);
	return 0;
}
