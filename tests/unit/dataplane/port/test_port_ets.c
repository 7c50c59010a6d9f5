/* SPDX-License-Identifier: BSD-3-Clause */
/* ETS on a port: bandwidth shares, in virtual time. */
#include "tests/unit/world.h"

#include "lib/octets.h"
#include "dataplane/core/pfc_pdu.h"
#include "tests/unit/unit.h"

#include <limits.h>

#define IN   0
#define OUT  1
#define MBPS 100
#define A    0x020000000001
#define B    0x020000000002

/* An interface that accepts a limited number of frames. */
struct limited_io {
	struct netio io;
	struct netio *behind;
	unsigned accept;
};

struct lab {
	struct world w;
	struct limited_io limited_io; /* interface of port OUT */
	struct port_config configs[2];
	unsigned turn;
	struct dcb_rng rng;
	uint32_t in[DCB_PRIORITIES], out[DCB_PRIORITIES]; /* frames */
	bool remapped; /* the priority has another queue now: order may change */
	bool seen[DCB_PRIORITIES][1 << 18];
	uint64_t octets[DCB_PRIORITIES]; /* sent, on the wire */
};

/* Classes 0, 1 and 2 use ETS, class 5 strict priority. Priorities 6 and 7 map to class 2. */
static const struct ets_tables three = {
    .priority_tc = {0, 1, 2, 3, 4, 5, 2, 2},
    .bandwidth = {50, 30, 20, 0, 0, 0, 0, 0},
    .tsa = {TSA_ETS, TSA_ETS, TSA_ETS},
};

static struct netio_sent limited_io_send(struct netio *io, const struct iovec *frames, unsigned n,
					 struct dcb_time now)
{
	struct limited_io *v = (struct limited_io *)io;

	if (n > v->accept)
		n = v->accept;
	v->accept -= n;
	return v->behind->ops->send(v->behind, frames, n, now);
}

static int limited_io_recv(struct netio *io, unsigned max, netio_sink sink, void *ctx)
{
	struct netio *behind = ((struct limited_io *)io)->behind;

	return behind->ops->recv(behind, max, sink, ctx);
}

static const struct netio_ops limited_io_ops = {
    .name = "limited_io", .send = limited_io_send, .recv = limited_io_recv};

/* Alternates two structs: an equal pointer is not a change. */
static void adopt(struct lab *l, const struct ets_tables *tables, uint8_t cnpv)
{
	struct port_config *config = &l->configs[++l->turn % 2];

	*config = l->w.port_config;
	config->dcbx.ets = *tables;
	config->pfc.enable = 0xff;
	l->w.own[OUT] = config;
	world_configure(&l->w, 2, cnpv);
}

static int set_up(void **state)
{
	struct lab *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	world_init(&l->w, 2, NULL);
	dcb_rng_seed(&l->rng, unit_seed(), 1);
	l->w.ports[OUT]->base.settings.rate = dcb_rate_from_mbps(MBPS);
	l->limited_io = (struct limited_io){
	    .io = {.ops = &limited_io_ops}, .behind = l->w.ports[OUT]->io, .accept = UINT_MAX};
	l->w.ports[OUT]->io = &l->limited_io.io;
	adopt(l, &three, 0);
	*state = l;
	return 0;
}

static int tear_down(void **state)
{
	struct lab *l = *state;

	l->w.ports[OUT]->io = l->limited_io.behind;
	world_free(&l->w);
	free(l);
	return 0;
}

/* Receives a frame for the port under test, with its priority and number in the payload. */
static void arrive(struct lab *l, unsigned priority, uint32_t len)
{
	uint8_t f[WORLD_OCTETS];

	world_frame(f, B, A, (int)(priority << 13 | 1), len);
	f[18] = (uint8_t)priority;
	put_be32(f + 19, l->in[priority]++);
	bridge_receive(&l->w.bridge, l->w.ports[IN], f, len, len, l->w.now);
}

/* Queues this many frames of each priority, of random lengths; priority 0 has short ones. */
static void fill(struct lab *l, uint8_t priorities, unsigned frames)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		while (priorities >> p & 1 && l->in[p] - l->out[p] < frames)
			arrive(l, p, dcb_rng_uniform(&l->rng, 64, p ? 1500 : 100));
	}
}

/* Counts sent frames; checks that each priority is in order. Returns their number. */
static unsigned collect(struct lab *l)
{
	struct world_frame f;
	unsigned n = 0;

	for (; world_recv(&l->w, OUT, &f); n++) {
		bool tagged = get_be16(f.octets + ETH_TYPE_OFFSET) == ETH_TYPE_CTAG;
		const uint8_t *payload = f.octets + (tagged ? 18 : 14);
		unsigned p = payload[0];
		uint32_t number = get_be32(payload + 1);

		assert_in_range(p, 0, DCB_PRIORITIES - 1);
		assert_in_range(number, 0, UNIT_COUNT(l->seen[p]) - 1);
		assert_false(l->seen[p][number]);
		l->seen[p][number] = true;
		assert_true(number == l->out[p] || l->remapped);
		l->out[p]++;
		l->octets[p] += dcb_wire_octets(f.len);
	}
	return n;
}

/* Runs while these priorities always have frames. */
static void run_ms(struct lab *l, unsigned ms, uint8_t priorities)
{
	struct dcb_time end = dcb_time_add_ns(l->w.now, ms * DCB_NS_PER_MS);

	memset(l->octets, 0, sizeof(l->octets));
	while (dcb_time_before(l->w.now, end)) {
		struct dcb_time next;

		fill(l, priorities, 20);
		next = world_turn(&l->w);
		collect(l);
		if (dcb_time_before(l->w.now, next))
			l->w.now = dcb_time_min(next, end);
	}
}

/* Checks a priority's share of the port rate, in percent, with a tolerance of a tenth. */
static void assert_share(const struct lab *l, unsigned ms, unsigned priority, double expected)
{
	double all = MBPS * 1e6 / 8 * ms / 1e3;
	double share = 100 * (double)l->octets[priority] / all;

	print_message("priority %u: %.3f %% of %.3f\n", priority, share, expected);
	assert_true(share > expected - 0.1 && share < expected + 0.1);
}

static void pfc_in(struct lab *l, uint8_t enable, uint16_t quanta)
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 0, 2}, .enable = enable};
	uint8_t f[PFC_FRAME_OCTETS];

	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		pdu.time[i] = quanta;
	pfc_pdu_encode(&pdu, f);
	world_send(&l->w, OUT, f, PFC_FRAME_OCTETS);
	world_turn(&l->w);
}

/* --- shares -------------------------------------------------------------------- */

static void test_shares_follow_bandwidths(void **state)
{
	struct lab *l = *state;

	run_ms(l, 1000, 7);
	assert_share(l, 1000, 0, 50);
	assert_share(l, 1000, 1, 30);
	assert_share(l, 1000, 2, 20);
	run_ms(l, 100, 5); /* until the queue of 1 is empty */
	run_ms(l, 1000, 5);
	assert_share(l, 1000, 0, 100 * 5 / 7.0);
	assert_share(l, 1000, 2, 100 * 2 / 7.0);
}

/* A strict class gets all it sends, here a tenth; ETS classes share the rest. */
static void test_strict_class_is_sent_first(void **state)
{
	struct lab *l = *state;
	uint64_t octets[3] = {0};

	for (unsigned i = 0; i < 2000; i++) {
		arrive(l, 5, 1250 - 24);
		run_ms(l, 1, 7);
		assert_int_equal(l->out[5], i + 1);
		for (unsigned p = 0; p < 3; p++)
			octets[p] += l->octets[p];
	}
	memcpy(l->octets, octets, sizeof(octets));
	assert_share(l, 2000, 0, 50 * 0.9);
	assert_share(l, 2000, 1, 30 * 0.9);
	assert_share(l, 2000, 2, 20 * 0.9);
}

/* Priorities of one class share a queue and its bandwidth; a CNPV has a queue of its own. */
static void test_priorities_of_a_class_share_its_bandwidth(void **state)
{
	struct lab *l = *state;
	struct soft_port *port = l->w.ports[OUT];

	assert_ptr_equal(port_queue(port, 6), port_queue(port, 2));
	assert_ptr_equal(port_queue(port, 7), port_queue(port, 2));
	run_ms(l, 500, 1 << 0 | 1 << 2 | 1 << 6 | 1 << 7);
	assert_share(l, 500, 0, 100 * 5 / 7.0);
	l->octets[2] += l->octets[6] + l->octets[7];
	assert_share(l, 500, 2, 100 * 2 / 7.0);
	l->remapped = true;
	adopt(l, &three, 1 << 6);
	run_ms(l, 500,
	       1 << 0 | 1 << 2 | 1 << 6 | 1 << 7); /* until the shared queue has no frames of 6 */
	assert_ptr_not_equal(port_queue(port, 6), port_queue(port, 2));
	run_ms(l, 500, 1 << 0 | 1 << 2 | 1 << 6 | 1 << 7);
	assert_share(l, 500, 0, 100 * 5 / 7.0);
	assert_share(l, 500, 6, 100 * 2 / 7.0); /* before the other queue of its class */
}

/* Control frames are in no class: they reduce the bandwidth of all ETS classes. */
static void test_control_frames_reduce_all_shares(void **state)
{
	static const struct ets_tables all = {
	    .bandwidth = {50, 50},
	    .priority_tc = {0, 1, 2, 3, 4, 5, 6, 7},
	    .tsa = {TSA_ETS, TSA_ETS, TSA_ETS, TSA_ETS, TSA_ETS, TSA_ETS, TSA_ETS, TSA_ETS},
	};
	struct lab *l = *state;
	struct soft_port *port = l->w.ports[OUT];
	struct world_frame f;
	unsigned left[2] = {0}, control = 0;

	adopt(l, &all, 0);
	for (unsigned i = 0; i < 100; i++) {
		struct dcb_frame *frame = frame_pool_get(&l->w.bridge.ports.pool);

		while (port->queues.queue[0].frames < 10)
			arrive(l, 0, 1000 + ETH_TAG_OCTETS);
		while (port->queues.queue[1].frames < 10)
			arrive(l, 1, 1000 + ETH_TAG_OCTETS);
		assert_non_null(frame);
		frame->len = world_frame(frame->data, UINT64_C(0x0180c200000e), A, -1, 500);
		frame->data[14] = 9;
		frame->flags = PORT_FRAME_CONTROL;
		(void)port_set_enqueue(&l->w.bridge.ports, port, frame, l->w.now);
		l->w.now = dcb_time_add_ns(l->w.now, 2524 * 8 * INT64_C(1000) / MBPS);
		world_turn(&l->w);
		while (world_recv(&l->w, OUT, &f)) {
			if (f.octets[14] == 9)
				control++;
			else
				left[f.octets[14]]++;
		}
	}
	assert_int_equal(control, 100);
	assert_in_range(left[0] + left[1], 190, 210);
	assert_in_range(left[0], left[1] - 1, left[1] + 1);
	l->remapped = true;
}

/*
 * Equal load of each class, twice the port rate in total, into a buffer of a few dozen
 * frames: shares follow the ETS bandwidths, not the load.
 */
static void test_overload_does_not_change_shares(void **state)
{
	struct lab *l = *state;
	struct dcb_time end = dcb_time_add_ns(l->w.now, DCB_NS_PER_S);

	l->w.ports[OUT]->base.settings.buffer_octets = 60000;
	l->remapped = true; /* frames are discarded */
	while (dcb_time_before(l->w.now, end)) {
		for (unsigned p = 0; p < 3; p++)
			arrive(l, p, 1000);
		world_turn(&l->w);
		collect(l);
		l->w.now = dcb_time_add_ns(l->w.now, 3 * 1024 * 8 * INT64_C(1000) / MBPS / 2);
	}
	assert_share(l, 1000, 0, 50);
	assert_share(l, 1000, 1, 30);
	assert_share(l, 1000, 2, 20);
}

/* Without a port rate, limited by the interface: shares are the same. */
static void test_blocking_interface_does_not_change_shares(void **state)
{
	struct lab *l = *state;
	struct soft_port *port = l->w.ports[OUT];
	uint64_t all = 0;

	port->base.settings.rate = (struct dcb_rate){0};
	for (unsigned i = 0; i < 500; i++) {
		fill(l, 7, 100);
		l->limited_io.accept = dcb_rng_uniform(&l->rng, 0, 90);
		port->blocked = false;
		world_turn(&l->w);
		assert_true(port->blocked);
		collect(l);
	}
	for (unsigned p = 0; p < 3; p++)
		all += l->octets[p];
	for (unsigned p = 0; p < 3; p++)
		assert_in_range(l->octets[p] * 1000 / all, three.bandwidth[p] * 10 - 10,
				three.bandwidth[p] * 10 + 10);
}

/* --- pauses ---------------------------------------------------------------------- */

/* A paused class gets no bandwidth, and does not catch up after the pause. */
static void test_paused_class_does_not_catch_up(void **state)
{
	struct lab *l = *state;

	for (unsigned i = 0; i < 3; i++) {
		fill(l, 7, 10);
		pfc_in(l, 1 << 0, 65535); /* 335 ms */
		run_ms(l, 300, 7);
		assert_int_equal(l->octets[0], 0);
		assert_share(l, 300, 1, 60);
		assert_share(l, 300, 2, 40);
		pfc_in(l, 1 << 0, 0);
		run_ms(l, 1000, 7);
		assert_share(l, 1000, 0, 50);
		assert_share(l, 1000, 1, 30);
		assert_share(l, 1000, 2, 20);
	}
}

/* --- random configurations ---------------------------------------------------------- */

static void random_tables(struct lab *l, struct ets_tables *t)
{
	unsigned left = 100, last = 0;

	memset(t, 0, sizeof(*t));
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		t->priority_tc[i] = (uint8_t)dcb_rng_uniform(&l->rng, 0, 7);
		if (dcb_rng_next(&l->rng) & 1)
			continue;
		t->tsa[i] = TSA_ETS;
		t->bandwidth[i] = (uint8_t)dcb_rng_uniform(&l->rng, 0, left);
		left -= t->bandwidth[i];
		last = i;
	}
	t->bandwidth[last] = (uint8_t)(t->bandwidth[last] + left);
}

/*
 * Random configurations, pauses and interface limits: each frame is sent exactly once,
 * and the port is never idle while it may send.
 */
static void test_random_configurations_send_each_frame_once(void **state)
{
	struct lab *l = *state;
	struct soft_port *port = l->w.ports[OUT];

	l->remapped = true;
	for (unsigned i = 0; i < 4000; i++) {
		struct ets_tables tables;

		if (i % 50 == 0) {
			random_tables(l, &tables);
			port->base.settings.rate = dcb_rate_from_mbps(i % 100 ? MBPS : 0);
			adopt(l, &tables, 0);
			pfc_in(l, (uint8_t)dcb_rng_next(&l->rng), 400);
		}
		for (unsigned n = dcb_rng_uniform(&l->rng, 0, 10); n > 0; n--)
			arrive(l, dcb_rng_uniform(&l->rng, 0, 7), 64);
		l->w.now = dcb_time_add_ns(l->w.now, dcb_rng_uniform(&l->rng, 0, 100000));
		l->limited_io.accept = dcb_rng_uniform(&l->rng, 0, 20);
		port->blocked = false;
		world_turn(&l->w);
		assert_true(!port_wants_to_send(port) || port->blocked ||
			    dcb_time_before(l->w.now, port->queues.limiter.next));
		collect(l);
	}
	l->limited_io.accept = UINT_MAX;
	port->blocked = false;
	pfc_in(l, 0xff, 0);
	do {
		l->w.now = dcb_time_add_ns(l->w.now, DCB_NS_PER_MS);
		world_turn(&l->w);
	} while (collect(l) || port->queues.filled);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		assert_int_equal(l->out[p], l->in[p]);
	for (unsigned i = 0; i < PORT_QUEUES; i++)
		assert_int_equal(port->buffers.lossy[i].held.octets, 0);
	assert_int_equal(l->w.bridge.ports.pool.n_free, l->w.bridge.ports.pool.size);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_shares_follow_bandwidths),
	    TEST(test_strict_class_is_sent_first),
	    TEST(test_priorities_of_a_class_share_its_bandwidth),
	    TEST(test_overload_does_not_change_shares),
	    TEST(test_blocking_interface_does_not_change_shares),
	    TEST(test_paused_class_does_not_catch_up),
	    TEST(test_random_configurations_send_each_frame_once),
	    TEST(test_control_frames_reduce_all_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
