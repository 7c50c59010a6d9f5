/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TRILL data frames, RFC 6325 section 3 and 4.1: parser, and writers for ingress,
 * transit and egress. Frames have no FCS.
 *
 *   Outer.DA, Outer.SA, [Outer.VLAN], 22-F3
 *   V 2 bits, R 2, M 1, OpLen 5, Hop Count 6
 *   egress nickname (of the tree's root if M is set), ingress nickname, [options]
 *   Inner.DA, Inner.SA, Inner.VLAN, [CN-TAG], EtherType, MSDU
 *
 * "Inner frame" is all from Inner.DA on. Its Inner.VLAN is a C-TAG that is always there
 * and names a VLAN (4.1.1); a CN-TAG is only inside (draft-eastlake-trill-cn-00, 3.2.2).
 * "Native" is a frame as end stations have it.
 *
 * Pure: no clock, no allocation, no log. Any thread.
 */
#ifndef DCB_TRILL_H
#define DCB_TRILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/core/eth.h"

#define ETH_TYPE_TRILL   0x22f3 /* TRILL data */
#define ETH_TYPE_L2_ISIS 0x22f4 /* TRILL control (IS-IS): never encapsulated, causes no CNM */

#define TRILL_HEADER_OCTETS 6  /* without options */
#define TRILL_OPTION_WORD   4  /* octets of which OpLen counts the options, 3.5 */
#define TRILL_OP_WORDS_MAX  31 /* OpLen has 5 bits */
#define TRILL_HOP_COUNT_MAX 63 /* Hop Count has 6 bits */
/* Inner.DA, Inner.SA, Inner.VLAN, EtherType. */
#define TRILL_INNER_MIN_OCTETS (ETH_HEADER_OCTETS + ETH_TAG_OCTETS)

/*
 * The octets by which trill_encapsulate() makes a frame longer, at most: outer addresses,
 * outer C-TAG, EtherType, header, and the Inner.VLAN of a frame that had no C-TAG.
 */
#define TRILL_ENCAPSULATION_MAX \
	(ETH_HEADER_OCTETS + ETH_TAG_OCTETS + TRILL_HEADER_OCTETS + ETH_TAG_OCTETS)

/* Nicknames, 3.7: 0 is none, FFC0 to FFFF are reserved. */
#define TRILL_NICKNAME_NONE     0
#define TRILL_NICKNAME_RESERVED 0xffc0

/* Returns true if an RBridge can have this nickname, 3.7.3. */
static inline bool trill_nickname_is_valid(uint32_t nickname)
{
	return nickname != TRILL_NICKNAME_NONE && nickname < TRILL_NICKNAME_RESERVED;
}

/* 01-80-C2-00-00-40, All-RBridges: Outer.DA of multi-destination frames, 7.2. */
extern const uint8_t trill_all_rbridges[ETH_ADDR_OCTETS];
/* 01-80-C2-00-00-41, All-IS-IS-RBridges: destination of TRILL control frames, 7.2. */
extern const uint8_t trill_all_isis_rbridges[ETH_ADDR_OCTETS];

/* Why a frame is dropped; in the order of the checks. Index of counters by reason. */
enum trill_error {
	TRILL_OK,
	TRILL_OUTER_CN_TAG,   /* a CN-TAG before 22-F3: it belongs inside */
	TRILL_SHORT,          /* ends inside the header or its options */
	TRILL_BAD_VERSION,    /* V is not 0: 3.2 */
	TRILL_BAD_OPTIONS,    /* critical options, of which none is understood: 3.5 */
	TRILL_BAD_NICKNAME,   /* egress or ingress nickname is 0 or reserved: 3.7 */
	TRILL_BAD_MULTI,      /* M is set and Outer.DA is not All-RBridges, or the reverse: 3.4 */
	TRILL_HOP_COUNT,      /* received with hop count 0: 3.6 */
	TRILL_INNER_SHORT,    /* ends inside Inner.DA to the inner EtherType */
	TRILL_INNER_UNTAGGED, /* no C-TAG after Inner.SA: 4.1.1 */
	TRILL_INNER_VID,      /* Inner.VLAN is VID 0 or 4095: 4.1.1 */
	TRILL_INNER_SOURCE,   /* Inner.SA is a group address */
	TRILL_INNER_RESERVED, /* Inner.DA is 01-80-C2-00-00-0x: BPDU, LLDPDU, never encapsulated */
	TRILL_INNER_GROUP,    /* Inner.DA is a group address and M is not set */
	TRILL_INNER_TRILL,    /* inner EtherType 22-F3: nested */
	TRILL_ERRORS
};

struct trill_view {
	struct eth_view outer; /* outer.payload_offset is that of the TRILL header */
	struct eth_view inner; /* of the inner frame: offsets from inner_offset on */
	uint16_t inner_offset; /* of Inner.DA in the frame */
	uint16_t egress;       /* nickname; of the tree's root if multi */
	uint16_t ingress;      /* nickname */
	uint8_t version;       /* 0 */
	uint8_t op_words;      /* OpLen: 0..TRILL_OP_WORDS_MAX */
	uint8_t hop_count;     /* as received: 1..TRILL_HOP_COUNT_MAX */
	bool multi;            /* M: to several RBridges, along the tree */
};

/*
 * Returns true if a frame is TRILL data, which trill_parse() takes; also behind a CN-TAG, for
 * which trill_parse() has an error.
 */
static inline bool trill_is_data(const struct eth_view *outer)
{
	return outer->ethertype == ETH_TYPE_TRILL;
}

/* Returns true if a frame is TRILL control (L2-IS-IS). */
static inline bool trill_is_control(const struct eth_view *outer)
{
	return outer->ethertype == ETH_TYPE_L2_ISIS;
}

/*
 * Parses a frame of len octets, for which eth_parse() returned *outer and trill_is_data() is
 * true. Makes the checks in the order of enum trill_error. *view is valid only for TRILL_OK.
 * The reserved bits R are ignored. Inner tags after C-TAG and CN-TAG are payload.
 */
enum trill_error trill_parse(const uint8_t *frame, size_t len, const struct eth_view *outer,
			     struct trill_view *view);

/* Returns the text for counters and logs: "TRILL frame with hop count 0". */
const char *trill_strerror(enum trill_error error);

/* --- Writers --------------------------------------------------------------------- */
/* Input and output do not overlap. Each pads to ETH_MIN_OCTETS and returns the octets written. */

/* The outer Ethernet header on a link. */
struct trill_outer {
	uint8_t da[ETH_ADDR_OCTETS]; /* of the next hop RBridge, or trill_all_rbridges */
	uint8_t sa[ETH_ADDR_OCTETS]; /* of the port */
	uint16_t vid;                /* designated VLAN of the link; unused if not tagged */
	uint8_t priority;            /* likewise */
	bool drop_eligible;          /* likewise */
	bool tagged;                 /* write an Outer.VLAN */
};

struct trill_header {
	uint16_t egress; /* nickname; of the tree's root if multi */
	uint16_t ingress;
	uint8_t hop_count;
	bool multi;
};

/*
 * The tags of the inner, or native, frame. When a port maps the priority of a TRILL frame, it maps
 * that of the Inner.VLAN by the same rule: draft-eastlake-trill-cn-00, 2.1. A port that strips
 * CN-TAGs strips the inner one: 3.2.2.
 */
struct trill_tags {
	uint16_t vid; /* unused by trill_transit(), which keeps it */
	uint8_t priority;
	bool drop_eligible;
	bool tagged;      /* write a C-TAG; only trill_decapsulate() looks at it */
	bool keep_cn_tag; /* a CN-TAG of the frame remains */
};

/*
 * Ingress, 4.1: writes a native frame of len octets, for which eth_parse() returned *native, as a
 * TRILL data frame without options. Its C-TAG is replaced by the Inner.VLAN that *tags names.
 * out has len + TRILL_ENCAPSULATION_MAX octets, and ETH_MIN_OCTETS at least.
 */
uint32_t trill_encapsulate(uint8_t *out, const struct trill_outer *outer,
			   const struct trill_header *header, const struct trill_tags *tags,
			   const uint8_t *frame, uint32_t len, const struct eth_view *native);

/* Returns the octets before padding that trill_encapsulate() writes with these arguments. */
static inline uint32_t trill_encapsulated_octets(const struct trill_outer *outer,
						 const struct trill_tags *tags, uint32_t len,
						 const struct eth_view *native)
{
	return len + ETH_HEADER_OCTETS + TRILL_HEADER_OCTETS +
	       (outer->tagged ? ETH_TAG_OCTETS : 0) + (native->tagged ? 0 : ETH_TAG_OCTETS) -
	       (native->cn_tagged && !tags->keep_cn_tag ? ETH_TAG_OCTETS : 0);
}

/*
 * Transit, 4.6.2: writes a TRILL data frame of len octets, for which trill_parse() returned *view,
 * with another outer header and a hop count lower by one. Reserved bits and options remain. out
 * has len + ETH_TAG_OCTETS octets, and ETH_MIN_OCTETS at least.
 */
uint32_t trill_transit(uint8_t *out, const struct trill_outer *outer, const struct trill_tags *tags,
		       const uint8_t *frame, uint32_t len, const struct trill_view *view);

/* Returns the octets before padding that trill_transit() writes with these arguments. */
static inline uint32_t trill_transit_octets(const struct trill_outer *outer,
					    const struct trill_tags *tags, uint32_t len,
					    const struct trill_view *view)
{
	return len + (outer->tagged ? ETH_TAG_OCTETS : 0) -
	       (view->outer.tagged ? ETH_TAG_OCTETS : 0) -
	       (view->inner.cn_tagged && !tags->keep_cn_tag ? ETH_TAG_OCTETS : 0);
}

/*
 * Egress, 4.6.2: writes the native frame of a TRILL data frame of len octets, for which
 * trill_parse() returned *view. out has len octets, and ETH_MIN_OCTETS at least.
 */
uint32_t trill_decapsulate(uint8_t *out, const struct trill_tags *tags, const uint8_t *frame,
			   uint32_t len, const struct trill_view *view);

/* Returns the octets before padding that trill_decapsulate() writes with these arguments. */
static inline uint32_t trill_decapsulated_octets(const struct trill_tags *tags, uint32_t len,
						 const struct trill_view *view)
{
	return len - view->inner_offset - (tags->tagged ? 0 : ETH_TAG_OCTETS) -
	       (view->inner.cn_tagged && !tags->keep_cn_tag ? ETH_TAG_OCTETS : 0);
}

#endif
