/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An entry stores a neighbor as octets, about 100 instead of the 17 kB of a struct
 * lldp_remote: key (interface, chassis ID, port ID) and rest (time to live, management
 * address, system name, TLVs).
 */
#include "lldp/client/lldp_client_cache.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#define KEY_MAX    (IF_NAMESIZE + 2 * (2 + LLDP_ID_OCTETS))
#define TLV_HEADER 6 /* OUI, subtype, length */
#define REST_MAX                                                                               \
	(sizeof(uint32_t) + LLDP_ADDRESS_OCTETS + sizeof(((struct lldp_remote *)0)->sysname) + \
	 LLDP_TLVS_MAX * (TLV_HEADER + LLDP_TLV_INFO_OCTETS))

struct neighbor_cache {
	UT_hash_handle hh;
	int64_t since_ms; /* when it was new or last changed */
	size_t tlvs_at;   /* offset of the TLVs in rest */
	size_t rest_len;
	size_t key_len;
	uint8_t *rest;
	uint8_t key[];
};

static uint8_t *put(uint8_t *to, const void *from, size_t n)
{
	if (n)
		memcpy(to, from, n);
	return to + n;
}

static size_t put_key(uint8_t *to, const struct lldp_remote *remote)
{
	const uint8_t *start = to;
	const struct lldp_id *ids[] = {&remote->chassis, &remote->port};

	to = put(to, remote->ifname, strnlen(remote->ifname, IF_NAMESIZE - 1));
	*to++ = 0;
	for (size_t i = 0; i < 2; i++) {
		*to++ = ids[i]->subtype;
		*to++ = ids[i]->len;
		to = put(to, ids[i]->octets, ids[i]->len);
	}
	return (size_t)(to - start);
}

static size_t put_rest(uint8_t *to, const struct lldp_remote *remote, size_t *tlvs_at)
{
	const uint8_t *start = to;

	to = put(to, &remote->ttl, sizeof(remote->ttl));
	to = put(to, remote->management, strnlen(remote->management, LLDP_ADDRESS_OCTETS - 1));
	*to++ = 0;
	to = put(to, remote->sysname, strnlen(remote->sysname, sizeof(remote->sysname)));
	*tlvs_at = (size_t)(to - start);
	for (size_t i = 0; i < remote->n_tlvs && i < LLDP_TLVS_MAX; i++) {
		const struct lldp_tlv *tlv = &remote->tlvs[i];

		to = put(to, tlv->oui, sizeof(tlv->oui));
		*to++ = tlv->subtype;
		to = put(to, &tlv->len, sizeof(tlv->len));
		to = put(to, tlv->info, tlv->len);
	}
	return (size_t)(to - start);
}

static bool has_tlv(const struct lldp_remote *remote, const uint8_t *header)
{
	for (size_t i = 0; i < remote->n_tlvs; i++)
		if (memcmp(remote->tlvs[i].oui, header, 3) == 0 &&
		    remote->tlvs[i].subtype == header[3])
			return true;
	return false;
}

/* Does the entry have a TLV, by OUI and subtype, that the remote does not? */
static bool lost_a_tlv(const struct neighbor_cache *entry, const struct lldp_remote *remote)
{
	for (size_t at = entry->tlvs_at; at < entry->rest_len;) {
		uint16_t len;

		if (!has_tlv(remote, entry->rest + at))
			return true;
		memcpy(&len, entry->rest + at + 4, sizeof(len));
		at += TLV_HEADER + len;
	}
	return false;
}

static struct neighbor_cache *find(struct neighbor_cache *table, const struct lldp_remote *remote)
{
	uint8_t key[KEY_MAX];
	size_t len = put_key(key, remote);
	struct neighbor_cache *entry;

	HASH_FIND(hh, table, key, len, entry);
	return entry;
}

static struct neighbor_cache *add(struct neighbor_cache **table, const struct lldp_remote *remote)
{
	uint8_t key[KEY_MAX];
	size_t len = put_key(key, remote);
	struct neighbor_cache *entry = calloc(1, sizeof(*entry) + len);

	if (!entry)
		return NULL;
	memcpy(entry->key, key, len);
	entry->key_len = len;
	HASH_ADD_KEYPTR(hh, *table, entry->key, entry->key_len, entry);
	return entry;
}

enum cache_result cache_update(struct neighbor_cache **table, const struct lldp_remote *remote,
			       int64_t now_ms)
{
	uint8_t rest[REST_MAX], *copy;
	size_t tlvs_at, len = put_rest(rest, remote, &tlvs_at);
	enum cache_result result = CACHE_NEW;
	struct neighbor_cache *entry = find(*table, remote);

	if (entry && entry->rest_len == len && memcmp(entry->rest, rest, len) == 0)
		return CACHE_SAME;
	if (entry)
		result = lost_a_tlv(entry, remote) ? CACHE_FEWER_TLVS : CACHE_CHANGED;
	copy = malloc(len);
	if (copy && !entry)
		entry = add(table, remote);
	if (!copy || !entry) {
		free(copy);
		return CACHE_NO_MEMORY;
	}
	free(entry->rest);
	memcpy(copy, rest, len);
	entry->rest = copy;
	entry->rest_len = len;
	entry->tlvs_at = tlvs_at;
	entry->since_ms = now_ms;
	return result;
}

bool cache_has(struct neighbor_cache *table, const struct lldp_remote *remote)
{
	return find(table, remote);
}

static void drop(struct neighbor_cache **table, struct neighbor_cache *entry)
{
	HASH_DEL(*table, entry);
	free(entry->rest);
	free(entry);
}

bool cache_remove(struct neighbor_cache **table, const struct lldp_remote *remote)
{
	struct neighbor_cache *entry = find(*table, remote);

	if (entry)
		drop(table, entry);
	return entry;
}

static const uint8_t *get(void *to, const uint8_t *from, size_t n)
{
	memcpy(to, from, n);
	return from + n;
}

static const uint8_t *get_id(struct lldp_id *id, const uint8_t *from)
{
	id->subtype = *from++;
	id->len = *from++;
	return get(id->octets, from, id->len);
}

/* Inverse of put_key() and put_rest(). */
static void get_remote(const struct neighbor_cache *entry, struct lldp_remote *remote)
{
	const uint8_t *at = entry->key, *end = entry->rest + entry->rest_len;

	memset(remote, 0, sizeof(*remote));
	at = get(remote->ifname, at, strlen((const char *)at) + 1);
	get_id(&remote->port, get_id(&remote->chassis, at));
	at = get(&remote->ttl, entry->rest, sizeof(remote->ttl));
	at = get(remote->management, at, strlen((const char *)at) + 1);
	at = get(remote->sysname, at, entry->tlvs_at - (size_t)(at - entry->rest));
	while (at < end) {
		struct lldp_tlv *tlv = &remote->tlvs[remote->n_tlvs++];

		at = get(tlv->oui, at, sizeof(tlv->oui));
		tlv->subtype = *at++;
		at = get(&tlv->len, at, sizeof(tlv->len));
		at = get(tlv->info, at, tlv->len);
	}
}

void cache_each(const struct neighbor_cache *table, const char *ifname, int64_t since_ms,
		void (*each)(void *ctx, const struct lldp_remote *remote), void *ctx)
{
	struct lldp_remote remote;

	for (const struct neighbor_cache *entry = table; entry; entry = entry->hh.next) {
		if (entry->since_ms < since_ms || strcmp((const char *)entry->key, ifname) != 0)
			continue;
		get_remote(entry, &remote);
		each(ctx, &remote);
	}
}

void cache_clear(struct neighbor_cache **table)
{
	struct neighbor_cache *entry, *next;

	for (entry = *table; entry; entry = next) {
		next = entry->hh.next;
		drop(table, entry);
	}
}
