/* SPDX-License-Identifier: GPL-2.0-or-later */
/* serve.h - UEs get resource blocks of a slot, as the scheduler and their QoS say. */
#ifndef NR_SERVE_H
#define NR_SERVE_H

#include "ran/nr/state.h"

#define NR_HEADERS_OF_BLOCK 12

/* Resource blocks of a slot. */
struct nr_budget {
	uint16_t free;
	uint16_t next;
	uint16_t first; /* that was free at the start */
};

/* What a decision is about. */
struct nr_decision {
	struct nr_budget rb;
	enum cell_dir dir;
	uint8_t cell;
	uint8_t carrier;   /* of it */
	uint32_t slot;     /* in which UEs are told */
	uint32_t for_slot; /* of the blocks */
	uint32_t re;       /* of a PRB there */
};

/** nr_pdcch() - where room for the DCIs of @d is taken */
static inline struct cce_set *nr_pdcch(struct nr *nr, const struct nr_decision *d)
{
	return &nr->pdcch[d->cell][d->carrier];
}

/** nr_serve_again() - a block that was not decoded is sent again, with as many resource blocks.
 * Return: it is */
bool nr_serve_again(struct nr *nr, struct nr_sch *sch, struct nr_decision *d);

/** nr_serve_wanted() - bytes of a block for @bytes, those of headers where they do not count them
 */
static inline uint32_t nr_serve_wanted(enum cell_dir dir, uint32_t bytes)
{
	return bytes + (dir == CELL_DIR_UL ? NR_HEADERS_OF_BLOCK + bytes / 50 : 0);
}

/** nr_serve_flows() - the @n UEs of @flows get what is left; members of the crowd follow them */
void nr_serve_flows(struct nr *nr, struct sched_flow *flows, uint32_t n, struct nr_decision *d);

#endif
