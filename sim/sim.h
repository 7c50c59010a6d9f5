/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Discrete-event simulation of a network of the very bridges and end stations
 * that dcbd runs, in virtual time.
 *
 *   heap -> what is due next: a frame arrives over a link -> sim_node_receive()
 *                             a node's deadline           -> sim_node_run()
 *           either makes ports send into links, which sets their next arrival
 *
 * Time is int64 ns. What happens is a function of the nodes, links, flows and
 * the seed: nothing else is asked, so a run can be repeated octet for octet.
 */
#ifndef DCB_SIM_SIM_H
#define DCB_SIM_SIM_H

#include "sim/model.h"

/* Room for so many; nodes, links and flows are then set one by one. false: no memory. */
bool sim_init(struct sim *sim, uint64_t seed, uint32_t n_nodes, uint32_t n_cables, uint32_t n_flows,
	      uint32_t frame_octets);
void sim_destroy(struct sim *sim);

/* What a cable is made of, by direction: 0 from a to b, 1 from b to a. */
struct sim_cable {
	struct dcb_rate rate[2];
	int64_t delay_ns[2];
	uint32_t buffer_octets[2]; /* of the port that sends in this direction */
	uint32_t cost[2];          /* paths are chosen by the least sum of these; 0: 1 */
};

/* Connects two nodes by links 2i and 2i + 1. false: no memory. */
bool sim_connect(struct sim *sim, uint32_t i, struct sim_node *a, struct sim_node *b,
		 const struct sim_cable *cable);

/* All nodes, links and flows are there: engines are made, paths found. false: err says why. */
bool sim_start(struct sim *sim, char *err, size_t errlen);

/* Everything that happens up to and at this time. */
void sim_run_until(struct sim *sim, struct dcb_time until);

/* The link from one node to another by their names; NULL: there is none. */
struct sim_link *sim_link_by_names(struct sim *sim, const char *from, const char *to);

/* Another rate from now on: the port that sends into it obeys, and its reaction points. */
void sim_set_rate(struct sim_link *link, struct dcb_rate rate);

/* The cable of this link is cut, in both directions, or mended. */
void sim_set_up(struct sim_link *link, bool up);

#endif
