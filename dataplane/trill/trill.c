/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/trill/trill.h"
#include "lib/octets.h"

#define VERSION_SHIFT   14 /* first two octets of the header */
#define MULTI_BIT       0x0800
#define OP_WORDS_SHIFT  6
#define OP_WORDS_MASK   0x1f
#define HOP_COUNT_MASK  0x3f
#define EGRESS_OFFSET   2 /* in the header */
#define INGRESS_OFFSET  4
#define OPTION_CRITICAL 0xc0 /* first octet of the options: CHbH and CItE, 3.5 */
#define TCI_PRIORITY    13
#define TCI_DEI         12

const uint8_t trill_all_rbridges[ETH_ADDR_OCTETS] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x40};
const uint8_t trill_all_isis_rbridges[ETH_ADDR_OCTETS] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x41};

/*
 * Choice: a frame with critical options is dropped at every RBridge, also one whose critical
 * options are only for the egress RBridge (CItE), which 3.5 lets others forward. No option is
 * understood here, and the frames of our own campus have none. Options that are not critical
 * remain in transit and are skipped at the egress RBridge.
 */
static bool options_understood(const uint8_t *options, uint8_t op_words)
{
	return op_words == 0 || !(options[0] & OPTION_CRITICAL);
}

/*
 * Choice: a multi-destination frame has Outer.DA All-RBridges, any other an individual address.
 * 4.6.2.4 has no use for another combination, and a frame that has one could arrive twice.
 */
static bool multi_matches(const uint8_t *outer_da, bool multi)
{
	if (multi)
		return memcmp(outer_da, trill_all_rbridges, ETH_ADDR_OCTETS) == 0;
	return !eth_is_group(outer_da);
}

static enum trill_error parse_header(const uint8_t *frame, size_t len, const struct eth_view *outer,
				     struct trill_view *v)
{
	const uint8_t *header = frame + outer->payload_offset;
	size_t left = len - outer->payload_offset;
	uint16_t first;

	if (outer->cn_tagged)
		return TRILL_OUTER_CN_TAG;
	if (left < TRILL_HEADER_OCTETS)
		return TRILL_SHORT;
	first = get_be16(header);
	v->version = (uint8_t)(first >> VERSION_SHIFT);
	v->multi = first & MULTI_BIT;
	v->op_words = (uint8_t)(first >> OP_WORDS_SHIFT & OP_WORDS_MASK);
	v->hop_count = first & HOP_COUNT_MASK;
	v->egress = get_be16(header + EGRESS_OFFSET);
	v->ingress = get_be16(header + INGRESS_OFFSET);
	if (left - TRILL_HEADER_OCTETS < (size_t)TRILL_OPTION_WORD * v->op_words)
		return TRILL_SHORT;
	v->inner_offset = (uint16_t)(outer->payload_offset + TRILL_HEADER_OCTETS +
				     TRILL_OPTION_WORD * v->op_words);
	if (v->version != 0)
		return TRILL_BAD_VERSION;
	if (!options_understood(header + TRILL_HEADER_OCTETS, v->op_words))
		return TRILL_BAD_OPTIONS;
	if (!trill_nickname_is_valid(v->egress) || !trill_nickname_is_valid(v->ingress))
		return TRILL_BAD_NICKNAME;
	if (!multi_matches(frame + ETH_DA_OFFSET, v->multi))
		return TRILL_BAD_MULTI;
	return v->hop_count == 0 ? TRILL_HOP_COUNT : TRILL_OK;
}

/*
 * Choice: an inner group address needs M, although 4.6.2.4 lets an ingress RBridge send copies of
 * such a frame to each egress RBridge. No RBridge of ours does, and with the tree as the only way
 * of group frames no frame arrives twice.
 */
static bool needs_multi(const uint8_t *inner_da)
{
	return eth_is_group(inner_da);
}

static enum trill_error parse_inner(const uint8_t *inner, size_t len, struct trill_view *v)
{
	enum eth_error error = eth_parse(inner, len, &v->inner);
	uint16_t vid;

	if (len < TRILL_INNER_MIN_OCTETS || error == ETH_SHORT || error == ETH_BAD_TAG)
		return TRILL_INNER_SHORT;
	if (get_be16(inner + ETH_TYPE_OFFSET) != ETH_TYPE_CTAG)
		return TRILL_INNER_UNTAGGED;
	vid = get_be16(inner + ETH_TYPE_OFFSET + 2) & ETH_VID_MASK;
	if (vid == ETH_VID_NONE || vid == ETH_VID_RESERVED)
		return TRILL_INNER_VID;
	if (error == ETH_GROUP_SOURCE)
		return TRILL_INNER_SOURCE;
	if (eth_is_reserved(inner + ETH_DA_OFFSET))
		return TRILL_INNER_RESERVED;
	if (!v->multi && needs_multi(inner + ETH_DA_OFFSET))
		return TRILL_INNER_GROUP;
	return v->inner.ethertype == ETH_TYPE_TRILL ? TRILL_INNER_TRILL : TRILL_OK;
}

enum trill_error trill_parse(const uint8_t *frame, size_t len, const struct eth_view *outer,
			     struct trill_view *view)
{
	enum trill_error error = parse_header(frame, len, outer, view);

	if (!error)
		error = parse_inner(frame + view->inner_offset, len - view->inner_offset, view);
	view->outer = *outer; /* last: its members were written just before the call */
	return error;
}

const char *trill_strerror(enum trill_error error)
{
	static const char *const text[TRILL_ERRORS] = {
	    [TRILL_OK] = "no error",
	    [TRILL_OUTER_CN_TAG] = "CN-TAG before the TRILL header",
	    [TRILL_SHORT] = "frame ends inside the TRILL header",
	    [TRILL_BAD_VERSION] = "unknown version of TRILL",
	    [TRILL_BAD_OPTIONS] = "critical TRILL options",
	    [TRILL_BAD_NICKNAME] = "nickname 0 or reserved",
	    [TRILL_BAD_MULTI] = "bit M does not match the outer destination address",
	    [TRILL_HOP_COUNT] = "hop count 0",
	    [TRILL_INNER_SHORT] = "inner frame shorter than its header",
	    [TRILL_INNER_UNTAGGED] = "inner frame without VLAN tag",
	    [TRILL_INNER_VID] = "inner VLAN tag without VLAN",
	    [TRILL_INNER_SOURCE] = "inner source address is a group address",
	    [TRILL_INNER_RESERVED] = "inner destination address is reserved",
	    [TRILL_INNER_GROUP] = "inner group address without bit M",
	    [TRILL_INNER_TRILL] = "TRILL frame inside a TRILL frame",
	};

	return (unsigned int)error < TRILL_ERRORS ? text[error] : "unknown";
}

static uint8_t *put_tag(uint8_t *p, uint16_t vid, uint8_t priority, bool drop_eligible)
{
	put_be16(p, ETH_TYPE_CTAG);
	put_be16(p + 2, (uint16_t)(priority << TCI_PRIORITY | drop_eligible << TCI_DEI | vid));
	return p + ETH_TAG_OCTETS;
}

static inline uint8_t *put_outer(uint8_t *p, const struct trill_outer *outer)
{
	memcpy(p + ETH_DA_OFFSET, outer->da, ETH_ADDR_OCTETS);
	memcpy(p + ETH_SA_OFFSET, outer->sa, ETH_ADDR_OCTETS);
	p += ETH_TYPE_OFFSET;
	if (outer->tagged)
		p = put_tag(p, outer->vid, outer->priority, outer->drop_eligible);
	put_be16(p, ETH_TYPE_TRILL);
	return p + 2;
}

/*
 * Writes a native or inner frame of len octets that *view describes with the tags of *tags; with a
 * C-TAG if tagged. Returns the octet after it.
 */
static uint8_t *put_frame(uint8_t *p, bool tagged, uint16_t vid, const struct trill_tags *tags,
			  const uint8_t *frame, uint32_t len, const struct eth_view *view)
{
	uint32_t rest = tags->keep_cn_tag ? eth_cn_tag_offset(view) : view->payload_offset - 2u;

	memcpy(p, frame, ETH_TYPE_OFFSET);
	p += ETH_TYPE_OFFSET;
	if (tagged)
		p = put_tag(p, vid, tags->priority, tags->drop_eligible);
	memcpy(p, frame + rest, len - rest);
	return p + (len - rest);
}

uint32_t trill_encapsulate(uint8_t *out, const struct trill_outer *outer,
			   const struct trill_header *header, const struct trill_tags *tags,
			   const uint8_t *frame, uint32_t len, const struct eth_view *native)
{
	uint8_t *p = put_outer(out, outer);

	put_be16(
	    p, (uint16_t)((header->multi ? MULTI_BIT : 0) | (header->hop_count & HOP_COUNT_MASK)));
	put_be16(p + EGRESS_OFFSET, header->egress);
	put_be16(p + INGRESS_OFFSET, header->ingress);
	p = put_frame(p + TRILL_HEADER_OCTETS, true, tags->vid, tags, frame, len, native);
	return eth_pad(out, (uint32_t)(p - out));
}

/* Copies the frame from the TRILL header on, and writes hop count and Inner.VLAN over it. */
uint32_t trill_transit(uint8_t *out, const struct trill_outer *outer, const struct trill_tags *tags,
		       const uint8_t *frame, uint32_t len, const struct trill_view *view)
{
	const uint8_t *from = frame + view->outer.payload_offset;
	uint32_t left = len - view->outer.payload_offset;
	uint32_t tag_at =
	    (uint32_t)(view->inner_offset - view->outer.payload_offset) + ETH_TYPE_OFFSET;
	uint32_t cn_tag_at = tag_at + ETH_TAG_OCTETS;
	uint8_t *p = put_outer(out, outer);

	if (view->inner.cn_tagged && !tags->keep_cn_tag) {
		memcpy(p, from, cn_tag_at);
		left -= ETH_TAG_OCTETS;
		memcpy(p + cn_tag_at, from + cn_tag_at + ETH_TAG_OCTETS, left - cn_tag_at);
	} else {
		memcpy(p, from, left);
	}
	p[1]--; /* the hop count, 1 or more, is in its low bits */
	(void)put_tag(p + tag_at, view->inner.vid, tags->priority, tags->drop_eligible);
	return eth_pad(out, (uint32_t)(p - out) + left);
}

uint32_t trill_decapsulate(uint8_t *out, const struct trill_tags *tags, const uint8_t *frame,
			   uint32_t len, const struct trill_view *view)
{
	const uint8_t *p = put_frame(out, tags->tagged, tags->vid, tags, frame + view->inner_offset,
				     len - view->inner_offset, &view->inner);

	return eth_pad(out, (uint32_t)(p - out));
}
