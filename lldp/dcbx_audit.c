/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/dcbx_audit.h"

#include <string.h>

enum dcb_tlv dcbx_feature_tlv(enum dcbx_feature feature)
{
	switch (feature) {
	case DCBX_FEATURE_PFC:
		return DCB_TLV_PFC;
	case DCBX_FEATURE_ETS:
		return DCB_TLV_ETS;
	case DCBX_FEATURE_ETS_RECO:
		return DCB_TLV_ETS_RECO;
	case DCBX_FEATURE_APP:
		return DCB_TLV_APP;
	case DCBX_FEATURE_CN:
		break;
	}
	return DCB_TLV_CN;
}

const struct dcbx_peers *dcbx_feature_peers(const struct dcbx_audit *a, enum dcbx_feature feature)
{
	return feature == DCBX_FEATURE_CN ? &a->cn : &a->dcbx;
}

static bool sends(const struct dcbx_audit *a, enum dcb_tlv tlv)
{
	return a->config->tx_enable >> tlv & 1;
}

/* Does the only neighbor send the TLV, valid or malformed? */
static bool is_told(const struct dcbx_audit *a, enum dcb_tlv tlv)
{
	const struct dcbx_peers *peers = &a->dcbx;

	return peers->n == 1 && ((peers->tlvs->present | peers->tlvs->malformed) >> tlv & 1);
}

/* --- expected values ------------------------------------------------------------------------ */

/* PFC has to be the same at both ends, so a neighbor that tells PFC is always compared. */
static enum dcbx_expects expect_pfc(const struct dcbx_audit *a)
{
	if (a->pfc_enable)
		return DCBX_EXPECTS_OWN;
	if (sends(a, DCB_TLV_PFC))
		return a->config->pfc_willing ? DCBX_EXPECTS_ANY : DCBX_EXPECTS_OWN;
	return is_told(a, DCB_TLV_PFC) ? DCBX_EXPECTS_OWN : DCBX_EXPECTS_NOTHING;
}

/* The neighbor is to have the ETS that the port recommends to it. */
static enum dcbx_expects expect_ets(const struct dcbx_audit *a)
{
	const struct dcbx_config *config = a->config;

	if (ets_tables_share(&config->ets) || dcbx_has_recommendation(config))
		return DCBX_EXPECTS_OWN;
	if (sends(a, DCB_TLV_ETS) && config->ets_willing)
		return DCBX_EXPECTS_ANY;
	return sends(a, DCB_TLV_ETS) || sends(a, DCB_TLV_ETS_RECO) ? DCBX_EXPECTS_OWN
								   : DCBX_EXPECTS_NOTHING;
}

/* The neighbor is to recommend the ETS of the port, which it need not do if it is not asked. */
static enum dcbx_expects expect_reco(const struct dcbx_audit *a)
{
	bool own = ets_tables_share(&a->config->ets);

	if (sends(a, DCB_TLV_ETS) && a->config->ets_willing)
		return own ? DCBX_EXPECTS_OWN : DCBX_EXPECTS_ANY;
	return own && is_told(a, DCB_TLV_ETS_RECO) ? DCBX_EXPECTS_OWN : DCBX_EXPECTS_NOTHING;
}

static enum dcbx_expects expects_own(bool own)
{
	return own ? DCBX_EXPECTS_OWN : DCBX_EXPECTS_NOTHING;
}

void dcbx_expect(const struct dcbx_audit *a, enum dcbx_feature feature,
		 struct dcbx_expected *expected)
{
	memset(expected, 0, sizeof(*expected));
	if (!(a->has >> dcbx_feature_tlv(feature) & 1))
		return;
	switch (feature) {
	case DCBX_FEATURE_PFC:
		expected->what = (uint8_t)expect_pfc(a);
		expected->priorities = a->pfc_enable;
		break;
	case DCBX_FEATURE_ETS:
		expected->what = (uint8_t)expect_ets(a);
		dcbx_recommend(a->config, a->strict_classes, &expected->ets);
		break;
	case DCBX_FEATURE_ETS_RECO:
		expected->what = (uint8_t)expect_reco(a);
		dcbx_set_tables(a->config, a->strict_classes, &expected->ets);
		break;
	case DCBX_FEATURE_APP:
		expected->what = (uint8_t)expects_own(a->config->n_apps > 0);
		break;
	case DCBX_FEATURE_CN:
		expected->what = (uint8_t)expects_own(a->cnpv != 0);
		expected->priorities = a->cnpv;
		break;
	}
}

/* --- comparison ----------------------------------------------------------------------------- */

static bool pfc_matches(const struct dcbx_expected *expected, const struct pfc_tlv *told)
{
	uint8_t enable = expected->what == DCBX_EXPECTS_OWN ? expected->priorities : told->enable;

	return dcbx_pfc_mismatch(enable, told) == 0;
}

/* Classes without priorities do not count, nor does the bandwidth of a class without ETS. */
static bool same_ets(const struct ets_tables *ours, const struct ets_tables *theirs)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		unsigned tc = ours->priority_tc[p];

		if (tc != theirs->priority_tc[p] || ours->tsa[tc] != theirs->tsa[tc] ||
		    (ours->tsa[tc] == TSA_ETS && ours->bandwidth[tc] != theirs->bandwidth[tc]))
			return false;
	}
	return true;
}

static bool same_apps(const struct dcbx_config *ours, const struct app_tlv *theirs)
{
	if (ours->n_apps != theirs->n)
		return false;
	for (unsigned i = 0; i < theirs->n; i++)
		if (ours->apps[i].selector != theirs->of[i].selector ||
		    ours->apps[i].protocol != theirs->of[i].protocol ||
		    ours->apps[i].priority != theirs->of[i].priority)
			return false;
	return true;
}

static bool matches(const struct dcbx_audit *a, enum dcbx_feature feature,
		    const struct dcbx_expected *expected, const struct dcb_tlvs *told)
{
	bool any = expected->what == DCBX_EXPECTS_ANY;

	switch (feature) {
	case DCBX_FEATURE_PFC:
		return pfc_matches(expected, &told->pfc);
	case DCBX_FEATURE_ETS:
		return any || same_ets(&expected->ets, &told->ets.tables);
	case DCBX_FEATURE_ETS_RECO:
		return any ? dcbx_ets_is_supported(&told->reco)
			   : same_ets(&expected->ets, &told->reco);
	case DCBX_FEATURE_APP:
		return same_apps(a->config, &told->app);
	case DCBX_FEATURE_CN:
		return expected->priorities == told->cn.cnpv;
	}
	return false;
}

enum dcbx_audit_result dcbx_audit(const struct dcbx_audit *a, enum dcbx_feature feature,
				  const struct dcbx_expected *expected)
{
	const struct dcbx_peers *peers = dcbx_feature_peers(a, feature);
	enum dcb_tlv tlv = dcbx_feature_tlv(feature);

	if (expected->what == DCBX_EXPECTS_NOTHING)
		return DCBX_AUDIT_NOT_EXPECTED;
	if (peers->n == 0)
		return DCBX_AUDIT_NO_NEIGHBOR;
	if (peers->n > 1)
		return DCBX_AUDIT_MANY_NEIGHBORS;
	if (peers->tlvs->malformed >> tlv & 1)
		return DCBX_AUDIT_MALFORMED;
	if (!dcb_tlvs_have(peers->tlvs, tlv))
		return DCBX_AUDIT_NOT_TOLD;
	return matches(a, feature, expected, peers->tlvs) ? DCBX_AUDIT_MATCH : DCBX_AUDIT_MISMATCH;
}
