/* SPDX-License-Identifier: BSD-3-Clause */
/* Congestion notification domains at the ports of a bridge: defense modes, CN-TAGs, priorities. */
#include <string.h>

#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "tests/unit/dataplane/bridge/bridge_cn.h"
#include "tests/unit/world.h"

struct passage {
	enum cn_defense_mode in, out;
	int tci;        /* of the received frame; below 0: untagged */
	int flow_id;    /* below 0: no CN-TAG */
	bool to_tagged; /* the egress port sends its VLAN tagged */
};

/* Checks a frame against the rules of 32.1, coded independently of the bridge. */
static void check_passage(struct world *w, const struct passage *p)
{
	uint8_t before = p->tci < 0 ? CNPV : (uint8_t)(p->tci >> 13);
	bool moved = before == CNPV && p->in == CPT_EDGE;
	uint8_t after = moved ? 1 : before;
	bool stripped = moved || (after == CNPV && (p->out == CPT_INTERIOR || p->out == CPT_EDGE));
	bool has_cp = after == CNPV && p->out != CPT_DISABLED;
	bool neighbor_has_it =
	    after == CNPV && (p->out == CPT_INTERIOR || p->out == CPT_INTERIOR_READY);
	uint64_t passed = cp_of(w, SLOW, CNPV).cp_transmitted_frames;
	int tci = p->to_tagged || neighbor_has_it ? TCI(after, 1) : -1;
	/* cn_frame() fills the payload by offset: both frames get the same payload by memset(). */
	uint8_t expected[400];
	uint32_t payload = 200, len;

	len = cn_frame(f, B, A, p->tci, p->flow_id,
		       payload + (p->tci >= 0 ? 4 : 0) + (p->flow_id >= 0 ? 4 : 0) + 14);
	memset(f + len - payload, 0x5a, payload);
	world_send(w, 0, f, len);
	world_turn(w);
	assert_true(world_recv(w, SLOW, &out));
	len = cn_frame(expected, B, A, tci, stripped ? -1 : p->flow_id,
		       payload + (tci >= 0 ? 4 : 0) + (p->flow_id >= 0 && !stripped ? 4 : 0) + 14);
	memset(expected + len - payload, 0x5a, payload);
	assert_int_equal(out.len, len);
	assert_memory_equal(out.octets, expected, len);
	assert_int_equal(cp_of(w, SLOW, CNPV).cp_transmitted_frames, passed + has_cp);
	while (world_recv(w, 2, &out) || world_recv(w, 3, &out))
		;
}

/* All ingress and egress modes, with and without C-TAG and CN-TAG, CNPV and other priorities. */
static void test_defense_modes_remap_and_strip(void **state)
{
	static const int tcis[] = {-1, TCI(CNPV, 0), TCI(CNPV, 1), TCI(5, 1), TCI(0, 0)};
	struct world *w = *state;
	unsigned passages = 0;

	w->ports[0]->base.settings.default_priority = CNPV;
	for (int in = CPT_DISABLED; in <= CPT_EDGE; in++) {
		for (int o = CPT_DISABLED; o <= CPT_EDGE; o++) {
			set_mode(w, 0, (enum cn_defense_mode)in, 1);
			set_mode(w, SLOW, (enum cn_defense_mode)o, 2);
			world_configure(w, 4, 1 << CNPV);
			for (unsigned i = 0; i < UNIT_COUNT(tcis) * 4; i++) {
				struct passage p = {(enum cn_defense_mode)in,
						    (enum cn_defense_mode)o, tcis[i / 4],
						    i & 1 ? 0x1234 : -1, i & 2};

				w->ports[SLOW]->base.settings.pvid_tagged = p.to_tagged;
				check_passage(w, &p);
				passages++;
			}
		}
	}
	assert_int_equal(passages, 320);
}

/* A CN-TAG at the end of a frame: only the EtherType follows it. */
static void test_strips_cn_tag_at_end_of_frame(void **state)
{
	struct world *w = *state;

	set_mode(w, SLOW, CPT_INTERIOR, 0);
	world_configure(w, 4, 1 << CNPV);
	cn_frame(f, B, A, TCI(CNPV, 5), 7, 22);
	world_send(w, 0, f, 22);
	world_turn(w);
	assert_true(world_recv(w, SLOW, &out));
	assert_int_equal(out.len, ETH_MIN_OCTETS);
	assert_int_equal(get_be16(out.octets + 14), TCI(CNPV, 5));
	assert_int_equal(get_be16(out.octets + 16), 0x88b5);
	while (world_recv(w, 2, &out) || world_recv(w, 3, &out))
		;
}

/* Returns the priority that a frame, received on port 0 with this one, leaves port SLOW with. */
static unsigned passes_as(struct world *w, int priority)
{
	w->ports[SLOW]->base.settings.pvid_tagged = true;
	world_send(w, 0, f, world_frame(f, B, A, TCI(priority, 1), 100));
	world_turn(w);
	while (world_recv(w, 2, &out) || world_recv(w, 3, &out))
		;
	assert_true(world_recv(w, SLOW, &out));
	return out.octets[14] >> 5;
}

/* 6.9.4, 32.1: regeneration maps no priority to a CNPV, unless its defense is disabled. */
static void test_regeneration_maps_nothing_to_cnpv(void **state)
{
	static const uint8_t table[DCB_PRIORITIES] = {1, 0, 3, 4, 4, 5, 6, 7};
	struct world *w = *state;

	w->ports[0]->base.settings.regenerates = true;
	memcpy(w->ports[0]->base.settings.regeneration, table, sizeof(table));
	set_mode(w, 0, CPT_INTERIOR, 7);
	world_configure(w, 4, 1 << CNPV);
	assert_int_equal(passes_as(w, 0), 1);
	assert_int_equal(passes_as(w, 2), 7);
	assert_int_equal(passes_as(w, 3), 3); /* never remapped */
	set_mode(w, 0, CPT_DISABLED, 7);
	world_configure(w, 4, 1 << CNPV);
	assert_int_equal(passes_as(w, 2), 3);
	assert_int_equal(passes_as(w, 3), 4);
	/* With cngMasterEnable FALSE all defense is disabled. */
	set_mode(w, 0, CPT_EDGE, 7);
	w->global.cng_master_enable = false;
	world_configure(w, 4, 1 << CNPV);
	for (int i = 0; i < 8; i++)
		assert_int_equal(passes_as(w, i), table[i]);
	w->global.cng_master_enable = true;
	world_configure(w, 4, 1 << CNPV);
	assert_int_equal(passes_as(w, 2), 7);
	assert_int_equal(passes_as(w, 3), 7);
}

/* A change of the mode, in a component or port row, applies to the next frame. */
static void test_mode_change_applies_to_next_frame(void **state)
{
	struct world *w = *state;

	assert_int_equal(passes_as(w, CNPV), CNPV); /* component: interior ready */
	w->com_pri[CNPV].cncp_admin_defense_mode = CPT_EDGE;
	w->com_pri[CNPV].cncp_alternate_priority = 6;
	world_configure(w, 4, 1 << CNPV);
	assert_int_equal(passes_as(w, CNPV), 6);
	w->com_pri[CNPV].cncp_alternate_priority = 0;
	world_configure(w, 4, 1 << CNPV);
	assert_int_equal(passes_as(w, CNPV), 0);
	w->com_pri[CNPV].cncp_def_mode_choice = CPC_AUTO;
	world_configure(w, 4, 1 << CNPV);
	assert_int_equal(passes_as(w, CNPV), 2); /* no neighbor: mode edge, cncpAutoAltPri */
	world_configure(w, 4, 1 << CNPV | 1 << 2);
	assert_int_equal(passes_as(w, CNPV), 1);
	set_mode(w, 0, CPT_INTERIOR, 0);
	world_configure(w, 4, 1 << CNPV);
	assert_int_equal(passes_as(w, CNPV), CNPV);
	w->own[0] = NULL;
	w->com_pri[CNPV].cncp_def_mode_choice = CPC_ADMIN;
	w->com_pri[CNPV].cncp_admin_defense_mode = CPT_DISABLED;
	world_configure(w, 4, 1 << CNPV);
	assert_int_equal(passes_as(w, CNPV), CNPV);
	assert_int_equal(w->ports[SLOW]->cn.map.cnpv, 0);
}

/* Mode disabled removes the congestion point; another mode creates a new one. */
static void test_mode_disabled_removes_cp(void **state)
{
	struct world *w = *state;

	w->ports[SLOW]->base.settings.rate.bps = 1000;
	passes_as(w, CNPV);
	world_send(w, 0, f, world_frame(f, B, A, TCI(CNPV, 1), 100));
	world_turn(w);
	assert_int_equal(cp_of(w, SLOW, CNPV).cp_qlen, 100);
	set_mode(w, SLOW, CPT_DISABLED, 0);
	world_configure(w, 4, 1 << CNPV);
	assert_int_equal(cp_of(w, SLOW, CNPV).cp_qlen, 0);
	set_mode(w, SLOW, CPT_EDGE, 0);
	world_configure(w, 4, 1 << CNPV);
	assert_int_equal(cp_of(w, SLOW, CNPV).cp_qlen, 100);
	port_set_port_down(&w->bridge.ports, w->ports[SLOW], w->now);
	while (world_recv(w, 2, &out) || world_recv(w, 3, &out))
		;
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_defense_modes_remap_and_strip),
	    TEST(test_strips_cn_tag_at_end_of_frame),
	    TEST(test_regeneration_maps_nothing_to_cnpv),
	    TEST(test_mode_change_applies_to_next_frame),
	    TEST(test_mode_disabled_removes_cp),
	};

	return cmocka_run_group_tests_name("bridge_cn", tests, NULL, NULL);
}
