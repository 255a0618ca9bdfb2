/* SPDX-License-Identifier: GPL-2.0-or-later */
/* carrier.c - numerology of an NR carrier; see carrier.h. */
#include "phy/nr/carrier.h"

#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct bandwidth {
	uint16_t mhz;
	uint16_t n_rb[3]; /* 0: there is none */
};

/* By 15, 30, 60 kHz. Source: TS 38.101-1 Table 5.3.2-1 */
static const struct bandwidth fr1[] = {
	{ 5, { 25, 11, 0 } },     { 10, { 52, 24, 11 } },   { 15, { 79, 38, 18 } },
	{ 20, { 106, 51, 24 } },  { 25, { 133, 65, 31 } },  { 30, { 160, 78, 38 } },
	{ 35, { 188, 92, 44 } },  { 40, { 216, 106, 51 } }, { 45, { 242, 119, 58 } },
	{ 50, { 270, 133, 65 } }, { 60, { 0, 162, 79 } },   { 70, { 0, 189, 93 } },
	{ 80, { 0, 217, 107 } },  { 90, { 0, 245, 121 } },  { 100, { 0, 273, 135 } },
};

/* By 60, 120 kHz. Source: TS 38.101-2 Table 5.3.2-1 */
static const struct bandwidth fr2[] = {
	{ 50, { 66, 32 } },
	{ 100, { 132, 66 } },
	{ 200, { 264, 132 } },
	{ 400, { 0, 264 } },
};

static uint16_t find(const struct bandwidth *rows, size_t n, uint16_t mhz, unsigned column)
{
	for (size_t i = 0; column < COUNT(rows->n_rb) && i < n; i++)
		if (rows[i].mhz == mhz)
			return rows[i].n_rb[column];
	return 0;
}

uint16_t nr_n_rb(enum nr_range range, uint8_t mu, uint16_t mhz)
{
	if (range == NR_FR1)
		return find(fr1, COUNT(fr1), mhz, mu);
	return mu < 2 ? 0 : find(fr2, COUNT(fr2), mhz, mu - 2u);
}

uint8_t nr_n1_symbols(uint8_t mu)
{
	static const uint8_t n1[NR_MU_MAX + 1] = { 8, 10, 17, 20 };

	return n1[mu];
}

uint8_t nr_n2_symbols(uint8_t mu)
{
	static const uint8_t n2[NR_MU_MAX + 1] = { 10, 12, 23, 36 };

	return n2[mu];
}
