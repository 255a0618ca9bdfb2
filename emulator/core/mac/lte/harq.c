/* SPDX-License-Identifier: GPL-2.0-or-later */
/* harq.c - HARQ processes; see harq.h. */
#include "mac/lte/harq.h"

#include "base/assert.h"

uint32_t harq_ladder(const struct harq_model *m, const struct tb *tb)
{
	return m->max_attempts == 1 ? 0 : m->fail_q32[tb->attempt - 1];
}

enum tb_outcome harq_draw(const struct harq_model *m, struct tb *tb, uint32_t fail_q32,
                          struct rng *error_rng, struct rng *feedback_rng)
{
	if ((m->max_attempts == 1 && !m->by_sinr) || !rng_hit(error_rng, fail_q32))
		return TB_DECODED;
	if (tb->attempt == m->max_attempts)
		return TB_LOST;
	tb->nack_to_ack = rng_hit(feedback_rng, m->nack_to_ack_q32);
	return tb->nack_to_ack ? TB_LOST : TB_NACK;
}

enum tb_outcome harq_dtx(const struct harq_model *m, struct tb *tb)
{
	tb->dtx = true;
	return m->dtx_loses || tb->attempt == m->max_attempts ? TB_LOST : TB_NACK;
}

int harq_free(const struct harq_process *processes, uint32_t tti)
{
	for (int i = 0; i < HARQ_PROCESSES; i++)
		if (!processes[i].busy && processes[i].free_tti <= tti)
			return i;
	return -1;
}

void harq_start(struct harq_process *process, uint32_t tti)
{
	CELL_ASSERT(!process->tb);
	process->busy = true;
	process->free_tti = tti + HARQ_UL_RTT_TTI; /* 4 to the feedback, 4 to react on it */
}

void harq_send_new(struct harq_process *process)
{
	process->ndi ^= 1;
}

void harq_wait(struct harq_process *process, struct tb *tb, uint32_t rtt_tti)
{
	process->tb = tb;
	process->due_tti = tb->subframe + rtt_tti;
}

void harq_end(struct harq_process *process)
{
	process->busy = false;
	process->tb = NULL;
}

uint32_t harq_next_tti(const struct harq_process *processes, uint32_t n)
{
	uint32_t next = UINT32_MAX;

	for (uint32_t i = 0; i < n; i++)
		if (processes[i].tb && processes[i].due_tti < next)
			next = processes[i].due_tti;
	return next;
}
