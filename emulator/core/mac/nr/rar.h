/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rar.h - Random Access Responses and MSGB, which have subheaders of their own.
 *
 * A response to preambles may start with a backoff indicator, and goes on with an answer for each
 * preamble. MSGB answers the two steps: with success to a UE whose message was read, with a
 * response as of four steps (fallback) to one whose preamble alone was heard.
 * Source: TS 38.321 6.1.5, 6.1.5a, 6.2.2, 6.2.3, 6.2.3a; TS 38.213 8.2
 */
#ifndef NR_RAR_H
#define NR_RAR_H

#include <stdbool.h>
#include <stdint.h>

#define NR_RAR_BYTES     7  /* of a response, without its subheader */
#define NR_SUCCESS_BYTES 11 /* of a successRAR */
#define NR_RARS_MAX      8  /* in one PDU, here */
#define NR_CONTENTION_ID 6
#define NR_BACKOFF_NONE  (-1)

struct nr_rar {
	uint8_t rapid;           /* 0..63 */
	uint16_t timing_advance; /* 12 bits */
	bool hopping;            /* the grant of message 3 */
	uint16_t frequency;      /* 14 bits: frequency domain resource assignment */
	uint8_t time;            /* 4 bits: row of the time domain allocation */
	uint8_t mcs;             /* 4 bits */
	uint8_t tpc;             /* 3 bits */
	bool csi_request;
	uint16_t temp_crnti;
};

struct nr_success {
	uint8_t contention[NR_CONTENTION_ID];
	uint8_t tpc;             /* 2 bits */
	uint8_t harq_timing;     /* 3 bits */
	uint8_t pucch;           /* 4 bits */
	uint16_t timing_advance; /* 12 bits */
	uint16_t crnti;
};

/* A PDU of responses: of RA-RNTI (n_successes is 0) or of MSGB-RNTI. */
struct nr_ra_response {
	int8_t backoff; /* index 0..15, or NR_BACKOFF_NONE */
	uint8_t n_rars;
	uint8_t n_successes;
	struct nr_rar rar[NR_RARS_MAX];
	struct nr_success success[NR_RARS_MAX];
};

/**
 * nr_rar_frequency() - the resource indication value of the grant of message 3
 * @bwp_rb: resource blocks of the bandwidth part
 * @first:  of the allocation
 * @n_rb:   of it, 1 to @bwp_rb - @first
 *
 * The field has the last 14 bits of it, in a wide bandwidth part, too.
 * Source: TS 38.213 8.3; TS 38.214 6.1.2.2.2
 */
uint16_t nr_rar_frequency(uint16_t bwp_rb, uint16_t first, uint16_t n_rb);

/** nr_rar_bytes() - size of a response without padding; nr_msgb_bytes(): the same of MSGB */
uint32_t nr_rar_bytes(const struct nr_ra_response *r);
uint32_t nr_msgb_bytes(const struct nr_ra_response *r);

/** nr_rar_pack() - write @r and padding into a block of @size bytes, at least nr_rar_bytes() */
void nr_rar_pack(const struct nr_ra_response *r, uint8_t *buf, uint32_t size);
void nr_msgb_pack(const struct nr_ra_response *r, uint8_t *buf, uint32_t size);

/** nr_rar_unpack() - Return: 0, or -EBADMSG: cut off, reserved bits, more than NR_RARS_MAX */
int nr_rar_unpack(struct nr_ra_response *ret, const uint8_t *buf, uint32_t len);
int nr_msgb_unpack(struct nr_ra_response *ret, const uint8_t *buf, uint32_t len);

/** nr_backoff_ms() - upper end of the backoff that @index asks for; 0 of NR_BACKOFF_NONE.
 * Source: TS 38.321 Table 7.2-1 */
uint32_t nr_backoff_ms(int8_t index);

/**
 * nr_ra_rnti() - RNTI of the responses to preambles of an occasion
 * @symbol: first symbol of the occasion
 * @slot: its first slot within the frame, 0..79
 * @frequency: index of the occasion in the frequency domain, 0..7
 *
 * Source: TS 38.321 5.1.3
 */
uint16_t nr_ra_rnti(uint8_t symbol, uint8_t slot, uint8_t frequency);

/** nr_msgb_rnti() - the same for MSGB. Source: TS 38.321 5.1.3a */
uint16_t nr_msgb_rnti(uint8_t symbol, uint8_t slot, uint8_t frequency);

#endif
