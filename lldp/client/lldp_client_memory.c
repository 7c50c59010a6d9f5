/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/client/lldp_client_memory_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"

/* Approximate octets of the Ethernet header and of lldpd's own TLVs. */
#define OWN_OCTETS 150
/* More items than this in one pump mean that systems answer each other without an end. */
#define PUMP_MAX 100000

static void oom(void)
{
	/* Message: as "out of memory" */
	log_error("lldp", "out of memory");
}

struct port *memory_port_of(const struct lldp_client *c, const char *ifname)
{
	struct port *p = ((const struct agent *)c)->ports;

	while (p && strcmp(p->ifname, ifname) != 0)
		p = p->next;
	return p;
}

struct item *memory_item(struct agent *a, enum item_kind kind)
{
	struct item *i = calloc(1, sizeof(*i));

	if (!i) {
		oom();
		return NULL;
	}
	i->kind = kind;
	i->agent = a;
	*a->memory->last = i;
	a->memory->last = &i->next;
	return i;
}

void memory_immediate(struct lldp_memory *m)
{
	if (m->immediate && !m->pumping)
		(void)lldp_memory_pump(m);
}

/* --- sending --------------------------------------------------------------------------------- */

static void describe(const struct port *p, uint32_t ttl, struct lldp_remote *out)
{
	const struct agent *a = p->agent;

	out->chassis = (struct lldp_id){.subtype = LLDP_CHASSIS_MAC, .len = 6};
	memcpy(out->chassis.octets, a->chassis, 6);
	out->port = (struct lldp_id){.subtype = LLDP_PORT_MAC, .len = 6};
	memcpy(out->port.octets, p->mac, 6);
	out->ttl = ttl;
	if (ttl == 0)
		return;
	snprintf(out->sysname, sizeof(out->sysname), "%s", a->sysname);
	for (size_t i = 0; i < p->tlvs.n && i < LLDP_TLVS_MAX; i++)
		out->tlvs[out->n_tlvs++] = p->tlvs.of[i];
}

void memory_transmit(struct port *p, uint32_t ttl)
{
	struct item *i;

	p->repeat_ms = p->agent->memory->now_ms + LLDP_MEMORY_TX_INTERVAL_MS;
	if (!p->agent->running || !p->carrier || !p->peer)
		return;
	p->sent++;
	i = memory_item(p->peer->agent, ITEM_LLDPDU);
	if (!i)
		return;
	describe(p, ttl, &i->remote);
	memcpy(i->remote.ifname, p->peer->ifname, IF_NAMESIZE);
}

/* --- desired TLVs ---------------------------------------------------------------------------- */

static bool apply(struct port *p, struct desired_tlvs *d)
{
	static const struct tlv_list none;
	const struct tlv_list *list = d->forgotten ? &none : &d->fitting;
	struct lldp_tlv *of = calloc(list->n ? list->n : 1, sizeof(*of));

	if (!of) {
		oom();
		return false;
	}
	if (list->n)
		memcpy(of, list->of, list->n * sizeof(*of));
	free(p->tlvs.of);
	p->tlvs.n = list->n;
	p->tlvs.of = of;
	p->agent->stats.batches++;
	memory_transmit(p, LLDP_MEMORY_TTL_S);
	return true;
}

/* Works as the client of lldpd. If the rate limit defers the change, d->due_ms is when to retry. */
void memory_serve(struct agent *a, struct desired_tlvs *d)
{
	struct port *p = memory_port_of(&a->base, d->ifname);
	struct conn_port now = {.octets = OWN_OCTETS};
	struct desired_plan plan;
	enum desired_fit fit;
	size_t octets;
	int64_t wait;

	d->due_ms = INT64_MAX;
	if (!a->running || !a->connected || !p)
		return;
	now.n = p->tlvs.n;
	now.tlvs = p->tlvs.of;
	fit = desired_fit(d, &now, &octets);
	a->stats.refused += fit != DESIRED_FITS && !d->too_long;
	d->too_long = fit != DESIRED_FITS;
	if (!desired_plan(d, &now, a->memory->now_ms, &plan))
		return;
	free(plan.steps);
	if (plan.n == 0)
		return;
	wait = desired_tx_credit(d, a->memory->now_ms);
	if (wait > 0) {
		a->stats.deferred += !d->deferred;
		d->deferred = true;
		d->due_ms = a->memory->now_ms + wait;
		return;
	}
	d->deferred = false;
	(void)apply(p, d);
}

void memory_serve_all(struct agent *a)
{
	struct desired_tlvs *d, *next;

	for (d = a->desired; d; d = next) {
		next = d->hh.next;
		if (d->due_ms <= a->memory->now_ms || !d->deferred)
			memory_serve(a, d);
	}
}

static void memory_set(struct lldp_client *c, const char *ifname, const struct lldp_tlv *tlvs,
		       size_t n, uint32_t mtu)
{
	struct agent *a = (struct agent *)c;
	struct desired_tlvs *d = desired_at(&a->desired, ifname, a->memory->now_ms);

	if (!d || !desired_request(d, tlvs, n, mtu)) {
		oom();
		return;
	}
	if (!d->deferred)
		memory_serve(a, d);
	memory_immediate(a->memory);
}

static void memory_refresh(struct lldp_client *c, const char *ifname)
{
	struct agent *a = (struct agent *)c;
	struct desired_tlvs *d = desired_find(a->desired, ifname);

	if (d && !d->deferred)
		memory_serve(a, d);
	memory_immediate(a->memory);
}

static void memory_forget(struct lldp_client *c, const char *ifname)
{
	struct agent *a = (struct agent *)c;
	struct desired_tlvs *d = desired_find(a->desired, ifname);

	if (!d)
		return;
	d->forgotten = true;
	if (!d->deferred)
		memory_serve(a, d);
	memory_immediate(a->memory);
}

static void memory_read(const struct lldp_client *c, struct lldp_stats *out)
{
	*out = ((const struct agent *)c)->stats;
}

static void memory_destroy(struct lldp_client *c)
{
	struct agent *a = (struct agent *)c;
	struct desired_tlvs *d, *next;

	for (d = a->desired; d; d = next) {
		struct port *p = memory_port_of(c, d->ifname);

		next = d->hh.next;
		d->forgotten = true;
		if (p && p->tlvs.n && a->running)
			(void)apply(p, d);
		desired_free(&a->desired, d);
	}
	a->events = NULL;
	memory_immediate(a->memory);
}

const struct lldp_client_ops memory_ops = {
    .set = memory_set,
    .refresh = memory_refresh,
    .forget = memory_forget,
    .read = memory_read,
    .destroy = memory_destroy,
};

/* --- receiving ------------------------------------------------------------------------------- */

static bool same_id(const struct lldp_id *a, const struct lldp_id *b)
{
	return a->subtype == b->subtype && a->len == b->len &&
	       memcmp(a->octets, b->octets, a->len) == 0;
}

static struct heard **find_heard(struct port *p, const struct lldp_remote *remote)
{
	struct heard **h = &p->heard;

	while (*h && !(same_id(&(*h)->remote.chassis, &remote->chassis) &&
		       same_id(&(*h)->remote.port, &remote->port)))
		h = &(*h)->next;
	return h;
}

/* Reports that a neighbor is gone, unless it has been heard again since. */
static void report_gone(struct agent *a, const struct lldp_remote *remote)
{
	struct port *p = memory_port_of(&a->base, remote->ifname);

	if ((p && *find_heard(p, remote)) || !cache_remove(&a->cache, remote) || !a->events)
		return;
	a->events->gone(a->ctx, remote);
}

void memory_remove_heard(struct heard **h, struct agent *a)
{
	struct heard *gone = *h;
	struct item *i = memory_item(a, ITEM_GONE);

	if (i) {
		memcpy(i->remote.ifname, gone->remote.ifname, IF_NAMESIZE);
		i->remote.chassis = gone->remote.chassis;
		i->remote.port = gone->remote.port;
	}
	*h = gone->next;
	free(gone);
}

void memory_remove_all_heard(struct port *p)
{
	while (p->heard)
		memory_remove_heard(&p->heard, p->agent);
}

static void report(struct port *p, const struct lldp_remote *remote)
{
	struct agent *a = p->agent;
	enum cache_result result = cache_update(&a->cache, remote, 0);

	if (result == CACHE_SAME)
		return;
	if (result == CACHE_NEW || result == CACHE_FEWER_TLVS)
		memory_transmit(p, LLDP_MEMORY_TTL_S);
	if (a->events)
		a->events->remote(a->ctx, remote);
}

static void arrive(struct agent *a, const struct lldp_remote *remote)
{
	struct port *p = memory_port_of(&a->base, remote->ifname);
	struct heard **h;

	if (!p || !p->carrier || !a->running)
		return;
	h = find_heard(p, remote);
	if (remote->ttl == 0) {
		if (*h)
			memory_remove_heard(h, a);
		return;
	}
	if (!*h)
		*h = calloc(1, sizeof(**h));
	if (!*h) {
		oom();
		return;
	}
	(*h)->remote = *remote;
	(*h)->until_ms = a->memory->now_ms + (int64_t)remote->ttl * 1000;
	if (a->connected)
		report(p, remote);
}

static void come_up(struct agent *a)
{
	if (!a->running || a->connected)
		return;
	a->connected = true;
	a->stats.connects++;
	if (!a->events)
		return;
	a->events->state(a->ctx, LLDP_CONNECTED);
	for (struct port *p = a->ports; p; p = p->next)
		for (const struct heard *h = p->heard; h; h = h->next)
			report(p, &h->remote);
	a->events->all_reported(a->ctx);
	memory_serve_all(a);
}

static void go_down(struct agent *a)
{
	if (!a->connected)
		return;
	a->connected = false;
	a->stats.disconnects++;
	cache_clear(&a->cache);
	if (a->events)
		a->events->state(a->ctx, LLDP_CONNECTING);
}

bool lldp_memory_pump(struct lldp_memory *m)
{
	unsigned n = 0;

	m->pumping = true;
	while (m->first && n++ < PUMP_MAX) {
		struct item *i = m->first;

		m->first = i->next;
		if (!m->first)
			m->last = &m->first;
		switch (i->kind) {
		case ITEM_LLDPDU:
			arrive(i->agent, &i->remote);
			break;
		case ITEM_GONE:
			report_gone(i->agent, &i->remote);
			break;
		case ITEM_UP:
			come_up(i->agent);
			break;
		case ITEM_DOWN:
			go_down(i->agent);
			break;
		}
		free(i);
	}
	m->pumping = false;
	return !m->first;
}

void lldp_memory_receive(struct lldp_client *c, const char *ifname,
			 const struct lldp_remote *remote)
{
	struct agent *a = (struct agent *)c;
	struct item *i = memory_item(a, ITEM_LLDPDU);

	if (!i)
		return;
	i->remote = *remote;
	snprintf(i->remote.ifname, sizeof(i->remote.ifname), "%s", ifname);
	memory_immediate(a->memory);
}
