/* SPDX-License-Identifier: GPL-2.0-or-later */
/* radio.pcap of NR, byte by byte as Wireshark's mac_nr_udp reads it. */
#include "pcap.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NR_SNAPLEN   262144
#define FILE_HEADER  24
#define FRAME_HEADER 16

/* Tag 13, 12 bytes of name, end tag; what tshark 4.0.17 read as MAC-NR is what follows. */
#define EXPORTED 0, 13, 0, 12, 'm', 'a', 'c', '_', 'n', 'r', '_', 'u', 'd', 'p', 0, 0, 0, 0, 0, 0
#define START    'm', 'a', 'c', '-', 'n', 'r'

static void expect_context(const struct cell_pdu_info *info, const struct radio_pcap_frame *frame,
                           const uint8_t *expected, size_t n)
{
	uint8_t buf[RADIO_PCAP_CONTEXT_MAX];

	assert_int_equal(radio_pcap_context(buf, info, frame), n);
	assert_memory_equal(buf, expected, n);
}

/* Slot 20473 of 30 kHz is the last but six of SFN 1023; one of 120 kHz has its slots of 80. */
static void test_data(void **state)
{
	static const struct cell_pdu_info dl = { .dir = CELL_DIR_DL,
		                                 .ue = 3,
		                                 .rnti = 0x4601,
		                                 .rnti_type = 3,
		                                 .harq_id = 15,
		                                 .subframe = 20480 - 7,
		                                 .crc_ok = 1 };
	static const struct cell_pdu_info ul = { .dir = CELL_DIR_UL,
		                                 .ue = 300 % 256,
		                                 .rnti = 61,
		                                 .rnti_type = 3,
		                                 .subframe = 1024 * 80 + 161,
		                                 .crc_ok = 1 };
	static const struct radio_pcap_frame tdd = { .system = CELL_SYSTEM_NR,
		                                     .tdd = true,
		                                     .slots = 20 };
	static const struct radio_pcap_frame fdd = { .system = CELL_SYSTEM_NR, .slots = 80 };
	static const uint8_t downlink[] = { EXPORTED, START, 2,    1,    3, 2,  0x46, 0x01, 3, 0,
		                            3,        7,     0x03, 0xff, 0, 13, 6,    15,   1 };
	static const uint8_t uplink[] = { EXPORTED, START, 1, 0, 3, 2, 0, 61, 3, 0,
		                          44,       7,     0, 2, 0, 1, 6, 0,  1 };

	(void)state;
	expect_context(&dl, &tdd, downlink, sizeof(downlink));
	expect_context(&ul, &fdd, uplink, sizeof(uplink));
}

/* A random access response is for an RA-RNTI and has no HARQ process. */
static void test_random_access_response(void **state)
{
	static const struct cell_pdu_info rar = { .dir = CELL_DIR_DL,
		                                  .rnti = 0x0101,
		                                  .rnti_type = 2,
		                                  .harq_id = 9,
		                                  .subframe = 24,
		                                  .crc_ok = 1 };
	static const struct radio_pcap_frame frame = { .system = CELL_SYSTEM_NR,
		                                       .tdd = true,
		                                       .slots = 20 };
	static const uint8_t expected[] = { EXPORTED, START, 2, 1, 2, 2, 1, 1, 3,
		                            0,        0,     7, 0, 1, 0, 4, 1 };

	(void)state;
	expect_context(&rar, &frame, expected, sizeof(expected));
}

/* What MAC-NR has no row for is left out; the largest transport block is whole. */
static void test_file(void **state)
{
	char path[] = "/tmp/cellbed-pcap-XXXXXX";
	static uint8_t data[160000],
		got[FILE_HEADER + FRAME_HEADER + RADIO_PCAP_CONTEXT_MAX + sizeof(data) + 1];
	struct cell_pdu_info info = {
		.dir = CELL_DIR_DL, .ue = 1, .rnti_type = 3, .subframe = 5, .crc_ok = 1
	};
	struct cell_pdu_info lost = info, preamble = info;
	struct cell_cfg cfg;
	struct radio_pcap *p;
	uint32_t snaplen, captured;
	size_t n, context;
	FILE *f;

	(void)state;
	cell_cfg_default(&cfg);
	cfg.system = CELL_SYSTEM_NR;
	cfg.nr.phy.numerology = 3;
	cfg.nr.phy.duplex = CELL_DUPLEX_FDD;
	lost.crc_ok = 0;
	preamble.preamble = 1;
	memset(data, 0xa5, sizeof(data));
	assert_int_not_equal(close(mkstemp(path)), -1);
	assert_int_equal(radio_pcap_create(&p, path, &cfg, 0), 0);
	assert_int_equal(radio_pcap_write(p, 1, &preamble, NULL, 0), 0);
	assert_int_equal(radio_pcap_write(p, 2, &lost, data, 100), 0);
	assert_int_equal(radio_pcap_write(p, 1000000003, &info, data, sizeof(data)), 0);
	assert_int_equal(radio_pcap_close(p), 0);

	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(got, 1, sizeof(got), f);
	(void)fclose(f);
	(void)unlink(path);
	memcpy(&snaplen, got + 16, sizeof(snaplen));
	memcpy(&captured, got + FILE_HEADER + 8, sizeof(captured));
	context = captured - sizeof(data);
	assert_int_equal(snaplen, NR_SNAPLEN);
	assert_int_equal(got[FILE_HEADER], 1);
	assert_int_equal(got[FILE_HEADER + 4], 3);
	assert_int_equal(n, FILE_HEADER + FRAME_HEADER + captured);
	assert_int_equal(context, 20 + 6 + 17);
	assert_memory_equal(got + FILE_HEADER + FRAME_HEADER + context, data, sizeof(data));
}

/* Records say how long the PDUs are. */
static void test_what_is_cut(void **state)
{
	static const uint32_t lens[] = { 39, 40, 41, 4000 };
	static uint8_t data[4000], got[8192];
	char path[] = "/tmp/test_pcap_cut.XXXXXX";
	const struct cell_pdu_info info = { .rnti = 61, .crc_ok = 1 };
	uint8_t *at = got + FILE_HEADER;
	struct cell_cfg cfg;
	struct radio_pcap *p;
	FILE *f;

	(void)state;
	cell_cfg_default(&cfg);
	assert_int_not_equal(close(mkstemp(path)), -1);
	assert_int_equal(radio_pcap_create(&p, path, &cfg, 40), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(radio_pcap_write(p, 1, &info, data, lens[i]), 0);
	assert_int_equal(radio_pcap_close(p), 0);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_true(fread(got, 1, sizeof(got), f) < 1000);
	(void)fclose(f);
	(void)unlink(path);
	for (size_t i = 0; i < 4; i++) {
		uint32_t captured, bytes;

		memcpy(&captured, at + 8, sizeof(captured));
		memcpy(&bytes, at + 12, sizeof(bytes));
		assert_int_equal(bytes - captured, lens[i] < 40 ? 0 : lens[i] - 40);
		at += FRAME_HEADER + captured;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_random_access_response),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_what_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
