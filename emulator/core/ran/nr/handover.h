/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handover.h - the steps of a UE's handover between two gNBs. */
#ifndef NR_HANDOVER_H
#define NR_HANDOVER_H

#include "ran/nr/state.h"

static inline bool handover_is_conditional(const struct nr *nr)
{
	return nr->cell.cfg.handover.procedure == CELL_HO_CONDITIONAL;
}

/** handover_bit() - of @gnb, in nr_rrc.asked and .prepared */
static inline uint8_t handover_bit(uint8_t gnb)
{
	return (uint8_t)(1u << gnb);
}

/** handover_say() - add a row of @msg at @node, in the cell of @gnb; @other is at the far end */
void handover_say(struct nr *nr, const struct nr_ue *u, uint8_t node, uint8_t gnb, uint8_t other,
                  enum cell_rrc_msg msg);

/** handover_ask() - the source asks @gnb to take @u */
void handover_ask(struct nr *nr, struct nr_ue *u, uint8_t gnb);

/** handover_execute() - the condition of a conditional handover to @gnb holds */
void handover_execute(struct nr *nr, struct nr_ue *u, uint8_t gnb);

/** handover_synchronised() - the target has answered the preamble of @u */
void handover_synchronised(struct nr *nr, struct nr_ue *u);

/** handover_confirm() - the target has heard @u */
void handover_confirm(struct nr *nr, struct nr_ue *u);

/** handover_ask_for_path() - the gNB of @u asks for its path */
void handover_ask_for_path(struct nr *nr, struct nr_ue *u);

/** handover_forward() - the source sends on what it holds */
void handover_forward(struct nr *nr, struct nr_ue *u);

/** handover_enter() - @u is to have the channel of the cell of @gnb, and a C-RNTI there */
void handover_enter(struct nr *nr, struct nr_ue *u, uint8_t gnb);

/** handover_quality() - of the downlink of @u in the cell of @gnb */
struct link_quality handover_quality(const struct nr_ue *u, uint8_t gnb);

/**
 * handover_lost() - Return: the message of @step is not heard at @node; it comes again, or was the
 * last attempt
 */
bool handover_lost(struct nr *nr, struct nr_ue *u, uint8_t node, const struct rrc_step *step);

/** handover_carry_out() - @step, which was under way, happens */
void handover_carry_out(struct nr *nr, struct nr_ue *u, const struct rrc_step *step);

#endif
