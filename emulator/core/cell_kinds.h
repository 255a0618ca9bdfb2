/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_kinds.h - what there is of each kind in a radio network, and at most; see cell_cfg.h. */
#ifndef CELL_KINDS_H
#define CELL_KINDS_H

#include "cell_sched.h"

/* What a program around the core may call. All else is hidden in a shared library. */
#ifndef CELL_EXPORT
#define CELL_EXPORT __attribute__((visibility("default")))
#endif

#define CELL_MAX_UE            100
#define CELL_MAX_RB            110
#define CELL_MAX_ENB           4
#define CELL_MAX_CARRIERS      5 /* of LTE */
#define CELL_MAX_NR_CARRIERS   4
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
	SYSTEM(CELL_SYSTEM_NR, nr)                  /* 5G */                                       \
	SYSTEM(CELL_SYSTEM_EN_DC, en_dc)            /* of LTE and NR together */
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

/* Which cells have the context of a UE that asks for re-establishment. Source: TS 36.300 10.1.6; TS
 * 38.300 9.2.3.3 */
enum cell_context {
	CELL_CONTEXT_PREPARED, /* the one where it was, and those that were asked to take it over */
	CELL_CONTEXT_FETCH,    /* all: others ask the one where it was */
	CELL_CONTEXT_NONE,
	CELL_CONTEXT_COUNT
};

#define CELL_RSRP_RANGE_DBM (-156) /* of RSRP-Range 0. Source: TS 38.331 RSRP-Range */

/* How packets are lost on a link; see struct cell_netem. Source: tc-netem(8) */
enum cell_netem_loss {
	CELL_NETEM_LOSS_NONE,
	CELL_NETEM_LOSS_RANDOM,  /* each by itself */
	CELL_NETEM_LOSS_STATE,   /* by a Markov chain of four states */
	CELL_NETEM_LOSS_GEMODEL, /* Gilbert and Elliott: two states, each with its own probability
	                          */
	CELL_NETEM_LOSS_COUNT
};

/* Of the jitter of a link. Source: tc-netem(8) */
enum cell_netem_distribution {
	CELL_NETEM_UNIFORM,
	CELL_NETEM_NORMAL,
	CELL_NETEM_PARETO,
	CELL_NETEM_PARETO_NORMAL,
	CELL_NETEM_DISTRIBUTION_COUNT
};

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

/* The two of dual connectivity. Source: TS 37.340 3.1 */
enum cell_group { CELL_GROUP_MCG, CELL_GROUP_SCG, CELL_GROUP_COUNT };
#define CELL_EN_DC_GNB 1 /* its number among the base stations of EN-DC; the eNB is 0 */

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
	CELL_AQM_CODEL,
	CELL_AQM_FQ_CODEL,
	CELL_AQM_PIE,
	CELL_AQM_COUNT
};

/* Queue disciplines, by their names in Linux. Source: tc(8) */
enum cell_qdisc_kind {
	CELL_QDISC_PFIFO,
	CELL_QDISC_CODEL,    /* RFC 8289 */
	CELL_QDISC_FQ_CODEL, /* RFC 8290 */
	CELL_QDISC_PIE,      /* RFC 8033 */
	CELL_QDISC_DUALPI2,  /* RFC 9332 */
	CELL_QDISC_COUNT
};

/* Which packets are L4S. Source: RFC 9331 2; sch_dualpi2 of Linux */
enum cell_l4s_id { CELL_L4S_ECT_1, CELL_L4S_ANY_ECT, CELL_L4S_ID_COUNT };

/* What modelled UEs have to send. */
enum cell_crowd_arrival {
	CELL_CROWD_POISSON,     /* bursts, each UE's a Poisson process */
	CELL_CROWD_FULL_BUFFER, /* always something */
	CELL_CROWD_READING,     /* a burst, then a pause once it was served, then the next one */
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

#endif
