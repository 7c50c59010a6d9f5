/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random simulated networks: one to eight bridges in a chain, a tree or a ring, with
 * hosts that send up to eight priorities at random rates and lengths. Frame memory,
 * reserves, alpha, shares, buffers, delays and priorities with PFC are random too.
 */
#ifndef DCB_TESTS_RANDOM_NET_H
#define DCB_TESTS_RANDOM_NET_H

#include "tests/unit/unit.h"

#include "lib/rng.h"
#include "sim/net/sim.h"

#define RANDOM_NET_BRIDGES 8 /* at most */
#define RANDOM_NET_HOSTS   12
#define RANDOM_NET_FLOWS   24
#define RANDOM_NET_CABLES  (RANDOM_NET_BRIDGES + RANDOM_NET_HOSTS)
#define GUARANTEED         7 /* the priority of guaranteed flows */

enum shape { CHAIN, TREE, RING, SHAPES };

/* Changes while the network runs. */
enum changes {
	NO_CHANGES,
	BUFFER_CHANGES, /* of reserves, alpha and shares: no reason to lose a lossless frame */
	ANY_CHANGES,    /* of priorities with PFC, headroom ratio and rates too */
};

struct random_net {
	struct dcb_rng rng;
	struct sim sim; /* cable i is links 2i and 2i + 1 */
	enum shape shape;
	enum changes changes;       /* by the test; with changes there are no guaranteed flows */
	uint8_t lossless, pausable; /* priorities: with PFC on most cables, that hosts may pause */
	unsigned n_bridges, n_hosts, n_cables, n_flows;
	unsigned n_guaranteed; /* the first flows: their rate is within their share of each link */
	struct {
		unsigned a, b; /* nodes */
		struct sim_cable cable;
		uint8_t pfc; /* at both ends, one bit a priority */
	} cables[RANDOM_NET_CABLES];
	struct dcb_rate slowest;     /* link */
	uint32_t frame_octets;       /* longest frame of a flow */
	uint32_t longest;            /* the same with all tags */
	uint32_t guaranteed_reserve; /* octets that hold the bursts of all guaranteed flows */
};

/* Returns 0..most. */
static inline uint32_t up_to(struct random_net *w, uint32_t most)
{
	return dcb_rng_uniform(&w->rng, 0, most);
}

static inline bool one_in(struct random_net *w, uint32_t n)
{
	return up_to(w, n - 1) == 0;
}

static inline uint8_t some_priorities(struct random_net *w)
{
	return (uint8_t)up_to(w, 255);
}

/*
 * Makes the network with this number of a seed; the same number is the same network.
 * Nodes 0..n_bridges-1 are bridges, the others hosts. The caller destroys w->sim.
 */
void random_net_make(struct random_net *w, uint64_t seed, unsigned number);

/* Puts another random configuration in force at a node; PFC as in w->cables. */
void random_net_configure(struct random_net *w, struct sim_node *node);

/* Returns a rate; most are up to eight times slower than the typical one. */
struct dcb_rate random_net_rate(struct random_net *w, uint32_t typical_mbps);

#endif
