/* SPDX-License-Identifier: BSD-3-Clause */
/* A tap in a network namespace of the test; a packet socket acts as the host. */
#include "dataplane/netio/netio_tap.h"
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "tests/unit/own_netns.h"

#define DEADLINE_MS  100000
#define FRAME_OCTETS 1600

static const uint8_t mac[] = {2, 0, 0, 0, 0, 7};

struct lab {
	struct netio *tap;
	int host; /* packet socket on the tap */
};

struct seen {
	unsigned n;
	uint32_t len;
	uint8_t octets[FRAME_OCTETS];
};

/* Reads up to max frames as the station does. Returns their number, or -errno. */
static int read_frames(struct lab *lab, unsigned max, struct seen *s)
{
	uint8_t octets[FRAME_OCTETS + 1];
	unsigned n = 0;

	for (; n < max; n++) {
		int len = lab->tap->ops->read(lab->tap, octets, sizeof(octets));

		if (len <= 0)
			return n ? (int)n : len;
		assert_true(len <= FRAME_OCTETS);
		if (memcmp(octets + 12, "\x88\xb5", 2) != 0)
			continue; /* a frame of the kernel, such as IPv6 autoconfiguration */
		s->n++;
		s->len = (uint32_t)len;
		memcpy(s->octets, octets, s->len);
	}
	return (int)n;
}

static struct netio *open_tap(const char *name, char *err, size_t errlen)
{
	const struct netio_tap_params params = {
	    .name = name,
	    .mac = mac,
	    .mtu = 1496,
	    .carrier = true,
	};

	return netio_tap_open(&params, err, errlen);
}

static int packet_socket(uint32_t ifindex)
{
	struct sockaddr_ll addr = {
	    .sll_family = AF_PACKET, .sll_ifindex = (int)ifindex, .sll_protocol = htons(0x88b5)};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(0x88b5));

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static int set_up(void **state)
{
	static struct lab lab;
	char err[256] = "";

	lab.tap = open_tap("dcb%d", err, sizeof(err));
	assert_string_equal(err, "");
	lab.host = packet_socket(netio_tap_ifindex(lab.tap));
	*state = &lab;
	return 0;
}

static int tear_down(void **state)
{
	struct lab *lab = *state;

	close(lab->host);
	lab->tap->ops->close(lab->tap);
	assert_int_equal(if_nametoindex("dcb0"), 0); /* deleted when closed */
	return 0;
}

static uint32_t make_frame(uint8_t *f, uint32_t len)
{
	memcpy(f, "\x02\0\0\0\0\x09\x02\0\0\0\0\x07\x88\xb5", 14);
	for (uint32_t at = 14; at < len; at++)
		f[at] = (uint8_t)at;
	return len;
}

static void await(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	assert_int_equal(poll(&pfd, 1, DEADLINE_MS), 1);
}

static struct ifreq ask(struct lab *lab, unsigned long what)
{
	struct ifreq ifr = {0};

	strcpy(ifr.ifr_name, netio_tap_name(lab->tap));
	assert_int_equal(ioctl(lab->host, what, &ifr), 0);
	return ifr;
}

static void test_tap_has_requested_attributes(void **state)
{
	struct lab *lab = *state;

	assert_string_equal(netio_tap_name(lab->tap), "dcb0");
	assert_int_equal(netio_tap_ifindex(lab->tap), if_nametoindex("dcb0"));
	assert_memory_equal(ask(lab, SIOCGIFHWADDR).ifr_hwaddr.sa_data, mac, 6);
	assert_int_equal(ask(lab, SIOCGIFMTU).ifr_mtu, 1496);
	assert_true(ask(lab, SIOCGIFFLAGS).ifr_flags & IFF_UP);
}

/* Frames arrive unchanged, up to the longest that the MTU allows, several in one call. */
static void test_receives_from_host(void **state)
{
	static const uint32_t lengths[] = {60, 61, 1000, 1510};
	struct lab *lab = *state;
	uint8_t f[FRAME_OCTETS];
	struct seen seen = {0};

	for (unsigned i = 0; i < UNIT_COUNT(lengths); i++) {
		uint32_t len = make_frame(f, lengths[i]);

		assert_int_equal(send(lab->host, f, len, 0), len);
		seen.n = 0;
		while (seen.n == 0) {
			await(lab->tap->recv_fd);
			assert_true(read_frames(lab, 64, &seen) >= 0);
		}
		assert_int_equal(seen.len, len);
		assert_memory_equal(seen.octets, f, len);
	}
	for (int i = 0; i < 10; i++)
		assert_int_equal(send(lab->host, f, 60, 0), 60);
	for (seen.n = 0; seen.n < 10;)
		assert_true(read_frames(lab, 3, &seen) <= 3);
	assert_int_equal(seen.n, 10);
}

/* A frame longer than the buffer fills it: the reader knows that it was longer. */
static void test_longer_frame_fills_the_buffer(void **state)
{
	struct lab *lab = *state;
	uint8_t f[FRAME_OCTETS], octets[100] = {0};
	int len = 0;

	assert_int_equal(send(lab->host, f, make_frame(f, 1000), 0), 1000);
	for (int i = 0; i < 100 && memcmp(octets + 12, "\x88\xb5", 2) != 0; i++) {
		await(lab->tap->recv_fd);
		len = lab->tap->ops->read(lab->tap, octets, sizeof(octets));
	}
	assert_int_equal(len, sizeof(octets));
	assert_memory_equal(octets, f, sizeof(octets));
}

static void test_sends_to_host(void **state)
{
	struct lab *lab = *state;
	uint8_t f[FRAME_OCTETS], back[FRAME_OCTETS];
	struct iovec iov[2] = {{f, make_frame(f, 1000)}, {f, 60}};
	struct netio_sent sent = lab->tap->ops->send(lab->tap, iov, 2, (struct dcb_time){0});

	assert_int_equal(sent.taken, 2);
	assert_int_equal(sent.refused, 0);
	assert_int_equal(sent.error, 0);
	await(lab->host);
	assert_int_equal(recv(lab->host, back, sizeof(back), 0), 1000);
	assert_memory_equal(back, f, 1000);
	assert_int_equal(recv(lab->host, back, sizeof(back), 0), 60);
}

/* The operator sets the tap down: frames are refused, without an error of the port. */
static void test_tap_down_refuses_frames(void **state)
{
	struct lab *lab = *state;
	struct seen seen = {0};
	uint8_t f[60];
	struct iovec iov = {f, make_frame(f, 60)};
	struct netio_sent sent;

	assert_int_equal(system("ip link set dcb0 down"), 0);
	sent = lab->tap->ops->send(lab->tap, &iov, 1, (struct dcb_time){0});
	assert_int_equal(sent.taken, 1);
	assert_int_equal(sent.refused, 1);
	assert_int_equal(sent.refused_octets, 60);
	assert_int_equal(sent.error, 0);
	assert_true(read_frames(lab, 64, &seen) >= 0);
	assert_int_equal(system("ip link set dcb0 up"), 0);
	sent = lab->tap->ops->send(lab->tap, &iov, 1, (struct dcb_time){0});
	assert_int_equal(sent.refused, 0);
}

/* The operator deletes the tap. */
static void test_deleted_tap_is_an_error(void **state)
{
	struct lab *lab = *state;
	struct seen seen = {0};
	uint8_t f[60];
	struct iovec iov = {f, make_frame(f, 60)};

	assert_int_equal(system("ip link del dcb0"), 0);
	assert_int_equal(read_frames(lab, 64, &seen), -ENXIO);
	assert_int_equal(lab->tap->ops->send(lab->tap, &iov, 1, (struct dcb_time){0}).error, ENXIO);
}

/* Waits for IFF_RUNNING: the kernel applies a carrier change asynchronously. */
static void await_running(struct lab *lab, bool running)
{
	for (int i = 0; i < DEADLINE_MS; i++) {
		if (!(ask(lab, SIOCGIFFLAGS).ifr_flags & IFF_RUNNING) == !running)
			return;
		poll(NULL, 0, 1);
	}
	fail_msg("still %srunning", running ? "not " : "");
}

/* Address, MTU and carrier can be set, also after the tap was renamed. */
static void test_renamed_tap_can_be_changed(void **state)
{
	static const uint8_t other[] = {2, 0, 0, 0, 1, 7};
	struct lab *lab = *state;

	assert_true(netio_tap_set_mac(lab->tap, other));
	assert_memory_equal(ask(lab, SIOCGIFHWADDR).ifr_hwaddr.sa_data, other, 6);
	assert_int_equal(system("ip link set dcb0 down && ip link set dcb0 name store0 && "
				"ip link set store0 up"),
			 0);
	assert_true(netio_tap_set_mtu(lab->tap, 8996));
	assert_string_equal(netio_tap_name(lab->tap), "store0");
	assert_int_equal(ask(lab, SIOCGIFMTU).ifr_mtu, 8996);
	assert_true(netio_tap_set_carrier(lab->tap, false));
	await_running(lab, false);
	assert_true(netio_tap_set_carrier(lab->tap, true));
	await_running(lab, true);
}

static void test_open_reports_existing_interface(void **state)
{
	char err[256] = "";

	(void)state;
	assert_null(open_tap("dcb0", err, sizeof(err)));
	assert_string_equal(err,
			    "tap dcb0: cannot create: Device or resource busy (an interface with "
			    "this name exists)");
	assert_null(open_tap("lo", err, sizeof(err)));
	assert_string_equal(err,
			    "tap lo: cannot create: File exists (an interface with this name "
			    "exists)");
}

UNIT_MAIN
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(test_tap_has_requested_attributes),  TEST(test_receives_from_host),
	    TEST(test_longer_frame_fills_the_buffer), TEST(test_sends_to_host),
	    TEST(test_tap_down_refuses_frames),       TEST(test_deleted_tap_is_an_error),
	    TEST(test_renamed_tap_can_be_changed),    TEST(test_open_reports_existing_interface),
	};

	if (!own_netns_enter())
		return EXIT_SKIP;
	if (access("/dev/net/tun", R_OK | W_OK) != 0) {
		printf("SKIP: /dev/net/tun: %s\n", strerror(errno));
		return EXIT_SKIP;
	}
	return cmocka_run_group_tests_name("netio_tap", tests, NULL, NULL);
}
