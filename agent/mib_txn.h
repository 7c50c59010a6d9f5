/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A SET request over any number of varbinds, tables and registrations, as one
 * transaction of dcbd.
 *
 * A master speaks in phases (RFC 2741, 7.2.4): TestSet, then CommitSet and
 * CleanupSet, or UndoSet; or CleanupSet alone when somebody's TestSet failed.
 * Net-SNMP's library hands each phase to every registration that has varbinds
 * in it, TestSet in two rounds, so what is one step for dcbd arrives in several
 * calls here:
 *
 *   add     first round of TestSet, each varbind: what the descriptors tell
 *   test    second round: all varbinds together go to dcbd
 *   commit, undo, end
 *
 * Of each step the first call does the work, the others get its result again.
 * All take the master's transaction identifier. A master that lost patience
 * repeats its TestSet: the first varbind seen twice starts the transaction
 * anew. Another identifier ends what is left unfinished, and what was committed
 * without a clean-up is undone: the manager was told that it failed. When the
 * session is lost it stays instead: the manager may have been told that it
 * succeeded.
 */
#ifndef DCB_AGENT_MIB_TXN_H
#define DCB_AGENT_MIB_TXN_H

#include "agent/mib.h"
#include "agent/mib_cache.h"

struct mib_txn;

/* Uses mib, cache and client, owns none. NULL: out of memory. */
struct mib_txn *mib_txn_new(struct mib *mib, struct mib_cache *cache, struct mo_client *client);
void mib_txn_free(struct mib_txn *txn);

/*
 * Varbind number (its place in the request, from 1) wants value at oid. value's
 * syntax is any of the ASN.1 type received; NULL: a type no object here has.
 */
enum mo_error mib_txn_add(struct mib_txn *txn, int64_t now_ms, uint32_t id, unsigned number,
			  const struct mib_oid *oid, const struct mo_value *value);

/*
 * Results of the steps: the error and in *number the varbind it is about, 0
 * for none in particular.
 */
enum mo_error mib_txn_test(struct mib_txn *txn, int64_t now_ms, uint32_t id, unsigned *number);
enum mo_error mib_txn_commit(struct mib_txn *txn, int64_t now_ms, uint32_t id, unsigned *number);
enum mo_error mib_txn_undo(struct mib_txn *txn, int64_t now_ms, uint32_t id);
/* CleanupSet: keeps what was committed, drops what was only tested. */
void mib_txn_end(struct mib_txn *txn, int64_t now_ms, uint32_t id);

/* Keeps what was committed, drops what was only tested. */
void mib_txn_session_lost(struct mib_txn *txn, int64_t now_ms);

#endif
