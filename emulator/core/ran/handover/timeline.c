/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline.c - what is under way of a UE's handover, by time; see timeline.h. */
#include "ran/handover/timeline.h"

#include "base/assert.h"
#include "base/digest.h"
#include "epc/gateway.h"
#include "epc/tunnel.h"

#define NS_PER_MS INT64_C(1000000)

static void insert(struct timeline *t, struct rrc_step step)
{
	uint8_t at = t->n++;

	CELL_ASSERT(at < TIMELINE_MAX);
	for (; at > 0 && t->step[at - 1].t_ns > step.t_ns; at--)
		t->step[at] = t->step[at - 1];
	t->step[at] = step;
}

void timeline_add(struct timeline *t, const struct cell *c, enum rrc_step_kind kind, uint8_t enb,
                  int64_t after_ns)
{
	insert(t, (struct rrc_step){ .t_ns = c->event_ns + after_ns, .kind = kind, .enb = enb });
}

void timeline_again(struct timeline *t, const struct cell *c, struct rrc_step step,
                    int64_t after_ns)
{
	step.t_ns = c->event_ns + after_ns;
	step.tries++;
	insert(t, step);
}

bool timeline_has(const struct timeline *t, enum rrc_step_kind kind)
{
	for (uint8_t i = 0; i < t->n; i++)
		if (t->step[i].kind == kind)
			return true;
	return false;
}

void timeline_remove(struct timeline *t, enum rrc_step_kind kind)
{
	uint8_t n = 0;

	for (uint8_t i = 0; i < t->n; i++)
		if (t->step[i].kind != kind)
			t->step[n++] = t->step[i];
	t->n = n;
}

struct rrc_step timeline_take(struct timeline *t)
{
	struct rrc_step step = t->step[0];

	t->n--;
	for (uint8_t i = 0; i < t->n; i++)
		t->step[i] = t->step[i + 1];
	return step;
}

static uint8_t *markers_left(struct timeline *t, enum rrc_step_kind kind)
{
	return kind == RRC_STEP_S1_MARKER ? &t->s1_markers : &t->x2_markers;
}

void timeline_repeat_marker(struct timeline *t, const struct cell *c, enum rrc_step_kind kind,
                            uint8_t enb)
{
	uint8_t more = (uint8_t)(c->cfg.handover.end_markers - 1);

	timeline_remove(t, kind);
	*markers_left(t, kind) = more;
	if (more > 0)
		timeline_add(t, c, kind, enb, c->cfg.handover.end_marker_gap_ms * NS_PER_MS);
}

void timeline_send_marker(struct timeline *t, struct epc *epc, uint8_t ue, enum rrc_step_kind kind,
                          uint8_t enb)
{
	uint8_t *left = markers_left(t, kind);
	const struct cell_cfg *cfg = &epc->cell->cfg;

	if (*left == 0)
		return;
	if (kind == RRC_STEP_S1_MARKER)
		gateway_end_marker(epc, ue, enb);
	else
		tunnel_end_marker(epc, ue, enb);
	(*left)--;
	timeline_add(t, epc->cell, kind, enb,
	             (*left > 0 ? cfg->handover.end_marker_gap_ms : cfg->handover.end_marker_ms) *
	                     NS_PER_MS);
}

void timeline_digest(const struct timeline *t, uint64_t *h)
{
	digest_mix(h, (uint64_t)(t->s1_markers << 8 | t->x2_markers));
	for (uint8_t i = 0; i < t->n; i++) {
		digest_mix(h, (uint64_t)t->step[i].t_ns);
		digest_mix(h, (uint64_t)t->step[i].kind | (uint64_t)t->step[i].tries << 8);
	}
}

void timeline_record(struct cell *c, uint8_t ue, uint8_t node, uint8_t enb, uint8_t other,
                     enum cell_rrc_msg msg)
{
	out_record(c, NULL,
	           (struct cell_record){ .event = CELL_EV_RRC,
	                                 .node = node,
	                                 .enb = enb,
	                                 .peer = ue,
	                                 .sn = other,
	                                 .value = (int32_t)msg });
}
