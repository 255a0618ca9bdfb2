/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control.h - the control channels of a downlink sub-frame: room for DCIs, and UEs that miss them.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include "phy/lte/pdcch.h"
#include "ran/lte/state.h"

/* Fewest elements of a DCI in the common search space. */
#define CONTROL_COMMON_CCES 2

/** control_symbols() - of the control region; one where there is no limit */
static inline uint8_t control_symbols(const struct cell_cfg *cfg)
{
	return cfg->lte.control.cfi ? pdcch_symbols(cfg->lte.n_rb, cfg->lte.control.cfi) : 1;
}

/** control_cces() - control channel elements of a carrier's sub-frame; 0: no limit */
static inline uint16_t control_cces(const struct cell_cfg *cfg)
{
	return cfg->lte.control.cfi ? pdcch_cces(cfg->lte.n_rb, cfg->lte.control.cfi) : 0;
}

/** control_level() - of DCIs to a UE that reported @cqi: log2 of their elements; 0 without a limit
 */
static inline uint8_t control_level(const struct cell_cfg *cfg, uint8_t cqi)
{
	uint16_t cces = control_cces(cfg);

	return cces ? pdcch_level(cfg->lte.n_rb, cces, cqi) : 0;
}

/** control_rb() - resource blocks of a carrier that data can have in direction @dir */
static inline uint16_t control_rb(const struct cell_cfg *cfg, enum cell_dir dir)
{
	return dir == CELL_DIR_DL ? cfg->lte.n_rb
	                          : (uint16_t)(cfg->lte.n_rb - cfg->lte.control.pucch_rb);
}

/** control_rb_first() - the first of these; PUCCH has half of its own at either edge */
static inline uint16_t control_rb_first(const struct cell_cfg *cfg, enum cell_dir dir)
{
	return dir == CELL_DIR_DL ? 0 : (uint16_t)((cfg->lte.control.pucch_rb + 1) / 2);
}

/** control_start() - a new sub-frame in the cell of @enb */
void control_start(const struct lte *lte, struct enb *enb);

/** control_assign() - room for a DCI to a C-RNTI on @carrier in sub-frame @tti. Return: there is */
bool control_assign(struct enb *enb, uint8_t carrier, uint16_t rnti, uint8_t level, uint32_t tti);

/** control_respond() - room for the DCI of answers to preambles, on the first carrier */
bool control_respond(struct enb *enb);

/** control_missed() - @u does not decode the control channels of sub-frame @tti; one draw for all
 */
bool control_missed(struct lte *lte, struct ue *u, uint32_t tti);

#endif
