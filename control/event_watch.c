/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/event_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "dataplane/config/port_headroom.h"
#include "dataplane/core/cnd.h"
#include "control/managed/memory.h"
#include "control/objects/mo_read.h"

/* The only accessible object of ieee8021CnErroredPortTable, ieee8021CnEpIfIndex. */
#define EP_IFINDEX 3

/* Returns the priorities for which the port is in error (32.2.4), one bit each. */
static uint8_t errored_mask(const struct dcb_config *c, size_t pos)
{
	const struct port_config *pc = c->ports[pos].config;
	bool defends = c->ports[pos].port->has & PROVIDER_CN;
	uint8_t cnpvs = defends ? dcb_config_cnpvs(c) : 0, mask = 0;

	for (unsigned p = 0; cnpvs && p < DCB_PRIORITIES; p++)
		if ((cnpvs >> p & 1) &&
		    cnd_port_is_errored(cnpvs, c->com_pri[p].cncp_alternate_priority,
					pc->port_pri[p].cnpd_alternate_priority))
			mask |= (uint8_t)(1u << p);
	return mask;
}

/* Returns whether the event is within the limits. */
static bool raise_event(const struct managed *m, enum mo_notification_id id,
			const struct mo_varbind *vbs, unsigned n, struct dcb_time now)
{
	bool ok;

	state_change_begin(m->lock);
	ok = events_raise(m->events, &m->config->notify, id, vbs, n, now);
	state_change_end(m->lock);
	return ok;
}

static void raise_mask(const struct managed *m, enum mo_notification_id id, uint32_t ifindex,
		       uint8_t mask, struct dcb_time now)
{
	for (unsigned p = 0; mask >> p; p++) {
		struct mo_varbind vb = {
		    .table = MO_cn_errored_port,
		    .subid = EP_IFINDEX,
		    .index = {3, {m->component_id, p, ifindex}},
		    .value = {.syntax = MO_INTEGER32, .num = ifindex},
		};

		if (mask >> p & 1)
			raise_event(m, id, &vb, 1, now);
	}
}

static uint32_t ifindex_at(const struct dcb_config *c, size_t pos)
{
	return pos < c->n_ports ? c->ports[pos].port->link.ifindex : UINT32_MAX;
}

/* Returns true if a port has the same settings in both, as all but one have after most SETs. */
static bool is_unchanged(const struct dcb_config *before, size_t i, const struct dcb_config *after,
			 size_t k)
{
	return before->ports[i].port == after->ports[k].port &&
	       before->ports[i].config == after->ports[k].config;
}

static void raise_difference(const struct managed *m, uint32_t ifindex, uint8_t old, uint8_t new,
			     struct dcb_time now)
{
	raise_mask(m, MO_NOTIFY_errored_port_deleted, ifindex, old & (uint8_t) ~new, now);
	raise_mask(m, MO_NOTIFY_errored_port_created, ifindex, new &(uint8_t)~old, now);
}

/* Both have the same ports and the same priorities. */
static void watch_ports(const struct managed *m, const struct dcb_config *before)
{
	const struct dcb_config *after = m->config;
	struct dcb_time now = clock_now();

	for (size_t i = dcb_config_next_changed(after, 0); i < after->n_ports;
	     i = dcb_config_next_changed(after, i + 1))
		if (before->ports[i].config != after->ports[i].config)
			raise_difference(m, ifindex_at(after, i), errored_mask(before, i),
					 errored_mask(after, i), now);
}

static void watch_config(const struct managed *m, const struct dcb_config *before)
{
	const struct dcb_config *after = m->config;
	struct dcb_time now = clock_now();
	size_t i = 0, k = 0, n_before = before ? before->n_ports : 0;
	bool same_priorities =
	    before && memcmp(before->com_pri, after->com_pri, sizeof(after->com_pri)) == 0;

	if (same_priorities && dcb_config_follows(after, before)) {
		watch_ports(m, before);
		return;
	}
	while (i < n_before || k < after->n_ports) {
		uint32_t was = before ? ifindex_at(before, i) : UINT32_MAX;
		uint32_t is = ifindex_at(after, k);
		uint32_t at = was < is ? was : is;
		bool same = same_priorities && was == is && is_unchanged(before, i, after, k);
		uint8_t old = was == at && !same ? errored_mask(before, i) : 0;
		uint8_t new = is == at && !same ? errored_mask(after, k) : 0;

		i += was == at;
		k += is == at;
		raise_difference(m, at, old, new, now);
	}
}

/* --- objects of a notification ------------------------------------------------------------- */

/* Reads the objects of the notification, of one port and priority. Returns their number. */
static unsigned collect(const struct managed *m, enum mo_notification_id id, size_t pos,
			unsigned priority, struct mo_varbind vbs[MO_EVENT_VARBINDS])
{
	const char *names = mo_notification(id)->objects;
	struct mo_row_at place = {.pos = pos, .priority = priority};
	uint32_t ifindex = m->config->ports[pos].port->link.ifindex;
	_Alignas(8) uint8_t row[MO_ROW_OCTETS];
	unsigned n = 0;

	while (*names && n < MO_EVENT_VARBINDS) {
		size_t len = strcspn(names, " ");
		const struct mo_table *table;
		const struct mo_column *col;
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)len, names);
		names += len + strspn(names + len, " ");
		col = mo_column_by_name(name, &table);
		vbs[n] = (struct mo_varbind){
		    .table = table->id,
		    .subid = col->subid,
		    /* index_len is 1 in a table without a priority. */
		    .index = {table->index_len, {ifindex, priority}},
		};
		mo_read_load(m, m->config, table->id, &place, row);
		mo_field_get(table, col, row, &vbs[n++].value);
	}
	return n;
}

void event_watch_storm(const struct managed *m, uint16_t slot, uint8_t stormed, uint8_t ended,
		       struct dcb_time now)
{
	struct mo_varbind vbs[MO_EVENT_VARBINDS];
	unsigned entry = m->by_slot[slot];

	if (!entry || !(m->config->ports[entry - 1].port->has & PROVIDER_WATCHDOG))
		return;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		enum mo_notification_id id =
		    ended >> p & 1 ? MO_NOTIFY_pfc_storm_restored : MO_NOTIFY_pfc_storm;

		if (!((stormed | ended) >> p & 1))
			continue;
		raise_event(m, id, vbs, collect(m, id, entry - 1u, p, vbs), now);
	}
}

/* The port of the keys can have another name meanwhile: its provider knows which one it is. */
void event_watch_macsec(const struct managed *m, const struct port_macsec *macsec,
			struct dcb_time now)
{
	struct mo_varbind vbs[MO_EVENT_VARBINDS];

	for (size_t pos = 0; pos < m->config->n_ports; pos++) {
		if (provider_macsec(m->config->ports[pos].port) != macsec)
			continue;
		raise_event(m, MO_NOTIFY_macsec_pn_exhausted, vbs,
			    collect(m, MO_NOTIFY_macsec_pn_exhausted, pos, 0, vbs), now);
	}
}

static void watch_dcbx(const struct managed *m, const struct port *port, bool mismatch,
		       struct dcb_time now)
{
	enum mo_notification_id id =
	    mismatch ? MO_NOTIFY_dcbx_mismatch : MO_NOTIFY_dcbx_mismatch_cleared;
	struct mo_varbind vbs[MO_EVENT_VARBINDS];
	unsigned entry = m->by_slot[port->slot];

	if (!entry)
		return;
	/* The neighbor decides how often this happens: the line has the limit of the event. */
	if (raise_event(m, id, vbs, collect(m, id, entry - 1u, 0, vbs), now))
		/*
		 * Message "%s: DCBX settings do not match the neighbor's": PFC or ETS of the port
		 * and of its neighbor have differed for two seconds. `dcbctl dcbx` shows the
		 * difference. Change the settings of one end, or make one end willing.
		 */
		log_at(mismatch ? LOG_LEVEL_WARN : LOG_LEVEL_INFO, "lldp", "%s: %s",
		       port->link.name,
		       mismatch ? "DCBX settings do not match the neighbor's"
				: "DCBX settings match the neighbor's again");
}

const struct managed_ops event_watch_ops = {
    .published = watch_config,
    .mismatch = watch_dcbx,
};

/* --- counters --------------------------------------------------------------------------------- */

struct polled {
	uint64_t discards;    /* or what else is counted */
	struct dcb_time last; /* when the counter last increased */
	bool raised;          /* within EVENT_POLL_QUIET_S of last */
};

/* Discards for which the configuration is the reason, and the one that was logged. */
struct late {
	uint64_t discards;
	uint32_t ifindex;
	uint64_t octets, bps;
};

/* The verdict about a port's headroom that is logged and notified. */
struct held {
	uint32_t ifindex;
	enum memory_verdict verdict;
};

/* The headroom of a port that was reported last; it stays while the link is down. */
struct force {
	uint32_t ifindex; /* 0: none */
	uint32_t bits;
	uint8_t basis, way;
};

/* What the device of a port had at its last event. */
struct watched {
	uint32_t ifindex; /* 0: none */
	uint8_t differs;
	bool refused;
};

struct event_poll {
	uint32_t transit_ms;
	bool exceeded; /* the promises exceed the memory, and this is logged */
	bool is_full;  /* they leave nothing to share, and this is logged */
	struct held held[DCB_SLOTS];
	struct force force[DCB_SLOTS];
	struct watched hardware[DCB_SLOTS];
	struct polled of[DCB_SLOTS][DCB_PRIORITIES];
	struct polled refused[DCB_SLOTS];
	struct polled flaps[DCB_SLOTS];
	struct late late[DCB_SLOTS][DCB_PRIORITIES];
};

/* calloc() maps pages on first use: ports without PFC or discards cost no memory. */
struct event_poll *event_poll_new(uint32_t transit_ms)
{
	struct event_poll *poll = calloc(1, sizeof(*poll));

	if (poll)
		poll->transit_ms = transit_ms;
	return poll;
}

void event_poll_free(struct event_poll *poll)
{
	free(poll);
}

/* Returns whether to raise the event. A counter that decreased belongs to a new port. */
static bool begins_to_discard(struct polled *p, uint64_t discards, struct dcb_time now)
{
	bool moved;

	if (discards < p->discards)
		*p = (struct polled){.discards = 0};
	moved = discards > p->discards;
	p->discards = discards;
	if (p->raised && dcb_time_diff_ns(now, p->last) >= EVENT_POLL_QUIET_S * DCB_NS_PER_S)
		p->raised = false;
	if (!moved)
		return false;
	p->last = now;
	if (p->raised)
		return false;
	p->raised = true;
	return true;
}

/* Octets of a priority with PFC that a port can hold: shared, and its headroom. */
static uint64_t receive_buffer(const struct dcb_config_port *at)
{
	const struct port_settings *s = &at->port->settings;

	if (s->pfc_buffer_octets)
		return s->pfc_buffer_octets;
	return (uint64_t)s->buffer_octets + pfc_headroom_octets_of(at);
}

/*
 * Octets of a priority that can wait at a port: its buffer or, with PFC, the receive buffers
 * of all ports that have PFC for the priority.
 */
static uint64_t most_queued(const struct dcb_config *c, size_t pos, unsigned priority)
{
	uint64_t octets = 0;

	for (size_t i = 0; i < c->n_ports; i++)
		if (i != pos &&
		    port_pfc_sent(c->ports[i].config, &c->ports[i].oper) >> priority & 1)
			octets += receive_buffer(&c->ports[i]);
	return octets ? octets : c->ports[pos].port->settings.buffer_octets;
}

/* Returns the rate of the port, of which ETS guarantees a share; 0: unknown. */
static uint64_t guaranteed_bps(const struct dcb_config_port *at, unsigned priority)
{
	uint64_t bps = port_rate(&at->port->settings, at->port->link.speed).bps;
	const struct ets_tables *ets = &at->oper.ets_tables;

	if (at->oper.ets && ets->tsa[ets->priority_tc[priority]] == TSA_ETS)
		bps = bps / 100 * ets->bandwidth[ets->priority_tc[priority]];
	return bps;
}

/* The longest time for a full queue: of the smallest frames, with their overhead. */
static uint64_t drain_ms(uint64_t octets, uint64_t bps)
{
	uint64_t wire = octets * dcb_wire_octets(DCB_FRAME_MIN_OCTETS) / DCB_FRAME_MIN_OCTETS;

	return (uint64_t)(dcb_rate_octets_to_ns((struct dcb_rate){bps}, wire) / DCB_NS_PER_MS);
}

static void explain_late(const struct event_poll *poll, const struct dcb_config *c, size_t pos,
			 unsigned priority, struct late *late)
{
	const struct port *port = c->ports[pos].port;
	struct late is = {
	    .discards = late->discards,
	    .ifindex = port->link.ifindex,
	    .octets = most_queued(c, pos, priority),
	    .bps = guaranteed_bps(&c->ports[pos], priority),
	};

	bool logged =
	    is.ifindex == late->ifindex && is.octets == late->octets && is.bps == late->bps;

	if (logged || is.bps == 0 || drain_ms(is.octets, is.bps) <= poll->transit_ms)
		return;
	*late = is;
	/*
	 * Message: The port cannot send in time what its buffer holds: the octets are those of
	 * `buffer`, for a priority with PFC those of the receive buffers of the other ports, and
	 * the rate is that of the port or, with ETS, the bandwidth of the traffic class. The
	 * message appears once for each combination of these values. Reduce the buffer, raise
	 * `rate` or the bandwidth, or raise `bridge.transit_delay` in dcbd.conf(5).
	 */
	log_warn("port",
		 "%s: frames of priority %u were discarded, older than transit_delay (%u ms): a "
		 "full queue of %llu octets lasts up to %llu ms at %llu bit/s",
		 port->link.name, priority, poll->transit_ms, (unsigned long long)is.octets,
		 (unsigned long long)drain_ms(is.octets, is.bps), (unsigned long long)is.bps);
}

static void poll_late(struct event_poll *poll, const struct dcb_config *c, size_t pos)
{
	const struct port *port = c->ports[pos].port;
	struct port_stats stats;

	if (!(port->has & PROVIDER_QUEUES) || poll->transit_ms == 0)
		return;
	port->provider->ops->read_port(port, &stats);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		struct late *late = &poll->late[port->slot][p];

		if (stats.discard_late[p] == late->discards)
			continue;
		late->discards = stats.discard_late[p];
		if (late->discards > 0) /* else another port has taken the slot */
			explain_late(poll, c, pos, p, late);
	}
}

void event_poll_discontinuity(struct event_poll *poll, const struct managed *m, uint16_t slot)
{
	unsigned entry = m->by_slot[slot];
	const struct port *port = entry ? m->config->ports[entry - 1].port : NULL;

	if (!port || !(port->has & PROVIDER_PFC_BUFFER))
		return;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		struct pfc_stats stats;

		port->provider->ops->read_pfc(port, p, &stats);
		poll->of[slot][p].discards = stats.pfc_discards;
	}
}

static void log_hardware(const char *name, const struct watched *was, const struct watched *is,
			 const char *why)
{
	if (is->refused && !was->refused)
		/*
		 * Message: The device has not taken values of the port, for this reason. `dcbctl
		 * hardware` shows its values.
		 */
		log_warn("port", "%s: not in force: %s", name, why);
	else if (is->differs & ~was->differs)
		/*
		 * Message: Another program or the firmware has changed the device.
		 * dcbHardwareDiffers says which part; with `policy = "enforce"` dcbd writes its
		 * settings again.
		 */
		log_warn("port", "%s: the device has other values than the settings of the port",
			 name);
	else if (!is->refused && !is->differs)
		log_info("port", "%s: the device has the settings of the port", name);
}

void event_poll_hardware(struct event_poll *poll, const struct managed *m, uint16_t slot,
			 struct dcb_time now)
{
	const enum mo_notification_id id = MO_NOTIFY_hardware_changed;
	unsigned entry = m->by_slot[slot];
	const struct port *port = entry ? m->config->ports[entry - 1].port : NULL;
	struct watched *was = &poll->hardware[slot], is;
	struct mo_varbind vbs[MO_EVENT_VARBINDS];
	struct provider_oper oper;

	if (!port || !(port->has & PROVIDER_HARDWARE))
		return;
	port->provider->ops->read_oper(port, &oper);
	/* What differs since before dcbd was started is an event too. */
	if (was->ifindex != port->link.ifindex)
		*was = (struct watched){.ifindex = port->link.ifindex};
	is = (struct watched){port->link.ifindex, oper.differs, oper.outcome == PROVIDER_REFUSED};
	if (oper.outcome == PROVIDER_PENDING ||
	    (was->differs == is.differs && was->refused == is.refused))
		return;
	/* Others decide how often this happens: the line has the limit of the event. */
	if (raise_event(m, id, vbs, collect(m, id, entry - 1u, 0, vbs), now))
		log_hardware(port->link.name, was, &is, oper.text);
	*was = is;
}

static void poll_headroom(struct event_poll *poll, const struct managed *m, size_t pos,
			  struct dcb_time now)
{
	const enum mo_notification_id id = MO_NOTIFY_pfc_headroom_insufficient;
	const struct port *port = m->config->ports[pos].port;
	bool counts = port->has & PROVIDER_PFC_BUFFER;
	uint8_t enabled = counts ? m->config->ports[pos].oper.pfc_enable : 0;
	struct mo_varbind vbs[MO_EVENT_VARBINDS];

	for (unsigned p = 0; enabled >> p; p++) {
		struct pfc_stats stats;

		if (!(enabled >> p & 1))
			continue;
		port->provider->ops->read_pfc(port, p, &stats);
		if (begins_to_discard(&poll->of[port->slot][p], stats.pfc_discards, now))
			raise_event(m, id, vbs, collect(m, id, pos, p, vbs), now);
	}
}

/* An address that moves between two ports too often: these in words, which the event has not. */
static void raise_moves(const struct managed *m, size_t pos, const struct learning_stats *stats,
			struct dcb_time now)
{
	const enum mo_notification_id id = MO_NOTIFY_address_moves;
	const struct dcb_config *c = m->config;
	unsigned other = m->by_slot[stats->flap_slot];
	struct mo_varbind vbs[MO_EVENT_VARBINDS];
	uint8_t mac[ETH_ADDR_OCTETS];

	static_unicast_mac(stats->flap_key, mac);
	/* Message: See dcbAddressMoves in doc/operating.md, and `dcbctl fdb show vlan VID`. */
	log_warn_limited("bridge",
			 "%02x-%02x-%02x-%02x-%02x-%02x of VLAN %u moves between %s and %s, more "
			 "than %u times a second: a loop, or two stations with this address",
			 mac[0], mac[1], mac[2], mac[3], mac[4], mac[5],
			 static_unicast_vid(stats->flap_key), c->ports[pos].port->link.name,
			 other ? c->ports[other - 1].port->link.name : "another port",
			 FDB_MOVES_MAX);
	raise_event(m, id, vbs, collect(m, id, pos, 0, vbs), now);
}

/* Addresses that the port does not learn because of its limit, and those that move. */
static void poll_learning(struct event_poll *poll, const struct managed *m, size_t pos,
			  struct dcb_time now)
{
	const enum mo_notification_id id = MO_NOTIFY_learn_limit_reached;
	const struct port *port = m->config->ports[pos].port;
	struct mo_varbind vbs[MO_EVENT_VARBINDS];
	struct learning_stats stats;

	if (!(port->has & PROVIDER_VLAN))
		return;
	port->provider->ops->read_learning(port, &stats);
	if (begins_to_discard(&poll->refused[port->slot], stats.refused, now))
		raise_event(m, id, vbs, collect(m, id, pos, 0, vbs), now);
	if (begins_to_discard(&poll->flaps[port->slot], stats.flaps, now))
		raise_moves(m, pos, &stats, now);
}

/* --- headroom that the memory does not hold -------------------------------------------------- */

/* Logs once that the promises exceed the memory, and once that they fit again. */
static void poll_memory(struct event_poll *poll, const struct managed *m,
			const struct buffer_memory_stats *memory)
{
	unsigned ratio = m->config->buffer_memory.rules.headroom_ratio;
	bool exceeded = !memory_fits(memory);
	char text[MEMORY_TEXT_OCTETS];

	if (exceeded == poll->exceeded)
		return;
	poll->exceeded = exceeded;
	if (exceeded)
		log_warn("memory", "%s", memory_sum_text(memory, ratio, text, sizeof(text)));
	else
		log_info("memory", "the reserves and the headroom fit into the frame memory again");
}

/* Logs once that frames without PFC have nothing but the reserves, and once that they have. */
static void poll_shared(struct event_poll *poll, const struct managed *m,
			const struct buffer_memory_stats *memory)
{
	bool is_full =
	    memory_fits(memory) && !memory_shares(memory, &m->config->buffer_memory.rules);

	if (is_full && !poll->is_full)
		/*
		 * Message: Priorities without PFC have nothing but their reserves. The message `the
		 * shared lossy pool has room again` ends it.
		 */
		log_warn(
		    "memory",
		    "reserves and headroom fit, and leave less than a frame to the shared "
		    "lossy pool: raise bridge.frame_buffers, or reduce reserves, cable lengths "
		    "or priorities with PFC");
	else if (!is_full && poll->is_full)
		log_info("memory", "the shared lossy pool has room again");
	poll->is_full = is_full;
}

static void log_held(const struct managed *m, const struct dcb_config_port *at,
		     const struct buffer_memory_stats *memory, enum memory_verdict verdict,
		     enum memory_verdict before)
{
	unsigned ratio = m->config->buffer_memory.rules.headroom_ratio;
	char text[MEMORY_TEXT_OCTETS];

	if (verdict == MEMORY_OF_PORT)
		log_warn("memory", "%s", memory_port_text(at, memory, text, sizeof(text)));
	else if (verdict == MEMORY_OF_POOL)
		log_warn("memory", "%s", memory_pool_text(at, memory, ratio, text, sizeof(text)));
	else if (verdict == MEMORY_OF_CLAIM)
		log_warn("memory", "%s", memory_claim_text(at, text, sizeof(text)));
	else if (verdict == MEMORY_OF_DEVICE)
		log_warn("memory", "%s", memory_device_text(at, text, sizeof(text)));
	else if (before == MEMORY_OF_DEVICE)
		log_info("memory", "%s: its device has the headroom again", at->port->link.name);
	else if (verdict == MEMORY_HOLDS && before == MEMORY_OF_CLAIM)
		log_info("memory", "%s: the frame memory holds the headroom for its neighbor again",
			 at->port->link.name);
	else if (verdict == MEMORY_HOLDS && before == MEMORY_OF_POOL)
		log_info("memory", "%s: the headroom pool holds its headroom again",
			 at->port->link.name);
	else if (before == MEMORY_OF_PORT)
		log_info("memory",
			 "%s: pfc.buffer of dcbd.conf is sufficient for the headroom again",
			 at->port->link.name);
}

/* Raises the event once when a port with PFC has no longer all the headroom that it needs. */
static void poll_held(struct event_poll *poll, const struct managed *m, size_t pos,
		      const struct buffer_memory_stats *memory, struct dcb_time now)
{
	const enum mo_notification_id id = MO_NOTIFY_pfc_headroom_insufficient;
	const struct dcb_config_port *at = &m->config->ports[pos];
	struct held *held = &poll->held[at->port->slot];
	struct held is = {at->port->link.ifindex, MEMORY_HOLDS};
	bool had = held->ifindex != is.ifindex || held->verdict == MEMORY_HOLDS;
	uint8_t sent = port_pfc_sent(at->config, &at->oper);
	struct mo_varbind vbs[MO_EVENT_VARBINDS];

	if (sent && at->port->has & PROVIDER_PFC_BUFFER)
		is.verdict = memory_holds(m->role, m->engine, at, memory);
	if (held->ifindex != is.ifindex || held->verdict != is.verdict)
		log_held(m, at, memory, is.verdict, had ? MEMORY_HOLDS : held->verdict);
	*held = is;
	if (is.verdict != MEMORY_HOLDS && had)
		raise_event(m, id, vbs, collect(m, id, pos, (unsigned)__builtin_ctz(sent), vbs),
			    now);
}

/* --- headroom in force ------------------------------------------------------------------------ */

static struct force force_of(const struct dcb_config_port *at)
{
	struct pfc_headroom_state state;

	if (!port_pfc_sent(at->config, &at->oper) || !at->port->link.up ||
	    !(at->port->has & PROVIDER_HEADROOM))
		return (struct force){.ifindex = 0};
	port_headroom_of(at, &state);
	return (struct force){at->port->link.ifindex, state.in_force, state.basis,
			      at->oper.pfc_way};
}

/* Averages of a measurement differ by a few quanta: see PFC_HEADROOM_ACCURACY_QUANTA. */
static bool is_changed(const struct force *was, const struct force *is)
{
	uint32_t more = is->bits > was->bits ? is->bits - was->bits : was->bits - is->bits;

	return was->basis != is->basis || was->way != is->way ||
	       more >= EVENT_HEADROOM_QUANTA * PFC_QUANTUM_BITS;
}

/* Raises the event, and logs it, when the headroom of a port with PFC has changed. */
static void poll_force(struct event_poll *poll, const struct managed *m, size_t pos,
		       struct dcb_time now)
{
	const struct dcb_config_port *at = &m->config->ports[pos];
	struct force *was = &poll->force[at->port->slot], is = force_of(at);
	struct mo_varbind vbs[MO_EVENT_VARBINDS];

	if (!is.ifindex)
		return;
	if (was->ifindex == is.ifindex) {
		if (!is_changed(was, &is))
			return;
		if (raise_event(m, MO_NOTIFY_pfc_headroom_changed, vbs,
				collect(m, MO_NOTIFY_pfc_headroom_changed, pos, 0, vbs), now))
			/*
			 * Message: The link, the neighbor, a measurement or a setting changed the
			 * headroom of a port with PFC in force. The objects of dcbPfcHeadroomTable
			 * and `dcbctl headroom show` say why.
			 */
			log_info("pfc", "%s: the headroom changed from %u to %u bits",
				 at->port->link.name, was->bits, is.bits);
	}
	*was = is;
}

void event_poll(struct event_poll *poll, const struct managed *m, struct dcb_time now)
{
	struct buffer_memory_stats memory;

	memory_read(m->engine, &memory);
	poll_memory(poll, m, &memory);
	poll_shared(poll, m, &memory);
	for (size_t pos = 0; pos < m->config->n_ports; pos++) {
		poll_held(poll, m, pos, &memory, now);
		poll_force(poll, m, pos, now);
		poll_headroom(poll, m, pos, now);
		poll_learning(poll, m, pos, now);
		poll_late(poll, m->config, pos);
	}
}
