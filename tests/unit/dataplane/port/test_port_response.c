/* SPDX-License-Identifier: BSD-3-Clause */
/* Response time of the PFC receiver of a port, measured by the halts of its transmission. */
#include "dataplane/core/pfc_pdu.h"
#include "tests/unit/dataplane/port/hm_lab.h"
#include "tests/unit/world.h"

static struct dcb_time at_halt(void *ctx)
{
	struct lab *l = ctx;

	return dcb_time_add_ns(l->w.now, l->halts_after_ns);
}

static uint32_t octets_waiting(struct netio *io)
{
	(void)io;
	return 12500; /* 10 us */
}

/* Port 0, which is none in memory, receives an XOFF, and halts after a time. Then an XON. */
static void pause_after(struct lab *l, int64_t ns)
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 0, 10}, .enable = 8, .time = {[3] = 1000}};
	uint8_t octets[PFC_FRAME_OCTETS];

	l->halts_after_ns = ns;
	pfc_pdu_encode(&pdu, octets);
	world_send(&l->w, 0, octets, sizeof(octets));
	world_turn(&l->w);
	assert_int_equal(l->w.ports[0]->pfc.rx.paused, 8);
	l->halts_after_ns += 1000000; /* a pause that is renewed is no other halt */
	world_send(&l->w, 0, octets, sizeof(octets));
	world_turn(&l->w);
	pdu.time[3] = 0;
	pfc_pdu_encode(&pdu, octets);
	world_send(&l->w, 0, octets, sizeof(octets));
	world_turn(&l->w);
	assert_int_equal(l->w.ports[0]->pfc.rx.paused, 0);
}

static uint32_t told_ns(const struct lab *l)
{
	return l->w.ports[0]->hm.engine.settings.halt_ns;
}

static void prepare_halts(struct lab *l)
{
	struct soft_port *port = l->w.ports[0];

	l->w.bridge.ports.hm.now = at_halt;
	port->base.settings.memory = false;
	port->oper.pfc_enable = 8;
	port_pfc_configure(&l->w.bridge.ports.pfc, port, l->w.now);
	put_in_force(l, PFC_MEASURE_OFF);
	l->handed_over = 0;
}

static void test_response_of_the_receiver_is_measured(void **state)
{
	struct lab *l = *state;

	prepare_halts(l);
	assert_int_equal(told_ns(l), PFC_MEASURE_HALT_HOST_NS);
	for (unsigned i = 1; i < PORT_RESPONSE_SAMPLES; i++) {
		pause_after(l, 3000);
		assert_int_equal(told_ns(l), PFC_MEASURE_HALT_HOST_NS);
	}
	assert_int_equal(stats_of(l, 0).response_ns, 3000);
	assert_int_equal(l->handed_over, 0);
	pause_after(l, 2000);
	assert_int_equal(told_ns(l), 8192);
	assert_int_equal(l->handed_over, 1);
	assert_int_equal(stats_of(l, 0).response_bound_ns, 8192);
	pause_after(l, 4097);
	assert_int_equal(told_ns(l), 8192);
	pause_after(l, 5000); /* raised at once by two */
	assert_int_equal(told_ns(l), 16384);
	assert_int_equal(l->handed_over, 2);
	assert_int_equal(stats_of(l, 0).response_ns, 4097);
	pause_after(l, 8192);
	pause_after(l, 8192);
	assert_int_equal(told_ns(l), 16384);
	assert_int_equal(stats_of(l, 0).response_ns, 8192);
	/* Settings replace it. */
	l->w.port_config.pfc_way.response_ns = 5000;
	put_in_force(l, PFC_MEASURE_OFF);
	assert_int_equal(told_ns(l), 5000);
	l->w.port_config.pfc_measure.halt_ns = 6000;
	put_in_force(l, PFC_MEASURE_OFF);
	assert_int_equal(told_ns(l), 6000);
	assert_int_equal(stats_of(l, 1).response_ns, 0);
}

/* Frames that the kernel has accepted before the halt leave after it. */
static void test_response_has_the_frames_in_the_kernel(void **state)
{
	struct lab *l = *state;
	struct netio *io = l->w.ports[0]->io;
	const struct netio_ops *was = io->ops;
	struct netio_ops ops = *was;

	prepare_halts(l);
	ops.unsent = octets_waiting;
	io->ops = &ops;
	pause_after(l, 3000);
	pause_after(l, 3000);
	io->ops = was;
	assert_int_equal(stats_of(l, 0).response_ns, 13000);
}

/* A bound above the preliminary one is in force at once. At a link-up only the last times count. */
static void test_response_is_reduced_by_a_link_up_only(void **state)
{
	struct lab *l = *state;
	struct port_set *s = &l->w.bridge.ports;

	prepare_halts(l);
	pause_after(l, 150000);
	pause_after(l, 150000);
	assert_int_equal(told_ns(l), 524288);
	for (unsigned i = 0; i < 2 * PORT_RESPONSE_SAMPLES; i++)
		pause_after(l, 1000);
	assert_int_equal(told_ns(l), 524288);
	assert_int_equal(stats_of(l, 0).response_ns, 150000);
	port_set_port_down(s, l->w.ports[0], l->w.now);
	port_set_port_up(s, l->w.ports[0], l->w.now);
	assert_int_equal(told_ns(l), 2048);
	assert_int_equal(stats_of(l, 0).response_bound_ns, 2048);
	assert_int_equal(stats_of(l, 0).response_ns, 1000);
	pause_after(l, DCB_NS_PER_S / 2);
	pause_after(l, DCB_NS_PER_S / 2);
	assert_int_equal(told_ns(l), PORT_RESPONSE_BOUND_MAX_NS);
}

/* The first one, a later one, and one before a link-up. */
static void test_single_outlier_of_the_response_has_no_effect(void **state)
{
	struct lab *l = *state;
	struct port_set *s = &l->w.bridge.ports;

	prepare_halts(l);
	for (unsigned i = 0; i <= PORT_RESPONSE_SAMPLES; i++)
		pause_after(l, i % 20 == 0 ? DCB_NS_PER_S / 2 : 3000);
	assert_int_equal(told_ns(l), 8192);
	assert_int_equal(stats_of(l, 0).response_ns, 3000);
	pause_after(l, DCB_NS_PER_S / 2);
	assert_int_equal(told_ns(l), 8192);
	port_set_port_down(s, l->w.ports[0], l->w.now);
	port_set_port_up(s, l->w.ports[0], l->w.now);
	assert_int_equal(told_ns(l), 8192);
}

static void test_only_a_port_in_memory_meets_the_limit_of_the_standard(void **state)
{
	struct lab *l = *state;

	put_in_force(l, PFC_MEASURE_OFF);
	assert_true(l->w.ports[0]->base.settings.memory);
	assert_int_equal(told_ns(l), 615);
	prepare_halts(l);
	assert_int_equal(told_ns(l), 200000);
	assert_int_equal(l->w.ports[1]->hm.engine.settings.halt_ns, 615);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_response_of_the_receiver_is_measured),
	    TEST(test_response_has_the_frames_in_the_kernel),
	    TEST(test_response_is_reduced_by_a_link_up_only),
	    TEST(test_single_outlier_of_the_response_has_no_effect),
	    TEST(test_only_a_port_in_memory_meets_the_limit_of_the_standard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
