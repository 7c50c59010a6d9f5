/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of interfaces that are renamed, absent or come back: restarts with the state file. */
#include <stdio.h>
#include <string.h>

#include "lib/log.h"
#include "control/persist.h"
#include "tests/unit/control/state_file.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

static void test_survives_restart_rename_and_reindex(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);

	(void)state;
	assert_int_equal(
	    SET(w, {STATUS, "1.3", "createAndGo"},
		{"ieee8021CnComPriAlternatePriority", "1.3", "1"}, {QSP, "1.5.3", "31000"},
		{QSP, "1.9.3", "32000"}, {"ieee8021CnRpgEnable", "1.3.3.3", "false"},
		{"ieee8021CnRpgMaxRate", "1.3.3.3", "10000"},
		{"ieee8021PfcLinkDelayAllowance", "9", "4294967295"},
		{"dcbPfcPriorityEnable", "5.0", "true"}, {"dcbPfcPriorityEnable", "5.7", "true"},
		{"dcbPfcPriorityEnable", "9.3", "true"},
		{"ieee8021CnGlobalCnmTransmitPriority", "1", "5"}),
	    MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 4, "other", "uplink"); /* was sw5, ifIndex 5 */
	mo_world_add_port(w, 8, "sw9", "");         /* was ifIndex 9 */
	mo_world_load(w);
	assert_column(w, STATUS, "1.3=active");
	assert_column(w, "ieee8021CnComPriAlternatePriority", "1.3=1");
	assert_column(w, QSP, "1.3.3=26000 1.4.3=31000 1.8.3=32000");
	assert_column(w, "ieee8021CnRpgEnable", "1.3.3.3=false 1.3.4.3=true 1.3.8.3=true");
	assert_column(w, "ieee8021PfcLinkDelayAllowance", "3=0 4=0 8=4294967295");
	assert_int_equal(w->m->config->ports[0].config->pfc.enable, 0);
	assert_int_equal(w->m->config->ports[1].config->pfc.enable, 0x81);
	assert_int_equal(w->m->config->ports[2].config->pfc.enable, 0x08);
	assert_column(w, "ieee8021CnGlobalCnmTransmitPriority", "1=5");
	/* A rate that is set to the speed of the port stays set. */
	assert_true(w->m->config->ports[0].config->rpg[3].rpg_max_rate_is_set);
	assert_false(w->m->config->ports[1].config->rpg[3].rpg_max_rate_is_set);
	mo_world_free(w);
}

static void test_settings_return_with_the_interface(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {STATUS, "1.4", "createAndGo"},
			     {QSP, "1.5.3", "31000"}, {QSP, "1.5.4", "41000"}),
			 MO_NO_ERROR);
	fake_port(w->m->config->ports[1].port)->cp[3].cp_discarded_frames = 17;
	assert_true(managed_interface_gone(w->m, 5));
	mo_world_adopt(w);
	assert_int_equal(w->provider.n_open, 2);
	assert_column(w, QSP, "1.3.3=26000 1.3.4=26000 1.9.3=26000 1.9.4=26000");
	assert_column(w, "ieee8021CnGlobalDiscardedFrames", "1=17");
	/* A CNPV that is deleted and created again meanwhile: its settings are defaults. */
	assert_int_equal(SET(w, {STATUS, "1.4", "destroy"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {STATUS, "1.4", "createAndGo"}), MO_NO_ERROR);
	mo_world_add_port(w, 12, "renamed", "uplink");
	assert_column(w, QSP,
		      "1.3.3=26000 1.3.4=26000 1.9.3=26000 1.9.4=26000 1.12.3=31000 1.12.4=26000");
	mo_world_free(w);
}

static void test_settings_of_returned_interface_are_in_force(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	const struct dcb_config_port *port;

	(void)state;
	assert_int_equal(
	    SET(w, {STATUS, "1.3", "createAndGo"}, {"dcbPfcPriorityEnable", "5.6", "true"}),
	    MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 5));
	mo_world_adopt(w);
	mo_world_add_port(w, 12, "sw12", "uplink");
	port = &w->m->config->ports[managed_find(w->m, 12)];
	assert_int_equal(port->config->pfc.enable, 1 << 6);
	assert_int_equal(port->oper.pfc_enable, 1 << 6);
	assert_ptr_equal(w->provider.published, w->m->config);
	mo_world_free(w);
}

/* Stopping frees configurations that the provider has not adopted. */
static void test_stop_frees_configurations_not_adopted(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char err[128];
	struct link_info link = mo_world_link(12, "sw12", "");

	(void)state;
	assert_true(managed_port_add(w->m, &link, &w->conf.port_default, err, sizeof(err)));
	assert_true(managed_interface_gone(w->m, 5));
	assert_true(managed_interface_gone(w->m, 12));
	assert_non_null(w->m->deferred_free);
	mo_world_free(w);
}

/* A removed port stays open until the provider adopts the configuration without it. */
static void test_port_is_closed_when_its_successor_is_adopted(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	uint64_t first;

	(void)state;
	assert_true(managed_interface_gone(w->m, 5));
	first = w->m->config->generation;
	assert_true(managed_interface_gone(w->m, 9));
	assert_int_equal(w->provider.n_open, 3);
	managed_adopted(w->m, &w->provider.provider, first - 1);
	assert_int_equal(w->provider.n_open, 3);
	managed_adopted(w->m, &w->provider.provider, first);
	assert_int_equal(w->provider.n_open, 2);
	managed_adopted(w->m, &w->provider.provider, first + 1);
	assert_int_equal(w->provider.n_open, 1);
	assert_null(w->m->deferred_free);
	mo_world_free(w);
}

/* An interface that gets its alias later gets the settings then, unless others are set. */
static void test_settings_return_with_the_alias(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct link_info link = mo_world_link(12, "sw12", "uplink");

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {QSP, "1.5.3", "31000"}),
			 MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 5));
	mo_world_adopt(w);
	mo_world_add_port(w, 12, "sw12", "");
	assert_column(w, QSP, "1.3.3=26000 1.9.3=26000 1.12.3=26000");
	managed_port_update(w->m, managed_find(w->m, 12), &link);
	assert_column(w, QSP, "1.3.3=26000 1.9.3=26000 1.12.3=31000");

	assert_true(managed_interface_gone(w->m, 12));
	mo_world_adopt(w);
	assert_int_equal(SET(w, {QSP, "1.9.3", "32000"}), MO_NO_ERROR);
	link = mo_world_link(9, "sw9", "uplink");
	managed_port_update(w->m, managed_find(w->m, 9), &link);
	assert_column(w, QSP, "1.3.3=26000 1.9.3=32000");
	mo_world_free(w);
}

/*
 * The interface of ifIndex gone does not exist any more, and sw3 has its name or alias: after a
 * restart it has its own settings, and no others.
 */
static void check_successor(uint32_t gone, const char *name, const char *alias)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct link_info link = mo_world_link(3, name, alias);
	char index[16];

	snprintf(index, sizeof(index), "%u", gone);
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {QSP, "1.3.3", "31000"},
			     {ALLOWANCE, index, "900"}),
			 MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, gone));
	mo_world_adopt(w);
	managed_port_update(w->m, managed_find(w->m, 3), &link);
	assert_int_equal(SET(w, {CNM_PRIORITY, "1", "5"}), MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 3, name, alias);
	mo_world_load(w);
	assert_column(w, QSP, "1.3.3=31000");
	assert_column(w, ALLOWANCE, "3=0");
	mo_world_free(w);
}

static void test_settings_of_a_key_that_a_port_has_now_are_not_restored(void **state)
{
	(void)state;
	check_successor(9, "sw9", "");
	check_successor(9, "sw9", "core");
	check_successor(5, "sw3", "uplink");
}

/* sw5 returns with its alias, while settings of its name are kept, too. */
static void test_settings_of_an_alias_are_not_mixed_with_those_of_the_name(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct link_info link = mo_world_link(3, "sw5", "");

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {QSP, "1.5.3", "31000"},
			     {QSP, "1.3.3", "32000"}, {ALLOWANCE, "3", "900"}),
			 MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 5));
	managed_port_update(w->m, managed_find(w->m, 3), &link);
	assert_true(managed_interface_gone(w->m, 3));
	mo_world_adopt(w);
	mo_world_add_port(w, 12, "sw5", "uplink");
	assert_column(w, QSP, "1.9.3=26000 1.12.3=31000");
	assert_int_equal(SET(w, {CNM_PRIORITY, "1", "5"}), MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 12, "sw5", "uplink");
	mo_world_load(w);
	assert_column(w, QSP, "1.12.3=31000");
	assert_column(w, ALLOWANCE, "12=0");
	mo_world_free(w);
}

/* The second interface of a name goes, too: after a restart a third one gets its settings. */
static void test_settings_kept_last_under_a_name_survive_a_restart(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct link_info link = mo_world_link(3, "sw9", "");

	(void)state;
	w->conf.keep_absent = true;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {QSP, "1.3.3", "31000"},
			     {QSP, "1.9.3", "32000"}, {ALLOWANCE, "9", "900"}),
			 MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 9));
	managed_port_update(w->m, managed_find(w->m, 3), &link);
	assert_true(managed_interface_gone(w->m, 3));
	mo_world_adopt(w);
	assert_int_equal(SET(w, {CNM_PRIORITY, "1", "5"}), MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_load(w);
	mo_world_add_port(w, 12, "sw9", "");
	assert_column(w, QSP, "1.12.3=31000");
	assert_column(w, ALLOWANCE, "12=0");
	mo_world_free(w);
}

/* Settings saved by interface name are restored, even if the interface has an alias now. */
static void test_settings_by_name_apply_after_alias_is_set(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {ALLOWANCE, "3", "77"}, {ALLOWANCE, "5", "55"}), MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "new");
	mo_world_add_port(w, 5, "uplink", ""); /* settings saved by alias do not match a name */
	mo_world_load(w);
	assert_column(w, ALLOWANCE, "3=77 5=0");
	mo_world_free(w);
}

static bool accepts_no_allowance(const struct dcb_config_port *at)
{
	return at->config->pfc_link_delay_allowance == 0;
}

/* Refused settings are tried again when alias or name changes, not when the link does. */
static void test_refused_settings_wait_for_an_alias(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct link_info link = mo_world_link(12, "sw12", "uplink");
	struct log_capture c;

	(void)state;
	assert_int_equal(SET(w, {ALLOWANCE, "5", "55"}), MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 5));
	mo_world_adopt(w);
	mo_world_add_port(w, 12, "sw12", "");
	w->provider.accepts = accepts_no_allowance;
	c = log_watch(LOG_LEVEL_INFO);
	managed_port_update(w->m, managed_find(w->m, 12), &link);
	log_expect(&c,
		   "<3>prog: mo: sw12: its settings are not restored: sw12: fake cannot: "
		   "expected another\n");
	assert_column(w, ALLOWANCE, "3=0 9=0 12=0");
	w->provider.accepts = NULL;
	link.up = false;
	managed_port_update(w->m, managed_find(w->m, 12), &link);
	assert_column(w, ALLOWANCE, "3=0 9=0 12=0");
	link.alias[0] = '\0';
	managed_port_update(w->m, managed_find(w->m, 12), &link);
	assert_column(w, ALLOWANCE, "3=0 9=0 12=0");
	strcpy(link.alias, "uplink");
	managed_port_update(w->m, managed_find(w->m, 12), &link);
	assert_column(w, ALLOWANCE, "3=0 9=0 12=55");
	mo_world_free(w);
}

static void test_settings_of_absent_interface_are_kept_on_request(void **state)
{
	for (int keep = 0; keep <= 1; keep++) {
		struct mo_world *w = mo_world_new(ROLE_BRIDGE);

		(void)state;
		w->conf.keep_absent = keep;
		assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {QSP, "1.5.3", "31000"}),
				 MO_NO_ERROR);
		mo_world_restart(w);
		mo_world_load(w);
		/* A SET saves the settings that wait for their interface, too. */
		assert_int_equal(SET(w, {"ieee8021CnGlobalCnmTransmitPriority", "1", "4"}),
				 MO_NO_ERROR);
		mo_world_restart(w);
		mo_world_load(w);
		mo_world_add_port(w, 5, "sw5", "uplink");
		assert_column(w, QSP, keep ? "1.5.3=31000" : "1.5.3=26000");
		mo_world_free(w);
	}
}

/* Settings with alias "" do not apply to interfaces without an alias. */
static void test_empty_alias_matches_no_interface(void **state)
{
	static const char content[] = RECORD(ALLOWANCE, INDEX("*") "alias = \"\";" VALUE("77"));
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	write_with_checksum(w, content);
	w->conf.keep_absent = true;
	mo_world_load(w);
	mo_world_add_port(w, 12, "sw12", "");
	assert_column(w, ALLOWANCE, "3=0 5=0 9=0 12=0");
	mo_world_free(w);
}

static bool initial(struct mo_world *w, const char *object, const char *index, const char *port,
		    const char *value, const char *expected)
{
	static struct conf conf = {.n_initial = 1};
	struct conf_initial *in = &conf.initial[0];
	char err[256] = "";
	bool ok;

	in->line = 7;
	in->object = (char *)(uintptr_t)object;
	in->index = (char *)(uintptr_t)index;
	in->port = (char *)(uintptr_t)port;
	in->value = (char *)(uintptr_t)value;
	ok = persist_initial(w->m, &conf, err, sizeof(err));
	mo_world_adopt(w);
	assert_string_equal(err, expected);
	return ok;
}

/* Initial settings apply to the ports whose names match the pattern. */
static void test_initial_settings_apply_to_matching_ports(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct log_capture c;

	(void)state;
	assert_true(initial(w, ALLOWANCE, "*", "sw[35]", "77", ""));
	assert_column(w, ALLOWANCE, "3=77 5=77 9=0");
	c = log_watch(LOG_LEVEL_INFO);
	assert_true(initial(w, ALLOWANCE, "*", "sw9", "0", ""));
	assert_true(initial(w, ALLOWANCE, "*", "eth*", "88", ""));
	log_expect(&c, "<4>prog: conf: line 7: initial: no port that has " ALLOWANCE
		       " matches \"eth*\"\n");
	assert_column(w, ALLOWANCE, "3=77 5=77 9=0");
	assert_true(initial(w, CNM_PRIORITY, "1", NULL, "4", ""));
	assert_column(w, CNM_PRIORITY, "1=4");
	assert_false(initial(w, CNM_PRIORITY, "1", "sw*", "5",
			     "line 7: initial: " CNM_PRIORITY ": expected no port"));
	assert_false(initial(w, ALLOWANCE, "*", NULL, "99",
			     "line 7: initial: " ALLOWANCE ": expected a port"));
	assert_false(initial(w, CNM_PRIORITY, "1", NULL, "8",
			     "line 7: initial: value \"8\": not a value of " CNM_PRIORITY));
	assert_false(initial(w, QSP, "1.*.4", "sw3", "30000", "line 7: initial: inconsistentName"));
	assert_column(w, CNM_PRIORITY, "1=4");
	assert_column(w, ALLOWANCE, "3=77 5=77 9=0");
	mo_world_free(w);
}

/* Settings without an interface, or that the port's provider lacks, are deleted and logged. */
static void test_settings_not_restored_are_logged(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct log_capture c;

	(void)state;
	assert_int_equal(SET(w, {ALLOWANCE, "3", "33"}, {ALLOWANCE, "5", "55"},
			     {ALLOWANCE, "9", "99"}, {"dcbPfcPriorityEnable", "5.1", "true"}),
			 MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 9, "sw9", "");
	w->provider.sets = 0;
	mo_world_add_port(w, 3, "sw3", "");
	c = log_watch(LOG_LEVEL_INFO);
	mo_world_load(w);
	log_expect(&c, "<4>prog: persist: sw3: " ALLOWANCE
		       " is not restored: provider \"fake\" cannot set it\n"
		       "<4>prog: persist: no interface with alias \"uplink\": its settings "
		       "are deleted\n");
	assert_column(w, ALLOWANCE, "3=0 9=99");
	mo_world_restart(w);
	mo_world_add_port(w, 9, "sw9", "");
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_add_port(w, 3, "sw3", "");
	w->provider.accepts = accepts_no_allowance;
	c = log_watch(LOG_LEVEL_INFO);
	mo_world_load(w);
	log_expect(&c,
		   "<4>prog: persist: sw3: its settings are not restored: fake cannot: "
		   "expected another\n"
		   "<4>prog: persist: sw5: its settings are not restored: fake cannot: "
		   "expected another\n"
		   "<4>prog: persist: sw9: its settings are not restored: fake cannot: "
		   "expected another\n");
	assert_column(w, ALLOWANCE, "3=0 5=0 9=0");
	mo_world_free(w);
}

static void test_alias_of_one_character_is_restored(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	mo_world_add_port(w, 20, "sw20", "u");
	assert_int_equal(SET(w, {"ieee8021PfcLinkDelayAllowance", "20", "77"}), MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 2, "x", "u");
	mo_world_load(w);
	assert_column(w, "ieee8021PfcLinkDelayAllowance", "2=77");
	mo_world_free(w);
}

/* 32.3.5: a change of Creation affects ports created later, not the rows of existing ones. */
static void test_creation_applies_to_later_ports(void **state)
{
	static const char expected[] = "1.3.3=cpcComp 1.3.5=cpcComp 1.3.7=cpcAdmin 1.3.9=cpcComp";
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {"ieee8021CnComPriCreation", "1.3", "cncpAutoDisable"}),
			 MO_NO_ERROR);
	mo_world_add_port(w, 7, "sw7", "");
	assert_column(w, "ieee8021CnPortPriDefModeChoice", expected);
	assert_int_equal(persist_save(w->m, w->m->config, w->state), 0);
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_add_port(w, 7, "sw7", "");
	mo_world_add_port(w, 9, "sw9", "");
	mo_world_load(w);
	assert_column(w, "ieee8021CnPortPriDefModeChoice", expected);
	mo_world_free(w);
}

static void test_alias_with_special_characters_is_restored(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	static const char odd[] = "a \"quoted\" \\ name\n\x01\xc3\xbc";

	(void)state;
	mo_world_add_port(w, 20, "sw20", odd);
	assert_int_equal(SET(w, {"ieee8021PfcLinkDelayAllowance", "20", "77"}), MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 2, "x", odd);
	mo_world_load(w);
	assert_column(w, "ieee8021PfcLinkDelayAllowance", "2=77");
	mo_world_free(w);
}

/* The settings of two interfaces with the same alias are saved by name. */
static void test_duplicate_alias_is_saved_by_name(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	mo_world_add_port(w, 20, "sw20", "uplink");
	assert_int_equal(SET(w, {"ieee8021PfcLinkDelayAllowance", "20", "77"},
			     {"ieee8021PfcLinkDelayAllowance", "5", "55"}),
			 MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_add_port(w, 20, "sw20", "uplink");
	mo_world_load(w);
	assert_column(w, "ieee8021PfcLinkDelayAllowance", "5=55 20=77");
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_survives_restart_rename_and_reindex),
	    cmocka_unit_test(test_settings_return_with_the_interface),
	    cmocka_unit_test(test_settings_return_with_the_alias),
	    cmocka_unit_test(test_settings_by_name_apply_after_alias_is_set),
	    cmocka_unit_test(test_refused_settings_wait_for_an_alias),
	    cmocka_unit_test(test_settings_of_absent_interface_are_kept_on_request),
	    cmocka_unit_test(test_alias_with_special_characters_is_restored),
	    cmocka_unit_test(test_empty_alias_matches_no_interface),
	    cmocka_unit_test(test_settings_not_restored_are_logged),
	    cmocka_unit_test(test_alias_of_one_character_is_restored),
	    cmocka_unit_test(test_creation_applies_to_later_ports),
	    cmocka_unit_test(test_settings_of_returned_interface_are_in_force),
	    cmocka_unit_test(test_settings_of_a_key_that_a_port_has_now_are_not_restored),
	    cmocka_unit_test(test_settings_of_an_alias_are_not_mixed_with_those_of_the_name),
	    cmocka_unit_test(test_settings_kept_last_under_a_name_survive_a_restart),
	    cmocka_unit_test(test_stop_frees_configurations_not_adopted),
	    cmocka_unit_test(test_port_is_closed_when_its_successor_is_adopted),
	    cmocka_unit_test(test_initial_settings_apply_to_matching_ports),
	    cmocka_unit_test(test_duplicate_alias_is_saved_by_name),
	};

	log_init("test_persist", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
