/* SPDX-License-Identifier: GPL-2.0-or-later */
/* harq.c - HARQ processes; see harq.h. */
#include "mac/harq.h"

#include "base/assert.h"

void harq_model_init(struct harq_model *m, const struct cell_cfg *cfg)
{
	uint64_t before = UINT32_MAX; /* no attempt yet: certainly not decoded */

	m->max_attempts = cfg->harq_max_attempts;
	m->dl_rtt_tti = cfg->harq_dl_rtt_tti;
	m->dtx_loses = cfg->control_dtx == CELL_DTX_LOSE;
	m->by_sinr = cfg->harq_errors == CELL_ERRORS_SINR;
	m->nack_to_ack_q32 = cfg->harq_nack_to_ack_q32;
	for (uint8_t i = 0; i < CELL_HARQ_ATTEMPTS_MAX; i++) {
		uint8_t k = i < cfg->n_harq_bler ? i : (uint8_t)(cfg->n_harq_bler - 1);
		uint64_t after = cfg->harq_bler_q32[k];

		m->fail_q32[i] = before ? (uint32_t)(after * UINT32_MAX / before) : 0;
		before = after;
	}
}

uint32_t harq_ladder(const struct harq_model *m, const struct pdu *pdu)
{
	return m->max_attempts == 1 ? 0 : m->fail_q32[pdu->attempt - 1];
}

enum pdu_outcome harq_draw(const struct harq_model *m, struct pdu *pdu, uint32_t fail_q32,
                           struct rng *error_rng, struct rng *feedback_rng)
{
	if ((m->max_attempts == 1 && !m->by_sinr) || !rng_hit(error_rng, fail_q32))
		return PDU_DECODED;
	if (pdu->attempt == m->max_attempts)
		return PDU_LOST;
	pdu->nack_to_ack = rng_hit(feedback_rng, m->nack_to_ack_q32);
	return pdu->nack_to_ack ? PDU_LOST : PDU_NACK;
}

enum pdu_outcome harq_dtx(const struct harq_model *m, struct pdu *pdu)
{
	pdu->dtx = true;
	return m->dtx_loses || pdu->attempt == m->max_attempts ? PDU_LOST : PDU_NACK;
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
	CELL_ASSERT(!process->pdu);
	process->busy = true;
	process->free_tti = tti + HARQ_UL_RTT_TTI; /* 4 to the feedback, 4 to react on it */
}

void harq_send_new(struct harq_process *process)
{
	process->ndi ^= 1;
}

void harq_wait(struct harq_process *process, struct pdu *pdu, uint32_t rtt_tti)
{
	process->pdu = pdu;
	process->due_tti = pdu->subframe + rtt_tti;
}

void harq_end(struct harq_process *process)
{
	process->busy = false;
	process->pdu = NULL;
}

uint32_t harq_next_tti(const struct harq_process *processes, uint32_t n)
{
	uint32_t next = UINT32_MAX;

	for (uint32_t i = 0; i < n; i++)
		if (processes[i].pdu && processes[i].due_tti < next)
			next = processes[i].due_tti;
	return next;
}
