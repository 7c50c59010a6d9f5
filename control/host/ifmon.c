/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One socket receives both notifications of links and addresses and dumps, so the kernel
 * orders them. During a dump both are only noted. At its end the interfaces that
 * the dump did not contain are reported as gone, before any new one is reported,
 * so that a name or alias that moved to another interface is never used twice.
 *
 *   notification ---------------> note --> report ----------> ops->link, ops->gone
 *   ENOBUFS, timer --> dump ... --> note ... end --> report all --^
 *
 * The timer detects changes without a notification: the alias of an interface
 * that is down, a speed set with ethtool, a queueing discipline set with tc, and the
 * address that is left of several when another one is deleted.
 */
#include "control/host/ifmon.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <uthash.h>

#include "lib/log.h"
#include "lib/clock.h"

/* Room for the notifications of a few thousand interfaces that change at once. */
#define RECEIVE_BUFFER_OCTETS (4 * 1024 * 1024)
/* The kernel answers a dump from memory, in much less time. */
#define DUMP_TIMEOUT_NS (5 * DCB_NS_PER_S)
#define DUMP_ATTEMPTS   8
/* Seconds between two dumps; after a failed one. */
#define REFRESH_S 5
#define RETRY_S   1
/* The kernel's maximum for one message of a dump. */
#define MESSAGE_OCTETS 32768

struct known {
	struct link_info link; /* as last reported to ops */
	struct link_host host;
	struct link_info fresh; /* as last received */
	struct link_host fresh_host;
	bool reported;
	bool present; /* false: deleted, or not in the current dump yet */
	UT_hash_handle hh;
};

struct ifmon {
	const struct ifmon_ops *ops;
	void *ctx;
	struct mnl_socket *nl;
	int ethtool_fd;
	struct event *readable;
	struct event *refresh;
	struct known *known; /* by link.ifindex */
	uint32_t seq;
	bool dumping;
	bool dump_done;
	bool dump_broken; /* inconsistent (NLM_F_DUMP_INTR), or messages were lost */
	int dump_error;
	uint8_t buf[MESSAGE_OCTETS];
};

/*
 * Sets the name that the interface has now: that of a message may be another interface's
 * since then. Returns false if the interface is gone.
 */
static bool find_name(int fd, uint32_t ifindex, struct ifreq *ifr)
{
	*ifr = (struct ifreq){.ifr_ifindex = (int)ifindex};
	return ioctl(fd, SIOCGIFNAME, ifr) == 0;
}

/* ethtool has no request by ifIndex: the name is looked up immediately before. */
static bool ethtool(int fd, uint32_t ifindex, void *req)
{
	struct ifreq ifr;

	if (!find_name(fd, ifindex, &ifr))
		return false;
	ifr.ifr_data = req;
	return ioctl(fd, SIOCETHTOOL, &ifr) == 0;
}

/*
 * Returns the speed, 0 if the driver reports none. The first request returns the length
 * of the link mode masks, which the second one requires.
 */
static struct dcb_rate link_speed(int fd, uint32_t ifindex)
{
	union { /* the masks follow the settings */
		struct ethtool_link_settings settings;
		uint8_t octets[sizeof(struct ethtool_link_settings) + 3 * SCHAR_MAX * 4];
	} req = {.settings.cmd = ETHTOOL_GLINKSETTINGS};

	if (!ethtool(fd, ifindex, &req) || req.settings.link_mode_masks_nwords >= 0)
		return (struct dcb_rate){0};
	req.settings.link_mode_masks_nwords = (int8_t)-req.settings.link_mode_masks_nwords;
	req.settings.cmd = ETHTOOL_GLINKSETTINGS;
	if (!ethtool(fd, ifindex, &req) || req.settings.speed == (uint32_t)SPEED_UNKNOWN)
		return (struct dcb_rate){0};
	return dcb_rate_from_mbps(req.settings.speed);
}

/* The driver's name; empty if it reports none. */
static void link_driver(int fd, uint32_t ifindex, char driver[DCB_DRIVER_OCTETS])
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};

	_Static_assert(sizeof(info.driver) <= DCB_DRIVER_OCTETS, "driver is too short");
	driver[0] = '\0';
	if (ethtool(fd, ifindex, &info))
		snprintf(driver, DCB_DRIVER_OCTETS, "%.*s", (int)sizeof(info.driver) - 1,
			 info.driver);
}

static bool is_same(const struct link_info *a, const struct link_info *b)
{
	return a->ifindex == b->ifindex && strcmp(a->name, b->name) == 0 &&
	       strcmp(a->alias, b->alias) == 0 && memcmp(a->mac, b->mac, sizeof(a->mac)) == 0 &&
	       a->up == b->up && a->mtu == b->mtu && a->speed.bps == b->speed.bps &&
	       a->carrier_changes == b->carrier_changes && strcmp(a->qdisc, b->qdisc) == 0;
}

static bool is_same_host(const struct link_host *a, const struct link_host *b)
{
	return a->master == b->master && strcmp(a->address, b->address) == 0;
}

static struct known *find(struct ifmon *m, uint32_t ifindex)
{
	struct known *k;

	HASH_FIND(hh, m->known, &ifindex, sizeof(ifindex), k);
	return k;
}

/* Reports an interface if it changed. Frees k if it is no longer present. */
static void report(struct ifmon *m, struct known *k)
{
	if (!k->present) {
		uint32_t ifindex = k->link.ifindex;
		bool reported = k->reported;

		HASH_DEL(m->known, k);
		free(k);
		if (reported)
			m->ops->gone(m->ctx, ifindex);
		return;
	}
	if (k->reported && is_same(&k->link, &k->fresh) && is_same_host(&k->host, &k->fresh_host))
		return;
	k->link = k->fresh;
	k->host = k->fresh_host;
	k->reported = true;
	m->ops->link(m->ctx, &k->link, &k->host);
}

static void report_all(struct ifmon *m)
{
	struct known *k, *next;

	for (k = m->known; k; k = next) {
		next = k->hh.next; /* report() frees k */
		if (!k->present)
			report(m, k);
	}
	for (k = m->known; k; k = k->hh.next)
		report(m, k);
}

static void note_link(struct ifmon *m, const struct link_info *info, uint32_t master)
{
	struct known *k = find(m, info->ifindex);

	if (!k) {
		k = calloc(1, sizeof(*k));
		if (!k) {
			/* Message: as "out of memory" */
			log_error_limited("ifmon",
					  "out of memory: interface %s not added, retry in %d s",
					  info->name, REFRESH_S);
			return;
		}
		k->link.ifindex = info->ifindex;
		HASH_ADD(hh, m->known, link.ifindex, sizeof(k->link.ifindex), k);
	}
	k->fresh = *info;
	k->fresh_host.master = master;
	k->present = true;
	if (!m->dumping)
		report(m, k);
}

static void note_gone(struct ifmon *m, uint32_t ifindex)
{
	struct known *k = find(m, ifindex);

	if (!k)
		return;
	k->present = false;
	if (!m->dumping)
		report(m, k);
}

static void copy_string(char *to, size_t size, const struct nlattr *attr)
{
	snprintf(to, size, "%.*s", (int)mnl_attr_get_payload_len(attr),
		 (const char *)mnl_attr_get_payload(attr));
}

/* Returns false if the message is not about an Ethernet interface. */
static bool parse_link(const struct nlmsghdr *nlh, struct link_info *info, uint32_t *master)
{
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;

	memset(info, 0, sizeof(*info));
	*master = 0;
	info->ifindex = (uint32_t)ifi->ifi_index;
	/* RUNNING, not LOWER_UP: a dormant interface (802.1X) carries no frames. */
	info->up = (ifi->ifi_flags & IFF_UP) && (ifi->ifi_flags & IFF_RUNNING);
	mnl_attr_for_each(attr, nlh, sizeof(*ifi))
	{
		size_t len = mnl_attr_get_payload_len(attr);

		switch (mnl_attr_get_type(attr)) {
		case IFLA_IFNAME:
			copy_string(info->name, sizeof(info->name), attr);
			break;
		case IFLA_IFALIAS:
			copy_string(info->alias, sizeof(info->alias), attr);
			break;
		case IFLA_QDISC:
			copy_string(info->qdisc, sizeof(info->qdisc), attr);
			break;
		case IFLA_ADDRESS:
			if (len == DCB_MAC_OCTETS)
				memcpy(info->mac, mnl_attr_get_payload(attr), DCB_MAC_OCTETS);
			break;
		case IFLA_MTU:
			if (len == sizeof(uint32_t))
				info->mtu = mnl_attr_get_u32(attr);
			break;
		case IFLA_MASTER:
			if (len == sizeof(uint32_t))
				*master = mnl_attr_get_u32(attr);
			break;
		case IFLA_CARRIER_CHANGES:
			if (len == sizeof(uint32_t))
				info->carrier_changes = mnl_attr_get_u32(attr);
			break;
		}
	}
	/* RTM_NEWLINK of wireless extensions has no IFLA_IFNAME. */
	return ifi->ifi_type == ARPHRD_ETHER && info->name[0] != '\0';
}

static void handle_link(struct ifmon *m, const struct nlmsghdr *nlh)
{
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(nlh);
	struct link_info info;
	struct ifreq ifr;
	uint32_t master;

	if (nlh->nlmsg_len < MNL_NLMSG_HDRLEN + sizeof(*ifi))
		return;
	/* RTM_DELLINK of AF_BRIDGE removes a bridge port, not the interface. */
	if (ifi->ifi_family != AF_UNSPEC)
		return;
	if (nlh->nlmsg_type == RTM_DELLINK) {
		note_gone(m, (uint32_t)ifi->ifi_index);
		return;
	}
	if (!parse_link(nlh, &info, &master))
		return;
	/* Deleted since: RTM_DELLINK follows. A tap that dcbd has closed is no new interface. */
	if (!find_name(m->ethtool_fd, info.ifindex, &ifr))
		return;
	info.speed = link_speed(m->ethtool_fd, info.ifindex);
	link_driver(m->ethtool_fd, info.ifindex, info.driver);
	note_link(m, &info, master);
}

/*
 * Of several addresses one is enough: the first, until it is deleted. Those of scope link or host
 * do not count: the kernel gives each interface an IPv6 address.
 */
static void handle_address(struct ifmon *m, const struct nlmsghdr *nlh)
{
	const struct ifaddrmsg *ifa = mnl_nlmsg_get_payload(nlh);
	char text[INET6_ADDRSTRLEN] = "", *is;
	const struct nlattr *attr;
	struct known *k;

	if (nlh->nlmsg_len < MNL_NLMSG_HDRLEN + sizeof(*ifa) || ifa->ifa_scope >= RT_SCOPE_LINK ||
	    !(k = find(m, ifa->ifa_index)))
		return;
	mnl_attr_for_each(attr, nlh, sizeof(*ifa))
	{
		size_t len = ifa->ifa_family == AF_INET ? 4 : 16;
		uint16_t local = ifa->ifa_family == AF_INET ? IFA_LOCAL : IFA_ADDRESS;

		if (mnl_attr_get_type(attr) == local && mnl_attr_get_payload_len(attr) == len)
			(void)inet_ntop(ifa->ifa_family, mnl_attr_get_payload(attr), text,
					sizeof(text));
	}
	is = k->fresh_host.address;
	if (nlh->nlmsg_type == RTM_NEWADDR && (!is[0] || strcmp(text, k->host.address) == 0))
		memcpy(is, text, sizeof(text));
	else if (nlh->nlmsg_type == RTM_DELADDR && strcmp(is, text) == 0)
		is[0] = '\0';
	if (!m->dumping)
		report(m, k);
}

static void handle_message(struct ifmon *m, const struct nlmsghdr *nlh)
{
	bool ours = m->dumping && nlh->nlmsg_seq == m->seq &&
		    nlh->nlmsg_pid == mnl_socket_get_portid(m->nl);

	if (ours && (nlh->nlmsg_flags & NLM_F_DUMP_INTR))
		m->dump_broken = true;
	switch (nlh->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		handle_link(m, nlh);
		break;
	case RTM_NEWADDR:
	case RTM_DELADDR:
		handle_address(m, nlh);
		break;
	case NLMSG_ERROR:
		if (ours && nlh->nlmsg_len >= MNL_NLMSG_HDRLEN + sizeof(struct nlmsgerr)) {
			const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);

			m->dump_error = -e->error;
			m->dump_done = true;
		}
		break;
	case NLMSG_DONE:
		m->dump_done |= ours;
		break;
	}
}

/* Handles one datagram. Returns 0, EAGAIN if there is none, ENOBUFS if messages were lost. */
static int receive_one(struct ifmon *m)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)m->buf;
	ssize_t n;
	int left;

	do
		n = mnl_socket_recvfrom(m->nl, m->buf, sizeof(m->buf));
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return EAGAIN;
	if (n < 0) /* ENOBUFS, or ENOSPC: a message longer than the buffer */
		return ENOBUFS;
	for (left = (int)n; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
		handle_message(m, nlh);
	return 0;
}

/* Handles datagrams until the socket is empty or the dump is complete. Returns 0 or ENOBUFS. */
static int drain(struct ifmon *m)
{
	int rc;

	do
		rc = receive_one(m);
	while (rc == 0 && !m->dump_done);
	return rc == EAGAIN ? 0 : rc;
}

static int request_dump(struct ifmon *m, uint16_t type)
{
	uint8_t buf[NLMSG_ALIGN(sizeof(struct nlmsghdr)) + 64];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct ifinfomsg *ifi;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	nlh->nlmsg_seq = ++m->seq;
	if (type == RTM_GETLINK) {
		ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));
		ifi->ifi_family = AF_UNSPEC;
		mnl_attr_put_u32(nlh, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	} else {
		/* All zero: of all families and interfaces. */
		mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifaddrmsg));
	}
	return mnl_socket_sendto(m->nl, nlh, nlh->nlmsg_len) < 0 ? errno : 0;
}

/* Of links and addresses that are not in the dump there is nothing left. */
static void forget(struct known *known, uint16_t type)
{
	for (struct known *k = known; k; k = k->hh.next) {
		if (type == RTM_GETLINK)
			k->present = false;
		else
			k->fresh_host.address[0] = '\0';
	}
}

/* Runs one dump. Returns 0, EAGAIN if it must be repeated, or another errno. */
static int dump_once(struct ifmon *m, uint16_t type)
{
	struct dcb_time deadline = dcb_time_add_ns(clock_now(), DUMP_TIMEOUT_NS);
	struct pollfd pfd = {.fd = mnl_socket_get_fd(m->nl), .events = POLLIN};
	int rc;

	/* A former dump that lost messages may still run: the kernel runs one dump a socket. */
	m->dump_done = false;
	for (int i = 0; i < DUMP_ATTEMPTS && drain(m) != 0; i++)
		continue;
	forget(m->known, type);
	m->dump_done = m->dump_broken = false;
	m->dump_error = 0;
	rc = request_dump(m, type);
	while (rc == 0 && !m->dump_done) {
		int64_t left = dcb_time_diff_ns(deadline, clock_now());

		if (left <= 0)
			return ETIMEDOUT;
		if (poll(&pfd, 1, (int)(left / DCB_NS_PER_MS) + 1) < 0 && errno != EINTR)
			return errno;
		if (drain(m) != 0)
			m->dump_broken = true;
	}
	if (rc == 0)
		rc = m->dump_error;
	if (rc == EBUSY || (rc == 0 && m->dump_broken))
		return EAGAIN;
	return rc;
}

static int dump_all(struct ifmon *m, uint16_t type)
{
	int rc = EAGAIN;

	for (int i = 0; i < DUMP_ATTEMPTS && rc == EAGAIN; i++)
		rc = dump_once(m, type);
	return rc;
}

/* Dumps and reports all interfaces. Returns 0, or an errno; then it has reported nothing. */
static int dump(struct ifmon *m)
{
	struct known *k;
	int rc;

	m->dumping = true;
	rc = dump_all(m, RTM_GETLINK);
	/* Addresses that cannot be listed are no reason to know no interface. */
	if (rc == 0 && dump_all(m, RTM_GETADDR) != 0)
		for (k = m->known; k; k = k->hh.next)
			memcpy(k->fresh_host.address, k->host.address, sizeof(k->host.address));
	m->dumping = false;
	m->dump_done = false;
	if (rc == 0) {
		report_all(m);
		return 0;
	}
	for (k = m->known; k; k = k->hh.next)
		k->present = true;
	return rc;
}

static void resync(struct ifmon *m)
{
	int rc = dump(m);
	struct timeval next = {.tv_sec = rc == 0 ? REFRESH_S : RETRY_S};

	if (rc != 0)
		/* Message: as "rtnetlink: %s" */
		log_warn_limited("ifmon", "cannot list interfaces: %s", strerror(rc));
	event_add(m->refresh, &next);
}

/*
 * Handles one notification in each iteration of the event loop, so that other events are
 * not delayed: opening an interface takes the kernel about 10 ms, and many can change.
 */
static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct ifmon *m = arg;

	(void)fd;
	(void)what;
	if (receive_one(m) != ENOBUFS)
		return;
	log_info_limited("ifmon", "netlink messages lost: listing all interfaces");
	resync(m);
}

static void on_refresh(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	resync(arg);
}

static void set_receive_buffer(int fd)
{
	int octets = RECEIVE_BUFFER_OCTETS;

	/* More than rmem_max requires CAP_NET_ADMIN; a smaller buffer is not an error. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &octets, sizeof(octets)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &octets, sizeof(octets));
}

static int open_netlink(struct ifmon *m)
{
	int fd;

	m->nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (!m->nl)
		return -1;
	fd = mnl_socket_get_fd(m->nl);
	set_receive_buffer(fd);
	if (mnl_socket_bind(m->nl, RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
			    MNL_SOCKET_AUTOPID) < 0)
		return -1;
	return fd;
}

struct ifmon *ifmon_new(struct event_base *base, const struct ifmon_ops *ops, void *ctx, char *err,
			size_t errlen)
{
	struct ifmon *m = calloc(1, sizeof(*m));
	struct timeval next = {.tv_sec = REFRESH_S};
	int fd, rc;

	if (!m) {
		snprintf(err, errlen, "out of memory");
		return NULL;
	}
	m->ops = ops;
	m->ctx = ctx;
	m->ethtool_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	fd = open_netlink(m);
	if (m->ethtool_fd < 0 || fd < 0) {
		/*
		 * Message: The kernel does not answer requests for the list of interfaces. At start
		 * dcbd exits, later it tries again every second. If the message repeats, check that
		 * the service manager allows AF_NETLINK sockets.
		 */
		snprintf(err, errlen, "rtnetlink: %s", strerror(errno));
		goto fail;
	}
	m->readable = event_new(base, fd, EV_READ | EV_PERSIST, on_readable, m);
	m->refresh = event_new(base, -1, 0, on_refresh, m);
	if (!m->readable || !m->refresh) {
		snprintf(err, errlen, "out of memory");
		goto fail;
	}
	if (event_add(m->readable, NULL) < 0) {
		snprintf(err, errlen, "cannot wait for rtnetlink: %s", strerror(errno));
		goto fail;
	}
	rc = dump(m);
	if (rc != 0) {
		/* Message: as "rtnetlink: %s" */
		snprintf(err, errlen, "cannot list interfaces: %s", strerror(rc));
		goto fail;
	}
	event_add(m->refresh, &next);
	return m;
fail:
	ifmon_free(m);
	return NULL;
}

void ifmon_each(const struct ifmon *m,
		void (*fn)(void *ctx, const struct link_info *link, const struct link_host *host),
		void *ctx)
{
	for (const struct known *k = m->known; k; k = k->hh.next)
		if (k->reported)
			fn(ctx, &k->link, &k->host);
}

void ifmon_free(struct ifmon *m)
{
	struct known *k, *next;

	if (!m)
		return;
	for (k = m->known; k; k = next) {
		next = k->hh.next;
		HASH_DEL(m->known, k);
		free(k);
	}
	if (m->readable)
		event_free(m->readable);
	if (m->refresh)
		event_free(m->refresh);
	if (m->nl)
		mnl_socket_close(m->nl);
	if (m->ethtool_fd >= 0)
		close(m->ethtool_fd);
	free(m);
}
