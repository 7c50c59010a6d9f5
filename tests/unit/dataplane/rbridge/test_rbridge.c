/* SPDX-License-Identifier: BSD-3-Clause */
/* Forwarding of an RBridge, RFC 6325 4.6: RBridge 1 of rbridge_world_campus(). */
#include "dataplane/core/pfc_pdu.h"
#include "lib/ranges.h"
#include "tests/unit/rbridge_campus.h"

static void learn_a(struct rbridge_world *w)
{
	check_ports(w, 0, native(f, GROUP, A, TCI(0, 5)), 0xe);
}

/* --- ingress -------------------------------------------------------------------------- */

/* Both copies, native and encapsulated, octet for octet. */
static void check_everywhere(struct rbridge_world *w, uint64_t da)
{
	struct trill_text text = {
	    .da = ALL,
	    .sa = rbridge_world_mac(1, 3),
	    .tci = TCI(2, 30),
	    .header = TRILL_MULTI | 63,
	    .egress = 1,
	    .ingress = 1,
	    .inner_da = da,
	    .inner_sa = A,
	    .inner_tci = TCI(2, 5),
	    .flow_id = -1,
	};
	struct world_frame other;

	rbridge_world_send(w, 0, f, native(f, da, A, TCI(2, 5)));
	rbridge_world_turn(w);
	assert_false(rbridge_world_recv(w, 0, &out));
	assert_true(rbridge_world_recv(w, 1, &out));
	memcpy(expected, f, 80);
	check_out(80);
	assert_true(rbridge_world_recv(w, 3, &out));
	check_out(rbridge_world_trill(expected, &text));
	text.tci = TCI(2, 20);
	text.sa = rbridge_world_mac(1, 2);
	assert_true(rbridge_world_recv(w, 2, &out));
	check_out(rbridge_world_trill(expected, &text));
	for (unsigned i = 0; i < 4; i++)
		assert_false(rbridge_world_recv(w, i, &other));
}

static void test_unknown_unicast_goes_to_local_ports_and_along_the_tree(void **state)
{
	check_everywhere(*state, FAR);
	assert_int_equal(stats_of(*state, 0).ingressed, 1);
}

static void test_group_goes_to_local_ports_and_along_the_tree(void **state)
{
	check_everywhere(*state, GROUP);
}

static void test_flooded_native_frames_are_limited(void **state)
{
	struct rbridge_world *w = *state;

	w->own[0].vlan.flood_limit[FLOOD_UNKNOWN] = 1;
	rbridge_world_configure(w);
	check_everywhere(w, FAR);
	rbridge_world_send(w, 0, f, native(f, FAR, A, TCI(2, 5)));
	rbridge_world_turn(w);
	for (unsigned i = 0; i < 4; i++)
		assert_false(rbridge_world_recv(w, i, &out));
	assert_int_equal(w->ports[0]->stats.discard_flood[FLOOD_UNKNOWN], 1);
	check_everywhere(w, GROUP);
}

static void test_known_local_address_gets_one_native_frame(void **state)
{
	struct rbridge_world *w = *state;

	check_ports(w, 1, native(f, GROUP, B, TCI(0, 5)), 0xd);
	check_ports(w, 0, native(f, B, A, TCI(7, 5)), 1 << 1);
	memcpy(expected, f, 80);
	check_out(80);
	assert_int_equal(stats_of(w, 0).ingressed, 0);
}

static void test_untagged_frame_gets_an_inner_tag(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(1);

	rbridge_world_egress(w, 1, FAR, 3);
	rbridge_world_configure(w);
	check_ports(w, 0, native(f, FAR, A, -1), 1 << 3);
	text.da = M3;
	text.sa = rbridge_world_mac(1, 3);
	text.tci = TCI(0, 30);
	text.header = 63;
	text.egress = 3;
	text.inner_da = FAR;
	text.inner_sa = A;
	text.inner_tci = TCI(0, 1);
	check_out(rbridge_world_trill(expected, &text));
}

static void test_static_egress_is_used_until_it_is_removed(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_nickname_stats stats;

	rbridge_world_egress(w, 5, FAR, 3);
	rbridge_world_configure(w);
	check_ports(w, 0, native(f, FAR, A, TCI(0, 5)), 1 << 3);
	assert_int_equal(get_be16(out.octets + 20), 3);
	assert_true(rbridge_read_nickname(&w->rb, 3, &stats));
	assert_int_equal(stats.frames_to, 1);
	trill_egress_drop(&w->egress, (uint64_t)5 << 48 | FAR);
	rbridge_world_configure(w);
	check_ports(w, 0, native(f, FAR, A, TCI(0, 5)), 0xe);
}

static void test_static_egress_without_next_hop_is_counted(void **state)
{
	struct rbridge_world *w = *state;

	rbridge_world_egress(w, 5, FAR, 77);
	rbridge_world_configure(w);
	check_ports(w, 0, native(f, FAR, A, TCI(0, 5)), 0);
	assert_int_equal(stats_of(w, 0).unknown_nickname, 1);
}

/* The hop count of frames that this RBridge encapsulates is the configured one. */
static void test_hop_count_is_configured(void **state)
{
	struct rbridge_world *w = *state;

	w->trill.hop_count = 7;
	rbridge_world_egress(w, 5, FAR, 3);
	rbridge_world_configure(w);
	check_ports(w, 0, native(f, FAR, A, TCI(0, 5)), 1 << 3);
	assert_int_equal(get_be16(out.octets + 18), 7);
}

static void test_without_nickname_it_is_a_bridge(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	rbridge_world_egress(w, 5, FAR, 3);
	w->trill.nickname = 0;
	w->trill.tree_root = 0;
	rbridge_world_configure(w);
	check_ports(w, 0, native(f, GROUP, A, TCI(0, 5)), 1 << 1);
	check_ports(w, 0, native(f, FAR, A, TCI(0, 5)), 0);
	assert_int_equal(stats_of(w, 0).no_nickname, 1);
	check_ports(w, 2, rbridge_world_trill(f, &text), 0);
	assert_int_equal(stats_of(w, 2).no_nickname, 1);
}

/* --- transit and egress ------------------------------------------------------------------ */

static void test_transit_changes_outer_header_and_hop_count_only(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	text.egress = 3;
	text.flow_id = 0x1234;
	text.tci |= 0x1000; /* DEI outside, and not inside */
	check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 3);
	text.da = M3;
	text.sa = rbridge_world_mac(1, 3);
	text.tci = TCI(3, 30) | 0x1000;
	text.header = 9;
	check_out(rbridge_world_trill(expected, &text));
	assert_int_equal(stats_of(w, 2).transited, 1);
	assert_int_equal(stats_of(w, 2).egressed, 0);
}

static void test_egress_decapsulates_and_learns(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(4);

	learn_a(w);
	check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 0);
	check_out(native(expected, A, FAR, TCI(3, 5)));
	assert_int_equal(stats_of(w, 2).egressed, 1);
	/* The answer goes to the ingress nickname, by one of its two next hops. */
	rbridge_world_send(w, 0, f, native(f, FAR, A, TCI(0, 5)));
	rbridge_world_turn(w);
	assert_true(rbridge_world_recv(w, 2, &out) ^ rbridge_world_recv(w, 3, &out));
	assert_int_equal(get_be16(out.octets + 20), 4);
}

static void test_egress_sends_an_unknown_address_to_all_local_ports(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	check_ports(w, 2, rbridge_world_trill(f, &text), 0x3);
	/* It is not sent back, even if its destination is behind another RBridge by now. */
	rbridge_world_egress(w, 5, A, 3);
	rbridge_world_configure(w);
	check_ports(w, 2, rbridge_world_trill(f, &text), 0x3);
}

/* A station that moves is where its last frame came from, local or not. */
static void test_address_moves_between_port_and_rbridge(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	learn_a(w);
	text.inner_da = B;
	text.inner_sa = A;
	check_ports(w, 2, rbridge_world_trill(f, &text), 0x3);
	check_ports(w, 1, native(f, A, B, TCI(0, 5)), 1 << 2);
	learn_a(w);
	check_ports(w, 1, native(f, A, B, TCI(0, 5)), 1 << 0);
}

/* The addresses behind one RBridge cannot fill the database. */
static void test_learning_behind_an_rbridge_is_limited(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	learn_a(w);
	for (unsigned i = 0; i < RBW_ADDRESSES; i++) {
		text.inner_sa = FAR + 16 * i;
		check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 0);
	}
	assert_int_equal(w->rb.native.fdb.entries, 1 + RBW_ADDRESSES / 2);
}

/* The outer tag is for the link only: a bridge may have removed it. */
static void test_frame_without_outer_tag_has_its_inner_priority(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	text.egress = 3;
	text.tci = -1;
	check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 3);
	assert_int_equal(get_be16(out.octets + 14), TCI(3, 30));
}

static void test_transit_in_another_outer_vlan(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	text.egress = 3;
	text.tci = TCI(3, 21);
	check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 3);
	w->own[2].vlan.ingress_filtering = true; /* the port decides which ones it accepts */
	ranges_add(w->own[2].vlan.excluded, 21);
	rbridge_world_configure(w);
	check_ports(w, 2, rbridge_world_trill(f, &text), 0);
	assert_int_equal(w->ports[2]->stats.discard_ingress, 1);
}

/* --- hop count, nicknames, header ---------------------------------------------------------- */

static void test_frame_without_hops_left_is_dropped(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	text.egress = 3;
	text.header = 1; /* would leave with 0 */
	check_ports(w, 2, rbridge_world_trill(f, &text), 0);
	text.header = 0;
	check_ports(w, 2, rbridge_world_trill(f, &text), 0);
	assert_int_equal(stats_of(w, 2).malformed[TRILL_HOP_COUNT], 2);
	text.egress = 1;
	text.header = 1; /* enough for the egress */
	check_ports(w, 2, rbridge_world_trill(f, &text), 0x3);
	assert_int_equal(stats_of(w, 2).malformed[TRILL_HOP_COUNT], 2);
}

struct bad {
	struct trill_text text;
	size_t counter; /* offset in struct trill_port_stats */
};

static void test_each_reason_to_drop_has_its_counter(void **state)
{
	static const uint8_t pause[] = {0x88, 0x08, 0x01, 0x01, 0, 8, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	static const uint8_t measure[] = {0x89, 0xa2, 0, 0};
	static const uint8_t lldp[] = {0x88, 0xcc, 0, 0};
	static const uint8_t hidden[] = {0x88, 0xa8, 0, 5, 0x88, 0x08, 0x01, 0x01};
	static const uint8_t nested[] = {0x22, 0xf3, 0, 9, 0, 1, 0, 2};
	static const uint8_t isis[] = {0x88, 0xa8, 0, 5, 0x22, 0xf4, 0, 0};
	struct rbridge_world *w = *state;
	const struct trill_text good = to_us(2);
	struct trill_text t;

#define CHECK(change, counter) (t = good, (void)(change), check_dropped(w, &t, DROP(counter)))
	CHECK(t.header = 0x4000 | 10, malformed[TRILL_BAD_VERSION]);
	CHECK((t.header = 1 << 6 | 10, t.options = 0xc0000000), malformed[TRILL_BAD_OPTIONS]);
	CHECK(t.egress = 0, malformed[TRILL_BAD_NICKNAME]);
	CHECK(t.ingress = 0xffff, malformed[TRILL_BAD_NICKNAME]);
	CHECK(t.header = TRILL_MULTI | 10, malformed[TRILL_BAD_MULTI]);
	CHECK(t.da = ALL, malformed[TRILL_BAD_MULTI]);
	CHECK(t.inner_tci = -1, malformed[TRILL_INNER_UNTAGGED]);
	CHECK(t.inner_da = GROUP, malformed[TRILL_INNER_GROUP]);
	CHECK(t.inner_da = UINT64_C(0x0180c2000000), malformed[TRILL_INNER_RESERVED]);
	CHECK((t.msdu = nested, t.msdu_len = sizeof(nested)), malformed[TRILL_INNER_TRILL]);
	CHECK((t.msdu = isis, t.msdu_len = sizeof(isis)), control);
	CHECK((t.msdu = pause, t.msdu_len = sizeof(pause)), control);
	CHECK((t.msdu = measure, t.msdu_len = sizeof(measure)), control);
	CHECK((t.msdu = lldp, t.msdu_len = sizeof(lldp)), control);
	CHECK((t.msdu = hidden, t.msdu_len = sizeof(hidden)), control);
	CHECK(t.da = M3, not_for_us);
	CHECK(t.sa = M3, not_adjacent);
	CHECK((t.sa = M3, t.egress = 3), not_adjacent);
	CHECK(t.ingress = 1, own_ingress);
	CHECK(t.egress = 99, unknown_nickname);
	CHECK(t.ingress = 99, unknown_nickname);
	CHECK((t.da = ALL, t.header = TRILL_MULTI | 10, t.egress = 4), unknown_nickname);
	CHECK((t.da = ALL, t.header = TRILL_MULTI | 10, t.ingress = 3), rpf);
	CHECK((t.da = ALL, t.header = TRILL_MULTI | 10, t.sa = M3), rpf);
#undef CHECK
}

/* Options that need not be understood pass in transit and are left at the egress: 3.5. */
static void test_options_that_are_not_critical_are_kept_in_transit(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	text.header = 1 << 6 | 10;
	text.options = 0x00000001;
	learn_a(w);
	check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 0);
	check_out(native(expected, A, FAR, TCI(3, 5)));
	text.egress = 3;
	check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 3);
	text.da = M3;
	text.sa = rbridge_world_mac(1, 3);
	text.tci = TCI(3, 30);
	text.header = 1 << 6 | 9;
	check_out(rbridge_world_trill(expected, &text));
}

/* --- rows that are in the tree only, or neighbors only ---------------------------------- */

/* A frame for a group, from RBridge ingress, by the neighbor with this address. */
static struct trill_text group(uint16_t ingress, uint64_t sa)
{
	struct trill_text text = to_us(ingress);

	text.da = ALL;
	text.sa = sa;
	text.header = TRILL_MULTI | 10;
	text.inner_da = GROUP;
	return text;
}

/*
 * A ring of four, 1 - 2 - 4 - 3 - 1, whose link 3 - 1 is not in the tree: frames to RBridge 3 alone
 * take that link, and groups from it come by RBridges 4 and 2.
 */
static void test_row_of_the_tree_only_gets_no_unicast_frame(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);
	struct trill_nickname_stats nickname;

	rbridge_world_row(w, 3, 3, M3, true, false);
	rbridge_world_row(w, 2, 3, M2, false, true);
	rbridge_world_configure(w);
	text.egress = 3;
	for (unsigned flow = 0; flow < 64; flow++) {
		text.inner_sa = FAR + 256 + flow;
		check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 3);
	}
	text = group(3, M3);
	check_ports(w, 3, rbridge_world_trill(f, &text), 0);
	assert_int_equal(stats_of(w, 3).rpf, 1);
	text = group(3, M2);
	check_ports(w, 2, rbridge_world_trill(f, &text), 0x3);
	/* Its only port for unicast frames is down: the tree does not replace it. */
	port_set_port_down(&w->rb.native.ports, w->ports[3], w->now);
	text = to_us(2);
	text.egress = 3;
	check_ports(w, 2, rbridge_world_trill(f, &text), 0);
	assert_int_equal(stats_of(w, 2).no_next_hop, 1);
	assert_true(rbridge_read_nickname(&w->rb, 3, &nickname));
	assert_int_equal(nickname.frames_to, 64);
}

/* 4.6.2: frames from it are accepted, and none are sent to it. */
static void test_row_of_neither_kind_names_a_neighbor(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(4);

	w->own[3].trill_hops = (struct trill_next_hops){0};
	rbridge_world_configure(w);
	text.sa = M3;
	text.da = rbridge_world_mac(1, 3);
	check_ports(w, 3, rbridge_world_trill(f, &text), 0);
	assert_int_equal(stats_of(w, 3).not_adjacent, 1);
	rbridge_world_row(w, 3, 3, M3, false, false);
	rbridge_world_configure(w);
	check_ports(w, 3, rbridge_world_trill(f, &text), 0x3);
	assert_int_equal(stats_of(w, 3).not_adjacent, 1);
	text = to_us(4);
	text.egress = 3;
	check_ports(w, 2, rbridge_world_trill(f, &text), 0);
	assert_int_equal(stats_of(w, 2).unknown_nickname, 1);
	check_ports(w, 0, native(f, GROUP, A, TCI(0, 5)), 0x6); /* it is not in the tree */
}

/* --- addresses, for managers ------------------------------------------------------------- */

/* Returns the number of addresses behind other RBridges. */
static int count_addresses(const struct rbridge_world *w)
{
	const struct fdb *fdb = &w->rb.native.fdb;
	struct fdb_entry of[FDB_READ_BUCKETS];
	int n = 0;

	for (uint32_t i = 0; i <= fdb->mask; i += FDB_READ_BUCKETS) {
		int part = fdb_read_part(fdb, i, (uint32_t)(w->now.ns / DCB_NS_PER_S), of);

		assert_in_range(part, 0, FDB_READ_BUCKETS);
		for (int k = 0; k < part; k++)
			n += of[k].slot >= FDB_SLOTS &&
			     rbridge_nickname_of(&w->rb, of[k].slot) != TRILL_NICKNAME_NONE;
	}
	return n;
}

/* A reader can come between the two steps of nicknames_build(): no nickname, then no address. */
static void test_address_of_a_removed_nickname_is_not_read(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(4);
	struct rb_nickname *nn;

	learn_a(w);
	check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 0);
	assert_int_equal(count_addresses(w), 1);
	nn = nicknames_find(&w->rb.nicknames, 4);
	assert_non_null(nn);
	nn->nickname = TRILL_NICKNAME_NONE;
	assert_int_equal(count_addresses(w), 0);
	nn->nickname = 4;
	assert_int_equal(count_addresses(w), 1);
}

static uint16_t slot_of(const struct rbridge_world *w, uint16_t vid, uint64_t mac)
{
	uint8_t octets[ETH_ADDR_OCTETS];

	static_unicast_mac(mac, octets);
	return fdb_lookup(&w->rb.native.fdb, vid, octets, (uint32_t)(w->now.ns / DCB_NS_PER_S));
}

static uint16_t slot_of_nickname(const struct rbridge_world *w, uint16_t nickname)
{
	const struct nicknames *n = &w->rb.nicknames;

	return nicknames_slot(n, nicknames_find(n, nickname));
}

/* Each removal and addition is a change of the database, which a reader can see. */
static void test_static_egress_stays_while_others_change(void **state)
{
	struct rbridge_world *w = *state;
	const struct fdb *fdb = &w->rb.native.fdb;
	uint32_t changes;

	rbridge_world_egress(w, 5, FAR, 3);
	rbridge_world_egress(w, 6, FAR, 3);
	rbridge_world_configure(w);
	changes = fdb->changes;
	rbridge_world_hop(w, 2, 3, RBW_M2, false);
	rbridge_world_configure(w);
	assert_int_equal(fdb->changes, changes);
	rbridge_world_egress(w, 6, FAR, 4);
	rbridge_world_egress(w, 7, FAR, 4);
	rbridge_world_configure(w);
	assert_int_equal(slot_of(w, 5, FAR), slot_of_nickname(w, 3));
	assert_int_equal(slot_of(w, 6, FAR), slot_of_nickname(w, 4));
	assert_int_equal(slot_of(w, 7, FAR), slot_of_nickname(w, 4));
	trill_egress_drop(&w->egress, (uint64_t)5 << 48 | FAR);
	rbridge_world_configure(w);
	assert_int_equal(slot_of(w, 5, FAR), FDB_NO_SLOT);
	assert_int_equal(slot_of(w, 6, FAR), slot_of_nickname(w, 4));
	assert_int_equal(fdb->statics, 2);
}

UNIT_MAIN
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(test_unknown_unicast_goes_to_local_ports_and_along_the_tree),
	    TEST(test_group_goes_to_local_ports_and_along_the_tree),
	    TEST(test_flooded_native_frames_are_limited),
	    TEST(test_known_local_address_gets_one_native_frame),
	    TEST(test_untagged_frame_gets_an_inner_tag),
	    TEST(test_static_egress_is_used_until_it_is_removed),
	    TEST(test_static_egress_without_next_hop_is_counted),
	    TEST(test_hop_count_is_configured),
	    TEST(test_without_nickname_it_is_a_bridge),
	    TEST(test_transit_changes_outer_header_and_hop_count_only),
	    TEST(test_egress_decapsulates_and_learns),
	    TEST(test_egress_sends_an_unknown_address_to_all_local_ports),
	    TEST(test_address_moves_between_port_and_rbridge),
	    TEST(test_learning_behind_an_rbridge_is_limited),
	    TEST(test_frame_without_outer_tag_has_its_inner_priority),
	    TEST(test_transit_in_another_outer_vlan),
	    TEST(test_frame_without_hops_left_is_dropped),
	    TEST(test_each_reason_to_drop_has_its_counter),
	    TEST(test_options_that_are_not_critical_are_kept_in_transit),
	    TEST(test_row_of_the_tree_only_gets_no_unicast_frame),
	    TEST(test_row_of_neither_kind_names_a_neighbor),
	    TEST(test_address_of_a_removed_nickname_is_not_read),
	    TEST(test_static_egress_stays_while_others_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
