/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/lldpdu.h"

#include "lib/octets.h"

enum { TLV_CHASSIS = 1, TLV_PORT = 2, TLV_TTL = 3 };

#define ID_OCTETS_MAX 255

/* FNV-1a, 64 bits. */
#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

static uint64_t hash_octet(uint64_t hash, uint8_t octet)
{
	return (hash ^ octet) * HASH_PRIME;
}

static uint64_t hash_id(uint64_t hash, struct lldpdu_id id)
{
	hash = hash_octet(hash_octet(hash, id.subtype), id.len);
	for (unsigned i = 0; i < id.len; i++)
		hash = hash_octet(hash, id.octets[i]);
	return hash;
}

uint64_t lldpdu_msap(struct lldpdu_id chassis, struct lldpdu_id port)
{
	return hash_id(hash_id(HASH_START, chassis), port);
}

/* Returns the value of the next TLV and its length; NULL: of another type, or incomplete. */
static const uint8_t *take_tlv(struct octets_in *in, unsigned type, size_t *len)
{
	uint16_t head = octets_in_be16(in);

	*len = head & 0x1ff;
	return !in->overrun && head >> 9 == type ? octets_in_take(in, *len) : NULL;
}

static bool take_id(struct octets_in *in, unsigned type, struct lldpdu_id *id)
{
	size_t len;
	const uint8_t *value = take_tlv(in, type, &len);

	if (!value || len < 2 || len > 1 + ID_OCTETS_MAX)
		return false;
	*id = (struct lldpdu_id){value[0], (uint8_t)(len - 1), value + 1};
	return true;
}

/* 802.1AB 7.1: nearest bridge, nearest non-TPMR bridge, nearest customer bridge. */
static bool is_lldp_address(const uint8_t *da)
{
	return eth_is_reserved(da) && (da[5] == 0x0e || da[5] == 0x03 || da[5] == 0x00);
}

bool lldpdu_decode(const uint8_t *frame, size_t len, const struct eth_view *view,
		   struct lldpdu *out)
{
	struct octets_in in = octets_in(frame + view->payload_offset, len - view->payload_offset);
	struct lldpdu_id chassis, port;
	const uint8_t *ttl;
	size_t ttl_octets;

	if (view->ethertype != ETH_TYPE_LLDP || view->cn_tagged || view->vid != ETH_VID_NONE ||
	    !is_lldp_address(frame))
		return false;
	if (!take_id(&in, TLV_CHASSIS, &chassis) || !take_id(&in, TLV_PORT, &port))
		return false;
	ttl = take_tlv(&in, TLV_TTL, &ttl_octets);
	if (!ttl || ttl_octets < 2)
		return false;
	memcpy(out->source, frame + ETH_SA_OFFSET, ETH_ADDR_OCTETS);
	out->nearest = frame[5] == 0x0e;
	out->ttl = get_be16(ttl);
	out->msap = lldpdu_msap(chassis, port);
	return true;
}
