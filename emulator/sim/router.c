/* SPDX-License-Identifier: GPL-2.0-or-later */
/* router.c - the network between the ends of tunnels; see router.h. */
#include "router.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "epc/gtpu.h"
#include "output.h"

struct router_packet {
	struct router_packet *next;
	int64_t t_ns;
	uint32_t len;
	uint8_t port;
	uint8_t data[CELL_MTU_MAX];
};

/* The port with the GTP-U address @addr, or 0. */
static uint8_t port_of(const struct cell_cfg *cfg, uint32_t addr)
{
	if (addr == cfg->gtpu.sgw_addr)
		return CELL_PORT_SGW;
	for (uint8_t k = 0; k < cfg->n_enb; k++)
		if (addr == cfg->gtpu.enb_addr[k])
			return (uint8_t)CELL_PORT_ENB(k);
	return 0;
}

int router_take(struct router *r, const struct cell_out *o)
{
	struct router_packet *p;
	uint32_t inner;
	struct gtpu h;
	uint8_t port;

	if (!r->cfg->gtpu.sgw_addr || gtpu_unpack(&h, o->data, o->len, &inner) < 0)
		return 0;
	port = port_of(r->cfg, h.dst);
	if (!port)
		return 0;
	p = malloc(sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->next = NULL;
	p->t_ns = o->t_ns + r->delay_ns;
	p->len = o->len;
	p->port = port;
	memcpy(p->data, o->data, o->len);
	if (r->tail)
		r->tail->next = p;
	else
		r->head = p;
	r->tail = p;
	return 1;
}

int64_t router_next_ns(const struct router *r)
{
	return r->head ? r->head->t_ns : CELL_NEVER;
}

void router_deliver(struct router *r, struct cell *cell, int64_t t_ns)
{
	while (r->head && r->head->t_ns <= t_ns) {
		struct router_packet *p = r->head;

		(void)cell_push(cell, p->port, p->data, p->len, output_tag(p->data, p->len), t_ns);
		r->head = p->next;
		if (!r->head)
			r->tail = NULL;
		free(p);
	}
}

void router_close(struct router *r)
{
	while (r->head) {
		struct router_packet *p = r->head;

		r->head = p->next;
		free(p);
	}
	r->tail = NULL;
}
