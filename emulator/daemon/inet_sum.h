/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inet_sum.h - the Internet checksum, in the byte order of the machine: what is stored is right.
 *
 * Source: RFC 1071 1, 2 (B) (byte order), 2 (A) (parts in any order)
 */
#ifndef INET_SUM_H
#define INET_SUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t inet_fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/** inet_sum() - sum of @len bytes, which a later part may follow where @len is even */
static inline uint64_t inet_sum(const uint8_t *data, size_t len)
{
	uint64_t sum = 0;
	uint32_t word = 0;

	for (; len >= sizeof(word); data += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, data, sizeof(word));
		sum += word;
	}
	word = 0;
	memcpy(&word, data, len);
	return sum + word;
}

/** inet_sum_header() - put the checksum into an IPv4 header of @len bytes */
static inline void inet_sum_header(uint8_t *ip, size_t len)
{
	uint16_t sum;

	memset(ip + 10, 0, sizeof(sum));
	sum = (uint16_t)~inet_fold(inet_sum(ip, len));
	memcpy(ip + 10, &sum, sizeof(sum));
}

#endif
