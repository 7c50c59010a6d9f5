/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbors of ports: those that the agent does not report any more, LLDPDUs, and their table. */
#include "lib/clock.h"
#include "lib/rng.h"
#include "control/managed/lldp_ports_private.h"
#include "tests/unit/control/managed/lldp_world.h"
#include "tests/unit/lldp_remote.h"
#include "tests/unit/mo_world.h"

/* The neighbor's address is its port ID if that is a MAC address. Each MSAP is a neighbor. */
static void test_address_is_port_id(void **state)
{
	struct world *w = world_new();
	struct lldp_remote r = neighbor("sw5", 9);
	const struct lldp_neighbor *const *of;
	size_t n;

	(void)state;
	lldp_ports_events.remote(w->lp, &r);
	of = lldp_ports_neighbors_of(w->lp, port_at(w, 5)->port, &n);
	assert_int_equal(n, 1);
	assert_true(of[0]->has_address);
	assert_memory_equal(of[0]->address, r.port.octets, ETH_ADDR_OCTETS);
	assert_int_equal(of[0]->ifindex, 5);
	assert_int_equal(of[0]->ttl, r.ttl);
	assert_string_equal(of[0]->sysname, r.sysname);
	lldp_ports_events.gone(w->lp, &r);
	r.port.len = ETH_ADDR_OCTETS - 1;
	lldp_ports_events.remote(w->lp, &r);
	assert_false(lldp_ports_neighbors_of(w->lp, port_at(w, 5)->port, &n)[0]->has_address);
	lldp_ports_events.gone(w->lp, &r);
	r.port.len = ETH_ADDR_OCTETS;
	r.port.subtype++;
	lldp_ports_events.remote(w->lp, &r);
	assert_false(lldp_ports_neighbors_of(w->lp, port_at(w, 5)->port, &n)[0]->has_address);
	/* The same octets with another subtype are another neighbor. */
	r.port.subtype--;
	lldp_ports_events.remote(w->lp, &r);
	lldp_ports_neighbors_of(w->lp, port_at(w, 5)->port, &n);
	assert_int_equal(n, 2);
	r.chassis.octets[0] ^= 1;
	lldp_ports_events.remote(w->lp, &r);
	lldp_ports_neighbors_of(w->lp, port_at(w, 5)->port, &n);
	assert_int_equal(n, 3);
	world_free(w);
}

static void lose_agent(struct world *w)
{
	lldp_ports_events.state(w->lp, LLDP_CONNECTING);
	run(w);
}

static void find_agent(struct world *w)
{
	lldp_ports_events.state(w->lp, LLDP_CONNECTED);
	lldp_ports_events.all_reported(w->lp);
	run(w);
}

static unsigned stale_of(struct world *w, uint32_t ifindex)
{
	size_t n;
	const struct lldp_neighbor *const *of =
	    lldp_ports_neighbors_of(w->lp, port_at(w, ifindex)->port, &n);
	unsigned stale = 0;

	for (size_t i = 0; i < n; i++)
		stale += of[i]->stale;
	return stale;
}

/* After the agent restarts, neighbors stay in effect until their time to live ends. */
static void test_neighbors_survive_agent_restart(void **state)
{
	struct world *w = world_new();
	struct lldp_ports_stats stats;
	struct dcb_time next;

	(void)state;
	make_cnpv(w);
	hear_cn(w, "sw3", 7, BIT, BIT);
	hear_cn(w, "sw5", 9, BIT, BIT);
	lldp_ports_events.state(w->lp, LLDP_CONNECTING);
	next = run(w);
	assert_in_range(dcb_time_diff_ns(next, clock_now()), 110 * DCB_NS_PER_S,
			120 * DCB_NS_PER_S);
	find_agent(w);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	hear_cn(w, "sw5", 8, BIT, 0); /* another neighbor */
	assert_int_equal(lldp_at(w, 5)->n_neighbors, 2);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	assert_int_equal(mode(w, 3), CPT_INTERIOR_READY);
	managed_run(w->mo->m, dcb_time_add_ns(clock_now(), 121 * DCB_NS_PER_S));
	assert_int_equal(mode(w, 5), CPT_INTERIOR);
	assert_int_equal(mode(w, 3), CPT_EDGE);
	lldp_ports_read(w->lp, &stats);
	assert_int_equal(stats.aged, 2);
	assert_int_equal(stats.neighbors, 1);
	assert_int_equal(stats.client.connects, 7);
	world_free(w);
}

/*
 * Of two neighbors one is in the domain. Reported alone after a restart of the agent, it
 * would make the port interior.
 */
static void test_second_neighbor_survives_report_of_first(void **state)
{
	struct world *w = world_new();

	(void)state;
	make_cnpv(w);
	hear_silent(w, "sw5", 8, 120);
	hear_cn(w, "sw5", 9, BIT, BIT);
	for (int restart = 0; restart < 3; restart++) {
		lose_agent(w);
		assert_int_equal(stale_of(w, 5), 2);
		find_agent(w);
		hear_cn(w, "sw5", 9, BIT, BIT);
		assert_int_equal(stale_of(w, 5), 1);
		assert_int_equal(lldp_at(w, 5)->n_neighbors, 2);
		assert_int_equal(mode(w, 5), CPT_EDGE);
		assert_int_equal(lldp_at(w, 5)->mode_changes[CNPV], 0);
	}
	hear_silent(w, "sw5", 8, 120);
	assert_int_equal(stale_of(w, 5), 0);
	leave(w, "sw5", 8);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	world_free(w);
}

/* However often the connection is lost, the time to live begins at the first loss. */
static void test_lost_connections_do_not_prolong_life(void **state)
{
	struct world *w = world_new();
	const struct lldp_neighbor *n;
	struct dcb_time until;
	size_t count;

	(void)state;
	make_cnpv(w);
	hear_cn(w, "sw5", 9, BIT, BIT);
	lose_agent(w);
	n = lldp_ports_neighbors_of(w->lp, port_at(w, 5)->port, &count)[0];
	until = n->until;
	for (int i = 0; i < 3; i++) {
		struct dcb_time before = clock_now();

		while (clock_now().ns == before.ns)
			;
		find_agent(w);
		lose_agent(w);
		assert_int_equal(n->until.ns, until.ns);
	}
	managed_run(w->mo->m, until);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	world_free(w);
}

/* The agent that heard them is gone: without link, only dcbd can drop stale neighbors. */
static void test_link_down_drops_stale_neighbors(void **state)
{
	struct world *w = world_new();
	struct link_info link = mo_world_link(5, "sw5", "uplink");

	(void)state;
	make_cnpv(w);
	hear_cn(w, "sw3", 7, BIT, BIT);
	hear_cn(w, "sw5", 9, BIT, BIT);
	lose_agent(w);
	link.up = false;
	update(w, &link);
	link.up = true;
	update(w, &link);
	assert_int_equal(mode(w, 5), CPT_EDGE);
	assert_int_equal(lldp_at(w, 5)->n_neighbors, 0);
	assert_int_equal(mode(w, 3), CPT_INTERIOR_READY);
	world_free(w);
}

/* If a port has the most neighbors, a new one replaces the stale one that ages out first. */
static void test_stale_neighbors_make_room(void **state)
{
	struct world *w = world_new();

	(void)state;
	make_cnpv(w);
	for (uint8_t i = 1; i <= LLDP_NEIGHBORS_MAX; i++)
		hear_silent(w, "sw3", i, i == 7 ? 20 : i == 8 ? 30 : 60);
	assert_int_equal(lldp_at(w, 3)->n_neighbors, LLDP_NEIGHBORS_MAX);
	lldp_ports_events.state(w->lp, LLDP_CONNECTING);
	lldp_ports_events.state(w->lp, LLDP_MISMATCH);
	lldp_ports_events.state(w->lp, LLDP_CONNECTED);
	hear_cn(w, "sw3", 200, BIT, BIT);
	assert_int_equal(lldp_at(w, 3)->n_neighbors, LLDP_NEIGHBORS_MAX);
	assert_int_equal(stale_of(w, 3), LLDP_NEIGHBORS_MAX - 1);
	managed_run(w->mo->m, dcb_time_add_ns(clock_now(), 25 * DCB_NS_PER_S));
	assert_int_equal(lldp_at(w, 3)->n_neighbors, LLDP_NEIGHBORS_MAX);
	managed_run(w->mo->m, dcb_time_add_ns(clock_now(), 61 * DCB_NS_PER_S));
	assert_int_equal(lldp_at(w, 3)->n_neighbors, 1);
	assert_int_equal(mode(w, 3), CPT_INTERIOR_READY);
	world_free(w);
}

/* --- LLDPDUs that a port received ------------------------------------------------------ */

/* The time to live of a stale neighbor begins with its last LLDPDU, not with the loss. */
static void test_stale_neighbor_lives_from_its_last_lldpdu(void **state)
{
	struct world *w = world_new();
	struct dcb_time start = clock_now(), heard = dcb_time_add_ns(start, -100 * DCB_NS_PER_S);
	struct lldpdu pdu = lldpdu_of(9, 9, ELSEWHERE);

	(void)state;
	make_cnpv(w);
	see(w, 5, pdu, dcb_time_add_ns(heard, -30 * DCB_NS_PER_S));
	hear_cn(w, "sw5", 9, BIT, BIT);
	see(w, 5, pdu, heard);
	lose_agent(w);
	assert_int_equal(neighbor_of(w, 5)->until.ns, heard.ns + 120 * DCB_NS_PER_S);
	/* LLDPDUs that no agent decoded do not prolong it: they may have other contents. */
	see(w, 5, pdu, start);
	assert_int_equal(neighbor_of(w, 5)->until.ns, heard.ns + 120 * DCB_NS_PER_S);
	find_agent(w);
	lose_agent(w);
	assert_int_equal(neighbor_of(w, 5)->until.ns, heard.ns + 120 * DCB_NS_PER_S);
	managed_run(w->mo->m, dcb_time_add_ns(heard, 119 * DCB_NS_PER_S));
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	managed_run(w->mo->m, dcb_time_add_ns(heard, 120 * DCB_NS_PER_S));
	assert_int_equal(mode(w, 5), CPT_EDGE);
	world_free(w);
}

/* lldpd does not report the shutdown of a neighbor that it did not know after its restart. */
static void test_shutdown_lldpdu_ends_stale_neighbor(void **state)
{
	struct world *w = world_new();
	struct lldpdu pdu = lldpdu_of(9, 9, NEAREST);

	(void)state;
	make_cnpv(w);
	hear_cn(w, "sw5", 9, BIT, BIT);
	pdu.ttl = 0;
	see(w, 5, pdu, clock_now()); /* the agent reports the end of a neighbor that it knows */
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	pdu.ttl = 120;
	see(w, 5, pdu, clock_now());
	lose_agent(w);
	find_agent(w);
	assert_int_equal(mode(w, 5), CPT_INTERIOR_READY);
	pdu.ttl = 0;
	see(w, 5, pdu, clock_now());
	assert_int_equal(mode(w, 5), CPT_EDGE);
	assert_int_equal(lldp_at(w, 5)->n_neighbors, 0);
	world_free(w);
}

/* LLDPDUs of many identifiers do not displace those of neighbors. */
static void test_flood_of_identifiers_spares_neighbors(void **state)
{
	struct world *w = world_new();
	struct lldpdu pdu = lldpdu_of(9, 0x77, NEAREST);

	(void)state;
	see(w, 5, pdu, clock_now());
	hear_silent(w, "sw5", 9, 120);
	for (unsigned i = 0; i < 1000; i++) {
		pdu.msap = i;
		see(w, 5, pdu, clock_now());
	}
	/* lldpd reports the neighbor once more. */
	hear_cn(w, "sw5", 9, BIT, BIT);
	assert_int_equal(neighbor_of(w, 5)->address_origin, LLDP_ADDRESS_SOURCE);
	assert_int_equal(neighbor_of(w, 5)->address[5], 0x77);
	world_free(w);
}

/* An event of a port that has been closed, or was never opened, has no effect. */
static void test_lldpdu_of_no_port_is_ignored(void **state)
{
	struct world *w = world_new();
	struct lldpdu pdu = lldpdu_of(9, 9, NEAREST);

	(void)state;
	lldp_ports_heard(w->lp, DCB_SLOTS - 1, &pdu, clock_now());
	lldp_ports_heard(w->lp, UINT16_MAX, &pdu, clock_now());
	run(w);
	world_free(w);
}

/* --- table of neighbors ---------------------------------------------------------------- */

static void test_neighbors_in_order(void **state)
{
	static const char *const names[] = {"sw3", "sw5", "sw9"};
	struct world *w = world_new();
	struct dcb_rng rng;
	const struct lldp_neighbor *const *all;
	struct lldp_ports_stats stats;
	size_t n, of_port;

	(void)state;
	dcb_rng_seed(&rng, 1, 0);
	for (unsigned i = 0; i < 200; i++) {
		unsigned r = dcb_rng_next(&rng) >> 8;

		if (r % 5 == 0)
			leave(w, names[r % 3], (uint8_t)(r / 16 % 40));
		else
			hear_cn(w, names[r % 3], (uint8_t)(r / 16 % 40), (uint8_t)r, 0);
		all = lldp_ports_neighbors(w->lp, &n);
		of_port = 0;
		for (unsigned k = 0; k < 3; k++) {
			size_t some;

			lldp_ports_neighbors_of(
			    w->lp, port_at(w, 3 + 2 * k + (k == 2 ? 2 : 0))->port, &some);
			of_port += some;
		}
		assert_int_equal(n, of_port);
		for (size_t k = 1; k < n; k++) {
			const struct lldp_neighbor *a = all[k - 1], *b = all[k];

			assert_true(a->time_mark < b->time_mark ||
				    (a->time_mark == b->time_mark &&
				     (a->ifindex < b->ifindex ||
				      (a->ifindex == b->ifindex && a->index < b->index))));
		}
	}
	for (unsigned i = 0; i < 60; i++)
		hear_cn(w, "sw3", (uint8_t)(100 + i), 0, 0);
	lldp_ports_neighbors_of(w->lp, port_at(w, 3)->port, &n);
	assert_int_equal(n, LLDP_NEIGHBORS_MAX);
	lldp_ports_read(w->lp, &stats);
	assert_true(stats.neighbors_refused >= 28);
	world_free(w);
}

/* lldpV2RemTimeMark: dcbAgentUpTime in centiseconds of the neighbor's last change. */
static void test_time_mark_is_that_of_the_last_change(void **state)
{
	struct dcb_time before = clock_now(), made;
	struct world *w = world_new();
	const struct lldp_neighbor *const *all;
	int64_t least;
	size_t n;

	(void)state;
	made = clock_now();
	hear_cn(w, "sw5", 9, BIT, BIT);
	while (dcb_time_diff_ns(clock_now(), made) < 30 * DCB_NS_PER_MS)
		;
	least = dcb_time_diff_ns(clock_now(), made) / (10 * DCB_NS_PER_MS);
	hear_cn(w, "sw5", 9, BIT, 0);
	all = lldp_ports_neighbors(w->lp, &n);
	assert_int_equal(n, 1);
	assert_in_range(all[0]->time_mark, least,
			dcb_time_diff_ns(clock_now(), before) / (10 * DCB_NS_PER_MS));
	world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_address_is_port_id),
	    cmocka_unit_test(test_neighbors_survive_agent_restart),
	    cmocka_unit_test(test_second_neighbor_survives_report_of_first),
	    cmocka_unit_test(test_lost_connections_do_not_prolong_life),
	    cmocka_unit_test(test_link_down_drops_stale_neighbors),
	    cmocka_unit_test(test_stale_neighbors_make_room),
	    cmocka_unit_test(test_stale_neighbor_lives_from_its_last_lldpdu),
	    cmocka_unit_test(test_shutdown_lldpdu_ends_stale_neighbor),
	    cmocka_unit_test(test_flood_of_identifiers_spares_neighbors),
	    cmocka_unit_test(test_lldpdu_of_no_port_is_ignored),
	    cmocka_unit_test(test_neighbors_in_order),
	    cmocka_unit_test(test_time_mark_is_that_of_the_last_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
