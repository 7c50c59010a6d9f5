/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Application priorities: the first octet is a number of entries of four octets (selector,
 * priority, protocol), which follow; the rest is an MSDU that starts with its EtherType. The
 * priority has to be one of an entry that fits the MSDU, and the same for any copy of it.
 */
#include "dataplane/core/app.h"
#include "dataplane/core/ip.h"
#include "lib/octets.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define ENTRY_OCTETS 4

static bool fits(const struct app_priority *e, const struct flow_keys *k)
{
	switch (e->selector) {
	case APP_ETHERTYPE:
		return e->protocol == 0 || e->protocol == k->ethertype;
	case APP_TCP:
	case APP_UDP:
	case APP_PORT:
		return k->has_ports && (e->protocol == k->port || e->protocol == k->source_port);
	case APP_DSCP:
		return k->is_ip && e->protocol == k->dscp;
	default:
		return false;
	}
}

static int compare(const void *a, const void *b)
{
	const struct app_priority *x = a, *y = b;

	return x->selector != y->selector ? x->selector - y->selector : x->protocol - y->protocol;
}

static size_t read_entries(struct app_priority entries[APP_MAX], struct octets_in *in, size_t n)
{
	size_t read = 0, kept = 0;

	while (read < n && read < APP_MAX) {
		const uint8_t *p = octets_in_take(in, ENTRY_OCTETS);

		if (!p)
			break;
		entries[read++] = (struct app_priority){p[0], p[1] & 7, get_be16(p + 2)};
	}
	qsort(entries, read, sizeof(entries[0]), compare);
	for (size_t i = 0; i < read; i++)
		if (kept == 0 || compare(&entries[kept - 1], &entries[i]) != 0)
			entries[kept++] = entries[i];
	return kept;
}

static bool one_fits(const struct app_priority *entries, size_t n, const struct flow_keys *keys,
		     uint8_t priority)
{
	for (size_t i = 0; i < n; i++)
		if (fits(&entries[i], keys) && entries[i].priority == priority)
			return true;
	return false;
}

static bool none_fits(const struct app_map *map, const struct flow_keys *keys)
{
	if (map->fallback != APP_NONE)
		return false;
	for (unsigned i = 0; i < map->n; i++) {
		const struct app_priority *e = &map->of[i];

		if (e->selector == APP_ETHERTYPE && e->protocol >= 0x600 && fits(e, keys))
			return false;
	}
	return !keys->is_ip || map->dscp[keys->dscp] == APP_NONE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t mac[12] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2};
	struct octets_in in = octets_in(data, size);
	struct app_priority entries[APP_MAX];
	size_t n = read_entries(entries, &in, octets_in_u8(&in));
	uint8_t *msdu = malloc(in.left + 1), priority;
	struct flow_keys keys;
	struct app_map map;
	size_t len = in.left;
	uint32_t ip;

	FUZZ_ASSERT(msdu != NULL);
	for (size_t i = 0; i < len; i++)
		msdu[i] = in.p[i];
	msdu = realloc(msdu, len ? len : 1); /* AddressSanitizer finds a read behind the end */
	FUZZ_ASSERT(msdu != NULL);
	app_map_init(&map, entries, n);
	(void)flow_parse(&keys, mac, mac + 6, 1, msdu, len);
	ip = ip_find(msdu, (uint32_t)len, 0);
	priority = app_map_find(&map, &keys);
	if (priority == APP_NONE)
		FUZZ_ASSERT(none_fits(&map, &keys));
	else
		FUZZ_ASSERT(one_fits(entries, n, &keys, priority));
	/* flow_parse() also refuses packets whose ports or options are cut off. */
	FUZZ_ASSERT(!keys.is_ip || (ip == 2 && ip_dscp(msdu + ip) == keys.dscp));
	if (ip) {
		uint8_t other = ip_traffic_class(msdu + ip) ^ 0xff;

		ip_set_traffic_class(msdu + ip, other);
		FUZZ_ASSERT(ip_traffic_class(msdu + ip) == other);
	}
	free(msdu);
	return 0;
}
