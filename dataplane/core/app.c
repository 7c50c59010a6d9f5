/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/app.h"

#include "lib/octets.h"

#include <string.h>

#define ETHERTYPE_MIN 0x600 /* below: a length (802.3 3.2.6) */

enum { PROTO_TCP = 6, PROTO_UDP = 17, PROTO_DCCP = 33, PROTO_SCTP = 132 };

static uint32_t key_of(uint8_t selector, uint16_t protocol)
{
	return (uint32_t)selector << 16 | protocol;
}

void app_map_init(struct app_map *map, const struct app_priority *entries, size_t n)
{
	memset(map, 0, sizeof(*map));
	map->fallback = APP_NONE;
	memset(map->dscp, APP_NONE, sizeof(map->dscp));
	for (size_t i = 0; i < n && i < APP_MAX; i++) {
		const struct app_priority *e = &entries[i];

		if (e->selector < APP_ETHERTYPE || e->selector > APP_DSCP)
			continue;
		map->selectors |= (uint8_t)(1u << e->selector);
		if (e->selector == APP_ETHERTYPE && e->protocol == 0)
			map->fallback = e->priority;
		else if (e->selector != APP_DSCP)
			map->of[map->n++] = *e;
		else if (e->protocol < APP_DSCPS)
			map->dscp[e->protocol] = e->priority;
	}
}

static uint8_t find(const struct app_map *map, uint8_t selector, uint16_t protocol)
{
	uint32_t key = key_of(selector, protocol);
	unsigned low = 0, high = map->n;

	if (!(map->selectors >> selector & 1))
		return APP_NONE;
	while (low < high) {
		unsigned mid = (low + high) / 2;
		const struct app_priority *e = &map->of[mid];

		if (key_of(e->selector, e->protocol) == key)
			return e->priority;
		if (key_of(e->selector, e->protocol) < key)
			low = mid + 1;
		else
			high = mid;
	}
	return APP_NONE;
}

/* Returns the selector of the ports of an IP protocol; 0: there is none. */
static uint8_t selector_of(uint8_t protocol)
{
	switch (protocol) {
	case PROTO_TCP:
	case PROTO_SCTP:
		return APP_TCP;
	case PROTO_UDP:
	case PROTO_DCCP:
		return APP_UDP;
	default:
		return 0;
	}
}

static uint8_t find_port(const struct app_map *map, uint8_t selector, uint16_t port)
{
	uint8_t priority = find(map, selector, port);

	return priority == APP_NONE ? find(map, APP_PORT, port) : priority;
}

static uint8_t find_ports(const struct app_map *map, const struct flow_keys *keys)
{
	uint8_t selector = keys->has_ports ? selector_of(keys->protocol) : 0;
	uint8_t priority;

	if (!selector)
		return APP_NONE;
	priority = find_port(map, selector, keys->port);
	return priority == APP_NONE ? find_port(map, selector, keys->source_port) : priority;
}

uint8_t app_map_find(const struct app_map *map, const struct flow_keys *keys)
{
	uint8_t priority;

	if (!map->selectors)
		return APP_NONE;
	priority = find_ports(map, keys);
	if (priority == APP_NONE && keys->is_ip)
		priority = map->dscp[keys->dscp];
	if (priority == APP_NONE && keys->ethertype >= ETHERTYPE_MIN)
		priority = find(map, APP_ETHERTYPE, keys->ethertype);
	return priority == APP_NONE ? map->fallback : priority;
}
