/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of neighbors that the provider of a port refuses or fails to commit. */
#include "lib/clock.h"
#include "lib/log.h"
#include "control/managed/lldp_ports_private.h"
#include "tests/unit/control/managed/lldp_world.h"
#include "tests/unit/lldp_remote.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

static uint8_t pfc_possible = 0x7f;

static bool can(const struct dcb_config_port *at)
{
	return (at->oper.pfc_enable & ~pfc_possible) == 0;
}

static struct world *world_that_refuses(void)
{
	struct world *w = world_new();

	make_willing(w, 3);
	make_willing(w, 5);
	pfc_possible = 0x7f;
	w->mo->provider.accepts = can;
	w->mo->provider.about = PROVIDER_PFC;
	return w;
}

static enum mo_error set_delay(struct world *w, const char *port, const char *value)
{
	enum mo_error error = SET(w->mo, {"ieee8021PfcLinkDelayAllowance", port, value});

	run(w);
	return error;
}

/*
 * The former configuration stays in force and advertised, other ports are not affected, and
 * the neighbor's settings are tried again later.
 */
static void test_refused_neighbor_is_rejected(void **state)
{
	struct world *w = world_that_refuses();
	uint64_t generation;

	(void)state;
	hear_pfc(w, "sw5", 9, false, 0x02);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x02);
	hear_pfc(w, "sw5", 9, false, 0x80);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x02);
	assert_int_equal(lldp_at(w, 5)->dcbx.pfc_enable, 0x02);
	assert_int_equal(lldp_at(w, 5)->dcbx_changes, 1);
	assert_int_equal(lldp_at(w, 5)->sent->pfc.enable, 0x02);
	assert_int_equal(w->agent.tlvs.pfc.enable, 0x02);
	assert_int_equal(lldp_at(w, 5)->peer->tlvs.pfc.enable, 0x80);
	generation = w->mo->m->generation;
	run(w);
	assert_int_equal(w->mo->m->generation, generation); /* nothing has changed since */
	/* Other neighbors and SETs are not affected. */
	hear_pfc(w, "sw3", 8, false, 0x04);
	assert_int_equal(port_at(w, 3)->oper.pfc_enable, 0x04);
	assert_int_equal(set_delay(w, "3", "30"), MO_NO_ERROR);
	assert_int_equal(set_delay(w, "5", "50"), MO_INCONSISTENT_VALUE);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x02);
	generation = w->mo->m->generation;
	run(w);
	assert_int_equal(w->mo->m->generation, generation);
	/* The provider accepts it now: the next published configuration includes it. */
	pfc_possible = 0xff;
	assert_int_equal(set_delay(w, "3", "31"), MO_NO_ERROR);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x80);
	assert_int_equal(w->agent.tlvs.pfc.enable, 0x80);
	world_free(w);
}

/* Publishing a configuration wakes managed_run(), which tries the rejected neighbor again. */
static void test_publishing_retries_rejected_neighbor(void **state)
{
	struct world *w = world_that_refuses();
	struct provider_refusal why;
	struct dcb_config *config;

	(void)state;
	hear_pfc(w, "sw5", 9, false, 0x80);
	w->agent.wakes = 0;
	run(w);
	assert_int_equal(w->agent.wakes, 0);
	pfc_possible = 0xff;
	edit(w, 9, &config)->dcbx.tx_enable = 0;
	assert_true(managed_publish(w->mo->m, config, &why));
	assert_true(w->agent.wakes > 0);
	run(w);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x80);
	world_free(w);
}

/* A refused SET does not undo the mismatch that a neighbor has caused. */
static void test_refused_set_keeps_mismatch(void **state)
{
	struct world *w = world_new();

	(void)state;
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	hear_pfc(w, "sw5", 9, false, 0x18);
	assert_int_not_equal(lldp_at(w, 5)->dcbx.mismatch, 0);
	pfc_possible = 0;
	w->mo->provider.accepts = can;
	assert_int_equal(SET(w->mo, {"dcbPfcPriorityEnable", "3.4", "true"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_not_equal(lldp_at(w, 5)->dcbx.mismatch, 0);
	world_free(w);
}

/* Of two changes at once one is refused; then the refused neighbor leaves. */
static void test_refusal_affects_one_of_two_neighbors(void **state)
{
	struct dcb_tlvs tlvs = {.pfc = {.cap = 8, .enable = 0x80}};
	struct world *w = world_that_refuses();
	struct lldp_remote r = neighbor("sw5", 9);

	(void)state;
	says(&r, DCB_TLV_PFC, &tlvs);
	lldp_ports_events.remote(w->lp, &r);
	hear_pfc(w, "sw3", 8, false, 0x04);
	assert_int_equal(port_at(w, 3)->oper.pfc_enable, 0x04);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0);
	assert_non_null(lldp_at(w, 5)->peer);
	leave(w, "sw5", 9);
	assert_null(lldp_at(w, 5)->peer);
	assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_NO_PEER);
	world_free(w);
}

/* A neighbor that is reported but not yet evaluated does not make a SET fail. */
static void test_unevaluated_neighbor_does_not_fail_set(void **state)
{
	struct dcb_tlvs tlvs = {.pfc = {.cap = 8, .enable = 0x80}};
	struct world *w = world_that_refuses();
	struct lldp_remote r = neighbor("sw5", 9);

	(void)state;
	says(&r, DCB_TLV_PFC, &tlvs);
	lldp_ports_events.remote(w->lp, &r);
	assert_int_equal(set_delay(w, "3", "30"), MO_NO_ERROR);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0);
	world_free(w);
}

/* If the refusal names no port, no neighbor can be rejected: all are tried again later. */
static void test_refusal_without_port_is_retried(void **state)
{
	struct world *w = world_that_refuses();
	struct dcb_time now = clock_now(), next;

	(void)state;
	w->mo->provider.names_no_port = true;
	hear_pfc(w, "sw5", 9, false, 0x80);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0);
	next = run(w);
	assert_true(dcb_time_before(now, next));
	assert_true(next.ns != DCB_TIME_NEVER.ns);
	pfc_possible = 0xff;
	run(w);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x80);
	/* The same for a commit that fails. */
	w->mo->provider.fail_commits = 1;
	hear_pfc(w, "sw5", 9, false, 0x40);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x80);
	run(w);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x40);
	world_free(w);
}

/* A refusal is logged once for each change of the neighbor, not for each attempt. */
static void test_refusal_is_logged_once(void **state)
{
	static const char line[] =
	    "<4>prog: provider: sw5: settings of its neighbor not applied: "
	    "fake cannot: expected another\n";
	struct world *w = world_that_refuses();
	struct log_capture c;

	(void)state;
	c = log_watch(LOG_LEVEL_WARN);
	hear_pfc(w, "sw5", 9, false, 0x80);
	send_tlvs(w, 9, 0);
	send_tlvs(w, 9, 0);
	send_tlvs(w, 9, 0);
	hear_pfc(w, "sw5", 9, false, 0x01);
	hear_pfc(w, "sw5", 9, false, 0x80);
	log_expect(&c, "%s%s", line, line);
	world_free(w);
}

/* Also the end of the neighbor; not a SET, and not a change that does not change the values. */
static void test_change_of_pfc_by_the_neighbor_is_logged(void **state)
{
	struct world *w = world_that_refuses();
	struct log_capture c;

	(void)state;
	pfc_possible = 0xff;
	c = log_watch(LOG_LEVEL_INFO);
	hear_pfc(w, "sw5", 9, false, 0x18);
	hear_pfc(w, "sw5", 9, false, 0x18);
	assert_int_equal(set_delay(w, "5", "50"), MO_NO_ERROR);
	hear_pfc(w, "sw5", 9, false, 0x00);
	hear_pfc(w, "sw5", 9, false, 0x80);
	leave(w, "sw5", 9);
	assert_int_equal(SET(w->mo, {"dcbPfcPriorityEnable", "5.1", "true"}), MO_NO_ERROR);
	run(w);
	log_expect(
	    &c,
	    "<6>prog: lldp: sw5: PFC as its neighbor: priorities 3-4, before none\n"
	    "<6>prog: lldp: sw5: PFC as its neighbor: priorities none, before 3-4\n"
	    "<6>prog: lldp: sw5: PFC as its neighbor: priorities 7, before none\n"
	    "<6>prog: lldp: sw5: PFC no longer as its neighbor: priorities none, before 7\n");
	world_free(w);
}

/* A failure is logged once, and again if it comes back after a success. */
static void test_failure_is_logged_once(void **state)
{
	struct world *w = world_that_refuses();
	struct log_capture c;

	(void)state;
	w->mo->provider.names_no_port = true;
	c = log_watch(LOG_LEVEL_ERROR);
	hear_pfc(w, "sw5", 9, false, 0x80);
	run(w);
	run(w);
	hear_pfc(w, "sw5", 9, false, 0x40);
	hear_pfc(w, "sw5", 9, false, 0x80);
	log_expect(&c,
		   "<3>prog: lldp: neighbor change not applied: fake cannot: "
		   "expected another; retry in 1 s\n"
		   "<3>prog: lldp: neighbor change not applied: fake cannot: "
		   "expected another; retry in 1 s\n");
	world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refused_neighbor_is_rejected),
	    cmocka_unit_test(test_publishing_retries_rejected_neighbor),
	    cmocka_unit_test(test_refused_set_keeps_mismatch),
	    cmocka_unit_test(test_refusal_affects_one_of_two_neighbors),
	    cmocka_unit_test(test_unevaluated_neighbor_does_not_fail_set),
	    cmocka_unit_test(test_refusal_without_port_is_retried),
	    cmocka_unit_test(test_refusal_is_logged_once),
	    cmocka_unit_test(test_change_of_pfc_by_the_neighbor_is_logged),
	    cmocka_unit_test(test_failure_is_logged_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
