/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbors for tests, with their TLVs. */
#ifndef DCB_TESTS_LLDP_REMOTE_H
#define DCB_TESTS_LLDP_REMOTE_H

#include <stdio.h>
#include <string.h>

#include "lldp/dcb_tlv.h"
#include "lldp/client/lldp_client.h"

/* Returns a neighbor of this interface; address: last octet of its MAC address. */
static inline struct lldp_remote neighbor(const char *ifname, uint8_t address)
{
	struct lldp_remote r = {
	    .chassis = {LLDP_CHASSIS_MAC, 6, {2, 0, 0, 0, 1, address}},
	    .port = {LLDP_PORT_MAC, 6, {2, 0, 0, 0, 0, address}},
	    .sysname = "leaf",
	    .management = "192.0.2.7",
	    .ttl = 120,
	};

	snprintf(r.ifname, sizeof(r.ifname), "%s", ifname);
	return r;
}

/* Adds one of the TLVs to the neighbor's LLDPDU. */
static inline void says(struct lldp_remote *r, enum dcb_tlv which, const struct dcb_tlvs *tlvs)
{
	struct lldp_tlv *tlv = &r->tlvs[r->n_tlvs++];

	memcpy(tlv->oui, dcb_tlv_oui, sizeof(tlv->oui));
	tlv->subtype = dcb_tlv_subtype(which);
	tlv->len = (uint16_t)dcb_tlvs_encode(tlvs, which, tlv->info);
}

#endif
