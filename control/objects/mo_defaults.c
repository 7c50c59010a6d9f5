/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_defaults.h"

#include <string.h>

#include "control/objects/mo_read.h"
#include "control/objects/mo_field.h"
#include "control/objects/mo_settings.h"

static void store_defaults(struct dcb_config *config, struct port_config *pc, enum mo_table_id id,
			   unsigned priority)
{
	_Alignas(8) uint8_t row[MO_ROW_OCTETS] = {0};

	mo_field_defaults(mo_table(id), row);
	mo_settings_store(config, pc, id, priority, row);
}

void mo_defaults(struct dcb_defaults *defaults)
{
	struct dcb_config config = {0};

	memset(defaults, 0, sizeof(*defaults));
	for (enum mo_table_id id = 0; id < MO_TABLES; id++) {
		enum mo_scope scope = mo_settings_scope(id);
		unsigned rows = scope == MO_SCOPE_PORT ? mo_read_port_rows(id, 0xff) : 1;

		if (scope != MO_SCOPE_PORT && scope != MO_SCOPE_SYSTEM)
			continue;
		for (unsigned n = 0; rows >> n; n++)
			store_defaults(&config, &defaults->port, id, n);
	}
	defaults->global = config.global;
	defaults->notify = config.notify;
	defaults->buffer_memory = config.buffer_memory;
	defaults->trill = config.trill;
	defaults->fdb_flush = config.fdb_flush;
}
