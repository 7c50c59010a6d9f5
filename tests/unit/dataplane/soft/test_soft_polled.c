/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which interfaces the dataplane thread polls, and which it waits for: three watches of one port,
 * whose frames are numbers of the test.
 */
#include "dataplane/soft/provider_soft_private.h"
#include "lib/clock.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define WATCHES 3

struct lab {
	struct provider *provider;
	struct soft *soft;
	struct port *port;
	struct dcb_config *config;
	struct port_config port_config;
	struct watch w[WATCHES];
	int fd;
};

static int frames;              /* that come at once; -1: as many as are asked for */
static unsigned served;         /* number of calls */
static struct watch *to_forget; /* in the next call */
static bool goes_down;          /* the port, likewise */

static int receive(struct soft *s, struct soft_port *port, unsigned max, struct dcb_time now)
{
	(void)s, (void)now;
	served++;
	port->up = !goes_down;
	if (to_forget)
		soft_poll_forget(to_forget);
	to_forget = NULL;
	goes_down = false;
	return frames < 0 ? (int)max : frames;
}

static void never(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd, (void)what, (void)ctx;
	fail();
}

static bool is_awaited(const struct watch *w)
{
	return event_pending(&w->recv, EV_READ, NULL) != 0;
}

static int set_up(void **state)
{
	static const struct provider_soft_params params = {
	    .frame_buffers = 64, .frame_octets = 1600, .fdb_entries = 16, .no_thread = true};
	static const struct port_settings settings = {.pvid = 1, .memory = true};
	const struct link_info link = {.name = "mem", .ifindex = 1, .up = true};
	struct lab *lab = calloc(1, sizeof(*lab));
	struct provider_refusal why;
	char err[256];

	assert_non_null(lab);
	lab->provider = provider_soft_new(&params, err, sizeof(err));
	assert_non_null(lab->provider);
	lab->soft = (struct soft *)lab->provider;
	lab->port =
	    lab->provider->ops->port_open(lab->provider, 0, &link, &settings, err, sizeof(err));
	lab->config = calloc(1, sizeof(*lab->config) + sizeof(lab->config->ports[0]));
	assert_true(lab->port && lab->config);
	lab->config->generation = 1;
	lab->config->ports[lab->config->n_ports++] =
	    dcb_config_port_alone(lab->port, &lab->port_config);
	assert_true(lab->provider->ops->commit(lab->provider, lab->config, &why));
	assert_true(soft_make_loop(lab->soft));
	lab->fd = eventfd(0, EFD_CLOEXEC);
	for (unsigned i = 0; i < WATCHES; i++) {
		struct watch *w = &lab->w[i];

		*w = (struct watch){
		    .soft = lab->soft, .port = soft_port_of(lab->port), .receive = receive};
		event_assign(&w->recv, lab->soft->loop, lab->fd, EV_READ | EV_PERSIST, never, w);
		event_add(&w->recv, NULL);
	}
	served = 0;
	to_forget = NULL;
	*state = lab;
	return 0;
}

static int tear_down(void **state)
{
	struct lab *lab = *state;

	for (unsigned i = 0; i < WATCHES; i++)
		event_del(&lab->w[i].recv);
	lab->provider->ops->destroy(lab->provider);
	close(lab->fd);
	free(lab->config);
	free(lab);
	return 0;
}

static void begin_all(struct lab *lab)
{
	for (unsigned i = 0; i < WATCHES; i++) {
		soft_poll_after(&lab->w[i], SOFT_SEVERAL);
		assert_true(lab->w[i].is_polled);
		assert_false(is_awaited(&lab->w[i]));
	}
}

static void test_several_frames_begin_it_and_few_end_it(void **state)
{
	struct lab *lab = *state;
	struct watch *w = &lab->w[0];

	soft_poll_after(w, SOFT_SEVERAL - 1);
	assert_false(w->is_polled);
	assert_true(is_awaited(w));
	begin_all(lab);
	frames = SOFT_SEVERAL;
	soft_poll(lab->soft);
	assert_int_equal(served, WATCHES);
	assert_true(w->is_polled);
	frames = SOFT_SEVERAL - 1;
	soft_poll(lab->soft);
	assert_int_equal(served, 2 * WATCHES);
	for (unsigned i = 0; i < WATCHES; i++) {
		assert_false(lab->w[i].is_polled);
		assert_true(is_awaited(&lab->w[i]));
	}
	soft_poll(lab->soft);
	assert_int_equal(served, 2 * WATCHES);
}

/* The loop would not pause between two turns. */
static void test_a_port_with_pfc_or_pause_ends_it(void **state)
{
	struct lab *lab = *state;

	begin_all(lab);
	lab->soft->pfc_ports = 1;
	soft_poll_after(&lab->w[0], 64);
	assert_true(is_awaited(&lab->w[0]));
	soft_poll_after(&lab->w[0], 64);
	assert_false(lab->w[0].is_polled);
	lab->soft->pfc_ports = 0;
	lab->soft->pause_ports = 1;
	soft_poll_after(&lab->w[1], 64);
	assert_true(is_awaited(&lab->w[1]));
	lab->soft->pause_ports = 0;
	for (unsigned i = 0; i < WATCHES; i++)
		soft_poll_forget(&lab->w[i]);
}

/* After an error, the watch may be the control thread's. */
static void test_an_error_and_a_port_that_is_down_change_nothing(void **state)
{
	struct lab *lab = *state;

	soft_poll_after(NULL, -ENETDOWN);
	lab->w[0].port->up = false;
	soft_poll_after(&lab->w[0], 64);
	assert_false(lab->w[0].is_polled);
	lab->w[0].port->up = true;
}

/* The last one of the list is served first; serving it ends another one. */
static void test_another_can_be_forgotten_while_one_is_served(void **state)
{
	struct lab *lab = *state;

	frames = SOFT_SEVERAL;
	for (unsigned i = 0; i < WATCHES - 1; i++) {
		begin_all(lab);
		served = 0;
		to_forget = &lab->w[i];
		soft_poll(lab->soft);
		assert_int_equal(served, WATCHES - 1);
		for (unsigned k = 0; k < WATCHES; k++) {
			assert_int_equal(lab->w[k].is_polled, k != i);
			soft_poll_forget(&lab->w[k]);
		}
	}
}

/* Its port goes down meanwhile. */
static void test_one_that_is_served_can_be_forgotten(void **state)
{
	struct lab *lab = *state;
	struct watch *w = &lab->w[0];

	frames = SOFT_SEVERAL;
	soft_poll_after(w, SOFT_SEVERAL);
	to_forget = w;
	goes_down = true;
	soft_poll(lab->soft);
	assert_int_equal(served, 1);
	assert_false(w->is_polled);
	assert_false(is_awaited(w));
	w->port->up = true;
}

/* It is the descriptor of nothing for a while. The next attempt is in the next second. */
static void test_one_that_epoll_refuses_is_polled_with_pauses(void **state)
{
	struct lab *lab = *state;
	struct watch *w = &lab->w[0];
	int fd = eventfd(0, EFD_CLOEXEC);

	event_del(&w->recv);
	event_assign(&w->recv, lab->soft->loop, fd, EV_READ | EV_PERSIST, never, w);
	event_add(&w->recv, NULL);
	soft_poll_after(w, SOFT_SEVERAL);
	close(fd);
	frames = 0;
	for (unsigned turn = 1; turn <= 3; turn++) {
		soft_poll(lab->soft);
		assert_int_equal(served, turn);
		assert_true(w->is_polled);
		assert_true(soft_pause_ns(lab->soft) > 0);
	}
	assert_int_equal(dup2(lab->fd, fd), fd);
	soft_poll(lab->soft);
	assert_true(w->is_polled);
	assert_true(soft_pause_ns(lab->soft) > 0);
	event_active(&lab->soft->tick, EV_TIMEOUT, 1);
	assert_int_equal(event_base_loop(lab->soft->loop, EVLOOP_NONBLOCK), 0);
	soft_poll(lab->soft);
	assert_false(w->is_polled);
	assert_true(is_awaited(w));
	assert_int_equal(soft_pause_ns(lab->soft), 0);
	event_del(&w->recv);
	close(fd);
}

/* Else the port would never send again: no event tells that its interface accepts frames. */
static void test_a_blocked_port_that_epoll_refuses_tries_again(void **state)
{
	struct lab *lab = *state;
	struct soft_port *port = lab->w[0].port;
	struct netio io = *port->io, *former = port->io;
	int fd = eventfd(0, EFD_CLOEXEC);
	bool refused, waits;

	io.send_fd = fd;
	port->io = &io;
	soft_iface_of(port)->wire.watch = &lab->w[0];
	event_assign(&lab->w[0].send, lab->soft->loop, fd, EV_WRITE, never, &lab->w[0]);
	close(fd);
	port->blocked = true;
	soft_port_ops.blocked(lab->soft, port);
	refused = !port->blocked && lab->soft->armed.ns <= clock_now().ns + DCB_NS_PER_MS;
	assert_int_equal(dup2(lab->fd, fd), fd);
	port->blocked = true;
	soft_port_ops.blocked(lab->soft, port);
	waits = port->blocked && event_pending(&lab->w[0].send, EV_WRITE, NULL);
	event_del(&lab->w[0].send);
	soft_iface_of(port)->wire.watch = NULL;
	port->blocked = false;
	port->io = former;
	close(fd);
	assert_true(refused);
	assert_true(waits);
}

/* Else a delay would not be measured until the interface is opened again. */
static void test_times_of_sent_frames_that_epoll_refuses_are_awaited_later(void **state)
{
	struct lab *lab = *state;
	struct watch *w = &lab->w[0];
	int fd = eventfd(0, EFD_CLOEXEC);
	bool refused, waits;

	lab->soft->ports->config = lab->config;
	soft_iface_of(w->port)->wire.watch = w;
	event_assign(&w->stamp, lab->soft->loop, fd, EV_READ | EV_PERSIST, never, w);
	close(fd);
	soft_watch_stamp(w);
	soft_retry_stamps(lab->soft);
	refused = !event_pending(&w->stamp, EV_READ, NULL) && w->lacks_stamp;
	assert_int_equal(dup2(lab->fd, fd), fd);
	event_active(&lab->soft->tick, EV_TIMEOUT, 1);
	assert_int_equal(event_base_loop(lab->soft->loop, EVLOOP_NONBLOCK), 0);
	waits = event_pending(&w->stamp, EV_READ, NULL) && !w->lacks_stamp;
	event_del(&w->stamp);
	soft_iface_of(w->port)->wire.watch = NULL;
	close(fd);
	assert_true(refused);
	assert_true(waits);
	assert_false(lab->soft->lacks_stamps);
}

/* Else its event would come for each frame as well. */
static void test_the_other_side_stays_polled_when_an_interface_is_exchanged(void **state)
{
	struct lab *lab = *state;
	struct soft_iface *iface = soft_iface_of(lab->w[0].port);
	struct watch *host = &lab->w[0], *opened;
	struct netio tap = {.recv_fd = lab->fd}, *ends[2];
	bool stayed;

	host->io = &tap;
	iface->host.watch = host;
	soft_poll_after(host, SOFT_SEVERAL);
	assert_true(netio_mem_pair(ends, 4, 64));
	opened = soft_new_watch(iface, ends[0]);
	assert_non_null(opened);
	iface_open_offer(&iface->wire, opened);
	soft_announce_link(iface);
	assert_ptr_equal(iface->wire.watch, opened);
	assert_true(event_pending(&opened->recv, EV_READ, NULL));
	stayed = host->is_polled && !is_awaited(host);
	soft_poll_forget(host);
	event_del(&opened->recv);
	iface->host.watch = NULL;
	ends[1]->ops->close(ends[1]);
	assert_true(stayed);
}

/* Whichever of the two ports is served first. */
static void test_no_pause_while_a_port_has_more_frames(void **state)
{
	struct lab *lab = *state;

	for (unsigned first = 0; first < 2; first++) {
		for (unsigned i = 0; i < 2; i++) {
			frames = i == first ? SOFT_SEVERAL : -1;
			(void)soft_serve(&lab->w[i]);
		}
		assert_int_equal(soft_pause_ns(lab->soft), 0);
		frames = SOFT_SEVERAL;
		(void)soft_serve(&lab->w[0]);
		assert_true(soft_pause_ns(lab->soft) > 0);
	}
}

/* The guard of real time decides about them: lib/rt_guard.h. */
static void test_pauses_for_others_follow_turns_in_which_all_frames_were_taken(void **state)
{
	struct lab *lab = *state;
	struct soft *s = lab->soft;
	struct rt_guard *g = &s->realtime.guard;

	s->pfc_ports = 1; /* no pause of the loop itself */
	*g = (struct rt_guard){.policy = RT_GUARD_REAL_TIME,
			       .next = DCB_TIME_NEVER,
			       .pause_ns = RT_GUARD_PAUSE_MAX_NS};
	frames = 1;
	(void)soft_serve(&lab->w[0]);
	assert_int_equal(soft_pause_ns(s), RT_GUARD_PAUSE_MAX_NS);
	assert_int_equal(soft_pause_ns(s), 0); /* after a turn without frames */
	frames = -1;                           /* a full batch */
	(void)soft_serve(&lab->w[0]);
	assert_int_equal(soft_pause_ns(s), 0);
	assert_int_equal(s->realtime.turns, 2);
	g->policy = RT_GUARD_SHARED;
	frames = 1;
	(void)soft_serve(&lab->w[0]);
	assert_int_equal(soft_pause_ns(s), 0);
	s->realtime = REALTIME_NONE;
	s->pfc_ports = 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_several_frames_begin_it_and_few_end_it),
	    TEST(test_a_port_with_pfc_or_pause_ends_it),
	    TEST(test_an_error_and_a_port_that_is_down_change_nothing),
	    TEST(test_another_can_be_forgotten_while_one_is_served),
	    TEST(test_one_that_is_served_can_be_forgotten),
	    TEST(test_one_that_epoll_refuses_is_polled_with_pauses),
	    TEST(test_a_blocked_port_that_epoll_refuses_tries_again),
	    TEST(test_times_of_sent_frames_that_epoll_refuses_are_awaited_later),
	    TEST(test_the_other_side_stays_polled_when_an_interface_is_exchanged),
	    TEST(test_no_pause_while_a_port_has_more_frames),
	    TEST(test_pauses_for_others_follow_turns_in_which_all_frames_were_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
