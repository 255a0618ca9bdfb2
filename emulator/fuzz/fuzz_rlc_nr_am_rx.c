/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_rlc_nr_am_rx.c - an AM receiver of NR that gets PDUs of any bytes, while its timers run and
 * STATUS PDUs leave: no packet and no memory is lost, its variables stay those of TS 38.322 7.1,
 * and what it says of itself is true.
 */
#include <string.h>

#include "fuzz.h"
#include "nr_store.h"
#include "rlc/nr/am.h"
#include "rlc_ends.h"
#include "rlc_feed.h"

#define PDU_MAX 1600 /* longer ones are refused */
#define SDU_LEN 40
#define MS      INT64_C(1000000)

struct receiver {
	struct nr_am_tx tx; /* of which some SDUs are on their way */
	struct nr_am_rx rx;
	struct rlc_feed feed;
	struct nr_store *store;
	struct rlc_out out;
	uint32_t slot[131072];
	uint64_t words[2 * 2048];
	uint32_t came; /* packets that came out */
	int64_t now_ns;
};

static void start(struct receiver *r, struct fuzz_input *in)
{
	struct nr_am_cfg cfg = { .sn_bits = fuzz_range(in, 0, 1) ? 18 : 12,
		                 .poll_pdu = 1000,
		                 .poll_byte = 100000,
		                 .queue_limit = FEED_PKTS };
	uint32_t n = fuzz_range(in, 0, FEED_PKTS);
	uint8_t buf[SDU_LEN + 3];

	r->store = store_start();
	nr_am_tx_init(&r->tx, &cfg, r->slot, r->store);
	nr_am_rx_init(&r->rx, cfg.sn_bits, FUZZ_PICK(in, 35, 0, 5) * MS, FUZZ_PICK(in, 0, 10) * MS,
	              r->words, &r->tx, r->store);
	r->feed.queued = r->came = 0;
	r->out = (struct rlc_out){ 0 };
	r->now_ns = 0;
	while (n-- > 0) {
		feed_packet(&r->feed, &r->tx.queue, SDU_LEN);
		(void)nr_am_tx_build(&r->tx, sizeof(buf), 0, buf);
	}
}

static uint32_t dist(const struct receiver *r, uint32_t sn)
{
	return nr_window_dist(&r->rx.window, r->rx.rx_next, sn);
}

static void check(struct receiver *r)
{
	const struct nr_am_rx *rx = &r->rx;
	uint32_t kept = 0, delivered = 0;

	for (uint32_t i = 0; i < NR_BUCKETS; i++)
		for (const struct nr_part *part = rx->window.part[i]; part; part = part->next) {
			kept++;
			FUZZ_CHECK(dist(r, part->sn) < dist(r, rx->rx_next_highest));
			FUZZ_CHECK(!bits_get(rx->window.done, part->sn));
			FUZZ_CHECK(part->ranges.n > 0 && !nr_part_complete(part));
			FUZZ_CHECK(part->ranges.at[part->ranges.n - 1].to <= NR_SDU_MAX);
		}
	FUZZ_CHECK(kept == rx->window.n_parts && kept + store_parts(r->store) == STORED);
	FUZZ_CHECK(dist(r, rx->rx_highest_status) <= dist(r, rx->rx_next_highest));
	FUZZ_CHECK(dist(r, rx->rx_next_highest) <= rx->window.size);
	FUZZ_CHECK(rx->rx_next == rx->rx_next_highest || !bits_get(rx->window.done, rx->rx_next));
	FUZZ_CHECK(rx->reassembly_expiry_ns == CELL_NEVER || rx->rx_next != rx->rx_next_highest);
	r->came += r->out.delivered.n + r->out.discarded.n;
	for (const struct nr_sdu *sdu = r->tx.first; sdu; sdu = sdu->next)
		delivered += !sdu->spare;
	FUZZ_CHECK(delivered == r->came);
	r->out = (struct rlc_out){ 0 };
}

static void receive(struct receiver *r, const uint8_t *bytes, size_t n)
{
	uint8_t *pdu = exact_copy(bytes, n);
	int sn = nr_am_rx_receive(&r->rx, pdu, (uint32_t)n, r->now_ns, &r->out);

	FUZZ_CHECK(sn < 1 << r->rx.sn_bits);
	free(pdu);
}

/* Such that more of them get further than of those of any bytes. */
static void receive_made_up(struct receiver *r, struct fuzz_input *in)
{
	uint8_t buf[PDU_MAX] = { 0 }, flags = fuzz_u8(in);
	struct nr_pdu pdu = { .si = flags & 3, .poll = flags >> 2 & 1 };
	uint32_t data = FUZZ_PICK(in, 1, 2, 3, 10, 20, SDU_LEN, 1504);

	pdu.so = NR_SI_STARTS(pdu.si) ? 0 : (uint16_t)fuzz_range(in, 1, 50);
	pdu.sn = nr_window_next(
		&r->rx.window, r->rx.rx_next,
		FUZZ_PICK(in, 0, 1, 2, 3, 4, 5, 100, r->rx.window.size - 1, r->rx.window.size));
	receive(r, buf, nr_am_pack(&pdu, r->rx.sn_bits, buf) + data);
}

static void pass(struct receiver *r, int64_t ns)
{
	r->now_ns += ns;
	if (r->rx.reassembly_expiry_ns <= r->now_ns)
		nr_am_rx_expire(&r->rx, r->now_ns);
	if (r->rx.prohibit_expiry_ns <= r->now_ns)
		r->rx.prohibit_expiry_ns = CELL_NEVER;
}

/* An SDU has bytes missing from @from on. */
static bool is_missing(const struct receiver *r, uint32_t sn, uint32_t from)
{
	const struct nr_part *part = nr_window_part(&r->rx.window, sn);

	if (bits_get(r->rx.window.done, sn))
		return false;
	return !part || !rlc_ranges_cover(&part->ranges, (uint16_t)from, (uint16_t)(from + 1));
}

/* Nothing that it names as missing has come, and all before ACK_SN that it does not name has. */
static void report(struct receiver *r, uint32_t max)
{
	uint32_t all = nr_am_rx_status_bytes(&r->rx), ack_sn, n, size, sn = r->rx.rx_next;
	static uint8_t buf[70000];
	struct nr_status_reader status;
	struct nr_nack nack;

	size = nr_am_rx_status_build(&r->rx, max, r->now_ns, buf, &ack_sn, &n);
	FUZZ_CHECK(size <= max && size <= all);
	if (size == 0)
		return;
	FUZZ_CHECK(nr_status_open(&status, r->rx.sn_bits, buf, size) == 0 && status.n == n);
	FUZZ_CHECK(dist(r, status.ack_sn) <= dist(r, r->rx.rx_highest_status));
	while (nr_status_next(&status, &nack)) {
		for (; sn != nack.sn && dist(r, sn) < dist(r, nack.sn);
		     sn = nr_window_next(&r->rx.window, sn, 1))
			FUZZ_CHECK(bits_get(r->rx.window.done, sn));
		for (uint32_t i = 0; i < nack.range; i++)
			FUZZ_CHECK(is_missing(r, nr_window_next(&r->rx.window, nack.sn, i),
			                      i == 0 ? nack.so_start : 0));
		sn = nr_window_next(&r->rx.window, nack.sn, nack.range);
	}
	for (; dist(r, sn) < dist(r, ack_sn); sn = nr_window_next(&r->rx.window, sn, 1))
		FUZZ_CHECK(bits_get(r->rx.window.done, sn));
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
		} else if (what < 253) {
			report(&r, what < 250 ? (what - 220) * 4 : 60000);
		} else {
			nr_am_rx_reset(&r.rx);
		}
		check(&r);
	}
	nr_am_rx_reset(&r.rx);
	FUZZ_CHECK(store_parts(r.store) == STORED);
	return 0;
}
