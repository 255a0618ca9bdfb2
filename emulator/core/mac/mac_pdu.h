/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mac_pdu.h - MAC PDUs of UL-SCH and DL-SCH and the Random Access Response.
 *
 * A PDU is a header of subheaders (R R E LCID, with F and L for every SDU but
 * the last), control elements, RLC PDUs, padding.
 * Source: TS 36.321 v10.0.0 6.1.2, 6.1.3, 6.1.5, 6.2
 */
#ifndef MAC_PDU_H
#define MAC_PDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* LCIDs. Source: TS 36.321 Tables 6.2.1-1, 6.2.1-2 */
/* Data radio bearers: which RLC they have shows in the LCID, so that a capture
 * explains itself. The next one up is the direct bearer between two UEs, or a second
 * bearer of that kind; LCID_UM_10_MORE and LCID_AM_MORE are third ones. */
#define LCID_UM_10      3 /* between UE and eNB, 10-bit SN */
#define LCID_AM         5
#define LCID_UM_5       7
#define LCID_AM_MORE    9
#define LCID_UM_10_MORE 10
#define LCID_CRNTI      27
#define LCID_SHORT_BSR  29
#define LCID_LONG_BSR   30
#define LCID_PADDING    31

/* Logical channel groups: which bearer a BSR speaks of. */
#define LCG_INFRASTRUCTURE 0
#define LCG_DIRECT         1
#define LCG_COUNT          4

struct mac_bsr {
	bool present;
	bool is_long;
	uint8_t lcg;              /* of a short BSR */
	uint8_t index[LCG_COUNT]; /* levels; a short BSR has one */
};

/* RLC PDUs of one MAC PDU: a STATUS PDU, retransmissions, new data. */
#define MAC_SDUS_MAX 8

struct mac_sdu {
	uint8_t lcid;
	uint32_t off; /* in the MAC PDU */
	uint32_t len;
};

struct mac_pdu {
	bool has_crnti;
	uint16_t crnti;
	struct mac_bsr bsr;
	uint32_t n_sdus; /* RLC PDUs */
	struct mac_sdu sdu[MAC_SDUS_MAX];
	uint32_t padding; /* bytes that carry nothing: subheaders of padding and what follows */
};

/**
 * mac_sdu_room() - bytes left for another RLC PDU in a block of @tbs bytes
 * beside the control elements and RLC PDUs of @pdu
 */
uint32_t mac_sdu_room(const struct mac_pdu *pdu, uint32_t tbs);

/** mac_padding() - bytes of a block of @tbs that @pdu leaves to padding */
uint32_t mac_padding(const struct mac_pdu *pdu, uint32_t tbs);

/**
 * mac_pack() - write header, control elements and padding of a PDU
 * @pdu:  what to write; every SDU at most mac_sdu_room(); sdu[].off and padding are set
 * @sdus: RLC PDUs back to back, copied in
 * @tbs:  size of the transport block, filled up with padding
 */
void mac_pack(struct mac_pdu *pdu, const uint8_t *sdus, uint8_t *buf, uint32_t tbs);

/**
 * mac_unpack() - read and check a MAC PDU
 *
 * Return: 0, or -EBADMSG: lengths beyond the PDU, reserved bits set, an LCID
 * this network does not use, or more than MAC_SDUS_MAX SDUs.
 */
int mac_unpack(struct mac_pdu *ret, const uint8_t *buf, uint32_t len);

/** struct mac_rar - Random Access Response. Source: TS 36.321 6.1.5; TS 36.213 6.2 */
struct mac_rar {
	uint8_t rapid;
	uint16_t riv; /* 10-bit resource block assignment */
	uint8_t mcs;  /* truncated to 4 bits */
	uint16_t temp_crnti;
};

#define MAC_RAR_BYTES 7

void mac_rar_pack(const struct mac_rar *rar, uint8_t buf[MAC_RAR_BYTES]);

/** mac_rar_unpack() - Return: 0 or -EBADMSG */
int mac_rar_unpack(struct mac_rar *ret, const uint8_t *buf, size_t len);

#endif
