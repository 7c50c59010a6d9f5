/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PFC headroom of a port, out of all there is to say about it: its managed
 * objects, what dcbd.conf says, and its link (36.8). Both threads work it out
 * for themselves, whenever they need it, so that it is never out of date.
 */
#ifndef DCB_DATAPLANE_CONFIG_PORT_HEADROOM_H
#define DCB_DATAPLANE_CONFIG_PORT_HEADROOM_H

#include "dataplane/core/pfc_headroom.h"
#include "dataplane/config/provider.h"

/* speed and mtu are the link's; 0: not known. dcbd.conf has the last word on what is in force. */
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

/* What the initiator keeps in reserve, in octets. */
static inline uint32_t pfc_headroom_octets(const struct port_settings *settings,
					   const struct port_config *config, struct dcb_rate speed,
					   uint32_t mtu)
{
	struct pfc_headroom_state state;

	port_headroom(settings, config, speed, mtu, &state);
	return (uint32_t)pfc_bits_to_octets(state.in_force);
}

#endif
