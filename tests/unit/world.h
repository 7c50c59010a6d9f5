/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bridge with cables plugged into its ports, in memory and virtual time:
 * put a frame into a cable, turn the world, look what comes out of the others.
 */
#ifndef DCB_TESTS_WORLD_H
#define DCB_TESTS_WORLD_H

#include "dataplane/bridge/bridge.h"
#include "dataplane/netio/netio.h"

#define WORLD_PORTS  8
#define WORLD_OCTETS 2048

struct world {
	struct bridge bridge;
	struct dcb_time now;
	unsigned n_ports;
	struct soft_port *ports[WORLD_PORTS];
	struct netio *cables[WORLD_PORTS]; /* far ends */
	struct port_config port_config;    /* of the ports that have none of their own */
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

/* Ports have PVID 1 and a megabyte of buffer; no CNPV. params: NULL for plenty of everything. */
void world_init(struct world *w, unsigned n_ports, const struct bridge_params *params);
void world_free(struct world *w);

/*
 * A new configuration of the first n_ports ports, with w->port_config and w->com_pri,
 * which world_init() leaves with the interior ready for CN-TAGs everywhere.
 */
void world_configure(struct world *w, unsigned n_ports, uint8_t cnpv);

/* The frame arrives at the port. */
void world_send(struct world *w, unsigned port, const void *octets, uint32_t len);

/* Forwards all that arrived and sends all that is due. */
struct dcb_time world_turn(struct world *w);

/* The next frame that left the port; false: none. */
bool world_recv(struct world *w, unsigned port, struct world_frame *frame);

/* world_send(), world_turn(); bit n of the result: it left port n. *out: the last one. */
unsigned world_forward(struct world *w, unsigned port, const void *octets, uint32_t len,
		       struct world_frame *out);

/* Builds a frame: tci < 0 for no tag. Payload counts up. Returns len. */
uint32_t world_frame(void *octets, uint64_t da, uint64_t sa, int tci, uint32_t len);

#endif
