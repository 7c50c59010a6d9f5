/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stock path: a handler of Net-SNMP's agent library, the same for every
 * registration. In dcb-agentx it serves what the fast read path does not: all
 * SETs, and Get and GetNext where the fast read path is off or cannot answer. In
 * the module of snmpd it serves all requests.
 *
 * The fast read path can be switched off; CI compares the answers of both, octet by octet.
 */
#ifndef DCB_AGENT_STOCK_H
#define DCB_AGENT_STOCK_H

#include "agent/mib_oid.h"
#include "agent/mib_txn.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>

struct stock {
	struct mib *mib;
	struct mib_txn *txn;
	int64_t (*now_ms)(void); /* time of a monotonic clock */
	/*
	 * Set "delegated" of a request whose object is MIB_LATE: the library waits with
	 * it, until stock_retry(). Otherwise it is genErr.
	 */
	bool delegates;
};

/*
 * Registers the subtree root with the library. stock has to exist until the
 * library is shut down or netsnmp_unregister_handler() is called with the
 * result. handler is stock_handler() or calls it. NULL: out of memory, or
 * root is registered already.
 */
netsnmp_handler_registration *stock_register(struct stock *stock, const struct mib_oid *root,
					     Netsnmp_Node_Handler *handler);

Netsnmp_Node_Handler stock_handler;

/*
 * Processes the delegated requests of a call of the handler again. now_ms is the
 * time of that call, so that rows read since are fresh, and the requests end.
 * Returns true if none is delegated any more.
 */
bool stock_retry(struct stock *stock, int64_t now_ms, netsnmp_agent_request_info *info,
		 netsnmp_request_info *requests);

#endif
