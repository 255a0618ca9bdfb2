/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window.h - what a receiving entity of NR knows of the SDUs in its window: a bit for each that is
 * complete, and the segments of those that are not.
 */
#ifndef RLC_NR_WINDOW_H
#define RLC_NR_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "rlc/nr/pdu.h"
#include "rlc/nr/store.h"

#define NR_BUCKETS 32 /* of segments, by SN */

struct nr_window {
	struct bits done; /* SDUs that are complete, by SN */
	uint32_t size;    /* SNs in it at most: half of them all */
	uint32_t n_parts; /* SDUs with segments */
	struct nr_part *part[NR_BUCKETS];
	struct nr_store *store;
};

/** nr_window_size() - Source: TS 38.322 7.2, AM_Window_Size and UM_Window_Size */
static inline uint32_t nr_window_size(uint8_t sn_bits)
{
	return UINT32_C(1) << (sn_bits - 1);
}

/** nr_window_next() - the SN @n after @sn */
static inline uint32_t nr_window_next(const struct nr_window *w, uint32_t sn, uint32_t n)
{
	return (sn + n) & (2 * w->size - 1);
}

/** nr_window_dist() - from @from on to @sn, modulo the number of SNs. Source: TS 38.322 7.1 */
static inline uint32_t nr_window_dist(const struct nr_window *w, uint32_t from, uint32_t sn)
{
	return (sn - from) & (2 * w->size - 1);
}

/** nr_window_find() - the first SN from @from to @to - 1 whose bit is @value, or @to */
static inline uint32_t nr_window_find(const struct nr_window *w, struct bits bits, bool value,
                                      uint32_t from, uint32_t to)
{
	return nr_window_next(w, from, bits_find(bits, value, from, nr_window_dist(w, from, to)));
}

/** nr_window_part() - the segments of SDU @sn, or NULL */
struct nr_part *nr_window_part(const struct nr_window *w, uint32_t sn);

/**
 * nr_window_add() - keep a segment
 * @data: bytes from pdu->so on, @len of them
 *
 * Return: all that came of its SDU, or NULL: they came before, contradict what came before, or
 * there is no place for them.
 */
struct nr_part *nr_window_add(struct nr_window *w, const struct nr_pdu *pdu, const uint8_t *data,
                              uint32_t len);

/** nr_part_complete() - nothing is missing */
static inline bool nr_part_complete(const struct nr_part *part)
{
	return part->len > 0 && rlc_ranges_cover(&part->ranges, 0, part->len);
}

/** nr_part_has_gap() - a byte is missing before the last one that came */
static inline bool nr_part_has_gap(const struct nr_part *part)
{
	return part->ranges.n != 1 || part->ranges.at[0].from != 0;
}

/** nr_window_drop() - forget the segments of SDU @sn. Return: their packet, or NULL */
struct pkt *nr_window_drop(struct nr_window *w, uint32_t sn);

/** nr_window_clear() - forget all segments; packets are appended to @ret */
void nr_window_clear(struct nr_window *w, struct pkt_queue *ret);

/**
 * nr_window_deliver() - @len bytes of a whole SDU came, which the sender kept as @p
 *
 * NULL is an SDU of nobody. Where the length is another one, segments of two SDUs have met after a
 * whole turn of SNs was lost, and @p is discarded.
 */
void nr_window_deliver(struct pkt *p, const uint8_t *data, uint32_t len, struct rlc_out *out);

#endif
