/* SPDX-License-Identifier: GPL-2.0-or-later */
/* epc.c - the start, the hash and the end of a core network's user plane; see epc.h. */
#include "epc/epc.h"

#include <string.h>

#include "base/digest.h"

bool epc_has_address(const struct cell_ue_cfg *ue)
{
	static const uint8_t none[sizeof(ue->addr6)];

	return ue->addr || memcmp(ue->addr6, none, sizeof(none)) != 0;
}

void epc_init(struct epc *epc, struct cell *c, const struct epc_radio *radio)
{
	epc->cell = c;
	epc->radio = radio;
	for (uint8_t k = 0; k < CELL_MAX_ENB; k++)
		for (uint8_t i = 0; i < CELL_MAX_UE; i++)
			epc->end[k][i] = (struct tunnel_end){ .forward_to = ENB_NONE,
				                              .expiry_ns = CELL_NEVER };
	for (uint8_t i = 0; i < c->cfg.n_ue; i++) {
		epc->path[i] = c->cfg.ue[i].enb;
		epc->end[c->cfg.ue[i].enb][i].known = true;
	}
}

void epc_digest_ue(const struct epc *epc, uint8_t ue, uint64_t *h)
{
	digest_mix(h, epc->path[ue - 1]);
	for (uint8_t k = 0; k < epc->cell->cfg.n_enb; k++) {
		const struct tunnel_end *end = &epc->end[k][ue - 1];

		digest_mix_queue(h, &end->held);
		digest_mix_queue(h, &end->direct);
		digest_mix(h, (uint64_t)end->expiry_ns);
		digest_mix(h, end->forward_to);
		digest_mix(h, end->awaiting);
		digest_mix(h, end->ended);
		digest_mix(h, end->returning);
		if (end->early)
			digest_mix(h, end->early);
	}
}

void epc_empty(struct epc *epc, struct pkt_queue *ret)
{
	for (uint8_t i = 0; i < epc->cell->cfg.n_ue; i++)
		for (uint8_t k = 0; k < epc->cell->cfg.n_enb; k++) {
			pkt_queue_move(ret, &epc->end[k][i].held);
			pkt_queue_move(ret, &epc->end[k][i].direct);
		}
}
