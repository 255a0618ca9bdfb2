/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * transport_blocks.c - print what one sub-frame carries: lines `dl|ul cqi n_rb bytes`.
 *
 * For tools that choose a carrier and a CQI for a wanted rate.
 */
#include <stdint.h>
#include <stdio.h>

#include "phy/lte/phy.h"

int main(void)
{
	static const char *const name[] = { [CELL_DIR_UL] = "ul", [CELL_DIR_DL] = "dl" };
	static const enum cell_dir dirs[] = { CELL_DIR_DL, CELL_DIR_UL };

	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		for (uint8_t cqi = 1; cqi <= 15; cqi++) {
			uint8_t itbs = phy_itbs(dirs[i], cqi, 1);

			for (uint16_t n_rb = 6; n_rb <= CELL_MAX_RB; n_rb++) {
				uint16_t used = phy_rb_needed(dirs[i], itbs, UINT32_MAX, n_rb);

				printf("%s %u %u %u\n", name[dirs[i]], cqi, n_rb,
				       phy_tbs(itbs, used));
			}
		}
	}
	return ferror(stdout) ? 1 : 0;
}
