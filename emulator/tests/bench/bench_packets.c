/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_packets.c - a number of packets through a cell, and nothing else: what
 * an instruction counter is put on. bench_packets um|am|nr|busy|control N [UES [CROWD]]
 *
 * 1500 bytes every half millisecond (24 Mbit/s) from the network to a UE; with nr, which is NR in
 * RLC AM, every 12 us (1 Gbit/s). The other UEs are idle. CROWD modelled UEs together ask for 2
 * Mbit/s, in 250 bursts a second. With busy all UEs have something to do: a packet each half
 * millisecond is of the next one, every second one goes up, and every millisecond the channel of
 * one changes. With control, which is the same, UEs ask on PUCCH, DCIs need room, and CQIs are
 * reported.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cellcore.h"

#define INTERVAL_NS INT64_C(500000)
#define NR_INTERVAL INT64_C(12000)
#define BYTES       1500
#define PORT        (1 | CELL_PORT_NETWORK)
#define CROWD_BPS   2000000
#define TAIL_NS     INT64_C(500000000)
#define SHORT_BYTES 200

static void advance(struct cell *cell, int64_t t_ns, struct cell_out *out, size_t n_out)
{
	size_t n;

	while (cell_advance(cell, t_ns, out, n_out, &n) == -EAGAIN)
		;
}

/* What a scenario of NR starts with. */
static void make_nr(struct cell_cfg *cfg)
{
	cfg->system = CELL_SYSTEM_NR;
	cfg->rlc.mode = CELL_RLC_AM;
	cfg->rlc.um.sn_bits = 12;
	cfg->rlc.am.sn_bits = 18;
	cfg->pdcp.sn_bits = 18;
	cfg->rlc.queue_pkts = 16384;
	cfg->max_pkts = 65536;
	cfg->harq.max_attempts = 5;
}

static void make_control(struct cell_cfg *cfg)
{
	cfg->lte.sr.period_ms = 10;
	cfg->lte.sr.trans_max = 64;
	cfg->lte.sr.bsr_retx_ms = 320;
	cfg->lte.control.cfi = 3;
	cfg->cqi_reports.period_ms = 10;
	cfg->cqi_reports.delay_ms = 8;
}

/* Packet @i of all UEs in turn. */
static void push_busy(struct cell *cell, const struct cell_cfg *cfg, const uint8_t *data, int64_t i,
                      int64_t t_ns)
{
	uint8_t ue = (uint8_t)(1 + i / 2 % cfg->n_ue);
	struct cell_cmd cmd = { .type = CELL_CMD_CHANNEL,
		                .ue = ue,
		                .dir = (uint8_t)(i / 2 / cfg->n_ue % 2),
		                .cqi = (uint8_t)(7 + i / 2 % 5),
		                .sinr_cdb = 1500 };

	if (i % 2 == 0)
		(void)cell_apply(cell, &cmd, t_ns);
	(void)cell_push(cell, i % 2 ? ue : ue | CELL_PORT_NETWORK, data, SHORT_BYTES, (uint64_t)i,
	                t_ns);
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	long n_ue = argc > 3 ? strtol(argv[3], NULL, 10) : 1;
	long n_crowd = argc > 4 ? strtol(argv[4], NULL, 10) : 0;
	uint8_t data[BYTES] = { 0 };
	int64_t interval_ns = INTERVAL_NS;
	struct cell_cfg cfg;
	struct cell_stats s;
	struct cell_out *out;
	struct cell *cell;
	size_t n_out;
	bool busy;
	void *mem;

	if (n < 1 || n_ue < 1 || n_ue > CELL_MAX_UE || n_crowd < 0 || n_crowd > CELL_MAX_CROWD ||
	    !strstr(" um am nr busy control ", argv[1])) {
		(void)fputs("usage: bench_packets um|am|nr|busy|control N [UES [CROWD]]\n", stderr);
		return 2;
	}
	cell_cfg_default(&cfg);
	cfg.n_ue = (uint8_t)n_ue;
	for (long i = 0; i < n_ue; i++) {
		cfg.ue[i] = cfg.ue[0];
		cfg.ue[i].peer = CELL_PEER_NETWORK;
		cfg.ue[i].mode = CELL_MODE_IM;
		cfg.ue[i].rnti = (uint16_t)(cfg.ue[0].rnti + i);
	}
	cfg.crowd.count = (uint16_t)n_crowd;
	if (n_crowd > 0)
		cfg.crowd.offered_rate_bps = (uint32_t)(CROWD_BPS / n_crowd);
	cfg.crowd.burst_bytes = 1000;
	cfg.rlc.mode = argv[1][0] == 'a' ? CELL_RLC_AM : CELL_RLC_UM;
	busy = argv[1][0] == 'b' || argv[1][0] == 'c';
	if (argv[1][0] == 'c')
		make_control(&cfg);
	if (argv[1][0] == 'n') {
		make_nr(&cfg);
		interval_ns = NR_INTERVAL;
	}
	n_out = 2 * cell_out_min(&cfg);
	mem = malloc(cell_size(&cfg));
	out = malloc(n_out * sizeof(*out));
	if (!mem || !out || cell_init(&cell, mem, cell_size(&cfg), &cfg, 0) < 0)
		return 1;
	for (int64_t i = 0; i < n; i++) {
		advance(cell, i * interval_ns, out, n_out);
		if (busy)
			push_busy(cell, &cfg, data, i, i * interval_ns);
		else
			(void)cell_push(cell, PORT, data, BYTES, (uint64_t)i, i * interval_ns);
	}
	advance(cell, n * interval_ns + TAIL_NS, out, n_out);
	cell_stats(cell, &s);
	free(mem);
	free(out);
	return s.pkts_delivered == (uint64_t)n ? 0 : 1;
}
