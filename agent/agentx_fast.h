/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fast way in: Get and GetNext answered where the master's octets arrive.
 *
 * The library takes ten system calls to a request, because it sends every one
 * through a pipe to itself; here it is three, and two within a GETBULK. What sits between the
 * socket and the library is the transport's receive function: it looks at each AgentX PDU, answers
 * Get and GetNext on the spot and gives the octets of all others to the library, in order, as if it
 * had received them itself. So the library still opens and closes sessions, registers, pings and
 * sets.
 *
 *   socket -> buffer -+-> Get, GetNext -> agentx_answer() -> socket
 *                     '-> anything else, anything odd -> library
 *
 * Within a GETBULK the master sends the next GetNext as soon as it has the
 * answer to the last. With master and subagent on two CPUs, falling asleep and
 * being woken for each is the most expensive thing there is, and staying awake,
 * yielding to whoever wants the CPU, halves the time; on one CPU, or with others
 * who want it, staying awake keeps the master from going on. A process bound to
 * one CPU always sleeps; else nobody knows beforehand, so both ways are tried and
 * the shorter wait wins: see choose_way().
 */
#ifndef DCB_AGENT_AGENTX_FAST_H
#define DCB_AGENT_AGENTX_FAST_H

#include "agent/mib.h"

#define AGENTX_FAST_SPIN_US 60 /* awake at most so long */
/*
 * Asleep at most so long, before the event loop goes on; only the end of a
 * GETBULK takes it. Were it less than the kernel's tick, a hardware timer would
 * be set before every sleep, which was measured to double the cost of a varbind.
 */
#define AGENTX_FAST_SLEEP_MS 20
#define AGENTX_FAST_TRY      32   /* one GETBULK in so many tries the other way to wait */
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
