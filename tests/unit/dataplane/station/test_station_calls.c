/* SPDX-License-Identifier: BSD-3-Clause */
/* A station: frames that pass the port's queue and leave in one call of the interface. */
#include "lib/octets.h"
#include "tests/unit/station_world.h"
#include "tests/unit/unit.h"

#include <string.h>

/* An interface that accepts so many frames, in front of that of the lab. */
static struct {
	struct netio io;
	struct netio *wire;
	unsigned accepts, calls, most;
} narrow;

static struct netio_sent narrow_send(struct netio *io, const struct iovec *frames, unsigned n,
				     struct dcb_time now)
{
	unsigned taken = n < narrow.accepts ? n : narrow.accepts;
	struct netio_sent sent = {0};

	(void)io;
	narrow.calls++;
	narrow.most = n > narrow.most ? n : narrow.most;
	narrow.accepts -= taken;
	if (taken > 0)
		sent = narrow.wire->ops->send(narrow.wire, frames, taken, now);
	return sent;
}

static void narrow_down(struct lab *l, unsigned accepts)
{
	static const struct netio_ops ops = {.name = "narrow", .send = narrow_send};

	narrow.io = (struct netio){.ops = &ops, .recv_fd = -1, .send_fd = -1, .stamp_fd = -1};
	narrow.wire = l->ends[0];
	narrow.accepts = accepts;
	narrow.calls = narrow.most = 0;
	l->port.io = &narrow.io;
}

/* The flow of the frame taken last: its UDP source port. */
static unsigned flow_taken(void)
{
	return get_be16(out.octets + out.view.payload_offset - 2u + 22);
}

/* Long frames leave in one call of the interface; the congestion point counts each of them. */
static void test_long_frames_leave_in_one_call(void **state)
{
	struct lab *l = *state;

	know_peer(l);
	narrow_down(l, 1000);
	for (unsigned i = 0; i < 50; i++)
		host_sends(l, make_flow(PEER, 1, 1500));
	turn(l);
	assert_int_equal(narrow.calls, 1);
	assert_int_equal(narrow.most, 50);
	assert_int_equal(l->port.cn.cp_stats[CNPV].cp_transmitted_frames, 51);
	assert_int_equal(l->port.cn.cp_stats[CNPV].cp_qlen, 0);
	assert_int_equal(port_stats(l).tx_frames, 51);
	assert_int_equal(port_stats(l).tx_octets, 50 * 1500 + out.len);
	assert_false(l->port.blocked);
}

/* Frames of several lengths to two destinations: in one call of the interface, or one call each. */
static void send_mixed(struct lab *l, bool together)
{
	restart(l, &plenty, &plain);
	l->port_config.cp[CNPV].cp_sample_base = 10000;
	configure(l, 1 << CNPV);
	narrow_down(l, 1000);
	for (uint32_t i = 0; i < 50; i++) {
		host_sends(l, make_flow(i % 7 < 4 ? PEER : OTHER, 1, 100 + 28 * i));
		if (!together)
			turn(l);
	}
	turn(l);
	assert_int_equal(narrow.calls, together ? 1 : 50);
}

/* Congestion point, its samples, and destinations do not depend on the number of calls. */
static void test_frames_of_one_call_count_one_by_one(void **state)
{
	static uint8_t sent[sizeof(struct destination) * DESTINATION_WAYS * DESTINATION_SETS];
	struct lab *l = *state;
	struct buffer_stats buffer;
	struct dcb_rng rng;
	struct cp_stats cp;

	send_mixed(l, false);
	memcpy(&cp, &l->port.cn.cp_stats[CNPV], sizeof(cp));
	assert_true(cp.cp_samples >= 3 && cp.cp_transmitted_cnms == 0);
	rng = l->st.ports.rng;
	memcpy(sent, l->port.station->pri[CNPV].destinations->entry, sizeof(sent));
	send_mixed(l, true);
	assert_memory_equal(&l->port.cn.cp_stats[CNPV], &cp, sizeof(cp));
	assert_memory_equal(&l->st.ports.rng, &rng, sizeof(rng));
	assert_memory_equal(l->port.station->pri[CNPV].destinations->entry, sent, sizeof(sent));
	assert_int_equal(cp.cp_qlen_peak, 100 + 28 * 49); /* one frame at a time */
	assert_int_equal(rp_stats(l, 1).octets, 50 * 100 + 28 * 49 * 50 / 2);
	port_read_buffer(&l->port, CNPV, &buffer);
	assert_int_equal(buffer.lossy.frames, 0);
	assert_int_equal(buffer.lossy.octets, 0);
	assert_int_equal(l->st.ports.pool.n_free, l->st.ports.pool.size);
}

/* The frames behind one that causes a CNM are charged to the limiter, as if sent after it. */
static void test_own_cnm_within_one_call(void **state)
{
	struct lab *l = *state;
	struct rp_stats rp;

	l->port_config.cp[CNPV] = (struct cp_config){.cp_qsp = 100, .cp_sample_base = 40000};
	configure(l, 1 << CNPV);
	narrow_down(l, 1000);
	for (unsigned i = 0; i < 50; i++)
		host_sends(l, make_flow(PEER, 1, 1500));
	turn(l);
	assert_int_equal(narrow.calls, 1);
	rp = rp_stats(l, 1);
	assert_true(rp.cnms > 0 && rp.rp_enabled && rp.frames == 50);
	assert_int_equal(l->port.cn.cp_stats[CNPV].cp_transmitted_cnms, rp.cnms);
	assert_int_equal(port_stats(l).tx_frames, 50);
	assert_false(limiter_is_due(&fq_of(l, 0)->limiter, l->now));
}

/* What the interface does not accept waits in flow queues and port, in its order. */
static void test_blocked_interface_keeps_the_order(void **state)
{
	struct lab *l = *state;

	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 8;
	configure(l, 1 << CNPV);
	narrow_down(l, 7);
	for (unsigned i = 0; i < 30; i++)
		host_sends(l, make_flow(PEER, (uint16_t)(1 + i % 3), 1000 + i));
	turn(l);
	assert_true(l->port.blocked);
	for (unsigned i = 0; i < 7; i++) {
		assert_true(take(l->wire, &out));
		assert_int_equal(flow_taken(), 1 + i % 3);
	}
	assert_false(take(l->wire, &out));
	assert_int_equal(l->port.cn.cp_stats[CNPV].cp_transmitted_cnms, 0);
	narrow.accepts = 100;
	l->port.blocked = false;
	turn(l);
	for (unsigned i = 7; i < 30; i++) {
		assert_true(take(l->wire, &out));
		assert_int_equal(flow_taken(), 1 + i % 3);
	}
	assert_false(take(l->wire, &out));
	assert_int_equal(port_stats(l).tx_frames, 30);
}

/* A paused priority sends nothing, although the interface would accept it. */
static void test_paused_priority_passes_nothing(void **state)
{
	struct lab *l = *state;

	narrow_down(l, 100);
	port_pause(&l->port, 1 << CNPV, l->now);
	for (unsigned i = 0; i < 10; i++)
		host_sends(l, make_flow(PEER, 1, 1000));
	turn(l);
	assert_int_equal(narrow.calls, 0);
	port_pause(&l->port, 0, l->now);
	turn(l);
	assert_int_equal(port_stats(l).tx_frames, 10);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_long_frames_leave_in_one_call),
	    TEST(test_frames_of_one_call_count_one_by_one),
	    TEST(test_own_cnm_within_one_call),
	    TEST(test_blocked_interface_keeps_the_order),
	    TEST(test_paused_priority_passes_nothing),
	};

	return cmocka_run_group_tests_name("station_calls", tests, NULL, NULL);
}
