/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/dcbx.h"

#include <string.h>

static bool sends(const struct dcbx_config *config, enum dcb_tlv tlv)
{
	return config->tx_enable >> tlv & 1;
}

static unsigned count(uint8_t set)
{
	unsigned n = 0;

	for (; set; set &= (uint8_t)(set - 1))
		n++;
	return n;
}

static uint8_t mismatch(bool is, enum dcbx_mismatch what)
{
	return (uint8_t)(is ? 1u << what : 0);
}

bool dcbx_peer_has_precedence(const uint8_t ours[ETH_ADDR_OCTETS],
			      const uint8_t theirs[ETH_ADDR_OCTETS])
{
	return memcmp(ours, theirs, ETH_ADDR_OCTETS) < 0;
}

uint8_t dcbx_dialect_of(const uint8_t oui[DCB_TLV_OUI_OCTETS], uint8_t subtype)
{
	static const uint8_t before_ieee[DCB_TLV_OUI_OCTETS] = {0x00, 0x1b, 0x21};

	if (memcmp(oui, before_ieee, sizeof(before_ieee)) != 0)
		return 0;
	return subtype == 2 ? 1u << DCBX_CEE : subtype == 1 ? 1u << DCBX_CIN : 0;
}

bool dcbx_speaks(const struct dcb_tlvs *tlvs)
{
	const unsigned dcbx =
	    1u << DCB_TLV_ETS | 1u << DCB_TLV_ETS_RECO | 1u << DCB_TLV_PFC | 1u << DCB_TLV_APP;

	return (tlvs->present | tlvs->malformed) & dcbx;
}

/*
 * Returns why the attribute is not negotiated, or 0. received: TLV with the
 * values for a willing port.
 */
static unsigned reason_not_negotiated(const struct dcbx_config *config,
				      const struct dcbx_peers *peers, enum dcb_tlv sent,
				      bool willing, enum dcb_tlv received)
{
	if (!sends(config, sent))
		return DCBX_OFF;
	if (peers->n != 1)
		return peers->n ? DCBX_MANY_PEERS : DCBX_NO_PEER;
	if (!dcb_tlvs_have(peers->tlvs, received))
		return DCBX_PEER_SILENT;
	return willing ? 0 : DCBX_NOT_WILLING;
}

/* --- PFC: symmetric --------------------------------------------------------------- */

/* Returns whose settings are in force if the local port is willing. */
static unsigned symmetric_reason(const uint8_t *address, const struct dcbx_peers *peers,
				 bool peer_willing)
{
	if (!peer_willing)
		return DCBX_TAKEN;
	if (!peers->has_address || memcmp(address, peers->address, ETH_ADDR_OCTETS) == 0)
		return DCBX_UNDECIDED;
	return dcbx_peer_has_precedence(address, peers->address) ? DCBX_TAKEN : DCBX_PEER_TAKES;
}

static unsigned pfc_reason(const struct dcbx_config *config, const uint8_t *address,
			   const struct dcbx_peers *peers)
{
	unsigned reason =
	    reason_not_negotiated(config, peers, DCB_TLV_PFC, config->pfc_willing, DCB_TLV_PFC);

	return reason ? reason : symmetric_reason(address, peers, peers->tlvs->pfc.willing);
}

uint8_t dcbx_pfc_mismatch(uint8_t pfc_enable, const struct pfc_tlv *theirs)
{
	return mismatch(pfc_enable != theirs->enable, DCBX_MISMATCH_ENABLE) |
	       mismatch(count(pfc_enable) > theirs->cap, DCBX_MISMATCH_CAP);
}

static void resolve_pfc(const struct dcbx_config *config, uint8_t pfc_enable,
			const uint8_t *address, const struct dcbx_peers *peers,
			struct dcbx_outcome *outcome)
{
	outcome->pfc_reason = (uint8_t)pfc_reason(config, address, peers);
	outcome->pfc_enable =
	    outcome->pfc_reason == DCBX_TAKEN ? peers->tlvs->pfc.enable : pfc_enable;
	outcome->mismatch |=
	    mismatch(outcome->pfc_reason == DCBX_UNDECIDED, DCBX_MISMATCH_UNDECIDED);
	if (peers->n == 1 && dcb_tlvs_have(peers->tlvs, DCB_TLV_PFC))
		outcome->mismatch |= dcbx_pfc_mismatch(outcome->pfc_enable, &peers->tlvs->pfc);
}

/* --- ETS: asymmetric -------------------------------------------------------------- */

bool dcbx_ets_is_supported(const struct ets_tables *ets)
{
	for (unsigned tc = 0; tc < DCBX_TCS; tc++)
		if (ets->tsa[tc] != TSA_STRICT && ets->tsa[tc] != TSA_ETS)
			return false;
	return ets_tables_add_up(ets);
}

static void resolve_ets(const struct dcbx_config *config, const struct dcbx_peers *peers,
			struct dcbx_outcome *outcome)
{
	unsigned reason = reason_not_negotiated(config, peers, DCB_TLV_ETS, config->ets_willing,
						DCB_TLV_ETS_RECO);

	if (!reason)
		reason = dcbx_ets_is_supported(&peers->tlvs->reco) ? DCBX_TAKEN : DCBX_UNUSABLE;
	outcome->ets_reason = (uint8_t)reason;
	outcome->ets = reason == DCBX_TAKEN || ets_tables_share(&config->ets);
	outcome->ets_tables = reason == DCBX_TAKEN ? peers->tlvs->reco : config->ets;
	outcome->mismatch |= mismatch(reason == DCBX_UNUSABLE, DCBX_MISMATCH_ETS);
}

/* --- application priorities ------------------------------------------------------- */

/* Does the port say that it is willing? */
static bool says_willing(const struct dcbx_config *config)
{
	return (sends(config, DCB_TLV_PFC) && config->pfc_willing) ||
	       (sends(config, DCB_TLV_ETS) && config->ets_willing);
}

static unsigned app_reason(const struct dcbx_config *config, const uint8_t *address,
			   const struct dcbx_peers *peers)
{
	if (!says_willing(config))
		return DCBX_NOT_WILLING;
	if (peers->n != 1)
		return peers->n ? DCBX_MANY_PEERS : DCBX_NO_PEER;
	if (!dcb_tlvs_have(peers->tlvs, DCB_TLV_APP))
		return DCBX_PEER_SILENT;
	/* The values of a TLV that was not received are 0. */
	return symmetric_reason(address, peers,
				peers->tlvs->pfc.willing || peers->tlvs->ets.willing);
}

/* Sets *app, which is all zero before, to the application priorities in force. */
static void set_apps(const struct dcbx_config *config, const struct dcbx_peers *peers,
		     const struct dcbx_outcome *outcome, struct app_tlv *app)
{
	if (outcome->app_reason == DCBX_TAKEN) {
		memcpy(app, &peers->tlvs->app, sizeof(*app));
		return;
	}
	app->n = config->n_apps;
	memcpy(app->of, config->apps, config->n_apps * sizeof(config->apps[0]));
}

void dcbx_resolve(const struct dcbx_config *config, uint8_t pfc_enable,
		  const uint8_t address[ETH_ADDR_OCTETS], const struct dcbx_peers *peers,
		  struct dcbx_outcome *outcome)
{
	bool negotiates = sends(config, DCB_TLV_PFC) || sends(config, DCB_TLV_ETS);

	memset(outcome, 0, sizeof(*outcome));
	outcome->mismatch =
	    mismatch(peers->n > 1 && negotiates, DCBX_MISMATCH_PEERS) |
	    mismatch(peers->n == 1 && peers->tlvs->malformed, DCBX_MISMATCH_MALFORMED);
	resolve_pfc(config, pfc_enable, address, peers, outcome);
	resolve_ets(config, peers, outcome);
	outcome->app_reason = (uint8_t)app_reason(config, address, peers);
}

/* --- TLVs to send ----------------------------------------------------------------- */

static bool is_zero(const uint8_t of[DCB_PRIORITIES])
{
	static const uint8_t zero[DCB_PRIORITIES];

	return memcmp(of, zero, sizeof(zero)) == 0;
}

void dcbx_set_tables(const struct dcbx_config *config, const uint8_t strict_classes[DCB_PRIORITIES],
		     struct ets_tables *tables)
{
	if (ets_tables_share(&config->ets)) {
		*tables = config->ets;
	} else {
		memset(tables, 0, sizeof(*tables));
		memcpy(tables->priority_tc, strict_classes, DCB_PRIORITIES);
	}
}

bool dcbx_has_recommendation(const struct dcbx_config *config)
{
	return !is_zero(config->reco.tsa);
}

void dcbx_recommend(const struct dcbx_config *config, const uint8_t strict_classes[DCB_PRIORITIES],
		    struct ets_tables *reco)
{
	dcbx_set_tables(config, strict_classes, reco);
	if (!dcbx_has_recommendation(config))
		return;
	memcpy(reco->bandwidth, config->reco.bandwidth, DCB_PRIORITIES);
	memcpy(reco->tsa, config->reco.tsa, DCB_PRIORITIES);
	if (!is_zero(config->ets.priority_tc))
		memcpy(reco->priority_tc, config->ets.priority_tc, DCB_PRIORITIES);
}

void dcbx_advertise(const struct dcbx_config *config, const struct dcbx_peers *peers,
		    const struct dcbx_outcome *outcome, const struct cn_tlv *cn,
		    const uint8_t strict_classes[DCB_PRIORITIES], struct dcb_tlvs *tlvs)
{
	memset(tlvs, 0, sizeof(*tlvs));
	tlvs->present = config->tx_enable & (uint8_t) ~(1u << DCB_TLV_PFC_DELAY);
	tlvs->cn = *cn;
	tlvs->ets.willing = config->ets_willing;
	tlvs->ets.max_tcs = DCBX_TCS;
	if (outcome->ets)
		tlvs->ets.tables = outcome->ets_tables;
	else
		memcpy(tlvs->ets.tables.priority_tc, strict_classes, DCB_PRIORITIES);
	dcbx_recommend(config, strict_classes, &tlvs->reco);
	tlvs->pfc.willing = config->pfc_willing;
	tlvs->pfc.cap = DCBX_PFC_CAP;
	tlvs->pfc.enable = outcome->pfc_enable;
	set_apps(config, peers, outcome, &tlvs->app);
	tlvs->app_vlan.n = config->n_app_vlans;
	memcpy(tlvs->app_vlan.of, config->app_vlans,
	       config->n_app_vlans * sizeof(config->app_vlans[0]));
}
