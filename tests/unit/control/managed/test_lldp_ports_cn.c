/* SPDX-License-Identifier: BSD-3-Clause */
/* Congestion notification domains: the defense mode of ports follows the CN TLVs of neighbors. */
#include "tests/unit/control/managed/lldp_world.h"
#include "tests/unit/lldp_remote.h"
#include "tests/unit/mo_world.h"

static void test_defense_mode_follows_cn_tlv(void **state)
{
	struct world *w = world_new();
	unsigned sets;

	(void)state;
	make_cnpv(w);
	assert_int_equal(w->agent.sets, 0); /* transmission of the CN TLV is disabled by default */
	send_tlvs(w, 5, 1u << DCB_TLV_CN);
	assert_int_equal(w->agent.sets, 1);
	assert_string_equal(w->agent.ifname, "sw5");
	assert_int_equal(w->agent.tlvs.present, 1u << DCB_TLV_CN);
	assert_int_equal(w->agent.tlvs.cn.cnpv, BIT);
	assert_int_equal(w->agent.tlvs.cn.ready, 0);
	assert_int_equal(w->agent.mtu, 1500);
	assert_int_equal(mode(w, 5), CPT_EDGE);

	hear_cn(w, "sw5", 9, BIT | 0x80, 0x80); /* priority 7 is no CNPV */
	assert_int_equal(mode(w, 5), CPT_INTERIOR);
	assert_int_equal(mode(w, 3), CPT_EDGE);
	assert_int_equal(w->agent.tlvs.cn.ready, BIT);
	assert_int_equal(lldp_at(w, 5)->rcvd.cnpv, BIT);
	assert_int_equal(lldp_at(w, 5)->rcvd.ready, 0);

	sets = w->agent.sets;
	hear_cn(w, "sw5", 9, BIT, BIT);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	assert_int_equal(w->agent.sets, sets); /* the port's TLVs have not changed */
	assert_int_equal(lldp_at(w, 5)->mode_changes[CNPV], 2);

	leave(w, "sw5", 9);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	assert_int_equal(w->agent.tlvs.cn.ready, 0);
	world_free(w);
}

/* A neighbor's change without effect on the port publishes no configuration. */
static void test_change_without_effect_publishes_nothing(void **state)
{
	struct world *w = world_new();
	uint64_t generation;
	unsigned sets;

	(void)state;
	make_cnpv(w);
	send_tlvs(w, 5, 1u << DCB_TLV_CN);
	hear_cn(w, "sw5", 9, BIT, BIT);
	generation = w->mo->m->config->generation;
	sets = w->agent.sets;
	hear_cn(w, "sw5", 9, BIT | 1, BIT | 1); /* priority 0 is no CNPV */
	assert_int_equal(w->mo->m->config->generation, generation);
	assert_int_equal(w->agent.sets, sets);
	assert_int_equal(lldp_at(w, 5)->updates, 2);
	world_free(w);
}

static void test_two_neighbors_are_an_edge(void **state)
{
	struct world *w = world_new();

	(void)state;
	make_cnpv(w);
	hear_cn(w, "sw5", 9, BIT, BIT);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	hear_cn(w, "sw5", 8, BIT, BIT);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	assert_int_equal(lldp_at(w, 5)->n_neighbors, 2);
	assert_null(lldp_at(w, 5)->peer);
	leave(w, "sw5", 9);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	assert_int_equal(lldp_at(w, 5)->peer->address[5], 8);
	world_free(w);
}

/* With an LLDP instance that is not in use the CN TLV is empty, and received ones are ignored. */
static void test_unused_lldp_instance_ignores_cn_tlv(void **state)
{
	struct world *w = world_new();
	struct dcb_config *config;
	struct port_config *pc;

	(void)state;
	make_cnpv(w);
	send_tlvs(w, 5, 1u << DCB_TLV_CN);
	hear_cn(w, "sw5", 9, BIT, BIT);
	pc = edit(w, 5, &config);
	pc->port_pri[CNPV].cnpd_lldp_instance_choice = CNL_ADMIN; /* its selector is 3 */
	publish(w, config);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	assert_int_equal(w->agent.tlvs.present, 1u << DCB_TLV_CN);
	assert_int_equal(w->agent.tlvs.cn.cnpv, 0);
	pc = edit(w, 5, &config);
	pc->port_pri[CNPV].cnpd_lldp_instance_selector = LLDP_DESTINATION_NEAREST_BRIDGE;
	publish(w, config);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	world_free(w);
}

static void test_master_enable_disables_defense(void **state)
{
	struct world *w = world_new();

	(void)state;
	make_cnpv(w);
	hear_cn(w, "sw5", 9, BIT, BIT);
	assert_int_equal(SET(w->mo, {"ieee8021CnGlobalMasterEnable", "1", "false"}), MO_NO_ERROR);
	assert_int_equal(lldp_at(w, 5)->cnd[CNPV].state, CNDD_DISABLED);
	assert_int_equal(SET(w->mo, {"ieee8021CnGlobalMasterEnable", "1", "true"}), MO_NO_ERROR);
	assert_int_equal(lldp_at(w, 5)->cnd[CNPV].state, CNDD_INTERIOR_READY);
	world_free(w);
}

static void test_malformed_tlv_is_counted(void **state)
{
	struct world *w = world_new();
	struct lldp_remote r = neighbor("sw5", 9);
	struct dcb_tlvs tlvs = {.cn = {BIT, BIT}};

	(void)state;
	make_cnpv(w);
	says(&r, DCB_TLV_CN, &tlvs);
	r.tlvs[0].len = 1;
	report(w, &r);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	assert_int_equal(lldp_at(w, 5)->malformed[DCB_TLV_CN], 1);
	assert_int_equal(lldp_at(w, 5)->malformed[DCB_TLV_PFC], 0);
	world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_defense_mode_follows_cn_tlv),
	    cmocka_unit_test(test_change_without_effect_publishes_nothing),
	    cmocka_unit_test(test_two_neighbors_are_an_edge),
	    cmocka_unit_test(test_unused_lldp_instance_ignores_cn_tlv),
	    cmocka_unit_test(test_master_enable_disables_defense),
	    cmocka_unit_test(test_malformed_tlv_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
