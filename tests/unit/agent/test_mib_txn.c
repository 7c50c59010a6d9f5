/* SPDX-License-Identifier: BSD-3-Clause */
/* SET requests phase by phase, with the calls that Net-SNMP's library makes. */
#include "lib/log.h"
#include "agent/mib_txn.h"
#include "tests/unit/fake_mo_client.h"
#include "tests/unit/unit.h"

#define SET_POINT 7 /* ieee8021CnCpQueueSizeSetPoint, Unsigned32 from 100 */
#define WEIGHT    8 /* ieee8021CnCpFeedbackWeight, Integer32, -10..10 */
#define ID        77

struct world {
	struct mib_cache *cache;
	struct mib *mib;
	struct mib_txn *txn;
	int64_t now;
};

static int setup(void **state)
{
	static struct world w;

	fake_dcbd_reset();
	w.cache = mib_cache_new(NULL);
	w.mib = mib_new(w.cache);
	w.txn = mib_txn_new(w.mib, w.cache, NULL);
	w.now = 1000;
	*state = &w;
	return w.txn && w.mib ? 0 : -1;
}

static int teardown(void **state)
{
	struct world *w = *state;

	mib_txn_free(w->txn);
	mib_free(w->mib);
	mib_cache_free(w->cache);
	return 0;
}

static enum mo_error add_value(struct world *w, uint32_t id, unsigned number, uint32_t subid,
			       uint32_t cp, const struct mo_value *value)
{
	const struct mo_table *t = mo_table(MO_cn_cp);
	struct mib_oid oid = {.n = (uint8_t)(t->oid_len + 4)};

	memcpy(oid.sub, t->oid, t->oid_len * sizeof(oid.sub[0]));
	oid.sub[t->oid_len] = subid;
	oid.sub[t->oid_len + 1] = 1;
	oid.sub[t->oid_len + 2] = 1;
	oid.sub[t->oid_len + 3] = cp;
	return mib_txn_add(w->txn, id, number, &oid, value);
}

static enum mo_error add(struct world *w, uint32_t id, unsigned number, uint32_t subid, int64_t num)
{
	struct mo_value value = {.syntax = subid == WEIGHT ? MO_INTEGER32 : MO_UNSIGNED32,
				 .num = num};

	return add_value(w, id, number, subid, 1, &value);
}

/* A SET that succeeds, with the calls of two registrations. */
static void test_set_succeeds(void **state)
{
	struct world *w = *state;
	unsigned number;

	assert_int_equal(add(w, ID, 1, SET_POINT, 500), MO_NO_ERROR);
	assert_int_equal(add(w, ID, 2, WEIGHT, -3), MO_NO_ERROR);
	for (int registration = 0; registration < 2; registration++)
		assert_int_equal(mib_txn_test(w->txn, ID, &number), MO_NO_ERROR);
	for (int registration = 0; registration < 2; registration++)
		assert_int_equal(mib_txn_commit(w->txn, ID, &number), MO_NO_ERROR);
	for (int registration = 0; registration < 2; registration++)
		mib_txn_end(w->txn, ID);
	assert_int_equal(fake_dcbd.tests, 1);
	assert_int_equal(fake_dcbd.commits, 1);
	assert_int_equal(fake_dcbd.cleanups, 1);
	assert_int_equal(fake_dcbd.undos, 0);
	assert_int_equal(fake_dcbd.n_set, 2);
	assert_int_equal(fake_dcbd.set[1].subid, WEIGHT);
	assert_true(fake_dcbd.set[1].value.num == -3);
}

/* One registration has varbinds 1 and 3, the other 2: dcbd receives 1, 2, 3. */
static void test_dcbd_receives_order_of_request(void **state)
{
	struct world *w = *state;
	unsigned number;

	assert_int_equal(add(w, ID, 1, SET_POINT, 501), MO_NO_ERROR);
	assert_int_equal(add(w, ID, 3, SET_POINT, 503), MO_NO_ERROR);
	assert_int_equal(add(w, ID, 2, SET_POINT, 502), MO_NO_ERROR);
	fake_dcbd.test_error = MO_INCONSISTENT_VALUE;
	fake_dcbd.error_varbind = 3;
	assert_int_equal(mib_txn_test(w->txn, ID, &number), MO_INCONSISTENT_VALUE);
	assert_int_equal(number, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_true(fake_dcbd.set[i].value.num == 501 + (int)i);
	/* The call of the other registration gets the same result without asking dcbd. */
	assert_int_equal(mib_txn_test(w->txn, ID, &number), MO_INCONSISTENT_VALUE);
	assert_int_equal(number, 3);
	assert_int_equal(fake_dcbd.tests, 1);
}

/* Other subagents have varbinds of the request: number is the position in the request. */
static void test_number_is_position_in_request(void **state)
{
	struct world *w = *state;
	unsigned number;

	assert_int_equal(add(w, ID, 2, SET_POINT, 500), MO_NO_ERROR);
	assert_int_equal(add(w, ID, 7, SET_POINT, 500), MO_NO_ERROR);
	fake_dcbd.test_error = MO_RESOURCE_UNAVAILABLE;
	fake_dcbd.error_varbind = 2;
	assert_int_equal(mib_txn_test(w->txn, ID, &number), MO_RESOURCE_UNAVAILABLE);
	assert_int_equal(number, 7);
}

static void test_add_checks_varbind(void **state)
{
	const struct mo_value octets = {.syntax = MO_OCTETS, .len = 6};
	const struct mo_value number = {.syntax = MO_UNSIGNED32, .num = 500};
	const struct mib_oid elsewhere = {.n = 4, .sub = {1, 3, 6, 1}};
	struct world *w = *state;

	assert_int_equal(add(w, ID, 1, SET_POINT, 99), MO_WRONG_VALUE);
	assert_int_equal(add(w, ID, 2, WEIGHT, 11), MO_WRONG_VALUE);
	assert_int_equal(add(w, ID, 3, 4, 1), MO_NOT_WRITABLE);  /* read-only */
	assert_int_equal(add(w, ID, 4, 3, 1), MO_NOT_WRITABLE);  /* an index */
	assert_int_equal(add(w, ID, 5, 99, 1), MO_NOT_WRITABLE); /* no such column */
	assert_int_equal(add_value(w, ID, 6, SET_POINT, 1, &octets), MO_WRONG_TYPE);
	assert_int_equal(add_value(w, ID, 7, WEIGHT, 1, &number), MO_WRONG_TYPE);
	assert_int_equal(add_value(w, ID, 8, SET_POINT, 1, NULL), MO_WRONG_TYPE);
	assert_int_equal(add_value(w, ID, 9, SET_POINT, 0, &number), MO_NO_CREATION);
	assert_int_equal(add_value(w, ID, 10, SET_POINT, 4097, &number), MO_NO_CREATION);
	assert_int_equal(mib_txn_add(w->txn, ID, 11, &elsewhere, &number), MO_NOT_WRITABLE);
	mib_txn_end(w->txn, ID);
	assert_int_equal(fake_dcbd.tests + fake_dcbd.cleanups, 0);
}

/* A varbind that failed its check is not sent to dcbd. */
static void test_failed_check_is_not_sent_to_dcbd(void **state)
{
	struct world *w = *state;
	unsigned number;

	assert_int_equal(add(w, ID, 1, SET_POINT, 500), MO_NO_ERROR);
	assert_int_equal(add(w, ID, 2, SET_POINT, 1), MO_WRONG_VALUE);
	assert_int_equal(mib_txn_test(w->txn, ID, &number), MO_WRONG_VALUE);
	assert_int_equal(number, 2);
	assert_int_equal(fake_dcbd.tests, 0);
}

/* Another subagent's TestSet failed: CleanupSet follows TestSet. */
static void test_cleanup_after_test_discards(void **state)
{
	struct world *w = *state;
	unsigned number;

	add(w, ID, 1, SET_POINT, 500);
	mib_txn_test(w->txn, ID, &number);
	mib_txn_end(w->txn, ID);
	assert_int_equal(fake_dcbd.cleanups, 1);
	assert_int_equal(mib_txn_commit(w->txn, ID, &number), MO_COMMIT_FAILED);
	assert_int_equal(fake_dcbd.commits, 0);
}

static void test_failed_commit_is_undone(void **state)
{
	struct world *w = *state;
	unsigned number;

	add(w, ID, 1, SET_POINT, 500);
	add(w, ID, 2, SET_POINT, 501);
	mib_txn_test(w->txn, ID, &number);
	fake_dcbd.commit_error = MO_RESOURCE_UNAVAILABLE;
	fake_dcbd.error_varbind = 2;
	assert_int_equal(mib_txn_commit(w->txn, ID, &number), MO_COMMIT_FAILED);
	assert_int_equal(number, 2);
	assert_int_equal(mib_txn_undo(w->txn, ID), MO_NO_ERROR);
	assert_int_equal(mib_txn_undo(w->txn, ID), MO_NO_ERROR);
	assert_int_equal(fake_dcbd.undos, 1);
}

static void test_failed_undo_is_reported(void **state)
{
	struct world *w = *state;
	unsigned number;

	add(w, ID, 1, SET_POINT, 500);
	mib_txn_test(w->txn, ID, &number);
	mib_txn_commit(w->txn, ID, &number);
	fake_dcbd.undo_error = MO_UNDO_FAILED;
	assert_int_equal(mib_txn_undo(w->txn, ID), MO_UNDO_FAILED);
}

/* The master timed out and repeats TestSet. */
static void test_repeated_test_set_restarts_transaction(void **state)
{
	struct world *w = *state;
	unsigned number;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(add(w, ID, 1, SET_POINT, 500), MO_NO_ERROR);
		assert_int_equal(add(w, ID, 2, SET_POINT, 501), MO_NO_ERROR);
		if (i > 0)
			assert_int_equal(mib_txn_test(w->txn, ID, &number), MO_NO_ERROR);
	}
	assert_int_equal(fake_dcbd.n_set, 2);
	assert_int_equal(fake_dcbd.tests, 2);
	assert_int_equal(mib_txn_commit(w->txn, ID, &number), MO_NO_ERROR);
}

/* A new request ends an unfinished one: CLEANUP if tested, UNDO if committed. */
static void test_new_id_ends_unfinished_transaction(void **state)
{
	struct world *w = *state;
	unsigned number;

	add(w, ID, 1, SET_POINT, 500);
	mib_txn_test(w->txn, ID, &number);
	add(w, ID + 1, 1, SET_POINT, 500);
	assert_int_equal(fake_dcbd.cleanups, 1);
	mib_txn_test(w->txn, ID + 1, &number);
	mib_txn_commit(w->txn, ID + 1, &number);
	add(w, ID + 2, 1, SET_POINT, 500);
	assert_int_equal(fake_dcbd.undos, 1);
	assert_int_equal(mib_txn_test(w->txn, ID + 2, &number), MO_NO_ERROR);
	assert_int_equal(fake_dcbd.n_set, 1);
}

static void test_lost_session_keeps_commit(void **state)
{
	struct world *w = *state;
	unsigned number;

	add(w, ID, 1, SET_POINT, 500);
	mib_txn_test(w->txn, ID, &number);
	mib_txn_commit(w->txn, ID, &number);
	mib_txn_session_lost(w->txn);
	assert_int_equal(fake_dcbd.undos, 0);
	assert_int_equal(fake_dcbd.cleanups, 1);
	mib_txn_session_lost(w->txn);
	mib_txn_end(w->txn, ID);
	assert_int_equal(fake_dcbd.undos, 0);
	assert_int_equal(fake_dcbd.cleanups, 1);
}

static void test_next_set_after_a_timeout_is_tried(void **state)
{
	struct world *w = *state;
	unsigned number;

	add(w, ID, 1, SET_POINT, 500);
	fake_dcbd.fails = MO_CLIENT_UNREACHABLE;
	assert_int_equal(mib_txn_test(w->txn, ID, &number), MO_GEN_ERR);
	fake_dcbd.fails = MO_CLIENT_OK;
	add(w, ID + 1, 1, SET_POINT, 500);
	assert_int_equal(mib_txn_test(w->txn, ID + 1, &number), MO_NO_ERROR);
	fake_dcbd.fails = MO_CLIENT_TIMEOUT;
	assert_int_equal(mib_txn_commit(w->txn, ID + 1, &number), MO_COMMIT_FAILED);
	assert_int_equal(mib_txn_undo(w->txn, ID + 1), MO_UNDO_FAILED);
	fake_dcbd.fails = MO_CLIENT_OK;
	add(w, ID + 2, 1, SET_POINT, 500);
	assert_int_equal(mib_txn_test(w->txn, ID + 2, &number), MO_NO_ERROR);
}

static void test_read_after_commit_asks_dcbd(void **state)
{
	struct mib_oid oid = {.n = 1, .sub = {1}}, next;
	struct world *w = *state;
	struct mo_value value;
	unsigned number;

	fake_dcbd_fill(MO_cn_cp, 3, 1, 1);
	mib_next(w->mib, w->now, &oid, false, &(struct mib_oid){0}, &next, &value);
	add(w, ID, 1, SET_POINT, 500);
	mib_txn_test(w->txn, ID, &number);
	mib_txn_commit(w->txn, ID, &number);
	fake_dcbd.reads = 0;
	mib_next(w->mib, w->now, &oid, false, &(struct mib_oid){0}, &next, &value);
	assert_true(fake_dcbd.reads > 0);
}

/* More varbinds than the first allocation has room for, in descending order. */
static void test_many_varbinds_in_descending_order(void **state)
{
	struct world *w = *state;
	unsigned number;

	for (unsigned n = FAKE_VARBINDS_MAX; n > 0; n--)
		assert_int_equal(add(w, ID, n, SET_POINT, 1000 + n), MO_NO_ERROR);
	assert_int_equal(mib_txn_test(w->txn, ID, &number), MO_NO_ERROR);
	assert_int_equal(fake_dcbd.n_set, FAKE_VARBINDS_MAX);
	for (unsigned n = 0; n < FAKE_VARBINDS_MAX; n++)
		assert_true(fake_dcbd.set[n].value.num == 1001 + n);
}

UNIT_MAIN
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_set_succeeds),
	    TEST(test_dcbd_receives_order_of_request),
	    TEST(test_number_is_position_in_request),
	    TEST(test_add_checks_varbind),
	    TEST(test_failed_check_is_not_sent_to_dcbd),
	    TEST(test_cleanup_after_test_discards),
	    TEST(test_failed_commit_is_undone),
	    TEST(test_failed_undo_is_reported),
	    TEST(test_repeated_test_set_restarts_transaction),
	    TEST(test_new_id_ends_unfinished_transaction),
	    TEST(test_lost_session_keeps_commit),
	    TEST(test_next_set_after_a_timeout_is_tried),
	    TEST(test_read_after_commit_asks_dcbd),
	    TEST(test_many_varbinds_in_descending_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
