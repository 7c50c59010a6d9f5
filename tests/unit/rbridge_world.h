/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An RBridge in memory and virtual time, with a link at each port, as tests/unit/world.h has a
 * bridge. A test changes the settings and calls rbridge_world_configure().
 */
#ifndef DCB_TESTS_RBRIDGE_WORLD_H
#define DCB_TESTS_RBRIDGE_WORLD_H

#include "dataplane/rbridge/rbridge.h"
#include "dataplane/netio/netio.h"
#include "tests/unit/world.h"

#define RBW_PORTS     6
#define RBW_ADDRESSES 1000 /* in the filtering database */

/* Addresses of RBridges 2 and 3 on their links to RBridge 1 of rbridge_world_campus(). */
#define RBW_M2 UINT64_C(0x02dcb0000200)
#define RBW_M3 UINT64_C(0x02dcb0000300)

struct rbridge_world {
	struct rbridge rb;
	struct dcb_time now;
	unsigned n_ports;
	struct soft_port *ports[RBW_PORTS];
	struct netio *cables[RBW_PORTS];   /* the test's ends of the links */
	struct port_config own[RBW_PORTS]; /* settings of the ports */
	struct port_oper oper[RBW_PORTS];  /* of which pfc_enable is in force */
	struct port_config *in_force;      /* copy of own */
	struct cn_com_pri_config com_pri[DCB_PRIORITIES];
	uint8_t cnpv;
	struct trill_config trill;
	struct trill_egresses egress;
	struct dcb_config *config;
};

/*
 * Creates an RBridge with this nickname, not above 255, without CNPVs. All ports are access ports
 * with PVID 1; port n has the address rbridge_world_mac(nickname, n).
 */
void rbridge_world_init(struct rbridge_world *w, unsigned n_ports, uint16_t nickname);
void rbridge_world_free(struct rbridge_world *w);

/*
 * Creates RBridge 1 with two access ports, 0 and 1, and two links to other RBridges: port 2 to
 * RBridge 2 with designated VLAN 20, port 3 to RBridge 3 with designated VLAN 30. Both reach
 * RBridge 4, which is behind RBridge 2 in the tree. The tree's root is RBridge 1.
 */
void rbridge_world_campus(struct rbridge_world *w);

/* Puts the settings of the first w->n_ports ports in force. */
void rbridge_world_configure(struct rbridge_world *w);

/* Returns the address of a port. */
uint64_t rbridge_world_mac(uint16_t nickname, unsigned port);

/* Adds a next hop to the settings of a port. */
void rbridge_world_hop(struct rbridge_world *w, unsigned port, uint16_t nickname, uint64_t mac,
		       bool tree);

/* The same; unicast: frames to the nickname alone may take it. */
void rbridge_world_row(struct rbridge_world *w, unsigned port, uint16_t nickname, uint64_t mac,
		       bool unicast, bool tree);

/* Adds an address behind a nickname to the settings. */
void rbridge_world_egress(struct rbridge_world *w, uint16_t vid, uint64_t mac, uint16_t nickname);

/* As world_send(), world_turn(), world_recv() and world_forward(). */
void rbridge_world_send(struct rbridge_world *w, unsigned port, const void *octets, uint32_t len);
struct dcb_time rbridge_world_turn(struct rbridge_world *w);
bool rbridge_world_recv(struct rbridge_world *w, unsigned port, struct world_frame *frame);
unsigned rbridge_world_forward(struct rbridge_world *w, unsigned port, const void *octets,
			       uint32_t len, struct world_frame *out);

/* A TRILL frame, written by rbridge_world_trill() without the code under test. */
struct trill_text {
	uint64_t da, sa; /* outer */
	int tci;         /* outer; below 0: no tag */
	uint16_t header; /* V, R, M, OpLen, hop count */
	uint16_t egress, ingress;
	uint32_t options; /* one word of options, if OpLen is 1 */
	uint64_t inner_da, inner_sa;
	int inner_tci;    /* below 0: no tag */
	int flow_id;      /* below 0: no CN-TAG */
	const void *msdu; /* starts with its EtherType; NULL: 88-B5 and zeros */
	uint32_t msdu_len;
};

#define TRILL_MULTI 0x0800 /* M in the header */

/* Writes the frame, padded to 60 octets. Returns its length. */
uint32_t rbridge_world_trill(void *octets, const struct trill_text *text);

#endif
