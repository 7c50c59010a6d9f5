/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed_conf.h"

#include "control/event_watch.h"
#include "control/objects/mo_defaults.h"

struct managed *managed_conf_new(const struct conf *conf, struct provider *const *providers,
				 unsigned n)
{
	struct managed_params params = {
	    .role = conf->role,
	    .component_id = conf->component_id,
	    .lldp_destination = conf->lldp_destination,
	    .ops = &event_watch_ops,
	};

	mo_defaults(&params.defaults);
	return managed_new(&params, providers, n);
}
