/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_read.h"

#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "dataplane/core/cnd.h"
#include "dataplane/core/tclass.h"
#include "control/managed/memory.h"
#include "control/managed/pause_history.h"
#include "control/objects/mo_read_lldp.h"
#include "control/objects/mo_read_trill.h"
#include "control/objects/mo_lldp.h"
#include "control/objects/mo_rows.h"
#include "control/objects/mo_secy.h"
#include "control/objects/mo_settings.h"
#include "dataplane/config/port_headroom.h"

/* --- rows of CN, PFC and the agent --------------------------------------------------------- */

static const struct port *port_at(const struct dcb_config *c, const struct mo_row_at *at)
{
	return c->ports[at->pos].port;
}

static void load_cn_global(const struct managed *m, const struct dcb_config *c,
			   const struct mo_row_at *at, struct cn_global_row *row)
{
	(void)c;
	(void)at;
	row->cng_discarded_frames = managed_discarded_frames(m);
}

static void load_cn_errored_port(const struct managed *m, const struct dcb_config *c,
				 const struct mo_row_at *at, struct cn_errored_port_row *row)
{
	(void)m;
	row->ifindex = port_at(c, at)->link.ifindex;
}

static void load_cn_com_pri(const struct managed *m, const struct dcb_config *c,
			    const struct mo_row_at *at, struct cn_com_pri_row *row)
{
	(void)m;
	row->config.row_status = (uint8_t)dcb_config_row_status(c, at->priority);
	row->cncp_auto_alt_pri =
	    (uint8_t)cnd_auto_alt_pri(dcb_config_cnpvs_for_alternate(c), at->priority);
}

static void load_cn_port_pri(const struct managed *m, const struct dcb_config *c,
			     const struct mo_row_at *at, struct cn_port_pri_row *row)
{
	(void)m;
	row->cnpd_auto_defense_mode = c->ports[at->pos].oper.cnpd_auto_defense_mode[at->priority];
}

static void load_cn_cp(const struct managed *m, const struct dcb_config *c,
		       const struct mo_row_at *at, struct cn_cp_row *row)
{
	const struct port *port = port_at(c, at);

	row->cp_priority = (uint8_t)at->priority;
	memcpy(row->cp_mac_address, port->link.mac, sizeof(row->cp_mac_address));
	managed_cpid(m, port, at->priority, row->cp_id);
	port->provider->ops->read_cp(port, at->priority, &row->stats);
}

static void load_cn_cpid(const struct managed *m, const struct dcb_config *c,
			 const struct mo_row_at *at, struct cn_cpid_row *row)
{
	row->component_id = m->component_id;
	row->ifindex = port_at(c, at)->link.ifindex;
	row->cp_index = mo_cp_index(at->priority);
}

static void load_cn_rp_port_pri(const struct managed *m, const struct dcb_config *c,
				const struct mo_row_at *at, struct cn_rp_port_pri_row *row)
{
	(void)m;
	port_at(c, at)->provider->ops->read_rp_port_pri(port_at(c, at), at->priority, &row->stats);
}

static struct dcb_rate speed_of(const struct port *port)
{
	return port_rate(&port->settings, port->link.speed);
}

/* Returns rpgMaxRate that the reaction points use if it is not set, at least 1 Mb/s. */
static uint32_t max_rate_mbps(const struct rpg_config *rpg, const struct port *port)
{
	struct rp_params params;
	uint32_t mbps;

	rp_params_init(&params, rpg, &port->settings.rp_variant, speed_of(port));
	mbps = dcb_rate_to_mbps(params.rpg_max_rate);
	return mbps ? mbps : 1;
}

static void load_cn_rpg(const struct managed *m, const struct dcb_config *c,
			const struct mo_row_at *at, struct cn_rpg_row *row)
{
	(void)m;
	if (!row->config.rpg_max_rate_is_set)
		row->config.rpg_max_rate = max_rate_mbps(&row->config, port_at(c, at));
}

uint64_t mo_read_pfc_sum(const struct port *port, struct pfc_stats *sum)
{
	uint64_t unknown = UINT64_MAX;

	*sum = (struct pfc_stats){0};
	for (unsigned n = 0; n < DCB_PRIORITIES; n++) {
		struct pfc_stats stats;

		unknown &= provider_unknown(port, STATS_PFC, n);
		port->provider->ops->read_pfc(port, n, &stats); /* an unknown member is 0 */
		sum->pfc_requests += stats.pfc_requests;
		sum->pfc_indications += stats.pfc_indications;
	}
	return unknown;
}

/* The totals of the port, else the sums of its priorities. */
static void load_pfc_if(const struct managed *m, const struct dcb_config *c,
			const struct mo_row_at *at, struct pfc_if_row *row)
{
	const struct port *port = port_at(c, at);
	uint64_t unknown = provider_unknown(port, STATS_PORT, 0);
	struct pfc_stats sum = {.pfc_requests = 0};
	struct port_stats stats;

	(void)m;
	port->provider->ops->read_port(port, &stats);
	if (unknown && port->has & PROVIDER_PFC_COUNT)
		(void)mo_read_pfc_sum(port, &sum);
	if (unknown & STATS_MEMBER(port_stats, pfc_frames_sent))
		stats.pfc_frames_sent = sum.pfc_requests;
	if (unknown & STATS_MEMBER(port_stats, pfc_frames_received))
		stats.pfc_frames_received = sum.pfc_indications;
	row->pfc_requests = (uint32_t)stats.pfc_frames_sent;
	row->pfc_indications = (uint32_t)stats.pfc_frames_received;
}

/* Writes the names of the providers: "soft", or "soft, observe". */
static void name_providers(const struct managed *m, char *text, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; i < m->n_providers && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, "%s%s", i ? ", " : "",
				      m->providers[i]->ops->name);
}

static void load_agent_id(const struct managed *m, const struct dcb_config *c,
			  const struct mo_row_at *at, struct agent_id_row *row)
{
	(void)at;
	snprintf(row->version, sizeof(row->version), "%s", PACKAGE_VERSION);
	name_providers(m, row->provider, sizeof(row->provider));
	row->role = (uint8_t)m->role;
	row->uptime = (uint32_t)(dcb_time_diff_ns(clock_now(), m->started) / (10 * DCB_NS_PER_MS));
	row->ports = (uint32_t)c->n_ports;
	row->component_id = m->component_id;
	row->state_status = m->state_status;
	row->state_saves = m->state_saves;
	row->state_failures = m->state_failures;
}

static void load_engine(const struct managed *m, const struct dcb_config *c,
			const struct mo_row_at *at, struct engine_row *row)
{
	(void)at;
	row->published = c->generation;
	m->engine->ops->read_provider(m->engine, &row->stats);
}

/* The variant of 2007 is defined by its pseudo-code only. */
static bool reads_as_pseudo(const struct rp_variant *variant)
{
	return variant->early || variant->reading == RP_READING_PSEUDO;
}

static void load_port(const struct managed *m, const struct dcb_config *c,
		      const struct mo_row_at *at, struct port_row *row)
{
	const struct port *port = port_at(c, at);
	const struct port_fault *fault = provider_fault(port);

	row->rate = speed_of(port).bps;
	row->buffer_octets = port->settings.buffer_octets;
	row->cp_variant = port->settings.early ? 2 : 1;
	memcpy(row->aggregate, port->settings.aggregate, sizeof(row->aggregate));
	row->cn_profile = port->settings.profile == CN_PROFILE_SCALED ? 2 : 1;
	row->cn_profile_rate = c->ports[at->pos].config->profile_rate.bps;
	row->rp_threshold = reads_as_pseudo(&port->settings.rp_variant) ? 2 : 1;
	row->counters_since_ms = m->records[port->slot].counters_since_ms;
	row->link_changes = managed_link_changes(m, port);
	row->takes_mtu = port_takes_mtu(port);
	row->device_pfc = m->records[port->slot].device_pfc;
	snprintf(row->name, sizeof(row->name), "%s", port->link.name);
	port->provider->ops->read_port(port, &row->stats);
	row->operational = row->stats.up;
	row->fault = fault ? *fault : (struct port_fault){.failures = 0};
}

static void load_ecn(const struct managed *m, const struct dcb_config *c,
		     const struct mo_row_at *at, struct ecn_row *row)
{
	const struct port *port = port_at(c, at);

	(void)m;
	row->in_force = ecn_curve(&row->config, speed_of(port));
	port->provider->ops->read_ecn(port, at->priority, &row->stats);
}

_Static_assert((int)MO_hardware_part_pfc == (int)PROVIDER_PART_PFC &&
		   (int)MO_hardware_part_rp == (int)PROVIDER_PART_RP &&
		   (int)MO_hardware_policy_watch == (int)PROVIDER_WATCH &&
		   (int)MO_hardware_owner_unknown == (int)PROVIDER_OWNER_UNKNOWN &&
		   (int)MO_hardware_state_refused == (int)PROVIDER_REFUSED + 1,
	       "the names of agent.def are those of provider.h");

static void load_hardware(const struct managed *m, const struct dcb_config *c,
			  const struct mo_row_at *at, struct hardware_row *row)
{
	const struct port *port = port_at(c, at);

	(void)m;
	port->provider->ops->read_oper(port, &row->oper);
	row->state = (uint8_t)(row->oper.outcome + 1);
	row->prevention_ms = (uint32_t)row->oper.stats.prevention_ms;
}

/* A Gauge32 does not exceed its maximum (RFC 2578). */
static uint32_t gauge32(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void load_hardware_pri(const struct managed *m, const struct dcb_config *c,
			      const struct mo_row_at *at, struct hardware_pri_row *row)
{
	const struct port *port = port_at(c, at);
	struct provider_oper oper;

	(void)m;
	port->provider->ops->read_oper(port, &oper);
	row->max_rate_kbps = gauge32(oper.pri[at->priority].max_rate_kbps);
	row->buffer = (uint8_t)oper.pri[at->priority].buffer;
	row->buffer_octets = gauge32(oper.pri[at->priority].buffer_octets);
}

static void load_pfc_pri(const struct managed *m, const struct dcb_config *c,
			 const struct mo_row_at *at, struct pfc_pri_row *row)
{
	const struct port *port = port_at(c, at);
	const struct pause_interval *pause;
	struct buffer_stats buffer;
	struct provider_oper oper;

	row->traffic_class = port_classes(&port->settings, &c->ports[at->pos].oper)[at->priority];
	if (port->has & PROVIDER_HARDWARE) {
		port->provider->ops->read_oper(port, &oper);
		if (oper.has >> PROVIDER_PART_ETS & 1)
			row->traffic_class = oper.ets_tables.priority_tc[at->priority];
	}
	if (port->has & PROVIDER_PFC_BUFFER) {
		port->provider->ops->read_buffer(port, at->priority, &buffer);
		row->held = gauge32(buffer.lossless.octets);
		row->held_peak = gauge32(buffer.lossless.peak_octets);
		row->xoff = gauge32(buffer.lossless.threshold_octets);
		row->xon = gauge32(buffer.xon_octets);
	}
	if (!(port->has & PROVIDER_PFC_STATS))
		return;
	pause = pause_history_last(m->pauses, port, at->priority);
	row->longest_us = pause ? pause->longest_us : 0;
	row->queue_peak = pause ? pause->queue_octets : 0;
	port->provider->ops->read_pfc(port, at->priority, &row->stats);
	row->paused = row->stats.pfc_paused;
	row->pause_us = row->stats.pfc_paused_ns / DCB_NS_PER_US;
	row->pause_sent_us = row->stats.pfc_pause_sent_us;
	row->discards = row->stats.pfc_discards;
}

static void load_pfc_port(const struct managed *m, const struct dcb_config *c,
			  const struct mo_row_at *at, struct pfc_port_row *row)
{
	struct port_stats stats;

	(void)m;
	row->control_functions = 3;
	port_at(c, at)->provider->ops->read_port(port_at(c, at), &stats);
	row->discard_transit = stats.discard_transit;
	port_at(c, at)->provider->ops->read_pfc_port(port_at(c, at), &row->stats);
	row->paused = row->stats.pause_now;
	row->pause_us = row->stats.pause_ns / DCB_NS_PER_US;
}

static void load_pfc_headroom(const struct managed *m, const struct dcb_config *c,
			      const struct mo_row_at *at, struct pfc_headroom_row *row)
{
	struct buffer_memory_stats memory;

	row->way = c->ports[at->pos].oper.pfc_way;
	port_headroom_of(&c->ports[at->pos], &row->state);
	row->missing = port_headroom_missing(&row->state);
	memory_read(m->engine, &memory);
	if (memory_holds(m->role, m->engine, &c->ports[at->pos], &memory) != MEMORY_HOLDS)
		row->state.status = MO_headroom_status_insufficient;
	row->config.macsec =
	    port_headroom_config(&c->ports[at->pos].port->settings, c->ports[at->pos].config)
		.macsec;
	/* 12.23: a SET gives the initial value, a GET returns the current one. */
	row->config.initial_allowance = row->state.allowance;
}

_Static_assert((int)MO_headroom_term_roundTrip == (int)PFC_TERM_ROUND_TRIP + 1 &&
		   (int)MO_headroom_term_response == (int)PFC_TERM_RESPONSE + 1,
	       "the rows of agent.def and enum pfc_term have the same order");

static void load_pfc_headroom_term(const struct managed *m, const struct dcb_config *c,
				   const struct mo_row_at *at, struct pfc_headroom_term_row *row)
{
	struct pfc_headroom_state state;

	(void)m;
	port_headroom_of(&c->ports[at->pos], &state);
	row->bits = state.term[at->term];
	row->source = state.source[at->term];
}

/* A port that has not been configured has no states yet. */
static uint8_t state_of(uint64_t state)
{
	return state ? (uint8_t)state : HM_STATE_INIT;
}

/* Milliseconds since a monotonic time in ns; 0: there was none. */
static uint32_t age_ms(uint64_t ns)
{
	int64_t since = ns ? dcb_time_diff_ns(clock_now(), (struct dcb_time){(int64_t)ns}) : 0;

	return since < 0 ? 0 : gauge32((uint64_t)(since / DCB_NS_PER_MS));
}

static void load_pfc_measure(const struct managed *m, const struct dcb_config *c,
			     const struct mo_row_at *at, struct pfc_measure_row *row)
{
	const struct port *port = port_at(c, at);
	struct pfc_measure_stats *s = &row->stats;

	(void)m;
	if (port->provider->ops->read_measure)
		port->provider->ops->read_measure(port, s);
	row->in_force = c->ports[at->pos].oper.pfc_measured_quanta;
	row->average = (uint32_t)s->average;
	row->count = (uint32_t)s->count;
	row->minimum = (uint32_t)s->minimum;
	row->median = (uint32_t)s->median;
	row->maximum = (uint32_t)s->maximum;
	row->last = (uint32_t)s->last;
	row->age_ms = age_ms(s->since_ns);
	row->clock = s->clock ? (uint8_t)s->clock : MO_measure_timestamps_none;
	row->nic_ns = (uint32_t)s->nic_ns;
	row->oper_up = s->oper_up;
	row->measure = s->measure;
	row->path = (uint8_t)(s->path + 1);
	row->hr = state_of(s->hr);
	row->qp = state_of(s->qp);
	row->rp = state_of(s->rp);
	row->ct = state_of(s->ct);
	row->qt = state_of(s->qt);
	row->rt = state_of(s->rt);
	row->busy = s->hm.verdict[HM_BUSY] + s->excess;
}

static void load_cpfc_pri(const struct managed *m, const struct dcb_config *c,
			  const struct mo_row_at *at, struct cpfc_pri_row *row)
{
	(void)m;
	port_at(c, at)->provider->ops->read_pfc(port_at(c, at), at->priority, &row->stats);
}

static void load_cpfc_if(const struct managed *m, const struct dcb_config *c,
			 const struct mo_row_at *at, struct cpfc_if_row *row)
{
	(void)m;
	(void)mo_read_pfc_sum(port_at(c, at), &row->sum);
}

static void load_cp(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		    struct cp_row *row)
{
	(void)m;
	port_at(c, at)->provider->ops->read_cp(port_at(c, at), at->priority, &row->stats);
}

static void load_rp(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		    struct rp_row *row)
{
	(void)m;
	port_at(c, at)->provider->ops->read_rp(port_at(c, at), at->priority, at->rp, &row->stats);
}

static void load_cnm(const struct managed *m, const struct dcb_config *c,
		     const struct mo_row_at *at, struct cnm_row *row)
{
	(void)m;
	port_at(c, at)->provider->ops->read_cnm(port_at(c, at), &row->stats);
}

static void load_pfc_watchdog(const struct managed *m, const struct dcb_config *c,
			      const struct mo_row_at *at, struct pfc_watchdog_row *row)
{
	struct pfc_watchdog_stats stats;

	(void)m;
	port_at(c, at)->provider->ops->read_pfc_watchdog(port_at(c, at), at->priority, &stats);
	row->state = stats.state ? (uint8_t)stats.state : PFC_WATCHDOG_OFF;
	row->storms = (uint32_t)stats.storms;
	row->restores = (uint32_t)stats.ended;
	row->dropped_total = stats.dropped_total;
	row->dropped_storm = gauge32(stats.dropped_storm);
	row->restoration_ms = gauge32(stats.restoration_ns / DCB_NS_PER_MS);
}

/*
 * shutdown(2) while a storm lasts, with any watchdog action, because managers of this MIB
 * module wait for it. notApplicable(3) if the watchdog is off.
 */
static uint8_t queue_state(const struct pfc_watchdog_stats *stats)
{
	switch (stats->state) {
	case PFC_WATCHDOG_STORM:
		return 2;
	case PFC_WATCHDOG_WATCHING:
		return 1;
	default:
		return 3;
	}
}

static void load_cpfc_queue(const struct managed *m, const struct dcb_config *c,
			    const struct mo_row_at *at, struct cpfc_queue_row *row)
{
	(void)m;
	port_at(c, at)->provider->ops->read_pfc_watchdog(port_at(c, at), at->priority, &row->stats);
	row->state = queue_state(&row->stats);
}

/* Converts a monotonic time in ns to dcbAgentUpTime, in centiseconds. */
static uint32_t uptime_at(const struct managed *m, uint64_t ns)
{
	return (uint32_t)(dcb_time_diff_ns((struct dcb_time){(int64_t)ns}, m->started) /
			  (10 * DCB_NS_PER_MS));
}

static void load_pfc_pause(const struct managed *m, const struct dcb_config *c,
			   const struct mo_row_at *at, struct pfc_pause_row *row)
{
	(void)m, (void)c;
	*row = (struct pfc_pause_row){.interval = *at->interval};
}

static void load_pfc_storm(const struct managed *m, const struct dcb_config *c,
			   const struct mo_row_at *at, struct pfc_storm_row *row)
{
	struct pfc_watchdog_stats s;
	uint64_t until;

	port_at(c, at)->provider->ops->read_pfc_watchdog(port_at(c, at), at->priority, &s);
	*row = (struct pfc_storm_row){
	    .end = PFC_STORM_NONE, .action = PFC_WATCHDOG_NONE, .cause = PFC_STORM_NO_CAUSE};
	if (s.end <= PFC_STORM_NONE || s.storms == 0)
		return;
	until = s.end == PFC_STORM_LASTS ? (uint64_t)clock_now().ns : s.ended_ns;
	*row = (struct pfc_storm_row){
	    .detected = uptime_at(m, s.detected_ns),
	    .ended = s.end == PFC_STORM_LASTS ? 0 : uptime_at(m, s.ended_ns),
	    .end = (uint8_t)s.end,
	    .action = (uint8_t)s.action,
	    .cause = (uint8_t)s.cause,
	    .blocked_ms = gauge32(s.blocked_ns / DCB_NS_PER_MS),
	    .queue_octets = gauge32(s.queue_octets),
	    .queue_frames = gauge32(s.queue_frames),
	    .indications_before = gauge32(s.indications_before),
	    .indications = gauge32(s.indications),
	    .paused_ms = gauge32(s.paused_ns / DCB_NS_PER_MS),
	    .lasted_ms =
		until > s.detected_ns ? gauge32((until - s.detected_ns) / DCB_NS_PER_MS) : 0,
	};
}

/* --- VLANs ----------------------------------------------------------------------------------- */

/* Returns 0 if no port has the slot. */
static uint32_t ifindex_of_slot(const struct managed *m, const struct dcb_config *c, uint16_t slot)
{
	unsigned entry = m->by_slot[slot];

	return entry == 0 || entry > c->n_ports ? 0 : c->ports[entry - 1].port->link.ifindex;
}

static void load_vlan_port(const struct managed *m, const struct dcb_config *c,
			   const struct mo_row_at *at, struct vlan_port_row *row)
{
	const struct port *port = port_at(c, at);
	const struct provider_ops *ops = port->provider->ops;
	struct learning_stats stats;
	struct provider_stats whole;

	row->pvid = port->settings.pvid;
	row->pvid_untagged = !port->settings.pvid_tagged;
	ops->read_learning(port, &stats);
	row->learned = stats.learned;
	row->learn_refused = stats.refused;
	row->moves = stats.moves;
	row->flaps = stats.flaps;
	row->flap_vlan = static_unicast_vid(stats.flap_key);
	static_unicast_mac(stats.flap_key, row->flap_address);
	row->flap_ifindex = stats.flap_key ? ifindex_of_slot(m, c, stats.flap_slot) : 0;
	if (row->learn_limit_is_set)
		return;
	ops->read_provider(port->provider, &whole);
	row->learn_limit = whole.fdb_learn_limit;
}

static void load_fdb(const struct managed *m, const struct dcb_config *c,
		     const struct mo_row_at *at, struct fdb_row *row)
{
	row->ifindex = ifindex_of_slot(m, c, at->address.slot);
	row->origin = at->address.fixed ? MO_fdb_origin_static : MO_fdb_origin_learned;
	row->age_s = at->address.age_s;
	row->moves = at->address.moves;
}

static void load_tp_fdb(const struct managed *m, const struct dcb_config *c,
			const struct mo_row_at *at, struct tp_fdb_row *row)
{
	row->port = ifindex_of_slot(m, c, at->address.slot) ? at->address.slot + 1u : 0;
	row->status = at->address.fixed ? MO_tp_fdb_status_mgmt : MO_tp_fdb_status_learned;
}

static void load_base_port(const struct managed *m, const struct dcb_config *c,
			   const struct mo_row_at *at, struct base_port_row *row)
{
	(void)m;
	row->port = port_at(c, at)->slot + 1u;
	row->ifindex = port_at(c, at)->link.ifindex;
}

static void load_static_unicast(const struct managed *m, const struct dcb_config *c,
				const struct mo_row_at *at, struct static_unicast_row *row)
{
	(void)m;
	row->ifindex = port_at(c, at)->link.ifindex;
	row->row_status = ROW_ACTIVE;
}

/* --- frame memory ---------------------------------------------------------------------------- */

static struct buffer_use use_of(uint64_t octets, uint64_t frames)
{
	return (struct buffer_use){gauge32(octets), gauge32(frames)};
}

static struct buffer_account_row account_of(const struct buffer_account_stats *stats)
{
	return (struct buffer_account_row){
	    .held = use_of(stats->octets, stats->frames),
	    .peak = use_of(stats->peak_octets, stats->peak_frames),
	    .limit = use_of(stats->threshold_octets, stats->threshold_frames),
	    .no_octets = stats->no_octets,
	    .no_frames = stats->no_frames,
	};
}

static void load_buffer(const struct managed *m, const struct dcb_config *c,
			const struct mo_row_at *at, struct buffer_row *row)
{
	const struct port *port = port_at(c, at);
	struct buffer_stats stats = {0};

	(void)m;
	if (port->provider->ops->read_buffer)
		port->provider->ops->read_buffer(port, at->priority, &stats);
	row->reserve = use_of(stats.reserve_octets, stats.reserve_frames);
	row->lossless = account_of(&stats.lossless);
	row->lossy = account_of(&stats.lossy);
	row->headroom_size = gauge32(stats.headroom_size);
	row->headroom_octets = gauge32(stats.headroom_octets);
	row->headroom_peak = gauge32(stats.headroom_peak);
}

static uint8_t buffer_status(const struct buffer_memory_stats *memory,
			     const struct buffer_rules *rules)
{
	if (!memory_fits(memory))
		return MO_buffer_status_doesNotFit;
	return memory_shares(memory, rules) ? MO_buffer_status_fits
					    : MO_buffer_status_nothingShared;
}

static void load_buffer_memory(const struct managed *m, const struct dcb_config *c,
			       const struct mo_row_at *at, struct buffer_memory_row *row)
{
	struct buffer_memory_stats *memory = &row->memory;

	(void)at;
	memory_read(m->engine, memory);
	row->status = buffer_status(memory, &c->buffer_memory.rules);
	row->frames = gauge32(memory->memory_frames);
	row->reserved_frames = gauge32(memory->reserved_frames);
	row->headroom_frames = gauge32(memory->headroom_frames);
	row->missing_frames = gauge32(memory->missing_frames);
	row->watermarks_since =
	    memory->watermarks_since_ns ? uptime_at(m, memory->watermarks_since_ns) : 0;
}

static const struct buffer_pool_stats *pool_of(const struct buffer_memory_stats *memory,
					       unsigned pool)
{
	switch (pool) {
	case MO_buffer_pool_lossless:
		return &memory->lossless;
	case MO_buffer_pool_lossy:
		return &memory->lossy;
	default:
		return &memory->headroom;
	}
}

static void load_buffer_pool(const struct managed *m, const struct dcb_config *c,
			     const struct mo_row_at *at, struct buffer_pool_row *row)
{
	struct buffer_memory_stats memory;
	const struct buffer_pool_stats *pool;

	(void)c;
	memory_read(m->engine, &memory);
	pool = pool_of(&memory, at->pool);
	row->octets.size = pool->size_octets;
	row->octets.used = pool->octets;
	row->octets.peak = pool->peak_octets;
	row->frames.size = gauge32(pool->size_frames);
	row->frames.used = gauge32(pool->frames);
	row->frames.peak = gauge32(pool->peak_frames);
}

/* --- notifications --------------------------------------------------------------------------- */

static void load_notify(const struct managed *m, const struct dcb_config *c,
			const struct mo_row_at *at, struct notify_row *row)
{
	struct events_stats stats;

	(void)c;
	(void)at;
	events_read(m->events, &stats);
	row->sent = stats.sent;
	row->suppressed = stats.suppressed;
}

/* clang-format off */
#define LOAD_ROW_LOAD(tab)        load_##tab(m, config, place, row)
#define LOAD_ROW_LOAD_LLDP(tab)   mo_lldp_load(m, config, MO_##tab, place, row)
#define LOAD_ROW_CONFIG_ONLY(tab) (void)0
/* clang-format on */

void mo_read_load(const struct managed *m, const struct dcb_config *config, enum mo_table_id table,
		  const struct mo_row_at *place, void *row)
{
	mo_settings_load_at(config, place, table, row);
	switch (table) {
#define TABLE(tab, mod, name, settings, load, ...) \
	case MO_##tab:                             \
		LOAD_ROW_##load(tab);              \
		break;
#include "mibs/all.def"
	case MO_TABLES:
		break;
	}
}
