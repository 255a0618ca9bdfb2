/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcapfile.c - pcap files; see pcapfile.h.
 *
 * Source: draft-ietf-opsawg-pcap, General File Structure
 */
#include "pcapfile.h"

#include <errno.h>

#define MAGIC_NS 0xa1b23c4d
#define MAJOR    2
#define MINOR    4

int pcap_file_start(FILE *f, uint32_t linktype, uint32_t snaplen)
{
	const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t reserved[2];
		uint32_t snaplen, linktype;
	} header = { MAGIC_NS, MAJOR, MINOR, { 0, 0 }, snaplen, linktype };

	return fwrite(&header, sizeof(header), 1, f) == 1 ? 0 : -EIO;
}

void pcap_file_record(FILE *f, uint32_t s, uint32_t ns, uint32_t captured, uint32_t bytes)
{
	const uint32_t header[] = { s, ns, captured, bytes };

	(void)fwrite(header, sizeof(header), 1, f);
}
