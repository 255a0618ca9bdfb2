/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drx.h - when a UE in RRC_CONNECTED listens to PDCCH: discontinuous reception.
 *
 * Each cycle starts with some slots on duration. A grant or assignment of new data keeps the UE
 * awake for the inactivity timer; a HARQ process whose data were not decoded wakes it again after
 * its round trip time, for the retransmission timer. After activity cycles are short for a while,
 * if there are short ones. Times are in slots; a timer started in slot s runs in the @n slots
 * after. Asked about any slot not before the last event; nothing here has a clock. Source:
 * TS 38.321 5.7
 */
#ifndef NR_DRX_H
#define NR_DRX_H

#include <stdbool.h>
#include <stdint.h>

#include "phy/nr/tdd.h"

#define NR_DRX_PROCESSES 64 /* HARQ processes, of each direction and all carriers */

struct nr_drx_cfg {
	uint32_t long_cycle; /* 0: no DRX, always active */
	uint32_t offset; /* drx-StartOffset and drx-SlotOffset: of the on duration, below long_cycle
	                  */
	uint32_t on_duration; /* at most the shortest cycle */
	uint32_t inactivity;  /* 0 is allowed */
	uint32_t short_cycle; /* 0: none; else divides long_cycle */
	uint32_t short_timer; /* number of short cycles */
	uint32_t rtt_dl;      /* drx-HARQ-RTT-TimerDL */
	uint32_t rtt_ul;
	uint32_t retransmission_dl; /* drx-RetransmissionTimerDL */
	uint32_t retransmission_ul;
};

/* Slots from, ..., until - 1. */
struct nr_drx_span {
	uint32_t from;
	uint32_t until;
};

struct nr_drx {
	const struct nr_drx_cfg *cfg;
	uint32_t inactivity_until;   /* first slot after the timer */
	struct nr_drx_span recent;   /* slots with short cycles, after the last activity */
	struct nr_drx_span previous; /* and after the one before, as long as that was not over */
	uint32_t stopped;            /* on durations that started before this slot are over */
	bool request;                /* a Scheduling Request is pending */
	bool contention;             /* random access waits for an answer */
	uint64_t dl_waiting;         /* processes with an entry in dl[] */
	uint64_t ul_waiting;
	struct nr_drx_span dl[NR_DRX_PROCESSES]; /* in which a retransmission may come */
	struct nr_drx_span ul[NR_DRX_PROCESSES];
};

void nr_drx_init(struct nr_drx *d, const struct nr_drx_cfg *cfg);

/** nr_drx_new_data() - PDCCH of slot @slot has a new transmission, of either direction */
void nr_drx_new_data(struct nr_drx *d, uint32_t slot);

/**
 * nr_drx_dl_feedback() - feedback of process @harq was sent in @slot
 * @decoded: nothing more to come; otherwise the UE listens again after the round trip time
 */
void nr_drx_dl_feedback(struct nr_drx *d, uint8_t harq, uint32_t slot, bool decoded);

/** nr_drx_dl_assigned() - PDCCH has a block of process @harq: its timers stop */
void nr_drx_dl_assigned(struct nr_drx *d, uint8_t harq);

/** nr_drx_ul_sent() - a block of process @harq was sent in @slot; the UE does not know its fate */
void nr_drx_ul_sent(struct nr_drx *d, uint8_t harq, uint32_t slot);

/** nr_drx_ul_granted() - PDCCH has a grant for process @harq: its timers stop */
void nr_drx_ul_granted(struct nr_drx *d, uint8_t harq);

/** nr_drx_command() - a (long) DRX command arrived in @slot: to sleep, unless a process waits */
void nr_drx_command(struct nr_drx *d, uint32_t slot, bool is_long);

/** nr_drx_request() - a Scheduling Request is pending (sent and not answered), or no more */
static inline void nr_drx_request(struct nr_drx *d, bool pending)
{
	d->request = pending;
}

/** nr_drx_contention() - random access waits for MSGB or contention resolution, or no more */
static inline void nr_drx_contention(struct nr_drx *d, bool waiting)
{
	d->contention = waiting;
}

/** nr_drx_active() - the UE listens to PDCCH in @slot. Source: TS 38.321 5.7 (Active Time) */
bool nr_drx_active(const struct nr_drx *d, uint32_t slot);

/** nr_drx_next_active() - first slot from @slot on in which it does, if nothing happens before */
uint32_t nr_drx_next_active(const struct nr_drx *d, uint32_t slot);

#endif
