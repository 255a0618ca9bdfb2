/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_rlc_nr_um.c - UMD PDUs of NR: what the header says means the same packed again; and a
 * transmitter with any grants sends each byte of its SDUs once, in order.
 */
#include <string.h>

#include "fuzz.h"
#include "rlc/nr/um.h"
#include "rlc_feed.h"

static void check_header(uint8_t sn_bits, const uint8_t *buf, size_t len)
{
	uint8_t again[8] = { 0 };
	struct nr_pdu pdu, same;
	int header = nr_um_unpack(&pdu, sn_bits, buf, len);

	if (header < 0)
		return;
	FUZZ_CHECK((size_t)header < len && pdu.sn < 1u << sn_bits);
	FUZZ_CHECK((pdu.so == 0) == NR_SI_STARTS(pdu.si));
	FUZZ_CHECK(nr_um_pack(&pdu, sn_bits, again) == (uint32_t)header);
	FUZZ_CHECK(nr_um_unpack(&same, sn_bits, again, sizeof(again)) == header);
	FUZZ_CHECK(same.sn == pdu.sn && same.so == pdu.so && same.si == pdu.si);
}

static void send(uint8_t sn_bits, struct fuzz_input *in)
{
	static struct rlc_feed feed;
	static uint8_t buf[1600];
	struct pkt_queue ends = { 0 };
	struct nr_um_tx tx;
	uint32_t so = 0;

	feed.queued = 0;
	nr_um_tx_init(&tx, sn_bits, FEED_PKTS);
	while (in->left > 0) {
		uint32_t what = fuzz_u8(in), max = what * 7, head = tx.queue.bytes;
		struct nr_um_built built;
		struct nr_pdu pdu;

		if (what < 60) {
			feed_packet(&feed, &tx.queue, 3 + what * 20);
			continue;
		}
		built = nr_um_tx_build(&tx, max, buf, &ends);
		FUZZ_CHECK(built.size <= max);
		if (built.size == 0)
			continue;
		FUZZ_CHECK(nr_um_unpack(&pdu, sn_bits, buf, built.size) + built.data ==
		           (int)built.size);
		FUZZ_CHECK(pdu.so == so && NR_SI_ENDS(pdu.si) == built.ends);
		FUZZ_CHECK(head - tx.queue.bytes == built.data);
		so = built.ends ? 0 : so + built.data;
	}
	FUZZ_CHECK(tx.queue.sdus.n + ends.n == feed.queued && tx.queue.head_sent == so);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };

	if (size > 4096)
		return 0;
	check_header(6, data, size);
	check_header(12, data, size);
	send(fuzz_range(&in, 0, 1) ? 12 : 6, &in);
	return 0;
}
