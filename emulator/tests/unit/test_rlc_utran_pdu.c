/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AMD and STATUS PDUs of the UTRAN, bit by bit. Source: TS 25.322 5.5.0 9.2 */
#include "unit.h"

#include "rlc/utran/pdu.h"

static uint8_t buf[RLC_UTRAN_AMD_MAX];
static struct rlc_utran_amd amd;
static struct rlc_utran_status status;
static size_t header;

static void expect_amd(const struct rlc_utran_amd *pdu, size_t size, const uint8_t *expected,
                       size_t n)
{
	memset(buf, 0xaa, sizeof(buf));
	assert_int_equal(rlc_utran_amd_pack(pdu, size, buf), n);
	assert_memory_equal(buf, expected, n);
	assert_int_equal(rlc_utran_amd_unpack(&amd, &header, buf, size), 0);
	assert_int_equal(header, n);
	assert_int_equal(amd.sn, pdu->sn);
	assert_int_equal(amd.poll, pdu->poll);
	assert_int_equal(amd.len, pdu->len);
	assert_int_equal(amd.status_at, 0);
	assert_int_equal(amd.n_cuts, pdu->n_cuts);
	assert_memory_equal(amd.cut, pdu->cut, pdu->n_cuts * sizeof(amd.cut[0]));
}

/* D/C 1 | SN 1010 0101 1100 | P 0 | HE 00 -> 1101 0010 1110 0000 */
static void test_data_only(void **state)
{
	(void)state;
	expect_amd(&(struct rlc_utran_amd){ .sn = 0xa5c, .len = 38 }, 40, (uint8_t[]){ 0xd2, 0xe0 },
	           2);
}

/* P 1, HE 01; LI 000 1010, E 0 -> 0001 0100; 10 octets of one SDU, 27 of the next one */
static void test_one_indicator(void **state)
{
	(void)state;
	expect_amd(
		&(struct rlc_utran_amd){
			.sn = 1, .poll = true, .n_cuts = 1, .cut = { 10 }, .len = 37 },
		40, (uint8_t[]){ 0x80, 0x0d, 0x14 }, 3);
}

/* Both indicators count from the same octet: 10, E 1 | 15, E 1 | padding 111 1111, E 0 */
static void test_padding(void **state)
{
	static const uint8_t zeros[20];

	(void)state;
	expect_amd(&(struct rlc_utran_amd){ .n_cuts = 2, .cut = { 10, 15 }, .len = 15 }, 40,
	           (uint8_t[]){ 0x80, 0x01, 0x15, 0x1f, 0xfe }, 5);
	assert_memory_equal(buf + 5 + 15, zeros, 20);
}

/* The padding's indicator takes the octet that was left. */
static void test_padding_of_no_octet(void **state)
{
	(void)state;
	expect_amd(&(struct rlc_utran_amd){ .n_cuts = 1, .cut = { 36 }, .len = 36 }, 40,
	           (uint8_t[]){ 0x80, 0x01, 0x49, 0xfe }, 4);
}

/* An SDU that ends with the PDU and has its indicator in it. */
static void test_exact_end(void **state)
{
	(void)state;
	expect_amd(&(struct rlc_utran_amd){ .n_cuts = 1, .cut = { 37 }, .len = 37 }, 40,
	           (uint8_t[]){ 0x80, 0x01, 0x4a }, 3);
}

/* LI 0: the SDU before ended with the PDU before; with and without data behind. */
static void test_previous_end(void **state)
{
	(void)state;
	expect_amd(&(struct rlc_utran_amd){ .sn = 4095, .n_cuts = 1, .cut = { 0 }, .len = 37 }, 40,
	           (uint8_t[]){ 0xff, 0xf9, 0x00 }, 3);
	expect_amd(&(struct rlc_utran_amd){ .n_cuts = 1, .cut = { 0 }, .len = 0 }, 40,
	           (uint8_t[]){ 0x80, 0x01, 0x01, 0xfe }, 4);
}

/* LI 111 1110 E 0: ten octets of data, then a STATUS PDU with an ACK of 5. */
static void test_piggybacked_status(void **state)
{
	uint8_t pdu[40] = { 0x80, 0x01, 0x15, 0xfc, [14] = 0x02, 0x00, 0x50 };

	(void)state;
	assert_int_equal(rlc_utran_amd_unpack(&amd, &header, pdu, sizeof(pdu)), 0);
	assert_int_equal(header, 4);
	assert_int_equal(amd.len, 10);
	assert_int_equal(amd.status_at, 14);
	assert_int_equal(rlc_utran_status_unpack(&status, pdu + 14, 26), 0);
	assert_int_equal(status.sufi[0].sn[0], 5);
}

/* The padding of a PDU becomes the place of a STATUS PDU, once, and only where it is long enough.
 */
static void test_piggyback(void **state)
{
	const struct rlc_utran_amd ten = { .n_cuts = 1, .cut = { 10 }, .len = 10 };

	(void)state;
	assert_int_equal(rlc_utran_amd_pack(&ten, 40, buf), 4);
	assert_int_equal(rlc_utran_status_at(buf, 40), -ENOENT);
	assert_int_equal(rlc_utran_amd_piggyback(buf, 40, 27), 0);
	assert_memory_equal(buf, ((uint8_t[]){ 0x80, 0x01, 0x15, 0xfe }), 4);
	assert_int_equal(rlc_utran_amd_piggyback(buf, 40, 26), 14);
	assert_memory_equal(buf, ((uint8_t[]){ 0x80, 0x01, 0x15, 0xfc }), 4);
	assert_int_equal(rlc_utran_status_at(buf, 40), 14);
	assert_int_equal(rlc_utran_amd_piggyback(buf, 40, 3), 0);
	assert_int_equal(rlc_utran_status_at((uint8_t[]){ 0x02, 0x00, 0x50 }, 3), 0);
}

/* Data to the last octet, or an indicator in it, leave nothing. */
static void test_no_room_to_piggyback(void **state)
{
	(void)state;
	(void)rlc_utran_amd_pack(&(struct rlc_utran_amd){ .len = 38 }, 40, buf);
	buf[1 + 38] = 0xfe; /* data that look like an indicator of padding */
	assert_int_equal(rlc_utran_amd_piggyback(buf, 40, 1), 0);
	(void)rlc_utran_amd_pack(&(struct rlc_utran_amd){ .n_cuts = 1, .cut = { 36 }, .len = 36 },
	                         40, buf);
	assert_int_equal(rlc_utran_amd_piggyback(buf, 40, 1), 0);
}

static void test_bad_amd(void **state)
{
	static const struct {
		uint8_t pdu[6];
		size_t size;
	} bad[] = {
		{ { 0x00, 0x00 }, 6 },                         /* control */
		{ { 0x80, 0x00 }, 4 },                         /* too short */
		{ { 0x80, 0x02 }, 6 },                         /* HE 10 */
		{ { 0x80, 0x03 }, 6 },                         /* HE 11 */
		{ { 0x80, 0x01, 0x08 }, 6 },                   /* 4 octets of 3 */
		{ { 0x80, 0x01, 0x03, 0x03, 0x03, 0x03 }, 6 }, /* indicators without end */
		{ { 0x80, 0x01, 0x03, 0x00, 0, 0 }, 6 },       /* LI 0 behind another one */
		{ { 0x80, 0x01, 0x03, 0x02, 0, 0 }, 6 },       /* not beyond the one before */
		{ { 0x80, 0x01, 0xff, 0x02, 0, 0 }, 6 },       /* an indicator behind padding */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(rlc_utran_amd_unpack(&amd, &header, bad[i].pdu, bad[i].size),
		                 -EBADMSG);
	assert_int_equal(rlc_utran_amd_unpack(&amd, &header, buf, RLC_UTRAN_AMD_MAX + 1), -EBADMSG);
}

static void expect_status(const uint8_t *expected, size_t n)
{
	static struct rlc_utran_status again;

	memset(buf, 0xaa, sizeof(buf));
	assert_int_equal(rlc_utran_status_bytes(&status), n);
	assert_int_equal(rlc_utran_status_pack(&status, buf), n);
	assert_memory_equal(buf, expected, n);
	assert_int_equal(rlc_utran_status_unpack(&again, buf, n), 0);
	assert_int_equal(again.n, status.n);
	assert_memory_equal(again.sufi, status.sufi, status.n * sizeof(status.sufi[0]));
	for (size_t less = 0; less < n; less++)
		assert_int_equal(rlc_utran_status_unpack(&again, buf, less), -EBADMSG);
}

/* D/C 0 type 000 | ACK 0010 LSN 0001 0010 0011 | four bits of padding; nothing behind an ACK */
static void test_ack(void **state)
{
	(void)state;
	status =
		(struct rlc_utran_status){ 1, { { .type = RLC_UTRAN_SUFI_ACK, .sn = { 0x123 } } } };
	expect_status((uint8_t[]){ 0x02, 0x12, 0x30 }, 3);
}

/* LIST 0011 LENGTH 2, (0x005, 0), (0x00a, 3), ACK of 0x010 */
static void test_list(void **state)
{
	(void)state;
	status = (struct rlc_utran_status){
		2,
		{ { .type = RLC_UTRAN_SUFI_LIST, .n = 2, .sn = { 5, 10 }, .l = { 0, 3 } },
		  { .type = RLC_UTRAN_SUFI_ACK, .sn = { 0x10 } } },
	};
	expect_status((uint8_t[]){ 0x03, 0x20, 0x05, 0x00, 0x0a, 0x32, 0x01, 0x00 }, 8);
}

/* BITMAP 0100 LENGTH 1 (two octets) FSN 0xabc, then ACK */
static void test_bitmap(void **state)
{
	(void)state;
	status = (struct rlc_utran_status){
		2,
		{ { .type = RLC_UTRAN_SUFI_BITMAP,
		    .n = 2,
		    .sn = { 0xabc },
		    .bitmap = { 0x5a, 0x01 } },
		  { .type = RLC_UTRAN_SUFI_ACK, .sn = { 0xacc } } },
	};
	expect_status((uint8_t[]){ 0x04, 0x1a, 0xbc, 0x5a, 0x01, 0x2a, 0xcc }, 7);
}

/* MRW 0110 LENGTH 1 SN_MRW 0x789 N_LENGTH 1 | NO_MORE 0000 */
static void test_mrw(void **state)
{
	(void)state;
	status = (struct rlc_utran_status){
		1, { { .type = RLC_UTRAN_SUFI_MRW, .n = 1, .n_li = 1, .sn = { 0x789 } } }
	};
	expect_status((uint8_t[]){ 0x06, 0x17, 0x89, 0x10 }, 4);
	status.sufi[0].n = 0; /* LENGTH 0 has an SN_MRW too */
	expect_status((uint8_t[]){ 0x06, 0x07, 0x89, 0x10 }, 4);
}

/* MRW_ACK 0111 N 1 SN_ACK 0x789 | NO_MORE | padding */
static void test_mrw_ack(void **state)
{
	(void)state;
	status = (struct rlc_utran_status){
		1, { { .type = RLC_UTRAN_SUFI_MRW_ACK, .n_li = 1, .sn = { 0x789 } } }
	};
	expect_status((uint8_t[]){ 0x07, 0x17, 0x89, 0x00 }, 4);
}

static void test_bad_status(void **state)
{
	static const uint8_t bad[][4] = {
		{ 0x80 },       /* data */
		{ 0x12, 0x00 }, /* RESET */
		{ 0x03, 0x00 }, /* a LIST of nothing */
		{ 0x01, 0x00 }, /* WINDOW: not known here */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(rlc_utran_status_unpack(&status, bad[i], sizeof(bad[i])),
		                 -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data_only),
		cmocka_unit_test(test_one_indicator),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_padding_of_no_octet),
		cmocka_unit_test(test_exact_end),
		cmocka_unit_test(test_previous_end),
		cmocka_unit_test(test_piggybacked_status),
		cmocka_unit_test(test_piggyback),
		cmocka_unit_test(test_no_room_to_piggyback),
		cmocka_unit_test(test_bad_amd),
		cmocka_unit_test(test_ack),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_bitmap),
		cmocka_unit_test(test_mrw),
		cmocka_unit_test(test_mrw_ack),
		cmocka_unit_test(test_bad_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
