/* SPDX-License-Identifier: BSD-3-Clause */
/* The octets are TLVs of an LLDPDU, one after the other: 802.1AB 8.4, 8.6. */
#include "lib/octets.h"
#include "lldp/dcb_tlv.h"
#include "lldp/pfc_way.h"
#include "tests/fuzz/fuzz.h"

#define TLV_ORGANIZATION 127
#define TLV_LEN          0x01ff
#define ORG_OCTETS       4 /* OUI and subtype */

/* Defined bits of the first three octets; all later bits are defined. */
static const uint8_t meaning[DCB_TLVS][3] = {
    [DCB_TLV_CN] = {0xff, 0xff, 0xff},
    [DCB_TLV_ETS] = {0xc7, 0xff, 0xff},
    [DCB_TLV_ETS_RECO] = {0x00, 0xff, 0xff},
    [DCB_TLV_PFC] = {0xcf, 0xff},
    [DCB_TLV_APP] = {0x00},
    [DCB_TLV_PFC_DELAY] = {0xff, 0xff, 0xff},
};
static const uint8_t qdt_meaning[3] = {0xff, 0xff, 0xc0};

static void check_octets(enum dcb_tlv tlv, const uint8_t *info, size_t len, const uint8_t *again)
{
	const uint8_t *mask = tlv == DCB_TLV_PFC && len >= 3 ? qdt_meaning : meaning[tlv];

	for (size_t i = 0; i < len; i++)
		FUZZ_ASSERT(again[i] == (i < 3 ? info[i] & mask[i] : info[i]));
}

/* Checks that app has the first entry of each application in ascending order, and no other. */
static void check_apps(const struct app_tlv *app, const uint8_t *info, size_t len)
{
	size_t told = 0;

	for (size_t at = 1; at < len; at += 3) {
		uint32_t key = (info[at] & 7u) << 16 | get_be16(info + at + 1);
		bool first = key >> 16 >= 1 && key >> 16 <= 5;

		for (size_t before = 1; before < at; before += 3)
			first &= ((info[before] & 7u) << 16 | get_be16(info + before + 1)) != key;
		for (unsigned i = 0; first && i < app->n; i++)
			if (((uint32_t)app->of[i].selector << 16 | app->of[i].protocol) == key)
				told += app->of[i].priority == info[at] >> 5;
	}
	FUZZ_ASSERT(told == app->n);
	for (unsigned i = 1; i < app->n; i++)
		FUZZ_ASSERT(((uint32_t)app->of[i - 1].selector << 16 | app->of[i - 1].protocol) <
			    ((uint32_t)app->of[i].selector << 16 | app->of[i].protocol));
}

/* An entry of the Application VLAN TLV identifies an application and a VLAN. */
static bool is_app_vlan(const uint8_t *entry)
{
	unsigned selector = entry[1] & 7u, vlan = get_be16(entry) >> 4;

	return selector >= 1 && selector <= 5 && vlan >= 1 && vlan <= 4094;
}

static uint32_t app_vlan_key(const uint8_t *entry)
{
	return (entry[1] & 7u) << 16 | get_be16(entry + 2);
}

/* The same as check_apps(). */
static void check_app_vlans(const struct app_vlan_tlv *app, const uint8_t *info, size_t len)
{
	size_t told = 0;

	for (size_t at = 0; at < len; at += 4) {
		bool first = is_app_vlan(info + at);

		for (size_t before = 0; before < at; before += 4)
			first &= !is_app_vlan(info + before) ||
				 app_vlan_key(info + before) != app_vlan_key(info + at);
		for (unsigned i = 0; first && i < app->n; i++)
			if (((uint32_t)app->of[i].selector << 16 | app->of[i].protocol) ==
			    app_vlan_key(info + at))
				told += app->of[i].vlan == get_be16(info + at) >> 4;
	}
	FUZZ_ASSERT(told == app->n);
	for (unsigned i = 1; i < app->n; i++)
		FUZZ_ASSERT(((uint32_t)app->of[i - 1].selector << 16 | app->of[i - 1].protocol) <
			    ((uint32_t)app->of[i].selector << 16 | app->of[i].protocol));
}

/*
 * Decodes a TLV from an allocation of its exact length, so that a sanitizer
 * reports a read beyond it.
 */
static void take(struct dcb_tlvs *tlvs, const uint8_t *org, size_t len)
{
	uint8_t buf[DCB_TLV_INFO_OCTETS], *exact = malloc(len ? len : 1);
	enum dcb_tlv tlv = dcb_tlv_find(org, org[3]);
	uint8_t known = tlvs->present | tlvs->malformed;
	bool valid;

	FUZZ_ASSERT(exact);
	memcpy(exact, org + ORG_OCTETS, len);
	valid = dcb_tlvs_take(tlvs, org, org[3], exact, len);
	FUZZ_ASSERT(!(tlvs->present & tlvs->malformed));
	if (tlv == DCB_TLVS) {
		FUZZ_ASSERT(!valid && known == (tlvs->present | tlvs->malformed));
	} else {
		FUZZ_ASSERT((tlvs->present | tlvs->malformed) == (known | 1u << tlv));
		FUZZ_ASSERT(valid == dcb_tlvs_have(tlvs, tlv));
		FUZZ_ASSERT(!(valid && known >> tlv & 1));
	}
	if (valid && tlv == DCB_TLV_APP) {
		check_apps(&tlvs->app, exact, len);
	} else if (valid && tlv == DCB_TLV_APP_VLAN) {
		check_app_vlans(&tlvs->app_vlan, exact, len);
	} else if (valid) {
		size_t fields = dcb_tlvs_encode(tlvs, tlv, buf);

		/* Octets after the fields are ignored. */
		FUZZ_ASSERT(fields <= len && (tlv != DCB_TLV_PFC || fields == (len < 3 ? 2 : 3)));
		check_octets(tlv, exact, fields, buf);
	}
	free(exact);
}

/* Encoding and decoding again results in the same struct, padding included. */
static void check_round_trip(const struct dcb_tlvs *tlvs)
{
	struct dcb_tlvs again;

	memset(&again, 0, sizeof(again));
	again.malformed = tlvs->malformed;
	for (unsigned tlv = 0; tlv < DCB_TLVS; tlv++) {
		uint8_t buf[DCB_TLV_INFO_OCTETS];
		size_t len = dcb_tlvs_encode(tlvs, tlv, buf);

		FUZZ_ASSERT(len <= sizeof(buf));
		if (dcb_tlvs_have(tlvs, tlv))
			FUZZ_ASSERT(
			    dcb_tlvs_take(&again, dcb_tlv_oui, dcb_tlv_subtype(tlv), buf, len));
	}
	FUZZ_ASSERT(memcmp(tlvs, &again, sizeof(again)) == 0);
}

#define DELAY_MIN_NS 1237
#define ASSUMED_NS   5000

/* The bits and the delay of the neighbor are those of its TLVs; a delay is within its bounds. */
static void check_said(const struct dcb_tlvs *tlvs, const struct pfc_way_said *said)
{
	const struct pfc_peer *peer = &said->peer;
	int64_t delay = tlvs->pfc_delay;
	unsigned ns = 0;

	if (delay > 0 && delay <= INT64_C(100000000) * 65536)
		ns = (unsigned)((delay + 65535) / 65536);
	FUZZ_ASSERT(peer->delay_ns == (ns >= DELAY_MIN_NS ? ns : 0));
	FUZZ_ASSERT(peer->mbc == tlvs->pfc.mbc && peer->macsec == tlvs->pfc.macsec &&
		    peer->privacy == tlvs->pfc.privacy && peer->rtm == tlvs->pfc.rtm &&
		    peer->ptp == tlvs->pfc.ptp);
	FUZZ_ASSERT(tlvs->pfc.qdt || !(peer->macsec || peer->privacy || peer->rtm || peer->ptp));
	FUZZ_ASSERT(said->way == (!tlvs->pfc.enable ? PFC_WAY_CONFIGURED
				  : tlvs->pfc.rtm   ? PFC_WAY_MEASURED
				  : tlvs->pfc.ptp   ? PFC_WAY_LINK_DELAYS
						    : PFC_WAY_CONFIGURED));
}

/* A station that supports both ways hears the TLVs and silence in turn. */
static void check_way(const struct dcb_tlvs *tlvs)
{
	const struct dcb_tlvs none = {0};
	const struct dcb_tlvs own = {
	    .present = 1u << DCB_TLV_PFC,
	    .pfc = {.qdt = true, .rtm = true, .ptp = true, .enable = 8},
	};
	struct pfc_way_state s = {0};

	for (unsigned i = 0; i < 20; i++) {
		struct dcbx_peers peers = {.n = 1, .tlvs = i % 2 ? &none : tlvs};
		struct pfc_way_said said;

		pfc_way_find(&own, &peers, DELAY_MIN_NS, &said);
		check_said(peers.tlvs, &said);
		pfc_way_settle(&s, &said, ASSUMED_NS, (struct dcb_time){(int64_t)i});
		FUZZ_ASSERT(s.way <= said.way && s.peer.mbc >= said.peer.mbc);
		FUZZ_ASSERT((s.peer.delay_ns ? s.peer.delay_ns : ASSUMED_NS) >=
			    (said.peer.delay_ns ? said.peer.delay_ns : ASSUMED_NS));
	}
	FUZZ_ASSERT(s.changes <= 2 * PFC_WAY_LOSSES_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct octets_in in = octets_in(data, size);
	struct dcb_tlvs tlvs;

	memset(&tlvs, 0, sizeof(tlvs));
	while (in.left) {
		uint16_t head = octets_in_be16(&in);
		uint16_t len = head & TLV_LEN;
		const uint8_t *value = octets_in_take(&in, len);

		if (value && head >> 9 == TLV_ORGANIZATION && len >= ORG_OCTETS)
			take(&tlvs, value, len - ORG_OCTETS);
	}
	check_round_trip(&tlvs);
	check_way(&tlvs);
	return 0;
}
