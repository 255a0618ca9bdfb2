/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crowd.c - modelled UEs of NR that only load the scheduler; see crowd.h and mac/common/crowd.h.
 *
 * A crowd is of the downlink only. Its blocks are sent again in the first downlink slot after the
 * one in which the gNB hears that they were not decoded.
 */
#include "ran/nr/crowd.h"

#include "ran/nr/control.h"
#include "ran/nr/frame.h"

#define HEADERS_OF_BLOCK 12
#define RTT_MAX          32 /* slots; CROWD_AGAIN holds seven of them */

void nr_crowd_init(struct nr *nr)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;

	for (uint8_t k = 0; k < cfg->n_enb; k++) {
		crowd_init(&nr->crowd[k], cfg, &nr->cell.stats, &nr->crowd_memory, k,
		           nr->crowd_memory.again + (size_t)k * CROWD_AGAIN, 1, CELL_DIR_DL, k,
		           nr->cell.start_ns);
		nr->crowd_slot[k] = 0;
	}
}

uint16_t nr_crowd_slot(struct nr *nr, uint8_t cell, uint32_t for_slot, uint16_t free)
{
	struct crowd *crowd = &nr->crowd[cell];
	uint32_t at = nr->crowd_slot[cell];

	nr->crowd_slot[cell] = for_slot + 1;
	crowd_arrive(crowd, &nr->cell.cfg, &nr->cell.stats, nr->cell.event_ns);
	if (crowd->again_rb == 0)
		return 0;
	if (for_slot - at >= CROWD_AGAIN)
		at = for_slot - CROWD_AGAIN + 1;
	for (; at < for_slot; at++) /* uplink slots, and those that came to nothing */
		(void)crowd_again(crowd, &nr->cell.stats, 0, at, 0, for_slot - at);
	return crowd_again(crowd, &nr->cell.stats, 0, for_slot, free, 1);
}

static uint8_t format(const void *of, uint8_t cqi)
{
	enum nr_table table = nr_table_of(of, CELL_DIR_DL);

	return nr_cqi_to_mcs(table, table, cqi);
}

static uint8_t level(const void *of, uint8_t cqi)
{
	return nr_control_level(of, cqi);
}

static uint32_t rate(const void *of, uint8_t mcs)
{
	const struct nr *nr = of;

	return nr_tbs(nr_frame_re(&nr->cell.cfg.nr.phy, NR_SYMBOLS, nr->frame.n_rb),
	              nr_mcs(nr_table_of(nr, CELL_DIR_DL), mcs), nr_layers(nr, CELL_DIR_DL));
}

uint32_t nr_crowd_flows(struct nr *nr, uint8_t cell, uint32_t for_slot, struct sched_flow *ret)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	const struct crowd_formats formats = {
		.of = nr, .format = format, .rate = rate, .level = level
	};
	uint32_t period = nr_slots(nr, cfg->crowd.cqi_period_ms);

	return crowd_flows(&nr->crowd[cell], cfg, period ? for_slot / period : 0, nr->cell.event_ns,
	                   nr->n_ue, &formats, ret);
}

/* Slots from a block to where it is sent again, if it is. */
static uint32_t rtt(const struct nr *nr, uint32_t slot)
{
	const struct cell_nr_mac_cfg *mac = &nr->cell.cfg.nr.mac;
	uint32_t heard = nr_feedback_slot(&nr->frame.tdd, slot, mac->k1_min);
	uint32_t decided = heard + 1 + mac->gnb_ahead_slots;
	uint32_t again = nr_frame_next_assignment(&nr->frame, decided, mac->k0) + mac->k0;

	return again - slot < RTT_MAX ? again - slot : RTT_MAX;
}

uint32_t nr_crowd_issue(struct nr *nr, uint8_t cell, const struct sched_flow *f, uint32_t for_slot,
                        uint32_t re, uint16_t free, uint16_t *ret_rb)
{
	uint32_t m = f->id - (uint32_t)nr->n_ue, want = f->backlog + HEADERS_OF_BLOCK, bytes;
	struct crowd *crowd = &nr->crowd[cell];
	const struct nr_format *of = nr_mcs(nr_table_of(nr, CELL_DIR_DL), crowd->member[m].format);
	uint8_t layers = nr_layers(nr, CELL_DIR_DL);

	*ret_rb = nr_prb_needed(want, re, of, layers, free);
	bytes = nr_tbs(re * *ret_rb, of, layers);
	if (bytes <= HEADERS_OF_BLOCK) {
		*ret_rb = 0;
		return 0;
	}
	bytes = bytes >= want ? f->backlog : bytes - HEADERS_OF_BLOCK;
	crowd_granted(crowd, &nr->cell.cfg, &nr->cell.stats, m, bytes, *ret_rb, 0, for_slot,
	              rtt(nr, for_slot), nr->cell.event_ns);
	return bytes;
}

uint32_t nr_crowd_next_slot(const struct nr *nr, uint32_t from)
{
	const struct cell_nr_mac_cfg *mac = &nr->cell.cfg.nr.mac;
	uint32_t first = NR_SLOT_NEVER;

	for (uint8_t k = 0; nr->cell.cfg.crowd.count && k < nr->cell.cfg.n_enb; k++) {
		const struct crowd *crowd = &nr->crowd[k];
		uint32_t slot = from;

		if (!crowd->n_waiting && !crowd->again_rb) {
			if (crowd->next_ns == CELL_NEVER)
				continue;
			slot = nr_slot_at(nr, crowd->next_ns);
			slot = slot > from ? slot : from;
		}
		first = slot < first ? slot : first;
	}
	if (first == NR_SLOT_NEVER)
		return first;
	first += mac->gnb_ahead_slots;
	return nr_frame_next_assignment(&nr->frame, first, mac->k0) - mac->gnb_ahead_slots;
}
