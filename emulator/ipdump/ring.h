/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring.h - packets of an interface, from the buffer that the kernel shares (TPACKET_V3). */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ring {
	int fd;
	int ifindex;
	bool loopback;
	uint32_t linktype; /* of a pcap file */
	uint8_t *blocks;   /* shared with the kernel */
	uint32_t n_blocks;
	uint32_t next; /* the block that the kernel hands over next */
};

/**
 * ring_open() - start to capture, promiscuously, in the network namespace of this process
 * @snaplen:    bytes kept of each packet; what is cut off takes no room
 * @buffer_kib: at least a block of 256 KiB
 * @timeout_ms: so long the kernel keeps a block that is not full
 *
 * Return: 0 or negative errno.
 */
int ring_open(struct ring *ret, const char *ifname, uint32_t snaplen, uint32_t buffer_kib,
              uint32_t timeout_ms);

/**
 * ring_drain() - write what the kernel has handed over as records of a pcap file
 *
 * Return: 0; negative errno where the interface went down. Errors of @f are left to ferror().
 */
int ring_drain(struct ring *r, FILE *f);

/** ring_dropped() - packets that found no room. Return: 0 or negative errno. */
int ring_dropped(const struct ring *r, uint32_t *ret);

#endif
