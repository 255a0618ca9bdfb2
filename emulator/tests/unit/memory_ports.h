/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_ports.h - the daemon's ports and its clock, in memory: packets come at given times, sleep
 * ends when it should or a given time later, and nothing takes time.
 */
#ifndef MEMORY_PORTS_H
#define MEMORY_PORTS_H

#include "ports.h"

#define MEMORY_PKTS_MAX 256

struct memory_pkt {
	int64_t t_ns;     /* it came to its device, or left the cell by its own time */
	int64_t moved_ns; /* it was pushed as of then, or handed over then by the clock */
	uint8_t port;
	uint64_t tag;
};

struct memory_ports {
	int64_t now_ns;
	int64_t late_ns;       /* of every wake-up */
	int64_t control_ns;    /* then the control descriptor can be read */
	void (*control)(void); /* makes it so, and may set the next time; NULL: a SIGTERM comes */
	int wait_error, read_error;
	uint32_t batch; /* so many are read asleep, and sleep goes on; 0: none, it ends instead */
	uint32_t n_asleep; /* of in[], read so and not pushed */
	bool read_asleep, all_read;
	uint32_t answers; /* so many packets are answered at once, from where they came out */
	uint32_t drains;
	struct memory_pkt in[MEMORY_PKTS_MAX], out[MEMORY_PKTS_MAX];
	uint32_t n_in, n_read, n_out;
};

extern struct memory_ports memory_ports;

/** memory_ports_reset() - nothing comes, and a SIGTERM at @end_ns */
void memory_ports_reset(int64_t end_ns);

/** memory_ports_add() - a packet of 100 bytes comes to the device of @port; in order of time */
void memory_ports_add(uint8_t port, int64_t t_ns);

/** memory_ports_packet() - the bytes of a packet, MEMORY_PKT_BYTES of them */
#define MEMORY_PKT_BYTES 100
void memory_ports_packet(uint8_t *ret, uint64_t tag);

#endif
