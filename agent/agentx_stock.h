/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stock path: a handler of Net-SNMP's agent library, the same for every
 * registration. It serves what the fast read path does not: all SETs, and Get
 * and GetNext where the fast read path is off or cannot answer.
 */
#ifndef DCB_AGENT_AGENTX_STOCK_H
#define DCB_AGENT_AGENTX_STOCK_H

#include "agent/mib_oid.h"
#include "agent/mib_txn.h"

struct agentx_stock {
	struct mib *mib;
	struct mib_txn *txn;
	int64_t (*now_ms)(void); /* time of a monotonic clock */
};

struct netsnmp_handler_registration_s;

/*
 * Registers the subtree root with the library. stock has to exist until the
 * library is shut down or netsnmp_unregister_handler() is called with the
 * result. NULL: out of memory, or root is registered already.
 */
struct netsnmp_handler_registration_s *agentx_stock_register(struct agentx_stock *stock,
							     const struct mib_oid *root);

#endif
