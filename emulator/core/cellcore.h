/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cellcore.h - the radio network as a pure state machine.
 *
 * The contract about time
 * -----------------------
 * The core never reads a clock, performs no I/O, keeps no global state and
 * allocates nothing after cell_init(). Every entry point takes a monotone
 * now_ns. The same configuration, seed and sequence of calls give the same
 * outputs, byte for byte, on any compiler and optimisation level. Hence
 * integers everywhere: times in ns, sizes in bytes, probabilities in Q32.
 *
 * A shell (celld, cellsim, a test) does four things in a loop:
 *
 *     cell_push()     hand over the packets that arrived, with their time
 *     cell_advance()  process every event up to now, each at its own time;
 *                     perform the outputs; repeat while it says -EAGAIN
 *     cell_next()     ask when the next event is due, or CELL_NEVER
 *     wait            until then or until a packet arrives
 *
 * Idle sub-frames cost nothing: cell_next() jumps over them. Splitting one
 * advance into many changes nothing but the batching of the outputs.
 *
 * Conservation: packets pushed + originated = delivered + dropped (by reason)
 * + terminated + held, always; checked after every event in debug builds. A
 * packet that enters or leaves a tunnel leaves the core and comes in again.
 */
#ifndef CELLCORE_H
#define CELLCORE_H

#include <stddef.h>
#include <stdint.h>

#include "cell_cfg.h"
#include "cell_out.h"

#define CELL_NEVER        INT64_MAX
#define CELL_TTI_NS       INT64_C(1000000)
#define CELL_UE_MTU_MAX   1500 /* IP packets of UEs */
#define CELL_MTU_MAX      1600 /* with the headers of a tunnel */
#define CELL_NODE_ENB     0    /* any eNB, see `enb`; UEs are nodes 1..n_ue */
#define CELL_NODE_SGW     0x70
#define CELL_SINR_UNKNOWN INT32_MIN

/* Ports are numbered like their UE; with this bit it is the port behind the
 * eNB for packets to and from that UE: its network side. */
#define CELL_PORT_NETWORK 0x80

/* With a core network there are instead the ends of its GTP-U tunnels: the
 * S-GW, where UEs' packets also enter and leave, and the eNBs, from 0. */
#define CELL_PORT_SGW    0x70
#define CELL_PORT_ENB(k) (0x71 + (k))

enum cell_cmd_type {
	CELL_CMD_ROUTE,   /* `ue` changes to `mode` */
	CELL_CMD_CHANNEL, /* the direction `dir` of `ue` has `cqi` from now on, in the cell of `enb`
	                   */
	CELL_CMD_PREDICT, /* `ue` is going to be handed over to `enb` */
	CELL_CMD_HANDOVER, /* `ue` is handed over to `enb`; waits for the end of one under way */
	CELL_CMD_MEASURE,  /* `ue` measured `rsrp_cdbm` of `enb`; those of one time in order of eNBs
	                    */
	CELL_CMD_RATE,     /* the direction `dir` of `ue` has `value` bit/s */
	CELL_CMD_LOSS,     /* the direction `dir` of `ue` loses packets with probability `value` */
	CELL_CMD_DELAY,    /* both directions of `ue` have a delay of `value` ms */
	CELL_CMD_OUTAGE,   /* neither direction of `ue` sends anything for `value` ms */
	CELL_CMD_FLUSH, /* what waits in queues of `ue` is dropped, but for packets partly sent */
	CELL_CMD_COUNT
};

/* What a link without a radio may have. */
#define CELL_RATE_MIN_BPS  1000
#define CELL_RATE_MAX_BPS  1000000000
#define CELL_DELAY_MAX_MS  10000
#define CELL_OUTAGE_MAX_MS 600000

struct cell_cmd {
	enum cell_cmd_type type;
	uint8_t ue;
	uint8_t mode;
	uint8_t dir;
	uint8_t cqi;      /* 0..15; 0 = out of range, nothing is sent */
	uint8_t enb;      /* from 0 */
	int32_t sinr_cdb; /* in centi-dB, or CELL_SINR_UNKNOWN */
	int32_t rsrp_cdbm;
	uint32_t value; /* of a link without a radio, in the unit of the command */
};

#define CELL_RSRP_MIN_CDBM (-20000)
#define CELL_RSRP_MAX_CDBM 5000

struct cell_stats {
	uint64_t pkts_in;
	uint64_t pkts_delivered;
	uint64_t pkts_held;
	uint64_t pkts_dropped[CELL_DROP_COUNT];
	uint64_t bytes_in;
	uint64_t bytes_delivered;
	uint64_t mac_pdus[CELL_DIR_COUNT];
	uint64_t mac_bytes[CELL_DIR_COUNT];
	uint64_t mac_padding_bytes[CELL_DIR_COUNT];
	uint64_t mac_lost[CELL_DIR_COUNT];
	uint64_t harq_retx[CELL_DIR_COUNT];     /* transmissions after the first */
	uint64_t harq_failures[CELL_DIR_COUNT]; /* blocks HARQ gave up */
	uint64_t rlc_pdus_tx;
	uint64_t rlc_pdus_rx;
	uint64_t rlc_retx;      /* AM PDUs and segments sent again */
	uint64_t rlc_status_tx; /* STATUS PDUs */
	uint64_t rlc_status_rx;
	uint64_t radio_link_failures;
	uint64_t control_missed; /* sub-frames with a DCI for a UE that did not get it */
	uint64_t mode_switches;
	uint64_t handovers; /* UEs that synchronised with another eNB */
	uint64_t path_switches;
	uint64_t pkts_originated; /* inside: End Markers, copies of what no receiver confirmed */
	uint64_t pkts_terminated; /* inside: End Markers */
	uint64_t gtpu_tx[CELL_TUNNEL_COUNT];
	uint64_t gtpu_rx[CELL_TUNNEL_COUNT];
	uint64_t ecn_marks; /* packets that queue management marked */
	uint64_t ra_preambles;
	uint64_t ra_collisions;
	uint64_t ra_timeouts;
	uint64_t bsrs;
	uint64_t grants;
	uint64_t ttis_active;

	/* Modelled UEs of all cells, by UL and DL. */
	uint64_t crowd_members;
	uint64_t crowd_bytes_in[CELL_DIR_COUNT];
	uint64_t crowd_bytes_out[CELL_DIR_COUNT];     /* granted, headers not counted */
	uint64_t crowd_bytes_refused[CELL_DIR_COUNT]; /* of those that had too much waiting */
	uint64_t crowd_grants[CELL_DIR_COUNT];
	uint64_t crowd_rb[CELL_DIR_COUNT];      /* granted, retransmissions too */
	uint64_t crowd_rb_retx[CELL_DIR_COUNT]; /* of these */
};

struct cell;

/** cell_size() - bytes of memory that cell_init() needs for @cfg */
CELL_EXPORT size_t cell_size(const struct cell_cfg *cfg);

/** cell_out_min() - smallest output array cell_advance() accepts for @cfg */
CELL_EXPORT size_t cell_out_min(const struct cell_cfg *cfg);

/**
 * cell_init() - build a cell in the caller's memory
 * @ret:      the cell, inside @mem
 * @mem:      at least cell_size(@cfg) bytes, aligned for any type
 * @size:     bytes at @mem
 * @cfg:      copied
 * @start_ns: start of sub-frame 0
 *
 * Return: 0, -EINVAL for a bad configuration, -ENOMEM if @mem is too small.
 */
CELL_EXPORT int cell_init(struct cell **ret, void *mem, size_t size, const struct cell_cfg *cfg,
                          int64_t start_ns);

/**
 * cell_push() - a packet arrives at a port
 * @port:   UE number, 1..n_ue; with CELL_PORT_NETWORK the network side of that UE;
 *          or CELL_PORT_SGW, CELL_PORT_ENB(k)
 * @data:   IP packet, copied
 * @len:    1..CELL_UE_MTU_MAX bytes, at the core network's ports 1..CELL_MTU_MAX
 * @tag:    opaque, echoed in outputs and records
 * @now_ns: arrival time; not before any earlier call's time
 *
 * The packet enters at its own time when cell_advance() comes to it. A full
 * RLC buffer then drops it, with an output. When max_pkts are held already it
 * is counted as dropped at once, without one.
 *
 * Return: 0, -EINVAL (no such port, or before an earlier call's time),
 * -EMSGSIZE, -ENOBUFS (dropped at once).
 */
CELL_EXPORT int cell_push(struct cell *c, uint8_t port, const void *data, size_t len, uint64_t tag,
                          int64_t now_ns);

/** cell_next() - time of the next event, or CELL_NEVER; no side effect */
CELL_EXPORT int64_t cell_next(const struct cell *c);

/**
 * cell_next_output() - earliest time at which a packet can leave, or CELL_NEVER
 *
 * A lower bound, never before cell_next(). What happens until then stays
 * inside the cell, at its own times, and may be processed later: a shell that
 * sleeps until this time delivers every packet on time with fewer wake-ups.
 */
CELL_EXPORT int64_t cell_next_output(const struct cell *c);

/** cell_slot_ns() - what is processed at once: a sub-frame, or a slot of NR */
CELL_EXPORT int64_t cell_slot_ns(const struct cell *c);

/**
 * cell_transit_min() - a packet that is pushed at the start of a sub-frame makes
 * none leave for so long, itself included; 0 where there is no such bound
 */
CELL_EXPORT int64_t cell_transit_min(const struct cell *c);

/**
 * cell_advance() - process every event due up to @now_ns
 * @out:   array of @n_out, at least cell_out_min()
 * @ret_n: outputs written, in order of time
 *
 * Return: 0 when done, -EAGAIN when the array is full (perform the outputs
 * and call again with the same time), -EINVAL for a short array or a time
 * before an earlier call's.
 */
CELL_EXPORT int cell_advance(struct cell *c, int64_t now_ns, struct cell_out *out, size_t n_out,
                             size_t *ret_n);

/**
 * cell_apply() - a scripted change; cell_advance() carries it out at @now_ns
 *
 * Return: 0, -EINVAL, -ENOBUFS when max_cmds changes wait already.
 */
CELL_EXPORT int cell_apply(struct cell *c, const struct cell_cmd *cmd, int64_t now_ns);

/** cell_stats() - snapshot of the counters */
CELL_EXPORT void cell_stats(const struct cell *c, struct cell_stats *ret);

/** cell_digest() - 64-bit hash of the state, for tests */
CELL_EXPORT uint64_t cell_digest(const struct cell *c);

/**
 * cell_done() - give back every held packet as a CELL_DROP_SHUTDOWN output
 *
 * Return and arguments as cell_advance(); afterwards only cell_stats() may be
 * called.
 */
CELL_EXPORT int cell_done(struct cell *c, struct cell_out *out, size_t n_out, size_t *ret_n);

#endif
