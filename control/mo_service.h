/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The managed-object service: handles requests of the control protocol. It uses no
 * sockets; ctl_server connects it to dcb-agentx and dcbctl. Control thread only, except the
 * functions of sessions that may not set: those of one session belong to one thread, which can
 * be another one. They take the lock of the managed state (state_lock.h).
 *
 * A transaction is a list of varbinds:
 *
 *   TEST     applies them to a copy of the configuration and asks the ports' providers
 *   COMMIT   repeats TEST if the configuration has changed, writes the state file, then
 *            puts the result in force: no reader sees a value that is not on disk. If a
 *            provider fails to commit, the former state file and the former configuration
 *            of the other providers are restored; if that fails too, the error is
 *            undoFailed, and UNDO tries again.
 *   UNDO     restores the configuration that COMMIT replaced
 *   CLEANUP  ends the transaction
 *
 * A session that ends before CLEANUP leaves a committed transaction in force, because
 * its manager may have received the response. A transaction that was only tested is
 * dropped. A session that is silent between COMMIT and CLEANUP blocks the others until
 * mo_service_overdue(); after that the next COMMIT of another session ends its transaction
 * in the same way, and its UNDO fails.
 *
 * The state file is written by a thread of its own, if there is one. Then COMMIT and UNDO are
 * answered later, reads and TEST meanwhile as always; another COMMIT waits for its turn. A
 * session that ends while its COMMIT is written has got no reply: the SET is undone. One
 * whose COMMIT waits for its turn has changed nothing. In the same way a COMMIT or UNDO waits
 * until the providers have read back the values that they have put in force, at most
 * MANAGED_CONFIRM_MS; values not confirmed by then are undone, and the error is undoFailed.
 */
#ifndef DCB_CONTROL_MO_SERVICE_H
#define DCB_CONTROL_MO_SERVICE_H

#include "lib/mo/mo_msg.h"
#include "control/managed/managed.h"

struct event_base;
struct mo_service;
struct mo_session;

/*
 * Creates the service. state_file: the path, or NULL to save no settings; boot_id:
 * identifies this run of dcbd to clients. Returns NULL if out of memory.
 */
struct mo_service *mo_service_new(struct managed *m, const char *state_file, uint32_t boot_id);
/*
 * Gives the service the values that dcbd.conf has for objects, for MO_READ_ORIGIN. It owns them
 * from here on. Before the view thread starts. false: origins is NULL.
 */
struct mo_origins;
bool mo_service_use_origins(struct mo_service *s, struct mo_origins *origins);
/*
 * Writes the state file in a thread from now on, whose results base's event loop takes.
 * Without it, the caller of a function here waits for the disk. false: errno.
 */
bool mo_service_use_thread(struct mo_service *s, struct event_base *base);
/*
 * Reports that a provider's outcome() may have changed: continues the COMMIT or UNDO that waits for
 * it, or logs that settings which no client waits for are not in force.
 */
void mo_service_outcome(struct mo_service *s);
/*
 * Before dcbd ends: begins no further COMMIT, and waits until what has begun is on disk and
 * answered. s may be NULL.
 */
void mo_service_finish(struct mo_service *s);
/*
 * At an orderly end of dcbd: the same, and writes the delays that ports have measured, which no SET
 * has written. Only to the file that the service was created with or has written last: without a
 * file the next start has the initial settings, and a file that the operator has put there is for
 * it. Waits for the disk; logs an error. s may be NULL.
 */
void mo_service_save_measured(struct mo_service *s);
/* As mo_service_finish(), and frees the service. All sessions were freed. s may be NULL. */
void mo_service_free(struct mo_service *s);

/* What a session may do besides reading and subscribing to events, as bits. */
enum mo_rights {
	MO_MAY_SET = 1,
	MO_MAY_NOTIFY = 2, /* SUBSCRIBE as notifier, ACK */
	MO_MAY_ALL = MO_MAY_SET | MO_MAY_NOTIFY,
};

/* A session is one client of the service. rights: enum mo_rights. NULL: out of memory. */
struct mo_session *mo_session_new(struct mo_service *s, unsigned rights);
/*
 * Has later replies given to a function; mo_service_handle() was called before for the
 * request. len 0: there is no reply, the session waits no longer for what another session
 * has begun. The function must not free a session.
 */
typedef void (*mo_answer_fn)(void *ctx, const uint8_t *reply, size_t len);
void mo_session_listen(struct mo_session *session, mo_answer_fn answer, void *ctx);
/* Returns whether such a call will come. Until then the session takes no request. */
bool mo_session_is_waiting(const struct mo_session *session);

/* Ends the session as described above. A transaction that UNDO would retry is undone. */
void mo_session_free(struct mo_session *session);

/*
 * Handles one request and writes the reply; an empty reply is not to be sent: there is none,
 * or it comes later (mo_session_is_waiting()). Returns false if the request is malformed or
 * unknown: the reply then is CLOSE with the reason, and the caller closes the connection.
 */
bool mo_service_handle(struct mo_session *session, const uint8_t *request, size_t len,
		       struct octets_out *reply);

/*
 * Reports that the last reply was not sent to the client. A transaction that is
 * committed but not cleaned up is undone, because the manager has received no response.
 */
void mo_session_reply_lost(struct mo_session *session);

/* Returns whether the session's transaction is between COMMIT and CLEANUP or UNDO. */
bool mo_session_is_committed(const struct mo_session *session);
/* Reports that such a transaction has been there for as long as the others have to wait. */
void mo_service_overdue(struct mo_service *s);
/* Returns whether the session gets events. */
bool mo_session_is_subscribed(const struct mo_session *session);

/*
 * Returns the next encoded event of a session that sent SUBSCRIBE, and its length in
 * octets. NULL: no event waits, or the session did not subscribe. Valid until the next
 * call for this session.
 */
const uint8_t *mo_session_event(struct mo_session *session, size_t *len);
/* Reports that the event of mo_session_event() was sent. */
void mo_session_event_sent(struct mo_session *session);
/* Returns the events of the managed system, for events_listen(). */
struct events *mo_service_events(struct mo_service *s);

/*
 * Writes the state file outside a transaction, in its turn, and then calls saved: false: it
 * could not be written, and this is logged. Several calls before that can be one save.
 */
typedef void (*mo_saved_fn)(void *ctx, bool ok);
void mo_service_save(struct mo_service *s, mo_saved_fn saved, void *ctx);

#endif
