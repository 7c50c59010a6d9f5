/* SPDX-License-Identifier: BSD-3-Clause */
/* The PFC initiators of a bridge: received frames, receive buffer and sent PFC frames. */
#include "dataplane/core/pfc_pdu.h"
#include "dataplane/port/port_pfc_tx.h"
#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#include <errno.h>
#include <string.h>

#define A UINT64_C(0x020000000001)
#define B UINT64_C(0x020000000002)
#define C UINT64_C(0x020000000003)

#define TCI(priority, vid) ((priority) << 13 | (vid))

#define PRIORITY 3
#define LEN      1000
#define BUFFER   40000
#define HEADROOM 10000
#define LONGEST  (WORLD_OCTETS + ETH_TAG_OCTETS)
#define XOFF     (BUFFER - HEADROOM - LONGEST)
#define TRANSIT  (100 * DCB_NS_PER_MS)

/* Ports 0 and 1 receive. B was learned on port 2, which sends slowly. */
static const struct bridge_params params = {
    .frame_buffers = 4096,
    .frame_octets = WORLD_OCTETS,
    .fdb_entries = 1000,
    .fdb_ageing_s = 300,
    .transit_ns = TRANSIT,
    .seed = 1,
};

static void adopt_pfc(struct world *w, struct pfc_config pfc)
{
	static struct port_config configs[2];
	static unsigned turn;
	struct port_config *config = &configs[++turn % 2]; /* an equal pointer is not a change */

	*config = w->port_config;
	config->pfc = pfc;
	for (unsigned i = 0; i < w->n_ports; i++)
		w->own[i] = config;
	world_configure(w, w->n_ports, 0);
}

static void adopt(struct world *w, uint8_t enable)
{
	adopt_pfc(w, (struct pfc_config){.enable = enable});
}

static void receive(struct world *w, unsigned port, unsigned priority, unsigned n)
{
	uint8_t f[WORLD_OCTETS];

	for (unsigned i = 0; i < n; i++) {
		uint32_t len = world_frame(f, B, port ? C : A, TCI((int)priority, 1), LEN);

		bridge_receive(&w->bridge, w->ports[port], f, len, len, w->now);
	}
}

static int set_up(void **state)
{
	struct world *w = malloc(sizeof(*w));
	uint8_t f[WORLD_OCTETS];

	assert_non_null(w);
	world_init(w, 4, &params);
	for (unsigned i = 0; i < 4; i++) {
		struct port_settings *settings = &w->ports[i]->base.settings;

		settings->pvid_tagged = true;
		settings->rate = dcb_rate_from_mbps(i == 2 ? 10 : 10000);
		settings->pfc_buffer_octets = BUFFER;
		settings->pfc_headroom_octets = HEADROOM;
	}
	adopt(w, 1 << PRIORITY);
	world_send(w, 2, f, world_frame(f, A, B, TCI(0, 1), 100));
	world_turn(w);
	for (unsigned i = 0; i < 4; i++) {
		struct world_frame out;

		while (world_recv(w, i, &out))
			;
	}
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < 4; i++)
		port_flush(w->ports[i], &w->bridge.ports.pool);
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned p = 0; p < DCB_PRIORITIES; p++)
			assert_int_equal(w->ports[i]->buffers.lossless[p].held.octets, 0);
		assert_int_equal(w->ports[i]->queues.filled, 0);
	}
	assert_int_equal(w->bridge.ports.pool.n_free, w->bridge.ports.pool.size);
	world_free(w);
	free(w);
	return 0;
}

/* The next sent frame is PFC with these priorities; "paused": those with a time other than 0. */
static void assert_pfc(struct world *w, unsigned port, uint8_t enable, uint8_t pause)
{
	struct world_frame out;
	struct pfc_pdu pdu;
	uint8_t mac[ETH_ADDR_OCTETS];

	assert_true(world_recv(w, port, &out));
	assert_int_equal(pfc_pdu_decode(out.octets, out.len, &pdu), PFC_PDU_OK);
	port_mac(w->ports[port], mac);
	assert_memory_equal(pdu.source, mac, sizeof(mac));
	assert_int_equal(pdu.enable, enable);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		assert_int_equal(pdu.time[i] != 0, pause >> i & 1);
}

static void assert_silent(struct world *w, unsigned port)
{
	struct world_frame out;

	assert_false(world_recv(w, port, &out));
}

static struct pfc_stats stats_of(const struct world *w, unsigned port, unsigned priority)
{
	struct pfc_stats stats;

	port_read_pfc(w->ports[port], priority, &stats);
	return stats;
}

static struct buffer_stats buffer_of(const struct world *w, unsigned port, unsigned priority)
{
	struct buffer_stats stats;

	port_read_buffer(w->ports[port], priority, &stats);
	return stats;
}

/* Advances time until the queue of port 2 has this many frames. Returns the frames sent. */
static unsigned drain(struct world *w, unsigned left)
{
	unsigned sent = 0;

	for (;;) {
		struct world_frame out;
		struct dcb_time next = world_turn(w);

		while (world_recv(w, 2, &out))
			sent++;
		if (w->ports[2]->queues.queue[PRIORITY].frames <= left)
			return sent;
		assert_true(next.ns < w->now.ns + DCB_NS_PER_S);
		w->now = next;
	}
}

static void test_sends_xoff_and_xon(void **state)
{
	struct world *w = *state;
	struct buffer_stats buffer;
	struct pfc_stats stats;
	unsigned n = (XOFF + LEN - 1) / LEN;
	uint64_t refreshed;
	struct dcb_time paused;

	receive(w, 0, PRIORITY, n - 1);
	assert_false(w->bridge.ports.pfc_is_due);
	receive(w, 0, PRIORITY, 1);
	assert_true(w->bridge.ports.pfc_is_due);
	assert_int_equal(buffer_of(w, 0, PRIORITY).lossless.octets, n * LEN);
	world_turn(w);
	paused = w->now;
	assert_pfc(w, 0, 1 << PRIORITY, 1 << PRIORITY);
	assert_silent(w, 0);
	assert_silent(w, 1);
	/* One frame was sent: there is room for another one. */
	receive(w, 0, PRIORITY, 1 + (BUFFER - n * LEN) / LEN);
	assert_int_equal(stats_of(w, 0, PRIORITY).pfc_discards, 0);
	receive(w, 0, PRIORITY, 1);
	stats = stats_of(w, 0, PRIORITY);
	assert_int_equal(stats.pfc_discards, 1);
	buffer = buffer_of(w, 0, PRIORITY);
	assert_int_equal(buffer.lossless.octets, BUFFER);
	assert_int_equal(buffer.lossless.peak_octets, BUFFER);
	assert_int_equal(buffer.lossless.threshold_octets, XOFF);
	assert_int_equal(buffer.xon_octets, XOFF - 2 * LONGEST);
	assert_int_equal(buffer_of(w, 0, 0).lossless.threshold_octets, 0);
	drain(w, (XOFF - 2 * LONGEST) / LEN + 2);
	refreshed = stats_of(w, 0, PRIORITY).pfc_requests - 1;
	assert_int_equal(refreshed, (w->now.ns - paused.ns) / 1677721);
	for (unsigned i = 0; i < refreshed; i++)
		assert_pfc(w, 0, 1 << PRIORITY, 1 << PRIORITY);
	assert_silent(w, 0);
	drain(w, (XOFF - 2 * LONGEST) / LEN);
	if (stats_of(w, 0, PRIORITY).pfc_requests == refreshed + 3)
		assert_pfc(w, 0, 1 << PRIORITY, 1 << PRIORITY);
	assert_pfc(w, 0, 1 << PRIORITY, 0);
	stats = stats_of(w, 0, PRIORITY);
	assert_int_equal(stats.pfc_pause_sent_us, (w->now.ns - paused.ns) / 1000);
	assert_int_equal(stats.pfc_requests, world_stats(w, 0).pfc_frames_sent);
	drain(w, 0);
	assert_silent(w, 0);
	assert_int_equal(world_stats(w, 2).tx_frames, n + 1 + (BUFFER - n * LEN) / LEN);
	assert_int_equal(buffer_of(w, 0, PRIORITY).lossless.octets, 0);
}

/* Where PFC is not in force, the lossless pool of the others is no limit. */
static void test_lossless_limits_are_those_of_priorities_with_pfc(void **state)
{
	struct world *w = *state;
	struct buffer_stats stats;

	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		port_read_buffer(w->ports[0], i, &stats);
		assert_int_equal(stats.lossless.threshold_octets > 0, i == PRIORITY);
		assert_int_equal(stats.lossless.threshold_frames > 0, i == PRIORITY);
		assert_true(stats.lossy.threshold_frames > 0);
	}
	port_set_port_down(&w->bridge.ports, w->ports[0], w->now);
	port_read_buffer(w->ports[0], PRIORITY, &stats);
	assert_int_equal(stats.lossless.threshold_frames + stats.lossy.threshold_frames, 0);
}

/* The pool has less free than the port may hold: pfc.xon is still the number of octets. */
static void test_configured_xon_is_not_lowered_with_the_threshold(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < w->n_ports; i++) {
		w->ports[i]->base.settings.pfc_buffer_octets = 0;
		w->ports[i]->base.settings.buffer_octets = 400000;
		w->ports[i]->base.settings.pfc_xon_octets = 30 * LEN;
	}
	w->port_config.buffer[PRIORITY].alpha_lossless = -5;
	adopt(w, 1 << PRIORITY);
	world_turn(w);
	assert_in_range(buffer_of(w, 0, PRIORITY).lossless.threshold_octets, 110000, 150000);
	assert_int_equal(buffer_of(w, 0, PRIORITY).xon_octets, 30 * LEN);
	while (!w->bridge.ports.pfc_is_due)
		receive(w, 0, PRIORITY, 1);
	drain(w, 31);
	assert_int_equal(w->ports[0]->pfc.tx.paused, 1 << PRIORITY);
	drain(w, 30);
	assert_int_equal(w->ports[0]->pfc.tx.paused, 0);
}

/* A sent PFC frame counts as a frame sent by the port. */
static void test_pfc_frames_are_counted(void **state)
{
	struct world *w = *state;
	struct port_stats before = world_stats(w, 0), after;

	receive(w, 0, PRIORITY, 40);
	world_turn(w);
	assert_pfc(w, 0, 1 << PRIORITY, 1 << PRIORITY);
	assert_silent(w, 0);
	after = world_stats(w, 0);
	assert_int_equal(after.pfc_frames_sent, before.pfc_frames_sent + 1);
	assert_int_equal(after.tx_frames, before.tx_frames + 1);
	assert_int_equal(after.tx_octets, before.tx_octets + PFC_FRAME_OCTETS);
	assert_int_equal(after.tx_errors, before.tx_errors);
	assert_int_equal(stats_of(w, 0, PRIORITY).pfc_requests, 1);
}

static struct pfc_port_stats control_of(const struct world *w, unsigned port)
{
	struct pfc_port_stats stats;

	port_read_pfc_port(w->ports[port], &stats);
	return stats;
}

/*
 * 802.3 30.3.3.3, 30.3.4.2: MAC control frames count when the interface accepted them, PAUSE
 * frames by their opcode. Only the initiator sends any, and it sends no PAUSE.
 */
static void test_sent_mac_control_frames_are_counted_by_opcode(void **state)
{
	struct world *w = *state;
	uint8_t octets[PFC_FRAME_OCTETS];
	struct pfc_pdu pdu = {.source = {2}};
	struct port_stats before;
	struct world_frame out;
	int error;

	receive(w, 0, PRIORITY, (XOFF + LEN - 1) / LEN);
	world_turn(w);
	drain(w, 0);
	assert_pfc(w, 0, 1 << PRIORITY, 1 << PRIORITY);
	assert_int_equal(control_of(w, 0).control_sent, world_stats(w, 0).pfc_frames_sent);
	assert_true(control_of(w, 0).control_sent >= 2);
	assert_int_equal(control_of(w, 0).pause_sent, 0);
	assert_int_equal(control_of(w, 1).control_sent, 0);
	assert_int_equal(control_of(w, 2).control_sent, 0);

	before = world_stats(w, 1);
	pfc_pdu_encode(&pdu, octets);
	put_be16(octets + ETH_HEADER_OCTETS, PFC_OPCODE_PAUSE);
	assert_true(port_send_mac_control(w->ports[1], octets, w->now, &error));
	assert_int_equal(error, 0);
	assert_true(world_recv(w, 1, &out));
	assert_int_equal(control_of(w, 1).control_sent, 1);
	assert_int_equal(control_of(w, 1).pause_sent, 1);
	assert_int_equal(world_stats(w, 1).tx_frames, before.tx_frames + 1);
	assert_int_equal(world_stats(w, 1).tx_octets, before.tx_octets + PFC_FRAME_OCTETS);
	assert_int_equal(world_stats(w, 1).pfc_frames_sent, 0);

	put_be16(octets + ETH_HEADER_OCTETS, 0x0102);
	assert_true(port_send_mac_control(w->ports[1], octets, w->now, &error));
	assert_int_equal(control_of(w, 1).control_sent, 2);
	assert_int_equal(control_of(w, 1).pause_sent, 1);
}

/* Each link has its own buffer; priorities without PFC are not affected. */
static void test_links_have_separate_buffers(void **state)
{
	struct world *w = *state;

	w->ports[2]->base.settings.buffer_octets = 10000;
	adopt(w, 1 << PRIORITY);
	receive(w, 0, PRIORITY, 20);
	receive(w, 1, PRIORITY, 40);
	receive(w, 1, 0, 40);
	assert_int_equal(stats_of(w, 0, PRIORITY).pfc_discards, 0);
	assert_int_equal(stats_of(w, 1, PRIORITY).pfc_discards, 0);
	assert_in_range(world_stats(w, 2).discard_queue, 1, 30);
	world_turn(w);
	assert_silent(w, 0);
	assert_pfc(w, 1, 1 << PRIORITY, 1 << PRIORITY);
	assert_int_equal(buffer_of(w, 1, 0).lossless.octets, 0);
}

/* PFC frames pause the received priority, not the regenerated one. */
static void test_pauses_received_priority(void **state)
{
	struct world *w = *state;
	struct port_settings *settings = &w->ports[0]->base.settings;

	settings->regenerates = true;
	for (uint8_t i = 0; i < DCB_PRIORITIES; i++)
		settings->regeneration[i] = 5;
	adopt(w, 1 << PRIORITY);
	receive(w, 0, PRIORITY, 40);
	receive(w, 0, 5, 1);
	assert_int_equal(buffer_of(w, 0, PRIORITY).lossless.octets, 40 * LEN);
	assert_int_equal(w->ports[2]->queues.queue[5].frames, 41);
	world_turn(w);
	assert_pfc(w, 0, 1 << PRIORITY, 1 << PRIORITY);
}

static void test_disabling_pfc_sends_xon(void **state)
{
	struct world *w = *state;

	receive(w, 0, PRIORITY, 40);
	world_turn(w);
	assert_pfc(w, 0, 1 << PRIORITY, 1 << PRIORITY);
	adopt(w, 0);
	world_turn(w);
	assert_pfc(w, 0, 1 << PRIORITY, 0);
	world_turn(w);
	assert_silent(w, 0);
	receive(w, 0, PRIORITY, 40);
	assert_int_equal(w->ports[2]->buffers.lossy[PRIORITY].held.octets, 40 * LEN);
	drain(w, 0);
	assert_silent(w, 0);
}

/* The neighbor of port 2 pauses PRIORITY for the longest time. */
static void indicate(struct world *w, uint16_t quanta)
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 0, 2}, .enable = 1 << PRIORITY};
	uint8_t f[PFC_FRAME_OCTETS];

	pdu.time[PRIORITY] = quanta;
	pfc_pdu_encode(&pdu, f);
	bridge_receive(&w->bridge, w->ports[2], f, sizeof(f), sizeof(f), w->now);
}

static void pause_egress(struct world *w)
{
	indicate(w, UINT16_MAX);
}

static void resume_egress(struct world *w)
{
	indicate(w, 0);
}

static unsigned sent_by_egress(struct world *w)
{
	struct world_frame out;
	unsigned n = 0;

	world_turn(w);
	while (world_recv(w, 2, &out))
		n++;
	return n;
}

/* What arrives is charged as that of any lossy priority: no XOFF, no headroom. */
static void test_receive_only_obeys_and_sends_none(void **state)
{
	struct world *w = *state;

	adopt_pfc(w, (struct pfc_config){.enable = 1 << PRIORITY, .receive_only = 1 << PRIORITY});
	pause_egress(w);
	receive(w, 0, PRIORITY, 40);
	assert_int_equal(sent_by_egress(w), 0);
	assert_int_equal(stats_of(w, 2, PRIORITY).pfc_paused, 1);
	assert_silent(w, 0);
	assert_int_equal(stats_of(w, 0, PRIORITY).pfc_requests, 0);
	assert_int_equal(buffer_of(w, 0, PRIORITY).lossless.threshold_octets, 0);
	assert_int_equal(buffer_of(w, 0, PRIORITY).lossless.octets, 0);
	assert_int_equal(w->ports[2]->buffers.lossy[PRIORITY].held.octets, 40 * LEN);
}

static void test_transmit_only_sends_and_is_not_paused(void **state)
{
	struct world *w = *state;

	adopt_pfc(w, (struct pfc_config){.enable = 1 << PRIORITY, .transmit_only = 1 << PRIORITY});
	pause_egress(w);
	receive(w, 0, PRIORITY, 40);
	assert_int_equal(sent_by_egress(w), 1);
	assert_int_equal(stats_of(w, 2, PRIORITY).pfc_paused, 0);
	assert_int_equal(stats_of(w, 2, PRIORITY).pfc_indications, 1);
	assert_pfc(w, 0, 1 << PRIORITY, 1 << PRIORITY);
}

/* The neighbor that was paused is not, and a pause that was obeyed ends. */
static void test_direction_changes_while_both_ends_are_paused(void **state)
{
	struct world *w = *state;

	pause_egress(w);
	receive(w, 0, PRIORITY, 40);
	assert_int_equal(sent_by_egress(w), 0);
	assert_pfc(w, 0, 1 << PRIORITY, 1 << PRIORITY);
	adopt_pfc(w, (struct pfc_config){.enable = 1 << PRIORITY, .receive_only = 1 << PRIORITY});
	assert_int_equal(sent_by_egress(w), 0);
	assert_pfc(w, 0, 1 << PRIORITY, 0);
	assert_int_equal(stats_of(w, 2, PRIORITY).pfc_paused, 1);
	adopt_pfc(w, (struct pfc_config){.enable = 1 << PRIORITY, .transmit_only = 1 << PRIORITY});
	assert_int_equal(sent_by_egress(w), 1);
	assert_int_equal(stats_of(w, 2, PRIORITY).pfc_paused, 0);
}

static void pass(struct world *w, int64_t ns)
{
	struct dcb_time end = dcb_time_add_ns(w->now, ns), next = world_turn(w);

	while (dcb_time_before(next, end)) {
		w->now = next;
		next = world_turn(w);
	}
	w->now = end;
	world_turn(w);
}

/* A pause counts whole in the interval in which it ends, and so far in those in which it lasts. */
static void test_peaks_of_intervals(void **state)
{
	struct world *w = *state;
	struct port_peaks peaks = {0};
	struct pfc_peaks is[DCB_PRIORITIES];

	w->ports[2]->peaks = &peaks;
	port_take_peaks(w->ports[2], is);
	pause_egress(w);
	receive(w, 0, PRIORITY, 10);
	pass(w, 2 * DCB_NS_PER_MS);
	pause_egress(w); /* again, while it is paused */
	pass(w, DCB_NS_PER_MS);
	port_take_peaks(w->ports[2], is);
	assert_in_range(is[PRIORITY].longest_ns, 2 * DCB_NS_PER_MS, 3 * DCB_NS_PER_MS);
	assert_int_equal(is[PRIORITY].queue_octets, 10 * LEN);
	assert_int_equal(is[PRIORITY + 1].longest_ns + is[PRIORITY + 1].queue_octets, 0);
	receive(w, 0, PRIORITY, 2);
	pass(w, 2 * DCB_NS_PER_MS);
	resume_egress(w);
	pass(w, 100 * DCB_NS_PER_MS);
	port_take_peaks(w->ports[2], is);
	assert_int_equal(is[PRIORITY].longest_ns, 5 * DCB_NS_PER_MS);
	assert_int_equal(is[PRIORITY].queue_octets, 12 * LEN);
	pass(w, DCB_NS_PER_MS);
	port_take_peaks(w->ports[2], is);
	assert_int_equal(is[PRIORITY].longest_ns + is[PRIORITY].queue_octets, 0);
	/* A second pause does not count with the first one. */
	for (unsigned i = 0; i < 2; i++) {
		pause_egress(w);
		pass(w, 3 * DCB_NS_PER_MS);
		resume_egress(w);
		pass(w, DCB_NS_PER_MS);
	}
	port_take_peaks(w->ports[2], is);
	assert_int_equal(is[PRIORITY].longest_ns, 3 * DCB_NS_PER_MS);
	w->ports[2]->peaks = NULL;
}

static void test_link_up_sends_xoff_again(void **state)
{
	struct world *w = *state;

	receive(w, 0, PRIORITY, 40);
	world_turn(w);
	assert_pfc(w, 0, 1 << PRIORITY, 1 << PRIORITY);
	port_set_port_down(&w->bridge.ports, w->ports[0], w->now);
	world_turn(w);
	assert_silent(w, 0);
	assert_false(w->bridge.ports.pfc_is_due);
	port_set_port_up(&w->bridge.ports, w->ports[0], w->now);
	assert_true(w->bridge.ports.pfc_is_due); /* the peer lost its pause state */
	world_turn(w);
	assert_pfc(w, 0, 1 << PRIORITY, 1 << PRIORITY);
	/* The egress port goes down and discards the frames. */
	port_set_port_down(&w->bridge.ports, w->ports[2], w->now);
	assert_int_equal(buffer_of(w, 0, PRIORITY).lossless.octets, 0);
	world_turn(w);
	assert_pfc(w, 0, 1 << PRIORITY, 0);
	port_set_port_up(&w->bridge.ports, w->ports[2], w->now);
}

static struct netio_sent send_fails(struct netio *io, const struct iovec *frames, unsigned n,
				    struct dcb_time now)
{
	(void)io;
	(void)frames;
	(void)n;
	(void)now;
	return (struct netio_sent){.error = ENETDOWN};
}

/* An error on sending a PFC frame takes the port down, as for other frames. */
static void test_send_error_takes_port_down(void **state)
{
	static const struct netio_ops ops = {.name = "failing", .send = send_fails};
	struct world *w = *state;
	struct netio failing = {.ops = &ops}, *io = w->ports[0]->io;

	receive(w, 0, PRIORITY, 40);
	w->ports[0]->io = &failing;
	port_set_transmit(&w->bridge.ports, w->now);
	w->ports[0]->io = io;
	assert_false(w->ports[0]->up);
	assert_int_equal(world_stats(w, 0).pfc_frames_sent, 0);
	world_turn(w);
	assert_silent(w, 0);
}

/* A detached port sends XON; its frames stay queued and count in the egress port's buffer. */
static void test_detached_port_sends_xon(void **state)
{
	struct world *w = *state;

	receive(w, 3, PRIORITY, 40);
	world_turn(w);
	assert_pfc(w, 3, 1 << PRIORITY, 1 << PRIORITY);
	world_configure(w, 3, 0);
	assert_pfc(w, 3, 1 << PRIORITY, 0);
	assert_int_equal(w->ports[2]->buffers.lossy[PRIORITY].held.octets,
			 w->ports[2]->queues.queue[PRIORITY].octets);
	assert_int_equal(w->ports[3]->buffers.lossless[PRIORITY].held.octets, 0);
	assert_int_equal(drain(w, 0), 40);
	assert_null(w->bridge.ports.pfc_tx_pending);
}

/* 36.2.5: also discards frames that are paused, or that the interface does not accept. */
static void test_discards_frames_after_transit_delay(void **state)
{
	struct world *w = *state;
	struct dcb_time start = w->now, next;

	w->ports[2]->blocked = true;
	receive(w, 0, PRIORITY, 40);
	receive(w, 0, 6, 5);
	next = world_turn(w);
	assert_pfc(w, 0, 1 << PRIORITY, 1 << PRIORITY);
	w->now.ns = start.ns + TRANSIT / 2;
	receive(w, 0, 6, 5);
	world_turn(w);
	w->now.ns = start.ns + TRANSIT - 1;
	next = world_turn(w);
	assert_int_equal(next.ns, start.ns + TRANSIT);
	assert_int_equal(world_stats(w, 2).discard_transit, 0);
	w->now = next;
	next = world_turn(w);
	assert_int_equal(world_stats(w, 2).discard_transit, 45);
	assert_int_equal(w->ports[2]->queues.queue[6].frames, 5);
	assert_int_equal(next.ns, start.ns + TRANSIT + TRANSIT / 2);
	w->now = next;
	world_turn(w);
	assert_int_equal(world_stats(w, 2).discard_transit, 50);
	assert_int_equal(world_stats(w, 2).discard_late[6], 0);
	assert_int_equal(w->ports[2]->queues.filled, 0);
	while (stats_of(w, 0, PRIORITY).pfc_requests > 2) { /* the pause was refreshed */
		assert_pfc(w, 0, 1 << PRIORITY, 1 << PRIORITY);
		w->ports[0]->pfc.stats[PRIORITY].pfc_requests--;
	}
	assert_pfc(w, 0, 1 << PRIORITY, 0);
	w->ports[2]->blocked = false;
}

/*
 * 36.2.5 also discards what a port is too slow for. Such frames are counted by priority;
 * those of a paused priority are not: the pause is the reason.
 */
static void test_counts_frames_too_old_without_a_pause(void **state)
{
	struct world *w = *state;
	struct port_stats stats;

	w->ports[2]->base.settings.rate = (struct dcb_rate){8000};
	port_pause(w->ports[2], 1 << PRIORITY, w->now);
	receive(w, 0, PRIORITY, 3);
	receive(w, 0, 6, 5);
	receive(w, 0, 5, 4);
	world_turn(w);
	w->now.ns += TRANSIT;
	world_turn(w);
	stats = world_stats(w, 2);
	assert_true(stats.discard_late[6] > 0);
	assert_true(stats.discard_late[6] < 5); /* the first was sent at once */
	assert_int_equal(stats.discard_late[5], 4);
	assert_int_equal(stats.discard_late[PRIORITY], 0);
	assert_int_equal(stats.discard_transit, stats.discard_late[6] + 4 + 3);
}

static void test_without_transit_delay_keeps_frames(void **state)
{
	struct world *w = *state;

	w->ports[2]->queues.transit_ns = 0;
	w->ports[2]->blocked = true;
	receive(w, 0, 6, 5);
	assert_int_equal(world_turn(w).ns, INT64_MAX);
	w->now.ns += 1000 * DCB_NS_PER_S;
	world_turn(w);
	assert_int_equal(w->ports[2]->queues.queue[6].frames, 5);
	w->ports[2]->blocked = false;
}

static uint32_t headroom_of(const struct soft_port *port)
{
	return port->buffers.lossless[PRIORITY].quota.headroom.octets - LONGEST;
}

static void test_headroom_follows_link_and_settings(void **state)
{
	struct world *w = *state;
	struct soft_port *port = w->ports[0];
	uint64_t xoff;

	assert_int_equal(headroom_of(port), HEADROOM);
	/* Headroom not configured: the example of annex N, at 10 Gb/s. */
	port->base.settings.pfc_headroom_octets = 0;
	w->port_config.pfc_link_delay_allowance = 5556;
	w->port_config.pfc_headroom = (struct pfc_headroom_config){
	    .choice = PFC_HEADROOM_CALCULATION,
	    .cable_m = 100,
	    .medium = PFC_MEDIUM_COPPER,
	    .phy = PFC_PHY_WORST,
	    .macsec = PFC_MACSEC_NONE,
	    .maximum = UINT32_MAX,
	};
	adopt(w, 1 << PRIORITY);
	port->base.link.mtu = 2000 - 26;
	port_take_link(port);
	port_set_port_changed(&w->bridge.ports, port, w->now);
	assert_int_equal(headroom_of(port), 126224 / 8);
	/* Between XOFF and the end of the buffer: the headroom and a frame. */
	assert_true(buffer_of(w, 0, PRIORITY).lossless.threshold_octets <= BUFFER - 126224 / 8);
	xoff = buffer_of(w, 0, PRIORITY).lossless.threshold_octets;
	/* A change of the MTU changes the headroom. */
	port->base.link.mtu += 1000;
	port_take_link(port);
	port_set_port_changed(&w->bridge.ports, port, w->now);
	assert_int_equal(headroom_of(port), 126224 / 8 + 2000);
	assert_int_equal(buffer_of(w, 0, PRIORITY).lossless.threshold_octets, xoff - 2000);
	/* Choice manual: LinkDelayAllowance. */
	w->port_config.pfc_headroom.choice = PFC_HEADROOM_MANUAL;
	adopt(w, 1 << PRIORITY);
	assert_int_equal(headroom_of(port), 695);
}

/*
 * A priority that the neighbor has PFC for is VLAN-tagged in the PVID too: an untagged
 * frame would be of another priority there.
 */
static void test_agreed_priorities_leave_tagged(void **state)
{
	struct world *w = *state;
	struct world_frame out;
	uint8_t f[WORLD_OCTETS];

	w->ports[2]->base.settings.pvid_tagged = false;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		w->ports[2]->cn.tagged = (uint8_t)(1u << p);
		for (unsigned sent = 0; sent < DCB_PRIORITIES; sent++) {
			world_send(w, 0, f, world_frame(f, B, A, TCI((int)sent, 1), LEN));
			world_turn(w);
			w->now.ns += DCB_NS_PER_S / 100;
			world_turn(w);
			assert_true(world_recv(w, 2, &out));
			assert_int_equal(out.len, sent == p ? LEN : LEN - ETH_TAG_OCTETS);
			assert_int_equal(get_be16(out.octets + 12),
					 sent == p ? ETH_TYPE_CTAG : 0x88b5);
			if (sent == p)
				assert_int_equal(get_be16(out.octets + 14), TCI(p, 1));
		}
	}
}

/* Configurations say which priorities are agreed, and take effect with the next frame. */
static void test_agreement_is_part_of_the_configuration(void **state)
{
	struct world *w = *state;
	size_t size = sizeof(*w->config) + w->n_ports * sizeof(w->config->ports[0]);
	struct dcb_config *next = malloc(size);

	assert_non_null(next);
	assert_int_equal(w->ports[2]->cn.tagged, 0);
	memcpy(next, w->config, size);
	next->generation++;
	next->ports[2].oper.pfc_agreed = 0x18;
	port_set_adopt(&w->bridge.ports, next, w->now);
	free(w->config);
	w->config = next;
	assert_int_equal(w->ports[2]->cn.tagged, 0x18);
	assert_int_equal(w->ports[1]->cn.tagged, 0);
}

/* A port that trusts DSCPs holds the frames in the account of their priority, and pauses it. */
static void test_dscp_decides_which_priority_is_paused(void **state)
{
	struct world *w = *state;
	struct port_config *config;
	uint8_t f[WORLD_OCTETS];

	adopt(w, 1 << PRIORITY | 1);
	config = w->own[0];
	config->trust.trust = TRUST_DSCP_PCP;
	config->dcbx.n_apps = 1;
	config->dcbx.apps[0] = (struct app_priority){APP_DSCP, PRIORITY, 26};
	port_set_port_changed(&w->bridge.ports, w->ports[0], w->now);
	for (unsigned i = 0; i <= XOFF / LEN; i++) {
		(void)world_frame(f, B, A, -1, LEN);
		put_be16(f + ETH_TYPE_OFFSET, 0x0800);
		f[14] = 0x45;
		f[15] = 26 << 2;
		bridge_receive(&w->bridge, w->ports[0], f, LEN, LEN, w->now);
	}
	assert_int_equal(buffer_of(w, 0, 0).lossless.octets, 0);
	assert_in_range(buffer_of(w, 0, PRIORITY).lossless.octets, XOFF, BUFFER);
	world_turn(w);
	assert_pfc(w, 0, 1 << PRIORITY, 1 << PRIORITY);
	drain(w, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_sends_xoff_and_xon),
	    TEST(test_lossless_limits_are_those_of_priorities_with_pfc),
	    TEST(test_configured_xon_is_not_lowered_with_the_threshold),
	    TEST(test_links_have_separate_buffers),
	    TEST(test_pauses_received_priority),
	    TEST(test_disabling_pfc_sends_xon),
	    TEST(test_receive_only_obeys_and_sends_none),
	    TEST(test_transmit_only_sends_and_is_not_paused),
	    TEST(test_direction_changes_while_both_ends_are_paused),
	    TEST(test_peaks_of_intervals),
	    TEST(test_link_up_sends_xoff_again),
	    TEST(test_send_error_takes_port_down),
	    TEST(test_detached_port_sends_xon),
	    TEST(test_discards_frames_after_transit_delay),
	    TEST(test_counts_frames_too_old_without_a_pause),
	    TEST(test_without_transit_delay_keeps_frames),
	    TEST(test_headroom_follows_link_and_settings),
	    TEST(test_pfc_frames_are_counted),
	    TEST(test_sent_mac_control_frames_are_counted_by_opcode),
	    TEST(test_agreed_priorities_leave_tagged),
	    TEST(test_agreement_is_part_of_the_configuration),
	    TEST(test_dscp_decides_which_priority_is_paused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
