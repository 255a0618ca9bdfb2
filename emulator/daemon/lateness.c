/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lateness.c - histogram of wake-up lateness; see lateness.h. */
#include "lateness.h"

#include "cellcore.h"

/* Upper bound of bucket @i in us: linear steps within an octave. */
static double upper_us(uint32_t i)
{
	uint32_t octave = i / LATENESS_PER_OCTAVE, step = i % LATENESS_PER_OCTAVE;

	return (double)(UINT64_C(1) << octave) * (1.0 + (double)(step + 1) / LATENESS_PER_OCTAVE);
}

void lateness_add(struct lateness *l, int64_t late_ns)
{
	double us = (double)late_ns / 1000.0;
	uint32_t i = 0;

	while (i < LATENESS_BUCKETS - 1 && us > upper_us(i))
		i += us > 2 * upper_us(i) ? LATENESS_PER_OCTAVE : 1;
	if (i >= LATENESS_BUCKETS)
		i = LATENESS_BUCKETS - 1;
	l->bucket[i]++;
	l->count++;
	if (late_ns > CELL_TTI_NS)
		l->missed_ttis++;
	if (late_ns > l->max_ns)
		l->max_ns = late_ns;
}

double lateness_percentile_us(const struct lateness *l, uint32_t permille)
{
	uint64_t rank = (l->count * permille + 999) / 1000, seen = 0;

	for (uint32_t i = 0; i < LATENESS_BUCKETS; i++) {
		seen += l->bucket[i];
		if (seen >= rank && l->count)
			return upper_us(i);
	}
	return 0;
}

json_t *lateness_json(const struct lateness *l)
{
	json_t *histogram = json_array();

	for (uint32_t i = 0; i < LATENESS_BUCKETS; i++)
		if (l->bucket[i])
			json_array_append_new(histogram, json_pack("[f, I]", upper_us(i),
			                                           (json_int_t)l->bucket[i]));
	return json_pack("{s:I, s:f, s:f, s:f, s:f, s:I, s:o}", "count", (json_int_t)l->count,
	                 "p50_us", lateness_percentile_us(l, 500), "p99_us",
	                 lateness_percentile_us(l, 990), "p999_us", lateness_percentile_us(l, 999),
	                 "max_us", (double)l->max_ns / 1000.0, "missed_ttis",
	                 (json_int_t)l->missed_ttis, "histogram", histogram);
}
