/* SPDX-License-Identifier: GPL-2.0-or-later */
/* link_adaptation.h - which transport format an eNB chooses: that of a CQI, corrected by an outer
 * loop.
 */
#ifndef LTE_LINK_ADAPTATION_H
#define LTE_LINK_ADAPTATION_H

#include "mac/common/outer_loop.h"
#include "phy/lte/phy.h"

/* The least SINR at which half of the blocks of each I_TBS are decoded at once. */
struct lte_formats {
	int16_t sinr_cdb[PHY_ITBS_COUNT];
};

/** lte_formats_init() - of a direction with so many control symbols, by the BLER of 50 resource
 * blocks */
void lte_formats_init(struct lte_formats *ret, enum cell_dir dir, uint8_t symbols);

/** lte_choose_itbs() - the greatest I_TBS for the SINR of @itbs and the offset; @itbs without one
 */
uint8_t lte_choose_itbs(const struct lte_formats *f, const struct outer_loop *loop, uint8_t itbs);

#endif
