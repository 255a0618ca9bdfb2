/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdu.h - MAC PDUs of UL-SCH and DL-SCH and the Random Access Response.
 *
 * A PDU is a header of subheaders (R R E LCID, with F and L for every SDU but
 * the last), control elements, RLC PDUs, padding. A logical channel above 10, which release 15
 * added, takes another octet: LCID 16 says that the one behind it has the identity, less 32.
 * Source: TS 36.321 v10.0.0 6.1.2, 6.1.3, 6.1.5, 6.2; v15.3.0 6.2.1 (eLCID)
 */
#ifndef MAC_PDU_H
#define MAC_PDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* LCIDs. Source: TS 36.321 Tables 6.2.1-1, 6.2.1-2; v15.3.0 Table 6.2.1-1b; TS 36.331 v15.3.0
 * logicalChannelIdentity-r15 */
#define LCID_DRB_FIRST  3 /* data radio bearers; rlc/common/lcid.h */
#define LCID_DRB_LAST   10
#define LCID_EXTENDED   16 /* an octet with the identity follows */
#define ELCID_DRB_FIRST 32
#define ELCID_DRB_LAST  38
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
 * mac_sdu_room() - bytes left for another RLC PDU, of channel @lcid, in a block of @tbs bytes
 * beside the control elements and RLC PDUs of @pdu
 */
uint32_t mac_sdu_room(const struct mac_pdu *pdu, uint32_t tbs, uint8_t lcid);

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
