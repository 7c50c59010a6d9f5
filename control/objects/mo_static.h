/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of dcbStaticUnicastTable: an entry is kept in the settings of its port, and at most
 * one port of a configuration has it. Control thread only.
 *
 * As a setting of its port, an entry is kept, renamed and saved with it. All together are half
 * of the filtering database at most: the provider refuses more.
 */
#ifndef DCB_CONTROL_OBJECTS_MO_STATIC_H
#define DCB_CONTROL_OBJECTS_MO_STATIC_H

#include "dataplane/config/dcb_config.h"
#include "lib/mo/mo_msg.h"

/*
 * Applies the varbinds of a SET that are of this table, whose objects, values and indexes
 * are checked, to a configuration that is being edited. Returns MO_NO_ERROR, or the error,
 * with its varbind and reason in *r.
 */
enum mo_error mo_static_edit(struct dcb_config *config, const struct mo_varbind *vbs, unsigned n,
			     struct mo_result *r);

/* Adds the entry of the index to the settings of an absent interface. */
enum mo_error mo_static_put(struct port_config *pc, const struct mo_index *index);

/*
 * Returns the lowest key that is not less than a number, at most max, and the octets of an
 * address in the seven sub-identifiers: one above 255 sorts behind all octets in its place.
 * max is less than 65535. UINT64_MAX: all keys are less.
 */
uint64_t mo_static_key(const uint32_t *sub, uint32_t max);

/* Sets the index of an entry. */
void mo_static_index(uint64_t key, struct mo_index *index);

#endif
