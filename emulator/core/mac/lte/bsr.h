/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bsr.h - buffer size levels of Buffer Status Reports. */
#ifndef BSR_H
#define BSR_H

#include <stdint.h>

#define BSR_INDEX_COUNT 64

/** bsr_index() - level that reports @bytes. Source: TS 36.321 Table 6.1.3.1-1 */
uint8_t bsr_index(uint32_t bytes);

/**
 * bsr_bytes() - what the eNB reads from a level: its upper bound
 *
 * The last level has none; the eNB then grants for twice its lower bound.
 */
uint32_t bsr_bytes(uint8_t index);

#endif
