/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * socket_ports.h - the daemon's ports with pairs of sockets in place of TUN devices, which keep
 * packets apart as well, and a cell behind them.
 */
#ifndef SOCKET_PORTS_H
#define SOCKET_PORTS_H

#include "ports.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

#define MS(n)    ((int64_t)(n)*1000000)
#define LONG     MS(20000)
#define MANY_UES 40 /* devices that take two batches */

static struct ports ports;
static struct config cfg;
static struct output output;
static struct cell *cell;
static int host[CONFIG_PORTS_MAX]; /* the other ends of devices */
static int control;
static int open_error; /* of the second device */

int tun_open(struct tun *ret, const struct config_port *port, bool offload, const char **ret_what)
{
	int fd[2];

	if (open_error && port == &cfg.port[1]) {
		*ret_what = "creating it";
		return open_error;
	}
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fd), 0);
	*ret = (struct tun){ .fd = fd[0], .netlink = -1, .port = port->port, .udp = offload };
	memcpy(ret->ifname, port->ifname, sizeof(ret->ifname));
	host[port - cfg.port] = fd[1];
	return 0;
}

int64_t tun_tx_dropped(const struct tun *tun)
{
	return tun->port == 1 ? 7 : -ENODEV;
}

void tun_close(struct tun *tun)
{
	(void)close(tun->fd);
}

static inline int try_to_open(uint8_t n_ue, const struct config_port **ret_failed,
                              const char **ret_what)
{
	cfg = (struct config){ .n_ports = n_ue };
	ports = (struct ports){ 0 };
	cell_cfg_default(&cfg.cell);
	cfg.cell.n_ue = n_ue;
	for (uint8_t i = 0; i < n_ue; i++) {
		cfg.cell.ue[i] = (struct cell_ue_cfg){
			.rnti = (uint16_t)(61 + i), .cqi_ul = 15, .cqi_dl = 15, .cqi_sl = 15
		};
		(void)snprintf(cfg.ue_name[i], sizeof(cfg.ue_name[i]), "ue%u", i + 1u);
		cfg.port[i] = (struct config_port){ .port = (uint8_t)(i + 1), .ifname = "lte0" };
	}
	control = eventfd(0, EFD_NONBLOCK);
	return ports_open(&ports, &cfg, control, ret_failed, ret_what);
}

/* With @ring by io_uring, and the test is skipped where the kernel refuses that. */
static inline void start(uint8_t n_ue, bool ring)
{
	const struct config_port *failed;
	const char *what;
	size_t size;

	assert_int_equal(try_to_open(n_ue, &failed, &what), 0);
	if (ring && !ports.io.has_ring)
		skip();
	if (!ring && ports.io.has_ring) {
		ring_close(&ports.io.ring);
		ports.io.has_ring = false;
	}
	size = cell_size(&cfg.cell);
	cell = malloc(size);
	assert_int_equal(cell_init(&cell, cell, size, &cfg.cell, 0), 0);
	output = (struct output){ .path = &cfg.output, .arrivals = tmpfile() };
	assert_non_null(output.arrivals);
}

static inline void stop(void)
{
	ports_close(&ports);
	for (size_t i = 0; i < cfg.n_ports; i++)
		(void)close(host[i]);
	(void)close(control);
	(void)fclose(output.arrivals);
	free(cell);
}

/* A packet of @len bytes from the host of UE @ue; version 4 or 6. */
static inline void send_packet(uint8_t ue, uint8_t version, size_t len, uint8_t number)
{
	uint8_t packet[4096] = { (uint8_t)(version << 4 | 5), number };

	assert_int_equal(send(host[ue - 1], packet, len, 0), len);
}

static inline int drain(int64_t t_ns)
{
	const struct tun *failed;

	return ports_drain(&ports, cell, &output, t_ns, &failed);
}

/* Lines that were written about arrivals: time, port and bytes of each. */
static inline void check_arrivals(const int64_t expected[][3], size_t n)
{
	long long t_ns;
	int ue, len;
	char rest[8192];

	rewind(output.arrivals);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(
			fscanf(output.arrivals, "%lld %d %d %8191[^\n]", &t_ns, &ue, &len, rest),
			4);
		assert_int_equal(t_ns, expected[i][0]);
		assert_int_equal(ue, expected[i][1]);
		assert_int_equal(len, expected[i][2]);
	}
	assert_int_equal(fscanf(output.arrivals, "%lld", &t_ns), EOF);
}

static inline void deliver(uint8_t ue, uint8_t number)
{
	uint8_t packet[100] = { 0x45, number };

	ports_deliver(&ports, &(struct cell_out){ .type = CELL_OUT_DELIVER,
	                                          .port = ue,
	                                          .data = packet,
	                                          .len = sizeof(packet) });
}

#endif
