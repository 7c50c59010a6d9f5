/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any sequence of PDUs, times and events at the engine of the headroom measurement.
 * Input: five octets of settings, then events: an octet with the event in its low
 * four bits and a parameter in the high ones, and its data.
 * Properties: the average is within its bounds. Each request that is accepted has
 * its response, with its fields, in its tuple, before the engine is silent. Requests
 * are sent only while measuring, and not sooner than the maximum round trip unless a
 * PDU arrived. A PDU that is dropped changes nothing. Each PDU is counted once, and
 * no more responses are accepted than requests were sent.
 */
#include "dataplane/core/hm.h"
#include "lib/octets.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define REQUESTS  8 /* of the engine, that responses are made for */
#define LATEST_NS (INT64_C(1) << 60)

enum event {
	EVENT_TIME,     /* 2: mantissa; parameter: exponent */
	EVENT_TRANSMIT, /* until the engine is silent */
	EVENT_PDU,      /* 18: source, format, tuples; parameter: interface */
	EVENT_RESPONSE, /* 2: Response Adjustment; parameter: to which request */
	EVENT_UP,       /* parameter: paths, up */
	EVENT_TRIGGER,  /* parameter: trigger */
	EVENT_SENT,     /* 2: mantissa; parameter: exponent */
	EVENT_SETTINGS, /* 5: as at the beginning */
	EVENT_RESTORE,  /* 2: average; parameter: path */
	EVENTS
};

static struct hm hm;
static struct hm_counters counters;
static struct hm_settings settings;
static struct dcb_time now;
static struct hmpdu_tuple requests[REQUESTS]; /* of the engine */
static struct hm_frame last;                  /* frame of the engine */
static bool any_sent;
static struct hmpdu pending[3]; /* accepted requests without a response */
static unsigned n_pending;
static uint64_t received;
static bool asked;             /* a request was sent at requested, since the link is up */
static unsigned free_requests; /* PDUs that arrived since, at most 2: each may prompt one */
static struct dcb_time requested;

static const uint8_t *in;
static size_t left;

static uint64_t take(size_t octets)
{
	uint64_t value = 0;

	for (; octets > 0; octets--) {
		value = value << 8 | (left ? *in : 0);
		in += left != 0;
		left -= left != 0;
	}
	return value;
}

static struct dcb_rate take_settings(void)
{
	static const uint32_t mbps[] = {0, 10, 100, 1000, 10000, 100000, 800000, 10000000};
	unsigned flags = (unsigned)take(1), minimum = (unsigned)take(1), delays = (unsigned)take(1);

	settings = (struct hm_settings){.minimum = minimum + 1,
					.maximum = minimum + 1 + (uint32_t)take(2) * 16,
					.initial = delays * 100,
					.initiate_ns = (delays & 3) * 1000,
					.halt_ns = (delays >> 2 & 3) * 10000,
					.transmit_ns = (delays >> 4 & 3) * 100,
					.receive_ns = (delays >> 6) * 100,
					.measure = flags & 1,
					.separate = flags >> 1 & 1,
					.address = {2, 0, 0, 0, 0, 1}};
	FUZZ_ASSERT(hm_settings_check(&settings));
	return dcb_rate_from_mbps(mbps[flags >> 2 & 7]);
}

/* --- the engine's PDUs ------------------------------------------------------------------- */

static void check_response(const struct hmpdu *pdu, unsigned tuple)
{
	const struct hmpdu_tuple *t = &pdu->tuple[tuple], *request = &pending[0].tuple[tuple];

	FUZZ_ASSERT(n_pending > 0);
	FUZZ_ASSERT(request->use == HMPDU_REQUEST);
	FUZZ_ASSERT(t->timestamp == request->timestamp);
	FUZZ_ASSERT(t->request_adjustment == request->request_adjustment);
	FUZZ_ASSERT(pdu->reserved == pending[0].reserved);
	n_pending--;
	memmove(&pending[0], &pending[1], n_pending * sizeof(pending[0]));
}

static void check_request(const struct hmpdu_tuple *t)
{
	int64_t longest = hm_quanta_to_ns(hm.rate, settings.maximum);

	longest = longest > HM_REPEAT_MIN_NS ? longest : HM_REPEAT_MIN_NS;

	FUZZ_ASSERT(settings.measure && hm.rate.bps != 0);
	FUZZ_ASSERT(!asked || free_requests > 0 || dcb_time_diff_ns(now, requested) >= longest);
	free_requests -= free_requests > 0;
	asked = true;
	requested = now;
	memmove(&requests[1], &requests[0], sizeof(requests) - sizeof(requests[0]));
	requests[0] = *t;
}

static void check_frame(const struct hm_frame *f)
{
	FUZZ_ASSERT(hm.hm_oper_up);
	FUZZ_ASSERT(f->pdu.path == hm_path_code(hm.request_path, hm.response_path));
	FUZZ_ASSERT(memcmp(f->pdu.source, settings.address, ETH_ADDR_OCTETS) == 0);
	FUZZ_ASSERT(f->pdu.tuple[0].use != HMPDU_UNUSED || f->pdu.tuple[1].use != HMPDU_UNUSED);
	for (unsigned i = 0; i < HMPDU_TUPLES; i++) {
		uint8_t use = f->pdu.tuple[i].use;

		if (use == HMPDU_REQUEST)
			check_request(&f->pdu.tuple[i]);
		else if (use != HMPDU_UNUSED)
			check_response(&f->pdu, i);
		FUZZ_ASSERT(use == HMPDU_UNUSED ||
			    f->via == (use == HMPDU_REQUEST ? hm.request_path : hm.response_path));
	}
}

static void transmit(void)
{
	struct hm_frame f;
	unsigned n = 0;

	while (hm_transmit(&hm, now, &f)) {
		FUZZ_ASSERT(++n <= 4);
		check_frame(&f);
		last = f;
		any_sent = true;
	}
	FUZZ_ASSERT(now.ns < hm_deadline(&hm).ns);
	/* A response may wait until its adjustment fits, for the maximum round trip at most. */
	FUZZ_ASSERT(n_pending == 0 ||
		    (hm.tx_response.set && settings.halt_ns > hm_quanta_to_ns(hm.rate, INT16_MAX) &&
		     dcb_time_diff_ns(hm_deadline(&hm), now) <=
			 hm_quanta_to_ns(hm.rate, settings.maximum)));
}

/* --- PDUs of the peer ---------------------------------------------------------------------- */

static void receive(const struct hmpdu *pdu, enum hm_via via)
{
	struct hm before = hm;
	enum hm_verdict verdict = hm_receive(&hm, pdu, via, now);

	received++;
	switch (verdict) {
	case HM_ACCEPTED:
	case HM_BOUNDED:
	case HM_UNMATCHED:
	case HM_IMPLAUSIBLE:
		free_requests += free_requests < 2;
		for (unsigned i = 0; i < HMPDU_TUPLES; i++) {
			FUZZ_ASSERT(n_pending < 3);
			if (pdu->tuple[i].use == HMPDU_REQUEST)
				pending[n_pending++] = *pdu;
		}
		FUZZ_ASSERT(n_pending <= 2);
		break;
	case HM_VERDICTS:
		FUZZ_ASSERT(0);
		break;
	default:
		FUZZ_ASSERT(memcmp(&hm, &before, sizeof(hm)) == 0);
	}
}

static void receive_any(unsigned via)
{
	struct hmpdu pdu = {.source = {2, 0, 0, 0, 0, (uint8_t)take(1)}};
	unsigned format = (unsigned)take(1);

	pdu.path = format >> 2 & 3;
	pdu.reserved = format & 3;
	for (unsigned i = 0; i < HMPDU_TUPLES; i++) {
		struct hmpdu_tuple *t = &pdu.tuple[i];

		t->use = format >> (6 - 2 * i) & 3;
		t->timestamp = (uint32_t)take(4);
		t->request_adjustment = (int16_t)take(2);
		t->response_adjustment = (int16_t)take(2);
	}
	receive(&pdu, (enum hm_via)(via % 3));
}

static void receive_response(unsigned which)
{
	struct hmpdu pdu = {.source = {2, 0, 0, 0, 0, 2}};

	pdu.path = (uint8_t)hm_path_code(hm.request_path, hm.response_path) & 3;
	pdu.tuple[which >> 3] = hmpdu_respond(&requests[which % REQUESTS], (int16_t)take(2));
	receive(&pdu, (enum hm_via)hm.response_path);
}

/* --- events ---------------------------------------------------------------------------------- */

static void set_oper(unsigned parameter)
{
	static const uint8_t pair[][2] = {{HM_VIA_PLAIN, HM_VIA_PLAIN},
					  {HM_VIA_PLAIN, HM_VIA_MACSEC},
					  {HM_VIA_MACSEC, HM_VIA_MACSEC},
					  {HM_VIA_PRIVACY, HM_VIA_PRIVACY},
					  {HM_VIA_MACSEC, HM_VIA_PLAIN}};
	const uint8_t *p = pair[(parameter & 7) % 5];
	bool was_up = hm.hm_oper_up, up = parameter >> 3;
	bool same = hm.request_path == p[0] && hm.response_path == p[1];

	FUZZ_ASSERT(hm_set_oper(&hm, up, (enum hm_via)p[0], (enum hm_via)p[1], now) ==
		    (!up || (parameter & 7) % 5 != 4));
	if (up && was_up && same)
		return;
	n_pending = 0;
	asked = false;
}

/* New settings may initialize the machines, as a new link does. */
static void configure(void)
{
	struct dcb_rate rate = take_settings();

	hm_configure(&hm, &settings, rate, now);
	if (!hm.tx_response.set)
		n_pending = 0;
	asked = asked && hm.asked;
}

static int64_t scaled(unsigned exponent)
{
	return (int64_t)take(2) << exponent;
}

static void run(unsigned octet)
{
	unsigned parameter = octet >> 4;

	switch ((octet & 15) % EVENTS) {
	case EVENT_TIME:
		now.ns += scaled(parameter + 4);
		now.ns = now.ns < LATEST_NS ? now.ns : LATEST_NS;
		break;
	case EVENT_TRANSMIT:
		transmit();
		break;
	case EVENT_PDU:
		receive_any(parameter);
		break;
	case EVENT_RESPONSE:
		receive_response(parameter);
		break;
	case EVENT_UP:
		set_oper(parameter);
		break;
	case EVENT_TRIGGER:
		hm_trigger(&hm, (enum hm_trigger)(parameter & 3), now);
		break;
	case EVENT_SENT:
		if (any_sent)
			hm_sent(&hm, &last, dcb_time_add_ns(last.at, scaled(parameter) - 32768));
		asked = false; /* moves the time of the request */
		break;
	case EVENT_SETTINGS:
		configure();
		break;
	default:
		hm_restore(&hm, (enum hmpdu_path)(parameter & 3), (uint32_t)take(2), parameter);
	}
}

static void check(void)
{
	uint64_t verdicts = 0;
	struct hm_result r;
	struct hm_states states;

	hm_get_result(&hm, &r);
	hm_get_states(&hm, &states);
	FUZZ_ASSERT(r.average == hm_average(&hm));
	FUZZ_ASSERT(r.average >= settings.minimum && r.average <= settings.maximum);
	FUZZ_ASSERT(r.minimum <= r.median && r.median <= r.maximum);
	FUZZ_ASSERT(hm.hm_oper_up || hm_deadline(&hm).ns == INT64_MAX);
	FUZZ_ASSERT(hm.hm_oper_up == (states.hr != HM_STATE_INIT));
	FUZZ_ASSERT(hm.hm_oper_up || !hm.measure);
	for (unsigned i = 0; i < HM_VERDICTS; i++)
		verdicts += counters.verdict[i];
	FUZZ_ASSERT(verdicts == received);
	FUZZ_ASSERT(counters.responses_received <= counters.requests_sent);
	FUZZ_ASSERT(counters.responses_sent + n_pending <= counters.requests_received);
	FUZZ_ASSERT(counters.requests_sent + counters.responses_sent >= counters.pdus_sent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dcb_rate rate;

	in = data;
	left = size;
	memset(&hm, 0, sizeof(hm));
	memset(&counters, 0, sizeof(counters));
	memset(requests, 0, sizeof(requests));
	for (unsigned i = 0; i < REQUESTS; i++)
		requests[i].use = HMPDU_REQUEST;
	any_sent = asked = false;
	n_pending = 0;
	received = 0;
	now = (struct dcb_time){0};
	rate = take_settings();
	hm_init(&hm, &settings, rate, &counters);
	while (left > 0) {
		run((unsigned)take(1));
		check();
	}
	return 0;
}
