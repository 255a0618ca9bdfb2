/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crowd.h - modelled UEs that only load a scheduler: what waits of each, and what HARQ repeats.
 *
 * A member is bytes that wait and a CQI. It has neither packets nor RLC. Its flow stands beside
 * those of UEs, and whom of them the scheduler serves is its own affair; what a block holds is that
 * of the radio system.
 *
 * Bursts of a member are a Poisson process. Those of all members of a cell and direction together
 * are one, each of whose bursts is any member's with the same chance: so a crowd has one time at
 * which something is due, however many it has. Source: Kingman: Poisson Processes, 1993, 2.2, 5.1
 * Pauses of members that read are exponential, and those who read together are such a process, too,
 * whose rate follows their number.
 *
 * A block of a member has its outcome as soon as it is granted: one draw says how many attempts
 * HARQ takes, by the ladder of the cell, and what they take of later sub-frames or slots is put
 * down there. They come after those of UEs and before new data.
 */
#ifndef CROWD_H
#define CROWD_H

#include "base/arena.h"
#include "base/rng.h"
#include "mac/common/scheduler.h"

/* Sub-frames or slots: more than the longest ladder, 7 round trips of 32. */
#define CROWD_AGAIN 256

/* A modelled UE in one direction. */
struct crowd_member {
	uint32_t waiting;   /* bytes */
	uint32_t cqi_epoch; /* period of crowd.cqi_period_ms in which its CQI was drawn */
	int64_t since_ns;   /* they wait, or it was last granted */
	uint8_t format;     /* of its CQI: I_TBS of LTE, MCS of NR */
	uint8_t level;      /* of its CQI: log2 of the control channel elements of a DCI */
};

/* The modelled UEs of a cell in one direction. */
struct crowd {
	struct crowd_member *member; /* crowd.count, or none: NULL */
	uint64_t *waits;             /* a bit for each of them that has something to send */
	uint32_t *again;    /* by block of a sub-frame and sub-frame: RBs sent again then */
	uint32_t again_rb;  /* all of them */
	uint32_t n_waiting; /* members */
	uint8_t dir;        /* UL or DL */
	uint8_t enb;
	int64_t next_ns; /* of the next burst, or CELL_NEVER */
	struct rng arrival_rng;
	struct rng member_rng;
	struct rng size_rng;
	struct rng error_rng;
};

/* Of all cells and directions. */
struct crowd_memory {
	struct crowd_member *member;
	uint64_t *waits;
	uint32_t *again;
};

/* What a radio system makes of a CQI. */
struct crowd_formats {
	const void *of;
	uint8_t (*format)(const void *of, uint8_t cqi);
	uint32_t (*rate)(const void *of, uint8_t format); /* bytes that the carrier would hold */
	uint8_t (*level)(const void *of, uint8_t cqi);
};

/**
 * crowd_take() - memory for the crowds of all cells, NULLs without memory, or without a crowd
 * @n_dirs: directions that a cell has
 * @n_blocks: blocks of all these in a sub-frame or slot
 */
struct crowd_memory crowd_take(struct arena *a, const struct cell_cfg *cfg, uint32_t n_dirs,
                               uint32_t n_blocks);

/**
 * crowd_init() - one of a cell and direction, or none where the configuration has none there
 * @place: of it among all, in @memory
 * @again: its part of that of @memory
 * @n_blocks: of this direction
 */
void crowd_init(struct crowd *crowd, const struct cell_cfg *cfg, struct cell_stats *stats,
                const struct crowd_memory *memory, uint32_t place, uint32_t *again,
                uint32_t n_blocks, uint8_t dir, uint8_t enb, int64_t start_ns);

/** crowd_arrive() - the bursts that came up to @now_ns wait */
void crowd_arrive(struct crowd *crowd, const struct cell_cfg *cfg, struct cell_stats *stats,
                  int64_t now_ns);

/**
 * crowd_flows() - members that have something to send, to @ret
 * @epoch: period of crowd.cqi_period_ms
 * @first_id: of member 0 as a flow
 *
 * Return: how many
 */
uint32_t crowd_flows(struct crowd *crowd, const struct cell_cfg *cfg, uint32_t epoch,
                     int64_t now_ns, uint32_t first_id, const struct crowd_formats *formats,
                     struct sched_flow *ret);

/**
 * crowd_asked() - member @f of @n @flows had its turn in a sub-frame or slot, and needs none again
 * @fits: a block would have had room; without it, it has none for members whose channel is no
 *        better, and the scheduler need not be asked about each of them
 */
void crowd_asked(struct sched_flow *flows, uint32_t n, uint32_t f, bool fits);

/**
 * crowd_granted() - @bytes of member @m get @n_rb resource blocks of block @stream at time @at
 * @rtt: sub-frames or slots until the block is sent again, if it is
 */
void crowd_granted(struct crowd *crowd, const struct cell_cfg *cfg, struct cell_stats *stats,
                   uint32_t m, uint32_t bytes, uint16_t n_rb, uint8_t stream, uint32_t at,
                   uint32_t rtt, int64_t now_ns);

/**
 * crowd_again() - blocks that were not decoded take what is left of a sub-frame or slot
 * @free: resource blocks that are left
 * @wait: where they are too few, how much later the rest comes
 *
 * Return: resource blocks that are taken
 */
uint16_t crowd_again(struct crowd *crowd, struct cell_stats *stats, uint8_t stream, uint32_t at,
                     uint16_t free, uint32_t wait);

/** crowd_digest() - add the state of @crowd to @h */
void crowd_digest(const struct crowd *crowd, const struct cell_cfg *cfg, uint64_t *h);

#endif
