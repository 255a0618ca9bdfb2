/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcap.h - radio.pcap: MAC PDUs, RLC PDUs of the UTRAN, as Wireshark's exported PDUs. */
#ifndef PCAP_H
#define PCAP_H

#include <stddef.h>
#include <stdint.h>

#include "cellcore.h"

struct radio_pcap;

/**
 * radio_pcap_create() - classic pcap, ns timestamps, LINKTYPE_WIRESHARK_UPPER_PDU
 * @cfg: which context every frame has, and what is the same in all of them
 *
 * Return: 0 or negative errno.
 */
int radio_pcap_create(struct radio_pcap **ret, const char *path, const struct cell_cfg *cfg);

/**
 * radio_pcap_write() - one PDU, or a preamble row
 * @t_ns: CLOCK_REALTIME
 */
int radio_pcap_write(struct radio_pcap *p, int64_t t_ns, const struct cell_pdu_info *info,
                     const uint8_t *data, uint32_t len);

int radio_pcap_close(struct radio_pcap *p); /* NULL is accepted */

#define RADIO_PCAP_CONTEXT_MAX 64

/** radio_pcap_context() - exported-PDU header and mac-lte-framed context. Return: bytes. */
size_t radio_pcap_context(uint8_t buf[RADIO_PCAP_CONTEXT_MAX], const struct cell_pdu_info *info,
                          uint8_t n_rb);

/** radio_pcap_utran_context() - exported-PDU header and umts-rlc context. Return: bytes. */
size_t radio_pcap_utran_context(uint8_t buf[RADIO_PCAP_CONTEXT_MAX],
                                const struct cell_pdu_info *info);

#endif
