/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbDcbxAuditTable: the expected values of a port's neighbor and those that it sends, as text. */
#include <stdarg.h>
#include <stdio.h>

#include "control/managed/lldp_ports.h"
#include "control/objects/mo_read_lldp.h"
#include "lldp/dcbx_audit.h"

_Static_assert((int)DCBX_FEATURE_PFC == (int)MO_dcbx_feature_pfc &&
		   (int)DCBX_FEATURE_CN == (int)MO_dcbx_feature_congestionNotification &&
		   (int)DCBX_AUDIT_MATCH == (int)MO_audit_result_match &&
		   (int)DCBX_AUDIT_NOT_EXPECTED == (int)MO_audit_result_notExpected,
	       "the rows of agent.def and dcbx_audit.h have the same numbers");

/* --- text ----------------------------------------------------------------------------------- */

/* Text of at most AUDIT_TEXT_OCTETS - 1 octets; what does not fit is cut. */
struct text {
	char *octets;
	size_t n;
};

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int more;

	va_start(ap, fmt);
	more = vsnprintf(t->octets + t->n, AUDIT_TEXT_OCTETS - t->n, fmt, ap);
	va_end(ap);
	t->n += more > 0 ? (size_t)more : 0;
	if (t->n >= AUDIT_TEXT_OCTETS)
		t->n = AUDIT_TEXT_OCTETS - 1;
}

/* "3,5-7" or "none" */
static void add_priorities(struct text *t, uint8_t mask)
{
	const char *comma = "";

	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		unsigned last = p;

		if (!(mask >> p & 1))
			continue;
		while (last + 1 < DCB_PRIORITIES && (mask >> (last + 1) & 1))
			last++;
		if (last > p)
			add(t, "%s%u-%u", comma, p, last);
		else
			add(t, "%s%u", comma, p);
		comma = ",";
		p = last;
	}
	if (!mask)
		add(t, "none");
}

/* The neighbor's capability is shown only if it is too small for these priorities. */
static void add_pfc(struct text *t, const struct pfc_tlv *told, uint8_t expected)
{
	add_priorities(t, told->enable);
	if (dcbx_pfc_mismatch(expected, told) >> DCBX_MISMATCH_CAP & 1)
		add(t, ", at most %u", told->cap);
}

static void add_class(struct text *t, const struct ets_tables *ets, unsigned tc)
{
	switch (ets->tsa[tc]) {
	case TSA_STRICT:
		add(t, " strict");
		break;
	case TSA_CREDIT_BASED_SHAPER:
		add(t, " shaper");
		break;
	case TSA_ETS:
		add(t, " %u%%", ets->bandwidth[tc]);
		break;
	default:
		add(t, " vendor");
		break;
	}
}

/* "TC 0 (0-2,4) 60%, TC 1 (3) 40%": the traffic classes that have priorities. */
static void add_ets(struct text *t, const struct ets_tables *ets)
{
	const char *comma = "";

	for (unsigned tc = 0; tc < DCB_PRIORITIES; tc++) {
		uint8_t priorities = 0;

		for (unsigned p = 0; p < DCB_PRIORITIES; p++)
			if (ets->priority_tc[p] == tc)
				priorities |= (uint8_t)(1u << p);
		if (!priorities)
			continue;
		add(t, "%sTC %u (", comma, tc);
		add_priorities(t, priorities);
		add(t, ")");
		add_class(t, ets, tc);
		comma = ", ";
	}
}

/* "ethertype 0x8906:3, tcp 3260:4"; entries that do not fit are "..." */
static void add_apps(struct text *t, const struct app_priority *apps, unsigned n)
{
	/* LldpXdot1dcbxAppSelector */
	static const char *const selectors[] = {"selector 0", "ethertype", "tcp",
						"udp",        "tcp/udp",   "dscp"};
	const size_t longest = sizeof(", ethertype 0xffff:7, ...");

	for (unsigned i = 0; i < n; i++) {
		const struct app_priority *app = &apps[i];
		const char *comma = i > 0 ? ", " : "";

		if (t->n + longest > AUDIT_TEXT_OCTETS) {
			add(t, ", ...");
			return;
		}
		if (app->selector >= sizeof(selectors) / sizeof(selectors[0]))
			add(t, "%sselector %u %u:%u", comma, app->selector, app->protocol,
			    app->priority);
		else
			add(t, app->selector == 1 ? "%s%s 0x%04x:%u" : "%s%s %u:%u", comma,
			    selectors[app->selector], app->protocol, app->priority);
	}
	if (n == 0)
		add(t, "none");
}

static void write_expected(const struct dcbx_audit *a, enum dcbx_feature feature,
			   const struct dcbx_expected *expected, char to[AUDIT_TEXT_OCTETS])
{
	struct text t = {.octets = to};

	to[0] = '\0';
	if (expected->what == DCBX_EXPECTS_ANY)
		add(&t, "any");
	if (expected->what != DCBX_EXPECTS_OWN)
		return;
	switch (feature) {
	case DCBX_FEATURE_PFC:
	case DCBX_FEATURE_CN:
		add_priorities(&t, expected->priorities);
		break;
	case DCBX_FEATURE_ETS:
	case DCBX_FEATURE_ETS_RECO:
		add_ets(&t, &expected->ets);
		break;
	case DCBX_FEATURE_APP:
		add_apps(&t, a->config->apps, a->config->n_apps);
		break;
	}
}

/* Empty if no neighbor counts, or it does not send the TLV, or sends a malformed one. */
static void write_told(const struct dcbx_audit *a, enum dcbx_feature feature,
		       const struct dcbx_expected *expected, char to[AUDIT_TEXT_OCTETS])
{
	const struct dcbx_peers *peers = dcbx_feature_peers(a, feature);
	struct text t = {.octets = to};

	to[0] = '\0';
	if (peers->n != 1 || !dcb_tlvs_have(peers->tlvs, dcbx_feature_tlv(feature)))
		return;
	switch (feature) {
	case DCBX_FEATURE_PFC:
		add_pfc(&t, &peers->tlvs->pfc,
			expected->what == DCBX_EXPECTS_OWN ? expected->priorities
							   : peers->tlvs->pfc.enable);
		break;
	case DCBX_FEATURE_CN:
		add_priorities(&t, peers->tlvs->cn.cnpv);
		break;
	case DCBX_FEATURE_ETS:
		add_ets(&t, &peers->tlvs->ets.tables);
		break;
	case DCBX_FEATURE_ETS_RECO:
		add_ets(&t, &peers->tlvs->reco);
		break;
	case DCBX_FEATURE_APP:
		add_apps(&t, peers->tlvs->app.of, peers->tlvs->app.n);
		break;
	}
}

/* --- row ------------------------------------------------------------------------------------ */

/*
 * Returns the CNPVs that the neighbor is to have too: those that the port announces, except
 * where its administrative defense mode says that the domain ends here.
 */
static uint8_t cnpvs_expected(const struct dcb_config *c, const struct dcb_config_port *of,
			      const struct lldp_port *port)
{
	uint8_t mask = 0;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		struct cnd_defense defense = dcb_config_defense(c, of, p);
		bool is_end =
		    defense.cnpd_is_admin_def_mode && defense.cnpd_defense_mode == CPT_EDGE;

		if (port->cnd[p].cnpd_xmit_cnpv_capable && !is_end)
			mask |= (uint8_t)(1u << p);
	}
	return mask;
}

/* The CN TLV counts only if the neighbor is the only one, also if others send no DCBX TLVs. */
static struct dcbx_peers cn_peers(const struct lldp_port *port)
{
	return (struct dcbx_peers){
	    .n = port->n_neighbors,
	    .tlvs = port->peer ? &port->peer->tlvs : NULL,
	};
}

void load_dcbx_audit(const struct managed *m, const struct dcb_config *c,
		     const struct mo_row_at *at, struct dcbx_audit_row *row)
{
	const struct dcb_config_port *of = &c->ports[at->pos];
	const struct lldp_port *port = lldp_ports_at(m->lldp, of->port);
	enum dcbx_feature feature = (enum dcbx_feature)at->feature;
	const struct dcbx_audit audit = {
	    .config = &of->config->dcbx,
	    .has = lldp_port_tlvs(of->port),
	    .pfc_enable = of->config->pfc.enable,
	    .cnpv = cnpvs_expected(c, of, port),
	    .strict_classes = port_strict_classes(&of->port->settings),
	    .dcbx = lldp_port_peers(port),
	    .cn = cn_peers(port),
	};
	struct dcbx_expected expected;

	dcbx_expect(&audit, feature, &expected);
	row->result = (uint8_t)dcbx_audit(&audit, feature, &expected);
	write_expected(&audit, feature, &expected, row->expected);
	write_told(&audit, feature, &expected, row->told);
}
