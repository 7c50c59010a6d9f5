/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adding a table takes three edits: its rows (mibs/agent.def), their structs (mo_rows.h)
 * and their settings (dcb_config.h). This program is built from the sources of dcbd's
 * managed objects with those three files edited, which adds dcbTrialTable and
 * dcbTrialPortTable. If it does not compile or a test fails, other code depends on the
 * list of tables and has to be changed so that three edits are enough.
 */
#include "tests/unit/mo_world.h"

#include <stdio.h>
#include <string.h>

#include "agent/cli/base/target.h"
#include "control/objects/mo_settings.h"
#include "control/persist.h"
#include "lib/mo/mo_expect.h"

static void test_new_ports_have_initial_values(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	const struct port_config *pc = w->m->config->ports[0].config;

	(void)state;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		assert_false(pc->trial[p].enable);
		assert_int_equal(pc->trial[p].action, MO_trial_action_alert);
		assert_int_equal(pc->trial[p].limit_ms, 400);
	}
	assert_int_equal(pc->trial_port, -3);
	assert_column(w, "dcbTrialPortLevel", "3=-3 5=-3 9=-3");
	mo_world_free(w);
}

static void test_rows_are_walked_in_order(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct mo_index at = {0};
	unsigned n = 0;

	(void)state;
	for (; mo_world_next(w, MO_trial, &at); n++) {
		static const uint32_t ports[] = {3, 5, 9};

		assert_in_range(n, 0, 3 * DCB_PRIORITIES - 1);
		assert_int_equal(at.n, 2);
		assert_int_equal(at.sub[0], ports[n / DCB_PRIORITIES]);
		assert_int_equal(at.sub[1], n % DCB_PRIORITIES);
	}
	assert_int_equal(n, 3 * DCB_PRIORITIES);
	mo_world_free(w);
}

static void test_set_changes_one_row(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {"dcbTrialLimit", "5.2", "60000"},
			     {"dcbTrialAction", "5.2", "drop"}, {"dcbTrialEnable", "9.7", "true"},
			     {"dcbTrialPortLevel", "5", "10"}),
			 MO_NO_ERROR);
	assert_column(w, "dcbTrialPortLevel", "3=-3 5=10 9=-3");
	assert_column(w, "dcbTrialLimit",
		      "3.0=400 3.1=400 3.2=400 3.3=400 3.4=400 3.5=400 3.6=400 3.7=400 "
		      "5.0=400 5.1=400 5.2=60000 5.3=400 5.4=400 5.5=400 5.6=400 5.7=400 "
		      "9.0=400 9.1=400 9.2=400 9.3=400 9.4=400 9.5=400 9.6=400 9.7=400");
	assert_value(w, "dcbTrialAction", "5.2", "drop");
	assert_value(w, "dcbTrialEnable", "5.2", "false");
	assert_value(w, "dcbTrialEnable", "9.7", "true");
	/* The configuration that is published to the dataplane. */
	assert_int_equal(w->m->config->ports[1].config->trial[2].limit_ms, 60000);
	assert_int_equal(w->m->config->ports[1].config->trial[2].action, MO_trial_action_drop);
	assert_true(w->m->config->ports[2].config->trial[7].enable);
	assert_int_equal(w->m->config->ports[1].config->trial_port, 10);
	mo_world_free(w);
}

static void test_values_and_rows_out_of_range_are_refused(void **state)
{
	static const struct {
		const char *object, *index, *value;
		enum mo_error error;
	} cases[] = {
	    {"dcbTrialLimit", "5.2", "9", MO_WRONG_VALUE},
	    {"dcbTrialLimit", "5.2", "60001", MO_WRONG_VALUE},
	    {"dcbTrialAction", "5.2", "0", MO_WRONG_VALUE},
	    {"dcbTrialAction", "5.2", "4", MO_WRONG_VALUE},
	    {"dcbTrialEnable", "5.2", "3", MO_WRONG_VALUE},
	    {"dcbTrialPortLevel", "5", "-11", MO_WRONG_VALUE},
	    {"dcbTrialPortLevel", "5", "11", MO_WRONG_VALUE},
	    {"dcbTrialLimit", "5.8", "500", MO_NO_CREATION},
	    {"dcbTrialLimit", "4.2", "500", MO_INCONSISTENT_NAME},
	    {"dcbTrialPortLevel", "4", "0", MO_INCONSISTENT_NAME},
	};
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* The SET's valid variable binding is not applied either. */
		assert_int_equal(SET(w, {"dcbTrialLimit", "3.0", "500"},
				     {cases[i].object, cases[i].index, cases[i].value}),
				 cases[i].error);
		assert_int_equal(w->bad, 2);
		assert_value(w, "dcbTrialLimit", "3.0", "400");
		assert_value(w, "dcbTrialLimit", "5.2", "400");
	}
	mo_world_free(w);
}

static void test_settings_survive_a_restart(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	w->conf.keep_absent = true;
	assert_int_equal(SET(w, {"dcbTrialLimit", "5.2", "60000"},
			     {"dcbTrialAction", "5.0", "none"}, {"dcbTrialPortLevel", "5", "10"},
			     {"dcbTrialEnable", "9.7", "true"}),
			 MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 4, "other", "uplink"); /* was sw5, ifIndex 5 */
	mo_world_load(w);
	mo_world_add_port(w, 8, "sw9", ""); /* appears after the state file was loaded */
	assert_column(w, "dcbTrialPortLevel", "3=-3 4=10 8=-3");
	assert_value(w, "dcbTrialLimit", "4.2", "60000");
	assert_value(w, "dcbTrialLimit", "4.3", "400");
	assert_value(w, "dcbTrialAction", "4.0", "none");
	assert_value(w, "dcbTrialEnable", "8.7", "true");
	assert_value(w, "dcbTrialEnable", "8.6", "false");
	mo_world_free(w);
}

/* The state file has only the values that differ from their defaults. */
static void test_defaults_are_not_saved(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char text[4096];
	size_t n;
	FILE *in;

	(void)state;
	assert_int_equal(SET(w, {"dcbTrialLimit", "5.2", "401"}, {"dcbTrialPortLevel", "5", "0"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {"dcbTrialPortLevel", "5", "-3"}), MO_NO_ERROR);
	in = fopen(w->state, "re");
	assert_non_null(in);
	n = fread(text, 1, sizeof(text) - 1, in);
	fclose(in);
	text[n] = '\0';
	assert_non_null(strstr(text, "\"dcbTrialLimit\""));
	assert_non_null(strstr(text, "\"*.2\""));
	assert_null(strstr(text, "\"dcbTrialPortLevel\""));
	assert_null(strstr(text, "\"dcbTrialAction\""));
	mo_world_free(w);
}

static void test_dcbctl_parses_its_names(void **state)
{
	struct target target;
	char text[128];

	(void)state;
	assert_true(target_parse("trial.5.2", NULL, &target, text, sizeof(text)));
	assert_int_equal(target.table->id, MO_trial);
	assert_int_equal(target.index.n, 2);
	assert_true(target_parse("dcbTrialAction", NULL, &target, text, sizeof(text)));
	mo_expected(target.col, text, sizeof(text));
	assert_non_null(strstr(text, "drop"));
	assert_true(target_parse("dcbTrialPortLevel.5", NULL, &target, text, sizeof(text)));
	assert_false(target_parse("trial.5.8", NULL, &target, text, sizeof(text)));
	assert_string_equal(text, "dcbTrialPriority: expected 0..7, not \"8\"");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_new_ports_have_initial_values),
	    cmocka_unit_test(test_rows_are_walked_in_order),
	    cmocka_unit_test(test_set_changes_one_row),
	    cmocka_unit_test(test_values_and_rows_out_of_range_are_refused),
	    cmocka_unit_test(test_settings_survive_a_restart),
	    cmocka_unit_test(test_defaults_are_not_saved),
	    cmocka_unit_test(test_dcbctl_parses_its_names),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
