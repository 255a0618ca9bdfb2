/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_cfg_link.h - networks whose UEs share nothing; see cell_cfg.h. */
#ifndef CELL_CFG_LINK_H
#define CELL_CFG_LINK_H

#include <stdint.h>

#include "cell_kinds.h"

/* The delay of a link from a time on. */
struct cell_delay {
	uint32_t at_ms; /* since sub-frame 0 */
	uint32_t delay_us;
};

/*
 * What becomes of the packets of one direction after they were sent; all zero: nothing. Parameters
 * are those of tc-netem(8). Traces are the caller's until cell_done(); see ran/independent/netem.h.
 */
struct cell_netem {
	uint8_t loss; /* enum cell_netem_loss */
	uint32_t random_q32;
	uint32_t p13_q32; /* state: from state 1, all well, to 3, a burst of losses */
	uint32_t p31_q32;
	uint32_t p32_q32; /* to state 2, a packet that is not lost within a burst */
	uint32_t p23_q32;
	uint32_t p14_q32;  /* to state 4, a loss by itself */
	uint32_t p_q32;    /* gemodel: from the good state to the bad one */
	uint32_t r_q32;    /* and back */
	uint32_t bad_q32;  /* lost in the bad state, 1 - h */
	uint32_t good_q32; /* lost in the good state, 1 - k */
	uint32_t delay_us; /* on top of the link's */
	uint32_t jitter_us;
	uint32_t jitter_correlation_q32;
	uint8_t distribution; /* enum cell_netem_distribution */
	uint32_t reorder_q32; /* not delayed */
	uint32_t reorder_correlation_q32;
	uint16_t reorder_gap; /* only each so many-th packet is a candidate */
	uint32_t duplicate_q32;
	uint32_t duplicate_correlation_q32;
	uint32_t slot_us;      /* from the first packet that waits for a slot to it, at least */
	uint32_t slot_more_us; /* and at most so much more; both 0: no slots */
	uint32_t slot_packets; /* that leave in a slot, 0 = any number */
	uint32_t slot_bytes;
	uint32_t corrupt_q32; /* a bit of it is another one */
	uint32_t corrupt_correlation_q32;

	const struct cell_delay *delay; /* on top of delay_us; the last one is the period */
	uint32_t n_delays;
	const uint8_t *lost; /* of each packet in turn, 1: it is lost */
	uint32_t n_lost;
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

	struct cell_netem netem;
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
	struct cell_netem netem[2]; /* CELL_DIR_UL, CELL_DIR_DL */
};

#endif
