/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates the managed system from dcbd.conf. Control thread only. */
#ifndef DCB_CONTROL_MANAGED_CONF_H
#define DCB_CONTROL_MANAGED_CONF_H

#include "control/conf/conf.h"
#include "control/managed/managed.h"

/*
 * Creates a managed system that calls event_watch_ops. It owns the n providers from here
 * on. Returns NULL if out of memory; the caller then still owns the providers.
 */
struct managed *managed_conf_new(const struct conf *conf, struct provider *const *providers,
				 unsigned n);

#endif
