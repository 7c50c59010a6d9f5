/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Net-SNMP's agent library: processes SETs, and all requests that the fast read
 * path does not answer. The session with the master is not the library's:
 * agentx_session.h.
 */
#ifndef DCB_AGENT_AGENTX_LIBRARY_H
#define DCB_AGENT_AGENTX_LIBRARY_H

#include "agent/stock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Starts the library with a handler for each module of stock->mib. stock has to
 * exist until agentx_library_stop(). send gets each Response, a whole PDU. false:
 * the log says why.
 */
bool agentx_library_start(struct stock *stock, void (*send)(const uint8_t *octets, size_t len));
void agentx_library_stop(void);

/* Processes a request, a whole PDU, and sends the Response before it returns. */
void agentx_library_request(const uint8_t *pdu, size_t len);

#endif
