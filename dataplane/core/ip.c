/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/ip.h"

#include "dataplane/core/eth.h"

uint32_t ip_find(const uint8_t *frame, uint32_t len, uint32_t type_at)
{
	uint32_t at = type_at, left;
	uint16_t type;

	if (at + 2 > len)
		return 0;
	type = get_be16(frame + at);
	while (eth_is_tag(type) && at + ETH_TAG_OCTETS + 2 <= len) {
		at += ETH_TAG_OCTETS;
		type = get_be16(frame + at);
	}
	at += 2;
	left = len - at;
	if (type == IP_TYPE_V4 && left >= IP_V4_OCTETS && frame[at] >> 4 == 4 &&
	    (frame[at] & 0xf) >= IP_V4_OCTETS / 4)
		return at;
	return type == IP_TYPE_V6 && left >= IP_V6_OCTETS && frame[at] >> 4 == 6 ? at : 0;
}

void ip_set_traffic_class(uint8_t *ip, uint8_t traffic_class)
{
	uint16_t before = get_be16(ip), now;
	uint32_t sum;

	if (ip[0] >> 4 == 6) {
		put_be16(ip, (uint16_t)((before & 0xf00f) | traffic_class << 4));
		return;
	}
	now = (uint16_t)((before & 0xff00) | traffic_class);
	sum = (uint32_t)(uint16_t)~get_be16(ip + IP_V4_CHECKSUM) + (uint16_t)~before + now;
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	put_be16(ip, now);
	put_be16(ip + IP_V4_CHECKSUM, (uint16_t)~sum);
}
