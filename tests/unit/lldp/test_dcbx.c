/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/rng.h"
#include "lldp/dcbx.h"
#include "tests/unit/unit.h"

#include <string.h>

#define BIT(n) (uint8_t)(1u << (n))

#define OURS   0x28
#define THEIRS 0x06

static const uint8_t low[ETH_ADDR_OCTETS] = {0x02, 0, 0, 0, 0xff, 0xff};
static const uint8_t high[ETH_ADDR_OCTETS] = {0x02, 0, 0, 1, 0, 0};

/* Classes 0 and 1 share the bandwidth, class 7 is strict. */
static const struct ets_tables sharing = {
    .priority_tc = {0, 0, 0, 1, 1, 1, 7, 7}, .bandwidth = {30, 70}, .tsa = {2, 2}};
static const struct ets_tables strict = {.priority_tc = {0, 0, 1, 1, 2, 2, 3, 3}};
static const uint8_t port_classes[DCB_PRIORITIES] = {1, 0, 2, 3, 4, 5, 6, 7};

/* --- single rules ------------------------------------------------------------------ */

static void test_lower_address_uses_peer_settings(void **state)
{
	(void)state;
	assert_true(dcbx_peer_has_precedence(low, high));
	assert_false(dcbx_peer_has_precedence(high, low));
	assert_false(dcbx_peer_has_precedence(low, low));
	assert_true(dcbx_peer_has_precedence((const uint8_t[]){0x7f, 0xff, 0, 0, 0, 0},
					     (const uint8_t[]){0x80, 0, 0, 0, 0, 0}));
}

static void test_pfc_rules(void **state)
{
	static const struct {
		bool tx, willing;
		unsigned peers;
		bool speaks, theirs_willing;
		const uint8_t *ours, *theirs; /* MAC addresses */
		enum dcbx_reason reason;
	} cases[] = {
	    {false, true, 1, true, false, low, high, DCBX_OFF},
	    {false, false, 0, false, false, low, high, DCBX_OFF},
	    {true, true, 0, false, false, low, high, DCBX_NO_PEER},
	    {true, false, 0, false, false, low, high, DCBX_NO_PEER},
	    {true, true, 2, false, false, low, high, DCBX_MANY_PEERS},
	    {true, true, 1, false, false, low, high, DCBX_PEER_SILENT},
	    {true, false, 1, true, false, low, high, DCBX_NOT_WILLING},
	    {true, false, 1, true, true, low, high, DCBX_NOT_WILLING},
	    {true, true, 1, true, false, low, high, DCBX_TAKEN},
	    {true, true, 1, true, false, high, low, DCBX_TAKEN},
	    {true, true, 1, true, false, low, NULL, DCBX_TAKEN},
	    {true, true, 1, true, true, low, high, DCBX_TAKEN},
	    {true, true, 1, true, true, high, low, DCBX_PEER_TAKES},
	    {true, true, 1, true, true, low, low, DCBX_UNDECIDED},
	    {true, true, 1, true, true, low, NULL, DCBX_UNDECIDED},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct dcbx_config config = {.pfc_willing = cases[i].willing};
		struct dcb_tlvs tlvs = {.pfc = {.enable = THEIRS, .cap = 8}};
		struct dcbx_peers peers = {.n = cases[i].peers};
		struct dcbx_outcome outcome;
		bool taken = cases[i].reason == DCBX_TAKEN;
		uint8_t mismatch = 0;

		config.tx_enable = cases[i].tx ? BIT(DCB_TLV_PFC) : 0;
		tlvs.present = cases[i].speaks ? BIT(DCB_TLV_PFC) : 0;
		tlvs.pfc.willing = cases[i].theirs_willing;
		peers.tlvs = peers.n == 1 ? &tlvs : NULL;
		peers.has_address = cases[i].theirs != NULL;
		if (peers.has_address)
			memcpy(peers.address, cases[i].theirs, ETH_ADDR_OCTETS);
		memset(&outcome, 0xa5, sizeof(outcome));
		dcbx_resolve(&config, OURS, cases[i].ours, &peers, &outcome);
		assert_int_equal(outcome.pfc_reason, cases[i].reason);
		assert_int_equal(outcome.pfc_enable, taken ? THEIRS : OURS);
		if (cases[i].speaks && !taken)
			mismatch |= BIT(DCBX_MISMATCH_ENABLE);
		if (cases[i].reason == DCBX_UNDECIDED)
			mismatch |= BIT(DCBX_MISMATCH_UNDECIDED);
		if (cases[i].peers == 2)
			mismatch |= BIT(DCBX_MISMATCH_PEERS);
		assert_int_equal(outcome.mismatch, mismatch);
		assert_int_equal(outcome.ets_reason, DCBX_OFF);
		assert_false(outcome.ets);
	}
}

/* Resolves for a willing port with one neighbor that sends tlvs. */
static void resolve_willing(const struct dcb_tlvs *tlvs, uint8_t pfc_enable,
			    const struct ets_tables *ets, struct dcbx_outcome *outcome)
{
	struct dcbx_config config = {
	    .tx_enable = BIT(DCB_TLV_PFC) | BIT(DCB_TLV_ETS),
	    .ets_willing = true,
	    .pfc_willing = true,
	    .ets = *ets,
	};
	struct dcbx_peers peers = {.n = 1, .tlvs = tlvs};

	dcbx_resolve(&config, pfc_enable, low, &peers, outcome);
}

static void test_pfc_capability_mismatch(void **state)
{
	static const struct {
		uint8_t enable, cap;
		bool fits;
	} cases[] = {{0x00, 0, true}, {0x80, 0, false}, {0x81, 2, true}, {0x85, 2, false},
		     {0xff, 8, true}, {0xff, 7, false}, {0xff, 15, true}};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct dcb_tlvs tlvs = {.present = BIT(DCB_TLV_PFC)};
		struct dcbx_outcome outcome;

		tlvs.pfc.enable = cases[i].enable;
		tlvs.pfc.cap = cases[i].cap;
		resolve_willing(&tlvs, 0, &strict, &outcome);
		assert_int_equal(outcome.mismatch, cases[i].fits ? 0 : BIT(DCBX_MISMATCH_CAP));
	}
}

static void test_malformed_tlv_mismatch(void **state)
{
	(void)state;
	for (unsigned tlv = 0; tlv < DCB_TLVS; tlv++) {
		struct dcb_tlvs tlvs = {.malformed = BIT(tlv)};
		struct dcbx_outcome outcome;

		resolve_willing(&tlvs, OURS, &sharing, &outcome);
		assert_int_equal(outcome.pfc_reason, DCBX_PEER_SILENT);
		assert_int_equal(outcome.ets_reason, DCBX_PEER_SILENT);
		assert_int_equal(outcome.mismatch, BIT(DCBX_MISMATCH_MALFORMED));
		assert_int_equal(outcome.pfc_enable, OURS);
		assert_true(outcome.ets);
		assert_memory_equal(&outcome.ets_tables, &sharing, sizeof(sharing));
	}
}

static void test_ets_local_settings(void **state)
{
	static const struct {
		bool tx, willing;
		unsigned peers;
		bool recommends;
		enum dcbx_reason reason;
	} cases[] = {
	    {false, true, 1, true, DCBX_OFF},         {true, true, 0, false, DCBX_NO_PEER},
	    {true, true, 3, false, DCBX_MANY_PEERS},  {true, true, 1, false, DCBX_PEER_SILENT},
	    {true, false, 1, true, DCBX_NOT_WILLING},
	};

	(void)state;
	for (size_t i = 0; i < 2 * UNIT_COUNT(cases); i++) {
		const struct ets_tables *own = i % 2 ? &sharing : &strict;
		struct dcbx_config config = {.ets_willing = cases[i / 2].willing, .ets = *own};
		struct dcb_tlvs tlvs = {.reco = sharing};
		struct dcbx_peers peers = {.n = cases[i / 2].peers};
		struct dcbx_outcome outcome;

		/* The neighbor's own tables are not a recommendation. */
		tlvs.present = BIT(DCB_TLV_ETS);
		if (cases[i / 2].recommends)
			tlvs.present |= BIT(DCB_TLV_ETS_RECO);
		/* Sending a recommendation does not enable negotiation. */
		config.tx_enable = BIT(DCB_TLV_ETS_RECO);
		if (cases[i / 2].tx)
			config.tx_enable |= BIT(DCB_TLV_ETS);
		peers.tlvs = peers.n == 1 ? &tlvs : NULL;
		dcbx_resolve(&config, 0, low, &peers, &outcome);
		assert_int_equal(outcome.ets_reason, cases[i / 2].reason);
		assert_int_equal(outcome.ets, i % 2);
		assert_memory_equal(&outcome.ets_tables, own, sizeof(*own));
		assert_int_equal(outcome.mismatch, peers.n > 1 ? BIT(DCBX_MISMATCH_PEERS) : 0);
	}
}

static void test_ets_recommended(void **state)
{
	static const struct {
		uint8_t bandwidth[3], tsa[3];
		bool usable;
	} cases[] = {
	    {{100, 0, 0}, {2, 0, 0}, true},    {{30, 30, 40}, {2, 2, 2}, true},
	    {{0, 0, 0}, {0, 0, 0}, true},      {{100, 0, 0}, {2, 2, 2}, true},
	    {{100, 9, 9}, {2, 0, 0}, true},    {{99, 0, 0}, {2, 0, 0}, false},
	    {{50, 51, 0}, {2, 2, 0}, false},   {{0, 0, 0}, {2, 0, 0}, false},
	    {{100, 0, 0}, {2, 1, 0}, false},   {{100, 0, 0}, {2, 0, 255}, false},
	    {{100, 0, 0}, {2, 0, 3}, false},   {{0, 0, 0}, {1, 0, 0}, false},
	    {{50, 50, 100}, {2, 2, 2}, false}, {{0, 0, 0}, {0, 0, 255}, false},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct dcb_tlvs tlvs = {.present = BIT(DCB_TLV_ETS_RECO)};
		struct dcbx_outcome outcome;
		bool usable = cases[i].usable;

		memcpy(tlvs.reco.priority_tc, (uint8_t[]){0, 0, 0, 1, 1, 2, 2, 2}, 8);
		memcpy(tlvs.reco.bandwidth, cases[i].bandwidth, 3);
		memcpy(tlvs.reco.tsa, cases[i].tsa, 3);
		resolve_willing(&tlvs, 0, &strict, &outcome);
		assert_int_equal(outcome.ets_reason, usable ? DCBX_TAKEN : DCBX_UNUSABLE);
		assert_int_equal(outcome.ets, usable);
		assert_memory_equal(&outcome.ets_tables, usable ? &tlvs.reco : &strict,
				    sizeof(strict));
		assert_int_equal(outcome.mismatch, usable ? 0 : BIT(DCBX_MISMATCH_ETS));
	}
}

/* CN and PFC delay are no DCBX TLVs. A malformed TLV has been sent, too. */
static void test_neighbors_that_speak_dcbx(void **state)
{
	(void)state;
	for (unsigned mask = 0; mask < 1u << DCB_TLVS; mask++) {
		const struct dcb_tlvs valid = {.present = (uint8_t)mask},
				      malformed = {.malformed = (uint8_t)mask};
		bool speaks =
		    mask & ~(BIT(DCB_TLV_CN) | BIT(DCB_TLV_PFC_DELAY) | BIT(DCB_TLV_APP_VLAN));

		assert_int_equal(dcbx_speaks(&valid), speaks);
		assert_int_equal(dcbx_speaks(&malformed), speaks);
	}
}

static void test_dialects_before_ieee(void **state)
{
	static const uint8_t other[] = {0x00, 0x1b, 0x22}, old[] = {0x00, 0x1b, 0x21};

	(void)state;
	for (unsigned subtype = 0; subtype < 256; subtype++) {
		assert_int_equal(dcbx_dialect_of(old, (uint8_t)subtype),
				 subtype == 2   ? BIT(DCBX_CEE)
				 : subtype == 1 ? BIT(DCBX_CIN)
						: 0);
		assert_int_equal(dcbx_dialect_of(other, (uint8_t)subtype), 0);
		assert_int_equal(dcbx_dialect_of(dcb_tlv_oui, (uint8_t)subtype), 0);
	}
}

/* Several neighbors are a mismatch only while PFC or ETS is negotiated. */
static void test_several_neighbors_mismatch(void **state)
{
	(void)state;
	for (unsigned tx = 0; tx < 1u << DCB_TLVS; tx++) {
		struct dcbx_config config = {.tx_enable = (uint8_t)tx, .pfc_willing = true};
		struct dcbx_peers peers = {.n = 2};
		struct dcbx_outcome outcome;
		bool negotiates = tx & (BIT(DCB_TLV_ETS) | BIT(DCB_TLV_PFC));

		dcbx_resolve(&config, OURS, low, &peers, &outcome);
		assert_int_equal(outcome.mismatch, negotiates ? BIT(DCBX_MISMATCH_PEERS) : 0);
		assert_int_equal(outcome.pfc_enable, OURS);
	}
}

/* --- application priorities --------------------------------------------------------- */

/* A willing port, for PFC or ETS, takes those of its neighbor, decided as for PFC. */
static void test_application_priority_rules(void **state)
{
	const uint8_t pfc = BIT(DCB_TLV_PFC), ets = BIT(DCB_TLV_ETS), app = BIT(DCB_TLV_APP);
	const struct {
		uint8_t tx;
		bool pfc_willing, ets_willing;
		unsigned peers;
		uint8_t received;
		bool theirs_pfc, theirs_ets;  /* the neighbor is willing */
		const uint8_t *ours, *theirs; /* MAC addresses */
		enum dcbx_reason reason;
	} cases[] = {
	    {0, true, true, 1, app, false, false, low, high, DCBX_NOT_WILLING},
	    {pfc | ets | app, false, false, 1, app, false, false, low, high, DCBX_NOT_WILLING},
	    {pfc, false, true, 1, app, false, false, low, high, DCBX_NOT_WILLING},
	    {pfc, true, false, 0, 0, false, false, low, high, DCBX_NO_PEER},
	    {pfc, true, false, 2, 0, false, false, low, high, DCBX_MANY_PEERS},
	    {pfc, true, false, 1, pfc | ets, false, false, low, high, DCBX_PEER_SILENT},
	    {pfc, true, false, 1, app, false, false, high, low, DCBX_TAKEN},
	    {ets, false, true, 1, app, false, false, high, low, DCBX_TAKEN},
	    {pfc, true, false, 1, app, false, false, low, NULL, DCBX_TAKEN},
	    {pfc, true, false, 1, app | pfc, true, false, low, high, DCBX_TAKEN},
	    {pfc, true, false, 1, app | pfc, true, false, high, low, DCBX_PEER_TAKES},
	    {pfc, true, false, 1, app | ets, false, true, high, low, DCBX_PEER_TAKES},
	    {pfc, true, false, 1, app | ets, false, true, low, NULL, DCBX_UNDECIDED},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		const struct app_priority own = {2, 5, 3260}, other = {2, 4, 3260};
		struct dcbx_config config = {
		    .tx_enable = cases[i].tx,
		    .pfc_willing = cases[i].pfc_willing,
		    .ets_willing = cases[i].ets_willing,
		    .n_apps = 1,
		    .apps = {own},
		};
		struct dcb_tlvs tlvs = {
		    .present = cases[i].received,
		    .pfc = {.willing = cases[i].theirs_pfc, .cap = 8},
		    .ets = {.willing = cases[i].theirs_ets},
		    .app = {.n = 2, .of = {other, {5, 6, 48}}},
		};
		struct dcbx_peers peers = {.n = cases[i].peers};
		const struct cn_tlv cn = {0};
		struct dcbx_outcome outcome;
		struct dcb_tlvs sent;
		bool taken = cases[i].reason == DCBX_TAKEN;

		peers.tlvs = peers.n == 1 ? &tlvs : NULL;
		peers.has_address = cases[i].theirs != NULL;
		if (peers.has_address)
			memcpy(peers.address, cases[i].theirs, ETH_ADDR_OCTETS);
		memset(&outcome, 0xa5, sizeof(outcome));
		dcbx_resolve(&config, OURS, cases[i].ours, &peers, &outcome);
		assert_int_equal(outcome.app_reason, cases[i].reason);
		dcbx_advertise(&config, &peers, &outcome, &cn, port_classes, &sent);
		assert_int_equal(sent.app.n, taken ? 2 : 1);
		assert_memory_equal(&sent.app.of[0], taken ? &other : &own, sizeof(own));
		assert_int_equal(sent.app.of[1].selector, taken ? 5 : 0);
	}
}

/* --- TLVs to send ------------------------------------------------------------------ */

static void test_advertise(void **state)
{
	const struct dcbx_config config = {
	    .tx_enable = BIT(DCB_TLVS) - 1,
	    .pfc_willing = true,
	    .ets = strict,
	    .reco = {.priority_tc = {5}, .bandwidth = {100}, .tsa = {2}},
	    .n_app_vlans = 1,
	    .app_vlans = {{1, 1002, 0x8906}},
	};
	const struct cn_tlv cn = {0x28, 0x20};
	const struct dcb_tlvs theirs = {
	    .app = {.n = 2, .of = {{1, 3, 0x8906}, {4, 5, 3260}}},
	};
	const struct dcbx_peers peers = {.n = 1, .tlvs = &theirs};
	struct dcbx_outcome outcome = {
	    .pfc_enable = THEIRS,
	    .ets_tables = sharing,
	    .app_reason = DCBX_TAKEN,
	};
	struct dcb_tlvs tlvs;

	(void)state;
	memset(&tlvs, 0xa5, sizeof(tlvs));
	dcbx_advertise(&config, &peers, &outcome, &cn, port_classes, &tlvs);
	assert_int_equal(tlvs.present, BIT(DCB_TLVS) - 1 - BIT(DCB_TLV_PFC_DELAY));
	assert_int_equal(tlvs.malformed, 0);
	assert_memory_equal(&tlvs.cn, &cn, sizeof(cn));
	assert_false(tlvs.ets.willing);
	assert_false(tlvs.ets.cbs);
	assert_int_equal(tlvs.ets.max_tcs, 8);
	assert_memory_equal(tlvs.ets.tables.priority_tc, port_classes, sizeof(port_classes));
	assert_false(ets_tables_share(&tlvs.ets.tables));
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		assert_int_equal(tlvs.ets.tables.bandwidth[i] | tlvs.ets.tables.tsa[i], 0);
	assert_memory_equal(tlvs.reco.priority_tc, strict.priority_tc, DCB_PRIORITIES);
	assert_int_equal(tlvs.reco.bandwidth[0], 100);
	assert_int_equal(tlvs.reco.tsa[0], TSA_ETS);
	assert_true(tlvs.pfc.willing);
	assert_false(tlvs.pfc.mbc || tlvs.pfc.qdt);
	assert_int_equal(tlvs.pfc.cap, 8);
	assert_int_equal(tlvs.pfc.enable, THEIRS);
	assert_int_equal(tlvs.app.n, 2);
	assert_memory_equal(&tlvs.app, &theirs.app, sizeof(tlvs.app)); /* those in force */
	assert_int_equal(tlvs.app_vlan.n, 1);
	assert_memory_equal(tlvs.app_vlan.of, config.app_vlans, sizeof(config.app_vlans[0]));
	assert_int_equal(tlvs.pfc_delay, 0);

	outcome.ets = true;
	dcbx_advertise(&config, &peers, &outcome, &cn, port_classes, &tlvs);
	assert_memory_equal(&tlvs.ets.tables, &sharing, sizeof(sharing));
}

/*
 * A willing neighbor uses what the port recommends: without a recommendation of its own,
 * what the port has by its settings, and never one traffic class for all priorities.
 */
static void test_port_recommends_own_settings_by_default(void **state)
{
	static const struct ets_tables none, shares = {.bandwidth = {40, 60}, .tsa = {2, 2}},
					     bandwidth_only = {.bandwidth = {9}},
					     vendor = {.tsa = {[7] = TSA_VENDOR}};
	static const struct {
		const struct ets_tables *ets, *reco;
		uint8_t map[DCB_PRIORITIES];     /* expected */
		const struct ets_tables *shares; /* expected: bandwidth and tsa */
	} cases[] = {
	    {&none, &none, {1, 0, 2, 3, 4, 5, 6, 7}, &none},
	    {&strict, &none, {1, 0, 2, 3, 4, 5, 6, 7}, &none}, /* the map is not in force */
	    {&sharing, &none, {0, 0, 0, 1, 1, 1, 7, 7}, &sharing},
	    {&sharing, &bandwidth_only, {0, 0, 0, 1, 1, 1, 7, 7}, &sharing},
	    {&none, &shares, {1, 0, 2, 3, 4, 5, 6, 7}, &shares},
	    {&strict, &shares, {0, 0, 1, 1, 2, 2, 3, 3}, &shares},
	    {&sharing, &shares, {0, 0, 0, 1, 1, 1, 7, 7}, &shares},
	    {&sharing, &vendor, {0, 0, 0, 1, 1, 1, 7, 7}, &vendor},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		const struct dcbx_config config = {.tx_enable = BIT(DCB_TLV_ETS_RECO),
						   .ets_willing = i % 2,
						   .ets = *cases[i].ets,
						   .reco = *cases[i].reco};
		/* What a neighbor has recommended is not recommended to it again. */
		const struct dcbx_outcome taken = {
		    .ets = true, .ets_reason = DCBX_TAKEN, .ets_tables = {.priority_tc = {7}}};
		const struct dcbx_peers peers = {0};
		const struct cn_tlv cn = {0};
		struct dcb_tlvs tlvs;

		dcbx_advertise(&config, &peers, &taken, &cn, port_classes, &tlvs);
		assert_memory_equal(tlvs.reco.priority_tc, cases[i].map, DCB_PRIORITIES);
		assert_memory_equal(tlvs.reco.bandwidth, cases[i].shares->bandwidth,
				    DCB_PRIORITIES);
		assert_memory_equal(tlvs.reco.tsa, cases[i].shares->tsa, DCB_PRIORITIES);
	}
}

/* --- two ends ---------------------------------------------------------------------- */

struct end {
	struct dcbx_config config;
	uint8_t pfc_enable;
	uint8_t address[ETH_ADDR_OCTETS];
	bool sends_address;
	/* Received from the other end. */
	struct dcb_tlvs received;
	struct dcbx_peers peers;
	/* Outputs. */
	struct dcbx_outcome outcome;
	struct dcb_tlvs sent;
};

struct link {
	struct dcb_rng rng;
	struct end ends[2];
};

static bool random_bool(struct link *l)
{
	return dcb_rng_next(&l->rng) & 1;
}

/* Draws tables: all strict, valid shares, or random values. */
static void draw_tables(struct link *l, struct ets_tables *ets)
{
	uint32_t kind = dcb_rng_uniform(&l->rng, 0, 3);

	*ets = kind == 1 ? sharing : strict;
	if (kind < 2)
		return;
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		static const uint8_t algorithms[] = {TSA_STRICT, TSA_ETS, TSA_ETS, TSA_VENDOR};

		ets->priority_tc[i] = (uint8_t)dcb_rng_uniform(&l->rng, 0, 7);
		ets->bandwidth[i] = (uint8_t)(5 * dcb_rng_uniform(&l->rng, 0, 20));
		ets->tsa[i] = algorithms[dcb_rng_uniform(&l->rng, 0, kind)];
	}
}

static void draw_end(struct link *l, struct end *end)
{
	memset(end, 0, sizeof(*end));
	end->config.tx_enable = (uint8_t)(dcb_rng_next(&l->rng) | dcb_rng_next(&l->rng));
	end->config.ets_willing = random_bool(l);
	end->config.pfc_willing = random_bool(l);
	draw_tables(l, &end->config.ets);
	draw_tables(l, &end->config.reco);
	end->config.n_apps = (uint8_t)dcb_rng_uniform(&l->rng, 0, 3);
	for (unsigned i = 0; i < end->config.n_apps; i++)
		end->config.apps[i] = (struct app_priority){
		    (uint8_t)(i + 1), (uint8_t)dcb_rng_uniform(&l->rng, 0, 7), 3260};
	end->pfc_enable = (uint8_t)(dcb_rng_next(&l->rng) & dcb_rng_next(&l->rng));
	for (unsigned i = 0; i < ETH_ADDR_OCTETS; i++)
		end->address[i] = random_bool(l);
	end->sends_address = dcb_rng_uniform(&l->rng, 0, 9) != 0;
	dcbx_resolve(&end->config, end->pfc_enable, end->address, &end->peers, &end->outcome);
	dcbx_advertise(&end->config, &end->peers, &end->outcome, &end->sent.cn, port_classes,
		       &end->sent);
}

/* Delivers the other end's TLVs, encoded and decoded. Returns true if an output changed. */
static bool deliver(struct link *l, unsigned to)
{
	struct end *end = &l->ends[to];
	const struct end *from = &l->ends[!to];
	struct dcbx_outcome was = end->outcome;
	struct dcb_tlvs sent = end->sent;

	memset(&end->received, 0, sizeof(end->received));
	for (unsigned tlv = 0; tlv < DCB_TLVS; tlv++) {
		uint8_t info[DCB_TLV_INFO_OCTETS];
		size_t len = dcb_tlvs_encode(&from->sent, tlv, info);

		if (dcb_tlvs_have(&from->sent, tlv))
			assert_true(dcb_tlvs_take(&end->received, dcb_tlv_oui, dcb_tlv_subtype(tlv),
						  info, len));
	}
	end->peers = (struct dcbx_peers){1, &end->received, from->sends_address, {0}};
	memcpy(end->peers.address, from->address, ETH_ADDR_OCTETS);
	dcbx_resolve(&end->config, end->pfc_enable, end->address, &end->peers, &end->outcome);
	dcbx_advertise(&end->config, &end->peers, &end->outcome, &end->sent.cn, port_classes,
		       &end->sent);
	return memcmp(&was, &end->outcome, sizeof(was)) != 0 ||
	       memcmp(&sent, &end->sent, sizeof(sent)) != 0;
}

static bool sends(const struct end *end, enum dcb_tlv tlv)
{
	return end->config.tx_enable >> tlv & 1;
}

/* The same rules, evaluated from the settings of both ends. */
static enum dcbx_reason pfc_reason(const struct end *end, const struct end *other)
{
	int order = memcmp(end->address, other->address, ETH_ADDR_OCTETS);

	if (!sends(end, DCB_TLV_PFC))
		return DCBX_OFF;
	if (!sends(other, DCB_TLV_PFC))
		return DCBX_PEER_SILENT;
	if (!end->config.pfc_willing)
		return DCBX_NOT_WILLING;
	if (!other->config.pfc_willing)
		return DCBX_TAKEN;
	if (!other->sends_address || order == 0)
		return DCBX_UNDECIDED;
	return order < 0 ? DCBX_TAKEN : DCBX_PEER_TAKES;
}

static bool is_valid(const struct ets_tables *ets)
{
	unsigned sum = 0, shares = 0;

	for (unsigned tc = 0; tc < DCB_PRIORITIES; tc++) {
		if (ets->tsa[tc] != 0 && ets->tsa[tc] != 2)
			return false;
		shares += ets->tsa[tc] == 2;
		sum += ets->tsa[tc] == 2 ? ets->bandwidth[tc] : 0;
	}
	return !shares || sum == 100;
}

static enum dcbx_reason ets_reason(const struct end *end, const struct end *other)
{
	if (!sends(end, DCB_TLV_ETS))
		return DCBX_OFF;
	if (!sends(other, DCB_TLV_ETS_RECO))
		return DCBX_PEER_SILENT;
	if (!end->config.ets_willing)
		return DCBX_NOT_WILLING;
	return is_valid(&end->received.reco) ? DCBX_TAKEN : DCBX_UNUSABLE;
}

static unsigned count(uint8_t set)
{
	return (unsigned)__builtin_popcount(set);
}

/* Checks an end that has received the current TLVs of the other. */
static void assert_outcome(const struct end *end, const struct end *other)
{
	const struct dcbx_outcome *o = &end->outcome;
	bool taken = o->pfc_reason == DCBX_TAKEN, reco = o->ets_reason == DCBX_TAKEN;
	uint8_t mismatch = 0;

	assert_int_equal(o->pfc_reason, pfc_reason(end, other));
	assert_int_equal(o->pfc_enable, taken ? other->outcome.pfc_enable : end->pfc_enable);
	if (sends(other, DCB_TLV_PFC) && o->pfc_enable != other->outcome.pfc_enable)
		mismatch |= BIT(DCBX_MISMATCH_ENABLE);
	if (sends(other, DCB_TLV_PFC) && count(o->pfc_enable) > 8)
		mismatch |= BIT(DCBX_MISMATCH_CAP);
	if (o->pfc_reason == DCBX_UNDECIDED)
		mismatch |= BIT(DCBX_MISMATCH_UNDECIDED);
	assert_int_equal(o->ets_reason, ets_reason(end, other));
	assert_memory_equal(&o->ets_tables, reco ? &end->received.reco : &end->config.ets,
			    sizeof(o->ets_tables));
	assert_int_equal(o->ets, reco || ets_tables_share(&end->config.ets));
	if (o->ets_reason == DCBX_UNUSABLE)
		mismatch |= BIT(DCBX_MISMATCH_ETS);
	assert_int_equal(o->mismatch, mismatch);
}

static void assert_agreed(const struct link *l)
{
	const struct end *a = &l->ends[0], *b = &l->ends[1];
	unsigned taken =
	    (a->outcome.pfc_reason == DCBX_TAKEN) + (b->outcome.pfc_reason == DCBX_TAKEN);
	bool both = sends(a, DCB_TLV_PFC) && sends(b, DCB_TLV_PFC);
	bool differ = memcmp(a->address, b->address, ETH_ADDR_OCTETS) != 0;

	assert_outcome(a, b);
	assert_outcome(b, a);
	assert_true(taken <= 1);
	if (taken)
		assert_int_equal(a->outcome.pfc_enable, b->outcome.pfc_enable);
	if (both && a->config.pfc_willing != b->config.pfc_willing)
		assert_int_equal(taken, 1);
	if (both && a->config.pfc_willing && b->config.pfc_willing && a->sends_address &&
	    b->sends_address)
		assert_int_equal(taken, differ);
}

/* Any two ends, with LLDPDUs in any order: after three LLDPDUs in turn nothing changes. */
static void test_two_ends_converge(void **state)
{
	unsigned taken_runs = 0;
	struct link l;

	(void)state;
	dcb_rng_seed(&l.rng, unit_seed(), 1);
	for (int run = 0; run < 20000; run++) {
		unsigned first = random_bool(&l);

		draw_end(&l, &l.ends[0]);
		draw_end(&l, &l.ends[1]);
		for (unsigned n = dcb_rng_uniform(&l.rng, 0, 4); n > 0; n--)
			deliver(&l, random_bool(&l));
		for (unsigned n = 0; n < 3; n++)
			deliver(&l, (first + n) % 2);
		assert_false(deliver(&l, 0));
		assert_false(deliver(&l, 1));
		assert_agreed(&l);
		taken_runs += l.ends[0].outcome.pfc_reason == DCBX_TAKEN;
	}
	assert_true(taken_runs > 1000); /* the case occurs */
}

/* Settings change repeatedly: the results do not depend on former ones. */
static void test_results_do_not_depend_on_history(void **state)
{
	struct link l;

	(void)state;
	dcb_rng_seed(&l.rng, unit_seed(), 2);
	draw_end(&l, &l.ends[0]);
	draw_end(&l, &l.ends[1]);
	for (unsigned run = 0; run < 5000; run++) {
		draw_end(&l, &l.ends[random_bool(&l)]);
		for (unsigned n = 0; n < 4; n++)
			deliver(&l, (run + n) % 2);
		assert_false(deliver(&l, 0));
		assert_false(deliver(&l, 1));
		assert_agreed(&l);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lower_address_uses_peer_settings),
	    cmocka_unit_test(test_pfc_rules),
	    cmocka_unit_test(test_pfc_capability_mismatch),
	    cmocka_unit_test(test_malformed_tlv_mismatch),
	    cmocka_unit_test(test_ets_local_settings),
	    cmocka_unit_test(test_ets_recommended),
	    cmocka_unit_test(test_neighbors_that_speak_dcbx),
	    cmocka_unit_test(test_dialects_before_ieee),
	    cmocka_unit_test(test_several_neighbors_mismatch),
	    cmocka_unit_test(test_application_priority_rules),
	    cmocka_unit_test(test_advertise),
	    cmocka_unit_test(test_port_recommends_own_settings_by_default),
	    cmocka_unit_test(test_two_ends_converge),
	    cmocka_unit_test(test_results_do_not_depend_on_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
