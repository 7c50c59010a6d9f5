/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/soft/provider_soft.h"

#include "lib/log.h"
#include "lib/counter.h"
#include "dataplane/soft/provider_soft_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Capacity of the ring of port errors and storms for the control thread. */
#define EVENTS 4096

static struct soft *to_soft(const struct provider *p)
{
	return (struct soft *)p;
}

/* --- ports ------------------------------------------------------------ */

/* Only ports with descriptors need a watch: there may be thousands of memory ports. */
static bool make_watch(struct soft *s, struct soft_iface *iface)
{
	struct soft_port *port = &iface->port;

	if (!s->loop || (port->io->recv_fd < 0 && port->io->send_fd < 0))
		return true;
	iface->wire.watch = soft_new_watch(iface, port->io);
	return iface->wire.watch;
}

/*
 * Drivers that program the NIC to discard MAC control frames (EtherType 88-08) which the
 * host sends, so that no virtual function can pause the link; only the NIC's firmware sends
 * them. The frames count as sent: i40e_add_filter_to_drop_tx_flow_control_frames(), and the
 * rule of ice_vsi_setup() for ETH_P_PAUSE.
 */
static const char *const filters_pfc[] = {"i40e", "ice"};

static bool sends_pfc(const struct link_info *link)
{
	for (size_t i = 0; i < sizeof(filters_pfc) / sizeof(filters_pfc[0]); i++)
		if (strcmp(link->driver, filters_pfc[i]) == 0)
			return false;
	return true;
}

/*
 * Only a station has reaction points and processes CNMs; only a bridge or RBridge has VLANs; only
 * an RBridge has next hops.
 */
static uint32_t caps(const struct soft *s, const struct link_info *link)
{
	uint32_t lacks = s->engine->lacks;

	if (!sends_pfc(link))
		lacks |= PROVIDER_PFC_SEND;
	return PROVIDER_CAPS_ALL & ~lacks;
}

/* Frames get a priority in the kernel only where something uses it: that costs system calls. */
static void take_qdisc(const struct soft *s, struct soft_port *port)
{
	gauge_set(&port->link.by_priority,
		  netio_packet_uses_priority(port->base.link.qdisc, s->params.qdisc_bypass));
}

static struct port *soft_port_open(struct provider *p, uint16_t slot, const struct link_info *link,
				   const struct port_settings *settings, char *err, size_t errlen)
{
	struct soft *s = to_soft(p);
	struct soft_iface *iface;
	struct soft_port *port;

	iface = calloc(1, sizeof(*iface));
	if (!iface) {
		/* Message: as "out of memory" */
		snprintf(err, errlen, "%s: out of memory", link->name);
		return NULL;
	}
	port = &iface->port;
	port->base = (struct port){
	    .provider = p,
	    .slot = slot,
	    .has = caps(s, link),
	    .sets = (uint16_t)caps(s, link),
	    .link = *link,
	    .settings = *settings,
	};
	if (!soft_macsec_find(s, iface, err, errlen)) {
		free(iface);
		return NULL;
	}
	(void)soft_memory_take_mtu(s, link->mtu);
	soft_wire_open(iface);
	if (!soft_host_open(s, iface)) {
		snprintf(err, errlen, "%s: out of memory", link->name);
		soft_wire_close(iface);
		soft_macsec_release(iface);
		free(iface);
		return NULL;
	}
	port->peaks = &iface->peaks;
	iface->link_up = link->up;
	port_init(port);
	take_qdisc(s, port);
	s->open[slot] = port;
	return &port->base;
}

static void soft_port_close(struct port *base)
{
	struct soft_port *port = soft_port_of(base);
	struct soft_iface *iface = soft_iface_of(port);

	to_soft(base->provider)->open[base->slot] = NULL;
	soft_host_close(iface);
	soft_wire_close(iface);
	soft_macsec_release(iface);
	free(iface);
}

static const struct port_fault *soft_fault(const struct port *port)
{
	return &soft_iface_of(soft_port_of((struct port *)port))->fault;
}

static struct port_macsec *soft_macsec(const struct port *port)
{
	return soft_iface_of(soft_port_of((struct port *)port))->macsec;
}

void provider_soft_set_netio(struct port *base, struct netio *io)
{
	struct soft_port *port = soft_port_of(base);
	struct soft_iface *iface = soft_iface_of(port);

	port->io->ops->close(port->io);
	free(iface->wire.watch);
	iface->wire.watch = NULL;
	port->io = io;
	if (!make_watch(to_soft(base->provider), iface))
		abort(); /* out of memory in a test or at the start of an offline run */
}

struct port *provider_soft_port(struct provider *p, const char *name)
{
	struct soft *s = to_soft(p);

	for (int slot = 0; slot < DCB_SLOTS; slot++) {
		if (s->open[slot] && strcmp(s->open[slot]->base.link.name, name) == 0)
			return &s->open[slot]->base;
	}
	return NULL;
}

static void soft_port_update(struct port *base, const struct link_info *link)
{
	struct soft_port *port = soft_port_of(base);
	struct soft_iface *iface = soft_iface_of(port);
	const struct link_info was = base->link;

	to_soft(base->provider)->sums_generation = 0;
	base->link = *link;
	(void)soft_memory_take_mtu(to_soft(base->provider), link->mtu);
	soft_host_update(iface, &was);
	port_take_link(port);
	take_qdisc(to_soft(base->provider), port);
	gauge_set(&iface->link_up, link->up);
	soft_wire_update(iface);
	soft_announce_link(iface);
}

/*
 * The frame buffers were not made larger when an MTU was raised, because frames of the time before
 * the last change were queued, or there was no memory: tries again.
 */
static void grow_frames(struct soft *s)
{
	uint32_t mtu = 0;

	for (int slot = 0; slot < DCB_SLOTS; slot++)
		if (s->open[slot] && s->open[slot]->base.link.mtu > mtu)
			mtu = s->open[slot]->base.link.mtu;
	if (!soft_memory_take_mtu(s, mtu))
		return;
	for (int slot = 0; slot < DCB_SLOTS; slot++) {
		struct soft_iface *iface = s->open[slot] ? soft_iface_of(s->open[slot]) : NULL;
		struct link_info was;

		if (!iface)
			continue;
		was = iface->port.base.link;
		was.mtu = 0; /* the tap had one that fitted the buffers */
		soft_host_update(iface, &was);
		soft_wire_update(iface);
		soft_announce_link(iface);
	}
}

static void soft_tick(struct provider *p, struct dcb_time now)
{
	struct soft *s = to_soft(p);

	soft_wire_close_returned(s);
	grow_frames(s);
	for (int slot = 0; slot < DCB_SLOTS; slot++) {
		if (!s->open[slot])
			continue;
		soft_wire_retry(soft_iface_of(s->open[slot]), now);
		(void)soft_host_retry(soft_iface_of(s->open[slot]), now);
	}
	soft_wire_grow(s, now);
}

/* --- configuration, events, statistics -------------------------------- */

/* Returns false if config has no more static entries than the configuration in force. */
static bool may_grow_static(const struct soft *s, const struct dcb_config *config)
{
	const struct dcb_config *old = s->published;
	int64_t more = 0;

	if (!dcb_config_follows(config, old))
		return true;
	for (size_t i = dcb_config_next_changed(config, 0); i < config->n_ports;
	     i = dcb_config_next_changed(config, i + 1)) {
		more += config->ports[i].config->static_unicast.n;
		more -= old->ports[i].config->static_unicast.n;
	}
	return more > 0;
}

/* Refuses more static entries of all ports than the filtering database has room for. */
static bool has_room_for_static(const struct soft *s, const struct dcb_config *config,
				struct provider_refusal *why)
{
	uint32_t n = 0, max = bridge_static_max(s->params.fdb_entries);

	for (size_t i = 0; i < config->n_ports; i++) {
		n += config->ports[i].config->static_unicast.n;
		if (n > max)
			return provider_refuse(
			    why, PROVIDER_NO_RESOURCE, config->ports[i].port, PROVIDER_VLAN,
			    "expected at most %u static entries, half of bridge.fdb_entries", max);
	}
	return true;
}

/*
 * Refuses more nicknames, next hops or static addresses than an RBridge has room for. All ports
 * share them: the refusal names none.
 */
static bool has_room_for_trill(const struct soft *s, const struct dcb_config *config,
			       struct provider_refusal *why)
{
	return rbridge_fits(config, s->params.fdb_entries) ||
	       provider_refuse(why, PROVIDER_NO_RESOURCE, NULL, PROVIDER_TRILL,
			       "expected at most %u nicknames, %u next hops, and %u static entries "
			       "and egress entries, half of bridge.fdb_entries",
			       NICKNAMES_MAX, NICKNAMES_HOPS_MAX,
			       bridge_static_max(s->params.fdb_entries));
}

/*
 * Allocates what the flow queues of an end station need: those of other ports stay sufficient
 * unless there are other CNPVs.
 */
static bool prepare_station(const struct soft *s, const struct dcb_config *config,
			    struct provider_refusal *why)
{
	const struct dcb_config *from = s->published;

	if (from && from->cnpv_acting != config->cnpv_acting)
		from = NULL;
	for (size_t i = dcb_config_next_changed_from(config, from, 0); i < config->n_ports;
	     i = dcb_config_next_changed_from(config, from, i + 1)) {
		const struct dcb_config_port *at = &config->ports[i];

		if (!station_port_prepare(soft_port_of(at->port), config->cnpv_acting, at->config,
					  0))
			return provider_refuse(why, PROVIDER_NO_RESOURCE, at->port, PROVIDER_CN,
					       "out of memory for flow queues");
	}
	return true;
}

/*
 * Refuses PFC on a port of a bridge whose PFC frames never leave: Requests would count, and
 * the neighbor would not pause (36.3.3). A station has no initiator.
 */
static bool can_send_pfc(const struct soft *s, const struct dcb_config *config,
			 struct provider_refusal *why)
{
	for (size_t i = dcb_config_next_changed_from(config, s->published, 0); i < config->n_ports;
	     i = dcb_config_next_changed_from(config, s->published, i + 1)) {
		const struct dcb_config_port *at = &config->ports[i];
		uint8_t sent = (uint8_t)((at->config->pfc.enable | at->oper.pfc_enable) &
					 ~at->config->pfc.receive_only);

		if (sent && !(at->port->has & PROVIDER_PFC_SEND))
			/*
			 * Message: The driver makes the NIC discard MAC control frames of the host.
			 * Disable PFC on the port, also on a willing port's neighbor, set the
			 * direction receive for its priorities, or use a NIC with another driver.
			 */
			return provider_refuse(why, PROVIDER_CANNOT, at->port, PROVIDER_PFC,
					       "driver %s discards the PFC frames that the host "
					       "sends: expected PFC disabled, direction "
					       "receive, or another NIC",
					       at->port->link.driver);
	}
	return true;
}

/* Settings of the configuration in force were accepted, and are not checked again. */
static bool soft_prepare(struct provider *p, const struct dcb_config *config,
			 struct provider_refusal *why)
{
	struct soft *s = to_soft(p);
	bool grows = may_grow_static(s, config);

	if (!s->params.station && !can_send_pfc(s, config, why))
		return false;
	if (!s->params.station && grows && !has_room_for_static(s, config, why))
		return false;
	if (s->params.rbridge && (grows || !nicknames_same(s->published, config)) &&
	    !has_room_for_trill(s, config, why))
		return false;
	return soft_memory_check(s, config, why) &&
	       (!s->params.station || prepare_station(s, config, why));
}

/*
 * Stores one pointer; the dataplane thread finds the changes. Never fails. The first time, the
 * interfaces of all ports are opened.
 */
static bool soft_commit(struct provider *p, const struct dcb_config *config,
			struct provider_refusal *why)
{
	struct soft *s = to_soft(p);

	(void)why;
	if (!s->published)
		soft_wire_open_all(s);
	soft_memory_commit(s, config);
	__atomic_store_n(&s->published, config, __ATOMIC_RELEASE);
	soft_wake(s);
	return true;
}

static int soft_event_fd(const struct provider *p)
{
	return to_soft(p)->event_fd;
}

/* The error is of the tap if that was deleted, else of the link's interface. */
static void port_failed(struct soft *s, struct soft_iface *iface, int error)
{
	if (soft_host_retry(iface, soft_now(s)))
		soft_wire_failed(iface, error);
}

/*
 * The adopted generation needs no place in the ring: the latest value supersedes earlier ones.
 * It is loaded first and reported last: a port that it removed has posted its last event before,
 * and its slot can belong to another port once the generation is reported.
 */
static bool take_event(struct soft *s, struct provider_event *ev)
{
	uint64_t adopted = __atomic_load_n(&s->generation_adopted, __ATOMIC_ACQUIRE);
	const struct provider_event *oldest = ring_peek(s->events);

	if (oldest) {
		*ev = *oldest;
		ring_release(s->events);
		if (ev->type == PROVIDER_PORT_ERROR && s->open[ev->slot])
			port_failed(s, soft_iface_of(s->open[ev->slot]), ev->error);
		return true;
	}
	if (adopted == s->generation_reported)
		return false;
	s->generation_reported = adopted;
	*ev = (struct provider_event){.type = PROVIDER_ADOPTED, .generation = adopted};
	return true;
}

static bool soft_next_event(struct provider *p, struct provider_event *ev)
{
	struct soft *s = to_soft(p);
	eventfd_t ignored;

	if (take_event(s, ev))
		return true;
	/* An event posted before the reset lost its wake-up: check again after the reset. */
	(void)eventfd_read(s->event_fd, &ignored);
	return take_event(s, ev);
}

static void soft_read_cp(const struct port *port, unsigned priority, struct cp_stats *out)
{
	port_read_cp(soft_port_of((struct port *)port), priority, out);
}

static void soft_read_ecn(const struct port *port, unsigned priority, struct ecn_stats *out)
{
	port_read_ecn(soft_port_of((struct port *)port), priority, out);
}

static void soft_read_pfc_port(const struct port *port, struct pfc_port_stats *out)
{
	port_read_pfc_port(soft_port_of((struct port *)port), out);
}

static void soft_read_pfc(const struct port *port, unsigned priority, struct pfc_stats *out)
{
	port_read_pfc(soft_port_of((struct port *)port), priority, out);
}

static void soft_take_pfc_peaks(const struct port *port, struct pfc_peaks out[DCB_PRIORITIES])
{
	port_take_peaks(soft_port_of((struct port *)port), out);
}

static void soft_read_pfc_watchdog(const struct port *port, unsigned priority,
				   struct pfc_watchdog_stats *out)
{
	port_read_pfc_watchdog(soft_port_of((struct port *)port), priority, out);
}

static void soft_read_measure(const struct port *port, struct pfc_measure_stats *out)
{
	const struct port_macsec *macsec = soft_macsec(port);

	port_read_measure(soft_port_of((struct port *)port), out);
	if (macsec)
		out->secy_ns = gauge_get(&macsec->stats.delay_ns);
}

static void soft_read_buffer(const struct port *port, unsigned priority, struct buffer_stats *out)
{
	port_read_buffer(soft_port_of((struct port *)port), priority, out);
}

static void soft_read_port(const struct port *port, struct port_stats *out)
{
	port_read(soft_port_of((struct port *)port), out);
}

static void soft_read_learning(const struct port *port, struct learning_stats *out)
{
	fdb_read_port(&to_soft(port->provider)->bridge.fdb, port->slot, out);
}

static void soft_read_trill_port(const struct port *port, struct trill_port_stats *out)
{
	rbridge_read_port(&to_soft(port->provider)->rbridge, port->slot, out);
}

static bool soft_read_trill_nickname(const struct provider *p, uint16_t nickname,
				     struct trill_nickname_stats *out)
{
	const struct soft *s = to_soft(p);

	return s->params.rbridge && rbridge_read_nickname(&s->rbridge, nickname, out);
}

static void soft_read_rp_port_pri(const struct port *port, unsigned priority,
				  struct rp_port_pri_stats *out)
{
	station_read_rp_port_pri(soft_port_of((struct port *)port), priority, out);
}

static void soft_read_rp(const struct port *port, unsigned priority, unsigned index,
			 struct rp_stats *out)
{
	station_read_rp(soft_port_of((struct port *)port), priority, index, out);
}

static void soft_read_cnm(const struct port *port, struct cnm_stats *out)
{
	station_read_cnm(soft_port_of((struct port *)port), out);
}

void provider_soft_numbers_reserved(struct provider *p)
{
	soft_wake(to_soft(p));
}

static void soft_read_provider(const struct provider *p, struct provider_stats *out)
{
	const struct soft *s = to_soft(p);

	*out = (struct provider_stats){
	    .generation_adopted = gauge_get(&s->generation_adopted),
	    .frame_buffers = s->ports->pool.size,
	    .frame_buffers_free = gauge_get(&s->ports->pool.n_free),
	    .frame_buffers_low = gauge_get(&s->ports->pool.n_free_low),
	    .loops = gauge_get(&s->loops),
	    .events_lost = gauge_get(&s->events_lost),
	};
	soft_read_schedule(s, out);
	frame_memory_read(&s->ports->memory, &out->memory);
	if (s->params.station)
		return;
	out->fdb_entries = gauge_get(&s->bridge.fdb.entries);
	out->fdb_learn_limit = bridge_learn_limit(s->params.fdb_entries);
	out->fdb_learn_failures = gauge_get(&s->bridge.fdb.learn_failures);
}

/* --- without a thread ------------------------------------------------- */

int provider_soft_receive(struct port *port, unsigned max, struct dcb_time now)
{
	to_soft(port->provider)->last_call = now;
	return soft_receive(to_soft(port->provider), soft_port_of(port), max, now);
}

int provider_soft_from_host(struct port *port, unsigned max, struct dcb_time now)
{
	to_soft(port->provider)->last_call = now;
	return soft_from_host(to_soft(port->provider), soft_port_of(port), max, now);
}

struct dcb_time provider_soft_advance(struct provider *p, struct dcb_time now)
{
	struct soft *s = to_soft(p);

	s->last_call = now;
	if (dcb_time_diff_ns(now, s->ticked) >= DCB_NS_PER_S) {
		soft_age(s, now);
		s->ticked = now;
	}
	return soft_transmit(s, now);
}

/* --- start and stop --------------------------------------------------- */

static void soft_destroy(struct provider *p)
{
	struct soft *s = to_soft(p);

	soft_stop_thread(s);
	if (s->ports)
		s->engine->destroy(s->ports);
	soft_wire_close_all(s);
	for (int slot = 0; slot < DCB_SLOTS; slot++) {
		if (s->open[slot])
			soft_port_close(&s->open[slot]->base);
	}
	soft_free_loop(s);
	free(s->events);
	sem_destroy(&s->parked);
	sem_destroy(&s->resumed);
	if (s->wake_fd >= 0)
		close(s->wake_fd);
	if (s->event_fd >= 0)
		close(s->event_fd);
	free(s);
}

static bool make_bridge(struct soft *s)
{
	const struct bridge_params params = {
	    .frame_buffers = s->params.frame_buffers,
	    .frame_octets = s->params.frame_octets,
	    .fdb_entries = s->params.fdb_entries,
	    .fdb_ageing_s = s->params.fdb_ageing_s,
	    .transit_ns = s->params.transit_ns,
	    .seed = s->params.seed,
	};

	if (!(s->params.rbridge ? rbridge_init(&s->rbridge, &params, &soft_port_ops, s)
				: bridge_init(&s->bridge, &params, &soft_port_ops, s)))
		return false;
	s->engine = s->params.rbridge ? &rbridge_engine : &bridge_engine;
	s->ports = &s->bridge.ports;
	return true;
}

static bool make_station(struct soft *s)
{
	const struct station_params params = {
	    .frame_buffers = s->params.frame_buffers,
	    .frame_octets = s->params.frame_octets,
	    .seed = s->params.seed,
	    .flows = s->params.flows,
	};

	if (!station_init(&s->station, &params, &soft_port_ops, s))
		return false;
	s->engine = &station_engine;
	s->ports = &s->station.ports;
	return true;
}

static const char *start(struct soft *s)
{
	int error;

	if (!(s->params.station ? make_station(s) : make_bridge(s)))
		return "no memory for frame buffers";
	s->events = ring_new(EVENTS, sizeof(struct provider_event));
	if (!s->events)
		return "out of memory";
	if (s->wake_fd < 0 || s->event_fd < 0)
		return strerror(errno);
	if (s->params.no_thread)
		return NULL;
	if (!soft_make_loop(s))
		return "cannot create the event loop";
	error = soft_start_thread(s);
	return error ? strerror(error) : NULL;
}

struct provider *provider_soft_new(const struct provider_soft_params *params, char *err,
				   size_t errlen)
{
	static const struct provider_ops ops = {
	    .name = "soft",
	    .port_open = soft_port_open,
	    .port_update = soft_port_update,
	    .tick = soft_tick,
	    .port_close = soft_port_close,
	    .prepare = soft_prepare,
	    .commit = soft_commit,
	    .event_fd = soft_event_fd,
	    .next_event = soft_next_event,
	    .read_cp = soft_read_cp,
	    .read_ecn = soft_read_ecn,
	    .read_pfc = soft_read_pfc,
	    .take_pfc_peaks = soft_take_pfc_peaks,
	    .read_pfc_watchdog = soft_read_pfc_watchdog,
	    .read_measure = soft_read_measure,
	    .read_buffer = soft_read_buffer,
	    .read_pfc_port = soft_read_pfc_port,
	    .read_port = soft_read_port,
	    .read_learning = soft_read_learning,
	    .read_trill_port = soft_read_trill_port,
	    .read_trill_nickname = soft_read_trill_nickname,
	    .read_addresses = soft_read_addresses,
	    .read_rp_port_pri = soft_read_rp_port_pri,
	    .read_rp = soft_read_rp,
	    .read_cnm = soft_read_cnm,
	    .macsec = soft_macsec,
	    .fault = soft_fault,
	    .read_provider = soft_read_provider,
	    .destroy = soft_destroy,
	};
	struct soft *s = calloc(1, sizeof(*s));
	const char *problem;

	if (!s) {
		snprintf(err, errlen, "dataplane: out of memory");
		return NULL;
	}
	s->ops = ops;
	if (params->name)
		s->ops.name = params->name;
	s->base.ops = &s->ops;
	s->base.frame_octets = params->frame_octets;
	s->params = *params;
	s->armed = DCB_TIME_NEVER;
	s->realtime = REALTIME_NONE;
	s->realtime_state = PROVIDER_RT_OFF;
	s->timer_fd = s->tick_fd = -1;
	sem_init(&s->parked, 0, 0);
	sem_init(&s->resumed, 0, 0);
	s->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	s->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	problem = start(s);
	if (problem) {
		/*
		 * Message: dcbd cannot start its dataplane thread. With `no memory for frame
		 * buffers`, reduce `frame_buffers` or `frame_octets`. With `Invalid argument`,
		 * `dataplane.cpu` is a processor that does not exist or that dcbd may not use.
		 */
		snprintf(err, errlen, "dataplane: %s", problem);
		soft_destroy(&s->base);
		return NULL;
	}
	return &s->base;
}
