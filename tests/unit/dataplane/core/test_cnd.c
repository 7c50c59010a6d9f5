/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/cnd.h"
#include "tests/unit/unit.h"
#include "tests/unit/vectors.h"

#include <string.h>

/* Parses "[2, 3, 5]". */
static uint8_t mask_of(const char *list)
{
	uint8_t mask = 0;

	for (; *list; list++)
		if (*list >= '0' && *list <= '7')
			mask |= (uint8_t)(1u << (*list - '0'));
	return mask;
}

/* Checks the alternate priority of each CNPV in "{2: 1, 3: 1, 5: 4}". */
static void check_alternates(const struct vector *v)
{
	uint8_t mask = mask_of(vector_text(v, v->inputs, "cnpvs"));
	char alternates[VECTOR_TEXT_MAX];
	unsigned int priority, alternate, pairs = 0;

	print_message("%s\n", v->id);
	snprintf(alternates, sizeof(alternates), "%s", vector_text(v, v->outputs, "alt"));
	for (char *at = strtok(alternates, "{,}"); at; at = strtok(NULL, "{,}")) {
		assert_int_equal(sscanf(at, "%u: %u", &priority, &alternate), 2);
		assert_true(cnd_is_cnpv(mask, priority));
		assert_int_equal(cnd_auto_alt_pri(mask, priority), alternate);
		pairs++;
	}
	assert_int_equal(pairs, cnd_count(mask));
}

static void test_alternate_vectors(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("qcn.csv", "auto-alt-pri", check_alternates), 8);
}

/*
 * For every set of CNPVs: the alternate is not a CNPV, is the next lower free
 * priority if there is one, else the next higher.
 */
static void test_alternate_for_every_set_of_cnpvs(void **state)
{
	(void)state;
	for (unsigned int mask = 0; mask < 255; mask++) {
		for (unsigned int priority = 0; priority < 8; priority++) {
			uint8_t with = (uint8_t)(mask | 1u << priority);
			unsigned int alternate = cnd_auto_alt_pri((uint8_t)mask, priority);
			unsigned int low = alternate < priority ? alternate + 1 : 0;
			unsigned int high = alternate < priority ? priority : alternate;

			if (with == 0xff)
				continue;
			assert_false(cnd_is_cnpv(with, alternate));
			for (unsigned int p = low; p < high; p++)
				assert_true(cnd_is_cnpv(with, p));
		}
	}
	for (unsigned int priority = 0; priority < 8; priority++)
		assert_int_equal(cnd_auto_alt_pri(0xff, priority), priority);
}

static void test_errored_port(void **state)
{
	(void)state;
	assert_false(cnd_port_is_errored(0x08, 0, 2));
	assert_true(cnd_port_is_errored(0x08, 3, 2));
	assert_true(cnd_port_is_errored(0x08, 0, 3));
	assert_true(cnd_port_is_errored(0x88, 7, 0));
	assert_true(cnd_port_is_errored(0x01, 0, 0));
	for (unsigned int priority = 0; priority < 8; priority++)
		assert_false(cnd_port_is_errored(0, priority, priority));
}

static void test_count_of_cnpvs(void **state)
{
	(void)state;
	assert_int_equal(cnd_count(0), 0);
	assert_int_equal(cnd_count(0x81), 2);
	assert_int_equal(cnd_count(0xfe), CND_MAX_CNPVS);
	assert_int_equal(cnd_count(0xff), 8);
}

/* --- defense modes -------------------------------------------------------- */

static const struct cnd_row component_admin = {CPC_ADMIN, CPT_INTERIOR, 1};
static const struct cnd_row component_auto = {CPC_AUTO, CPT_INTERIOR, 1};

/* Tables 32-2 and 32-3, row by row. */
static void test_defense_of_tables_32_2_and_32_3(void **state)
{
	static const struct {
		uint8_t port, component;
		bool is_admin;
		uint8_t mode, alternate;
	} rows[] = {
	    {CPC_ADMIN, CPC_ADMIN, true, CPT_DISABLED, 2},
	    {CPC_ADMIN, CPC_AUTO, true, CPT_DISABLED, 2},
	    {CPC_AUTO, CPC_ADMIN, false, CPT_EDGE, 5},
	    {CPC_AUTO, CPC_AUTO, false, CPT_EDGE, 5},
	    {CPC_COMP, CPC_ADMIN, true, CPT_INTERIOR, 1},
	    {CPC_COMP, CPC_AUTO, false, CPT_EDGE, 5},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		const struct cnd_row port = {rows[i].port, CPT_DISABLED, 2};
		struct cnd_defense d =
		    cnd_resolve(rows[i].component == CPC_ADMIN ? &component_admin : &component_auto,
				&port, CPT_EDGE, 5);

		assert_int_equal(d.cnpd_is_admin_def_mode, rows[i].is_admin);
		assert_int_equal(d.cnpd_defense_mode, rows[i].mode);
		assert_int_equal(d.alternate_priority, rows[i].alternate);
	}
}

/* 32.1 with one CNPV, 3, and alternate priority 2. */
static void test_map_of_each_mode(void **state)
{
	static const uint8_t table[] = {0, 3, 3, 4,
					5, 6, 7, 1}; /* 1 and 2 are regenerated to the CNPV */
	static const struct {
		enum cn_defense_mode mode;
		uint8_t cnpv, strip, ready;
		uint8_t plain[8], by_table[8];
	} rows[] = {
	    {CPT_DISABLED, 0, 0, 0, {0, 1, 2, 3, 4, 5, 6, 7}, {0, 3, 3, 4, 5, 6, 7, 1}},
	    {CPT_INTERIOR, 8, 8, 0, {0, 1, 2, 3, 4, 5, 6, 7}, {0, 2, 2, 3, 5, 6, 7, 1}},
	    {CPT_INTERIOR_READY, 8, 0, 8, {0, 1, 2, 3, 4, 5, 6, 7}, {0, 2, 2, 3, 5, 6, 7, 1}},
	    {CPT_EDGE, 8, 8, 0, {0, 1, 2, 2, 4, 5, 6, 7}, {0, 2, 2, 2, 5, 6, 7, 1}},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct cnd_defense defense[8] = {[3] = {true, rows[i].mode, 2}};
		struct cnd_map map;

		cnd_map(&map, defense, 1 << 3, NULL);
		assert_int_equal(map.cnpv, rows[i].cnpv);
		assert_int_equal(map.strip, rows[i].strip);
		assert_int_equal(map.ready, rows[i].ready);
		assert_memory_equal(map.ingress, rows[i].plain, 8);
		cnd_map(&map, defense, 1 << 3, table);
		assert_memory_equal(map.ingress, rows[i].by_table, 8);
		/* Without CNPVs: the priority stays, or the table applies. */
		cnd_map(&map, defense, 0, NULL);
		assert_int_equal(map.cnpv | map.strip | map.ready, 0);
		for (uint8_t p = 0; p < 8; p++)
			assert_int_equal(map.ingress[p], p);
		cnd_map(&map, defense, 0, table);
		assert_memory_equal(map.ingress, table, 8);
	}
}

/* Several CNPVs in several modes: each follows its own mode, and an errored alternate is used. */
static void test_map_with_several_modes(void **state)
{
	static const uint8_t table[] = {0, 1, 2, 2, 6, 0, 4, 5};
	static const uint8_t wanted[] = {0, 1, 2, 2, 6, 0, 6, 6};
	struct cnd_defense defense[8] = {
	    [3] = {false, CPT_EDGE, 2},    /* gets 2 */
	    [4] = {true, CPT_DISABLED, 1}, /* not a CNPV: regenerated to 6 */
	    [5] = {true, CPT_EDGE, 0},     /* gets 0 */
	    [2] = {true, CPT_INTERIOR, 7}, /* keeps its priority */
	    [7] = {true, CPT_EDGE, 6},     /* gets 6 */
	};
	struct cnd_map map;

	(void)state;
	defense[6] = (struct cnd_defense){true, CPT_INTERIOR_READY, 1};
	cnd_map(&map, defense, 0xbc, table); /* CNPVs 2 to 5 and 7 */
	assert_int_equal(map.cnpv, 0xac);
	assert_int_equal(map.strip, 0xac);
	/* 6 is not a CNPV: regenerated to 4, whose defense is disabled. */
	assert_int_equal(map.ingress[6], 4);
	cnd_map(&map, defense, 0xfc, table);
	assert_int_equal(map.ready, 0x40);
	/* 4 is regenerated to the CNPV 6: gets the alternate of 6. */
	assert_int_equal(map.ingress[4], 1);
	for (uint8_t p = 0; p < 8; p++)
		if (p != 4)
			assert_int_equal(map.ingress[p], wanted[p]);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_alternate_vectors),
	    cmocka_unit_test(test_alternate_for_every_set_of_cnpvs),
	    cmocka_unit_test(test_errored_port),
	    cmocka_unit_test(test_count_of_cnpvs),
	    cmocka_unit_test(test_defense_of_tables_32_2_and_32_3),
	    cmocka_unit_test(test_map_of_each_mode),
	    cmocka_unit_test(test_map_with_several_modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
