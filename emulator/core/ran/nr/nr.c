/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nr.c - a network of NR as the core's entry points see it; see state.h.
 *
 * A packet enters at a UE, or at the gNB. A slot is played from its begin in this order: packets
 * whose discardTimer has expired are dropped, the gNB takes what feedback has come, answers
 * preambles and decides on this slot and later ones, UEs send their blocks of this slot, then the
 * gNB its own, and UEs without a grant ask for one. What is sent is decoded by an event of its own.
 */
#include "ran/nr/air.h"
#include "ran/nr/check.h"
#include "ran/nr/decode.h"
#include "ran/nr/digest.h"
#include "ran/nr/event.h"
#include "ran/nr/gnb.h"
#include "ran/nr/init.h"
#include "ran/nr/lch.h"
#include "ran/nr/ue.h"
#include "ran/ran.h"

static void init(struct cell *c)
{
	nr_init(nr_of(c));
	nr_event_update(nr_of(c));
}

static void ingress(struct cell *c, struct pkt *p)
{
	struct nr *nr = nr_of(c);
	struct nr_ue *u = &nr->ue[(p->port & ~CELL_PORT_NETWORK) - 1];
	struct drb *b =
		lch_classify(&u->leg[p->port & CELL_PORT_NETWORK ? CELL_DIR_DL : CELL_DIR_UL], p);

	out_record(c, &b->at,
	           (struct cell_record){ .event = CELL_EV_PKT_IN,
	                                 .node = b->at.from,
	                                 .peer = b->at.to,
	                                 .pkt = p->id,
	                                 .tag = p->tag,
	                                 .bytes = p->len });
	drb_send(nr, b, p);
	nr_event_update(nr);
}

static bool allows(const struct cell *c, const struct cell_cmd *cmd)
{
	(void)c;
	if (cmd->type == CELL_CMD_MEASURE)
		return cmd->enb == 0;
	return cmd->type == CELL_CMD_CHANNEL && cmd->dir < CELL_DIR_SL && cmd->cqi <= 15 &&
	       cmd->enb == 0;
}

static void set_channel(struct nr *nr, struct nr_leg *leg, const struct cell_cmd *cmd)
{
	nr_air_set_channel(nr, leg, cmd->cqi, cmd->sinr_cdb);
	out_record(&nr->cell, &leg->at,
	           (struct cell_record){ .event = CELL_EV_CHANNEL,
	                                 .node = leg->at.from,
	                                 .peer = leg->at.to,
	                                 .cqi = leg->cqi,
	                                 .value = leg->sinr_cdb });
	nr_touch(nr, leg->ue);
}

static void apply(struct cell *c, const struct cell_cmd *cmd)
{
	struct nr *nr = nr_of(c);

	if (cmd->type == CELL_CMD_MEASURE)
		return; /* there is no other gNB to compare with */
	for (uint8_t i = 0; i < nr->n_ue; i++)
		if (nr->ue[i].id == cmd->ue)
			set_channel(nr, &nr->ue[i].leg[cmd->dir], cmd);
	nr_event_update(nr);
}

static int64_t next(const struct cell *c)
{
	return nr_of(c)->next.t_ns;
}

/* Whether there is memory for the blocks of a slot must not depend on how many outputs the caller
 * has yet to look at. */
static bool has_room(const struct cell *c, bool command)
{
	const struct nr_tb_pool *tbs = &nr_of(c)->tbs;

	(void)command;
	return tbs->n_limbo == 0 ||
	       tbs->used + tbs->n_limbo + nr_blocks_of_event(&c->cfg) <= tbs->n;
}

static void discard(struct nr *nr, struct nr_ue *u)
{
	for (int d = 0; d < 2; d++)
		for (uint8_t k = 0; k < u->leg[d].n_drbs; k++)
			if (u->leg[d].drb[k].cfg.discard_timer_ms > 0)
				drb_discard_expired(nr, &u->leg[d].drb[k]);
}

static void play_slot(struct nr *nr, uint32_t slot)
{
	nr->slot_next = slot + 1;
	nr->cell.stats.ttis_active++;
	NR_FOR_EACH_ACTIVE(nr, i)
	discard(nr, &nr->ue[i]);
	nr_gnb_slot(nr, slot);
	NR_FOR_EACH_ACTIVE(nr, i)
	nr_ue_transmit(nr, &nr->ue[i], slot);
	nr_gnb_transmit(nr, slot);
	NR_FOR_EACH_ACTIVE(nr, i)
	{
		nr_ue_request(nr, &nr->ue[i], slot);
		nr_touch(nr, (uint8_t)(i + 1));
	}
}

static void process(struct cell *c)
{
	struct nr *nr = nr_of(c);

	switch (nr->next.kind) {
	case NR_EVENT_DECODE:
		nr_decode(nr, nr_event_decoded(nr));
		break;
	case NR_EVENT_TIMER:
		drb_expire(nr, nr_event_timer(nr));
		break;
	case NR_EVENT_SLOT:
		play_slot(nr, nr->next.slot);
		break;
	case NR_EVENT_NONE:
		break;
	}
	nr_event_update(nr);
}

static int64_t next_output(const struct cell *c)
{
	return nr_event_next_output(nr_of(c));
}

static int64_t transit_min(const struct cell *c)
{
	return nr_event_transit_ns(nr_of(c));
}

static int64_t slot_ns(const struct cell *c)
{
	return nr_of(c)->frame.slot_ns;
}

static void release(struct cell *c)
{
	nr_tb_release(&nr_of(c)->tbs);
}

/* Packets of blocks on the air and in HARQ processes. */
static void empty_blocks(struct nr *nr, struct pkt_queue *held)
{
	for (int d = 0; d < 2; d++)
		for (struct nr_tb *tb = nr->air[d].head; tb; tb = tb->next)
			pkt_queue_move(held, &tb->ends);
	for (uint8_t i = 0; i < nr->n_ue; i++)
		for (int d = 0; d < 2; d++)
			for (uint32_t k = 0; k < NR_HARQ_MAX + 1; k++)
				if (nr->ue[i].leg[d].process[k].tb)
					pkt_queue_move(held, &nr->ue[i].leg[d].process[k].tb->ends);
}

static void empty(struct cell *c)
{
	struct nr *nr = nr_of(c);
	struct pkt_queue held = { 0 };

	empty_blocks(nr, &held);
	out_drop_all(c, &held, NULL, CELL_DROP_SHUTDOWN);
	for (uint8_t i = 0; i < nr->n_ue; i++)
		for (int d = 0; d < 2; d++)
			for (uint8_t k = 0; k < nr->ue[i].leg[d].n_drbs; k++) {
				struct drb *b = &nr->ue[i].leg[d].drb[k];

				drb_empty(nr, b, &held);
				out_drop_all(c, &held, &b->at, CELL_DROP_SHUTDOWN);
			}
}

static void digest(const struct cell *c, uint64_t *h)
{
	nr_digest(nr_of(c), h);
}

const struct ran ran_nr = {
	.check = nr_check,
	.out_min = nr_out_min,
	.lay_out = nr_lay_out,
	.init = init,
	.ingress = ingress,
	.allows = allows,
	.apply = apply,
	.next = next,
	.has_room = has_room,
	.process = process,
	.next_output = next_output,
	.transit_min = transit_min,
	.slot_ns = slot_ns,
	.release = release,
	.empty = empty,
	.digest = digest,
};
