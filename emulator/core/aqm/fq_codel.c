/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fq_codel.c - FQ-CoDel; see fq_codel.h. */
#include "aqm/fq_codel.h"

#include "base/digest.h"
#include "base/ecn.h"

#define IP_TCP      6
#define IP_UDP      17
#define PORTS_BYTES 4
#define IPV4_BYTES  20
#define IPV6_BYTES  40
#define DROPS_MAX   64 /* Source: RFC 8290 4.1 */

void fq_codel_init(struct fq_codel *fq, struct fq_flow *flow, uint32_t n_flows, int32_t quantum)
{
	*fq = (struct fq_codel){ .flow = flow, .n_flows = n_flows, .quantum = quantum };
	for (uint32_t i = 0; i < n_flows; i++)
		flow[i] = (struct fq_flow){ 0 };
}

/* --- which queue --- */

static void mix_bytes(uint64_t *h, const uint8_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		*h = (*h ^ from[i]) * UINT64_C(0x100000001b3);
}

/* Addresses, protocol and ports; of a fragment without ports. Source: RFC 8290 4.1.1 */
static uint32_t hash_of(const uint8_t *b, uint32_t len)
{
	uint64_t h = DIGEST_START;
	uint32_t header = 0;
	uint8_t protocol = 0;

	if (len >= IPV4_BYTES && b[0] >> 4 == 4) {
		bool fragment = ((b[6] & 0x1f) | b[7]) != 0;

		mix_bytes(&h, b + 12, 8);
		protocol = b[9];
		header = fragment ? len : 4u * (b[0] & 0xf);
	} else if (len >= IPV6_BYTES && b[0] >> 4 == 6) {
		mix_bytes(&h, b + 8, 32);
		protocol = b[6];
		header = IPV6_BYTES;
	}
	mix_bytes(&h, &protocol, 1);
	if ((protocol == IP_TCP || protocol == IP_UDP) && header + PORTS_BYTES <= len)
		mix_bytes(&h, b + header, PORTS_BYTES);
	return (uint32_t)(h ^ h >> 32);
}

/* --- lists of queues --- */

/* That of a number, of which 0 is none's. */
static struct fq_flow *flow_of(const struct fq_codel *fq, uint16_t number)
{
	return &fq->flow[number - 1];
}

static struct fq_flow *flow_at(const struct fq_codel *fq, uint16_t number)
{
	return number ? flow_of(fq, number) : NULL;
}

static void append(struct fq_codel *fq, enum fq_list_name name, uint16_t number)
{
	struct fq_flow *f = flow_of(fq, number), *last = flow_at(fq, fq->list[name].last);

	f->list = (uint8_t)name;
	f->next = 0;
	if (last)
		last->next = number;
	else
		fq->list[name].first = number;
	fq->list[name].last = number;
}

static uint16_t pop(struct fq_codel *fq, enum fq_list_name name)
{
	uint16_t number = fq->list[name].first;
	struct fq_flow *f = flow_of(fq, number);

	fq->list[name].first = f->next;
	if (!f->next)
		fq->list[name].last = 0;
	f->list = FQ_NONE;
	return number;
}

static enum fq_list_name first_list(const struct fq_codel *fq)
{
	return fq->list[FQ_NEW].first ? FQ_NEW : FQ_OLD;
}

void fq_codel_idle(struct fq_codel *fq)
{
	for (int name = FQ_NEW; name <= FQ_OLD; name++)
		while (fq->list[name].first)
			(void)pop(fq, (enum fq_list_name)name);
}

/* --- what comes --- */

/* The last packet of the new queues, or @first. */
static struct pkt *end_of_new(const struct fq_codel *fq, struct pkt *first)
{
	struct pkt *p = first;

	for (const struct fq_flow *f = flow_at(fq, fq->list[FQ_NEW].first); f;
	     f = flow_at(fq, f->next))
		if (f->n > 0)
			p = f->tail;
	return p;
}

/* The last packet of the queues of its list before @f. An old queue without packets has none of
 * its own to go behind. */
static struct pkt *end_before(const struct fq_codel *fq, const struct fq_flow *f, struct pkt *first)
{
	struct pkt *p = f->list == FQ_OLD ? end_of_new(fq, first) : first;

	for (const struct fq_flow *g = flow_of(fq, fq->list[f->list].first); g != f;
	     g = flow_of(fq, g->next))
		if (g->n > 0)
			p = g->tail;
	return p;
}

/* Source: RFC 8290 4.1 */
struct pkt *fq_codel_accept(struct fq_codel *fq, struct pkt *p, struct pkt *first)
{
	uint32_t i = hash_of(pkt_data(p), p->len) % fq->n_flows;
	struct fq_flow *f = &fq->flow[i];
	struct pkt *before;

	if (f->list == FQ_NONE) {
		before = end_of_new(fq, first);
		append(fq, FQ_NEW, (uint16_t)(i + 1));
		f->deficit = fq->quantum;
	} else {
		before = f->n > 0 ? f->tail : end_before(fq, f, first);
	}
	p->flow = (uint16_t)(i + 1);
	f->tail = p;
	f->n++;
	f->bytes += p->len;
	return before;
}

/* --- what goes --- */

/* All packets of @f, which are those behind @before, to the end. */
static void move_to_end(struct pkt_queue *q, struct pkt *before, const struct fq_flow *f)
{
	struct pkt *first = before ? before->next : q->head, *rest;

	if (f->n == 0 || f->tail == q->tail)
		return;
	rest = f->tail->next;
	if (before)
		before->next = rest;
	else
		q->head = rest;
	q->tail->next = first;
	q->tail = f->tail;
	q->tail->next = NULL;
}

void fq_codel_left(struct fq_codel *fq, const struct pkt *p)
{
	struct fq_flow *f = flow_of(fq, p->flow);

	f->n--;
	f->bytes -= p->len;
}

/* The queue whose turn it is: it has a packet and credits. Source: RFC 8290 4.2 */
static uint16_t choose(struct fq_codel *fq, struct pkt_queue *q, struct pkt *before)
{
	for (;;) {
		enum fq_list_name name = first_list(fq);
		uint16_t number = fq->list[name].first;
		struct fq_flow *f = flow_of(fq, number);

		if (f->deficit > 0 && f->n > 0)
			return number;
		(void)pop(fq, name);
		if (f->deficit <= 0) {
			f->deficit += fq->quantum;
			move_to_end(q, before, f);
		} else if (name == FQ_OLD) {
			continue;
		}
		append(fq, FQ_OLD, number);
	}
}

enum aqm_verdict fq_codel_decide(struct fq_codel *fq, const struct codel_cfg *cfg,
                                 struct pkt_queue *q, struct pkt *before, struct pkt *p,
                                 int64_t now_ns)
{
	struct fq_flow *f = flow_of(fq, choose(fq, q, before));
	bool ect = ecn_of(pkt_data(p), p->len) != ECN_NOT_ECT;
	enum aqm_verdict verdict;

	if (f != flow_of(fq, p->flow))
		return AQM_TURN;
	fq_codel_left(fq, p);
	verdict = codel_decide(&f->codel, cfg, now_ns - p->queued_ns, f->bytes, ect, now_ns);
	if (verdict != AQM_DROP)
		f->deficit -= p->len;
	return verdict;
}

uint32_t fq_codel_fattest(const struct fq_codel *fq, uint16_t *ret_flow)
{
	const struct fq_flow *fattest = &fq->flow[0];
	uint32_t half;

	for (uint32_t i = 1; i < fq->n_flows; i++)
		if (fq->flow[i].bytes > fattest->bytes)
			fattest = &fq->flow[i];
	*ret_flow = (uint16_t)(fattest - fq->flow + 1);
	half = (fattest->n + 1) / 2;
	return half < DROPS_MAX ? half : DROPS_MAX;
}

void fq_codel_empty(struct fq_codel *fq)
{
	fq_codel_init(fq, fq->flow, fq->n_flows, fq->quantum);
}

void fq_codel_digest(const struct fq_codel *fq, uint64_t *h)
{
	for (int name = FQ_NEW; name <= FQ_OLD; name++)
		for (const struct fq_flow *f = flow_at(fq, fq->list[name].first); f;
		     f = flow_at(fq, f->next)) {
			digest_mix(h, (uint64_t)(f - fq->flow) << 32 | (uint32_t)f->deficit);
			digest_mix(h, (uint64_t)f->n << 32 | f->bytes);
			codel_digest(&f->codel, h);
		}
}
