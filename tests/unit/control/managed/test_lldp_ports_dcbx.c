/* SPDX-License-Identifier: BSD-3-Clause */
/* DCBX: the neighbor whose TLVs count, and the settings that a port takes from it. */
#include "lib/clock.h"
#include "control/managed/lldp_ports_private.h"
#include "dataplane/config/dcbx_config.h"
#include "tests/unit/control/managed/lldp_world.h"
#include "tests/unit/lldp_remote.h"
#include "tests/unit/mo_world.h"

/* PFC is agreed for the priorities that both ends have in force, whichever end is willing. */
static void test_pfc_is_agreed_where_neighbor_has_it(void **state)
{
	struct world *w = world_new();
	struct dcb_config *config;
	struct port_config *port = edit(w, 5, &config);

	(void)state;
	port->pfc.enable = 0x0a;
	port->dcbx = (struct dcbx_config){.tx_enable = 1u << DCB_TLV_PFC};
	publish(w, config);
	assert_int_equal(port_at(w, 5)->oper.pfc_agreed, 0);
	hear_pfc(w, "sw5", 9, false, 0x22);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x0a);
	assert_int_equal(port_at(w, 5)->oper.pfc_agreed, 0x02);
	port = edit(w, 5, &config);
	port->dcbx.pfc_willing = true;
	publish(w, config);
	assert_int_equal(port_at(w, 5)->oper.pfc_agreed, 0x22);
	leave(w, "sw5", 9);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x0a);
	assert_int_equal(port_at(w, 5)->oper.pfc_agreed, 0);
	world_free(w);
}

static void test_willing_port_takes_pfc(void **state)
{
	struct world *w = world_new();
	struct dcb_config *config;
	struct port_config *pc;

	(void)state;
	pc = edit(w, 5, &config);
	pc->pfc.enable = 0x01;
	pc->dcbx.tx_enable = 1u << DCB_TLV_PFC;
	pc->dcbx.pfc_willing = true;
	publish(w, config);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x01);
	assert_int_equal(w->agent.tlvs.pfc.enable, 0x01);
	hear_pfc(w, "sw5", 9, false, 0x18);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x18);
	assert_int_equal(w->agent.tlvs.pfc.enable, 0x18);
	assert_true(w->agent.tlvs.pfc.willing);
	assert_int_equal(port_at(w, 5)->config->pfc.enable, 0x01);
	assert_int_equal(lldp_at(w, 5)->dcbx.mismatch, 0);
	assert_int_equal(port_at(w, 3)->oper.pfc_enable, 0);
	leave(w, "sw5", 9);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x01);
	assert_int_equal(lldp_at(w, 5)->dcbx_changes, 3); /* set, from neighbor, own again */
	world_free(w);
}

static void hear_apps(struct world *w, const struct app_tlv *apps)
{
	hear(w, "sw5", 9, DCB_TLV_APP, &(struct dcb_tlvs){.app = *apps});
}

/* Returns the priority of a TCP port by the application priorities in force on port 5. */
static unsigned tcp_priority(struct world *w, uint16_t port)
{
	const struct flow_keys keys = {
	    .ethertype = 0x0800, .protocol = 6, .port = port, .is_ip = true, .has_ports = true};
	const struct dcb_config_port *at = port_at(w, 5);
	struct app_map map;

	port_app_map(&map, at->config, at->peer_apps);
	return app_map_find(&map, &keys);
}

#define APP(party) "lldpXdot1dcbx" party "ApplicationPriorityAEPriority"

static void test_willing_port_takes_application_priorities(void **state)
{
	const struct app_tlv apps = {.n = 2, .of = {{APP_TCP, 4, 3260}, {APP_DSCP, 6, 48}}};
	struct world *w = world_new();
	const struct peer_apps *taken;
	struct dcb_config *config;
	struct port_config *pc;
	uint64_t generation;

	(void)state;
	pc = edit(w, 5, &config);
	pc->dcbx.tx_enable = 1u << DCB_TLV_PFC | 1u << DCB_TLV_APP;
	pc->dcbx.n_apps = 1;
	pc->dcbx.apps[0] = (struct app_priority){APP_TCP, 5, 80};
	publish(w, config);
	hear_apps(w, &apps);
	assert_null(port_at(w, 5)->peer_apps); /* not willing */
	assert_int_equal(tcp_priority(w, 80), 5);
	assert_int_equal(w->agent.tlvs.app.of[0].protocol, 80);
	edit(w, 5, &config)->dcbx.pfc_willing = true;
	publish(w, config);
	taken = port_at(w, 5)->peer_apps;
	assert_non_null(taken);
	assert_int_equal(tcp_priority(w, 3260), 4);
	assert_int_equal(tcp_priority(w, 80), APP_NONE);
	assert_int_equal(w->agent.tlvs.app.n, 2); /* those in force, as for PFC */
	assert_column(w->mo, APP("Loc"), "5.2.3260=4 5.5.48=6");
	assert_column(w->mo, APP("Admin"), "5.2.80=5");
	assert_column(w->mo, "dcbDcbxAppPriority", "5.2.80=5");
	/* A change of another port, or the same TLV again, changes nothing here. */
	edit(w, 3, &config)->pfc.enable = 1;
	publish(w, config);
	assert_ptr_equal(port_at(w, 5)->peer_apps, taken);
	generation = w->mo->m->generation;
	hear_apps(w, &apps);
	assert_int_equal(w->mo->m->generation, generation);
	/* Other values: one publication. */
	hear_apps(w, &(struct app_tlv){.n = 1, .of = {{APP_TCP, 2, 3260}}});
	assert_int_equal(w->mo->m->generation, generation + 1);
	assert_int_equal(tcp_priority(w, 3260), 2);
	leave(w, "sw5", 9);
	assert_int_equal(w->mo->m->generation, generation + 2);
	assert_null(port_at(w, 5)->peer_apps);
	assert_int_equal(tcp_priority(w, 80), 5);
	assert_column(w->mo, APP("Loc"), "5.2.80=5");
	world_free(w);
}

/* The firmware of a NIC beside the neighbor's LLDP agent does not end DCBX with the neighbor. */
static void test_neighbor_without_dcbx_does_not_count(void **state)
{
	struct world *w = world_new();
	const struct lldp_port *port;

	(void)state;
	make_willing(w, 5);
	make_cnpv(w);
	hear_silent(w, "sw5", 1, 120);
	port = lldp_at(w, 5);
	assert_int_equal(port->dcbx.pfc_reason, DCBX_PEER_SILENT);
	assert_int_equal(port->dcbx_peer->port.octets[5], 1);
	hear_pfc(w, "sw5", 9, false, 0x18);
	hear_cn(w, "sw5", 2, BIT, BIT); /* no DCBX TLV either */
	assert_int_equal(port->dcbx.pfc_reason, DCBX_TAKEN);
	assert_int_equal(port->dcbx.mismatch, 0);
	assert_int_equal(port->dcbx_peer->port.octets[5], 9);
	assert_int_equal(port->n_neighbors, 3);
	assert_int_equal(port->n_dcbx, 1);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x18);
	assert_int_equal(port_at(w, 5)->oper.pfc_agreed, 0x18);
	/* The domain of the CNPV needs a single neighbor. */
	assert_null(port->peer);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	leave(w, "sw5", 9);
	assert_null(port->dcbx_peer);
	assert_int_equal(port->dcbx.pfc_reason, DCBX_PEER_SILENT);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0);
	world_free(w);
}

/* Two neighbors that send DCBX TLVs: none of them counts, as before. */
static void test_two_neighbors_with_dcbx_do_not_count(void **state)
{
	struct world *w = world_new();
	const struct lldp_port *port;
	struct dcb_tlvs tlvs = {.app = {.n = 1, .of = {{1, 3, 0x8906}}}};
	struct lldp_remote r = neighbor("sw5", 8);

	(void)state;
	make_willing(w, 5);
	hear_pfc(w, "sw5", 9, false, 0x18);
	port = lldp_at(w, 5);
	says(&r, DCB_TLV_APP, &tlvs);
	report(w, &r);
	assert_int_equal(port->dcbx.pfc_reason, DCBX_MANY_PEERS);
	assert_int_equal(port->dcbx.mismatch, 1u << DCBX_MISMATCH_PEERS);
	assert_int_equal(port->n_dcbx, 2);
	assert_null(port->dcbx_peer);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0);
	/* A malformed TLV is one that was sent. */
	r.tlvs[0].len = 2;
	report(w, &r);
	assert_int_equal(port->dcbx.pfc_reason, DCBX_MANY_PEERS);
	leave(w, "sw5", 8);
	assert_int_equal(port->dcbx.pfc_reason, DCBX_TAKEN);
	world_free(w);
}

/*
 * The Application VLAN TLV is sent with its settings, or empty. It is no TLV that DCBX
 * negotiates with: a second neighbor that sends only it changes nothing.
 */
static void test_application_vlan_tlv_is_informational(void **state)
{
	struct world *w = world_new();
	const struct lldp_port *port;
	struct dcb_tlvs tlvs = {.app_vlan = {.n = 1, .of = {{1, 1002, 0x8906}}}};
	struct lldp_remote r = neighbor("sw5", 8);
	struct dcb_config *config;

	(void)state;
	make_willing(w, 5);
	hear_pfc(w, "sw5", 9, false, 0x18);
	port = lldp_at(w, 5);
	assert_int_equal(port->dcbx.pfc_reason, DCBX_TAKEN);
	send_tlvs(w, 5, 1u << DCB_TLV_PFC | 1u << DCB_TLV_APP_VLAN);
	assert_int_equal(w->agent.tlvs.present, 1u << DCB_TLV_PFC | 1u << DCB_TLV_APP_VLAN);
	assert_int_equal(w->agent.tlvs.app_vlan.n, 0);
	dcbx_config_put_app_vlan(&edit(w, 5, &config)->dcbx, &tlvs.app_vlan.of[0]);
	publish(w, config);
	assert_memory_equal(&w->agent.tlvs.app_vlan, &tlvs.app_vlan, sizeof(tlvs.app_vlan));
	says(&r, DCB_TLV_APP_VLAN, &tlvs);
	report(w, &r);
	assert_int_equal(port->n_neighbors, 2);
	assert_int_equal(port->n_dcbx, 1);
	assert_int_equal(port->dcbx.pfc_reason, DCBX_TAKEN);
	assert_int_equal(port->dcbx.mismatch, 0);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x18);
	world_free(w);
}

/* Objects are read between the report that a neighbor is gone and the port's evaluation. */
static void test_gone_neighbor_is_no_peer(void **state)
{
	struct world *w = world_new();
	struct lldp_remote r = neighbor("sw5", 9);

	(void)state;
	make_willing(w, 5);
	hear_pfc(w, "sw5", 9, false, 0x18);
	assert_non_null(lldp_at(w, 5)->peer);
	lldp_ports_events.gone(w->lp, &r);
	assert_null(lldp_at(w, 5)->peer);
	assert_null(lldp_at(w, 5)->dcbx_peer);
	world_free(w);
}

/* oper is not part of the settings: UNDO of a SET does not restore it. */
static void test_undo_does_not_restore_oper(void **state)
{
	struct world *w = world_new();

	(void)state;
	make_willing(w, 5);
	hear_pfc(w, "sw5", 9, false, 0x18);
	assert_int_equal(
	    mo_world_test(
		w->mo, (const char *const[][3]){{"ieee8021PfcLinkDelayAllowance", "5", "1000"}}, 1),
	    MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w->mo, MO_OP_COMMIT), MO_NO_ERROR);
	hear_pfc(w, "sw5", 9, false, 0x21);
	assert_int_equal(mo_world_phase(w->mo, MO_OP_UNDO), MO_NO_ERROR);
	assert_int_equal(port_at(w, 5)->config->pfc_link_delay_allowance, 0);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x21);
	world_free(w);
}

/* A mismatch is notified after the hold-off and when it is over; a transient one is not. */
static void test_lasting_mismatch_is_notified(void **state)
{
	struct world *w = world_new();
	struct dcb_time next;
	uint64_t before;

	(void)state;
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	before = events_next(w->mo->m->events);
	hear_pfc(w, "sw5", 9, false, 0x18);
	hear_pfc(w, "sw5", 9, false, 0x00);
	assert_int_equal(events_next(w->mo->m->events), before);
	hear_pfc(w, "sw5", 9, false, 0x18);
	next = run(w);
	assert_int_equal(events_next(w->mo->m->events), before);
	assert_in_range(dcb_time_diff_ns(next, clock_now()), DCB_NS_PER_S, 2 * DCB_NS_PER_S);
	managed_run(w->mo->m, next);
	assert_int_equal(events_next(w->mo->m->events), before + 1);
	managed_run(w->mo->m, dcb_time_add_ns(next, DCB_NS_PER_S));
	assert_int_equal(events_next(w->mo->m->events), before + 1);
	hear_pfc(w, "sw5", 9, false, 0x00);
	assert_int_equal(events_next(w->mo->m->events), before + 2);
	world_free(w);
}

/* The hold-off starts again if the mismatch was over in between. */
static void test_hold_off_restarts(void **state)
{
	struct world *w = world_new();
	struct dcb_tlvs on = {.pfc = {.cap = 8, .enable = 0x18}}, off = {.pfc = {.cap = 8}};
	struct lldp_remote r = neighbor("sw5", 9);
	struct dcb_time start = clock_now();
	uint64_t before;

	(void)state;
	send_tlvs(w, 5, 1u << DCB_TLV_PFC);
	before = events_next(w->mo->m->events);
	for (int64_t ms = 0; ms <= 4500; ms += 1500) {
		struct dcb_time now = dcb_time_add_ns(start, ms * DCB_NS_PER_MS);

		r.n_tlvs = 0;
		says(&r, DCB_TLV_PFC, &on);
		lldp_ports_events.remote(w->lp, &r);
		managed_run(w->mo->m, now);
		assert_int_equal(managed_run(w->mo->m, now).ns, now.ns + 2 * DCB_NS_PER_S);
		r.n_tlvs = 0;
		says(&r, DCB_TLV_PFC, &off);
		lldp_ports_events.remote(w->lp, &r);
		managed_run(w->mo->m, dcb_time_add_ns(now, DCB_NS_PER_S));
	}
	assert_int_equal(events_next(w->mo->m->events), before);
	world_free(w);
}

/* Both willing: the port with the lower MAC address uses the peer's PFC (clause 38). */
static void test_lower_address_takes(void **state)
{
	struct world *w = world_new();

	(void)state;
	make_willing(w, 5);
	hear_pfc(w, "sw5", 0xff, true, 0x18);
	assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_TAKEN);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x18);
	leave(w, "sw5", 0xff);
	hear_pfc(w, "sw5", 0, true, 0x18);
	assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_PEER_TAKES);
	assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0);
	world_free(w);
}

/*
 * Both willing: the source address decides, not the port ID. The port's own address ends
 * in 5 (mo_world_link()). The frame arrives before lldpd's report or after it.
 */
static void test_source_address_breaks_the_tie(void **state)
{
	uint8_t own;

	(void)state;
	for (int before = 0; before < 2; before++) {
		struct world *w = world_new();

		make_willing(w, 5);
		own = port_at(w, 5)->port->link.mac[5];
		assert_in_range(own, 1, 0xfe);
		if (before)
			see(w, 5, lldpdu_of(0xff, own - 1, NEAREST), clock_now());
		hear_pfc(w, "sw5", 0xff, true, 0x18);
		if (!before) {
			assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_TAKEN);
			assert_int_equal(neighbor_of(w, 5)->address_origin, LLDP_ADDRESS_PORT_ID);
			see(w, 5, lldpdu_of(0xff, own - 1, NEAREST), clock_now());
		}
		assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_PEER_TAKES);
		assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0);
		assert_int_equal(neighbor_of(w, 5)->address_origin, LLDP_ADDRESS_SOURCE);
		assert_int_equal(neighbor_of(w, 5)->address[5], own - 1);
		/* A frame to another group address does not change it, one to the nearest does. */
		see(w, 5, lldpdu_of(0xff, own + 1, ELSEWHERE), clock_now());
		assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_PEER_TAKES);
		see(w, 5, lldpdu_of(0xff, own + 1, NEAREST), clock_now());
		assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_TAKEN);
		/* lldpd's next report keeps it. */
		hear_pfc(w, "sw5", 0xff, true, 0x28);
		assert_int_equal(neighbor_of(w, 5)->address[5], own + 1);
		assert_int_equal(port_at(w, 5)->oper.pfc_enable, 0x28);
		/* Another neighbor's frames and those of another port do not count. */
		see(w, 5, lldpdu_of(0xfe, own - 1, NEAREST), clock_now());
		see(w, 3, lldpdu_of(0xff, own - 1, NEAREST), clock_now());
		assert_int_equal(neighbor_of(w, 5)->address[5], own + 1);
		world_free(w);
	}
}

/* The nearest bridge is another system: nothing is known about the address of this one. */
static void test_frames_to_other_addresses_break_no_tie(void **state)
{
	struct world *w = world_new();

	(void)state;
	make_willing(w, 5);
	see(w, 5, lldpdu_of(0xff, 0xff, ELSEWHERE), clock_now());
	hear_pfc(w, "sw5", 0xff, true, 0x18);
	assert_int_equal(lldp_at(w, 5)->dcbx.pfc_reason, DCBX_UNDECIDED);
	assert_int_equal(lldp_at(w, 5)->dcbx.mismatch >> DCBX_MISMATCH_UNDECIDED & 1, 1);
	assert_int_equal(neighbor_of(w, 5)->address_origin, LLDP_ADDRESS_ELSEWHERE);
	assert_false(neighbor_of(w, 5)->has_address);
	world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pfc_is_agreed_where_neighbor_has_it),
	    cmocka_unit_test(test_willing_port_takes_pfc),
	    cmocka_unit_test(test_willing_port_takes_application_priorities),
	    cmocka_unit_test(test_lower_address_takes),
	    cmocka_unit_test(test_neighbor_without_dcbx_does_not_count),
	    cmocka_unit_test(test_two_neighbors_with_dcbx_do_not_count),
	    cmocka_unit_test(test_application_vlan_tlv_is_informational),
	    cmocka_unit_test(test_gone_neighbor_is_no_peer),
	    cmocka_unit_test(test_source_address_breaks_the_tie),
	    cmocka_unit_test(test_frames_to_other_addresses_break_no_tie),
	    cmocka_unit_test(test_undo_does_not_restore_oper),
	    cmocka_unit_test(test_lasting_mismatch_is_notified),
	    cmocka_unit_test(test_hold_off_restarts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
