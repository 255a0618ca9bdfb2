/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_channel.c - channel traces: refused with one line that names the file,
 * or events of the cell in order of time.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "script.h"

#define START_NS INT64_C(1000000000)

static void check_changes(const struct script_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct cell_cmd *cmd = &l->event[i].cmd;

		FUZZ_CHECK(cmd->ue >= 1 && cmd->ue <= 3 && cmd->enb < 2);
		if (cmd->type == CELL_CMD_MEASURE)
			FUZZ_CHECK(cmd->rsrp_cdbm >= CELL_RSRP_MIN_CDBM);
		else
			FUZZ_CHECK(cmd->type == CELL_CMD_CHANNEL && cmd->dir < CELL_DIR_COUNT &&
			           cmd->cqi <= 15);
		FUZZ_CHECK(l->event[i].t_ns >= START_NS);
		FUZZ_CHECK(i == 0 || l->event[i].t_ns >= l->event[i - 1].t_ns);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct config cfg;
	char error[CONFIG_ERROR_MAX];
	struct script script;
	int fd = memfd_create("channel", MFD_CLOEXEC);

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	cfg.cell.n_ue = 3;
	cfg.cell.n_enb = 2;
	(void)snprintf(cfg.channel, sizeof(cfg.channel), "/proc/self/fd/%d", fd);
	memset(error, 'x', sizeof(error));
	if (script_open(&script, &cfg, START_NS, error) == 0) {
		check_changes(&script.changes);
	} else {
		FUZZ_CHECK(memchr(error, '\0', sizeof(error)));
		FUZZ_CHECK(strncmp(error, cfg.channel, strlen(cfg.channel)) == 0);
		FUZZ_CHECK(!strpbrk(error, "\n\r\x1b"));
	}
	script_close(&script);
	(void)close(fd);
	return 0;
}
