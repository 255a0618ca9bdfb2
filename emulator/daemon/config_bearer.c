/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_bearer.c - bearers of UEs; see config_bearer.h. */
#include "config_bearer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfg_values.h"

/* ADDRESS/BITS, of which the address may have at most the length that inet_pton() knows. */
static bool parse_prefix(const char *text, struct cell_prefix *ret)
{
	char addr[INET6_ADDRSTRLEN];
	const char *slash = text ? strchr(text, '/') : NULL;
	unsigned long bits;
	char *end;

	if (!slash || (size_t)(slash - text) >= sizeof(addr) || slash[1] < '0' || slash[1] > '9')
		return false;
	memcpy(addr, text, (size_t)(slash - text));
	addr[slash - text] = '\0';
	ret->version = strchr(addr, ':') ? 6 : 4;
	bits = strtoul(slash + 1, &end, 10);
	ret->bits = (uint8_t)bits;
	return *end == '\0' && bits <= (ret->version == 4 ? 32 : 128) &&
	       inet_pton(ret->version == 4 ? AF_INET : AF_INET6, addr, ret->addr) == 1;
}

/* A prefix, or any address where the key is absent. */
static int read_prefix(struct reader *r, const char *path, const char *key, const json_t *filter,
                       struct cell_prefix *ret)
{
	const json_t *value = json_object_get(filter, key);
	const char *text = json_string_value(value);

	if (value && !parse_prefix(text, ret))
		return config_fail(r,
		                   "key '%s.%s': value '%s': allowed a prefix of IPv4 or IPv6, "
		                   "such as 10.46.0.0/24",
		                   path, key, text ? text : "(not a string)");
	return 0;
}

static int read_filters(struct reader *r, const char *path, const json_t *filters,
                        struct cell_bearer_cfg *b)
{
	size_t n = json_array_size(filters);
	char at[96];

	(void)snprintf(at, sizeof(at), "%s.filters", path);
	if (config_check_list(r, at, filters) < 0)
		return -EINVAL;
	if (n > CELL_MAX_FILTERS)
		return config_fail(r, "key '%s': %zu entries: allowed 0..%d", at, n,
		                   CELL_MAX_FILTERS);
	for (size_t i = 0; i < n; i++) {
		(void)snprintf(at, sizeof(at), "%s.filters[%zu]", path, i);
		b->filter[i] = (struct cell_filter){ CFG_FILTER_DEFAULTS, .dscp = CELL_DSCP_ANY };
		if (config_read_object(r, at, json_array_get(filters, i), config_filters.keys,
		                       config_filters.elsewhere, &b->filter[i]) < 0 ||
		    read_prefix(r, at, "local_address", json_array_get(filters, i),
		                &b->filter[i].local) < 0 ||
		    read_prefix(r, at, "remote_address", json_array_get(filters, i),
		                &b->filter[i].remote) < 0)
			return -EINVAL;
	}
	b->n_filters = (uint8_t)n;
	return 0;
}

int config_read_qdiscs(struct reader *r, const char *path, const json_t *of,
                       struct cell_rlc_cfg *ret)
{
	static const struct {
		const char *name;
		enum cell_dir dir;
	} parts[] = { { "uplink_qdisc", CELL_DIR_UL }, { "downlink_qdisc", CELL_DIR_DL } };
	const json_t *rlc = json_object_get(of, "rlc");

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		json_t *qdisc = json_object_get(rlc, parts[i].name);
		char at[96];

		if (!qdisc)
			continue;
		(void)snprintf(at, sizeof(at), "%s.rlc.%s", path, parts[i].name);
		ret->qdisc[parts[i].dir] = (struct cell_qdisc){ CFG_QDISC_DEFAULTS };
		if (config_read_object(r, at, qdisc, config_qdisc.keys, NULL,
		                       &ret->qdisc[parts[i].dir]) < 0)
			return -EINVAL;
	}
	return 0;
}

/* RLC and PDCP are read by the cell's own tables, into a copy of the cell. */
static int read_layers(struct reader *r, const char *path, const json_t *bearer,
                       struct cell_bearer_cfg *ret)
{
	struct cell_cfg cell = r->cfg->cell;
	char at[96];

	for (const struct section *s = config_sections; s->name; s++) {
		json_t *part = json_object_get(bearer, s->name);

		(void)snprintf(at, sizeof(at), "%s.%s", path, s->name);
		if (part && config_read_object(r, at, part, s->keys, s->elsewhere, &cell) < 0)
			return -EINVAL;
	}
	if (config_read_qdiscs(r, path, bearer, &cell.rlc) < 0)
		return -EINVAL;
	*ret = cell_cfg_bearer(&cell);
	return 0;
}

static int read_bearer(struct reader *r, const char *path, json_t *bearer, uint8_t id)
{
	static const struct cell_bearer_cfg defaults = { CFG_BEARER_DEFAULTS };
	struct cell_bearer_cfg *b = &r->cfg->bearer[r->cfg->cell.n_bearers];

	if (read_layers(r, path, bearer, b) < 0)
		return -EINVAL;
	b->ue = id;
	b->priority = defaults.priority;
	if (config_read_object(r, path, bearer, config_bearers.keys, config_bearers.elsewhere, b) <
	    0)
		return -EINVAL;
	if (read_filters(r, path, json_object_get(bearer, "filters"), b) < 0)
		return -EINVAL;
	r->cfg->cell.n_bearers++;
	return 0;
}

int config_read_bearers(struct reader *r, const char *path, const json_t *ue, uint8_t id)
{
	const json_t *bearers = json_object_get(ue, "bearers");
	size_t n = json_array_size(bearers);
	char at[64];

	(void)snprintf(at, sizeof(at), "%s.bearers", path);
	if (config_check_list(r, at, bearers) < 0)
		return -EINVAL;
	if (n > CELL_MAX_BEARERS)
		return config_fail(r, "key '%s': %zu entries: allowed 0..%d", at, n,
		                   CELL_MAX_BEARERS);
	r->cfg->cell.bearer = r->cfg->bearer;
	for (size_t i = 0; i < n; i++) {
		(void)snprintf(at, sizeof(at), "%s.bearers[%zu]", path, i);
		if (read_bearer(r, at, json_array_get(bearers, i), id) < 0)
			return -EINVAL;
	}
	return 0;
}
