/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The AgentX session with the master, in a libevent loop: connects, opens the
 * session, registers, pings, sends notifications, and begins again when the
 * session is lost. It does not wait for Responses; only a master that does not
 * read delays it, see agentx_link_send().
 *
 * Open, registrations and pings each have a time limit of three times the wait
 * for a Response. A master that does not respond within it has lost the session:
 * it is closed and opened anew.
 *
 * The session is not one of libnetsnmp, which blocks for seconds while snmpd is stopped, counts
 * registrations as made that are not, and cannot be replaced in parts: doc/decisions.md. The
 * module dcb.so (dlmod.c) is what serves the objects by that library.
 *
 * The wait is 300 ms: a registration without a Response is sent again then. A session that was
 * complete is opened anew at once, other attempts begin one ping interval after each other, and
 * only the first of them is logged. tests/system/agentx_master.c is a master that fails at every
 * octet.
 */
#ifndef DCB_AGENT_AGENTX_SESSION_H
#define DCB_AGENT_AGENTX_SESSION_H

#include "agent/agentx_answer.h"

struct event_base;

struct agentx_session_config {
	const char *master;  /* AgentX address; NULL: DEFAULT_MASTER */
	unsigned ping_s;     /* seconds between pings, and between attempts to connect */
	unsigned reply_ms;   /* longest wait for a Response of the master, ms */
	uint8_t request_s;   /* longest that the master has to wait for ours, seconds */
	const char *control; /* dcbd's control socket, to read events; NULL: no notifications */
	const char *view;    /* its view socket: without both, dcbd has ended */
};

/*
 * Connects to the master, or retries every ping_s seconds until a master
 * answers. There is one session per process. The objects and base have to exist
 * until agentx_session_stop(). false: the log says why.
 */
bool agentx_session_start(const struct agentx_session_config *config,
			  const struct agentx_objects *objects, struct event_base *base);
/* Closes the session. */
void agentx_session_stop(void);

#endif
