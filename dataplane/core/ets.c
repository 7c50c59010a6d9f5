/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/ets.h"

#include <stdbool.h>
#include <string.h>

static bool has(uint8_t mask, unsigned n)
{
	return mask >> n & 1;
}

/* --- rules --------------------------------------------------------------- */

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
	uint64_t x = a, y = b;

	while (y) {
		uint64_t rest = x % y;

		x = y;
		y = rest;
	}
	return a / x * b;
}

/*
 * The least common multiple of numbers whose sum is 100 is at most 232 792 560
 * (Landau's function). So a frame of 2^16 octets advances a start tag by less
 * than 2^44.
 */
static void set_prices(struct ets_rules *r, uint8_t sharing,
		       const uint8_t bandwidth[DCB_PRIORITIES])
{
	uint64_t multiple = 1;

	for (unsigned c = 0; c < DCB_PRIORITIES; c++) {
		if (has(sharing, c) && bandwidth[c])
			multiple = common_multiple(multiple, bandwidth[c]);
	}
	for (unsigned c = 0; c < DCB_PRIORITIES; c++) {
		if (!has(sharing, c))
			continue;
		r->price[c] = (uint32_t)(bandwidth[c] ? multiple / bandwidth[c] : multiple);
		if (bandwidth[c])
			r->with_bandwidth |= (uint8_t)(1u << c);
		else
			r->without_bandwidth |= (uint8_t)(1u << c);
	}
}

void ets_configure(struct ets *ets, const struct tclass_map *map,
		   const uint8_t classes[DCB_PRIORITIES], uint8_t sharing,
		   const uint8_t bandwidth[DCB_PRIORITIES])
{
	struct ets_rules rules;

	memset(&rules, 0, sizeof(rules)); /* padding too: compared by memcmp() */
	set_prices(&rules, sharing, bandwidth);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		unsigned c = classes[i] % DCB_PRIORITIES;

		rules.order[i] = map->order[i];
		rules.class_of[i] = (uint8_t)c;
		rules.queues[c] |= (uint8_t)(1u << i);
		if (!has(sharing, c))
			rules.strict |= (uint8_t)(1u << i);
	}
	if (memcmp(&rules, &ets->rules, sizeof(rules)) == 0)
		return;
	memcpy(&ets->rules, &rules, sizeof(rules));
	memset(ets->ahead, 0, sizeof(ets->ahead));
}

/* --- selection ------------------------------------------------------------- */

/* Clears the lowest set bit and returns its number. */
static unsigned take_lowest(uint8_t *mask)
{
	unsigned lowest = (unsigned)__builtin_ctz(*mask);

	*mask &= (uint8_t)(*mask - 1);
	return lowest;
}

static unsigned first_in_order(const struct ets_rules *r, uint8_t queues)
{
	uint8_t rest = queues;
	unsigned i = 0, only = take_lowest(&rest);

	if (!rest)
		return only;
	while (!has(queues, r->order[i]))
		i++;
	return r->order[i];
}

static uint8_t classes_of(const struct ets_rules *r, uint8_t queues)
{
	uint8_t classes = 0;

	while (queues)
		classes |= (uint8_t)(1u << r->class_of[take_lowest(&queues)]);
	return classes;
}

/* Returns the class with the lowest start tag, the highest class of several. */
static unsigned furthest_behind(const struct ets *ets, uint8_t classes)
{
	unsigned found = take_lowest(&classes);

	while (classes) {
		unsigned c = take_lowest(&classes);

		if (ets->ahead[c] <= ets->ahead[found])
			found = c;
	}
	return found;
}

unsigned ets_next(const struct ets *ets, uint8_t may_send)
{
	const struct ets_rules *r = &ets->rules;
	uint8_t classes;

	if (may_send & r->strict)
		return first_in_order(r, may_send & r->strict);
	classes = classes_of(r, may_send);
	if (classes & r->with_bandwidth)
		classes &= r->with_bandwidth;
	return first_in_order(r, may_send & r->queues[furthest_behind(ets, classes)]);
}

/*
 * Sets the virtual time to the start tag of the sender. No class that has
 * frames has a lower one, except the classes with a bandwidth of 0.
 */
static void advance_time(struct ets *ets, uint64_t passed)
{
	uint8_t classes = ets->rules.with_bandwidth | ets->rules.without_bandwidth;

	while (classes) {
		uint64_t *ahead = &ets->ahead[take_lowest(&classes)];

		*ahead -= *ahead < passed ? *ahead : passed;
	}
}

void ets_sent(struct ets *ets, unsigned queue, uint32_t wire_octets)
{
	unsigned sender = ets->rules.class_of[queue];

	if (has(ets->rules.strict, queue))
		return;
	if (ets->ahead[sender])
		advance_time(ets, ets->ahead[sender]);
	ets->ahead[sender] = (uint64_t)wire_octets * ets->rules.price[sender];
}
