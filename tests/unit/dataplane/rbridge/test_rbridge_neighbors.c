/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The neighbors of ports with as many next hops as there can be, at random: an RBridge accepts
 * TRILL frames from exactly those that the rows of the port name.
 */
#include "dataplane/port/aggregate.h"
#include "lib/rng.h"
#include "tests/unit/rbridge_campus.h"

#define NICKNAMES 50 /* from FIRST on: a nickname has several next hops at a port */
#define FIRST     10
#define LINKS     2 /* ports 2 and 3 */
#define CHANGES   8

/* RBridge 1 of rbridge_world_campus(), whose rows at ports 2 and 3 are those of a round. */
struct round {
	struct rbridge_world *w;
	struct dcb_rng rng;
	uint64_t mac[LINKS][TRILL_NEXT_HOPS_MAX];
	uint16_t nickname[LINKS][TRILL_NEXT_HOPS_MAX];
};

/* Some are neighbors at both ports; the others differ in one octet, any of the six. */
static uint64_t random_mac(struct round *r)
{
	uint64_t octet = dcb_rng_uniform(&r->rng, 1, 255);

	return UINT64_C(0x02dcb0000000) ^ octet << 8 * dcb_rng_uniform(&r->rng, 0, 4) ^
	       (uint64_t)dcb_rng_uniform(&r->rng, 0, 3) << 42;
}

static bool has_row(const struct round *r, unsigned link, uint64_t mac)
{
	for (unsigned i = 0; i < TRILL_NEXT_HOPS_MAX; i++)
		if (r->mac[link][i] == mac)
			return true;
	return false;
}

/* Each address has one row at a port, so that the rows are as many as there can be. */
static void set_rows(struct round *r)
{
	for (unsigned link = 0; link < LINKS; link++) {
		memset(&r->w->own[2 + link].trill_hops, 0, sizeof(struct trill_next_hops));
		memset(r->mac[link], 0, sizeof(r->mac[link]));
		for (unsigned i = 0; i < TRILL_NEXT_HOPS_MAX; i++) {
			uint64_t mac = random_mac(r);

			while (has_row(r, link, mac))
				mac = random_mac(r);
			r->mac[link][i] = mac;
			r->nickname[link][i] =
			    (uint16_t)dcb_rng_uniform(&r->rng, FIRST, FIRST + NICKNAMES - 1);
			rbridge_world_hop(r->w, 2 + link, r->nickname[link][i], mac, false);
		}
		assert_int_equal(r->w->own[2 + link].trill_hops.n, TRILL_NEXT_HOPS_MAX);
	}
	rbridge_world_configure(r->w);
}

/* Sends a frame to port 2 + link and checks whether it is accepted. */
static void check(struct round *r, unsigned link, uint64_t mac, bool accepted)
{
	struct trill_text text = to_us(r->nickname[link][0]);
	struct trill_port_stats before = stats_of(r->w, 2 + link), after;

	text.da = rbridge_world_mac(1, 2 + link);
	text.sa = mac;
	check_ports(r->w, 2 + link, rbridge_world_trill(f, &text), accepted ? 0x3 : 0);
	after = stats_of(r->w, 2 + link);
	assert_int_equal(after.egressed - before.egressed, accepted);
	assert_int_equal(after.not_adjacent - before.not_adjacent, !accepted);
}

static void check_all(struct round *r, bool is_aggregate)
{
	for (unsigned link = 0; link < LINKS; link++) {
		for (unsigned i = 0; i < TRILL_NEXT_HOPS_MAX; i++) {
			uint64_t other = r->mac[!link][i], any = random_mac(r);

			check(r, link, r->mac[link][i], true);
			check(r, link, other, is_aggregate || has_row(r, link, other));
			check(r, link, any,
			      has_row(r, link, any) || (is_aggregate && has_row(r, !link, any)));
		}
	}
}

static struct round make_round(void **state)
{
	struct round r = {.w = *state};

	dcb_rng_seed(&r.rng, unit_seed(), 1);
	return r;
}

static void test_neighbors_are_those_of_the_rows_in_force(void **state)
{
	struct round r = make_round(state);

	for (unsigned i = 0; i < CHANGES; i++) {
		set_rows(&r);
		check_all(&r, false);
	}
	memset(&r.w->own[3].trill_hops, 0, sizeof(struct trill_next_hops));
	rbridge_world_configure(r.w);
	for (unsigned i = 0; i < TRILL_NEXT_HOPS_MAX; i++) {
		check(&r, 0, r.mac[0][i], true);
		check(&r, 1, r.mac[1][i], false);
	}
}

static void test_neighbors_of_an_aggregation_are_those_of_all_links(void **state)
{
	struct round r = make_round(state);

	aggregate_join(r.w->ports[2], NULL);
	aggregate_join(r.w->ports[3], r.w->ports[2]);
	set_rows(&r);
	check_all(&r, true);
}

/* The last of all rows is in the tree: only its frames for groups pass, and they are learned. */
static void test_group_frames_and_learning_with_all_rows(void **state)
{
	struct round r = make_round(state);
	uint16_t learned = FIRST + NICKNAMES;
	struct trill_text text = to_us(learned);

	r.w->own[2].trill.pruned[0] = r.w->own[3].trill.pruned[0] = 0xff; /* of this test: VLAN 5 */
	set_rows(&r);
	memset(&r.w->own[3].trill_hops, 0, sizeof(struct trill_next_hops));
	for (unsigned i = 0; i < TRILL_NEXT_HOPS_MAX; i++)
		rbridge_world_hop(r.w, 3,
				  (uint16_t)(i + 1 == TRILL_NEXT_HOPS_MAX ? learned : FIRST),
				  r.mac[1][i], i + 1 == TRILL_NEXT_HOPS_MAX);
	rbridge_world_configure(r.w);
	text.da = ALL;
	text.header = TRILL_MULTI | 10;
	text.inner_da = GROUP;
	for (unsigned i = 0; i < TRILL_NEXT_HOPS_MAX; i++) {
		bool in_tree = i + 1 == TRILL_NEXT_HOPS_MAX;

		text.sa = r.mac[1][i];
		check_ports(r.w, 3, rbridge_world_trill(f, &text), in_tree ? 0x3 : 0);
		assert_int_equal(r.w->rb.native.fdb.entries, in_tree);
	}
	check_out(native(expected, GROUP, FAR, TCI(3, 5))); /* the last one, at port 1 */
	assert_int_equal(stats_of(r.w, 3).rpf, TRILL_NEXT_HOPS_MAX - 1);
	check_ports(r.w, 0, native(f, FAR, A, TCI(0, 5)), 1 << 3);
	assert_int_equal(get_be16(out.octets + 20), learned);
}

UNIT_MAIN
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(test_neighbors_are_those_of_the_rows_in_force),
	    TEST(test_neighbors_of_an_aggregation_are_those_of_all_links),
	    TEST(test_group_frames_and_learning_with_all_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
