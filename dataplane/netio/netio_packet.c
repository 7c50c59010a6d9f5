/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network interface: a packet socket with a ring receives (netio_ring.c), others send.
 *
 * GRO and LRO merge received frames into longer ones that were never on the wire. What GRO has
 * merged is taken apart again, but LRO loses what that would need, and either delays the first of
 * the frames. Both are switched off at open, and restored at close; that needs CAP_NET_ADMIN and is
 * not retried.
 */
#include "dataplane/netio/netio.h"
#include "dataplane/netio/netio_hm_filter.h"
#include "dataplane/netio/netio_ingress.h"
#include "dataplane/netio/netio_kept.h"
#include "dataplane/netio/netio_nic.h"
#include "dataplane/netio/netio_ring.h"
#include "dataplane/netio/netio_stamp.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* SO_SNDBUF: limits octets queued in the kernel; further frames wait in the port's queues. */
#define SEND_BUFFER_OCTETS (1 << 20)

#define SEND_BATCH 64

struct packet_io {
	struct netio io;
	int control_fd;
	struct netio_ring ring;
	uint32_t ifindex;
	struct netio_ingress ingress;
	bool gro_was_on, lro_was_on;
	uint32_t stamps;      /* asked for: number of the next stamped frame */
	uint32_t stamps_base; /* number of the frame that the kernel has as 0 */
	struct netio_real_clock real_clock;
	struct netio_nic nic;
	struct netio_hm_filter drop;
	const struct iovec *batch; /* that msgs refer to */
	struct mmsghdr msgs[SEND_BATCH];
};

static struct packet_io *to_packet(struct netio *io)
{
	return (struct packet_io *)io;
}

/* --- offloads ------------------------------------------------------------ */

static bool ethtool(struct packet_io *p, uint32_t cmd, uint32_t *data)
{
	struct ethtool_value value = {.cmd = cmd, .data = *data};
	struct ifreq ifr = {.ifr_data = (void *)&value};
	bool ok;

	if (!if_indextoname(p->ifindex, ifr.ifr_name))
		return false;
	ok = ioctl(p->io.send_fd, SIOCETHTOOL, &ifr) == 0;
	*data = value.data;
	return ok;
}

static const struct merging {
	uint32_t get, set, bit;
	enum netio_kept kept;
} gro = {ETHTOOL_GGRO, ETHTOOL_SGRO, 1, NETIO_KEPT_GRO},
  lro = {ETHTOOL_GFLAGS, ETHTOOL_SFLAGS, ETH_FLAG_LRO, NETIO_KEPT_LRO};

/* Returns whether to restore it. */
static bool switch_off(struct packet_io *p, const struct merging *m)
{
	uint32_t flags = 0;
	bool was_on;

	if (!ethtool(p, m->get, &flags))
		return false;
	was_on = netio_kept_begin(p->ifindex, m->kept, flags & m->bit ? '1' : 0);
	if (!(flags & m->bit))
		return was_on;
	flags ^= m->bit;
	if (ethtool(p, m->set, &flags))
		return true;
	netio_kept_end(p->ifindex, m->kept);
	return false;
}

static void restore(struct packet_io *p, const struct merging *m)
{
	uint32_t flags = 0;

	if (ethtool(p, m->get, &flags) && !(flags & m->bit)) {
		flags ^= m->bit;
		(void)ethtool(p, m->set, &flags);
	}
	netio_kept_end(p->ifindex, m->kept);
}

static void disable_merging(struct packet_io *p)
{
	p->gro_was_on = switch_off(p, &gro);
	p->lro_was_on = switch_off(p, &lro);
}

static void restore_merging(struct packet_io *p)
{
	if (p->gro_was_on)
		restore(p, &gro);
	if (p->lro_was_on)
		restore(p, &lro);
}

/* --- receive ------------------------------------------------------------- */

static bool exists(const struct packet_io *p)
{
	char name[IF_NAMESIZE];

	return if_indextoname(p->ifindex, name);
}

struct receiver {
	struct packet_io *packet;
	netio_sink sink;
	void *ctx;
};

static void on_frame(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	const struct receiver *r = ctx;

	netio_hm_filter_see(&r->packet->drop, octets, len);
	r->sink(r->ctx, octets, len, wire_octets);
}

static int packet_recv(struct netio *io, unsigned max, netio_sink sink, void *ctx)
{
	struct packet_io *p = to_packet(io);
	struct receiver r = {p, sink, ctx};
	uint32_t slots;
	int n = netio_ring_recv(&p->ring, max, on_frame, &r, &slots);

	netio_hm_filter_took(&p->drop, slots, n >= 0 && (unsigned)n < max);
	/* The error of an interface that was removed is that of one which is down. */
	return n == -ENETDOWN && !exists(p) ? -ENXIO : n;
}

static struct dcb_time packet_received_at(struct netio *io)
{
	struct packet_io *p = to_packet(io);

	return netio_stamp_time(&p->real_clock, netio_ring_time(&p->ring));
}

static bool packet_received_by_nic(struct netio *io, int64_t *nic_ns)
{
	struct packet_io *p = to_packet(io);

	return netio_nic_received(&p->nic, netio_ring_time(&p->ring), nic_ns);
}

/* Of a packet socket, SIOCOUTQ counts whole buffers: more octets than the frames have. */
static uint32_t packet_unsent(struct netio *io)
{
	int octets = 0;

	return ioctl(io->send_fd, SIOCOUTQ, &octets) == 0 && octets > 0 ? (uint32_t)octets : 0;
}

static uint64_t packet_lost(struct netio *io)
{
	return netio_ring_lost(&to_packet(io)->ring);
}

static bool packet_begin_drop(struct netio *io)
{
	struct netio_hm_filter *drop = &to_packet(io)->drop;

	if (!netio_hm_filter_begin(drop, io->recv_fd, to_packet(io)->ring.slots))
		return false;
	netio_hm_filter_lost(drop, packet_lost(io));
	return true;
}

static bool packet_end_drop(struct netio *io, uint64_t *dropped)
{
	return netio_hm_filter_end(&to_packet(io)->drop, io->recv_fd, packet_lost(io), dropped);
}

/* --- send ---------------------------------------------------------------- */

/* ENOBUFS: the queueing discipline dropped the frame. EMSGSIZE: longer than the MTU. */
static bool is_refusal(int error)
{
	return error == ENOBUFS || error == EMSGSIZE || error == EINVAL || error == EPERM;
}

static bool is_busy(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == EINTR || error == ENOMEM;
}

/* The caller's batch is most often in the same place. */
static void refer_to(struct packet_io *p, const struct iovec *frames)
{
	for (unsigned i = 0; i < SEND_BATCH; i++) {
		p->msgs[i].msg_hdr.msg_iov =
		    (struct iovec *)((uintptr_t)frames + i * sizeof(*frames));
		p->msgs[i].msg_hdr.msg_iovlen = 1;
	}
	p->batch = frames;
}

static struct netio_sent packet_send(struct netio *io, const struct iovec *frames, unsigned n,
				     struct dcb_time now)
{
	struct packet_io *p = to_packet(io);
	struct netio_sent sent = {0};

	(void)now;
	if (p->batch != frames)
		refer_to(p, frames);
	while (sent.taken < n && sent.taken < SEND_BATCH) {
		int rc = sendmmsg(io->send_fd, p->msgs + sent.taken, n - sent.taken, MSG_DONTWAIT);

		if (rc > 0) {
			sent.taken += (unsigned)rc;
		} else if (is_refusal(errno)) {
			sent.refused++;
			sent.refused_octets += (uint32_t)frames[sent.taken++].iov_len;
		} else {
			if (!is_busy(errno))
				sent.error = errno;
			break;
		}
	}
	return sent;
}

/*
 * Priority 7 needs CAP_NET_ADMIN (since Linux 5.19 CAP_NET_RAW is sufficient), 6 does
 * not.
 */
static void set_socket_priority(int fd, unsigned priority)
{
	const int wanted = (int)priority;
	const int next = 6;

	if (setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &wanted, sizeof(wanted)) && wanted > next)
		(void)setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &next, sizeof(next));
}

static void packet_set_priority(struct netio *io, unsigned priority)
{
	set_socket_priority(io->send_fd, priority);
}

bool netio_packet_uses_priority(const char *kind, bool bypass)
{
	/* These map priorities to transmit queues of the driver. */
	static const char *const to_queues[] = {"mqprio", "taprio"};
	/*
	 * Without classes for other queueing disciplines; or the kernel's defaults, whose
	 * bands are for the priorities of linux/pkt_sched.h: they put 3 behind 0.
	 */
	static const char *const none[] = {
	    "",           "noqueue", "noop", "pfifo",    "bfifo", "pfifo_head_drop",
	    "pfifo_fast", "mq",      "fq",   "fq_codel", "codel", "fq_pie",
	    "pie",        "sfq",     "cake",
	};

	for (size_t i = 0; i < sizeof(to_queues) / sizeof(to_queues[0]); i++)
		if (strcmp(kind, to_queues[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (strcmp(kind, none[i]) == 0)
			return false;
	return !bypass;
}

static struct netio_sent control_sent(ssize_t rc, const struct iovec *frame)
{
	if (rc >= 0)
		return (struct netio_sent){.taken = 1};
	if (is_refusal(errno))
		return (struct netio_sent){1, 1, (uint32_t)frame->iov_len, 0};
	return (struct netio_sent){.error = is_busy(errno) ? 0 : errno};
}

/* Uses a second socket: frames waiting in the send buffer of send_fd do not delay it. */
static struct netio_sent packet_send_control(struct netio *io, const struct iovec *frame,
					     struct dcb_time now)
{
	struct msghdr msg = {.msg_iov = (struct iovec *)frame, .msg_iovlen = 1};

	(void)now;
	return control_sent(sendmsg(to_packet(io)->control_fd, &msg, MSG_DONTWAIT), frame);
}

/*
 * After an error it is not known whether the kernel has counted the frame: both count anew,
 * and times that have not been taken are lost.
 */
static void count_anew(struct packet_io *p)
{
	struct netio_times times;
	uint32_t id;

	while (netio_stamp_take(p->control_fd, &id, &times))
		;
	(void)netio_stamp_enable(p->control_fd, netio_nic_is_used(&p->nic));
	p->stamps_base = p->stamps;
}

static struct netio_sent packet_send_stamped(struct netio *io, const struct iovec *frame,
					     struct dcb_time now, struct netio_stamping *stamping)
{
	struct packet_io *p = to_packet(io);
	bool nic = netio_nic_is_used(&p->nic);
	struct netio_sent sent = control_sent(netio_stamp_send(p->control_fd, frame, nic), frame);

	(void)now;
	stamping->awaits_time = true;
	stamping->awaits_nic = nic;
	stamping->id = p->stamps++;
	if (sent.taken == 0 || sent.refused)
		count_anew(p);
	return sent;
}

static bool packet_sent_at(struct netio *io, struct netio_stamp *stamp)
{
	struct packet_io *p = to_packet(io);
	struct netio_times times;

	if (!netio_stamp_take(p->control_fd, &stamp->id, &times))
		return false;
	stamp->id += p->stamps_base;
	stamp->by_nic = !times.has_real;
	if (stamp->by_nic)
		stamp->nic_ns = times.nic_ns;
	else
		stamp->at = netio_stamp_time(&p->real_clock, times.real);
	return true;
}

static bool open_socket(int *fd, const struct netio_packet_params *params, char *err, size_t errlen)
{
	struct sockaddr_ll addr = {.sll_family = AF_PACKET, .sll_ifindex = (int)params->ifindex};
	const int on = 1;

	/* Protocol 0: the socket receives no frames. */
	*fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (*fd < 0) {
		/*
		 * Message: The interface cannot be opened and does not become a port. With
		 * `Operation not permitted`, dcbd lacks CAP_NET_RAW.
		 */
		snprintf(err, errlen, "%s: packet socket: %s", params->ifname, strerror(errno));
		return false;
	}
	if (bind(*fd, (struct sockaddr *)&addr, sizeof(addr))) {
		/*
		 * Messages: The interface cannot be opened, most often because it was deleted at
		 * that moment. If the message repeats, check that the interface exists and that the
		 * kernel supports packet sockets with a receive ring.
		 */
		snprintf(err, errlen, "%s: bind: %s", params->ifname, strerror(errno));
		return false;
	}
	if (params->qdisc_bypass &&
	    setsockopt(*fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on))) {
		snprintf(err, errlen, "%s: PACKET_QDISC_BYPASS: %s", params->ifname,
			 strerror(errno));
		return false;
	}
	return true;
}

static bool take_frames(struct packet_io *p, const struct netio_packet_params *params, char *err,
			size_t errlen)
{
	char why[160];

	if (netio_ingress_take(&p->ingress, params->ifindex, why, sizeof(why)))
		return true;
	snprintf(err, errlen, "%s: %s", params->ifname, why);
	return false;
}

static bool open_sender(struct packet_io *p, const struct netio_packet_params *params, char *err,
			size_t errlen)
{
	const int octets = SEND_BUFFER_OCTETS;

	if (!open_socket(&p->io.send_fd, params, err, errlen) ||
	    !open_socket(&p->control_fd, params, err, errlen))
		return false;
	if (setsockopt(p->io.send_fd, SOL_SOCKET, SO_SNDBUFFORCE, &octets, sizeof(octets)))
		(void)setsockopt(p->io.send_fd, SOL_SOCKET, SO_SNDBUF, &octets, sizeof(octets));
	set_socket_priority(p->control_fd, 7);
	if (params->nic_times)
		netio_nic_begin(&p->nic, p->control_fd, params->ifindex);
	else
		netio_nic_undo(p->control_fd, params->ifindex);
	/* Else no frame has a time. */
	(void)netio_stamp_enable(p->control_fd, netio_nic_is_used(&p->nic));
	p->io.stamp_fd = p->control_fd;
	return true;
}

/* --- open and close ------------------------------------------------------ */

static void packet_free(struct packet_io *p)
{
	if (p->io.send_fd >= 0) {
		restore_merging(p);
		close(p->io.send_fd);
	}
	if (p->control_fd >= 0) {
		netio_nic_end(&p->nic, p->control_fd);
		close(p->control_fd);
	}
	netio_hm_filter_close(&p->drop);
	netio_ring_close(&p->ring);
	netio_ingress_release(&p->ingress);
	free(p);
}

static void packet_close(struct netio *io)
{
	packet_free(to_packet(io));
}

struct netio *netio_packet_open(const struct netio_packet_params *params, char *err, size_t errlen)
{
	static const struct netio_ops ops = {
	    .name = "packet",
	    .recv = packet_recv,
	    .send = packet_send,
	    .send_control = packet_send_control,
	    .send_stamped = packet_send_stamped,
	    .sent_at = packet_sent_at,
	    .received_at = packet_received_at,
	    .received_by_nic = packet_received_by_nic,
	    .set_priority = packet_set_priority,
	    .lost = packet_lost,
	    .begin_drop = packet_begin_drop,
	    .end_drop = packet_end_drop,
	    .unsent = packet_unsent,
	    .close = packet_close,
	};
	struct packet_io *p = calloc(1, sizeof(*p));

	if (!p) {
		snprintf(err, errlen, "%s: out of memory", params->ifname);
		return NULL;
	}
	p->io = (struct netio){.ops = &ops, .recv_fd = -1, .send_fd = -1, .stamp_fd = -1};
	p->control_fd = -1;
	p->nic.fd = -1;
	p->drop.fd = -1;
	p->ifindex = params->ifindex;
	p->ring.fd = -1;
	if (!take_frames(p, params, err, errlen) || !open_sender(p, params, err, errlen)) {
		packet_free(p);
		return NULL;
	}
	netio_hm_filter_open(&p->drop, params->ifindex);
	if (!netio_ring_open(&p->ring, params, err, errlen)) {
		packet_free(p);
		return NULL;
	}
	p->io.recv_fd = p->ring.fd;
	disable_merging(p);
	return &p->io;
}

void netio_packet_renamed(const struct netio *io)
{
	netio_ingress_renamed(&((const struct packet_io *)io)->ingress);
}

void netio_packet_inherit(struct netio *io, struct netio *from)
{
	struct packet_io *p = to_packet(io), *former = to_packet(from);

	p->gro_was_on |= former->gro_was_on;
	p->lro_was_on |= former->lro_was_on;
	former->gro_was_on = former->lro_was_on = false;
	netio_nic_inherit(&p->nic, &former->nic);
	netio_ingress_inherit(&p->ingress, &former->ingress);
}
