/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * independent.h - radio networks whose UEs share nothing: each has a link of its own to the
 * network, a dedicated channel or a recording, and no scheduler stands between them.
 *
 * A kind of link is a table of functions of one UE's link; its state starts with struct
 * independent_link. What is due lies in a heap, by UE, so that one with nothing to do costs
 * nothing. Of several links with an event at one time the UE with the lowest number comes first,
 * with all it has at that time. A network puts its own state behind struct independent, and takes
 * its functions but check, out_min and lay_out from here.
 */
#ifndef INDEPENDENT_H
#define INDEPENDENT_H

#include "base/heap.h"
#include "base/out.h"
#include "ran/ran.h"

struct independent_link {
	struct cell *cell;
	uint8_t ue; /* its number, from 1 */
};

struct independent_kind {
	size_t bytes; /* of a link's state */
	/* The state but for struct independent_link. */
	void (*init)(struct independent_link *l);
	/* A packet arrived at its port. */
	void (*ingress)(struct independent_link *l, struct pkt *p);
	/* A link of that kind takes the command, which is carried out. NULL: none. */
	bool (*allows)(const struct independent_link *l, const struct cell_cmd *cmd);
	void (*apply)(struct independent_link *l, const struct cell_cmd *cmd);
	/* Time of the next event, or CELL_NEVER; changes by the link's own events, and commands. */
	int64_t (*next)(const struct independent_link *l);
	/* The event of next(), at its time; of several the first. */
	void (*process)(struct independent_link *l);
	/* See cell_next_output(); asked while something is due. */
	int64_t (*next_output)(const struct independent_link *l);
	/* All packets that are held, in no order. */
	void (*empty)(struct independent_link *l, struct pkt_queue *ret);
	void (*digest)(const struct independent_link *l, uint64_t *h);
};

struct independent {
	struct cell cell; /* first */
	const struct independent_kind *kind;
	struct heap due; /* by index of UE */
	uint8_t *links;
	bool copies; /* links make copies of packets, for which no output may keep the memory */
};

static inline struct independent *independent_of(const struct cell *c)
{
	return (struct independent *)c;
}

/**
 * independent_lay_out() - take the memory of a network and of its links
 * @bytes: of the network's state, which starts with struct independent
 *
 * Return: the state, of which struct independent is set, or NULL.
 */
struct cell *independent_lay_out(struct arena *a, const struct cell_cfg *cfg,
                                 const struct independent_kind *kind, size_t bytes);

/** independent_record() - a row of a command that a direction carried out, probabilities in
 * millionths */
void independent_record(struct cell *c, const struct out_at *at, const struct cell_cmd *cmd);

/** independent_check() - all UEs talk to the network, and there is one eNB without an S-GW. Return:
 * the field that is wrong, or NULL; @ret_range: allowed */
const char *independent_check(const struct cell_cfg *cfg, const char **ret_range);

/* Of struct ran, see there. */
void independent_init(struct cell *c);
void independent_ingress(struct cell *c, struct pkt *p);
bool independent_allows(const struct cell *c, const struct cell_cmd *cmd);
void independent_apply(struct cell *c, const struct cell_cmd *cmd);
int64_t independent_next(const struct cell *c);
bool independent_has_room(const struct cell *c, bool command);
void independent_process(struct cell *c);
int64_t independent_next_output(const struct cell *c);
int64_t independent_transit_min(const struct cell *c);
void independent_release(struct cell *c);
void independent_empty(struct cell *c);
void independent_digest(const struct cell *c, uint64_t *h);

#endif
