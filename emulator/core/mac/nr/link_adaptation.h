/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link_adaptation.h - which MCS a gNB chooses: what a CQI promises, corrected by an outer loop.
 */
#ifndef NR_LINK_ADAPTATION_H
#define NR_LINK_ADAPTATION_H

#include <stdint.h>

#include "mac/common/outer_loop.h"
#include "phy/nr/bler.h"

/** nr_sinr_to_mcs() - greatest MCS of a table that needs at most @sinr_cdb; 0 where none does */
uint8_t nr_sinr_to_mcs(enum nr_table table, int32_t sinr_cdb);

/**
 * nr_choose_mcs() - MCS for a UE that reported @cqi
 *
 * With no offset nr_cqi_to_mcs(); with one the best that the SINR of the CQI, so corrected,
 * carries.
 */
uint8_t nr_choose_mcs(const struct outer_loop *loop, enum nr_table cqi_table,
                      enum nr_table mcs_table, uint8_t cqi);

#endif
