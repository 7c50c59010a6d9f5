/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills in rows of TRILL, as mo_read_load() says. Control thread only. */
#ifndef DCB_CONTROL_OBJECTS_MO_READ_TRILL_H
#define DCB_CONTROL_OBJECTS_MO_READ_TRILL_H

#include "control/managed/managed.h"
#include "control/objects/mo_row_at.h"
#include "control/objects/mo_rows.h"

void load_trill(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		struct trill_row *row);
void load_trill_hop(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		    struct trill_hop_row *row);
void load_trill_egress(const struct managed *m, const struct dcb_config *c,
		       const struct mo_row_at *at, struct trill_egress_row *row);
void load_trill_nickname(const struct managed *m, const struct dcb_config *c,
			 const struct mo_row_at *at, struct trill_nickname_row *row);
void load_trill_stats(const struct managed *m, const struct dcb_config *c,
		      const struct mo_row_at *at, struct trill_stats_row *row);

void load_trill_fdb(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		    struct trill_fdb_row *row);

#endif
