/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/pfc_rx.h"

static bool runs(const struct pfc_rx *rx, unsigned n)
{
	return rx->paused >> n & 1;
}

static void stop(struct pfc_rx *rx, unsigned n)
{
	rx->paused = (uint16_t)(rx->paused & ~(1u << n));
}

/* Adds the time since the last call, up to the end of the timer, to paused_ns. */
static void count(struct pfc_rx_timer *timer, struct dcb_time now)
{
	struct dcb_time end = dcb_time_min(timer->until, now);

	timer->paused_ns += (uint64_t)dcb_time_diff_ns(end, timer->counted);
	timer->counted = end;
}

/*
 * Sets the remaining time, in 10^-9 bit. The timer ends at a whole nanosecond;
 * rounding keeps the rounding for a later change of the rate.
 */
static void set_left(struct pfc_rx_timer *timer, uint64_t left, struct dcb_rate rate,
		     struct dcb_time now)
{
	uint64_t ns = (left + rate.bps - 1) / rate.bps;

	timer->until = dcb_time_add_ns(now, (int64_t)ns);
	timer->rounding = ns * rate.bps - left;
}

static uint64_t left_of(const struct pfc_rx_timer *timer, struct dcb_rate rate, struct dcb_time now)
{
	return (uint64_t)dcb_time_diff_ns(timer->until, now) * rate.bps - timer->rounding;
}

/* Sets a timer to a new time. The caller has counted paused_ns up to now. */
static void load(struct pfc_rx *rx, unsigned n, uint16_t quanta, struct dcb_time now)
{
	struct pfc_rx_timer *timer = &rx->timer[n];

	if (quanta == 0) {
		stop(rx, n);
		return;
	}
	if (!runs(rx, n)) {
		rx->paused = (uint16_t)(rx->paused | 1u << n);
		timer->transitions++;
	}
	timer->counted = now;
	set_left(timer, (uint64_t)quanta * PFC_QUANTUM_BITS * (uint64_t)DCB_NS_PER_S, rx->rate,
		 now);
}

void pfc_rx_advance(struct pfc_rx *rx, struct dcb_time now)
{
	if (!rx->paused)
		return;
	for (unsigned n = 0; n < PFC_RX_TIMERS; n++) {
		if (!runs(rx, n))
			continue;
		count(&rx->timer[n], now);
		if (!dcb_time_before(now, rx->timer[n].until))
			stop(rx, n);
	}
}

void pfc_rx_indication(struct pfc_rx *rx, const struct pfc_pdu *pdu, struct dcb_time now)
{
	pfc_rx_advance(rx, now);
	for (unsigned n = 0; n < DCB_PRIORITIES; n++) {
		if (pdu->enable & rx->enabled & 1u << n)
			load(rx, n, pdu->time[n], now);
	}
}

bool pfc_rx_pause(struct pfc_rx *rx, uint16_t quanta, struct dcb_time now)
{
	if (!rx->rx_pause)
		return false;
	pfc_rx_advance(rx, now);
	load(rx, PFC_RX_LINK, quanta, now);
	return true;
}

void pfc_rx_configure(struct pfc_rx *rx, uint8_t enabled, bool pause, struct dcb_rate rate,
		      struct dcb_time now)
{
	pfc_rx_advance(rx, now);
	rx->enabled = enabled;
	rx->rx_pause = pause && !enabled;
	rx->paused &= (uint16_t)(enabled | (rx->rx_pause ? 1u << PFC_RX_LINK : 0u));
	for (unsigned n = 0; rx->paused && n < PFC_RX_TIMERS; n++) {
		if (runs(rx, n) && rate.bps != rx->rate.bps)
			set_left(&rx->timer[n], left_of(&rx->timer[n], rx->rate, now), rate, now);
	}
	rx->rate = rate;
}

void pfc_rx_reset(struct pfc_rx *rx, struct dcb_time now)
{
	pfc_rx_advance(rx, now);
	rx->paused = 0;
}

struct dcb_time pfc_rx_deadline(const struct pfc_rx *rx)
{
	struct dcb_time next = DCB_TIME_NEVER;

	for (unsigned n = 0; rx->paused && n < PFC_RX_TIMERS; n++) {
		if (runs(rx, n))
			next = dcb_time_min(next, rx->timer[n].until);
	}
	return next;
}
