/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a bridge, an RBridge and a station have in common: each is the owner of a port set, its
 * first member, and moves the frames of these ports. Provider "soft" and the simulator call an
 * engine by this table. The dataplane thread makes all calls.
 */
#ifndef DCB_DATAPLANE_PORT_ENGINE_H
#define DCB_DATAPLANE_PORT_ENGINE_H

#include "dataplane/config/provider.h"
#include "dataplane/port/port_set.h"

struct engine_ops {
	uint32_t lacks; /* capabilities that its ports do not have: PROVIDER_RP ... */
	/* Detaches the ports. The caller owns them, and the engine's memory. */
	void (*destroy)(struct port_set *engine);
	/* Processes a frame received from the link. wire_octets: its length there, len or more. */
	void (*receive)(struct port_set *engine, struct soft_port *port, const uint8_t *octets,
			uint32_t len, uint32_t wire_octets, struct dcb_time now);
	/* As port_set_...() */
	struct dcb_time (*transmit)(struct port_set *engine, struct dcb_time now);
	void (*adopt)(struct port_set *engine, const struct dcb_config *config,
		      struct dcb_time now);
	void (*port_up)(struct port_set *engine, struct soft_port *port, struct dcb_time now);
	void (*port_down)(struct port_set *engine, struct soft_port *port, struct dcb_time now);
	void (*port_changed)(struct port_set *engine, struct soft_port *port, struct dcb_time now);
	bool (*grow)(struct port_set *engine, uint32_t frame_octets);
	/* Removes aged addresses: once a second. NULL: it has none. */
	void (*tick)(struct port_set *engine, struct dcb_time now);
};

#endif
