/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to the module of snmpd that wait for dcbd, while snmpd serves others.
 *
 * A handler waits for dcbd for one slice of mo_client_wait_slices(), in which dcbd
 * answers unless it is stopped or the machine is busy. After that the request is
 * delegated, and answered when the reply has come. Further requests whose rows
 * are not in the cache wait behind it. If no reply comes within the time limit,
 * dcbd is silent: requests fail with genErr, at once, until it answers.
 *
 * snmpd processes no request while a SET waits for delegated requests. Therefore
 * the time limit is shorter when a SET has arrived. A SET is not delegated: snmpd
 * would process nothing else meanwhile. It waits for dcbd for a few slices in all
 * its phases together, and longer only for the disk: while dcbd writes to it, it
 * answers other requests.
 */
#ifndef DCB_AGENT_DLMOD_WAIT_H
#define DCB_AGENT_DLMOD_WAIT_H

#include "agent/stock.h"

struct dlmod_clients {
	struct mo_client *reader, *writer; /* of the cache, of the transactions */
	struct mo_client *probe;           /* asks on the control socket whether dcbd is alive */
};

/*
 * The handler for stock_register(). A SET of its objects that also unloads a module of snmpd
 * is refused with inconsistentValue, and changes nothing.
 */
Netsnmp_Node_Handler dlmod_wait_handler;
/*
 * Begins. stock, cache and clients have to exist until dlmod_wait_stop(). A read
 * waits for timeout_ms at most; the other limits are in proportion to it.
 */
void dlmod_wait_start(struct stock *stock, struct mib_cache *cache,
		      const struct dlmod_clients *clients, unsigned timeout_ms);

/*
 * Answers all requests that wait, with genErr. To be called before the
 * registrations are removed.
 */
void dlmod_wait_stop(void);

#endif
