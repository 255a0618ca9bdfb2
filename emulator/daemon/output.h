/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - the files a cell writes, the same for celld and cellsim. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <jansson.h>
#include <stdio.h>

#include "config.h"
#include "pcap.h"
#include "tracefile.h"

struct output {
	struct trace_file *trace;
	struct radio_pcap *pcap;
	FILE *arrivals;
	FILE *deliveries;
	int64_t realtime_offset_ns;
	int64_t start_ns;
	int error; /* first write error, negative errno */
	const char *error_path;
	const struct config_output *path;
	bool utran;
};

/**
 * output_open() - create the files that @cfg names
 * @realtime_offset_ns: CLOCK_REALTIME minus the clock of the records
 *
 * Return: 0, or negative errno with out->error_path set.
 */
int output_open(struct output *out, const struct config *cfg, int64_t realtime_offset_ns,
                int64_t start_ns);

/** output_arrival() - note a packet pushed at UE @ue */
void output_arrival(struct output *out, uint8_t ue, const uint8_t *data, size_t len, uint64_t tag,
                    int64_t t_ns);

/** output_perform() - write what one cell_out says; errors are kept in out->error */
void output_perform(struct output *out, const struct cell_out *o);

/** output_close() - flush and close. Return: 0 or the first error. */
int output_close(struct output *out);

/** stats_json() - the counters of struct cell_stats, for radio.json and the control socket */
json_t *stats_json(const struct cell *cell);

/**
 * output_tag() - what tells an IP packet from others of its flow: TCP sequence and acknowledgment
 * number, of UDP a hash of its first bytes, otherwise 0
 */
uint64_t output_tag(const uint8_t *packet, size_t len);

#endif
