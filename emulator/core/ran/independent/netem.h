/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netem.h - the way of packets that were sent to the other end of a link: what Linux's netem does
 * to them.
 *
 * - A packet is lost by the link's probability, by the trace of losses, whose entries are used one
 * after the other and then again, and by the model. The models of several states go on with each
 * packet.
 * - One that is not lost may be followed by a copy, which is delayed by itself.
 * - Either may arrive with one bit changed, any of its bits.
 * - It arrives after the link's delay, that of the configuration and that of the trace of delays.
 *   However these change, packets stay in order; jitter and reordering are added then, and with
 *   them packets overtake. One that is reordered is not delayed at all.
 * - With slots it leaves in the first slot after that. A slot opens a drawn time after the first
 *   packet that waits for it. When its packets or bytes are used up, the next opens such a time
 *   later.
 *
 * Each of these draws from a stream of its own.
 * Source: tc-netem(8)
 */
#ifndef NETEM_H
#define NETEM_H

#include "base/out.h"
#include "base/rng.h"
#include "ran/independent/independent.h"

/* Numbers that follow the one before; see tc-netem(8), CORRELATION. */
struct netem_draw {
	struct rng rng;
	uint32_t last;
};

struct netem {
	const struct cell_netem *cfg;
	struct out_at at;     /* as rows name the direction */
	uint8_t port;         /* where packets arrive */
	int64_t delay_ns;     /* of the link, on top of the configuration's */
	uint32_t loss_q32;    /* likewise, of each packet by itself */
	struct rng link_rng;  /* for that */
	struct pkt_queue way; /* by queued_ns, when they are there but for slots */
	struct rng loss_rng;
	struct netem_draw jitter, reorder, duplicate, corrupt;
	struct rng slot_rng;
	uint8_t state;                     /* of the model of losses, from 0 */
	uint32_t lost_at;                  /* entry of the trace of losses for the next packet */
	uint32_t since;                    /* packets since the last one that was reordered */
	int64_t in_order_ns;               /* the last packet is there but for jitter */
	int64_t slot_ns;                   /* the last slot opened, or the next one opens */
	uint32_t slot_packets, slot_bytes; /* left of it */
};

/** netem_check() - Return: the field of @cfg that is wrong, or NULL; @ret_range: allowed */
const char *netem_check(const struct cell_netem *cfg, const char **ret_range);

/**
 * netem_init() - a way without packets
 * @cfg:      the caller's, as long as the way is used
 * @delay_ns: of the link
 * @loss_q32: likewise
 */
void netem_init(struct cell *c, struct netem *n, const struct cell_netem *cfg, struct out_at at,
                int64_t delay_ns, uint32_t loss_q32);

/** netem_allows() - @cmd is a change of losses or of the delay in ms, in range */
bool netem_allows(const struct cell_cmd *cmd);

/** netem_apply() - carry @cmd out, if it is about this direction; packets stay in order */
void netem_apply(struct cell *c, struct netem *n, const struct cell_cmd *cmd);

/** netem_send() - the last bit of @p has been sent now: it is lost, or on its way */
void netem_send(struct cell *c, struct netem *n, struct pkt *p);

/** netem_next() - when the next event is, or CELL_NEVER */
int64_t netem_next(const struct netem *n);

/** netem_process() - the event of netem_next(): a packet arrives, or will in a slot */
void netem_process(struct cell *c, struct netem *n);

/** netem_delay_min() - how long a packet that is sent takes at least, in ns */
int64_t netem_delay_min(const struct netem *n);

void netem_digest(const struct netem *n, uint64_t *h);

#endif
