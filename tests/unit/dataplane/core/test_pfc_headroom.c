/* SPDX-License-Identifier: BSD-3-Clause */
/* PFC headroom: the examples of the standard, and inputs that are errors. */
#include "dataplane/core/pfc_headroom.h"
#include "tests/unit/dataplane/core/pfc_headroom_sum.h"

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

/* --- numbers of the standard ----------------------------------------------------------- */

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

/* --- errors ---------------------------------------------------------------------------- */

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

UNIT_MAIN
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
	};

	return cmocka_run_group_tests_name("pfc_headroom", tests, NULL, NULL);
}
