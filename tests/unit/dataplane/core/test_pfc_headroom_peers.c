/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headroom calculations of other products, compared with that of the standard.
 * Each formula is first checked against the numbers that its product publishes.
 * Then the relation to the headroom of the same link here is asserted, with the
 * reason.
 */
#include <math.h>

#include "dataplane/core/pfc_headroom.h"
#include "tests/unit/unit.h"

#define GIGABIT UINT64_C(1000000000)

static const uint32_t speeds_gbps[] = {10, 25, 40, 50, 100, 200, 400, 800};
static const uint32_t cables_m[] = {0, 1, 5, 7, 40, 100, 300, 1000};
static const uint32_t mtus[] = {1500, 4096, 9000, 9216};

/* Headroom without MAC and PHY delay: the part that every calculation must cover. */
static struct pfc_headroom ours(uint32_t gbps, uint32_t frame, uint32_t cable_m, uint8_t medium,
				uint32_t response_ns)
{
	struct pfc_headroom_input in;
	struct pfc_headroom sum;

	pfc_headroom_input_init(&in, gbps * GIGABIT);
	in.max_frame_octets = frame;
	in.cable_m = cable_m;
	in.medium = medium;
	in.phy = PFC_PHY_NONE;
	in.response_ns = response_ns;
	assert_int_equal(pfc_headroom_calculate(&in, &sum), PFC_HEADROOM_OK);
	return sum;
}

/* --- a switch buffer manager: profiles for cable lengths ------------------------------- */

struct profile {
	double cell, small_percent, lossless_mtu, port_mtu, mac_phy_kb;
	double peer_octets; /* 0: from table of pause quanta */
};

static const struct {
	uint32_t gbps, quanta;
} response_quanta[] = {{1, 2},     {10, 67},   {25, 80},   {40, 118}, {50, 147},
		       {100, 394}, {200, 453}, {400, 905}, {800, 905}};

static double peer_octets(uint32_t gbps)
{
	for (size_t i = 0; i < UNIT_COUNT(response_quanta); i++) {
		if (response_quanta[i].gbps == gbps)
			return response_quanta[i].quanta * 64.0;
	}
	fail_msg("no quanta for %u Gb/s", gbps);
	return 0;
}

static double kib_up(double octets)
{
	return ceil(octets / 1024) * 1024;
}

static double round_trip_octets(uint32_t gbps, uint32_t cable_m)
{
	return 2 * cable_m * (gbps * 1000.0) * 1e9 / 198e6 / 8000;
}

/* Octets received after XOFF if every frame fills its cells. */
static double profile_delay(const struct profile *p, uint32_t gbps, uint32_t cable_m)
{
	return p->port_mtu + round_trip_octets(gbps, cable_m) + p->mac_phy_kb * 1024 +
	       (p->peer_octets > 0 ? p->peer_octets : peer_octets(gbps));
}

static double worst_cell_factor(const struct profile *p)
{
	return ceil(p->cell > 128 ? p->cell / 64 : 2 * p->cell / (1 + p->cell));
}

static double profile_xoff(const struct profile *p, uint32_t gbps, uint32_t cable_m)
{
	double mean = (p->small_percent * 64 + (100 - p->small_percent) * p->lossless_mtu) / 100;
	double small = 100 * 64 / mean, factor = worst_cell_factor(p);
	double occupancy = (100 - small + small * factor) / 100;
	double delay = profile_delay(p, gbps, cable_m);
	double xoff = kib_up(p->lossless_mtu + delay * occupancy);

	if (p->small_percent < 100 && p->lossless_mtu + delay * factor - xoff > 2048)
		xoff += 2048;
	return xoff;
}

static const struct profile all_small = {
    .cell = 96,
    .small_percent = 100,
    .lossless_mtu = 1024,
    .port_mtu = 9100,
    .mac_phy_kb = 0.8,
    .peer_octets = 3.8 * 1024,
};

/* A table as shipped with a switch of this kind. */
static void test_profiles_as_shipped(void **state)
{
	static const struct {
		uint32_t gbps, xoff[3]; /* 5, 40 and 300 m */
	} table[] = {
	    {10, {29696, 29696, 36864}}, {25, {29696, 31744, 48128}},   {40, {29696, 32768, 59392}},
	    {50, {29696, 33792, 66560}}, {100, {30720, 38912, 104448}},
	};
	static const uint32_t cable_m[] = {5, 40, 300};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(table); i++) {
		for (size_t k = 0; k < UNIT_COUNT(cable_m); k++)
			assert_int_equal((long)profile_xoff(&all_small, table[i].gbps, cable_m[k]),
					 table[i].xoff[k]);
	}
}

/* The same, with half of the frames small and the peer's response in quanta. */
static void test_profiles_by_quanta(void **state)
{
	static const struct {
		double cell;
		uint32_t gbps, cable_m, xoff;
	} table[] = {
	    {96, 10, 5, 19456},       {96, 10, 40, 20480},      {96, 10, 300, 23552},
	    {96, 25, 5, 20480},       {96, 25, 40, 21504},      {96, 25, 300, 30720},
	    {96, 40, 5, 23552},       {96, 40, 40, 25600},      {96, 40, 300, 39936},
	    {96, 100, 5, 44032},      {96, 100, 40, 48128},     {96, 100, 300, 84992},
	    {144, 100, 5, 48128},     {144, 100, 40, 53248},    {144, 100, 300, 94208},
	    {144, 100, 1000, 202752}, {144, 400, 5, 90112},     {144, 400, 40, 112640},
	    {144, 400, 300, 274432},  {144, 400, 1000, 711680},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(table); i++) {
		struct profile p = all_small;

		p.cell = table[i].cell;
		p.small_percent = 50;
		p.peer_octets = 0;
		assert_int_equal((long)profile_xoff(&p, table[i].gbps, table[i].cable_m),
				 table[i].xoff);
	}
}

/*
 * Cable delay: 198 m/us is between the speeds in copper and in fibre, so its
 * round trip delay is between those of our calculation, except for rounding.
 */
static void test_profiles_cable(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(speeds_gbps); i++) {
		for (size_t k = 0; k < UNIT_COUNT(cables_m); k++) {
			double theirs = 8 * round_trip_octets(speeds_gbps[i], cables_m[k]);
			struct pfc_headroom fibre = ours(speeds_gbps[i], 1518, cables_m[k],
							 PFC_MEDIUM_FIBRE, 0),
					    copper = ours(speeds_gbps[i], 1518, cables_m[k],
							  PFC_MEDIUM_COPPER, 0);

			assert_true((double)fibre.group[PFC_DELAY_LINK] <= theirs + 2);
			assert_true((double)copper.group[PFC_DELAY_LINK] >= theirs);
			assert_true((double)fibre.group[PFC_DELAY_LINK] >= 0.989 * theirs);
		}
	}
}

/*
 * With frames of one size and the same response, port MTU, lossless MTU, cable
 * and response are the two frames, link and response of our calculation. The
 * other terms (PFC frame, preambles, initiation) are less than the product's
 * MAC and PHY delay, and rounding to cells only adds to that.
 */
static void test_profiles_cover_ours(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(response_quanta); i++) {
		uint32_t gbps = response_quanta[i].gbps;
		uint32_t response_ns = response_quanta[i].quanta * PFC_QUANTUM_BITS / gbps;

		for (size_t k = 0; k < UNIT_COUNT(cables_m); k++) {
			struct profile p = all_small;
			struct pfc_headroom sum =
			    ours(gbps, 9100, cables_m[k], PFC_MEDIUM_FIBRE, response_ns);

			p.lossless_mtu = p.port_mtu;
			p.peer_octets = 0;
			assert_true(profile_xoff(&p, gbps, cables_m[k]) >=
				    (double)pfc_bits_to_octets(sum.total));
		}
	}
}

/* --- a NIC driver: set by the cable length ---------------------------------------------- */

static uint64_t nic_xoff(uint32_t mbps, uint32_t mtu, uint32_t cable_m)
{
	uint32_t per_gbps = 301 + 216 * cable_m / 100;

	return (uint64_t)per_gbps * (mbps > 40000 ? mbps : 40000) / 1000 + 272 * mtu / 100;
}

static void test_nic_vectors(void **state)
{
	(void)state;
	assert_int_equal(nic_xoff(25000, 1500, 7), 16720);
	assert_int_equal(nic_xoff(40000, 1500, 7), 16720);
	assert_int_equal(nic_xoff(100000, 1500, 7), 35680);
	assert_int_equal(nic_xoff(100000, 9216, 7), 56667);
	assert_int_equal(nic_xoff(100000, 9216, 100), 76767);
	assert_int_equal(nic_xoff(400000, 9216, 5), 149467);
}

/*
 * The driver reserves 2.72 MTU for the two frames, 8.64 ns per metre and
 * direction (here 5 to 5.56), and 2.4 us for the rest. So its result is at
 * least ours if the rest, without MAC and PHY, is the response bound of 36.3.3.
 * It rises faster with the cable length than ours on any medium.
 */
static void test_nic_covers_ours(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(speeds_gbps); i++) {
		for (size_t k = 0; k < UNIT_COUNT(cables_m); k++) {
			for (size_t n = 0; n < UNIT_COUNT(mtus); n++) {
				struct pfc_headroom sum =
				    ours(speeds_gbps[i], pfc_headroom_frame_octets(mtus[n]),
					 cables_m[k], PFC_MEDIUM_COPPER, 0);

				assert_true(nic_xoff(1000 * speeds_gbps[i], mtus[n], cables_m[k]) >=
					    pfc_bits_to_octets(sum.total));
			}
		}
	}
	for (size_t k = 1; k < UNIT_COUNT(cables_m); k++) {
		struct pfc_headroom a = ours(100, 1526, cables_m[k - 1], PFC_MEDIUM_COPPER, 0);
		struct pfc_headroom b = ours(100, 1526, cables_m[k], PFC_MEDIUM_COPPER, 0);

		assert_true(nic_xoff(100000, 1500, cables_m[k]) -
				nic_xoff(100000, 1500, cables_m[k - 1]) >=
			    (b.total - a.total) / 8);
	}
}

/* --- a switch driver: set by the total delay -------------------------------------------- */

static uint64_t cells(uint64_t octets)
{
	return octets / 96 + (octets % 96 != 0);
}

static uint64_t group_cells(uint32_t mtu, uint32_t delay_bits)
{
	return 2 * cells(mtu) + 2 * cells(pfc_bits_to_octets(delay_bits)) + cells(mtu);
}

static void test_switch_vectors(void **state)
{
	(void)state;
	assert_int_equal(group_cells(1518, 0), 48);
	assert_int_equal(group_cells(9216, 0), 288);
	assert_int_equal(group_cells(9216, 32768), 374);
	assert_int_equal(group_cells(9216, 65535), 460);
}

/*
 * The driver reserves three frames and twice the delay. With our link and
 * internal delays that includes our two frames. Its octets are frames with FCS;
 * ours also have 40 octets of preambles and gaps.
 */
static void test_switch_covers_ours(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(speeds_gbps); i++) {
		for (size_t k = 0; k < UNIT_COUNT(cables_m); k++) {
			for (size_t n = 0; n < UNIT_COUNT(mtus); n++) {
				struct pfc_headroom sum =
				    ours(speeds_gbps[i], mtus[n], cables_m[k], PFC_MEDIUM_FIBRE, 0);
				uint64_t delay =
				    sum.group[PFC_DELAY_INTERNAL] + sum.group[PFC_DELAY_LINK];

				assert_true(96 * group_cells(mtus[n], (uint32_t)delay) >=
					    pfc_bits_to_octets(sum.total));
			}
		}
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_profiles_as_shipped), cmocka_unit_test(test_profiles_by_quanta),
	    cmocka_unit_test(test_profiles_cable),      cmocka_unit_test(test_profiles_cover_ours),
	    cmocka_unit_test(test_nic_vectors),         cmocka_unit_test(test_nic_covers_ours),
	    cmocka_unit_test(test_switch_vectors),      cmocka_unit_test(test_switch_covers_ours),
	};

	return cmocka_run_group_tests_name("pfc_headroom_peers", tests, NULL, NULL);
}
