/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports of SONiC in the terms of managed objects: settings, statistics, unknown members. Pure. */
#ifndef DCB_SONIC_SONIC_SETTINGS_H
#define DCB_SONIC_SONIC_SETTINGS_H

#include "dataplane/config/provider.h"
#include "dataplane/sonic/sonic_rows.h"

/* Returns the capabilities that the values of a port give it. */
uint32_t sonic_caps(const struct sonic_port *port);

/* Sets in config the settings of a port, those that are known. Returns whether that changed it. */
bool sonic_adopt(const struct sonic_port *port, struct port_config *config);

/*
 * Returns what the interface is. mac: of the switch. Returns false if its name is longer than those
 * of the kernel, which managed objects have.
 */
bool sonic_link_of(const struct sonic_port *port, const uint8_t mac[DCB_MAC_OCTETS],
		   struct link_info *out);

/* Sets the members of *out that are values of the port: parts, PFC, ETS, headroom. */
void sonic_oper_of(const struct sonic_port *port, struct provider_oper *out);

/* Statistics of a priority; members that are not known are 0 and in sonic_unknown(). */
void sonic_pfc_stats(const struct sonic_port *port, unsigned priority, struct pfc_stats *out);
void sonic_buffer_stats(const struct sonic_port *port, unsigned priority, struct buffer_stats *out);
/* As provider_ops.unknown(). */
uint64_t sonic_unknown(const struct sonic_port *port, enum stats_of of, unsigned priority);

/* Does the watchdog of SONiC watch the priority? */
bool sonic_is_watched(const struct sonic_port *port, unsigned priority);
/* Returns its action as enum pfc_watchdog_action; PFC_WATCHDOG_NONE: it does not watch. */
uint8_t sonic_action(const struct sonic_port *port, unsigned priority);

/* Writes which counters SONiC does not read any more, or a malformed value; empty: neither. */
void sonic_complaint(const struct sonic_port *port, char *text, size_t size);

#endif
