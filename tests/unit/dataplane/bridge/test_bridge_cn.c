/* SPDX-License-Identifier: BSD-3-Clause */
/* Congestion notification in the bridge: domain defense, and generation of CNMs. */
#include "dataplane/core/cnm.h"
#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "tests/unit/unit.h"
#include "tests/unit/vectors.h"
#include "tests/unit/world.h"

#include <string.h>

#define A    UINT64_C(0x020000000001)
#define B    UINT64_C(0x020000000002)
#define CNPV 3
#define SLOW 1 /* the port with the tested congestion point */

#define TCI(priority, vid) ((priority) << 13 | (vid))

static uint8_t f[WORLD_OCTETS + 100];
static struct world_frame out;

static int set_up(void **state)
{
	struct world *w = malloc(sizeof(*w));

	assert_non_null(w);
	world_init(w, 4, NULL);
	world_configure(w, 4, 1 << CNPV);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	assert_int_equal(w->bridge.ports.pool.n_free, w->bridge.ports.pool.size);
	world_free(w);
	free(w);
	return 0;
}

static struct port_stats stats_of(const struct world *w, unsigned port)
{
	struct port_stats stats;

	port_read(w->ports[port], &stats);
	return stats;
}

static struct cp_stats cp_of(const struct world *w, unsigned port, unsigned priority)
{
	struct cp_stats stats;

	port_read_cp(w->ports[port], priority, &stats);
	return stats;
}

/* world_frame() with a CN-TAG after the C-TAG; len includes the CN-TAG. */
static uint32_t cn_frame(uint8_t *octets, uint64_t da, uint64_t sa, int tci, int flow_id,
			 uint32_t len)
{
	uint32_t at = ETH_TYPE_OFFSET + (tci >= 0 ? ETH_TAG_OCTETS : 0);

	world_frame(octets, da, sa, tci, len - (flow_id >= 0 ? ETH_TAG_OCTETS : 0));
	if (flow_id < 0)
		return len;
	memmove(octets + at + ETH_TAG_OCTETS, octets + at, len - ETH_TAG_OCTETS - at);
	put_be16(octets + at, ETH_TYPE_CN_TAG);
	put_be16(octets + at + 2, (uint16_t)flow_id);
	return len;
}

/* --- domain defense --------------------------------------------------------- */

/* Sets the defense mode of one port, in force after the next world_configure(). */
static void set_mode(struct world *w, unsigned port, enum cn_defense_mode mode, uint8_t alternate)
{
	static struct port_config own[WORLD_PORTS][2];
	struct port_config *pc = &own[port][w->own[port] == &own[port][0]];

	*pc = w->port_config;
	pc->port_pri[CNPV] = (struct cn_port_pri_config){
	    .cnpd_def_mode_choice = CPC_ADMIN,
	    .cnpd_admin_defense_mode = (uint8_t)mode,
	    .cnpd_alternate_priority = alternate,
	};
	w->own[port] = pc;
}

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

/* --- congestion notification messages ------------------------------------- */

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
	slow = stats_of(w, SLOW);
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
	assert_int_equal(stats_of(w, SLOW).rx_frames, slow.rx_frames);
	assert_int_equal(stats_of(w, SLOW).rx_octets, slow.rx_octets);
	entries = w->bridge.fdb.entries;
	assert_int_equal(entries, 2);
	/* A CNM is VLAN-tagged in the PVID of the egress port too: it keeps its priority. */
	fast = stats_of(w, 0);
	w->ports[0]->base.settings.pvid = 9;
	assert_true(sample(w, CNPV, cn_frame(f, B, A, TCI(CNPV, 9), -1, 500), 0));
	assert_int_equal(eth_parse(out.octets, out.len, &view), ETH_OK);
	assert_true(view.tagged && view.cn_tagged && eth_is_cnm(&view));
	assert_int_equal(view.vid, 9);
	assert_int_equal(view.priority, 5);
	assert_int_equal(view.flow_id, 0);
	assert_int_equal(out.len, 64);
	assert_int_equal(stats_of(w, 0).tx_frames, fast.tx_frames + 1);
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
	assert_int_equal(stats_of(w, 0).discard_malformed, 1);
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
				assert_int_equal(stats_of(w, 2).discard_cnm, n);
			}
			/* Without a priority, the CNM is not for another one. */
			(void)world_forward(w, 2, f, tagged_cnm(tags[i], 7, CNM_PRIORITY_OFFSET),
					    &out);
			n += edge;
			assert_int_equal(stats_of(w, 2).discard_cnm, n);
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
	assert_int_equal(stats_of(&w, 0).discard_no_buffer, 1);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_defense_modes_remap_and_strip),
	    TEST(test_strips_cn_tag_at_end_of_frame),
	    TEST(test_regeneration_maps_nothing_to_cnpv),
	    TEST(test_mode_change_applies_to_next_frame),
	    TEST(test_mode_disabled_removes_cp),
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
