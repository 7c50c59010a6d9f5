/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of DCB-AGENT-MIB about LLDP neighbors, with neighbors from the test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/rng.h"
#include "control/managed/lldp_ports.h"
#include "tests/unit/lldp_remote.h"
#include "tests/unit/mo_world.h"
#include "tests/unit/unit.h"

/* --- an LLDP client that does nothing ------------------------------------------------------- */

static void agent_set(struct lldp_client *c, const char *ifname, const struct lldp_tlv *tlvs,
		      size_t n, uint32_t mtu)
{
	(void)c;
	(void)ifname;
	(void)tlvs;
	(void)n;
	(void)mtu;
}

static void agent_about(struct lldp_client *c, const char *ifname)
{
	(void)c;
	(void)ifname;
}

static void agent_read(const struct lldp_client *c, struct lldp_stats *out)
{
	(void)c;
	*out = (struct lldp_stats){.connects = 3,
				   .disconnects = 2,
				   .batches = 40,
				   .deferred = 5,
				   .repairs = 6,
				   .refused = 7,
				   .failures = 8};
}

static void agent_destroy(struct lldp_client *c)
{
	(void)c;
}

static const struct lldp_client_ops agent_ops = {
    .set = agent_set,
    .refresh = agent_about,
    .forget = agent_about,
    .read = agent_read,
    .destroy = agent_destroy,
};

static struct lldp_client agent = {.ops = &agent_ops};

static void agent_wake(void *ctx)
{
	(void)ctx;
}

static struct mo_world *world_new(void)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	lldp_ports_use(w->m->lldp, &agent, agent_wake, NULL);
	lldp_ports_events.state(w->m->lldp, LLDP_CONNECTED);
	lldp_ports_events.all_reported(w->m->lldp);
	return w;
}

static void run(struct mo_world *w)
{
	managed_run(w->m, clock_now());
	mo_world_adopt(w);
}

/* Returns the DCBX settings of a port in a copy of the configuration, for publish(). */
static struct dcbx_config *edit(struct mo_world *w, uint32_t ifindex, struct dcb_config **config)
{
	*config = dcb_config_copy(w->m->config);
	assert_non_null(*config);
	return &dcb_config_edit_port(*config, managed_find(w->m, ifindex))->dcbx;
}

static void publish(struct mo_world *w, struct dcb_config *config)
{
	struct provider_refusal why;

	dcb_config_compute_oper(config);
	assert_true(managed_publish(w->m, config, &why));
	run(w);
}

static void hear(struct mo_world *w, const struct lldp_remote *r)
{
	lldp_ports_events.remote(w->m->lldp, r);
	run(w);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void test_no_neighbors(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_column(w, "dcbLldpState", "0=off");
	assert_column(w, "dcbLldpDestination", "0=0");
	assert_column(w, "dcbLldpConnects", "0=0");
	assert_column(w, "dcbNeighborChassisId", "");
	assert_column(w, "dcbDcbxAppPriority", "");
	assert_column(w, "dcbDcbxPortNeighbors", "3=0 5=0 9=0");
	assert_column(w, "dcbDcbxPortPfcReason", "3=off 5=off 9=off");
	assert_column(w, "dcbDcbxPortEtsReason", "3=off 5=off 9=off");
	assert_column(w, "dcbDcbxPortEtsInForce", "3=false 5=false 9=false");
	assert_column(w, "dcbDcbxPortMismatch", "3=none 5=none 9=none");
	assert_column(w, "dcbCnPortState", "");
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "5.3", "true"},
			     {"ieee8021CnComPriRowStatus", "1.2", "createAndGo"}),
			 MO_NO_ERROR);
	assert_column(w, "dcbDcbxPortPfcAdmin", "3=none 5=pri3 9=none");
	assert_column(w, "dcbDcbxPortPfcInForce", "3=none 5=pri3 9=none");
	assert_column(w, "dcbDcbxPortPfcUntagged", "3=none 5=pri3 9=none");
	assert_column(w, "dcbDcbxPortPfcPeer", "3=none 5=none 9=none");
	assert_column(w, "dcbCnPortState", "1.2.3=edge 1.2.5=edge 1.2.9=edge");
	assert_column(w, "dcbCnPortIsAdmin", "1.2.3=false 1.2.5=false 1.2.9=false");
	assert_column(w, "dcbCnPortUntagged", "1.2.3=true 1.2.5=true 1.2.9=true");
	/* Only CNPVs in force count. */
	assert_int_equal(SET(w, {"ieee8021CnGlobalMasterEnable", "1", "false"}), MO_NO_ERROR);
	assert_column(w, "dcbCnPortUntagged", "1.2.3=false 1.2.5=false 1.2.9=false");
	mo_world_free(w);
}

static void test_lldp_client_counters_are_shown(void **state)
{
	struct mo_world *w = world_new();

	(void)state;
	assert_column(w, "dcbLldpState", "0=connected");
	assert_column(w, "dcbLldpDestination", "0=1");
	assert_column(w, "dcbLldpConnects", "0=3");
	assert_column(w, "dcbLldpDisconnects", "0=2");
	assert_column(w, "dcbLldpBatches", "0=40");
	assert_column(w, "dcbLldpDeferred", "0=5");
	assert_column(w, "dcbLldpRepairs", "0=6");
	assert_column(w, "dcbLldpRefused", "0=7");
	assert_column(w, "dcbLldpFailures", "0=8");
	assert_column(w, "dcbLldpNeighbors", "0=0");
	hear(w, &(struct lldp_remote[]){neighbor("sw5", 1)}[0]);
	assert_column(w, "dcbLldpNeighbors", "0=1");
	lldp_ports_events.state(w->m->lldp, LLDP_CONNECTING);
	assert_column(w, "dcbLldpState", "0=connecting");
	assert_column(w, "dcbNeighborStale", "5.1=true");
	mo_world_free(w);
}

/* Rows are sorted by ifIndex and neighbor number, not by the time of the last LLDPDU. */
static void test_neighbors_are_sorted_by_port_and_number(void **state)
{
	struct mo_world *w = world_new();
	struct lldp_remote a = neighbor("sw9", 1), b = neighbor("sw5", 2), c = neighbor("sw9", 3);
	struct dcb_tlvs tlvs = {.cn = {8, 0}, .pfc = {.cap = 8, .enable = 8}};
	struct mo_index at = {0};

	(void)state;
	b.chassis = (struct lldp_id){7, 7, "spine-1"};
	b.port = (struct lldp_id){5, 5, "swp\n1"};
	strcpy(b.sysname, "evil\x1b[2J\xff");
	b.ttl = 65535;
	strcpy(b.management, "2001:db8::1");
	memset(c.management, 0, sizeof(c.management));
	says(&b, DCB_TLV_CN, &tlvs);
	says(&b, DCB_TLV_PFC, &tlvs);
	says(&b, DCB_TLV_PFC_DELAY, &tlvs);
	b.tlvs[1].len--;
	c.tlvs[c.n_tlvs++] = (struct lldp_tlv){.oui = {0x00, 0x1b, 0x21}, .subtype = 2};
	hear(w, &a);
	hear(w, &b);
	hear(w, &c);
	hear(w, &a);
	assert_column(w, "dcbNeighborChassisId",
		      "5.2=spine-1 9.1=02-00-00-00-01-01 9.3=02-00-00-00-01-03");
	assert_column(w, "dcbNeighborPortId",
		      "5.2=73-77-70-0a-31 9.1=02-00-00-00-00-01 9.3=02-00-00-00-00-03");
	assert_column(w, "dcbNeighborSystemName", "5.2=evil?[2J? 9.1=leaf 9.3=leaf");
	assert_column(w, "dcbNeighborManagement", "5.2=2001:db8::1 9.1=192.0.2.7 9.3=");
	assert_column(w, "dcbNeighborTtl", "5.2=65535 9.1=120 9.3=120");
	assert_column(w, "dcbNeighborTlvs", "5.2=cn,pfcDelay 9.1=none 9.3=none");
	assert_column(w, "dcbNeighborMalformedTlvs", "5.2=pfc 9.1=none 9.3=none");
	assert_column(w, "dcbNeighborStale", "5.2=false 9.1=false 9.3=false");
	assert_column(w, "dcbNeighborAddress",
		      "5.2=00-00-00-00-00-00 9.1=02-00-00-00-00-01 9.3=02-00-00-00-00-03");
	assert_column(w, "dcbNeighborDcbx", "5.2=ieee 9.1=none 9.3=cee");
	assert_column(w, "dcbNeighborAddressOrigin", "5.2=none 9.1=portId 9.3=portId");
	assert_column(w, "dcbDcbxPortNeighbors", "3=0 5=1 9=2");
	assert_column(w, "dcbDcbxPortPeers", "3=0 5=1 9=0");
	assert_column(w, "dcbDcbxPortPeer", "3=0 5=2 9=0");
	assert_column(w, "dcbDcbxPortUpdates", "3=0 5=1 9=3");
	assert_column(w, "dcbDcbxPortMalformedPfc", "3=0 5=1 9=0");
	assert_column(w, "dcbDcbxPortMalformedCn", "3=0 5=0 9=0");
	assert_column(w, "dcbDcbxPortMismatch", "3=none 5=malformed 9=none");
	/* The same by GetNext. */
	assert_true(mo_world_next(w, MO_neighbor, &at));
	assert_int_equal(at.sub[0] * 10 + at.sub[1], 52);
	assert_true(mo_world_next(w, MO_neighbor, &at));
	assert_int_equal(at.sub[0] * 10 + at.sub[1], 91);
	at = (struct mo_index){2, {9, 2}};
	assert_true(mo_world_next(w, MO_neighbor, &at));
	assert_int_equal(at.sub[0] * 10 + at.sub[1], 93);
	assert_false(mo_world_next(w, MO_neighbor, &at));
	at = (struct mo_index){1, {6}};
	assert_true(mo_world_next(w, MO_neighbor, &at));
	assert_int_equal(at.sub[0] * 10 + at.sub[1], 91);
	mo_world_free(w);
}

/* The time mark is the uptime at the last change of the neighbor, as lldpV2RemTimeMark. */
static void test_time_mark_is_uptime_of_last_change(void **state)
{
	struct mo_world *w = world_new();
	struct dcb_time start = clock_now();
	struct lldp_remote r = neighbor("sw5", 1);
	char want[32];
	size_t n;

	(void)state;
	while (dcb_time_diff_ns(clock_now(), start) < 50 * DCB_NS_PER_MS)
		;
	hear(w, &r);
	snprintf(want, sizeof(want), "5.1=%u", lldp_ports_neighbors(w->m->lldp, &n)[0]->time_mark);
	assert_column(w, "dcbNeighborTimeMark", want);
	mo_world_free(w);
}

/* Counters of refused and aged neighbors, and of malformed TLVs of each type. */
static void test_refused_aged_and_malformed_are_counted(void **state)
{
	static const enum dcb_tlv tlvs[] = {DCB_TLV_CN,      DCB_TLV_ETS, DCB_TLV_ETS_RECO,
					    DCB_TLV_PFC,     DCB_TLV_APP, DCB_TLV_PFC_DELAY,
					    DCB_TLV_APP_VLAN};
	static const char *const objects[] = {
	    "dcbDcbxPortMalformedCn",     "dcbDcbxPortMalformedEts", "dcbDcbxPortMalformedReco",
	    "dcbDcbxPortMalformedPfc",    "dcbDcbxPortMalformedApp", "dcbDcbxPortMalformedDelay",
	    "dcbDcbxPortMalformedAppVlan"};
	struct mo_world *w = world_new();
	char want[32];

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(tlvs); i++) {
		struct lldp_remote r = neighbor("sw5", 1);

		memcpy(r.tlvs[0].oui, dcb_tlv_oui, sizeof(dcb_tlv_oui));
		r.tlvs[0].subtype = dcb_tlv_subtype(tlvs[i]);
		/* Shorter than the fields of the TLV, or than an entry of its table. */
		r.tlvs[0].len = tlvs[i] == DCB_TLV_APP ? 2 : 1;
		r.n_tlvs = 1;
		for (unsigned n = 0; n <= i; n++)
			hear(w, &r);
	}
	for (unsigned i = 0; i < UNIT_COUNT(tlvs); i++) {
		snprintf(want, sizeof(want), "3=0 5=%u 9=0", i + 1);
		assert_column(w, objects[i], want);
	}
	for (uint8_t i = 1; i <= LLDP_NEIGHBORS_MAX + 3; i++)
		hear(w, &(struct lldp_remote[]){neighbor("sw9", i)}[0]);
	assert_column(w, "dcbLldpNeighborsRefused", "0=3");
	lldp_ports_events.state(w->m->lldp, LLDP_CONNECTING);
	managed_run(w->m, dcb_time_add_ns(clock_now(), 121 * DCB_NS_PER_S));
	snprintf(want, sizeof(want), "0=%u", LLDP_NEIGHBORS_MAX + 1);
	assert_column(w, "dcbLldpAged", want);
	mo_world_free(w);
}

static void test_pfc_delay_is_converted_to_ns(void **state)
{
	static const struct {
		int64_t delay; /* 2^-16 ns */
		const char *ns;
	} delays[] = {{0, "5.1=0"},
		      {65535, "5.1=0"},
		      {65536, "5.1=1"},
		      {INT64_C(1000) << 16, "5.1=1000"},
		      {INT64_C(4294967295) << 16, "5.1=4294967295"},
		      {INT64_C(4294967296) << 16, "5.1=4294967295"}};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(delays); i++) {
		struct mo_world *w = world_new();
		struct dcb_tlvs tlvs = {.pfc_delay = delays[i].delay};
		struct lldp_remote r = neighbor("sw5", 1);

		says(&r, DCB_TLV_PFC_DELAY, &tlvs);
		hear(w, &r);
		assert_column(w, "dcbNeighborPfcDelay", delays[i].ns);
		mo_world_free(w);
	}
}

static void test_dcbx_objects_follow_the_neighbor(void **state)
{
	struct mo_world *w = world_new();
	struct dcb_tlvs tlvs = {.pfc = {.cap = 8, .enable = 0x28},
				.ets = {.willing = true, .max_tcs = 8}};
	struct lldp_remote r = neighbor("sw5", 1);
	struct dcb_config *config;
	struct dcbx_config *dcbx;

	(void)state;
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "5.3", "true"}), MO_NO_ERROR);
	dcbx = edit(w, 5, &config);
	dcbx->pfc_willing = true;
	dcbx->ets_willing = true;
	publish(w, config);
	/* A port that does not send the TLV is not willing. */
	assert_column(w, "dcbDcbxPortPfcWilling", "3=false 5=false 9=false");
	dcbx = edit(w, 5, &config);
	dcbx->tx_enable = 1u << DCB_TLV_PFC | 1u << DCB_TLV_ETS;
	publish(w, config);
	assert_column(w, "dcbDcbxPortPfcReason", "3=off 5=noPeer 9=off");
	assert_column(w, "dcbDcbxPortTlvsSent", "3=none 5=ets,pfc 9=none");
	says(&r, DCB_TLV_PFC, &tlvs);
	says(&r, DCB_TLV_ETS, &tlvs);
	hear(w, &r);
	assert_column(w, "dcbDcbxPortPfcReason", "3=off 5=taken 9=off");
	assert_column(w, "dcbDcbxPortPfcAdmin", "3=none 5=pri3 9=none");
	assert_column(w, "dcbDcbxPortPfcPeer", "3=none 5=pri3,pri5 9=none");
	assert_column(w, "dcbDcbxPortPfcInForce", "3=none 5=pri3,pri5 9=none");
	assert_column(w, "dcbDcbxPortPfcUntagged", "3=none 5=none 9=none");
	assert_column(w, "dcbDcbxPortPfcWilling", "3=false 5=true 9=false");
	assert_column(w, "dcbDcbxPortPfcPeerWilling", "3=false 5=false 9=false");
	assert_column(w, "dcbDcbxPortEtsWilling", "3=false 5=true 9=false");
	assert_column(w, "dcbDcbxPortEtsPeerWilling", "3=false 5=true 9=false");
	assert_column(w, "dcbDcbxPortEtsReason", "3=off 5=peerSilent 9=off");
	assert_column(w, "dcbDcbxPortChanges", "3=0 5=2 9=0"); /* the SET, and the neighbor */
	/* A second neighbor without DCBX TLVs does not count; with one, DCBX uses neither. */
	r = neighbor("sw5", 2);
	hear(w, &r);
	assert_column(w, "dcbDcbxPortPfcReason", "3=off 5=taken 9=off");
	assert_column(w, "dcbDcbxPortPeers", "3=0 5=1 9=0");
	assert_column(w, "dcbDcbxPortPeer", "3=0 5=1 9=0");
	says(&r, DCB_TLV_PFC, &tlvs);
	hear(w, &r);
	assert_column(w, "dcbDcbxPortPfcReason", "3=off 5=manyPeers 9=off");
	assert_column(w, "dcbDcbxPortPeers", "3=0 5=2 9=0");
	assert_column(w, "dcbDcbxPortPeer", "3=0 5=0 9=0");
	assert_column(w, "dcbDcbxPortMismatch", "3=none 5=peers 9=none");
	assert_column(w, "dcbDcbxPortPfcPeer", "3=none 5=none 9=none");
	assert_column(w, "dcbDcbxPortPfcInForce", "3=none 5=pri3 9=none");
	mo_world_free(w);
}

#define AUDIT_TWO_CLASSES "TC 0 (0-3) 40%, TC 1 (4-7) 60%"

/* The audit has a row for each feature of each port; these are of port sw5. */
static void assert_audit(struct mo_world *w, unsigned feature, const char *result,
			 const char *expected, const char *told)
{
	char index[16];

	snprintf(index, sizeof(index), "5.%u", feature);
	assert_value(w, "dcbDcbxAuditResult", index, result);
	assert_value(w, "dcbDcbxAuditExpected", index, expected);
	assert_value(w, "dcbDcbxAuditTold", index, told);
}

static void test_audit_compares_settings_with_the_neighbor(void **state)
{
	struct mo_world *w = world_new();
	struct dcb_tlvs tlvs = {
	    .cn = {.cnpv = 1 << 3},
	    .ets = {.max_tcs = 8, .tables = {{0, 0, 0, 0, 1, 1, 1, 1}, {40, 60}, {2, 2}}},
	    .reco = {{0, 0, 0, 0, 1, 1, 3, 3}, {40, 60}, {2, 255, 0, 1}},
	    .pfc = {.cap = 1, .enable = 0xe9},
	    .app = {.n = 3, .of = {{1, 3, 0x8906}, {2, 4, 3260}, {5, 1, 46}}},
	};
	struct lldp_remote r = neighbor("sw5", 1);
	struct dcb_config *config;
	struct dcbx_config *dcbx;

	(void)state;
	assert_column(w, "dcbDcbxAuditResult",
		      "3.1=notExpected 3.2=notExpected 3.3=notExpected 3.4=notExpected "
		      "3.5=notExpected 5.1=notExpected 5.2=notExpected 5.3=notExpected "
		      "5.4=notExpected 5.5=notExpected 9.1=notExpected 9.2=notExpected "
		      "9.3=notExpected 9.4=notExpected 9.5=notExpected");
	assert_audit(w, 1, "notExpected", "", "");
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "5.3", "true"},
			     {"dcbPfcPriorityEnable", "5.5", "true"},
			     {STATUS, "1.3", "createAndGo"}),
			 MO_NO_ERROR);
	dcbx = edit(w, 5, &config);
	dcbx->ets = tlvs.ets.tables;
	dcbx->tx_enable = 1u << DCB_TLV_ETS;
	dcbx->ets_willing = true;
	dcbx->n_apps = 2;
	memcpy(dcbx->apps, tlvs.app.of, 2 * sizeof(dcbx->apps[0]));
	publish(w, config);
	for (unsigned feature = 1; feature <= 5; feature++) {
		static const char *const expected[] = {"3,5", AUDIT_TWO_CLASSES, AUDIT_TWO_CLASSES,
						       "ethertype 0x8906:3, tcp 3260:4", "3"};

		assert_audit(w, feature, "noNeighbor", expected[feature - 1], "");
	}
	hear(w, &r);
	for (unsigned feature = 1; feature <= 5; feature++) {
		char index[16];

		snprintf(index, sizeof(index), "5.%u", feature);
		assert_value(w, "dcbDcbxAuditResult", index, "notTold");
	}
	for (enum dcb_tlv tlv = DCB_TLV_CN; tlv <= DCB_TLV_APP; tlv++)
		says(&r, tlv, &tlvs);
	hear(w, &r);
	assert_audit(w, 1, "mismatch", "3,5", "0,3,5-7, at most 1");
	assert_audit(w, 2, "match", AUDIT_TWO_CLASSES, AUDIT_TWO_CLASSES);
	assert_audit(w, 3, "mismatch", AUDIT_TWO_CLASSES,
		     "TC 0 (0-3) 40%, TC 1 (4-5) vendor, TC 3 (6-7) shaper");
	assert_audit(w, 4, "mismatch", "ethertype 0x8906:3, tcp 3260:4",
		     "ethertype 0x8906:3, tcp 3260:4, dscp 46:1");
	assert_audit(w, 5, "match", "3", "3");
	/* The neighbor is outside of the domain because the administrator says so. */
	assert_int_equal(SET(w, {"ieee8021CnPortPriDefModeChoice", "1.3.5", "cpcAdmin"},
			     {"ieee8021CnPortPriAdminDefenseMode", "1.3.5", "cptEdge"}),
			 MO_NO_ERROR);
	assert_audit(w, 5, "notExpected", "", "3");
	assert_value(w, "dcbDcbxAuditExpected", "3.5", "3");
	mo_world_free(w);
}

/* Objects can be read after a neighbor has gone and before its port is evaluated again. */
static void test_audit_is_read_before_a_lost_neighbor_is_evaluated(void **state)
{
	struct mo_world *w = world_new();
	struct dcb_tlvs tlvs = {.cn = {.cnpv = 1 << 3}, .pfc = {.cap = 8, .enable = 1 << 3}};
	struct lldp_remote r = neighbor("sw5", 1), other = neighbor("sw5", 2);

	(void)state;
	assert_int_equal(
	    SET(w, {"dcbPfcPriorityEnable", "5.3", "true"}, {STATUS, "1.3", "createAndGo"}),
	    MO_NO_ERROR);
	says(&r, DCB_TLV_CN, &tlvs);
	says(&r, DCB_TLV_PFC, &tlvs);
	hear(w, &r);
	hear(w, &other);
	assert_audit(w, 1, "match", "3", "3");
	assert_audit(w, 5, "manyNeighbors", "3", "");
	lldp_ports_events.gone(w->m->lldp, &other);
	assert_audit(w, 5, "match", "3", "3");
	assert_value(w, "dcbDcbxPortNeighbors", "5", "1");
	run(w);
	lldp_ports_events.gone(w->m->lldp, &r);
	assert_audit(w, 1, "noNeighbor", "3", "");
	assert_audit(w, 5, "noNeighbor", "3", "");
	assert_value(w, "dcbDcbxPortNeighbors", "5", "0");
	assert_value(w, "dcbDcbxPortPeers", "5", "0");
	assert_value(w, "dcbDcbxPortPeer", "5", "0");
	mo_world_free(w);
}

/* A text has at most 255 octets. */
static void test_audit_cuts_long_texts(void **state)
{
	struct mo_world *w = world_new();
	struct dcb_tlvs tlvs = {.app = {.n = DCBX_APPS_MAX + 1}};
	struct lldp_remote r = neighbor("sw5", 1);
	struct dcb_config *config;
	struct dcbx_config *dcbx = edit(w, 5, &config);
	char text[512];

	(void)state;
	for (unsigned i = 0; i < tlvs.app.n; i++)
		tlvs.app.of[i] = (struct app_priority){1, 7, (uint16_t)(0xff00 + i)};
	dcbx->n_apps = DCBX_APPS_MAX;
	memcpy(dcbx->apps, tlvs.app.of, sizeof(dcbx->apps));
	publish(w, config);
	says(&r, DCB_TLV_APP, &tlvs);
	hear(w, &r);
	assert_value(w, "dcbDcbxAuditResult", "5.4", "mismatch");
	mo_world_column(w, "dcbDcbxAuditTold", text, sizeof(text));
	assert_non_null(strstr(text, "5.4=ethertype 0xff00:7, ethertype 0xff01:7, "));
	assert_non_null(strstr(text, ":7, ... 5.5="));
	mo_world_free(w);
}

static void test_cn_port_objects_follow_the_neighbor(void **state)
{
	struct mo_world *w = world_new();
	struct dcb_tlvs tlvs = {.cn = {.cnpv = 1 << 3, .ready = 0}};
	struct lldp_remote r = neighbor("sw5", 1);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {STATUS, "1.4", "createAndGo"}),
			 MO_NO_ERROR);
	says(&r, DCB_TLV_CN, &tlvs);
	hear(w, &r);
	assert_column(w, "dcbCnPortState",
		      "1.3.3=edge 1.3.5=interior 1.3.9=edge 1.4.3=edge 1.4.5=edge 1.4.9=edge");
	assert_column(w, "dcbCnPortDefenseMode",
		      "1.3.3=cptEdge 1.3.5=cptInterior 1.3.9=cptEdge "
		      "1.4.3=cptEdge 1.4.5=cptEdge 1.4.9=cptEdge");
	assert_column(w, "dcbCnPortAlternatePriority",
		      "1.3.3=2 1.3.5=2 1.3.9=2 1.4.3=2 1.4.5=2 1.4.9=2");
	assert_column(w, "dcbCnPortLldpInstance",
		      "1.3.3=1 1.3.5=1 1.3.9=1 1.4.3=1 1.4.5=1 1.4.9=1");
	assert_column(w, "dcbCnPortRcvdCnpv",
		      "1.3.3=false 1.3.5=true 1.3.9=false 1.4.3=false 1.4.5=false 1.4.9=false");
	assert_column(w, "dcbCnPortXmitCnpvCapable",
		      "1.3.3=true 1.3.5=true 1.3.9=true 1.4.3=true 1.4.5=true 1.4.9=true");
	assert_column(w, "dcbCnPortXmitReady",
		      "1.3.3=false 1.3.5=true 1.3.9=false 1.4.3=false 1.4.5=false 1.4.9=false");
	assert_column(w, "dcbCnPortModeChanges", "1.3.3=0 1.3.5=1 1.3.9=0 1.4.3=0 1.4.5=0 1.4.9=0");
	/* The neighbor has priority 3, so frames to it keep a VLAN tag. */
	assert_column(w, "dcbCnPortUntagged",
		      "1.3.3=true 1.3.5=false 1.3.9=true 1.4.3=true 1.4.5=true 1.4.9=true");
	/* As all ports have with pvid_tagged, and the ports of stations. */
	w->m->config->ports[0].port->settings.pvid_tagged = true;
	assert_column(w, "dcbCnPortUntagged",
		      "1.3.3=false 1.3.5=false 1.3.9=true 1.4.3=false 1.4.5=true 1.4.9=true");
	w->m->config->ports[0].port->settings.pvid_tagged = false;
	w->m->config->ports[0].port->has |= PROVIDER_RP; /* also beside ports of a bridge */
	assert_column(w, "dcbCnPortUntagged",
		      "1.3.3=false 1.3.5=false 1.3.9=true 1.4.3=false 1.4.5=true 1.4.9=true");
	w->m->config->ports[0].port->has &= ~(uint32_t)PROVIDER_RP;
	tlvs.cn.ready = 1 << 3;
	r.n_tlvs = 0;
	says(&r, DCB_TLV_CN, &tlvs);
	hear(w, &r);
	assert_int_equal(SET(w, {"ieee8021CnPortPriLldpInstanceChoice", "1.4.5", "cnlNone"},
			     {"ieee8021CnPortPriDefModeChoice", "1.4.9", "cpcAdmin"},
			     {"ieee8021CnPortPriAdminDefenseMode", "1.4.9", "cptInterior"},
			     {"ieee8021CnPortPriAlternatePriority", "1.4.9", "6"}),
			 MO_NO_ERROR);
	assert_column(w, "dcbCnPortState",
		      "1.3.3=edge 1.3.5=interiorReady 1.3.9=edge "
		      "1.4.3=edge 1.4.5=edge 1.4.9=disabled");
	assert_column(w, "dcbCnPortRcvdReady",
		      "1.3.3=false 1.3.5=true 1.3.9=false 1.4.3=false 1.4.5=false 1.4.9=false");
	assert_column(w, "dcbCnPortIsAdmin",
		      "1.3.3=false 1.3.5=false 1.3.9=false 1.4.3=false 1.4.5=false 1.4.9=true");
	assert_column(w, "dcbCnPortDefenseMode",
		      "1.3.3=cptEdge 1.3.5=cptInteriorReady 1.3.9=cptEdge "
		      "1.4.3=cptEdge 1.4.5=cptEdge 1.4.9=cptInterior");
	assert_column(w, "dcbCnPortAlternatePriority",
		      "1.3.3=2 1.3.5=2 1.3.9=2 1.4.3=2 1.4.5=2 1.4.9=6");
	assert_column(w, "dcbCnPortLldpInstance",
		      "1.3.3=1 1.3.5=1 1.3.9=1 1.4.3=1 1.4.5=0 1.4.9=1");
	mo_world_free(w);
}

static void test_application_priorities_are_shown(void **state)
{
	struct mo_world *w = world_new();
	struct dcb_config *config;
	struct dcbx_config *dcbx;
	struct mo_index at = {3, {5, 1, 0x8906}};

	(void)state;
	dcbx = edit(w, 5, &config);
	dcbx->n_apps = 3;
	dcbx->apps[0] = (struct app_priority){1, 3, 0x8906};
	dcbx->apps[1] = (struct app_priority){1, 4, 0x8914};
	dcbx->apps[2] = (struct app_priority){4, 5, 3260};
	dcbx = &dcb_config_edit_port(config, 2)->dcbx;
	dcbx->n_apps = 1;
	dcbx->apps[0] = (struct app_priority){5, 6, 0};
	publish(w, config);
	assert_column(w, "dcbDcbxAppPriority", "5.1.35078=3 5.1.35092=4 5.4.3260=5 9.5.0=6");
	assert_column(w, "dcbDcbxAppRowStatus",
		      "5.1.35078=active 5.1.35092=active 5.4.3260=active 9.5.0=active");
	assert_true(mo_world_next(w, MO_dcbx_app, &at));
	assert_int_equal(at.sub[2], 0x8914);
	at = (struct mo_index){2, {5, 5}};
	assert_true(mo_world_next(w, MO_dcbx_app, &at));
	assert_int_equal(at.sub[0], 9);
	assert_false(mo_world_next(w, MO_dcbx_app, &at));
	at = (struct mo_index){3, {5, 3, 65535}};
	assert_true(mo_world_next(w, MO_dcbx_app, &at));
	assert_int_equal(at.sub[1], 4);
	mo_world_free(w);
}

#define APP_PRIORITY "lldpXdot1dcbxAdminApplicationPriorityAEPriority"
#define APP_STATUS   "dcbDcbxAppRowStatus"

/* dcbDcbxAppTable deletes the rows that the Admin table creates (RFC 2579, RowStatus). */
static void test_app_row_status_deletes_rows(void **state)
{
	struct mo_world *w = world_new();

	(void)state;
	assert_int_equal(SET(w, {APP_PRIORITY, "5.1.35078", "3"}), MO_NO_ERROR);
	/* The order of varbinds does not matter. */
	assert_int_equal(SET(w, {APP_STATUS, "5.4.3260", "createAndGo"},
			     {APP_PRIORITY, "5.4.3260", "4"}, {APP_PRIORITY, "9.5.0", "6"},
			     {APP_STATUS, "9.5.0", "createAndGo"}),
			 MO_NO_ERROR);
	assert_column(w, "dcbDcbxAppPriority", "5.1.35078=3 5.4.3260=4 9.5.0=6");
	assert_int_equal(SET(w, {APP_STATUS, "5.1.35078", "createAndGo"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {APP_STATUS, "5.1.1", "createAndGo"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {APP_STATUS, "5.1.1", "createAndWait"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {APP_STATUS, "5.1.1", "active"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {APP_STATUS, "5.1.35078", "notInService"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {APP_STATUS, "5.1.35078", "notReady"}), MO_WRONG_VALUE);
	assert_int_equal(SET(w, {APP_STATUS, "4.1.35078", "destroy"}), MO_INCONSISTENT_NAME);
	assert_int_equal(SET(w, {APP_STATUS, "5.6.1", "destroy"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {"dcbDcbxAppPriority", "5.1.35078", "5"}), MO_NOT_WRITABLE);
	assert_int_equal(SET(w, {APP_STATUS, "5.1.35078", "active"}), MO_NO_ERROR);
	assert_column(w, "dcbDcbxAppPriority", "5.1.35078=3 5.4.3260=4 9.5.0=6");
	/* If one varbind fails, none is applied. */
	assert_int_equal(
	    SET(w, {APP_STATUS, "5.4.3260", "destroy"}, {APP_STATUS, "9.1.1", "active"}),
	    MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	assert_int_equal(SET(w, {APP_STATUS, "5.4.3260", "destroy"},
			     {APP_STATUS, "9.5.0", "destroy"}, {APP_STATUS, "5.2.80", "destroy"}),
			 MO_NO_ERROR);
	assert_column(w, "dcbDcbxAppPriority", "5.1.35078=3");
	/* The state file does not have deleted rows. */
	mo_world_restart(w);
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_add_port(w, 9, "sw9", "");
	mo_world_load(w);
	assert_column(w, "dcbDcbxAppPriority", "5.1.35078=3");
	mo_world_free(w);
}

/* With random neighbors coming and going, each walk is in order and complete. */
static void test_walk_is_in_order_with_random_neighbors(void **state)
{
	static const char *const ports[] = {"sw3", "sw5", "sw9"};
	struct mo_world *w = world_new();
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 0);
	for (unsigned i = 0; i < 2000; i++) {
		struct mo_index at = {0}, before = {0};
		struct lldp_remote r = neighbor(ports[dcb_rng_uniform(&rng, 0, 2)],
						(uint8_t)dcb_rng_uniform(&rng, 0, 40));
		unsigned n = 0;
		size_t all;

		if (dcb_rng_uniform(&rng, 0, 2) == 0)
			lldp_ports_events.gone(w->m->lldp, &r);
		else
			lldp_ports_events.remote(w->m->lldp, &r);
		run(w);
		lldp_ports_neighbors(w->m->lldp, &all);
		for (; mo_world_next(w, MO_neighbor, &at); n++, before = at)
			assert_true(mo_index_compare(&before, &at) < 0);
		assert_int_equal(n, all);
	}
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_neighbors),
	    cmocka_unit_test(test_lldp_client_counters_are_shown),
	    cmocka_unit_test(test_neighbors_are_sorted_by_port_and_number),
	    cmocka_unit_test(test_time_mark_is_uptime_of_last_change),
	    cmocka_unit_test(test_refused_aged_and_malformed_are_counted),
	    cmocka_unit_test(test_pfc_delay_is_converted_to_ns),
	    cmocka_unit_test(test_dcbx_objects_follow_the_neighbor),
	    cmocka_unit_test(test_audit_compares_settings_with_the_neighbor),
	    cmocka_unit_test(test_audit_is_read_before_a_lost_neighbor_is_evaluated),
	    cmocka_unit_test(test_audit_cuts_long_texts),
	    cmocka_unit_test(test_cn_port_objects_follow_the_neighbor),
	    cmocka_unit_test(test_application_priorities_are_shown),
	    cmocka_unit_test(test_app_row_status_deletes_rows),
	    cmocka_unit_test(test_walk_is_in_order_with_random_neighbors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
