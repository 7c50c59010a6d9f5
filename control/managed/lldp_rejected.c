/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports whose provider refuses the configuration that follows from their neighbor. */
#include "control/managed/lldp_ports_private.h"

bool lldp_ports_reject(struct lldp_ports *lp, const struct port *port, bool *first)
{
	struct lldp_tracked *t = lp->of[port->slot];
	size_t i = 0;

	while (i < lp->n_saved && lp->saved[i].t != t)
		i++;
	if (i == lp->n_saved || !lp->same_rules || lp->saved[i].config != t->config)
		return false;
	*first = !t->refused;
	t->refused = true;
	t->rejected = LLDP_REJECTED_NOW;
	lp->has_rejected = true;
	return true;
}

/*
 * Has the change rejected neighbors, and put nothing else in force? Then it is no reason to try
 * others again: two refused ports would take turns for ever.
 */
static bool only_rejects(const struct lldp_ports *lp)
{
	const struct lldp_tracked *t = lp->has_rejected ? lp->by_name : NULL;

	while (t && t->rejected != LLDP_REJECTED_NOW)
		t = t->hh.next;
	for (size_t i = 0; t && i < lp->n_saved; i++) {
		const struct lldp_saved *was = &lp->saved[i];

		if (was->config != was->t->config || !port_oper_equal(&was->oper, &was->t->oper))
			return false;
	}
	return t;
}

void lldp_rejected_retry(struct lldp_ports *lp)
{
	struct lldp_tracked *t = lp->has_rejected ? lp->by_name : NULL;
	bool others = !only_rejects(lp);

	lp->has_rejected = false;
	for (; t; t = t->hh.next) {
		if (t->rejected == LLDP_REJECTED && others) {
			t->rejected = LLDP_NOT_REJECTED;
			lldp_ports_make_due(lp, t);
		} else if (t->rejected) {
			t->rejected = LLDP_REJECTED;
			lp->has_rejected = true;
		}
	}
}
