/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A delay line between two interfaces, for tests of the headroom measurement (clause 36.9).
 *
 *   delay_line [-x N] [-y N] [-q] IF-A IF-B MICROSECONDS-AB MICROSECONDS-BA
 *     forwards every frame of an interface to the other one, in order, this long after its
 *     arrival. -x: loses the Nth HMPDU from A to B; -y: from B to A. -q: no lines for HMPDUs.
 *
 * Prints a line of JSON for each event: "ready"; "hmpdu", for each HMPDU (untagged, EtherType
 * 89-A2) that it forwarded or lost; at SIGTERM "end", one for each way, with its counters.
 *
 *   way      "ab" or "ba"
 *   rx, tx   when the frame arrived and left, in nanoseconds since the start of the program;
 *            tx is null for a lost frame
 *   stamp    "kernel" if both times are the kernel's (SO_TIMESTAMPING, software): on a veth the
 *            arrival is stamped by the system call that sends the frame, and the departure by ours.
 *            "program" if the kernel gave none for the departure: then this program read the clock.
 *   octets   the frame in hexadecimal
 *
 * The delays are what a busy machine makes of the nominal ones; the times are those of the frames.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <linux/errqueue.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <net/if.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#define FRAME_MAX         9216
#define TAG_OCTETS        4
#define HMPDU_TYPE        0x89a2
#define QUEUE_MAX         65536 /* frames in flight, each way */
#define BATCH             64    /* frames received before others are sent */
#define STAMP_WAIT_MS     10    /* a veth stamps in the system call that sends */
#define NS_PER_S          INT64_C(1000000000)
#define NS_PER_US         1000
#define DELAY_US_MAX      10000000
#define SOCKET_BUF_OCTETS (16 << 20)

struct frame {
	struct frame *next;
	int64_t rx_ns; /* CLOCK_REALTIME, as all times until they are printed */
	size_t len;
	uint8_t octets[];
};

/* One interface, with the socket that receives from it and sends to it. */
struct end {
	const char *ifname;
	int fd;
	uint32_t departures; /* number of the next departure that the kernel stamps */
};

/* One way through the line. */
struct way {
	const char *name;
	struct end *in, *out;
	int64_t delay_ns;
	unsigned long lose; /* this HMPDU, counted from 1; 0: none */
	struct frame *head, **tail;
	unsigned long queued;
	unsigned long frames, hmpdus, lost, full, failed;
	int64_t late_max_ns; /* departure after its time */
};

static volatile sig_atomic_t ended;
static int64_t start_ns;
static bool quiet;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "delay_line: %s: %s\n", what, strerror(errno));
	exit(1);
}

static _Noreturn void usage(void)
{
	fprintf(stderr, "usage: delay_line [-x N] [-y N] [-q] IF-A IF-B US-AB US-BA\n");
	exit(2);
}

static void on_signal(int sig)
{
	(void)sig;
	ended = 1;
}

static int64_t ns_of(const struct timespec *ts)
{
	return ts->tv_sec * NS_PER_S + ts->tv_nsec;
}

static int64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ns_of(&ts);
}

static bool is_hmpdu(const struct frame *f)
{
	return f->len >= ETH_HLEN && f->octets[12] == HMPDU_TYPE >> 8 &&
	       f->octets[13] == (HMPDU_TYPE & 0xff);
}

/* --- sockets ------------------------------------------------------------------------- */

static void set(const struct end *e, int level, int option, const void *value, socklen_t len)
{
	if (setsockopt(e->fd, level, option, value, len) < 0)
		die(e->ifname);
}

static void open_end(struct end *e, const char *ifname)
{
	struct sockaddr_ll sa = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
	struct packet_mreq promiscuous = {.mr_type = PACKET_MR_PROMISC};
	const int on = 1, size = SOCKET_BUF_OCTETS;
	const int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE |
			  SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY;

	e->ifname = ifname;
	e->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);
	sa.sll_ifindex = promiscuous.mr_ifindex = (int)if_nametoindex(ifname);
	if (e->fd < 0 || sa.sll_ifindex == 0)
		die(ifname);
	set(e, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on));
	set(e, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
	set(e, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof(promiscuous));
	set(e, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags));
	(void)setsockopt(e->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	if (bind(e->fd, (struct sockaddr *)&sa, sizeof(sa)) < 0)
		die(ifname);
}

/* Returns the kernel's software stamp in a message, or 0. */
static int64_t stamp_of(struct msghdr *msg)
{
	struct scm_timestamping stamps;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPING)
			continue;
		memcpy(&stamps, CMSG_DATA(c), sizeof(stamps));
		return stamps.ts[0].tv_sec * NS_PER_S + stamps.ts[0].tv_nsec;
	}
	return 0;
}

/* Puts the tag back that the kernel has removed from the frame. The buffer has room for it. */
static void restore_tag(struct frame *f, struct msghdr *msg)
{
	struct tpacket_auxdata aux;
	uint16_t tag[2];

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA)
			continue;
		memcpy(&aux, CMSG_DATA(c), sizeof(aux));
		if (!(aux.tp_status & TP_STATUS_VLAN_VALID) || f->len < ETH_HLEN)
			return;
		tag[0] = htons(aux.tp_status & TP_STATUS_VLAN_TPID_VALID ? aux.tp_vlan_tpid
									 : ETH_P_8021Q);
		tag[1] = htons(aux.tp_vlan_tci);
		memmove(f->octets + 12 + TAG_OCTETS, f->octets + 12, f->len - 12);
		memcpy(f->octets + 12, tag, TAG_OCTETS);
		f->len += TAG_OCTETS;
		return;
	}
}

union control {
	struct cmsghdr align;
	char octets[256];
};

/* Returns a frame that the interface has received, or NULL if there is none now. */
static struct frame *receive(const struct end *e)
{
	static uint8_t buf[FRAME_MAX];
	union control control;
	struct iovec iov = {buf, sizeof(buf)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(e->fd, &msg, 0);
	struct frame *f;

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ENETDOWN)
			die(e->ifname);
		return NULL;
	}
	f = malloc(sizeof(*f) + (size_t)n + TAG_OCTETS);
	if (!f)
		die("malloc");
	f->next = NULL;
	f->len = (size_t)n;
	memcpy(f->octets, buf, f->len);
	restore_tag(f, &msg);
	f->rx_ns = stamp_of(&msg);
	if (f->rx_ns == 0)
		f->rx_ns = clock_ns();
	return f;
}

/* Returns the number of the departure that a message of the error queue is about, or -1. */
static int64_t departure_of(struct msghdr *msg)
{
	struct sock_extended_err err;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_TX_TIMESTAMP)
			continue;
		memcpy(&err, CMSG_DATA(c), sizeof(err));
		return err.ee_origin == SO_EE_ORIGIN_TIMESTAMPING ? (int64_t)err.ee_data : -1;
	}
	return -1;
}

/*
 * Returns the kernel's stamp of the frame sent last, or 0 if it gives none. The kernel numbers the
 * departures that it was asked to stamp, also those that failed.
 */
static int64_t departure_stamp(struct end *e)
{
	int64_t deadline = clock_ns() + STAMP_WAIT_MS * NS_PER_S / 1000;

	do {
		union control control;
		struct msghdr msg = {.msg_control = &control, .msg_controllen = sizeof(control)};
		struct pollfd pollfd = {.fd = e->fd};
		int64_t departure;

		if (recvmsg(e->fd, &msg, MSG_ERRQUEUE) < 0) {
			(void)poll(&pollfd, 1, 1); /* POLLERR is never masked */
			continue;
		}
		departure = departure_of(&msg);
		if (departure >= (int64_t)e->departures) {
			e->departures = (uint32_t)departure + 1;
			return stamp_of(&msg);
		}
	} while (clock_ns() < deadline);
	return 0;
}

/* Sends a frame, with a stamp of its departure if wanted. Returns false if it was not sent. */
static bool send_frame(struct end *e, const struct frame *f, bool stamped)
{
	union control control = {.octets = {0}};
	struct iovec iov = {(void *)f->octets, f->len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	const uint32_t flags = SOF_TIMESTAMPING_TX_SOFTWARE;
	struct cmsghdr *c;

	if (stamped) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(sizeof(flags));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SO_TIMESTAMPING;
		c->cmsg_len = CMSG_LEN(sizeof(flags));
		memcpy(CMSG_DATA(c), &flags, sizeof(flags));
	}
	return sendmsg(e->fd, &msg, 0) == (ssize_t)f->len;
}

/* --- the line -------------------------------------------------------------------------- */

/* tx_ns: 0 if the frame was lost. */
static void print_hmpdu(const struct way *w, const struct frame *f, int64_t tx_ns, bool kernel)
{
	if (quiet)
		return;
	printf("{\"event\":\"hmpdu\",\"way\":\"%s\",\"number\":%lu,\"rx\":%" PRId64 ",", w->name,
	       w->hmpdus, f->rx_ns - start_ns);
	if (tx_ns == 0)
		printf("\"tx\":null");
	else
		printf("\"tx\":%" PRId64, tx_ns - start_ns);
	printf(",\"stamp\":\"%s\",\"octets\":\"", kernel ? "kernel" : "program");
	for (size_t i = 0; i < f->len; i++)
		printf("%02x", f->octets[i]);
	puts("\"}");
}

static void take(struct way *w)
{
	struct frame *f;

	for (int i = 0; i < BATCH && (f = receive(w->in)); i++) {
		if (w->queued >= QUEUE_MAX) {
			w->full++;
			free(f);
			continue;
		}
		*w->tail = f;
		w->tail = &f->next;
		w->queued++;
	}
}

static void forward(struct way *w, const struct frame *f, bool hmpdu)
{
	bool stamped = hmpdu && !quiet;
	int64_t before_ns = clock_ns(), tx_ns = 0;

	if (before_ns - f->rx_ns - w->delay_ns > w->late_max_ns)
		w->late_max_ns = before_ns - f->rx_ns - w->delay_ns;
	if (!send_frame(w->out, f, stamped)) {
		w->failed++;
		return;
	}
	w->frames++;
	if (!stamped)
		return;
	tx_ns = departure_stamp(w->out);
	print_hmpdu(w, f, tx_ns ? tx_ns : before_ns, tx_ns != 0);
}

/* Sends the frames whose time has come. */
static void give(struct way *w)
{
	while (w->head && w->head->rx_ns + w->delay_ns <= clock_ns()) {
		struct frame *f = w->head;
		bool hmpdu = is_hmpdu(f);

		w->head = f->next;
		if (!w->head)
			w->tail = &w->head;
		w->queued--;
		if (hmpdu && ++w->hmpdus == w->lose) {
			w->lost++;
			print_hmpdu(w, f, 0, true);
		} else {
			forward(w, f, hmpdu);
		}
		free(f);
	}
}

static int64_t next_ns(const struct way *ways)
{
	int64_t next = INT64_MAX;

	for (int i = 0; i < 2; i++)
		if (ways[i].head && ways[i].head->rx_ns + ways[i].delay_ns < next)
			next = ways[i].head->rx_ns + ways[i].delay_ns;
	return next;
}

/* A stamp that came after departure_stamp() returned would let poll() return for ever. */
static void drop_late_stamps(int fd)
{
	struct msghdr msg = {0};

	while (recvmsg(fd, &msg, MSG_ERRQUEUE) >= 0)
		;
}

static void wait_for_event(const struct way *ways)
{
	struct pollfd fds[2] = {{.fd = ways[0].in->fd, .events = POLLIN},
				{.fd = ways[1].in->fd, .events = POLLIN}};
	int64_t next = next_ns(ways), left = next - clock_ns();
	struct timespec timeout = {0};
	sigset_t none;

	if (left > 0) {
		timeout.tv_sec = left / NS_PER_S;
		timeout.tv_nsec = left % NS_PER_S;
	}
	sigemptyset(&none);
	if (ppoll(fds, 2, next == INT64_MAX ? NULL : &timeout, &none) < 0 && errno != EINTR)
		die("ppoll");
	for (int i = 0; i < 2; i++)
		if (fds[i].revents & POLLERR)
			drop_late_stamps(fds[i].fd);
}

static unsigned long dropped_by_kernel(const struct end *e)
{
	struct tpacket_stats stats = {0};
	socklen_t len = sizeof(stats);

	if (getsockopt(e->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len) < 0)
		die(e->ifname);
	return stats.tp_drops;
}

static void print_end(const struct way *w)
{
	printf(
	    "{\"event\":\"end\",\"way\":\"%s\",\"frames\":%lu,\"hmpdus\":%lu,\"lost\":%lu,"
	    "\"queued\":%lu,\"failed\":%lu,\"full\":%lu,\"overrun\":%lu,\"late_max_ns\":%" PRId64
	    "}\n",
	    w->name, w->frames, w->hmpdus, w->lost, w->queued, w->failed, w->full,
	    dropped_by_kernel(w->in), w->late_max_ns);
}

/* Blocks the signals that end the program except while it waits. */
static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGINT);
	if (sigprocmask(SIG_BLOCK, &blocked, NULL) < 0 || sigaction(SIGTERM, &action, NULL) < 0 ||
	    sigaction(SIGINT, &action, NULL) < 0)
		die("signals");
}

static unsigned long number(const char *text, unsigned long max)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || v > max) {
		fprintf(stderr, "delay_line: %s: expected a number up to %lu\n", text, max);
		exit(2);
	}
	return v;
}

int main(int argc, char **argv)
{
	struct end ends[2] = {{0}};
	struct way ways[2] = {{.name = "ab", .in = &ends[0], .out = &ends[1]},
			      {.name = "ba", .in = &ends[1], .out = &ends[0]}};
	int c;

	while ((c = getopt(argc, argv, "x:y:q")) != -1) {
		if (c == 'x')
			ways[0].lose = number(optarg, ULONG_MAX);
		else if (c == 'y')
			ways[1].lose = number(optarg, ULONG_MAX);
		else if (c == 'q')
			quiet = true;
		else
			usage();
	}
	if (argc - optind != 4)
		usage();
	for (int i = 0; i < 2; i++) {
		ways[i].tail = &ways[i].head;
		ways[i].delay_ns = (int64_t)number(argv[optind + 2 + i], DELAY_US_MAX) * NS_PER_US;
		open_end(&ends[i], argv[optind + i]);
	}
	(void)prctl(PR_SET_TIMERSLACK, 1UL);
	catch_signals();
	setvbuf(stdout, NULL, _IOLBF, 1 << 16);
	start_ns = clock_ns();
	puts("{\"event\":\"ready\"}");
	while (!ended) {
		wait_for_event(ways);
		for (int i = 0; i < 2; i++)
			take(&ways[i]);
		for (int i = 0; i < 2; i++)
			give(&ways[i]);
	}
	for (int i = 0; i < 2; i++)
		print_end(&ways[i]);
	return 0;
}
