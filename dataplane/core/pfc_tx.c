/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/pfc_tx.h"

/* --- parameters ---------------------------------------------------------- */

int64_t pfc_tx_quanta_ns(struct dcb_rate rate, uint32_t quanta)
{
	uint64_t bits = (uint64_t)quanta * PFC_QUANTUM_BITS;

	return (int64_t)(bits * (uint64_t)DCB_NS_PER_S / rate.bps);
}

static uint32_t saturating_sub(uint32_t a, uint32_t b)
{
	return a > b ? a - b : 0;
}

bool pfc_tx_params_init(struct pfc_tx_params *params, const struct pfc_tx_config *config)
{
	uint32_t reserve = config->headroom_octets > UINT32_MAX - config->frame_octets
			       ? UINT32_MAX
			       : config->headroom_octets + config->frame_octets;
	uint32_t xoff = saturating_sub(config->buffer_octets, reserve);
	uint32_t xon = config->xon_octets;

	if (xoff == 0)
		xoff = 1; /* buffer too small: any frame pauses */
	if (xon == 0)
		xon = saturating_sub(xoff, PFC_TX_XON_FRAMES * config->frame_octets);
	*params = (struct pfc_tx_params){
	    .enable = config->enable,
	    .buffer_octets = config->buffer_octets,
	    .xoff_octets = xoff,
	    .xon_octets = xon < xoff ? xon : xoff - 1,
	    .pause_ns = pfc_tx_quanta_ns(config->rate, PFC_TX_PAUSE_QUANTA),
	    .refresh_ns = pfc_tx_quanta_ns(config->rate, PFC_TX_REFRESH_QUANTA),
	};
	return config->buffer_octets >= reserve;
}

void pfc_tx_configure(struct pfc_tx *tx, const struct pfc_tx_params *params)
{
	if (params->pause_ns != tx->params.pause_ns)
		tx->refresh = (struct dcb_time){0}; /* resend: quanta were of the old rate */
	tx->params = *params;
	tx->enable = params->enable;
}

/* --- sending ----------------------------------------------------------------- */

/* Returns true if congested: XOFF is reached, or was reached and XON not yet. */
static bool wants_pause(const struct pfc_tx *tx, unsigned priority)
{
	uint32_t octets = tx->octets[priority];

	if (!pfc_tx_is_enabled(tx, priority))
		return false;
	if (tx->paused >> priority & 1)
		return octets > tx->params.xon_octets;
	return octets >= tx->params.xoff_octets;
}

static uint8_t wanted(const struct pfc_tx *tx)
{
	uint8_t set = 0;

	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		set |= (uint8_t)(wants_pause(tx, i) << i);
	return set;
}

static void fill(struct pfc_pdu *pdu, uint8_t enable, uint8_t pause)
{
	*pdu = (struct pfc_pdu){.enable = enable};
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		if (pause >> i & 1)
			pdu->time[i] = PFC_TX_PAUSE_QUANTA;
	}
}

bool pfc_tx_next(const struct pfc_tx *tx, struct dcb_time now, struct pfc_pdu *pdu)
{
	uint8_t pause = wanted(tx);

	if (pause == tx->paused && (!pause || dcb_time_before(now, tx->refresh)))
		return false;
	fill(pdu, pause | tx->paused, pause);
	return true;
}

bool pfc_tx_last(const struct pfc_tx *tx, struct pfc_pdu *pdu)
{
	fill(pdu, tx->paused, 0);
	return tx->paused;
}

/* --- accounting ------------------------------------------------------------ */

/* Counts a pause up to now, at most up to its expiry. */
static void count_pause(struct pfc_tx *tx, unsigned priority, struct dcb_time now)
{
	struct dcb_time until = dcb_time_min(now, tx->expires[priority]);

	if (!(tx->paused >> priority & 1) || dcb_time_before(until, tx->since[priority]))
		return;
	tx->paused_ns[priority] += (uint64_t)dcb_time_diff_ns(until, tx->since[priority]);
	tx->since[priority] = until;
}

void pfc_tx_sent(struct pfc_tx *tx, const struct pfc_pdu *pdu, struct dcb_time now)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		uint8_t bit = (uint8_t)(1u << i);

		if (!(pdu->enable & bit))
			continue;
		count_pause(tx, i, now);
		tx->paused &= (uint8_t)~bit;
		if (pdu->time[i] == 0)
			continue;
		tx->paused |= bit;
		tx->since[i] = now;
		tx->expires[i] = dcb_time_add_ns(now, tx->params.pause_ns);
	}
	tx->refresh = dcb_time_add_ns(now, tx->params.refresh_ns);
}

void pfc_tx_forget(struct pfc_tx *tx, struct dcb_time now)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		count_pause(tx, i, now);
	tx->paused = 0;
}

void pfc_tx_reset(struct pfc_tx *tx)
{
	tx->enable = tx->paused = 0;
	tx->params = (struct pfc_tx_params){0};
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		__atomic_store_n(&tx->octets[i], 0, __ATOMIC_RELAXED);
}

struct dcb_time pfc_tx_deadline(const struct pfc_tx *tx)
{
	return tx->paused ? tx->refresh : DCB_TIME_NEVER;
}

bool pfc_tx_is_busy(const struct pfc_tx *tx)
{
	return tx->paused || wanted(tx);
}
