/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * phy.h - what the radio can carry: CQI, MCS, transport block sizes.
 *
 * A CQI says how many bits per resource element a receiver would decode with at most a tenth of
 * the blocks lost. I_TBS is a row of the table of transport block sizes, whose columns are
 * numbers of PRBs; phy_itbs() takes the row that a CQI allows. I_MCS, which a grant names, says
 * I_TBS and the modulation. Downlink and uplink differ in the resource elements that are left for
 * data, in I_MCS, and in the numbers of PRBs that may be allocated. Direct mode uses the uplink's
 * carrier and follows its rules.
 * Source: TS 36.213 7.1.7, 7.2.3, 8.6; TS 36.211 5.3.3
 */
#ifndef PHY_H
#define PHY_H

#include <stdint.h>

#include "cellcore.h"

#define PHY_ITBS_COUNT 27
#define PHY_TBS_MAX    9422 /* bytes: I_TBS 26 on 110 PRBs */

extern const uint16_t phy_tbs_bytes[PHY_ITBS_COUNT][CELL_MAX_RB];

/** phy_tbs() - transport block size in bytes of @n_rb PRBs at @itbs */
static inline uint32_t phy_tbs(uint8_t itbs, uint16_t n_rb)
{
	return n_rb ? phy_tbs_bytes[itbs][n_rb - 1] : 0;
}

/** phy_efficiency() - bits per resource element of a CQI, times 10^4; 0 out of range */
uint32_t phy_efficiency(uint8_t cqi);

/**
 * phy_itbs() - transport format for a reported CQI
 * @symbols: of the downlink's control region, 1 to 4
 *
 * The largest I_TBS whose block on 50 PRBs needs no more bits per resource
 * element than the CQI promises.
 * Source: TS 36.213 Table 7.2.3-1 (efficiencies), 7.2.3 (definition of CQI)
 */
uint8_t phy_itbs(enum cell_dir dir, uint8_t cqi, uint8_t symbols);

/** phy_bits() - bits per modulation symbol of @itbs: 2, 4 or 6. Source: TS 36.213 Tables 7.1.7.1-1
 * and 8.6.1-1 */
uint8_t phy_bits(enum cell_dir dir, uint8_t itbs);

/** phy_coded_bits() - what @n_rb PRBs carry at @itbs, before decoding; @symbols: as above */
uint32_t phy_coded_bits(enum cell_dir dir, uint8_t itbs, uint16_t n_rb, uint8_t symbols);

/** phy_mcs() - I_MCS of @itbs. Source: TS 36.213 Tables 7.1.7.1-1 and 8.6.1-1 */
uint8_t phy_mcs(enum cell_dir dir, uint8_t itbs);

/**
 * phy_rb_needed() - fewest PRBs that carry @bytes, at most @n_rb_free
 *
 * In UL and SL only multiples of 2, 3 and 5 can be allocated (DFT sizes).
 * Source: TS 36.211 5.3.3
 *
 * Return: 0 when nothing can be allocated.
 */
uint16_t phy_rb_needed(enum cell_dir dir, uint8_t itbs, uint32_t bytes, uint16_t n_rb_free);

#endif
