/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/dcbx_audit.h"
#include "tests/unit/unit.h"

#include <string.h>

#define BIT(n) (uint8_t)(1u << (n))
#define ALL    (uint8_t)((1u << DCB_TLVS) - 1)

static const uint8_t strict_classes[DCB_PRIORITIES] = {1, 0, 2, 3, 4, 5, 6, 7};
/* Classes 0 and 1 share the bandwidth, class 7 is strict. */
static const struct ets_tables sharing = {
    .priority_tc = {0, 0, 0, 1, 1, 1, 7, 7}, .bandwidth = {30, 70}, .tsa = {2, 2}};
static const struct ets_tables other = {
    .priority_tc = {0, 0, 0, 1, 1, 1, 7, 7}, .bandwidth = {40, 60}, .tsa = {2, 2}};
static const struct ets_tables strict = {.priority_tc = {1, 0, 2, 3, 4, 5, 6, 7}};
static const struct ets_tables vendor = {.priority_tc = {0}, .tsa = {255}};

static struct dcbx_config config;
static struct dcb_tlvs tlvs;

/* Returns a port without settings, and one neighbor that sends no TLV. */
static struct dcbx_audit audit_new(void)
{
	memset(&config, 0, sizeof(config));
	memset(&tlvs, 0, sizeof(tlvs));
	return (struct dcbx_audit){
	    .config = &config,
	    .has = ALL,
	    .strict_classes = strict_classes,
	    .dcbx = {.n = 1, .tlvs = &tlvs},
	    .cn = {.n = 1, .tlvs = &tlvs},
	};
}

static enum dcbx_audit_result result_of(const struct dcbx_audit *a, enum dcbx_feature feature)
{
	struct dcbx_expected expected;

	memset(&expected, 0xa5, sizeof(expected));
	dcbx_expect(a, feature, &expected);
	return dcbx_audit(a, feature, &expected);
}

static enum dcbx_expects expects(const struct dcbx_audit *a, enum dcbx_feature feature)
{
	struct dcbx_expected expected;

	dcbx_expect(a, feature, &expected);
	return (enum dcbx_expects)expected.what;
}

static void tell_all(void)
{
	tlvs.present = ALL;
	tlvs.pfc = (struct pfc_tlv){.cap = 8, .enable = 0x08};
	tlvs.ets.tables = sharing;
	tlvs.reco = sharing;
	tlvs.app = (struct app_tlv){.n = 1, .of = {{2, 4, 3260}}};
	tlvs.cn.cnpv = 0x20;
}

/* Sets what tell_all() tells. */
static void set_all(struct dcbx_audit *a)
{
	a->pfc_enable = 0x08;
	a->cnpv = 0x20;
	config.ets = sharing;
	config.n_apps = 1;
	config.apps[0] = (struct app_priority){2, 4, 3260};
}

/* --- all features ------------------------------------------------------------------- */

static void test_same_values_match(void **state)
{
	struct dcbx_audit a = audit_new();

	(void)state;
	tell_all();
	set_all(&a);
	for (unsigned f = 1; f <= DCBX_FEATURES; f++)
		assert_int_equal(result_of(&a, f), DCBX_AUDIT_MATCH);
}

/* The octet and the bits of P802.1Qdt are no settings that both ends must share. */
static void test_bits_of_qdt_do_not_count(void **state)
{
	struct dcbx_audit a = audit_new();

	(void)state;
	tell_all();
	set_all(&a);
	for (unsigned bits = 0; bits < 32; bits++) {
		tlvs.pfc.qdt = true;
		tlvs.pfc.mbc = bits & 1;
		tlvs.pfc.macsec = bits >> 1 & 1;
		tlvs.pfc.privacy = bits >> 2 & 1;
		tlvs.pfc.rtm = bits >> 3 & 1;
		tlvs.pfc.ptp = bits >> 4 & 1;
		tlvs.pfc_delay = INT64_MIN;
		tlvs.pfc.enable = 0x08;
		assert_int_equal(result_of(&a, DCBX_FEATURE_PFC), DCBX_AUDIT_MATCH);
		tlvs.pfc.enable = 0x18;
		assert_int_equal(result_of(&a, DCBX_FEATURE_PFC), DCBX_AUDIT_MISMATCH);
	}
}

static void test_other_values_are_mismatches(void **state)
{
	struct dcbx_audit a = audit_new();

	(void)state;
	tell_all();
	set_all(&a);
	tlvs.pfc.enable = 0x18;
	tlvs.ets.tables = other;
	tlvs.reco = other;
	tlvs.app.of[0].priority = 3;
	tlvs.cn.cnpv = 0x60;
	for (unsigned f = 1; f <= DCBX_FEATURES; f++)
		assert_int_equal(result_of(&a, f), DCBX_AUDIT_MISMATCH);
}

static void test_nothing_is_expected_without_settings(void **state)
{
	struct dcbx_audit a = audit_new();

	(void)state;
	for (unsigned f = 1; f <= DCBX_FEATURES; f++)
		assert_int_equal(result_of(&a, f), DCBX_AUDIT_NOT_EXPECTED);
	/* PFC has to be the same at both ends, so it is compared in any case. */
	tell_all();
	for (unsigned f = 1; f <= DCBX_FEATURES; f++)
		assert_int_equal(result_of(&a, f), f == DCBX_FEATURE_PFC ? DCBX_AUDIT_MISMATCH
									 : DCBX_AUDIT_NOT_EXPECTED);
	tlvs.pfc.enable = 0;
	assert_int_equal(result_of(&a, DCBX_FEATURE_PFC), DCBX_AUDIT_MATCH);
}

static void test_nothing_is_expected_of_a_missing_function(void **state)
{
	struct dcbx_audit a = audit_new();

	(void)state;
	tell_all();
	set_all(&a);
	config.tx_enable = ALL;
	tlvs.pfc.enable = 0;
	a.has = BIT(DCB_TLV_APP);
	for (unsigned f = 1; f <= DCBX_FEATURES; f++)
		assert_int_equal(result_of(&a, f), f == DCBX_FEATURE_APP ? DCBX_AUDIT_MATCH
									 : DCBX_AUDIT_NOT_EXPECTED);
}

static void test_neighbor_that_tells_nothing(void **state)
{
	(void)state;
	for (unsigned f = 1; f <= DCBX_FEATURES; f++) {
		struct dcbx_audit a = audit_new();

		set_all(&a);
		config.tx_enable = BIT(DCB_TLV_ETS);
		config.ets_willing = true; /* else no recommendation is expected */
		assert_int_equal(result_of(&a, f), DCBX_AUDIT_NOT_TOLD);
		tlvs.malformed = BIT(dcbx_feature_tlv(f));
		assert_int_equal(result_of(&a, f), DCBX_AUDIT_MALFORMED);
		a.dcbx = a.cn = (struct dcbx_peers){.n = 0};
		assert_int_equal(result_of(&a, f), DCBX_AUDIT_NO_NEIGHBOR);
		a.dcbx = a.cn = (struct dcbx_peers){.n = 2};
		assert_int_equal(result_of(&a, f), DCBX_AUDIT_MANY_NEIGHBORS);
	}
}

/* A second neighbor without DCBX TLVs matters to congestion notification only. */
static void test_neighbors_that_count_differ_by_feature(void **state)
{
	struct dcbx_audit a = audit_new();

	(void)state;
	tell_all();
	set_all(&a);
	a.cn = (struct dcbx_peers){.n = 2};
	for (unsigned f = 1; f <= DCBX_FEATURES; f++)
		assert_int_equal(result_of(&a, f), f == DCBX_FEATURE_CN ? DCBX_AUDIT_MANY_NEIGHBORS
									: DCBX_AUDIT_MATCH);
}

/* --- single features ---------------------------------------------------------------- */

static void test_pfc_cases(void **state)
{
	static const struct {
		uint8_t enable; /* set here */
		bool sends, willing;
		uint8_t told, cap;
		enum dcbx_audit_result result;
	} cases[] = {
	    {0x08, false, false, 0x08, 8, DCBX_AUDIT_MATCH},
	    {0x08, false, false, 0x08, 0, DCBX_AUDIT_MISMATCH},
	    {0x18, true, false, 0x18, 1, DCBX_AUDIT_MISMATCH},
	    {0x08, true, true, 0x10, 8, DCBX_AUDIT_MISMATCH}, /* taken, and not as set */
	    {0x00, true, true, 0x10, 8, DCBX_AUDIT_MATCH},
	    {0x00, true, true, 0x00, 8, DCBX_AUDIT_MATCH},
	    {0x00, true, true, 0x18, 1, DCBX_AUDIT_MISMATCH},
	    {0x00, true, false, 0x10, 8, DCBX_AUDIT_MISMATCH},
	    {0x00, false, true, 0x10, 8, DCBX_AUDIT_MISMATCH},
	    {0x00, false, true, 0x00, 8, DCBX_AUDIT_MATCH},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct dcbx_audit a = audit_new();

		a.pfc_enable = cases[i].enable;
		config.tx_enable = cases[i].sends ? BIT(DCB_TLV_PFC) : 0;
		config.pfc_willing = cases[i].willing;
		tlvs.present = BIT(DCB_TLV_PFC);
		tlvs.pfc = (struct pfc_tlv){.cap = cases[i].cap, .enable = cases[i].told};
		assert_int_equal(result_of(&a, DCBX_FEATURE_PFC), cases[i].result);
	}
}

static void test_malformed_pfc_is_never_unexpected(void **state)
{
	struct dcbx_audit a = audit_new();

	(void)state;
	tlvs.malformed = BIT(DCB_TLV_PFC);
	assert_int_equal(result_of(&a, DCBX_FEATURE_PFC), DCBX_AUDIT_MALFORMED);
}

/* The neighbor is to have the ETS that the port recommends, set or not. */
static void test_ets_of_the_neighbor_is_the_recommended_one(void **state)
{
	struct dcbx_audit a = audit_new();
	struct dcbx_expected expected;

	(void)state;
	tlvs.present = BIT(DCB_TLV_ETS);
	tlvs.ets.tables = other;
	config.ets = sharing;
	config.reco = other;
	assert_int_equal(result_of(&a, DCBX_FEATURE_ETS), DCBX_AUDIT_MATCH);
	memset(&config.reco, 0, sizeof(config.reco));
	assert_int_equal(result_of(&a, DCBX_FEATURE_ETS), DCBX_AUDIT_MISMATCH);
	tlvs.ets.tables = sharing;
	assert_int_equal(result_of(&a, DCBX_FEATURE_ETS), DCBX_AUDIT_MATCH);
	/* Strict priority has traffic classes too. */
	memset(&config.ets, 0, sizeof(config.ets));
	config.tx_enable = BIT(DCB_TLV_ETS_RECO);
	dcbx_expect(&a, DCBX_FEATURE_ETS, &expected);
	assert_memory_equal(&expected.ets, &strict, sizeof(strict));
	tlvs.ets.tables = strict;
	assert_int_equal(result_of(&a, DCBX_FEATURE_ETS), DCBX_AUDIT_MATCH);
	tlvs.ets.tables.priority_tc[5] = 4;
	assert_int_equal(result_of(&a, DCBX_FEATURE_ETS), DCBX_AUDIT_MISMATCH);
	config.tx_enable = BIT(DCB_TLV_ETS);
	assert_int_equal(result_of(&a, DCBX_FEATURE_ETS), DCBX_AUDIT_MISMATCH);
	config.ets_willing = true;
	assert_int_equal(expects(&a, DCBX_FEATURE_ETS), DCBX_EXPECTS_ANY);
	assert_int_equal(result_of(&a, DCBX_FEATURE_ETS), DCBX_AUDIT_MATCH);
}

/* Values that have no effect do not differ. */
static void test_unused_classes_do_not_count(void **state)
{
	struct dcbx_audit a = audit_new();

	(void)state;
	tell_all();
	config.ets = sharing;
	tlvs.ets.tables.tsa[4] = TSA_VENDOR; /* no priority has class 4 */
	tlvs.ets.tables.bandwidth[7] = 5;    /* class 7 is strict */
	assert_int_equal(result_of(&a, DCBX_FEATURE_ETS), DCBX_AUDIT_MATCH);
	tlvs.ets.tables.tsa[7] = TSA_CREDIT_BASED_SHAPER;
	assert_int_equal(result_of(&a, DCBX_FEATURE_ETS), DCBX_AUDIT_MISMATCH);
}

static void test_recommendation_cases(void **state)
{
	static const struct {
		bool sends, willing;
		const struct ets_tables *own, *told; /* NULL: not set; not told */
		enum dcbx_audit_result result;
	} cases[] = {
	    {true, true, &sharing, &sharing, DCBX_AUDIT_MATCH},
	    {true, true, &sharing, &other, DCBX_AUDIT_MISMATCH},
	    {true, true, &sharing, NULL, DCBX_AUDIT_NOT_TOLD},
	    {true, true, NULL, &other, DCBX_AUDIT_MATCH},
	    {true, true, NULL, &vendor, DCBX_AUDIT_MISMATCH},
	    {true, true, NULL, NULL, DCBX_AUDIT_NOT_TOLD},
	    {true, false, &sharing, &other, DCBX_AUDIT_MISMATCH},
	    {true, false, &sharing, NULL, DCBX_AUDIT_NOT_EXPECTED},
	    {true, false, NULL, &other, DCBX_AUDIT_NOT_EXPECTED},
	    {false, true, &sharing, NULL, DCBX_AUDIT_NOT_EXPECTED},
	    {false, true, NULL, &vendor, DCBX_AUDIT_NOT_EXPECTED},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct dcbx_audit a = audit_new();

		config.tx_enable = cases[i].sends ? BIT(DCB_TLV_ETS) : 0;
		config.ets_willing = cases[i].willing;
		if (cases[i].own)
			config.ets = *cases[i].own;
		if (cases[i].told) {
			tlvs.present = BIT(DCB_TLV_ETS_RECO);
			tlvs.reco = *cases[i].told;
		}
		assert_int_equal(result_of(&a, DCBX_FEATURE_ETS_RECO), cases[i].result);
	}
}

static void test_application_priorities_have_to_be_the_same_set(void **state)
{
	struct dcbx_audit a = audit_new();

	(void)state;
	tell_all();
	set_all(&a);
	tlvs.app.of[1] = (struct app_priority){4, 4, 1};
	tlvs.app.n = 2;
	assert_int_equal(result_of(&a, DCBX_FEATURE_APP), DCBX_AUDIT_MISMATCH);
	config.n_apps = 2;
	config.apps[1] = tlvs.app.of[1];
	assert_int_equal(result_of(&a, DCBX_FEATURE_APP), DCBX_AUDIT_MATCH);
	config.apps[1].selector = 3;
	assert_int_equal(result_of(&a, DCBX_FEATURE_APP), DCBX_AUDIT_MISMATCH);
	config.apps[1] = tlvs.app.of[1];
	config.apps[1].protocol = 2;
	assert_int_equal(result_of(&a, DCBX_FEATURE_APP), DCBX_AUDIT_MISMATCH);
	tlvs.app.n = 0;
	assert_int_equal(result_of(&a, DCBX_FEATURE_APP), DCBX_AUDIT_MISMATCH);
}

/* The Ready indicators are negotiated, and no setting. */
static void test_ready_indicators_do_not_count(void **state)
{
	struct dcbx_audit a = audit_new();

	(void)state;
	tell_all();
	set_all(&a);
	for (unsigned ready = 0; ready <= 0xff; ready++) {
		tlvs.cn.ready = (uint8_t)ready;
		assert_int_equal(result_of(&a, DCBX_FEATURE_CN), DCBX_AUDIT_MATCH);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_same_values_match),
	    cmocka_unit_test(test_bits_of_qdt_do_not_count),
	    cmocka_unit_test(test_other_values_are_mismatches),
	    cmocka_unit_test(test_nothing_is_expected_without_settings),
	    cmocka_unit_test(test_nothing_is_expected_of_a_missing_function),
	    cmocka_unit_test(test_neighbor_that_tells_nothing),
	    cmocka_unit_test(test_neighbors_that_count_differ_by_feature),
	    cmocka_unit_test(test_pfc_cases),
	    cmocka_unit_test(test_malformed_pfc_is_never_unexpected),
	    cmocka_unit_test(test_ets_of_the_neighbor_is_the_recommended_one),
	    cmocka_unit_test(test_unused_classes_do_not_count),
	    cmocka_unit_test(test_recommendation_cases),
	    cmocka_unit_test(test_application_priorities_have_to_be_the_same_set),
	    cmocka_unit_test(test_ready_indicators_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
