/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An end station, 802.1Q clause 31, over soft_ports: reaction points limit the rate
 * of the host's flows when CNMs arrive.
 *
 *   host -> station_read_host(): priority (rules, application priorities), flow select
 *             CNPV:  flow queue -> reaction point --+-> port queue, CP -> wire
 *             other: ---------------------------------> port queue ----> wire
 *   wire -> station_receive():
 *             CNM:   demultiplexer -> reaction point
 *             other: tags removed -> host
 *
 * Each port has its own host side. No frame goes from one port to another.
 *
 * The flow queues of a priority send in turns, a frame each. While the port's queue
 * has enough frames, further ones wait in the flow queues: the port's queue stays
 * below its set point and no flow overtakes another. Only if all flows that could
 * send are rate-limited and exceed the port rate, their frames fill the port's queue
 * and the port's own congestion point slows them down.
 *
 * While one priority alone has frames, and the interface accepts them, up to 64 frames pass the
 * port's queue in one call of the interface, and the congestion point counts each. Otherwise few
 * long ones would fit the queue for each call.
 *
 * Programs on the host, as iperf3 or an iSCSI initiator, need no change.
 *
 * Has no thread and no clock. Allocates memory only in station_init(), station_port_new()
 * and station_port_prepare(). The dataplane thread makes all calls, unless a function says
 * otherwise.
 */
#ifndef DCB_DATAPLANE_STATION_STATION_H
#define DCB_DATAPLANE_STATION_STATION_H

#include <sys/queue.h>

#include "dataplane/core/flow.h"
#include "dataplane/port/engine.h"

/* If the port's speed is unknown, the default of rpgMaxRate is RP_UNKNOWN_SPEED_MBPS. */

/* Octets that a flow queue may hold if port_settings.flow_buffer_octets is 0. */
#define STATION_FLOW_BUFFER (UINT32_C(1) << 20)

/* A reaction point's frame that is sent late by up to this time loses no rate. */
#define STATION_CATCH_UP_NS DCB_NS_PER_MS

struct station_params {
	uint32_t frame_buffers;
	/* Longest frame, without FCS and CN-TAG; ETH_MIN_OCTETS + ETH_TAG_OCTETS or more. */
	uint32_t frame_octets;
	uint32_t slots;             /* as in struct port_set_params */
	struct frame_extent extent; /* as there */
	struct frame_store *store;  /* as there */
	uint64_t seed;
	const struct flow_rules *flows; /* copied; NULL: none */
};

struct station_port;

LIST_HEAD(station_port_list, station_port);

struct station {
	struct port_set ports; /* first member: struct engine_ops */
	struct flow_rules flows;
	uint64_t flow_seed;
	struct station_port_list busy; /* ports with queued flows or enabled reaction points */
	struct dcb_time now;           /* argument of the present call */
	/* A frame without its tags, or one of the host for which there is no buffer. */
	uint8_t *scratch;
};

/* ops may be NULL. Returns false if there is no memory. */
bool station_init(struct station *st, const struct station_params *params,
		  const struct port_set_ops *ops, void *ctx);
/* Detaches the ports. The caller owns them and frees them afterwards. */
void station_destroy(struct station *st);

/* port_set_grow() of its ports. */
bool station_grow(struct station *st, uint32_t frame_octets);

/*
 * Allocates the station's part of a port, with one flow queue for each priority. host:
 * receives the frames for the host, NULL: they are discarded; the caller owns it.
 * Called before a configuration names the port. Control thread. Returns false if
 * there is no memory.
 */
bool station_port_new(struct soft_port *port, struct netio *host);
/*
 * Allocates what the port's flow queues need in a configuration: cnpvs, its acting CNPVs, one
 * bit each, and config, the port's part. Called before that is published. destinations: number
 * of those to which the port sends at the same time; 0: unknown. station_port_free() frees the
 * memory, no earlier call does. Control thread. Returns false if there is no memory.
 */
bool station_port_prepare(struct soft_port *port, uint8_t cnpvs, const struct port_config *config,
			  uint32_t destinations);
/* Frees it, after the port is detached. Control thread. */
void station_port_free(struct soft_port *port);
/*
 * Return and set the host side; NULL: the port has none. Dataplane thread while the
 * configuration in force names the port, else control thread.
 */
struct netio *station_port_host(const struct soft_port *port);
void station_port_set_host(struct soft_port *port, struct netio *host);

/* Puts a configuration in force. The previous one is not read after the call. */
void station_adopt(struct station *st, const struct dcb_config *config, struct dcb_time now);

/*
 * Processes a frame received from the link: a CNM, or a frame for the host.
 * wire_octets: length of the frame on the link; > len if it was truncated.
 */
void station_receive(struct station *st, struct soft_port *port, const uint8_t *octets,
		     uint32_t len, uint32_t wire_octets, struct dcb_time now);

/*
 * Reads up to max frames that the host sends by this port, each into the buffer that it is queued
 * in, and queues or discards and counts them. Returns their number, or -errno as netio.read().
 */
int station_read_host(struct station *st, struct soft_port *port, unsigned max,
		      struct dcb_time now);

/* The same for one frame that the caller has: it is copied. */
void station_from_host(struct station *st, struct soft_port *port, const uint8_t *octets,
		       uint32_t len, uint32_t wire_octets, struct dcb_time now);

/* Sends the frames that are due on all ports. Returns when to call again without other events. */
struct dcb_time station_transmit(struct station *st, struct dcb_time now);

/* The port's link went down: discards its queued frames and resets its reaction points. */
void station_port_down(struct station *st, struct soft_port *port, struct dcb_time now);
/* The port's link came up. */
void station_port_up(struct station *st, struct soft_port *port, struct dcb_time now);
/* The link's speed, MTU or address changed. */
void station_port_changed(struct station *st, struct soft_port *port, struct dcb_time now);

/* The functions above for a station. */
extern const struct engine_ops station_engine;

/*
 * Read statistics; all zero for a bridge port. index: of the reaction point, 1 to
 * RPPP_MAX_RPS_LIMIT. Any thread.
 */
void station_read_rp_port_pri(const struct soft_port *port, unsigned priority,
			      struct rp_port_pri_stats *out);
void station_read_rp(const struct soft_port *port, unsigned priority, unsigned index,
		     struct rp_stats *out);
void station_read_cnm(const struct soft_port *port, struct cnm_stats *out);

#endif
