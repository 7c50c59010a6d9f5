/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parser of Ethernet headers with the tags of 802.1Q 6.9 (EISS: C-TAG) and
 * clause 33 (CN-TAG): DA, SA, [C-TAG], [CN-TAG], EtherType, MSDU. Reads in
 * place, keeps no pointer, copies no data. Frames have no FCS.
 */
#ifndef DCB_CORE_ETH_H
#define DCB_CORE_ETH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/octets.h"
#include "lib/units.h"

#define ETH_ADDR_OCTETS   6
#define ETH_HEADER_OCTETS 14                   /* DA, SA, EtherType */
#define ETH_TAG_OCTETS    4                    /* C-TAG or CN-TAG */
#define ETH_MIN_OCTETS    DCB_FRAME_MIN_OCTETS /* 802.3 3.2.8: shorter frames are padded */
#define ETH_DA_OFFSET     0
#define ETH_SA_OFFSET     6
#define ETH_TYPE_OFFSET   12 /* first octet after the addresses */

#define ETH_TYPE_CTAG        0x8100 /* 802.1Q table 9-1, Customer VLAN tag */
#define ETH_TYPE_STAG        0x88a8 /* Service VLAN tag: not interpreted, part of the payload */
#define ETH_TYPE_QINQ_91     0x9100 /* VLAN tags of provider bridges before 802.1ad, likewise */
#define ETH_TYPE_QINQ_92     0x9200
#define ETH_TYPE_QINQ_93     0x9300
#define ETH_TYPE_CN_TAG      0x22e9 /* 802.1Q 33.2 */
#define ETH_TYPE_CNM         0x22e7 /* 802.1Q 33.3 */
#define ETH_TYPE_MAC_CONTROL 0x8808 /* 802.3 31: PAUSE, PFC */
#define ETH_TYPE_LLDP        0x88cc
#define ETH_TYPE_HMPDU       0x89a2 /* P802.1Qdt 36.9.5: headroom measurement */

#define ETH_VID_MASK     0x0fff
#define ETH_VID_RESERVED 4095 /* table 9-2: reserved */
#define ETH_VID_NONE     0    /* priority-tagged or untagged: the port's PVID applies */

enum eth_error {
	ETH_OK,
	ETH_SHORT,        /* shorter than DA, SA and EtherType */
	ETH_BAD_TAG,      /* ends inside a C-TAG or CN-TAG, or before the next EtherType */
	ETH_GROUP_SOURCE, /* source address is a group address: invalid */
	ETH_ERRORS
};

struct eth_view {
	uint16_t ethertype;      /* after C-TAG and CN-TAG; a length if below 0x600 */
	uint16_t inner_type;     /* after all tags of any kind; ethertype if no further tag */
	uint16_t payload_offset; /* first octet after that EtherType */
	uint16_t vid;            /* of the C-TAG; 0 when untagged or priority-tagged */
	uint16_t flow_id;        /* of the CN-TAG; 0 when not CN-tagged */
	uint8_t priority;        /* PCP of the C-TAG, 0..7; 0 when untagged */
	bool tagged;             /* a C-TAG is present, at ETH_TYPE_OFFSET */
	bool drop_eligible;      /* DEI of the C-TAG */
	bool cn_tagged;          /* a CN-TAG is present, at eth_cn_tag_offset() */
	bool inner_cn_tagged;    /* a further CN-TAG is among the tags before inner_type */
};

/* Returns the text for counters and logs: "frame ends inside a tag". */
const char *eth_strerror(enum eth_error error);

/* Returns the offset of the CN-TAG, or the offset at which to insert one. */
static inline uint16_t eth_cn_tag_offset(const struct eth_view *view)
{
	return view->tagged ? ETH_TYPE_OFFSET + ETH_TAG_OCTETS : ETH_TYPE_OFFSET;
}

/* Returns the octets that a frame of len octets has on the link, without FCS. */
static inline uint32_t eth_padded_octets(uint32_t len)
{
	return len < ETH_MIN_OCTETS ? ETH_MIN_OCTETS : len;
}

/*
 * Pads a frame of len octets with zeros, in memory of ETH_MIN_OCTETS or more, and
 * returns its new length: a frame of minimum length is too short when a tag is removed.
 */
static inline uint32_t eth_pad(uint8_t *frame, uint32_t len)
{
	if (len < ETH_MIN_OCTETS)
		memset(frame + len, 0, ETH_MIN_OCTETS - len);
	return eth_padded_octets(len);
}

/* Returns true for a group (multicast or broadcast) address: 802-2014 8.2.2. */
static inline bool eth_is_group(const uint8_t *mac)
{
	return mac[0] & 1;
}

/* Returns true for the EtherType of a tag of any kind. */
static inline bool eth_is_tag(uint16_t type)
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

/*
 * Part of eth_parse(): sets what depends on further tags. They begin with EtherType
 * v->ethertype at offset at.
 */
void eth_look_behind_tags(const uint8_t *frame, size_t len, size_t at, struct eth_view *v);

/*
 * Parses a frame of len octets (any number). Makes the checks in the order of
 * enum eth_error and writes *view only for ETH_OK. Parses at most one C-TAG and
 * one CN-TAG; further tags are payload, of which only inner_type and inner_cn_tagged
 * depend: the frame as it is when other systems have removed the tags. If the frame
 * ends inside a further tag, inner_type is that tag's. A CN-TAG is recognized only after
 * the C-TAG, as 33.2 requires. Sets the members of *view one by one: a struct of small
 * members is slow to copy.
 */
static inline enum eth_error eth_parse(const uint8_t *frame, size_t len, struct eth_view *view)
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
	view->ethertype = view->inner_type = type;
	view->payload_offset = (uint16_t)(at + 2);
	view->vid = tci & ETH_VID_MASK;
	view->flow_id = flow_id;
	view->priority = (uint8_t)(tci >> 13);
	view->tagged = tagged;
	view->drop_eligible = tci & 0x1000;
	view->cn_tagged = cn_tagged;
	view->inner_cn_tagged = false;
	if (eth_is_tag(type))
		eth_look_behind_tags(frame, len, at, view);
	return ETH_OK;
}

/* 01-80-C2-00-00-00 to -0F: a bridge does not forward frames to them, 802.1Q 8.6.3. */
static inline bool eth_is_reserved(const uint8_t *da)
{
	return da[0] == 0x01 && da[1] == 0x80 && da[2] == 0xc2 && da[3] == 0x00 && da[4] == 0x00 &&
	       (da[5] & 0xf0) == 0x00;
}

/*
 * MAC Control, 802.3 clause 31 (PAUSE, PFC and others): consumed by the MAC
 * control sublayer whatever its address, and never relayed. A tagged frame with
 * this EtherType is not MAC Control, but becomes it when its tags are removed: test
 * inner_type before a frame is sent.
 */
static inline bool eth_is_mac_control(const struct eth_view *view)
{
	return view->ethertype == ETH_TYPE_MAC_CONTROL && !view->tagged && !view->cn_tagged;
}

/*
 * MAC Control or a PDU of the headroom measurement (P802.1Qdt 36.9.5), also behind tags: between
 * two ends of a link, and never forwarded, encapsulated or taken from a host.
 */
static inline bool eth_is_link_control(const struct eth_view *view)
{
	return view->inner_type == ETH_TYPE_MAC_CONTROL || view->inner_type == ETH_TYPE_HMPDU;
}

/* Congestion Notification Message, 33.3: the PDU starts at payload_offset. */
static inline bool eth_is_cnm(const struct eth_view *view)
{
	return view->ethertype == ETH_TYPE_CNM;
}

#endif
