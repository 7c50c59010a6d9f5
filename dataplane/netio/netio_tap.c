/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's tun driver in tap mode. Properties that the code depends on:
 *
 * - Each frame takes a read() or write(): a character device has no recvmmsg().
 *   The kernel queues frames for read() up to txqueuelen (1000) and drops further
 *   ones. A full queue makes UDP senders block on their socket buffer, and TCP
 *   senders wait at their queue limit.
 * - io_uring with batches of 64 is no faster than read() in one thread without a seccomp
 *   filter. Processor time of a frame of 64 and of 1500 octets, Linux 6.18: read() 236 and
 *   259 ns, readv() 269 and 290, io_uring 272 and 307, with registered buffers and file 233
 *   and 264. In dcbd, the kernel takes and drops a reference of the open file and looks at
 *   the filter for each read(), 20 to 25 ns. doc/decisions.md has what io_uring would save
 *   there, and why it is not used.
 *   A second queue of the tap would be for a second thread: one thread makes as many calls
 *   for the frames of both.
 * - A writev() of two parts takes 60 ns more than a write(), but to copy 1500 octets into
 *   one buffer takes 10 to 25 ns. So a frame without its tags is copied.
 * - Without IFF_VNET_HDR and TUNSETOFFLOAD the kernel segments and computes
 *   checksums before read(): every frame can go to the link as it is. To segment
 *   here (dataplane/core/offload.h) takes 320 ns of this thread for a frame of 1514
 *   octets in place of 297, and 262 of the host in place of 308.
 * - The interface exists as long as the descriptor: close() or the end of the
 *   process deletes it.
 * - The link's state sets the carrier, not IFF_UP: an interface that goes down
 *   loses its routes and IPv6 addresses, one without carrier keeps them.
 * - EIO: the operator set the tap down. Frames are lost as on any interface that
 *   is down; the port does not report an error.
 */
#include "dataplane/netio/netio_tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef TUNSETCARRIER
#define TUNSETCARRIER _IOW('T', 226, int)
#endif

struct tap_io {
	struct netio io;
	char name[IF_NAMESIZE];
	uint32_t ifindex;
	int control; /* socket for interface ioctls */
};

static struct tap_io *to_tap(struct netio *io)
{
	return (struct tap_io *)io;
}

/* --- frames -------------------------------------------------------------- */

/*
 * Direct system calls: libc's read() and write() are cancellation points, which in a
 * program with threads costs more than the rest of the call does in user space. The
 * dataplane thread is never canceled.
 */
static ssize_t read_frame(int fd, void *octets, size_t size)
{
	return (ssize_t)syscall(SYS_read, fd, octets, size);
}

static ssize_t write_frame(int fd, const struct iovec *frame)
{
	return (ssize_t)syscall(SYS_write, fd, frame->iov_base, frame->iov_len);
}

static int tap_read(struct netio *io, uint8_t *octets, uint32_t size)
{
	ssize_t len;

	do
		len = read_frame(io->recv_fd, octets, size);
	while (len < 0 && errno == EINTR);
	if (len >= 0)
		return (int)len;
	return errno == EBADFD ? -ENXIO : 0; /* EBADFD: the interface was deleted */
}

static bool is_full(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS || error == ENOMEM;
}

static struct netio_sent tap_send(struct netio *io, const struct iovec *frames, unsigned n,
				  struct dcb_time now)
{
	struct netio_sent sent = {0};

	(void)now;
	while (sent.taken < n) {
		ssize_t len = write_frame(io->send_fd, &frames[sent.taken]);

		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0 && errno == EBADFD) {
			sent.error = ENXIO;
			break;
		}
		if (len < 0 && is_full(errno))
			break;
		if (len < 0) {
			sent.refused++;
			sent.refused_octets += (uint32_t)frames[sent.taken].iov_len;
		}
		sent.taken++;
	}
	return sent;
}

/* Frames that the host could not queue count as tx_dropped of the tap. */
static uint64_t tap_lost(struct netio *io)
{
	(void)io;
	return 0;
}

/* --- the interface ------------------------------------------------------- */

static struct ifreq request(const struct tap_io *t)
{
	struct ifreq ifr = {0};

	memcpy(ifr.ifr_name, t->name, sizeof(ifr.ifr_name));
	return ifr;
}

/* The operator may have renamed the interface. */
static bool find_name(struct tap_io *t)
{
	struct ifreq ifr = {.ifr_ifindex = (int)t->ifindex};

	if (ioctl(t->control, SIOCGIFNAME, &ifr) < 0)
		return false;
	memcpy(t->name, ifr.ifr_name, sizeof(t->name));
	return true;
}

bool netio_tap_set_mac(struct netio *io, const uint8_t *mac)
{
	struct tap_io *t = to_tap(io);
	struct ifreq ifr;

	if (!find_name(t))
		return false;
	ifr = request(t);
	ifr.ifr_hwaddr.sa_family = ARPHRD_ETHER;
	memcpy(ifr.ifr_hwaddr.sa_data, mac, 6);
	return ioctl(t->control, SIOCSIFHWADDR, &ifr) == 0;
}

bool netio_tap_set_mtu(struct netio *io, uint32_t mtu)
{
	struct tap_io *t = to_tap(io);
	struct ifreq ifr;

	if (!find_name(t))
		return false;
	ifr = request(t);
	ifr.ifr_mtu = (int)mtu;
	return ioctl(t->control, SIOCSIFMTU, &ifr) == 0;
}

bool netio_tap_set_carrier(struct netio *io, bool up)
{
	int on = up;

	return ioctl(io->recv_fd, TUNSETCARRIER, &on) == 0;
}

static bool bring_up(struct tap_io *t)
{
	struct ifreq ifr = request(t);

	if (ioctl(t->control, SIOCGIFFLAGS, &ifr) < 0)
		return false;
	ifr.ifr_flags |= IFF_UP;
	return ioctl(t->control, SIOCSIFFLAGS, &ifr) == 0;
}

/* --- open and close ------------------------------------------------------ */

static void tap_close(struct netio *io)
{
	struct tap_io *t = to_tap(io);

	if (io->recv_fd >= 0)
		close(io->recv_fd);
	if (t->control >= 0)
		close(t->control);
	free(t);
}

const char *netio_tap_name(const struct netio *io)
{
	return ((const struct tap_io *)io)->name;
}

uint32_t netio_tap_ifindex(const struct netio *io)
{
	return ((const struct tap_io *)io)->ifindex;
}

bool netio_tap_exists(const struct netio *io)
{
	struct ifreq ifr = {0};

	return ioctl(io->recv_fd, TUNGETIFF, &ifr) == 0;
}

static const char *hint(int error)
{
	switch (error) {
	case EPERM:
		return " (a station needs CAP_NET_ADMIN)";
	case EACCES:
		return " (no permission for this user)";
	case EBUSY:
	case EEXIST:
		return " (an interface with this name exists)";
	case ENOENT:
	case ENODEV:
		return " (kernel module tun missing?)";
	default:
		return "";
	}
}

static bool fail(const char *name, const char *step, char *err, size_t errlen)
{
	/*
	 * Message: A station cannot create the TAP interface of the port. The port does not work,
	 * and dcbd tries again. The last part of the message is a hint: missing CAP_NET_ADMIN, no
	 * permission for /dev/net/tun, an existing interface with the name of `tap`, or a missing
	 * kernel module tun.
	 */
	snprintf(err, errlen, "tap %s: %s: %s%s", name, step, strerror(errno), hint(errno));
	return false;
}

static bool create(struct tap_io *t, const char *name, char *err, size_t errlen)
{
	struct ifreq ifr = {.ifr_flags = IFF_TAP | IFF_NO_PI};

	t->io.recv_fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (t->io.recv_fd < 0)
		return fail(name, "/dev/net/tun", err, errlen);
	t->io.send_fd = t->io.recv_fd;
	t->control = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0); /* any family works */
	if (t->control < 0)
		return fail(name, "socket", err, errlen);
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	if (ioctl(t->io.recv_fd, TUNSETIFF, &ifr) < 0) {
		int error = errno;

		/* EINVAL is also the kernel's error for an existing interface that is no tap. */
		errno = error == EINVAL && if_nametoindex(name) ? EEXIST : error;
		return fail(name, "cannot create", err, errlen);
	}
	memcpy(t->name, ifr.ifr_name, sizeof(t->name));
	t->ifindex = if_nametoindex(t->name);
	return t->ifindex != 0 || fail(name, "no ifindex", err, errlen);
}

static bool set_up(struct tap_io *t, const struct netio_tap_params *params, char *err,
		   size_t errlen)
{
	if (ioctl(t->io.recv_fd, TUNSETOFFLOAD, 0UL) < 0)
		return fail(t->name, "cannot disable offloads", err, errlen);
	if (!netio_tap_set_mac(&t->io, params->mac))
		return fail(t->name, "cannot set MAC address", err, errlen);
	if (!netio_tap_set_mtu(&t->io, params->mtu))
		return fail(t->name, "cannot set MTU", err, errlen);
	if (!bring_up(t))
		return fail(t->name, "cannot set IFF_UP", err, errlen);
	/* Before Linux 5.0 there is no TUNSETCARRIER: the carrier is always on. */
	(void)netio_tap_set_carrier(&t->io, params->carrier);
	return true;
}

struct netio *netio_tap_open(const struct netio_tap_params *params, char *err, size_t errlen)
{
	static const struct netio_ops ops = {
	    .name = "tap",
	    .read = tap_read,
	    .send = tap_send,
	    .lost = tap_lost,
	    .close = tap_close,
	};
	struct tap_io *t = calloc(1, sizeof(*t));

	if (!t) {
		snprintf(err, errlen, "tap %s: out of memory", params->name);
		return NULL;
	}
	t->io = (struct netio){.ops = &ops, .recv_fd = -1, .send_fd = -1, .stamp_fd = -1};
	t->control = -1;
	if (!create(t, params->name, err, errlen))
		goto fail;
	if (!set_up(t, params, err, errlen))
		goto fail;
	return &t->io;
fail:
	tap_close(&t->io);
	return NULL;
}
