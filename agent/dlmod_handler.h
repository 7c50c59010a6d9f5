/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handler of the module of snmpd in Net-SNMP's agent library, the same for every
 * registration.
 */
#ifndef DCB_AGENT_DLMOD_HANDLER_H
#define DCB_AGENT_DLMOD_HANDLER_H

#include "agent/mib_oid.h"
#include "agent/mib_txn.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>

struct dlmod_objects {
	struct mib *mib;
	struct mib_txn *txn;
	int64_t (*now_ms)(void); /* time of a monotonic clock */
};

/*
 * A request whose object is MIB_LATE is "delegated": the library waits with it, until
 * dlmod_retry().
 */
Netsnmp_Node_Handler dlmod_handler;

/*
 * Registers the subtree root with the library. objects have to exist until the
 * library is shut down or netsnmp_unregister_handler() is called with the
 * result. handler is dlmod_handler() or calls it. NULL: out of memory, or
 * root is registered already.
 */
netsnmp_handler_registration *dlmod_register(struct dlmod_objects *objects,
					     const struct mib_oid *root,
					     Netsnmp_Node_Handler *handler);

/*
 * Processes the delegated requests of a call of the handler again. now_ms is the
 * time of that call, so that rows read since are fresh, and the requests end.
 * Returns true if none is delegated any more.
 */
bool dlmod_retry(struct dlmod_objects *objects, int64_t now_ms, netsnmp_agent_request_info *info,
		 netsnmp_request_info *requests);

#endif
