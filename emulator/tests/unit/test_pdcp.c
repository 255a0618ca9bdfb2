/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PDCP numbering and header. Source: TS 36.323 6.2.3 (12 bits), 6.2.4 (7 bits) */
#include "unit.h"

#include "pdcp.h"

static void fill(struct pkt *p, uint16_t len)
{
	*p = (struct pkt){ .len = len };
	memset(pkt_data(p), 0x5a, len);
}

/* D/C = 1, three reserved bits 0, SN high nibble; SN low byte. */
static void test_header_12_bits(void **state)
{
	struct pdcp tx;
	struct pkt p;

	(void)state;
	pdcp_init(&tx, 12);
	tx.next_tx_sn = 0xabc;
	fill(&p, 100);
	pdcp_transmit(&tx, &p, 777);
	assert_int_equal(p.sdu_len, 102);
	assert_int_equal(p.queued_ns, 777);
	assert_int_equal(pkt_sdu(&p)[0], 0x8a);
	assert_int_equal(pkt_sdu(&p)[1], 0xbc);
	assert_int_equal(pkt_sdu(&p)[2], 0x5a);
	assert_int_equal(tx.next_tx_sn, 0xabd);
}

static void test_header_7_bits(void **state)
{
	struct pdcp tx;
	struct pkt p;

	(void)state;
	pdcp_init(&tx, 7);
	tx.next_tx_sn = 0x25;
	fill(&p, CELL_MTU_MAX);
	pdcp_transmit(&tx, &p, 0);
	assert_int_equal(p.sdu_len, CELL_MTU_MAX + 1);
	assert_int_equal(pkt_sdu(&p)[0], 0xa5);
	assert_int_equal(pkt_sdu(&p)[1], 0x5a);
}

/* Both ends count modulo 2^bits and a wrap is no gap. */
static void wrap(uint8_t sn_bits)
{
	const uint32_t n = UINT32_C(1) << sn_bits;
	struct pdcp tx, rx;
	struct pkt p;

	pdcp_init(&tx, sn_bits);
	pdcp_init(&rx, sn_bits);
	for (uint32_t i = 0; i < 2 * n + 1; i++) {
		fill(&p, 40);
		pdcp_transmit(&tx, &p, 0);
		assert_int_equal(pdcp_receive(&rx, &p), i % n);
		assert_int_equal(p.sdu_len, 0);
	}
	assert_int_equal(rx.rx_gaps, 0);
}

static void test_wrap(void **state)
{
	(void)state;
	wrap(7);
	wrap(12);
}

/* SNs 0, 1, (2, 3, 4 lost), 5: three gaps. */
static void test_gaps(void **state)
{
	static const uint8_t lost[] = { 0, 0, 1, 1, 1, 0 };
	struct pdcp tx, rx;
	struct pkt p;

	(void)state;
	pdcp_init(&tx, 12);
	pdcp_init(&rx, 12);
	for (size_t i = 0; i < COUNT(lost); i++) {
		fill(&p, 40);
		pdcp_transmit(&tx, &p, 0);
		if (!lost[i])
			assert_int_equal(pdcp_receive(&rx, &p), i);
	}
	assert_int_equal(rx.rx_gaps, 3);
}

/* 7 bits: after 126 the SNs 127, 0 and 1 are lost and 2 comes. */
static void test_gap_across_wrap(void **state)
{
	struct pdcp tx, rx;
	struct pkt p;

	(void)state;
	pdcp_init(&tx, 7);
	pdcp_init(&rx, 7);
	for (uint32_t i = 0; i < 128 + 3; i++) {
		fill(&p, 40);
		pdcp_transmit(&tx, &p, 0);
		if (i < 127 || i == 130)
			assert_int_equal(pdcp_receive(&rx, &p), i % 128);
	}
	assert_int_equal(rx.rx_gaps, 3);
}

static void test_malformed(void **state)
{
	struct pdcp tx, rx;
	struct pkt p;

	(void)state;
	pdcp_init(&tx, 12);
	pdcp_init(&rx, 12);
	fill(&p, 40);
	pdcp_transmit(&tx, &p, 0);
	pkt_sdu(&p)[0] &= 0x7f; /* D/C = 0: control PDU */
	assert_int_equal(pdcp_receive(&rx, &p), -EBADMSG);
	fill(&p, 0); /* header without payload */
	pdcp_transmit(&tx, &p, 0);
	assert_int_equal(pdcp_receive(&rx, &p), -EBADMSG);
	assert_int_equal(rx.next_rx_sn, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header_12_bits),
		cmocka_unit_test(test_header_7_bits),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_gap_across_wrap),
		cmocka_unit_test(test_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
