/* SPDX-License-Identifier: BSD-3-Clause */
/* The managed system that dcbd.conf describes. */
#ifndef DCB_CONTROL_MANAGED_CONF_H
#define DCB_CONTROL_MANAGED_CONF_H

#include "control/conf/conf.h"
#include "control/managed/managed.h"

/* It raises the notifications of event_watch.c. Takes n providers over; NULL: out of memory. */
struct managed *managed_conf_new(const struct conf *conf, struct provider *const *providers,
				 unsigned n);

#endif
