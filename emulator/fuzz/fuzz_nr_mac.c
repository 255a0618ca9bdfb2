/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_nr_mac.c - MAC PDUs, Random Access Responses and MSGBs of NR: what they say lies inside, and
 * means the same packed again. */
#include <string.h>

#include "fuzz.h"
#include "mac/nr/pdu.h"
#include "mac/nr/rar.h"

#define LEN_MAX 70000 /* an SDU whose length needs 16 bits, and then some */

static uint32_t pack_element(enum nr_link link, const struct nr_ce *ce, uint8_t *buf, uint32_t size)
{
	uint32_t bytes = nr_ce_bytes(link, ce);
	struct nr_pdu_builder b;

	FUZZ_CHECK(bytes <= size);
	nr_pdu_start(&b, link, buf, bytes);
	nr_pdu_ce(&b, ce);
	FUZZ_CHECK(nr_pdu_end(&b) == 0);
	return bytes;
}

/* Packed alone and read it is the same packed again. */
static void check_element(enum nr_link link, const struct nr_ce *ce)
{
	uint8_t buf[16], again[16];
	uint32_t bytes = pack_element(link, ce, buf, sizeof(buf));
	struct nr_pdu_reader r;
	struct nr_subpdu s;
	struct nr_ce same;

	nr_pdu_read(&r, link, buf, bytes);
	FUZZ_CHECK(nr_pdu_next(&r, &s) == 1 && !s.is_sdu && s.lcid == ce->lcid);
	FUZZ_CHECK(nr_ce_unpack(&same, &r, &s) == 0);
	FUZZ_CHECK(pack_element(link, &same, again, sizeof(again)) == bytes);
	FUZZ_CHECK(memcmp(buf, again, bytes) == 0);
}

/* Every subPDU of a PDU that was read, packed again: the same, but for longer subheaders than
 * needed. */
static void check_pdu(enum nr_link link, const uint8_t *buf, uint32_t len)
{
	static uint8_t again[LEN_MAX];
	struct nr_pdu_builder b;
	struct nr_pdu_reader r;
	struct nr_subpdu s;
	struct nr_ce ce;
	uint32_t end = 0;
	int32_t padding = nr_pdu_check(link, buf, len);

	if (padding < 0)
		return;
	FUZZ_CHECK((uint32_t)padding <= len);
	nr_pdu_start(&b, link, again, len);
	nr_pdu_read(&r, link, buf, len);
	while (nr_pdu_next(&r, &s) > 0) {
		FUZZ_CHECK(s.off > end && s.off + s.len <= len);
		end = s.off + s.len;
		if (s.is_sdu) {
			if (s.len >
			    nr_pdu_room(&b)) /* CCCH has a shorter header than there is room for */
				return;
			memcpy(nr_pdu_at(&b), buf + s.off, s.len);
			(void)nr_pdu_sdu(&b, s.lcid, s.len);
			FUZZ_CHECK(memcmp(again + b.used - s.len, buf + s.off, s.len) == 0);
		} else if (s.lcid != NR_LCID_PADDING) {
			FUZZ_CHECK(nr_ce_unpack(&ce, &r, &s) == 0);
			check_element(link, &ce);
			nr_pdu_ce(&b, &ce);
		}
	}
	FUZZ_CHECK(end == len && nr_pdu_end(&b) >= (uint32_t)padding);
	FUZZ_CHECK(nr_pdu_check(link, again, len) >= padding);
}

#define RESPONSE_MAX (NR_RARS_MAX * (NR_RAR_BYTES + NR_SUCCESS_BYTES + 2) + 1)

/* Ours have successes first; in that order it is packed twice. */
static void check_msgb(const struct nr_ra_response *r)
{
	static uint8_t first[RESPONSE_MAX], second[RESPONSE_MAX];
	uint32_t bytes = nr_msgb_bytes(r);
	struct nr_ra_response same;

	FUZZ_CHECK(bytes <= RESPONSE_MAX);
	nr_msgb_pack(r, first, bytes);
	FUZZ_CHECK(nr_msgb_unpack(&same, first, bytes) == 0);
	FUZZ_CHECK(same.n_rars == r->n_rars && same.n_successes == r->n_successes &&
	           same.backoff == r->backoff);
	nr_msgb_pack(&same, second, bytes);
	FUZZ_CHECK(memcmp(first, second, bytes) == 0);
}

static void check_response(const uint8_t *buf, uint32_t len)
{
	static uint8_t again[RESPONSE_MAX];
	struct nr_ra_response r;

	if (nr_rar_unpack(&r, buf, len) == 0) {
		FUZZ_CHECK(nr_rar_bytes(&r) <= len && r.n_successes == 0);
		nr_rar_pack(&r, again, nr_rar_bytes(&r));
		FUZZ_CHECK(memcmp(again, buf, nr_rar_bytes(&r)) == 0);
	}
	if (nr_msgb_unpack(&r, buf, len) == 0) {
		FUZZ_CHECK(nr_msgb_bytes(&r) <= len);
		check_msgb(&r);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > LEN_MAX)
		return 0;
	check_pdu(NR_DL, data, (uint32_t)size);
	check_pdu(NR_UL, data, (uint32_t)size);
	check_response(data, (uint32_t)size);
	return 0;
}
