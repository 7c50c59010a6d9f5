/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/port_watchdog.h"

#include <string.h>

#include "lib/counter.h"

static bool has(uint8_t mask, unsigned priority)
{
	return mask >> priority & 1;
}

/* --- statistics ------------------------------------------------------------------ */

/* Saves the counters when a priority becomes blocked. Statistics of a storm start there. */
static void save_counters(struct soft_port *port, unsigned i)
{
	struct port_watchdog_base *base = &port->pfc.watchdog.base[i];

	base->indications = port->pfc.stats[i].pfc_indications;
	base->paused_ns = port->pfc.rx.timer[i].paused_ns;
}

static void record_storm(struct soft_port *port, unsigned i)
{
	const struct pfc_watchdog_pri *pri = &port->pfc.watchdog.engine.pri[i];
	struct pfc_watchdog_stats *stats = &port->pfc.watchdog.stats[i];
	const struct dcb_queue *queue = port_queue(port, i);
	uint64_t before = port->pfc.watchdog.base[i].indications;

	save_counters(port, i);
	counter_add(&stats->storms, 1);
	gauge_set(&stats->dropped_storm, UINT64_C(0));
	gauge_set(&stats->action, (uint64_t)pri->action);
	gauge_set(&stats->cause, (uint64_t)pri->cause);
	gauge_set(&stats->detected_ns, (uint64_t)pri->detected.ns);
	gauge_set(&stats->blocked_ns, (uint64_t)dcb_time_diff_ns(pri->detected, pri->blocked));
	gauge_set(&stats->queue_octets, queue->octets);
	gauge_set(&stats->queue_frames, (uint64_t)queue->frames);
	gauge_set(&stats->indications_before, port->pfc.watchdog.base[i].indications - before);
}

/* Called while a storm lasts. */
static void update_storm(struct soft_port *port, unsigned i)
{
	const struct port_watchdog_base *base = &port->pfc.watchdog.base[i];
	struct pfc_watchdog_stats *stats = &port->pfc.watchdog.stats[i];

	gauge_set(&stats->indications, port->pfc.stats[i].pfc_indications - base->indications);
	gauge_set(&stats->paused_ns, port->pfc.rx.timer[i].paused_ns - base->paused_ns);
}

static void update_state(struct soft_port *port, unsigned i)
{
	const struct pfc_watchdog *w = &port->pfc.watchdog.engine;
	struct pfc_watchdog_stats *stats = &port->pfc.watchdog.stats[i];

	gauge_set(&stats->state, (uint64_t)pfc_watchdog_state(w, i));
	gauge_set(&stats->end, (uint64_t)w->pri[i].end);
	gauge_set(&stats->ended_ns, (uint64_t)w->pri[i].ended.ns);
	gauge_set(&stats->restoration_ns, (uint64_t)pfc_watchdog_restoration_ns(&w->pri[i]));
}

/* --- actions --------------------------------------------------------------------- */

static void drop(const struct port_watchdogs *ws, struct soft_port *port, unsigned i)
{
	uint32_t n = port_discard_priority(port, ws->pool, i);

	counter_add(&port->pfc.watchdog.stats[i].dropped_total, n);
	counter_add(&port->pfc.watchdog.stats[i].dropped_storm, n);
}

static void apply_verdict(const struct port_watchdogs *ws, struct soft_port *port,
			  struct pfc_watchdog_verdict verdict, uint8_t dropped_before,
			  struct dcb_time now)
{
	const struct pfc_watchdog *w = &port->pfc.watchdog.engine;

	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		if (has(verdict.stormed, i))
			record_storm(port, i);
		if (has(w->storm | verdict.ended, i))
			update_storm(port, i);
		if (has(w->dropping & (uint8_t)~dropped_before, i))
			drop(ws, port, i);
		if (has(verdict.ended, i))
			counter_add(&port->pfc.watchdog.stats[i].ended, 1);
		update_state(port, i);
	}
	port_update_pause(port, now);
	if ((verdict.stormed | verdict.ended) && ws->storm)
		ws->storm(ws->ctx, port, verdict.stormed, verdict.ended);
}

/* --- inputs ------------------------------------------------------------------------ */

static uint8_t waiting(struct soft_port *port)
{
	uint8_t mask = 0;

	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		if (!dcb_queue_is_empty(port_queue(port, i)))
			mask |= (uint8_t)(1u << i);
	return mask;
}

void port_watchdog_look(const struct port_watchdogs *ws, struct soft_port *port,
			struct dcb_time now)
{
	struct pfc_watchdog *w = &port->pfc.watchdog.engine;
	uint8_t counted = w->counting, dropped = w->dropping;
	struct pfc_watchdog_verdict verdict;
	struct pfc_watchdog_view view;

	if (!w->watched)
		return;
	view.paused = (uint8_t)port->pfc.rx.paused;
	view.waiting = waiting(port);
	view.sent = port->sent & w->paused; /* frames sent before the pause do not count */
	port->sent = 0;
	verdict = pfc_watchdog_look(w, &view, now);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		if (has(w->counting & (uint8_t) ~(counted | w->storm), i))
			save_counters(port, i);
		if (has(w->storm, i))
			update_storm(port, i);
	}
	if (verdict.stormed | verdict.ended)
		apply_verdict(ws, port, verdict, dropped, now);
}

void port_watchdog_configure(const struct port_watchdogs *ws, struct soft_port *port,
			     struct dcb_time now)
{
	uint8_t dropped = port->pfc.watchdog.engine.dropping;
	struct pfc_watchdog_config config[DCB_PRIORITIES];

	if (!port->config)
		return;
	memcpy(config, port->config->pfc_watchdog, sizeof(config));
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		if (!has(pfc_obeyed(port), i))
			config[i].action = PFC_WATCHDOG_NONE;
	apply_verdict(ws, port, pfc_watchdog_configure(&port->pfc.watchdog.engine, config, now),
		      dropped, now);
}

void port_watchdog_reset(const struct port_watchdogs *ws, struct soft_port *port,
			 struct dcb_time now)
{
	struct pfc_watchdog_verdict verdict = pfc_watchdog_reset(&port->pfc.watchdog.engine, now);

	port->sent = 0;
	if (verdict.ended)
		apply_verdict(ws, port, verdict, 0xff, now);
}
