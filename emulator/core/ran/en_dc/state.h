/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - the state of EN-DC: LTE and NR together, with one PDCP of NR above both.
 *
 * Each UE has a cell group of a master eNB, MCG, and one of a secondary gNB, SCG, with an RLC
 * bearer in each. Both networks are whole, as ran/lte and ran/nr have them, but for PDCP, which is
 * here: a split bearer. Its PDCP at the network is the gNB's, where packets of the core network
 * arrive; what goes by the eNB takes X2. Base station 0 is the eNB, and 1 the gNB.
 *
 * From the bottom up; each part calls those before it:
 *
 *   parts   the two networks: their configurations, their events
 *   flow    how much of the downlink a cell group has, and wants
 *   split   PDCP above them: which cell group a packet takes, and when
 *   scg     the SCG is added, released, fails
 *   en_dc   the network as the core's entry points see it
 *
 * Source: TS 37.340 4.2.2, 7, 10; TS 38.425 5.4; TS 38.323
 */
#ifndef EN_DC_STATE_H
#define EN_DC_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cell.h"
#include "base/heap.h"
#include "base/out.h"
#include "base/ue_set.h"
#include "pdcp/nr/pdcp.h"
#include "ran/handover/link.h"
#include "ran/handover/measure.h"
#include "ran/lte/state.h"
#include "ran/nr/state.h"

#define EN_DC_NS_PER_MS INT64_C(1000000)
#define EN_DC_ENBS      2

/* What PDCP at the network knows of a cell group's downlink. */
struct en_dc_group {
	uint64_t given;     /* bytes that PDCP gave it */
	uint64_t arrived;   /* and that have come there */
	uint64_t sent;      /* that its RLC began to send, as its last report says */
	uint64_t sent_last; /* as that said which is under way */
	uint32_t wanted;    /* bytes that it wants beyond those sent */
	uint32_t wanted_last;
	uint32_t rate_bytes; /* that it sends in a report's period, a mean */
	bool busy;           /* it had something all the time since the last report */
	int64_t report_ns;   /* it says so next, or CELL_NEVER */
	int64_t heard_ns;    /* what it said arrives, or CELL_NEVER */
};

/* One direction of a split bearer. */
struct en_dc_bearer {
	struct pdcp_nr_tx tx;
	struct pdcp_nr_rx rx;
	struct pkt_queue waiting; /* DL: in no cell group yet, and without a COUNT */
	uint32_t waiting_bytes;
};

enum scg_state {
	SCG_NONE,
	SCG_PREPARATION, /* the gNB is asked */
	SCG_ADMITTED,    /* and agrees */
	SCG_EXECUTION,   /* the UE has the command */
	SCG_ACCESS,      /* random access */
	SCG_ACTIVE,
	SCG_RELEASE, /* it is still there, and its end is under way */
};

struct en_dc_scg {
	enum scg_state state;
	enum link_cause failed;
	struct measured measured;  /* of the gNB */
	struct measure_trigger b1; /* it is good enough */
	struct measure_trigger a2; /* it is too bad */
	int64_t step_ns;           /* the next step of @state, or CELL_NEVER */
	int64_t t307_ns;           /* or CELL_NEVER */
	struct radio_link radio;
	struct link_quality quality; /* of the gNB's downlink */
};

struct en_dc_ue {
	uint8_t id;
	struct en_dc_bearer bearer[2]; /* CELL_DIR_UL, CELL_DIR_DL */
	struct en_dc_group group[CELL_GROUP_COUNT];
	struct en_dc_scg scg;
};

struct en_dc {
	struct cell cell; /* first */
	struct lte *lte;
	struct nr *nr;
	struct en_dc_ue *ue; /* @cell.cfg.n_ue */
	uint64_t *pdcp_words;
	struct heap due;        /* by index of UE: the first of its timers */
	struct ue_set touched;  /* whose timers are to be looked at */
	struct ue_set waits;    /* in whose PDCP packets of the downlink wait */
	struct pkt_queue x2[2]; /* on their way, by direction: due at their queued_ns */
};

static inline struct en_dc *en_dc_of(const struct cell *c)
{
	return (struct en_dc *)c;
}

/** en_dc_touch() - timers of @ue, from 1, may have changed */
static inline void en_dc_touch(struct en_dc *n, uint8_t ue)
{
	ue_set_add(&n->touched, (uint8_t)(ue - 1));
}

/** en_dc_earlier() - of two times */
static inline int64_t en_dc_earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/** en_dc_x2_ns() - delay of X2, one way */
static inline int64_t en_dc_x2_ns(const struct en_dc *n)
{
	return n->cell.cfg.en_dc.x2_us * INT64_C(1000);
}

/** en_dc_link() - @u's MAC entity of NR */
static inline struct nr_ue *en_dc_link(const struct en_dc *n, const struct en_dc_ue *u)
{
	return &n->nr->ue[u->id - 1];
}

static inline struct bearer *en_dc_mcg(const struct en_dc *n, const struct en_dc_ue *u,
                                       enum cell_dir dir)
{
	return &n->lte->ue[u->id - 1].sch[dir].bearer[0];
}

static inline struct drb *en_dc_scg(const struct en_dc *n, const struct en_dc_ue *u,
                                    enum cell_dir dir)
{
	return &n->nr->ue[u->id - 1].sch[dir].drb[0];
}

#endif
