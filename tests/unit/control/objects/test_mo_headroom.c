/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbPfcHeadroomTable: the calculated headroom, its settings, and their state file. */
#include "tests/unit/mo_world.h"

#include "control/objects/mo_read.h"
#include "control/objects/mo_rows.h"

#include <stdio.h>
#include <string.h>

#define HEADROOM(name) "dcbPfcHeadroom" name
#define LINK_ALLOWANCE "ieee8021PfcLinkDelayAllowance"
#define GIGABIT        UINT64_C(1000000000)
#define MTU_OF_ANNEX_N 1974 /* frames of 2000 octets */
#define ANNEX_N        126224

static void set_link(struct mo_world *w, uint32_t ifindex, const char *alias, uint64_t bps,
		     uint32_t mtu)
{
	char name[16];
	struct link_info link;

	snprintf(name, sizeof(name), "sw%u", ifindex);
	link = mo_world_link(ifindex, name, alias);
	link.speed.bps = bps;
	link.mtu = mtu;
	managed_port_update(w->m, managed_find(w->m, ifindex), &link);
}

/* Reads an object of ifIndex 3. */
static uint64_t number(struct mo_world *w, const char *object)
{
	char text[1024];
	unsigned long long n;

	mo_world_column(w, object, text, sizeof(text));
	assert_int_equal(sscanf(text, "3=%llu ", &n), 1);
	return n;
}

static struct pfc_headroom_term_row term_of(struct mo_world *w, unsigned term)
{
	struct pfc_headroom_term_row row;
	struct mo_row_at place;

	assert_true(mo_read_find(w->m, w->m->config, MO_pfc_headroom_term,
				 &(struct mo_index){2, {3, term + 1}}, &place));
	mo_read_load(w->m, w->m->config, MO_pfc_headroom_term, &place, &row);
	return row;
}

static void assert_term(struct mo_world *w, unsigned term, uint32_t bits, uint8_t source)
{
	struct pfc_headroom_term_row row = term_of(w, term);

	assert_int_equal(row.bits, bits);
	assert_int_equal(row.source, source);
}

/* With keys of dcbd, their mode counts, not the setting. */
static void test_mode_of_the_key_file_counts(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct port_settings *settings;

	(void)state;
	set_link(w, 3, "", 10 * GIGABIT, MTU_OF_ANNEX_N);
	assert_int_equal(SET(w, {HEADROOM("SecyDelay"), "3", "1000"}), MO_NO_ERROR);
	assert_int_equal(number(w, HEADROOM("MaxFrame")), 2000);
	settings = &w->m->config->ports[0].port->settings;
	settings->macsec = PFC_MACSEC_ALL;
	assert_int_equal(number(w, HEADROOM("MaxFrame")), 2032);
	assert_true(number(w, HEADROOM("InForce")) > ANNEX_N);
	assert_column(w, HEADROOM("Macsec"), "3=dataAndPfc 5=none 9=none");
	settings->macsec = PFC_MACSEC_DATA;
	assert_int_equal(SET(w, {HEADROOM("Macsec"), "3", "dataAndPfc"}), MO_NO_ERROR);
	assert_column(w, HEADROOM("Macsec"), "3=data 5=none 9=none");
	settings->macsec = 0;
	assert_column(w, HEADROOM("Macsec"), "3=dataAndPfc 5=none 9=none");
	mo_world_free(w);
}

static void test_settings_change_terms_of_annex_n(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	set_link(w, 3, "", 10 * GIGABIT, MTU_OF_ANNEX_N);
	set_link(w, 5, "uplink", 10 * GIGABIT, MTU_OF_ANNEX_N);
	set_link(w, 9, "", 10 * GIGABIT, MTU_OF_ANNEX_N);
	assert_column(w, HEADROOM("InForce"), "3=126224 5=126224 9=126224");
	assert_column(w, HEADROOM("Allowance"), "3=126224 5=126224 9=126224");
	assert_column(w, HEADROOM("Calculated"), "3=126224 5=126224 9=126224");
	assert_column(w, HEADROOM("Status"), "3=calculated 5=calculated 9=calculated");
	assert_column(w, HEADROOM("WorstCase"), "3=32320 5=32320 9=32320");
	assert_column(w, HEADROOM("Internal"), "3=82792 5=82792 9=82792");
	assert_column(w, HEADROOM("Link"), "3=11112 5=11112 9=11112");
	assert_column(w, HEADROOM("MaxFrame"), "3=2000 5=2000 9=2000");
	/* Each setting changes its terms of the sum, of its own port only. */
	assert_int_equal(
	    SET(w, {HEADROOM("CableLength"), "5", "0"}, {HEADROOM("CableMedium"), "9", "fibre"}),
	    MO_NO_ERROR);
	assert_column(w, HEADROOM("Link"), "3=11112 5=0 9=10000");
	assert_int_equal(SET(w, {HEADROOM("LinkDelay"), "9", "1000"},
			     {HEADROOM("Phy"), "3", "none"},
			     {HEADROOM("InterfaceDelay"), "5", "1000"}),
			 MO_NO_ERROR);
	assert_column(w, HEADROOM("Link"), "3=11112 5=0 9=20000");
	assert_column(w, HEADROOM("Internal"), "3=7016 5=27016 9=82792");
	assert_int_equal(SET(w, {HEADROOM("Response"), "3", "25000"},
			     {HEADROOM("Initiation"), "5", "2000"},
			     {HEADROOM("PeerMbc"), "9", "true"}),
			 MO_NO_ERROR);
	assert_column(w, HEADROOM("Internal"), "3=250872 5=46816 9=121512");
	assert_int_equal(
	    SET(w, {HEADROOM("SecyDelay"), "9", "1"}, {HEADROOM("Macsec"), "9", "data"}),
	    MO_NO_ERROR);
	assert_column(w, HEADROOM("Internal"), "3=250872 5=46816 9=82812");
	assert_column(w, HEADROOM("MaxFrame"), "3=2000 5=2000 9=2032");
	mo_world_free(w);
}

/* Speed and MTU of the interface change the calculated headroom. */
static void test_headroom_follows_speed_and_mtu(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	set_link(w, 3, "", 10 * GIGABIT, MTU_OF_ANNEX_N);
	assert_int_equal(number(w, HEADROOM("InForce")), ANNEX_N);
	set_link(w, 3, "", 10 * GIGABIT, 9000);
	assert_int_equal(number(w, HEADROOM("InForce")), ANNEX_N + 2 * 8 * (9000 - MTU_OF_ANNEX_N));
	set_link(w, 3, "", 25 * GIGABIT, MTU_OF_ANNEX_N);
	assert_true(number(w, HEADROOM("InForce")) > 2 * ANNEX_N);
	/* Unknown speed: 10 Gb/s is assumed. */
	set_link(w, 3, "", 0, MTU_OF_ANNEX_N);
	assert_int_equal(number(w, HEADROOM("InForce")), ANNEX_N);
	/* The rate in dcbd.conf overrides the speed. */
	w->m->config->ports[0].port->settings.rate.bps = GIGABIT;
	assert_int_equal(number(w, HEADROOM("Link")), 2 * 556);
	mo_world_free(w);
}

/* dcbPfcHeadroomTermTable: the parts of the sum, and where each is from. */
static void test_terms_say_where_they_are_from(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	uint64_t bits = 0;

	(void)state;
	set_link(w, 3, "", 10 * GIGABIT, MTU_OF_ANNEX_N);
	for (unsigned i = 0; i < PFC_TERMS; i++)
		bits += term_of(w, i).bits;
	assert_int_equal(bits, ANNEX_N);
	assert_term(w, PFC_TERM_RESPONSE, 6144, PFC_SOURCE_STANDARD);
	w->m->config->ports[0].oper.pfc_peer.delay_ns = 5000;
	assert_term(w, PFC_TERM_RESPONSE, 50000, PFC_SOURCE_NEIGHBOR);
	assert_int_equal(number(w, HEADROOM("WorstCase")), 16160);
	assert_int_equal(
	    SET(w, {HEADROOM("Response"), "3", "1000"}, {HEADROOM("PtpDelay"), "3", "7"}),
	    MO_NO_ERROR);
	w->m->config->ports[0].oper.pfc_peer.delay_ns = 5000;
	assert_term(w, PFC_TERM_RESPONSE, 10000, PFC_SOURCE_CONFIGURED);
	assert_term(w, PFC_TERM_LINK_TO_PEER, 70, PFC_SOURCE_PTP);
	w->m->config->ports[0].oper.pfc_way = PFC_WAY_MEASURED;
	w->m->config->ports[0].oper.pfc_measured_quanta = 92;
	assert_term(w, PFC_TERM_ROUND_TRIP, 51200, PFC_SOURCE_MEASURED);
	assert_term(w, PFC_TERM_RESPONSE, 0, PFC_SOURCE_MEASURED);
	assert_int_equal(number(w, HEADROOM("InForce")), 200 + 2 * 16160 + 51200);
	mo_world_free(w);
}

/* dcbPfcMeasureEnable always: there is a result, and the headroom depends on the agreement. */
static void test_result_without_agreement_has_no_effect(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	set_link(w, 3, "", 10 * GIGABIT, MTU_OF_ANNEX_N);
	assert_int_equal(SET(w, {"dcbPfcMeasureEnable", "3", "always"}), MO_NO_ERROR);
	w->m->config->ports[0].oper.pfc_measured_quanta = 92;
	assert_column(w, "dcbPfcMeasureInForce", "3=92 5=0 9=0");
	assert_int_equal(number(w, HEADROOM("InForce")), ANNEX_N);
	assert_int_equal(term_of(w, PFC_TERM_ROUND_TRIP).bits, 0);
	w->m->config->ports[0].oper.pfc_way = PFC_WAY_LINK_DELAYS;
	assert_int_equal(number(w, HEADROOM("InForce")), ANNEX_N);
	w->m->config->ports[0].oper.pfc_way = PFC_WAY_MEASURED;
	assert_column(w, "dcbPfcMeasureInForce", "3=92 5=0 9=0");
	assert_int_equal(number(w, HEADROOM("InForce")), 200 + 2 * 16160 + 51200);
	mo_world_free(w);
}

static void test_manual_and_configured_headroom_override(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	set_link(w, 3, "", 10 * GIGABIT, MTU_OF_ANNEX_N);
	assert_column(w, HEADROOM("Basis"), "3=allowance 5=allowance 9=allowance");
	/* 12.23: without an agreement, PFCLinkDelayAllowance is in force once it is set. */
	assert_int_equal(SET(w, {LINK_ALLOWANCE, "3", "77777"}), MO_NO_ERROR);
	assert_int_equal(number(w, HEADROOM("InForce")), 77777);
	assert_int_equal(number(w, HEADROOM("Allowance")), ANNEX_N);
	assert_column(w, HEADROOM("Basis"), "3=linkDelayAllowance 5=allowance 9=allowance");
	w->m->config->ports[0].oper.pfc_way = PFC_WAY_LINK_DELAYS;
	assert_int_equal(number(w, HEADROOM("InForce")), ANNEX_N);
	assert_column(w, HEADROOM("Way"), "3=linkDelays 5=configured 9=configured");
	w->m->config->ports[0].oper.pfc_way = PFC_WAY_CONFIGURED;
	assert_int_equal(SET(w, {HEADROOM("Choice"), "3", "calculated"}), MO_NO_ERROR);
	assert_int_equal(number(w, HEADROOM("InForce")), ANNEX_N);
	assert_int_equal(SET(w, {HEADROOM("Choice"), "3", "manual"}), MO_NO_ERROR);
	assert_int_equal(number(w, HEADROOM("InForce")), 77777);
	assert_int_equal(number(w, HEADROOM("Allowance")), ANNEX_N);
	assert_int_equal(SET(w, {HEADROOM("Choice"), "3", "automatic"}, {LINK_ALLOWANCE, "3", "0"}),
			 MO_NO_ERROR);
	assert_int_equal(number(w, HEADROOM("InForce")), ANNEX_N);
	/* The headroom in dcbd.conf, in octets, overrides the calculated one. */
	w->m->config->ports[0].port->settings.pfc_headroom_octets = 20000;
	assert_int_equal(number(w, HEADROOM("InForce")), 160000);
	assert_column(w, HEADROOM("Basis"), "3=configurationFile 5=allowance 9=allowance");
	assert_int_equal(number(w, HEADROOM("Allowance")), ANNEX_N);
	w->m->config->ports[0].port->settings.pfc_headroom_octets = UINT32_MAX;
	assert_int_equal(number(w, HEADROOM("InForce")), UINT32_MAX);
	mo_world_free(w);
}

/* 12.23: dcbPfcHeadroomAllowance: a SET gives the initial value, a GET returns the result. */
static void test_allowance_reads_result_and_sets_initial(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	set_link(w, 3, "", 40 * GIGABIT, MTU_OF_ANNEX_N);
	assert_int_equal(SET(w, {HEADROOM("Phy"), "3", "tenGBaseT"}, {LINK_ALLOWANCE, "3", "4711"},
			     {HEADROOM("Choice"), "3", "calculated"}),
			 MO_NO_ERROR);
	assert_column(w, HEADROOM("Status"), "3=noResult 5=calculated 9=calculated");
	assert_int_equal(number(w, HEADROOM("Allowance")), 4711);
	assert_int_equal(number(w, HEADROOM("InForce")), 4711);
	assert_int_equal(number(w, HEADROOM("Calculated")), 0);
	assert_int_equal(SET(w, {HEADROOM("Allowance"), "3", "5000"}), MO_NO_ERROR);
	assert_int_equal(number(w, HEADROOM("InForce")), 5000);
	/* A SET of another object does not change the initial value to the result. */
	set_link(w, 3, "", 10 * GIGABIT, MTU_OF_ANNEX_N);
	assert_int_equal(number(w, HEADROOM("Allowance")), ANNEX_N);
	assert_int_equal(SET(w, {HEADROOM("CableLength"), "3", "0"}), MO_NO_ERROR);
	set_link(w, 3, "", 40 * GIGABIT, MTU_OF_ANNEX_N);
	assert_int_equal(number(w, HEADROOM("Allowance")), 5000);
	assert_int_equal(SET(w, {HEADROOM("Allowance"), "3", "0"}), MO_NO_ERROR);
	assert_int_equal(number(w, HEADROOM("Allowance")), 4711);
	mo_world_free(w);
}

static void test_result_is_kept_within_bounds(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	set_link(w, 3, "", 10 * GIGABIT, MTU_OF_ANNEX_N);
	assert_int_equal(SET(w, {HEADROOM("Maximum"), "3", "100000"}), MO_NO_ERROR);
	assert_column(w, HEADROOM("Status"), "3=atMaximum 5=calculated 9=calculated");
	assert_int_equal(number(w, HEADROOM("InForce")), 100000);
	assert_int_equal(number(w, HEADROOM("Calculated")), ANNEX_N);
	assert_int_equal(
	    SET(w, {HEADROOM("Maximum"), "3", "300000"}, {HEADROOM("Minimum"), "3", "200000"}),
	    MO_NO_ERROR);
	assert_column(w, HEADROOM("Status"), "3=atMinimum 5=calculated 9=calculated");
	assert_int_equal(number(w, HEADROOM("InForce")), 200000);
	mo_world_free(w);
}

/* A minimum above the maximum is refused, with all other varbinds of the SET. */
static void test_minimum_above_maximum_is_refused(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	const struct dcb_config *before;

	(void)state;
	assert_int_equal(SET(w, {HEADROOM("Maximum"), "3", "100000"}), MO_NO_ERROR);
	before = w->m->config;
	assert_int_equal(SET(w, {HEADROOM("Minimum"), "3", "100001"}), MO_INCONSISTENT_VALUE);
	assert_string_equal(
	    w->reason,
	    "sw3: expected a minimum of at most the maximum, not 100001 and 100000 bits");
	assert_int_equal(w->bad, 1);
	assert_int_equal(SET(w, {HEADROOM("CableLength"), "9", "7"},
			     {HEADROOM("Minimum"), "3", "100001"},
			     {HEADROOM("CableLength"), "3", "7"}, {LINK_ALLOWANCE, "3", "7"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	/* The error is that of the last varbind that sets a bound. */
	assert_int_equal(SET(w, {HEADROOM("Minimum"), "5", "8"}, {HEADROOM("Maximum"), "5", "7"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	assert_ptr_equal(w->m->config, before);
	assert_column(w, HEADROOM("CableLength"), "3=100 5=100 9=100");
	assert_column(w, HEADROOM("Minimum"), "3=0 5=0 9=0");
	assert_column(w, LINK_ALLOWANCE, "3=0 5=0 9=0");
	/* One SET can change both bounds, in any order. */
	assert_int_equal(
	    SET(w, {HEADROOM("Minimum"), "3", "200000"}, {HEADROOM("Maximum"), "3", "200000"}),
	    MO_NO_ERROR);
	assert_int_equal(SET(w, {HEADROOM("Maximum"), "3", "5"}, {HEADROOM("Minimum"), "3", "5"}),
			 MO_NO_ERROR);
	mo_world_free(w);
}

/*
 * The status of a port with PFC in force is insufficient while the promises exceed the
 * memory; that of a port without PFC is not. The calculated headroom stays.
 */
static void test_status_is_insufficient_without_memory(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct link_info down = mo_world_link(9, "sw9", "");

	(void)state;
	set_link(w, 3, "", 10 * GIGABIT, MTU_OF_ANNEX_N);
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "3.3", "true"},
			     {"dcbPfcPriorityEnable", "9.3", "true"}),
			 MO_NO_ERROR);
	assert_column(w, HEADROOM("Status"), "3=calculated 5=calculated 9=calculated");
	w->provider.stats.memory.missing_frames = 1;
	assert_column(w, HEADROOM("Status"), "3=insufficient 5=calculated 9=insufficient");
	assert_int_equal(number(w, HEADROOM("InForce")), ANNEX_N);
	down.up = false; /* its promises are withdrawn */
	managed_port_update(w->m, managed_find(w->m, 9), &down);
	assert_column(w, HEADROOM("Status"), "3=insufficient 5=calculated 9=calculated");
	w->provider.stats.memory.missing_frames = 0;
	w->provider.stats.memory.missing_octets = 1;
	assert_column(w, HEADROOM("Status"), "3=insufficient 5=calculated 9=calculated");
	w->provider.stats.memory.missing_octets = 0;
	assert_column(w, HEADROOM("Status"), "3=calculated 5=calculated 9=calculated");
	mo_world_free(w);
}

/* pfc.buffer of dcbd.conf must have room for the headroom and one frame. */
static void test_status_is_insufficient_without_buffer(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct port_settings *settings;

	(void)state;
	set_link(w, 3, "", 10 * GIGABIT, MTU_OF_ANNEX_N);
	settings = &w->m->config->ports[0].port->settings;
	w->provider.stats.memory.memory_octets = 100 * 2048;
	w->provider.stats.memory.memory_frames = 100;
	settings->pfc_buffer_octets = ANNEX_N / 8 + 2048;
	assert_column(w, HEADROOM("Status"), "3=calculated 5=calculated 9=calculated");
	settings->pfc_buffer_octets--;
	assert_column(w, HEADROOM("Status"), "3=insufficient 5=calculated 9=calculated");
	assert_int_equal(SET(w, {HEADROOM("CableLength"), "3", "99"}), MO_NO_ERROR);
	assert_column(w, HEADROOM("Status"), "3=calculated 5=calculated 9=calculated");
	settings->pfc_buffer_octets = 0; /* automatic */
	set_link(w, 3, "", 400 * GIGABIT, 9000);
	assert_column(w, HEADROOM("Status"), "3=calculated 5=calculated 9=calculated");
	mo_world_free(w);
}

/* A station has no receive buffer of its own, and ports of other providers have none. */
static void test_status_without_receive_buffer_is_calculated(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);

	(void)state;
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "3.3", "true"}), MO_NO_ERROR);
	w->provider.stats.memory.missing_frames = 1;
	w->m->config->ports[0].port->settings.pfc_buffer_octets = 2000;
	assert_column(w, HEADROOM("Status"), "3=calculated 5=calculated 9=calculated");
	mo_world_free(w);
	w = mo_world_of_providers(ROLE_BRIDGE, 2);
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "3.3", "true"},
			     {"dcbPfcPriorityEnable", "5.3", "true"}),
			 MO_NO_ERROR);
	w->provider.stats.memory.missing_frames = 1;
	assert_column(w, HEADROOM("Status"), "3=insufficient 5=calculated 9=calculated");
	mo_world_free(w);
}

/* Formats a value that is not the initial one. */
static void other_value(const struct mo_column *col, char *text, size_t size)
{
	struct mo_value value = {.syntax = col->syntax, .num = col->max};

	if (col->has_initial && col->initial == col->max)
		value.num = col->max - 1;
	mo_format(col, &value, text, size);
}

/* All writable objects of a row are restored after a restart. */
static void test_all_settings_survive_restart(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);
	const struct mo_table *table = mo_table(MO_pfc_headroom);
	char text[256], want[1024], got[256];
	unsigned n = 0;

	(void)state;
	for (unsigned i = table->n_columns; i-- > 0;) { /* the maximum before the minimum */
		const struct mo_column *col = &table->columns[i];

		if (!mo_is_writable(col))
			continue;
		other_value(col, text, sizeof(text));
		if (strcmp(col->name, HEADROOM("Minimum")) == 0)
			snprintf(text, sizeof(text), "1");
		assert_int_equal(SET(w, {col->name, "5", text}), MO_NO_ERROR);
		n++;
	}
	assert_int_equal(n, 15);
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 4, "other", "uplink"); /* was ifIndex 5 */
	mo_world_load(w);
	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct mo_column *col = &table->columns[i];
		struct mo_value initial = {.syntax = col->syntax, .num = col->initial};

		if (!mo_is_writable(col) || strcmp(col->name, HEADROOM("Allowance")) == 0)
			continue;
		mo_format(col, &initial, got, sizeof(got));
		other_value(col, text, sizeof(text));
		if (strcmp(col->name, HEADROOM("Minimum")) == 0)
			snprintf(text, sizeof(text), "1");
		snprintf(want, sizeof(want), "3=%s 4=%s", got, text);
		assert_column(w, col->name, want);
	}
	/* The state file has the initial value, not the calculated one. */
	assert_int_equal(w->m->config->ports[0].config->pfc_headroom.initial_allowance, 0);
	assert_int_equal(w->m->config->ports[1].config->pfc_headroom.initial_allowance, UINT32_MAX);
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_mode_of_the_key_file_counts),
	    cmocka_unit_test(test_settings_change_terms_of_annex_n),
	    cmocka_unit_test(test_headroom_follows_speed_and_mtu),
	    cmocka_unit_test(test_terms_say_where_they_are_from),
	    cmocka_unit_test(test_result_without_agreement_has_no_effect),
	    cmocka_unit_test(test_manual_and_configured_headroom_override),
	    cmocka_unit_test(test_allowance_reads_result_and_sets_initial),
	    cmocka_unit_test(test_result_is_kept_within_bounds),
	    cmocka_unit_test(test_minimum_above_maximum_is_refused),
	    cmocka_unit_test(test_status_is_insufficient_without_memory),
	    cmocka_unit_test(test_status_is_insufficient_without_buffer),
	    cmocka_unit_test(test_status_without_receive_buffer_is_calculated),
	    cmocka_unit_test(test_all_settings_survive_restart),
	};

	return cmocka_run_group_tests_name("mo_headroom", tests, NULL, NULL);
}
