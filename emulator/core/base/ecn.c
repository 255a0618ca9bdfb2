/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ecn.c - the ECN field of IP packets; see ecn.h. */
#include "base/ecn.h"

#include "base/octets.h"

#define IPV4_BYTES 20
#define IPV6_BYTES 40

enum ecn ecn_of(const uint8_t *packet, uint32_t len)
{
	if (len >= IPV4_BYTES && packet[0] >> 4 == 4)
		return (enum ecn)(packet[1] & ECN_MASK);
	if (len >= IPV6_BYTES && packet[0] >> 4 == 6)
		return (enum ecn)(packet[1] >> 4 & ECN_MASK);
	return ECN_NOT_ECT;
}

/* The header checksum is the complement of a sum of 16-bit words, of which one changes from @before
 * to @after. Source: RFC 1624 3, equation 3 */
static void adjust_checksum(uint8_t *at, uint32_t before, uint32_t after)
{
	uint32_t s = (~get16(at) & 0xffff) + (~before & 0xffff) + after;

	s = (s & 0xffff) + (s >> 16);
	s = ~(s + (s >> 16));
	at[0] = (uint8_t)(s >> 8);
	at[1] = (uint8_t)s;
}

void ecn_set(uint8_t *packet, enum ecn ecn)
{
	uint32_t before = get16(packet);

	if (packet[0] >> 4 == 6) {
		packet[1] = (uint8_t)((packet[1] & ~(ECN_MASK << 4)) | (int)ecn << 4);
		return;
	}
	packet[1] = (uint8_t)((packet[1] & ~ECN_MASK) | (int)ecn);
	adjust_checksum(packet + 10, before, get16(packet));
}
