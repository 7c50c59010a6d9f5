/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds rows in SNMP order. Most tables have a row for each combination of members of the parts
 * of their INDEX (component, priorities, ports ...): next_row() goes through the parts. The rows
 * of the other tables are those of a list (enum mo_rows), each with a search of its own.
 */
#include <string.h>

#include "control/managed/pause_history.h"
#include "control/objects/mo_lldp.h"
#include "control/objects/mo_next_private.h"
#include "dataplane/core/cnd.h"
#include "dataplane/macsec/port_macsec.h"

unsigned mo_read_port_rows(enum mo_table_id table, uint8_t cnpvs)
{
	if (mo_table(table)->rows == MO_ROWS_PORT)
		return 1;
	return mo_index_part(mo_table(table), MO_PART_COMPONENT) < 0 ? 0xff : cnpvs;
}

void mo_read_index(const struct managed *m, enum mo_table_id table, uint32_t ifindex,
		   unsigned priority, struct mo_index *index)
{
	mo_index_make(mo_table(table),
		      &(struct mo_index_of){.component = m->component_id,
					    .ifindex = ifindex,
					    .destination = mo_lldp_destination(m),
					    .priority = priority},
		      index);
}

void mo_read_adapt_index(const struct managed *m, enum mo_table_id table, struct mo_index *index)
{
	int part = mo_index_part(mo_table(table), MO_PART_DESTINATION);

	if (part >= 0)
		index->sub[part] = mo_lldp_destination(m);
}

/* --- tables of all combinations ------------------------------------------------------------- */

/* Returns whether the table has rows for this priority: of tables with a component, each CNPV. */
static bool has_priority(const struct mo_next *s, unsigned priority)
{
	return mo_index_part(mo_table(s->table), MO_PART_COMPONENT) < 0 ||
	       s->config->com_pri[priority].row_status != ROW_ABSENT;
}

/* Returns whether the table has a row for the priority found and this port (32.2.4). */
static bool has_port(const struct mo_next *s, size_t pos)
{
	const struct dcb_config *c = s->config;
	unsigned priority = s->place->priority;

	if (!next_has_port(s, pos))
		return false;
	if (s->table != MO_cn_errored_port)
		return true;
	return cnd_port_is_errored(
	    dcb_config_cnpvs(c), c->com_pri[priority].cncp_alternate_priority,
	    c->ports[pos].config->port_pri[priority].cnpd_alternate_priority);
}

/* Each finds the first member of a part that is not less than *sub. false: there is none. */

static bool next_number(uint32_t first, uint32_t last, uint32_t *sub)
{
	if (*sub < first)
		*sub = first;
	return *sub <= last;
}

static bool next_port(const struct mo_next *s, uint32_t *sub)
{
	size_t pos = dcb_config_lower_bound(s->config, *sub);

	while (pos < s->config->n_ports && !has_port(s, pos))
		pos++;
	if (pos == s->config->n_ports)
		return false;
	s->place->pos = pos;
	*sub = ifindex_at(s, pos);
	return true;
}

static bool next_priority(const struct mo_next *s, uint32_t *sub)
{
	while (*sub < DCB_PRIORITIES && !has_priority(s, *sub))
		++*sub;
	s->place->priority = *sub;
	return *sub < DCB_PRIORITIES;
}

/* The RpgIdentifier of the priority found; or CpIndex, which gives the priority. */
static bool next_cp(const struct mo_next *s, uint32_t *sub)
{
	uint32_t of_priority = mo_cp_index(s->place->priority);

	if (mo_index_part(mo_table(s->table), MO_PART_PRIORITY) >= 0)
		return next_number(of_priority, of_priority, sub);
	if (*sub == 0)
		*sub = 1;
	while (*sub <= DCB_PRIORITIES && !has_priority(s, mo_cp_index_priority(*sub)))
		++*sub;
	s->place->priority = mo_cp_index_priority(*sub);
	return *sub <= DCB_PRIORITIES;
}

/* An AN of a Secure Association has a key. */
static bool next_an(const struct mo_next *s, uint32_t *sub)
{
	const struct port_macsec *m = provider_macsec(s->config->ports[s->place->pos].port);

	while (*sub < SECTAG_ANS && !m->sak[*sub])
		++*sub;
	s->place->an = *sub;
	return *sub < SECTAG_ANS;
}

/* The slot of a port is its number, from 1. */
static bool next_base_port(const struct mo_next *s, uint32_t *sub)
{
	for (; next_number(1, DCB_SLOTS, sub); ++*sub) {
		unsigned entry = s->m->by_slot[*sub - 1];

		if (entry == 0 || entry > s->config->n_ports || !has_port(s, entry - 1))
			continue;
		s->place->pos = entry - 1;
		return true;
	}
	return false;
}

/* Finds in *s->place what the member is of. The parts before this one are found. */
static bool next_member(const struct mo_next *s, enum mo_part part, uint32_t *sub)
{
	const struct dcb_config_port *port = &s->config->ports[s->place->pos];
	uint32_t only;

	switch (part) {
	case MO_PART_COMPONENT:
		return next_number(s->m->component_id, s->m->component_id, sub);
	case MO_PART_PORT:
		return next_port(s, sub);
	case MO_PART_PRIORITY:
		return next_priority(s, sub);
	case MO_PART_CP:
		return next_cp(s, sub);
	case MO_PART_RP:
		if (!next_number(1, port->config->rp_port_pri[s->place->priority].rppp_max_rps,
				 sub))
			return false;
		s->place->rp = *sub;
		return true;
	case MO_PART_DESTINATION:
		only = mo_lldp_destination(s->m);
		return next_number(only, only, sub);
	case MO_PART_FEATURE:
		if (!next_number(MO_dcbx_feature_pfc, MO_dcbx_feature_congestionNotification, sub))
			return false;
		s->place->feature = *sub;
		return true;
	case MO_PART_TERM:
		if (!next_number(MO_headroom_term_calculation, MO_headroom_term_roundTrip, sub))
			return false;
		s->place->term = *sub - MO_headroom_term_calculation;
		return true;
	case MO_PART_CHANNEL:
		if (!next_number(1, provider_macsec(port->port)->secy.config.tx_scs, sub))
			return false;
		s->place->channel = *sub - 1;
		return true;
	case MO_PART_AN:
		return next_an(s, sub);
	case MO_PART_POOL:
		if (!next_number(MO_buffer_pool_lossless, MO_buffer_pool_headroom, sub))
			return false;
		s->place->pool = *sub;
		return true;
	case MO_PART_INTERVAL:
		s->place->interval =
		    pause_history_from(s->m->pauses, port->port, s->place->priority, *sub);
		if (!s->place->interval)
			return false;
		*sub = s->place->interval->number;
		return true;
	case MO_PART_BASE_PORT:
		return next_base_port(s, sub);
	default:
		return false;
	}
}

/*
 * Finds the first row whose index is, from this part on, not less than from; from NULL: any. The
 * parts before it are found.
 */
static bool next_row(const struct mo_next *s, unsigned part, const uint32_t *from)
{
	const struct mo_table *table = mo_table(s->table);
	uint32_t sub = from ? from[part] : 0;

	if (part == table->n_index)
		return true;
	for (; next_member(s, table->index[part].part, &sub); sub++) {
		s->index->sub[part] = sub;
		if (next_row(s, part + 1, from && sub == from[part] ? from : NULL))
			return true;
		if (sub == UINT32_MAX)
			return false;
	}
	return false;
}

static bool next_scalar(const struct mo_next *s)
{
	return s->index->sub[0] == 0;
}

static bool next_members(const struct mo_next *s)
{
	struct mo_index from = *s->index;

	s->place->pos = 0;
	s->place->priority = 0;
	return next_row(s, 0, from.sub);
}

/* --- congestion points in the order of their CPIDs ------------------------------------------- */

/*
 * Returns in *start the last two octets of the lowest CPID that is not less than the index:
 * slot and priority. false: the index is greater than all CPIDs of this system.
 */
static bool cpid_start(const struct mo_next *s, uint32_t *start)
{
	const uint32_t *sub = s->index->sub;

	*start = 0;
	for (unsigned i = 0; i < DCB_MAC_OCTETS; i++) {
		if (sub[i] < s->m->address[i])
			return true;
		if (sub[i] > s->m->address[i])
			return false;
	}
	if (sub[6] > UINT8_MAX)
		return false;
	*start = sub[7] > UINT8_MAX ? (sub[6] + 1) << 8 : sub[6] << 8 | sub[7];
	return true;
}

static bool next_cpid(const struct mo_next *s)
{
	uint32_t at;

	if (!cpid_start(s, &at))
		return false;
	for (; at < DCB_SLOTS * DCB_PRIORITIES; at++) {
		unsigned priority = at % DCB_PRIORITIES, entry = s->m->by_slot[at / DCB_PRIORITIES];
		uint32_t sub[MO_INDEX_MAX];
		uint8_t cpid[8];

		if (entry == 0) {
			at |= DCB_PRIORITIES - 1; /* continue with the next slot */
			continue;
		}
		if (s->config->com_pri[priority].row_status == ROW_ABSENT ||
		    !next_has_port(s, entry - 1u))
			continue;
		managed_cpid(s->m, s->config->ports[entry - 1].port, priority, cpid);
		for (unsigned i = 0; i < sizeof(cpid); i++)
			sub[i] = cpid[i];
		return found(s, entry - 1u, priority, sizeof(cpid), sub);
	}
	return false;
}

/*
 * Replaces an index by one of full length: the lowest that a row can have. A short index
 * sorts before all rows that it is a prefix of; a long one sorts after the row that is its
 * prefix. Returns false if no row can follow.
 */
static bool normalize(struct mo_index *index, unsigned len, bool after)
{
	if (index->n < len) {
		memset(index->sub + index->n, 0, (len - index->n) * sizeof(*index->sub));
		after = false;
	} else if (index->n > len) {
		after = true;
	}
	index->n = (uint8_t)len;
	for (unsigned i = len; after && i-- > 0;) {
		if (++index->sub[i] != 0)
			return true;
	}
	return !after;
}

/* Each finds the first row whose index is not less than *s->index. false: there is none. */
static bool (*const next_rows[])(const struct mo_next *s) = {
    [MO_ROWS_SCALAR] = next_scalar,
    [MO_ROWS_SYSTEM] = next_members,
    [MO_ROWS_SYSTEM_EACH] = next_members,
    [MO_ROWS_PORT] = next_members,
    [MO_ROWS_PORT_EACH] = next_members,
    [MO_ROWS_MEMBERS] = next_members,
    [MO_ROWS_CPID] = next_cpid,
    [MO_ROWS_PORT_APP] = next_port_app,
    [MO_ROWS_PORT_NEIGHBOR] = next_port_neighbor,
    [MO_ROWS_REM] = next_rem,
    [MO_ROWS_FDB] = next_fdb,
    [MO_ROWS_STATIC_UNICAST] = next_static_unicast,
    [MO_ROWS_TRILL_HOP] = next_trill_hop,
    [MO_ROWS_TRILL_EGRESS] = next_trill_egress,
    [MO_ROWS_TRILL_FDB] = next_trill_fdb,
    [MO_ROWS_TRILL_NICKNAME] = next_trill_nickname,
};

bool mo_read_next(const struct managed *m, const struct dcb_config *config, enum mo_table_id table,
		  struct mo_index *index, bool after, struct mo_row_at *place)
{
	struct mo_next s = {m, config, table, index, place};

	if (!mo_caps_has_table(m, table) || !normalize(index, mo_table(table)->index_len, after))
		return false;
	return next_rows[mo_table(table)->rows](&s);
}

bool mo_read_find(const struct managed *m, const struct dcb_config *config, enum mo_table_id table,
		  const struct mo_index *index, struct mo_row_at *place)
{
	struct mo_index at = *index;

	return index->n == mo_table(table)->index_len &&
	       mo_read_next(m, config, table, &at, false, place) &&
	       mo_index_compare(&at, index) == 0;
}
