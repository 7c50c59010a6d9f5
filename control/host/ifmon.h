/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports Ethernet interfaces from rtnetlink: all of them at the start, then each
 * change. Speed is read with ethtool, because rtnetlink does not have it. Control thread
 * only.
 *
 * The master of an interface and an address of it are reported too, by notifications: dcbd warns
 * of those of its ports, because what the ports receive ends at dcbd.
 */
#ifndef DCB_CONTROL_HOST_IFMON_H
#define DCB_CONTROL_HOST_IFMON_H

#include "dataplane/config/provider.h"

struct event_base;
struct ifmon;

struct ifmon_ops {
	/*
	 * A new interface, or a change of any member, including name and alias; not if the
	 * interface was deleted meanwhile.
	 */
	void (*link)(void *ctx, const struct link_info *link, const struct link_host *host);
	/* The interface was deleted or left the network namespace. */
	void (*gone)(void *ctx, uint32_t ifindex);
};

/*
 * Opens rtnetlink in the current network namespace. Reports all interfaces through ops
 * before it returns, and changes from base's event loop. If the kernel drops messages
 * (ENOBUFS), it lists all interfaces again and reports the differences. NULL: err says why.
 */
struct ifmon *ifmon_new(struct event_base *base, const struct ifmon_ops *ops, void *ctx, char *err,
			size_t errlen);
void ifmon_free(struct ifmon *m);

/* Calls fn for each interface that has been reported and is not gone. fn must not free m. */
void ifmon_each(const struct ifmon *m,
		void (*fn)(void *ctx, const struct link_info *link, const struct link_host *host),
		void *ctx);

#endif
