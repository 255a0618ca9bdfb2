/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - the state of a network of NR, which its parts share.
 *
 * There are gNBs with a carrier each, in the downlink also several, and n_ue UEs with an uplink and
 * a downlink in the cell of one of them. A direction is a shared channel, UL-SCH or DL-SCH. It has
 * data radio bearers, each with SDAP, PDCP and RLC entities at its start and at its end. Time goes
 * by in slots, which are numbered from the start of the network on.
 *
 * A UE with PDCP duplication has a second MAC entity in a second cell of the gNB, with shared
 * channels of its own. It is a struct nr_ue like any other: ue[n_ue] and those behind. On them are
 * the second RLC entities of the bearers that are duplicated; their PDCP is that of the first. With
 * DAPS all UEs have two, of which one serves; during a handover both do, each in a cell of its own.
 *
 * From the bottom up; each part calls those before it:
 *
 *   frame        which slots are downlink and uplink, and what is decided when
 *   drb_tx       what enters a data radio bearer: its queue, numbers, copies
 *   drb          SDAP, PDCP and RLC of one direction of one
 *   lch          the bearers of one direction: logical channels that share blocks
 *   report       what a UE tells of its buffer: BSR, and the SR that asks for a grant for it
 *   control      PDCCH: room for DCIs
 *   broadcast    SSBs, system information and paging take resource blocks
 *   scell        when a UE's other carriers are active
 *   air          blocks from transmission to decoding, HARQ processes
 *   block        blocks are filled
 *   access       random access, at the UE and at the gNB
 *   ahead        which bearers go ahead of the scheduler's order, by their QoS
 *   serve        UEs get resource blocks
 *   gnb          what the gNB does in a slot: grants, downlink, feedback
 *   ue           what a UE does in a slot: blocks on grants, requests
 *   decode       what a block holds goes to the gNB and to RLC
 *   reestablish  MAC, RLC and PDCP of a UE that changes its cell
 *   daps         a UE that changes its cell has two protocol stacks for a while
 *   failure      a radio link that failed: another cell, re-establishment or setup
 *   handover     the steps of a handover: messages, and what they do when they arrive
 *   rrc          when a handover starts, and what is due of it
 *   event        which of all this is next
 *   nr           the network as the core's entry points see it
 */
#ifndef NR_STATE_H
#define NR_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "aqm/aqm.h"
#include "base/cell.h"
#include "base/heap.h"
#include "base/out.h"
#include "base/rng.h"
#include "base/ue_set.h"
#include "epc/epc.h"
#include "mac/common/cce.h"
#include "mac/common/crowd.h"
#include "mac/common/harq_model.h"
#include "mac/common/lcp.h"
#include "mac/common/qos.h"
#include "mac/common/scheduler.h"
#include "mac/nr/drx.h"
#include "mac/nr/grant.h"
#include "mac/nr/harq.h"
#include "mac/nr/link_adaptation.h"
#include "mac/nr/occasion.h"
#include "mac/nr/pdu.h"
#include "mac/nr/tb.h"
#include "pdcp/nr/pdcp.h"
#include "phy/nr/carrier.h"
#include "phy/nr/tbs.h"
#include "ran/channel/reports.h"
#include "ran/handover/measure.h"
#include "ran/handover/recovery.h"
#include "ran/handover/timeline.h"
#include "ran/handover/times.h"
#include "rlc/common/rlc.h"

#define NR_HARQ_MAX      16 /* processes of a carrier */
#define NR_HARQ_ALL      (NR_HARQ_MAX * CELL_MAX_NR_CARRIERS)
#define NR_HARQ_RA       NR_HARQ_ALL /* message 3 and MsgA have one of their own */
#define NR_CG_PERIOD_MAX 640
#define NR_CELLS_MAX     CELL_MAX_ENB
#define NR_LCID_DRB      4         /* the first one of bearers: 1 to 3 are of signalling */
#define NR_CELL_NONE     UINT8_MAX /* of the one of a UE's two MAC entities that is not in use */
#define NR_NS_PER_MS     INT64_C(1000000)

/* Uplink symbols of a slot with which it carries data: mapping type A. Source: TS 38.214 Table
 * 6.1.2.1-1 */
#define NR_PUSCH_SYMBOLS_MIN 4
#define NR_PDSCH_SYMBOLS_MIN 3 /* Source: TS 38.214 Table 5.1.2.1-1 */

/* Bytes of a grant in answer to a Scheduling Request. Source: srsRAN Project, SR_GRANT_BYTES */
#define NR_SR_GRANT_BYTES 512

struct nr_sch;

/* One direction of a data radio bearer. */
struct drb {
	struct pdcp_nr_tx pdcp_tx;
	struct rlc rlc;
	struct pdcp_nr_rx pdcp_rx;
	struct cell_bearer_cfg cfg;
	struct nr_sch *sch;
	struct drb *reverse;
	struct aqm aqm;         /* of the queue of @rlc */
	struct drb *pdcp;       /* whose PDCP entities serve it: itself, or the first of two */
	struct pkt_queue early; /* UL: what came before `awaits_status` ended */
	uint32_t first_early;   /* DL, at its PDCP: COUNT from which on the target has copies */
	struct drb *twin;       /* the other one of two with copies of the same packets, or NULL */
	struct pdcp_nr_status heard; /* DL: the UE's report since the last handover */
	uint8_t heard_pdu[CELL_UE_MTU_MAX];
	uint32_t epoch;           /* re-establishments; RLC PDUs of an earlier one are void */
	int64_t outage_expiry_ns; /* end of the outage after a radio link failure, or CELL_NEVER */
	bool stopped;             /* for good, or until the next handover with DAPS */
	bool suspended;           /* UL: until the UE has a cell again. Source: TS 38.331 5.3.7.2 */
	bool awaits_status; /* UL: the gNB does not know yet with which COUNT it is to start */
	bool reported;      /* UL: it had data when its UE was last looked at */
	struct lcp_bucket bucket;
	struct qos qos; /* as the gNB sees to it */
	struct out_at at;
};

/* One direction of a UE's radio, which its bearers share. */
struct nr_sch {
	struct drb *drb; /* @n_drbs; the first one is the default bearer */
	uint8_t n_drbs;
	uint8_t lcs_before; /* logical channels of the UE before that of the first one here */
	uint8_t order[CELL_MAX_BEARERS]; /* the bearers by priority */
	struct rng loss_rng;
	struct rng harq_rng;
	struct rng feedback_rng;
	struct outer_loop loop;
	uint32_t bler_q32;
	uint32_t least; /* bytes of a block that is of use: a packet's where RLC does not segment */
	int32_t sinr_cdb; /* or CELL_SINR_UNKNOWN */
	uint32_t rate;    /* bytes that a slot would hold for it alone */
	uint8_t cqi;
	uint8_t mcs;
	uint8_t level; /* DL: log2 of the CCEs of a DCI to the UE */
	uint8_t ue;    /* its MAC entity: place in nr->ue, from 1 */
	/* Those of the first carrier, then of the others: its number is carrier * NR_HARQ_MAX + ID.
	 */
	struct nr_process process[NR_HARQ_ALL + 1];
	struct nr_grants grants;
	struct out_at at;       /* with the LCID of the default bearer */
	struct reports reports; /* of its CQI, under way */
};

/* What a UE tells of its uplink buffer. Source: TS 38.321 5.4.4, 5.4.5 */
struct nr_report {
	bool pending;           /* a BSR is triggered */
	bool sr_pending;        /* and a Scheduling Request for it */
	bool confirm_cg;        /* a confirmation of a configured grant */
	uint8_t sr_count;       /* SR_COUNTER */
	uint32_t sr_from;       /* sr-ProhibitTimer runs before this slot */
	uint32_t periodic_slot; /* periodicBSR-Timer expires, or NR_SLOT_NEVER */
	uint32_t retx_slot;     /* retxBSR-Timer */
	struct nr_occasions sr;
};

enum nr_ra_state {
	NR_RA_IDLE,
	NR_RA_WAITING, /* for an occasion */
	NR_RA_SENT,    /* preamble or MsgA, no answer yet */
	NR_RA_MSG3,    /* answered; ends with contention resolution or at @until */
};

struct nr_ra {
	enum nr_ra_state state;
	uint32_t from;          /* WAITING: slot of the first occasion that counts */
	uint32_t preamble_slot; /* of the last preamble */
	uint32_t until;         /* SENT, MSG3: the window or the timer ends before this slot */
	uint32_t heard_slot;    /* two steps: the gNB has MsgA, or what it could get of it */
	bool decoded;           /* message 3 or MsgA */
	bool collided;          /* nobody can tell the preambles apart */
	bool granted;           /* @msg3 is to be used */
	bool dedicated; /* of a handover: a preamble of its own, answered without contention */
	bool answered;  /* dedicated: the UE is synchronised */
	uint8_t rapid;
	uint8_t attempt;
	struct nr_grant msg3;
	struct rng preamble_rng;
	struct rng backoff_rng;
};

/* A UE's carriers beside the first one; see scell.c. */
struct nr_scells {
	uint32_t from;   /* they are active from this slot on, or NR_SLOT_NEVER */
	uint32_t until;  /* sCellDeactivationTimer expires in this one */
	uint8_t process; /* whose block activates them, or NR_HARQ_RA: none is under way */
	bool wanted;     /* the next block is to */
};

/* A UE's configured grant. Source: TS 38.321 5.8.2 */
struct nr_configured {
	struct nr_occasions at; /* period 0: not active */
	struct nr_grant grant;
};

/* A shared channel in the cell of a gNB, whether that serves the UE or not. */
struct nr_channel {
	int32_t sinr_cdb; /* or CELL_SINR_UNKNOWN */
	uint8_t cqi;
};

enum nr_rrc_state {
	NR_RRC_CONNECTED,
	NR_RRC_PREPARATION, /* handover request sent, a command follows */
	NR_RRC_EXECUTION,   /* the UE left the source, and cannot access the target yet */
	NR_RRC_ACCESS,      /* random access in the target */
	NR_RRC_COMPLETION,  /* in the target; the path is being switched */
	NR_RRC_SEARCH,      /* the link has failed: the UE looks for a cell */
	NR_RRC_REQUEST,     /* random access there */
	NR_RRC_RESUME,      /* the gNB has heard it, and its bearers follow */
};

/* A UE's handover; see handover.c. */
struct nr_rrc {
	enum nr_rrc_state state;
	uint8_t source;
	uint8_t target;
	uint8_t asked;      /* conditional: gNBs that were asked to prepare, a bit for each */
	uint8_t prepared;   /* and those that the UE knows as candidates */
	bool confirmed;     /* by the UE, at the target */
	bool path_switched; /* and acknowledged */
	bool source_knows;  /* that the UE is in the target */
	struct nr_ue *link; /* MAC entity in the cell where the UE is, or goes */
	struct nr_ue *source_link; /* DAPS: the one in the source, until it is released; or NULL */
	struct pkt_queue kept;     /* by the source, until it knows */
	struct timeline timeline;
	struct handover_times times;
	struct recovery recovery;
	bool waits; /* a command for when all of this is over */
	struct cell_cmd waiting;
};

struct nr_ue {
	struct nr_sch sch[2]; /* CELL_DIR_UL, CELL_DIR_DL */
	struct nr_channel channel[CELL_MAX_ENB][2];
	struct measurements measured;
	struct nr_rrc rrc;
	struct nr_report report;
	struct rng request_rng;
	struct nr_ra ra;
	struct nr_drx drx;
	struct nr_configured cg;
	struct nr_scells scells;
	uint64_t dl_waiting;    /* DL processes with feedback under way, a bit for each */
	uint32_t feedback_slot; /* the first known_slot of these, or NR_SLOT_NEVER */
	uint32_t backlog;       /* what BSRs told the gNB of the uplink */
	uint32_t backlog_of[CELL_MAX_BEARERS]; /* and by bearer */
	uint32_t requested;       /* slot from which the gNB knows of an SR, or NR_SLOT_NEVER */
	int64_t backlog_since_ns; /* it was told of it, or last granted */
	uint16_t rnti;
	uint8_t id;    /* of the UE, from 1 */
	uint8_t cell;  /* of the gNB that it is in or accesses; or 1: a UE's second MAC entity */
	uint8_t place; /* among those of its cell, from 1 */
	bool detached; /* between two cells: nothing but random access */
};

/* What a slot of the pattern is for. */
struct nr_slot {
	uint8_t pdsch; /* symbols of downlink data, or 0 */
	uint8_t pusch; /* of uplink data, or 0 */
	bool pucch;    /* feedback and requests */
	bool pdcch;    /* grants and assignments */
	bool decides;  /* on the uplink of some slot */
};

struct nr_frame {
	struct nr_tdd tdd;
	uint32_t n; /* slots of the pattern */
	struct nr_slot slot[NR_TDD_SLOTS_MAX];
	uint32_t symbols[2]; /* of data, of all slots of the pattern: CELL_DIR_UL, CELL_DIR_DL */
	int64_t slot_ns;
	int64_t dl_decode_ns; /* from the end of a slot until the UE has its block */
	int64_t ul_decode_ns; /* until the gNB has */
	uint16_t n_rb;
	uint16_t ul_first; /* of the uplink's resource blocks for data */
	uint16_t ul_end;   /* behind the last one */
	uint8_t mu;
};

enum nr_event_kind {
	NR_EVENT_NONE,
	NR_EVENT_RRC,
	NR_EVENT_DECODE,
	NR_EVENT_TIMER,
	NR_EVENT_SLOT,
};

struct nr_event {
	enum nr_event_kind kind;
	int64_t t_ns;
	uint32_t slot; /* of NR_EVENT_SLOT */
};

struct nr {
	struct cell cell; /* first */
	struct nr_frame frame;
	uint32_t slot_next; /* first one not processed yet */

	/* As in ran/lte/state.h: what is due, brought up to date after each event. */
	struct heap due_timer; /* by 2 * index of UE + direction */
	struct heap due_slot;  /* by index of UE */
	struct heap due_rrc;   /* by index of UE: of its handover */
	struct nr_event next;
	struct ue_set touched;
	struct ue_set active;

	struct nr_ue
		*ue; /* @n_ue MAC entities: ue[0] is UE 1; those of the second cell come last */
	uint8_t n_ue;
	uint8_t n_cells; /* of all gNBs, or the two of one */
	struct epc epc;
	uint16_t next_rnti;                        /* for UEs that come from another cell */
	struct sched_state sched[NR_CELLS_MAX][2]; /* CELL_DIR_UL, CELL_DIR_DL */
	struct sched_memory *sched_memory;
	/* Of the slot that is processed, in each carrier of the downlink. */
	struct cce_set pdcch[NR_CELLS_MAX][CELL_MAX_NR_CARRIERS];
	uint16_t cces;                       /* of each slot; 0: no limit */
	bool goes_ahead;                     /* some bearer does, by its QoS */
	struct crowd crowd[NR_CELLS_MAX][2]; /* CELL_DIR_UL, CELL_DIR_DL */
	/* First one whose repeated blocks were not looked at, of each carrier. */
	uint32_t crowd_slot[NR_CELLS_MAX][2][CELL_MAX_NR_CARRIERS];
	struct crowd_memory crowd_memory;
	struct nr_drx_cfg drx;
	uint16_t cg_ues[NR_CELLS_MAX][NR_CG_PERIOD_MAX]; /* by slot: configured grants */

	struct nr_tb_pool tbs;
	uint32_t tbs_max;          /* in HARQ processes and on the air at the same time */
	uint32_t promised;         /* grants of new blocks that are still to be used */
	struct nr_tb_queue air[2]; /* in flight, by decode time: CELL_DIR_UL, CELL_DIR_DL */
	struct drb *drb;           /* of all shared channels */
	uint8_t *rlc_state;
	uint64_t *pdcp_words;    /* of all PDCP entities */
	struct fq_flow *fq_flow; /* of all queues with FQ-CoDel */
	struct rlc_pdu **window;
	struct rlc_shared rlc;
	struct harq_model harq;
	uint32_t next_block;
};

static inline struct nr *nr_of(const struct cell *c)
{
	return (struct nr *)c;
}

/** nr_table() - MCS table of a direction */
static inline enum nr_table nr_table_of(const struct nr *nr, enum cell_dir dir)
{
	return (enum nr_table)(dir == CELL_DIR_DL ? nr->cell.cfg.nr.phy.mcs_table_dl
	                                          : nr->cell.cfg.nr.phy.mcs_table_ul);
}

static inline uint8_t nr_layers(const struct nr *nr, enum cell_dir dir)
{
	return dir == CELL_DIR_DL ? nr->cell.cfg.nr.phy.layers_dl : nr->cell.cfg.nr.phy.layers_ul;
}

/** nr_carrier_of() - the one that @g is of, from 0 */
static inline uint8_t nr_carrier_of(const struct nr_grant *g)
{
	return g->harq_id / NR_HARQ_MAX;
}

static inline struct nr_ue *nr_ue_of(struct nr *nr, const struct nr_sch *sch)
{
	return &nr->ue[sch->ue - 1];
}

/** nr_slot_start() - start of a slot, in ns */
static inline int64_t nr_slot_start(const struct nr *nr, uint32_t slot)
{
	return nr->cell.start_ns + (int64_t)slot * nr->frame.slot_ns;
}

/** nr_slot_at() - first slot that starts at @t_ns or later */
static inline uint32_t nr_slot_at(const struct nr *nr, int64_t t_ns)
{
	int64_t since = t_ns - nr->cell.start_ns + nr->frame.slot_ns - 1;

	return since > 0 ? (uint32_t)(since / nr->frame.slot_ns) : 0;
}

/** nr_slots() - slots of so many ms */
static inline uint32_t nr_slots(const struct nr *nr, uint32_t ms)
{
	return ms << nr->frame.mu;
}

/** nr_touch() - the state of MAC entity @ue, from 1, changes in this event */
static inline void nr_touch(struct nr *nr, uint8_t ue)
{
	ue_set_add(&nr->touched, (uint8_t)(ue - 1));
	ue_set_add(&nr->active, (uint8_t)(ue - 1));
}

/** nr_serve() - rows of @u are of the cell of @gnb from now on */
static inline void nr_serve(struct nr_ue *u, uint8_t gnb)
{
	u->cell = gnb;
	for (int d = 0; d < 2; d++) {
		u->sch[d].at.enb = gnb;
		for (uint8_t k = 0; k < u->sch[d].n_drbs; k++)
			u->sch[d].drb[k].at.enb = gnb;
	}
}

/** nr_has_daps() - each UE has two MAC entities. Source: TS 38.300 9.2.3.1 */
static inline bool nr_has_daps(const struct cell_cfg *cfg)
{
	return cfg->handover.procedure == CELL_HO_DAPS && cfg->n_enb > 1;
}

/** nr_link_up() - that of @u, a UE's first MAC entity, over which its uplink goes */
static inline struct nr_ue *nr_link_up(const struct nr_ue *u)
{
	return u->rrc.source_link && u->rrc.link->detached ? u->rrc.source_link : u->rrc.link;
}

/** nr_link_at() - that in the cell of @gnb, or else the one in use */
static inline struct nr_ue *nr_link_at(const struct nr_ue *u, uint8_t gnb)
{
	return u->rrc.source_link && u->rrc.source_link->cell == gnb ? u->rrc.source_link
	                                                             : u->rrc.link;
}

/** nr_is_in() - @u may be granted resource blocks of @cell */
static inline bool nr_is_in(const struct nr_ue *u, uint8_t cell)
{
	return u->cell == cell && !u->detached;
}

/* The UEs of which a slot takes notice, in order. */
#define NR_FOR_EACH_ACTIVE(nr, i)                                                                  \
	for (uint8_t i = ue_set_next(&(nr)->active, 0); i != UINT8_MAX;                            \
	     i = ue_set_next(&(nr)->active, i + 1u))

#endif
