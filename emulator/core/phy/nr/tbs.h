/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tbs.h - size of a transport block, and the code blocks it is cut into.
 *
 * The size follows from the resource elements of an allocation and the MCS. Up to 3824 bits it is
 * one of a table, above a multiple of 8 that gives code blocks of one length. Integers only: the
 * code rate is times 2048, so intermediate numbers are too.
 * Source: TS 38.214 5.1.3.2, 6.1.4.2; TS 38.212 5.2.2, 6.2.1, 6.2.2, 7.2.1, 7.2.2
 */
#ifndef NR_TBS_H
#define NR_TBS_H

#include <stdint.h>

#include "phy/nr/carrier.h"
#include "phy/nr/mcs.h"

#define NR_RE_PER_PRB_MAX 156
#define NR_TBS_BYTES_MAX  159749 /* 273 PRBs, 4 layers, 256QAM, rate 948/1024 */

/**
 * nr_n_re() - resource elements of an allocation that carry data
 * @symbols: that the shared channel has in the slot
 * @dmrs: resource elements of DM-RS in a PRB, those of CDM groups without data included
 * @overhead: xOverhead: 0, 6, 12 or 18
 */
uint32_t nr_n_re(uint8_t symbols, uint8_t dmrs, uint8_t overhead, uint16_t n_prb);

/** nr_tbs_bits() - transport block size in bits, a multiple of 8; 0 of no resource elements */
uint32_t nr_tbs_bits(uint32_t n_re, const struct nr_format *format, uint8_t layers);

/** nr_tbs() - the same in bytes */
static inline uint32_t nr_tbs(uint32_t n_re, const struct nr_format *format, uint8_t layers)
{
	return nr_tbs_bits(n_re, format, layers) / 8;
}

/** nr_coded_bits() - what the resource elements carry, before decoding: G of TS 38.212 5.4.2.1 */
static inline uint32_t nr_coded_bits(uint32_t n_re, const struct nr_format *format, uint8_t layers)
{
	return n_re * format->bits * layers;
}

/**
 * nr_prb_needed() - fewest PRBs, at most @n_prb_free, whose block has @bytes
 * @re_per_prb: nr_n_re() of one PRB
 *
 * Return: @n_prb_free where all of them have less.
 */
uint16_t nr_prb_needed(uint32_t bytes, uint32_t re_per_prb, const struct nr_format *format,
                       uint8_t layers, uint16_t n_prb_free);

/* Code blocks of a transport block. */
struct nr_segments {
	uint8_t base_graph;     /* of LDPC: 1 or 2 */
	uint8_t tb_crc_bits;    /* 16 or 24 */
	uint8_t block_crc_bits; /* 0 of a single code block, 24 */
	uint16_t n;             /* code blocks */
	uint16_t bits;          /* K': of each, CRCs included, filler bits not */
	uint16_t lifting;       /* Z_c: K is 22 (base graph 1) or 10 times that */
};

/** nr_base_graph() - LDPC base graph of a block. Source: TS 38.212 7.2.2 */
uint8_t nr_base_graph(uint32_t tbs_bits, uint16_t rate_x2048);

/** nr_segment() - code blocks of a block of @tbs_bits. Source: TS 38.212 5.2.2 */
struct nr_segments nr_segment(uint32_t tbs_bits, uint16_t rate_x2048);

#endif
