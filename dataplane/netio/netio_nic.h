/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timestamps by the NIC of an interface, for netio_packet.c: whether it has them, its settings, and
 * the times at which it received HMPDUs. No function blocks for longer than an ioctl() or allocates
 * memory.
 *
 * The clock of a NIC can be compared with others only through /dev/ptp*, which dcbd cannot open.
 * Its times are therefore only subtracted from each other.
 */
#ifndef DCB_DATAPLANE_NETIO_NETIO_NIC_H
#define DCB_DATAPLANE_NETIO_NETIO_NIC_H

#include <linux/ethtool.h>
#include <stdbool.h>
#include <stdint.h>

#include "dataplane/netio/netio_stamp.h"

#define NETIO_NIC_COPIES 16

struct netio_nic {
	int fd; /* receives a copy of each HMPDU, for its times; -1: the NIC is not used */
	uint32_t ifindex;
	bool was_off; /* netio_nic_end() switches the NIC's timestamps off again */
	struct netio_times copy[NETIO_NIC_COPIES]; /* the last ones, in a ring */
	unsigned next;                             /* in copy[], modulo NETIO_NIC_COPIES */
};

static inline bool netio_nic_is_used(const struct netio_nic *n)
{
	return n->fd >= 0;
}

/*
 * Returns true if a NIC has a clock with which it can stamp every transmitted and received frame.
 * Filters for PTP alone are of no use: HMPDUs have another EtherType.
 */
bool netio_nic_can(const struct ethtool_ts_info *info);

/*
 * Uses the NIC's timestamps if it has them. fd: a socket to ask by. Choice: settings that another
 * program has made are left as they are; then, and on errors, the NIC is not used, which the log
 * says with the reason. Changing the settings needs CAP_NET_ADMIN. Control thread.
 */
void netio_nic_begin(struct netio_nic *n, int fd, uint32_t ifindex);

/* Restores what a former run has left, see netio_kept.h. */
void netio_nic_undo(int fd, uint32_t ifindex);

/* Makes n restore at its end what from, of the same interface, would restore. */
void netio_nic_inherit(struct netio_nic *n, struct netio_nic *from);

/* Restores the NIC's settings if netio_nic_begin() changed them and no other program has since. */
void netio_nic_end(struct netio_nic *n, int fd);

/*
 * Gets the NIC's time, in ns, of the received HMPDU that has the kernel's time real. Returns false
 * if it is not known. Dataplane thread.
 */
bool netio_nic_received(struct netio_nic *n, struct timespec real, int64_t *nic_ns);

#endif
