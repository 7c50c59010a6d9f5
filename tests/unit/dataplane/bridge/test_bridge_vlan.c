/* SPDX-License-Identifier: BSD-3-Clause */
/* VLAN rules, learning limit and static entries of a bridge's ports. */
#include "dataplane/core/cnm.h"
#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "lib/ranges.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#include <string.h>

#define PORTS 4
#define A     UINT64_C(0x020000000001)
#define B     UINT64_C(0x020000000002)
#define C     UINT64_C(0x020000000003)
#define ALL   UINT64_C(0xffffffffffff)
#define CNPV  3

#define TCI(priority, vid) ((priority) << 13 | (vid))

static uint8_t f[WORLD_OCTETS];
static struct world_frame out;

/* Configurations of ports; one in force does not change. */
#define CONFIGS 512
static struct port_config *configs[CONFIGS];
static unsigned n_configs;
static bool is_new[PORTS]; /* not in force yet */

static unsigned forward(struct world *w, unsigned port, uint64_t da, uint64_t sa, int tci)
{
	return world_forward(w, port, f, world_frame(f, da, sa, tci, 100), &out);
}

/* Returns the next configuration of a port, a copy of the one in force; apply() puts it in force.
 */
static struct port_config *edit(struct world *w, unsigned port)
{
	if (is_new[port])
		return w->own[port];
	assert_in_range(n_configs, 0, CONFIGS - 1);
	configs[n_configs] = malloc(sizeof(struct port_config));
	assert_non_null(configs[n_configs]);
	*configs[n_configs] = *w->own[port];
	is_new[port] = true;
	return w->own[port] = configs[n_configs++];
}

static void apply(struct world *w)
{
	memset(is_new, 0, sizeof(is_new));
	world_configure(w, PORTS, 1u << CNPV);
}

static int set_up(void **state)
{
	struct world *w = malloc(sizeof(*w));

	assert_non_null(w);
	world_init(w, PORTS, NULL);
	w->port_config.port_pri[CNPV].cnpd_def_mode_choice = CPC_ADMIN;
	w->port_config.port_pri[CNPV].cnpd_admin_defense_mode = CPT_INTERIOR_READY;
	for (unsigned i = 0; i < PORTS; i++)
		w->own[i] = &w->port_config;
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	world_tear_down(state);
	while (n_configs > 0)
		free(configs[--n_configs]);
	memset(is_new, 0, sizeof(is_new));
	return 0;
}

static void exclude(struct world *w, unsigned port, const char *vlans)
{
	assert_true(ranges_parse(vlans, 0, 1, 4094, edit(w, port)->vlan.excluded));
}

static void test_frames_leave_by_members_only(void **state)
{
	struct world *w = *state;

	exclude(w, 1, "10-20");
	exclude(w, 3, "1-9,11-4094");
	apply(w);
	assert_int_equal(forward(w, 0, ALL, A, TCI(0, 9)), 0x6);
	assert_int_equal(forward(w, 0, ALL, A, TCI(0, 10)), 0xc);
	assert_int_equal(forward(w, 0, ALL, A, TCI(0, 20)), 0x4);
	assert_int_equal(forward(w, 0, ALL, A, TCI(0, 4094)), 0x6);
	assert_int_equal(forward(w, 0, ALL, A, -1), 0x6); /* untagged: VLAN 1 */
	assert_int_equal(world_stats(w, 3).discard_egress, 0);
	exclude(w, 0, "1-4094");
	apply(w);
	assert_int_equal(forward(w, 2, ALL, B, -1), 0x2);
	assert_int_equal(forward(w, 2, ALL, B, TCI(0, 4094)), 0x2);
}

/* Without ingress filtering an address can be learned on a port that is no member. */
static void test_frame_for_address_on_other_vlan_is_counted(void **state)
{
	struct world *w = *state;

	exclude(w, 1, "10");
	apply(w);
	assert_int_equal(forward(w, 1, ALL, B, TCI(0, 10)), 0xd);
	assert_int_equal(forward(w, 0, B, A, TCI(0, 10)), 0x0);
	assert_int_equal(world_stats(w, 1).discard_egress, 1);
	assert_int_equal(world_stats(w, 0).discard_egress, 0);
	assert_int_equal(forward(w, 1, A, B, TCI(0, 10)), 0x1);
	assert_int_equal(world_stats(w, 1).discard_ingress, 0);
}

static void test_ingress_filtering_discards_and_does_not_learn(void **state)
{
	struct world *w = *state;

	exclude(w, 1, "1,10");
	edit(w, 1)->vlan.ingress_filtering = true;
	apply(w);
	assert_int_equal(forward(w, 1, ALL, B, TCI(0, 10)), 0x0);
	assert_int_equal(forward(w, 1, ALL, B, TCI(0, 1)), 0x0);
	assert_int_equal(forward(w, 1, ALL, B, TCI(7, 0)), 0x0); /* VLAN 1, its PVID */
	assert_int_equal(forward(w, 1, ALL, B, -1), 0x0);
	assert_int_equal(world_stats(w, 1).discard_ingress, 4);
	assert_int_equal(w->bridge.fdb.entries, 0);
	assert_int_equal(forward(w, 1, ALL, B, TCI(0, 11)), 0xd);
	assert_int_equal(w->bridge.fdb.entries, 1);
	/* A port that is a member of all VLANs has nothing to filter. */
	memset(edit(w, 1)->vlan.excluded, 0, VLAN_SET_OCTETS);
	apply(w);
	assert_int_equal(forward(w, 1, ALL, B, -1), 0xd);
	assert_int_equal(world_stats(w, 1).discard_ingress, 4);
}

static void test_acceptable_frame_types(void **state)
{
	struct world *w = *state;

	edit(w, 0)->vlan.frame_types = VLAN_ADMIT_TAGGED;
	edit(w, 1)->vlan.frame_types = VLAN_ADMIT_UNTAGGED;
	edit(w, 2)->vlan.frame_types = VLAN_ADMIT_ALL;
	apply(w);
	for (unsigned port = 0; port < 3; port++) {
		unsigned others = 0xf & ~(1u << port);

		assert_int_equal(forward(w, port, ALL, A, -1), port == 0 ? 0 : others);
		assert_int_equal(forward(w, port, ALL, A, TCI(5, 0)), port == 0 ? 0 : others);
		assert_int_equal(forward(w, port, ALL, A, TCI(5, 1)), port == 1 ? 0 : others);
		assert_int_equal(forward(w, port, ALL, A, TCI(0, 7)), port == 1 ? 0 : others);
	}
	assert_int_equal(world_stats(w, 0).discard_frame_type, 2);
	assert_int_equal(world_stats(w, 1).discard_frame_type, 2);
	assert_int_equal(world_stats(w, 2).discard_frame_type, 0);
}

/* Random sets on random ports: each frame leaves exactly by the ports that a model says. */
static void test_random_sets_equal_model(void **state)
{
	struct world *w = *state;
	struct dcb_rng rng;

	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned round = 0; round < 300; round++) {
		unsigned port = dcb_rng_uniform(&rng, 0, PORTS - 1);
		struct vlan_port_config *vlan = &edit(w, port)->vlan;

		memset(vlan->excluded, 0, VLAN_SET_OCTETS);
		for (uint32_t vid = 1; vid <= 4094; vid++)
			if (dcb_rng_uniform(&rng, 0, 2) == 0)
				ranges_add(vlan->excluded, vid);
		vlan->ingress_filtering = dcb_rng_uniform(&rng, 0, 1);
		vlan->frame_types = (uint8_t)dcb_rng_uniform(&rng, 0, 3);
		apply(w);
		for (unsigned n = 0; n < 20; n++) {
			unsigned in = dcb_rng_uniform(&rng, 0, PORTS - 1), want = 0;
			uint16_t vid = (uint16_t)dcb_rng_uniform(&rng, 0, 4094);
			uint16_t used = vid ? vid : 1;
			const struct vlan_port_config *from = &w->own[in]->vlan;
			bool in_ok =
			    from->frame_types != (vid ? VLAN_ADMIT_UNTAGGED : VLAN_ADMIT_TAGGED);

			if (from->ingress_filtering && ranges_has(from->excluded, used))
				in_ok = false;
			for (unsigned i = 0; in_ok && i < PORTS; i++)
				if (i != in && !ranges_has(w->own[i]->vlan.excluded, used))
					want |= 1u << i;
			assert_int_equal(forward(w, in, ALL, A, TCI(2, vid)), want);
		}
	}
}

/* Sends enough frames of the CNPV to port 1 that it makes CNMs. Returns the ports they leave by. */
static unsigned congest(struct world *w)
{
	struct dcb_time next;
	unsigned left = 0;

	for (unsigned i = 0; i < 100; i++) {
		world_send(w, 0, f, world_frame(f, B, A, TCI(CNPV, 10), 1500));
		world_turn(w);
	}
	while ((next = world_turn(w)).ns != DCB_TIME_NEVER.ns)
		w->now = next;
	for (unsigned port = 0; port < PORTS; port++) {
		while (world_recv(w, port, &out)) {
			struct eth_view view;

			assert_int_equal(eth_parse(out.octets, out.len, &view), ETH_OK);
			if (eth_is_cnm(&view))
				left |= 1u << port;
		}
	}
	return left;
}

/* The congestion point samples each frame: base 10000 octets, set point 100. */
static void test_cnms_leave_by_members_only(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < PORTS; i++)
		edit(w, i)->cp[CNPV] =
		    (struct cp_config){.cp_qsp = 100, .cp_sample_base = 10000, .cp_w_exp = 1};
	w->ports[1]->base.settings.rate = dcb_rate_from_mbps(1);
	apply(w);
	forward(w, 1, A, B, TCI(0, 10));
	forward(w, 0, B, A, TCI(0, 10));
	assert_int_equal(congest(w), 0x1);
	/* The CNM is in the VLAN of the sampled frame, of which port 0 is no member now. */
	exclude(w, 0, "10");
	apply(w);
	assert_int_equal(congest(w), 0x0);
	assert_true(world_stats(w, 0).discard_egress > 0);
}

/* Sends frames at once. Returns how many reach other ports. */
static unsigned flooded(struct world *w, uint64_t da, unsigned n)
{
	unsigned passed = 0;

	while (n--)
		passed += forward(w, 0, da, A, -1) != 0;
	return passed;
}

static uint64_t flood_discards(struct world *w, enum flood_kind kind)
{
	return world_stats(w, 0).discard_flood[kind];
}

static void limit_floods(struct world *w, enum flood_kind kind, uint32_t limit)
{
	edit(w, 0)->vlan = (struct vlan_port_config){.learn_limit = 0};
	edit(w, 0)->vlan.flood_limit[kind] = limit;
	apply(w);
}

/* A tenth of a second of frames and one at once, then as many as the limit. */
static void test_flooded_frames_are_limited_by_kind(void **state)
{
	static const uint64_t da[FLOOD_KINDS] = {ALL, UINT64_C(0x010000000001), C};
	struct world *w = *state;

	forward(w, 1, ALL, B, -1);
	for (unsigned kind = 0; kind < FLOOD_KINDS; kind++)
		assert_int_equal(flooded(w, da[kind], 300), 300);
	for (unsigned kind = 0; kind < FLOOD_KINDS; kind++) {
		uint64_t before = flood_discards(w, kind);

		limit_floods(w, kind, 1000);
		assert_int_equal(flooded(w, da[kind], 300), 101);
		assert_int_equal(flood_discards(w, kind) - before, 199);
		w->now.ns += DCB_NS_PER_S / 20;
		assert_int_equal(flooded(w, da[kind], 300), 50);
		w->now.ns += 3600 * DCB_NS_PER_S;
		/* Frames of other kinds, known addresses and other ports have no limit. */
		for (unsigned other = 0; other < FLOOD_KINDS; other++)
			if (other != kind)
				assert_int_equal(flooded(w, da[other], 300), 300);
		forward(w, 1, ALL, B, -1);
		assert_int_equal(flooded(w, B, 300), 300);
		assert_int_equal(forward(w, 1, da[kind], B, -1), 0xd);
		assert_int_equal(flooded(w, da[kind], 300), 101);
		assert_int_equal(flood_discards(w, kind) - before, 199 + 250 + 199);
	}
	limit_floods(w, FLOOD_BROADCAST, 0);
	assert_int_equal(flooded(w, ALL, 300), 300);
}

/* At any limit, a second has one frame more than that and those of the tenth of a second. */
static void test_limit_of_flooded_frames_is_exact(void **state)
{
	static const uint32_t limits[] = {1, 2, 10, 1000, 8000};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		unsigned passed = 0;

		limit_floods(w, FLOOD_BROADCAST, limits[i]);
		w->now.ns += 10 * DCB_NS_PER_S;
		for (unsigned n = 0; n < 20000; n++) {
			passed += forward(w, 0, ALL, A, -1) != 0;
			w->now.ns += DCB_NS_PER_S / 20000;
		}
		assert_in_range(passed, limits[i], limits[i] + limits[i] / 10 + 1);
	}
}

static uint32_t learned(const struct world *w, unsigned port)
{
	struct learning_stats stats;

	fdb_read_port(&w->bridge.fdb, w->ports[port]->base.slot, &stats);
	return stats.learned;
}

/* The default limit is half of the table: 500 of world.c's 1000 entries. */
static void test_flood_of_sources_leaves_room_for_other_ports(void **state)
{
	struct world *w = *state;

	for (uint64_t i = 0; i < 60000; i++)
		assert_int_equal(forward(w, 0, ALL, UINT64_C(0x0a0000000000) + i, -1), 0xe);
	assert_int_equal(learned(w, 0), 500);
	assert_int_equal(forward(w, 1, ALL, B, -1), 0xd);
	assert_int_equal(forward(w, 2, B, C, -1), 0x2);
	assert_int_equal(w->bridge.fdb.learn_failures, 0);
	edit(w, 0)->vlan = (struct vlan_port_config){.learn_limit = 3, .learn_limit_is_set = true};
	edit(w, 1)->vlan = (struct vlan_port_config){.learn_limit = 0, .learn_limit_is_set = true};
	apply(w);
	assert_int_equal(learned(w, 0), 500); /* they age */
	for (uint64_t i = 0; i < 600; i++)
		forward(w, 1, ALL, UINT64_C(0x0e0000000000) + i, -1);
	assert_int_equal(learned(w, 1), 499); /* no limit: the rest of the table, and C */
	assert_int_equal(w->bridge.fdb.learn_failures, 600 - 498);
}

static void add_static(struct world *w, unsigned port, uint16_t vid, uint64_t mac)
{
	assert_true(static_unicast_put(&edit(w, port)->static_unicast, (uint64_t)vid << 48 | mac));
}

static void drop_static(struct world *w, unsigned port, uint16_t vid, uint64_t mac)
{
	static_unicast_drop(&edit(w, port)->static_unicast, (uint64_t)vid << 48 | mac);
}

static void test_static_entry_is_not_learned_elsewhere(void **state)
{
	struct world *w = *state;

	add_static(w, 2, 1, B);
	apply(w);
	assert_int_equal(forward(w, 0, B, A, -1), 0x4);
	/* A frame with this source on another port is forwarded and changes nothing: 8.7. */
	assert_int_equal(forward(w, 1, A, B, -1), 0x1);
	assert_int_equal(forward(w, 0, B, A, -1), 0x4);
	w->now.ns += 1000 * DCB_NS_PER_S;
	for (int i = 0; i < FDB_SWEEP_CALLS; i++)
		bridge_tick(&w->bridge, w->now);
	assert_int_equal(forward(w, 0, B, A, -1), 0x4);
	assert_int_equal(forward(w, 0, B, A, TCI(0, 9)), 0xe); /* only in its VLAN */
	/* The port is down: discarded, not flooded. */
	port_set_port_down(&w->bridge.ports, w->ports[2], w->now);
	assert_int_equal(forward(w, 0, B, A, -1), 0x0);
	port_set_port_up(&w->bridge.ports, w->ports[2], w->now);
	assert_int_equal(forward(w, 0, B, A, -1), 0x4);
}

static void test_static_entry_moves_and_ends_with_its_configuration(void **state)
{
	struct world *w = *state;

	forward(w, 1, ALL, B, -1); /* learned first */
	add_static(w, 2, 1, B);
	add_static(w, 2, 5, C);
	apply(w);
	assert_int_equal(forward(w, 0, B, A, -1), 0x4);
	for (unsigned to = 0; to < 2; to++) { /* to a port before it, and behind it */
		unsigned port = to ? 3 : 1;

		drop_static(w, to ? 1 : 2, 1, B);
		add_static(w, port, 1, B);
		apply(w);
		assert_int_equal(forward(w, 0, B, A, -1), 1u << port);
		assert_int_equal(w->bridge.fdb.statics, 2);
	}
	drop_static(w, 3, 1, B);
	apply(w);
	assert_int_equal(forward(w, 0, B, A, -1), 0xe);
	assert_int_equal(forward(w, 0, C, A, TCI(0, 5)), 0x4);
	forward(w, 1, ALL, B, -1); /* learned again */
	assert_int_equal(forward(w, 0, B, A, -1), 0x2);
	assert_int_equal(w->bridge.fdb.statics, 1);
	/* The port goes and comes back with the same configuration. */
	world_configure(w, 2, 0);
	assert_int_equal(w->bridge.fdb.statics, 0);
	assert_int_equal(forward(w, 0, C, A, TCI(0, 5)), 0x2);
	world_configure(w, PORTS, 0);
	assert_int_equal(w->bridge.fdb.statics, 1);
	assert_int_equal(forward(w, 0, C, A, TCI(0, 5)), 0x4);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_frames_leave_by_members_only, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_frame_for_address_on_other_vlan_is_counted, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(test_ingress_filtering_discards_and_does_not_learn,
					    set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_acceptable_frame_types, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_random_sets_equal_model, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_cnms_leave_by_members_only, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_flooded_frames_are_limited_by_kind, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(test_limit_of_flooded_frames_is_exact, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(test_flood_of_sources_leaves_room_for_other_ports,
					    set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_static_entry_is_not_learned_elsewhere, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(test_static_entry_moves_and_ends_with_its_configuration,
					    set_up, tear_down),
	};

	return cmocka_run_group_tests_name("bridge_vlan", tests, NULL, NULL);
}
