/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timestamps of the kernel for single frames of a packet socket, for netio_packet.c.
 * One thread at a time. Nothing here allocates memory or blocks.
 *
 * Times are converted to the clock of the event loop by bounds of the difference of both clocks,
 * which every reading narrows. So an interruption between two readings disturbs no round trip, and
 * a change of the date one.
 */
#ifndef DCB_DATAPLANE_NETIO_NETIO_STAMP_H
#define DCB_DATAPLANE_NETIO_NETIO_STAMP_H

#include <sys/socket.h>
#include <time.h>

#include "dataplane/netio/netio.h"

/*
 * The kernel's timestamps are of CLOCK_REALTIME. That clock and CLOCK_MONOTONIC run at the
 * same rate; their difference changes only when the date is set. least and most are its
 * known bounds, in ns.
 */
struct netio_real_clock {
	int64_t least, most;
	bool known;
};

/*
 * Returns the time on the clock of clock_now() of a kernel's timestamp that is recent: a
 * setting of the date since then makes it wrong. The difference of two results is exact
 * to a few ns after the first conversions.
 */
struct dcb_time netio_stamp_time(struct netio_real_clock *c, struct timespec real);

/* The conversion itself: before and after are times around the reading of real_now, in ns. */
int64_t netio_stamp_offset(struct netio_real_clock *c, int64_t before, int64_t real_now,
			   int64_t after);

/* The times of one frame: of CLOCK_REALTIME, and of the NIC's clock. */
struct netio_times {
	bool has_real, has_nic;
	struct timespec real;
	int64_t nic_ns;
};

/*
 * Prepares a packet socket, or has it count messages from 0 again. nic: also for times of the NIC.
 * Returns false if the kernel has no transmit timestamps.
 */
bool netio_stamp_enable(int fd, bool nic);

/*
 * Sends a message and asks for its transmit timestamp, and for that of the NIC if nic is true;
 * other messages of the socket have none. Returns the result of sendmsg().
 */
ssize_t netio_stamp_send(int fd, const struct iovec *frame, bool nic);

/*
 * Takes a transmit timestamp from the error queue; that of the NIC comes by itself. *id: number
 * of the message among those that asked for one, from 0. Returns false if there is none.
 */
bool netio_stamp_take(int fd, uint32_t *id, struct netio_times *times);

/* Prepares a packet socket to receive frames with their times. Returns false on failure, errno. */
bool netio_stamp_enable_receive(int fd);

/* Receives a frame of which only the times count. Returns false if there is none. */
bool netio_stamp_receive(int fd, struct netio_times *times);

#endif
