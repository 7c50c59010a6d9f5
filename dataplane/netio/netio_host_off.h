/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stops the kernel's IPv4 and IPv6 from processing frames received on the interface
 * of a port, where the kernel has no rule for all frames (netio_ingress.h). Packet
 * sockets still receive these frames.
 *
 * Linux accepts packets for any of its addresses on every interface: without
 * this, a packet for an address of a station's tap would reach the host twice, from
 * the interface and from the tap, and be acknowledged twice. With strict reverse path
 * filtering (RFC 3704), IPv4 neither accepts a packet nor answers ARP on an
 * interface that is not its route to the source. IPv6 has no such filter and is
 * disabled on the interface.
 */
#ifndef DCB_DATAPLANE_NETIO_NETIO_HOST_OFF_H
#define DCB_DATAPLANE_NETIO_NETIO_HOST_OFF_H

#include <stdint.h>

#define NETIO_HOST_OFF_SETTINGS 2

struct netio_host_off {
	uint32_t ifindex;
	char was[NETIO_HOST_OFF_SETTINGS]; /* previous value, a digit; 0: not changed */
};

/* Sets the interface's sysctls. Logs a warning for each that cannot be set. */
void netio_host_off_begin(struct netio_host_off *q, uint32_t ifindex);
/* Restores what a former run has left, see netio_kept.h. */
void netio_host_off_undo(uint32_t ifindex);
/* Makes q restore at its end what from, of the same interface, would restore. */
void netio_host_off_inherit(struct netio_host_off *q, struct netio_host_off *from);
/* Restores the changed sysctls, if the interface still exists. */
void netio_host_off_end(struct netio_host_off *q);

#endif
