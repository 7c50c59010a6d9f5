/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Assignment of priorities to queues: the traffic class table, 802.1Q 8.6.6 and
 * 8.6.8. The number of a queue is its lowest priority.
 *
 * A queue of several priorities sends only while none of them is paused: a
 * paused frame at its head would block the others. It has no congestion point,
 * as a congestion point serves the frames of one priority (clause 31). So a
 * CNPV gets a queue of its own within its class.
 */
#ifndef DCB_CORE_TCLASS_H
#define DCB_CORE_TCLASS_H

#include <stdint.h>

#include "lib/units.h"

struct tclass_map {
	uint8_t queue[DCB_PRIORITIES];   /* of each priority */
	uint8_t members[DCB_PRIORITIES]; /* of each queue: its priorities, one bit each */
	uint8_t order[DCB_PRIORITIES];   /* all queues, highest precedence first */
};

/*
 * Table 8-5 for eight classes: one priority per class. Priority 1 is
 * "background", below the default priority 0.
 */
extern const uint8_t tclass_recommended[DCB_PRIORITIES];

/*
 * Sets *map. classes: class of each priority, 0..7, higher classes send first.
 * alone: priorities with a queue of their own, one bit each.
 */
void tclass_map(struct tclass_map *map, const uint8_t classes[DCB_PRIORITIES], uint8_t alone);

#endif
