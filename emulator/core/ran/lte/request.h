/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request.h - Scheduling Requests: how a UE asks for a grant on PUCCH. */
#ifndef REQUEST_H
#define REQUEST_H

#include "ran/lte/state.h"

/** request_reset() - nothing was asked for in the cell where @u is now */
void request_reset(struct ue *u);

/**
 * request_send() - @u needs a grant in sub-frame @tti: send a request if this is its occasion
 *
 * Return: it asks by random access, as it has no occasions, or as all its requests were without
 * success.
 */
bool request_send(struct lte *lte, struct ue *u, uint32_t tti);

/** request_told() - a BSR has left, which is what requests are for, or nothing waits for a grant */
void request_told(struct ue *u);

/** request_next_tti() - occasion from @from on for a UE that needs a grant, or TTI_NEVER */
uint32_t request_next_tti(const struct lte *lte, const struct ue *u, uint32_t from);

/** request_by_preamble() - the UE has no occasions, or no more of them */
bool request_by_preamble(const struct lte *lte, const struct ue *u);

/** request_wait_tti() - how long a UE that sent a BSR waits for grants before it asks again */
uint32_t request_wait_tti(const struct lte *lte);

#endif
