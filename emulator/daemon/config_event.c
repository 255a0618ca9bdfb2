/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_event.c - changes, at given times or now; see config_event.h. */
#include "config_event.h"

#include "config_network.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LTE      (1u << CELL_SYSTEM_LTE)
#define NR       (1u << CELL_SYSTEM_NR)
#define EN_DC    (1u << CELL_SYSTEM_EN_DC)
#define CONSTANT (1u << CELL_SYSTEM_CONSTANT_RATE)
#define LINKS    (CONSTANT | 1u << CELL_SYSTEM_PACKET_TRACE)
#define NO_DIR   0
#define DAY_MS   86400000

/* What an event may change, and in which systems. */
static const struct change_kind {
	const char *name;
	enum cell_cmd_type type;
	uint8_t dir;
	uint32_t systems;
} kinds[] = {
	{ "mode", CELL_CMD_ROUTE, NO_DIR, LTE },
	{ "handover", CELL_CMD_HANDOVER, NO_DIR, LTE | NR },
	{ "predict", CELL_CMD_PREDICT, NO_DIR, LTE | NR },
	{ "cqi_ul", CELL_CMD_CHANNEL, CELL_DIR_UL, LTE | NR | EN_DC },
	{ "cqi_dl", CELL_CMD_CHANNEL, CELL_DIR_DL, LTE | NR | EN_DC },
	{ "cqi_sl", CELL_CMD_CHANNEL, CELL_DIR_SL, LTE },
	{ "dl_rate", CELL_CMD_RATE, CELL_DIR_DL, CONSTANT },
	{ "ul_rate", CELL_CMD_RATE, CELL_DIR_UL, CONSTANT },
	{ "loss_dl", CELL_CMD_LOSS, CELL_DIR_DL, LINKS },
	{ "loss_ul", CELL_CMD_LOSS, CELL_DIR_UL, LINKS },
	{ "delay_ms", CELL_CMD_DELAY, NO_DIR, LINKS },
	{ "outage_ms", CELL_CMD_OUTAGE, NO_DIR, LINKS },
	{ "flush", CELL_CMD_FLUSH, NO_DIR, LTE | NR | EN_DC | LINKS },
};

#define N_KINDS (sizeof(kinds) / sizeof(*kinds))

static const struct key keys[] = {
	KEY(config_event, "t_ms", t_ms, KIND_UINT, 0, DAY_MS),
	KEY_ENUM(config_event, "mode", cmd.mode, config_mode_names),
	KEY(config_event, "cqi_ul", cmd.cqi, KIND_UINT, 0, 15),
	KEY(config_event, "cqi_dl", cmd.cqi, KIND_UINT, 0, 15),
	KEY(config_event, "cqi_sl", cmd.cqi, KIND_UINT, 0, 15),
	KEY(config_event, "dl_rate", cmd.value, KIND_UINT, CELL_RATE_MIN_BPS, CELL_RATE_MAX_BPS),
	KEY(config_event, "ul_rate", cmd.value, KIND_UINT, CELL_RATE_MIN_BPS, CELL_RATE_MAX_BPS),
	KEY(config_event, "loss_dl", cmd.value, KIND_PROBABILITY, 0, 1),
	KEY(config_event, "loss_ul", cmd.value, KIND_PROBABILITY, 0, 1),
	KEY(config_event, "delay_ms", cmd.value, KIND_UINT, 0, CELL_DELAY_MAX_MS),
	KEY(config_event, "outage_ms", cmd.value, KIND_UINT, 0, CELL_OUTAGE_MAX_MS),
	KEY(config_event, "flush", cmd.value, KIND_BOOL, 0, 0),
	{ 0 }
};

/* `handover` or `predict`: an eNB. */
static int read_target(struct reader *r, const char *path, const char *key, const json_t *o,
                       struct cell_cmd *cmd)
{
	const char *enb = json_string_value(json_object_get(o, key));

	cmd->enb = config_enb(r->cfg, enb ? enb : "");
	if (cmd->enb == CELL_MAX_ENB)
		return config_fail(r, "key '%s.%s': value '%s': allowed the name of an eNB", path,
		                   key, enb ? enb : "(not a string)");
	if (!r->cfg->cell.gtpu.sgw_addr || r->cfg->cell.ue[cmd->ue - 1].peer != CELL_PEER_NETWORK)
		return config_fail(r,
		                   "key '%s.%s': the UE does not reach an S-GW; set its peer "
		                   "to " CONFIG_NETWORK " and add 'cell.sgw'",
		                   path, key);
	return 0;
}

/* The CQI is that of a channel over time, or of one cell only. */
static int check_channel(struct reader *r, const char *path, const char *key, struct cell_cmd *cmd)
{
	cmd->sinr_cdb = CELL_SINR_UNKNOWN;
	if (*r->cfg->channel || r->cfg->cell.n_enb > 1)
		return config_fail(r, "key '%s.%s': %s; allowed where it is constant", path, key,
		                   *r->cfg->channel ? "the CQI follows the channel over time"
		                                    : "each eNB has a channel of its own");
	return 0;
}

/* The only change in @o, or NULL; @ret_n: how many there are. */
static const struct change_kind *kind_of(const json_t *o, int *ret_n)
{
	const struct change_kind *found = NULL;

	*ret_n = 0;
	for (size_t i = 0; i < N_KINDS; i++)
		if (json_object_get(o, kinds[i].name)) {
			found = &kinds[i];
			(*ret_n)++;
		}
	return *ret_n == 1 ? found : NULL;
}

/* "dl_rate, loss_dl": what may change in this system. */
static void list_kinds(char *ret, size_t size, uint32_t system)
{
	*ret = 0;
	for (size_t i = 0; i < N_KINDS; i++)
		if (kinds[i].systems >> system & 1)
			(void)snprintf(ret + strlen(ret), size - strlen(ret), "%s%s",
			               *ret ? ", " : "", kinds[i].name);
	if (!*ret)
		(void)snprintf(ret, size, "none");
}

static int check_kind(struct reader *r, const char *path, const struct change_kind *k,
                      const json_t *o, struct cell_cmd *cmd)
{
	const struct cell_cfg *cell = &r->cfg->cell;
	bool conditional = cell->handover.procedure == CELL_HO_CONDITIONAL;
	char allowed[160];

	list_kinds(allowed, sizeof(allowed), cell->system);
	if (!(k->systems >> cell->system & 1) ||
	    (k->type == CELL_CMD_PREDICT && cell->system == CELL_SYSTEM_NR && !conditional))
		return config_fail(r, "key '%s.%s': this cell.system does not have it; allowed %s",
		                   path, k->name, allowed);
	if (k->type == CELL_CMD_HANDOVER || k->type == CELL_CMD_PREDICT)
		return read_target(r, path, k->name, o, cmd);
	if (k->type == CELL_CMD_CHANNEL)
		return check_channel(r, path, k->name, cmd);
	if (k->type == CELL_CMD_FLUSH && !cmd->value)
		return config_fail(r, "key '%s.flush': value false: allowed true", path);
	if (k->type == CELL_CMD_ROUTE && cmd->mode == CELL_MODE_DM &&
	    cell->ue[cmd->ue - 1].peer == CELL_PEER_NETWORK)
		return config_fail(r,
		                   "key '%s.mode': value 'dm': the peer of '%s' is the network; "
		                   "allowed im",
		                   path, r->cfg->ue_name[cmd->ue - 1]);
	return 0;
}

int config_read_event(struct reader *r, const char *path, json_t *o, struct config_event *ret)
{
	static const char *const elsewhere[] = { "ue", "handover", "predict", NULL };
	const char *ue = json_string_value(json_object_get(o, "ue"));
	const struct change_kind *k;
	char allowed[160];
	int n;

	*ret = (struct config_event){ .cmd.ue = config_ue(r->cfg, ue ? ue : "") };
	if (!ret->cmd.ue)
		return config_fail(r, "key '%s.ue': value '%s': allowed the name of a UE", path,
		                   ue ? ue : "(none)");
	if (config_read_object(r, path, o, keys, elsewhere, ret) < 0)
		return -EINVAL;
	k = kind_of(o, &n);
	list_kinds(allowed, sizeof(allowed), r->cfg->cell.system);
	if (!k)
		return config_fail(r, "key '%s': %d changes: allowed one of %s", path, n, allowed);
	ret->cmd.type = k->type;
	ret->cmd.dir = k->dir;
	return check_kind(r, path, k, o, &ret->cmd);
}

int config_read_events(struct reader *r, json_t *events)
{
	size_t n = json_array_size(events);

	if (config_check_list(r, "events", events) < 0)
		return -EINVAL;
	if (n > CONFIG_EVENTS_MAX)
		return config_fail(r, "key 'events': %zu entries: allowed 0..%d", n,
		                   CONFIG_EVENTS_MAX);
	for (size_t i = 0; i < n; i++) {
		char path[32];
		int err;

		(void)snprintf(path, sizeof(path), "events[%zu]", i);
		err = config_read_event(r, path, json_array_get(events, i), &r->cfg->event[i]);
		if (err < 0)
			return err;
		r->cfg->n_events++;
	}
	return 0;
}
