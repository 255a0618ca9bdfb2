/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assert.h - programmer errors stop the process, in release builds too: a
 * wrong state must not become a wrong measurement.
 */
#ifndef CELL_ASSERT_H
#define CELL_ASSERT_H

#define CELL_ASSERT(cond)                                                                          \
	do {                                                                                       \
		if (!(cond))                                                                       \
			__builtin_trap();                                                          \
	} while (0)

#endif
