/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One engine of dataplane/core/hm.h on a link of 1 Gb/s, whose peer is the test.
 * Each test program has its own.
 */
#ifndef DCB_TESTS_HM_FIXTURE_H
#define DCB_TESTS_HM_FIXTURE_H

#include "dataplane/core/hm.h"
#include "tests/unit/unit.h"

#include <string.h>

/* 1 Gb/s: a quantum is 512 ns. The maximum round trip is 10 ms. */
#define QUANTUM_NS 512
#define MAXIMUM    20000
#define MAXIMUM_NS ((int64_t)MAXIMUM * QUANTUM_NS)

static const struct dcb_rate rate = {UINT64_C(1000000000)};
static const uint8_t own[ETH_ADDR_OCTETS] = {2, 0, 0, 0, 0, 1};
static const uint8_t peer[ETH_ADDR_OCTETS] = {2, 0, 0, 0, 0, 2};

static struct hm hm;
static struct hm_counters counters;
static struct dcb_time now;

static inline struct hm_settings defaults(void)
{
	struct hm_settings s = {.minimum = 10, .maximum = MAXIMUM, .initial = 500, .measure = true};

	memcpy(s.address, own, sizeof(own));
	return s;
}

static inline int setup(void **state)
{
	struct hm_settings s = defaults();

	(void)state;
	memset(&counters, 0, sizeof(counters));
	now = (struct dcb_time){7 * DCB_NS_PER_S};
	hm_init(&hm, &s, rate, &counters);
	return 0;
}

static inline void configure(struct hm_settings s)
{
	hm_configure(&hm, &s, rate, now);
}

static inline void up(void)
{
	assert_true(hm_set_oper(&hm, true, HM_VIA_PLAIN, HM_VIA_PLAIN, now));
}

static inline void down(void)
{
	assert_true(hm_set_oper(&hm, false, HM_VIA_PLAIN, HM_VIA_PLAIN, now));
}

static inline void wait_ns(int64_t ns)
{
	now.ns += ns;
}

/* --- PDUs of the peer -------------------------------------------------------------------- */

static inline struct hmpdu pdu_of(struct hmpdu_tuple first, struct hmpdu_tuple second)
{
	struct hmpdu pdu = {.tuple = {first, second}};

	memcpy(pdu.source, peer, sizeof(peer));
	return pdu;
}

static const struct hmpdu_tuple unused;

static inline struct hmpdu_tuple request_of(uint32_t timestamp)
{
	return (struct hmpdu_tuple){
	    .use = HMPDU_REQUEST, .timestamp = timestamp, .request_adjustment = -7};
}

static inline struct hmpdu_tuple response_to(const struct hmpdu_tuple *request, int16_t adjustment)
{
	assert_int_equal(request->use, HMPDU_REQUEST);
	return hmpdu_respond(request, adjustment);
}

static inline enum hm_verdict receive(struct hmpdu_tuple first, struct hmpdu_tuple second)
{
	struct hmpdu pdu = pdu_of(first, second);

	return hm_receive(&hm, &pdu, HM_VIA_PLAIN, now);
}

/* --- PDUs of the engine -------------------------------------------------------------------- */

static inline struct hm_frame sends(uint8_t first, uint8_t second)
{
	struct hm_frame out;

	assert_true(hm_deadline(&hm).ns <= now.ns);
	assert_true(hm_transmit(&hm, now, &out));
	assert_int_equal(out.pdu.tuple[0].use, first);
	assert_int_equal(out.pdu.tuple[1].use, second);
	assert_int_equal(out.at.ns, now.ns);
	assert_memory_equal(out.pdu.source, own, sizeof(own));
	return out;
}

static inline void is_silent(void)
{
	struct hm_frame out;

	assert_false(hm_transmit(&hm, now, &out));
	assert_true(hm_deadline(&hm).ns > now.ns);
}

/* One request of the engine and its response after this time. */
static inline enum hm_verdict round_trip(int64_t ns)
{
	struct hm_frame f = sends(HMPDU_REQUEST, HMPDU_UNUSED);

	wait_ns(ns);
	return receive(response_to(&f.pdu.tuple[0], 0), unused);
}

/* Measures until measure is FALSE, with this round trip in quanta. */
static inline void measure(uint32_t quanta)
{
	unsigned trips = 0;

	do {
		assert_true(trips++ < 2 * HM_ROUND_MAX);
		round_trip((int64_t)quanta * QUANTUM_NS);
	} while (hm.measure);
	is_silent();
}

static inline struct hm_result result(void)
{
	struct hm_result r;

	hm_get_result(&hm, &r);
	return r;
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

#endif
