/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/rng.h"
#include "lldp/dcb_tlv.h"
#include "tests/unit/unit.h"

#include <string.h>

#define ALL ((1u << DCB_TLVS) - 1)

/* One TLV of each kind; every field has a different value. */
static const struct dcb_tlvs golden = {
    .present = ALL,
    .cn = {.cnpv = 0x28, .ready = 0x08},
    .ets = {.willing = true,
	    .cbs = true,
	    .max_tcs = 3,
	    .tables = {.priority_tc = {0, 1, 2, 3, 4, 5, 6, 7},
		       .bandwidth = {10, 20, 30, 40, 0, 0, 0, 0},
		       .tsa = {2, 2, 2, 2, 0, 1, 255, 3}}},
    .reco = {.priority_tc = {7, 6, 5, 4, 3, 2, 1, 0},
	     .bandwidth = {0, 0, 0, 0, 0, 0, 0, 100},
	     .tsa = {0, 0, 0, 0, 0, 0, 0, 2}},
    .pfc = {.willing = true, .cap = 8, .enable = 0x28},
    .app = {.n = 3, .of = {{1, 3, 0x8906}, {4, 5, 3260}, {5, 6, 46}}},
    .app_vlan = {.n = 3, .of = {{1, 1002, 0x8906}, {2, 4094, 3260}, {5, 1, 46}}},
    .pfc_delay = -0x0001020304050607,
};

static const struct {
	uint8_t subtype, len;
	uint8_t info[21];
} wire[DCB_TLVS] = {
    [DCB_TLV_CN] = {0x08, 2, {0x28, 0x08}},
    [DCB_TLV_ETS] = {0x09, 21, {0xc3, 0x01, 0x23, 0x45, 0x67, 10, 20, 30, 40,  0, 0,
				0,    0,    2,    2,    2,    2,  0,  1,  255, 3}},
    [DCB_TLV_ETS_RECO] = {0x0a, 21, {0x00, 0x76, 0x54, 0x32, 0x10, 0, 0, 0, 0, 0, 0,
				     0,    100,  0,    0,    0,    0, 0, 0, 0, 2}},
    [DCB_TLV_PFC] = {0x0b, 2, {0x88, 0x28}},
    [DCB_TLV_APP] = {0x0c, 10, {0, 0x61, 0x89, 0x06, 0xa4, 0x0c, 0xbc, 0xc5, 0x00, 0x2e}},
    [DCB_TLV_PFC_DELAY] = {0x17, 8, {0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0xf9}},
    [DCB_TLV_APP_VLAN] = {0x10,
			  12,
			  {0x3e, 0xa1, 0x89, 0x06, 0xff, 0xe2, 0x0c, 0xbc, 0x00, 0x15, 0x00, 0x2e}},
};

static bool take(struct dcb_tlvs *tlvs, enum dcb_tlv tlv, const uint8_t *info, size_t len)
{
	return dcb_tlvs_take(tlvs, dcb_tlv_oui, dcb_tlv_subtype(tlv), info, len);
}

/* Compares padding too: other code compares these structs by memcmp(). */
static void assert_same(const struct dcb_tlvs *a, const struct dcb_tlvs *b)
{
	assert_memory_equal(a, b, sizeof(*a));
}

static void test_find(void **state)
{
	static const uint8_t others[][DCB_TLV_OUI_OCTETS] = {
	    {0x00, 0x80, 0xc3}, {0x00, 0x12, 0x0f}, {0x01, 0x80, 0xc2}, {0x00, 0x1b, 0x21}};
	unsigned found = 0;

	(void)state;
	for (unsigned subtype = 0; subtype <= UINT8_MAX; subtype++) {
		enum dcb_tlv tlv = dcb_tlv_find(dcb_tlv_oui, (uint8_t)subtype);

		if (tlv != DCB_TLVS) {
			found++;
			assert_int_equal(dcb_tlv_subtype(tlv), subtype);
			assert_int_equal(wire[tlv].subtype, subtype);
		}
		for (size_t i = 0; i < UNIT_COUNT(others); i++)
			assert_int_equal(dcb_tlv_find(others[i], (uint8_t)subtype), DCB_TLVS);
	}
	assert_int_equal(found, DCB_TLVS);
	assert_int_equal(dcb_tlv_subtype(DCB_TLVS), 0);
}

static void test_encode(void **state)
{
	(void)state;
	for (unsigned tlv = 0; tlv < DCB_TLVS; tlv++) {
		uint8_t buf[DCB_TLV_INFO_OCTETS];

		memset(buf, 0xa5, sizeof(buf));
		assert_int_equal(dcb_tlvs_encode(&golden, tlv, buf), wire[tlv].len);
		assert_memory_equal(buf, wire[tlv].info, wire[tlv].len);
		assert_int_equal(buf[wire[tlv].len], 0xa5);
	}
}

static void test_decode(void **state)
{
	struct dcb_tlvs got;

	(void)state;
	memset(&got, 0, sizeof(got));
	for (unsigned tlv = DCB_TLVS; tlv-- > 0;) {
		assert_false(dcb_tlvs_have(&got, tlv));
		assert_true(take(&got, tlv, wire[tlv].info, wire[tlv].len));
		assert_true(dcb_tlvs_have(&got, tlv));
	}
	assert_same(&got, &golden);
}

/*
 * Every length of each TLV; one of fields can be longer than them, a table has whole
 * entries. The octets are allocated exactly, so that a sanitizer reports a read beyond them.
 */
static void test_lengths(void **state)
{
	(void)state;
	for (unsigned tlv = 0; tlv < DCB_TLVS; tlv++) {
		for (size_t len = 0; len <= DCB_TLV_INFO_OCTETS + 1; len++) {
			bool right = len >= wire[tlv].len;
			uint8_t *exact = calloc(1, len ? len : 1);
			struct dcb_tlvs got;

			assert_non_null(exact);
			if (tlv == DCB_TLV_APP)
				right = len % 3 == 1;
			else if (tlv == DCB_TLV_APP_VLAN)
				right = len % 4 == 0; /* none too: a table without entries */
			right &= len <= DCB_TLV_INFO_OCTETS;
			memset(&got, 0, sizeof(got));
			assert_int_equal(take(&got, tlv, exact, len), right);
			assert_int_equal(got.present, right ? 1u << tlv : 0);
			assert_int_equal(got.malformed, right ? 0 : 1u << tlv);
			free(exact);
		}
	}
}

/*
 * 802.1AB: octets after the known fields, of a later version, are ignored. The PFC TLV of
 * 802.1Q-2018 has two octets, that of P802.1Qdt three: a longer one is that of P802.1Qdt.
 */
static void test_extra_octets_are_ignored(void **state)
{
	(void)state;
	for (unsigned tlv = 0; tlv < DCB_TLVS; tlv++) {
		for (size_t extra = 1; extra <= 9; extra++) {
			uint8_t info[64], buf[DCB_TLV_INFO_OCTETS];
			struct dcb_tlvs exact, longer;

			if (tlv == DCB_TLV_APP || tlv == DCB_TLV_APP_VLAN)
				continue;
			memset(&exact, 0, sizeof(exact));
			memset(&longer, 0, sizeof(longer));
			memset(info, 0xff, sizeof(info));
			memcpy(info, wire[tlv].info, wire[tlv].len);
			if (tlv == DCB_TLV_PFC)
				info[2] = 0x80;
			assert_true(
			    take(&exact, tlv, info, tlv == DCB_TLV_PFC ? 3 : wire[tlv].len));
			assert_true(take(&longer, tlv, info, wire[tlv].len + extra));
			assert_same(&longer, &exact);
			assert_int_equal(dcb_tlvs_encode(&longer, tlv, buf),
					 tlv == DCB_TLV_PFC ? 3 : wire[tlv].len);
		}
	}
}

/*
 * A second TLV of a kind makes both invalid, also if more follow. TLVs of other
 * kinds stay valid.
 */
static void test_duplicate_tlv_is_malformed(void **state)
{
	(void)state;
	for (unsigned tlv = 0; tlv < DCB_TLVS; tlv++) {
		enum dcb_tlv other = (tlv + 1) % DCB_TLVS;
		struct dcb_tlvs got, expected;

		memset(&expected, 0, sizeof(expected));
		assert_true(take(&expected, other, wire[other].info, wire[other].len));
		got = expected;
		expected.malformed = (uint8_t)(1u << tlv);
		assert_true(take(&got, tlv, wire[tlv].info, wire[tlv].len));
		for (int again = 0; again < 3; again++) {
			assert_false(take(&got, tlv, wire[tlv].info, wire[tlv].len));
			assert_same(&got, &expected);
		}
		memset(&got, 0, sizeof(got));
		assert_false(take(&got, tlv, wire[tlv].info, 1 + (tlv == DCB_TLV_APP)));
		assert_false(take(&got, tlv, wire[tlv].info, wire[tlv].len));
		assert_int_equal(got.present, 0);
		assert_int_equal(got.malformed, 1u << tlv);
	}
}

/* Other OUIs and subtypes are ignored. */
static void test_ignores_other_oui_and_subtype(void **state)
{
	static const uint8_t profinet[DCB_TLV_OUI_OCTETS] = {0x00, 0x0e, 0xcf};
	struct dcb_tlvs got, untouched;

	(void)state;
	memset(&got, 0, sizeof(got));
	assert_true(take(&got, DCB_TLV_CN, wire[DCB_TLV_CN].info, 2));
	untouched = got;
	assert_false(dcb_tlvs_take(&got, profinet, 0x08, wire[DCB_TLV_CN].info, 2));
	assert_false(dcb_tlvs_take(&got, dcb_tlv_oui, 0x01, wire[DCB_TLV_CN].info, 2));
	assert_false(dcb_tlvs_take(&got, dcb_tlv_oui, 0x07, wire[DCB_TLV_CN].info, 2));
	assert_same(&got, &untouched);
}

static void test_reserved_bits_are_ignored(void **state)
{
	struct dcb_tlvs got;
	uint8_t info[21], buf[DCB_TLV_INFO_OCTETS];

	(void)state;
	memset(&got, 0, sizeof(got));
	memcpy(info, wire[DCB_TLV_ETS].info, sizeof(info));
	info[0] |= 0x38;
	assert_true(take(&got, DCB_TLV_ETS, info, sizeof(info)));
	memcpy(info, wire[DCB_TLV_ETS_RECO].info, sizeof(info));
	info[0] = 0xff;
	assert_true(take(&got, DCB_TLV_ETS_RECO, info, sizeof(info)));
	assert_true(take(&got, DCB_TLV_PFC, (const uint8_t[]){0xb8, 0x28}, 2));
	assert_true(take(&got, DCB_TLV_APP, (const uint8_t[]){0xff, 0x79, 0x89, 0x06}, 4));
	assert_true(take(&got, DCB_TLV_APP_VLAN, (const uint8_t[]){0x3e, 0xa9, 0x89, 0x06}, 4));
	assert_memory_equal(&got.ets, &golden.ets, sizeof(got.ets));
	assert_memory_equal(&got.reco, &golden.reco, sizeof(got.reco));
	assert_memory_equal(&got.pfc, &golden.pfc, sizeof(got.pfc));
	assert_memory_equal(&got.app.of[0], &golden.app.of[0], sizeof(got.app.of[0]));
	assert_memory_equal(&got.app_vlan.of[0], &golden.app_vlan.of[0], sizeof(struct app_vlan));
	assert_int_equal(dcb_tlvs_encode(&got, DCB_TLV_PFC, buf), 2);
	assert_memory_equal(buf, wire[DCB_TLV_PFC].info, 2);
}

static void test_max_tcs_of_8_is_encoded_as_0(void **state)
{
	(void)state;
	for (unsigned octet = 0; octet < 8; octet++) {
		uint8_t info[21] = {(uint8_t)octet}, buf[DCB_TLV_INFO_OCTETS];
		struct dcb_tlvs got = {0};

		assert_true(take(&got, DCB_TLV_ETS, info, sizeof(info)));
		assert_int_equal(got.ets.max_tcs, octet ? octet : 8);
		assert_int_equal(dcb_tlvs_encode(&got, DCB_TLV_ETS, buf), sizeof(info));
		assert_memory_equal(buf, info, sizeof(info));
	}
}

/* A class above 7 or a bandwidth above 100 % makes a TLV malformed. */
static void test_rejects_bad_class_and_bandwidth(void **state)
{
	static const enum dcb_tlv kinds[] = {DCB_TLV_ETS, DCB_TLV_ETS_RECO};

	(void)state;
	for (unsigned i = 0; i < 4 * 2 * 8; i++) {
		enum dcb_tlv tlv = kinds[i % 2];
		unsigned at = i / 2 % 8;
		uint8_t info[21] = {0};
		struct dcb_tlvs got = {0};

		switch (i / 16) {
		case 0:
			info[1 + at / 2] = at % 2 ? 0x08 : 0x80;
			break;
		case 1:
			info[5 + at] = 101;
			break;
		case 2: /* wrong sum of bandwidths: not checked by the decoder */
			info[5 + at] = 100;
			break;
		case 3:
			info[13 + at] = 77;
			break;
		}
		assert_int_equal(take(&got, tlv, info, sizeof(info)), i / 16 >= 2);
		if (i / 16 < 2) {
			struct dcb_tlvs nothing = {0};

			nothing.malformed = (uint8_t)(1u << tlv);
			assert_same(&got, &nothing);
		}
	}
}

static void test_pfc_of_qdt(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 0x40; bits++) {
		uint8_t info[3] = {(uint8_t)(bits << 2 & 0xf0) | 5, 0x81, (uint8_t)(bits << 6)};
		uint8_t buf[DCB_TLV_INFO_OCTETS];
		struct dcb_tlvs got = {0};

		assert_true(take(&got, DCB_TLV_PFC, info, 3));
		assert_true(got.pfc.qdt);
		assert_int_equal(got.pfc.willing, bits >> 5 & 1);
		assert_int_equal(got.pfc.mbc, bits >> 4 & 1);
		assert_int_equal(got.pfc.macsec, bits >> 3 & 1);
		assert_int_equal(got.pfc.privacy, bits >> 2 & 1);
		assert_int_equal(got.pfc.rtm, bits >> 1 & 1);
		assert_int_equal(got.pfc.ptp, bits & 1);
		assert_int_equal(got.pfc.cap, 5);
		assert_int_equal(got.pfc.enable, 0x81);
		assert_int_equal(dcb_tlvs_encode(&got, DCB_TLV_PFC, buf), 3);
		assert_memory_equal(buf, info, 3);
		got.pfc.qdt = false;
		assert_int_equal(dcb_tlvs_encode(&got, DCB_TLV_PFC, buf), 2);
		assert_int_equal(buf[0], info[0] & 0xcf);
	}
}

static void test_apps_are_ordered_without_duplicates(void **state)
{
	static const uint8_t info[] = {
	    0,    0xc5, 0x00, 0x2e, /* not in order */
	    0x20, 0x12, 0x34,       /* reserved selectors */
	    0x26, 0x12, 0x34, 0x27, 0x12, 0x34, 0xa4, 0x0c,
	    0xbc, 0x61, 0x89, 0x06, 0x24, 0x0c, 0xbc, /* the same application again */
	};
	static const uint8_t none[] = {0, 0x20, 0x12, 0x34};
	struct dcb_tlvs got = {0};

	(void)state;
	assert_true(take(&got, DCB_TLV_APP, info, sizeof(info)));
	assert_memory_equal(&got.app, &golden.app, sizeof(got.app));
	memset(&got, 0, sizeof(got));
	assert_true(take(&got, DCB_TLV_APP, none, sizeof(none)));
	assert_true(dcb_tlvs_have(&got, DCB_TLV_APP));
	assert_int_equal(got.app.n, 0);
}

/* The maximum number of entries in descending order, and one more. */
static void test_maximum_of_apps(void **state)
{
	uint8_t info[1 + 3 * (APP_TLV_MAX + 1)] = {0}, buf[DCB_TLV_INFO_OCTETS];
	struct dcb_tlvs got = {0};
	size_t len;

	(void)state;
	for (unsigned i = 0; i < APP_TLV_MAX; i++) {
		info[1 + 3 * i] = 0xe1;
		info[2 + 3 * i] = (uint8_t)((APP_TLV_MAX - i) >> 8);
		info[3 + 3 * i] = (uint8_t)(APP_TLV_MAX - i);
	}
	assert_true(take(&got, DCB_TLV_APP, info, 1 + 3 * APP_TLV_MAX));
	assert_int_equal(got.app.n, APP_TLV_MAX);
	for (unsigned i = 0; i < APP_TLV_MAX; i++)
		assert_int_equal(got.app.of[i].protocol, i + 1);
	len = dcb_tlvs_encode(&got, DCB_TLV_APP, buf);
	assert_int_equal(len, 1 + 3 * APP_TLV_MAX);
	assert_true(len <= DCB_TLV_INFO_OCTETS);
	memset(&got, 0, sizeof(got));
	assert_false(take(&got, DCB_TLV_APP, info, sizeof(info)));
}

static void test_app_vlans_are_ordered_without_duplicates(void **state)
{
	static const uint8_t info[] = {
	    0x00, 0x15, 0x00, 0x2e,                         /* not in order */
	    0x3e, 0xa0, 0x12, 0x34, 0x3e, 0xa6, 0x12, 0x34, /* reserved selectors */
	    0x3e, 0xa7, 0x12, 0x34, 0x00, 0x01, 0x89, 0x06, /* VID 0 */
	    0xff, 0xf1, 0x89, 0x06, 0xff, 0xe2, 0x0c, 0xbc, /* VID 4095, 4094 */
	    0x3e, 0xa1, 0x89, 0x06, 0x00, 0x11, 0x89, 0x06, /* the same application again */
	};
	static const uint8_t none[] = {0x3e, 0xa0, 0x12, 0x34};
	struct dcb_tlvs got = {0};

	(void)state;
	assert_true(take(&got, DCB_TLV_APP_VLAN, info, sizeof(info)));
	assert_memory_equal(&got.app_vlan, &golden.app_vlan, sizeof(got.app_vlan));
	memset(&got, 0, sizeof(got));
	assert_true(take(&got, DCB_TLV_APP_VLAN, none, sizeof(none)));
	assert_true(dcb_tlvs_have(&got, DCB_TLV_APP_VLAN));
	assert_int_equal(got.app_vlan.n, 0);
}

/* The maximum number of entries in descending order, and one more. */
static void test_maximum_of_app_vlans(void **state)
{
	uint8_t info[4 * (APP_VLAN_TLV_MAX + 1)] = {0}, buf[DCB_TLV_INFO_OCTETS];
	struct dcb_tlvs got = {0};

	(void)state;
	for (unsigned i = 0; i < APP_VLAN_TLV_MAX; i++) {
		info[4 * i + 1] = 0x1d; /* VID 1, the reserved bit, selector 5 */
		info[4 * i + 3] = (uint8_t)(APP_VLAN_TLV_MAX - i);
	}
	assert_true(take(&got, DCB_TLV_APP_VLAN, info, 4 * APP_VLAN_TLV_MAX));
	assert_int_equal(got.app_vlan.n, APP_VLAN_TLV_MAX);
	for (unsigned i = 0; i < APP_VLAN_TLV_MAX; i++) {
		assert_int_equal(got.app_vlan.of[i].protocol, i + 1);
		assert_int_equal(got.app_vlan.of[i].vlan, 1);
	}
	assert_int_equal(dcb_tlvs_encode(&got, DCB_TLV_APP_VLAN, buf), 4 * APP_VLAN_TLV_MAX);
	memset(&got, 0, sizeof(got));
	assert_false(take(&got, DCB_TLV_APP_VLAN, info, sizeof(info)));
}

static void draw_tables(struct dcb_rng *rng, struct ets_tables *ets)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		ets->priority_tc[i] = (uint8_t)dcb_rng_uniform(rng, 0, 7);
		ets->bandwidth[i] = (uint8_t)dcb_rng_uniform(rng, 0, 100);
		ets->tsa[i] = (uint8_t)dcb_rng_next(rng);
	}
}

static void draw_pfc(struct dcb_rng *rng, struct pfc_tlv *pfc)
{
	uint32_t bits = dcb_rng_next(rng);

	pfc->willing = bits & 1;
	pfc->mbc = bits & 2;
	pfc->cap = bits >> 2 & 15;
	pfc->enable = (uint8_t)(bits >> 8);
	pfc->qdt = bits >> 16 & 1;
	pfc->macsec = pfc->qdt && (bits >> 17 & 1);
	pfc->privacy = pfc->qdt && (bits >> 18 & 1);
	pfc->rtm = pfc->qdt && (bits >> 19 & 1);
	pfc->ptp = pfc->qdt && (bits >> 20 & 1);
}

static void draw_app_vlans(struct dcb_rng *rng, struct app_vlan_tlv *app)
{
	uint32_t protocol = 0;

	app->n = (uint16_t)dcb_rng_uniform(rng, 0, APP_VLAN_TLV_MAX);
	for (unsigned i = 0; i < app->n; i++) {
		protocol += dcb_rng_uniform(rng, 1, 500);
		app->of[i] = (struct app_vlan){
		    .selector = (uint16_t)(1 + 5 * i / APP_VLAN_TLV_MAX),
		    .vlan = (uint16_t)dcb_rng_uniform(rng, APP_VLAN_ID_MIN, APP_VLAN_ID_MAX),
		    .protocol = (uint16_t)protocol,
		};
	}
}

static void draw(struct dcb_rng *rng, struct dcb_tlvs *tlvs)
{
	uint32_t bits = dcb_rng_next(rng), protocol = 0;

	memset(tlvs, 0, sizeof(*tlvs));
	tlvs->present = ALL;
	tlvs->cn.cnpv = (uint8_t)bits;
	tlvs->cn.ready = (uint8_t)(bits >> 8);
	tlvs->ets.willing = bits >> 16 & 1;
	tlvs->ets.cbs = bits >> 17 & 1;
	tlvs->ets.max_tcs = (uint8_t)dcb_rng_uniform(rng, 1, 8);
	draw_tables(rng, &tlvs->ets.tables);
	draw_tables(rng, &tlvs->reco);
	draw_pfc(rng, &tlvs->pfc);
	tlvs->app.n = (uint16_t)dcb_rng_uniform(rng, 0, bits >> 31 ? 4 : APP_TLV_MAX);
	for (unsigned i = 0; i < tlvs->app.n; i++) {
		protocol += dcb_rng_uniform(rng, 1, 300);
		tlvs->app.of[i] = (struct app_priority){
		    .selector = (uint8_t)(1 + 5 * i / APP_TLV_MAX),
		    .priority = (uint8_t)dcb_rng_uniform(rng, 0, 7),
		    .protocol = (uint16_t)protocol,
		};
	}
	draw_app_vlans(rng, &tlvs->app_vlan);
	tlvs->pfc_delay =
	    (int64_t)((uint64_t)dcb_rng_next(rng) << 32 | (uint64_t)dcb_rng_next(rng));
}

static void test_round_trip(void **state)
{
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (int i = 0; i < 5000; i++) {
		struct dcb_tlvs tlvs, got;
		uint8_t buf[DCB_TLV_INFO_OCTETS];

		draw(&rng, &tlvs);
		memset(&got, 0, sizeof(got));
		for (unsigned tlv = 0; tlv < DCB_TLVS; tlv++) {
			size_t len = dcb_tlvs_encode(&tlvs, tlv, buf);

			assert_true(len <= DCB_TLV_INFO_OCTETS);
			assert_true(take(&got, tlv, buf, len));
		}
		assert_same(&got, &tlvs);
	}
}

static void test_sum_of_bandwidths(void **state)
{
	struct ets_tables ets = {.bandwidth = {60, 40}};

	(void)state;
	assert_false(ets_tables_share(&ets));
	assert_true(ets_tables_add_up(&ets));
	ets.tsa[0] = TSA_ETS;
	assert_true(ets_tables_share(&ets));
	assert_false(ets_tables_add_up(&ets));
	ets.tsa[1] = TSA_ETS;
	assert_true(ets_tables_add_up(&ets));
	ets.bandwidth[7] = 3; /* bandwidth of a class without TSA_ETS: ignored */
	assert_true(ets_tables_add_up(&ets));
	ets.tsa[7] = TSA_ETS;
	assert_false(ets_tables_add_up(&ets));
	ets = (struct ets_tables){.bandwidth = {100, 100, 100, 56}, .tsa = {2, 2, 2, 2}};
	assert_false(ets_tables_add_up(&ets)); /* the sum 356 is 100 modulo 256 */
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_find),
	    cmocka_unit_test(test_encode),
	    cmocka_unit_test(test_decode),
	    cmocka_unit_test(test_lengths),
	    cmocka_unit_test(test_extra_octets_are_ignored),
	    cmocka_unit_test(test_duplicate_tlv_is_malformed),
	    cmocka_unit_test(test_ignores_other_oui_and_subtype),
	    cmocka_unit_test(test_reserved_bits_are_ignored),
	    cmocka_unit_test(test_max_tcs_of_8_is_encoded_as_0),
	    cmocka_unit_test(test_rejects_bad_class_and_bandwidth),
	    cmocka_unit_test(test_pfc_of_qdt),
	    cmocka_unit_test(test_apps_are_ordered_without_duplicates),
	    cmocka_unit_test(test_maximum_of_apps),
	    cmocka_unit_test(test_app_vlans_are_ordered_without_duplicates),
	    cmocka_unit_test(test_maximum_of_app_vlans),
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_sum_of_bandwidths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
