/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of RBridges, and the static entries of the bridges between them. */
#include "sim/net/campus.h"

#include "dataplane/rbridge/rbridge.h"
#include "lib/ranges.h"
#include "sim/net/node.h"

#include <stdio.h>
#include <stdlib.h>

/* Configurations in preparation, and the search for one nickname. */
struct rows {
	const struct campus *c;
	struct dcb_config **config;         /* by node; NULL: no RBridge, or in force already */
	uint32_t *distance;                 /* by node: of RBridges from the one in question */
	const struct campus_edge **parent;  /* by node: towards the root of the tree */
	const struct campus_edge **in_tree; /* by node: along the tree to the one in question */
	char *err;
	size_t errlen;
};

static bool no_memory(const struct rows *r)
{
	snprintf(r->err, r->errlen, "out of memory");
	return false;
}

static const uint8_t *mac_of(const struct campus_port *port)
{
	return port->link->out->base.link.mac;
}

static uint16_t slot_of(const struct campus_port *port)
{
	return port->link->out->base.slot;
}

/* Returns the settings of a port for writing; NULL: out of memory. */
static struct port_config *edit(const struct rows *r, const struct campus_port *port)
{
	return dcb_config_edit_port(r->config[port->node->id], slot_of(port));
}

/* --- ports ------------------------------------------------------------------------------ */

static bool has_neighbor(const struct campus *c, const struct campus_port *port)
{
	for (size_t i = 0; i < c->n_edges; i++) {
		if (c->edges[i].from == port)
			return true;
	}
	return false;
}

static bool set_port(const struct rows *r, const struct campus_port *port)
{
	const struct campus_lan *lan = port->lan == CAMPUS_NO_LAN ? NULL : &r->c->lans[port->lan];
	bool native = lan && lan->has_stations;
	struct port_config *pc = edit(r, port);

	if (!pc)
		return no_memory(r);
	if (has_neighbor(r->c, port))
		pc->trill.mode = native ? TRILL_HYBRID : TRILL_TRUNK;
	if (native && lan->forwarder != port)
		ranges_add(pc->trill.not_appointed, SIM_VID);
	return true;
}

/* --- next hops --------------------------------------------------------------------------- */

/* Sets the distances of all RBridges from one. */
static void find_distances(const struct rows *r, const struct sim_node *to)
{
	bool changed = true;

	for (uint32_t i = 0; i < r->c->sim->n_nodes; i++)
		r->distance[i] = PATHS_NONE;
	r->distance[to->id] = 0;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < r->c->n_edges; i++) {
			const struct campus_edge *e = &r->c->edges[i];
			uint32_t rest = r->distance[e->to->node->id];
			uint32_t *from = &r->distance[e->from->node->id];

			if (rest == PATHS_NONE || rest + e->cost >= *from)
				continue;
			*from = rest + e->cost;
			changed = true;
		}
	}
}

static bool is_shortest(const struct rows *r, const struct campus_edge *e)
{
	uint32_t rest = r->distance[e->to->node->id];

	return rest != PATHS_NONE && rest + e->cost == r->distance[e->from->node->id];
}

/* Returns whether frames to an RBridge take this way: as the scenario says, else by its cost. */
static bool is_next_hop(const struct rows *r, const struct campus_edge *e,
			const struct sim_node *to)
{
	const struct sim_campus *known = &r->c->sim->campus;
	bool configured = false;

	for (size_t i = 0; i < known->n_next_hops; i++) {
		const struct sim_next_hop *hop = &known->next_hops[i];

		if (hop->at != e->from->node->id || hop->to != to->id)
			continue;
		if (hop->by == e->to->node->id)
			return true;
		configured = true;
	}
	return !configured && is_shortest(r, e);
}

/*
 * Adds the row of a way. A row of the tree is for frames to the RBridge alone as well if there is
 * a row already, which was added because it is a next hop.
 */
static bool add_row(const struct rows *r, const struct campus_edge *e, const struct sim_node *to,
		    bool tree)
{
	struct trill_next_hop hop = {.nickname = to->nickname, .tree = tree};
	struct port_config *pc = edit(r, e->from);

	if (!pc)
		return no_memory(r);
	memcpy(hop.mac, mac_of(e->to), sizeof(hop.mac));
	hop.not_unicast = tree && !trill_next_hop_find(&pc->trill_hops, hop.nickname, hop.mac);
	if (trill_next_hop_put(&pc->trill_hops, &hop))
		return true;
	/* Message: Use fewer RBridges, or fewer paths of the same cost. */
	snprintf(r->err, r->errlen, "%s: expected at most %d next hops at a port",
		 e->from->node->name, TRILL_NEXT_HOPS_MAX);
	return false;
}

static bool add_hops(const struct rows *r, const struct sim_node *to)
{
	find_distances(r, to);
	for (size_t i = 0; i < r->c->n_edges; i++) {
		const struct campus_edge *e = &r->c->edges[i];

		if (e->from->node != to && is_next_hop(r, e, to) && !add_row(r, e, to, false))
			return false;
	}
	return true;
}

/* Returns whether the next hops of the scenario are neighbors. */
static bool check_next_hops(const struct rows *r)
{
	const struct sim_campus *known = &r->c->sim->campus;
	const struct sim_node *nodes = r->c->sim->nodes;

	for (size_t i = 0; i < known->n_next_hops; i++) {
		const struct sim_next_hop *hop = &known->next_hops[i];
		size_t k = 0;

		while (k < r->c->n_edges && (r->c->edges[k].from->node->id != hop->at ||
					     r->c->edges[k].to->node->id != hop->by))
			k++;
		if (k < r->c->n_edges)
			continue;
		/* Message: Use an RBridge at one of its LANs as `by`. */
		snprintf(r->err, r->errlen, "next_hops: expected a neighbor of RBridge %s, not %s",
			 nodes[hop->at].name, nodes[hop->by].name);
		return false;
	}
	return true;
}

/* --- the tree ------------------------------------------------------------------------------- */

static void find_parents(const struct rows *r, const struct sim_node *root)
{
	find_distances(r, root);
	for (size_t i = 0; i < r->c->n_edges; i++) {
		const struct campus_edge *e = &r->c->edges[i];

		if (e->from->node != root && !r->parent[e->from->node->id] && is_shortest(r, e))
			r->parent[e->from->node->id] = e;
	}
}

/* Returns the way in the other direction; there is one, because costs are the same in both. */
static const struct campus_edge *reverse(const struct campus *c, const struct campus_edge *e)
{
	const struct campus_edge *back = c->edges;

	while (back->from != e->to || back->to != e->from)
		back++;
	return back;
}

/* Along the tree all go towards the root, except those between the root and the destination. */
static void find_tree_ways(const struct rows *r, const struct sim_node *to)
{
	const struct campus_edge *up;

	memcpy(r->in_tree, r->parent, r->c->sim->n_nodes * sizeof(const struct campus_edge *));
	for (up = r->parent[to->id]; up; up = r->parent[up->to->node->id])
		r->in_tree[up->to->node->id] = reverse(r->c, up);
	r->in_tree[to->id] = NULL;
}

/* Adds the rows of an RBridge that are in the tree to those that are next hops. */
static bool add_tree(const struct rows *r, const struct sim_node *to)
{
	if (to != r->c->sim->campus.tree_root && !r->parent[to->id]) /* not in the tree */
		return true;
	find_tree_ways(r, to);
	for (uint32_t i = 0; i < r->c->sim->n_nodes; i++)
		if (r->in_tree[i] && !add_row(r, r->in_tree[i], to, true))
			return false;
	return true;
}

/* --- addresses ------------------------------------------------------------------------------- */

/* The entry of a station at one of the RBridges that are connected to the one at its LAN. */
static bool add_address(struct sim_node *node, const struct campus_port *at,
			const struct sim_node *station)
{
	struct rbridge *rb = node->engine;
	uint16_t slot = slot_of(at);

	if (node != at->node)
		slot = nicknames_slot(&rb->nicknames,
				      nicknames_find(&rb->nicknames, at->node->nickname));
	return fdb_set_static(&rb->native.fdb, SIM_VID, station->mac, slot);
}

static bool add_addresses(const struct campus *c, const struct sim_node *station)
{
	const struct campus_port *at = c->lans[c->lan_of[station->id]].forwarder;

	for (uint32_t i = 0; at && i < c->sim->n_nodes; i++) {
		struct sim_node *node = &c->sim->nodes[i];

		if (node->kind == SIM_RBRIDGE && c->part[i] == c->part[at->node->id] &&
		    !add_address(node, at, station))
			return false;
	}
	return true;
}

/* The entries of a bridge for a port of an RBridge at its LAN, and for all that is behind it. */
static bool add_bridge_entries(const struct campus *c, struct sim_node *node,
			       const struct campus_port *to)
{
	struct bridge *bridge = node->engine;
	uint16_t slot = paths_port(c->paths, node, to->node->id);

	if (!fdb_set_static(&bridge->fdb, SIM_VID, mac_of(to), slot))
		return false;
	if (c->lans[to->lan].forwarder != to)
		return true;
	for (uint32_t i = 0; i < c->sim->n_nodes; i++) {
		const struct sim_node *station = &c->sim->nodes[i];

		if (!sim_forwards(station->kind) && c->lan_of[i] != to->lan &&
		    !fdb_set_static(&bridge->fdb, SIM_VID, station->mac, slot))
			return false;
	}
	return true;
}

static bool configure_bridges(const struct campus *c, const struct campus_port *to)
{
	if (to->lan == CAMPUS_NO_LAN)
		return true;
	paths_to_link(c->paths, c->sim, to->link->back);
	for (uint32_t i = 0; i < c->sim->n_nodes; i++) {
		struct sim_node *node = &c->sim->nodes[i];

		if (node->kind == SIM_BRIDGE && c->paths->distance[i] != PATHS_NONE &&
		    !add_bridge_entries(c, node, to))
			return false;
	}
	return true;
}

/* --- all of it ------------------------------------------------------------------------------- */

static bool begin(struct rows *r)
{
	const struct sim *sim = r->c->sim;

	r->config = calloc(sim->n_nodes, sizeof(struct dcb_config *));
	r->distance = malloc(sim->n_nodes * sizeof(*r->distance));
	r->parent = calloc(sim->n_nodes, sizeof(const struct campus_edge *));
	r->in_tree = calloc(sim->n_nodes, sizeof(const struct campus_edge *));
	if (!r->config || !r->distance || !r->parent || !r->in_tree)
		return no_memory(r);
	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		if (sim->nodes[i].kind != SIM_RBRIDGE)
			continue;
		r->config[i] = dcb_config_copy(sim->nodes[i].config);
		if (!r->config[i])
			return no_memory(r);
		r->config[i]->generation++;
		r->config[i]->trill.nickname = sim->nodes[i].nickname;
		if (sim->campus.tree_root)
			r->config[i]->trill.tree_root = sim->campus.tree_root->nickname;
	}
	return true;
}

static bool make_rows(const struct rows *r)
{
	const struct sim *sim = r->c->sim;

	for (size_t i = 0; i < r->c->n_ports; i++) {
		if (!set_port(r, &r->c->ports[i]))
			return false;
	}
	if (sim->campus.tree_root)
		find_parents(r, sim->campus.tree_root);
	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		const struct sim_node *node = &sim->nodes[i];

		if (node->kind == SIM_RBRIDGE && (!add_hops(r, node) || !add_tree(r, node)))
			return false;
	}
	return true;
}

/* Returns whether the tables of each RBridge have room. */
static bool check_room(const struct rows *r)
{
	for (uint32_t i = 0; i < r->c->sim->n_nodes; i++) {
		if (!r->config[i] || nicknames_fit(r->config[i]))
			continue;
		/* Message: as "%s: expected at most %d next hops at a port" */
		snprintf(r->err, r->errlen, "%s: expected at most %d next hops",
			 r->c->sim->nodes[i].name, NICKNAMES_HOPS_MAX);
		return false;
	}
	return true;
}

static void put_in_force(const struct rows *r)
{
	for (uint32_t i = 0; i < r->c->sim->n_nodes; i++) {
		if (!r->config[i])
			continue;
		dcb_config_compute_oper(r->config[i]);
		sim_node_adopt(&r->c->sim->nodes[i], r->config[i]);
		r->config[i] = NULL;
	}
}

static bool set_addresses(const struct campus *c)
{
	const struct sim *sim = c->sim;

	for (size_t i = 0; i < c->n_ports; i++) {
		if (!configure_bridges(c, &c->ports[i]))
			return false;
	}
	for (uint32_t i = 0; !sim->campus.learning && i < sim->n_nodes; i++) {
		if (!sim_forwards(sim->nodes[i].kind) && !add_addresses(c, &sim->nodes[i]))
			return false;
	}
	return true;
}

bool campus_configure(const struct campus *c, char *err, size_t errlen)
{
	struct rows r = {.c = c, .err = err, .errlen = errlen};
	bool ok = begin(&r) && check_next_hops(&r) && make_rows(&r) && check_room(&r);

	if (ok)
		put_in_force(&r);
	if (ok && !set_addresses(c))
		ok = no_memory(&r);
	for (uint32_t i = 0; r.config && i < c->sim->n_nodes; i++)
		dcb_config_free(r.config[i]);
	free(r.config);
	free(r.distance);
	free(r.parent);
	free(r.in_tree);
	return ok;
}
