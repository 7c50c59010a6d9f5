/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings of interfaces that dcbd changes while it has them, with the values of the operator, in a
 * file for each interface: after a SIGKILL the next run restores these at its end, and not what
 * the first one had set.
 *
 *   DIRECTORY/interface-<inode of the network namespace>-<ifIndex>
 *
 * A file is of the interface if it has its name or MAC address: an ifIndex is used again. It is
 * written before the change, and removed when all is restored. Where the kernel no longer has the
 * value of dcbd, another program has set one since then, and that value counts.
 *
 * The settings are GRO and LRO, which dcbd switches off, and the NIC's timestamps, which it
 * switches on. DIRECTORY is that of the control socket, where dcbd may write after it has dropped
 * its privileges, and which a boot clears.
 */
#ifndef DCB_DATAPLANE_NETIO_NETIO_KEPT_H
#define DCB_DATAPLANE_NETIO_NETIO_KEPT_H

#include <stdint.h>

enum netio_kept {
	NETIO_KEPT_GRO,
	NETIO_KEPT_LRO,
	NETIO_KEPT_NIC_TIMES,
	NETIO_KEPT_RP_FILTER,
	NETIO_KEPT_DISABLE_IPV6,
	NETIO_KEPT_SETTINGS
};

/*
 * Keeps the values in the directory of a file, here the control socket; NULL: nowhere, as before
 * the first call. Control thread, while no interface is open.
 */
void netio_kept_in_directory_of(const char *file);

/*
 * To be called before a setting is changed. is: its value, a digit; 0: it has the value that dcbd
 * sets. Returns the value to be restored at the end, a digit; 0: none. Any thread.
 */
char netio_kept_begin(uint32_t ifindex, enum netio_kept setting, char is);

/* The setting is restored, or could not be changed. Any thread. */
void netio_kept_end(uint32_t ifindex, enum netio_kept setting);

#endif
