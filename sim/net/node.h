/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node of the simulation: a bridge, an RBridge, an end station, or a host, which has
 * one port and no congestion notification. A bridge, RBridge or station runs the engine of
 * dcbd; this module decides when the engine is called.
 */
#ifndef DCB_SIM_NODE_H
#define DCB_SIM_NODE_H

#include "sim/net/model.h"

/*
 * Adds a port that sends into link. speed: of its interface. buffer_octets: of its queues, for
 * priorities without PFC. Returns NULL if out of memory or if the node has DCB_SLOTS ports.
 */
struct soft_port *sim_node_add_port(struct sim_node *node, struct sim_link *link,
				    struct dcb_rate speed, uint32_t buffer_octets);

/* Returns the frame buffers of a node that has all its ports. */
uint32_t sim_node_frame_buffers(const struct sim_node *node);

/* Makes the engine and adopts a configuration of all ports. Returns false if out of memory. */
bool sim_node_start(struct sim_node *node);
void sim_node_destroy(struct sim_node *node);

/* Processes a frame that arrived over a link at the port in; len in octets. */
void sim_node_receive(struct sim_node *node, struct soft_port *in, const uint8_t *octets,
		      uint32_t len, struct dcb_time now);

/* Runs applications and engine at a deadline of either, and sets the next one in the heap. */
void sim_node_run(struct sim_node *node, struct dcb_time now);

/* Follows a change of port->base.link: speed, up or down. */
void sim_node_link(struct sim_node *node, struct soft_port *port);

/* Puts config in force. Takes it over and frees the configuration it replaces. */
void sim_node_adopt(struct sim_node *node, struct dcb_config *config);

/* node_bridge.c, node_station.c, node_host.c */
extern const struct sim_node_ops sim_bridge_ops, sim_rbridge_ops, sim_station_ops, sim_host_ops;

#endif
