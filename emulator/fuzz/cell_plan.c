/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cell_plan.c - plans out of fuzz inputs; see cell_plan.h.
 *
 * Values are chosen among those that matter, as the property tests choose them,
 * so that most inputs are cells in which something happens. Every fourth input has other values of
 * a few keys besides, whichever and whatever (cell_keys.h).
 */
#include "cell_plan.h"

#include "cell_draw.h"
#include "cell_keys.h"

#define MS      INT64_C(1000000)
#define TAIL_MS 400

#define CONSTANT     254 /* the byte that says which system */
#define EN_DC        253
#define NR           208 /* and from here on */
#define OTHER_VALUES 192 /* seeds from here on */

/* @link, with its times in @ms */
static void read_link(struct cell_recorded *link, uint32_t ms[2][PLAN_TIMES_MAX],
                      struct fuzz_input *in)
{
	for (int d = 0; d < 2; d++) {
		uint32_t n = fuzz_range(in, 1, PLAN_TIMES_MAX), at_ms = 0;

		for (uint32_t i = 0; i < n; i++)
			ms[d][i] = at_ms += FUZZ_PICK(in, 1, 0, 3, 100);
		link->way[d] =
			(struct cell_recording){ .opportunity_ms = ms[d], .n_opportunities = n };
	}
	link->delay_ms = (uint16_t)FUZZ_PICK(in, 0, 1, 40);
	link->queue_pkts = FUZZ_PICK(in, 1000, 1, 5);
	link->queue_bytes = FUZZ_PICK(in, 0, 1500, 5000);
}

static void read_packet_trace(struct plan *p, struct fuzz_input *in)
{
	uint32_t n_ue = fuzz_range(in, 1, 3);

	p->cfg.system = CELL_SYSTEM_PACKET_TRACE;
	draw_ues(&p->cfg, n_ue);
	read_link(&p->cfg.recorded, p->opportunity_ms[0], in);
	if (!draw_bit(in))
		return;
	p->recorded = p->cfg.recorded;
	read_link(&p->recorded, p->opportunity_ms[1], in);
	p->cfg.ue[n_ue - 1].recorded = &p->recorded;
}

static void read_constant(struct cell_cfg *cfg, struct fuzz_input *in)
{
	cfg->system = CELL_SYSTEM_CONSTANT_RATE;
	draw_ues(cfg, fuzz_range(in, 1, 3));
	cfg->constant.dl_rate_bps = FUZZ_PICK(in, 20000000, 1000, 999983);
	cfg->constant.delay_ms = (uint16_t)FUZZ_PICK(in, 10, 0, 100);
	cfg->constant.loss_dl_q32 = draw_error_rate(in);
	cfg->constant.queue_pkts = FUZZ_PICK(in, 1000, 1, 3);
}

static void read_utran(struct cell_cfg *cfg, struct fuzz_input *in)
{
	uint32_t rate_bps;

	cfg->system = CELL_SYSTEM_UTRAN;
	draw_ues(cfg, fuzz_range(in, 1, 3));
	cfg->utran.tti_ms = (uint8_t)FUZZ_PICK(in, 10, 20, 40, 80);
	cfg->utran.pdu_bytes = (uint16_t)FUZZ_PICK(in, 40, 8, 20, 126);
	rate_bps = 8000u * cfg->utran.pdu_bytes / cfg->utran.tti_ms;
	cfg->utran.dl_rate_bps = rate_bps * fuzz_range(in, 1, 12);
	cfg->utran.ul_rate_bps = rate_bps * fuzz_range(in, 1, 4);
	cfg->utran.delay_ms = (uint16_t)fuzz_range(in, 0, 40);
	cfg->utran.bler_dl_q32 = draw_error_rate(in);
	cfg->utran.bler_ul_q32 = draw_error_rate(in);
	cfg->utran.max_dat = (uint8_t)FUZZ_PICK(in, 3, 1, 2, 6, 40);
	cfg->utran.tx_window_pdus = (uint16_t)FUZZ_PICK(in, 64, 1, 4, 1024, 2047);
	cfg->utran.poll_pdu = (uint16_t)FUZZ_PICK(in, 0, 1, 8, 256);
	cfg->utran.poll_window_percent = (uint8_t)fuzz_range(in, 1, 100);
	cfg->utran.timer_poll_ms = (uint16_t)FUZZ_PICK(in, 85, 10, 200);
	cfg->utran.timer_mrw_ms = (uint16_t)FUZZ_PICK(in, 100, 10, 30);
	cfg->utran.timer_status_prohibit_ms = (uint16_t)FUZZ_PICK(in, 0, 40, 100);
	cfg->utran.queue_pkts = FUZZ_PICK(in, 1000, 2);
	cfg->utran.status = (uint8_t)fuzz_range(in, 0, CELL_STATUS_COUNT - 1);
}

static void read_ues(struct cell_cfg *cfg, struct fuzz_input *in, bool lossy)
{
	for (uint8_t i = 0; i < cfg->n_ue; i++) {
		struct cell_ue_cfg *u = &cfg->ue[i];

		*u = (struct cell_ue_cfg){ .rnti = (uint16_t)(61 + i) };
		u->peer =
			cfg->n_enb > 1 ? CELL_PEER_NETWORK : (uint8_t)fuzz_range(in, 0, cfg->n_ue);
		if (cfg->rlc.mode == CELL_RLC_AM && u->peer != CELL_PEER_NETWORK) /* each other's */
			u->peer = i % 2 == 0 && i + 1 == cfg->n_ue ? CELL_PEER_NETWORK
			                                           : (uint8_t)((i ^ 1) + 1);
		u->mode = u->peer == CELL_PEER_NETWORK ? CELL_MODE_IM : draw_bit(in);
		u->enb = (uint8_t)fuzz_range(in, 0, cfg->n_enb - 1u);
		u->weight = (uint8_t)fuzz_range(in, 0, 3);
		u->addr = DRAW_ADDR(100u + i);
		u->cqi_ul = (uint8_t)(15 - fuzz_range(in, 0, 14));
		u->cqi_dl = (uint8_t)(15 - fuzz_range(in, 0, 14));
		u->cqi_sl = (uint8_t)(15 - fuzz_range(in, 0, 14));
		if (!lossy)
			continue;
		u->bler_ul_q32 = draw_error_rate(in);
		u->bler_dl_q32 = draw_error_rate(in);
		u->bler_sl_q32 = draw_error_rate(in);
	}
}

static void read_timing(struct cell_cfg *cfg, struct fuzz_input *in)
{
	cfg->lte.timing.rar_delay_tti = (uint8_t)FUZZ_PICK(in, 3, 1, 12);
	cfg->lte.timing.grant_to_tx_tti = (uint8_t)FUZZ_PICK(in, 2, 1, 4, 7);
	cfg->lte.timing.rar_to_msg3_tti =
		(uint8_t)fuzz_range(in, cfg->lte.timing.grant_to_tx_tti, 8);
	cfg->lte.timing.decode_tti = (uint8_t)FUZZ_PICK(in, 4, 1, 6);
	cfg->lte.timing.dl_sched_to_tx_tti = (uint8_t)FUZZ_PICK(in, 1, 4, 8);
	cfg->lte.timing.processing_lead_ns = FUZZ_PICK(in, 250000, 0, 1, 999999);
	cfg->lte.ra.rac_timeout_tti = (uint16_t)FUZZ_PICK(in, 13, 20, 100);
	cfg->lte.ra.backoff_max_ms = (uint16_t)FUZZ_PICK(in, 20, 0, 100);
	cfg->lte.ra.n_preambles = (uint8_t)FUZZ_PICK(in, 52, 1, 2, 64);
	cfg->lte.ra.prach_period_tti = (uint8_t)FUZZ_PICK(in, 1, 5, 20);
	cfg->lte.mac.bsr_grant_rb = (uint8_t)fuzz_range(in, 1, 6);
	cfg->lte.mac.bandwidth_stealing = draw_bit(in);
	cfg->lte.mac.trailing_bsr = draw_bit(in);
	cfg->lte.mac.enb_overhears_dm = draw_bit(in);
	cfg->lte.mac.ul_always_scheduled = draw_bit(in);
	cfg->lte.mac.grants_ignore_headers = draw_bit(in);
	cfg->scheduler = (uint8_t)fuzz_range(in, 0, CELL_SCHED_COUNT - 1);
}

static void read_lte(struct plan *p, struct fuzz_input *in)
{
	struct cell_cfg *cfg = &p->cfg;
	bool lossy = draw_bit(in), core;

	p->lossless = !lossy;
	cfg->n_ue = (uint8_t)fuzz_range(in, 1, 4);
	cfg->lte.n_rb = (uint16_t)FUZZ_PICK(in, 15, 6, 7, 50, 110);
	cfg->rlc.mode = (uint8_t)fuzz_range(in, 0, CELL_RLC_MODE_COUNT - 1u);
	cfg->lte.dl_carriers = (uint8_t)fuzz_range(in, 1, 2);
	cfg->lte.dl_codewords = (uint8_t)fuzz_range(in, 1, 2);
	cfg->n_enb = (uint8_t)FUZZ_PICK(in, 1, 2, 3);
	core = cfg->n_enb > 1 || draw_bit(in);
	read_timing(cfg, in);
	draw_harq(cfg, in, lossy);
	draw_bearers(cfg, in, lossy);
	if (cfg->n_enb > 1) { /* what a handover needs */
		cfg->rlc.delivery = CELL_DELIVERY_IN_SEQUENCE;
		cfg->pdcp.sn_bits = 12;
		cfg->pdcp.reordering = 0;
	}
	if (core)
		draw_core_network(cfg, in);
	read_ues(cfg, in, lossy);
}

/* Bearers of any mode, with filters that take packets of any bytes now and then. */
static void read_dedicated(struct plan *p, struct fuzz_input *in)
{
	uint32_t n = fuzz_range(in, 0, PLAN_BEARERS_MAX);

	p->cfg.bearer = p->bearer;
	for (uint32_t i = 0; i < n; i++) {
		struct cell_bearer_cfg *b = &p->bearer[i];

		*b = cell_cfg_bearer(&p->cfg);
		b->ue = (uint8_t)fuzz_range(in, i ? b[-1].ue : 1, p->cfg.n_ue);
		b->priority = (uint8_t)fuzz_range(in, 1, 3);
		b->prioritised_rate_bps = FUZZ_PICK(in, 0, 10000, 1000000);
		b->rlc.mode = (uint8_t)fuzz_range(in, 0, CELL_RLC_MODE_COUNT - 1u);
		b->rlc.um.sn_bits = p->cfg.system == CELL_SYSTEM_NR ? (uint8_t)FUZZ_PICK(in, 12, 6)
		                                                    : (uint8_t)FUZZ_PICK(in, 10, 5);
		b->pdcp.duplication = b->rlc.mode != CELL_RLC_TM && b->pdcp.duplication;
		b->rlc.queue_pkts = FUZZ_PICK(in, 100, 1, 5);
		b->pdcp.discard_timer_ms = (uint16_t)FUZZ_PICK(in, 0, 1, 30);
		b->n_filters = (uint8_t)fuzz_range(in, 0, 2);
		for (uint8_t k = 0; k < b->n_filters; k++)
			b->filter[k] = (struct cell_filter){
				.protocol = (uint8_t)fuzz_range(in, 0, CELL_PROTOCOL_COUNT - 1u),
				.dscp = (uint8_t)FUZZ_PICK(in, CELL_DSCP_ANY, 0, 46),
				.local_port = (uint16_t)FUZZ_PICK(in, 0, 1, 0x0700),
			};
		p->cfg.n_bearers++;
	}
}

static uint8_t read_port(const struct cell_cfg *cfg, struct fuzz_input *in)
{
	uint8_t ue = (uint8_t)fuzz_range(in, 1, cfg->n_ue);

	if (draw_bit(in) || cfg->ue[ue - 1].peer != CELL_PEER_NETWORK)
		return ue;
	return cfg->gtpu.sgw_addr ? CELL_PORT_SGW : ue | CELL_PORT_NETWORK;
}

static void read_command(struct cell_cmd *cmd, struct fuzz_input *in)
{
	*cmd = (struct cell_cmd){
		.type = (enum cell_cmd_type)fuzz_range(in, 0, CELL_CMD_COUNT),
		.ue = (uint8_t)fuzz_range(in, 0, 5),
		.mode = (uint8_t)fuzz_range(in, 0, CELL_MODE_COUNT),
		.dir = (uint8_t)fuzz_range(in, 0, CELL_DIR_COUNT),
		.cqi = (uint8_t)fuzz_range(in, 0, 16),
		.enb = (uint8_t)fuzz_range(in, 0, 3),
		.sinr_cdb = (int32_t)fuzz_range(in, 0, 6000) - 2000,
	};
	if (fuzz_u8(in) == 255)
		cmd->sinr_cdb = (int32_t)fuzz_u32(in);
	if (cmd->type == CELL_CMD_MEASURE)
		cmd->rsrp_cdbm = -100 * (int32_t)fuzz_range(in, 0, 150);
}

static void read_action(struct plan *p, struct fuzz_input *in, struct plan_action *a)
{
	const uint8_t *bytes;
	size_t n;

	a->kind = (enum plan_kind)FUZZ_PICK(in, PLAN_PUSH, PLAN_PUSH, PLAN_PUSH, PLAN_COMMAND,
	                                    PLAN_COMMAND, PLAN_RAW, PLAN_MANGLE);
	switch (a->kind) {
	case PLAN_PUSH:
		a->port = read_port(&p->cfg, in);
		a->n = (uint8_t)FUZZ_PICK(in, 1, 2, 7, 30);
		a->len = FUZZ_PICK(in, 1400, 40, 52, 1500, 1, 24);
		break;
	case PLAN_COMMAND:
		read_command(&a->cmd, in);
		p->commands = true;
		break;
	case PLAN_RAW:
		a->port = fuzz_u8(in);
		a->len = fuzz_range(in, 0, CELL_MTU_MAX + 1);
		n = fuzz_take(in, fuzz_range(in, 0, PLAN_BYTES_MAX), &bytes);
		for (size_t i = 0; i < n; i++)
			a->bytes[i] = bytes[i];
		p->intact = false;
		break;
	default:
		a->flip = fuzz_u8(in);
		a->offset = fuzz_range(in, 0, 80);
		p->intact = false;
		break;
	}
}

bool plan_read(struct plan *ret, struct fuzz_input *in)
{
	const char *field, *range;
	int64_t t_ns = 0;
	uint8_t system;

	*ret = (struct plan){ .intact = true, .lossless = true };
	cell_cfg_default(&ret->cfg);
	ret->cfg.seed = fuzz_u8(in);
	ret->few_outputs = draw_bit(in);
	ret->router_ns = FUZZ_PICK(in, 4, 0, 1, 25) * MS;
	system = fuzz_u8(in);
	if (system % 4 == 3) {
		read_utran(&ret->cfg, in);
		ret->lossless = !ret->cfg.utran.bler_dl_q32 && !ret->cfg.utran.bler_ul_q32;
	} else if (system == CONSTANT) {
		read_constant(&ret->cfg, in);
	} else if (system >= NR) {
		draw_nr(ret, in);
		if (system == EN_DC)
			draw_en_dc(&ret->cfg, in);
		else if (system >= NR + 36)
			draw_gnbs(&ret->cfg, in);
		else if (system >= NR + 24)
			read_dedicated(ret, in);
		ret->lossless &= ret->cfg.n_bearers == 0;
	} else if (system >= 192) {
		read_packet_trace(ret, in);
	} else {
		read_lte(ret, in);
		if (system >= 128)
			read_dedicated(ret, in);
		ret->lossless &= ret->cfg.n_bearers == 0; /* one overtakes another */
	}
	if (ret->cfg.seed >= OTHER_VALUES) {
		ret->lossless = false;
		for (uint32_t n = fuzz_range(in, 1, 4); n > 0; n--)
			keys_draw(&ret->cfg, ret->bearer, in);
	}
	while (in->left > 0 && ret->n_actions < PLAN_ACTIONS_MAX) {
		struct plan_action *a = &ret->action[ret->n_actions++];

		t_ns += FUZZ_PICK(in, 0, 0, MS, 5 * MS, 30 * MS, 7777, 100 * MS);
		a->t_ns = t_ns;
		read_action(ret, in, a);
	}
	ret->end_ns = t_ns + TAIL_MS * MS;
	return cell_cfg_check(&ret->cfg, &field, &range) == 0;
}
