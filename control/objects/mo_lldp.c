/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_lldp.h"

#include <string.h>

#include "control/managed/lldp_ports.h"
#include "control/objects/mo_rows.h"
#include "control/objects/mo_settings.h"

/* clang-format off */
#define VIEW(id, party, tlv, part) [MO_lldp_##id] = {LLDP_##party, DCB_TLV_##tlv, LLDP_PART_##part}
#define VIEWS(id, tlv, part)       VIEW(loc_##id, LOC, tlv, part), VIEW(rem_##id, REM, tlv, part)
#define ADMIN_VIEWS(id, tlv, part) VIEWS(id, tlv, part), VIEW(admin_##id, ADMIN, tlv, part)
/* clang-format on */

static const struct lldp_view views[MO_TABLES] = {
    VIEW(config_cn, CONFIG, CN, TX),
    VIEW(config_ets, CONFIG, ETS, TX),
    VIEW(config_reco, CONFIG, ETS_RECO, TX),
    VIEW(config_pfc, CONFIG, PFC, TX),
    VIEW(config_app, CONFIG, APP, TX),
    VIEW(config_app_vlan, CONFIG, APP_VLAN, TX),
    VIEWS(cn, CN, CN),
    ADMIN_VIEWS(ets, ETS, ETS),
    ADMIN_VIEWS(ets_pri, ETS, CLASS),
    ADMIN_VIEWS(ets_bw, ETS, BANDWIDTH),
    ADMIN_VIEWS(ets_tsa, ETS, TSA),
    ADMIN_VIEWS(reco_bw, ETS_RECO, BANDWIDTH),
    ADMIN_VIEWS(reco_tsa, ETS_RECO, TSA),
    ADMIN_VIEWS(pfc, PFC, PFC),
    ADMIN_VIEWS(pfc_enable, PFC, PFC_ENABLE),
    ADMIN_VIEWS(app, APP, APP),
    ADMIN_VIEWS(app_vlan, APP_VLAN, APP_VLAN),
};

const struct lldp_view *mo_lldp_view(enum mo_table_id table)
{
	return &views[table];
}

uint32_t mo_lldp_destination(const struct managed *m)
{
	return lldp_ports_destination(m->lldp);
}

/* --- one part of TLVs as a row ------------------------------------------------------------ */

/* LldpXdot1dcbxSupportedCapacity is 1..8; the field of a neighbor's TLV can be 0..15. */
static uint8_t capacity(uint8_t n)
{
	return n < 1 ? 1 : n > DCBX_TCS ? DCBX_TCS : n;
}

static const struct ets_tables *tables_of(const struct lldp_view *v, const struct dcb_tlvs *t)
{
	return v->tlv == DCB_TLV_ETS_RECO ? &t->reco : &t->ets.tables;
}

/* Fills in a row from TLVs. n: the priority, traffic class or index in the TLV of applications. */
static void row_of(const struct lldp_view *v, const struct dcb_tlvs *t, unsigned n, void *row)
{
	switch ((enum lldp_part)v->part) {
	case LLDP_PART_TX:
		*(struct lldp_tx_row *)row = (struct lldp_tx_row){t->present >> v->tlv & 1};
		break;
	case LLDP_PART_CN:
		*(struct lldp_cn_row *)row = (struct lldp_cn_row){t->cn.cnpv, t->cn.ready};
		break;
	case LLDP_PART_ETS:
		*(struct lldp_ets_row *)row = (struct lldp_ets_row){
		    .cbs = t->ets.cbs,
		    .willing = t->ets.willing,
		    .max_tcs = capacity(t->ets.max_tcs),
		};
		break;
	case LLDP_PART_CLASS:
		((struct lldp_ets_pri_row *)row)->traffic_class = tables_of(v, t)->priority_tc[n];
		break;
	case LLDP_PART_BANDWIDTH:
		((struct lldp_bw_row *)row)->bandwidth = tables_of(v, t)->bandwidth[n];
		break;
	case LLDP_PART_TSA:
		((struct lldp_tsa_row *)row)->tsa = tables_of(v, t)->tsa[n];
		break;
	case LLDP_PART_PFC:
		*(struct lldp_pfc_row *)row = (struct lldp_pfc_row){
		    .willing = t->pfc.willing,
		    .mbc = t->pfc.mbc,
		    .cap = capacity(t->pfc.cap),
		};
		break;
	case LLDP_PART_PFC_ENABLE:
		((struct lldp_pfc_enable_row *)row)->enabled = t->pfc.enable >> n & 1;
		break;
	case LLDP_PART_APP:
		((struct lldp_app_row *)row)->priority = t->app.of[n].priority;
		break;
	case LLDP_PART_APP_VLAN:
		((struct lldp_app_vlan_row *)row)->vlan = t->app_vlan.of[n].vlan;
		break;
	}
}

/* --- settings ------------------------------------------------------------------------------- */

/* Fills in the members of *t that row_of() reads; t->present: the TLVs that are sent. */
static void tlvs_administered(const struct port_config *pc, struct dcb_tlvs *t)
{
	const struct dcbx_config *dcbx = &pc->dcbx;

	t->present = dcbx->tx_enable;
	t->cn = (struct cn_tlv){0};
	t->ets = (struct ets_tlv){
	    .willing = dcbx->ets_willing, .max_tcs = DCBX_TCS, .tables = dcbx->ets};
	t->reco = dcbx->reco;
	t->pfc = (struct pfc_tlv){
	    .willing = dcbx->pfc_willing, .cap = DCBX_PFC_CAP, .enable = pc->pfc.enable};
	memcpy(t->app.of, dcbx->apps, dcbx->n_apps * sizeof(dcbx->apps[0]));
	memcpy(t->app_vlan.of, dcbx->app_vlans, dcbx->n_app_vlans * sizeof(dcbx->app_vlans[0]));
}

static void load_config(const struct port_config *pc, enum mo_table_id table, unsigned n, void *row)
{
	struct dcb_tlvs t;

	tlvs_administered(pc, &t);
	row_of(&views[table], &t, n, row);
}

static void store_config(struct port_config *pc, enum mo_table_id table, unsigned n,
			 const void *row)
{
	struct dcbx_config *dcbx = &pc->dcbx;
	const struct lldp_view *v = &views[table];
	struct ets_tables *ets = v->tlv == DCB_TLV_ETS_RECO ? &dcbx->reco : &dcbx->ets;

	switch ((enum lldp_part)v->part) {
	case LLDP_PART_TX:
		dcbx->tx_enable = mo_settings_with_bit(dcbx->tx_enable, v->tlv,
						       ((const struct lldp_tx_row *)row)->enable);
		break;
	case LLDP_PART_ETS:
		dcbx->ets_willing = ((const struct lldp_ets_row *)row)->willing;
		break;
	case LLDP_PART_CLASS:
		dcbx->ets.priority_tc[n] = ((const struct lldp_ets_pri_row *)row)->traffic_class;
		dcbx->reco.priority_tc[n] = dcbx->ets.priority_tc[n];
		break;
	case LLDP_PART_BANDWIDTH:
		ets->bandwidth[n] = ((const struct lldp_bw_row *)row)->bandwidth;
		break;
	case LLDP_PART_TSA:
		ets->tsa[n] = ((const struct lldp_tsa_row *)row)->tsa;
		break;
	case LLDP_PART_PFC:
		dcbx->pfc_willing = ((const struct lldp_pfc_row *)row)->willing;
		break;
	case LLDP_PART_PFC_ENABLE:
		pc->pfc.enable = mo_settings_with_bit(
		    pc->pfc.enable, n, ((const struct lldp_pfc_enable_row *)row)->enabled);
		break;
	case LLDP_PART_APP: /* mo_edit() creates and changes the rows */
	case LLDP_PART_APP_VLAN:
	case LLDP_PART_CN: /* read-only */
		break;
	}
}

const struct mo_settings_hook mo_settings_lldp = {
    MO_SETTINGS_MEMBER(dcbx),
    .load = load_config,
    .store = store_config,
};

/* --- rows of all parties ---------------------------------------------------------------------- */

/* The local values are those of the TLVs that are sent, and of the device if the port has one. */
static void load_local(const struct managed *m, const struct port *port, const struct lldp_view *v,
		       unsigned n, void *row)
{
	const struct dcb_tlvs *sent = lldp_ports_at(m->lldp, port)->sent;
	struct provider_oper oper;
	struct dcb_tlvs device;

	if (!(port->has & PROVIDER_HARDWARE)) {
		row_of(v, sent, n, row);
		return;
	}
	port->provider->ops->read_oper(port, &oper);
	device = *sent;
	lldp_ports_take_device(&oper, UINT8_MAX, &device);
	row_of(v, &device, n, row);
}

void mo_lldp_load(const struct managed *m, const struct dcb_config *c, enum mo_table_id table,
		  const struct mo_row_at *at, void *row)
{
	const struct lldp_view *v = &views[table];
	bool app = v->part == LLDP_PART_APP || v->part == LLDP_PART_APP_VLAN;
	unsigned n = app ? at->app : at->priority;

	if (v->party == LLDP_REM)
		row_of(v, &at->neighbor->tlvs, n, row);
	else if (v->party == LLDP_LOC)
		load_local(m, c->ports[at->pos].port, v, n, row);
	else
		load_config(c->ports[at->pos].config, table, n, row);
}
