/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a neighbor calls itself as text. It comes from the network and may be
 * anything: what leaves here is UTF-8 without control characters, and fits.
 */
#ifndef DCB_CONTROL_OBJECTS_NEIGHBOR_TEXT_H
#define DCB_CONTROL_OBJECTS_NEIGHBOR_TEXT_H

#include "lldp/client/lldp_client.h"

#define NEIGHBOR_TEXT_OCTETS 256 /* of the longest text, its end included */

/*
 * Chassis ID or port ID: 802.1AB 8.5.2, 8.5.3. MAC addresses as 00-1b-21-...,
 * network addresses in their own notation, names as they are, all else in hex.
 * What is too long ends in "...".
 */
void neighbor_chassis_text(const struct lldp_id *id, char text[NEIGHBOR_TEXT_OCTETS]);
void neighbor_port_text(const struct lldp_id *id, char text[NEIGHBOR_TEXT_OCTETS]);

/* A name: each octet that is not part of a harmless character becomes a question mark. */
void neighbor_name_text(const char *name, char text[NEIGHBOR_TEXT_OCTETS]);

#endif
