/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Round trips with timestamps of a NIC, which is a double in front of a link in memory. The test is
 * the neighbor. The link has 10 Gb/s: a quantum is 51.2 ns.
 */
#include "dataplane/port/port_nic.h"

#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#include <string.h>

#define TRANSMIT_NS 1024 /* from the kernel to the NIC: 20 quanta */
#define LINK_NS     5120 /* link and neighbor: 100 quanta */
#define SLOW_NS     5120 /* from the NIC to the kernel, the first time */
#define FAST_NS     1024 /* and then */
#define NIC_EPOCH   INT64_C(-1234567890123456789)

/* --- the double of the NIC --- */

static struct nic {
	const struct netio_ops *mem;
	bool is_used, transmits, receives; /* the times that it takes */
	bool is_late;                      /* a transmit time is reported after the response */
	int64_t set_ns;                    /* its clock is set by this before the response */
	int64_t epoch;
	int64_t receive_ns;
	struct netio_stamp stamp;
	bool has_stamp;
} nic;

static struct netio_sent nic_send_stamped(struct netio *io, const struct iovec *frame,
					  struct dcb_time now, struct netio_stamping *stamping)
{
	struct netio_sent sent = nic.mem->send_stamped(io, frame, now, stamping);

	stamping->awaits_nic = nic.is_used;
	nic.has_stamp = nic.is_used && nic.transmits;
	nic.stamp = (struct netio_stamp){
	    .id = stamping->id, .by_nic = true, .nic_ns = now.ns + TRANSMIT_NS + nic.epoch};
	return sent;
}

static bool nic_sent_at(struct netio *io, struct netio_stamp *stamp)
{
	if (nic.mem->sent_at(io, stamp))
		return true;
	if (!nic.has_stamp || nic.is_late)
		return false;
	nic.has_stamp = false;
	*stamp = nic.stamp;
	return true;
}

static bool nic_received(struct netio *io, int64_t *nic_ns)
{
	*nic_ns = nic.mem->received_at(io).ns - nic.receive_ns + nic.epoch;
	return nic.receives;
}

/* --- a port and its neighbor --- */

struct lab {
	struct world w;
	struct netio_ops ops;
	int16_t adjustment; /* of the port's last response */
};

static struct lab *lab_new(void)
{
	struct lab *l = calloc(1, sizeof(*l));
	struct netio *io;

	assert_non_null(l);
	world_init(&l->w, 1, NULL);
	io = l->w.ports[0]->io;
	nic.mem = io->ops;
	l->ops = *io->ops;
	l->ops.send_stamped = nic_send_stamped;
	l->ops.sent_at = nic_sent_at;
	l->ops.received_by_nic = nic_received;
	io->ops = &l->ops;
	l->w.port_config.pfc_measure.enable = PFC_MEASURE_ALWAYS;
	port_hm_update(&l->w.bridge.ports.hm, l->w.ports[0], l->w.now);
	return l;
}

static void lab_free(struct lab *l)
{
	l->w.ports[0]->io->ops = nic.mem;
	world_free(&l->w);
	free(l);
}

static struct pfc_measure_stats stats_of(const struct lab *l)
{
	struct pfc_measure_stats stats;

	port_read_measure(l->w.ports[0], &stats);
	return stats;
}

/* Returns the request that the port has sent; HMPDU_UNUSED: there is none. */
static struct hmpdu_tuple read_sent(struct lab *l)
{
	struct hmpdu_tuple request = {0};
	struct world_frame f;
	struct hmpdu pdu;

	while (world_recv(&l->w, 0, &f)) {
		assert_int_equal(hmpdu_decode(f.octets, f.len, &pdu), HMPDU_OK);
		for (unsigned i = 0; i < HMPDU_TUPLES; i++) {
			if (pdu.tuple[i].use == HMPDU_REQUEST)
				request = pdu.tuple[i];
			else if (pdu.tuple[i].use == HMPDU_RESPONSE_ADJUSTED)
				l->adjustment = pdu.tuple[i].response_adjustment;
		}
	}
	return request;
}

/* Begins another measurement if the round trips have agreed. */
static struct hmpdu_tuple request_of(struct lab *l)
{
	struct hmpdu_tuple request = read_sent(l);

	if (request.use != HMPDU_REQUEST) {
		l->w.now = dcb_time_add_ns(l->w.now, 100 * DCB_NS_PER_S);
		port_hm_trigger(&l->w.bridge.ports.hm, l->w.ports[0], HM_TRIGGER_MANAGEMENT,
				l->w.now);
		world_turn(&l->w);
		request = read_sent(l);
	}
	assert_int_equal(request.use, HMPDU_REQUEST);
	return request;
}

/* Answers the port's request, and sends one, so that the kernel has them after receive_ns. */
static void answer(struct lab *l, int64_t receive_ns)
{
	struct hmpdu_tuple request = request_of(l);
	struct hmpdu pdu = {.source = {2, 0, 0, 0, 0, 10},
			    .tuple = {hmpdu_respond(&request, 0),
				      {.use = HMPDU_REQUEST, .timestamp = request.timestamp}}};
	uint8_t octets[HMPDU_FRAME_OCTETS];

	hmpdu_encode(&pdu, octets);
	l->w.now = dcb_time_add_ns(l->w.now, TRANSMIT_NS + LINK_NS + receive_ns);
	nic.epoch += nic.set_ns;
	nic.receive_ns = receive_ns;
	world_send(&l->w, 0, octets, sizeof(octets));
	/* The port has the frame later: its times count. */
	l->w.now = dcb_time_add_ns(l->w.now, 2 * LINK_NS);
	world_turn(&l->w);
}

/* Two round trips, of which the NIC has the first response longer. */
static struct lab *two_round_trips(const struct nic *is)
{
	struct lab *l;

	nic = *is;
	nic.epoch = NIC_EPOCH;
	l = lab_new();
	world_turn(&l->w);
	answer(l, SLOW_NS);
	assert_in_range(stats_of(l).last, 219, 221);
	answer(l, FAST_NS);
	return l;
}

/*
 * With all times of the NIC, its longest delay takes the place of that of each round trip.
 * Otherwise both times are of the kernel: never one of each.
 */
static void test_clock_of_a_round_trip(void **state)
{
	static const struct {
		const char *what;
		struct nic nic;
		enum netio_clock clock;
		uint64_t last, missing, delay_ns;
	} cases[] = {
	    {"no NIC", {.is_used = false, .receives = true}, NETIO_CLOCK_KERNEL, 140, 0, 0},
	    {"receive times only",
	     {.is_used = true, .receives = true},
	     NETIO_CLOCK_KERNEL,
	     140,
	     2,
	     0},
	    {"transmit times only",
	     {.is_used = true, .transmits = true},
	     NETIO_CLOCK_KERNEL,
	     140,
	     2,
	     0},
	    {"late transmit times",
	     {.is_used = true, .transmits = true, .receives = true, .is_late = true},
	     NETIO_CLOCK_KERNEL,
	     140,
	     2,
	     0},
	    {"clock set forth",
	     {.is_used = true, .transmits = true, .receives = true, .set_ns = DCB_NS_PER_S},
	     NETIO_CLOCK_KERNEL,
	     140,
	     2,
	     0},
	    {"clock set back",
	     {.is_used = true, .transmits = true, .receives = true, .set_ns = -2 * DCB_NS_PER_MS},
	     NETIO_CLOCK_KERNEL,
	     140,
	     2,
	     0},
	    {"all times",
	     {.is_used = true, .transmits = true, .receives = true},
	     NETIO_CLOCK_NIC,
	     220,
	     0,
	     TRANSMIT_NS + SLOW_NS},
	};
	int16_t adjustment = 0;

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(cases); i++) {
		struct lab *l = two_round_trips(&cases[i].nic);
		struct pfc_measure_stats s = stats_of(l);

		if (s.clock != cases[i].clock || s.last + 1 < cases[i].last ||
		    s.last > cases[i].last + 1 || s.nic_missing != cases[i].missing ||
		    s.nic_ns != cases[i].delay_ns)
			fail_msg("%s: clock %u, %u quanta, %u missing, %u ns", cases[i].what,
				 (unsigned)s.clock, (unsigned)s.last, (unsigned)s.nic_missing,
				 (unsigned)s.nic_ns);
		/* What the port answers does not depend on its NIC. */
		(void)read_sent(l);
		if (i == 0)
			adjustment = l->adjustment;
		assert_int_equal(l->adjustment, adjustment);
		assert_int_not_equal(l->adjustment, 0);
		lab_free(l);
	}
}

/* The object is about the last round trip. A time that comes after its response has no effect. */
static void test_clock_is_that_of_the_last_round_trip(void **state)
{
	static const struct nic all = {.is_used = true, .transmits = true, .receives = true};
	struct lab *l = two_round_trips(&all);
	struct netio_stamp late;

	(void)state;
	assert_int_equal(stats_of(l).clock, NETIO_CLOCK_NIC);
	nic.is_late = true;
	answer(l, FAST_NS);
	assert_int_equal(stats_of(l).clock, NETIO_CLOCK_KERNEL);
	assert_int_equal(stats_of(l).nic_missing, 1);
	assert_in_range(stats_of(l).last, 139, 141);
	late = nic.stamp;
	nic.stamp = late;
	nic.has_stamp = true;
	nic.is_late = false;
	port_hm_times(&l->w.bridge.ports.hm, l->w.ports[0], l->w.now);
	assert_false(nic.has_stamp);
	assert_in_range(stats_of(l).last, 139, 141);
	assert_int_equal(stats_of(l).nic_ns, TRANSMIT_NS + SLOW_NS);
	lab_free(l);
}

/* Another link can have other delays: none is kept over a link-up. */
static void test_link_up_forgets_the_delay(void **state)
{
	static const struct nic all = {.is_used = true, .transmits = true, .receives = true};
	struct lab *l = two_round_trips(&all);
	struct port_set *s = &l->w.bridge.ports;

	(void)state;
	assert_int_equal(stats_of(l).nic_ns, TRANSMIT_NS + SLOW_NS);
	(void)read_sent(l);
	port_set_port_down(s, l->w.ports[0], l->w.now);
	port_set_port_up(s, l->w.ports[0], l->w.now);
	assert_int_equal(stats_of(l).nic_ns, 0);
	world_turn(&l->w);
	answer(l, FAST_NS);
	assert_int_equal(stats_of(l).nic_ns, TRANSMIT_NS + FAST_NS);
	assert_in_range(stats_of(l).last, 139, 141);
	lab_free(l);
}

/* --- port_nic_choose() and the delays --- */

static enum netio_clock choose(int64_t nic_delay_ns, uint32_t *delay_ns)
{
	const struct port_nic_times times = {
	    .has_sent = true,
	    .has_nic_sent = true,
	    .has_nic_received = true,
	    .sent = {DCB_NS_PER_S},
	    .received = {DCB_NS_PER_S + 10 * DCB_NS_PER_MS},
	    .nic_sent_ns = NIC_EPOCH,
	    .nic_received_ns = NIC_EPOCH + 10 * DCB_NS_PER_MS - nic_delay_ns,
	};

	return port_nic_choose(&times, delay_ns);
}

static void test_delays_that_are_not_possible(void **state)
{
	static const struct port_nic_times none = {.has_nic_sent = true, .has_nic_received = true};
	uint32_t delay_ns;

	(void)state;
	assert_int_equal(choose(0, &delay_ns), NETIO_CLOCK_NIC);
	assert_int_equal(choose(PORT_NIC_MAX_NS, &delay_ns), NETIO_CLOCK_NIC);
	assert_int_equal(delay_ns, PORT_NIC_MAX_NS);
	assert_int_equal(choose(PORT_NIC_MAX_NS + 1, &delay_ns), NETIO_CLOCK_KERNEL);
	assert_int_equal(delay_ns, 0);
	/* Two clocks of different rates. */
	assert_int_equal(choose(-HM_TIMESTAMP_ERROR_NS, &delay_ns), NETIO_CLOCK_NIC);
	assert_int_equal(delay_ns, 0);
	assert_int_equal(choose(-HM_TIMESTAMP_ERROR_NS - 1, &delay_ns), NETIO_CLOCK_KERNEL);
	assert_int_equal(port_nic_choose(&none, &delay_ns), NETIO_CLOCK_NONE);
}

static void test_longest_of_the_last_delays_counts(void **state)
{
	struct port_nic n = {0};

	(void)state;
	assert_int_equal(port_nic_deduct(&n, 500), 0);
	port_nic_add(&n, 900);
	for (unsigned i = 1; i < PORT_NIC_SAMPLES; i++) {
		port_nic_add(&n, 100 * i);
		assert_int_equal(port_nic_longest(&n), 900);
	}
	assert_int_equal(port_nic_deduct(&n, 500), -400);
	assert_int_equal(port_nic_deduct(&n, 1000), 0);
	port_nic_add(&n, 1);
	assert_int_equal(port_nic_longest(&n), 100 * (PORT_NIC_SAMPLES - 1));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_clock_of_a_round_trip),
	    cmocka_unit_test(test_clock_is_that_of_the_last_round_trip),
	    cmocka_unit_test(test_link_up_forgets_the_delay),
	    cmocka_unit_test(test_delays_that_are_not_possible),
	    cmocka_unit_test(test_longest_of_the_last_delays_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
