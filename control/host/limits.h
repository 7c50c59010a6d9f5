/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits that the kernel has for the process. */
#ifndef DCB_CONTROL_HOST_LIMITS_H
#define DCB_CONTROL_HOST_LIMITS_H

#include <stdint.h>

/*
 * File descriptors of a port, at most: the receive ring, the socket that counts HMPDUs, two sending
 * sockets, the socket for times of the NIC, and with a host the tap and its control socket.
 * libpcap's eventfd is open only until the ring does not block.
 */
#define LIMITS_FILES_PER_PORT 7

/*
 * Raises RLIMIT_NOFILE to the number of file descriptors that this many ports need, as
 * far as it is permitted: without CAP_SYS_RESOURCE up to the hard limit. To be called
 * before priv_drop(). Never lowers a limit. Returns the number of ports that the limit
 * now suffices for, at most ports; fewer are logged.
 */
uint32_t limits_raise_files(uint32_t ports);

#endif
