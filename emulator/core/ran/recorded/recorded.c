/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorded.c - recorded links as the core's entry points see them; see opportunity.h. */
#include "base/digest.h"
#include "ran/ran.h"
#include "ran/recorded/opportunity.h"
#include "rlc/common/digest.h"

static const char *check(const struct cell_cfg *cfg, const char **ret_range)
{
	const char *field = opportunity_check(&cfg->recorded, ret_range);

	for (uint8_t i = 0; !field && i < cfg->n_ue; i++)
		if (cfg->ue[i].recorded)
			field = opportunity_check(cfg->ue[i].recorded, ret_range);
	return field ? field : independent_check(cfg, ret_range);
}

/* Arrival: two rows and a drop. Departure: one opportunity has one row and one of the buffer. */
static size_t out_min(const struct cell_cfg *cfg)
{
	return (size_t)cfg->max_pkts * 3 + 64;
}

static void mix_train(uint64_t *h, const struct train *t)
{
	digest_mix(h, t->started);
	digest_mix(h, t->at);
	digest_mix(h, t->next);
	digest_mix(h, t->left);
	digest_mix(h, (uint64_t)t->start_ns);
	digest_mix(h, (uint64_t)t->delay_ns);
	digest_mix(h, (uint64_t)t->leaves_ns);
	digest_mix(h, (uint64_t)t->last_ns);
	digest_mix_queue(h, &t->way);
}

static void digest(const struct independent_link *link, uint64_t *h)
{
	digest_mix(h, (uint64_t)((const struct opportunity_link *)link)->outage_ns);
	for (int d = 0; d < 2; d++) {
		const struct opportunity_way *l = &((const struct opportunity_link *)link)->way[d];

		digest_mix(h, (uint64_t)l->next.base_ns);
		digest_mix(h, l->next.at);
		rlc_digest_sdus(h, &l->queue);
		netem_digest(&l->netem, h);
		mix_train(h, &l->train);
	}
}

static const struct independent_kind kind = {
	.bytes = sizeof(struct opportunity_link),
	.init = opportunity_init,
	.ingress = opportunity_ingress,
	.allows = opportunity_allows,
	.apply = opportunity_apply,
	.next = opportunity_next,
	.process = opportunity_process,
	.next_output = opportunity_next_output,
	.empty = opportunity_empty,
	.digest = digest,
};

static struct cell *lay_out(struct arena *a, const struct cell_cfg *cfg)
{
	return independent_lay_out(a, cfg, &kind, sizeof(struct independent));
}

const struct ran ran_recorded = {
	.check = check,
	.out_min = out_min,
	.lay_out = lay_out,
	.init = independent_init,
	.ingress = independent_ingress,
	.allows = independent_allows,
	.apply = independent_apply,
	.next = independent_next,
	.has_room = independent_has_room,
	.process = independent_process,
	.next_output = independent_next_output,
	.transit_min = independent_transit_min,
	.release = independent_release,
	.empty = independent_empty,
	.digest = independent_digest,
};
