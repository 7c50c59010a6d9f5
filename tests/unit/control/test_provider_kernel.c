/* SPDX-License-Identifier: BSD-3-Clause */
/* Provider "kernel" beneath managed objects: settings that go to a device, and come from it. */
#include "tests/unit/control/kernel_world.h"

#include "control/managed/lldp_ports.h"
#include "lib/log.h"

/* --- start ------------------------------------------------------------------------------- */

static void test_start_takes_what_the_kernel_has_and_writes_nothing(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	other_sets_pfc(h, "eth0", 0x18, false);
	other_sets_ets(h, "eth0");
	other_adds_app(h, "eth0", (struct dcb_app){IEEE_8021QAZ_APP_SEL_DGRAM, 4, 4791});
	start(h);
	await_round(h);
	assert_true(is(h, ENABLE, "101.3", "true"));
	assert_true(is(h, ENABLE, "101.4", "true"));
	assert_true(is(h, ENABLE, "101.5", "false"));
	assert_true(is(h, ENABLE, "102.3", "false"));
	assert_true(is(h, TSA, "101.1", "tsaEnhancedTransmission"));
	assert_true(is(h, BW, "101.1", "50"));
	assert_true(is(h, "lldpXdot1dcbxAdminETSConPriTrafficClass", "101.7", "1"));
	assert_true(is(h, TSA, "102.1", "tsaStrictPriority"));
	TEXT(h, APP, "101.3.4791=4");
	TEXT(h, "dcbHardwareState", "101=confirmed 102=confirmed");
	TEXT(h, "dcbHardwareDiffers", "101=none 102=none");
	TEXT(h, "dcbHardwarePfc", "101=pri3,pri4 102=none");
	TEXT(h, "dcbHardwareEts", "101=true 102=false");
	TEXT(h, "dcbHardwareOwner", "101=host 102=host");
	TEXT(h, "dcbHardwarePolicy", "101=adopt 102=adopt");
	TEXT(h, "dcbHardwareOtherChanges", "101=0 102=0");
	assert_int_equal(kernel_changes(h, "eth0"), 0);
	assert_int_equal(kernel_changes(h, "eth1"), 0);
	assert_int_equal(h->changed, 0);
	hw_free(h);
}

/* --- SET --------------------------------------------------------------------------------- */

static void test_set_is_written_and_read_back(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);
	struct dcbnl_port now = in_kernel(h, "eth0");
	unsigned n;

	(void)state;
	now.pfc.mbc = 1;
	now.pfc.delay = 77;
	kernel_responder_write(h->kernel, "eth0", &now, false);
	start(h);
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}), MO_NO_ERROR);
	now = in_kernel(h, "eth0");
	assert_int_equal(now.pfc.pfc_en, 0x08);
	assert_int_equal(now.pfc.mbc, 1);
	assert_int_equal(now.pfc.delay, 77);
	n = kernel_changes(h, "eth0");
	assert_int_equal(n, 1);
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	TEXT(h, "dcbHardwareWrites", "101=1 102=0");
	TEXT(h, "dcbHardwareFailures", "101=0 102=0");
	TEXT(h, "dcbHardwareDiffers", "101=none 102=none");
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}), MO_NO_ERROR);
	await_round(h);
	assert_int_equal(kernel_changes(h, "eth0"), n);
	TEXT(h, "dcbHardwareWrites", "101=1 102=0");
	TEXT(h, "dcbHardwareOtherChanges", "101=0 102=0");
	assert_int_equal(h->changed, 0);
	hw_free(h);
}

static void test_ets_is_written_without_pfc(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);
	struct dcbnl_port now;

	(void)state;
	other_sets_pfc(h, "eth0", 0x18, false);
	start(h);
	assert_int_equal(HW_SET(h, ETS_OF("101")), MO_NO_ERROR);
	now = in_kernel(h, "eth0");
	assert_int_equal(now.ets.tc_tsa[0], IEEE_8021QAZ_TSA_ETS);
	assert_int_equal(now.ets.tc_tx_bw[0], 100);
	assert_int_equal(now.pfc.pfc_en, 0x18);
	assert_int_equal(kernel_changes(h, "eth0"), 1);
	assert_int_equal(kernel_changes(h, "eth1"), 0);
	hw_free(h);
}

static void test_driver_without_setter_is_commit_failed(void **state)
{
	struct hw *h = hw_started(KERNEL_NO_SETTER, KERNEL_WORKS);

	(void)state;
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}), MO_COMMIT_FAILED);
	assert_string_equal(h->w.reason,
			    "eth0: PFC: the driver reports success, but the device "
			    "does not have it");
	assert_int_equal(h->w.bad, 1);
	assert_true(is(h, ENABLE, "101.3", "false"));
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	TEXT(h, "dcbHardwareFailures", "101=1 102=0");
	TEXT(h, "dcbHardwareWrites", "101=0 102=0");
	TEXT(h, "dcbHardwareDiffers", "101=none 102=none");
	hw_free(h);
}

static void test_busy_port_leaves_both_ports_as_before(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_BUSY);

	(void)state;
	other_sets_pfc(h, "eth0", 0x01, false);
	other_sets_pfc(h, "eth1", 0x02, false);
	start(h);
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}, {ENABLE, "102.3", "true"}),
			 MO_COMMIT_FAILED);
	assert_string_equal(h->w.reason, "eth1: PFC: the driver is busy");
	assert_int_equal(h->w.bad, 2);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x01);
	assert_int_equal(kernel_pfc(h, "eth1"), 0x02);
	assert_true(is(h, ENABLE, "101.3", "false"));
	assert_true(is(h, ENABLE, "102.3", "false"));
	await_round(h);
	TEXT(h, "dcbHardwareState", "101=confirmed 102=confirmed");
	TEXT(h, "dcbHardwareDiffers", "101=none 102=none");
	TEXT(h, "dcbHardwareWrites", "101=0 102=0");
	TEXT(h, "dcbHardwareOtherChanges", "101=0 102=0");
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x09);
	hw_free(h);
}

/* To the second port nothing is written, so that there is nothing to take back. */
static void test_port_after_the_busy_one_keeps_an_older_set(void **state)
{
	struct hw *h = hw_started(KERNEL_BUSY, KERNEL_WORKS);

	(void)state;
	assert_int_equal(HW_SET(h, {ENABLE, "102.3", "true"}), MO_NO_ERROR);
	assert_int_equal(HW_SET(h, {ENABLE, "101.4", "true"}, {ENABLE, "102.4", "true"}),
			 MO_COMMIT_FAILED);
	assert_string_equal(h->w.reason, "eth0: PFC: the driver is busy");
	assert_int_equal(kernel_pfc(h, "eth1"), 0x08);
	assert_int_equal(kernel_changes(h, "eth1"), 1);
	UNTIL(h, is(h, "dcbHardwareState", "102", "confirmed"));
	TEXT(h, "dcbHardwareDiffers", "101=none 102=none");
	hw_free(h);
}

static void test_ets_of_a_busy_port_is_taken_back(void **state)
{
	struct hw *h = hw_of(KERNEL_BUSY, KERNEL_WORKS);
	struct dcbnl_port before, now;

	(void)state;
	other_sets_ets(h, "eth0");
	start(h);
	before = in_kernel(h, "eth0");
	assert_int_equal(
	    HW_SET(h, {BW, "101.0", "40"}, {BW, "101.1", "60"}, {ENABLE, "101.3", "true"}),
	    MO_COMMIT_FAILED);
	assert_true(is(h, BW, "101.0", "50"));
	now = in_kernel(h, "eth0");
	assert_memory_equal(&now.ets, &before.ets, sizeof(before.ets));
	hw_free(h);
}

static void test_undo_returns_the_device_to_what_it_had(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}), MO_NO_ERROR);
	/* The device had something else than the settings. */
	other_sets_pfc(h, "eth0", 0x81, true);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "pfc"));
	assert_int_equal(HW_COMMIT(h, {ENABLE, "101.4", "true"}, {APP, "101.1.2054", "5"}),
			 MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x91);
	assert_true(kernel_has_app(h, "eth0", 1, 2054, 5));
	other_adds_app(h, "eth0", (struct dcb_app){1, 6, 4321});
	assert_int_equal(phase(h, MO_OP_UNDO), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x81);
	assert_false(kernel_has_app(h, "eth0", 1, 2054, 5));
	assert_true(kernel_has_app(h, "eth0", 1, 4321, 6)); /* of another program */
	assert_true(is(h, ENABLE, "101.4", "false"));
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "pfc"));
	hw_free(h);
}

/* Of eth0 the settings are taken back after eth1 has refused, but the kernel refuses that too. */
static void forbid_after_eth0(struct hw *h, const char *name, uint8_t cmd)
{
	if (cmd == DCB_CMD_IEEE_SET && strcmp(name, "eth1") == 0)
		kernel_responder_permit(h->kernel, false);
}

static void test_undo_that_failed_is_tried_again(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	kernel_before(h, forbid_after_eth0);
	assert_int_equal(HW_COMMIT(h, {ENABLE, "101.3", "true"}, {ENABLE, "102.3", "true"}),
			 MO_UNDO_FAILED);
	kernel_before(h, NULL);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x08);
	assert_int_equal(phase(h, MO_OP_UNDO), MO_UNDO_FAILED);
	TEXT(h, "dcbHardwareState", "101=refused 102=confirmed");
	assert_true(is(h, "dcbHardwareDiffers", "101", "pfc"));
	/* The next configuration has the settings of before, and writes them. */
	kernel_responder_permit(h->kernel, true);
	assert_int_equal(HW_SET(h, {ENABLE, "102.5", "true"}), MO_NO_ERROR);
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	assert_int_equal(kernel_pfc(h, "eth0"), 0x00);
	assert_int_equal(kernel_pfc(h, "eth1"), 0x20);
	hw_free(h);
}

static void test_undo_is_retried_by_undo(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	kernel_before(h, forbid_after_eth0);
	assert_int_equal(HW_COMMIT(h, {ENABLE, "101.3", "true"}, {ENABLE, "102.3", "true"}),
			 MO_UNDO_FAILED);
	kernel_before(h, NULL);
	kernel_responder_permit(h->kernel, true);
	assert_int_equal(phase(h, MO_OP_UNDO), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x00);
	assert_int_equal(kernel_pfc(h, "eth1"), 0x00);
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	TEXT(h, "dcbHardwareDiffers", "101=none 102=none");
	hw_free(h);
}

static void test_more_priorities_than_the_device_can_is_inconsistent(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);
	struct dcbnl_port now = in_kernel(h, "eth0");

	(void)state;
	now.pfc.pfc_cap = 2;
	kernel_responder_write(h->kernel, "eth0", &now, false);
	start(h);
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}, {ENABLE, "101.4", "true"}),
			 MO_NO_ERROR);
	assert_int_equal(test(h, TRIPLES({ENABLE, "101.5", "true"})), MO_INCONSISTENT_VALUE);
	assert_string_equal(h->w.reason,
			    "eth0: PFC for 3 priorities: expected at most 2, which "
			    "the device can");
	assert_int_equal(kernel_changes(h, "eth0"), 1);
	hw_free(h);
}

/* --- permission -------------------------------------------------------------------------- */

static void test_refusal_of_the_kernel_names_the_capability(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	kernel_responder_permit(h->kernel, false);
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}), MO_COMMIT_FAILED);
	assert_non_null(strstr(h->w.reason, "CAP_NET_ADMIN"));
	assert_int_equal(kernel_pfc(h, "eth0"), 0);
	hw_free(h);
}

static void check_read_only(struct hw *h, const char *why)
{
	assert_int_equal(HW_SET(h, {ENABLE, "101.5", "true"}), MO_NOT_WRITABLE);
	assert_int_equal(HW_SET(h, ETS_OF("101")), MO_NOT_WRITABLE);
	assert_int_equal(HW_SET(h, {APP, "101.1.2054", "5"}), MO_NOT_WRITABLE);
	assert_int_equal(HW_SET(h, {APP_ROW, "101.1.2054", "destroy"}), MO_NOT_WRITABLE);
	assert_true(is(h, "dcbHardwareReason", "101", why));
	assert_int_equal(kernel_changes(h, "eth0"), 0);
}

static void test_without_permission_nothing_can_be_set(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	h->may_write = false;
	start(h);
	check_read_only(h, "dcbd needs CAP_NET_ADMIN in the first user namespace");
	hw_free(h);
}

/* --- others change the device ------------------------------------------------------------ */

static void check_change_of_another_program(bool notify)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);
	unsigned n;

	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}), MO_NO_ERROR);
	n = kernel_changes(h, "eth0");
	other_sets_pfc(h, "eth0", 0x40, notify);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "pfc"));
	await_round(h);
	assert_int_equal(h->changed, 1);
	assert_true(is(h, "dcbDcbxPortPfcInForce", "101", "pri6"));
	assert_true(is(h, "dcbHardwarePfc", "101", "pri6"));
	assert_true(is(h, "dcbHardwareOtherChanges", "101", "1"));
	assert_true(is(h, "dcbHardwareState", "101", "confirmed"));
	assert_true(number(h, "dcbHardwareDiffersSince", "101") > 0);
	assert_true(is(h, ENABLE, "101.3", "true"));
	assert_true(is(h, ENABLE, "101.6", "false"));
	assert_int_equal(kernel_changes(h, "eth0"), n);

	assert_int_equal(HW_SET(h, ETS_OF("101")), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x40);
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	assert_true(is(h, "dcbHardwareDiffers", "101", "pfc"));

	/* Other priorities than that of the SET stay as they are, until a SET names them. */
	assert_int_equal(HW_SET(h, {ENABLE, "101.7", "true"}), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0xc0);
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	assert_true(is(h, "dcbHardwareDiffers", "101", "pfc"));
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "false"}, {ENABLE, "101.5", "true"},
				{ENABLE, "101.6", "true"}),
			 MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0xe0);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "none"));
	assert_int_equal(number(h, "dcbHardwareDiffersSince", "101"), 0);
	turn(h);
	assert_int_equal(h->changed, 2);
	hw_free(h);
}

static void test_change_of_another_program_is_shown_and_kept(void **state)
{
	(void)state;
	check_change_of_another_program(true);
}

static void test_change_without_notification_is_shown_and_kept(void **state)
{
	(void)state;
	check_change_of_another_program(false);
}

/* The change is found by the SET, before the worker has read the device. */
/* The answer noError means that the device has the value, also if the setting had it before. */
static void test_set_to_the_same_value_is_written_where_the_device_differs(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_NO_SETTER);

	(void)state;
	other_sets_pfc(h, "eth0", 0x18, false);
	other_sets_pfc(h, "eth1", 0x08, false);
	start(h);
	other_sets_pfc(h, "eth0", 0x01, true);
	other_sets_ets(h, "eth0");
	other_sets_pfc(h, "eth1", 0x00, true);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "pfc,ets"));
	UNTIL(h, is(h, "dcbHardwareDiffers", "102", "pfc"));
	/* Of another object, nothing is written. */
	assert_int_equal(HW_SET(h, {"lldpXdot1dcbxAdminPFCWilling", "101", "false"}), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x01);
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x09); /* 4 and 0 are as others have set them */
	TEXT(h, "dcbHardwareWrites", "101=1 102=0");
	assert_int_equal(HW_SET(h, {"dcbPfcPriorityEnable", "101.0", "false"},
				{"dcbPfcPriorityEnable", "101.4", "true"}),
			 MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x18);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "ets"));
	assert_int_equal(HW_SET(h, {"lldpXdot1dcbxAdminETSConPriTrafficClass", "101.7", "0"}),
			 MO_NO_ERROR);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "none"));
	/* No success for what the device does not have. */
	assert_int_equal(HW_SET(h, {ENABLE, "102.3", "true"}), MO_COMMIT_FAILED);
	hw_free(h);
}

static const struct dcb_tlvs *sent_by(const struct hw *h, const char *name)
{
	const struct dcb_config *c = h->w.m->config;

	for (size_t i = 0; i < c->n_ports; i++)
		if (strcmp(c->ports[i].port->link.name, name) == 0)
			return lldp_ports_at(h->w.m->lldp, c->ports[i].port)->sent;
	fail();
	return NULL;
}

static void test_tlvs_have_what_another_program_has_set(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);
	struct dcbnl_port now = in_kernel(h, "eth0");

	(void)state;
	now.pfc.pfc_en = 0x18;
	now.pfc.pfc_cap = 4;
	kernel_responder_write(h->kernel, "eth0", &now, false);
	start(h);
	assert_int_equal(HW_SET(h, {"lldpXdot1dcbxConfigPFCTxEnable", "101.1", "true"},
				{"lldpXdot1dcbxConfigETSConfigurationTxEnable", "101.1", "true"}),
			 MO_NO_ERROR);
	assert_int_equal(sent_by(h, "eth0")->pfc.enable, 0x18);
	assert_int_equal(sent_by(h, "eth0")->pfc.cap, 4);
	other_sets_pfc(h, "eth0", 0x81, true);
	other_sets_ets(h, "eth0");
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "pfc,ets"));
	assert_true(dcb_tlvs_have(sent_by(h, "eth0"), DCB_TLV_PFC));
	assert_int_equal(sent_by(h, "eth0")->pfc.enable, 0x81);
	assert_int_equal(sent_by(h, "eth0")->ets.tables.tsa[1], TSA_ETS);
	assert_int_equal(sent_by(h, "eth1")->pfc.enable, 0);
	/* Other publications leave it. */
	assert_int_equal(HW_SET(h, {ENABLE, "102.5", "true"}), MO_NO_ERROR);
	assert_int_equal(sent_by(h, "eth0")->pfc.enable, 0x81);
	assert_int_equal(HW_SET(h, {ENABLE, "101.0", "false"}, {ENABLE, "101.7", "false"},
				{ENABLE, "101.3", "true"}, {ENABLE, "101.4", "true"}),
			 MO_NO_ERROR);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "ets"));
	assert_int_equal(sent_by(h, "eth0")->pfc.enable, 0x18);
	hw_free(h);
}

static void test_undo_of_a_set_to_the_same_value(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	other_sets_pfc(h, "eth0", 0x08, false);
	start(h);
	other_sets_pfc(h, "eth0", 0x10, true);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "pfc"));
	assert_int_equal(HW_COMMIT(h, {ENABLE, "101.3", "true"}), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x18);
	assert_int_equal(phase(h, MO_OP_UNDO), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x10);
	hw_free(h);
}

static void test_change_just_before_a_set_is_counted(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	await_round(h);
	other_sets_pfc(h, "eth0", 0x40, false);
	assert_int_equal(HW_SET(h, ETS_OF("101")), MO_NO_ERROR);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "pfc"));
	assert_true(is(h, "dcbHardwareOtherChanges", "101", "1"));
	assert_int_equal(kernel_pfc(h, "eth0"), 0x40);
	hw_free(h);
}

static void test_lost_notifications_are_made_up_by_a_round(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	other_sets_pfc(h, "eth0", 0x40, true);
	kernel_responder_lose(h->kernel);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "pfc"));
	hw_free(h);
}

static void test_enforce_writes_drift_again_but_not_often(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);
	unsigned n;

	(void)state;
	h->w.conf.port_default.policy = PROVIDER_ENFORCE;
	other_sets_pfc(h, "eth1", 0x02, false);
	start(h);
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}), MO_NO_ERROR);
	other_sets_pfc(h, "eth0", 0x40, true);
	UNTIL(h, kernel_pfc(h, "eth0") == 0x08);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "none"));
	assert_true(is(h, "dcbHardwareOtherChanges", "101", "1"));
	UNTIL(h, is(h, "dcbHardwareWrites", "101", "2"));
	n = kernel_changes(h, "eth0");
	other_sets_pfc(h, "eth0", 0x20, true);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "pfc"));
	await_round(h);
	await_round(h);
	assert_int_equal(kernel_changes(h, "eth0"), n);
	assert_true(is(h, "dcbHardwareDiffers", "101", "pfc"));
	/* A SET writes at once, and also what differs beside it. */
	assert_int_equal(HW_SET(h, ETS_OF("101")), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x08);
	/* Settings taken from the device are enforced like those of a SET. */
	other_sets_pfc(h, "eth1", 0x40, false);
	UNTIL(h, kernel_pfc(h, "eth1") == 0x02);
	hw_free(h);
}

static void test_watch_follows_the_kernel_and_writes_nothing(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	h->w.conf.port_default.policy = PROVIDER_WATCH;
	start(h);
	check_read_only(h, "policy \"watch\" of dcbd.conf");
	other_sets_pfc(h, "eth0", 0x40, true);
	UNTIL(h, is(h, ENABLE, "101.6", "true"));
	other_sets_ets(h, "eth0");
	other_adds_app(h, "eth0", (struct dcb_app){1, 6, 4321});
	UNTIL(h, is(h, APP, "101.1.4321", "6"));
	assert_true(is(h, BW, "101.1", "50"));
	assert_true(is(h, "dcbHardwareDiffers", "101", "none"));
	assert_int_equal(kernel_changes(h, "eth0"), 0);
	assert_int_equal(h->changed, 0);
	hw_free(h);
}

static void set_dcbx(struct hw *h, const char *name, uint8_t dcbx)
{
	struct dcbnl_port now = in_kernel(h, name);

	now.dcbx = dcbx;
	kernel_responder_write(h->kernel, name, &now, true);
}

static void test_firmware_owns_the_port_until_it_gives_it_to_the_host(void **state)
{
	struct hw *h = hw_new();

	(void)state;
	add_interface(h, 0, KERNEL_WORKS, "ice");
	set_dcbx(h, "eth0", DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE);
	start(h);
	check_read_only(h,
			"the firmware speaks DCBX and decides; see ethtool --set-priv-flags "
			"eth0 fw-lldp-agent off");
	TEXT(h, "dcbHardwareOwner", "101=firmware");
	TEXT(h, "dcbHardwareDcbx", "101=lldManaged,ieee");
	other_sets_pfc(h, "eth0", 0x10, true);
	UNTIL(h, is(h, ENABLE, "101.4", "true"));

	set_dcbx(h, "eth0", DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE);
	UNTIL(h, is(h, "dcbHardwareOwner", "101", "host"));
	assert_true(is(h, "dcbHardwareReason", "101", ""));
	assert_int_equal(HW_SET(h, {ENABLE, "101.5", "true"}), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x30);

	set_dcbx(h, "eth0", DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE);
	UNTIL(h, is(h, "dcbHardwareOwner", "101", "firmware"));
	assert_int_equal(HW_SET(h, {ENABLE, "101.5", "false"}), MO_NOT_WRITABLE);
	other_sets_pfc(h, "eth0", 0x01, true);
	UNTIL(h, is(h, ENABLE, "101.0", "true"));
	assert_true(is(h, ENABLE, "101.5", "false"));
	assert_true(is(h, "dcbHardwareDiffers", "101", "none"));
	hw_free(h);
}

static void check_take_over(bool may_write, const char *owner)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);

	set_dcbx(h, "eth0", DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE);
	h->w.conf.port_default.take_over = true;
	h->may_write = may_write;
	start(h);
	assert_true(is(h, "dcbHardwareOwner", "101", owner));
	assert_int_equal(kernel_changes(h, "eth0"), may_write);
	assert_int_equal(kernel_changes(h, "eth1"), 0); /* it is the host's already */
	assert_int_equal(HW_SET(h, {ENABLE, "101.5", "true"}),
			 may_write ? MO_NO_ERROR : MO_NOT_WRITABLE);
	hw_free(h);
}

static void test_take_over_gives_dcbx_to_the_host(void **state)
{
	(void)state;
	check_take_over(true, "host");
	check_take_over(false, "firmware");
}

static void test_dcbx_that_changes_between_test_and_commit(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	assert_int_equal(test(h, TRIPLES({ENABLE, "101.3", "true"})), MO_NO_ERROR);
	set_dcbx(h, "eth0", DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE);
	UNTIL(h, is(h, "dcbHardwareOwner", "101", "firmware"));
	assert_int_equal(phase(h, MO_OP_COMMIT), MO_NOT_WRITABLE);
	assert_int_equal(kernel_changes(h, "eth0"), 0);
	hw_free(h);
}

/* --- a kernel that does not answer ------------------------------------------------------- */

/* A SET of PFC, of which the kernel has not answered the COMMIT. */
static void commit_pending(struct hw *h)
{
	assert_int_equal(test(h, TRIPLES({ENABLE, "101.3", "true"})), MO_NO_ERROR);
	send_phase(h, MO_OP_COMMIT);
	UNTIL(h, is(h, "dcbHardwareState", "101", "pending"));
}

static void test_set_waits_and_reads_do_not(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	await_round(h);
	kernel_stop(h, true);
	UNTIL(h, kernel_waits(h));
	commit_pending(h);
	assert_false(h->is_answered);
	TEXT(h, "dcbHardwarePfc", "101=none 102=none");
	UNTIL(h, number(h, "dcbHardwareAge", "101") > 1200);
	assert_true(kernel_waits(h));
	kernel_stop(h, false);
	UNTIL(h, h->is_answered);
	assert_int_equal(h->error, MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x08);
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	UNTIL(h, number(h, "dcbHardwareAge", "101") < 1200);
	hw_free(h);
}

static void test_set_that_is_not_confirmed_is_taken_back(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	kernel_stop(h, true);
	assert_int_equal(test(h, TRIPLES({ENABLE, "101.3", "true"})), MO_NO_ERROR);
	assert_int_equal(phase(h, MO_OP_COMMIT), MO_UNDO_FAILED);
	assert_non_null(strstr(h->w.reason, "not confirmed within 3000 ms"));
	assert_true(is(h, ENABLE, "101.3", "false"));
	send_phase(h, MO_OP_UNDO);
	UNTIL(h, is(h, "dcbHardwareState", "101", "pending"));
	assert_false(h->is_answered);
	kernel_stop(h, false);
	UNTIL(h, h->is_answered);
	assert_int_equal(h->error, MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth0"), 0);
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	TEXT(h, "dcbHardwareDiffers", "101=none 102=none");
	hw_free(h);
}

/* Another change of the configuration says nothing about the SET that waits. */
static void test_change_of_another_port_does_not_confirm_a_set(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	kernel_stop(h, true);
	commit_pending(h);
	assert_true(managed_interface_gone(h->w.m, 102));
	handle_events(h);
	mo_service_outcome(h->w.service);
	assert_false(h->is_answered);
	kernel_responder_permit(h->kernel, false);
	kernel_stop(h, false);
	UNTIL(h, h->is_answered);
	assert_int_equal(h->error, MO_COMMIT_FAILED);
	assert_true(is(h, ENABLE, "101.3", "false"));
	hw_free(h);
}

static void test_port_is_closed_while_a_job_is_pending(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	kernel_stop(h, true);
	commit_pending(h);
	assert_true(managed_interface_gone(h->w.m, 101));
	handle_events(h);
	kernel_responder_remove(h->kernel, "eth0");
	kernel_stop(h, false);
	UNTIL(h, h->is_answered);
	TEXT(h, "dcbHardwareState", "102=confirmed");
	phase(h, MO_OP_UNDO);
	assert_int_equal(HW_SET(h, {ENABLE, "102.3", "true"}), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth1"), 0x08);
	hw_free(h);
}

/* dcbd ends while the kernel does not answer, and with settings not confirmed. */
static void test_end_with_a_pending_set(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	kernel_stop(h, true);
	commit_pending(h);
	stop(h);
	start(h);
	assert_true(is(h, ENABLE, "101.3", "false"));
	hw_free(h);
}

/* --- restart ----------------------------------------------------------------------------- */

static struct hw *restarted(enum provider_policy policy, uint8_t pfc)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);
	struct dcbnl_port now, fresh = in_kernel(h, "eth0");

	h->w.conf.port_default.policy = (uint8_t)policy;
	start(h);
	assert_int_equal(
	    HW_SET(h, {ENABLE, "101.3", "true"}, ETS_OF("101"), {APP, "101.1.2054", "5"}),
	    MO_NO_ERROR);
	stop(h);
	now = in_kernel(h, "eth0");
	assert_int_equal(now.pfc.pfc_en, 0x08);
	fresh.pfc.pfc_en = pfc;
	memset(&fresh.ets.prio_tc, 0, sizeof(fresh.ets.prio_tc));
	kernel_responder_write(h->kernel, "eth0", &fresh, false);
	start(h);
	return h;
}

static void test_restart_changes_nothing(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);
	unsigned n;

	(void)state;
	start(h);
	assert_int_equal(
	    HW_SET(h, {ENABLE, "101.3", "true"}, ETS_OF("101"), {APP, "101.1.2054", "5"}),
	    MO_NO_ERROR);
	n = kernel_changes(h, "eth0");
	stop(h);
	start(h);
	await_round(h);
	assert_int_equal(kernel_changes(h, "eth0"), n);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x08);
	assert_true(is(h, ENABLE, "101.3", "true"));
	TEXT(h, APP, "101.1.2054=5");
	TEXT(h, "dcbHardwareDiffers", "101=none 102=none");
	hw_free(h);
}

static void test_restart_restores_a_device_that_was_reset(void **state)
{
	struct hw *h = restarted(PROVIDER_ADOPT, 0);

	(void)state;
	UNTIL(h, kernel_has_app(h, "eth0", 1, 2054, 5));
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	assert_int_equal(kernel_pfc(h, "eth0"), 0x08);
	assert_int_equal(in_kernel(h, "eth0").ets.tc_tx_bw[0], 100);
	TEXT(h, "dcbHardwareDiffers", "101=none 102=none");
	assert_int_equal(kernel_changes(h, "eth1"), 0);
	hw_free(h);
}

static void test_restart_keeps_what_others_have_set(void **state)
{
	struct hw *h = restarted(PROVIDER_ADOPT, 0x40);

	(void)state;
	UNTIL(h, kernel_has_app(h, "eth0", 1, 2054, 5)); /* of these nothing was set */
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	assert_int_equal(kernel_pfc(h, "eth0"), 0x40);
	assert_true(is(h, ENABLE, "101.3", "true"));
	TEXT(h, "dcbHardwareDiffers", "101=pfc 102=none");
	UNTIL(h, h->changed == 1);
	hw_free(h);
}

static void test_restart_with_enforce_writes_the_settings(void **state)
{
	struct hw *h = restarted(PROVIDER_ENFORCE, 0x40);

	(void)state;
	UNTIL(h, kernel_has_app(h, "eth0", 1, 2054, 5));
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	assert_int_equal(kernel_pfc(h, "eth0"), 0x08);
	TEXT(h, "dcbHardwareDiffers", "101=none 102=none");
	hw_free(h);
}

/* The settings kept are not those in force, and the start does not fail for them. */
static void test_restart_while_firmware_owns_the_port(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}, {APP, "101.1.2054", "5"},
				{ENABLE, "102.3", "true"}),
			 MO_NO_ERROR);
	stop(h);
	set_dcbx(h, "eth0", DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE);
	other_sets_pfc(h, "eth0", 0x40, false);
	start(h);
	await_round(h);
	assert_true(is(h, ENABLE, "102.3", "true"));
	assert_true(is(h, ENABLE, "101.6", "true"));
	assert_true(is(h, ENABLE, "101.3", "false"));
	assert_true(is(h, "dcbHardwareDiffers", "101", "none"));
	assert_int_equal(kernel_pfc(h, "eth0"), 0x40);
	hw_free(h);
}

/* A port whose device refuses the kept settings is there, and the others are not affected. */
static void test_restart_with_a_device_that_refuses(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}, {ENABLE, "102.3", "true"}),
			 MO_NO_ERROR);
	stop(h);
	other_sets_pfc(h, "eth0", 0, false);
	kernel_responder_remove(h->kernel, "eth1");
	h->ifindex[1] = kernel_responder_add(h->kernel, "eth1", KERNEL_BUSY, "none");
	start(h);
	UNTIL(h, is(h, "dcbHardwareState", "103", "refused"));
	assert_true(is(h, "dcbHardwareDiffers", "103", "pfc"));
	assert_true(is(h, "dcbHardwareReason", "103", "PFC: the driver is busy"));
	UNTIL(h, is(h, "dcbHardwareState", "101", "confirmed"));
	assert_int_equal(kernel_pfc(h, "eth0"), 0x08);
	/* It does not keep a SET of the other port from success. */
	assert_int_equal(HW_SET(h, {ENABLE, "101.4", "true"}), MO_NO_ERROR);
	hw_free(h);
}

/* --- interfaces come and go -------------------------------------------------------------- */

static void rename_port(struct hw *h, const char *from, const char *to)
{
	struct link_info link = mo_world_link(101, to, "");

	kernel_responder_rename(h->kernel, from, to);
	managed_port_update(h->w.m, managed_find(h->w.m, 101), &link);
}

static void test_renamed_interface_is_written(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	rename_port(h, "eth0", "lan0");
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "lan0"), 0x08);
	hw_free(h);
}

static void test_interface_with_the_old_name_is_not_written(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	h->w.conf.port_default.policy = PROVIDER_ENFORCE;
	start(h);
	/* dcbd does not know yet that the name is another interface's. */
	kernel_responder_rename(h->kernel, "eth0", "lan0");
	kernel_responder_add(h->kernel, "eth0", KERNEL_WORKS, "none");
	other_sets_pfc(h, "eth0", 0x01, true);
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}), MO_COMMIT_FAILED);
	await_round(h);
	assert_int_equal(kernel_changes(h, "eth0"), 0);
	assert_int_equal(kernel_pfc(h, "eth0"), 0x01);
	assert_int_equal(kernel_pfc(h, "lan0"), 0);
	UNTIL(h, is(h, "dcbPortOperational", "101", "false"));
	assert_true(is(h, "dcbHardwarePfc", "101", "none")); /* nor is it read */
	managed_port_update(h->w.m, managed_find(h->w.m, 101),
			    &(struct link_info){.ifindex = 101, .name = "lan0", .up = true});
	UNTIL(h, is(h, "dcbPortOperational", "101", "true"));
	UNTIL(h, is(h, "dcbHardwareReason", "101", ""));
	assert_int_equal(HW_SET(h, {ENABLE, "101.4", "true"}), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "lan0"), 0x10);
	assert_int_equal(kernel_changes(h, "eth0"), 0);
	hw_free(h);
}

static void test_interface_that_is_gone_is_a_fault(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	await_round(h);
	kernel_responder_remove(h->kernel, "eth0");
	UNTIL(h, is(h, "dcbHardwareReason", "101",
		    "its device cannot be read: there is no such interface"));
	assert_true(is(h, "dcbPortOperational", "101", "false"));
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}), MO_COMMIT_FAILED);
	assert_int_equal(HW_SET(h, {ENABLE, "102.3", "true"}), MO_NO_ERROR);
	assert_true(managed_interface_gone(h->w.m, 101));
	handle_events(h);
	TEXT(h, "dcbHardwareState", "102=confirmed");
	hw_free(h);
}

static void test_port_that_is_added_later(void **state)
{
	struct hw *h = hw_new();

	(void)state;
	add_interface(h, 0, KERNEL_WORKS, "none");
	start(h);
	kernel_responder_add(h->kernel, "eth1", KERNEL_WORKS, "none");
	other_sets_pfc(h, "eth1", 0x40, false);
	add_port(h, 102, "eth1");
	assert_true(is(h, ENABLE, "102.6", "true"));
	assert_int_equal(HW_SET(h, {ENABLE, "102.3", "true"}), MO_NO_ERROR);
	assert_int_equal(kernel_pfc(h, "eth1"), 0x48);
	hw_free(h);
}

/* --- application priorities -------------------------------------------------------------- */

static void test_applications_of_others_are_not_deleted(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	other_adds_app(h, "eth0", (struct dcb_app){1, 3, 2054});
	start(h);
	other_adds_app(h, "eth0", (struct dcb_app){4, 6, 4321});
	other_adds_app(h, "eth0", (struct dcb_app){1, 1, 4660});
	assert_int_equal(HW_SET(h, {APP, "101.5.46", "5"}), MO_NO_ERROR);
	assert_true(kernel_has_app(h, "eth0", 5, 46, 5));
	assert_true(kernel_has_app(h, "eth0", 1, 2054, 3));
	assert_true(kernel_has_app(h, "eth0", 4, 4321, 6));
	assert_int_equal(kernel_changes(h, "eth0"), 1);
	/* The same application of another program stays beside that of dcbd. */
	other_adds_app(h, "eth0", (struct dcb_app){5, 2, 46});
	assert_int_equal(HW_SET(h, {APP, "101.5.46", "7"}), MO_NO_ERROR);
	assert_true(kernel_has_app(h, "eth0", 5, 46, 7));
	assert_true(kernel_has_app(h, "eth0", 5, 46, 2));
	assert_false(kernel_has_app(h, "eth0", 5, 46, 5));
	assert_int_equal(HW_SET(h, {APP_ROW, "101.5.46", "destroy"}), MO_NO_ERROR);
	assert_false(kernel_has_app(h, "eth0", 5, 46, 7));
	assert_int_equal(in_kernel(h, "eth0").apps.n, 4);
	UNTIL(h, is(h, "dcbHardwareDiffers", "101", "none"));
	hw_free(h);
}

static void add_before(struct hw *h, const char *name, uint8_t cmd)
{
	if (cmd != DCB_CMD_IEEE_SET)
		return;
	kernel_before(h, NULL);
	other_adds_app(h, name, (struct dcb_app){5, 5, 46});
}

static void drop_before(struct hw *h, const char *name, uint8_t cmd)
{
	struct dcbnl_port now = in_kernel(h, name);

	if (cmd != DCB_CMD_IEEE_DEL)
		return;
	kernel_before(h, NULL);
	now.apps.n = 0;
	kernel_responder_write(h->kernel, name, &now, false);
}

/* Between reading the device and changing it another program does the same. */
static void test_application_that_another_program_adds_or_drops_too(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	kernel_before(h, add_before);
	assert_int_equal(HW_SET(h, {APP, "101.5.46", "5"}), MO_NO_ERROR);
	assert_int_equal(in_kernel(h, "eth0").apps.n, 1);
	kernel_before(h, drop_before);
	assert_int_equal(HW_SET(h, {APP_ROW, "101.5.46", "destroy"}), MO_NO_ERROR);
	assert_int_equal(in_kernel(h, "eth0").apps.n, 0);
	hw_free(h);
}

/* The deletion has success, and the entry is there when the device is read again. */
static void put_back_before(struct hw *h, const char *name, uint8_t cmd)
{
	if (cmd != DCB_CMD_IEEE_GET || kernel_has_app(h, name, 5, 46, 5))
		return;
	kernel_before(h, NULL);
	other_adds_app(h, name, (struct dcb_app){5, 5, 46});
}

static void test_deletion_of_an_application_is_read_back(void **state)
{
	struct hw *h = hw_started(KERNEL_WORKS, KERNEL_WORKS);

	(void)state;
	assert_int_equal(HW_SET(h, {APP, "101.5.46", "5"}), MO_NO_ERROR);
	kernel_before(h, put_back_before);
	assert_int_equal(HW_SET(h, {APP_ROW, "101.5.46", "destroy"}), MO_COMMIT_FAILED);
	assert_non_null(strstr(h->w.reason, "application priorities"));
	assert_true(is(h, APP, "101.5.46", "5"));
	assert_true(kernel_has_app(h, "eth0", 5, 46, 5));
	hw_free(h);
}

/* --- counters ---------------------------------------------------------------------------- */

#define REQUESTS    "dcbPfcPriorityRequests"
#define INDICATIONS "dcbPfcPriorityIndications"
#define SINCE       "dcbPortCounterDiscontinuityTime"

static struct hw *hw_of_driver(const char *driver)
{
	struct hw *h = hw_new();

	add_interface(h, 0, KERNEL_WORKS, driver);
	return h;
}

static void test_counters_that_exist_only_with_pfc(void **state)
{
	struct hw *h = hw_of_driver("mlx5_core");
	uint64_t since;

	(void)state;
	kernel_responder_count(h->kernel, "eth0", "tx_prio3_pause", 700);
	kernel_responder_count(h->kernel, "eth0", "rx_prio3_pause_duration", 9);
	start(h);
	await_round(h);
	assert_true(is(h, REQUESTS, "101.3", NULL));
	assert_true(is(h, "ieee8021PfcRequests", "101", NULL));
	since = number(h, SINCE, "101");
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "true"}), MO_NO_ERROR);
	UNTIL(h, is(h, REQUESTS, "101.3", "700"));
	assert_true(number(h, SINCE, "101") > since);
	assert_true(is(h, "dcbPfcPriorityPauseTime", "101.3", "9"));
	assert_true(is(h, REQUESTS, "101.4", NULL));
	assert_true(is(h, "ieee8021PfcRequests", "101", "700"));

	since = number(h, SINCE, "101");
	kernel_responder_count(h->kernel, "eth0", "tx_prio3_pause", 701);
	UNTIL(h, is(h, REQUESTS, "101.3", "701"));
	assert_int_equal(number(h, SINCE, "101"), since);
	kernel_responder_count(h->kernel, "eth0", "tx_prio3_pause", 5);
	UNTIL(h, is(h, REQUESTS, "101.3", "5"));
	assert_true(number(h, SINCE, "101") > since);

	/* The names of other priorities move: their values do not become those of others. */
	kernel_responder_count(h->kernel, "eth0", "tx_prio1_pause", 11);
	assert_int_equal(HW_SET(h, {ENABLE, "101.1", "true"}), MO_NO_ERROR);
	UNTIL(h, is(h, REQUESTS, "101.1", "11"));
	assert_true(is(h, REQUESTS, "101.3", "5"));
	assert_int_equal(HW_SET(h, {ENABLE, "101.3", "false"}), MO_NO_ERROR);
	UNTIL(h, is(h, REQUESTS, "101.3", NULL));
	assert_true(is(h, REQUESTS, "101.1", "11"));
	hw_free(h);
}

/* One priority gets PFC as another loses it: there are as many names as before. */
static void test_counters_whose_names_change_but_not_their_number(void **state)
{
	struct hw *h = hw_of_driver("mlx5_core");

	(void)state;
	kernel_responder_count(h->kernel, "eth0", "tx_prio3_pause", 33);
	kernel_responder_count(h->kernel, "eth0", "tx_prio4_pause", 44);
	other_sets_pfc(h, "eth0", 0x08, false);
	start(h);
	await_round(h);
	assert_true(is(h, REQUESTS, "101.3", "33"));
	other_sets_pfc(h, "eth0", 0x10, true);
	UNTIL(h, is(h, "dcbHardwarePfc", "101", "pri4"));
	assert_true(is(h, REQUESTS, "101.4", "44"));
	assert_true(is(h, REQUESTS, "101.3", NULL));
	hw_free(h);
}

static void test_prevention_of_storms(void **state)
{
	struct hw *h = hw_of_driver("mlx5_core");
	uint64_t since;

	(void)state;
	add_interface(h, 1, KERNEL_WORKS, "ice");
	kernel_responder_prevent(h->kernel, "eth0", 8000);
	kernel_responder_count(h->kernel, "eth0", "tx_pause_storm_warning_events", 5);
	kernel_responder_count(h->kernel, "eth0", "tx_pause_storm_error_events", 2);
	start(h);
	TEXT(h, "dcbHardwarePreventionTime", "101=8000");
	TEXT(h, "dcbHardwareStormWarnings", "101=5");
	TEXT(h, "dcbHardwareStormErrors", "101=2");
	kernel_responder_prevent(h->kernel, "eth0", UINT16_MAX);
	UNTIL(h, is(h, "dcbHardwarePreventionTime", "101", "65535"));
	since = number(h, "dcbPortCounterDiscontinuityTime", "101");
	kernel_responder_count(h->kernel, "eth0", "tx_pause_storm_error_events", 1);
	UNTIL(h, is(h, "dcbHardwareStormErrors", "101", "1"));
	UNTIL(h, number(h, "dcbPortCounterDiscontinuityTime", "101") > since);
	hw_free(h);
}

#define MAX_RATE    "dcbHardwarePriorityMaxRate"
#define BUFFER      "dcbHardwarePriorityBuffer"
#define BUFFER_SIZE "dcbHardwarePriorityBufferSize"

static void test_rates_and_buffers_of_priorities(void **state)
{
	struct hw *h = hw_of(KERNEL_WORKS, KERNEL_WORKS);
	struct dcbnl_port now = in_kernel(h, "eth1");

	(void)state;
	now.has &= ~(uint32_t)(DCBNL_MAXRATE | DCBNL_BUFFER);
	kernel_responder_write(h->kernel, "eth1", &now, false);
	now = in_kernel(h, "eth0");
	now.ets.prio_tc[3] = 1;
	now.maxrate.tc_maxrate[1] = 2500000;
	now.maxrate.tc_maxrate[3] = 1;
	now.maxrate.tc_maxrate[7] = UINT64_C(1) << 33;
	now.buffer.prio2buffer[3] = 2;
	now.buffer.buffer_size[0] = 1000;
	now.buffer.buffer_size[2] = 20000;
	kernel_responder_write(h->kernel, "eth0", &now, false);
	start(h);
	TEXT(h, MAX_RATE,
	     "101.0=0 101.1=2500000 101.2=0 101.3=2500000 101.4=0 101.5=0 101.6=0 "
	     "101.7=4294967295");
	TEXT(h, BUFFER, "101.0=0 101.1=0 101.2=0 101.3=2 101.4=0 101.5=0 101.6=0 101.7=0");
	TEXT(h, BUFFER_SIZE,
	     "101.0=1000 101.1=1000 101.2=1000 101.3=20000 101.4=1000 101.5=1000 101.6=1000 "
	     "101.7=1000");
	now.maxrate.tc_maxrate[1] = 2600000;
	kernel_responder_write(h->kernel, "eth0", &now, true);
	UNTIL(h, is(h, MAX_RATE, "101.3", "2600000"));
	assert_true(is(h, "dcbHardwareOtherChanges", "101", "1"));
	now.has &= ~(uint32_t)DCBNL_ETS; /* its traffic classes are not known */
	kernel_responder_write(h->kernel, "eth0", &now, true);
	UNTIL(h, is(h, MAX_RATE, "101.3", NULL));
	assert_true(is(h, BUFFER, "101.3", "2"));
	hw_free(h);
}

static void test_totals_of_the_driver(void **state)
{
	struct hw *h = hw_of_driver("bnxt_en");

	(void)state;
	kernel_responder_count(h->kernel, "eth0", "tx_pfc_frames", 1000);
	kernel_responder_count(h->kernel, "eth0", "rx_pfc_frames", 2000);
	kernel_responder_count(h->kernel, "eth0", "tx_pfc_ena_frames_pri3", 600);
	kernel_responder_count(h->kernel, "eth0", "tx_pfc_ena_frames_pri4", 700);
	start(h);
	UNTIL(h, is(h, "ieee8021PfcRequests", "101", "1000"));
	assert_true(is(h, "ieee8021PfcIndications", "101", "2000"));
	assert_true(is(h, REQUESTS, "101.3", "600"));
	assert_true(is(h, REQUESTS, "101.4", "700"));
	hw_free(h);
}

static void set_ieee_counts(struct hw *h)
{
	struct dcbnl_port now = in_kernel(h, "eth0");

	now.pfc.requests[3] = 30;
	now.pfc.indications[3] = 31;
	kernel_responder_write(h->kernel, "eth0", &now, false);
}

static void test_counters_of_ieee_get(void **state)
{
	struct hw *h = hw_of_driver("none");

	(void)state;
	set_ieee_counts(h);
	start(h);
	UNTIL(h, is(h, REQUESTS, "101.3", "30"));
	assert_true(is(h, INDICATIONS, "101.3", "31"));
	assert_true(is(h, "ieee8021PfcRequests", "101", "30"));
	assert_true(is(h, "dcbPfcPriorityPauseTime", "101.3", NULL));
	hw_free(h);
}

static void test_counters_that_the_driver_swaps(void **state)
{
	struct hw *h = hw_of_driver("ixgbe");

	(void)state;
	set_ieee_counts(h);
	start(h);
	UNTIL(h, is(h, REQUESTS, "101.3", "31"));
	assert_true(is(h, INDICATIONS, "101.3", "30"));
	hw_free(h);
}

static void test_port_without_counters_has_no_instances(void **state)
{
	struct hw *h = hw_of_driver("none");
	struct dcbnl_port now = in_kernel(h, "eth0");

	(void)state;
	now.has &= ~(uint32_t)DCBNL_PFC;
	kernel_responder_write(h->kernel, "eth0", &now, false);
	start(h);
	await_round(h);
	TEXT(h, REQUESTS, "");
	TEXT(h, ENABLE, "");
	TEXT(h, "ieee8021PfcRequests", "");
	TEXT(h, "dcbHardwareParts", "101=ets,applicationPriorities,rp");
	hw_free(h);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_start_takes_what_the_kernel_has_and_writes_nothing),
	    cmocka_unit_test(test_set_is_written_and_read_back),
	    cmocka_unit_test(test_ets_is_written_without_pfc),
	    cmocka_unit_test(test_driver_without_setter_is_commit_failed),
	    cmocka_unit_test(test_busy_port_leaves_both_ports_as_before),
	    cmocka_unit_test(test_port_after_the_busy_one_keeps_an_older_set),
	    cmocka_unit_test(test_ets_of_a_busy_port_is_taken_back),
	    cmocka_unit_test(test_undo_returns_the_device_to_what_it_had),
	    cmocka_unit_test(test_undo_that_failed_is_tried_again),
	    cmocka_unit_test(test_undo_is_retried_by_undo),
	    cmocka_unit_test(test_more_priorities_than_the_device_can_is_inconsistent),
	    cmocka_unit_test(test_refusal_of_the_kernel_names_the_capability),
	    cmocka_unit_test(test_without_permission_nothing_can_be_set),
	    cmocka_unit_test(test_change_of_another_program_is_shown_and_kept),
	    cmocka_unit_test(test_change_without_notification_is_shown_and_kept),
	    cmocka_unit_test(test_set_to_the_same_value_is_written_where_the_device_differs),
	    cmocka_unit_test(test_tlvs_have_what_another_program_has_set),
	    cmocka_unit_test(test_undo_of_a_set_to_the_same_value),
	    cmocka_unit_test(test_change_just_before_a_set_is_counted),
	    cmocka_unit_test(test_lost_notifications_are_made_up_by_a_round),
	    cmocka_unit_test(test_enforce_writes_drift_again_but_not_often),
	    cmocka_unit_test(test_watch_follows_the_kernel_and_writes_nothing),
	    cmocka_unit_test(test_firmware_owns_the_port_until_it_gives_it_to_the_host),
	    cmocka_unit_test(test_take_over_gives_dcbx_to_the_host),
	    cmocka_unit_test(test_dcbx_that_changes_between_test_and_commit),
	    cmocka_unit_test(test_set_waits_and_reads_do_not),
	    cmocka_unit_test(test_set_that_is_not_confirmed_is_taken_back),
	    cmocka_unit_test(test_change_of_another_port_does_not_confirm_a_set),
	    cmocka_unit_test(test_port_is_closed_while_a_job_is_pending),
	    cmocka_unit_test(test_end_with_a_pending_set),
	    cmocka_unit_test(test_restart_changes_nothing),
	    cmocka_unit_test(test_restart_restores_a_device_that_was_reset),
	    cmocka_unit_test(test_restart_keeps_what_others_have_set),
	    cmocka_unit_test(test_restart_with_enforce_writes_the_settings),
	    cmocka_unit_test(test_restart_while_firmware_owns_the_port),
	    cmocka_unit_test(test_restart_with_a_device_that_refuses),
	    cmocka_unit_test(test_renamed_interface_is_written),
	    cmocka_unit_test(test_interface_with_the_old_name_is_not_written),
	    cmocka_unit_test(test_interface_that_is_gone_is_a_fault),
	    cmocka_unit_test(test_port_that_is_added_later),
	    cmocka_unit_test(test_applications_of_others_are_not_deleted),
	    cmocka_unit_test(test_application_that_another_program_adds_or_drops_too),
	    cmocka_unit_test(test_deletion_of_an_application_is_read_back),
	    cmocka_unit_test(test_counters_that_exist_only_with_pfc),
	    cmocka_unit_test(test_counters_whose_names_change_but_not_their_number),
	    cmocka_unit_test(test_prevention_of_storms),
	    cmocka_unit_test(test_rates_and_buffers_of_priorities),
	    cmocka_unit_test(test_totals_of_the_driver),
	    cmocka_unit_test(test_counters_of_ieee_get),
	    cmocka_unit_test(test_counters_that_the_driver_swaps),
	    cmocka_unit_test(test_port_without_counters_has_no_instances),
	};

	log_init("test_provider_kernel", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
