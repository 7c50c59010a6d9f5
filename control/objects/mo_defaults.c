/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_defaults.h"

#include <string.h>

#include "control/objects/mo_bind.h"
#include "control/objects/mo_field.h"

static void store_defaults(struct dcb_config *config, struct port_config *pc, enum mo_table_id id,
			   unsigned priority)
{
	_Alignas(8) uint8_t row[MO_ROW_OCTETS] = {0};

	mo_field_defaults(mo_table(id), row);
	mo_bind_store(config, pc, id, priority, row);
}

void mo_defaults(struct dcb_defaults *defaults)
{
	struct dcb_config config = {0};

	memset(defaults, 0, sizeof(*defaults));
	store_defaults(&config, NULL, MO_cn_global, 0);
	store_defaults(&config, NULL, MO_notify, 0);
	defaults->global = config.global;
	defaults->notify = config.notify;
	for (unsigned i = 0; i < MO_PORT_TABLES; i++) {
		enum mo_table_id id = mo_port_tables[i];
		unsigned rows = mo_bind_port_rows(id, 0xff);

		for (unsigned n = 0; rows >> n; n++)
			store_defaults(&config, &defaults->port, id, n);
	}
}
