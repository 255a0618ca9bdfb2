/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * train.h - what packets meet that come to a recorded link after a pause: not the opportunities of
 * a link that is always busy, but a base delay and the opportunities of a short train.
 *
 * A recording says for times t how long the first packet of a train that started then was on its
 * way, and how much later each further opportunity of the train arrived. Replayed:
 *
 * - A packet starts a train when there was none, or when, with the delay of the train before, it
 *   would leave later than the gap after the last packet left. Its delay is that of the recording,
 *   between two of its times in proportion.
 * - A later packet uses the first opportunity of its train that is not over and has room for it:
 *   the train's delay and the opportunity's offset count from the train's start.
 * - When no opportunity is left, packets go to the opportunities of the busy link (opportunity.h),
 *   the train's delay, or its last offset if that is more, after they came.
 * - The delay of a packet's size is added, unless it would then overtake. A packet that would
 *   overtake leaves with the one before, to the opportunities of the busy link.
 *
 * What leaves the train while packets wait for the busy link waits behind them.
 * Source: CellReplay
 */
#ifndef TRAIN_H
#define TRAIN_H

#include "base/pkt.h"
#include "cell_cfg.h"

struct train {
	const struct cell_train
		*record; /* the caller's; NULL: packets meet the busy link at once */
	const uint32_t *offset_ms;
	const int32_t *size_us;
	uint32_t n_records;
	uint32_t n_sizes;
	uint32_t bytes; /* of an opportunity */
	int64_t gap_ns;
	bool started;
	uint32_t at;          /* record of this train */
	uint32_t next;        /* its opportunity in use */
	uint32_t left;        /* bytes of that */
	int64_t start_ns;     /* its first packet came */
	int64_t delay_ns;     /* of that */
	int64_t leaves_ns;    /* of the last packet, but for size and order */
	int64_t last_ns;      /* it leaves */
	struct pkt_queue way; /* to where they leave at queued_ns */
};

/** train_init() - those of direction @dir, if there are any */
void train_init(struct train *t, const struct cell_recorded *link, int dir);

/** train_check() - Return: the field that is wrong, or NULL; @ret_range: allowed */
const char *train_check(const struct cell_recorded *link, int dir, const char **ret_range);

/** train_add() - a packet comes @now_ns, @since_ns after sub-frame 0 */
void train_add(struct train *t, struct pkt *p, int64_t now_ns, int64_t since_ns);

/** train_next() - when the next packet leaves, or CELL_NEVER */
int64_t train_next(const struct train *t);

#endif
