/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random frames in a ring of three or four RBridges: each one arrives unchanged, once at each port
 * where it belongs. RBridge i has access ports 0 and 1 with a station each; its port 2 is connected
 * to port 3 of the next one. One link, at random, is not in the tree. Frames to one RBridge do not
 * use it either, or they take the shortest ways: then the way along the tree is another one, and
 * its row is in the tree only. In a ring of three, flows may share both ways.
 */
#include "lib/ranges.h"
#include "lib/rng.h"
#include "tests/unit/rbridge_world.h"
#include "tests/unit/unit.h"

#define RBRIDGES 4 /* at most */
#define ACCESS   2 /* ports of each */
#define RINGS    50
#define FRAMES   200
#define VIDS     4 /* from VID 5 on */
#define FIRST    5

struct ring {
	struct rbridge_world w[RBRIDGES];
	unsigned n; /* RBridges */
	struct dcb_rng rng;
	bool member[RBRIDGES][ACCESS][VIDS];
	/* The frame on its way. */
	uint8_t octets[WORLD_OCTETS];
	uint32_t len;
	unsigned arrived[RBRIDGES][ACCESS];
};

static uint32_t up_to(struct ring *r, uint32_t most)
{
	return dcb_rng_uniform(&r->rng, 0, most);
}

static uint64_t station(unsigned rbridge, unsigned port)
{
	return UINT64_C(0x020000000000) + 256 * rbridge + port;
}

/* --- the ring --------------------------------------------------------------------------- */

static uint16_t nickname_of(unsigned rbridge)
{
	return (uint16_t)(rbridge + 1);
}

/* Returns the port of an RBridge at which another one is: the next one at port 2. */
static unsigned port_to(const struct ring *r, unsigned from, unsigned to)
{
	return (from + 1) % r->n == to ? 2 : 3;
}

/* RBridge to is reached from RBridge from by its neighbor by, or by is only a neighbor. */
static void add_way(struct ring *r, unsigned from, unsigned to, unsigned by, bool unicast,
		    bool tree)
{
	uint64_t mac = rbridge_world_mac(nickname_of(by), port_to(r, by, from));

	if (unicast || tree || up_to(r, 1))
		rbridge_world_row(&r->w[from], port_to(r, from, by), nickname_of(to), mac, unicast,
				  tree);
}

static void choose_ways(struct ring *r)
{
	unsigned cut = up_to(r, r->n - 1); /* the link to the next one is not in the tree */
	bool uses_cut = up_to(r, 1), shares = r->n == 3 && up_to(r, 1);

	for (unsigned from = 0; from < r->n; from++) {
		unsigned next = (from + 1) % r->n, before = (from + r->n - 1) % r->n;

		for (unsigned steps = 1; steps < r->n; steps++) {
			unsigned to = (from + steps) % r->n, back = r->n - steps;
			bool tree = (cut + r->n - from) % r->n >= steps; /* by the next one */
			bool on_shortest = uses_cut ? steps <= back : tree;
			bool back_shortest = uses_cut ? steps >= back : !tree;

			add_way(r, from, to, next, on_shortest || (tree && shares), tree);
			add_way(r, from, to, before, back_shortest || (!tree && shares), !tree);
		}
	}
}

static void choose_members(struct ring *r, unsigned rbridge)
{
	for (unsigned p = 0; p < ACCESS; p++) {
		for (unsigned v = 0; v < VIDS; v++) {
			bool member = up_to(r, 3) > 0;
			struct port_config *own = &r->w[rbridge].own[p];

			r->member[rbridge][p][v] = member;
			if (!member && up_to(r, 1))
				ranges_add(own->trill.not_appointed, FIRST + v);
			else if (!member)
				ranges_add(own->vlan.excluded, FIRST + v);
		}
		r->w[rbridge].own[p].vlan.ingress_filtering = true;
	}
}

static void make_ring(struct ring *r)
{
	uint16_t root;

	r->n = RBRIDGES - up_to(r, 1);
	root = nickname_of(up_to(r, r->n - 1));
	for (unsigned i = 0; i < r->n; i++) {
		struct rbridge_world *w = &r->w[i];

		rbridge_world_init(w, 4, nickname_of(i));
		w->trill.tree_root = root;
		w->own[2].trill.mode = w->own[3].trill.mode =
		    up_to(r, 1) ? TRILL_TRUNK : TRILL_HYBRID;
		for (uint32_t vid = FIRST; vid < FIRST + VIDS; vid++) {
			/* A hybrid link between two RBridges has no appointed forwarder here. */
			ranges_add(w->own[2].trill.not_appointed, vid);
			ranges_add(w->own[3].trill.not_appointed, vid);
		}
		choose_members(r, i);
	}
	choose_ways(r);
	for (unsigned i = 0; i < r->n; i++)
		rbridge_world_configure(&r->w[i]);
}

/* --- frames -------------------------------------------------------------------------------- */

/* Carries frames between the RBridges until none moves; counts those that reach stations. */
static void carry(struct ring *r)
{
	struct world_frame frame;
	bool moved = true;

	for (unsigned rounds = 0; moved; rounds++) {
		moved = false;
		assert_true(rounds < 10); /* they do not go round */
		for (unsigned i = 0; i < r->n; i++)
			rbridge_world_turn(&r->w[i]);
		for (unsigned i = 0; i < r->n; i++) {
			unsigned next = (i + 1) % r->n;

			while (rbridge_world_recv(&r->w[i], 2, &frame)) {
				rbridge_world_send(&r->w[next], 3, frame.octets, frame.len);
				moved = true;
			}
			while (rbridge_world_recv(&r->w[next], 3, &frame)) {
				rbridge_world_send(&r->w[i], 2, frame.octets, frame.len);
				moved = true;
			}
			for (unsigned p = 0; p < ACCESS; p++) {
				while (rbridge_world_recv(&r->w[i], p, &frame)) {
					assert_int_equal(frame.len, r->len);
					assert_memory_equal(frame.octets, r->octets, r->len);
					r->arrived[i][p]++;
				}
			}
		}
	}
}

/* Makes a frame with any tags and length. to_all: to a group, or a station that does not exist. */
static void make_frame(struct ring *r, uint64_t from, uint64_t to, unsigned vid, unsigned number)
{
	int tci = (int)(up_to(r, 7) << 13 | vid);

	r->len = dcb_rng_uniform(&r->rng, 60, 1500);
	(void)world_frame(r->octets, to, from, tci, r->len);
	put_be32(r->octets + 30, number);
	if (up_to(r, 2) == 0) {
		put_be16(r->octets + 16, ETH_TYPE_CN_TAG);
		put_be16(r->octets + 18, (uint16_t)number);
		put_be16(r->octets + 20, 0x88b5);
	}
}

static void check_frame(struct ring *r, unsigned number)
{
	unsigned from = up_to(r, r->n - 1), port = up_to(r, ACCESS - 1);
	unsigned to = up_to(r, r->n - 1), to_port = up_to(r, ACCESS - 1);
	unsigned v = up_to(r, VIDS - 1), kind = up_to(r, 3);
	bool to_all = kind > 1, enters = r->member[from][port][v];
	uint64_t da = station(to, to_port);

	if (to_all)
		da = kind == 2 ? UINT64_C(0x01005e000001) : UINT64_C(0x0200000000ff);
	make_frame(r, station(from, port), da, FIRST + v, number);
	memset(r->arrived, 0, sizeof(r->arrived));
	rbridge_world_send(&r->w[from], port, r->octets, r->len);
	carry(r);
	for (unsigned i = 0; i < r->n; i++) {
		for (unsigned p = 0; p < ACCESS; p++) {
			bool may = enters && r->member[i][p][v] && !(i == from && p == port);

			assert_in_range(r->arrived[i][p], 0, may);
			if (to_all || (i == to && p == to_port))
				assert_int_equal(r->arrived[i][p], may);
		}
	}
}

static void test_each_frame_arrives_once_where_it_belongs(void **state)
{
	static struct ring r;

	(void)state;
	dcb_rng_seed(&r.rng, unit_seed(), 1);
	for (unsigned i = 0; i < RINGS; i++) {
		make_ring(&r);
		for (unsigned n = 0; n < FRAMES; n++)
			check_frame(&r, n);
		for (unsigned w = 0; w < r.n; w++)
			rbridge_world_free(&r.w[w]);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_each_frame_arrives_once_where_it_belongs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
