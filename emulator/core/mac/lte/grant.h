/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grant.h - grants on their way from the scheduler to a transmission.
 *
 * An eNB decides in one sub-frame about a later one: a UE sends so many sub-frames after it was
 * granted resource blocks, and a downlink block is scheduled before it is sent. Until then a grant
 * waits in the ring of its UE, which has one for the uplink and sidelink and one for the downlink.
 *
 * The ring is the eNB's memory, too. The BSR that arrives in a sub-frame was written before the
 * grants that have been issued since, so the eNB takes from it what those will carry: the payload
 * of their blocks, less what headers are estimated to need.
 * Source: TS 36.213 6.1.1, 8.0; TS 36.321 5.4.1, 5.4.5
 */
#ifndef GRANT_H
#define GRANT_H

#include <stdbool.h>
#include <stdint.h>

#include "cellcore.h"

#define TTI_NEVER UINT32_MAX

/* Resource blocks of one sub-frame given to one direction. */
struct grant {
	uint32_t subframe;
	uint32_t bytes;  /* transport block */
	uint32_t wanted; /* SDU bytes it was issued for */
	uint16_t rb_start;
	uint16_t n_rb;
	uint8_t dir;
	uint8_t itbs;
	uint8_t stream;  /* DL: carrier and codeword; UL: carrier */
	uint8_t harq_id; /* DL */
	bool retx;       /* DL: of the block that waits in that process */
	bool msg3;       /* from a RAR: for the BSR */
	bool missed;     /* UL, SL: the UE did not get the DCI */
	bool asked;      /* UL: answers a Scheduling Request: for the BSR */
};

/*
 * Grants that are still to be used are grant[used..issued-1]; older ones stay
 * for the eNB, which corrects a BSR by what it granted since it was sent.
 * Indices run on and are taken modulo the size.
 */
#define GRANTS_KEPT 128 /* 10 blocks a sub-frame, 8 sub-frames ahead */
struct grant_ring {
	struct grant grant[GRANTS_KEPT];
	uint32_t used;
	uint32_t issued;
};

struct grant *grant_issue(struct grant_ring *r, const struct grant *g);

/** grant_take() - the grant for sub-frame @tti, marked used; NULL when there is none */
const struct grant *grant_take(struct grant_ring *r, uint32_t tti);

/** grant_next_tti() - sub-frame of the first unused grant, or TTI_NEVER */
uint32_t grant_next_tti(const struct grant_ring *r);

/** grant_payload_after() - RLC SDU bytes of grants in @dir for sub-frames after @tti */
uint32_t grant_payload_after(const struct grant_ring *r, enum cell_dir dir, uint32_t tti);

/** grant_heard_after() - the same without grants that the UE missed */
uint32_t grant_heard_after(const struct grant_ring *r, enum cell_dir dir, uint32_t tti);

/** grant_pending() - SDU bytes for which unused grants were issued */
uint32_t grant_pending(const struct grant_ring *r);

/** grant_last() - the unused grant that was issued last; NULL when there is none */
const struct grant *grant_last(const struct grant_ring *r);

/** grant_reaches_beyond() - an unused grant is for a sub-frame later than @tti */
bool grant_reaches_beyond(const struct grant_ring *r, uint32_t tti);

/** grant_is_there() - an unused grant is for @stream in sub-frame @tti */
bool grant_is_there(const struct grant_ring *r, uint8_t stream, uint32_t tti);

/** grant_msg3_pending() - a RAR's grant is still to be used */
bool grant_msg3_pending(const struct grant_ring *r);

/** grant_heard() - an unused grant is there that the UE has got */
bool grant_heard(const struct grant_ring *r);

/** grant_overhead() - header bytes the eNB allows for beside @sdu_bytes */
uint32_t grant_overhead(uint32_t sdu_bytes);

/** grant_wanted() - bytes of a grant for @sdu_bytes, and for headers with them unless they are
 * ignored; never so few that nothing but headers would fit
 */
uint32_t grant_wanted(uint32_t sdu_bytes, bool ignore_headers);

#endif
