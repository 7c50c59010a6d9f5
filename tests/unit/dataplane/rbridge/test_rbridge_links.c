/* SPDX-License-Identifier: BSD-3-Clause */
/* Tree, next hops, modes and links of an RBridge: RBridge 1 of rbridge_world_campus(). */
#include "dataplane/core/pfc_pdu.h"
#include "dataplane/port/aggregate.h"
#include "lib/ranges.h"
#include "tests/unit/rbridge_campus.h"

/* --- the tree ------------------------------------------------------------------------------ */

static struct trill_text multi(uint16_t ingress, uint64_t sa)
{
	struct trill_text text = to_us(ingress);

	text.da = ALL;
	text.sa = sa;
	text.header = TRILL_MULTI | 10;
	text.inner_da = GROUP;
	return text;
}

static void test_group_is_sent_along_the_tree_and_to_local_ports(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = multi(4, M2);

	check_ports(w, 2, rbridge_world_trill(f, &text), 0xb);
	text.sa = rbridge_world_mac(1, 3);
	text.tci = TCI(3, 30);
	text.header = TRILL_MULTI | 9;
	check_out(rbridge_world_trill(expected, &text));
	assert_int_equal(stats_of(w, 2).transited, 1);
	assert_int_equal(stats_of(w, 2).egressed, 1);
	/* The source is behind RBridge 4 now: one frame to it, by either next hop. */
	rbridge_world_send(w, 0, f, native(f, FAR, A, TCI(0, 5)));
	rbridge_world_turn(w);
	assert_true(rbridge_world_recv(w, 2, &out) ^ rbridge_world_recv(w, 3, &out));
	assert_int_equal(get_be16(out.octets + 20), 4);
}

/* RBridge 4 is behind port 2 in the tree, though unicast frames use port 3 as well. */
static void test_reverse_path_is_that_of_the_tree(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = multi(4, M3);
	struct trill_nickname_stats nickname;

	check_ports(w, 3, rbridge_world_trill(f, &text), 0);
	assert_int_equal(stats_of(w, 3).rpf, 1);
	text = multi(4, M2); /* the right RBridge, but not by its link */
	check_ports(w, 3, rbridge_world_trill(f, &text), 0);
	assert_int_equal(stats_of(w, 3).rpf, 2);
	assert_true(rbridge_read_nickname(&w->rb, 4, &nickname));
	assert_int_equal(nickname.frames_from, 0);
	text = multi(3, M3);
	check_ports(w, 3, rbridge_world_trill(f, &text), 0x7);
	assert_true(rbridge_read_nickname(&w->rb, 3, &nickname));
	assert_int_equal(nickname.frames_from, 1);
}

static void test_last_hop_delivers_but_does_not_send_on(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = multi(2, M2);

	text.header = TRILL_MULTI | 1;
	check_ports(w, 2, rbridge_world_trill(f, &text), 0x3);
	assert_int_equal(stats_of(w, 2).malformed[TRILL_HOP_COUNT], 1);
	ranges_add(w->own[3].trill.pruned, 5); /* nothing to send on: nothing to count */
	rbridge_world_configure(w);
	check_ports(w, 2, rbridge_world_trill(f, &text), 0x3);
	assert_int_equal(stats_of(w, 2).malformed[TRILL_HOP_COUNT], 1);
}

static void test_link_that_is_down_has_no_frames_when_it_comes_up(void **state)
{
	struct rbridge_world *w = *state;
	struct port_stats stats;

	port_set_port_down(&w->rb.native.ports, w->ports[3], w->now);
	check_ports(w, 0, native(f, GROUP, A, TCI(0, 5)), 0x6);
	port_read(w->ports[3], &stats); /* nor is it a reason to count a loss */
	assert_int_equal(stats.discard_queue + stats.discard_no_buffer, 0);
	port_set_port_up(&w->rb.native.ports, w->ports[3], w->now);
	rbridge_world_turn(w);
	assert_false(rbridge_world_recv(w, 3, &out));
}

static void test_pruned_link_has_no_frames_of_the_vlan(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = multi(2, M2);

	ranges_add(w->own[3].trill.pruned, 5);
	rbridge_world_configure(w);
	check_ports(w, 2, rbridge_world_trill(f, &text), 0x3);
	check_ports(w, 0, native(f, GROUP, A, TCI(0, 5)), 0x6);
	check_ports(w, 0, native(f, GROUP, A, TCI(0, 6)), 0xe);
	/* A known address is not pruned. */
	rbridge_world_egress(w, 5, FAR, 3);
	rbridge_world_configure(w);
	check_ports(w, 0, native(f, FAR, A, TCI(0, 5)), 1 << 3);
}

/* The port may become the appointed forwarder; then the answer finds its way. */
static void test_sources_are_learned_in_vlans_without_a_port(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = multi(3, M3);

	ranges_add(w->own[0].trill.not_appointed, 5);
	ranges_add(w->own[1].trill.not_appointed, 5);
	rbridge_world_configure(w);
	check_ports(w, 3, rbridge_world_trill(f, &text), 1 << 2);
	assert_int_equal(w->rb.native.fdb.entries, 1);
	memset(w->own[0].trill.not_appointed, 0, VLAN_SET_OCTETS);
	rbridge_world_configure(w);
	check_ports(w, 0, native(f, FAR, A, TCI(0, 5)), 1 << 3);
}

/* --- next hops ------------------------------------------------------------------------------ */

#define FLOWS 64

/* Sends a frame of each flow to RBridge 4. Sets the port that each one left by. */
static void ports_of_flows(struct rbridge_world *w, unsigned port[FLOWS])
{
	for (unsigned i = 0; i < FLOWS; i++) {
		unsigned left =
		    rbridge_world_forward(w, 0, f, native(f, FAR, A + 256 * i, TCI(0, 5)), &out);

		port[i] = left == 4 ? 2 : left == 8 ? 3 : 0;
	}
}

static void test_next_hops_share_flows_and_take_over(void **state)
{
	struct rbridge_world *w = *state;
	unsigned before[FLOWS], after[FLOWS], share = 0;

	rbridge_world_egress(w, 5, FAR, 4);
	rbridge_world_configure(w);
	ports_of_flows(w, before);
	ports_of_flows(w, after);
	assert_memory_equal(before, after, sizeof(before));
	for (unsigned i = 0; i < FLOWS; i++) {
		assert_true(before[i] == 2 || before[i] == 3);
		share += before[i] == 2;
	}
	assert_in_range(share, FLOWS / 4, 3 * FLOWS / 4);
	port_set_port_down(&w->rb.native.ports, w->ports[2], w->now);
	ports_of_flows(w, after);
	for (unsigned i = 0; i < FLOWS; i++)
		assert_int_equal(after[i], 3);
	port_set_port_up(&w->rb.native.ports, w->ports[2], w->now);
	ports_of_flows(w, after);
	assert_memory_equal(before, after, sizeof(before));
}

/* A third way takes flows of the others; when it is gone each has its former way. */
static void test_lost_next_hop_moves_no_other_flow(void **state)
{
	struct rbridge_world *w = *state;
	unsigned two[FLOWS], three[FLOWS], moved = 0;

	rbridge_world_egress(w, 5, FAR, 4);
	rbridge_world_configure(w);
	ports_of_flows(w, two);
	w->own[1].trill.mode = TRILL_TRUNK;
	rbridge_world_hop(w, 1, 4, M2 + 1, false);
	rbridge_world_configure(w);
	ports_of_flows(w, three);
	for (unsigned i = 0; i < FLOWS; i++) {
		if (three[i] == 0)
			moved++; /* by port 1 */
		else
			assert_int_equal(three[i], two[i]);
	}
	assert_in_range(moved, FLOWS / 8, 5 * FLOWS / 8);
}

static void test_no_next_hop_up_is_counted(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	text.egress = 3;
	port_set_port_down(&w->rb.native.ports, w->ports[3], w->now);
	check_ports(w, 2, rbridge_world_trill(f, &text), 0);
	assert_int_equal(stats_of(w, 2).no_next_hop, 1);
	assert_int_equal(stats_of(w, 2).transited, 0);
}

/* A nickname without rows has no addresses and no counters. */
static void test_removed_nickname_is_forgotten(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(3);
	struct trill_nickname_stats stats;
	uint8_t mac[6] = {0x02, 0xdc, 0xb0, 0, 3, 0};

	check_ports(w, 2, rbridge_world_trill(f, &text), 0x3);
	check_ports(w, 0, native(f, FAR, A, TCI(0, 5)), 1 << 3);
	assert_true(rbridge_read_nickname(&w->rb, 3, &stats));
	assert_int_equal(stats.frames_from, 1);
	assert_int_equal(stats.learned, 1);
	trill_next_hop_drop(&w->own[3].trill_hops, 3, mac);
	rbridge_world_configure(w);
	assert_false(rbridge_read_nickname(&w->rb, 3, &stats));
	check_ports(w, 0, native(f, FAR, A, TCI(0, 5)), 0x6);
}

static void test_nicknames_removed_at_a_time_are_forgotten(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	for (uint16_t nickname = 2; nickname <= 4; nickname++) {
		text.ingress = nickname;
		text.inner_sa = FAR + nickname;
		check_ports(w, 2, rbridge_world_trill(f, &text), 0x3);
	}
	assert_int_equal(w->rb.native.fdb.entries, 3);
	w->own[2].trill_hops = (struct trill_next_hops){0};
	w->own[3].trill_hops = (struct trill_next_hops){0};
	rbridge_world_hop(w, 3, 4, M3, true);
	rbridge_world_configure(w);
	assert_int_equal(w->rb.native.fdb.entries, 1);
	check_ports(w, 0, native(f, FAR + 4, A, TCI(0, 5)), 1 << 3);
}

/* --- aggregation ----------------------------------------------------------------------------- */

/* A bridge knows an aggregation, not its links: it may send a frame to the other one. */
static void test_frame_for_another_link_of_the_aggregation_is_accepted(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	text.da = rbridge_world_mac(1, 3);
	check_dropped(w, &text, DROP(not_for_us));
	aggregate_join(w->ports[2], NULL);
	aggregate_join(w->ports[3], w->ports[2]);
	check_ports(w, 2, rbridge_world_trill(f, &text), 0x3);
	assert_int_equal(stats_of(w, 2).egressed, 1);
	text.sa = M3; /* in the rows of the other link */
	check_ports(w, 2, rbridge_world_trill(f, &text), 0x3);
	text.da = rbridge_world_mac(1, 1);
	check_dropped(w, &text, DROP(not_for_us));
}

/* --- modes, appointed forwarder -------------------------------------------------------------- */

static void test_access_port_takes_no_trill_frame(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	w->own[2].trill.mode = TRILL_ACCESS;
	rbridge_world_configure(w);
	check_dropped(w, &text, DROP(mode));
}

static void test_trunk_port_takes_no_native_frame(void **state)
{
	struct rbridge_world *w = *state;

	check_ports(w, 2, native(f, GROUP, A, TCI(0, 5)), 0);
	assert_int_equal(stats_of(w, 2).mode, 1);
	assert_int_equal(w->rb.native.fdb.entries, 0);
}

/* A hybrid port has both; a frame may leave by the link that it came from, in the other form. */
static void test_hybrid_port_has_native_and_trill_frames(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	w->own[2].trill.mode = TRILL_HYBRID;
	rbridge_world_configure(w);
	check_ports(w, 2, native(f, GROUP, A, TCI(0, 5)), 0xf);
	assert_int_equal(out.octets[5], 0x40);
	check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 2); /* A is there */
	check_out(native(expected, A, FAR, TCI(3, 5)));
}

static void test_other_forwarder_is_appointed_for_the_vlan(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	ranges_add(w->own[0].trill.not_appointed, 5);
	rbridge_world_configure(w);
	check_ports(w, 0, native(f, GROUP, A, TCI(0, 5)), 0);
	assert_int_equal(stats_of(w, 0).not_appointed, 1);
	check_ports(w, 0, native(f, GROUP, A, TCI(0, 6)), 0xe);
	check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 1);
	check_ports(w, 1, native(f, GROUP, B, TCI(0, 5)), 0xc);
}

/* --- frames that are never encapsulated ------------------------------------------------------ */

static void test_control_frames_are_never_encapsulated(void **state)
{
	struct rbridge_world *w = *state;
	uint32_t len = native(f, GROUP, A, TCI(0, 5));

	put_be16(f + 16, 0x22f4); /* L2-IS-IS */
	check_ports(w, 0, len, 0);
	put_be16(f + 16, 0x88cc); /* LLDP to an address that bridges forward */
	check_ports(w, 0, len, 0);
	put_be16(f + 16, 0x88a8); /* TRILL behind a tag that others remove */
	put_be16(f + 20, 0x22f3);
	check_ports(w, 0, len, 0);
	assert_int_equal(stats_of(w, 0).control, 3);
	check_ports(w, 0, native(f, UINT64_C(0x0180c2000041), A, TCI(0, 5)), 0);
	check_ports(w, 0, native(f, UINT64_C(0x0180c200004f), A, TCI(0, 5)), 0);
	assert_int_equal(stats_of(w, 0).control, 5);
	check_ports(w, 0, native(f, UINT64_C(0x0180c2000000), A, -1), 0); /* BPDU */
	check_ports(w, 0, native(f, UINT64_C(0x0180c200000e), A, -1), 0); /* LLDP */
	assert_int_equal(w->ports[0]->stats.discard_reserved, 2);
	check_ports(w, 0, native(f, UINT64_C(0x0180c2000030), A, TCI(0, 5)),
		    0xe); /* CFM: forwarded */
}

/* Nor decapsulated; those of other RBridges pass, such as ESADI (4.2.5). */
static void test_encapsulated_control_frames_pass_but_do_not_leave_natively(void **state)
{
	static const uint8_t isis[64] = {0x22, 0xf4};
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	text.msdu = isis;
	text.msdu_len = sizeof(isis);
	check_dropped(w, &text, DROP(control));
	text.egress = 3;
	check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 3);
	text = multi(2, M2);
	text.inner_da = UINT64_C(0x0180c2000042);
	text.msdu = isis;
	text.msdu_len = sizeof(isis);
	check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 3);
	text.msdu = NULL; /* by its address only */
	text.inner_da = UINT64_C(0x0180c200004f);
	check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 3);
	assert_int_equal(stats_of(w, 2).control, 3);
	assert_int_equal(stats_of(w, 2).transited, 3);
	assert_int_equal(stats_of(w, 2).egressed, 0);
	assert_int_equal(w->rb.native.fdb.entries, 0);
}

/* --- MTU, PFC, transit delay ----------------------------------------------------------------- */

static void set_mtu(struct rbridge_world *w, unsigned port, uint32_t mtu)
{
	w->ports[port]->base.link.mtu = mtu;
	port_take_link(w->ports[port]);
	port_set_port_changed(&w->rb.native.ports, w->ports[port], w->now);
}

/* A full native frame does not fit a link of 1500 octets when it is encapsulated: 24 are added. */
static void test_encapsulated_frame_fits_the_mtu(void **state)
{
	struct rbridge_world *w = *state;

	rbridge_world_egress(w, 5, FAR, 3);
	rbridge_world_configure(w);
	set_mtu(w, 3, 1500);
	check_ports(w, 0, world_frame(f, FAR, A, TCI(0, 5), 1518), 0);
	assert_int_equal(stats_of(w, 3).mtu, 1);
	check_ports(w, 0, world_frame(f, FAR, A, TCI(0, 5), 1518 - 23), 0);
	check_ports(w, 0, world_frame(f, FAR, A, TCI(0, 5), 1518 - 24), 1 << 3);
	assert_int_equal(out.len, 1518);
	assert_int_equal(stats_of(w, 3).mtu, 2);
	assert_int_equal(stats_of(w, 0).ingressed, 1);
	set_mtu(w, 3, 9000); /* jumbo */
	check_ports(w, 0, world_frame(f, FAR, A, TCI(0, 5), 1518), 1 << 3);
	assert_int_equal(out.len, 1518 + 24);
}

/* On the link a protected frame has no tag outside of it, for which the kernel has more room. */
static void test_protected_frame_fits_the_mtu(void **state)
{
	struct rbridge_world *w = *state;
	unsigned fits = 1514 - 24 - 32;

	rbridge_world_egress(w, 5, FAR, 3);
	rbridge_world_configure(w);
	w->ports[3]->link_octets = 32; /* SecTAG with SCI, ICV */
	set_mtu(w, 3, 1500);
	check_ports(w, 0, world_frame(f, FAR, A, TCI(0, 5), fits + 1), 0);
	assert_int_equal(stats_of(w, 3).mtu, 1);
	check_ports(w, 0, world_frame(f, FAR, A, TCI(0, 5), fits), 1 << 3);
	assert_int_equal(stats_of(w, 3).mtu, 1);
	assert_int_equal(stats_of(w, 0).ingressed, 1);
}

/* Transit and egress too: links differ. */
static void test_frame_received_encapsulated_fits_the_mtu(void **state)
{
	static const uint8_t msdu[1800] = {0x88, 0xb5};
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(2);

	text.msdu = msdu;
	text.msdu_len = sizeof(msdu);
	set_mtu(w, 3, 1500);
	set_mtu(w, 0, 1500);
	check_ports(w, 2, rbridge_world_trill(f, &text), 1 << 1);
	assert_int_equal(stats_of(w, 0).mtu, 1);
	text.egress = 3;
	check_ports(w, 2, rbridge_world_trill(f, &text), 0);
	assert_int_equal(stats_of(w, 3).mtu, 1);
}

#define LOSSLESS 3

/* Sends frames in transit, outer priority 3 and inner priority 1, to the slow port 3. */
static void fill_port_3(struct rbridge_world *w, unsigned frames)
{
	struct trill_text text = to_us(2);
	static const uint8_t msdu[1000] = {0x88, 0xb5};

	text.egress = 3;
	text.inner_tci = TCI(1, 5);
	text.msdu = msdu;
	text.msdu_len = sizeof(msdu);
	for (unsigned i = 0; i < frames; i++)
		rbridge_world_send(w, 2, f, rbridge_world_trill(f, &text));
	rbridge_world_turn(w);
}

static void slow_port_3(struct rbridge_world *w)
{
	w->ports[3]->base.settings.rate = dcb_rate_from_mbps(1);
	w->ports[2]->base.settings.pfc_buffer_octets = 40000;
	w->ports[2]->base.settings.pfc_headroom_octets = 10000;
	w->oper[2].pfc_enable = 1 << LOSSLESS;
	rbridge_world_configure(w);
}

/* The memory of a TRILL frame counts where it came in, by its outer priority. */
static void test_pfc_pauses_the_neighbor_by_the_outer_priority(void **state)
{
	struct rbridge_world *w = *state;
	struct buffer_stats buffer;
	struct pfc_stats stats;
	struct pfc_pdu pdu;

	slow_port_3(w);
	fill_port_3(w, 35);
	port_read_buffer(w->ports[2], LOSSLESS, &buffer);
	assert_true(buffer.lossless.octets > 30000);
	port_read_pfc(w->ports[2], LOSSLESS, &stats);
	assert_int_equal(stats.pfc_discards, 0);
	assert_true(rbridge_world_recv(w, 2, &out));
	assert_int_equal(pfc_pdu_decode(out.octets, out.len, &pdu), PFC_PDU_OK);
	assert_int_equal(pdu.enable, 1 << LOSSLESS);
	assert_true(pdu.time[LOSSLESS] > 0);
	port_read_buffer(w->ports[2], 1, &buffer);
	assert_int_equal(buffer.lossless.octets, 0);
	port_set_port_down(&w->rb.native.ports, w->ports[3], w->now);
	port_read_buffer(w->ports[2], LOSSLESS, &buffer);
	assert_int_equal(buffer.lossless.octets, 0);
}

/* A frame for several ports, with different outer headers or none, counts once. */
static void test_frame_for_several_ports_is_held_once(void **state)
{
	struct rbridge_world *w = *state;
	const struct buffer_account *held = &w->ports[2]->buffers.lossless[LOSSLESS];
	struct frame_pool *pool = &w->rb.native.ports.pool;
	struct trill_text text = multi(4, M2);
	uint32_t len;

	slow_port_3(w);
	text.tci = TCI(LOSSLESS, 20);
	len = rbridge_world_trill(f, &text);
	for (unsigned i = 0; i < 4; i++)
		if (i != 2)
			port_pause(w->ports[i], 0xff, w->now);
	for (unsigned i = 0; i < 10; i++)
		rbridge_world_send(w, 2, f, len);
	rbridge_world_turn(w);
	for (unsigned i = 0; i < 4; i++)
		if (i != 2) {
			assert_int_equal(held->held.octets, 10 * len);
			assert_true(held->held.frames >= 10);
			assert_int_equal(pool->size - pool->n_free, held->held.frames);
			port_flush(w->ports[i], pool);
			assert_int_equal(w->ports[i]->stats.discard_down, 10);
		}
	assert_int_equal(held->held.octets + held->held.frames, 0);
	assert_int_equal(pool->n_free, pool->size);
}

/* The queue is that of the outer priority, and so is the room in it without PFC. */
static void test_frame_waits_in_the_queue_of_its_outer_priority(void **state)
{
	struct rbridge_world *w = *state;
	struct buffer_stats stats;

	port_pause(w->ports[3], 1 << LOSSLESS, w->now);
	fill_port_3(w, 1);
	assert_false(rbridge_world_recv(w, 3, &out));
	port_read_buffer(w->ports[3], LOSSLESS, &stats);
	assert_int_equal(stats.lossy.frames, 1);
	port_pause(w->ports[3], 1 << 1, w->now);
	fill_port_3(w, 1);
	assert_true(rbridge_world_recv(w, 3, &out));
	assert_true(rbridge_world_recv(w, 3, &out));
}

/* 6.5.6: a frame that has waited too long is not sent. */
static void test_old_frame_is_discarded(void **state)
{
	struct rbridge_world *w = *state;
	unsigned sent = 0;

	slow_port_3(w);
	fill_port_3(w, 35);
	while (rbridge_world_recv(w, 3, &out))
		sent++;
	w->now.ns += 150 * DCB_NS_PER_MS;
	rbridge_world_turn(w);
	while (rbridge_world_recv(w, 3, &out))
		sent++;
	assert_int_equal(sent + w->ports[3]->stats.discard_transit, 35);
	assert_true(w->ports[3]->stats.discard_transit > 0);
}

/* --- ports ----------------------------------------------------------------------------------- */

static void test_detached_port_is_no_next_hop(void **state)
{
	struct rbridge_world *w = *state;

	rbridge_world_egress(w, 5, FAR, 4);
	rbridge_world_configure(w);
	w->n_ports = 3;
	rbridge_world_configure(w);
	for (unsigned i = 0; i < 16; i++)
		check_ports(w, 0, native(f, FAR, A + 256 * i, TCI(0, 5)), 1 << 2);
	check_ports(w, 0, native(f, GROUP, A, TCI(0, 5)), 0x6);
	w->n_ports = 4;
	rbridge_world_configure(w);
	check_ports(w, 0, native(f, GROUP, A, TCI(0, 5)), 0xe);
}

/* Another port with the same settings takes the place of a next hop. */
static void test_replaced_port_is_the_next_hop(void **state)
{
	struct rbridge_world *w = *state;
	struct soft_port *port = w->ports[2];
	struct netio *cable = w->cables[2];

	w->own[3] = w->own[2];
	w->n_ports = 3;
	rbridge_world_egress(w, 5, FAR, 2);
	rbridge_world_configure(w);
	w->ports[2] = w->ports[3];
	w->cables[2] = w->cables[3];
	w->ports[3] = port;
	w->cables[3] = cable;
	rbridge_world_configure(w);
	check_ports(w, 0, native(f, FAR, A, TCI(0, 5)), 1 << 2);
	check_ports(w, 0, native(f, GROUP, A, TCI(0, 5)), 0x6);
}

/* A port that comes again starts with counters of 0. */
static void test_counters_start_with_the_port(void **state)
{
	struct rbridge_world *w = *state;
	struct trill_text text = to_us(99);
	struct trill_port_stats stats;

	check_ports(w, 3, rbridge_world_trill(f, &text), 0);
	stats = stats_of(w, 3);
	assert_int_equal(sum_of(&stats), 1);
	w->n_ports = 3;
	rbridge_world_configure(w);
	w->n_ports = 4;
	rbridge_world_configure(w);
	stats = stats_of(w, 3);
	assert_int_equal(sum_of(&stats), 0);
}

/* Puts n addresses behind nicknames from first on. */
static void put_egresses(struct rbridge_world *w, uint32_t n, uint16_t first)
{
	for (uint32_t i = 0; i < n; i++)
		assert_true(trill_egress_put(
		    &w->config->trill_egress,
		    &(struct trill_egress){(uint64_t)1 << 48 | (i + 1), (uint16_t)(i + first)}));
}

/* More nicknames or static addresses than there is room for do not fit. */
static void test_too_many_nicknames_do_not_fit(void **state)
{
	struct rbridge_world *w = *state;

	put_egresses(w, 500, 100);
	assert_true(rbridge_fits(w->config, 1000));
	assert_false(rbridge_fits(w->config, 999));
	put_egresses(w, TRILL_EGRESS_MAX, 2);
	assert_true(rbridge_fits(w->config, 10000)); /* RBridges 2, 3 and 4 are among them */
	w->config->trill_egress.of[0].nickname = 5000;
	w->config->trill_egress.of[1].nickname = 5001;
	assert_false(rbridge_fits(w->config, 10000));
}

static void test_too_many_next_hops_do_not_fit(void **state)
{
	enum { FULL = NICKNAMES_HOPS_MAX / TRILL_NEXT_HOPS_MAX };
	struct dcb_config *config =
	    calloc(1, sizeof(*config) + (FULL + 1) * sizeof(config->ports[0]));
	struct port_config *pc = calloc(1, sizeof(*pc));

	(void)state;
	assert_non_null(config);
	assert_non_null(pc);
	pc->trill_hops.n = TRILL_NEXT_HOPS_MAX;
	for (uint32_t i = 0; i < TRILL_NEXT_HOPS_MAX; i++)
		pc->trill_hops.of[i].nickname = (uint16_t)(2 + i);
	for (unsigned p = 0; p <= FULL; p++)
		config->ports[p].config = pc;
	config->n_ports = FULL;
	assert_true(rbridge_fits(config, RBW_ADDRESSES));
	config->n_ports = FULL + 1;
	assert_false(rbridge_fits(config, RBW_ADDRESSES));
	free(config);
	free(pc);
}

UNIT_MAIN
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(test_group_is_sent_along_the_tree_and_to_local_ports),
	    TEST(test_frame_for_several_ports_is_held_once),
	    TEST(test_reverse_path_is_that_of_the_tree),
	    TEST(test_last_hop_delivers_but_does_not_send_on),
	    TEST(test_link_that_is_down_has_no_frames_when_it_comes_up),
	    TEST(test_pruned_link_has_no_frames_of_the_vlan),
	    TEST(test_sources_are_learned_in_vlans_without_a_port),
	    TEST(test_next_hops_share_flows_and_take_over),
	    TEST(test_lost_next_hop_moves_no_other_flow),
	    TEST(test_no_next_hop_up_is_counted),
	    TEST(test_removed_nickname_is_forgotten),
	    TEST(test_nicknames_removed_at_a_time_are_forgotten),
	    TEST(test_frame_for_another_link_of_the_aggregation_is_accepted),
	    TEST(test_access_port_takes_no_trill_frame),
	    TEST(test_trunk_port_takes_no_native_frame),
	    TEST(test_hybrid_port_has_native_and_trill_frames),
	    TEST(test_other_forwarder_is_appointed_for_the_vlan),
	    TEST(test_control_frames_are_never_encapsulated),
	    TEST(test_encapsulated_control_frames_pass_but_do_not_leave_natively),
	    TEST(test_encapsulated_frame_fits_the_mtu),
	    TEST(test_protected_frame_fits_the_mtu),
	    TEST(test_frame_received_encapsulated_fits_the_mtu),
	    TEST(test_pfc_pauses_the_neighbor_by_the_outer_priority),
	    TEST(test_frame_waits_in_the_queue_of_its_outer_priority),
	    TEST(test_old_frame_is_discarded),
	    TEST(test_detached_port_is_no_next_hop),
	    TEST(test_replaced_port_is_the_next_hop),
	    TEST(test_counters_start_with_the_port),
	    TEST(test_too_many_nicknames_do_not_fit),
	    TEST(test_too_many_next_hops_do_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
