/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aqm.h - active queue management of a bearer's transmission queue: marks of L4S, and DualPI2.
 *
 * The queue is the caller's, a list of packets in the order in which they are sent. For each packet
 * that comes this module says where in the list it goes, and of each that is about to be sent what
 * becomes of it. It has no timer: what its controller would have done at its times since it was
 * last asked it does when it is asked next, as the queue has not changed in between.
 * Source: RFC 9332 2, A.1; TS 23.501 5.37.3
 */
#ifndef AQM_H
#define AQM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pkt.h"

struct aqm_cfg {
	uint8_t kind;   /* enum cell_aqm */
	uint8_t l4s_id; /* enum cell_l4s_id */
	uint32_t mark_from_us;
	uint32_t mark_range_us;
	uint16_t target_ms;
	uint16_t tupdate_ms;
	uint16_t rtt_max_ms;
	uint8_t coupling;
	uint16_t shift_ms;
};

struct aqm {
	struct aqm_cfg cfg;
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
};

enum aqm_verdict {
	AQM_PASS,
	AQM_MARK,         /* by how long the packet waited */
	AQM_MARK_COUPLED, /* by the controller's probability */
	AQM_DROP,
};

/** aqm_init() - nothing has come; the controller is due for the first time a period after
 * @start_ns */
void aqm_init(struct aqm *aqm, const struct aqm_cfg *cfg, int64_t start_ns);

/**
 * aqm_accept() - a packet comes
 * @q: without it; what is at its start and has a number of PDCP has been decided on
 * @p: `queued_ns` is @now_ns; its `l4s` is set
 *
 * L4S packets are sent before classic ones that came less than `shift_ms` before them.
 * Return: the packet that it goes behind, NULL: it goes first.
 */
struct pkt *aqm_accept(struct aqm *aqm, const struct pkt_queue *q, struct pkt *p, int64_t now_ns);

/**
 * aqm_decide() - @p, the first one of @q, is about to be sent
 *
 * The caller does what the verdict says.
 */
enum aqm_verdict aqm_decide(struct aqm *aqm, const struct pkt_queue *q, struct pkt *p,
                            int64_t now_ns);

/** aqm_update() - packets are about to leave @q otherwise */
void aqm_update(struct aqm *aqm, const struct pkt_queue *q, int64_t now_ns);

/** aqm_left() - @p has left without a decision, unless there was one before */
void aqm_left(struct aqm *aqm, const struct pkt *p);

/** aqm_empty() - all have left */
void aqm_empty(struct aqm *aqm);

void aqm_digest(const struct aqm *aqm, uint64_t *h);

#endif
