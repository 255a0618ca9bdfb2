/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ports.h - the cell's ports: TUN devices, what goes in and what comes out. */
#ifndef PORTS_H
#define PORTS_H

#include <jansson.h>

#include "config.h"
#include "output.h"
#include "packet_io.h"
#include "tun.h"

struct ports {
	const struct config *cfg;
	struct tun tun[CONFIG_PORTS_MAX];
	size_t n;
	struct tun *by_port[UINT8_MAX + 1];
	struct packet_source source[CONFIG_PORTS_MAX]; /* of tun[] */
	struct packet_io io;
	bool half_pushed; /* ports_push_in_time() has left the rest of what was read */
	bool more;        /* and there may be more behind that */
};

/**
 * ports_open() - open the devices that @cfg names
 * @control_fd: what else ends ports_wait() when it can be read
 * @ret_failed: the port that could not be opened
 * @ret_what: what failed, for people
 *
 * Return: 0 or negative errno.
 */
int ports_open(struct ports *ports, const struct config *cfg, int control_fd,
               const struct config_port **ret_failed, const char **ret_what);

/** ports_wait() - write what was delivered, then sleep; see packet_io_wait() */
int ports_wait(struct ports *ports, int64_t read_ns, int64_t until_ns);

/** ports_read_asleep() - ports_wait() has read the devices at the time that it was told */
bool ports_read_asleep(const struct ports *ports);

/**
 * ports_push_in_time() - push what ports_wait() has read at its time into @cell as arrived at @t_ns
 * @ret_failed: the device that could not be read
 *
 * What came later, and what there was no room for, is left to ports_drain().
 *
 * Return: packets, or negative errno.
 */
int ports_push_in_time(struct ports *ports, struct cell *cell, struct output *output, int64_t t_ns,
                       const struct tun **ret_failed);

/** ports_overflow() - at its time ports_wait() would not read all that is expected */
bool ports_overflow(const struct ports *ports);

/**
 * ports_drain() - push what waits at the devices into @cell as arrived at @t_ns
 * @ret_failed: the device that could not be read
 *
 * Return: packets read, or negative errno.
 */
int ports_drain(struct ports *ports, struct cell *cell, struct output *output, int64_t t_ns,
                const struct tun **ret_failed);

/** ports_deliver() - a packet leaves the cell; written by ports_wait() at the latest */
void ports_deliver(struct ports *ports, const struct cell_out *o);

/** ports_json() - counters of every port by name */
json_t *ports_json(const struct ports *ports);

void ports_close(struct ports *ports);

#endif
