/* SPDX-License-Identifier: BSD-3-Clause */
/* Patches of CONFIG_DB, and when their settings are in force. */
#include "dataplane/sonic/sonic_patch.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

static struct sonic_port port;

static int begin(void **state)
{
	(void)state;
	port = (struct sonic_port){
	    .name = "Ethernet4",
	    .known = SONIC_PFC_ENABLE | SONIC_CABLE,
	    .has_qos_map = true,
	    .pfc_enable = 0x18,
	    .cable_m = 5,
	    .cable_row = "A/B~C",
	};
	return 0;
}

static void check_text(const char *space, struct sonic_wanted wanted, const char *text)
{
	json_t *patch = json_array();
	char *is;

	assert_true(sonic_patch_add(patch, space, &port, &wanted));
	is = json_dumps(patch, JSON_COMPACT);
	assert_non_null(is);
	assert_string_equal(is, text);
	free(is);
	json_decref(patch);
}

static void test_texts(void **state)
{
	struct sonic_wanted wanted = {SONIC_PFC_ENABLE, 0x89, 40};

	(void)state;
	check_text("", wanted,
		   "[{\"op\":\"add\",\"path\":\"/PORT_QOS_MAP/Ethernet4/pfc_enable\","
		   "\"value\":\"0,3,7\"}]");
	wanted.pfc_enable = 0xff;
	check_text("asic1", wanted,
		   "[{\"op\":\"add\",\"path\":\"/asic1/PORT_QOS_MAP/Ethernet4/pfc_enable\","
		   "\"value\":\"0,1,2,3,4,5,6,7\"}]");
	wanted = (struct sonic_wanted){SONIC_SETTINGS, 0, UINT32_MAX};
	check_text("", (struct sonic_wanted){.members = 0}, "[]");
	check_text(
	    "", wanted,
	    "[{\"op\":\"add\",\"path\":\"/PORT_QOS_MAP/Ethernet4/pfc_enable\",\"value\":\"\"},"
	    "{\"op\":\"add\",\"path\":\"/CABLE_LENGTH/A~1B~0C/Ethernet4\","
	    "\"value\":\"4294967295m\"}]");
}

static void test_settings_that_differ(void **state)
{
	struct sonic_wanted wanted = {SONIC_SETTINGS, 0x18, 6};

	(void)state;
	assert_int_equal(sonic_differs(&port, &wanted), SONIC_CABLE);
	sonic_put_wanted(&port, &wanted);
	assert_int_equal(sonic_differs(&port, &wanted), 0);
	wanted = (struct sonic_wanted){SONIC_PFC_ENABLE, 0x19, 7};
	assert_int_equal(sonic_differs(&port, &wanted), SONIC_PFC_ENABLE);
	port.pfc_enable = 0x19;
	port.known &= ~(uint32_t)SONIC_PFC_ENABLE;
	assert_int_equal(sonic_differs(&port, &wanted), SONIC_PFC_ENABLE);
}

static void test_rows_that_are_missing(void **state)
{
	(void)state;
	assert_null(sonic_cannot(&port, SONIC_SETTINGS));
	port.has_qos_map = false;
	assert_null(sonic_cannot(&port, SONIC_CABLE));
	assert_non_null(strstr(sonic_cannot(&port, SONIC_PFC_ENABLE), "PORT_QOS_MAP"));
	port.cable_row[0] = '\0';
	assert_non_null(strstr(sonic_cannot(&port, SONIC_CABLE), "CABLE_LENGTH"));
}

static void test_pfc_of_the_asic(void **state)
{
	(void)state;
	assert_false(sonic_asic_has(&port, 0)); /* not known */
	port.known |= SONIC_ASIC_PFC;
	assert_false(sonic_asic_has(&port, 0x18));
	port.asic_pfc = 0x18;
	assert_true(sonic_asic_has(&port, 0x18));
	assert_false(sonic_asic_has(&port, 0x38));
	/* The watchdog takes PFC away for the time of a storm. */
	port.priority[5].wd_state = SONIC_WD_STORMED;
	assert_true(sonic_asic_has(&port, 0x38));
	assert_false(sonic_asic_has(&port, 0x78));
	port.pfc_asym = true;
	assert_true(sonic_asic_has(&port, 0x78));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_texts, begin),
	    cmocka_unit_test_setup(test_settings_that_differ, begin),
	    cmocka_unit_test_setup(test_rows_that_are_missing, begin),
	    cmocka_unit_test_setup(test_pfc_of_the_asic, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
