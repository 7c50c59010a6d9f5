/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ifmon with the kernel, in its own network namespace, where ip(8) creates and
 * changes veth pairs. Exits with status 77 if namespaces are not permitted.
 */
#include "control/host/ifmon.h"

#include <errno.h>
#include <event2/event.h>
#include <sched.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#include "lib/log.h"
#include "lib/clock.h"
#include "tests/unit/own_netns.h"

#define DEADLINE_NS (100 * DCB_NS_PER_S)
#define LINKS_MAX   4096

struct world {
	struct event_base *base;
	struct ifmon *mon;
	struct link_info links[LINKS_MAX]; /* ifindex 0: free */
	struct link_host va;               /* of the interface "va" */
	unsigned calls_link, calls_gone;
	unsigned without_driver; /* reports of these */
};

static void on_link(void *ctx, const struct link_info *link, const struct link_host *host)
{
	struct world *w = ctx;
	struct link_info *slot = NULL;

	w->calls_link++;
	w->without_driver += !link->driver[0];
	for (size_t i = 0; i < LINKS_MAX; i++) {
		if (w->links[i].ifindex == link->ifindex) {
			slot = &w->links[i];
			break;
		}
		/* Before a name is reported again, its former interface is reported as gone. */
		if (w->links[i].ifindex)
			assert_string_not_equal(w->links[i].name, link->name);
		else if (!slot)
			slot = &w->links[i];
	}
	assert_non_null(slot);
	*slot = *link;
	if (strcmp(link->name, "va") == 0)
		w->va = *host;
}

static void on_gone(void *ctx, uint32_t ifindex)
{
	struct world *w = ctx;

	w->calls_gone++;
	for (size_t i = 0; i < LINKS_MAX; i++) {
		if (w->links[i].ifindex == ifindex) {
			w->links[i].ifindex = 0;
			return;
		}
	}
	fail_msg("gone: interface %u was never reported", ifindex);
}

static const struct ifmon_ops ops = {.link = on_link, .gone = on_gone};

static const struct link_info *named(const struct world *w, const char *name)
{
	for (size_t i = 0; i < LINKS_MAX; i++) {
		if (w->links[i].ifindex && strcmp(w->links[i].name, name) == 0)
			return &w->links[i];
	}
	return NULL;
}

/* Runs ip(8) with these arguments. Fails the test if ip fails. */
__attribute__((format(printf, 1, 2))) static void ip(const char *fmt, ...)
{
	char cmd[256] = "ip ";
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd + 3, sizeof(cmd) - 3, fmt, ap);
	va_end(ap);
	if (system(cmd) != 0)
		fail_msg("%s", cmd);
}

/* Runs the event loop until the condition is true. Fails the test at the deadline. */
#define until(w, cond)                                                               \
	do {                                                                         \
		struct dcb_time end_ = dcb_time_add_ns(clock_now(), DEADLINE_NS);    \
		while (!(cond)) {                                                    \
			if (dcb_time_before(end_, clock_now()))                      \
				fail_msg("not true within the deadline: %s", #cond); \
			turn(w);                                                     \
		}                                                                    \
	} while (0)

static void turn(struct world *w)
{
	struct timeval tick = {.tv_usec = 10000};

	event_base_loopexit(w->base, &tick);
	event_base_dispatch(w->base);
}

/*
 * Waits until ifmon has reported all changes so far: changes the alias of the interface
 * "fence" and waits until that is reported.
 */
static void barrier(struct world *w)
{
	static unsigned n;

	ip("link set dev fence alias mark%u", ++n);
	for (;;) {
		const struct link_info *l = named(w, "fence");
		char want[16];

		snprintf(want, sizeof(want), "mark%u", n);
		until(w, (l = named(w, "fence")) != NULL);
		if (strcmp(l->alias, want) == 0)
			return;
		turn(w);
	}
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	char err[128];

	assert_non_null(w);
	ip("link add fence type veth peer name fence2");
	ip("link set dev fence up"); /* if down, the kernel does not announce its alias */
	ip("link add va type veth peer name vb");
	w->base = event_base_new();
	assert_non_null(w->base);
	w->mon = ifmon_new(w->base, &ops, w, err, sizeof(err));
	if (!w->mon)
		fail_msg("%s", err);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	ifmon_free(w->mon);
	event_base_free(w->base);
	free(w);
	ip("link del fence");
	if (system("ip link del va 2>/dev/null || ip link del vb 2>/dev/null || true") != 0)
		return -1;
	return 0;
}

static void test_dump_reports_each_interface_once(void **state)
{
	static const uint8_t none[DCB_MAC_OCTETS];
	struct world *w = *state;
	const struct link_info *a = named(w, "va"), *b = named(w, "vb");

	/* ifmon_new() reported each interface once. Loopback is not an Ethernet interface. */
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(w->calls_link, 4);
	assert_null(named(w, "lo"));
	assert_int_equal(a->ifindex, if_nametoindex("va"));
	assert_int_equal(a->mtu, 1500);
	assert_false(a->up);
	assert_string_equal(a->alias, "");
	assert_memory_not_equal(a->mac, none, sizeof(none));
	assert_memory_not_equal(a->mac, b->mac, sizeof(none));
}

static void test_changes_are_reported(void **state)
{
	static const uint8_t mac[] = {2, 0, 0, 0xaa, 0xbb, 0xcc};
	struct world *w = *state;
	uint32_t ifindex = if_nametoindex("va");

	ip("link set dev va mtu 9000");
	until(w, named(w, "va")->mtu == 9000);
	ip("link set dev va address 02:00:00:aa:bb:cc");
	until(w, memcmp(named(w, "va")->mac, mac, sizeof(mac)) == 0);
	/* The kernel sends no notification of this, because va is down. */
	ip("link set dev va alias 'uplink to rack 7'");
	until(w, strcmp(named(w, "va")->alias, "uplink to rack 7") == 0);
	ip("link set dev va alias ''");
	ip("link set dev va name vrenamed");
	until(w, named(w, "vrenamed"));
	assert_string_equal(named(w, "vrenamed")->alias, "");
	assert_int_equal(named(w, "vrenamed")->ifindex, ifindex);
	assert_null(named(w, "va"));
	ip("link set dev vrenamed name va");
	until(w, named(w, "va"));
	assert_int_equal(w->calls_gone, 0);
}

static void test_up_needs_carrier(void **state)
{
	struct world *w = *state;

	ip("link set dev va up");
	barrier(w);
	assert_false(named(w, "va")->up);
	ip("link set dev vb up");
	until(w, named(w, "va")->up && named(w, "vb")->up);
	/* The constant of the veth driver. */
	assert_int_equal(named(w, "va")->speed.bps, 10000000000);
	assert_string_equal(named(w, "va")->driver, "veth");
	ip("link set dev vb down");
	until(w, !named(w, "va")->up && !named(w, "vb")->up);
}

/* The kernel sends no notification of interfaces when the queueing discipline changes. */
static void test_queueing_discipline_is_reported(void **state)
{
	struct world *w = *state;

	ip("link set dev va up");
	ip("link set dev vb up");
	until(w, named(w, "va")->up);
	until(w, strcmp(named(w, "va")->qdisc, "noqueue") == 0);
	if (system("tc qdisc add dev va root pfifo limit 100") != 0)
		skip();
	until(w, strcmp(named(w, "va")->qdisc, "pfifo") == 0);
	assert_string_equal(named(w, "vb")->qdisc, "noqueue");
	assert_int_equal(system("tc qdisc del dev va root"), 0);
	until(w, strcmp(named(w, "va")->qdisc, "noqueue") == 0);
}

static void count_va(void *ctx, const struct link_info *link, const struct link_host *host)
{
	unsigned *n = ctx;

	*n += strcmp(link->name, "va") == 0 && host->master == if_nametoindex("br0") &&
	      strcmp(host->address, "10.1.0.1") == 0;
}

/* Master and addresses: at the start, when they change, and the one that is left of two. */
static void test_use_by_the_host_is_reported(void **state)
{
	struct world *w = *state;
	struct ifmon *other;
	unsigned n = 0;
	char err[128];

	assert_int_equal(w->va.master, 0);
	assert_string_equal(w->va.address, "");
	if (system("ip link add name br0 type bridge 2>/dev/null") != 0)
		skip();
	ip("link set dev va master br0");
	until(w, w->va.master == if_nametoindex("br0"));
	ip("link set dev va up");
	ip("link set dev vb up");
	ip("address add fe80::7/64 dev va");
	ip("address add 2001:db8::1/64 dev va");
	until(w, strcmp(w->va.address, "2001:db8::1") == 0);
	ip("address add 10.1.0.1/24 dev va");
	ip("address add 169.254.0.1/24 scope link dev va");
	barrier(w);
	assert_string_equal(w->va.address, "2001:db8::1");
	ip("address del 2001:db8::1/64 dev va");
	until(w, strcmp(w->va.address, "10.1.0.1") == 0);
	other = ifmon_new(w->base, &ops, w, err, sizeof(err));
	assert_non_null(other);
	ifmon_each(other, count_va, &n);
	assert_int_equal(n, 1);
	ifmon_free(other);
	ip("address flush dev va");
	until(w, !w->va.address[0]);
	ip("link set dev va nomaster");
	until(w, !w->va.master);
	ip("link del br0");
}

static void test_irrelevant_changes_are_not_reported(void **state)
{
	struct world *w = *state;
	unsigned before;

	barrier(w);
	before = w->calls_link;
	/* The kernel sends notifications, but struct link_info has none of these. */
	ip("link set dev va txqueuelen 77");
	ip("link set dev va promisc on");
	ip("link set dev va promisc off");
	ip("link set dev va mtu 1500");
	barrier(w);
	assert_int_equal(w->calls_link, before + 1); /* from barrier() */
}

static void test_leaving_a_bridge_is_not_gone(void **state)
{
	struct world *w = *state;

	if (system("ip link add name br0 type bridge 2>/dev/null") != 0)
		skip();
	ip("link set dev va master br0");
	ip("link set dev va nomaster"); /* announced as RTM_DELLINK of AF_BRIDGE */
	ip("link del br0");
	barrier(w);
	assert_non_null(named(w, "va"));
	assert_null(named(w, "br0"));
}

static void test_deleted_and_created_interfaces_are_reported(void **state)
{
	struct world *w = *state;
	unsigned link, gone;

	ip("link del va");
	until(w, !named(w, "va") && !named(w, "vb"));
	ip("link add va type veth peer name vb");
	until(w, named(w, "va") && named(w, "vb"));
	/* Created and deleted before ifmon reads: never reported. */
	barrier(w);
	link = w->calls_link;
	gone = w->calls_gone;
	ip("link add vx type veth peer name vy");
	ip("link set vx up");
	ip("link del vx");
	barrier(w);
	assert_int_equal(w->calls_link, link + 1); /* from barrier() */
	assert_int_equal(w->calls_gone, gone);
}

/* Messages with a name of the past: speed and driver are nevertheless those of the interface. */
static void test_driver_of_renamed_interface(void **state)
{
	struct world *w = *state;
	unsigned before = w->without_driver;

	ip("link add vx type veth peer name vy");
	ip("link set dev vx name vz");
	until(w, named(w, "vz") && named(w, "vy"));
	assert_int_equal(w->without_driver, before);
	assert_string_equal(named(w, "vz")->driver, "veth");
	ip("link del vz");
	until(w, !named(w, "vz") && !named(w, "vy"));
}

/* An interface that moves to another namespace is gone; its peer when that namespace ends. */
static void test_move_to_other_namespace_is_gone(void **state)
{
	struct world *w = *state;
	int moved[2], ready[2];
	char c = 0;
	pid_t pid;

	assert_int_equal(pipe(moved), 0);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int rc = unshare(CLONE_NEWNET);

		_exit(rc < 0 || write(ready[1], &c, 1) != 1 || read(moved[0], &c, 1) != 1);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	ip("link set dev vb netns %d", (int)pid);
	until(w, !named(w, "vb"));
	assert_non_null(named(w, "va"));
	assert_int_equal(write(moved[1], &c, 1), 1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	until(w, !named(w, "va"));
	for (int i = 0; i < 2; i++) {
		close(moved[i]);
		close(ready[i]);
	}
}

/* More notifications than the socket buffer holds: ifmon then dumps all interfaces again. */
static void test_lost_messages_cause_a_new_dump(void **state)
{
	struct world *w = *state;
	FILE *batch = popen("ip -batch -", "w");

	assert_non_null(batch);
	/*
	 * A message takes about 1.5 kB of the socket buffer: 8000 messages are more than it
	 * holds, whether it has 4 MiB or the kernel's default.
	 */
	fprintf(batch, "link set dev vb name vgone\n");
	for (unsigned i = 0; i < 8000; i++)
		fprintf(batch, "link set dev fence mtu %u\n", 1400 + i % 100);
	fprintf(batch, "link del va\n");
	fprintf(batch, "link add va type veth peer name vb\n");
	fprintf(batch, "link set dev va alias fresh\n");
	assert_int_equal(pclose(batch), 0);

	until(w, named(w, "va") && strcmp(named(w, "va")->alias, "fresh") == 0);
	assert_int_equal(named(w, "va")->ifindex, if_nametoindex("va"));
	assert_int_equal(named(w, "vb")->ifindex, if_nametoindex("vb"));
	assert_null(named(w, "vgone"));
	assert_int_equal(w->calls_gone, 2);
	/* Fewer reports than changes: messages were lost. */
	assert_true(w->calls_link < 8000);
	barrier(w);
}

/* --- epoll --------------------------------------------------------------------------------- */

static bool epoll_refuses;

/* For libevent: in place of that of the C library. */
int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	if (epoll_refuses && op == EPOLL_CTL_ADD) {
		errno = ENOSPC;
		return -1;
	}
	return (int)syscall(SYS_epoll_ctl, epfd, op, fd, event);
}

/* fs.epoll.max_user_watches: the program ends with this text instead of seeing no change. */
static void test_refusal_of_epoll_is_reported_at_the_start(void **state)
{
	struct event_base *base = event_base_new();
	struct ifmon *mon;
	char err[128];

	(void)state;
	assert_non_null(base);
	epoll_refuses = true;
	mon = ifmon_new(base, &ops, NULL, err, sizeof(err));
	epoll_refuses = false;
	event_base_free(base);
	assert_null(mon);
	assert_string_equal(err, "cannot wait for rtnetlink: No space left on device");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_dump_reports_each_interface_once, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_changes_are_reported, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_up_needs_carrier, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_queueing_discipline_is_reported, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_use_by_the_host_is_reported, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_irrelevant_changes_are_not_reported, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(test_leaving_a_bridge_is_not_gone, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_deleted_and_created_interfaces_are_reported, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(test_driver_of_renamed_interface, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_move_to_other_namespace_is_gone, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_lost_messages_cause_a_new_dump, setup, teardown),
	    cmocka_unit_test(test_refusal_of_epoll_is_reported_at_the_start),
	};

	log_init("test_ifmon", LOG_LEVEL_INFO, false);
	if (!own_netns_enter())
		return EXIT_SKIP;
	if (system("ip link add probe type veth peer name probe2 && ip link del probe") != 0) {
		printf("SKIP: ip(8) cannot create a veth pair\n");
		return EXIT_SKIP;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
