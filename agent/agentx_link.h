/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The connection to the master: splits the octets into PDUs, answers requests as soon as
 * they are read, and hands over Responses.
 *
 *   socket -> buffer -+-> request -> agentx_answer() -> socket
 *                     +-> Response -> response()
 *                     '-> longer than AGENTX_PDU_MAX -> tooBig -> socket
 *
 * A request takes three system calls, and two within a GETBULK. Net-SNMP's library would need
 * ten, because it sends every request through a pipe to itself.
 *
 * A PDU takes no memory beyond the buffer. The octets of a longer one are dropped
 * as they arrive, and a request is answered with tooBig as soon as its header is
 * read: Net-SNMP's master neither sends nor accepts a Response of that length,
 * and closes the session if it gets none. No master sends a PDU longer than
 * AGENTX_LINK_SKIP_MAX, so the octets are no AgentX: the connection ends.
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
 * There is one connection per process. All functions are called by the only
 * thread of dcb-agentx.
 */
#ifndef DCB_AGENT_AGENTX_LINK_H
#define DCB_AGENT_AGENTX_LINK_H

#include "agent/agentx_answer.h"

#define AGENTX_LINK_SPIN_US 60 /* longest wait awake, microseconds */
/*
 * Longest wait asleep, milliseconds; then the event loop goes on. Only the end
 * of a GETBULK takes that long. With less than a kernel tick, the kernel would
 * set a hardware timer before every sleep; measurements showed twice the cost
 * per varbind.
 */
#define AGENTX_LINK_SLEEP_MS 20
#define AGENTX_LINK_TRY      32          /* one GETBULK in this many uses the other way to wait */
#define AGENTX_LINK_SEND_MS  1000        /* longest wait for the master to read a Response */
#define AGENTX_LINK_SKIP_MAX (16u << 20) /* octets of the longest payload that is dropped */

struct agentx_link_config {
	struct agentx_objects objects; /* have to exist until agentx_link_detach() */
	/* Takes a Response. */
	void (*response)(const struct agentx_header *h, const uint8_t *payload);
};

void agentx_link_init(const struct agentx_link_config *config);

/*
 * Begins to use fd, a connected stream socket in blocking mode; agentx_link_detach()
 * closes it.
 */
void agentx_link_attach(int fd);
void agentx_link_detach(void);

/*
 * A PDU of another session ends the connection from now on: the master, or the
 * octets, are out of step.
 */
void agentx_link_expect(uint32_t session);

/*
 * Reads the socket, without waiting for the first octet, and handles the PDUs.
 * false: the connection has ended or is useless, agentx_link_error() says why.
 */
bool agentx_link_serve(void);

/*
 * Sends a whole PDU. Waits at most AGENTX_LINK_SEND_MS for the master to read. On
 * an error agentx_link_serve() returns false next.
 */
void agentx_link_send(const uint8_t *octets, size_t len);

/* Makes agentx_link_serve() return false: why is a constant text. */
void agentx_link_fail(const char *why);
const char *agentx_link_error(void);

/* Returns the number of whole PDUs received since agentx_link_attach(). */
unsigned agentx_link_received(void);

#endif
