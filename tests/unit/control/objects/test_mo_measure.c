/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbPfcMeasureTable: settings, statistics, and the measured delay in the values in force. */
#include "lib/clock.h"
#include "dataplane/netio/netio.h"
#include "tests/unit/mo_world.h"

#include <string.h>

#define MEASURE(name) "dcbPfcMeasure" name

/* The provider of ifIndex 3 has a result, and says so. */
static void measure(struct mo_world *w, uint64_t quanta)
{
	const struct port *port = w->m->config->ports[0].port;

	fake_port(port)->measure.result = quanta;
	managed_measured(w->m, port->slot);
}

static uint32_t in_force(const struct mo_world *w)
{
	return w->provider.published->ports[0].oper.pfc_measured_quanta;
}

static void test_measured_delay_comes_into_force(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	unsigned published;

	(void)state;
	measure(w, 104);
	assert_int_equal(in_force(w), 0);
	managed_run(w->m, clock_now());
	assert_int_equal(in_force(w), 104);
	assert_column(w, MEASURE("InForce"), "3=104 5=0 9=0");
	/* SETs and other publications keep it; the same result again publishes nothing. */
	assert_int_equal(SET(w, {MEASURE("HaltDelay"), "3", "1000"}), MO_NO_ERROR);
	assert_int_equal(in_force(w), 104);
	published = w->provider.n_published;
	measure(w, 104);
	managed_run(w->m, clock_now());
	assert_int_equal(w->provider.n_published, published);
	measure(w, 0);
	managed_run(w->m, clock_now());
	assert_column(w, MEASURE("InForce"), "3=0 5=0 9=0");
	mo_world_free(w);
}

/* The delay of the local SecY comes into force likewise, and its terms have the source. */
static void test_delay_of_the_secy_comes_into_force(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	const struct port *port = w->m->config->ports[0].port;
	const struct port_oper *oper;

	(void)state;
	assert_int_equal(SET(w, {"dcbPfcHeadroomMacsec", "3", "data"}), MO_NO_ERROR);
	assert_value(w, "dcbPfcHeadroomTermSource", "3.6", "standard");
	fake_port(port)->measure.secy_ns = 640;
	managed_measured(w->m, port->slot);
	managed_run(w->m, clock_now());
	oper = &w->provider.published->ports[0].oper;
	assert_int_equal(oper->secy_ns, 640);
	assert_value(w, "dcbPfcHeadroomTermSource", "3.6", "measured");
	assert_value(w, "dcbPfcHeadroomTermBits", "3.6", "6400"); /* at 10 Gb/s */
	/* A SET keeps it; a new port in the slot has none. */
	assert_int_equal(SET(w, {MEASURE("HaltDelay"), "3", "1000"}), MO_NO_ERROR);
	assert_value(w, "dcbPfcHeadroomTermSource", "3.6", "measured");
	assert_true(managed_port_remove(w->m, 0));
	mo_world_adopt(w);
	mo_world_add_port(w, 3, "sw3", "");
	assert_int_equal(w->provider.published->ports[0].oper.secy_ns, 0);
	mo_world_free(w);
}

static bool accepts_short_delays(const struct dcb_config_port *at)
{
	return at->oper.pfc_measured_quanta < 1000;
}

/* A SET between the report and its publication has the delay that is in force. */
static void test_set_keeps_the_delay_in_force(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	w->provider.accepts = accepts_short_delays;
	measure(w, 5000);
	assert_int_equal(SET(w, {MEASURE("HaltDelay"), "3", "1000"}), MO_NO_ERROR);
	assert_int_equal(in_force(w), 0);
	mo_world_free(w);
}

/* If the publication fails, it is tried again. */
static void test_delay_that_is_refused_is_tried_again(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct dcb_time now = clock_now(), next;

	(void)state;
	w->provider.accepts = accepts_short_delays;
	measure(w, 5000);
	next = managed_run(w->m, now);
	assert_int_equal(in_force(w), 0);
	assert_in_range(dcb_time_diff_ns(next, now), 1, DCB_NS_PER_S);
	w->provider.accepts = NULL;
	managed_run(w->m, next);
	assert_int_equal(in_force(w), 5000);
	mo_world_free(w);
}

/* The slot of a port that was removed belongs to another port later. */
static void test_new_port_has_no_result(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	measure(w, 104);
	managed_run(w->m, clock_now());
	assert_true(managed_port_remove(w->m, 0));
	mo_world_adopt(w);
	mo_world_add_port(w, 3, "sw3", "");
	assert_column(w, MEASURE("InForce"), "3=0 5=0 9=0");
	mo_world_free(w);
}

static void test_minimum_above_maximum_is_refused(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	/* Maximum 0 is automatic. */
	assert_int_equal(SET(w, {MEASURE("Minimum"), "3", "2147483647"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {MEASURE("Maximum"), "3", "100"}), MO_INCONSISTENT_VALUE);
	assert_non_null(strstr(w->reason, "sw3: expected a minimum of at most the maximum, not "));
	assert_non_null(strstr(w->reason, " and 100 quanta"));
	assert_int_equal(SET(w, {MEASURE("Maximum"), "3", "100"}, {MEASURE("Minimum"), "3", "100"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {MEASURE("HaltDelay"), "3", "1"}, {MEASURE("Minimum"), "3", "101"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	assert_column(w, MEASURE("HaltDelay"), "3=0 5=0 9=0");
	assert_column(w, MEASURE("Minimum"), "3=100 5=1 9=1");
	assert_int_equal(SET(w, {MEASURE("Minimum"), "3", "0"}), MO_WRONG_VALUE);
	mo_world_free(w);
}

static void test_statistics_are_read(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct pfc_measure_stats *s = &fake_port(w->m->config->ports[0].port)->measure;

	(void)state;
	assert_column(w, MEASURE("Timestamps"), "3=none 5=none 9=none");
	assert_column(w, MEASURE("HrState"), "3=init 5=init 9=init");
	assert_column(w, MEASURE("Age"), "3=0 5=0 9=0");
	s->hm.verdict[HM_BUSY] = 3;
	s->excess = 4;
	s->bad[HMPDU_TAGGED] = 5;
	s->hm.verdict[HM_UNMATCHED] = 6;
	s->average = 70;
	s->clock = NETIO_CLOCK_KERNEL;
	s->nic_ns = 7168;
	s->nic_missing = 8;
	s->measure = s->oper_up = 1;
	s->path = HMPDU_PATH_BOTH;
	s->ct = HM_STATE_TRANSMIT;
	s->since_ns = (uint64_t)(clock_now().ns - 3600 * DCB_NS_PER_S);
	assert_column(w, MEASURE("DropBusy"), "3=7 5=0 9=0");
	assert_column(w, MEASURE("DropTagged"), "3=5 5=0 9=0");
	assert_column(w, MEASURE("DropUnexpected"), "3=6 5=0 9=0");
	assert_column(w, MEASURE("Average"), "3=70 5=0 9=0");
	assert_column(w, MEASURE("Timestamps"), "3=kernel 5=none 9=none");
	s->clock = NETIO_CLOCK_NIC;
	assert_column(w, MEASURE("Timestamps"), "3=hardware 5=none 9=none");
	assert_column(w, MEASURE("NicDelay"), "3=7168 5=0 9=0");
	assert_column(w, MEASURE("NicMissing"), "3=8 5=0 9=0");
	assert_column(w, MEASURE("Measuring"), "3=true 5=false 9=false");
	assert_column(w, MEASURE("OperUp"), "3=true 5=false 9=false");
	assert_column(w, MEASURE("Path"), "3=dataAndPfc 5=plain 9=plain");
	assert_column(w, MEASURE("CtState"), "3=transmit 5=init 9=init");
	mo_world_free(w);
}

static void test_triggers_survive_a_restart(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_column(w, MEASURE("Interval"), "3=60 5=60 9=60");
	assert_int_equal(SET(w, {MEASURE("Restart"), "5", "4294967295"},
			     {MEASURE("Interval"), "5", "0"}, {MEASURE("Interval"), "9", "86400"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {MEASURE("Interval"), "3", "86401"}), MO_WRONG_VALUE);
	mo_world_reload(w);
	assert_column(w, MEASURE("Restart"), "3=0 5=4294967295 9=0");
	assert_column(w, MEASURE("Interval"), "3=60 5=0 9=86400");
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_measured_delay_comes_into_force),
	    cmocka_unit_test(test_delay_of_the_secy_comes_into_force),
	    cmocka_unit_test(test_set_keeps_the_delay_in_force),
	    cmocka_unit_test(test_delay_that_is_refused_is_tried_again),
	    cmocka_unit_test(test_new_port_has_no_result),
	    cmocka_unit_test(test_minimum_above_maximum_is_refused),
	    cmocka_unit_test(test_statistics_are_read),
	    cmocka_unit_test(test_triggers_survive_a_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
