/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts the identifiers and the name of a neighbor to text. The input is from the
 * network and can be any octets; the output is UTF-8 without control characters, of at
 * most NEIGHBOR_TEXT_OCTETS. Pure functions.
 */
#ifndef DCB_CONTROL_OBJECTS_NEIGHBOR_TEXT_H
#define DCB_CONTROL_OBJECTS_NEIGHBOR_TEXT_H

#include "lldp/client/lldp_client.h"

#define NEIGHBOR_TEXT_OCTETS 256 /* with the terminating null */

/*
 * Format a chassis ID or port ID (802.1AB 8.5.2, 8.5.3): a MAC address as 00-1b-21-...,
 * an IPv4 or IPv6 address in its usual notation, a name unchanged, other subtypes and
 * names with unsafe characters in hexadecimal. Hexadecimal that is too long ends in "...".
 */
void neighbor_chassis_text(const struct lldp_id *id, char text[NEIGHBOR_TEXT_OCTETS]);
void neighbor_port_text(const struct lldp_id *id, char text[NEIGHBOR_TEXT_OCTETS]);

/* Copies a name; each octet that is not part of a safe character becomes "?". */
void neighbor_name_text(const char *name, char text[NEIGHBOR_TEXT_OCTETS]);

#endif
