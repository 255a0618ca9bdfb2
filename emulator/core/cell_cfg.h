/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_cfg.h - what the radio network is to be; see cellcore.h. */
#ifndef CELL_CFG_H
#define CELL_CFG_H

#include <stdint.h>

#include "cell_cfg_bearer.h"
#include "cell_cfg_en_dc.h"
#include "cell_cfg_link.h"
#include "cell_cfg_lte.h"
#include "cell_cfg_nr.h"
#include "cell_kinds.h"

struct cell_ue_cfg {
	uint16_t rnti;     /* C-RNTI, 1..65523 */
	uint8_t peer;      /* UE number its traffic goes to, or CELL_PEER_NETWORK */
	uint8_t mode;      /* enum cell_mode of its outgoing traffic; IM for the network */
	uint8_t enb;       /* that serves it at the start, 0..n_enb - 1 */
	uint8_t weight;    /* of its flows in CELL_SCHED_WFQ, 1..255; 0 counts as 1 */
	uint32_t addr;     /* IPv4, host order; its tunnels are found by it; 0 = none */
	uint8_t addr6[16]; /* IPv6, the same; all zero = none */
	uint8_t clat6[16]; /* IPv6, of its CLAT, likewise. Source: RFC 6877 6.3 */
	uint8_t cqi_ul;    /* 1..15 */
	uint8_t cqi_dl;
	uint8_t cqi_sl;        /* of its own transmissions to the peer */
	uint8_t second_cqi_ul; /* NR: in the second cell, with PDCP duplication; 0: as in the first
	                        */
	uint8_t second_cqi_dl;
	uint32_t bler_ul_q32; /* residual block error rate, 0 = none */
	uint32_t bler_dl_q32;
	uint32_t bler_sl_q32;
	const struct cell_recorded *recorded; /* its link, the caller's until cell_done(); NULL: as
	                                         that of struct cell_cfg */
};

/* Core network: ends of GTP-U tunnels, addresses in host order. No S-GW: none. */
struct cell_gtpu_cfg {
	uint32_t sgw_addr;
	uint32_t enb_addr[CELL_MAX_ENB];
	uint8_t ecn;        /* enum gtpu_ecn */
	uint8_t ipv6;       /* the above are the last 32 bits of addresses of IPv6, */
	uint8_t prefix[12]; /* which these begin with */
};

/* NR: what a UE waits for that is prepared. Source: TS 38.331 5.3.5.13.4 */
struct cell_condition_cfg {
	uint8_t on;          /* there is a condition; otherwise commands say when */
	uint8_t event;       /* enum cell_cond_event */
	uint16_t offset_cdb; /* A3 */
	uint8_t threshold1;  /* A5: of the serving cell, RSRP-Range */
	uint8_t threshold2;  /* A5: of the neighbour */
	uint16_t hysteresis_cdb;
	uint16_t time_to_trigger_ms;
};

/* Handover to a neighbour that is better. Source: TS 36.331 5.5.4.4 */
struct cell_a3_cfg {
	uint8_t on; /* UEs report event A3, and are handed over; otherwise only commands do */
	uint16_t offset_cdb;
	uint16_t hysteresis_cdb;
	uint16_t time_to_trigger_ms;
	uint8_t filter_coefficient; /* k of layer 3 */
};

/* A time that differs from handover to handover, by its quantiles, which do not decrease. */
struct cell_times_cfg {
	uint8_t on; /* otherwise the time is fixed */
	uint16_t p5_ms;
	uint16_t p25_ms;
	uint16_t p50_ms;
	uint16_t p75_ms;
	uint16_t p95_ms;
	uint16_t p99_ms;
};

/* Radio link failure, and what follows. Source: TS 36.331 5.3.7, 5.3.11; TS 38.331 5.3.7, 5.3.10 */
struct cell_link_cfg {
	uint8_t on;   /* links fail; otherwise only RLC can give up */
	uint8_t qout; /* SINR-Range */
	uint8_t qin;
	uint8_t n310;
	uint8_t n311;
	uint16_t t310_ms;
	uint16_t t311_ms;
	uint16_t t301_ms;
	uint16_t t304_ms;
	uint8_t preamble_trans_max; /* LTE; NR has nr.ra.preamble_trans_max */
	uint8_t context;            /* enum cell_context */
	uint16_t selection_ms;      /* of a cell, after a failure */
	uint16_t reestablish_ms;    /* from the request to the bearers, with a context */
	uint16_t setup_ms;          /* the same without one. TR 36.912 16.2.1 */
	uint16_t rrc_retx_ms;       /* t-PollRetransmit of signalling */
	uint8_t rrc_retx;           /* of a message that is not heard, at most */
};

/* Source: TS 36.300 10.1.2.1.1; Pacifico, section V and Table I. */
struct cell_handover_cfg {
	uint8_t procedure;      /* enum cell_ho_procedure */
	uint8_t forwarding;     /* the source sends on what it holds; otherwise it drops that */
	uint8_t reordering;     /* the target: first what was forwarded, up to the End Marker */
	uint16_t detach_ms;     /* handover command to synchronisation with the target */
	uint16_t prediction_ms; /* for the shell: that long before a handover it is predicted */
	uint16_t prediction_timeout_ms;          /* without a handover the path is switched back */
	uint16_t end_marker_ms;                  /* the target waits that long without success */
	uint8_t end_markers;                     /* sent for each path that ends */
	uint16_t end_marker_gap_ms;              /* between two of them */
	uint32_t signalling_us;                  /* one way: X2AP, S1AP */
	struct cell_times_cfg detach_times;      /* in place of detach_ms, or of what NR adds up */
	struct cell_times_cfg preparation_times; /* report to command, at least two messages */

	/* NR: from the command, or the condition, to random access in the target. Source: TS 38.133
	 * 6.1.1.2, 6.1.4; TS 38.331 12 */
	uint8_t rrc_processing_ms; /* of a handover command */
	uint8_t execution_ms;      /* of a conditional one, before the UE leaves */
	uint16_t search_ms;        /* for a target that the UE has not measured */
	uint8_t processing_ms;     /* in the UE */
	uint8_t ssb_period_ms;     /* the UE waits for the target's next SSB */
	uint8_t margin_ms;

	struct cell_link_cfg link_failure;
	struct cell_condition_cfg condition;
	struct cell_a3_cfg a3;
};

/* bler_q32[k]: block not decoded after k + 1 attempts.
 * Source: TS 36.321 5.3.2, 5.4.2; Park 2013, section 3. */
struct cell_harq_cfg {
	uint8_t max_attempts; /* 1 = no HARQ */
	uint8_t errors;       /* enum cell_errors */
	uint8_t dl_rtt_tti;   /* at least, transmission to retransmission */
	uint8_t n_bler;       /* entries; the last one holds for further attempts */
	uint32_t bler_q32[CELL_HARQ_ATTEMPTS_MAX];
	uint32_t nack_to_ack_q32;
	uint32_t ack_to_nack_q32; /* DL */
};

/* When a base station knows of a channel. Source: TS 36.213 7.2.2; TS 38.214 5.2.1.4 */
struct cell_cqi_reports_cfg {
	uint16_t period_ms; /* 0: it knows at once */
	uint8_t delay_ms;   /* from what a report is about to its use */
};

/* Modelled UEs that only load the schedulers of every cell; see mac/common/crowd.h. */
struct cell_crowd_cfg {
	uint16_t count; /* of each cell, 0..CELL_MAX_CROWD; 0 = none, and no field below matters */
	uint8_t direction;               /* enum cell_crowd_direction */
	uint8_t arrival;                 /* enum cell_crowd_arrival */
	uint32_t offered_rate_bps;       /* of one in one direction, on average */
	uint32_t burst_bytes;            /* mean */
	uint32_t reading_ms;             /* mean pause of CELL_CROWD_READING */
	uint8_t burst_size;              /* enum cell_crowd_size: its distribution */
	uint8_t weight;                  /* as that of a UE */
	uint32_t cqi_period_ms;          /* every so long each has another CQI; 0 = never */
	uint8_t n_cqi;                   /* 1..CELL_CROWD_CQI_MAX */
	uint8_t cqi[CELL_CROWD_CQI_MAX]; /* each has one of them, with the same chance */
};

/* Everything the paper or 3GPP makes a parameter. Immutable after init. A structure for each layer,
 * and for what only one system has. cell_cfg_default() gives the values of the paper's Table 1 and
 * Figure 4. */
struct cell_cfg {
	uint64_t seed;
	uint8_t system;          /* enum cell_system */
	uint8_t n_ue;            /* 1..CELL_MAX_UE */
	uint8_t n_enb;           /* 1..CELL_MAX_ENB, each with a carrier of its own */
	uint8_t scheduler;       /* enum cell_sched */
	uint32_t pf_average_tti; /* time constant of CELL_SCHED_PF */
	uint32_t max_pkts;       /* packets held at once, all bearers */
	uint32_t max_cmds; /* changes that cell_apply() takes before cell_advance() makes them */
	struct cell_ue_cfg ue[CELL_MAX_UE]; /* ue[0] is UE 1 */

	/* Of LTE and NR. */
	struct cell_gtpu_cfg gtpu;
	struct cell_handover_cfg handover;
	struct cell_harq_cfg harq;
	struct cell_rlc_cfg rlc;
	struct cell_pdcp_cfg pdcp;
	struct cell_crowd_cfg crowd;
	struct cell_cqi_reports_cfg cqi_reports;

	/* Bearers that are not as the above, in the order of their UEs; the caller's until
	 * cell_done(). Of one UE the first that takes a packet has it. */
	const struct cell_bearer_cfg *bearer;
	uint32_t n_bearers;

	/* Of one system. What UEs share nothing in has of each UE its rnti, and of a recorded
	 * link its own. */
	struct cell_lte_cfg lte;
	struct cell_nr_cfg nr;
	struct cell_en_dc_cfg en_dc;
	struct cell_utran_cfg utran;
	struct cell_recorded recorded;
	struct cell_constant_cfg constant;
};

/**
 * cell_cfg_default() - fill with Table 1 and Figure 4 of the paper
 * @cfg: filled with two UEs that are each other's peer, DM both ways, CQI 15
 */
CELL_EXPORT void cell_cfg_default(struct cell_cfg *cfg);

/** cell_cfg_bearer() - RLC and PDCP of a bearer that has no settings of its own */
CELL_EXPORT struct cell_bearer_cfg cell_cfg_bearer(const struct cell_cfg *cfg);

/**
 * cell_cfg_check() - validate a configuration
 * @cfg:       configuration
 * @ret_field: name of the first offending field, as in struct cell_cfg
 * @ret_range: allowed range, for people
 *
 * Return: 0, or -EINVAL with @ret_field and @ret_range set.
 */
CELL_EXPORT int cell_cfg_check(const struct cell_cfg *cfg, const char **ret_field,
                               const char **ret_range);

#endif
