/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_secy.h"

#include "dataplane/config/provider.h"
#include "dataplane/macsec/port_macsec.h"
#include "lib/counter.h"
#include "lib/octets.h"

_Static_assert((int)MO_cipher_suite_gcmAesXpn256 == (int)MACSEC_GCM_AES_XPN_256 + 1 &&
		   (int)MO_validate_frames_strict == (int)SECY_VALIDATE_STRICT + 1 &&
		   (int)MO_macsec_dataAndPfc == (int)PFC_MACSEC_ALL,
	       "the rows of agent.def and the enumerations have the same order");

/* Not NULL: a port without MACsec has no rows. */
static const struct port_macsec *macsec_at(const struct dcb_config *c, size_t pos)
{
	return provider_macsec(c->ports[pos].port);
}

/* As secy_operational(), for another thread than the SecY's. */
static bool operational(const struct port_macsec *m)
{
	const struct secy_tx_sc *sc = &m->secy.tx[0];
	unsigned an = gauge_get(&sc->encoding_sa);
	uint64_t next = gauge_get(&sc->sa[an].next_pn);

	return !m->secy.config.protect_frames ||
	       (gauge_get(&sc->transmitting) && next != 0 && next <= gauge_get(&m->reserved[an]));
}

void load_secy(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
	       struct secy_row *row)
{
	const struct port_macsec *macsec = macsec_at(c, at->pos);
	const struct secy_config *config = &macsec->secy.config;

	(void)m;
	row->mode = (uint8_t)macsec->mode;
	row->operational = operational(macsec);
	row->suite = config->suite + 1;
	put_be64(row->sci, config->sci);
	row->confidentiality = config->confidentiality;
	row->confidentiality_offset = config->confidentiality_offset;
	row->validate_frames = config->validate_frames + 1;
	row->replay_protect = config->replay_protect;
	row->replay_window = config->replay_window;
	row->include_sci = config->always_include_sci;
	row->tx_channels = config->tx_scs;
	row->encoding_sa = gauge_get(&macsec->secy.tx[0].encoding_sa);
	counters_copy(&row->stats, &macsec->secy.stats, sizeof(row->stats));
	counters_copy(&row->port, &macsec->stats, sizeof(row->port));
	row->tx = (struct secy_tx_sc_stats){0};
	row->delay_ns = (uint32_t)row->port.delay_ns;
	for (unsigned channel = 0; channel < config->tx_scs; channel++) {
		struct secy_tx_sc_stats tx;

		counters_copy(&tx, &macsec->secy.tx[channel].stats, sizeof(tx));
		row->tx.protected_pkts += tx.protected_pkts;
		row->tx.encrypted_pkts += tx.encrypted_pkts;
	}
}

void load_secy_rx(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		  struct secy_rx_row *row)
{
	const struct secy_rx_sc *sc = &macsec_at(c, at->pos)->secy.rx[at->channel];

	(void)m;
	put_be64(row->sci, sc->sci);
	counters_copy(&row->stats, &sc->stats, sizeof(row->stats));
}

static bool is_xpn(const struct port_macsec *m)
{
	return m->secy.config.suite >= MACSEC_GCM_AES_XPN_128;
}

/*
 * Returns 0 after the last packet number of the suite. A key that was used up at the start has no
 * SA to transmit with.
 */
static uint64_t next_to_send(const struct port_macsec *m, const struct secy_sa *sa, uint64_t last)
{
	uint64_t next = sa->sak ? gauge_get(&sa->next_pn) : last + 1;

	return is_xpn(m) || next <= UINT32_MAX ? next : 0;
}

/* Returns whether the peer has packet numbers left, by those received, now or before the start. */
static bool peer_has_numbers(const struct port_macsec *m, const struct secy_sa *rx)
{
	return (is_xpn(m) || gauge_get(&rx->next_pn) <= UINT32_MAX) && !gauge_get(&rx->exhausted);
}

void load_secy_sa(const struct managed *m, const struct dcb_config *c, const struct mo_row_at *at,
		  struct secy_sa_row *row)
{
	const struct port_macsec *macsec = macsec_at(c, at->pos);
	const struct secy_tx_sc *tx = &macsec->secy.tx[at->channel];
	const struct secy_sa *rx = &macsec->secy.rx[at->channel].sa[at->an];

	(void)m;
	counters_copy(&row->tx, &tx->sa[at->an].tx, sizeof(row->tx));
	counters_copy(&row->rx, &rx->rx, sizeof(row->rx));
	row->rx_state =
	    peer_has_numbers(macsec, rx) ? MO_secy_rx_state_inUse : MO_secy_rx_state_usedUp;
	row->tx_reserved_pn = gauge_get(&macsec->reserved[at->an]);
	row->tx_next_pn = next_to_send(macsec, &tx->sa[at->an], row->tx_reserved_pn);
	row->rx_next_pn = gauge_get(&rx->next_pn);
	row->rx_lowest_pn = gauge_get(&rx->lowest_pn);
	if (row->tx_next_pn == 0)
		row->tx_state = MO_secy_tx_state_usedUp;
	else if (gauge_get(&tx->transmitting) && gauge_get(&tx->encoding_sa) == at->an)
		row->tx_state = MO_secy_tx_state_inUse;
	else
		row->tx_state = MO_secy_tx_state_notInUse;
}
