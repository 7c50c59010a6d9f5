/* SPDX-License-Identifier: BSD-3-Clause */
/* Packet back end on both ends of a veth pair, in a network namespace of the test. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dataplane/core/eth.h"
#include "dataplane/netio/netio.h"
#include "lib/clock.h"
#include "tests/unit/dataplane/netio/veth_lab.h"
#include "tests/unit/own_netns.h"

/* Receives until there are n frames. */
static void await(struct netio *io, unsigned n)
{
	seen.n = 0;
	while (seen.n < n) {
		struct pollfd pfd = {.fd = io->recv_fd, .events = POLLIN};

		assert_int_equal(poll(&pfd, 1, DEADLINE_MS), 1);
		assert_true(io->ops->recv(io, 64, keep, &seen) >= 0);
	}
	assert_int_equal(seen.n, n);
}

/* Frames to a foreign address arrive unchanged: tagged, untagged, up to the longest. */
static void test_frames_arrive_unchanged(void **state)
{
	static const uint32_t lengths[] = {60, 64, 1000, 1514};
	struct lab *lab = *state;
	uint8_t f[FRAME_OCTETS];

	for (unsigned i = 0; i < 4 * UNIT_COUNT(lengths); i++) {
		struct netio *from = i & 1 ? lab->near_end : lab->far_end;
		bool tagged = i & 2;
		uint32_t len = make_frame(f, tagged, lengths[i / 4] + (tagged ? 4 : 0));

		assert_int_equal(send_one(from, f, len).refused, 0);
		await(i & 1 ? lab->far_end : lab->near_end, 1);
		assert_int_equal(seen.len[0], len);
		assert_int_equal(seen.wire_octets[0], len);
		assert_memory_equal(seen.octets[0], f, len);
	}
}

/* send_control() uses a socket of its own. */
static void test_control_uses_own_socket(void **state)
{
	struct lab *lab = *state;
	uint8_t f[64];
	const struct iovec iov = {f, make_frame(f, false, 60)};
	struct netio_sent sent;

	assert_non_null(lab->near_end->ops->send_control);
	sent = netio_send_control(lab->near_end, &iov, (struct dcb_time){0});
	assert_int_equal(sent.taken, 1);
	assert_int_equal(sent.refused, 0);
	assert_int_equal(sent.error, 0);
	await(lab->far_end, 1);
	assert_int_equal(seen.len[0], 60);
	assert_memory_equal(seen.octets[0], f, 60);
	command("ip link set near down");
	sent = netio_send_control(lab->near_end, &iov, (struct dcb_time){0});
	assert_int_equal(sent.taken, 0);
	assert_int_equal(sent.error, ENETDOWN);
}

/* Makes an untagged HMPDU, or a tagged one. */
static uint32_t make_hmpdu(uint8_t *f, bool tagged)
{
	uint32_t len = make_frame(f, tagged, 64);

	memcpy(f + ETH_TYPE_OFFSET + (tagged ? ETH_TAG_OCTETS : 0), "\x89\xa2", 2);
	return len;
}

/* Frames that this thread sends then arrive in order: each processor has a backlog of its own. */
static void stay_on_processor(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)sched_getcpu(), &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* From begin_drop() to end_drop() HMPDUs are dropped and counted, and all other frames arrive. */
static void test_kernel_drops_hmpdus(void **state)
{
	struct lab *lab = *state;
	struct netio *to = lab->near_end, *from = lab->far_end, *witness = open_end("near");
	uint8_t hmpdu[64], tagged[64], other[64];
	cpu_set_t before;
	uint64_t dropped;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	stay_on_processor();
	make_hmpdu(hmpdu, false);
	make_hmpdu(tagged, true);
	make_frame(other, false, 64);
	for (unsigned round = 0; round < 3; round++) {
		/* Frames from before the beginning arrive, tagged or not. */
		for (unsigned i = 0; i < 5; i++)
			send_one(from, i % 2 ? tagged : hmpdu, 64);
		await(witness, 5);
		assert_true(to->ops->begin_drop(to));
		assert_false(to->ops->end_drop(to, &dropped));
		await(to, 5);
		for (unsigned i = 0; i < 100; i++) {
			send_one(to, hmpdu, 64); /* the kernel counts none of these */
			send_one(from, i % 2 ? tagged : hmpdu, 64);
			if (i % 10 == 9)
				send_one(from, other, 64);
		}
		await(to, 10);
		for (unsigned i = 0; i < 10; i++)
			assert_memory_equal(seen.octets[i], other, 64);
		assert_true(to->ops->end_drop(to, &dropped));
		assert_int_equal(dropped, 100);
		send_one(from, hmpdu, 64);
		await(to, 1);
		assert_memory_equal(seen.octets[0], hmpdu, 64);
		await(witness, 111);
		await(from, 100);
	}
	witness->ops->close(witness);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

/* A frame of an HMPDU's type that ends with its EtherType is not counted twice. */
static void test_short_hmpdus_are_not_dropped_twice(void **state)
{
	struct lab *lab = *state;
	struct netio *to = lab->near_end, *from = lab->far_end;
	uint8_t hmpdu[64], other[64];
	uint64_t dropped;

	make_hmpdu(hmpdu, false);
	make_frame(other, false, 64);
	for (unsigned i = 0; i < 5; i++)
		send_one(from, hmpdu, ETH_HEADER_OCTETS + 1);
	await(to, 5);
	assert_true(to->ops->begin_drop(to));
	send_one(from, other, 64);
	await(to, 1);
	assert_true(to->ops->end_drop(to, &dropped));
	assert_int_equal(dropped, 0);
}

struct times {
	struct netio *io;
	unsigned n;
	struct dcb_time at;
};

static void note_time(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct times *t = ctx;

	(void)octets;
	(void)len;
	(void)wire_octets;
	t->at = t->io->ops->received_at(t->io);
	t->n++;
}

static void await_event(int fd, short events)
{
	struct pollfd pfd = {.fd = fd, .events = events};

	assert_int_equal(poll(&pfd, 1, DEADLINE_MS), 1);
}

/* A time of the kernel is between those of the calls, up to half of their distance. */
static void assert_between(struct dcb_time at, struct dcb_time before, struct dcb_time after)
{
	int64_t error = dcb_time_diff_ns(after, before) / 2 + 1;

	assert_true(dcb_time_diff_ns(at, before) >= -error);
	assert_true(dcb_time_diff_ns(at, after) <= error);
}

/* Times of the kernel, of both ends, each of its own frame. */
static void test_stamped_frames_have_their_times(void **state)
{
	struct lab *lab = *state;
	struct netio *from = lab->near_end, *to = lab->far_end;
	uint8_t f[64];
	const struct iovec iov = {f, make_frame(f, false, 60)};
	struct netio_stamp stamp;
	struct dcb_time now = {0};
	struct netio_stamping is[3] = {0};

	assert_false(from->ops->sent_at(from, &stamp));
	for (unsigned i = 0; i < UNIT_COUNT(is); i++) {
		struct dcb_time before = clock_now(), after;
		struct times times = {.io = to};

		/* Other frames of the socket have no times. */
		assert_int_equal(from->ops->send_control(from, &iov, now).taken, 1);
		assert_int_equal(from->ops->send_stamped(from, &iov, now, &is[i]).taken, 1);
		await_event(from->stamp_fd, 0);
		assert_true(from->ops->sent_at(from, &stamp));
		after = clock_now();
		assert_true(is[i].awaits_time);
		assert_int_equal(stamp.id, is[i].id);
		assert_between(stamp.at, before, after);
		assert_false(from->ops->sent_at(from, &stamp));
		while (times.n < 2) {
			await_event(to->recv_fd, POLLIN);
			assert_true(to->ops->recv(to, 64, note_time, &times) >= 0);
		}
		assert_between(times.at, before, clock_now());
	}
	assert_true(is[0].id != is[1].id && is[1].id != is[2].id);
}

/* After a frame that was not sent, numbers and times belong together again. */
static void test_times_are_right_after_an_error(void **state)
{
	struct lab *lab = *state;
	struct netio *io = lab->near_end;
	uint8_t f[64];
	const struct iovec iov = {f, make_frame(f, false, 60)};
	struct dcb_time now = {0}, before;
	struct netio_stamp stamp;
	struct netio_stamping is = {0};
	uint32_t first;
	bool has = false;

	assert_int_equal(io->ops->send_stamped(io, &iov, now, &is).taken, 1);
	await_event(io->stamp_fd, 0);
	command("ip link set near down");
	assert_int_equal(io->ops->send_stamped(io, &iov, now, &is).error, ENETDOWN);
	assert_false(io->ops->sent_at(io, &stamp));
	command("ip link set near up");
	first = is.id + 1;
	before = clock_now();
	/* The kernel drops frames until the link is active. */
	for (int i = 0; i < DEADLINE_MS / 20 && !has; i++) {
		struct pollfd pfd = {.fd = io->stamp_fd};

		(void)io->ops->send_stamped(io, &iov, now, &is);
		poll(&pfd, 1, 20);
		has = io->ops->sent_at(io, &stamp);
	}
	assert_true(has);
	assert_in_range(stamp.id, first, is.id);
	assert_between(stamp.at, before, clock_now());
}

/* Sent frames are not received by the sender. */
/* A queueing discipline keeps frames back. They count until they have left, or are dropped. */
static void test_frames_that_wait_in_the_kernel_count(void **state)
{
	struct lab *lab = *state;
	struct netio *io = lab->near_end;
	uint8_t f[1000];
	const struct iovec iov = {f, make_frame(f, false, sizeof(f))};

	assert_int_equal(io->ops->unsent(io), 0);
	if (system("tc qdisc add dev near root tbf rate 8kbit burst 1600 latency 100s") != 0) {
		print_message("no queueing discipline tbf: not tested\n");
		skip();
	}
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(io->ops->send(io, &iov, 1, (struct dcb_time){0}).taken, 1);
	assert_true(io->ops->unsent(io) >= 10 * sizeof(f));
	command("tc qdisc del dev near root");
	assert_int_equal(io->ops->unsent(io), 0);
}

static void test_own_frames_are_not_received(void **state)
{
	struct lab *lab = *state;
	uint8_t f[64];

	make_frame(f, false, sizeof(f));
	for (int i = 0; i < 10; i++)
		send_one(lab->near_end, f, sizeof(f));
	await(lab->far_end, 10);
	assert_int_equal(lab->near_end->ops->recv(lab->near_end, 64, keep, &seen), 0);
}

static void test_batches_keep_order(void **state)
{
	enum { N = 64 };
	static uint8_t frames[N][64];
	struct lab *lab = *state;
	struct netio_sent sent;
	struct iovec iov[N];

	for (int i = 0; i < N; i++) {
		make_frame(frames[i], false, 64);
		frames[i][20] = (uint8_t)i;
		iov[i] = (struct iovec){frames[i], 64};
	}
	sent = lab->far_end->ops->send(lab->far_end, iov, N, (struct dcb_time){0});
	assert_int_equal(sent.taken, N);
	assert_int_equal(sent.refused, 0);
	assert_int_equal(sent.error, 0);
	await(lab->near_end, N);
	for (int i = 0; i < N; i++)
		assert_int_equal(seen.octets[i][20], i);
}

/* The interface refuses frames longer than its MTU; frames before and after are sent. */
static void test_frame_longer_than_mtu_is_refused(void **state)
{
	static uint8_t f[3][2000];
	struct lab *lab = *state;
	struct netio_sent sent;
	struct iovec iov[3] = {{f[0], 64}, {f[1], 2000}, {f[2], 64}};

	for (int i = 0; i < 3; i++)
		make_frame(f[i], false, (uint32_t)iov[i].iov_len);
	sent = lab->far_end->ops->send(lab->far_end, iov, 3, (struct dcb_time){0});
	assert_int_equal(sent.taken, 3);
	assert_int_equal(sent.refused, 1);
	assert_int_equal(sent.refused_octets, 2000);
	await(lab->near_end, 2);
}

/* Frames longer than a slot of the ring arrive whole, among others, tagged or not, in order. */
static void test_frames_longer_than_a_slot(void **state)
{
	static uint8_t f[9000];
	struct lab *lab = *state;

	command("ip link set near mtu 9000 && ip link set far mtu 9000");
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t len = make_frame(f, i & 2, i & 1 ? 64 : 8000 + i);

		f[40] = (uint8_t)i;
		assert_int_equal(send_one(lab->far_end, f, len).refused, 0);
	}
	await(lab->near_end, 8);
	for (uint32_t i = 0; i < 8; i++) {
		uint32_t len = make_frame(f, i & 2, i & 1 ? 64 : 8000 + i);

		f[40] = (uint8_t)i;
		assert_int_equal(seen.wire_octets[i], len);
		assert_int_equal(seen.len[i], len);
		assert_memory_equal(seen.octets[i], f, len < FRAME_OCTETS ? len : FRAME_OCTETS);
	}
}

/* The kernel counts anew after each reading: the number is that since the opening. */
static void test_counts_lost_frames(void **state)
{
	struct lab *lab = *state;
	uint8_t f[64];
	uint64_t lost;

	make_frame(f, false, sizeof(f));
	assert_int_equal(lab->near_end->ops->lost(lab->near_end), 0);
	for (int i = 0; i < 20000; i++)
		send_one(lab->far_end, f, sizeof(f));
	lost = lab->near_end->ops->lost(lab->near_end);
	assert_true(lost > 0);
	assert_int_equal(lab->near_end->ops->lost(lab->near_end), lost);
	send_one(lab->far_end, f, sizeof(f));
	assert_int_equal(lab->near_end->ops->lost(lab->near_end), lost + 1);
}

/* Sending fails while the interface is down; the same sockets work when it is up again. */
static void test_works_again_after_link_down(void **state)
{
	struct lab *lab = *state;
	uint8_t f[64];

	make_frame(f, false, sizeof(f));
	command("ip link set near down");
	assert_int_equal(send_one(lab->near_end, f, sizeof(f)).error, ENETDOWN);
	(void)recv_until_error(lab->near_end);
	command("ip link set near up");
	send_until_seen(lab->near_end, lab->far_end, f, sizeof(f));
	send_until_seen(lab->far_end, lab->near_end, f, sizeof(f));
}

/* SO_PRIORITY of the socket that sends data. */
static int priority_of(const struct netio *io)
{
	socklen_t len = sizeof(int);
	int priority = -1;

	assert_int_equal(getsockopt(io->send_fd, SOL_SOCKET, SO_PRIORITY, &priority, &len), 0);
	return priority;
}

static void test_priority_of_frames_in_the_kernel(void **state)
{
	const struct lab *lab = *state;

	assert_int_equal(priority_of(lab->near_end), 0);
	for (unsigned priority = 8; priority-- > 0;) {
		netio_set_priority(lab->near_end, priority);
		assert_int_equal(priority_of(lab->near_end), priority);
	}
	assert_int_equal(priority_of(lab->far_end), 0);
}

static void test_queueing_disciplines_that_use_the_priority(void **state)
{
	static const struct {
		const char *kind;
		bool uses, uses_in_bypass;
	} kinds[] = {
	    {"", false, false},
	    {"noqueue", false, false},
	    {"pfifo_fast", false, false},
	    {"mq", false, false},
	    {"fq_codel", false, false},
	    {"fq", false, false},
	    {"prio", true, false},
	    {"ets", true, false},
	    {"htb", true, false},
	    {"mqprio", true, true},
	    {"taprio", true, true},
	    {"tbf", true, false},
	    {"of_the_future", true, false},
	};

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(kinds); i++) {
		assert_int_equal(netio_packet_uses_priority(kinds[i].kind, false), kinds[i].uses);
		assert_int_equal(netio_packet_uses_priority(kinds[i].kind, true),
				 kinds[i].uses_in_bypass);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_frames_arrive_unchanged),
	    TEST(test_control_uses_own_socket),
	    TEST(test_stamped_frames_have_their_times),
	    TEST(test_times_are_right_after_an_error),
	    TEST(test_frames_that_wait_in_the_kernel_count),
	    TEST(test_own_frames_are_not_received),
	    TEST(test_batches_keep_order),
	    TEST(test_frame_longer_than_mtu_is_refused),
	    TEST(test_frames_longer_than_a_slot),
	    TEST(test_counts_lost_frames),
	    TEST(test_kernel_drops_hmpdus),
	    TEST(test_short_hmpdus_are_not_dropped_twice),
	    TEST(test_works_again_after_link_down),
	    TEST(test_priority_of_frames_in_the_kernel),
	    cmocka_unit_test(test_queueing_disciplines_that_use_the_priority),
	};

	if (!own_netns_with_veth())
		return EXIT_SKIP;
	return cmocka_run_group_tests_name("netio_packet", tests, NULL, NULL);
}
