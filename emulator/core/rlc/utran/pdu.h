/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pdu.h - packing of AMD PDUs and STATUS PDUs of the UTRAN.
 *
 * Data: D/C=1 SN(12) P HE(2), then length indicators of 7 bits, each with an E
 * bit behind it, then the data, to a size that never changes. An indicator
 * counts the octets from the last indicator to the end of its SDU, also where
 * other SDUs end before.
 * Status: D/C=0 type(3)=000, then super-fields (SUFIs) of a type of 4 bits and
 * what belongs to it, then padding.
 * Source: TS 25.322 5.5.0 9.2.1, 9.2.2
 *
 * Not here: indicators of 15 bits (PDUs of more than 126 octets), HE=10 and the
 * other special indicators of later releases, RLIST, WINDOW and POLL SUFIs,
 * RESET PDUs. The clauses were read in excerpts; field layouts are compared with
 * the RLC dissector of Wireshark.
 */
#ifndef RLC_UTRAN_PDU_H
#define RLC_UTRAN_PDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RLC_UTRAN_SN_MASK     4095
#define RLC_UTRAN_SLOTS       4096 /* entries of a window, by SN */
#define RLC_UTRAN_AMD_FIXED   2    /* octets in front of the length indicators */
#define RLC_UTRAN_AMD_MIN     5    /* AMD PDU size, at least: two indicators and a byte */
#define RLC_UTRAN_AMD_MAX     126  /* AMD PDU size for which an indicator has 7 bits */
#define RLC_UTRAN_LI_PREVIOUS 0    /* the SDU before ended with the PDU before */
#define RLC_UTRAN_LI_STATUS   126  /* the rest is a piggybacked STATUS PDU */
#define RLC_UTRAN_LI_PADDING  127  /* the rest is padding */
#define RLC_UTRAN_CUTS_MAX    64

/*
 * What a PDU says of its data field: the offsets at which SDUs end in it (`cut`,
 * one for every length indicator of an SDU, ascending; 0 for
 * RLC_UTRAN_LI_PREVIOUS) and its length without padding.
 */
struct rlc_utran_amd {
	bool poll; /* P */
	uint16_t sn;
	uint16_t n_cuts;
	uint16_t cut[RLC_UTRAN_CUTS_MAX];
	uint16_t len;
	uint16_t status_at; /* where in the PDU a piggybacked STATUS PDU starts; 0: none */
};

/** rlc_utran_sn_next() - the SN after @sn */
static inline uint16_t rlc_utran_sn_next(uint16_t sn)
{
	return (uint16_t)((sn + 1) & RLC_UTRAN_SN_MASK);
}

/** rlc_utran_is_data() - D/C bit of a PDU */
static inline bool rlc_utran_is_data(const uint8_t *buf)
{
	return buf[0] & 0x80;
}

/**
 * rlc_utran_amd_pack() - write the header of @amd and the padding of a PDU of @size octets
 *
 * The padding gets an indicator when an octet is left; status_at is not
 * regarded, see rlc_utran_amd_piggyback().
 *
 * Return: octets of the header; the caller puts the data behind it.
 */
size_t rlc_utran_amd_pack(const struct rlc_utran_amd *amd, size_t size, uint8_t *buf);

/**
 * rlc_utran_amd_piggyback() - a place for a STATUS PDU in the padding of an AMD PDU of @size octets
 * @need: octets of the STATUS PDU, which the caller writes there
 * Source: TS 25.322 5.5.0 4.2.1.3, 9.2.1.5, 9.2.2.8
 *
 * Return: where it starts, or 0 and the PDU as it was: its padding is too short, or has one.
 */
size_t rlc_utran_amd_piggyback(uint8_t *buf, size_t size, size_t need);

/**
 * rlc_utran_amd_unpack() - read and check the header of an AMD PDU of @size octets
 * @ret_header: its octets; the data follow
 *
 * Return: 0, or -EBADMSG: a control PDU, or a header that does not fit the PDU.
 */
int rlc_utran_amd_unpack(struct rlc_utran_amd *ret, size_t *ret_header, const uint8_t *buf,
                         size_t size);

/* Types of SUFIs. Source: TS 25.322 5.5.0 9.2.2.11 */
enum rlc_utran_sufi_type {
	RLC_UTRAN_SUFI_NO_MORE = 0,
	RLC_UTRAN_SUFI_ACK = 2,
	RLC_UTRAN_SUFI_LIST = 3,
	RLC_UTRAN_SUFI_BITMAP = 4,
	RLC_UTRAN_SUFI_MRW = 6,
	RLC_UTRAN_SUFI_MRW_ACK = 7,
};

#define RLC_UTRAN_LIST_MAX   15 /* pairs of a LIST, SDUs of an MRW */
#define RLC_UTRAN_BITMAP_MAX 16 /* octets of a BITMAP */

/*
 * ACK: sn[0] is LSN, the first PDU it does not acknowledge.
 * LIST: @n pairs, PDU sn[i] and the l[i] ones after it are missing.
 * BITMAP: @n octets, the highest bit of the first one for PDU sn[0]; 0 is missing.
 * MRW: @n is LENGTH, SN_MRW are in sn (one of them for LENGTH=0), @n_li is N_LENGTH.
 * MRW_ACK: sn[0] is SN_ACK, @n_li is N.
 */
struct rlc_utran_sufi {
	enum rlc_utran_sufi_type type;
	uint8_t n;
	uint8_t n_li;
	uint16_t sn[RLC_UTRAN_LIST_MAX];
	uint8_t l[RLC_UTRAN_LIST_MAX];
	uint8_t bitmap[RLC_UTRAN_BITMAP_MAX];
};

#define RLC_UTRAN_SUFIS_MAX 24

/* A STATUS PDU; the SUFI that ends it, NO_MORE unless the last one is an ACK, is not listed. */
struct rlc_utran_status {
	uint16_t n;
	struct rlc_utran_sufi sufi[RLC_UTRAN_SUFIS_MAX];
};

/**
 * rlc_utran_status_at() - where the STATUS PDU in a PDU of @size octets starts: 0 for a control PDU
 *
 * Return: -ENOENT for an AMD PDU without one, or what is none.
 */
int rlc_utran_status_at(const uint8_t *buf, size_t size);

/** rlc_utran_sufi_bits() - bits of @sufi with its type */
uint32_t rlc_utran_sufi_bits(const struct rlc_utran_sufi *sufi);

/** rlc_utran_status_bytes() - size of a STATUS PDU, with what ends it and padding to an octet */
size_t rlc_utran_status_bytes(const struct rlc_utran_status *status);

/** rlc_utran_status_pack() - write a STATUS PDU; an ACK must be the last. Return: its size in
 * octets. */
size_t rlc_utran_status_pack(const struct rlc_utran_status *status, uint8_t *buf);

/**
 * rlc_utran_status_unpack() - read and check a STATUS PDU, piggybacked or not
 *
 * Return: 0, or -EBADMSG: not a STATUS PDU, cut short, or a SUFI not known here.
 */
int rlc_utran_status_unpack(struct rlc_utran_status *ret, const uint8_t *buf, size_t size);

#endif
