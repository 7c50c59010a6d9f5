/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_caps.h"

#include "control/objects/mo_read.h"
#include "control/objects/mo_field.h"
#include "control/objects/mo_lldp.h"

/*
 * enum provider_cap of a table: a port with any of these has rows. 0: all ports have rows,
 * or the table has no ports.
 */
static const uint32_t of_table[MO_TABLES] = {
    [MO_cn_errored_port] = PROVIDER_CN,
    [MO_cn_port_pri] = PROVIDER_CN,
    [MO_cn_port] = PROVIDER_CN,
    [MO_cn_cp] = PROVIDER_CP,
    [MO_cn_cpid] = PROVIDER_CP,
    [MO_cp] = PROVIDER_CP,
    [MO_cn_rp_port_pri] = PROVIDER_RP,
    [MO_cn_rpg] = PROVIDER_RP,
    [MO_rp] = PROVIDER_RP_STATE,
    [MO_cnm] = PROVIDER_RP_STATE,
    [MO_pfc_if] = PROVIDER_LINK_DELAY | PROVIDER_PFC_COUNT,
    [MO_pfc_pri] = PROVIDER_PFC | PROVIDER_PFC_DIRECTION | PROVIDER_PFC_STATS | PROVIDER_PFC_BUFFER,
    [MO_pfc_pause] = PROVIDER_PFC_STATS,
    [MO_pfc_port] = PROVIDER_PFC_PORT,
    [MO_cpfc_if] = PROVIDER_PFC_COUNT,
    [MO_cpfc_pri] = PROVIDER_PFC_COUNT,
    [MO_pfc_headroom] = PROVIDER_HEADROOM | PROVIDER_CABLE_LENGTH,
    [MO_pfc_way] = PROVIDER_PFC,
    [MO_pfc_headroom_term] = PROVIDER_HEADROOM,
    [MO_pfc_measure] = PROVIDER_MEASURE,
    [MO_pfc_watchdog] = PROVIDER_WATCHDOG,
    [MO_pfc_storm] = PROVIDER_WATCHDOG,
    [MO_buffer] = PROVIDER_BUFFERS | PROVIDER_HEADROOM_PEAK,
    [MO_cpfc_queue] = PROVIDER_WATCHDOG,
    [MO_vlan_port] = PROVIDER_VLAN,
    [MO_static_unicast] = PROVIDER_VLAN,
    [MO_base_port] = PROVIDER_VLAN,
    [MO_trill_port] = PROVIDER_TRILL,
    [MO_trill_hop] = PROVIDER_TRILL,
    [MO_trill_stats] = PROVIDER_TRILL,
    [MO_rewrite] = PROVIDER_REWRITE,
    [MO_ecn] = PROVIDER_ECN,
    [MO_hardware] = PROVIDER_HARDWARE,
    [MO_hardware_pri] = PROVIDER_HARDWARE,
    [MO_secy] = PROVIDER_SECY,
    [MO_secy_rx] = PROVIDER_SECY,
    [MO_secy_sa] = PROVIDER_SECY,
};

/* The same for the tables of LLDP-EXT-DOT1-V2-MIB about local ports. */
static uint32_t of_tlv(const struct lldp_view *view)
{
	if (view->party == LLDP_NO_TLV || view->party == LLDP_REM)
		return 0;
	switch (view->tlv) {
	case DCB_TLV_CN:
		return PROVIDER_CN;
	case DCB_TLV_ETS:
	case DCB_TLV_ETS_RECO:
		return PROVIDER_ETS;
	case DCB_TLV_PFC:
		return PROVIDER_PFC;
	default:
		return 0;
	}
}

static uint32_t of_rows(const struct mo_table *table)
{
	return of_table[table->id] | of_tlv(mo_lldp_view(table->id));
}

#define PFC_MEMBER(member) STATS_MEMBER(pfc_stats, member)
static const uint64_t pause_times = PFC_MEMBER(pfc_transitions) | PFC_MEMBER(pfc_paused_ns) |
				    PFC_MEMBER(pfc_paused) | PFC_MEMBER(pfc_pause_sent_us);

/*
 * Settings are of no member, 16 is dcbPfcPriorityDirection, 17 and 18 are peaks; other members of
 * struct pfc_stats count PFC frames.
 */
static uint32_t of_pfc_pri(const struct mo_table *table, const struct mo_column *col)
{
	struct mo_from from = mo_field_from(table, col);

	if (col->subid == 17 || col->subid == 18)
		return PROVIDER_QUEUES | PROVIDER_PFC_COUNT;
	if (!from.of)
		return col->subid == 16 ? PROVIDER_PFC_DIRECTION : PROVIDER_PFC;
	if (from.of == STATS_BUFFER)
		return PROVIDER_PFC_BUFFER;
	if (from.member == PFC_MEMBER(pfc_discards))
		return PROVIDER_PFC_DISCARD;
	return from.member & pause_times ? PROVIDER_PFC_PAUSE_TIME : PROVIDER_PFC_COUNT;
}

/* dcbPfcPause{Paused,Pausing}, dcbPfcPause{Longest,QueuePeak}. */
static uint32_t of_pfc_pause(uint32_t subid)
{
	if (subid == 5 || subid == 6)
		return PROVIDER_PFC_PAUSE_TIME;
	return subid >= 7 ? PROVIDER_QUEUES : 0;
}

static uint32_t of_buffer(const struct mo_table *table, const struct mo_column *col)
{
	bool peak = mo_field_from(table, col).member == STATS_MEMBER(buffer_stats, headroom_peak);

	return peak ? PROVIDER_HEADROOM_PEAK : PROVIDER_BUFFERS;
}

/*
 * All columns but dcbPortOperational, dcbPortRate, dcbPortAggregate,
 * dcbPortCounterDiscontinuityTime, dcbPortName and dcbPortLinkChanges need a capability.
 */
static uint32_t of_port(uint32_t subid)
{
	if (subid <= 2 || subid == 19 || subid == 33 || subid == 37 || subid == 39)
		return 0;
	if (subid >= 4 && subid <= 7) /* dcbPort{Rx,Tx}{Frames,Octets} */
		return PROVIDER_FRAMES;
	if ((subid >= 27 && subid <= 29) || subid == 38 || subid >= 42)
		/* dcbPortDiscard{FrameType,Ingress,Egress,Broadcast,Multicast,Unknown},
		 * dcbPortTrust, dcbPortBy... */
		return PROVIDER_VLAN;
	return PROVIDER_QUEUES;
}

/* dcbDcbxPortPfc{Admin,InForce,Reason,Willing}, dcbDcbxPortEts{InForce,Reason,Willing}. */
static uint32_t of_dcbx_port(uint32_t subid)
{
	switch (subid) {
	case 4:
	case 6:
	case 7:
	case 8:
		return PROVIDER_PFC;
	case 10:
	case 11:
	case 12:
		return PROVIDER_ETS;
	default:
		return 0;
	}
}

/* Returns the capabilities that a column needs, all of them. */
static uint32_t need(const struct mo_table *table, const struct mo_column *col)
{
	uint32_t subid = col->subid;

	switch (table->id) {
	case MO_pfc_if: /* ieee8021PfcLinkDelayAllowance */
		return subid == 1 ? PROVIDER_LINK_DELAY : PROVIDER_PFC_COUNT;
	case MO_pfc_port: /* dcbPfcPortDiscardTransit */
		return PROVIDER_PFC_PORT | (subid == 20 ? PROVIDER_QUEUES : 0u);
	case MO_pfc_headroom: /* dcbPfcHeadroomCableLength */
		return subid == 10 ? PROVIDER_CABLE_LENGTH : PROVIDER_HEADROOM;
	case MO_pfc_pri:
		return of_pfc_pri(table, col);
	case MO_pfc_pause:
		return of_pfc_pause(subid);
	case MO_buffer:
		return of_buffer(table, col);
	case MO_port:
		return of_port(subid);
	case MO_dcbx_port:
		return of_dcbx_port(subid);
	default:
		return of_rows(table);
	}
}

/* Returns the capabilities that the columns of a table need together. */
static uint32_t need_of_columns(const struct mo_table *table)
{
	switch (table->id) {
	case MO_port:
		return PROVIDER_FRAMES | PROVIDER_QUEUES | PROVIDER_VLAN;
	case MO_pfc_port:
		return PROVIDER_PFC_PORT | PROVIDER_QUEUES;
	case MO_dcbx_port:
		return PROVIDER_PFC | PROVIDER_ETS;
	case MO_pfc_pri:
	case MO_pfc_pause:
		return of_rows(table) | PROVIDER_QUEUES;
	default:
		return of_rows(table);
	}
}

bool mo_caps_has_table(const struct managed *m, enum mo_table_id table)
{
	switch (table) {
	case MO_engine:
	case MO_buffer_memory:
	case MO_buffer_pool:
		return m->engine;
	default:
		return true;
	}
}

bool mo_caps_has_row(const struct port *port, const struct mo_table *table)
{
	uint32_t any = of_rows(table);

	return any == 0 || (port->has & any) != 0;
}

bool mo_caps_has(const struct port *port, const struct mo_table *table, const struct mo_column *col)
{
	uint32_t caps = need(table, col);

	return (port->has & caps) == caps;
}

bool mo_caps_has_columns(const struct port *port, const struct mo_table *table)
{
	uint32_t caps = need_of_columns(table);

	return (port->has & caps) == caps;
}

/* Without the total of the port, ieee8021PfcRequests is the sum of the priorities. */
static uint64_t unknown_totals(const struct port *port)
{
	uint64_t unknown = provider_unknown(port, STATS_PORT, 0);
	struct pfc_stats sum;
	uint64_t in_sum = mo_read_pfc_sum(port, &sum);

	if (!(in_sum & STATS_MEMBER(pfc_stats, pfc_requests)))
		unknown &= ~STATS_MEMBER(port_stats, pfc_frames_sent);
	if (!(in_sum & STATS_MEMBER(pfc_stats, pfc_indications)))
		unknown &= ~STATS_MEMBER(port_stats, pfc_frames_received);
	return unknown;
}

static uint64_t unknown_of(const struct port *port, enum mo_table_id table, enum stats_of of,
			   unsigned priority)
{
	struct pfc_stats sum;

	switch (table) {
	case MO_pfc_if:
		return port->has & PROVIDER_PFC_COUNT ? unknown_totals(port) : 0;
	case MO_cpfc_if:
		return mo_read_pfc_sum(port, &sum);
	default:
		return provider_unknown(port, of, priority);
	}
}

bool mo_caps_knows(const struct port *port, const struct mo_table *table,
		   const struct mo_column *col, unsigned priority)
{
	struct mo_from from = mo_field_from(table, col);

	if (!from.of || !port->provider->ops->unknown)
		return true;
	return !(unknown_of(port, table->id, from.of, priority) & from.member);
}

bool mo_caps_sets(const struct port *port, const struct mo_table *table,
		  const struct mo_column *col)
{
	uint32_t caps = need(table, col);

	/* Application priorities need no capability, but are in the device too. */
	if (!caps && port->has & PROVIDER_HARDWARE && port_follows_device(port))
		return false;
	return (port->sets & caps) == caps;
}

/* Returns how well a varbind matches a refusal: 0 no match, 3 best. */
static unsigned fit(const struct mo_varbind *vb, const struct provider_refusal *why)
{
	const struct mo_table *table = mo_table(vb->table);
	int part = mo_index_part(mo_table(vb->table), MO_PART_PORT);

	if (part < 0)
		return 1;
	if (!why->port || vb->index.sub[part] != why->port->link.ifindex)
		return 0;
	return need(table, mo_column(table, vb->subid)) & why->about ? 3 : 2;
}

unsigned mo_caps_refused_varbind(const struct mo_varbind *vbs, unsigned n,
				 const struct provider_refusal *why)
{
	unsigned best = 0, varbind = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned f = fit(&vbs[i], why);

		if (f > best) {
			best = f;
			varbind = i + 1;
		}
	}
	return varbind;
}
