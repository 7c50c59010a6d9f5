/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers one subtree per MIB module with the master. A module is served when
 * the master's Responses have accepted its registration in this session, not
 * before.
 *
 *   offered -- accepted --> the next node, after the last one: accepted
 *      | no Response in time: offered again, at most AGENTX_OFFERS times, then
 *      |                      the session is to be closed
 *      '-- refused --> waits 1 s, then 2 s, 4 s, at most 60 s; offered again
 *
 * A Response that is late makes the next offer meet the registration of the one
 * before: the master refuses it as a duplicate. It is accepted by its own
 * Response. If that one is missing although a later one has come, it is lost:
 * the registration is removed and offered again; if there is none to remove, it
 * belongs to another subagent. Nothing is removed in any other case, because
 * Net-SNMP's master removes a registration whichever subagent asks. Without a
 * missing Response, a duplicate belongs to another subagent or to our last
 * session, which the master removes when it reads its end; so it is offered
 * AGENTX_OFFERS times before it counts as refused.
 *
 * An optional module may belong to another subagent. If another subagent has
 * registered any part of it, dcb-agentx unregisters all of it. A master refuses
 * a registration only if the very same node is registered already. Therefore
 * dcb-agentx also registers the nodes below the subtree and the node above it:
 * mib_claims().
 *
 * Time is an argument: milliseconds of a monotonic clock. There is one session per
 * process, and all functions are called by its only thread.
 */
#ifndef DCB_AGENT_AGENTX_REGISTER_H
#define DCB_AGENT_AGENTX_REGISTER_H

#include "agent/agentx_pdu.h"
#include "agent/mib.h"

#define AGENTX_OFFERS 3

/*
 * Sends a registration, or the removal of one (type AGENTX_REGISTER or
 * AGENTX_UNREGISTER). Returns the packet identifier, which is not 0.
 */
typedef uint32_t (*agentx_register_send_fn)(enum agentx_type type, const struct mib_oid *node);

/*
 * Prepares the registration of all modules of mib, which has to exist as long as
 * the other functions are called. offer_ms: the longest wait for a Response.
 */
void agentx_register_init(struct mib *mib, unsigned offer_ms, agentx_register_send_fn send);

/* A session has begun: sends all registrations. */
void agentx_register_begin(int64_t now_ms);
/* The session has ended: nothing is registered any more. */
void agentx_register_end(void);

/* Takes the master's Response to packet; one to an unknown packet has no effect. */
void agentx_register_response(int64_t now_ms, uint32_t packet, unsigned error);

/*
 * Sends the messages whose time has come. Returns the time of the next call,
 * INT64_MAX if there is none, or -1 if the session is to be closed: the master has not responded,
 * or does not know the session.
 */
int64_t agentx_register_run(int64_t now_ms);

/* Whether the master has accepted or refused every module. */
bool agentx_register_is_settled(void);

#endif
