/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/port_pfc.h"

#include "dataplane/core/pfc_pdu.h"
#include "lib/counter.h"

/* --- list of paused ports ---------------------------------------------------- */

static void list_add(struct port_pfc_set *s, struct soft_port *port)
{
	if (!port->set.paused.le_prev)
		LIST_INSERT_HEAD(&s->paused, port, set.paused);
}

static void list_remove(struct soft_port *port)
{
	if (!port->set.paused.le_prev)
		return;
	LIST_REMOVE(port, set.paused);
	port->set.paused.le_prev = NULL;
}

/* --- statistics -------------------------------------------------------------- */

/* Notes how long the priority is or was paused. */
static void note_pause(struct soft_port *port, unsigned n)
{
	const struct pfc_rx_timer *timer = &port->pfc.rx.timer[n];
	uint64_t *before_ns = &port->peaks->before_ns[n];
	struct pfc_peaks *peaks = port_peaks_now(port->peaks, n);
	bool begins = timer->transitions != port->pfc.stats[n].pfc_transitions;

	if (timer->paused_ns - *before_ns > peaks->longest_ns)
		gauge_set(&peaks->longest_ns, timer->paused_ns - *before_ns);
	if (begins || !(port->pfc.rx.paused >> n & 1))
		*before_ns = timer->paused_ns;
	port_note_queues(port, 1u << n);
}

static void update_stats(struct soft_port *port, unsigned n)
{
	const struct pfc_rx_timer *timer = &port->pfc.rx.timer[n];
	uint64_t paused = port->pfc.rx.paused >> n & 1;

	if (n == PFC_RX_LINK) {
		gauge_set(&port->pfc.port_stats.pause_ns, timer->paused_ns);
		gauge_set(&port->pfc.port_stats.pause_now, paused);
		return;
	}
	if (port->peaks)
		note_pause(port, n);
	gauge_set(&port->pfc.stats[n].pfc_transitions, timer->transitions);
	gauge_set(&port->pfc.stats[n].pfc_paused_ns, timer->paused_ns);
	gauge_set(&port->pfc.stats[n].pfc_paused, paused);
}

/* Acts on a change of the engine. before: the paused timers before the change. */
static void apply_change(struct port_pfc_set *s, struct soft_port *port, uint16_t before,
			 struct dcb_time now)
{
	uint16_t paused = port->pfc.rx.paused;

	for (unsigned n = 0; n < PFC_RX_TIMERS; n++) {
		if ((before | paused) >> n & 1)
			update_stats(port, n);
	}
	if (paused != before)
		port_update_pause(port, now);
	port_watchdog_look(&s->watchdogs, port, now);
	if (paused || port_watchdog_is_busy(port))
		list_add(s, port);
	else
		list_remove(port);
}

/* --- configuration and time -------------------------------------------------- */

void port_pfc_configure(struct port_pfc_set *s, struct soft_port *port, struct dcb_time now)
{
	uint16_t before = port->pfc.rx.paused;

	/* PAUSE has no effect beside PFC, also beside PFC that is only sent. */
	pfc_rx_configure(&port->pfc.rx, pfc_obeyed(port),
			 port->base.settings.rx_pause && !port->oper.pfc_enable,
			 port_bit_rate(&port->base.settings, port_speed(port)), now);
	port_watchdog_configure(&s->watchdogs, port, now);
	apply_change(s, port, before, now);
}

void port_pfc_reset(struct port_pfc_set *s, struct soft_port *port, struct dcb_time now)
{
	uint16_t before = port->pfc.rx.paused;

	pfc_rx_reset(&port->pfc.rx, now);
	port_watchdog_reset(&s->watchdogs, port, now);
	apply_change(s, port, before, now);
}

struct dcb_time port_pfc_advance(struct port_pfc_set *s, struct dcb_time now)
{
	struct dcb_time next = DCB_TIME_NEVER;
	struct soft_port *port, *following;

	for (port = LIST_FIRST(&s->paused); port; port = following) {
		uint16_t before = port->pfc.rx.paused;
		struct dcb_time due = pfc_watchdog_deadline(&port->pfc.watchdog.engine);

		following = LIST_NEXT(port, set.paused);
		if (!before && dcb_time_before(now, due)) { /* only the watchdog measures */
			next = dcb_time_min(next, due);
			continue;
		}
		pfc_rx_advance(&port->pfc.rx, now);
		apply_change(s, port, before, now);
		next = dcb_time_min(next, pfc_rx_deadline(&port->pfc.rx));
		next = dcb_time_min(next, pfc_watchdog_deadline(&port->pfc.watchdog.engine));
	}
	return next;
}

/* --- frames ------------------------------------------------------------------ */

/* 802.3 30.3.3.4, 30.3.4.3: whatever the frame's addresses and fields. */
static void count_control(struct soft_port *port, const uint8_t *octets, uint32_t len)
{
	counter_add(&port->pfc.port_stats.control_received, 1);
	if (pfc_pdu_is_pause(octets, len))
		counter_add(&port->pfc.port_stats.pause_received, 1);
}

static bool pfc_frame(struct port_pfc_set *s, struct soft_port *port, const struct pfc_pdu *pdu,
		      struct dcb_time now)
{
	uint16_t before = port->pfc.rx.paused;

	counter_add(&port->stats.pfc_frames_received, 1);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		if (pdu->enable >> i & 1)
			counter_add(&port->pfc.stats[i].pfc_indications, 1);
	}
	pfc_rx_indication(&port->pfc.rx, pdu, now);
	apply_change(s, port, before, now);
	return port->pfc.rx.paused & ~before;
}

static uint64_t *counter_of(struct pfc_port_stats *stats, enum pfc_pdu_error error)
{
	switch (error) {
	case PFC_PDU_SHORT:
		return &stats->bad_short;
	case PFC_PDU_BAD_DESTINATION:
		return &stats->bad_destination;
	case PFC_PDU_GROUP_SOURCE:
		return &stats->bad_source;
	case PFC_PDU_TAGGED:
		return &stats->bad_tagged;
	default:
		return &stats->unsupported_opcodes;
	}
}

static void count_bad(struct soft_port *port, enum pfc_pdu_error error)
{
	counter_add(counter_of(&port->pfc.port_stats, error), 1);
	if (error == PFC_PDU_BAD_OPCODE)
		counter_add(&port->stats.discard_reserved, 1);
	else
		counter_add(&port->stats.discard_malformed, 1);
}

void port_pfc_count_tagged(struct soft_port *port)
{
	count_bad(port, PFC_PDU_TAGGED);
}

void port_pfc_count_group_source(struct soft_port *port, const uint8_t *octets, uint32_t len)
{
	count_control(port, octets, len);
	count_bad(port, PFC_PDU_GROUP_SOURCE);
}

static void pause_frame(struct port_pfc_set *s, struct soft_port *port, const uint8_t *octets,
			uint32_t len, struct dcb_time now)
{
	uint16_t before = port->pfc.rx.paused, quanta;
	enum pfc_pdu_error error = pfc_pdu_decode_pause(octets, len, &quanta);

	if (error != PFC_PDU_OK) {
		count_bad(port, error);
		return;
	}
	if (!pfc_rx_pause(&port->pfc.rx, quanta, now)) {
		counter_add(&port->pfc.port_stats.pause_ignored, 1);
		counter_add(&port->stats.discard_reserved, 1);
		return;
	}
	counter_add(&port->pfc.port_stats.pause_honoured, 1);
	apply_change(s, port, before, now);
}

bool port_pfc_receive(struct port_pfc_set *s, struct soft_port *port, const uint8_t *octets,
		      uint32_t len, struct dcb_time now)
{
	struct pfc_pdu pdu;
	enum pfc_pdu_error error = pfc_pdu_decode(octets, len, &pdu);

	count_control(port, octets, len);
	if (error == PFC_PDU_OK)
		return pfc_frame(s, port, &pdu, now);
	if (error == PFC_PDU_PAUSE)
		pause_frame(s, port, octets, len, now);
	else
		count_bad(port, error);
	return false;
}
