/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts about drivers, and counters of PFC per priority by the names that they give them: the rows
 * of kernel_counters.def. Pure.
 */
#ifndef DCB_KERNEL_KERNEL_COUNTERS_H
#define DCB_KERNEL_KERNEL_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/config/provider.h"
#include "dataplane/kernel/kernel_io.h"

/*
 * What a counter means. Drivers that count frames with pause time 0 apart (ice, i40e, ixgbe) have
 * those with another time in ..._FRAMES: all frames are then the sum of ..._FRAMES and ..._XON.
 */
enum kernel_meaning {
	KERNEL_TX_FRAMES, /* PFC frames sent with this priority: pfc_requests */
	KERNEL_RX_FRAMES, /* received: pfc_indications */
	KERNEL_TX_XON,    /* sent with pause time 0 for this priority, where counted apart */
	KERNEL_RX_XON,
	KERNEL_RX_PAUSE_US,    /* time for which received frames paused the priority */
	KERNEL_TX_PAUSE_US,    /* time for which the neighbor was paused */
	KERNEL_RX_TRANSITIONS, /* from not paused to paused */
	KERNEL_DISCARDS,       /* received frames discarded for want of a buffer */
	/* Of the port: the neighbor was paused for long; for the prevention time. */
	KERNEL_STORM_WARNINGS,
	KERNEL_STORM_ERRORS,
	KERNEL_MEANINGS
};
#define KERNEL_PRIORITIES 8

/* Where the values of an interface are: positions in its string set, of each meaning and priority.
 */
struct kernel_map {
	uint32_t has[KERNEL_PRIORITIES]; /* enum kernel_meaning, a bit each */
	uint16_t at[KERNEL_PRIORITIES][KERNEL_MEANINGS];
	/* Totals of the port; the same meanings. */
	uint32_t port_has;
	uint16_t port_at[KERNEL_MEANINGS];
	bool is_named;      /* the driver has counters of priorities by names, if only with PFC */
	uint8_t pfc_enable; /* of the interface when the names were read: set by the caller */
	unsigned n;         /* names that the map was made of */
};

/* What the delay of struct ieee_pfc means to a driver. */
enum kernel_delay {
	KERNEL_DELAY_NONE,   /* it cannot be set, has no effect, or the driver is not known */
	KERNEL_DELAY_BITS,   /* bit times, as the standard has it */
	KERNEL_DELAY_METRES, /* length of the cable, 1..999 */
};

/* A set of enum provider_part, a bit each. */
#define KERNEL_PFC   (1u << PROVIDER_PART_PFC)
#define KERNEL_ETS   (1u << PROVIDER_PART_ETS)
#define KERNEL_APPS  (1u << PROVIDER_PART_APPS)
#define KERNEL_DELAY (1u << PROVIDER_PART_DELAY)
#define KERNEL_RP    (1u << PROVIDER_PART_RP)

/* Facts about a driver. */
struct kernel_driver {
	const char *name;
	enum kernel_delay delay;
	/*
	 * Changes for which it resets the link, or stops all traffic for a time: enum dcbnl_has. 0:
	 * not known to do so.
	 */
	uint32_t resets_link;
	/* A change of the DCBX mode writes default settings. */
	bool dcbx_resets;
	/* Private flag of ethtool that gives DCBX to the host, and its value; NULL: none. */
	const char *host_flag;
	bool host_flag_value;
	/* ETHTOOL_PFC_PREVENTION_TOUT exists. */
	bool prevents_storms;
	/* Requests and indications of IEEE_GET are each other's. */
	bool swapped;
};

/* Returns the facts about a driver; never NULL: an unknown one has an empty name and no other. */
const struct kernel_driver *kernel_driver(const char *name);
/* Returns the parts of which a change resets the link of such a device, as far as it is known. */
unsigned kernel_resets(const struct kernel_driver *driver);
/* Who decides, by the DCBX modes of the driver: hardware whose driver has none has no firmware
 * that speaks DCBX (choice). */
enum provider_owner kernel_owner(const struct dcbnl_port *now);

/*
 * Returns the name of the counter number i of those that the driver has rows for, with %u in the
 * place of the priority and its meaning in *meaning; NULL: there are no more.
 */
const char *kernel_counter_name(const struct kernel_driver *driver, unsigned i,
				enum kernel_meaning *meaning);
/*
 * Finds the counters of a driver among these names, without the blanks at their ends. A driver
 * without rows has none. Of several counters with one name the first one counts.
 */
void kernel_map_make(const char *driver, const struct kernel_names *names, struct kernel_map *out);

#endif
