/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Properties of Linux that the code depends on:
 *
 * - A slot of the receive ring has one time, of the kernel or of the NIC, and PFC frames need that
 * of the kernel. So a socket of its own receives a copy of each HMPDU, with both times.
 * - While any socket asks for receive timestamps, the kernel takes the time of a frame once, before
 *   it distributes the copies: those of the ring and of the socket have the same one.
 * - The ring has a frame some 100 ns before the socket. A dataplane thread that is faster has no
 *   time of the NIC for this frame.
 * - The settings are those of the interface, for all programs: SIOCSHWTSTAMP replaces them. A
 *   driver can choose a wider filter than asked for, and writes it back.
 * - VLAN interfaces pass these requests to the NIC below them. Choice: of two ports on one NIC, the
 *   one that has switched the stamps on switches them off for both when it closes; the other one's
 *   round trips then have the kernel's times, until it opens again.
 */
#include "dataplane/netio/netio_nic.h"

#include "dataplane/core/eth.h"
#include "dataplane/netio/netio_kept.h"
#include "lib/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* SO_RCVBUF of copies: a flood of HMPDUs fills it, and further copies are dropped. */
#define COPIES_OCTETS 16384

/* Copies read at once: more than COPIES_OCTETS can hold. */
#define READ_MAX 64

/* --- settings of the NIC ------------------------------------------------- */

static bool ask(const struct netio_nic *n, int fd, unsigned long request, void *data)
{
	struct ifreq ifr = {.ifr_data = data};

	return if_indextoname(n->ifindex, ifr.ifr_name) && ioctl(fd, request, &ifr) == 0;
}

bool netio_nic_can(const struct ethtool_ts_info *info)
{
	const uint32_t times = SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE |
			       SOF_TIMESTAMPING_RAW_HARDWARE;

	return (info->so_timestamping & times) == times && info->phc_index >= 0 &&
	       (info->tx_types & 1u << HWTSTAMP_TX_ON) &&
	       (info->rx_filters & 1u << HWTSTAMP_FILTER_ALL);
}

static bool stamps_all(const struct hwtstamp_config *c)
{
	return c->tx_type == HWTSTAMP_TX_ON && c->rx_filter == HWTSTAMP_FILTER_ALL;
}

static bool stamps_none(const struct hwtstamp_config *c)
{
	return c->tx_type == HWTSTAMP_TX_OFF && c->rx_filter == HWTSTAMP_FILTER_NONE;
}

static void switch_off(struct netio_nic *n, int fd)
{
	struct hwtstamp_config off = {.tx_type = HWTSTAMP_TX_OFF,
				      .rx_filter = HWTSTAMP_FILTER_NONE};

	(void)ask(n, fd, SIOCSHWTSTAMP, &off);
}

/* Returns whether the NIC stamps all frames. why: the reason if not. */
static bool switch_on(struct netio_nic *n, int fd, char *why, size_t len)
{
	struct hwtstamp_config is = {0};

	if (!ask(n, fd, SIOCGHWTSTAMP, &is)) {
		snprintf(why, len, "SIOCGHWTSTAMP: %s", strerror(errno));
		return false;
	}
	if (stamps_all(&is)) {
		n->was_off = netio_kept_begin(n->ifindex, NETIO_KEPT_NIC_TIMES, 0);
		return true;
	}
	if (!stamps_none(&is)) {
		snprintf(why, len, "another program has set tx_type %d and rx_filter %d",
			 is.tx_type, is.rx_filter);
		return false;
	}
	(void)netio_kept_begin(n->ifindex, NETIO_KEPT_NIC_TIMES, '0');
	is = (struct hwtstamp_config){.tx_type = HWTSTAMP_TX_ON, .rx_filter = HWTSTAMP_FILTER_ALL};
	if (!ask(n, fd, SIOCSHWTSTAMP, &is)) {
		snprintf(why, len, "SIOCSHWTSTAMP: %s", strerror(errno));
		netio_kept_end(n->ifindex, NETIO_KEPT_NIC_TIMES);
		return false;
	}
	n->was_off = true;
	if (stamps_all(&is))
		return true;
	switch_off(n, fd);
	netio_kept_end(n->ifindex, NETIO_KEPT_NIC_TIMES);
	n->was_off = false;
	snprintf(why, len, "the driver has set tx_type %d and rx_filter %d instead of %d and %d",
		 is.tx_type, is.rx_filter, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_ALL);
	return false;
}

/* --- begin and end --------------------------------------------------------- */

static bool open_copies(struct netio_nic *n, char *why, size_t len)
{
	struct sockaddr_ll addr = {.sll_family = AF_PACKET,
				   .sll_protocol = htons(ETH_TYPE_HMPDU),
				   .sll_ifindex = (int)n->ifindex};
	const int octets = COPIES_OCTETS;

	/* Protocol 0 until it is bound: it receives no frame of another interface. */
	n->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (n->fd >= 0 && netio_stamp_enable_receive(n->fd) &&
	    setsockopt(n->fd, SOL_SOCKET, SO_RCVBUF, &octets, sizeof(octets)) == 0 &&
	    bind(n->fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
		return true;
	snprintf(why, len, "packet socket: %s", strerror(errno));
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
	return false;
}

void netio_nic_begin(struct netio_nic *n, int fd, uint32_t ifindex)
{
	struct ethtool_ts_info info = {.cmd = ETHTOOL_GET_TS_INFO};
	char ifname[IF_NAMESIZE], why[128];

	*n = (struct netio_nic){.fd = -1, .ifindex = ifindex};
	if (!ask(n, fd, SIOCETHTOOL, &info) || !netio_nic_can(&info))
		return;
	if (!if_indextoname(ifindex, ifname))
		return;
	if (!switch_on(n, fd, why, sizeof(why))) {
		/*
		 * Message: The NIC has timestamps for all frames, and the headroom measurement uses
		 * those of the kernel, for the reason given. `Operation not permitted`: dcbd has no
		 * CAP_NET_ADMIN. `another program has set`: end the program, or have it set tx_type
		 * 1 and rx_filter 1, which are those for all frames, before dcbd opens the
		 * interface. To avoid the message set `nic_timestamps` to false in dcbd.conf(5).
		 */
		log_info("port", "%s: timestamps of the NIC are not used: %s", ifname, why);
	} else if (!open_copies(n, why, sizeof(why))) {
		/* Message: as "%s: timestamps of the NIC are not used: %s" */
		log_info("port", "%s: timestamps of the NIC are not used: %s", ifname, why);
		netio_nic_end(n, fd);
	}
}

void netio_nic_inherit(struct netio_nic *n, struct netio_nic *from)
{
	n->was_off |= from->was_off;
	from->was_off = false;
}

void netio_nic_end(struct netio_nic *n, int fd)
{
	struct hwtstamp_config is = {0};

	if (n->was_off && ask(n, fd, SIOCGHWTSTAMP, &is) && stamps_all(&is))
		switch_off(n, fd);
	if (n->was_off)
		netio_kept_end(n->ifindex, NETIO_KEPT_NIC_TIMES);
	n->was_off = false;
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
}

void netio_nic_undo(int fd, uint32_t ifindex)
{
	struct netio_nic n = {.fd = -1, .ifindex = ifindex};

	n.was_off = netio_kept_begin(ifindex, NETIO_KEPT_NIC_TIMES, 0);
	netio_nic_end(&n, fd);
}

/* --- received frames -------------------------------------------------------- */

static bool is_same(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool netio_nic_received(struct netio_nic *n, struct timespec real, int64_t *nic_ns)
{
	struct netio_times times;

	if (n->fd < 0)
		return false;
	for (unsigned i = 0; i < READ_MAX && netio_stamp_receive(n->fd, &times); i++)
		n->copy[n->next++ % NETIO_NIC_COPIES] = times;
	for (unsigned i = 0; i < NETIO_NIC_COPIES; i++) {
		const struct netio_times *c = &n->copy[i];

		if (!c->has_real || !c->has_nic || !is_same(c->real, real))
			continue;
		*nic_ns = c->nic_ns;
		return true;
	}
	return false;
}
