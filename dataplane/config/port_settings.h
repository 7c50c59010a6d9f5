/* SPDX-License-Identifier: BSD-3-Clause */
/* A port as the control thread sees it: its interface, and dcbd.conf's settings of it. */
#ifndef DCB_DATAPLANE_CONFIG_PORT_SETTINGS_H
#define DCB_DATAPLANE_CONFIG_PORT_SETTINGS_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "dataplane/core/cp_early.h"
#include "dataplane/core/rp.h"
#include "lib/units.h"

#define DCB_MAC_OCTETS   6
#define DCB_ALIAS_OCTETS 256 /* kernel's IFALIASZ */

/* What the system says of an interface; the control thread keeps it current. */
struct link_info {
	uint32_t ifindex;
	char name[IF_NAMESIZE];
	char alias[DCB_ALIAS_OCTETS];
	uint8_t mac[DCB_MAC_OCTETS];
	bool up;               /* administratively up and carrier present */
	uint32_t mtu;          /* octets */
	struct dcb_rate speed; /* bit/s; unlimited (0) where the driver does not say */
};

/* dcbd.conf's settings of a port: what no MIB object says. */
struct port_settings {
	const char *provider;     /* name of its provider, a literal; NULL: the first there is */
	struct dcb_rate rate;     /* transmission rate; 0: as fast as the interface takes it */
	uint32_t buffer_octets;   /* all eight queues together hold no more */
	uint16_t pvid;            /* VLAN of untagged and priority-tagged frames, 1..4094 */
	uint8_t default_priority; /* priority of untagged frames, 0..7 */
	bool pvid_tagged;         /* frames of the PVID leave tagged */
	bool memory;              /* no interface behind it: linked in memory or to nothing */
	bool regenerates;         /* by this table; else priorities stay: 6.9.4 */
	uint8_t regeneration[DCB_PRIORITIES]; /* priority regeneration table */
	bool heeds_pause; /* PAUSE of 802.3 annex 31B, while PFC is not enabled */
	bool classified;  /* by this table; else each priority has a traffic class of its own */
	uint8_t traffic_class[DCB_PRIORITIES]; /* traffic class table: 8.6.6 */
	bool early;                            /* congestion points of the 2007 proposal ... */
	struct cp_early_config cp_early;       /* ... and their parameters */
	struct rp_variant rp_variant;
	uint32_t flow_buffer_octets; /* what one flow queue holds; 0: STATION_FLOW_BUFFER */
	char aggregate[IF_NAMESIZE]; /* ports with the same name here are one bridge port's links */
	/* Receive buffer of each priority with PFC. */
	uint32_t pfc_buffer_octets;   /* 0: as buffer_octets */
	uint32_t pfc_headroom_octets; /* of that, for what comes after XOFF; 0: reckoned */
	uint32_t pfc_xon_octets;      /* 0: two frames below XOFF */
	char tap[IF_NAMESIZE];        /* a station's interface for its host; "%d": the first free */
};

/*
 * What a port can send at most: what dcbd.conf allows it, else what its link says;
 * 0: nobody knows.
 */
static inline struct dcb_rate port_rate(const struct port_settings *settings, struct dcb_rate speed)
{
	return dcb_rate_is_unlimited(settings->rate) ? speed : settings->rate;
}

/*
 * ... as the length of its bit times, for pause quanta (36.3.2) and headroom (36.8):
 * 10 Gb/s where nobody knows, which is what the standard reckons with first.
 */
static inline struct dcb_rate port_bit_rate(const struct port_settings *settings,
					    struct dcb_rate speed)
{
	struct dcb_rate rate = port_rate(settings, speed);

	return dcb_rate_is_unlimited(rate) ? dcb_rate_from_mbps(10000) : rate;
}

/*
 * A port as the control thread sees it; the provider embeds it in its own.
 * slot is unique among the living ports of a system, 0..DCB_SLOTS-1, stable
 * for the port's life and reused after it.
 */
#define DCB_SLOTS 8192
struct port {
	struct provider *provider;
	uint16_t slot;
	uint16_t has, sets; /* enum provider_cap: objects that exist, and can be set */
	struct link_info link;
	struct port_settings settings;
};

#endif
