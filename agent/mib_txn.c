/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/mib_txn.h"

#include "lib/log.h"

#include <stdlib.h>

enum txn_phase {
	TXN_NONE,
	TXN_COLLECTING,
	TXN_TESTED,
	TXN_COMMITTED, /* COMMIT was sent to dcbd, with success or not */
	TXN_UNDONE,
};

struct mib_txn {
	struct mib *mib;
	struct mib_cache *cache;
	struct mo_client *client;
	uint32_t id;
	enum txn_phase phase;
	enum mo_error error; /* result of the phase; while collecting: of the first wrong varbind */
	unsigned error_number;
	struct mo_varbind *varbinds;
	unsigned *numbers; /* their positions in the request, ascending */
	unsigned n, size;
	bool is_down; /* the last call failed */
};

struct mib_txn *mib_txn_new(struct mib *mib, struct mib_cache *cache, struct mo_client *client)
{
	struct mib_txn *txn = calloc(1, sizeof(*txn));

	if (txn) {
		txn->mib = mib;
		txn->cache = cache;
		txn->client = client;
	}
	return txn;
}

void mib_txn_free(struct mib_txn *txn)
{
	if (!txn)
		return;
	free(txn->varbinds);
	free(txn->numbers);
	free(txn);
}

/* SETs have a connection of their own, which can fail while objects are read. */
static void note_status(struct mib_txn *txn, enum mo_client_status status)
{
	mib_note_status(&txn->is_down, txn->client, status);
}

static void txn_forget(struct mib_txn *txn)
{
	txn->phase = TXN_NONE;
	txn->n = 0;
}

/*
 * The session may end before the master's CleanupSet, when the master has already
 * reported success to the manager: a committed transaction is kept. Without a
 * report the manager expects either result.
 */
void mib_txn_session_lost(struct mib_txn *txn)
{
	if (txn->phase == TXN_COMMITTED && txn->error == MO_NO_ERROR)
		/*
		 * Message: The manager may have got an error although the values are set. Read the
		 * objects.
		 */
		log_info_limited("mo", "session lost during a SET: the committed values are kept");
	mib_txn_end(txn, txn->id);
}

/*
 * The master has given up this transaction, reported an error to the manager,
 * and begun another.
 */
static void txn_abandon(struct mib_txn *txn)
{
	enum mo_error error;

	if (txn->phase == TXN_TESTED) {
		note_status(txn, mo_client_cleanup(txn->client, txn->id));
	} else if (txn->phase == TXN_COMMITTED) {
		enum mo_client_status status = mo_client_undo(txn->client, txn->id, &error);

		note_status(txn, status);
		mib_cache_drop(txn->cache);
		if (status == MO_CLIENT_OK)
			/*
			 * Message: The manager got an error. Repeat the SET. If this is repeated,
			 * use a longer agentXTimeout.
			 */
			log_warn_limited("mo", "master did not finish a SET: values restored");
		else
			/* Message: as "undo of a SET failed: %s" */
			log_error_limited("mo", "master did not finish a SET, undo failed: %s",
					  mo_client_strerror(txn->client));
	}
	txn_forget(txn);
}

/* --- add -------------------------------------------------------------------- */

static bool txn_reserve(struct mib_txn *txn)
{
	unsigned size = txn->size ? 2 * txn->size : 16;
	struct mo_varbind *varbinds;
	unsigned *numbers;

	if (txn->n < txn->size)
		return true;
	varbinds = realloc(txn->varbinds, size * sizeof(*varbinds));
	if (!varbinds)
		return false;
	txn->varbinds = varbinds;
	numbers = realloc(txn->numbers, size * sizeof(*numbers));
	if (!numbers)
		return false;
	txn->numbers = numbers;
	txn->size = size;
	return true;
}

/* Returns the position of number in txn->numbers, or the position to insert it at. */
static unsigned txn_place(const struct mib_txn *txn, unsigned number)
{
	unsigned at = 0;

	while (at < txn->n && txn->numbers[at] < number)
		at++;
	return at;
}

/*
 * Inserts a varbind. Varbinds arrive grouped by registration. dcbd gets them in
 * the order of the request, so that of several errors it reports that of the
 * first varbind.
 */
static struct mo_varbind *txn_insert(struct mib_txn *txn, unsigned number)
{
	unsigned at = txn_place(txn, number);

	if (!txn_reserve(txn))
		return NULL;
	for (unsigned i = txn->n; i > at; i--) {
		txn->numbers[i] = txn->numbers[i - 1];
		txn->varbinds[i] = txn->varbinds[i - 1];
	}
	txn->n++;
	txn->numbers[at] = number;
	txn->varbinds[at] = (struct mo_varbind){0};
	return &txn->varbinds[at];
}

static bool txn_has(const struct mib_txn *txn, unsigned number)
{
	unsigned at = txn_place(txn, number);

	return at < txn->n && txn->numbers[at] == number;
}

/*
 * Checks in the order of RFC 3416, 4.2.5: the object exists and is writable,
 * the value is valid, the instance can exist. Fills in *vb.
 */
static enum mo_error txn_check(const struct mib_txn *txn, const struct mib_oid *oid,
			       const struct mo_value *value, struct mo_varbind *vb)
{
	const struct mo_table *table;
	const struct mo_column *col;
	enum mo_error error;

	if (!mib_resolve(txn->mib, oid, &table, &col, &vb->index) || !mo_is_writable(col))
		return MO_NOT_WRITABLE;
	if (!value)
		return MO_WRONG_TYPE;
	error = mo_validate(col, value);
	if (error != MO_NO_ERROR)
		return error;
	if (!mo_index_valid(table, &vb->index))
		return MO_NO_CREATION;
	vb->table = table->id;
	vb->subid = col->subid;
	vb->value = *value;
	vb->value.syntax = col->syntax;
	return MO_NO_ERROR;
}

void mib_txn_begin(struct mib_txn *txn, uint32_t id)
{
	txn_abandon(txn);
	txn->id = id;
	txn->phase = TXN_COLLECTING;
	txn->error = MO_NO_ERROR;
	txn->error_number = 0;
}

enum mo_error mib_txn_add(struct mib_txn *txn, uint32_t id, unsigned number,
			  const struct mib_oid *oid, const struct mo_value *value)
{
	struct mo_varbind *vb;
	enum mo_error error;

	if (txn->phase != TXN_COLLECTING || txn->id != id || txn_has(txn, number))
		mib_txn_begin(txn, id);
	vb = txn_insert(txn, number);
	error = vb ? txn_check(txn, oid, value, vb) : MO_RESOURCE_UNAVAILABLE;
	if (error != MO_NO_ERROR && txn->error == MO_NO_ERROR) {
		txn->error = error;
		txn->error_number = number;
	}
	return error;
}

/* --- steps of the transaction in dcbd ------------------------------------------- */

static enum mo_error txn_result(struct mib_txn *txn, enum txn_phase phase, enum mo_error error,
				unsigned varbind)
{
	txn->phase = phase;
	txn->error = error;
	txn->error_number = varbind >= 1 && varbind <= txn->n ? txn->numbers[varbind - 1] : 0;
	return error;
}

static bool txn_is(const struct mib_txn *txn, uint32_t id)
{
	return txn->phase != TXN_NONE && txn->id == id;
}

enum mo_error mib_txn_test(struct mib_txn *txn, uint32_t id, unsigned *number)
{
	enum mo_error error = MO_GEN_ERR;
	enum mo_client_status status;
	unsigned varbind = 0;

	*number = 0;
	if (!txn_is(txn, id))
		return MO_GEN_ERR;
	/* Not sent to dcbd if a varbind is known to be wrong. */
	if (txn->phase == TXN_COLLECTING && txn->error == MO_NO_ERROR) {
		status = mo_client_test(txn->client, id, txn->varbinds, txn->n, &error, &varbind);
		/*
		 * After a restart of dcbd the first use of the old connection
		 * fails: try again once.
		 */
		if (status == MO_CLIENT_UNREACHABLE)
			status = mo_client_test(txn->client, id, txn->varbinds, txn->n, &error,
						&varbind);
		note_status(txn, status);
		if (status == MO_CLIENT_OK)
			error = MO_NO_ERROR;
		txn_result(txn, TXN_TESTED, error, varbind);
	}
	*number = txn->error_number;
	return txn->error;
}

/*
 * After commitFailed the master sends UndoSet. If the connection to dcbd is
 * lost by then, dcbd undoes the commit by itself, because it could not deliver
 * the answer.
 */
enum mo_error mib_txn_commit(struct mib_txn *txn, uint32_t id, unsigned *number)
{
	enum mo_error error = MO_COMMIT_FAILED;
	enum mo_client_status status;
	unsigned varbind = 0;

	*number = 0;
	if (!txn_is(txn, id))
		return MO_COMMIT_FAILED;
	if (txn->phase == TXN_TESTED) {
		status = mo_client_commit(txn->client, id, &error, &varbind);
		note_status(txn, status);
		mib_cache_drop(txn->cache);
		txn_result(txn, TXN_COMMITTED,
			   status == MO_CLIENT_OK ? MO_NO_ERROR : MO_COMMIT_FAILED, varbind);
		if (txn->error)
			/*
			 * Message: dcbd(8) refused the values of a SET, or did not answer. If the
			 * text is commitFailed or resourceUnavailable, correct the cause that the
			 * log of dcbd(8) names. Then repeat the SET.
			 */
			log_warn_limited("mo", "commit of a SET failed: %s",
					 mo_client_strerror(txn->client));
	}
	*number = txn->error_number;
	return txn->error;
}

enum mo_error mib_txn_undo(struct mib_txn *txn, uint32_t id)
{
	enum mo_error error = MO_UNDO_FAILED;
	enum mo_client_status status;

	if (!txn_is(txn, id))
		return MO_UNDO_FAILED;
	if (txn->phase != TXN_UNDONE) {
		status = mo_client_undo(txn->client, id, &error);
		note_status(txn, status);
		mib_cache_drop(txn->cache);
		txn_result(txn, TXN_UNDONE, status == MO_CLIENT_OK ? MO_NO_ERROR : MO_UNDO_FAILED,
			   0);
		if (txn->error)
			/*
			 * Message: A SET failed and the former values could not be restored.
			 * Compare the objects with dcbctl(8), correct the cause that the log of
			 * dcbd(8) names, and set the objects again.
			 */
			log_error_limited("mo", "undo of a SET failed: %s",
					  mo_client_strerror(txn->client));
	}
	return txn->error;
}

void mib_txn_end(struct mib_txn *txn, uint32_t id)
{
	if (!txn_is(txn, id))
		return;
	if (txn->phase == TXN_TESTED || txn->phase == TXN_COMMITTED) {
		note_status(txn, mo_client_cleanup(txn->client, id));
		mib_cache_drop(txn->cache);
	}
	txn_forget(txn);
}
