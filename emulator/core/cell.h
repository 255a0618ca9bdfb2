/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cell.h - the state of the cells, shared by the layers below cellcore.h.
 *
 * Nodes are the eNBs, the S-GW and n_ue UEs. Every UE has three legs, each with a
 * transmitting and a receiving end that own PDCP and RLC entities of their
 * own: uplink (UE to eNB), downlink (eNB to UE) and sidelink (UE to peer).
 * Two opposite legs are one AM bearer: each carries the other's STATUS PDUs.
 *
 *   init.c    lays the state out in the caller's memory
 *   cell.c    event loop: arrivals, decoded PDUs, timers, sub-frames
 *   event.c   which of these is next, and when a packet can leave next
 *   ran/lte/enb.c     what an eNB does in a sub-frame: RAR, grants, downlink
 *   ran/lte/ue.c      what a UE does: transmit on grants, random access
 *   ran/lte/d2d.c     which leg a packet takes, and where a received one goes
 *   ran/lte/bearer.c  RLC and PDCP of a leg, whichever mode
 *   ran/lte/control.c control channels that a UE misses
 *   ran/lte/air.c     MAC PDUs from transmission to decoding
 *   mac/harq.c    HARQ processes
 *   mac/scheduler.c  who gets resource blocks
 *   ran/lte/gateway.c     S-GW: which eNB a UE's tunnel leads to
 *   ran/lte/tunnel.c  eNBs' ends of the tunnels: to the radio, on hold, or forwarded
 *   ran/lte/rrc.c     handover: its messages and when they arrive
 *   ran/lte/reestablish.c  RLC and PDCP of a UE that changes its cell
 *
 *   ran/dch/utran.c   in place of all this but the event loop, a dedicated channel of the UTRAN
 *   ran/dch/bound.c, ran/dch/trace.c  when a packet can leave it next; its rows of radio.trace
 *   ran/recorded/opportunity.c  likewise, a link of recorded delivery opportunities
 */
#ifndef CELL_H
#define CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "cellcore.h"
#include "mac/grant.h"
#include "mac/harq.h"
#include "mac/mac_pdu.h"
#include "mac/pdu.h"
#include "mac/scheduler.h"
#include "pdcp/pdcp.h"
#include "ran/lte/gateway.h"
#include "ran/lte/rrc.h"
#include "ran/lte/tunnel.h"
#include "rlc/am/am.h"
#include "rlc/um/um.h"

/* A change that cell_apply() took and cell_advance() has yet to make. */
struct waiting_cmd {
	int64_t t_ns;
	struct cell_cmd cmd;
};

struct leg {
	struct pdcp_tx pdcp_tx;
	struct rlc_um_tx um_tx; /* UM or AM, by the configuration */
	struct rlc_um_rx um_rx;
	struct rlc_am_tx am_tx;
	struct rlc_am_rx am_rx;
	struct pdcp_rx pdcp_rx;
	struct rng loss_rng;
	struct rng harq_rng;
	struct rng feedback_rng;
	uint32_t bler_q32;
	uint32_t epoch;           /* re-establishments; MAC PDUs of an earlier one are void */
	int64_t outage_expiry_ns; /* end of the outage after a radio link failure, or CELL_NEVER */
	bool stopped;             /* for good */
	int32_t sinr_cdb;         /* or CELL_SINR_UNKNOWN */
	uint8_t cqi;
	uint8_t itbs;
	uint8_t ue;  /* UL, SL: sender; DL: receiver */
	uint8_t dir; /* enum cell_dir */
	uint8_t lcid;
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

struct enb {
	uint8_t id;
	struct sched_state sched_ul;
	struct sched_state sched_dl;
	struct tunnel_end end[CELL_MAX_UE];
};

struct ue {
	struct leg leg[CELL_DIR_COUNT];
	struct rrc rrc;
	uint32_t cell_changes;
	uint8_t enb;   /* serving; while detached the source */
	bool detached; /* between two cells */
	struct random_access ra;
	struct grant_ring ul; /* UL and SL: one transmission a sub-frame */
	struct grant_ring dl;
	struct {
		struct rng rng;
		uint32_t tti; /* of the last draw */
		bool drawn;
		bool missed;
	} control;
	struct harq_process harq_ul[HARQ_PROCESSES]; /* UL and SL */
	struct harq_process harq_dl[HARQ_DL_TB_MAX][HARQ_PROCESSES];
	uint32_t enb_backlog[CELL_DIR_COUNT]; /* what BSRs told the eNB: UL, SL */
	uint16_t rnti;
	uint8_t id;
	uint8_t peer;
	uint8_t mode;
};

struct cell {
	struct cell_cfg cfg;
	int64_t start_ns;
	int64_t now_ns;    /* latest time given by the caller */
	int64_t event_ns;  /* time of the event being processed */
	uint32_t tti_next; /* first sub-frame not processed yet */
	struct ue *ue;     /* ue[0] is UE 1 */
	struct enb enb[CELL_MAX_ENB];
	uint8_t path[CELL_MAX_UE]; /* S-GW: eNB of every UE's downlink tunnel */
	uint16_t next_rnti;        /* for UEs that come from another cell */
	uint16_t next_ip_id;       /* of tunnels' outer headers */

	struct pkt_queue arrivals;
	struct waiting_cmd *cmd; /* ring of cfg.max_cmds */
	uint32_t cmd_first;      /* index of the one to be made next */
	uint32_t n_cmds;
	struct pkt_queue free_pkts;
	struct pkt *fresh_pkts; /* @n_fresh_pkts, never used yet: memory that nobody touches costs
	                           nothing */
	uint32_t n_fresh_pkts;
	struct pkt_queue limbo_pkts; /* output; bytes valid until the next call */
	struct pdu_queue free_pdus;
	struct pdu_queue limbo_pdus;
	struct pdu_queue air[2]; /* in flight, by decode time: 0 UL and SL, 1 DL */
	struct rlc_pool rlc_pool;
	struct harq_model harq;
	uint32_t n_pkts;
	uint32_t next_pkt_id;
	uint32_t next_block;
	uint32_t block; /* being sent or received, for the trace; 0 = none */

	struct rlc_tx_pdu tx_pdu; /* the PDU being built; too large for the stack */
	struct am_status am_status;
	uint8_t *rlc_buf;              /* RLC PDUs of the MAC PDU being built */
	struct utran *utran;           /* the bearer of a UTRAN cell, else NULL */
	struct opportunity_link *link; /* behind a packet-delivery trace, else NULL */
	struct cell_stats stats;

	struct cell_out *out; /* caller's array during an advance */
	size_t out_n;
	size_t out_cap;
};

/* Peer nodes of a leg: where it starts and where it ends. */
static inline uint8_t leg_from(const struct leg *leg)
{
	return leg->dir == CELL_DIR_DL ? CELL_NODE_ENB : leg->ue;
}

uint8_t leg_to(const struct cell *c, const struct leg *leg);

/** leg_reverse() - the opposite leg: UL and DL of a UE, SL of two peers */
struct leg *leg_reverse(const struct cell *c, const struct leg *leg);

/** cell_tbs_dl() - transport blocks that the downlink of one UE has in a sub-frame */
static inline uint32_t cell_tbs_dl(const struct cell_cfg *cfg)
{
	return (uint32_t)cfg->dl_carriers * cfg->dl_codewords;
}

static inline int64_t cell_tti_ns(const struct cell *c, uint32_t tti)
{
	return c->start_ns + (int64_t)tti * CELL_TTI_NS;
}

/* --- outputs (out.c) --- */

/** out_record() - add a row of radio.trace for @leg (may be NULL) at the event's time */
void out_record(struct cell *c, const struct leg *leg, struct cell_record r);

/** out_buffer() - add a row that tells what waits at the start of @leg */
void out_buffer(struct cell *c, const struct leg *leg);

void out_pdu(struct cell *c, const uint8_t *data, uint32_t len, const struct cell_pdu_info *info);

/** out_deliver() - @p leaves the cell at @port */
void out_deliver(struct cell *c, struct pkt *p, uint8_t port);

/** port_is_enb() - @port is the tunnel end of an eNB */
static inline bool port_is_enb(uint8_t port)
{
	return port >= CELL_PORT_ENB(0) && port < CELL_PORT_ENB(CELL_MAX_ENB);
}

/** port_node() - where @port is: a UE's number, the S-GW, or an eNB */
static inline uint8_t port_node(uint8_t port)
{
	return port & CELL_PORT_NETWORK || port_is_enb(port) ? CELL_NODE_ENB : port;
}

/** port_enb() - the eNB in whose cell @port is */
static inline uint8_t port_enb(const struct cell *c, uint8_t port)
{
	uint8_t ue = port & (uint8_t)~CELL_PORT_NETWORK;

	if (port_is_enb(port))
		return (uint8_t)(port - CELL_PORT_ENB(0));
	return ue >= 1 && ue <= c->cfg.n_ue ? c->ue[ue - 1].enb : 0;
}

/** out_drop() - @p is dropped; @leg is where */
void out_drop(struct cell *c, struct pkt *p, const struct leg *leg, enum cell_drop reason);

/** out_drop_all() - out_drop() for a whole queue */
void out_drop_all(struct cell *c, struct pkt_queue *q, const struct leg *leg,
                  enum cell_drop reason);

/** cell_pkt_alloc() - a packet to be filled, NULL when max_pkts are held */
struct pkt *cell_pkt_alloc(struct cell *c);

/** out_originate() - a packet that the core makes itself, or NULL when none is free */
struct pkt *out_originate(struct cell *c);

/** out_terminate() - the end of a packet of that kind */
void out_terminate(struct cell *c, struct pkt *p);

/** out_tunnel() - complete and add the row @r of @p, which enters or leaves a tunnel */
void out_tunnel(struct cell *c, const struct pkt *p, struct cell_record r);

/* --- PDUs (ran/lte/air.c) --- */

struct pdu *cell_pdu_alloc(struct cell *c);

/** cell_block_begin() - a PDU to be filled and given to cell_transmit(); rows name it until then */
struct pdu *cell_block_begin(struct cell *c);

void cell_pdu_free(struct cell *c, struct pdu *pdu);

/**
 * cell_transmit() - send @pdu on @leg in the sub-frame of grant @g
 *
 * Decides whether it will be decoded, writes it to the outputs and puts it on the air.
 */
void cell_transmit(struct cell *c, struct leg *leg, const struct grant *g, struct pdu *pdu,
                   const struct mac_pdu *mac);

/** cell_retransmit() - send the block that waits in @process again, on grant @g */
void cell_retransmit(struct cell *c, struct harq_process *process, const struct grant *g);

/** cell_decode() - the end of @pdu's leg decodes it, or does not */
void cell_decode(struct cell *c, struct pdu *pdu);

/* --- control channels (ran/lte/control.c) --- */

/** control_missed() - @u does not decode the control channels of sub-frame @tti; one draw for all
 */
bool control_missed(struct cell *c, struct ue *u, uint32_t tti);

/** control_absent() - @u sends nothing on @g, which it missed: the eNB will see that */
void control_absent(struct cell *c, struct ue *u, const struct grant *g);

/* --- eNB (ran/lte/enb.c) --- */

/** enb_subframe() - answer preambles, grant UL and SL, schedule DL at the start of @tti */
void enb_subframe(struct cell *c, uint32_t tti);

/** enb_transmit() - send the downlink PDUs scheduled for sub-frame @tti */
void enb_transmit(struct cell *c, uint32_t tti);

/** enb_bsr() - a BSR sent by @u in sub-frame @sent_tti was decoded */
void enb_bsr(struct cell *c, struct ue *u, const struct mac_bsr *bsr, uint32_t sent_tti);

/** enb_absent() - nothing came on an uplink grant: what it was for still waits */
void enb_absent(struct cell *c, const struct pdu *pdu);

/** enb_cqi() - the CQI of @leg is @cqi from now on, 0 = out of range */
void enb_cqi(struct cell *c, struct leg *leg, uint8_t cqi, int32_t sinr_cdb);

/** enb_next_tti() - first sub-frame from @from in which the eNB has to act */
uint32_t enb_next_tti(const struct cell *c, uint32_t from);

/* --- UE (ran/lte/ue.c) --- */

void ue_transmit(struct cell *c, struct ue *u, uint32_t tti);
void ue_random_access(struct cell *c, struct ue *u, uint32_t tti);
uint32_t ue_next_tti(const struct cell *c, const struct ue *u, uint32_t from);

/* --- routing (ran/lte/d2d.c) --- */

/** d2d_ingress() - a packet that arrived at its port takes the leg of its UE's mode */
void d2d_ingress(struct cell *c, struct pkt *p);

/** d2d_change_mode() - @u's packets take @mode from now on; what is under way is flushed */
void d2d_change_mode(struct cell *c, struct ue *u, enum cell_mode mode);

/** d2d_select_modes() - every UE with a peer takes the mode with the higher CQI */
void d2d_select_modes(struct cell *c);

/** d2d_forward() - datagrams that came out of PDCP at the end of @leg go on */
void d2d_forward(struct cell *c, struct leg *leg, struct pdcp_out *out);

/* --- RLC and PDCP of a leg (ran/lte/bearer.c) --- */

/** bearer_send() - a datagram enters @leg; one that has a PDCP SN keeps it */
void bearer_send(struct cell *c, struct leg *leg, struct pkt *p);

/** bearer_bytes() - what the start of @leg could send now. Source: TS 36.322 4.5 */
uint32_t bearer_bytes(const struct cell *c, const struct leg *leg);

/** bearer_queue() - SDUs that wait at the start of @leg */
struct rlc_sdu_queue *bearer_queue(const struct cell *c, const struct leg *leg);

/** bearer_fits() - all of bearer_bytes() fits @room bytes of a MAC PDU */
bool bearer_fits(const struct cell *c, const struct leg *leg, uint32_t room);

/**
 * bearer_fill() - build RLC PDUs for a MAC PDU of @tbs bytes into c->rlc_buf
 * @mac: has its control elements; its SDUs are set
 * @pdu: gets the packets of a UM PDU
 */
void bearer_fill(struct cell *c, struct leg *leg, struct mac_pdu *mac, uint32_t tbs,
                 struct pdu *pdu);

/** bearer_receive() - an RLC PDU arrived at the end of @leg; takes @ends over */
void bearer_receive(struct cell *c, struct leg *leg, const uint8_t *buf, uint32_t len,
                    struct pkt_queue *ends);

/* Timers of a leg, in the order in which those of one time expire. */
enum leg_timer {
	LEG_T_REORDERING,
	LEG_T_POLL_RETRANSMIT,
	LEG_T_STATUS_PROHIBIT,
	LEG_T_PDCP_REORDERING,
	LEG_T_OUTAGE,
	LEG_TIMER_COUNT
};

/** bearer_expiry_ns() - when @timer expires, CELL_NEVER when it is stopped */
static inline int64_t bearer_expiry_ns(const struct cell *c, const struct leg *leg,
                                       enum leg_timer timer)
{
	switch (timer) {
	case LEG_T_REORDERING:
		return c->cfg.rlc_mode == CELL_RLC_AM ? leg->am_rx.reordering_expiry_ns
		                                      : leg->um_rx.expiry_ns;
	case LEG_T_POLL_RETRANSMIT:
		return leg->am_tx.expiry_ns;
	case LEG_T_STATUS_PROHIBIT:
		return leg->am_rx.prohibit_expiry_ns;
	case LEG_T_PDCP_REORDERING:
		return leg->pdcp_rx.expiry_ns;
	default:
		return leg->outage_expiry_ns;
	}
}

void bearer_expire(struct cell *c, struct leg *leg, enum leg_timer timer);

/** bearer_discard_expired() - drop SDUs of @leg older than discardTimer */
void bearer_discard_expired(struct cell *c, struct leg *leg);

/** bearer_discard_tti() - first sub-frame from @from in which it has something to drop */
uint32_t bearer_discard_tti(const struct cell *c, const struct leg *leg, uint32_t from);

/** bearer_to_pdcp() - what RLC delivered at the end of @leg; @re: because it is re-established */
void bearer_to_pdcp(struct cell *c, struct leg *leg, struct rlc_out *out, bool re);

/** bearer_take_blocks() - packets of UM blocks of @leg on the air or in HARQ, to @ret */
void bearer_take_blocks(struct cell *c, const struct leg *leg, struct pkt_queue *ret);

/**
 * bearer_empty() - both ends of @leg give up what they hold
 * @air: and the blocks on the air are void; those of AM are in any case, as it begins anew
 * @ret: the packets are appended, in no order
 */
void bearer_empty(struct cell *c, struct leg *leg, bool air, struct pkt_queue *ret);

/* --- a UE that changes its cell (ran/lte/reestablish.c) --- */

/**
 * reestablish() - @u leaves its cell: MAC is reset, RLC re-established
 * @ret: what the source eNB holds for it and could forward, in order: what was
 *       sent and not acknowledged with its PDCP SN, the rest without
 */
void reestablish(struct cell *c, struct ue *u, struct pkt_queue *ret);

#endif
