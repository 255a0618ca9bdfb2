/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recovery.h - what is known of a UE whose radio link has failed, and what the core network does.
 *
 * It is the same for LTE and NR: which cell the UE selects, which base stations have its context,
 * how long they take, and which tunnels there are afterwards. Source: TS 36.300 10.1.6; TS 36.331
 * 5.3.7; TS 38.300 9.2.3.3; TS 38.331 5.3.7
 */
#ifndef RECOVERY_H
#define RECOVERY_H

#include "epc/epc.h"
#include "ran/handover/link.h"
#include "ran/handover/timeline.h"

#define RECOVERY_NO_CELL UINT8_MAX

struct recovery {
	struct radio_link radio;
	uint8_t admitted; /* base stations that were asked to take the UE over: a bit for each */
	uint8_t home;     /* after a failure: the one that has the UE's context */
	uint8_t tried;    /* and the target of a handover that failed, or RECOVERY_NO_CELL */
	bool idle;        /* nobody has the context any more */
};

/** recovery_lose() - the link of UE @ue failed; nothing of what was about to happen does */
void recovery_lose(struct cell *c, struct recovery *r, struct timeline *t, uint8_t ue,
                   enum link_cause cause, uint8_t home, uint8_t tried);

/** recovery_select() - the cell that is heard best of @q, one for each base station, if it may be
 * selected; or RECOVERY_NO_CELL */
uint8_t recovery_select(const struct cell *c, const struct link_quality q[CELL_MAX_ENB]);

/**
 * recovery_answer() - the base station @at has heard the UE, which asks for re-establishment, or
 * for a connection if it is idle
 *
 * Without the UE's context it is idle from now on. Return: ns until its bearers go on.
 */
int64_t recovery_answer(const struct cell *c, struct recovery *r, uint8_t at);

/**
 * recovery_cancel() - the handover that failed is over for its target, as the UE is at @at
 * @forwarded: the target got what it was to send, and sends it back: a step RRC_STEP_CANCEL
 */
void recovery_cancel(struct epc *epc, const struct recovery *r, struct timeline *t, uint8_t ue,
                     uint8_t at, bool forwarded);

/** recovery_return() - that step: what @from holds comes to where the UE is, and an End Marker */
void recovery_return(struct epc *epc, uint8_t ue, uint8_t from);

/** recovery_set_up() - the UE has a new connection at @at, and no other base station anything of it
 */
void recovery_set_up(struct epc *epc, struct recovery *r, struct timeline *t, uint8_t ue,
                     uint8_t at);

/** recovery_bit() - of @enb, in `admitted` */
static inline uint8_t recovery_bit(uint8_t enb)
{
	return (uint8_t)(1u << enb);
}

/** recovery_digest() - hash of it */
void recovery_digest(const struct recovery *r, uint64_t *h);

#endif
