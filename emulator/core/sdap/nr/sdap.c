/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sdap.c - QoS flow to DRB mapping; see sdap.h. */
#include "sdap/nr/sdap.h"

uint8_t sdap_drb_of(const struct sdap_map *map, uint8_t qfi)
{
	uint8_t drb = map->drb[qfi % SDAP_QFI_COUNT];

	return drb != SDAP_NO_DRB ? drb : map->default_drb;
}

uint8_t sdap_set_rule(struct sdap_map *map, uint8_t qfi, uint8_t drb)
{
	uint8_t before = sdap_drb_of(map, qfi);

	map->drb[qfi % SDAP_QFI_COUNT] = drb;
	return before != drb ? before : SDAP_NO_DRB;
}

uint8_t sdap_reflect(struct sdap_map *map, struct sdap_header h, uint8_t drb)
{
	return h.rdi ? sdap_set_rule(map, h.qfi, drb) : SDAP_NO_DRB;
}
