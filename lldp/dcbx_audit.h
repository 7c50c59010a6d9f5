/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Audit: compares what the settings of a port lead to expect of its neighbor with what the
 * neighbor tells in its TLVs. Unlike a mismatch of dcbx_resolve(), it judges the settings
 * and not the values in force: a willing port that has taken values different from its own
 * settings agrees with its neighbor, and differs in the audit. Keeps no state.
 *
 * It is calculated when dcbDcbxAuditTable is read.
 */
#ifndef DCB_LLDP_DCBX_AUDIT_H
#define DCB_LLDP_DCBX_AUDIT_H

#include "lldp/dcbx.h"

/* Features: dcbDcbxAuditFeature. Each has one TLV of the neighbor. */
enum dcbx_feature {
	DCBX_FEATURE_PFC = 1,
	DCBX_FEATURE_ETS,
	DCBX_FEATURE_ETS_RECO,
	DCBX_FEATURE_APP,
	DCBX_FEATURE_CN,
};
#define DCBX_FEATURES 5 /* numbered 1 to 5 */

/* Results: dcbDcbxAuditResult. */
enum dcbx_audit_result {
	DCBX_AUDIT_MATCH = 1,      /* the neighbor tells the expected values */
	DCBX_AUDIT_MISMATCH,       /* it tells something else */
	DCBX_AUDIT_NOT_TOLD,       /* it does not send the TLV */
	DCBX_AUDIT_MALFORMED,      /* its TLV is malformed */
	DCBX_AUDIT_NO_NEIGHBOR,    /* there is no neighbor */
	DCBX_AUDIT_MANY_NEIGHBORS, /* more than one counts */
	DCBX_AUDIT_NOT_EXPECTED,   /* nothing is expected, whatever the neighbor tells */
};

enum dcbx_expects {
	DCBX_EXPECTS_NOTHING, /* no settings, and the TLV is not sent; or no such function */
	DCBX_EXPECTS_ANY,     /* willing, and no settings: whatever the neighbor tells */
	DCBX_EXPECTS_OWN,     /* the values of struct dcbx_expected */
};

struct dcbx_expected {
	uint8_t what;          /* enum dcbx_expects */
	uint8_t priorities;    /* PFC, CN: one bit each */
	struct ets_tables ets; /* ETS, ETS recommendation */
};

/* A port and its neighbors. */
struct dcbx_audit {
	const struct dcbx_config *config; /* application priorities are compared with its apps */
	uint8_t has;                      /* TLVs of functions that the port has, one bit each */
	uint8_t pfc_enable;               /* priorities set, one bit each */
	uint8_t cnpv;                     /* CNPVs that the neighbor is to have too, one bit each */
	const uint8_t *strict_classes; /* traffic classes of the port while ETS is not in force */
	struct dcbx_peers dcbx;        /* for all features but CN */
	struct dcbx_peers cn;
};

/* Returns the TLV of the feature. */
enum dcb_tlv dcbx_feature_tlv(enum dcbx_feature feature);

/* Returns the neighbors that count for the feature. */
const struct dcbx_peers *dcbx_feature_peers(const struct dcbx_audit *a, enum dcbx_feature feature);

/*
 * Sets *expected. PFC and application priorities have to be those of the port. The ETS
 * Configuration TLV of the neighbor has to be what the port recommends to it, and the
 * neighbor's recommendation has to be the port's own ETS: each end has ETS of its own, D.2.8,
 * D.2.9. A recommendation is expected only by a port that is willing to use it.
 */
void dcbx_expect(const struct dcbx_audit *a, enum dcbx_feature feature,
		 struct dcbx_expected *expected);

/* Returns the result of the audit. expected: from dcbx_expect(). */
enum dcbx_audit_result dcbx_audit(const struct dcbx_audit *a, enum dcbx_feature feature,
				  const struct dcbx_expected *expected);

#endif
