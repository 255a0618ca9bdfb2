/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gateway.h - S-GW: which eNB a UE's tunnel leads to. */
#ifndef EPC_H
#define EPC_H

#include <stdint.h>

struct cell;
struct pkt;
struct ue;

/** epc_ingress() - a packet arrived at the S-GW: from a server, or in an uplink tunnel */
void epc_ingress(struct cell *c, struct pkt *p);

/** epc_switch_path() - the downlink of @u goes to @enb; its old path ends */
void epc_switch_path(struct cell *c, struct ue *u, uint8_t enb);

#endif
