/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/client/lldp_client_want.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORG_HEADER 6 /* TLV header, OUI, subtype */

static const uint8_t oui_8021[3] = {0x00, 0x80, 0xc2};

struct want *want_find(struct want *table, const char *ifname)
{
	struct want *w;

	HASH_FIND_STR(table, ifname, w);
	return w;
}

struct want *want_at(struct want **table, const char *ifname, int64_t now_ms)
{
	/* The subtypes of data center bridging, of which only we speak on a port that is ours. */
	static const uint8_t dcb[] = {0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x17};
	struct want *w = want_find(*table, ifname);

	if (w)
		return w;
	w = calloc(1, sizeof(*w));
	if (!w)
		return NULL;
	snprintf(w->ifname, sizeof(w->ifname), "%s", ifname);
	for (size_t i = 0; i < sizeof(dcb); i++)
		w->ever[dcb[i] / 8] |= (uint8_t)(1 << dcb[i] % 8);
	w->credit = WANT_CREDIT_MAX;
	w->credit_ms = now_ms;
	HASH_ADD_STR(*table, ifname, w);
	return w;
}

void want_free(struct want **table, struct want *w)
{
	HASH_DEL(*table, w);
	free(w->asked.of);
	free(w->held.of);
	free(w);
}

static bool same_kind(const struct lldp_tlv *a, const struct lldp_tlv *b)
{
	return memcmp(a->oui, b->oui, sizeof(a->oui)) == 0 && a->subtype == b->subtype;
}

static bool same(const struct lldp_tlv *a, const struct lldp_tlv *b)
{
	return same_kind(a, b) && a->len == b->len && memcmp(a->info, b->info, a->len) == 0;
}

static const struct lldp_tlv *of_kind(const struct tlv_list *list, const struct lldp_tlv *tlv)
{
	for (size_t i = 0; i < list->n; i++)
		if (same_kind(&list->of[i], tlv))
			return &list->of[i];
	return NULL;
}

static bool copy_list(struct tlv_list *to, const struct lldp_tlv *tlvs, size_t n)
{
	struct tlv_list list = {.of = calloc(n ? n : 1, sizeof(*list.of))};

	if (!list.of)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct lldp_tlv *there = (struct lldp_tlv *)of_kind(&list, &tlvs[i]);

		*(there ? there : &list.of[list.n++]) = tlvs[i];
	}
	free(to->of);
	*to = list;
	return true;
}

static bool same_list(const struct tlv_list *a, const struct tlv_list *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct lldp_tlv *other = of_kind(b, &a->of[i]);

		if (!other || !same(&a->of[i], other))
			return false;
	}
	return true;
}

bool want_ask(struct want *w, const struct lldp_tlv *tlvs, size_t n, uint32_t mtu)
{
	struct tlv_list before = {0};

	if (!copy_list(&before, w->asked.of, w->asked.n))
		return false;
	if (!copy_list(&w->asked, tlvs, n)) {
		free(before.of);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		if (memcmp(tlvs[i].oui, oui_8021, sizeof(oui_8021)) == 0)
			w->ever[tlvs[i].subtype / 8] |= (uint8_t)(1 << tlvs[i].subtype % 8);
	if (w->gone || mtu != w->mtu || !same_list(&before, &w->asked)) {
		w->fresh = true;
		w->refused = false;
	}
	w->gone = false;
	w->mtu = mtu;
	free(before.of);
	return true;
}

static bool ours(const struct want *w, const struct lldp_tlv *tlv)
{
	return (memcmp(tlv->oui, oui_8021, sizeof(oui_8021)) == 0 &&
		w->ever[tlv->subtype / 8] >> tlv->subtype % 8 & 1) ||
	       of_kind(&w->held, tlv) || of_kind(&w->asked, tlv);
}

static size_t list_octets(const struct tlv_list *list)
{
	size_t sum = 0;

	for (size_t i = 0; i < list->n; i++)
		sum += ORG_HEADER + list->of[i].len;
	return sum;
}

enum want_fit want_settle(struct want *w, const struct conn_port *port, size_t *octets)
{
	size_t others = port->octets;
	static const struct tlv_list none;

	for (size_t i = 0; i < port->n; i++)
		if (!ours(w, &port->tlvs[i]))
			others += ORG_HEADER + port->tlvs[i].len;
	*octets = others + list_octets(&w->asked);
	if (w->gone)
		return WANT_FITS;
	if (w->mtu == 0 || *octets <= w->mtu)
		/* Without memory for it, once more later. */
		return same_list(&w->held, &w->asked) ||
			       copy_list(&w->held, w->asked.of, w->asked.n)
			   ? WANT_FITS
			   : WANT_TOO_LONG;
	if (others + list_octets(&w->held) <= w->mtu)
		return WANT_TOO_LONG;
	(void)copy_list(&w->held, none.of, none.n);
	return WANT_NOT_EVEN;
}

/* Exactly one of this kind, and that one? */
static bool has_just(const struct conn_port *port, const struct lldp_tlv *tlv)
{
	size_t kind = 0, equal = 0;

	for (size_t i = 0; i < port->n; i++) {
		kind += same_kind(&port->tlvs[i], tlv);
		equal += same(&port->tlvs[i], tlv);
	}
	return kind == 1 && equal == 1;
}

static bool removes(const struct want_plan *plan, const struct lldp_tlv *tlv)
{
	for (size_t i = 0; i < plan->n; i++)
		if (same_kind(&plan->steps[i].tlv, tlv))
			return true;
	return false;
}

bool want_plan(const struct want *w, const struct conn_port *port, struct want_plan *out)
{
	static const struct tlv_list none;
	const struct tlv_list *held = w->gone ? &none : &w->held;

	*out = (struct want_plan){.steps = calloc(held->n + port->n + 1, sizeof(*out->steps))};
	if (!out->steps)
		return false;
	for (size_t i = 0; i < held->n; i++)
		if (!has_just(port, &held->of[i]))
			out->steps[out->n++] = (struct want_step){CONN_REPLACE, held->of[i]};
	for (size_t i = 0; i < port->n; i++) {
		const struct lldp_tlv *tlv = &port->tlvs[i];

		if (ours(w, tlv) && !of_kind(held, tlv) && !removes(out, tlv))
			out->steps[out->n++] = (struct want_step){CONN_REMOVE, *tlv};
	}
	return true;
}

int64_t want_credit(struct want *w, int64_t now_ms)
{
	int64_t earned = (now_ms - w->credit_ms) / WANT_CREDIT_EVERY_MS;

	if (earned > 0) {
		w->credit_ms += earned * WANT_CREDIT_EVERY_MS;
		w->credit = w->credit + earned < WANT_CREDIT_MAX ? w->credit + (unsigned)earned
								 : WANT_CREDIT_MAX;
	}
	if (w->credit == 0)
		return w->credit_ms + WANT_CREDIT_EVERY_MS - now_ms;
	w->credit--;
	return 0;
}
