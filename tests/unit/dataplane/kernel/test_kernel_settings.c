/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings compared with those of a device, and the changes that make them equal. */
#include "dataplane/kernel/kernel_settings.h"

#include <string.h>

#include "tests/unit/unit.h"

#define ALL (KERNEL_PFC | KERNEL_ETS | KERNEL_APPS | KERNEL_DELAY)

static struct dcbnl_port device(void)
{
	struct dcbnl_port now = {.has = DCBNL_ETS | DCBNL_PFC | DCBNL_APPS | DCBNL_DCBX,
				 .dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE,
				 .ets.ets_cap = 8,
				 .pfc.pfc_cap = 8};

	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		now.ets.prio_tc[i] = (uint8_t)i;
	return now;
}

static struct kernel_wanted wanted(void)
{
	struct kernel_wanted w = {.pfc_mask = UINT8_MAX};

	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		w.ets_tables.priority_tc[i] = (uint8_t)i;
	return w;
}

/* Two classes with half of the bandwidth each. */
static struct kernel_wanted wanted_ets(void)
{
	struct kernel_wanted w = wanted();

	w.ets_tables.tsa[0] = w.ets_tables.tsa[1] = TSA_ETS;
	w.ets_tables.bandwidth[0] = w.ets_tables.bandwidth[1] = 50;
	return w;
}

static void add_app(struct kernel_wanted *w, uint8_t selector, uint16_t protocol, uint8_t priority)
{
	w->apps[w->n_apps++] = (struct app_priority){selector, priority, protocol};
}

static void add_entry(struct dcbnl_port *now, uint8_t selector, uint16_t protocol, uint8_t priority)
{
	now->apps.of[now->apps.n++] = (struct dcb_app){selector, priority, protocol};
}

static void test_parts_are_those_that_the_driver_answers(void **state)
{
	struct dcbnl_port now = device();

	(void)state;
	assert_int_equal(kernel_parts(&now, kernel_driver("none")),
			 KERNEL_PFC | KERNEL_ETS | KERNEL_APPS);
	assert_int_equal(kernel_parts(&now, kernel_driver("mlxsw_spectrum")), ALL);
	/* mlx5 has a length only with manual buffers, and then it is not 0. */
	assert_int_equal(kernel_parts(&now, kernel_driver("mlx5_core")), ALL & ~KERNEL_DELAY);
	now.pfc.delay = 7;
	assert_int_equal(kernel_parts(&now, kernel_driver("mlx5_core")), ALL);
	assert_int_equal(kernel_parts(&now, kernel_driver("ice")), ALL & ~KERNEL_DELAY);
	now.has = DCBNL_ETS;
	assert_int_equal(kernel_parts(&now, kernel_driver("mlxsw_spectrum")), KERNEL_ETS);
	now.has = 0;
	assert_int_equal(kernel_parts(&now, kernel_driver("mlxsw_spectrum")), 0);
}

static void test_device_after_a_reset_has_nothing_set(void **state)
{
	const struct kernel_driver *driver = kernel_driver("mlxsw_spectrum");
	struct dcbnl_port now = device();

	(void)state;
	assert_int_equal(kernel_set_parts(&now, driver), KERNEL_ETS); /* classes */
	memset(now.ets.prio_tc, 0, sizeof(now.ets.prio_tc));
	assert_int_equal(kernel_set_parts(&now, driver), 0);
	now.pfc.pfc_en = 1;
	assert_int_equal(kernel_set_parts(&now, driver), KERNEL_PFC);
	now.pfc.delay = 1;
	now.ets.tc_tsa[7] = IEEE_8021QAZ_TSA_ETS;
	add_entry(&now, 1, 2054, 3);
	assert_int_equal(kernel_set_parts(&now, driver), ALL);
	assert_int_equal(kernel_set_parts(&now, kernel_driver("none")), ALL & ~KERNEL_DELAY);
	now.has &= ~(uint32_t)DCBNL_PFC;
	assert_int_equal(kernel_set_parts(&now, driver), KERNEL_ETS | KERNEL_APPS);
}

static void test_pfc_and_delay_differ(void **state)
{
	const struct kernel_driver *bits = kernel_driver("mlxsw_spectrum");
	struct dcbnl_port now = device();
	struct kernel_wanted w = wanted();

	(void)state;
	assert_int_equal(kernel_differing_parts(&w, &now, bits), 0);
	w.pfc_enable = 0x80;
	assert_int_equal(kernel_differing_parts(&w, &now, bits), KERNEL_PFC);
	w.delay = 100;
	assert_int_equal(kernel_differing_parts(&w, &now, bits), KERNEL_PFC | KERNEL_DELAY);
	assert_int_equal(kernel_differing_parts(&w, &now, kernel_driver("none")), KERNEL_PFC);
	now.pfc.pfc_en = 0x80;
	now.pfc.delay = 100;
	now.pfc.mbc = 1; /* no setting */
	assert_int_equal(kernel_differing_parts(&w, &now, bits), 0);
	now.pfc.pfc_en = 0x81;
	assert_int_equal(kernel_differing_parts(&w, &now, bits), KERNEL_PFC);
	w.pfc_mask = 0x80; /* the other priorities are another program's */
	assert_int_equal(kernel_differing_parts(&w, &now, bits), 0);
}

static void test_ets_differs_as_far_as_it_has_an_effect(void **state)
{
	const struct kernel_driver *driver = kernel_driver("none");
	struct kernel_wanted strict = wanted(), w = wanted_ets();
	struct dcbnl_port now = device();

	(void)state;
	now.ets.tc_tx_bw[0] = 100; /* of a class with strict priority */
	assert_int_equal(kernel_differing_parts(&strict, &now, driver), 0);
	now.ets.prio_tc[5] = 0;
	assert_int_equal(kernel_differing_parts(&strict, &now, driver), KERNEL_ETS);
	now.ets.prio_tc[5] = 5;
	now.ets.tc_tsa[0] = IEEE_8021QAZ_TSA_ETS;
	assert_int_equal(kernel_differing_parts(&strict, &now, driver), KERNEL_ETS);

	now = device();
	assert_int_equal(kernel_differing_parts(&w, &now, driver), KERNEL_ETS);
	kernel_set_ets(&w, &now.ets);
	assert_int_equal(kernel_differing_parts(&w, &now, driver), 0);
	now.ets.tc_tx_bw[2] = 10; /* of a class with strict priority */
	now.ets.willing = 1;
	assert_int_equal(kernel_differing_parts(&w, &now, driver), 0);
	now.ets.tc_tx_bw[1] = 40;
	assert_int_equal(kernel_differing_parts(&w, &now, driver), KERNEL_ETS);
	now.ets.tc_tx_bw[1] = 50;
	now.ets.prio_tc[7] = 0;
	assert_int_equal(kernel_differing_parts(&w, &now, driver), KERNEL_ETS);
	now.ets.prio_tc[7] = 7;
	now.ets.tc_tsa[6] = IEEE_8021QAZ_TSA_CB_SHAPER;
	assert_int_equal(kernel_differing_parts(&w, &now, driver), KERNEL_ETS);
}

static void test_applications_of_others_do_not_differ(void **state)
{
	const struct kernel_driver *driver = kernel_driver("none");
	struct kernel_wanted w = wanted();
	struct dcbnl_port now = device();

	(void)state;
	add_entry(&now, 4, 4321, 6);
	assert_int_equal(kernel_differing_parts(&w, &now, driver), 0);
	add_app(&w, 5, 46, 5);
	assert_int_equal(kernel_differing_parts(&w, &now, driver), KERNEL_APPS);
	add_entry(&now, 5, 46, 4);
	assert_int_equal(kernel_differing_parts(&w, &now, driver), KERNEL_APPS);
	add_entry(&now, 5, 46, 5);
	assert_int_equal(kernel_differing_parts(&w, &now, driver), 0);
}

static void test_changes_of_settings(void **state)
{
	struct kernel_wanted a = wanted(), b = wanted();

	(void)state;
	assert_int_equal(kernel_changed_parts(&a, &b), 0);
	b.pfc_enable = 1;
	assert_int_equal(kernel_changed_parts(&a, &b), KERNEL_PFC);
	b.delay = 1;
	assert_int_equal(kernel_changed_parts(&a, &b), KERNEL_PFC | KERNEL_DELAY);
	b = wanted_ets();
	assert_int_equal(kernel_changed_parts(&a, &b), KERNEL_ETS);
	a = wanted_ets();
	a.ets_tables.bandwidth[5] = 3; /* of a class with strict priority */
	assert_int_equal(kernel_changed_parts(&a, &b), 0);
	a.ets_tables.bandwidth[1] = 49;
	assert_int_equal(kernel_changed_parts(&a, &b), KERNEL_ETS);
	a = wanted_ets();
	add_app(&a, 1, 2054, 3);
	assert_int_equal(kernel_changed_parts(&a, &b), KERNEL_APPS);
	add_app(&b, 1, 2054, 4);
	assert_int_equal(kernel_changed_parts(&a, &b), KERNEL_APPS);
	b.apps[0].priority = 3;
	assert_int_equal(kernel_changed_parts(&a, &b), 0);
}

static void test_only_members_of_the_parts_are_written(void **state)
{
	struct ieee_pfc pfc = {.pfc_cap = 8, .pfc_en = 1, .mbc = 1, .delay = 9};
	struct ieee_ets ets = {.willing = 1, .ets_cap = 8, .cbs = 1, .tc_tx_bw = {1, 2, 3}};
	struct kernel_wanted w = wanted_ets();

	(void)state;
	w.pfc_enable = 0x18;
	w.delay = 55;
	kernel_set_pfc(&w, KERNEL_PFC, &pfc);
	assert_int_equal(pfc.pfc_en, 0x18);
	assert_int_equal(pfc.delay, 9);
	assert_int_equal(pfc.mbc, 1);
	w.pfc_mask = 0x02;
	pfc.pfc_en = 1;
	kernel_set_pfc(&w, KERNEL_PFC, &pfc);
	assert_int_equal(pfc.pfc_en, 1);
	w.pfc_mask = 0x11;
	kernel_set_pfc(&w, KERNEL_PFC, &pfc);
	assert_int_equal(pfc.pfc_en, 0x10);
	pfc.pfc_en = 1;
	kernel_set_pfc(&w, KERNEL_DELAY, &pfc);
	assert_int_equal(pfc.pfc_en, 1);
	assert_int_equal(pfc.delay, 55);
	assert_int_equal(pfc.pfc_cap, 8);
	kernel_set_ets(&w, &ets);
	assert_int_equal(ets.willing, 1);
	assert_int_equal(ets.cbs, 1);
	assert_int_equal(ets.tc_tx_bw[0], 50);
	assert_int_equal(ets.tc_rx_bw[1], 50);
	assert_int_equal(ets.tc_tx_bw[2], 0);
	assert_int_equal(ets.tc_tsa[1], IEEE_8021QAZ_TSA_ETS);
	assert_int_equal(ets.prio_tc[7], 7);
}

static void test_application_changes(void **state)
{
	struct kernel_wanted was = wanted(), w = wanted();
	struct dcb_app add[APP_MAX], drop[APP_MAX];
	struct dcbnl_port now = device();
	unsigned n_add = 9, n_drop = 9;

	(void)state;
	kernel_app_changes(&w, &was, &now.apps, add, &n_add, drop, &n_drop);
	assert_int_equal(n_add, 0);
	assert_int_equal(n_drop, 0);
	add_app(&was, 1, 2054, 3); /* gone, and gone from the device too */
	add_app(&was, 4, 4321, 2); /* gone */
	add_app(&was, 5, 46, 5);   /* another priority */
	add_app(&was, 5, 47, 5);   /* as before */
	add_app(&w, 5, 46, 6);
	add_app(&w, 5, 47, 5);
	add_app(&w, 5, 48, 1); /* new, and there already */
	add_entry(&now, 4, 4321, 2);
	add_entry(&now, 5, 46, 5);
	add_entry(&now, 5, 47, 5);
	add_entry(&now, 5, 48, 1);
	add_entry(&now, 2, 80, 7); /* of another program */
	kernel_app_changes(&w, &was, &now.apps, add, &n_add, drop, &n_drop);
	assert_int_equal(n_add, 1);
	assert_int_equal(add[0].selector, 5);
	assert_int_equal(add[0].protocol, 46);
	assert_int_equal(add[0].priority, 6);
	assert_int_equal(n_drop, 2);
	assert_int_equal(drop[0].protocol, 4321);
	assert_int_equal(drop[1].protocol, 46);
	assert_int_equal(drop[1].priority, 5);
}

/* --- what a device can have -------------------------------------------------------------- */

static void test_limits_of_the_device(void **state)
{
	const struct kernel_driver *none = kernel_driver("none");
	const struct kernel_driver *bits = kernel_driver("mlxsw_spectrum");
	const struct kernel_driver *metres = kernel_driver("mlx5_core");
	struct dcbnl_port now = device();
	struct kernel_wanted w = wanted_ets();
	struct provider_refusal why;
	struct port port = {.slot = 1};

	(void)state;
	now.pfc.pfc_cap = 2;
	w.pfc_enable = 0x11;
	assert_true(kernel_can(&w, KERNEL_PFC, &now, none, &port, &why));
	w.pfc_enable = 0x13;
	assert_false(kernel_can(&w, KERNEL_PFC, &now, none, &port, &why));
	assert_int_equal(why.reason, PROVIDER_CANNOT);
	assert_ptr_equal(why.port, &port);
	assert_int_equal(why.about, PROVIDER_PFC);
	assert_string_equal(why.text,
			    "PFC for 3 priorities: expected at most 2, which the device "
			    "can");
	assert_true(kernel_can(&w, KERNEL_ETS, &now, none, &port, &why)); /* PFC is not written */
	now.pfc.pfc_cap = 0;                                              /* it does not say */
	assert_true(kernel_can(&w, KERNEL_PFC, &now, none, &port, &why));

	now.ets.ets_cap = 4;
	assert_false(kernel_can(&w, KERNEL_ETS, &now, none, &port, &why));
	assert_int_equal(why.about, PROVIDER_ETS);
	assert_string_equal(why.text,
			    "priority 4 has traffic class 4: expected 0..3, which the "
			    "device has");
	for (unsigned i = 4; i < DCB_PRIORITIES; i++)
		w.ets_tables.priority_tc[i] = 3;
	assert_true(kernel_can(&w, KERNEL_ETS, &now, none, &port, &why));
	w = wanted(); /* strict priority, in eight classes */
	assert_false(kernel_can(&w, KERNEL_ETS, &now, none, &port, &why));

	w.delay = 65535;
	assert_true(kernel_can(&w, KERNEL_DELAY, &now, bits, &port, &why));
	w.delay = 65536;
	assert_false(kernel_can(&w, KERNEL_DELAY, &now, bits, &port, &why));
	assert_int_equal(why.about, PROVIDER_LINK_DELAY);
	assert_false(kernel_can(&w, KERNEL_DELAY, &now, metres, &port, &why));
	assert_int_equal(why.about, PROVIDER_CABLE_LENGTH);
	w.delay = 999;
	assert_true(kernel_can(&w, KERNEL_DELAY, &now, metres, &port, &why));
	w.delay = 0; /* ignored by the driver, without an error */
	assert_false(kernel_can(&w, KERNEL_DELAY, &now, metres, &port, &why));
}

/* --- adopting ---------------------------------------------------------------------------- */

static void test_settings_of_the_device_are_adopted(void **state)
{
	struct dcbnl_port now = device();
	struct port_config config = {.refs = 1};

	(void)state;
	now.pfc.pfc_en = 0x18;
	now.pfc.delay = 12;
	now.ets.tc_tsa[0] = IEEE_8021QAZ_TSA_ETS;
	now.ets.tc_tx_bw[0] = 100;
	add_entry(&now, 5, 46, 5);
	add_entry(&now, 1, 2054, 3);
	add_entry(&now, 5, 46, 6); /* applies, as the higher one */
	add_entry(&now, 5, 46, 2);
	add_entry(&now, 24, 3, 3);   /* PCP: no object */
	add_entry(&now, 1, 4660, 9); /* no priority */
	assert_true(kernel_adopt(&now, kernel_driver("none"), 0, &config));
	assert_int_equal(config.pfc.enable, 0x18);
	assert_int_equal(config.pfc_link_delay_allowance, 0);
	assert_int_equal(config.dcbx.ets.tsa[0], TSA_ETS);
	assert_int_equal(config.dcbx.ets.bandwidth[0], 100);
	assert_int_equal(config.dcbx.n_apps, 2);
	assert_int_equal(config.dcbx.apps[0].protocol, 2054);
	assert_int_equal(config.dcbx.apps[1].protocol, 46);
	assert_int_equal(config.dcbx.apps[1].priority, 6);
	assert_false(kernel_adopt(&now, kernel_driver("none"), 0, &config));

	assert_true(kernel_adopt(&now, kernel_driver("mlxsw_spectrum"), 0, &config));
	assert_int_equal(config.pfc_link_delay_allowance, 12);
	assert_true(kernel_adopt(&now, kernel_driver("mlx5_core"), 0, &config));
	assert_int_equal(config.pfc_headroom.cable_m, 12);

	/* What the device has no more, the settings have no more. */
	now = device();
	assert_true(kernel_adopt(&now, kernel_driver("none"), 0, &config));
	assert_int_equal(config.pfc.enable, 0);
	assert_int_equal(config.dcbx.n_apps, 0);
	assert_int_equal(config.dcbx.ets.tsa[0], TSA_STRICT);
	/* Of parts that the device does not have, settings stay. */
	config.pfc.enable = 1;
	now.has = DCBNL_ETS;
	assert_false(kernel_adopt(&now, kernel_driver("none"), 0, &config));
	assert_int_equal(config.pfc.enable, 1);
}

static void test_ets_that_no_set_could_make_is_not_adopted(void **state)
{
	struct dcbnl_port now = device();
	struct port_config config = {.refs = 1};

	(void)state;
	now.ets.tc_tsa[0] = IEEE_8021QAZ_TSA_ETS;
	now.ets.tc_tx_bw[0] = 70;                                           /* expected 100 */
	assert_true(kernel_adopt(&now, kernel_driver("none"), 0, &config)); /* its classes are */
	assert_int_equal(config.dcbx.ets.tsa[0], TSA_STRICT);
	assert_int_equal(config.dcbx.ets.priority_tc[7], 7);
	assert_false(kernel_adopt(&now, kernel_driver("none"), 0, &config));
}

static void test_more_applications_than_a_port_has_are_left(void **state)
{
	struct dcbnl_port now = device();
	struct port_config config = {.refs = 1};

	(void)state;
	for (unsigned i = 0; i < DCBX_APPS_MAX + 5; i++)
		add_entry(&now, 2, (uint16_t)(1000 + i), 1);
	assert_true(kernel_adopt(&now, kernel_driver("none"), 0, &config));
	assert_int_equal(config.dcbx.n_apps, DCBX_APPS_MAX);
	assert_false(kernel_adopt(&now, kernel_driver("none"), 0, &config));
}

static void test_owner(void **state)
{
	static const struct {
		uint8_t dcbx;
		enum provider_owner owner;
	} of[] = {
	    {DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE, PROVIDER_OWNER_HOST},
	    {DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE | DCB_CAP_DCBX_STATIC, PROVIDER_OWNER_HOST},
	    {DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE | DCB_CAP_DCBX_LLD_MANAGED,
	     PROVIDER_OWNER_FIRMWARE},
	    {DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_CEE, PROVIDER_OWNER_FIRMWARE},
	    {DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE, PROVIDER_OWNER_UNKNOWN},
	    {DCB_CAP_DCBX_VER_IEEE, PROVIDER_OWNER_UNKNOWN},
	    {0, PROVIDER_OWNER_UNKNOWN},
	};
	struct dcbnl_port now = device();

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(of); i++) {
		now.dcbx = of[i].dcbx;
		assert_int_equal(kernel_owner(&now), of[i].owner);
	}
	now.has &= ~(uint32_t)DCBNL_DCBX; /* hardware without firmware that speaks DCBX */
	assert_int_equal(kernel_owner(&now), PROVIDER_OWNER_HOST);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parts_are_those_that_the_driver_answers),
	    cmocka_unit_test(test_device_after_a_reset_has_nothing_set),
	    cmocka_unit_test(test_pfc_and_delay_differ),
	    cmocka_unit_test(test_ets_differs_as_far_as_it_has_an_effect),
	    cmocka_unit_test(test_applications_of_others_do_not_differ),
	    cmocka_unit_test(test_changes_of_settings),
	    cmocka_unit_test(test_only_members_of_the_parts_are_written),
	    cmocka_unit_test(test_application_changes),
	    cmocka_unit_test(test_limits_of_the_device),
	    cmocka_unit_test(test_settings_of_the_device_are_adopted),
	    cmocka_unit_test(test_ets_that_no_set_could_make_is_not_adopted),
	    cmocka_unit_test(test_more_applications_than_a_port_has_are_left),
	    cmocka_unit_test(test_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
