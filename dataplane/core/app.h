/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Application priorities, 802.1Q D.2.11.3: the priority of a frame by the application that
 * it belongs to. Of several entries that match a frame, the most specific one applies
 * (choice: the standard has no order):
 *
 *   1. destination port: of the protocol, then of any protocol; the same of the source port,
 *      which the answers of a server have
 *   2. DSCP of an IP packet
 *   3. EtherType
 *   4. default: EtherType 0
 *
 * Fragments have one priority, that of their DSCP or EtherType, because only the first one
 * has ports, and frames of a packet must not overtake each other.
 */
#ifndef DCB_CORE_APP_H
#define DCB_CORE_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/core/flow.h"

/* D.2.11.3, LldpXdot1dcbxAppSelector. */
enum app_selector {
	APP_ETHERTYPE = 1, /* EtherType; 0: default */
	APP_TCP,           /* port of TCP or SCTP */
	APP_UDP,           /* port of UDP or DCCP */
	APP_PORT,          /* port of TCP, SCTP, UDP or DCCP */
	APP_DSCP,
};

struct app_priority {
	uint8_t selector; /* enum app_selector */
	uint8_t priority;
	uint16_t protocol; /* EtherType, port or DSCP */
};

#define APP_MAX   168 /* entries of a TLV, at most */
#define APP_DSCPS 64
#define APP_NONE  0xff /* no priority */

/* Application priorities, prepared to look up frames. All zero: has no entry. */
struct app_map {
	uint8_t selectors;       /* of the entries: a bit for each enum app_selector */
	uint8_t fallback;        /* default priority, or APP_NONE */
	uint8_t dscp[APP_DSCPS]; /* priority of each DSCP, or APP_NONE */
	uint16_t n;
	struct app_priority of[APP_MAX]; /* EtherTypes and ports, ascending */
};

/* Prepares n entries, at most APP_MAX, ascending by (selector, protocol). */
void app_map_init(struct app_map *map, const struct app_priority *entries, size_t n);

/* Returns the priority of a frame with these keys; APP_NONE: no entry matches. */
uint8_t app_map_find(const struct app_map *map, const struct flow_keys *keys);

#endif
