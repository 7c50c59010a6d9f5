/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives the frames of a network interface by a packet socket with a ring that the kernel
 * and this process share (packet(7)), for netio_packet.c. Not by libpcap, which makes rings too but
 * cannot ask for what the sender of a frame has left to do (dataplane/core/offload.h): frames of
 * containers and virtual machines on this host arrive so. Properties that the code depends on:
 *
 * - TPACKET_V2: one slot for each frame, readable at once. Blocks of frames (TPACKET_V3) are
 *   readable when one is full or a timer expires: up to 15 % cheaper on veth, but a frame on an
 *   idle link is delayed by 1 ms, by up to 8 ms on kernels whose timer counts ticks. A bridge has
 *   to react to PAUSE sooner.
 * - Two slots in each page save a tenth of the cost of a frame, so for an interface with a common
 *   MTU a slot is half a page.
 * - A frame that does not fit its slot is in the socket's receive queue as well, whole
 *   (PACKET_COPY_THRESH), as long as SO_RCVBUF permits; slots and queue have the same order. A
 *   frame that stands for many, up to 45 wire frames, takes a system call, therefore, but a ring of
 *   small slots is enough for it, and for an interface whose MTU has grown.
 * - The kernel has taken the outer VLAN tag out of a frame. It fits into the slot again, where the
 *   header of offloads was, whose offsets do not count it.
 * - PACKET_IGNORE_OUTGOING (Linux 4.20) keeps frames of our own out of the ring.
 * - When the interface goes down, the socket has an error once, which is readable too. Reception
 *   resumes without further action when it is up again, whatever its name is then: the socket is
 *   bound to the ifIndex.
 *
 * The description of offloads costs the sender's processor 10 to 25 ns for a frame of 64 octets
 * and nothing measurable at 1500, and this ring costs dcbd 3 % less than that of libpcap.
 * doc/decisions.md has what blocks of frames, recvmmsg() and AF_XDP would do.
 *
 * One thread at a time.
 */
#ifndef DCB_DATAPLANE_NETIO_NETIO_RING_H
#define DCB_DATAPLANE_NETIO_NETIO_RING_H

#include <time.h>

#include "dataplane/core/offload.h"
#include "dataplane/netio/netio.h"

struct tpacket2_hdr;

struct netio_ring {
	int fd; /* readable when recv() has a frame or an error; -1: not open */
	uint8_t *map;
	size_t map_octets;
	uint32_t slot_octets, block_octets, slots, slots_in_block;
	uint8_t *next;                    /* the slot of the next frame */
	uint32_t next_in_block;           /* its number in its block */
	const struct tpacket2_hdr *frame; /* slot of the frame that the sink has now */
	bool is_backlogged;               /* the last recv() did not take all frames */
	uint64_t lost;                    /* frames that the kernel had no room for, so far */
	uint8_t *copy;                    /* a frame that did not fit its slot */
	struct offload_frame split;       /* frames of the next slot that were not passed yet */
};

/*
 * Opens the ring of the interface that has the ifIndex. ring->fd is to be closed by
 * netio_ring_close() in any case. Returns false on failure; err: the failed step and the reason.
 */
bool netio_ring_open(struct netio_ring *ring, const struct netio_packet_params *params, char *err,
		     size_t errlen);
void netio_ring_close(struct netio_ring *ring);

/*
 * As netio_ops.recv(). A frame that stands for several is passed as these, and one with an
 * incomplete checksum with that of the link. If what its sender has left to do contradicts a frame,
 * the sink gets a frame without octets. Sets *slots to the slots given back to the kernel. Returns
 * -errno only when no frame was passed.
 */
int netio_ring_recv(struct netio_ring *ring, unsigned max, netio_sink sink, void *ctx,
		    uint32_t *slots);

/* Returns when the frame was received that the sink has now, as the kernel has it. */
struct timespec netio_ring_time(const struct netio_ring *ring);

/* Returns the frames that the kernel had no room for, since open. A system call. */
uint64_t netio_ring_lost(struct netio_ring *ring);

#endif
