/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timestamps: SO_TIMESTAMPING in Linux's Documentation/networking/timestamping.rst.
 * Properties of the kernel that the code depends on:
 *
 * - A control message with a transmit flag asks for the timestamp of one message; the flags
 *   of the socket say only which timestamps are reported, and how. Frames without the control
 *   message cost nothing more.
 * - The driver's timestamp is taken when it hands the frame to the NIC, on veth within
 *   sendmsg(). Drivers without skb_tx_timestamp() never report one.
 * - SOF_TIMESTAMPING_OPT_TSONLY reports it without the frame, so that a receive buffer
 *   holds many; SOF_TIMESTAMPING_OPT_ID numbers them.
 * - The NIC's time of a transmitted frame comes later than the driver's, in a message of its
 *   own with the same number. Without SOF_TIMESTAMPING_OPT_TX_SWHW it would come alone.
 * - The error queue makes poll() report POLLERR. An error of the socket does as well, until
 *   SO_ERROR is read.
 */
#include "dataplane/netio/netio_stamp.h"

#include "lib/clock.h"

#include <linux/errqueue.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <string.h>

/* --- clocks -------------------------------------------------------------- */

int64_t netio_stamp_offset(struct netio_real_clock *c, int64_t before, int64_t real_now,
			   int64_t after)
{
	int64_t least = real_now - after, most = real_now - before;

	if (!c->known || least > c->most || most < c->least) /* else the date was set */
		*c = (struct netio_real_clock){least, most, true};
	if (least > c->least)
		c->least = least;
	if (most < c->most)
		c->most = most;
	return c->least + (c->most - c->least) / 2;
}

static int64_t ns_of(struct timespec t)
{
	return (int64_t)t.tv_sec * DCB_NS_PER_S + t.tv_nsec;
}

struct dcb_time netio_stamp_time(struct netio_real_clock *c, struct timespec real)
{
	struct dcb_time before = clock_now(), after;
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	after = clock_now();
	return (struct dcb_time){ns_of(real) -
				 netio_stamp_offset(c, before.ns, ns_of(now), after.ns)};
}

/* --- reading --------------------------------------------------------------- */

/* The driver fills the first time, the NIC the third one. A time of 0 s is none. */
static void read_times(const struct cmsghdr *c, struct netio_times *times)
{
	struct scm_timestamping is;

	memcpy(&is, CMSG_DATA(c), sizeof(is));
	*times = (struct netio_times){.has_real = is.ts[0].tv_sec != 0,
				      .has_nic = is.ts[2].tv_sec != 0 || is.ts[2].tv_nsec != 0,
				      .real = is.ts[0],
				      .nic_ns = ns_of(is.ts[2])};
}

/* Reads the control messages of a frame. Returns whether the number of the frame is known. */
static bool read_control(struct msghdr *msg, uint32_t *id, struct netio_times *times)
{
	struct sock_extended_err error;
	bool has_id = false;

	*times = (struct netio_times){0};
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING) {
			read_times(c, times);
		} else if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_TX_TIMESTAMP) {
			memcpy(&error, CMSG_DATA(c), sizeof(error));
			*id = error.ee_data;
			has_id = error.ee_origin == SO_EE_ORIGIN_TIMESTAMPING;
		}
	}
	return has_id;
}

union control {
	struct cmsghdr header;
	char octets[256];
};

/* --- transmit timestamps ------------------------------------------------- */

bool netio_stamp_enable(int fd, bool nic)
{
	const int flags = SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_ID |
			  SOF_TIMESTAMPING_OPT_TSONLY |
			  (nic ? SOF_TIMESTAMPING_RAW_HARDWARE | SOF_TIMESTAMPING_OPT_TX_SWHW : 0);
	const int none = 0; /* the kernel counts from 0 when it gets SOF_TIMESTAMPING_OPT_ID */

	return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &none, sizeof(none)) == 0 &&
	       setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags)) == 0;
}

ssize_t netio_stamp_send(int fd, const struct iovec *frame, bool nic)
{
	const uint32_t flags =
	    SOF_TIMESTAMPING_TX_SOFTWARE | (nic ? SOF_TIMESTAMPING_TX_HARDWARE : 0);
	union {
		struct cmsghdr header;
		char octets[CMSG_SPACE(sizeof(flags))];
	} control = {.octets = {0}};
	struct msghdr msg = {.msg_iov = (struct iovec *)frame,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SO_TIMESTAMPING;
	c->cmsg_len = CMSG_LEN(sizeof(flags));
	memcpy(CMSG_DATA(c), &flags, sizeof(flags));
	return sendmsg(fd, &msg, MSG_DONTWAIT);
}

bool netio_stamp_take(int fd, uint32_t *id, struct netio_times *times)
{
	union control control;
	struct msghdr msg;
	socklen_t len;
	int error;

	do {
		msg = (struct msghdr){.msg_control = &control, .msg_controllen = sizeof(control)};
		if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
			len = sizeof(error);
			(void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
			return false;
		}
	} while (!read_control(&msg, id, times) || (!times->has_real && !times->has_nic));
	return true;
}

/* --- receive timestamps -------------------------------------------------- */

bool netio_stamp_enable_receive(int fd)
{
	const int flags = SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE |
			  SOF_TIMESTAMPING_RAW_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE;

	return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags)) == 0;
}

bool netio_stamp_receive(int fd, struct netio_times *times)
{
	union control control;
	struct msghdr msg = {.msg_control = &control, .msg_controllen = sizeof(control)};
	uint32_t none;

	if (recvmsg(fd, &msg, MSG_DONTWAIT) < 0)
		return false;
	(void)read_control(&msg, &none, times);
	return true;
}
