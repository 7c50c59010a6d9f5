/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits that the kernel has for the process. */
#ifndef DCB_CONTROL_HOST_LIMITS_H
#define DCB_CONTROL_HOST_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * File descriptors of a port, at most: the receive ring, the socket that counts HMPDUs, two sending
 * sockets, the socket for times of the NIC, and with a host the tap and its control socket.
 */
#define LIMITS_FILES_PER_PORT 7

/*
 * Raises RLIMIT_NOFILE to the number of file descriptors that this many ports need, as
 * far as it is permitted: without CAP_SYS_RESOURCE up to the hard limit. To be called
 * before priv_drop(). Never lowers a limit. Returns the number of ports that the limit
 * now suffices for, at most ports; fewer are logged.
 */
uint32_t limits_raise_files(uint32_t ports);

/*
 * Processor time of a real-time thread without a wait, after which the kernel ends dcbd:
 * WatchdogSec of the unit.
 */
#define LIMITS_RT_SECONDS 10

/*
 * Permits real-time priorities up to this one by RLIMIT_RTPRIO: beyond the hard limit with
 * CAP_SYS_RESOURCE, so before priv_drop(). Never lowers that limit. Has the kernel end dcbd if a
 * thread with such a priority uses LIMITS_RT_SECONDS of processor time without a wait: the
 * dataplane thread, which waits if it is overloaded (lib/rt_guard.h), hangs, and on one processor
 * the watchdog would hang with it. priority 0: nothing is wanted. Returns whether the limit permits
 * the priority.
 */
bool limits_permit_real_time(int priority);

#endif
