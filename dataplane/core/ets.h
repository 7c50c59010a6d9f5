/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Enhanced transmission selection, 802.1Q clause 37: selects the queue to send
 * from. Classes with strict priority come first, the higher class number before
 * the lower. The classes with bandwidths share the remaining bandwidth in
 * proportion to their percentages. The selection is work-conserving.
 *
 * The algorithm is start-time fair queueing. Each class has a start tag.
 * Sending a frame advances the start tag by the frame's octets divided by the
 * bandwidth of the class. The class with the lowest start tag is next, and its
 * start tag becomes the virtual time. The start tag of a class with no frames
 * advances with the virtual time: the class saves no bandwidth, and its debt is
 * at most its last frame. The fairness bound holds at any port rate and with
 * any strict priority traffic: while two classes always have frames, the octets
 * sent by each, divided by its bandwidth, differ by at most their longest
 * frames divided the same way. In the long run the shares are exact.
 *
 * Start tags are kept relative to the virtual time, in units of
 * 1/lcm(bandwidths) octet. So no value is rounded, no value overflows, and
 * sending a frame needs no division.
 *
 * A batch is chosen on a copy of the state, 128 octets, and the frames that the interface
 * accepted are charged to the original, so both choose the same. The caller counts the octets of
 * a frame as the port's rate does.
 */
#ifndef DCB_CORE_ETS_H
#define DCB_CORE_ETS_H

#include <stdint.h>

#include "dataplane/core/tclass.h"

struct ets_rules {
	uint32_t price[DCB_PRIORITIES];   /* per class: virtual time per octet */
	uint8_t queues[DCB_PRIORITIES];   /* per class: its queues, one bit each */
	uint8_t order[DCB_PRIORITIES];    /* queues, higher precedence first within a class */
	uint8_t class_of[DCB_PRIORITIES]; /* per queue */
	uint8_t strict;                   /* queues of strict priority classes, one bit each */
	uint8_t with_bandwidth;    /* sharing classes with a bandwidth above 0, one bit each */
	uint8_t without_bandwidth; /* sharing classes with a bandwidth of 0, one bit each */
};

/* All zero before the first ets_configure(). */
struct ets {
	struct ets_rules rules;
	uint64_t ahead[DCB_PRIORITIES]; /* per class: start tag minus virtual time */
};

/*
 * Sets the rules. classes: class of each priority, as in the call that made
 * map. sharing: classes with a bandwidth, one bit each; the others have strict
 * priority. bandwidth: percent per class. The bandwidths of the sharing classes
 * must add up to at most 100; above that the shares are undefined. A change of
 * any rule resets the start tags.
 *
 * Choice: the standard does not define a share of 0 %. Here classes with 0 %
 * send only if no other class has frames, and share equally among themselves.
 */
void ets_configure(struct ets *ets, const struct tclass_map *map,
		   const uint8_t classes[DCB_PRIORITIES], uint8_t sharing,
		   const uint8_t bandwidth[DCB_PRIORITIES]);

/*
 * Returns the queue to send from. may_send: the queues that have a frame and
 * may send it, one bit each, at least one. Within a class it is the first in
 * the map's order.
 */
unsigned ets_next(const struct ets *ets, uint8_t may_send);

/* Reports a frame that queue sent. wire_octets: dcb_wire_octets(), as the port's rate counts. */
void ets_sent(struct ets *ets, unsigned queue, uint32_t wire_octets);

#endif
