/* SPDX-License-Identifier: GPL-2.0-or-later */
/* codel.c - CoDel; see codel.h. */
#include "aqm/codel.h"

#include "base/digest.h"
#include "cellcore.h"

/* A queue of so few bytes is none that can be shorter. Source: RFC 8289 5.2, maxpacket_ */
#define MAX_PACKET CELL_UE_MTU_MAX

/* The dropping state that was left so many intervals ago still says how often to drop. Source:
 * RFC 8289 5.5 */
#define RECENT_INTERVALS 16

static uint64_t square_root(uint64_t n)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= n)
			root |= bit;
	return root;
}

/* Source: RFC 8289 5.5, control_law() */
static int64_t control_law(const struct codel_cfg *cfg, int64_t t_ns, uint32_t count)
{
	uint64_t interval = (uint64_t)cfg->interval_ns;

	return t_ns + (int64_t)square_root(interval * interval / count);
}

/* Source: RFC 8289 5.6, dodequeue() */
static bool ok_to_drop(struct codel *c, const struct codel_cfg *cfg, int64_t waited_ns,
                       uint32_t bytes, int64_t now_ns)
{
	if (waited_ns < cfg->target_ns || bytes <= MAX_PACKET) {
		c->first_above_ns = 0;
		return false;
	}
	if (c->first_above_ns == 0) {
		c->first_above_ns = now_ns + cfg->interval_ns;
		return false;
	}
	return now_ns >= c->first_above_ns;
}

static void enter(struct codel *c, const struct codel_cfg *cfg, int64_t now_ns)
{
	uint32_t delta = c->count - c->last_count;

	c->dropping = true;
	c->count = 1;
	if (delta > 1 && now_ns - c->drop_next_ns < RECENT_INTERVALS * cfg->interval_ns)
		c->count = delta;
	c->drop_next_ns = control_law(cfg, now_ns, c->count);
	c->last_count = c->count;
}

/* Source: RFC 8289 5.5, dequeue() */
enum aqm_verdict codel_decide(struct codel *c, const struct codel_cfg *cfg, int64_t waited_ns,
                              uint32_t bytes, bool ect, int64_t now_ns)
{
	bool ok = ok_to_drop(c, cfg, waited_ns, bytes, now_ns), marks = cfg->ecn && ect;
	uint8_t after = c->after;

	c->after = CODEL_NOTHING;
	if (after == CODEL_ENTERED)
		return AQM_PASS;
	if (c->dropping) {
		c->dropping = ok;
		if (ok && after == CODEL_DROPPED)
			c->drop_next_ns = control_law(cfg, c->drop_next_ns, c->count);
		if (!ok || now_ns < c->drop_next_ns)
			return AQM_PASS;
		c->count++;
		if (marks)
			c->drop_next_ns = control_law(cfg, c->drop_next_ns, c->count);
		else
			c->after = CODEL_DROPPED;
	} else if (ok) {
		enter(c, cfg, now_ns);
		c->after = marks ? CODEL_NOTHING : CODEL_ENTERED;
	} else {
		return AQM_PASS;
	}
	return marks ? AQM_MARK : AQM_DROP;
}

void codel_empty(struct codel *c)
{
	c->first_above_ns = 0;
	c->dropping = false;
	c->after = CODEL_NOTHING;
}

void codel_digest(const struct codel *c, uint64_t *h)
{
	digest_mix(h, (uint64_t)c->first_above_ns);
	digest_mix(h, (uint64_t)c->drop_next_ns);
	digest_mix(h, (uint64_t)c->count << 32 | c->last_count);
	digest_mix(h, (uint64_t)c->after << 1 | c->dropping);
}
