/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_config.c - JSON configurations: refused with one line that names the
 * file, or such that the core takes them.
 */
#include <string.h>

#include "fuzz.h"
#include "script.h"

#define NAME "fuzz.json"

static void check_refusal(const char *error)
{
	FUZZ_CHECK(memchr(error, '\0', CONFIG_ERROR_MAX));
	FUZZ_CHECK(strncmp(error, NAME ": ", strlen(NAME ": ")) == 0);
	FUZZ_CHECK(strlen(error) > strlen(NAME ": ") && !strpbrk(error, "\n\r\x1b"));
}

static void check_names(const struct config *cfg)
{
	for (size_t i = 0; i < cfg->n_ports; i++) {
		FUZZ_CHECK(*config_port_name(cfg, cfg->port[i].port));
		FUZZ_CHECK(memchr(cfg->port[i].ifname, '\0', sizeof(cfg->port[i].ifname)));
	}
	for (uint8_t i = 0; i < cfg->cell.n_ue; i++) {
		uint8_t ue = config_ue(cfg, cfg->ue_name[i]);

		FUZZ_CHECK(ue == i + 1);
	}
	for (uint8_t k = 0; k < cfg->cell.n_enb; k++)
		FUZZ_CHECK(!*cfg->enb_name[k] || config_enb(cfg, cfg->enb_name[k]) == k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct config cfg;
	char error[CONFIG_ERROR_MAX];
	const char *field, *range;
	struct script script;

	memset(error, 'x', sizeof(error));
	if (config_parse(&cfg, (const char *)data, size, NAME, error) < 0) {
		check_refusal(error);
		return 0;
	}
	FUZZ_CHECK(cell_cfg_check(&cfg.cell, &field, &range) == 0);
	FUZZ_CHECK(cfg.n_ports <= CONFIG_PORTS_MAX && cfg.n_events <= CONFIG_EVENTS_MAX);
	check_names(&cfg);
	FUZZ_CHECK(cell_size(&cfg.cell) > 0 && cell_out_min(&cfg.cell) > 0);
	*cfg.channel = '\0'; /* a file of this machine */
	if (script_open(&script, &cfg, 0, error) == 0)
		FUZZ_CHECK(script.events.n >= cfg.n_events);
	script_close(&script);
	return 0;
}
