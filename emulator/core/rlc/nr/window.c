/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window.c - segments of a receiving entity of NR; see window.h. */
#include "rlc/nr/window.h"

#include <string.h>

struct nr_part *nr_window_part(const struct nr_window *w, uint32_t sn)
{
	struct nr_part *part = w->part[sn % NR_BUCKETS];

	while (part && part->sn != sn)
		part = part->next;
	return part;
}

/* An SDU has one end: where its last segment says, and nothing lies behind it. */
static bool fits_end(const struct nr_part *part, bool last, uint32_t to)
{
	if (part->len > 0)
		return last ? to == part->len : to <= part->len;
	return !last || part->ranges.at[part->ranges.n - 1].to <= to;
}

static struct nr_part *add_part(struct nr_window *w, uint32_t sn)
{
	struct nr_part *part = nr_part_get(w->store);

	if (!part)
		return NULL;
	part->sn = sn;
	part->next = w->part[sn % NR_BUCKETS];
	w->part[sn % NR_BUCKETS] = part;
	w->n_parts++;
	return part;
}

struct nr_part *nr_window_add(struct nr_window *w, const struct nr_pdu *pdu, const uint8_t *data,
                              uint32_t len)
{
	struct nr_part *part = nr_window_part(w, pdu->sn);
	uint32_t to = pdu->so + len;

	if (part && (rlc_ranges_cover(&part->ranges, pdu->so, (uint16_t)to) ||
	             !fits_end(part, NR_SI_ENDS(pdu->si), to)))
		return NULL;
	if (!part)
		part = add_part(w, pdu->sn);
	if (!part || !rlc_ranges_add(&part->ranges, pdu->so, (uint16_t)to))
		return NULL;
	memcpy(part->data + pdu->so, data, len);
	if (NR_SI_ENDS(pdu->si))
		part->len = (uint16_t)to;
	return part;
}

struct pkt *nr_window_drop(struct nr_window *w, uint32_t sn)
{
	struct nr_part **at = &w->part[sn % NR_BUCKETS], *part;
	struct pkt *p;

	while (*at && (*at)->sn != sn)
		at = &(*at)->next;
	part = *at;
	if (!part)
		return NULL;
	*at = part->next;
	w->n_parts--;
	p = part->p;
	part->p = NULL;
	nr_part_put(w->store, part);
	return p;
}

void nr_window_clear(struct nr_window *w, struct pkt_queue *ret)
{
	for (uint32_t i = 0; i < NR_BUCKETS; i++)
		while (w->part[i]) {
			struct pkt *p = nr_window_drop(w, w->part[i]->sn);

			if (p)
				pkt_enqueue(ret, p);
		}
}

void nr_window_deliver(struct pkt *p, const uint8_t *data, uint32_t len, struct rlc_out *out)
{
	if (!p) {
		out->foreign_sdus++;
		return;
	}
	if (p->sdu_len != len) {
		pkt_enqueue(&out->discarded, p);
		return;
	}
	memcpy(pkt_sdu(p), data, len);
	pkt_enqueue(&out->delivered, p);
}
