/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gro.h - packets of a flow that follow each other, joined for a host that takes them at once.
 *
 * What is joined can be cut into the same bytes again. Only packets whose checksums are right are
 * joined, as nobody would look at these afterwards.
 *
 * Source: Linux, Documentation/networking/segmentation-offloads.rst; virtio 1.3 5.1.6.2
 */
#ifndef GRO_H
#define GRO_H

#include <stdbool.h>
#include <stdint.h>

#include "gso.h"

struct gro {
	uint32_t len;    /* of what is joined */
	uint32_t size;   /* of each payload but the last */
	uint32_t l4;     /* bytes of IP's header */
	uint32_t header; /* bytes of all headers */
	uint32_t n;      /* packets */
	bool tcp;
	bool open; /* more may be joined */
};

/** gro_start() - a first packet; @udp: datagrams are joined, too */
void gro_start(struct gro *g, const uint8_t *packet, uint32_t len, bool udp);

/**
 * gro_add() - join a packet to @joined, which begins with the first
 *
 * Return: false where it does not follow.
 */
bool gro_add(struct gro *g, uint8_t *joined, const uint8_t *packet, uint32_t len);

/** gro_end() - what is joined, as a device takes it; the prefix lies before @joined */
void gro_end(const struct gro *g, uint8_t *joined);

#endif
