/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The session with the master: Net-SNMP's agent library started, registered,
 * kept alive in a libevent loop, and shut down. Every one of the library's ways
 * that need knowing is met in agentx_session.c or, of registrations, in agentx_register.c.
 */
#ifndef DCB_AGENT_AGENTX_SESSION_H
#define DCB_AGENT_AGENTX_SESSION_H

#include "agent/agentx_stock.h"

struct event_base;

struct agentx_session_config {
	const char *master;  /* AgentX address; NULL: the library's default */
	unsigned ping_s;     /* between pings, and between attempts to connect */
	unsigned reply_ms;   /* longest wait for a response of the master */
	bool fast;           /* the fast read path, see agentx_fast.h */
	const char *control; /* dcbd's socket, for its events; NULL: no notifications */
};

/*
 * Connects at once, or as soon as there is a master. There is one session: the
 * library keeps its state in globals. stock and base are to outlive it.
 */
bool agentx_session_start(const struct agentx_session_config *config, struct agentx_stock *stock,
			  struct event_base *base);
/* Takes leave of the master. */
void agentx_session_stop(void);

#endif
