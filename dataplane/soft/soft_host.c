/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host side of a station's ports, for provider "soft": a tap that is created, created
 * again after it was deleted, and retried with back-off when that failed. Control
 * thread. Handed over as the link's interface: soft_wire.c.
 */
#include "dataplane/soft/provider_soft_private.h"

#include "lib/log.h"
#include "dataplane/core/eth.h"
#include "dataplane/netio/netio_tap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct soft *soft_of(const struct soft_iface *iface)
{
	return (struct soft *)iface->port.base.provider;
}

static bool has_tap(const struct soft_iface *iface)
{
	return soft_of(iface)->params.station && !iface->port.base.settings.memory;
}

/*
 * Leaves room in the link's MTU for a CN-TAG that the station may add, and in the frame buffers
 * for that and a VLAN tag.
 */
static uint32_t tap_mtu(const struct soft_iface *iface)
{
	const struct port *port = &iface->port.base;
	uint32_t mtu = port->link.mtu ? port->link.mtu : 1500;

	if (!port_takes_mtu(port))
		mtu -= port_mtu_octets(mtu) - port->provider->frame_octets;
	return mtu - ETH_TAG_OCTETS;
}

static struct watch *create(struct soft_iface *iface, char *err, size_t errlen)
{
	const struct link_info *link = &iface->port.base.link;
	const struct netio_tap_params params = {
	    .name = iface->port.base.settings.tap,
	    .mac = link->mac,
	    .mtu = tap_mtu(iface),
	    .carrier = link->up,
	};
	char why[200];
	struct netio *tap = netio_tap_open(&params, why, sizeof(why));
	struct watch *w = tap ? soft_new_watch(iface, tap) : NULL;

	if (!tap)
		snprintf(err, errlen, "%s: %s", link->name, why);
	else if (!w)
		snprintf(err, errlen, "%s: out of memory", link->name);
	if (tap && !w)
		tap->ops->close(tap);
	return w;
}

bool soft_host_open(struct soft *s, struct soft_iface *iface)
{
	struct iface_open *host = &iface->host;
	char err[256] = "";

	host->retry = DCB_TIME_NEVER;
	if (!s->params.station)
		return true;
	if (!station_port_new(&iface->port, NULL))
		return false;
	if (!has_tap(iface))
		return true;
	host->watch = create(iface, err, sizeof(err));
	if (host->watch) {
		host->io = host->watch->io;
		station_port_set_host(&iface->port, host->io);
	} else {
		iface_open_failed(iface, host, err, soft_now(s));
	}
	return true;
}

void soft_host_close(struct soft_iface *iface)
{
	struct netio *io = station_port_host(&iface->port);

	iface_open_offer(&iface->host, NULL);
	if (io)
		io->ops->close(io);
	free(iface->host.watch);
	iface->host.watch = NULL;
	station_port_free(&iface->port);
}

/* The tap has the link's address and state, and an MTU derived from the link's. */
void soft_host_update(struct soft_iface *iface, const struct link_info *was)
{
	const struct link_info *link = &iface->port.base.link;
	struct netio *tap = iface->host.io;
	bool ok = true;

	if (!tap || !netio_tap_exists(tap))
		return;
	if (memcmp(was->mac, link->mac, sizeof(link->mac)) != 0)
		ok = netio_tap_set_mac(tap, link->mac);
	if (was->mtu != link->mtu)
		ok = netio_tap_set_mtu(tap, tap_mtu(iface)) && ok;
	if (!ok)
		/*
		 * Message: The MAC address or the MTU of the port's interface changed, and the TAP
		 * interface could not be changed accordingly. Set the address or the MTU of the TAP
		 * interface with ip-link(8).
		 */
		log_warn("port", "%s: cannot set address or MTU of tap %s: %s", link->name,
			 netio_tap_name(tap), strerror(errno));
	(void)netio_tap_set_carrier(tap, link->up);
}

/* The dataplane thread gives a deleted tap back when it reads it, or takes the next one. */
static void note_deleted(struct soft_iface *iface, struct dcb_time now)
{
	const char *name = netio_tap_name(iface->host.io);
	char why[64];

	snprintf(why, sizeof(why), "%s: tap %s: deleted", iface->port.base.link.name, name);
	/*
	 * Message "%s: tap %s: deleted, creating it again in %d s": An operator or a program
	 * deleted the TAP interface of a station's port. If the message repeats, find the program.
	 */
	log_error("port", "%s, creating it again in %d s", why,
		  (int)(iface_open_error(iface, &iface->host, why, now) / DCB_NS_PER_S));
	iface->host.io = NULL;
}

static void create_again(struct soft_iface *iface, struct dcb_time now)
{
	char err[256] = "";
	struct watch *w = create(iface, err, sizeof(err));

	if (!w) {
		iface_open_failed(iface, &iface->host, err, now);
		return;
	}
	log_info("port", "%s: tap %s created", iface->port.base.link.name, netio_tap_name(w->io));
	iface_open_offer(&iface->host, w);
	iface_open_end_retries(iface, &iface->host);
	soft_announce_link(iface);
}

bool soft_host_retry(struct soft_iface *iface, struct dcb_time now)
{
	struct iface_open *host = &iface->host;

	if (!has_tap(iface))
		return true;
	if (host->io && !netio_tap_exists(host->io))
		note_deleted(iface, now);
	iface_open_close_returned(host);
	if (!host->io && !dcb_time_before(now, host->retry))
		create_again(iface, now);
	return host->io;
}

void provider_soft_set_host(struct port *base, struct netio *io)
{
	struct soft_iface *iface = soft_iface_of(soft_port_of(base));
	const struct soft *s = (struct soft *)base->provider;
	struct netio *former = station_port_host(&iface->port);

	if (former)
		former->ops->close(former);
	free(iface->host.watch);
	iface->host.watch = NULL;
	station_port_set_host(&iface->port, io);
	if (!s->loop || !io || io->recv_fd < 0)
		return;
	iface->host.watch = soft_new_watch(iface, io);
	if (!iface->host.watch)
		abort(); /* in tests only */
}

bool provider_soft_is_tap(struct provider *p, uint32_t ifindex)
{
	struct soft *s = (struct soft *)p;

	for (int slot = 0; slot < DCB_SLOTS && s->params.station; slot++) {
		struct netio *tap = s->open[slot] ? soft_iface_of(s->open[slot])->host.io : NULL;

		if (tap && netio_tap_ifindex(tap) == ifindex)
			return true;
	}
	return false;
}

const char *provider_soft_tap(const struct port *port)
{
	struct netio *tap = soft_iface_of(soft_port_of((struct port *)port))->host.io;

	return tap ? netio_tap_name(tap) : NULL;
}
