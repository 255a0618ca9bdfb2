/* SPDX-License-Identifier: GPL-2.0-or-later */
/* harq_model.c - how HARQ fails; see harq_model.h. */
#include "mac/common/harq_model.h"

#include "base/assert.h"

void harq_model_init(struct harq_model *m, const struct cell_harq_cfg *cfg, bool dtx_loses)
{
	uint64_t before = UINT32_MAX; /* no attempt yet: certainly not decoded */

	CELL_ASSERT(cfg->n_bler >= 1 && cfg->n_bler <= CELL_HARQ_ATTEMPTS_MAX);
	m->max_attempts = cfg->max_attempts;
	m->dl_rtt_tti = cfg->dl_rtt_tti;
	m->dtx_loses = dtx_loses;
	m->by_sinr = cfg->errors == CELL_ERRORS_SINR;
	m->nack_to_ack_q32 = cfg->nack_to_ack_q32;
	m->ack_to_nack_q32 = cfg->ack_to_nack_q32;
	for (uint8_t i = 0; i < CELL_HARQ_ATTEMPTS_MAX; i++) {
		uint8_t k = i < cfg->n_bler ? i : (uint8_t)(cfg->n_bler - 1);
		uint64_t after = cfg->bler_q32[k];

		m->fail_q32[i] = before ? (uint32_t)(after * UINT32_MAX / before) : 0;
		before = after;
	}
}
