/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the frames of one port come from and go to. Back ends: a network
 * interface, a capture file, two ends in memory, nothing at all.
 *
 * Used by one thread at a time. No call blocks or allocates except open and
 * close.
 */
#ifndef DCB_DATAPLANE_NETIO_NETIO_H
#define DCB_DATAPLANE_NETIO_NETIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "lib/dcbtime.h"

struct netio;

/*
 * A frame that arrived, without FCS. octets are the caller's for the duration
 * of the call; wire_octets > len says that the rest did not fit.
 */
typedef void (*netio_sink)(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets);

struct netio_sent {
	unsigned taken;   /* frames dealt with, from the first; the others: when writable again */
	unsigned refused; /* of these the interface would not have ... */
	uint32_t refused_octets; /* ... and how long they were */
	int error;               /* errno that says the interface is gone or down, else 0 */
};

struct netio_ops {
	const char *name;
	/* Hands up to max frames to the sink. How many; -errno when the interface is gone or down.
	 */
	int (*recv)(struct netio *io, unsigned max, netio_sink sink, void *ctx);
	/* One iovec a frame. now: for back ends that record when a frame left. */
	struct netio_sent (*send)(struct netio *io, const struct iovec *frames, unsigned n,
				  struct dcb_time now);
	/*
	 * One frame of MAC control, ahead of what was sent before and waits. NULL:
	 * send() does. Never blocked by it: what is not taken now is asked again.
	 */
	struct netio_sent (*send_control)(struct netio *io, const struct iovec *frame,
					  struct dcb_time now);
	/* Frames lost before recv() could have them, since open. May cost a system call. */
	uint64_t (*lost)(struct netio *io);
	void (*close)(struct netio *io);
};

struct netio {
	const struct netio_ops *ops;
	int recv_fd; /* readable when recv() has something; -1: never */
	int send_fd; /* writable when send() takes something; -1: always */
};

static inline struct netio_sent netio_send_control(struct netio *io, const struct iovec *frame,
						   struct dcb_time now)
{
	return io->ops->send_control ? io->ops->send_control(io, frame, now)
				     : io->ops->send(io, frame, 1, now);
}

/* A network interface: netio_packet.c. */
struct netio_packet_params {
	const char *ifname;
	uint32_t ifindex;
	uint32_t mtu;          /* of the interface now; 0: unknown */
	uint32_t frame_octets; /* longest frame to receive whole */
	bool qdisc_bypass;     /* send past the kernel's queueing discipline */
};

/* NULL: err says which step failed and why. */
struct netio *netio_packet_open(const struct netio_packet_params *params, char *err, size_t errlen);

/* Takes every frame and yields none: netio_mem.c. One for all; costs nothing. */
struct netio *netio_nothing(void);

/*
 * Two ends in memory, netio_mem.c: what is sent into one is received from the
 * other, by another thread if so wished. Each direction holds up to depth (a
 * power of two) frames of frame_octets. false: no memory or descriptors.
 */
bool netio_mem_pair(struct netio *ends[2], uint32_t depth, uint32_t frame_octets);

/* Capture files, netio_file.c: either path may be NULL. Classic pcap or pcapng in, pcap out. */
struct netio *netio_file_open(const char *read_path, const char *write_path, uint32_t frame_octets,
			      char *err, size_t errlen);
/* Time of the frame that recv() gives next; DCB_TIME_NEVER after the last. */
struct dcb_time netio_file_next(const struct netio *io);
/* Writes out what is buffered. false: reading or writing failed; err says how. */
bool netio_file_finish(struct netio *io, char *err, size_t errlen);

#endif
