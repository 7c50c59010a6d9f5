/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Has SONiC's host services apply a JSON Patch to CONFIG_DB: `config apply-patch` of the host, over
 * its D-Bus (org.SONiC.HostService.gcu, method apply_patch_db with the text of the patch). It
 * checks the patch by the YANG modules and by those of the platform, which takes seconds. For one
 * thread.
 */
#ifndef DCB_SONIC_SONIC_APPLY_H
#define DCB_SONIC_SONIC_APPLY_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/dcbtime.h"

/* Until an answer. A switch with many ports needs tens of seconds. */
#define SONIC_APPLY_NS (120 * DCB_NS_PER_S)

struct sonic_apply;

/*
 * Connects to the system bus, DBUS_SYSTEM_BUS_ADDRESS if it is set, and sends the patch, without
 * waiting. NULL: err says why.
 */
struct sonic_apply *sonic_apply_start(const char *patch, char *err, size_t errlen);
/* Returns a file descriptor, the events of poll(2) to wait for, and when to go on without one. */
int sonic_apply_fd(const struct sonic_apply *a);
short sonic_apply_events(const struct sonic_apply *a);
struct dcb_time sonic_apply_next(const struct sonic_apply *a);
/* Goes on. Returns whether there is a result: text is empty if the patch is applied, or the error.
 */
bool sonic_apply_turn(struct sonic_apply *a, char *text, size_t size);
void sonic_apply_free(struct sonic_apply *a);

#endif
