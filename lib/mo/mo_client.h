/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking client of dcbd's control socket. Every call has a time limit except
 * mo_client_event(). A client belongs to one thread.
 *
 * After any error but MO_CLIENT_REFUSED and MO_CLIENT_TIMEOUT the connection is closed, and
 * the next mo_client_read(), _test() or _subscribe() connects again: a restart of dcbd
 * needs no action of the caller. After MO_CLIENT_TIMEOUT calls fail with it at once, until
 * the late reply is there; only a COMMIT or UNDO without reply closes the connection, so
 * that dcbd undoes the transaction. mo_client_read() and _test() also repeat a request
 * that dcbd has not handled because it had closed an idle connection. The
 * transactions of a closed connection are over: dcbd forgets them.
 */
#ifndef DCB_LIB_MO_MO_CLIENT_H
#define DCB_LIB_MO_MO_CLIENT_H

#include "lib/mo/mo_page.h"

struct mo_client;

enum mo_client_status {
	MO_CLIENT_OK = 0,
	MO_CLIENT_REFUSED,     /* dcbd answered with an enum mo_error */
	MO_CLIENT_UNREACHABLE, /* no connection to dcbd, or it was lost */
	MO_CLIENT_TIMEOUT,     /* no reply within timeout_ms, or not yet */
	MO_CLIENT_PROTOCOL,    /* malformed or unexpected reply, or request too long */
};

/*
 * Returns a client that is not connected yet; NULL if out of memory or if the path is too
 * long for a unix socket. timeout_ms: limit for each message sent or received.
 */
struct mo_client *mo_client_new(const char *socket_path, unsigned timeout_ms);
/*
 * Sets another limit for COMMIT and UNDO, which dcbd answers when they are on disk; reads
 * are answered meanwhile.
 */
void mo_client_commit_within(struct mo_client *c, unsigned ms);
/*
 * Names dcbd's view socket, for a client that only reads: it connects to this socket, which
 * dcbd also serves while its control thread is busy, and to the first only if that fails.
 * Returns false if the path is too long.
 */
bool mo_client_use_view(struct mo_client *c, const char *socket_path);
/*
 * For a process that has other work while dcbd is silent. Connecting does not wait. For replies
 * all calls together, until the next mo_client_wait_slices(), wait for this number of slices of
 * MO_SLICE_MS (0: not at all), instead of timeout_ms each. A slice is as long as the kernel lets
 * this process wait, so that a busy machine has as many chances as an idle one. Without alive()
 * the time of replies counts too, rounded to slices. Only COMMIT and UNDO wait longer, within the
 * limit of mo_client_commit_within(), as long as alive() returns true, which is called whenever
 * half of the slices are used up. NULL: no longer than others.
 *
 * After MO_CLIENT_TIMEOUT with mo_client_late_fd() >= 0, mo_client_read() with the same table,
 * flags and index takes the late reply; with others it discards that reply.
 */
void mo_client_wait_slices(struct mo_client *c, unsigned slices, bool (*alive)(void));
#define MO_SLICE_MS 5
/* Returns the descriptor that becomes readable with the late reply; -1: there is none to come. */
int mo_client_late_fd(const struct mo_client *c);
/* Discards the late reply, if there is one. MO_CLIENT_TIMEOUT: it has not come yet. */
enum mo_client_status mo_client_discard_late(struct mo_client *c);
/* Returns how many slices were used up since mo_client_new(), but those given back by alive(). */
unsigned mo_client_slices(const struct mo_client *c);
/* Closes the connection. c may be NULL. */
void mo_client_free(struct mo_client *c);
/* Returns the error text of the last call that failed. */
const char *mo_client_strerror(const struct mo_client *c);
/*
 * Returns the errno of connect() if the last call failed because no socket could be connected
 * to; else 0.
 */
int mo_client_connect_error(const struct mo_client *c);
/* Returns the path of the socket last connected to. */
const char *mo_client_path(const struct mo_client *c);
/* Returns dcbd's reason for refusing the last transaction; "" if it gave none. */
const char *mo_client_reason(const struct mo_client *c);
/* Returns the boot id of the dcbd last connected to: another at each start. 0: none yet. */
uint32_t mo_client_boot_id(const struct mo_client *c);

/*
 * Reads up to max_rows rows into page, which is all zeros or from an earlier read. flags
 * (MO_READ_*) say where to start relative to index. If there are no rows, returns
 * MO_CLIENT_OK with n_rows 0.
 */
enum mo_client_status mo_client_read(struct mo_client *c, enum mo_table_id table, unsigned flags,
				     const struct mo_index *index, unsigned max_rows,
				     struct mo_page *page);
/*
 * A transaction: TEST, then COMMIT, UNDO and CLEANUP as in the phases of an AgentX Set
 * (RFC 2741). On MO_CLIENT_REFUSED *error says why, and *varbind is the number of
 * the variable binding, from 1; 0 if the error is about none of them. The caller chooses
 * txid, one for each transaction in progress; TEST with a txid in use replaces that
 * transaction.
 */
enum mo_client_status mo_client_test(struct mo_client *c, uint32_t txid,
				     const struct mo_varbind *vbs, unsigned n, enum mo_error *error,
				     unsigned *varbind);
/*
 * Tries again every ms, up to timeout_ms times (a shared client: for timeout_ms), while dcbd
 * answers genErr: another client's transaction is between COMMIT and CLEANUP.
 */
enum mo_client_status mo_client_commit(struct mo_client *c, uint32_t txid, enum mo_error *error,
				       unsigned *varbind);
/* Restores the values that the objects had before COMMIT. */
enum mo_client_status mo_client_undo(struct mo_client *c, uint32_t txid, enum mo_error *error);
/* Ends the transaction. If there was no COMMIT, nothing changes. */
enum mo_client_status mo_client_cleanup(struct mo_client *c, uint32_t txid);

/*
 * Subscribes to events: those after number "seen" and all new ones. Subscribes to
 * new ones only if seen is 0, or if dcbd was restarted since the client last
 * connected. After this, call nothing but mo_client_event().
 */
enum mo_client_status mo_client_subscribe(struct mo_client *c, uint64_t seen);
/* Waits for the next event, without a time limit. */
enum mo_client_status mo_client_event(struct mo_client *c, struct mo_event *ev);

#endif
