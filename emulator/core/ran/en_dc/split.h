/* SPDX-License-Identifier: GPL-2.0-or-later */
/* split.h - PDCP of a split bearer: which cell group a packet takes, and when. */
#ifndef EN_DC_SPLIT_H
#define EN_DC_SPLIT_H

#include "ran/en_dc/state.h"

/** split_init() - COUNTs of @u start with 0, and nothing is known of its cell groups; @words: of
 * its PDCP entities, split_words() */
void split_init(const struct en_dc *n, struct en_dc_ue *u, uint64_t *words);

/** split_words() - words that a UE's PDCP entities take */
size_t split_words(const struct cell_cfg *cfg);

/** split_ingress() - a packet comes at the UE or at the network */
void split_ingress(struct en_dc *n, struct pkt *p);

/** split_receive() - RLC of @part has a PDCP PDU; see struct cell_above */
void split_receive(struct cell *part, uint8_t ue, enum cell_dir dir, struct pkt *p);

/** split_feed() - what waits in PDCP goes to cell groups that want it */
void split_feed(struct en_dc *n, struct en_dc_ue *u);

/** split_x2_next_ns() - when something next arrives by X2, or CELL_NEVER */
int64_t split_x2_next_ns(const struct en_dc *n);

/** split_x2_arrive() - it does */
void split_x2_arrive(struct en_dc *n);

/** split_next_ns() - the first timer of @u's bearer, or CELL_NEVER */
int64_t split_next_ns(const struct en_dc *n, const struct en_dc_ue *u);

/** split_expire() - all that expires now */
void split_expire(struct en_dc *n, struct en_dc_ue *u);

/** split_recover() - what the SCG has of @u and has no acknowledgment for goes by the MCG. Source:
 * TS 38.323 5.5 */
void split_recover(struct en_dc *n, struct en_dc_ue *u);

/** split_flush() - what waits in PDCP is dropped */
void split_flush(struct en_dc *n, struct en_dc_ue *u);

/** split_empty() - PDCP and X2 give up what they hold, to @ret */
void split_empty(struct en_dc *n, struct pkt_queue *ret);

/** split_digest() - hash of @u's bearer */
void split_digest(const struct en_dc_ue *u, uint64_t *h);

#endif
