/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node of the simulation: a bridge, an end station, or a plain host that has a
 * port and knows nothing of congestion notification. Around each is the engine
 * that dcbd has too; what is here says when it is called.
 */
#ifndef DCB_SIM_NODE_H
#define DCB_SIM_NODE_H

#include "dataplane/bridge/bridge.h"
#include "dataplane/config/dcb_config.h"
#include "sim/app.h"

#define SIM_NAME_OCTETS 32

struct lldp_client;
struct lldp_ports;
struct sim;
struct sim_node;
struct sim_link;

enum sim_kind { SIM_BRIDGE, SIM_STATION, SIM_HOST };

/* The kinds of nodes. Every engine is over a port_set. */
struct sim_node_ops {
	/* Engine of a node whose ports are known. false: no memory. */
	bool (*init)(struct sim_node *node, uint32_t frame_buffers);
	void (*destroy)(struct sim_node *node);
	/* A frame arrived at a port. */
	void (*receive)(struct sim_node *node, struct soft_port *in, const uint8_t *octets,
			uint32_t len, struct dcb_time now);
	/* A frame of the node's own applications. false: it was not taken. */
	bool (*from_host)(struct sim_node *node, const uint8_t *octets, uint32_t len,
			  struct dcb_time now);
	/* Sends what is due; when to call again. */
	struct dcb_time (*transmit)(struct sim_node *node, struct dcb_time now);
	/* A configuration is in force. */
	void (*adopt)(struct sim_node *node, const struct dcb_config *config, struct dcb_time now);
	/* A port's link has another speed, or came up, or went down. */
	void (*link)(struct sim_node *node, struct soft_port *port, struct dcb_time now);
};

struct sim_node {
	struct sim *sim;
	uint32_t id; /* place among the nodes, and in the event heap */
	enum sim_kind kind;
	char name[SIM_NAME_OCTETS];
	uint8_t mac[ETH_ADDR_OCTETS];
	int64_t transit_ns;  /* a bridge's maximum transit delay; 0: no limit */
	int64_t response_ns; /* what it takes to obey a PFC frame, once that is there */
	/* Of all its ports, before sim_start(): what dcbd.conf says besides rate and buffer. */
	struct port_settings settings;
	const struct sim_node_ops *ops;
	void *engine;
	struct port_set *set; /* in the engine */
	struct dcb_config *config;
	struct lldp_ports *lldp; /* NULL: does not speak it */
	struct lldp_client *agent;
	unsigned n_ports, ports_room;
	struct soft_port **ports; /* by slot */
	struct sim_link **links;  /* what each sends into */
	struct dcb_time deadline; /* of the engine */
	struct sim_app app;
};

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

/* Called while a port sends: one of the node's own frames may be among them. */
static inline void sim_node_frame_left(struct sim_node *node, const uint8_t *octets, uint32_t len)
{
	if (node->app.n_flows)
		sim_app_frame_left(node, octets, len);
}

/* The link of a port changed: base.link says how it is now. */
void sim_node_link(struct sim_node *node, struct soft_port *port);

/* ops->link of bridges and hosts. */
void sim_node_plain_link(struct sim_node *node, struct soft_port *port, struct dcb_time now);

/* Puts an edited copy of the configuration in force; the former one is freed. */
void sim_node_adopt(struct sim_node *node, struct dcb_config *config);

/* node_bridge.c, node_station.c, node_host.c */
extern const struct sim_node_ops sim_bridge_ops, sim_station_ops, sim_host_ops;

#endif
