/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcap_context.c - what stands in front of each PDU of radio.pcap; see pcap.h.
 *
 * An exported PDU of LTE (tag 12: dissector name "mac-lte-framed", end tag) is followed by
 * Wireshark's mac-lte context: three mandatory bytes, then tag-value pairs without lengths, then
 * the payload tag and the PDU.
 *
 * NR and the UTRAN have no dissector for one PDU by name but heuristic ones (tag 13: "mac_nr_udp",
 * "rlc_udp"), whose contexts start with a string and have the same kind of pairs. Wireshark 4.0 has
 * no dissector "mac-nr-framed".
 * Source: Wireshark epan/exported_pdu.h, epan/dissectors/packet-mac-lte.h, packet-mac-nr.h,
 * packet-umts_rlc.h
 */
#include "pcap.h"

#include <string.h>

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

#define MAC_NR_START        "mac-nr"
#define MAC_NR_FDD          1
#define MAC_NR_TDD          2
#define MAC_NR_RA_RNTI      2
#define MAC_NR_TAG_PAYLOAD  0x01
#define MAC_NR_TAG_RNTI     0x02
#define MAC_NR_TAG_UEID     0x03
#define MAC_NR_TAG_HARQID   0x06
#define MAC_NR_TAG_SFN_SLOT 0x07
#define FRAMES              1024 /* SFNs. Source: TS 38.211 4.3.1 */

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

/* The exported-PDU header of a heuristic dissector, and the string that its context starts with. */
static void put_heuristic(struct writer *w, const char *name, const char *start)
{
	size_t padded = (strlen(name) + 3) / 4 * 4;

	put16(w, EXP_PDU_TAG_HEURISTIC_NAME);
	put16(w, (unsigned int)padded);
	memset(w->at, 0, padded);
	memcpy(w->at, name, strlen(name));
	w->at += padded;
	put16(w, 0); /* end of options */
	put16(w, 0);
	memcpy(w->at, start, strlen(start));
	w->at += strlen(start);
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

static size_t lte_context(uint8_t *buf, const struct cell_pdu_info *info,
                          const struct radio_pcap_frame *frame)
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
	put8(&w, frame->n_rb);
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

static size_t nr_context(uint8_t *buf, const struct cell_pdu_info *info,
                         const struct radio_pcap_frame *frame)
{
	struct writer w = { .at = buf };

	put_heuristic(&w, "mac_nr_udp", MAC_NR_START);
	put8(&w, frame->tdd ? MAC_NR_TDD : MAC_NR_FDD);
	put8(&w, info->dir == CELL_DIR_DL);
	put8(&w, info->rnti_type);
	put8(&w, MAC_NR_TAG_RNTI);
	put16(&w, info->rnti);
	put8(&w, MAC_NR_TAG_UEID);
	put16(&w, info->ue);
	put8(&w, MAC_NR_TAG_SFN_SLOT);
	put16(&w, info->subframe / frame->slots % FRAMES);
	put16(&w, info->subframe % frame->slots);
	if (info->rnti_type != MAC_NR_RA_RNTI) {
		put8(&w, MAC_NR_TAG_HARQID);
		put8(&w, info->harq_id);
	}
	put8(&w, MAC_NR_TAG_PAYLOAD);
	return (size_t)(w.at - buf);
}

static size_t utran_context(uint8_t *buf, const struct cell_pdu_info *info)
{
	struct writer w = { .at = buf };

	put_heuristic(&w, "rlc_udp", UMTS_RLC_START);
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

size_t radio_pcap_context(uint8_t buf[RADIO_PCAP_CONTEXT_MAX], const struct cell_pdu_info *info,
                          const struct radio_pcap_frame *frame)
{
	if (radio_pcap_is_nr(frame, info))
		return nr_context(buf, info, frame);
	return frame->system == CELL_SYSTEM_UTRAN ? utran_context(buf, info)
	                                          : lte_context(buf, info, frame);
}
