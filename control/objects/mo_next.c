/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds rows in SNMP order. The rows of a table are all combinations of the members of
 * its INDEX (component, priorities, ports ...) for which has_priority() and has_port()
 * are true. A search starts at the requested index and takes the next such combination.
 */
#include <string.h>

#include "dataplane/core/cnd.h"
#include "control/objects/mo_lldp.h"
#include "control/objects/mo_next_private.h"
#include "dataplane/macsec/port_macsec.h"

int mo_read_port_part(enum mo_table_id table)
{
	switch (mo_table(table)->shape) {
	case MO_SHAPE_PRIORITY_PORT:
		return 2;
	case MO_SHAPE_PORT_CP:
	case MO_SHAPE_RP:
		return 1;
	case MO_SHAPE_PORT:
	case MO_SHAPE_PORT_PRIORITY:
	case MO_SHAPE_PORT_ADDRESS:
	case MO_SHAPE_PORT_APP:
	case MO_SHAPE_PORT_FEATURE:
	case MO_SHAPE_PORT_TERM:
	case MO_SHAPE_TRILL_HOP:
	case MO_SHAPE_PORT_SC:
	case MO_SHAPE_PORT_SA:
		return 0;
	default:
		return -1;
	}
}

unsigned mo_read_port_rows(enum mo_table_id table, uint8_t cnpvs)
{
	switch (mo_table(table)->shape) {
	case MO_SHAPE_PORT:
	case MO_SHAPE_PORT_ADDRESS:
		return 1;
	case MO_SHAPE_PORT_PRIORITY:
		return 0xff;
	default:
		return cnpvs;
	}
}

void mo_read_index(const struct managed *m, enum mo_table_id table, uint32_t ifindex,
		   unsigned priority, struct mo_index *index)
{
	uint32_t id = dcb_cp_index(priority), component = m->component_id;

	index->n = mo_table(table)->index_len;
	switch (mo_table(table)->shape) {
	case MO_SHAPE_PRIORITY_PORT:
		memcpy(index->sub, (uint32_t[]){component, priority, ifindex, id},
		       4 * sizeof(uint32_t));
		break;
	case MO_SHAPE_PORT_CP:
		memcpy(index->sub, (uint32_t[]){component, ifindex, id}, 3 * sizeof(uint32_t));
		break;
	case MO_SHAPE_PORT_PRIORITY:
		memcpy(index->sub, (uint32_t[]){ifindex, priority}, 2 * sizeof(uint32_t));
		break;
	case MO_SHAPE_PORT_ADDRESS:
		memcpy(index->sub, (uint32_t[]){ifindex, mo_lldp_destination(m)},
		       2 * sizeof(uint32_t));
		break;
	case MO_SHAPE_SCALAR:
		index->sub[0] = 0;
		break;
	case MO_SHAPE_COMPONENT:
		index->sub[0] = component;
		break;
	default:
		index->sub[0] = ifindex;
		break;
	}
}

unsigned mo_read_index_priority(enum mo_table_id table, const struct mo_index *index)
{
	switch (mo_table(table)->shape) {
	case MO_SHAPE_PRIORITY_PORT:
	case MO_SHAPE_PORT_PRIORITY:
		return index->sub[1];
	case MO_SHAPE_PORT_CP:
		return dcb_cp_index_priority(index->sub[2]);
	default:
		return 0;
	}
}

void mo_read_adapt_index(const struct managed *m, enum mo_table_id table, struct mo_index *index)
{
	if (mo_table(table)->shape == MO_SHAPE_PORT_ADDRESS)
		index->sub[1] = mo_lldp_destination(m);
}

/* Returns whether the table has rows for this priority. */
static bool has_priority(const struct seek *s, unsigned priority)
{
	if (mo_table(s->table)->shape == MO_SHAPE_PORT_PRIORITY)
		return true;
	return s->config->com_pri[priority].row_status != ROW_ABSENT;
}

/* Returns whether the table has a row for this priority and port (errored ports: 32.2.4). */
static bool has_port(const struct seek *s, unsigned priority, size_t pos)
{
	const struct dcb_config *c = s->config;

	if (!seek_has_port(s, pos))
		return false;
	if (s->table != MO_cn_errored_port)
		return true;
	return cnd_port_is_errored(
	    dcb_config_cnpvs(c), c->com_pri[priority].cncp_alternate_priority,
	    c->ports[pos].config->port_pri[priority].cnpd_alternate_priority);
}

/*
 * Compares the component in the index with m->component_id. false: it is greater, there
 * is no row. *from_start: it is less, the search starts at the component's first row.
 */
static bool enter_component(const struct seek *s, bool *from_start)
{
	*from_start = s->index->sub[0] < s->m->component_id;
	return s->index->sub[0] <= s->m->component_id;
}

static bool seek_component(const struct seek *s)
{
	bool from_start;

	return enter_component(s, &from_start) && found(s, 0, 0, 1, &s->m->component_id);
}

static bool seek_priority(const struct seek *s)
{
	bool from_start;
	uint32_t first;

	if (!enter_component(s, &from_start))
		return false;
	first = from_start ? 0 : s->index->sub[1];
	for (uint32_t p = first; p < DCB_PRIORITIES; p++)
		if (has_priority(s, p))
			return found(s, 0, p, 2, (uint32_t[]){s->m->component_id, p});
	return false;
}

static bool seek_priority_port(const struct seek *s)
{
	uint32_t first = s->index->sub[1];
	size_t pos = dcb_config_lower_bound(s->config, s->index->sub[2]);
	bool from_start;

	if (!enter_component(s, &from_start))
		return false;
	if (from_start) {
		first = 0;
		pos = 0;
	} else if (s->table == MO_cn_rpg && first < DCB_PRIORITIES && pos < s->config->n_ports &&
		   ifindex_at(s, pos) == s->index->sub[2] &&
		   s->index->sub[3] > dcb_cp_index(first)) {
		pos++; /* the port's only group of this priority is before the index */
	}
	for (uint32_t p = first; p < DCB_PRIORITIES; p++, pos = 0) {
		if (!has_priority(s, p))
			continue;
		for (; pos < s->config->n_ports; pos++)
			if (has_port(s, p, pos))
				return found(s, pos, p, s->table == MO_cn_rpg ? 4 : 3,
					     (uint32_t[]){s->m->component_id, p, ifindex_at(s, pos),
							  dcb_cp_index(p)});
	}
	return false;
}

static bool seek_port_cp(const struct seek *s)
{
	size_t pos = dcb_config_lower_bound(s->config, s->index->sub[1]);
	uint32_t first = 1;
	bool from_start;

	if (!enter_component(s, &from_start))
		return false;
	if (from_start)
		pos = 0;
	else if (pos < s->config->n_ports && ifindex_at(s, pos) == s->index->sub[1] &&
		 s->index->sub[2] > first)
		first = s->index->sub[2];
	for (; pos < s->config->n_ports; pos++, first = 1) {
		if (!seek_has_port(s, pos))
			continue;
		for (uint32_t i = first; i <= DCB_PRIORITIES; i++) {
			unsigned p = dcb_cp_index_priority(i);

			if (has_priority(s, p))
				return found(
				    s, pos, p, 3,
				    (uint32_t[]){s->m->component_id, ifindex_at(s, pos), i});
		}
	}
	return false;
}

/*
 * Returns in *start the last two octets of the lowest CPID that is not less than the index:
 * slot and priority. false: the index is greater than all CPIDs of this system.
 */
static bool cpid_start(const struct seek *s, uint32_t *start)
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

static bool seek_cpid(const struct seek *s)
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
		if (!has_priority(s, priority) || !seek_has_port(s, entry - 1u))
			continue;
		managed_cpid(s->m, s->config->ports[entry - 1].port, priority, cpid);
		for (unsigned i = 0; i < sizeof(cpid); i++)
			sub[i] = cpid[i];
		return found(s, entry - 1u, priority, sizeof(cpid), sub);
	}
	return false;
}

static bool seek_port(const struct seek *s)
{
	size_t pos = seek_port_from(s, dcb_config_lower_bound(s->config, s->index->sub[0]));

	return pos < s->config->n_ports && found(s, pos, 0, 1, (uint32_t[]){ifindex_at(s, pos)});
}

/* Each port has a row for each number from first to last. *n: the number of the row. */
static bool seek_port_number(const struct seek *s, uint32_t first, uint32_t last, size_t *pos,
			     uint32_t *n)
{
	*pos = seek_port_from(s, dcb_config_lower_bound(s->config, s->index->sub[0]));
	*n = first;
	if (*pos < s->config->n_ports && ifindex_at(s, *pos) == s->index->sub[0] &&
	    s->index->sub[1] > first)
		*n = s->index->sub[1];
	if (*n > last) {
		*pos = seek_port_from(s, *pos + 1);
		*n = first;
	}
	return *pos < s->config->n_ports;
}

static bool seek_port_priority(const struct seek *s)
{
	uint32_t p;
	size_t pos;

	return seek_port_number(s, 0, DCB_PRIORITIES - 1, &pos, &p) &&
	       found(s, pos, p, 2, (uint32_t[]){ifindex_at(s, pos), p});
}

static bool seek_port_feature(const struct seek *s)
{
	uint32_t feature;
	size_t pos;

	if (!seek_port_number(s, MO_dcbx_feature_pfc, MO_dcbx_feature_congestionNotification, &pos,
			      &feature))
		return false;
	s->place->feature = feature;
	return found(s, pos, 0, 2, (uint32_t[]){ifindex_at(s, pos), feature});
}

static bool seek_port_term(const struct seek *s)
{
	uint32_t term;
	size_t pos;

	if (!seek_port_number(s, MO_headroom_term_calculation, MO_headroom_term_roundTrip, &pos,
			      &term))
		return false;
	s->place->term = term - MO_headroom_term_calculation;
	return found(s, pos, 0, 2, (uint32_t[]){ifindex_at(s, pos), term});
}

/* Every channel has a row of dcbSecyRxSCTable, and of dcbSecySATable for each AN with a key. */
static bool has_secy_row(const struct seek *s, const struct port_macsec *m, unsigned channel,
			 unsigned an)
{
	if (channel >= m->secy.config.tx_scs)
		return false;
	return mo_table(s->table)->shape == MO_SHAPE_PORT_SC ? an == 0 : m->sak[an] != NULL;
}

static bool seek_secy(const struct seek *s)
{
	size_t pos = seek_port_from(s, dcb_config_lower_bound(s->config, s->index->sub[0]));

	for (; pos < s->config->n_ports; pos = seek_port_from(s, pos + 1)) {
		const struct port_macsec *m = provider_macsec(s->config->ports[pos].port);

		for (unsigned n = 0; n < SECY_TX_SCS * SECTAG_ANS; n++) {
			unsigned channel = n / SECTAG_ANS, an = n % SECTAG_ANS;
			struct mo_index at = {s->index->n, {ifindex_at(s, pos), channel + 1, an}};

			if (!has_secy_row(s, m, channel, an) || mo_index_compare(&at, s->index) < 0)
				continue;
			s->place->channel = channel;
			s->place->an = an;
			return found(s, pos, 0, at.n, at.sub);
		}
	}
	return false;
}

/*
 * After the last reaction point of a priority the search continues with the next
 * priority, after the last priority with the next port.
 */
static bool seek_rp(const struct seek *s)
{
	size_t pos = dcb_config_lower_bound(s->config, s->index->sub[1]);
	uint32_t p = 0, rp = 1;
	bool from_start;

	if (!enter_component(s, &from_start))
		return false;
	if (from_start) {
		pos = 0;
	} else if (pos < s->config->n_ports && ifindex_at(s, pos) == s->index->sub[1]) {
		p = s->index->sub[2];
		if (s->index->sub[3] > rp)
			rp = s->index->sub[3];
	}
	for (; pos < s->config->n_ports; pos++, p = 0) {
		const struct port_config *pc = s->config->ports[pos].config;

		for (; seek_has_port(s, pos) && p < DCB_PRIORITIES; p++, rp = 1) {
			if (!has_priority(s, p) || rp > pc->rp_port_pri[p].rppp_max_rps)
				continue;
			s->place->rp = rp;
			return found(s, pos, p, 4,
				     (uint32_t[]){s->m->component_id, ifindex_at(s, pos), p, rp});
		}
		rp = 1;
	}
	return false;
}

static bool seek_pool(const struct seek *s)
{
	uint32_t pool = s->index->sub[0];

	if (pool < MO_buffer_pool_lossless)
		pool = MO_buffer_pool_lossless;
	s->place->pool = pool;
	return pool <= MO_buffer_pool_headroom && found(s, 0, 0, 1, &pool);
}

/* The slot of a port is its number, from 1. */
static bool seek_base_port(const struct seek *s)
{
	for (uint32_t port = s->index->sub[0] ? s->index->sub[0] : 1; port <= DCB_SLOTS; port++) {
		unsigned entry = s->m->by_slot[port - 1];

		if (entry == 0 || entry > s->config->n_ports || !seek_has_port(s, entry - 1))
			continue;
		return found(s, entry - 1, 0, 1, &port);
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

bool mo_read_seek(const struct managed *m, const struct dcb_config *config, enum mo_table_id table,
		  struct mo_index *index, bool after, struct mo_row_at *place)
{
	struct seek s = {m, config, table, index, place};

	if (!normalize(index, mo_table(table)->index_len, after))
		return false;
	switch (mo_table(table)->shape) {
	case MO_SHAPE_SCALAR:
		return index->sub[0] == 0 && found(&s, 0, 0, 1, (uint32_t[]){0});
	case MO_SHAPE_COMPONENT:
		return seek_component(&s);
	case MO_SHAPE_PRIORITY:
		return seek_priority(&s);
	case MO_SHAPE_PRIORITY_PORT:
		return seek_priority_port(&s);
	case MO_SHAPE_PORT_CP:
		return seek_port_cp(&s);
	case MO_SHAPE_CPID:
		return seek_cpid(&s);
	case MO_SHAPE_PORT:
		return seek_port(&s);
	case MO_SHAPE_PORT_PRIORITY:
		return seek_port_priority(&s);
	case MO_SHAPE_RP:
		return seek_rp(&s);
	case MO_SHAPE_PORT_ADDRESS:
		return seek_port_address(&s);
	case MO_SHAPE_PORT_APP:
		return seek_port_app(&s);
	case MO_SHAPE_REM:
	case MO_SHAPE_REM_PRIORITY:
	case MO_SHAPE_REM_APP:
		return seek_rem(&s, mo_table(table)->shape);
	case MO_SHAPE_PORT_NEIGHBOR:
		return seek_port_neighbor(&s);
	case MO_SHAPE_POOL:
		return seek_pool(&s);
	case MO_SHAPE_PORT_FEATURE:
		return seek_port_feature(&s);
	case MO_SHAPE_PORT_TERM:
		return seek_port_term(&s);
	case MO_SHAPE_PORT_SC:
	case MO_SHAPE_PORT_SA:
		return seek_secy(&s);
	case MO_SHAPE_FDB:
		return seek_fdb(&s);
	case MO_SHAPE_BASE_PORT:
		return seek_base_port(&s);
	case MO_SHAPE_UNICAST:
		return seek_static_unicast(&s);
	case MO_SHAPE_TRILL_HOP:
		return seek_trill_hop(&s);
	case MO_SHAPE_TRILL_EGRESS:
		return seek_trill_egress(&s);
	case MO_SHAPE_TRILL_FDB:
		return seek_trill_fdb(&s);
	case MO_SHAPE_TRILL_NICKNAME:
		return seek_trill_nickname(&s);
	}
	return false;
}

bool mo_read_find(const struct managed *m, const struct dcb_config *config, enum mo_table_id table,
		  const struct mo_index *index, struct mo_row_at *place)
{
	struct mo_index at = *index;

	return index->n == mo_table(table)->index_len &&
	       mo_read_seek(m, config, table, &at, false, place) &&
	       mo_index_compare(&at, index) == 0;
}
