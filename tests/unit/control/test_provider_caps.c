/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of ports whose provider lacks a capability. */
#include <stdio.h>
#include <string.h>

#include "lib/log.h"
#include "control/objects/mo_caps.h"
#include "control/objects/mo_read.h"
#include "control/managed_conf.h"
#include "tests/unit/control/provider_world.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

#define WATCHDOG "dcbPfcWatchdogAction"

/* --- another provider for a port ------------------------------------------------------- */

#define S_PORT   "dcbStaticUnicastPort"
#define S_STATUS "dcbStaticUnicastRowStatus"
#define TREE     "dcbTrillNextHopTree"
#define H_STATUS "dcbTrillNextHopRowStatus"
#define X        "10.2.0.0.0.0.33" /* VLAN 10, address 02-00-00-00-00-21 */

/* Rules of a bridge's port must not stay in force on a port that has no objects for them. */
static void test_settings_without_objects_are_not_restored(void **state)
{
	struct mo_world *w = mo_world_of_providers(ROLE_RBRIDGE, 2);
	struct log_capture c;
	char log[1024];

	(void)state;
	assert_int_equal(
	    SET(w, {ALLOWANCE, "9", "99"}, {S_PORT, X, "9"}, {S_STATUS, X, "createAndGo"},
		{"dcbVlanPortIngressFiltering", "9", "true"}, {"dcbTrillPortMode", "9", "hybrid"},
		{H_STATUS, "9.256.2.0.0.0.1.3", "createAndGo"},
		{TREE, "9.256.2.0.0.0.1.3", "true"}),
	    MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 9));
	mo_world_adopt(w);
	w->others[0].has = PROVIDER_CAPS_ALL & ~(PROVIDER_VLAN | PROVIDER_TRILL);
	w->others[0].sets = (uint16_t)w->others[0].has;
	c = log_watch(LOG_LEVEL_WARN);
	mo_world_add_port(w, 9, "sw9", "");
	log_watched(&c, log, sizeof(log));
	assert_string_equal(
	    log,
	    "<4>prog: mo: sw9: dcbVlanPortTable is not restored: provider \"other\" "
	    "cannot set it\n"
	    "<4>prog: mo: sw9: dcbStaticUnicastTable is not restored: provider \"other\" "
	    "cannot set it\n"
	    "<4>prog: mo: sw9: dcbTrillPortTable is not restored: provider \"other\" "
	    "cannot set it\n"
	    "<4>prog: mo: sw9: dcbTrillNextHopTable is not restored: provider \"other\" "
	    "cannot set it\n");
	assert_value(w, ALLOWANCE, "9", "99");
	/* Nothing that no manager can delete stands against these. */
	assert_int_equal(SET(w, {S_PORT, X, "3"}, {S_STATUS, X, "createAndGo"},
			     {"dcbTrillPortMode", "3", "hybrid"},
			     {H_STATUS, "3.256.2.0.0.0.1.3", "createAndGo"},
			     {TREE, "3.256.2.0.0.0.1.3", "true"}),
			 MO_NO_ERROR);
	assert_column(w, S_PORT, X "=3");
	check_in_force(w);
	mo_world_free(w);
}

/* --- capabilities ---------------------------------------------------------------------- */

/* sw9 has all capabilities but cap. */
static struct mo_world *world_without(uint32_t cap)
{
	struct mo_world *w = mo_world_of_providers(ROLE_STATION, 3);

	assert_true(managed_interface_gone(w->m, 9));
	mo_world_adopt(w);
	w->others[1].has = PROVIDER_CAPS_ALL & ~cap;
	w->others[1].sets = (uint16_t)w->others[1].has;
	mo_world_add_port(w, 9, "sw9", "");
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	return w;
}

static void test_absent_objects_have_no_instance(void **state)
{
	static const struct {
		uint32_t cap;
		const char *object, *with, *index;
	} rows[] = {
	    {PROVIDER_CN, "ieee8021CnPortPriAlternatePriority", "1.3.5=0", "1.3.9"},
	    {PROVIDER_CN, "lldpXdot1CnConfigCnTxEnable", "5.1=false", "9.1"},
	    {PROVIDER_CP, QSP, "1.5.3=26000", "1.9.3"},
	    {PROVIDER_RP, "ieee8021CnRpPortPriMaxRps", "1.3.5=1", "1.3.9"},
	    {PROVIDER_RP, "ieee8021CnRpgEnable", "1.3.5.3=true", "1.3.9.3"},
	    {PROVIDER_PFC, ENABLE, "5.7=false", "9.7"},
	    {PROVIDER_PFC, "lldpXdot1dcbxAdminPFCWilling", "5=false", "9"},
	    {PROVIDER_LINK_DELAY, ALLOWANCE, "5=0", "9"},
	    {PROVIDER_CABLE_LENGTH, "dcbPfcHeadroomCableLength", "5=100", "9"},
	    {PROVIDER_HEADROOM, "dcbPfcHeadroomResponse", "5=0", "9"},
	    {PROVIDER_MEASURE, "dcbPfcMeasureEnable", "5=agreed", "9"},
	    {PROVIDER_BUFFERS, "dcbBufferReserve", "5.7=0", "9.7"},
	    {PROVIDER_WATCHDOG, WATCHDOG, "5.7=alert", "9.7"},
	    {PROVIDER_ETS, "lldpXdot1dcbxAdminETSConWilling", "5=false", "9"},
	    {PROVIDER_VLAN, "dcbVlanPortIngressFiltering", "5=false", "9"},
	    {PROVIDER_VLAN, "dcbVlanPortEgress", "5=1-1023", "9"},
	    {PROVIDER_TRILL, "dcbTrillPortMode", "5=access", "9"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mo_world *w = world_without(rows[i].cap);
		const struct mo_table *table;
		const struct mo_column *col = mo_column_by_name(rows[i].object, &table);
		struct mo_value value;
		char text[4096], absent[64];
		char *is;

		mo_world_column(w, rows[i].object, text, sizeof(text));
		if (!strstr(text, rows[i].with))
			fail_msg("%s: no %s in %s", rows[i].object, rows[i].with, text);
		snprintf(absent, sizeof(absent), " %s=", rows[i].index);
		assert_null(strstr(text, absent));
		/* The value of sw5 has the right type. */
		is = strchr(strstr(text, rows[i].with), '=') + 1;
		is[strcspn(is, " ")] = '\0';
		assert_true(mo_parse(col, is, &value));
		assert_int_equal(SET(w, {rows[i].object, rows[i].index, is}), MO_NO_CREATION);
		assert_int_equal(w->bad, 1);
		mo_world_free(w);
	}
}

/* A walk skips absent objects of a row that has others. */
static void test_absent_columns_are_left_out(void **state)
{
	struct mo_world *w = world_without(PROVIDER_FRAMES | PROVIDER_QUEUES | PROVIDER_PFC_STATS |
					   PROVIDER_PFC_PORT | PROVIDER_CP);
	char text[256];

	(void)state;
	fake_port(w->m->config->ports[2].port)->stats.up = 1;
	assert_column(w, "dcbPortRxFrames", "3=0 5=0");
	assert_column(w, "dcbPortOperational", "3=false 5=false 9=true");
	mo_world_column(w, "dcbPortCounterDiscontinuityTime", text, sizeof(text));
	assert_non_null(strstr(text, " 9="));
	assert_column(w, "dcbPortName", "3=sw3 5=sw5 9=sw9");
	assert_column(w, ALLOWANCE, "3=0 5=0 9=0");
	assert_column(w, "ieee8021PfcRequests", "3=0 5=0");
	assert_column(w, "dcbPfcPortPauseIgnored", "3=0 5=0");
	assert_column(w, "ieee8021CnCpidToIfIfIndex", "2.0.0.0.0.3.0.3=3 2.0.0.0.0.3.0.11=5");
	assert_value(w, ENABLE, "9.7", "false");
	mo_world_free(w);
}

/* What a port knows of PFC does not depend on what else it knows. */
static void test_pfc_objects_exist_one_by_one(void **state)
{
	static const struct {
		uint32_t cap;
		const char *object;
	} of[] = {
	    {PROVIDER_PFC_COUNT, "dcbPfcPriorityRequests"},
	    {PROVIDER_PFC_PAUSE_TIME, "dcbPfcPriorityPauseTime"},
	    {PROVIDER_PFC_PAUSE_TIME, "dcbPfcPriorityPauseSent"},
	    {PROVIDER_PFC_BUFFER, "dcbPfcPriorityHeld"},
	    {PROVIDER_PFC_DISCARD, "dcbPfcPriorityDiscards"},
	    {PROVIDER_PFC, ENABLE},
	    {PROVIDER_PFC_DIRECTION, "dcbPfcPriorityDirection"},
	    {PROVIDER_BUFFERS, "dcbBufferHeadroomSize"},
	    {PROVIDER_HEADROOM_PEAK, "dcbBufferHeadroomPeak"},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(of); i++) {
		struct mo_world *w =
		    world_without(PROVIDER_CAPS_ALL & ~(of[i].cap | PROVIDER_QUEUES));
		char text[4096];

		for (size_t k = 0; k < UNIT_COUNT(of); k++) {
			mo_world_column(w, of[k].object, text, sizeof(text));
			assert_non_null(strstr(text, "5.7="));
			assert_int_equal(strstr(text, "9.7=") != NULL, of[k].cap == of[i].cap);
		}
		mo_world_free(w);
	}
}

/* 36.8: of a device that has less than was calculated, and of one that has enough. */
static void test_headroom_of_a_device_is_compared_with_the_calculated_one(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct fake_port *port = fake_port(w->m->config->ports[1].port);
	char needed[4096];
	unsigned bits = 0;

	(void)state;
	assert_int_equal(SET(w, {ENABLE, "5.3", "true"}), MO_NO_ERROR);
	mo_world_column(w, "dcbPfcHeadroomCalculated", needed, sizeof(needed));
	assert_int_equal(sscanf(strstr(needed, "5="), "5=%u", &bits), 1);
	assert_true(bits > 8000);
	assert_value(w, "dcbPfcHeadroomMissing", "5", "0");
	port->port.has |= PROVIDER_HARDWARE;
	assert_value(w, "dcbPfcHeadroomBasis", "5", "allowance");
	port->oper = (struct provider_oper){.has_headroom = true, .headroom_octets = 1000};
	assert_value(w, "dcbPfcHeadroomBasis", "5", "device");
	assert_value(w, "dcbPfcHeadroomInForce", "5", "8000");
	assert_value(w, "dcbPfcHeadroomStatus", "5", "insufficient");
	snprintf(needed, sizeof(needed), "%u", (bits + 7) / 8 - 1000);
	assert_value(w, "dcbPfcHeadroomMissing", "5", needed);
	port->oper.headroom_octets = bits / 8 + 1;
	assert_value(w, "dcbPfcHeadroomStatus", "5", "calculated");
	assert_value(w, "dcbPfcHeadroomMissing", "5", "0");
	mo_world_free(w);
}

/* A member that the port does not know has no instance, of one priority or of all. */
static void test_unknown_members_have_no_instance(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct fake_port *port = fake_port(w->m->config->ports[1].port);
	char text[4096];

	(void)state;
	port->unknown[STATS_PFC][3] =
	    STATS_MEMBER(pfc_stats, pfc_transitions) | STATS_MEMBER(pfc_stats, pfc_pause_sent_us);
	mo_world_column(w, "dcbPfcPriorityTransitions", text, sizeof(text));
	assert_non_null(strstr(text, "5.2=0 5.4=0"));
	mo_world_column(w, "dcbPfcPriorityPauseSent", text, sizeof(text)); /* computed */
	assert_non_null(strstr(text, "5.2=0 5.4=0"));
	mo_world_column(w, "dcbPfcPriorityPauseTime", text, sizeof(text));
	assert_non_null(strstr(text, "5.2=0 5.3=0"));
	port->unknown[STATS_PORT][0] = STATS_MEMBER(port_stats, discard_down);
	assert_column(w, "dcbPortDiscardDown", "3=0 9=0");
	assert_column(w, "dcbPortRxFrames", "3=0 5=0 9=0");
	port->unknown[STATS_PFC_PORT][0] = STATS_MEMBER(pfc_port_stats, pause_ns);
	assert_column(w, "dcbPfcPortPauseTime", "3=0 9=0");
	port->unknown[STATS_BUFFER][3] = STATS_MEMBER(buffer_stats, lossless.peak_frames);
	mo_world_column(w, "dcbBufferLosslessPeakFrames", text, sizeof(text));
	assert_non_null(strstr(text, "5.2=0 5.4=0"));
	port->unknown[STATS_WATCHDOG][3] = STATS_MEMBER(pfc_watchdog_stats, dropped_total);
	mo_world_column(w, "dcbPfcWatchdogDroppedTotal", text, sizeof(text));
	assert_non_null(strstr(text, "5.2=0 5.4=0"));
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	port->unknown[STATS_CP][3] = STATS_MEMBER(cp_stats, cp_qlen_peak);
	assert_column(w, "dcbCpQueuePeak", "1.3.3=0 1.9.3=0");
	assert_column(w, "dcbCpQueueLength", "1.3.3=0 1.5.3=0 1.9.3=0");
	mo_world_free(w);
}

/* 12.23: the port's PFC frames where they are counted, else the sum of the priorities. */
static void test_requests_are_totals_or_sums(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct fake_port *port = fake_port(w->m->config->ports[1].port);

	(void)state;
	port->stats.pfc_frames_sent = 10;
	port->stats.pfc_frames_received = 20;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		port->pfc[p].pfc_requests = p;
		port->pfc[p].pfc_indications = 100 * p;
	}
	assert_column(w, "ieee8021PfcRequests", "3=0 5=10 9=0");
	port->unknown[STATS_PORT][0] = STATS_MEMBER(port_stats, pfc_frames_sent);
	assert_column(w, "ieee8021PfcRequests", "3=0 5=28 9=0");
	assert_column(w, "ieee8021PfcIndications", "3=0 5=20 9=0");
	port->unknown[STATS_PORT][0] |= STATS_MEMBER(port_stats, pfc_frames_received);
	assert_column(w, "ieee8021PfcIndications", "3=0 5=2800 9=0");
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		port->unknown[STATS_PFC][p] = STATS_MEMBER(pfc_stats, pfc_requests);
	assert_column(w, "ieee8021PfcRequests", "3=0 9=0");
	assert_column(w, "ieee8021PfcIndications", "3=0 5=2800 9=0");
	assert_column(w, "cpfcIfRequests", "3=0 9=0");
	assert_column(w, "cpfcIfIndications", "3=0 5=2800 9=0");
	mo_world_free(w);
}

/* Parameters of reaction points, and none that could be seen. */
static void test_parameters_without_reaction_points(void **state)
{
	struct mo_world *w = world_without(PROVIDER_RP_STATE);
	char text[4096];

	(void)state;
	mo_world_column(w, "ieee8021CnRpgEnable", text, sizeof(text));
	assert_non_null(strstr(text, " 1.3.9.3="));
	assert_column(w, "dcbCnmReceived", "3=0 5=0");
	mo_world_column(w, "dcbRpEnabled", text, sizeof(text));
	assert_non_null(strstr(text, "1.5.3.1="));
	assert_null(strstr(text, "1.9.3.1="));
	mo_world_free(w);
}

/* A SET needs no capability that port->sets cannot have. */
static void test_writable_objects_need_capabilities_of_settings(void **state)
{
	const struct port port = {.has = PROVIDER_CAPS_ALL | PROVIDER_SECY,
				  .sets = PROVIDER_SETS_ALL};

	(void)state;
	for (enum mo_table_id id = 0; id < MO_TABLES; id++)
		for (unsigned i = 0; i < mo_table(id)->n_columns; i++)
			if (mo_is_writable(&mo_table(id)->columns[i]))
				assert_true(
				    mo_caps_sets(&port, mo_table(id), &mo_table(id)->columns[i]));
}

/* A walk of each table is in order whatever capability is absent. */
static void test_walk_is_in_order_without_capability(void **state)
{
	(void)state;
	for (unsigned bit = 0; 1u << bit <= PROVIDER_CAPS_ALL; bit++) {
		struct mo_world *w = world_without(1u << bit);

		for (unsigned table = 0; table < MO_TABLES; table++) {
			struct mo_index at = {0}, last;
			struct mo_row_at place;

			for (last = at; mo_world_next(w, table, &at); last = at) {
				assert_true(mo_index_compare(&last, &at) < 0);
				assert_true(mo_read_find(w->m, w->m->config,
							 (enum mo_table_id)table, &at, &place));
			}
		}
		mo_world_free(w);
	}
}

static void test_fixed_objects_are_not_writable(void **state)
{
	struct mo_world *w = mo_world_of_providers(ROLE_BRIDGE, 3);

	(void)state;
	assert_true(managed_interface_gone(w->m, 9));
	mo_world_adopt(w);
	w->others[1].sets = PROVIDER_SETS_ALL & ~PROVIDER_WATCHDOG;
	mo_world_add_port(w, 9, "sw9", "");
	assert_value(w, WATCHDOG, "9.1", "alert");
	assert_int_equal(SET(w, {WATCHDOG, "5.1", "drop"}, {WATCHDOG, "9.1", "drop"}),
			 MO_NOT_WRITABLE);
	assert_int_equal(w->bad, 2);
	assert_value(w, WATCHDOG, "5.1", "alert");
	mo_world_free(w);
}

/*
 * While a port exists its firmware can take the settings over, and give them back. A SET that was
 * tested before is refused at COMMIT, with all of its variables.
 */
static void test_capabilities_can_change(void **state)
{
	static const char *const set[][3] = {{ENABLE, "3.1", "true"}, {ENABLE, "9.1", "true"}};
	struct mo_world *w = make_world(3);
	struct port *port = w->m->config->ports[2].port;
	char text[4096];

	(void)state;
	assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
	port->sets &= (uint16_t)~PROVIDER_PFC;
	managed_capabilities(w->m, port->slot);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NOT_WRITABLE);
	assert_int_equal(w->bad, 2);
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
	assert_value(w, ENABLE, "3.1", "false");
	assert_value(w, ENABLE, "9.1", "false");
	port->has &= ~(uint32_t)PROVIDER_PFC;
	managed_capabilities(w->m, port->slot);
	mo_world_column(w, ENABLE, text, sizeof(text));
	assert_null(strstr(text, " 9.1="));
	port->has |= PROVIDER_PFC;
	port->sets |= PROVIDER_PFC;
	managed_capabilities(w->m, port->slot);
	assert_int_equal(mo_world_set(w, set, 2), MO_NO_ERROR);
	assert_value(w, ENABLE, "9.1", "true");
	check_in_force(w);
	managed_capabilities(w->m, 77); /* no port has it any more */
	mo_world_free(w);
}

/* A state file with settings of objects that the port does not have any more (12.21). */
static void test_state_of_absent_objects_is_ignored(void **state)
{
	struct mo_world *w = make_world(3);

	(void)state;
	mo_world_restart(w);
	w->others[1].has = PROVIDER_CAPS_ALL & ~PROVIDER_LINK_DELAY;
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 9, "sw9", "");
	mo_world_load(w);
	assert_column(w, ALLOWANCE, "3=33");
	mo_world_free(w);
}

/* A dry run with thousands of ports: one configuration, whatever the order of the ports. */
static void test_dry_run_asks_the_provider_once(void **state)
{
	static const uint32_t ifindexes[] = {5, 3, 9, 4};
	const struct conf conf = {.role = ROLE_BRIDGE, .component_id = 1};
	struct fake_provider fake;
	struct provider *const providers[] = {&fake.provider};
	struct provider_refusal why;
	struct managed *m;
	char err[256];

	(void)state;
	fake_provider_init(&fake);
	m = managed_conf_new(&conf, providers, 1);
	assert_non_null(m);
	managed_collect(m);
	for (unsigned i = 0; i < 4; i++) {
		struct link_info link = mo_world_link(ifindexes[i], "sw", "");

		assert_true(managed_port_add(m, &link, &conf.port_default, err, sizeof(err)));
	}
	assert_int_equal(fake.n_prepared, 0);
	assert_true(managed_release(m, &why));
	assert_int_equal(fake.n_prepared, 1);
	assert_int_equal(m->config->n_ports, 4);
	for (size_t pos = 0; pos < 4; pos++) {
		const struct port *port = m->config->ports[pos].port;

		assert_int_equal(managed_find(m, port->link.ifindex), pos);
		assert_int_equal(m->by_slot[port->slot], pos + 1);
		assert_true(pos == 0 ||
			    port->link.ifindex > m->config->ports[pos - 1].port->link.ifindex);
	}
	managed_free(m);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_dry_run_asks_the_provider_once),
	    cmocka_unit_test(test_settings_without_objects_are_not_restored),
	    cmocka_unit_test(test_absent_objects_have_no_instance),
	    cmocka_unit_test(test_absent_columns_are_left_out),
	    cmocka_unit_test(test_pfc_objects_exist_one_by_one),
	    cmocka_unit_test(test_headroom_of_a_device_is_compared_with_the_calculated_one),
	    cmocka_unit_test(test_unknown_members_have_no_instance),
	    cmocka_unit_test(test_requests_are_totals_or_sums),
	    cmocka_unit_test(test_parameters_without_reaction_points),
	    cmocka_unit_test(test_writable_objects_need_capabilities_of_settings),
	    cmocka_unit_test(test_walk_is_in_order_without_capability),
	    cmocka_unit_test(test_fixed_objects_are_not_writable),
	    cmocka_unit_test(test_capabilities_can_change),
	    cmocka_unit_test(test_state_of_absent_objects_is_ignored),
	};

	log_init("test_provider", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
