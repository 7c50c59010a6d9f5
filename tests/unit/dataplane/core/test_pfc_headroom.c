/* SPDX-License-Identifier: BSD-3-Clause */
/* PFC headroom: the examples of the standard, and properties of any input. */
#include <string.h>

#include "dataplane/core/pfc_headroom.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#define GIGABIT      UINT64_C(1000000000)
#define RANDOM_CASES 20000

static struct pfc_headroom calculate(const struct pfc_headroom_input *in)
{
	struct pfc_headroom sum;
	enum pfc_headroom_error error = pfc_headroom_calculate(in, &sum);

	if (error != PFC_HEADROOM_OK)
		fail_msg("%s", pfc_headroom_strerror(error));
	return sum;
}

/* 100 m of Cat6 between two 10GBASE-T PHYs, frames of 2000 octets: N.6. */
static struct pfc_headroom_input annex_n(enum pfc_edition edition, enum pfc_macsec macsec)
{
	struct pfc_headroom_input in;

	pfc_headroom_input_init(&in, 10 * GIGABIT);
	in.phy = PFC_PHY_10GBASE_T;
	in.edition = (uint8_t)edition;
	in.macsec = (uint8_t)macsec;
	return in;
}

/* --- numbers of the standard --------------------------------------------------------- */

static void test_annex_n(void **state)
{
	static const struct {
		enum pfc_edition edition;
		enum pfc_macsec macsec;
		uint64_t total;
	} cases[] = {
	    {PFC_EDITION_QDT, PFC_MACSEC_NONE, 126224},
	    {PFC_EDITION_QDT, PFC_MACSEC_DATA, 164944},
	    {PFC_EDITION_2018, PFC_MACSEC_NONE, 126024},
	    {PFC_EDITION_2018, PFC_MACSEC_DATA, 145384},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct pfc_headroom_input in = annex_n(cases[i].edition, cases[i].macsec);

		assert_int_equal(calculate(&in).total, cases[i].total);
		/* Unknown PHY: at 10 Gb/s 10GBASE-T is the worst case. */
		in.phy = 0;
		assert_int_equal(calculate(&in).total, cases[i].total);
		in.phy = PFC_PHY_WORST;
		assert_int_equal(calculate(&in).total, cases[i].total);
	}
}

/* The terms of N.6, in its order. */
static void test_annex_n_terms(void **state)
{
	struct pfc_headroom_input in = annex_n(PFC_EDITION_QDT, PFC_MACSEC_NONE);
	struct pfc_headroom sum = calculate(&in);

	(void)state;
	assert_int_equal(sum.term[PFC_TERM_CALCULATION] + sum.term[PFC_TERM_INITIATION], 200);
	assert_int_equal(sum.term[PFC_TERM_LOCAL_FRAME], 16160);
	assert_int_equal(sum.term[PFC_TERM_PFC_FRAME], 672);
	assert_int_equal(sum.term[PFC_TERM_LOCAL_TRANSMIT], (12288 + 25600) / 2);
	assert_int_equal(sum.term[PFC_TERM_LINK_TO_PEER], 5556);
	assert_int_equal(sum.term[PFC_TERM_PEER_RECEIVE], (12288 + 25600) / 2);
	assert_int_equal(sum.term[PFC_TERM_RESPONSE], 6144);
	assert_int_equal(sum.term[PFC_TERM_PEER_FRAME], 16160);
	assert_int_equal(sum.term[PFC_TERM_PEER_TRANSMIT], (12288 + 25600) / 2);
	assert_int_equal(sum.term[PFC_TERM_LINK_FROM_PEER], 5556);
	assert_int_equal(sum.term[PFC_TERM_LOCAL_RECEIVE], (12288 + 25600) / 2);
	assert_int_equal(sum.group[PFC_DELAY_WORST_CASE], 2 * 16160);
	assert_int_equal(sum.group[PFC_DELAY_LINK], 2 * 5556);
	assert_int_equal(sum.group[PFC_DELAY_INTERNAL], 126224 - 2 * 16160 - 2 * 5556);
	/* "Roughly equivalent to 15.4 kB", with 1024 octets per kB. */
	assert_int_equal(pfc_bits_to_octets(sum.total), 15778);
	assert_int_equal(pfc_bits_to_quanta(sum.total), 247);
}

static void test_macsec(void **state)
{
	struct pfc_headroom_input in = annex_n(PFC_EDITION_QDT, PFC_MACSEC_DATA);
	struct pfc_headroom sum = calculate(&in);

	(void)state;
	/* 36.4.1, NOTE 1. */
	assert_int_equal(sum.term[PFC_TERM_LOCAL_FRAME_SECY], 19360);
	assert_int_equal(sum.term[PFC_TERM_PEER_FRAME_SECY], 19360);
	assert_int_equal(sum.group[PFC_DELAY_WORST_CASE], 2 * 16160 + 19360);
	/* 36.5: the PFC frame also passes both SecYs, and has a SecTAG and an ICV. */
	in.macsec = PFC_MACSEC_ALL;
	assert_int_equal(calculate(&in).total, 164944 + 2 * 19360 + 8 * 32);
	/*
	 * 36.4.1: a peer that cannot bypass its SecY has the delay in both
	 * directions without MACsec.
	 */
	in = annex_n(PFC_EDITION_QDT, PFC_MACSEC_NONE);
	in.peer_mbc = true;
	assert_int_equal(calculate(&in).total, 126224 + 2 * 19360);
	in.peer_mbc = false;
	in.local_mbc = true;
	assert_int_equal(calculate(&in).total, 126224 + 19360);
	in.secy_ns = 100;
	assert_int_equal(calculate(&in).total, 126224 + 1000);
	/* 802.1Q-2018, Annex N, has no delay of the local SecY, only the two of the peer. */
	in = annex_n(PFC_EDITION_2018, PFC_MACSEC_ALL);
	sum = calculate(&in);
	assert_int_equal(sum.term[PFC_TERM_LOCAL_FRAME_SECY], 0);
	assert_int_equal(sum.term[PFC_TERM_LOCAL_PFC_SECY], 0);
	assert_int_equal(sum.total, 126024 + 2 * 19360 + 8 * 32);
	/* A longer frame adds 8 * 9216 bits to each frame and SecY delay. */
	in = annex_n(PFC_EDITION_QDT, PFC_MACSEC_DATA);
	in.max_frame_octets += 9216;
	assert_int_equal(calculate(&in).total, 164944 + 4 * 8 * 9216);
}

/* 36.3.3 states the response bound at three speeds. */
static void test_response_bound(void **state)
{
	static const struct {
		uint64_t gbps, bits;
	} cases[] = {{10, 6144}, {40, 24576}, {100, 61440}};
	struct pfc_headroom_input in;

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		pfc_headroom_input_init(&in, cases[i].gbps * GIGABIT);
		in.phy = PFC_PHY_NONE;
		assert_int_equal(calculate(&in).term[PFC_TERM_RESPONSE], cases[i].bits);
	}
	/* A measured response: 25 us at 1 Gb/s. */
	pfc_headroom_input_init(&in, GIGABIT);
	in.phy = PFC_PHY_NONE;
	in.response_ns = 25000;
	assert_int_equal(calculate(&in).term[PFC_TERM_RESPONSE], 25000);
	/* 614.4 ns at 1 Gb/s: rounded up to a bit. */
	in.response_ns = 0;
	assert_int_equal(calculate(&in).term[PFC_TERM_RESPONSE], 615);
}

/* Table N-1, and 31B.3.7 of IEEE Std 802.3 in pause quanta. */
static void test_phy_delays(void **state)
{
	static const struct {
		uint32_t gbps, round_trip;
	} phys[] = {
	    [PFC_PHY_WORST] = {10, 8192 + 2 * 2048 + 25600},
	    [PFC_PHY_NONE] = {10, 0},
	    [PFC_PHY_10GBASE_T] = {10, 74 * 512},
	    [PFC_PHY_10GBASE_R] = {10, 8192 + 3584 + 512},
	    [PFC_PHY_10GBASE_LX4] = {10, 8192 + 2048 + 512},
	    [PFC_PHY_10GBASE_CX4] = {10, 8192 + 2048 + 512},
	    [PFC_PHY_25GBASE_R] = {25, 80 * 512},
	    [PFC_PHY_40GBASE_R] = {40, 118 * 512},
	    [PFC_PHY_50GBASE_R] = {50, 147 * 512},
	    [PFC_PHY_100GBASE_R] = {100, 394 * 512},
	    [PFC_PHY_200GBASE_R] = {200, 453 * 512},
	    [PFC_PHY_400GBASE_R] = {400, 905 * 512},
	};

	(void)state;
	assert_int_equal(UNIT_COUNT(phys), PFC_PHY_LAST + 1);
	for (uint8_t phy = PFC_PHY_WORST; phy <= PFC_PHY_LAST; phy++) {
		struct pfc_headroom_input in = annex_n(PFC_EDITION_QDT, PFC_MACSEC_NONE);
		uint64_t without;

		in.speed_bps = phys[phy].gbps * GIGABIT;
		in.phy = PFC_PHY_NONE;
		without = calculate(&in).total;
		in.phy = phy;
		assert_int_equal(calculate(&in).total, without + 2 * phys[phy].round_trip);
		in.interface_ns = 1;
		assert_int_equal(calculate(&in).total, without + 2 * phys[phy].gbps);
	}
}

/* The worst PHY of each speed: no PHY of the speed has a longer delay. */
static void test_worst_phy_is_that_of_the_speed(void **state)
{
	static const struct {
		uint64_t mbps, bits;
	} cases[] = {
	    {1000, 37888},       {10000, 37888},      {25000, 37888 * 5 / 2},
	    {40000, 37888 * 4},  {50000, 147 * 512},  {100000, 394 * 512},
	    {200000, 453 * 512}, {400000, 905 * 512}, {800000, 2 * 905 * 512},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct pfc_headroom_input in;
		uint64_t worst;

		pfc_headroom_input_init(&in, cases[i].mbps * (GIGABIT / 1000));
		in.phy = PFC_PHY_WORST;
		worst = calculate(&in).term[PFC_TERM_PEER_RECEIVE] +
			calculate(&in).term[PFC_TERM_PEER_TRANSMIT];
		assert_int_equal(worst, cases[i].bits);
		for (uint8_t phy = PFC_PHY_10GBASE_T; phy <= PFC_PHY_LAST; phy++) {
			struct pfc_headroom sum;

			in.phy = phy;
			if (pfc_headroom_calculate(&in, &sum) == PFC_HEADROOM_OK)
				assert_true(sum.term[PFC_TERM_PEER_RECEIVE] +
						sum.term[PFC_TERM_PEER_TRANSMIT] <=
					    worst);
		}
	}
}

static void test_link_delay(void **state)
{
	struct pfc_headroom_input in = annex_n(PFC_EDITION_QDT, PFC_MACSEC_NONE);

	(void)state;
	/* NOTE 1 of 36.8: 1000 m of fibre are 5 us, and 125 kB for both directions at 100 Gb/s. */
	pfc_headroom_input_init(&in, 100 * GIGABIT);
	in.phy = PFC_PHY_NONE;
	in.medium = PFC_MEDIUM_FIBRE;
	in.cable_m = 1000;
	assert_int_equal(calculate(&in).group[PFC_DELAY_LINK], 125000 * 8);
	in.speed_bps = 10 * GIGABIT;
	assert_int_equal(calculate(&in).term[PFC_TERM_LINK_TO_PEER], 50000);
	/* A measured link delay replaces the cable length. */
	in.link_delay_ns = 4000;
	assert_int_equal(calculate(&in).group[PFC_DELAY_LINK], 2 * 40000);
	in.cable_m = 0;
	assert_int_equal(calculate(&in).group[PFC_DELAY_LINK], 2 * 40000);
	in.link_delay_ns = 0;
	assert_int_equal(calculate(&in).group[PFC_DELAY_LINK], 0);
	/* A fraction of a bit is rounded up. */
	in.speed_bps = 1;
	in.cable_m = 1;
	assert_int_equal(calculate(&in).group[PFC_DELAY_LINK], 2);
}

static void test_local_and_peer(void **state)
{
	struct pfc_headroom_input in = annex_n(PFC_EDITION_QDT, PFC_MACSEC_DATA);
	struct pfc_headroom sum;

	(void)state;
	in.calculation_ns = 7;
	in.initiation_ns = 30;
	in.reception_ns = 11;
	assert_int_equal(calculate(&in).total, 164944 + 70 + (300 - 200) + 110);
	/* The peer's delay replaces g, h and i. */
	in.peer_delay_ns = 5000;
	sum = calculate(&in);
	assert_int_equal(sum.term[PFC_TERM_RESPONSE], 50000);
	assert_int_equal(sum.total, 164944 + 280 - 18944 - 6144 - 16160 - 18944 - 19360 + 50000);
}

/* 36.8 a) 3): what a station sends in its PFC Local Delay TLV is what its peer would calculate. */
static void test_local_delay_is_g_h_and_i(void **state)
{
	struct pfc_headroom_input in = annex_n(PFC_EDITION_QDT, PFC_MACSEC_NONE);

	(void)state;
	/* N.6: 18944 + 6144 + 16160 + 18944 bits at 10 Gb/s. */
	assert_int_equal(pfc_local_delay_ns(&in), 6020);
	in.peer_delay_ns = 1;
	in.cable_m = 100000;
	in.initiation_ns = 1000000;
	assert_int_equal(pfc_local_delay_ns(&in), 6020);
	in.response_ns = 25000;
	assert_int_equal(pfc_local_delay_ns(&in), 5405 + 25000);
	in.macsec = PFC_MACSEC_DATA;
	assert_int_equal(pfc_local_delay_ns(&in), 7341 + 25000);
	in.macsec = PFC_MACSEC_NONE;
	in.peer_mbc = true;
	assert_int_equal(pfc_local_delay_ns(&in), 9277 + 25000);
	in.medium = 0;
	assert_int_equal(pfc_local_delay_ns(&in), 0);
	/* The longest time: a second for each delay, and frames of a mebioctet at 1 bit/s. */
	pfc_headroom_input_init(&in, 1);
	in.phy = PFC_PHY_NONE;
	in.max_frame_octets = PFC_HEADROOM_FRAME_MAX_OCTETS;
	assert_int_equal(pfc_local_delay_ns(&in), (8 * (1048576 + 20) + 1) * GIGABIT);
}

/* Way b) of 36.8, Annex N: the round trip is ID and LD; a, b and WD are added. */
static void test_measured_round_trip(void **state)
{
	struct pfc_headroom_input in = annex_n(PFC_EDITION_QDT, PFC_MACSEC_DATA);
	struct pfc_headroom sum;

	(void)state;
	in.measured_quanta = 100;
	in.peer_delay_ns = 5000; /* a part of the round trip */
	sum = calculate(&in);
	assert_int_equal(sum.term[PFC_TERM_ROUND_TRIP], 100 * 512);
	assert_int_equal(sum.group[PFC_DELAY_WORST_CASE], 2 * 16160 + 19360);
	assert_int_equal(sum.group[PFC_DELAY_LINK], 0);
	assert_int_equal(sum.total, 200 + 2 * 16160 + 19360 + 100 * 512);
	/* Neither the link nor the peer changes the result any more. */
	in.cable_m = 100000;
	in.response_ns = 1000000;
	in.phy = PFC_PHY_NONE;
	assert_int_equal(calculate(&in).total, sum.total);
	in.calculation_ns = 10;
	assert_int_equal(calculate(&in).total, sum.total + 100);
	in.measured_quanta = UINT32_MAX;
	assert_int_equal(calculate(&in).term[PFC_TERM_ROUND_TRIP], UINT64_C(512) * UINT32_MAX);
}

/* Each term says where its value is from. */
static void test_sources_of_terms(void **state)
{
	struct pfc_headroom_input in = annex_n(PFC_EDITION_QDT, PFC_MACSEC_NONE);
	struct pfc_headroom sum = calculate(&in);

	(void)state;
	for (unsigned i = 0; i < PFC_TERMS; i++)
		assert_int_equal(sum.source[i],
				 i == PFC_TERM_LINK_TO_PEER || i == PFC_TERM_LINK_FROM_PEER
				     ? PFC_SOURCE_CONFIGURED
				     : PFC_SOURCE_STANDARD);
#define SOURCE(of, is) assert_int_equal(calculate(&in).source[PFC_TERM_##of], PFC_SOURCE_##is)
	in.link_delay_ns = 1000;
	SOURCE(LINK_TO_PEER, CONFIGURED);
	in.link_is_ptp = true;
	SOURCE(LINK_TO_PEER, PTP);
	SOURCE(LINK_FROM_PEER, PTP);
	in.neighbor_mbc = true;
	SOURCE(PEER_PFC_SECY, NEIGHBOR);
	SOURCE(PEER_FRAME_SECY, NEIGHBOR);
	SOURCE(LOCAL_FRAME_SECY, STANDARD);
	assert_int_equal(calculate(&in).term[PFC_TERM_PEER_FRAME_SECY], 19360);
	in.peer_mbc = true; /* by hand */
	SOURCE(PEER_FRAME_SECY, STANDARD);
	in.secy_ns = 5;
	SOURCE(PEER_FRAME_SECY, CONFIGURED);
	in.interface_ns = 5;
	SOURCE(LOCAL_TRANSMIT, CONFIGURED);
	SOURCE(PEER_RECEIVE, CONFIGURED);
	in.response_ns = 5;
	SOURCE(RESPONSE, CONFIGURED);
	in.max_frame_octets = 9000;
	SOURCE(LOCAL_FRAME, CONFIGURED);
	SOURCE(PEER_FRAME, CONFIGURED);
	in.peer_delay_ns = 9000;
	SOURCE(PEER_FRAME, NEIGHBOR);
	SOURCE(RESPONSE, NEIGHBOR);
	SOURCE(LOCAL_FRAME, CONFIGURED);
	in.measured_quanta = 9;
	SOURCE(PEER_FRAME, CONFIGURED);
	SOURCE(RESPONSE, MEASURED);
	SOURCE(LINK_FROM_PEER, MEASURED);
	SOURCE(ROUND_TRIP, MEASURED);
	SOURCE(INITIATION, STANDARD);
#undef SOURCE
}

/* A neighbor with the MACsec bit protects PFC frames where MACsec protects data. */
static void test_neighbor_macsec_counts_with_data(void **state)
{
	struct pfc_headroom_input in = annex_n(PFC_EDITION_QDT, PFC_MACSEC_NONE);

	(void)state;
	in.neighbor_macsec = true;
	assert_int_equal(calculate(&in).total, 126224);
	in.macsec = PFC_MACSEC_DATA;
	assert_int_equal(calculate(&in).total, 164944 + 2 * 19360 + 8 * 32);
	assert_int_equal(calculate(&in).source[PFC_TERM_LOCAL_PFC_SECY], PFC_SOURCE_NEIGHBOR);
	in.neighbor_macsec = false;
	assert_int_equal(calculate(&in).total, 164944);
}

/* --- errors ------------------------------------------------------------------------------ */

#define EXPECT_ERROR(expected, field, value)                                               \
	do {                                                                               \
		struct pfc_headroom_input in_ = annex_n(PFC_EDITION_QDT, PFC_MACSEC_NONE); \
		struct pfc_headroom sum_;                                                  \
                                                                                           \
		in_.field = (value);                                                       \
		assert_int_equal(pfc_headroom_calculate(&in_, &sum_), (expected));         \
		assert_int_equal(sum_.total, 0);                                           \
		assert_string_not_equal(pfc_headroom_strerror(expected), "");              \
	} while (0)

static void test_rejects_inputs_out_of_range(void **state)
{
	(void)state;
	EXPECT_ERROR(PFC_HEADROOM_BAD_SPEED, speed_bps, 0);
	EXPECT_ERROR(PFC_HEADROOM_BAD_SPEED, speed_bps, PFC_HEADROOM_SPEED_MAX_BPS + 1);
	EXPECT_ERROR(PFC_HEADROOM_BAD_FRAME, max_frame_octets, 63);
	EXPECT_ERROR(PFC_HEADROOM_BAD_FRAME, max_frame_octets, UINT32_MAX);
	EXPECT_ERROR(PFC_HEADROOM_BAD_FRAME, pfc_frame_octets, 0);
	EXPECT_ERROR(PFC_HEADROOM_BAD_CABLE, cable_m, PFC_HEADROOM_CABLE_MAX_M + 1);
	EXPECT_ERROR(PFC_HEADROOM_BAD_DELAY, link_delay_ns, PFC_HEADROOM_DELAY_MAX_NS + 1);
	EXPECT_ERROR(PFC_HEADROOM_BAD_DELAY, interface_ns, UINT32_MAX);
	EXPECT_ERROR(PFC_HEADROOM_BAD_DELAY, calculation_ns, UINT32_MAX);
	EXPECT_ERROR(PFC_HEADROOM_BAD_DELAY, initiation_ns, UINT32_MAX);
	EXPECT_ERROR(PFC_HEADROOM_BAD_DELAY, reception_ns, UINT32_MAX);
	EXPECT_ERROR(PFC_HEADROOM_BAD_DELAY, response_ns, UINT32_MAX);
	EXPECT_ERROR(PFC_HEADROOM_BAD_DELAY, peer_delay_ns, UINT32_MAX);
	EXPECT_ERROR(PFC_HEADROOM_BAD_DELAY, secy_ns, UINT32_MAX);
	EXPECT_ERROR(PFC_HEADROOM_BAD_DELAY, local_secy_ns, UINT32_MAX);
	EXPECT_ERROR(PFC_HEADROOM_BAD_CHOICE, medium, 0);
	EXPECT_ERROR(PFC_HEADROOM_BAD_CHOICE, medium, PFC_MEDIUM_FIBRE + 1);
	EXPECT_ERROR(PFC_HEADROOM_BAD_CHOICE, phy, PFC_PHY_LAST + 1);
	EXPECT_ERROR(PFC_HEADROOM_BAD_CHOICE, macsec, 0);
	EXPECT_ERROR(PFC_HEADROOM_BAD_CHOICE, macsec, PFC_MACSEC_ALL + 1);
	EXPECT_ERROR(PFC_HEADROOM_BAD_CHOICE, edition, 0);
	EXPECT_ERROR(PFC_HEADROOM_BAD_CHOICE, edition, PFC_EDITION_2018 + 1);
	EXPECT_ERROR(PFC_HEADROOM_PHY_SPEED, speed_bps, 25 * GIGABIT);
}

/* An unknown PHY is an error where no delay of the speed is known. */
static void test_unknown_phy(void **state)
{
	static const uint64_t gbps[] = {1, 5, 30, 800};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(gbps); i++) {
		struct pfc_headroom_input in;
		struct pfc_headroom sum;

		pfc_headroom_input_init(&in, gbps[i] * GIGABIT);
		assert_int_equal(pfc_headroom_calculate(&in, &sum), PFC_HEADROOM_PHY_UNKNOWN);
		in.interface_ns = 1000;
		assert_int_equal(pfc_headroom_calculate(&in, &sum), PFC_HEADROOM_OK);
		assert_int_equal(sum.term[PFC_TERM_PEER_RECEIVE], 500 * gbps[i]);
	}
}

static void test_every_term_has_token_and_text(void **state)
{
	char last = 'a';

	(void)state;
	for (unsigned i = 0; i < PFC_TERMS; i++) {
		const struct pfc_term_info *info = pfc_term_info((enum pfc_term)i);

		if (i != PFC_TERM_ROUND_TRIP) {
			assert_true(info->item == last || info->item == last + 1);
			last = info->item;
		}
		assert_non_null(pfc_delay_group_token((enum pfc_delay_group)info->group));
		for (unsigned k = 0; k < i; k++) {
			const struct pfc_term_info *other = pfc_term_info((enum pfc_term)k);

			assert_string_not_equal(info->token, other->token);
			assert_string_not_equal(info->text, other->text);
		}
	}
	assert_int_equal(last, 'k');
	assert_null(pfc_term_info(PFC_TERMS));
	assert_null(pfc_delay_group_token(PFC_DELAY_GROUPS));
}

/* --- random input --------------------------------------------------------------------------- */

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

/*
 * --- headroom of a managed port
 * ----------------------------------------------------------------
 */

static const struct pfc_headroom_config fresh = {
    .choice = PFC_HEADROOM_AUTOMATIC,
    .cable_m = 100,
    .medium = PFC_MEDIUM_COPPER,
    .phy = PFC_PHY_WORST,
    .macsec = PFC_MACSEC_NONE,
    .maximum = UINT32_MAX,
};

/* MTU for frames of 2000 octets, as in N.6. */
#define MTU_OF_N6 (2000 - 26)

/* A port without a neighbor. */
static void settle(const struct pfc_headroom_config *config, uint32_t link_delay_allowance,
		   uint64_t speed_bps, uint32_t mtu, struct pfc_headroom_state *out)
{
	pfc_headroom_settle(config, link_delay_allowance,
			    &(struct pfc_headroom_link){
				.speed_bps = speed_bps, .mtu = mtu, .way = PFC_WAY_CONFIGURED},
			    out);
}

static void test_port_follows_speed_and_mtu(void **state)
{
	struct pfc_headroom_state a, b;

	(void)state;
	settle(&fresh, 0, 10 * GIGABIT, MTU_OF_N6, &a);
	assert_int_equal(a.status, PFC_HEADROOM_CALCULATED);
	assert_int_equal(a.max_frame_octets, 2000);
	assert_int_equal(a.calculated, 126224);
	assert_int_equal(a.allowance, 126224);
	assert_int_equal(a.in_force, 126224);
	assert_int_equal(a.group[PFC_DELAY_WORST_CASE], 2 * 16160);
	settle(&fresh, 0, 10 * GIGABIT, MTU_OF_N6 + 7000, &b);
	assert_int_equal(b.in_force, 126224 + 2 * 8 * 7000);
	/* At 100 Gb/s all terms except frames and PHYs are ten times as large. */
	settle(&fresh, 0, 100 * GIGABIT, MTU_OF_N6, &b);
	assert_int_equal(b.in_force, 10 * 126224 - 9 * (2 * 16160 + 672) - 2 * 4 -
					 2 * (10 * 37888 - 394 * 512));
	/* SecTAG and ICV make the frame and the two SecY delays longer. */
	struct pfc_headroom_config c = fresh;
	c.macsec = PFC_MACSEC_DATA;
	settle(&c, 0, 10 * GIGABIT, MTU_OF_N6, &b);
	assert_int_equal(b.in_force, 164944 + 4 * 8 * 32);
}

static void test_port_choice_and_bounds(void **state)
{
	struct pfc_headroom_config c = fresh;
	struct pfc_headroom_state s;

	(void)state;
	c.choice = PFC_HEADROOM_MANUAL;
	settle(&c, 999, 10 * GIGABIT, MTU_OF_N6, &s);
	assert_int_equal(s.in_force, 999);
	assert_int_equal(s.allowance, 126224); /* still calculated, but not in force: 36.8 */

	/* Without an agreement, PFCLinkDelayAllowance once it is set; the calculation on request.
	 */
	c.choice = PFC_HEADROOM_AUTOMATIC;
	settle(&c, 999, 10 * GIGABIT, MTU_OF_N6, &s);
	assert_int_equal(s.in_force, 999);
	assert_int_equal(s.basis, PFC_BASIS_LINK_ALLOWANCE);
	c.choice = PFC_HEADROOM_CALCULATION;
	settle(&c, 999, 10 * GIGABIT, MTU_OF_N6, &s);
	assert_int_equal(s.in_force, 126224);
	assert_int_equal(s.basis, PFC_BASIS_ALLOWANCE);

	c = fresh;
	c.minimum = 126225;
	settle(&c, 0, 10 * GIGABIT, MTU_OF_N6, &s);
	assert_int_equal(s.status, PFC_HEADROOM_AT_MINIMUM);
	assert_int_equal(s.in_force, 126225);
	assert_int_equal(s.calculated, 126224);
	c.minimum = c.maximum = 126224;
	settle(&c, 0, 10 * GIGABIT, MTU_OF_N6, &s);
	assert_int_equal(s.status, PFC_HEADROOM_CALCULATED);
	c.minimum = 0;
	c.maximum = 126223;
	settle(&c, 0, 10 * GIGABIT, MTU_OF_N6, &s);
	assert_int_equal(s.status, PFC_HEADROOM_AT_MAXIMUM);
	assert_int_equal(s.in_force, 126223);
	assert_true(pfc_headroom_config_check(&c));
	c.minimum = 126224;
	assert_false(pfc_headroom_config_check(&c));
}

/* 12.23: the initial value is PFCLinkDelayAllowance, unless initial_allowance is set. */
static void test_port_without_result(void **state)
{
	struct pfc_headroom_config c = fresh;
	struct pfc_headroom_state s;

	(void)state;
	c.phy = PFC_PHY_10GBASE_R;
	c.choice = PFC_HEADROOM_CALCULATION;
	settle(&c, 999, 40 * GIGABIT, 1500, &s);
	assert_int_equal(s.status, PFC_HEADROOM_NO_RESULT);
	assert_int_equal(s.calculated, 0);
	assert_int_equal(s.in_force, 999);
	c.initial_allowance = 50000;
	settle(&c, 999, 40 * GIGABIT, 1500, &s);
	assert_int_equal(s.in_force, 50000);
	settle(&c, 999, 10 * GIGABIT, 1500, &s);
	assert_int_equal(s.status, PFC_HEADROOM_CALCULATED);
	assert_int_not_equal(s.in_force, 50000);
}

/* Each setting of a managed port has the effect of the input of the same name. */
static void test_port_settings_are_inputs(void **state)
{
	struct pfc_headroom_config base = fresh;
	struct pfc_headroom_input same;
	struct pfc_headroom_state s;
	uint32_t before;

	(void)state;
	base.macsec = PFC_MACSEC_DATA;
	settle(&base, 0, 10 * GIGABIT, 1500, &s);
	before = s.calculated;
	pfc_headroom_input_init(&same, 10 * GIGABIT);
	same.max_frame_octets = s.max_frame_octets;
	same.cable_m = base.cable_m;
	same.medium = base.medium;
	same.phy = base.phy;
	same.macsec = base.macsec;
	assert_int_equal(before, calculate(&same).total);
#define COUNTS(setting, value)                                        \
	do {                                                          \
		struct pfc_headroom_config c = base;                  \
		struct pfc_headroom_input in = same;                  \
                                                                      \
		c.setting = in.setting = value;                       \
		settle(&c, 0, 10 * GIGABIT, 1500, &s);                \
		assert_int_equal(s.calculated, calculate(&in).total); \
		assert_int_not_equal(s.calculated, before);           \
	} while (0)
	COUNTS(cable_m, 1234);
	COUNTS(medium, PFC_MEDIUM_FIBRE);
	COUNTS(link_delay_ns, 4321);
	COUNTS(phy, PFC_PHY_NONE);
	COUNTS(interface_ns, 1);
	COUNTS(initiation_ns, 3000);
	COUNTS(response_ns, 5000);
	COUNTS(peer_mbc, true);
	COUNTS(macsec, PFC_MACSEC_ALL);
	COUNTS(secy_ns, 77);
#undef COUNTS
}

/* What the neighbor says counts by itself; a setting by hand replaces it. */
static void test_port_uses_what_the_neighbor_says(void **state)
{
	struct pfc_headroom_link link = {
	    .speed_bps = 10 * GIGABIT, .mtu = MTU_OF_N6, .way = PFC_WAY_CONFIGURED};
	struct pfc_headroom_config c = fresh;
	struct pfc_headroom_state s;

	(void)state;
	link.peer.mbc = true;
	pfc_headroom_settle(&c, 0, &link, &s);
	assert_int_equal(s.in_force, 126224 + 2 * 19360);
	link.peer.mbc = false;
	/* The local delay has one frame in it: WD has the other. */
	link.peer.delay_ns = 5000;
	pfc_headroom_settle(&c, 0, &link, &s);
	assert_int_equal(s.in_force, 126224 - 60192 + 50000);
	assert_int_equal(s.group[PFC_DELAY_WORST_CASE], 16160);
	assert_int_equal(s.source[PFC_TERM_PEER_FRAME], PFC_SOURCE_NEIGHBOR);
	c.response_ns = 1000;
	pfc_headroom_settle(&c, 0, &link, &s);
	assert_int_equal(s.in_force, 126224 - 6144 + 10000);
	assert_int_equal(s.source[PFC_TERM_RESPONSE], PFC_SOURCE_CONFIGURED);
	c.response_ns = 0;
	/* A delay without the time of the frame, or of more than a second, is not used. */
	link.peer.delay_ns = 1615;
	pfc_headroom_settle(&c, 0, &link, &s);
	assert_int_equal(s.in_force, 126224);
	link.peer.delay_ns = 1616;
	pfc_headroom_settle(&c, 0, &link, &s);
	assert_int_equal(s.in_force, 126224 - 60192 + 16160);
	link.peer.delay_ns = PFC_HEADROOM_DELAY_MAX_NS + 1;
	pfc_headroom_settle(&c, 0, &link, &s);
	assert_int_equal(s.in_force, 126224);
	/* PTP, unless a delay is set by hand. */
	link.peer.delay_ns = 0;
	c.ptp_delay_ns = 1000;
	pfc_headroom_settle(&c, 0, &link, &s);
	assert_int_equal(s.group[PFC_DELAY_LINK], 20000);
	assert_int_equal(s.source[PFC_TERM_LINK_TO_PEER], PFC_SOURCE_PTP);
	c.link_delay_ns = 2000;
	pfc_headroom_settle(&c, 0, &link, &s);
	assert_int_equal(s.group[PFC_DELAY_LINK], 40000);
	assert_int_equal(s.source[PFC_TERM_LINK_TO_PEER], PFC_SOURCE_CONFIGURED);
}

/* The measured delay of the local SecY replaces the bound of 36.4.1 in our terms, c and d. */
static void test_port_uses_measured_delay_of_its_secy(void **state)
{
	struct pfc_headroom_link link = {
	    .speed_bps = 10 * GIGABIT, .mtu = MTU_OF_N6, .way = PFC_WAY_CONFIGURED};
	struct pfc_headroom_config c = fresh;
	struct pfc_headroom_state s;
	uint32_t without, bound;

	(void)state;
	/* Without MACsec there is no SecY on the way. */
	link.secy_ns = 500;
	pfc_headroom_settle(&c, 0, &link, &s);
	assert_int_equal(s.in_force, 126224);
	assert_int_equal(s.source[PFC_TERM_LOCAL_FRAME_SECY], PFC_SOURCE_STANDARD);
	c.macsec = PFC_MACSEC_ALL;
	link.secy_ns = 0;
	pfc_headroom_settle(&c, 0, &link, &s);
	without = s.in_force;
	bound = s.term[PFC_TERM_LOCAL_FRAME_SECY];
	link.secy_ns = 500;
	pfc_headroom_settle(&c, 0, &link, &s);
	assert_int_equal(s.term[PFC_TERM_LOCAL_FRAME_SECY], 5000);
	assert_int_equal(s.term[PFC_TERM_LOCAL_PFC_SECY], 5000);
	assert_int_equal(s.term[PFC_TERM_PEER_FRAME_SECY], bound);
	assert_int_equal(s.term[PFC_TERM_PEER_PFC_SECY], bound);
	assert_int_equal(s.source[PFC_TERM_LOCAL_FRAME_SECY], PFC_SOURCE_MEASURED);
	assert_int_equal(s.source[PFC_TERM_LOCAL_PFC_SECY], PFC_SOURCE_MEASURED);
	assert_int_equal(s.source[PFC_TERM_PEER_FRAME_SECY], PFC_SOURCE_STANDARD);
	assert_int_equal(s.in_force, without - 2 * (bound - 5000));
	/* Longer than the bound. */
	link.secy_ns = 5000;
	pfc_headroom_settle(&c, 0, &link, &s);
	assert_int_equal(s.in_force, without + 2 * (50000 - bound));
	/* A setting replaces it; a delay that cannot be is not used. */
	c.secy_ns = 700;
	pfc_headroom_settle(&c, 0, &link, &s);
	assert_int_equal(s.term[PFC_TERM_LOCAL_FRAME_SECY], 7000);
	assert_int_equal(s.source[PFC_TERM_LOCAL_FRAME_SECY], PFC_SOURCE_CONFIGURED);
	c.secy_ns = 0;
	link.secy_ns = PFC_HEADROOM_DELAY_MAX_NS + 1;
	pfc_headroom_settle(&c, 0, &link, &s);
	assert_int_equal(s.in_force, without);
	assert_int_equal(s.status, PFC_HEADROOM_CALCULATED);
}

/* 36.9.6: the initial value until there is a measurement, and the measurement within bounds. */
static void test_port_uses_measured_round_trip(void **state)
{
	struct pfc_headroom_link link = {.speed_bps = 10 * GIGABIT,
					 .mtu = MTU_OF_N6,
					 .way = PFC_WAY_MEASURED,
					 .measured_quanta = 100};
	const uint32_t local = 200 + 2 * 16160;
	struct pfc_headroom_config c = fresh;
	struct pfc_headroom_state s;

	(void)state;
	pfc_headroom_settle(&c, 999, &link, &s);
	assert_int_equal(s.in_force, local + (100 + PFC_HEADROOM_ACCURACY_QUANTA) * 512);
	assert_int_equal(s.basis, PFC_BASIS_ALLOWANCE);
	assert_int_equal(s.source[PFC_TERM_ROUND_TRIP], PFC_SOURCE_MEASURED);
	/* The way counts: a result of a way that is not in use does not. */
	link.way = PFC_WAY_LINK_DELAYS;
	pfc_headroom_settle(&c, 999, &link, &s);
	assert_int_equal(s.in_force, 126224);
	link.way = PFC_WAY_MEASURED;
	link.measured_quanta = 0;
	pfc_headroom_settle(&c, 999, &link, &s);
	assert_int_equal(s.in_force, 126224);
	c.initial_allowance = 70000;
	pfc_headroom_settle(&c, 999, &link, &s);
	assert_int_equal(s.in_force, 70000);
	/* Shorter than a PFC frame, longer than a second: not used. */
	link.measured_quanta = 1;
	pfc_headroom_settle(&c, 999, &link, &s);
	assert_int_equal(s.in_force, 70000);
	link.measured_quanta = UINT32_MAX;
	pfc_headroom_settle(&c, 999, &link, &s);
	assert_int_equal(s.in_force, 70000);
	link.measured_quanta = 2;
	pfc_headroom_settle(&c, 999, &link, &s);
	assert_int_equal(s.in_force, local + 10 * 512);
	c.minimum = 60000;
	pfc_headroom_settle(&c, 999, &link, &s);
	assert_int_equal(s.in_force, 60000);
	assert_int_equal(s.status, PFC_HEADROOM_AT_MINIMUM);
	c.choice = PFC_HEADROOM_MANUAL;
	pfc_headroom_settle(&c, 999, &link, &s);
	assert_int_equal(s.in_force, 999);
	assert_int_equal(s.allowance, 60000);
}

/* Values above the range of the object are its maximum. */
static void test_port_saturates(void **state)
{
	struct pfc_headroom_config c = fresh;
	struct pfc_headroom_state s;

	(void)state;
	c.response_ns = 500 * 1000 * 1000;
	settle(&c, 0, 100 * GIGABIT, 1500, &s);
	assert_int_equal(s.in_force, UINT32_MAX);
	assert_int_equal(s.group[PFC_DELAY_INTERNAL], UINT32_MAX);
	settle(&c, 0, GIGABIT, UINT32_MAX, &s);
	assert_true(s.max_frame_octets <= PFC_HEADROOM_FRAME_MAX_OCTETS);
	assert_int_equal(s.status, PFC_HEADROOM_CALCULATED);
	settle(&c, 0, GIGABIT, 1, &s);
	assert_int_equal(s.max_frame_octets, PFC_HEADROOM_FRAME_MIN_OCTETS);
	settle(&c, 0, GIGABIT, 0, &s);
	assert_int_equal(s.max_frame_octets, 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_annex_n),
	    cmocka_unit_test(test_annex_n_terms),
	    cmocka_unit_test(test_macsec),
	    cmocka_unit_test(test_response_bound),
	    cmocka_unit_test(test_phy_delays),
	    cmocka_unit_test(test_worst_phy_is_that_of_the_speed),
	    cmocka_unit_test(test_link_delay),
	    cmocka_unit_test(test_local_and_peer),
	    cmocka_unit_test(test_local_delay_is_g_h_and_i),
	    cmocka_unit_test(test_measured_round_trip),
	    cmocka_unit_test(test_sources_of_terms),
	    cmocka_unit_test(test_neighbor_macsec_counts_with_data),
	    cmocka_unit_test(test_rejects_inputs_out_of_range),
	    cmocka_unit_test(test_unknown_phy),
	    cmocka_unit_test(test_every_term_has_token_and_text),
	    cmocka_unit_test(test_properties_of_random_input),
	    cmocka_unit_test(test_largest_input),
	    cmocka_unit_test(test_port_follows_speed_and_mtu),
	    cmocka_unit_test(test_port_choice_and_bounds),
	    cmocka_unit_test(test_port_without_result),
	    cmocka_unit_test(test_port_settings_are_inputs),
	    cmocka_unit_test(test_port_uses_what_the_neighbor_says),
	    cmocka_unit_test(test_port_uses_measured_delay_of_its_secy),
	    cmocka_unit_test(test_port_uses_measured_round_trip),
	    cmocka_unit_test(test_port_saturates),
	};

	return cmocka_run_group_tests_name("pfc_headroom", tests, NULL, NULL);
}
