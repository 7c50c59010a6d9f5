/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/netio/netio_hm_filter.h"
#include "dataplane/core/eth.h"
#include "lib/octets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* The least that the kernel allows, a few frames: all others are dropped and counted. */
#define RECEIVE_OCTETS 1

/*
 * The kernel delivers a batch of frames to sockets for all EtherTypes first, and then to those for
 * one: so many frames, NAPI_POLL_WEIGHT, can be lost at the ring and not be counted yet.
 */
#define BATCH_FRAMES 64

/*
 * Attaches a filter that returns of_hmpdus for HMPDUs and of_others for other frames: the octets to
 * receive, 0: none. The kernel has taken the first VLAN tag out of a frame when filters see it.
 */
static bool attach(int fd, uint32_t of_hmpdus, uint32_t of_others)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_PROTOCOL)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_TYPE_HMPDU, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, of_hmpdus),
	    BPF_STMT(BPF_RET | BPF_K, of_others),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) == 0;
}

/* The socket receives frames from bind() on. */
void netio_hm_filter_open(struct netio_hm_filter *d, uint32_t ifindex)
{
	const struct sockaddr_ll addr = {.sll_family = AF_PACKET,
					 .sll_protocol = htons(ETH_TYPE_HMPDU),
					 .sll_ifindex = (int)ifindex};
	const int on = 1, octets = RECEIVE_OCTETS;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	*d = (struct netio_hm_filter){.fd = -1};
	if (fd < 0)
		return;
	if (setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &octets, sizeof(octets)) ||
	    !attach(fd, UINT32_MAX, 0) || bind(fd, (const struct sockaddr *)&addr, sizeof(addr))) {
		close(fd);
		return;
	}
	d->fd = fd;
}

/* Reading the statistics sets them to 0. tp_packets includes the frames that found no room. */
static void read_counter(struct netio_hm_filter *d)
{
	struct tpacket_stats stats;
	socklen_t len = sizeof(stats);

	if (getsockopt(d->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len) == 0)
		d->all += stats.tp_packets;
}

/* Returns the HMPDUs that are neither with the receiver nor known to be lost or dropped. */
static uint64_t missing(struct netio_hm_filter *d)
{
	uint64_t found = d->seen + d->lost + d->known;

	read_counter(d);
	return d->all > found ? d->all - found : 0;
}

bool netio_hm_filter_begin(struct netio_hm_filter *d, int recv_fd, uint32_t slots)
{
	if (d->fd < 0 || !attach(recv_fd, 0, UINT32_MAX))
		return false;
	d->left = slots;
	return true;
}

void netio_hm_filter_lost(struct netio_hm_filter *d, uint64_t lost)
{
	uint64_t hmpdus = missing(d) + BATCH_FRAMES;

	d->lost += lost - d->since < hmpdus ? lost - d->since : hmpdus;
}

bool netio_hm_filter_end(struct netio_hm_filter *d, int recv_fd, uint64_t lost, uint64_t *dropped)
{
	struct pollfd ring = {.fd = recv_fd, .events = POLLIN};
	const int ignored = 0;

	if (d->left && poll(&ring, 1, 0) != 0)
		return false;
	*dropped = missing(d);
	(void)setsockopt(recv_fd, SOL_SOCKET, SO_DETACH_FILTER, &ignored, sizeof(ignored));
	d->since = lost;
	d->known += *dropped;
	return true;
}

/* With at most one tag, as those that the kernel counts. */
void netio_hm_filter_see(struct netio_hm_filter *d, const uint8_t *octets, uint32_t len)
{
	uint16_t type = len < ETH_HEADER_OCTETS ? 0 : get_be16(octets + ETH_TYPE_OFFSET);

	if ((type == ETH_TYPE_CTAG || type == ETH_TYPE_STAG) &&
	    len >= ETH_HEADER_OCTETS + ETH_TAG_OCTETS)
		type = get_be16(octets + ETH_TYPE_OFFSET + ETH_TAG_OCTETS);
	d->seen += type == ETH_TYPE_HMPDU;
}

void netio_hm_filter_close(struct netio_hm_filter *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}
