/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An end station, 802.1Q clause 31, over soft_ports: what the host sends is
 * slowed down where the network asks for it.
 *
 *   host -> station_from_host(): priority, flow select
 *             CNPV:  flow queue -> reaction point --+-> port queue, CP -> wire
 *             other: ---------------------------------> port queue ----> wire
 *   wire -> station_receive():
 *             CNM:   demultiplexer -> reaction point
 *             other: tags removed -> host
 *
 * A port has a host side of its own; nothing goes from one port to another.
 *
 * Flow queues of a priority take turns, frame by frame. As long as the port has
 * enough to send, what could follow waits in the flow queues, so that the port's
 * own queue stays short of its set point and no flow gets ahead of another; only
 * where reaction points alone ask for more than the port can send does its
 * congestion point see it, and slows them down as any other would.
 *
 * No thread and no clock; allocates only in station_init() and
 * station_port_new(). All calls but station_port_new(), station_port_free() and
 * station_read_...() come from one thread.
 */
#ifndef DCB_DATAPLANE_STATION_STATION_H
#define DCB_DATAPLANE_STATION_STATION_H

#include <sys/queue.h>

#include "dataplane/core/flow.h"
#include "dataplane/port/port_set.h"

/* rpgMaxRate's default where the port's speed is unknown is RP_UNKNOWN_SPEED_MBPS. */

/* What a flow queue holds where port_settings.flow_buffer is 0: octets. */
#define STATION_FLOW_BUFFER (UINT32_C(1) << 20)

/* How late a reaction point's frame may be without losing rate. */
#define STATION_CATCH_UP_NS DCB_NS_PER_MS

struct station_params {
	uint32_t frame_buffers;
	uint32_t frame_octets; /* longest frame, without FCS and CN-TAG */
	uint64_t seed;
	const struct flow_rules *flows; /* copied; NULL: none */
};

struct station_port;

LIST_HEAD(station_port_list, station_port);

struct station {
	struct port_set ports;
	struct flow_rules flows;
	uint64_t flow_seed;
	struct station_port_list busy; /* ports with flow queues or reaction points at work */
	struct dcb_time now;           /* of the call we are in */
	uint8_t *scratch;              /* a frame on its way to the host */
};

/* ops may be NULL. false: no memory. */
bool station_init(struct station *st, const struct station_params *params,
		  const struct port_set_ops *ops, void *ctx);
/* Detaches the ports, which are the caller's and still there. */
void station_destroy(struct station *st);

/*
 * What a port of a station has besides: to be there before a configuration names
 * the port, and to be freed after none does. host: where its frames for the host
 * go, NULL: nowhere; it stays the caller's. false: no memory.
 */
bool station_port_new(struct soft_port *port, struct netio *host);
void station_port_free(struct soft_port *port);
struct netio *station_port_host(const struct soft_port *port);
void station_port_set_host(struct soft_port *port, struct netio *host);

/* Puts a configuration in force; the former one is not looked at afterwards. */
void station_adopt(struct station *st, const struct dcb_config *config, struct dcb_time now);

/* A frame arrived from the wire. wire_octets > len: it was cut off. */
void station_receive(struct station *st, struct soft_port *port, const uint8_t *octets,
		     uint32_t len, uint32_t wire_octets, struct dcb_time now);

/* The host sends a frame by this port. */
void station_from_host(struct station *st, struct soft_port *port, const uint8_t *octets,
		       uint32_t len, uint32_t wire_octets, struct dcb_time now);

/* Sends what is due on all ports; when to call again if nothing else happens. */
struct dcb_time station_transmit(struct station *st, struct dcb_time now);

/* The port's link went down (all it has queued is lost), came up, has another speed or address. */
void station_port_down(struct station *st, struct soft_port *port, struct dcb_time now);
void station_port_up(struct station *st, struct soft_port *port, struct dcb_time now);
void station_port_changed(struct station *st, struct soft_port *port, struct dcb_time now);

/* For any thread; zero where the port is no station's. index counts from 1. */
void station_read_rp_port_pri(const struct soft_port *port, unsigned priority,
			      struct rp_port_pri_stats *out);
void station_read_rp(const struct soft_port *port, unsigned priority, unsigned index,
		     struct rp_stats *out);
void station_read_cnm(const struct soft_port *port, struct cnm_stats *out);

#endif
