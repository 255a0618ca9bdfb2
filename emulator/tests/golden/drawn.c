/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drawn.c - what comes out of drawn cells, one line for each: how many outputs of each type, and a
 * hash of all their fields and bytes.
 *
 *     drawn          tell it
 *     drawn FILE     compare it with what was told before
 *
 * Plans are those of the fuzz targets (fuzz/cell_plan.h), of inputs that are made up here. None has
 * other values of just any key, so a new key changes no plan. Features that plans of the fuzz
 * targets have only by such values are added, and errors are fewer, so that much comes through.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "cell_run.h"

#define INPUT_BYTES  420
#define OTHER_VALUES 192 /* first bytes of inputs from here on, see cell_plan.c */
#define TRIED        8   /* times as many: the core refuses some */
#define LINE_BYTES   240
#define MANY         10 /* differences, enough to see the kind */

static uint64_t state;

/* splitmix64. Source: Steele, Lea, Flood 2014 */
static uint64_t draw(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)(draw() % n);
}

static uint32_t percent_q32(uint32_t most)
{
	return below(most + 1) * (UINT32_MAX / 100);
}

/* --- features --- */

static void add_crowd(struct plan *p)
{
	struct cell_lte_crowd_cfg *crowd = &p->cfg.lte.crowd;

	*crowd = (struct cell_lte_crowd_cfg){
		.count = (uint16_t)(1 + below(8)),
		.direction = (uint8_t)below(CELL_CROWD_DIRECTION_COUNT),
		.arrival = (uint8_t)below(CELL_CROWD_ARRIVAL_COUNT),
		.offered_rate_bps = 1000 + below(2000000),
		.burst_bytes = 100 + below(20000),
		.burst_size = (uint8_t)below(CELL_CROWD_SIZE_COUNT),
		.weight = (uint8_t)below(4),
		.cqi_period_ms = below(2) ? 0 : 1 + below(100),
		.n_cqi = (uint8_t)(1 + below(4)),
	};
	for (uint8_t i = 0; i < crowd->n_cqi; i++)
		crowd->cqi[i] = (uint8_t)(1 + below(15));
	p->cfg.lte.mac.ul_always_scheduled = 0;
	p->cfg.harq.errors = (uint8_t)below(CELL_ERRORS_COUNT);
}

static void add_netem(struct cell_netem *netem)
{
	static const struct cell_delay delay[] = {
		{ 0, 2000 }, { 13, 0 }, { 50, 9000 }, { 70, 1 }
	};
	static const uint8_t lost[] = { 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0 };

	*netem = (struct cell_netem){
		.loss = (uint8_t)below(CELL_NETEM_LOSS_COUNT),
		.random_q32 = percent_q32(20),
		.p13_q32 = percent_q32(30),
		.p31_q32 = percent_q32(90),
		.p32_q32 = percent_q32(10),
		.p23_q32 = percent_q32(50),
		.p14_q32 = percent_q32(5),
		.p_q32 = percent_q32(20),
		.r_q32 = percent_q32(90),
		.bad_q32 = percent_q32(100),
		.good_q32 = percent_q32(5),
		.delay_us = below(2) * below(30000),
		.jitter_us = below(2) * below(20000),
		.jitter_correlation_q32 = below(2) * percent_q32(90),
		.distribution = (uint8_t)below(CELL_NETEM_DISTRIBUTION_COUNT),
		.reorder_q32 = below(2) * percent_q32(50),
		.reorder_correlation_q32 = below(2) * percent_q32(90),
		.reorder_gap = (uint16_t)below(4),
		.duplicate_q32 = below(2) * percent_q32(30),
		.duplicate_correlation_q32 = below(2) * percent_q32(90),
		.delay = delay,
		.n_delays = below(3) ? 0 : 1 + below(4),
		.lost = lost,
		.n_lost = below(3) ? 0 : 1 + below(sizeof(lost)),
	};
	if (netem->n_delays && delay[netem->n_delays - 1].at_ms == 0)
		netem->n_delays++; /* the last one is the period */
	if (below(3))
		return;
	netem->slot_us = 1000 + below(20000);
	netem->slot_more_us = below(5000);
	netem->slot_packets = below(4);
	netem->slot_bytes = below(2) * (1500 + below(9000));
}

/* Changes of a link, in place of commands that mean something to others. */
static void change_link(const struct plan *p, struct cell_cmd *cmd)
{
	*cmd = (struct cell_cmd){
		.type = (enum cell_cmd_type)(CELL_CMD_RATE + below(4)),
		.ue = (uint8_t)(1 + below(p->cfg.n_ue)),
		.dir = (uint8_t)below(2),
	};
	if (cmd->type == CELL_CMD_RATE)
		cmd->value = CELL_RATE_MIN_BPS + below(20000000);
	else if (cmd->type == CELL_CMD_LOSS)
		cmd->value = percent_q32(20);
	else
		cmd->value = below(100);
}

static void add_loss(struct plan *p)
{
	for (uint32_t i = 0; i < p->n_actions; i++)
		if (p->action[i].kind == PLAN_COMMAND && below(4))
			change_link(p, &p->action[i].cmd);
	for (int dir = 0; dir < 2; dir++) {
		add_netem(&p->cfg.constant.netem[dir]);
		add_netem(&p->cfg.recorded.way[dir].netem);
	}
}

static void add_trains(struct plan *p)
{
	static const uint32_t offset_ms[] = { 0, 1, 1, 4, 9, 0, 0, 2, 30, 0, 3 };
	static const int32_t size_us[] = { -200, 0, 100, 150, 1000 };
	static struct cell_train train[2][3];

	for (int dir = 0; dir < 2; dir++) {
		struct cell_recording *way = &p->cfg.recorded.way[dir];
		struct cell_train *t = train[dir];

		t[0] = (struct cell_train){ 5, below(30), 0, 1 + below(5) };
		t[1] = (struct cell_train){ 5 + below(80), below(30), 5, 1 + below(4) };
		t[2] = (struct cell_train){ 100 + below(200), below(30), 9, 1 + below(2) };
		way->train = t;
		way->n_trains = 3;
		way->train_offset_ms = offset_ms;
		way->n_train_offsets = sizeof(offset_ms) / sizeof(offset_ms[0]);
		way->train_size_us = size_us;
		way->n_train_sizes = below(6);
	}
	p->cfg.recorded.delay_ms = 0;
	p->cfg.recorded.uplink_gap_ms = (uint16_t)(1 + below(50));
	p->cfg.recorded.downlink_gap_ms = (uint16_t)(1 + below(50));
}

/* Bearers drop, where they have a queue that can. */
static void add_dualpi2(struct plan *p)
{
	if (p->cfg.system == CELL_SYSTEM_NR && p->cfg.rlc.mode != CELL_RLC_TM && below(3))
		p->cfg.nr.aqm.mode = CELL_AQM_DUALPI2;
}

static void add_times(struct cell_times_cfg *times)
{
	uint16_t ms = (uint16_t)below(10), step = (uint16_t)below(10);

	*times = (struct cell_times_cfg){ .on = 1,
		                          .p5_ms = ms,
		                          .p25_ms = (uint16_t)(ms + step),
		                          .p50_ms = (uint16_t)(ms + 2 * step),
		                          .p75_ms = (uint16_t)(ms + 4 * step),
		                          .p95_ms = (uint16_t)(ms + 7 * step),
		                          .p99_ms = (uint16_t)(ms + 9 * step) };
}

/* SINR in centi-dB. */
static const int32_t good[] = { 1000, 2000, 1000, 2000 }, mixed[] = { -1500, 1000, 2000, 2000 },
		     bad[] = { -1500, -1500, -1500, 1000 };

/* Most commands become ones that mean something; channels get one of @sinr_cdb. */
static void steer(struct plan *p, const int32_t sinr_cdb[4])
{
	uint32_t n_measured = 0;

	for (uint32_t i = 0; i < p->n_actions; i++) {
		struct cell_cmd *cmd = &p->action[i].cmd;

		if (p->action[i].kind != PLAN_COMMAND || below(4) == 0)
			continue;
		*cmd = (struct cell_cmd){
			.type = (enum cell_cmd_type[]){ CELL_CMD_CHANNEL, CELL_CMD_HANDOVER,
			                                CELL_CMD_MEASURE,
			                                CELL_CMD_PREDICT }[below(4)],
			.ue = (uint8_t)(1 + below(p->cfg.n_ue)),
			.dir = (uint8_t)below(2),
			.cqi = (uint8_t)(3 + below(13)),
			.enb = (uint8_t)below(p->cfg.n_enb),
			.sinr_cdb = sinr_cdb[below(4)],
			.rsrp_cdbm = -6000 - (int32_t)below(6000),
		};
		if (cmd->type == CELL_CMD_MEASURE && below(8)) { /* of one UE all cells in turn */
			cmd->ue = 1;
			cmd->enb = (uint8_t)(n_measured++ % p->cfg.n_enb);
		}
	}
}

/* The quality of channels matters, to control channels as well. */
static void add_channels(struct plan *p)
{
	steer(p, mixed);
	p->cfg.harq.errors = (uint8_t)below(CELL_ERRORS_COUNT);
	p->cfg.lte.control.errors = (uint8_t)below(2);
	p->cfg.lte.control.dtx = (uint8_t)below(CELL_DTX_COUNT);
}

/* Thresholds are in the range of what is measured. */
static void add_condition(struct cell_condition_cfg *condition)
{
	condition->on = below(4) > 0;
	condition->offset_cdb = (uint16_t)below(400);
	condition->hysteresis_cdb = (uint16_t)below(200);
	condition->threshold1 = (uint8_t)(40 + below(60));
	condition->threshold2 = (uint8_t)(40 + below(60));
	condition->time_to_trigger_ms = (uint16_t)below(40);
}

static void add_handovers(struct plan *p)
{
	steer(p, good);
	add_dualpi2(p);
	p->cfg.handover.a3.on = p->cfg.handover.procedure != CELL_HO_PREDICTION && below(2);
	p->cfg.handover.a3.offset_cdb = (uint16_t)below(400);
	p->cfg.handover.a3.hysteresis_cdb = (uint16_t)below(200);
	p->cfg.handover.a3.filter_coefficient = (uint8_t)below(9);
	if (p->cfg.handover.procedure == CELL_HO_CONDITIONAL)
		add_condition(&p->cfg.handover.condition);
	if (below(3) == 0)
		add_times(&p->cfg.handover.detach_times);
	if (below(3) == 0 && p->cfg.handover.procedure != CELL_HO_PREDICTION)
		add_times(&p->cfg.handover.preparation_times);
}

/* For what takes long. */
static void slow_down(struct plan *p, uint32_t times)
{
	for (uint32_t i = 0; i < p->n_actions; i++)
		p->action[i].t_ns *= times;
	p->end_ns *= times;
}

static void add_failures(struct plan *p)
{
	struct cell_link_cfg *link = &p->cfg.handover.link_failure;

	p->cfg.handover.procedure = CELL_HO_STANDARD;
	p->cfg.handover.condition.on = 0;
	add_handovers(p);
	steer(p, below(2) ? mixed : bad);
	for (uint32_t i = 0; i < p->n_actions; i++) /* most of all what makes links fail */
		if (below(2)) {
			p->action[i].cmd.type = CELL_CMD_CHANNEL;
			p->action[i].cmd.dir = CELL_DIR_DL;
		}
	slow_down(p, 1 + below(4));
	link->on = 1;
	link->n310 = (uint8_t)(1 + below(4));
	link->n311 = (uint8_t)(1 + below(3));
	link->t310_ms = (uint16_t)below(60);
	link->t311_ms = (uint16_t)(1000 + below(100));
	link->t301_ms = (uint16_t)(100 + below(100));
	link->t304_ms = (uint16_t)(50 + below(100));
	link->context = (uint8_t)below(CELL_CONTEXT_COUNT);
	link->selection_ms = (uint16_t)below(30);
	link->reestablish_ms = (uint16_t)below(30);
	link->setup_ms = (uint16_t)below(60);
	link->rrc_retx_ms = (uint16_t)(5 + below(40));
	link->rrc_retx = (uint8_t)below(4);
}

static void add_daps(struct plan *p)
{
	p->cfg.handover.procedure = CELL_HO_DAPS;
	p->cfg.handover.forwarding = 1;
	p->cfg.handover.condition.on = 0;
	add_handovers(p);
}

static void add_second_cell(struct plan *p)
{
	p->cfg.pdcp.duplication = p->cfg.rlc.mode != CELL_RLC_TM;
	p->cfg.nr.aqm.mode = CELL_AQM_NONE;
	for (uint8_t i = 0; i < p->cfg.n_ue; i++) {
		p->cfg.ue[i].second_cqi_ul = (uint8_t)below(16);
		p->cfg.ue[i].second_cqi_dl = (uint8_t)below(16);
	}
}

/* What an input of NR does not say. */
static void add_nr(struct cell_cfg *cfg)
{
	struct cell_nr_cfg *nr = &cfg->nr;

	cfg->rlc.queue_ms = (uint16_t)(below(4) ? 0 : 1 + below(50));
	nr->phy.mcs_table_dl = (uint8_t)below(CELL_MCS_TABLE_COUNT);
	nr->phy.mcs_table_ul = (uint8_t)below(CELL_MCS_TABLE_COUNT);
	nr->phy.layers_dl = (uint8_t)(1 + below(4));
	nr->phy.layers_ul = (uint8_t)(1 + below(4));
	nr->phy.pdcch_symbols = (uint8_t)(1 + below(3));
	nr->phy.dmrs_symbols = (uint8_t)(1 + below(4));
	nr->phy.overhead_re = (uint8_t)(6 * below(4));
	nr->mac.processing_capability = (uint8_t)(1 + below(2));
	nr->mac.sr_prohibit_timer_ms = (uint16_t)below(10);
	nr->mac.cg_mcs = (uint8_t)below(20);
	nr->drx.short_cycle_timer = (uint8_t)(1 + below(16));
	nr->drx.start_offset_ms = (uint16_t)below(20);
	nr->drx.harq_rtt_slots = (uint8_t)below(5);
	nr->ra.rar_delay_slots = (uint8_t)(1 + below(6));
	nr->ra.backoff_max_ms = (uint16_t)below(40);
	nr->link_adaptation.target_bler_q32 = UINT32_MAX / 100 * (1 + below(30));
	nr->link_adaptation.outer_loop_step_cdb = (uint16_t)(1 + below(100));
	nr->aqm.tupdate_ms = (uint16_t)(1 + below(30));
	nr->aqm.rtt_max_ms = (uint16_t)(10 + below(100));
	nr->aqm.shift_ms = (uint16_t)below(100);
	nr->aqm.target_ms = (uint16_t)(1 + below(15));
}

/* --- cells --- */

/* The fourth byte of an input says which network it is. */
static const struct network {
	const char *name;
	void (*add)(struct plan *p);
	uint8_t byte;
	uint16_t n; /* drawn */
} networks[] = {
	{ "constant rate", add_loss, 254, 60 },
	{ "packet trace", NULL, 192, 60 },
	{ "packet trace, losses", add_loss, 192, 60 },
	{ "packet trace, trains", add_trains, 192, 60 },
	{ "UTRAN", NULL, 3, 60 },
	{ "LTE", NULL, 0, 90 },
	{ "LTE, channels", add_channels, 0, 90 },
	{ "LTE, bearers", NULL, 128, 90 },
	{ "LTE, crowd", add_crowd, 0, 90 },
	{ "LTE, handovers", add_handovers, 0, 150 },
	{ "LTE, failures", add_failures, 0, 150 },
	{ "NR", NULL, 208, 90 },
	{ "NR, channels", add_channels, 208, 90 },
	{ "NR, bearers", NULL, 232, 90 },
	{ "NR, second cell", add_second_cell, 208, 90 },
	{ "NR, handovers", add_handovers, 244, 150 },
	{ "NR, failures", add_failures, 245, 150 },
	{ "NR, DAPS", add_daps, 245, 150 },
};

static void lower_errors(struct plan *p)
{
	for (uint8_t k = 0; k < p->cfg.harq.n_bler; k++)
		p->cfg.harq.bler_q32[k] /= 4;
	for (uint8_t i = 0; i < p->cfg.n_ue; i++) {
		p->cfg.ue[i].bler_ul_q32 /= 16;
		p->cfg.ue[i].bler_dl_q32 /= 16;
		p->cfg.ue[i].bler_sl_q32 /= 16;
	}
	p->cfg.constant.loss_dl_q32 /= 8;
	p->cfg.utran.bler_dl_q32 /= 4;
	p->cfg.utran.bler_ul_q32 /= 4;
}

/* Return: the core takes the configuration. */
static bool plan_draw(struct plan *ret, const struct network *network)
{
	uint8_t input[INPUT_BYTES];
	struct fuzz_input in = { input, sizeof(input) };
	const char *field, *range;

	for (size_t i = 0; i < sizeof(input); i++)
		input[i] = (uint8_t)draw();
	input[0] %= OTHER_VALUES;
	input[3] = network->byte;
	(void)plan_read(ret, &in);
	ret->kinds = true;
	ret->intact = ret->lossless = false; /* marks change packets */
	if (below(3) == 0)                   /* while much is under way */
		ret->end_ns -= (380 + below(20)) * INT64_C(1000000);
	lower_errors(ret);
	if (ret->cfg.system == CELL_SYSTEM_NR)
		add_nr(&ret->cfg);
	if (network->add)
		network->add(ret);
	return cell_cfg_check(&ret->cfg, &field, &range) == 0;
}

/* Bytes @used of @line are there already. */
static void tell(const struct cell_came *came, char line[LINE_BYTES], size_t used)
{
	static const char *const kinds[] = { "delivered", "dropped", "PDUs", "rows" };
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (int k = 0; k <= CELL_OUT_RECORD; k++)
		used += (size_t)snprintf(line + used, LINE_BYTES - used,
		                         "%s %" PRIu32 " %s %08" PRIx32, k ? "," : ":", came->n[k],
		                         kinds[k], (uint32_t)came->hash[k]);
	for (size_t i = 0; i < sizeof(came->stats); i++)
		hash = (hash ^ ((const uint8_t *)&came->stats)[i]) * 16777619u;
	(void)snprintf(line + used, LINE_BYTES - used, ", statistics %08" PRIx32 ", %zu bytes\n",
	               hash, came->bytes);
}

/* Return: lines that differ. */
static uint32_t compare(const char *line, FILE *expected)
{
	char before[LINE_BYTES] = "";

	if (!expected) {
		(void)fputs(line, stdout);
		return 0;
	}
	if (!fgets(before, sizeof(before), expected))
		before[0] = '\0';
	if (strcmp(before, line) == 0)
		return 0;
	(void)printf("- %s+ %s", *before ? before : "\n", *line ? line : "\n");
	return 1;
}

int main(int argc, char **argv)
{
	FILE *expected = argc > 1 ? fopen(argv[1], "re") : NULL;
	static struct plan plan;
	uint32_t differ = 0;

	if (argc > 1 && !expected) {
		perror(argv[1]);
		return 2;
	}
	for (uint32_t n = 0; n < sizeof(networks) / sizeof(networks[0]); n++)
		for (uint32_t i = 0, ran = 0; ran < networks[n].n && i < TRIED * networks[n].n;
		     i++) {
			struct cell_came came;
			char line[LINE_BYTES];

			state = n << 16 | i;
			if (!plan_draw(&plan, &networks[n]))
				continue;
			ran++;
			cell_run(&plan, &came);
			tell(&came, line,
			     (size_t)snprintf(line, sizeof(line), "%s %" PRIu32, networks[n].name,
			                      i));
			differ += compare(line, expected);
			if (differ == MANY)
				return 1;
		}
	if (expected)
		differ += compare("", expected);
	return differ ? 1 : 0;
}
