/* SPDX-License-Identifier: BSD-3-Clause */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "control/managed/lldp_ports_private.h"

struct lldp_sent {
	struct dcb_tlvs tlvs; /* first member: sent_of() */
	uint32_t refs;
};

const struct dcb_tlvs lldp_sent_none;

static struct lldp_sent *sent_of(const struct dcb_tlvs *tlvs)
{
	return (struct lldp_sent *)(uintptr_t)tlvs;
}

/* Of TLVs that dcbx_advertise() has set: their padding is 0. */
static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct dcb_tlvs));
}

/* NULL: out of memory. */
static struct dcb_tlvs *add(struct lldp_ports *lp, const struct dcb_tlvs *tlvs)
{
	struct lldp_sent *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	memcpy(&s->tlvs, tlvs, sizeof(*tlvs));
	s->refs = 1;
	if (tsearch(&s->tlvs, &lp->sent, compare))
		return &s->tlvs;
	free(s);
	return NULL;
}

const struct dcb_tlvs *lldp_sent_share(struct lldp_ports *lp, const struct dcb_tlvs *tlvs)
{
	const struct dcb_tlvs *const *found = tfind(tlvs, &lp->sent, compare);

	return found ? lldp_sent_ref(*found) : add(lp, tlvs);
}

const struct dcb_tlvs *lldp_sent_ref(const struct dcb_tlvs *tlvs)
{
	if (tlvs != &lldp_sent_none)
		sent_of(tlvs)->refs++;
	return tlvs;
}

void lldp_sent_unref(struct lldp_ports *lp, const struct dcb_tlvs *tlvs)
{
	if (tlvs == &lldp_sent_none || --sent_of(tlvs)->refs > 0)
		return;
	tdelete(tlvs, &lp->sent, compare);
	free(sent_of(tlvs));
}

unsigned lldp_sent_encode(const struct lldp_ports *lp, const struct lldp_tracked *t,
			  struct lldp_tlv *tlvs)
{
	const struct dcb_tlvs *sent = t->pub.sent;
	unsigned n = 0;

	for (size_t i = 0; t->saved && i < lp->n_saved; i++)
		if (lp->saved[i].t == t)
			sent = lp->saved[i].pub.sent;
	for (enum dcb_tlv tlv = 0; tlv < DCB_TLVS; tlv++) {
		if (!dcb_tlvs_have(sent, tlv))
			continue;
		memcpy(tlvs[n].oui, dcb_tlv_oui, sizeof(tlvs[n].oui));
		tlvs[n].subtype = dcb_tlv_subtype(tlv);
		tlvs[n].len = (uint16_t)dcb_tlvs_encode(sent, tlv, tlvs[n].info);
		n++;
	}
	return n;
}

unsigned lldp_sent_read(void *ctx, const char *ifname, struct lldp_tlv *tlvs, uint32_t *mtu)
{
	const struct lldp_ports *lp = ctx;
	const struct lldp_tracked *t = lldp_tracked_by_name(lp, ifname);

	*mtu = t ? t->port->link.mtu : 0;
	return t ? lldp_sent_encode(lp, t, tlvs) : 0;
}
