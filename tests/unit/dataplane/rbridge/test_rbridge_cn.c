/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Congestion notification in an RBridge: RBridge 1 of rbridge_world_campus(). The numbers in names
 * of tests are those of doc/conformance.md, the behaviors of draft-eastlake-trill-cn-00.
 */
#include "dataplane/core/cnm.h"
#include "tests/unit/dataplane/rbridge/rbridge_cnpv.h"
#include "tests/unit/rbridge_campus.h"

static struct cp_stats cp_of(const struct rbridge_world *w, unsigned port, unsigned priority)
{
	struct cp_stats stats;

	port_read_cp(w->ports[port], priority, &stats);
	return stats;
}

/* --- congestion points of the RBridge -------------------------------------------------- */

/* Makes a port slow, with a congestion point that samples each frame. */
static void congest(struct rbridge_world *w, unsigned port)
{
	w->ports[port]->base.settings.rate = dcb_rate_from_mbps(1);
	w->own[port].cp[CNPV] = (struct cp_config){
	    .cp_qsp = 2000, .cp_sample_base = 1000, .cp_w_exp = 1, .cp_min_header_octets = 64};
	rbridge_world_configure(w);
}

/* Receives the next CNM at a port, behind any number of octets; false: there is none. */
static bool recv_cnm(struct rbridge_world *w, unsigned port, uint32_t type_at, struct cnm *cnm)
{
	while (rbridge_world_recv(w, port, &out)) {
		if (out.len > type_at + 2 && get_be16(out.octets + type_at) == ETH_TYPE_CNM) {
			assert_int_equal(
			    cnm_decode(out.octets + type_at + 2, out.len - type_at - 2, cnm),
			    CNM_OK);
			return true;
		}
	}
	return false;
}

/* What the CNM for a frame of data() has, made by the congestion point of this port. */
static void check_cnm(const struct rbridge_world *w, const struct cnm *cnm, unsigned port,
		      uint64_t encap_da)
{
	uint8_t cpid[CNM_CPID_OCTETS], da[ETH_ADDR_OCTETS];

	dcb_cpid(w->config->system_address, w->ports[port]->base.slot, CNPV, cpid);
	put_mac(da, encap_da);
	assert_memory_equal(cnm->cpid, cpid, sizeof(cpid));
	assert_true(cnm->qntz_fb > 0);
	assert_int_equal(cnm->encap_priority, CNPV);
	assert_memory_equal(cnm->encap_da, da, sizeof(da));
	assert_int_equal(cnm->msdu_len, 64);
	assert_memory_equal(cnm->msdu, msdu, 64);
}

/* Port 2 receives this number of the same frame. */
static void send_texts(struct rbridge_world *w, const struct trill_text *text, unsigned frames)
{
	for (unsigned i = 0; i < frames; i++)
		rbridge_world_send(w, 2, f, rbridge_world_trill(f, text));
	rbridge_world_turn(w);
}

static void send_data(struct rbridge_world *w, uint16_t egress, unsigned frames)
{
	const struct trill_text text = data(egress);

	send_texts(w, &text, frames);
}

static void test_15_cnm_for_a_frame_in_transit_goes_to_its_ingress_rbridge(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_nickname_stats nickname;
	struct cnm cnm;

	congest(w, 3);
	send_data(w, 3, 10);
	assert_true(recv_cnm(w, 2, TRILL_CNM_AT, &cnm));
	check_cnm(w, &cnm, 3, A);
	assert_true(is_mac(&out, 0, M2));
	assert_true(is_mac(&out, 6, rbridge_world_mac(1, 2)));
	assert_int_equal(get_be32(out.octets + 12), 0x81000000u | TCI(6, 20));
	assert_int_equal(get_be32(out.octets + 16), 0x22f3003f); /* one RBridge, 63 hops */
	assert_int_equal(get_be32(out.octets + 20), 2u << 16 | 1);
	assert_true(is_mac(&out, 24, FAR));
	assert_true(is_mac(&out, 30, rbridge_world_mac(1, 2))); /* where it is first sent */
	assert_int_equal(get_be32(out.octets + 36), 0x81000000u | TCI(6, 5));
	assert_int_equal(get_be32(out.octets + 40), 0x22e90000u | FLOW);
	assert_true(cp_of(w, 3, CNPV).cp_transmitted_cnms > 0);
	assert_true(rbridge_read_nickname(&w->rb, 2, &nickname));
	assert_int_equal(nickname.frames_to, cp_of(w, 3, CNPV).cp_transmitted_cnms);
}

static void test_15_flow_identifier_is_0_without_cn_tag(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = data(3);
	struct cnm cnm;

	congest(w, 3);
	text.flow_id = -1;
	send_texts(w, &text, 10);
	assert_true(recv_cnm(w, 2, TRILL_CNM_AT, &cnm));
	assert_int_equal(get_be32(out.octets + 40), 0x22e90000);
}

/* It is for the inner frame: what the outer tag had is the congestion point's. */
static void test_15_cnm_has_the_inner_priority(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = data(3);
	struct cnm cnm;

	congest(w, 3);
	text.inner_tci = TCI(1, 5);
	send_texts(w, &text, 10);
	assert_true(recv_cnm(w, 2, TRILL_CNM_AT, &cnm));
	assert_int_equal(cnm.encap_priority, 1);
	assert_int_equal(cnm.cpid[7] % 8, CNPV);
}

/* The ingress RBridge knows the station: its port has received the CNM. */
static void test_15_cnm_for_a_frame_ingressed_here_leaves_natively(void **state)
{
	struct rbridge_world *w = *state;
	struct cnm cnm;

	congest(w, 3);
	rbridge_world_egress(w, 5, FAR, 3);
	rbridge_world_configure(w);
	for (unsigned i = 0; i < 10; i++)
		rbridge_world_send(w, 0, f, native_flow(f, FAR, A, TCI(CNPV, 5)));
	rbridge_world_turn(w);
	assert_true(recv_cnm(w, 0, NATIVE_CNM, &cnm));
	check_cnm(w, &cnm, 3, FAR);
	assert_true(is_mac(&out, 0, A));
	assert_true(is_mac(&out, 6, rbridge_world_mac(1, 3)));
	assert_int_equal(get_be32(out.octets + 12), 0x81000000u | TCI(6, 5));
	assert_int_equal(get_be32(out.octets + 16), 0x22e90000u | FLOW);
	assert_false(rbridge_world_recv(w, 1, &out));
	assert_false(rbridge_world_recv(w, 2, &out));
}

/* After decapsulation the port is as that of a bridge; the CNM is encapsulated for its way. */
static void test_16_cnm_for_a_decapsulated_frame_is_routed_like_a_native_one(void **state)
{
	struct rbridge_world *w = *state;
	struct cnm cnm;

	rbridge_world_send(w, 0, f, native_flow(f, B, A, TCI(0, 5)));
	rbridge_world_turn(w);
	congest(w, 0);
	send_data(w, 1, 10);
	assert_true(recv_cnm(w, 2, TRILL_CNM_AT, &cnm));
	check_cnm(w, &cnm, 0, A);
	assert_int_equal(get_be32(out.octets + 20), 2u << 16 | 1);
	assert_true(is_mac(&out, 24, FAR));
	assert_true(is_mac(&out, 30, rbridge_world_mac(1, 0))); /* of the congested port */
	assert_int_equal(get_be32(out.octets + 36), 0x81000000u | TCI(6, 5));
	assert_int_equal(get_be32(out.octets + 40), 0x22e90000u | FLOW);
	assert_true(cp_of(w, 0, CNPV).cp_transmitted_cnms > 0);
}

static void test_17_cnm_is_not_counted_as_received_and_not_learned_from(void **state)
{
	struct rbridge_world *w = *state;
	struct port_stats stats;
	struct cnm cnm;

	congest(w, 3);
	send_data(w, 3, 10);
	assert_true(recv_cnm(w, 2, TRILL_CNM_AT, &cnm));
	port_read(w->ports[3], &stats);
	assert_int_equal(stats.rx_frames, 0);
	assert_int_equal(stats_of(w, 3).ingressed, 0);
	assert_int_equal(w->rb.native.fdb.entries, 0);
}

/* Congests hybrid port 2 with frames that its station A sends through it, encapsulated. */
static void check_cnm_to_station_at_port_2(struct rbridge_world *w, bool known)
{
	struct cnm cnm;

	w->own[2].trill.mode = TRILL_HYBRID;
	rbridge_world_egress(w, 5, FAR, 2);
	congest(w, 2);
	if (!known) { /* another address takes the only place */
		fdb_limit(&w->rb.native.fdb, w->ports[2]->base.slot, 1);
		rbridge_world_send(w, 2, f, native_flow(f, FAR, B, TCI(0, 5)));
	}
	for (unsigned i = 0; i < 10; i++)
		rbridge_world_send(w, 2, f, native_flow(f, FAR, A, TCI(CNPV, 5)));
	rbridge_world_turn(w);
	assert_true(recv_cnm(w, 2, NATIVE_CNM, &cnm));
	check_cnm(w, &cnm, 2, FAR);
	assert_true(is_mac(&out, 0, A));
	assert_int_equal(rbridge_world_recv(w, 0, &out), !known);
}

/* A hybrid port can be that of the station and that of the next hop. */
static void test_17_cnm_reaches_a_station_at_the_congested_port(void **state)
{
	check_cnm_to_station_at_port_2(*state, true);
}

static void test_17_cnm_reaches_an_unknown_station_at_the_congested_port(void **state)
{
	check_cnm_to_station_at_port_2(*state, false);
}

/* A CNM with the priority of the congestion point is sampled like any frame, and causes none. */
static void test_18_cnm_causes_no_cnm(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = data(3);
	uint8_t octets[CNM_FRAME_MAX];
	struct cnm cnm = {.qntz_fb = 9, .encap_priority = CNPV, .msdu_len = 64};
	uint8_t mac[ETH_ADDR_OCTETS] = {2};
	uint32_t len = cnm_frame(octets, &cnm, mac, mac, FLOW);

	congest(w, 3);
	text.msdu = octets + 16;
	text.msdu_len = len - 16;
	send_texts(w, &text, 60);
	assert_false(recv_cnm(w, 2, TRILL_CNM_AT, &cnm));
	assert_true(cp_of(w, 3, CNPV).cp_samples > 0);
	assert_int_equal(cp_of(w, 3, CNPV).cp_transmitted_cnms, 0);
}

/* TRILL control frames end at the RBridge: no queue of another port has them. */
static void test_14_control_frame_causes_no_cnm(void **state)
{
	struct rbridge_world *w = *state;
	uint32_t len = native_flow(f, UINT64_C(0x0180c2000041), M2, TCI(CNPV, 20));
	struct cnm cnm;

	congest(w, 3);
	put_be16(f + 20, 0x22f4);
	for (unsigned i = 0; i < 20; i++)
		rbridge_world_send(w, 2, f, len);
	rbridge_world_turn(w);
	assert_int_equal(stats_of(w, 2).control, 20);
	assert_false(recv_cnm(w, 2, NATIVE_CNM, &cnm));
	assert_int_equal(cp_of(w, 3, CNPV).cp_samples, 0);
}

/* ESADI frames (RFC 6325 4.2.5) pass encapsulated; their source is an RBridge. */
static void test_14_esadi_frame_causes_no_cnm(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = data(3);
	uint8_t esadi[1000] = {0x22, 0xf4};
	struct cnm cnm;

	congest(w, 3);
	text.msdu = esadi;
	send_texts(w, &text, 20);
	assert_false(recv_cnm(w, 2, TRILL_CNM_AT, &cnm));
	assert_true(cp_of(w, 3, CNPV).cp_samples > 0);
	assert_int_equal(cp_of(w, 3, CNPV).cp_transmitted_cnms, 0);
}

/* --- domains --------------------------------------------------------------------------- */

/* Receives a frame at port 2. Returns the ports by which it leaves; out is the last one's. */
static unsigned forward(struct rbridge_world *w, const struct trill_text *text)
{
	return rbridge_world_forward(w, 2, f, rbridge_world_trill(f, text), &out);
}

/* Sends a frame with these priorities from port 2 to RBridge 3; returns outer and inner TCI. */
static uint32_t tcis_after(struct rbridge_world *w, unsigned outer, unsigned inner)
{
	struct trill_text text = data(3);

	text.tci = (int)TCI(outer, 20u);
	text.inner_tci = (int)TCI(inner, 5u);
	text.flow_id = -1;
	assert_int_equal(forward(w, &text), 1 << 3);
	return (uint32_t)get_be16(out.octets + 14) << 16 | get_be16(out.octets + 38);
}

#define BOTH(outer, inner) ((uint32_t)TCI(outer, 30) << 16 | TCI(inner, 5))

static void test_12_mapped_priority_changes_inside_as_well(void **state)
{
	struct rbridge_world *w = *state;

	assert_int_equal(tcis_after(w, CNPV, CNPV), BOTH(CNPV, CNPV));
	set_mode(w, 2, CPT_EDGE);
	assert_int_equal(tcis_after(w, CNPV, CNPV), BOTH(1, 1));
	assert_int_equal(tcis_after(w, CNPV, 0), BOTH(1, 1));
	assert_int_equal(tcis_after(w, 0, CNPV), BOTH(0, 1)); /* not into the domain inside */
	assert_int_equal(tcis_after(w, 4, 2), BOTH(4, 2));    /* differ, and are not mapped */
}

/* A native frame from outside the domain is encapsulated with its mapped priority. */
static void test_12_mapped_priority_of_a_native_frame_is_that_of_both_tags(void **state)
{
	struct rbridge_world *w = *state;

	set_mode(w, 0, CPT_EDGE);
	rbridge_world_egress(w, 5, FAR, 3);
	rbridge_world_configure(w);
	assert_int_equal(rbridge_world_forward(w, 0, f, native_flow(f, FAR, A, TCI(CNPV, 5)), &out),
			 1 << 3);
	assert_int_equal(get_be16(out.octets + 14), TCI(1, 30));
	assert_int_equal(get_be16(out.octets + 38), TCI(1, 5));
	assert_int_equal(get_be16(out.octets + 40), 0x88b5); /* its CN-TAG remained outside */
}

static void test_13_inner_cn_tag_is_stripped_by_the_mode_of_the_egress_port(void **state)
{
	static const struct {
		enum cn_defense_mode mode;
		bool kept;
	} cases[] = {{CPT_DISABLED, true},
		     {CPT_INTERIOR, false},
		     {CPT_INTERIOR_READY, true},
		     {CPT_EDGE, false}};
	struct rbridge_world *w = *state;
	struct trill_text text = data(3);

	rbridge_world_egress(w, 5, FAR, 3);
	for (unsigned i = 0; i < UNIT_COUNT(cases); i++) {
		set_mode(w, 3, cases[i].mode);
		assert_int_equal(forward(w, &text), 1 << 3);
		assert_int_equal(get_be16(out.octets + 40) == 0x22e9, cases[i].kept);
		assert_int_equal(out.len, 18 + 6 + 16 + (cases[i].kept ? 4 : 0) + sizeof(msdu));
		assert_int_equal(
		    rbridge_world_forward(w, 0, f, native_flow(f, FAR, A, TCI(CNPV, 5)), &out),
		    1 << 3);
		assert_int_equal(get_be16(out.octets + 40) == 0x22e9, cases[i].kept);
	}
}

/* A frame that left the domain, by its outer or inner priority, has no flow there any more. */
static void test_13_frame_that_left_the_domain_has_no_cn_tag(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = data(3);

	set_mode(w, 2, CPT_EDGE);
	text.tci = TCI(0, 20);
	assert_int_equal(forward(w, &text), 1 << 3);
	assert_int_equal(get_be16(out.octets + 40), 0x88b5);
	text.tci = TCI(CNPV, 20);
	text.inner_tci = TCI(0, 5);
	assert_int_equal(forward(w, &text), 1 << 3);
	assert_int_equal(get_be16(out.octets + 40), 0x88b5);
}

#define CNM_IN_TRILL 80

/* Makes the frame carry a CNM for frames of this priority. */
static void carry_cnm(struct trill_text *text, uint8_t pdu[CNM_IN_TRILL], unsigned priority)
{
	memset(pdu, 0, CNM_IN_TRILL);
	put_be16(pdu, ETH_TYPE_CNM);
	pdu[2 + CNM_PRIORITY_OFFSET] = (uint8_t)(priority << 5);
	text->msdu = pdu;
	text->msdu_len = CNM_IN_TRILL;
}

/* A CNM inside keeps its tag: it is a part of its format. */
static void test_13_cn_tag_of_a_cnm_stays(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = data(3);
	uint8_t pdu[CNM_IN_TRILL];

	set_mode(w, 3, CPT_INTERIOR);
	carry_cnm(&text, pdu, 7);
	assert_int_equal(forward(w, &text), 1 << 3);
	assert_int_equal(get_be16(out.octets + 40), 0x22e9);
}

/* No congestion point of the domain is beyond its edge: such a CNM is forged. */
static void test_encapsulated_cnm_from_an_edge_port_is_forged(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = data(3);
	uint8_t pdu[CNM_IN_TRILL];

	text.tci = TCI(6, 20);
	text.inner_tci = TCI(6, 5);
	carry_cnm(&text, pdu, CNPV);
	assert_int_equal(forward(w, &text), 1 << 3);
	set_mode(w, 2, CPT_EDGE);
	assert_int_equal(forward(w, &text), 0);
	assert_int_equal(stats_of(w, 2).forged_cnm, 1);
	text.header = 10 | 0; /* for the local ports as well */
	text.egress = 1;
	assert_int_equal(forward(w, &text), 0);
	assert_int_equal(stats_of(w, 2).forged_cnm, 2);
	carry_cnm(&text, pdu, OTHER); /* of a domain whose edge is elsewhere */
	assert_int_equal(forward(w, &text), 0x3);
}

/* Nor is a CNM taken from a station that poses as an RBridge, RFC 6325 4.6.2. */
static void test_encapsulated_cnm_from_no_neighbor_is_dropped(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = data(1);
	uint8_t pdu[CNM_IN_TRILL];

	carry_cnm(&text, pdu, CNPV);
	text.sa = B;
	assert_int_equal(forward(w, &text), 0);
	assert_int_equal(stats_of(w, 2).not_adjacent, 1);
	assert_int_equal(w->rb.native.fdb.entries, 0);
	text.sa = M2;
	assert_int_equal(forward(w, &text), 0x3);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_12_mapped_priority_changes_inside_as_well),
	    TEST(test_12_mapped_priority_of_a_native_frame_is_that_of_both_tags),
	    TEST(test_13_inner_cn_tag_is_stripped_by_the_mode_of_the_egress_port),
	    TEST(test_13_frame_that_left_the_domain_has_no_cn_tag),
	    TEST(test_13_cn_tag_of_a_cnm_stays),
	    TEST(test_encapsulated_cnm_from_an_edge_port_is_forged),
	    TEST(test_encapsulated_cnm_from_no_neighbor_is_dropped),
	    TEST(test_14_control_frame_causes_no_cnm),
	    TEST(test_14_esadi_frame_causes_no_cnm),
	    TEST(test_15_cnm_for_a_frame_in_transit_goes_to_its_ingress_rbridge),
	    TEST(test_15_cnm_has_the_inner_priority),
	    TEST(test_15_flow_identifier_is_0_without_cn_tag),
	    TEST(test_15_cnm_for_a_frame_ingressed_here_leaves_natively),
	    TEST(test_16_cnm_for_a_decapsulated_frame_is_routed_like_a_native_one),
	    TEST(test_17_cnm_is_not_counted_as_received_and_not_learned_from),
	    TEST(test_17_cnm_reaches_a_station_at_the_congested_port),
	    TEST(test_17_cnm_reaches_an_unknown_station_at_the_congested_port),
	    TEST(test_18_cnm_causes_no_cnm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
