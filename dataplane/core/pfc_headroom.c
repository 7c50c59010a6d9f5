/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/pfc_headroom.h"

#include <stddef.h>
#include <string.h>

#define GIGABIT UINT64_C(1000000000)

/* --- arithmetic: rounded up, no overflow for inputs within their bounds ----------------- */

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

/* Returns the bits that are sent in a time. */
static uint64_t bits_of_ns(uint32_t ns, uint64_t bps)
{
	return ns * (bps / GIGABIT) + divide_up(ns * (bps % GIGABIT), GIGABIT);
}

/*
 * Converts bit times that the standard states for 10 Gb/s to another speed.
 * Choice: the standard does not say whether the bit times or the time stays
 * constant. This uses the larger result: the bit times on slower links, the
 * time on faster ones. For the SecY, 36.4.1 only says that the number is
 * appropriate up to 10 Gb/s.
 */
static uint64_t bits_at_10g(uint64_t bits, uint64_t bps)
{
	if (bps <= 10 * GIGABIT)
		return bits;
	return bits * (bps / (10 * GIGABIT)) +
	       divide_up(bits * (bps % (10 * GIGABIT)), 10 * GIGABIT);
}

static uint64_t frame_bits(uint32_t octets)
{
	return 8 * (uint64_t)(octets + DCB_WIRE_OVERHEAD_OCTETS);
}

/* --- values of the standard ------------------------------------------------------------ */

/*
 * N.4. The annex rounds the speed of light to 3*10^8 m/s. 100 m of Cat6 then
 * are 5556 bit times at 10 Gb/s, as in the annex.
 */
static uint64_t cable_bits(const struct pfc_headroom_input *in)
{
	uint64_t mps = in->medium == PFC_MEDIUM_FIBRE ? UINT64_C(200000000) : UINT64_C(180000000);

	return in->cable_m * (in->speed_bps / mps) +
	       divide_up(in->cable_m * (in->speed_bps % mps), mps);
}

static uint64_t link_bits(const struct pfc_headroom_input *in)
{
	return in->link_delay_ns ? bits_of_ns(in->link_delay_ns, in->speed_bps) : cable_bits(in);
}

/* Table N-1: transmit and receive delay of the sublayers of one station, bit times at 10 Gb/s. */
#define MAC_BITS          8192
#define XGXS_XAUI_BITS    2048
#define PCS_10GBASE_X     2048
#define PCS_10GBASE_R     3584
#define PMD_BITS          512 /* LX4, CX4 and serial */
#define PHY_10GBASE_T     25600
#define PHY_BITS_SPEED    (10 * GIGABIT)
#define INITIATION_BITS   200  /* N.6 */
#define RESPONSE_BITS     6144 /* 36.3.3: 614.4 ns */
#define PROTECTION_OCTETS 32   /* SecTAG with SCI, and ICV */

static const uint16_t phy_bits[PFC_PHY_LAST + 1] = {
    [PFC_PHY_10GBASE_T] = MAC_BITS + 2 * XGXS_XAUI_BITS + PHY_10GBASE_T,
    [PFC_PHY_10GBASE_R] = MAC_BITS + PCS_10GBASE_R + PMD_BITS,
    [PFC_PHY_10GBASE_LX4] = MAC_BITS + PCS_10GBASE_X + PMD_BITS,
    [PFC_PHY_10GBASE_CX4] = MAC_BITS + PCS_10GBASE_X + PMD_BITS,
};

/*
 * Sets *bits to MAC and PHY delay of one station, transmit and receive. Unknown
 * PHY at 10 Gb/s: "The worst case is with a 10GBASE-T PHY" (N.6).
 */
static enum pfc_headroom_error interface_bits(const struct pfc_headroom_input *in, uint64_t *bits)
{
	*bits = 0;
	if (in->interface_ns) {
		*bits = bits_of_ns(in->interface_ns, in->speed_bps);
		return PFC_HEADROOM_OK;
	}
	switch (in->phy) {
	case 0:
		if (in->speed_bps != PHY_BITS_SPEED)
			return PFC_HEADROOM_PHY_UNKNOWN;
		*bits = phy_bits[PFC_PHY_10GBASE_T];
		return PFC_HEADROOM_OK;
	case PFC_PHY_NONE:
		return PFC_HEADROOM_OK;
	case PFC_PHY_WORST:
		*bits = bits_at_10g(phy_bits[PFC_PHY_10GBASE_T], in->speed_bps);
		return PFC_HEADROOM_OK;
	default:
		*bits = phy_bits[in->phy];
		return in->speed_bps == PHY_BITS_SPEED ? PFC_HEADROOM_OK : PFC_HEADROOM_PHY_SPEED;
	}
}

/*
 * 36.4.1, NOTE 1: the delay of a SecY, one way, is the time of a maximum sized
 * MPDU and of four MPDUs of 64 octets. With addresses, FCS and frame overhead
 * each of the four takes 100 octets.
 */
static uint64_t secy_bits(const struct pfc_headroom_input *in)
{
	uint64_t bits = frame_bits(in->max_frame_octets) + 4 * frame_bits(64 + 12 + 4);

	return in->secy_ns ? bits_of_ns(in->secy_ns, in->speed_bps)
			   : bits_at_10g(bits, in->speed_bps);
}

static uint64_t response_bits(const struct pfc_headroom_input *in)
{
	return in->response_ns ? bits_of_ns(in->response_ns, in->speed_bps)
			       : divide_up(RESPONSE_BITS * in->speed_bps, 10 * GIGABIT);
}

/* --- the sum --------------------------------------------------------------------------- */

static const struct pfc_term_info term_info[PFC_TERMS] = {
    [PFC_TERM_CALCULATION] = {'a', PFC_DELAY_INTERNAL, "calculation", "calculating the buffer"},
    [PFC_TERM_INITIATION] = {'b', PFC_DELAY_INTERNAL, "initiation", "initiating PFC"},
    [PFC_TERM_LOCAL_PFC_SECY] = {'c', PFC_DELAY_INTERNAL, "local-pfc-secy", "our SecY, PFC frame"},
    [PFC_TERM_LOCAL_TRANSMIT] = {'c', PFC_DELAY_INTERNAL, "local-transmit",
				 "our MAC and PHY, sending"},
    [PFC_TERM_LOCAL_FRAME] = {'d', PFC_DELAY_WORST_CASE, "local-frame", "our frame in progress"},
    [PFC_TERM_LOCAL_FRAME_SECY] = {'d', PFC_DELAY_WORST_CASE, "local-frame-secy",
				   "our SecY, frame in progress"},
    [PFC_TERM_PFC_FRAME] = {'e', PFC_DELAY_INTERNAL, "pfc-frame", "PFC frame"},
    [PFC_TERM_LINK_TO_PEER] = {'f', PFC_DELAY_LINK, "link-to-peer", "link to the peer"},
    [PFC_TERM_PEER_RECEIVE] = {'g', PFC_DELAY_INTERNAL, "peer-receive",
			       "peer's MAC and PHY, receiving"},
    [PFC_TERM_PEER_PFC_SECY] = {'g', PFC_DELAY_INTERNAL, "peer-pfc-secy", "peer's SecY, PFC frame"},
    [PFC_TERM_RESPONSE] = {'h', PFC_DELAY_INTERNAL, "response", "peer's response"},
    [PFC_TERM_PEER_FRAME] = {'i', PFC_DELAY_WORST_CASE, "peer-frame", "peer's frame in progress"},
    [PFC_TERM_PEER_FRAME_SECY] = {'i', PFC_DELAY_INTERNAL, "peer-frame-secy",
				  "peer's SecY, frame in progress"},
    [PFC_TERM_PEER_TRANSMIT] = {'i', PFC_DELAY_INTERNAL, "peer-transmit",
				"peer's MAC and PHY, sending"},
    [PFC_TERM_LINK_FROM_PEER] = {'j', PFC_DELAY_LINK, "link-from-peer", "link from the peer"},
    [PFC_TERM_LOCAL_RECEIVE] = {'k', PFC_DELAY_INTERNAL, "local-receive",
				"our MAC and PHY, receiving"},
};

const struct pfc_term_info *pfc_term_info(enum pfc_term term)
{
	return (unsigned)term < PFC_TERMS ? &term_info[term] : NULL;
}

const char *pfc_delay_group_token(enum pfc_delay_group group)
{
	static const char *const tokens[PFC_DELAY_GROUPS] = {"WD", "ID", "LD"};

	return (unsigned)group < PFC_DELAY_GROUPS ? tokens[group] : NULL;
}

const char *pfc_headroom_strerror(enum pfc_headroom_error error)
{
	static const char *const texts[] = {
	    [PFC_HEADROOM_OK] = "no error",
	    [PFC_HEADROOM_BAD_SPEED] = "expected a speed of 1 bit/s to 10 Tbit/s",
	    [PFC_HEADROOM_BAD_FRAME] = "expected frames of 64 to 1048576 octets",
	    [PFC_HEADROOM_BAD_CABLE] = "expected a cable of 0 to 10000000 m",
	    [PFC_HEADROOM_BAD_DELAY] = "expected delays of at most 1000000000 ns",
	    [PFC_HEADROOM_BAD_CHOICE] = "expected a defined medium, PHY, MACsec mode and edition",
	    [PFC_HEADROOM_PHY_SPEED] = "expected a PHY of the link's speed",
	    [PFC_HEADROOM_PHY_UNKNOWN] =
		"expected a PHY or its delay: Table N-1 has no PHY of this speed",
	};

	return (unsigned)error < sizeof(texts) / sizeof(texts[0]) ? texts[error] : "unknown error";
}

void pfc_headroom_input_init(struct pfc_headroom_input *in, uint64_t speed_bps)
{
	*in = (struct pfc_headroom_input){
	    .speed_bps = speed_bps,
	    .max_frame_octets = PFC_HEADROOM_FRAME_OCTETS,
	    .pfc_frame_octets = PFC_HEADROOM_PFC_FRAME_OCTETS,
	    .cable_m = 100,
	    .medium = PFC_MEDIUM_COPPER,
	    .macsec = PFC_MACSEC_NONE,
	    .edition = PFC_EDITION_QDT,
	};
}

static bool is_frame(uint32_t octets)
{
	return octets >= PFC_HEADROOM_FRAME_MIN_OCTETS && octets <= PFC_HEADROOM_FRAME_MAX_OCTETS;
}

static bool delays_fit(const struct pfc_headroom_input *in)
{
	const uint32_t ns[] = {in->link_delay_ns, in->interface_ns, in->calculation_ns,
			       in->initiation_ns, in->reception_ns, in->response_ns,
			       in->peer_delay_ns, in->secy_ns};

	for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++) {
		if (ns[i] > PFC_HEADROOM_DELAY_MAX_NS)
			return false;
	}
	return true;
}

static enum pfc_headroom_error check(const struct pfc_headroom_input *in)
{
	if (in->speed_bps == 0 || in->speed_bps > PFC_HEADROOM_SPEED_MAX_BPS)
		return PFC_HEADROOM_BAD_SPEED;
	if (!is_frame(in->max_frame_octets) || !is_frame(in->pfc_frame_octets))
		return PFC_HEADROOM_BAD_FRAME;
	if (in->cable_m > PFC_HEADROOM_CABLE_MAX_M)
		return PFC_HEADROOM_BAD_CABLE;
	if (!delays_fit(in))
		return PFC_HEADROOM_BAD_DELAY;
	if (in->medium < PFC_MEDIUM_COPPER || in->medium > PFC_MEDIUM_FIBRE ||
	    in->phy > PFC_PHY_LAST || in->macsec < PFC_MACSEC_NONE || in->macsec > PFC_MACSEC_ALL ||
	    in->edition < PFC_EDITION_QDT || in->edition > PFC_EDITION_2018)
		return PFC_HEADROOM_BAD_CHOICE;
	return PFC_HEADROOM_OK;
}

/* Sets all terms except those of MACsec. */
static void sum_plain(const struct pfc_headroom_input *in, uint64_t interface, uint64_t *term)
{
	uint64_t bps = in->speed_bps, sending = interface / 2, receiving = interface - sending;

	term[PFC_TERM_CALCULATION] = bits_of_ns(in->calculation_ns, bps);
	term[PFC_TERM_INITIATION] = in->initiation_ns ? bits_of_ns(in->initiation_ns, bps)
						      : bits_at_10g(INITIATION_BITS, bps);
	term[PFC_TERM_LOCAL_TRANSMIT] = sending;
	term[PFC_TERM_LOCAL_FRAME] = frame_bits(in->max_frame_octets);
	term[PFC_TERM_PFC_FRAME] = frame_bits(in->pfc_frame_octets);
	term[PFC_TERM_LINK_TO_PEER] = link_bits(in);
	term[PFC_TERM_PEER_RECEIVE] = receiving;
	term[PFC_TERM_RESPONSE] = response_bits(in);
	term[PFC_TERM_PEER_FRAME] = frame_bits(in->max_frame_octets);
	term[PFC_TERM_PEER_TRANSMIT] = sending;
	term[PFC_TERM_LINK_FROM_PEER] = link_bits(in);
	term[PFC_TERM_LOCAL_RECEIVE] = receiving + bits_of_ns(in->reception_ns, bps);
}

/*
 * Protected user data pass the local SecY (the frame in progress) and the
 * peer's (its last frame): N.6. Protected PFC frames also pass both, and are
 * longer (36.5.1, without numbers). A SecY that cannot be bypassed adds its
 * delay also when MACsec is off, at the peer in both directions (36.4.1).
 */
static void sum_macsec(const struct pfc_headroom_input *in, uint64_t *term)
{
	bool data = in->macsec != PFC_MACSEC_NONE, pfc = in->macsec == PFC_MACSEC_ALL;
	uint64_t secy = secy_bits(in);

	term[PFC_TERM_LOCAL_FRAME_SECY] = data || in->local_mbc ? secy : 0;
	term[PFC_TERM_PEER_FRAME_SECY] = data || in->peer_mbc ? secy : 0;
	term[PFC_TERM_LOCAL_PFC_SECY] = pfc ? secy : 0;
	term[PFC_TERM_PEER_PFC_SECY] = pfc || in->peer_mbc ? secy : 0;
	if (pfc)
		term[PFC_TERM_PFC_FRAME] = frame_bits(in->pfc_frame_octets + PROTECTION_OCTETS);
}

/* 802.1Q-2018, Annex N: DV = 2 max frame + PFC frame + 2 cable + 2 interface + HD. */
static void clear_terms_not_in_2018(uint64_t *term)
{
	term[PFC_TERM_CALCULATION] = 0;
	term[PFC_TERM_INITIATION] = 0;
	term[PFC_TERM_LOCAL_FRAME_SECY] = 0;
	term[PFC_TERM_LOCAL_PFC_SECY] = 0;
}

/* 36.8 a) 3): replaces items g, h and i by the delay that the peer sent. */
static void use_peer_delay(const struct pfc_headroom_input *in, uint64_t *term)
{
	term[PFC_TERM_PEER_RECEIVE] = 0;
	term[PFC_TERM_PEER_PFC_SECY] = 0;
	term[PFC_TERM_PEER_FRAME] = 0;
	term[PFC_TERM_PEER_FRAME_SECY] = 0;
	term[PFC_TERM_PEER_TRANSMIT] = 0;
	term[PFC_TERM_RESPONSE] = bits_of_ns(in->peer_delay_ns, in->speed_bps);
}

enum pfc_headroom_error pfc_headroom_calculate(const struct pfc_headroom_input *in,
					       struct pfc_headroom *out)
{
	enum pfc_headroom_error error = check(in);
	uint64_t interface;

	memset(out, 0, sizeof(*out));
	if (error == PFC_HEADROOM_OK)
		error = interface_bits(in, &interface);
	if (error != PFC_HEADROOM_OK)
		return error;
	sum_plain(in, interface, out->term);
	sum_macsec(in, out->term);
	if (in->edition == PFC_EDITION_2018)
		clear_terms_not_in_2018(out->term);
	if (in->peer_delay_ns)
		use_peer_delay(in, out->term);
	for (unsigned i = 0; i < PFC_TERMS; i++) {
		out->group[term_info[i].group] += out->term[i];
		out->total += out->term[i];
	}
	return PFC_HEADROOM_OK;
}

/* Returns the time of some bits in ns, rounded up: one decimal digit a step does not overflow. */
static uint64_t ns_of_bits(uint64_t bits, uint64_t bps)
{
	uint64_t ns = bits / bps, rest = bits % bps;

	for (uint64_t unit = 1; unit < GIGABIT; unit *= 10) {
		ns = 10 * ns + 10 * rest / bps;
		rest = 10 * rest % bps;
	}
	return ns + (rest != 0);
}

uint64_t pfc_local_delay_ns(const struct pfc_headroom_input *in)
{
	struct pfc_headroom_input peer = *in;
	struct pfc_headroom sum;
	uint64_t bits = 0;

	peer.peer_delay_ns = 0;
	if (pfc_headroom_calculate(&peer, &sum) != PFC_HEADROOM_OK)
		return 0;
	for (unsigned i = 0; i < PFC_TERMS; i++)
		if (term_info[i].item >= 'g' && term_info[i].item <= 'i')
			bits += sum.term[i];
	return ns_of_bits(bits, in->speed_bps);
}

/* --- headroom of a managed port -------------------------------------------------------------- */

/* Adds addresses, EtherType, FCS and two tags (VLAN and CN-TAG, or two VLAN tags) to the MTU. */
uint32_t pfc_headroom_frame_octets(uint32_t mtu)
{
	uint32_t most = PFC_HEADROOM_FRAME_MAX_OCTETS - (14 + 4 + 8) - PROTECTION_OCTETS;
	uint32_t octets = (mtu < most ? mtu : most) + 14 + 4 + 8;

	if (mtu == 0)
		return PFC_HEADROOM_FRAME_OCTETS;
	return octets < PFC_HEADROOM_FRAME_MIN_OCTETS ? PFC_HEADROOM_FRAME_MIN_OCTETS : octets;
}

bool pfc_headroom_config_check(const struct pfc_headroom_config *config)
{
	return config->minimum <= config->maximum;
}

static uint32_t saturate(uint64_t bits)
{
	return bits > UINT32_MAX ? UINT32_MAX : (uint32_t)bits;
}

/* 36.8: a result outside the bounds is replaced by the bound. */
static uint32_t bounded(const struct pfc_headroom_config *config, uint32_t bits, uint8_t *status)
{
	*status = PFC_HEADROOM_CALCULATED;
	if (bits > config->maximum) {
		*status = PFC_HEADROOM_AT_MAXIMUM;
		return config->maximum;
	}
	if (bits < config->minimum) {
		*status = PFC_HEADROOM_AT_MINIMUM;
		return config->minimum;
	}
	return bits;
}

static enum pfc_headroom_error calculate_port(const struct pfc_headroom_config *config,
					      uint64_t speed_bps, uint32_t max_frame_octets,
					      struct pfc_headroom *out)
{
	struct pfc_headroom_input in;

	pfc_headroom_input_init(&in, speed_bps);
	in.max_frame_octets = max_frame_octets;
	in.cable_m = config->cable_m;
	in.medium = config->medium;
	in.link_delay_ns = config->link_delay_ns;
	in.phy = config->phy;
	in.interface_ns = config->interface_ns;
	in.initiation_ns = config->initiation_ns;
	in.response_ns = config->response_ns;
	in.peer_mbc = config->peer_mbc;
	in.macsec = config->macsec;
	in.secy_ns = config->secy_ns;
	return pfc_headroom_calculate(&in, out);
}

void pfc_headroom_settle(const struct pfc_headroom_config *config, uint32_t link_delay_allowance,
			 uint64_t speed_bps, uint32_t mtu, struct pfc_headroom_state *out)
{
	struct pfc_headroom sum;

	memset(out, 0, sizeof(*out));
	out->max_frame_octets = pfc_headroom_frame_octets(mtu);
	if (config->macsec != PFC_MACSEC_NONE)
		out->max_frame_octets += PROTECTION_OCTETS;
	if (calculate_port(config, speed_bps, out->max_frame_octets, &sum) == PFC_HEADROOM_OK) {
		out->calculated = saturate(sum.total);
		for (unsigned i = 0; i < PFC_DELAY_GROUPS; i++)
			out->group[i] = saturate(sum.group[i]);
		out->allowance = bounded(config, out->calculated, &out->status);
	} else {
		out->status = PFC_HEADROOM_NO_RESULT;
		out->allowance =
		    config->initial_allowance ? config->initial_allowance : link_delay_allowance;
	}
	out->in_force =
	    config->choice == PFC_HEADROOM_MANUAL ? link_delay_allowance : out->allowance;
}
