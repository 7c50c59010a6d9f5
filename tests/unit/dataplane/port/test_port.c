/* SPDX-License-Identifier: BSD-3-Clause */
/* One port: queues, buffer, rate, congestion points. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "dataplane/port/port.h"
#include "tests/unit/dataplane/port/port_bench.h"

#define RESERVE (PORT_BUFFER_RESERVE_FRAMES * LONGEST)

/* 802.1Q table 8-5: priority 0 is above priority 1. */
static void test_sends_by_strict_priority(void **state)
{
	static const uint8_t expected[] = {7, 6, 5, 4, 3, 2, 0, 1};
	struct bench *t = *state;

	for (uint8_t i = 0; i < 16; i++)
		assert_true(offer(t, i % 8, 100, i, 0));
	assert_int_equal(transmit(t, 0), 0);
	assert_int_equal(t->out.n, 16);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(t->out.log[i].tag, expected[i / 2] + i % 2 * 8);
	assert_int_equal(port_deadline(&t->port).ns, INT64_MAX);
}

/* Each priority has its reserve, and of the shared octets at most alpha = 2 times the free ones. */
static void test_buffer_limits_octets(void **state)
{
	struct bench *t = *state;
	const uint32_t buffer = 90000, len = 1000;
	struct port_stats stats;
	struct buffer_stats b;
	uint32_t n = 0;

	set_buffer(t, buffer);
	while (offer(t, 1, len, 0, 0))
		n++;
	assert_int_equal(n, buffer / len);
	port_read(&t->port, &stats);
	assert_int_equal(stats.discard_queue, 1);
	assert_int_equal(port_queue(&t->port, 1)->octets, n * len);
	port_read_buffer(&t->port, 1, &b);
	assert_int_equal(b.lossy.octets, n * len);
	assert_int_equal(b.lossy.frames, n);
	assert_int_equal(b.lossy.no_octets, 1);
	assert_int_equal(b.reserve_octets, RESERVE);
	/* A higher priority has its reserve and part of the rest. */
	for (n = 0; offer(t, 5, len, 0, 0); n++)
		;
	assert_in_range(n * len, (buffer + RESERVE) / 3, RESERVE + buffer / 3 + RESERVE);
	transmit(t, 0);
	port_read_buffer(&t->port, 1, &b);
	assert_int_equal(b.lossy.octets, 0);
	assert_int_equal(b.lossy.frames, 0);
	assert_int_equal(buffer_pool_used(&t->port.buffers.shared).octets, 0);
	assert_true(offer(t, 3, len, 0, 0));
}

/* With all that is shared in use, each priority has its reserve nevertheless. */
static void test_reserve_is_always_available(void **state)
{
	struct bench *t = *state;

	set_buffer(t, 0);
	for (uint8_t priority = 0; priority < DCB_PRIORITIES; priority++) {
		for (unsigned i = 0; i < PORT_BUFFER_RESERVE_FRAMES; i++)
			assert_true(offer(t, priority, LONGEST, 0, 0));
		assert_false(offer(t, priority, 60, 0, 0));
	}
}

/* Small frames: the frame buffers are the limit, counted as such. */
static void test_frame_buffers_are_limited(void **state)
{
	struct bench *t = *state;
	struct port_stats stats;
	uint32_t n = 0;

	while (offer(t, 0, 60, 0, 0))
		n++;
	assert_in_range(n, 1024 / 2, 1024 * 2 / 3 + PORT_BUFFER_RESERVE_FRAMES);
	assert_true(offer(t, 4, 60, 0, 0));
	port_read(&t->port, &stats);
	assert_int_equal(stats.discard_no_buffer, 1);
	assert_int_equal(stats.discard_queue, 0);
}

/* Control frames have a limit of their own, independent of queued data. */
static void test_control_queue_has_own_limit(void **state)
{
	struct bench *t = *state;
	const uint32_t len = 700, limit = RESERVE + PORT_BUFFER_CONTROL_OCTETS;
	struct buffer_account *account;
	struct port_stats stats;
	uint32_t n = 0;

	set_buffer(t, len);
	assert_true(offer(t, 0, len, 0, 0));
	for (; (account = port_admit_control(&t->port, len)); n++) {
		struct dcb_frame *frame = frame_pool_get(&t->pool);

		assert_non_null(frame);
		frame->account = account;
		frame->len = len;
		frame->priority = 0;
		frame->flags = PORT_FRAME_CONTROL;
		(void)port_enqueue(&t->port, frame, (struct dcb_time){0}, &t->rng);
	}
	assert_int_equal(n, limit / len);
	port_read(&t->port, &stats);
	assert_int_equal(stats.discard_queue, 1);
	assert_int_equal(t->port.queues.queue[PORT_CONTROL].frames, n);
	assert_null(port_admit_control(&t->port, limit - n * len + 1));
	account = port_admit_control(&t->port, limit - n * len);
	assert_non_null(account);
	buffer_release(account, limit - n * len, 1);
	transmit(t, 0);
	assert_int_equal(t->out.n, n + 1);
	assert_int_equal(account->held.frames, 0);
}

/* At any time at most rate * time + one frame is sent; in the long run exactly the rate. */
static void test_rate_is_not_exceeded(void **state)
{
	struct bench *t = *state;
	const uint32_t wire = 1000 + DCB_FCS_OCTETS + DCB_WIRE_OVERHEAD_OCTETS;
	const int64_t frame_ns = wire * 8; /* 1 Gb/s: 1 ns for a bit */
	struct dcb_time now = {5000000};

	t->port.base.settings.rate = dcb_rate_from_mbps(1000);
	for (int i = 0; i < 500; i++)
		assert_true(offer(t, (uint8_t)(i % 8), 1000, 0, now.ns));
	while (port_deadline(&t->port).ns != INT64_MAX) {
		now = port_deadline(&t->port);
		transmit(t, now.ns);
	}
	assert_int_equal(t->out.n, 500);
	for (int64_t i = 0; i < 500; i++)
		assert_int_equal(t->out.log[i].at.ns, 5000000 + i * frame_ns);
}

/* With MACsec, frames have SecTAG and ICV on the link. */
static void test_rate_includes_macsec(void **state)
{
	struct bench *t = *state;
	const uint32_t wire = 1000 + 32 + DCB_FCS_OCTETS + DCB_WIRE_OVERHEAD_OCTETS;
	struct dcb_time now = {5000000};

	t->port.base.settings.rate = dcb_rate_from_mbps(1000);
	t->port.link_octets = 32;
	for (int i = 0; i < 50; i++)
		assert_true(offer(t, (uint8_t)(i % 8), 1000, 0, now.ns));
	while (port_deadline(&t->port).ns != INT64_MAX) {
		now = port_deadline(&t->port);
		transmit(t, now.ns);
	}
	assert_int_equal(t->out.n, 50);
	assert_int_equal(t->out.log[49].at.ns, 5000000 + INT64_C(49) * wire * 8);
}

/* A late port catches up by at most PORT_CATCH_UP_NS; an idle port accumulates no rate. */
static void test_late_port_catches_up(void **state)
{
	struct bench *t = *state;
	const int64_t frame_ns = (976 + 24) * 8 * 100;

	t->port.base.settings.rate = dcb_rate_from_mbps(10);
	for (int i = 0; i < 100; i++)
		assert_true(offer(t, 0, 976, 0, 0));
	transmit(t, 0);
	assert_int_equal(t->out.n, 1);
	transmit(t, 10 * frame_ns);
	assert_int_equal(t->out.n, 11);
	transmit(t, DCB_NS_PER_S);
	assert_int_equal(t->out.n, 11 + PORT_CATCH_UP_NS / frame_ns + 1);
	for (int64_t i = 1; i <= 8; i++)
		transmit(t, DCB_NS_PER_S + i * 10 * frame_ns);
	assert_int_equal(t->out.n, 100);

	t->out.n = 0;
	for (int i = 0; i < 10; i++)
		assert_true(offer(t, 0, 976, 0, 10 * DCB_NS_PER_S));
	transmit(t, 10 * DCB_NS_PER_S);
	assert_int_equal(t->out.n, 1);
}

/* A frame of a higher priority leaves before queued frames. */
static void test_higher_priority_overtakes_at_limited_rate(void **state)
{
	struct bench *t = *state;

	t->port.base.settings.rate = dcb_rate_from_mbps(100);
	for (int i = 0; i < 10; i++)
		assert_true(offer(t, 0, 1500, 10, 0));
	transmit(t, 0);
	assert_true(offer(t, 6, 100, 60, 1));
	transmit(t, port_deadline(&t->port).ns);
	assert_int_equal(t->out.n, 2);
	assert_int_equal(t->out.log[1].tag, 60);
}

/* Paused priorities stay queued, others are sent; a pause accumulates no rate. */
static void test_paused_priorities_stay_queued(void **state)
{
	struct bench *t = *state;

	t->port.base.settings.rate = dcb_rate_from_mbps(100);
	for (uint8_t i = 0; i < 8; i++)
		assert_true(offer(t, i % 4, 1476, i, 0));
	port_pause(&t->port, 1 << 3 | 1 << 0, (struct dcb_time){0});
	for (int64_t ns = 0; port_deadline(&t->port).ns != INT64_MAX; ns += 10000)
		transmit(t, ns);
	assert_int_equal(t->out.n, 4); /* of priorities 2 and 1 */
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(t->out.log[i].tag % 4, i < 2 ? 2 : 1);
	transmit(t, DCB_NS_PER_S);
	assert_int_equal(t->out.n, 4);
	port_pause(&t->port, 1 << 0, (struct dcb_time){DCB_NS_PER_S});
	transmit(t, DCB_NS_PER_S);
	assert_int_equal(t->out.n, 5);
	assert_int_equal(t->out.log[4].tag, 3);
	assert_int_equal(port_deadline(&t->port).ns, DCB_NS_PER_S + 120000);
	transmit(t, DCB_NS_PER_S + 120000);
	assert_int_equal(t->out.n, 6);
	assert_int_equal(port_deadline(&t->port).ns, INT64_MAX);
	/* Queued while all other frames are paused: sent at once, without a burst. */
	assert_true(offer(t, 5, 1476, 50, 2 * DCB_NS_PER_S));
	assert_true(offer(t, 5, 1476, 51, 2 * DCB_NS_PER_S));
	transmit(t, 2 * DCB_NS_PER_S);
	assert_int_equal(t->out.n, 7);
	port_pause(&t->port, 0, (struct dcb_time){2 * DCB_NS_PER_S});
	transmit(t, 3 * DCB_NS_PER_S);
	assert_int_equal(t->out.n, 10);
	assert_int_equal(t->port.queues.filled, 0);
}

/* Fractions of a nanosecond are not lost: 3 Mb/s, 1000 octets on the wire. */
static void test_rate_keeps_fractions_of_ns(void **state)
{
	struct bench *t = *state;
	struct dcb_time now = {0};

	t->port.base.settings.rate = dcb_rate_from_mbps(3);
	for (int i = 0; i < 601; i++)
		assert_true(offer(t, 0, 976, 0, 0));
	while (port_deadline(&t->port).ns != INT64_MAX) {
		now = port_deadline(&t->port);
		transmit(t, now.ns);
	}
	assert_int_equal(t->out.log[600].at.ns, 1600 * DCB_NS_PER_MS);
}

/* port_take_link() copies link changes for the dataplane thread. */
static void test_link_changes_are_copied(void **state)
{
	static const uint8_t mac[DCB_MAC_OCTETS] = {0x02, 0xff, 0x80, 0x00, 0x01, 0xfe};
	struct bench *t = *state;
	uint8_t read[DCB_MAC_OCTETS];

	memcpy(t->port.base.link.mac, mac, sizeof(mac));
	t->port.base.link.speed = dcb_rate_from_mbps(10000);
	port_mac(&t->port, read);
	assert_memory_not_equal(read, mac, sizeof(mac));
	port_take_link(&t->port);
	port_mac(&t->port, read);
	assert_memory_equal(read, mac, sizeof(mac));
	assert_int_equal(port_speed(&t->port).bps, UINT64_C(10000000000));
}

static void test_blocked_port_waits_for_writable(void **state)
{
	struct bench *t = *state;
	struct port_stats stats;

	for (uint8_t i = 0; i < 200; i++)
		assert_true(offer(t, 0, 100, i, 0));
	t->out.accept = 70;
	transmit(t, 0);
	assert_true(t->port.blocked);
	assert_int_equal(port_deadline(&t->port).ns, INT64_MAX);
	assert_true(offer(t, 5, 100, 250, 0)); /* while blocked */
	t->out.accept = UINT_MAX;
	transmit(t, 0);
	assert_int_equal(t->out.n, 70); /* none until the interface is writable */
	t->port.blocked = false;
	transmit(t, 0);
	assert_int_equal(t->out.n, 201);
	assert_int_equal(t->out.log[69].tag, 69);
	assert_int_equal(t->out.log[70].tag, 250);
	for (unsigned i = 71; i < 201; i++)
		assert_int_equal(t->out.log[i].tag, i - 1);
	port_read(&t->port, &stats);
	assert_int_equal(stats.tx_frames, 201);
	assert_int_equal(stats.tx_octets, 20100);
}

static void test_call_ends_in_any_queue(void **state)
{
	struct bench *t = *state;

	for (unsigned accept = 1; accept < 12; accept++) {
		for (uint8_t i = 0; i < 12; i++)
			assert_true(offer(t, 3 + i % 3, 100, i, 0));
		for (t->out.n = 0; t->port.queues.filled; t->port.blocked = false) {
			t->out.accept = accept;
			transmit(t, 0);
		}
		for (unsigned i = 0; i < 12; i++)
			assert_int_equal(t->out.log[i].tag, 2 - i / 4 + i % 4 * 3);
	}
}

static void test_counts_refused_frames_and_returns_errors(void **state)
{
	struct bench *t = *state;
	struct port_stats stats;

	t->out.refuse = 4;
	for (uint8_t i = 0; i < 8; i++)
		assert_true(offer(t, 0, 100, i, 0));
	assert_int_equal(transmit(t, 0), 0);
	port_read(&t->port, &stats);
	assert_int_equal(stats.tx_errors, 2);
	assert_int_equal(stats.tx_frames, 6);
	assert_int_equal(stats.tx_octets, 600);
	assert_true(offer(t, 0, 100, 0, 0));
	t->out.error = ENETDOWN;
	assert_int_equal(transmit(t, 0), ENETDOWN);
}

/* Each frame of a CNPV counts as transmitted or discarded. */
static void test_cp_counts_each_frame(void **state)
{
	struct bench *t = *state;
	struct cp_stats cp;
	unsigned n = 0;

	configure(t, &t->config, 1 << 3);
	set_buffer(t, 30000);
	for (int i = 0; i < 50; i++)
		n += offer(t, 3, 1000, 0, 0);
	assert_int_equal(n, 30000 / 1000);
	port_count_no_buffer(&t->port, 3);
	port_read_cp(&t->port, 3, &cp);
	assert_int_equal(cp.cp_transmitted_frames, n);
	assert_int_equal(cp.cp_discarded_frames, 50 - n + 1);
	assert_int_equal(cp.cp_qlen, n * 1000);
	assert_int_equal(cp.cp_qlen_peak, n * 1000);
	transmit(t, 0);
	port_read_cp(&t->port, 3, &cp);
	assert_int_equal(cp.cp_qlen, 0);
	assert_int_equal(cp.cp_qlen_peak, n * 1000);
	/* Other priorities have no congestion point. */
	offer(t, 4, 1000, 0, 0);
	port_read_cp(&t->port, 4, &cp);
	assert_int_equal(cp.cp_transmitted_frames, 0);
}

/* The congestion point samples a long queue and computes negative feedback. */
static void test_cp_samples_long_queue(void **state)
{
	struct bench *t = *state;
	struct cp_stats cp;
	unsigned cnms = 0;

	configure(t, &t->config, 0xff);
	for (int i = 0; i < 400; i++) {
		struct dcb_frame *frame = frame_pool_get(&t->pool);

		frame->len = 1500;
		frame->priority = 3;
		cnms += port_enqueue(&t->port, frame, (struct dcb_time){0}, &t->rng).cnm;
	}
	port_read_cp(&t->port, 3, &cp);
	assert_int_equal(cp.cp_qlen, 600000);
	assert_int_equal(cp.cp_fb, -130000);
	assert_true(cp.cp_samples >= 3);
	assert_int_equal(cnms, cp.cp_samples);
	assert_int_equal(cp.cp_transmitted_cnms, 0);
}

/* Configurations change while frames are queued. */
static void test_configuration_starts_and_ends_cp(void **state)
{
	struct bench *t = *state;
	struct port_config other = t->config;
	struct cp_stats cp;

	offer(t, 3, 1000, 0, 0);
	configure(t, &t->config, 1 << 3);
	offer(t, 3, 500, 0, 0);
	port_read_cp(&t->port, 3, &cp);
	assert_int_equal(cp.cp_qlen, 1500); /* octets queued before */
	other.cp[3].cp_qsp = 100;
	configure(t, &other, 1 << 3);
	assert_int_equal(t->port.cn.cp[3].cp_qlen, 1500); /* the state is kept */
	assert_int_equal(t->port.cn.cp[3].config.cp_qsp, 100);
	configure(t, &other, 0);
	port_read_cp(&t->port, 3, &cp);
	assert_int_equal(cp.cp_qlen, 0);
	assert_int_equal(cp.cp_transmitted_frames, 1);
	transmit(t, 0);
	assert_int_equal(t->out.n, 2); /* the frames were kept */
	configure(t, &other, 1 << 3);
	offer(t, 3, 700, 0, 0);
	transmit(t, 0);
	port_read_cp(&t->port, 3, &cp);
	assert_int_equal(cp.cp_qlen, 0);
	assert_int_equal(cp.cp_transmitted_frames, 2);
}

/* There may be thousands of synthetic ports: limits their size. */
static void test_port_is_small(void **state)
{
	(void)state;
	print_message("struct soft_port: %zu octets\n", sizeof(struct soft_port));
	assert_true(sizeof(struct port_hm) <= 1200);
	assert_true(sizeof(struct soft_port) - sizeof(struct port_hm) <= 7960);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_sends_by_strict_priority),
	    TEST(test_paused_priorities_stay_queued),
	    TEST(test_rate_keeps_fractions_of_ns),
	    TEST(test_link_changes_are_copied),
	    TEST(test_buffer_limits_octets),
	    TEST(test_reserve_is_always_available),
	    TEST(test_frame_buffers_are_limited),
	    TEST(test_control_queue_has_own_limit),
	    TEST(test_rate_is_not_exceeded),
	    TEST(test_rate_includes_macsec),
	    TEST(test_late_port_catches_up),
	    TEST(test_higher_priority_overtakes_at_limited_rate),
	    TEST(test_blocked_port_waits_for_writable),
	    TEST(test_call_ends_in_any_queue),
	    TEST(test_cp_counts_each_frame),
	    TEST(test_counts_refused_frames_and_returns_errors),
	    TEST(test_cp_samples_long_queue),
	    TEST(test_configuration_starts_and_ends_cp),
	    cmocka_unit_test(test_port_is_small),
	};

	return cmocka_run_group_tests_name("port", tests, NULL, NULL);
}
