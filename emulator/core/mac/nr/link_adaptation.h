/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link_adaptation.h - which MCS a gNB chooses: what a CQI promises, corrected by what came of it.
 *
 * The outer loop moves an offset in dB down by a step for each first transmission that was not
 * decoded, and up by step * target / (1 - target) for each that was: where the share of failures is
 * the target the two balance.
 * Source: Sampath, Kumar, Holtzman: On Setting Reverse Link Target SIR in a CDMA System, VTC 1997
 */
#ifndef NR_LINK_ADAPTATION_H
#define NR_LINK_ADAPTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "phy/nr/bler.h"

struct nr_outer_loop {
	int32_t offset_udb; /* millionths of a dB, added to the SINR that a CQI stands for */
	int32_t down_udb;   /* steps */
	int32_t up_udb;
	int32_t limit_udb; /* the offset stays within this on either side */
};

/**
 * nr_outer_loop_init() - start at 0
 * @target_q32: share of first transmissions that may fail, as of 2^32, half at most; 0: the offset
 * stays 0
 * @step_cdb: after a failure
 * @limit_cdb: greatest offset, on either side
 */
void nr_outer_loop_init(struct nr_outer_loop *loop, uint32_t target_q32, uint16_t step_cdb,
                        uint16_t limit_cdb);

/** nr_outer_loop_feedback() - a first transmission was acknowledged, or not */
void nr_outer_loop_feedback(struct nr_outer_loop *loop, bool ack);

/** nr_outer_loop_cdb() - the offset in 1/100 dB, rounded down */
int32_t nr_outer_loop_cdb(const struct nr_outer_loop *loop);

/** nr_sinr_to_mcs() - greatest MCS of a table that needs at most @sinr_cdb; 0 where none does */
uint8_t nr_sinr_to_mcs(enum nr_table table, int32_t sinr_cdb);

/**
 * nr_choose_mcs() - MCS for a UE that reported @cqi
 *
 * With no offset nr_cqi_to_mcs(); with one the best that the SINR of the CQI, so corrected,
 * carries.
 */
uint8_t nr_choose_mcs(const struct nr_outer_loop *loop, enum nr_table cqi_table,
                      enum nr_table mcs_table, uint8_t cqi);

#endif
