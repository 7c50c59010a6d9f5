/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface of a port and its settings in dcbd.conf. */
#ifndef DCB_DATAPLANE_CONFIG_PORT_SETTINGS_H
#define DCB_DATAPLANE_CONFIG_PORT_SETTINGS_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "dataplane/core/cn_profile.h"
#include "dataplane/core/cp_early.h"
#include "dataplane/core/rp.h"
#include "lib/units.h"

#define DCB_MAC_OCTETS    6
#define DCB_ALIAS_OCTETS  256 /* IFALIASZ of the kernel */
#define DCB_DRIVER_OCTETS 32  /* as in struct ethtool_drvinfo */
#define DCB_QDISC_OCTETS  16  /* IFNAMSIZ, the kernel's limit */

/* State of an interface, kept current by the control thread. */
struct link_info {
	uint32_t ifindex;
	char name[IF_NAMESIZE];
	char alias[DCB_ALIAS_OCTETS];
	char driver[DCB_DRIVER_OCTETS]; /* name of the driver; empty if unknown */
	uint8_t mac[DCB_MAC_OCTETS];
	bool up;                      /* administratively up and carrier present */
	uint32_t mtu;                 /* octets */
	uint32_t carrier_changes;     /* of the carrier, since the interface was made; 0: unknown */
	struct dcb_rate speed;        /* bit/s; unlimited (0) if the driver does not report it */
	char qdisc[DCB_QDISC_OCTETS]; /* kind of the root queueing discipline; empty if unknown */
};

/* What the host uses an interface for. Kept apart from struct link_info, of which ports have a
 * copy. */
struct link_host {
	uint32_t master;                /* ifIndex of the bridge, bond ... that has it; 0: none */
	char address[INET6_ADDRSTRLEN]; /* an IP address that is not of the link; empty: none */
};

/* The settings of a port in dcbd.conf. They have no MIB object. */
struct port_settings {
	const char *provider;   /* name of its provider, a literal; NULL: the one with the engine */
	struct dcb_rate rate;   /* transmission rate; 0: not limited */
	uint32_t buffer_octets; /* what one priority may hold: port_buffer.h */
	uint16_t pvid;          /* VLAN of untagged and priority-tagged frames, 1..4094 */
	uint8_t default_priority; /* priority of untagged frames, 0..7 */
	bool pvid_tagged;         /* transmit frames of the PVID tagged */
	bool memory;              /* no interface: connected in memory, or not connected */
	bool nic_times;           /* use timestamps of the NIC if it has them */
	bool regenerates;         /* use regeneration; else priorities stay: 6.9.4 */
	uint8_t regeneration[DCB_PRIORITIES]; /* priority regeneration table */
	bool rx_pause;   /* obey PAUSE of 802.3 annex 31B while PFC is disabled */
	bool classified; /* use traffic_class; else one traffic class per priority */
	uint8_t traffic_class[DCB_PRIORITIES]; /* traffic class table: 8.6.6 */
	bool early;                            /* use congestion points of the 2007 proposal */
	/* Set by the provider: enum pfc_macsec of the port's keys; 0: it has none. */
	uint8_t macsec;
	struct cp_early_config cp_early; /* their parameters */
	struct rp_variant rp_variant;
	enum cn_profile profile;     /* initial values of the CP and RP objects */
	uint32_t flow_buffer_octets; /* limit of one flow queue; 0: STATION_FLOW_BUFFER */
	char aggregate[IF_NAMESIZE]; /* ports with the same name are links of one bridge port */
	/* Receive buffer of each priority with PFC. */
	uint32_t pfc_buffer_octets;   /* with headroom and reserve; 0: buffer_octets without them */
	uint32_t pfc_headroom_octets; /* for frames after XOFF; 0: calculated */
	uint32_t pfc_xon_octets;      /* XON threshold; 0: two frames below XOFF */
	char tap[IF_NAMESIZE]; /* TAP interface for the host of a station; "%d": first free */
	struct dcb_rate speed; /* of the link for bit times; 0: that of the interface */
	uint8_t policy;        /* enum provider_policy; 0: PROVIDER_ADOPT */
	bool take_over;        /* take DCBX over from the firmware of the interface */
};

/* Returns the maximum rate of a port: of dcbd.conf, else of its link; 0 if unknown. */
static inline struct dcb_rate port_rate(const struct port_settings *settings, struct dcb_rate speed)
{
	return dcb_rate_is_unlimited(settings->rate) ? speed : settings->rate;
}

/*
 * Returns the rate that the initial values of the port's CP and RP objects
 * follow; 0: they are the DEFVALs, as the profile says or as the rate is unknown.
 */
static inline struct dcb_rate port_profile_rate(const struct port_settings *settings,
						struct dcb_rate speed)
{
	return settings->profile == CN_PROFILE_SCALED ? port_rate(settings, speed)
						      : (struct dcb_rate){0};
}

/*
 * Returns the speed of a port's link for bit times: pause quanta (36.3.2, 802.3
 * 31B.2 and 31D.2) and headroom (36.8). Both ends of a link have it in common; a
 * transmission rate below it limits one end only. speed: of the interface. If
 * that is unknown, the transmission rate; if there is none, 10 Gb/s, the speed
 * for which the standard gives its values.
 */
static inline struct dcb_rate port_bit_rate(const struct port_settings *settings,
					    struct dcb_rate speed)
{
	const struct dcb_rate from[] = {settings->speed, speed, settings->rate};

	for (unsigned i = 0; i < sizeof(from) / sizeof(from[0]); i++)
		if (!dcb_rate_is_unlimited(from[i]))
			return from[i];
	return dcb_rate_from_mbps(10000);
}

/* What keeps an interface from being used while its link is up. Control thread. */
struct port_fault {
	char text[128];    /* empty: nothing */
	uint32_t failures; /* attempts to open the interface that failed */
};

/*
 * A port as the control thread sees it. The provider embeds it in its own
 * struct. slot is unique among the open ports of a system, 0..DCB_SLOTS-1,
 * constant while the port is open, and reused afterwards.
 */
#define DCB_SLOTS 8192
struct port {
	struct provider *provider;
	uint16_t slot;
	/* enum provider_cap: managed objects that can be set, that exist. */
	uint16_t sets;
	bool follows; /* also those that can be set are changed by others, and are adopt()ed then */
	uint32_t has;
	struct port_settings settings; /* in front of link: frames need its first members */
	struct link_info link;
};

/*
 * Returns the longest frame that an MTU permits, octets with two tags, as the headroom counts, and
 * without FCS; 0 if the MTU is unknown.
 */
static inline uint32_t port_mtu_octets(uint32_t mtu)
{
	return mtu ? mtu + 14 + 8 : 0;
}

#endif
