/* SPDX-License-Identifier: BSD-3-Clause */
/* PFC headroom: properties of any input. */
#include <string.h>

#include "dataplane/core/pfc_headroom.h"
#include "lib/rng.h"
#include "tests/unit/dataplane/core/pfc_headroom_sum.h"

#define RANDOM_CASES 20000

/* Draws a number of any magnitude up to max, often an end of the range. */
static uint32_t any_up_to(struct dcb_rng *rng, uint32_t max)
{
	switch (dcb_rng_uniform(rng, 0, 7)) {
	case 0:
		return 0;
	case 1:
		return max;
	default:
		return dcb_rng_uniform(rng, 0, max >> dcb_rng_uniform(rng, 0, 20));
	}
}

static bool any_bool(struct dcb_rng *rng)
{
	return dcb_rng_uniform(rng, 0, 1);
}

static uint64_t any_speed(struct dcb_rng *rng, uint64_t max)
{
	uint64_t r = (uint64_t)dcb_rng_next(rng) << 32 | dcb_rng_next(rng);

	return r % ((max >> dcb_rng_uniform(rng, 0, 40)) + 1);
}

static void any_input(struct dcb_rng *rng, struct pfc_headroom_input *in)
{
	uint32_t frame = PFC_HEADROOM_FRAME_MAX_OCTETS - PFC_HEADROOM_FRAME_MIN_OCTETS;

	memset(in, 0, sizeof(*in));
	in->speed_bps = 1 + any_speed(rng, PFC_HEADROOM_SPEED_MAX_BPS - 1);
	in->max_frame_octets = PFC_HEADROOM_FRAME_MIN_OCTETS + any_up_to(rng, frame);
	in->pfc_frame_octets = PFC_HEADROOM_FRAME_MIN_OCTETS + any_up_to(rng, 100);
	in->cable_m = any_up_to(rng, PFC_HEADROOM_CABLE_MAX_M);
	in->medium = (uint8_t)dcb_rng_uniform(rng, PFC_MEDIUM_COPPER, PFC_MEDIUM_FIBRE);
	in->link_delay_ns = any_up_to(rng, PFC_HEADROOM_DELAY_MAX_NS);
	in->phy = (uint8_t)dcb_rng_uniform(rng, PFC_PHY_WORST, PFC_PHY_NONE);
	in->interface_ns = any_up_to(rng, PFC_HEADROOM_DELAY_MAX_NS);
	in->calculation_ns = any_up_to(rng, PFC_HEADROOM_DELAY_MAX_NS);
	in->initiation_ns = any_up_to(rng, PFC_HEADROOM_DELAY_MAX_NS);
	in->reception_ns = any_up_to(rng, PFC_HEADROOM_DELAY_MAX_NS);
	in->local_mbc = any_bool(rng);
	in->response_ns = any_up_to(rng, PFC_HEADROOM_DELAY_MAX_NS);
	in->peer_delay_ns = any_bool(rng) ? any_up_to(rng, PFC_HEADROOM_DELAY_MAX_NS) : 0;
	in->peer_mbc = any_bool(rng);
	in->macsec = (uint8_t)dcb_rng_uniform(rng, PFC_MACSEC_NONE, PFC_MACSEC_ALL);
	in->secy_ns = any_up_to(rng, PFC_HEADROOM_DELAY_MAX_NS);
	in->edition = (uint8_t)dcb_rng_uniform(rng, PFC_EDITION_QDT, PFC_EDITION_2018);
}

/* Compares with long double, which is exact to 64 bits: less than a bit above. */
static void assert_term(const struct pfc_headroom *sum, enum pfc_term term, long double exact)
{
	long double bits = (long double)sum->term[term];

	if (bits < exact - 1e-6L * (1 + exact) || bits > exact + 1 + 1e-6L * (1 + exact))
		fail_msg("%s: %Lf bits, expected %Lf", pfc_term_info(term)->token, bits, exact);
}

/* No overflow: every term is as in long double arithmetic. */
static void check_no_overflow(const struct pfc_headroom_input *in)
{
	struct pfc_headroom sum = calculate(in);
	long double bps = (long double)in->speed_bps, v, link, response;
	uint64_t total = 0, groups = 0;

	v = in->medium == PFC_MEDIUM_FIBRE ? 2e8L : 1.8e8L;
	link = in->link_delay_ns ? in->link_delay_ns * bps / 1e9L : in->cable_m * bps / v;
	assert_term(&sum, PFC_TERM_LINK_TO_PEER, link);
	response = in->response_ns ? in->response_ns * bps / 1e9L : 614.4L * bps / 1e9L;
	assert_term(&sum, PFC_TERM_RESPONSE,
		    in->peer_delay_ns ? in->peer_delay_ns * bps / 1e9L : response);
	for (unsigned i = 0; i < PFC_TERMS; i++) {
		assert_true(sum.term[i] < UINT64_C(1) << 58); /* the sum of all terms fits */
		total += sum.term[i];
	}
	for (unsigned i = 0; i < PFC_DELAY_GROUPS; i++)
		groups += sum.group[i];
	assert_int_equal(sum.total, total);
	assert_int_equal(sum.total, groups);
	assert_true(8 * pfc_bits_to_octets(total) >= total);
	assert_true(8 * pfc_bits_to_octets(total) < total + 8);
	assert_true(512 * pfc_bits_to_quanta(total) >= total);
	assert_true(512 * pfc_bits_to_quanta(total) < total + 512);
}

/*
 * No larger input reduces the headroom. An input for which 0 selects the
 * standard's value is compared only between nonzero values.
 */
static void check_monotonic(struct dcb_rng *rng, const struct pfc_headroom_input *in)
{
	struct pfc_headroom_input more = *in;
	uint32_t *const delays[] = {&more.link_delay_ns, &more.interface_ns, &more.calculation_ns,
				    &more.initiation_ns, &more.reception_ns, &more.response_ns,
				    &more.peer_delay_ns, &more.secy_ns};
	uint32_t *delay = delays[dcb_rng_uniform(rng, 0, UNIT_COUNT(delays) - 1)];

	switch (dcb_rng_uniform(rng, 0, 5)) {
	case 0: /* the worst PHY of a higher speed can have a shorter delay */
		if (in->phy == PFC_PHY_WORST && !in->interface_ns)
			break;
		more.speed_bps += any_speed(rng, PFC_HEADROOM_SPEED_MAX_BPS - in->speed_bps);
		break;
	case 1:
		more.max_frame_octets +=
		    any_up_to(rng, PFC_HEADROOM_FRAME_MAX_OCTETS - in->max_frame_octets);
		break;
	case 2:
		more.cable_m += any_up_to(rng, PFC_HEADROOM_CABLE_MAX_M - in->cable_m);
		break;
	case 3:
		more.macsec = PFC_MACSEC_ALL;
		break;
	case 4:
		more.peer_mbc = true;
		more.local_mbc = true;
		break;
	default:
		if (*delay || delay == &more.calculation_ns || delay == &more.reception_ns)
			*delay += any_up_to(rng, PFC_HEADROOM_DELAY_MAX_NS - *delay);
		break;
	}
	assert_true(calculate(&more).total >= calculate(in).total);
}

/* The edition of 2018 never has a larger headroom. */
static void check_editions(const struct pfc_headroom_input *in)
{
	struct pfc_headroom_input qdt = *in, old = *in;

	qdt.edition = PFC_EDITION_QDT;
	old.edition = PFC_EDITION_2018;
	assert_true(calculate(&qdt).total >= calculate(&old).total);
}

static void test_properties_of_random_input(void **state)
{
	struct pfc_headroom_input in;
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned i = 0; i < RANDOM_CASES; i++) {
		any_input(&rng, &in);
		check_no_overflow(&in);
		check_monotonic(&rng, &in);
		check_editions(&in);
	}
}

/* All inputs at their maximum. */
static void test_largest_input(void **state)
{
	struct pfc_headroom_input in;

	(void)state;
	memset(&in, 0, sizeof(in));
	in.speed_bps = PFC_HEADROOM_SPEED_MAX_BPS;
	in.max_frame_octets = in.pfc_frame_octets = PFC_HEADROOM_FRAME_MAX_OCTETS;
	in.cable_m = PFC_HEADROOM_CABLE_MAX_M;
	in.medium = PFC_MEDIUM_COPPER;
	in.phy = PFC_PHY_WORST;
	in.macsec = PFC_MACSEC_ALL;
	in.edition = PFC_EDITION_QDT;
	check_no_overflow(&in);
	in.link_delay_ns = in.interface_ns = in.calculation_ns = in.initiation_ns =
	    in.reception_ns = in.response_ns = in.secy_ns = PFC_HEADROOM_DELAY_MAX_NS;
	check_no_overflow(&in);
	in.speed_bps--; /* every division has a remainder */
	check_no_overflow(&in);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_properties_of_random_input),
	    cmocka_unit_test(test_largest_input),
	};

	return cmocka_run_group_tests_name("pfc_headroom", tests, NULL, NULL);
}
