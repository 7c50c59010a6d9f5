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
#define INITIATION_BITS   200  /* N.6 */
#define RESPONSE_BITS     6144 /* 36.3.3: 614.4 ns */
#define PROTECTION_OCTETS 32   /* SecTAG with SCI, and ICV */

/*
 * IEEE Std 802.3, 31B.3.7: from the reception of a PAUSE frame until the transmission has
 * stopped, measured at the MDI, a station of these speeds has this number of pause quanta. It
 * is the sum of the delay constraints of MAC Control, MAC, RS and PHY, transmit and receive:
 * 10GBASE-T has 74 quanta there, which are the 37888 bit times of Table N-1, and 400GBASE-R 905,
 * which are 192 + 625 + 72 + 16 of MAC, PCS, PMA and PMD. doc/conformance.md has the sources.
 */
#define QUANTA(n) ((n)*PFC_QUANTUM_BITS)

struct phy {
	uint64_t bps;
	uint32_t bits; /* bit times of that speed */
};

static const struct phy phys[PFC_PHY_LAST + 1] = {
    [PFC_PHY_10GBASE_T] = {10 * GIGABIT, MAC_BITS + 2 * XGXS_XAUI_BITS + PHY_10GBASE_T},
    [PFC_PHY_10GBASE_R] = {10 * GIGABIT, MAC_BITS + PCS_10GBASE_R + PMD_BITS},
    [PFC_PHY_10GBASE_LX4] = {10 * GIGABIT, MAC_BITS + PCS_10GBASE_X + PMD_BITS},
    [PFC_PHY_10GBASE_CX4] = {10 * GIGABIT, MAC_BITS + PCS_10GBASE_X + PMD_BITS},
    [PFC_PHY_25GBASE_R] = {25 * GIGABIT, QUANTA(80)},
    [PFC_PHY_40GBASE_R] = {40 * GIGABIT, QUANTA(118)},
    [PFC_PHY_50GBASE_R] = {50 * GIGABIT, QUANTA(147)},
    [PFC_PHY_100GBASE_R] = {100 * GIGABIT, QUANTA(394)},
    [PFC_PHY_200GBASE_R] = {200 * GIGABIT, QUANTA(453)},
    [PFC_PHY_400GBASE_R] = {400 * GIGABIT, QUANTA(905)},
};

/*
 * Choice, where no delay is known: the time of the worst PHY of the next slower speed, and up
 * to 10 Gb/s the bit times of 10GBASE-T. 25GBASE-T and 40GBASE-T are 10GBASE-T with faster
 * symbols, so the worst PHY of these speeds is not -R.
 */
static uint64_t worst_bits(uint64_t bps)
{
	static const enum pfc_phy worst[] = {PFC_PHY_400GBASE_R, PFC_PHY_200GBASE_R,
					     PFC_PHY_100GBASE_R, PFC_PHY_50GBASE_R};
	const struct phy *phy = &phys[PFC_PHY_10GBASE_T];

	for (size_t i = 0; i < sizeof(worst) / sizeof(worst[0]); i++) {
		if (phys[worst[i]].bps <= bps) {
			phy = &phys[worst[i]];
			break;
		}
	}
	if (bps <= phy->bps)
		return phy->bits;
	return phy->bits * (bps / phy->bps) + divide_up(phy->bits * (bps % phy->bps), phy->bps);
}

static bool has_phy(uint64_t bps)
{
	for (size_t i = 0; i < sizeof(phys) / sizeof(phys[0]); i++)
		if (phys[i].bps == bps)
			return true;
	return false;
}

/*
 * Sets *bits to MAC and PHY delay of one station, transmit and receive. Unknown PHY: the
 * worst of the speed, as N.6 says: "The worst case is with a 10GBASE-T PHY".
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
		if (!has_phy(in->speed_bps))
			return PFC_HEADROOM_PHY_UNKNOWN;
		*bits = worst_bits(in->speed_bps);
		return PFC_HEADROOM_OK;
	case PFC_PHY_NONE:
		return PFC_HEADROOM_OK;
	case PFC_PHY_WORST:
		*bits = worst_bits(in->speed_bps);
		return PFC_HEADROOM_OK;
	default:
		*bits = phys[in->phy].bits;
		return in->speed_bps == phys[in->phy].bps ? PFC_HEADROOM_OK
							  : PFC_HEADROOM_PHY_SPEED;
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

static bool has_measured_secy(const struct pfc_headroom_input *in)
{
	return in->local_secy_ns && !in->secy_ns;
}

/*
 * Choice: the measured delay of the local SecY replaces the bound of 36.4.1, and a setting
 * replaces it. The peer's SecY can be slower, so its terms keep the bound.
 */
static uint64_t local_secy_bits(const struct pfc_headroom_input *in)
{
	return has_measured_secy(in) ? bits_of_ns(in->local_secy_ns, in->speed_bps) : secy_bits(in);
}

static uint64_t response_bits(const struct pfc_headroom_input *in)
{
	return in->response_ns ? bits_of_ns(in->response_ns, in->speed_bps)
			       : divide_up(RESPONSE_BITS * in->speed_bps, 10 * GIGABIT);
}

/* --- the sum --------------------------------------------------------------------------- */

#define WORST    PFC_DELAY_WORST_CASE
#define INTERNAL PFC_DELAY_INTERNAL
#define LINK     PFC_DELAY_LINK

/*
 * 36.8 b): the measurement reports ID and LD (Annex N) but for items a and b, which are added
 * locally (NOTE 2 of 36.9.4). A response is data: it passes the SecY of the peer as they do.
 */
static const struct pfc_term_info term_info[PFC_TERMS] = {
    [PFC_TERM_CALCULATION] = {'a', INTERNAL, false, "calculation", "calculating the buffer"},
    [PFC_TERM_INITIATION] = {'b', INTERNAL, false, "initiation", "initiating PFC"},
    [PFC_TERM_LOCAL_PFC_SECY] = {'c', INTERNAL, true, "local-pfc-secy", "our SecY, PFC frame"},
    [PFC_TERM_LOCAL_TRANSMIT] = {'c', INTERNAL, true, "local-transmit", "our MAC and PHY, sending"},
    [PFC_TERM_LOCAL_FRAME] = {'d', WORST, false, "local-frame", "our frame in progress"},
    [PFC_TERM_LOCAL_FRAME_SECY] = {'d', WORST, false, "local-frame-secy",
				   "our SecY, frame in progress"},
    [PFC_TERM_PFC_FRAME] = {'e', INTERNAL, true, "pfc-frame", "PFC frame"},
    [PFC_TERM_LINK_TO_PEER] = {'f', LINK, true, "link-to-peer", "link to the peer"},
    [PFC_TERM_PEER_RECEIVE] = {'g', INTERNAL, true, "peer-receive",
			       "peer's MAC and PHY, receiving"},
    [PFC_TERM_PEER_PFC_SECY] = {'g', INTERNAL, true, "peer-pfc-secy", "peer's SecY, PFC frame"},
    [PFC_TERM_RESPONSE] = {'h', INTERNAL, true, "response", "peer's response"},
    [PFC_TERM_PEER_FRAME] = {'i', WORST, false, "peer-frame", "peer's frame in progress"},
    [PFC_TERM_PEER_FRAME_SECY] = {'i', INTERNAL, true, "peer-frame-secy",
				  "peer's SecY, frame in progress"},
    [PFC_TERM_PEER_TRANSMIT] = {'i', INTERNAL, true, "peer-transmit",
				"peer's MAC and PHY, sending"},
    [PFC_TERM_LINK_FROM_PEER] = {'j', LINK, true, "link-from-peer", "link from the peer"},
    [PFC_TERM_LOCAL_RECEIVE] = {'k', INTERNAL, true, "local-receive", "our MAC and PHY, receiving"},
    [PFC_TERM_ROUND_TRIP] = {'-', INTERNAL, false, "round-trip", "measured round trip"},
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
		"expected a PHY or its delay: none is known for this speed",
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
			       in->peer_delay_ns, in->secy_ns,      in->local_secy_ns};

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
 * D.2.10.5, choice: a neighbor with the MACsec bit protects PFC frames as soon as MACsec
 * protects data, whether or not we do: the longer delay is the safe one.
 */
static bool protects_pfc(const struct pfc_headroom_input *in)
{
	return in->macsec == PFC_MACSEC_ALL ||
	       (in->macsec == PFC_MACSEC_DATA && in->neighbor_macsec);
}

/*
 * Protected user data pass the local SecY (the frame in progress) and the
 * peer's (its last frame): N.6. Protected PFC frames also pass both, and are
 * longer (36.5.1, without numbers). A SecY that cannot be bypassed adds its
 * delay also when MACsec is off, at the peer in both directions (36.4.1).
 */
static void sum_macsec(const struct pfc_headroom_input *in, uint64_t *term)
{
	bool data = in->macsec != PFC_MACSEC_NONE, pfc = protects_pfc(in);
	bool peer_mbc = in->peer_mbc || in->neighbor_mbc;
	uint64_t secy = secy_bits(in), local = local_secy_bits(in);

	term[PFC_TERM_LOCAL_FRAME_SECY] = data || in->local_mbc ? local : 0;
	term[PFC_TERM_PEER_FRAME_SECY] = data || peer_mbc ? secy : 0;
	term[PFC_TERM_LOCAL_PFC_SECY] = pfc ? local : 0;
	term[PFC_TERM_PEER_PFC_SECY] = pfc || peer_mbc ? secy : 0;
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

/*
 * 36.8 a) 3): replaces items g, h and i by the delay that the peer sent. Choice: item i has a
 * frame of maximum length in it, as in 36.1.1; the worst-case delay then has one frame.
 */
static void use_peer_delay(const struct pfc_headroom_input *in, struct pfc_headroom *out)
{
	for (unsigned i = 0; i < PFC_TERMS; i++) {
		if (term_info[i].item < 'g' || term_info[i].item > 'i')
			continue;
		out->term[i] = 0;
		out->source[i] = PFC_SOURCE_NEIGHBOR;
	}
	out->term[PFC_TERM_RESPONSE] = bits_of_ns(in->peer_delay_ns, in->speed_bps);
}

/* 36.8 b): replaces the parts of the round trip by the measured one. */
static void use_round_trip(const struct pfc_headroom_input *in, struct pfc_headroom *out)
{
	for (unsigned i = 0; i < PFC_TERMS; i++) {
		if (!term_info[i].is_measured)
			continue;
		out->term[i] = 0;
		out->source[i] = PFC_SOURCE_MEASURED;
	}
	out->term[PFC_TERM_ROUND_TRIP] = in->measured_quanta * (uint64_t)PFC_QUANTUM_BITS;
	out->source[PFC_TERM_ROUND_TRIP] = PFC_SOURCE_MEASURED;
}

/* --- sources --------------------------------------------------------------------------- */

static uint8_t source_if(bool configured)
{
	return configured ? PFC_SOURCE_CONFIGURED : PFC_SOURCE_STANDARD;
}

/* A frame of another length than that of N.6 is the MTU's. */
static uint8_t frame_source(const struct pfc_headroom_input *in)
{
	return source_if(in->max_frame_octets != PFC_HEADROOM_FRAME_OCTETS);
}

/* The bit decides whether there is a delay, the standard or a setting how long it is. */
static uint8_t secy_source(const struct pfc_headroom_input *in, bool by_neighbor)
{
	return by_neighbor ? PFC_SOURCE_NEIGHBOR : source_if(in->secy_ns);
}

static uint8_t local_secy_source(const struct pfc_headroom_input *in, bool by_neighbor)
{
	bool is_measured =
	    has_measured_secy(in) && (in->macsec != PFC_MACSEC_NONE || in->local_mbc);

	return is_measured ? PFC_SOURCE_MEASURED : secy_source(in, by_neighbor);
}

static void set_secy_sources(const struct pfc_headroom_input *in, uint8_t *source)
{
	bool pfc_by_neighbor = protects_pfc(in) && in->macsec != PFC_MACSEC_ALL;
	bool mbc_by_neighbor = in->neighbor_mbc && !in->peer_mbc && in->macsec == PFC_MACSEC_NONE;

	source[PFC_TERM_LOCAL_FRAME_SECY] = local_secy_source(in, false);
	source[PFC_TERM_LOCAL_PFC_SECY] =
	    protects_pfc(in) ? local_secy_source(in, pfc_by_neighbor) : secy_source(in, false);
	source[PFC_TERM_PEER_PFC_SECY] = secy_source(in, pfc_by_neighbor || mbc_by_neighbor);
	source[PFC_TERM_PEER_FRAME_SECY] = secy_source(in, mbc_by_neighbor);
}

static void set_sources(const struct pfc_headroom_input *in, uint8_t *source)
{
	uint8_t interface = source_if(in->interface_ns || in->phy == PFC_PHY_NONE);
	uint8_t link =
	    in->link_delay_ns && in->link_is_ptp ? PFC_SOURCE_PTP : PFC_SOURCE_CONFIGURED;

	memset(source, PFC_SOURCE_STANDARD, PFC_TERMS);
	source[PFC_TERM_CALCULATION] = source_if(in->calculation_ns);
	source[PFC_TERM_INITIATION] = source_if(in->initiation_ns);
	source[PFC_TERM_LOCAL_TRANSMIT] = interface;
	source[PFC_TERM_LOCAL_FRAME] = source[PFC_TERM_PEER_FRAME] = frame_source(in);
	source[PFC_TERM_PFC_FRAME] =
	    source_if(in->pfc_frame_octets != PFC_HEADROOM_PFC_FRAME_OCTETS);
	source[PFC_TERM_LINK_TO_PEER] = source[PFC_TERM_LINK_FROM_PEER] = link;
	source[PFC_TERM_PEER_RECEIVE] = source[PFC_TERM_PEER_TRANSMIT] = interface;
	source[PFC_TERM_RESPONSE] = source_if(in->response_ns);
	source[PFC_TERM_LOCAL_RECEIVE] = in->reception_ns ? PFC_SOURCE_CONFIGURED : interface;
	set_secy_sources(in, source);
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
	set_sources(in, out->source);
	if (in->measured_quanta)
		use_round_trip(in, out);
	else if (in->peer_delay_ns)
		use_peer_delay(in, out);
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
	peer.measured_quanta = 0;
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

bool pfc_headroom_is_plausible_delay(uint32_t delay_ns, uint64_t speed_bps,
				     uint32_t max_frame_octets)
{
	return delay_ns <= PFC_HEADROOM_DELAY_MAX_NS &&
	       bits_of_ns(delay_ns, speed_bps) >= frame_bits(max_frame_octets);
}

bool pfc_headroom_is_plausible_round_trip(uint32_t quanta, uint64_t speed_bps)
{
	uint64_t bits = quanta * (uint64_t)PFC_QUANTUM_BITS;

	return bits >= frame_bits(PFC_HEADROOM_PFC_FRAME_OCTETS) &&
	       bits <= bits_of_ns(PFC_HEADROOM_DELAY_MAX_NS, speed_bps);
}

static void use_settings(const struct pfc_headroom_config *config, struct pfc_headroom_input *in)
{
	in->cable_m = config->cable_m;
	in->medium = config->medium;
	in->link_is_ptp = !config->link_delay_ns && config->ptp_delay_ns;
	in->link_delay_ns = in->link_is_ptp ? config->ptp_delay_ns : config->link_delay_ns;
	in->phy = config->phy;
	in->interface_ns = config->interface_ns;
	in->initiation_ns = config->initiation_ns;
	in->response_ns = config->response_ns;
	in->peer_mbc = config->peer_mbc;
	in->macsec = config->macsec;
	in->secy_ns = config->secy_ns;
}

/* What the neighbor says counts, unless a setting replaces it or it is not plausible. */
static void use_neighbor(const struct pfc_headroom_link *link, struct pfc_headroom_input *in)
{
	in->neighbor_mbc = link->peer.mbc;
	in->neighbor_macsec = link->peer.macsec;
	if (!in->response_ns && pfc_headroom_is_plausible_delay(
				    link->peer.delay_ns, link->speed_bps, in->max_frame_octets))
		in->peer_delay_ns = link->peer.delay_ns;
	if (link->way == PFC_WAY_MEASURED &&
	    pfc_headroom_is_plausible_round_trip(link->measured_quanta, link->speed_bps))
		in->measured_quanta = link->measured_quanta + PFC_HEADROOM_ACCURACY_QUANTA;
}

/* A delay that the calculation refuses is not used. */
static void use_secy(const struct pfc_headroom_link *link, struct pfc_headroom_input *in)
{
	if (link->secy_ns <= PFC_HEADROOM_DELAY_MAX_NS)
		in->local_secy_ns = link->secy_ns;
}

static bool awaits_measurement(const struct pfc_headroom_link *link,
			       const struct pfc_headroom_input *in)
{
	return link->way == PFC_WAY_MEASURED && !in->measured_quanta;
}

static void set_calculated(const struct pfc_headroom *sum, struct pfc_headroom_state *out)
{
	out->calculated = saturate(sum->total);
	for (unsigned i = 0; i < PFC_DELAY_GROUPS; i++)
		out->group[i] = saturate(sum->group[i]);
	for (unsigned i = 0; i < PFC_TERMS; i++)
		out->term[i] = saturate(sum->term[i]);
	memcpy(out->source, sum->source, sizeof(out->source));
}

/* 36.9.6: without a measurement, the initial value is used if there is one. */
static void compute_allowance(const struct pfc_headroom_config *config,
			      uint32_t link_delay_allowance, const struct pfc_headroom_link *link,
			      struct pfc_headroom_state *out)
{
	struct pfc_headroom_input in;
	struct pfc_headroom sum;

	pfc_headroom_input_init(&in, link->speed_bps);
	in.max_frame_octets = out->max_frame_octets;
	use_settings(config, &in);
	use_neighbor(link, &in);
	use_secy(link, &in);
	memset(out->source, PFC_SOURCE_STANDARD, sizeof(out->source));
	if (pfc_headroom_calculate(&in, &sum) == PFC_HEADROOM_OK) {
		set_calculated(&sum, out);
		out->allowance = bounded(config,
					 awaits_measurement(link, &in) && config->initial_allowance
					     ? config->initial_allowance
					     : out->calculated,
					 &out->status);
		return;
	}
	out->status = PFC_HEADROOM_NO_RESULT;
	out->allowance =
	    config->initial_allowance ? config->initial_allowance : link_delay_allowance;
}

static bool uses_allowance(const struct pfc_headroom_config *config, uint32_t link_delay_allowance,
			   const struct pfc_headroom_link *link)
{
	switch (config->choice) {
	case PFC_HEADROOM_MANUAL:
		return false;
	case PFC_HEADROOM_CALCULATION:
		return true;
	default:
		return link->way > PFC_WAY_CONFIGURED || !link_delay_allowance;
	}
}

void pfc_headroom_compute(const struct pfc_headroom_config *config, uint32_t link_delay_allowance,
			  const struct pfc_headroom_link *link, struct pfc_headroom_state *out)
{
	memset(out, 0, sizeof(*out));
	out->max_frame_octets = pfc_headroom_frame_octets(link->mtu);
	if (config->macsec != PFC_MACSEC_NONE)
		out->max_frame_octets += PROTECTION_OCTETS;
	compute_allowance(config, link_delay_allowance, link, out);
	if (uses_allowance(config, link_delay_allowance, link)) {
		out->basis = PFC_BASIS_ALLOWANCE;
		out->in_force = out->allowance;
	} else {
		out->basis = PFC_BASIS_LINK_ALLOWANCE;
		out->in_force = link_delay_allowance;
	}
}
