/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes of a port's settings in CONFIG_DB, as a JSON Patch (RFC 6902) for SONiC's generic config
 * updater. Pure.
 */
#ifndef DCB_SONIC_SONIC_PATCH_H
#define DCB_SONIC_SONIC_PATCH_H

#include <jansson.h>

#include "dataplane/sonic/sonic_port.h"

#define SONIC_SETTINGS (SONIC_PFC_ENABLE | SONIC_CABLE)

/* Settings that a port is to have. */
struct sonic_wanted {
	uint32_t members; /* of SONIC_SETTINGS: those that are to change */
	uint8_t pfc_enable;
	uint32_t cable_m;
};

/* Returns the settings of *wanted that the port does not have: members. */
uint32_t sonic_differs(const struct sonic_port *port, const struct sonic_wanted *wanted);
/*
 * Returns whether the ASIC is known to have PFC for these priorities. The watchdog takes PFC from
 * priorities with a storm. With asymmetric PFC it has other attributes, and this is true.
 */
bool sonic_asic_has(const struct sonic_port *port, uint8_t pfc_enable);

/* Sets in *port the settings that are wanted. */
void sonic_put_wanted(struct sonic_port *port, const struct sonic_wanted *wanted);

/* Returns why SONiC cannot have the settings: a row is missing. NULL: it can. */
const char *sonic_cannot(const struct sonic_port *port, uint32_t members);

/*
 * Appends the operations to a patch, which is an array. space: the namespace of the port's ASIC;
 * empty: the host's. Returns false if out of memory.
 */
bool sonic_patch_add(json_t *patch, const char *space, const struct sonic_port *port,
		     const struct sonic_wanted *wanted);

#endif
