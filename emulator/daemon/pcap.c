/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcap.c - radio.pcap; see pcap.h.
 *
 * Of NR there is what was on the air and decoded: Wireshark has no rows for the rest, which is in
 * radio.trace.
 */
#define _GNU_SOURCE
#include "pcap.h"

#include "pcapfile.h"
#include "rlc_order.h"
#include "tracefile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SNAPLEN      65535
#define NR_SNAPLEN   262144 /* blocks have up to 160 kB */
#define BUFFER_BYTES (256 * 1024)

struct radio_pcap {
	FILE *file;
	char *buffer;
	int64_t flushed_ns;
	uint32_t snaplen; /* of PDUs */
	struct radio_pcap_frame frame;
	struct rlc_order *order; /* of a UTRAN capture, else NULL */
};

static int write_frame(void *arg, int64_t t_ns, const struct cell_pdu_info *info,
                       const uint8_t *data, uint32_t len)
{
	struct radio_pcap *p = arg;
	uint8_t frame[RADIO_PCAP_CONTEXT_MAX];
	size_t context = radio_pcap_context(frame, info, &p->frame);
	uint32_t kept = len < p->snaplen ? len : p->snaplen;

	pcap_file_record(p->file, (uint32_t)(t_ns / 1000000000), (uint32_t)(t_ns % 1000000000),
	                 (uint32_t)context + kept, (uint32_t)context + len);
	(void)fwrite(frame, context, 1, p->file);
	if (kept)
		(void)fwrite(data, kept, 1, p->file);
	if (t_ns >= p->flushed_ns + TRACE_FLUSH_NS) { /* for who watches the run */
		p->flushed_ns = t_ns;
		if (fflush(p->file) != 0)
			return -errno;
	}
	return ferror(p->file) ? -EIO : 0;
}

int radio_pcap_create(struct radio_pcap **ret, const char *path, const struct cell_cfg *cfg,
                      uint32_t snaplen)
{
	struct radio_pcap *p = calloc(1, sizeof(*p));
	int r = -ENOMEM;

	if (!p)
		goto out;
	p->snaplen = snaplen ? snaplen : UINT32_MAX;
	p->frame = (struct radio_pcap_frame){ .system = cfg->system,
		                              .n_rb = (uint8_t)cfg->lte.n_rb,
		                              .tdd = cfg->nr.phy.duplex == CELL_DUPLEX_TDD,
		                              .slots = (uint16_t)(10u << cfg->nr.phy.numerology) };
	if (cfg->system == CELL_SYSTEM_UTRAN) {
		p->order = rlc_order_create(cfg->n_ue, write_frame, p);
		if (!p->order)
			goto out;
	}
	p->buffer = malloc(BUFFER_BYTES);
	if (!p->buffer)
		goto out;
	p->file = fopen(path, "we");
	if (!p->file) {
		r = -errno;
		goto out;
	}
	(void)setvbuf(p->file, p->buffer, _IOFBF, BUFFER_BYTES);
	r = pcap_file_start(p->file, PCAP_LINKTYPE_WIRESHARK_UPPER_PDU,
	                    cfg->system == CELL_SYSTEM_NR || cfg->system == CELL_SYSTEM_EN_DC
	                            ? NR_SNAPLEN
	                            : SNAPLEN);
	if (r < 0)
		goto out;
	*ret = p;
	p = NULL;
out:
	if (p)
		(void)radio_pcap_close(p);
	return r;
}

int radio_pcap_write(struct radio_pcap *p, int64_t t_ns, const struct cell_pdu_info *info,
                     const uint8_t *data, uint32_t len)
{
	if (radio_pcap_is_nr(&p->frame, info) && (info->preamble || !info->crc_ok))
		return 0;
	return p->order ? rlc_order_push(p->order, t_ns, info, data, len)
	                : write_frame(p, t_ns, info, data, len);
}

int radio_pcap_close(struct radio_pcap *p)
{
	int r;

	if (!p)
		return 0;
	r = rlc_order_close(p->order);
	if (p->file && fclose(p->file) != 0)
		r = -errno;
	free(p->buffer);
	free(p);
	return r;
}
