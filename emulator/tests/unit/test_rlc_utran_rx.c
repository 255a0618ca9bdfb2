/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RLC AM receiver of the UTRAN: SDUs in sequence, status reports and their
 * timer, MRW. Source: TS 25.322 5.5.0 9.5, 9.7.2, 11.3, 11.5, 11.6
 */
#include "unit.h"

#include "pool.h"
#include "rlc/utran/am.h"

#define SIZE          10
#define WINDOW        512
#define T_PROHIBIT_NS 30

static struct pkt pkt[RLC_UTRAN_SLOTS];
static struct rlc_pdu *sent[RLC_UTRAN_SLOTS], *window[RLC_UTRAN_SLOTS];
static struct rlc_pdu sent_pdu[RLC_UTRAN_SLOTS];
static struct rlc_pool pool;
static struct rlc_utran_rx rx;
static struct rlc_out out;
static struct rlc_utran_status said;

/* Of every PDU at the transmitter the packets that end in it are needed only. */
static void setup(int64_t t_prohibit_ns)
{
	const struct rlc_utran_cfg cfg = {
		.pdu_size = SIZE,
		.window = WINDOW,
		.timer_status_prohibit_ns = t_prohibit_ns,
	};

	pool_fill(&pool);
	out = (struct rlc_out){ 0 };
	for (uint32_t sn = 0; sn < RLC_UTRAN_SLOTS; sn++) {
		sent_pdu[sn] = (struct rlc_pdu){ 0 };
		sent[sn] = &sent_pdu[sn];
	}
	rlc_utran_rx_init(&rx, &cfg, window, sent, &pool);
}

static void poll_or_not(uint16_t sn, bool poll, uint16_t n_cuts, const uint16_t *cut, uint16_t len)
{
	struct rlc_utran_amd amd = { .sn = sn, .poll = poll, .n_cuts = n_cuts, .len = len };
	uint8_t buf[SIZE];
	size_t header;

	if (n_cuts > 0)
		memcpy(amd.cut, cut, n_cuts * sizeof(*cut));
	header = rlc_utran_amd_pack(&amd, SIZE, buf);
	for (uint16_t i = 0; i < len; i++)
		buf[header + i] = (uint8_t)(16 * sn + i);
	assert_int_equal(rlc_utran_rx_receive(&rx, buf, SIZE, &out), sn);
}

/* A PDU in the middle of an SDU. */
static void middle(uint16_t sn)
{
	poll_or_not(sn, false, 0, NULL, 8);
}

/* SDU @id of @len octets ends at @offset of PDU @sn. */
static void ends(uint16_t id, uint16_t len, uint16_t sn, uint16_t offset)
{
	pkt[id] = (struct pkt){ .id = id, .len = len, .sdu_len = len, .end_offset = offset };
	pkt_enqueue(&sent_pdu[sn].ends, &pkt[id]);
}

static void expect_delivered(uint32_t n, const uint32_t *ids)
{
	assert_int_equal(out.delivered.n, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(pkt_dequeue(&out.delivered)->id, ids[i]);
}

static uint32_t report(uint32_t max, int64_t now_ns)
{
	uint8_t buf[200];
	static struct rlc_utran_status built;
	uint32_t n = rlc_utran_rx_status_build(&rx, max, now_ns, buf, &built);

	if (n > 0)
		assert_int_equal(rlc_utran_status_unpack(&said, buf, n), 0);
	return n;
}

static void expect_ack(uint16_t i, uint16_t lsn)
{
	assert_int_equal(said.n, i + 1);
	assert_int_equal(said.sufi[i].type, RLC_UTRAN_SUFI_ACK);
	assert_int_equal(said.sufi[i].sn[0], lsn);
}

static void mrw(uint8_t length, uint16_t sn_mrw, uint8_t n_length)
{
	const struct rlc_utran_status s = {
		1,
		{ { .type = RLC_UTRAN_SUFI_MRW, .n = length, .n_li = n_length, .sn = { sn_mrw } } },
	};

	rlc_utran_rx_status(&rx, &s, &out);
}

static void expect_mrw_ack(uint16_t sn_ack, uint8_t n)
{
	assert_int_equal(report(4, 0), 4);
	assert_int_equal(said.n, 1);
	assert_int_equal(said.sufi[0].type, RLC_UTRAN_SUFI_MRW_ACK);
	assert_int_equal(said.sufi[0].sn[0], sn_ack);
	assert_int_equal(said.sufi[0].n_li, n);
}

/* 8 octets, then 3 of the same SDU; 3 of another one. */
static void test_in_sequence(void **state)
{
	static const uint8_t whole[] = { 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18 };

	(void)state;
	setup(0);
	ends(0, 11, 1, 3);
	ends(1, 3, 1, 6);
	poll_or_not(1, false, 2, (uint16_t[]){ 3, 6 }, 6);
	expect_delivered(0, NULL);
	assert_int_equal(rx.vr_r, 0);
	assert_int_equal(rx.vr_h, 2);
	assert_int_equal(rlc_utran_rx_vr_mr(&rx), WINDOW);
	middle(0);
	expect_delivered(2, (uint32_t[]){ 0, 1 });
	assert_memory_equal(pkt_sdu(&pkt[0]), whole, sizeof(whole));
	assert_int_equal(rx.vr_r, 2);
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* LI 0: the SDU ended with the PDU before. */
static void test_previous_end(void **state)
{
	(void)state;
	setup(0);
	ends(0, 8, 1, 0);
	middle(0);
	expect_delivered(0, NULL);
	poll_or_not(1, false, 1, (uint16_t[]){ 0 }, 7);
	expect_delivered(1, (uint32_t[]){ 0 });
	assert_int_equal(rx.tail.len, 7);
}

static void test_duplicates_and_strangers(void **state)
{
	uint8_t buf[SIZE] = { 0 };

	(void)state;
	setup(0);
	middle(1);
	rx.status_due = false;
	middle(1);
	middle(WINDOW);
	assert_false(rx.status_due);
	assert_int_equal(out.discarded_pdus, 2);
	poll_or_not(1, true, 0, NULL, 8); /* it is discarded, its poll is not */
	assert_true(rx.status_due);
	assert_int_equal(rlc_utran_rx_receive(&rx, buf, SIZE, &out), -EBADMSG);
	assert_int_equal(rlc_utran_rx_receive(&rx, buf, SIZE - 1, &out), -EBADMSG);
	assert_int_equal(out.discarded_pdus, 5);
}

static void test_status_on_poll(void **state)
{
	(void)state;
	setup(0);
	middle(0);
	assert_int_equal(report(40, 0), 0);
	poll_or_not(1, true, 0, NULL, 8);
	assert_int_equal(report(2, 0), 0); /* no room */
	assert_int_equal(report(3, 0), 3);
	expect_ack(0, 2);
	assert_int_equal(report(40, 0), 0);
}

/* Missing: 1, 2 and 5. */
static void test_status_on_missing(void **state)
{
	(void)state;
	setup(0);
	middle(0);
	middle(3);
	assert_true(rlc_utran_rx_status_ready(&rx));
	middle(4);
	middle(6);
	assert_int_equal(report(40, 0), 8);
	expect_ack(1, 7);
	assert_int_equal(said.sufi[0].type, RLC_UTRAN_SUFI_LIST);
	assert_int_equal(said.sufi[0].n, 2);
	assert_int_equal(said.sufi[0].sn[0], 1);
	assert_int_equal(said.sufi[0].l[0], 1);
	assert_int_equal(said.sufi[0].sn[1], 5);
	assert_int_equal(said.sufi[0].l[1], 0);
}

/* What has no room is neither missing nor acknowledged: 6 octets are one pair and the ACK. */
static void test_status_in_parts(void **state)
{
	(void)state;
	setup(0);
	middle(1);
	middle(3);
	middle(4);
	middle(6);
	assert_int_equal(report(6, 0), 6);
	expect_ack(1, 2);
	assert_int_equal(said.sufi[0].sn[0], 0);
}

/* Every second PDU of 64: a BITMAP of 63 and more. */
static void test_bitmap(void **state)
{
	(void)state;
	setup(0);
	for (uint16_t sn = 1; sn < 65; sn += 2)
		middle(sn);
	assert_true(report(40, 0) > 0);
	expect_ack(1, 64);
	assert_int_equal(said.sufi[0].type, RLC_UTRAN_SUFI_BITMAP);
	assert_int_equal(said.sufi[0].n, 8);
	assert_int_equal(said.sufi[0].sn[0], 0);
	assert_int_equal(said.sufi[0].bitmap[0], 0x55);
}

static void test_timer_status_prohibit(void **state)
{
	(void)state;
	setup(T_PROHIBIT_NS);
	poll_or_not(0, true, 0, NULL, 8);
	assert_int_equal(report(40, 7), 3);
	assert_int_equal(rx.prohibit_expiry_ns, 7 + T_PROHIBIT_NS);
	poll_or_not(1, true, 0, NULL, 8);
	assert_false(rlc_utran_rx_status_ready(&rx));
	assert_int_equal(report(40, 8), 0);
	rlc_utran_rx_expire(&rx);
	assert_true(rlc_utran_rx_status_ready(&rx));
	assert_int_equal(report(40, 40), 3);
	expect_ack(0, 2);
}

/* The timer does not hold back an MRW_ACK. */
static void test_prohibit_and_mrw_ack(void **state)
{
	(void)state;
	setup(T_PROHIBIT_NS);
	poll_or_not(0, true, 0, NULL, 8);
	assert_int_equal(report(40, 0), 3);
	poll_or_not(1, true, 0, NULL, 8);
	mrw(1, 2, 0);
	assert_true(rlc_utran_rx_status_ready(&rx));
	expect_mrw_ack(2, 0);
	assert_true(rx.status_due);
}

/* PDUs before SN_MRW go; what is there behind it goes on. */
static void test_mrw(void **state)
{
	(void)state;
	setup(0);
	ends(1, 8, 4, 0);
	middle(0);
	middle(2);
	middle(3);
	mrw(1, 3, 0);
	assert_int_equal(out.discarded_pdus, 1);
	assert_int_equal(rx.vr_r, 4);
	expect_mrw_ack(4, 0);
	poll_or_not(4, false, 1, (uint16_t[]){ 0 }, 0);
	expect_delivered(1, (uint32_t[]){ 1 });
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* N_LENGTH 1: the first SDU of PDU 2 belongs to those discarded, whenever that comes. */
static void test_n_length(void **state)
{
	(void)state;
	setup(0);
	ends(1, 3, 2, 5);
	middle(0);
	mrw(1, 2, 1);
	assert_int_equal(rx.vr_h, 2);
	rx.status_due = false;
	expect_mrw_ack(2, 1);
	mrw(1, 2, 1); /* once more: the MRW_ACK was lost */
	expect_mrw_ack(2, 1);
	poll_or_not(2, false, 2, (uint16_t[]){ 2, 5 }, 5);
	expect_delivered(1, (uint32_t[]){ 1 });
	assert_int_equal(pkt_sdu(&pkt[1])[0], 32 + 2);
	mrw(1, 2, 1); /* late */
	expect_mrw_ack(3, 0);
	assert_int_equal(rx.vr_r, 3);
}

/* LENGTH 0: SN_MRW is one behind the window. */
static void test_mrw_beyond_the_window(void **state)
{
	(void)state;
	setup(0);
	mrw(0, WINDOW + 1, 0);
	assert_int_equal(rx.vr_r, WINDOW + 1);
	assert_int_equal(rx.vr_h, WINDOW + 1);
	expect_mrw_ack(WINDOW + 1, 0);
	mrw(1, 1, 0);
	expect_mrw_ack(WINDOW + 1, 0);
}

/* An SDU that cannot be one of ours is not delivered. */
static void test_wrong_length(void **state)
{
	(void)state;
	setup(0);
	ends(0, 4, 0, 5);
	poll_or_not(0, false, 1, (uint16_t[]){ 5 }, 5);
	expect_delivered(0, NULL);
	assert_int_equal(out.discarded.n, 1);
}

/* SDUs of PDUs that nobody here sent, or that end elsewhere: counted, and those of ours go on. */
static void test_foreign_pdu(void **state)
{
	const uint16_t at_7[] = { 7 }, twice[] = { 2, 6 };

	(void)state;
	setup(0);
	sent[0] = NULL;
	poll_or_not(0, false, 1, at_7, 7);
	assert_int_equal(out.foreign_sdus, 1);
	ends(1, 4, 1, 6);
	poll_or_not(1, false, 2, twice, 6);
	assert_int_equal(out.foreign_sdus, 2);
	expect_delivered(1, (const uint32_t[]){ 1 });
	assert_int_equal(rx.vr_r, 2);
	assert_int_equal(pool.n_free, POOL_PDUS);
}

/* It is as it was at first, field by field, whatever it had. */
static void test_reset(void **state)
{
	struct rlc_utran_rx fresh;

	(void)state;
	setup(T_PROHIBIT_NS);
	fresh = rx;
	middle(0);
	poll_or_not(3, true, 0, NULL, 8);
	rlc_utran_rx_reset(&rx);
	memcpy(fresh.tail.data, rx.tail.data, sizeof(fresh.tail.data)); /* of which none count */
	assert_memory_equal(&rx, &fresh, sizeof(rx));
	assert_int_equal(pool.n_free, POOL_PDUS);
	for (uint32_t sn = 0; sn < RLC_UTRAN_SLOTS; sn++)
		assert_null(window[sn]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_sequence),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_previous_end),
		cmocka_unit_test(test_duplicates_and_strangers),
		cmocka_unit_test(test_status_on_poll),
		cmocka_unit_test(test_status_on_missing),
		cmocka_unit_test(test_status_in_parts),
		cmocka_unit_test(test_bitmap),
		cmocka_unit_test(test_timer_status_prohibit),
		cmocka_unit_test(test_prohibit_and_mrw_ack),
		cmocka_unit_test(test_mrw),
		cmocka_unit_test(test_n_length),
		cmocka_unit_test(test_mrw_beyond_the_window),
		cmocka_unit_test(test_wrong_length),
		cmocka_unit_test(test_foreign_pdu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
