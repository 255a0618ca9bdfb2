/* SPDX-License-Identifier: GPL-2.0-or-later */
/* air.h - MAC PDUs from transmission to decoding. */
#ifndef AIR_H
#define AIR_H

#include "ran/lte/state.h"

/** air_block_start() - a PDU to be filled and given to air_transmit(); rows name it until then */
struct tb *air_block_start(struct lte *lte);

/** air_process() - the HARQ process of @tb */
struct harq_process *air_process(struct lte *lte, const struct tb *tb);

/**
 * air_transmit() - send @tb on @sch in the sub-frame of grant @g
 *
 * Decides whether it will be decoded, writes it to the outputs and puts it on the air.
 */
void air_transmit(struct lte *lte, struct lte_sch *sch, const struct grant *g, struct tb *tb,
                  const struct mac_pdu *mac);

/** air_retransmit() - send the block that waits in @process again, on grant @g */
void air_retransmit(struct lte *lte, struct harq_process *process, const struct grant *g);

/** air_absent() - @u sends nothing on @g, which it missed: the eNB will see that */
void air_absent(struct lte *lte, struct ue *u, const struct grant *g);

#endif
