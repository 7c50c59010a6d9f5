/* SPDX-License-Identifier: BSD-3-Clause */
/* CNMs of the congestion points of a bridge, and those that it forwards. */
#include <string.h>

#include "dataplane/core/cnm.h"
#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "tests/unit/dataplane/bridge/bridge_cn.h"
#include "tests/unit/vectors.h"
#include "tests/unit/world.h"

/*
 * Makes the congestion point sample its next frame, of len octets in the queue, with
 * cpQLen qlen after it and cpQLenOld qlen_old.
 */
static void congest(struct world *w, unsigned priority, uint32_t len, uint32_t qlen,
		    uint32_t qlen_old)
{
	struct cp *cp = &w->ports[SLOW]->cn.cp[priority];

	cp->cp_qlen = qlen - len;
	cp->cp_qlen_old = qlen_old;
	cp->cp_enqueued = 1;
}

/* Makes the bridge learn address da on port SLOW, in the frame's VLAN. */
static void teach(struct world *w, uint64_t da, int tci)
{
	world_send(w, SLOW, f, world_frame(f, UINT64_C(0xffffffffffff), da, tci, 60));
	world_turn(w);
	for (unsigned i = 0; i < w->n_ports; i++)
		while (world_recv(w, i, &out))
			;
}

/* Sends f on port 0 as a sampled frame. Returns whether port "from" sent a frame, in out. */
static bool sample(struct world *w, unsigned priority, uint32_t len, unsigned from)
{
	congest(w, priority, len, 52000, 0);
	world_send(w, 0, f, len);
	world_turn(w);
	assert_true(world_recv(w, SLOW, &out));
	return world_recv(w, from, &out);
}

static uint32_t octets_of_hex(const char *hex, uint8_t *octets)
{
	uint32_t n = 0;

	for (unsigned value; sscanf(hex + 2 * n, "%2x", &value) == 1; n++)
		octets[n] = (uint8_t)value;
	return n;
}

/* Configures system address, port and CNPV of the wire vectors. */
static void wire_up(struct world *w, uint8_t cnpv)
{
	static const uint8_t system[] = {0x00, 0x11, 0x88, 0xfe, 0x79, 0x00};
	static const uint8_t mac[] = {0x00, 0x11, 0x88, 0xfe, 0x79, 0x6a};

	world_configure(w, 0, 0);
	w->ports[SLOW]->base.slot = 32; /* the CPIDs end in 0100 */
	memcpy(w->ports[SLOW]->base.link.mac, mac, sizeof(mac));
	port_take_link(w->ports[SLOW]);
	memcpy(w->system_address, system, sizeof(system));
	world_configure(w, 4, cnpv);
}

/* Inserts a C-TAG after the addresses. Returns the new length. */
static uint32_t with_tag(uint8_t *octets, uint32_t len, int tci)
{
	memmove(octets + ETH_TYPE_OFFSET + ETH_TAG_OCTETS, octets + ETH_TYPE_OFFSET,
		len - ETH_TYPE_OFFSET);
	put_be16(octets + ETH_TYPE_OFFSET, ETH_TYPE_CTAG);
	put_be16(octets + ETH_TYPE_OFFSET + 2, (uint16_t)tci);
	return len + ETH_TAG_OCTETS;
}

static struct world *vector_world;

/*
 * The vectors use the default cpQSp and cpW: computes the queue length from the CNM. In
 * the vector without a VLAN tag the frames are in the PVID, 1: they leave with its tag.
 */
static void check_wire(const struct vector *v)
{
	struct world *w = vector_world;
	bool tagged = strstr(v->inputs, "vid=");
	uint8_t expected[200] = {0}, sent[WORLD_OCTETS];
	uint32_t head = tagged ? 22 : 18, len = 300, cnm_len;
	uint8_t priority, msdu;
	int32_t qlen, qdelta;
	struct eth_view view;

	print_message("%s\n", v->id);
	cnm_len = octets_of_hex(vector_text(v, v->outputs, "frame"), expected);
	cnm_len = cnm_len < 60 ? 60 : cnm_len;
	assert_int_equal(eth_parse(expected, cnm_len, &view), ETH_OK);
	priority = expected[head + 14] >> 5;
	msdu = expected[head + 23];
	/* The CNM has units of 64 octets: choose values that round to the same units. */
	qlen = 26000 - (int16_t)get_be16(expected + head + 10) * 64 + 16;
	qdelta = (int16_t)get_be16(expected + head + 12) * 64 + 32;
	w->port_config.cp[priority].cp_min_header_octets = msdu;
	w->ports[0]->base.settings.default_priority = priority;
	wire_up(w, (uint8_t)(1u << priority));
	expected[head + 9] = priority; /* choice: one CPID for each priority */
	cn_frame(sent, B, A, tagged ? TCI(priority, view.vid) : -1,
		 view.flow_id ? view.flow_id : -1, len);
	if (msdu) {
		uint32_t at = ETH_TYPE_OFFSET + (tagged ? 4 : 0) + (view.flow_id ? 4 : 0);

		memcpy(sent + at, expected + head + 24, msdu);
	}
	teach(w, B, tagged ? TCI(0, view.vid) : -1);
	congest(w, priority, len, (uint32_t)qlen, (uint32_t)(qlen - qdelta));
	world_send(w, 0, sent, len);
	world_turn(w);
	assert_true(world_recv(w, SLOW, &out));
	if (!tagged) {
		len = with_tag(sent, len, TCI(priority, 1));
		cnm_len = with_tag(expected, cnm_len, TCI(w->global.cng_cnm_transmit_priority, 1));
	}
	assert_int_equal(out.len, len);
	assert_memory_equal(out.octets, sent, len);
	assert_true(world_recv(w, 0, &out));
	assert_int_equal(out.len, cnm_len);
	assert_memory_equal(out.octets, expected, cnm_len);
	assert_int_equal(cp_of(w, SLOW, priority).cp_transmitted_cnms, 1);
	w->ports[SLOW]->cn.cp_stats[priority].cp_transmitted_cnms = 0;
}

static void test_cnms_equal_wire_vectors(void **state)
{
	vector_world = *state;
	assert_int_equal(vectors_each("qcn.csv", "wire-cnm-frame", check_wire), 2);
}

/* A CNM leaves only by the port that the source was learned on. */
static void test_cnm_leaves_by_port_of_source(void **state)
{
	struct world *w = *state;
	struct port_stats slow, fast;
	struct eth_view view;
	uint32_t entries;
	struct cnm cnm;

	w->global.cng_cnm_transmit_priority = 5;
	world_configure(w, 4, 1 << CNPV);
	teach(w, B, TCI(0, 9));
	slow = world_stats(w, SLOW);
	assert_true(sample(w, CNPV, cn_frame(f, B, A, TCI(CNPV, 9), 0xabcd, 500), 0));
	assert_int_equal(eth_parse(out.octets, out.len, &view), ETH_OK);
	assert_true(view.tagged && view.cn_tagged && eth_is_cnm(&view));
	assert_int_equal(view.priority, 5);
	assert_int_equal(view.vid, 9);
	assert_false(view.drop_eligible);
	assert_int_equal(view.flow_id, 0xabcd);
	assert_memory_equal(out.octets, f + ETH_SA_OFFSET, ETH_ADDR_OCTETS);
	assert_memory_equal(out.octets + 6, w->ports[SLOW]->base.link.mac, ETH_ADDR_OCTETS);
	assert_int_equal(
	    cnm_decode(out.octets + view.payload_offset, out.len - view.payload_offset, &cnm),
	    CNM_OK);
	assert_int_equal(cnm.encap_priority, CNPV);
	assert_int_equal(cnm.qntz_fb, 63);
	assert_memory_equal(cnm.encap_da, f, ETH_ADDR_OCTETS);
	assert_int_equal(get_be16(cnm.cpid + 6), w->ports[SLOW]->base.slot * 8 + CNPV);
	assert_int_equal(cnm.msdu_len, 0);
	for (unsigned i = 0; i < 4; i++)
		assert_false(world_recv(w, i, &out));
	/* The CNM does not count as received, and its source is not learned. */
	assert_int_equal(cp_of(w, SLOW, CNPV).cp_transmitted_cnms, 1);
	assert_int_equal(world_stats(w, SLOW).rx_frames, slow.rx_frames);
	assert_int_equal(world_stats(w, SLOW).rx_octets, slow.rx_octets);
	entries = w->bridge.fdb.entries;
	assert_int_equal(entries, 2);
	/* A CNM is VLAN-tagged in the PVID of the egress port too: it keeps its priority. */
	fast = world_stats(w, 0);
	w->ports[0]->base.settings.pvid = 9;
	assert_true(sample(w, CNPV, cn_frame(f, B, A, TCI(CNPV, 9), -1, 500), 0));
	assert_int_equal(eth_parse(out.octets, out.len, &view), ETH_OK);
	assert_true(view.tagged && view.cn_tagged && eth_is_cnm(&view));
	assert_int_equal(view.vid, 9);
	assert_int_equal(view.priority, 5);
	assert_int_equal(view.flow_id, 0);
	assert_int_equal(out.len, 64);
	assert_int_equal(world_stats(w, 0).tx_frames, fast.tx_frames + 1);
	assert_int_equal(cp_of(w, SLOW, CNPV).cp_transmitted_cnms, 2);
	assert_int_equal(w->bridge.fdb.entries, entries);
}

/* The source is not learned: the CNM is flooded, but not to the congestion point's port. */
static void test_cnm_to_unknown_source_is_flooded(void **state)
{
	const struct bridge_params few = {
	    .frame_buffers = 100, .frame_octets = WORLD_OCTETS, .fdb_entries = 1};
	struct eth_view view;
	struct world w;

	(void)state;
	world_init(&w, 4, &few);
	world_configure(&w, 4, 1 << CNPV);
	teach(&w, B, TCI(0, 9));
	assert_true(sample(&w, CNPV, world_frame(f, B, A, TCI(CNPV, 9), 500), 0));
	assert_false(world_recv(&w, SLOW, &out));
	for (unsigned i = 2; i < 4; i++) {
		assert_true(world_recv(&w, i, &out));
		assert_int_equal(eth_parse(out.octets, out.len, &view), ETH_OK);
		assert_true(eth_is_cnm(&view));
		assert_memory_equal(out.octets, f + 6, 6);
	}
	assert_int_equal(cp_of(&w, SLOW, CNPV).cp_transmitted_cnms, 1);
	world_free(&w);
}

/* CNMs have a CNPV and all congestion points sample: a CNM causes no further CNM. */
static void test_cnm_causes_no_cnm(void **state)
{
	struct world *w = *state;
	struct eth_view view;
	uint8_t cnm[WORLD_OCTETS];
	uint32_t cnm_len;

	w->global.cng_cnm_transmit_priority = CNPV;
	world_configure(w, 4, 1 << CNPV);
	teach(w, B, TCI(0, 9));
	world_frame(f, B, A, TCI(CNPV, 9), 500);
	w->ports[0]->cn.cp[CNPV].cp_enqueued = 1;
	w->ports[0]->cn.cp[CNPV].cp_qlen = 60000;
	assert_true(sample(w, CNPV, 500, 0));
	assert_int_equal(eth_parse(out.octets, out.len, &view), ETH_OK);
	assert_int_equal(view.priority, CNPV);
	assert_int_equal(cp_of(w, 0, CNPV).cp_samples, 1);
	assert_int_equal(cp_of(w, 0, CNPV).cp_transmitted_cnms, 0);
	assert_int_equal(cp_of(w, SLOW, CNPV).cp_transmitted_cnms, 1);
	for (unsigned i = 0; i < 4; i++)
		assert_false(world_recv(w, i, &out));
	/* A received CNM causes none either. */
	cnm_len = out.len;
	memcpy(cnm, out.octets, cnm_len);
	memcpy(cnm, f, 12);
	memcpy(f, cnm, cnm_len);
	assert_false(sample(w, CNPV, cnm_len, 0));
	assert_int_equal(cp_of(w, SLOW, CNPV).cp_samples, 2);
	assert_int_equal(cp_of(w, SLOW, CNPV).cp_transmitted_cnms, 1);
}

/* A CNM with a group source address is discarded as malformed. */
static void test_cnm_from_group_is_malformed(void **state)
{
	struct world *w = *state;

	cn_frame(f, B, UINT64_C(0x030000000001), TCI(6, 9), 0, 100);
	put_be16(f + 20, ETH_TYPE_CNM);
	assert_int_equal(world_forward(w, 0, f, 100, &out), 0);
	assert_int_equal(world_stats(w, 0).discard_malformed, 1);
}

/* A CNM keeps its CN-TAG on a port that strips those of other frames. */
static void test_cnm_keeps_cn_tag(void **state)
{
	struct world *w = *state;
	struct eth_view view;

	w->global.cng_cnm_transmit_priority = CNPV;
	set_mode(w, 0, CPT_INTERIOR, 0);
	world_configure(w, 4, 1 << CNPV);
	teach(w, B, TCI(0, 9));
	assert_true(sample(w, CNPV, cn_frame(f, B, A, TCI(CNPV, 9), 77, 500), 0));
	assert_int_equal(eth_parse(out.octets, out.len, &view), ETH_OK);
	assert_true(eth_is_cnm(&view) && view.cn_tagged);
	assert_int_equal(view.flow_id, 77);
}

/* The CN-TAG of the sampled frame is stripped, but the CNM has its flow identifier. */
/* Builds a CNM from B to A with these tags, c: C-TAG, n: CN-TAG, cut to a PDU of octets. */
static uint32_t tagged_cnm(const char *tags, unsigned priority, uint32_t octets)
{
	uint32_t at = world_frame(f, A, B, -1, ETH_TYPE_OFFSET + 2);

	for (at -= 2; *tags; tags++, at += ETH_TAG_OCTETS)
		put_be32(f + at, (*tags == 'c' ? 0x81000000u : 0x22e90000u) | TCI(6, 1));
	memset(f + at, 0, 2 + CNM_PDU_MIN_OCTETS);
	put_be16(f + at, ETH_TYPE_CNM);
	put_be16(f + at + 2 + CNM_PRIORITY_OFFSET, (uint16_t)(priority << 13));
	return at + 2 + octets;
}

/* 32.1: at an edge of a CNPV no CNM for it enters, whatever tags a bridge might remove from it. */
static void test_cnm_does_not_enter_at_edge(void **state)
{
	static const char *const tags[] = {"n", "cn", "", "c", "nn", "cnn", "ccn", "cccnn", "ncn"};
	struct world *w = *state;
	uint64_t n = 0;

	for (unsigned mode = CPT_DISABLED; mode <= CPT_EDGE; mode++) {
		bool edge = mode == CPT_EDGE;

		set_mode(w, 2, (enum cn_defense_mode)mode, 1);
		world_configure(w, 4, 1 << CNPV);
		for (unsigned i = 0; i < UNIT_COUNT(tags); i++) {
			for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
				uint32_t len = tagged_cnm(tags[i], p, CNM_PDU_MIN_OCTETS);
				unsigned ports = edge && p == CNPV ? 0 : 0xb;

				assert_int_equal(world_forward(w, 2, f, len, &out), ports);
				n += !ports;
				assert_int_equal(world_stats(w, 2).discard_cnm, n);
			}
			/* Without a priority, the CNM is not for another one. */
			(void)world_forward(w, 2, f, tagged_cnm(tags[i], 7, CNM_PRIORITY_OFFSET),
					    &out);
			n += edge;
			assert_int_equal(world_stats(w, 2).discard_cnm, n);
		}
		/* Other frames with a CN-TAG, and CNMs from other ports, are forwarded. */
		assert_int_equal(world_forward(w, 2, f, cn_frame(f, A, B, -1, 7, 80), &out), 0xb);
		(void)tagged_cnm("n", CNPV, CNM_PDU_MIN_OCTETS);
		assert_int_equal(world_forward(w, 1, f, 42, &out), 0xd);
	}
}

static void test_cnm_has_flow_id_of_stripped_frame(void **state)
{
	struct world *w = *state;
	struct eth_view view;

	set_mode(w, SLOW, CPT_INTERIOR, 0);
	w->own[SLOW]->cp[CNPV].cp_min_header_octets = 64;
	world_configure(w, 4, 1 << CNPV);
	teach(w, B, TCI(0, 9));
	cn_frame(f, B, A, TCI(CNPV, 9), 0x7777, 40);
	world_send(w, 0, f, 40);
	congest(w, CNPV, 36, 52000, 0);
	world_turn(w);
	assert_true(world_recv(w, SLOW, &out));
	assert_int_equal(out.len, ETH_MIN_OCTETS);
	assert_true(world_recv(w, 0, &out));
	assert_int_equal(eth_parse(out.octets, out.len, &view), ETH_OK);
	assert_int_equal(view.flow_id, 0x7777);
	/* The MSDU is shorter than cpMinHeaderOctets: EtherType and 18 octets. */
	assert_int_equal(get_be16(out.octets + view.payload_offset + 22), 20);
	assert_memory_equal(out.octets + view.payload_offset + 24, f + 20, 20);
}

static void test_master_enable_false_disables_cps(void **state)
{
	struct world *w = *state;

	set_mode(w, 0, CPT_EDGE, 1);
	set_mode(w, SLOW, CPT_INTERIOR, 1);
	w->global.cng_master_enable = false;
	world_configure(w, 4, 1 << CNPV);
	teach(w, B, TCI(0, 9));
	assert_false(sample(w, CNPV, cn_frame(f, B, A, TCI(CNPV, 9), 5, 500), 0));
	assert_int_equal(out.len, 500);
	assert_memory_equal(out.octets, f, 500);
	assert_int_equal(cp_of(w, SLOW, CNPV).cp_transmitted_frames, 0);
	assert_int_equal(cp_of(w, SLOW, CNPV).cp_transmitted_cnms, 0);
}

/* Without a frame buffer there is no CNM; the sampled frame is sent. */
static void test_no_cnm_without_frame_buffer(void **state)
{
	const struct bridge_params few = {
	    .frame_buffers = 1, .frame_octets = WORLD_OCTETS, .fdb_entries = 10};
	struct world w;

	(void)state;
	world_init(&w, 2, &few);
	world_configure(&w, 2, 1 << CNPV);
	teach(&w, B, TCI(0, 9));
	assert_false(sample(&w, CNPV, world_frame(f, B, A, TCI(CNPV, 9), 500), 0));
	assert_int_equal(cp_of(&w, SLOW, CNPV).cp_samples, 1);
	assert_int_equal(cp_of(&w, SLOW, CNPV).cp_transmitted_cnms, 0);
	assert_int_equal(world_stats(&w, 0).discard_no_buffer, 1);
	assert_int_equal(w.bridge.ports.pool.n_free, 1);
	world_free(&w);
}

/* The QCN variant of 2007, a setting of the port, sets DEI of tagged frames if cpFb < 0. */
static void test_early_variant_sets_dei(void **state)
{
	struct world *w = *state;

	w->ports[SLOW]->base.settings.early = true;
	w->ports[SLOW]->base.settings.cp_early =
	    (struct cp_early_config){.base_probability_ppm = 1000000, .page_octets = 1};
	teach(w, B, TCI(0, 9));
	teach(w, B, -1);
	assert_true(sample(w, CNPV, world_frame(f, B, A, TCI(CNPV, 9), 500), 0));
	congest(w, CNPV, 500, 52000, 0);
	world_send(w, 0, f, 500);
	world_turn(w);
	assert_true(world_recv(w, SLOW, &out));
	assert_int_equal(get_be16(out.octets + 14), TCI(CNPV, 9) | 0x1000);
	assert_memory_equal(out.octets + 16, f + 16, 484);
	assert_true(world_recv(w, 0, &out));
	/* An untagged frame has no DEI; to an edge a CNPV is untagged in the PVID. */
	set_mode(w, SLOW, CPT_EDGE, 0);
	world_configure(w, 4, 1 << CNPV);
	world_frame(f, B, A, TCI(CNPV, 1), 500);
	congest(w, CNPV, 496, 52000, 0);
	world_send(w, 0, f, 500);
	world_turn(w);
	assert_true(world_recv(w, SLOW, &out));
	assert_int_equal(out.len, 496);
	assert_memory_equal(out.octets + 12, f + 16, 484);
	assert_true(world_recv(w, 0, &out));
	/* Without negative feedback DEI is not set. */
	world_frame(f, B, A, TCI(CNPV, 9), 500);
	congest(w, CNPV, 500, 500, 500);
	world_send(w, 0, f, 500);
	world_turn(w);
	assert_true(world_recv(w, SLOW, &out));
	assert_memory_equal(out.octets, f, 500);
	assert_false(world_recv(w, 0, &out));
}

/* A CNM follows a static filtering entry. */
static void test_cnm_follows_static_entry(void **state)
{
	struct world *w = *state;

	world_frame(f, B, A, TCI(CNPV, 9), 500);
	assert_true(fdb_set_static(&w->bridge.fdb, 9, f, w->ports[SLOW]->base.slot));
	assert_true(fdb_set_static(&w->bridge.fdb, 9, f + 6, w->ports[3]->base.slot));
	assert_false(sample(w, CNPV, 500, 0));
	assert_true(world_recv(w, 3, &out));
	assert_false(world_recv(w, 2, &out));
	assert_int_equal(cp_of(w, SLOW, CNPV).cp_transmitted_cnms, 1);
	/* The entry is for the congestion point's own port: no CNM is sent. */
	assert_true(fdb_set_static(&w->bridge.fdb, 9, f + 6, w->ports[SLOW]->base.slot));
	assert_false(sample(w, CNPV, 500, 0));
	assert_int_equal(cp_of(w, SLOW, CNPV).cp_samples, 2);
	assert_int_equal(cp_of(w, SLOW, CNPV).cp_transmitted_cnms, 1);
	for (unsigned i = 0; i < 4; i++)
		assert_false(world_recv(w, i, &out));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_cnms_equal_wire_vectors),
	    TEST(test_cnm_leaves_by_port_of_source),
	    TEST(test_cnm_to_unknown_source_is_flooded),
	    TEST(test_cnm_causes_no_cnm),
	    TEST(test_cnm_from_group_is_malformed),
	    TEST(test_cnm_keeps_cn_tag),
	    TEST(test_cnm_does_not_enter_at_edge),
	    TEST(test_cnm_has_flow_id_of_stripped_frame),
	    TEST(test_master_enable_false_disables_cps),
	    TEST(test_no_cnm_without_frame_buffer),
	    TEST(test_early_variant_sets_dei),
	    TEST(test_cnm_follows_static_entry),
	};

	return cmocka_run_group_tests_name("bridge_cn", tests, NULL, NULL);
}
