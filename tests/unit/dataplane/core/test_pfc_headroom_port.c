/* SPDX-License-Identifier: BSD-3-Clause */
/* PFC headroom of a managed port: its settings, its link and its neighbor. */
#include "dataplane/core/pfc_headroom.h"
#include "tests/unit/dataplane/core/pfc_headroom_sum.h"

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

/* Returns the headroom in force. */
static uint32_t in_force(const struct pfc_headroom_config *config, uint32_t link_delay_allowance,
			 const struct pfc_headroom_link *link, struct pfc_headroom_state *out)
{
	pfc_headroom_compute(config, link_delay_allowance, link, out);
	return out->in_force;
}

/* The same for a port without a neighbor. */
static uint32_t settle(const struct pfc_headroom_config *config, uint32_t link_delay_allowance,
		       uint64_t speed_bps, uint32_t mtu, struct pfc_headroom_state *out)
{
	return in_force(config, link_delay_allowance,
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
	assert_int_equal(settle(&fresh, 0, 10 * GIGABIT, MTU_OF_N6 + 7000, &b),
			 126224 + 2 * 8 * 7000);
	/* At 100 Gb/s all terms except frames and PHYs are ten times as large. */
	assert_int_equal(settle(&fresh, 0, 100 * GIGABIT, MTU_OF_N6, &b),
			 10 * 126224 - 9 * (2 * 16160 + 672) - 2 * 4 -
			     2 * (10 * 37888 - 394 * 512));
	/* SecTAG and ICV make the frame and the two SecY delays longer. */
	struct pfc_headroom_config c = fresh;
	c.macsec = PFC_MACSEC_DATA;
	assert_int_equal(settle(&c, 0, 10 * GIGABIT, MTU_OF_N6, &b), 164944 + 4 * 8 * 32);
}

static void test_port_choice_and_bounds(void **state)
{
	struct pfc_headroom_config c = fresh;
	struct pfc_headroom_state s;

	(void)state;
	c.choice = PFC_HEADROOM_MANUAL;
	assert_int_equal(settle(&c, 999, 10 * GIGABIT, MTU_OF_N6, &s), 999);
	assert_int_equal(s.allowance, 126224); /* still calculated, but not in force: 36.8 */

	/* Without an agreement: PFCLinkDelayAllowance once it is set, the calculation on request.
	 */
	c.choice = PFC_HEADROOM_AUTOMATIC;
	assert_int_equal(settle(&c, 999, 10 * GIGABIT, MTU_OF_N6, &s), 999);
	assert_int_equal(s.basis, PFC_BASIS_LINK_ALLOWANCE);
	c.choice = PFC_HEADROOM_CALCULATION;
	assert_int_equal(settle(&c, 999, 10 * GIGABIT, MTU_OF_N6, &s), 126224);
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
	assert_int_equal(settle(&c, 999, 40 * GIGABIT, 1500, &s), 50000);
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
	assert_int_equal(in_force(&c, 0, &link, &s), 126224 + 2 * 19360);
	link.peer.mbc = false;
	/* The local delay has one frame in it: WD has the other. */
	link.peer.delay_ns = 5000;
	assert_int_equal(in_force(&c, 0, &link, &s), 126224 - 60192 + 50000);
	assert_int_equal(s.group[PFC_DELAY_WORST_CASE], 16160);
	assert_int_equal(s.source[PFC_TERM_PEER_FRAME], PFC_SOURCE_NEIGHBOR);
	c.response_ns = 1000;
	assert_int_equal(in_force(&c, 0, &link, &s), 126224 - 6144 + 10000);
	assert_int_equal(s.source[PFC_TERM_RESPONSE], PFC_SOURCE_CONFIGURED);
	c.response_ns = 0;
	/* A delay without the time of the frame, or of more than a second, is not used. */
	link.peer.delay_ns = 1615;
	assert_int_equal(in_force(&c, 0, &link, &s), 126224);
	link.peer.delay_ns = 1616;
	assert_int_equal(in_force(&c, 0, &link, &s), 126224 - 60192 + 16160);
	link.peer.delay_ns = PFC_HEADROOM_DELAY_MAX_NS + 1;
	assert_int_equal(in_force(&c, 0, &link, &s), 126224);
	/* PTP, unless a delay is set by hand. */
	link.peer.delay_ns = 0;
	c.ptp_delay_ns = 1000;
	pfc_headroom_compute(&c, 0, &link, &s);
	assert_int_equal(s.group[PFC_DELAY_LINK], 20000);
	assert_int_equal(s.source[PFC_TERM_LINK_TO_PEER], PFC_SOURCE_PTP);
	c.link_delay_ns = 2000;
	pfc_headroom_compute(&c, 0, &link, &s);
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
	assert_int_equal(in_force(&c, 0, &link, &s), 126224);
	assert_int_equal(s.source[PFC_TERM_LOCAL_FRAME_SECY], PFC_SOURCE_STANDARD);
	c.macsec = PFC_MACSEC_ALL;
	link.secy_ns = 0;
	pfc_headroom_compute(&c, 0, &link, &s);
	without = s.in_force;
	bound = s.term[PFC_TERM_LOCAL_FRAME_SECY];
	link.secy_ns = 500;
	pfc_headroom_compute(&c, 0, &link, &s);
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
	assert_int_equal(in_force(&c, 0, &link, &s), without + 2 * (50000 - bound));
	/* A setting replaces it; a delay that cannot be is not used. */
	c.secy_ns = 700;
	pfc_headroom_compute(&c, 0, &link, &s);
	assert_int_equal(s.term[PFC_TERM_LOCAL_FRAME_SECY], 7000);
	assert_int_equal(s.source[PFC_TERM_LOCAL_FRAME_SECY], PFC_SOURCE_CONFIGURED);
	c.secy_ns = 0;
	link.secy_ns = PFC_HEADROOM_DELAY_MAX_NS + 1;
	assert_int_equal(in_force(&c, 0, &link, &s), without);
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
	assert_int_equal(in_force(&c, 999, &link, &s),
			 local + (100 + PFC_HEADROOM_ACCURACY_QUANTA) * 512);
	assert_int_equal(s.basis, PFC_BASIS_ALLOWANCE);
	assert_int_equal(s.source[PFC_TERM_ROUND_TRIP], PFC_SOURCE_MEASURED);
	/* The way counts: a result of a way that is not in use does not. */
	link.way = PFC_WAY_LINK_DELAYS;
	assert_int_equal(in_force(&c, 999, &link, &s), 126224);
	link.way = PFC_WAY_MEASURED;
	link.measured_quanta = 0;
	assert_int_equal(in_force(&c, 999, &link, &s), 126224);
	c.initial_allowance = 70000;
	assert_int_equal(in_force(&c, 999, &link, &s), 70000);
	/* Shorter than a PFC frame, longer than a second: not used. */
	link.measured_quanta = 1;
	assert_int_equal(in_force(&c, 999, &link, &s), 70000);
	link.measured_quanta = UINT32_MAX;
	assert_int_equal(in_force(&c, 999, &link, &s), 70000);
	link.measured_quanta = 2;
	assert_int_equal(in_force(&c, 999, &link, &s), local + 10 * 512);
	c.minimum = 60000;
	assert_int_equal(in_force(&c, 999, &link, &s), 60000);
	assert_int_equal(s.status, PFC_HEADROOM_AT_MINIMUM);
	c.choice = PFC_HEADROOM_MANUAL;
	assert_int_equal(in_force(&c, 999, &link, &s), 999);
	assert_int_equal(s.allowance, 60000);
}

/* Values above the range of the object are its maximum. */
static void test_port_saturates(void **state)
{
	struct pfc_headroom_config c = fresh;
	struct pfc_headroom_state s;

	(void)state;
	c.response_ns = 500 * 1000 * 1000;
	assert_int_equal(settle(&c, 0, 100 * GIGABIT, 1500, &s), UINT32_MAX);
	assert_int_equal(s.group[PFC_DELAY_INTERNAL], UINT32_MAX);
	settle(&c, 0, GIGABIT, UINT32_MAX, &s);
	assert_true(s.max_frame_octets <= PFC_HEADROOM_FRAME_MAX_OCTETS);
	assert_int_equal(s.status, PFC_HEADROOM_CALCULATED);
	settle(&c, 0, GIGABIT, 1, &s);
	assert_int_equal(s.max_frame_octets, PFC_HEADROOM_FRAME_MIN_OCTETS);
	settle(&c, 0, GIGABIT, 0, &s);
	assert_int_equal(s.max_frame_octets, 2000);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
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
