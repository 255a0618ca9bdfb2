/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link.h - a UE's radio link: in sync, out of sync, or failed.
 *
 * Source: TS 36.133 7.6; TS 36.331 5.3.11; TS 38.133 8.1; TS 38.331 5.3.10
 */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cell.h"

#define LINK_SAMPLE_NS  INT64_C(10000000) /* a radio frame */
#define LINK_OUT_FRAMES 20                /* Qout is evaluated over 200 ms. TS 36.133 7.6.2.1 */
#define LINK_IN_FRAMES  10                /* Qin over 100 ms */

/* Why a link failed: aux of the row. Source: TS 36.331 5.3.11.3; TS 38.331 5.3.10.3, 5.3.5.8.3 */
enum link_cause {
	LINK_OK,
	LINK_T310,
	LINK_RANDOM_ACCESS,
	LINK_RLC,
	LINK_T304, /* a handover failed */
};

/* What a UE hears of a cell. */
struct link_quality {
	int32_t sinr_cdb; /* of the downlink, or CELL_SINR_UNKNOWN */
	uint8_t cqi;
};

struct radio_link {
	int32_t frame_cdb[LINK_OUT_FRAMES]; /* SINR of the last frames, a ring */
	uint8_t n;                          /* that there are */
	uint8_t at;                         /* the next one */
	uint8_t out_of_sync;                /* indications in a row */
	uint8_t in_sync;
	bool watched;
	int64_t frame_ns;       /* end of the next frame that matters, or CELL_NEVER */
	int64_t t310_ns;        /* T310 expires, or CELL_NEVER */
	enum link_cause failed; /* the link has failed otherwise, and nobody acted on it yet */
};

/** link_on() - radio links can fail */
static inline bool link_on(const struct cell *c)
{
	return c->cfg.handover.link_failure.on;
}

/** link_watch() - the UE is in a new cell: nothing is known of the link there, and no timer runs */
void link_watch(const struct cell *c, struct radio_link *l);

/** link_leave() - the UE has no cell */
void link_leave(struct radio_link *l);

/** link_changed() - the quality of the cell may have changed */
void link_changed(const struct cell *c, struct radio_link *l);

/** link_next_ns() - when link_process() is due, or CELL_NEVER */
int64_t link_next_ns(const struct radio_link *l);

/** link_process() - a frame is over, or T310 expires; it sets @failed then */
void link_process(const struct cell *c, struct radio_link *l, struct link_quality q);

/**
 * link_hears() - a message gets through where the channel is @q: PDCCH is above Qout
 *
 * Source: TR 36.839 5.2.1.3
 */
bool link_hears(const struct cell *c, struct link_quality q);

/** link_suits() - a cell with @q may be selected: it is above Qin */
bool link_suits(const struct cell *c, struct link_quality q);

/** link_better() - @a is heard better than @b */
bool link_better(struct link_quality a, struct link_quality b);

/** link_digest() - hash of it */
void link_digest(const struct radio_link *l, uint64_t *h);

#endif
