/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rlc.h - one direction of a radio bearer's RLC, whichever mode: the transmitting half at its
 * start and the receiving half at its end.
 *
 * A mode is a table of functions. The MAC asks the start for PDUs of at most so many bytes when
 * it has a grant, and the end takes what was decoded. What a mode does it tells radio.trace
 * itself; SDUs that it delivers or gives up go to the caller, which has the PDCP entities.
 *
 * In an acknowledged mode the two directions of a bearer belong together: each carries the other's
 * STATUS PDUs, and both start again together.
 * Source: TS 36.322 4.2, 5
 */
#ifndef RLC_H
#define RLC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "rlc/common/lcid.h"
#include "rlc/common/pdu.h"
#include "rlc/common/reassembly.h"
#include "rlc/common/sdu_queue.h"

#define RLC_NS_PER_MS INT64_C(1000000)

struct rlc;
struct nr_store;

/* What all entities of a network use, one at a time. */
struct rlc_shared {
	struct rlc_pool pool;
	struct rlc_tx_pdu tx_pdu; /* the PDU being built; too large for the stack */
	void *scratch;            /* rlc_mode.scratch_bytes of the mode that needs most */
	struct nr_store *nr;      /* with modes of NR, see rlc/nr/nr.h */
};

struct rlc_mode {
	const char *name;
	bool acknowledged; /* keeps an SDU until the receiver has it: PDCP goes on at a handover */
	bool whole;        /* an SDU is in one PDU, or not sent: blocks have to have room for it */
	uint8_t pdus_max;  /* of a bearer in one MAC PDU, UINT8_MAX: any number */
	size_t bytes;      /* of its state */
	size_t scratch_bytes; /* of rlc_shared.scratch */

	/* Its logical channels. Bearers of one mode may be of several kinds, each with its own. */
	const struct lcids *(*lcids)(const struct cell_rlc_cfg *cfg);
	/* Entries of the windows of both ends; half of them are RLC PDUs at most. */
	uint32_t (*slots)(const struct cell_rlc_cfg *cfg);
	/* @rlc has all but `queue` and `expiry_ns`, which are set here. */
	void (*init)(struct rlc *rlc, const struct cell_rlc_cfg *cfg, struct rlc_pdu **window);

	/* Bytes that the start could send now. Source: TS 36.322 4.5 */
	uint32_t (*bytes_waiting)(const struct rlc *rlc);
	/* All of them fit one PDU of @room bytes. NULL where that takes several. */
	bool (*fits)(const struct rlc *rlc, uint32_t room);
	/* A PDU of at most @room bytes; packets that end in it go to @ret_ends unless the mode
	 * keeps them. Return: its size, 0 when there is nothing to send or no room. */
	uint32_t (*build)(struct rlc *rlc, uint32_t room, uint8_t *buf, struct pkt_queue *ret_ends);

	/* A PDU arrived at the end; @ends, which build() gave, are taken over. */
	void (*receive)(struct rlc *rlc, const uint8_t *buf, uint32_t len, struct pkt_queue *ends,
	                struct rlc_out *out);

	/* The timer of rlc.expiry_ns expired. */
	void (*expire)(struct rlc *rlc, struct rlc_out *out);

	/* Re-establishment: the receiver delivers what is complete; SDUs that the transmitter keeps
	 * are visited in order (NULL: it keeps none); and both start again. Only reset() may follow
	 * kept(). Source: TS 36.322 5.4 */
	void (*finish)(struct rlc *rlc, struct rlc_out *out);
	void (*kept)(struct rlc *rlc, void (*visit)(void *arg, struct rlc_kept_sdu sdu), void *arg);
	void (*reset)(struct rlc *rlc);
	/* SDUs that were started and are not acknowledged are visited in order, and stay. NULL:
	 * none is kept. */
	void (*outstanding)(const struct rlc *rlc, void (*visit)(void *arg, struct pkt *p),
	                    void *arg);
	/* Give up all but the queue; packets of it are appended to @ret. */
	void (*empty)(struct rlc *rlc, struct pkt_queue *ret);

	void (*digest)(const struct rlc *rlc, uint64_t *h);
};

/* Each mode has its table in its folder. */
#define RLC_DECLARE(value, name) extern const struct rlc_mode rlc_mode_##name;
CELL_RLC_MODES(RLC_DECLARE)

struct rlc {
	const struct rlc_mode *mode;
	void *state;                 /* of the mode */
	struct rlc_sdu_queue *queue; /* SDUs not sent yet */
	struct rlc *reverse;         /* the opposite direction */
	int64_t expiry_ns;           /* of the first of its timers, CELL_NEVER when none runs */
	bool failed; /* a PDU was retransmitted maxRetxThreshold times without success */
	struct rlc_shared *shared;
	struct cell *cell;
	const struct out_at *at;
	/* NR: the first byte of @p, the first in the queue, is about to be sent: PDCP's header is
	 * written now. Return: false when @p was dropped instead, and another one is the first. */
	bool (*take)(struct rlc *rlc, struct pkt *p);
	/* AM of NR: the receiver is known to have the SDU of that PDCP COUNT. NULL: nobody asks. */
	void (*confirm)(struct rlc *rlc, uint32_t count);
};

/** rlc_mode_of() - the mode of that number */
const struct rlc_mode *rlc_mode_of(enum cell_rlc_mode mode);

/** rlc_scratch_bytes() - rlc_shared.scratch that is enough for every mode */
size_t rlc_scratch_bytes(void);

/** rlc_row_at_start() - a row of radio.trace for what happens at the start of @rlc */
static inline struct cell_record rlc_row_at_start(const struct rlc *rlc, enum cell_event event)
{
	return (struct cell_record){ .event = (uint16_t)event,
		                     .node = rlc->at->from,
		                     .peer = rlc->at->to };
}

/** rlc_row_at_end() - a row for what happens at its end */
static inline struct cell_record rlc_row_at_end(const struct rlc *rlc, enum cell_event event)
{
	return (struct cell_record){ .event = (uint16_t)event,
		                     .node = rlc->at->to,
		                     .peer = rlc->at->from };
}

/** rlc_record_new() - rows for the SDUs in shared->tx_pdu, a new PDU of @size bytes */
void rlc_record_new(struct rlc *rlc, uint32_t size);

/** rlc_record_received() - a row for data PDU @sn of @len bytes, and a count */
void rlc_record_received(struct rlc *rlc, uint32_t sn, uint32_t len);

/** rlc_record_discarded() - a row when @out says that the receiver gave something up; @sn: up to
 * where it has gone */
void rlc_record_discarded(struct rlc *rlc, const struct rlc_out *out, uint32_t sn);

#endif
