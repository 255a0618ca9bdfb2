/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tun.h - the TUN devices through which the namespaces reach the cell. */
#ifndef TUN_H
#define TUN_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

struct tun {
	int fd;      /* non-blocking */
	int netlink; /* rtnetlink of its namespace, for its statistics */
	int ifindex;
	char ifname[16];
	uint8_t port; /* of the cell */
	uint64_t read_pkts;
	uint64_t write_pkts;
	uint64_t write_errors;
	bool ipv6; /* takes packets of it */
	bool udp;  /* with segmentation offload: of datagrams, too (since Linux 6.2) */
	uint64_t refused_not_ipv4;
	uint64_t refused_of_link; /* IPv6: for the link alone, on which nobody else is */
	uint64_t refused_oversize;
};

/**
 * tun_open() - create and raise the device in its namespace
 * @offload: with segmentation offload
 * @ret_what: what failed, for people
 *
 * Return: 0 or negative errno; on failure nothing stays open.
 */
int tun_open(struct tun *ret, const struct config_port *port, bool offload, const char **ret_what);

/**
 * tun_tx_dropped() - packets the kernel dropped because the daemon did not read in time
 *
 * Return: the count, or negative errno: of a device that is gone -ENODEV.
 */
int64_t tun_tx_dropped(const struct tun *tun);

void tun_close(struct tun *tun);

#endif
