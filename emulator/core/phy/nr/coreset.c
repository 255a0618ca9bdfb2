/* SPDX-License-Identifier: GPL-2.0-or-later */
/* coreset.c - the control resource set of a downlink slot; see coreset.h. */
#include "phy/nr/coreset.h"

#include "phy/common/aggregation.h"
#include "phy/nr/tbs.h"

#define REGS_OF_CCE 6
#define RB_STEP     6
#define RE_OF_CCE   54
#define DCI_BITS    70
#define LEVEL_MAX   4

uint16_t coreset_cces(uint16_t n_rb, uint8_t symbols)
{
	return (uint16_t)(n_rb / RB_STEP * RB_STEP * symbols / REGS_OF_CCE);
}

uint8_t coreset_level(enum nr_table table, uint16_t cces, uint8_t cqi)
{
	uint64_t promised = cqi ? nr_efficiency_x2048(nr_cqi(table, cqi)) : 0;

	return aggregation_level(UINT64_C(2048) * DCI_BITS, promised, RE_OF_CCE, LEVEL_MAX, cces);
}

uint8_t coreset_candidates(uint8_t level)
{
	static const uint8_t n[] = { 6, 6, 2, 2, 1 };

	return n[level];
}
