/* SPDX-License-Identifier: BSD-3-Clause */
/* Headroom measurement at the ports of a bridge: requests, answers, paths through a SecY. */
#include "lib/octets.h"
#include "tests/unit/dataplane/port/hm_lab.h"
#include "tests/unit/world.h"

#define SECOND UINT64_C(0x02000000000b)

/* Starts measurements. f is the first request of port 0. */
static void ask_first(struct lab *l, struct world_frame *f)
{
	put_in_force(l, PFC_MEASURE_ALWAYS);
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 0, f));
}

static void test_request_is_answered_when_measurement_is_off(void **state)
{
	struct lab *l = *state;
	uint8_t octets[HMPDU_FRAME_OCTETS];
	struct world_frame f;
	struct hmpdu pdu;

	put_in_force(l, PFC_MEASURE_OFF);
	world_send(&l->w, 1, octets, make_request(octets, NEIGHBOR, 0x12345678));
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 1, &f));
	assert_int_equal(hmpdu_decode(f.octets, f.len, &pdu), HMPDU_OK);
	assert_memory_equal(pdu.source, l->w.ports[1]->base.link.mac, ETH_ADDR_OCTETS);
	assert_int_equal(pdu.tuple[0].timestamp, 0x12345678);
	assert_int_equal(pdu.tuple[0].request_adjustment, 7);
	assert_int_equal(pdu.reserved, 2);
	assert_int_equal(pdu.tuple[1].use, HMPDU_UNUSED);
	assert_false(world_recv(&l->w, 1, &f));
	assert_false(world_recv(&l->w, 0, &f));
	assert_int_equal(stats_of(l, 1).hm.requests_received, 1);
	assert_int_equal(stats_of(l, 1).hm.responses_sent, 1);
	assert_int_equal(stats_of(l, 1).hm.requests_sent, 0);
	assert_int_equal(stats_of(l, 0).hm.responses_sent, 0);
}

/* The neighbor's word counts for agreed(2), not for always(3). */
static void test_requests_are_sent_as_the_setting_says(void **state)
{
	struct lab *l = *state;
	struct world_frame f;

	put_in_force(l, PFC_MEASURE_AGREED);
	world_turn(&l->w);
	assert_false(world_recv(&l->w, 0, &f));
	l->w.ports[0]->oper.pfc_way = PFC_WAY_MEASURED;
	put_in_force(l, PFC_MEASURE_AGREED);
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 0, &f));
	assert_false(world_recv(&l->w, 1, &f));
	put_in_force(l, PFC_MEASURE_ALWAYS);
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 1, &f));
}

/* Every port measures its own link, and stops when round trips agree. */
static void test_ports_measure_their_own_links(void **state)
{
	struct lab *l = *state;
	struct pfc_measure_stats s;

	for (unsigned i = 0; i < PORTS; i++) {
		uint64_t quanta = 100 * (i + 1);

		l->w.ports[i]->oper.pfc_way = PFC_WAY_MEASURED;
		put_in_force(l, PFC_MEASURE_AGREED);
		assert_in_range(converse(l, i, DELAY_NS * (i + 1)), HM_ROUND_MIN, HM_ROUND_MAX);
		s = stats_of(l, i);
		assert_in_range(s.average, quanta - 1, quanta + 1);
		assert_true(s.measured && s.minimum <= s.median && s.median <= s.maximum);
		assert_false(s.measure);
		assert_int_equal(s.clock, NETIO_CLOCK_KERNEL);
		assert_in_range(s.result, s.average, s.average + PORT_HM_STEP - 1);
		assert_int_equal(s.result % PORT_HM_STEP, 0);
	}
	assert_int_equal(l->handed_over, PORTS);
}

/* The time of transmission counts, not that of the call before it. */
static void test_late_time_of_transmission_counts(void **state)
{
	struct lab *l = *state;
	struct soft_port *port = l->w.ports[0];
	struct world_frame f;

	ask_first(l, &f);
	port->hm.sent[0].awaits_time = true;
	advance(l, 10 * DELAY_NS);
	hm_sent(&port->hm.engine, &port->hm.sent[0].frame, l->w.now);
	advance(l, DELAY_NS);
	assert_true(answer(l, 0, &f, NEIGHBOR));
	world_turn(&l->w);
	assert_in_range(stats_of(l, 0).last, 99, 101);
}

static void test_own_frames_that_return_are_dropped(void **state)
{
	struct lab *l = *state;
	struct world_frame f;

	ask_first(l, &f);
	advance(l, DELAY_NS);
	world_send(&l->w, 0, f.octets, f.len);
	world_turn(&l->w);
	assert_int_equal(stats_of(l, 0).hm.verdict[HM_LOOPED], 1);
	assert_false(stats_of(l, 0).measured);
	assert_false(world_recv(&l->w, 0, &f));
}

/* The first response counts; that of the second neighbor is to no open request. */
static void test_second_neighbor_is_counted_as_unexpected(void **state)
{
	struct lab *l = *state;
	struct world_frame f;

	ask_first(l, &f);
	advance(l, DELAY_NS);
	assert_true(answer(l, 0, &f, NEIGHBOR));
	assert_true(answer(l, 0, &f, SECOND));
	world_turn(&l->w);
	assert_int_equal(stats_of(l, 0).hm.responses_received, 1);
	assert_int_equal(stats_of(l, 0).hm.verdict[HM_UNMATCHED], 1);
	assert_in_range(stats_of(l, 0).last, 99, 101);
}

/* A paused port, and one whose interface accepts no data, measure. */
static void test_pause_does_not_delay_measurement(void **state)
{
	struct lab *l = *state;
	struct world_frame f;

	put_in_force(l, PFC_MEASURE_ALWAYS);
	port_pause(l->w.ports[0], 0xff, l->w.now);
	l->w.ports[0]->blocked = true;
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 0, &f));
	assert_int_equal(get_be16(f.octets + ETH_TYPE_OFFSET), ETH_TYPE_HMPDU);
}

/* 36.9.6 c): at most one measurement a second. */
static void test_lost_lossless_frame_starts_another_measurement(void **state)
{
	struct lab *l = *state;
	struct port_set *s = &l->w.bridge.ports;
	struct world_frame f;

	put_in_force(l, PFC_MEASURE_ALWAYS);
	converse(l, 0, DELAY_NS);
	advance(l, 2 * DCB_NS_PER_S);
	world_turn(&l->w);
	assert_false(world_recv(&l->w, 0, &f));
	port_set_count_lossless(s, l->w.ports[0], 3);
	assert_int_equal(l->w.ports[0]->pfc.stats[3].pfc_discards, 1);
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 0, &f));
	assert_int_equal(stats_of(l, 0).hm.rounds, 2);
}

/* A manager, and a neighbor that was lost or replaced. */
static void test_triggers_of_the_control_thread(void **state)
{
	struct lab *l = *state;
	struct world_frame f;

	put_in_force(l, PFC_MEASURE_ALWAYS);
	converse(l, 0, DELAY_NS);
	for (unsigned i = 2; i < 4; i++) {
		advance(l, 2 * DCB_NS_PER_S);
		put_in_force(l, PFC_MEASURE_ALWAYS); /* the same again */
		world_turn(&l->w);
		assert_false(world_recv(&l->w, 0, &f));
		if (i == 2)
			l->w.port_config.pfc_measure.restart++;
		else
			l->w.ports[0]->oper.pfc_interruptions++;
		put_in_force(l, PFC_MEASURE_ALWAYS);
		assert_true(converse(l, 0, DELAY_NS) > 0);
		assert_int_equal(stats_of(l, 0).hm.rounds, i);
	}
}

/* The interval is between the begins. */
static void test_periodic_measurements(void **state)
{
	struct lab *l = *state;
	struct world_frame f;
	struct dcb_time began = l->w.now;

	l->w.port_config.pfc_measure.interval_s = 60;
	put_in_force(l, PFC_MEASURE_ALWAYS);
	for (unsigned i = 1; i < 5; i++) {
		assert_true(converse(l, 0, DELAY_NS) > 0);
		assert_int_equal(stats_of(l, 0).hm.rounds, i);
		began = dcb_time_add_ns(began, 60 * DCB_NS_PER_S);
		l->w.now = dcb_time_add_ns(began, -1);
		world_turn(&l->w);
		assert_false(world_recv(&l->w, 0, &f));
		assert_int_equal(l->w.ports[0]->hm.deadline.at.ns, began.ns);
		l->w.now = began;
	}
	l->w.port_config.pfc_measure.interval_s = 0;
	put_in_force(l, PFC_MEASURE_ALWAYS);
	world_turn(&l->w);
	assert_false(world_recv(&l->w, 0, &f));
	/* Ports that send no requests have no such time. */
	l->w.port_config.pfc_measure.interval_s = 1;
	put_in_force(l, PFC_MEASURE_OFF);
	advance(l, 10 * DCB_NS_PER_S);
	world_turn(&l->w);
	assert_false(world_recv(&l->w, 0, &f));
}

/* A silent neighbor is asked again after the maximum round trip, at the port's deadline. */
static void test_silent_neighbor_is_asked_again(void **state)
{
	struct lab *l = *state;
	struct world_frame f;
	struct dcb_time next;

	l->w.port_config.pfc_measure.maximum = 100000;
	put_in_force(l, PFC_MEASURE_ALWAYS);
	next = world_turn(&l->w);
	flush(l);
	assert_in_range(dcb_time_diff_ns(next, l->w.now), 1000 * DELAY_NS, 1000 * DELAY_NS + 100);
	l->w.now = next;
	world_turn(&l->w);
	assert_true(world_recv(&l->w, 0, &f));
	assert_int_equal(stats_of(l, 0).hm.timeouts, 1);
}

/* A link with a SecY: notes the frames sent, and by which port of the SecY. */
struct secure {
	struct netio io;
	enum netio_security security;
	bool from_controlled;     /* the frame that is received */
	unsigned n, n_controlled; /* frames sent */
	uint8_t path;             /* of the last one */
};

static struct secure *to_secure(const struct netio *io)
{
	return (struct secure *)io;
}

static struct netio_sent secure_send(struct netio *io, const struct iovec *frame,
				     struct dcb_time now, struct netio_stamping *stamping)
{
	struct secure *s = to_secure(io);
	struct hmpdu pdu;

	(void)now;
	stamping->awaits_time = false;
	assert_int_equal(hmpdu_decode(frame->iov_base, frame->iov_len, &pdu), HMPDU_OK);
	s->path = pdu.path;
	s->n++;
	s->n_controlled += stamping->controlled;
	return (struct netio_sent){.taken = 1};
}

static enum netio_security secure_security(const struct netio *io)
{
	return to_secure(io)->security;
}

static bool secure_controlled(struct netio *io)
{
	return to_secure(io)->from_controlled;
}

/* Has the neighbor send a request by one of its ports. Returns the frames that the port sends. */
static unsigned ask(struct lab *l, struct secure *s, enum hmpdu_path path, bool controlled)
{
	uint8_t octets[HMPDU_FRAME_OCTETS];
	struct hmpdu pdu = {.path = (uint8_t)path, .tuple = {{.use = HMPDU_REQUEST}}};

	put_address(pdu.source, NEIGHBOR);
	hmpdu_encode(&pdu, octets);
	s->n = s->n_controlled = 0;
	s->from_controlled = controlled;
	advance(l, DCB_NS_PER_MS);
	port_hm_receive(&l->w.bridge.ports.hm, l->w.ports[0], octets, sizeof(octets), l->w.now);
	(void)port_hm_run(&l->w.bridge.ports.hm, l->w.ports[0], l->w.now);
	return s->n;
}

/* 36.9.5: requests take the path of PFC frames, responses that of data frames. */
static void test_paths_are_those_of_macsec(void **state)
{
	static const struct netio_ops ops = {.send_stamped = secure_send,
					     .security = secure_security,
					     .received_controlled = secure_controlled};
	static const struct {
		enum netio_security security;
		enum hmpdu_path path;
		bool request_controlled, response_controlled;
	} modes[] = {{NETIO_SECURES_DATA, HMPDU_PATH_DATA, false, true},
		     {NETIO_SECURES_ALL, HMPDU_PATH_BOTH, true, true},
		     {NETIO_SECURES_NONE, HMPDU_PATH_PLAIN, false, false}};
	struct lab *l = *state;
	struct secure s = {.io = {.ops = &ops, .recv_fd = -1, .send_fd = -1, .stamp_fd = -1}};
	struct netio *cable = l->w.ports[0]->io;

	put_in_force(l, PFC_MEASURE_OFF);
	l->w.ports[0]->io = &s.io;
	for (unsigned i = 0; i < UNIT_COUNT(modes); i++) {
		s.security = modes[i].security;
		port_hm_update(&l->w.bridge.ports.hm, l->w.ports[0], l->w.now);
		assert_int_equal(stats_of(l, 0).path, modes[i].path);
		assert_int_equal(ask(l, &s, modes[i].path, !modes[i].request_controlled), 0);
		assert_int_equal(ask(l, &s, modes[i].path, modes[i].request_controlled), 1);
		assert_int_equal(s.n_controlled, modes[i].response_controlled);
		assert_int_equal(s.path, modes[i].path);
	}
	assert_int_equal(stats_of(l, 0).hm.verdict[HM_WRONG_PATH], UNIT_COUNT(modes));
	l->w.ports[0]->io = cable;
}

/* Without a key to transmit with, no HMPDU is sent; then another measurement begins (36.9.7). */
static void test_measurement_waits_for_macsec(void **state)
{
	static const struct netio_ops ops = {.send_stamped = secure_send,
					     .security = secure_security,
					     .received_controlled = secure_controlled};
	struct lab *l = *state;
	struct secure s = {.io = {.ops = &ops, .recv_fd = -1, .send_fd = -1, .stamp_fd = -1},
			   .security = NETIO_NOT_SECURE_YET};
	struct port_hm_set *hm = &l->w.bridge.ports.hm;
	struct netio *cable = l->w.ports[0]->io;

	l->w.ports[0]->io = &s.io;
	put_in_force(l, PFC_MEASURE_ALWAYS);
	assert_false(stats_of(l, 0).oper_up);
	assert_int_equal(ask(l, &s, HMPDU_PATH_BOTH, true), 0);
	s.security = NETIO_SECURES_ALL;
	port_hm_update(hm, l->w.ports[0], l->w.now);
	assert_true(stats_of(l, 0).oper_up);
	(void)port_hm_run(hm, l->w.ports[0], l->w.now);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.n_controlled, 1);
	l->w.ports[0]->io = cable;
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_request_is_answered_when_measurement_is_off),
	    TEST(test_requests_are_sent_as_the_setting_says),
	    TEST(test_ports_measure_their_own_links),
	    TEST(test_late_time_of_transmission_counts),
	    TEST(test_own_frames_that_return_are_dropped),
	    TEST(test_second_neighbor_is_counted_as_unexpected),
	    TEST(test_pause_does_not_delay_measurement),
	    TEST(test_lost_lossless_frame_starts_another_measurement),
	    TEST(test_triggers_of_the_control_thread),
	    TEST(test_periodic_measurements),
	    TEST(test_silent_neighbor_is_asked_again),
	    TEST(test_paths_are_those_of_macsec),
	    TEST(test_measurement_waits_for_macsec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
