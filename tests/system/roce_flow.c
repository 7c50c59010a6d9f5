/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A flow of RoCEv2 frames for roce_lossless.sh, and its receiver. No interface needs an address.
 *
 *   roce_flow send IF DA FLOW COUNT OCTETS WINDOW LINE roce|background
 *     sends COUNT frames (0: until SIGTERM) of OCTETS octets (without FCS), numbered from 0, at
 *     LINE bit/s. At most WINDOW of them are on their way. Prints a line of numbers at the end.
 *     roce: DSCP 26, ECT(0), UDP port 4791. Obeys PFC frames of priority 3, as a NIC does and
 *     Linux does not, and follows CNPs with the reaction point of DCQCN.
 *     background: DSCP 0, not ECT, UDP port 9. Follows nothing but its window.
 *   roce_flow receive IF LINE
 *     prints "ready". Answers until SIGTERM, then prints a line for each flow.
 *
 * The receiver acknowledges one in ACK_FRAMES frames. The window limits the frames in receive rings
 * of the kernel, which PFC does not reach, while a bridge gets no processor. A frame is never sent
 * again: one that is missing when a later one arrives is lost. A probe has the number of the next
 * frame, and the receiver answers it. A sender sends it when no acknowledgment comes, because the
 * last frames of its window may be lost.
 *
 * DCQCN is for links of 40 Gb/s and in microseconds, a fraction of the time slice of a processor.
 * With SCALE = 40 Gb/s / LINE, a link of LINE bit/s takes SCALE times as long for the same octets.
 * So the engines get the time divided by SCALE, and the rate of the reaction point is divided by
 * SCALE: at 100 Mb/s there is at most one CNP in 20 ms, and the timers expire after 22 ms. Numbers
 * of octets, as thresholds of ECN and the byte counter, stay as they are.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "dataplane/core/dcqcn.h"
#include "dataplane/core/eth.h"
#include "dataplane/core/ip.h"
#include "dataplane/core/limiter.h"
#include "dataplane/core/pfc_rx.h"
#include "sim/net/roce.h"

#define DCQCN_LINE_BPS UINT64_C(40000000000)

#define PRIORITY        3
#define DSCP_ROCE       26
#define DSCP_CNP        48
#define PORT_BACKGROUND 9

/* Opcodes of the BTH from 0xc0 on are those of manufacturers. */
#define OPCODE_PROBE 0xc0

#define UDP_OCTETS     8
#define IP_AT          ETH_HEADER_OCTETS
#define UDP_AT         (IP_AT + IP_V4_OCTETS)
#define BTH_AT         (UDP_AT + UDP_OCTETS)
#define PSN_AT         (BTH_AT + 8)
#define HEADERS_OCTETS (BTH_AT + ROCE_BTH_OCTETS)
#define LEAST_OCTETS   (HEADERS_OCTETS + ROCE_ICRC_OCTETS)
#define MOST_OCTETS    1514
#define ANSWER_OCTETS  (HEADERS_OCTETS + ROCE_CNP_OCTETS + ROCE_ICRC_OCTETS)
#define COUNT_MAX      ROCE_QP_MAX /* a PSN has 24 bits, too */

#define FLOWS      16
#define BATCH      64
#define ACK_FRAMES 32

#define RING_OCTETS (8 << 20)
#define SNAP_OCTETS 128

/* A sender that is late catches up for this time, as a port does. */
#define CATCH_UP_NS (10 * DCB_NS_PER_MS)
/* Frames that are due within this time are sent together. */
#define TURN_NS (DCB_NS_PER_MS / 2)
/* Time to the first probe, doubled for each further one: probes do not fill rings either. */
#define PROBE_NS (200 * DCB_NS_PER_MS)

static const char *ifname;
static uint64_t scale;
static volatile sig_atomic_t ended;

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("roce_flow: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

static struct dcb_time now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (struct dcb_time){ts.tv_sec * DCB_NS_PER_S + ts.tv_nsec};
}

static struct dcb_time scaled(struct dcb_time t)
{
	return (struct dcb_time){t.ns / (int64_t)scale};
}

static uint64_t parse_number(const char *text, uint64_t least, uint64_t most)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno || end == text || *end || v < least || v > most)
		die("%s: expected a number from %" PRIu64 " to %" PRIu64, text, least, most);
	return v;
}

/* Returns the rate, and sets scale. */
static struct dcb_rate parse_line_rate(const char *text)
{
	uint64_t bps = parse_number(text, 1000000, DCQCN_LINE_BPS);

	scale = DCQCN_LINE_BPS / bps;
	if (scale * bps != DCQCN_LINE_BPS)
		die("%s: expected a rate that divides %" PRIu64, text, DCQCN_LINE_BPS);
	return (struct dcb_rate){bps};
}

static void on_term(int sig)
{
	(void)sig;
	ended = 1;
}

/* --- frames -------------------------------------------------------------------- */

/* Returns the checksum of a header whose field for it is 0; 0 for a right header. */
static uint16_t ip_checksum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < IP_V4_OCTETS; i += 2)
		sum += get_be16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum += sum >> 16;
	return (uint16_t)~sum;
}

/* Writes the headers behind the MAC addresses. The UDP checksum is 0: there is none. */
static void put_headers(uint8_t *frame, uint32_t octets, uint32_t from, uint32_t to,
			unsigned traffic_class, uint16_t port, const struct roce_bth *bth)
{
	uint8_t *ip = frame + IP_AT, *udp = frame + UDP_AT;

	put_be16(frame + ETH_TYPE_OFFSET, IP_TYPE_V4);
	memset(ip, 0, IP_V4_OCTETS + UDP_OCTETS);
	ip[0] = 0x45;
	ip[1] = (uint8_t)traffic_class;
	put_be16(ip + 2, (uint16_t)(octets - IP_AT));
	ip[8] = 64;
	ip[9] = IPPROTO_UDP;
	put_be32(ip + 12, from);
	put_be32(ip + 16, to);
	put_be16(ip + IP_V4_CHECKSUM, ip_checksum(ip));
	put_be16(udp, (uint16_t)(0xc000 | (bth->qp & 0x3fff)));
	put_be16(udp + 2, port);
	put_be16(udp + 4, (uint16_t)(octets - UDP_AT));
	roce_put_bth(frame + BTH_AT, bth);
}

/* Returns whether the frame is one of this program, with a right IP header; then *bth. */
static bool get_bth(const uint8_t *frame, uint32_t len, struct roce_bth *bth)
{
	if (len < LEAST_OCTETS || get_be16(frame + ETH_TYPE_OFFSET) != IP_TYPE_V4 ||
	    frame[IP_AT] != 0x45 || frame[IP_AT + 9] != IPPROTO_UDP || ip_checksum(frame + IP_AT))
		return false;
	*bth = roce_get_bth(frame + BTH_AT);
	return true;
}

/* --- the interface ------------------------------------------------------------- */

static struct {
	pcap_t *in;
	int in_fd, out_fd;
	uint8_t mac[ETH_ADDR_OCTETS];
	sigset_t unblocked; /* SIGTERM is blocked but in wait_frame() */
} wire;

/* A ring, not a socket buffer: its size has no limit in a user namespace either. */
static void open_in(void)
{
	char err[PCAP_ERRBUF_SIZE];
	const int on = 1;

	wire.in = pcap_create(ifname, err);
	if (!wire.in)
		die("%s: %s", ifname, err);
	pcap_set_snaplen(wire.in, SNAP_OCTETS);
	pcap_set_promisc(wire.in, 1);
	pcap_set_buffer_size(wire.in, RING_OCTETS);
	pcap_set_immediate_mode(wire.in, 1);
	if (pcap_activate(wire.in) < 0 || pcap_setnonblock(wire.in, 1, err) < 0)
		die("%s: %s", ifname, pcap_geterr(wire.in));
	wire.in_fd = pcap_get_selectable_fd(wire.in);
	/* Linux 4.20; get_bth() is for frames of both directions, and their receivers are not. */
	if (setsockopt(wire.in_fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)))
		die("%s: PACKET_IGNORE_OUTGOING: %s", ifname, strerror(errno));
}

static void open_out(void)
{
	struct sockaddr_ll addr = {.sll_family = AF_PACKET};
	struct ifreq ifr = {0};
	const int on = 1;

	addr.sll_ifindex = (int)if_nametoindex(ifname);
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", ifname);
	wire.out_fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (wire.out_fd < 0 || !addr.sll_ifindex ||
	    bind(wire.out_fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    setsockopt(wire.out_fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) ||
	    ioctl(wire.out_fd, SIOCGIFHWADDR, &ifr))
		die("%s: %s", ifname, strerror(errno));
	memcpy(wire.mac, ifr.ifr_hwaddr.sa_data, sizeof(wire.mac));
}

static void open_wire(void)
{
	const struct sigaction action = {.sa_handler = on_term};
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &wire.unblocked);
	sigaction(SIGTERM, &action, NULL);
	open_in();
	open_out();
	(void)prctl(PR_SET_TIMERSLACK, 1L); /* ns */
}

static uint32_t lost_by_kernel(void)
{
	struct pcap_stat stat = {0};

	pcap_stats(wire.in, &stat);
	return stat.ps_drop;
}

static void take_frames(pcap_handler handler, void *ctx)
{
	if (pcap_dispatch(wire.in, BATCH, handler, ctx) < 0)
		die("%s: %s", ifname, pcap_geterr(wire.in));
}

/* Waits for a frame or SIGTERM, at most for this time. */
static void wait_frame(int64_t ns)
{
	struct pollfd fd = {wire.in_fd, POLLIN, 0};
	struct timespec ts = {0};

	if (ns > 0)
		ts = (struct timespec){ns / DCB_NS_PER_S, ns % DCB_NS_PER_S};
	ppoll(&fd, 1, &ts, &wire.unblocked);
}

/* An interface whose other end is short of room refuses a frame: it is sent later. */
static void check_send(void)
{
	if (errno != ENOBUFS && errno != EAGAIN && errno != EINTR)
		die("%s: send: %s", ifname, strerror(errno));
}

/* --- sender -------------------------------------------------------------------- */

static struct sender {
	uint32_t flow, count, octets, window;
	bool is_roce;
	struct dcb_rate line;
	uint32_t sent, acked, cnps, probes;
	struct dcb_time probe; /* when to send one */
	int64_t probe_ns;
	struct dcb_time full_since; /* of window; NEVER: not full */
	int64_t full_ns;
	struct limiter limiter;
	struct dcqcn_rp rp;
	struct pfc_rx pfc;
	uint8_t frames[BATCH][MOST_OCTETS];
	struct iovec iov[BATCH];
	struct mmsghdr msgs[BATCH];
} tx;

static void make_frames(const uint8_t da[ETH_ADDR_OCTETS])
{
	unsigned traffic_class = tx.is_roce ? DSCP_ROCE << IP_DSCP_SHIFT | IP_ECT_0 : 0;
	const struct roce_bth bth = {ROCE_RC_SEND_ONLY, false, tx.flow, 0};

	for (unsigned i = 0; i < BATCH; i++) {
		memcpy(tx.frames[i], da, ETH_ADDR_OCTETS);
		memcpy(tx.frames[i] + ETH_SA_OFFSET, wire.mac, ETH_ADDR_OCTETS);
		put_headers(tx.frames[i], tx.octets, UINT32_C(0x0a000000) | tx.flow, 0x0a0000ff,
			    traffic_class, tx.is_roce ? ROCE_UDP_PORT : PORT_BACKGROUND, &bth);
		tx.iov[i] = (struct iovec){tx.frames[i], tx.octets};
		tx.msgs[i].msg_hdr = (struct msghdr){.msg_iov = &tx.iov[i], .msg_iovlen = 1};
	}
}

/* An answer has come, or nothing was on its way. */
static void delay_probe(struct dcb_time t)
{
	tx.probe_ns = PROBE_NS;
	tx.probe = dcb_time_add_ns(t, tx.probe_ns);
}

static void take_pfc(const uint8_t *frame, uint32_t len, struct dcb_time t)
{
	struct pfc_pdu pdu;

	if (pfc_pdu_decode(frame, len, &pdu) == PFC_PDU_OK)
		pfc_rx_indication(&tx.pfc, &pdu, t);
}

static void sender_takes(u_char *ctx, const struct pcap_pkthdr *h, const u_char *frame)
{
	const struct dcb_time *t = (const struct dcb_time *)(void *)ctx;
	struct roce_bth bth;

	if (h->caplen > ETH_HEADER_OCTETS &&
	    get_be16(frame + ETH_TYPE_OFFSET) == ETH_TYPE_MAC_CONTROL)
		take_pfc(frame, h->caplen, *t);
	if (!get_bth(frame, h->caplen, &bth) || bth.qp != tx.flow)
		return;
	if (bth.opcode == ROCE_CNP) {
		tx.cnps++;
		dcqcn_rp_cnp(&tx.rp, scaled(*t));
	} else if (bth.opcode == ROCE_RC_ACKNOWLEDGE && bth.sequence >= tx.acked &&
		   bth.sequence < tx.sent) {
		tx.acked = bth.sequence + 1;
		delay_probe(*t);
	}
}

static bool is_paused(void)
{
	return tx.pfc.paused >> PRIORITY & 1;
}

static bool window_is_full(void)
{
	return tx.sent - tx.acked >= tx.window;
}

static bool may_send(void)
{
	return tx.sent < tx.count && !window_is_full() && !is_paused();
}

static struct dcb_rate send_rate(void)
{
	return (struct dcb_rate){dcqcn_rp_rate(&tx.rp).bps / scale};
}

/* Sends the frames that are due. */
static void send_due(struct dcb_time t)
{
	uint32_t most = tx.count - tx.sent, wire_octets = dcb_wire_octets(tx.octets);
	unsigned n = 0;
	int rc;

	limiter_forget(&tx.limiter, t, may_send() ? CATCH_UP_NS : 0);
	if (!may_send())
		return;
	if (most > tx.window - (tx.sent - tx.acked))
		most = tx.window - (tx.sent - tx.acked);
	while (n < BATCH && n < most && limiter_is_due(&tx.limiter, t)) {
		/* Only the number of the packet changes; IP's checksum does not count it. */
		put_be32(tx.frames[n] + PSN_AT, tx.sent + n);
		limiter_charge(&tx.limiter, send_rate(), wire_octets);
		n++;
	}
	if (n == 0)
		return;
	rc = sendmmsg(wire.out_fd, tx.msgs, n, 0);
	if (rc < 0)
		check_send();
	if (rc <= 0)
		return;
	if (tx.acked == tx.sent)
		delay_probe(t);
	tx.sent += (unsigned)rc;
	dcqcn_rp_sent(&tx.rp, tx.octets * (unsigned)rc, scaled(t));
}

/* The last frame of all has no later one by which the receiver would see its loss. */
static void send_probe(struct dcb_time t)
{
	const struct roce_bth bth = {OPCODE_PROBE, true, tx.flow, tx.sent};
	bool is_last = tx.sent == tx.count && tx.acked < tx.count && tx.probes == 0;

	if (is_paused() || tx.acked == tx.sent || (!is_last && dcb_time_before(t, tx.probe)))
		return;
	roce_put_bth(tx.frames[0] + BTH_AT, &bth);
	if (sendmmsg(wire.out_fd, tx.msgs, 1, 0) < 0)
		check_send();
	roce_put_bth(tx.frames[0] + BTH_AT,
		     &(struct roce_bth){ROCE_RC_SEND_ONLY, false, tx.flow, 0});
	tx.probes++;
	tx.probe_ns *= 2;
	tx.probe = dcb_time_add_ns(t, tx.probe_ns);
}

/* Counts the time in which the window alone holds the flow. */
static void count_full(struct dcb_time t)
{
	bool full = window_is_full() && !is_paused();
	bool was_full = tx.full_since.ns != DCB_TIME_NEVER.ns;

	if (was_full && !full)
		tx.full_ns += dcb_time_diff_ns(t, tx.full_since);
	if (full != was_full)
		tx.full_since = full ? t : DCB_TIME_NEVER;
}

/* Returns how long the sender has nothing to do, unless a frame arrives. */
static int64_t idle_ns(struct dcb_time t)
{
	struct dcb_time next = pfc_rx_deadline(&tx.pfc);

	if (tx.acked < tx.sent && !is_paused())
		next = dcb_time_min(next, tx.probe);
	if (may_send())
		next = dcb_time_min(next, dcb_time_add_ns(tx.limiter.next, TURN_NS));
	return dcb_time_diff_ns(next, t);
}

static void run_sender(void)
{
	struct dcb_time start = now(), t = start;

	tx.limiter.next = start;
	tx.full_since = DCB_TIME_NEVER;
	for (;;) {
		take_frames(sender_takes, &t);
		if (ended || tx.acked == tx.count)
			break;
		pfc_rx_advance(&tx.pfc, t);
		dcqcn_rp_advance(&tx.rp, scaled(t));
		count_full(t);
		send_due(t);
		send_probe(t);
		wait_frame(idle_ns(t));
		t = now();
	}
	printf("flow %" PRIu32 " sent %" PRIu32 " acknowledged %" PRIu32 " cnps %" PRIu32
	       " probes %" PRIu32 " paused_ms %" PRIu64 " window_ms %" PRId64 " ms %" PRId64 "\n",
	       tx.flow, tx.sent, tx.acked, tx.cnps, tx.probes,
	       tx.pfc.timer[PRIORITY].paused_ns / (uint64_t)DCB_NS_PER_MS,
	       tx.full_ns / DCB_NS_PER_MS, dcb_time_diff_ns(t, start) / DCB_NS_PER_MS);
}

static void do_send(char **argv)
{
	uint8_t da[ETH_ADDR_OCTETS];
	int used = 0;

	if (sscanf(argv[0], "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &da[0], &da[1], &da[2], &da[3],
		   &da[4], &da[5], &used) != ETH_ADDR_OCTETS ||
	    argv[0][used])
		die("%s: expected a MAC address", argv[0]);
	tx.flow = (uint32_t)parse_number(argv[1], 0, FLOWS - 1);
	tx.count = (uint32_t)parse_number(argv[2], 0, COUNT_MAX);
	if (tx.count == 0)
		tx.count = COUNT_MAX;
	tx.octets = (uint32_t)parse_number(argv[3], LEAST_OCTETS, MOST_OCTETS);
	tx.window = (uint32_t)parse_number(argv[4], ACK_FRAMES, COUNT_MAX);
	tx.line = parse_line_rate(argv[5]);
	tx.is_roce = strcmp(argv[6], "roce") == 0;
	if (!tx.is_roce && strcmp(argv[6], "background") != 0)
		die("%s: expected roce or background", argv[6]);
	open_wire();
	make_frames(da);
	dcqcn_rp_init(&tx.rp, (struct dcb_rate){DCQCN_LINE_BPS});
	pfc_rx_configure(&tx.pfc, tx.is_roce ? 1u << PRIORITY : 0, false, tx.line, now());
	run_sender();
}

/* --- receiver ------------------------------------------------------------------ */

static struct receiver {
	bool seen;
	uint32_t expected; /* number of the next frame */
	uint32_t received, lost, late, ce, cnps, since_ack;
	struct dcqcn_np np;
} rx[FLOWS];

/* Sends an answer to the frame, with this DSCP. */
static void answer(const uint8_t *frame, const struct roce_bth *bth, unsigned dscp)
{
	uint8_t out[ANSWER_OCTETS] = {0};
	const uint8_t *ip = frame + IP_AT;

	memcpy(out, frame + ETH_SA_OFFSET, ETH_ADDR_OCTETS);
	memcpy(out + ETH_SA_OFFSET, wire.mac, ETH_ADDR_OCTETS);
	put_headers(out, sizeof(out), get_be32(ip + 16), get_be32(ip + 12), dscp << IP_DSCP_SHIFT,
		    get_be16(frame + UDP_AT + 2), bth);
	if (send(wire.out_fd, out, sizeof(out), 0) < 0)
		check_send();
}

static void acknowledge(struct receiver *r, const uint8_t *frame, uint32_t flow)
{
	const struct roce_bth bth = {ROCE_RC_ACKNOWLEDGE, false, flow, r->expected - 1};

	r->since_ack = 0;
	answer(frame, &bth, ip_dscp(frame + IP_AT));
}

static void take_mark(struct receiver *r, const uint8_t *frame, uint32_t flow, struct dcb_time t)
{
	const struct roce_bth bth = {ROCE_CNP, false, flow, 0};

	r->ce++;
	if (!dcqcn_np_marked(&r->np, scaled(t)))
		return;
	r->cnps++;
	answer(frame, &bth, DSCP_CNP);
}

static void receiver_takes(u_char *ctx, const struct pcap_pkthdr *h, const u_char *frame)
{
	const struct dcb_time *t = (const struct dcb_time *)(void *)ctx;
	struct receiver *r;
	struct roce_bth bth;

	if (!get_bth(frame, h->caplen, &bth) || bth.qp >= FLOWS)
		return;
	r = &rx[bth.qp];
	r->seen = true;
	if (bth.opcode != ROCE_RC_SEND_ONLY && bth.opcode != OPCODE_PROBE)
		return;
	if (bth.sequence < r->expected) {
		r->late++;
		return;
	}
	r->lost += bth.sequence - r->expected;
	r->expected = bth.sequence;
	if (bth.opcode == ROCE_RC_SEND_ONLY) {
		r->expected++;
		r->received++;
		r->since_ack++;
	}
	if (ip_ecn(frame + IP_AT) == IP_CE)
		take_mark(r, frame, bth.qp, *t);
	if (bth.opcode == OPCODE_PROBE || r->since_ack >= ACK_FRAMES)
		acknowledge(r, frame, bth.qp);
}

static void do_receive(const char *line)
{
	parse_line_rate(line);
	open_wire();
	for (unsigned i = 0; i < FLOWS; i++)
		dcqcn_np_init(&rx[i].np);
	puts("ready");
	fflush(stdout);
	while (!ended) {
		struct dcb_time t = now();

		take_frames(receiver_takes, &t);
		wait_frame(DCB_NS_PER_S);
	}
	for (unsigned i = 0; i < FLOWS; i++) {
		const struct receiver *r = &rx[i];

		if (r->seen)
			printf("flow %u received %" PRIu32 " lost %" PRIu32 " late %" PRIu32
			       " ce %" PRIu32 " cnps %" PRIu32 "\n",
			       i, r->received, r->lost, r->late, r->ce, r->cnps);
	}
	printf("kernel lost %" PRIu32 "\n", lost_by_kernel());
}

int main(int argc, char **argv)
{
	ifname = argc > 2 ? argv[2] : "";
	if (argc == 10 && strcmp(argv[1], "send") == 0)
		do_send(argv + 3);
	else if (argc == 4 && strcmp(argv[1], "receive") == 0)
		do_receive(argv[3]);
	else
		die("usage: roce_flow send IF DA FLOW COUNT OCTETS WINDOW LINE roce|background, or "
		    "receive IF LINE");
	return 0;
}
