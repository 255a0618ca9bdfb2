/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nr.h - RLC of NR as modes of rlc.h, and the memory that its entities share.
 *
 * An SDU is an RLC PDU of its own, or several that are segments of it: nothing is joined, so MAC
 * asks for PDUs until it gets none, any number of them for a block. Nothing is put in order
 * either: an SDU goes up as soon as all of it has come, and order is PDCP's.
 *
 * A network that has bearers of these modes lays out a store and names it in rlc_shared.nr. The
 * modes use neither its pool of PDUs nor its scratch, and have no `lcids`: a logical channel's
 * number says nothing of its mode. `slots` is the memory of both ends' windows, in pointers, of
 * which no entity touches more than its SNs reach.
 *
 * PDCP numbers a packet when the first byte of it is sent: rlc.take is called then, so that what
 * is dropped while it waits, or then, leaves no gap in the SNs that the receiver would wait for.
 * The packet has its sdu_len already when it is queued. Source: TS 38.322 v15.3.0 4.2, 5;
 * TS 38.323 5.3
 */
#ifndef RLC_NR_H
#define RLC_NR_H

#include "base/arena.h"
#include "rlc/common/rlc.h"

extern const struct rlc_mode rlc_mode_nr_um; /* rlc.um.sn_bits 6 or 12 */
extern const struct rlc_mode rlc_mode_nr_am; /* rlc.am.sn_bits 12 or 18 */

struct nr_store;

/* The SN in rows of an RLC UM PDU that has none, as an SDU in one piece needs no SN. */
#define NR_SN_NONE UINT32_MAX

/**
 * nr_store_take() - memory for the SDUs and received segments of all entities of a network
 * @max_pkts: packets that the network holds at once
 *
 * Return: a store with nothing in it, NULL without memory.
 */
struct nr_store *nr_store_take(struct arena *a, uint32_t max_pkts);

/**
 * nr_discard_ns() - since when the first SDU waits that PDCP may discard: one of which nothing was
 * sent; CELL_NEVER when there is none. Source: TS 38.322 5.4; TS 38.323 5.3
 */
int64_t nr_discard_ns(const struct rlc_sdu_queue *q);

/** nr_discard() - take that SDU out of the queue; its COUNT, if it has none yet, goes to the next
 */
struct pkt *nr_discard(struct rlc_sdu_queue *q);

/** nr_discard_count() - likewise of the SDU with that PDCP COUNT; NULL when there is none. SDUs are
 * in the order of their COUNTs. */
struct pkt *nr_discard_count(struct rlc_sdu_queue *q, uint32_t count);

#endif
