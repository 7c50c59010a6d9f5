/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DCB_CONTROL_OBJECTS_MO_ROW_AT_H
#define DCB_CONTROL_OBJECTS_MO_ROW_AT_H

#include <stddef.h>

#include "dataplane/config/stats.h"

struct lldp_neighbor;
struct pause_interval;

/* Where the data of a row is. Members that do not apply to the table are ignored. */
struct mo_row_at {
	size_t pos; /* of the port in the configuration */
	unsigned priority;
	unsigned rp;      /* reaction point, from 1 */
	unsigned app;     /* position in the application priorities or VLANs, from 0 */
	unsigned pool;    /* enum mo_buffer_pool */
	unsigned feature; /* enum dcbx_feature */
	unsigned term;    /* enum pfc_term */
	unsigned entry;   /* position of a next hop or egress entry; or a nickname */
	unsigned channel; /* Secure Channel, from 0 */
	unsigned an;      /* of the Secure Association */
	const struct pause_interval *interval; /* as long as m->lock is held */
	const struct lldp_neighbor *neighbor;
	struct fdb_address address; /* the row itself: the filtering database changes */
};

#endif
