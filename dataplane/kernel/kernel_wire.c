/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts about Linux on which this depends:
 *
 * - The kernel works on a request of NETLINK_ROUTE within sendto(), and waits there for rtnl: no
 *   time limit applies, and the answers are there afterwards.
 * - A copy for the group is queued before the answer, with port 0: the group has a socket of its
 *   own.
 * - Each socket takes SIOCETHTOOL and SIOCGIFINDEX.
 */
#include "dataplane/kernel/kernel_wire.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "lib/clock.h"

struct sockets {
	struct kernel_wire base;
	struct mnl_socket *requests, *group;
};

static struct sockets *sockets_of(struct kernel_wire *wire)
{
	return (struct sockets *)wire;
}

static int sockets_send(struct kernel_wire *wire, const void *request, size_t len)
{
	ssize_t n;

	do
		n = mnl_socket_sendto(sockets_of(wire)->requests, request, len);
	while (n < 0 && errno == EINTR);
	return n < 0 ? errno : 0;
}

static ssize_t receive(const struct mnl_socket *nl, void *buf, size_t size)
{
	ssize_t n;

	do
		n = mnl_socket_recvfrom(nl, buf, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static ssize_t sockets_receive(struct kernel_wire *wire, void *buf, size_t size, int ms)
{
	const struct mnl_socket *nl = sockets_of(wire)->requests;
	const struct dcb_time end = dcb_time_add_ns(clock_now(), ms * DCB_NS_PER_MS);
	struct pollfd pfd = {.fd = mnl_socket_get_fd(nl), .events = POLLIN};

	for (;;) {
		ssize_t n = receive(nl, buf, size);
		struct dcb_time now = clock_now();

		if (n != -EAGAIN)
			return n;
		if (!dcb_time_before(now, end))
			return -ETIMEDOUT;
		if (poll(&pfd, 1, 1 + (int)(dcb_time_diff_ns(end, now) / DCB_NS_PER_MS)) < 0 &&
		    errno != EINTR)
			return -errno;
	}
}

static ssize_t sockets_receive_group(struct kernel_wire *wire, void *buf, size_t size)
{
	return receive(sockets_of(wire)->group, buf, size);
}

static int sockets_group_fd(const struct kernel_wire *wire)
{
	return mnl_socket_get_fd(((const struct sockets *)wire)->group);
}

static int sockets_request(struct kernel_wire *wire, unsigned long request, struct ifreq *ifr)
{
	int rc;

	do
		rc = ioctl(mnl_socket_get_fd(sockets_of(wire)->requests), request, ifr);
	while (rc < 0 && errno == EINTR);
	return rc < 0 ? errno : 0;
}

static void sockets_destroy(struct kernel_wire *wire)
{
	struct sockets *s = sockets_of(wire);

	if (s->requests)
		mnl_socket_close(s->requests);
	if (s->group)
		mnl_socket_close(s->group);
	free(s);
}

static const struct kernel_wire_ops sockets_ops = {
    .send = sockets_send,
    .receive = sockets_receive,
    .receive_group = sockets_receive_group,
    .group_fd = sockets_group_fd,
    .request = sockets_request,
    .destroy = sockets_destroy,
};

static struct mnl_socket *open_socket(void)
{
	struct mnl_socket *nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (nl && mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) == 0)
		return nl;
	if (nl)
		mnl_socket_close(nl);
	return NULL;
}

struct kernel_wire *kernel_wire_open(char *err, size_t errlen)
{
	struct sockets *s = calloc(1, sizeof(*s));
	int group = RTNLGRP_DCB, without_request = 1;

	if (!s) {
		snprintf(err, errlen, "out of memory");
		return NULL;
	}
	s->base.ops = &sockets_ops;
	s->requests = open_socket();
	s->group = s->requests ? open_socket() : NULL;
	if (!s->group ||
	    mnl_socket_setsockopt(s->group, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0) {
		snprintf(err, errlen, "cannot open a netlink socket: %s", strerror(errno));
		sockets_destroy(&s->base);
		return NULL;
	}
	/* Acknowledgments of errors without the request. */
	(void)mnl_socket_setsockopt(s->requests, NETLINK_CAP_ACK, &without_request,
				    sizeof(without_request));
	s->base.port = mnl_socket_get_portid(s->requests);
	return &s->base;
}
