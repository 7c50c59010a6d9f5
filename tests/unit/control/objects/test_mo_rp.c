/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of reaction points, of received CNMs and of the variant of a port, read
 * with the control protocol: rows, their order and their values.
 */
#include "tests/unit/mo_world.h"

#include <stdio.h>
#include <string.h>

#define MAX_RPS "ieee8021CnRpPortPriMaxRps"

static struct fake_port *port_at(struct mo_world *w, size_t pos)
{
	return fake_port(w->m->config->ports[pos].port);
}

/* Gives each number of each reaction point a different value. */
static void number_reaction_points(struct mo_world *w)
{
	for (unsigned pos = 0; pos < w->m->config->n_ports; pos++) {
		for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
			for (unsigned i = 0; i < RPPP_MAX_RPS_LIMIT; i++) {
				uint64_t n = (pos + 1) * 10000 + p * 1000 + i + 1;

				port_at(w, pos)->rp[p][i] = (struct rp_stats){
				    .rp_enabled = i == 1,
				    .state = (uint8_t)(RPR_RESET + i % 4),
				    .rp_fb = (uint8_t)(i % 64),
				    .rp_target_rate = n << 40 | 1,
				    .rp_current_rate = n << 40 | 2,
				    .rp_byte_stage = (uint32_t)n + 100000,
				    .rp_time_stage = (uint32_t)n + 200000,
				    .cnms = n << 32 | 3,
				    .frames = n << 32 | 4,
				    .octets = n << 32 | 5,
				    .discards = n << 32 | 6,
				    .queue_octets = (uint32_t)n + 300000,
				};
			}
		}
	}
}

static struct mo_world *station(const char *cnpv)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);

	assert_int_equal(SET(w, {STATUS, cnpv, "createAndGo"}), MO_NO_ERROR);
	number_reaction_points(w);
	return w;
}

static void test_columns_have_values_of_their_rp(void **state)
{
	struct mo_world *w = station("1.3");

	(void)state;
	assert_int_equal(SET(w, {MAX_RPS, "1.3.5", "3"}), MO_NO_ERROR);
	assert_column(w, "dcbRpEnabled",
		      "1.3.3.1=false 1.5.3.1=false 1.5.3.2=true 1.5.3.3=false 1.9.3.1=false");
	assert_column(w, "dcbRpState",
		      "1.3.3.1=rprReset 1.5.3.1=rprReset 1.5.3.2=rprFastRecovery "
		      "1.5.3.3=rprActiveIncrease 1.9.3.1=rprReset");
	assert_column(w, "dcbRpTargetRate",
		      "1.3.3.1=14294750672715777 1.5.3.1=25289866950475777 "
		      "1.5.3.2=25290966462103553 1.5.3.3=25292065973731329 "
		      "1.9.3.1=36284983228235777");
	assert_column(w, "dcbRpCurrentRate",
		      "1.3.3.1=14294750672715778 1.5.3.1=25289866950475778 "
		      "1.5.3.2=25290966462103554 1.5.3.3=25292065973731330 "
		      "1.9.3.1=36284983228235778");
	assert_column(w, "dcbRpByteStage",
		      "1.3.3.1=113001 1.5.3.1=123001 1.5.3.2=123002 1.5.3.3=123003 1.9.3.1=133001");
	assert_column(w, "dcbRpTimeStage",
		      "1.3.3.1=213001 1.5.3.1=223001 1.5.3.2=223002 1.5.3.3=223003 1.9.3.1=233001");
	assert_column(w, "dcbRpFeedback", "1.3.3.1=0 1.5.3.1=0 1.5.3.2=1 1.5.3.3=2 1.9.3.1=0");
	assert_column(w, "dcbRpQueueLength",
		      "1.3.3.1=313001 1.5.3.1=323001 1.5.3.2=323002 1.5.3.3=323003 1.9.3.1=333001");
	assert_int_equal(SET(w, {MAX_RPS, "1.3.5", "1"}), MO_NO_ERROR);
	assert_column(w, "dcbRpCnms",
		      "1.3.3.1=55838869815299 1.5.3.1=98788542775299 1.9.3.1=141738215735299");
	assert_column(w, "dcbRpFrames",
		      "1.3.3.1=55838869815300 1.5.3.1=98788542775300 1.9.3.1=141738215735300");
	assert_column(w, "dcbRpOctets",
		      "1.3.3.1=55838869815301 1.5.3.1=98788542775301 1.9.3.1=141738215735301");
	assert_column(w, "dcbRpDiscards",
		      "1.3.3.1=55838869815302 1.5.3.1=98788542775302 1.9.3.1=141738215735302");
	mo_world_free(w);
}

/* Checks that GetNext returns the expected rows in order. Returns their number. */
static unsigned walk(struct mo_world *w, const uint8_t max_rps[3][DCB_PRIORITIES])
{
	static const uint32_t ifindex[] = {3, 5, 9};
	struct mo_index at = {0};
	unsigned n = 0;

	for (unsigned pos = 0; pos < 3; pos++) {
		for (uint32_t p = 0; p < DCB_PRIORITIES; p++) {
			for (uint32_t rp = 1; rp <= max_rps[pos][p]; rp++, n++) {
				struct mo_index want = {.n = 4, .sub = {1, ifindex[pos], p, rp}};

				assert_true(mo_world_next(w, MO_rp, &at));
				assert_int_equal(mo_index_compare(&at, &want), 0);
			}
		}
	}
	assert_false(mo_world_next(w, MO_rp, &at));
	return n;
}

static void test_max_rps_sets_number_of_rows(void **state)
{
	uint8_t max_rps[3][DCB_PRIORITIES] = {{0}};
	struct mo_world *w = mo_world_new(ROLE_STATION);

	(void)state;
	assert_int_equal(walk(w, max_rps), 0);
	assert_int_equal(SET(w, {STATUS, "1.0", "createAndGo"}, {STATUS, "1.6", "createAndWait"}),
			 MO_NO_ERROR);
	for (unsigned pos = 0; pos < 3; pos++)
		max_rps[pos][0] = max_rps[pos][6] = 1;
	assert_int_equal(walk(w, max_rps), 6);
	assert_int_equal(SET(w, {MAX_RPS, "1.0.9", "100"}, {MAX_RPS, "1.6.3", "7"}), MO_NO_ERROR);
	max_rps[2][0] = 100;
	max_rps[0][6] = 7;
	assert_int_equal(walk(w, max_rps), 111);
	assert_int_equal(SET(w, {MAX_RPS, "1.0.9", "101"}), MO_WRONG_VALUE);
	assert_int_equal(SET(w, {MAX_RPS, "1.0.9", "0"}), MO_WRONG_VALUE);
	assert_int_equal(walk(w, max_rps), 111);
	assert_int_equal(SET(w, {MAX_RPS, "1.0.9", "2"}), MO_NO_ERROR);
	max_rps[2][0] = 2;
	assert_int_equal(walk(w, max_rps), 13);
	assert_int_equal(SET(w, {STATUS, "1.6", "destroy"}), MO_NO_ERROR);
	for (unsigned pos = 0; pos < 3; pos++)
		max_rps[pos][6] = 0;
	assert_int_equal(walk(w, max_rps), 4);
	mo_world_free(w);
}

static void test_counters_are_read_only(void **state)
{
	struct mo_world *w = station("1.3");

	(void)state;
	assert_int_equal(SET(w, {"dcbRpCurrentRate", "1.3.3.1", "1000"}), MO_NOT_WRITABLE);
	assert_int_equal(SET(w, {"dcbRpEnabled", "1.3.3.1", "true"}), MO_NOT_WRITABLE);
	assert_int_equal(SET(w, {"dcbCnmReceived", "3", "0"}), MO_NOT_WRITABLE);
	mo_world_free(w);
}

static void test_cnm_counters_are_per_port(void **state)
{
	static const char *const names[] = {
	    "dcbCnmReceived", "dcbCnmNoEffect",     "dcbCnmShort",         "dcbCnmBadLength",
	    "dcbCnmNoTag",    "dcbCnmWrongAddress", "dcbCnmWrongPriority", "dcbCnmUnknownFlow",
	    "dcbCnmFromHost", "dcbCnmExcess",
	};
	struct mo_world *w = mo_world_new(ROLE_STATION);
	char want[128];

	(void)state;
	for (size_t pos = 0; pos < 3; pos++) {
		uint64_t n = (uint64_t)(pos + 1) << 40;

		port_at(w, pos)->cnm = (struct cnm_stats){
		    .cnm_received = n + 1,
		    .cnm_no_effect = n + 2,
		    .cnm_short = n + 3,
		    .cnm_bad_length = n + 4,
		    .cnm_no_tag = n + 5,
		    .cnm_wrong_address = n + 6,
		    .cnm_wrong_priority = n + 7,
		    .cnm_unknown_flow = n + 8,
		    .cnm_from_host = n + 9,
		    .cnm_excess = n + 10,
		};
	}
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(want, sizeof(want), "3=%llu 5=%llu 9=%llu", (1ULL << 40) + i + 1,
			 (2ULL << 40) + i + 1, (3ULL << 40) + i + 1);
		assert_column(w, names[i], want);
	}
	port_at(w, 1)->stats.discard_host = 77;
	port_at(w, 2)->stats.discard_kernel = 78;
	assert_column(w, "dcbPortDiscardHost", "3=0 5=77 9=0");
	mo_world_free(w);
}

static void test_bridge_has_no_reaction_points(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct mo_index rp = {0}, cnm = {0};

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_false(mo_world_next(w, MO_rp, &rp));
	assert_false(mo_world_next(w, MO_cnm, &cnm));
	assert_column(w, "dcbRpState", "");
	assert_column(w, "dcbCnmReceived", "");
	mo_world_free(w);
}

/* 32.11.5: if it is not set, ieee8021CnRpgMaxRate is the rate of the port. */
static void test_unset_max_rate_follows_port_rate(void **state)
{
	struct mo_world *w = station("1.3");
	struct link_info link = mo_world_link(3, "sw3", "");

	(void)state;
	link.speed = dcb_rate_from_mbps(25000);
	managed_port_update(w->m, 0, &link);
	link = mo_world_link(9, "sw9", "");
	link.speed.bps = 0; /* the driver reports no speed */
	managed_port_update(w->m, 2, &link);
	w->conf.port_default.rate.bps = 2500000;
	mo_world_add_port(w, 20, "sw20", "");
	w->conf.port_default.rate.bps = 1000;
	mo_world_add_port(w, 21, "sw21", "");
	assert_column(w, "ieee8021CnRpgMaxRate",
		      "1.3.3.3=25000 1.3.5.3=10000 1.3.9.3=10000 1.3.20.3=2 1.3.21.3=1");
	assert_int_equal(SET(w, {"ieee8021CnRpgMaxRate", "1.3.3.3", "4"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {"ieee8021CnRpgAiRate", "1.3.5.3", "4"}), MO_NO_ERROR);
	link = mo_world_link(5, "sw5", "uplink");
	link.speed = dcb_rate_from_mbps(100);
	managed_port_update(w->m, 1, &link);
	assert_column(w, "ieee8021CnRpgMaxRate",
		      "1.3.3.3=4 1.3.5.3=100 1.3.9.3=10000 1.3.20.3=2 1.3.21.3=1");
	mo_world_free(w);
}

static void test_variant_is_per_port(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	w->conf.port_default.rp_variant.reading = RP_READING_PSEUDO;
	mo_world_add_port(w, 10, "sw10", "");
	w->conf.port_default.rp_variant.reading = RP_READING_FIG;
	w->conf.port_default.early = w->conf.port_default.rp_variant.early = true;
	mo_world_add_port(w, 11, "sw11", "");
	assert_column(w, "dcbPortCpVariant",
		      "3=ieee8021qau 5=ieee8021qau 9=ieee8021qau 10=ieee8021qau 11=early2007");
	assert_column(w, "dcbPortRpThreshold",
		      "3=figure 5=figure 9=figure 10=pseudoCode 11=pseudoCode");
	mo_world_free(w);
}

/* 32.2.3: the sum over all congestion points, including those of deleted CNPVs and ports. */
static void test_global_discards_are_sum_of_all_cps(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {STATUS, "1.4", "createAndGo"}),
			 MO_NO_ERROR);
	for (unsigned pos = 0; pos < 3; pos++) {
		for (unsigned p = 3; p < 5; p++) {
			uint64_t n = (pos + 1) * 10 + p;

			port_at(w, pos)->cp[p] = (struct cp_stats){
			    .cp_discarded_frames = n << 32,
			    .cp_transmitted_frames = n << 32 | 1,
			    .cp_transmitted_cnms = n << 32 | 2,
			};
		}
	}
	assert_column(w, "ieee8021CnCpTransmittedCnms",
		      "1.3.3=55834574850 1.3.4=60129542146 1.5.3=98784247810 1.5.4=103079215106 "
		      "1.9.3=141733920770 1.9.4=146028888066");
	assert_column(w, "ieee8021CnCpTransmittedFrames",
		      "1.3.3=55834574849 1.3.4=60129542145 1.5.3=98784247809 1.5.4=103079215105 "
		      "1.9.3=141733920769 1.9.4=146028888065");
	assert_column(w, "ieee8021CnCpDiscardedFrames",
		      "1.3.3=55834574848 1.3.4=60129542144 1.5.3=98784247808 1.5.4=103079215104 "
		      "1.9.3=141733920768 1.9.4=146028888064");
	assert_column(w, "ieee8021CnGlobalDiscardedFrames", "1=605590388736");
	assert_int_equal(SET(w, {STATUS, "1.4", "destroy"}), MO_NO_ERROR);
	assert_column(w, "ieee8021CnGlobalDiscardedFrames", "1=605590388736");
	assert_true(managed_port_remove(w->m, 1));
	mo_world_adopt(w);
	assert_column(w, "ieee8021CnGlobalDiscardedFrames", "1=605590388736");
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_columns_have_values_of_their_rp),
	    cmocka_unit_test(test_max_rps_sets_number_of_rows),
	    cmocka_unit_test(test_counters_are_read_only),
	    cmocka_unit_test(test_cnm_counters_are_per_port),
	    cmocka_unit_test(test_bridge_has_no_reaction_points),
	    cmocka_unit_test(test_unset_max_rate_follows_port_rate),
	    cmocka_unit_test(test_variant_is_per_port),
	    cmocka_unit_test(test_global_discards_are_sum_of_all_cps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
