/* SPDX-License-Identifier: GPL-2.0-or-later */
/* air.h - blocks from transmission to decoding, and their HARQ processes. */
#ifndef NR_AIR_H
#define NR_AIR_H

#include "ran/nr/state.h"

/** nr_air_start() - a block to be filled and given to nr_air_transmit(); rows name it until then */
struct nr_tb *nr_air_start(struct nr *nr, struct nr_sch *sch, const struct nr_grant *g);

/**
 * nr_air_transmit() - send @tb, a new block of @sch, in the slot of grant @g
 * @padding: bytes of it
 *
 * Decides whether it will be decoded, writes it to the outputs and puts it on the air.
 */
void nr_air_transmit(struct nr *nr, struct nr_sch *sch, const struct nr_grant *g, struct nr_tb *tb,
                     uint32_t padding);

/** nr_air_retransmit() - send the block that waits in the process of @g again */
void nr_air_retransmit(struct nr *nr, struct nr_sch *sch, const struct nr_grant *g);

/** nr_air_reset() - no block of @sch is on the air or in a HARQ process any more, and none is
 * granted; packets that ended in one go to @ret. Source: TS 38.321 5.12 */
void nr_air_reset(struct nr *nr, struct nr_sch *sch, struct pkt_queue *ret);

/** nr_air_free_process() - a process from @first on, before @end, that a new block may use, or -1
 */
int nr_air_free_process(const struct nr_sch *sch, uint8_t first, uint8_t end);

/** nr_air_next_process() - a free HARQ process of a carrier that the gNB may use: the first ones of
 * the uplink are those of configured grants. Return: -1 when there is none */
int nr_air_next_process(const struct nr *nr, const struct nr_sch *sch, uint8_t carrier);

/** nr_air_retx_process() - the first process of a carrier whose block is to be sent again, or -1 */
int nr_air_retx_process(const struct nr_sch *sch, uint8_t carrier);

/** nr_air_change_channel() - the channel of @sch has this CQI and SINR from now on */
void nr_air_change_channel(struct nr *nr, struct nr_sch *sch, uint8_t cqi, int32_t sinr_cdb);

/** nr_air_reports() - the gNB uses what it knows now of the channel of @sch */
void nr_air_reports(struct nr *nr, struct nr_sch *sch);

/** nr_air_set_channel() - the same of a cell that @sch comes into, where the gNB knows it at once
 */
void nr_air_set_channel(struct nr *nr, struct nr_sch *sch, uint8_t cqi, int32_t sinr_cdb);

/** nr_air_adapt() - work out the MCS of @sch again */
void nr_air_adapt(struct nr *nr, struct nr_sch *sch);

#endif
