/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port/port_receive.h"

#include "dataplane/port/port_lldp.h"
#include "dataplane/port/port_pfc.h"

#include <string.h>

/*
 * A frame with a group source address is invalid. CNMs, MAC control and HMPDUs have their own
 * counters.
 */
enum port_received port_receive_bad(struct soft_port *in, const uint8_t *octets, uint32_t len,
				    enum eth_error error)
{
	uint8_t head[ETH_HEADER_OCTETS + 2 * ETH_TAG_OCTETS] = {0};
	struct eth_view view;

	if (error == ETH_GROUP_SOURCE) {
		memcpy(head, octets, len < sizeof(head) ? len : sizeof(head));
		head[ETH_SA_OFFSET] &= 0xfe;
		if (eth_parse(head, sizeof(head), &view) == ETH_OK && eth_is_cnm(&view))
			return PORT_CNM_FROM_GROUP;
		if (eth_is_mac_control(&view)) {
			port_pfc_count_group_source(in, octets, len);
			return PORT_CONSUMED;
		}
		if (view.inner_type == ETH_TYPE_HMPDU) {
			port_hm_count_bad(in, HMPDU_GROUP_SOURCE);
			return PORT_CONSUMED;
		}
	}
	counter_add(&in->stats.discard_malformed, 1);
	return PORT_CONSUMED;
}

enum port_received port_receive_special(struct port_set *s, struct soft_port *in,
					const uint8_t *octets, uint32_t len, struct dcb_time now,
					const struct eth_view *view)
{
	if (view->inner_type == ETH_TYPE_MAC_CONTROL) {
		if (!eth_is_mac_control(view))
			port_pfc_count_tagged(in);
		else if (port_pfc_receive(&s->pfc, in, octets, len, now))
			port_hm_paused(&s->hm, in, now);
		return PORT_CONSUMED;
	}
	if (view->inner_type == ETH_TYPE_HMPDU) {
		port_hm_receive(&s->hm, in, octets, len, now);
		return PORT_CONSUMED;
	}
	if (view->vid == ETH_VID_RESERVED) {
		counter_add(&in->stats.discard_vlan, 1);
		return PORT_CONSUMED;
	}
	port_lldp_receive(s, in, octets, len, view, now);
	return PORT_FRAME;
}
