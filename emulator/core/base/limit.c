/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limit.c - ranges of the fields of a configuration; see limit.h. */
#include "base/limit.h"

#include <string.h>

static uint32_t value_at(const void *base, const struct limit *l)
{
	const uint8_t *at = (const uint8_t *)base + l->offset;
	uint32_t u32;
	uint16_t u16;

	if (l->size == 1)
		return *at;
	if (l->size == 2) {
		memcpy(&u16, at, 2);
		return u16;
	}
	memcpy(&u32, at, 4);
	return u32;
}

const char *limit_check(const void *base, const struct limit *limits, size_t n,
                        const char **ret_range)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t v = value_at(base, &limits[i]);

		if (v < limits[i].min || v > limits[i].max) {
			*ret_range = limits[i].range;
			return limits[i].field;
		}
	}
	return NULL;
}
