/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outer_loop.h - corrects what channel quality promises by what came of it.
 *
 * The outer loop moves an offset in dB down by a step for each first transmission that was not
 * decoded, and up by step * target / (1 - target) for each that was: where the share of failures is
 * the target the two balance.
 * Source: Sampath, Kumar, Holtzman: On Setting Reverse Link Target SIR in a CDMA System, VTC 1997
 */
#ifndef OUTER_LOOP_H
#define OUTER_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#define OUTER_LOOP_LIMIT_CDB 2000

struct outer_loop {
	int32_t offset_udb; /* millionths of a dB, added to the SINR that a CQI stands for */
	int32_t down_udb;   /* steps */
	int32_t up_udb;
	int32_t limit_udb; /* the offset stays within this on either side */
};

/**
 * outer_loop_init() - start at 0
 * @target_q32: share of first transmissions that may fail, as of 2^32, half at most; 0: the offset
 * stays 0
 * @step_cdb: after a failure
 * @limit_cdb: greatest offset, on either side
 */
void outer_loop_init(struct outer_loop *loop, uint32_t target_q32, uint16_t step_cdb,
                     uint16_t limit_cdb);

/** outer_loop_feedback() - a first transmission was acknowledged, or not */
void outer_loop_feedback(struct outer_loop *loop, bool ack);

/** outer_loop_cdb() - the offset in 1/100 dB, rounded down */
int32_t outer_loop_cdb(const struct outer_loop *loop);

#endif
