/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A SET request with any number of varbinds, tables and registrations, as one
 * transaction of dcbd.
 *
 * A master sends the phases of a SET (RFC 2741, 7.2.4): TestSet, then CommitSet
 * and CleanupSet, or CommitSet and UndoSet. After a TestSet that failed, in this
 * subagent or another, it sends CleanupSet only. In the module of snmpd, Net-SNMP's
 * library calls the handler in each phase once for every registration that has
 * varbinds in the request, and splits TestSet into two rounds. So several calls
 * belong to one step of dcbd:
 *
 *   add     first round of TestSet, each varbind: checks against the descriptors
 *   test    second round: sends all varbinds together to dcbd
 *   commit, undo, end
 *
 * In each step the first call does the work and the others return its result.
 * All calls take the master's transaction identifier. A master that timed out
 * repeats its TestSet: a varbind number added twice restarts the transaction.
 * A new identifier ends an unfinished transaction: it is undone if it was
 * committed, because the master has reported an error to the manager. When the
 * session is lost, a committed transaction is kept instead, because the master
 * may have reported success.
 */
#ifndef DCB_AGENT_MIB_TXN_H
#define DCB_AGENT_MIB_TXN_H

#include "agent/mib.h"
#include "agent/mib_cache.h"

struct mib_txn;

/*
 * mib, cache and client have to exist until mib_txn_free(); the caller frees
 * them. NULL: out of memory.
 */
struct mib_txn *mib_txn_new(struct mib *mib, struct mib_cache *cache, struct mo_client *client);
void mib_txn_free(struct mib_txn *txn);

/*
 * Begins a transaction without varbinds, whatever the one before it was: for a caller that has
 * whole TestSets. mib_txn_add() begins one where a number tells that it is another.
 */
void mib_txn_begin(struct mib_txn *txn, uint32_t id);

/*
 * Adds the varbind with this number (its position in the request, from 1):
 * value is to be set at oid. value->syntax is any syntax with the ASN.1 type
 * that was received. value NULL: a type that no object has. Returns MO_NO_ERROR
 * or the error of this varbind (RFC 3416, 4.2.5).
 */
enum mo_error mib_txn_add(struct mib_txn *txn, uint32_t id, unsigned number,
			  const struct mib_oid *oid, const struct mo_value *value);

/*
 * The steps after TestSet's first round. Each returns the result for the whole
 * transaction and sets *number to the varbind that the error is about, 0 for
 * none in particular.
 */
enum mo_error mib_txn_test(struct mib_txn *txn, uint32_t id, unsigned *number);
enum mo_error mib_txn_commit(struct mib_txn *txn, uint32_t id, unsigned *number);
enum mo_error mib_txn_undo(struct mib_txn *txn, uint32_t id);
/* CleanupSet: keeps a committed transaction, discards one that was only tested. */
void mib_txn_end(struct mib_txn *txn, uint32_t id);

/*
 * Ends the transaction when the session is lost: as mib_txn_end(), and logs a
 * commit that is kept.
 */
void mib_txn_session_lost(struct mib_txn *txn);

#endif
