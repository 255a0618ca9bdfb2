/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aqm.h - active queue management of a bearer's transmission queue: marks of L4S, DualPI2, CoDel,
 * FQ-CoDel and PIE, each in a file of its own.
 *
 * The queue is the caller's, a list of packets in the order in which they are sent. For each packet
 * that comes this module says whether it enters and where in the list it goes, and of each that is
 * about to be sent what becomes of it. It has no timer: what its controller would have done at its
 * times since it was last asked it does when it is asked next, as the queue has not changed in
 * between.
 * Source: RFC 8033; RFC 8289; RFC 8290; RFC 9332 2, A.1; TS 23.501 5.37.3
 */
#ifndef AQM_H
#define AQM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aqm/codel.h"
#include "aqm/fq_codel.h"
#include "aqm/pie.h"
#include "aqm/verdict.h"
#include "base/out.h"

struct aqm_cfg {
	uint8_t kind; /* enum cell_aqm */

	/* Of the marks of L4S and DualPI2. */
	uint8_t l4s_id; /* enum cell_l4s_id */
	uint32_t mark_from_us;
	uint32_t mark_range_us;
	uint16_t target_ms;
	uint16_t tupdate_ms;
	uint16_t rtt_max_ms;
	uint8_t coupling;
	uint16_t shift_ms;

	struct codel_cfg codel; /* of CoDel and FQ-CoDel */
	uint32_t n_flows;
	int32_t quantum;
	struct fq_flow *flow; /* of FQ-CoDel, the caller's: n_flows entries */
	struct pie_cfg pie;
};

struct aqm {
	struct aqm_cfg cfg;

	/* Of the marks of L4S and DualPI2. */
	int64_t mark_from_ns;
	int64_t mark_all_ns;
	int64_t update_ns;          /* when the controller is due next */
	int64_t delay_us;           /* of the queue when it was last due: prevq */
	uint64_t base_q32;          /* p', 0..2^32 */
	uint64_t l4s_count_q32;     /* recur() of RFC 9332 of L4S packets */
	uint64_t classic_count_q32; /* and of classic ones */
	uint32_t n_l4s;             /* packets in the queue on which it has yet to decide */
	uint32_t n_classic;
	struct pkt *last_l4s; /* the last one of these in the queue, NULL when it is not known */

	/* Of the others. */
	uint32_t n; /* packets in the queue on which it has yet to decide */
	uint32_t bytes;
	struct codel codel;
	struct fq_codel fq;
	struct pie pie;
};

/** aqm_qdisc() - the queue discipline of a bearer in direction @dir; at a UE it is that of the
 * uplink and of the sidelink */
static inline const struct cell_qdisc *aqm_qdisc(const struct cell_rlc_cfg *cfg, uint8_t dir)
{
	return &cfg->qdisc[dir == CELL_DIR_DL ? CELL_DIR_DL : CELL_DIR_UL];
}

/** aqm_cfg_of() - what a queue discipline by Linux's names is here; its `flow` is the caller's to
 * set */
struct aqm_cfg aqm_cfg_of(const struct cell_qdisc *qdisc);

/** aqm_flows() - entries that its `flow` needs */
static inline size_t aqm_flows(const struct cell_qdisc *qdisc)
{
	return qdisc->kind == CELL_QDISC_FQ_CODEL ? qdisc->flows : 0;
}

/** aqm_init() - nothing has come; the controller is due for the first time a period after
 * @start_ns. Random numbers of PIE are those of `pie.rng`, which the caller sets before. */
void aqm_init(struct aqm *aqm, const struct aqm_cfg *cfg, int64_t start_ns);

/** aqm_is_past() - @p was decided on, or is PDCP's own */
static inline bool aqm_is_past(const struct pkt *p)
{
	return p->has_pdcp_sn || p->decided || p->control;
}

/**
 * aqm_arrive() - a packet comes, and is not in @q yet
 *
 * Return: AQM_PASS; AQM_DROP: it does not enter; AQM_MARK_COUPLED: it does, and is marked.
 */
enum aqm_verdict aqm_arrive(struct aqm *aqm, const struct pkt_queue *q, struct pkt *p,
                            int64_t now_ns);

/**
 * aqm_overflow() - a packet comes, and @q has no room
 * @ret_before: what comes behind it is to be dropped, or what comes first for NULL
 *
 * Return: how many packets are to be dropped; 0: the one that comes.
 */
uint32_t aqm_overflow(const struct aqm *aqm, const struct pkt_queue *q, struct pkt **ret_before);

/**
 * aqm_accept() - a packet enters
 * @q: without it; what is at its start and aqm_is_past() has been decided on
 * @p: `queued_ns` is @now_ns; its `l4s` and `flow` are set
 *
 * With DualPI2 L4S packets are sent before classic ones that came less than `shift_ms` before them.
 * Return: the packet that it goes behind, NULL: it goes first.
 */
struct pkt *aqm_accept(struct aqm *aqm, const struct pkt_queue *q, struct pkt *p, int64_t now_ns);

/**
 * aqm_decide() - @p, the first one of @q that is not past, is about to be sent
 *
 * The caller does what the verdict says. AQM_TURN: the order of @q is another one.
 */
enum aqm_verdict aqm_decide(struct aqm *aqm, struct pkt_queue *q, struct pkt *p, int64_t now_ns);

/** aqm_update() - packets are about to leave @q otherwise */
void aqm_update(struct aqm *aqm, const struct pkt_queue *q, int64_t now_ns);

/** aqm_left() - @p has left without a decision, unless there was one before */
void aqm_left(struct aqm *aqm, const struct pkt *p);

/** aqm_leave() - all of @q is about to leave otherwise */
void aqm_leave(struct aqm *aqm, const struct pkt_queue *q, int64_t now_ns);

/** aqm_mark() - congestion was experienced: CE, and a row of radio.trace for @at */
void aqm_mark(struct cell *c, const struct out_at *at, struct pkt *p, bool coupled);

void aqm_digest(const struct aqm *aqm, uint64_t *h);

#endif
