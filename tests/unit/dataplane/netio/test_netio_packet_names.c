/* SPDX-License-Identifier: BSD-3-Clause */
/* Interfaces that netio_packet opens: their names while others take them, and their offloads. */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dataplane/netio/netio.h"
#include "tests/unit/dataplane/netio/veth_lab.h"
#include "tests/unit/own_netns.h"

static void test_removed_interface_is_enxio(void **state)
{
	struct lab *lab = *state;
	uint8_t f[64];
	int error;

	make_frame(f, false, sizeof(f));
	command("ip link del near");
	assert_int_equal(recv_until_error(lab->near_end), -ENXIO);
	error = send_one(lab->near_end, f, sizeof(f)).error;
	assert_true(error == ENXIO || error == ENETDOWN);
}

/* Opens the interface that has the ifIndex, with a name of the past. */
static struct netio *open_index(const char *ifname, uint32_t ifindex, char *err, size_t errlen)
{
	const struct netio_packet_params params = {
	    .ifname = ifname,
	    .ifindex = ifindex,
	    .mtu = 1500,
	    .frame_octets = FRAME_OCTETS,
	};

	return netio_packet_open(&params, err, errlen);
}

static uint32_t bound_to(int fd)
{
	struct sockaddr_ll addr = {0};
	socklen_t len = sizeof(addr);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	return (uint32_t)addr.sll_ifindex;
}

/* An interface whose name another interface has now is opened by its ifIndex. */
static void test_name_of_another_interface(void **state)
{
	uint32_t near_index = if_nametoindex("near");
	struct lab *lab = *state;
	char err[256] = "";
	struct netio *io;
	uint8_t f[64];

	command(
	    "ip link set near down && ip link set near name moved && ip link set moved up && "
	    "ip link add near type veth peer name near2 && ip link set near up");
	io = open_index("near", near_index, err, sizeof(err));
	assert_string_equal(err, "");
	assert_int_equal(bound_to(io->recv_fd), near_index);
	assert_int_equal(bound_to(io->send_fd), near_index);
	make_frame(f, false, sizeof(f));
	send_until_seen(lab->far_end, io, f, sizeof(f));
	send_until_seen(io, lab->far_end, f, sizeof(f));
	io->ops->close(io);
	command("ip link del near");
}

/* An interface that is down is not gone; under another name it receives again. */
static void test_renamed_interface_receives(void **state)
{
	struct lab *lab = *state;
	uint8_t f[64];

	make_frame(f, false, sizeof(f));
	command("ip link set near down && ip link set near name moved");
	assert_int_equal(recv_until_error(lab->near_end), -ENETDOWN);
	command("ip link set moved up");
	send_until_seen(lab->far_end, lab->near_end, f, sizeof(f));
	send_until_seen(lab->near_end, lab->far_end, f, sizeof(f));
	command("ip link set moved down && ip link set moved name near");
}

static void rename_link(int fd, const char *from, const char *to)
{
	struct ifreq ifr = {0};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", from);
	snprintf(ifr.ifr_newname, sizeof(ifr.ifr_newname), "%s", to);
	(void)ioctl(fd, SIOCSIFNAME, &ifr); /* EBUSY before Linux 6.2 if it is up */
}

/* Exchanges the names of near and other until it is killed. */
static pid_t start_exchanges(void)
{
	pid_t pid = fork();
	int fd;

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	while (true) {
		rename_link(fd, "near", "swap");
		rename_link(fd, "other", "near");
		rename_link(fd, "swap", "other");
		usleep(1000);
	}
}

/* While names move, an interface is opened correctly or not at all. */
static void test_names_that_move_while_opening(void **state)
{
	uint32_t index[2];
	unsigned opened = 0;
	char err[256] = "";
	struct netio *io;
	pid_t pid;

	(void)state;
	command("ip link add other type veth peer name other2 && ip link set other up");
	index[0] = if_nametoindex("near");
	index[1] = if_nametoindex("other");
	pid = start_exchanges();
	for (int i = 0; i < 60; i++) {
		io = open_index("near", index[i % 2], err, sizeof(err));
		if (!io)
			continue;
		opened++;
		assert_int_equal(bound_to(io->recv_fd), index[i % 2]);
		io->ops->close(io);
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	print_message("%u of 60 attempts opened the interface, last error: %s\n", opened, err);
	io = open_index("near", index[0], err, sizeof(err));
	assert_non_null(io);
	assert_int_equal(bound_to(io->recv_fd), index[0]);
	io->ops->close(io);
	command("ip link del other2");
}

static uint32_t offload(const char *ifname)
{
	struct ethtool_value value = {.cmd = ETHTOOL_GGRO};
	struct ifreq ifr = {.ifr_data = (char *)&value};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", ifname);
	assert_int_equal(ioctl(fd, SIOCETHTOOL, &ifr), 0);
	close(fd);
	return value.data;
}

/* The last one that closes an interface restores its offloads, under the name it has then. */
static void test_offloads_of_reopened_interface(void **state)
{
	struct ethtool_value on = {.cmd = ETHTOOL_SGRO, .data = 1};
	struct ifreq ifr = {.ifr_name = "other", .ifr_data = (char *)&on};
	struct netio *first, *second;
	char err[256] = "";
	uint32_t index;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)state;
	command("ip link add other type veth peer name other2 && ip link set other up");
	index = if_nametoindex("other");
	assert_int_equal(ioctl(fd, SIOCETHTOOL, &ifr), 0);
	close(fd);
	first = open_index("other", index, err, sizeof(err));
	assert_non_null(first);
	assert_int_equal(offload("other"), 0);
	command("ip link set other down && ip link set other name moved && ip link set moved up");
	second = open_index("moved", index, err, sizeof(err));
	assert_non_null(second);
	netio_packet_inherit(second, first);
	first->ops->close(first);
	assert_int_equal(offload("moved"), 0);
	command("ip link set moved down && ip link set moved name again && ip link set again up");
	second->ops->close(second);
	assert_int_equal(offload("again"), 1);
	command("ip link del other2");
}

static void test_open_error_names_interface(void **state)
{
	struct netio_packet_params params = {
	    .ifname = "none", .ifindex = 9999, .frame_octets = 1600};
	char err[256] = "";

	(void)state;
	assert_null(netio_packet_open(&params, err, sizeof(err)));
	assert_non_null(strstr(err, "none: "));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_removed_interface_is_enxio),
	    TEST(test_name_of_another_interface),
	    TEST(test_renamed_interface_receives),
	    TEST(test_names_that_move_while_opening),
	    TEST(test_offloads_of_reopened_interface),
	    cmocka_unit_test(test_open_error_names_interface),
	};

	if (!own_netns_with_veth())
		return EXIT_SKIP;
	return cmocka_run_group_tests_name("netio_packet", tests, NULL, NULL);
}
