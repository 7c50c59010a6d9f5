/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the two sides of a port have in common, the interface of its link and the tap of a
 * station's port: opened by the control thread, retried with back-off when that failed, and
 * handed to the dataplane thread and back. Control thread.
 */
#include "dataplane/soft/provider_soft_private.h"

#include "lib/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

/* Back-off: seconds before the first retry; it doubles up to the longest. */
#define RETRY_FIRST_S 1
#define RETRY_MOST_S  60

struct watch *soft_new_watch(struct soft_iface *iface, struct netio *io)
{
	struct watch *w = calloc(1, sizeof(*w));

	if (w)
		*w = (struct watch){.soft = (struct soft *)iface->port.base.provider,
				    .port = &iface->port,
				    .io = io};
	return w;
}

void soft_wake(struct soft *s)
{
	if (s->has_thread) {
		(void)eventfd_write(s->wake_fd, 1);
		return;
	}
	soft_apply_updates(s);
}

void soft_announce_link(struct soft_iface *iface)
{
	struct soft *s = (struct soft *)iface->port.base.provider;

	__atomic_fetch_add(&iface->link_seq, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&s->links_changed, true, __ATOMIC_RELEASE);
	soft_wake(s);
}

/* --- retries ----------------------------------------------------------- */

/* The port has one reason: that of the link's interface, if there are two. */
static void show_fault(struct soft_iface *iface)
{
	const char *text = iface->wire.error[0] ? iface->wire.error : iface->host.error;

	snprintf(iface->fault.text, sizeof(iface->fault.text), "%s", text);
}

static int64_t backoff_ns(unsigned failures)
{
	int64_t s = RETRY_FIRST_S;

	while (failures-- > 1 && s < RETRY_MOST_S)
		s *= 2;
	return (s < RETRY_MOST_S ? s : RETRY_MOST_S) * DCB_NS_PER_S;
}

int64_t iface_open_error(struct soft_iface *iface, struct iface_open *side, const char *why,
			 struct dcb_time now)
{
	int64_t ns = backoff_ns(++side->failures);

	side->retry = dcb_time_add_ns(now, ns);
	snprintf(side->error, sizeof(side->error), "%s", why);
	show_fault(iface);
	return ns;
}

void iface_open_failed(struct soft_iface *iface, struct iface_open *side, const char *why,
		       struct dcb_time now)
{
	bool known = strncmp(side->error, why, sizeof(side->error) - 1) == 0;
	int64_t ns = iface_open_error(iface, side, why, now);

	iface->fault.failures++;
	if (!known)
		/*
		 * Message: The interface could not be opened, or failed although its link is up, or
		 * a station could not create the TAP interface of the port. The port does not work;
		 * dcbPortOperational is false, and dcbPortOpenError has the reason. dcbd tries
		 * again after one second and doubles that time after each failure, up to one
		 * minute. A change of the link or of the name of the interface causes an attempt at
		 * once. Correct the cause.
		 */
		log_error("port", "%s: cannot receive or send, retry in %d s: %s",
			  iface->port.base.link.name, (int)(ns / DCB_NS_PER_S), why);
}

void iface_open_done(struct soft_iface *iface, struct iface_open *side, struct dcb_time now)
{
	iface_open_end_fault(iface, side);
	if (side->failures > 0)
		side->retry = dcb_time_add_ns(now, backoff_ns(side->failures));
}

void iface_open_end_fault(struct soft_iface *iface, struct iface_open *side)
{
	side->error[0] = '\0';
	if (!iface->fault.text[0])
		return;
	show_fault(iface);
	if (!iface->fault.text[0] && iface->port.base.link.up)
		log_info("port", "%s: receives and sends again", iface->port.base.link.name);
}

void iface_open_end_retries(struct soft_iface *iface, struct iface_open *side)
{
	iface_open_end_fault(iface, side);
	side->failures = 0;
	side->retry = DCB_TIME_NEVER;
}

/* --- handing over ------------------------------------------------------ */

/* The dataplane thread does not use the interface w: it will be closed. */
static void take_back(struct iface_open *side, const struct watch *w)
{
	if (side->io == w->io)
		side->io = NULL;
	if (side->io && side->inherit)
		side->inherit(side->io, w->io);
}

void soft_close_watch(struct watch *w)
{
	w->io->ops->close(w->io);
	free(w);
}

unsigned iface_open_collect(struct iface_open *side, struct mailbox_item **list)
{
	struct mailbox_item *item = mailbox_collect(&side->mailbox);
	unsigned n = 0;

	while (item) {
		struct mailbox_item *next = item->next;

		take_back(side, watch_of(item));
		item->next = *list;
		*list = item;
		item = next;
		n++;
	}
	return n;
}

void iface_open_close_returned(struct iface_open *side)
{
	struct mailbox_item *list = NULL;

	(void)iface_open_collect(side, &list);
	while (list) {
		struct watch *w = watch_of(list);

		list = list->next;
		soft_close_watch(w);
	}
}

void iface_open_offer(struct iface_open *side, struct watch *w)
{
	struct mailbox_item *former;

	side->io = w ? w->io : NULL;
	former = mailbox_offer(&side->mailbox, w ? &w->item : NULL);
	if (former) {
		take_back(side, watch_of(former));
		soft_close_watch(watch_of(former));
	}
	iface_open_close_returned(side);
}
