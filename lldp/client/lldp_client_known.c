/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A neighbor is kept as octets, some 100 of them in place of the 17 kB of a struct
 * lldp_remote: its key, then the rest with its TLVs one behind the other.
 */
#include "lldp/client/lldp_client_known.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#define KEY_MAX    (IF_NAMESIZE + 2 * (2 + LLDP_ID_OCTETS))
#define TLV_HEADER 6 /* OUI, subtype, length */
#define REST_MAX                                                         \
	(sizeof(uint32_t) + sizeof(((struct lldp_remote *)0)->sysname) + \
	 LLDP_TLVS_MAX * (TLV_HEADER + LLDP_TLV_INFO_OCTETS))

struct known {
	UT_hash_handle hh;
	int64_t since_ms; /* when it last said something else */
	size_t tlvs_at;   /* in the rest */
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

/* Has it had a TLV that the remote has none of? */
static bool had_more(const struct known *k, const struct lldp_remote *remote)
{
	for (size_t at = k->tlvs_at; at < k->rest_len;) {
		uint16_t len;

		if (!has_tlv(remote, k->rest + at))
			return true;
		memcpy(&len, k->rest + at + 4, sizeof(len));
		at += TLV_HEADER + len;
	}
	return false;
}

static struct known *find(struct known *table, const struct lldp_remote *remote)
{
	uint8_t key[KEY_MAX];
	size_t len = put_key(key, remote);
	struct known *k;

	HASH_FIND(hh, table, key, len, k);
	return k;
}

static struct known *add(struct known **table, const struct lldp_remote *remote)
{
	uint8_t key[KEY_MAX];
	size_t len = put_key(key, remote);
	struct known *k = calloc(1, sizeof(*k) + len);

	if (!k)
		return NULL;
	memcpy(k->key, key, len);
	k->key_len = len;
	HASH_ADD_KEYPTR(hh, *table, k->key, k->key_len, k);
	return k;
}

enum known_news known_take(struct known **table, const struct lldp_remote *remote, int64_t now_ms)
{
	uint8_t rest[REST_MAX], *copy;
	size_t tlvs_at, len = put_rest(rest, remote, &tlvs_at);
	enum known_news news = KNOWN_NEW;
	struct known *k = find(*table, remote);

	if (k && k->rest_len == len && memcmp(k->rest, rest, len) == 0)
		return KNOWN_SAME;
	if (k)
		news = had_more(k, remote) ? KNOWN_FEWER : KNOWN_CHANGED;
	copy = malloc(len);
	if (copy && !k)
		k = add(table, remote);
	if (!copy || !k) {
		free(copy);
		return KNOWN_NO_MEMORY;
	}
	free(k->rest);
	memcpy(copy, rest, len);
	k->rest = copy;
	k->rest_len = len;
	k->tlvs_at = tlvs_at;
	k->since_ms = now_ms;
	return news;
}

bool known_has(struct known *table, const struct lldp_remote *remote)
{
	return find(table, remote);
}

static void drop(struct known **table, struct known *k)
{
	HASH_DEL(*table, k);
	free(k->rest);
	free(k);
}

bool known_drop(struct known **table, const struct lldp_remote *remote)
{
	struct known *k = find(*table, remote);

	if (k)
		drop(table, k);
	return k;
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

/* What put_key() and put_rest() were given. */
static void get_remote(const struct known *k, struct lldp_remote *remote)
{
	const uint8_t *at = k->key, *end = k->rest + k->rest_len;

	memset(remote, 0, sizeof(*remote));
	at = get(remote->ifname, at, strlen((const char *)at) + 1);
	get_id(&remote->port, get_id(&remote->chassis, at));
	at = get(&remote->ttl, k->rest, sizeof(remote->ttl));
	at = get(remote->sysname, at, k->tlvs_at - sizeof(remote->ttl));
	while (at < end) {
		struct lldp_tlv *tlv = &remote->tlvs[remote->n_tlvs++];

		at = get(tlv->oui, at, sizeof(tlv->oui));
		tlv->subtype = *at++;
		at = get(&tlv->len, at, sizeof(tlv->len));
		at = get(tlv->info, at, tlv->len);
	}
}

void known_each(const struct known *table, const char *ifname, int64_t since_ms,
		void (*each)(void *ctx, const struct lldp_remote *remote), void *ctx)
{
	struct lldp_remote remote;

	for (const struct known *k = table; k; k = k->hh.next) {
		if (k->since_ms < since_ms || strcmp((const char *)k->key, ifname) != 0)
			continue;
		get_remote(k, &remote);
		each(ctx, &remote);
	}
}

void known_clear(struct known **table)
{
	struct known *k, *next;

	for (k = *table; k; k = next) {
		next = k->hh.next;
		drop(table, k);
	}
}
