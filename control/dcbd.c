/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbd: starts the modules in order and runs the control thread, which decides which interfaces
 * become ports: those that dcbd.conf selects, while they exist.
 *
 * SIGHUP: a running dcbd reads its dcbd.conf again. The file is read into a second struct conf and
 * checked as by dcbd -t; an error ends it there. Only which interfaces are ports, and their
 * settings, follow the file: what else differs is compared row by row and named in the log. Ports
 * that the file does not select, or whose settings differ, are removed as if their interface were
 * gone, all by one publication. When the dataplane thread has given them back, ifmon reports all
 * interfaces again, and those selected are added by a second one. A port with other settings is
 * opened anew, because port->settings never change while frames pass. All other ports are in each
 * of these configurations with the same pointers.
 */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <event2/event.h>

#include "control/conf/conf.h"
#include "control/conf_check.h"
#include "control/ctl_server.h"
#include "control/dcbd_confine.h"
#include "control/dcbd_private.h"
#include "control/event_watch.h"
#include "control/host/aside.h"
#include "control/host/directory.h"
#include "control/host/ifmon.h"
#include "control/host/limits.h"
#include "control/host/notify.h"
#include "control/host/priv.h"
#include "control/managed/lldp_ports.h"
#include "control/managed/memory.h"
#include "control/managed/pause_history.h"
#include "control/managed_conf.h"
#include "control/mo_service.h"
#include "control/options.h"
#include "control/persist.h"
#include "dataplane/netio/netio_kept.h"
#include "dataplane/kernel/kernel_io.h"
#include "dataplane/soft/offline.h"
#include "dataplane/soft/provider_soft.h"
#include "lib/clock.h"
#include "lib/entropy.h"
#include "lib/log.h"
#include "lib/standard.h"
#include "lldp/process/lldp_process.h"

#define SAVE_RETRY_S 5

/* --- state file ----------------------------------------------------------------------------- */

static void on_saved(void *ctx, bool ok)
{
	struct dcbd *d = ctx;

	if (!ok)
		event_add(d->save_timer, &(struct timeval){.tv_sec = SAVE_RETRY_S});
}

/* Saves settings that changed outside a transaction. Retries until it succeeds. */
static void on_save(evutil_socket_t fd, short what, void *arg)
{
	struct dcbd *d = arg;

	(void)fd;
	(void)what;
	mo_service_save(d->service, on_saved, d);
}

/* Saves the settings soon, because they changed outside a transaction. */
static void save_soon(struct dcbd *d)
{
	if (d->service && d->save_timer)
		event_add(d->save_timer, &(struct timeval){.tv_usec = 10000});
}

/* --- service manager ------------------------------------------------------------------------ */

/* All dataplane threads have a configuration: they forward. */
static void on_adopted(struct dcbd *d)
{
	if (d->ready || !managed_is_adopted(d->managed))
		return;
	notify_state(&d->notify, "READY=1\nSTATUS=%zu ports", d->managed->config->n_ports);
	d->ready = true;
}

static void on_heartbeat(evutil_socket_t fd, short what, void *arg)
{
	struct dcbd *d = arg;

	(void)fd;
	(void)what;
	heartbeat_run(&d->heartbeat, &d->notify, dcbd_count_turns(d), clock_now());
}

static bool start_heartbeat(struct dcbd *d)
{
	int64_t us = heartbeat_interval_ns(&d->notify) / DCB_NS_PER_US;

	if (d->notify.watchdog_ns == 0)
		return true;
	d->heartbeat_timer = event_new(d->base, -1, EV_PERSIST, on_heartbeat, d);
	return d->heartbeat_timer &&
	       event_add(d->heartbeat_timer, &(struct timeval){us / 1000000, us % 1000000}) == 0;
}

/* --- ports ---------------------------------------------------------------------------------- */

static void remove_port(struct dcbd *d, size_t pos, const char *why)
{
	log_info("port", "%s: %s", d->managed->config->ports[pos].port->link.name, why);
	(void)managed_port_remove(d->managed, pos); /* logs a failure itself */
}

/*
 * Returns the position of the port that is this interface; n_ports: none is. source: the provider
 * that knows the interface, see each_link(); NULL: the kernel.
 */
static size_t find_interface(const struct dcbd *d, const struct provider *source, uint32_t ifindex)
{
	const struct dcb_config *c = d->managed->config;
	size_t pos = managed_find(d->managed, ifindex);
	const struct provider *p = pos < c->n_ports ? c->ports[pos].port->provider : NULL;

	return p && (p->ops->each_link ? p : NULL) == source ? pos : c->n_ports;
}

/* Frames that are longer than the buffers are discarded: ping works, and TCP stalls. */
static void warn_of_mtu(const struct port *port)
{
	if (!port_takes_mtu(port))
		/*
		 * Message: Short packets pass, and TCP stalls. Without `frame_octets` the frame
		 * buffers are made longer within seconds, unless there is no memory. Remove
		 * `frame_octets` from dcbd.conf(5), or set the MTU before the start.
		 */
		log_warn_limited("port",
				 "%s: the MTU %u permits frames of %u octets: those longer than %u "
				 "are discarded until a start with a larger bridge.frame_octets, "
				 "or without that setting",
				 port->link.name, port->link.mtu, port_mtu_octets(port->link.mtu),
				 port->provider->frame_octets);
}

static bool is_soft(const struct dcbd *d, const struct port *port)
{
	return port->provider == d->soft || port->provider == d->station;
}

/*
 * What a port receives ends at dcbd (netio_ingress), of a station, too. Another system moves the
 * frames of other ports.
 */
static void note_host(void *ctx, const struct link_info *link, const struct link_host *host)
{
	const struct dcbd *d = ctx;
	size_t pos = find_interface(d, NULL, link->ifindex);
	char master[IF_NAMESIZE];
	const struct port *port;
	struct link_host *was;

	if (pos == d->managed->config->n_ports)
		return;
	port = d->managed->config->ports[pos].port;
	was = &d->managed->records[port->slot].host;
	if (!is_soft(d, port))
		return;
	if (host->master && host->master != was->master && if_indextoname(host->master, master))
		/*
		 * Messages: See dcb(7). Take the interface out of the bridge or bond, and give the
		 * address to another interface; of a station, to its TAP interface.
		 */
		log_warn_limited("port", "%s: is part of %s, which receives no frames of a port",
				 link->name, master);
	if (host->address[0] && strcmp(host->address, was->address) != 0)
		log_warn_limited("port",
				 "%s: has the address %s of the host, which receives no frames of "
				 "a port",
				 link->name, host->address);
	*was = *host;
}

static void note_device_pfc(struct managed *m, const struct port *port)
{
	state_change_begin(m->lock);
	m->records[port->slot].device_pfc = true;
	state_change_end(m->lock);
	/*
	 * Message: The NIC does PFC itself, and can consume the PFC frames of the port or
	 * send others. Manage it by `provider = "kernel"`, or switch its PFC off, as by
	 * `dcb pfc set`, while dcbd forwards the frames of the interface.
	 */
	log_warn("port",
		 "%s: its driver does PFC itself: provider \"" CONF_PROVIDER_KERNEL
		 "\" manages that",
		 port->link.name);
}

static void log_added(const struct dcbd *d, const struct port *port)
{
	const struct link_info *link = &port->link;
	bool soft = is_soft(d, port);
	const char *tap = soft ? provider_soft_tap(port) : NULL;

	if (!soft)
		log_info("port", "%s: managed by provider \"%s\", ifIndex %u", link->name,
			 port->provider->ops->name, link->ifindex);
	else if (tap)
		log_info("port", "%s: managed, ifIndex %u, tap %s", link->name, link->ifindex, tap);
	else
		log_info("port", "%s: managed, ifIndex %u", link->name, link->ifindex);
	if (soft && !port->settings.memory && kernel_has_pfc(link->name))
		note_device_pfc(d->managed, port);
	warn_of_mtu(port);
}

static void add_port(struct dcbd *d, const struct link_info *link)
{
	const struct port_settings *settings = conf_port_settings(&d->conf, link->name);
	const struct managed *m = d->managed;
	size_t pos;
	char err[256];

	if (!managed_port_add(d->managed, link, settings, err, sizeof(err))) {
		log_error("port", "%s", err);
		return;
	}
	pos = managed_find(m, link->ifindex);
	if (pos == m->config->n_ports) /* it is collected: announce() */
		return;
	log_added(d, m->config->ports[pos].port);
	if (!dcb_config_is_initial(m->config, pos)) /* its key can be another one */
		save_soon(d);
}

static void log_link(struct dcbd *d, struct port *port)
{
	const struct link_info *link = &port->link;
	uint32_t n = managed_link_changes(d->managed, port);

	if (!link->up)
		/*
		 * Message: The link of a port went down or came up. The number is
		 * dcbPortLinkChanges. After ten lines a link that goes on changing has one in six
		 * seconds, with the number of those that were suppressed, and the last one says how
		 * it is now.
		 */
		log_line_limited(&d->managed->records[port->slot].log, LOG_LEVEL_INFO, "port",
				 "%s: link down, change %u", link->name, n);
	else if (dcb_rate_is_unlimited(link->speed))
		log_line_limited(&d->managed->records[port->slot].log, LOG_LEVEL_INFO, "port",
				 "%s: link up, change %u", link->name, n);
	else
		/* Message: as "%s: link down, change %u" */
		log_line_limited(&d->managed->records[port->slot].log, LOG_LEVEL_INFO, "port",
				 "%s: link up, %.6g Mb/s, change %u", link->name,
				 (double)link->speed.bps / 1e6, n);
	d->owes_links |= d->managed->records[port->slot].log.suppressed > 0;
}

/* Logs the state of links whose changes were too many to log, within the limit. Each second. */
static void log_owed_links(struct dcbd *d)
{
	const struct dcb_config *c = d->managed->config;
	bool owes = d->owes_links;

	d->owes_links = false;
	for (size_t i = 0; owes && i < c->n_ports; i++) {
		struct port *port = c->ports[i].port;

		d->owes_links |= d->managed->records[port->slot].log.suppressed > 0;
		if (log_owes(&d->managed->records[port->slot].log))
			log_link(d, port);
	}
}

/* The settings of dcbd.conf are by name: the next start or reload takes those of the new one. */
static void log_renamed(const struct dcbd *d, const char *was, const char *is)
{
	const struct conf_port *had = conf_port_entry(&d->conf, was);
	const struct conf_port *has = conf_port_entry(&d->conf, is);

	if (had == has)
		log_info_limited("port", "%s: renamed to %s", was, is);
	else
		/*
		 * Message: `ports` of dcbd.conf(5) are found by the name of the interface. Give the
		 * new name an entry, or the interface its old name.
		 */
		log_warn_limited("port",
				 "%s: renamed to %s: keeps the settings of dcbd.conf for %s until "
				 "the port is added again, then has those of %s",
				 was, is, was, has ? has->name : "defaults");
}

/* Logs what an operator looks for after an outage. was: before the change; changes: of the link. */
static void log_changes(struct dcbd *d, struct port *port, const struct link_info *was,
			uint32_t changes)
{
	const struct link_info *is = &port->link;

	if (strcmp(was->name, is->name) != 0)
		log_renamed(d, was->name, is->name);
	if (was->mtu != is->mtu) {
		log_info_limited("port", "%s: MTU %u, was %u", is->name, is->mtu, was->mtu);
		warn_of_mtu(port);
	}
	/* Down and up again meanwhile: the kernel joins messages. */
	if (was->up != is->up || (is->up && managed_link_changes(d->managed, port) - changes > 1))
		log_link(d, port);
	else if (is->up && was->speed.bps != is->speed.bps)
		log_info_limited("port", "%s: link at %.6g Mb/s, was %.6g", is->name,
				 (double)is->speed.bps / 1e6, (double)was->speed.bps / 1e6);
}

/* The state file identifies a port by its alias or name: a change of these is saved. */
static void update_port(struct dcbd *d, size_t pos, const struct link_info *link)
{
	struct port *port = d->managed->config->ports[pos].port;
	const struct link_info was = port->link;
	bool rekeyed = strcmp(was.name, link->name) != 0 || strcmp(was.alias, link->alias) != 0;
	uint32_t changes = managed_link_changes(d->managed, port);

	managed_port_update(d->managed, pos, link);
	log_changes(d, port, &was, changes);
	if (rekeyed && !dcb_config_is_initial(d->managed->config, pos))
		save_soon(d);
}

static bool is_tap(const struct dcbd *d, uint32_t ifindex)
{
	return (d->soft && provider_soft_is_tap(d->soft, ifindex)) ||
	       (d->station && provider_soft_is_tap(d->station, ifindex));
}

/* --- what lldpd announces of the system ----------------------------------------------------- */

struct management {
	const struct dcbd *d;
	uint32_t ifindex; /* 0: none found */
	char name[IF_NAMESIZE];
};

/* The first interface with an address, as lldpd; but no port, where the host is not reached. */
static void find_management(void *ctx, const struct link_info *link, const struct link_host *host)
{
	struct management *m = ctx;
	size_t pos = find_interface(m->d, NULL, link->ifindex);
	bool is_pattern = strpbrk(link->name, ",*?![\\"); /* lldpd's management pattern */

	if (!host->address[0] || is_pattern || pos < m->d->managed->config->n_ports ||
	    (m->ifindex && m->ifindex < link->ifindex))
		return;
	m->ifindex = link->ifindex;
	snprintf(m->name, sizeof(m->name), "%s", link->name);
}

/*
 * After a change of interfaces: tells lldpd that this is a bridge, and the interface by which it is
 * managed.
 */
static void describe(struct dcbd *d)
{
	struct lldp_system now = {.bridge = d->conf.role != ROLE_STATION};
	struct management m = {.d = d};

	d->owes_description = false;
	if (!now.bridge)
		return;
	ifmon_each(d->ifmon, find_management, &m);
	memcpy(now.management, m.name, sizeof(m.name));
	if (memcmp(&now, &d->announced, sizeof(now)) == 0)
		return;
	d->announced = now;
	lldp_ports_describe(d->managed->lldp, &now);
}

static void owe_description(struct dcbd *d)
{
	d->owes_description = true;
	if (d->lldp_timer)
		event_active(d->lldp_timer, EV_TIMEOUT, 0);
}

/* --- interfaces ----------------------------------------------------------------------------- */

/* Returns whether dcbd.conf gives an interface of this name a provider that knows it. */
static bool is_selected(const struct dcbd *d, const struct provider *source, const char *name)
{
	const struct port_settings *settings = conf_port_settings(&d->conf, name);
	const struct provider *of = NULL;

	for (unsigned i = 0; i < d->managed->n_providers; i++) {
		const struct provider *p = d->managed->providers[i];

		if (p->ops->each_link && conf_is_provider(settings, p->ops->name))
			of = p;
	}
	return of == source && conf_manages(&d->conf, name);
}

/* An interface is new or has changed. source: as of find_interface(). */
static void take_link(struct dcbd *d, const struct provider *source, const struct link_info *link)
{
	size_t n_ports = d->managed->config->n_ports;
	size_t pos = find_interface(d, source, link->ifindex);
	size_t other = managed_find(d->managed, link->ifindex);

	/* The tap of a station never becomes a port, even if a pattern matches it. */
	if (!is_selected(d, source, link->name) || is_tap(d, link->ifindex)) {
		if (pos < n_ports)
			remove_port(d, pos, "port removed, dcbd.conf does not select the new name");
		lldp_ports_no_port(d->managed->lldp, link->name);
	} else if (pos < n_ports) {
		update_port(d, pos, link);
	} else if (other < n_ports) {
		/*
		 * Message: Interfaces of the switch's operating system have ifIndexes of its own,
		 * and one of them is that of an interface of the kernel. Manage one of the two by
		 * another dcbd.
		 */
		log_error("port", "%s: its ifIndex %u is that of %s: not managed", link->name,
			  link->ifindex, d->managed->config->ports[other].port->link.name);
	} else if (!d->adding) { /* else it may be a port that is not closed yet */
		add_port(d, link);
	}
}

static void on_link(void *ctx, const struct link_info *link, const struct link_host *host)
{
	struct dcbd *d = ctx;

	take_link(d, NULL, link);
	note_host(d, link, host);
	owe_description(d);
}

static void take_gone(struct dcbd *d, const struct provider *source, uint32_t ifindex)
{
	size_t pos = find_interface(d, source, ifindex);

	if (pos < d->managed->config->n_ports)
		remove_port(d, pos, "port removed, the interface is gone");
	else if (managed_find(d->managed, ifindex) < d->managed->config->n_ports)
		return;                                    /* another interface has the ifIndex */
	(void)managed_interface_gone(d->managed, ifindex); /* logs a failure itself */
}

static void on_gone(void *ctx, uint32_t ifindex)
{
	owe_description(ctx);
	take_gone(ctx, NULL, ifindex);
}

/* Callbacks of ifmon, with a struct dcbd as ctx: add, update and remove ports. */
static const struct ifmon_ops ports_ops = {.link = on_link, .gone = on_gone};

/* Adds the interface as a port if dcbd.conf selects it and it is none. */
static void add_missing(void *ctx, const struct link_info *link, const struct link_host *host)
{
	struct dcbd *d = ctx;

	if (find_interface(d, NULL, link->ifindex) == d->managed->config->n_ports)
		on_link(d, link, host);
}

static void add_missing_of(void *ctx, const struct link_info *link)
{
	const struct source *source = ctx;

	if (find_interface(source->d, source->provider, link->ifindex) ==
	    source->d->managed->config->n_ports)
		take_link(source->d, source->provider, link);
}

/* Calls log_added() and lldp_ports_replay() for the ports that before does not have. */
static void announce(const struct dcbd *d, const struct dcb_config *before)
{
	const struct dcb_config *now = d->managed->config;
	size_t at = 0;

	for (size_t pos = 0; pos < now->n_ports; pos++) {
		while (at < before->n_ports && before->ports[at].ifindex < now->ports[pos].ifindex)
			at++;
		if (at < before->n_ports && before->ports[at].port == now->ports[pos].port)
			continue;
		log_added(d, now->ports[pos].port);
		lldp_ports_replay(d->managed->lldp, now->ports[pos].port);
	}
}

/* Adds the interfaces that dcbd.conf selects and that are no ports. */
static void add_missing_ports(struct dcbd *d)
{
	struct dcb_config *before = dcb_config_ref(d->managed->config);
	char err[256];

	managed_collect(d->managed);
	ifmon_each(d->ifmon, add_missing, d);
	for (unsigned i = 0; i < d->managed->n_providers; i++) {
		struct source source = {.d = d, .provider = d->managed->providers[i]};

		if (source.provider->ops->each_link)
			source.provider->ops->each_link(source.provider, add_missing_of, &source);
	}
	if (!managed_collected(d->managed, err, sizeof(err)))
		log_error("port", "%s", err);
	announce(d, before);
	ifmon_each(d->ifmon, note_host, d);
	dcb_config_free(before);
}

/* --- LLDP ----------------------------------------------------------------------------------- */

static void on_lldp(evutil_socket_t fd, short what, void *arg)
{
	struct dcbd *d = arg;
	struct dcb_time now = clock_now(), next = managed_run(d->managed, now);
	int64_t us = (dcb_time_diff_ns(next, now) + DCB_NS_PER_US - 1) / DCB_NS_PER_US;

	(void)fd;
	(void)what;
	if (d->owes_description)
		describe(d);
	if (next.ns != DCB_TIME_NEVER.ns)
		event_add(d->lldp_timer, &(struct timeval){us / 1000000, us % 1000000});
}

/* Schedules on_lldp(): one call for all changes in one iteration of the event loop. */
static void wake_lldp(void *ctx)
{
	struct dcbd *d = ctx;

	event_active(d->lldp_timer, EV_TIMEOUT, 0);
}

static bool start_lldp(struct dcbd *d)
{
	struct lldp_client *client;

	d->lldp_timer = evtimer_new(d->base, on_lldp, d);
	if (!d->lldp_timer)
		return false;
	if (!d->conf.lldp_enable)
		return true;
	client =
	    lldp_process_new(d->base, d->conf.lldp_program, d->conf.lldp_socket,
			     d->conf.lldp_hold_new_ports, &lldp_ports_events, d->managed->lldp);
	if (!client) {
		/* Message: as "out of memory" */
		log_error("lldp", "out of memory: cannot start the LLDP client");
		return false;
	}
	lldp_ports_use(d->managed->lldp, client, wake_lldp, d);
	describe(d);
	return true;
}

/* --- MACsec --------------------------------------------------------------------------------- */

/* As root: keys are the first that dcbd reads, and no other file or thread gets near them. */
static bool read_keys(struct dcbd *d)
{
	char err[PATH_MAX + 256];

	if (!d->conf.macsec_key_file)
		return true;
	d->macsec = macsec_read(&d->conf, err, sizeof(err));
	if (d->macsec)
		return true;
	log_error("macsec", "%s", err);
	d->status = EXIT_CONFIG;
	return false;
}

static bool install_keys(struct dcbd *d)
{
	char err[PATH_MAX + 256];

	if (!d->macsec || macsec_install(d->macsec, d->conf.state_file, err, sizeof(err)))
		return true;
	log_error("macsec", "%s", err);
	return false;
}

static bool start_macsec(struct dcbd *d)
{
	if (!d->macsec || macsec_start(d->macsec, d->base, d->soft))
		return true;
	/* Message: as "core files cannot be excluded: %s" */
	log_error("macsec", "cannot start the thread for packet numbers: %s", strerror(errno));
	return false;
}

/* --- SIGHUP: dcbd.conf is read again -------------------------------------------------------- */

/* The dry run logs what applies to its own ports: only errors. */
static bool passes_test(const struct conf *conf, const struct macsec_modes *modes, char *err,
			size_t errlen)
{
	bool ok;

	log_level_here = LOG_LEVEL_ERROR;
	ok = managed_conf_check(conf, modes, err, errlen);
	log_level_here = LOG_LEVEL_DEBUG;
	return ok;
}

static void free_conf(struct conf *next)
{
	conf_free(next);
	free(next);
}

/*
 * Reads and checks a file as dcbd -t does, except accounts and directories, which need a restart.
 * modes: of the ports with MACsec, whose key file is not read again. NULL: err is the error of
 * dcbd -t.
 */
static struct conf *read_conf(const char *file, const struct macsec_modes *modes, char *err,
			      size_t errlen)
{
	struct conf *next = malloc(sizeof(*next));
	char why[MEMORY_TEXT_OCTETS];

	if (!next) {
		snprintf(err, errlen, "%s: out of memory", file);
		return NULL;
	}
	conf_init(next);
	if (!conf_read(next, file, err, errlen)) {
		free_conf(next);
		return NULL;
	}
	if (!passes_test(next, modes, why, sizeof(why))) {
		snprintf(err, errlen, "%s: %s", file, why);
		free_conf(next);
		return NULL;
	}
	return next;
}

/* Returns whether the provider of a port with these settings was started. */
static bool has_provider(const struct managed *m, const struct port_settings *settings)
{
	for (unsigned i = 0; i < m->n_providers; i++)
		if (conf_is_provider(settings, m->providers[i]->ops->name))
			return true;
	return false;
}

static void warn(void *ctx, const char *text)
{
	(void)ctx;
	log_warn("conf", "%s", text);
}

static void warn_of_provider(const struct managed *m, const struct conf *next, const char *name)
{
	const struct port_settings port = {.provider = name};

	if (conf_uses_provider(next, name) && !has_provider(m, &port))
		/* Message: as "%s: %s needs a restart of dcbd: it stays %s" */
		log_warn("conf",
			 "provider \"%s\" needs a restart of dcbd: it was not used at the start",
			 name);
}

/* Logs a warning for each setting of next that needs a restart. */
static void warn_of_restart(const struct managed *m, const struct conf *now,
			    const struct conf *next)
{
	conf_each_restart(now, next, warn, NULL);
	if (conf_moves_frames(next))
		warn_of_provider(m, next, CONF_PROVIDER_SOFT);
	warn_of_provider(m, next, CONF_PROVIDER_OBSERVE);
	warn_of_provider(m, next, CONF_PROVIDER_KERNEL);
	warn_of_provider(m, next, CONF_PROVIDER_SONIC);
	warn_of_provider(m, next, CONF_PROVIDER_STATION);
}

/* Returns the reason why the port is removed; NULL: it stays. */
static const char *reason_to_remove(const struct managed *m, const struct port *port,
				    const struct conf *now, const struct conf *next)
{
	const char *name = port->link.name;

	if (port->settings.memory)
		return NULL;
	if (!conf_manages(next, name))
		return "port removed, dcbd.conf does not select it";
	if (!conf_port_differs(now, next, name) || !has_provider(m, conf_port_settings(next, name)))
		return NULL;
	return "port removed, dcbd.conf has other settings for it";
}

/*
 * Removes the ports that next does not select or gives other settings. Those of the latter that
 * next selects are added by continue_reload(). Other ports are not touched.
 */
static void remove_ports(struct managed *m, const struct conf *now, const struct conf *next)
{
	struct dcb_positions gone = {{0}};
	bool any = false;

	for (size_t pos = 0; pos < m->config->n_ports; pos++) {
		const struct port *port = m->config->ports[pos].port;
		const char *why = reason_to_remove(m, port, now, next);

		if (!why)
			continue;
		log_info("port", "%s: %s", port->link.name, why);
		dcb_positions_add(&gone, pos);
		any = true;
	}
	if (any)
		managed_ports_remove(m, &gone);
}

static void notify_reloading(struct dcbd *d)
{
	if (d->ready)
		notify_state(&d->notify, "RELOADING=1\nMONOTONIC_USEC=%lld",
			     (long long)(clock_now().ns / DCB_NS_PER_US));
}

/* error: why the file was not read again; NULL: it was. */
static void notify_reloaded(struct dcbd *d, const char *error)
{
	if (d->ready && error)
		notify_state(&d->notify, "READY=1\nSTATUS=%s not read again: %s", d->file, error);
	else if (d->ready)
		notify_state(&d->notify, "READY=1\nSTATUS=%zu ports", d->managed->config->n_ports);
}

/* Logs the lines of a file that have no effect. */
static void log_ignored(const struct conf *conf)
{
	const char *line = conf->ignored, *end;

	for (; line && (end = strchr(line, '\n')); line = end + 1)
		log_warn("conf", "%.*s", (int)(end - line), line);
}

/*
 * Ends a reload: adds the ports, unless a removed one is still open, so that no interface is open
 * twice. To be called again whenever a provider has adopted a configuration.
 */
static void continue_reload(struct dcbd *d)
{
	if (!d->adding || managed_is_closing(d->managed))
		return;
	d->adding = false;
	add_missing_ports(d);
	log_info("conf", "%s read again: %zu ports", d->file, d->managed->config->n_ports);
	notify_reloaded(d, NULL);
}

/* All of the file takes effect, except settings that need a restart, or nothing. */
static void reload(struct dcbd *d)
{
	char err[PATH_MAX + MEMORY_TEXT_OCTETS];
	struct macsec_modes modes;
	struct conf *next;

	macsec_modes(d->macsec, &modes);
	next = read_conf(d->file, &modes, err, sizeof(err));
	if (next && !macsec_permits(d->macsec, next, err, sizeof(err))) {
		free_conf(next);
		next = NULL;
	}
	if (!next) {
		/*
		 * Message: After SIGHUP, the file has this error. Correct it, and send the signal
		 * again.
		 */
		log_error("conf", "not read again, nothing is changed: %s", err);
		notify_reloaded(d, err);
		return;
	}
	log_ignored(next);
	warn_of_restart(d->managed, &d->conf, next);
	remove_ports(d->managed, &d->conf, next);
	conf_take_ports_of(&d->conf, next);
	free_conf(next);
	d->adding = true;
	continue_reload(d);
}

static void on_reload(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	notify_reloading(arg);
	if (!log_reopen())
		/*
		 * Message: The log stays the file that it was. Make its directory writable for the
		 * user of the program.
		 */
		log_warn("dcbd", "cannot open the log again: %s", strerror(errno));
	reload(arg);
}

/* One reload for all signals in one iteration of the event loop. */
static void on_hup(evutil_socket_t fd, short what, void *arg)
{
	struct dcbd *d = arg;

	(void)fd;
	(void)what;
	event_active(d->reload_timer, EV_TIMEOUT, 0);
}

/*
 * From here on, SIGHUP has dcbd.conf read again, which blocks as long as the kernel needs to list
 * its interfaces. Returns false if out of memory.
 */
static bool start_reload(struct dcbd *d)
{
	d->hup = evsignal_new(d->base, SIGHUP, on_hup, d);
	d->reload_timer = evtimer_new(d->base, on_reload, d);
	return d->hup && d->reload_timer && event_add(d->hup, NULL) == 0;
}

/* --- start and stop ------------------------------------------------------------------------- */

static void log_port_error(const struct managed *m, const struct provider_event *ev)
{
	unsigned entry = m->by_slot[ev->slot];

	if (entry) /* else the port was removed meanwhile */
		/*
		 * Message: The kernel reported an error of the interface, or of the tap of a
		 * station's port. Most often its link went down. If the link stays up, dcbd opens
		 * the interface again after one second, later if it fails again. If the message
		 * repeats, check the interface and its driver.
		 */
		log_warn_limited("port", "%s: interface failed: %s",
				 m->config->ports[entry - 1].port->link.name, strerror(ev->error));
}

/* The provider may change a port: its fault. */
static bool next_event(struct managed *m, struct provider *p, struct provider_event *ev)
{
	bool ok;

	state_change_begin(m->lock);
	ok = p->ops->next_event(p, ev);
	state_change_end(m->lock);
	return ok;
}

static void on_provider(evutil_socket_t fd, short what, void *arg)
{
	const struct source *source = arg;
	struct dcbd *d = source->d;
	struct provider *p = source->provider;
	struct provider_event ev;

	(void)fd;
	(void)what;
	while (next_event(d->managed, p, &ev)) {
		switch (ev.type) {
		case PROVIDER_ADOPTED:
			managed_adopted(d->managed, p, ev.generation);
			on_adopted(d);
			continue_reload(d);
			break;
		case PROVIDER_PFC_STORM:
			event_watch_storm(d->managed, ev.slot, ev.stormed, ev.ended, clock_now());
			break;
		case PROVIDER_LLDPDU:
			lldp_ports_heard(d->managed->lldp, ev.slot, &ev.lldpdu, ev.at);
			break;
		case PROVIDER_MEASURED:
			managed_measured(d->managed, ev.slot);
			wake_lldp(d);
			break;
		case PROVIDER_DISCONTINUITY:
			managed_discontinuity(d->managed, ev.slot);
			event_poll_discontinuity(d->poll, d->managed, ev.slot);
			break;
		case PROVIDER_OUTCOME:
			if (d->service)
				mo_service_outcome(d->service);
			break;
		case PROVIDER_CAPABILITIES:
			managed_capabilities(d->managed, ev.slot);
			wake_lldp(d);
			break;
		case PROVIDER_OPER:
			managed_oper(d->managed, ev.slot);
			event_poll_hardware(d->poll, d->managed, ev.slot, clock_now());
			break;
		case PROVIDER_MACSEC:
			macsec_run(d->macsec, d->managed, clock_now());
			break;
		case PROVIDER_PORT_ERROR:
			log_port_error(d->managed, &ev);
			break;
		case PROVIDER_LINK:
			take_link(d, p, &ev.link);
			break;
		case PROVIDER_LINK_GONE:
			take_gone(d, p, ev.link.ifindex);
			break;
		}
	}
}

/* Providers open interfaces again, and change the faults of their ports. */
static void tick_providers(struct managed *m)
{
	state_change_begin(m->lock);
	for (unsigned i = 0; i < m->n_providers; i++) {
		struct provider *p = m->providers[i];

		if (p->ops->tick)
			p->ops->tick(p, clock_now());
	}
	state_change_end(m->lock);
}

static void on_poll(evutil_socket_t fd, short what, void *arg)
{
	struct dcbd *d = arg;

	(void)fd;
	(void)what;
	event_poll(d->poll, d->managed, clock_now());
	lldp_ports_take_stats(d->managed->lldp);
	if (d->macsec)
		macsec_run(d->macsec, d->managed, clock_now());
	tick_providers(d->managed);
	pause_history_tick(d->managed->pauses, d->managed->lock, d->managed->config,
			   d->managed->started, clock_now());
	dcbd_note_suspensions(d);
	log_owed_links(d);
	notify_retry(&d->notify);
}

static void on_signal(evutil_socket_t fd, short what, void *arg)
{
	struct dcbd *d = arg;

	(void)what;
	log_info("dcbd", "%s: stopping", strsignal(fd));
	notify_state(&d->notify, "STOPPING=1");
	event_base_loopbreak(d->base);
}

/* A directory that cannot be created may be created later: only a warning. */
static void make_directory(const char *file, const char *user)
{
	char err[PATH_MAX + 256];

	if (!directory_make(file, user, err, sizeof(err)))
		log_warn("dcbd", "%s", err);
}

/* A start with the same dcbd.conf would fail again. Returns false. */
static bool fail_conf(struct dcbd *d, const char *module, const char *err)
{
	log_error(module, "%s", err);
	d->status = EXIT_CONFIG;
	return false;
}

static bool may_write(struct dcbd *d, const char *file, const char *key, mode_t type)
{
	char err[2 * PATH_MAX + 256];

	return (directory_is_permitted(file, key, err, sizeof(err)) &&
		directory_has_place(file, key, type, err, sizeof(err))) ||
	       fail_conf(d, "dcbd", err);
}

static bool has_group(struct dcbd *d, const char *name, const char *key)
{
	char err[256];

	if (!name || getgrnam(name))
		return true;
	/* Message: dcbd does not start. Create the group, or correct the name. */
	snprintf(err, sizeof(err), "%s: expected an existing group, not \"%s\"", key, name);
	return fail_conf(d, "dcbd", err);
}

/* Changes the user, and checks the accounts and directories of dcbd.conf. */
static bool drop_privileges(struct dcbd *d, bool nice)
{
	const struct conf *conf = &d->conf;
	const char *view = conf_view(conf);
	char err[256];

	if (!has_group(d, conf->control_group, "control.group") ||
	    (view && !has_group(d, conf->control_view_group, "control.view_group")))
		return false;
	if (!priv_drop(priv_user(conf->user), conf->lldp_enable ? conf->lldp_group : NULL, nice,
		       err, sizeof(err)))
		return fail_conf(d, "dcbd", err);
	return may_write(d, conf->state_file, "state_file", S_IFREG) &&
	       may_write(d, conf->control_socket, "control.socket", S_IFSOCK) &&
	       (!view || may_write(d, view, "control.view", S_IFSOCK));
}

static void log_lack(void *ctx, const char *text)
{
	(void)ctx;
	log_warn("dcbd", "%s", text);
}

/* false: the file cannot be renamed, and must not be overwritten. */
static bool set_aside(struct dcbd *d, enum aside_kind kind)
{
	const char *path = d->conf.state_file;
	char aside[PATH_MAX];
	int error = aside_rename(path, kind, aside, sizeof(aside));

	if (error == ENOENT && kind == ASIDE_IGNORED)
		return true;
	if (error != 0) {
		/*
		 * Message: The state file that is damaged or to be ignored cannot be renamed, and
		 * dcbd does not start. Make its directory writable for `user`, or move the file
		 * away.
		 */
		log_error("persist", "%s: cannot be renamed: %s", path, strerror(error));
		return false;
	}
	/*
	 * Message: The state file was damaged, or `--ignore-state` is given, and the settings in it
	 * are not in force. Compare the renamed file with the settings in force, and set the values
	 * that are missing. Check the disk.
	 */
	log_error("persist", "renamed to %s, starting with the initial settings", aside);
	if (kind == ASIDE_DAMAGED)
		d->managed->state_status = STATE_DAMAGED_SET_ASIDE;
	return true;
}

/* If there is no place for the copy, there is none for a new state file: the former one stays. */
static void copy_aside(const struct dcbd *d)
{
	const char *path = d->conf.state_file;
	char aside[PATH_MAX];
	bool is_old = false;
	int error = persist_copy_aside(d->managed, path, aside, sizeof(aside), &is_old);

	if (error != 0)
		/*
		 * Message: The copy cannot be written. The state file cannot be written either, and
		 * has all of these settings until a SET succeeds.
		 */
		log_error("persist", "%s: cannot be copied: %s", path, strerror(error));
	else
		/*
		 * Message: The copy is that of an earlier start if the settings without effect are
		 * the same.
		 */
		log_warn("persist", "all settings of %s, also those without effect, are in %s",
			 is_old ? "an earlier state file" : path, aside);
}

/*
 * Loads the state file or, if it is missing or damaged, dcbd.conf's initial settings. A
 * damaged file is renamed first, never overwritten. Returns false if the file cannot be
 * read or renamed, has a newer format, or an initial setting fails: dcbd does not start.
 */
static bool load_state(struct dcbd *d)
{
	const char *path = d->conf.state_file;
	enum persist_result result = PERSIST_NONE;
	/* The ports of SONiC are known when its databases have been read. */
	bool keep_absent = d->conf.keep_absent || conf_uses_provider(&d->conf, CONF_PROVIDER_SONIC);
	char err[512];

	if (!d->ignore_state)
		result = persist_load(d->managed, path, keep_absent, err, sizeof(err));
	else if (!set_aside(d, ASIDE_IGNORED))
		return false;
	switch (result) {
	case PERSIST_LOADED:
		if (d->managed->kept.is_incomplete)
			copy_aside(d);
		return true;
	case PERSIST_NONE:
		break;
	case PERSIST_FAILED:
		log_error("persist", "%s", err);
		return false;
	case PERSIST_NEWER:
		log_error("persist", "%s", err);
		return fail_conf(d, "persist",
				 "start the version of dcbd that wrote it, or start this one with "
				 "--ignore-state: it then sets the file aside, and has the initial "
				 "settings");
	case PERSIST_DAMAGED:
		log_error("persist", "%s", err);
		if (!set_aside(d, ASIDE_DAMAGED))
			return false;
		break;
	}
	return persist_initial(d->managed, &d->conf, err, sizeof(err)) || fail_conf(d, "conf", err);
}

static bool start_ports(struct dcbd *d)
{
	char err[256];

	managed_collect(d->managed);
	d->ifmon = ifmon_new(d->base, &ports_ops, d, err, sizeof(err));
	if (!d->ifmon) {
		log_error("dcbd", "%s", err);
		return false;
	}
	if (!managed_conf_memory_ports(d->managed, &d->conf, err, sizeof(err)) ||
	    !managed_collected(d->managed, err, sizeof(err))) {
		log_error("port", "%s", err);
		return false;
	}
	return load_state(d);
}

static bool start_service(struct dcbd *d)
{
	struct ctl_server_config config = {
	    .control = d->conf.control_socket,
	    .control_group = d->conf.control_group,
	    .view = conf_view(&d->conf),
	    .view_group = d->conf.control_view_group,
	    .agent = d->conf.control_agent,
	};
	char err[256];

	d->service = mo_service_new(d->managed, d->conf.state_file, (uint32_t)entropy_u64() | 1);
	if (!d->service || !mo_service_use_thread(d->service, d->base) ||
	    !mo_service_use_origins(d->service, managed_conf_origins(&d->conf))) {
		/*
		 * Message: dcbd cannot create the thread that writes the state file, and ends. The
		 * text is the reason of the kernel; raise the limit of processes or of memory, and
		 * start dcbd again.
		 */
		log_error("dcbd", "cannot start the control service: %s", strerror(errno));
		return false;
	}
	/* First, so that a client that finds the control socket finds the view socket. */
	if (config.view)
		d->view = view_new(d->managed, d->service, &config, err, sizeof(err));
	if (!config.view || d->view) {
		config.view = NULL;
		d->ctl = ctl_server_new(d->base, d->service, &config, err, sizeof(err));
	}
	if (!d->ctl)
		log_error("dcbd", "%s", err);
	return d->ctl != NULL;
}

/* Everything is there that the thread reads. */
static bool start_view(struct dcbd *d)
{
	if (!d->view || view_start(d->view))
		return true;
	/*
	 * Message: dcbd cannot create the thread that serves the view socket, and ends. The text is
	 * the reason of the kernel; raise the limit of processes or of memory, and start dcbd
	 * again.
	 */
	log_error("dcbd", "cannot start the thread of the view socket: %s", strerror(errno));
	return false;
}

/* Registers on_provider() for the events of each provider. */
static bool start_sources(struct dcbd *d)
{
	for (unsigned i = 0; i < d->managed->n_providers; i++) {
		struct provider *p = d->managed->providers[i];
		struct source *s = &d->sources[i];

		if (!p->ops->event_fd)
			continue;
		*s = (struct source){.d = d, .provider = p};
		s->event =
		    event_new(d->base, p->ops->event_fd(p), EV_READ | EV_PERSIST, on_provider, s);
		if (!s->event || event_add(s->event, NULL) < 0)
			return false;
	}
	return true;
}

static bool start_events(struct dcbd *d)
{
	d->save_timer = evtimer_new(d->base, on_save, d);
	d->poll = event_poll_new(d->conf.transit_delay_ms);
	d->poll_timer = event_new(d->base, -1, EV_PERSIST, on_poll, d);
	if (!d->poll || !d->poll_timer ||
	    event_add(d->poll_timer, &(struct timeval){.tv_sec = 1}) < 0)
		return false;
	d->term = evsignal_new(d->base, SIGTERM, on_signal, d);
	d->intr = evsignal_new(d->base, SIGINT, on_signal, d);
	if (!d->save_timer || !d->term || !d->intr)
		return false;
	return event_add(d->term, NULL) == 0 && event_add(d->intr, NULL) == 0 && start_reload(d) &&
	       start_heartbeat(d) && start_sources(d);
}

static void free_event(struct event *ev)
{
	if (ev)
		event_free(ev);
}

/* Frees everything in reverse order of start. Members that were not created are NULL. */
static void stop(struct dcbd *d)
{
	mo_service_finish(d->service); /* before the clients lose their connections */
	view_free(d->view);
	ctl_server_free(d->ctl);
	ifmon_free(d->ifmon);
	for (unsigned i = 0; i < MANAGED_PROVIDERS_MAX; i++)
		free_event(d->sources[i].event);
	free_event(d->save_timer);
	free_event(d->poll_timer);
	event_poll_free(d->poll);
	free_event(d->term);
	free_event(d->intr);
	free_event(d->hup);
	free_event(d->reload_timer);
	free_event(d->heartbeat_timer);
	mo_service_free(d->service);
	macsec_stop(d->macsec);
	if (d->managed)
		managed_free(d->managed);
	macsec_free(d->macsec);
	free_event(d->lldp_timer);
	if (d->base)
		event_base_free(d->base);
	libevent_global_shutdown();
}

static bool release(struct dcbd *d)
{
	struct provider_refusal why;
	char text[256];

	if (managed_release(d->managed, &why))
		return true;
	log_error("dcbd", "%s", managed_refusal_text(&why, text, sizeof(text)));
	return false;
}

/* nice: the dataplane threads need CAP_SYS_NICE, and no other one does. */
static bool start_providers(struct dcbd *d, bool nice)
{
	char err[256];

	if (!dcbd_start_providers(d, false, entropy_u64()))
		return false;
	if (!nice || priv_drop_nice(err, sizeof(err)))
		return true;
	log_error("dcbd", "%s", err);
	return false;
}

static int run(struct dcbd *d)
{
	const char *view = conf_view(&d->conf), *user = priv_user(d->conf.user);
	bool nice;

	d->status = EXIT_FAILURE;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN); /* until there is an event for it */
	notify_open(&d->notify);
	log_ignored(&d->conf);
	if (!read_keys(d)) /* before users are looked up: a library for that can use libcrypto */
		goto out;
	make_directory(d->conf.state_file, user);
	make_directory(d->conf.control_socket, user);
	if (view)
		make_directory(view, user);
	(void)limits_raise_files(DCB_SLOTS);
	nice = !limits_permit_real_time(d->conf.dataplane_priority);
	if (!drop_privileges(d, nice))
		goto out;
	/* Refusals of real time are logged by soft_thread. */
	priv_lacks(conf_needs(&d->conf) & ~(unsigned)PRIV_REAL_TIME, log_lack, NULL);
	dcbd_confine(&d->conf, d->file);
	netio_kept_in_directory_of(d->conf.control_socket);
	managed_conf_take_mtus(&d->conf);
	d->base = event_base_new();
	if (!d->base || !install_keys(d) || !start_providers(d, nice) || !start_macsec(d) ||
	    !start_events(d) || !start_ports(d) || !start_lldp(d) || !start_service(d))
		goto out;
	if (!release(d) || !start_view(d))
		goto out;
	on_adopted(d); /* without a dataplane thread there is no event for it */
	macsec_announce(d->macsec);
	log_info("dcbd", "version %s: %zu ports", PACKAGE_VERSION, d->managed->config->n_ports);
	event_base_dispatch(d->base);
	mo_service_save_measured(d->service);
	d->status = EXIT_SUCCESS;
out:
	stop(d);
	notify_close(&d->notify);
	return d->status;
}

/* --- replay of captures in virtual time ----------------------------------------------------- */

static bool start_offline_ports(struct dcbd *d, const struct offline *o, char *err, size_t errlen)
{
	for (unsigned i = 0; i < o->n_ports; i++) {
		struct port_settings settings = *conf_port_settings(&d->conf, o->ports[i].name);
		struct link_info link;

		settings.memory = true;
		settings.provider = NULL;
		offline_link(o, i, &link);
		if (!managed_port_add(d->managed, &link, &settings, err, errlen))
			return false;
	}
	return persist_initial(d->managed, &d->conf, err, errlen);
}

static int run_offline(struct dcbd *d, const struct offline *o, uint64_t seed)
{
	int status = EXIT_FAILURE;
	char err[512] = "cannot start";

	if (dcbd_start_providers(d, true, seed) && start_offline_ports(d, o, err, sizeof(err)) &&
	    release(d) && offline_run(d->soft, o, err, sizeof(err)))
		status = EXIT_SUCCESS;
	if (status == EXIT_SUCCESS)
		offline_print(d->soft, o, stdout);
	else
		log_error("offline", "%s", err);
	stop(d);
	return status;
}

/* --- test of dcbd.conf ---------------------------------------------------------------------- */

/* conf_read() has accepted the file. */
static int test_conf(struct conf *conf, const char *file)
{
	log_level = LOG_LEVEL_ERROR;
	managed_conf_take_mtus(conf);
	return conf_check(conf, file, stdout) ? EXIT_SUCCESS : EXIT_CONFIG;
}

static int start(int argc, char **argv)
{
	static struct dcbd d;
	static struct options o = {.file = SYSCONFDIR "/dcbd.conf", .seed = 1};
	char err[512];
	bool offline;
	int status;

	log_init("dcbd", LOG_LEVEL_INFO, getenv("JOURNAL_STREAM") != NULL);
	conf_init(&d.conf);
	status = options_parse(&o, argc, argv);
	if (status >= 0)
		return status;
	d.file = o.file;
	d.ignore_state = o.ignore_state;
	offline = o.offline.n_ports > 0;
	/* A replay of captures needs no dcbd.conf: it is read only with option -c. */
	if ((o.given_file || !offline) && !conf_read(&d.conf, o.file, err, sizeof(err))) {
		log_plain(LOG_LEVEL_ERROR, "%s", err);
		return EXIT_CONFIG;
	}
	if (o.test_only)
		status = test_conf(&d.conf, o.file);
	else
		status = offline ? run_offline(&d, &o.offline, o.seed) : run(&d);
	conf_free(&d.conf);
	return status;
}

int main(int argc, char **argv)
{
	standard_open();
	return standard_end("dcbd", start(argc, argv), EXIT_FAILURE);
}
