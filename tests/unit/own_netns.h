/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moves a test into a user namespace and a network namespace of its own, in which it is
 * root. The test does not have to be started as root.
 */
#ifndef DCB_TESTS_OWN_NETNS_H
#define DCB_TESTS_OWN_NETNS_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_SKIP 77 /* automake: neither passed nor failed */

static inline bool own_netns_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Enters the namespaces. Returns false if that is not permitted, after printing SKIP. */
static inline bool own_netns_enter(void)
{
	unsigned uid = getuid(), gid = getgid();
	char map[32];

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) {
		printf("SKIP: cannot create namespaces: %s\n", strerror(errno));
		return false;
	}
	(void)own_netns_write("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", uid);
	if (!own_netns_write("/proc/self/uid_map", map)) {
		printf("SKIP: cannot map the uid in the namespace: %s\n", strerror(errno));
		return false;
	}
	snprintf(map, sizeof(map), "0 %u 1", gid);
	if (!own_netns_write("/proc/self/gid_map", map)) {
		printf("SKIP: cannot map the gid in the namespace: %s\n", strerror(errno));
		return false;
	}
	return true;
}

/*
 * The same, for a test with veth interfaces on which the kernel sends no frames of its own.
 * Returns false if there are none here, too.
 */
static inline bool own_netns_with_veth(void)
{
	if (!own_netns_enter())
		return false;
	(void)own_netns_write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
	if (system("ip link add probe type veth peer name probe2 && ip link del probe") == 0)
		return true;
	printf("SKIP: no veth interfaces here\n");
	return false;
}

#endif
