/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The managed-object service: control protocol messages in, answers out. It
 * knows nothing of sockets; dcb-agentx and dcbctl reach it through ctl_server.
 *
 * A transaction is its list of varbinds. TEST tries them on a copy of the
 * configuration, and asks the ports' providers. COMMIT does so again on the
 * configuration of that moment, writes the state file and only then puts the
 * result in force; if a provider fails then, the state file and the other
 * providers go back, and where they cannot, UNDO is the next attempt. UNDO goes
 * back to what COMMIT replaced, CLEANUP forgets. A session that ends before CLEANUP
 * leaves what it has committed in force (its manager may have been told) and
 * loses what it has only tested.
 */
#ifndef DCB_CONTROL_MO_SERVICE_H
#define DCB_CONTROL_MO_SERVICE_H

#include "lib/mo/mo_msg.h"
#include "control/managed/managed.h"

struct mo_service;
struct mo_session;

/* state_file NULL: nothing is kept. NULL: out of memory. */
struct mo_service *mo_service_new(struct managed *m, const char *state_file, uint32_t boot_id);
void mo_service_free(struct mo_service *s);

struct mo_session *mo_session_new(struct mo_service *s);
void mo_session_free(struct mo_session *session);

/* Answer one request; a reply of no octets is not sent. false: not a request; the sender does not
 * speak our protocol. */
bool mo_service_handle(struct mo_session *session, const uint8_t *request, size_t len,
		       struct octets_out *reply);

/*
 * The last answer did not reach the client: if it said that a transaction was
 * committed, nobody will ever hear so, and the transaction is undone.
 */
void mo_session_unheard(struct mo_session *session);

/*
 * A session that has asked for events: the next one to send it, encoded, and
 * that it has been sent. NULL: none, or not a subscriber. Good until the next
 * call of anything.
 */
const uint8_t *mo_session_event(struct mo_session *session, size_t *len);
void mo_session_event_sent(struct mo_session *session);
/* Where it is learned that there are new ones. */
struct events *mo_service_events(struct mo_service *s);

/* Write the state file now, outside any transaction. false: failed and logged. */
bool mo_service_save(struct mo_service *s);

#endif
