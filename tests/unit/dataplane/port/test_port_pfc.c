/* SPDX-License-Identifier: BSD-3-Clause */
/* The PFC receiver of a bridge's port: effect of PFC and PAUSE frames on transmission. */
#include "lib/octets.h"
#include "dataplane/core/pfc_pdu.h"
#include "tests/unit/unit.h"
#include "tests/unit/world.h"

#include <string.h>

#define A UINT64_C(0x020000000001)
#define B UINT64_C(0x020000000002)

#define OUT 1 /* the port under test; A was learned on port 0, B on this one */
#define LEN 500

#define QUANTUM_NS(n) ((n)*512 / 10) /* at 10 Gb/s */

static uint8_t f[WORLD_OCTETS + 4];
static struct world_frame out;

static void adopt(struct world *w, uint8_t enable, uint8_t cnpv)
{
	static struct port_config configs[2];
	static unsigned turn;
	struct port_config *config = &configs[++turn % 2]; /* an equal pointer is not a change */

	*config = w->port_config;
	config->pfc.enable = enable;
	w->own[OUT] = config;
	world_configure(w, w->n_ports, cnpv);
}

static int set_up(void **state)
{
	struct world *w = malloc(sizeof(*w));

	assert_non_null(w);
	world_init(w, 2, NULL);
	w->now.ns = DCB_NS_PER_S;
	for (int i = 0; i < DCB_PRIORITIES; i++)
		w->port_config.cp[i] =
		    (struct cp_config){.cp_qsp = 26000, .cp_sample_base = 150000, .cp_w_exp = 1};
	adopt(w, 0xff, 0);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	world_free(w);
	free(w);
	return 0;
}

static void frame_in(struct world *w, unsigned priority)
{
	uint32_t len = world_frame(f, B, A, (int)(priority << 13 | 1), LEN);

	f[14 + 4] = (uint8_t)priority; /* in the payload: frames may leave untagged */
	world_send(w, 0, f, len);
}

/* Checks the priorities of the sent frames, one digit each, in order. */
static void assert_out(struct world *w, const char *priorities)
{
	char got[64] = "";
	size_t n = 0;

	while (n < sizeof(got) - 1 && world_recv(w, OUT, &out)) {
		bool tagged = get_be16(out.octets + ETH_TYPE_OFFSET) == ETH_TYPE_CTAG;

		got[n++] = (char)('0' + out.octets[tagged ? 18 : 14]);
	}
	assert_string_equal(got, priorities);
}

static void pfc_in(struct world *w, uint8_t enable, uint16_t quanta)
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 0, 2}, .enable = enable};

	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		pdu.time[i] = quanta;
	pfc_pdu_encode(&pdu, f);
	world_send(w, OUT, f, PFC_FRAME_OCTETS);
	world_turn(w);
}

static void pause_in(struct world *w, uint16_t quanta)
{
	memset(f, 0, PFC_FRAME_OCTETS);
	memcpy(f, (uint8_t[]){1, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 8, 0, 1}, 16);
	put_be16(f + 16, quanta);
	world_send(w, OUT, f, PFC_FRAME_OCTETS);
	world_turn(w);
}

static struct pfc_stats pri_stats(const struct world *w, unsigned priority)
{
	struct pfc_stats s;

	port_read_pfc(w->ports[OUT], priority, &s);
	return s;
}

static struct pfc_port_stats port_stats(const struct world *w)
{
	struct pfc_port_stats s;

	port_read_pfc_port(w->ports[OUT], &s);
	return s;
}

/* A paused priority waits until the time expires; others are sent. */
static void test_paused_priority_waits_until_expiry(void **state)
{
	struct world *w = *state;
	struct dcb_time next, start = w->now;

	pfc_in(w, 1 << 3, 1000);
	assert_int_equal(pri_stats(w, 3).pfc_paused, 1);
	for (unsigned p = 0; p < 8; p++)
		frame_in(w, p);
	frame_in(w, 3);
	next = world_turn(w);
	assert_out(w, "7654201");
	assert_int_equal(next.ns, start.ns + QUANTUM_NS(1000));
	w->now.ns = next.ns - 1;
	world_turn(w);
	assert_out(w, "");
	w->now = next;
	world_turn(w);
	assert_out(w, "33");
	assert_int_equal(pri_stats(w, 3).pfc_transitions, 1);
	assert_int_equal(pri_stats(w, 3).pfc_paused_ns, QUANTUM_NS(1000));
	assert_int_equal(pri_stats(w, 3).pfc_paused, 0);
	assert_true(LIST_EMPTY(&w->bridge.ports.pfc.paused));
}

static void test_xon_ends_pause(void **state)
{
	struct world *w = *state;

	pfc_in(w, 1 << 3 | 1 << 4, 65535);
	frame_in(w, 3);
	frame_in(w, 4);
	world_turn(w);
	assert_out(w, "");
	w->now.ns += 700;
	pfc_in(w, 1 << 3, 0);
	assert_out(w, "3");
	assert_int_equal(pri_stats(w, 3).pfc_paused_ns, 700);
	assert_int_equal(pri_stats(w, 3).pfc_indications, 2);
	assert_int_equal(pri_stats(w, 4).pfc_indications, 1);
	assert_int_equal(pri_stats(w, 4).pfc_paused, 1);
	/* A PFC frame before the end extends the pause; it counts as one pause. */
	w->now.ns += 800;
	pfc_in(w, 1 << 4, 10);
	assert_int_equal(pri_stats(w, 4).pfc_transitions, 1);
	assert_int_equal(pri_stats(w, 4).pfc_paused_ns, 1500);
	w->now.ns += QUANTUM_NS(10);
	world_turn(w);
	assert_out(w, "4");
	assert_int_equal(pri_stats(w, 4).pfc_paused_ns, 1500 + QUANTUM_NS(10));
}

/* Priorities without PFC are not paused; disabling PFC ends a pause. */
static void test_only_enabled_priorities_pause(void **state)
{
	struct world *w = *state;
	struct port_stats s;

	adopt(w, 1 << 4, 0);
	pfc_in(w, 0xff, 65535);
	frame_in(w, 3);
	frame_in(w, 4);
	world_turn(w);
	assert_out(w, "3");
	port_read(w->ports[OUT], &s);
	assert_int_equal(s.pfc_frames_received, 1);
	assert_int_equal(pri_stats(w, 3).pfc_indications, 1);
	adopt(w, 0, 0);
	world_turn(w);
	assert_out(w, "4");
	assert_true(LIST_EMPTY(&w->bridge.ports.pfc.paused));
}

/* The settings stay; PFC in force changes because of the neighbor. */
static void test_neighbor_change_ends_pause(void **state)
{
	struct world *w = *state;
	size_t size = sizeof(*w->config) + w->n_ports * sizeof(w->config->ports[0]);
	struct dcb_config *next = malloc(size);

	assert_non_null(next);
	memcpy(next, w->config, size);
	next->generation++;
	next->ports[OUT].oper.pfc_enable = 1 << 4;
	port_set_adopt(&w->bridge.ports, next, w->now);
	free(w->config);
	w->config = next;
	pfc_in(w, 0xff, 65535);
	frame_in(w, 3);
	frame_in(w, 4);
	world_turn(w);
	assert_out(w, "3");
	assert_int_equal(w->ports[OUT]->config->pfc.enable, 0xff);
}

static void test_statistics_show_each_priority(void **state)
{
	struct world *w = *state;

	pfc_in(w, 0xff, 65535);
	w->now.ns += 700;
	pfc_in(w, 0xff, 0);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		assert_int_equal(pri_stats(w, p).pfc_indications, 2);
		assert_int_equal(pri_stats(w, p).pfc_transitions, 1);
		assert_int_equal(pri_stats(w, p).pfc_paused_ns, 700);
		assert_int_equal(pri_stats(w, p).pfc_paused, 0);
		pfc_in(w, (uint8_t)(1 << p), 65535);
		assert_int_equal(pri_stats(w, p).pfc_paused, 1);
	}
}

static uint64_t paused_at(const struct world *w, unsigned port)
{
	struct pfc_stats s;

	port_read_pfc(w->ports[port], 3, &s);
	return s.pfc_paused;
}

/* Pauses of several ports end at their own times. */
static void test_ports_pause_independently(void **state)
{
	struct world *w = *state;

	w->own[0] = w->own[OUT];
	world_configure(w, w->n_ports, 0);
	for (unsigned first = 0; first < 2; first++) {
		for (unsigned i = 0; i < 2; i++) {
			unsigned port = i ^ first;
			struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 0, 2}, .enable = 1 << 3};

			pdu.time[3] = (uint16_t)(port == OUT ? 100 : 300);
			pfc_pdu_encode(&pdu, f);
			world_send(w, port, f, PFC_FRAME_OCTETS);
			world_turn(w);
		}
		assert_int_equal(paused_at(w, OUT), 1);
		w->now.ns += QUANTUM_NS(100);
		world_turn(w);
		assert_int_equal(paused_at(w, OUT), 0);
		assert_int_equal(paused_at(w, 0), 1);
		w->now.ns += QUANTUM_NS(200);
		world_turn(w);
		assert_int_equal(paused_at(w, 0), 0);
		assert_true(LIST_EMPTY(&w->bridge.ports.pfc.paused));
	}
}

static void test_link_down_ends_pause(void **state)
{
	struct world *w = *state;

	pfc_in(w, 0xff, 65535);
	frame_in(w, 3);
	world_turn(w);
	port_set_port_down(&w->bridge.ports, w->ports[OUT], w->now);
	port_set_port_up(&w->bridge.ports, w->ports[OUT], w->now);
	assert_int_equal(pri_stats(w, 3).pfc_paused, 0);
	frame_in(w, 3);
	world_turn(w);
	assert_out(w, "3");
}

/* At a tenth of the link speed, the remaining pause lasts ten times as long. */
static void test_pause_time_follows_link_speed(void **state)
{
	struct world *w = *state;
	struct soft_port *port = w->ports[OUT];

	pfc_in(w, 1 << 3, 1000);
	frame_in(w, 3);
	w->now.ns += QUANTUM_NS(500);
	port->base.link.speed = dcb_rate_from_mbps(1000);
	port_take_link(port);
	port_set_port_changed(&w->bridge.ports, port, w->now);
	assert_int_equal(world_turn(w).ns, w->now.ns + QUANTUM_NS(5000));
	/* The neighbor counts at the speed of the link, whatever limits this port. */
	port->base.settings.rate = dcb_rate_from_mbps(10);
	port_set_port_changed(&w->bridge.ports, port, w->now);
	assert_int_equal(world_turn(w).ns, w->now.ns + QUANTUM_NS(5000));
	/* A speed of dcbd.conf takes precedence over that of the interface. */
	port->base.settings.speed = dcb_rate_from_mbps(100);
	port_set_port_changed(&w->bridge.ports, port, w->now);
	assert_int_equal(world_turn(w).ns, w->now.ns + QUANTUM_NS(50000));
	/* The rate counts where the kernel knows no speed. */
	port->base.settings.speed = port->base.link.speed = (struct dcb_rate){0};
	port_take_link(port);
	port_set_port_changed(&w->bridge.ports, port, w->now);
	assert_int_equal(world_turn(w).ns, w->now.ns + QUANTUM_NS(500000));
}

static void test_pause_frame_is_ignored_with_pfc_or_unset(void **state)
{
	struct world *w = *state;

	w->ports[OUT]->base.settings.rx_pause = true;
	adopt(w, 1 << 5, 0);
	pause_in(w, 65535);
	frame_in(w, 3);
	world_turn(w);
	assert_out(w, "3");
	assert_int_equal(port_stats(w).pause_ignored, 1);
	w->port_config.pfc.transmit_only = 1 << 5;
	adopt(w, 1 << 5, 0);
	pause_in(w, 65535);
	frame_in(w, 3);
	world_turn(w);
	assert_out(w, "3");
	assert_int_equal(port_stats(w).pause_ignored, 2);
	w->ports[OUT]->base.settings.rx_pause = false;
	adopt(w, 0, 0);
	pause_in(w, 65535);
	frame_in(w, 3);
	world_turn(w);
	assert_out(w, "3");
	assert_int_equal(port_stats(w).pause_ignored, 3);
	assert_int_equal(port_stats(w).pause_honoured, 0);
}

static void control_out(struct world *w)
{
	struct dcb_frame *frame = frame_pool_get(&w->bridge.ports.pool);

	assert_non_null(frame);
	frame->account = port_admit_control(w->ports[OUT], 60);
	assert_non_null(frame->account);
	frame->len = world_frame(frame->data, UINT64_C(0x0180c200000e), A, -1, 60);
	frame->data[14] = 9;
	frame->priority = 0;
	frame->flags = PORT_FRAME_CONTROL;
	(void)port_set_enqueue(&w->bridge.ports, w->ports[OUT], frame, w->now);
}

/* PAUSE stops all frames of the port except those to reserved addresses. */
static void test_pause_frame_stops_port_if_configured(void **state)
{
	struct world *w = *state;
	struct dcb_time next, start = w->now;

	w->ports[OUT]->base.settings.rx_pause = true;
	adopt(w, 0, 0);
	pause_in(w, 1000);
	for (unsigned p = 0; p < 8; p++)
		frame_in(w, p);
	next = world_turn(w);
	assert_int_equal(next.ns, start.ns + QUANTUM_NS(1000));
	assert_out(w, "");
	assert_int_equal(port_stats(w).pause_now, 1);
	control_out(w);
	world_turn(w);
	assert_out(w, "9");
	w->now = next;
	world_turn(w);
	assert_out(w, "76543201");
	assert_int_equal(port_stats(w).pause_honoured, 1);
	assert_int_equal(port_stats(w).pause_ns, QUANTUM_NS(1000));
	assert_int_equal(port_stats(w).pause_now, 0);
	assert_int_equal(pri_stats(w, 3).pfc_transitions, 0);
	pause_in(w, 65535);
	frame_in(w, 3);
	pause_in(w, 0);
	assert_out(w, "3");
}

/* Control frames leave first, are never paused, and are accepted when the buffer is full. */
static void test_control_frames_are_not_paused(void **state)
{
	struct world *w = *state;

	w->ports[OUT]->base.settings.buffer_octets = 0; /* the queue has its reserve */
	w->port_config.buffer[7].reserve_octets = 4 * LEN;
	adopt(w, 0xff, 0);
	pfc_in(w, 0xff, 65535);
	for (unsigned i = 0; i < 10; i++)
		frame_in(w, 7);
	world_turn(w);
	assert_int_equal(w->ports[OUT]->queues.queue[7].frames, 4);
	control_out(w);
	world_turn(w);
	assert_out(w, "9");
	control_out(w);
	pfc_in(w, 0xff, 0);
	assert_out(w, "97777");
	for (unsigned i = 0; i < PORT_BUFFER_CONTROL_OCTETS / 60; i++)
		control_out(w);
	while (port_admit_control(w->ports[OUT], 60)) /* the reserve */
		;
}

/* Priorities 2, 3 and 4 share a queue; 3 is paused. */
static void pause_shared_queue(struct world *w)
{
	static const uint8_t classes[] = {0, 0, 1, 1, 1, 2, 3, 3};
	struct port_settings *settings = &w->ports[OUT]->base.settings;

	settings->classified = true;
	memcpy(settings->traffic_class, classes, DCB_PRIORITIES);
	adopt(w, 0xff, 0);
	pfc_in(w, 1 << 3, 65535);
}

/* A queue sends while all of its priorities are unpaused: CBFC 5. */
static void test_pause_stops_shared_queue(void **state)
{
	struct world *w = *state;

	pause_shared_queue(w);
	for (unsigned p = 0; p < 8; p++)
		frame_in(w, p);
	world_turn(w);
	assert_out(w, "67501"); /* 2, 3 and 4 are in the paused queue */
	pfc_in(w, 1 << 4, 65535);
	pfc_in(w, 1 << 3, 0);
	assert_out(w, "");
	pfc_in(w, 1 << 4, 0);
	assert_out(w, "234");
}

/* A new CNPV gets its own queue; its frames in the old queue still wait for its pause. */
static void test_new_cnpv_gets_own_queue(void **state)
{
	struct world *w = *state;

	pause_shared_queue(w);
	frame_in(w, 2);
	frame_in(w, 3);
	world_turn(w);
	adopt(w, 0xff, 1 << 3);
	assert_int_equal(w->ports[OUT]->cn.cp[3].cp_qlen, 0);
	frame_in(w, 3);
	frame_in(w, 4);
	world_turn(w);
	assert_out(w, ""); /* a frame of 3 is in the queue of 2 */
	assert_int_equal(w->ports[OUT]->queues.queue[3].frames, 1);
	assert_int_equal(w->ports[OUT]->cn.cp[3].cp_qlen, w->ports[OUT]->queues.queue[3].octets);
	pfc_in(w, 1 << 3, 0);
	assert_out(w, "3234");
	pfc_in(w, 1 << 3, 65535);
	frame_in(w, 2);
	frame_in(w, 3);
	frame_in(w, 4);
	world_turn(w);
	assert_out(w, "24");
	/* No CNPV again: the frame of 3 stays in its queue and keeps its priority. */
	adopt(w, 0xff, 0);
	frame_in(w, 4);
	world_turn(w);
	assert_out(w, "");
	pfc_in(w, 1 << 3, 0);
	assert_out(w, "34");
}

/* After a flush, a shared queue is not held by a paused priority that now maps elsewhere. */
static void test_flushed_queue_is_not_held(void **state)
{
	struct world *w = *state;

	pause_shared_queue(w);
	frame_in(w, 2);
	frame_in(w, 3);
	world_turn(w);
	adopt(w, 0xff, 1 << 3);
	port_flush(w->ports[OUT], &w->bridge.ports.pool);
	frame_in(w, 2);
	frame_in(w, 3);
	world_turn(w);
	assert_out(w, "2");
}

/* Invalid frames have no effect and count by their first error. */
static void test_counts_invalid_frames_by_first_error(void **state)
{
	static const uint8_t good[] = {1,    0x80, 0xc2, 0, 0,    1, 2,    0, 0,    0, 0, 2,
				       0x88, 8,    1,    1, 0,    8, 0,    0, 0,    0, 0, 0,
				       0xff, 0xff, 0,    0, 0xff, 0, 0xff, 0, 0xff, 0};
	struct world *w = *state;
	struct pfc_port_stats s;
	struct pfc_stats before = pri_stats(w, 3);

	memcpy(f, good, sizeof(good));
	world_send(w, OUT, f, 33);
	world_send(w, OUT, f, 15);
	f[5] = 2;
	world_send(w, OUT, f, 60);
	f[5] = 1;
	f[6] = 3;
	world_send(w, OUT, f, 60);
	f[6] = 2;
	f[15] = 2;
	world_send(w, OUT, f, 60);
	memcpy(f + 12, (uint8_t[]){0x81, 0, 0xe0, 1}, 4);
	memcpy(f + 16, good + 12, sizeof(good) - 12);
	world_send(w, OUT, f, 60);
	memcpy(f, good, sizeof(good));
	memcpy(f + 14, (uint8_t[]){0, 1, 0xff}, 3);
	world_send(w, OUT, f, 17);
	world_turn(w);
	s = port_stats(w);
	assert_int_equal(s.bad_short, 3);
	assert_int_equal(s.bad_destination, 1);
	assert_int_equal(s.bad_source, 1);
	assert_int_equal(s.unsupported_opcodes, 1);
	assert_int_equal(s.bad_tagged, 1);
	assert_int_equal(s.pause_ignored, 0);
	assert_int_equal(w->ports[OUT]->queues.paused, 0);
	assert_int_equal(pri_stats(w, 3).pfc_indications, before.pfc_indications);
	/* 802.3 30.3.3.4, 30.3.4.3: valid or not; a tagged frame is no MAC control frame. */
	assert_int_equal(s.control_received, 6);
	assert_int_equal(s.pause_received, 1);
}

/* 802.3 30.3.3.4, 30.3.4.3: a frame counts once, whatever its opcode, address and effect. */
static void test_received_mac_control_frames_are_counted(void **state)
{
	static const struct {
		uint16_t opcode;
		bool group_source;
		uint64_t control, pause;
	} frames[] = {
	    {PFC_OPCODE, false, 1, 0}, {PFC_OPCODE_PAUSE, false, 2, 1}, {0x0102, false, 3, 1},
	    {PFC_OPCODE, true, 4, 1},  {PFC_OPCODE_PAUSE, true, 5, 2},
	};
	struct world *w = *state;

	for (unsigned i = 0; i < UNIT_COUNT(frames); i++) {
		struct pfc_pdu pdu = {.source = {frames[i].group_source ? 3 : 2, 9}};

		pfc_pdu_encode(&pdu, f);
		put_be16(f + ETH_HEADER_OCTETS, frames[i].opcode);
		world_send(w, OUT, f, PFC_FRAME_OCTETS);
		world_turn(w);
		assert_int_equal(port_stats(w).control_received, frames[i].control);
		assert_int_equal(port_stats(w).pause_received, frames[i].pause);
	}
	world_send(w, OUT, f, world_frame(f, B, A, -1, LEN));
	world_turn(w);
	assert_int_equal(port_stats(w).control_received, UNIT_COUNT(frames));
	assert_int_equal(port_stats(w).control_sent + port_stats(w).pause_sent, 0);
}

/* 36.2.6: tagged MAC control frames are not forwarded: an egress port could untag them. */
static void test_tagged_mac_control_is_discarded(void **state)
{
	struct world *w = *state;
	uint32_t len = world_frame(f, B, A, 7 << 13 | 1, 64);

	put_be16(f + 16, ETH_TYPE_MAC_CONTROL);
	assert_int_equal(world_forward(w, 0, f, len, &out), 0);
	put_be16(f + 16, 0x0800);
	assert_int_equal(world_forward(w, 0, f, len, &out), 1 << OUT);
}

/* Neither are those with tags that this bridge does not remove, but another system may. */
static void test_mac_control_behind_any_tags_is_discarded(void **state)
{
	static const char *const tags[] = {
	    "8100 e001",
	    "22e9 0001",
	    "8100 e001 22e9 0001",
	    "88a8 e00a",
	    "9100 000a",
	    "9200 0000",
	    "9300 0000",
	    "8100 0001 8100 0005",
	    "8100 0001 88a8 000a",
	    "22e9 0001 22e9 0002",
	    "88a8 000a 8100 0005 22e9 0007",
	    "88a8 0001 9100 0002 88a8 0003 8100 0004 22e9 0005 8100 0006 8100 0007",
	};
	struct world *w = *state;
	struct pfc_port_stats s;

	for (unsigned i = 0; i < UNIT_COUNT(tags); i++) {
		uint32_t len = world_frame(f, B, A, -1, 100);
		uint8_t *p = f + ETH_TYPE_OFFSET;
		const char *next = tags[i];
		char *end;

		for (; *next; next = end, p += 2)
			put_be16(p, (uint16_t)strtoul(next, &end, 16));
		put_be16(p, ETH_TYPE_MAC_CONTROL);
		assert_int_equal(world_forward(w, 0, f, len, &out), 0);
		port_read_pfc_port(w->ports[0], &s);
		assert_int_equal(s.bad_tagged, i + 1);
		put_be16(p, ETH_TYPE_LLDP);
		assert_int_equal(world_forward(w, 0, f, len, &out), 1 << OUT);
	}
	assert_int_equal(s.bad_short + s.bad_destination + s.unsupported_opcodes, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_paused_priority_waits_until_expiry),
	    TEST(test_xon_ends_pause),
	    TEST(test_only_enabled_priorities_pause),
	    TEST(test_neighbor_change_ends_pause),
	    TEST(test_statistics_show_each_priority),
	    TEST(test_ports_pause_independently),
	    TEST(test_link_down_ends_pause),
	    TEST(test_pause_time_follows_link_speed),
	    TEST(test_pause_frame_is_ignored_with_pfc_or_unset),
	    TEST(test_pause_frame_stops_port_if_configured),
	    TEST(test_control_frames_are_not_paused),
	    TEST(test_pause_stops_shared_queue),
	    TEST(test_new_cnpv_gets_own_queue),
	    TEST(test_flushed_queue_is_not_held),
	    TEST(test_counts_invalid_frames_by_first_error),
	    TEST(test_received_mac_control_frames_are_counted),
	    TEST(test_tagged_mac_control_is_discarded),
	    TEST(test_mac_control_behind_any_tags_is_discarded),
	};

	return cmocka_run_group_tests_name("port_pfc", tests, NULL, NULL);
}
