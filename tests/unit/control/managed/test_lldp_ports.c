/* SPDX-License-Identifier: BSD-3-Clause */
/* TLVs of ports, links and interfaces: with an LLDP client that records calls. */
#include <stdlib.h>

#include "control/managed/lldp_ports_private.h"
#include "tests/unit/control/managed/lldp_world.h"
#include "tests/unit/lldp_remote.h"
#include "tests/unit/mo_world.h"

/* --- links, interfaces, LLDP agent ----------------------------------------------------- */

/* Without link a port has no neighbor, also while the agent still reports one. */
static void test_port_without_link_has_no_neighbor(void **state)
{
	struct world *w = world_new();
	struct link_info link = mo_world_link(5, "sw5", "uplink");

	(void)state;
	make_cnpv(w);
	hear_cn(w, "sw5", 9, BIT, BIT);
	link.up = false;
	update(w, &link);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	link.up = true;
	update(w, &link);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	world_free(w);
}

/* When a link comes up, refresh() is called, of ports without TLVs too: lldpd may hold them. */
static void test_link_up_calls_refresh(void **state)
{
	struct world *w = world_new();
	struct link_info link = mo_world_link(5, "sw5", "uplink"), silent;
	unsigned at_start;

	(void)state;
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	at_start = w->agent.refreshes;
	link.up = false;
	update(w, &link);
	assert_int_equal(w->agent.refreshes, at_start);
	link.up = true;
	update(w, &link);
	assert_int_equal(w->agent.refreshes, at_start + 1);
	assert_string_equal(w->agent.ifname, "sw5");
	update(w, &link);
	assert_int_equal(w->agent.refreshes, at_start + 1);
	silent = mo_world_link(3, "sw3", "");
	silent.up = false;
	update(w, &silent);
	silent.up = true;
	update(w, &silent);
	assert_int_equal(w->agent.refreshes, at_start + 2);
	assert_string_equal(w->agent.ifname, "sw3");
	world_free(w);
}

/* A changed MTU is given to the client, as the length of the LLDP frame depends on it. */
static void test_changed_mtu_is_set(void **state)
{
	struct world *w = world_new();
	struct link_info link = mo_world_link(5, "sw5", "uplink");
	unsigned sets;

	(void)state;
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	sets = w->agent.sets;
	link.mtu = 9000;
	update(w, &link);
	assert_int_equal(w->agent.sets, sets + 1);
	assert_int_equal(w->agent.mtu, 9000);
	run(w);
	assert_int_equal(w->agent.sets, sets + 1);
	world_free(w);
}

/* forget() is called once when the last TLV goes, and not for a port that never had one. */
static void test_last_tlv_removed_calls_forget(void **state)
{
	struct world *w = world_new();
	struct link_info link = mo_world_link(3, "lan5", "");

	(void)state;
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	send_tlvs(w, 5, 0);
	assert_int_equal(w->agent.forgets, 1);
	assert_string_equal(w->agent.ifname, "sw5");
	update(w, &link); /* sw3 is renamed; it has no TLVs */
	assert_true(managed_port_remove(w->mo->m, managed_find(w->mo->m, 5)));
	assert_int_equal(w->agent.forgets, 1);
	world_free(w);
}

static void test_new_port_replays_neighbors(void **state)
{
	struct world *w = world_new();

	(void)state;
	w->agent.expects_recent = true;
	mo_world_add_port(w->mo, 12, "sw12", "");
	assert_int_equal(w->agent.replays, 1);
	run(w);
	assert_int_equal(w->agent.replays, 1);
	world_free(w);
}

/* An interface that a reload selects was there before, and so were its neighbors. */
static void test_port_of_old_interface_replays_all_neighbors(void **state)
{
	struct world *w = world_new();

	(void)state;
	w->agent.expects_recent = true;
	w->agent.replayed = "sw5";
	mo_world_add_port(w->mo, 5, "sw5", "");
	w->agent.expects_recent = false;
	w->agent.replays = 0;
	lldp_ports_replay(w->mo->m->lldp, w->mo->m->config->ports[managed_find(w->mo->m, 5)].port);
	assert_int_equal(w->agent.replays, 1);
	world_free(w);
}

/* A client that is set later gets the TLVs of the ports. */
static void test_late_client_gets_tlvs(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	(void)state;
	w->mo = mo_world_new(ROLE_BRIDGE);
	w->lp = w->mo->m->lldp;
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	w->agent.client.ops = &agent_ops;
	lldp_ports_use(w->lp, &w->agent.client, agent_wake, &w->agent);
	assert_true(w->agent.wakes > 0);
	run(w);
	assert_int_equal(w->agent.sets, 1);
	assert_string_equal(w->agent.ifname, "sw5");
	assert_int_equal(w->agent.tlvs.present, 1u << DCB_TLV_PFC);
	world_free(w);
}

/* A client that keeps no TLVs reads them at any time: those in force, not those of a change that
 * can fail. */
static void test_tlvs_in_force_are_read_during_a_change(void **state)
{
	struct world *w = world_new();
	struct lldp_tlv tlvs[LLDP_TLVS_MAX];
	struct dcb_config *config;
	uint32_t mtu;

	(void)state;
	assert_int_equal(lldp_ports_events.tlvs(w->lp, "sw5", tlvs, &mtu), 0);
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	assert_int_equal(lldp_ports_events.tlvs(w->lp, "sw5", tlvs, &mtu), 1);
	assert_int_equal(tlvs[0].subtype, dcb_tlv_subtype(DCB_TLV_PFC));
	assert_int_equal(mtu, port_at(w, 5)->port->link.mtu);
	edit(w, 5, &config)->dcbx.tx_enable = 0;
	state_change_begin(w->mo->m->lock);
	assert_true(lldp_ports_compute_oper(w->lp, w->mo->m->config, config));
	assert_int_equal(lldp_at(w, 5)->sent->present, 0);
	assert_int_equal(lldp_ports_events.tlvs(w->lp, "sw5", tlvs, &mtu), 1);
	lldp_ports_aborted(w->lp);
	state_change_end(w->mo->m->lock);
	dcb_config_free(config);
	assert_int_equal(lldp_ports_events.tlvs(w->lp, "sw5", tlvs, &mtu), 1);
	assert_int_equal(lldp_ports_events.tlvs(w->lp, "none", tlvs, &mtu), 0);
	world_free(w);
}

static void assert_woken(struct world *w)
{
	assert_true(w->agent.wakes > 0);
	run(w);
	w->agent.wakes = 0;
}

/* Each change calls the owner's wake(); one of an interface that is no port does not. */
static void test_each_change_wakes(void **state)
{
	struct dcb_tlvs tlvs = {.cn = {BIT, BIT}};
	struct world *w = world_new();
	struct link_info link = mo_world_link(5, "sw5", "uplink");
	struct lldp_remote r = neighbor("sw5", 9), other = neighbor("eth0", 9);

	(void)state;
	assert_woken(w);
	says(&r, DCB_TLV_CN, &tlvs);
	lldp_ports_events.remote(w->lp, &r);
	assert_woken(w);
	lldp_ports_events.remote(w->lp, &other);
	lldp_ports_events.gone(w->lp, &other);
	assert_int_equal(w->agent.wakes, 0);
	lldp_ports_events.gone(w->lp, &r);
	assert_woken(w);
	lldp_ports_events.gone(w->lp, &r);
	assert_int_equal(w->agent.wakes, 0);
	managed_port_update(w->mo->m, managed_find(w->mo->m, 5), &link);
	assert_woken(w);
	lldp_ports_events.state(w->lp, LLDP_CONNECTING);
	assert_woken(w);
	lldp_ports_events.all_reported(w->lp);
	assert_woken(w);
	world_free(w);
}

static void test_rename_and_removal_drop_neighbors(void **state)
{
	struct world *w = world_new();
	struct link_info link = mo_world_link(5, "lan5", "uplink");
	size_t n;

	(void)state;
	make_cnpv(w);
	send_tlvs(w, 5, 1u << DCB_TLV_CN);
	hear_cn(w, "sw5", 9, BIT, BIT);
	update(w, &link);
	assert_int_equal(w->agent.forgets, 1);
	assert_string_equal(w->agent.ifname, "lan5");
	assert_int_equal(w->agent.replays,
			 1); /* neighbors may have been reported under the new name */
	assert_int_equal(mode(w, 5), CPT_EDGE);
	hear_cn(w, "sw5", 9, BIT, BIT); /* no port has this name any more */
	assert_int_equal(mode(w, 5), CPT_EDGE);
	hear_cn(w, "lan5", 9, BIT, BIT);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	assert_true(managed_port_remove(w->mo->m, managed_find(w->mo->m, 5)));
	assert_int_equal(w->agent.forgets, 2);
	lldp_ports_neighbors(w->lp, &n);
	assert_int_equal(n, 0);
	world_free(w);
}

/* --- memory of thousands of ports ------------------------------------------------------ */

static void test_state_of_a_port_is_small(void **state)
{
	(void)state;
	print_message("struct lldp_tracked: %zu octets\n", sizeof(struct lldp_tracked));
	assert_true(sizeof(struct lldp_tracked) <= 544);
}

/* Also after a change, its undo, and a neighbor that comes and goes. */
static void test_ports_share_equal_tlvs(void **state)
{
	struct world *w = world_new();
	const struct dcb_tlvs *both = lldp_at(w, 3)->sent;
	struct dcb_config *config;
	struct provider_refusal why;

	(void)state;
	assert_ptr_equal(lldp_at(w, 5)->sent, both);
	edit(w, 5, &config)->dcbx.pfc_willing = true;
	assert_true(managed_prepare(w->mo->m, config, &why));
	assert_ptr_not_equal(lldp_at(w, 5)->sent, both);
	managed_abort(w->mo->m);
	assert_ptr_equal(lldp_at(w, 5)->sent, both);

	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	assert_int_equal(lldp_at(w, 5)->sent->present, 1u << DCB_TLV_PFC);
	assert_int_equal(lldp_at(w, 3)->sent->present, 0);
	send_tlvs(w, 3, 1u << DCB_TLV_PFC);
	assert_ptr_equal(lldp_at(w, 5)->sent, lldp_at(w, 3)->sent);
	edit(w, 5, &config)->dcbx.pfc_willing = true;
	publish(w, config);
	assert_true(lldp_at(w, 5)->sent->pfc.willing);
	assert_false(lldp_at(w, 3)->sent->pfc.willing);
	hear_pfc(w, "sw5", 9, false, 0x02);
	assert_int_equal(lldp_at(w, 5)->sent->pfc.enable, 0x02);
	assert_int_equal(lldp_at(w, 3)->sent->pfc.enable, 0);
	leave(w, "sw5", 9);
	edit(w, 5, &config)->dcbx.pfc_willing = false;
	publish(w, config);
	assert_ptr_equal(lldp_at(w, 5)->sent, lldp_at(w, 3)->sent);
	world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_state_of_a_port_is_small),
	    cmocka_unit_test(test_ports_share_equal_tlvs),
	    cmocka_unit_test(test_port_without_link_has_no_neighbor),
	    cmocka_unit_test(test_link_up_calls_refresh),
	    cmocka_unit_test(test_changed_mtu_is_set),
	    cmocka_unit_test(test_last_tlv_removed_calls_forget),
	    cmocka_unit_test(test_new_port_replays_neighbors),
	    cmocka_unit_test(test_port_of_old_interface_replays_all_neighbors),
	    cmocka_unit_test(test_late_client_gets_tlvs),
	    cmocka_unit_test(test_tlvs_in_force_are_read_during_a_change),
	    cmocka_unit_test(test_each_change_wakes),
	    cmocka_unit_test(test_rename_and_removal_drop_neighbors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
