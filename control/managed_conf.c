/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed_conf.h"

#include <stdio.h>

#include "control/event_watch.h"
#include "control/objects/mo_defaults.h"
#include "control/objects/mo_origin.h"

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

/* The VLANs of ports count less than initial, and the first entry of ports that matches applies. */
static bool add_vlans(struct mo_origins *o, const struct conf *conf)
{
	const struct conf_vlans *v = &conf->vlans_default;

	if (!mo_origins_add_vlans(o, "*", v->is_set ? v->member : NULL, v->line))
		return false;
	for (size_t i = conf->n_ports; i > 0; i--) {
		v = &conf->ports[i - 1].vlans;
		if (!mo_origins_add_vlans(o, conf->ports[i - 1].name, v->is_set ? v->member : NULL,
					  v->line))
			return false;
	}
	return true;
}

struct mo_origins *managed_conf_origins(const struct conf *conf)
{
	struct mo_origins *o = mo_origins_new();
	bool ok = o && add_vlans(o, conf);

	for (size_t i = 0; ok && i < conf->n_initial; i++) {
		const struct conf_initial *in = &conf->initial[i];

		ok = mo_origins_add(o, &(struct mo_file_value){in->object, in->index, in->port,
							       in->value, in->line});
	}
	if (ok)
		return o;
	mo_origins_free(o);
	return NULL;
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
	    .frame_octets = conf_frame_octets(conf),
	    .frame_octets_most = conf->frame_octets ? 0 : CONF_FRAME_OCTETS_MOST,
	    .fdb_entries = conf->fdb_entries,
	    .fdb_ageing_s = conf->fdb_ageing_s,
	    .transit_ns = (int64_t)conf->transit_delay_ms * DCB_NS_PER_MS,
	    .receive_memory = (uint64_t)conf->receive_mib << 20,
	    .qdisc_bypass = conf->qdisc_bypass,
	    .cpu = conf->dataplane_cpu,
	    .priority = conf->dataplane_priority,
	    .priority_is_default = !conf->priority_is_set,
	    .seed = seed,
	};
}

struct provider_soft_params managed_conf_station(const struct conf *conf, bool no_thread,
						 uint64_t seed)
{
	struct provider_soft_params params = managed_conf_soft(conf, ROLE_STATION, no_thread, seed);

	params.name = CONF_PROVIDER_STATION;
	params.cpu = -1;
	return params;
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
