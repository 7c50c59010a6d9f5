/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Has the kernel's own protocols leave an interface alone whose frames are
 * somebody else's. Packet sockets see them all the same.
 *
 * Linux answers for each of its addresses on every interface: what arrives at a
 * station's wire for an address of its tap would reach the host twice, once by
 * each, and be acknowledged twice. IPv4 with strict reverse path filtering
 * (RFC 3704) does not take a packet, nor answer ARP, where it would not send to
 * its source; IPv6 has no such thing and is switched off on the interface.
 */
#ifndef DCB_DATAPLANE_NETIO_NETIO_QUIET_H
#define DCB_DATAPLANE_NETIO_NETIO_QUIET_H

#include <stdint.h>

#define NETIO_QUIET_SETTINGS 2

struct netio_quiet {
	uint32_t ifindex;
	char was[NETIO_QUIET_SETTINGS]; /* '0' or another digit; 0: was not changed */
};

/* What cannot be set is warned of in the log. */
void netio_quiet_begin(struct netio_quiet *q, uint32_t ifindex);
/* Puts back what was changed, if the interface is still there. */
void netio_quiet_end(struct netio_quiet *q);

#endif
