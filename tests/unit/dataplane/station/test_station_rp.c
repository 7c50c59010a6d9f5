/* SPDX-License-Identifier: BSD-3-Clause */
/* A station: received CNMs and their effect on reaction points. */
#include "lib/octets.h"
#include "lib/rng.h"
#include "tests/unit/station_world.h"
#include "tests/unit/unit.h"

#include <string.h>

/* --- received CNMs ----------------------------------------------------------- */

static bool is_flow_id(const struct lab *l, uint32_t flow_id, unsigned queues)
{
	for (unsigned i = 0; i < queues; i++) {
		if (flow_id_of(l, i) == flow_id)
			return true;
	}
	return false;
}

static void test_discards_malformed_cnms(void **state)
{
	struct lab *l = *state;
	struct cnm_stats want = {0}, have;
	struct cnm cnm = a_cnm;
	struct dcb_rng rng;
	struct rp before;
	uint32_t len;

	dcb_rng_seed(&rng, unit_seed(), 1);
	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 4;
	configure(l, 1 << CNPV);
	host_sends(l, make(PEER, OURS, TCI(CNPV, 0), 0x88b5, 100));
	turn(l);
	for (unsigned i = 0; i < 4; i++)
		before = fq_of(l, i)->used ? fq_of(l, i)->rp : before;
#define BAD(field, length)                                       \
	do {                                                     \
		wire_brings(l, length);                          \
		want.field++;                                    \
		have = cnms(l);                                  \
		assert_memory_equal(&have, &want, sizeof(want)); \
	} while (0)
	BAD(cnm_wrong_address, make_cnm(&cnm, PEER, OTHER, 0));
	BAD(cnm_wrong_address, make_cnm(&cnm, UINT64_C(0xffffffffffff), OTHER, 0));
	BAD(cnm_wrong_address, make_cnm(&cnm, OURS, OURS, 0));
	BAD(cnm_wrong_address, make_cnm(&cnm, OURS, UINT64_C(0x030000000003), 0));
	len = make_cnm(&cnm, OURS, OTHER, 0);
	memmove(f + 12, f + 16, len - 16);
	BAD(cnm_no_tag, len);
	(void)make_cnm(&cnm, OURS, OTHER, 0);
	for (uint32_t octets = 18; octets < 18 + CNM_PDU_MIN_OCTETS; octets++)
		BAD(cnm_short, octets);
	(void)make_cnm(&cnm, OURS, OTHER, 0);
	put_be16(f + 18 + 22, 65);
	BAD(cnm_bad_length, 18 + 24 + 64);
	put_be16(f + 18 + 22, 64);
	BAD(cnm_bad_length, 18 + 24 + 63);
	put_be16(f + 18 + 22, 0xffff);
	BAD(cnm_bad_length, 18 + 24 + 64);
	for (cnm.encap_priority = 0; cnm.encap_priority < 8; cnm.encap_priority++) {
		if (cnm.encap_priority != CNPV)
			BAD(cnm_wrong_priority, make_cnm(&cnm, OURS, OTHER, 0));
	}
	cnm = a_cnm;
	cnm.encap_da[5] = 99; /* no frame was sent to this address */
	BAD(cnm_unknown_flow, make_cnm(&cnm, OURS, OTHER, 0));
	cnm = a_cnm;
	for (uint32_t flow_id = 1; flow_id < 0x10000;
	     flow_id += UNIT_ALL ? 1 : dcb_rng_uniform(&rng, 1, 99)) {
		if (!is_flow_id(l, flow_id, 4))
			BAD(cnm_unknown_flow, make_cnm(&cnm, OURS, OTHER, (uint16_t)flow_id));
	}
	for (unsigned i = 0; i < 4; i++) {
		if (!fq_of(l, i)->used)
			BAD(cnm_unknown_flow, make_cnm(&cnm, OURS, OTHER, flow_id_of(l, i)));
	}
#undef BAD
	for (unsigned i = 0; i < 4; i++) {
		if (fq_of(l, i)->used)
			assert_memory_equal(&fq_of(l, i)->rp, &before, sizeof(before));
	}
	assert_int_equal(pri_stats(l).rppp_created_rps, 0);
	assert_false(take(l->host, &out));
	wire_brings(l, make_cnm(&cnm, OURS, OTHER, 0)); /* a valid CNM has an effect */
	assert_int_equal(cnms(l).cnm_received, 1);
	assert_int_equal(pri_stats(l).rppp_created_rps, 1);
}

static void test_counts_cnms_without_effect(void **state)
{
	struct lab *l = *state;
	struct rp before;

	know_peer(l);
	before = fq_of(l, 0)->rp;
	slow_down(l, 0);
	assert_int_equal(cnms(l).cnm_received, 1);
	assert_int_equal(cnms(l).cnm_no_effect, 1);
	assert_memory_equal(&fq_of(l, 0)->rp, &before, sizeof(before));
	l->port_config.rpg[CNPV].rpg_enable = false;
	configure(l, 1 << CNPV);
	slow_down(l, 63);
	assert_int_equal(cnms(l).cnm_received, 2);
	assert_int_equal(cnms(l).cnm_no_effect, 2);
	assert_int_equal(rp_stats(l, 1).cnms, 1);
	assert_memory_equal(&fq_of(l, 0)->rp, &before, sizeof(before));
	assert_int_equal(pri_stats(l).rppp_created_rps, 0);
}

/* Finds one of ten flows to a destination by flow identifier, headers, or last sender. */
static void test_cnm_reaches_rp_of_its_flow(void **state)
{
	struct lab *l = *state;
	struct cnm cnm = a_cnm;
	unsigned queue[10], last = 0;

	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 100;
	configure(l, 1 << CNPV);
	for (uint16_t flow = 0; flow < 10; flow++) {
		uint64_t frames[100];

		for (unsigned i = 0; i < 100; i++)
			frames[i] = rp_stats(l, i + 1).frames;
		host_sends(l, make_flow(PEER, flow, 100));
		turn(l);
		for (unsigned i = 0; i < 100; i++)
			last = rp_stats(l, i + 1).frames > frames[i] ? i : last;
		queue[flow] = last;
	}
	for (uint16_t flow = 0; flow < 10; flow++) {
		uint64_t n = rp_stats(l, queue[flow] + 1).cnms;

		for (int i = 0; i < 3; i++) {
			earn_cnm(l, PEER, queue[flow]);
			earn_cnm(l, PEER, last);
		}
		wire_brings(l, make_cnm(&cnm, OURS, OTHER, flow_id_of(l, queue[flow])));
		assert_int_equal(rp_stats(l, queue[flow] + 1).cnms, n + 1);
		make_flow(PEER, flow, 100);
		cnm.msdu_len = 26;
		memcpy(cnm.msdu, f + 16, 26);
		wire_brings(l, make_cnm(&cnm, OURS, OTHER, 0));
		assert_int_equal(rp_stats(l, queue[flow] + 1).cnms, n + 2);
		n = rp_stats(l, last + 1).cnms;
		cnm.msdu_len = 25; /* one octet of the IP ports is missing */
		wire_brings(l, make_cnm(&cnm, OURS, OTHER, 0));
		assert_int_equal(rp_stats(l, last + 1).cnms, n + 1);
	}
	assert_int_equal(cnms(l).cnm_received, 30);
	assert_int_equal(cnms(l).cnm_unknown_flow, 0);
	/* After a long time the destination is forgotten. */
	l->now.ns += DESTINATION_SEEN_NS;
	wire_brings(l, make_cnm(&cnm, OURS, OTHER, flow_id_of(l, last)));
	assert_int_equal(cnms(l).cnm_unknown_flow, 1);
}

static void send_to(struct lab *l, uint64_t address)
{
	host_sends(l, make_flow(address, 1, 100));
	turn(l);
	assert_true(take(l->wire, &out));
}

/* Returns whether a CNM about PEER, with the station's CN-TAG, is accepted. */
static bool is_peer_known(struct lab *l)
{
	uint64_t received = cnms(l).cnm_received;
	struct cnm cnm = a_cnm;

	cnm.qntz_fb = 0; /* uses up nothing of what the flow sent */
	wire_brings(l, make_cnm(&cnm, OURS, OTHER, flow_id_of(l, 0)));
	return cnms(l).cnm_received > received;
}

/* A destination is remembered for DESTINATION_SEEN_NS after the last frame to it. */
static void test_destination_is_forgotten(void **state)
{
	const int64_t unit = 1 << 16; /* accuracy of the time, ns */

	for (unsigned others = 0; others < 4; others++) {
		struct lab *l = *state;

		restart(l, &plenty, &plain);
		l->now.ns = 10 * DESTINATION_SEEN_NS;
		send_to(l, OTHER);
		assert_false(is_peer_known(l));
		send_to(l, PEER);
		if (others & 1)
			send_to(l, OTHER);
		assert_true(is_peer_known(l));
		l->now.ns += DESTINATION_SEEN_NS - 2 * unit;
		assert_true(is_peer_known(l));
		if (others & 2)
			send_to(l, OTHER);
		l->now.ns += 2 * unit;
		assert_false(is_peer_known(l));
		send_to(l, OTHER);
		assert_false(is_peer_known(l));
		send_to(l, PEER);
		assert_true(is_peer_known(l));
	}
}

/* With rpppMaxRps 1, a CNM without headers finds the only reaction point. */
static void test_single_rp_needs_no_headers(void **state)
{
	struct lab *l = *state;

	know_peer(l);
	for (uint64_t i = 0; i < 1000; i++)
		send_to(l, OTHER + i);
	slow_down(l, 63);
	assert_int_equal(cnms(l).cnm_received, 1);
	assert_true(rp_stats(l, 1).rp_enabled);
}

/* --- reaction points ------------------------------------------------------- */

static void test_cnm_starts_rp_until_rate_recovers(void **state)
{
	struct lab *l = *state;
	struct rp_stats rp;

	know_peer(l);
	slow_down(l, 63);
	rp = rp_stats(l, 1);
	assert_true(rp.rp_enabled);
	assert_int_equal(rp.state, RPR_FAST_RECOVERY);
	assert_int_equal(rp.rp_fb, 63);
	assert_int_equal(rp.rp_current_rate, 10000 * MBPS / 128 * 65); /* 1 - 63 / 128 */
	assert_int_equal(rp.cnms, 1);
	assert_int_equal(pri_stats(l).rppp_created_rps, 1);
	slow_down(l, 63);
	assert_true(rp_stats(l, 1).rp_current_rate < rp.rp_current_rate);
	assert_int_equal(pri_stats(l).rppp_created_rps, 1);
	/* Without frames, RpWhile alone restores the rate; then the reaction point ends. */
	run_ms(l, 2000);
	rp = rp_stats(l, 1);
	assert_false(rp.rp_enabled);
	assert_int_equal(rp.rp_current_rate, 10000 * MBPS);
	assert_int_equal(l->next.ns, DCB_TIME_NEVER.ns);
	assert_true(LIST_EMPTY(&l->st.busy));
	slow_down(l, 63);
	assert_int_equal(pri_stats(l).rppp_created_rps, 2);
}

/* Counts enabled reaction points once in each centisecond, independent of reads. */
static void test_counts_centiseconds_of_enabled_rps(void **state)
{
	struct lab *l = *state;

	l->port_config.rpg[CNPV].rpg_time_reset = 100000;
	configure(l, 1 << CNPV);
	know_peer(l);
	run_ms(l, 50);
	assert_int_equal(pri_stats(l).rppp_rp_centiseconds, 0);
	slow_down(l, 63);
	turn(l); /* updates the counter to the last centisecond */
	assert_int_equal(l->next.ns, l->now.ns + 10 * DCB_NS_PER_MS);
	run_ms(l, 9);
	assert_int_equal(pri_stats(l).rppp_rp_centiseconds, 0);
	turn(l);
	assert_int_equal(l->next.ns, l->now.ns + DCB_NS_PER_MS);
	run_ms(l, 1);
	assert_int_equal(pri_stats(l).rppp_rp_centiseconds, 1);
	run_ms(l, 990);
	assert_int_equal(pri_stats(l).rppp_rp_centiseconds, 100);
	l->now.ns += 10 * DCB_NS_PER_S; /* the host was late */
	turn(l);
	assert_int_equal(pri_stats(l).rppp_rp_centiseconds, 1100);
	l->port_config.rpg[CNPV].rpg_enable = false;
	configure(l, 1 << CNPV);
	run_ms(l, 1000);
	assert_int_equal(pri_stats(l).rppp_rp_centiseconds, 1100);
}

/* Keeps flow queue 0 filled for this time. Returns the octets sent on the wire. */
static uint64_t send_for(struct lab *l, int64_t ms, uint32_t len)
{
	struct dcb_time end = dcb_time_add_ns(l->now, ms * DCB_NS_PER_MS);
	uint64_t octets = 0;

	for (;;) {
		while (fq_of(l, 0)->queue.frames < 2)
			host_sends(l, make_flow(PEER, 1, len));
		turn(l);
		while (take(l->wire, &out))
			octets += dcb_wire_octets(out.len);
		if (!dcb_time_before(l->next, end))
			break;
		if (dcb_time_before(l->now, l->next))
			l->now = l->next;
	}
	l->now = end;
	return octets;
}

/* Accurate to 1 % or one frame in 100 ms, from 1 Mb/s to 10 Gb/s. */
static void test_rate_is_exact(void **state)
{
	static const uint32_t mbps[] = {1, 5, 10, 123, 1000, 2500, 10000};
	static const uint32_t lengths[] = {1518, 64, 333};
	struct lab *l = *state;

	l->port_config.rpg[CNPV].rpg_max_rate_is_set = true;
	l->port_config.rpg[CNPV].rpg_max_rate = 20000;
	l->port_config.rpg[CNPV].rpg_time_reset = 1000000;
	l->port_config.rpg[CNPV].rpg_byte_reset = UINT32_MAX;
	for (unsigned i = 0; i < UNIT_COUNT(mbps); i++) {
		for (unsigned k = 0; k < UNIT_COUNT(lengths); k++) {
			uint32_t len = lengths[k], frame = dcb_wire_octets(len);
			int64_t want = (int64_t)mbps[i] * 12500;

			if (mbps[i] == 10000 && len != 1518)
				continue; /* would take the test a second */
			/* Sets rpgMinRate as the limit: the rate stays there. */
			l->port_config.rpg[CNPV].rpg_min_rate = mbps[i];
			configure(l, 1 << CNPV);
			know_peer(l);
			for (int cut = 0; cut < 40; cut++)
				slow_down(l, 63);
			assert_int_equal(rp_stats(l, 1).rp_current_rate, mbps[i] * MBPS);
			(void)send_for(l, 20, len);
			for (int window = 0; window < UNIT_CASES(3); window++) {
				int64_t sent = (int64_t)send_for(l, 100, len);
				int64_t off = sent > want ? sent - want : want - sent;

				if (off > frame && off * 100 > want)
					fail_msg("%u Mb/s, %u octets: %lld in 100 ms, not %lld",
						 mbps[i], len, (long long)sent, (long long)want);
			}
			station_port_down(&l->st, &l->port, l->now);
			station_port_up(&l->st, &l->port, l->now);
		}
	}
}

/* A late flow catches up by at most 1 ms; an idle flow accumulates no rate. */
static void test_late_flow_catches_up_1_ms(void **state)
{
	struct lab *l = *state;
	unsigned n = 0;

	l->port_config.rpg[CNPV].rpg_max_rate_is_set = true;
	l->port_config.rpg[CNPV].rpg_max_rate = 1000;
	l->port_config.rpg[CNPV].rpg_min_rate = 1000;
	configure(l, 1 << CNPV);
	know_peer(l);
	slow_down(l, 63);
	l->now.ns += 5 * DCB_NS_PER_MS;
	for (int i = 0; i < 500; i++)
		host_sends(l, make_flow(PEER, 1, 1226)); /* 10 us */
	turn(l);
	while (take(l->wire, &out))
		n++;
	assert_int_equal(n, 1);
	l->now.ns += 5 * DCB_NS_PER_MS;
	turn(l);
	while (take(l->wire, &out))
		n++;
	assert_in_range(n, 101, 103);
}

/* A flow with waiting frames accumulates no rate while it is not limited. */
static void test_unlimited_flow_accumulates_no_rate(void **state)
{
	struct lab *l = *state;
	unsigned in_port, n = 0;

	l->port_config.rpg[CNPV].rpg_max_rate_is_set = true;
	l->port_config.rpg[CNPV].rpg_max_rate = 1000;
	l->port_config.rpg[CNPV].rpg_min_rate = 1000;
	configure(l, 1 << CNPV);
	know_peer(l);
	l->port.blocked = true;
	for (int i = 0; i < 500; i++)
		host_sends(l, make_flow(PEER, 1, 1226)); /* 10 us */
	turn(l);
	in_port = port_queue(&l->port, CNPV)->frames;
	l->now.ns += 5 * DCB_NS_PER_MS;
	slow_down(l, 63);
	l->port.blocked = false;
	turn(l);
	while (take(l->wire, &out))
		n++;
	assert_int_equal(n, in_port + 1);
}

/* A SET applies at once to existing and new reaction points. */
static void test_set_applies_to_all_rps(void **state)
{
	struct lab *l = *state;

	know_peer(l);
	slow_down(l, 63);
	l->port_config.rpg[CNPV].rpg_max_rate_is_set = true;
	l->port_config.rpg[CNPV].rpg_max_rate = 100;
	configure(l, 1 << CNPV);
	assert_int_equal(rp_stats(l, 1).rp_current_rate, 100 * MBPS);
	assert_int_equal(rp_stats(l, 2).rp_current_rate, 100 * MBPS);
	l->port_config.rpg[CNPV].rpg_enable = false;
	configure(l, 1 << CNPV);
	assert_false(rp_stats(l, 1).rp_enabled);
	l->port_config.rpg[CNPV].rpg_max_rate_is_set = false;
	configure(l, 1 << CNPV);
	assert_int_equal(rp_stats(l, 1).rp_current_rate, 10000 * MBPS);
	/* The port's speed changes, or becomes unknown. */
	l->port.base.link.speed = dcb_rate_from_mbps(2500);
	port_take_link(&l->port);
	station_port_changed(&l->st, &l->port, l->now);
	assert_int_equal(rp_stats(l, 1).rp_current_rate, 2500 * MBPS);
	l->port.base.link.speed = (struct dcb_rate){0};
	port_take_link(&l->port);
	station_port_changed(&l->st, &l->port, l->now);
	assert_int_equal(rp_stats(l, 1).rp_current_rate, RP_UNKNOWN_SPEED_MBPS * MBPS);
	l->port.base.settings.rate = dcb_rate_from_mbps(400);
	station_port_changed(&l->st, &l->port, l->now);
	assert_int_equal(rp_stats(l, 1).rp_current_rate, 400 * MBPS);
}

/* Lower rpppMaxRps: the frames beyond it are sent by queue 0, and the reaction points end. */
static void test_lower_max_rps_ends_rps(void **state)
{
	struct lab *l = *state;
	unsigned queues = 0;

	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 50;
	configure(l, 1 << CNPV);
	for (uint16_t flow = 0; flow < 200; flow++)
		host_sends(l, make_flow(PEER, flow, 100));
	turn(l);
	for (unsigned i = 0; i < 50; i++) {
		queues += fq_of(l, i)->used;
		wire_brings(l, make_cnm(&a_cnm, OURS, OTHER, flow_id_of(l, i)));
	}
	assert_int_equal(queues, 50);
	assert_int_equal(pri_stats(l).rppp_created_rps, queues);
	assert_int_equal(l->port.station->enabled, queues);
	for (uint16_t flow = 0; flow < 400; flow++)
		host_sends(l, make_flow(PEER, flow, 1500));
	while (take(l->wire, &out))
		;
	l->port_config.rp_port_pri[CNPV].rppp_max_rps = 2;
	configure(l, 1 << CNPV);
	for (unsigned i = 2; i < 50; i++) {
		assert_true(dcb_queue_is_empty(&fq_of(l, i)->queue));
		assert_false(rp_stats(l, i + 1).rp_enabled);
	}
	run_ms(l, 1);
	assert_in_range(l->port.station->enabled, 0, 2);
	assert_int_equal(l->port.station->pri[CNPV].queued, 0);
	wire_brings(l, make_cnm(&a_cnm, OURS, OTHER, flow_id_of(l, 30)));
	assert_int_equal(cnms(l).cnm_unknown_flow, 1);
	for (uint16_t flow = 0; flow < 200; flow++)
		host_sends(l, make_flow(PEER, flow, 100));
	assert_false(dcb_queue_is_empty(&fq_of(l, 0)->queue));
	assert_false(dcb_queue_is_empty(&fq_of(l, 1)->queue));
	for (unsigned i = 2; i < 50; i++)
		assert_true(dcb_queue_is_empty(&fq_of(l, i)->queue));
}

static struct rp_stats rp_of(const struct lab *l, unsigned priority)
{
	struct rp_stats s;

	station_read_rp(&l->port, priority, 1, &s);
	return s;
}

/* Reaction points of all priorities behave alike. */
static void test_all_priorities_have_rps(void **state)
{
	struct port_settings settings = plain;
	struct lab *l = *state;

	settings.rate = dcb_rate_from_mbps(100);
	for (uint8_t p = 0; p < DCB_PRIORITIES; p++) {
		struct rp_port_pri_stats pri;
		struct cnm cnm = a_cnm;

		restart(l, &plenty, &settings);
		l->port_config.rpg[p].rpg_time_reset = 100000;
		configure(l, (uint8_t)(1 << p));
		assert_int_equal(rp_of(l, p).rp_current_rate, 100 * MBPS);
		for (int i = 0; i < 100; i++)
			host_sends(l, make(PEER, OURS, TCI(p, 5), 0x88b5, 1500));
		assert_int_equal(rp_of(l, p).queue_octets, 100 * 1500);
		turn(l);
		assert_false(LIST_EMPTY(&l->st.busy)); /* the port's queue is full */
		run_ms(l, 20);
		for (int i = 0; i < 100; i++)
			assert_true(take(l->wire, &out) && out.view.priority == p);
		assert_true(LIST_EMPTY(&l->st.busy));
		cnm.encap_priority = p;
		wire_brings(l, add_tag(make_cnm(&cnm, OURS, OTHER, 0), TCI(6, 5)));
		assert_true(rp_of(l, p).rp_enabled);
		run_ms(l, 30);
		station_read_rp_port_pri(&l->port, p, &pri);
		assert_int_equal(pri.rppp_created_rps, 1);
		assert_int_equal(pri.rppp_rp_centiseconds, 3);
		for (int paused = 1; paused >= 0; paused--) {
			port_pause(&l->port, (uint8_t)(paused << p), l->now);
			turn(l);
			assert_int_equal(l->port.station->first[p].rp.rp_freeze, paused);
		}
		l->port_config.rpg[p].rpg_max_rate_is_set = true;
		l->port_config.rpg[p].rpg_max_rate = 3;
		configure(l, (uint8_t)(1 << p));
		assert_int_equal(rp_of(l, p).rp_current_rate, 3 * MBPS);
		host_sends(l, make(PEER, OURS, TCI(p, 5), 0x88b5, 1500));
		station_port_down(&l->st, &l->port, l->now);
		assert_false(rp_of(l, p).rp_enabled);
		assert_int_equal(rp_of(l, p).queue_octets, 0);
		assert_true(LIST_EMPTY(&l->st.busy));
	}
}

/* Statistics of unused reaction points and of invalid indices. */
static void test_unused_rp_has_default_statistics(void **state)
{
	static const unsigned none[] = {0, RPPP_MAX_RPS_LIMIT + 1, UINT32_MAX};
	struct rp_port_pri_stats pri;
	struct lab *l = *state;
	struct soft_port other = {.station = NULL};
	struct cnm_stats cnm;
	struct rp_stats rp;

	for (unsigned i = 0; i < UNIT_COUNT(none); i++) {
		rp = rp_stats(l, none[i]);
		assert_int_equal(rp.state, RPR_RESET);
		assert_int_equal(rp.rp_current_rate, 0);
	}
	rp = rp_stats(l, RPPP_MAX_RPS_LIMIT);
	assert_int_equal(rp.state, RPR_RESET);
	assert_int_equal(rp.rp_current_rate, 10000 * MBPS);
	assert_int_equal(rp.rp_target_rate, 10000 * MBPS);
	/* A bridge port. */
	station_read_rp(&other, CNPV, 1, &rp);
	assert_int_equal(rp.state, RPR_RESET);
	assert_int_equal(rp.rp_current_rate, 0);
	station_read_rp_port_pri(&other, CNPV, &pri);
	assert_int_equal(pri.rppp_created_rps | pri.rppp_rp_centiseconds, 0);
	station_read_cnm(&other, &cnm);
	assert_int_equal(cnm.cnm_received, 0);
	assert_null(station_port_host(&other));
	assert_ptr_equal(station_port_host(&l->port), l->ends[1]);
}

/* 32.10.1: values of rpppMaxRps outside 1 to 100 are limited. */
static void test_max_rps_is_limited_to_1_to_100(void **state)
{
	static const uint8_t told[] = {0, RPPP_MAX_RPS_LIMIT + 1, UINT8_MAX};
	static const unsigned queues[] = {1, 100, 100};
	struct lab *l = *state;

	for (unsigned i = 0; i < UNIT_COUNT(told); i++) {
		uint64_t frames = 0;
		unsigned used = 0;

		restart(l, &plenty, &plain);
		l->port_config.rp_port_pri[CNPV].rppp_max_rps = told[i];
		configure(l, 1 << CNPV);
		for (uint16_t flow = 0; flow < 1000; flow++)
			host_sends(l, make_flow(PEER, flow, 100));
		turn(l);
		for (unsigned k = 1; k <= RPPP_MAX_RPS_LIMIT; k++) {
			frames += rp_stats(l, k).frames;
			used += rp_stats(l, k).frames > 0;
		}
		assert_int_equal(frames, 1000);
		assert_int_equal(used, queues[i]);
	}
}

/* The seed decides which flows share a queue: a sender cannot predict it. */
static void test_seed_selects_shared_flow_queue(void **state)
{
	struct lab *l = *state;
	unsigned different = 0, last = 50;

	for (unsigned seed = 1; seed <= 8; seed++) {
		struct station_params params = plenty;
		unsigned queue = 0;

		params.seed = seed;
		restart(l, &params, &plain);
		l->port_config.rp_port_pri[CNPV].rppp_max_rps = 50;
		configure(l, 1 << CNPV);
		for (uint16_t flow = 0; flow <= 50; flow++)
			host_sends(l, make_flow(PEER, flow, 100));
		while (fq_of(l, queue)->queue.frames < 2)
			queue++;
		different += queue != last;
		last = queue;
	}
	assert_in_range(different, 5, 8);
}

/* A priority stops being a CNPV: frames keep their order, all reaction points end. */
static void test_removed_cnpv_keeps_frames_and_ends_rps(void **state)
{
	struct lab *l = *state;
	unsigned n = 0;

	know_peer(l);
	slow_down(l, 63);
	slow_down(l, 63);
	for (int i = 0; i < 100; i++) {
		make_flow(PEER, 1, 1000);
		f[999] = (uint8_t)i;
		host_sends(l, 1000);
		if (i == 49)
			configure(l, 0);
	}
	assert_false(rp_stats(l, 1).rp_enabled);
	turn(l);
	while (take(l->wire, &out))
		assert_int_equal(out.octets[out.len - 1], n++);
	assert_int_equal(n, 100);
	slow_down(l, 63);
	assert_int_equal(cnms(l).cnm_wrong_priority, 1);
	host_sends(l, make_flow(PEER, 1, 1000));
	turn(l);
	assert_int_equal(rp_stats(l, 1).frames, 101);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_discards_malformed_cnms),
	    TEST(test_counts_cnms_without_effect),
	    TEST(test_cnm_reaches_rp_of_its_flow),
	    TEST(test_destination_is_forgotten),
	    TEST(test_cnm_starts_rp_until_rate_recovers),
	    TEST(test_counts_centiseconds_of_enabled_rps),
	    TEST(test_rate_is_exact),
	    TEST(test_late_flow_catches_up_1_ms),
	    TEST(test_unlimited_flow_accumulates_no_rate),
	    TEST(test_single_rp_needs_no_headers),
	    TEST(test_set_applies_to_all_rps),
	    TEST(test_lower_max_rps_ends_rps),
	    TEST(test_all_priorities_have_rps),
	    TEST(test_unused_rp_has_default_statistics),
	    TEST(test_max_rps_is_limited_to_1_to_100),
	    TEST(test_seed_selects_shared_flow_queue),
	    TEST(test_removed_cnpv_keeps_frames_and_ends_rps),
	};

	return cmocka_run_group_tests_name("station_rp", tests, NULL, NULL);
}
