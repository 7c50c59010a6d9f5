/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interfaces of the links, for provider "soft": opened, opened again when their name
 * changed, and retried with back-off when that failed. Control thread.
 *
 *   soft_wire_open() --- watch --> attached, moves frames
 *   soft_wire_update(), soft_wire_retry()
 *        --- offered ---> dataplane thread: takes it in place of the former one
 *        <-- returned --- the former one, closed here: closing blocks
 *
 * Until an interface is open, its port has netio_nothing() and no watch.
 */
#include "dataplane/soft/provider_soft_private.h"

#include "dataplane/macsec/netio_secy.h"
#include "lib/counter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct soft *soft_of(const struct soft_iface *iface)
{
	return (struct soft *)iface->port.base.provider;
}

/* --- opening ----------------------------------------------------------- */

/* Opens the interface, with the port's SecY in front of it if there is one. */
static struct netio *open_link(const struct soft_iface *iface,
			       const struct netio_packet_params *params, char *err, size_t errlen)
{
	struct netio *io = netio_packet_open(params, err, errlen);
	struct netio *secure = io ? soft_macsec_open(iface, io) : NULL;

	if (io && !secure) {
		io->ops->close(io);
		snprintf(err, errlen, "%s: out of memory", params->ifname);
	}
	return secure;
}

static void inherit(struct netio *io, struct netio *from)
{
	netio_packet_inherit(netio_secy_link(io), netio_secy_link(from));
}

static struct watch *open_watch(struct soft_iface *iface, char *err, size_t errlen)
{
	const struct soft *s = soft_of(iface);
	const struct link_info *link = &iface->port.base.link;
	const struct netio_packet_params params = {
	    .ifname = link->name,
	    .ifindex = link->ifindex,
	    .mtu = link->mtu,
	    .frame_octets = s->params.frame_octets + (iface->macsec ? NETIO_SECY_OCTETS : 0),
	    .qdisc_bypass = s->params.qdisc_bypass,
	    /* Protected HMPDUs have another EtherType: see netio_nic.c. */
	    .nic_times = iface->port.base.settings.nic_times && !iface->macsec,
	};
	struct netio *io = open_link(iface, &params, err, errlen);
	struct watch *w = io ? soft_new_watch(iface, io) : NULL;

	if (io && !w) {
		io->ops->close(io);
		snprintf(err, errlen, "%s: out of memory", link->name);
	}
	return w;
}

/* Opens the interface, for the dataplane thread to take in place of the one it has, if any. */
static void reopen(struct soft_iface *iface, struct dcb_time now)
{
	char err[256] = "";
	struct watch *w = open_watch(iface, err, sizeof(err));

	if (!w) {
		soft_side_not_opened(iface, &iface->wire, err, now);
		return;
	}
	soft_side_offer(&iface->wire, w);
	soft_side_opened(iface, &iface->wire, now);
}

void soft_wire_open(struct soft_iface *iface)
{
	struct soft_port *port = &iface->port;
	struct soft_side *wire = &iface->wire;
	char err[256] = "";

	wire->retry = DCB_TIME_NEVER;
	wire->inherit = inherit;
	port->io = netio_nothing();
	if (port->base.settings.memory || !port->base.link.up)
		return;
	wire->watch = open_watch(iface, err, sizeof(err));
	if (wire->watch)
		wire->io = port->io = wire->watch->io;
	else
		soft_side_not_opened(iface, wire, err, soft_now(soft_of(iface)));
}

void soft_wire_update(struct soft_iface *iface)
{
	const struct port *port = &iface->port.base;
	const struct soft_side *wire = &iface->wire;

	if (port->settings.memory)
		return;
	if (!port->link.up)
		soft_side_end_retries(iface, &iface->wire);
	else if (!wire->io || !netio_packet_is_named(netio_secy_link(wire->io)))
		reopen(iface, soft_now(soft_of(iface)));
}

void soft_wire_failed(struct soft_iface *iface, int error)
{
	const struct port *port = &iface->port.base;

	/* Most often the link is down, and netlink will say so. */
	if (!iface->wire.io || !port->link.up || gauge_get(&iface->port.up))
		return;
	soft_side_error(iface, &iface->wire, strerror(error), soft_now(soft_of(iface)));
}

void soft_wire_retry(struct soft_iface *iface, struct dcb_time now)
{
	struct soft_side *wire = &iface->wire;

	soft_side_close_returned(wire);
	if (dcb_time_before(now, wire->retry))
		return;
	if (wire->io && netio_packet_is_named(netio_secy_link(wire->io)) &&
	    (gauge_get(&iface->port.up) || !wire->error[0])) {
		soft_side_end_retries(iface, wire);
		return;
	}
	reopen(iface, now);
	soft_announce_link(iface);
}

void soft_wire_close(struct soft_iface *iface)
{
	struct netio *io = iface->port.io;

	soft_side_offer(&iface->wire, NULL);
	io->ops->close(io);
	free(iface->wire.watch);
}
