/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/process/lldp_outbox.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

/* A hash table of uthash keeps its entries in the order in which they were added. */
struct lldp_outbox {
	UT_hash_handle hh;
	uint8_t *octets;
	size_t len;
	size_t key_len;
	uint8_t key[]; /* of a neighbor's events: its GONE; of others: type and state */
};

#define KEY_MAX (4 + 1 + IF_NAMESIZE + 2 * (2 + LLDP_ID_OCTETS))

static size_t key_of(const struct lldp_msg *m, uint8_t *key)
{
	struct lldp_msg about;

	if (m->type != LLDP_MSG_REMOTE && m->type != LLDP_MSG_GONE) {
		key[0] = (uint8_t)m->type;
		key[1] = (uint8_t)m->state;
		return 2;
	}
	about = *m;
	about.type = LLDP_MSG_GONE;
	return lldp_msg_encode(&about, key, KEY_MAX);
}

static void drop(struct lldp_outbox **box, struct lldp_outbox *entry)
{
	HASH_DEL(*box, entry);
	free(entry->octets);
	free(entry);
}

/* NULL: out of memory. */
static struct lldp_outbox *entry_at(struct lldp_outbox **box, const struct lldp_msg *m)
{
	uint8_t key[KEY_MAX];
	size_t len = key_of(m, key);
	struct lldp_outbox *entry;

	HASH_FIND(hh, *box, key, len, entry);
	if (entry)
		return entry;
	entry = calloc(1, sizeof(*entry) + len);
	if (!entry)
		return NULL;
	memcpy(entry->key, key, len);
	entry->key_len = len;
	HASH_ADD_KEYPTR(hh, *box, entry->key, entry->key_len, entry);
	return entry;
}

bool lldp_outbox_put(struct lldp_outbox **box, const struct lldp_msg *m)
{
	uint8_t octets[LLDP_MSG_MAX], *copy;
	size_t len = lldp_msg_encode(m, octets, sizeof(octets));
	struct lldp_outbox *entry;

	if (m->type == LLDP_MSG_STATE && m->state != LLDP_CONNECTED)
		lldp_outbox_clear(box);
	copy = len ? malloc(len) : NULL;
	entry = copy ? entry_at(box, m) : NULL;
	if (!entry) {
		free(copy);
		return false;
	}
	memcpy(copy, octets, len);
	free(entry->octets);
	entry->octets = copy;
	entry->len = len;
	return true;
}

size_t lldp_outbox_first(const struct lldp_outbox *box, const uint8_t **octets)
{
	if (!box)
		return 0;
	*octets = box->octets;
	return box->len;
}

void lldp_outbox_drop_first(struct lldp_outbox **box)
{
	if (*box)
		drop(box, *box);
}

void lldp_outbox_clear(struct lldp_outbox **box)
{
	while (*box)
		drop(box, *box);
}
