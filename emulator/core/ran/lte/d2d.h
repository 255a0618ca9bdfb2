/* SPDX-License-Identifier: GPL-2.0-or-later */
/* d2d.h - which direction a packet takes, and where a received one goes. */
#ifndef D2D_H
#define D2D_H

#include "ran/lte/state.h"

/** d2d_ingress() - a packet that arrived at its port takes the direction of its UE's mode */
void d2d_ingress(struct lte *lte, struct pkt *p);

/** d2d_change_mode() - @u's packets take @mode from now on; what is under way is flushed */
void d2d_change_mode(struct lte *lte, struct ue *u, enum cell_mode mode);

/** d2d_select_modes() - every UE with a peer takes the mode with the higher CQI */
void d2d_select_modes(struct lte *lte);

/** d2d_forward() - datagrams that came out of PDCP at the end of @sch go on */
void d2d_forward(struct lte *lte, struct lte_sch *sch, struct pdcp_out *out);

#endif
