/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status.h - STATUS PDUs of NR, written and read one NACK after the other.
 *
 *   12-bit SN  D/C CPT(3) ACK_SN(12) E1 R(7), then NACK_SN(12) E1 E2 E3 R
 *   18-bit SN  D/C CPT(3) ACK_SN(18) E1 R, then NACK_SN(18) E1 E2 E3 R(3)
 *
 * Behind a NACK_SN come SOstart(16) SOend(16) with E2, and NACK range(8) with E3. A range says that
 * so many SDUs in a row are missing; then SOstart is of the first of them and SOend of the last.
 * Source: TS 38.322 6.2.2.5, 6.2.3.10 to 6.2.3.17
 */
#ifndef RLC_NR_STATUS_H
#define RLC_NR_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NR_SO_END         UINT16_MAX /* SOend: up to the last byte */
#define NR_NACK_RANGE_MAX 255
#define NR_STATUS_HEADER  3 /* bytes, for either length of SNs */

struct nr_nack {
	uint32_t sn;
	uint16_t range; /* SDUs, from 1 */
	bool has_so;
	uint16_t so_start; /* 0 and NR_SO_END without has_so */
	uint16_t so_end;   /* the last byte missing, or NR_SO_END */
};

/** nr_nack_bytes() - size of @nack in a STATUS PDU */
static inline uint32_t nr_nack_bytes(const struct nr_nack *nack, uint8_t sn_bits)
{
	return (sn_bits == 18 ? 3u : 2u) + (nack->has_so ? 4u : 0u) + (nack->range > 1);
}

struct nr_status_writer {
	uint8_t *buf;
	uint32_t used;
	uint32_t n; /* NACKs */
	uint8_t sn_bits;
	uint8_t e1; /* E1's bit in the last part written, and where that part has it */
	uint32_t e1_byte;
};

void nr_status_start(struct nr_status_writer *w, uint8_t sn_bits, uint8_t *buf);
void nr_status_add(struct nr_status_writer *w, const struct nr_nack *nack);

/** nr_status_end() - Return: size of the STATUS PDU */
uint32_t nr_status_end(struct nr_status_writer *w, uint32_t ack_sn);

struct nr_status_reader {
	const uint8_t *buf;
	size_t len;
	size_t at;
	uint8_t sn_bits;
	bool more; /* another NACK follows */
	uint32_t ack_sn;
	uint32_t n; /* NACKs */
};

/**
 * nr_status_open() - read a STATUS PDU's header and check all of it
 *
 * Return: 0, or -EBADMSG: of another type, too short, or its NACKs are not in order before ACK_SN.
 */
int nr_status_open(struct nr_status_reader *r, uint8_t sn_bits, const uint8_t *buf, size_t len);

/** nr_status_next() - the next NACK. Return: there was one */
bool nr_status_next(struct nr_status_reader *r, struct nr_nack *ret);

#endif
