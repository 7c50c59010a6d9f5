/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames that a port receives are the port's alone: an nftables chain at the interface's ingress
 * hook drops them behind the packet sockets, before anything else of the host, but for those of
 * reserved addresses (01-80-C2-00-00-00 to -0F), which stay on the link anyway: of LACP, 802.1X or
 * PTP programs, which have packet sockets of one EtherType behind the hook; and HMPDUs, of which
 * netio_hm_filter.h and netio_nic.h have such sockets. Otherwise the host
 * answers ARP on the port, takes IPv6 router advertisements from it and accepts packets for its
 * other addresses; a kernel bridge or bond of which the interface is part forwards each frame a
 * second time. Packet sockets of others, as of lldpd and tcpdump, receive the frames before.
 *
 *   table netdev dcbd_port_<ifIndex> { flags owner; chain ingress { ...; policy drop; } }
 *
 * The table is owned by the process's netlink socket: the kernel removes it when the process has
 * ended, however it ends, and no other process can have the same one. So it is also the lock of
 * the interface in its network namespace: two dcbd would forward each frame twice.
 *
 * A second dcbd reports the process that has the interface, and tries again later. On a veth pair
 * the chain costs 44 ns of 700 for a frame to another station, which the host would have dropped
 * at once, and saves 30 for one that IP would have looked at (bench_ingress).
 *
 * Needs Linux 5.12 with nf_tables, and CAP_NET_ADMIN. Without these there is no lock, and of the
 * host only its IPv4 and IPv6 are stopped (netio_host_off.h), with a warning.
 */
#ifndef DCB_DATAPLANE_NETIO_NETIO_INGRESS_H
#define DCB_DATAPLANE_NETIO_NETIO_INGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "dataplane/netio/netio_host_off.h"

/* All zero: nothing to release. */
struct netio_ingress {
	uint32_t ifindex; /* 0: there is no table */
	struct netio_host_off host_off;
};

/*
 * Takes the frames of the interface for this process; several may be taken of one interface.
 * Returns false if another process has them: err names it. Any thread.
 */
bool netio_ingress_take(struct netio_ingress *in, uint32_t ifindex, char *err, size_t errlen);

/*
 * Returns 0 if the process can have such tables, or the errno of its attempt, which leaves nothing.
 * Any thread.
 */
int netio_ingress_check(void);

/*
 * The interface has another name. Since Linux 6.16 the kernel ends a hook whose name the interface
 * has no longer; an earlier kernel does not. Any thread.
 */
void netio_ingress_renamed(const struct netio_ingress *in);

/* Makes in restore at its end what from, of the same interface, would restore. */
void netio_ingress_inherit(struct netio_ingress *in, struct netio_ingress *from);

/* Gives the frames back to the host, if this was the last of the interface. Any thread. */
void netio_ingress_release(struct netio_ingress *in);

#endif
