/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/port_receive.h"

#include "dataplane/core/pfc_pdu.h"
#include "dataplane/counter.h"

#include <string.h>

/* MAC control sublayer, 802.3 clause 31: what it does not know ends here too. */
static void mac_control(struct soft_port *in, const uint8_t *octets, uint32_t len)
{
	struct pfc_pdu pdu;

	switch (pfc_pdu_decode(octets, len, &pdu)) {
	case PFC_PDU_OK:
		counter_add(&in->stats.pfc_frames_received, 1);
		for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
			if (pdu.enable >> i & 1)
				counter_add(&in->pfc_stats[i].pfc_indications, 1);
		}
		break;
	case PFC_PDU_PAUSE:
	case PFC_PDU_BAD_OPCODE:
		counter_add(&in->stats.discard_reserved, 1);
		break;
	default:
		counter_add(&in->stats.discard_malformed, 1);
	}
}

/* A group source address makes any frame invalid, but a CNM has a counter of its own. */
static enum port_received bad_frame(struct soft_port *in, const uint8_t *octets, uint32_t len,
				    enum eth_error error)
{
	uint8_t head[ETH_HEADER_OCTETS + 2 * ETH_TAG_OCTETS] = {0};
	struct eth_view view;

	if (error == ETH_GROUP_SOURCE) {
		memcpy(head, octets, len < sizeof(head) ? len : sizeof(head));
		head[ETH_SA_OFFSET] &= 0xfe;
		if (eth_parse(head, sizeof(head), &view) == ETH_OK && eth_is_cnm(&view))
			return PORT_CNM_FROM_GROUP;
	}
	counter_add(&in->stats.discard_malformed, 1);
	return PORT_CONSUMED;
}

enum port_received port_receive(struct soft_port *in, const uint8_t *octets, uint32_t len,
				uint32_t wire_octets, uint32_t frame_octets, struct eth_view *view)
{
	enum eth_error error;

	counter_add(&in->stats.rx_frames, 1);
	counter_add(&in->stats.rx_octets, wire_octets);
	if (wire_octets > len || len > frame_octets) {
		counter_add(&in->stats.discard_oversize, 1);
		return PORT_CONSUMED;
	}
	error = eth_parse(octets, len, view);
	if (error != ETH_OK)
		return bad_frame(in, octets, len, error);
	if (eth_is_mac_control(view)) {
		mac_control(in, octets, len);
		return PORT_CONSUMED;
	}
	if (view->vid == ETH_VID_RESERVED) {
		counter_add(&in->stats.discard_vlan, 1);
		return PORT_CONSUMED;
	}
	return PORT_FRAME;
}
