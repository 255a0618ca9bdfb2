/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scheduler.h - who gets the resource blocks of a sub-frame.
 *
 * A scheduler only chooses the next flow to serve; how many blocks it needs
 * and whether they fit is the same for all of them (ran/lte/enb.c).
 *
 * Round robin shares sub-frames. Weighted fair queueing shares bytes: what the
 * carrier holds changes with every flow's channel, and start-time fair
 * queueing is the variant that stays fair on such a server. Max C/I serves the best
 * channel, which gives the most bytes in all and nothing to those far away.
 * Proportional fair serves the UE that has the best channel compared with what it got
 * on average, so that each is served when its own channel is good. Modified largest weighted
 * delay first multiplies that with the weight and with how long the first byte has waited, so
 * that with the right weights queues stay short as long as any scheduler could keep them so.
 * Source: Goyal, Vin, Cheng: Start-time Fair Queueing, SIGCOMM 1996, section 2;
 * Jalali, Padovani, Pankaj: Data Throughput of CDMA-HDR, VTC 2000, section III (PF);
 * Andrews et al: Providing Quality of Service over a Shared Wireless Link, IEEE Communications
 * Magazine 39(2), 2001 (M-LWDF)
 */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "cellcore.h"

#define SCHED_FLOWS_MAX (2 * CELL_MAX_UE + CELL_MAX_CROWD)
#define SCHED_CROWD     UINT8_MAX /* in place of a UE: of the crowd */

struct sched_flow {
	uint32_t backlog;    /* bytes; 0 = nothing to serve */
	uint32_t waiting;    /* bytes at the start of the sub-frame, served meanwhile or not */
	uint32_t rate;       /* bytes that a sub-frame of the carrier would hold for it alone */
	uint32_t delay_us;   /* that the first of them has waited: head-of-line delay */
	uint16_t id;         /* of this flow among all, below SCHED_FLOWS_MAX */
	uint8_t ue;          /* index, or SCHED_CROWD */
	uint8_t dir;         /* enum cell_dir */
	uint8_t weight;      /* 1..255 */
	uint8_t level;       /* log2 of the control channel elements of its DCIs */
	uint32_t claimed;    /* bytes of the backlog that go ahead of the scheduler's order */
	uint16_t claimed_rb; /* resource blocks that are kept for these */
};

/* What is remembered of a flow between sub-frames; all 0 at first. */
struct sched_memory {
	uint64_t start_tag; /* WFQ: bytes times 2^16 over the weight */
	uint64_t waited;    /* WFQ: pick at which it last had something to send */
	uint64_t average;   /* PF, M-LWDF: bytes of a sub-frame times 2^16, before @since */
	uint32_t since;     /* PF, M-LWDF: sub-frame of the last look */
	uint32_t got;       /* PF, M-LWDF: bytes in it */
};

struct sched_state {
	uint32_t tti;            /* the sub-frame that is scheduled */
	uint32_t average_tti;    /* PF, M-LWDF: time constant of the averages */
	uint32_t last;           /* round robin, max C/I: id of the flow served last */
	uint64_t virtual_time;   /* WFQ: start tag of the flow served last */
	uint64_t n_picks;        /* WFQ */
	struct sched_memory *of; /* of every flow, by its id */
};

struct sched {
	/* Index of the flow to serve next, or -1. @flows are in the order of their ids, and have at
	 * least those with something to send. Flows already served in this sub-frame have backlog
	 * 0. */
	int (*pick)(struct sched_state *s, const struct sched_flow *flows, uint32_t n);
	/* Flow @f got @bytes. */
	void (*served)(struct sched_state *s, const struct sched_flow *flows, uint32_t f,
	               uint32_t bytes);
};

/** scheduler_by_id() - the scheduler of cell_cfg.scheduler */
const struct sched *scheduler_by_id(enum cell_sched id);

#endif
