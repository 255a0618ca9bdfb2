/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lcid.h - identities of the logical channels of data radio bearers.
 *
 * An LCID says which RLC its channel has, so that a capture explains itself without the RRC
 * messages that set the bearer up. Each mode has some for itself, in the order in which a UE's
 * bearers get them: the first between UE and eNB has the first, and the direct bearer between two
 * UEs the second, which a second bearer between UE and eNB has, too.
 * Source: TS 36.321 Table 6.2.1-1; v15.3.0 Table 6.2.1-1b (from 32 on)
 */
#ifndef RLC_LCID_H
#define RLC_LCID_H

#include <stdint.h>

#define LCIDS_OF_KIND 3

/* Logical channels of one kind; 0 where there are less. */
struct lcids {
	uint8_t lcid[LCIDS_OF_KIND];
};

#define LCID_UM_10      3
#define LCID_AM         5
#define LCID_UM_5       7
#define LCID_AM_MORE    9
#define LCID_UM_10_MORE 10

#endif
