/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/host/priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/privileges.h"

const char *priv_user(const char *user)
{
	return user || !privileges_of_root() ? user : PRIV_USER;
}

uid_t priv_uid(const char *user)
{
	const struct passwd *pw = privileges_of_root() ? getpwnam(priv_user(user)) : NULL;

	return pw ? pw->pw_uid : geteuid();
}

/* Packet sockets; promiscuous mode, taps, PACKET_QDISC_BYPASS, nftables. */
#define KEPT   CAP_NET_RAW, CAP_NET_ADMIN
#define KEPT_N 2

bool priv_drop(const char *user, const char *group, bool nice, char *err, size_t errlen)
{
	const struct privileges p = {
	    .user = user,
	    .group = group,
	    .kept = {KEPT, CAP_SYS_NICE},
	    .n_kept = nice ? KEPT_N + 1 : KEPT_N,
	    .advice = ": create it, or set user in dcbd.conf; with \"root\" dcbd stays root",
	    /*
	     * Message "no capabilities: interfaces cannot be opened": dcbd has neither CAP_NET_RAW
	     * nor CAP_NET_ADMIN. Start it as root, or give it these capabilities.
	     */
	    .without = "interfaces cannot be opened",
	};

	return privileges_drop(&p, err, errlen);
}

bool priv_drop_nice(char *err, size_t errlen)
{
	const struct privileges p = {.kept = {KEPT}, .n_kept = KEPT_N};

	return privileges_drop(&p, err, errlen);
}

/* --- what the machine lacks ------------------------------------------------------------------- */

/* Each returns 0, or the errno of its attempt. */

/* Closes fd, if it is one. Returns the error before. */
static int result_of(int fd)
{
	int error = fd < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return error;
}

static int try_raw_socket(void)
{
	return result_of(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
}

/* Asks for the features: a tap would be an interface for a moment. */
static int try_tap(void)
{
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC), error = 0;
	unsigned features;

	if (fd >= 0 && ioctl(fd, TUNGETFEATURES, &features) < 0)
		error = errno;
	return error ? (close(fd), error) : result_of(fd);
}

static int try_capability(unsigned capability)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	if (syscall(SYS_capget, &head, data) < 0)
		return errno;
	return data[capability / 32].effective >> capability % 32 & 1 ? 0 : EPERM;
}

static int try_net_admin(void)
{
	return try_capability(CAP_NET_ADMIN);
}

static int try_real_time(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_RTPRIO, &limit) == 0 && limit.rlim_cur > 0
		   ? 0
		   : try_capability(CAP_SYS_NICE);
}

static const struct {
	unsigned need;
	int (*attempt)(void);
	const char *what, *help;
} lacks[] = {
    {PRIV_PORTS, try_raw_socket, "dcbd lacks raw sockets, and can open no interface",
     "modprobe af_packet on the host; a container needs --cap-add=NET_RAW, or --privileged"},
    {PRIV_TAPS, try_tap, "dcbd lacks /dev/net/tun, and can make no tap",
     "modprobe tun on the host; a container needs --device=/dev/net/tun, or --privileged"},
    {PRIV_TAPS, try_net_admin, "dcbd lacks CAP_NET_ADMIN, and can make no tap",
     "a container needs --cap-add=NET_ADMIN, or --privileged"},
    {PRIV_REAL_TIME, try_real_time, "dcbd does without real time",
     "PFC stops a port later; a service needs LimitRTPRIO=, a container --ulimit rtprio=49, or "
     "--cap-add=SYS_NICE"},
};

void priv_lacks(unsigned needs, void (*say)(void *ctx, const char *text), void *ctx)
{
	char text[512];

	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++) {
		int error = lacks[i].need & needs ? lacks[i].attempt() : 0;

		if (!error)
			continue;
		/*
		 * Message "dcbd lacks %s: %s; %s": The machine or the container does not permit
		 * what the ports of dcbd.conf(5) need. The texts are the consequence, the cause,
		 * and what helps.
		 */
		/*
		 * Message "dcbd does without %s: %s; %s": The machine or the container does not
		 * permit something optional. The texts are the cause, the consequence, and what
		 * helps.
		 */
		snprintf(text, sizeof(text), "%s: %s; %s", lacks[i].what, strerror(error),
			 lacks[i].help);
		say(ctx, text);
	}
}
