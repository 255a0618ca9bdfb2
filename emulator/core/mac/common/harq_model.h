/* SPDX-License-Identifier: GPL-2.0-or-later */
/* harq_model.h - how HARQ fails: what the keys of LTE and NR say in the same way. */
#ifndef HARQ_MODEL_H
#define HARQ_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "cell_cfg.h"

/* Chance that attempt k + 1 fails after k failed ones, of a NACK read as ACK, and the reverse. */
struct harq_model {
	uint32_t fail_q32[CELL_HARQ_ATTEMPTS_MAX];
	uint32_t nack_to_ack_q32;
	uint32_t ack_to_nack_q32;
	uint8_t max_attempts;
	uint8_t dl_rtt_tti;
	bool by_sinr;
	bool dtx_loses;
};

/** harq_model_init() - @m as the keys of HARQ say; @dtx_loses: see enum cell_dtx */
void harq_model_init(struct harq_model *m, const struct cell_harq_cfg *cfg, bool dtx_loses);

#endif
