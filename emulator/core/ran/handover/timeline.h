/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h - what is under way of a UE's handover, by time: messages, and End Markers.
 *
 * An End Marker can be lost like any packet, so several may be sent, by the gateway on the path
 * that ends and by a source that got the gateway's before it forwarded.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "epc/epc.h"

#define TIMELINE_MAX (16 + 2 * CELL_MAX_ENB)

enum rrc_step_kind {
	RRC_STEP_REQUEST,      /* handover request at `enb` */
	RRC_STEP_ACK,          /* its acknowledgment at the source */
	RRC_STEP_SYNCHRONISED, /* the UE is in the cell of `enb` */
	RRC_STEP_CONFIRM,      /* handover confirm at `enb` */
	RRC_STEP_PATH_SWITCH,  /* path switch request at the MME or AMF */
	RRC_STEP_PATH_ACK,     /* its acknowledgment at `enb` */
	RRC_STEP_EXPIRED,      /* the predicted handover did not come */
	RRC_STEP_CANCEL,       /* handover cancel at `enb` */
	RRC_STEP_S1_MARKER,    /* another End Marker of the gateway to `enb` */
	RRC_STEP_X2_MARKER,    /* another one of `enb` to where it forwards */
	RRC_STEP_REPORT,       /* that `enb` is better, at the base station that serves the UE */
	RRC_STEP_LEAVE,        /* NR: the UE leaves for `enb`, as a condition has held */
	RRC_STEP_ACCESS,       /* NR: the UE can start random access in the cell of `enb` */
	RRC_STEP_SUCCESS,      /* NR: handover success of the target, at `enb` */
	RRC_STEP_STATUS,       /* NR: SN status transfer of a DAPS handover, at `enb` */
	RRC_STEP_T304,         /* expires: the UE did not reach `enb` */
	RRC_STEP_T311,         /* expires: no cell was found */
	RRC_STEP_T301,         /* expires: no answer of `enb` */
	RRC_STEP_SELECT,       /* after a failure the UE knows which cells there are */
	RRC_STEP_RESUME,       /* its bearers are there again, in the cell of `enb` */
};

struct rrc_step {
	int64_t t_ns;
	enum rrc_step_kind kind;
	uint8_t enb;
	uint8_t tries; /* that failed */
};

struct timeline {
	struct rrc_step step[TIMELINE_MAX]; /* by time; those of one time in order of causes */
	uint8_t n;
	uint8_t s1_markers; /* still to be sent */
	uint8_t x2_markers;
};

/** timeline_add() - @kind happens @after_ns from now */
void timeline_add(struct timeline *t, const struct cell *c, enum rrc_step_kind kind, uint8_t enb,
                  int64_t after_ns);

/** timeline_again() - @step, which was taken, happens again @after_ns from now */
void timeline_again(struct timeline *t, const struct cell *c, struct rrc_step step,
                    int64_t after_ns);

/** timeline_has() - a step of @kind is under way */
bool timeline_has(const struct timeline *t, enum rrc_step_kind kind);

/** timeline_remove() - no step of @kind happens any more */
void timeline_remove(struct timeline *t, enum rrc_step_kind kind);

/** timeline_next_ns() - of the first step, or CELL_NEVER */
static inline int64_t timeline_next_ns(const struct timeline *t)
{
	return t->n > 0 ? t->step[0].t_ns : CELL_NEVER;
}

/** timeline_take() - the first step, which is there, is not under way any more */
struct rrc_step timeline_take(struct timeline *t);

/** timeline_repeat_marker() - one End Marker was sent, by the gateway or by @enb: others follow */
void timeline_repeat_marker(struct timeline *t, const struct cell *c, enum rrc_step_kind kind,
                            uint8_t enb);

/**
 * timeline_send_marker() - the next of them for UE @ue
 *
 * After the last one only as long as it may be under way.
 */
void timeline_send_marker(struct timeline *t, struct epc *epc, uint8_t ue, enum rrc_step_kind kind,
                          uint8_t enb);

/** timeline_digest() - hash of what is under way */
void timeline_digest(const struct timeline *t, uint64_t *h);

/**
 * timeline_record() - a row of a message about @ue
 * @node: where it is sent, or heard
 * @enb: the base station it is written at; @other is at the far end
 */
void timeline_record(struct cell *c, uint8_t ue, uint8_t node, uint8_t enb, uint8_t other,
                     enum cell_rrc_msg msg);

#endif
