/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * codel.h - CoDel: when a queue's delay has been above a target for an interval, packets are
 * dropped, or marked, ever more often until it is below.
 *
 * RFC 8289 drops in a loop until it has a packet to send. Here the caller asks once for each packet
 * that is next; what the loop would do after a drop is kept until then.
 * Source: RFC 8289 4, 5; RFC 8290 4.2 (marks)
 */
#ifndef AQM_CODEL_H
#define AQM_CODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "aqm/verdict.h"

struct codel_cfg {
	int64_t target_ns;
	int64_t interval_ns;
	bool ecn; /* packets whose header allows it are marked in place of drops */
};

/* What the loop goes on with at the next packet. */
enum codel_after {
	CODEL_NOTHING,
	CODEL_ENTERED, /* the first drop of the dropping state: the next one is sent */
	CODEL_DROPPED, /* a further one: the next one may be dropped, too */
};

/* Names are those of RFC 8289 5.2. */
struct codel {
	int64_t first_above_ns; /* 0: the delay is below the target */
	int64_t drop_next_ns;
	uint32_t count; /* drops since the dropping state was entered */
	uint32_t last_count;
	bool dropping;
	uint8_t after; /* enum codel_after */
};

/**
 * codel_decide() - a packet is about to be sent
 * @waited_ns: since it came
 * @bytes:     of the packets behind it
 * @ect:       its header allows a mark
 */
enum aqm_verdict codel_decide(struct codel *c, const struct codel_cfg *cfg, int64_t waited_ns,
                              uint32_t bytes, bool ect, int64_t now_ns);

/** codel_empty() - all packets have left otherwise */
void codel_empty(struct codel *c);

void codel_digest(const struct codel *c, uint64_t *h);

#endif
