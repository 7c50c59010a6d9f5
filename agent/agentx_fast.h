/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fast way in: Get and GetNext answered where the master's octets arrive.
 *
 * The library takes ten system calls to a request, because it sends every one
 * through a pipe to itself; here it is three. What sits between the socket and
 * the library is the transport's receive function: it looks at each AgentX PDU,
 * answers Get and GetNext on the spot and gives the octets of all others to the
 * library, in order, as if it had received them itself. So the library still
 * opens and closes sessions, registers, pings and sets.
 *
 *   socket -> buffer -+-> Get, GetNext -> agentx_answer() -> socket
 *                     '-> anything else, anything odd -> library
 *
 * Within a GETBULK the master sends the next GetNext as soon as it has the
 * answer to the last. Sleeping for that is the most expensive thing to do: the
 * wake-up, on another CPU as like as not, costs more than all the rest. So
 * after a GetNext of the same transaction as the one before, the reader stays
 * awake for AGENTX_FAST_SPIN_US, yielding the CPU to whoever wants it; unless it
 * has but one, where the master would be the one who waits.
 */
#ifndef DCB_AGENT_AGENTX_FAST_H
#define DCB_AGENT_AGENTX_FAST_H

#include "agent/mib.h"

#define AGENTX_FAST_SPIN_US 60
/*
 * The same where there is one CPU, asleep. Only a GETBULK's end waits so long:
 * were it less than the kernel's tick, a hardware timer would be set before
 * every sleep, which was measured to double the cost of a varbind.
 */
#define AGENTX_FAST_SLEEP_MS 20
#define AGENTX_FAST_SEND_MS  1000 /* a master that takes no answer for so long is given up */

struct netsnmp_transport_s;

/* There is one of these: the library's hook has nowhere to keep a pointer. */
void agentx_fast_init(struct mib *mib);

/* A session was opened over transport: come between. */
void agentx_fast_attach(struct netsnmp_transport_s *transport);
void agentx_fast_detach(void);

/* The socket to serve; -1: not attached. */
int agentx_fast_fd(void);

/*
 * The socket is readable: answer what can be answered. false: there is
 * something for the library to read.
 */
bool agentx_fast_serve(void);

/* Are there octets for the library that select() cannot see? */
bool agentx_fast_has_pending(void);

#endif
