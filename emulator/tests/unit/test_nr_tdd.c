/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TDD patterns. Source: TS 38.213 11.1 */
#include "unit.h"

#include "phy/nr/tdd.h"

static const struct {
	uint8_t mu;
	const char *pattern;
	uint8_t dl;
	uint8_t ul;
	uint8_t fault;
} words[] = {
	{ 1, "DDDSU", 10, 2, NR_TDD_OK },     /* 2.5 ms */
	{ 1, "DDDDDDDSUU", 6, 4, NR_TDD_OK }, /* 5 ms */
	{ 1, "DDDSUUDDDD", 6, 4, NR_TDD_OK }, /* 3 and 2 ms */
	{ 0, "DSUUD", 6, 4, NR_TDD_OK },      /* 4 and 1 ms */
	{ 3, "DDDSU", 10, 2, NR_TDD_OK },     /* 0.625 ms */
	{ 1, "S", 6, 6, NR_TDD_OK },          /* both in one slot */
	{ 1, "DDDS", 6, 6, NR_TDD_OK },       /* no whole uplink slot */
	{ 1, "", 0, 0, NR_TDD_LETTER },
	{ 1, "DDFU", 0, 0, NR_TDD_LETTER },
	{ 1, "dddsu", 10, 2, NR_TDD_LETTER },
	{ 1, "DDSSU", 10, 2, NR_TDD_ORDER },
	{ 1, "DSUDSUDSU", 10, 2, NR_TDD_ORDER },
	{ 1, "DDDDSU", 10, 2, NR_TDD_PERIOD },     /* 3 ms, which 20 ms are no multiple of */
	{ 1, "DDDDDSU", 10, 2, NR_TDD_PERIOD },    /* 3.5 ms */
	{ 0, "DDDSU", 10, 2, NR_TDD_OK },          /* 5 ms */
	{ 2, "DDDSU", 10, 2, NR_TDD_OK },          /* 1.25 ms */
	{ 1, "DSUDDDDDSU", 10, 2, NR_TDD_PERIOD }, /* 1.5 and 3.5 ms */
	{ 1, "DDDSUDDDDDSU", 10, 2, NR_TDD_PERIOD },
	{ 0, "DDDDDDDDDDDDDDDDDDSU", 10, 2, NR_TDD_PERIOD }, /* 20 ms */
	{ 1, "DDDU", 0, 0, NR_TDD_GUARD },
	{ 1, "DDSU", 12, 2, NR_TDD_GUARD },
	{ 1, "DDSU", 14, 0, NR_TDD_GUARD },
	{ 1, "DDSU", 13, 0, NR_TDD_OK },
	{ 1, "UUSD", 6, 6, NR_TDD_ORDER },
	{ 1, "UUDD", 0, 0, NR_TDD_GUARD }, /* as it comes again */
	{ 1, "DDDD", 0, 0, NR_TDD_ONE_WAY },
	{ 1, "UUUU", 0, 0, NR_TDD_ONE_WAY },
	{ 1, "SUUU", 0, 2, NR_TDD_ONE_WAY },
};

static void test_words(void **state)
{
	struct nr_tdd tdd;

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++)
		assert_int_equal(
			nr_tdd_init(&tdd, words[i].mu, words[i].pattern, words[i].dl, words[i].ul),
			words[i].fault);
}

static void test_longest(void **state)
{
	char word[NR_TDD_SLOTS_MAX + 2] = { 0 };
	struct nr_tdd tdd;

	(void)state;
	memset(word, 'D', NR_TDD_SLOTS_MAX);
	word[NR_TDD_SLOTS_MAX - 2] = 'S';
	word[NR_TDD_SLOTS_MAX - 1] = 'U';
	assert_int_equal(nr_tdd_init(&tdd, 3, word, 10, 2), NR_TDD_OK);
	word[NR_TDD_SLOTS_MAX] = 'U';
	assert_int_equal(nr_tdd_init(&tdd, 3, word, 10, 2), NR_TDD_LETTER);
}

static void test_symbols(void **state)
{
	static const uint8_t dl[] = { 14, 14, 14, 10, 0 }, ul[] = { 0, 0, 0, 2, 14 };
	struct nr_tdd tdd;

	(void)state;
	assert_int_equal(nr_tdd_init(&tdd, 1, "DDDSU", 10, 2), NR_TDD_OK);
	for (uint32_t slot = 0; slot < 100; slot++) {
		assert_int_equal(nr_dl_symbols(&tdd, slot), dl[slot % 5]);
		assert_int_equal(nr_ul_symbols(&tdd, slot), ul[slot % 5]);
	}
}

static void test_next(void **state)
{
	struct nr_tdd tdd;

	(void)state;
	assert_int_equal(nr_tdd_init(&tdd, 1, "DDDSU", 10, 2), NR_TDD_OK);
	assert_int_equal(nr_next_ul(&tdd, 0, 14), 4);
	assert_int_equal(nr_next_ul(&tdd, 0, 1), 3);
	assert_int_equal(nr_next_ul(&tdd, 5, 14), 9);
	assert_int_equal(nr_next_dl(&tdd, 3, 14), 5);
	assert_int_equal(nr_next_dl(&tdd, 3, 10), 3);
	assert_int_equal(nr_next_dl(&tdd, 4, 1), 5);
	assert_int_equal(nr_next_ul(&tdd, 0, 15), NR_SLOT_NEVER);
	/* Feedback at least 4 slots later: of slots 0 to 3 in 4, 9, 9, 9. */
	assert_int_equal(nr_feedback_slot(&tdd, 0, 4), 4);
	for (uint32_t slot = 1; slot <= 3; slot++)
		assert_int_equal(nr_feedback_slot(&tdd, slot, 4), 9);
}

/* Where no slot is uplink from its start to its end, those with most of it are taken. */
static void test_feedback_in_special_slots(void **state)
{
	struct nr_tdd tdd;

	(void)state;
	assert_int_equal(nr_tdd_init(&tdd, 1, "DDDS", 6, 6), NR_TDD_OK);
	assert_int_equal(nr_feedback_slot(&tdd, 0, 4), 7);
	assert_int_equal(nr_tdd_init(&tdd, 1, "DDDSUUDDDD", 6, 4), NR_TDD_OK);
	assert_int_equal(nr_feedback_slot(&tdd, 1, 4), 5);
	assert_int_equal(nr_feedback_slot(&tdd, 2, 4), 14);
}

static void test_fdd(void **state)
{
	struct nr_tdd tdd;

	(void)state;
	assert_int_equal(nr_tdd_init(&tdd, 1, NULL, 0, 0), NR_TDD_OK);
	assert_int_equal(nr_dl_symbols(&tdd, 7), 14);
	assert_int_equal(nr_ul_symbols(&tdd, 7), 14);
	assert_int_equal(nr_next_ul(&tdd, 7, 14), 7);
	assert_int_equal(nr_feedback_slot(&tdd, 7, 4), 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_next),
		cmocka_unit_test(test_feedback_in_special_slots),
		cmocka_unit_test(test_fdd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
