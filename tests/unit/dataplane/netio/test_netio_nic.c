/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timestamps of a NIC. No NIC is here: ioctl() has the double of a driver for the requests about
 * timestamps, and recvmsg() adds times of a NIC to those of the kernel. Sockets, numbers and times
 * of the kernel are real, on a veth pair in a network namespace of the test.
 */
#include "control/host/limits.h"
#include "dataplane/core/eth.h"
#include "dataplane/netio/netio.h"
#include "dataplane/netio/netio_ingress.h"
#include "dataplane/netio/netio_nic.h"
#include "lib/clock.h"
#include "tests/unit/own_netns.h"
#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define DEADLINE_MS 100000

/* Of frames that no test counts: the first one for local experiments, IEEE Std 802, 9.2.4. */
#define TYPE_OF_PRIMING 0x88b5

#define ALL_TIMES                                                      \
	(SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE | \
	 SOF_TIMESTAMPING_RAW_HARDWARE)

/* --- the double of a driver --- */

static struct driver {
	struct ethtool_ts_info can; /* all zero: the driver does not know the request */
	struct hwtstamp_config is;  /* settings of the NIC */
	int get_errno, set_errno;   /* errors of SIOCGHWTSTAMP, SIOCSHWTSTAMP; 0: none */
	int filter;                 /* that the driver takes instead of all; 0: all */
	unsigned sets;
} driver;

#define COMPLETE                                                                                \
	{                                                                                       \
		.so_timestamping = ALL_TIMES, .phc_index = 0, .tx_types = 1u << HWTSTAMP_TX_ON, \
		.rx_filters = 1u << HWTSTAMP_FILTER_ALL                                         \
	}
static const struct ethtool_ts_info complete = COMPLETE;

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

static int fails(int error)
{
	errno = error;
	return -1;
}

static int get_info(struct ethtool_ts_info *info)
{
	if (!driver.can.so_timestamping)
		return fails(EOPNOTSUPP);
	*info = driver.can;
	return 0;
}

static int set_config(struct hwtstamp_config *config)
{
	driver.sets++;
	if (driver.set_errno)
		return fails(driver.set_errno);
	if (driver.filter && config->rx_filter == HWTSTAMP_FILTER_ALL)
		config->rx_filter = driver.filter;
	driver.is = *config;
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct ifreq *ifr;
	void *argument;
	va_list args;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	ifr = argument;
	if (request == SIOCETHTOOL && *(uint32_t *)(void *)ifr->ifr_data == ETHTOOL_GET_TS_INFO)
		return get_info((void *)ifr->ifr_data);
	if (request == SIOCSHWTSTAMP)
		return set_config((void *)ifr->ifr_data);
	if (request != SIOCGHWTSTAMP)
		return __real_ioctl(fd, request, argument);
	if (driver.get_errno)
		return fails(driver.get_errno);
	*(struct hwtstamp_config *)(void *)ifr->ifr_data = driver.is;
	return 0;
}

/*
 * The clock of the NIC: that of the kernel since another date. A received frame reaches the kernel
 * NIC_RECEIVE_NS after the NIC, a transmitted one reaches the NIC NIC_TRANSMIT_NS after the kernel.
 */
#define NIC_EPOCH_S     INT64_C(1700000000)
#define NIC_RECEIVE_NS  7000
#define NIC_TRANSMIT_NS 3000

static struct nic {
	bool has_transmit, has_receive; /* times that the NIC takes */
	bool has_later;                 /* the transmit time that is not yet reported */
	unsigned char octets[256];      /* control messages of the driver's time */
	size_t len;
} nic;

ssize_t __real_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);

static int64_t ns_of(struct timespec t)
{
	return (int64_t)t.tv_sec * DCB_NS_PER_S + t.tv_nsec;
}

static struct timespec nic_time(struct timespec real, int64_t later_ns)
{
	int64_t ns = ns_of(real) + later_ns - NIC_EPOCH_S * DCB_NS_PER_S;

	return (struct timespec){ns / DCB_NS_PER_S, ns % DCB_NS_PER_S};
}

static struct cmsghdr *times_in(struct msghdr *msg)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING)
			return c;
	return NULL;
}

/* As the kernel: the NIC's time of a transmitted frame comes in a message of its own, later. */
static ssize_t report_later(struct msghdr *msg)
{
	struct scm_timestamping times;
	struct cmsghdr *c;

	assert_true(msg->msg_controllen >= nic.len);
	memcpy(msg->msg_control, nic.octets, nic.len);
	msg->msg_controllen = nic.len;
	c = times_in(msg);
	memcpy(&times, CMSG_DATA(c), sizeof(times));
	times.ts[2] = nic_time(times.ts[0], NIC_TRANSMIT_NS);
	times.ts[0] = (struct timespec){0};
	memcpy(CMSG_DATA(c), &times, sizeof(times));
	nic.has_later = false;
	return 0;
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct scm_timestamping times;
	struct cmsghdr *c;
	ssize_t rc;

	if ((flags & MSG_ERRQUEUE) && nic.has_later)
		return report_later(msg);
	rc = __real_recvmsg(fd, msg, flags);
	c = rc >= 0 ? times_in(msg) : NULL;
	if (!c)
		return rc;
	memcpy(&times, CMSG_DATA(c), sizeof(times));
	if (!(flags & MSG_ERRQUEUE) && nic.has_receive) {
		times.ts[2] = nic_time(times.ts[0], -NIC_RECEIVE_NS);
		memcpy(CMSG_DATA(c), &times, sizeof(times));
	}
	if ((flags & MSG_ERRQUEUE) && nic.has_transmit) {
		nic.has_later = true;
		nic.len = msg->msg_controllen;
		memcpy(nic.octets, msg->msg_control, nic.len);
	}
	return rc;
}

/* --- what a NIC can do, and its settings --- */

static struct netio_nic begin(void)
{
	struct netio_nic n;

	driver.sets = 0;
	netio_nic_begin(&n, -1, if_nametoindex("near"));
	return n;
}

static void test_nic_needs_clock_and_times_of_all_frames(void **state)
{
	struct ethtool_ts_info info = complete;

	(void)state;
	assert_true(netio_nic_can(&info));
	for (unsigned bit = 0; bit < 32; bit++) {
		if (!(ALL_TIMES & 1u << bit))
			continue;
		info = complete;
		info.so_timestamping &= ~(1u << bit);
		assert_false(netio_nic_can(&info));
	}
	info = complete;
	info.phc_index = -1;
	assert_false(netio_nic_can(&info));
	info = complete;
	info.tx_types = 1u << HWTSTAMP_TX_OFF | 1u << HWTSTAMP_TX_ONESTEP_SYNC;
	assert_false(netio_nic_can(&info));
	info = complete;
	info.rx_filters = 1u << HWTSTAMP_FILTER_NONE | 1u << HWTSTAMP_FILTER_PTP_V2_EVENT;
	assert_false(netio_nic_can(&info));
}

static void test_settings_are_changed_and_restored(void **state)
{
	struct netio_nic n;

	(void)state;
	driver = (struct driver){.can = complete};
	n = begin();
	assert_true(netio_nic_is_used(&n));
	assert_int_equal(driver.is.tx_type, HWTSTAMP_TX_ON);
	assert_int_equal(driver.is.rx_filter, HWTSTAMP_FILTER_ALL);
	assert_int_equal(driver.sets, 1);
	netio_nic_end(&n, -1);
	assert_false(netio_nic_is_used(&n));
	assert_int_equal(driver.is.tx_type, HWTSTAMP_TX_OFF);
	assert_int_equal(driver.is.rx_filter, HWTSTAMP_FILTER_NONE);
	assert_int_equal(driver.sets, 2);
	netio_nic_end(&n, -1);
	assert_int_equal(driver.sets, 2);
}

/* Each reason for which the settings stay, and the kernel's times are used. */
static void test_settings_of_others_and_errors_leave_the_kernel(void **state)
{
	static const struct {
		const char *what;
		struct driver driver;
		unsigned sets;
	} cases[] = {
	    {"no NIC", {.is = {0}}, 0},
	    {"no clock",
	     {.can =
		  {.so_timestamping = ALL_TIMES, .phc_index = -1, .tx_types = 2, .rx_filters = 2}},
	     0},
	    {"settings are not known", {.can = COMPLETE, .get_errno = EOPNOTSUPP}, 0},
	    {"settings of PTP",
	     {.can = COMPLETE, .is = {0, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_PTP_V2_EVENT}},
	     0},
	    {"another program receives",
	     {.can = COMPLETE, .is = {0, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_ALL}},
	     0},
	    {"another program transmits",
	     {.can = COMPLETE, .is = {0, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE}},
	     0},
	    {"not permitted", {.can = COMPLETE, .set_errno = EPERM}, 1},
	    {"not supported", {.can = COMPLETE, .set_errno = EOPNOTSUPP}, 1},
	    {"narrower filter", {.can = COMPLETE, .filter = HWTSTAMP_FILTER_PTP_V2_EVENT}, 2},
	};

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(cases); i++) {
		struct netio_nic n;

		driver = cases[i].driver;
		n = begin();
		if (netio_nic_is_used(&n) || driver.sets != cases[i].sets)
			fail_msg("%s: the NIC is used, or %u settings", cases[i].what, driver.sets);
		netio_nic_end(&n, -1);
		assert_int_equal(driver.sets, cases[i].sets);
		assert_int_equal(driver.is.tx_type, cases[i].driver.is.tx_type);
		assert_int_equal(driver.is.rx_filter, cases[i].driver.is.rx_filter);
	}
}

/* A NIC that stamps all frames for another program is used, and left so. */
static void test_settings_that_suffice_stay(void **state)
{
	struct netio_nic n;

	(void)state;
	driver = (struct driver){.can = complete, .is = {0, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_ALL}};
	n = begin();
	assert_true(netio_nic_is_used(&n));
	netio_nic_end(&n, -1);
	assert_int_equal(driver.sets, 0);
}

/* What another program has set since is not undone. */
static void test_later_settings_of_others_stay(void **state)
{
	struct netio_nic n;

	(void)state;
	driver = (struct driver){.can = complete};
	n = begin();
	driver.is.rx_filter = HWTSTAMP_FILTER_PTP_V2_EVENT;
	netio_nic_end(&n, -1);
	assert_int_equal(driver.sets, 1);
	assert_int_equal(driver.is.rx_filter, HWTSTAMP_FILTER_PTP_V2_EVENT);
}

/* An interface that is open twice: the last one restores. */
static void test_last_of_two_restores(void **state)
{
	struct netio_nic first, second;

	(void)state;
	driver = (struct driver){.can = complete};
	first = begin();
	second = begin();
	netio_nic_inherit(&second, &first);
	netio_nic_end(&first, -1);
	assert_int_equal(driver.is.rx_filter, HWTSTAMP_FILTER_ALL);
	netio_nic_end(&second, -1);
	assert_int_equal(driver.is.rx_filter, HWTSTAMP_FILTER_NONE);
}

/* Two ports on one NIC, as by VLAN interfaces: the one that has switched it on switches it off. */
static void test_one_of_two_ports_on_a_nic_switches_it_off(void **state)
{
	struct netio_nic first, second;

	(void)state;
	driver = (struct driver){.can = complete};
	first = begin();
	second = begin();
	netio_nic_end(&second, -1);
	assert_int_equal(driver.is.rx_filter, HWTSTAMP_FILTER_ALL);
	second = begin();
	netio_nic_end(&first, -1);
	assert_int_equal(driver.is.rx_filter, HWTSTAMP_FILTER_NONE);
	assert_true(netio_nic_is_used(&second)); /* it asks, and has the kernel's times */
	netio_nic_end(&second, -1);
	assert_int_equal(driver.is.rx_filter, HWTSTAMP_FILTER_NONE);
}

/* --- frames --- */

struct lab {
	struct netio *near_end, *far_end;
};

struct received {
	struct netio *io;
	unsigned n, n_by_nic, n_priming;
	int64_t nic_ns; /* of the last frame that has one */
};

static void command(const char *line)
{
	if (system(line) != 0)
		fail_msg("%s", line);
}

static struct netio *open_end(const char *ifname, bool nic_times)
{
	const struct netio_packet_params params = {.ifname = ifname,
						   .ifindex = if_nametoindex(ifname),
						   .mtu = 1500,
						   .frame_octets = 1600,
						   .nic_times = nic_times};
	char err[256] = "";
	struct netio *io = netio_packet_open(&params, err, sizeof(err));

	assert_string_equal(err, "");
	return io;
}

static void on_frame(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct received *r = ctx;
	int64_t nic_ns;

	(void)wire_octets;
	assert_true(len >= ETH_HEADER_OCTETS);
	if ((octets[12] << 8 | octets[13]) == TYPE_OF_PRIMING) {
		r->n_priming++;
		return;
	}
	r->n++;
	if (!r->io->ops->received_by_nic(r->io, &nic_ns))
		return;
	assert_true(nic_ns > r->nic_ns); /* not the time of the frame before */
	r->nic_ns = nic_ns;
	r->n_by_nic++;
}

static void make_frame(uint8_t *f, uint16_t ethertype)
{
	memcpy(f, "\x01\x80\xc2\x00\x00\x01\x02\x00\x00\x00\x00\x01", 12);
	f[12] = (uint8_t)(ethertype >> 8);
	f[13] = (uint8_t)ethertype;
}

static struct netio_stamping send_one(struct netio *io, uint16_t ethertype)
{
	uint8_t f[60] = {0};
	const struct iovec iov = {f, sizeof(f)};
	struct netio_stamping is = {0};

	make_frame(f, ethertype);
	assert_int_equal(io->ops->send_stamped(io, &iov, clock_now(), &is).taken, 1);
	return is;
}

static void receive(struct received *r, unsigned n)
{
	while (r->n < n) {
		struct pollfd pfd = {.fd = r->io->recv_fd, .events = POLLIN};

		assert_int_equal(poll(&pfd, 1, DEADLINE_MS), 1);
		assert_true(r->io->ops->recv(r->io, 64, on_frame, r) >= 0);
	}
}

/* The kernel reports both times of a transmitted frame, each in a message of its own. */
static bool asks_for_both(const struct netio *io)
{
	const int both = SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_RAW_HARDWARE |
			 SOF_TIMESTAMPING_OPT_TX_SWHW;
	socklen_t len = sizeof(int);
	int flags = 0;

	assert_int_equal(getsockopt(io->stamp_fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, &len), 0);
	return (flags & both) == both;
}

static struct netio_stamp await_stamp(struct netio *io)
{
	struct pollfd pfd = {.fd = io->stamp_fd};
	struct netio_stamp stamp;

	assert_int_equal(poll(&pfd, 1, DEADLINE_MS), 1);
	assert_true(io->ops->sent_at(io, &stamp));
	return stamp;
}

static void close_ends(struct lab *lab)
{
	lab->near_end->ops->close(lab->near_end);
	lab->far_end->ops->close(lab->far_end);
}

static struct lab open_ends(bool nic_times)
{
	struct lab lab;

	driver = (struct driver){.can = complete};
	nic = (struct nic){.has_transmit = true, .has_receive = true};
	lab.near_end = open_end("near", nic_times);
	lab.far_end = open_end("far", nic_times);
	return lab;
}

static int set_up(void **state)
{
	(void)state;
	command(
	    "ip link add near type veth peer name far && ip link set near up && "
	    "ip link set far up");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return system("ip link del near");
}

/*
 * The kernel activates a link asynchronously and drops frames until then. One frame of priming is
 * still on its way when the test begins, as others can be on a busy machine: none is counted.
 */
static void prime(struct lab *lab)
{
	struct received r = {.io = lab->far_end};
	struct netio_stamp stamp;

	for (int i = 0; i < DEADLINE_MS / 20 && r.n_priming == 0; i++) {
		struct pollfd pfd = {.fd = r.io->recv_fd, .events = POLLIN};

		send_one(lab->near_end, TYPE_OF_PRIMING);
		poll(&pfd, 1, 20);
		assert_true(r.io->ops->recv(r.io, 64, on_frame, &r) >= 0);
		while (lab->near_end->ops->sent_at(lab->near_end, &stamp))
			;
	}
	assert_true(r.n_priming > 0);
	send_one(lab->near_end, TYPE_OF_PRIMING);
	(void)await_stamp(lab->near_end);
	while (lab->near_end->ops->sent_at(lab->near_end, &stamp))
		;
}

static unsigned open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* The limit of open files is for such ports that have a host: a tap and its control socket. */
static void test_port_needs_no_more_files_than_the_limit_has(void **state)
{
	struct netio_ingress common;
	unsigned before;
	struct lab lab;
	char err[200];

	(void)state;
	/* A file that all ports have in common is open before. */
	assert_true(netio_ingress_take(&common, if_nametoindex("lo"), err, sizeof(err)));
	before = open_files();
	lab = open_ends(true);
	assert_true(driver.sets > 0);
	assert_in_range(open_files() - before, 2, 2 * (LIMITS_FILES_PER_PORT - 2));
	close_ends(&lab);
	assert_int_equal(open_files(), before);
	netio_ingress_release(&common);
}

static int64_t kernel_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return ns_of(now);
}

/* The kernel has the time of the NIC, in ns, later_ns after it. */
static void assert_is_between(int64_t before_ns, int64_t nic_ns, int64_t later_ns, int64_t after_ns)
{
	int64_t kernel_ns = nic_ns + later_ns + NIC_EPOCH_S * DCB_NS_PER_S;

	assert_true(before_ns <= kernel_ns && kernel_ns <= after_ns);
}

/*
 * Both times of a sent frame have its number, and those of a received one are of this frame. The
 * socket can have the copy of a frame later than the ring.
 */
static void test_frames_have_both_times(void **state)
{
	struct lab lab = open_ends(true);
	struct received r = {.io = lab.far_end};

	(void)state;
	assert_int_equal(driver.is.rx_filter, HWTSTAMP_FILTER_ALL);
	assert_true(asks_for_both(lab.near_end));
	prime(&lab);
	for (unsigned i = 1; i <= 1000 && r.n_by_nic < 10; i++) {
		int64_t before = kernel_now_ns();
		struct netio_stamping is = send_one(lab.near_end, ETH_TYPE_HMPDU);
		struct netio_stamp kernel = await_stamp(lab.near_end), by_nic;
		unsigned n = r.n_by_nic;

		assert_true(is.awaits_time && is.awaits_nic);
		assert_true(lab.near_end->ops->sent_at(lab.near_end, &by_nic));
		assert_true(!kernel.by_nic && by_nic.by_nic);
		assert_true(kernel.id == is.id && by_nic.id == is.id);
		assert_is_between(before, by_nic.nic_ns, -NIC_TRANSMIT_NS, kernel_now_ns());
		receive(&r, i);
		if (r.n_by_nic > n)
			assert_is_between(before, r.nic_ns, NIC_RECEIVE_NS, kernel_now_ns());
	}
	assert_int_equal(r.n_by_nic, 10);
	close_ends(&lab);
	assert_int_equal(driver.is.rx_filter, HWTSTAMP_FILTER_NONE);
}

/* Of many frames at once, each has its own time or none, and so have those after them. */
static void test_waiting_frames_have_their_own_times(void **state)
{
	struct lab lab = open_ends(true);
	struct received r = {.io = lab.far_end};
	unsigned n = 4 * NETIO_NIC_COPIES;

	(void)state;
	prime(&lab);
	for (unsigned i = 0; i < n; i++)
		send_one(lab.near_end, ETH_TYPE_HMPDU);
	receive(&r, n);
	assert_in_range(r.n_by_nic, 1, n);
	r.n_by_nic = 0;
	for (unsigned i = 1; i <= 1000 && r.n_by_nic == 0; i++) {
		send_one(lab.near_end, ETH_TYPE_HMPDU);
		receive(&r, n + i);
	}
	assert_int_equal(r.n_by_nic, 1);
	close_ends(&lab);
}

static void test_missing_times_are_none(void **state)
{
	struct lab lab = open_ends(true);
	struct received r = {.io = lab.far_end};
	struct netio_stamp stamp;

	(void)state;
	prime(&lab);
	nic.has_receive = nic.has_transmit = nic.has_later = false;
	send_one(lab.near_end, ETH_TYPE_HMPDU);
	assert_false(await_stamp(lab.near_end).by_nic);
	assert_false(lab.near_end->ops->sent_at(lab.near_end, &stamp));
	receive(&r, 1);
	assert_int_equal(r.n_by_nic, 0);
	/* Frames of another EtherType have no copy. */
	nic.has_receive = true;
	send_one(lab.near_end, ETH_TYPE_LLDP);
	receive(&r, 2);
	assert_int_equal(r.n_by_nic, 0);
	close_ends(&lab);
}

static void test_nic_is_not_asked_if_it_is_forbidden(void **state)
{
	struct lab lab = open_ends(false);
	struct received r = {.io = lab.far_end};
	struct netio_stamping is;

	(void)state;
	assert_int_equal(driver.sets, 0);
	assert_false(asks_for_both(lab.near_end));
	prime(&lab);
	is = send_one(lab.near_end, ETH_TYPE_HMPDU);
	assert_true(is.awaits_time && !is.awaits_nic);
	receive(&r, 1);
	assert_int_equal(r.n_by_nic, 0);
	close_ends(&lab);
	assert_int_equal(driver.sets, 0);
}

/* After a frame that was not sent, both times have the right numbers again. */
static void test_numbers_are_right_after_an_error(void **state)
{
	struct lab lab = open_ends(true);
	uint8_t f[2000] = {0};
	const struct iovec iov = {f, sizeof(f)};
	struct netio_stamping is = {0};
	struct netio_stamp stamp;
	unsigned n = 0;

	(void)state;
	prime(&lab);
	make_frame(f, ETH_TYPE_HMPDU);
	assert_int_equal(
	    lab.near_end->ops->send_stamped(lab.near_end, &iov, clock_now(), &is).refused, 1);
	nic.has_later = false;
	is = send_one(lab.near_end, ETH_TYPE_HMPDU);
	stamp = await_stamp(lab.near_end);
	do {
		assert_int_equal(stamp.id, is.id);
		n++;
	} while (lab.near_end->ops->sent_at(lab.near_end, &stamp));
	assert_int_equal(n, 2);
	close_ends(&lab);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nic_needs_clock_and_times_of_all_frames),
	    TEST(test_settings_are_changed_and_restored),
	    TEST(test_settings_of_others_and_errors_leave_the_kernel),
	    TEST(test_settings_that_suffice_stay),
	    TEST(test_later_settings_of_others_stay),
	    TEST(test_last_of_two_restores),
	    TEST(test_one_of_two_ports_on_a_nic_switches_it_off),
	    TEST(test_port_needs_no_more_files_than_the_limit_has),
	    TEST(test_frames_have_both_times),
	    TEST(test_waiting_frames_have_their_own_times),
	    TEST(test_missing_times_are_none),
	    TEST(test_nic_is_not_asked_if_it_is_forbidden),
	    TEST(test_numbers_are_right_after_an_error),
	};

	if (!own_netns_with_veth())
		return EXIT_SKIP;
	return cmocka_run_group_tests_name("netio_nic", tests, NULL, NULL);
}
