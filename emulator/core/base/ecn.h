/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ecn.h - the ECN field of IP packets. Source: RFC 3168 5; RFC 9331 2 */
#ifndef ECN_H
#define ECN_H

#include <stdint.h>

enum ecn { ECN_NOT_ECT, ECN_ECT_1, ECN_ECT_0, ECN_CE, ECN_MASK = 3 };

/** ecn_of() - field of the IPv4 or IPv6 packet of @len bytes; ECN_NOT_ECT for what is neither */
enum ecn ecn_of(const uint8_t *packet, uint32_t len);

/**
 * ecn_set() - change the field of a packet for which ecn_of() said that it has one
 *
 * The checksum of an IPv4 header changes with it; that of TCP and UDP has no part of it.
 * Source: RFC 1624 3; RFC 8200 3
 */
void ecn_set(uint8_t *packet, enum ecn ecn);

#endif
