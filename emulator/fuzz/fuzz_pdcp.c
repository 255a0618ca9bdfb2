/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_pdcp.c - a receiving PDCP entity that gets any data PDUs: every packet
 * comes out once or is held, and what is in order stays in order.
 */
#include <string.h>

#include "fuzz.h"
#include "pdcp/lte/pdcp.h"

#define N_PKTS 200

static uint32_t settle(struct pdcp_out *out, uint32_t *next_count, bool ordered)
{
	uint32_t n = out->delivered.n + out->discarded.n + out->duplicates.n;
	struct pkt *p;

	while ((p = pkt_dequeue(&out->delivered))) {
		FUZZ_CHECK(p->len > 0 && p->len <= CELL_UE_MTU_MAX);
		if (!ordered)
			continue;
		FUZZ_CHECK(p->count >= *next_count);
		*next_count = p->count + 1;
	}
	*out = (struct pdcp_out){ 0 };
	return n;
}

static void receive(struct pdcp_rx *rx, struct fuzz_input *in, struct pkt *p, int64_t now_ns,
                    struct pdcp_out *out)
{
	const uint8_t *bytes;
	size_t n;

	pkt_reset(p);
	p->len = (uint16_t)fuzz_range(in, 1, 8);
	p->sdu_len = (uint16_t)(p->len + pdcp_header_bytes(rx->sn_bits));
	memset(pkt_sdu(p), 0x80, p->sdu_len);
	n = fuzz_take(in, pdcp_header_bytes(rx->sn_bits), &bytes);
	if (n > 0)
		memcpy(pkt_sdu(p), bytes, n);
	FUZZ_CHECK(pdcp_receive(rx, p, fuzz_range(in, 0, 7) == 0, now_ns, out) < 1 << rx->sn_bits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pkt pkt[N_PKTS];
	struct fuzz_input in = { data, size };
	enum pdcp_order order = (enum pdcp_order)fuzz_range(&in, 0, 2);
	uint8_t sn_bits = order == PDCP_ORDER_AM ? 12 : (uint8_t)FUZZ_PICK(&in, 12, 7);
	bool ordered = order == PDCP_ORDER_TIMER;
	uint32_t came = 0, ended = 0, next_count = 0;
	struct pdcp_out out = { 0 };
	struct pdcp_rx rx;
	int64_t now_ns = 0;

	pdcp_rx_init(&rx, sn_bits, order, fuzz_range(&in, 0, 100) * INT64_C(1000000));
	while (in.left > 0 && came < N_PKTS) {
		now_ns += fuzz_range(&in, 0, 50) * INT64_C(1000000);
		if (rx.expiry_ns <= now_ns) {
			pdcp_expire(&rx, rx.expiry_ns, &out);
			ended += settle(&out, &next_count, ordered);
		}
		receive(&rx, &in, &pkt[came++], now_ns, &out);
		ended += settle(&out, &next_count, ordered);
		FUZZ_CHECK(ended + rx.held.n == came);
		FUZZ_CHECK(ordered || rx.held.n == 0 || order == PDCP_ORDER_AM);
	}
	return 0;
}
