/* SPDX-License-Identifier: BSD-3-Clause */
/* The host side of a station's ports, for provider "soft". Control thread. */
#include "dataplane/soft/provider_soft_private.h"

#include "lib/log.h"
#include "dataplane/core/eth.h"
#include "dataplane/netio/netio_tap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Leaves room in the link's MTU for a CN-TAG that the station may add. */
static uint32_t tap_mtu(const struct link_info *link)
{
	return (link->mtu ? link->mtu : 1500) - ETH_TAG_OCTETS;
}

static struct netio *open_tap(const struct soft *s, const struct soft_port *port, char *err,
			      size_t errlen)
{
	const struct link_info *link = &port->base.link;
	const struct netio_tap_params params = {
	    .name = port->base.settings.tap,
	    .wire = link->ifindex,
	    .mac = link->mac,
	    .mtu = tap_mtu(link),
	    .carrier = link->up,
	    .frame_octets = s->params.frame_octets,
	};
	struct netio *tap;
	char why[200];

	tap = netio_tap_open(&params, why, sizeof(why));
	if (!tap)
		snprintf(err, errlen, "%s: %s", link->name, why);
	return tap;
}

static bool is_tap(const struct netio *host)
{
	return host && strcmp(host->ops->name, "tap") == 0;
}

/* Returns false if there is no memory. */
static bool set_host(struct soft *s, struct soft_iface *iface, struct netio *host)
{
	struct soft_port *port = &iface->port;
	struct host_watch *w = NULL;

	if (s->loop && host && host->recv_fd >= 0) {
		w = calloc(1, sizeof(*w));
		if (!w)
			return false;
		*w = (struct host_watch){.soft = s, .port = port, .io = host};
	}
	if (!port->station && !station_port_new(port, host)) {
		free(w);
		return false;
	}
	station_port_set_host(port, host);
	iface->host_watch = w;
	return true;
}

bool soft_open_host(struct soft *s, struct soft_iface *iface, char *err, size_t errlen)
{
	const struct soft_port *port = &iface->port;
	struct netio *tap = NULL;

	if (!s->params.station)
		return true;
	if (!port->base.settings.memory) {
		tap = open_tap(s, port, err, errlen);
		if (!tap)
			return false;
	}
	if (set_host(s, iface, tap))
		return true;
	snprintf(err, errlen, "%s: out of memory", port->base.link.name);
	if (tap)
		tap->ops->close(tap);
	return false;
}

void soft_close_host(struct soft_iface *iface)
{
	struct netio *host = station_port_host(&iface->port);

	if (host)
		host->ops->close(host);
	free(iface->host_watch);
	iface->host_watch = NULL;
	station_port_free(&iface->port);
}

/* The tap has the link's address and state, and an MTU derived from the link's. */
void soft_update_tap(struct soft_port *port, const struct link_info *was)
{
	const struct link_info *link = &port->base.link;
	struct netio *tap = station_port_host(port);
	bool ok = true;

	if (!is_tap(tap))
		return;
	if (memcmp(was->mac, link->mac, sizeof(link->mac)) != 0)
		ok = netio_tap_set_mac(tap, link->mac);
	if (was->mtu != link->mtu)
		ok = netio_tap_set_mtu(tap, tap_mtu(link)) && ok;
	if (!ok)
		log_warn("port", "%s: cannot set address or MTU of tap %s: %s", link->name,
			 netio_tap_name(tap), strerror(errno));
	(void)netio_tap_set_carrier(tap, link->up);
}

void provider_soft_set_host(struct port *base, struct netio *io)
{
	struct soft_iface *iface = soft_iface_of(soft_port_of(base));

	soft_close_host(iface);
	if (!set_host((struct soft *)base->provider, iface, io))
		abort(); /* in tests only */
}

bool provider_soft_is_tap(struct provider *p, uint32_t ifindex)
{
	struct soft *s = (struct soft *)p;

	for (int slot = 0; slot < DCB_SLOTS && s->params.station; slot++) {
		struct netio *host = s->open[slot] ? station_port_host(s->open[slot]) : NULL;

		if (is_tap(host) && netio_tap_ifindex(host) == ifindex)
			return true;
	}
	return false;
}

const char *provider_soft_tap(const struct port *port)
{
	struct netio *host = station_port_host(soft_port_of((struct port *)port));

	return is_tap(host) ? netio_tap_name(host) : NULL;
}
