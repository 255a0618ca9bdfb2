/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gateway.h - S-GW: which eNB a UE's tunnel leads to. */
#ifndef GATEWAY_H
#define GATEWAY_H

#include "epc/epc.h"

/** gateway_init() - fill epc->own_addr and epc->route */
void gateway_init(struct epc *epc);

/** gateway_ingress() - a packet arrived at the S-GW: from a server, or in an uplink tunnel */
void gateway_ingress(struct epc *epc, struct pkt *p);

/** gateway_switch_path() - the downlink of @ue goes to @enb; its old path ends with an End Marker
 */
void gateway_switch_path(struct epc *epc, uint8_t ue, uint8_t enb);

/** gateway_end_marker() - the path of @ue to @enb has ended. Source: TS 36.300 10.1.2.2 */
void gateway_end_marker(struct epc *epc, uint8_t ue, uint8_t enb);

#endif
