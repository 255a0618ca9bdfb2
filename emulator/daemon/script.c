/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script.c - what happens to the cell at given times; see script.h. */
#define _GNU_SOURCE
#include "script.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_MAX 65536
#define NS_PER_MS  INT64_C(1000000)
#define T_NS_MAX   (INT64_MAX / 2)    /* with the start of sub-frame 0 still a time */
#define CMDS_OTHER 64                 /* waiting commands that are not scripted */
#define LOOK_NS    (1000 * NS_PER_MS) /* between two looks at a trace that grows */

/* A channel trace has one record of a direction and one measurement at a time, in the cell of each
 * eNB; a handover may be two events. */
#define CMDS_MOST (CELL_MAX_UE * CELL_MAX_ENB * (CELL_DIR_COUNT + 1) + 2 * CONFIG_EVENTS_MAX)
_Static_assert(2 * CMDS_MOST + CMDS_OTHER <= 65536, "what cell_cfg_check() allows");

/* Fields of a channel trace that matter here. Source: docs/channel-trace-format.md */
enum { FIELD_T, FIELD_UE, FIELD_DIR, FIELD_CQI, FIELD_SINR, FIELD_ENB, FIELD_COUNT };

#define DIR_RSRP                                                                                   \
	CELL_DIR_COUNT /* a measurement: its value is where that of other commands' SINR is */

struct channel {
	const struct config *cfg;
	const char *path;
	FILE *f;
	int64_t start_ns; /* from which its times count */
	size_t record_bytes;
	size_t offset[FIELD_COUNT];
	bool has_enb;             /* otherwise all records are of the first one */
	size_t n;                 /* records read */
	struct script_event last; /* of them */
	char *error;
};

__attribute__((format(printf, 2, 3))) static int fail(struct channel *ch, const char *fmt, ...)
{
	va_list ap;
	int n = snprintf(ch->error, CONFIG_ERROR_MAX, "%s: ", ch->path);

	va_start(ap, fmt);
	if (n >= 0 && n < CONFIG_ERROR_MAX)
		(void)vsnprintf(ch->error + n, (size_t)(CONFIG_ERROR_MAX - n), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int find_field(struct channel *ch, const json_t *fields, int which)
{
	static const struct {
		const char *name;
		const char *type;
		size_t bytes;
	} wanted[FIELD_COUNT] = {
		[FIELD_T] = { "t_ns", "i64", 8 },        [FIELD_UE] = { "ue", "u8", 1 },
		[FIELD_DIR] = { "dir", "u8", 1 },        [FIELD_CQI] = { "cqi", "u8", 1 },
		[FIELD_SINR] = { "sinr_cdb", "i32", 4 }, [FIELD_ENB] = { "enb", "u8", 1 }
	};
	size_t i;
	json_t *f;

	json_array_foreach(fields, i, f)
	{
		const char *name = json_string_value(json_object_get(f, "name"));
		const char *type = json_string_value(json_object_get(f, "type"));
		const json_t *at = json_object_get(f, "offset");
		json_int_t offset = json_integer_value(at);

		if (!name || strcmp(name, wanted[which].name) != 0)
			continue;
		if (!type || strcmp(type, wanted[which].type) != 0 || !json_is_integer(at) ||
		    offset < 0 || (size_t)offset + wanted[which].bytes > ch->record_bytes)
			break;
		ch->offset[which] = (size_t)offset;
		return 0;
	}
	return fail(ch, "header: field '%s' of type %s: missing; add it", wanted[which].name,
	            wanted[which].type);
}

/* Traces of one eNB do not name it. */
static bool names_enb(const json_t *fields)
{
	size_t i;
	json_t *f;

	json_array_foreach(fields, i, f)
	{
		const char *name = json_string_value(json_object_get(f, "name"));

		if (name && strcmp(name, "enb") == 0)
			return true;
	}
	return false;
}

static int read_header(struct channel *ch)
{
	char line[HEADER_MAX];
	json_int_t header_bytes;
	json_t *header = NULL;
	const char *name;
	int r = 0;

	if (fgets(line, sizeof(line), ch->f))
		header = json_loads(line, 0, NULL);
	if (ferror(ch->f))
		r = fail(ch, "%s", strerror(errno));
	name = json_string_value(json_object_get(header, "name"));
	if (r == 0 && (!name || strcmp(name, "channel") != 0))
		r = fail(ch, "not a channel trace; docs/channel-trace-format.md describes one");
	ch->record_bytes = (size_t)json_integer_value(json_object_get(header, "record_bytes"));
	if (r == 0 && (ch->record_bytes < 8 || ch->record_bytes > 4096))
		r = fail(ch, "header: record_bytes: allowed 8..4096");
	ch->has_enb = names_enb(json_object_get(header, "fields"));
	for (int i = 0; i < (ch->has_enb ? FIELD_COUNT : FIELD_ENB) && r == 0; i++)
		r = find_field(ch, json_object_get(header, "fields"), i);
	header_bytes = json_integer_value(json_object_get(header, "header_bytes"));
	if (r == 0 && header_bytes != ftell(ch->f))
		r = fail(ch,
		         "header: header_bytes: value %lld: the line ends elsewhere; allowed %ld",
		         (long long)header_bytes, ftell(ch->f));
	json_decref(header);
	return r;
}

static int reserve(struct script_list *l, size_t room)
{
	struct script_event *grown = realloc(l->event, room * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	l->event = grown;
	l->room = room;
	return 0;
}

static int add(struct script_list *l, const struct script_event *e)
{
	if (l->n == l->room && reserve(l, l->room ? 2 * l->room : 16) < 0)
		return -ENOMEM;
	l->event[l->n++] = *e;
	return 0;
}

/* Records are in order of time, then UE, eNB and direction: what a direction is like is said once
 * for a time.
 */
static bool in_order(const struct script_event *before, const struct script_event *e)
{
	if (before->t_ns != e->t_ns)
		return before->t_ns < e->t_ns;
	if (before->cmd.ue != e->cmd.ue)
		return before->cmd.ue < e->cmd.ue;
	if (before->cmd.enb != e->cmd.enb)
		return before->cmd.enb < e->cmd.enb;
	return before->cmd.dir < e->cmd.dir;
}

/* Of a record in the cell of an eNB. Return: 0 or -EINVAL. */
static int check_cell(struct channel *ch, const struct cell_cmd *cmd)
{
	const struct config *cfg = ch->cfg;

	if (cmd->enb >= cfg->cell.n_enb)
		return fail(ch, "record %zu: enb %u: allowed 0..%u", ch->n, cmd->enb,
		            cfg->cell.n_enb - 1);
	if (cmd->type == CELL_CMD_CHANNEL)
		return 0;
	if (cfg->cell.ue[cmd->ue - 1].peer != CELL_PEER_NETWORK)
		return fail(
			ch,
			"record %zu: dir 3, ue %u: the peer is a UE; allowed UEs of the network",
			ch->n, cmd->ue);
	if (cmd->rsrp_cdbm < CELL_RSRP_MIN_CDBM || cmd->rsrp_cdbm > CELL_RSRP_MAX_CDBM)
		return fail(ch, "record %zu: RSRP %d: allowed %d..%d", ch->n, cmd->rsrp_cdbm,
		            CELL_RSRP_MIN_CDBM, CELL_RSRP_MAX_CDBM);
	return 0;
}

static struct script_event parse(const struct channel *ch, const uint8_t *record)
{
	struct script_event e = { .number = ch->n };

	memcpy(&e.t_ns, record + ch->offset[FIELD_T], sizeof(e.t_ns));
	e.cmd.ue = record[ch->offset[FIELD_UE]];
	e.cmd.dir = record[ch->offset[FIELD_DIR]];
	e.cmd.cqi = record[ch->offset[FIELD_CQI]];
	e.cmd.enb = ch->has_enb ? record[ch->offset[FIELD_ENB]] : 0;
	memcpy(&e.cmd.sinr_cdb, record + ch->offset[FIELD_SINR], sizeof(e.cmd.sinr_cdb));
	e.cmd.rsrp_cdbm = e.cmd.sinr_cdb;
	e.cmd.type = e.cmd.dir == DIR_RSRP ? CELL_CMD_MEASURE : CELL_CMD_CHANNEL;
	return e;
}

static int add_record(struct channel *ch, struct script *s, struct script_event e)
{
	const struct config *cfg = ch->cfg;
	uint8_t schs = ch->has_enb ? DIR_RSRP + 1 : CELL_DIR_COUNT;

	if (e.t_ns < 0 || e.t_ns > T_NS_MAX)
		return fail(ch, "record %zu: t_ns %" PRId64 ": allowed 0..%" PRId64, ch->n, e.t_ns,
		            T_NS_MAX);
	e.t_ns += ch->start_ns;
	if (e.cmd.ue < 1 || e.cmd.ue > cfg->cell.n_ue || e.cmd.dir >= schs || e.cmd.cqi > 15)
		return fail(ch, "record %zu: ue %u, dir %u, cqi %u: allowed 1..%u, 0..%d, 0..15",
		            ch->n, e.cmd.ue, e.cmd.dir, e.cmd.cqi, cfg->cell.n_ue, schs - 1);
	if (check_cell(ch, &e.cmd) < 0)
		return -EINVAL;
	if (ch->n > 0 && !in_order(&ch->last, &e))
		return fail(ch,
		            "record %zu: t_ns %" PRId64 ", ue %u, dir %u: not after the record "
		            "before; sort records by time, UE, eNB, direction",
		            ch->n, e.t_ns - ch->start_ns, e.cmd.ue, e.cmd.dir);
	if (s->growing && e.t_ns < s->look_ns)
		return fail(ch, "record %zu: came after its time", ch->n);
	if (s->growing && s->changes.n == s->changes.room)
		return fail(ch, "record %zu: allowed %zu in a second", ch->n, s->changes.room);
	ch->last = e;
	ch->n++;
	return add(&s->changes, &e);
}

/* Records before @until_ns. Return: 0, or negative errno. */
static int read_records(struct channel *ch, struct script *s, int64_t until_ns)
{
	uint8_t record[4096];
	size_t n = 0;
	int r = 0;

	while (r == 0 && (n = fread(record, 1, ch->record_bytes, ch->f)) == ch->record_bytes) {
		struct script_event e = parse(ch, record);

		if (until_ns != CELL_NEVER && e.t_ns >= until_ns - ch->start_ns)
			break;
		r = add_record(ch, s, e);
	}
	if (r == 0 && ferror(ch->f))
		r = fail(ch, "%s", strerror(errno));
	if (r == 0 && ch->cfg->channel_grows) { /* the rest is for later */
		clearerr(ch->f);
		r = fseek(ch->f, -(long)n, SEEK_CUR) < 0 ? -errno : 0;
	} else if (r == 0 && n > 0) {
		r = fail(ch, "record %zu: cut short: %zu bytes: allowed %zu", ch->n, n,
		         ch->record_bytes);
	}
	return r;
}

static int open_channel(struct channel *ch)
{
	int r;

	ch->f = fopen(ch->path, "re");
	if (ch->f)
		return read_header(ch);
	r = -errno;
	(void)fail(ch, "%s", strerror(errno));
	return r;
}

static void close_channel(struct channel *ch)
{
	if (ch && ch->f)
		(void)fclose(ch->f);
	free(ch);
}

/* Changes that may be at one time, of a trace that is yet to come. */
static size_t changes_max(const struct config *cfg)
{
	return (size_t)cfg->cell.n_ue * cfg->cell.n_enb * (CELL_DIR_COUNT + 1);
}

/* A trace that grows is read from one look to the next, into memory that is there from the
 * beginning: later the daemon gets none. */
static int start_growing(struct script *s, struct channel *ch)
{
	ch->error = s->error;
	s->growing = ch;
	s->look_ns = ch->start_ns;
	return reserve(&s->changes, changes_max(ch->cfg) * (LOOK_NS / NS_PER_MS));
}

static int read_channel(struct script *s, const struct config *cfg, int64_t start_ns, char *error)
{
	struct channel *ch = malloc(sizeof(*ch));
	int r;

	if (!ch)
		return -ENOMEM;
	*ch = (struct channel){
		.cfg = cfg, .path = cfg->channel, .start_ns = start_ns, .error = error
	};
	r = open_channel(ch);
	if (r == 0 && cfg->channel_grows)
		return start_growing(s, ch);
	if (r == 0)
		r = read_records(ch, s, CELL_NEVER);
	close_channel(ch);
	return r;
}

/* With prediction, or conditional, a handover is two events. */
static int add_event(struct script *s, const struct config *cfg, const struct config_event *event,
                     int64_t start_ns)
{
	struct script_event e = { .t_ns = start_ns + event->t_ms * NS_PER_MS,
		                  .number = s->events.n,
		                  .cmd = event->cmd };
	struct script_event before = e;
	int r = 0;

	if (e.cmd.type == CELL_CMD_HANDOVER &&
	    (cfg->cell.handover.procedure == CELL_HO_PREDICTION ||
	     cfg->cell.handover.procedure == CELL_HO_CONDITIONAL)) {
		before.cmd.type = CELL_CMD_PREDICT;
		before.t_ns -= cfg->cell.handover.prediction_ms * NS_PER_MS;
		if (before.t_ns < start_ns)
			before.t_ns = start_ns;
		r = add(&s->events, &before);
		e.number++;
	}
	return r == 0 ? add(&s->events, &e) : r;
}

static int compare(const void *a, const void *b)
{
	const struct script_event *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static size_t most_at_once(const struct script_list *l)
{
	size_t most = 0, n = 0;

	for (size_t i = 0; i < l->n; i++) {
		n = i > 0 && l->event[i].t_ns == l->event[i - 1].t_ns ? n + 1 : 1;
		most = n > most ? n : most;
	}
	return most;
}

int script_open(struct script *ret, const struct config *cfg, int64_t start_ns,
                char ret_error[CONFIG_ERROR_MAX])
{
	size_t most;
	int r = 0;

	*ret = (struct script){ .look_ns = CELL_NEVER };
	if (*cfg->channel)
		r = read_channel(ret, cfg, start_ns, ret_error);
	for (size_t i = 0; i < cfg->n_events && r == 0; i++)
		r = add_event(ret, cfg, &cfg->event[i], start_ns);
	if (ret->events.n > 0)
		qsort(ret->events.event, ret->events.n, sizeof(*ret->events.event), compare);
	most = ret->growing ? changes_max(cfg) : most_at_once(&ret->changes);
	ret->max_cmds = (uint32_t)(2 * (most + most_at_once(&ret->events)) + CMDS_OTHER);
	if (r < 0)
		script_close(ret);
	return r;
}

static int64_t next_of(const struct script_list *l)
{
	return l->next < l->n ? l->event[l->next].t_ns : CELL_NEVER;
}

static int64_t earlier(int64_t a_ns, int64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

int64_t script_next(const struct script *s)
{
	return earlier(s->look_ns, earlier(next_of(&s->changes), next_of(&s->events)));
}

uint32_t script_max_cmds(const struct script *s)
{
	return s->max_cmds;
}

/* Changes up to the next look take the place of those that are over. */
static int look(struct script *s)
{
	int r;

	s->changes.n = s->changes.next = 0;
	r = read_records(s->growing, s, s->look_ns + LOOK_NS);
	s->look_ns += LOOK_NS;
	return r;
}

static int apply_at(struct script_list *l, struct cell *cell, int64_t t_ns)
{
	int r = 0;

	for (; r == 0 && l->next < l->n && l->event[l->next].t_ns == t_ns; l->next++)
		r = cell_apply(cell, &l->event[l->next].cmd, t_ns);
	return r;
}

int script_apply(struct script *s, struct cell *cell)
{
	int64_t t_ns = script_next(s);
	int r = 0;

	if (t_ns == CELL_NEVER)
		return 0;
	if (t_ns == s->look_ns)
		r = look(s);
	if (r == 0)
		r = apply_at(&s->changes, cell, t_ns);
	return r == 0 ? apply_at(&s->events, cell, t_ns) : r;
}

void script_close(struct script *s)
{
	close_channel(s->growing);
	free(s->changes.event);
	free(s->events.event);
	*s = (struct script){ .look_ns = CELL_NEVER };
}
