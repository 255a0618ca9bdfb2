/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crowd.c - modelled UEs of NR that only load the scheduler; see crowd.h and mac/common/crowd.h.
 *
 * What a member has to send in the uplink the gNB knows at once, without requests and BSRs. Blocks
 * are sent again in the first slot that the gNB can decide on once it heard, or saw, that they were
 * not decoded.
 */
#include "ran/nr/crowd.h"

#include <string.h>

#include "ran/nr/control.h"
#include "ran/nr/frame.h"

#define HEADERS_OF_BLOCK 12
#define RTT_MAX          32 /* slots; CROWD_AGAIN holds seven of them */

/* Blocks of a slot: of the uplink one, and those of the downlink after it. */
static uint32_t blocks(const struct cell_cfg *cfg)
{
	return 1u + cfg->nr.phy.dl_carriers;
}

struct crowd_memory nr_crowd_take(struct arena *a, const struct cell_cfg *cfg)
{
	return crowd_take(a, cfg, 2, blocks(cfg));
}

void nr_crowd_init(struct nr *nr)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;

	memset(nr->crowd_slot, 0, sizeof(nr->crowd_slot));
	for (uint8_t k = 0; k < cfg->n_enb; k++)
		for (uint8_t dir = 0; dir < 2; dir++) {
			size_t place = k * blocks(cfg) + dir; /* the uplink's is the first */

			crowd_init(&nr->crowd[k][dir], cfg, &nr->cell.stats, &nr->crowd_memory,
			           2u * k + dir, nr->crowd_memory.again + place * CROWD_AGAIN,
			           dir == CELL_DIR_UL ? 1 : cfg->nr.phy.dl_carriers, dir, k,
			           nr->cell.start_ns);
		}
}

uint16_t nr_crowd_slot(struct nr *nr, struct crowd *crowd, const struct nr_decision *d)
{
	uint32_t *next = &nr->crowd_slot[crowd->enb][crowd->dir][d->carrier], at = *next;
	uint32_t for_slot = d->for_slot;

	*next = for_slot + 1;
	crowd_arrive(crowd, &nr->cell.cfg, &nr->cell.stats, nr->cell.event_ns);
	if (crowd->again_rb == 0)
		return 0;
	if (for_slot - at >= CROWD_AGAIN)
		at = for_slot - CROWD_AGAIN + 1;
	/* Slots of the other direction, and those that came to nothing. */
	for (; at < for_slot; at++)
		(void)crowd_again(crowd, &nr->cell.stats, d->carrier, at, 0, for_slot - at);
	return crowd_again(crowd, &nr->cell.stats, d->carrier, for_slot, d->rb.free, 1);
}

/* What formats are of. */
struct carrier {
	const struct nr *nr;
	enum cell_dir dir;
};

static uint8_t format(const void *of, uint8_t cqi)
{
	const struct carrier *carrier = of;
	enum nr_table table = nr_table_of(carrier->nr, carrier->dir);

	return nr_cqi_to_mcs(table, table, cqi);
}

static uint8_t level(const void *of, uint8_t cqi)
{
	return nr_control_level(((const struct carrier *)of)->nr, cqi);
}

static uint32_t rate(const void *of, uint8_t mcs)
{
	const struct carrier *carrier = of;
	const struct nr *nr = carrier->nr;

	return nr_tbs(nr_frame_re(&nr->cell.cfg.nr.phy, NR_SYMBOLS, nr->frame.n_rb),
	              nr_mcs(nr_table_of(nr, carrier->dir), mcs), nr_layers(nr, carrier->dir));
}

uint32_t nr_crowd_flows(struct nr *nr, struct crowd *crowd, uint32_t for_slot,
                        struct sched_flow *ret)
{
	const struct cell_cfg *cfg = &nr->cell.cfg;
	const struct carrier carrier = { .nr = nr, .dir = (enum cell_dir)crowd->dir };
	const struct crowd_formats formats = {
		.of = &carrier, .format = format, .rate = rate, .level = level
	};
	uint32_t period = nr_slots(nr, cfg->crowd.cqi_period_ms);

	return crowd_flows(crowd, cfg, period ? for_slot / period : 0, nr->cell.event_ns, nr->n_ue,
	                   &formats, ret);
}

/* The slot in which a block of @slot is sent again, if it is. */
static uint32_t again_downlink(const struct nr *nr, uint32_t slot)
{
	const struct cell_nr_mac_cfg *mac = &nr->cell.cfg.nr.mac;
	uint32_t heard = nr_feedback_slot(&nr->frame.tdd, slot, mac->k1_min);
	uint32_t decided = heard + 1 + mac->gnb_ahead_slots;

	return nr_frame_next_assignment(&nr->frame, decided, mac->k0) + mac->k0;
}

static uint32_t again_uplink(const struct nr *nr, uint32_t slot)
{
	uint32_t seen = nr_slot_at(nr, nr_slot_start(nr, slot + 1) + nr->frame.ul_decode_ns);
	uint32_t again = nr_frame_next_decision(&nr->frame, seen) + nr->cell.cfg.nr.mac.k2_min;

	while (!nr_frame_slot(&nr->frame, again)->pusch)
		again++;
	return again;
}

static uint32_t rtt(const struct nr *nr, uint8_t dir, uint32_t slot)
{
	uint32_t again = dir == CELL_DIR_UL ? again_uplink(nr, slot) : again_downlink(nr, slot);

	return again - slot < RTT_MAX ? again - slot : RTT_MAX;
}

uint32_t nr_crowd_issue(struct nr *nr, struct crowd *crowd, const struct sched_flow *f,
                        const struct nr_decision *d, uint16_t *ret_rb)
{
	uint32_t m = f->id - (uint32_t)nr->n_ue, want = f->backlog + HEADERS_OF_BLOCK, bytes;
	enum cell_dir dir = (enum cell_dir)crowd->dir;
	const struct nr_format *of = nr_mcs(nr_table_of(nr, dir), crowd->member[m].format);
	uint8_t layers = nr_layers(nr, dir);

	*ret_rb = nr_prb_needed(want, d->re, of, layers, d->rb.free);
	bytes = nr_tbs(d->re * *ret_rb, of, layers);
	if (bytes <= HEADERS_OF_BLOCK) {
		*ret_rb = 0;
		return 0;
	}
	bytes = bytes >= want ? f->backlog : bytes - HEADERS_OF_BLOCK;
	crowd_granted(crowd, &nr->cell.cfg, &nr->cell.stats, m, bytes, *ret_rb, d->carrier,
	              d->for_slot, rtt(nr, crowd->dir, d->for_slot), nr->cell.event_ns);
	return bytes;
}

/* First slot from @from on in which @crowd has something to do, as far as slots let it. */
static uint32_t wanted(const struct nr *nr, const struct crowd *crowd, uint32_t from)
{
	uint32_t slot;

	if (crowd->n_waiting || crowd->again_rb)
		return from;
	if (!crowd->member || crowd->next_ns == CELL_NEVER)
		return NR_SLOT_NEVER;
	slot = nr_slot_at(nr, crowd->next_ns);
	return slot > from ? slot : from;
}

uint32_t nr_crowd_next_slot(const struct nr *nr, uint32_t from)
{
	const struct cell_nr_mac_cfg *mac = &nr->cell.cfg.nr.mac;
	uint32_t first[2] = { NR_SLOT_NEVER, NR_SLOT_NEVER };

	for (uint8_t k = 0; nr->cell.cfg.crowd.count && k < nr->cell.cfg.n_enb; k++)
		for (uint8_t dir = 0; dir < 2; dir++) {
			uint32_t slot = wanted(nr, &nr->crowd[k][dir], from);

			first[dir] = slot < first[dir] ? slot : first[dir];
		}
	if (first[CELL_DIR_UL] != NR_SLOT_NEVER)
		first[CELL_DIR_UL] = nr_frame_next_decision(&nr->frame, first[CELL_DIR_UL]);
	if (first[CELL_DIR_DL] != NR_SLOT_NEVER)
		first[CELL_DIR_DL] =
			nr_frame_next_assignment(
				&nr->frame, first[CELL_DIR_DL] + mac->gnb_ahead_slots, mac->k0) -
			mac->gnb_ahead_slots;
	return first[CELL_DIR_UL] < first[CELL_DIR_DL] ? first[CELL_DIR_UL] : first[CELL_DIR_DL];
}
