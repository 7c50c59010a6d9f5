/* SPDX-License-Identifier: BSD-3-Clause */
/* Provider "kernel": reaction points of CNPVs, whose settings go to a device and come from it. */
#include "tests/unit/control/kernel_world.h"

#include "lib/log.h"
#include "tests/unit/unit.h"

#define CNPV     "ieee8021CnComPriRowStatus"
#define TIME     "ieee8021CnRpgTimeReset"
#define AI_RATE  "ieee8021CnRpgAiRate"
#define MAX_RATE "ieee8021CnRpgMaxRate"
#define MIN_RATE "ieee8021CnRpgMinRate"
#define MAX_RPS  "ieee8021CnRpPortPriMaxRps"
#define CREATED  "ieee8021CnRpPortPriCreatedRps"

/* The device of eth0 has these for priority 3, which other programs have set. */
static void other_sets_qcn(const struct hw *h, uint32_t time_us, uint32_t ai_rate, bool notify)
{
	struct dcbnl_port port = in_kernel(h, "eth0");

	port.qcn.rpg_enable[3] = 1;
	port.qcn.rppp_max_rps[3] = 2;
	port.qcn.rpg_time_reset[3] = time_us;
	port.qcn.rpg_byte_reset[3] = 150000;
	port.qcn.rpg_threshold[3] = 5;
	port.qcn.rpg_max_rate[3] = 40000;
	port.qcn.rpg_ai_rate[3] = ai_rate;
	port.qcn.rpg_hai_rate[3] = 50;
	port.qcn.rpg_gd[3] = 7;
	port.qcn.rpg_min_dec_fac[3] = 50;
	port.qcn.rpg_min_rate[3] = 5000000;
	port.qcn.cndd_state_machine[3] = DCB_CNDD_INTERIOR_READY;
	kernel_responder_write(h->kernel, "eth0", &port, notify);
}

static struct ieee_qcn kernel_qcn(const struct hw *h, const char *name)
{
	return in_kernel(h, name).qcn;
}

/* Two ports, one without QCN, and CNPV 3. */
static struct hw *hw_with_cnpv(enum kernel_kind kind)
{
	struct hw *h = hw_of(kind, KERNEL_WORKS);
	struct dcbnl_port port = in_kernel(h, "eth1");

	port.has &= ~(uint32_t)(DCBNL_QCN | DCBNL_QCN_STATS);
	kernel_responder_write(h->kernel, "eth1", &port, false);
	start(h);
	return h;
}

static void test_cnpv_has_rows_and_its_values_are_written(void **state)
{
	struct hw *h = hw_with_cnpv(KERNEL_WORKS);
	struct ieee_qcn qcn;
	unsigned n;

	(void)state;
	TEXT(h, TIME, "");
	TEXT(h, "dcbHardwareParts",
	     "101=pfc,ets,applicationPriorities,rp 102=pfc,ets,applicationPriorities");
	assert_int_equal(HW_SET(h, {CNPV, "1.3", "createAndGo"}), MO_NO_ERROR);
	TEXT(h, TIME, "1.3.101.3=15");
	TEXT(h, "ieee8021CnPortPriAutoDefenseMode", ""); /* dcbd sends no CN TLV for it */
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	qcn = kernel_qcn(h, "eth0");
	assert_int_equal(qcn.rpg_enable[3], 1);
	assert_int_equal(qcn.rpg_time_reset[3], 15000);
	assert_int_equal(qcn.rpg_min_rate[3], 5000000);
	assert_int_equal(qcn.rppp_max_rps[3], 1);
	assert_int_equal(qcn.rpg_time_reset[2], 0);
	assert_int_equal(kernel_changes(h, "eth1"), 0);
	TEXT(h, "dcbHardwareDiffers", "101=none 102=none");

	n = kernel_changes(h, "eth0");
	assert_int_equal(HW_SET(h, {TIME, "1.3.101.3", "20"}, {MAX_RPS, "1.3.101", "7"},
				{MAX_RATE, "1.3.101.3", "10000"}),
			 MO_NO_ERROR);
	qcn = kernel_qcn(h, "eth0");
	assert_int_equal(qcn.rpg_time_reset[3], 20000);
	assert_int_equal(qcn.rppp_max_rps[3], 7);
	assert_int_equal(qcn.rpg_max_rate[3], 10000);
	assert_int_equal(kernel_changes(h, "eth0"), n + 1);
	assert_int_equal(HW_SET(h, {TIME, "1.3.101.3", "20"}), MO_NO_ERROR);
	assert_int_equal(kernel_changes(h, "eth0"), n + 1);
	hw_free(h);
}

static void test_end_of_a_cnpv_disables_its_reaction_points(void **state)
{
	static const char *const ends[][3] = {
	    {CNPV, "1.3", "destroy"},
	    {CNPV, "1.3", "notInService"},
	    {"ieee8021CnGlobalMasterEnable", "1", "false"},
	};

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(ends); i++) {
		struct hw *h = hw_with_cnpv(KERNEL_WORKS);
		unsigned n;

		assert_int_equal(
		    HW_SET(h, {CNPV, "1.3", "createAndGo"}, {CNPV, "1.5", "createAndGo"}),
		    MO_NO_ERROR);
		assert_int_equal(kernel_qcn(h, "eth0").rpg_enable[3], 1);
		assert_int_equal(set_all(h, &ends[i], 1), MO_NO_ERROR);
		assert_int_equal(kernel_qcn(h, "eth0").rpg_enable[3], 0);
		assert_int_equal(kernel_qcn(h, "eth0").rpg_enable[5], i != 2);
		UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
		TEXT(h, "dcbHardwareDiffers", "101=none 102=none");
		/* What others set for it is not dcbd's. */
		n = kernel_changes(h, "eth0");
		other_sets_qcn(h, 1000, 1, true);
		await_round(h);
		TEXT(h, "dcbHardwareDiffers", "101=none 102=none");
		assert_int_equal(kernel_changes(h, "eth0"), n);
		hw_free(h);
	}
}

static void test_statistics_are_those_of_the_device(void **state)
{
	struct hw *h = hw_with_cnpv(KERNEL_WORKS);
	struct dcbnl_port port;
	uint64_t since;

	(void)state;
	assert_int_equal(HW_SET(h, {CNPV, "1.3", "createAndGo"}), MO_NO_ERROR);
	port = in_kernel(h, "eth0");
	port.qcn_stats.rppp_created_rps[3] = 4;
	port.qcn_stats.rppp_rp_centiseconds[3] = UINT64_C(5000000000);
	kernel_responder_write(h->kernel, "eth0", &port, true);
	UNTIL(h, is(h, CREATED, "1.3.101", "4"));
	TEXT(h, "ieee8021CnRpPortPriCentiseconds", "1.3.101=5000000000");
	TEXT(h, "dcbRpState", "");
	since = number(h, "dcbPortCounterDiscontinuityTime", "101");
	port.qcn_stats.rppp_created_rps[3] = 1;
	kernel_responder_write(h->kernel, "eth0", &port, true);
	UNTIL(h, number(h, "dcbPortCounterDiscontinuityTime", "101") > since);
	port.has &= ~(uint32_t)DCBNL_QCN_STATS;
	kernel_responder_write(h->kernel, "eth0", &port, true);
	UNTIL(h, is(h, CREATED, "1.3.101", NULL));
	TEXT(h, TIME, "1.3.101.3=15");
	hw_free(h);
}

static void test_change_of_another_program_is_shown_and_kept(void **state)
{
	struct hw *h = hw_with_cnpv(KERNEL_WORKS);
	struct ieee_qcn qcn;

	(void)state;
	assert_int_equal(HW_SET(h, {CNPV, "1.3", "createAndGo"}, {CNPV, "1.5", "createAndGo"}),
			 MO_NO_ERROR);
	other_sets_qcn(h, 30000, 9, true);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "rp"));
	assert_true(is(h, TIME, "1.3.101.3", "15")); /* the setting */
	assert_true(is(h, "dcbHardwareOtherChanges", "101", "1"));
	/* A SET of another priority leaves it as it is. */
	assert_int_equal(HW_SET(h, {TIME, "1.5.101.5", "16"}), MO_NO_ERROR);
	qcn = kernel_qcn(h, "eth0");
	assert_int_equal(qcn.rpg_time_reset[5], 16000);
	assert_int_equal(qcn.rpg_time_reset[3], 30000);
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	TEXT(h, "dcbHardwareDiffers", "101=rp 102=none");
	assert_int_equal(HW_SET(h, {AI_RATE, "1.3.101.3", "6"}), MO_NO_ERROR);
	qcn = kernel_qcn(h, "eth0");
	assert_int_equal(qcn.rpg_ai_rate[3], 6);
	assert_int_equal(qcn.rpg_time_reset[3], 15000);
	assert_int_equal(qcn.cndd_state_machine[3], DCB_CNDD_INTERIOR_READY);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "none"));
	hw_free(h);
}

static void test_set_to_the_same_value_is_written_where_the_device_differs(void **state)
{
	struct hw *h = hw_with_cnpv(KERNEL_WORKS);

	(void)state;
	assert_int_equal(HW_SET(h, {CNPV, "1.3", "createAndGo"}), MO_NO_ERROR);
	other_sets_qcn(h, 30000, 9, true);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "rp"));
	assert_int_equal(HW_SET(h, {TIME, "1.3.101.3", "15"}), MO_NO_ERROR);
	assert_int_equal(kernel_qcn(h, "eth0").rpg_time_reset[3], 15000);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "none"));
	hw_free(h);
}

static void test_enforce_writes_drift_again(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	h->w.conf.port_default.policy = PROVIDER_ENFORCE;
	start(h);
	assert_int_equal(HW_SET(h, {CNPV, "1.3", "createAndGo"}), MO_NO_ERROR);
	other_sets_qcn(h, 30000, 9, true);
	UNTIL(h, kernel_qcn(h, "eth0").rpg_time_reset[3] == 15000);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "none"));
	assert_int_equal(HW_SET(h, {CNPV, "1.3", "destroy"}), MO_NO_ERROR);
	assert_int_equal(kernel_qcn(h, "eth0").rpg_enable[3], 0);
	hw_free(h);
}

static void test_watch_has_the_values_of_the_device(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	h->w.conf.port_default.policy = PROVIDER_WATCH;
	other_sets_qcn(h, 30000, 9, false);
	start(h);
	/* The rows of a new CNPV have initial values at first. */
	assert_int_equal(HW_SET(h, {CNPV, "1.3", "createAndGo"}), MO_NO_ERROR);
	UNTIL(h, is(h, TIME, "1.3.101.3", "30"));
	assert_true(is(h, MAX_RATE, "1.3.101.3", "40000"));
	other_sets_qcn(h, 31000, 9, true);
	UNTIL(h, is(h, TIME, "1.3.101.3", "31"));
	assert_int_equal(HW_SET(h, {TIME, "1.3.101.3", "16"}), MO_NOT_WRITABLE);
	assert_int_equal(kernel_changes(h, "eth0"), 0);
	hw_free(h);
}

static void test_port_that_is_added_later_takes_what_the_device_has(void **state)
{
	struct hw *h = hw_new();

	(void)state;
	add_interface(h, 0, KERNEL_WORKS, "none");
	other_sets_qcn(h, 30000, 9, false);
	h->ifindex[0] = 0;
	start(h);
	assert_int_equal(HW_SET(h, {CNPV, "1.3", "createAndGo"}), MO_NO_ERROR);
	h->ifindex[0] = 101;
	add_port(h, 101, "eth0");
	handle_events(h);
	assert_true(is(h, TIME, "1.3.101.3", "30"));
	assert_true(is(h, MAX_RPS, "1.3.101", "2"));
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	TEXT(h, "dcbHardwareDiffers", "101=none");
	assert_int_equal(kernel_changes(h, "eth0"), 0);
	hw_free(h);
}

static void test_restart_changes_nothing(void **state)
{
	struct hw *h = hw_with_cnpv(KERNEL_WORKS);
	unsigned n;

	(void)state;
	assert_int_equal(HW_SET(h, {CNPV, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_int_equal(HW_SET(h, {TIME, "1.3.101.3", "20"}), MO_NO_ERROR);
	n = kernel_changes(h, "eth0");
	stop(h);
	start(h);
	await_round(h);
	assert_true(is(h, TIME, "1.3.101.3", "20"));
	TEXT(h, "dcbHardwareDiffers", "101=none 102=none");
	assert_int_equal(kernel_changes(h, "eth0"), n);
	hw_free(h);
}

/* As after a reboot: no reaction point is enabled. */
static void test_restart_restores_a_device_that_was_reset(void **state)
{
	struct hw *h = hw_with_cnpv(KERNEL_WORKS);
	struct dcbnl_port port;

	(void)state;
	assert_int_equal(HW_SET(h, {CNPV, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_int_equal(HW_SET(h, {TIME, "1.3.101.3", "20"}), MO_NO_ERROR);
	stop(h);
	port = in_kernel(h, "eth0");
	memset(&port.qcn, 0, sizeof(port.qcn));
	kernel_responder_write(h->kernel, "eth0", &port, false);
	start(h);
	UNTIL(h, kernel_qcn(h, "eth0").rpg_time_reset[3] == 20000);
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	hw_free(h);
}

static void test_undo_returns_the_device_to_what_it_had(void **state)
{
	struct hw *h = hw_with_cnpv(KERNEL_WORKS);
	struct ieee_qcn before, now;

	(void)state;
	assert_int_equal(HW_SET(h, {CNPV, "1.3", "createAndGo"}), MO_NO_ERROR);
	other_sets_qcn(h, 30123, 9, true);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "rp"));
	before = kernel_qcn(h, "eth0");
	assert_int_equal(HW_COMMIT(h, {AI_RATE, "1.3.101.3", "6"}, {ENABLE, "101.4", "true"}),
			 MO_NO_ERROR);
	assert_int_equal(kernel_qcn(h, "eth0").rpg_time_reset[3], 15000);
	assert_int_equal(phase(h, MO_OP_UNDO), MO_NO_ERROR);
	now = kernel_qcn(h, "eth0");
	assert_memory_equal(&now, &before, sizeof(now));
	assert_int_equal(kernel_pfc(h, "eth0"), 0);
	hw_free(h);
}

/* The driver takes the reaction points, and then refuses PFC: ETS, QCN, PFC is the order. */
static void test_reaction_points_of_a_busy_port_are_taken_back(void **state)
{
	struct hw *h = hw_with_cnpv(KERNEL_BUSY);
	struct ieee_qcn before, now;

	(void)state;
	assert_int_equal(HW_SET(h, {CNPV, "1.3", "createAndGo"}), MO_NO_ERROR);
	before = kernel_qcn(h, "eth0");
	assert_int_equal(HW_SET(h, {AI_RATE, "1.3.101.3", "6"}, {ENABLE, "101.4", "true"}),
			 MO_COMMIT_FAILED);
	now = kernel_qcn(h, "eth0");
	assert_memory_equal(&now, &before, sizeof(now));
	assert_true(is(h, AI_RATE, "1.3.101.3", "5"));
	hw_free(h);
}

static void test_driver_without_setter_is_commit_failed(void **state)
{
	struct hw *h = hw_with_cnpv(KERNEL_NO_SETTER);

	(void)state;
	assert_int_equal(HW_SET(h, {CNPV, "1.3", "createAndGo"}), MO_COMMIT_FAILED);
	assert_string_equal(h->w.reason,
			    "eth0: reaction points: the driver reports success, but "
			    "the device does not have it");
	TEXT(h, TIME, "");
	hw_free(h);
}

static void test_value_that_the_kernel_cannot_hold_is_inconsistent(void **state)
{
	struct hw *h = hw_with_cnpv(KERNEL_WORKS);

	(void)state;
	assert_int_equal(HW_SET(h, {CNPV, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_int_equal(
	    test(h, TRIPLES({AI_RATE, "1.3.101.3", "6"}, {MIN_RATE, "1.3.101.3", "5000"})),
	    MO_INCONSISTENT_VALUE);
	assert_string_equal(h->w.reason,
			    "eth0: rpgMinRate of priority 3: expected 0..4294, which "
			    "the kernel takes");
	hw_free(h);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cnpv_has_rows_and_its_values_are_written),
	    cmocka_unit_test(test_end_of_a_cnpv_disables_its_reaction_points),
	    cmocka_unit_test(test_statistics_are_those_of_the_device),
	    cmocka_unit_test(test_change_of_another_program_is_shown_and_kept),
	    cmocka_unit_test(test_set_to_the_same_value_is_written_where_the_device_differs),
	    cmocka_unit_test(test_enforce_writes_drift_again),
	    cmocka_unit_test(test_watch_has_the_values_of_the_device),
	    cmocka_unit_test(test_port_that_is_added_later_takes_what_the_device_has),
	    cmocka_unit_test(test_restart_changes_nothing),
	    cmocka_unit_test(test_restart_restores_a_device_that_was_reset),
	    cmocka_unit_test(test_undo_returns_the_device_to_what_it_had),
	    cmocka_unit_test(test_reaction_points_of_a_busy_port_are_taken_back),
	    cmocka_unit_test(test_driver_without_setter_is_commit_failed),
	    cmocka_unit_test(test_value_that_the_kernel_cannot_hold_is_inconsistent),
	};

	log_init("test_provider_kernel_rp", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
