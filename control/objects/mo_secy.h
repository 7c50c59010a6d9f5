/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads the rows of dcbSecyTable, dcbSecyRxSCTable and dcbSecySATable, as mo_read_load() does for
 * all tables, from a port's struct port_macsec. Any thread that may read the configuration.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_SECY_H
#define DCB_CONTROL_OBJECTS_MO_SECY_H

#include "control/objects/mo_row_at.h"
#include "control/objects/mo_rows.h"
#include "dataplane/config/dcb_config.h"

struct managed;

void load_secy(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
	       struct secy_row *row);
void load_secy_rx(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		  struct secy_rx_row *row);
void load_secy_sa(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		  struct secy_sa_row *row);

#endif
