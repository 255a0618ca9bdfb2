/* SPDX-License-Identifier: GPL-2.0-or-later */
/* daps.h - a UE that changes its cell has two protocol stacks for a while. */
#ifndef NR_DAPS_H
#define NR_DAPS_H

#include "ran/nr/state.h"

/** daps_start() - the source of @u numbers its downlink as it comes, and the target gets copies */
void daps_start(struct nr *nr, struct nr_ue *u);

/** daps_send() - @p of the downlink of @u has come to the source: there, and as a copy to the
 * target
 */
void daps_send(struct nr *nr, struct nr_ue *u, struct pkt *p);

/** daps_switch_uplink() - @u is in the target, and its uplink goes there from now on */
void daps_switch_uplink(struct nr *nr, struct nr_ue *u);

/** daps_stop_source() - the source starts with no packet of the downlink any more; those of which
 * the target has no copy go to rrc.kept, to be forwarded */
void daps_stop_source(struct nr *nr, struct nr_ue *u);

/** daps_release() - the target delivers the uplink of @u, and the source is left */
void daps_release(struct nr *nr, struct nr_ue *u);

#endif
