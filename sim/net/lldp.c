/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/net/lldp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/managed/lldp_ports.h"
#include "sim/net/node.h"
#include "lldp/client/lldp_client_memory.h"

#define DELAY_NS DCB_NS_PER_MS
#define TX_ALL   (1u << DCB_TLV_CN | 1u << DCB_TLV_ETS | 1u << DCB_TLV_ETS_RECO | 1u << DCB_TLV_PFC)

struct sim_lldp {
	struct lldp_memory *memory;
	int64_t now_ms; /* the time memory has been advanced to */
};

/* --- callbacks of lldp_ports ------------------------------------------------------- */

static struct dcb_time node_now(void *owner)
{
	return ((struct sim_node *)owner)->sim->now;
}

static void publish(struct sim_node *node, struct dcb_config *config)
{
	dcb_config_compute_oper(config);
	sim_node_adopt(node, config);
}

/* Ignored: a simulation has no notifications, and a mismatch shows in its results. */
static void node_mismatch(void *owner, const struct port *port, bool mismatch, struct dcb_time now)
{
	(void)owner;
	(void)port;
	(void)mismatch;
	(void)now;
}

static const struct lldp_owner_ops owner_ops = {
    .now = node_now,
    .mismatch = node_mismatch,
};

static void schedule(struct sim *sim, struct dcb_time at)
{
	sim->lldp_due = dcb_time_min(sim->lldp_due, at);
}

static void wake(void *ctx)
{
	struct sim *sim = ((struct sim_node *)ctx)->sim;

	schedule(sim, dcb_time_add_ns(sim->now, DELAY_NS));
}

/* --- events ------------------------------------------------------------------------ */

/* Publishes changes that follow from neighbors. No provider can refuse them here. */
static struct dcb_time run_node(struct sim_node *node)
{
	struct dcb_time now = node->sim->now;
	struct dcb_config *config;

	if (lldp_ports_evaluate(node->lldp, node->config, now)) {
		config = dcb_config_copy(node->config);
		if (!config) {
			lldp_ports_aborted(node->lldp);
			return dcb_time_add_ns(now, DCB_NS_PER_S);
		}
		publish(node, config);
	}
	return lldp_ports_run(node->lldp, now);
}

void sim_lldp_run(struct sim *sim)
{
	struct sim_lldp *lldp = sim->lldp;
	int64_t now_ms = sim->now.ns / DCB_NS_PER_MS;

	sim->lldp_due = DCB_TIME_NEVER;
	(void)lldp_memory_advance(lldp->memory, (uint32_t)(now_ms - lldp->now_ms));
	lldp->now_ms = now_ms;
	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		if (sim->nodes[i].lldp)
			schedule(sim, run_node(&sim->nodes[i]));
	}
}

static void compute_oper(struct sim_node *node, struct dcb_config *config)
{
	(void)lldp_ports_compute_oper(node->lldp, node->config, config);
}

/* Hands the TLVs over; the neighbors receive them after DELAY_NS. */
static void published(struct sim_node *node)
{
	lldp_ports_published(node->lldp);
	wake(node);
}

static void link_changed(struct sim_node *node, const struct soft_port *port)
{
	lldp_memory_carrier(node->agent, port->base.link.name, port->base.link.up);
	lldp_ports_link(node->lldp, &port->base);
}

static const struct sim_lldp_ops ops = {
    .compute_oper = compute_oper,
    .published = published,
    .link = link_changed,
};

/* --- creation ---------------------------------------------------------------------- */

static bool fail(char *err, size_t errlen, const char *what, const struct sim_node *node)
{
	snprintf(err, errlen, "lldp: %s: %s", node->name, what);
	return false;
}

/* The LLDP agent identifies ports by name: the name of the node at the other end, cut to fit. */
static bool names_differ(const struct sim_node *node)
{
	for (unsigned i = 1; i < node->n_ports; i++) {
		for (unsigned k = 0; k < i; k++)
			if (strcmp(node->ports[i]->base.link.name,
				   node->ports[k]->base.link.name) == 0)
				return false;
	}
	return true;
}

static bool start_node(struct sim *sim, struct sim_node *node, char *err, size_t errlen)
{
	if (!names_differ(node))
		/*
		 * Message: With `lldp`, a port is identified by the beginning of the name of its
		 * neighbor. Rename neighbors of this node.
		 */
		return fail(err, errlen,
			    "expected neighbors whose names differ in their first 15 characters",
			    node);
	node->lldp = lldp_ports_new(&owner_ops, node, 0, NULL);
	if (!node->lldp)
		return fail(err, errlen, "out of memory", node);
	node->agent = lldp_client_memory(sim->lldp->memory, node->name, node->mac,
					 &lldp_ports_events, node->lldp);
	if (!node->agent)
		return fail(err, errlen, "out of memory", node);
	lldp_ports_use(node->lldp, node->agent, wake, node);
	for (unsigned i = 0; i < node->n_ports; i++) {
		const struct link_info *link = &node->ports[i]->base.link;

		if (!lldp_memory_port(node->agent, link->name, link->mac))
			return fail(err, errlen, "out of memory", node);
	}
	return true;
}

/* Publishes the node's configuration with transmission of the TLVs enabled. */
static bool enable_tlvs(struct sim_node *node)
{
	struct dcb_config *config = dcb_config_copy(node->config);

	for (size_t i = 0; config && i < config->n_ports; i++) {
		struct port_config *pc = dcb_config_edit_port(config, i);

		if (!pc) {
			dcb_config_free(config);
			return false;
		}
		pc->dcbx.tx_enable = TX_ALL;
	}
	if (config)
		publish(node, config);
	return config;
}

bool sim_lldp_start(struct sim *sim, char *err, size_t errlen)
{
	sim->lldp = calloc(1, sizeof(*sim->lldp));
	if (!sim->lldp) {
		snprintf(err, errlen, "out of memory");
		return false;
	}
	sim->lldp_ops = &ops;
	sim->lldp->memory = lldp_memory_new(false);
	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		struct sim_node *node = &sim->nodes[i];

		if (!sim->lldp->memory)
			return fail(err, errlen, "out of memory", node);
		if (node->kind != SIM_HOST && !start_node(sim, node, err, errlen))
			return false;
	}
	for (uint32_t i = 0; i < sim->n_links; i += 2) {
		const struct sim_link *link = &sim->links[i];

		if (link->from->lldp && link->to->lldp)
			lldp_memory_wire(link->from->agent, link->out->base.link.name,
					 link->to->agent, link->in->base.link.name);
	}
	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		if (sim->nodes[i].lldp && !enable_tlvs(&sim->nodes[i]))
			return fail(err, errlen, "out of memory", &sim->nodes[i]);
	}
	return true;
}

void sim_lldp_destroy(struct sim *sim)
{
	if (!sim->lldp)
		return;
	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		lldp_ports_free(sim->nodes[i].lldp);
		sim->nodes[i].lldp = NULL;
	}
	lldp_memory_free(sim->lldp->memory);
	free(sim->lldp);
	sim->lldp = NULL;
}
