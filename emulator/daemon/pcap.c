/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcap.c - radio.pcap; see pcap.h.
 *
 * Each frame is an exported PDU (tag 12: dissector name "mac-lte-framed", end
 * tag) followed by Wireshark's mac-lte context: three mandatory bytes, then
 * tag-value pairs without lengths, then the payload tag and the PDU.
 *
 * The UTRAN has no dissector for one PDU by name but a heuristic one (tag 13: "rlc_udp"), whose
 * context begins with a string and has the same kind of pairs.
 * Source: Wireshark epan/exported_pdu.h, epan/dissectors/packet-mac-lte.h, packet-umts_rlc.h
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
#define BUFFER_BYTES (256 * 1024)

#define EXP_PDU_TAG_DISSECTOR_NAME 12
#define EXP_PDU_TAG_HEURISTIC_NAME 13

#define MAC_LTE_FDD                1
#define MAC_LTE_UL                 0
#define MAC_LTE_DL                 1
#define MAC_LTE_TAG_PAYLOAD        0x01
#define MAC_LTE_TAG_RNTI           0x02
#define MAC_LTE_TAG_UEID           0x03
#define MAC_LTE_TAG_FRAME_SUBFRAME 0x04
#define MAC_LTE_TAG_RETX           0x06
#define MAC_LTE_TAG_CRC            0x07
#define MAC_LTE_TAG_PREAMBLE       0x09
#define MAC_LTE_TAG_CARRIER_ID     0x0A
#define MAC_LTE_TAG_PHY            0x0B
#define MAC_LTE_TAG_N_UL_RB        0x10

#define UMTS_RLC_START            "umts-rlc"
#define UMTS_RLC_TAG_PAYLOAD      0x01
#define UMTS_RLC_TAG_CHANNEL_TYPE 0x02
#define UMTS_RLC_TAG_MODE         0x03
#define UMTS_RLC_TAG_DIRECTION    0x04
#define UMTS_RLC_TAG_URNTI        0x05
#define UMTS_RLC_TAG_RBID         0x06
#define UMTS_RLC_TAG_LI_SIZE      0x07
#define UMTS_RLC_PS_DTCH          4
#define UMTS_RLC_AM               2
#define UMTS_RLC_LI_7BIT          1
#define UMTS_RB                   5 /* the first one of user data */

struct radio_pcap {
	FILE *file;
	char *buffer;
	int64_t flushed_ns;
	uint8_t n_rb;
	struct rlc_order *order; /* of a UTRAN capture, else NULL */
};

/* Appends to a frame under construction. */
struct writer {
	uint8_t *at;
};

static void put8(struct writer *w, unsigned int v)
{
	*w->at++ = (uint8_t)v;
}

static void put16(struct writer *w, unsigned int v)
{
	put8(w, v >> 8);
	put8(w, v);
}

static unsigned int modulation_bits(const struct cell_pdu_info *i)
{
	int first = i->dir == CELL_DIR_DL ? 9 : 10;
	int second = i->dir == CELL_DIR_DL ? 16 : 20;

	return i->mcs > second ? 6 : i->mcs > first ? 4 : 2;
}

/* Source: TS 36.321 5.4.2.2, 5.3.1: 0, 2, 3, 1 in turn */
static unsigned int redundancy_version(const struct cell_pdu_info *i)
{
	static const uint8_t sequence[4] = { 0, 2, 3, 1 };

	return sequence[(i->attempt - 1u) % 4];
}

static void put_phy(struct writer *w, const struct cell_pdu_info *i)
{
	put8(w, MAC_LTE_TAG_PHY);
	if (i->dir != CELL_DIR_DL) {
		put8(w, 6);
		put8(w, modulation_bits(i));
		put8(w, i->itbs);
		put8(w, (uint8_t)i->n_rb);
		put8(w, (uint8_t)i->rb_start);
		put8(w, i->harq_id);
		put8(w, i->ndi);
		return;
	}
	put8(w, 10);
	put8(w, 1); /* DCI format 1 */
	put8(w, 0); /* resource allocation type 0 */
	put8(w, 0); /* aggregation level 1 */
	put8(w, i->mcs);
	put8(w, redundancy_version(i));
	put8(w, (uint8_t)i->n_rb);
	put8(w, i->harq_id);
	put8(w, i->ndi);
	put8(w, i->codeword);
	put8(w, i->attempt > 1);
}

size_t radio_pcap_context(uint8_t buf[RADIO_PCAP_CONTEXT_MAX], const struct cell_pdu_info *info,
                          uint8_t n_rb)
{
	static const char dissector[16] = "mac-lte-framed"; /* padded to 4 */
	struct writer w = { .at = buf };

	put16(&w, EXP_PDU_TAG_DISSECTOR_NAME);
	put16(&w, sizeof(dissector));
	memcpy(w.at, dissector, sizeof(dissector));
	w.at += sizeof(dissector);
	put16(&w, 0); /* end of options */
	put16(&w, 0);

	put8(&w, MAC_LTE_FDD);
	put8(&w, info->dir == CELL_DIR_DL ? MAC_LTE_DL : MAC_LTE_UL);
	put8(&w, info->rnti_type);
	put8(&w, MAC_LTE_TAG_RNTI);
	put16(&w, info->rnti);
	put8(&w, MAC_LTE_TAG_UEID);
	put16(&w, info->ue);
	put8(&w, MAC_LTE_TAG_FRAME_SUBFRAME);
	put16(&w, (info->subframe / 10 % 1024) << 4 | info->subframe % 10);
	put8(&w, MAC_LTE_TAG_N_UL_RB);
	put8(&w, n_rb);
	if (info->preamble) {
		put8(&w, MAC_LTE_TAG_PREAMBLE);
		put8(&w, info->rapid);
		put8(&w, info->ra_attempt);
		put8(&w, MAC_LTE_TAG_PAYLOAD); /* ends the context; nothing follows */
		return (size_t)(w.at - buf);
	}
	put8(&w, MAC_LTE_TAG_RETX);
	put8(&w, info->attempt ? info->attempt - 1u : 0); /* none for a RAR */
	put8(&w, MAC_LTE_TAG_CRC);
	put8(&w, info->crc_ok);
	if (info->n_rb) {
		put8(&w, MAC_LTE_TAG_CARRIER_ID);
		put8(&w, info->carrier);
		put_phy(&w, info);
	}
	put8(&w, MAC_LTE_TAG_PAYLOAD);
	return (size_t)(w.at - buf);
}

size_t radio_pcap_utran_context(uint8_t buf[RADIO_PCAP_CONTEXT_MAX],
                                const struct cell_pdu_info *info)
{
	static const char heuristic[8] = "rlc_udp";
	struct writer w = { .at = buf };

	put16(&w, EXP_PDU_TAG_HEURISTIC_NAME);
	put16(&w, sizeof(heuristic));
	memcpy(w.at, heuristic, sizeof(heuristic));
	w.at += sizeof(heuristic);
	put16(&w, 0); /* end of options */
	put16(&w, 0);

	memcpy(w.at, UMTS_RLC_START, strlen(UMTS_RLC_START));
	w.at += strlen(UMTS_RLC_START);
	put8(&w, UMTS_RLC_TAG_CHANNEL_TYPE);
	put8(&w, UMTS_RLC_PS_DTCH);
	put8(&w, UMTS_RLC_TAG_MODE);
	put8(&w, UMTS_RLC_AM);
	put8(&w, UMTS_RLC_TAG_DIRECTION);
	put8(&w, info->dir);
	put8(&w, UMTS_RLC_TAG_URNTI);
	put16(&w, 0);
	put16(&w, info->rnti);
	put8(&w, UMTS_RLC_TAG_RBID);
	put8(&w, UMTS_RB);
	put8(&w, UMTS_RLC_TAG_LI_SIZE);
	put8(&w, UMTS_RLC_LI_7BIT);
	put8(&w, UMTS_RLC_TAG_PAYLOAD);
	return (size_t)(w.at - buf);
}

static int write_frame(void *arg, int64_t t_ns, const struct cell_pdu_info *info,
                       const uint8_t *data, uint32_t len)
{
	struct radio_pcap *p = arg;
	uint8_t frame[RADIO_PCAP_CONTEXT_MAX];
	size_t context = p->order ? radio_pcap_utran_context(frame, info)
	                          : radio_pcap_context(frame, info, p->n_rb);
	uint32_t bytes = (uint32_t)context + len;

	pcap_file_record(p->file, (uint32_t)(t_ns / 1000000000), (uint32_t)(t_ns % 1000000000),
	                 bytes, bytes);
	(void)fwrite(frame, context, 1, p->file);
	if (len)
		(void)fwrite(data, len, 1, p->file);
	if (t_ns >= p->flushed_ns + TRACE_FLUSH_NS) { /* for who watches the run */
		p->flushed_ns = t_ns;
		if (fflush(p->file) != 0)
			return -errno;
	}
	return ferror(p->file) ? -EIO : 0;
}

int radio_pcap_create(struct radio_pcap **ret, const char *path, const struct cell_cfg *cfg)
{
	struct radio_pcap *p = calloc(1, sizeof(*p));
	int r = -ENOMEM;

	if (!p)
		goto out;
	p->n_rb = (uint8_t)cfg->n_rb;
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
	r = pcap_file_start(p->file, PCAP_LINKTYPE_WIRESHARK_UPPER_PDU, SNAPLEN);
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
