/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drawn_add.h - features of drawn cells that plans of the fuzz targets have by chance alone. */
#ifndef DRAWN_ADD_H
#define DRAWN_ADD_H

#include "cell_plan.h"

/** drawn_start() - what is drawn from now on depends on @seed */
void drawn_start(uint64_t seed);

/** drawn_below() - a number less than @n */
uint32_t drawn_below(uint32_t n);

/** drawn_add_crowd() - modelled UEs */
void drawn_add_crowd(struct plan *p);

/** drawn_add_loss() - a link loses, delays, reorders and duplicates, and changes */
void drawn_add_loss(struct plan *p);

/** drawn_add_trains() - a recorded link answers trains of packets */
void drawn_add_trains(struct plan *p);

/** drawn_add_channels() - control channels and block errors by SINR, which changes */
void drawn_add_channels(struct plan *p);

/** drawn_add_handovers() - by commands, by measurements and by conditions */
void drawn_add_handovers(struct plan *p);

/** drawn_add_failures() - links fail, and handovers with them */
void drawn_add_failures(struct plan *p);

/** drawn_add_daps() - handovers with two protocol stacks */
void drawn_add_daps(struct plan *p);

/** drawn_add_second_cell() - PDCP duplication, with a second channel */
void drawn_add_second_cell(struct plan *p);

/** drawn_add_carriers() - several in the downlink of NR, always active or not */
void drawn_add_carriers(struct plan *p);

/** drawn_add_reading() - modelled UEs that ask for the next burst once they got the last one */
void drawn_add_reading(struct plan *p);

/** drawn_add_ul_carriers() - several in both directions of LTE */
void drawn_add_ul_carriers(struct plan *p);

/** drawn_add_en_dc() - a gNB that comes and goes */
void drawn_add_en_dc(struct plan *p);

/** drawn_add_nr() - what an input of NR does not say */
void drawn_add_nr(struct plan *p);

#endif
