/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
/* tracefile.c - writer of the project's trace format; see tracefile.h. */
#include "tracefile.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES (256 * 1024) /* few write calls: one for 5,000 records */
#define HEADER_ALIGN 64

struct trace_file {
	FILE *stream;
	size_t record_bytes;
	size_t t_offset; /* of the records' t_ns */
	int64_t flushed_ns;
	char *buffer;
};

static json_t *fields_json(const struct trace_schema *s)
{
	json_t *fields = json_array();

	for (size_t i = 0; i < s->n_fields; i++)
		json_array_append_new(
			fields, json_pack("{s:s, s:s, s:i, s:s}", "name", s->fields[i].name, "type",
		                          s->fields[i].type, "offset", (int)s->fields[i].offset,
		                          "unit", s->fields[i].unit));
	return fields;
}

/* {"event": {"1": "pkt_in", ...}, ...} */
static json_t *symbols_json(const struct trace_schema *s)
{
	json_t *symbols = json_object();

	for (size_t i = 0; i < s->n_symbols; i++) {
		const struct trace_symbol *y = &s->symbols[i];
		json_t *names = json_object_get(symbols, y->field);
		char value[16];

		if (!names) {
			names = json_object();
			json_object_set_new(symbols, y->field, names);
		}
		(void)snprintf(value, sizeof(value), "%u", y->value);
		json_object_set_new(names, value, json_string(y->name));
	}
	return symbols;
}

/* The header as text; its own size is part of it, so it is padded to fit. */
static char *header_text(const struct trace_schema *s, int64_t realtime_offset_ns,
                         size_t *ret_bytes)
{
	json_t *h =
		json_pack("{s:s, s:s, s:i, s:i, s:i, s:s, s:I, s:o, s:o}", "format",
	                  "cellbed-trace", "name", s->name, "version", (int)s->version,
	                  "header_bytes", 0, "record_bytes", (int)s->record_bytes, "clock",
	                  "CLOCK_MONOTONIC", "realtime_offset_ns", (json_int_t)realtime_offset_ns,
	                  "fields", fields_json(s), "symbols", symbols_json(s));
	char *text = NULL, *padded;
	size_t bytes;

	if (!h)
		return NULL;
	for (int pass = 0; pass < 2; pass++) {
		free(text);
		text = json_dumps(h, JSON_COMPACT);
		if (!text)
			break;
		/* room for the digits of header_bytes and the newline */
		bytes = (strlen(text) + 8 + HEADER_ALIGN) / HEADER_ALIGN * HEADER_ALIGN;
		if (pass == 0)
			json_object_set_new(h, "header_bytes", json_integer((json_int_t)bytes));
	}
	bytes = (size_t)json_integer_value(json_object_get(h, "header_bytes"));
	json_decref(h);
	padded = text ? malloc(bytes) : NULL;
	if (padded) {
		memset(padded, ' ', bytes);
		memcpy(padded, text, strlen(text));
		padded[bytes - 1] = '\n';
	}
	free(text);
	*ret_bytes = bytes;
	return padded;
}

int trace_create(struct trace_file **ret, const char *path, const struct trace_schema *schema,
                 int64_t realtime_offset_ns)
{
	struct trace_file *f = calloc(1, sizeof(*f));
	char *header = NULL;
	size_t bytes = 0;
	int r = -ENOMEM;

	if (!f)
		goto out;
	f->record_bytes = schema->record_bytes;
	f->flushed_ns = INT64_MIN;
	for (size_t i = 0; i < schema->n_fields; i++)
		if (strcmp(schema->fields[i].name, "t_ns") == 0)
			f->t_offset = schema->fields[i].offset;
	f->buffer = malloc(BUFFER_BYTES);
	header = header_text(schema, realtime_offset_ns, &bytes);
	if (!f->buffer || !header)
		goto out;
	f->stream = fopen(path, "we");
	if (!f->stream) {
		r = -errno;
		goto out;
	}
	(void)setvbuf(f->stream, f->buffer, _IOFBF, BUFFER_BYTES);
	if (fwrite(header, bytes, 1, f->stream) != 1) {
		r = -EIO;
		goto out;
	}
	*ret = f;
	f = NULL;
	r = 0;
out:
	free(header);
	if (f)
		(void)trace_close(f);
	return r;
}

int trace_write(struct trace_file *f, const void *record)
{
	int64_t t_ns;

	errno = 0;
	if (fwrite_unlocked(record, f->record_bytes, 1, f->stream) != 1)
		return errno ? -errno : -EIO;
	memcpy(&t_ns, (const char *)record + f->t_offset, sizeof(t_ns));
	if (t_ns >= f->flushed_ns + TRACE_FLUSH_NS) {
		f->flushed_ns = t_ns;
		if (fflush_unlocked(f->stream) != 0)
			return errno ? -errno : -EIO;
	}
	return 0;
}

int trace_close(struct trace_file *f)
{
	int r = 0;

	if (!f)
		return 0;
	if (f->stream && fclose(f->stream) != 0)
		r = -errno;
	free(f->buffer);
	free(f);
	return r;
}
