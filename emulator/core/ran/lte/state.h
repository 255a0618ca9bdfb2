/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - the state of an LTE network, which its parts share.
 *
 * Nodes are the eNBs, the S-GW and n_ue UEs. Every UE has three shared channels: UL-SCH (UE to
 * eNB), DL-SCH (eNB to UE) and SL-SCH (UE to peer). Each has the radio of its direction, and
 * bearers, each with PDCP and RLC entities at its start and at its end. A bearer of an uplink and
 * the one at the same place of the downlink are the two directions of one radio bearer.
 *
 * From the bottom up; each part calls those before it:
 *
 *   bearer       PDCP and RLC of one direction of a radio bearer
 *   lch          logical channels: the bearers of one shared channel
 *   control      control channels: room for DCIs, and UEs that miss them
 *   air          MAC PDUs from transmission to decoding
 *   d2d          which shared channel a packet takes, and where a received one goes
 *   heard        what the eNB learns of its UEs: buffers, requests, channel quality
 *   request      Scheduling Requests
 *   answer       an eNB's answers to preambles
 *   crowd        modelled UEs that only load the scheduler
 *   decision     HARQ processes and DCIs of what a sub-frame sends
 *   ahead        which bearers go ahead of the scheduler's order, by their QoS
 *   serve        flows get resource blocks and control channel elements
 *   enb          what an eNB does in a sub-frame: grants, downlink
 *   ue           what a UE does: transmit on grants, random access
 *   decode       what a MAC PDU holds goes to the eNB and to RLC
 *   reestablish  RLC and PDCP of a UE that changes its cell
 *   failure      a radio link that failed: another cell, re-establishment or setup
 *   rrc          handover: its messages and when they arrive
 *   event        which of all this is next
 *   lte          the network as the core's entry points see it
 */
#ifndef LTE_STATE_H
#define LTE_STATE_H

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
#include "mac/common/lcp.h"
#include "mac/common/qos.h"
#include "mac/common/scheduler.h"
#include "mac/common/tb.h"
#include "mac/lte/grant.h"
#include "mac/lte/harq.h"
#include "mac/lte/link_adaptation.h"
#include "mac/lte/pdu.h"
#include "pdcp/lte/pdcp.h"
#include "ran/channel/reports.h"
#include "ran/handover/measure.h"
#include "ran/handover/recovery.h"
#include "ran/handover/timeline.h"
#include "ran/handover/times.h"
#include "rlc/common/rlc.h"

struct lte_sch;

/* One direction of a radio bearer: PDCP and RLC entities at its start and at its end. */
struct bearer {
	struct pdcp_tx pdcp_tx;
	struct rlc rlc;
	struct pdcp_rx pdcp_rx;
	struct aqm aqm;           /* of the queue of @rlc */
	struct pdcp_status heard; /* DL: the UE's report since the last handover */
	struct cell_bearer_cfg cfg;
	struct lte_sch *sch;
	struct bearer *reverse;   /* the opposite direction; NULL where there is none */
	uint32_t epoch;           /* re-establishments; RLC PDUs of an earlier one are void */
	int64_t outage_expiry_ns; /* end of the outage after a radio link failure, or CELL_NEVER */
	bool stopped;             /* for good */
	struct lcp_bucket bucket;
	struct qos qos;
	struct out_at at;
};

/* One direction of a UE's radio, which its bearers share. */
struct lte_sch {
	struct bearer *bearer; /* @n_bearers; the first one is the default bearer */
	uint8_t n_bearers;
	uint8_t order[CELL_MAX_BEARERS]; /* the bearers by priority */
	struct rng loss_rng;
	struct rng harq_rng;
	struct rng feedback_rng;
	uint32_t bler_q32;
	uint32_t least; /* bytes of a block that is of use: a packet's where RLC does not segment */
	int32_t sinr_cdb; /* or CELL_SINR_UNKNOWN */
	uint8_t cqi;
	uint8_t itbs;
	uint8_t level;          /* DL: log2 of the CCEs of a DCI to the UE */
	uint8_t ue;             /* UL, SL: sender; DL: receiver */
	struct out_at at;       /* with the LCID of the default bearer */
	struct reports reports; /* of its CQI, under way */
	struct outer_loop loop;
};

enum ra_state {
	RA_IDLE,       /* may request, once blocked_until has come */
	RA_WAIT_RAR,   /* preamble sent, no answer yet; ends with RAR or timeout */
	RA_WAIT_GRANT, /* BSR grant received or BSR sent; ends with grants for all
	                * data, or at blocked_until */
};

struct random_access {
	enum ra_state state;
	uint32_t preamble_tti;
	uint32_t blocked_until; /* TTI of the next allowed request */
	uint8_t rapid;
	uint8_t attempt;
	struct rng preamble_rng;
	struct rng backoff_rng;
};

/* Of a UE, how it asks for grants on PUCCH; see request.c. */
struct scheduling_request {
	uint32_t prohibited_until; /* sr-ProhibitTimer runs before this sub-frame */
	uint32_t heard_tti;        /* from which the eNB knows of one, or TTI_NEVER */
	uint8_t count;             /* SR_COUNTER */
	bool failed;               /* dsr-TransMax was reached: random access */
};

enum rrc_state {
	RRC_CONNECTED,
	RRC_PREDICTED,   /* as connected; the target is prepared and gets the downlink */
	RRC_PREPARATION, /* handover request sent */
	RRC_EXECUTION,   /* between the cells */
	RRC_COMPLETION,  /* in the target; the path is being switched */
	RRC_SEARCH,      /* the link has failed: the UE looks for a cell */
	RRC_REQUEST,     /* and asks there, in that of `target` */
	RRC_RESUME,      /* the eNB has heard it, and its bearers follow */
};

/* A UE's handover; see rrc.c. */
struct rrc {
	enum rrc_state state;
	uint8_t source;
	uint8_t target;
	bool prepared;      /* the target has acknowledged */
	bool commanded;     /* the handover command is due as soon as it has */
	bool confirmed;     /* by the UE, at the target */
	bool path_asked;    /* path switch request sent */
	bool path_switched; /* and acknowledged */
	struct timeline timeline;
	struct handover_times times;
	struct recovery recovery;
	struct pkt_queue kept; /* after a failure, by the eNB that has the context */
	bool waits;            /* a command for when all of this is over */
	struct cell_cmd waiting;
};

struct enb {
	uint8_t id;
	struct sched_state sched_ul;
	struct sched_state sched_dl;
	struct crowd crowd[2]; /* CELL_DIR_UL, CELL_DIR_DL */
	struct cce_set pdcch[CELL_MAX_CARRIERS];
};

/* A shared channel in the cell of an eNB, whether that serves the UE or not. */
struct cell_channel {
	int32_t sinr_cdb; /* or CELL_SINR_UNKNOWN */
	uint8_t cqi;
};

struct ue {
	struct lte_sch sch[CELL_DIR_COUNT];
	struct cell_channel channel[CELL_MAX_ENB][CELL_DIR_COUNT];
	struct measurements measured;
	struct rrc rrc;
	uint32_t cell_changes;
	uint8_t enb;   /* serving; while detached the source */
	bool detached; /* between two cells */
	struct random_access ra;
	struct scheduling_request request;
	struct rng request_rng;
	struct grant_ring ul; /* UL and SL: one transmission a sub-frame and carrier */
	struct grant_ring dl;
	struct {
		struct rng rng;
		uint32_t tti; /* of the last draw */
		bool drawn;
		bool missed;
	} control;
	struct harq_process harq_ul[CELL_MAX_CARRIERS][HARQ_PROCESSES]; /* UL, and SL on the first
	                                                                 */
	struct harq_process harq_dl[HARQ_DL_TB_MAX][HARQ_PROCESSES];
	uint32_t enb_backlog[CELL_DIR_COUNT];     /* what BSRs told the eNB: UL, SL */
	int64_t backlog_since_ns[CELL_DIR_COUNT]; /* it was told of it, or last granted */
	uint16_t rnti;
	uint8_t id;
	uint8_t peer;
	uint8_t mode;
};

enum lte_event_kind {
	LTE_EVENT_NONE,
	LTE_EVENT_RRC,
	LTE_EVENT_DECODE,
	LTE_EVENT_TIMER,
	LTE_EVENT_TTI,
};

/* The earliest event; LTE_EVENT_NONE at CELL_NEVER when there is none. See event.h. */
struct lte_event {
	enum lte_event_kind kind;
	int64_t t_ns;
	uint32_t tti; /* of LTE_EVENT_TTI */
};

struct lte {
	struct cell cell;  /* first */
	uint32_t tti_next; /* first sub-frame not processed yet */

	/*
	 * What is due, so that a UE with nothing to do costs nothing: neither an event
	 * nor a sub-frame looks at it. Whatever changes the state of a UE says so by ue_touch();
	 * event.c brings this up to date after the event.
	 */
	struct heap due_timer; /* by lte_sch_number(): the first of its timers */
	struct heap due_tti;   /* by index of UE: the first sub-frame in which it matters */
	struct heap due_rrc;   /* by index of UE: of its handover */
	struct lte_event next;
	struct ue_set touched; /* since all this was up to date */
	struct ue_set active;  /* a sub-frame may have something to do for them; touched ones are */

	struct ue *ue; /* ue[0] is UE 1 */
	struct enb enb[CELL_MAX_ENB];
	struct epc epc;
	uint16_t next_rnti; /* for UEs that come from another cell */
	bool goes_ahead;    /* some bearer does in the downlink, by its QoS */

	struct sched_memory *sched; /* of all schedulers */
	struct crowd_memory crowd;  /* of all cells and directions */

	struct lte_formats formats[CELL_DIR_COUNT]; /* with an outer loop */
	struct tb_pool blocks;
	struct tb_queue air[2]; /* in flight, by decode time: 0 UL and SL, 1 DL */
	struct bearer *bearer;  /* of all shared channels */
	uint8_t *rlc_state;     /* of all RLC entities */
	struct rlc_pdu **window;
	struct fq_flow *fq_flow; /* of all queues with FQ-CoDel */
	struct rlc_shared rlc;
	struct harq_model harq;
	uint32_t next_block;

	uint8_t *rlc_buf; /* RLC PDUs of the MAC PDU being built */
};

static inline struct lte *lte_of(const struct cell *c)
{
	return (struct lte *)c;
}

/** lte_tbs_dl() - transport blocks that the downlink of one UE has in a sub-frame */
static inline uint32_t lte_tbs_dl(const struct cell_cfg *cfg)
{
	return (uint32_t)cfg->lte.dl_carriers * cfg->lte.dl_codewords;
}

/** lte_tbs() - transport blocks that one UE has in a sub-frame, in both directions */
static inline uint32_t lte_tbs(const struct cell_cfg *cfg)
{
	return lte_tbs_dl(cfg) + cfg->lte.ul_carriers;
}

/** lte_processes_ul() - HARQ processes of a UE there, from the first one of harq_ul on */
static inline uint32_t lte_processes_ul(const struct cell_cfg *cfg)
{
	return (uint32_t)cfg->lte.ul_carriers * HARQ_PROCESSES;
}

/** lte_sched_flows() - those of a cell and direction: two of each UE, and those of the crowd */
static inline uint32_t lte_sched_flows(const struct cell_cfg *cfg)
{
	return 2u * cfg->n_ue + cfg->crowd.count;
}

/** lte_sch_reverse() - the opposite one: UL and DL of a UE, SL of two peers */
static inline struct lte_sch *lte_sch_reverse(const struct lte *lte, const struct lte_sch *sch)
{
	struct ue *u = &lte->ue[sch->ue - 1];

	if (sch->at.dir == CELL_DIR_SL)
		return u->peer == CELL_PEER_NETWORK ? &u->sch[CELL_DIR_SL]
		                                    : &lte->ue[u->peer - 1].sch[CELL_DIR_SL];
	return &u->sch[sch->at.dir == CELL_DIR_UL ? CELL_DIR_DL : CELL_DIR_UL];
}

/** lte_sch_number() - of a shared channel among all */
static inline uint32_t lte_sch_number(const struct lte_sch *sch)
{
	return (sch->ue - 1u) * CELL_DIR_COUNT + sch->at.dir;
}

/** ue_touch() - the state of UE @id changes in this event */
static inline void ue_touch(struct lte *lte, uint8_t id)
{
	ue_set_add(&lte->touched, (uint8_t)(id - 1));
	ue_set_add(&lte->active, (uint8_t)(id - 1));
}

/** lte_sch_touch() - the state of @sch changes, and what its start can send for the opposite one */
static inline void lte_sch_touch(struct lte *lte, const struct lte_sch *sch)
{
	ue_touch(lte, sch->ue);
	if (sch->at.dir == CELL_DIR_SL)
		ue_touch(lte, lte_sch_reverse(lte, sch)->ue);
}

/* The UEs of which a sub-frame takes notice, in order. */
#define FOR_EACH_ACTIVE(lte, i)                                                                    \
	for (uint8_t i = ue_set_next(&(lte)->active, 0); i != UINT8_MAX;                           \
	     i = ue_set_next(&(lte)->active, i + 1u))

/** ue_serve() - @u is in the cell of @enb from now on */
static inline void ue_serve(struct lte *lte, struct ue *u, uint8_t enb)
{
	u->enb = enb;
	lte->cell.serving[u->id - 1] = enb;
	for (int d = 0; d < CELL_DIR_COUNT; d++) {
		u->sch[d].at.enb = enb;
		for (uint8_t k = 0; k < u->sch[d].n_bearers; k++)
			u->sch[d].bearer[k].at.enb = enb;
	}
}

#endif
