/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * channel.c - which logical channels a UE has, by the configuration; see channel.h.
 *
 * The LCID says which RLC a channel has, so that a capture explains itself.
 */
#include "ran/lte/channel.h"

#include "mac/mac_pdu.h"

uint8_t channel_count(const struct cell_cfg *cfg, uint8_t id, enum cell_dir dir)
{
	(void)cfg, (void)id, (void)dir;
	return 1;
}

struct cell_bearer_cfg channel_cfg(const struct cell_cfg *cfg, uint8_t id, uint8_t k)
{
	(void)id, (void)k;
	return cell_cfg_bearer(cfg);
}

uint8_t channel_lcid(const struct cell_cfg *cfg, uint8_t id, uint8_t k, enum cell_dir dir)
{
	struct cell_bearer_cfg b = channel_cfg(cfg, id, k);
	uint8_t um = b.um_sn_bits == 10 ? LCID_UM_10 : LCID_UM_5;
	uint8_t lcid = b.rlc_mode == CELL_RLC_AM ? LCID_AM : um;

	return (uint8_t)(lcid + (dir == CELL_DIR_SL));
}
