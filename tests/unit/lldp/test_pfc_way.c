/* SPDX-License-Identifier: BSD-3-Clause */
/* The way in which headroom is found, from the TLVs of both ends; bounds; flapping. */
#include "lldp/pfc_way.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#include <string.h>

#define BIT(n)   (1u << (n))
#define RTM      BIT(PFC_BIT_RTM)
#define PTP      BIT(PFC_BIT_PTP)
#define MIN_NS   1237 /* 1526 octets and overhead at 10 Gb/s */
#define ASSUMED  5000
#define DELAY(n) ((int64_t)(n)*65536)

static const struct dcb_rate rate_10g = {UINT64_C(10000000000)};

/* Returns the TLVs of a station with PFC for priority 3. */
static struct dcb_tlvs tlvs_of(bool qdt, unsigned bits)
{
	struct dcb_tlvs tlvs = {
	    .present = BIT(DCB_TLV_PFC),
	    .pfc = {.cap = 8, .enable = 8, .qdt = qdt, .mbc = bits >> PFC_BIT_MBC & 1},
	};

	tlvs.pfc.macsec = bits >> PFC_BIT_MACSEC & 1;
	tlvs.pfc.privacy = bits >> PFC_BIT_PRIVACY & 1;
	tlvs.pfc.rtm = bits >> PFC_BIT_RTM & 1;
	tlvs.pfc.ptp = bits >> PFC_BIT_PTP & 1;
	return tlvs;
}

static struct pfc_way_said find(const struct dcb_tlvs *sent, unsigned peers,
				const struct dcb_tlvs *theirs)
{
	struct dcbx_peers p = {.n = peers, .tlvs = peers == 1 ? theirs : NULL};
	struct pfc_way_said said;

	memset(&said, 0xa5, sizeof(said));
	pfc_way_find(sent, &p, MIN_NS, &said);
	return said;
}

/* --- what both ends say ----------------------------------------------------------------- */

/* All bits of both ends: a way needs its bit at both, and measurement is preferred. */
static void test_way_needs_its_bit_at_both_ends(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 0x400; bits++) {
		struct dcb_tlvs own = tlvs_of(true, bits & 0x1f);
		struct dcb_tlvs theirs = tlvs_of(true, bits >> 5);
		struct pfc_way_said said = find(&own, 1, &theirs);
		unsigned common = bits & bits >> 5 & 0x1f;

		assert_int_equal(said.local, bits & 0x1f);
		assert_int_equal(said.remote, bits >> 5);
		assert_int_equal(said.agreed, common & ~BIT(PFC_BIT_MBC));
		assert_int_equal(said.way, common & RTM   ? PFC_WAY_MEASURED
					   : common & PTP ? PFC_WAY_LINK_DELAYS
							  : PFC_WAY_CONFIGURED);
		assert_int_equal(said.peer.mbc, bits >> (5 + PFC_BIT_MBC) & 1);
		assert_int_equal(said.peer.macsec, bits >> (5 + PFC_BIT_MACSEC) & 1);
		assert_int_equal(said.peer.privacy, bits >> (5 + PFC_BIT_PRIVACY) & 1);
		assert_int_equal(said.peer.rtm, bits >> (5 + PFC_BIT_RTM) & 1);
		assert_int_equal(said.peer.ptp, bits >> (5 + PFC_BIT_PTP) & 1);
		assert_int_equal(said.peer.delay_ns, 0);
		if ((common & RTM) && (common & PTP))
			assert_int_equal(said.reason, PFC_REASON_PREFERRED);
		else if (common & (RTM | PTP))
			assert_int_equal(said.reason, PFC_REASON_AGREED);
		else if (bits & (RTM | PTP))
			assert_int_equal(said.reason, PFC_REASON_NOT_COMMON);
		else
			assert_int_equal(said.reason, PFC_REASON_OFF);
	}
}

static void test_reasons_without_agreement(void **state)
{
	struct dcb_tlvs own = tlvs_of(true, RTM), old = tlvs_of(false, BIT(PFC_BIT_MBC));
	struct dcb_tlvs both = tlvs_of(true, RTM), silent = {0}, unsent = own, no_pfc = own;

	(void)state;
	assert_int_equal(find(&own, 0, NULL).reason, PFC_REASON_NO_PEER);
	assert_int_equal(find(&own, 2, NULL).reason, PFC_REASON_MANY_PEERS);
	assert_int_equal(find(&own, 1, &silent).reason, PFC_REASON_PEER_SILENT);
	assert_int_equal(find(&own, 1, &old).reason, PFC_REASON_PEER_2018);
	/* MBC is a bit of both formats. */
	assert_true(find(&own, 1, &old).peer.mbc);
	unsent.present = 0;
	assert_int_equal(find(&unsent, 1, &both).reason, PFC_REASON_OFF);
	assert_int_equal(find(&unsent, 1, &both).local, 0);
	assert_true(find(&unsent, 1, &both).peer.rtm); /* what the neighbor says counts by itself */
	no_pfc.pfc.enable = 0;
	assert_int_equal(find(&no_pfc, 1, &both).reason, PFC_REASON_NO_PFC);
	assert_int_equal(find(&both, 1, &no_pfc).reason, PFC_REASON_NO_PFC);
	assert_int_equal(find(&both, 1, &no_pfc).way, PFC_WAY_CONFIGURED);
	assert_int_equal(find(&own, 1, &both).way, PFC_WAY_MEASURED);
}

/* --- delays ----------------------------------------------------------------------------- */

static void test_delay_outside_its_bounds_is_refused(void **state)
{
	static const int64_t refused[] = {
	    0,         -1,        -DELAY(2000),         DELAY(MIN_NS) - 65536,
	    INT64_MIN, INT64_MAX, DELAY(100000000) + 1, DELAY(4294967296 + 2000),
	    DELAY(1),
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(refused); i++)
		assert_int_equal(pfc_peer_delay_ns(refused[i], MIN_NS), 0);
	assert_int_equal(pfc_peer_delay_ns(DELAY(MIN_NS), MIN_NS), MIN_NS);
	assert_int_equal(pfc_peer_delay_ns(DELAY(MIN_NS) - 65535, MIN_NS), MIN_NS);
	assert_int_equal(pfc_peer_delay_ns(DELAY(MIN_NS) + 1, MIN_NS), MIN_NS + 1);
	assert_int_equal(pfc_peer_delay_ns(DELAY(100000000), MIN_NS), 100000000);
}

static void test_refused_delay_leaves_the_rest_of_the_tlvs(void **state)
{
	struct dcb_tlvs own = tlvs_of(true, PTP), theirs = tlvs_of(true, PTP);

	(void)state;
	theirs.present |= BIT(DCB_TLV_PFC_DELAY);
	theirs.pfc_delay = DELAY(4000);
	assert_int_equal(find(&own, 1, &theirs).peer.delay_ns, 4000);
	theirs.pfc_delay = -DELAY(4000);
	assert_int_equal(find(&own, 1, &theirs).peer.delay_ns, 0);
	assert_int_equal(find(&own, 1, &theirs).way, PFC_WAY_LINK_DELAYS);
	/* A delay that was not received, or was malformed. */
	theirs.present = BIT(DCB_TLV_PFC);
	theirs.pfc_delay = DELAY(4000);
	assert_int_equal(find(&own, 1, &theirs).peer.delay_ns, 0);
}

/* Annex N: 10GBASE-T has 18944 bit times each way, a frame of 2000 octets 16160. */
static void test_own_delay_is_g_h_and_i(void **state)
{
	struct pfc_headroom_config config = {.phy = PFC_PHY_10GBASE_T, .macsec = PFC_MACSEC_NONE};

	(void)state;
	/* 18944 + 10000 + 16160 + 18944 bits */
	assert_int_equal(pfc_way_delay_ns(&config, 1000, false, rate_10g, 1974), 6405);
	/* 614.4 ns, the bound of 36.3.3 */
	assert_int_equal(pfc_way_delay_ns(&config, 0, false, rate_10g, 1974), 6020);
	/* A SecY of 19360 bits in both directions. */
	assert_int_equal(pfc_way_delay_ns(&config, 1000, true, rate_10g, 1974), 10277);
	assert_int_equal(pfc_peer_delay_min_ns(&config, rate_10g, 1500), MIN_NS);
	config.phy = PFC_PHY_NONE;
	assert_int_equal(pfc_way_delay_ns(&config, 1000, false, rate_10g, 1974), 2616);
	config.interface_ns = 3000;
	assert_int_equal(pfc_way_delay_ns(&config, 1000, false, rate_10g, 1974), 5616);
	config.macsec = PFC_MACSEC_DATA; /* the frame is longer, and passes the SecY */
	config.secy_ns = 500;
	assert_int_equal(pfc_way_delay_ns(&config, 1000, false, rate_10g, 1974), 6142);
	config = (struct pfc_headroom_config){.phy = PFC_PHY_10GBASE_T, .macsec = PFC_MACSEC_NONE};
	assert_int_equal(pfc_way_delay_ns(&config, 0, false, dcb_rate_from_mbps(1000), 0), 0);
}

static void test_tlvs_have_what_is_set(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 0x40; bits++) {
		struct pfc_way_config config = {
		    .advertise = bits & 1 ? PFC_ADVERTISE_QDT : PFC_ADVERTISE_2018,
		    .rtm = bits >> 1 & 1,
		    .ptp = bits >> 2 & 1,
		    .macsec = bits >> 3 & 1,
		    .privacy = bits >> 4 & 1,
		    .send_delay = bits >> 5 & 1,
		};
		struct dcb_tlvs tlvs = {.present = BIT(DCB_TLV_PFC), .pfc = {.cap = 8}};
		bool qdt = bits & 1, delay = config.send_delay;

		pfc_way_advertise(&config, 6405, &tlvs);
		assert_int_equal(tlvs.pfc.qdt, qdt);
		assert_int_equal(tlvs.pfc.rtm, qdt && config.rtm);
		assert_int_equal(tlvs.pfc.ptp, qdt && config.ptp);
		assert_int_equal(tlvs.pfc.macsec, qdt && config.macsec);
		assert_int_equal(tlvs.pfc.privacy, qdt && config.privacy);
		assert_int_equal(dcb_tlvs_have(&tlvs, DCB_TLV_PFC_DELAY), delay);
		assert_true(tlvs.pfc_delay == (delay ? DELAY(6405) : 0));
		tlvs = (struct dcb_tlvs){0};
		pfc_way_advertise(&config, 0, &tlvs); /* no result of the calculation */
		assert_int_equal(tlvs.present, 0);
	}
}

/* Measurement is switched off: that is the reason only where nothing else is. */
static void test_switched_off_measurement_is_a_reason(void **state)
{
	static const uint8_t kept[] = {
	    PFC_REASON_NO_PEER, PFC_REASON_MANY_PEERS, PFC_REASON_PEER_SILENT, PFC_REASON_PEER_2018,
	    PFC_REASON_NO_PFC,  PFC_REASON_AGREED,     PFC_REASON_PREFERRED};
	struct pfc_way_said said = {.reason = PFC_REASON_OFF};

	(void)state;
	pfc_way_withhold(&said);
	assert_int_equal(said.reason, PFC_REASON_NOT_MEASURING);
	said = (struct pfc_way_said){.reason = PFC_REASON_NOT_COMMON};
	pfc_way_withhold(&said);
	assert_int_equal(said.reason, PFC_REASON_NOT_COMMON);
	said.peer.rtm = true;
	pfc_way_withhold(&said);
	assert_int_equal(said.reason, PFC_REASON_NOT_MEASURING);
	for (unsigned i = 0; i < UNIT_COUNT(kept); i++) {
		said.reason = kept[i];
		pfc_way_withhold(&said);
		assert_int_equal(said.reason, kept[i]);
	}
}

/* --- flapping ---------------------------------------------------------------------------- */

static struct dcb_time at(double seconds)
{
	return (struct dcb_time){(int64_t)(seconds * (double)DCB_NS_PER_S)};
}

static struct pfc_way_said says_way(enum pfc_way way)
{
	return (struct pfc_way_said){.way = (uint8_t)way, .reason = PFC_REASON_AGREED};
}

static void settle(struct pfc_way_state *s, struct pfc_way_said said, double seconds)
{
	pfc_way_settle(s, &said, ASSUMED, at(seconds));
}

static void test_first_losses_return_at_once(void **state)
{
	struct pfc_way_state s = {0};

	(void)state;
	settle(&s, says_way(PFC_WAY_CONFIGURED), 0);
	assert_int_equal(s.changes, 0);
	for (int i = 0; i < PFC_WAY_LOSSES_MAX - 1; i++) {
		settle(&s, says_way(PFC_WAY_MEASURED), 10 * i + 1);
		assert_int_equal(s.way, PFC_WAY_MEASURED);
		settle(&s, says_way(PFC_WAY_CONFIGURED), 10 * i + 2);
		assert_int_equal(s.way, PFC_WAY_CONFIGURED);
	}
	assert_int_equal(s.changes, 2 * (PFC_WAY_LOSSES_MAX - 1));
	settle(&s, says_way(PFC_WAY_MEASURED), 100);
	assert_int_equal(s.way, PFC_WAY_MEASURED);
	assert_true(pfc_way_next(&s).ns == DCB_TIME_NEVER.ns);
}

static void test_way_that_flaps_is_held_until_a_quiet_minute(void **state)
{
	struct pfc_way_state s = {0};
	double now = 0;

	(void)state;
	settle(&s, says_way(PFC_WAY_CONFIGURED), now);
	for (int i = 0; i < 1000; i++) {
		settle(&s, says_way(PFC_WAY_MEASURED), now += 0.5);
		settle(&s, says_way(PFC_WAY_CONFIGURED), now += 0.5);
	}
	assert_int_equal(s.changes, 2 * PFC_WAY_LOSSES_MAX);
	settle(&s, says_way(PFC_WAY_MEASURED), now + 1);
	assert_int_equal(s.way, PFC_WAY_CONFIGURED);
	assert_int_equal(s.reason, PFC_REASON_HELD);
	assert_true(pfc_way_next(&s).ns == at(now + 60).ns);
	settle(&s, says_way(PFC_WAY_MEASURED), now + 59.9);
	assert_int_equal(s.way, PFC_WAY_CONFIGURED);
	settle(&s, says_way(PFC_WAY_MEASURED), now + 60);
	assert_int_equal(s.way, PFC_WAY_MEASURED);
	assert_int_equal(s.reason, PFC_REASON_AGREED);
	assert_true(pfc_way_next(&s).ns == DCB_TIME_NEVER.ns);
}

static void test_new_settings_end_the_hold(void **state)
{
	struct pfc_way_state s = {0};

	(void)state;
	for (int i = 0; i < 10; i++) {
		settle(&s, says_way(PFC_WAY_MEASURED), i);
		settle(&s, says_way(PFC_WAY_CONFIGURED), i + 0.5);
	}
	settle(&s, says_way(PFC_WAY_MEASURED), 11);
	assert_int_equal(s.way, PFC_WAY_CONFIGURED);
	pfc_way_forgive(&s);
	settle(&s, says_way(PFC_WAY_MEASURED), 12);
	assert_int_equal(s.way, PFC_WAY_MEASURED);
}

static void hold(struct pfc_way_state *s, struct pfc_way_said said)
{
	for (int i = 0; i < 10; i++) {
		settle(s, says_way(PFC_WAY_MEASURED), i);
		settle(s, says_way(PFC_WAY_CONFIGURED), i + 0.5);
	}
	settle(s, said, 10);
	assert_int_equal(s->losses, PFC_WAY_LOSSES_MAX);
}

/* While a neighbor is held, only what needs more headroom takes effect. */
static void test_held_neighbor_causes_only_more_headroom(void **state)
{
	struct pfc_way_said said = says_way(PFC_WAY_CONFIGURED);
	struct pfc_way_state s = {0};
	uint32_t used = ASSUMED;
	unsigned changes = 0;

	(void)state;
	hold(&s, said);
	said.peer.delay_ns = 3000; /* shorter than ASSUMED */
	settle(&s, said, 11);
	assert_int_equal(s.peer.delay_ns, 0);
	said.peer.mbc = true;
	settle(&s, said, 12);
	assert_true(s.peer.mbc);
	said.peer.mbc = false;
	settle(&s, said, 13);
	assert_true(s.peer.mbc);
	/* A delay that grows in each LLDPDU: powers of two. */
	for (uint32_t ns = 6000; ns < 10000000; ns += 100) {
		said.peer.delay_ns = ns;
		settle(&s, said, 14);
		assert_true(s.peer.delay_ns >= ns && s.peer.delay_ns >= used);
		changes += s.peer.delay_ns != used;
		used = s.peer.delay_ns;
	}
	assert_in_range(changes, 1, 12);
	said.peer.delay_ns = PFC_PEER_DELAY_MAX_NS - 1;
	settle(&s, said, 15);
	assert_int_equal(s.peer.delay_ns, PFC_PEER_DELAY_MAX_NS);
	said.peer.delay_ns = 0; /* not sent any more: the longer one stays */
	settle(&s, said, 16);
	assert_int_equal(s.peer.delay_ns, PFC_PEER_DELAY_MAX_NS);
	settle(&s, said, 200);
	assert_int_equal(s.peer.delay_ns, 0);
	assert_false(s.peer.mbc);
}

static void test_longer_delay_takes_effect_at_once(void **state)
{
	struct pfc_way_said said = says_way(PFC_WAY_LINK_DELAYS);
	struct pfc_way_state s = {0};

	(void)state;
	for (uint32_t ns = 2000; ns < 2000 + 10 * 60; ns += 10) {
		said.peer.delay_ns = ns;
		settle(&s, said, 100.0 * ns); /* each after a quiet minute */
		assert_int_equal(s.peer.delay_ns, ns);
		assert_int_equal(s.reason, PFC_REASON_AGREED);
	}
}

/*
 * Random neighbors. In use is never less headroom than the neighbor needs at the moment,
 * the same arguments again change nothing, and a quiet minute ends each hold.
 */
static void test_random_neighbors(void **state)
{
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (int run = 0; run < 200; run++) {
		struct pfc_way_state s = {0};
		int64_t now = 0;

		for (int step = 0; step < 300; step++) {
			struct pfc_way_said said =
			    says_way((enum pfc_way)dcb_rng_uniform(&rng, 1, 3));
			struct pfc_way_state again;

			said.peer.delay_ns = dcb_rng_uniform(&rng, 0, 3) * 4000;
			said.peer.mbc = dcb_rng_uniform(&rng, 0, 1);
			said.peer.macsec = dcb_rng_uniform(&rng, 0, 1);
			now += dcb_rng_uniform(&rng, 0, 40) * DCB_NS_PER_S;
			pfc_way_settle(&s, &said, ASSUMED, (struct dcb_time){now});
			assert_true(s.way <= said.way && s.peer.mbc >= said.peer.mbc &&
				    s.peer.macsec >= said.peer.macsec);
			assert_true((s.peer.delay_ns ? s.peer.delay_ns : ASSUMED) >=
				    (said.peer.delay_ns ? said.peer.delay_ns : ASSUMED));
			again = s;
			pfc_way_settle(&again, &said, ASSUMED, (struct dcb_time){now});
			assert_int_equal(again.way, s.way);
			assert_true(pfc_peer_equal(&again.peer, &s.peer));
			assert_int_equal(again.losses, s.losses);
			pfc_way_settle(&again, &said, ASSUMED,
				       (struct dcb_time){now + PFC_WAY_QUIET_NS});
			assert_int_equal(again.way, said.way);
			assert_true(pfc_peer_equal(&again.peer, &said.peer));
		}
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_way_needs_its_bit_at_both_ends),
	    cmocka_unit_test(test_reasons_without_agreement),
	    cmocka_unit_test(test_delay_outside_its_bounds_is_refused),
	    cmocka_unit_test(test_refused_delay_leaves_the_rest_of_the_tlvs),
	    cmocka_unit_test(test_own_delay_is_g_h_and_i),
	    cmocka_unit_test(test_tlvs_have_what_is_set),
	    cmocka_unit_test(test_switched_off_measurement_is_a_reason),
	    cmocka_unit_test(test_first_losses_return_at_once),
	    cmocka_unit_test(test_way_that_flaps_is_held_until_a_quiet_minute),
	    cmocka_unit_test(test_new_settings_end_the_hold),
	    cmocka_unit_test(test_held_neighbor_causes_only_more_headroom),
	    cmocka_unit_test(test_longer_delay_takes_effect_at_once),
	    cmocka_unit_test(test_random_neighbors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
