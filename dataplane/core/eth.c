/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/eth.h"
#include "lib/octets.h"

void eth_look_behind_tags(const uint8_t *frame, size_t len, size_t at, struct eth_view *v)
{
	uint16_t type = v->ethertype;

	while (eth_is_tag(type)) {
		v->inner_cn_tagged |= type == ETH_TYPE_CN_TAG;
		if (len - at < ETH_TAG_OCTETS + 2)
			break;
		at += ETH_TAG_OCTETS;
		type = get_be16(frame + at);
	}
	v->inner_type = type;
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
