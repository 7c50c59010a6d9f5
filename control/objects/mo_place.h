/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DCB_CONTROL_OBJECTS_MO_PLACE_H
#define DCB_CONTROL_OBJECTS_MO_PLACE_H

#include <stddef.h>

struct lldp_neighbor;

/* Where a row's data is. */
struct mo_place {
	size_t pos; /* of its port in the configuration */
	unsigned priority;
	unsigned rp;  /* which reaction point, from 1; tables of them only */
	unsigned app; /* which application priority, from 0; tables of them only */
	/* Whose TLVs; tables of neighbors only, which have no port otherwise. */
	const struct lldp_neighbor *neighbor;
};

#endif
