/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unit.h - cmocka with the headers it wants before it. */
#ifndef UNIT_H
#define UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
