/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rlc_order.h - received RLC PDUs of the UTRAN, of each UE and direction in the order in which RLC
 * reads them.
 *
 * Wireshark puts packets together only from AMD PDUs that come in the order of
 * their SNs. So a PDU behind a gap waits for what is missing; a duplicate stays behind
 * the PDU that it repeats. An MRW ends the wait for what will not come. Control PDUs
 * pass at once. Each PDU keeps the time at which it was sent.
 */
#ifndef RLC_ORDER_H
#define RLC_ORDER_H

#include "cellcore.h"

struct rlc_order;

/** rlc_order_write - takes a PDU in order; the same arguments as radio_pcap_write() */
typedef int rlc_order_write(void *arg, int64_t t_ns, const struct cell_pdu_info *info,
                            const uint8_t *data, uint32_t len);

/** rlc_order_create() - for UEs 1 to @n_ue. Return: NULL when out of memory */
struct rlc_order *rlc_order_create(uint8_t n_ue, rlc_order_write *write, void *arg);

/** rlc_order_push() - a PDU was received. Return: 0, -ENOMEM, or what @write said. */
int rlc_order_push(struct rlc_order *o, int64_t t_ns, const struct cell_pdu_info *info,
                   const uint8_t *data, uint32_t len);

/** rlc_order_close() - write what waits, and free. Return: 0, or what @write said. */
int rlc_order_close(struct rlc_order *o);

#endif
