/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_changed.h"

#include "control/objects/mo_field.h"
#include "control/objects/mo_read.h"

bool mo_changed_is(const struct mo_table *table, const struct mo_column *col,
		   const struct port_config *pc, unsigned priority, const void *row,
		   const void *fresh)
{
	if (!mo_is_writable(col) || col->syntax == MO_ROW_STATUS)
		return false;
	return (pc && mo_settings_was_set(pc, table->id, col->subid, priority)) ||
	       !mo_field_equal(table, col, row, fresh);
}

/* pc NULL: a row of the system. */
static bool each_of_row(const struct mo_table *table, const struct port_config *pc,
			unsigned priority, const void *row, const void *fresh, mo_changed_fn fn,
			void *ctx)
{
	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct mo_changed setting = {table, &table->columns[i], priority, row};

		if (mo_changed_is(table, setting.col, pc, priority, row, fresh) &&
		    !fn(ctx, &setting))
			return false;
	}
	return true;
}

static const struct mo_column *status_of(const struct mo_table *table)
{
	const struct mo_column *col = table->columns;

	while (col->syntax != MO_ROW_STATUS)
		col++;
	return col;
}

bool mo_changed_each_of_system(const struct dcb_config *config, mo_changed_fn fn, void *ctx)
{
	uint8_t cnpvs = dcb_config_cnpvs(config);

	for (enum mo_table_id id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table(id);
		bool each = mo_settings_scope(id) == MO_SCOPE_SYSTEM_EACH;
		unsigned rows = each ? cnpvs : mo_settings_scope(id) == MO_SCOPE_SYSTEM;

		for (unsigned p = 0; rows >> p; p++) {
			_Alignas(8) uint8_t row[MO_ROW_OCTETS] = {0}, fresh[MO_ROW_OCTETS] = {0};

			if (!(rows >> p & 1))
				continue;
			mo_settings_load(config, NULL, id, p, row);
			mo_field_defaults(table, fresh);
			if (each && !fn(ctx, &(struct mo_changed){table, status_of(table), p, row}))
				return false;
			if (!each_of_row(table, NULL, p, row, fresh, fn, ctx))
				return false;
		}
	}
	return true;
}

bool mo_changed_each_of_port(const struct port_config *pc, const struct port_config *initial,
			     uint8_t cnpvs, mo_changed_fn fn, void *ctx)
{
	for (enum mo_table_id id = 0; id < MO_TABLES; id++) {
		unsigned rows =
		    mo_settings_scope(id) == MO_SCOPE_PORT ? mo_read_port_rows(id, cnpvs) : 0;

		for (unsigned p = 0; rows >> p; p++) {
			_Alignas(8) uint8_t row[MO_ROW_OCTETS] = {0}, fresh[MO_ROW_OCTETS] = {0};

			if (!(rows >> p & 1) ||
			    (mo_settings_are_equal(pc, initial, id, p) && !pc->profile_set[p]))
				continue;
			mo_settings_load(NULL, pc, id, p, row);
			mo_settings_load(NULL, initial, id, p, fresh);
			if (!each_of_row(mo_table(id), pc, p, row, fresh, fn, ctx))
				return false;
		}
	}
	return true;
}

const struct port_config *mo_initial_of(struct mo_initial *initial, const struct dcb_config *config,
					struct dcb_rate rate)
{
	if (!initial->is_made || initial->port.profile_rate.bps != rate.bps) {
		initial->port.profile_rate = rate;
		port_config_init(&initial->port, config);
		initial->is_made = true;
	}
	return &initial->port;
}
