/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed_conf.h"

#include <stdio.h>

#include "control/event_watch.h"
#include "control/objects/mo_defaults.h"

#define MEMORY_IFINDEX_BASE 100000 /* above the ifIndexes that kernels assign in practice */

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

struct provider_soft_params managed_conf_soft(const struct conf *conf, enum dcb_role role,
					      bool no_thread, uint64_t seed)
{
	return (struct provider_soft_params){
	    .station = role == ROLE_STATION,
	    .rbridge = role == ROLE_RBRIDGE,
	    .flows = &conf->flows,
	    .no_thread = no_thread,
	    .frame_buffers = conf->frame_buffers,
	    .frame_octets = conf->frame_octets,
	    .fdb_entries = conf->fdb_entries,
	    .fdb_ageing_s = conf->fdb_ageing_s,
	    .transit_ns = (int64_t)conf->transit_delay_ms * DCB_NS_PER_MS,
	    .qdisc_bypass = conf->qdisc_bypass,
	    .cpu = conf->dataplane_cpu,
	    .seed = seed,
	};
}

bool managed_conf_memory_ports(struct managed *m, const struct conf *conf, char *err, size_t errlen)
{
	for (uint32_t i = 0; i < conf->memory_ports; i++) {
		struct port_settings settings = conf->port_default;
		struct link_info link = {
		    .ifindex = MEMORY_IFINDEX_BASE + 1 + i,
		    .mac = {0x02, 0xdc, 0xb0, 0x00, (uint8_t)(i >> 8), (uint8_t)i},
		    .up = true,
		    .mtu = 1500,
		    .speed = dcb_rate_from_mbps(10000),
		};

		snprintf(link.name, sizeof(link.name), "mem%u", i);
		settings.memory = true;
		settings.provider = NULL;
		if (!managed_port_add(m, &link, &settings, err, errlen))
			return false;
	}
	return true;
}
