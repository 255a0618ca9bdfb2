/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_cfg.h - what the radio network is to be; see cellcore.h. */
#ifndef CELL_CFG_H
#define CELL_CFG_H

#include <stdint.h>

#define CELL_MAX_UE            100
#define CELL_MAX_RB            110
#define CELL_MAX_ENB           4
#define CELL_MAX_CARRIERS      5
#define CELL_HARQ_ATTEMPTS_MAX 8
#define CELL_MAX_BEARERS       8    /* of a UE: LCIDs 3 to 10. Source: TS 36.321 Table 6.2.1-1 */
#define CELL_MAX_FILTERS       4    /* of a bearer */
#define CELL_MAX_CROWD         1000 /* modelled UEs of a cell */
#define CELL_CROWD_CQI_MAX     64
#define CELL_DSCP_ANY          255
#define CELL_PRIORITY_LAST     16
#define CELL_PEER_NETWORK      0  /* peer of a UE that talks to the network */
#define CELL_TDD_SLOTS_MAX     80 /* of a pattern: 10 ms. Source: TS 38.213 11.1 */

/* How a UE's outgoing traffic is routed. Source: Nardini, section II. */
enum cell_mode {
	CELL_MODE_IM, /* infrastructure: uplink to the eNB, downlink to the peer */
	CELL_MODE_DM, /* direct: sidelink to the peer, granted by the eNB */
	CELL_MODE_COUNT
};

/* Radio directions. Values of UL and DL are those of Wireshark's mac-lte. */
enum cell_dir { CELL_DIR_UL, CELL_DIR_DL, CELL_DIR_SL, CELL_DIR_COUNT };

/* Radio networks, each with its folder of ran/. */
#define CELL_SYSTEMS(SYSTEM)                                                                       \
	SYSTEM(CELL_SYSTEM_LTE, lte)                                                               \
	SYSTEM(CELL_SYSTEM_UTRAN, utran)            /* dedicated channels */                       \
	SYSTEM(CELL_SYSTEM_PACKET_TRACE, recorded)  /* recorded delivery opportunities */          \
	SYSTEM(CELL_SYSTEM_CONSTANT_RATE, constant) /* no radio, to compare with */                \
	SYSTEM(CELL_SYSTEM_NR, nr)                  /* 5G */
#define CELL_SYSTEM_VALUE(value, name) value,
enum cell_system { CELL_SYSTEMS(CELL_SYSTEM_VALUE) CELL_SYSTEM_COUNT };

/* Where the block errors of HARQ's attempts come from. */
enum cell_errors {
	CELL_ERRORS_LADDER, /* one rate for each attempt, whatever the channel */
	CELL_ERRORS_SINR,   /* the SINR of all attempts together; the ladder where it is unknown */
	CELL_ERRORS_COUNT
};

/* What becomes of a downlink block whose assignment the UE missed, when the eNB hears no feedback.
 */
enum cell_dtx {
	CELL_DTX_RETRY, /* sent again, as if not acknowledged */
	CELL_DTX_LOSE,  /* given up */
	CELL_DTX_COUNT
};

/* Modes of RLC, each with its folder of rlc/. Source: TS 36.322 4.2.1 */
#define CELL_RLC_MODES(MODE)                                                                       \
	MODE(CELL_RLC_UM, um)                                                                      \
	MODE(CELL_RLC_AM, am)                                                                      \
	MODE(CELL_RLC_TM, tm)
#define CELL_RLC_VALUE(value, name) value,
enum cell_rlc_mode { CELL_RLC_MODES(CELL_RLC_VALUE) CELL_RLC_MODE_COUNT };

/* When RLC hands up what it received. Source: Park 2013, section 4 */
enum cell_delivery {
	CELL_DELIVERY_IN_SEQUENCE,     /* after everything before it: the standard */
	CELL_DELIVERY_OUT_OF_SEQUENCE, /* as soon as an SDU is complete */
	CELL_DELIVERY_COUNT
};

/* What follows when an AM PDU was retransmitted maxRetxThreshold times without success. */
enum cell_on_max_retx {
	CELL_MAX_RETX_REESTABLISH, /* after an outage both ends start again; what did not arrive is
	                              sent again */
	CELL_MAX_RETX_STOP,        /* the bearer is dead */
	CELL_MAX_RETX_COUNT
};

/* What becomes of packets below PDCP when their UE's mode changes. */
enum cell_flush {
	CELL_FLUSH_DISCARD,    /* each hop has its own PDCP: they cannot go the new way */
	CELL_FLUSH_KEEP,       /* the old way is used until they are through */
	CELL_FLUSH_RETRANSMIT, /* PDCP sends them again, the new way */
	CELL_FLUSH_COUNT
};

/* When the S-GW sends downlink packets to the target. Source: Pacifico, section V.A */
enum cell_ho_procedure {
	CELL_HO_STANDARD,         /* after the UE has confirmed the handover there */
	CELL_HO_FAST_PATH_SWITCH, /* from the handover command on */
	CELL_HO_PREDICTION,       /* before the handover, when it is predicted */
	CELL_HO_CONDITIONAL, /* NR: as standard; the UE starts by itself, when a condition holds */
	CELL_HO_DAPS,        /* NR: the source serves the UE until the target does */
	CELL_HO_PROCEDURE_COUNT
};

/* Conditions of a conditional handover. Source: TS 38.331 5.3.5.13.4, CondTriggerConfig */
enum cell_cond_event { CELL_COND_EVENT_A3, CELL_COND_EVENT_A5, CELL_COND_EVENT_COUNT };

#define CELL_RSRP_RANGE_DBM (-156) /* of RSRP-Range 0. Source: TS 38.331 RSRP-Range */

/* Where STATUS PDUs go. Source: TS 25.322 5.5.0 4.2.1.3; EURANE */
enum cell_status {
	CELL_STATUS_BLOCK,     /* each takes a transport block */
	CELL_STATUS_PIGGYBACK, /* into the padding of an AMD PDU that leaves soon; otherwise a block
	                        */
	CELL_STATUS_CHANNEL,   /* a block of a logical channel of their own, beside those of data */
	CELL_STATUS_COUNT
};

/* How the two directions of NR share the spectrum. */
enum cell_duplex { CELL_DUPLEX_FDD, CELL_DUPLEX_TDD, CELL_DUPLEX_COUNT };

/* Source: TS 38.104 5.1 */
enum cell_frequency_range { CELL_FR1, CELL_FR2, CELL_FR_COUNT };

/* Tables of MCS and CQI of NR. Source: TS 38.214 5.1.3.1, 5.2.2.1 */
enum cell_mcs_table {
	CELL_MCS_QAM64,        /* Table 1 */
	CELL_MCS_QAM256,       /* Table 2 */
	CELL_MCS_QAM64_LOW_SE, /* Table 3: low spectral efficiency, for few errors */
	CELL_MCS_TABLE_COUNT
};

/* Uplink blocks that a UE has without asking. Source: TS 38.321 5.8.2 */
enum cell_configured_grant {
	CELL_CG_NONE,
	CELL_CG_TYPE1, /* configured and active */
	CELL_CG_TYPE2, /* made active by a DCI */
	CELL_CG_COUNT
};

/* Source: TS 38.321 5.1 */
enum cell_random_access { CELL_RA_FOUR_STEP, CELL_RA_TWO_STEP, CELL_RA_COUNT };

/* What a bearer's transmission queue does beside being a FIFO. Source: TS 23.501 5.37.3; RFC 9332
 */
enum cell_aqm {
	CELL_AQM_NONE,
	CELL_AQM_MARK,    /* L4S packets that waited long are marked */
	CELL_AQM_DUALPI2, /* and have a queue of their own, coupled with that of the others */
	CELL_AQM_COUNT
};

/* Which packets are L4S. Source: RFC 9331 2; sch_dualpi2 of Linux */
enum cell_l4s_id { CELL_L4S_ECT_1, CELL_L4S_ANY_ECT, CELL_L4S_ID_COUNT };

enum cell_sched {
	CELL_SCHED_RR,
	CELL_SCHED_WFQ,
	CELL_SCHED_MAX_CI,
	CELL_SCHED_PF,
	CELL_SCHED_MLWDF,
	CELL_SCHED_COUNT
};

/* What modelled UEs have to send. */
enum cell_crowd_arrival {
	CELL_CROWD_POISSON,     /* bursts, each UE's a Poisson process */
	CELL_CROWD_FULL_BUFFER, /* always something */
	CELL_CROWD_ARRIVAL_COUNT
};

enum cell_crowd_size { CELL_CROWD_CONSTANT, CELL_CROWD_EXPONENTIAL, CELL_CROWD_SIZE_COUNT };

enum cell_crowd_direction {
	CELL_CROWD_DL,
	CELL_CROWD_UL,
	CELL_CROWD_BOTH,
	CELL_CROWD_DIRECTION_COUNT
};

enum cell_protocol {
	CELL_PROTOCOL_ANY,
	CELL_PROTOCOL_TCP,
	CELL_PROTOCOL_UDP,
	CELL_PROTOCOL_ICMP, /* and ICMPv6 */
	CELL_PROTOCOL_COUNT
};

/* Packets that a bearer takes: those with all of this. Source: TS 24.008 10.5.6.12 */
struct cell_filter {
	uint8_t protocol;     /* enum cell_protocol */
	uint8_t dscp;         /* or CELL_DSCP_ANY */
	uint16_t local_port;  /* at the UE, 0 = any */
	uint16_t remote_port; /* 0 = any */
};

/* A bearer. What RLC and PDCP are has the fields of struct cell_cfg. */
struct cell_bearer_cfg {
	uint8_t ue;       /* its number, from 1 */
	uint8_t priority; /* 1..CELL_PRIORITY_LAST, 1 is the first. Source: TS 36.321 5.4.3.1 */
	uint32_t prioritised_rate_bps; /* PBR: before lower priorities get more than theirs, 0 =
	                                  none */
	uint16_t bucket_ms;            /* BSD: so long it adds up */
	uint8_t n_filters;             /* 0: the default bearer, which takes the rest */
	struct cell_filter filter[CELL_MAX_FILTERS];
	uint8_t rlc_mode;
	uint8_t delivery;
	uint16_t t_reordering_ms;
	uint32_t rlc_queue_pkts;
	uint32_t rlc_queue_bytes;
	uint8_t um_sn_bits;
	uint8_t am_sn_bits;
	uint8_t am_on_max_retx;
	uint8_t am_max_retx_threshold;
	uint16_t am_poll_pdu;
	uint32_t am_poll_byte;
	uint16_t am_t_poll_retransmit_ms;
	uint16_t am_t_status_prohibit_ms;
	uint16_t am_reestablish_ms;
	uint8_t pdcp_sn_bits;
	uint16_t discard_timer_ms;
	uint8_t pdcp_reordering;
	uint16_t pdcp_t_reordering_ms;
	uint8_t pdcp_t_reordering_infinite;
	uint8_t pdcp_out_of_order_delivery;
	uint8_t pdcp_duplication;
	uint8_t pdcp_status_report;
};

struct cell_recorded;

struct cell_ue_cfg {
	uint16_t rnti;  /* C-RNTI, 1..65523 */
	uint8_t peer;   /* UE number its traffic goes to, or CELL_PEER_NETWORK */
	uint8_t mode;   /* enum cell_mode of its outgoing traffic; IM for the network */
	uint8_t enb;    /* that serves it at the start, 0..n_enb - 1 */
	uint8_t weight; /* of its flows in CELL_SCHED_WFQ, 1..255; 0 counts as 1 */
	uint32_t addr;  /* IPv4, host order; its tunnels are found by it; 0 = none */
	uint8_t cqi_ul; /* 1..15 */
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

/* How a recorded link answered a train of packets; see ran/recorded/train.h. */
struct cell_train {
	uint32_t at_ms;    /* it started, since sub-frame 0 */
	uint32_t delay_ms; /* of its first packet */
	uint32_t first;    /* of its opportunities in train_offset_ms */
	uint32_t n;
};

/*
 * What was recorded of one direction of a link, the caller's until cell_done(). Times are in ms
 * since sub-frame 0 and do not decrease; the last one is the period. Source: Mahimahi
 */
struct cell_recording {
	const uint32_t *opportunity_ms;
	uint32_t n_opportunities;

	/* How trains of packets were answered, or none. Source: CellReplay */
	const struct cell_train *train;
	uint32_t n_trains;
	const uint32_t *train_offset_ms; /* of all trains */
	uint32_t n_train_offsets;
	const int32_t *train_size_us; /* added to the delay of a packet of 100, 200, ... bytes */
	uint32_t n_train_sizes;
};

/* A recorded link of a UE; see ran/recorded/opportunity.h. */
struct cell_recorded {
	struct cell_recording way[2]; /* CELL_DIR_UL, CELL_DIR_DL */
	uint16_t delay_ms;            /* one way, after a packet has left */
	uint32_t queue_pkts;          /* of each direction */
	uint32_t queue_bytes;         /* and bytes, 0 = any number */
	uint16_t bytes;               /* of IP packets, at each opportunity */
	uint16_t uplink_gap_ms; /* a train ends when no packet of it would leave for so long */
	uint16_t downlink_gap_ms;
};

/* Everything the paper or 3GPP makes a parameter. Immutable after init.
 * cell_cfg_default() gives the values of the paper's Table 1 and Figure 4. */
struct cell_cfg {
	uint64_t seed;
	uint16_t n_rb;                      /* 6..110 */
	uint8_t n_ue;                       /* 1..CELL_MAX_UE */
	struct cell_ue_cfg ue[CELL_MAX_UE]; /* ue[0] is UE 1 */
	uint8_t n_enb;                      /* 1..CELL_MAX_ENB, each with n_rb of its own */

	/* Core network: ends of GTP-U tunnels, IPv4 in host order. No S-GW: none. */
	uint32_t sgw_gtpu_addr;
	uint32_t enb_gtpu_addr[CELL_MAX_ENB];
	uint8_t gtpu_ecn; /* enum gtpu_ecn */

	/* Handover. Source: TS 36.300 10.1.2.1.1; Pacifico, section V and Table I. */
	uint8_t ho_procedure;      /* enum cell_ho_procedure */
	uint8_t ho_forwarding;     /* the source sends on what it holds; otherwise it drops that */
	uint8_t ho_reordering;     /* the target: first what was forwarded, up to the End Marker */
	uint16_t ho_detach_ms;     /* handover command to synchronisation with the target */
	uint16_t ho_prediction_ms; /* for the shell: that long before a handover it is predicted */
	uint16_t ho_prediction_timeout_ms; /* without a handover the path is switched back */
	uint16_t ho_end_marker_ms;         /* the target waits that long without success */
	uint8_t ho_end_markers;            /* sent for each path that ends */
	uint16_t ho_end_marker_gap_ms;     /* between two of them */
	uint32_t ho_signalling_us;         /* one way: X2AP, S1AP */

	/* NR: from the command, or the condition, to random access in the target. Source: TS 38.133
	 * 6.1.1.2, 6.1.4; TS 38.331 12 */
	uint8_t ho_rrc_processing_ms; /* of a handover command */
	uint8_t ho_execution_ms;      /* of a conditional one, before the UE leaves */
	uint16_t ho_search_ms;        /* for a target that the UE has not measured */
	uint8_t ho_processing_ms;     /* in the UE */
	uint8_t ho_ssb_period_ms;     /* the UE waits for the target's next SSB */
	uint8_t ho_margin_ms;

	/* NR: what a UE waits for that is prepared. Source: TS 38.331 5.3.5.13.4 */
	uint8_t ho_cond;             /* there is a condition; otherwise commands say when */
	uint8_t ho_cond_event;       /* enum cell_cond_event */
	uint16_t ho_cond_offset_cdb; /* A3 */
	uint8_t ho_cond_threshold1;  /* A5: of the serving cell, RSRP-Range */
	uint8_t ho_cond_threshold2;  /* A5: of the neighbour */
	uint16_t ho_cond_hysteresis_cdb;
	uint16_t ho_cond_time_to_trigger_ms;

	/* Handover to a neighbour that is better. Source: TS 36.331 5.5.4.4 */
	uint8_t a3; /* UEs report event A3, and are handed over; otherwise only commands do */
	uint16_t a3_offset_cdb;
	uint16_t a3_hysteresis_cdb;
	uint16_t a3_time_to_trigger_ms;
	uint8_t a3_filter_coefficient; /* k of layer 3 */

	/* Timeline, in TTIs. Source: Nardini, Figure 4. */
	uint8_t rar_delay_tti;       /* preamble to RAR */
	uint8_t rar_to_msg3_tti;     /* RAR to message 3, at least grant_to_tx_tti */
	uint8_t grant_to_tx_tti;     /* UL/SL grant to transmission */
	uint8_t decode_tti;          /* transmission to decoded */
	uint8_t dl_sched_to_tx_tti;  /* DL scheduling decision to transmission */
	uint32_t processing_lead_ns; /* decoded this long before the sub-frame boundary */

	/* Random access. Source: TS 36.321 5.1; Nardini, Table 1. */
	uint16_t rac_timeout_tti;
	uint16_t backoff_max_ms;  /* uniform 0..this after an unanswered request */
	uint8_t n_preambles;      /* contention-based, 1..64 */
	uint8_t prach_period_tti; /* occasion when sub-frame % period == 0 */

	/* MAC. Source: TS 36.321 5.4.3, 5.4.5; Nardini, section II. */
	uint8_t bsr_grant_rb;          /* RBs of the RAR's grant */
	uint8_t bandwidth_stealing;    /* data beside the BSR when addressed to the eNB */
	uint8_t trailing_bsr;          /* BSR in data PDUs while data remain */
	uint8_t enb_overhears_dm;      /* eNB decodes BSRs in direct-mode PDUs */
	uint8_t grants_ignore_headers; /* grants for SDUs without RLC and MAC headers */
	uint8_t ul_always_scheduled; /* UEs need not ask: a grant for their data in every sub-frame
	                              */
	uint8_t dl_carriers;         /* component carriers of n_rb, 1..CELL_MAX_CARRIERS */
	uint8_t dl_codewords;        /* transport blocks per carrier, 1 or 2 */
	uint8_t scheduler;           /* enum cell_sched */
	uint32_t pf_average_tti;     /* time constant of CELL_SCHED_PF */

	/* Modelled UEs that only load the schedulers of every cell; see ran/lte/crowd.c. */
	uint16_t crowd_count; /* of each cell, 0..CELL_MAX_CROWD; 0 = none, and no key below matters
	                       */
	uint8_t crowd_direction;               /* enum cell_crowd_direction */
	uint8_t crowd_arrival;                 /* enum cell_crowd_arrival */
	uint32_t crowd_offered_rate_bps;       /* of one in one direction, on average */
	uint32_t crowd_burst_bytes;            /* mean */
	uint8_t crowd_burst_size;              /* enum cell_crowd_size: its distribution */
	uint8_t crowd_weight;                  /* as that of a UE */
	uint32_t crowd_cqi_period_ms;          /* every so long each has another CQI; 0 = never */
	uint8_t n_crowd_cqi;                   /* 1..CELL_CROWD_CQI_MAX */
	uint8_t crowd_cqi[CELL_CROWD_CQI_MAX]; /* each has one of them, with the same chance */

	/* HARQ. harq_bler_q32[k]: block not decoded after k + 1 attempts.
	 * Source: TS 36.321 5.3.2, 5.4.2; Park 2013, section 3. */
	uint8_t harq_max_attempts; /* 1 = no HARQ */
	uint8_t harq_errors;       /* enum cell_errors */
	uint8_t harq_dl_rtt_tti;   /* at least, transmission to retransmission */
	uint8_t n_harq_bler;       /* entries; the last one holds for further attempts */
	uint32_t harq_bler_q32[CELL_HARQ_ATTEMPTS_MAX];
	uint32_t harq_nack_to_ack_q32;

	/* Control channels of the downlink, by its SINR. Source: R4-081920; Li et al, section I */
	uint8_t control_errors; /* 0 = none */
	uint8_t control_dtx;    /* enum cell_dtx */

	/* RLC. Source: TS 36.322; TS 36.331 RLC-Config. */
	uint8_t rlc_mode;         /* enum cell_rlc_mode */
	uint8_t delivery;         /* enum cell_delivery */
	uint16_t t_reordering_ms; /* 0..200; t-Reassembly of NR */
	uint32_t rlc_queue_pkts;  /* per bearer */
	uint32_t rlc_queue_bytes; /* and bytes, 0 = any number */
	uint8_t um_sn_bits;       /* 5 or 10; of NR 6 or 12 */
	uint8_t am_sn_bits;       /* of NR only: 12 or 18 */
	uint8_t am_on_max_retx;   /* enum cell_on_max_retx */
	uint8_t am_max_retx_threshold;
	uint16_t am_poll_pdu;
	uint32_t am_poll_byte;
	uint16_t am_t_poll_retransmit_ms;
	uint16_t am_t_status_prohibit_ms;
	uint16_t am_reestablish_ms; /* outage */

	/* PDCP. Source: TS 36.323. */
	uint8_t pdcp_sn_bits;      /* 7 or 12; of NR 12 or 18 */
	uint16_t discard_timer_ms; /* 0 = infinity */
	uint8_t pdcp_reordering;   /* in order again above RLC. Source: TS 38.323 5.2.2.2 */
	uint16_t pdcp_t_reordering_ms;
	uint8_t pdcp_t_reordering_infinite; /* of NR only */
	uint8_t pdcp_out_of_order_delivery; /* of NR only. Source: TS 38.323 5.2.2.1 */
	uint8_t pdcp_duplication;           /* of NR only. Source: TS 38.323 5.11 */
	uint8_t pdcp_status_report; /* the UE says after a handover what it has. Source: 5.3 */

	/* Bearers that are not as the above, in the order of their UEs; the caller's until
	 * cell_done(). Of one UE the first that takes a packet has it. */
	const struct cell_bearer_cfg *bearer;
	uint32_t n_bearers;

	/* Mode selection. Source: Nardini, section IV. */
	uint16_t mode_select_ms; /* every so long the mode with the higher CQI; 0 = never */
	uint8_t mode_flush;      /* enum cell_flush */
	uint8_t mode_flush_air;  /* blocks on the air are void, too; those of AM always are */

	/*
	 * UTRAN, in place of all above but n_ue, and of each UE but rnti. Rates are those of
	 * RLC PDUs: whole numbers of them in a TTI. Source: DeMey 2005 Table I; TS 25.322 9.5, 9.6
	 */
	uint8_t system; /* enum cell_system */
	uint8_t utran_tti_ms;
	uint16_t utran_pdu_bytes;
	uint32_t utran_dl_rate_bps;
	uint32_t utran_ul_rate_bps;
	uint16_t utran_delay_ms;    /* Iub and processing, one way */
	uint8_t utran_status;       /* enum cell_status */
	uint32_t utran_bler_dl_q32; /* of every block */
	uint32_t utran_bler_ul_q32;
	uint8_t utran_max_dat; /* MaxDAT: transmissions of a PDU before its SDUs are discarded */
	uint16_t utran_tx_window_pdus;
	uint16_t utran_poll_pdu; /* Poll_PDU, 0 = never */
	uint8_t utran_poll_window_percent;
	uint16_t utran_timer_poll_ms;
	uint16_t utran_timer_mrw_ms;
	uint16_t utran_timer_status_prohibit_ms;
	uint32_t utran_queue_pkts;

	/* Recorded links, in place of all above but n_ue, and of each UE but rnti and a link of its
	 * own. */
	struct cell_recorded recorded;

	/* Links of constant rate, in place of all above but n_ue, and of each UE but rnti. */
	uint32_t constant_dl_rate_bps;
	uint32_t constant_ul_rate_bps;
	uint16_t constant_delay_ms; /* one way, after a packet was sent */
	uint32_t constant_loss_dl_q32;
	uint32_t constant_loss_ul_q32;
	uint32_t constant_queue_pkts;

	/*
	 * NR, in place of n_rb, eNBs, tunnels, handover, the timeline, random access, MAC but
	 * the scheduler, the crowd, control and mode selection. Times are in slots where they say
	 * so. Source: TS 38.211 to 38.214, 38.321, 38.331
	 */
	uint8_t nr_numerology;      /* 15 kHz times 2^this; slots of 1 ms / 2^this */
	uint8_t nr_duplex;          /* enum cell_duplex */
	uint8_t nr_frequency_range; /* enum cell_frequency_range */
	uint16_t nr_bandwidth_mhz;  /* fixes the resource blocks */
	char nr_tdd_pattern[CELL_TDD_SLOTS_MAX + 1]; /* D, S, U for each slot of a period */
	uint8_t nr_tdd_special_dl_symbols;           /* at the start of S */
	uint8_t nr_tdd_special_ul_symbols;           /* at its end */
	uint8_t nr_mcs_table_dl;                     /* enum cell_mcs_table */
	uint8_t nr_mcs_table_ul;
	uint8_t nr_layers_dl; /* 1..4 */
	uint8_t nr_layers_ul;
	uint8_t nr_pdcch_symbols;         /* of each downlink slot */
	uint8_t nr_dmrs_symbols;          /* of each block */
	uint8_t nr_overhead_re;           /* of each block and PRB: 0, 6, 12, 18 */
	uint8_t nr_k0;                    /* slots: DL assignment to block */
	uint8_t nr_k1_min;                /* DL block to its feedback, at least */
	uint8_t nr_k2_min;                /* UL grant to block, at least */
	uint8_t nr_processing_capability; /* of UEs: 1 or 2 */
	uint16_t nr_gnb_processing_us;    /* end of an uplink slot to what was in it */
	uint8_t nr_harq_processes;        /* of a UE and direction, 1..16 */
	uint16_t nr_sr_period_slots;      /* 0: no scheduling requests */
	uint16_t nr_sr_prohibit_timer_ms;
	uint8_t nr_sr_trans_max;
	uint16_t nr_bsr_periodic_ms; /* 0: infinity */
	uint16_t nr_bsr_retx_ms;
	uint8_t nr_configured_grant; /* enum cell_configured_grant */
	uint16_t nr_cg_period_slots;
	uint16_t nr_cg_rb;
	uint8_t nr_cg_mcs;
	uint8_t nr_cg_processes;
	uint16_t nr_drx_cycle_ms;       /* long; 0: none */
	uint16_t nr_drx_short_cycle_ms; /* 0: none */
	uint8_t nr_drx_short_cycle_timer;
	uint16_t nr_drx_on_duration_ms;
	uint16_t nr_drx_inactivity_ms;
	uint16_t nr_drx_start_offset_ms;
	uint8_t nr_drx_harq_rtt_slots;
	uint16_t nr_drx_retx_slots;
	uint8_t nr_random_access; /* enum cell_random_access */
	uint16_t nr_prach_period_slots;
	uint8_t nr_n_preambles;
	uint8_t nr_preamble_trans_max;
	uint8_t nr_rar_delay_slots; /* preamble to answer, at least */
	uint8_t nr_response_window_slots;
	uint16_t nr_backoff_max_ms;
	uint8_t nr_contention_resolution_ms;
	uint8_t nr_ra_rb;      /* of message 3 and of MsgA */
	uint8_t nr_outer_loop; /* of link adaptation */
	uint32_t nr_target_bler_q32;
	uint16_t nr_outer_loop_step_cdb;
	uint8_t nr_sdap_header;
	uint8_t nr_aqm;        /* enum cell_aqm, of each bearer in the downlink */
	uint8_t nr_aqm_uplink; /* and in the uplink, at the UE */
	uint8_t nr_aqm_l4s_id; /* enum cell_l4s_id */
	uint32_t nr_aqm_mark_from_us;
	uint32_t nr_aqm_mark_range_us; /* so much later all are marked */
	uint16_t nr_aqm_target_ms;
	uint16_t nr_aqm_tupdate_ms;
	uint16_t nr_aqm_rtt_max_ms;
	uint8_t nr_aqm_coupling;
	uint16_t nr_aqm_shift_ms;

	uint32_t max_pkts; /* packets held at once, all bearers */
	uint32_t max_cmds; /* changes that cell_apply() takes before cell_advance() makes them */
};

/**
 * cell_cfg_default() - fill with Table 1 and Figure 4 of the paper
 * @cfg: filled with two UEs that are each other's peer, DM both ways, CQI 15
 */
void cell_cfg_default(struct cell_cfg *cfg);

/** cell_cfg_bearer() - RLC and PDCP of a bearer that has no settings of its own */
struct cell_bearer_cfg cell_cfg_bearer(const struct cell_cfg *cfg);

/**
 * cell_cfg_check() - validate a configuration
 * @cfg:       configuration
 * @ret_field: name of the first offending field, as in struct cell_cfg
 * @ret_range: allowed range, for people
 *
 * Return: 0, or -EINVAL with @ret_field and @ret_range set.
 */
int cell_cfg_check(const struct cell_cfg *cfg, const char **ret_field, const char **ret_range);

#endif
