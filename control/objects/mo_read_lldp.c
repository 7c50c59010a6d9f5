/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_read_lldp.h"

#include <string.h>

#include "control/managed/lldp_ports.h"
#include "dataplane/config/port_headroom.h"

void load_lldp(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
	       struct lldp_row *row)
{
	(void)c;
	(void)at;
	lldp_ports_read(m->lldp, &row->stats);
	row->destination = row->stats.state == LLDP_OFF ? 0 : lldp_ports_destination(m->lldp);
}

/* Returns the CNPVs that the neighbor has too, one bit each: they leave VLAN-tagged. */
static uint8_t cnpvs_of_neighbor(const struct dcb_config *c, const struct dcb_config_port *at)
{
	uint8_t mask = 0;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		enum cn_defense_mode mode = dcb_config_defense(c, at, p).cnpd_defense_mode;

		if (cnd_is_cnpv(c->cnpv_acting, p) &&
		    (mode == CPT_INTERIOR || mode == CPT_INTERIOR_READY))
			mask |= (uint8_t)(1u << p);
	}
	return mask;
}

/*
 * Returns the priorities whose frames of the PVID a bridge or RBridge sends untagged, one bit
 * each. A station sends priority tags.
 */
static uint8_t untagged(const struct dcb_config *c, const struct dcb_config_port *at)
{
	if ((at->port->has & PROVIDER_RP) || !(at->port->has & PROVIDER_QUEUES) ||
	    at->port->settings.pvid_tagged)
		return 0;
	return (uint8_t) ~(at->oper.pfc_agreed | cnpvs_of_neighbor(c, at));
}

/* Fills in the local system's columns. A TLV that is not sent is not willing. */
static void load_local(const struct dcb_config_port *at, const struct lldp_port *port,
		       struct dcbx_port_row *row)
{
	const struct dcbx_config *dcbx = &at->config->dcbx;

	row->tlvs_sent = port->sent->present;
	row->pfc_admin = at->config->pfc.enable;
	row->pfc_willing = dcbx->pfc_willing && (dcbx->tx_enable >> DCB_TLV_PFC & 1);
	row->ets_willing = dcbx->ets_willing && (dcbx->tx_enable >> DCB_TLV_ETS & 1);
	row->pfc_in_force = at->oper.pfc_enable;
	row->ets_in_force = at->oper.ets;
}

/* What the device has is in force, and its firmware can have a neighbor that dcbd does not see. */
static void load_device(const struct port *port, struct dcbx_port_row *row)
{
	struct provider_oper oper;

	if (!(port->has & PROVIDER_HARDWARE))
		return;
	port->provider->ops->read_oper(port, &oper);
	if (oper.has >> PROVIDER_PART_PFC & 1)
		row->pfc_in_force = oper.pfc_enable;
	if (oper.has >> PROVIDER_PART_ETS & 1)
		row->ets_in_force = oper.ets;
	if (oper.peer_has >> PROVIDER_PART_PFC & 1)
		row->pfc_peer = oper.peer_pfc_enable;
}

/* Fills in the peer's columns. */
static void load_peer(const struct dcb_tlvs *tlvs, struct dcbx_port_row *row)
{
	if (dcb_tlvs_have(tlvs, DCB_TLV_PFC)) {
		row->pfc_peer = tlvs->pfc.enable;
		row->pfc_peer_willing = tlvs->pfc.willing;
	}
	if (dcb_tlvs_have(tlvs, DCB_TLV_ETS))
		row->ets_peer_willing = tlvs->ets.willing;
}

/* Returns enum dcbx_reason; decided is 0 for a port that DCBX has not evaluated yet. */
static uint8_t reason(uint8_t decided, const struct dcbx_config *dcbx, enum dcb_tlv tlv)
{
	if (decided)
		return decided;
	return dcbx->tx_enable >> tlv & 1 ? DCBX_NO_PEER : DCBX_OFF;
}

void load_dcbx_port(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		    struct dcbx_port_row *row)
{
	const struct dcb_config_port *of = &c->ports[at->pos];
	const struct lldp_port *port = lldp_ports_at(m->lldp, of->port);

	*row = (struct dcbx_port_row){
	    .neighbors = port->n_neighbors,
	    .mismatch = port->dcbx.mismatch,
	    .pfc_reason = reason(port->dcbx.pfc_reason, &of->config->dcbx, DCB_TLV_PFC),
	    .ets_reason = reason(port->dcbx.ets_reason, &of->config->dcbx, DCB_TLV_ETS),
	    .changes = port->dcbx_changes,
	    .updates = port->updates,
	    .peers = port->n_dcbx,
	    .peer = port->dcbx_peer ? port->dcbx_peer->index : 0,
	};
	memcpy(row->malformed, port->malformed, sizeof(row->malformed));
	load_local(of, port, row);
	row->pfc_untagged = of->oper.pfc_enable & untagged(c, of);
	if (port->dcbx_peer)
		load_peer(&port->dcbx_peer->tlvs, row);
	load_device(of->port, row);
}

static uint32_t measured_response_ns(const struct port *port)
{
	struct pfc_measure_stats stats;

	if (!(port->has & PROVIDER_MEASURE) || !port->provider->ops->read_measure)
		return 0;
	port->provider->ops->read_measure(port, &stats);
	return (uint32_t)stats.response_ns;
}

void load_pfc_way(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		  struct pfc_way_row *row)
{
	const struct dcb_config_port *of = &c->ports[at->pos];
	const struct lldp_port *port = lldp_ports_at(m->lldp, of->port);
	const struct pfc_way_state *way = &port->way;
	struct pfc_way_config is = port_way_config(&of->port->settings, of->config);

	row->config.macsec = is.macsec;
	row->config.privacy = is.privacy;
	row->local = way->said.local;
	row->remote = way->said.remote;
	row->agreed = way->said.agreed;
	row->way = of->oper.pfc_way;
	row->reason = way->reason ? way->reason : PFC_REASON_OFF; /* not evaluated yet */
	row->local_delay_ns = dcb_tlvs_have(port->sent, DCB_TLV_PFC_DELAY)
				  ? (uint32_t)(port->sent->pfc_delay / 65536)
				  : 0;
	row->peer_delay_ns = of->oper.pfc_peer.delay_ns;
	row->refused_delays = port->refused_delays;
	row->malformed = port->malformed[DCB_TLV_PFC] + port->malformed[DCB_TLV_PFC_DELAY];
	row->changes = way->changes;
	row->measured_response_ns = measured_response_ns(of->port);
}

/* Returns the LLDP instance that a row uses, or 0 if dcbd does not serve that instance. */
static uint16_t lldp_instance(const struct managed *m, const struct dcb_config *c,
			      const struct mo_row_at *at)
{
	const struct cn_com_pri_config *com_pri = &c->com_pri[at->priority];
	const struct cn_port_pri_config *port_pri =
	    &c->ports[at->pos].config->port_pri[at->priority];
	const struct cn_lldp_choice_row component = {com_pri->cncp_lldp_instance_choice,
						     com_pri->cncp_lldp_instance_selector};
	const struct cn_lldp_choice_row own = {port_pri->cnpd_lldp_instance_choice,
					       port_pri->cnpd_lldp_instance_selector};
	uint16_t instance = cn_lldp_instance(&component, &own);

	return instance == lldp_ports_destination(m->lldp) ? instance : 0;
}

void load_cn_port(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		  struct cn_port_row *row)
{
	const struct dcb_config_port *of = &c->ports[at->pos];
	const struct lldp_port *port = lldp_ports_at(m->lldp, of->port);

	row->defense = dcb_config_defense(c, of, at->priority);
	row->defense_mode = (uint8_t)row->defense.cnpd_defense_mode;
	row->cndd = port->cnd[at->priority];
	row->state = row->cndd.state ? row->cndd.state : CNDD_DISABLED;
	row->lldp_instance = lldp_instance(m, c, at);
	row->rcvd_cnpv = port->rcvd.cnpv >> at->priority & 1;
	row->rcvd_ready = port->rcvd.ready >> at->priority & 1;
	row->mode_changes = port->mode_changes[at->priority];
	row->untagged = (c->cnpv_acting & untagged(c, of)) >> at->priority & 1;
}

/* Converts the PFC delay of the TLV, in units of 2^-16 ns, to ns; at most UINT32_MAX. */
static uint32_t delay_ns(const struct dcb_tlvs *tlvs)
{
	int64_t ns = tlvs->pfc_delay / 65536;

	if (!dcb_tlvs_have(tlvs, DCB_TLV_PFC_DELAY) || ns < 0)
		return 0;
	return ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
}

void load_neighbor(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		   struct neighbor_row *row)
{
	const struct lldp_neighbor *n = at->neighbor;

	(void)m;
	(void)c;
	neighbor_chassis_text(&n->chassis, row->chassis);
	neighbor_port_text(&n->port, row->port);
	neighbor_name_text(n->sysname, row->sysname);
	memcpy(row->management, n->management, sizeof(row->management));
	memset(row->address, 0, sizeof(row->address));
	if (n->has_address)
		memcpy(row->address, n->address, sizeof(row->address));
	row->ttl = n->ttl;
	row->time_mark = n->time_mark;
	row->tlvs = n->tlvs.present;
	row->malformed = n->tlvs.malformed;
	row->stale = n->stale;
	row->address_origin = n->address_origin;
	row->dialects = n->dialects;
	row->pfc_delay_ns = delay_ns(&n->tlvs);
	row->pfc_bits = pfc_way_bits(&n->tlvs.pfc);
}

void load_dcbx_app(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		   struct dcbx_app_row *row)
{
	(void)m;
	row->priority = c->ports[at->pos].config->dcbx.apps[at->app].priority;
	row->row_status = ROW_ACTIVE;
}

void load_dcbx_app_vlan(const struct managed *m, const struct dcb_config *c,
			const struct mo_row_at *at, struct dcbx_app_vlan_row *row)
{
	(void)m;
	row->vlan = c->ports[at->pos].config->dcbx.app_vlans[at->app].vlan;
	row->row_status = ROW_ACTIVE;
}
