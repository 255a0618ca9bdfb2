/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_cfg_lte.h - what LTE is to be; see cell_cfg.h. */
#ifndef CELL_CFG_LTE_H
#define CELL_CFG_LTE_H

#include <stdint.h>

#include "cell_kinds.h"

/* Timeline, in TTIs. Source: Nardini, Figure 4. */
struct cell_lte_timing_cfg {
	uint8_t rar_delay_tti;       /* preamble to RAR */
	uint8_t rar_to_msg3_tti;     /* RAR to message 3, at least grant_to_tx_tti */
	uint8_t grant_to_tx_tti;     /* UL/SL grant to transmission */
	uint8_t decode_tti;          /* transmission to decoded */
	uint8_t dl_sched_to_tx_tti;  /* DL scheduling decision to transmission */
	uint32_t processing_lead_ns; /* decoded this long before the sub-frame boundary */
};

/* Random access. Source: TS 36.321 5.1; Nardini, Table 1. */
struct cell_lte_ra_cfg {
	uint16_t rac_timeout_tti;
	uint16_t backoff_max_ms;  /* uniform 0..this after an unanswered request */
	uint8_t n_preambles;      /* contention-based, 1..64 */
	uint8_t prach_period_tti; /* occasion when sub-frame % period == 0 */
};

/* Source: TS 36.321 5.4.3, 5.4.5; Nardini, section II. */
struct cell_lte_mac_cfg {
	uint8_t bsr_grant_rb;          /* RBs of the RAR's grant */
	uint8_t bandwidth_stealing;    /* data beside the BSR when addressed to the eNB */
	uint8_t trailing_bsr;          /* BSR in data PDUs while data remain */
	uint8_t enb_overhears_dm;      /* eNB decodes BSRs in direct-mode PDUs */
	uint8_t grants_ignore_headers; /* grants for SDUs without RLC and MAC headers */
	uint8_t ul_always_scheduled; /* UEs need not ask: a grant for their data in every sub-frame
	                              */
};

/* Scheduling Requests on PUCCH. Source: TS 36.321 5.4.4; TS 36.213 Table 10.1.5-1 */
struct cell_lte_sr_cfg {
	uint8_t period_ms;        /* of a UE's occasions; 0 = it has none, and uses random access */
	uint8_t prohibit_periods; /* least time between two requests */
	uint8_t trans_max;        /* without success, before random access */
	uint32_t missed_q32;      /* share of requests that the eNB does not detect */
	uint16_t bsr_retx_ms;     /* so long a UE that sent a BSR waits for grants */
};

/* Control channels of the downlink, by its SINR. Source: R4-081920; Li et al, section I */
struct cell_lte_control_cfg {
	uint8_t errors;   /* 0 = none */
	uint8_t dtx;      /* enum cell_dtx */
	uint8_t pucch_rb; /* of the uplink, for PUCCH */
	uint8_t cfi; /* symbols of the control region, in which DCIs need room; 0 = one, no limit */
};

/* Mode selection. Source: Nardini, section IV. */
struct cell_lte_mode_switch_cfg {
	uint16_t select_ms; /* every so long the mode with the higher CQI; 0 = never */
	uint8_t flush;      /* enum cell_flush */
	uint8_t flush_air;  /* blocks on the air are void, too; those of AM always are */
};

/* Link adaptation that learns from ACKs and NACKs. */
struct cell_lte_outer_loop_cfg {
	uint32_t target_bler_q32; /* of first transmissions; 0: none */
	uint16_t step_cdb;
};

/* LTE, beside what it shares with NR. */
struct cell_lte_cfg {
	uint16_t n_rb;        /* 6..110 */
	uint8_t dl_carriers;  /* component carriers of n_rb, 1..CELL_MAX_CARRIERS */
	uint8_t dl_codewords; /* transport blocks per carrier, 1 or 2 */
	uint8_t ul_carriers;  /* component carriers of the uplink, at most dl_carriers */
	struct cell_lte_timing_cfg timing;
	struct cell_lte_ra_cfg ra;
	struct cell_lte_mac_cfg mac;
	struct cell_lte_sr_cfg sr;
	struct cell_lte_outer_loop_cfg outer_loop;
	struct cell_lte_control_cfg control;
	struct cell_lte_mode_switch_cfg mode_switch;
};

#endif
