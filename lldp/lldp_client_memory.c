/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/lldp_client_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/log.h"
#include "lldp/lldp_client_known.h"
#include "lldp/lldp_client_want.h"

/* An Ethernet header and the TLVs that lldpd sends on its own behalf, roughly. */
#define OWN_OCTETS 150
/* More in one pump than this is two systems that answer each other for ever. */
#define PUMP_MAX 100000

struct heard {
	struct heard *next;
	int64_t until_ms;
	struct lldp_remote remote;
};

struct port {
	struct port *next;
	struct agent *agent;
	struct port *peer;
	char ifname[IF_NAMESIZE];
	uint8_t mac[6];
	bool carrier;
	struct tlv_list tlvs; /* that it sends */
	int64_t repeat_ms;
	uint64_t sent;
	struct heard *heard;
};

struct agent {
	struct lldp_client base;
	struct agent *next;
	struct lldp_memory *world;
	char sysname[256];
	uint8_t chassis[6];
	const struct lldp_events *events; /* NULL: destroyed */
	void *ctx;
	bool running, connected;
	struct port *ports;
	struct want *wants;
	struct known *known;
	struct lldp_stats stats;
};

/* Under way, or to be told of. */
struct item {
	struct item *next;
	enum { ITEM_LLDPDU, ITEM_GONE, ITEM_UP, ITEM_DOWN } kind;
	struct agent *agent;
	struct lldp_remote remote; /* ifname: of the port it is for */
};

struct lldp_memory {
	bool immediate, pumping;
	int64_t now_ms;
	struct agent *agents;
	struct item *first, **last;
};

static void oom(void)
{
	log_error("lldp", "out of memory");
}

static struct port *port_of(const struct lldp_client *c, const char *ifname)
{
	struct port *p = ((const struct agent *)c)->ports;

	while (p && strcmp(p->ifname, ifname) != 0)
		p = p->next;
	return p;
}

static struct item *add_item(struct agent *a, int kind)
{
	struct item *i = calloc(1, sizeof(*i));

	if (!i) {
		oom();
		return NULL;
	}
	i->kind = kind;
	i->agent = a;
	*a->world->last = i;
	a->world->last = &i->next;
	return i;
}

static void immediate(struct lldp_memory *m)
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

static void transmit(struct port *p, uint32_t ttl)
{
	struct item *i;

	p->repeat_ms = p->agent->world->now_ms + LLDP_MEMORY_TX_INTERVAL_MS;
	if (!p->agent->running || !p->carrier || !p->peer)
		return;
	p->sent++;
	i = add_item(p->peer->agent, ITEM_LLDPDU);
	if (!i)
		return;
	describe(p, ttl, &i->remote);
	memcpy(i->remote.ifname, p->peer->ifname, IF_NAMESIZE);
}

/* --- what ports are to send ------------------------------------------------------------------ */

static bool apply(struct port *p, struct want *w)
{
	static const struct tlv_list none;
	const struct tlv_list *held = w->gone ? &none : &w->held;
	struct lldp_tlv *of = calloc(held->n ? held->n : 1, sizeof(*of));

	if (!of) {
		oom();
		return false;
	}
	if (held->n)
		memcpy(of, held->of, held->n * sizeof(*of));
	free(p->tlvs.of);
	p->tlvs = (struct tlv_list){held->n, of};
	p->agent->stats.batches++;
	transmit(p, LLDP_MEMORY_TTL_S);
	return true;
}

/* As the client of lldpd does it; sooner or later: w->due_ms. */
static void serve(struct agent *a, struct want *w)
{
	struct port *p = port_of(&a->base, w->ifname);
	struct lane_port now = {.octets = OWN_OCTETS};
	struct want_plan plan;
	enum want_fit fit;
	size_t octets;
	int64_t wait;

	w->due_ms = INT64_MAX;
	if (!a->running || !a->connected || !p)
		return;
	now.n = p->tlvs.n;
	now.tlvs = p->tlvs.of;
	fit = want_settle(w, &now, &octets);
	a->stats.refused += fit != WANT_FITS && !w->refused;
	w->refused = fit != WANT_FITS;
	if (!want_plan(w, &now, &plan))
		return;
	free(plan.steps);
	if (plan.n == 0)
		return;
	wait = want_credit(w, a->world->now_ms);
	if (wait > 0) {
		a->stats.deferred += !w->deferred;
		w->deferred = true;
		w->due_ms = a->world->now_ms + wait;
		return;
	}
	w->deferred = false;
	(void)apply(p, w);
}

static void serve_all(struct agent *a)
{
	struct want *w, *next;

	HASH_ITER (hh, a->wants, w, next)
		if (w->due_ms <= a->world->now_ms || !w->deferred)
			serve(a, w);
}

static void memory_set(struct lldp_client *c, const char *ifname, const struct lldp_tlv *tlvs,
		       size_t n, uint32_t mtu)
{
	struct agent *a = (struct agent *)c;
	struct want *w = want_at(&a->wants, ifname, a->world->now_ms);

	if (!w || !want_ask(w, tlvs, n, mtu)) {
		oom();
		return;
	}
	if (!w->deferred)
		serve(a, w);
	immediate(a->world);
}

static void memory_refresh(struct lldp_client *c, const char *ifname)
{
	struct agent *a = (struct agent *)c;
	struct want *w = want_find(a->wants, ifname);

	if (w && !w->deferred)
		serve(a, w);
	immediate(a->world);
}

static void memory_forget(struct lldp_client *c, const char *ifname)
{
	struct agent *a = (struct agent *)c;
	struct want *w = want_find(a->wants, ifname);

	if (!w)
		return;
	w->gone = true;
	if (!w->deferred)
		serve(a, w);
	immediate(a->world);
}

static void memory_read(const struct lldp_client *c, struct lldp_stats *out)
{
	*out = ((const struct agent *)c)->stats;
}

static void memory_destroy(struct lldp_client *c)
{
	struct agent *a = (struct agent *)c;
	struct want *w, *next;

	HASH_ITER (hh, a->wants, w, next) {
		struct port *p = port_of(c, w->ifname);

		w->gone = true;
		if (p && p->tlvs.n && a->running)
			(void)apply(p, w);
		want_free(&a->wants, w);
	}
	a->events = NULL;
	immediate(a->world);
}

static const struct lldp_client_ops memory_ops = {
    .set = memory_set,
    .refresh = memory_refresh,
    .forget = memory_forget,
    .read = memory_read,
    .destroy = memory_destroy,
};

/* --- hearing --------------------------------------------------------------------------------- */

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

/* Unless it was heard again meanwhile. */
static void report_gone(struct agent *a, const struct lldp_remote *remote)
{
	struct port *p = port_of(&a->base, remote->ifname);

	if ((p && *find_heard(p, remote)) || !known_drop(&a->known, remote) || !a->events)
		return;
	a->events->gone(a->ctx, remote);
}

static void lose(struct heard **h, struct agent *a)
{
	struct heard *gone = *h;
	struct item *i = add_item(a, ITEM_GONE);

	if (i) {
		memcpy(i->remote.ifname, gone->remote.ifname, IF_NAMESIZE);
		i->remote.chassis = gone->remote.chassis;
		i->remote.port = gone->remote.port;
	}
	*h = gone->next;
	free(gone);
}

static void lose_all(struct port *p)
{
	while (p->heard)
		lose(&p->heard, p->agent);
}

static void tell(struct port *p, const struct lldp_remote *remote)
{
	struct agent *a = p->agent;
	enum known_news news = known_take(&a->known, remote);

	if (news == KNOWN_SAME)
		return;
	if (news == KNOWN_NEW || news == KNOWN_FEWER)
		transmit(p, LLDP_MEMORY_TTL_S);
	if (a->events)
		a->events->remote(a->ctx, remote);
}

static void arrive(struct agent *a, const struct lldp_remote *remote)
{
	struct port *p = port_of(&a->base, remote->ifname);
	struct heard **h;

	if (!p || !p->carrier || !a->running)
		return;
	h = find_heard(p, remote);
	if (remote->ttl == 0) {
		if (*h)
			lose(h, a);
		return;
	}
	if (!*h)
		*h = calloc(1, sizeof(**h));
	if (!*h) {
		oom();
		return;
	}
	(*h)->remote = *remote;
	(*h)->until_ms = a->world->now_ms + (int64_t)remote->ttl * 1000;
	if (a->connected)
		tell(p, remote);
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
			tell(p, &h->remote);
	a->events->known(a->ctx);
	serve_all(a);
}

static void go_down(struct agent *a)
{
	if (!a->connected)
		return;
	a->connected = false;
	a->stats.disconnects++;
	known_clear(&a->known);
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

void lldp_memory_hear(struct lldp_client *c, const char *ifname, const struct lldp_remote *remote)
{
	struct agent *a = (struct agent *)c;
	struct item *i = add_item(a, ITEM_LLDPDU);

	if (!i)
		return;
	i->remote = *remote;
	snprintf(i->remote.ifname, sizeof(i->remote.ifname), "%s", ifname);
	immediate(a->world);
}

/* --- time ------------------------------------------------------------------------------------ */

static int64_t port_due(const struct port *p)
{
	int64_t due = p->agent->running && p->carrier ? p->repeat_ms : INT64_MAX;

	for (const struct heard *h = p->heard; h; h = h->next)
		due = h->until_ms < due ? h->until_ms : due;
	return due;
}

static int64_t next_due(const struct lldp_memory *m)
{
	int64_t due = INT64_MAX;

	for (const struct agent *a = m->agents; a; a = a->next) {
		const struct want *w;

		for (const struct port *p = a->ports; p; p = p->next) {
			int64_t at = port_due(p);

			due = at < due ? at : due;
		}
		for (w = a->wants; w; w = w->hh.next)
			if (w->deferred && w->due_ms < due)
				due = w->due_ms;
	}
	return due;
}

static void do_due(struct lldp_memory *m)
{
	for (struct agent *a = m->agents; a; a = a->next) {
		struct want *w, *next;

		for (struct port *p = a->ports; p; p = p->next) {
			for (struct heard **h = &p->heard; *h;) {
				if ((*h)->until_ms <= m->now_ms)
					lose(h, a);
				else
					h = &(*h)->next;
			}
			if (p->repeat_ms <= m->now_ms)
				transmit(p, LLDP_MEMORY_TTL_S);
		}
		HASH_ITER (hh, a->wants, w, next)
			if (w->deferred && w->due_ms <= m->now_ms)
				serve(a, w);
	}
}

bool lldp_memory_advance(struct lldp_memory *m, uint32_t ms)
{
	int64_t end = m->now_ms + ms;

	for (;;) {
		int64_t due;

		if (!lldp_memory_pump(m))
			return false;
		due = next_due(m);
		if (due > end)
			break;
		m->now_ms = due > m->now_ms ? due : m->now_ms;
		do_due(m);
	}
	m->now_ms = end;
	return true;
}

/* --- systems, ports, cables ------------------------------------------------------------------ */

struct lldp_memory *lldp_memory_new(bool is_immediate)
{
	struct lldp_memory *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->immediate = is_immediate;
	m->last = &m->first;
	return m;
}

struct lldp_client *lldp_client_memory(struct lldp_memory *m, const char *sysname,
				       const uint8_t chassis[6], const struct lldp_events *events,
				       void *ctx)
{
	struct agent *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->base.ops = &memory_ops;
	a->world = m;
	a->events = events;
	a->ctx = ctx;
	a->running = true;
	memcpy(a->chassis, chassis, sizeof(a->chassis));
	snprintf(a->sysname, sizeof(a->sysname), "%s", sysname);
	a->next = m->agents;
	m->agents = a;
	(void)add_item(a, ITEM_UP);
	return &a->base;
}

bool lldp_memory_port(struct lldp_client *c, const char *ifname, const uint8_t mac[6])
{
	struct agent *a = (struct agent *)c;
	struct port *p = calloc(1, sizeof(*p));

	if (!p)
		return false;
	p->agent = a;
	snprintf(p->ifname, sizeof(p->ifname), "%s", ifname);
	memcpy(p->mac, mac, sizeof(p->mac));
	p->repeat_ms = a->world->now_ms + LLDP_MEMORY_TX_INTERVAL_MS;
	p->next = a->ports;
	a->ports = p;
	serve_all(a);
	immediate(a->world);
	return true;
}

static void set_carrier(struct port *p, bool up)
{
	if (p->carrier == up)
		return;
	p->carrier = up;
	if (up)
		transmit(p, LLDP_MEMORY_TTL_S);
	else
		lose_all(p);
}

void lldp_memory_wire(struct lldp_client *a, const char *a_ifname, struct lldp_client *b,
		      const char *b_ifname)
{
	struct port *pa = port_of(a, a_ifname), *pb = port_of(b, b_ifname);

	if (!pa || !pb || pa->peer || pb->peer)
		return;
	pa->peer = pb;
	pb->peer = pa;
	lldp_memory_carrier(a, a_ifname, true);
}

void lldp_memory_carrier(struct lldp_client *c, const char *ifname, bool up)
{
	struct port *p = port_of(c, ifname);

	if (!p)
		return;
	set_carrier(p, up);
	if (p->peer)
		set_carrier(p->peer, up);
	immediate(p->agent->world);
}

void lldp_memory_unplug(struct lldp_client *c, const char *ifname)
{
	struct agent *a = (struct agent *)c;
	struct port *p = port_of(c, ifname), **link = &a->ports;

	if (!p)
		return;
	lldp_memory_carrier(c, ifname, false);
	if (p->peer)
		p->peer->peer = NULL;
	while (*link != p)
		link = &(*link)->next;
	*link = p->next;
	free(p->tlvs.of);
	free(p);
	immediate(a->world);
}

void lldp_memory_stop(struct lldp_client *c, bool orderly)
{
	struct agent *a = (struct agent *)c;

	if (!a->running)
		return;
	for (struct port *p = a->ports; p; p = p->next) {
		if (orderly)
			transmit(p, 0);
		p->tlvs.n = 0;
		while (p->heard) {
			struct heard *h = p->heard;

			p->heard = h->next;
			free(h);
		}
	}
	a->running = false;
	(void)add_item(a, ITEM_DOWN);
	immediate(a->world);
}

void lldp_memory_start(struct lldp_client *c)
{
	struct agent *a = (struct agent *)c;

	if (a->running)
		return;
	a->running = true;
	for (struct port *p = a->ports; p; p = p->next)
		transmit(p, LLDP_MEMORY_TTL_S);
	(void)add_item(a, ITEM_UP);
	immediate(a->world);
}

uint64_t lldp_memory_sent(const struct lldp_client *c, const char *ifname)
{
	const struct port *p = port_of(c, ifname);

	return p ? p->sent : 0;
}

static void free_agent(struct agent *a)
{
	struct want *w, *next;

	HASH_ITER (hh, a->wants, w, next)
		want_free(&a->wants, w);
	known_clear(&a->known);
	while (a->ports) {
		struct port *p = a->ports;

		a->ports = p->next;
		while (p->heard) {
			struct heard *h = p->heard;

			p->heard = h->next;
			free(h);
		}
		free(p->tlvs.of);
		free(p);
	}
	free(a);
}

void lldp_memory_free(struct lldp_memory *m)
{
	if (!m)
		return;
	while (m->first) {
		struct item *i = m->first;

		m->first = i->next;
		free(i);
	}
	while (m->agents) {
		struct agent *a = m->agents;

		m->agents = a->next;
		free_agent(a);
	}
	free(m);
}
