/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PFC headroom of a port (36.8), from its managed objects, dcbd.conf and its
 * link. Control thread and dataplane thread each calculate it when needed, so
 * it is never outdated.
 */
#ifndef DCB_DATAPLANE_CONFIG_PORT_HEADROOM_H
#define DCB_DATAPLANE_CONFIG_PORT_HEADROOM_H

#include "dataplane/core/pfc_headroom.h"
#include "dataplane/config/provider.h"

/*
 * Calculates the headroom. speed and mtu (octets) of the link, 0 if unknown. A
 * headroom set in dcbd.conf replaces the value in force.
 */
static inline void port_headroom(const struct port_settings *settings,
				 const struct port_config *config, struct dcb_rate speed,
				 uint32_t mtu, struct pfc_headroom_state *out)
{
	uint32_t octets = settings->pfc_headroom_octets;

	pfc_headroom_settle(&config->pfc_headroom, config->pfc_link_delay_allowance,
			    port_bit_rate(settings, speed).bps, mtu, out);
	if (octets)
		out->in_force = octets > UINT32_MAX / 8 ? UINT32_MAX : 8 * octets;
}

/* Returns the headroom in force, in octets. */
static inline uint32_t pfc_headroom_octets(const struct port_settings *settings,
					   const struct port_config *config, struct dcb_rate speed,
					   uint32_t mtu)
{
	struct pfc_headroom_state state;

	port_headroom(settings, config, speed, mtu, &state);
	return (uint32_t)pfc_bits_to_octets(state.in_force);
}

#endif
