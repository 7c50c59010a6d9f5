/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to the module of snmpd that wait for dcbd, while snmpd serves others.
 *
 * A handler waits for dcbd for one slice of mo_client_share(), in which dcbd
 * answers unless it is stopped or the machine is busy. After that the request is
 * delegated, and answered when the reply has come. Further requests whose rows
 * are not in the cache wait behind it. If no reply comes within the time limit,
 * dcbd is silent: requests fail with genErr, at once, until it answers.
 *
 * snmpd processes no request while a SET waits for delegated requests. Therefore
 * the time limit is shorter when a SET has arrived. A SET is not delegated: snmpd
 * would process nothing else meanwhile.
 */
#ifndef DCB_AGENT_DLMOD_WAIT_H
#define DCB_AGENT_DLMOD_WAIT_H

#include "agent/agentx_stock.h"

/*
 * The handler for agentx_stock_register(). Begins with the state of stock, whose
 * cache reads with reader, and whose transaction uses writer.
 */
Netsnmp_Node_Handler dlmod_wait_handler;
void dlmod_wait_start(struct agentx_stock *stock, struct mib_cache *cache, struct mo_client *reader,
		      struct mo_client *writer);

/* dcbd has not answered reads within the time limit, nor since. */
bool dlmod_wait_is_silent(void);

/*
 * Answers all requests that wait, with genErr. To be called before the
 * registrations are removed.
 */
void dlmod_wait_stop(void);

#endif
