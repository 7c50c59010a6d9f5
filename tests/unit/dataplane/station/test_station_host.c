/* SPDX-License-Identifier: BSD-3-Clause */
/* A station reads several frames of its host before it queues them. */
#include "lib/octets.h"
#include "tests/unit/station_world.h"
#include "tests/unit/unit.h"

#define N     64
#define GROUP UINT64_C(0x030000000001) /* a frame from it is discarded */

/* The host sends a frame with this number in it. */
static void give(struct lab *l, uint16_t number, uint64_t sa)
{
	const struct iovec frame = {f, make(PEER, sa, -1, 0x88b5, 100)};

	put_be16(f + ETH_TYPE_OFFSET + 2, number);
	assert_int_equal(l->host->ops->send(l->host, &frame, 1, l->now).taken, 1);
}

static bool take_number(struct lab *l, uint16_t *number)
{
	if (!take(l->wire, &out))
		return false;
	*number = get_be16(out.octets + out.view.payload_offset);
	return true;
}

/* A frame that is discarded between others changes nothing for these. */
static void test_frames_stay_in_order(void **state)
{
	struct lab *l = *state;
	uint16_t number;

	for (uint16_t i = 0; i < N; i++)
		give(l, i, i % 4 == 1 ? GROUP : OURS);
	assert_int_equal(station_read_host(&l->st, &l->port, N / 2, l->now), N / 2);
	assert_int_equal(station_read_host(&l->st, &l->port, N, l->now), N / 2);
	assert_int_equal(station_read_host(&l->st, &l->port, N, l->now), 0);
	turn(l);
	for (uint16_t i = 0; i < N; i++) {
		if (i % 4 == 1)
			continue;
		assert_true(take_number(l, &number));
		assert_int_equal(number, i);
	}
	assert_false(take(l->wire, &out));
	assert_int_equal(port_stats(l).discard_malformed, N / 4);
}

/*
 * With fewer frame buffers than frames, those that are free again after a discarded frame are
 * used, and a frame for which there is none is read, discarded and counted.
 */
static void test_reads_with_few_frame_buffers(void **state)
{
	struct station_params params = plenty;
	struct lab *l = *state;
	uint16_t number, queued = 0;

	params.frame_buffers = 20;
	restart(l, &params, &plain);
	port_pause(&l->port, 1, l->now);
	for (uint16_t i = 0; i < N; i++)
		give(l, i, i < 10 ? GROUP : OURS);
	assert_int_equal(station_read_host(&l->st, &l->port, N, l->now), N);
	port_pause(&l->port, 0, l->now);
	turn(l);
	for (; take_number(l, &number); queued++)
		assert_int_equal(number, 10 + queued);
	assert_in_range(queued, 11, 20);
	assert_int_equal(port_stats(l).discard_malformed, 10);
	assert_int_equal(port_stats(l).discard_no_buffer, N - 10 - queued);
}

/* A port that is down reads the host's frames and sends none of them later. */
static void test_frames_of_a_port_that_is_down(void **state)
{
	struct lab *l = *state;

	station_port_down(&l->st, &l->port, l->now);
	for (uint16_t i = 0; i < N; i++)
		give(l, i, OURS);
	assert_int_equal(station_read_host(&l->st, &l->port, N, l->now), N);
	station_port_up(&l->st, &l->port, l->now);
	turn(l);
	assert_false(take(l->wire, &out));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_frames_stay_in_order),
	    TEST(test_reads_with_few_frame_buffers),
	    TEST(test_frames_of_a_port_that_is_down),
	};

	return cmocka_run_group_tests_name("station_host", tests, NULL, NULL);
}
