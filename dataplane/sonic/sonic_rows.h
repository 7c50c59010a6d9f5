/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports of a SONiC switch, from the rows of its databases. Pure. */
#ifndef DCB_SONIC_SONIC_ROWS_H
#define DCB_SONIC_SONIC_ROWS_H

#include "dataplane/sonic/sonic_port.h"

/*
 * Returns the ifIndex of a port as SONiC's SNMP agent has it: EthernetN N + 1, Ethernet-BPN
 * 9000 + N, Ethernet-IBN 11000 + N, Ethernet-RecN 12000 + N. 0: no port has this name, or the
 * number is too large. It is unique in a switch: names of ports are, over all ASICs.
 */
uint32_t sonic_ifindex(const char *name);

/* Sets *out to what the rows say of the switch. */
void sonic_switch_of(const struct sonic_rows *rows, struct sonic_switch *out);

/*
 * Sets *out to what the rows say of a port, without counters. name: of PORT. Returns false if it is
 * no port: sonic_ifindex() is 0 or the name is too long.
 */
bool sonic_port_of(const struct sonic_rows *rows, const char *name, struct sonic_port *out);

/* Object identifiers of SAI of a port; 0: none. */
struct sonic_oids {
	uint64_t port;
	uint64_t queue[DCB_PRIORITIES]; /* by the number of the queue */
	uint64_t pg[DCB_PRIORITIES];    /* by the number of the PG */
};
/* Sets *out, and port->error to a malformed value. */
void sonic_oids_of(const struct sonic_rows *rows, struct sonic_port *port, struct sonic_oids *out);

#endif
