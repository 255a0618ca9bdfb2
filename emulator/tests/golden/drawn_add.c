/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drawn_add.c - features of drawn cells; see drawn_add.h. */
#include "drawn_add.h"

static uint64_t state;

void drawn_start(uint64_t seed)
{
	state = seed;
}

/* splitmix64. Source: Steele, Lea, Flood 2014 */
static uint64_t draw(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

uint32_t drawn_below(uint32_t n)
{
	return (uint32_t)(draw() % n);
}

/* At most @most per cent. */
static uint32_t percent_q32(uint32_t most)
{
	return drawn_below(most + 1) * (UINT32_MAX / 100);
}

/* @value, or 0. */
static uint32_t perhaps(uint32_t value)
{
	return drawn_below(2) ? value : 0;
}

void drawn_add_crowd(struct plan *p)
{
	struct cell_crowd_cfg *crowd = &p->cfg.crowd;

	*crowd = (struct cell_crowd_cfg){
		.count = (uint16_t)(1 + drawn_below(8)),
		.direction = (uint8_t)drawn_below(CELL_CROWD_DIRECTION_COUNT),
		.arrival = (uint8_t)drawn_below(CELL_CROWD_READING),
		.offered_rate_bps = 1000 + drawn_below(2000000),
		.burst_bytes = 100 + drawn_below(20000),
		.reading_ms = 5000,
		.burst_size = (uint8_t)drawn_below(CELL_CROWD_SIZE_COUNT),
		.weight = (uint8_t)drawn_below(4),
		.cqi_period_ms = drawn_below(2) ? 0 : 1 + drawn_below(100),
		.n_cqi = (uint8_t)(1 + drawn_below(4)),
	};
	for (uint8_t i = 0; i < crowd->n_cqi; i++)
		crowd->cqi[i] = (uint8_t)(1 + drawn_below(15));
	p->cfg.lte.mac.ul_always_scheduled = 0;
	p->cfg.harq.errors = (uint8_t)drawn_below(CELL_ERRORS_COUNT);
}

void drawn_add_reading(struct plan *p)
{
	drawn_add_crowd(p);
	p->cfg.crowd.arrival = CELL_CROWD_READING;
	p->cfg.crowd.reading_ms = 1 + drawn_below(drawn_below(2) ? 20 : 2000);
}

static void add_netem(struct cell_netem *netem)
{
	static const struct cell_delay delay[] = {
		{ 0, 2000 }, { 13, 0 }, { 50, 9000 }, { 70, 1 }
	};
	static const uint8_t lost[] = { 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0 };

	*netem = (struct cell_netem){
		.loss = (uint8_t)drawn_below(CELL_NETEM_LOSS_COUNT),
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
		.delay_us = perhaps(drawn_below(30000)),
		.jitter_us = perhaps(drawn_below(20000)),
		.jitter_correlation_q32 = perhaps(percent_q32(90)),
		.distribution = (uint8_t)drawn_below(CELL_NETEM_PARETO),
		.reorder_q32 = perhaps(percent_q32(50)),
		.reorder_correlation_q32 = perhaps(percent_q32(90)),
		.reorder_gap = (uint16_t)drawn_below(4),
		.duplicate_q32 = perhaps(percent_q32(30)),
		.duplicate_correlation_q32 = perhaps(percent_q32(90)),
		.delay = delay,
		.n_delays = drawn_below(3) ? 0 : 1 + drawn_below(4),
		.lost = lost,
		.n_lost = drawn_below(3) ? 0 : 1 + drawn_below(sizeof(lost)),
	};
	if (netem->n_delays && delay[netem->n_delays - 1].at_ms == 0)
		netem->n_delays++; /* the last one is the period */
	if (drawn_below(3))
		return;
	netem->slot_us = 1000 + drawn_below(20000);
	netem->slot_more_us = drawn_below(5000);
	netem->slot_packets = drawn_below(4);
	netem->slot_bytes = perhaps(1500 + drawn_below(9000));
}

/* Changes of a link, in place of commands that mean something to others. */
static void change_link(const struct plan *p, struct cell_cmd *cmd)
{
	*cmd = (struct cell_cmd){
		.type = (enum cell_cmd_type)(CELL_CMD_RATE + drawn_below(4)),
		.ue = (uint8_t)(1 + drawn_below(p->cfg.n_ue)),
		.dir = (uint8_t)drawn_below(2),
	};
	if (cmd->type == CELL_CMD_RATE)
		cmd->value = CELL_RATE_MIN_BPS + drawn_below(20000000);
	else if (cmd->type == CELL_CMD_LOSS)
		cmd->value = percent_q32(20);
	else
		cmd->value = drawn_below(100);
}

void drawn_add_loss(struct plan *p)
{
	for (uint32_t i = 0; i < p->n_actions; i++)
		if (p->action[i].kind == PLAN_COMMAND && drawn_below(4))
			change_link(p, &p->action[i].cmd);
	for (int dir = 0; dir < 2; dir++) {
		add_netem(&p->cfg.constant.netem[dir]);
		add_netem(&p->cfg.recorded.way[dir].netem);
	}
}

void drawn_add_trains(struct plan *p)
{
	static const uint32_t offset_ms[] = { 0, 1, 1, 4, 9, 0, 0, 2, 30, 0, 3 };
	static const int32_t size_us[] = { -200, 0, 100, 150, 1000 };
	static struct cell_train train[2][3];

	for (int dir = 0; dir < 2; dir++) {
		struct cell_recording *way = &p->cfg.recorded.way[dir];
		struct cell_train *t = train[dir];

		t[0] = (struct cell_train){ 5, drawn_below(30), 0, 1 + drawn_below(5) };
		t[1] = (struct cell_train){ 5 + drawn_below(80), drawn_below(30), 5,
			                    1 + drawn_below(4) };
		t[2] = (struct cell_train){ 100 + drawn_below(200), drawn_below(30), 9,
			                    1 + drawn_below(2) };
		way->train = t;
		way->n_trains = 3;
		way->train_offset_ms = offset_ms;
		way->n_train_offsets = sizeof(offset_ms) / sizeof(offset_ms[0]);
		way->train_size_us = size_us;
		way->n_train_sizes = drawn_below(6);
	}
	p->cfg.recorded.delay_ms = 0;
	p->cfg.recorded.uplink_gap_ms = (uint16_t)(1 + drawn_below(50));
	p->cfg.recorded.downlink_gap_ms = (uint16_t)(1 + drawn_below(50));
}

/* Bearers drop, where they have a queue that can. */
static void add_dualpi2(struct plan *p)
{
	if (p->cfg.system == CELL_SYSTEM_NR && p->cfg.rlc.mode != CELL_RLC_TM && drawn_below(3))
		p->cfg.nr.aqm.mode = CELL_AQM_DUALPI2;
}

static void add_times(struct cell_times_cfg *times)
{
	uint16_t ms = (uint16_t)drawn_below(10), step = (uint16_t)drawn_below(10);

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

		if (p->action[i].kind != PLAN_COMMAND || drawn_below(4) == 0)
			continue;
		*cmd = (struct cell_cmd){
			.type = (enum cell_cmd_type[]){ CELL_CMD_CHANNEL, CELL_CMD_HANDOVER,
			                                CELL_CMD_MEASURE,
			                                CELL_CMD_PREDICT }[drawn_below(4)],
			.ue = (uint8_t)(1 + drawn_below(p->cfg.n_ue)),
			.dir = (uint8_t)drawn_below(2),
			.cqi = (uint8_t)(3 + drawn_below(13)),
			.enb = (uint8_t)drawn_below(p->cfg.n_enb),
			.sinr_cdb = sinr_cdb[drawn_below(4)],
			.rsrp_cdbm = -6000 - (int32_t)drawn_below(6000),
		};
		if (cmd->type == CELL_CMD_MEASURE &&
		    drawn_below(8)) { /* of one UE all cells in turn */
			cmd->ue = 1;
			cmd->enb = (uint8_t)(n_measured++ % p->cfg.n_enb);
		}
	}
}

/* The quality of channels matters, to control channels as well. */
void drawn_add_channels(struct plan *p)
{
	steer(p, mixed);
	p->cfg.harq.errors = (uint8_t)drawn_below(CELL_ERRORS_COUNT);
	p->cfg.lte.control.errors = (uint8_t)drawn_below(2);
	p->cfg.lte.control.dtx = (uint8_t)drawn_below(CELL_DTX_COUNT);
}

/* Thresholds are in the range of what is measured. */
static void add_condition(struct cell_condition_cfg *condition)
{
	condition->on = drawn_below(4) > 0;
	condition->offset_cdb = (uint16_t)drawn_below(400);
	condition->hysteresis_cdb = (uint16_t)drawn_below(200);
	condition->threshold1 = (uint8_t)(40 + drawn_below(60));
	condition->threshold2 = (uint8_t)(40 + drawn_below(60));
	condition->time_to_trigger_ms = (uint16_t)drawn_below(40);
}

void drawn_add_handovers(struct plan *p)
{
	steer(p, good);
	add_dualpi2(p);
	p->cfg.handover.a3.on = p->cfg.handover.procedure != CELL_HO_PREDICTION && drawn_below(2);
	p->cfg.handover.a3.offset_cdb = (uint16_t)drawn_below(400);
	p->cfg.handover.a3.hysteresis_cdb = (uint16_t)drawn_below(200);
	p->cfg.handover.a3.filter_coefficient = (uint8_t)drawn_below(9);
	if (p->cfg.handover.procedure == CELL_HO_CONDITIONAL)
		add_condition(&p->cfg.handover.condition);
	if (drawn_below(3) == 0)
		add_times(&p->cfg.handover.detach_times);
	if (drawn_below(3) == 0 && p->cfg.handover.procedure != CELL_HO_PREDICTION)
		add_times(&p->cfg.handover.preparation_times);
}

/* For what takes long. */
static void slow_down(struct plan *p, uint32_t times)
{
	for (uint32_t i = 0; i < p->n_actions; i++)
		p->action[i].t_ns *= times;
	p->end_ns *= times;
}

void drawn_add_failures(struct plan *p)
{
	struct cell_link_cfg *link = &p->cfg.handover.link_failure;

	p->cfg.handover.procedure = CELL_HO_STANDARD;
	p->cfg.handover.condition.on = 0;
	drawn_add_handovers(p);
	steer(p, drawn_below(2) ? mixed : bad);
	for (uint32_t i = 0; i < p->n_actions; i++) /* most of all what makes links fail */
		if (drawn_below(2)) {
			p->action[i].cmd.type = CELL_CMD_CHANNEL;
			p->action[i].cmd.dir = CELL_DIR_DL;
		}
	slow_down(p, 1 + drawn_below(4));
	link->on = 1;
	link->n310 = (uint8_t)(1 + drawn_below(4));
	link->n311 = (uint8_t)(1 + drawn_below(3));
	link->t310_ms = (uint16_t)drawn_below(60);
	link->t311_ms = (uint16_t)(1000 + drawn_below(100));
	link->t301_ms = (uint16_t)(100 + drawn_below(100));
	link->t304_ms = (uint16_t)(50 + drawn_below(100));
	link->context = (uint8_t)drawn_below(CELL_CONTEXT_COUNT);
	link->selection_ms = (uint16_t)drawn_below(30);
	link->reestablish_ms = (uint16_t)drawn_below(30);
	link->setup_ms = (uint16_t)drawn_below(60);
	link->rrc_retx_ms = (uint16_t)(5 + drawn_below(40));
	link->rrc_retx = (uint8_t)drawn_below(4);
}

void drawn_add_daps(struct plan *p)
{
	p->cfg.handover.procedure = CELL_HO_DAPS;
	p->cfg.handover.forwarding = 1;
	p->cfg.handover.condition.on = 0;
	drawn_add_handovers(p);
}

void drawn_add_carriers(struct plan *p)
{
	p->cfg.pdcp.duplication = 0;
	p->cfg.nr.phy.dl_carriers = (uint8_t)(2 + drawn_below(CELL_MAX_NR_CARRIERS - 1));
	p->cfg.nr.mac.scell_deactivation_ms = (uint16_t)perhaps(20);
	p->cfg.nr.mac.scell_activation_ms = (uint16_t)drawn_below(20);
	drawn_add_channels(p);
}

void drawn_add_ul_carriers(struct plan *p)
{
	p->cfg.lte.dl_carriers = (uint8_t)(2 + drawn_below(CELL_MAX_CARRIERS - 1));
	p->cfg.lte.ul_carriers = (uint8_t)(2 + drawn_below(p->cfg.lte.dl_carriers - 1u));
	p->cfg.lte.mac.ul_always_scheduled = 0;
	drawn_add_channels(p);
}

void drawn_add_en_dc(struct plan *p)
{
	struct cell_scg_cfg *scg = &p->cfg.en_dc.scg;

	drawn_add_channels(p);
	slow_down(p, 1 + drawn_below(4));
	scg->b1_threshold = (uint8_t)(40 + drawn_below(60));
	scg->a2_threshold = (uint8_t)(scg->b1_threshold - drawn_below(20));
	scg->hysteresis_cdb = (uint16_t)drawn_below(200);
	scg->filter_coefficient = (uint8_t)drawn_below(9);
	p->cfg.handover.link_failure.t310_ms = (uint16_t)drawn_below(60);
}

void drawn_add_second_cell(struct plan *p)
{
	p->cfg.pdcp.duplication = p->cfg.rlc.mode != CELL_RLC_TM;
	p->cfg.nr.aqm.mode = CELL_AQM_NONE;
	for (uint8_t i = 0; i < p->cfg.n_ue; i++) {
		p->cfg.ue[i].second_cqi_ul = (uint8_t)drawn_below(16);
		p->cfg.ue[i].second_cqi_dl = (uint8_t)drawn_below(16);
	}
}

/* What an input of NR does not say. */
void drawn_add_nr(struct plan *p)
{
	struct cell_nr_cfg *nr = &p->cfg.nr;

	p->cfg.rlc.queue_ms = (uint16_t)(drawn_below(4) ? 0 : 1 + drawn_below(50));
	for (uint8_t i = 0; i < p->cfg.n_ue; i++)
		p->cfg.ue[i].weight = (uint8_t)drawn_below(4);
	nr->phy.mcs_table_dl = (uint8_t)drawn_below(CELL_MCS_TABLE_COUNT);
	nr->phy.mcs_table_ul = (uint8_t)drawn_below(CELL_MCS_TABLE_COUNT);
	nr->phy.layers_dl = (uint8_t)(1 + drawn_below(4));
	nr->phy.layers_ul = (uint8_t)(1 + drawn_below(4));
	nr->phy.pdcch_symbols = (uint8_t)(1 + drawn_below(3));
	nr->phy.dmrs_symbols = (uint8_t)(1 + drawn_below(4));
	nr->phy.overhead_re = (uint8_t)(6 * drawn_below(4));
	nr->mac.processing_capability = (uint8_t)(1 + drawn_below(2));
	nr->mac.sr_prohibit_timer_ms = (uint16_t)drawn_below(10);
	nr->mac.cg_mcs = (uint8_t)drawn_below(20);
	nr->drx.short_cycle_timer = (uint8_t)(1 + drawn_below(16));
	nr->drx.start_offset_ms = (uint16_t)drawn_below(20);
	nr->drx.harq_rtt_slots = (uint8_t)drawn_below(5);
	nr->ra.rar_delay_slots = (uint8_t)(1 + drawn_below(6));
	nr->ra.backoff_max_ms = (uint16_t)drawn_below(40);
	nr->link_adaptation.target_bler_q32 = UINT32_MAX / 100 * (1 + drawn_below(30));
	nr->link_adaptation.outer_loop_step_cdb = (uint16_t)(1 + drawn_below(100));
	nr->aqm.tupdate_ms = (uint16_t)(1 + drawn_below(30));
	nr->aqm.rtt_max_ms = (uint16_t)(10 + drawn_below(100));
	nr->aqm.shift_ms = (uint16_t)drawn_below(100);
	nr->aqm.target_ms = (uint16_t)(1 + drawn_below(15));
}
