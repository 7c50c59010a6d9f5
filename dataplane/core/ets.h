/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Enhanced transmission selection, 802.1Q clause 37: of the queues that may send
 * now, which is next. Classes with strict priority come first, the higher number
 * before the lower; what they leave is shared by the classes with bandwidths, in
 * proportion to these, and no bit of it stays unused while any of them wants it.
 *
 * The share is by start-time fair queueing. There is a virtual time, and each
 * class has its own place in it, from which it goes on by its octets divided by
 * its bandwidth; the class that is furthest behind is next, and its place is what
 * time it is. A class with nothing to send is carried along by the time, so it
 * saves nothing up, nor does it owe more than its last frame. Whatever the rate of
 * the port and the frames of strict priority between: over any stretch in which
 * two classes want to send all the time, what they have sent, each divided by its
 * bandwidth, differs by no more than their longest frames so divided. In the long
 * run shares are exact.
 *
 * Time is counted from where it is, and in parts of 1/lcm(bandwidths) of an octet:
 * nothing is rounded, nothing wraps round, and a frame costs no division.
 */
#ifndef DCB_CORE_ETS_H
#define DCB_CORE_ETS_H

#include <stdint.h>

#include "dataplane/core/tclass.h"

struct ets_rules {
	uint32_t price[DCB_PRIORITIES];   /* of each class: virtual time an octet takes */
	uint8_t queues[DCB_PRIORITIES];   /* of each class: its queues, one bit each */
	uint8_t order[DCB_PRIORITIES];    /* queues, the one that sends first of its class first */
	uint8_t class_of[DCB_PRIORITIES]; /* of each queue */
	uint8_t strict;                   /* queues, one bit each, that share nothing */
	uint8_t entitled;                 /* classes, one bit each, that have a bandwidth ... */
	uint8_t others;                   /* ... that share and have none */
};

/* All zero, then ets_configure(). */
struct ets {
	struct ets_rules rules;
	uint64_t ahead[DCB_PRIORITIES]; /* of each class: how far beyond the virtual time */
};

/*
 * classes: of each priority, as the map was made with. sharing: the classes that
 * share, one bit each, the others have strict priority. bandwidth: of each class,
 * percent; of those that share no more than 100 together, or shares are anybody's
 * guess. What one of them has sent too much is forgotten if anything is different
 * from before.
 *
 * The standard does not say what a share of nothing is. Here classes with 0 %
 * send, alike, as long as no other class wants to.
 */
void ets_configure(struct ets *ets, const struct tclass_map *map,
		   const uint8_t classes[DCB_PRIORITIES], uint8_t sharing,
		   const uint8_t bandwidth[DCB_PRIORITIES]);

/*
 * The queue to send from, of those that have a frame and may send it, one bit
 * each and at least one. Of one class, the first in the map's order.
 */
unsigned ets_next(const struct ets *ets, uint8_t may_send);

/* It sent a frame of so many octets: dcb_wire_octets(), as the port's rate counts it. */
void ets_sent(struct ets *ets, unsigned queue, uint32_t wire_octets);

#endif
