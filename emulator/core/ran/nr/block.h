/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block.h - new blocks are filled and sent. */
#ifndef NR_BLOCK_H
#define NR_BLOCK_H

#include "ran/nr/state.h"

/** nr_block_uplink() - @u sends a new block on @g, or again the one that its process has */
void nr_block_uplink(struct nr *nr, struct nr_ue *u, const struct nr_grant *g);

/** nr_block_downlink() - the gNB sends @u a new block on @g */
void nr_block_downlink(struct nr *nr, struct nr_ue *u, const struct nr_grant *g);

/** nr_block_room() - there is memory for @n more blocks beside those that were granted */
static inline bool nr_block_room(const struct nr *nr, uint32_t n)
{
	return nr->tbs.used + nr->promised + n <= nr->tbs_max;
}

#endif
