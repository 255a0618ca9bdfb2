/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config.c - JSON configuration; see config.h.
 *
 * Every object is read through a table of its keys, so that an unknown key, a
 * wrong type and a value out of range are found in one place. Ranges of the
 * cell's own values are those of cell_cfg_check().
 */
#include "config_link.h"
#include "config_network.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT 1

static const char *const system_names[] = { "lte", "utran", "packet_trace", NULL };
static const char *const scheduler_names[] = { "rr", "wfq", NULL };
static const char *const rlc_mode_names[] = { "um", "am", NULL };
static const char *const flush_names[] = { "discard", "keep", "retransmit", NULL };
static const char *const delivery_names[] = { "in_sequence", "out_of_sequence", NULL };
static const char *const errors_names[] = { "ladder", "sinr", NULL };
static const char *const dtx_names[] = { "retry", "lose", NULL };
static const char *const on_max_retx_names[] = { "reestablish", "stop", NULL };

static const struct key cell_keys[] = { CELL("n_rb", n_rb, KIND_UINT, 6, 110),
	                                CELL("max_pkts", max_pkts, KIND_UINT, 16, 65536),
	                                CELL("dl_carriers", dl_carriers, KIND_UINT, 1,
	                                     CELL_MAX_CARRIERS),
	                                CELL("dl_codewords", dl_codewords, KIND_UINT, 1, 2),
	                                KEY_ENUM(cell_cfg, "scheduler", scheduler, scheduler_names),
	                                KEY_ENUM(cell_cfg, "system", system, system_names),
	                                { 0 } };
static const struct key utran_keys[] = {
	CELL("tti_ms", utran_tti_ms, KIND_UINT, 10, 80),
	CELL("pdu_bytes", utran_pdu_bytes, KIND_UINT, 8, 126),
	CELL("dl_rate", utran_dl_rate_bps, KIND_UINT, 1, 10000000),
	CELL("ul_rate", utran_ul_rate_bps, KIND_UINT, 1, 10000000),
	CELL("delay_ms", utran_delay_ms, KIND_UINT, 0, 200),
	CELL("bler_dl", utran_bler_dl_q32, KIND_PROBABILITY, 0, 1),
	CELL("bler_ul", utran_bler_ul_q32, KIND_PROBABILITY, 0, 1),
	CELL("max_dat", utran_max_dat, KIND_UINT, 1, 40),
	CELL("tx_window_pdus", utran_tx_window_pdus, KIND_UINT, 1, 2047),
	CELL("poll_pdu", utran_poll_pdu, KIND_UINT, 0, 4095),
	CELL("poll_window_percent", utran_poll_window_percent, KIND_UINT, 1, 100),
	CELL("timer_poll_ms", utran_timer_poll_ms, KIND_UINT, 10, 1000),
	CELL("timer_mrw_ms", utran_timer_mrw_ms, KIND_UINT, 10, 1000),
	CELL("timer_status_prohibit_ms", utran_timer_status_prohibit_ms, KIND_UINT, 0, 1000),
	CELL("queue_pkts", utran_queue_pkts, KIND_UINT, 1, 65536),
	{ 0 }
};
static const struct key packet_trace_keys[] = {
	CELL("delay_ms", opportunity_delay_ms, KIND_UINT, 0, 10000),
	CELL("queue_pkts", opportunity_queue_pkts, KIND_UINT, 1, 65536),
	CELL("queue_bytes", opportunity_queue_bytes, KIND_UINT, 0, 100000000),
	CELL("bytes", opportunity_bytes, KIND_UINT, 100, 9000),
	CELL("uplink_gap_ms", train_gap_ul_ms, KIND_UINT, 0, 60000),
	CELL("downlink_gap_ms", train_gap_dl_ms, KIND_UINT, 0, 60000),
	{ 0 }
};
static const struct key timing_keys[] = {
	CELL("rar_delay_tti", rar_delay_tti, KIND_UINT, 1, 12),
	CELL("grant_to_tx_tti", grant_to_tx_tti, KIND_UINT, 1, 8),
	CELL("decode_tti", decode_tti, KIND_UINT, 1, 8),
	CELL("dl_sched_to_tx_tti", dl_sched_to_tx_tti, KIND_UINT, 1, 8),
	CELL("processing_lead_us", processing_lead_ns, KIND_US_TO_NS, 0, 999),
	{ 0 }
};
static const struct key ra_keys[] = { CELL("rac_timeout_ms", rac_timeout_tti, KIND_MS_TO_TTI, 2,
	                                   1000),
	                              CELL("backoff_max_ms", backoff_max_ms, KIND_UINT, 0, 960),
	                              CELL("n_preambles", n_preambles, KIND_UINT, 1, 64),
	                              CELL("prach_period_tti", prach_period_tti, KIND_UINT, 1, 20),
	                              { 0 } };
static const struct key mac_keys[] = {
	CELL("bsr_grant_rb", bsr_grant_rb, KIND_UINT, 1, 6),
	CELL("bandwidth_stealing", bandwidth_stealing, KIND_BOOL, 0, 1),
	CELL("trailing_bsr", trailing_bsr, KIND_BOOL, 0, 1),
	CELL("enb_overhears_dm", enb_overhears_dm, KIND_BOOL, 0, 1),
	CELL("grants_ignore_headers", grants_ignore_headers, KIND_BOOL, 0, 1),
	CELL("ul_always_scheduled", ul_always_scheduled, KIND_BOOL, 0, 1),
	{ 0 }
};
static const struct key harq_keys[] = {
	KEY_ENUM(cell_cfg, "errors", harq_errors, errors_names),
	CELL("max_attempts", harq_max_attempts, KIND_UINT, 1, CELL_HARQ_ATTEMPTS_MAX),
	CELL("dl_rtt_tti", harq_dl_rtt_tti, KIND_UINT, 8, 32),
	CELL("nack_to_ack", harq_nack_to_ack_q32, KIND_PROBABILITY, 0, 1),
	{ 0 }
};
static const struct key control_keys[] = { CELL("errors", control_errors, KIND_BOOL, 0, 1),
	                                   KEY_ENUM(cell_cfg, "dtx", control_dtx, dtx_names),
	                                   { 0 } };
static const struct key rlc_keys[] = { KEY_ENUM(cell_cfg, "mode", rlc_mode, rlc_mode_names),
	                               KEY_ENUM(cell_cfg, "delivery", delivery, delivery_names),
	                               CELL("t_reordering_ms", t_reordering_ms, KIND_UINT, 0, 200),
	                               CELL("queue_pkts", rlc_queue_pkts, KIND_UINT, 1, 65536),
	                               CELL("queue_bytes", rlc_queue_bytes, KIND_UINT, 0,
	                                    100000000),
	                               { 0 } };
static const struct key rlc_um_keys[] = { CELL("sn_bits", um_sn_bits, KIND_UINT, 5, 10), { 0 } };
static const struct key rlc_am_keys[] = {
	CELL("poll_pdu", am_poll_pdu, KIND_UINT, 1, 1024),
	CELL("poll_byte", am_poll_byte, KIND_UINT, 1, 10000000),
	CELL("t_poll_retransmit_ms", am_t_poll_retransmit_ms, KIND_UINT, 5, 500),
	CELL("t_status_prohibit_ms", am_t_status_prohibit_ms, KIND_UINT, 0, 500),
	CELL("max_retx_threshold", am_max_retx_threshold, KIND_UINT, 1, 32),
	KEY_ENUM(cell_cfg, "on_max_retx", am_on_max_retx, on_max_retx_names),
	CELL("reestablish_ms", am_reestablish_ms, KIND_UINT, 0, 10000),
	{ 0 }
};
static const struct key pdcp_keys[] = {
	CELL("sn_bits", pdcp_sn_bits, KIND_UINT, 7, 12),
	CELL("discard_timer_ms", discard_timer_ms, KIND_UINT, 0, 1500),
	CELL("reordering", pdcp_reordering, KIND_BOOL, 0, 1),
	CELL("t_reordering_ms", pdcp_t_reordering_ms, KIND_UINT, 0, 3000),
	{ 0 }
};

static const struct key mode_switch_keys[] = { CELL("select_ms", mode_select_ms, KIND_UINT, 0,
	                                            60000),
	                                       KEY_ENUM(cell_cfg, "flush", mode_flush, flush_names),
	                                       CELL("flush_air", mode_flush_air, KIND_BOOL, 0, 1),
	                                       { 0 } };

#define UE(key, field, kind, lo, hi) KEY(cell_ue_cfg, key, field, kind, lo, hi)

static const struct key ue_keys[] = { UE("rnti", rnti, KIND_UINT, 1, 65523),
	                              UE("cqi_ul", cqi_ul, KIND_UINT, 1, 15),
	                              UE("cqi_dl", cqi_dl, KIND_UINT, 1, 15),
	                              UE("cqi_sl", cqi_sl, KIND_UINT, 1, 15),
	                              UE("bler_ul", bler_ul_q32, KIND_PROBABILITY, 0, 1),
	                              UE("bler_dl", bler_dl_q32, KIND_PROBABILITY, 0, 1),
	                              UE("bler_sl", bler_sl_q32, KIND_PROBABILITY, 0, 1),
	                              KEY_ENUM(cell_ue_cfg, "mode", mode, config_mode_names),
	                              UE("weight", weight, KIND_UINT, 1, 255),
	                              { 0 } };
static const char *const detail_names[] = { "full", "events", NULL };

static const struct key output_keys[] = {
	KEY_ENUM(config_output, "trace_detail", trace_detail, detail_names),
	KEY(config_output, "trace", trace, KIND_STRING, 0, 0),
	KEY(config_output, "pcap", pcap, KIND_STRING, 0, 0),
	KEY(config_output, "stats", stats, KIND_STRING, 0, 0),
	KEY(config_output, "arrivals", arrivals, KIND_STRING, 0, 0),
	KEY(config_output, "deliveries", deliveries, KIND_STRING, 0, 0),
	{ 0 }
};
static const struct key top_keys[] = {
	KEY(config, "control", control, KIND_STRING, 0, 0),
	KEY(config, "channel", channel, KIND_STRING, 0, 0),
	KEY(config, "start_ns", start_ns, KIND_UINT, 0, 9007199254740991.0),
	KEY(config, "realtime", realtime, KIND_BOOL, 0, 1),
	KEY(config, "seed", cell.seed, KIND_UINT, 0, 9007199254740991.0),
	{ 0 }
};

static int read_ues(struct reader *r, json_t *ues)
{
	static const char *const elsewhere[] = { "name", "peer", "enb", "address", NULL };
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
			return config_fail(
				r, "key 'cell.ues[%zu].name': expected a name of 1..%d bytes", i,
				CONFIG_NAME_MAX - 1);
		if (config_ue(cfg, name))
			return config_fail(
				r, "key 'cell.ues[%zu].name': value '%s': another UE has it", i,
				name);
		if (strcmp(name, CONFIG_NETWORK) == 0)
			return config_fail(r,
			                   "key 'cell.ues[%zu].name': value '%s': means the "
			                   "network as a peer",
			                   i, name);
		(void)snprintf(cfg->ue_name[i], CONFIG_NAME_MAX, "%s", name);
		cfg->cell.ue[i] = (struct cell_ue_cfg){ .rnti = (uint16_t)(61 + i),
			                                .mode = CELL_MODE_DM,
			                                .cqi_ul = 15,
			                                .cqi_dl = 15,
			                                .cqi_sl = 15 };
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
		err = config_read_object(r, path, ue, ue_keys, elsewhere, &cfg->cell.ue[i]);
		if (err == 0)
			err = config_read_tunnels(r, path, ue, &cfg->cell.ue[i]);
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
		cell->harq_bler_q32[i] = (uint32_t)(p * 4294967295.0);
	}
	cell->n_harq_bler = (uint8_t)n;
	return 0;
}

static int read_packet_trace(struct reader *r, const json_t *trace)
{
	int err;

	if (!trace)
		return 0;
	err = config_read_link(r, trace, "uplink", CELL_DIR_UL);
	return err < 0 ? err : config_read_link(r, trace, "downlink", CELL_DIR_DL);
}

static int read_cell(struct reader *r, json_t *cell)
{
	static const char *const elsewhere[] = {
		"timing", "ra",     "mac",  "harq",        "control",      "rlc",
		"rlc_um", "rlc_am", "pdcp", "mode_switch", "ues",          "handover",
		"gtpu",   "enbs",   "sgw",  "utran",       "packet_trace", NULL
	};
	static const char *const ladder[] = { "bler", NULL };
	static const char *const links[] = { "uplink",
		                             "downlink",
		                             "uplink_trains",
		                             "downlink_trains",
		                             "uplink_sizes_us",
		                             "downlink_sizes_us",
		                             NULL };
	static const struct {
		const char *name;
		const struct key *keys;
		const char *const *elsewhere;
	} parts[] = { { "timing", timing_keys, NULL },
		      { "ra", ra_keys, NULL },
		      { "mac", mac_keys, NULL },
		      { "harq", harq_keys, ladder },
		      { "control", control_keys, NULL },
		      { "rlc", rlc_keys, NULL },
		      { "rlc_um", rlc_um_keys, NULL },
		      { "rlc_am", rlc_am_keys, NULL },
		      { "pdcp", pdcp_keys, NULL },
		      { "mode_switch", mode_switch_keys, NULL },
		      { "handover", config_handover_keys, NULL },
		      { "gtpu", config_gtpu_keys, NULL },
		      { "utran", utran_keys, NULL },
		      { "packet_trace", packet_trace_keys, links } };
	const char *field, *range;
	int err = config_read_object(r, "cell", cell, cell_keys, elsewhere, &r->cfg->cell);

	for (size_t i = 0; err == 0 && i < sizeof(parts) / sizeof(*parts); i++) {
		json_t *part = json_object_get(cell, parts[i].name);
		char path[32];

		(void)snprintf(path, sizeof(path), "cell.%s", parts[i].name);
		if (part)
			err = config_read_object(r, path, part, parts[i].keys, parts[i].elsewhere,
			                         &r->cfg->cell);
	}
	if (err == 0)
		err = read_ladder(r, json_object_get(json_object_get(cell, "harq"), "bler"));
	if (err == 0)
		err = read_packet_trace(r, json_object_get(cell, "packet_trace"));
	if (err == 0)
		err = config_read_enbs(r, cell);
	if (err == 0)
		err = read_ues(r, json_object_get(cell, "ues"));
	if (err == 0 && cell_cfg_check(&r->cfg->cell, &field, &range) < 0)
		err = config_fail(r, "cell: %s: allowed %s", field, range);
	return err;
}

/* Changes at given times are those of an LTE cell: another one would take none. */
static int check_system(struct reader *r)
{
	const char *key = *r->cfg->channel ? "(top).channel" : "events";

	if (r->cfg->cell.system == CELL_SYSTEM_LTE || (!*r->cfg->channel && !r->cfg->n_events))
		return 0;
	return config_fail(r, "key '%s': allowed only with cell.system lte", key);
}

static int read_top(struct reader *r, json_t *top)
{
	static const char *const elsewhere[] = {
		"format", "cell", "ports", "events", "output", NULL
	};
	json_t *output = json_object_get(top, "output");
	int err;

	if (!json_is_object(top))
		return config_fail(r, "expected a JSON object");
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
		return config_fail(&r, "line %d: %s", je.line, je.text);
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
