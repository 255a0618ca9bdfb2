/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ring of bits: what is cleared and found, within words, over their edges and round the ring.
 */
#include "unit.h"

#include "base/bits.h"

static uint64_t words[4];

static struct bits ring(uint32_t size)
{
	memset(words, 0xee, sizeof(words)); /* of any content before */
	return (struct bits){ .word = words, .size = size };
}

static void test_words(void **state)
{
	(void)state;
	assert_int_equal(bits_words(32), 1);
	assert_int_equal(bits_words(64), 1);
	assert_int_equal(bits_words(65), 2);
	assert_int_equal(bits_words(131072), 2048);
}

/* Only the bits named are cleared: 60 to 70, on both sides of a word's edge. */
static void test_clear(void **state)
{
	struct bits b = ring(256);

	(void)state;
	memset(words, 0xff, sizeof(words));
	bits_clear(b, 60, 11);
	for (uint32_t i = 0; i < 256; i++)
		assert_int_equal(bits_get(b, i), i < 60 || i > 70);
	memset(words, 0xff, sizeof(words));
	bits_clear(b, 250, 10); /* round the ring: 250 to 255 and 0 to 3 */
	for (uint32_t i = 0; i < 256; i++)
		assert_int_equal(bits_get(b, i), i > 3 && i < 250);
	bits_clear(b, 7, 256);
	for (int i = 0; i < 4; i++)
		assert_int_equal(words[i], 0);
}

static void test_numbers_count_modulo_the_size(void **state)
{
	struct bits b = ring(32);

	(void)state;
	bits_clear(b, 0, 32);
	bits_set(b, 37);
	assert_true(bits_get(b, 5));
	assert_true(bits_get(b, 4096 + 5));
	assert_false(bits_get(b, 6));
	assert_int_equal(words[0] >> 32, 0xeeeeeeee); /* beyond the ring nothing is touched */
}

static void test_find(void **state)
{
	struct bits b = ring(256);

	(void)state;
	bits_clear(b, 0, 256);
	bits_set(b, 5);
	bits_set(b, 130);
	assert_int_equal(bits_find(b, true, 0, 256), 5);
	assert_int_equal(bits_find(b, true, 5, 256), 0);
	assert_int_equal(bits_find(b, true, 6, 256), 124);
	assert_int_equal(bits_find(b, true, 6, 124),
	                 124); /* 130 is the first that is not asked for */
	assert_int_equal(bits_find(b, true, 131, 256), 130); /* round the ring */
	assert_int_equal(bits_find(b, true, 131, 0), 0);
	assert_int_equal(bits_find(b, false, 5, 10), 1);
	assert_int_equal(bits_find(b, false, 6, 10), 0);
	for (uint32_t i = 0; i < 256; i++)
		bits_set(b, i);
	assert_int_equal(bits_find(b, false, 200, 256), 256);
	bits_clear(b, 199, 1);
	assert_int_equal(bits_find(b, false, 200, 256), 255);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_clear),
		cmocka_unit_test(test_numbers_count_modulo_the_size),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
