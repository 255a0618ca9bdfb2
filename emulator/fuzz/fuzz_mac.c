/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_mac.c - MAC PDUs and Random Access Responses: what they say lies inside, and means the same
 * packed again. */
#include <string.h>

#include "fuzz.h"
#include "mac/lte/pdu.h"

#define LEN_MAX 9422 /* the largest transport block of 110 resource blocks, and then some */

static void check_pdu(const uint8_t *buf, uint32_t len)
{
	static uint8_t sdus[LEN_MAX], again[LEN_MAX];
	struct mac_pdu pdu, same;
	uint32_t at = 0, inside = 0;

	if (mac_unpack(&pdu, buf, len) < 0)
		return;
	FUZZ_CHECK(pdu.n_sdus <= MAC_SDUS_MAX && pdu.padding < len);
	FUZZ_CHECK(!pdu.bsr.present || pdu.bsr.lcg < LCG_COUNT);
	for (uint32_t i = 0; i < pdu.n_sdus; i++) {
		FUZZ_CHECK(pdu.sdu[i].len > 0 && pdu.sdu[i].off >= inside);
		inside = pdu.sdu[i].off + pdu.sdu[i].len;
		FUZZ_CHECK(inside <= len);
		memcpy(sdus + at, buf + pdu.sdu[i].off, pdu.sdu[i].len);
		at += pdu.sdu[i].len;
	}
	same = pdu;
	for (uint32_t i = 0; i < pdu.n_sdus; i++) { /* ours are never longer than what fits */
		same.n_sdus = i;
		if (pdu.sdu[i].len > mac_sdu_room(&same, len, pdu.sdu[i].lcid))
			return;
	}
	same = pdu;
	mac_pack(&same, sdus, again, len);
	FUZZ_CHECK(mac_unpack(&same, again, len) == 0);
	FUZZ_CHECK(same.has_crnti == pdu.has_crnti && same.crnti == pdu.crnti &&
	           same.bsr.present == pdu.bsr.present && same.n_sdus == pdu.n_sdus);
	FUZZ_CHECK(memcmp(same.bsr.index, pdu.bsr.index, sizeof(same.bsr.index)) == 0);
	for (uint32_t i = 0, from = 0; i < pdu.n_sdus; from += pdu.sdu[i++].len) {
		FUZZ_CHECK(same.sdu[i].lcid == pdu.sdu[i].lcid &&
		           same.sdu[i].len == pdu.sdu[i].len);
		FUZZ_CHECK(memcmp(again + same.sdu[i].off, sdus + from, pdu.sdu[i].len) == 0);
	}
}

static void check_rar(const uint8_t *buf, size_t len)
{
	uint8_t again[MAC_RAR_BYTES];
	struct mac_rar rar, same;

	if (mac_rar_unpack(&rar, buf, len) < 0)
		return;
	mac_rar_pack(&rar, again);
	FUZZ_CHECK(mac_rar_unpack(&same, again, sizeof(again)) == 0);
	FUZZ_CHECK(same.rapid == rar.rapid && same.riv == rar.riv && same.mcs == rar.mcs &&
	           same.temp_crnti == rar.temp_crnti);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > LEN_MAX)
		return 0;
	check_rar(data, size);
	check_pdu(data, (uint32_t)size);
	return 0;
}
