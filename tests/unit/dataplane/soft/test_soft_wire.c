/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dataplane thread with a real interface, in a network namespace of the test: the
 * interface is opened again and again, and nothing stays open.
 */
#include "dataplane/netio/netio.h"
#include "dataplane/soft/provider_soft_private.h"
#include "lib/counter.h"
#include "tests/unit/own_netns.h"
#include "tests/unit/unit.h"

#include <dirent.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "lib/clock.h"

#define REOPENINGS 60
#define DEADLINE_S 100

struct lab {
	struct provider *provider;
	struct port *port;
	struct link_info link;
	struct port_config config;
	struct dcb_config *published;
	int fd; /* socket for ioctl */
};

static void command(const char *line)
{
	if (system(line) != 0)
		fail_msg("%s", line);
}

static unsigned open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static bool is_operational(const struct lab *lab)
{
	struct port_stats stats;

	lab->port->provider->ops->read_port(lab->port, &stats);
	return stats.up;
}

/* Waits until the condition is true, with events and ticks as in dcbd. */
#define until(lab, cond)                                                             \
	do {                                                                         \
		time_t end_ = time(NULL) + DEADLINE_S;                               \
		while (!(cond)) {                                                    \
			if (time(NULL) >= end_)                                      \
				fail_msg("not true within the deadline: %s", #cond); \
			turn(lab);                                                   \
		}                                                                    \
	} while (0)

static void turn(struct lab *lab)
{
	struct provider *p = lab->provider;
	struct pollfd pfd = {.fd = p->ops->event_fd(p), .events = POLLIN};
	struct provider_event ev;

	poll(&pfd, 1, 10);
	while (p->ops->next_event(p, &ev))
		;
	p->ops->tick(p, clock_now());
}

static int set_up(void **state)
{
	static const struct provider_soft_params params = {.frame_buffers = 64,
							   .frame_octets = 1600,
							   .fdb_entries = 16,
							   .fdb_ageing_s = 300,
							   .cpu = -1,
							   .seed = 1};
	static const struct port_settings settings = {.buffer_octets = 1 << 20, .pvid = 1};
	struct lab *lab = calloc(1, sizeof(*lab));
	struct provider_refusal why;
	char err[256] = "";

	assert_non_null(lab);
	command(
	    "ip link add wire0 type veth peer name far && ip link set far up && "
	    "ip link set wire0 up");
	lab->link = (struct link_info){.ifindex = if_nametoindex("wire0"), .up = true, .mtu = 1500};
	snprintf(lab->link.name, sizeof(lab->link.name), "wire0");
	lab->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	lab->provider = provider_soft_new(&params, err, sizeof(err));
	assert_non_null(lab->provider);
	lab->port = lab->provider->ops->port_open(lab->provider, 0, &lab->link, &settings, err,
						  sizeof(err));
	assert_non_null(lab->port);
	lab->published = calloc(1, sizeof(*lab->published) + sizeof(lab->published->ports[0]));
	assert_non_null(lab->published);
	lab->published->generation = 1;
	lab->published->ports[lab->published->n_ports++] =
	    dcb_config_port_alone(lab->port, &lab->config);
	assert_true(lab->provider->ops->commit(lab->provider, lab->published, &why));
	until(lab, is_operational(lab));
	*state = lab;
	return 0;
}

static int tear_down(void **state)
{
	struct lab *lab = *state;

	lab->provider->ops->destroy(lab->provider);
	close(lab->fd);
	free(lab->published);
	free(lab);
	command("ip link del far");
	return 0;
}

static void set_flags(const struct lab *lab, bool up)
{
	struct ifreq ifr = {0};

	memcpy(ifr.ifr_name, lab->link.name, sizeof(ifr.ifr_name));
	assert_int_equal(ioctl(lab->fd, SIOCGIFFLAGS, &ifr), 0);
	ifr.ifr_flags = (short)(up ? ifr.ifr_flags | IFF_UP : ifr.ifr_flags & ~IFF_UP);
	assert_int_equal(ioctl(lab->fd, SIOCSIFFLAGS, &ifr), 0);
}

static struct soft_iface *iface_of(struct port *port)
{
	return soft_iface_of(soft_port_of(port));
}

/* As if the kernel had discarded frames of the port. */
static void lose_frames(struct port *port)
{
	struct soft_port *p = soft_port_of(port);

	gauge_set(&p->stats.discard_kernel, p->stats.discard_kernel + 5);
}

/* The interface is opened again for a ring of twice the size. */
static void grow_ring(struct lab *lab)
{
	iface_of(lab->port)->ring_octets /= 2;
	lose_frames(lab->port);
	lab->provider->ops->tick(lab->provider, clock_now());
}

/* A reopening does not wait until the dataplane thread has taken the interface of the one before.
 */
static void test_reopenings_leave_no_descriptor_open(void **state)
{
	struct lab *lab = *state;
	unsigned before = open_descriptors();

	for (unsigned n = 1; n <= REOPENINGS; n++) {
		const struct netio *io = iface_of(lab->port)->wire.io;

		grow_ring(lab);
		assert_ptr_not_equal(iface_of(lab->port)->wire.io, io);
		if (n % 3 == 0)
			turn(lab);
	}
	until(lab, is_operational(lab));
	until(lab, open_descriptors() == before);
	assert_string_equal(provider_fault(lab->port)->text, "");
}

/* Returns a socket that sends on the far end of the cable. */
static int open_far(void)
{
	const struct sockaddr_ll to = {.sll_family = AF_PACKET,
				       .sll_ifindex = (int)if_nametoindex("far")};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

static uint64_t received(const struct lab *lab)
{
	struct port_stats stats;

	lab->port->provider->ops->read_port(lab->port, &stats);
	return stats.rx_frames;
}

/* Sends a frame from the far end; true. */
static bool send_one_far(void)
{
	static const uint8_t octets[60] = {
	    [0] = 2, [5] = 1, [6] = 2, [11] = 2, [12] = 0x88, [13] = 0xb5};
	int fd = open_far();

	assert_int_equal(send(fd, octets, sizeof(octets), 0), sizeof(octets));
	close(fd);
	return true;
}

/* The socket is that of the ifIndex: a renamed interface is not opened again. */
static void test_a_renamed_interface_stays_open(void **state)
{
	struct lab *lab = *state;
	struct ifreq ifr = {.ifr_newname = "wire1"};
	const struct netio *io = iface_of(lab->port)->wire.io;
	uint64_t before;

	set_flags(lab, false);
	memcpy(ifr.ifr_name, lab->link.name, sizeof(ifr.ifr_name));
	assert_int_equal(ioctl(lab->fd, SIOCSIFNAME, &ifr), 0);
	memcpy(lab->link.name, ifr.ifr_newname, sizeof(lab->link.name));
	set_flags(lab, true);
	lab->provider->ops->port_update(lab->port, &lab->link);
	assert_ptr_equal(iface_of(lab->port)->wire.io, io);
	until(lab, is_operational(lab));
	before = received(lab);
	until(lab, send_one_far() && received(lab) > before);
}

/* Returns the former limit. */
static rlim_t limit_descriptors(rlim_t n)
{
	struct rlimit limit;
	rlim_t former;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	former = limit.rlim_cur;
	limit.rlim_cur = n;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	return former;
}

/* The port keeps the interface and is not tried again at once. */
static void test_a_ring_that_cannot_grow_is_no_fault(void **state)
{
	struct lab *lab = *state;
	struct soft_iface *iface = iface_of(lab->port);
	const struct netio *io = iface->wire.io;
	uint32_t octets = iface->ring_octets / 2;
	struct dcb_time now = clock_now();
	rlim_t former;

	iface->ring_octets = octets;
	lose_frames(lab->port);
	former = limit_descriptors(3);
	lab->provider->ops->tick(lab->provider, now);
	(void)limit_descriptors(former);
	for (int i = 0; i < 2; i++) {
		assert_ptr_equal(iface->wire.io, io);
		assert_int_equal(iface->ring_octets, octets);
		assert_string_equal(provider_fault(lab->port)->text, "");
		assert_int_equal(provider_fault(lab->port)->failures, 0);
		lose_frames(lab->port);
		turn(lab);
	}
	lab->provider->ops->tick(lab->provider, dcb_time_add_ns(now, 100 * DCB_NS_PER_S));
	assert_int_equal(iface->ring_octets, 2 * octets);
}

/* The frames were lost before: the ring grows when the link is up again. */
static void test_no_ring_grows_while_the_link_is_down(void **state)
{
	struct lab *lab = *state;
	struct soft_iface *iface = iface_of(lab->port);
	uint32_t octets = iface->ring_octets / 2;

	iface->ring_octets = octets;
	set_flags(lab, false);
	lab->link.up = false;
	lab->provider->ops->port_update(lab->port, &lab->link);
	lose_frames(lab->port);
	turn(lab);
	assert_int_equal(iface->ring_octets, octets);
	assert_string_equal(provider_fault(lab->port)->text, "");
	assert_int_equal(provider_fault(lab->port)->failures, 0);
	set_flags(lab, true);
	lab->link.up = true;
	lab->provider->ops->port_update(lab->port, &lab->link);
	until(lab, iface->ring_octets == 2 * octets);
	until(lab, is_operational(lab));
}

#define FLIGHT  32
#define FLIGHTS 20 /* more frames than the thread takes in a turn */
#define ROUNDS  20

/*
 * Frames one after another, from which on the port is polled, and then a single one: all arrive
 * without any after them. Most often they do before the next tick of the dataplane thread, once a
 * second: with the tick they would arrive even if the thread slept while the port is polled.
 */
static void test_frames_arrive_while_a_port_is_polled_and_when_that_ends(void **state)
{
	static uint8_t octets[60] = {[0] = 2, [5] = 1, [6] = 2, [11] = 2, [12] = 0x88, [13] = 0xb5};
	struct iovec frame = {octets, sizeof(octets)};
	struct mmsghdr flight[FLIGHT];
	struct lab *lab = *state;
	int fd = open_far();
	unsigned slow = 0;

	for (unsigned i = 0; i < FLIGHT; i++)
		flight[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &frame, .msg_iovlen = 1}};
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct dcb_time began = clock_now();
		uint64_t before = received(lab);

		for (unsigned i = 0; i < FLIGHTS; i++)
			assert_int_equal(sendmmsg(fd, flight, FLIGHT, 0), FLIGHT);
		until(lab, received(lab) >= before + FLIGHTS * FLIGHT);
		before = received(lab);
		assert_int_equal(sendmmsg(fd, flight, 1, 0), 1);
		until(lab, received(lab) > before);
		slow += dcb_time_diff_ns(clock_now(), began) > DCB_NS_PER_S / 2;
	}
	assert_in_range(slow, 0, ROUNDS / 2);
	close(fd);
}

/* --- several ports at the start ----------------------------------------- */

#define PORTS  5
#define ABSENT 2 /* the interface of this one does not exist */

struct start {
	struct provider *provider;
	struct port *ports[PORTS];
	struct port_config configs[PORTS];
	struct dcb_config *published;
};

static void add_port(struct start *s, unsigned i)
{
	static const struct port_settings settings = {.buffer_octets = 1 << 20, .pvid = 1};
	struct link_info link = {.up = true, .mtu = 1500};
	char line[200], err[256] = "";

	snprintf(link.name, sizeof(link.name), "many%u", i);
	snprintf(line, sizeof(line),
		 "ip link add %s type veth peer name far%u && ip link set far%u up && ip link set "
		 "%s up",
		 link.name, i, i, link.name);
	if (i != ABSENT)
		command(line);
	link.ifindex = i == ABSENT ? 99999 : if_nametoindex(link.name);
	s->ports[i] = s->provider->ops->port_open(s->provider, (uint16_t)i, &link, &settings, err,
						  sizeof(err));
	assert_non_null(s->ports[i]);
	s->published->ports[s->published->n_ports++] =
	    dcb_config_port_alone(s->ports[i], &s->configs[i]);
}

static bool is_up(const struct port *port)
{
	struct port_stats stats;

	port->provider->ops->read_port(port, &stats);
	return stats.up;
}

static void start_ports(struct start *s)
{
	static const struct provider_soft_params params = {.frame_buffers = 64,
							   .frame_octets = 1600,
							   .fdb_entries = 16,
							   .fdb_ageing_s = 300,
							   .receive_memory = 1 << 20,
							   .cpu = -1,
							   .seed = 1};
	char err[256] = "";

	s->provider = provider_soft_new(&params, err, sizeof(err));
	s->published = calloc(1, sizeof(*s->published) + PORTS * sizeof(s->published->ports[0]));
	assert_non_null(s->provider);
	assert_non_null(s->published);
	s->published->generation = 1;
	for (unsigned i = 0; i < PORTS; i++)
		add_port(s, i);
}

static bool has_grown(const struct start *s, unsigned i, uint32_t octets)
{
	return iface_of(s->ports[i])->ring_octets == 2 * octets;
}

/*
 * All in one turn, as far as the memory has room: three. The port whose turn it is comes first, and
 * one that still loses frames after its ring has grown waits for the others.
 */
static void assert_losses_grow_the_rings(struct lab *world, struct start *s)
{
	uint32_t octets = iface_of(s->ports[0])->ring_octets;
	struct soft *soft = (struct soft *)s->provider;
	const struct netio *former = iface_of(s->ports[3])->wire.io;

	soft->grow_next = 3;
	for (unsigned i = 0; i < PORTS; i++)
		if (i != ABSENT)
			lose_frames(s->ports[i]);
	turn(world);
	assert_true(has_grown(s, 3, octets) && has_grown(s, 4, octets) && has_grown(s, 0, octets));
	assert_false(has_grown(s, 1, octets));
	assert_ptr_not_equal(iface_of(s->ports[3])->wire.io, former);
	assert_int_equal(soft->grow_next, 1);
	lose_frames(s->ports[0]);
	turn(world);
	assert_true(has_grown(s, 0, octets));
	for (unsigned i = 0; i < PORTS; i++)
		if (i != ABSENT)
			until(world, is_up(s->ports[i]));
}

/* One that cannot be opened has a fault, and the others move frames. */
static void test_interfaces_are_opened_with_the_first_configuration(void **state)
{
	struct lab world = {0};
	struct start s = {0};
	struct provider_refusal why;
	unsigned before = open_descriptors(), waiting;

	(void)state;
	start_ports(&s);
	waiting = open_descriptors();
	assert_true(s.provider->ops->commit(s.provider, s.published, &why));
	assert_true(open_descriptors() >= waiting + 3 * (PORTS - 1));
	world.provider = s.provider;
	for (unsigned i = 0; i < PORTS; i++) {
		if (i == ABSENT) {
			assert_non_null(strstr(provider_fault(s.ports[i])->text, "many2: bind: "));
		} else {
			until(&world, is_up(s.ports[i]));
			assert_string_equal(provider_fault(s.ports[i])->text, "");
		}
	}
	assert_losses_grow_the_rings(&world, &s);
	s.provider->ops->destroy(s.provider);
	free(s.published);
	assert_int_equal(open_descriptors(), before);
}

/* --- taking over an interface in use ------------------------------------- */

#define WAITING 1000 /* frames */
#define BATCH   64

/* Returns the end of a cable on which frames wait. *far: the other end. */
static struct netio *with_frames(struct netio **far)
{
	static uint8_t octets[60];
	const struct iovec frame = {octets, sizeof(octets)};
	struct netio *ends[2];

	assert_true(netio_mem_pair(ends, 1024, 64));
	for (unsigned i = 0; i < WAITING; i++)
		assert_int_equal(netio_send_control(ends[1], &frame, clock_now()).taken, 1);
	*far = ends[1];
	return ends[0];
}

static void ignore(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	(void)ctx, (void)octets, (void)len, (void)wire_octets;
}

/* Others wait meanwhile, and frames can arrive faster than they are taken. */
static void test_no_more_frames_are_drained_than_a_ring_holds(void **state)
{
	static const struct provider_soft_params params = {
	    .frame_buffers = 64, .frame_octets = 1600, .fdb_entries = 16, .no_thread = true};
	static const struct port_settings settings = {.pvid = 1, .memory = true};
	const struct link_info link = {.name = "mem", .ifindex = 1, .up = true};
	struct netio *former, *later, *far[2];
	struct port_config port_config = {0};
	struct dcb_config *config;
	struct provider_refusal why;
	struct soft_iface *iface;
	struct provider *p;
	struct port *port;
	struct watch *w;
	char err[256];

	(void)state;
	p = provider_soft_new(&params, err, sizeof(err));
	config = calloc(1, sizeof(*config) + sizeof(config->ports[0]));
	assert_true(p && config);
	port = p->ops->port_open(p, 0, &link, &settings, err, sizeof(err));
	assert_non_null(port);
	iface = iface_of(port);
	former = with_frames(&far[0]);
	later = with_frames(&far[1]);
	provider_soft_set_netio(port, former);
	config->generation = 1;
	config->ports[config->n_ports++] = dcb_config_port_alone(port, &port_config);
	assert_true(p->ops->commit(p, config, &why));
	assert_true(is_up(port));
	iface->wire.watch = soft_new_watch(iface, former);
	w = soft_new_watch(iface, later);
	assert_true(iface->wire.watch && w);
	iface->wire.watch->slots = 100;
	w->slots = 200;
	iface_open_offer(&iface->wire, w);
	soft_announce_link(iface);
	assert_ptr_equal(iface->port.io, later);
	assert_in_range(former->ops->recv(former, WAITING, ignore, NULL), WAITING - 100 - BATCH,
			WAITING - 100);
	assert_in_range(later->ops->recv(later, WAITING, ignore, NULL), WAITING - 200 - BATCH,
			WAITING - 200);
	p->ops->destroy(p);
	for (unsigned i = 0; i < 2; i++)
		far[i]->ops->close(far[i]);
	free(config);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_reopenings_leave_no_descriptor_open),
	    TEST(test_a_renamed_interface_stays_open),
	    TEST(test_a_ring_that_cannot_grow_is_no_fault),
	    TEST(test_no_ring_grows_while_the_link_is_down),
	    TEST(test_frames_arrive_while_a_port_is_polled_and_when_that_ends),
	    cmocka_unit_test(test_interfaces_are_opened_with_the_first_configuration),
	    cmocka_unit_test(test_no_more_frames_are_drained_than_a_ring_holds),
	};

	if (!own_netns_enter())
		return EXIT_SKIP;
	(void)own_netns_write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
	if (system("ip link add probe type veth peer name probe2 && ip link del probe") != 0) {
		printf("SKIP: no veth interfaces here\n");
		return EXIT_SKIP;
	}
	return cmocka_run_group_tests_name("soft_wire", tests, NULL, NULL);
}
