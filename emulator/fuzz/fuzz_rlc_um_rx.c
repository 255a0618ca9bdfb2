/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_rlc_um_rx.c - a UM receiver that gets PDUs of any bytes and any packets beside them, while
 * its timer runs: no packet and no PDU of its pool is lost, and its variables stay those of
 * TS 36.322 7.1.
 */
#include "rlc/lte/um/pdu.h"
#include "rlc/lte/um/um.h"
#include "rlc_ends.h"
#include "rlc_feed.h"

#define SLOTS    1024
#define N_PDUS   (SLOTS / 2 + 1) /* as cell_init() provides */
#define DATA_MAX 200
#define PDU_MAX  300 /* longer ones are refused */
#define MS       INT64_C(1000000)

struct receiver {
	struct rlc_um_rx rx;
	struct rlc_pool pool;
	struct rlc_pdu pdus[N_PDUS];
	struct rlc_pdu *window[SLOTS];
	struct rlc_ends ends;
	struct rlc_out out;
	uint8_t data[N_PDUS * DATA_MAX];
	uint32_t n_pdus;
	int64_t now_ns;
};

static void start(struct receiver *r, struct fuzz_input *in)
{
	uint8_t sn_bits = fuzz_range(in, 0, 1) ? 10 : 5;
	int64_t t_reordering_ns = FUZZ_PICK(in, 35, 0, 5) * MS;
	enum cell_delivery delivery = (enum cell_delivery)fuzz_range(in, 0, 1);

	r->n_pdus = (1u << sn_bits) / 2 + 1;
	feed_pool(&r->pool, r->pdus, r->data, r->n_pdus, DATA_MAX);
	rlc_um_rx_init(&r->rx, sn_bits, t_reordering_ns, delivery, r->window, &r->pool);
	ends_start(&r->ends);
	r->out = (struct rlc_out){ 0 };
	r->now_ns = 0;
}

static void check(struct receiver *r)
{
	const struct rlc_um_rx *rx = &r->rx;
	uint16_t mask = rx->reassembly.mask;
	uint16_t open = (uint16_t)((rx->vr_uh - rx->vr_ur) & mask);
	uint32_t held = 0, kept = 0;

	for (uint32_t sn = 0; sn <= mask; sn++) {
		if (!r->window[sn])
			continue;
		kept++;
		held += r->window[sn]->ends.n;
		FUZZ_CHECK(((sn - rx->vr_ur) & mask) < open);
	}
	FUZZ_CHECK(kept + r->pool.n_free == r->n_pdus);
	FUZZ_CHECK(open <= (mask + 1) / 2 && rx->reassembly.lower == rx->vr_ur);
	FUZZ_CHECK(!r->window[rx->vr_ur]);
	FUZZ_CHECK((rx->expiry_ns != CELL_NEVER) == (open > 0));
	ends_check(&r->ends, &r->out, held);
}

static void receive(struct receiver *r, struct fuzz_input *in, const uint8_t *bytes, size_t n)
{
	uint8_t *pdu = exact_copy(bytes, n);
	struct pkt_queue ends = { 0 };
	int sn;

	ends_give(&r->ends, in, &ends);
	sn = rlc_um_rx_receive(&r->rx, pdu, (uint32_t)n, &ends, r->now_ns, &r->out);
	FUZZ_CHECK(sn <= r->rx.reassembly.mask && !ends.head);
	free(pdu);
}

/* Such that more of them get further than of those of any bytes. */
static void receive_made_up(struct receiver *r, struct fuzz_input *in)
{
	uint8_t buf[PDU_MAX] = { 0 };
	struct um_pdu um = { .fi = (uint8_t)fuzz_range(in, 0, 3) };
	size_t data = fuzz_elements(in, &um.n, um.len);

	um.sn = (uint16_t)((r->rx.vr_uh + FUZZ_PICK(in, 0, 1, 2, SLOTS - 1, SLOTS - 2, 15, 300)) &
	                   r->rx.reassembly.mask);
	receive(r, in, buf, um_pack(&um, r->rx.sn_bits, buf) + data);
}

static void pass(struct receiver *r, int64_t ns)
{
	r->now_ns += ns;
	while (r->rx.expiry_ns <= r->now_ns && r->rx.t_reordering_ns > 0)
		rlc_um_rx_expire(&r->rx, r->rx.expiry_ns, &r->out);
	if (r->rx.expiry_ns <= r->now_ns)
		rlc_um_rx_expire(&r->rx, r->now_ns, &r->out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	static struct receiver r;
	struct pkt_queue given_up = { 0 };
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
		} else if (what < 250) {
			pass(&r, (what - 220) * MS);
		} else if (what < 253) {
			rlc_um_rx_flush(&r.rx, &given_up);
			ends_back(&r.ends, &given_up);
		} else {
			rlc_um_rx_reestablish(&r.rx, &r.out);
		}
		check(&r);
	}
	rlc_um_rx_flush(&r.rx, &given_up);
	ends_back(&r.ends, &given_up);
	FUZZ_CHECK(r.pool.n_free == r.n_pdus && r.ends.given == 0);
	return 0;
}
