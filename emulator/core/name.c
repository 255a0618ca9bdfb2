/* SPDX-License-Identifier: GPL-2.0-or-later */
/* name.c - names of enumerations for logs and trace headers; see cellcore.h. */
#include "cellcore.h"

#define COMPLETE(names, count)                                                                     \
	_Static_assert(sizeof(names) / sizeof(names[0]) == (count), "every value has a name")

static const char *const drop_names[] = {
	"none",        "queue_full",         "radio_loss", "rlc_discard", "pdcp_discard",
	"mode_switch", "radio_link_failure", "shutdown",   "handover",    "duplicate",
	"ecn",         "no_route",           "aqm",        "flush",
};
COMPLETE(drop_names, CELL_DROP_COUNT);

static const char *const event_names[] = {
	"none",
	"pkt_in",
	"pkt_out",
	"pkt_drop",
	"ra_preamble",
	"ra_collision",
	"ra_response",
	"ra_timeout",
	"bsr_tx",
	"bsr_rx",
	"grant",
	"mac_tx",
	"mac_rx",
	"mac_lost",
	"rlc_tx",
	"rlc_rx",
	"rlc_discard",
	"t_reordering",
	"buffer",
	"route",
	"harq_nack",
	"harq_tx",
	"harq_failure",
	"rlc_retx",
	"rlc_poll",
	"rlc_status_tx",
	"rlc_status_rx",
	"t_poll_retransmit",
	"radio_link_failure",
	"reestablished",
	"pdcp_t_reordering",
	"flush",
	"channel",
	"rrc",
	"gtpu_tx",
	"gtpu_rx",
	"ho_forward",
	"ho_hold",
	"control_missed",
	"sr",
	"harq_feedback",
	"ra_end",
	"cg_active",
	"pdcp_copy",
	"ecn_mark",
};
COMPLETE(event_names, CELL_EV_COUNT);

static const char *const mode_names[] = { "im", "dm" };
COMPLETE(mode_names, CELL_MODE_COUNT);

static const char *const dir_names[] = { "ul", "dl", "sl" };
COMPLETE(dir_names, CELL_DIR_COUNT);

static const char *const rrc_names[] = {
	"none",
	"measurement_report",
	"handover_decision",
	"handover_request",
	"handover_request_ack",
	"handover_command",
	"detach",
	"sn_status_transfer",
	"synchronised",
	"handover_confirm",
	"path_switch_request",
	"user_plane_update_request",
	"path_switched",
	"user_plane_update_reply",
	"path_switch_request_ack",
	"release_resource",
	"predicted",
	"prediction_expired",
	"handover_cancel",
	"conditional_reconfiguration",
	"condition_met",
	"handover_success",
	"early_status_transfer",
	"daps_source_release",
	"radio_link_failure",
	"message_lost",
	"cell_selected",
	"idle",
	"reestablishment_request",
	"reestablished",
	"setup_request",
	"setup_complete",
	"sgnb_addition_request",
	"sgnb_addition_request_ack",
	"scg_configuration",
	"scg_failure_information",
	"sgnb_release_request",
	"scg_release",
};
COMPLETE(rrc_names, CELL_RRC_COUNT);

static const char *const tunnel_names[] = { "s1", "x2", "end_marker" };
COMPLETE(tunnel_names, CELL_TUNNEL_COUNT);

const char *cell_drop_name(enum cell_drop reason)
{
	return drop_names[reason];
}

const char *cell_event_name(enum cell_event event)
{
	return event_names[event];
}

const char *cell_mode_name(enum cell_mode mode)
{
	return mode_names[mode];
}

const char *cell_dir_name(enum cell_dir dir)
{
	return dir_names[dir];
}

const char *cell_rrc_name(enum cell_rrc_msg msg)
{
	return rrc_names[msg];
}

const char *cell_tunnel_name(enum cell_tunnel kind)
{
	return tunnel_names[kind];
}
