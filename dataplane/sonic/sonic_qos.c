/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sonic/sonic_qos.h"

#include <stdio.h>
#include <string.h>

#include "dataplane/sonic/sonic_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NONE         UINT8_MAX

/* A map of 8 numbers, or of 64 DSCPs, to numbers of 0 to 7. */
struct map {
	bool exists;
	uint8_t of[SONIC_DSCPS]; /* NONE: no entry, or a malformed one */
};

/* Finds the row of a port: the key is its name, or a list with it. */
static struct sonic_reader find_port_row(const struct sonic_rows *rows, struct sonic_port *port)
{
	struct sonic_reader r = sonic_reader_of(rows, SONIC_PORT_QOS_MAP, port->name, port->error);

	for (unsigned i = 0; i < rows->of[SONIC_PORT_QOS_MAP].n && !r.row; i++) {
		const struct sonic_row *row = &rows->of[SONIC_PORT_QOS_MAP].rows[i];

		if (sonic_list_has(row->key, strlen(row->key), port->name))
			r.row = row;
	}
	return r;
}

static void read_entry(const struct sonic_reader *r, const struct sonic_field *field, unsigned size,
		       struct map *out)
{
	uint64_t from, to;

	if (!sonic_number(field->name, size - 1, &from))
		sonic_malformed(r, field->name, field->value,
				size == SONIC_DSCPS ? "a field of 0 to 63" : "a field of 0 to 7");
	else if (!sonic_number(field->value, DCB_PRIORITIES - 1, &to))
		sonic_malformed(r, field->name, field->value, "0 to 7");
	else
		out->of[from] = (uint8_t)to;
}

/* Reads the map that a field of PORT_QOS_MAP names. size: its numbers. */
static void read_map(const struct sonic_rows *rows, const struct sonic_reader *port,
		     const char *field, enum sonic_table table, unsigned size, struct map *out,
		     char name[SONIC_OBJECT_OCTETS])
{
	struct sonic_reader r;

	memset(out->of, NONE, sizeof(out->of));
	out->exists = false;
	name[0] = '\0';
	if (!sonic_read_name(port, field, SONIC_OBJECT_OCTETS, name))
		return;
	r = sonic_reader_of(rows, table, name, port->error);
	if (!r.row) {
		/* SONiC applies nothing of the port's row. */
		sonic_malformed(port, field, name, "an existing map");
		return;
	}
	out->exists = true;
	for (unsigned i = 0; i < r.row->n; i++)
		read_entry(&r, &r.row->fields[i], size, out);
}

/* Reads a list of priorities. Returns false if it is malformed. Without a value: none. */
static bool read_mask(const struct sonic_reader *r, const char *field, uint8_t *out)
{
	const char *text = sonic_raw_value(r, field);
	unsigned mask = 0;

	for (const char *at = text; at && *at; at += at[1] ? 2 : 1) {
		if (at[0] < '0' || at[0] > '7' || (at[1] && (at[1] != ',' || !at[2]))) {
			sonic_malformed(r, field, text, "priorities of 0 to 7, such as 3,4");
			return false;
		}
		mask |= 1u << (at[0] - '0');
	}
	*out = (uint8_t)mask;
	return true;
}

struct maps {
	struct map dot1p, tc_to_pg, pfc_to_pg, pfc_to_queue, tc_to_queue, dscp;
};

static void know(struct sonic_priority *p, uint8_t value, uint8_t *to, uint32_t member)
{
	if (value == NONE)
		return;
	*to = value;
	p->known |= member;
}

/* Sets what the maps say of a priority. */
static void map_priority(const struct maps *m, unsigned number, struct sonic_priority *p)
{
	uint8_t tc = m->dot1p.exists ? m->dot1p.of[number] : (uint8_t)number;
	uint8_t pg = m->pfc_to_pg.of[number];

	if (pg == NONE && tc != NONE)
		pg = m->tc_to_pg.of[tc];
	know(p, tc, &p->tc, SONIC_TC);
	know(p, pg, &p->pg, SONIC_PG);
	know(p, m->pfc_to_queue.exists ? m->pfc_to_queue.of[number] : (uint8_t)number, &p->queue,
	     SONIC_QUEUE_OF);
}

/* Returns the priority of a TC: that of its number, else the lowest. */
static uint8_t priority_of(const struct sonic_port *port, uint8_t tc)
{
	uint8_t found = SONIC_NO_PRIORITY;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if ((port->priority[p].known & SONIC_TC) && port->priority[p].tc == tc &&
		    (p == tc || found == SONIC_NO_PRIORITY))
			found = (uint8_t)p;
	return found;
}

static void map_dscps(const struct map *dscp, struct sonic_port *out)
{
	for (unsigned i = 0; i < SONIC_DSCPS; i++)
		out->dscp_priority[i] =
		    dscp->of[i] == NONE ? SONIC_NO_PRIORITY : priority_of(out, dscp->of[i]);
}

/* --- ETS ----------------------------------------------------------------------------------- */

/* Writes SYSTEM|ASIC|, with which keys of a chassis begin; empty: no chassis. */
static void find_here(const struct sonic_rows *rows, char *out, size_t size)
{
	char ignored[SONIC_ERROR_OCTETS] = "";
	struct sonic_reader r = sonic_reader_of(rows, SONIC_METADATA, "localhost", ignored);
	const char *host = sonic_value(&r, "hostname"), *asic = sonic_value(&r, "asic_name");

	out[0] = '\0';
	if (host && asic && snprintf(out, size, "%s|%s|", host, asic) >= (int)size)
		out[0] = '\0';
}

/* Returns the row of a queue; NULL: there is none. */
static const struct sonic_row *find_queue(const struct sonic_rows *rows, const char *here,
					  const char *port, unsigned queue)
{
	for (unsigned i = 0; i < rows->of[SONIC_QUEUE].n; i++)
		if (sonic_key_covers(rows->of[SONIC_QUEUE].rows[i].key, '|', here, port, queue))
			return &rows->of[SONIC_QUEUE].rows[i];
	return NULL;
}

/* Reads the scheduler of a queue. *weight: 0 if it is strict. Returns false if it is unknown. */
static bool read_scheduler(const struct sonic_rows *rows, const char *here, struct sonic_port *port,
			   unsigned queue, uint64_t *weight)
{
	static const char *const types[] = {"STRICT", "DWRR", "WRR"};
	struct sonic_reader r = {SONIC_QUEUE, find_queue(rows, here, port->name, queue),
				 port->error};
	char name[SONIC_OBJECT_OCTETS];
	struct sonic_reader scheduler;
	unsigned type = 2; /* SAI has defaults: WRR, and the weight 1 */

	*weight = 1;
	if (!sonic_read_name(&r, "scheduler", sizeof(name), name))
		return false;
	scheduler = sonic_reader_of(rows, SONIC_SCHEDULER, name, port->error);
	if (!scheduler.row) {
		sonic_malformed(&r, "scheduler", name, "an existing scheduler");
		return false;
	}
	if (!sonic_read_word(&scheduler, "type", COUNT(types), types, &type) &&
	    sonic_value(&scheduler, "type"))
		return false;
	if (type == 0)
		*weight = 0;
	else if (!sonic_read_number(&scheduler, "weight", 1, UINT8_MAX, weight))
		return !sonic_value(&scheduler, "weight");
	return true;
}

/* Shares out 100 % by weights. Those that lose most by rounding down get one more. */
static void share_out(const uint64_t weight[DCB_PRIORITIES], uint8_t percent[DCB_PRIORITIES])
{
	uint64_t sum = 0, rest[DCB_PRIORITIES];
	unsigned left = 100;

	for (unsigned q = 0; q < DCB_PRIORITIES; q++)
		sum += weight[q];
	for (unsigned q = 0; q < DCB_PRIORITIES && sum; q++) {
		percent[q] = (uint8_t)(weight[q] * 100 / sum);
		rest[q] = weight[q] * 100 % sum;
		left -= percent[q];
	}
	for (; left > 0 && sum; left--) {
		unsigned most = 0;

		for (unsigned q = 1; q < DCB_PRIORITIES; q++)
			if (rest[q] > rest[most])
				most = q;
		percent[most]++;
		rest[most] = 0;
	}
}

/* Sets the queue of each priority. Returns the queues that have one; 0: it is not known. */
static unsigned map_queues(const struct map *tc_to_queue, struct sonic_port *out)
{
	unsigned used = 0;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		const struct sonic_priority *priority = &out->priority[p];
		uint8_t queue =
		    priority->known & SONIC_TC ? tc_to_queue->of[priority->tc] : (uint8_t)NONE;

		if (queue == NONE)
			return 0;
		out->ets.priority_tc[p] = queue;
		used |= 1u << queue;
	}
	return used;
}

static void read_ets(const struct sonic_rows *rows, const struct map *tc_to_queue,
		     struct sonic_port *out)
{
	unsigned used = map_queues(tc_to_queue, out);
	uint64_t weight[DCB_PRIORITIES] = {0};
	bool known = used != 0;
	char here[128];

	find_here(rows, here, sizeof(here));
	for (unsigned q = 0; q < DCB_PRIORITIES && known; q++)
		if (used >> q & 1)
			known = read_scheduler(rows, here, out, q, &weight[q]);
	if (!known) {
		memset(&out->ets, 0, sizeof(out->ets));
		return;
	}
	out->known |= SONIC_ETS;
	for (unsigned q = 0; q < DCB_PRIORITIES; q++)
		out->ets.tsa[q] = weight[q] ? TSA_ETS : TSA_STRICT;
	share_out(weight, out->ets.bandwidth);
}

/* --- all ----------------------------------------------------------------------------------- */

/* The switch can have a map of DSCPs for the ports that have none. */
static void read_dscps(const struct sonic_rows *rows, const struct sonic_reader *port,
		       struct map *dscp, struct sonic_port *out)
{
	struct sonic_reader global =
	    sonic_reader_of(rows, SONIC_PORT_QOS_MAP, "global", out->error);

	read_map(rows, sonic_value(port, "dscp_to_tc_map") ? port : &global, "dscp_to_tc_map",
		 SONIC_DSCP_TO_TC, SONIC_DSCPS, dscp, out->dscp_map);
}

void sonic_qos_of(const struct sonic_rows *rows, struct sonic_port *out)
{
	struct sonic_reader r = find_port_row(rows, out);
	char name[SONIC_OBJECT_OCTETS];
	struct maps m;

	out->has_qos_map = r.row && strcmp(r.row->key, out->name) == 0;
	if (read_mask(&r, "pfc_enable", &out->pfc_enable))
		out->known |= SONIC_PFC_ENABLE;
	if (read_mask(&r, "pfcwd_sw_enable", &out->pfcwd_enable))
		out->known |= SONIC_PFCWD_ENABLE;
	read_map(rows, &r, "dot1p_to_tc_map", SONIC_DOT1P_TO_TC, DCB_PRIORITIES, &m.dot1p, name);
	read_map(rows, &r, "tc_to_pg_map", SONIC_TC_TO_PG, DCB_PRIORITIES, &m.tc_to_pg, name);
	read_map(rows, &r, "pfc_to_pg_map", SONIC_PFC_TO_PG, DCB_PRIORITIES, &m.pfc_to_pg, name);
	read_map(rows, &r, "pfc_to_queue_map", SONIC_PFC_TO_QUEUE, DCB_PRIORITIES, &m.pfc_to_queue,
		 name);
	read_map(rows, &r, "tc_to_queue_map", SONIC_TC_TO_QUEUE, DCB_PRIORITIES, &m.tc_to_queue,
		 name);
	read_dscps(rows, &r, &m.dscp, out);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		map_priority(&m, p, &out->priority[p]);
	map_dscps(&m.dscp, out);
	read_ets(rows, &m.tc_to_queue, out);
}
