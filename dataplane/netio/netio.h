/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives and sends the frames of one port. Back ends: a network interface, a
 * tap, a capture file, a pair of ends in memory, and one that discards
 * everything.
 *
 * One thread at a time uses a struct netio. Only open and close block or
 * allocate memory.
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
 * Called for each received frame, without FCS. octets are valid only during the
 * call. wire_octets: length of the frame on the link; > len if it was truncated.
 */
typedef void (*netio_sink)(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets);

struct netio_sent {
	unsigned taken;   /* frames sent or refused, the first ones; others: when writable again */
	unsigned refused; /* frames among them that the interface did not accept */
	uint32_t refused_octets; /* total length of the refused frames */
	int error;               /* errno if the interface is gone or down, else 0 */
};

/* Where the times of a measurement are from: dcbPfcMeasureTimestamps. */
enum netio_clock {
	NETIO_CLOCK_NONE = 1, /* the time of sending is that of the call */
	NETIO_CLOCK_KERNEL,   /* sent_at() and received_at() */
	NETIO_CLOCK_NIC,      /* the NIC, both */
};

/*
 * When a frame left: by the kernel, or by the NIC. A NIC has a clock of its own: its times, in ns,
 * are only compared with each other.
 */
struct netio_stamp {
	uint32_t id; /* of struct netio_stamping */
	bool by_nic;
	struct dcb_time at; /* !by_nic */
	int64_t nic_ns;     /* by_nic */
};

/* Argument and results of send_stamped(). */
struct netio_stamping {
	bool controlled;  /* send the frame by the Controlled Port of a SecY, if there is one */
	bool awaits_time; /* sent_at() may return the time of the frame */
	bool awaits_nic;  /* and its time by the NIC, most often later */
	uint32_t id;      /* the number it has then */
};

/* Which frames a SecY in front of the link protects: IEEE Std 802.1AE, P802.1Qdt 36.4, 36.5. */
enum netio_security {
	NETIO_SECURES_NONE = 0, /* there is no SecY */
	NETIO_SECURES_DATA,     /* all but MAC Control */
	NETIO_SECURES_ALL,
	NETIO_NOT_SECURE_YET, /* the SecY has no key to transmit with: it sends nothing */
};

struct netio_ops {
	const char *name;
	/*
	 * Passes up to max received frames to the sink. Returns their number, or -errno
	 * if the interface is gone or down.
	 */
	int (*recv)(struct netio *io, unsigned max, netio_sink sink, void *ctx);
	/*
	 * In place of recv() for the host side of a station's port, which is a tap or memory: gets
	 * the next frame into a buffer of size octets, without a copy in between. Returns its
	 * length, size if it is longer; 0 if there is none; or -errno as recv().
	 */
	int (*read)(struct netio *io, uint8_t *octets, uint32_t size);
	/* Sends n frames, one iovec each. now: timestamp for back ends that record it. */
	struct netio_sent (*send)(struct netio *io, const struct iovec *frames, unsigned n,
				  struct dcb_time now);
	/*
	 * Sends one MAC control frame ahead of frames that wait in the send buffer.
	 * taken is 0 if there is no room: the caller retries. NULL: send() is used.
	 */
	struct netio_sent (*send_control)(struct netio *io, const struct iovec *frame,
					  struct dcb_time now);
	/*
	 * The next three measure delays (P802.1Qdt 36.9). sent_at and received_at are both NULL,
	 * or none is, and then send_stamped is not either; without them, the times are those of
	 * the calls. Times are of the same clock as now.
	 *
	 * send_stamped() is send_control(), and asks for the time at which the frame leaves.
	 * sent_at() takes such a time: often at once, else when stamp_fd is readable. A time may
	 * be missing, as that of a frame that a queueing discipline drops. sent_at() returns
	 * false if there is none yet.
	 */
	struct netio_sent (*send_stamped)(struct netio *io, const struct iovec *frame,
					  struct dcb_time now, struct netio_stamping *stamping);
	bool (*sent_at)(struct netio *io, struct netio_stamp *stamp);
	/* Returns when the frame was received that the sink has now. Called in the sink only. */
	struct dcb_time (*received_at)(struct netio *io);
	/*
	 * Gets the time by the NIC at which the HMPDU was received that the sink has now. Called in
	 * the sink only. Returns false if it is not known. NULL: it never is.
	 */
	bool (*received_by_nic)(struct netio *io, int64_t *nic_ns);
	/* Return what protects frames; NULL: nothing does. */
	enum netio_security (*security)(const struct netio *io);
	/* Whether the frame that the sink has now was protected, and is valid. In the sink only. */
	bool (*received_controlled)(struct netio *io);
	/*
	 * Sets the priority, 0..7, that the kernel has for the frames which send() sends
	 * from now on. A system call; netio_set_priority() omits it while the priority
	 * stays. NULL: nothing uses the priority.
	 */
	void (*set_priority)(struct netio *io, unsigned priority);
	/*
	 * Returns the number of received frames that the kernel dropped before recv(),
	 * since open. May make a system call.
	 */
	uint64_t (*lost)(struct netio *io);
	/*
	 * begin_drop() has the kernel drop the unprotected HMPDUs that are received,
	 * until end_drop(): for a flood. Both return false if they cannot; then nothing changes.
	 * end_drop() gets the number of HMPDUs dropped since the last call, and is called again
	 * while it returns false. They make system calls. Both may be NULL.
	 */
	bool (*begin_drop)(struct netio *io);
	bool (*end_drop)(struct netio *io, uint64_t *dropped);
	/*
	 * Returns the octets that the kernel has accepted by send() and not yet given back, at
	 * least those of the frames that have not left. A system call. NULL: frames leave at once.
	 */
	uint32_t (*unsent)(struct netio *io);
	void (*close)(struct netio *io);
};

struct netio {
	const struct netio_ops *ops;
	int recv_fd;       /* readable when recv() has a frame; -1: nothing to poll */
	int send_fd;       /* writable when send() accepts a frame; -1: always accepts */
	int stamp_fd;      /* readable when sent_at() has a time; -1: nothing to poll */
	unsigned priority; /* as last set; 0 after open */
};

/* Sets the priority of the frames of the next send(): see set_priority(). */
static inline void netio_set_priority(struct netio *io, unsigned priority)
{
	if (io->priority == priority || !io->ops->set_priority)
		return;
	io->ops->set_priority(io, priority);
	io->priority = priority;
}

/* Returns what protects the frames of the link; io may be NULL. */
static inline enum netio_security netio_security(const struct netio *io)
{
	return io && io->ops->security ? io->ops->security(io) : NETIO_SECURES_NONE;
}

/* Sends one MAC control frame by send_control(), or by send() if there is none. */
static inline struct netio_sent netio_send_control(struct netio *io, const struct iovec *frame,
						   struct dcb_time now)
{
	return io->ops->send_control ? io->ops->send_control(io, frame, now)
				     : io->ops->send(io, frame, 1, now);
}

/* The longest receive ring of an interface: 1.4 ms of minimum-size frames at 1 Gb/s. */
#define NETIO_RING_MOST (UINT32_C(4) << 20)

/* A network interface: netio_packet.c. */
struct netio_packet_params {
	const char *ifname;    /* for messages: the name may have changed */
	uint32_t ifindex;      /* identifies the interface */
	uint32_t mtu;          /* current MTU of the interface; 0: unknown */
	uint32_t frame_octets; /* longest frame that is expected */
	uint32_t ring_octets;  /* receive ring; 0: NETIO_RING_MOST */
	bool qdisc_bypass;     /* PACKET_QDISC_BYPASS: skip the queueing discipline */
	bool nic_times;        /* use timestamps of the NIC if it has them */
};

/*
 * Opens the interface that has the ifIndex, whatever its name is. Returns NULL on
 * failure; err: the failed step and the reason.
 */
struct netio *netio_packet_open(const struct netio_packet_params *params, char *err, size_t errlen);

/* The interface of io has another name. Control thread. */
void netio_packet_renamed(const struct netio *io);

/*
 * Returns whether a queueing discipline of this kind, the root of an interface, may use
 * the priority of frames; bypass: with PACKET_QDISC_BYPASS, which still leaves the choice
 * of the transmit queue. kind: as the kernel calls it; empty: unknown.
 */
bool netio_packet_uses_priority(const char *kind, bool bypass);

/*
 * For an interface that is open twice: the closing of io instead of that of from
 * restores the offloads that the first opening switched off, and its timestamp settings.
 */
void netio_packet_inherit(struct netio *io, struct netio *from);

/*
 * Returns a back end that discards sent frames and never receives: netio_mem.c.
 * All callers share one object.
 */
struct netio *netio_nothing(void);

/*
 * Creates two connected ends in memory, netio_mem.c: a frame sent by one end is
 * received by the other. Each end may have a thread of its own. Each direction
 * holds up to depth (a power of two) frames of frame_octets. Returns false if
 * there is no memory or no file descriptor.
 */
bool netio_mem_pair(struct netio *ends[2], uint32_t depth, uint32_t frame_octets);

/*
 * Opens capture files, netio_file.c: reads classic pcap or pcapng, writes classic
 * pcap. Either path may be NULL. Returns NULL on failure; err: file and reason.
 */
struct netio *netio_file_open(const char *read_path, const char *write_path, uint32_t frame_octets,
			      char *err, size_t errlen);
/* Returns the timestamp of the next frame for recv(); DCB_TIME_NEVER after the last. */
struct dcb_time netio_file_next(const struct netio *io);
/*
 * Returns the number of frames so far of which the file has only the first octets, because the
 * snapshot length of the capture was shorter: recv() leaves them out.
 */
uint64_t netio_file_partial(const struct netio *io);
/* Flushes the output. Returns false if reading or writing failed; err: the reason. */
bool netio_file_finish(struct netio *io, char *err, size_t errlen);

#endif
