/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_rlc_nr_um_rx.c - a UM receiver of NR that gets PDUs of any bytes and any packets beside
 * them, while its timer runs: no packet and no memory is lost, and its variables stay those of
 * TS 38.322 7.1.
 */
#include "fuzz.h"
#include "nr_store.h"
#include "rlc/nr/um.h"
#include "rlc_ends.h"

#define PDU_MAX 1600 /* longer ones are refused */
#define MS      INT64_C(1000000)

struct receiver {
	struct nr_um_rx rx;
	struct nr_store *store;
	struct rlc_ends ends;
	struct rlc_out out;
	uint64_t words[32];
	int64_t now_ns;
};

static void start(struct receiver *r, struct fuzz_input *in)
{
	r->store = store_start();
	nr_um_rx_init(&r->rx, fuzz_range(in, 0, 1) ? 12 : 6, FUZZ_PICK(in, 35, 0, 5) * MS, r->words,
	              r->store);
	ends_start(&r->ends);
	r->out = (struct rlc_out){ 0 };
	r->now_ns = 0;
}

static void check(struct receiver *r)
{
	const struct nr_um_rx *rx = &r->rx;
	uint32_t open = nr_window_dist(&rx->window, rx->rx_next_reassembly, rx->rx_next_highest);
	uint32_t kept = 0, held = 0;

	for (uint32_t i = 0; i < NR_BUCKETS; i++)
		for (const struct nr_part *part = rx->window.part[i]; part; part = part->next) {
			kept++;
			held += part->p != NULL;
			FUZZ_CHECK(nr_window_dist(&rx->window, rx->rx_next_reassembly, part->sn) <
			           open);
			FUZZ_CHECK(part->ranges.n > 0 && !nr_part_complete(part));
		}
	FUZZ_CHECK(kept == rx->window.n_parts && kept + store_parts(r->store) == STORED);
	FUZZ_CHECK(open <= rx->window.size);
	FUZZ_CHECK(open == 0 || !bits_get(rx->window.done, rx->rx_next_reassembly));
	FUZZ_CHECK(rx->expiry_ns == CELL_NEVER || open > 0);
	FUZZ_CHECK(rx->expiry_ns != CELL_NEVER || open <= 1);
	ends_check(&r->ends, &r->out, held);
}

/* At most one packet ends in a PDU. */
static void receive(struct receiver *r, struct fuzz_input *in, const uint8_t *bytes, size_t n)
{
	uint8_t *pdu = exact_copy(bytes, n);
	struct pkt_queue ends = { 0 }, back = { 0 };
	uint32_t sn = 0;

	ends_give(&r->ends, in, &ends);
	while (ends.n > 1)
		pkt_enqueue(&back, pkt_dequeue(&ends));
	ends_back(&r->ends, &back);
	if (nr_um_rx_receive(&r->rx, pdu, (uint32_t)n, &ends, r->now_ns, &r->out, &sn) == 0)
		FUZZ_CHECK(sn == NR_SN_NONE || sn < 1u << r->rx.sn_bits);
	/* That of a segment which is not the last stays with the caller. */
	ends_back(&r->ends, &ends);
	free(pdu);
}

/* Such that more of them get further than of those of any bytes. */
static void receive_made_up(struct receiver *r, struct fuzz_input *in)
{
	uint8_t buf[PDU_MAX] = { 0 };
	struct nr_pdu pdu = { .si = (uint8_t)fuzz_range(in, 0, 3) };
	uint32_t data = FUZZ_PICK(in, 1, 2, 3, 10, 20, 40, 1504);

	pdu.so = NR_SI_STARTS(pdu.si) ? 0 : (uint16_t)fuzz_range(in, 1, 50);
	pdu.sn = nr_window_next(&r->rx.window, r->rx.rx_next_highest,
	                        FUZZ_PICK(in, 0, 1, 2, 5, 15, r->rx.window.size - 1,
	                                  r->rx.window.size, 2 * r->rx.window.size - 1,
	                                  2 * r->rx.window.size - 2));
	receive(r, in, buf, nr_um_pack(&pdu, r->rx.sn_bits, buf) + data);
}

static void pass(struct receiver *r, int64_t ns)
{
	r->now_ns += ns;
	while (r->rx.expiry_ns <= r->now_ns)
		nr_um_rx_expire(&r->rx, r->rx.expiry_ns, &r->out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	struct pkt_queue given_up = { 0 };
	static struct receiver r;
	const uint8_t *bytes;

	if (size > 4096)
		return 0;
	start(&r, &in);
	while (in.left > 0) {
		uint32_t what = fuzz_u8(&in);

		if (what < 150) {
			receive_made_up(&r, &in);
		} else if (what < 220) {
			size_t n = fuzz_take(&in, what - 150, &bytes);

			receive(&r, &in, bytes, n);
		} else if (what < 252) {
			pass(&r, (what - 220) * MS);
		} else {
			nr_um_rx_reset(&r.rx, &given_up);
			ends_back(&r.ends, &given_up);
		}
		check(&r);
	}
	nr_um_rx_reset(&r.rx, &given_up);
	ends_back(&r.ends, &given_up);
	FUZZ_CHECK(store_parts(r.store) == STORED && r.ends.given == 0);
	return 0;
}
