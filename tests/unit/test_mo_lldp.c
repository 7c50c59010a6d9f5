/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLDP-EXT-DOT1-V2-MIB: what is sent, administered, in force and said by neighbours;
 * which values go together, and what is kept.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/clock.h"
#include "dataplane/core/rng.h"
#include "dataplane/lldp_ports_private.h"
#include "dataplane/mo_bind.h"
#include "tests/unit/mo_world.h"
#include "tests/unit/unit.h"

#define CN_TX        "lldpXdot1CnConfigCnTxEnable"
#define CONFIG(name) "lldpXdot1dcbxConfig" name "TxEnable"
#define LOC(name)    "lldpXdot1dcbxLoc" name
#define REM(name)    "lldpXdot1dcbxRem" name
#define ADMIN(name)  "lldpXdot1dcbxAdmin" name
#define BW           "TrafficClassBandwidth"
#define TSA          "TrafficSelectionAlgorithm"
#define ETS_TSA      "tsaEnhancedTransmission"
#define APP          ADMIN("ApplicationPriorityAEPriority")
#define COM(name)    "ieee8021CnComPriLldpInstance" name
#define PORT(name)   "ieee8021CnPortPriLldpInstance" name

/* One value, of the row of this index. */
static void assert_value(struct mo_world *w, const char *object, const char *index,
			 const char *expected)
{
	static char text[65536];
	char want[128];

	mo_world_column(w, object, text + 1, sizeof(text) - 2);
	text[0] = ' ';
	strcat(text, " ");
	snprintf(want, sizeof(want), " %s=%s ", index, expected);
	if (!strstr(text, want))
		fail_msg("%s: no%sin%s", object, want, text);
}

/* --- neighbours ---------------------------------------------------------------------------------
 */

static struct lldp_remote neighbor(const char *ifname, uint8_t address)
{
	struct lldp_remote r = {
	    .chassis = {LLDP_CHASSIS_MAC, 6, {2, 0, 0, 0, 1, address}},
	    .port = {LLDP_PORT_MAC, 6, {2, 0, 0, 0, 0, address}},
	    .ttl = 120,
	};

	snprintf(r.ifname, sizeof(r.ifname), "%s", ifname);
	return r;
}

static void says(struct lldp_remote *r, enum dcb_tlv which, const struct dcb_tlvs *tlvs)
{
	struct lldp_tlv *tlv = &r->tlvs[r->n_tlvs++];

	memcpy(tlv->oui, dcb_tlv_oui, sizeof(tlv->oui));
	tlv->subtype = dcb_tlv_subtype(which);
	tlv->len = (uint16_t)dcb_tlvs_encode(tlvs, which, tlv->info);
}

/* Heard when the system has been up for so many centiseconds, which is the time mark. */
static uint32_t hear(struct mo_world *w, const struct lldp_remote *r, uint32_t at)
{
	const struct lldp_neighbor *const *all;
	size_t n;

	w->m->lldp->started = dcb_time_add_ns(clock_now(), -(int64_t)at * 10 * DCB_NS_PER_MS);
	lldp_ports_events.remote(w->m->lldp, r);
	lldp_ports_run(w->m->lldp, clock_now());
	managed_adopted(w->m, w->m->config->generation);
	all = lldp_ports_neighbors(w->m->lldp, &n);
	/* The one heard last is last, as time goes on. */
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
};

/* --- what is sent and administered --------------------------------------------------------------
 */

static void test_defaults(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_column(w, CN_TX, "3.1=false 5.1=false 9.1=false");
	assert_column(w, CONFIG("PFC"), "3.1=false 5.1=false 9.1=false");
	assert_column(w, ADMIN("ETSConWilling"), "3=false 5=false 9=false");
	assert_column(w, ADMIN("ETSConTrafficClassesSupported"), "3=8 5=8 9=8");
	assert_column(w, ADMIN("ETSConCreditBasedShaperSupport"), "3=false 5=false 9=false");
	assert_column(w, ADMIN("PFCWilling"), "3=false 5=false 9=false");
	assert_column(w, ADMIN("PFCMBC"), "3=false 5=false 9=false");
	assert_column(w, ADMIN("PFCCap"), "3=8 5=8 9=8");
	assert_column(w, APP, "");
	assert_value(w, ADMIN("ETSConPriTrafficClass"), "9.7", "0");
	assert_value(w, ADMIN("ETSCon" BW), "3.0", "0");
	assert_value(w, ADMIN("ETSCon" TSA), "3.7", "tsaStrictPriority");
	assert_value(w, ADMIN("PFCEnableEnabled"), "5.3", "false");
	/* In force are dcbd.conf's traffic classes, of which there are eight by default. */
	assert_value(w, LOC("ETSConPriTrafficClass"), "3.7", "7");
	assert_value(w, LOC("ETSCon" TSA), "3.7", "tsaStrictPriority");
	assert_column(w, "lldpV2Xdot1LocCNPVIndicators", "3=none 5=none 9=none");
	assert_column(w, "lldpV2Xdot1RemCNPVIndicators", "");
	assert_column(w, REM("PFCEnableEnabled"), "");
	mo_world_free(w);
}

static void test_tx_enable(void **state)
{
	static const char *const objects[] = {
	    CN_TX,         CONFIG("ETSConfiguration"),    CONFIG("ETSRecommendation"),
	    CONFIG("PFC"), CONFIG("ApplicationPriority"),
	};
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(objects); i++) {
		assert_int_equal(SET(w, {objects[i], "5.1", "true"}), MO_NO_ERROR);
		assert_column(w, objects[i], "3.1=false 5.1=true 9.1=false");
		/* In the order of enum dcb_tlv; no two share a bit. */
		assert_int_equal(w->m->config->ports[1].config->dcbx.tx_enable, (2u << i) - 1);
		/* There is no other address. */
		assert_int_equal(SET(w, {objects[i], "5.2", "true"}), MO_NO_CREATION);
	}
	assert_int_equal(SET(w, {objects[1], "5.1", "false"}), MO_NO_ERROR);
	assert_int_equal(w->m->config->ports[1].config->dcbx.tx_enable, 0x1d);
	mo_world_free(w);
}

/* Another destination address from dcbd.conf: what was saved is about the new one. */
static void test_destination(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {CONFIG("PFC"), "5.1", "true"}), MO_NO_ERROR);
	w->conf.lldp_destination = 3;
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_load(w);
	assert_column(w, CONFIG("PFC"), "3.3=false 5.3=true");
	mo_world_free(w);
}

static void test_ets(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	/* Shares of classes that have none are nobody's business. */
	assert_int_equal(SET(w, {ADMIN("ETSCon" BW), "5.6", "77"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {ADMIN("ETSCon" TSA), "5.0", ETS_TSA}), MO_INCONSISTENT_VALUE);
	/* The last about it is to blame, in whatever order. */
	assert_int_equal(SET(w, {ADMIN("ETSCon" TSA), "5.0", ETS_TSA},
			     {ADMIN("ETSCon" BW), "5.0", "99"}, {ADMIN("PFCWilling"), "5", "true"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	assert_int_equal(
	    SET(w, {ADMIN("ETSCon" BW), "5.0", "60"}, {ADMIN("ETSCon" TSA), "5.0", ETS_TSA},
		{ADMIN("ETSConPriTrafficClass"), "5.3", "1"}, {ADMIN("ETSCon" TSA), "5.1", ETS_TSA},
		{ADMIN("ETSCon" BW), "5.1", "40"}),
	    MO_NO_ERROR);
	assert_true(w->m->config->ports[1].oper.ets);
	assert_false(w->m->config->ports[0].oper.ets);
	assert_value(w, LOC("ETSCon" BW), "5.1", "40");
	assert_value(w, LOC("ETSCon" TSA), "5.1", ETS_TSA);
	assert_value(w, LOC("ETSConPriTrafficClass"), "5.3", "1");
	assert_value(w, LOC("ETSConPriTrafficClass"), "3.3", "3");
	assert_int_equal(SET(w, {ADMIN("ETSCon" BW), "5.1", "41"}), MO_INCONSISTENT_VALUE);
	assert_value(w, ADMIN("ETSCon" BW), "5.1", "40");
	/* What cannot be done here; and what has no name. */
	assert_int_equal(SET(w, {ADMIN("ETSCon" TSA), "9.2", "tsaCreditBasedShaper"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {ADMIN("ETSCon" TSA), "9.2", "tsaVendorSpecific"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {ADMIN("ETSCon" TSA), "9.2", "3"}), MO_WRONG_VALUE);
	assert_int_equal(SET(w, {ADMIN("ETSCon" BW), "9.2", "101"}), MO_WRONG_VALUE);
	assert_int_equal(SET(w, {ADMIN("ETSCon" BW), "9.8", "1"}), MO_NO_CREATION);
	mo_world_free(w);
}

/* A recommendation is for others to follow, so it may be anything that adds up. */
static void test_recommendation(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {ADMIN("ETSReco" TSA), "3.7", "tsaCreditBasedShaper"},
			     {ADMIN("ETSReco" TSA), "3.6", "tsaVendorSpecific"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {ADMIN("ETSReco" TSA), "3.0", ETS_TSA}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {ADMIN("ETSReco" TSA), "3.0", ETS_TSA},
			     {ADMIN("ETSReco" BW), "3.0", "100"},
			     {ADMIN("ETSConPriTrafficClass"), "3.4", "5"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {ADMIN("ETSReco" BW), "3.0", "1"}), MO_INCONSISTENT_VALUE);
	assert_value(w, LOC("ETSReco" TSA), "3.6", "tsaVendorSpecific");
	assert_value(w, LOC("ETSReco" BW), "3.0", "100");
	/* One assignment of priorities for both. */
	assert_int_equal(w->m->config->ports[0].config->dcbx.reco.priority_tc[4], 5);
	assert_false(w->m->config->ports[0].oper.ets);
	mo_world_free(w);
}

static void test_pfc_by_either_name(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char text[4096] = "";
	FILE *f;

	(void)state;
	assert_int_equal(SET(w, {ADMIN("PFCEnableEnabled"), "5.3", "true"},
			     {"dcbPfcPriorityEnable", "5.4", "true"}),
			 MO_NO_ERROR);
	assert_value(w, "dcbPfcPriorityEnable", "5.3", "true");
	assert_value(w, ADMIN("PFCEnableEnabled"), "5.4", "true");
	assert_value(w, ADMIN("PFCEnableEnabled"), "3.4", "false");
	assert_value(w, LOC("PFCEnableEnabled"), "5.4", "true");
	/* Saved under one of them. */
	f = fopen(w->state, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	assert_non_null(strstr(text, "dcbPfcPriorityEnable"));
	assert_null(strstr(text, "PFCEnableEnabled"));
	mo_world_free(w);
}

/* --- application priorities
 * -----------------------------------------------------------------------
 */

static void test_apps(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {APP, "5.4.3260", "4"}, {APP, "5.1.35078", "3"},
			     {APP, "3.5.46", "5"}, {APP, "5.1.0", "1"}),
			 MO_NO_ERROR);
	assert_column(w, APP, "3.5.46=5 5.1.0=1 5.1.35078=3 5.4.3260=4");
	assert_column(w, LOC("ApplicationPriorityAEPriority"),
		      "3.5.46=5 5.1.0=1 5.1.35078=3 5.4.3260=4");
	/* Another priority for one that is there; twice in one request the last counts. */
	assert_int_equal(
	    SET(w, {APP, "5.1.35078", "6"}, {APP, "9.2.80", "1"}, {APP, "9.2.80", "2"}),
	    MO_NO_ERROR);
	assert_column(w, APP, "3.5.46=5 5.1.0=1 5.1.35078=6 5.4.3260=4 9.2.80=2");
	assert_int_equal(SET(w, {APP, "5.0.1", "3"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {APP, "5.6.1", "3"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {APP, "5.1.65536", "3"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {APP, "4.1.1", "3"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {APP, "5.1.1", "8"}), MO_WRONG_VALUE);
	mo_world_free(w);
}

static void test_apps_are_limited(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char index[32];

	(void)state;
	for (unsigned i = 0; i < DCBX_APPS_MAX; i++) {
		snprintf(index, sizeof(index), "5.2.%u", 1000 - i);
		assert_int_equal(SET(w, {APP, index, "1"}), MO_NO_ERROR);
	}
	assert_int_equal(SET(w, {APP, "3.2.1", "1"}, {APP, "5.2.1", "1"}), MO_RESOURCE_UNAVAILABLE);
	assert_int_equal(w->bad, 2);
	/* ... which is about new ones. */
	assert_int_equal(SET(w, {APP, "5.2.937", "7"}, {APP, "5.2.1000", "7"}), MO_NO_ERROR);
	assert_value(w, APP, "5.2.937", "7");
	assert_value(w, APP, "5.2.938", "1");
	assert_int_equal(w->m->config->ports[1].config->dcbx.n_apps, DCBX_APPS_MAX);
	mo_world_restart(w);
	mo_world_add_port(w, 7, "sw7", "uplink");
	mo_world_load(w);
	assert_int_equal(w->m->config->ports[0].config->dcbx.n_apps, DCBX_APPS_MAX);
	assert_value(w, APP, "7.2.937", "7");
	assert_value(w, APP, "7.2.999", "1");
	mo_world_free(w);
}

/* --- what neighbours say ------------------------------------------------------------------------
 */

static void test_remote(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct lldp_remote r = neighbor("sw5", 0x77);
	char at[32], index[64], want[256];

	(void)state;
	for (enum dcb_tlv t = DCB_TLV_CN; t <= DCB_TLV_APP; t++)
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
	IS(REM("PFCCap"), "", "8"); /* LldpXdot1dcbxSupportedCapacity has no more */
	IS(REM("PFCEnableEnabled"), ".7", "true");
	IS(REM("PFCEnableEnabled"), ".6", "false");
	snprintf(want, sizeof(want), "%s.1.35078=3 %s.4.3260=4", at, at);
	assert_column(w, REM("ApplicationPriorityAEPriority"), want);
	/* It is the neighbour's that is shown, not what is ours. */
	assert_value(w, ADMIN("PFCEnableEnabled"), "5.7", "false");
	assert_value(w, ADMIN("ETSCon" BW), "5.1", "0");
	lldp_ports_events.gone(w->m->lldp, &r);
	assert_column(w, REM("ETSCon" BW), "");
	assert_column(w, REM("ApplicationPriorityAEPriority"), "");
	mo_world_free(w);
}

/* One that does not send a TLV has no row; the time mark comes before all else. */
static void test_remote_order(void **state)
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
	/* Who says something else moves on, with all rows and the same number. */
	at_a = hear(w, &a, 40000);
	snprintf(want, sizeof(want), "%u.3.1.3=true %u.9.1.1=true", at_c, at_a);
	assert_column(w, REM("PFCWilling"), want);
	mo_world_free(w);
}

/* What a port's TLV says is what is in force, and that may be the neighbour's. */
static void test_loc_is_in_force(void **state)
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

/* --- GetNext
 * ----------------------------------------------------------------------------------------
 */

#define ROWS_MAX 4096

/* Neighbours of all kinds, and applications. */
static void populate(struct mo_world *w, struct dcb_rng *rng)
{
	static const char *const ports[] = {"sw3", "sw5", "sw9"};

	for (unsigned i = 0; i < 9; i++) {
		struct lldp_remote r = neighbor(ports[dcb_rng_uniform(rng, 0, 2)], (uint8_t)i);
		unsigned sends = dcb_rng_next(rng);

		for (enum dcb_tlv t = DCB_TLV_CN; t <= DCB_TLV_APP; t++)
			if (sends >> t & 1)
				says(&r, t, &peer_tlvs);
		hear(w, &r, 200 * i);
	}
	for (unsigned i = 0; i < 20; i++) {
		char index[32];

		snprintf(index, sizeof(index), "%u.%u.%u", (unsigned[]){3, 5, 9}[i % 3],
			 dcb_rng_uniform(rng, 1, 5), dcb_rng_uniform(rng, 0, 9));
		assert_int_equal(SET(w, {APP, index, "1"}), MO_NO_ERROR);
	}
}

/* An index near one that is there: shorter, longer, or off by one somewhere. */
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

/* From wherever one asks, the next row is the first behind it of all that a walk finds. */
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

static void test_next_from_anywhere(void **state)
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
	assert_int_equal(tables, 34);
	mo_world_free(w);
}

/* --- LLDP instances
 * ---------------------------------------------------------------------------------
 */

static void test_instances(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	/* cnlAdmin(2), and the only one that is served is 1. */
	assert_int_equal(SET(w, {COM("Selector"), "1.3", "2"}), MO_INCONSISTENT_VALUE);
	/* The default of a port is cnlComponent(3), and 3: not served, not used. */
	assert_int_equal(SET(w, {PORT("Selector"), "1.3.5", "4096"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {"ieee8021CnGlobalCnmTransmitPriority", "1", "5"},
			     {PORT("Choice"), "1.3.5", "cnlAdmin"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	assert_column(w, "ieee8021CnGlobalCnmTransmitPriority", "1=6");
	assert_int_equal(
	    SET(w, {PORT("Choice"), "1.3.5", "cnlAdmin"}, {PORT("Selector"), "1.3.5", "1"}),
	    MO_NO_ERROR);
	/* Selected by the component for its ports; and chosen by one where it is so already. */
	assert_int_equal(SET(w, {COM("Choice"), "1.3", "cnlNone"}, {COM("Selector"), "1.3", "7"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {COM("Choice"), "1.3", "cnlAdmin"}), MO_INCONSISTENT_VALUE);
	/* A new row, all in one; and one that the same SET deletes. */
	assert_int_equal(SET(w, {STATUS, "1.4", "createAndGo"}, {COM("Selector"), "1.4", "9"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	assert_int_equal(SET(w, {STATUS, "1.4", "createAndGo"}, {COM("Selector"), "1.4", "9"},
			     {COM("Choice"), "1.4", "cnlNone"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {COM("Choice"), "1.4", "cnlAdmin"}, {STATUS, "1.4", "destroy"}),
			 MO_NO_ERROR);
	mo_world_free(w);
}

/* The rule is for managers: what the file says is taken, and its rows select no instance. */
static void test_instance_of_state_file(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_int_equal(
	    SET(w, {PORT("Choice"), "1.3.5", "cnlAdmin"}, {PORT("Selector"), "1.3.5", "1"}),
	    MO_NO_ERROR);
	w->conf.lldp_destination = 3;
	mo_world_restart(w);
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_load(w);
	assert_column(w, PORT("Selector"), "1.3.5=1");
	assert_int_equal(SET(w, {PORT("Selector"), "1.3.5", "1"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {PORT("Selector"), "1.3.5", "3"}), MO_NO_ERROR);
	mo_world_free(w);
}

/* --- what is kept
 * ---------------------------------------------------------------------------------
 */

static const char *const kept[][3] = {
    {CN_TX, "5.1", "true"},
    {CONFIG("ETSConfiguration"), "5.1", "true"},
    {CONFIG("ETSRecommendation"), "5.1", "true"},
    {CONFIG("PFC"), "5.1", "true"},
    {CONFIG("ApplicationPriority"), "5.1", "true"},
    {ADMIN("ETSConWilling"), "5", "true"},
    {ADMIN("ETSConPriTrafficClass"), "5.7", "6"},
    {ADMIN("ETSCon" BW), "5.2", "100"},
    {ADMIN("ETSCon" TSA), "5.2", ETS_TSA},
    {ADMIN("ETSReco" BW), "5.3", "100"},
    {ADMIN("ETSReco" TSA), "5.3", ETS_TSA},
    {ADMIN("PFCWilling"), "5", "true"},
    {ADMIN("PFCEnableEnabled"), "5.1", "true"},
    {APP, "5.5.46", "5"},
};

static void check_kept(struct mo_world *w)
{
	for (unsigned i = 0; i < UNIT_COUNT(kept); i++) {
		char index[32];

		snprintf(index, sizeof(index), "4%s", kept[i][1] + 1);
		assert_value(w, kept[i][0], index, kept[i][2]);
	}
}

/* All that can be written, and nothing else; also where the interface comes later. */
static void test_all_survive_restart(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	unsigned writable = 0;

	(void)state;
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);

		for (unsigned i = 0; i < t->n_columns; i++)
			writable += mo_is_writable(&t->columns[i]) &&
				    strcmp(t->module, "LLDP-EXT-DOT1-V2-MIB") == 0;
	}
	assert_int_equal(writable, UNIT_COUNT(kept));
	assert_int_equal(mo_world_set(w, kept, UNIT_COUNT(kept)), MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 4, "other", "uplink"); /* was ifIndex 5 */
	mo_world_load(w);
	check_kept(w);
	assert_column(w, CONFIG("PFC"), "3.1=false 4.1=true");
	assert_column(w, APP, "4.5.46=5");
	/* Waiting for its interface through a start and a save. */
	w->conf.keep_absent = true;
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_load(w);
	assert_column(w, CONFIG("PFC"), "3.1=false");
	assert_int_equal(SET(w, {CONFIG("PFC"), "3.1", "true"}), MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_load(w);
	mo_world_add_port(w, 4, "sw4", "uplink");
	check_kept(w);
	mo_world_free(w);
}

/* --- BITS
 * -------------------------------------------------------------------------------------------
 */

static const struct mo_enum bit_names[] = {{"one", 1}, {"eight", 8}, {NULL, 0}};
static const struct mo_column bits = {
    .name = "bits", .syntax = MO_BITS, .access = MO_RW, .max = 8, .names = bit_names};

static void assert_bits(const char *text, uint8_t first, uint8_t second)
{
	struct mo_value value;
	char back[64];

	assert_true(mo_parse(&bits, text, &value));
	assert_int_equal(value.len, 2);
	assert_int_equal(value.octets[0], first);
	assert_int_equal(value.octets[1], second);
	assert_int_equal(mo_validate(&bits, &value), MO_NO_ERROR);
	assert_int_equal(mo_format(&bits, &value, back, sizeof(back)), strlen(text));
	assert_string_equal(back, text);
}

static void test_bits(void **state)
{
	struct mo_value value = {.syntax = MO_BITS};
	char back[8];

	(void)state;
	assert_bits("none", 0, 0);
	assert_bits("one", 0x40, 0);
	assert_bits("eight", 0, 0x80);
	assert_bits("one,eight", 0x40, 0x80);
	assert_false(mo_parse(&bits, "", &value));
	assert_false(mo_parse(&bits, "two", &value));
	assert_false(mo_parse(&bits, "one,", &value));
	assert_false(mo_parse(&bits, "on", &value));
	/* As from the network: too short is fine, too long is not, nor is a bit behind the last. */
	value = (struct mo_value){.syntax = MO_OCTETS, .len = 0};
	assert_int_equal(mo_validate(&bits, &value), MO_NO_ERROR);
	assert_int_equal(mo_format(&bits, &value, back, sizeof(back)), 4);
	value = (struct mo_value){.syntax = MO_OCTETS, .len = 3};
	assert_int_equal(mo_validate(&bits, &value), MO_WRONG_LENGTH);
	value = (struct mo_value){.syntax = MO_OCTETS, .len = 2, .octets = {0, 0x40}};
	assert_int_equal(mo_validate(&bits, &value), MO_WRONG_VALUE);
	value = (struct mo_value){.syntax = MO_INTEGER32};
	assert_int_equal(mo_validate(&bits, &value), MO_WRONG_TYPE);
	/* The first bit is the highest; a buffer too small is said so. */
	value = (struct mo_value){.syntax = MO_BITS, .len = 2, .octets = {0x40, 0x80}};
	assert_int_equal(mo_format(&bits, &value, back, sizeof(back)), 9);
	assert_string_equal(back, "one,eig");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_defaults),
	    cmocka_unit_test(test_tx_enable),
	    cmocka_unit_test(test_destination),
	    cmocka_unit_test(test_ets),
	    cmocka_unit_test(test_recommendation),
	    cmocka_unit_test(test_pfc_by_either_name),
	    cmocka_unit_test(test_apps),
	    cmocka_unit_test(test_apps_are_limited),
	    cmocka_unit_test(test_remote),
	    cmocka_unit_test(test_remote_order),
	    cmocka_unit_test(test_loc_is_in_force),
	    cmocka_unit_test(test_next_from_anywhere),
	    cmocka_unit_test(test_instances),
	    cmocka_unit_test(test_instance_of_state_file),
	    cmocka_unit_test(test_all_survive_restart),
	    cmocka_unit_test(test_bits),
	};

	return cmocka_run_group_tests_name("mo_lldp", tests, NULL, NULL);
}
