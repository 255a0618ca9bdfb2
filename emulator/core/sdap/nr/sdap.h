/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sdap.h - SDAP: headers, and which data radio bearer a QoS flow has.
 *
 *   downlink data    RDI RQI QFI(6)
 *   uplink data      D/C=1 R QFI(6)
 *   end marker       D/C=0 R QFI(6), uplink
 *
 * A bearer has the header or not, in each direction for itself. A flow goes to the bearer that a
 * rule names, else to the default one. The rules of a UE's uplink come from RRC, or from the
 * downlink: RDI says that the UE is to send the flow where it received it. When a flow changes its
 * bearer the UE sends an end marker on the old one.
 * Source: TS 37.324 v15.1.0 5.2, 5.3, 6.2.2, 6.3
 */
#ifndef SDAP_H
#define SDAP_H

#include <stdbool.h>
#include <stdint.h>

#define SDAP_HEADER_BYTES 1
#define SDAP_QFI_COUNT    64
#define SDAP_NO_DRB       0 /* identities of bearers start with 1 */

struct sdap_header {
	bool rdi;  /* downlink: reflective QoS flow to DRB mapping */
	bool rqi;  /* downlink: reflective QoS, told to NAS */
	bool data; /* uplink: no end marker */
	uint8_t qfi;
};

/** sdap_dl_pack() - the header of a downlink data PDU */
static inline uint8_t sdap_dl_pack(struct sdap_header h)
{
	return (uint8_t)(h.rdi << 7 | h.rqi << 6 | (h.qfi & 0x3f));
}

static inline struct sdap_header sdap_dl_unpack(uint8_t byte)
{
	return (struct sdap_header){
		.rdi = byte >> 7, .rqi = byte >> 6 & 1, .data = true, .qfi = byte & 0x3f
	};
}

/** sdap_ul_pack() - the header of an uplink data PDU, or an end marker */
static inline uint8_t sdap_ul_pack(struct sdap_header h)
{
	return (uint8_t)(h.data << 7 | (h.qfi & 0x3f));
}

static inline struct sdap_header sdap_ul_unpack(uint8_t byte)
{
	return (struct sdap_header){ .data = byte >> 7, .qfi = byte & 0x3f };
}

/* QoS flow to DRB mapping of one direction. */
struct sdap_map {
	uint8_t drb[SDAP_QFI_COUNT]; /* stored rules; SDAP_NO_DRB: none */
	uint8_t default_drb;
};

/** sdap_drb_of() - the bearer of flow @qfi, SDAP_NO_DRB when there is none */
uint8_t sdap_drb_of(const struct sdap_map *map, uint8_t qfi);

/**
 * sdap_set_rule() - flow @qfi goes to @drb from now on, by RRC
 *
 * Return: the bearer on which an end marker is due, or SDAP_NO_DRB. Source: TS 37.324 5.3.1
 */
uint8_t sdap_set_rule(struct sdap_map *map, uint8_t qfi, uint8_t drb);

/**
 * sdap_reflect() - a downlink PDU with header @h came on @drb: the rule of the uplink
 *
 * Return: as sdap_set_rule(). Source: TS 37.324 5.3.2
 */
uint8_t sdap_reflect(struct sdap_map *map, struct sdap_header h, uint8_t drb);

#endif
