/* SPDX-License-Identifier: GPL-2.0-or-later */
/* number.h - whole numbers of command lines and text files, read to their last character. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * number_parse() - a number that is all of @text: no sign, no space, no unit
 * @base: 10, or 16 without a prefix
 * @max:  the largest allowed
 *
 * Return: false, and no change, when it is something else or not in @min..@max.
 */
bool number_parse(const char *text, int base, uint64_t min, uint64_t max, uint64_t *ret);

/**
 * number_option() - the value that getopt_long(3) has found for an option
 * @program: who says on stderr what is allowed, when it is something else
 *
 * Return: as number_parse(), to the base of 10.
 */
bool number_option(const char *program, const char *option, uint64_t min, uint64_t max,
                   uint64_t *ret);

#endif
