/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLDP-EXT-DOT1-V2-MIB with neighbors: the tables of their TLVs, the values in force,
 * and GetNext.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/rng.h"
#include "control/managed/lldp_ports_private.h"
#include "tests/unit/lldp_remote.h"
#include "tests/unit/mo_world.h"
#include "tests/unit/unit.h"

#define CONFIG(name) "lldpXdot1dcbxConfig" name "TxEnable"
#define LOC(name)    "lldpXdot1dcbxLoc" name
#define REM(name)    "lldpXdot1dcbxRem" name
#define ADMIN(name)  "lldpXdot1dcbxAdmin" name
#define BW           "TrafficClassBandwidth"
#define TSA          "TrafficSelectionAlgorithm"
#define ETS_TSA      "tsaEnhancedTransmission"
#define APP          ADMIN("ApplicationPriorityAEPriority")
#define APP_VLAN     ADMIN("ApplicationVlanAEVlanId")

/* --- neighbors -------------------------------------------------------------------------------- */

/* A neighbor is received at this uptime in centiseconds. Returns its time mark. */
static uint32_t hear(struct mo_world *w, const struct lldp_remote *r, uint32_t at)
{
	const struct lldp_neighbor *const *all;
	size_t n;

	w->m->lldp->started = dcb_time_add_ns(clock_now(), -(int64_t)at * 10 * DCB_NS_PER_MS);
	lldp_ports_events.remote(w->m->lldp, r);
	managed_run(w->m, clock_now());
	mo_world_adopt(w);
	all = lldp_ports_neighbors(w->m->lldp, &n);
	/* Neighbors are sorted by time mark: the last received is the last. */
	assert_in_range(all[n - 1]->time_mark, at, at + 100);
	return all[n - 1]->time_mark;
}

static const struct dcb_tlvs peer_tlvs = {
    .cn = {.cnpv = 1u << 0 | 1u << 3, .ready = 1u << 3},
    .ets = {.willing = true,
	    .cbs = true,
	    .max_tcs = 3,
	    .tables = {.priority_tc = {0, 1, 2, 0, 1, 2, 0, 1},
		       .bandwidth = {50, 30, 20},
		       .tsa = {TSA_ETS, TSA_ETS, TSA_ETS, TSA_VENDOR}}},
    .reco = {.bandwidth = {0, 100}, .tsa = {TSA_STRICT, TSA_ETS, TSA_CREDIT_BASED_SHAPER}},
    .pfc = {.willing = true, .mbc = true, .cap = 15, .enable = 0x81},
    .app = {.n = 2,
	    .of = {{.selector = 1, .protocol = 0x8906, .priority = 3},
		   {.selector = 4, .protocol = 3260, .priority = 4}}},
    .app_vlan = {.n = 3,
		 .of = {{.selector = 1, .protocol = 0x8906, .vlan = 1002},
			{.selector = 1, .protocol = 0x8914, .vlan = 1002},
			{.selector = 4, .protocol = 3260, .vlan = 4094}}},
};

/* --- tables of neighbors' TLVs ---------------------------------------------------------------- */

static void test_rem_tables_have_neighbor_tlvs(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct lldp_remote r = neighbor("sw5", 0x77);
	char at[32], index[64], want[256];

	(void)state;
	for (enum dcb_tlv t = DCB_TLV_CN; t < DCB_TLVS; t++)
		says(&r, t, &peer_tlvs);
	snprintf(at, sizeof(at), "%u.5.1.1", hear(w, &r, 1000));
#define IS(object, rest, value)                                \
	do {                                                   \
		snprintf(index, sizeof(index), "%s" rest, at); \
		assert_value(w, object, index, value);         \
	} while (0)
	IS("lldpV2Xdot1RemCNPVIndicators", "", "pri0status,pri3status");
	IS("lldpV2Xdot1RemReadyIndicators", "", "pri3status");
	IS(REM("ETSConWilling"), "", "true");
	IS(REM("ETSConCreditBasedShaperSupport"), "", "true");
	IS(REM("ETSConTrafficClassesSupported"), "", "3");
	IS(REM("ETSConPriTrafficClass"), ".5", "2");
	IS(REM("ETSCon" BW), ".1", "30");
	IS(REM("ETSCon" TSA), ".2", ETS_TSA);
	IS(REM("ETSCon" TSA), ".3", "tsaVendorSpecific");
	IS(REM("ETSReco" BW), ".1", "100");
	IS(REM("ETSReco" TSA), ".2", "tsaCreditBasedShaper");
	IS(REM("PFCWilling"), "", "true");
	IS(REM("PFCMBC"), "", "true");
	IS(REM("PFCCap"), "", "8"); /* maximum of LldpXdot1dcbxSupportedCapacity */
	IS(REM("PFCEnableEnabled"), ".7", "true");
	IS(REM("PFCEnableEnabled"), ".6", "false");
	snprintf(want, sizeof(want), "%s.1.35078=3 %s.4.3260=4", at, at);
	assert_column(w, REM("ApplicationPriorityAEPriority"), want);
	snprintf(want, sizeof(want), "%s.1.35078=1002 %s.1.35092=1002 %s.4.3260=4094", at, at, at);
	assert_column(w, REM("ApplicationVlanAEVlanId"), want);
	assert_column(w, LOC("ApplicationVlanAEVlanId"), "");
	/* The settings of the local port are different. */
	assert_value(w, ADMIN("PFCEnableEnabled"), "5.7", "false");
	assert_value(w, ADMIN("ETSCon" BW), "5.1", "0");
	lldp_ports_events.gone(w->m->lldp, &r);
	assert_column(w, REM("ETSCon" BW), "");
	assert_column(w, REM("ApplicationPriorityAEPriority"), "");
	assert_column(w, REM("ApplicationVlanAEVlanId"), "");
	mo_world_free(w);
}

/* A neighbor without the TLV has no row. Rows are sorted by time mark first. */
static void test_rem_rows_are_sorted_by_time_mark(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct lldp_remote a = neighbor("sw9", 1), b = neighbor("sw3", 2), c = neighbor("sw3", 3);
	uint32_t at_a, at_b, at_c;
	char want[128];

	(void)state;
	says(&a, DCB_TLV_PFC, &peer_tlvs);
	says(&b, DCB_TLV_CN, &peer_tlvs);
	says(&c, DCB_TLV_PFC, &peer_tlvs);
	says(&c, DCB_TLV_CN, &peer_tlvs);
	at_a = hear(w, &a, 10000);
	at_b = hear(w, &b, 20000);
	at_c = hear(w, &c, 30000);
	snprintf(want, sizeof(want), "%u.9.1.1=true %u.3.1.3=true", at_a, at_c);
	assert_column(w, REM("PFCWilling"), want);
	snprintf(want, sizeof(want), "%u.3.1.2=pri3status %u.3.1.3=pri3status", at_b, at_c);
	assert_column(w, "lldpV2Xdot1RemReadyIndicators", want);
	/* A new LLDPDU gives all rows of the neighbor a new time mark; its number stays. */
	at_a = hear(w, &a, 40000);
	snprintf(want, sizeof(want), "%u.3.1.3=true %u.9.1.1=true", at_c, at_a);
	assert_column(w, REM("PFCWilling"), want);
	mo_world_free(w);
}

/* The Loc tables have the values in force, which a willing port takes from its neighbor. */
static void test_loc_tables_have_values_in_force(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct lldp_remote r = neighbor("sw5", 0x77);
	struct dcb_tlvs theirs = peer_tlvs;

	(void)state;
	theirs.pfc.willing = false;
	theirs.pfc.cap = 8;
	says(&r, DCB_TLV_CN, &theirs);
	says(&r, DCB_TLV_PFC, &theirs);
	hear(w, &r, 1000);
	assert_int_equal(SET(w, {CONFIG("PFC"), "5.1", "true"}, {ADMIN("PFCWilling"), "5", "true"},
			     {ADMIN("PFCEnableEnabled"), "5.3", "true"},
			     {"ieee8021CnComPriRowStatus", "1.3", "createAndGo"}),
			 MO_NO_ERROR);
	assert_value(w, ADMIN("PFCEnableEnabled"), "5.3", "true");
	assert_value(w, LOC("PFCEnableEnabled"), "5.3", "false");
	assert_value(w, LOC("PFCEnableEnabled"), "5.7", "true");
	assert_column(w, LOC("PFCWilling"), "3=false 5=true 9=false");
	assert_column(w, "lldpV2Xdot1LocCNPVIndicators", "3=pri3status 5=pri3status 9=pri3status");
	assert_column(w, "lldpV2Xdot1LocReadyIndicators", "3=none 5=pri3status 9=none");
	mo_world_free(w);
}

/* --- GetNext ---------------------------------------------------------------------------------- */

#define ROWS_MAX 4096

/* Adds random neighbors, application priorities and application VLANs. */
static void populate(struct mo_world *w, struct dcb_rng *rng)
{
	static const char *const ports[] = {"sw3", "sw5", "sw9"};

	for (unsigned i = 0; i < 9; i++) {
		struct lldp_remote r = neighbor(ports[dcb_rng_uniform(rng, 0, 2)], (uint8_t)i);
		unsigned sends = dcb_rng_next(rng);

		for (enum dcb_tlv t = DCB_TLV_CN; t < DCB_TLVS; t++)
			if (sends >> t & 1)
				says(&r, t, &peer_tlvs);
		hear(w, &r, 200 * i);
	}
	for (unsigned i = 0; i < 20; i++) {
		char index[32];

		snprintf(index, sizeof(index), "%u.%u.%u", (unsigned[]){3, 5, 9}[i % 3],
			 dcb_rng_uniform(rng, 1, 5), dcb_rng_uniform(rng, 0, 9));
		assert_int_equal(SET(w, {dcb_rng_next(rng) & 1 ? APP : APP_VLAN, index, "1"}),
				 MO_NO_ERROR);
	}
}

/* Returns an index near that of a row: shorter, longer, or with one part off by one. */
static struct mo_index near(struct dcb_rng *rng, const struct mo_index *rows, unsigned n)
{
	struct mo_index index = n ? rows[dcb_rng_uniform(rng, 0, n - 1)] : (struct mo_index){0};
	unsigned at = dcb_rng_uniform(rng, 0, MO_INDEX_MAX - 1);

	if (dcb_rng_next(rng) & 1)
		index.n = (uint8_t)dcb_rng_uniform(rng, 0, MO_INDEX_MAX);
	if (dcb_rng_next(rng) & 1)
		index.sub[at] += dcb_rng_next(rng) & 1 ? 1 : UINT32_MAX;
	return index;
}

/* GetNext from any index returns the first row after it in the list of all rows. */
static void check_table(struct mo_world *w, const struct mo_table *table, struct dcb_rng *rng)
{
	static struct mo_index rows[ROWS_MAX];
	struct mo_index index = {0};
	unsigned n = 0;

	while (mo_world_next(w, table->id, &index)) {
		assert_true(n < ROWS_MAX);
		assert_true(mo_index_valid(table, &index));
		assert_true(n == 0 || mo_index_compare(&rows[n - 1], &index) < 0);
		rows[n++] = index;
	}
	for (unsigned i = 0; i < 300; i++) {
		struct mo_index from = near(rng, rows, n), got = from;
		unsigned want = 0;
		bool found;

		while (want < n && mo_index_compare(&rows[want], &from) <= 0)
			want++;
		found = mo_world_next(w, table->id, &got);
		assert_int_equal(found, want < n);
		if (found)
			assert_int_equal(mo_index_compare(&rows[want], &got), 0);
	}
}

static void test_getnext_from_any_index(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	unsigned tables = 0;
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 0);
	populate(w, &rng);
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);

		if (strcmp(table->module, "LLDP-EXT-DOT1-V2-MIB") != 0)
			continue;
		check_table(w, table, &rng);
		tables++;
	}
	assert_int_equal(tables, 38);
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rem_tables_have_neighbor_tlvs),
	    cmocka_unit_test(test_rem_rows_are_sorted_by_time_mark),
	    cmocka_unit_test(test_loc_tables_have_values_in_force),
	    cmocka_unit_test(test_getnext_from_any_index),
	};

	return cmocka_run_group_tests_name("mo_lldp_rem", tests, NULL, NULL);
}
