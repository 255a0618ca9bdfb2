/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_rlc_um.c - UMD PDUs: whatever the header says lies inside, and means the same packed again.
 */
#include <string.h>

#include "fuzz.h"
#include "rlc/lte/um/pdu.h"

static void check(uint8_t sn_bits, const uint8_t *buf, size_t len)
{
	uint8_t again[4096] = { 0 };
	struct um_pdu um, same;
	size_t header, header_again, data = 0;

	if (um_unpack(&um, &header, sn_bits, buf, len) < 0)
		return;
	FUZZ_CHECK(um.n >= 1 && um.n <= RLC_ELEMENTS_MAX && um.sn < 1u << sn_bits);
	for (uint16_t i = 0; i < um.n; i++) {
		FUZZ_CHECK(um.len[i] > 0);
		data += um.len[i];
	}
	FUZZ_CHECK(header + data == len && header == um_header_bytes(sn_bits, um.n));
	FUZZ_CHECK(um_pack(&um, sn_bits, again) == header && header < sizeof(again));
	FUZZ_CHECK(um_unpack(&same, &header_again, sn_bits, again, len) == 0);
	FUZZ_CHECK(same.sn == um.sn && same.fi == um.fi && same.n == um.n);
	FUZZ_CHECK(memcmp(same.len, um.len, um.n * sizeof(um.len[0])) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 4096)
		return 0;
	check(5, data, size);
	check(10, data, size);
	return 0;
}
