/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcapfile.h - pcap files with times in nanoseconds, in this machine's byte order. */
#ifndef PCAPFILE_H
#define PCAPFILE_H

#include <stdint.h>
#include <stdio.h>

/* Source: tcpdump.org, LINK-LAYER HEADER TYPES */
#define PCAP_LINKTYPE_ETHERNET            1
#define PCAP_LINKTYPE_RAW                 101
#define PCAP_LINKTYPE_WIRESHARK_UPPER_PDU 252

/**
 * pcap_file_start() - the header of the file
 * @snaplen: the most bytes that a record has
 *
 * Return: 0 or negative errno.
 */
int pcap_file_start(FILE *f, uint32_t linktype, uint32_t snaplen);

/**
 * pcap_file_record() - the header of a record, which @captured bytes have to follow
 * @bytes: the packet's length on the wire
 *
 * Errors are left to ferror(), which tells of those of the bytes, too.
 */
void pcap_file_record(FILE *f, uint32_t s, uint32_t ns, uint32_t captured, uint32_t bytes);

#endif
