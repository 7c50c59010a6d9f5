/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/hm.h"
#include "lib/counter.h"

#include <string.h>

_Static_assert(sizeof(struct hm) <= HM_OCTETS, "each port has one");

/* --- quanta -------------------------------------------------------------------------- */

static int32_t add_quanta(int32_t a, int32_t b)
{
	int64_t sum = (int64_t)a + b;

	if (sum > INT32_MAX || sum < INT32_MIN)
		return sum < 0 ? INT32_MIN : INT32_MAX;
	return (int32_t)sum;
}

/* Returns quanta as in a PDU: a value that does not fit is the nearest one that does. */
static int16_t adjustment(int32_t quanta)
{
	if (quanta > INT16_MAX || quanta < INT16_MIN)
		return quanta < 0 ? INT16_MIN : INT16_MAX;
	return (int16_t)quanta;
}

#define QUANTUM_MICROBITS INT64_C(512000000) /* of kbit/s times ns */

static int64_t to_kbps(struct dcb_rate rate)
{
	return rate.bps < 1000 ? 1 : (int64_t)(rate.bps / 1000);
}

int32_t hm_ns_to_quanta(struct dcb_rate rate, int64_t ns)
{
	int64_t kbps = to_kbps(rate), limit = INT64_MAX / kbps - QUANTUM_MICROBITS, product;

	if (rate.bps == 0)
		return 0;
	ns = ns > limit ? limit : ns < -limit ? -limit : ns;
	product = ns * kbps;
	product += product < 0 ? -QUANTUM_MICROBITS / 2 : QUANTUM_MICROBITS / 2;
	product /= QUANTUM_MICROBITS;
	if (product > INT32_MAX || product < INT32_MIN)
		return product < 0 ? INT32_MIN : INT32_MAX;
	return (int32_t)product;
}

int64_t hm_quanta_to_ns(struct dcb_rate rate, uint32_t quanta)
{
	return rate.bps == 0 ? 0 : (int64_t)quanta * QUANTUM_MICROBITS / to_kbps(rate);
}

/* --- result: filter ------------------------------------------------------------------ */

/* Sorts the round trips. Returns their number. */
static unsigned sort_samples(const struct hm *hm, uint32_t sorted[HM_SAMPLES])
{
	for (unsigned i = 0; i < hm->samples; i++) {
		unsigned at = i;

		for (; at > 0 && sorted[at - 1] > hm->sample[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = hm->sample[i];
	}
	return hm->samples;
}

/* Returns the mean, rounded to the nearest, of sorted[from..to - 1]. */
static uint32_t mean(const uint32_t *sorted, unsigned from, unsigned to)
{
	uint64_t sum = (to - from) / 2;

	for (unsigned i = from; i < to; i++)
		sum += sorted[i];
	return (uint32_t)(sum / (to - from));
}

/*
 * The filter: the mean of the middle half, see hm.h. Of n round trips, (n + 1) / 4
 * are left out at either end. There is at least one.
 */
static uint32_t filter(const struct hm *hm)
{
	uint32_t sorted[HM_SAMPLES];
	unsigned n = sort_samples(hm, sorted), out = (n + 1) / 4;

	return mean(sorted, out, n - out);
}

/* Returns true if a and b differ by HM_AGREE_QUANTA at most. */
static bool hm_near(uint32_t a, uint32_t b)
{
	return (a > b ? a - b : b - a) <= HM_AGREE_QUANTA;
}

/* Returns true if the round trips agree, as defined above. */
static bool hm_results_agree(const struct hm *hm)
{
	unsigned near = 0;
	uint32_t average;

	if (hm->samples < HM_ROUND_MIN)
		return false;
	average = filter(hm);
	for (unsigned i = 0; i < hm->samples; i++)
		near += hm_near(hm->sample[i], average);
	for (unsigned i = 1; i <= HM_ROUND_MIN; i++) {
		if (!hm_near(hm->sample[(hm->next + HM_SAMPLES - i) % HM_SAMPLES], average))
			return false;
	}
	return near > hm->samples / 2u;
}

static uint32_t hm_within_bounds(const struct hm *hm, uint32_t quanta)
{
	if (quanta < hm->settings.minimum)
		return hm->settings.minimum;
	return quanta > hm->settings.maximum ? hm->settings.maximum : quanta;
}

uint32_t hm_average(const struct hm *hm)
{
	return hm_within_bounds(hm, hm->count ? hm->average : hm->settings.initial);
}

void hm_get_result(const struct hm *hm, struct hm_result *out)
{
	uint32_t sorted[HM_SAMPLES];
	unsigned n = sort_samples(hm, sorted);

	*out = (struct hm_result){.average = hm_average(hm),
				  .measured = hm->count != 0,
				  .count = hm->count,
				  .since = hm->result_since};
	if (n == 0)
		return;
	out->minimum = sorted[0];
	out->median = mean(sorted, (n - 1) / 2, n / 2 + 1);
	out->maximum = sorted[n - 1];
	out->last = hm->sample[(hm->next + HM_SAMPLES - 1u) % HM_SAMPLES];
}

/* Adds a round trip, within the bounds, and applies the filter. */
static void hm_add_result(struct hm *hm, uint32_t quanta)
{
	hm->sample[hm->next] = quanta;
	hm->next = (uint8_t)((hm->next + 1) % HM_SAMPLES);
	if (hm->samples < HM_SAMPLES)
		hm->samples++;
	if (hm->count < UINT32_MAX)
		hm->count++;
	if (hm->held && hm->samples < 3 && !hm_results_agree(hm))
		return;
	hm->held = false;
	hm->average = filter(hm);
}

/* --- delay of transmission ---------------------------------------------------------------- */

/* Adds a delay from hm_transmit() to the transmission timestamp. */
static void hm_add_lag(struct hm *hm, int32_t ns)
{
	hm->lag_ns[hm->next_lag] = ns;
	hm->next_lag = (uint8_t)((hm->next_lag + 1) % HM_LAGS);
	if (hm->lags < HM_LAGS)
		hm->lags++;
}

/*
 * Returns the delay from hm_transmit() to the transmission timestamp that the next
 * frame is expected to have. Choice: the lower median of the last ones, as the first
 * frame after a pause takes several times as long as the others. A longer delay
 * than expected makes the measured round trip longer.
 */
static int32_t hm_expected_lag_ns(const struct hm *hm)
{
	int32_t expected = 0;

	for (unsigned i = 0; i < hm->lags; i++) {
		unsigned below = 0;

		for (unsigned k = 0; k < hm->lags; k++)
			below += hm->lag_ns[k] < hm->lag_ns[i] ||
				 (k < i && hm->lag_ns[k] == hm->lag_ns[i]);
		if (below == (hm->lags - 1u) / 2)
			expected = hm->lag_ns[i];
	}
	return expected;
}

/* --- for management ---------------------------------------------------------------------- */

bool hm_settings_check(const struct hm_settings *settings)
{
	return settings->minimum >= 1 && settings->minimum <= settings->maximum &&
	       settings->maximum <= INT32_MAX;
}

int hm_path_code(enum hm_via request_path, enum hm_via response_path)
{
	if (request_path == response_path) {
		switch (request_path) {
		case HM_VIA_PLAIN:
			return HMPDU_PATH_PLAIN;
		case HM_VIA_MACSEC:
			return HMPDU_PATH_BOTH;
		case HM_VIA_PRIVACY:
			return HMPDU_PATH_PRIVACY;
		}
	}
	if (request_path == HM_VIA_PLAIN && response_path == HM_VIA_MACSEC)
		return HMPDU_PATH_DATA;
	return -1;
}

/* Returns true if requests and responses have the same interface. */
static bool hm_one_interface(const struct hm *hm)
{
	return hm->request_path == hm->response_path;
}

/* Returns true if requests and responses are sent in PDUs of their own. */
static bool hm_uses_separate(const struct hm *hm)
{
	return hm->settings.separate || !hm_one_interface(hm);
}

static uint8_t idle_unless(bool condition, enum hm_state state)
{
	return (uint8_t)(condition ? state : HM_STATE_IDLE);
}

void hm_get_states(const struct hm *hm, struct hm_states *out)
{
	bool separate = hm_uses_separate(hm), respond = hm->tx_response.set;

	*out = (struct hm_states){HM_STATE_INIT, HM_STATE_INIT, HM_STATE_INIT,
				  HM_STATE_INIT, HM_STATE_INIT, HM_STATE_INIT};
	if (!hm->hm_oper_up)
		return;
	out->hr = idle_unless(hm->rcvd_request.set || hm->rcvd_response.set, HM_STATE_WAIT);
	out->qp = idle_unless(hm->rcvd_request.set, HM_STATE_WAIT);
	out->rp = idle_unless(hm->rcvd_response.set, HM_STATE_WAIT);
	if (separate) {
		out->rt = idle_unless(respond, HM_STATE_TRANSMIT);
		out->qt = idle_unless(hm->prompt, HM_STATE_TRANSMIT);
	} else {
		out->ct = idle_unless(respond || hm->prompt, HM_STATE_TRANSMIT);
	}
}

const char *hm_verdict_text(enum hm_verdict verdict)
{
	static const char *const text[HM_VERDICTS] = {
	    [HM_ACCEPTED] = "accepted",
	    [HM_BOUNDED] = "round trip outside its bounds",
	    [HM_WRONG_PATH] = "path is not in operation",
	    [HM_BUSY] = "two PDUs are waiting already",
	    [HM_MALFORMED] = "combination of requests and responses is not valid",
	    [HM_LOOPED] = "own PDU returned",
	    [HM_UNMATCHED] = "response to no request",
	    [HM_IMPLAUSIBLE] = "implausible Response Adjustment",
	};

	return (unsigned int)verdict < HM_VERDICTS ? text[verdict] : "unknown";
}

/* --- measure -------------------------------------------------------------------------- */

/* Keeps the result in force until there are new round trips: the link may be another one. */
static void retire_samples(struct hm *hm)
{
	hm->samples = hm->next = 0;
	hm->held = hm->count != 0;
	hm->round = 0;
}

static void drop_result(struct hm *hm)
{
	if (hm->count != 0)
		counter_add(&hm->counters->resets, 1);
	hm->count = 0;
	retire_samples(hm);
}

/* Makes measure TRUE. request_due() makes the first request. */
static void start_round(struct hm *hm, struct dcb_time now)
{
	if (!hm->hm_oper_up || !hm->settings.measure || hm->rate.bps == 0)
		return;
	hm->measure = true;
	hm->wanted = false;
	hm->round = 0;
	hm->silent = 0;
	hm->unpaired = 0;
	hm->before = hm->count ? hm->average : 0;
	hm->began = now;
	counter_add(&hm->counters->rounds, 1);
}

static void end_round(struct hm *hm)
{
	hm->measure = false;
	if (hm->before == 0 || hm_near(hm->average, hm->before)) {
		hm->doubled = 0;
		return;
	}
	hm->wanted = true; /* 36.9.6 d) */
	if (HM_PAUSE_MIN_NS << hm->doubled < HM_PAUSE_MAX_NS)
		hm->doubled++;
}

/* Choice: the criterion "sufficient guide for buffer allocation" of 36.10. */
static bool good_enough(const struct hm *hm)
{
	return hm->round >= HM_ROUND_MAX ||
	       (hm->round >= HM_ROUND_MIN && !hm->held && hm_results_agree(hm));
}

static struct dcb_time pause_end(const struct hm *hm)
{
	return dcb_time_add_ns(hm->began, HM_PAUSE_MIN_NS << hm->doubled);
}

void hm_trigger(struct hm *hm, enum hm_trigger trigger, struct dcb_time now)
{
	if (!hm->hm_oper_up || !hm->settings.measure || hm->rate.bps == 0)
		return;
	if (trigger == HM_TRIGGER_CONNECTIVITY)
		retire_samples(hm);
	if (hm->measure)
		return;
	hm->wanted = true;
	hm->doubled = 0;
	if (!dcb_time_before(now, pause_end(hm)))
		start_round(hm, now);
}

/* --- requests ------------------------------------------------------------------------- */

/* Initializes the machines: BEGIN, or !hmOperUp. */
static void init_machines(struct hm *hm)
{
	hm->hm_oper_up = hm->measure = hm->prompt = hm->wanted = false;
	hm->rcvd_request.set = hm->tx_response.set = 0;
	hm->rcvd_response.set = false;
	for (unsigned i = 0; i < HM_REQUESTS;
	     i++) /* the timestamps stay: they are not used again */
		hm->request[i].open = hm->request[i].recent = false;
	hm->asked = hm->peer_separate = false;
	hm->silent = hm->unpaired = hm->doubled = 0;
}

/* Returns the requests that a response may still come for. */
static unsigned outstanding(const struct hm *hm)
{
	unsigned n = 0;

	for (unsigned i = 0; i < HM_REQUESTS; i++)
		n += hm->request[i].open && hm->request[i].recent;
	return n;
}

/* The requests so far are lost. Their responses are accepted if they come after all. */
static void give_up_requests(struct hm *hm)
{
	for (unsigned i = 0; i < HM_REQUESTS; i++)
		hm->request[i].recent = false;
}

/*
 * Choice: with a response, a second request may be on its way, as in the second
 * example of figure 36-14. Without one, or if the peer sends its responses alone,
 * a response that is still to come prompts the next request. So each end sends two PDUs
 * a round trip.
 */
static bool may_request(const struct hm *hm, bool with_response)
{
	unsigned limit = with_response && !hm->peer_separate ? HM_OUTSTANDING : 1;

	return hm->measure && outstanding(hm) < limit;
}

/* Returns the time to repeat the request, if no response prompts one before. */
static struct dcb_time repeat_time(const struct hm *hm)
{
	int64_t longest = hm_quanta_to_ns(hm->rate, hm->settings.maximum), ns;

	if (!hm->asked)
		return (struct dcb_time){0};
	if (longest < HM_REPEAT_MIN_NS)
		longest = HM_REPEAT_MIN_NS;
	ns = longest;
	for (unsigned i = HM_SILENT_FAST; i < hm->silent && ns < HM_SILENT_MAX_NS; i++)
		ns *= 2;
	if (ns > HM_SILENT_MAX_NS)
		ns = longest > HM_SILENT_MAX_NS ? longest : HM_SILENT_MAX_NS;
	return dcb_time_add_ns(hm->request[hm->newest].at, ns);
}

/* Prompts a request if none was sent, or none answered for the maximum round trip: 36.9.6. */
static void request_due(struct hm *hm, struct dcb_time now)
{
	if (hm->wanted && !dcb_time_before(now, pause_end(hm)))
		start_round(hm, now);
	if (!hm->measure || hm->prompt || dcb_time_before(now, repeat_time(hm)))
		return;
	if (hm->asked && outstanding(hm) > 0) {
		counter_add(&hm->counters->timeouts, 1);
		if (hm->silent < UINT8_MAX)
			hm->silent++;
	}
	give_up_requests(hm);
	hm->prompt = true;
}

/* Returns the index of the open request that was sent with this timestamp, or -1. */
static int find_request(const struct hm *hm, uint32_t timestamp)
{
	for (int i = 0; i < HM_REQUESTS; i++) {
		if (hm->request[i].open && hm->request[i].timestamp == timestamp)
			return i;
	}
	return -1;
}

static int16_t request_adjustment(const struct hm *hm)
{
	return adjustment(hm_ns_to_quanta(hm->rate, hm->settings.initiate_ns));
}

/* --- HR: HMPDU Reception (figure 36-16) -------------------------------------------------- */

/* A PDU by its contents. */
struct contents {
	const struct hmpdu_tuple *request, *response; /* NULL: not in the PDU */
	bool malformed;                               /* more than one of either */
};

static struct contents look_into(const struct hmpdu *pdu)
{
	struct contents c = {0};

	for (unsigned i = 0; i < HMPDU_TUPLES; i++) {
		const struct hmpdu_tuple *t = &pdu->tuple[i];
		const struct hmpdu_tuple **to = t->use == HMPDU_REQUEST ? &c.request : &c.response;

		if (t->use == HMPDU_UNUSED)
			continue;
		if (*to)
			c.malformed = true;
		*to = t;
	}
	return c;
}

/* Requests and responses that specify a path that is not operational are discarded: 36.9.7. */
static bool path_matches(const struct hm *hm, const struct hmpdu *pdu, const struct contents *c,
			 enum hm_via via)
{
	if (!hm->hm_oper_up || pdu->path != hm_path_code(hm->request_path, hm->response_path))
		return false;
	return (!c->request || via == hm->request_path) &&
	       (!c->response || via == hm->response_path);
}

/*
 * Returns true if two PDUs are being handled: one that waits for transmission of
 * its effects, one that waits for QP and RP. With two interfaces, one request and
 * one response.
 */
static bool is_busy(const struct hm *hm, const struct contents *c)
{
	if (hm_one_interface(hm))
		return hm->rcvd_request.set || hm->rcvd_response.set;
	if (c->request)
		return hm->rcvd_request.set || hm->tx_response.set;
	return c->response && (hm->rcvd_response.set || hm->prompt);
}

static enum hm_verdict validate(const struct hm *hm, const struct hmpdu *pdu,
				const struct contents *c, enum hm_via via)
{
	if (memcmp(pdu->source, hm->settings.address, ETH_ADDR_OCTETS) == 0)
		return HM_LOOPED;
	if (c->malformed || (c->request && c->response && hm->hm_oper_up && !hm_one_interface(hm)))
		return HM_MALFORMED;
	if (!path_matches(hm, pdu, c, via))
		return HM_WRONG_PATH;
	return is_busy(hm, c) ? HM_BUSY : HM_ACCEPTED;
}

static void receive_request(struct hm *hm, const struct hmpdu *pdu, const struct hmpdu_tuple *t,
			    struct dcb_time at)
{
	counter_add(&hm->counters->requests_received, 1);
	hm->rcvd_request = (struct hm_reflect){.at = at,
					       .timestamp = t->timestamp,
					       .adjustment = t->request_adjustment,
					       .reserved = pdu->reserved & 3u,
					       .tuple = t == &pdu->tuple[1],
					       .set = 1};
}

/*
 * Two requests of the peer without a response between them: the own request was
 * lost (36.9.7). Choice: counts PDUs, starts anew after asking again.
 */
static void note_order(struct hm *hm, const struct contents *c)
{
	if (c->response)
		hm->unpaired = 0;
	else if (c->request && hm->unpaired < 2)
		hm->unpaired++;
	if (hm->unpaired < 2 || !hm->measure || hm->prompt)
		return;
	hm->unpaired = 0;
	counter_add(&hm->counters->lost, 1);
	give_up_requests(hm);
	hm->prompt = true;
}

/* A used request, and those sent before it: the link keeps the order of PDUs (36.9.7). */
static void use_request(struct hm *hm, unsigned used)
{
	bool before = false;

	for (unsigned i = 0; i < HM_REQUESTS; i++) {
		unsigned at = (hm->newest + HM_REQUESTS - i) % HM_REQUESTS;

		before = before || at == used;
		if (before)
			hm->request[at].recent = false;
	}
	hm->request[used].open = false;
}

/*
 * Choice: a Response Adjustment may not exceed the maximum round trip, and the
 * peer cannot have kept the request for longer than the response took to arrive.
 */
static bool is_plausible(const struct hm *hm, int32_t elapsed, int32_t response_adjustment)
{
	int32_t tolerance =
	    add_quanta(hm_ns_to_quanta(hm->rate, HM_TIMESTAMP_ERROR_NS), HM_AGREE_QUANTA);

	if (response_adjustment > 0 && (uint32_t)response_adjustment > hm->settings.maximum)
		return false;
	return add_quanta(elapsed, response_adjustment) >= -tolerance;
}

/* ResponseDelay + Request Adjustment + Response Adjustment: 36.9.4. */
static enum hm_verdict receive_response(struct hm *hm, const struct hmpdu_tuple *t,
					struct dcb_time at, int64_t deduct_ns)
{
	int found = find_request(hm, t->timestamp);
	int32_t elapsed, quanta;
	int64_t ns;

	if (found < 0 || t->request_adjustment != request_adjustment(hm))
		return HM_UNMATCHED;
	ns = dcb_time_diff_ns(at, hm->request[found].at) - deduct_ns - hm->settings.transmit_ns -
	     hm->settings.receive_ns;
	elapsed = hm_ns_to_quanta(hm->rate, ns);
	use_request(hm, (unsigned)found);
	if (!is_plausible(hm, elapsed, t->response_adjustment))
		return HM_IMPLAUSIBLE;
	quanta = add_quanta(add_quanta(elapsed, t->request_adjustment), t->response_adjustment);
	hm->rcvd_response = (struct hm_answer){.quanta = quanta, .set = true};
	hm->result_since = at;
	counter_add(&hm->counters->responses_received, 1);
	if (quanta < (int64_t)hm->settings.minimum || quanta > (int64_t)hm->settings.maximum)
		return HM_BOUNDED;
	return HM_ACCEPTED;
}

/* Sets rcvdRequest and rcvdResponse at once: 36.10. */
static enum hm_verdict hr(struct hm *hm, const struct hmpdu *pdu, enum hm_via via,
			  struct dcb_time at, int64_t deduct_ns)
{
	struct contents c = look_into(pdu);
	enum hm_verdict verdict = validate(hm, pdu, &c, via);

	if (verdict != HM_ACCEPTED)
		return verdict;
	hm->silent = 0;
	if (c.response)
		verdict = receive_response(hm, c.response, at, deduct_ns);
	if (c.response)
		hm->peer_separate = !c.request;
	if (c.request)
		receive_request(hm, pdu, c.request, at);
	note_order(hm, &c);
	return verdict;
}

/* --- QP, RP: Request and Response Processing (figure 36-17) ------------------------------ */

/* Return true if they changed a variable. */

static bool qp(struct hm *hm)
{
	if (!hm->rcvd_request.set || hm->tx_response.set)
		return false;
	hm->tx_response = hm->rcvd_request;
	hm->rcvd_request.set = 0;
	return true;
}

/* Substitutes a bound: 36.9.6. */
static uint32_t bound(struct hm *hm, int32_t quanta)
{
	if (quanta < (int64_t)hm->settings.minimum)
		counter_add(&hm->counters->below, 1);
	else if (quanta > (int64_t)hm->settings.maximum)
		counter_add(&hm->counters->above, 1);
	return hm_within_bounds(hm, quanta < 0 ? 0 : (uint32_t)quanta);
}

static bool rp(struct hm *hm)
{
	if (!hm->rcvd_response.set || hm->prompt)
		return false;
	hm->rcvd_response.set = false;
	hm_add_result(hm, bound(hm, hm->rcvd_response.quanta));
	if (!hm->measure)
		return true;
	hm->round++;
	if (good_enough(hm))
		end_round(hm);
	else
		hm->prompt = true;
	return true;
}

static void process(struct hm *hm)
{
	bool changed;

	do {
		changed = qp(hm);
		changed = rp(hm) || changed;
	} while (changed);
}

enum hm_verdict hm_receive(struct hm *hm, const struct hmpdu *pdu, enum hm_via via,
			   struct dcb_time at)
{
	return hm_receive_deducting(hm, pdu, via, at, 0);
}

enum hm_verdict hm_receive_deducting(struct hm *hm, const struct hmpdu *pdu, enum hm_via via,
				     struct dcb_time at, int64_t deduct_ns)
{
	enum hm_verdict verdict = hr(hm, pdu, via, at, deduct_ns);

	counter_add(&hm->counters->verdict[verdict], 1);
	process(hm);
	return verdict;
}

/* --- transmission ------------------------------------------------------------------------ */

static void count_saturated(struct hm *hm, int32_t quanta)
{
	if (quanta > INT16_MAX || quanta < INT16_MIN)
		counter_add(&hm->counters->saturated, 1);
}

static uint32_t unique_timestamp(const struct hm *hm, struct dcb_time now)
{
	uint32_t timestamp = (uint32_t)(uint64_t)now.ns;

	for (bool again = true; again;) {
		again = false;
		for (unsigned i = 0; i < HM_REQUESTS; i++)
			again = again || hm->request[i].timestamp == timestamp;
		timestamp += again;
	}
	return timestamp;
}

static void put_request(struct hm *hm, struct dcb_time now, struct hmpdu_tuple *out)
{
	uint32_t timestamp = unique_timestamp(hm, now);

	hm->newest = (uint8_t)((hm->newest + 1) % HM_REQUESTS);
	hm->request[hm->newest] =
	    (struct hm_request){.at = dcb_time_add_ns(now, hm_expected_lag_ns(hm)),
				.timestamp = timestamp,
				.open = true,
				.recent = true};
	hm->asked = true;
	count_saturated(hm, hm_ns_to_quanta(hm->rate, hm->settings.initiate_ns));
	counter_add(&hm->counters->requests_sent, 1);
	*out = (struct hmpdu_tuple){.use = HMPDU_REQUEST,
				    .timestamp = timestamp,
				    .request_adjustment = request_adjustment(hm)};
}

/*
 * The Response Adjustment: the time that halting transmission takes at most, minus
 * the time from the reception of the request to the transmission of its response
 * (36.8 b 2, 36.9.4). Negative if the response is later than the halt.
 */
static int32_t response_adjustment(const struct hm *hm, struct dcb_time now)
{
	int64_t kept = dcb_time_diff_ns(now, hm->tx_response.at) + hm_expected_lag_ns(hm) +
		       hm->settings.transmit_ns + hm->settings.receive_ns;

	return hm_ns_to_quanta(hm->rate, hm->settings.halt_ns - (kept < 0 ? 0 : kept));
}

/*
 * Returns when txResponse is sent; 0: at once. Choice: a Response Adjustment above 32767 quanta
 * does not fit, so the response waits until it does. Otherwise the peer would measure less than the
 * round trip, and frames would be lost. It waits for the maximum round trip at most, which is taken
 * for the peer's too: the result is the peer's maximum then, and a later response would find that
 * its request is forgotten for repeated ones.
 */
static struct dcb_time response_time(const struct hm *hm)
{
	int64_t spare = hm->settings.halt_ns - hm_quanta_to_ns(hm->rate, INT16_MAX) -
			hm_expected_lag_ns(hm) - hm->settings.transmit_ns - hm->settings.receive_ns;
	int64_t most = hm_quanta_to_ns(hm->rate, hm->settings.maximum);

	if (spare > most)
		spare = most;
	if (spare <= 0 || hm->rate.bps == 0)
		return (struct dcb_time){0};
	return dcb_time_add_ns(hm->tx_response.at, spare);
}

/* Requests wait with a response: two of them without it are a lost one for the peer (36.9.7). */
static bool must_wait(const struct hm *hm, struct dcb_time now)
{
	return hm->tx_response.set && dcb_time_before(now, response_time(hm));
}

/* Bits 4 to 1 of the request are reflected: bits 4 and 3 are those of the path in operation. */
static void put_response(struct hm *hm, struct dcb_time now, struct hmpdu *out)
{
	struct hmpdu_tuple request = {.use = HMPDU_REQUEST,
				      .timestamp = hm->tx_response.timestamp,
				      .request_adjustment = hm->tx_response.adjustment};
	int32_t quanta = response_adjustment(hm, now);

	count_saturated(hm, quanta);
	out->tuple[hm->tx_response.tuple] = hmpdu_respond(&request, adjustment(quanta));
	out->reserved = hm->tx_response.reserved;
	hm->tx_response.set = 0;
	counter_add(&hm->counters->responses_sent, 1);
}

static void begin_frame(const struct hm *hm, enum hm_via via, struct dcb_time now,
			struct hm_frame *out)
{
	int code = hm_path_code(hm->request_path, hm->response_path);

	*out = (struct hm_frame){.pdu = {.path = (uint8_t)code}, .via = (uint8_t)via, .at = now};
	memcpy(out->pdu.source, hm->settings.address, ETH_ADDR_OCTETS);
}

/*
 * Common Path Transmission (figure 36-18). QP and RP have processed all they can,
 * so rcvdRequest is set only with txResponse, and rcvdResponse only with prompt.
 */
static bool ct(struct hm *hm, struct dcb_time now, struct hm_frame *out)
{
	bool respond = hm->tx_response.set;
	bool request = (respond || hm->prompt) && may_request(hm, respond);
	unsigned tuple = respond ? hm->tx_response.tuple ^ 1u : 0;

	hm->prompt = false;
	if (!respond && !request)
		return false;
	begin_frame(hm, hm->request_path, now, out);
	if (respond)
		put_response(hm, now, &out->pdu);
	if (request)
		put_request(hm, now, &out->pdu.tuple[tuple]);
	return true;
}

/* Response Path Transmission (figure 36-19). */
static bool rt(struct hm *hm, struct dcb_time now, struct hm_frame *out)
{
	if (!hm->tx_response.set)
		return false;
	begin_frame(hm, hm->response_path, now, out);
	put_response(hm, now, &out->pdu);
	return true;
}

/* Request Path Transmission (figure 36-19). */
static bool qt(struct hm *hm, struct dcb_time now, struct hm_frame *out)
{
	bool request = hm->prompt && may_request(hm, false);

	hm->prompt = false;
	if (!request)
		return false;
	begin_frame(hm, hm->request_path, now, out);
	put_request(hm, now, &out->pdu.tuple[0]);
	return true;
}

bool hm_transmit(struct hm *hm, struct dcb_time now, struct hm_frame *out)
{
	bool sent;

	if (!hm->hm_oper_up)
		return false;
	do {
		request_due(hm, now);
		if (must_wait(hm, now))
			return false;
		sent =
		    hm_uses_separate(hm) ? rt(hm, now, out) || qt(hm, now, out) : ct(hm, now, out);
		process(hm);
	} while (!sent && !dcb_time_before(now, hm_deadline(hm)));
	if (sent)
		counter_add(&hm->counters->pdus_sent, 1);
	return sent;
}

void hm_sent(struct hm *hm, const struct hm_frame *frame, struct dcb_time actual)
{
	int64_t lag = dcb_time_diff_ns(actual, frame->at);

	if (lag < -HM_TIMESTAMP_ERROR_NS || lag > HM_LAG_MAX_NS)
		return;
	if (lag < 0)
		lag = 0;
	hm_add_lag(hm, (int32_t)lag);
	for (unsigned i = 0; i < HMPDU_TUPLES; i++) {
		const struct hmpdu_tuple *t = &frame->pdu.tuple[i];
		int found = t->use == HMPDU_REQUEST ? find_request(hm, t->timestamp) : -1;

		if (found >= 0)
			hm->request[found].at = dcb_time_add_ns(frame->at, lag);
	}
}

struct dcb_time hm_deadline(const struct hm *hm)
{
	if (!hm->hm_oper_up)
		return DCB_TIME_NEVER;
	if (hm->tx_response.set)
		return response_time(hm);
	if (hm->prompt)
		return (struct dcb_time){0};
	if (hm->measure)
		return repeat_time(hm);
	return hm->wanted ? pause_end(hm) : DCB_TIME_NEVER;
}

/* --- settings, link ---------------------------------------------------------------------- */

void hm_init(struct hm *hm, const struct hm_settings *settings, struct dcb_rate rate,
	     struct hm_counters *counters)
{
	*hm = (struct hm){.settings = *settings, .counters = counters, .rate = rate};
}

void hm_restore(struct hm *hm, enum hmpdu_path path, uint32_t average, uint32_t count)
{
	static const uint8_t request_path[] = {HM_VIA_PLAIN, HM_VIA_PLAIN, HM_VIA_MACSEC,
					       HM_VIA_PRIVACY};
	static const uint8_t response_path[] = {HM_VIA_PLAIN, HM_VIA_MACSEC, HM_VIA_MACSEC,
						HM_VIA_PRIVACY};

	if (hm->path_known || count == 0 || (unsigned int)path > HMPDU_PATH_PRIVACY)
		return;
	hm->request_path = request_path[path];
	hm->response_path = response_path[path];
	hm->path_known = true;
	hm->average = hm_within_bounds(hm, average);
	hm->count = count;
}

/* hmOperUp is TRUE: 36.9.6 a). */
static void go_up(struct hm *hm, struct dcb_time now)
{
	init_machines(hm);
	hm->hm_oper_up = true;
	retire_samples(hm);
	start_round(hm, now);
}

bool hm_set_oper(struct hm *hm, bool up, enum hm_via request_path, enum hm_via response_path,
		 struct dcb_time now)
{
	bool changed = request_path != hm->request_path || response_path != hm->response_path;
	bool coded = hm_path_code(request_path, response_path) >= 0;

	if (!up || !coded) {
		init_machines(hm);
		return coded || !up;
	}
	if (hm->hm_oper_up && !changed)
		return true;
	if (hm->path_known && changed)
		drop_result(hm);
	hm->request_path = (uint8_t)request_path;
	hm->response_path = (uint8_t)response_path;
	hm->path_known = true;
	go_up(hm, now);
	return true;
}

/* Returns true if the new settings give other round trips. */
static bool measures_differently(const struct hm_settings *a, const struct hm_settings *b)
{
	return a->initiate_ns != b->initiate_ns || a->transmit_ns != b->transmit_ns ||
	       a->receive_ns != b->receive_ns;
}

void hm_configure(struct hm *hm, const struct hm_settings *settings, struct dcb_rate rate,
		  struct dcb_time now)
{
	bool rate_changed = rate.bps != 0 && rate.bps != hm->rate.bps;
	bool starts = rate_changed || (settings->measure && !hm->settings.measure);

	if (rate_changed && hm->rate.bps != 0)
		drop_result(hm);
	if (measures_differently(settings, &hm->settings))
		starts = true;
	hm->settings = *settings;
	if (rate_changed)
		hm->rate = rate;
	if (!settings->measure) {
		hm->measure = hm->prompt = hm->wanted = false;
		process(hm); /* a response waited for the end of prompt */
	}
	if (starts && hm->hm_oper_up)
		go_up(hm, now);
}
