/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures how fast a bridge reacts to PFC frames, and how fast the kernel delivers a frame.
 *
 *   pfc_react react FROM-NS FROM-IF TO-NS TO-IF DESTINATION-MAC TRIALS FPS
 *     Sends data of priority 3 at FROM; sends at TO, to the bridge, XOFF and later XON.
 *     "stop": time from before XOFF is sent until the last data frame arrived at TO, by
 *     the kernel's timestamp; the observed 1.5 ms if data did not stop. "go": time from XON
 *     until the first data frame arrived.
 *     FPS: data frames per second; 0: as fast as possible.
 *   pfc_react deliver FROM-NS FROM-IF TO-NS TO-IF TRIALS
 *     Sends one frame at a time to a thread on processor 1 that waits in recv(2).
 *   pfc_react rate NS IF SECONDS [TO-NS TO-IF]
 *     Sends XOFF and XON in turn, as fast as possible, and counts the frames that arrive
 *     at a thread on processor 1 in recvmmsg(2).
 *
 * Prints one line of KEY=VALUE, times in nanoseconds. To be run on processor 0; the
 * bridge has processor 1.
 */
#include "lib/octets.h"
#include "dataplane/core/pfc_pdu.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define TRIALS_MAX  20000
#define BATCH       16
#define PRIORITY    3
#define DATA_TYPE   0x88b5
#define DATA_OCTETS 60
#define US          INT64_C(1000)
#define FLOWS_NS    (100 * US) /* data has stopped if none arrived for longer */

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "pfc_react: ");
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	exit(1);
}

/* Returns the time of the clock of the kernel's timestamps. */
static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* --- sockets ------------------------------------------------------------------- */

static void enter(const char *netns)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET) < 0)
		die("%s: %m", path);
	close(fd);
}

/* Opens a packet socket. protocol 0: for sending only. */
static int open_at(const char *netns, const char *ifname, uint16_t protocol)
{
	struct sockaddr_ll addr = {.sll_family = AF_PACKET, .sll_protocol = htons(protocol)};
	const int on = 1, size = 16 << 20;
	int fd;

	enter(netns);
	addr.sll_ifindex = (int)if_nametoindex(ifname);
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0 || !addr.sll_ifindex || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		die("%s: %m", ifname);
	if (protocol == 0 && setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) < 0)
		die("PACKET_QDISC_BYPASS: %m");
	if (protocol != 0 && (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) < 0 ||
			      setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0))
		die("%s: %m", ifname);
	return fd;
}

static void send_frame(int fd, const uint8_t *frame, size_t len)
{
	while (send(fd, frame, len, 0) < 0) {
		if (errno != ENOBUFS && errno != EINTR && errno != EAGAIN)
			die("send: %m");
	}
}

/* Receives a frame, if there is one, and returns its arrival time; 0: none. */
static int64_t arrival(int fd)
{
	char octets[2048], control[256];
	struct iovec iov = {octets, sizeof(octets)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control,
			     .msg_controllen = sizeof(control)};

	if (recvmsg(fd, &msg, MSG_DONTWAIT) < 0) {
		if (errno != EAGAIN)
			die("receive: %m");
		return 0;
	}
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		struct timespec ts;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&ts, CMSG_DATA(c), sizeof(ts));
		return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
	}
	die("no timestamp");
}

/* --- frames -------------------------------------------------------------------- */

static void make_data(uint8_t *frame, const char *destination)
{
	unsigned mac[ETH_ADDR_OCTETS];

	if (sscanf(destination, "%x:%x:%x:%x:%x:%x", &mac[0], &mac[1], &mac[2], &mac[3], &mac[4],
		   &mac[5]) != ETH_ADDR_OCTETS)
		die("%s: expected a MAC address", destination);
	memset(frame, 0, DATA_OCTETS);
	for (unsigned i = 0; i < ETH_ADDR_OCTETS; i++)
		frame[i] = (uint8_t)mac[i];
	memcpy(frame + 6, "\x02\0\0\0\0\x71", 6);
	put_be16(frame + 12, ETH_TYPE_CTAG);
	put_be16(frame + 14, PRIORITY << 13 | 1);
	put_be16(frame + 16, DATA_TYPE);
}

static void make_pfc(uint8_t *frame, uint16_t quanta)
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 0, 0x72}, .enable = 1 << PRIORITY};

	pdu.time[PRIORITY] = quanta;
	pfc_pdu_encode(&pdu, frame);
}

/* --- samples -------------------------------------------------------------------- */

struct samples {
	unsigned n;
	int64_t ns[TRIALS_MAX];
};

static void add(struct samples *s, int64_t ns)
{
	if (s->n < TRIALS_MAX)
		s->ns[s->n++] = ns < 0 ? 0 : ns;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Prints nothing without a sample. */
static void print_samples(const char *name, struct samples *s)
{
	if (s->n == 0)
		return;
	qsort(s->ns, s->n, sizeof(s->ns[0]), compare);
	printf("%s_p50=%" PRId64 " %s_p99=%" PRId64 " %s_max=%" PRId64 " ", name, s->ns[s->n / 2],
	       name, s->ns[s->n * 99 / 100], name, s->ns[s->n - 1]);
}

/* --- react ----------------------------------------------------------------------- */

struct reaction {
	int data, pfc, sink; /* sockets: data in, PFC in, data out */
	int64_t gap_ns;
	uint8_t frame[DATA_OCTETS], xoff[PFC_FRAME_OCTETS], xon[PFC_FRAME_OCTETS];
	struct mmsghdr batch[BATCH];
	struct iovec iov;
	uint64_t late; /* trials in which data did not stop */
	uint64_t idle; /* trials without data just before the pause, or interrupted trials */
	struct samples stop, go;
};

/* Sends data at the set rate until end. */
static void data_until(struct reaction *r, int64_t end)
{
	int64_t next = now_ns(), now;

	while ((now = now_ns()) < end) {
		if (r->gap_ns == 0) {
			if (sendmmsg(r->data, r->batch, BATCH, 0) < 0 && errno != ENOBUFS)
				die("send: %m");
		} else if (now >= next) {
			send_frame(r->data, r->frame, DATA_OCTETS);
			next += r->gap_ns;
		}
	}
}

/* Receives all frames. Returns first and last arrival since then, and the last before; 0: none. */
static void drain(const struct reaction *r, int64_t since, int64_t *first, int64_t *last,
		  int64_t *before)
{
	int64_t at;

	*first = *last = *before = 0;
	while ((at = arrival(r->sink))) {
		if (at < since) {
			*before = at;
			continue;
		}
		if (!*first)
			*first = at;
		*last = at;
	}
}

static void wait_ns(int64_t ns)
{
	int64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

struct stop {
	int64_t start, sent; /* before and after XOFF was sent */
	int64_t end;         /* of the observation */
	int64_t last;        /* last arrival after start, or 0 */
	int64_t before;      /* last arrival before it */
};

/*
 * Records the time until data stopped. If it did not, the observed time is a lower bound: without
 * these trials, the percentiles would be those of the fast trials alone. If no data arrived after
 * start, a bridge on the same processor ran before sending XOFF returned: the time of sending has
 * the reaction in it.
 */
static void note_stop(struct reaction *r, const struct stop *t)
{
	if (t->start - t->before > FLOWS_NS + 3 * r->gap_ns) {
		r->idle++;
	} else if (t->last > t->end - FLOWS_NS) {
		r->late++;
		add(&r->stop, t->end - t->start);
	} else {
		add(&r->stop, (t->last > t->sent ? t->last : t->sent) - t->start);
	}
}

static void trial(struct reaction *r)
{
	int64_t start, first, last, before;
	struct stop stop;
	bool interrupted;

	data_until(r, now_ns() + 1000 * US);
	stop.start = now_ns();
	send_frame(r->pfc, r->xoff, PFC_FRAME_OCTETS);
	stop.sent = now_ns();
	stop.end = stop.sent + 1500 * US; /* less than the pause: 33553 us at 1 Gb/s */
	data_until(r, stop.end);
	interrupted = now_ns() - stop.end > 2 * FLOWS_NS;
	wait_ns(FLOWS_NS);
	drain(r, stop.start, &first, &stop.last, &stop.before);
	if (interrupted)
		r->idle++;
	else
		note_stop(r, &stop);
	start = now_ns();
	send_frame(r->pfc, r->xon, PFC_FRAME_OCTETS);
	wait_ns(1000 * US);
	drain(r, start, &first, &last, &before);
	if (first)
		add(&r->go, first - start);
	/* Receives the frames that the pause delayed before the next trial. */
	for (unsigned i = 0; i < 100 && first; i++) {
		wait_ns(200 * US);
		drain(r, 0, &first, &last, &before);
	}
}

static int react(char **argv)
{
	static struct reaction r;
	long trials = strtol(argv[5], NULL, 10), fps = strtol(argv[6], NULL, 10);

	r.data = open_at(argv[0], argv[1], 0);
	r.pfc = open_at(argv[2], argv[3], 0);
	r.sink = open_at(argv[2], argv[3], DATA_TYPE);
	r.gap_ns = fps ? 1000000000 / fps : 0;
	make_data(r.frame, argv[4]);
	make_pfc(r.xoff, 65535);
	make_pfc(r.xon, 0);
	r.iov = (struct iovec){r.frame, DATA_OCTETS};
	for (unsigned i = 0; i < BATCH; i++)
		r.batch[i].msg_hdr = (struct msghdr){.msg_iov = &r.iov, .msg_iovlen = 1};
	for (long i = 0; i < trials; i++)
		trial(&r);
	/* On a busy machine all trials can be interrupted. */
	if (r.late > 0 && r.stop.n == r.late)
		die("data did not stop in any trial");
	print_samples("stop", &r.stop);
	print_samples("go", &r.go);
	printf("late=%" PRIu64 " idle=%" PRIu64 "\n", r.late, r.idle);
	return 0;
}

/* --- receiving thread ---------------------------------------------------------------- */

struct receiver {
	int fd;
	bool counts; /* false: records arrival times instead */
	int64_t at;  /* arrival of the last frame; 0: waiting */
	uint64_t received;
	pthread_t thread;
};

static void *receive(void *ctx)
{
	static uint8_t octets[64][2048];
	struct receiver *r = ctx;
	struct mmsghdr msgs[64];
	struct iovec iov[64];
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	(void)pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	(void)pthread_setschedparam(pthread_self(), SCHED_FIFO,
				    &(struct sched_param){.sched_priority = 5});
	for (unsigned i = 0; i < 64; i++) {
		iov[i] = (struct iovec){octets[i], sizeof(octets[i])};
		msgs[i].msg_hdr = (struct msghdr){.msg_iov = &iov[i], .msg_iovlen = 1};
	}
	for (;;) {
		int n = r->counts ? recvmmsg(r->fd, msgs, 64, MSG_WAITFORONE, NULL)
				  : (int)recv(r->fd, octets[0], sizeof(octets[0]), 0);

		if (n <= 0)
			die("receive: %m");
		__atomic_store_n(&r->at, now_ns(), __ATOMIC_RELEASE);
		__atomic_store_n(&r->received, r->received + (uint64_t)(r->counts ? n : 1),
				 __ATOMIC_RELAXED);
	}
	return NULL;
}

static void start_receiver(struct receiver *r)
{
	if (pthread_create(&r->thread, NULL, receive, r))
		die("no thread");
}

static int deliver(char **argv)
{
	static struct receiver r;
	static struct samples s;
	long trials = strtol(argv[4], NULL, 10);
	int fd = open_at(argv[0], argv[1], 0);
	uint8_t frame[PFC_FRAME_OCTETS];

	r.fd = open_at(argv[2], argv[3], ETH_TYPE_MAC_CONTROL);
	make_pfc(frame, 0);
	start_receiver(&r);
	for (long i = 0; i < trials; i++) {
		int64_t start, at;

		wait_ns(300 * US); /* the thread waits in recv() after this time */
		__atomic_store_n(&r.at, 0, __ATOMIC_RELAXED);
		start = now_ns();
		send_frame(fd, frame, sizeof(frame));
		while (!(at = __atomic_load_n(&r.at, __ATOMIC_ACQUIRE)))
			if (now_ns() - start > 1000000 * US)
				die("frame not received");
		add(&s, at - start);
	}
	if (s.n == 0)
		die("no frame was delivered");
	print_samples("deliver", &s);
	putchar('\n');
	return 0;
}

/* Returns the processor time that the thread has used, in seconds. */
static double thread_s(const struct receiver *r)
{
	struct timespec ts;
	clockid_t clock;

	if (!r->fd)
		return 0;
	if (pthread_getcpuclockid(r->thread, &clock) || clock_gettime(clock, &ts))
		die("no CPU clock of the thread");
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static int rate(int argc, char **argv)
{
	static struct receiver r = {.counts = true};
	static struct mmsghdr batch[BATCH];
	double seconds = strtod(argv[2], NULL);
	int64_t start, end = (int64_t)(seconds * 1e9), now;
	uint8_t frames[2][PFC_FRAME_OCTETS];
	struct iovec iov[2];
	uint64_t sent = 0;
	int fd;

	if (argc > 3) {
		r.fd = open_at(argv[3], argv[4], ETH_TYPE_MAC_CONTROL);
		start_receiver(&r);
	}
	fd = open_at(argv[0], argv[1], 0);
	for (unsigned i = 0; i < BATCH; i++) {
		make_pfc(frames[i % 2], i % 2 ? 0 : 65535);
		iov[i % 2] = (struct iovec){frames[i % 2], PFC_FRAME_OCTETS};
		batch[i].msg_hdr = (struct msghdr){.msg_iov = &iov[i % 2], .msg_iovlen = 1};
	}
	start = now_ns();
	while ((now = now_ns()) - start < end) {
		int n = sendmmsg(fd, batch, BATCH, 0);

		if (n < 0 && errno != ENOBUFS)
			die("send: %m");
		sent += n < 0 ? 0 : (uint64_t)n;
	}
	usleep(50000);
	printf("sent=%" PRIu64 " received=%" PRIu64 " seconds=%.6f cpu_s=%.6f\n", sent,
	       __atomic_load_n(&r.received, __ATOMIC_RELAXED), (double)(now - start) * 1e-9,
	       thread_s(&r));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 9 && strcmp(argv[1], "react") == 0)
		return react(argv + 2);
	if (argc == 7 && strcmp(argv[1], "deliver") == 0)
		return deliver(argv + 2);
	if ((argc == 5 || argc == 7) && strcmp(argv[1], "rate") == 0)
		return rate(argc - 2, argv + 2);
	die("usage: see the top of pfc_react.c");
}
