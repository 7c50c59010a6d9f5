/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/config/trill_config.h"

#include <stdlib.h>
#include <string.h>

/* --- next hops of a port --------------------------------------------------------------------- */

static int compare_hop(const struct trill_next_hop *hop, uint16_t nickname,
		       const uint8_t mac[ETH_ADDR_OCTETS])
{
	if (hop->nickname != nickname)
		return hop->nickname < nickname ? -1 : 1;
	return memcmp(hop->mac, mac, ETH_ADDR_OCTETS);
}

uint32_t trill_next_hop_at(const struct trill_next_hops *hops, uint16_t nickname,
			   const uint8_t mac[ETH_ADDR_OCTETS])
{
	uint32_t low = 0, high = hops->n;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (compare_hop(&hops->of[mid], nickname, mac) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct trill_next_hop *trill_next_hop_find(const struct trill_next_hops *hops,
						 uint16_t nickname,
						 const uint8_t mac[ETH_ADDR_OCTETS])
{
	uint32_t at = trill_next_hop_at(hops, nickname, mac);

	return at < hops->n && compare_hop(&hops->of[at], nickname, mac) == 0 ? &hops->of[at]
									      : NULL;
}

const struct trill_next_hop *trill_next_hop_tree(const struct trill_next_hops *hops,
						 uint16_t nickname)
{
	uint32_t at = trill_next_hop_at(hops, nickname, (const uint8_t[ETH_ADDR_OCTETS]){0});

	for (; at < hops->n && hops->of[at].nickname == nickname; at++)
		if (hops->of[at].tree)
			return &hops->of[at];
	return NULL;
}

bool trill_next_hop_put(struct trill_next_hops *hops, const struct trill_next_hop *hop)
{
	uint32_t at = trill_next_hop_at(hops, hop->nickname, hop->mac);

	if (at == hops->n || compare_hop(&hops->of[at], hop->nickname, hop->mac) != 0) {
		if (hops->n == TRILL_NEXT_HOPS_MAX)
			return false;
		memmove(&hops->of[at + 1], &hops->of[at], (hops->n - at) * sizeof(hops->of[0]));
		hops->n++;
	}
	hops->of[at] = *hop;
	return true;
}

void trill_next_hop_drop(struct trill_next_hops *hops, uint16_t nickname,
			 const uint8_t mac[ETH_ADDR_OCTETS])
{
	uint32_t at = trill_next_hop_at(hops, nickname, mac);

	if (at == hops->n || compare_hop(&hops->of[at], nickname, mac) != 0)
		return;
	hops->n--;
	memmove(&hops->of[at], &hops->of[at + 1], (hops->n - at) * sizeof(hops->of[0]));
	hops->of[hops->n] = (struct trill_next_hop){0};
}

/* --- nicknames of addresses ------------------------------------------------------------------ */

uint32_t trill_egress_at(const struct trill_egresses *e, uint64_t key)
{
	uint32_t low = 0, high = e->n;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (e->of[mid].key < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint16_t trill_egress_find(const struct trill_egresses *e, uint64_t key)
{
	uint32_t at = trill_egress_at(e, key);

	return at < e->n && e->of[at].key == key ? e->of[at].nickname : TRILL_NICKNAME_NONE;
}

/* Returns the number of entries for which n entries have memory. */
static uint32_t room_of(uint32_t n)
{
	uint32_t room = n ? 16 : 0;

	while (room < n)
		room *= 2;
	return room;
}

static bool make_room(struct trill_egresses *e)
{
	uint32_t room = room_of(e->n + 1);
	struct trill_egress *of = e->of;

	if (room > room_of(e->n))
		of = realloc(of, room * sizeof(e->of[0]));
	if (of)
		e->of = of;
	return of;
}

bool trill_egress_put(struct trill_egresses *e, const struct trill_egress *entry)
{
	uint32_t at = trill_egress_at(e, entry->key);

	if (at == e->n || e->of[at].key != entry->key) {
		if (e->n == TRILL_EGRESS_MAX || !make_room(e))
			return false;
		memmove(&e->of[at + 1], &e->of[at], (e->n - at) * sizeof(e->of[0]));
		e->n++;
	}
	e->of[at] = *entry;
	return true;
}

void trill_egress_drop(struct trill_egresses *e, uint64_t key)
{
	uint32_t at = trill_egress_at(e, key);

	if (at == e->n || e->of[at].key != key)
		return;
	e->n--;
	memmove(&e->of[at], &e->of[at + 1], (e->n - at) * sizeof(e->of[0]));
}

bool trill_egress_copy(struct trill_egresses *to, const struct trill_egresses *from)
{
	*to = (struct trill_egresses){.n = 0};
	if (from->n == 0)
		return true;
	to->of = malloc(room_of(from->n) * sizeof(to->of[0]));
	if (!to->of)
		return false;
	memcpy(to->of, from->of, from->n * sizeof(to->of[0]));
	to->n = from->n;
	return true;
}

void trill_egress_free(struct trill_egresses *e)
{
	free(e->of);
	*e = (struct trill_egresses){.n = 0};
}
