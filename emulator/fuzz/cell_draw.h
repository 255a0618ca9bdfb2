/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cell_draw.h - parts of a cell's configuration, out of fuzz inputs */
#ifndef CELL_DRAW_H
#define CELL_DRAW_H

#include "cell_plan.h"

#define DRAW_ADDR(x) (0x0a000000u + (x))

uint8_t draw_bit(struct fuzz_input *in);

/** draw_error_rate() - times 2^32 */
uint32_t draw_error_rate(struct fuzz_input *in);

/** draw_ues() - @n UEs that talk to the network, and few packets */
void draw_ues(struct cell_cfg *cfg, uint32_t n);

void draw_harq(struct cell_cfg *cfg, struct fuzz_input *in, bool lossy);
void draw_bearers(struct cell_cfg *cfg, struct fuzz_input *in, bool lossy);

/** draw_core_network() - a gateway, and tunnels to cfg.n_enb base stations */
void draw_core_network(struct cell_cfg *cfg, struct fuzz_input *in);

/** draw_nr() - a cell of NR */
void draw_nr(struct plan *p, struct fuzz_input *in);

/** draw_en_dc() - what draw_nr() drew together with LTE */
void draw_en_dc(struct cell_cfg *cfg, struct fuzz_input *in);

/** draw_gnbs() - several, between which UEs go by commands, by reports of A3, or by themselves */
void draw_gnbs(struct cell_cfg *cfg, struct fuzz_input *in);

#endif
