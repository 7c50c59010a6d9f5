/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to the kernel: over the responder, over a carrier whose datagrams a test writes, and to
 * this machine's kernel about interfaces without DCB.
 */
#include "dataplane/kernel/kernel_io.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/kernel/kernel_wire.h"
#include "tests/unit/kernel_cases.h"
#include "tests/unit/kernel_responder.h"
#include "tests/unit/own_netns.h"
#include "tests/unit/unit.h"

static struct kernel_responder *responder;
static struct kernel_io *io;
static struct dcbnl_port port;

/* --- over the responder -------------------------------------------------- */

static int open_responder(void **state)
{
	(void)state;
	responder = kernel_responder_new();
	kernel_responder_add(responder, "hw_works0", KERNEL_WORKS, "mlx5_core");
	kernel_responder_add(responder, "hw_resets0", KERNEL_WORKS, "mlx5_core");
	kernel_responder_add(responder, "hw_nosetter0", KERNEL_NO_SETTER, "bnxt_en");
	kernel_responder_add(responder, "hw_busy0", KERNEL_BUSY, "bnxt_en");
	kernel_responder_add(responder, "hw_firmware0", KERNEL_FIRMWARE, "ice");
	kernel_responder_add(responder, "hw_nodcb0", KERNEL_NO_DCB, "veth");
	io = kernel_responder_open(responder);
	return io ? 0 : -1;
}

static int close_responder(void **state)
{
	(void)state;
	kernel_io_destroy(io);
	kernel_responder_free(responder);
	return 0;
}

static void test_cases(void **state)
{
	char name[IF_NAMESIZE], buf[512];

	(void)state;
	/* Twice: a case leaves an interface as it was. */
	for (unsigned i = 0; i < 2 * kernel_cases_n; i++) {
		const struct kernel_case *c = &kernel_cases[i % kernel_cases_n];
		const char *why;

		snprintf(name, sizeof(name), "hw_%s0", c->kind);
		why = c->run(io, name, buf, sizeof(buf));
		if (why)
			fail_msg("%s, %s: %s", name, c->name, why);
	}
}

static int set_pfc(struct kernel_io *by, const char *name, uint8_t pfc_en)
{
	const struct ieee_pfc pfc = {.pfc_en = pfc_en};
	const struct dcbnl_change change = {.sets = DCBNL_PFC, .pfc = &pfc};

	return kernel_io_set(by, name, &change).error;
}

static void test_other_members(void **state)
{
	static const struct ieee_maxrate maxrate = {{1000, 2000}};
	static const struct dcbnl_buffer buffer = {{1, 1, 1}, {500, 600}, 1100};
	static const struct ieee_qcn qcn = {.rpg_ai_rate = {5}};
	const struct dcbnl_change change = {.sets = DCBNL_MAXRATE | DCBNL_BUFFER | DCBNL_QCN,
					    .maxrate = &maxrate,
					    .buffer = &buffer,
					    .qcn = &qcn};
	struct dcbnl_port now;

	(void)state;
	kernel_responder_read(responder, "hw_works0", &now);
	now.has |= DCBNL_QCN | DCBNL_QCN_STATS | DCBNL_PEER_PFC | DCBNL_PEER_APPS;
	now.peer_pfc.pfc_en = 0x40;
	now.peer_apps.n = 1;
	now.peer_apps.of[0] = (struct dcb_app){5, 3, 46};
	now.qcn_stats.rppp_created_rps[7] = 77;
	kernel_responder_write(responder, "hw_works0", &now, false);
	assert_int_equal(kernel_io_set(io, "hw_works0", &change).error, 0);
	assert_int_equal(kernel_io_get(io, "hw_works0", &port), 0);
	assert_int_equal(port.has, now.has);
	assert_memory_equal(&port.maxrate, &maxrate, sizeof(maxrate));
	assert_memory_equal(&port.buffer, &buffer, sizeof(buffer));
	assert_memory_equal(&port.qcn, &qcn, sizeof(qcn));
	assert_int_equal(port.qcn_stats.rppp_created_rps[7], 77);
	assert_int_equal(port.peer_pfc.pfc_en, 0x40);
	assert_int_equal(port.peer_apps.n, 1);
	assert_int_equal(port.peer_apps.of[0].protocol, 46);
	assert_int_equal(kernel_responder_changes(responder, "hw_works0"), 1);
}

static void test_dcbx_mode(void **state)
{
	const uint8_t host = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
	struct dcbnl_result result;

	(void)state;
	result = kernel_io_set_dcbx(io, "hw_works0", host);
	assert_int_equal(result.error, 0);
	assert_int_equal(result.status, 0);
	result = kernel_io_set_dcbx(io, "hw_works0", DCB_CAP_DCBX_VER_CEE);
	assert_int_equal(result.error, 0);
	assert_int_equal(result.status, 1);
	result = kernel_io_set_dcbx(io, "hw_firmware0", host);
	assert_int_equal(result.status, 1);
	assert_int_equal(kernel_io_set_dcbx(io, "hw_nosetter0", host).error, EOPNOTSUPP);
	assert_int_equal(kernel_io_get(io, "hw_works0", &port), 0);
	assert_int_equal(port.dcbx, host);
}

/* Without privilege an interface can be read. */
static void test_without_privilege(void **state)
{
	static const struct dcb_app app = {1, 3, 0x8906};

	(void)state;
	kernel_responder_permit(responder, false);
	assert_int_equal(set_pfc(io, "hw_works0", 8), EPERM);
	assert_int_equal(kernel_io_drop_apps(io, "hw_works0", &app, 1).error, EPERM);
	assert_int_equal(kernel_io_set_dcbx(io, "hw_works0", 9).error, EPERM);
	assert_int_equal(kernel_io_get(io, "hw_works0", &port), 0);
	assert_int_equal(port.pfc.pfc_en, 0);
	assert_int_equal(kernel_responder_changes(responder, "hw_works0"), 0);
	kernel_responder_permit(responder, true);
	assert_int_equal(set_pfc(io, "hw_works0", 8), 0);
}

/* Returns whether fd() is readable. */
static bool is_readable(void)
{
	struct pollfd pfd = {.fd = kernel_io_fd(io), .events = POLLIN};

	return poll(&pfd, 1, 0) == 1;
}

/* Changes of another program, of firmware, and of this one. */
static void test_notifications(void **state)
{
	struct kernel_io *other = kernel_responder_open(responder);
	char name[IF_NAMESIZE];

	(void)state;
	assert_non_null(other);
	assert_false(is_readable());
	assert_false(kernel_io_changed(io, name));
	assert_int_equal(set_pfc(other, "hw_works0", 8), 0);
	assert_int_equal(set_pfc(io, "hw_busy0", 8), EBUSY);
	kernel_responder_read(responder, "hw_firmware0", &port);
	port.pfc.pfc_en = 0x10;
	kernel_responder_write(responder, "hw_firmware0", &port, true);
	assert_true(is_readable());
	assert_true(kernel_io_changed(io, name));
	assert_string_equal(name, "hw_works0");
	assert_true(kernel_io_changed(io, name));
	assert_string_equal(name, "hw_busy0");
	assert_true(kernel_io_changed(io, name));
	assert_string_equal(name, "hw_firmware0");
	assert_false(kernel_io_changed(io, name));
	assert_false(is_readable());
	assert_int_equal(kernel_io_get(io, "hw_firmware0", &port), 0);
	assert_int_equal(port.pfc.pfc_en, 0x10);
	kernel_io_destroy(other);
}

static void test_lost_notifications(void **state)
{
	char name[IF_NAMESIZE] = "x";

	(void)state;
	assert_int_equal(set_pfc(io, "hw_works0", 8), 0);
	kernel_responder_lose(responder);
	assert_true(is_readable());
	assert_true(kernel_io_changed(io, name));
	assert_string_equal(name, "");
	assert_false(kernel_io_changed(io, name));
	/* More than the kernel keeps. */
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(set_pfc(io, "hw_works0", 8), 0);
	assert_true(kernel_io_changed(io, name));
	assert_string_equal(name, "");
	while (kernel_io_changed(io, name))
		assert_string_equal(name, "hw_works0");
	assert_false(is_readable());
}

static void rename_first(void *ctx, const char *name, uint8_t cmd)
{
	(void)ctx;
	assert_string_equal(name, "hw_works0");
	assert_int_equal(cmd, DCB_CMD_IEEE_SET);
	kernel_responder_hook(responder, NULL, NULL);
	kernel_responder_rename(responder, "hw_works0", "other0");
	kernel_responder_add(responder, "hw_works0", KERNEL_WORKS, "mlx5_core");
}

/* A request goes to the interface that has the name then: its ifIndex tells. */
static void test_rename(void **state)
{
	uint32_t before = kernel_io_ifindex(io, "hw_works0");

	(void)state;
	kernel_responder_hook(responder, rename_first, NULL);
	assert_int_equal(set_pfc(io, "hw_works0", 8), 0);
	assert_int_not_equal(kernel_io_ifindex(io, "hw_works0"), before);
	assert_int_equal(kernel_io_ifindex(io, "other0"), before);
	assert_int_equal(kernel_io_get(io, "other0", &port), 0);
	assert_int_equal(port.pfc.pfc_en, 0);
	kernel_responder_remove(responder, "other0");
	assert_int_equal(kernel_io_get(io, "other0", &port), ENODEV);
	assert_int_equal(port.has, 0);
}

/* --- over datagrams of a test -------------------------------------------- */

#define PORT 4711

static struct {
	struct kernel_wire base;
	struct {
		uint32_t octets[64];
		ssize_t len; /* or a negative errno */
	} datagrams[8], *last;
	unsigned n, read;
	uint32_t seq; /* of the next request */
	int sends;    /* error of the next request */
	int waited_ms;
	bool destroyed;
} wire;

static int wire_send(struct kernel_wire *w, const void *request, size_t len)
{
	uint32_t seq;

	(void)w;
	assert_true(len > 20);
	memcpy(&seq, (const char *)request + 8, sizeof(seq));
	assert_int_equal(seq, wire.seq);
	wire.seq++;
	return wire.sends;
}

static ssize_t wire_receive(struct kernel_wire *w, void *buf, size_t size, int ms)
{
	(void)w;
	assert_true(ms >= 0 && ms <= 30000);
	wire.waited_ms = ms;
	if (wire.read == wire.n)
		return -ETIMEDOUT;
	wire.last = &wire.datagrams[wire.read++];
	if (wire.last->len > 0) {
		assert_true((size_t)wire.last->len <= size);
		memcpy(buf, wire.last->octets, (size_t)wire.last->len);
	}
	return wire.last->len;
}

static ssize_t wire_receive_group(struct kernel_wire *w, void *buf, size_t size)
{
	ssize_t n = wire_receive(w, buf, size, 0);

	return n == -ETIMEDOUT ? -EAGAIN : n;
}

static void wire_destroy(struct kernel_wire *w)
{
	(void)w;
	wire.destroyed = true;
}

static const struct kernel_wire_ops wire_ops = {
    .send = wire_send,
    .receive = wire_receive,
    .receive_group = wire_receive_group,
    .destroy = wire_destroy,
};

static int open_wire(void **state)
{
	(void)state;
	memset(&wire, 0, sizeof(wire));
	wire.base = (struct kernel_wire){.ops = &wire_ops, .port = PORT};
	wire.seq = 1;
	io = kernel_io_over(&wire.base);
	return io ? 0 : -1;
}

static int close_wire(void **state)
{
	(void)state;
	kernel_io_destroy(io);
	return wire.destroyed ? 0 : -1;
}

static void failed_read(int error)
{
	wire.datagrams[wire.n++].len = -error;
}

/* Adds a message to the datagram that is not yet complete. */
static void message(uint16_t type, uint32_t seq, uint32_t pid, const void *octets, size_t len)
{
	struct nlmsghdr header = {.nlmsg_len = (uint32_t)(sizeof(header) + len),
				  .nlmsg_type = type,
				  .nlmsg_seq = seq,
				  .nlmsg_pid = pid};
	char *at = (char *)wire.datagrams[wire.n].octets + wire.datagrams[wire.n].len;

	assert_true(wire.n < UNIT_COUNT(wire.datagrams));
	memcpy(at, &header, sizeof(header));
	memcpy(at + sizeof(header), octets, len);
	wire.datagrams[wire.n].len += (ssize_t)((header.nlmsg_len + 3) & ~3u);
	assert_true((size_t)wire.datagrams[wire.n].len <= sizeof(wire.datagrams[0].octets));
}

static void ack(int error, uint32_t seq, uint32_t pid)
{
	const struct nlmsgerr a = {.error = -error};

	message(NLMSG_ERROR, seq, pid, &a, sizeof(a));
}

static void result(uint8_t octet, uint32_t seq, uint32_t pid)
{
	const uint16_t attribute[2] = {5, DCB_ATTR_IEEE};
	uint8_t octets[12] = {0, DCB_CMD_IEEE_SET};

	memcpy(octets + 4, attribute, sizeof(attribute));
	octets[8] = octet;
	message(RTM_SETDCB, seq, pid, octets, sizeof(octets));
}

static void is_port(const char *name, uint32_t seq, uint32_t pid)
{
	const uint16_t attribute[2] = {20, DCB_ATTR_IFNAME};
	char octets[24] = {0, DCB_CMD_IEEE_GET};

	memcpy(octets + 4, attribute, sizeof(attribute));
	strncpy(octets + 8, name, 15);
	message(RTM_GETDCB, seq, pid, octets, sizeof(octets));
}

static void end_datagram(void)
{
	wire.n++;
}

static void test_answers_of_others_are_skipped(void **state)
{
	(void)state;
	result(250, 1, PORT + 1); /* of another program */
	end_datagram();
	result(240, 1, 0); /* a notification has port 0 */
	ack(0, 1, 0);
	end_datagram();
	ack(ENODEV, 0, PORT); /* of an earlier request */
	end_datagram();
	memset(wire.datagrams[wire.n].octets, 0xff, 40); /* malformed */
	wire.datagrams[wire.n].len = 40;
	end_datagram();
	result(240, 1, PORT);
	ack(0, 1, PORT);
	end_datagram();
	assert_int_equal(set_pfc(io, "swp1", 8), EBUSY);
	assert_int_equal(wire.read, wire.n);
	/* The next request has another number: this is a late acknowledgment. */
	ack(ENODEV, 1, PORT);
	end_datagram();
	result(0, 2, PORT);
	end_datagram();
	ack(0, 2, PORT);
	end_datagram();
	assert_int_equal(set_pfc(io, "swp1", 8), 0);
}

/* An acknowledgment alone says nothing of the driver's result, or what an interface has. */
static void test_incomplete_answers(void **state)
{
	(void)state;
	ack(0, 1, PORT);
	end_datagram();
	assert_int_equal(set_pfc(io, "swp1", 8), EPROTO);
	ack(0, 2, PORT);
	end_datagram();
	assert_int_equal(kernel_io_get(io, "swp1", &port), EPROTO);
	is_port("swp1", 3, PORT);
	end_datagram();
	ack(0, 3, PORT);
	end_datagram();
	assert_int_equal(kernel_io_get(io, "swp1", &port), 0);
	/* A result before an error of the kernel does not count. */
	result(0, 4, PORT);
	ack(EOPNOTSUPP, 4, PORT);
	end_datagram();
	assert_int_equal(set_pfc(io, "swp1", 8), EOPNOTSUPP);
}

static void test_no_answer(void **state)
{
	(void)state;
	assert_int_equal(set_pfc(io, "swp1", 8), ETIMEDOUT);
	assert_in_range(wire.waited_ms, 29000, 30000);
	result(0, 2, PORT); /* without acknowledgment */
	end_datagram();
	assert_int_equal(set_pfc(io, "swp1", 8), ETIMEDOUT);
	assert_int_equal(kernel_io_get(io, "swp1", &port), ETIMEDOUT);
	failed_read(ENOBUFS);
	assert_int_equal(kernel_io_get(io, "swp1", &port), ENOBUFS);
	wire.sends = ECONNREFUSED;
	assert_int_equal(set_pfc(io, "swp1", 8), ECONNREFUSED);
	assert_int_equal(wire.read, wire.n);
}

static void test_datagrams_of_the_group(void **state)
{
	char name[IF_NAMESIZE] = "x";

	(void)state;
	memset(wire.datagrams[wire.n].octets, 0xff, 40); /* malformed */
	wire.datagrams[wire.n].len = 40;
	end_datagram();
	result(0, 0, 0); /* names no interface */
	end_datagram();
	is_port("swp1", 0, 0);
	end_datagram();
	failed_read(ENOBUFS);
	is_port("swp2", 0, 0);
	end_datagram();
	assert_true(kernel_io_changed(io, name));
	assert_string_equal(name, "swp1");
	assert_true(kernel_io_changed(io, name));
	assert_string_equal(name, "");
	assert_true(kernel_io_changed(io, name));
	assert_string_equal(name, "swp2");
	assert_false(kernel_io_changed(io, name));
}

/* --- of this machine's kernel -------------------------------------------- */

static int open_kernel(void **state)
{
	char err[128];

	(void)state;
	io = kernel_io_open(err, sizeof(err));
	if (!io)
		print_error("%s\n", err);
	return io ? 0 : -1;
}

static int close_kernel(void **state)
{
	(void)state;
	kernel_io_destroy(io);
	return 0;
}

/*
 * Errors of the kernel itself: with CONFIG_DCB it knows the names of interfaces, and permits
 * nothing to root of a user namespace; without, it knows no such request.
 */
static void test_errors_of_the_kernel(void **state)
{
	int missing = kernel_io_get(io, "none0", &port);
	bool has_dcb = missing == ENODEV;
	char name[IF_NAMESIZE];

	(void)state;
	assert_int_equal(missing, has_dcb ? ENODEV : EOPNOTSUPP);
	assert_int_equal(kernel_io_get(io, "lo", &port), EOPNOTSUPP);
	assert_int_equal(set_pfc(io, "lo", 8), has_dcb ? EPERM : EOPNOTSUPP);
	assert_int_equal(kernel_io_ifindex(io, "lo"), 1);
	assert_int_equal(kernel_io_ifindex(io, "none0"), 0);
	assert_true(kernel_io_fd(io) >= 0);
	assert_false(kernel_io_changed(io, name));
}

/* There are more counters than the request has room for: the kernel writes none behind its end. */
static void test_counters_of_the_kernel(void **state)
{
	struct kernel_driver_info info;
	struct kernel_names names;
	uint64_t values[256];
	int n;

	(void)state;
	assert_int_equal(system("ip link add near type veth peer name far"), 0);
	assert_int_equal(kernel_io_driver(io, "near", &info), 0);
	assert_string_equal(info.driver, "veth");
	assert_string_equal(info.version, "1.0");
	n = kernel_io_count(io, "near");
	assert_in_range(n, 2, UNIT_COUNT(values) - 1);
	assert_int_equal(kernel_io_names(io, "near", &names), 0);
	assert_int_equal(names.n, n);
	assert_string_equal(names.of[0], "peer_ifindex");
	free(names.of);
	memset(values, 0xff, sizeof(values));
	assert_int_equal(kernel_io_values(io, "near", values, (unsigned)n), n);
	assert_int_equal(values[0], kernel_io_ifindex(io, "far"));
	assert_true(values[n] == UINT64_MAX);
	for (int room = 0; room < n; room++)
		assert_int_equal(kernel_io_values(io, "near", values, (unsigned)room), n);
	assert_int_equal(kernel_io_values(io, "near", values, (unsigned)n + 1), n);
	assert_int_equal(kernel_io_values(io, "none0", values, 1), -ENODEV);
	assert_int_equal(kernel_io_count(io, "lo"), 0);
	assert_int_equal(kernel_io_names(io, "lo", &names), 0);
	assert_int_equal(names.n, 0);
	assert_null(names.of);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
#define OVER(what, test) cmocka_unit_test_setup_teardown(test, open_##what, close_##what)
	    OVER(responder, test_cases),
	    OVER(responder, test_other_members),
	    OVER(responder, test_dcbx_mode),
	    OVER(responder, test_without_privilege),
	    OVER(responder, test_notifications),
	    OVER(responder, test_lost_notifications),
	    OVER(responder, test_rename),
	    OVER(wire, test_answers_of_others_are_skipped),
	    OVER(wire, test_incomplete_answers),
	    OVER(wire, test_no_answer),
	    OVER(wire, test_datagrams_of_the_group),
	    OVER(kernel, test_errors_of_the_kernel),
	    OVER(kernel, test_counters_of_the_kernel),
#undef OVER
	};

	if (!own_netns_with_veth())
		return EXIT_SKIP;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
