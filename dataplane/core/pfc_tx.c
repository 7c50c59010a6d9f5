/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/pfc_tx.h"

int64_t pfc_tx_quanta_ns(struct dcb_rate rate, uint32_t quanta)
{
	uint64_t bits = (uint64_t)quanta * PFC_QUANTUM_BITS;

	return (int64_t)(bits * (uint64_t)DCB_NS_PER_S / rate.bps);
}

void pfc_tx_configure(struct pfc_tx *tx, uint8_t enable, struct dcb_rate rate)
{
	int64_t pause_ns = pfc_tx_quanta_ns(rate, PFC_TX_PAUSE_QUANTA);

	if (pause_ns != tx->pause_ns)
		tx->refresh = (struct dcb_time){0}; /* resend: quanta were of the old rate */
	tx->pause_ns = pause_ns;
	tx->refresh_ns = pfc_tx_quanta_ns(rate, PFC_TX_REFRESH_QUANTA);
	tx->enable = enable;
}

/* --- sending ----------------------------------------------------------------- */

static void fill(struct pfc_pdu *pdu, uint8_t enable, uint8_t pause)
{
	*pdu = (struct pfc_pdu){.enable = enable};
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		if (pause >> i & 1)
			pdu->time[i] = PFC_TX_PAUSE_QUANTA;
	}
}

bool pfc_tx_next(const struct pfc_tx *tx, uint8_t congested, struct dcb_time now,
		 struct pfc_pdu *pdu)
{
	uint8_t pause = congested & tx->enable;

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
		tx->expires[i] = dcb_time_add_ns(now, tx->pause_ns);
	}
	tx->refresh = dcb_time_add_ns(now, tx->refresh_ns);
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
	tx->pause_ns = tx->refresh_ns = 0;
}

struct dcb_time pfc_tx_deadline(const struct pfc_tx *tx)
{
	return tx->paused ? tx->refresh : DCB_TIME_NEVER;
}
