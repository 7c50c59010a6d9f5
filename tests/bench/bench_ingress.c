/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the kernel's time for a frame that arrives at a port, with the rule by which it ends
 * there (netio_ingress.h) and without, when it goes on to the protocols of the host.
 *
 *   bench_ingress [FRAMES]
 *
 * Frames go in bursts from one end of a veth pair to the receive ring of the other, by this
 * process on one processor. The time includes sending and receiving; both kinds run in turn in
 * each round. Needs the namespaces of a test (own_netns.h).
 */
#include "dataplane/netio/netio_ingress.h"
#include "dataplane/netio/netio_ring.h"
#include "lib/octets.h"
#include "tests/bench/interval.h"
#include "tests/unit/own_netns.h"

#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define ROUNDS 31
#define BURST  64
#define OCTETS 124

static uint64_t frames = 20000; /* of a measurement */

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "bench_ingress: %s\n", what);
	exit(1);
}

static void run_command(const char *line)
{
	if (system(line) != 0)
		die(line);
}

/* --- frames ------------------------------------------------------------------------ */

static const struct kind {
	const char *name;
	uint8_t head[22]; /* from the destination address on */
} kinds[] = {
    {"IPv4 to another station", {2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 8, 0, 0x45}},
    {"IPv4 to all", {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 8, 0, 0x45}},
    {"IPv6 to a group", {0x33, 0x33, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0x86, 0xdd, 0x60}},
    {"C-TAG, IPv4", {2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 0x81, 0, 0x60, 5, 8, 0, 0x45}},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void make_frame(uint8_t f[OCTETS], const struct kind *kind)
{
	bool tagged = kind->head[12] == 0x81;
	uint8_t *ip = f + 14 + 4 * tagged;
	uint32_t sum = 0, payload = OCTETS - (uint32_t)(ip - f);

	memset(f, 0, OCTETS);
	memcpy(f, kind->head, sizeof(kind->head));
	if (ip[0] == 0x60) {
		put_be16(ip + 4, (uint16_t)(payload - 40));
		ip[6] = 17;
		ip[7] = 64;
		ip[8] = ip[24] = 0xfd;
		return;
	}
	put_be16(ip + 2, (uint16_t)payload);
	ip[8] = 64;
	ip[9] = 17;
	memcpy(ip + 12, "\x0a\x09\x00\x01\x0a\x09\x00\xff", 8);
	for (unsigned i = 0; i < 20; i += 2)
		sum += get_be16(ip + i);
	put_be16(ip + 10, (uint16_t) ~(sum + (sum >> 16)));
}

/* --- measurement ------------------------------------------------------------------- */

static struct {
	int far;
	struct netio_ring ring;
	unsigned seen;
} lab;

static void count(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	(void)ctx;
	(void)octets;
	(void)len;
	(void)wire_octets;
	lab.seen++;
}

static void receive_burst(void)
{
	struct pollfd pfd = {.fd = lab.ring.fd, .events = POLLIN};
	uint32_t slots;

	while (lab.seen < BURST) {
		int n = netio_ring_recv(&lab.ring, BURST, count, NULL, &slots);

		if (n < 0 || (n == 0 && poll(&pfd, 1, 1000) != 1))
			die("frames are lost");
	}
}

/* Returns nanoseconds of a frame. */
static double measure(const uint8_t f[OCTETS])
{
	struct iovec iov = {(void *)(uintptr_t)f, OCTETS};
	struct mmsghdr msgs[BURST];
	double start;

	for (unsigned i = 0; i < BURST; i++)
		msgs[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &iov, .msg_iovlen = 1}};
	start = clock_s(CLOCK_MONOTONIC);
	for (uint64_t n = 0; n < frames; n += BURST) {
		lab.seen = 0;
		if (sendmmsg(lab.far, msgs, BURST, 0) != BURST)
			die("sendmmsg");
		receive_burst();
	}
	return (clock_s(CLOCK_MONOTONIC) - start) * 1e9 / (double)frames;
}

static void measure_kind(const struct kind *kind)
{
	double with[ROUNDS], saved[ROUNDS];
	struct interval of_with, of_saved;
	uint8_t f[OCTETS];
	char err[256];

	make_frame(f, kind);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct netio_ingress in = {.ifindex = 0};
		double without = measure(f);

		if (!netio_ingress_take(&in, if_nametoindex("near"), err, sizeof(err)))
			die(err);
		if (!in.ifindex)
			die("the kernel has no rule at ingress");
		with[i] = measure(f);
		netio_ingress_release(&in);
		saved[i] = without - with[i];
	}
	of_with = interval_of(with, ROUNDS);
	of_saved = interval_of(saved, ROUNDS);
	printf("  %-24s %7.0f ns with the rule, saves %5.0f (%.0f to %.0f)\n", kind->name,
	       of_with.median, of_saved.median, of_saved.low, of_saved.high);
}

static void make_lab(void)
{
	struct netio_packet_params params = {.ifname = "near", .mtu = 1500, .frame_octets = 2048};
	struct sockaddr_ll addr = {.sll_family = AF_PACKET};
	const int on = 1;
	char err[256];
	uint32_t slots;

	run_command(
	    "ip link add near type veth peer name far && ip link set near up && "
	    "ip link set far up && ip address add 10.9.0.2/24 dev near");
	params.ifindex = if_nametoindex("near");
	if (!netio_ring_open(&lab.ring, &params, err, sizeof(err)))
		die(err);
	addr.sll_ifindex = (int)if_nametoindex("far");
	lab.far = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (lab.far < 0 || bind(lab.far, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    setsockopt(lab.far, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) < 0)
		die("packet socket");
	/* The carrier and what the kernel sends by itself at the start. */
	sleep(1);
	while (netio_ring_recv(&lab.ring, BURST, count, NULL, &slots) > 0)
		;
}

int main(int argc, char **argv)
{
	cpu_set_t set;

	if (argc > 1)
		frames = strtoull(argv[1], NULL, 10);
	if (frames < BURST)
		die("expected a number of frames, at least 64");
	if (!own_netns_with_veth())
		return 1;
	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
	make_lab();
	printf(
	    "Ingress rule: time of a frame of %d octets from a veth pair to the ring, median of %d "
	    "rounds, and the 95 %% interval of the difference\n",
	    OCTETS, ROUNDS);
	for (size_t i = 0; i < KINDS; i++)
		measure_kind(&kinds[i]);
	return 0;
}
