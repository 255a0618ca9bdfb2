/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rrc.h - handover: its messages and when they arrive. */
#ifndef RRC_H
#define RRC_H

#include <stdbool.h>
#include <stdint.h>

#include "cellcore.h"

#define RRC_STEPS_MAX 8

struct cell;
struct ue;

enum rrc_state {
	RRC_CONNECTED,
	RRC_PREDICTED,   /* as connected; the target is prepared and gets the downlink */
	RRC_PREPARATION, /* handover request sent */
	RRC_EXECUTION,   /* between the cells */
	RRC_COMPLETION,  /* in the target; the path is being switched */
};

enum rrc_step_kind {
	RRC_STEP_REQUEST,      /* handover request at `enb` */
	RRC_STEP_ACK,          /* its acknowledgment at the source */
	RRC_STEP_SYNCHRONISED, /* the UE is in the cell of `enb` */
	RRC_STEP_CONFIRM,      /* handover confirm at `enb` */
	RRC_STEP_PATH_SWITCH,  /* path switch request at the MME */
	RRC_STEP_PATH_ACK,     /* its acknowledgment at `enb` */
	RRC_STEP_EXPIRED,      /* the predicted handover did not come */
	RRC_STEP_CANCEL,       /* handover cancel at `enb` */
};

struct rrc_step {
	int64_t t_ns;
	enum rrc_step_kind kind;
	uint8_t enb;
};

/* A UE's handover; see rrc.c. */
struct rrc {
	enum rrc_state state;
	uint8_t source;
	uint8_t target;
	bool prepared;                       /* the target has acknowledged */
	bool commanded;                      /* the handover command is due as soon as it has */
	bool confirmed;                      /* by the UE, at the target */
	bool path_asked;                     /* path switch request sent */
	bool path_switched;                  /* and acknowledged */
	struct rrc_step step[RRC_STEPS_MAX]; /* what is under way, by time */
	uint8_t n_steps;
	bool waits; /* a command for when all of this is over */
	struct cell_cmd waiting;
};

void rrc_predict(struct cell *c, struct ue *u, uint8_t enb);
void rrc_handover(struct cell *c, struct ue *u, uint8_t enb);

/** rrc_next_ns() - when something is due for @u, or CELL_NEVER */
int64_t rrc_next_ns(const struct cell *c, const struct ue *u);

/** rrc_process() - it is due now */
void rrc_process(struct cell *c, struct ue *u);

#endif
