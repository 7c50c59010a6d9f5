/* SPDX-License-Identifier: BSD-3-Clause */
/* The priority that a port gives the kernel with its frames. */
#include "dataplane/port/port.h"
#include "tests/unit/dataplane/port/port_bench.h"

static bool offer_control(struct bench *t, uint8_t tag)
{
	struct dcb_frame *frame = frame_pool_get(&t->pool);

	assert_non_null(frame);
	frame->len = 100;
	frame->priority = 2;
	frame->flags = PORT_FRAME_CONTROL;
	frame->data[0] = tag;
	(void)port_enqueue(&t->port, frame, (struct dcb_time){0}, &t->rng);
	return true;
}

/*
 * Where the kernel uses priorities, each frame is sent with its own, control frames with 7;
 * the order stays, and frames of one priority are sent together.
 */
static void check_priorities(struct bench *t)
{
	static const uint8_t order[] = {7, 6, 5, 4, 3, 2, 0, 1};

	gauge_set(&t->port.link.by_priority, true);
	for (uint8_t i = 0; i < 32; i++)
		assert_true(offer(t, i % 8, 100, i, 0));
	assert_true(offer_control(t, 99));
	transmit(t, 0);
	assert_int_equal(t->out.n, 33);
	assert_int_equal(t->out.log[0].tag, 99);
	assert_int_equal(t->out.log[0].priority, 7);
	for (unsigned i = 0; i < 32; i++) {
		assert_int_equal(t->out.log[1 + i].tag, order[i / 4] + i % 4 * 8);
		assert_int_equal(t->out.log[1 + i].priority, order[i / 4]);
	}
	assert_int_equal(t->out.calls, 8); /* the control frame and those of priority 7 are one */
	assert_int_equal(t->out.set_calls, 8);
}

static void test_kernel_gets_priority_where_it_is_used(void **state)
{
	check_priorities(*state);
}

/* The last priority of one batch is also the first one of the next. */
static void test_priority_that_stays_is_not_set_again(void **state)
{
	struct bench *t = *state;

	gauge_set(&t->port.link.by_priority, true);
	for (uint8_t i = 0; i < 200; i++)
		assert_true(offer(t, 3, 100, i, 0));
	transmit(t, 0);
	assert_int_equal(t->out.n, 200);
	assert_int_equal(t->out.calls, 4);
	assert_int_equal(t->out.set_calls, 1);
}

static void test_kernel_gets_no_priority_otherwise(void **state)
{
	struct bench *t = *state;

	for (uint8_t i = 0; i < 32; i++)
		assert_true(offer(t, i % 8, 100, i, 0));
	transmit(t, 0);
	assert_int_equal(t->out.calls, 1);
	assert_int_equal(t->out.set_calls, 0);
	/* After the queueing discipline is removed, the priority returns to 0. */
	t->out.n = t->out.calls = 0;
	check_priorities(t);
	assert_true(offer(t, 3, 100, 0, 0));
	gauge_set(&t->port.link.by_priority, false);
	assert_true(offer(t, 5, 100, 1, 0));
	transmit(t, 0);
	assert_int_equal(t->out.log[33].priority, 0);
	assert_int_equal(t->out.log[34].priority, 0);
	assert_int_equal(t->out.calls, 9);
}

/* With ETS frames of two classes alternate. */
static void test_kernel_gets_priority_with_ets(void **state)
{
	struct bench *t = *state;
	unsigned of[DCB_PRIORITIES] = {0};

	t->config.dcbx.ets = (struct ets_tables){
	    .priority_tc = {0, 1, 2, 3, 4, 5, 6, 7},
	    .bandwidth = {50, 50},
	    .tsa = {TSA_ETS, TSA_ETS},
	};
	configure(t, &t->config, 0);
	gauge_set(&t->port.link.by_priority, true);
	for (uint8_t i = 0; i < 64; i++)
		assert_true(offer(t, i % 2, 100, i % 2, 0));
	transmit(t, 0);
	assert_int_equal(t->out.n, 64);
	for (unsigned i = 0; i < 64; i++) {
		assert_int_equal(t->out.log[i].priority, t->out.log[i].tag);
		of[t->out.log[i].tag]++;
	}
	assert_int_equal(of[0], 32);
	assert_int_equal(of[1], 32);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_kernel_gets_priority_where_it_is_used),
	    TEST(test_priority_that_stays_is_not_set_again),
	    TEST(test_kernel_gets_no_priority_otherwise),
	    TEST(test_kernel_gets_priority_with_ets),
	};

	return cmocka_run_group_tests_name("port", tests, NULL, NULL);
}
