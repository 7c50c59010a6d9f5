/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/client/lldp_client_memory_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		const struct desired_tlvs *d;

		for (const struct port *p = a->ports; p; p = p->next) {
			int64_t at = port_due(p);

			due = at < due ? at : due;
		}
		for (d = a->desired; d; d = d->hh.next)
			if (d->deferred && d->due_ms < due)
				due = d->due_ms;
	}
	return due;
}

static void do_due(struct lldp_memory *m)
{
	for (struct agent *a = m->agents; a; a = a->next) {
		struct desired_tlvs *d, *next;

		for (struct port *p = a->ports; p; p = p->next) {
			for (struct heard **h = &p->heard; *h;) {
				if ((*h)->until_ms <= m->now_ms)
					memory_remove_heard(h, a);
				else
					h = &(*h)->next;
			}
			if (p->repeat_ms <= m->now_ms)
				memory_transmit(p, LLDP_MEMORY_TTL_S);
		}
		for (d = a->desired; d; d = next) {
			next = d->hh.next;
			if (d->deferred && d->due_ms <= m->now_ms)
				memory_serve(a, d);
		}
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

/* --- systems, ports and links ---------------------------------------------------------------- */

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
	a->memory = m;
	a->events = events;
	a->ctx = ctx;
	a->running = true;
	memcpy(a->chassis, chassis, sizeof(a->chassis));
	snprintf(a->sysname, sizeof(a->sysname), "%s", sysname);
	a->next = m->agents;
	m->agents = a;
	(void)memory_item(a, ITEM_UP);
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
	p->repeat_ms = a->memory->now_ms + LLDP_MEMORY_TX_INTERVAL_MS;
	p->next = a->ports;
	a->ports = p;
	memory_serve_all(a);
	memory_immediate(a->memory);
	return true;
}

static void set_carrier(struct port *p, bool up)
{
	if (p->carrier == up)
		return;
	p->carrier = up;
	if (up)
		memory_transmit(p, LLDP_MEMORY_TTL_S);
	else
		memory_remove_all_heard(p);
}

void lldp_memory_wire(struct lldp_client *a, const char *a_ifname, struct lldp_client *b,
		      const char *b_ifname)
{
	struct port *pa = memory_port_of(a, a_ifname), *pb = memory_port_of(b, b_ifname);

	if (!pa || !pb || pa->peer || pb->peer)
		return;
	pa->peer = pb;
	pb->peer = pa;
	lldp_memory_carrier(a, a_ifname, true);
}

void lldp_memory_carrier(struct lldp_client *c, const char *ifname, bool up)
{
	struct port *p = memory_port_of(c, ifname);

	if (!p)
		return;
	set_carrier(p, up);
	if (p->peer)
		set_carrier(p->peer, up);
	memory_immediate(p->agent->memory);
}

void lldp_memory_unplug(struct lldp_client *c, const char *ifname)
{
	struct agent *a = (struct agent *)c;
	struct port *p = memory_port_of(c, ifname), **link = &a->ports;

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
	memory_immediate(a->memory);
}

void lldp_memory_stop(struct lldp_client *c, bool orderly)
{
	struct agent *a = (struct agent *)c;

	if (!a->running)
		return;
	for (struct port *p = a->ports; p; p = p->next) {
		if (orderly)
			memory_transmit(p, 0);
		p->tlvs.n = 0;
		while (p->heard) {
			struct heard *h = p->heard;

			p->heard = h->next;
			free(h);
		}
	}
	a->running = false;
	(void)memory_item(a, ITEM_DOWN);
	memory_immediate(a->memory);
}

void lldp_memory_start(struct lldp_client *c)
{
	struct agent *a = (struct agent *)c;

	if (a->running)
		return;
	a->running = true;
	for (struct port *p = a->ports; p; p = p->next)
		memory_transmit(p, LLDP_MEMORY_TTL_S);
	(void)memory_item(a, ITEM_UP);
	memory_immediate(a->memory);
}

uint64_t lldp_memory_sent(const struct lldp_client *c, const char *ifname)
{
	const struct port *p = memory_port_of(c, ifname);

	return p ? p->sent : 0;
}

static void free_agent(struct agent *a)
{
	struct desired_tlvs *d, *next;

	for (d = a->desired; d; d = next) {
		next = d->hh.next;
		desired_free(&a->desired, d);
	}
	cache_clear(&a->cache);
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
