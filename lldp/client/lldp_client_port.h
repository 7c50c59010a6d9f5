/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_PORT_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_PORT_H

#include "lldp/client/lldp_client.h"

/* A port as lldpd has it. */
struct conn_port {
	size_t octets; /* of its frames, all that is not among the TLVs below */
	size_t n;
	struct lldp_tlv *tlvs; /* its custom TLVs */
};

#endif
