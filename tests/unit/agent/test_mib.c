/* SPDX-License-Identifier: BSD-3-Clause */
/* Get, GetNext and the page cache, with a fake dcbd whose rows are in arrays. */
#include "tests/unit/agent/mib_world.h"

#define LISTED_MAX 131072

struct listed {
	struct mib_oid oid;
	struct mo_value value;
};

static struct listed listed[LISTED_MAX];

static int listed_compare(const void *a, const void *b)
{
	return mib_oid_compare(&((const struct listed *)a)->oid, &((const struct listed *)b)->oid);
}

/* Fills in listed[]: every instance of the modules that are not optional, in ascending order. */
static unsigned list_all(void)
{
	unsigned n = 0;

	for (unsigned r = 0; r < fake_dcbd.n_rows; r++) {
		const struct mo_table *t = mo_table(fake_dcbd.rows[r].table);
		const struct mo_index *index = &fake_dcbd.rows[r].index;

		for (unsigned c = 0; c < t->n_columns && !t->optional; c++) {
			assert_true(n < LISTED_MAX);
			if (!fake_dcbd_value(t, index, &t->columns[c], &listed[n].value))
				continue;
			listed[n++].oid = oid_of(t, t->columns[c].subid, index);
		}
	}
	qsort(listed, n, sizeof(listed[0]), listed_compare);
	return n;
}

static void assert_value_equal(const struct mo_value *a, const struct mo_value *b)
{
	assert_int_equal(a->syntax, b->syntax);
	assert_int_equal(a->len, b->len);
	assert_true(a->num == b->num);
	assert_memory_equal(a->octets, b->octets, a->len);
}

/* --- walks -------------------------------------------------------------------- */

static void walk_and_compare(struct world *w, unsigned n)
{
	struct mib_oid at = {0}, next;
	struct mo_value value;

	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(mib_next(w->mib, w->now, &at, false, &no_end, &next, &value),
				 MIB_OK);
		assert_oid_equal(&next, &listed[i].oid);
		assert_value_equal(&value, &listed[i].value);
		assert_int_equal(mib_get(w->mib, w->now, &next, &value), MIB_OK);
		assert_value_equal(&value, &listed[i].value);
		at = next;
		w->now += 3;
	}
	assert_int_equal(mib_next(w->mib, w->now, &at, false, &no_end, &next, &value), MIB_END);
}

static void test_walk_one_row(void **state)
{
	fill_every_table(1, 1);
	walk_and_compare(*state, list_all());
}

static void test_walk_many_rows(void **state)
{
	fill_every_table(150, 1);
	walk_and_compare(*state, list_all());
}

static void test_walk_with_missing_rows_and_values(void **state)
{
	fill_every_table(90, 7);
	fake_dcbd.hole_every = 3;
	walk_and_compare(*state, list_all());
}

/* No row has a value. */
static void test_walk_without_values(void **state)
{
	fake_dcbd_fill(MO_cn_cp, 100, 1, 1);
	fake_dcbd.hole_every = 1;
	assert_int_equal(list_all(), 0);
	walk_and_compare(*state, 0);
}

static void test_walk_without_rows(void **state)
{
	walk_and_compare(*state, list_all());
}

/* Compares the result of mib_next() with the sorted list. */
static void check_range(struct world *w, const struct mib_oid *start, bool include,
			const struct mib_oid *end, unsigned n)
{
	struct mo_value value;
	struct mib_oid next;
	enum mib_result got = mib_next(w->mib, w->now, start, include, end, &next, &value);
	unsigned i = 0;

	while (i < n && mib_oid_compare(&listed[i].oid, start) < (include ? 0 : 1))
		i++;
	if (i == n || (end->n && mib_oid_compare(&listed[i].oid, end) >= 0)) {
		assert_int_equal(got, MIB_END);
		return;
	}
	assert_int_equal(got, MIB_OK);
	assert_oid_equal(&next, &listed[i].oid);
	assert_value_equal(&value, &listed[i].value);
}

/* Returns an OID near one of the list: shorter, longer, or with one sub-identifier changed. */
static struct mib_oid near_listed(unsigned n)
{
	struct mib_oid oid = listed[(unsigned)rand() % n].oid;
	unsigned at = (unsigned)rand() % oid.n;

	switch (rand() % 6) {
	case 0:
		oid.n = (uint8_t)at;
		break;
	case 1:
		oid.sub[oid.n++] = (uint32_t)rand() % 3;
		break;
	case 2:
		oid.sub[at] += (uint32_t)rand() % 3 - 1;
		break;
	case 3:
		oid.sub[oid.n - 1] += (uint32_t)rand() % 5 - 2;
		break;
	case 4:
		oid.sub[at] = UINT32_MAX;
		break;
	default:
		break;
	}
	return oid;
}

static void test_next_in_random_ranges(void **state)
{
	struct world *w = *state;
	unsigned n;

	srand((unsigned)unit_seed());
	fill_every_table(12, 3);
	fake_dcbd.hole_every = 4;
	n = list_all();
	for (unsigned i = 0; i < 20000; i++) {
		struct mib_oid start = near_listed(n), end = near_listed(n);

		w->now += rand() % 40;
		check_range(w, &start, rand() % 2, rand() % 3 ? &end : &no_end, n);
	}
}

/* The greatest possible index has no successor in its column. */
static void test_greatest_index_has_no_successor(void **state)
{
	const uint32_t last[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
	struct world *w = *state;

	fake_dcbd_add(MO_cn_cp, 3, last);
	walk_and_compare(w, list_all());
}

/* --- Get ------------------------------------------------------------------------- */

static enum mib_result get(struct world *w, enum mo_table_id table, uint32_t subid, unsigned n,
			   const uint32_t *sub)
{
	struct mo_index index = {.n = (uint8_t)n};
	struct mo_value value;
	struct mib_oid oid;

	memcpy(index.sub, sub, n * sizeof(*sub));
	oid = oid_of(mo_table(table), subid, &index);
	return mib_get(w->mib, w->now, &oid, &value);
}

#define GET(w, table, subid, ...)                                                  \
	get(w, table, subid, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), \
	    (uint32_t[]){__VA_ARGS__})

static void test_get_returns_value_or_exception(void **state)
{
	struct world *w = *state;
	struct mib_oid elsewhere = {.n = 3, .sub = {1, 3, 6}};
	struct mo_value value;

	fake_dcbd_fill(MO_cn_cp, 3, 1, 1);
	fake_dcbd_fill(MO_engine, 1, 0, 0);
	assert_int_equal(GET(w, MO_cn_cp, 7, 1, 1, 2), MIB_OK);
	assert_int_equal(GET(w, MO_cn_cp, 7, 1, 1, 4), MIB_NO_SUCH_INSTANCE);
	assert_int_equal(GET(w, MO_cn_cp, 7, 1, 1), MIB_NO_SUCH_INSTANCE);
	assert_int_equal(GET(w, MO_cn_cp, 7, 1, 1, 2, 0), MIB_NO_SUCH_INSTANCE);
	assert_int_equal(GET(w, MO_cn_cp, 7, 1, 1, 2, 0, 0, 0, 0, 0), MIB_NO_SUCH_INSTANCE);
	assert_int_equal(GET(w, MO_cn_cp, 3, 1, 1, 2), MIB_NO_SUCH_OBJECT); /* not accessible */
	assert_int_equal(GET(w, MO_cn_cp, 14, 1, 1, 2), MIB_NO_SUCH_OBJECT);
	assert_int_equal(GET(w, MO_engine, 1, 0), MIB_OK);
	assert_int_equal(GET(w, MO_engine, 1, 1), MIB_NO_SUCH_INSTANCE);
	assert_int_equal(mib_get(w->mib, w->now, &elsewhere, &value), MIB_NO_SUCH_OBJECT);
	assert_int_equal(mib_get(w->mib, w->now, &no_end, &value), MIB_NO_SUCH_OBJECT);
	fake_dcbd.hole_every = 1;
	assert_int_equal(GET(w, MO_cn_cp, 7, 1, 1, 2), MIB_NO_SUCH_INSTANCE);
}

/* --- pages --------------------------------------------------------------------- */

/* A walk reads pages of 1, 4, 16, 64, 64 and 64 rows. */
static void test_pages_grow_during_walk(void **state)
{
	static const unsigned asked[] = {1, 4, 16, 64, 64, 64};
	struct world *w = *state;
	unsigned seen = 0;

	fake_dcbd_fill(MO_pfc_if, 200, 1, 1);
	for (uint32_t i = 1; i <= 200; i++) {
		unsigned before = fake_dcbd.reads;

		assert_int_equal(GET(w, MO_pfc_if, 1, i), MIB_OK);
		if (fake_dcbd.reads != before)
			assert_int_equal(fake_dcbd.last_max_rows, asked[seen++]);
	}
	assert_int_equal(seen, 6);
}

/* Random access is not a walk: one row per page. */
static void test_random_access_reads_one_row(void **state)
{
	struct world *w = *state;

	fake_dcbd_fill(MO_pfc_if, 200, 1, 1);
	for (uint32_t i = 0; i < 50; i++) {
		assert_int_equal(GET(w, MO_pfc_if, 1, 1 + i * 67 % 100 * 2), MIB_OK);
		assert_int_equal(fake_dcbd.last_max_rows, 1);
	}
}

/* If the page expires before the walk goes on, the next pages are shorter. */
static void test_pages_shrink_during_slow_walk(void **state)
{
	struct world *w = *state;

	fake_dcbd_fill(MO_pfc_if, 200, 1, 1);
	for (uint32_t i = 1; i <= 40; i++)
		assert_int_equal(GET(w, MO_pfc_if, 1, i), MIB_OK);
	assert_int_equal(fake_dcbd.last_max_rows, 64);
	for (uint32_t i = 41; i <= 44; i++) {
		w->now += MIB_PAGE_MS;
		assert_int_equal(GET(w, MO_pfc_if, 1, i), MIB_OK);
	}
	assert_true(fake_dcbd.last_max_rows <= 4);
}

static void test_page_expires(void **state)
{
	struct world *w = *state;

	fake_dcbd_fill(MO_engine, 1, 0, 0);
	assert_int_equal(GET(w, MO_engine, 1, 0), MIB_OK);
	w->now += MIB_PAGE_MS - 1;
	assert_int_equal(GET(w, MO_engine, 2, 0), MIB_OK);
	assert_int_equal(fake_dcbd.reads, 1);
	w->now += 1;
	assert_int_equal(GET(w, MO_engine, 3, 0), MIB_OK);
	assert_int_equal(fake_dcbd.reads, 2);
}

static void test_restart_of_dcbd_invalidates_pages(void **state)
{
	struct world *w = *state;

	fake_dcbd_fill(MO_engine, 1, 0, 0);
	assert_int_equal(GET(w, MO_engine, 1, 0), MIB_OK);
	fake_dcbd.boot_id++;
	assert_int_equal(GET(w, MO_engine, 1, 0), MIB_OK);
	assert_int_equal(fake_dcbd.reads, 2);
}

static void test_drop_invalidates_pages(void **state)
{
	struct world *w = *state;

	fake_dcbd_fill(MO_engine, 1, 0, 0);
	assert_int_equal(GET(w, MO_engine, 1, 0), MIB_OK);
	mib_cache_drop(w->cache);
	assert_int_equal(GET(w, MO_engine, 1, 0), MIB_OK);
	assert_int_equal(fake_dcbd.reads, 2);
}

/* A table that fits into a page is read once for all its columns. */
static void test_columns_share_a_page(void **state)
{
	struct world *w = *state;
	unsigned n;

	fake_dcbd_fill(MO_cn_rpg, 1, 1, 1);
	n = list_all();
	assert_int_equal(n, 10);
	for (unsigned i = 0; i < n; i++) {
		struct mo_value value;

		assert_int_equal(mib_get(w->mib, w->now, &listed[i].oid, &value), MIB_OK);
	}
	assert_int_equal(fake_dcbd.reads, 1);
}

/* --- dcbd gone or hanging ------------------------------------------------------------ */

static void test_unreachable_dcbd_is_gen_err(void **state)
{
	struct world *w = *state;
	struct mib_oid next, start = {0};
	struct mo_value value;

	fake_dcbd_fill(MO_engine, 1, 0, 0);
	fake_dcbd.fails = MO_CLIENT_UNREACHABLE;
	assert_int_equal(GET(w, MO_engine, 1, 0), MIB_GEN_ERR);
	assert_int_equal(mib_next(w->mib, w->now, &start, false, &no_end, &next, &value),
			 MIB_GEN_ERR);
	fake_dcbd.fails = MO_CLIENT_OK;
	assert_int_equal(GET(w, MO_engine, 1, 0), MIB_OK);
}

/* After a restart of dcbd the first use of the connection fails, and the request succeeds. */
static void test_reconnects_after_restart_of_dcbd(void **state)
{
	struct world *w = *state;

	fake_dcbd_fill(MO_engine, 1, 0, 0);
	fake_dcbd.fails = MO_CLIENT_UNREACHABLE;
	fake_dcbd.fail_calls = 1;
	assert_int_equal(GET(w, MO_engine, 1, 0), MIB_OK);
	assert_int_equal(fake_dcbd.reads, 2);
}

/* Of a client that is shared, only the row that is late first is asked for again. */
static void test_late_row_holds_the_others(void **state)
{
	struct world *w = *state;
	struct mib_oid next, start = {0};
	struct mo_value value;

	fake_dcbd_fill(MO_engine, 1, 0, 0);
	mib_cache_allow_late(w->cache);
	fake_dcbd.fails = MO_CLIENT_TIMEOUT;
	assert_int_equal(GET(w, MO_engine, 1, 0), MIB_GEN_ERR); /* not even connected */
	fake_dcbd.late_fd = 9;
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(GET(w, MO_engine, 1, 0), MIB_LATE);
	assert_int_equal(mib_next(w->mib, w->now, &start, false, &no_end, &next, &value), MIB_LATE);
	assert_int_equal(fake_dcbd.reads, 2);
	mib_cache_resume(w->cache);
	fake_dcbd.fails = MO_CLIENT_OK;
	fake_dcbd.late_fd = -1;
	assert_int_equal(GET(w, MO_engine, 1, 0), MIB_OK);
	assert_int_equal(fake_dcbd.reads, 3);
}

/* The client says when dcbd answers again: the very next request is answered. */
static void test_next_request_after_a_timeout_is_answered(void **state)
{
	struct world *w = *state;

	fake_dcbd_fill(MO_engine, 1, 0, 0);
	fake_dcbd.fails = MO_CLIENT_TIMEOUT;
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(GET(w, MO_engine, 1, 0), MIB_GEN_ERR);
	assert_int_equal(fake_dcbd.reads, 20);
	fake_dcbd.fails = MO_CLIENT_OK;
	assert_int_equal(GET(w, MO_engine, 1, 0), MIB_OK);
	assert_int_equal(fake_dcbd.reads, 21);
}

/* Rows with an index of wrong length, or not in ascending order, are an error. */
static void test_rejects_rows_with_wrong_index_or_order(void **state)
{
	const uint32_t a[] = {1, 1, 1}, b[] = {1, 1};
	struct world *w = *state;

	fake_dcbd_add(MO_cn_cp, 2, b);
	fake_dcbd_add(MO_cn_cp, 3, a);
	log_level = (enum log_level) - 1;
	assert_int_equal(GET(w, MO_cn_cp, 7, 1, 1, 0), MIB_NO_SUCH_INSTANCE);
	w->now += MIB_PAGE_MS;
	fake_dcbd.rows[0].index.sub[1] = 2;
	assert_int_equal(GET(w, MO_cn_cp, 7, 1, 1, 0), MIB_GEN_ERR);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_walk_one_row),
	    TEST(test_walk_many_rows),
	    TEST(test_walk_with_missing_rows_and_values),
	    TEST(test_walk_without_values),
	    TEST(test_walk_without_rows),
	    TEST(test_next_in_random_ranges),
	    TEST(test_greatest_index_has_no_successor),
	    TEST(test_get_returns_value_or_exception),
	    TEST(test_pages_grow_during_walk),
	    TEST(test_random_access_reads_one_row),
	    TEST(test_pages_shrink_during_slow_walk),
	    TEST(test_page_expires),
	    TEST(test_restart_of_dcbd_invalidates_pages),
	    TEST(test_drop_invalidates_pages),
	    TEST(test_columns_share_a_page),
	    TEST(test_unreachable_dcbd_is_gen_err),
	    TEST(test_reconnects_after_restart_of_dcbd),
	    TEST(test_late_row_holds_the_others),
	    TEST(test_next_request_after_a_timeout_is_answered),
	    TEST(test_rejects_rows_with_wrong_index_or_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
