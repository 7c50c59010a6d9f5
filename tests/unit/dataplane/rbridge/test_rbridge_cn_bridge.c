/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CNMs of bridges between RBridges, at RBridge 1 of rbridge_world_campus(). The numbers in names of
 * tests are those of doc/conformance.md, the behaviors of draft-eastlake-trill-cn-00.
 */
#include "dataplane/core/cnm.h"
#include "tests/unit/dataplane/rbridge/rbridge_cnpv.h"
#include "tests/unit/rbridge_campus.h"

#define BRIDGE UINT64_C(0x020000000009) /* a bridge between RBridges 1 and 2 */

/*
 * Builds the CNM of a bridge on the link of port 2 for a TRILL frame that this RBridge sent
 * there: RBridge ingress had encapsulated it. type: EtherType at which the MSDU begins.
 */
static uint32_t bridge_cnm(void *octets, uint16_t ingress, uint16_t type, uint8_t msdu_len)
{
	struct trill_text sent = data(2);
	struct cnm cnm = {.qntz_fb = 33, .cpid = {9, 8, 7}, .cnm_qoffset = -5, .cnm_qdelta = 7};
	uint8_t frame[WORLD_OCTETS], bare[CNM_FRAME_MAX], da[6], sa[6];
	uint32_t len;

	sent.ingress = ingress;
	(void)rbridge_world_trill(frame, &sent);
	cnm.encap_priority = CNPV;
	put_mac(cnm.encap_da, M2);
	cnm.msdu_len = msdu_len;
	memcpy(cnm.msdu, frame + 16, sizeof(cnm.msdu)); /* from 22-F3 on */
	put_be16(cnm.msdu, type);
	put_mac(da, rbridge_world_mac(1, 2));
	put_mac(sa, BRIDGE);
	len = cnm_frame(bare, &cnm, da, sa, 0);
	memcpy(octets, bare, 12);
	put_be32((uint8_t *)octets + 12, 0x81000000u | TCI(6, 20));
	memcpy((uint8_t *)octets + 16, bare + 12, len - 12);
	return len + 4;
}

/* The CNM that the source understands, of 64 - 28 octets of the inner MSDU. */
static void check_transformed(uint32_t type_at)
{
	uint8_t da[ETH_ADDR_OCTETS];
	struct cnm cnm;

	assert_int_equal(get_be16(out.octets + type_at), ETH_TYPE_CNM);
	assert_int_equal(cnm_decode(out.octets + type_at + 2, out.len - type_at - 2, &cnm), CNM_OK);
	put_mac(da, A);
	assert_int_equal(cnm.qntz_fb, 33);
	assert_int_equal(cnm.cpid[2], 7);
	assert_int_equal(cnm.cnm_qoffset, -5);
	assert_int_equal(cnm.cnm_qdelta, 7);
	assert_int_equal(cnm.encap_priority, CNPV);
	assert_memory_equal(cnm.encap_da, da, sizeof(da));
	assert_int_equal(cnm.msdu_len, 64 - 28);
	assert_memory_equal(cnm.msdu, msdu, 64 - 28);
	assert_int_equal(get_be16(out.octets + type_at - 2), FLOW);
}

/* Station FAR sends a frame from this port, which reaches all others. */
static void learn_far(struct rbridge_world *w, unsigned port)
{
	rbridge_world_send(w, port, f, native_flow(f, B, FAR, TCI(0, 5)));
	rbridge_world_turn(w);
	for (unsigned i = 0; i < 4; i++)
		while (rbridge_world_recv(w, i, &out))
			;
}

static void test_01_cnm_of_a_bridge_is_sent_to_the_ingress_rbridge(void **state)
{
	struct rbridge_world *w = *state;
	uint32_t len = bridge_cnm(f, 3, 0x22f3, 64);

	assert_int_equal(rbridge_world_forward(w, 2, f, len, &out), 1 << 3);
	assert_true(is_mac(&out, 0, M3));
	assert_true(is_mac(&out, 6, rbridge_world_mac(1, 3)));
	assert_int_equal(get_be32(out.octets + 12), 0x81000000u | TCI(6, 30));
	assert_int_equal(get_be32(out.octets + 20), 3u << 16 | 1);
	assert_true(is_mac(&out, 24, FAR));
	assert_true(is_mac(&out, 30, BRIDGE));
	assert_int_equal(get_be32(out.octets + 36), 0x81000000u | TCI(6, 5));
	check_transformed(TRILL_CNM_AT);
	assert_int_equal(stats_of(w, 2).cnm_transformed, 1);
	assert_int_equal(stats_of(w, 2).mode, 0);
	assert_int_equal(w->rb.native.fdb.entries, 0);
}

static void test_01_cnm_for_a_frame_ingressed_here_leaves_natively(void **state)
{
	struct rbridge_world *w = *state;

	learn_far(w, 0);
	assert_int_equal(rbridge_world_forward(w, 2, f, bridge_cnm(f, 1, 0x22f3, 64), &out), 1);
	assert_true(is_mac(&out, 0, FAR));
	assert_true(is_mac(&out, 6, BRIDGE));
	assert_int_equal(get_be32(out.octets + 12), 0x81000000u | TCI(6, 5));
	check_transformed(NATIVE_CNM);
	assert_int_equal(stats_of(w, 2).cnm_transformed, 1);
}

/* The bridge and the station can be on one hybrid link. */
static void test_01_cnm_may_leave_by_the_port_where_it_came(void **state)
{
	struct rbridge_world *w = *state;

	w->own[2].trill.mode = TRILL_HYBRID;
	rbridge_world_configure(w);
	learn_far(w, 2);
	assert_int_equal(rbridge_world_forward(w, 2, f, bridge_cnm(f, 1, 0x22f3, 64), &out),
			 1 << 2);
	assert_true(is_mac(&out, 0, FAR));
}

/* Of an aggregation, or with another port on the LAN: a bridge need not know the port. */
static void test_01_cnm_to_another_port_is_transformed(void **state)
{
	struct rbridge_world *w = *state;
	uint32_t len = bridge_cnm(f, 3, 0x22f3, 64);

	put_mac(f, rbridge_world_mac(1, 3));
	w->own[2].trill.mode = TRILL_HYBRID;
	rbridge_world_configure(w);
	assert_int_equal(rbridge_world_forward(w, 2, f, len, &out), 1 << 3);
	check_transformed(TRILL_CNM_AT);
	assert_int_equal(stats_of(w, 2).cnm_transformed, 1);
	assert_int_equal(w->rb.native.fdb.entries, 0);
}

static void test_02_cnm_for_a_control_frame_is_discarded(void **state)
{
	struct rbridge_world *w = *state;

	assert_int_equal(rbridge_world_forward(w, 2, f, bridge_cnm(f, 3, 0x22f4, 64), &out), 0);
	assert_int_equal(stats_of(w, 2).cnm_control, 1);
}

static void test_03_cnm_to_another_address_is_a_native_frame(void **state)
{
	struct rbridge_world *w = *state;
	uint32_t len = bridge_cnm(f, 3, 0x22f3, 64);

	put_mac(f, FAR);
	put_be16(f + 14, TCI(6, 5));
	rbridge_world_egress(w, 5, FAR, 3);
	rbridge_world_configure(w);
	assert_int_equal(rbridge_world_forward(w, 0, f, len, &out), 1 << 3);
	assert_int_equal(out.len, len + 24);
	assert_memory_equal(out.octets + 24, f, len);
	assert_int_equal(stats_of(w, 0).ingressed, 1);
	assert_int_equal(stats_of(w, 0).cnm_transformed, 0);
}

static void test_cnm_that_is_no_help_is_counted_by_reason(void **state)
{
	struct rbridge_world *w = *state;

	assert_int_equal(rbridge_world_forward(w, 2, f, bridge_cnm(f, 3, 0x22f3, 20), &out), 0);
	assert_int_equal(stats_of(w, 2).cnm_bad, 1); /* ends before the Inner.VLAN */
	assert_int_equal(rbridge_world_forward(w, 2, f, bridge_cnm(f, 3, 0x0800, 64), &out), 0);
	assert_int_equal(stats_of(w, 2).cnm_own, 1);
	assert_int_equal(rbridge_world_forward(w, 2, f, bridge_cnm(f, 99, 0x22f3, 64), &out), 0);
	assert_int_equal(stats_of(w, 2).unknown_nickname, 1);
	w->trill.nickname = 0;
	rbridge_world_configure(w);
	assert_int_equal(rbridge_world_forward(w, 2, f, bridge_cnm(f, 3, 0x22f3, 64), &out), 0);
	assert_int_equal(stats_of(w, 2).no_nickname, 1);
}

/* No TRILL frame leaves by an access port, and none of its CNPVs by an edge of their domain. */
static void test_forged_cnm_of_a_bridge_is_discarded(void **state)
{
	struct rbridge_world *w = *state;
	uint32_t len = bridge_cnm(f, 3, 0x22f3, 64);

	put_mac(f, rbridge_world_mac(1, 0));
	assert_int_equal(rbridge_world_forward(w, 0, f, len, &out), 0);
	assert_int_equal(stats_of(w, 0).forged_cnm, 1);
	len = bridge_cnm(f, 3, 0x22f3, 64);
	f[22 + CNM_PRIORITY_OFFSET] = 0; /* outer priority: none of the CNPVs; inner: one */
	set_mode(w, 2, CPT_EDGE);
	assert_int_equal(rbridge_world_forward(w, 2, f, len, &out), 0);
	assert_int_equal(stats_of(w, 2).forged_cnm, 1);
	f[22 + CNM_PRIORITY_OFFSET] = CNPV << 5;
	assert_int_equal(rbridge_world_forward(w, 2, f, len, &out), 0);
	assert_int_equal(w->ports[2]->stats.discard_cnm, 1);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_01_cnm_of_a_bridge_is_sent_to_the_ingress_rbridge),
	    TEST(test_01_cnm_for_a_frame_ingressed_here_leaves_natively),
	    TEST(test_01_cnm_may_leave_by_the_port_where_it_came),
	    TEST(test_01_cnm_to_another_port_is_transformed),
	    TEST(test_02_cnm_for_a_control_frame_is_discarded),
	    TEST(test_03_cnm_to_another_address_is_a_native_frame),
	    TEST(test_cnm_that_is_no_help_is_counted_by_reason),
	    TEST(test_forged_cnm_of_a_bridge_is_discarded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
