/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.c - JSON configuration; see config.h.
 *
 * Every object is read through a table of its keys, so that an unknown key, a
 * wrong type and a value out of range are found in one place. Ranges of the
 * cell's own values are those of cell_cfg_check().
 */
#include "cfg_values.h"
#include "config_bearer.h"
#include "config_event.h"
#include "config_link.h"
#include "config_network.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT 1

static const char *const detail_names[] = { "full", "events", NULL };

static const struct key output_keys[] = {
	KEY_ENUM(config_output, "trace_detail", trace_detail, detail_names),
	KEY(config_output, "trace", trace, KIND_STRING, 0, 0),
	KEY(config_output, "pcap", pcap, KIND_STRING, 0, 0),
	KEY(config_output, "pcap_snaplen", pcap_snaplen, KIND_UINT, 0, 262144),
	KEY(config_output, "stats", stats, KIND_STRING, 0, 0),
	KEY(config_output, "arrivals", arrivals, KIND_STRING, 0, 0),
	KEY(config_output, "deliveries", deliveries, KIND_STRING, 0, 0),
	{ 0 }
};
static const struct key top_keys[] = {
	KEY(config, "control", control, KIND_STRING, 0, 0),
	KEY(config, "channel", channel, KIND_STRING, 0, 0),
	KEY(config, "channel_grows", channel_grows, KIND_BOOL, 0, 1),
	KEY(config, "start_ns", start_ns, KIND_UINT, 0, 9007199254740991.0),
	KEY(config, "realtime", realtime, KIND_BOOL, 0, 1),
	KEY(config, "segmentation_offload", segmentation_offload, KIND_BOOL, 0, 1),
	KEY(config, "seed", cell.seed, KIND_UINT, 0, 9007199254740991.0),
	{ 0 }
};

static int read_ues(struct reader *r, json_t *ues)
{
	struct config *cfg = r->cfg;
	size_t n = json_array_size(ues);
	int err;

	if (n < 1 || n > CELL_MAX_UE)
		return config_fail(r, "key 'cell.ues': %zu entries: allowed 1..%d", n, CELL_MAX_UE);
	cfg->cell.n_ue = (uint8_t)n;
	for (size_t i = 0; i < n; i++) {
		json_t *ue = json_array_get(ues, i);
		const char *name = json_string_value(json_object_get(ue, "name"));

		if (!name || !*name || strlen(name) >= CONFIG_NAME_MAX)
			return config_fail(r,
			                   "key 'cell.ues[%zu].name': allowed names of 1..%d bytes",
			                   i, CONFIG_NAME_MAX - 1);
		if (config_ue(cfg, name))
			return config_fail(
				r,
				"key 'cell.ues[%zu].name': value '%s': another UE has this "
				"name; choose another one",
				i, name);
		if (strcmp(name, CONFIG_NETWORK) == 0)
			return config_fail(r,
			                   "key 'cell.ues[%zu].name': value '%s': as a peer this "
			                   "name means the network; choose another one",
			                   i, name);
		(void)snprintf(cfg->ue_name[i], CONFIG_NAME_MAX, "%s", name);
		cfg->cell.ue[i] =
			(struct cell_ue_cfg){ CFG_UE_DEFAULTS, .rnti = (uint16_t)(61 + i) };
	}
	for (size_t i = 0; i < n; i++) {
		json_t *ue = json_array_get(ues, i);
		const char *peer = json_string_value(json_object_get(ue, "peer"));
		char path[32];

		(void)snprintf(path, sizeof(path), "cell.ues[%zu]", i);
		cfg->cell.ue[i].peer = config_ue(cfg, peer ? peer : "");
		if (peer && strcmp(peer, CONFIG_NETWORK) == 0)
			cfg->cell.ue[i].peer = CELL_PEER_NETWORK;
		else if (!cfg->cell.ue[i].peer || cfg->cell.ue[i].peer == i + 1)
			return config_fail(
				r,
				"key '%s.peer': value '%s': allowed the name of another UE "
				"or '" CONFIG_NETWORK "'",
				path, peer ? peer : "(none)");
		err = config_read_object(r, path, ue, config_ues.keys, config_ues.elsewhere,
		                         &cfg->cell.ue[i]);
		if (err == 0)
			err = config_read_tunnels(r, path, ue, &cfg->cell.ue[i]);
		if (err == 0)
			err = config_read_bearers(r, path, ue, (uint8_t)(i + 1));
		if (err == 0)
			err = config_read_own_link(r, path, ue, (uint8_t)(i + 1));
		if (err < 0)
			return err;
	}
	return 0;
}

/* harq.bler: chances that a block is not decoded after 1, 2, ... attempts. */
static int read_ladder(struct reader *r, const json_t *bler)
{
	struct cell_cfg *cell = &r->cfg->cell;
	size_t n = json_array_size(bler);

	if (!bler)
		return 0;
	if (n < 1 || n > CELL_HARQ_ATTEMPTS_MAX)
		return config_fail(r, "key 'cell.harq.bler': %zu entries: allowed 1..%d", n,
		                   CELL_HARQ_ATTEMPTS_MAX);
	for (size_t i = 0; i < n; i++) {
		const json_t *v = json_array_get(bler, i);
		double p = json_number_value(v);

		if (!json_is_number(v) || p < 0 || p > 1)
			return config_fail(r, "key 'cell.harq.bler[%zu]': value %g: allowed 0..1",
			                   i, p);
		cell->harq.bler_q32[i] = (uint32_t)(p * 4294967295.0);
	}
	cell->harq.n_bler = (uint8_t)n;
	return 0;
}

/* crowd.cqi: each modelled UE has one of them. */
static int read_crowd_cqi(struct reader *r, const json_t *list)
{
	struct cell_cfg *cell = &r->cfg->cell;
	size_t n = json_array_size(list);

	if (!list)
		return 0;
	if (n < 1 || n > CELL_CROWD_CQI_MAX)
		return config_fail(r, "key 'cell.crowd.cqi': %zu entries: allowed 1..%d", n,
		                   CELL_CROWD_CQI_MAX);
	for (size_t i = 0; i < n; i++) {
		const json_t *v = json_array_get(list, i);
		json_int_t cqi = json_integer_value(v);

		if (cqi < 1 || cqi > 15)
			return config_fail(r,
			                   "key 'cell.crowd.cqi[%zu]': value %lld: allowed 1..15",
			                   i, (long long)cqi);
		cell->crowd.cqi[i] = (uint8_t)cqi;
	}
	cell->crowd.n_cqi = (uint8_t)n;
	return 0;
}

static int read_packet_trace(struct reader *r, json_t *trace)
{
	return trace ? config_read_link(r, "cell.packet_trace", trace, &r->cfg->cell.recorded) : 0;
}

static int read_constant_rate(struct reader *r, const json_t *link)
{
	struct cell_netem *netem = r->cfg->cell.constant.netem;
	int err = config_read_netem(r, "cell.constant_rate", link, "uplink", &netem[CELL_DIR_UL]);

	return err < 0 ? err
	               : config_read_netem(r, "cell.constant_rate", link, "downlink",
	                                   &netem[CELL_DIR_DL]);
}

static int read_cell(struct reader *r, json_t *cell)
{
	const char *field, *range;
	int err = config_read_object(r, config_cell.name, cell, config_cell.keys,
	                             config_cell.elsewhere, &r->cfg->cell);

	for (const struct section *s = config_sections; err == 0 && s->name; s++) {
		json_t *part = json_object_get(cell, s->name);
		char path[32];

		(void)snprintf(path, sizeof(path), "cell.%s", s->name);
		if (part)
			err = config_read_object(r, path, part, s->keys, s->elsewhere,
			                         &r->cfg->cell);
	}
	if (err == 0)
		err = config_read_qdiscs(r, "cell", cell, &r->cfg->cell.rlc);
	if (err == 0)
		err = read_ladder(r, json_object_get(json_object_get(cell, "harq"), "bler"));
	r->cfg->cell.handover.a3.on = json_object_get(cell, "a3") != NULL;
	r->cfg->cell.handover.condition.on = json_object_get(cell, "condition") != NULL;
	r->cfg->cell.handover.link_failure.on = json_object_get(cell, "link_failure") != NULL;
	r->cfg->cell.nr.broadcast.on = json_object_get(cell, "broadcast") != NULL;
	r->cfg->cell.en_dc.scg.on = json_object_get(cell, "scg") != NULL;
	r->cfg->cell.handover.detach_times.on = json_object_get(cell, "detach_times") != NULL;
	r->cfg->cell.handover.preparation_times.on =
		json_object_get(cell, "preparation_times") != NULL;
	if (err == 0)
		err = read_crowd_cqi(r, json_object_get(json_object_get(cell, "crowd"), "cqi"));
	if (err == 0)
		err = read_packet_trace(r, json_object_get(cell, "packet_trace"));
	if (err == 0)
		err = read_constant_rate(r, json_object_get(cell, "constant_rate"));
	if (err == 0)
		err = config_read_enbs(r, cell);
	if (r->cfg->cell.system == CELL_SYSTEM_EN_DC && r->cfg->cell.n_enb == 1)
		r->cfg->cell.n_enb = 2; /* without names */
	if (err == 0)
		err = read_ues(r, json_object_get(cell, "ues"));
	if (err == 0 && cell_cfg_check(&r->cfg->cell, &field, &range) < 0)
		err = config_fail(r, "cell: %s: allowed %s", field, range);
	return err;
}

/* Channels over time are those of LTE, NR and both. */
static int check_system(struct reader *r)
{
	uint8_t system = r->cfg->cell.system;

	if (*r->cfg->channel && system != CELL_SYSTEM_LTE && system != CELL_SYSTEM_NR &&
	    system != CELL_SYSTEM_EN_DC)
		return config_fail(
			r, "key '(top).channel': this cell.system has no channel over time; "
			   "remove the key, or set cell.system: lte, nr, en_dc");
	return 0;
}

static int read_top(struct reader *r, json_t *top)
{
	static const char *const elsewhere[] = {
		"format", "cell", "ports", "events", "output", NULL
	};
	json_t *output = json_object_get(top, "output");
	int err;

	if (!json_is_object(top))
		return config_fail(r, "not a JSON object; write one");
	if (json_integer_value(json_object_get(top, "format")) != FORMAT)
		return config_fail(r, "key 'format': allowed %d", FORMAT);
	err = config_read_object(r, "(top)", top, top_keys, elsewhere, r->cfg);
	if (err == 0)
		err = read_cell(r, json_object_get(top, "cell"));
	if (err == 0)
		err = config_read_ports(r, json_object_get(top, "ports"));
	if (err == 0)
		err = config_read_events(r, json_object_get(top, "events"));
	if (err == 0)
		err = check_system(r);
	if (err == 0 && output)
		err = config_read_object(r, "output", output, output_keys, NULL, &r->cfg->output);
	return err;
}

int config_parse(struct config *ret, const char *text, size_t len, const char *name,
                 char ret_error[CONFIG_ERROR_MAX])
{
	struct reader r = { .cfg = ret, .name = name, .error = ret_error };
	json_error_t je;
	json_t *top = json_loadb(text, len, JSON_REJECT_DUPLICATES, &je);
	int err;

	memset(ret, 0, sizeof(*ret));
	cell_cfg_default(&ret->cell);
	if (!top)
		return config_fail(&r, "line %d: not JSON: %s", je.line, je.text);
	err = read_top(&r, top);
	json_decref(top);
	return err;
}

int config_load(struct config *ret, const char *path, char ret_error[CONFIG_ERROR_MAX])
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t cap = 0;
	ssize_t len;
	int err;

	if (!f) {
		err = -errno;
		(void)snprintf(ret_error, CONFIG_ERROR_MAX, "%s: %s", path, strerror(-err));
		return err;
	}
	len = getdelim(&text, &cap, '\0', f);
	err = ferror(f) ? -errno : 0;
	(void)fclose(f);
	if (err < 0)
		(void)snprintf(ret_error, CONFIG_ERROR_MAX, "%s: %s", path, strerror(-err));
	else
		err = config_parse(ret, text, len > 0 ? (size_t)len : 0, path, ret_error);
	free(text);
	return err;
}
