/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interfaces of ports, for provider "soft": opened, opened again when their name
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

#include "lib/counter.h"
#include "lib/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Back-off: seconds before the first retry; it doubles up to the longest. */
#define RETRY_FIRST_S 1
#define RETRY_MOST_S  60

static struct soft *soft_of(const struct soft_iface *iface)
{
	return (struct soft *)iface->port.base.provider;
}

struct watch *soft_new_watch(struct soft_iface *iface, struct netio *io)
{
	struct watch *w = calloc(1, sizeof(*w));

	if (w)
		*w = (struct watch){.soft = soft_of(iface), .port = &iface->port, .io = io};
	return w;
}

/* --- retries ----------------------------------------------------------- */

static int64_t backoff_ns(unsigned failures)
{
	int64_t s = RETRY_FIRST_S;

	while (failures-- > 1 && s < RETRY_MOST_S)
		s *= 2;
	return (s < RETRY_MOST_S ? s : RETRY_MOST_S) * DCB_NS_PER_S;
}

/* Schedules the next retry. Returns the back-off. */
static int64_t schedule(struct soft_iface *iface, struct dcb_time now)
{
	int64_t ns = backoff_ns(++iface->failures);

	iface->retry = dcb_time_add_ns(now, ns);
	return ns;
}

static void note_failure(struct soft_iface *iface, const char *why, struct dcb_time now)
{
	struct port_fault *fault = &iface->fault;
	bool known = strncmp(fault->text, why, sizeof(fault->text) - 1) == 0;
	int64_t ns = schedule(iface, now);

	fault->failures++;
	snprintf(fault->text, sizeof(fault->text), "%s", why);
	if (!known)
		log_error("port", "%s: cannot receive or send, retry in %d s: %s",
			  iface->port.base.link.name, (int)(ns / DCB_NS_PER_S), why);
}

static void end_fault(struct soft_iface *iface)
{
	struct port_fault *fault = &iface->fault;

	if (fault->text[0] && iface->port.base.link.up)
		log_info("port", "%s: receives and sends again", iface->port.base.link.name);
	fault->text[0] = '\0';
}

static void end_retries(struct soft_iface *iface)
{
	end_fault(iface);
	iface->failures = 0;
	iface->retry = DCB_TIME_NEVER;
}

/* --- opening ----------------------------------------------------------- */

static struct watch *open_watch(struct soft_iface *iface, char *err, size_t errlen)
{
	const struct soft *s = soft_of(iface);
	const struct link_info *link = &iface->port.base.link;
	const struct netio_packet_params params = {
	    .ifname = link->name,
	    .ifindex = link->ifindex,
	    .mtu = link->mtu,
	    .frame_octets = s->params.frame_octets,
	    .qdisc_bypass = s->params.qdisc_bypass,
	};
	struct netio *io = netio_packet_open(&params, err, errlen);
	struct watch *w = io ? soft_new_watch(iface, io) : NULL;

	if (io && !w) {
		io->ops->close(io);
		snprintf(err, errlen, "%s: out of memory", link->name);
	}
	return w;
}

/* Closes an interface that the dataplane thread does not use, or NULL. */
static void close_watch(struct soft_iface *iface, struct watch *w)
{
	if (!w)
		return;
	if (iface->wire)
		netio_packet_inherit(iface->wire, w->io);
	w->io->ops->close(w->io);
	free(w);
}

static void close_returned(struct soft_iface *iface)
{
	struct handover_item *item = handover_collect(&iface->handover);

	while (item) {
		struct handover_item *next = item->next;

		close_watch(iface, watch_of(item));
		item = next;
	}
}

/* Offers an opened interface, NULL: none, and closes those that are not used. */
static void offer(struct soft_iface *iface, struct watch *w)
{
	struct handover_item *former = handover_offer(&iface->handover, w ? &w->item : NULL);

	close_watch(iface, former ? watch_of(former) : NULL);
	close_returned(iface);
}

/* Opens the interface, for the dataplane thread to take in place of the one it has, if any. */
static void reopen(struct soft_iface *iface, struct dcb_time now)
{
	char err[256] = "";
	struct watch *w = open_watch(iface, err, sizeof(err));

	if (!w) {
		note_failure(iface, err, now);
		return;
	}
	end_fault(iface);
	iface->wire = w->io;
	offer(iface, w);
	/* If it fails again before then, the back-off goes on. */
	if (iface->failures > 0)
		iface->retry = dcb_time_add_ns(now, backoff_ns(iface->failures));
}

void soft_wire_open(struct soft_iface *iface)
{
	struct soft_port *port = &iface->port;
	char err[256] = "";

	iface->retry = DCB_TIME_NEVER;
	port->io = netio_nothing();
	if (port->base.settings.memory || !port->base.link.up)
		return;
	iface->watch = open_watch(iface, err, sizeof(err));
	if (iface->watch)
		iface->wire = port->io = iface->watch->io;
	else
		note_failure(iface, err, soft_now(soft_of(iface)));
}

void soft_wire_update(struct soft_iface *iface)
{
	const struct port *port = &iface->port.base;

	if (port->settings.memory)
		return;
	if (!port->link.up)
		end_retries(iface);
	else if (!iface->wire || !netio_packet_is_named(iface->wire))
		reopen(iface, soft_now(soft_of(iface)));
}

void soft_wire_failed(struct soft_iface *iface, int error)
{
	const struct port *port = &iface->port.base;

	/* Most often the link is down, and netlink will say so. */
	if (!iface->wire || !port->link.up || gauge_get(&iface->port.up))
		return;
	snprintf(iface->fault.text, sizeof(iface->fault.text), "%s", strerror(error));
	schedule(iface, soft_now(soft_of(iface)));
}

void soft_wire_retry(struct soft_iface *iface, struct dcb_time now)
{
	close_returned(iface);
	if (dcb_time_before(now, iface->retry))
		return;
	if (iface->wire && netio_packet_is_named(iface->wire) &&
	    (gauge_get(&iface->port.up) || !iface->fault.text[0])) {
		end_retries(iface);
		return;
	}
	reopen(iface, now);
	soft_announce_link(iface);
}

void soft_wire_close(struct soft_iface *iface)
{
	struct netio *io = iface->port.io;

	iface->wire = NULL;
	offer(iface, NULL);
	io->ops->close(io);
	free(iface->watch);
}
