/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limit.h - ranges of the fields of a configuration, as data. */
#ifndef LIMIT_H
#define LIMIT_H

#include <stddef.h>
#include <stdint.h>

struct limit {
	const char *field;
	size_t offset;
	size_t size; /* of an unsigned integer: 1, 2 or 4 */
	uint32_t min;
	uint32_t max;
	const char *range;
};

#define LIMIT(type, name, lo, hi)                                                                  \
	{                                                                                          \
#name, offsetof(struct type, name), sizeof(((struct type *)0)->name), lo, hi,      \
			#lo ".." #hi                                                               \
	}

/** limit_check() - Return: the first field of @base outside its range, which is @ret_range; or NULL
 */
const char *limit_check(const void *base, const struct limit *limits, size_t n,
                        const char **ret_range);

/** LIMIT_CHECK() - limit_check() of a whole table */
#define LIMIT_CHECK(base, limits, ret_range)                                                       \
	limit_check(base, limits, sizeof(limits) / sizeof(*(limits)), ret_range)

#endif
