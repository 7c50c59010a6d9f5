/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/netio/netio_host_off.h"

#include "dataplane/netio/netio_kept.h"
#include "lib/log.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* CAP_NET_ADMIN allows writing these files regardless of their owner and mode. */
#define SETTINGS "/proc/sys/net"

static const struct {
	const char *family, *name;
	char value;
	enum netio_kept kept;
	bool may_be_absent; /* missing in a kernel without this protocol */
} settings[NETIO_HOST_OFF_SETTINGS] = {
    {"ipv4", "rp_filter", '1', NETIO_KEPT_RP_FILTER, false},
    {"ipv6", "disable_ipv6", '1', NETIO_KEPT_DISABLE_IPV6, true},
};

static void path_of(char *path, size_t size, unsigned setting, const char *ifname)
{
	snprintf(path, size, SETTINGS "/%s/conf/%s/%s", settings[setting].family, ifname,
		 settings[setting].name);
}

/* Returns a digit, or 0 on failure with errno. */
static char get(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char digit = 0;

	if (fd < 0)
		return 0;
	if (read(fd, &digit, 1) != 1)
		digit = 0;
	close(fd);
	return digit;
}

static bool put(const char *path, char digit)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int error;
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, &digit, 1) == 1;
	error = errno;
	close(fd);
	errno = error;
	return ok;
}

static void begin(struct netio_host_off *q, unsigned setting, const char *ifname)
{
	char path[128], is, was = 0;

	path_of(path, sizeof(path), setting, ifname);
	is = get(path);
	if (!is && errno == ENOENT && settings[setting].may_be_absent)
		return;
	if (is == settings[setting].value) {
		q->was[setting] = netio_kept_begin(q->ifindex, settings[setting].kept, 0);
		return;
	}
	if (is)
		was = netio_kept_begin(q->ifindex, settings[setting].kept, is);
	if (is && put(path, settings[setting].value)) {
		q->was[setting] = was;
		return;
	}
	/*
	 * Message: dcbd cannot write a file below /proc/sys/net. Mount it writable for dcbd, or set
	 * `rp_filter` and disable_ipv6 of the interface to 1 before dcbd starts.
	 */
	log_warn("port", "%s: the host's IP receives the frames of this port: cannot set %s: %s",
		 ifname, path, strerror(errno));
	netio_kept_end(q->ifindex, settings[setting].kept);
}

void netio_host_off_begin(struct netio_host_off *q, uint32_t ifindex)
{
	char ifname[IF_NAMESIZE];

	*q = (struct netio_host_off){.ifindex = ifindex};
	if (!if_indextoname(ifindex, ifname))
		return;
	for (unsigned i = 0; i < NETIO_HOST_OFF_SETTINGS; i++)
		begin(q, i, ifname);
	/* The kernel uses the larger of conf/all and the interface's value; 2 is loose mode. */
	if (get(SETTINGS "/ipv4/conf/all/rp_filter") == '2')
		/*
		 * Message: The kernel uses the larger value of `all` and of the interface, and 2 is
		 * the loose mode. Set net.ipv4.conf.all.rp_filter to 0 or 1.
		 */
		log_warn("port",
			 "%s: the host's IP receives the frames of this port: " SETTINGS
			 "/ipv4/conf/all/rp_filter is 2, expected 0 or 1",
			 ifname);
}

void netio_host_off_inherit(struct netio_host_off *q, struct netio_host_off *from)
{
	for (unsigned i = 0; i < NETIO_HOST_OFF_SETTINGS; i++) {
		if (from->was[i])
			q->was[i] = from->was[i];
		from->was[i] = 0;
	}
}

void netio_host_off_end(struct netio_host_off *q)
{
	char ifname[IF_NAMESIZE], path[128];

	for (unsigned i = 0; i < NETIO_HOST_OFF_SETTINGS; i++) {
		if (!q->was[i])
			continue;
		if (if_indextoname(q->ifindex, ifname)) {
			path_of(path, sizeof(path), i, ifname);
			(void)put(path, q->was[i]);
		}
		netio_kept_end(q->ifindex, settings[i].kept);
	}
}

void netio_host_off_undo(uint32_t ifindex)
{
	struct netio_host_off q = {.ifindex = ifindex};
	char ifname[IF_NAMESIZE], path[128];

	for (unsigned i = 0; i < NETIO_HOST_OFF_SETTINGS && if_indextoname(ifindex, ifname); i++) {
		q.was[i] = netio_kept_begin(ifindex, settings[i].kept, 0);
		path_of(path, sizeof(path), i, ifname);
		if (!q.was[i] || get(path) == settings[i].value)
			continue;
		netio_kept_end(ifindex, settings[i].kept);
		q.was[i] = 0;
	}
	netio_host_off_end(&q);
}
