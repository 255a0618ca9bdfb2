/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gso.h - what a host hands over at once, cut into the packets that it stands for.
 *
 * With segmentation offload a TUN device gives up to 64 KiB of TCP or UDP under one header, and
 * leaves checksums to its reader. What is cut has the bytes that the kernel would have sent
 * itself.
 *
 * Source: Linux, Documentation/networking/segmentation-offloads.rst; virtio 1.3 5.1.6.2
 */
#ifndef GSO_H
#define GSO_H

#include <linux/virtio_net.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4 /* since Linux 6.2 */
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

/* Before each packet that such a device gives or takes. */
#define GSO_PREFIX_BYTES ((uint32_t)sizeof(struct virtio_net_hdr))

/* The largest of them, with the prefix. */
#define GSO_BYTES_MAX (GSO_PREFIX_BYTES + 65536)

/* Headers of IP with options or extensions, and of TCP. */
#define GSO_HEADER_MAX 256

struct gso {
	uint8_t *packet; /* all of it, without the prefix; what was cut is written over */
	uint32_t len;
	uint32_t size;   /* of each payload; 0: this is one packet */
	uint32_t l4;     /* bytes of IP's headers */
	uint32_t header; /* bytes of all headers */
	uint32_t n;      /* cut so far */
	uint16_t sum;    /* of the pseudo-header, without a length */
	uint16_t check;  /* where the checksum lies, from l4 on; 0: there is none to fill in */
	bool tcp;
	uint8_t headers[GSO_HEADER_MAX]; /* as they were */
};

/**
 * gso_open() - begin to cut what a device has given
 * @read: @len bytes with the prefix; changed by what follows
 *
 * Return: false for what no kernel gives.
 */
bool gso_open(struct gso *g, uint8_t *read, uint32_t len);

/**
 * gso_next() - the next packet
 * @ret_packet: stays until the call that follows
 *
 * Return: its bytes; 0: there are no more.
 */
uint32_t gso_next(struct gso *g, uint8_t **ret_packet);

#endif
