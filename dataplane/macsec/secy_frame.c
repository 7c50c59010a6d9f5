/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of the SecY: secure frame generation, 10.5, and verification, 10.6. */
#include "dataplane/macsec/secy.h"

#include <stddef.h>
#include <string.h>

#include "dataplane/core/eth.h"
#include "lib/counter.h"
#include "lib/octets.h"

#define XPN_WINDOW_MAX ((UINT32_C(1) << 30) - 1) /* 10.7.8 */

/* Makes the IV of a packet number: see sak_iv(). */
static void packet_iv(const struct secy_sa *sa, uint64_t pn, uint8_t iv[SAK_IV_OCTETS])
{
	memcpy(iv, sa->iv, SAK_IV_OCTETS);
	put_be64(iv + 4, get_be64(iv + 4) ^ pn);
}

/*
 * Returns the octets of user data that are only authenticated: all without encryption, else
 * those of the confidentiality offset.
 */
static uint32_t clear_octets(const struct secy *secy, bool encrypted, uint32_t data_octets)
{
	uint32_t offset = secy->config.confidentiality_offset;

	return !encrypted || offset > data_octets ? data_octets : offset;
}

/* --- transmission -------------------------------------------------------------------------- */

/* 10.5.3, table 10-1. */
static bool includes_sci(const struct secy *secy)
{
	const struct secy_config *config = &secy->config;

	return config->always_include_sci || config->tx_scs > 1 ||
	       (secy->rx_scs > 1 && !config->use_es && !config->use_scb);
}

/*
 * Returns whether the receiver finds the SCI that a tag without SCI has. Choice: with useES a
 * frame whose source address is another system's has an explicit SCI, because 9.5 allows
 * the ES bit for the own address only; a bridge sends both.
 */
static bool implies_sci(const struct secy *secy, uint64_t sci, const uint8_t *frame)
{
	uint16_t port = secy->config.use_scb ? SECTAG_PORT_SCB : SECTAG_PORT_ES;

	return (!secy->config.use_es && !secy->config.use_scb) ||
	       sectag_sci(frame + ETH_SA_OFFSET, port) == sci;
}

uint32_t secy_overhead(const struct secy *secy)
{
	const struct secy_config *config = &secy->config;
	bool may_include = includes_sci(secy) || config->use_es || config->use_scb;

	if (!config->protect_frames)
		return 0;
	return (may_include ? SECTAG_MAX_OCTETS : SECTAG_OCTETS) + SECTAG_ICV_OCTETS;
}

static struct sectag make_tag(const struct secy *secy, const struct secy_tx_sc *sc,
			      const uint8_t *frame, uint32_t data_octets)
{
	const struct secy_config *config = &secy->config;
	bool with_sci = includes_sci(secy) || !implies_sci(secy, sc->sci, frame);

	return (struct sectag){
	    .es = config->use_es && !with_sci,
	    .sc = with_sci,
	    .scb = config->use_scb && !with_sci,
	    .encrypted = config->confidentiality,
	    .changed = config->confidentiality,
	    .an = sc->encoding_sa,
	    .sl = sectag_short_length(data_octets),
	    .sci = sc->sci,
	};
}

/* Returns the encoding SA; NULL: it has no packet number left, or there is none. */
static struct secy_sa *encoding_sa(struct secy_tx_sc *sc)
{
	struct secy_sa *sa = &sc->sa[sc->encoding_sa];

	if (!sc->transmitting || sa->next_pn == 0 || sa->next_pn > sa->limit)
		return NULL;
	return sa;
}

/* Takes a packet number, 10.5.2. It is used up even if the frame is not sent after all. */
static uint64_t take_pn(struct secy *secy, struct secy_sa *sa)
{
	uint64_t pn = sa->next_pn;

	gauge_set(&sa->next_pn, pn + 1);
	if (pn >= sa->pending_pn && !sa->pending) {
		sa->pending = true;
		secy->events |= SECY_EVENT_PN_PENDING;
	}
	if (pn == sa->limit)
		secy->events |= SECY_EVENT_PN_EXHAUSTED;
	return pn;
}

static void count_sent(struct secy *secy, struct secy_tx_sc *sc, struct secy_sa *sa,
		       uint32_t data_octets)
{
	if (secy->config.confidentiality) {
		counter_add(&sc->stats.encrypted_pkts, 1);
		counter_add(&sa->tx.encrypted_pkts, 1);
		counter_add(&secy->stats.tx_octets_encrypted, data_octets);
	} else {
		counter_add(&sc->stats.protected_pkts, 1);
		counter_add(&sa->tx.protected_pkts, 1);
		counter_add(&secy->stats.tx_octets_protected, data_octets);
	}
}

/* Writes the frame in its room, with a tag whose packet number is still to be set. */
static enum secy_tx seal(struct secy *secy, struct secy_sa *sa, struct sectag *tag,
			 const uint8_t *frame, uint32_t data_octets, uint8_t *octets)
{
	uint64_t pn = take_pn(secy, sa);
	uint32_t head = SECTAG_ADDRESSES + sectag_octets(tag);
	uint32_t clear = clear_octets(secy, tag->encrypted, data_octets);
	const uint8_t *data = frame + SECTAG_ADDRESSES;
	uint8_t iv[SAK_IV_OCTETS];
	bool sealed;

	memmove(octets, frame, SECTAG_ADDRESSES);
	tag->pn = (uint32_t)pn;
	sectag_encode(tag, octets + SECTAG_ADDRESSES);
	if (octets + head != data)
		memcpy(octets + head, data, clear);
	packet_iv(sa, pn, iv);
	sealed = sak_seal(sa->sak, iv, octets, head + clear, data + clear, data_octets - clear,
			  octets + head + clear, octets + head + data_octets);
	return sealed ? SECY_TX_SEND : SECY_TX_FAILED;
}

enum secy_tx secy_protect(struct secy *secy, unsigned int channel, uint8_t *frame, uint32_t len,
			  uint8_t *room, struct secy_frame *out)
{
	struct secy_tx_sc *sc = &secy->tx[channel < secy->config.tx_scs ? channel : 0];
	uint32_t data_octets = len - SECTAG_ADDRESSES;
	struct secy_sa *sa;
	struct sectag tag;
	enum secy_tx sent;

	*out = (struct secy_frame){frame, len};
	if (!secy->config.protect_frames) {
		counter_add(&secy->stats.tx_untagged_pkts, 1);
		return SECY_TX_SEND;
	}
	if (len <= SECTAG_ADDRESSES)
		return SECY_TX_FAILED;
	sa = encoding_sa(sc);
	if (!sa) {
		counter_add(&secy->stats.tx_no_sa_pkts, 1);
		return SECY_TX_NO_SA;
	}
	tag = make_tag(secy, sc, frame, data_octets);
	out->octets = room + SECY_HEADROOM - sectag_octets(&tag);
	out->len = len + sectag_octets(&tag) + SECTAG_ICV_OCTETS;
	if (secy->config.max_octets && out->len > secy->config.max_octets) {
		counter_add(&secy->stats.tx_too_long_pkts, 1);
		return SECY_TX_TOO_LONG;
	}
	sent = seal(secy, sa, &tag, frame, data_octets, out->octets);
	if (sent == SECY_TX_SEND)
		count_sent(secy, sc, sa, data_octets);
	return sent;
}

/* --- reception ------------------------------------------------------------------------------- */

/* A frame with a valid SecTAG. */
struct received {
	uint8_t *octets;
	struct sectag_view view;
	struct secy_rx_sc *sc;
	struct secy_sa *sa;
	uint64_t pn;
	bool valid;
};

/* Returns the receive SC of a frame, 10.6.1; NULL: none. */
static struct secy_rx_sc *rx_sc(struct secy *secy, const uint8_t *frame, const struct sectag *tag)
{
	uint64_t sci = tag->sci;

	/* The SCI of the only peer, unless the tag implies one. */
	if (!tag->sc && !tag->es && !tag->scb)
		return secy->rx_scs == 1 ? &secy->rx[0] : NULL;
	if (!tag->sc)
		sci =
		    sectag_sci(frame + ETH_SA_OFFSET, tag->scb ? SECTAG_PORT_SCB : SECTAG_PORT_ES);
	for (unsigned int i = 0; i < secy->rx_scs; i++) {
		if (secy->rx[i].sci == sci)
			return &secy->rx[i];
	}
	return NULL;
}

/*
 * Returns the packet number, 10.6.2. With XPN the high 32 bits are those of the lowest
 * acceptable one, or one more if the low 32 bits have wrapped.
 */
static uint64_t recover_pn(const struct secy *secy, const struct secy_sa *sa, uint32_t pn)
{
	uint64_t high = sa->lowest_pn >> 32;

	if (!macsec_suite_info(secy->config.suite)->xpn)
		return pn;
	if ((sa->lowest_pn & UINT32_C(0x80000000)) && !(pn & UINT32_C(0x80000000)))
		high++;
	return high << 32 | pn;
}

/* 10.6.3. */
static void check_icv(struct secy *secy, struct received *f)
{
	const struct sectag_view *view = &f->view;
	uint32_t clear = clear_octets(secy, view->tag.encrypted, view->data_octets);
	uint8_t *data = f->octets + view->data;
	uint8_t iv[SAK_IV_OCTETS];

	packet_iv(f->sa, f->pn, iv);
	f->valid = sak_open(f->sa->sak, iv, f->octets, view->data + clear, data + clear,
			    view->data_octets - clear, data + view->data_octets);
	counter_add(view->tag.encrypted ? &secy->stats.rx_octets_decrypted
					: &secy->stats.rx_octets_validated,
		    view->data_octets);
}

/* 10.6.5: after a valid frame. */
static void update_replay(const struct secy *secy, struct secy_sa *sa, uint64_t pn)
{
	uint64_t window = secy->config.replay_window, lowest;

	if (macsec_suite_info(secy->config.suite)->xpn && window > XPN_WINDOW_MAX)
		window = XPN_WINDOW_MAX;
	if (pn >= sa->next_pn) {
		gauge_set(&sa->exhausted, pn == UINT64_MAX);
		gauge_set(&sa->next_pn, sa->exhausted ? pn : pn + 1);
	}
	lowest = sa->next_pn > window ? sa->next_pn - window : 0;
	if (lowest > sa->lowest_pn)
		gauge_set(&sa->lowest_pn, lowest);
}

/* Delivers the frame without SecTAG and ICV, as out. */
static enum secy_rx deliver(struct received *f, struct secy_frame *out)
{
	out->octets = f->octets + f->view.data - SECTAG_ADDRESSES;
	out->len = SECTAG_ADDRESSES + f->view.data_octets;
	memmove(out->octets, f->octets, SECTAG_ADDRESSES);
	return SECY_RX_DELIVER;
}

static enum secy_rx discard(uint64_t *counter)
{
	counter_add(counter, 1);
	return SECY_RX_DISCARD;
}

/* Returns whether a frame that is not validated must not be delivered. */
static bool needs_validation(const struct secy *secy, const struct received *f)
{
	return secy->config.validate_frames == SECY_VALIDATE_STRICT || f->view.tag.changed;
}

/* Counts a frame of a known SA; verdict: the offset of a counter of struct secy_rx_sc_stats. */
static void count_verdict(const struct received *f, size_t verdict)
{
	counter_add((uint64_t *)(void *)((char *)&f->sc->stats + verdict), 1);
	counter_add((uint64_t *)(void *)((char *)&f->sa->rx + verdict), 1);
}
#define VERDICT(counter) offsetof(struct secy_rx_sc_stats, counter)

/* 10.6.5. late: the packet number was below the lowest acceptable one. */
static enum secy_rx indicate(const struct secy *secy, struct received *f, bool late,
			     struct secy_frame *out)
{
	size_t verdict = VERDICT(ok_pkts);

	if (!f->valid && needs_validation(secy, f)) {
		count_verdict(f, VERDICT(not_valid_pkts));
		return SECY_RX_DISCARD;
	}
	if (!f->valid && secy->config.validate_frames == SECY_VALIDATE_CHECK)
		verdict = VERDICT(invalid_pkts);
	else if (late)
		verdict = VERDICT(delayed_pkts);
	else if (!f->valid)
		verdict = VERDICT(unchecked_pkts);
	count_verdict(f, verdict);
	return deliver(f, out);
}

/* A frame whose SA is known: 10.6.2 to 10.6.5. */
static enum secy_rx validate(struct secy *secy, struct received *f, struct secy_frame *out)
{
	bool late;

	f->pn = recover_pn(secy, f->sa, f->view.tag.pn);
	late = f->pn < f->sa->lowest_pn;
	if (late && secy->config.replay_protect) {
		count_verdict(f, VERDICT(late_pkts));
		return SECY_RX_DISCARD;
	}
	if (secy->config.validate_frames != SECY_VALIDATE_DISABLED)
		check_icv(secy, f);
	if (f->valid)
		update_replay(secy, f->sa, f->pn);
	return indicate(secy, f, late, out);
}

static enum secy_rx receive_untagged(struct secy *secy)
{
	if (secy->config.validate_frames == SECY_VALIDATE_STRICT)
		return discard(&secy->stats.rx_no_tag_pkts);
	counter_add(&secy->stats.rx_untagged_pkts, 1);
	return SECY_RX_DELIVER;
}

/* A frame with a valid SecTAG: finds its SA. */
static enum secy_rx receive_tagged(struct secy *secy, struct received *f, struct secy_frame *out)
{
	f->sc = rx_sc(secy, f->octets, &f->view.tag);
	f->sa = f->sc ? &f->sc->sa[f->view.tag.an] : NULL;
	if (f->sa && f->sa->sak && !f->sa->exhausted)
		return validate(secy, f, out);
	if (needs_validation(secy, f))
		return discard(&secy->stats.rx_no_sa_error_pkts);
	counter_add(&secy->stats.rx_no_sa_pkts, 1);
	return deliver(f, out);
}

/* 14.1: a packet number is never 0. That of XPN has 64 bits. */
static bool has_bad_pn(const struct secy *secy, const struct sectag *tag)
{
	return tag->pn == 0 && !macsec_suite_info(secy->config.suite)->xpn;
}

enum secy_rx secy_validate(struct secy *secy, uint8_t *frame, uint32_t len, struct secy_frame *out,
			   bool *valid)
{
	struct received f = {.octets = frame};
	enum sectag_error error = sectag_decode(frame, len, &f.view);
	enum secy_rx verdict;

	*out = (struct secy_frame){frame, len};
	*valid = false;
	if (error == SECTAG_NONE)
		return receive_untagged(secy);
	if (error || has_bad_pn(secy, &f.view.tag))
		return discard(&secy->stats.rx_bad_tag_pkts);
	if (f.view.tag.encrypted && !f.view.tag.changed) {
		counter_add(&secy->stats.rx_uncontrolled_pkts, 1);
		return SECY_RX_UNCONTROLLED;
	}
	verdict = receive_tagged(secy, &f, out);
	*valid = f.valid;
	return verdict;
}
