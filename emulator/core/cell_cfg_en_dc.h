/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_cfg_en_dc.h - what dual connectivity of LTE and NR is to be; see cell_cfg.h. */
#ifndef CELL_CFG_EN_DC_H
#define CELL_CFG_EN_DC_H

#include <stdint.h>

#include "cell_kinds.h"

/* The SCG comes and goes by what UEs measure. Source: TS 36.331 5.5.4.7a; TS 38.331 5.5.4.3 */
struct cell_scg_cfg {
	uint8_t on;           /* otherwise each UE has it from the start on */
	uint8_t b1_threshold; /* RSRP-Range */
	uint8_t a2_threshold;
	uint16_t hysteresis_cdb;
	uint16_t time_to_trigger_ms;
	uint8_t filter_coefficient; /* k of layer 3 */
	uint8_t link_failure;       /* it fails by T310, too */
	uint16_t access_ms;         /* from the command until the UE can send its preamble */
	uint16_t t307_ms;
};

/* Source: TS 37.340; TS 38.425 */
struct cell_en_dc_cfg {
	uint32_t x2_us;          /* one-way delay between the two base stations */
	uint16_t report_ms;      /* period of DL DATA DELIVERY STATUS */
	uint16_t queue_ms;       /* a cell group asks for what it sends in so long */
	uint8_t ul_primary_path; /* enum cell_group */
	struct cell_scg_cfg scg;
};

#endif
