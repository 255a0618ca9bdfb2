/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.h - which event of the network is next. */
#ifndef NR_EVENT_H
#define NR_EVENT_H

#include "ran/nr/state.h"

/** nr_event_update() - bring nr->next up to date, after an event */
void nr_event_update(struct nr *nr);

/** nr_event_decoded() - the block of NR_EVENT_DECODE */
struct nr_tb *nr_event_decoded(struct nr *nr);

/** nr_event_rrc() - the UE of NR_EVENT_RRC */
struct nr_ue *nr_event_rrc(const struct nr *nr);

/** nr_event_timer() - the bearer of NR_EVENT_TIMER */
struct drb *nr_event_timer(const struct nr *nr);

/** nr_event_next_output() - see cell_next_output() */
int64_t nr_event_next_output(const struct nr *nr);

/** nr_event_transit_ns() - from the start of a slot until what arrived before can leave */
int64_t nr_event_transit_ns(const struct nr *nr);

#endif
