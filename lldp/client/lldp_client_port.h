/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_PORT_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_PORT_H

#include "lldp/client/lldp_client.h"

/* Custom TLVs of a port in the LLDP agent, and the length of its frames without them. */
struct conn_port {
	size_t octets; /* of a frame without tlvs */
	size_t n;
	struct lldp_tlv *tlvs;
};

#endif
