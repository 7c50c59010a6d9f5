/* SPDX-License-Identifier: BSD-3-Clause */
/* Reaction points: settings compared with those of a device, and the units of both. */
#include "dataplane/kernel/kernel_rp.h"

#include <string.h>

#include "tests/unit/rpg_defaults.h"
#include "tests/unit/unit.h"

static struct port_config settings(void)
{
	struct port_config config = {.refs = 1};

	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		config.rp_port_pri[p].rppp_max_rps = 1;
		config.rpg[p] = rpg_defaults;
	}
	return config;
}

/* What the device has with these settings for priority 3. */
static struct ieee_qcn device(void)
{
	return (struct ieee_qcn){
	    .rpg_enable[3] = 1,
	    .rppp_max_rps[3] = 1,
	    .rpg_time_reset[3] = 15000,
	    .rpg_byte_reset[3] = 150000,
	    .rpg_threshold[3] = 5,
	    .rpg_max_rate[3] = 40000,
	    .rpg_ai_rate[3] = 5,
	    .rpg_hai_rate[3] = 50,
	    .rpg_gd[3] = 7,
	    .rpg_min_dec_fac[3] = 50,
	    .rpg_min_rate[3] = 5000000,
	    .cndd_state_machine[3] = DCB_CNDD_EDGE,
	};
}

static struct kernel_rp wanted_of(const struct port_config *config, uint8_t cnpvs)
{
	struct kernel_rp rp;

	kernel_rp_wanted(config, cnpvs, &rp);
	return rp;
}

static void test_units_are_those_of_the_kernel(void **state)
{
	struct port_config config = settings();
	struct kernel_rp rp = wanted_of(&config, 0x08);
	struct ieee_qcn qcn = {.rpg_max_rate[3] = 40000, .cndd_state_machine[3] = DCB_CNDD_EDGE};
	const struct ieee_qcn expected = device();

	(void)state;
	assert_int_equal(kernel_rp_differing(&rp, &qcn), 0x08);
	kernel_rp_set(&rp, &qcn);
	assert_memory_equal(&qcn, &expected, sizeof(qcn));
	assert_int_equal(kernel_rp_differing(&rp, &qcn), 0);
}

/* Each member of a CNPV is compared, rounded to the unit of the MIB. */
static void test_each_value_differs(void **state)
{
	struct port_config config = settings();
	struct kernel_rp rp = wanted_of(&config, 0x08);
	const struct ieee_qcn same = device();
	uint32_t *first = NULL;
	struct ieee_qcn qcn;

	(void)state;
	config.rpg[3].rpg_max_rate_is_set = true;
	config.rpg[3].rpg_max_rate = 40000;
	rp = wanted_of(&config, 0x08);
	for (unsigned i = 0; i < 10; i++) {
		qcn = same;
		first =
		    (uint32_t *)(void *)((char *)&qcn + offsetof(struct ieee_qcn, rppp_max_rps)) +
		    (size_t)i * DCB_PRIORITIES;
		first[3] += 1000000;
		assert_int_equal(kernel_rp_differing(&rp, &qcn), 0x08);
		kernel_rp_set(&rp, &qcn);
		assert_memory_equal(&qcn, &same, sizeof(qcn));
		first[2] = 4711; /* of no CNPV */
		assert_int_equal(kernel_rp_differing(&rp, &qcn), 0);
	}
	qcn = same;
	qcn.rpg_enable[3] = 0;
	assert_int_equal(kernel_rp_differing(&rp, &qcn), 0x08);
	qcn = same;
	qcn.rpg_time_reset[3] += 499;
	qcn.rpg_min_rate[3] -= 499999;
	assert_int_equal(kernel_rp_differing(&rp, &qcn), 0);
	config.rpg[3].rpg_ai_rate = 6;
	rp = wanted_of(&config, 0x08);
	kernel_rp_set(&rp, &qcn);
	assert_int_equal(qcn.rpg_ai_rate[3], 6);
	assert_int_equal(qcn.rpg_time_reset[3], 15499); /* only what differs is written */
}

static void test_rate_that_is_not_set_stays(void **state)
{
	struct port_config config = settings();
	struct kernel_rp rp = wanted_of(&config, 0x08), set;
	struct ieee_qcn qcn = device();

	(void)state;
	qcn.rpg_max_rate[3] = 1234;
	assert_int_equal(kernel_rp_differing(&rp, &qcn), 0);
	config.rpg[3].rpg_max_rate_is_set = true;
	set = wanted_of(&config, 0x08);
	assert_int_equal(kernel_rp_changed(&rp, &set), 0x08);
	assert_int_equal(kernel_rp_differing(&set, &qcn), 0x08); /* to 0 */
}

static void test_changes_are_of_priorities(void **state)
{
	struct port_config config = settings(), other = settings();
	struct kernel_rp a = wanted_of(&config, 0x0c), b = wanted_of(&config, 0x08);

	(void)state;
	assert_int_equal(kernel_rp_changed(&a, &a), 0);
	assert_int_equal(kernel_rp_changed(&a, &b), 0x04);
	other.rpg[3].rpg_enable = false;
	other.rpg[2].rpg_gd = 6;
	other.rpg[5].rpg_gd = 6; /* of no CNPV */
	b = wanted_of(&other, 0x0c);
	assert_int_equal(kernel_rp_changed(&a, &b), 0x0c);
}

static void test_priority_that_is_no_cnpv_any_more_is_disabled(void **state)
{
	struct port_config config = settings();
	struct kernel_rp rp = wanted_of(&config, 0);
	struct ieee_qcn qcn = device(), expected = device();

	(void)state;
	assert_int_equal(kernel_rp_differing(&rp, &qcn), 0);
	rp.mask = 0x08;
	assert_int_equal(kernel_rp_differing(&rp, &qcn), 0x08);
	kernel_rp_set(&rp, &qcn);
	expected.rpg_enable[3] = 0;
	assert_memory_equal(&qcn, &expected, sizeof(qcn));
}

static void test_values_that_the_kernel_cannot_hold_are_refused(void **state)
{
	static const struct {
		uint32_t time_reset, min_rate;
		int32_t gd;
		const char *text;
	} of[] = {
	    {4294967, 4294, INT32_MAX, NULL},
	    {4294968, 5, 7,
	     "rpgTimeReset of priority 3: expected 0..4294967, which the kernel takes"},
	    {15, 4295, 7, "rpgMinRate of priority 3: expected 0..4294, which the kernel takes"},
	    {15, 5, -1, "rpgGd of priority 3: expected 0..2147483647, which the kernel takes"},
	};
	const struct port port = {.slot = 1};

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(of); i++) {
		struct port_config config = settings();
		struct provider_refusal why = {.reason = 0};
		struct kernel_rp rp;

		config.rpg[3].rpg_time_reset = (int32_t)of[i].time_reset;
		config.rpg[3].rpg_min_rate = of[i].min_rate;
		config.rpg[3].rpg_gd = of[i].gd;
		rp = wanted_of(&config, 0x08);
		assert_int_equal(kernel_rp_can(&rp, &port, &why), !of[i].text);
		rp.mask = 0; /* nothing is written */
		assert_true(kernel_rp_can(&rp, &port, &(struct provider_refusal){.reason = 0}));
		if (!of[i].text)
			continue;
		assert_string_equal(why.text, of[i].text);
		assert_int_equal(why.reason, PROVIDER_CANNOT);
		assert_int_equal(why.about, PROVIDER_RP);
		assert_ptr_equal(why.port, &port);
	}
}

static void test_values_of_the_device_are_adopted(void **state)
{
	struct port_config config = settings();
	struct ieee_qcn qcn = device();
	struct kernel_rp rp;

	(void)state;
	qcn.rpg_enable[3] = 0;
	qcn.rppp_max_rps[3] = 100;
	qcn.rpg_time_reset[3] = 20000;
	qcn.rpg_gd[3] = 3;
	qcn.rpg_min_rate[3] = 10000000;
	qcn.rpg_ai_rate[2] = 99; /* of no CNPV */
	assert_true(kernel_rp_adopt(&qcn, 0x08, &config));
	assert_false(config.rpg[3].rpg_enable);
	assert_int_equal(config.rp_port_pri[3].rppp_max_rps, 100);
	assert_int_equal(config.rpg[3].rpg_time_reset, 20);
	assert_int_equal(config.rpg[3].rpg_gd, 3);
	assert_int_equal(config.rpg[3].rpg_min_rate, 10);
	assert_true(config.rpg[3].rpg_max_rate_is_set);
	assert_int_equal(config.rpg[3].rpg_max_rate, 40000);
	assert_int_equal(config.rpg[2].rpg_ai_rate, 5);
	rp = wanted_of(&config, 0x08);
	assert_int_equal(kernel_rp_differing(&rp, &qcn), 0);
	assert_false(kernel_rp_adopt(&qcn, 0x08, &config));
	/* They do not follow the rate of the port. */
	config.profile_rate = dcb_rate_from_mbps(100000);
	cn_profile_copy(config.profile_set[3], &config.cp[3], &config.rpg[3], &config.cp[2],
			&config.rpg[2]);
	assert_int_equal(config.rpg[3].rpg_time_reset, 20);
}

static void test_value_that_no_set_could_make_is_not_adopted(void **state)
{
	struct port_config config = settings();
	struct ieee_qcn qcn = device();
	struct kernel_rp rp;

	(void)state;
	qcn.rppp_max_rps[3] = 101;
	qcn.rpg_min_dec_fac[3] = 0;
	qcn.rpg_gd[3] = UINT32_MAX;
	qcn.rpg_max_rate[3] = 0;
	assert_false(kernel_rp_adopt(&qcn, 0x08, &config));
	assert_int_equal(config.rp_port_pri[3].rppp_max_rps, 1);
	assert_int_equal(config.rpg[3].rpg_min_dec_fac, 50);
	assert_int_equal(config.rpg[3].rpg_gd, 7);
	assert_false(config.rpg[3].rpg_max_rate_is_set);
	rp = wanted_of(&config, 0x08);
	assert_int_equal(kernel_rp_differing(&rp, &qcn), 0x08);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_units_are_those_of_the_kernel),
	    cmocka_unit_test(test_each_value_differs),
	    cmocka_unit_test(test_rate_that_is_not_set_stays),
	    cmocka_unit_test(test_changes_are_of_priorities),
	    cmocka_unit_test(test_priority_that_is_no_cnpv_any_more_is_disabled),
	    cmocka_unit_test(test_values_that_the_kernel_cannot_hold_are_refused),
	    cmocka_unit_test(test_values_of_the_device_are_adopted),
	    cmocka_unit_test(test_value_that_no_set_could_make_is_not_adopted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
