/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stock way in: a handler as Net-SNMP's agent library wants it, one and
 * the same for every registration. It takes everything the fast read path
 * leaves (all SETs to begin with) and could do alone.
 */
#ifndef DCB_AGENT_AGENTX_STOCK_H
#define DCB_AGENT_AGENTX_STOCK_H

#include "agent/mib_oid.h"
#include "agent/mib_txn.h"

struct agentx_stock {
	struct mib *mib;
	struct mib_txn *txn;
	int64_t (*now_ms)(void); /* monotonic */
};

struct netsnmp_handler_registration_s;

/* Register root with the library; stock is to outlive it. NULL: out of memory. */
struct netsnmp_handler_registration_s *agentx_stock_register(struct agentx_stock *stock,
							     const struct mib_oid *root);

struct snmp_pdu;
/* Append a varbind to a PDU of the library's. false: out of memory, or no object of ours. */
bool agentx_stock_add(struct snmp_pdu *pdu, const struct mo_varbind *vb);

#endif
