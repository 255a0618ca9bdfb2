/* SPDX-License-Identifier: GPL-2.0-or-later */
/* defaults.c - defaults of a configuration, and of its bearers; see cell_cfg.h. */
#include "cell_cfg.h"
#include "cfg_values.h"

#define Q32(p) ((uint32_t)((p)*4294967295.0)) /* constants only: no floating point at run time */

void cell_cfg_default(struct cell_cfg *cfg)
{
	*cfg = (struct cell_cfg){
		CFG_DEFAULTS,
		.seed = 1,
		.n_ue = 2,
		.n_enb = 1,
		.rlc.t_reassembly_ms = 35, /* Source: TS 38.331 9.2.1 */
		.crowd.n_cqi = 3,
		.crowd.cqi = { 7, 9, 11 },
		.harq.n_bler = 5, /* Park 2013, section 3 */
		.harq.bler_q32 = { Q32(0.1), Q32(0.01), Q32(0.005), Q32(0.002), Q32(0.001) },
		.recorded = { CFG_RECORDED_DEFAULTS },
		.rlc.qdisc = { { CFG_QDISC_DEFAULTS }, { CFG_QDISC_DEFAULTS } },
		.max_cmds = 64,
	};
	for (uint8_t i = 0; i < 2; i++)
		cfg->ue[i] = (struct cell_ue_cfg){
			CFG_UE_DEFAULTS,
			.rnti = (uint16_t)(61 + i),
			.peer = (uint8_t)(2 - i),
		};
}

struct cell_bearer_cfg cell_cfg_bearer(const struct cell_cfg *cfg)
{
	static const struct cell_bearer_cfg declared = { CFG_BEARER_DEFAULTS };

	return (struct cell_bearer_cfg){
		.priority = CELL_PRIORITY_LAST,
		.bucket_ms = declared.bucket_ms,
		.rlc = cfg->rlc,
		.pdcp = cfg->pdcp,
	};
}
