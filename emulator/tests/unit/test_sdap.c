/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SDAP: headers as TS 37.324 6.2.2 draws them, and the bearer of a flow. */
#include "unit.h"

#include "sdap/nr/sdap.h"

static void test_headers(void **state)
{
	struct sdap_header h;

	(void)state;
	assert_int_equal(sdap_dl_pack((struct sdap_header){ .qfi = 9 }), 0x09);
	assert_int_equal(sdap_dl_pack((struct sdap_header){ .rdi = true, .qfi = 63 }), 0xbf);
	assert_int_equal(sdap_dl_pack((struct sdap_header){ .rqi = true, .qfi = 1 }), 0x41);
	assert_int_equal(sdap_ul_pack((struct sdap_header){ .data = true, .qfi = 9 }), 0x89);
	assert_int_equal(sdap_ul_pack((struct sdap_header){ .qfi = 9 }), 0x09); /* end marker */
	h = sdap_dl_unpack(0xc5);
	assert_true(h.rdi && h.rqi && h.data);
	assert_int_equal(h.qfi, 5);
	h = sdap_dl_unpack(0x45);
	assert_false(h.rdi);
	assert_true(h.rqi);
	h = sdap_ul_unpack(0xff); /* the reserved bit is ignored */
	assert_true(h.data);
	assert_int_equal(h.qfi, 63);
	assert_false(sdap_ul_unpack(0x3f).data);
}

static void test_mapping(void **state)
{
	struct sdap_map map = { .default_drb = 1 };

	(void)state;
	assert_int_equal(sdap_drb_of(&map, 9), 1);
	assert_int_equal(sdap_set_rule(&map, 9, 2), 1); /* an end marker on the default bearer */
	assert_int_equal(sdap_drb_of(&map, 9), 2);
	assert_int_equal(sdap_drb_of(&map, 8), 1);
	assert_int_equal(sdap_set_rule(&map, 9, 2), SDAP_NO_DRB); /* as before */
	assert_int_equal(sdap_set_rule(&map, 9, 3), 2);
	map.default_drb = SDAP_NO_DRB;
	assert_int_equal(sdap_drb_of(&map, 8), SDAP_NO_DRB);
	assert_int_equal(sdap_set_rule(&map, 8, 2), SDAP_NO_DRB); /* it had no bearer */
}

/* The uplink follows the downlink only where RDI says so. */
static void test_reflective_mapping(void **state)
{
	struct sdap_map map = { .default_drb = 1 };

	(void)state;
	assert_int_equal(sdap_reflect(&map, (struct sdap_header){ .qfi = 5 }, 2), SDAP_NO_DRB);
	assert_int_equal(sdap_drb_of(&map, 5), 1);
	assert_int_equal(sdap_reflect(&map, (struct sdap_header){ .rdi = true, .qfi = 5 }, 2), 1);
	assert_int_equal(sdap_drb_of(&map, 5), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_mapping),
		cmocka_unit_test(test_reflective_mapping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
