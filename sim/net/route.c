/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/route.h"

#include "sim/net/campus.h"
#include "sim/net/paths.h"

#include <stdio.h>

static bool set_entries(const struct sim *sim, const struct paths *paths, const struct sim_node *to)
{
	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		const struct sim_node *node = &sim->nodes[i];
		struct bridge *bridge = node->engine;

		if (node->kind == SIM_BRIDGE && paths->distance[i] != PATHS_NONE &&
		    !fdb_set_static(&bridge->fdb, SIM_VID, to->mac,
				    paths_port(paths, node, to->id)))
			return false;
	}
	return true;
}

static bool check_flows(const struct sim *sim, const struct paths *paths,
			const struct campus *campus, const struct sim_node *to, char *err,
			size_t errlen)
{
	for (uint32_t i = 0; i < sim->n_flows; i++) {
		const struct sim_flow *flow = &sim->flows[i];

		if (flow->to != to || paths->distance[flow->from->id] != PATHS_NONE ||
		    campus_connects(campus, flow->from, to))
			continue;
		/* Message: Add a link, so that bridges or RBridges connect the two nodes. */
		snprintf(err, errlen, "flow %s: no path from %s to %s", flow->name,
			 flow->from->name, to->name);
		return false;
	}
	return true;
}

static bool route(struct sim *sim, struct paths *paths, const struct campus *campus, char *err,
		  size_t errlen)
{
	for (uint32_t t = 0; t < sim->n_nodes; t++) {
		struct sim_node *to = &sim->nodes[t];

		if (sim_forwards(to->kind))
			continue;
		paths_to_node(paths, sim, to);
		if (!check_flows(sim, paths, campus, to, err, errlen))
			return false;
		if (!set_entries(sim, paths, to)) {
			snprintf(err, errlen, "out of memory");
			return false;
		}
	}
	return campus_configure(campus, err, errlen);
}

bool sim_route(struct sim *sim, char *err, size_t errlen)
{
	struct paths paths;
	struct campus campus = {0};
	bool ok = paths_init(&paths, sim->n_nodes);

	if (!ok)
		snprintf(err, errlen, "out of memory");
	ok = ok && campus_init(&campus, sim, &paths, err, errlen) &&
	     route(sim, &paths, &campus, err, errlen);
	campus_destroy(&campus);
	paths_destroy(&paths);
	return ok;
}
