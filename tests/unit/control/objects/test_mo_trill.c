/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings, egress entries, nicknames and counters of an RBridge. */
#include <string.h>

#include "control/persist.h"
#include "lib/log.h"
#include "lib/ranges.h"
#include "tests/unit/control/objects/trill_rows.h"
#include "tests/unit/mo_world.h"

/* --- settings -------------------------------------------------------------------------- */

static void test_new_rbridge_has_initial_settings(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_RBRIDGE);
	const uint8_t none[VLAN_SET_OCTETS] = {0};

	(void)state;
	assert_value(w, "dcbAgentRole", "0", "rbridge");
	assert_value(w, OWN, "0", "0");
	assert_value(w, ROOT, "0", "0");
	assert_value(w, "dcbTrillHopCount", "0", "63");
	assert_column(w, MODE, "3=access 5=access 9=access");
	assert_column(w, "dcbTrillPortDesignatedVlan", "3=1 5=1 9=1");
	assert_column(w, "dcbTrillPortAppointed", "3=1-1023 5=1-1023 9=1-1023");
	assert_value(w, "dcbTrillPortTree4k", "9", "3072-4094");
	assert_memory_equal(config_of(w, 5)->trill.not_appointed, none, sizeof(none));
	assert_memory_equal(config_of(w, 5)->trill.pruned, none, sizeof(none));
	assert_int_equal(trill_hop_count(&w->m->config->trill), 63);
	mo_world_free(w);
}

static void test_settings_are_set_and_kept(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_RBRIDGE);

	(void)state;
	assert_int_equal(
	    SET(w, {OWN, "0", "65471"}, {ROOT, "0", "65471"}, {"dcbTrillHopCount", "0", "7"},
		{MODE, "5", "hybrid"}, {"dcbTrillPortDesignatedVlan", "5", "4094"},
		{"dcbTrillPortAppointed", "5", "10-20"}, {"dcbTrillPortAppointed2k", "5", "none"},
		{"dcbTrillPortTree", "5", "1-9,21-1023"}),
	    MO_NO_ERROR);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(w->m->config->trill.nickname, 65471);
		assert_int_equal(w->m->config->trill.tree_root, 65471);
		assert_int_equal(trill_hop_count(&w->m->config->trill), 7);
		assert_column(w, MODE, "3=access 5=hybrid 9=access");
		assert_value(w, "dcbTrillPortDesignatedVlan", "5", "4094");
		assert_value(w, "dcbTrillPortAppointed", "5", "10-20");
		assert_value(w, "dcbTrillPortAppointed2k", "5", "none");
		assert_value(w, "dcbTrillPortTree", "5", "1-9,21-1023");
		assert_false(ranges_has(config_of(w, 5)->trill.not_appointed, 15));
		assert_true(ranges_has(config_of(w, 5)->trill.not_appointed, 2047));
		assert_true(ranges_has(config_of(w, 5)->trill.pruned, 15));
		assert_false(ranges_has(config_of(w, 5)->trill.pruned, 9));
		mo_world_reload(w);
	}
	assert_ptr_equal(config_of(w, 3), w->m->config->fresh);
	mo_world_free(w);
}

static void test_values_out_of_range_are_refused(void **state)
{
	static const char *const bad[][3] = {
	    {OWN, "0", "65472"},
	    {OWN, "0", "-1"},
	    {ROOT, "0", "65535"},
	    {"dcbTrillHopCount", "0", "0"},
	    {"dcbTrillHopCount", "0", "64"},
	    {MODE, "5", "0"},
	    {MODE, "5", "4"},
	    {"dcbTrillPortDesignatedVlan", "5", "0"},
	    {"dcbTrillPortDesignatedVlan", "5", "4095"},
	    {NICKNAME, X, "0"},
	    {NICKNAME, X, "65472"},
	};
	struct mo_world *w = mo_world_new(ROLE_RBRIDGE);

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(mo_world_set(w, &bad[i], 1), MO_WRONG_VALUE);
	mo_world_free(w);
}

/* --- dcbd.conf ------------------------------------------------------------------------- */

struct initial_row {
	const char *object, *index, *port, *value;
};

/* Applies "initial" of dcbd.conf, with its entries on lines 1, 2 ...; *reason: of the refusal. */
static bool initial(struct mo_world *w, const struct initial_row *rows, size_t n, char reason[512])
{
	static struct conf conf;

	memset(&conf, 0, sizeof(conf));
	for (; conf.n_initial < n; conf.n_initial++) {
		const struct initial_row *row = &rows[conf.n_initial];

		conf.initial[conf.n_initial] = (struct conf_initial){
		    .object = (char *)(uintptr_t)row->object,
		    .index = (char *)(uintptr_t)row->index,
		    .port = (char *)(uintptr_t)row->port,
		    .value = (char *)(uintptr_t)row->value,
		    .line = (unsigned)conf.n_initial + 1,
		};
	}
	reason[0] = '\0';
	return persist_initial(w->m, &conf, reason, 512);
}

static void test_initial_settings_are_those_of_an_rbridge(void **state)
{
	static const struct initial_row rows[] = {
	    {OWN, "0", NULL, "1"},
	    {ROOT, "0", NULL, "256"},
	    {TREE, "*.256.2.0.0.0.1.3", "sw3", "true"},
	    {UNICAST, "*.256.2.0.0.0.1.3", "sw3", "false"},
	    {H_STATUS, "*.256.2.0.0.0.1.3", "sw3", "createAndGo"},
	    {MODE, "*", "sw3", "trunk"},
	    {NICKNAME, X, NULL, "256"},
	    {E_STATUS, X, NULL, "createAndGo"},
	};
	struct mo_world *w = mo_world_new(ROLE_RBRIDGE);
	char reason[512];

	(void)state;
	if (!initial(w, rows, sizeof(rows) / sizeof(rows[0]), reason))
		fail_msg("%s", reason);
	mo_world_adopt(w);
	assert_value(w, ROOT, "0", "256");
	assert_column(w, TREE, A3 "=true");
	assert_column(w, UNICAST, A3 "=false");
	assert_column(w, NICKNAME, X "=256");
	mo_world_free(w);
}

static void test_contradicting_initial_settings_are_refused(void **state)
{
	static const struct initial_row rows[] = {
	    {OWN, "0", NULL, "256"},
	    {MODE, "*", "sw3", "trunk"},
	    {H_STATUS, "*.256.2.0.0.0.1.3", "sw3", "createAndGo"},
	};
	struct mo_world *w = mo_world_new(ROLE_RBRIDGE);
	char reason[512];

	(void)state;
	assert_false(initial(w, rows, sizeof(rows) / sizeof(rows[0]), reason));
	assert_string_equal(reason,
			    "line 1: initial: nickname 256: expected another one than that "
			    "of a next hop of port sw3");
	assert_value(w, OWN, "0", "0");
	assert_column(w, TREE, "");
	mo_world_free(w);
}

/* --- egress entries -------------------------------------------------------------------- */

static void test_egress_entry_is_created_changed_and_deleted(void **state)
{
	struct mo_world *w = world();

	(void)state;
	assert_int_equal(SET(w, {NICKNAME, Y, "512"}, {E_STATUS, X, "createAndGo"},
			     {E_STATUS, Y, "createAndGo"}, {NICKNAME, X, "256"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {E_STATUS, Z, "createAndGo"}, {NICKNAME, Z, "65471"}), MO_NO_ERROR);
	assert_value(w, "dcbTrillEgressEntries", "0", "3");
	assert_int_equal(SET(w, {NICKNAME, X, "300"}, {E_STATUS, Y, "destroy"}), MO_NO_ERROR);
	for (unsigned i = 0; i < 2; i++) {
		assert_column(w, NICKNAME, X "=300 " Z "=65471");
		assert_column(w, E_STATUS, X "=active " Z "=active");
		mo_world_reload(w);
	}
	assert_int_equal(SET(w, {E_STATUS, X, "destroy"}, {E_STATUS, Z, "destroy"}), MO_NO_ERROR);
	assert_column(w, NICKNAME, "");
	mo_world_free(w);
}

static void test_invalid_egress_entries_are_refused(void **state)
{
	struct mo_world *w = world();

	(void)state;
	assert_int_equal(SET(w, {NICKNAME, X, "256"}), MO_INCONSISTENT_NAME);
	assert_int_equal(SET(w, {E_STATUS, X, "createAndGo"}), MO_INCONSISTENT_VALUE);
	assert_non_null(strstr(w->reason,
			       " does not exist: expected createAndGo and "
			       "dcbTrillEgressNickname in one SET, not createAndGo"));
	assert_int_equal(SET(w, {E_STATUS, X, "createAndWait"}, {NICKNAME, X, "256"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(
	    SET(w, {E_STATUS, "1.1.0.94.0.0.1", "createAndGo"}, {NICKNAME, "1.1.0.94.0.0.1", "2"}),
	    MO_NO_CREATION);
	assert_int_equal(SET(w, {E_STATUS, "0.2.0.0.0.0.1", "destroy"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {E_STATUS, "4095.2.0.0.0.0.1", "destroy"}), MO_NO_CREATION);
	assert_column(w, NICKNAME, "");
	mo_world_free(w);
}

static void test_full_egress_table_refuses_an_entry(void **state)
{
	struct mo_world *w = world();
	struct dcb_config *config = dcb_config_copy(w->m->config);
	struct provider_refusal why;

	(void)state;
	for (uint64_t i = 0; i < TRILL_EGRESS_MAX; i++)
		assert_true(
		    trill_egress_put(&config->trill_egress,
				     &(struct trill_egress){(UINT64_C(20) << 48) + 1 + i, 9}));
	dcb_config_compute_oper(config);
	assert_true(managed_publish(w->m, config, &why));
	mo_world_adopt(w);
	assert_int_equal(SET(w, {NICKNAME, X, "256"}, {E_STATUS, X, "createAndGo"}),
			 MO_RESOURCE_UNAVAILABLE);
	assert_int_equal(SET(w, {NICKNAME, X, "256"}, {E_STATUS, X, "createAndGo"},
			     {E_STATUS, "20.0.0.0.0.0.1", "destroy"}),
			 MO_NO_ERROR);
	mo_world_reload(w);
	assert_value(w, "dcbTrillEgressEntries", "0", "1024");
	mo_world_free(w);
}

/* --- nicknames and counters ------------------------------------------------------------ */

static void test_nicknames_have_next_hops_in_use(void **state)
{
	struct mo_world *w = world();

	(void)state;
	fake_port(w->m->config->ports[managed_find(w->m, 5)].port)->stats.up = 1;
	assert_int_equal(SET(w, {H_STATUS, A3, "createAndGo"}, {TREE, A3, "true"},
			     {H_STATUS, A5, "createAndGo"}, {H_STATUS, B5, "createAndGo"},
			     {E_STATUS, X, "createAndGo"}, {NICKNAME, X, "256"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {E_STATUS, Y, "createAndGo"}, {NICKNAME, Y, "65471"},
			     {E_STATUS, Z, "createAndGo"}, {NICKNAME, Z, "65471"}),
			 MO_NO_ERROR);
	w->provider.nickname = 256;
	w->provider.of_nickname = (struct trill_nickname_stats){UINT64_C(0x100000001), 7, 3};
	assert_column(w, "dcbTrillNicknameNextHops", "256=2 512=1 65471=0");
	assert_column(w, "dcbTrillNicknameNextHopsUp", "256=1 512=1 65471=0");
	assert_column(w, "dcbTrillNicknameTreePort", "256=3 512=0 65471=0");
	assert_column(w, "dcbTrillNicknameEgressEntries", "256=1 512=0 65471=2");
	assert_column(w, "dcbTrillNicknameLearned", "256=3 512=0 65471=0");
	assert_column(w, "dcbTrillNicknameFramesTo", "256=4294967297 512=0 65471=0");
	assert_column(w, "dcbTrillNicknameFramesFrom", "256=7 512=0 65471=0");
	mo_world_free(w);
}

static void test_counters_of_a_port_are_the_providers(void **state)
{
	struct mo_world *w = world();
	struct trill_port_stats *stats =
	    &fake_port(w->m->config->ports[managed_find(w->m, 5)].port)->trill;

	(void)state;
	*stats = (struct trill_port_stats){.ingressed = 1,
					   .transited = 2,
					   .egressed = 3,
					   .cnm_transformed = 4,
					   .rpf = 5,
					   .not_adjacent = 6,
					   .mtu = UINT64_C(0x200000000)};
	for (unsigned i = 0; i < TRILL_ERRORS; i++)
		stats->malformed[i] = 100 + i;
	assert_column(w, "dcbTrillPortStatsIngressed", "3=0 5=1 9=0");
	assert_column(w, "dcbTrillPortStatsTransited", "3=0 5=2 9=0");
	assert_column(w, "dcbTrillPortStatsEgressed", "3=0 5=3 9=0");
	assert_column(w, "dcbTrillPortStatsCnmsTransformed", "3=0 5=4 9=0");
	assert_column(w, "dcbTrillPortStatsDropReversePath", "3=0 5=5 9=0");
	assert_column(w, "dcbTrillPortStatsDropNotAdjacent", "3=0 5=6 9=0");
	assert_column(w, "dcbTrillPortStatsDropMtu", "3=0 5=8589934592 9=0");
	assert_column(w, "dcbTrillPortStatsDropOuterCnTag", "3=0 5=101 9=0");
	assert_column(w, "dcbTrillPortStatsDropHopCount", "3=0 5=107 9=0");
	assert_column(w, "dcbTrillPortStatsDropInnerTrill", "3=0 5=114 9=0");
	mo_world_free(w);
}

/* --- walks ----------------------------------------------------------------------------- */

struct walk_case {
	struct mo_index from;
	const char *found;
};

static void assert_found(struct mo_world *w, enum mo_table_id table, const struct walk_case *cases,
			 size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct mo_index at = cases[i].from;
		bool found = mo_world_next(w, table, &at);
		char text[64] = "";

		if (found)
			mo_index_format(&at, text, sizeof(text));
		if (found != !!cases[i].found || (found && strcmp(text, cases[i].found) != 0))
			fail_msg("case %zu: %s instead of %s", i, text, cases[i].found);
	}
}

/* A walk finds each row from any index before it; sub-identifiers may be of any size. */
static void test_rows_are_found_from_any_index(void **state)
{
	static const struct walk_case hops[] = {
	    {{0, {0}}, A3},
	    {{1, {3}}, A3},
	    {{8, {3, 256, 2, 0, 0, 0, 1, 2}}, A3},
	    {{8, {3, 256, 2, 0, 0, 0, 1, 3}}, A5},
	    {{8, {3, UINT32_MAX, 0, 0, 0, 0, 0, 0}}, A5},
	    {{8, {4, 600, 0, 0, 0, 0, 0, 0}}, A5},
	    {{8, {5, 256, 2, 0, 0, 0, 1, 5}}, B5},
	    {{8, {5, 256, 2, 256, 0, 0, 0, 0}}, B5},
	    {{8, {5, 65471, 300, 0, 0, 0, 0, 0}}, B9},
	    {{8, {5, 512, 2, 0, 0, 0, 1, UINT32_MAX}}, B9},
	    {{8, {9, 512, 2, 0, 0, 0, 1, 9}}, NULL},
	    {{8, {9, 65471, 255, 255, 255, 255, 255, 255}}, NULL},
	    {{8, {UINT32_MAX, 0, 0, 0, 0, 0, 0, 0}}, NULL},
	};
	static const struct walk_case egress[] = {
	    {{0, {0}}, X},
	    {{7, {10, 2, 0, 0, 0, 0, 33}}, Y},
	    {{7, {10, 2, 0, 0, 0, 0, 256}}, Z},
	    {{7, {4094, 0, 0, 0, 0, 0, 1}}, NULL},
	    {{7, {UINT32_MAX, 0, 0, 0, 0, 0, 0}}, NULL},
	};
	static const struct walk_case nicknames[] = {
	    {{0, {0}}, "9"},      {{1, {8}}, "9"},          {{1, {9}}, "256"},
	    {{1, {256}}, "512"},  {{2, {256, 1}}, "512"},   {{1, {512}}, NULL},
	    {{1, {65471}}, NULL}, {{1, {UINT32_MAX}}, NULL}};
	struct mo_world *w = world();

	(void)state;
	assert_int_equal(SET(w, {MODE, "9", "trunk"}, {H_STATUS, A3, "createAndGo"},
			     {H_STATUS, A5, "createAndGo"}, {H_STATUS, B5, "createAndGo"},
			     {H_STATUS, B9, "createAndGo"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {E_STATUS, X, "createAndGo"}, {NICKNAME, X, "9"},
			     {E_STATUS, Y, "createAndGo"}, {NICKNAME, Y, "9"},
			     {E_STATUS, Z, "createAndGo"}, {NICKNAME, Z, "9"}),
			 MO_NO_ERROR);
	assert_found(w, MO_trill_hop, hops, sizeof(hops) / sizeof(hops[0]));
	assert_found(w, MO_trill_egress, egress, sizeof(egress) / sizeof(egress[0]));
	assert_found(w, MO_trill_nickname, nicknames, sizeof(nicknames) / sizeof(nicknames[0]));
	mo_world_free(w);
}

/* dcbTrillFdbTable has what the provider knows, in the order of the index; it cannot be set. */
static void test_addresses_are_the_providers(void **state)
{
	struct fdb_address of[] = {
	    {.key = UINT64_C(1) << 48 | UINT64_C(0x0200000000ff), .nickname = 512, .age_s = 3},
	    {.key = UINT64_C(1) << 48 | UINT64_C(0x020000000100), .nickname = 256, .age_s = 301},
	    {.key = UINT64_C(10) << 48 | UINT64_C(0x020000000021), .nickname = 256, .fixed = true},
	};
	static const struct walk_case cases[] = {
	    {{0, {0}}, "1.2.0.0.0.0.255"},
	    {{1, {1}}, "1.2.0.0.0.0.255"},
	    {{7, {1, 2, 0, 0, 0, 0, 255}}, "1.2.0.0.0.1.0"},
	    {{7, {1, 2, 0, 0, 0, 0, 256}}, "1.2.0.0.0.1.0"},
	    {{7, {1, 2, 0, 0, 0, 1, 0}}, "10.2.0.0.0.0.33"},
	    {{7, {10, 2, 0, 0, 0, 0, 33}}, NULL},
	    {{1, {4095}}, NULL},
	    {{1, {UINT32_MAX}}, NULL},
	};
	struct mo_world *w = world();

	(void)state;
	w->provider.addresses = (struct fdb_addresses){of, 3, 0};
	assert_found(w, MO_trill_fdb, cases, sizeof(cases) / sizeof(cases[0]));
	assert_column(w, "dcbTrillFdbNickname",
		      "1.2.0.0.0.0.255=512 1.2.0.0.0.1.0=256 10.2.0.0.0.0.33=256");
	assert_column(w, "dcbTrillFdbOrigin",
		      "1.2.0.0.0.0.255=learned 1.2.0.0.0.1.0=learned 10.2.0.0.0.0.33=static");
	assert_column(w, "dcbTrillFdbAge", "1.2.0.0.0.0.255=3 1.2.0.0.0.1.0=301 10.2.0.0.0.0.33=0");
	assert_int_equal(SET(w, {"dcbTrillFdbNickname", X, "512"}), MO_NOT_WRITABLE);
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_new_rbridge_has_initial_settings),
	    cmocka_unit_test(test_settings_are_set_and_kept),
	    cmocka_unit_test(test_values_out_of_range_are_refused),
	    cmocka_unit_test(test_initial_settings_are_those_of_an_rbridge),
	    cmocka_unit_test(test_contradicting_initial_settings_are_refused),
	    cmocka_unit_test(test_egress_entry_is_created_changed_and_deleted),
	    cmocka_unit_test(test_invalid_egress_entries_are_refused),
	    cmocka_unit_test(test_full_egress_table_refuses_an_entry),
	    cmocka_unit_test(test_nicknames_have_next_hops_in_use),
	    cmocka_unit_test(test_addresses_are_the_providers),
	    cmocka_unit_test(test_counters_of_a_port_are_the_providers),
	    cmocka_unit_test(test_rows_are_found_from_any_index),
	};

	log_init("test_mo_trill", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
