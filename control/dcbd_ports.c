/* SPDX-License-Identifier: BSD-3-Clause */
/* Which interfaces become ports of dcbd: those that dcbd.conf selects, while they exist. */
#include <string.h>

#include "lib/log.h"
#include "control/dcbd_private.h"
#include "control/managed/lldp_ports.h"
#include "dataplane/soft/provider_soft.h"

static void remove_port(struct dcbd *d, size_t pos, const char *why)
{
	log_info("port", "%s: %s", d->managed->config->ports[pos].port->link.name, why);
	(void)managed_port_remove(d->managed, pos); /* logs a failure itself */
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
	size_t pos = managed_find(d->managed, link->ifindex);
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
		dcbd_save_soon(d);
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

void dcbd_log_owed_links(struct dcbd *d)
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
		dcbd_save_soon(d);
}

static bool is_tap(const struct dcbd *d, uint32_t ifindex)
{
	return provider_soft_is_tap(d->soft, ifindex) ||
	       (d->station && provider_soft_is_tap(d->station, ifindex));
}

/* --- what lldpd announces of the system ------------------------------------------------------ */

struct management {
	const struct dcbd *d;
	uint32_t ifindex; /* 0: none found */
	char name[IF_NAMESIZE];
};

/* The first interface with an address, as lldpd; but no port, where the host is not reached. */
static void find_management(void *ctx, const struct link_info *link, const struct link_host *host)
{
	struct management *m = ctx;
	size_t pos = managed_find(m->d->managed, link->ifindex);
	bool is_pattern = strpbrk(link->name, ",*?![\\"); /* lldpd's management pattern */

	if (!host->address[0] || is_pattern || pos < m->d->managed->config->n_ports ||
	    (m->ifindex && m->ifindex < link->ifindex))
		return;
	m->ifindex = link->ifindex;
	snprintf(m->name, sizeof(m->name), "%s", link->name);
}

void dcbd_describe(struct dcbd *d)
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

/* --- interfaces ------------------------------------------------------------------------------- */

static void on_link(void *ctx, const struct link_info *link, const struct link_host *host)
{
	struct dcbd *d = ctx;
	size_t pos = managed_find(d->managed, link->ifindex);
	bool is_port = pos < d->managed->config->n_ports;

	/* The tap of a station never becomes a port, even if a pattern matches it. */
	if (conf_manages(&d->conf, link->name) && !is_tap(d, link->ifindex)) {
		if (is_port)
			update_port(d, pos, link);
		else if (!d->adding) /* else it may be a port that is not closed yet */
			add_port(d, link);
	} else if (is_port) {
		remove_port(d, pos, "port removed, dcbd.conf does not select the new name");
	}
	note_host(d, link, host);
	owe_description(d);
}

static void on_gone(void *ctx, uint32_t ifindex)
{
	struct dcbd *d = ctx;
	size_t pos = managed_find(d->managed, ifindex);

	owe_description(d);
	if (pos < d->managed->config->n_ports)
		remove_port(d, pos, "port removed, the interface is gone");
	(void)managed_interface_gone(d->managed, ifindex); /* logs a failure itself */
}

const struct ifmon_ops dcbd_ports_ops = {.link = on_link, .gone = on_gone};

/* Adds the interface as a port if dcbd.conf selects it and it is none. */
static void add_missing(void *ctx, const struct link_info *link, const struct link_host *host)
{
	struct dcbd *d = ctx;

	if (managed_find(d->managed, link->ifindex) == d->managed->config->n_ports)
		on_link(d, link, host);
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

void dcbd_add_missing_ports(struct dcbd *d)
{
	struct dcb_config *before = dcb_config_ref(d->managed->config);
	char err[256];

	managed_collect(d->managed);
	ifmon_each(d->ifmon, add_missing, d);
	if (!managed_collected(d->managed, err, sizeof(err)))
		log_error("port", "%s", err);
	announce(d, before);
	ifmon_each(d->ifmon, note_host, d);
	dcb_config_free(before);
}
