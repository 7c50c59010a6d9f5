/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts atoms of liblldpctl to structs of lldp_client.h. */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_ATOMS_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_ATOMS_H

#include <lldp-const.h>
#include <lldpctl.h>

#include "lldp/client/lldp_client_port.h"

/*
 * Reads a neighbor of the interface. false: not an LLDP neighbor, or a subtype, length or
 * time to live is out of range (802.1AB 8.5).
 */
bool atoms_remote(lldpctl_atom_t *neighbor, const char *ifname, struct lldp_remote *out);
/* The library's name of a status. */
const char *atoms_status(enum port_status status);
/* Reads a local port, or the default port. false: out of memory. The caller frees out->tlvs. */
bool atoms_port(lldpctl_atom_t *port, struct conn_port *out);

#endif
