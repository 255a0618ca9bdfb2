/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nr_run.h - a network of NR for tests: slots of 0.5 ms in the pattern DDDSU, without errors, RLC
 * UM. A UE has a block 10 symbols after its slot (N1 of TS 38.214 Table 5.3-1), the gNB 250 us.
 */
#ifndef NR_RUN_H
#define NR_RUN_H

#include "run.h"

#define SLOT(n)      ((n)*INT64_C(500000))
#define UE_DECODE_NS INT64_C(357142) /* 10 of 14 symbols of 0.5 ms */
#define GNB_DECODE   INT64_C(250000)
#define TO_UE(n)     (CELL_PORT_NETWORK | (n))

static inline void nr_defaults(struct run *r, uint8_t n_ue)
{
	run_defaults(r, CELL_MODE_IM);
	r->cfg.system = CELL_SYSTEM_NR;
	r->cfg.n_ue = n_ue;
	for (uint8_t i = 0; i < n_ue; i++) {
		r->cfg.ue[i] = r->cfg.ue[0];
		r->cfg.ue[i].rnti = (uint16_t)(61 + i);
		r->cfg.ue[i].peer = CELL_PEER_NETWORK;
	}
	r->cfg.rlc.mode = CELL_RLC_UM;
	r->cfg.rlc.um.sn_bits = 12;
	r->cfg.rlc.am.sn_bits = 18;
	r->cfg.pdcp.sn_bits = 18;
	r->cfg.harq.n_bler = 1;
	r->cfg.harq.bler_q32[0] = 0;
	r->cfg.harq.max_attempts = 4;
}

/* The first attempt at every block fails, and the second does not. */
static inline void nr_fails_once(struct run *r)
{
	r->cfg.harq.n_bler = 2;
	r->cfg.harq.bler_q32[0] = UINT32_MAX;
	r->cfg.harq.bler_q32[1] = 0;
}

#endif
