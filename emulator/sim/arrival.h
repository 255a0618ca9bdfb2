/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arrival.h - a line of a file of arrivals: `t_ns port len tag_hex [bytes in hex]`.
 *
 * Times count from sub-frame 0, as celld records them. Without bytes the packet is filled
 * from the line number; at the S-GW with `@ue` instead of bytes it is addressed to that UE.
 */
#ifndef ARRIVAL_H
#define ARRIVAL_H

#include "config.h"

#define ARRIVAL_WRONG_LEN "len: allowed 1..1500, at the ends of tunnels 1..1600"

struct arrival {
	int64_t t_ns;
	uint8_t port;
	size_t len;
	uint64_t tag;
	uint8_t data[CELL_MTU_MAX];
};

/**
 * arrival_parse() - read one line
 * @line:   ends with a NUL; is changed
 * @number: of the line
 *
 * Return: NULL, or for people what is wrong.
 */
const char *arrival_parse(struct arrival *ret, const struct config *cfg, char *line,
                          unsigned long number);

#endif
