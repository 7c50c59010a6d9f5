/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/netio/netio_ring.h"

#include "dataplane/core/eth.h"
#include "lib/octets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAGE_OCTETS 4096u

/* Half of a page: the slots of an interface with a common MTU. */
#define HALF_PAGE_OCTETS (PAGE_OCTETS / 2)

/* Octets of a frame beyond the MTU: addresses, EtherType, two VLAN tags. */
#define HEAD_OCTETS 22

/*
 * At most the octets of a slot in front of a frame. The kernel's own header ends on a multiple of
 * TPACKET_ALIGNMENT, with room for 16 octets of addresses.
 */
#define SLOT_HEAD_OCTETS (TPACKET_ALIGN(TPACKET2_HDRLEN + 16) + OFFLOAD_HEADER_OCTETS)

/* Blocks of several slots, so that less is left over at the end of each. */
#define BLOCK_SLOTS_MIN 7

/* The slots whose header and first octets are fetched: so many after the present one. */
#define PREFETCH_SLOTS 2

/*
 * (C) The longest frame that stands for several: of Linux's gso_max_size, 64 KiB by default, the
 * most that operators set for "BIG TCP".
 */
#define COPY_OCTETS_MAX (192u * 1024 + OFFLOAD_HEAD_MAX)

/* --- slots --------------------------------------------------------------------- */

/*
 * Another processor has written the slots of the ring, so their first octets are not in this
 * one's cache. Only while the ring has frames: a slot that is fetched before the other one writes
 * it has to be fetched back. At the end of a block it is a wrong place, which costs nothing.
 */
static void prefetch_slot(const struct netio_ring *r)
{
	uintptr_t slot = (uintptr_t)r->next + (uintptr_t)PREFETCH_SLOTS * r->slot_octets;

	__builtin_prefetch((const void *)slot);
	__builtin_prefetch((const void *)(slot + SLOT_HEAD_OCTETS));
}

/* Inserts the tag that the kernel has taken out, in the room before the frame. Returns its octets.
 */
static uint32_t insert_tag(uint8_t *octets, const struct tpacket2_hdr *h)
{
	uint16_t tpid = h->tp_status & TP_STATUS_VLAN_TPID_VALID ? h->tp_vlan_tpid : ETH_TYPE_CTAG;
	uint8_t *to = octets - ETH_TAG_OCTETS;

	memmove(to, octets, ETH_TYPE_OFFSET);
	put_be16(to + ETH_TYPE_OFFSET, tpid);
	put_be16(to + ETH_TYPE_OFFSET + 2, h->tp_vlan_tci);
	return ETH_TAG_OCTETS;
}

static void give_slot_back(struct netio_ring *r)
{
	struct tpacket2_hdr *h = (struct tpacket2_hdr *)(void *)r->next;

	__atomic_store_n(&h->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	r->next += r->slot_octets;
	if (++r->next_in_block < r->slots_in_block)
		return;
	r->next += r->block_octets - r->slots_in_block * r->slot_octets;
	r->next_in_block = 0;
	if (r->next == r->map + r->map_octets)
		r->next = r->map;
}

/* --- frames that do not fit a slot, or stand for several ---------------------------- */

/* The kernel had no room for the whole frame: the frames that it stands for are lost. */
static void count_lost(struct netio_ring *r, const struct tpacket2_hdr *h, const uint8_t *header)
{
	uint16_t size;

	memcpy(&size, header + 4, sizeof(size));
	r->lost += !header[1] || size == 0 ? 1 : (h->tp_len + size - 1) / size;
}

/* Slots and queue do not agree: this does not happen. The frames of the queue are lost. */
static void empty_queue(const struct netio_ring *r)
{
	uint8_t header[OFFLOAD_HEADER_OCTETS];

	while (recv(r->fd, header, sizeof(header), MSG_DONTWAIT) >= 0)
		;
}

/*
 * Takes the frame of the slot from the receive queue into r->copy, behind room for a tag. An error
 * of the interface is returned before it, once; netlink reports that too. Returns false if the
 * queue does not have it.
 */
static bool take_copy(struct netio_ring *r, const struct tpacket2_hdr *h)
{
	uint8_t header[OFFLOAD_HEADER_OCTETS];
	struct iovec iov[] = {{header, sizeof(header)},
			      {r->copy + ETH_TAG_OCTETS, COPY_OCTETS_MAX}};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};
	ssize_t len;

	do
		len = recvmsg(r->fd, &msg, MSG_DONTWAIT | MSG_TRUNC);
	while (len < 0 && (errno == ENETDOWN || errno == EINTR));
	if (len == (ssize_t)(h->tp_len + sizeof(header)))
		return true;
	empty_queue(r);
	return false;
}

static unsigned pass_split(struct netio_ring *r, netio_sink sink, void *ctx)
{
	uint32_t len;
	const uint8_t *octets = offload_next(&r->split, &len);

	sink(ctx, octets, len, len);
	return 1;
}

/*
 * Passes the frame of a slot that is not as on the link. Returns the number of frames passed;
 * further ones are in r->split.
 */
static unsigned __attribute__((noinline))
pass_unfinished(struct netio_ring *r, struct tpacket2_hdr *h, netio_sink sink, void *ctx)
{
	uint8_t *octets = (uint8_t *)h + h->tp_mac, header[OFFLOAD_HEADER_OCTETS];
	uint32_t len = h->tp_snaplen, tag = 0;

	memcpy(header, octets - sizeof(header), sizeof(header));
	if (h->tp_snaplen < h->tp_len) {
		if (!(h->tp_status & TP_STATUS_COPY) || !take_copy(r, h)) {
			count_lost(r, h, header);
			return 0;
		}
		octets = r->copy + ETH_TAG_OCTETS;
		len = h->tp_len < COPY_OCTETS_MAX ? h->tp_len : COPY_OCTETS_MAX;
	}
	if (h->tp_status & TP_STATUS_VLAN_VALID && len >= ETH_TYPE_OFFSET)
		tag = insert_tag(octets, h);
	octets -= tag;
	len += tag;
	if (len < h->tp_len + tag) {
		sink(ctx, octets, len, h->tp_len + tag);
		return 1;
	}
	if (!offload_begin(&r->split, octets, len, tag, header)) {
		sink(ctx, octets, 0, 0);
		return 1;
	}
	return pass_split(r, sink, ctx);
}

/* --- receive ---------------------------------------------------------------------- */

/* Passes the frame of a slot, most often as it is. Returns the number of frames passed. */
static unsigned pass_slot(struct netio_ring *r, struct tpacket2_hdr *h, netio_sink sink, void *ctx)
{
	uint8_t *octets = (uint8_t *)h + h->tp_mac;
	uint32_t len = h->tp_snaplen, tag = 0;

	r->frame = h;
	if (h->tp_snaplen < h->tp_len || !offload_is_none(octets - OFFLOAD_HEADER_OCTETS))
		return pass_unfinished(r, h, sink, ctx);
	if (h->tp_status & TP_STATUS_VLAN_VALID && len >= ETH_TYPE_OFFSET)
		tag = insert_tag(octets, h);
	sink(ctx, octets - tag, len + tag, len + tag);
	return 1;
}

static int take_error(const struct netio_ring *r)
{
	int error = 0;
	socklen_t len = sizeof(error);

	return getsockopt(r->fd, SOL_SOCKET, SO_ERROR, &error, &len) ? errno : error;
}

int netio_ring_recv(struct netio_ring *r, unsigned max, netio_sink sink, void *ctx, uint32_t *slots)
{
	unsigned n = 0;

	*slots = 0;
	while (n < max) {
		struct tpacket2_hdr *h = (struct tpacket2_hdr *)(void *)r->next;

		if (!(__atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
			break;
		if (r->is_backlogged)
			prefetch_slot(r);
		n += r->split.frames ? pass_split(r, sink, ctx) : pass_slot(r, h, sink, ctx);
		if (r->split.frames)
			continue;
		give_slot_back(r);
		++*slots;
	}
	r->is_backlogged = n == max;
	return n ? (int)n : -take_error(r);
}

struct timespec netio_ring_time(const struct netio_ring *r)
{
	return (struct timespec){r->frame->tp_sec, r->frame->tp_nsec};
}

uint64_t netio_ring_lost(struct netio_ring *r)
{
	struct tpacket_stats stats;
	socklen_t len = sizeof(stats);

	if (getsockopt(r->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len) == 0)
		r->lost += stats.tp_drops;
	return r->lost;
}

/* --- open and close ------------------------------------------------------------------ */

/* A frame that is longer is in the receive queue. */
static uint32_t slot_octets_for(const struct netio_packet_params *params)
{
	uint32_t octets = SLOT_HEAD_OCTETS + params->frame_octets;

	if (params->mtu && SLOT_HEAD_OCTETS + params->mtu + HEAD_OCTETS < HALF_PAGE_OCTETS &&
	    octets > HALF_PAGE_OCTETS)
		octets = HALF_PAGE_OCTETS;
	return TPACKET_ALIGN(octets);
}

/* A block is a power of two of pages, and no slot crosses its end. */
static void lay_out(struct netio_ring *r, const struct netio_packet_params *params)
{
	uint32_t octets = params->ring_octets ? params->ring_octets : NETIO_RING_MOST, blocks;

	r->slot_octets = slot_octets_for(params);
	r->block_octets = PAGE_OCTETS;
	while (r->block_octets < r->slot_octets ||
	       (r->block_octets % r->slot_octets &&
		r->block_octets / r->slot_octets < BLOCK_SLOTS_MIN))
		r->block_octets *= 2;
	r->slots_in_block = r->block_octets / r->slot_octets;
	blocks = octets / r->block_octets;
	if (blocks == 0)
		blocks = 1;
	r->slots = blocks * r->slots_in_block;
	r->map_octets = (size_t)blocks * r->block_octets;
}

static bool set_option(const struct netio_ring *r, int option, int value)
{
	return setsockopt(r->fd, SOL_PACKET, option, &value, sizeof(value)) == 0;
}

/* Returns NULL, or the step that failed. */
static const char *make_ring(struct netio_ring *r)
{
	struct tpacket_req req = {
	    .tp_block_size = r->block_octets,
	    .tp_block_nr = (unsigned)(r->map_octets / r->block_octets),
	    .tp_frame_size = r->slot_octets,
	    .tp_frame_nr = r->slots,
	};
	const int half = (int)(r->map_octets / 2); /* the kernel doubles it */

	if (!set_option(r, PACKET_VERSION, TPACKET_V2))
		return "PACKET_VERSION";
	if (!set_option(r, PACKET_VNET_HDR, 1))
		return "PACKET_VNET_HDR";
	if (!set_option(r, PACKET_COPY_THRESH, 1))
		return "PACKET_COPY_THRESH";
	if (!set_option(r, PACKET_IGNORE_OUTGOING, 1))
		return "PACKET_IGNORE_OUTGOING";
	if (setsockopt(r->fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req)))
		return "PACKET_RX_RING";
	if (setsockopt(r->fd, SOL_SOCKET, SO_RCVBUFFORCE, &half, sizeof(half)))
		(void)setsockopt(r->fd, SOL_SOCKET, SO_RCVBUF, &half, sizeof(half));
	r->map = mmap(NULL, r->map_octets, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (r->map == MAP_FAILED) {
		r->map = NULL;
		return "mmap";
	}
	return NULL;
}

/* Returns NULL, or the step that failed. From bind() on the ring has frames. */
static const char *attach(struct netio_ring *r, uint32_t ifindex)
{
	struct sockaddr_ll addr = {
	    .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)ifindex};
	const struct packet_mreq all = {.mr_ifindex = (int)ifindex, .mr_type = PACKET_MR_PROMISC};
	socklen_t len = sizeof(addr);

	if (bind(r->fd, (const struct sockaddr *)&addr, sizeof(addr)))
		return "bind";
	errno = take_error(r);
	if (errno)
		return "bind"; /* the interface is down */
	if (getsockname(r->fd, (struct sockaddr *)&addr, &len))
		return "getsockname";
	errno = 0;
	if (addr.sll_hatype != ARPHRD_ETHER && addr.sll_hatype != ARPHRD_LOOPBACK)
		/*
		 * Message: A pattern of `interfaces.include` matches an interface of another type.
		 * Add the interface to `interfaces.exclude`.
		 */
		return "not an Ethernet interface";
	if (setsockopt(r->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)))
		return "PACKET_ADD_MEMBERSHIP";
	return NULL;
}

bool netio_ring_open(struct netio_ring *r, const struct netio_packet_params *params, char *err,
		     size_t errlen)
{
	const char *failed = "packet socket";

	*r = (struct netio_ring){.fd = -1};
	lay_out(r, params);
	r->copy = malloc(ETH_TAG_OCTETS + COPY_OCTETS_MAX);
	if (r->copy) {
		/* Protocol 0: no frame before there is a ring for it. */
		r->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (r->fd >= 0)
			failed = make_ring(r);
		if (r->fd >= 0 && !failed)
			failed = attach(r, params->ifindex);
	}
	r->next = r->map;
	if (failed)
		/* Message "%s: %s: %s": as "%s: PACKET_QDISC_BYPASS: %s" */
		snprintf(err, errlen, "%s: %s%s%s", params->ifname, failed, errno ? ": " : "",
			 errno ? strerror(errno) : "");
	return !failed;
}

void netio_ring_close(struct netio_ring *r)
{
	if (r->map)
		munmap(r->map, r->map_octets);
	if (r->fd >= 0)
		close(r->fd);
	free(r->copy);
}
