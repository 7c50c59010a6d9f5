/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MAC control frames and others at two ports: one has PFC for some priorities,
 * one obeys PAUSE. Input: for each frame the port in one bit, the time since
 * the last frame in seven, its length in an octet, and the frame. Properties:
 * an invalid frame changes no timer and is counted once. A valid one pauses
 * only its priorities that have PFC. No frame of a paused priority and no MAC
 * control frame is sent, not even behind any tags. No pause is longer than its time.
 */
#include "dataplane/bridge/bridge.h"
#include "lib/octets.h"
#include "dataplane/core/pfc_pdu.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/snapshot.h"

#define PORTS   2
#define ENABLED 0x5a
#define STEP_NS 20000 /* the longest pause is 168 steps */

struct fuzz_port {
	struct netio io;
	struct soft_port port;
};

static struct fuzz_port ports[PORTS];
static struct bridge bridge;
static struct snapshot first;

/* Frames are sent tagged, so that their priority can be checked. */
static struct netio_sent take(struct netio *io, const struct iovec *frames, unsigned n,
			      struct dcb_time now)
{
	const struct soft_port *port = &((const struct fuzz_port *)io)->port;

	(void)now;
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *f = frames[i].iov_base;
		struct eth_view view;
		struct pfc_pdu pdu;

		if (pfc_pdu_decode(f, frames[i].iov_len, &pdu) == PFC_PDU_OK)
			continue; /* sent by the initiator: tested elsewhere */
		FUZZ_ASSERT(eth_parse(f, frames[i].iov_len, &view) == ETH_OK);
		FUZZ_ASSERT(view.tagged && fuzz_bare_type(f, frames[i].iov_len) != 0x8808);
		FUZZ_ASSERT(!(port->queues.paused >> view.priority & 1));
	}
	return (struct netio_sent){.taken = n};
}

static void start(void)
{
	static const struct netio_ops ops = {.name = "fuzz", .send = take};
	static const struct bridge_params params = {.frame_buffers = 64,
						    .frame_octets = 300,
						    .fdb_entries = 16,
						    .fdb_ageing_s = 3,
						    .seed = 1};
	static struct port_config port_config[PORTS] = {{.pfc.enable = ENABLED}, {.refs = 1}};
	static uint64_t
	    memory[(sizeof(struct dcb_config) + PORTS * sizeof(struct dcb_config_port)) / 8];
	struct dcb_config *config = (struct dcb_config *)memory;

	*config = (struct dcb_config){.generation = 1, .n_ports = PORTS};
	if (!bridge_init(&bridge, &params, NULL, NULL))
		abort();
	for (unsigned i = 0; i < PORTS; i++) {
		struct fuzz_port *p = &ports[i];

		*p = (struct fuzz_port){.io = {.ops = &ops, .recv_fd = -1, .send_fd = -1}};
		p->port.io = &p->io;
		p->port.base.slot = (uint16_t)i;
		p->port.base.link.up = true;
		p->port.base.settings = (struct port_settings){
		    .buffer_octets = 10000,
		    .pvid = 1,
		    .pvid_tagged = true,
		    .rx_pause = true,
		};
		port_init(&p->port);
		config->ports[i] = dcb_config_port_alone(&p->port.base, &port_config[i]);
	}
	port_set_adopt(&bridge.ports, config, (struct dcb_time){0});
	snapshot_add(&first, &bridge, sizeof(bridge));
	snapshot_add(&first, ports, sizeof(ports));
	snapshot_add(&first, bridge.ports.hm.due.heap, PORTS * sizeof(struct deadline *));
	snapshot_add(&first, bridge.fdb.buckets,
		     (bridge.fdb.mask + 1) * sizeof(*bridge.fdb.buckets));
	snapshot_add(&first, bridge.fdb.ports, FDB_SLOTS * sizeof(*bridge.fdb.ports));
}

/* Counts of the receiver: all frames, those that are no MAC control, and the PAUSE frames. */
struct counts {
	uint64_t bad, good, tagged, control, pause;
};

static struct counts counts_of(const struct soft_port *port)
{
	const struct pfc_port_stats *s = &port->pfc.port_stats;

	return (struct counts){
	    .bad = s->bad_short + s->bad_tagged + s->bad_destination + s->bad_source +
		   s->unsupported_opcodes,
	    .good = port->stats.pfc_frames_received + s->pause_honoured + s->pause_ignored,
	    .tagged = s->bad_tagged,
	    .control = s->control_received,
	    .pause = s->pause_received,
	};
}

/* 802.3 30.3.3.4, 30.3.4.3: each frame counts as MAC control, and as PAUSE, once or not at all. */
static void check_counts(const struct counts *was, const struct counts *is, const uint8_t *in,
			 uint32_t len)
{
	uint64_t control = is->control - was->control;

	FUZZ_ASSERT(is->bad + is->good - was->bad - was->good <= 1);
	FUZZ_ASSERT(control ==
		    (is->bad + is->good - is->tagged) - (was->bad + was->good - was->tagged));
	FUZZ_ASSERT(is->pause - was->pause == (control && len >= 16 && in[14] == 0 && in[15] == 1));
}

static bool same_timers(const struct pfc_rx *a, const struct pfc_rx *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Compares the receiver of the port before and after the frame. */
static void check_pfc(const struct pfc_rx *before, const struct pfc_rx *after,
		      const struct pfc_pdu *pdu)
{
	uint8_t named = pdu->enable & before->enabled;

	FUZZ_ASSERT(before->enabled == ENABLED || named == 0);
	for (unsigned n = 0; n < PFC_RX_TIMERS; n++) {
		bool is_paused = after->paused >> n & 1;

		if (n < DCB_PRIORITIES && named >> n & 1)
			FUZZ_ASSERT(is_paused == (pdu->time[n] > 0));
		else
			FUZZ_ASSERT(is_paused == (before->paused >> n & 1) &&
				    after->timer[n].until.ns == before->timer[n].until.ns);
	}
}

static void check_pause(const struct pfc_rx *before, const struct pfc_rx *after, uint16_t quanta)
{
	if (before->enabled)
		FUZZ_ASSERT(same_timers(before, after));
	else
		FUZZ_ASSERT(after->paused == (quanta ? 1 << PFC_RX_LINK : 0));
}

static void receive(struct soft_port *port, const uint8_t *in, uint32_t len, struct dcb_time now)
{
	const struct pfc_rx before = port->pfc.rx;
	const struct counts was = counts_of(port);
	struct counts is;
	struct eth_view view = {0};
	bool parsed = eth_parse(in, len, &view) == ETH_OK;
	struct pfc_pdu pdu;
	uint16_t quanta;

	bridge_receive(&bridge, port, in, len, len, now);
	is = counts_of(port);
	check_counts(&was, &is, in, len);
	if (is.good > was.good) {
		enum pfc_pdu_error error = pfc_pdu_decode(in, len, &pdu);

		if (error == PFC_PDU_OK) {
			check_pfc(&before, &port->pfc.rx, &pdu);
			return;
		}
		FUZZ_ASSERT(error == PFC_PDU_PAUSE &&
			    pfc_pdu_decode_pause(in, len, &quanta) == PFC_PDU_OK);
		check_pause(&before, &port->pfc.rx, quanta);
		return;
	}
	FUZZ_ASSERT(is.bad == was.bad + 1 || !parsed || fuzz_bare_type(in, len) != 0x8808);
	FUZZ_ASSERT(same_timers(&before, &port->pfc.rx));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct octets_in input = octets_in(data, size);
	struct dcb_time now = {0}, next;

	if (first.n == 0)
		start();
	snapshot_restore(&first);
	while (input.left >= 2) {
		uint8_t head = octets_in_u8(&input), len = octets_in_u8(&input);
		struct soft_port *port = &ports[head & 1].port;

		now.ns += (head >> 1) * STEP_NS;
		(void)port_set_transmit(&bridge.ports, now);
		if (len > input.left)
			len = (uint8_t)input.left;
		receive(port, octets_in_take(&input, len), len, now);
		next = port_set_transmit(&bridge.ports, now);
		for (unsigned i = 0; i < PORTS; i++) {
			const struct pfc_rx *rx = &ports[i].port.pfc.rx;

			FUZZ_ASSERT(!dcb_time_before(pfc_rx_deadline(rx), next));
			FUZZ_ASSERT(dcb_time_before(now, pfc_rx_deadline(rx)));
		}
	}
	now.ns += DCB_NS_PER_S;
	(void)port_set_transmit(&bridge.ports, now);
	FUZZ_ASSERT(LIST_EMPTY(&bridge.ports.pfc.paused));
	FUZZ_ASSERT(bridge.ports.pool.n_free == bridge.ports.pool.size);
	return 0;
}
