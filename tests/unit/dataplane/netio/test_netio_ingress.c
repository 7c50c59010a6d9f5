/* SPDX-License-Identifier: BSD-3-Clause */
/* The host gets no frame of a taken interface, packet sockets do, and one process can take it. */
#include "dataplane/core/eth.h"
#include "dataplane/netio/netio_ingress.h"
#include "lib/octets.h"
#include "tests/unit/own_netns.h"
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define ARP_OCTETS 42
#define WAIT_MS    10000

/* The host has addresses 10.9.0.1 and 10.9.0.2 at wire; far is the network. */
static struct {
	int far, wire; /* packet sockets */
	uint32_t ifindex;
} lab;

static int packet_socket(const char *ifname, uint16_t protocol)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(protocol));
	struct sockaddr_ll at = {
	    .sll_family = AF_PACKET,
	    .sll_protocol = htons(protocol),
	    .sll_ifindex = (int)if_nametoindex(ifname),
	};

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

/* Sends until the other end receives: carrier and queue of the kernel follow "up" later. */
static void await_link(int from, int to)
{
	static const uint8_t f[64] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0xb5};
	struct pollfd pfd = {.fd = to, .events = POLLIN};
	uint8_t got[2048];

	for (int ms = 0; ms < WAIT_MS; ms += 10) {
		assert_int_equal(send(from, f, sizeof(f), 0), sizeof(f));
		while (poll(&pfd, 1, 10) == 1)
			if (recv(to, got, sizeof(got), 0) == sizeof(f) &&
			    get_be16(got + ETH_TYPE_OFFSET) == 0x88b5)
				return;
	}
	fail_msg("no frame passes");
}

static void await_both_ways(void)
{
	await_link(lab.far, lab.wire);
	await_link(lab.wire, lab.far);
}

static int set_up(void **state)
{
	(void)state;
	assert_int_equal(
	    system("ip link add wire type veth peer name far && "
		   "ip link set wire up && ip link set far up && "
		   "ip addr add 10.9.0.1/24 dev wire && ip addr add 10.9.0.2/24 dev wire"),
	    0);
	lab.ifindex = if_nametoindex("wire");
	lab.far = packet_socket("far", ETH_P_ALL);
	lab.wire = packet_socket("wire", ETH_P_ALL);
	await_both_ways();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(lab.far);
	close(lab.wire);
	return system("ip link del wire") ? -1 : 0;
}

/* Asks from the network, as 10.9.0.9, for the address 10.9.0.last. */
static void ask(uint8_t last)
{
	static const uint8_t head[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0,
				       9,    0x08, 0x06, 0,    1,    8,    0, 6, 4, 0, 1};
	uint8_t f[ARP_OCTETS] = {0};

	memcpy(f, head, sizeof(head));
	memcpy(f + 22, (uint8_t[]){2, 0, 0, 0, 0, 9, 10, 9, 0, 9}, 10);
	memcpy(f + 38, (uint8_t[]){10, 9, 0, last}, 4);
	assert_int_equal(send(lab.far, f, sizeof(f), 0), sizeof(f));
}

/*
 * Receives until a frame with this ARP operation about 10.9.0.last: its target in a request, its
 * sender in an answer. Returns how many such frames about 10.9.0.other came before.
 */
static unsigned await(int fd, uint16_t operation, uint8_t last, uint8_t other)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	unsigned others = 0;
	uint8_t f[2048];

	for (;;) {
		uint32_t at = operation == 1 ? 38 : 28;

		assert_int_equal(poll(&pfd, 1, WAIT_MS), 1);
		if (recv(fd, f, sizeof(f), 0) < ARP_OCTETS ||
		    get_be16(f + ETH_TYPE_OFFSET) != 0x0806 || get_be16(f + 20) != operation)
			continue;
		if (f[at + 3] == last)
			return others;
		others += f[at + 3] == other;
	}
}

static void take(struct netio_ingress *in)
{
	char err[200] = "";

	if (!netio_ingress_take(in, lab.ifindex, err, sizeof(err)))
		fail_msg("%s", err);
	assert_int_equal(in->ifindex, lab.ifindex);
}

static void test_host_gets_no_frame(void **state)
{
	struct netio_ingress one, two;

	(void)state;
	assert_int_equal(netio_ingress_check(), 0);
	ask(1);
	(void)await(lab.far, 2, 1, 0);
	take(&one);
	assert_int_equal(netio_ingress_check(), 0);
	take(&two);
	(void)await(lab.wire, 2, 1, 0);
	for (unsigned i = 0; i < 10; i++)
		ask(1);
	ask(2);
	assert_int_equal(await(lab.wire, 1, 2, 1), 10); /* packet sockets receive them */
	netio_ingress_release(&one);
	ask(1); /* the other one still has them */
	netio_ingress_release(&two);
	ask(2);
	assert_int_equal(await(lab.far, 2, 2, 1), 0);
}

/* Sockets of one EtherType are behind the hook: those of LACP programs, and of our HMPDUs. */
static void test_frames_of_the_link_pass(void **state)
{
	static const uint8_t lacp[64] = {0x01, 0x80, 0xc2, 0, 0,    2,    2, 0,
					 0,    0,    0,    9, 0x88, 0x09, 1};
	static const uint8_t other[64] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0x09, 2};
	static const uint8_t hmpdu[64] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x89, 0xa2, 3};
	int slow = packet_socket("wire", 0x8809), hm = packet_socket("wire", ETH_TYPE_HMPDU);
	struct netio_ingress in;
	uint8_t f[128];

	(void)state;
	take(&in);
	assert_int_equal(send(lab.far, other, sizeof(other), 0), sizeof(other));
	assert_int_equal(send(lab.far, lacp, sizeof(lacp), 0), sizeof(lacp));
	assert_int_equal(send(lab.far, hmpdu, sizeof(hmpdu), 0), sizeof(hmpdu));
	assert_int_equal(recv(slow, f, sizeof(f), 0), sizeof(lacp));
	assert_int_equal(f[14], 1);
	assert_int_equal(recv(hm, f, sizeof(f), 0), sizeof(hmpdu));
	netio_ingress_release(&in);
	close(slow);
	close(hm);
}

static void test_rename_changes_nothing(void **state)
{
	struct netio_ingress in;

	(void)state;
	take(&in);
	assert_int_equal(system("ip link set wire down && ip link set wire name other && "
				"ip link set other up && ip addr replace 10.9.0.1/24 dev other"),
			 0);
	netio_ingress_renamed(&in);
	netio_ingress_renamed(&in);
	await_both_ways();
	ask(1);
	netio_ingress_release(&in);
	assert_int_equal(system("ip link set other down && ip link set other name wire && "
				"ip link set wire up"),
			 0);
	await_both_ways();
	ask(2);
	assert_int_equal(await(lab.far, 2, 2, 1), 0);
}

static void test_deleted_interface_can_be_released(void **state)
{
	struct netio_ingress in;
	char err[200];

	(void)state;
	assert_int_equal(system("ip link add brief type veth peer name gone"), 0);
	assert_true(netio_ingress_take(&in, if_nametoindex("brief"), err, sizeof(err)));
	assert_int_equal(system("ip link del brief"), 0);
	netio_ingress_release(&in);
	assert_true(netio_ingress_take(&in, 1000000, err, sizeof(err)));
	assert_int_equal(in.ifindex, 0);
	netio_ingress_release(&in);
}

static char setting(const char *path)
{
	FILE *file = fopen(path, "re");
	int digit = file ? fgetc(file) : 'x';

	if (file)
		fclose(file);
	return (char)digit;
}

/* Without nf_tables: the host's IP does not process the frames. */
static void test_settings_of_ip_are_restored(void **state)
{
	static const char rp_filter[] = "/proc/sys/net/ipv4/conf/wire/rp_filter";
	static const char ipv6[] = "/proc/sys/net/ipv6/conf/wire/disable_ipv6";
	char was = setting(rp_filter), had_ipv6 = setting(ipv6);
	struct netio_host_off q = {0};

	(void)state;
	netio_host_off_end(&q); /* nothing was begun */
	if (access(rp_filter, W_OK) != 0) {
		print_message("not tested: %s: %s\n", rp_filter, strerror(errno));
		return;
	}
	netio_host_off_begin(&q, lab.ifindex);
	assert_int_equal(setting(rp_filter), '1');
	assert_true(setting(ipv6) == '1' || setting(ipv6) == 'x');
	netio_host_off_end(&q);
	assert_int_equal(setting(rp_filter), was);
	assert_int_equal(setting(ipv6), had_ipv6);
}

/* Takes the interface, says so by a byte, and waits to be killed. */
static pid_t other_process(void)
{
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct netio_ingress in;
		char err[200];

		if (!netio_ingress_take(&in, lab.ifindex, err, sizeof(err)) || !in.ifindex)
			_exit(1);
		(void)!write(ready[1], "r", 1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void test_another_process_is_refused(void **state)
{
	struct netio_ingress in;
	char err[200], expected[200];
	pid_t pid = other_process();

	(void)state;
	assert_false(netio_ingress_take(&in, lab.ifindex, err, sizeof(err)));
	snprintf(expected, sizeof(expected),
		 "another dcbd, process %d, receives the frames of this interface", (int)pid);
	assert_string_equal(err, expected);
	netio_ingress_release(&in);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	take(&in);
	netio_ingress_release(&in);
	ask(1);
	(void)await(lab.far, 2, 1, 0);
}

UNIT_MAIN
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(test_host_gets_no_frame),         TEST(test_frames_of_the_link_pass),
	    TEST(test_rename_changes_nothing),     TEST(test_deleted_interface_can_be_released),
	    TEST(test_another_process_is_refused), TEST(test_settings_of_ip_are_restored),
	};

	if (!own_netns_with_veth())
		return EXIT_SKIP;
	return cmocka_run_group_tests_name("netio_ingress", tests, NULL, NULL);
}
