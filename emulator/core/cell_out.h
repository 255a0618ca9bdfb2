/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_out.h - what comes out: packets, rows of radio.trace, PDUs for radio.pcap; see cellcore.h.
 */
#ifndef CELL_OUT_H
#define CELL_OUT_H

#include <stdint.h>

#include "cell_cfg.h"

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
	CELL_DROP_DUPLICATE, /* PDCP had received it before: a copy, or sent again */
	CELL_DROP_ECN,       /* marked in a tunnel, and its ends do not know ECN */
	CELL_DROP_NO_ROUTE,  /* no UE with that address, or no such tunnel */
	CELL_DROP_AQM,       /* by the queue management of a bearer */
	CELL_DROP_FLUSH,     /* by CELL_CMD_FLUSH */
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
	CELL_EV_MAC_RX, /* MAC PDU decoded: sn = sub-frame of this attempt */
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
	CELL_EV_FLUSH,             /* a direction was emptied: bytes, value = packets */
	CELL_EV_CHANNEL,           /* a direction's CQI changed: cqi, value = SINR in centi-dB */
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
	CELL_EV_SR, /* NR: UE sent a Scheduling Request: sn = slot, value = SR_COUNTER after */
	CELL_EV_HARQ_FEEDBACK, /* NR: gNB has a UE's feedback for downlink blocks: sn = slot, value
	                          = ACKs, aux = NACKs */
	CELL_EV_RA_END,        /* NR: random access is over: sn = RAPID, value = preambles */
	CELL_EV_CG_ACTIVE,     /* NR: configured grant of type 2 made active: sn = first slot, rb,
	                          bytes, mcs, value = period in slots */
	CELL_EV_PDCP_COPY,     /* NR: one of two copies of a packet ended, and the other one is or
	                          was there: bytes, pkt, tag, value = enum cell_drop */
	CELL_EV_ECN_MARK,      /* a packet got the mark CE when it left its queue: bytes, pkt, tag,
	                          value = us that it waited, aux = 1 when the other queue of
	                          DualPI2 was the reason */
	CELL_EV_COUNT
};

/* Steps of a handover. Source: TS 36.300 10.1.2.1.1; TS 38.300 9.2.3.2, 9.2.3.4; Pacifico, Figures
 * 2, 5 and 6 */
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
	CELL_RRC_CONDITIONAL_RECONFIGURATION,
	CELL_RRC_CONDITION_MET,
	CELL_RRC_HANDOVER_SUCCESS,
	CELL_RRC_EARLY_STATUS_TRANSFER,
	CELL_RRC_DAPS_SOURCE_RELEASE,
	CELL_RRC_RADIO_LINK_FAILURE, /* at the UE: aux = enum link_cause */
	CELL_RRC_MESSAGE_LOST,       /* where it was to be heard */
	CELL_RRC_CELL_SELECTED,      /* by a UE whose link failed */
	CELL_RRC_IDLE,               /* T311 or T301 expired: no cell has its context any more */
	CELL_RRC_REESTABLISHMENT_REQUEST,
	CELL_RRC_REESTABLISHED,
	CELL_RRC_SETUP_REQUEST,
	CELL_RRC_SETUP_COMPLETE,
	CELL_RRC_SGNB_ADDITION_REQUEST,
	CELL_RRC_SGNB_ADDITION_REQUEST_ACK,
	CELL_RRC_SCG_CONFIGURATION,
	CELL_RRC_SCG_FAILURE_INFORMATION, /* aux = enum link_cause */
	CELL_RRC_SGNB_RELEASE_REQUEST,
	CELL_RRC_SCG_RELEASE,
	CELL_RRC_COUNT
};

/* What a tunnel's packet is. */
enum cell_tunnel { CELL_TUNNEL_S1, CELL_TUNNEL_X2, CELL_TUNNEL_END_MARKER, CELL_TUNNEL_COUNT };

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
	uint8_t node; /* where it happened: 0 = eNB, 112 = S-GW, else UE number */
	uint8_t peer; /* the other end of the direction */
	uint8_t dir;  /* enum cell_dir */
	uint8_t lcid;
	uint8_t mcs;
	uint8_t cqi;
	uint8_t aux;
	uint8_t enb;    /* whose cell it happened in, from 0 */
	uint32_t block; /* transport block it is about or came of, from 1; 0 = none */
};
_Static_assert(sizeof(struct cell_record) == 48, "radio.trace record");

/* What a radio.pcap frame needs besides the PDU bytes. */
struct cell_pdu_info {
	uint8_t dir;       /* enum cell_dir; SL is shown as UL of the sender */
	uint8_t ue;        /* UE number, 1.. */
	uint8_t rnti_type; /* Wireshark: 2 RA-RNTI, 3 C-RNTI, 5 CS-RNTI */
	uint8_t mcs;
	uint16_t n_rb;
	uint16_t rb_start;
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
	uint32_t subframe; /* absolute sub-frame number since start; with NR slot number */
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

/** Names for logs and trace headers; static_assert keeps them complete. */
CELL_EXPORT const char *cell_drop_name(enum cell_drop reason);
CELL_EXPORT const char *cell_event_name(enum cell_event event);
CELL_EXPORT const char *cell_mode_name(enum cell_mode mode);
CELL_EXPORT const char *cell_dir_name(enum cell_dir dir);
CELL_EXPORT const char *cell_rrc_name(enum cell_rrc_msg msg);
CELL_EXPORT const char *cell_tunnel_name(enum cell_tunnel kind);

#endif
