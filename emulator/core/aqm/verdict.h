/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict.h - what becomes of a packet that comes to a queue with queue management, or that is
 * about to be sent. */
#ifndef AQM_VERDICT_H
#define AQM_VERDICT_H

enum aqm_verdict {
	AQM_PASS,
	AQM_MARK,         /* by how long packets waited */
	AQM_MARK_COUPLED, /* by the controller's probability */
	AQM_DROP,
	AQM_TURN, /* the list is in another order now, and its first packet another one: ask again
	           */
};

#endif
