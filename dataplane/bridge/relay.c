/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that few frames need: not inline, so that the common path stays short. */
#include "dataplane/bridge/relay.h"

#include "dataplane/core/flow.h"

bool relay_is_foreign_cnm(uint8_t edge_of, const uint8_t *octets, uint32_t len)
{
	struct octets_in in = octets_in(octets, len);
	const uint8_t *priority;

	(void)octets_in_take(&in, ETH_TYPE_OFFSET);
	while (octets_in_be16(&in) != ETH_TYPE_CNM && !in.overrun)
		(void)octets_in_take(&in, ETH_TAG_OCTETS - 2);
	(void)octets_in_take(&in, CNM_PRIORITY_OFFSET);
	priority = octets_in_take(&in, 1);
	return !priority || edge_of >> (*priority >> 5) & 1;
}

bool relay_passes_ingress(struct soft_port *in, const struct arrival *a)
{
	const struct vlan_port_config *vlan = in->vlan.ingress;
	bool tagged = a->view.vid != ETH_VID_NONE; /* a priority-tagged frame is not */

	if (vlan->frame_types == (tagged ? VLAN_ADMIT_UNTAGGED : VLAN_ADMIT_TAGGED)) {
		counter_add(&in->stats.discard_frame_type, 1);
		return false;
	}
	if (vlan->ingress_filtering && ranges_has(vlan->excluded, a->vid)) {
		counter_add(&in->stats.discard_ingress, 1);
		return false;
	}
	return true;
}

uint8_t relay_trusted_priority(const uint8_t by_dscp[APP_DSCPS], const struct soft_port *in,
			       const struct arrival *a)
{
	uint32_t at = a->view.payload_offset - 2u;
	int dscp = app_dscp(a->octets + at, a->len - at);

	return dscp < 0 ? in->base.settings.default_priority : by_dscp[dscp];
}

void relay_count_no_buffer(struct soft_port *out, const struct arrival *a, uint8_t priority,
			   struct buffer_account *account, uint32_t len)
{
	buffer_release(account, len, 1);
	counter_add(&account->no_frames, 1);
	if (a->ingress)
		counter_add(&a->ingress->pfc.stats[a->link_priority].pfc_discards, 1);
	else
		port_count_no_buffer(out, priority);
}

uint64_t relay_flow_hash(const struct arrival *a, uint64_t seed)
{
	uint32_t at = a->view.payload_offset - 2u;
	struct flow_keys keys;

	(void)flow_parse(&keys, a->octets, a->octets + ETH_SA_OFFSET, a->vid, a->octets + at,
			 a->len - at);
	return flow_hash(&keys, seed);
}

bool relay_cnm(const struct dcb_config *config, const struct soft_port *at, uint8_t priority,
	       const struct arrival *a, const struct cp_verdict *verdict,
	       const uint8_t mac[ETH_ADDR_OCTETS], uint8_t octets[CNM_FRAME_MAX],
	       struct arrival *own)
{
	struct cnm cnm;

	if (eth_is_cnm(&a->view))
		return false;
	cnm_of_frame(&cnm, verdict, a->octets, a->len, &a->view, a->priority,
		     at->cn.cp[priority].config.cp_min_header_octets);
	dcb_cpid(config->system_address, at->base.slot, priority, cnm.cpid);
	*own = (struct arrival){
	    .octets = octets,
	    .len = cnm_frame(octets, &cnm, a->octets + ETH_SA_OFFSET, mac, a->view.flow_id),
	    .vid = a->vid,
	    .priority = config->global.cng_cnm_transmit_priority,
	    .now = a->now,
	    .now_s = a->now_s,
	};
	return eth_parse(octets, own->len, &own->view) == ETH_OK;
}
