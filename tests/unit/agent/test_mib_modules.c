/* SPDX-License-Identifier: BSD-3-Clause */
/* The modules that are served: their roots, claims and objects, and those that are not. */
#include "tests/unit/agent/mib_world.h"

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

static FILE *written; /* contrib/regenerate.sh: golden.txt as it would be; else NULL */

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
	if (written) {
		fputs(line, written);
		return;
	}
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
 * Every accessible column, with one row each, is in tests/mib/golden.txt, so that no change of
 * OID, type or access goes unnoticed. contrib/regenerate.sh adds lines to it, and changes none.
 */
static void test_objects_match_golden_file(void **state)
{
	if (getenv("DCB_GOLDEN")) {
		written = fopen(getenv("DCB_GOLDEN"), "w");
		assert_non_null(written);
		expect_lines(*state, &(struct mib_oid){0}, &no_end, NULL);
		assert_int_equal(fclose(written), 0);
		written = NULL;
		return;
	}
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

/* Neither this one nor any from start on and before end; the roots stay. */
static void expect_no_objects(const struct world *w, const struct mib_oid *one,
			      const struct mib_oid *start, const struct mib_oid *end,
			      unsigned n_roots)
{
	struct mib_root roots[MIB_ROOTS_MAX];
	struct mib_oid next;
	struct mo_value value;

	assert_int_equal(mib_get(w->mib, w->now, one, &value), MIB_NO_SUCH_OBJECT);
	assert_int_equal(mib_next(w->mib, w->now, start, true, end, &next, &value), MIB_END);
	assert_int_equal(mib_roots(w->mib, roots), n_roots);
}

static void test_withheld_module_has_no_objects(void **state)
{
	static const struct mib_oid cisco = {7, {1, 3, 6, 1, 4, 1, 9}};
	static const struct mib_oid behind = {7, {1, 3, 6, 1, 4, 1, 10}};
	const struct mib_oid one = oid_of(mo_table(MO_cpfc_if), 1, &(struct mo_index){1, {1}});
	struct mib_root roots[MIB_ROOTS_MAX];
	struct world *w = *state;
	struct mo_value value;
	unsigned n;

	fill_every_table(1, 1);
	mib_add_module(w->mib, CISCO);
	n = mib_roots(w->mib, roots);
	mib_withhold_module(w->mib, CISCO, true);
	expect_no_objects(w, &one, &cisco, &behind, n);
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
	struct mo_value value;
	unsigned n;

	fill_every_table(1, 1);
	mib_add_module(w->mib, CISCO);
	mib_withhold_module(w->mib, CISCO, true);
	n = mib_roots(w->mib, roots);
	mib_hide(w->mib, true);
	expect_no_objects(w, &one, &start, &end, n);
	mib_hide(w->mib, false);
	assert_int_equal(mib_get(w->mib, w->now, &one, &value), MIB_OK);
	assert_int_equal(mib_get(w->mib, w->now, &cisco, &value), MIB_NO_SUCH_OBJECT);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
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
