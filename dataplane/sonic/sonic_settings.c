/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sonic/sonic_settings.h"

#include <stdio.h>
#include <string.h>

#include "dataplane/config/dcbx_config.h"
#include "dataplane/core/pfc_watchdog.h"

#define PFC_MEMBER(member)    STATS_MEMBER(pfc_stats, member)
#define BUFFER_MEMBER(member) STATS_MEMBER(buffer_stats, member)
#define STORM_MEMBER(member)  STATS_MEMBER(pfc_watchdog_stats, member)

/* Returns whether a priority knows one of these members. */
static bool knows(const struct sonic_port *port, uint32_t members)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if (port->priority[p].known & members)
			return true;
	return false;
}

uint32_t sonic_caps(const struct sonic_port *port)
{
	uint32_t has = PROVIDER_HARDWARE;

	if (port->known & SONIC_PFC_ENABLE)
		has |= PROVIDER_PFC | PROVIDER_HEADROOM;
	if (port->known & SONIC_ETS)
		has |= PROVIDER_ETS;
	if (port->known & SONIC_CABLE)
		has |= PROVIDER_CABLE_LENGTH;
	if (port->known & SONIC_PFCWD_ENABLE)
		has |= PROVIDER_WATCHDOG;
	if (knows(port, SONIC_RX_FRAMES | SONIC_TX_FRAMES))
		has |= PROVIDER_PFC_COUNT;
	if (knows(port, SONIC_RX_PAUSE | SONIC_RX_TRANSITIONS))
		has |= PROVIDER_PFC_PAUSE_TIME;
	if (knows(port, SONIC_PG_DROPS))
		has |= PROVIDER_PFC_DISCARD;
	if (knows(port, SONIC_PROFILE_XON | SONIC_PROFILE_STATIC | SONIC_PG_SHARED_PEAK))
		has |= PROVIDER_PFC_BUFFER;
	if (knows(port, SONIC_PG_XOFF_PEAK))
		has |= PROVIDER_HEADROOM_PEAK;
	return has;
}

bool sonic_link_of(const struct sonic_port *port, const uint8_t mac[DCB_MAC_OCTETS],
		   struct link_info *out)
{
	if (strlen(port->name) >= sizeof(out->name))
		return false;
	*out = (struct link_info){
	    .ifindex = port->ifindex,
	    .driver = "SONiC",
	    .up = port->admin_up && port->oper_up,
	    .mtu = port->mtu,
	    .speed = {(uint64_t)port->speed_mbps * 1000000},
	};
	memcpy(out->name, port->name, strlen(port->name));
	snprintf(out->alias, sizeof(out->alias), "%s", port->alias);
	memcpy(out->mac, mac, sizeof(out->mac));
	return true;
}

/* --- settings ------------------------------------------------------------------------------ */

static void adopt_ets(const struct sonic_port *port, struct dcbx_config *dcbx)
{
	if (port->known & SONIC_ETS && dcbx_ets_is_supported(&port->ets))
		dcbx->ets = port->ets;
	memcpy(dcbx->reco.priority_tc, dcbx->ets.priority_tc, sizeof(dcbx->ets.priority_tc));
}

/* DCBX_APPS_MAX is the number of DSCPs. */
static void adopt_apps(const struct sonic_port *port, struct dcbx_config *dcbx)
{
	dcbx->n_apps = 0;
	memset(dcbx->apps, 0, sizeof(dcbx->apps));
	for (unsigned dscp = 0; dscp < SONIC_DSCPS; dscp++)
		if (port->dscp_priority[dscp] != SONIC_NO_PRIORITY)
			(void)dcbx_config_put_app(dcbx, &(struct app_priority){
							    .selector = APP_DSCP,
							    .priority = port->dscp_priority[dscp],
							    .protocol = (uint16_t)dscp,
							});
}

bool sonic_is_watched(const struct sonic_port *port, unsigned priority)
{
	return port->known & SONIC_WD_DETECTION && port->pfcwd_enable >> priority & 1;
}

uint8_t sonic_action(const struct sonic_port *port, unsigned priority)
{
	if (!sonic_is_watched(port, priority))
		return PFC_WATCHDOG_NONE;
	switch (port->wd_action) {
	case SONIC_WD_FORWARD:
		return PFC_WATCHDOG_FORWARD;
	case SONIC_WD_ALERT:
		return PFC_WATCHDOG_ALERT;
	default: /* of SONiC, too */
		return PFC_WATCHDOG_DROP;
	}
}

/* SONiC's watchdog knows neither a duty cycle nor a hold-down. */
static void adopt_watchdog(const struct sonic_port *port, struct pfc_watchdog_config *to)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		to[p].action = sonic_action(port, p);
		to[p].duty_percent = 0;
		to[p].hold_down_ms = 0;
		if (port->known & SONIC_WD_DETECTION)
			to[p].detection_ms = port->wd_detection_ms;
		if (port->known & SONIC_WD_RESTORATION)
			to[p].restoration_ms = port->wd_restoration_ms;
	}
}

bool sonic_adopt(const struct sonic_port *port, struct port_config *config)
{
	const struct dcbx_config dcbx = config->dcbx;
	const struct pfc_config pfc = config->pfc;
	struct pfc_watchdog_config watchdog[DCB_PRIORITIES];
	uint32_t cable_m = config->pfc_headroom.cable_m;

	memcpy(watchdog, config->pfc_watchdog, sizeof(watchdog));
	if (port->known & SONIC_PFC_ENABLE)
		config->pfc.enable = port->pfc_enable;
	if (port->known & SONIC_CABLE)
		config->pfc_headroom.cable_m = port->cable_m;
	adopt_ets(port, &config->dcbx);
	adopt_apps(port, &config->dcbx);
	adopt_watchdog(port, config->pfc_watchdog);
	return config->pfc.enable != pfc.enable || config->pfc_headroom.cable_m != cable_m ||
	       memcmp(&config->dcbx, &dcbx, sizeof(dcbx)) != 0 ||
	       memcmp(config->pfc_watchdog, watchdog, sizeof(watchdog)) != 0;
}

/* --- values in force ----------------------------------------------------------------------- */

/* A priority with PFC whose frames go to a lossy buffer has no room after XOFF. */
static void set_headroom(const struct sonic_port *port, struct provider_oper *out)
{
	uint64_t least = UINT32_MAX;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		const struct sonic_priority *of = &port->priority[p];
		uint64_t octets = of->lossless ? of->xoff : 0;
		bool known =
		    of->known & SONIC_LOSSLESS && (!of->lossless || of->known & SONIC_PROFILE_XOFF);

		if (!(port->pfc_enable >> p & 1) || !known)
			continue;
		out->has_headroom = true;
		least = octets < least ? octets : least;
	}
	out->headroom_octets = out->has_headroom ? (uint32_t)least : 0;
}

void sonic_oper_of(const struct sonic_port *port, struct provider_oper *out)
{
	bool pfc = port->known & SONIC_PFC_ENABLE, ets = port->known & SONIC_ETS;

	out->has = (uint8_t)(pfc << PROVIDER_PART_PFC | ets << PROVIDER_PART_ETS |
			     (port->dscp_map[0] != '\0') << PROVIDER_PART_APPS |
			     ((port->known & SONIC_CABLE) != 0) << PROVIDER_PART_DELAY);
	out->pfc_enable = port->pfc_enable;
	out->ets_tables = port->ets;
	out->ets = memchr(port->ets.tsa, TSA_ETS, sizeof(port->ets.tsa));
	set_headroom(port, out);
}

/* --- statistics ---------------------------------------------------------------------------- */

void sonic_pfc_stats(const struct sonic_port *port, unsigned priority, struct pfc_stats *out)
{
	const struct sonic_priority *of = &port->priority[priority];

	*out = (struct pfc_stats){
	    .pfc_requests = of->tx_frames,
	    .pfc_indications = of->rx_frames,
	    .pfc_transitions = of->rx_transitions,
	    .pfc_paused_ns = of->rx_pause_us * DCB_NS_PER_US,
	    .pfc_discards = of->pg_drops,
	};
}

void sonic_buffer_stats(const struct sonic_port *port, unsigned priority, struct buffer_stats *out)
{
	const struct sonic_priority *of = &port->priority[priority];

	*out = (struct buffer_stats){
	    .lossless = {.peak_octets = of->pg_shared_peak + of->pg_xoff_peak,
			 .threshold_octets = of->static_th},
	    .xon_octets = of->xon,
	    .headroom_size = of->xoff,
	    .headroom_peak = of->pg_xoff_peak,
	};
}

/* The members that a priority knows, by those of struct sonic_priority. */
struct known_by {
	uint32_t sonic;
	uint64_t member;
};

static uint64_t unknown(uint32_t known, const struct known_by *of, unsigned n)
{
	uint64_t members = UINT64_MAX;

	for (unsigned i = 0; i < n; i++)
		if ((known & of[i].sonic) == of[i].sonic)
			members &= ~of[i].member;
	return members;
}

static const struct known_by pfc_known[] = {
    {SONIC_TX_FRAMES, PFC_MEMBER(pfc_requests)},
    {SONIC_RX_FRAMES, PFC_MEMBER(pfc_indications)},
    {SONIC_RX_TRANSITIONS, PFC_MEMBER(pfc_transitions)},
    {SONIC_RX_PAUSE, PFC_MEMBER(pfc_paused_ns)},
    {SONIC_PG_DROPS, PFC_MEMBER(pfc_discards)},
};

static const struct known_by buffer_known[] = {
    {SONIC_PG_SHARED_PEAK, BUFFER_MEMBER(lossless.peak_octets)},
    {SONIC_PROFILE_STATIC, BUFFER_MEMBER(lossless.threshold_octets)},
    {SONIC_PROFILE_XON, BUFFER_MEMBER(xon_octets)},
    {SONIC_PROFILE_XOFF, BUFFER_MEMBER(headroom_size)},
    {SONIC_PG_XOFF_PEAK, BUFFER_MEMBER(headroom_peak)},
};

/* Data of a storm that provider_sonic.c keeps itself need a watchdog only. */
static const struct known_by storm_known[] = {
    {0, STORM_MEMBER(state) | STORM_MEMBER(action) | STORM_MEMBER(cause) | STORM_MEMBER(end) |
	    STORM_MEMBER(restoration_ns) | STORM_MEMBER(detected_ns) | STORM_MEMBER(ended_ns) |
	    STORM_MEMBER(blocked_ns)},
    {SONIC_WD_COUNTS, STORM_MEMBER(storms) | STORM_MEMBER(ended)},
    {SONIC_WD_TX_DROPS, STORM_MEMBER(dropped_total) | STORM_MEMBER(dropped_storm)},
    {SONIC_RX_FRAMES, STORM_MEMBER(indications)},
    {SONIC_RX_PAUSE, STORM_MEMBER(paused_ns)},
};

#define UNKNOWN(known, of) unknown(known, of, sizeof(of) / sizeof((of)[0]))

uint64_t sonic_unknown(const struct sonic_port *port, enum stats_of of, unsigned priority)
{
	uint32_t known = port->priority[priority].known;

	switch (of) {
	case STATS_PFC:
		return UNKNOWN(known, pfc_known);
	case STATS_BUFFER:
		return UNKNOWN(known, buffer_known);
	case STATS_WATCHDOG:
		return UNKNOWN(known, storm_known);
	case STATS_PORT:
		return ~STATS_MEMBER(port_stats, up);
	case STATS_HARDWARE:
	case STATS_HARDWARE_PRI:
		return UINT64_MAX;
	default:
		return 0;
	}
}

void sonic_complaint(const struct sonic_port *port, char *text, size_t size)
{
	static const char *const names[SONIC_GROUPS] = {
	    [SONIC_GROUP_PORT] = "PORT",
	    [SONIC_GROUP_WATCHDOG] = "PFCWD",
	    [SONIC_GROUP_PG_DROPS] = "PG_DROP",
	    [SONIC_GROUP_PG_WATERMARKS] = "PG_WATERMARK",
	};
	int n = 0;

	text[0] = '\0';
	if (port->error[0]) {
		snprintf(text, size, "%s", port->error);
		return;
	}
	for (unsigned i = 0; i < SONIC_GROUPS && n >= 0 && (size_t)n < size; i++)
		if (names[i] && port->stale >> i & 1)
			n += snprintf(
			    text + n, size - (size_t)n, "%s %s",
			    n ? "" : "SONiC does not read these counters any more:", names[i]);
}
