/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cell.h - the state of one cell, shared by the layers below cellcore.h.
 *
 * Nodes are the eNB and n_ue UEs. Every UE has three legs, each with a
 * transmitting and a receiving end that own PDCP and RLC entities of their
 * own: uplink (UE to eNB), downlink (eNB to UE) and sidelink (UE to peer).
 *
 *   init.c    lays the state out in the caller's memory
 *   cell.c    event loop: arrivals, decoded PDUs, timers, sub-frames
 *   enb.c     what the eNB does in a sub-frame: RAR, grants, downlink
 *   ue.c      what a UE does: transmit on grants, random access
 *   d2d.c     which leg a packet takes, and where a received one goes
 *   air.c     MAC PDUs from transmission to decoding
 *   scheduler.c  who gets resource blocks
 */
#ifndef CELL_H
#define CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cellcore.h"
#include "mac_pdu.h"
#include "pdcp.h"
#include "pdu.h"
#include "rlc_um.h"
#include "rng.h"
#include "scheduler.h"

#define TTI_NEVER UINT32_MAX
#define CMDS_MAX  64

struct leg {
	struct pdcp pdcp_tx;
	struct rlc_um_tx tx;
	struct rlc_um_rx rx;
	struct pdcp pdcp_rx;
	struct rng loss_rng;
	uint32_t bler_q32;
	uint8_t cqi;
	uint8_t itbs;
	uint8_t ue;  /* UL, SL: sender; DL: receiver */
	uint8_t dir; /* enum cell_dir */
};

/* Resource blocks of one sub-frame given to one leg. */
struct grant {
	uint32_t subframe;
	uint32_t bytes;  /* transport block */
	uint32_t wanted; /* SDU bytes it was issued for */
	uint16_t rb_start;
	uint16_t n_rb;
	uint8_t dir;
	uint8_t itbs;
	bool msg3; /* from a RAR: for the BSR */
};

/*
 * Grants that are still to be used are grant[used..issued-1]; older ones stay
 * for the eNB, which corrects a BSR by what it granted since it was sent.
 * Indices run on and are taken modulo the size.
 */
#define GRANTS_KEPT 32
struct grant_ring {
	struct grant grant[GRANTS_KEPT];
	uint32_t used;
	uint32_t issued;
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

struct ue {
	struct leg leg[CELL_DIR_COUNT];
	struct random_access ra;
	struct grant_ring ul; /* UL and SL: one transmission a sub-frame */
	struct grant_ring dl;
	uint32_t enb_backlog[CELL_DIR_COUNT]; /* what BSRs told the eNB: UL, SL */
	uint16_t rnti;
	uint8_t id;
	uint8_t peer;
	uint8_t mode;
	uint32_t ndi; /* MAC PDUs sent, for HARQ id and NDI of the capture */
	uint32_t dl_ndi;
};

struct cell {
	struct cell_cfg cfg;
	int64_t start_ns;
	int64_t now_ns;    /* latest time given by the caller */
	int64_t event_ns;  /* time of the event being processed */
	uint32_t tti_next; /* first sub-frame not processed yet */
	struct ue *ue;     /* ue[0] is UE 1 */

	struct pkt_queue arrivals;
	struct {
		int64_t t_ns;
		struct cell_cmd cmd;
	} cmd[CMDS_MAX]; /* commands not carried out yet; indices run on */
	uint32_t cmd_first;
	uint32_t cmd_end;
	struct pkt_queue free_pkts;
	struct pkt_queue limbo_pkts; /* output; bytes valid until the next call */
	struct pdu_queue free_pdus;
	struct pdu_queue limbo_pdus;
	struct pdu_queue air[2]; /* in flight, by decode time: 0 UL and SL, 1 DL */
	uint32_t n_pkts;
	uint32_t next_pkt_id;

	struct rlc_um_tx_pdu tx_pdu; /* the PDU being built; too large for the stack */
	struct sched_state sched_ul;
	struct sched_state sched_dl;
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

/** port_node() - where @port is: a UE's number, or the eNB for a network side */
static inline uint8_t port_node(uint8_t port)
{
	return port & CELL_PORT_NETWORK ? CELL_NODE_ENB : port;
}

/** out_drop() - @p is dropped; @leg is where */
void out_drop(struct cell *c, struct pkt *p, const struct leg *leg, enum cell_drop reason);

/** out_drop_all() - out_drop() for a whole queue */
void out_drop_all(struct cell *c, struct pkt_queue *q, const struct leg *leg,
                  enum cell_drop reason);

/* --- PDUs (air.c) --- */

struct pdu *cell_pdu_alloc(struct cell *c);
void cell_pdu_free(struct cell *c, struct pdu *pdu);

/**
 * cell_transmit() - send @pdu on @leg in the sub-frame of grant @g
 *
 * Decides whether it will be lost, writes it to the outputs and puts it on the air.
 */
void cell_transmit(struct cell *c, struct leg *leg, const struct grant *g, struct pdu *pdu,
                   const struct mac_pdu *mac);

/** cell_decode() - the end of @pdu's leg decodes it, or never will */
void cell_decode(struct cell *c, struct pdu *pdu);

/* --- grants (grant.c) --- */

struct grant *grant_issue(struct grant_ring *r, const struct grant *g);

/** grant_take() - the grant for sub-frame @tti, marked used; NULL when there is none */
const struct grant *grant_take(struct grant_ring *r, uint32_t tti);

/** grant_next_tti() - sub-frame of the first unused grant, or TTI_NEVER */
uint32_t grant_next_tti(const struct grant_ring *r);

/** grant_payload_after() - RLC SDU bytes of grants in @dir for sub-frames after @tti */
uint32_t grant_payload_after(const struct grant_ring *r, enum cell_dir dir, uint32_t tti);

/** grant_pending() - SDU bytes for which unused grants were issued */
uint32_t grant_pending(const struct grant_ring *r);

bool grant_has(const struct grant_ring *r, uint32_t tti);

/** grant_msg3_pending() - a RAR's grant is still to be used */
bool grant_msg3_pending(const struct grant_ring *r);

/** grant_overhead() - header bytes the eNB allows for beside @sdu_bytes */
uint32_t grant_overhead(uint32_t sdu_bytes);

/* --- eNB (enb.c) --- */

/** enb_subframe() - answer preambles, grant UL and SL, schedule DL at the start of @tti */
void enb_subframe(struct cell *c, uint32_t tti);

/** enb_transmit() - send the downlink PDUs scheduled for sub-frame @tti */
void enb_transmit(struct cell *c, uint32_t tti);

/** enb_bsr() - a BSR sent by @u in sub-frame @sent_tti was decoded */
void enb_bsr(struct cell *c, struct ue *u, const struct mac_bsr *bsr, uint32_t sent_tti);

/** enb_next_tti() - first sub-frame from @from in which the eNB has to act */
uint32_t enb_next_tti(const struct cell *c, uint32_t from);

/* --- UE (ue.c) --- */

void ue_transmit(struct cell *c, struct ue *u, uint32_t tti);
void ue_random_access(struct cell *c, struct ue *u, uint32_t tti);
uint32_t ue_next_tti(const struct cell *c, const struct ue *u, uint32_t from);

/* --- routing (d2d.c) --- */

/** d2d_ingress() - a packet that arrived at its port takes the leg of its UE's mode */
void d2d_ingress(struct cell *c, struct pkt *p);

/** d2d_command() - carry out a command */
void d2d_command(struct cell *c, const struct cell_cmd *cmd);

/** d2d_receive() - RLC PDU in @pdu arrived at the end of @leg; owns @pdu */
void d2d_receive(struct cell *c, struct leg *leg, struct pdu *pdu);

/** d2d_reordering_expired() - @leg's t-Reordering ran out */
void d2d_reordering_expired(struct cell *c, struct leg *leg);

/** d2d_discard_expired() - drop SDUs of @leg older than discardTimer */
void d2d_discard_expired(struct cell *c, struct leg *leg);

/** d2d_discard_tti() - first sub-frame from @from in which it has something to drop */
uint32_t d2d_discard_tti(const struct cell *c, const struct leg *leg, uint32_t from);

#endif
