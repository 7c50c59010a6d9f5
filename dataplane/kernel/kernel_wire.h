/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Carries the octets of requests about interfaces: sockets to the kernel, or a test's replacement
 * of the kernel. For one thread.
 */
#ifndef DCB_KERNEL_KERNEL_WIRE_H
#define DCB_KERNEL_KERNEL_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* More than the longest message of the kernel about one interface, and than an acknowledgment. */
#define KERNEL_WIRE_OCTETS 16384

struct ifreq;
struct kernel_wire;

struct kernel_wire_ops {
	/*
	 * Sends a netlink request. The kernel works on it meanwhile, for as long as a driver takes.
	 * Returns 0 or an errno.
	 */
	int (*send)(struct kernel_wire *wire, const void *request, size_t len);
	/*
	 * Receives a datagram of answers, and waits for it up to ms milliseconds. Returns its
	 * length, or a negative errno: ETIMEDOUT, ENOBUFS if answers were lost.
	 */
	ssize_t (*receive)(struct kernel_wire *wire, void *buf, size_t size, int ms);
	/*
	 * Receives a datagram of group RTNLGRP_DCB. Does not wait. Returns its length, or a
	 * negative errno: EAGAIN if there is none, ENOBUFS if some were lost.
	 */
	ssize_t (*receive_group)(struct kernel_wire *wire, void *buf, size_t size);
	/* File descriptor that is readable when receive_group() has something; -1: none. */
	int (*group_fd)(const struct kernel_wire *wire);
	/* ioctl() of a socket, SIOCETHTOOL or SIOCGIFINDEX. Returns 0 or an errno. */
	int (*request)(struct kernel_wire *wire, unsigned long request, struct ifreq *ifr);
	void (*destroy)(struct kernel_wire *wire);
};

struct kernel_wire {
	const struct kernel_wire_ops *ops;
	uint32_t port; /* netlink port of the requests, which their answers have */
};

/*
 * Opens the sockets, in the network namespace of the calling thread. NULL: err says why. Any
 * thread.
 */
struct kernel_wire *kernel_wire_open(char *err, size_t errlen);

#endif
