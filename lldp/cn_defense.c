/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/cn_defense.h"

/*
 * cncpDoesEdge, 32.4.9: returns the state of a port whose neighbor is not in
 * the domain. Choice: for a port that cannot remap priorities the figure, as
 * far as it was available, states nothing. Such a port is an interior port at
 * the end of its domain.
 */
static enum cndd_state outside_domain(const struct cndd_inputs *in)
{
	return in->cncp_does_edge ? CNDD_EDGE : CNDD_INTERIOR;
}

/* Transitions of figure 32-1. A Ready indicator without the CNPV indicator has no effect. */
static enum cndd_state next(enum cndd_state state, const struct cndd_inputs *in)
{
	bool rcvd_cnpv = in->has_lldp_instance && in->cnpd_rcvd_cnpv;

	switch (state) {
	case CNDD_DISABLED:
		return outside_domain(in);
	case CNDD_EDGE:
		return rcvd_cnpv ? CNDD_INTERIOR : outside_domain(in);
	case CNDD_INTERIOR:
	case CNDD_INTERIOR_READY:
		if (!rcvd_cnpv)
			return outside_domain(in);
		return in->cnpd_rcvd_ready ? CNDD_INTERIOR_READY : CNDD_INTERIOR;
	}
	return CNDD_DISABLED;
}

/*
 * With an administrative defense mode the machine is in CNDD_DISABLED:
 * afterwards it starts with the neighbor's current indicators.
 */
static enum cndd_state settle(enum cndd_state state, const struct cndd_inputs *in)
{
	enum cndd_state after;

	if (!in->enabled || in->admin.cnpd_is_admin_def_mode)
		return CNDD_DISABLED;
	while ((after = next(state, in)) != state)
		state = after;
	return state;
}

/*
 * Returns the automatic defense mode. It is never cptDisabled: in CNDD_DISABLED
 * it is the mode in which the machine would start.
 */
static enum cn_defense_mode auto_defense_mode(enum cndd_state state, const struct cndd_inputs *in)
{
	switch (state) {
	case CNDD_INTERIOR_READY:
		return CPT_INTERIOR_READY;
	case CNDD_INTERIOR:
		return CPT_INTERIOR;
	case CNDD_EDGE:
		return CPT_EDGE;
	case CNDD_DISABLED:
		break;
	}
	return outside_domain(in) == CNDD_EDGE ? CPT_EDGE : CPT_INTERIOR;
}

/*
 * Sets cnpdXmitCnpvCapable and cnpdXmitReady. An administrative mode sends the
 * same indicators as the automatic mode of that name. A port that cannot
 * receive CN-TAGs (cnpdAcceptsCnTag, 32.4.10) never sends Ready, as Ready
 * allows them. Without an LLDP instance both are FALSE, table 32-1.
 */
static void set_indicators(struct cndd *d, const struct cndd_inputs *in)
{
	unsigned mode = in->admin.cnpd_is_admin_def_mode ? in->admin.cnpd_defense_mode
							 : d->cnpd_auto_defense_mode;

	d->cnpd_xmit_cnpv_capable = in->enabled && in->has_lldp_instance && mode != CPT_DISABLED;
	d->cnpd_xmit_ready =
	    d->cnpd_xmit_cnpv_capable && mode != CPT_EDGE && in->cnpd_accepts_cn_tag;
}

bool cndd_run(struct cndd *d, const struct cndd_inputs *in)
{
	const struct cndd before = *d;
	enum cndd_state state = d->state ? (enum cndd_state)d->state : CNDD_DISABLED;

	d->state = (uint8_t)settle(state, in);
	d->cnpd_auto_defense_mode = (uint8_t)auto_defense_mode((enum cndd_state)d->state, in);
	set_indicators(d, in);
	return d->state != state || d->cnpd_auto_defense_mode != before.cnpd_auto_defense_mode ||
	       d->cnpd_xmit_cnpv_capable != before.cnpd_xmit_cnpv_capable ||
	       d->cnpd_xmit_ready != before.cnpd_xmit_ready;
}

uint16_t cn_lldp_instance(const struct cn_lldp_choice_row *component,
			  const struct cn_lldp_choice_row *port)
{
	const struct cn_lldp_choice_row *row = port->choice == CNL_COMPONENT ? component : port;

	return row->choice == CNL_ADMIN ? row->selector : 0;
}
