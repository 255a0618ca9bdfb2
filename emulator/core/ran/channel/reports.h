/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reports.h - channel quality as a base station knows it: reported every so often, used later.
 *
 * A UE reports its downlink's CQI in the first sub-frame of a period that is its own, and the
 * scheduler uses it after a delay: decoding, and its own time. The uplink's is measured by the base
 * station, as often. What the channel is between two reports nobody knows. Without a period the
 * base station knows at once what is.
 * Source: TS 36.213 7.2.2; TS 38.214 5.2.1.4
 */
#ifndef REPORTS_H
#define REPORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cell_cfg.h"

/* Under way: the longest delay has so many of the shortest periods, and one report of now. */
#define REPORTS_MAX 18

/* Of a direction of a UE's radio. */
struct reports {
	struct {
		int64_t used_ns; /* by the scheduler from then on */
		uint8_t cqi;
	} of[REPORTS_MAX];
	uint8_t first;
	uint8_t n;
};

/** reports_on() - CQIs are reported; otherwise none of these functions is needed */
static inline bool reports_on(const struct cell_cfg *cfg)
{
	return cfg->cqi_reports.period_ms > 0;
}

/**
 * reports_channel() - the channel of UE @ue, from 1, has @cqi since @since_ns from the start of the
 * network
 */
void reports_channel(struct reports *r, const struct cell_cfg *cfg, uint8_t ue, int64_t since_ns,
                     uint8_t cqi);

/** reports_take() - a report that is to be used at @since_ns, into @cqi. Return: there is one */
bool reports_take(struct reports *r, int64_t since_ns, uint8_t *cqi);

void reports_digest(const struct reports *r, uint64_t *h);

#endif
