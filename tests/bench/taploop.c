/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A minimal end station in user space, for comparison: sends frames read from a tap
 * interface by AF_PACKET, in batches, without parsing. It makes the same system calls as
 * the station's back ends; the difference is the cost of parsing, flow select, reaction
 * points and queues.
 *
 *   taploop [-q] TAP IF
 *     -q: use the kernel's queueing discipline of IF (no PACKET_QDISC_BYPASS)
 *
 * Creates TAP. Runs until it is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH        64
#define FRAME_OCTETS 2048
#define SEND_OCTETS  (1 << 20)

static struct mmsghdr msgs[BATCH];
static struct iovec iov[BATCH];
static uint8_t frames[BATCH][FRAME_OCTETS];

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "taploop: ");
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

static int open_tap(const char *name)
{
	struct ifreq ifr = {.ifr_flags = IFF_TAP | IFF_NO_PI};
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	int control = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	if (fd < 0 || control < 0 || ioctl(fd, TUNSETIFF, &ifr) < 0)
		die("%s: %m", name);
	ifr.ifr_flags = IFF_UP;
	if (ioctl(control, SIOCSIFFLAGS, &ifr) < 0)
		die("%s: up: %m", name);
	close(control);
	return fd;
}

static int open_sender(const char *name, bool qdisc)
{
	struct sockaddr_ll addr = {.sll_family = AF_PACKET};
	const int bypass = !qdisc, octets = SEND_OCTETS;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	addr.sll_ifindex = (int)if_nametoindex(name);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("%s: %m", name);
	if (setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &bypass, sizeof(bypass)))
		die("%s: PACKET_QDISC_BYPASS: %m", name);
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &octets, sizeof(octets));
	for (unsigned i = 0; i < BATCH; i++) {
		iov[i].iov_base = frames[i];
		msgs[i].msg_hdr = (struct msghdr){.msg_iov = &iov[i], .msg_iovlen = 1};
	}
	return fd;
}

static unsigned receive(int tap)
{
	unsigned n = 0;

	while (n < BATCH) {
		ssize_t len = read(tap, frames[n], FRAME_OCTETS);

		if (len <= 0)
			break;
		iov[n++].iov_len = (size_t)len;
	}
	return n;
}

/* Frames that the interface does not accept are lost: there is no queue. */
static void flush(int fd, unsigned n)
{
	unsigned done = 0;

	while (done < n) {
		int rc = sendmmsg(fd, msgs + done, n - done, MSG_DONTWAIT);

		done += rc > 0 ? (unsigned)rc : 1;
	}
}

int main(int argc, char **argv)
{
	bool qdisc = argc == 4 && strcmp(argv[1], "-q") == 0;
	struct pollfd pfd = {.events = POLLIN};
	int fd;

	if (argc != 3 && !qdisc)
		die("expected [-q], a tap and an interface");
	pfd.fd = open_tap(argv[argc - 2]);
	fd = open_sender(argv[argc - 1], qdisc);
	puts("ready");
	fflush(stdout);
	for (;;) {
		if (poll(&pfd, 1, -1) < 0 && errno != EINTR)
			die("poll: %m");
		flush(fd, receive(pfd.fd));
	}
}
