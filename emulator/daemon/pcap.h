/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcap.h - radio.pcap: MAC PDUs of LTE and NR, RLC PDUs of the UTRAN, as Wireshark's exported PDUs.
 */
#ifndef PCAP_H
#define PCAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cellcore.h"

struct radio_pcap;

/**
 * radio_pcap_create() - classic pcap, ns timestamps, LINKTYPE_WIRESHARK_UPPER_PDU
 * @cfg:     which context every frame has, and what is the same in all of them
 * @snaplen: bytes that are kept of each PDU; 0: all
 *
 * Return: 0 or negative errno.
 */
int radio_pcap_create(struct radio_pcap **ret, const char *path, const struct cell_cfg *cfg,
                      uint32_t snaplen);

/**
 * radio_pcap_write() - one PDU, or a preamble row; not what NR's dissector has no row for
 * @t_ns: CLOCK_REALTIME
 */
int radio_pcap_write(struct radio_pcap *p, int64_t t_ns, const struct cell_pdu_info *info,
                     const uint8_t *data, uint32_t len);

int radio_pcap_close(struct radio_pcap *p); /* NULL is accepted */

#define RADIO_PCAP_CONTEXT_MAX 64

/* What is the same in all frames of a capture. */
struct radio_pcap_frame {
	uint8_t system; /* enum cell_system */
	uint8_t n_rb;   /* of the uplink, LTE only */
	bool tdd;       /* NR only */
	uint16_t slots; /* of a radio frame of 10 ms, NR only */
};

/** radio_pcap_is_nr() - a frame about @info has the context of NR */
static inline bool radio_pcap_is_nr(const struct radio_pcap_frame *frame,
                                    const struct cell_pdu_info *info)
{
	return frame->system == CELL_SYSTEM_NR ||
	       (frame->system == CELL_SYSTEM_EN_DC && info->enb == CELL_EN_DC_GNB);
}

/**
 * radio_pcap_context() - exported-PDU header, and the context that the system's dissector reads
 *
 * Return: bytes.
 */
size_t radio_pcap_context(uint8_t buf[RADIO_PCAP_CONTEXT_MAX], const struct cell_pdu_info *info,
                          const struct radio_pcap_frame *frame);

#endif
