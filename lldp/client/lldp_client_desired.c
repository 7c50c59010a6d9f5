/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/client/lldp_client_desired.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORG_HEADER 6 /* TLV header, OUI, subtype */

static const uint8_t oui_8021[3] = {0x00, 0x80, 0xc2};

struct desired_tlvs *desired_find(struct desired_tlvs *table, const char *ifname)
{
	struct desired_tlvs *d;

	HASH_FIND_STR(table, ifname, d);
	return d;
}

struct desired_tlvs *desired_at(struct desired_tlvs **table, const char *ifname, int64_t now_ms)
{
	struct desired_tlvs *d = desired_find(*table, ifname);

	if (d)
		return d;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	snprintf(d->ifname, sizeof(d->ifname), "%s", ifname);
	d->forgotten = true;
	d->credit = TX_CREDIT_MAX;
	d->credit_ms = now_ms;
	HASH_ADD_STR(*table, ifname, d);
	return d;
}

void desired_free(struct desired_tlvs **table, struct desired_tlvs *d)
{
	HASH_DEL(*table, d);
	free(d->requested.of);
	free(d->fitting.of);
	free(d);
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

static void own(struct desired_tlvs *d, uint8_t subtype)
{
	d->owned[subtype / 8] |= (uint8_t)(1 << subtype % 8);
}

bool desired_request(struct desired_tlvs *d, const struct lldp_tlv *tlvs, size_t n, uint32_t mtu)
{
	/* Subtypes of data center bridging: no other program sets them on a managed port. */
	static const uint8_t dcb[] = {0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x17};
	struct tlv_list before = {0};

	if (!copy_list(&before, d->requested.of, d->requested.n))
		return false;
	if (!copy_list(&d->requested, tlvs, n)) {
		free(before.of);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		if (memcmp(tlvs[i].oui, oui_8021, sizeof(oui_8021)) == 0)
			own(d, tlvs[i].subtype);
	for (size_t i = 0; i < sizeof(dcb); i++)
		own(d, dcb[i]);
	if (d->forgotten || mtu != d->mtu || !same_list(&before, &d->requested)) {
		d->changed = true;
		d->too_long = false;
	}
	d->forgotten = false;
	d->opens_ms = 0;
	d->mtu = mtu;
	free(before.of);
	return true;
}

static bool ours(const struct desired_tlvs *d, const struct lldp_tlv *tlv)
{
	return (memcmp(tlv->oui, oui_8021, sizeof(oui_8021)) == 0 &&
		d->owned[tlv->subtype / 8] >> tlv->subtype % 8 & 1) ||
	       of_kind(&d->fitting, tlv) || of_kind(&d->requested, tlv);
}

/* An OUI that its U/L bit makes local: it belongs to no organization. */
static const struct lldp_tlv mark = {.oui = {0x72, 0x64, 0x63}, .subtype = 0, .len = 1};

static bool is_mark(const struct lldp_tlv *tlv)
{
	return same_kind(tlv, &mark);
}

/* Returns the operator's status in the port's mark; 0: the port has no mark. */
static enum port_status marked(const struct conn_port *port)
{
	for (size_t i = 0; i < port->n; i++) {
		const struct lldp_tlv *tlv = &port->tlvs[i];

		if (is_mark(tlv))
			return tlv->len == 1 && tlv->info[0] == PORT_TX_ONLY ? PORT_TX_ONLY
									     : PORT_RX_TX;
	}
	return 0;
}

bool desired_has_mark(const struct conn_port *port)
{
	return marked(port);
}

static size_t list_octets(const struct tlv_list *list)
{
	size_t sum = 0;

	for (size_t i = 0; i < list->n; i++)
		sum += ORG_HEADER + list->of[i].len;
	return sum;
}

enum desired_fit desired_fit(struct desired_tlvs *d, const struct conn_port *port, size_t *octets)
{
	size_t others = port->octets;
	static const struct tlv_list none;

	for (size_t i = 0; i < port->n; i++)
		if (!ours(d, &port->tlvs[i]) && !is_mark(&port->tlvs[i]))
			others += ORG_HEADER + port->tlvs[i].len;
	*octets = others + list_octets(&d->requested);
	if (d->forgotten)
		return DESIRED_FITS;
	if (d->mtu == 0 || *octets <= d->mtu)
		/* Out of memory: the caller tries again later. */
		return same_list(&d->fitting, &d->requested) ||
			       copy_list(&d->fitting, d->requested.of, d->requested.n)
			   ? DESIRED_FITS
			   : DESIRED_TOO_LONG;
	if (others + list_octets(&d->fitting) <= d->mtu)
		return DESIRED_TOO_LONG;
	(void)copy_list(&d->fitting, none.of, none.n);
	return DESIRED_NONE_FIT;
}

/* Does the port have this TLV, and no other with its OUI and subtype? */
static bool has_just(const struct conn_port *port, const struct lldp_tlv *tlv)
{
	size_t kind = 0, equal = 0;

	for (size_t i = 0; i < port->n; i++) {
		kind += same_kind(&port->tlvs[i], tlv);
		equal += same(&port->tlvs[i], tlv);
	}
	return kind == 1 && equal == 1;
}

static bool removes(const struct desired_plan *plan, const struct lldp_tlv *tlv)
{
	for (size_t i = 0; i < plan->n; i++)
		if (same_kind(&plan->steps[i].tlv, tlv))
			return true;
	return false;
}

static void plan_alone(struct desired_plan *plan, enum conn_op op, struct lldp_tlv tlv)
{
	plan->steps[plan->n++] = (struct desired_step){op, true, tlv};
}

static void plan_status(struct desired_plan *plan, enum port_status status)
{
	plan_alone(plan, CONN_STATUS, (struct lldp_tlv){.subtype = (uint8_t)status});
}

/* The status before the mark is removed: an LLDPDU between the two has all TLVs. */
static void plan_open(const struct conn_port *port, enum port_status status,
		      struct desired_plan *plan)
{
	if (port->status == PORT_RX_ONLY && status)
		plan_status(plan, status);
	if (marked(port))
		plan_alone(plan, CONN_REMOVE, mark);
}

/*
 * A status other than "RX only" is one that the operator has set since the last look, and so is
 * "RX only" without a mark, unless another program has removed all custom TLVs.
 */
static void plan_default(struct desired_tlvs *d, const struct conn_port *port,
			 struct desired_plan *plan)
{
	enum port_status in_mark = marked(port);
	enum port_status was = port->status != PORT_RX_ONLY ? port->status
			       : in_mark                    ? in_mark
							    : (enum port_status)d->kept;
	bool holds = !d->forgotten && (was == PORT_RX_TX || was == PORT_TX_ONLY);
	struct lldp_tlv tlv = mark;

	d->kept = holds ? (uint8_t)was : 0;
	if (!holds) {
		plan_open(port, was, plan);
		return;
	}
	tlv.info[0] = (uint8_t)was;
	if (in_mark != was)
		plan_alone(plan, CONN_REPLACE, tlv);
	if (port->status != PORT_RX_ONLY)
		plan_status(plan, PORT_RX_ONLY);
}

bool desired_plan(struct desired_tlvs *d, const struct conn_port *port, int64_t now_ms,
		  struct desired_plan *out)
{
	static const struct tlv_list none;
	const struct tlv_list *list = d->forgotten ? &none : &d->fitting;

	*out = (struct desired_plan){.steps = calloc(list->n + port->n + 2, sizeof(*out->steps))};
	if (!out->steps)
		return false;
	if (!*d->ifname) {
		plan_default(d, port, out);
		return true;
	}
	for (size_t i = 0; i < list->n; i++)
		if (!has_just(port, &list->of[i]))
			out->steps[out->n++] =
			    (struct desired_step){CONN_REPLACE, false, list->of[i]};
	for (size_t i = 0; i < port->n; i++) {
		const struct lldp_tlv *tlv = &port->tlvs[i];

		if (ours(d, tlv) && !of_kind(list, tlv) && !removes(out, tlv))
			out->steps[out->n++] = (struct desired_step){CONN_REMOVE, false, *tlv};
	}
	if (now_ms >= d->opens_ms)
		plan_open(port, marked(port), out);
	return true;
}

int64_t desired_tx_credit(struct desired_tlvs *d, int64_t now_ms)
{
	int64_t earned = (now_ms - d->credit_ms) / TX_CREDIT_EVERY_MS;

	if (earned > 0) {
		d->credit_ms += earned * TX_CREDIT_EVERY_MS;
		d->credit = d->credit + earned < TX_CREDIT_MAX ? d->credit + (unsigned)earned
							       : TX_CREDIT_MAX;
	}
	if (d->credit == 0)
		return d->credit_ms + TX_CREDIT_EVERY_MS - now_ms;
	d->credit--;
	return 0;
}
