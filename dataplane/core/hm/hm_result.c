/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/hm/hm_private.h"

/* --- quanta -------------------------------------------------------------------------- */

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

bool hm_near(uint32_t a, uint32_t b)
{
	return (a > b ? a - b : b - a) <= HM_AGREE_QUANTA;
}

bool hm_results_agree(const struct hm *hm)
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

uint32_t hm_within_bounds(const struct hm *hm, uint32_t quanta)
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

void hm_add_result(struct hm *hm, uint32_t quanta)
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

void hm_add_lag(struct hm *hm, int32_t ns)
{
	hm->lag_ns[hm->next_lag] = ns;
	hm->next_lag = (uint8_t)((hm->next_lag + 1) % HM_LAGS);
	if (hm->lags < HM_LAGS)
		hm->lags++;
}

int32_t hm_expected_lag_ns(const struct hm *hm)
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

bool hm_one_interface(const struct hm *hm)
{
	return hm->request_path == hm->response_path;
}

bool hm_uses_separate(const struct hm *hm)
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
