/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cqi.h - what a CQI says, and which MCS it allows.
 *
 * A CQI names the best format that a UE would decode with at most a tenth of the blocks lost
 * (with the table for low spectral efficiency, one of 100 000).
 * Source: TS 38.214 5.2.2.1, Tables 5.2.2.1-2, 5.2.2.1-3, 5.2.2.1-4
 */
#ifndef NR_CQI_H
#define NR_CQI_H

#include <stdint.h>

#include "phy/nr/mcs.h"

#define NR_CQI_MAX 15

/** nr_cqi() - format of CQI 1..15; CQI 0, out of range, has none */
const struct nr_format *nr_cqi(enum nr_table table, uint8_t cqi);

/**
 * nr_cqi_to_mcs() - greatest MCS that is no more efficient than @cqi says
 * @cqi_table: of the CQI
 * @mcs_table: of the MCS; those of the network's choice may differ
 *
 * Return: 0 also where none is: there is no MCS for less.
 */
uint8_t nr_cqi_to_mcs(enum nr_table cqi_table, enum nr_table mcs_table, uint8_t cqi);

#endif
