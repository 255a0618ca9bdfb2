/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lateness.h - how late the daemon woke up: the emulator's own error. */
#ifndef LATENESS_H
#define LATENESS_H

#include <jansson.h>
#include <stdint.h>

/* Eight buckets an octave from 1 us up: 12 % resolution, to 16 s. */
#define LATENESS_PER_OCTAVE 8
#define LATENESS_BUCKETS    (24 * LATENESS_PER_OCTAVE)

struct lateness {
	uint64_t bucket[LATENESS_BUCKETS];
	uint64_t count;
	uint64_t missed_ttis; /* late by more than one TTI */
	int64_t max_ns;
};

/** lateness_add() - a wake-up came @late_ns after its schedule */
void lateness_add(struct lateness *l, int64_t late_ns);

/** lateness_percentile_us() - upper bound of the bucket that holds @permille */
double lateness_percentile_us(const struct lateness *l, uint32_t permille);

json_t *lateness_json(const struct lateness *l);

#endif
