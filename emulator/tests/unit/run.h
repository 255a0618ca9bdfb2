/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - a cell driven through its public interface, with everything it put
 * out kept for the test to look at. Packets are filled from their tag, and
 * every delivered one is compared byte for byte.
 */
#ifndef RUN_H
#define RUN_H

#include "cellcore.h"
#include "router.h"

#define MS(n)       ((int64_t)(n)*1000000)
#define RUN_FOREVER INT64_MAX
#define RUN_WIRE_NS MS(4)
#define RUN_DSCP    46 /* of the first packet, the third and so on, in a core network */

/* Sub-frame 0 starts at no round time: all times of a run count from there. */
#define RUN_START_NS INT64_C(7654321)

struct run_pkt {
	int64_t t_ns;
	uint64_t tag;
	uint32_t pkt;
	uint8_t ue;
	uint8_t reason; /* of a drop */
};

struct run {
	struct cell_cfg cfg; /* change it between run_defaults() and run_start() */
	struct cell *cell;
	void *mem;
	struct cell_out *out;
	size_t n_out;
	uint64_t next_tag;
	uint64_t bytes_in; /* pushed, without what the network brings */
	uint64_t bytes_out;
	struct cell_record *records;
	size_t n_records;
	struct run_pkt *delivered;
	size_t n_delivered;
	struct run_pkt *dropped;
	size_t n_dropped;
	struct cell_pdu_info *pdus;
	size_t n_pdus;
	struct router router;
	size_t n_routed;
	size_t lost; /* of what is routed this one gets lost, from 1; 0 = none */
};

/** run_defaults() - the paper's cell, processing lead 250 us; UE 1 and 2 in @mode */
void run_defaults(struct run *r, enum cell_mode mode);

/** run_start() - sub-frame 0 starts at RUN_START_NS, which is time 0 here */
void run_start(struct run *r);

/** run_core_network() - two eNBs; UE 1 and 2 talk to the network, UE 2 in the cell of the second */
void run_core_network(struct run *r);

/** run_push() - a packet of @len bytes at @t_ns, after all that happened before. Return:
 * cell_push()'s. With a core network one to a UE, CELL_PORT_NETWORK | its number, enters at the
 * S-GW. */
int run_push(struct run *r, uint8_t ue, size_t len, int64_t t_ns);

/** run_until() - process everything up to @t_ns; RUN_FOREVER: until nothing is due */
void run_until(struct run *r, int64_t t_ns);

/** run_end() - cell_done(), check that everything is accounted for, free */
void run_end(struct run *r);

/** run_find() - @n-th record, from 0, of @event at @node; the test fails without */
const struct cell_record *run_find(const struct run *r, enum cell_event event, uint8_t node,
                                   size_t n);

/** run_apply() - a handover of @ue to @enb, or its prediction, at @t_ns, likewise */
void run_apply(struct run *r, enum cell_cmd_type type, uint8_t ue, uint8_t enb, int64_t t_ns);

/** run_cmd() - cell_apply() at @t_ns */
int run_cmd(struct run *r, const struct cell_cmd *cmd, int64_t t_ns);

/** run_count() - records of @event at @node */
size_t run_count(const struct run *r, enum cell_event event, uint8_t node);

#endif
