/* SPDX-License-Identifier: GPL-2.0-or-later */
/* harq.h - HARQ processes of NR; ran/nr/air.h has what happens to their blocks. */
#ifndef NR_HARQ_H
#define NR_HARQ_H

#include <stdbool.h>
#include <stdint.h>

#include "mac/nr/grant.h"
#include "mac/nr/tb.h"

enum nr_process_state {
	NR_PROCESS_FREE,
	NR_PROCESS_BUSY, /* granted, on the air, or its feedback is under way */
	NR_PROCESS_RETX, /* the gNB knows that it was not decoded */
};

struct nr_process {
	struct nr_tb *tb;      /* not decoded: kept until it is sent again */
	struct nr_grant grant; /* of its last transmission */
	uint32_t known_slot;   /* DL: the gNB has the feedback from here on; NR_SLOT_NEVER */
	bool on_air;
	bool ack;        /* DL: what it will be */
	uint8_t attempt; /* DL: of the transmission that it is for */
	uint8_t state;   /* enum nr_process_state */
	uint8_t ndi;     /* toggles with every new block */
};

#endif
