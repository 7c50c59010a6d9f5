/* SPDX-License-Identifier: BSD-3-Clause */
/* The way of a pause over systems. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/cli/trace.h"

/* The neighbor at a port: of several the first one with an address. NULL: there is none. */
static const struct trace_neighbor *neighbor_at(const struct trace_system *s, uint32_t ifindex)
{
	const struct trace_neighbor *first = NULL;

	for (size_t i = 0; i < s->n_neighbors; i++) {
		const struct trace_neighbor *n = &s->neighbors[i];

		if (n->ifindex != ifindex)
			continue;
		if (!first || (!first->address[0] && n->address[0]))
			first = n;
	}
	return first;
}

/* Whether a port announces this port ID. */
static bool has_id(const struct trace_port *port, const char *id)
{
	char number[TRACE_NAME_OCTETS];

	snprintf(number, sizeof(number), "%" PRIu32, port->ifindex);
	return id[0] && (strcmp(id, port->name) == 0 || strcmp(id, port->if_name) == 0 ||
			 strcmp(id, port->mac) == 0 || strcmp(id, number) == 0);
}

/* Whether the neighbor is the port of a hop. */
static bool is_port_of(const struct trace_neighbor *n, const struct trace_hop *hop)
{
	return has_id(hop->port, n->port) && strcmp(hop->system->chassis, n->chassis) == 0;
}

/*
 * The port of a system at the link of the last hop: its port ID is that of the hop's neighbor, or
 * its neighbor is the port of the hop. NULL: none, or several.
 */
static const struct trace_port *port_towards(const struct trace_system *s,
					     const struct trace_hop *hop)
{
	const struct trace_port *found = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < s->n_ports; i++)
		if (has_id(&s->ports[i], hop->neighbor->port)) {
			found = &s->ports[i];
			n++;
		}
	if (n == 1)
		return found;
	n = 0;
	for (size_t i = 0; i < s->n_neighbors; i++)
		if (is_port_of(&s->neighbors[i], hop)) {
			found = trace_port_of(s, s->neighbors[i].ifindex);
			n++;
		}
	return n == 1 ? found : NULL;
}

/* Whether a port is paused for longer than another one, or receives more PFC frames. */
static bool is_longer(const struct trace_pause *a, const struct trace_pause *b)
{
	return a->percent > b->percent || (a->percent >= b->percent && a->rate > b->rate);
}

/* The port that is paused longest, but for one. others: how many more are paused. */
static const struct trace_port *longest(const struct trace_system *s, unsigned priority,
					const struct trace_port *but, unsigned *others)
{
	const struct trace_port *found = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < s->n_ports; i++) {
		const struct trace_port *port = &s->ports[i];

		if (port == but || !port->pause[priority].is_on)
			continue;
		n++;
		if (!found || is_longer(&port->pause[priority], &found->pause[priority]))
			found = port;
	}
	*others = n ? n - 1 : 0;
	return found;
}

/* Learns chassis ID and name of the local system from the system that pauses it. */
static void learn_chassis(struct trace_system *local, const struct trace_system *s,
			  const struct trace_port *towards)
{
	const struct trace_neighbor *us = NULL;
	unsigned n = 0;

	for (size_t i = 0; towards && i < s->n_neighbors; i++)
		if (s->neighbors[i].ifindex == towards->ifindex) {
			us = &s->neighbors[i];
			n++;
		}
	if (n != 1)
		return;
	memcpy(local->chassis, us->chassis, sizeof(local->chassis));
	if (us->name[0])
		memcpy(local->name, us->name, sizeof(local->name));
}

static void cycle_text(struct trace *t)
{
	char name[TRACE_NAME_OCTETS];
	size_t n;

	/*
	 * Message "deadlock: each port of this cycle waits for the next one: %s": The pause goes
	 * round: each of these ports is paused by the system of the next one. It ends only if a
	 * port drops its frames, as by the action `drop` of the PFC watchdog, or if a link is
	 * taken down; then change the routes or the priorities so that there is no cycle.
	 */
	n = (size_t)snprintf(t->text, sizeof(t->text),
			     "deadlock: each port of this cycle waits for the next one: ");
	for (unsigned i = t->cycle; i < t->n && n < sizeof(t->text); i++)
		n += (size_t)snprintf(t->text + n, sizeof(t->text) - n, "%s%s %s",
				      i == t->cycle ? "" : ", ", t->hops[i].system->name,
				      trace_port_name(t->hops[i].port, name));
}

/* Where the pause comes from, or that it does not go on. */
static void end(struct trace *t, enum trace_reason reason)
{
	const struct trace_hop *last = &t->hops[t->n - 1];
	char port[TRACE_NAME_OCTETS], *text = t->text;

	t->reason = reason;
	if (reason == TRACE_SOURCE)
		/*
		 * Message: The pause begins there. A bridge has more frames of the priority for a
		 * port than its link takes; a station receives more slowly than frames arrive.
		 */
		snprintf(text, sizeof(t->text),
			 "%s is the source: it is paused at no other port for priority %u, so a "
			 "port of it is congested, or it receives slowly",
			 trace_neighbor_name(last->neighbor), t->priority);
	else if (reason == TRACE_CYCLE)
		cycle_text(t);
	else if (reason == TRACE_NOT_PAUSED)
		/* Message: The pause has ended, or there was none. */
		snprintf(text, sizeof(t->text), "%s of %s is not paused for priority %u now",
			 trace_port_name(last->port, port), last->system->name, t->priority);
	else if (reason == TRACE_NO_NEIGHBOR)
		/*
		 * Message: The station or bridge at this port sends the PFC frames, but no
		 * LLDPDUs, or LLDP is off at this port.
		 */
		snprintf(text, sizeof(t->text),
			 "LLDP knows no neighbor at %s of %s, which is paused from there",
			 trace_port_name(last->port, port), last->system->name);
	else
		/* Message: Trace again from the last system. */
		snprintf(text, sizeof(t->text), "no end after %u ports", t->n);
}

/* Why the neighbor of the last hop could not be asked. */
static void end_without_answer(struct trace *t, enum trace_reason reason)
{
	const struct trace_neighbor *n = t->hops[t->n - 1].neighbor;
	const char *system = trace_neighbor_name(n);
	char *text = t->text;

	t->reason = reason;
	if (reason == TRACE_NO_ADDRESS)
		/*
		 * Message: The LLDPDUs of the neighbor have no IPv4 or IPv6 address at which
		 * systems on other links can reach it. Have it announce one.
		 */
		snprintf(text, sizeof(t->text), "%s announces no management address", system);
	else if (reason == TRACE_NO_TOOL)
		/* Message: Install the command line tools of Net-SNMP. */
		snprintf(text, sizeof(t->text), "snmpbulkwalk, to ask %s (%s), cannot be run: %s",
			 system, n->address, t->why);
	else if (reason == TRACE_NO_OBJECTS)
		/*
		 * Message: The SNMP agent of the neighbor does not have these tables, or does not
		 * show them to this community or user.
		 */
		snprintf(text, sizeof(t->text),
			 "%s (%s) shows neither dcbPfcPriorityTable nor ieee8021PfcIfTable", system,
			 n->address);
	else
		/*
		 * Message: The neighbor has no SNMP agent at the address that it announces, or it
		 * refuses the requests, as the reason says. Give the version and the community or
		 * user with `--snmp`, or in snmp.conf(5).
		 */
		snprintf(text, sizeof(t->text), "%s (%s) does not answer by SNMP: %s", system,
			 n->address, t->why);
}

/* Whether the way has been at this port. */
static bool was_at(struct trace *t, const struct trace_system *s, const struct trace_port *port)
{
	for (t->cycle = 0; t->cycle < t->n; t->cycle++)
		if (t->hops[t->cycle].system == s && t->hops[t->cycle].port == port)
			return true;
	return false;
}

/* The system of the last hop's neighbor. NULL: the way ends. */
static const struct trace_system *next_system(struct trace *t, struct trace_system *local,
					      trace_ask *ask, void *ctx)
{
	const struct trace_neighbor *n = t->hops[t->n - 1].neighbor;
	const struct trace_system *s;

	if (!n) {
		end(t, TRACE_NO_NEIGHBOR);
		return NULL;
	}
	if (local->chassis[0] && strcmp(local->chassis, n->chassis) == 0)
		return local;
	if (!n->address[0]) {
		end_without_answer(t, TRACE_NO_ADDRESS);
		return NULL;
	}
	t->reason = TRACE_NO_ANSWER;
	s = ask(ctx, n, &t->reason, t->why);
	if (!s)
		end_without_answer(t, t->reason);
	return s;
}

static bool is_paused(const struct trace_hop *hop, unsigned priority)
{
	return hop->port->pause[priority].is_on || hop->port->pause[priority].is_storm;
}

void trace_follow(struct trace *t, struct trace_system *local, const struct trace_port *port,
		  trace_ask *ask, void *ctx)
{
	const struct trace_system *s = local;
	const struct trace_port *towards;
	unsigned others = 0;

	t->n = 0;
	t->why[0] = '\0';
	for (;;) {
		struct trace_hop *hop = &t->hops[t->n++];

		*hop = (struct trace_hop){s, port, neighbor_at(s, port->ifindex), others};
		s = next_system(t, local, ask, ctx);
		if (!s)
			return;
		towards = port_towards(s, hop);
		if (hop->system == local && !local->chassis[0])
			learn_chassis(local, s, towards);
		port = longest(s, t->priority, towards, &others);
		if (!port) {
			end(t, is_paused(hop, t->priority) ? TRACE_SOURCE : TRACE_NOT_PAUSED);
			return;
		}
		if (was_at(t, s, port) || t->n == TRACE_HOPS_MAX) {
			end(t, t->cycle < t->n ? TRACE_CYCLE : TRACE_TOO_FAR);
			return;
		}
	}
}

const char *trace_reason_name(enum trace_reason reason)
{
	static const char *const names[TRACE_REASONS] = {
	    [TRACE_SOURCE] = "source",        [TRACE_CYCLE] = "cycle",
	    [TRACE_NOT_PAUSED] = "notPaused", [TRACE_NO_NEIGHBOR] = "noNeighbor",
	    [TRACE_NO_ADDRESS] = "noAddress", [TRACE_NO_ANSWER] = "noAnswer",
	    [TRACE_NO_TOOL] = "noTool",       [TRACE_NO_OBJECTS] = "noObjects",
	    [TRACE_TOO_FAR] = "tooFar",
	};

	return names[reason];
}
