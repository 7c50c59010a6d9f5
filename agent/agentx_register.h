/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers one subtree per MIB module with the master, and repeats a
 * registration that the master refuses. Net-SNMP's library sends the
 * registrations when a session begins; it does not report their results. This
 * code finds them out.
 *
 * An optional module may belong to another subagent. If another subagent has
 * registered any part of it, dcb-agentx unregisters all of it. A master refuses
 * a registration only if the very same node is registered already. Therefore
 * dcb-agentx also registers the nodes below the subtree and the node above it:
 * mib_claims().
 */
#ifndef DCB_AGENT_AGENTX_REGISTER_H
#define DCB_AGENT_AGENTX_REGISTER_H

#include "agent/agentx_stock.h"

struct event_base;
struct snmp_session;

/*
 * Makes the library register all modules of stock->mib when a session begins.
 * settle is called after this code has exchanged messages with the master
 * outside of the library's event processing: it has to process the library's
 * pending events. stock and base have to exist until agentx_register_stop().
 * false: a registration failed, the log says which one.
 */
bool agentx_register_start(struct agentx_stock *stock, struct event_base *base,
			   void (*settle)(void));
void agentx_register_stop(void);

/* Call when a session has begun, before its registrations; with NULL when it has ended. */
void agentx_register_session(struct snmp_session *session);

/*
 * Takes a line of the library's log. Returns true if it reports the result of a
 * registration or unregistration: the caller does not log it, because this code
 * does.
 */
bool agentx_register_take_log(const char *line);

#endif
