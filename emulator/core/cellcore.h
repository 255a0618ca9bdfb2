/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cellcore.h - the radio network as a pure state machine.
 *
 * The contract about time
 * -----------------------
 * The core never reads a clock, performs no I/O, keeps no global state and
 * allocates nothing after cell_init(). Every entry point takes a monotone
 * now_ns. The same configuration, seed and sequence of calls give the same
 * outputs, byte for byte, on any compiler and optimisation level. Hence
 * integers everywhere: times in ns, sizes in bytes, probabilities in Q32.
 *
 * A shell (celld, cellsim, a test) does four things in a loop:
 *
 *     cell_push()     hand over the packets that arrived, with their time
 *     cell_advance()  process every event up to now, each at its own time;
 *                     perform the outputs; repeat while it says -EAGAIN
 *     cell_next()     ask when the next event is due, or CELL_NEVER
 *     wait            until then or until a packet arrives
 *
 * Idle sub-frames cost nothing: cell_next() jumps over them. Splitting one
 * advance into many changes nothing but the batching of the outputs.
 *
 * Conservation: packets pushed + originated = delivered + dropped (by reason)
 * + terminated + held, always; checked after every event in debug builds. A
 * packet that enters or leaves a tunnel leaves the core and comes in again.
 */
#ifndef CELLCORE_H
#define CELLCORE_H

#include <stddef.h>
#include <stdint.h>

#define CELL_NEVER             INT64_MAX
#define CELL_TTI_NS            INT64_C(1000000)
#define CELL_MAX_UE            16
#define CELL_MAX_RB            110
#define CELL_MAX_ENB           4
#define CELL_UE_MTU_MAX        1500 /* IP packets of UEs */
#define CELL_MTU_MAX           1600 /* with the headers of a tunnel */
#define CELL_MAX_CARRIERS      5
#define CELL_HARQ_ATTEMPTS_MAX 8
#define CELL_NODE_ENB          0 /* any eNB, see `enb`; UEs are nodes 1..n_ue */
#define CELL_NODE_SGW          0x40
#define CELL_SINR_UNKNOWN      INT32_MIN

/* Ports are numbered like their UE; with this bit it is the port behind the
 * eNB for packets to and from that UE: its network side. */
#define CELL_PORT_NETWORK 0x80
#define CELL_PEER_NETWORK 0 /* peer of a UE that talks to the network */

/* With a core network there are instead the ends of its GTP-U tunnels: the
 * S-GW, where UEs' packets also enter and leave, and the eNBs, from 0. */
#define CELL_PORT_SGW    0x40
#define CELL_PORT_ENB(k) (0x41 + (k))

/* How a UE's outgoing traffic is routed. Source: Nardini, section II. */
enum cell_mode {
	CELL_MODE_IM, /* infrastructure: uplink to the eNB, downlink to the peer */
	CELL_MODE_DM, /* direct: sidelink to the peer, granted by the eNB */
	CELL_MODE_COUNT
};

/* Radio directions. Values of UL and DL are those of Wireshark's mac-lte. */
enum cell_dir { CELL_DIR_UL, CELL_DIR_DL, CELL_DIR_SL, CELL_DIR_COUNT };

/* The radio network. The UTRAN's is one UE on a dedicated channel: see utran.h. */
enum cell_system { CELL_SYSTEM_LTE, CELL_SYSTEM_UTRAN, CELL_SYSTEM_COUNT };

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

/* RLC of every bearer. Source: TS 36.322 4.2.1 */
enum cell_rlc_mode { CELL_RLC_UM, CELL_RLC_AM, CELL_RLC_MODE_COUNT };

/* When RLC hands up what it received. Source: Park 2013, section 4 */
enum cell_delivery {
	CELL_DELIVERY_IN_SEQUENCE,     /* after everything before it: the standard */
	CELL_DELIVERY_OUT_OF_SEQUENCE, /* as soon as an SDU is complete */
	CELL_DELIVERY_COUNT
};

/* What follows when an AM PDU was retransmitted maxRetxThreshold times in vain. */
enum cell_on_max_retx {
	CELL_MAX_RETX_REESTABLISH, /* after an outage both ends begin anew; what did not arrive is
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

/* Why a packet did not arrive. Every drop is counted under one of these. */
enum cell_drop {
	CELL_DROP_NONE,
	CELL_DROP_QUEUE_FULL,   /* RLC transmission buffer at its limit */
	CELL_DROP_RADIO_LOSS,   /* MAC PDU lost for good on the air */
	CELL_DROP_RLC_DISCARD,  /* RLC receiver gave up reassembly */
	CELL_DROP_PDCP_DISCARD, /* PDCP: discardTimer expired before transmission, or received too
	                           late */
	CELL_DROP_MODE_SWITCH,  /* flushed when its UE's mode changed */
	CELL_DROP_RADIO_LINK_FAILURE, /* bearer stopped at maxRetxThreshold */
	CELL_DROP_SHUTDOWN,           /* still held when cell_done() was called */
	CELL_DROP_HANDOVER,  /* given up at a handover: not forwarded, or on the air in UM */
	CELL_DROP_DUPLICATE, /* PDCP had received it before the handover */
	CELL_DROP_ECN,       /* marked in a tunnel, and its ends do not know ECN */
	CELL_DROP_NO_ROUTE,  /* no UE with that address, or no such tunnel */
	CELL_DROP_COUNT
};

/* Rows of radio.trace: what happened. */
enum cell_event {
	CELL_EV_NONE,
	CELL_EV_PKT_IN,       /* packet entered at a UE or at the eNB: bytes, pkt, tag */
	CELL_EV_PKT_OUT,      /* packet left at its end: bytes, pkt, tag, value = delay us */
	CELL_EV_PKT_DROP,     /* packet dropped: value = enum cell_drop */
	CELL_EV_RA_PREAMBLE,  /* UE sent a preamble: sn = RAPID, value = attempt */
	CELL_EV_RA_COLLISION, /* eNB saw one RAPID from several UEs: sn = RAPID */
	CELL_EV_RA_RESPONSE,  /* eNB sent RAR with an UL grant: sn = RAPID, rb, bytes, value = TTIs
	                         to the transmission */
	CELL_EV_RA_TIMEOUT,   /* UE's RAC timeout expired unanswered: value = backoff ms */
	CELL_EV_BSR_TX, /* UE put a BSR in a MAC PDU: sn = LCG, value = BSR index, bytes = true
	                   buffer */
	CELL_EV_BSR_RX, /* eNB decoded a BSR: sn = LCG, value = BSR index */
	CELL_EV_GRANT,  /* eNB granted: rb, bytes = TBS, mcs, cqi, value = TTIs to the transmission
	                 */
	CELL_EV_MAC_TX, /* MAC PDU on the air: sn = sub-frame, bytes = TBS, rb, mcs, value = padding
	                   bytes, aux = 1 for the grant of a RAR */
	CELL_EV_MAC_RX, /* MAC PDU decoded: sn = sub-frame of its transmission */
	CELL_EV_MAC_LOST, /* MAC PDU lost for good: sn likewise */
	CELL_EV_RLC_TX, /* one row per SDU with bytes in an RLC PDU: sn, bytes = PDU size, pkt, tag,
	                   value = bytes of this SDU, aux = 1 when its last byte is among them */
	CELL_EV_RLC_RX, /* RLC PDU received: sn, bytes */
	CELL_EV_RLC_DISCARD,  /* RLC receiver discarded a PDU or partial SDU: sn, bytes */
	CELL_EV_T_REORDERING, /* t-Reordering expired: sn = vr_ur after */
	CELL_EV_BUFFER,       /* transmission buffer after a change: bytes, value = packets */
	CELL_EV_ROUTE,        /* UE's mode changed: value = enum cell_mode */
	CELL_EV_HARQ_NACK, /* block not decoded, to be sent again: sn = sub-frame, value = attempt,
	                      aux = 2 when its assignment was missed */
	CELL_EV_HARQ_TX,   /* block sent again: sn = sub-frame, bytes, rb, mcs, value = attempt */
	CELL_EV_HARQ_FAILURE, /* HARQ gave up, before mac_lost: sn = sub-frame, value = attempt, aux
	                         = 1 when a NACK was read as ACK, 2 when its assignment
	                         was missed */
	CELL_EV_RLC_RETX, /* AM PDU or segment sent again: sn, bytes, value = SO, aux = RETX_COUNT
	                   */
	CELL_EV_RLC_POLL, /* the PDU just sent polls: sn */
	CELL_EV_RLC_STATUS_TX,      /* STATUS PDU sent: sn = ACK_SN, bytes, value = NACKs */
	CELL_EV_RLC_STATUS_RX,      /* STATUS PDU received: likewise */
	CELL_EV_T_POLL_RETRANSMIT,  /* expired: sn = POLL_SN */
	CELL_EV_RADIO_LINK_FAILURE, /* maxRetxThreshold reached: value = enum cell_on_max_retx */
	CELL_EV_REESTABLISHED,     /* the outage is over: bytes, value = packets to be sent again */
	CELL_EV_PDCP_T_REORDERING, /* PDCP's t-Reordering expired: sn = RX_DELIV after */
	CELL_EV_FLUSH,             /* a leg was emptied: bytes, value = packets */
	CELL_EV_CHANNEL,           /* a leg's CQI changed: cqi, value = SINR in centi-dB */
	CELL_EV_RRC, /* a step of a handover, at `enb`: value = enum cell_rrc_msg, sn = the other
	                eNB */
	CELL_EV_GTPU_TX,    /* a packet entered a tunnel: sn = TEID, bytes, pkt, tag, value = enum
	                       cell_tunnel, peer = UE */
	CELL_EV_GTPU_RX,    /* a packet left a tunnel: likewise */
	CELL_EV_HO_FORWARD, /* the source sends a packet to eNB `aux`: bytes, pkt, tag, sn = PDCP
	                       SN, value = 1 when it has one */
	CELL_EV_HO_HOLD, /* packets that wait at an eNB for a UE or for an End Marker: bytes, value
	                    = packets */
	CELL_EV_CONTROL_MISSED, /* UE missed PCFICH or PDCCH, and all DCIs to it: sn = sub-frame,
	                           cqi,    value = SINR in centi-dB */
	CELL_EV_COUNT
};

/* Steps of a handover. Source: TS 36.300 10.1.2.1.1; Pacifico, Figures 2, 5 and 6 */
enum cell_rrc_msg {
	CELL_RRC_NONE,
	CELL_RRC_MEASUREMENT_REPORT,
	CELL_RRC_HANDOVER_DECISION,
	CELL_RRC_HANDOVER_REQUEST,
	CELL_RRC_HANDOVER_REQUEST_ACK,
	CELL_RRC_HANDOVER_COMMAND,
	CELL_RRC_DETACH,
	CELL_RRC_SN_STATUS_TRANSFER,
	CELL_RRC_SYNCHRONISED,
	CELL_RRC_HANDOVER_CONFIRM,
	CELL_RRC_PATH_SWITCH_REQUEST,
	CELL_RRC_USER_PLANE_UPDATE_REQUEST,
	CELL_RRC_PATH_SWITCHED,
	CELL_RRC_USER_PLANE_UPDATE_REPLY,
	CELL_RRC_PATH_SWITCH_REQUEST_ACK,
	CELL_RRC_RELEASE_RESOURCE,
	CELL_RRC_PREDICTED,
	CELL_RRC_PREDICTION_EXPIRED,
	CELL_RRC_HANDOVER_CANCEL,
	CELL_RRC_COUNT
};

/* What a tunnel's packet is. */
enum cell_tunnel { CELL_TUNNEL_S1, CELL_TUNNEL_X2, CELL_TUNNEL_END_MARKER, CELL_TUNNEL_COUNT };

/* When the S-GW sends downlink packets to the target. Source: Pacifico, section V.A */
enum cell_ho_procedure {
	CELL_HO_STANDARD,         /* after the UE has confirmed the handover there */
	CELL_HO_FAST_PATH_SWITCH, /* from the handover command on */
	CELL_HO_PREDICTION,       /* before the handover, when it is predicted */
	CELL_HO_PROCEDURE_COUNT
};

/* One row of radio.trace. Fields without meaning for an event are 0. */
struct cell_record {
	int64_t t_ns; /* scheduled time of the event */
	uint64_t tag; /* as given to cell_push() */
	uint32_t pkt; /* packet number, from 1 in order of cell_push() */
	uint32_t bytes;
	uint32_t sn;
	int32_t value;
	uint16_t event; /* enum cell_event */
	uint16_t rb;
	uint8_t node; /* where it happened: 0 = eNB, 64 = S-GW, else UE number */
	uint8_t peer; /* the other end of the leg */
	uint8_t dir;  /* enum cell_dir */
	uint8_t lcid;
	uint8_t mcs;
	uint8_t cqi;
	uint8_t aux;
	uint8_t enb; /* whose cell it happened in, from 0 */
	uint8_t reserved[4];
};
_Static_assert(sizeof(struct cell_record) == 48, "radio.trace record");

/* What a radio.pcap frame needs besides the PDU bytes. */
struct cell_pdu_info {
	uint8_t dir;       /* enum cell_dir; SL is shown as UL of the sender */
	uint8_t ue;        /* UE number, 1.. */
	uint8_t rnti_type; /* Wireshark: 2 RA-RNTI, 3 C-RNTI */
	uint8_t mcs;
	uint8_t n_rb;
	uint8_t rb_start;
	uint8_t harq_id;
	uint8_t ndi;
	uint8_t attempt;  /* HARQ transmission, from 1 */
	uint8_t carrier;  /* 0 = primary */
	uint8_t codeword; /* transport block of the sub-frame, 0 or 1 */
	uint8_t itbs;
	uint8_t preamble; /* 1: out-of-band row, no PDU; rapid and attempt valid */
	uint8_t rapid;
	uint8_t ra_attempt;
	uint8_t crc_ok;
	uint8_t enb; /* whose cell, from 0 */
	uint16_t rnti;
	uint32_t subframe; /* absolute sub-frame number since start */
};

enum cell_out_type {
	CELL_OUT_DELIVER, /* packet for `port`: data, len, tag, pkt */
	CELL_OUT_DROP,    /* packet from `port` dropped: reason */
	CELL_OUT_PDU,     /* MAC PDU for radio.pcap: data, len, info */
	CELL_OUT_RECORD,  /* row for radio.trace */
};

/* One output. `data` stays valid until the next call on the same cell. */
struct cell_out {
	enum cell_out_type type;
	uint8_t port;   /* of a PDU: its UE */
	uint8_t reason; /* enum cell_drop */
	uint32_t pkt;
	uint64_t tag;
	int64_t t_ns;
	const uint8_t *data;
	uint32_t len;
	union {
		struct cell_pdu_info info;
		struct cell_record record;
	};
};

struct cell_ue_cfg {
	uint16_t rnti;  /* C-RNTI, 1..65523 */
	uint8_t peer;   /* UE number its traffic goes to, or CELL_PEER_NETWORK */
	uint8_t mode;   /* enum cell_mode of its outgoing traffic; IM for the network */
	uint8_t enb;    /* that serves it at the start, 0..n_enb - 1 */
	uint8_t weight; /* of its flows in CELL_SCHED_WFQ, 1..255; 0 counts as 1 */
	uint32_t addr;  /* IPv4, host order; its tunnels are found by it; 0 = none */
	uint8_t cqi_ul; /* 1..15 */
	uint8_t cqi_dl;
	uint8_t cqi_sl;       /* of its own transmissions to the peer */
	uint32_t bler_ul_q32; /* residual block error rate, 0 = none */
	uint32_t bler_dl_q32;
	uint32_t bler_sl_q32;
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
	uint16_t ho_end_marker_ms;         /* the target waits that long in vain */
	uint32_t ho_signalling_us;         /* one way: X2AP, S1AP */

	/* Timeline, in TTIs. Source: Nardini, Figure 4. */
	uint8_t rar_delay_tti;       /* preamble to RAR */
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
	uint16_t t_reordering_ms; /* 0..200 */
	uint32_t rlc_queue_pkts;  /* per bearer */
	uint32_t rlc_queue_bytes; /* and bytes, 0 = any number */
	uint8_t um_sn_bits;       /* 5 or 10 */
	uint8_t am_on_max_retx;   /* enum cell_on_max_retx */
	uint8_t am_max_retx_threshold;
	uint16_t am_poll_pdu;
	uint32_t am_poll_byte;
	uint16_t am_t_poll_retransmit_ms;
	uint16_t am_t_status_prohibit_ms;
	uint16_t am_reestablish_ms; /* outage */

	/* PDCP. Source: TS 36.323. */
	uint8_t pdcp_sn_bits;      /* 7 or 12 */
	uint16_t discard_timer_ms; /* 0 = infinity */
	uint8_t pdcp_reordering;   /* in order again above RLC. Source: TS 38.323 5.2.2.2 */
	uint16_t pdcp_t_reordering_ms;

	/* Mode selection. Source: Nardini, section IV. */
	uint16_t mode_select_ms; /* every so long the mode with the higher CQI; 0 = never */
	uint8_t mode_flush;      /* enum cell_flush */
	uint8_t mode_flush_air;  /* blocks on the air are void, too; those of AM always are */

	/*
	 * UTRAN, in place of all above but n_ue (1), and of each UE but rnti. Rates are those of
	 * RLC PDUs: whole numbers of them in a TTI. Source: DeMey 2005 Table I; TS 25.322 9.5, 9.6
	 */
	uint8_t system; /* enum cell_system */
	uint8_t utran_tti_ms;
	uint16_t utran_pdu_bytes;
	uint32_t utran_dl_rate_bps;
	uint32_t utran_ul_rate_bps;
	uint16_t utran_delay_ms;    /* Iub and processing, one way */
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

	uint32_t max_pkts; /* packets held at once, all bearers */
};

enum cell_sched { CELL_SCHED_RR, CELL_SCHED_WFQ, CELL_SCHED_COUNT };

enum cell_cmd_type {
	CELL_CMD_ROUTE,    /* `ue` changes to `mode` */
	CELL_CMD_CHANNEL,  /* the leg `dir` of `ue` has `cqi` from now on */
	CELL_CMD_PREDICT,  /* `ue` is going to be handed over to `enb` */
	CELL_CMD_HANDOVER, /* `ue` is handed over to `enb`; waits for the end of one under way */
	CELL_CMD_COUNT
};

struct cell_cmd {
	enum cell_cmd_type type;
	uint8_t ue;
	uint8_t mode;
	uint8_t dir;
	uint8_t cqi;      /* 0..15; 0 = out of range, nothing is sent */
	uint8_t enb;      /* from 0 */
	int32_t sinr_cdb; /* in centi-dB, or CELL_SINR_UNKNOWN */
};

struct cell_stats {
	uint64_t pkts_in;
	uint64_t pkts_delivered;
	uint64_t pkts_held;
	uint64_t pkts_dropped[CELL_DROP_COUNT];
	uint64_t bytes_in;
	uint64_t bytes_delivered;
	uint64_t mac_pdus[CELL_DIR_COUNT];
	uint64_t mac_bytes[CELL_DIR_COUNT];
	uint64_t mac_padding_bytes[CELL_DIR_COUNT];
	uint64_t mac_lost[CELL_DIR_COUNT];
	uint64_t harq_retx[CELL_DIR_COUNT];     /* transmissions after the first */
	uint64_t harq_failures[CELL_DIR_COUNT]; /* blocks HARQ gave up */
	uint64_t rlc_pdus_tx;
	uint64_t rlc_pdus_rx;
	uint64_t rlc_retx;      /* AM PDUs and segments sent again */
	uint64_t rlc_status_tx; /* STATUS PDUs */
	uint64_t rlc_status_rx;
	uint64_t radio_link_failures;
	uint64_t control_missed; /* sub-frames with a DCI for a UE that did not get it */
	uint64_t mode_switches;
	uint64_t handovers; /* UEs that synchronised with another eNB */
	uint64_t path_switches;
	uint64_t pkts_originated; /* inside: End Markers, copies of what no receiver confirmed */
	uint64_t pkts_terminated; /* inside: End Markers */
	uint64_t gtpu_tx[CELL_TUNNEL_COUNT];
	uint64_t gtpu_rx[CELL_TUNNEL_COUNT];
	uint64_t ra_preambles;
	uint64_t ra_collisions;
	uint64_t ra_timeouts;
	uint64_t bsrs;
	uint64_t grants;
	uint64_t ttis_active;
};

struct cell;

/**
 * cell_cfg_default() - fill with Table 1 and Figure 4 of the paper
 * @cfg: filled with two UEs that are each other's peer, DM both ways, CQI 15
 */
void cell_cfg_default(struct cell_cfg *cfg);

/**
 * cell_cfg_check() - validate a configuration
 * @cfg:       configuration
 * @ret_field: name of the first offending field, as in struct cell_cfg
 * @ret_range: allowed range, for people
 *
 * Return: 0, or -EINVAL with @ret_field and @ret_range set.
 */
int cell_cfg_check(const struct cell_cfg *cfg, const char **ret_field, const char **ret_range);

/** cell_size() - bytes of memory that cell_init() needs for @cfg */
size_t cell_size(const struct cell_cfg *cfg);

/** cell_out_min() - smallest output array cell_advance() accepts for @cfg */
size_t cell_out_min(const struct cell_cfg *cfg);

/**
 * cell_init() - build a cell in the caller's memory
 * @ret:      the cell, inside @mem
 * @mem:      at least cell_size(@cfg) bytes, aligned for any type
 * @size:     bytes at @mem
 * @cfg:      copied
 * @start_ns: begin of sub-frame 0
 *
 * Return: 0, -EINVAL for a bad configuration, -ENOMEM if @mem is too small.
 */
int cell_init(struct cell **ret, void *mem, size_t size, const struct cell_cfg *cfg,
              int64_t start_ns);

/**
 * cell_push() - a packet arrives at a port
 * @port:   UE number, 1..n_ue; with CELL_PORT_NETWORK the network side of that UE;
 *          or CELL_PORT_SGW, CELL_PORT_ENB(k)
 * @data:   IP packet, copied
 * @len:    1..CELL_UE_MTU_MAX bytes, at the core network's ports 1..CELL_MTU_MAX
 * @tag:    opaque, echoed in outputs and records
 * @now_ns: arrival time; not before any earlier call's time
 *
 * The packet enters at its own time when cell_advance() comes to it. A full
 * RLC buffer then drops it, with an output. When max_pkts are held already it
 * is counted as dropped at once, without one.
 *
 * Return: 0, -EINVAL (no such port, or before an earlier call's time),
 * -EMSGSIZE, -ENOBUFS (dropped at once).
 */
int cell_push(struct cell *c, uint8_t port, const void *data, size_t len, uint64_t tag,
              int64_t now_ns);

/** cell_next() - time of the next event, or CELL_NEVER; no side effect */
int64_t cell_next(const struct cell *c);

/**
 * cell_next_output() - earliest time at which a packet can leave, or CELL_NEVER
 *
 * A lower bound, never before cell_next(). What happens until then stays
 * inside the cell, at its own times, and may be processed later: a shell that
 * sleeps until this time delivers every packet on time with fewer wake-ups.
 */
int64_t cell_next_output(const struct cell *c);

/**
 * cell_advance() - process every event due up to @now_ns
 * @out:   array of @n_out, at least cell_out_min()
 * @ret_n: outputs written, in order of time
 *
 * Return: 0 when done, -EAGAIN when the array is full (perform the outputs
 * and call again with the same time), -EINVAL for a short array or a time
 * before an earlier call's.
 */
int cell_advance(struct cell *c, int64_t now_ns, struct cell_out *out, size_t n_out, size_t *ret_n);

/**
 * cell_apply() - a scripted change; cell_advance() carries it out at @now_ns
 *
 * Return: 0, -EINVAL, -ENOBUFS when 64 changes wait already.
 */
int cell_apply(struct cell *c, const struct cell_cmd *cmd, int64_t now_ns);

/** cell_stats() - snapshot of the counters */
void cell_stats(const struct cell *c, struct cell_stats *ret);

/** cell_digest() - 64-bit hash of the state, for tests */
uint64_t cell_digest(const struct cell *c);

/**
 * cell_done() - give back every held packet as a CELL_DROP_SHUTDOWN output
 *
 * Return and arguments as cell_advance(); afterwards only cell_stats() may be
 * called.
 */
int cell_done(struct cell *c, struct cell_out *out, size_t n_out, size_t *ret_n);

/** Names for logs and trace headers; static_assert keeps them complete. */
const char *cell_drop_name(enum cell_drop reason);
const char *cell_event_name(enum cell_event event);
const char *cell_mode_name(enum cell_mode mode);
const char *cell_dir_name(enum cell_dir dir);
const char *cell_rrc_name(enum cell_rrc_msg msg);
const char *cell_tunnel_name(enum cell_tunnel kind);

#endif
