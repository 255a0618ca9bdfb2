/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jitter.h - distributions of jitter as iproute2's tables have them. */
#ifndef INDEPENDENT_JITTER_H
#define INDEPENDENT_JITTER_H

#include <stdint.h>

#define JITTER_ONE (1 << 13) /* a jitter, NETEM_DIST_SCALE */

/** jitter_pareto() - Pareto with exponent 3, less 1.5, times 4/3 and JITTER_ONE, at most four times
 * that; @drawn: uniform. Source: iproute2, netem/pareto.c */
int32_t jitter_pareto(uint32_t drawn);

/** jitter_pareto_normal() - three parts of that and one of a normal distribution at the same
 * quantile. Source: iproute2, netem/paretonormal.c */
int32_t jitter_pareto_normal(uint32_t drawn);

#endif
