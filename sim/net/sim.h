/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Discrete-event simulation, in virtual time, of a network of bridges, RBridges and end
 * stations that run the code of dcbd.
 *
 *   heap -> earliest event: a frame arrives over a link -> sim_node_receive()
 *                           a node's deadline           -> sim_node_run()
 *           ports then send into links, which sets the time of the next arrival
 *
 * Time is int64 ns. A run depends on the nodes, links, flows and the seed only, so
 * it can be repeated octet for octet; it can use several threads, see threads.h.
 *
 * Each node and link has one entry in the heap; each node and flow has a random stream of its
 * own, so one seed determines a run. Several seeds run side by side in processes of their own
 * (sim/jobs.h). A scenario's event edits a copy of a node's configuration and makes the node
 * adopt it, as a SET does.
 */
#ifndef DCB_SIM_SIM_H
#define DCB_SIM_SIM_H

#include "sim/net/model.h"

/*
 * Allocates nodes, links and flows, which the caller then fills in. frame_octets:
 * longest frame of the flows, with C-TAG; where RBridges are, in a TRILL frame. Returns false if
 * out of memory.
 */
bool sim_init(struct sim *sim, uint64_t seed, uint32_t n_nodes, uint32_t n_cables, uint32_t n_flows,
	      uint32_t frame_octets);
void sim_destroy(struct sim *sim);

/* The properties of a cable by direction: 0 from a to b, 1 from b to a. */
struct sim_cable {
	struct dcb_rate rate[2];
	int64_t delay_ns[2];
	uint32_t buffer_octets[2]; /* of the port that sends in this direction */
	uint32_t cost[2];          /* frames take the path with the least sum; 0 counts as 1 */
};

/* Connects a and b by cable i, links 2i and 2i + 1. Returns false if out of memory. */
bool sim_connect(struct sim *sim, uint32_t i, struct sim_node *a, struct sim_node *b,
		 const struct sim_cable *cable);

/*
 * Makes the engines of the nodes and the paths of the flows. All nodes, links and
 * flows, and sim->campus, must be set. Returns false with the reason in err.
 */
bool sim_start(struct sim *sim, char *err, size_t errlen);

/* Processes all events up to and including this time. */
void sim_run_until(struct sim *sim, struct dcb_time until);

/* Returns the link from one node to another by their names, NULL if there is none. */
struct sim_link *sim_link_by_names(struct sim *sim, const char *from, const char *to);

/* Changes the rate of a link and of the port that sends into it, reaction points included. */
void sim_set_rate(struct sim_link *link, struct dcb_rate rate);

/* Sets both directions of the link's cable down or up; down loses the frames in flight. */
void sim_set_up(struct sim_link *link, bool up);

#endif
