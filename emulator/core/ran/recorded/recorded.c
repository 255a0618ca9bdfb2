/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorded.c - a recorded link as the core's entry points see it; see opportunity.h. */
#include "base/digest.h"
#include "ran/ran.h"
#include "ran/recorded/opportunity.h"
#include "rlc/digest.h"

static struct opportunity_link *link_of(const struct cell *c)
{
	return (struct opportunity_link *)c;
}

static struct cell *lay_out(struct arena *a, const struct cell_cfg *cfg)
{
	(void)cfg;
	return arena_take(a, 1, sizeof(struct opportunity_link));
}

static void init(struct cell *c)
{
	opportunity_init(link_of(c));
}

static void ingress(struct cell *c, struct pkt *p)
{
	opportunity_ingress(link_of(c), p);
}

static int64_t next(const struct cell *c)
{
	return opportunity_next(link_of(c));
}

static bool has_room(const struct cell *c, bool command)
{
	(void)c, (void)command;
	return true;
}

static void process(struct cell *c)
{
	opportunity_process(link_of(c));
}

static int64_t next_output(const struct cell *c)
{
	return opportunity_next_output(link_of(c));
}

static int64_t transit_min(const struct cell *c)
{
	(void)c;
	return 0;
}

static void release(struct cell *c)
{
	(void)c;
}

static void empty(struct cell *c)
{
	struct pkt_queue held = { 0 };

	opportunity_empty(link_of(c), &held);
	out_drop_all(c, &held, NULL, CELL_DROP_SHUTDOWN);
}

static void mix_train(uint64_t *h, const struct train *t)
{
	digest_mix(h, t->begun);
	digest_mix(h, t->at);
	digest_mix(h, t->next);
	digest_mix(h, t->left);
	digest_mix(h, (uint64_t)t->start_ns);
	digest_mix(h, (uint64_t)t->delay_ns);
	digest_mix(h, (uint64_t)t->leaves_ns);
	digest_mix(h, (uint64_t)t->last_ns);
	digest_mix_queue(h, &t->way);
}

static void digest(const struct cell *c, uint64_t *h)
{
	for (int d = 0; d < 2; d++) {
		const struct opportunity_leg *l = &link_of(c)->leg[d];

		digest_mix(h, (uint64_t)l->next.base_ns);
		digest_mix(h, l->next.at);
		rlc_digest_sdus(h, &l->queue);
		digest_mix_queue(h, &l->way);
		digest_mix(h, l->way.head ? (uint64_t)l->way.head->queued_ns : 0);
		mix_train(h, &l->train);
	}
}

const struct ran ran_recorded = {
	.check = opportunity_check,
	.out_min = opportunity_out_min,
	.lay_out = lay_out,
	.init = init,
	.ingress = ingress,
	.next = next,
	.has_room = has_room,
	.process = process,
	.next_output = next_output,
	.transit_min = transit_min,
	.release = release,
	.empty = empty,
	.digest = digest,
};
