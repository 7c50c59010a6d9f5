/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The knowledge of the RBridges of a simulation, which a campus has from IS-IS and dcbd from its
 * configuration: computed from links and costs.
 *
 * - A LAN is what stations, hosts and bridges without TRILL form between RBridges; a cable between
 *   two RBridges is one as well.
 * - A port of an RBridge is in mode access if its LAN has stations but no other RBridge, in
 *   mode trunk if it is the other way round, and otherwise in mode hybrid. Of several ports at
 *   a LAN with stations the first is the appointed forwarder: that of the first RBridge.
 * - The next hops of a nickname are all neighbors on paths of least cost, or those that
 *   sim_campus.next_hops names.
 * - The distribution tree has, for each RBridge, the first path of least cost to the root. Rows
 * that are in the tree, but no next hops, are for frames of groups only.
 * - RBridges have static entries for all stations, unless they learn them: behind the
 *   appointed forwarder of their LAN, and at its port there. They are in the filtering database
 *   only, not in the configuration, whose dcbTrillEgressTable has room for 1024. Bridges have
 *   entries for the ports of RBridges at their LAN, and for stations of other LANs behind the
 *   appointed forwarder.
 */
#ifndef DCB_SIM_NET_CAMPUS_H
#define DCB_SIM_NET_CAMPUS_H

#include "sim/net/paths.h"

#define CAMPUS_NO_LAN UINT32_MAX

/* A port of an RBridge. */
struct campus_port {
	struct sim_node *node;
	struct sim_link *link; /* into which it sends */
	uint32_t lan;          /* CAMPUS_NO_LAN: a cable to another RBridge */
};

/* The way from a port to one of another RBridge at the same LAN. */
struct campus_edge {
	const struct campus_port *from, *to;
	uint32_t cost;
};

struct campus_lan {
	bool has_stations;
	const struct campus_port *forwarder; /* appointed; NULL: no RBridge, or no stations */
};

struct campus {
	struct sim *sim;
	struct paths *paths;
	uint32_t *lan_of; /* by node: index in lans; RBridges have none */
	struct campus_lan *lans;
	uint32_t n_lans;
	struct campus_port *ports; /* by node and slot, ascending */
	size_t n_ports;
	struct campus_edge *edges;
	size_t n_edges;
	uint32_t *part; /* by node: RBridges that are connected have the same number */
};

/*
 * Finds LANs and RBridges' ways to each other. Keeps sim and paths, which it uses. Returns false
 * with the reason in err: out of memory, or a link between bridges or RBridges whose directions
 * differ in cost. Call campus_destroy() in either case.
 */
bool campus_init(struct campus *c, struct sim *sim, struct paths *paths, char *err, size_t errlen);
void campus_destroy(struct campus *c);

/* Returns whether RBridges connect the LANs of two stations. */
bool campus_connects(const struct campus *c, const struct sim_node *a, const struct sim_node *b);

/*
 * Configures all RBridges and the bridges at their LANs; the nodes are started. Returns false with
 * the reason in err: out of memory, more next hops than a port or RBridge may have, or a next hop
 * that is no neighbor. campus_rows.c
 */
bool campus_configure(const struct campus *c, char *err, size_t errlen);

#endif
