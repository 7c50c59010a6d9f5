/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is registered with the master: a subtree a module, tried again where the
 * master refuses it. The library sends registrations whenever a session begins;
 * whether they came to anything is found out here.
 *
 * An optional module is another's by right: if another subagent has any part of
 * it, all of it is given back. A master notices only a second registration of
 * the very same node, so the nodes below and the one above are registered too:
 * mib_claims().
 */
#ifndef DCB_AGENT_AGENTX_REGISTER_H
#define DCB_AGENT_AGENTX_REGISTER_H

#include "agent/agentx_stock.h"

struct event_base;
struct snmp_session;

/*
 * Hands the registrations of all modules of stock->mib to the library. settle
 * is called after messages were exchanged outside of the library's own time.
 * stock and base are to live until agentx_register_stop().
 */
bool agentx_register_start(struct agentx_stock *stock, struct event_base *base,
			   void (*settle)(void));
void agentx_register_stop(void);

/* A session has begun, and registrations will follow; NULL: it has ended. */
void agentx_register_session(struct snmp_session *session);

/* Is this line of the library's log about a registration? Then there is no more to say of it. */
bool agentx_register_heard(const char *line);

#endif
