/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fq_codel.h - FQ-CoDel: a queue with CoDel for each hash of a flow; deficit round robin serves
 * them, those that have just begun first.
 *
 * The queues are one list, the caller's, in which the packets of a queue follow each other and the
 * queues are in the order in which they are served: first the new ones, then the old ones. A queue
 * whose turn is over goes to the end of the list, with its packets.
 * Source: RFC 8290 3, 4
 */
#ifndef AQM_FQ_CODEL_H
#define AQM_FQ_CODEL_H

#include "aqm/codel.h"
#include "base/pkt.h"

/* A queue. */
struct fq_flow {
	struct codel codel;
	struct pkt *tail; /* its last packet, when it has one */
	uint32_t n;       /* packets */
	uint32_t bytes;
	int32_t deficit; /* byte credits */
	uint16_t next;   /* in its list: number from 1, 0: it is the last one */
	uint8_t list;    /* enum fq_list_name */
};

enum fq_list_name { FQ_NONE, FQ_NEW, FQ_OLD, FQ_LISTS };

struct fq_codel {
	struct fq_flow *flow; /* the caller's */
	uint32_t n_flows;
	int32_t quantum;
	struct {
		uint16_t first; /* numbers from 1, 0: it is empty */
		uint16_t last;
	} list[FQ_LISTS];
};

/** fq_codel_init() - no packet has come; @flow has @n_flows entries */
void fq_codel_init(struct fq_codel *fq, struct fq_flow *flow, uint32_t n_flows, int32_t quantum);

/** fq_codel_idle() - all are empty, and the scheduler has found out. Source: RFC 8290 4.2 */
void fq_codel_idle(struct fq_codel *fq);

/** fq_codel_accept() - @p comes; @first: no packet of a queue is before the one behind it (NULL: at
 * the start of @q). Return: the packet that it goes behind, NULL: it goes first. */
struct pkt *fq_codel_accept(struct fq_codel *fq, struct pkt *p, struct pkt *first);

/** fq_codel_decide() - @p, which comes behind @before, is about to be sent; AQM_TURN: another one
 * is */
enum aqm_verdict fq_codel_decide(struct fq_codel *fq, const struct codel_cfg *cfg,
                                 struct pkt_queue *q, struct pkt *before, struct pkt *p,
                                 int64_t now_ns);

/** fq_codel_left() - @p, the first of its queue, has left without a decision */
void fq_codel_left(struct fq_codel *fq, const struct pkt *p);

/**
 * fq_codel_fattest() - no more packets have room
 * @ret_flow: the queue with most bytes
 *
 * Return: packets that are to leave it, from its first one on. Source: RFC 8290 4.1
 */
uint32_t fq_codel_fattest(const struct fq_codel *fq, uint16_t *ret_flow);

/** fq_codel_empty() - all packets have left otherwise */
void fq_codel_empty(struct fq_codel *fq);

void fq_codel_digest(const struct fq_codel *fq, uint64_t *h);

#endif
