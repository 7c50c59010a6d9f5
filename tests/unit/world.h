/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bridge in memory and virtual time, with a link at each port. A test sends a frame
 * into a link, runs the bridge with world_turn() and receives from the other links.
 */
#ifndef DCB_TESTS_WORLD_H
#define DCB_TESTS_WORLD_H

#include "dataplane/bridge/bridge.h"
#include "dataplane/netio/netio.h"

#define WORLD_PORTS  25
#define WORLD_OCTETS 2048

struct world {
	struct bridge bridge;
	struct dcb_time now;
	unsigned n_ports;
	struct soft_port *ports[WORLD_PORTS];
	struct netio *cables[WORLD_PORTS]; /* the test's ends of the links */
	struct port_config port_config;    /* of ports whose own[] is NULL */
	struct port_config *own[WORLD_PORTS];
	struct cn_com_pri_config com_pri[DCB_PRIORITIES];
	struct cn_global_config global;
	uint8_t system_address[ETH_ADDR_OCTETS];
	struct dcb_config *config;
};

struct world_frame {
	uint8_t octets[WORLD_OCTETS + 4];
	uint32_t len;
};

/*
 * Creates a bridge without CNPVs. Its ports have PVID 1 and 1 MB of buffer. params NULL:
 * enough frame buffers and FDB entries for every test.
 */
void world_init(struct world *w, unsigned n_ports, const struct bridge_params *params);
void world_free(struct world *w);
/* Of a world in *state that malloc() returned: asserts that all frame buffers are free. */
int world_tear_down(void **state);

/*
 * Applies a new configuration of the first n_ports ports, with w->port_config and
 * w->com_pri. world_init() sets these to defense mode interiorReady. cnpv: the CNPVs,
 * one bit each.
 */
void world_configure(struct world *w, unsigned n_ports, uint8_t cnpv);

struct port_stats world_stats(const struct world *w, unsigned port);

/* A frame arrives at the port. */
void world_send(struct world *w, unsigned port, const void *octets, uint32_t len);

/* Runs the bridge once, at the current time. Returns when to run it again. */
struct dcb_time world_turn(struct world *w);

/* Receives the next frame that the port sent. false: there is none. */
bool world_recv(struct world *w, unsigned port, struct world_frame *frame);

/*
 * Sends a frame with world_send() and runs the bridge. Returns the ports that sent a frame,
 * one bit each; *out: the frame of the last such port.
 */
unsigned world_forward(struct world *w, unsigned port, const void *octets, uint32_t len,
		       struct world_frame *out);

/* Builds a frame of len octets whose payload counts up; tci < 0: no VLAN tag. Returns len. */
uint32_t world_frame(void *octets, uint64_t da, uint64_t sa, int tci, uint32_t len);

#endif
