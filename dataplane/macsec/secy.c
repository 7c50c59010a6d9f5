/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/macsec/secy.h"

#include <string.h>

#include "lib/counter.h"

#define SCI_NONE      UINT64_MAX       /* 9.9: never used */
#define SCI_CLASS     UINT64_C(0xf000) /* of the port: the transmit SC, 10.7.17 */
#define SCI_CLASS_BIT 12

/* --- configuration ------------------------------------------------------------------------- */

void secy_config_init(struct secy_config *config, uint64_t sci)
{
	*config = (struct secy_config){
	    .sci = sci,
	    .suite = MACSEC_GCM_AES_128,
	    .tx_scs = 1,
	    .validate_frames = SECY_VALIDATE_STRICT,
	    .protect_frames = true,
	    .confidentiality = true,
	    .replay_protect = true,
	};
}

static bool is_xpn(const struct secy *secy)
{
	return macsec_suite_info(secy->config.suite)->xpn;
}

static enum secy_error check_config(const struct secy_config *config)
{
	uint8_t offset = config->confidentiality_offset;

	if (config->suite >= MACSEC_SUITES)
		return SECY_BAD_SUITE;
	if (offset != 0 && offset != 30 && offset != 50)
		return SECY_BAD_OFFSET;
	if (offset && macsec_suite_info(config->suite)->xpn)
		return SECY_BAD_OFFSET;
	if (config->tx_scs < 1 || config->tx_scs > SECY_TX_SCS)
		return SECY_BAD_CHANNEL;
	if (config->sci == SCI_NONE || (config->tx_scs > 1 && (config->sci & SCI_CLASS)))
		return SECY_BAD_SCI;
	return SECY_OK;
}

enum secy_error secy_init(struct secy *secy, const struct secy_config *config)
{
	enum secy_error error = check_config(config);

	if (error)
		return error;
	*secy = (struct secy){.config = *config};
	for (unsigned int i = 0; i < config->tx_scs; i++)
		secy->tx[i].sci = config->sci | (uint64_t)i << SCI_CLASS_BIT;
	return SECY_OK;
}

/* --- receive SCs ----------------------------------------------------------------------------- */

static struct secy_rx_sc *find_rx(struct secy *secy, uint64_t sci)
{
	for (unsigned int i = 0; i < secy->rx_scs; i++) {
		if (secy->rx[i].sci == sci)
			return &secy->rx[i];
	}
	return NULL;
}

const struct secy_rx_sc *secy_rx_sc(const struct secy *secy, uint64_t sci)
{
	for (unsigned int i = 0; i < secy->rx_scs; i++) {
		if (secy->rx[i].sci == sci)
			return &secy->rx[i];
	}
	return NULL;
}

enum secy_error secy_add_rx_sc(struct secy *secy, uint64_t sci)
{
	if (sci == SCI_NONE)
		return SECY_BAD_SCI;
	if (find_rx(secy, sci))
		return SECY_SC_EXISTS;
	/* The own SCI: the IVs of both directions would be the same. */
	for (unsigned int i = 0; i < secy->config.tx_scs; i++) {
		if (secy->tx[i].sci == sci)
			return SECY_SC_EXISTS;
	}
	if (secy->rx_scs == SECY_RX_SCS)
		return SECY_TOO_MANY;
	secy->rx[secy->rx_scs++] = (struct secy_rx_sc){.sci = sci};
	return SECY_OK;
}

/* --- SAs ------------------------------------------------------------------------------------- */

static uint64_t last_pn(const struct secy *secy)
{
	return is_xpn(secy) ? UINT64_MAX : UINT32_MAX;
}

/* Returns whether one of the four SAs of another SC has this key and SSCI. */
static bool has_ssci(const struct secy_sa *sa, const struct sak *sak, uint32_t ssci)
{
	for (unsigned int an = 0; an < SECTAG_ANS; an++) {
		if (sa[an].sak == sak && sa[an].ssci == ssci)
			return true;
	}
	return false;
}

/* 10.7.13, 10.7.22: with XPN each SCI that uses a key has an SSCI of its own. */
static bool ssci_is_used(const struct secy *secy, uint64_t sci, const struct sak *sak,
			 uint32_t ssci)
{
	bool used = false;

	for (unsigned int i = 0; i < secy->config.tx_scs; i++)
		used |= secy->tx[i].sci != sci && has_ssci(secy->tx[i].sa, sak, ssci);
	for (unsigned int i = 0; i < secy->rx_scs; i++)
		used |= secy->rx[i].sci != sci && has_ssci(secy->rx[i].sa, sak, ssci);
	return used && is_xpn(secy);
}

/* Checks that are the same for both directions. */
static enum secy_error check_sa(const struct secy *secy, uint64_t sci, unsigned int an,
				const struct sak *sak, uint32_t ssci, uint64_t pn)
{
	if (an >= SECTAG_ANS)
		return SECY_BAD_AN;
	if (sak_suite(sak) != secy->config.suite)
		return SECY_BAD_SUITE;
	if (pn == 0 || pn > last_pn(secy))
		return SECY_BAD_PN;
	return ssci_is_used(secy, sci, sak, ssci) ? SECY_SSCI_USED : SECY_OK;
}

/*
 * Sets the limit, and with it the packet number of SECY_EVENT_PN_PENDING. Of all packet numbers
 * these are c000 0000 and c000 0000 0000 0000, as in IEEE Std 802.1X 9.8.
 */
static void set_limit(const struct secy *secy, struct secy_sa *sa, uint64_t limit)
{
	sa->limit = limit < last_pn(secy) ? limit : last_pn(secy);
	sa->pending_pn = sa->limit - ((sa->limit - (sa->next_pn - 1)) >> 2);
	sa->pending = false;
}

/* Returns whether a packet number is left. */
static bool has_pn(const struct secy_sa *sa)
{
	return sa->sak && sa->next_pn != 0 && sa->next_pn <= sa->limit;
}

enum secy_error secy_install_tx(struct secy *secy, unsigned int channel, unsigned int an,
				struct sak *sak, uint32_t ssci, uint64_t next_pn, uint64_t limit)
{
	struct secy_tx_sc *sc;
	enum secy_error error;

	if (channel >= secy->config.tx_scs)
		return SECY_BAD_CHANNEL;
	sc = &secy->tx[channel];
	error = check_sa(secy, sc->sci, an, sak, ssci, next_pn);
	if (error)
		return error;
	if (limit < next_pn)
		return SECY_BAD_PN;
	for (unsigned int i = 0; i < SECTAG_ANS; i++) {
		if (sc->sa[i].sak == sak)
			return SECY_SAK_USED;
	}
	if (sc->transmitting && sc->encoding_sa == an)
		sc->transmitting = false;
	sc->sa[an] = (struct secy_sa){.sak = sak, .ssci = ssci, .next_pn = next_pn};
	sak_iv(sak, sc->sci, ssci, sc->sa[an].iv);
	set_limit(secy, &sc->sa[an], limit);
	return SECY_OK;
}

enum secy_error secy_extend_tx(struct secy *secy, unsigned int channel, unsigned int an,
			       uint64_t limit)
{
	struct secy_sa *sa;

	if (channel >= secy->config.tx_scs)
		return SECY_BAD_CHANNEL;
	if (an >= SECTAG_ANS || !secy->tx[channel].sa[an].sak)
		return SECY_BAD_AN;
	sa = &secy->tx[channel].sa[an];
	if (sa->next_pn == 0 || limit < sa->limit)
		return SECY_BAD_PN;
	set_limit(secy, sa, limit);
	return SECY_OK;
}

enum secy_error secy_transmit(struct secy *secy, unsigned int channel, unsigned int an,
			      struct dcb_time now)
{
	struct secy_tx_sc *sc;

	if (channel >= secy->config.tx_scs)
		return SECY_BAD_CHANNEL;
	sc = &secy->tx[channel];
	if (an >= SECTAG_ANS || !sc->sa[an].sak)
		return SECY_BAD_AN;
	if (sc->transmitting && sc->encoding_sa == an)
		return SECY_OK;
	if (sc->transmitting)
		gauge_set(&sc->sa[sc->encoding_sa].stopped.ns, now.ns);
	gauge_set(&sc->encoding_sa, (uint8_t)an);
	gauge_set(&sc->transmitting, true);
	gauge_set(&sc->sa[an].started.ns, now.ns);
	return SECY_OK;
}

/* The times stay until the next SA with this AN. */
static void remove_sa(struct secy_sa *sa, struct dcb_time now)
{
	if (sa->sak)
		sa->stopped = now;
	sa->sak = NULL;
	memset(sa->iv, 0, sizeof(sa->iv)); /* it has the salt */
}

void secy_remove_tx(struct secy *secy, unsigned int channel, unsigned int an, struct dcb_time now)
{
	struct secy_tx_sc *sc = &secy->tx[channel % SECY_TX_SCS];

	if (channel >= SECY_TX_SCS || an >= SECTAG_ANS)
		return;
	if (sc->encoding_sa == an)
		sc->transmitting = false;
	remove_sa(&sc->sa[an], now);
}

int secy_next_an(const struct secy *secy, unsigned int channel)
{
	const struct secy_tx_sc *sc = &secy->tx[channel % SECY_TX_SCS];

	for (unsigned int i = 1; i < SECTAG_ANS; i++) {
		unsigned int an = (sc->encoding_sa + i) % SECTAG_ANS;

		if (has_pn(&sc->sa[an]))
			return (int)an;
	}
	return -1;
}

enum secy_error secy_install_rx(struct secy *secy, uint64_t sci, unsigned int an, struct sak *sak,
				uint32_t ssci, uint64_t lowest_pn, struct dcb_time now)
{
	struct secy_rx_sc *sc = find_rx(secy, sci);
	uint64_t last = last_pn(secy);
	enum secy_error error;

	if (!sc)
		return SECY_NO_SC;
	error = check_sa(secy, sci, an, sak, ssci, lowest_pn > last ? last : lowest_pn);
	if (error)
		return error;
	sc->sa[an] = (struct secy_sa){
	    .sak = sak,
	    .ssci = ssci,
	    .next_pn = lowest_pn,
	    .lowest_pn = lowest_pn,
	    .started = now,
	};
	sak_iv(sak, sci, ssci, sc->sa[an].iv);
	return SECY_OK;
}

void secy_remove_rx(struct secy *secy, uint64_t sci, unsigned int an, struct dcb_time now)
{
	struct secy_rx_sc *sc = find_rx(secy, sci);

	if (sc && an < SECTAG_ANS)
		remove_sa(&sc->sa[an], now);
}

bool secy_operational(const struct secy *secy)
{
	const struct secy_tx_sc *sc = &secy->tx[0];

	return !secy->config.protect_frames ||
	       (sc->transmitting && has_pn(&sc->sa[sc->encoding_sa]));
}

static bool has_used_limit(const struct secy_tx_sc *sc)
{
	const struct secy_sa *sa = &sc->sa[sc->encoding_sa];

	return sc->transmitting && sa->sak && !has_pn(sa);
}

bool secy_is_used_up(const struct secy *secy, unsigned int channel)
{
	const struct secy_tx_sc *sc = &secy->tx[channel % SECY_TX_SCS];

	return has_used_limit(sc) && sc->sa[sc->encoding_sa].limit == last_pn(secy);
}

bool secy_awaits_limit(const struct secy *secy, unsigned int channel)
{
	const struct secy_tx_sc *sc = &secy->tx[channel % SECY_TX_SCS];

	return has_used_limit(sc) && sc->sa[sc->encoding_sa].limit < last_pn(secy);
}

unsigned int secy_take_events(struct secy *secy)
{
	unsigned int events = secy->events;

	secy->events = 0;
	return events;
}

const char *secy_strerror(enum secy_error error)
{
	static const char *const text[SECY_ERRORS] = {
	    [SECY_OK] = "no error",
	    [SECY_BAD_SUITE] = "unknown cipher suite, or a key for another one",
	    [SECY_BAD_OFFSET] = "expected a confidentiality offset of 0, 30 or 50, with XPN 0",
	    [SECY_BAD_CHANNEL] = "no such transmit channel",
	    [SECY_BAD_SCI] = "SCI is reserved",
	    [SECY_BAD_AN] = "no SA with this association number",
	    [SECY_BAD_PN] = "packet number out of range",
	    [SECY_NO_SC] = "no receive channel with this SCI",
	    [SECY_SC_EXISTS] = "a channel has this SCI",
	    [SECY_TOO_MANY] = "too many receive channels",
	    [SECY_SAK_USED] = "an SA of the channel has this key",
	    [SECY_SSCI_USED] = "another channel has this key and SSCI",
	};

	return (unsigned int)error < SECY_ERRORS ? text[error] : "unknown";
}
