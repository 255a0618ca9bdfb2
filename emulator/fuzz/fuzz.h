/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz.h - what the fuzz targets share: values out of the input, and checks.
 *
 * A target is LLVMFuzzerTestOneInput() in a file fuzz_NAME.c. It is linked with
 * libFuzzer, which makes inputs up, and with replay.c, which gives it files.
 * Values come from the front of the input; an input that is used up goes on
 * with zeros, so that every prefix of an input means something.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/** LLVMFuzzerTestOneInput() - try one input. Return: 0 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Also where assertions are off: a target without checks finds nothing. */
#define FUZZ_CHECK(cond)                                                                           \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			(void)fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__,    \
			              #cond);                                                      \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

struct fuzz_input {
	const uint8_t *at;
	size_t left;
};

static inline uint8_t fuzz_u8(struct fuzz_input *in)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->at++;
}

static inline uint32_t fuzz_u32(struct fuzz_input *in)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++)
		value = value << 8 | fuzz_u8(in);
	return value;
}

/** fuzz_range() - a value in @min..@max, of as few bytes as that needs */
static inline uint32_t fuzz_range(struct fuzz_input *in, uint32_t min, uint32_t max)
{
	uint32_t span = max - min, value = 0;

	for (uint32_t rest = span; rest > 0; rest >>= 8)
		value = value << 8 | fuzz_u8(in);
	return span == UINT32_MAX ? value : min + value % (span + 1);
}

/** fuzz_pick() - one of the values given */
#define FUZZ_PICK(in, ...)                                                                         \
	(((const uint32_t[]){ __VA_ARGS__ })[fuzz_range(                                           \
		in, 0, (uint32_t)(sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)) - 1)])

/** fuzz_take() - the next bytes, at most @max of them. Return: how many. */
static inline size_t fuzz_take(struct fuzz_input *in, size_t max, const uint8_t **ret)
{
	size_t n = in->left < max ? in->left : max;

	*ret = in->at;
	in->at += n;
	in->left -= n;
	return n;
}

#endif
