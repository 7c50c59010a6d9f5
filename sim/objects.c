/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/objects.h"

#include "control/objects/mo_read.h"
#include "control/objects/mo_rows.h"
#include "control/objects/mo_settings.h"
#include "sim/net/node.h"

#include <fnmatch.h>
#include <stdio.h>

static struct dcb_config *edit(const struct sim_node *node)
{
	struct dcb_config *config = dcb_config_copy(node->config);

	if (config)
		config->generation++;
	return config;
}

/* --- rows of ieee8021CnCompntPriTable ------------------------------------------- */

static bool create_cnpv(struct dcb_config *config, unsigned priority)
{
	struct cn_com_pri_row row = {0};

	mo_field_defaults(mo_table(MO_cn_com_pri), &row);
	row.config.row_status = ROW_ACTIVE;
	config->com_pri[priority] = row.config;
	return dcb_config_create_cnpv(config, priority);
}

static bool set_row_status(struct dcb_config *config, unsigned priority, int64_t want)
{
	struct cn_com_pri_config *com_pri = &config->com_pri[priority];

	switch (want) {
	case ROW_CREATE_AND_GO:
	case ROW_CREATE_AND_WAIT:
		if (com_pri->row_status == ROW_ABSENT && !create_cnpv(config, priority))
			return false;
		com_pri->row_status = want == ROW_CREATE_AND_GO ? ROW_ACTIVE : ROW_NOT_IN_SERVICE;
		return true;
	case ROW_DESTROY:
		return com_pri->row_status == ROW_ABSENT ||
		       dcb_config_destroy_cnpv(config, priority);
	default:
		if (com_pri->row_status != ROW_ABSENT)
			com_pri->row_status = (uint8_t)want;
		return true;
	}
}

/* --- one object --------------------------------------------------------------------- */

static bool set_com_pri(struct dcb_config *config, const struct scn_set *set, unsigned priority)
{
	struct cn_com_pri_row row = {.config = config->com_pri[priority]};

	if (set->column->syntax == MO_ROW_STATUS)
		return set_row_status(config, priority, set->value.num);
	if (row.config.row_status == ROW_ABSENT)
		return true;
	mo_field_set(set->table, set->column, &row, &set->value);
	mo_settings_store(config, NULL, MO_cn_com_pri, priority, &row);
	return true;
}

static bool set_global(struct dcb_config *config, const struct scn_set *set)
{
	struct cn_global_row row = {.config = config->global};

	mo_field_set(set->table, set->column, &row, &set->value);
	mo_settings_store(config, NULL, MO_cn_global, 0, &row);
	return true;
}

static bool set_port(struct dcb_config *config, size_t pos, const struct scn_set *set,
		     unsigned priority)
{
	_Alignas(8) uint8_t row[MO_ROW_OCTETS] = {0};
	struct port_config *pc = dcb_config_edit_port(config, pos);

	if (!pc)
		return false;
	mo_settings_load(config, pc, set->table->id, priority, row);
	mo_field_set(set->table, set->column, row, &set->value);
	mo_settings_store(config, pc, set->table->id, priority, row);
	mo_settings_mark_set(pc, set->table->id, set->column->subid, priority);
	return true;
}

static bool matches(const char *pattern, const char *name)
{
	return !pattern || fnmatch(pattern, name, 0) == 0;
}

static bool set_ports(const struct sim_node *node, struct dcb_config *config,
		      const struct scn_set *set, unsigned priority)
{
	for (size_t i = 0; i < config->n_ports; i++) {
		const struct sim_link *link = node->links[config->ports[i].port->slot];

		if (matches(set->port, link->to->name) && !set_port(config, i, set, priority))
			return false;
	}
	return true;
}

/* Sets the row of the given priority or traffic class, or without one all rows that exist. */
static bool set_priorities(const struct sim_node *node, struct dcb_config *config,
			   const struct scn_set *set)
{
	unsigned rows = mo_read_port_rows(set->table->id, dcb_config_cnpvs(config));

	if (set->table->id == MO_cn_global)
		return set_global(config, set);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		if (set->priority >= 0 ? set->priority != (int)p : !(rows >> p & 1))
			continue;
		if (set->table->id == MO_cn_com_pri ? !set_com_pri(config, set, p)
						    : !set_ports(node, config, set, p))
			return false;
	}
	return true;
}

static bool put_in_force(struct sim_node *node, struct dcb_config *config)
{
	if (dcb_config_active_rows(config) == DCB_PRIORITIES)
		return false;
	dcb_config_compute_oper(config);
	sim_node_adopt(node, config);
	return true;
}

bool sim_set_object(struct sim *sim, const struct scn_set *set, char *err, size_t errlen)
{
	for (uint32_t i = 0; i < sim->n_nodes; i++) {
		struct sim_node *node = &sim->nodes[i];
		struct dcb_config *config;

		if (!matches(set->node, node->name))
			continue;
		config = edit(node);
		if (!config || !set_priorities(node, config, set) || !put_in_force(node, config)) {
			dcb_config_free(config);
			/*
			 * Message: At most seven priorities can be CNPVs. Remove one from `cnpvs`,
			 * `initial` or `events`.
			 */
			snprintf(
			    err, errlen,
			    "%s: not set at %s: out of memory, or all 8 priorities would be CNPVs",
			    set->column->name, node->name);
			return false;
		}
	}
	return true;
}

bool sim_set_cnpvs(struct sim *sim, uint8_t cnpvs)
{
	for (uint32_t i = 0; cnpvs && i < sim->n_nodes; i++) {
		struct dcb_config *config = edit(&sim->nodes[i]);
		bool ok = config;

		for (unsigned p = 0; ok && p < DCB_PRIORITIES; p++) {
			if (!(cnpvs >> p & 1))
				continue;
			ok = create_cnpv(config, p);
			if (sim->lldp)
				continue;
			config->com_pri[p].cncp_def_mode_choice = CPC_ADMIN;
			config->com_pri[p].cncp_admin_defense_mode = CPT_INTERIOR_READY;
		}
		if (!ok) {
			dcb_config_free(config);
			return false;
		}
		dcb_config_compute_oper(config);
		sim_node_adopt(&sim->nodes[i], config);
	}
	return true;
}

/* Sets something for these priorities, a bit each, at all ports. */
static bool set_every_port(struct sim *sim, uint8_t priorities,
			   void (*set)(struct port_config *pc, uint8_t priorities))
{
	for (uint32_t i = 0; priorities && i < sim->n_nodes; i++) {
		struct dcb_config *config = edit(&sim->nodes[i]);

		for (size_t pos = 0; config && pos < config->n_ports; pos++) {
			struct port_config *pc = dcb_config_edit_port(config, pos);

			if (!pc) {
				dcb_config_free(config);
				return false;
			}
			set(pc, priorities);
		}
		if (!config)
			return false;
		dcb_config_compute_oper(config);
		sim_node_adopt(&sim->nodes[i], config);
	}
	return true;
}

static void enable_pfc(struct port_config *pc, uint8_t priorities)
{
	pc->pfc.enable = priorities;
}

bool sim_set_pfc(struct sim *sim, uint8_t enable)
{
	return set_every_port(sim, enable, enable_pfc);
}

static void enable_ecn(struct port_config *pc, uint8_t priorities)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		pc->ecn[p].enable |= priorities >> p & 1;
}

bool sim_set_ecn(struct sim *sim, uint8_t enable)
{
	return set_every_port(sim, enable, enable_ecn);
}
