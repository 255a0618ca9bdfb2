/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_network.c - core network, handover and ports; see config_network.h. */
#include "config_network.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PORT_KEYS(mtu_max)                                                                         \
	{                                                                                          \
		KEY(config_port, "netns", netns, KIND_STRING, 0, 0),                               \
			KEY(config_port, "ifname", ifname, KIND_STRING, 0, 0),                     \
			KEY(config_port, "mtu", mtu, KIND_UINT, 68, mtu_max),                      \
			KEY(config_port, "txqueuelen", txqueuelen, KIND_UINT, 1, 100000),          \
			KEY(config_port, "ipv6", ipv6, KIND_BOOL, 0, 0),                           \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

static const struct key ue_port_keys[] = PORT_KEYS(CELL_UE_MTU_MAX);
static const struct key core_port_keys[] = PORT_KEYS(CELL_MTU_MAX);

uint8_t config_ue(const struct config *cfg, const char *name)
{
	for (uint8_t i = 0; i < cfg->cell.n_ue; i++)
		if (strcmp(cfg->ue_name[i], name) == 0)
			return (uint8_t)(i + 1);
	return 0;
}

uint8_t config_enb(const struct config *cfg, const char *name)
{
	for (uint8_t k = 0; k < cfg->cell.n_enb; k++)
		if (*name && strcmp(cfg->enb_name[k], name) == 0)
			return k;
	return CELL_MAX_ENB;
}

const char *config_port_name(const struct config *cfg, uint8_t port)
{
	static char name[sizeof(CONFIG_NETWORK "/") + CONFIG_NAME_MAX];
	uint8_t enb = (uint8_t)(port - CELL_PORT_ENB(0)); /* large for other ports */
	uint8_t ue;

	if (port == CELL_PORT_SGW)
		return "sgw";
	if (enb < CELL_MAX_ENB) {
		(void)snprintf(name, sizeof(name), "enb/%s", cfg->enb_name[enb]);
		return name;
	}
	ue = port & (uint8_t)~CELL_PORT_NETWORK;
	assert(ue >= 1 && ue <= CELL_MAX_UE);
	if (ue == port)
		return cfg->ue_name[ue - 1];
	(void)snprintf(name, sizeof(name), CONFIG_NETWORK "/%s", cfg->ue_name[ue - 1]);
	return name;
}

/* --- core network --- */

/* An IPv4 address, or 0 where the key is absent and may be. */
static int read_address(struct reader *r, const char *path, const char *key, const json_t *object,
                        uint32_t *ret)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);
	struct in_addr in;

	*ret = 0;
	if (!value || json_is_null(value))
		return 0;
	if (!text || inet_pton(AF_INET, text, &in) != 1 || in.s_addr == 0)
		return config_fail(r, "key '%s.%s': value '%s': allowed an IPv4 address", path, key,
		                   text ? text : "(not a string)");
	*ret = ntohl(in.s_addr);
	return 0;
}

/* An IPv6 address, zeros where the key is absent. */
static int read_address6(struct reader *r, const char *path, const char *key, const json_t *object,
                         uint8_t ret[sizeof(struct in6_addr)])
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);

	memset(ret, 0, sizeof(struct in6_addr));
	if (!value || json_is_null(value))
		return 0;
	if (!text || inet_pton(AF_INET6, text, ret) != 1)
		return config_fail(r, "key '%s.%s': value '%s': allowed an IPv6 address", path, key,
		                   text ? text : "(not a string)");
	return 0;
}

/* An end of a tunnel: an IPv4 address, or one of IPv6, of which all ends have the same first 96
 * bits; 0 where the key is absent. */
static int read_tunnel_end(struct reader *r, const char *path, const json_t *object, uint32_t *ret)
{
	struct cell_gtpu_cfg *cfg = &r->cfg->cell.gtpu;
	const char *text = json_string_value(json_object_get(object, "gtpu_address"));
	struct in6_addr in;
	bool first = !cfg->sgw_addr && !cfg->enb_addr[0];
	uint32_t low;

	if (!text || !strchr(text, ':')) {
		if (text && cfg->ipv6)
			return config_fail(r,
			                   "key '%s.gtpu_address': value '%s': allowed an IPv6 "
			                   "address, as another end has",
			                   path, text);
		return read_address(r, path, "gtpu_address", object, ret);
	}
	if (inet_pton(AF_INET6, text, &in) != 1)
		return config_fail(r, "key '%s.gtpu_address': value '%s': allowed an IP address",
		                   path, text);
	memcpy(&low, in.s6_addr + sizeof(cfg->prefix), sizeof(low));
	if (low == 0 || (!first && !cfg->ipv6) ||
	    (!first && memcmp(in.s6_addr, cfg->prefix, sizeof(cfg->prefix)) != 0))
		return config_fail(r,
		                   "key '%s.gtpu_address': value '%s': allowed one with the first "
		                   "96 bits of other ends and others behind them",
		                   path, text);
	cfg->ipv6 = 1;
	memcpy(cfg->prefix, in.s6_addr, sizeof(cfg->prefix));
	*ret = ntohl(low);
	return 0;
}

static int read_enb(struct reader *r, json_t *enb, uint8_t k)
{
	static const struct key none[] = { { 0 } };
	static const char *const keys[] = { "name", "gtpu_address", NULL };
	struct config *cfg = r->cfg;
	const char *name = json_string_value(json_object_get(enb, "name"));
	char path[32];
	int err;

	(void)snprintf(path, sizeof(path), "cell.enbs[%u]", k);
	err = config_read_object(r, path, enb, none, keys, cfg);
	if (err < 0)
		return err;
	if (!name || !*name || strlen(name) >= CONFIG_NAME_MAX)
		return config_fail(r, "key '%s.name': allowed names of 1..%d bytes", path,
		                   CONFIG_NAME_MAX - 1);
	if (config_enb(cfg, name) != CELL_MAX_ENB)
		return config_fail(
			r,
			"key '%s.name': value '%s': another eNB has this name; choose another one",
			path, name);
	(void)snprintf(cfg->enb_name[k], CONFIG_NAME_MAX, "%s", name);
	return read_tunnel_end(r, path, enb, &cfg->cell.gtpu.enb_addr[k]);
}

int config_read_enbs(struct reader *r, json_t *cell)
{
	static const struct key none[] = { { 0 } };
	static const char *const sgw_keys[] = { "gtpu_address", NULL };
	struct cell_cfg *cfg = &r->cfg->cell;
	json_t *enbs = json_object_get(cell, "enbs"), *sgw = json_object_get(cell, "sgw");
	size_t n = json_array_size(enbs);
	int err = 0;

	if (enbs && (n < 1 || n > CELL_MAX_ENB))
		return config_fail(r, "key 'cell.enbs': %zu entries: allowed 1..%d", n,
		                   CELL_MAX_ENB);
	for (uint8_t k = 0; k < n && err == 0; k++) {
		cfg->n_enb = (uint8_t)(k + 1);
		err = read_enb(r, json_array_get(enbs, k), k);
	}
	if (err < 0 || !sgw || json_is_null(sgw))
		return err;
	err = config_read_object(r, "cell.sgw", sgw, none, sgw_keys, cfg);
	if (err == 0)
		err = read_tunnel_end(r, "cell.sgw", sgw, &cfg->gtpu.sgw_addr);
	if (err == 0 && !cfg->gtpu.sgw_addr)
		err = config_fail(r, "key 'cell.sgw.gtpu_address': missing; add an IP address");
	return err;
}

int config_read_tunnels(struct reader *r, const char *path, const json_t *object,
                        struct cell_ue_cfg *ue)
{
	const json_t *enb = json_object_get(object, "enb");
	const char *name = json_string_value(enb);
	int err;

	if (enb) {
		ue->enb = config_enb(r->cfg, name ? name : "");
		if (ue->enb == CELL_MAX_ENB)
			return config_fail(r,
			                   "key '%s.enb': value '%s': allowed the name of an eNB",
			                   path, name ? name : "(not a string)");
	}
	err = read_address(r, path, "address", object, &ue->addr);
	if (err == 0)
		err = read_address6(r, path, "address6", object, ue->addr6);
	return err < 0 ? err : read_address6(r, path, "clat6", object, ue->clat6);
}

/* --- ports --- */

/* The end of a tunnel, or -1 for another side. */
static int read_core_side(struct reader *r, const char *path, const char *side, const json_t *o,
                          uint8_t *ret_port)
{
	const char *name = json_string_value(json_object_get(o, "enb"));
	uint8_t enb = config_enb(r->cfg, name ? name : "");

	if (!side || (strcmp(side, "sgw") != 0 && strcmp(side, "enb") != 0))
		return -1;
	if (!r->cfg->cell.gtpu.sgw_addr)
		return config_fail(r,
		                   "key '%s.side': value '%s': the cell has no S-GW; add "
		                   "'cell.sgw'",
		                   path, side);
	*ret_port = CELL_PORT_SGW;
	if (strcmp(side, "sgw") == 0)
		return 0;
	if (enb == CELL_MAX_ENB)
		return config_fail(r, "key '%s.enb': value '%s': allowed the name of an eNB", path,
		                   name ? name : "(none)");
	*ret_port = (uint8_t)CELL_PORT_ENB(enb);
	return 0;
}

/* A UE's own port, or with side "network" the one behind the eNB. */
static int read_ue_side(struct reader *r, const char *path, const char *side, const json_t *o,
                        uint8_t *ret_port)
{
	const char *ue = json_string_value(json_object_get(o, "ue"));
	uint8_t port = config_ue(r->cfg, ue ? ue : "");

	if (!side || (strcmp(side, "ue") != 0 && strcmp(side, CONFIG_NETWORK) != 0))
		return config_fail(
			r, "key '%s.side': value '%s': allowed ue, " CONFIG_NETWORK ", sgw, enb",
			path, side ? side : "(not a string)");
	if (!port)
		return config_fail(r, "key '%s.ue': value '%s': allowed the name of a UE", path,
		                   ue ? ue : "(none)");
	*ret_port = port;
	if (strcmp(side, "ue") == 0)
		return 0;
	if (r->cfg->cell.ue[port - 1].peer != CELL_PEER_NETWORK || r->cfg->cell.gtpu.sgw_addr)
		return config_fail(r,
		                   "key '%s.side': value '" CONFIG_NETWORK "': %s '%s' %s; allowed "
		                   "ue",
		                   path, r->cfg->cell.gtpu.sgw_addr ? "packets of" : "the peer of",
		                   ue, r->cfg->cell.gtpu.sgw_addr ? "take the S-GW" : "is a UE");
	*ret_port |= CELL_PORT_NETWORK;
	return 0;
}

static int read_port(struct reader *r, const char *path, json_t *o, struct config_port *p)
{
	static const char *const elsewhere[] = { "ue", "side", "enb", NULL };
	const json_t *side = json_object_get(o, "side");
	const char *name = side ? json_string_value(side) : "ue";
	int core, err;

	*p = (struct config_port){ .txqueuelen = 10000, .ifname = "lte0" };
	core = read_core_side(r, path, name, o, &p->port);
	err = core == -1 ? read_ue_side(r, path, name, o, &p->port) : core;
	if (err < 0)
		return err;
	p->mtu = core == 0 ? CELL_MTU_MAX : CELL_UE_MTU_MAX;
	return config_read_object(r, path, o, core == 0 ? core_port_keys : ue_port_keys, elsewhere,
	                          p);
}

int config_read_ports(struct reader *r, json_t *ports)
{
	struct config *cfg = r->cfg;

	if (config_check_list(r, "ports", ports) < 0)
		return -EINVAL;
	if (json_array_size(ports) > CONFIG_PORTS_MAX)
		return config_fail(r, "key 'ports': %zu entries: allowed 0..%d",
		                   json_array_size(ports), CONFIG_PORTS_MAX);
	for (size_t i = 0; i < json_array_size(ports); i++) {
		char path[32];
		int err;

		(void)snprintf(path, sizeof(path), "ports[%zu]", i);
		err = read_port(r, path, json_array_get(ports, i), &cfg->port[cfg->n_ports++]);
		if (err < 0)
			return err;
	}
	return 0;
}
