/* SPDX-License-Identifier: BSD-3-Clause */
/* The ports and neighbors of a system, and the rows that it has of them by SNMP. */
#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/out.h"
#include "agent/cli/trace.h"
#include "lib/mo/mo.h"

/* --- a system ------------------------------------------------------------------------------- */

void trace_system_free(struct trace_system *s)
{
	free(s->ports);
	free(s->neighbors);
	*s = (struct trace_system){.n_ports = 0};
}

/* Makes room for one more element of an array. */
static void *grown(void *of, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return of;
	*room = *room ? 2 * *room : 16;
	return out_alloc_check(realloc(of, *room * size));
}

static int compare_ports(const void *key, const void *port)
{
	uint32_t ifindex = *(const uint32_t *)key, own = ((const struct trace_port *)port)->ifindex;

	return (ifindex > own) - (ifindex < own);
}

struct trace_port *trace_port_of(const struct trace_system *s, uint32_t ifindex)
{
	return s->n_ports
		   ? bsearch(&ifindex, s->ports, s->n_ports, sizeof(*s->ports), compare_ports)
		   : NULL;
}

struct trace_port *trace_port(struct trace_system *s, uint32_t ifindex)
{
	if (s->n_ports && ifindex <= s->ports[s->n_ports - 1].ifindex)
		return trace_port_of(s, ifindex);
	if (s->n_ports == TRACE_PORTS_MAX)
		return NULL;
	s->ports = grown(s->ports, s->n_ports, &s->ports_room, sizeof(*s->ports));
	s->ports[s->n_ports] = (struct trace_port){.ifindex = ifindex};
	return &s->ports[s->n_ports++];
}

struct trace_neighbor *trace_neighbor(struct trace_system *s, uint32_t ifindex, uint32_t index)
{
	for (size_t i = 0; i < s->n_neighbors; i++)
		if (s->neighbors[i].ifindex == ifindex && s->neighbors[i].index == index)
			return &s->neighbors[i];
	if (s->n_neighbors == TRACE_PORTS_MAX)
		return NULL;
	s->neighbors =
	    grown(s->neighbors, s->n_neighbors, &s->neighbors_room, sizeof(*s->neighbors));
	s->neighbors[s->n_neighbors] = (struct trace_neighbor){.ifindex = ifindex, .index = index};
	return &s->neighbors[s->n_neighbors++];
}

void trace_text(char *to, size_t size, const char *octets, size_t len)
{
	size_t n = 0;

	for (; n < len && n + 1 < size; n++)
		to[n] = octets[n] >= ' ' && octets[n] <= '~' ? octets[n] : '?';
	to[n] = '\0';
}

/* Whether a request to the address goes to one other system. */
static bool can_be_asked(const char *text)
{
	struct in6_addr v6;
	struct in_addr v4;

	if (inet_pton(AF_INET, text, &v4) == 1)
		return v4.s_addr != htonl(INADDR_ANY) && v4.s_addr != htonl(INADDR_BROADCAST) &&
		       ntohl(v4.s_addr) >> 24 != IN_LOOPBACKNET && !IN_MULTICAST(ntohl(v4.s_addr));
	return inet_pton(AF_INET6, text, &v6) == 1 && !IN6_IS_ADDR_UNSPECIFIED(&v6) &&
	       !IN6_IS_ADDR_LOOPBACK(&v6) && !IN6_IS_ADDR_LINKLOCAL(&v6) &&
	       !IN6_IS_ADDR_MULTICAST(&v6) && !IN6_IS_ADDR_V4MAPPED(&v6);
}

void trace_take_address(struct trace_neighbor *n, const char *text)
{
	if (!n->address[0] && strlen(text) < sizeof(n->address) && can_be_asked(text))
		strcpy(n->address, text);
}

bool trace_target(const char *address, char target[TRACE_TARGET_OCTETS])
{
	if (!can_be_asked(address))
		return false;
	snprintf(target, TRACE_TARGET_OCTETS, strchr(address, ':') ? "udp6:[%s]" : "%s", address);
	return true;
}

/* Returns how much a counter of 64 bits, or of 32, has increased; 0 if it began anew. */
static double increase(uint64_t from, uint64_t to, bool has_32_bits)
{
	if (to >= from)
		return (double)(to - from);
	return has_32_bits ? (double)(uint32_t)(to - from) : 0;
}

static struct trace_pause pause_of(const struct trace_system *s, const struct trace_port *port,
				   unsigned p, double seconds)
{
	const struct trace_counts *a = &port->reads[0], *b = &port->reads[1];
	struct trace_pause pause = {.is_storm = port->pause[p].is_storm, .percent = -1, .rate = -1};

	if ((a->has_paused & b->has_paused) >> p & 1) {
		pause.percent = increase(a->paused_us[p], b->paused_us[p], false) / (seconds * 1e4);
		if (pause.percent > 100)
			pause.percent = 100;
	}
	if ((a->has_frames & b->has_frames) >> p & 1)
		pause.rate = increase(a->frames[p], b->frames[p], s->of_all_priorities) / seconds;
	pause.is_on = (a->is_paused | b->is_paused) >> p & 1 || pause.percent > 0 ||
		      (pause.percent < 0 && pause.rate > 0);
	return pause;
}

void trace_measure(struct trace_system *s, double seconds)
{
	for (size_t i = 0; i < s->n_ports; i++)
		for (unsigned p = 0; p < TRACE_PRIORITIES; p++)
			s->ports[i].pause[p] = pause_of(s, &s->ports[i], p, seconds);
}

const char *trace_port_name(const struct trace_port *port, char name[TRACE_NAME_OCTETS])
{
	const char *own = port->name[0] ? port->name : port->if_name;

	if (own[0])
		return own;
	snprintf(name, TRACE_NAME_OCTETS, "%" PRIu32, port->ifindex);
	return name;
}

const char *trace_neighbor_name(const struct trace_neighbor *n)
{
	return n->name[0] ? n->name : n->chassis;
}

/* --- rows by SNMP --------------------------------------------------------------------------- */

#define OID_MAX      128 /* RFC 2578, 7.1.3 */
#define VALUE_OCTETS 512 /* the rest of a longer one is ignored */

struct varbind {
	unsigned n;
	uint32_t oid[OID_MAX];
	bool is_number, is_octets;
	uint64_t number;
	size_t len;
	char octets[VALUE_OCTETS];
};

/* Those of other modules, which have no rows here: the entry, or a column. */
static const char *const other_roots[TRACE_WALKS] = {
    [TRACE_IF_NAMES] = "1.3.6.1.2.1.31.1.1.1.1",
    [TRACE_IF_MACS] = "1.3.6.1.2.1.2.2.1.6",
    [TRACE_LLDP] = "1.0.8802.1.1.2.1.4.1.1",
    [TRACE_LLDP_ADDRESSES] = "1.0.8802.1.1.2.1.4.2.1.3",
    [TRACE_LLDP_V2] = "1.3.111.2.802.1.1.13.1.4.1.1",
    [TRACE_LLDP_V2_ADDRESSES] = "1.3.111.2.802.1.1.13.1.4.2.1.3",
};
static const char *const own_columns[TRACE_WALKS] = {
    [TRACE_PAUSE_TIME] = MO_NAME(dcbPfcPriorityPauseTime),
    [TRACE_PAUSED] = MO_NAME(dcbPfcPriorityPaused),
    [TRACE_FRAMES] = MO_NAME(dcbPfcPriorityIndications),
    [TRACE_PORT_FRAMES] = MO_NAME(ieee8021PfcIndications),
    [TRACE_PORT_NAMES] = MO_NAME(dcbPortName),
    [TRACE_NEIGHBORS] = MO_NAME(dcbNeighborChassisId),
};

static uint32_t column_of(const char *object)
{
	const struct mo_table *table;

	return mo_column_by_name(object, &table)->subid;
}

void trace_root(enum trace_walk walk, char text[TRACE_ROOT_OCTETS])
{
	const struct mo_table *table;
	const struct mo_column *col;

	if (other_roots[walk]) {
		snprintf(text, TRACE_ROOT_OCTETS, "%s", other_roots[walk]);
		return;
	}
	col = mo_column_by_name(own_columns[walk], &table);
	out_oid(table, col, text, TRACE_ROOT_OCTETS);
	if (walk == TRACE_NEIGHBORS) /* the entry: all columns */
		*strrchr(text, '.') = '\0';
}

/* Parses "1.3.6", with a dot in front or not. Returns the end of it. */
static const char *take_oid(const char *at, const char *end, struct varbind *vb)
{
	vb->n = 0;
	while (at < end && vb->n < OID_MAX) {
		uint64_t sub = 0;

		at += *at == '.';
		if (at == end || !isdigit((unsigned char)*at))
			return at;
		for (; at < end && isdigit((unsigned char)*at); at++)
			sub = sub > UINT32_MAX ? sub : 10 * sub + (uint64_t)(*at - '0');
		if (sub > UINT32_MAX) {
			vb->n = 0;
			return at;
		}
		vb->oid[vb->n++] = (uint32_t)sub;
		if (at == end || *at != '.')
			return at;
	}
	return at;
}

static int digit_of(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parses the pairs of digits behind a quotation mark, which are on several lines. */
static const char *take_octets(const char *at, const char *end, struct varbind *vb)
{
	vb->is_octets = true;
	vb->len = 0;
	for (; at < end && *at != '"'; at++) {
		int high = digit_of(*at), low = at + 1 < end ? digit_of(at[1]) : -1;

		if (isspace((unsigned char)*at))
			continue;
		if (high < 0 || low < 0)
			vb->is_octets = false;
		else if (vb->len < VALUE_OCTETS)
			vb->octets[vb->len++] = (char)(16 * high + low);
		at += low >= 0;
	}
	return at;
}

static const char *take_number(const char *at, const char *end, struct varbind *vb)
{
	const char *start = at;

	vb->number = 0;
	for (; at < end && isdigit((unsigned char)*at); at++)
		vb->number = 10 * vb->number + (uint64_t)(*at - '0');
	vb->is_number = at > start && at - start <= 20 && (at == end || *at == '\n');
	return at;
}

/* Parses one variable binding. Returns the begin of the next one; NULL: there was none. */
static const char *take_varbind(const char *at, const char *end, struct varbind *vb)
{
	const char *line;

	if (at == end)
		return NULL;
	vb->is_number = vb->is_octets = false;
	at = take_oid(at, end, vb);
	if (at == end || *at != ' ')
		vb->n = 0;
	else if (++at < end && *at == '"')
		at = take_octets(at + 1, end, vb);
	else
		at = take_number(at, end, vb);
	line = memchr(at, '\n', (size_t)(end - at));
	return line ? line + 1 : end;
}

/* Counters: the index is (ifIndex, priority), or the ifIndex for all priorities. */
static void take_count(struct trace_system *s, enum trace_walk walk, unsigned read,
		       const uint32_t *sub, unsigned n, const struct varbind *vb)
{
	bool is_all = walk == TRACE_PORT_FRAMES;
	uint8_t bits = is_all ? 0xff : (uint8_t)(n == 2 && sub[1] < 8 ? 1u << sub[1] : 0);
	struct trace_port *port;
	struct trace_counts *c;

	if (!vb->is_number || n != (is_all ? 1u : 2u) || !bits || !sub[0])
		return;
	port = trace_port(s, sub[0]);
	if (!port)
		return;
	c = &port->reads[read];
	s->of_all_priorities = is_all;
	if (walk == TRACE_PAUSED) {
		c->is_paused |= vb->number == MO_truth_true ? bits : 0;
		return;
	}
	*(walk == TRACE_PAUSE_TIME ? &c->has_paused : &c->has_frames) |= bits;
	for (unsigned p = 0; p < TRACE_PRIORITIES; p++)
		if (bits >> p & 1)
			(walk == TRACE_PAUSE_TIME ? c->paused_us : c->frames)[p] = vb->number;
}

static void take_mac(char mac[18], const struct varbind *vb)
{
	const uint8_t *o = (const uint8_t *)vb->octets;

	mac[0] = '\0';
	if (vb->len == 6)
		snprintf(mac, 18, "%02x-%02x-%02x-%02x-%02x-%02x", o[0], o[1], o[2], o[3], o[4],
			 o[5]);
}

/* Names and addresses of ports that have counters. */
static void take_name(const struct trace_system *s, enum trace_walk walk, const uint32_t *sub,
		      unsigned n, const struct varbind *vb)
{
	struct trace_port *port = n == 1 ? trace_port_of(s, sub[0]) : NULL;

	if (!port || !vb->is_octets)
		return;
	if (walk == TRACE_IF_MACS)
		take_mac(port->mac, vb);
	else
		trace_text(walk == TRACE_PORT_NAMES ? port->name : port->if_name, TRACE_NAME_OCTETS,
			   vb->octets, vb->len);
}

/* dcbNeighborTable: (column, ifIndex, neighbor). */
static void take_neighbor(struct trace_system *s, const uint32_t *sub, unsigned n,
			  const struct varbind *vb)
{
	struct trace_neighbor *to = n == 3 && vb->is_octets ? trace_neighbor(s, sub[1], sub[2]) : 0;
	char address[TRACE_NAME_OCTETS];

	if (!to)
		return;
	if (sub[0] == column_of(MO_NAME(dcbNeighborChassisId)))
		trace_text(to->chassis, sizeof(to->chassis), vb->octets, vb->len);
	else if (sub[0] == column_of(MO_NAME(dcbNeighborPortId)))
		trace_text(to->port, sizeof(to->port), vb->octets, vb->len);
	else if (sub[0] == column_of(MO_NAME(dcbNeighborSystemName)))
		trace_text(to->name, sizeof(to->name), vb->octets, vb->len);
	else if (sub[0] == column_of(MO_NAME(dcbNeighborManagement))) {
		trace_text(address, sizeof(address), vb->octets, vb->len);
		trace_take_address(to, address);
	}
}

/* Address family numbers of IANA, of management addresses and of network addresses in IDs. */
enum { FAMILY_IPV4 = 1, FAMILY_IPV6 = 2 };

/* Writes an address of these octets. Returns false if it is none. */
static bool network_text(uint32_t family, const char *octets, size_t len,
			 char text[TRACE_ADDRESS_OCTETS])
{
	if (family == FAMILY_IPV4 && len == 4)
		return inet_ntop(AF_INET, octets, text, TRACE_ADDRESS_OCTETS);
	if (family == FAMILY_IPV6 && len == 16)
		return inet_ntop(AF_INET6, octets, text, TRACE_ADDRESS_OCTETS);
	return false;
}

/* Subtypes of IDs: 802.1AB 8.5.2.2, 8.5.3.2. */
enum { CHASSIS_MAC = 4, CHASSIS_NETWORK = 5, PORT_MAC = 3, PORT_NETWORK = 4 };

/* Writes an ID as dcbNeighborChassisId and dcbNeighborPortId have it. */
static void id_text(char text[TRACE_NAME_OCTETS], bool is_mac, bool is_network,
		    const struct varbind *vb)
{
	if (is_mac && vb->len == 6)
		take_mac(text, vb);
	else if (!is_network || vb->len == 0 ||
		 !network_text((uint8_t)vb->octets[0], vb->octets + 1, vb->len - 1, text))
		trace_text(text, TRACE_NAME_OCTETS, vb->octets, vb->len);
}

/*
 * lldpRemTable: (column, time mark, port, neighbor). lldpV2RemTable has the destination address
 * before the neighbor, and its columns are one further.
 */
static void take_lldp(struct trace_system *s, bool is_v2, const uint32_t *sub, unsigned n,
		      const struct varbind *vb)
{
	struct trace_neighbor *to =
	    n == (is_v2 ? 5u : 4u) ? trace_neighbor(s, sub[2], sub[n - 1]) : NULL;
	uint32_t column = sub[0] - is_v2;

	if (!to)
		return;
	if (column == 4 && vb->is_number)
		to->chassis_subtype = (uint32_t)vb->number;
	else if (column == 5 && vb->is_octets)
		id_text(to->chassis, to->chassis_subtype == CHASSIS_MAC,
			to->chassis_subtype == CHASSIS_NETWORK, vb);
	else if (column == 6 && vb->is_number)
		to->port_subtype = (uint32_t)vb->number;
	else if (column == 7 && vb->is_octets)
		id_text(to->port, to->port_subtype == PORT_MAC, to->port_subtype == PORT_NETWORK,
			vb);
	else if (column == 9 && vb->is_octets)
		trace_text(to->name, sizeof(to->name), vb->octets, vb->len);
}

/* (time mark, port, destination address in V2, neighbor, family, length, octets). */
static void take_lldp_address(struct trace_system *s, bool is_v2, const uint32_t *sub, unsigned n)
{
	unsigned before = is_v2 ? 4 : 3, len;
	char octets[16], text[TRACE_ADDRESS_OCTETS];
	struct trace_neighbor *to;

	if (n < before + 2)
		return;
	len = sub[before + 1];
	if (len > sizeof(octets) || n != before + 2 + len)
		return;
	for (unsigned i = 0; i < len; i++)
		octets[i] = (char)sub[before + 2 + i];
	to = trace_neighbor(s, sub[1], sub[before - 1]);
	if (to && network_text(sub[before], octets, len, text))
		trace_take_address(to, text);
}

static void take_row(struct trace_system *s, enum trace_walk walk, unsigned read,
		     const uint32_t *sub, unsigned n, const struct varbind *vb)
{
	switch (walk) {
	case TRACE_PAUSE_TIME:
	case TRACE_PAUSED:
	case TRACE_FRAMES:
	case TRACE_PORT_FRAMES:
		take_count(s, walk, read, sub, n, vb);
		break;
	case TRACE_PORT_NAMES:
	case TRACE_IF_NAMES:
	case TRACE_IF_MACS:
		take_name(s, walk, sub, n, vb);
		break;
	case TRACE_NEIGHBORS:
		take_neighbor(s, sub, n, vb);
		break;
	case TRACE_LLDP:
	case TRACE_LLDP_V2:
		take_lldp(s, walk == TRACE_LLDP_V2, sub, n, vb);
		break;
	case TRACE_LLDP_ADDRESSES:
	case TRACE_LLDP_V2_ADDRESSES:
		take_lldp_address(s, walk == TRACE_LLDP_V2_ADDRESSES, sub, n);
		break;
	case TRACE_WALKS:
		break;
	}
}

void trace_take(struct trace_system *s, enum trace_walk walk, unsigned read, const char *text,
		size_t len)
{
	const char *at = text, *end = text + len;
	char root_text[TRACE_ROOT_OCTETS];
	struct varbind root, vb;

	trace_root(walk, root_text);
	take_oid(root_text, root_text + strlen(root_text), &root);
	while ((at = take_varbind(at, end, &vb)))
		if (vb.n > root.n && (vb.is_number || vb.is_octets) &&
		    memcmp(vb.oid, root.oid, root.n * sizeof(*vb.oid)) == 0)
			take_row(s, walk, read, vb.oid + root.n, vb.n - root.n, &vb);
}
