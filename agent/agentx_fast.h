/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fast read path: answers Get and GetNext PDUs as soon as they are read from
 * the master's socket, without Net-SNMP's library.
 *
 * The library needs ten system calls per request, because it sends every request
 * through a pipe to itself. The fast read path needs three, and two within a
 * GETBULK. It replaces the receive function of the library's transport. It looks
 * at each AgentX PDU, answers Get and GetNext, and hands the octets of all other
 * PDUs to the library in the order of arrival. The library still opens and closes
 * sessions, registers, pings and processes SETs.
 *
 *   socket -> buffer -+-> Get, GetNext -> agentx_answer() -> socket
 *                     '-> other or malformed PDU -> library
 *
 * A master turns a GETBULK into GetNexts. It sends each one when it has the
 * Response to the one before. There are two ways to wait for the next GetNext:
 *
 * - asleep, in recv(): leaves the CPU to other processes, but the kernel has to
 *   wake this process for each GetNext, which is the largest part of the cost;
 * - awake, polling with sched_yield(): halves the time per GetNext where master
 *   and subagent run on two CPUs, and delays the master where they share one CPU
 *   or other processes need it.
 *
 * A process bound to one CPU always waits asleep. Otherwise both ways are measured
 * and the one with the shorter mean wait is used: see choose_way().
 *
 * All functions are called by the only thread of dcb-agentx.
 */
#ifndef DCB_AGENT_AGENTX_FAST_H
#define DCB_AGENT_AGENTX_FAST_H

#include "agent/mib.h"

#define AGENTX_FAST_SPIN_US 60 /* longest wait awake, microseconds */
/*
 * Longest wait asleep, milliseconds; then the event loop goes on. Only the end
 * of a GETBULK takes that long. With less than a kernel tick, the kernel would
 * set a hardware timer before every sleep; measurements showed twice the cost
 * per varbind.
 */
#define AGENTX_FAST_SLEEP_MS 20
#define AGENTX_FAST_TRY      32   /* one GETBULK in this many uses the other way to wait */
#define AGENTX_FAST_SEND_MS  1000 /* longest wait for the master to read a Response */

struct netsnmp_transport_s;

/*
 * Sets the objects to read. There is one fast read path per process: the
 * library's receive function has no argument for a context pointer. mib has to
 * exist until agentx_fast_detach().
 */
void agentx_fast_init(struct mib *mib);

/* Replaces the receive function of transport, over which a session has been opened. */
void agentx_fast_attach(struct netsnmp_transport_s *transport);
void agentx_fast_detach(void);

/* Returns the file descriptor of the attached transport, -1 if none is attached. */
int agentx_fast_fd(void);

/*
 * Reads the socket, which is readable, and answers the Get and GetNext PDUs.
 * Returns false if the library has to read too: another PDU has arrived, or the
 * connection has ended.
 */
bool agentx_fast_serve(void);

/*
 * Returns whether the library has to read although select() does not report the
 * socket: the buffer holds octets for it, or the connection has ended.
 */
bool agentx_fast_has_pending(void);

#endif
