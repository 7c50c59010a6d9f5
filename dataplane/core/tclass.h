/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which priorities share a queue: the traffic class table, 802.1Q 8.6.6 and
 * 8.6.8. A queue is called by one of its priorities, the lowest.
 *
 * A queue that several priorities share can send only while none of them is
 * paused: a paused frame at its head would hold back the others anyway. And it
 * can have no congestion point, for that is about the frames of one priority
 * alone (clause 31): so a CNPV leaves the queue of its class for one of its own.
 */
#ifndef DCB_CORE_TCLASS_H
#define DCB_CORE_TCLASS_H

#include <stdint.h>

#include "lib/units.h"

struct tclass_map {
	uint8_t queue[DCB_PRIORITIES];   /* of each priority */
	uint8_t members[DCB_PRIORITIES]; /* of each queue: its priorities, one bit each */
	uint8_t order[DCB_PRIORITIES];   /* all queues, the one that sends first first */
};

/*
 * Table 8-5 for eight classes, where each priority has one of its own; but
 * priority 1 is "background", below the default priority 0.
 */
extern const uint8_t tclass_recommended[DCB_PRIORITIES];

/* classes: of each priority, 0..7, higher ones send first. alone: priorities that share no queue.
 */
void tclass_map(struct tclass_map *map, const uint8_t classes[DCB_PRIORITIES], uint8_t alone);

#endif
