/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_PORT_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_PORT_H

#include "lldp/client/lldp_client.h"

/* Does lldpd send and receive LLDPDUs on a port? A mark has this number: lldp_client_desired.h. */
enum port_status {
	PORT_TX_ONLY = 1,
	PORT_RX_ONLY,
	PORT_DISABLED,
	PORT_RX_TX,
};

/* Custom TLVs of a port in the LLDP agent, and the length of its frames without them. */
struct conn_port {
	enum port_status status; /* 0: not known */
	size_t octets;           /* of a frame without tlvs */
	size_t n;
	struct lldp_tlv *tlvs;
};

#endif
