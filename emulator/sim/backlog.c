/* SPDX-License-Identifier: GPL-2.0-or-later */
/* backlog.c - packets that always wait for one UE; see backlog.h. */
#include "backlog.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#define EVERY_NS INT64_C(1000000)
#define MORE     16   /* packets more than came out, while fewer than WAITING are in the core */
#define WAITING  8192 /* of them RLC keeps what is not acknowledged */

int backlog_open(struct backlog *b, const struct config *cfg, const char *ue, uint32_t seconds,
                 const char *dir)
{
	char path[PATH_MAX], line[CONFIG_NAME_MAX + 32];
	uint8_t port;

	*b = (struct backlog){ .cfg = cfg,
		               .ue = config_ue(cfg, ue),
		               .end_ns = (int64_t)seconds * 1000 * EVERY_NS };
	port = cfg->cell.gtpu.sgw_addr ? CELL_PORT_SGW : CELL_PORT_NETWORK | b->ue;
	(void)snprintf(line, sizeof(line), "0 %u %d 0 @%s", port, BACKLOG_LEN, ue);
	if (!b->ue || arrival_parse(&b->packet, cfg, line, 0))
		return -EINVAL;
	(void)snprintf(path, sizeof(path), "%s/delivered.txt", dir);
	b->file = fopen(path, "we");
	return b->file ? 0 : -errno;
}

bool backlog_take(struct backlog *b, const struct cell_out *o)
{
	if (!b->file || o->port != b->ue)
		return false;
	b->delivered++;
	(void)fprintf(b->file, "%" PRId64 " %" PRIu32 "\n", o->t_ns,
	              o->len); /* backlog_close() looks */
	return true;
}

int backlog_send(struct backlog *b, struct cell *cell)
{
	uint32_t most = b->cfg->cell.max_pkts / 2 < WAITING ? b->cfg->cell.max_pkts / 2 : WAITING;
	uint32_t wanted = b->delivered + MORE;
	struct cell_stats stats;
	int r = 0;

	cell_stats(cell, &stats);
	for (uint64_t n = stats.pkts_held; n < most && wanted > 0 && r == 0; n++, wanted--)
		r = cell_push(cell, b->packet.port, b->packet.data, b->packet.len, ++b->sent,
		              b->next_ns);
	b->delivered = 0;
	b->next_ns += EVERY_NS;
	return r;
}

int backlog_close(struct backlog *b)
{
	int r = 0;

	if (!b->file)
		return 0;
	if (ferror(b->file))
		r = -EIO;
	if (fclose(b->file) != 0 && r == 0)
		r = -errno;
	b->file = NULL;
	return r;
}
