/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * harq.h - HARQ processes: stop-and-wait, eight of them at a time.
 *
 * Uplink and sidelink are synchronous and not adaptive: the process follows
 * from the sub-frame, and a block comes again after eight of them. The
 * downlink is asynchronous: the eNB schedules a retransmission when there is
 * room, but not before the HARQ RTT. Errors are drawn per attempt. That a
 * block is still not decoded after k attempts has the probability that the
 * configuration states, however the combining is done; or, where the SINR
 * decides, the one that phy/lte/bler.h has for the combined attempts.
 * Source: TS 36.321 5.3.2, 5.4.2; TS 36.213 8.0
 */
#ifndef HARQ_H
#define HARQ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "cellcore.h"
#include "mac/common/harq_model.h"
#include "mac/common/tb.h"
#include "mac/lte/grant.h"

#define HARQ_PROCESSES  8
#define HARQ_UL_RTT_TTI 8
#define HARQ_DL_TB_MAX  (2 * CELL_MAX_CARRIERS) /* carrier and codeword */

struct harq_process {
	struct tb *tb;      /* waits to be sent again; NULL otherwise */
	struct grant grant; /* of its last transmission */
	uint32_t due_tti;   /* UL: of its retransmission; DL: earliest */
	uint32_t free_tti;  /* a new block may be sent from here on, unless busy */
	bool busy;          /* from the grant to the outcome */
	uint8_t ndi;        /* toggles with every new block */
};

/** harq_ladder() - chance that the PDU's attempt fails, by the configured ladder */
uint32_t harq_ladder(const struct harq_model *m, const struct tb *tb);

/**
 * harq_draw() - outcome of the PDU's attempt, which fails with @fail_q32
 *
 * Draws only what HARQ needs: nothing by the ladder when there is one attempt.
 */
enum tb_outcome harq_draw(const struct harq_model *m, struct tb *tb, uint32_t fail_q32,
                          struct rng *error_rng, struct rng *feedback_rng);

/** harq_dtx() - outcome of an attempt whose assignment the UE missed */
enum tb_outcome harq_dtx(const struct harq_model *m, struct tb *tb);

/** harq_free() - a process of @processes that a new block in @tti may use, or -1 */
int harq_free(const struct harq_process *processes, uint32_t tti);

/** harq_start() - @process takes a new block in @tti */
void harq_start(struct harq_process *process, uint32_t tti);

/** harq_send_new() - the block of @process is on the air for the first time; its NDI tells */
void harq_send_new(struct harq_process *process);

/** harq_wait() - the block was not decoded: keep it until its retransmission */
void harq_wait(struct harq_process *process, struct tb *tb, uint32_t rtt_tti);

/** harq_end() - the block was decoded or given up */
void harq_end(struct harq_process *process);

/** harq_next_tti() - first sub-frame in which a block of @n processes may be sent again */
uint32_t harq_next_tti(const struct harq_process *processes, uint32_t n);

#endif
