/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PFC headroom of a port (36.8), from its managed objects, dcbd.conf and its
 * link. Control thread and dataplane thread each calculate it when needed, so
 * it is never outdated.
 *
 *   link (speed, MTU), cable, PHY: objects -----------+
 *   neighbor: MBC and MACsec bits, local delay, way, -+-> every delay of 36.1.1, in bits, each
 *     measured round trip (struct port_oper)          |   with its source, within bounds
 *   measured delay of the port's SecY ----------------+   -> each account with PFC
 *
 * ieee8021PfcLinkDelayAllowance replaces the sum where it is set and no way is agreed (12.23). A
 * setting by hand replaces what the neighbor says; only bounds and the choice manual replace a
 * measured round trip. dcbctl headroom calls the same calculation.
 */
#ifndef DCB_DATAPLANE_CONFIG_PORT_HEADROOM_H
#define DCB_DATAPLANE_CONFIG_PORT_HEADROOM_H

#include "dataplane/core/pfc_headroom.h"
#include "dataplane/config/provider.h"

/*
 * Return the settings of the headroom and of the bits to send with those that follow from the
 * port's keys. Choice: the objects say what MACsec protects only where dcbd does not do it itself,
 * but the NIC or the PHY.
 */
static inline struct pfc_headroom_config port_headroom_config(const struct port_settings *settings,
							      const struct port_config *config)
{
	struct pfc_headroom_config is = config->pfc_headroom;

	if (settings->macsec)
		is.macsec = settings->macsec;
	return is;
}

static inline struct pfc_way_config port_way_config(const struct port_settings *settings,
						    const struct port_config *config)
{
	struct pfc_way_config is = config->pfc_way;

	if (settings->macsec) {
		is.macsec = settings->macsec == PFC_MACSEC_ALL;
		is.privacy = false; /* no PrY is between the port and its SecY (36.6) */
	}
	return is;
}

/*
 * Calculates the headroom. oper: what the neighbor says; speed and mtu (octets) of the link, 0
 * if unknown. The cap limits the value in force; a headroom set in dcbd.conf replaces it.
 */
static inline void port_headroom(const struct port_settings *settings,
				 const struct port_config *config, const struct port_oper *oper,
				 struct dcb_rate speed, uint32_t mtu,
				 struct pfc_headroom_state *out)
{
	const struct pfc_headroom_link link = {
	    .speed_bps = port_bit_rate(settings, speed).bps,
	    .mtu = mtu,
	    .way = oper->pfc_way,
	    .peer = oper->pfc_peer,
	    .measured_quanta = oper->pfc_measured_quanta,
	    .secy_ns = oper->secy_ns,
	};
	const struct pfc_headroom_config headroom = port_headroom_config(settings, config);
	uint32_t octets = settings->pfc_headroom_octets;
	uint64_t cap = 8 * (uint64_t)oper->headroom_cap_octets;

	pfc_headroom_compute(&headroom, config->pfc_link_delay_allowance, &link, out);
	if (cap && out->in_force > cap)
		out->in_force = (uint32_t)cap;
	if (!octets)
		return;
	out->basis = PFC_BASIS_FILE;
	out->in_force = octets > UINT32_MAX / 8 ? UINT32_MAX : 8 * octets;
}

/* Returns the headroom in force, in octets. */
static inline uint32_t pfc_headroom_octets(const struct port_settings *settings,
					   const struct port_config *config,
					   const struct port_oper *oper, struct dcb_rate speed,
					   uint32_t mtu)
{
	struct pfc_headroom_state state;

	port_headroom(settings, config, oper, speed, mtu, &state);
	return (uint32_t)pfc_bits_to_octets(state.in_force);
}

/*
 * Calculates the headroom of a port of a configuration. In force is that of the device of the port,
 * if it has one and says it. Control thread.
 */
static inline void port_headroom_of(const struct dcb_config_port *at,
				    struct pfc_headroom_state *out)
{
	struct provider_oper oper;

	port_headroom(&at->port->settings, at->config, &at->oper, at->port->link.speed,
		      at->port->link.mtu, out);
	if (!(at->port->has & PROVIDER_HARDWARE))
		return;
	at->port->provider->ops->read_oper(at->port, &oper);
	if (!oper.has_headroom)
		return;
	out->basis = PFC_BASIS_DEVICE;
	out->in_force =
	    oper.headroom_octets > UINT32_MAX / 8 ? UINT32_MAX : 8 * oper.headroom_octets;
}

/* Returns how many octets of the calculated headroom are not in force; 0: all are. */
static inline uint32_t port_headroom_missing(const struct pfc_headroom_state *state)
{
	return state->calculated <= state->in_force
		   ? 0
		   : (uint32_t)pfc_bits_to_octets(state->calculated - state->in_force);
}

/* Returns the headroom in force of a port of a configuration, in octets. Control thread. */
static inline uint32_t pfc_headroom_octets_of(const struct dcb_config_port *at)
{
	return pfc_headroom_octets(&at->port->settings, at->config, &at->oper, at->port->link.speed,
				   at->port->link.mtu);
}

/* Returns that headroom without the cap of oper. Control thread. */
static inline uint32_t pfc_headroom_uncapped_octets_of(const struct dcb_config_port *at)
{
	struct dcb_config_port uncapped = *at;

	uncapped.oper.headroom_cap_octets = 0;
	return pfc_headroom_octets_of(&uncapped);
}

/*
 * Returns item h of 36.1.1 of this station in ns, which the neighbor is told: as set, else
 * measured_ns, the bound of dataplane/port/port_response.h; 0: not known yet. Choice: until then,
 * the limit of 36.3.3 only for a port in memory, which no scheduler delays.
 */
static inline uint32_t port_halt_ns(const struct port_settings *settings,
				    const struct port_config *config, uint32_t measured_ns)
{
	if (config->pfc_measure.halt_ns)
		return config->pfc_measure.halt_ns;
	if (config->pfc_way.response_ns)
		return config->pfc_way.response_ns;
	if (measured_ns)
		return measured_ns;
	return settings->memory ? PFC_MEASURE_HALT_NS : PFC_MEASURE_HALT_HOST_NS;
}

#endif
