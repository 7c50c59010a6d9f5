/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/eth.h"
#include "lib/octets.h"

static bool is_tag(uint16_t type)
{
	switch (type) {
	case ETH_TYPE_CTAG:
	case ETH_TYPE_STAG:
	case ETH_TYPE_CN_TAG:
	case ETH_TYPE_QINQ_91:
	case ETH_TYPE_QINQ_92:
	case ETH_TYPE_QINQ_93:
		return true;
	default:
		return false;
	}
}

/* Sets what depends on further tags. They begin with EtherType v->ethertype at offset at. */
static void look_behind_tags(const uint8_t *frame, size_t len, size_t at, struct eth_view *v)
{
	uint16_t type = v->ethertype;

	v->inner_cn_tagged = false;
	while (is_tag(type)) {
		v->inner_cn_tagged |= type == ETH_TYPE_CN_TAG;
		if (len - at < ETH_TAG_OCTETS + 2)
			break;
		at += ETH_TAG_OCTETS;
		type = get_be16(frame + at);
	}
	v->inner_type = type;
}

/* Sets the members of *view one by one: a struct of small members is slow to copy. */
enum eth_error eth_parse(const uint8_t *frame, size_t len, struct eth_view *view)
{
	size_t at = ETH_TYPE_OFFSET;
	uint16_t type, tci = 0, flow_id = 0;
	bool tagged, cn_tagged;

	if (len < ETH_HEADER_OCTETS)
		return ETH_SHORT;
	type = get_be16(frame + at);
	tagged = type == ETH_TYPE_CTAG;
	if (tagged) {
		if (len < at + ETH_TAG_OCTETS + 2)
			return ETH_BAD_TAG;
		tci = get_be16(frame + at + 2);
		at += ETH_TAG_OCTETS;
		type = get_be16(frame + at);
	}
	cn_tagged = type == ETH_TYPE_CN_TAG;
	if (cn_tagged) {
		if (len < at + ETH_TAG_OCTETS + 2)
			return ETH_BAD_TAG;
		flow_id = get_be16(frame + at + 2);
		at += ETH_TAG_OCTETS;
		type = get_be16(frame + at);
	}
	if (eth_is_group(frame + ETH_SA_OFFSET))
		return ETH_GROUP_SOURCE;
	view->ethertype = type;
	view->payload_offset = (uint16_t)(at + 2);
	view->vid = tci & ETH_VID_MASK;
	view->flow_id = flow_id;
	view->priority = (uint8_t)(tci >> 13);
	view->tagged = tagged;
	view->drop_eligible = tci & 0x1000;
	view->cn_tagged = cn_tagged;
	look_behind_tags(frame, len, at, view);
	return ETH_OK;
}

const char *eth_strerror(enum eth_error error)
{
	static const char *const text[ETH_ERRORS] = {
	    [ETH_OK] = "no error",
	    [ETH_SHORT] = "frame shorter than an Ethernet header",
	    [ETH_BAD_TAG] = "frame ends inside a tag",
	    [ETH_GROUP_SOURCE] = "source address is a group address",
	};

	return (unsigned int)error < ETH_ERRORS ? text[error] : "unknown";
}
