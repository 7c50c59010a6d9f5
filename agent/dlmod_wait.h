/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to the module of snmpd that wait for dcbd, while snmpd serves others. snmpd has one
 * thread for all requests, so the module may hold it up for milliseconds only.
 *
 * A reply of dcbd usually comes within 50 us: a handler waits for it in the call for one slice
 * of mo_client_wait_slices(), 5 ms, because a delegated request costs snmpd another turn of its
 * event loop. After that the request is delegated: the connection is a descriptor of snmpd's
 * loop, and the late reply is taken by the same READ, so that none is discarded. Further
 * requests whose rows are not in the cache wait behind it. All reads together wait in the call
 * for 20 of 100 ms; the time of replies counts as well, so that a slow dcbd does not hold snmpd
 * up either. A request ends with genErr 400 ms after its arrival; if no reply has come in this
 * time, dcbd is silent: requests fail with genErr, at once, until it answers. Requests of snmpd
 * to itself are not delegated: snmpd waits for them outside of its loop.
 *
 * snmpd queues all other requests while a SET is in progress, and begins it only when no request
 * is delegated: those that wait give way to it after 20 ms. Therefore a SET is not delegated.
 * All its phases together wait for 50 ms, and longer only for the disk: while dcbd writes to it,
 * it answers a request on another connection, which a dcbd that is stopped does not.
 *
 * Slices are time that the process has waited: on a busy machine they are as long as snmpd's own
 * turns.
 */
#ifndef DCB_AGENT_DLMOD_WAIT_H
#define DCB_AGENT_DLMOD_WAIT_H

#include "agent/dlmod_handler.h"

struct dlmod_clients {
	struct mo_client *reader, *writer; /* of the cache, of the transactions */
	struct mo_client *probe;           /* asks on the control socket whether dcbd is alive */
};

/*
 * The handler for dlmod_register(). A SET of its objects that also unloads a module of snmpd
 * is refused with inconsistentValue, and changes nothing.
 */
Netsnmp_Node_Handler dlmod_wait_handler;
/*
 * Begins. objects, cache and clients have to exist until dlmod_wait_stop(). A read
 * waits for timeout_ms at most; the other limits are in proportion to it.
 */
void dlmod_wait_start(struct dlmod_objects *objects, struct mib_cache *cache,
		      const struct dlmod_clients *clients, unsigned timeout_ms);

/*
 * Answers all requests that wait, with genErr. To be called before the
 * registrations are removed.
 */
void dlmod_wait_stop(void);

#endif
