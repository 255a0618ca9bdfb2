/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pdcch.c - the control region of a downlink sub-frame; see pdcch.h. */
#include "phy/lte/pdcch.h"

#include "phy/common/aggregation.h"
#include "phy/lte/phy.h"

#define REGS_OF_CCE   9
#define RE_OF_CCE     36
#define REGS_PCFICH   4
#define REGS_OF_PHICH 3
#define LEVEL_MAX     3
#define CRC_BITS      16

uint8_t pdcch_symbols(uint16_t n_rb, uint8_t cfi)
{
	return (uint8_t)(cfi + (n_rb <= PDCCH_NARROW_RB));
}

/* Groups of resource elements of a resource block: reference signals take a third of the first
 * symbol; a fourth symbol has them, too. */
static uint32_t regs_of_rb(uint8_t symbols)
{
	static const uint8_t regs[] = { 0, 2, 5, 8, 10 };

	return regs[symbols];
}

uint16_t pdcch_cces(uint16_t n_rb, uint8_t cfi)
{
	uint32_t phich_groups = (n_rb + 7u) / 8;
	uint32_t regs = n_rb * regs_of_rb(pdcch_symbols(n_rb, cfi));

	return (uint16_t)((regs - REGS_PCFICH - REGS_OF_PHICH * phich_groups) / REGS_OF_CCE);
}

/* Format 0 as format 1A: flags and MCS, HARQ, power control are 15 bits. */
static uint32_t dci_bits(uint16_t n_rb)
{
	uint32_t allocations = (uint32_t)n_rb * (n_rb + 1) / 2, bits = 15 + CRC_BITS;

	for (uint32_t n = allocations - 1; n > 0; n >>= 1)
		bits++;
	return bits;
}

uint8_t pdcch_level(uint16_t n_rb, uint16_t cces, uint8_t cqi)
{
	return aggregation_level(dci_bits(n_rb) * UINT64_C(10000), phy_efficiency(cqi), RE_OF_CCE,
	                         LEVEL_MAX, cces);
}

uint8_t pdcch_candidates(uint8_t level)
{
	return level < 2 ? 6 : 2;
}
