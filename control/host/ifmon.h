/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interfaces as rtnetlink tells of them (libmnl): a dump at the start, then
 * every change. Speed comes from ethtool, as netlink does not carry it. Only
 * interfaces that carry Ethernet frames are spoken of. The only file that
 * speaks libmnl.
 */
#ifndef DCB_CONTROL_HOST_IFMON_H
#define DCB_CONTROL_HOST_IFMON_H

#include "dataplane/config/provider.h"

struct event_base;
struct ifmon;

struct ifmon_ops {
	/* New, or any field of a known one changed (a rename and a new alias included). */
	void (*link)(void *ctx, const struct link_info *link);
	void (*gone)(void *ctx, uint32_t ifindex);
};

/*
 * Opens netlink in the current network namespace, reports every interface
 * through ops before it returns, then goes on from base's loop. A lost
 * message (ENOBUFS) leads to a new dump and "gone" for what it lacks.
 * NULL: err says why.
 */
struct ifmon *ifmon_new(struct event_base *base, const struct ifmon_ops *ops, void *ctx, char *err,
			size_t errlen);
void ifmon_free(struct ifmon *m);

#endif
