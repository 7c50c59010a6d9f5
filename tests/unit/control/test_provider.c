/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports and settings that a provider refuses or fails: with one to three fake providers. */
#include <stdio.h>

#include "lib/log.h"
#include "control/managed_conf.h"
#include "tests/unit/control/provider_world.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

/* --- ports of each provider ------------------------------------------------------------ */

static void test_each_provider_has_its_ports(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= MO_WORLD_PROVIDERS; n++) {
		struct mo_world *w = make_world(n);

		assert_int_equal(w->provider.published->n_ports, n == 1 ? 3 : 1);
		assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
		check_in_force(w);
		assert_column(w, "ieee8021CnCpidToIfIfIndex",
			      "2.0.0.0.0.3.0.3=3 2.0.0.0.0.3.0.11=5 2.0.0.0.0.3.0.19=9");
		assert_true(managed_interface_gone(w->m, 5));
		mo_world_adopt(w);
		check_in_force(w);
		mo_world_add_port(w, 5, "sw5", "uplink");
		assert_value(w, ALLOWANCE, "5", "55");
		check_in_force(w);
		mo_world_free(w);
	}
}

static void test_unknown_provider_is_an_error(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct link_info link = mo_world_link(7, "sw7", "");
	struct port_settings settings = {.provider = "absent"};
	char err[128];

	(void)state;
	assert_false(managed_port_add(w->m, &link, &settings, err, sizeof(err)));
	assert_string_equal(err, "sw7: provider \"absent\" was not started");
	mo_world_free(w);
}

static void test_dcb_agent_provider_lists_names(void **state)
{
	struct mo_world *w = mo_world_of_providers(ROLE_BRIDGE, 2);

	(void)state;
	assert_column(w, "dcbAgentProvider", "0=fake, other");
	mo_world_free(w);
}

/* --- refusals -------------------------------------------------------------------------- */

static bool is_not_administered(const struct dcb_config_port *at)
{
	return at->config->port_pri[4].cnpd_def_mode_choice != CPC_ADMIN;
}

static void test_refusal_has_reason_varbind_and_text(void **state)
{
	static const struct {
		enum provider_reason reason;
		enum mo_error error;
	} reasons[] = {
	    {PROVIDER_NO_RESOURCE, MO_RESOURCE_UNAVAILABLE},
	    {PROVIDER_CANNOT, MO_INCONSISTENT_VALUE},
	};

	(void)state;
	for (unsigned n = 1; n <= MO_WORLD_PROVIDERS; n++) {
		for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
			struct mo_world *w = make_world(n);
			struct fake_provider *last = mo_world_provider(w, n - 1);
			struct snapshot before = take_snapshot(w);

			last->accepts = has_no_pfc_on_7;
			last->refusal = reasons[i].reason;
			last->about = PROVIDER_PFC;
			assert_int_equal(SET(w, {ALLOWANCE, "3", "34"}, {ALLOWANCE, "9", "98"},
					     {ENABLE, "9.7", "true"}, {ENABLE, "3.1", "true"}),
					 reasons[i].error);
			assert_int_equal(w->bad, 3);
			assert_string_equal(w->reason, "sw9: fake cannot: expected another");
			check_untouched(w, &before);
			assert_value(w, ENABLE, "9.7", "false");
			assert_value(w, ALLOWANCE, "3", "33");
			assert_int_equal(SET(w, {ENABLE, "9.6", "true"}), MO_NO_ERROR);
			check_in_force(w);
			mo_world_free(w);
		}
	}
}

/* If the provider does not name an object, the error index is that of a varbind of the port. */
static void test_refusal_without_subject(void **state)
{
	struct mo_world *w = make_world(2);

	(void)state;
	w->others[0].accepts = has_no_pfc_on_7;
	assert_int_equal(SET(w, {ENABLE, "3.7", "true"}, {ENABLE, "9.7", "true"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	w->others[0].names_no_port = true;
	assert_int_equal(SET(w, {ENABLE, "3.7", "true"}, {ENABLE, "9.7", "true"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 0);
	assert_string_equal(w->reason, "fake cannot: expected another");
	mo_world_free(w);
}

/* If the cause is an object common to all ports, the error index is that object's varbind. */
static void test_refusal_of_object_common_to_ports(void **state)
{
	struct mo_world *w = make_world(2);
	struct snapshot before = take_snapshot(w);
	struct log_capture c;

	(void)state;
	w->others[0].accepts = is_not_administered;
	c = log_watch(LOG_LEVEL_WARN);
	assert_int_equal(SET(w, {ENABLE, "3.1", "true"},
			     {"ieee8021CnComPriCreation", "1.4", "cncpAutoDisable"},
			     {STATUS, "1.4", "createAndGo"}),
			 MO_INCONSISTENT_VALUE);
	log_expect(&c,
		   "<4>prog: provider: SET refused: inconsistentValue: sw5: "
		   "fake cannot: expected another\n");
	assert_int_equal(w->bad, 2);
	check_untouched(w, &before);
	mo_world_free(w);
}

/* --- removed ports --------------------------------------------------------------------- */

static void test_port_whose_removal_fails_is_still_there(void **state)
{
	struct mo_world *w = make_world(2);
	struct log_capture c;

	(void)state;
	fail_next_commit(&w->others[0], 9);
	c = log_watch(LOG_LEVEL_WARN);
	assert_false(managed_interface_gone(w->m, 9));
	log_expect(&c,
		   "<3>prog: port: sw9: port not removed: "
		   "fake does not obey\n");
	check_in_force(w);
	assert_null(w->m->absent);
	assert_value(w, ALLOWANCE, "9", "99");
	assert_true(managed_interface_gone(w->m, 9));
	mo_world_free(w);
}

/* --- added interfaces ------------------------------------------------------------------ */

static void test_refused_interface_is_retried(void **state)
{
	struct mo_world *w = mo_world_of_providers(ROLE_BRIDGE, 2);
	struct link_info link = mo_world_link(9, "sw9", "");
	struct port_settings settings = {.provider = "other"};
	char err[256];

	(void)state;
	assert_int_equal(SET(w, {ALLOWANCE, "9", "5000"}), MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 9));
	mo_world_adopt(w);
	w->others[0].accepts = has_little_delay;
	for (unsigned i = 0; i < 2; i++) {
		assert_false(managed_port_add(w->m, &link, &settings, err, sizeof(err)));
		assert_string_equal(err, "sw9: fake cannot: expected another");
		assert_int_equal(w->others[0].n_open, 1);
		check_in_force(w);
	}
	w->others[0].accepts = NULL;
	mo_world_add_port(w, 9, "sw9", "");
	assert_value(w, ALLOWANCE, "9", "5000");
	mo_world_free(w);
}

/*
 * Another provider fails when a port is added: the port's own provider has committed it, and
 * may read it until it has adopted the restored or a later configuration.
 */
static void test_port_not_added_if_another_provider_fails(void **state)
{
	(void)state;
	for (unsigned failures = 0; failures <= 1; failures++) {
		struct mo_world *w = make_world(2);
		struct link_info link = mo_world_link(7, "sw7", "");
		struct port_settings settings = {.provider = "fake"};
		char err[256];

		fail_next_commit(&w->others[0], 9);
		w->provider.fail_after = 1;
		w->provider.fail_commits = failures;
		assert_false(managed_port_add(w->m, &link, &settings, err, sizeof(err)));
		assert_memory_equal(err, "sw7: sw9: fake does not obey", 28);
		assert_int_equal(w->provider.n_open, 2);
		assert_int_equal(w->provider.published->n_ports, 1 + failures);
		mo_world_adopt(w);
		assert_int_equal(w->provider.n_open, 1 + failures);
		assert_int_equal(SET(w, {ENABLE, "5.1", "true"}), MO_NO_ERROR);
		assert_int_equal(w->provider.n_open, 1);
		check_in_force(w);
		mo_world_add_port(w, 7, "sw7", "");
		check_in_force(w);
		mo_world_free(w);
	}
}

/* The provider refuses the settings kept under a new alias: the port keeps its own. */
static void test_refused_settings_stay_absent(void **state)
{
	struct mo_world *w = mo_world_of_providers(ROLE_BRIDGE, 2);
	struct link_info link = mo_world_link(5, "sw5", "uplink");

	(void)state;
	assert_int_equal(SET(w, {ALLOWANCE, "5", "5000"}), MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 5));
	mo_world_adopt(w);
	mo_world_add_port(w, 5, "sw5", "");
	w->others[0].accepts = has_little_delay;
	managed_port_update(w->m, managed_find(w->m, 5), &link);
	assert_value(w, ALLOWANCE, "5", "0");
	check_in_force(w);
	w->others[0].accepts = NULL;
	link.alias[0] = '\0';
	managed_port_update(w->m, managed_find(w->m, 5), &link);
	snprintf(link.alias, sizeof(link.alias), "uplink");
	managed_port_update(w->m, managed_find(w->m, 5), &link);
	assert_value(w, ALLOWANCE, "5", "5000");
	mo_world_adopt(w);
	mo_world_free(w);
}

/* A provider refuses a port's settings in the state file: the other ports get theirs. */
static void test_refused_state_leaves_other_ports(void **state)
{
	struct mo_world *w = mo_world_of_providers(ROLE_BRIDGE, 2);

	(void)state;
	assert_int_equal(
	    SET(w, {ALLOWANCE, "9", "5000"}, {ALLOWANCE, "3", "5000"}, {ENABLE, "5.1", "true"}),
	    MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	w->others[0].accepts = has_little_delay;
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_add_port(w, 9, "sw9", "");
	mo_world_load(w);
	assert_column(w, ALLOWANCE, "3=5000 5=0 9=0");
	assert_value(w, ENABLE, "5.1", "true");
	check_in_force(w);
	mo_world_free(w);
}

static void test_release_fails_with_reason(void **state)
{
	static const struct conf conf = {.role = ROLE_BRIDGE, .component_id = 1};
	struct link_info link = mo_world_link(3, "sw3", "");
	struct fake_provider fake;
	struct provider *const providers[] = {&fake.provider};
	struct provider_refusal why;
	struct managed *m;
	char err[128];

	(void)state;
	fake_provider_init(&fake);
	m = managed_conf_new(&conf, providers, 1);
	assert_true(managed_port_add(m, &link, &conf.port_default, err, sizeof(err)));
	assert_int_equal(fake.n_published, 0);
	assert_int_equal(fake.n_prepared, fake.n_aborted);
	fail_next_commit(&fake, 3);
	assert_false(managed_release(m, &why));
	assert_string_equal(managed_refusal_text(&why, err, sizeof(err)),
			    "sw3: fake does not obey");
	managed_free(m);
	assert_int_equal(fake.n_open, 0);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_each_provider_has_its_ports),
	    cmocka_unit_test(test_unknown_provider_is_an_error),
	    cmocka_unit_test(test_dcb_agent_provider_lists_names),
	    cmocka_unit_test(test_refusal_has_reason_varbind_and_text),
	    cmocka_unit_test(test_refusal_without_subject),
	    cmocka_unit_test(test_refusal_of_object_common_to_ports),
	    cmocka_unit_test(test_port_whose_removal_fails_is_still_there),
	    cmocka_unit_test(test_refused_interface_is_retried),
	    cmocka_unit_test(test_port_not_added_if_another_provider_fails),
	    cmocka_unit_test(test_refused_settings_stay_absent),
	    cmocka_unit_test(test_refused_state_leaves_other_ports),
	    cmocka_unit_test(test_release_fails_with_reason),
	};

	log_init("test_provider", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
