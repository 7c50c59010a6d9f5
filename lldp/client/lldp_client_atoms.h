/* SPDX-License-Identifier: BSD-3-Clause */
/* What atoms of liblldpctl say, as structures of ours. */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_ATOMS_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_ATOMS_H

#include <lldpctl.h>

#include "lldp/client/lldp_client_port.h"

/*
 * A neighbor on one of our interfaces. false: it speaks another protocol, or is not as a
 * neighbor can be (802.1AB 8.5): subtypes, lengths and times out of range.
 */
bool atoms_remote(lldpctl_atom_t *neighbor, const char *ifname, struct lldp_remote *out);
/* A port of ours, as conn_port(). */
bool atoms_port(lldpctl_atom_t *port, struct conn_port *out);

#endif
