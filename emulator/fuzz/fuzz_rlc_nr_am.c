/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_rlc_nr_am.c - AMD PDUs and STATUS PDUs of NR: what they say means the same packed again; and
 * a transmitter that gets any STATUS PDU keeps its packets and goes on.
 */
#include <string.h>

#include "fuzz.h"
#include "nr_store.h"
#include "rlc/nr/am.h"
#include "rlc_feed.h"

static void check_data(uint8_t sn_bits, const uint8_t *buf, size_t len)
{
	uint8_t again[8] = { 0 };
	struct nr_pdu pdu, same;
	int header = nr_am_unpack(&pdu, sn_bits, buf, len);

	if (header < 0)
		return;
	FUZZ_CHECK((size_t)header < len && pdu.sn < 1u << sn_bits);
	FUZZ_CHECK((pdu.so == 0) == NR_SI_STARTS(pdu.si));
	FUZZ_CHECK(nr_am_pack(&pdu, sn_bits, again) == (uint32_t)header);
	FUZZ_CHECK(nr_am_unpack(&same, sn_bits, again, sizeof(again)) == header);
	FUZZ_CHECK(same.sn == pdu.sn && same.so == pdu.so && same.si == pdu.si &&
	           same.poll == pdu.poll);
}

static bool check_status(struct nr_status_reader *ret, uint8_t sn_bits, const uint8_t *buf,
                         size_t len)
{
	static uint8_t again[8192];
	struct nr_status_reader r, r_again;
	struct nr_status_writer w;
	struct nr_nack nack, same;
	uint32_t n = 0;

	if (nr_status_open(ret, sn_bits, buf, len) < 0)
		return false;
	r = *ret;
	nr_status_start(&w, sn_bits, again);
	for (; nr_status_next(&r, &nack); n++)
		nr_status_add(&w, &nack);
	FUZZ_CHECK(n == ret->n && r.at <= len);
	FUZZ_CHECK(nr_status_end(&w, ret->ack_sn) <= r.at); /* a range of 1 may have been there */
	FUZZ_CHECK(nr_status_open(&r_again, sn_bits, again, w.used) == 0);
	FUZZ_CHECK(r_again.ack_sn == ret->ack_sn && r_again.n == ret->n);
	for (r = *ret; nr_status_next(&r, &nack);) {
		FUZZ_CHECK(nr_status_next(&r_again, &same));
		FUZZ_CHECK(nack.sn == same.sn && nack.range == same.range &&
		           nack.has_so == same.has_so && nack.so_start == same.so_start &&
		           nack.so_end == same.so_end);
	}
	return true;
}

struct sender {
	struct nr_am_tx tx;
	struct rlc_feed feed;
	struct nr_store *store;
	uint32_t slot[131072];
};

static void start(struct sender *s, uint8_t sn_bits)
{
	const struct nr_am_cfg cfg = { .sn_bits = sn_bits,
		                       .poll_pdu = 4,
		                       .poll_byte = 500,
		                       .max_retx_threshold = 4,
		                       .t_poll_retransmit_ns = 45000000,
		                       .queue_limit = FEED_PKTS };

	s->store = store_start();
	nr_am_tx_init(&s->tx, &cfg, s->slot, s->store);
	s->feed.queued = 0;
}

/* What is acknowledged was delivered: a receiver would have taken the packets. */
static void deliver_all(struct sender *s)
{
	for (const struct nr_sdu *sdu = s->tx.first; sdu; sdu = sdu->next)
		(void)nr_am_tx_deliver(&s->tx, sdu->sn);
}

static void check_sender(const struct sender *s)
{
	uint32_t pending = 0, bytes = 0, kept = 0, mask = (1u << s->tx.sn_bits) - 1;
	const struct nr_sdu *last = NULL;

	for (const struct nr_sdu *sdu = s->tx.first; sdu; sdu = sdu->next, kept++) {
		FUZZ_CHECK(!last || ((sdu->sn - last->sn) & mask) < 1u << (s->tx.sn_bits - 1));
		FUZZ_CHECK(sdu->owner == &s->tx && sdu->sent > 0 && sdu->sent <= sdu->p->sdu_len);
		FUZZ_CHECK(sdu->sent == sdu->p->sdu_len || !sdu->next);
		pending += sdu->ranges.n > 0;
		for (uint16_t i = 0; i < sdu->ranges.n; i++) {
			FUZZ_CHECK(sdu->ranges.at[i].to <= sdu->sent);
			bytes += (uint32_t)(sdu->ranges.at[i].to - sdu->ranges.at[i].from);
		}
		last = sdu;
	}
	FUZZ_CHECK(last == s->tx.last && kept + s->store->n_sdus == STORED);
	FUZZ_CHECK(pending == s->tx.n_retx && bytes == s->tx.retx_bytes);
	FUZZ_CHECK(((s->tx.tx_next - nr_am_tx_next_ack(&s->tx)) & mask) <=
	           nr_window_size(s->tx.sn_bits));
}

/* A transmitter that sends now and then, and between hears whatever the input says. */
static void converse(struct fuzz_input *in, uint8_t sn_bits)
{
	static struct sender s;
	uint8_t buf[800];
	const uint8_t *bytes;
	int64_t now_ns = 0;

	start(&s, sn_bits);
	while (in->left > 0) {
		uint32_t what = fuzz_u8(in);

		now_ns += 1000000;
		if (what < 60) {
			feed_packet(&s.feed, &s.tx.queue, 3 + what * 20);
		} else if (what < 160) {
			uint32_t max = what < 70 ? what - 60 : (what - 60) * 4;
			struct nr_am_built b = nr_am_tx_build(&s.tx, max, now_ns, buf);

			FUZZ_CHECK(b.size <= max);
			if (b.size)
				check_data(sn_bits, buf, b.size);
		} else if (what < 250) {
			size_t n = fuzz_take(in, (what - 160) / 2, &bytes);
			struct nr_status_reader status;

			deliver_all(&s);
			if (check_status(&status, sn_bits, bytes, n))
				(void)nr_am_tx_status(&s.tx, status);
		} else if (what < 254) {
			nr_am_tx_expire(&s.tx);
		} else {
			nr_am_tx_reset(&s.tx);
		}
		check_sender(&s);
	}
	nr_am_tx_reset(&s.tx);
	FUZZ_CHECK(s.tx.queue.sdus.n <= s.feed.queued && s.store->n_sdus == STORED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nr_status_reader status;
	struct fuzz_input in = { data, size };

	if (size > 4096)
		return 0;
	for (uint8_t sn_bits = 12; sn_bits <= 18; sn_bits += 6) {
		check_data(sn_bits, data, size);
		(void)check_status(&status, sn_bits, data, size);
	}
	converse(&in, fuzz_range(&in, 0, 1) ? 12 : 18);
	return 0;
}
