/* SPDX-License-Identifier: BSD-3-Clause */
/* Get, GetNext and the page cache, with a fake dcbd whose rows are in arrays. */
#include "lib/log.h"
#include "agent/mib.h"
#include "agent/mib_cache.h"
#include "tests/unit/fake_mo_client.h"
#include "tests/unit/unit.h"

#include <string.h>

#define LISTED_MAX 131072

struct listed {
	struct mib_oid oid;
	struct mo_value value;
};

struct world {
	struct mib_cache *cache;
	struct mib *mib;
	int64_t now;
};

static const struct mib_oid no_end;
static struct listed listed[LISTED_MAX];

static int setup(void **state)
{
	static struct world w;

	fake_dcbd_reset();
	w.cache = mib_cache_new(NULL);
	w.mib = mib_new(w.cache);
	w.now = 1000;
	*state = &w;
	log_level = LOG_LEVEL_ERROR;
	return w.mib ? 0 : -1;
}

static int teardown(void **state)
{
	struct world *w = *state;

	mib_free(w->mib);
	mib_cache_free(w->cache);
	return 0;
}

static struct mib_oid oid_of(const struct mo_table *t, uint32_t subid, const struct mo_index *index)
{
	struct mib_oid oid;

	memcpy(oid.sub, t->oid, t->oid_len * sizeof(oid.sub[0]));
	oid.sub[t->oid_len] = subid;
	memcpy(oid.sub + t->oid_len + 1, index->sub, index->n * sizeof(oid.sub[0]));
	oid.n = (uint8_t)(t->oid_len + 1 + index->n);
	return oid;
}

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

static void assert_oid_equal(const struct mib_oid *a, const struct mib_oid *b)
{
	assert_int_equal(mib_oid_compare(a, b), 0);
}

static void fill_every_table(unsigned rows, uint32_t step)
{
	for (unsigned t = 0; t < MO_TABLES; t++)
		fake_dcbd_fill((enum mo_table_id)t,
			       mo_table((enum mo_table_id)t)->n_index ? rows : 1, 1, step);
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

/* --- descriptors ------------------------------------------------------------------- */

static const struct mib_oid standard_roots[] = {
    {9, {1, 3, 111, 2, 802, 1, 1, 18, 1}},
    {10, {1, 3, 111, 2, 802, 1, 1, 21, 1, 1}},
    {11, {1, 3, 111, 2, 802, 1, 1, 13, 1, 5, 32962}},
    {9, {1, 3, 6, 1, 2, 1, 17, 1, 4}},
    {11, {1, 3, 6, 1, 2, 1, 17, 7, 1, 2, 2}},
};
#define CISCO "CISCO-PFC-EXT-MIB"

/* Every table that is served is below exactly one root, the others below none. */
static void expect_roots(const struct mib_root *roots, unsigned n, bool optional)
{
	for (unsigned t = 0; t < MO_TABLES; t++) {
		const struct mo_table *table = mo_table((enum mo_table_id)t);
		unsigned in = 0;

		for (unsigned r = 0; r < n; r++) {
			const struct mib_oid *oid = &roots[r].oid;

			in += memcmp(oid->sub, table->oid, oid->n * sizeof(uint32_t)) == 0;
		}
		assert_int_equal(in, optional || !table->optional);
	}
}

static void test_roots_contain_all_tables(void **state)
{
	struct world *w = *state;
	struct mib_root roots[MIB_ROOTS_MAX];
	unsigned n = mib_roots(w->mib, roots);

	assert_int_equal(n, UNIT_COUNT(standard_roots) + 1);
	for (unsigned r = 0; r < UNIT_COUNT(standard_roots); r++)
		assert_oid_equal(&roots[r].oid, &standard_roots[r]);
	assert_string_equal(roots[n - 1].module, "DCB-AGENT-MIB");
	for (unsigned r = 0; r < n; r++)
		assert_false(roots[r].optional);
	expect_roots(roots, n, false);
}

static void test_optional_module_has_a_root(void **state)
{
	static const struct mib_oid root = {10, {1, 3, 6, 1, 4, 1, 9, 9, 813, 1}};
	struct world *w = *state;
	struct mib_root roots[MIB_ROOTS_MAX];
	unsigned n;

	assert_false(mib_add_module(w->mib, "IEEE8021-CN-MIB")); /* exists, but is not optional */
	assert_false(mib_add_module(w->mib, "CISCO-PFC-MIB"));
	assert_int_equal(mib_roots(w->mib, roots), UNIT_COUNT(standard_roots) + 1);
	assert_true(mib_add_module(w->mib, CISCO));
	assert_true(mib_add_module(w->mib, CISCO));
	n = mib_roots(w->mib, roots);
	assert_int_equal(n, UNIT_COUNT(standard_roots) + 2);
	assert_oid_equal(&roots[0].oid, &standard_roots[0]);
	assert_true(roots[n - 1].optional);
	assert_string_equal(roots[n - 1].module, CISCO);
	assert_oid_equal(&roots[n - 1].oid, &root);
	expect_roots(roots, n, true);
}

/* The claims are the module, then its tables, then their entries. */
static void test_claims_are_module_tables_and_entries(void **state)
{
	struct world *w = *state;
	struct mib_oid claims[MIB_CLAIMS_MAX];
	struct mib_root roots[MIB_ROOTS_MAX];
	unsigned tables = 0, n;

	mib_add_module(w->mib, CISCO);
	for (unsigned t = 0; t < MO_TABLES; t++)
		tables += mo_table((enum mo_table_id)t)->optional;
	n = mib_roots(w->mib, roots);
	n = mib_claims(w->mib, &roots[n - 1], claims);
	assert_int_equal(n, 1 + 2 * tables);
	for (unsigned i = 0; i < n; i++) {
		static const uint32_t module[] = {1, 3, 6, 1, 4, 1, 9, 9, 813, 1};

		assert_int_equal(claims[i].n, i == 0 ? 9 : i <= tables ? 11 : 12);
		assert_memory_equal(claims[i].sub, module, (i ? 10 : 9) * sizeof(uint32_t));
		if (i > 0)
			assert_int_equal(claims[i].sub[10], 1 + (i - 1) % tables);
		if (i > tables)
			assert_int_equal(claims[i].sub[11], 1);
	}
}

/* Compares the next line of the file with an instance: its OID, name, type and access. */
static void expect_line(const struct mib *mib, const struct mib_oid *oid,
			const struct mo_value *value, FILE *golden)
{
	static const char *const syntaxes[] = {
	    "INTEGER", "Unsigned32", "Counter32", "Counter64", "TimeTicks", "INTEGER", "INTEGER",
	    "INTEGER", "OCTETS",     "OCTETS",    "Counter64", "OCTETS",    "OCTETS"};
	char line[512], expected[512];
	const struct mo_table *table;
	const struct mo_column *col;
	struct mo_index index;
	int len = 0;

	assert_true(mib_resolve(mib, oid, &table, &col, &index));
	for (unsigned i = 0; i < oid->n; i++)
		len += snprintf(line + len, sizeof(line) - (size_t)len, ".%u", oid->sub[i]);
	snprintf(line + len, sizeof(line) - (size_t)len, " %s %s %s\n", col->name,
		 syntaxes[value->syntax], mo_is_writable(col) ? "write" : "read");
	if (!fgets(expected, sizeof(expected), golden))
		fail_msg("the golden file ends before %s", line);
	assert_string_equal(line, expected);
}

static FILE *open_golden(const char *file)
{
	char path[1024];
	FILE *golden;

	snprintf(path, sizeof(path), "%s/tests/mib/%s", getenv("DCB_SRCDIR"), file);
	golden = fopen(path, "r");
	if (!golden)
		fail_msg("%s: cannot be read", path);
	return golden;
}

static void close_golden(FILE *golden)
{
	char rest[512];

	assert_null(fgets(rest, sizeof(rest), golden));
	fclose(golden);
}

/* Compares all instances between two names with the next lines of the file. */
static void expect_lines(struct world *w, const struct mib_oid *from, const struct mib_oid *end,
			 FILE *golden)
{
	struct mib_oid at = *from, next;
	struct mo_value value;

	fill_every_table(1, 1);
	while (mib_next(w->mib, w->now, &at, false, end, &next, &value) == MIB_OK) {
		expect_line(w->mib, &next, &value, golden);
		at = next;
	}
}

/* Compares all instances between two names with the whole file. */
static void expect_golden(struct world *w, const struct mib_oid *from, const struct mib_oid *end,
			  const char *file)
{
	FILE *golden = open_golden(file);

	expect_lines(w, from, end, golden);
	close_golden(golden);
}

/*
 * Every accessible column, with one row each, is in tests/mib/golden.txt. A
 * column added to the .def files is added there by hand, so that no change of
 * OID, type or access goes unnoticed.
 */
static void test_objects_match_golden_file(void **state)
{
	expect_golden(*state, &(struct mib_oid){0}, &no_end, "golden.txt");
}

/* An optional module has no objects until it is added, and adding it changes no other object. */
static void test_optional_objects_match_golden_file(void **state)
{
	static const struct mib_oid cisco = {7, {1, 3, 6, 1, 4, 1, 9}};
	static const struct mib_oid behind = {7, {1, 3, 6, 1, 4, 1, 10}};
	const struct mo_table *table = mo_table(MO_cpfc_if);
	const struct mib_oid one = oid_of(table, 1, &(struct mo_index){1, {1}});
	FILE *others = open_golden("golden.txt");
	struct world *w = *state;
	struct mo_value value;

	assert_int_equal(mib_get(w->mib, w->now, &one, &value), MIB_NO_SUCH_OBJECT);
	mib_add_module(w->mib, CISCO);
	expect_golden(w, &cisco, &behind, "golden-optional.txt");
	assert_int_equal(mib_get(w->mib, w->now, &one, &value), MIB_OK);
	fake_dcbd_reset();
	expect_lines(w, &(struct mib_oid){0}, &cisco, others);
	expect_lines(w, &behind, &no_end, others);
	close_golden(others);
}

static void test_withheld_module_has_no_objects(void **state)
{
	static const struct mib_oid cisco = {7, {1, 3, 6, 1, 4, 1, 9}};
	static const struct mib_oid behind = {7, {1, 3, 6, 1, 4, 1, 10}};
	const struct mib_oid one = oid_of(mo_table(MO_cpfc_if), 1, &(struct mo_index){1, {1}});
	struct mib_root roots[MIB_ROOTS_MAX];
	struct world *w = *state;
	struct mib_oid next;
	struct mo_value value;
	unsigned n;

	fill_every_table(1, 1);
	mib_add_module(w->mib, CISCO);
	n = mib_roots(w->mib, roots);
	mib_withhold_module(w->mib, CISCO, true);
	assert_int_equal(mib_get(w->mib, w->now, &one, &value), MIB_NO_SUCH_OBJECT);
	assert_int_equal(mib_next(w->mib, w->now, &cisco, true, &behind, &next, &value), MIB_END);
	assert_int_equal(mib_roots(w->mib, roots), n);
	mib_withhold_module(w->mib, CISCO, false);
	assert_int_equal(mib_get(w->mib, w->now, &one, &value), MIB_OK);
	expect_golden(w, &cisco, &behind, "golden-optional.txt");
}

/* Of a dcbd that has ended; a withheld module stays so. */
static void test_hidden_objects_do_not_exist(void **state)
{
	const struct mib_oid one = oid_of(mo_table(MO_pfc_if), 1, &(struct mo_index){1, {1}});
	const struct mib_oid cisco = oid_of(mo_table(MO_cpfc_if), 1, &(struct mo_index){1, {1}});
	const struct mib_oid start = {1, {1}}, end = {1, {2}};
	struct mib_root roots[MIB_ROOTS_MAX];
	struct world *w = *state;
	struct mib_oid next;
	struct mo_value value;
	unsigned n;

	fill_every_table(1, 1);
	mib_add_module(w->mib, CISCO);
	mib_withhold_module(w->mib, CISCO, true);
	n = mib_roots(w->mib, roots);
	mib_hide(w->mib, true);
	assert_int_equal(mib_get(w->mib, w->now, &one, &value), MIB_NO_SUCH_OBJECT);
	assert_int_equal(mib_next(w->mib, w->now, &start, true, &end, &next, &value), MIB_END);
	assert_int_equal(mib_roots(w->mib, roots), n);
	mib_hide(w->mib, false);
	assert_int_equal(mib_get(w->mib, w->now, &one, &value), MIB_OK);
	assert_int_equal(mib_get(w->mib, w->now, &cisco, &value), MIB_NO_SUCH_OBJECT);
}

UNIT_MAIN
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
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
	    TEST(test_roots_contain_all_tables),
	    TEST(test_optional_module_has_a_root),
	    TEST(test_withheld_module_has_no_objects),
	    TEST(test_hidden_objects_do_not_exist),
	    TEST(test_claims_are_module_tables_and_entries),
	    TEST(test_objects_match_golden_file),
	    TEST(test_optional_objects_match_golden_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
