/* SPDX-License-Identifier: BSD-3-Clause */
/* LLDP agents in memory behave as lldpd and its client. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "lldp/client/lldp_client_memory.h"

/* A system, and the events of its client. */
struct host {
	struct lldp_client *client;
	enum lldp_state state;
	unsigned states, full_reports, remotes, gones;
	struct lldp_remote last;
	struct lldp_client *answers; /* sets the neighbor's TLVs on the interface that heard it */
};

static void on_state(void *ctx, enum lldp_state state)
{
	struct host *h = ctx;

	h->state = state;
	h->states++;
}

static void on_all_reported(void *ctx)
{
	struct host *h = ctx;

	assert_int_equal(h->state, LLDP_CONNECTED);
	h->full_reports++;
}

static void on_remote(void *ctx, const struct lldp_remote *remote)
{
	struct host *h = ctx;

	assert_int_equal(h->state, LLDP_CONNECTED);
	h->remotes++;
	h->last = *remote;
	if (h->answers)
		h->answers->ops->set(h->answers, remote->ifname, remote->tlvs, remote->n_tlvs, 0);
}

static void on_gone(void *ctx, const struct lldp_remote *remote)
{
	struct host *h = ctx;

	h->gones++;
	h->last = *remote;
}

static const struct lldp_events events = {
    .state = on_state, .all_reported = on_all_reported, .remote = on_remote, .gone = on_gone};

struct world {
	struct lldp_memory *m;
	struct host a, b;
};

static void make_host(struct world *w, struct host *h, const char *name, uint8_t last)
{
	const uint8_t chassis[6] = {2, 0, 0, 0, 0, last}, mac[6] = {2, 0, 0, 0, 1, last};

	h->client = lldp_client_memory(w->m, name, chassis, &events, h);
	assert_non_null(h->client);
	assert_true(lldp_memory_port(h->client, "eth0", mac));
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->m = lldp_memory_new(false);
	assert_non_null(w->m);
	make_host(w, &w->a, "alpha", 1);
	make_host(w, &w->b, "beta", 2);
	lldp_memory_wire(w->a.client, "eth0", w->b.client, "eth0");
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	w->a.client->ops->destroy(w->a.client);
	lldp_memory_free(w->m);
	free(w);
	return 0;
}

static void set(struct host *h, uint8_t value, size_t n)
{
	struct lldp_tlv tlvs[] = {
	    {.oui = {0x00, 0x80, 0xc2}, .subtype = 0x0b, .len = 2, .info = {8, value}},
	    {.oui = {0x00, 0x80, 0xc2}, .subtype = 0x08, .len = 2, .info = {1, value}},
	};

	h->client->ops->set(h->client, "eth0", tlvs, n, 1500);
}

static struct lldp_stats stats(const struct host *h)
{
	struct lldp_stats s;

	h->client->ops->read(h->client, &s);
	return s;
}

static void test_pump_reports_neighbors(void **state)
{
	struct world *w = *state;

	/* No event before the pump. */
	assert_int_equal(w->a.states, 0);
	assert_true(lldp_memory_pump(w->m));
	assert_int_equal(w->a.state, LLDP_CONNECTED);
	assert_int_equal(w->a.full_reports, 1);
	assert_int_equal(w->b.remotes, 1);
	assert_string_equal(w->b.last.sysname, "alpha");
	assert_string_equal(w->b.last.ifname, "eth0");
	assert_int_equal(w->b.last.chassis.subtype, LLDP_CHASSIS_MAC);
	assert_int_equal(w->b.last.port.octets[5], 1);
	assert_int_equal(w->b.last.ttl, LLDP_MEMORY_TTL_S);
	assert_int_equal(w->a.remotes, 1);
}

static void test_change_sends_one_lldpdu(void **state)
{
	struct world *w = *state;
	uint64_t sent;

	assert_true(lldp_memory_pump(w->m));
	sent = lldp_memory_sent(w->a.client, "eth0");
	set(&w->a, 1, 2);
	assert_int_equal(w->b.remotes, 1);
	assert_true(lldp_memory_pump(w->m));
	assert_int_equal(w->b.remotes, 2);
	assert_int_equal(w->b.last.n_tlvs, 2);
	assert_int_equal(w->b.last.tlvs[0].info[1], 1);
	/* One LLDPDU; none for a second set() of the same TLVs. */
	set(&w->a, 1, 2);
	assert_true(lldp_memory_pump(w->m));
	assert_int_equal(lldp_memory_sent(w->a.client, "eth0"), sent + 1);
	w->a.client->ops->forget(w->a.client, "eth0");
	assert_true(lldp_memory_pump(w->m));
	assert_int_equal(w->b.last.n_tlvs, 0);
	assert_int_equal(stats(&w->a).batches, 2);
}

static void test_rate_of_changes_is_limited(void **state)
{
	struct world *w = *state;

	assert_true(lldp_memory_pump(w->m));
	for (uint8_t i = 0; i < 100; i++) {
		set(&w->a, i, 1);
		assert_true(lldp_memory_advance(w->m, 10));
	}
	assert_true(stats(&w->a).batches <= 6);
	assert_true(lldp_memory_advance(w->m, 2000));
	assert_int_equal(w->b.last.tlvs[0].info[1], 99);
	assert_true(stats(&w->a).deferred >= 1);
	assert_true(stats(&w->a).batches <= 8);
}

static void test_tlvs_beyond_the_mtu_are_not_applied(void **state)
{
	struct world *w = *state;
	struct lldp_tlv tlvs[3] = {0};

	assert_true(lldp_memory_pump(w->m));
	set(&w->a, 7, 1);
	for (uint8_t i = 0; i < 3; i++)
		tlvs[i] = (struct lldp_tlv){
		    .oui = {0x00, 0x80, 0xc2}, .subtype = (uint8_t)(8 + i), .len = 507};
	w->a.client->ops->set(w->a.client, "eth0", tlvs, 3, 1500);
	assert_true(lldp_memory_advance(w->m, 5000));
	assert_int_equal(stats(&w->a).refused, 1);
	assert_int_equal(w->b.last.n_tlvs, 1);
	assert_int_equal(w->b.last.tlvs[0].info[1], 7);
	w->a.client->ops->set(w->a.client, "eth0", tlvs, 3, 9000);
	assert_true(lldp_memory_pump(w->m));
	assert_int_equal(w->b.last.n_tlvs, 3);
}

static void test_neighbor_ages_out_without_lldpdus(void **state)
{
	struct world *w = *state;

	/* Periodic LLDPDUs keep neighbors from aging out. */
	assert_true(lldp_memory_advance(w->m, 1000 * 1000));
	assert_int_equal(w->b.gones, 0);
	assert_int_equal(w->b.remotes, 1);
	/* Without a shutdown LLDPDU the neighbor ages out after 120 s. */
	lldp_memory_stop(w->a.client, false);
	assert_true(lldp_memory_advance(w->m, 80 * 1000));
	assert_int_equal(w->a.state, LLDP_CONNECTING);
	assert_int_equal(w->b.gones, 0);
	assert_true(lldp_memory_advance(w->m, 40 * 1000));
	assert_int_equal(w->b.gones, 1);
	assert_int_equal(w->b.last.port.octets[5], 1);
	assert_int_equal(w->b.last.n_tlvs, 0);
}

static void test_shutdown_removes_neighbor(void **state)
{
	struct world *w = *state;

	set(&w->a, 1, 2);
	assert_true(lldp_memory_pump(w->m));
	lldp_memory_stop(w->a.client, true);
	assert_true(lldp_memory_pump(w->m));
	assert_int_equal(w->b.gones, 1);
	/* After the restart its TLVs are set again, and the neighbor answers at once. */
	lldp_memory_start(w->a.client);
	assert_true(lldp_memory_pump(w->m));
	assert_int_equal(w->a.state, LLDP_CONNECTED);
	assert_int_equal(w->a.full_reports, 2);
	assert_int_equal(w->a.remotes, 2);
	assert_int_equal(w->b.last.n_tlvs, 2);
	assert_int_equal(stats(&w->a).connects, 2);
	assert_int_equal(stats(&w->a).disconnects, 1);
}

/* A restart within the time to live: its TLVs are missing once, and the neighbor answers. */
static void test_restart_within_ttl_keeps_neighbor(void **state)
{
	struct world *w = *state;

	set(&w->a, 1, 2);
	assert_true(lldp_memory_pump(w->m));
	lldp_memory_stop(w->a.client, false);
	lldp_memory_start(w->a.client);
	assert_true(lldp_memory_pump(w->m));
	assert_int_equal(w->b.gones, 0);
	assert_int_equal(w->b.last.n_tlvs, 2);
	assert_int_equal(w->a.remotes, 2);
}

static void test_carrier_loss_removes_neighbors(void **state)
{
	struct world *w = *state;

	set(&w->a, 1, 2);
	assert_true(lldp_memory_pump(w->m));
	lldp_memory_carrier(w->b.client, "eth0", false);
	set(&w->a, 2, 2);
	assert_true(lldp_memory_advance(w->m, 60 * 1000));
	assert_int_equal(w->a.gones, 1);
	assert_int_equal(w->b.gones, 1);
	lldp_memory_carrier(w->b.client, "eth0", true);
	assert_true(lldp_memory_pump(w->m));
	assert_int_equal(w->b.last.tlvs[0].info[1], 2);
	/* Down and up before the pump: no event. */
	lldp_memory_carrier(w->b.client, "eth0", false);
	lldp_memory_carrier(w->b.client, "eth0", true);
	assert_true(lldp_memory_pump(w->m));
	assert_int_equal(w->b.gones, 2);
	assert_int_equal(w->b.last.n_tlvs, 2);
}

static void test_tlvs_may_be_set_before_port_exists(void **state)
{
	struct world *w = *state;
	const uint8_t mac[6] = {2, 0, 0, 0, 2, 1};

	lldp_memory_unplug(w->a.client, "eth0");
	set(&w->a, 1, 2); /* before the port exists */
	assert_true(lldp_memory_pump(w->m));
	assert_int_equal(w->b.remotes, 0);
	assert_true(lldp_memory_port(w->a.client, "eth0", mac));
	lldp_memory_wire(w->a.client, "eth0", w->b.client, "eth0");
	assert_true(lldp_memory_pump(w->m));
	assert_int_equal(w->b.last.n_tlvs, 2);
	assert_int_equal(w->b.last.port.octets[4], 2);
}

static void test_lldpdu_of_system_not_simulated(void **state)
{
	struct world *w = *state;
	struct lldp_remote r = {.ttl = 5, .sysname = "stranger"};

	assert_true(lldp_memory_pump(w->m));
	r.chassis = (struct lldp_id){.subtype = 7, .len = 3, .octets = "abc"};
	r.port = (struct lldp_id){.subtype = 7, .len = 1, .octets = "1"};
	lldp_memory_receive(w->a.client, "eth0", &r);
	assert_true(lldp_memory_pump(w->m));
	assert_string_equal(w->a.last.sysname, "stranger");
	assert_int_equal(w->a.remotes, 2);
	lldp_memory_receive(w->a.client, "eth0", &r);
	assert_true(lldp_memory_advance(w->m, 4999));
	assert_int_equal(w->a.remotes, 2);
	assert_int_equal(w->a.gones, 0);
	assert_true(lldp_memory_advance(w->m, 1));
	assert_int_equal(w->a.gones, 1);
	lldp_memory_receive(w->a.client, "eth0", &r);
	r.ttl = 0;
	lldp_memory_receive(w->a.client, "eth0", &r);
	assert_true(lldp_memory_pump(w->m));
	assert_int_equal(w->a.gones, 2);
}

/* set() may be called from within an event. */
static void test_set_from_within_event(void **state)
{
	struct world *w = *state;

	w->b.answers = w->b.client;
	set(&w->a, 3, 2);
	assert_true(lldp_memory_pump(w->m));
	assert_int_equal(w->a.last.n_tlvs, 2);
	assert_int_equal(w->a.last.tlvs[1].info[1], 3);
}

static void test_immediate_mode_needs_no_pump(void **state)
{
	struct world w = {.m = lldp_memory_new(true)};

	(void)state;
	make_host(&w, &w.a, "alpha", 1);
	make_host(&w, &w.b, "beta", 2);
	lldp_memory_wire(w.a.client, "eth0", w.b.client, "eth0");
	assert_int_equal(w.b.remotes, 1);
	w.b.answers = w.b.client;
	set(&w.a, 4, 1);
	assert_int_equal(w.a.last.tlvs[0].info[1], 4);
	w.a.client->ops->destroy(w.a.client);
	assert_int_equal(w.b.last.n_tlvs, 0);
	lldp_memory_free(w.m);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_pump_reports_neighbors, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_change_sends_one_lldpdu, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_rate_of_changes_is_limited, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_tlvs_beyond_the_mtu_are_not_applied, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(test_neighbor_ages_out_without_lldpdus, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(test_shutdown_removes_neighbor, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_restart_within_ttl_keeps_neighbor, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(test_carrier_loss_removes_neighbors, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_tlvs_may_be_set_before_port_exists, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(test_lldpdu_of_system_not_simulated, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_set_from_within_event, setup, teardown),
	    cmocka_unit_test(test_immediate_mode_needs_no_pump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
