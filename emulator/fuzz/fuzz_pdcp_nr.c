/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_pdcp_nr.c - a receiving PDCP entity of NR that gets any data PDUs: every packet comes out
 * once or is held, no COUNT twice, and in order where that is asked for; and status reports of any
 * bytes.
 */
#include <string.h>

#include "fuzz.h"
#include "pdcp/nr/pdcp.h"

#define N_PKTS 200
#define MS     INT64_C(1000000)

struct receiver {
	struct pdcp_nr_rx rx;
	struct pdcp_nr_out out;
	uint64_t words[131072 / 64];
	uint32_t seen[N_PKTS]; /* COUNTs delivered */
	uint32_t n_seen;
	uint32_t ended;
};

static void settle(struct receiver *r)
{
	struct pkt *p;

	r->ended += r->out.delivered.n + r->out.discarded.n + r->out.duplicates.n;
	while ((p = pkt_dequeue(&r->out.delivered))) {
		FUZZ_CHECK(p->len > 0 && p->sdu_len == 0);
		for (uint32_t i = 0; i < r->n_seen; i++)
			FUZZ_CHECK(r->rx.out_of_order ? p->count != r->seen[i]
			                              : p->count > r->seen[i]);
		r->seen[r->n_seen++] = p->count;
	}
	r->out = (struct pdcp_nr_out){ 0 };
	FUZZ_CHECK(r->rx.rx_next - r->rx.rx_deliv <= pdcp_nr_window(r->rx.sn_bits));
	FUZZ_CHECK((r->rx.expiry_ns != CELL_NEVER) == (r->rx.rx_deliv != r->rx.rx_next));
	FUZZ_CHECK(r->rx.n_held == 0 || !r->rx.out_of_order);
}

static void receive(struct receiver *r, struct fuzz_input *in, struct pkt *p, int64_t now_ns)
{
	struct pdcp_nr_tx tx = { .sn_bits = r->rx.sn_bits };

	pkt_reset(p);
	p->len = (uint16_t)fuzz_range(in, 1, 8);
	pdcp_nr_accept(&tx, p, 0, 0);
	tx.tx_next = r->rx.rx_next + FUZZ_PICK(in, 0, 1, 2, 3, 7, 100, 0xffffffff, 0xfffffffe,
	                                       0xfffffff0, 0xffffff00, 2047, 2048, 131071, 131072);
	if (fuzz_range(in, 0, 3) == 0)
		tx.tx_next = fuzz_u32(in);
	pdcp_nr_number(&tx, p);
	if (fuzz_range(in, 0, 15) == 0)
		pkt_sdu(p)[0] = fuzz_u8(in);
	(void)pdcp_nr_receive(&r->rx, p, now_ns, &r->out);
}

/* What a report says is what the entity has. */
static void report(const struct receiver *r)
{
	uint8_t buf[100];
	uint16_t n = pdcp_nr_status_pack(&r->rx, sizeof(buf), buf);
	struct pdcp_nr_status s;

	FUZZ_CHECK(n <= sizeof(buf) && pdcp_nr_status_open(&s, buf, n) == 0);
	FUZZ_CHECK(s.fmc == r->rx.rx_deliv && !pdcp_nr_status_has(&s, s.fmc));
	for (uint32_t count = s.fmc + 1; count - s.fmc <= s.n; count++)
		FUZZ_CHECK(
			pdcp_nr_status_has(&s, count) ==
			(count - s.fmc < r->rx.rx_next - s.fmc && bits_get(r->rx.received, count)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pkt pkt[N_PKTS];
	static struct receiver r;
	struct fuzz_input in = { data, size };
	struct pdcp_nr_status any = { 0 };
	uint32_t came = 0;
	int64_t now_ns = 0;

	if (pdcp_nr_status_open(&any, data, (uint32_t)size) == 0)
		for (uint32_t i = 0; i < 8 * size; i++)
			(void)pdcp_nr_status_has(&any, any.fmc + i);
	r.out = (struct pdcp_nr_out){ 0 };
	r.n_seen = r.ended = 0;
	pdcp_nr_rx_init(&r.rx, fuzz_range(&in, 0, 1) ? 18 : 12, fuzz_range(&in, 0, 1),
	                fuzz_range(&in, 0, 100) * MS, r.words);
	while (in.left > 0 && came < N_PKTS) {
		now_ns += fuzz_range(&in, 0, 50) * MS;
		if (r.rx.expiry_ns <= now_ns) {
			pdcp_nr_expire(&r.rx, r.rx.expiry_ns, &r.out);
			settle(&r);
		}
		receive(&r, &in, &pkt[came++], now_ns);
		settle(&r);
		FUZZ_CHECK(r.ended + r.rx.n_held == came);
		report(&r);
	}
	return 0;
}
