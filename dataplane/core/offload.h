/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames whose sender left work to the port, as Linux passes them between a host and its
 * interfaces: TCP and UDP segments that are still one frame (GSO), or that reception has merged
 * (GRO), and checksums to be completed. The work that remains is in the struct virtio_net_hdr of
 * the frame (VIRTIO 1.2, 5.1.6; linux/virtio_net.h), in host byte order. offload_next() gives the
 * frames that a port with the work done would send, one after another, and needs no memory for
 * them: the headers of each are written in front of its part of the payload, over what has been
 * given before.
 *
 * Before anything else sees them the frames are those of the link: bridge, SecY, station, counters
 * and captures have wire frames only. They agree with the kernel's own segmentation octet for
 * octet (test_netio_offload). What a container sends by a veth pair or a tap is up to 64 KiB long,
 * with the sum of a pseudo-header. TCP through dcbd is 1.2 times as fast with the offloads of
 * hosts as without at an MTU of 1500, and 1.35 times at 9000 (./dev bench tcp). libpcap cannot ask
 * for the description of the work: it reads and writes files only.
 *
 * A header that contradicts its frame comes from a system that can write any octets, as a
 * virtual machine on a tap.
 */
#ifndef DCB_CORE_OFFLOAD_H
#define DCB_CORE_OFFLOAD_H

#include <stdbool.h>
#include <stdint.h>

#define OFFLOAD_HEADER_OCTETS 10 /* of struct virtio_net_hdr, without num_buffers */

/*
 * (C) Most frames that one stands for. 64 KiB of the smallest segments of Linux's TCP
 * (net.ipv4.tcp_min_snd_mss) are 1366.
 */
#define OFFLOAD_FRAMES_MAX 2048

/* (C) Octets of all headers of a frame that is segmented, from the DA to the payload. */
#define OFFLOAD_HEAD_MAX 256

struct offload_frame {
	uint8_t *payload;     /* of the next frame */
	uint32_t left;        /* octets of payload that are left */
	uint32_t size;        /* octets of payload in each frame, the last one may have less */
	uint32_t frames;      /* not given yet */
	uint32_t sequence;    /* TCP: of the next frame */
	uint16_t id;          /* IPv4: identification of the next frame */
	uint16_t l3, l4;      /* offsets of the headers in head */
	uint16_t head_octets; /* 0: one frame, given as it is */
	bool ipv6, udp;
	bool has_sum;       /* UDP has a checksum */
	uint8_t last_flags; /* TCP: flags of the last frame */
	uint8_t head[OFFLOAD_HEAD_MAX];
};

/* Returns whether a frame with this header is complete: it stands for itself. */
static inline bool offload_is_none(const uint8_t header[OFFLOAD_HEADER_OCTETS])
{
	return !(header[0] & 1) && header[1] == 0; /* VIRTIO_NET_HDR_F_NEEDS_CSUM, gso_type */
}

/*
 * Begins with a frame of len octets from the DA on. tags: octets of the tags that the offsets of
 * the header do not count, because they were inserted later, 0 or 4. Completes the checksum of a
 * frame that is not segmented. frame->frames is then the number of frames that it stands for.
 * Returns false if the header contradicts the frame, or is of a kind that cannot be segmented.
 */
bool offload_begin(struct offload_frame *frame, uint8_t *octets, uint32_t len, uint32_t tags,
		   const uint8_t header[OFFLOAD_HEADER_OCTETS]);

/*
 * Returns the next frame, and its length in *len; NULL after the last. It is valid until the next
 * call.
 */
uint8_t *offload_next(struct offload_frame *frame, uint32_t *len);

#endif
