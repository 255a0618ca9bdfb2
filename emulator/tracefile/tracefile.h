/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefile.h - writer of the project's trace format (docs/trace-format.md).
 *
 * One line of JSON that names the fields and units, padded with spaces to a
 * multiple of 64 bytes and ended by a newline, then fixed-size little-endian
 * records. radio.trace (celld) and tcp.trace (tcpwatch) are such files and
 * share one clock, CLOCK_MONOTONIC, so that they can be joined.
 */
#ifndef TRACEFILE_H
#define TRACEFILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * What is written reaches the file at the latest when a record comes that is so much later: for who
 * watches a run. It goes by the records' own t_ns, since reading a clock would change a run in
 * virtual time.
 */
#define TRACE_FLUSH_NS INT64_C(250000000)

struct trace_field {
	const char *name;
	const char *type; /* i8 i16 i32 i64 u8 u16 u32 u64 */
	const char *unit; /* "ns", "bytes", "1" ... */
	uint16_t offset;
};

/* A symbolic value of an enumeration field. */
struct trace_symbol {
	const char *field;
	uint32_t value;
	const char *name;
};

struct trace_schema {
	const char *name; /* "radio", "tcp" */
	uint16_t version;
	uint16_t record_bytes;
	const struct trace_field *fields;
	size_t n_fields;
	const struct trace_symbol *symbols;
	size_t n_symbols;
};

struct trace_file;

/**
 * trace_create() - create a trace file and write its header
 * @realtime_offset_ns: CLOCK_REALTIME minus CLOCK_MONOTONIC, to join with pcaps
 *
 * Return: 0 or negative errno.
 */
int trace_create(struct trace_file **ret, const char *path, const struct trace_schema *schema,
                 int64_t realtime_offset_ns);

/** trace_write() - append one record. Return: 0 or negative errno. */
int trace_write(struct trace_file *f, const void *record);

/** trace_close() - flush and close; NULL is accepted. Return: 0 or negative errno. */
int trace_close(struct trace_file *f);

#endif
