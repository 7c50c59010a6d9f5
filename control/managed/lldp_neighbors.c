/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The neighbors of the ports. If lldpd or dcb-lldp ends they stay valid for the time to live
 * that they sent, or until they are heard again, each of them by itself. A hash of chassis ID
 * and port ID joins them with the LLDPDUs that the ports have received: the source address of
 * one to the nearest bridge decides between two willing ports, and its time begins the time to
 * live of a stale neighbor.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "control/managed/lldp_ports_private.h"

/* --- lp->sorted: ascending lldpV2RemTimeMark, ifIndex, lldpV2RemIndex ------------------------- */

static int compare(const struct lldp_neighbor *a, const struct lldp_neighbor *b)
{
	if (a->time_mark != b->time_mark)
		return a->time_mark < b->time_mark ? -1 : 1;
	if (a->ifindex != b->ifindex)
		return a->ifindex < b->ifindex ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static size_t lower_bound(const struct lldp_ports *lp, const struct lldp_neighbor *n)
{
	size_t lo = 0, hi = lp->n_sorted;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (compare(lp->sorted[mid], n) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Makes room for one more element behind n, in an array that grows by one at a time and so has room
 * for the next power of two. Most ports have one neighbor. Returns NULL if there is no memory.
 */
static void *room_for(void *array, unsigned n, size_t size)
{
	bool is_full = (n & (n - 1)) == 0; /* n is 0 or a power of two */

	return is_full ? realloc(array, (n ? 2 * n : 1) * size) : array;
}

static bool sorted_reserve(struct lldp_ports *lp)
{
	size_t size = lp->size_sorted ? 2 * lp->size_sorted : 16;
	const struct lldp_neighbor **sorted;

	if (lp->n_sorted < lp->size_sorted)
		return true;
	sorted = realloc(lp->sorted, size * sizeof(*sorted));
	if (!sorted)
		return false;
	lp->sorted = sorted;
	lp->size_sorted = size;
	return true;
}

/* The caller has called sorted_reserve(). */
static void sorted_insert(struct lldp_ports *lp, const struct lldp_neighbor *n)
{
	size_t at = lower_bound(lp, n);

	memmove(lp->sorted + at + 1, lp->sorted + at,
		(lp->n_sorted - at) * sizeof(struct lldp_neighbor *));
	lp->sorted[at] = n;
	lp->n_sorted++;
}

static void sorted_remove(struct lldp_ports *lp, const struct lldp_neighbor *n)
{
	size_t at = lower_bound(lp, n);

	lp->n_sorted--;
	memmove(lp->sorted + at, lp->sorted + at + 1,
		(lp->n_sorted - at) * sizeof(struct lldp_neighbor *));
}

/* --- neighbors of a port --------------------------------------------------------------------- */

/* Only this file modifies neighbors; t->neighbors has const pointers for other files. */
static struct lldp_neighbor *neighbor_at(const struct lldp_tracked *t, unsigned i)
{
	return (struct lldp_neighbor *)(uintptr_t)t->neighbors[i];
}

static bool same_id(const struct lldp_id *a, const struct lldp_id *b)
{
	return a->subtype == b->subtype && a->len == b->len &&
	       memcmp(a->octets, b->octets, a->len) == 0;
}

/* Finds a neighbor by MSAP (chassis ID and port ID). Returns n_neighbors if there is none. */
static unsigned find(const struct lldp_tracked *t, const struct lldp_remote *remote)
{
	unsigned i;

	for (i = 0; i < t->n_neighbors; i++)
		if (same_id(&t->neighbors[i]->chassis, &remote->chassis) &&
		    same_id(&t->neighbors[i]->port, &remote->port))
			break;
	return i;
}

void lldp_neighbors_count(struct lldp_tracked *t)
{
	struct lldp_port *pub = &t->pub;
	const struct lldp_neighbor *speaker = NULL;

	pub->n_neighbors = t->up ? t->n_neighbors : 0;
	pub->peer = pub->n_neighbors == 1 ? t->neighbors[0] : NULL;
	pub->n_dcbx = 0;
	for (unsigned i = 0; i < pub->n_neighbors; i++) {
		if (!dcbx_speaks(&t->neighbors[i]->tlvs))
			continue;
		speaker = t->neighbors[i];
		pub->n_dcbx++;
	}
	pub->dcbx_peer = pub->n_dcbx == 1 ? speaker : pub->peer;
	if (pub->n_dcbx > 1)
		pub->dcbx_peer = NULL;
}

static void drop(struct lldp_ports *lp, struct lldp_tracked *t, unsigned i)
{
	struct lldp_neighbor *n = neighbor_at(t, i);

	assert(state_may_change(lp->lock));
	sorted_remove(lp, n);
	t->neighbors[i] = t->neighbors[--t->n_neighbors];
	lldp_neighbors_count(t); /* objects are read before the port is evaluated again */
	free(n);
	lldp_ports_mark_changed(lp, t);
}

void lldp_neighbors_clear(struct lldp_ports *lp, struct lldp_tracked *t)
{
	while (t->n_neighbors > 0)
		drop(lp, t, t->n_neighbors - 1);
	free(t->neighbors);
	t->neighbors = NULL;
}

/* Drops the stale neighbor whose time to live ends first, if the port has a stale one. */
static void drop_first_stale(struct lldp_ports *lp, struct lldp_tracked *t)
{
	unsigned first = t->n_neighbors;

	for (unsigned i = 0; i < t->n_neighbors; i++) {
		const struct lldp_neighbor *n = t->neighbors[i];

		if (n->stale && (first == t->n_neighbors ||
				 dcb_time_before(n->until, t->neighbors[first]->until)))
			first = i;
	}
	if (first < t->n_neighbors)
		drop(lp, t, first);
}

static bool neighbors_reserve(struct lldp_tracked *t)
{
	const struct lldp_neighbor **neighbors =
	    room_for(t->neighbors, t->n_neighbors, sizeof(*neighbors));

	if (neighbors)
		t->neighbors = neighbors;
	return neighbors;
}

static struct lldp_neighbor *add(struct lldp_ports *lp, struct lldp_tracked *t,
				 const struct lldp_remote *remote)
{
	struct lldp_neighbor *n;

	if (t->n_neighbors == LLDP_NEIGHBORS_MAX)
		drop_first_stale(lp, t);
	if (t->n_neighbors == LLDP_NEIGHBORS_MAX) {
		lp->stats.neighbors_refused++;
		return NULL;
	}
	n = neighbors_reserve(t) && sorted_reserve(lp) ? calloc(1, sizeof(*n)) : NULL;
	if (!n) {
		/* Message: as "out of memory" */
		log_error_limited("lldp", "%s: out of memory: neighbor ignored", t->ifname);
		return NULL;
	}
	n->ifindex = t->port->link.ifindex;
	n->index = ++lp->last_index;
	n->chassis = remote->chassis;
	n->port = remote->port;
	n->msap =
	    lldpdu_msap((struct lldpdu_id){n->chassis.subtype, n->chassis.len, n->chassis.octets},
			(struct lldpdu_id){n->port.subtype, n->port.len, n->port.octets});
	t->neighbors[t->n_neighbors++] = n;
	sorted_insert(lp, n);
	return n;
}

/* --- LLDPDUs that the ports received --------------------------------------------------------- */

static struct lldp_heard *heard_find(struct lldp_tracked *t, uint64_t msap)
{
	for (unsigned i = 0; i < t->n_heard; i++)
		if (t->heard[i].msap == msap)
			return &t->heard[i];
	return NULL;
}

static bool is_neighbor(const struct lldp_tracked *t, uint64_t msap)
{
	for (unsigned i = 0; i < t->n_neighbors; i++)
		if (t->neighbors[i]->msap == msap)
			return true;
	return false;
}

/* Returns the oldest entry, first of those that belong to no neighbor; NULL: there is none. */
static struct lldp_heard *heard_oldest(const struct lldp_tracked *t)
{
	struct lldp_heard *oldest = NULL;
	bool known = false;

	for (unsigned i = 0; i < t->n_heard; i++) {
		bool is = is_neighbor(t, t->heard[i].msap);

		if (!oldest || (known && !is) ||
		    (known == is && dcb_time_before(t->heard[i].at, oldest->at))) {
			oldest = &t->heard[i];
			known = is;
		}
	}
	return oldest;
}

/* Returns an unused entry, else one that is to be replaced; NULL: out of memory. */
static struct lldp_heard *heard_room(struct lldp_tracked *t)
{
	struct lldp_heard *heard = NULL;

	if (t->n_heard < LLDP_NEIGHBORS_MAX)
		heard = room_for(t->heard, t->n_heard, sizeof(*heard));
	if (!heard)
		return heard_oldest(t);
	t->heard = heard;
	return &t->heard[t->n_heard++];
}

/* Without memory the neighbor counts as one whose LLDPDUs the port does not receive. */
static void heard_store(struct lldp_tracked *t, const struct lldpdu *pdu, struct dcb_time at)
{
	struct lldp_heard *h = heard_find(t, pdu->msap);

	if (!h) {
		h = heard_room(t);
		if (!h)
			return;
		*h = (struct lldp_heard){.msap = pdu->msap};
	}
	h->at = at;
	h->ttl = pdu->ttl;
	if (pdu->nearest) {
		h->nearest = true;
		memcpy(h->source, pdu->source, sizeof(h->source));
	}
}

/* Sets where the neighbor's address comes from, and returns the address; NULL: none. */
static const uint8_t *find_address(const struct lldp_heard *h, struct lldp_neighbor *n)
{
	if (h) {
		n->address_origin = h->nearest ? LLDP_ADDRESS_SOURCE : LLDP_ADDRESS_ELSEWHERE;
		return h->nearest ? h->source : NULL;
	}
	if (n->port.subtype == LLDP_PORT_MAC && n->port.len == ETH_ADDR_OCTETS) {
		n->address_origin = LLDP_ADDRESS_PORT_ID;
		return n->port.octets;
	}
	n->address_origin = LLDP_ADDRESS_NONE;
	return NULL;
}

/*
 * Sets the address that breaks the tie between two willing ports (clause 38): the source
 * address of the neighbor's frames to the nearest bridge, as other implementations compare
 * it. Until such a frame has been seen, and on ports whose frames dcbd does not receive, the
 * port ID is used if it is a MAC address. A chassis ID is no substitute: if compared with a
 * port's address, both ends could find their own lower. Returns true if the address changes.
 */
static bool take_address(struct lldp_tracked *t, struct lldp_neighbor *n)
{
	const uint8_t *address = find_address(heard_find(t, n->msap), n);
	bool same = n->has_address == (address != NULL) &&
		    (!address || memcmp(n->address, address, sizeof(n->address)) == 0);

	n->has_address = address != NULL;
	if (address)
		memcpy(n->address, address, sizeof(n->address));
	return !same;
}

/* Takes the address and the time of an LLDPDU to the neighbors that have sent it. */
static void join(struct lldp_ports *lp, struct lldp_tracked *t, const struct lldpdu *pdu)
{
	for (unsigned i = t->n_neighbors; i-- > 0;) {
		struct lldp_neighbor *n = neighbor_at(t, i);

		if (n->msap != pdu->msap)
			continue;
		/* An agent that does not know the neighbor does not report that it is gone. */
		if (n->stale && pdu->ttl == 0)
			drop(lp, t, i);
		else if (take_address(t, n))
			lldp_ports_mark_changed(lp, t);
	}
}

void lldp_neighbors_unhear(struct lldp_tracked *t)
{
	free(t->heard);
	t->heard = NULL;
	t->n_heard = 0;
}

void lldp_ports_heard(struct lldp_ports *lp, uint16_t slot, const struct lldpdu *pdu,
		      struct dcb_time at)
{
	struct lldp_tracked *t = slot < DCB_SLOTS ? lp->of[slot] : NULL;

	if (!t)
		return;
	heard_store(t, pdu, at);
	state_change_begin(lp->lock);
	join(lp, t, pdu);
	state_change_end(lp->lock);
}

/* --- TLVs ------------------------------------------------------------------------------------ */

static void take_tlvs(struct lldp_tracked *t, struct lldp_neighbor *n,
		      const struct lldp_remote *remote)
{
	memset(&n->tlvs, 0, sizeof(n->tlvs));
	n->dialects = 0;
	for (unsigned i = 0; i < remote->n_tlvs; i++) {
		const struct lldp_tlv *tlv = &remote->tlvs[i];

		dcb_tlvs_take(&n->tlvs, tlv->oui, tlv->subtype, tlv->info, tlv->len);
		n->dialects |= dcbx_dialect_of(tlv->oui, tlv->subtype);
	}
	n->dialects |= (uint8_t)(dcbx_speaks(&n->tlvs) << DCBX_IEEE);
	lldp_way_check_delay(t, &n->tlvs);
	for (unsigned i = 0; i < DCB_TLVS; i++)
		t->pub.malformed[i] += n->tlvs.malformed >> i & 1;
}

void lldp_neighbors_drop_stale(struct lldp_ports *lp, struct lldp_tracked *t)
{
	for (unsigned i = t->n_neighbors; i-- > 0;)
		if (t->neighbors[i]->stale)
			drop(lp, t, i);
}

/* --- events of the LLDP client --------------------------------------------------------------- */

static uint32_t uptime(const struct lldp_ports *lp)
{
	struct dcb_time now = lp->ops->now(lp->owner);

	return (uint32_t)(dcb_time_diff_ns(now, lp->started) / (10 * DCB_NS_PER_MS));
}

/* Stores what the agent reports of a neighbor. */
static void store(struct lldp_ports *lp, struct lldp_tracked *t, const struct lldp_remote *remote)
{
	unsigned i = find(t, remote);
	struct lldp_neighbor *n;

	n = i < t->n_neighbors ? neighbor_at(t, i) : add(lp, t, remote);
	if (!n)
		return;
	n->stale = false;
	sorted_remove(lp, n);
	n->time_mark = uptime(lp);
	sorted_insert(lp, n);
	n->ttl = remote->ttl;
	memcpy(n->sysname, remote->sysname, sizeof(n->sysname));
	memcpy(n->management, remote->management, sizeof(n->management));
	(void)take_address(t, n);
	take_tlvs(t, n, remote);
	t->pub.updates++;
	lldp_ports_mark_changed(lp, t);
}

static void on_remote(void *ctx, const struct lldp_remote *remote)
{
	struct lldp_ports *lp = ctx;
	struct lldp_tracked *t = lldp_tracked_by_name(lp, remote->ifname);

	if (!t)
		return;
	state_change_begin(lp->lock);
	store(lp, t, remote);
	state_change_end(lp->lock);
}

static void on_gone(void *ctx, const struct lldp_remote *remote)
{
	struct lldp_ports *lp = ctx;
	struct lldp_tracked *t = lldp_tracked_by_name(lp, remote->ifname);
	unsigned i = t ? find(t, remote) : 0;

	if (!t || i == t->n_neighbors)
		return;
	state_change_begin(lp->lock);
	drop(lp, t, i);
	state_change_end(lp->lock);
}

/*
 * When the connection to the agent is lost, neighbors become stale: each stays in effect
 * until the agent reports it again or its time to live ends. A report of another neighbor
 * of the port says nothing about it: after a restart the agent reports each neighbor when
 * it has received its next LLDPDU, and two neighbors must not look like one meanwhile. A
 * stale neighbor's time to live does not begin again when the connection is lost again. It
 * begins with the last LLDPDU; if the port has not received it, when the connection is lost.
 */
static void make_stale(struct lldp_ports *lp, struct lldp_tracked *t, struct lldp_neighbor *n,
		       struct dcb_time now)
{
	const struct lldp_heard *h = heard_find(t, n->msap);

	if (n->stale)
		return;
	n->stale = true;
	n->until = dcb_time_add_ns(h ? h->at : now, (int64_t)(h ? h->ttl : n->ttl) * DCB_NS_PER_S);
	lp->next_aged = dcb_time_min(lp->next_aged, n->until);
}

static void on_state(void *ctx, enum lldp_state state)
{
	struct lldp_ports *lp = ctx;
	struct dcb_time now = lp->ops->now(lp->owner);

	state_change_begin(lp->lock);
	if (lp->stats.state == LLDP_CONNECTED && state != LLDP_CONNECTED)
		for (struct lldp_tracked *t = lp->by_name; t; t = t->hh.next)
			for (unsigned i = 0; i < t->n_neighbors; i++)
				make_stale(lp, t, neighbor_at(t, i), now);
	lp->stats.state = (uint8_t)state;
	state_change_end(lp->lock);
	lldp_ports_wake(lp);
}

/* Stale neighbors stay in effect, as the agent may still receive their LLDPDUs: see on_state(). */
static void on_all_reported(void *ctx)
{
	lldp_ports_wake(ctx);
}

void lldp_neighbors_age(struct lldp_ports *lp, struct dcb_time now)
{
	struct dcb_time next = DCB_TIME_NEVER;

	if (dcb_time_before(now, lp->next_aged))
		return;
	for (struct lldp_tracked *t = lp->by_name; t; t = t->hh.next) {
		for (unsigned i = t->n_neighbors; i-- > 0;) {
			const struct lldp_neighbor *n = t->neighbors[i];

			if (!n->stale)
				continue;
			if (!dcb_time_before(now, n->until)) {
				lp->stats.aged++;
				drop(lp, t, i);
			} else if (dcb_time_before(n->until, next)) {
				next = n->until;
			}
		}
	}
	lp->next_aged = next;
}

const struct lldp_events lldp_ports_events = {
    .state = on_state,
    .all_reported = on_all_reported,
    .remote = on_remote,
    .gone = on_gone,
    .tlvs = lldp_sent_read,
};
