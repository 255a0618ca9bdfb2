/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dualpi2.c - marks of L4S, and DualPI2; see aqm.h.
 *
 * DualPI2 has a queue for L4S packets and one for classic ones, each in order of arrival, and a
 * scheduler. The scheduler here is the time-shifted FIFO: of the two first packets that goes whose
 * arrival, plus the time shift where it is classic, is earlier. As an arrival is a number that
 * never decreases within either queue, two queues and this scheduler are one list in order of that
 * number, and a packet that comes is put where it belongs. Behind the last L4S packet of the list
 * only classic ones follow, of which it passes those that are due before it, so a packet is passed
 * once.
 *
 * The controller raises and lowers one probability p', by how far the delay is from its target and
 * by how much it has changed. L4S packets are marked with k p', or more where they waited long
 * themselves; classic ones are dropped, or marked where their header allows it, with p' squared.
 * All in Q32 and microseconds; delays above a second count as one.
 *
 * A probability becomes marks and drops by adding it up: each time the sum passes a whole number is
 * one. So no random numbers are drawn, and marks are as far apart as the probability says.
 * Source: RFC 9332 2.1, 2.4, A.1, Figures 2 to 6; A.2 (overload)
 */
#include "aqm/dualpi2.h"

#include "base/digest.h"
#include "base/ecn.h"

#define ONE_Q32      (UINT64_C(1) << 32)
#define NS_PER_US    1000
#define US_PER_MS    1000
#define NS_PER_MS    1000000
#define DELAY_MAX_US 1000000

/* Th_len: so few L4S packets behind one are no queue that it would be marked for. Of a queue of
 * less than FEW nothing is dropped or marked for the controller's sake. */
#define FEW_L4S 1
#define FEW     2

/* Gains: alpha = 0.1 Tupdate / RTT_max^2, beta = 0.3 / RTT_max. Source: RFC 9332 Figure 2 */
#define ALPHA_DIVISOR 10
#define BETA_NUM      3
#define BETA_DIVISOR  10

void dualpi2_init(struct aqm *aqm, int64_t start_ns)
{
	const struct aqm_cfg *cfg = &aqm->cfg;

	aqm->mark_from_ns = (int64_t)cfg->mark_from_us * NS_PER_US;
	aqm->mark_all_ns = (int64_t)(cfg->mark_from_us + cfg->mark_range_us) * NS_PER_US;
	aqm->update_ns = start_ns + (int64_t)cfg->tupdate_ms * NS_PER_MS;
}

/* --- the controller --- */

static int64_t to_q32(int64_t part, int64_t whole)
{
	return part * (int64_t)ONE_Q32 / whole;
}

/* One update of p'. Source: RFC 9332 Figure 6 */
static void control(struct aqm *aqm, int64_t delay_us)
{
	const struct aqm_cfg *cfg = &aqm->cfg;
	int64_t rtt_ms = cfg->rtt_max_ms, target_us = (int64_t)cfg->target_ms * US_PER_MS;
	int64_t p = (int64_t)aqm->base_q32;

	p += to_q32(cfg->tupdate_ms * (delay_us - target_us),
	            ALPHA_DIVISOR * rtt_ms * rtt_ms * US_PER_MS);
	p += to_q32(BETA_NUM * (delay_us - aqm->delay_us), BETA_DIVISOR * rtt_ms * US_PER_MS);
	if (p < 0)
		p = 0;
	aqm->base_q32 = (uint64_t)p < ONE_Q32 ? (uint64_t)p : ONE_Q32;
	aqm->delay_us = delay_us;
}

/* The first packet of @q that is yet to be decided on, and of these of one kind. */
static const struct pkt *first(const struct pkt *p, bool l4s)
{
	while (p && (aqm_is_past(p) || p->l4s != l4s))
		p = p->next;
	return p;
}

/* Since when the packet waits that has waited longest, or CELL_NEVER. Before the first classic
 * packet are L4S packets only; if none is, the classic one came before all others. */
static int64_t oldest_ns(const struct aqm *aqm, const struct pkt_queue *q)
{
	const struct pkt *p = q->head;
	int64_t t_ns = CELL_NEVER;

	while (p && aqm_is_past(p))
		p = p->next;
	if (!p)
		return t_ns;
	t_ns = p->queued_ns;
	if (p->l4s && aqm->n_classic > 0)
		p = first(p, false);
	return p->queued_ns < t_ns ? p->queued_ns : t_ns;
}

/* What was due until @now_ns, with the queue as it has been since the last call. */
void dualpi2_update(struct aqm *aqm, const struct pkt_queue *q, int64_t now_ns)
{
	int64_t period_ns = (int64_t)aqm->cfg.tupdate_ms * NS_PER_MS, since_ns;

	if (aqm->cfg.kind != CELL_AQM_DUALPI2 || aqm->update_ns > now_ns)
		return;
	since_ns = oldest_ns(aqm, q);
	for (; aqm->update_ns <= now_ns; aqm->update_ns += period_ns) {
		int64_t delay_us =
			aqm->update_ns > since_ns ? (aqm->update_ns - since_ns) / NS_PER_US : 0;

		if (since_ns == CELL_NEVER && aqm->base_q32 == 0 && aqm->delay_us == 0)
			aqm->update_ns += (now_ns - aqm->update_ns) / period_ns * period_ns;
		control(aqm, delay_us < DELAY_MAX_US ? delay_us : DELAY_MAX_US);
	}
}

/* --- what comes --- */

/* Whether @p is for the low latency queue. Source: RFC 9331 5.1; RFC 9332 2.3 */
static bool is_l4s(const struct aqm *aqm, struct pkt *p)
{
	enum ecn ecn = ecn_of(pkt_data(p), p->len);

	return ecn == ECN_ECT_1 || ecn == ECN_CE ||
	       (ecn == ECN_ECT_0 && aqm->cfg.l4s_id == CELL_L4S_ANY_ECT);
}

/* The packet behind which an L4S packet goes. */
static struct pkt *place(const struct aqm *aqm, const struct pkt_queue *q, int64_t now_ns)
{
	int64_t shift_ns = (int64_t)aqm->cfg.shift_ms * NS_PER_MS;
	struct pkt *before = aqm->last_l4s, *next = before ? before->next : q->head;

	while (next && (aqm_is_past(next) || next->l4s || next->queued_ns + shift_ns <= now_ns)) {
		before = next;
		next = next->next;
	}
	return before;
}

struct pkt *dualpi2_accept(struct aqm *aqm, const struct pkt_queue *q, struct pkt *p,
                           int64_t now_ns)
{
	struct pkt *before = q->tail;

	dualpi2_update(aqm, q, now_ns);
	p->l4s = is_l4s(aqm, p);
	if (!p->l4s) {
		aqm->n_classic++;
		return before;
	}
	if (aqm->cfg.kind == CELL_AQM_DUALPI2)
		before = place(aqm, q, now_ns);
	aqm->n_l4s++;
	aqm->last_l4s = p;
	return before;
}

/* --- what goes --- */

/* One more event of probability @p_q32 is counted. Return: it happens. Source: RFC 9332 Figure 5 */
static bool recur(uint64_t *count_q32, uint64_t p_q32)
{
	*count_q32 += p_q32;
	if (*count_q32 < ONE_Q32)
		return false;
	*count_q32 -= ONE_Q32;
	return true;
}

/* The native AQM of L4S: none before one time, all from another one on. Source: RFC 9332 Figure 4
 */
static uint64_t ramp_q32(const struct aqm *aqm, int64_t waited_ns)
{
	if (waited_ns >= aqm->mark_all_ns)
		return ONE_Q32;
	if (waited_ns < aqm->mark_from_ns)
		return 0;
	return ((uint64_t)(waited_ns - aqm->mark_from_ns) / NS_PER_US << 32) /
	       aqm->cfg.mark_range_us;
}

/* p_C = p' squared. Source: RFC 9332 Figure 6 */
static uint64_t squared_q32(uint64_t p_q32)
{
	return p_q32 >= ONE_Q32 ? ONE_Q32 : p_q32 * p_q32 >> 32;
}

static enum aqm_verdict decide_l4s(struct aqm *aqm, int64_t waited_ns, uint64_t base_q32)
{
	uint64_t coupled_q32 = base_q32 * aqm->cfg.coupling;
	uint64_t native_q32 = aqm->n_l4s > FEW_L4S ? ramp_q32(aqm, waited_ns) : 0;

	/* Marks can say no more: drop as if it were classic, and mark what is left. */
	if (coupled_q32 >= ONE_Q32)
		return recur(&aqm->l4s_count_q32, squared_q32(base_q32)) ? AQM_DROP
		                                                         : AQM_MARK_COUPLED;
	if (!recur(&aqm->l4s_count_q32, native_q32 > coupled_q32 ? native_q32 : coupled_q32))
		return AQM_PASS;
	return native_q32 > coupled_q32 ? AQM_MARK : AQM_MARK_COUPLED;
}

static enum aqm_verdict decide_classic(struct aqm *aqm, bool ect, uint64_t base_q32)
{
	bool overload = base_q32 * aqm->cfg.coupling >= ONE_Q32; /* p_C >= p_Cmax = 1 / k^2 */

	if (!recur(&aqm->classic_count_q32, squared_q32(base_q32)))
		return AQM_PASS;
	return ect && !overload ? AQM_MARK_COUPLED : AQM_DROP;
}

void dualpi2_left(struct aqm *aqm, const struct pkt *p)
{
	if (p->l4s)
		aqm->n_l4s--;
	else
		aqm->n_classic--;
	if (aqm->last_l4s == p)
		aqm->last_l4s = NULL;
}

enum aqm_verdict dualpi2_decide(struct aqm *aqm, const struct pkt_queue *q, struct pkt *p,
                                int64_t now_ns)
{
	uint64_t base_q32;

	dualpi2_update(aqm, q, now_ns);
	dualpi2_left(aqm, p);
	base_q32 = q->n < FEW ? 0 : aqm->base_q32;
	if (p->l4s)
		return decide_l4s(aqm, now_ns - p->queued_ns, base_q32);
	if (aqm->cfg.kind != CELL_AQM_DUALPI2)
		return AQM_PASS;
	return decide_classic(aqm, ecn_of(pkt_data(p), p->len) != ECN_NOT_ECT, base_q32);
}

void dualpi2_empty(struct aqm *aqm)
{
	aqm->n_l4s = aqm->n_classic = 0;
	aqm->last_l4s = NULL;
}

void dualpi2_digest(const struct aqm *aqm, uint64_t *h)
{
	digest_mix(h, aqm->base_q32);
	digest_mix(h, (uint64_t)aqm->update_ns);
	digest_mix(h, (uint64_t)aqm->delay_us);
	digest_mix(h, aqm->l4s_count_q32);
	digest_mix(h, aqm->classic_count_q32);
	digest_mix(h, (uint64_t)aqm->n_l4s << 32 | aqm->n_classic);
}
