/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * channel.c - which logical channels a UE has, by the configuration, and which packets each
 * takes; see channel.h.
 *
 * A UE has a default bearer, which takes all packets that no other one does, and dedicated ones
 * with a traffic flow template: filters, of which one has to take the packet. The UE asks its
 * filters in the uplink; the eNB, in place of the P-GW of an EPS, those of the downlink. Of a
 * fragment only the first has ports, so a filter with ports does not take the others.
 *
 * Each mode of RLC has LCIDs of its own (rlc/common/lcid.h). Between a UE and the eNB the first
 * bearer of a kind has the first LCID of it. A UE whose peer is a UE has the next one for the
 * direct bearer, and so only one bearer of each kind. Source: TS 23.401 4.7.2; TS 24.008 10.5.6.12;
 * TS 36.321 6.2.1
 */
#include "ran/channel/channel.h"

#include <string.h>

#include "base/assert.h"
#include "base/octets.h"
#include "rlc/common/rlc.h"

#define IP_TCP    6
#define IP_UDP    17
#define IP_ICMP   1
#define IP_ICMPV6 58

uint8_t channel_count(const struct cell_cfg *cfg, uint8_t id, enum cell_dir dir)
{
	uint8_t n = 1;

	if (dir == CELL_DIR_SL && cfg->ue[id - 1].peer == CELL_PEER_NETWORK)
		return n;
	for (uint32_t i = 0; i < cfg->n_bearers && n < UINT8_MAX; i++)
		n = (uint8_t)(n + (cfg->bearer[i].ue == id && cfg->bearer[i].n_filters > 0));
	return n;
}

struct cell_bearer_cfg channel_cfg(const struct cell_cfg *cfg, uint8_t id, uint8_t k)
{
	uint8_t at = 0;

	for (uint32_t i = 0; i < cfg->n_bearers; i++) {
		const struct cell_bearer_cfg *b = &cfg->bearer[i];

		if (b->ue == id && (b->n_filters > 0 ? ++at : 0) == k)
			return *b;
	}
	return cell_cfg_bearer(cfg);
}

static const struct lcids *lcids_of(const struct cell_bearer_cfg *b)
{
	return rlc_mode_of((enum cell_rlc_mode)b->rlc.mode)->lcids(&b->rlc);
}

uint8_t channel_lcid(const struct cell_cfg *cfg, uint8_t id, uint8_t k, enum cell_dir dir)
{
	struct cell_bearer_cfg b = channel_cfg(cfg, id, k);
	const struct lcids *lcids = lcids_of(&b);
	bool direct = cfg->ue[id - 1].peer != CELL_PEER_NETWORK;
	uint8_t before = 0;

	for (uint8_t i = 0; i < k; i++) {
		struct cell_bearer_cfg other = channel_cfg(cfg, id, i);

		before = (uint8_t)(before + (lcids_of(&other) == lcids));
	}
	if (before >= (direct ? 1 : LCIDS_OF_KIND))
		return 0;
	before = (uint8_t)(before + (dir == CELL_DIR_SL));
	CELL_ASSERT(before < LCIDS_OF_KIND);
	return lcids->lcid[before];
}

/* One end of a packet. */
struct end {
	const uint8_t *addr; /* of IPv4 or IPv6, as the header says */
	uint16_t port;
};

/* What a filter looks at. */
struct header {
	uint8_t version; /* of IP, 0 for what is none */
	uint8_t protocol;
	uint8_t dscp;
	struct end src, dst;
};

static void read_ports(struct header *h, const uint8_t *transport, uint32_t len)
{
	if (len < 4 || (h->protocol != IP_TCP && h->protocol != IP_UDP))
		return;
	h->src.port = get16(transport);
	h->dst.port = get16(transport + 2);
}

/* Of IPv4, or of IPv6 without extension headers; zeros for what is neither. */
static struct header read_header(const uint8_t *b, uint32_t len)
{
	struct header h = { 0 };
	uint32_t ihl = 4u * (b[0] & 0xf);

	if (len >= 20 && b[0] >> 4 == 4) {
		h.version = 4;
		h.dscp = b[1] >> 2;
		h.protocol = b[9];
		h.src.addr = b + 12;
		h.dst.addr = b + 16;
		if ((get16(b + 6) & 0x1fff) == 0 && ihl < len)
			read_ports(&h, b + ihl, len - ihl);
	} else if (len >= 40 && b[0] >> 4 == 6) {
		h.version = 6;
		h.dscp = (uint8_t)((get16(b) >> 4 & 0xff) >> 2);
		h.protocol = b[6];
		h.src.addr = b + 8;
		h.dst.addr = b + 24;
		read_ports(&h, b + 40, len - 40);
	}
	return h;
}

static bool is_protocol(uint8_t number, enum cell_protocol wanted)
{
	switch (wanted) {
	case CELL_PROTOCOL_TCP:
		return number == IP_TCP;
	case CELL_PROTOCOL_UDP:
		return number == IP_UDP;
	case CELL_PROTOCOL_ICMP:
		return number == IP_ICMP || number == IP_ICMPV6;
	default:
		return true;
	}
}

static bool begins_alike(const uint8_t *a, const uint8_t *b, uint8_t bits)
{
	uint8_t whole = bits / 8, rest = bits % 8;

	return memcmp(a, b, whole) == 0 && (rest == 0 || (a[whole] ^ b[whole]) >> (8 - rest) == 0);
}

static bool is_end(const struct header *h, const struct end *end, const struct cell_prefix *prefix,
                   uint16_t port)
{
	if (prefix->version != 0 &&
	    (prefix->version != h->version || !begins_alike(end->addr, prefix->addr, prefix->bits)))
		return false;
	return port == 0 || port == end->port;
}

bool channel_takes(const struct cell_bearer_cfg *b, struct pkt *p, bool sent)
{
	struct header h = read_header(pkt_data(p), p->len);
	const struct end *local = sent ? &h.src : &h.dst, *remote = sent ? &h.dst : &h.src;

	for (uint8_t i = 0; i < b->n_filters; i++) {
		const struct cell_filter *f = &b->filter[i];

		if (is_protocol(h.protocol, (enum cell_protocol)f->protocol) &&
		    (f->dscp == CELL_DSCP_ANY || f->dscp == h.dscp) &&
		    is_end(&h, local, &f->local, f->local_port) &&
		    is_end(&h, remote, &f->remote, f->remote_port))
			return true;
	}
	return false;
}
