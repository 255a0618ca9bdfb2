/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heard.h - what an eNB learns of its UEs. */
#ifndef HEARD_H
#define HEARD_H

#include "ran/lte/state.h"

/** heard_bsr() - a BSR sent by @u in sub-frame @sent_tti was decoded */
void heard_bsr(struct lte *lte, struct ue *u, const struct mac_bsr *bsr, uint32_t sent_tti);

/** heard_absent() - nothing came on an uplink grant: what it was for still waits */
void heard_absent(struct lte *lte, const struct tb *tb);

/** heard_format() - what the eNB chooses for @sch, whose CQI is @cqi */
void heard_format(const struct lte *lte, struct lte_sch *sch, uint8_t cqi);

/** heard_first() - a first transmission of @sch was acknowledged, or not */
void heard_first(struct lte *lte, struct lte_sch *sch, bool ack);

/** heard_nothing() - the outer loop of @sch starts again */
void heard_nothing(const struct lte *lte, struct lte_sch *sch);

/** heard_channel() - the channel of @sch has this CQI and SINR from now on; 0 = out of range */
void heard_channel(struct lte *lte, struct lte_sch *sch, uint8_t cqi, int32_t sinr_cdb);

/** heard_reports() - the eNB uses what it knows now of the channels of @u */
void heard_reports(struct lte *lte, struct ue *u);

/** heard_cqi() - the same of a cell that @sch comes into, where the eNB knows it at once */
void heard_cqi(struct lte *lte, struct lte_sch *sch, uint8_t cqi, int32_t sinr_cdb);

#endif
