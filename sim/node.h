/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node of the simulation: a bridge, an end station, or a plain host that has a
 * port and knows nothing of congestion notification. Around each is the engine
 * that dcbd has too; what is here says when it is called.
 */
#ifndef DCB_SIM_NODE_H
#define DCB_SIM_NODE_H

#include "sim/model.h"

/* A new port that sends into the link. NULL: no memory. */
struct soft_port *sim_node_add_port(struct sim_node *node, struct sim_link *link,
				    uint32_t buffer_octets);

/* The engine, and a configuration that names all ports. false: no memory. */
bool sim_node_start(struct sim_node *node);
void sim_node_destroy(struct sim_node *node);

/* A frame arrived over a link. */
void sim_node_receive(struct sim_node *node, struct soft_port *in, const uint8_t *octets,
		      uint32_t len, struct dcb_time now);

/* Something is due: the engine's deadline or an application's. */
void sim_node_run(struct sim_node *node, struct dcb_time now);

/* The link of a port changed: base.link says how it is now. */
void sim_node_link(struct sim_node *node, struct soft_port *port);

/* ops->link of bridges and hosts. */
void sim_node_plain_link(struct sim_node *node, struct soft_port *port, struct dcb_time now);

/* Puts an edited copy of the configuration in force; the former one is freed. */
void sim_node_adopt(struct sim_node *node, struct dcb_config *config);

/* node_bridge.c, node_station.c, node_host.c */
extern const struct sim_node_ops sim_bridge_ops, sim_station_ops, sim_host_ops;

#endif
