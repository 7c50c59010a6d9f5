/* SPDX-License-Identifier: BSD-3-Clause */
/* Next hops of an RBridge: their rows, what refuses them, and their way through the state file. */
#include <stdio.h>
#include <string.h>

#include "lib/log.h"
#include "tests/unit/control/objects/trill_rows.h"
#include "tests/unit/mo_world.h"

static void assert_reason(const struct mo_world *w, unsigned bad, const char *text)
{
	assert_int_equal(w->bad, bad);
	if (!strstr(w->reason, text))
		fail_msg("reason \"%s\": expected \"%s\"", w->reason, text);
}

static void test_next_hop_is_created_changed_and_deleted(void **state)
{
	struct mo_world *w = world();

	(void)state;
	assert_column(w, TREE, "");
	/* The order of varbinds does not matter; the tree's initial value is false. */
	assert_int_equal(SET(w, {H_STATUS, B5, "createAndGo"}, {TREE, A3, "true"},
			     {H_STATUS, A5, "createAndGo"}, {H_STATUS, A3, "createAndGo"},
			     {TREE, A5, "false"}),
			 MO_NO_ERROR);
	assert_column(w, TREE, A3 "=true " A5 "=false " B5 "=false");
	assert_column(w, H_STATUS, A3 "=active " A5 "=active " B5 "=active");
	/* The tree moves to another link in one SET. */
	assert_int_equal(SET(w, {TREE, A5, "true"}, {TREE, A3, "false"}, {H_STATUS, B5, "active"}),
			 MO_NO_ERROR);
	assert_column(w, TREE, A3 "=false " A5 "=true " B5 "=false");
	assert_int_equal(SET(w, {H_STATUS, A5, "destroy"}, {TREE, A3, "true"}), MO_NO_ERROR);
	assert_column(w, TREE, A3 "=true " B5 "=false");
	assert_int_equal(SET(w, {H_STATUS, A5, "destroy"}), MO_NO_ERROR); /* there is none */
	assert_int_equal(SET(w, {H_STATUS, A3, "destroy"}, {H_STATUS, B5, "destroy"}), MO_NO_ERROR);
	assert_column(w, TREE, "");
	mo_world_free(w);
}

/* A SET of one object leaves the other; both survive a restart. */
static void test_next_hop_can_be_in_the_tree_only(void **state)
{
	struct mo_world *w = world();

	(void)state;
	assert_int_equal(SET(w, {UNICAST, A3, "false"}, {H_STATUS, A3, "createAndGo"},
			     {TREE, A3, "true"}, {H_STATUS, A5, "createAndGo"},
			     {UNICAST, B5, "false"}, {H_STATUS, B5, "createAndGo"}),
			 MO_NO_ERROR);
	for (unsigned i = 0; i < 2; i++) {
		assert_column(w, UNICAST, A3 "=false " A5 "=true " B5 "=false");
		assert_column(w, TREE, A3 "=true " A5 "=false " B5 "=false");
		mo_world_reload(w);
	}
	assert_column(w, "dcbTrillNicknameNextHops", "256=1 512=0");
	assert_column(w, "dcbTrillNicknameTreePort", "256=3 512=0");
	assert_int_equal(SET(w, {TREE, A3, "false"}, {TREE, A5, "true"}), MO_NO_ERROR);
	assert_column(w, UNICAST, A3 "=false " A5 "=true " B5 "=false");
	assert_int_equal(SET(w, {UNICAST, A3, "true"}, {UNICAST, A5, "false"}), MO_NO_ERROR);
	assert_column(w, UNICAST, A3 "=true " A5 "=false " B5 "=false");
	assert_column(w, TREE, A3 "=false " A5 "=true " B5 "=false");
	assert_int_equal(SET(w, {UNICAST, A3, "0"}), MO_WRONG_VALUE);
	assert_int_equal(SET(w, {UNICAST, B9, "false"}), MO_INCONSISTENT_NAME);
	assert_int_equal(SET(w, {UNICAST, B5, "true"}, {H_STATUS, B5, "destroy"}), MO_NO_ERROR);
	mo_world_reload(w);
	assert_column(w, UNICAST, A3 "=true " A5 "=false");
	assert_column(w, TREE, A3 "=false " A5 "=true");
	mo_world_free(w);
}

static void test_invalid_next_hops_are_refused(void **state)
{
	struct mo_world *w = world();

	(void)state;
	assert_int_equal(SET(w, {H_STATUS, A3, "createAndGo"}, {TREE, A3, "true"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {TREE, B5, "true"}), MO_INCONSISTENT_NAME);
	assert_int_equal(SET(w, {H_STATUS, B5, "createAndWait"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {H_STATUS, B5, "active"}), MO_INCONSISTENT_VALUE);
	assert_non_null(
	    strstr(w->reason, " does not exist: expected createAndGo or destroy, not active"));
	assert_int_equal(SET(w, {H_STATUS, A3, "createAndGo"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {H_STATUS, A3, "notInService"}), MO_INCONSISTENT_VALUE);
	/* No port; a group address; no address; reserved nicknames; an index of another length. */
	assert_int_equal(SET(w, {H_STATUS, "4.256.2.0.0.0.1.3", "createAndGo"}),
			 MO_INCONSISTENT_NAME);
	assert_int_equal(SET(w, {H_STATUS, "3.256.1.128.194.0.0.64", "createAndGo"}),
			 MO_NO_CREATION);
	assert_int_equal(SET(w, {H_STATUS, "3.256.0.0.0.0.0.0", "createAndGo"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {H_STATUS, "3.0.2.0.0.0.1.3", "createAndGo"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {H_STATUS, "3.65472.2.0.0.0.1.3", "createAndGo"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {H_STATUS, "3.256.2.0.0.0.1.256", "createAndGo"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {H_STATUS, "3.256.2.0.0.0.1", "createAndGo"}), MO_NO_CREATION);
	/* All or nothing. */
	assert_int_equal(SET(w, {H_STATUS, A3, "destroy"}, {H_STATUS, B5, "active"}),
			 MO_INCONSISTENT_VALUE);
	assert_column(w, TREE, A3 "=true");
	mo_world_free(w);
}

static void test_port_of_a_bridge_has_no_next_hops(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	((struct port *)(uintptr_t)w->m->config->ports[1].port)->has &= ~(uint32_t)PROVIDER_TRILL;
	assert_column(w, MODE, "3=access 9=access");
	assert_int_equal(SET(w, {MODE, "5", "trunk"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {H_STATUS, A5, "createAndGo"}), MO_NO_CREATION);
	mo_world_free(w);
}

static void test_own_nickname_is_nobody_elses(void **state)
{
	struct mo_world *w = world();

	(void)state;
	assert_int_equal(SET(w, {H_STATUS, A3, "createAndGo"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {MODE, "3", "hybrid"}, {OWN, "0", "256"}), MO_INCONSISTENT_VALUE);
	assert_reason(w, 2,
		      "nickname 256: expected another one than that of a next hop of port sw3");
	assert_int_equal(SET(w, {H_STATUS, "5.1.2.0.0.0.1.5", "createAndGo"}),
			 MO_INCONSISTENT_NAME);
	assert_reason(w, 1, "nickname 1 is this RBridge's own");
	assert_int_equal(SET(w, {E_STATUS, X, "createAndGo"}, {NICKNAME, X, "1"}),
			 MO_INCONSISTENT_VALUE);
	assert_reason(w, 2, "nickname 1 is this RBridge's own");
	assert_int_equal(SET(w, {E_STATUS, X, "createAndGo"}, {NICKNAME, X, "700"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {OWN, "0", "700"}), MO_INCONSISTENT_VALUE);
	assert_reason(w, 1, "dcbTrillEgressTable");
	assert_int_equal(w->m->config->trill.nickname, 1);
	/* Both are exchanged in one SET. */
	assert_int_equal(SET(w, {OWN, "0", "256"}, {H_STATUS, A3, "destroy"},
			     {H_STATUS, "3.1.2.0.0.0.1.3", "createAndGo"}),
			 MO_NO_ERROR);
	assert_column(w, TREE, "3.1.2.0.0.0.1.3=false");
	mo_world_free(w);
}

static void test_next_hop_is_not_an_own_port(void **state)
{
	struct mo_world *w = world();

	(void)state;
	/* mo_world_link(): the address of port 9. */
	assert_int_equal(SET(w, {H_STATUS, "5.512.2.0.0.0.0.9", "createAndGo"}),
			 MO_INCONSISTENT_NAME);
	assert_reason(w, 1, "the address is that of port sw9");
	assert_column(w, TREE, "");
	mo_world_free(w);
}

static void test_next_hops_need_a_trunk_port(void **state)
{
	struct mo_world *w = world();

	(void)state;
	assert_int_equal(SET(w, {H_STATUS, B9, "createAndGo"}), MO_INCONSISTENT_VALUE);
	assert_reason(w, 1, "port sw9 has 1 next hops: expected mode trunk or hybrid");
	assert_int_equal(SET(w, {H_STATUS, B9, "createAndGo"}, {MODE, "9", "trunk"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {MODE, "9", "access"}), MO_INCONSISTENT_VALUE);
	assert_reason(w, 1, "port sw9");
	assert_int_equal(SET(w, {MODE, "9", "access"}, {H_STATUS, B9, "destroy"}), MO_NO_ERROR);
	mo_world_free(w);
}

static void test_nickname_is_in_the_tree_once(void **state)
{
	struct mo_world *w = world();

	(void)state;
	assert_int_equal(SET(w, {H_STATUS, A3, "createAndGo"}, {TREE, A3, "true"},
			     {H_STATUS, A5, "createAndGo"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {TREE, A5, "true"}), MO_INCONSISTENT_VALUE);
	assert_reason(w, 1,
		      "nickname 256: expected one next hop in the tree, and port sw3 has one");
	/* Two of one port, whichever is first. */
	assert_int_equal(SET(w, {TREE, "3.256.2.0.0.0.1.2", "true"},
			     {H_STATUS, "3.256.2.0.0.0.1.2", "createAndGo"}),
			 MO_INCONSISTENT_VALUE);
	assert_reason(w, 1, "port sw3");
	assert_int_equal(SET(w, {TREE, "3.256.2.0.0.0.1.4", "true"},
			     {H_STATUS, "3.256.2.0.0.0.1.4", "createAndGo"}),
			 MO_INCONSISTENT_VALUE);
	assert_column(w, TREE, A3 "=true " A5 "=false");
	mo_world_free(w);
}

static void test_tree_has_its_root(void **state)
{
	struct mo_world *w = world();

	(void)state;
	assert_int_equal(SET(w, {ROOT, "0", "256"}), MO_INCONSISTENT_VALUE);
	assert_reason(w, 1, "tree root 256: expected 0, the own nickname 1, or");
	assert_int_equal(SET(w, {ROOT, "0", "1"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {ROOT, "0", "256"}, {H_STATUS, A3, "createAndGo"}),
			 MO_INCONSISTENT_VALUE); /* not in the tree */
	assert_int_equal(
	    SET(w, {ROOT, "0", "256"}, {H_STATUS, A3, "createAndGo"}, {TREE, A3, "true"}),
	    MO_NO_ERROR);
	assert_int_equal(SET(w, {H_STATUS, A3, "destroy"}), MO_INCONSISTENT_VALUE);
	assert_reason(w, 1, "tree root 256");
	assert_int_equal(SET(w, {TREE, A3, "false"}), MO_INCONSISTENT_VALUE);
	/* The root's port is gone: other settings can be changed. */
	assert_true(managed_interface_gone(w->m, 3));
	mo_world_adopt(w);
	assert_int_equal(SET(w, {H_STATUS, B5, "createAndGo"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {"dcbTrillHopCount", "0", "9"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {ROOT, "0", "512"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {ROOT, "0", "0"}), MO_NO_ERROR);
	mo_world_free(w);
}

static void test_full_port_refuses_a_next_hop(void **state)
{
	struct mo_world *w = world();
	char index[40];

	(void)state;
	for (unsigned n = 1; n <= TRILL_NEXT_HOPS_MAX; n++) {
		snprintf(index, sizeof(index), "5.%u.2.0.0.0.1.5", 1000 + n);
		assert_int_equal(SET(w, {H_STATUS, index, "createAndGo"}), MO_NO_ERROR);
	}
	assert_int_equal(SET(w, {H_STATUS, A5, "createAndGo"}), MO_RESOURCE_UNAVAILABLE);
	assert_string_equal(w->reason, "sw5: expected at most 256 next hops");
	assert_int_equal(w->bad, 1);
	assert_int_equal(SET(w, {H_STATUS, A3, "createAndGo"}), MO_NO_ERROR);
	/* One is replaced by another in one SET, whichever has the lower index. */
	assert_int_equal(SET(w, {H_STATUS, A5, "createAndGo"}, {H_STATUS, index, "destroy"}),
			 MO_NO_ERROR);
	mo_world_reload(w);
	assert_value(w, TREE, A5, "false");
	assert_int_equal(config_of(w, 5)->trill_hops.n, TRILL_NEXT_HOPS_MAX);
	mo_world_free(w);
}

/* Rows are kept under the ifAlias or the ifName of their port. */
static void test_next_hop_follows_its_interface(void **state)
{
	struct mo_world *w = world();
	struct link_info link;

	(void)state;
	assert_int_equal(SET(w, {H_STATUS, A3, "createAndGo"}, {TREE, A3, "true"},
			     {H_STATUS, B5, "createAndGo"}, {ROOT, "0", "256"}),
			 MO_NO_ERROR);
	/* Other names and ifIndexes after a restart: the alias stays. */
	mo_world_restart(w);
	mo_world_add_port(w, 20, "lan5", "uplink");
	mo_world_add_port(w, 21, "sw3", "");
	mo_world_load(w);
	assert_column(w, TREE, "20.512.2.0.0.0.1.5=false 21.256.2.0.0.0.1.3=true");
	assert_column(w, MODE, "20=hybrid 21=trunk");
	assert_value(w, ROOT, "0", "256");
	/* Renamed while dcbd runs. */
	link = mo_world_link(21, "lan3", "");
	managed_port_update(w->m, managed_find(w->m, 21), &link);
	/* Gone, and back. */
	assert_true(managed_interface_gone(w->m, 21));
	mo_world_adopt(w);
	assert_column(w, TREE, "20.512.2.0.0.0.1.5=false");
	mo_world_add_port(w, 30, "lan3", "");
	assert_column(w, TREE, "20.512.2.0.0.0.1.5=false 30.256.2.0.0.0.1.3=true");
	mo_world_free(w);
}

/* An interface that was absent at start, with keep_absent. */
static void test_next_hop_of_absent_interface_is_kept(void **state)
{
	struct mo_world *w = world();

	(void)state;
	assert_int_equal(SET(w, {H_STATUS, A3, "createAndGo"}, {TREE, A3, "true"},
			     {H_STATUS, "3.512.2.0.0.0.1.3", "createAndGo"}, {ROOT, "0", "256"},
			     {UNICAST, A3, "false"}),
			 MO_NO_ERROR);
	mo_world_restart(w);
	w->conf.keep_absent = true;
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_load(w);
	assert_column(w, TREE, "");
	assert_value(w, ROOT, "0", "256");
	assert_int_equal(SET(w, {H_STATUS, B5, "createAndGo"}), MO_NO_ERROR); /* saves both */
	mo_world_restart(w);
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_load(w);
	mo_world_add_port(w, 3, "sw3", "");
	assert_column(w, TREE, A3 "=true 3.512.2.0.0.0.1.3=false " B5 "=false");
	assert_column(w, UNICAST, A3 "=false 3.512.2.0.0.0.1.3=true " B5 "=true");
	mo_world_free(w);
}

/* While the interface was away, its nickname became ours, and another port got its place. */
static void test_returning_interface_does_not_contradict(void **state)
{
	struct mo_world *w = world();

	(void)state;
	assert_int_equal(SET(w, {H_STATUS, A3, "createAndGo"}, {TREE, A3, "true"},
			     {H_STATUS, "3.512.2.0.0.0.1.3", "createAndGo"}),
			 MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 3));
	mo_world_adopt(w);
	assert_int_equal(
	    SET(w, {OWN, "0", "512"}, {H_STATUS, A5, "createAndGo"}, {TREE, A5, "true"}),
	    MO_NO_ERROR);
	mo_world_add_port(w, 3, "sw3", "");
	assert_column(w, TREE, A3 "=false " A5 "=true");
	mo_world_reload(w);
	assert_column(w, TREE, A3 "=false " A5 "=true");
	mo_world_free(w);
}

/* The same when the interface is back at a restart: the state file has both. */
static void test_state_file_does_not_contradict(void **state)
{
	struct mo_world *w = world();
	char text[256];

	(void)state;
	assert_int_equal(SET(w, {H_STATUS, A3, "createAndGo"}, {TREE, A3, "true"},
			     {H_STATUS, "3.512.2.0.0.0.1.3", "createAndGo"}),
			 MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 3));
	mo_world_adopt(w);
	assert_int_equal(
	    SET(w, {OWN, "0", "512"}, {H_STATUS, A5, "createAndGo"}, {TREE, A5, "true"}),
	    MO_NO_ERROR);
	mo_world_reload(w);
	assert_value(w, OWN, "0", "512");
	mo_world_column(w, TREE, text, sizeof(text));
	assert_true(strcmp(text, A3 "=false " A5 "=true") == 0 ||
		    strcmp(text, A3 "=true " A5 "=false") == 0);
	mo_world_free(w);
}

static void test_undo_restores_next_hops(void **state)
{
	static const char *const set[][3] = {
	    {TREE, A5, "true"}, {H_STATUS, A3, "destroy"}, {E_STATUS, X, "destroy"}};
	struct mo_world *w = world();

	(void)state;
	assert_int_equal(SET(w, {H_STATUS, A3, "createAndGo"}, {TREE, A3, "true"},
			     {H_STATUS, A5, "createAndGo"}, {E_STATUS, X, "createAndGo"},
			     {NICKNAME, X, "256"}),
			 MO_NO_ERROR);
	assert_int_equal(mo_world_test(w, set, 3), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	assert_column(w, TREE, A5 "=true");
	assert_column(w, NICKNAME, "");
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
	assert_column(w, TREE, A3 "=true " A5 "=false");
	assert_column(w, NICKNAME, X "=256");
	mo_world_reload(w);
	assert_column(w, TREE, A3 "=true " A5 "=false");
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_next_hop_is_created_changed_and_deleted),
	    cmocka_unit_test(test_next_hop_can_be_in_the_tree_only),
	    cmocka_unit_test(test_invalid_next_hops_are_refused),
	    cmocka_unit_test(test_port_of_a_bridge_has_no_next_hops),
	    cmocka_unit_test(test_own_nickname_is_nobody_elses),
	    cmocka_unit_test(test_next_hop_is_not_an_own_port),
	    cmocka_unit_test(test_next_hops_need_a_trunk_port),
	    cmocka_unit_test(test_nickname_is_in_the_tree_once),
	    cmocka_unit_test(test_tree_has_its_root),
	    cmocka_unit_test(test_full_port_refuses_a_next_hop),
	    cmocka_unit_test(test_next_hop_follows_its_interface),
	    cmocka_unit_test(test_next_hop_of_absent_interface_is_kept),
	    cmocka_unit_test(test_returning_interface_does_not_contradict),
	    cmocka_unit_test(test_state_file_does_not_contradict),
	    cmocka_unit_test(test_undo_restores_next_hops),
	};

	log_init("test_mo_trill", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
