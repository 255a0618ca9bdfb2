/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_cfg_link.h - networks whose UEs share nothing; see cell_cfg.h. */
#ifndef CELL_CFG_LINK_H
#define CELL_CFG_LINK_H

#include <stdint.h>

#include "cell_kinds.h"

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

/*
 * Dedicated channels of the UTRAN. Rates are those of RLC PDUs: whole numbers of them in a TTI.
 * Source: DeMey 2005 Table I; TS 25.322 9.5, 9.6
 */
struct cell_utran_cfg {
	uint8_t tti_ms;
	uint16_t pdu_bytes;
	uint32_t dl_rate_bps;
	uint32_t ul_rate_bps;
	uint16_t delay_ms;    /* Iub and processing, one way */
	uint8_t status;       /* enum cell_status */
	uint32_t bler_dl_q32; /* of every block */
	uint32_t bler_ul_q32;
	uint8_t max_dat; /* MaxDAT: transmissions of a PDU before its SDUs are discarded */
	uint16_t tx_window_pdus;
	uint16_t poll_pdu; /* Poll_PDU, 0 = never */
	uint8_t poll_window_percent;
	uint16_t timer_poll_ms;
	uint16_t timer_mrw_ms;
	uint16_t timer_status_prohibit_ms;
	uint32_t queue_pkts;
};

/* Links of constant rate. */
struct cell_constant_cfg {
	uint32_t dl_rate_bps;
	uint32_t ul_rate_bps;
	uint16_t delay_ms; /* one way, after a packet was sent */
	uint32_t loss_dl_q32;
	uint32_t loss_ul_q32;
	uint32_t queue_pkts;
};

#endif
