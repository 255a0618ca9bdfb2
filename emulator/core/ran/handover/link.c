/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link.c - a UE's radio link; see link.h.
 *
 * At the end of each radio frame the UE looks at the SINR of the downlink. The mean of the last 200
 * ms below Qout is out of sync, that of the last 100 ms above Qin in sync. N310 times out of sync
 * without an in sync between starts T310, N311 times in sync without an out of sync between stops
 * it, and when it expires the link has failed. Means are those of dB. As long as all frames are
 * alike and nothing counts, no frame is looked at.
 * Source: TS 36.133 7.6; TS 36.331 5.3.11, 7.3; TS 38.133 8.1; TS 38.331 5.3.10, 7.1; TR 36.839
 * 5.2.1.3
 */
#include "ran/handover/link.h"

#include "base/digest.h"

#define NS_PER_MS       INT64_C(1000000)
#define BEYOND_CDB      3000 /* as good as a SINR that nobody measured is, or as bad as none */
#define SINR_RANGE_ZERO 46   /* of 0 dB; steps are of 0.5 dB. Source: TS 38.331 SINR-Range */

static int32_t threshold_cdb(uint8_t sinr_range)
{
	return (sinr_range - SINR_RANGE_ZERO) * 50;
}

static int32_t sinr_of(struct link_quality q)
{
	if (q.sinr_cdb != CELL_SINR_UNKNOWN)
		return q.sinr_cdb;
	return q.cqi > 0 ? BEYOND_CDB : -BEYOND_CDB;
}

void link_leave(struct radio_link *l)
{
	*l = (struct radio_link){ .frame_ns = CELL_NEVER, .t310_ns = CELL_NEVER };
}

void link_watch(const struct cell *c, struct radio_link *l)
{
	link_leave(l);
	l->watched = link_on(c);
	link_changed(c, l);
}

void link_changed(const struct cell *c, struct radio_link *l)
{
	int64_t since_ns = c->event_ns - c->start_ns;

	if (l->watched && l->frame_ns == CELL_NEVER)
		l->frame_ns = c->start_ns + (since_ns / LINK_SAMPLE_NS + 1) * LINK_SAMPLE_NS;
}

int64_t link_next_ns(const struct radio_link *l)
{
	return l->t310_ns < l->frame_ns ? l->t310_ns : l->frame_ns;
}

/* Of the last @frames, or of those that there are: one at least. */
static int32_t mean_cdb(const struct radio_link *l, uint8_t frames)
{
	uint8_t n = l->n < frames ? l->n : frames, i = 0;
	int32_t sum = 0;

	do {
		i++;
		sum += l->frame_cdb[(l->at + LINK_OUT_FRAMES - i) % LINK_OUT_FRAMES];
	} while (i < n);
	return sum / i;
}

static bool all_alike(const struct radio_link *l)
{
	for (uint8_t i = 1; i < LINK_OUT_FRAMES; i++)
		if (l->frame_cdb[i] != l->frame_cdb[0])
			return false;
	return l->n == LINK_OUT_FRAMES;
}

/* Return: it counted. */
static bool indicate_out_of_sync(const struct cell *c, struct radio_link *l)
{
	const struct cell_link_cfg *cfg = &c->cfg.handover.link_failure;

	l->in_sync = 0;
	if (l->t310_ns != CELL_NEVER)
		return false;
	if (++l->out_of_sync >= cfg->n310) {
		l->out_of_sync = 0;
		l->t310_ns = c->event_ns + cfg->t310_ms * NS_PER_MS;
	}
	return true;
}

static bool indicate_in_sync(const struct cell *c, struct radio_link *l)
{
	l->out_of_sync = 0;
	if (l->t310_ns == CELL_NEVER)
		return false;
	if (++l->in_sync >= c->cfg.handover.link_failure.n311) {
		l->in_sync = 0;
		l->t310_ns = CELL_NEVER;
	}
	return true;
}

static void end_frame(const struct cell *c, struct radio_link *l, int32_t sinr_cdb)
{
	const struct cell_link_cfg *cfg = &c->cfg.handover.link_failure;
	bool counted = false;

	l->frame_cdb[l->at] = sinr_cdb;
	l->at = (uint8_t)((l->at + 1) % LINK_OUT_FRAMES);
	if (l->n < LINK_OUT_FRAMES)
		l->n++;
	if (mean_cdb(l, LINK_OUT_FRAMES) < threshold_cdb(cfg->qout))
		counted = indicate_out_of_sync(c, l);
	else if (mean_cdb(l, LINK_IN_FRAMES) > threshold_cdb(cfg->qin))
		counted = indicate_in_sync(c, l);
	l->frame_ns = counted || !all_alike(l) ? c->event_ns + LINK_SAMPLE_NS : CELL_NEVER;
}

void link_process(const struct cell *c, struct radio_link *l, struct link_quality q)
{
	if (l->t310_ns > c->event_ns) {
		end_frame(c, l, sinr_of(q));
		return;
	}
	link_leave(l);
	l->failed = LINK_T310;
}

bool link_hears(const struct cell *c, struct link_quality q)
{
	return !link_on(c) || sinr_of(q) >= threshold_cdb(c->cfg.handover.link_failure.qout);
}

bool link_suits(const struct cell *c, struct link_quality q)
{
	return sinr_of(q) > threshold_cdb(c->cfg.handover.link_failure.qin);
}

bool link_better(struct link_quality a, struct link_quality b)
{
	return sinr_of(a) > sinr_of(b) || (sinr_of(a) == sinr_of(b) && a.cqi > b.cqi);
}

void link_digest(const struct radio_link *l, uint64_t *h)
{
	digest_mix(h, (uint64_t)l->frame_ns);
	digest_mix(h, (uint64_t)l->t310_ns);
	digest_mix(h, (uint64_t)(l->n << 16 | l->out_of_sync << 8 | l->in_sync));
	digest_mix(h, (uint64_t)l->failed);
	for (uint8_t i = 0; i < l->n; i++)
		digest_mix(h, (uint64_t)(uint32_t)l->frame_cdb[i]);
}
