/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure.h - what UEs measure of base stations, and when that is an event: A3 or A5. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cell.h"

#define MEASURE_NONE UINT8_MAX

/* What measurements are for. */
enum measure_purpose {
	MEASURE_REPORT,    /* the base station is told. Source: TS 36.331, TS 38.331 5.5.4 */
	MEASURE_CONDITION, /* of a conditional handover, which the UE starts. TS 38.331 5.3.5.13 */
	MEASURE_PURPOSES
};

/* An event about a neighbour. */
struct measure_trigger {
	int64_t t_ns; /* it was entered so long that it counts then, or CELL_NEVER */
	bool told;    /* it has counted, and was not left since */
};

/* What a UE measured of a base station. */
struct measured {
	int64_t filtered; /* RSRP after layer 3: centi-dBm times 2^16 */
	struct measure_trigger trigger[MEASURE_PURPOSES];
	bool known;
};

/* A UE's. */
struct measurements {
	struct measured of[CELL_MAX_ENB];
};

/** measure_filter() - layer 3 has @rsrp_cdbm; @k: filterCoefficient */
void measure_filter(struct measured *m, uint8_t k, int32_t rsrp_cdbm);

/** measure_beyond() - how far @m is above an RSRP-Range, in centi-dB times 2^16 */
int64_t measure_beyond(const struct measured *m, uint8_t rsrp_range);

/** measure_by() - an event is entered beyond @hysteresis_cdb, and counts after @trigger_ms; it is
 * left as far on the other side. @by: in centi-dB times 2^16 */
void measure_by(const struct cell *c, struct measure_trigger *t, int64_t by,
                uint16_t hysteresis_cdb, uint16_t trigger_ms);

/**
 * measure_take() - a UE in the cell of @serving measured the base station @enb
 * @attached: it is not between two cells
 *
 * Measurements of one time come in the order of base stations; that of the last one tells whether
 * events are entered or left.
 */
void measure_take(const struct cell *c, struct measurements *m, uint8_t serving, bool attached,
                  uint8_t enb, int32_t rsrp_cdbm);

/** measure_next_ns() - when an event next counts, unless it is left before; or CELL_NEVER */
int64_t measure_next_ns(const struct cell *c, const struct measurements *m,
                        enum measure_purpose purpose);

/** measure_due() - events of that time have counted. Return: the best base station of these */
uint8_t measure_due(const struct cell *c, struct measurements *m, enum measure_purpose purpose);

/** measure_restart() - the UE changes its cell: no event is entered. Source: TS 36.331 5.5.6.1 */
void measure_restart(struct measurements *m);

/** measure_digest() - hash of what was measured */
void measure_digest(const struct cell *c, const struct measurements *m, uint64_t *h);

#endif
