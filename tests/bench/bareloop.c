/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Minimal forwarding in user space, for comparison: sends the frames that libpcap
 * receives on one interface by AF_PACKET on the other, in both directions, in batches,
 * without parsing. It makes the same system calls as the bridge's back end; the
 * difference is the cost of parsing, learning, queueing and congestion points.
 *
 *   bareloop IF IF
 */
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH        64
#define FRAME_OCTETS 2048
#define RING_OCTETS  (4 << 20)
#define SEND_OCTETS  (1 << 20)

struct side {
	const char *ifname;
	pcap_t *pcap;
	int send_fd;
	struct side *other;
	unsigned n;
	struct mmsghdr msgs[BATCH];
	struct iovec iov[BATCH];
	uint8_t frame[BATCH][FRAME_OCTETS];
};

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "bareloop: ");
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

static void open_receiver(struct side *s)
{
	const int on = 1;
	char why[PCAP_ERRBUF_SIZE];

	s->pcap = pcap_create(s->ifname, why);
	if (!s->pcap)
		die("%s: %s", s->ifname, why);
	pcap_set_snaplen(s->pcap, FRAME_OCTETS);
	pcap_set_promisc(s->pcap, 1);
	pcap_set_immediate_mode(s->pcap, 1);
	pcap_set_buffer_size(s->pcap, RING_OCTETS);
	if (pcap_activate(s->pcap) < 0 || pcap_setnonblock(s->pcap, 1, why) ||
	    pcap_setdirection(s->pcap, PCAP_D_IN))
		die("%s: %s", s->ifname, pcap_geterr(s->pcap));
	(void)setsockopt(pcap_get_selectable_fd(s->pcap), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on,
			 sizeof(on));
}

static void open_sender(struct side *s)
{
	struct sockaddr_ll addr = {.sll_family = AF_PACKET};
	const int on = 1, octets = SEND_OCTETS;

	addr.sll_ifindex = (int)if_nametoindex(s->ifname);
	s->send_fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->send_fd < 0 || bind(s->send_fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("%s: %m", s->ifname);
	if (setsockopt(s->send_fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)))
		die("%s: PACKET_QDISC_BYPASS: %m", s->ifname);
	(void)setsockopt(s->send_fd, SOL_SOCKET, SO_SNDBUFFORCE, &octets, sizeof(octets));
	for (unsigned i = 0; i < BATCH; i++) {
		s->iov[i].iov_base = s->frame[i];
		s->msgs[i].msg_hdr = (struct msghdr){.msg_iov = &s->iov[i], .msg_iovlen = 1};
	}
}

/* Copies the frame: the kernel reuses its ring slot after the call. */
static void on_frame(u_char *user, const struct pcap_pkthdr *h, const u_char *octets)
{
	struct side *out = ((struct side *)user)->other;

	memcpy(out->frame[out->n], octets, h->caplen);
	out->iov[out->n++].iov_len = h->caplen;
}

/* Frames that the interface does not accept are lost: there is no queue. */
static void flush(struct side *out)
{
	unsigned done = 0;

	while (done < out->n) {
		int rc = sendmmsg(out->send_fd, out->msgs + done, out->n - done, MSG_DONTWAIT);

		done += rc > 0 ? (unsigned)rc : 1;
	}
	out->n = 0;
}

static void forward(struct side *in)
{
	if (pcap_dispatch(in->pcap, BATCH, on_frame, (u_char *)in) < 0)
		die("%s: %s", in->ifname, pcap_geterr(in->pcap));
	flush(in->other);
}

int main(int argc, char **argv)
{
	static struct side sides[2];
	struct pollfd pfd[2];

	if (argc != 3)
		die("expected two interfaces");
	for (int i = 0; i < 2; i++) {
		sides[i].ifname = argv[i + 1];
		sides[i].other = &sides[1 - i];
		open_sender(&sides[i]);
		open_receiver(&sides[i]);
		pfd[i] = (struct pollfd){pcap_get_selectable_fd(sides[i].pcap), POLLIN, 0};
	}
	puts("ready");
	fflush(stdout);
	for (;;) {
		if (poll(pfd, 2, -1) < 0 && errno != EINTR)
			die("poll: %m");
		for (int i = 0; i < 2; i++) {
			if (pfd[i].revents)
				forward(&sides[i]);
		}
	}
}
