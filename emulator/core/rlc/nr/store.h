/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h - SDUs that AM transmitters keep, and segments that wait at receivers, of all entities of
 * a network.
 *
 * A transmitter keeps an SDU until it is acknowledged, which is after the receiver has delivered
 * it. So each SDU that is kept has a spare buffer: what the receiver delivers is the spare, with
 * the bytes that arrived and with all that the packet was, and the transmitter goes on with the
 * bytes it has. No bytes are copied but those from the air. When no SDU is free transmitters wait
 * as they do when their window is full.
 *
 * What waits at a receiver is part of a packet that is not delivered, so there is place for as
 * many. Only of UM some may belong to packets that were lost, until t-Reassembly expires; if there
 * is no place at all a segment is discarded.
 */
#ifndef RLC_NR_STORE_H
#define RLC_NR_STORE_H

#include "base/pkt.h"
#include "rlc/common/range.h"
#include "rlc/nr/nr.h"

#define NR_SDU_MAX (4 + CELL_UE_MTU_MAX) /* with headers of PDCP and SDAP */

/* An SDU in an AM transmitter's window. */
struct nr_sdu {
	struct nr_sdu *next; /* the next one not acknowledged */
	struct pkt *p;       /* its bytes; and the packet, until that is delivered */
	struct pkt *spare;   /* NULL when it was delivered */
	const void *owner;   /* transmitter; NULL in the store */
	uint32_t sn;
	uint32_t named;   /* number of the STATUS PDU that last named it as missing */
	uint32_t counted; /* and of the last one for which RETX_COUNT counted */
	uint16_t sent;    /* bytes that were sent at least once */
	uint8_t retx_count;
	bool considered;          /* RETX_COUNT counts from here on */
	struct rlc_ranges ranges; /* to be sent again */
};

/* Segments of an SDU that is not complete, at a receiver. */
struct nr_part {
	struct nr_part *next;
	struct pkt *p; /* UM: the packet, once its last byte is among them */
	uint32_t sn;
	uint16_t len; /* of the SDU, 0 until its last byte came */
	struct rlc_ranges ranges;
	uint8_t data[NR_SDU_MAX];
};

struct nr_store {
	struct nr_sdu *sdu;
	struct nr_part *part;
	struct pkt *spare;   /* one for each SDU, to start with */
	uint32_t n_sdus;     /* in the store */
	uint32_t fresh_sdus; /* of these, from the first on, never used yet */
	uint32_t fresh_parts;
	struct nr_sdu *free_sdus;
	struct nr_part *free_parts;
};

/** nr_sdu_get() - an SDU with a spare buffer; NULL when none is free */
struct nr_sdu *nr_sdu_get(struct nr_store *store);

/** nr_sdu_put() - @sdu is not kept any more; its packet is elsewhere */
void nr_sdu_put(struct nr_store *store, struct nr_sdu *sdu);

/** nr_sdu_deliver() - its packet in the spare buffer, whose bytes are to be written */
struct pkt *nr_sdu_deliver(struct nr_sdu *sdu);

/** nr_part_get() - place for segments; NULL when none is free */
struct nr_part *nr_part_get(struct nr_store *store);

/** nr_part_put() - @part is not needed any more; its packet is elsewhere */
void nr_part_put(struct nr_store *store, struct nr_part *part);

#endif
