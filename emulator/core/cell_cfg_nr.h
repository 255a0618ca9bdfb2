/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_cfg_nr.h - what 5G NR is to be; see cell_cfg.h. */
#ifndef CELL_CFG_NR_H
#define CELL_CFG_NR_H

#include <stdint.h>

#include "cell_kinds.h"

/* Source: TS 38.211 to 38.214 */
struct cell_nr_phy_cfg {
	uint8_t numerology;                       /* 15 kHz times 2^this; slots of 1 ms / 2^this */
	uint8_t duplex;                           /* enum cell_duplex */
	uint8_t frequency_range;                  /* enum cell_frequency_range */
	uint16_t bandwidth_mhz;                   /* fixes the resource blocks */
	char tdd_pattern[CELL_TDD_SLOTS_MAX + 1]; /* D, S, U for each slot of a period */
	uint8_t tdd_special_dl_symbols;           /* at the start of S */
	uint8_t tdd_special_ul_symbols;           /* at its end */
	uint8_t mcs_table_dl;                     /* enum cell_mcs_table */
	uint8_t mcs_table_ul;
	uint8_t layers_dl; /* 1..4 */
	uint8_t layers_ul;
	uint8_t dl_carriers;   /* component carriers, all alike, 1..CELL_MAX_NR_CARRIERS */
	uint8_t pdcch_symbols; /* of each downlink slot */
	uint16_t coreset_rb;   /* of these symbols, in which DCIs need room; 0 = no limit */
	uint16_t pucch_rb;     /* of the uplink, for PUCCH */
	uint8_t dmrs_symbols;  /* of each block */
	uint8_t overhead_re;   /* of each block and PRB: 0, 6, 12, 18 */
};

/* What a cell says to everybody takes resource blocks. Source: TS 38.213 4.1; TS 38.331 5.2.1 */
struct cell_nr_broadcast_cfg {
	uint8_t on;
	uint8_t ssb_period_ms;
	uint8_t ssbs; /* of a burst, a beam each, which all else is repeated for */
	uint16_t sib_period_ms;
	uint16_t sib_rb;
	uint16_t paging_period_ms;
	uint16_t paging_rb;
};

/* Source: TS 38.214; TS 38.321 5.3, 5.4, 5.8 */
struct cell_nr_mac_cfg {
	uint8_t k0;                     /* slots: DL assignment to block */
	uint8_t gnb_ahead_slots;        /* decision on a DL block to its assignment */
	uint8_t k1_min;                 /* DL block to its feedback, at least */
	uint8_t k2_min;                 /* UL grant to block, at least */
	uint8_t processing_capability;  /* of UEs: 1 or 2 */
	uint16_t gnb_processing_us;     /* end of an uplink slot to what was in it */
	uint8_t harq_processes;         /* of a UE, carrier and direction, 1..16 */
	uint16_t scell_deactivation_ms; /* 0: SCells are always active */
	uint16_t scell_activation_ms;   /* ACK of the control element to the first assignment */
	uint16_t sr_period_slots;       /* 0: no scheduling requests */
	uint16_t sr_prohibit_timer_ms;
	uint8_t sr_trans_max;
	uint32_t sr_missed_q32;   /* share of requests that the gNB does not detect */
	uint16_t bsr_periodic_ms; /* 0: infinity */
	uint16_t bsr_retx_ms;
	uint8_t configured_grant; /* enum cell_configured_grant */
	uint16_t cg_period_slots;
	uint16_t cg_rb;
	uint8_t cg_mcs;
	uint8_t cg_processes;
};

/* Source: TS 38.321 5.7 */
struct cell_nr_drx_cfg {
	uint16_t cycle_ms;       /* long; 0: none */
	uint16_t short_cycle_ms; /* 0: none */
	uint8_t short_cycle_timer;
	uint16_t on_duration_ms;
	uint16_t inactivity_ms;
	uint16_t start_offset_ms;
	uint8_t harq_rtt_slots;
	uint16_t retx_slots;
};

/* Random access. Source: TS 38.321 5.1 */
struct cell_nr_ra_cfg {
	uint8_t procedure; /* enum cell_random_access */
	uint16_t prach_period_slots;
	uint8_t n_preambles;
	uint8_t preamble_trans_max;
	uint8_t rar_delay_slots; /* preamble to answer, at least */
	uint8_t response_window_slots;
	uint16_t backoff_max_ms;
	uint8_t contention_resolution_ms;
	uint8_t rb; /* of message 3 and of MsgA */
};

/* Source: TS 38.214 5.1.3, 5.2.2.1 */
struct cell_nr_link_adaptation_cfg {
	uint8_t outer_loop; /* there is one */
	uint32_t target_bler_q32;
	uint16_t outer_loop_step_cdb;
};

/* Source: TS 23.501 5.37.3; RFC 9332 */
struct cell_nr_aqm_cfg {
	uint8_t mode;   /* enum cell_aqm, of each bearer in the downlink */
	uint8_t uplink; /* and in the uplink, at the UE */
	uint8_t l4s_id; /* enum cell_l4s_id */
	uint32_t mark_from_us;
	uint32_t mark_range_us; /* so much later all are marked */
	uint16_t target_ms;
	uint16_t tupdate_ms;
	uint16_t rtt_max_ms;
	uint8_t coupling;
	uint16_t shift_ms;
};

/* NR, beside what it shares with LTE. Source: TS 38.211 to 38.214, 38.321, 38.331 */
struct cell_nr_cfg {
	struct cell_nr_phy_cfg phy;
	struct cell_nr_broadcast_cfg broadcast;
	struct cell_nr_mac_cfg mac;
	struct cell_nr_drx_cfg drx;
	struct cell_nr_ra_cfg ra;
	struct cell_nr_link_adaptation_cfg link_adaptation;
	struct cell_nr_aqm_cfg aqm;
	uint8_t sdap_header; /* of each packet: one byte. Source: TS 37.324 6.2.2 */
};

#endif
