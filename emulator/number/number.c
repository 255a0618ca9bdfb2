/* SPDX-License-Identifier: GPL-2.0-or-later */
/* number.c - whole numbers, read to their last character; see number.h. */
#include "number.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool number_parse(const char *text, int base, uint64_t min, uint64_t max, uint64_t *ret)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	size_t n = strspn(text, base == 16 ? digits : "0123456789");
	unsigned long long value;

	/* strtoull() takes signs, spaces and prefixes as well. */
	if (n == 0 || text[n] != '\0')
		return false;
	errno = 0;
	value = strtoull(text, NULL, base);
	if (errno == ERANGE || value < min || value > max)
		return false;
	*ret = value;
	return true;
}

bool number_option(const char *program, const char *option, uint64_t min, uint64_t max,
                   uint64_t *ret)
{
	if (number_parse(optarg, 10, min, max, ret))
		return true;
	(void)fprintf(stderr, "%s: --%s: value '%s': allowed whole numbers, %llu..%llu\n", program,
	              option, optarg, (unsigned long long)min, (unsigned long long)max);
	return false;
}
