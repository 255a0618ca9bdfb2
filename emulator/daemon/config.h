/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config.h - the JSON file that configures celld and cellsim. */
#ifndef CONFIG_H
#define CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "cellcore.h"

#define CONFIG_NAME_MAX  32
#define CONFIG_ERROR_MAX 512
#define CONFIG_PORTS_MAX (2 * CELL_MAX_UE + 1 + CELL_MAX_ENB)

struct config_port {
	uint8_t port; /* of the cell: UE number, with CELL_PORT_NETWORK its network side, S-GW or
	                 eNB */
	char netns[PATH_MAX];
	char ifname[16];
	int mtu;
	int txqueuelen;
	bool ipv6; /* packets of IPv6 are taken, too */
};

/* A change of a UE's mode or cell at a given time. */
struct config_event {
	int64_t t_ms; /* since sub-frame 0 */
	struct cell_cmd cmd;
};

#define CONFIG_EVENTS_MAX        1024
#define CONFIG_OPPORTUNITIES_MAX 10000000 /* of a packet-delivery trace, each way */

/* Rows of radio.trace: all, or without those of every packet, PDU, BSR and grant. */
enum config_detail { CONFIG_DETAIL_FULL, CONFIG_DETAIL_EVENTS };

/* Paths of outputs; empty = not written. */
struct config_output {
	char trace[PATH_MAX];
	uint8_t trace_detail; /* enum config_detail */
	char pcap[PATH_MAX];
	uint32_t pcap_snaplen; /* bytes kept of each PDU; 0 = all */
	char stats[PATH_MAX];
	char arrivals[PATH_MAX];
	char deliveries[PATH_MAX];
};

struct config {
	struct cell_cfg cell;
	struct cell_bearer_cfg bearer[CELL_MAX_UE * CELL_MAX_BEARERS]; /* cell.bearer */
	struct cell_recorded recorded[CELL_MAX_UE];                    /* cell.ue[i].recorded */
	char ue_name[CELL_MAX_UE][CONFIG_NAME_MAX];
	char enb_name[CELL_MAX_ENB][CONFIG_NAME_MAX]; /* empty: one eNB without a name */
	struct config_port port[CONFIG_PORTS_MAX];
	size_t n_ports;
	struct config_event event[CONFIG_EVENTS_MAX];
	size_t n_events;
	struct config_output output;
	char channel[PATH_MAX];    /* trace of the directions' CQIs; empty = they are constant */
	bool channel_grows;        /* something still writes to it */
	char control[PATH_MAX];    /* UNIX socket; empty = none */
	int64_t start_ns;          /* CLOCK_MONOTONIC of sub-frame 0; 0 = the next millisecond */
	bool segmentation_offload; /* hosts hand over several packets at once */
	bool realtime;             /* SCHED_FIFO and mlockall where allowed */
};

/**
 * config_parse() - read a configuration from memory
 * @name: file name for messages
 * @ret_error: one line for people, with file, key, value and range
 *
 * Keys left out have the values of cell_cfg_default(); unknown keys are errors.
 *
 * Return: 0 or -EINVAL.
 */
int config_parse(struct config *ret, const char *text, size_t len, const char *name,
                 char ret_error[CONFIG_ERROR_MAX]);

/** config_load() - config_parse() of a file. Return: 0 or negative errno. */
int config_load(struct config *ret, const char *path, char ret_error[CONFIG_ERROR_MAX]);

/** config_ue() - number of the UE called @name, or 0 */
uint8_t config_ue(const struct config *cfg, const char *name);

/** config_enb() - the eNB called @name, from 0, or CELL_MAX_ENB */
uint8_t config_enb(const struct config *cfg, const char *name);

/** config_port_name() - "ue1", "network/ue1" for its network side, "sgw" or "enb/senb"; valid until
 * the next call */
const char *config_port_name(const struct config *cfg, uint8_t port);

#endif
