/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/pfc_way.h"

#include <string.h>

#define DELAY_FRACTION_BITS 16 /* of the TLV: IEEE 1588 TimeInterval */
#define PROTECTION_OCTETS   32 /* SecTAG with SCI, and ICV */
#define WAY_BITS            (1u << PFC_BIT_RTM | 1u << PFC_BIT_PTP)

/* --- delays ------------------------------------------------------------------------------ */

static uint32_t frame_octets(const struct pfc_headroom_config *config, uint32_t mtu)
{
	return pfc_headroom_frame_octets(mtu) +
	       (config->macsec == PFC_MACSEC_NONE ? 0 : PROTECTION_OCTETS);
}

static uint32_t saturate(uint64_t ns)
{
	return ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
}

uint32_t pfc_peer_delay_min_ns(const struct pfc_headroom_config *config, struct dcb_rate rate,
			       uint32_t mtu)
{
	uint32_t octets = frame_octets(config, mtu) + DCB_WIRE_OVERHEAD_OCTETS;

	return saturate((uint64_t)dcb_rate_octets_to_ns(rate, octets));
}

uint32_t pfc_peer_delay_ns(int64_t delay, uint32_t min_ns)
{
	uint32_t ns;

	if (delay <= 0 || delay > (int64_t)PFC_PEER_DELAY_MAX_NS << DELAY_FRACTION_BITS)
		return 0;
	ns = (uint32_t)((delay + (1 << DELAY_FRACTION_BITS) - 1) >> DELAY_FRACTION_BITS);
	return ns < min_ns ? 0 : ns;
}

uint32_t pfc_way_delay_ns(const struct pfc_headroom_config *config, uint32_t response_ns, bool mbc,
			  struct dcb_rate rate, uint32_t mtu)
{
	struct pfc_headroom_input in;

	pfc_headroom_input_init(&in, rate.bps);
	in.max_frame_octets = frame_octets(config, mtu);
	in.phy = config->phy;
	in.interface_ns = config->interface_ns;
	in.response_ns = response_ns;
	in.peer_mbc = mbc;
	in.macsec = config->macsec;
	in.secy_ns = config->secy_ns;
	return saturate(pfc_local_delay_ns(&in));
}

/* --- TLVs -------------------------------------------------------------------------------- */

void pfc_way_advertise(const struct pfc_way_config *config, uint32_t delay_ns,
		       struct dcb_tlvs *tlvs)
{
	tlvs->pfc.qdt = config->advertise == PFC_ADVERTISE_QDT;
	if (tlvs->pfc.qdt) {
		tlvs->pfc.macsec = config->macsec;
		tlvs->pfc.privacy = config->privacy;
		tlvs->pfc.rtm = config->rtm;
		tlvs->pfc.ptp = config->ptp;
	}
	if (!config->send_delay || delay_ns == 0)
		return;
	tlvs->present |= 1u << DCB_TLV_PFC_DELAY;
	tlvs->pfc_delay = (int64_t)delay_ns << DELAY_FRACTION_BITS;
}

static uint8_t bit(bool set, enum pfc_way_bit which)
{
	return (uint8_t)(set ? 1u << which : 0);
}

uint8_t pfc_way_bits(const struct pfc_tlv *pfc)
{
	return bit(pfc->mbc, PFC_BIT_MBC) | bit(pfc->macsec, PFC_BIT_MACSEC) |
	       bit(pfc->privacy, PFC_BIT_PRIVACY) | bit(pfc->rtm, PFC_BIT_RTM) |
	       bit(pfc->ptp, PFC_BIT_PTP);
}

/* Sets what the only neighbor says, valid for the calculation whatever the port sends. */
static void hear(const struct dcb_tlvs *tlvs, uint32_t min_ns, struct pfc_way_said *said)
{
	const struct pfc_tlv *pfc = &tlvs->pfc;

	said->remote = pfc_way_bits(pfc);
	said->peer = (struct pfc_peer){
	    .mbc = pfc->mbc,
	    .macsec = pfc->macsec,
	    .privacy = pfc->privacy,
	    .rtm = pfc->rtm,
	    .ptp = pfc->ptp,
	};
	if (dcb_tlvs_have(tlvs, DCB_TLV_PFC_DELAY))
		said->peer.delay_ns = pfc_peer_delay_ns(tlvs->pfc_delay, min_ns);
}

static enum pfc_way_reason find_reason(const struct dcb_tlvs *sent, const struct dcbx_peers *peers,
				       const struct pfc_way_said *said)
{
	unsigned common = said->agreed & WAY_BITS;

	if (!(said->local & WAY_BITS))
		return PFC_REASON_OFF;
	if (peers->n != 1)
		return peers->n ? PFC_REASON_MANY_PEERS : PFC_REASON_NO_PEER;
	if (!dcb_tlvs_have(peers->tlvs, DCB_TLV_PFC))
		return PFC_REASON_PEER_SILENT;
	if (!peers->tlvs->pfc.qdt)
		return PFC_REASON_PEER_2018;
	if (!common)
		return PFC_REASON_NOT_COMMON;
	/* D.2.10.9, D.2.10.10: "and PFC is enabled on at least one traffic class" */
	if (!sent->pfc.enable || !peers->tlvs->pfc.enable)
		return PFC_REASON_NO_PFC;
	return common == WAY_BITS ? PFC_REASON_PREFERRED : PFC_REASON_AGREED;
}

void pfc_way_find(const struct dcb_tlvs *sent, const struct dcbx_peers *peers, uint32_t min_ns,
		  struct pfc_way_said *said)
{
	memset(said, 0, sizeof(*said));
	if (dcb_tlvs_have(sent, DCB_TLV_PFC))
		said->local = pfc_way_bits(&sent->pfc);
	if (peers->n == 1)
		hear(peers->tlvs, min_ns, said);
	/* MBC is what a station lacks, and needs no agreement. */
	said->agreed = said->local & said->remote & (uint8_t) ~(1u << PFC_BIT_MBC);
	said->reason = (uint8_t)find_reason(sent, peers, said);
	said->way = PFC_WAY_CONFIGURED;
	if (said->reason == PFC_REASON_AGREED || said->reason == PFC_REASON_PREFERRED)
		said->way =
		    said->agreed >> PFC_BIT_RTM & 1 ? PFC_WAY_MEASURED : PFC_WAY_LINK_DELAYS;
}

void pfc_way_withhold(struct pfc_way_said *said)
{
	if (said->reason == PFC_REASON_OFF ||
	    (said->reason == PFC_REASON_NOT_COMMON && said->peer.rtm))
		said->reason = PFC_REASON_NOT_MEASURING;
}

/* --- losses ------------------------------------------------------------------------------ */

static uint32_t effective(uint32_t delay_ns, uint32_t assumed_ns)
{
	return delay_ns ? delay_ns : assumed_ns;
}

static bool is_loss(const struct pfc_way_said *before, const struct pfc_way_said *now,
		    uint32_t assumed_ns)
{
	const struct pfc_peer *a = &before->peer, *b = &now->peer;

	return now->way < before->way || (b->mbc && !a->mbc) || (b->macsec && !a->macsec) ||
	       effective(b->delay_ns, assumed_ns) > effective(a->delay_ns, assumed_ns);
}

static uint32_t power_of_two(uint32_t ns)
{
	uint32_t power = 1;

	while (power < ns)
		power <<= 1;
	return power < PFC_PEER_DELAY_MAX_NS ? power : PFC_PEER_DELAY_MAX_NS;
}

/* Returns the delay in use while the neighbor is held: never shorter than the one before. */
static uint32_t held_delay(uint32_t used, uint32_t said, uint32_t assumed_ns)
{
	if (effective(said, assumed_ns) <= effective(used, assumed_ns))
		return used;
	return said ? power_of_two(said) : 0;
}

static void use(struct pfc_way_state *s, uint8_t way, uint8_t reason, const struct pfc_peer *peer)
{
	if (s->way != way && s->way != 0)
		s->changes++;
	s->way = way;
	s->reason = reason;
	s->peer = *peer;
}

static void use_held(struct pfc_way_state *s, const struct pfc_way_said *said, uint32_t assumed_ns)
{
	uint8_t way = said->way < s->way ? said->way : s->way;
	struct pfc_peer peer = said->peer;

	peer.mbc |= s->peer.mbc;
	peer.macsec |= s->peer.macsec;
	peer.rtm &= s->peer.rtm;
	peer.ptp &= s->peer.ptp;
	peer.delay_ns = held_delay(s->peer.delay_ns, said->peer.delay_ns, assumed_ns);
	use(s, way, said->reason, &peer);
	if (way != said->way || !pfc_peer_equal(&peer, &said->peer))
		s->reason = PFC_REASON_HELD;
}

void pfc_way_settle(struct pfc_way_state *s, const struct pfc_way_said *said, uint32_t assumed_ns,
		    struct dcb_time now)
{
	if (!dcb_time_before(now, s->quiet_at))
		s->losses = 0;
	if (is_loss(&s->said, said, assumed_ns)) {
		s->quiet_at = dcb_time_add_ns(now, PFC_WAY_QUIET_NS);
		if (s->losses < PFC_WAY_LOSSES_MAX)
			s->losses++;
	}
	s->said = *said;
	if (s->losses < PFC_WAY_LOSSES_MAX)
		use(s, said->way, said->reason, &said->peer);
	else
		use_held(s, said, assumed_ns);
}

void pfc_way_forgive(struct pfc_way_state *s)
{
	s->losses = 0;
}

struct dcb_time pfc_way_next(const struct pfc_way_state *s)
{
	if (s->way == s->said.way && pfc_peer_equal(&s->peer, &s->said.peer))
		return DCB_TIME_NEVER;
	return s->quiet_at;
}
