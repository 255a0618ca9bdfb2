/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cell.h - what every radio network has in common: its configuration, its
 * clock, packets that arrive, changes that wait, and the outputs of a call.
 *
 * The state of a radio access network (ran/ran.h) starts with a struct cell and
 * goes on with what is its own; so a layer that has a struct cell has the clock,
 * memory for packets and the outputs (out.h), and nothing of what is above it.
 */
#ifndef CELL_H
#define CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pkt.h"
#include "cellcore.h"

struct ran;
struct cell;

/* What a network that consists of several has of each of them: PDCP is its own. */
struct cell_above {
	/* RLC of @part delivered a PDCP PDU of UE @ue in that direction, which is taken over. */
	void (*receive)(struct cell *part, uint8_t ue, enum cell_dir dir, struct pkt *p);

	/* RLC of @part gave up on UE @ue. */
	void (*failed)(struct cell *part, uint8_t ue);
};

/* A change that cell_apply() took and cell_advance() has yet to make. */
struct waiting_cmd {
	int64_t t_ns;
	struct cell_cmd cmd;
};

struct cell {
	struct cell_cfg cfg;
	const struct ran *ran;
	struct cell *home; /* whose packets and outputs it has: itself, unless it is a part */
	const struct cell_above *above; /* of a part, else NULL */
	uint8_t first_enb;              /* of a part: what its base stations are numbered from */
	int64_t start_ns;
	int64_t now_ns;               /* latest time given by the caller */
	int64_t event_ns;             /* time of the event being processed */
	uint32_t block;               /* transport block in hand, for the trace; 0 = none */
	uint8_t serving[CELL_MAX_UE]; /* eNB of every UE, for the trace */

	struct pkt_queue arrivals;
	struct waiting_cmd *cmd; /* ring of cfg.max_cmds */
	uint32_t cmd_first;      /* index of the one to be made next */
	uint32_t n_cmds;
	struct pkt_queue free_pkts;
	struct pkt *fresh_pkts; /* @n_fresh_pkts, never used yet: memory that nobody touches costs
	                           nothing */
	uint32_t n_fresh_pkts;
	struct pkt_queue limbo_pkts; /* output; bytes valid until the next call */
	uint32_t n_pkts;             /* held */
	uint32_t next_pkt_id;
	struct cell_stats stats;

	struct cell_out *out; /* caller's array during an advance */
	size_t out_n;
	size_t out_cap;
};

static inline int64_t cell_tti_ns(const struct cell *c, uint32_t tti)
{
	return c->start_ns + (int64_t)tti * CELL_TTI_NS;
}

/** base_pkt_alloc() - a packet to be filled, NULL when max_pkts are held */
struct pkt *base_pkt_alloc(struct cell *c);

/** base_pkt_originate() - a packet that the core makes itself, or NULL when none is free */
struct pkt *base_pkt_originate(struct cell *c);

/** base_pkt_terminate() - the end of a packet of that kind */
void base_pkt_terminate(struct cell *c, struct pkt *p);

#endif
