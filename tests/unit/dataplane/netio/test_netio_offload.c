/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames that a host leaves to its interface, through a veth pair. While the sender's offloads are
 * switched off, the kernel segments the same frames and completes their checksums: both have to
 * agree in each octet.
 */
#include <inttypes.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>

#include "tests/unit/dataplane/netio/veth_lab.h"
#include "tests/unit/dataplane/offload_frame.h"

#define ROUNDS     UNIT_CASES(60)
#define FRAMES_MAX 100

static const uint8_t da[] = {2, 0, 0, 0, 0, 9};

struct list {
	unsigned n;
	uint32_t len[FRAMES_MAX];
	uint8_t octets[FRAMES_MAX][1600];
};

static void add(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct list *list = ctx;

	if (len >= 6 && memcmp(octets, da, 6) != 0)
		return; /* of the kernel: neighbor discovery */
	assert_int_equal(len, wire_octets);
	assert_in_range(list->n, 0, FRAMES_MAX - 1);
	assert_true(len <= sizeof(list->octets[0]));
	memcpy(list->octets[list->n], octets, len);
	list->len[list->n++] = len;
}

static void receive(struct netio *io, unsigned n, unsigned batch, struct list *list)
{
	list->n = 0;
	while (list->n < n) {
		struct pollfd pfd = {.fd = io->recv_fd, .events = POLLIN};

		int got = io->ops->recv(io, batch, add, list);

		assert_true(got >= 0);
		/* What a call has left of a frame that stands for several is there without poll().
		 */
		if (got == 0 && poll(&pfd, 1, DEADLINE_MS) != 1)
			fail_msg("%u of %u frames, lost %" PRIu64, list->n, n, io->ops->lost(io));
	}
	assert_int_equal(list->n, n);
}

/* A socket on the far end whose frames have a struct virtio_net_hdr in front. */
static int open_unfinished(void)
{
	const struct sockaddr_ll addr = {.sll_family = AF_PACKET,
					 .sll_ifindex = (int)if_nametoindex("far")};
	const int on = 1;
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)), 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static void send_unfinished(int fd, const struct unfinished *u)
{
	struct iovec iov[] = {{(void *)&u->header, sizeof(u->header)}, {(void *)u->octets, u->len}};
	const struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};

	assert_int_equal(sendmsg(fd, &msg, 0), sizeof(u->header) + u->len);
}

static void set_offloads(bool on)
{
	static const uint32_t commands[] = {ETHTOOL_STXCSUM, ETHTOOL_STSO, ETHTOOL_SGSO};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	/* Checksums first on, last off: segmentation needs them. */
	for (unsigned i = 0; i < UNIT_COUNT(commands); i++) {
		struct ethtool_value value = {
		    .cmd = commands[on ? i : UNIT_COUNT(commands) - 1 - i], .data = on};
		struct ifreq ifr = {.ifr_name = "far", .ifr_data = (char *)&value};

		assert_int_equal(ioctl(fd, SIOCETHTOOL, &ifr), 0);
	}
	close(fd);
}

static void test_frames_are_those_of_the_kernel(void **state)
{
	static struct list left, of_kernel;
	static struct unfinished u;
	struct lab *lab = *state;
	struct dcb_rng rng;
	int fd = open_unfinished();

	dcb_rng_seed(&rng, unit_seed(), 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct unfinished_kind kind = unfinished_draw(&rng, 60000, FRAMES_MAX / 2);
		unsigned n = kind.segmented ? (kind.payload + kind.size - 1u) / kind.size : 1;

		unfinished_make(&u, &kind, &rng, da);
		set_offloads(true);
		send_unfinished(fd, &u);
		receive(lab->near_end, n, dcb_rng_uniform(&rng, 1, 64), &left);
		set_offloads(false);
		send_unfinished(fd, &u);
		receive(lab->near_end, n, 64, &of_kernel);
		/* The kernel writes the checksum 0 of TCP as ffff if it does not segment. */
		if (!kind.segmented && !kind.udp &&
		    get_be16(of_kernel.octets[0] + u.l4 + 16) == 0xffff)
			put_be16(of_kernel.octets[0] + u.l4 + 16, 0);
		for (unsigned j = 0; j < n; j++) {
			assert_int_equal(left.len[j], of_kernel.len[j]);
			assert_memory_equal(left.octets[j], of_kernel.octets[j], left.len[j]);
		}
	}
	set_offloads(true);
	close(fd);
}

/* The sizes are within what the kernel accepts from a program, but contradict the frame. */
static void test_contradiction_is_a_frame_without_octets(void **state)
{
	static const struct unfinished_kind kind = {
	    .segmented = true, .payload = 50000, .size = 1000};
	static struct unfinished u;
	static struct list list;
	struct lab *lab = *state;
	struct dcb_rng rng;
	int fd = open_unfinished();

	dcb_rng_seed(&rng, 1, 0);
	unfinished_make(&u, &kind, &rng, da);
	u.octets[u.l3 + 6] = 0x20; /* more fragments */
	send_unfinished(fd, &u);
	receive(lab->near_end, 1, 64, &list);
	assert_int_equal(list.len[0], 0);
	u.octets[u.l3 + 6] = 0;
	send_unfinished(fd, &u);
	receive(lab->near_end, 50, 64, &list);
	close(fd);
}

/* More than the receive queue holds. A lost one is counted as the frames that it stands
 * for. */
static void test_losses_are_counted_as_frames(void **state)
{
	static const struct unfinished_kind kind = {
	    .segmented = true, .payload = 60000, .size = 1000};
	static struct unfinished u;
	static struct list list;
	struct lab *lab = *state;
	struct netio *io = lab->near_end;
	struct dcb_rng rng;
	int fd = open_unfinished();
	uint64_t frames = 0;

	dcb_rng_seed(&rng, 1, 0);
	unfinished_make(&u, &kind, &rng, da);
	for (int i = 0; i < 500; i++)
		send_unfinished(fd, &u);
	while (frames + io->ops->lost(io) < 500 * 60) {
		list.n = 0;
		assert_true(io->ops->recv(io, FRAMES_MAX / 2, add, &list) >= 0);
		frames += list.n;
	}
	assert_true(frames > 60);
	assert_in_range(io->ops->lost(io) + frames, 500 * 60, 500 * 61);
	send_unfinished(fd, &u);
	receive(io, 60, 64, &list);
	close(fd);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_frames_are_those_of_the_kernel),
	    TEST(test_contradiction_is_a_frame_without_octets),
	    TEST(test_losses_are_counted_as_frames),
	};

	if (!own_netns_with_veth())
		return EXIT_SKIP;
	return cmocka_run_group_tests_name("netio_offload", tests, NULL, NULL);
}
