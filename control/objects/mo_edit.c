/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_edit.h"

#include <inttypes.h>
#include <string.h>

#include "dataplane/config/dcbx_config.h"
#include "control/objects/mo_caps.h"
#include "control/objects/mo_lldp.h"
#include "control/objects/mo_rows.h"
#include "control/objects/mo_settings.h"
#include "control/objects/mo_static.h"
#include "control/objects/mo_trill.h"
#include "lldp/cn_defense.h"

/* A call of mo_edit(). */
struct edit {
	const struct managed *m;
	struct dcb_config *config;
	const struct mo_varbind *vbs;
	unsigned n;
	struct mo_result *r;
	bool is_kept; /* mo_edit_kept() */
};

static bool fail(struct edit *e, enum mo_error error, const struct mo_varbind *vb)
{
	e->r->error = error;
	e->r->varbind = vb ? (unsigned)(vb - e->vbs) + 1 : 0;
	return false;
}

static bool fail_memory(struct edit *e, const struct mo_varbind *vb)
{
	return fail(e, mo_refuse(e->r, MO_RESOURCE_UNAVAILABLE, "out of memory"), vb);
}

static bool fail_status(struct edit *e, const struct mo_varbind *vb, bool exists,
			const char *expected)
{
	return fail(e, mo_refuse_status(e->r, vb, exists, expected), vb);
}

/* Returns the name of the port of a place. */
static const char *name_at(const struct edit *e, size_t pos)
{
	return e->config->ports[pos].port->link.name;
}

static const struct mo_column *column_of(const struct mo_varbind *vb)
{
	return mo_column(mo_table(vb->table), vb->subid);
}

static bool is_row_status(const struct mo_varbind *vb)
{
	return column_of(vb)->syntax == MO_ROW_STATUS;
}

/* Checks object, value and index of a varbind, without the configuration. */
static bool check_varbind(struct edit *e, const struct mo_varbind *vb)
{
	const struct mo_table *table = mo_table(vb->table);
	const struct mo_column *col = mo_column(table, vb->subid);
	enum mo_error error;

	if (!col)
		return fail(e, MO_NOT_WRITABLE, vb);
	error = mo_validate(col, &vb->value);
	if (error != MO_NO_ERROR)
		return fail(e, error, vb);
	if (!mo_index_valid(table, &vb->index))
		return fail(e, MO_NO_CREATION, vb);
	return true;
}

/* --- rows of ieee8021CnCompntPriTable ---------------------------------------------------- */

/* The varbinds of one SET for the row of one priority. */
struct row_edit {
	const struct mo_varbind *status;     /* RowStatus; NULL: not set */
	const struct mo_varbind *any_column; /* any other column; NULL: none is set */
};

static bool collect_rows(struct edit *e, struct row_edit rows[DCB_PRIORITIES])
{
	memset(rows, 0, sizeof(struct row_edit) * DCB_PRIORITIES);
	for (unsigned i = 0; i < e->n; i++) {
		const struct mo_varbind *vb = &e->vbs[i];
		struct row_edit *row;

		if (vb->table != MO_cn_com_pri)
			continue;
		if (vb->index.sub[0] != e->m->component_id)
			return fail(e, MO_NO_CREATION, vb);
		row = &rows[vb->index.sub[1]];
		if (is_row_status(vb))
			row->status = vb;
		else
			row->any_column = vb;
	}
	return true;
}

static void merge_columns(struct edit *e, unsigned priority, struct cn_com_pri_row *row)
{
	const struct mo_table *table = mo_table(MO_cn_com_pri);

	for (unsigned i = 0; i < e->n; i++) {
		const struct mo_varbind *vb = &e->vbs[i];

		if (vb->table == MO_cn_com_pri && vb->index.sub[1] == priority &&
		    !is_row_status(vb))
			mo_field_set(table, column_of(vb), row, &vb->value);
	}
}

/*
 * Edits a row that does not exist: createAndGo and createAndWait create it, destroy
 * succeeds, other values are errors (RFC 2579, RowStatus).
 */
static bool edit_absent_row(struct edit *e, unsigned priority, const struct row_edit *edit)
{
	struct cn_com_pri_row row = {0};
	int64_t want = edit->status ? edit->status->value.num : ROW_ABSENT;

	switch (want) {
	case ROW_CREATE_AND_GO:
	case ROW_CREATE_AND_WAIT:
		mo_field_defaults(mo_table(MO_cn_com_pri), &row);
		merge_columns(e, priority, &row);
		row.config.row_status = want == ROW_CREATE_AND_GO ? ROW_ACTIVE : ROW_NOT_IN_SERVICE;
		e->config->com_pri[priority] = row.config;
		return dcb_config_create_cnpv(e->config, priority) || fail_memory(e, edit->status);
	case ROW_DESTROY:
		return !edit->any_column || fail(e, MO_INCONSISTENT_NAME, edit->any_column);
	case ROW_ABSENT:
		return fail(e, MO_INCONSISTENT_NAME, edit->any_column);
	default:
		return fail_status(e, edit->status, false, "createAndGo, createAndWait or destroy");
	}
}

static bool edit_present_row(struct edit *e, unsigned priority, const struct row_edit *edit)
{
	struct cn_com_pri_row row = {.config = e->config->com_pri[priority]};
	uint8_t creation = row.config.cncp_creation;

	merge_columns(e, priority, &row);
	if (edit->status) {
		switch (edit->status->value.num) {
		case ROW_ACTIVE:
		case ROW_NOT_IN_SERVICE:
			row.config.row_status = (uint8_t)edit->status->value.num;
			break;
		case ROW_DESTROY:
			return dcb_config_destroy_cnpv(e->config, priority) ||
			       fail_memory(e, edit->status);
		default:
			return fail_status(e, edit->status, true,
					   "active, notInService or destroy");
		}
	}
	e->config->com_pri[priority] = row.config;
	return row.config.cncp_creation == creation ||
	       dcb_config_change_creation(e->config, priority) || fail_memory(e, edit->any_column);
}

/* 12.21.2: at most seven CNPVs. The error is that of the last varbind that activates one. */
static bool check_active_rows(struct edit *e)
{
	unsigned active = dcb_config_active_rows(e->config);

	if (active < DCB_PRIORITIES)
		return true;
	mo_refuse(e->r, MO_INCONSISTENT_VALUE, "expected at most %d active rows, not %u",
		  DCB_PRIORITIES - 1, active);
	for (unsigned i = e->n; i-- > 0;) {
		const struct mo_varbind *vb = &e->vbs[i];

		if (vb->table == MO_cn_com_pri && is_row_status(vb) &&
		    (vb->value.num == ROW_ACTIVE || vb->value.num == ROW_CREATE_AND_GO))
			return fail(e, MO_INCONSISTENT_VALUE, vb);
	}
	return fail(e, MO_INCONSISTENT_VALUE, NULL);
}

static bool edit_rows(struct edit *e)
{
	struct row_edit rows[DCB_PRIORITIES];

	if (!collect_rows(e, rows))
		return false;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		bool present = e->config->com_pri[p].row_status != ROW_ABSENT;

		if (!rows[p].status && !rows[p].any_column)
			continue;
		if (!(present ? edit_present_row(e, p, &rows[p]) : edit_absent_row(e, p, &rows[p])))
			return false;
	}
	return check_active_rows(e);
}

/* --- other tables --------------------------------------------------------------------------- */

/* Returns the position of the port with this ifIndex; n_ports: there is none. */
static size_t port_at(const struct edit *e, uint32_t ifindex)
{
	size_t pos = dcb_config_lower_bound(e->config, ifindex);

	if (pos < e->config->n_ports && e->config->ports[pos].port->link.ifindex != ifindex)
		return e->config->n_ports;
	return pos;
}

/*
 * Returns whether a row of settings that does not exist can come into being: with a CNPV, or
 * with a port that has the table. It cannot in another component, for another LLDP
 * destination address, or with numbers in the index that contradict each other.
 */
static bool could_exist(const struct edit *e, const struct mo_varbind *vb)
{
	unsigned priority = mo_index_priority(mo_table(vb->table), &vb->index);
	int part = mo_index_part(mo_table(vb->table), MO_PART_PORT);
	uint32_t ifindex = part < 0 ? 0 : vb->index.sub[part];
	size_t pos = part < 0 ? e->config->n_ports : port_at(e, ifindex);
	struct mo_index index;

	if (priority >= DCB_PRIORITIES)
		return false;
	mo_read_index(e->m, vb->table, ifindex, priority, &index);
	return mo_index_compare(&index, &vb->index) == 0 &&
	       (pos == e->config->n_ports ||
		mo_caps_has_row(e->config->ports[pos].port, mo_table(vb->table)));
}

/* RFC 3416, 4.2.5: the error for a row that does not exist and that this SET does not create. */
static bool fail_absent(struct edit *e, const struct mo_varbind *vb)
{
	return fail(e, could_exist(e, vb) ? MO_INCONSISTENT_NAME : MO_NO_CREATION, vb);
}

/* Returns whether the rows of an Admin table exist because a SET created them: applications. */
static bool is_of_apps(enum mo_table_id table)
{
	return table == MO_lldp_admin_app || table == MO_lldp_admin_app_vlan;
}

/* Returns whether the RowStatus of this table deletes such rows. */
static bool is_app_status(enum mo_table_id table)
{
	return table == MO_dcbx_app || table == MO_dcbx_app_vlan;
}

/*
 * Sets the priority or VLAN of an application, and creates the row if it does not exist.
 * false: too many.
 */
static bool put_app(struct port_config *pc, const struct mo_varbind *vb)
{
	const uint32_t *sub = vb->index.sub;

	if (vb->table == MO_lldp_admin_app_vlan)
		return dcbx_config_put_app_vlan(&pc->dcbx, &(struct app_vlan){
							       .selector = (uint16_t)sub[1],
							       .protocol = (uint16_t)sub[2],
							       .vlan = (uint16_t)vb->value.num,
							   });
	return dcbx_config_put_app(&pc->dcbx, &(struct app_priority){
						  .selector = (uint8_t)sub[1],
						  .protocol = (uint16_t)sub[2],
						  .priority = (uint8_t)vb->value.num,
					      });
}

/* RFC 3416, 4.2.5: noCreation if the port lacks the object, notWritable if it is read-only. */
static bool check_caps(struct edit *e, const struct mo_varbind *vb, const struct port *port)
{
	if (!mo_caps_has(port, mo_table(vb->table), column_of(vb)))
		return fail(e, MO_NO_CREATION, vb);
	return mo_caps_sets(port, mo_table(vb->table), column_of(vb)) ||
	       fail(e, MO_NOT_WRITABLE, vb);
}

/* Notes that a SET sets what devices keep: see port_config.set_parts. */
static void note_part(const struct edit *e, struct port_config *pc, const struct mo_varbind *vb,
		      unsigned priority)
{
	if (e->is_kept)
		return;
	switch (vb->table) {
	case MO_pfc_pri:
	case MO_lldp_admin_pfc_enable:
		pc->set_parts |= 1u << PROVIDER_PART_PFC;
		pc->set_pfc |= (uint8_t)(1u << priority);
		break;
	case MO_cn_rp_port_pri:
	case MO_cn_rpg:
		pc->set_parts |= 1u << PROVIDER_PART_RP;
		pc->set_rp |= (uint8_t)(1u << priority);
		break;
	case MO_lldp_admin_ets_pri:
	case MO_lldp_admin_ets_bw:
	case MO_lldp_admin_ets_tsa:
		pc->set_parts |= 1u << PROVIDER_PART_ETS;
		break;
	case MO_lldp_admin_app:
		pc->set_parts |= 1u << PROVIDER_PART_APPS;
		break;
	case MO_pfc_if:
	case MO_pfc_headroom:
		pc->set_parts |= 1u << PROVIDER_PART_DELAY;
		break;
	default:
		break;
	}
}

static bool edit_app(struct edit *e, const struct mo_varbind *vb)
{
	size_t pos = port_at(e, vb->index.sub[0]);
	struct port_config *pc;

	if (pos == e->config->n_ports)
		return fail(e, MO_INCONSISTENT_NAME, vb);
	if (!check_caps(e, vb, e->config->ports[pos].port))
		return false;
	pc = dcb_config_edit_port(e->config, pos);
	if (!pc)
		return fail_memory(e, vb);
	note_part(e, pc, vb, 0);
	return put_app(pc, vb) ||
	       fail(e,
		    mo_refuse(e->r, MO_RESOURCE_UNAVAILABLE,
			      "%s: expected at most %d application %s", name_at(e, pos),
			      DCBX_APPS_MAX,
			      vb->table == MO_lldp_admin_app ? "priorities" : "VLANs"),
		    vb);
}

static bool edit_column(struct edit *e, const struct mo_varbind *vb)
{
	_Alignas(8) uint8_t row[MO_ROW_OCTETS] = {0};
	struct port_config *pc = NULL;
	struct mo_row_at place = {0};

	if (is_of_apps(vb->table))
		return edit_app(e, vb);
	if (!mo_read_find(e->m, e->config, vb->table, &vb->index, &place))
		return fail_absent(e, vb);
	if (mo_index_part(mo_table(vb->table), MO_PART_PORT) >= 0) {
		if (!check_caps(e, vb, e->config->ports[place.pos].port))
			return false;
		pc = dcb_config_edit_port(e->config, place.pos);
		if (!pc)
			return fail_memory(e, vb);
	}
	/* Not mo_read_load(): PFCHeadroomAllowance, for example, is calculated when it is read. */
	mo_settings_load(e->config, pc, vb->table, place.priority, row);
	mo_field_set(mo_table(vb->table), column_of(vb), row, &vb->value);
	mo_settings_store(e->config, pc, vb->table, place.priority, row);
	if (pc) {
		mo_settings_mark_set(pc, vb->table, vb->subid, place.priority);
		note_part(e, pc, vb, place.priority);
	}
	return true;
}

static bool is_headroom_bound(const struct mo_varbind *vb)
{
	const char *name = vb->table == MO_pfc_headroom ? column_of(vb)->name : "";

	return strcmp(name, "dcbPfcHeadroomMinimum") == 0 ||
	       strcmp(name, "dcbPfcHeadroomMaximum") == 0;
}

static bool fail_bounds(struct edit *e, const struct mo_varbind *vb, size_t pos, uint32_t minimum,
			uint32_t maximum)
{
	return fail(e,
		    mo_refuse(e->r, MO_INCONSISTENT_VALUE,
			      "%s: expected a minimum of at most the maximum, not %" PRIu32
			      " and %" PRIu32 " %s",
			      name_at(e, pos), minimum, maximum, column_of(vb)->unit),
		    vb);
}

/* Checks that minimum <= maximum. The error is that of the last varbind that sets one. */
static bool check_headrooms(struct edit *e)
{
	for (unsigned i = e->n; i-- > 0;) {
		const struct mo_varbind *vb = &e->vbs[i];
		const struct pfc_headroom_config *config;
		struct mo_row_at place = {0};

		if (!is_headroom_bound(vb) ||
		    !mo_read_find(e->m, e->config, vb->table, &vb->index, &place))
			continue;
		config = &e->config->ports[place.pos].config->pfc_headroom;
		if (!pfc_headroom_config_check(config))
			return fail_bounds(e, vb, place.pos, config->minimum, config->maximum);
	}
	return true;
}

static bool is_measure_bound(const struct mo_varbind *vb)
{
	const char *name = vb->table == MO_pfc_measure ? column_of(vb)->name : "";

	return strcmp(name, "dcbPfcMeasureMinimum") == 0 ||
	       strcmp(name, "dcbPfcMeasureMaximum") == 0;
}

/* Checks that minimum <= maximum, which is automatic if it is 0. As check_headrooms(). */
static bool check_measures(struct edit *e)
{
	for (unsigned i = e->n; i-- > 0;) {
		const struct mo_varbind *vb = &e->vbs[i];
		const struct pfc_measure_config *config;
		struct mo_row_at place = {0};

		if (!is_measure_bound(vb) ||
		    !mo_read_find(e->m, e->config, vb->table, &vb->index, &place))
			continue;
		config = &e->config->ports[place.pos].config->pfc_measure;
		if (config->maximum && config->maximum < config->minimum)
			return fail_bounds(e, vb, place.pos, config->minimum, config->maximum);
	}
	return true;
}

static bool is_ecn_threshold(const struct mo_varbind *vb)
{
	const char *name = vb->table == MO_ecn ? column_of(vb)->name : "";

	return strcmp(name, "dcbEcnMinimum") == 0 || strcmp(name, "dcbEcnMaximum") == 0 ||
	       strcmp(name, "dcbEcnAlways") == 0;
}

/* Checks that those that are set ascend. As check_headrooms(). */
static bool check_ecn(struct edit *e)
{
	for (unsigned i = e->n; i-- > 0;) {
		const struct mo_varbind *vb = &e->vbs[i];
		const struct ecn_config *config;
		struct mo_row_at place = {0};

		if (!is_ecn_threshold(vb) ||
		    !mo_read_find(e->m, e->config, vb->table, &vb->index, &place))
			continue;
		config = &e->config->ports[place.pos].config->ecn[place.priority];
		if (ecn_config_ascends(config))
			continue;
		return fail(e,
			    mo_refuse(e->r, MO_INCONSISTENT_VALUE,
				      "%s: priority %u: expected a minimum of at most the maximum, "
				      "and that of at most always, not %" PRIu32 ", %" PRIu32
				      " and %" PRIu32,
				      name_at(e, place.pos), place.priority, config->minimum,
				      config->maximum, config->always),
			    vb);
	}
	return true;
}

/* Says why ETS tables are not possible. Returns false. */
static bool fail_ets(struct edit *e, const struct mo_varbind *vb, size_t pos,
		     const struct ets_tables *ets, const char *of)
{
	unsigned sum = ets_tables_sum(ets), tc = 0;

	if (!ets_tables_add_up(ets)) {
		mo_refuse(e->r, MO_INCONSISTENT_VALUE,
			  "%s: ETS %s: expected a sum of 100 %% for the classes with "
			  "tsaEnhancedTransmission, not %u %%",
			  name_at(e, pos), of, sum);
	} else {
		while (ets->tsa[tc] == TSA_STRICT || ets->tsa[tc] == TSA_ETS)
			tc++;
		mo_refuse(e->r, MO_INCONSISTENT_VALUE,
			  "%s: ETS %s: class %u: expected tsaStrictPriority or "
			  "tsaEnhancedTransmission, not %s",
			  name_at(e, pos), of, tc,
			  ets->tsa[tc] == TSA_VENDOR ? "tsaVendorSpecific"
						     : "tsaCreditBasedShaper");
	}
	return fail(e, MO_INCONSISTENT_VALUE, vb);
}

/* A recommendation is for the neighbor: it can have algorithms that dcbd does not support. */
static bool check_ets_of(struct edit *e, const struct mo_varbind *vb, size_t pos)
{
	const struct dcbx_config *dcbx = &e->config->ports[pos].config->dcbx;

	switch (vb->table) {
	case MO_lldp_admin_ets_bw:
	case MO_lldp_admin_ets_tsa:
		return dcbx_ets_is_supported(&dcbx->ets) ||
		       fail_ets(e, vb, pos, &dcbx->ets, "configuration");
	case MO_lldp_admin_reco_bw:
	case MO_lldp_admin_reco_tsa:
		return ets_tables_add_up(&dcbx->reco) ||
		       fail_ets(e, vb, pos, &dcbx->reco, "recommendation");
	default:
		return true;
	}
}

/* Checks ETS bandwidths and algorithms. The error is that of the last varbind that sets one. */
static bool check_ets(struct edit *e)
{
	for (unsigned i = e->n; i-- > 0;) {
		const struct mo_varbind *vb = &e->vbs[i];
		struct mo_row_at place = {0};

		if (mo_lldp_view(vb->table)->party == LLDP_ADMIN &&
		    mo_read_find(e->m, e->config, vb->table, &vb->index, &place) &&
		    !check_ets_of(e, vb, place.pos))
			return false;
	}
	return true;
}

static void drop_app(struct port_config *pc, enum mo_table_id table, const uint32_t *sub)
{
	if (table == MO_dcbx_app_vlan)
		dcbx_config_drop_app_vlan(&pc->dcbx, (uint16_t)sub[1], (uint16_t)sub[2]);
	else
		dcbx_config_drop_app(&pc->dcbx, (uint8_t)sub[1], (uint16_t)sub[2]);
}

/*
 * Sets the RowStatus in dcbDcbxAppTable or dcbDcbxAppVlanTable. Their rows are created by
 * setting the priority in lldpXdot1dcbxAdminApplicationPriorityAppTable, or the VLAN in
 * lldpXdot1dcbxAdminApplicationVlanAppTable, and are always active. Runs after all other
 * varbinds, so that a row created by the same SET has its value.
 */
static bool edit_app_status(struct edit *e, const struct mo_varbind *vb)
{
	const uint32_t *sub = vb->index.sub;
	size_t pos = port_at(e, sub[0]);
	struct mo_row_at place = {0};
	struct port_config *pc;
	bool exists;

	if (pos == e->config->n_ports)
		return fail(e, MO_INCONSISTENT_NAME, vb);
	if (!check_caps(e, vb, e->config->ports[pos].port))
		return false;
	exists = mo_read_find(e->m, e->config, vb->table, &vb->index, &place);
	switch (vb->value.num) {
	case ROW_DESTROY:
		pc = dcb_config_edit_port(e->config, pos);
		if (!pc)
			return fail_memory(e, vb);
		drop_app(pc, vb->table, sub);
		return true;
	case ROW_CREATE_AND_GO:
		if (exists && !mo_read_find(e->m, e->m->config, vb->table, &vb->index, &place))
			return true;
		break;
	case ROW_ACTIVE:
		if (exists)
			return true;
		break;
	}
	if (exists)
		return fail_status(e, vb, true, "active or destroy");
	return fail_status(e, vb, false,
			   vb->table == MO_dcbx_app ? "createAndGo and the priority in one SET"
						    : "createAndGo and the VLAN in one SET");
}

static bool edit_app_statuses(struct edit *e)
{
	for (unsigned i = 0; i < e->n; i++)
		if (is_app_status(e->vbs[i].table) && !edit_app_status(e, &e->vbs[i]))
			return false;
	return true;
}

/* Returns whether the table has a RowStatus; other tables are set column by column. */
static bool has_row_status(const struct mo_varbind *vb)
{
	return vb->table == MO_cn_com_pri || is_app_status(vb->table) ||
	       vb->table == MO_static_unicast || mo_trill_has_rows(vb->table);
}

static bool edit_static(struct edit *e)
{
	return mo_static_edit(e->config, e->vbs, e->n, e->r) == MO_NO_ERROR;
}

static bool edit_trill(struct edit *e)
{
	return mo_trill_edit(e->config, e->vbs, e->n, e->r) == MO_NO_ERROR;
}

static bool edit_all(struct edit *e)
{
	for (unsigned i = 0; i < e->n; i++)
		if (!check_varbind(e, &e->vbs[i]))
			return false;
	if (!edit_rows(e))
		return false;
	for (unsigned i = 0; i < e->n; i++)
		if (!has_row_status(&e->vbs[i]) && !edit_column(e, &e->vbs[i]))
			return false;
	if (!edit_app_statuses(e) || !edit_static(e) || !edit_trill(e))
		return false;
	return check_headrooms(e) && check_measures(e) && check_ecn(e) && check_ets(e);
}

/* The ports of the varbinds begin with initial settings, not with those of their devices. */
static bool forget_adopted(struct edit *e)
{
	for (unsigned i = 0; i < e->n; i++) {
		int part = mo_index_part(mo_table(e->vbs[i].table), MO_PART_PORT);
		size_t pos = part < 0 ? e->config->n_ports : port_at(e, e->vbs[i].index.sub[part]);
		struct port_config *pc;

		if (pos == e->config->n_ports ||
		    e->config->ports[pos].config->initial != PORT_CONFIG_ADOPTED)
			continue;
		pc = dcb_config_initial(e->config, e->config->ports[pos].config->profile_rate);
		if (!pc)
			return fail_memory(e, &e->vbs[i]);
		dcb_config_set_port(e->config, pos, pc);
		port_config_unref(pc);
	}
	return true;
}

static struct dcb_config *edit(struct edit *e)
{
	e->config = dcb_config_successor(e->m->config);
	*e->r = (struct mo_result){.error = MO_NO_ERROR};
	if (!e->config) {
		fail_memory(e, NULL);
		return NULL;
	}
	if ((!e->is_kept || forget_adopted(e)) && edit_all(e)) {
		dcb_config_compute_oper(e->config);
		return e->config;
	}
	dcb_config_free(e->config);
	return NULL;
}

struct dcb_config *mo_edit(const struct managed *m, const struct mo_varbind *vbs, unsigned n,
			   struct mo_result *r)
{
	return edit(&(struct edit){.m = m, .vbs = vbs, .n = n, .r = r});
}

struct dcb_config *mo_edit_kept(const struct managed *m, const struct mo_varbind *vbs, unsigned n,
				struct mo_result *r)
{
	return edit(&(struct edit){.m = m, .vbs = vbs, .n = n, .r = r, .is_kept = true});
}

/* Choice or selector of the LLDP instance, of ieee8021CnCompntPriTable or of a port's table. */
static bool is_instance(const struct mo_varbind *vb)
{
	return (vb->table == MO_cn_com_pri || vb->table == MO_cn_port_pri) &&
	       strstr(column_of(vb)->name, "LldpInstance");
}

/* Table 32-1: the LLDP instance of the varbind's row. A port can refer to the component's. */
static uint16_t instance_used(const struct managed *m, const struct dcb_config *config,
			      const struct mo_varbind *vb)
{
	struct mo_row_at place = {0};
	const struct cn_com_pri_config *com_pri;
	struct cn_lldp_choice_row component, port = {.choice = CNL_COMPONENT};

	if (!mo_read_find(m, config, vb->table, &vb->index, &place))
		return 0; /* deleted by the same SET */
	com_pri = &config->com_pri[place.priority];
	component = (struct cn_lldp_choice_row){com_pri->cncp_lldp_instance_choice,
						com_pri->cncp_lldp_instance_selector};
	if (vb->table == MO_cn_port_pri) {
		const struct cn_port_pri_config *pc =
		    &config->ports[place.pos].config->port_pri[place.priority];

		port = (struct cn_lldp_choice_row){pc->cnpd_lldp_instance_choice,
						   pc->cnpd_lldp_instance_selector};
	}
	return cn_lldp_instance(&component, &port);
}

/* Returns whether the varbind creates a row of ieee8021CnCompntPriTable. */
static bool creates_cnpv(const struct mo_varbind *vb)
{
	return vb->table == MO_cn_com_pri && is_row_status(vb) &&
	       (vb->value.num == ROW_CREATE_AND_GO || vb->value.num == ROW_CREATE_AND_WAIT);
}

/*
 * 12.21.2: a priority is a CNPV while it has a row, and at least one is not. Returns the last
 * varbind that creates a row, 1-based, if all eight have rows; 0: allowed.
 */
static unsigned eighth_row(const struct dcb_config *config, const struct mo_varbind *vbs,
			   unsigned n)
{
	if (dcb_config_cnpvs(config) != 0xff)
		return 0;
	while (n > 0 && !creates_cnpv(&vbs[n - 1]))
		n--;
	return n;
}

enum mo_error mo_edit_check_instances(const struct managed *m, const struct dcb_config *config,
				      const struct mo_varbind *vbs, unsigned n, struct mo_result *r)
{
	uint32_t served = mo_lldp_destination(m);

	r->varbind = eighth_row(config, vbs, n);
	if (r->varbind)
		return mo_refuse(r, MO_INCONSISTENT_VALUE, "expected rows of at most %d priorities",
				 DCB_PRIORITIES - 1);
	for (unsigned i = 0; i < n; i++) {
		uint16_t used = is_instance(&vbs[i]) ? instance_used(m, config, &vbs[i]) : 0;

		if (used == 0 || used == served)
			continue;
		r->varbind = i + 1;
		return mo_refuse(r, MO_INCONSISTENT_VALUE,
				 "LLDP instance: expected the destination address of dcbd, %" PRIu32
				 ", not %u",
				 served, used);
	}
	return MO_NO_ERROR;
}

enum mo_error mo_edit_absent(const struct managed *m, struct port_config *pc,
			     const struct mo_varbind *vb)
{
	_Alignas(8) uint8_t row[MO_ROW_OCTETS] = {0};
	struct mo_result r = {.error = MO_NO_ERROR};
	struct edit e = {.m = m, .vbs = vb, .n = 1, .r = &r};
	unsigned priority;

	if (!check_varbind(&e, vb))
		return r.error;
	if (mo_value_is_port(mo_table(vb->table), column_of(vb)))
		return mo_static_put(pc, &vb->index);
	if (mo_index_part(mo_table(vb->table), MO_PART_PORT) < 0 || is_app_status(vb->table))
		return MO_NO_CREATION;
	if (vb->table == MO_trill_hop)
		return mo_trill_put_hop(pc, vb);
	pc->initial = 0;
	if (is_of_apps(vb->table))
		return put_app(pc, vb) ? MO_NO_ERROR : MO_RESOURCE_UNAVAILABLE;
	priority = mo_index_priority(mo_table(vb->table), &vb->index);
	if (priority >= DCB_PRIORITIES)
		return MO_NO_CREATION;
	mo_settings_load(NULL, pc, vb->table, priority, row);
	mo_field_set(mo_table(vb->table), column_of(vb), row, &vb->value);
	mo_settings_store(NULL, pc, vb->table, priority, row);
	mo_settings_mark_set(pc, vb->table, vb->subid, priority);
	return MO_NO_ERROR;
}
