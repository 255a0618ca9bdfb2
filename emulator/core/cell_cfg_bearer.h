/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_cfg_bearer.h - what RLC, PDCP and a bearer are to be; see cell_cfg.h. */
#ifndef CELL_CFG_BEARER_H
#define CELL_CFG_BEARER_H

#include <stdint.h>

#include "cell_kinds.h"

/* Source: TS 36.322 6.2.1.3; TS 38.322 6.2.3.3 */
struct cell_rlc_um_cfg {
	uint8_t sn_bits; /* 5 or 10; of NR 6 or 12 */
};

/* Source: TS 36.322 5.2; TS 36.331 RLC-Config; TS 38.322 5.3 */
struct cell_rlc_am_cfg {
	uint32_t poll_byte;
	uint16_t poll_pdu;
	uint16_t t_poll_retransmit_ms;
	uint16_t t_status_prohibit_ms;
	uint16_t reestablish_ms; /* outage */
	uint8_t max_retx_threshold;
	uint8_t on_max_retx; /* enum cell_on_max_retx */
	uint8_t sn_bits;     /* of NR only: 12 or 18 */
};

/* What a bearer's transmission queue does in one direction, with parameters of tc(8); those that
 * its kind does not have are of no matter. */
struct cell_qdisc {
	uint8_t kind;   /* enum cell_qdisc_kind */
	uint8_t ecn;    /* packets whose header allows it are marked in place of drops */
	uint32_t limit; /* packets, 0 = queue_pkts */
	uint32_t target_us;
	uint32_t interval_us;    /* codel, fq_codel */
	uint32_t flows;          /* fq_codel: queues */
	uint32_t quantum;        /* and bytes that one of them sends in its turn */
	uint32_t tupdate_us;     /* pie, dualpi2 */
	uint8_t alpha;           /* pie: in 1/16 Hz */
	uint8_t beta;            /* likewise */
	uint8_t coupling_factor; /* dualpi2, and so are the next ones */
	uint8_t l4s_id;          /* enum cell_l4s_id */
	uint32_t step_thresh_us;
	uint32_t max_rtt_us;
};

/* Source: TS 36.322; TS 36.331 RLC-Config; TS 38.322 */
struct cell_rlc_cfg {
	struct cell_rlc_am_cfg am;
	uint32_t queue_pkts;  /* per bearer */
	uint32_t queue_bytes; /* and bytes, 0 = any number */
	uint16_t queue_ms;    /* NR: so much of them as the channel carries in that time, 0 = any */
	uint16_t t_reordering_ms;   /* of LTE. Source: TS 36.322 5.1.2.2 */
	uint16_t t_reassembly_ms;   /* of NR. Source: TS 38.322 7.3 */
	struct cell_qdisc qdisc[2]; /* CELL_DIR_UL: at the UE, CELL_DIR_DL: at the base station */
	struct cell_rlc_um_cfg um;
	uint8_t mode;     /* enum cell_rlc_mode */
	uint8_t delivery; /* enum cell_delivery */
};

/* Source: TS 36.323; TS 38.323 */
struct cell_pdcp_cfg {
	uint16_t discard_timer_ms; /* 0 = infinity */
	uint16_t t_reordering_ms;
	uint8_t sn_bits;               /* 7 or 12; of NR 12 or 18 */
	uint8_t reordering;            /* in order again above RLC. Source: TS 38.323 5.2.2.2 */
	uint8_t t_reordering_infinite; /* of NR only */
	uint8_t out_of_order_delivery; /* of NR only. Source: TS 38.323 5.2.2.1 */
	uint8_t duplication;           /* of NR only. Source: TS 38.323 5.11 */
	uint8_t status_report;         /* the UE says after a handover what it has. Source: 5.3 */
};

/* Addresses that begin alike. */
struct cell_prefix {
	uint8_t version;  /* of IP: 4 or 6; 0 = any packet */
	uint8_t bits;     /* that count, from the first on */
	uint8_t addr[16]; /* of IPv4 the first four bytes */
};

/* Packets that a bearer takes: those with all of this. Source: TS 24.008 10.5.6.12 */
struct cell_filter {
	uint8_t protocol;          /* enum cell_protocol */
	uint8_t dscp;              /* or CELL_DSCP_ANY */
	uint16_t local_port;       /* at the UE, 0 = any */
	uint16_t remote_port;      /* 0 = any */
	struct cell_prefix local;  /* addresses at the UE */
	struct cell_prefix remote; /* and at the other end */
};

/* Of a bearer that says nothing else: those of 5QI 9, and the window of every 5QI. Source:
 * TS 23.501 Table 5.7.4-1 */
#define CELL_QOS_LEVEL     90
#define CELL_QOS_PDB_MS    300
#define CELL_QOS_WINDOW_MS 2000

/* A bearer. */
struct cell_bearer_cfg {
	uint8_t ue;       /* its number, from 1 */
	uint8_t priority; /* 1..CELL_PRIORITY_LAST, 1 is the first. Source: TS 36.321 5.4.3.1 */
	uint32_t prioritised_rate_bps; /* PBR: before lower priorities get more than theirs, 0 =
	                                  none */
	uint16_t bucket_ms;            /* BSD: so long it adds up */
	uint8_t priority_level; /* 1 before 2, 0 = CELL_QOS_LEVEL. Source: TS 23.501 5.7.3.3 */
	uint16_t pdb_ms;        /* packet delay budget, 0 = CELL_QOS_PDB_MS */
	uint16_t averaging_window_ms; /* of the next rates, 0 = CELL_QOS_WINDOW_MS */
	uint32_t gbr_dl_bps;          /* guaranteed, 0 in both directions: non-GBR */
	uint32_t gbr_ul_bps;
	uint32_t mbr_dl_bps; /* at most, 0 = any */
	uint32_t mbr_ul_bps;
	uint8_t n_filters; /* 0: the default bearer, which takes the rest */
	struct cell_filter filter[CELL_MAX_FILTERS];
	struct cell_rlc_cfg rlc;
	struct cell_pdcp_cfg pdcp;
};

#endif
