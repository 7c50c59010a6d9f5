/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/offload.h"

#include "dataplane/core/eth.h"
#include "dataplane/core/ip.h"
#include "lib/octets.h"

#include <string.h>

/* struct virtio_net_hdr: VIRTIO 1.2, 5.1.6. */
enum { NEEDS_CSUM = 1 };
enum { GSO_NONE = 0, GSO_TCPV4 = 1, GSO_TCPV6 = 4, GSO_UDP_L4 = 5, GSO_ECN = 0x80 };
#define GSO_TYPE_OFFSET    1
#define GSO_SIZE_OFFSET    4
#define CSUM_START_OFFSET  6
#define CSUM_OFFSET_OFFSET 8

enum { PROTO_HOP_BY_HOP = 0, PROTO_TCP = 6, PROTO_UDP = 17, PROTO_SCTP = 132 };
enum { PROTO_ROUTING = 43, PROTO_DESTINATION = 60 };

#define TCP_OCTETS   20
#define UDP_OCTETS   8
#define JUMBO_OCTETS 8 /* a Hop-by-Hop Options header with the Jumbo Payload option, RFC 2675 */

/* Offsets in the headers. */
#define IPV4_ID       4
#define IPV4_FRAGMENT 6
#define IPV4_PROTO    9
#define IPV4_ADDRS    12
#define IPV6_LENGTH   4
#define IPV6_NEXT     6
#define IPV6_ADDRS    8
#define TCP_SEQUENCE  4
#define TCP_DOFF      12
#define TCP_FLAGS     13
#define TCP_SUM       16
#define UDP_LENGTH    4
#define UDP_SUM       6
#define SCTP_SUM      8

#define TCP_FIN 0x01
#define TCP_PSH 0x08
#define TCP_CWR 0x80

/* --- checksums ------------------------------------------------------------ */

#define SUM_OCTETS 16

/*
 * RFC 1071: the sum of 16-bit words is the same in any byte order of the processor, if the words
 * and the result are stored in that order. Four sums, which do not wait for each other: of less
 * than 2^31 words.
 */
static uint64_t sum_of(const uint8_t *p, uint32_t len)
{
	uint64_t sum[4] = {0};
	uint32_t word[4];
	uint16_t half = 0;

	for (; len >= SUM_OCTETS; len -= SUM_OCTETS, p += SUM_OCTETS) {
		memcpy(word, p, SUM_OCTETS);
		for (int i = 0; i < 4; i++)
			sum[i] += word[i];
	}
	for (; len >= 2; len -= 2, p += 2) {
		memcpy(&half, p, 2);
		sum[0] += half;
	}
	if (len) {
		half = 0;
		memcpy(&half, p, 1);
		sum[0] += half;
	}
	return sum[0] + sum[1] + sum[2] + sum[3];
}

/* A number of 16 bits as it is summed. */
static uint64_t sum_of_number(uint32_t number)
{
	uint8_t octets[2];
	uint16_t word;

	put_be16(octets, (uint16_t)number);
	memcpy(&word, octets, 2);
	return word;
}

static uint16_t fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static void store_sum(uint8_t *at, uint64_t sum)
{
	uint16_t word = (uint16_t)~fold(sum);

	memcpy(at, &word, 2);
}

/* RFC 768: 0 would say that there is none. */
static void store_sum_of_udp(uint8_t *at, uint64_t sum)
{
	store_sum(at, fold(sum) == 0xffff ? 0 : sum);
}

/* RFC 9260, appendix A: CRC32c, reflected. Few frames need it. */
static void store_crc32c(uint8_t *at, const uint8_t *octets, uint32_t len)
{
	uint32_t crc = UINT32_MAX;

	memset(at, 0, 4);
	for (uint32_t i = 0; i < len; i++) {
		crc ^= octets[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0x82f63b78) : 0);
	}
	crc = ~crc;
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(crc >> 8 * i);
}

/* --- the frame -------------------------------------------------------------- */

/* The offsets of the headers of a packet, and its protocol. */
struct packet {
	uint32_t l3, l4, end; /* offsets in the frame; l4: of the first header that no option is */
	bool ipv6;
	bool jumbo; /* the first header after that of IPv6 has its length */
	uint8_t proto;
};

static bool is_extension(uint8_t proto)
{
	return proto == PROTO_HOP_BY_HOP || proto == PROTO_ROUTING || proto == PROTO_DESTINATION;
}

/* RFC 2675, 2: the length is in the first header, 00-C2-04 behind that header's own length. */
static bool is_jumbo(const uint8_t *octets, uint32_t len, uint32_t at)
{
	static const uint8_t option[] = {0, 0xc2, 4};

	return len - at >= JUMBO_OCTETS && memcmp(octets + at + 1, option, sizeof(option)) == 0;
}

static bool find_ipv6(struct packet *p, const uint8_t *octets, uint32_t len)
{
	uint32_t at = p->l3 + IP_V6_OCTETS, length;

	if (len < at || octets[p->l3] >> 4 != 6)
		return false;
	p->ipv6 = true;
	p->proto = octets[p->l3 + IPV6_NEXT];
	length = get_be16(octets + p->l3 + IPV6_LENGTH);
	p->jumbo = length == 0 && p->proto == PROTO_HOP_BY_HOP && is_jumbo(octets, len, at);
	p->end = length ? at + length : len;
	while (is_extension(p->proto)) {
		if (len - at < 8)
			return false;
		p->proto = octets[at];
		at += 8 * (octets[at + 1] + 1u);
		if (at > len)
			return false;
	}
	p->l4 = at;
	return p->end <= len && p->l4 <= p->end;
}

static bool find_ipv4(struct packet *p, const uint8_t *octets, uint32_t len)
{
	const uint8_t *ip = octets + p->l3;
	uint32_t length;

	if (len < p->l3 + IP_V4_OCTETS || ip[0] >> 4 != 4 || (ip[0] & 0xf) * 4 < IP_V4_OCTETS)
		return false;
	if (get_be16(ip + IPV4_FRAGMENT) & 0x3fff)
		return false;
	length = get_be16(ip + 2);
	p->proto = ip[IPV4_PROTO];
	p->l4 = p->l3 + (ip[0] & 0xf) * 4u;
	p->end = length ? p->l3 + length : len; /* 0: longer than 65535 octets */
	return p->end <= len && p->l4 <= p->end;
}

/* Finds the packet of IP behind any tags. Returns false if there is none that is complete. */
static bool find_packet(struct packet *p, const uint8_t *octets, uint32_t len)
{
	uint32_t at = ETH_TYPE_OFFSET;

	*p = (struct packet){0};
	while (len >= at + 2 + ETH_TAG_OCTETS && eth_is_tag(get_be16(octets + at)))
		at += ETH_TAG_OCTETS;
	if (len < at + 2)
		return false;
	p->l3 = at + 2;
	switch (get_be16(octets + at)) {
	case IP_TYPE_V4:
		return find_ipv4(p, octets, len);
	case IP_TYPE_V6:
		return find_ipv6(p, octets, len);
	default:
		return false;
	}
}

static uint16_t header_field(const uint8_t header[OFFLOAD_HEADER_OCTETS], unsigned offset)
{
	uint16_t value;

	memcpy(&value, header + offset, 2);
	return value;
}

/*
 * The field has the sum of the pseudo-header; all from start on is added. SCTP has a CRC instead.
 * Linux uses the same bit for both.
 */
static bool complete(uint8_t *octets, uint32_t len, uint32_t start, uint32_t offset)
{
	struct packet p;

	if (start < ETH_HEADER_OCTETS || start + offset + 2 > len)
		return false;
	if (offset == SCTP_SUM && find_packet(&p, octets, len) && p.proto == PROTO_SCTP &&
	    p.l4 == start) {
		if (p.end < start + SCTP_SUM + 4)
			return false;
		store_crc32c(octets + start + SCTP_SUM, octets + start, p.end - start);
		return true;
	}
	(offset == UDP_SUM ? store_sum_of_udp : store_sum)(octets + start + offset,
							   sum_of(octets + start, len - start));
	return true;
}

static bool type_agrees(uint8_t type, const struct packet *p)
{
	switch (type) {
	case GSO_TCPV4:
		return p->proto == PROTO_TCP && !p->ipv6;
	case GSO_TCPV6:
		return p->proto == PROTO_TCP && p->ipv6;
	case GSO_UDP_L4:
		return p->proto == PROTO_UDP;
	default:
		return false;
	}
}

/* Returns the octets of the transport header; 0 if it is not complete. */
static uint32_t transport_octets(const struct packet *p, const uint8_t *octets)
{
	uint32_t most = p->end - p->l4, len = UDP_OCTETS;

	if (p->proto == PROTO_TCP) {
		if (most < TCP_OCTETS)
			return 0;
		len = (octets[p->l4 + TCP_DOFF] >> 4) * 4u;
		if (len < TCP_OCTETS)
			return 0;
	}
	return len <= most ? len : 0;
}

/* The headers of each frame, with those fields that are the same in all. */
static void make_head(struct offload_frame *f, const struct packet *p, const uint8_t *octets)
{
	uint8_t *transport;

	memcpy(f->head, octets, f->head_octets);
	if (p->jumbo) {
		uint32_t at = p->l3 + IP_V6_OCTETS;

		f->head[p->l3 + IPV6_NEXT] = octets[at];
		f->head_octets = (uint16_t)(f->head_octets - JUMBO_OCTETS);
		memmove(f->head + at, f->head + at + JUMBO_OCTETS, f->head_octets - at);
		f->l4 = (uint16_t)(f->l4 - JUMBO_OCTETS);
	}
	transport = f->head + f->l4;
	f->id = p->ipv6 ? 0 : get_be16(f->head + p->l3 + IPV4_ID);
	if (f->udp)
		return;
	f->sequence = get_be32(transport + TCP_SEQUENCE);
	f->last_flags = transport[TCP_FLAGS];
	if (f->frames > 1)
		transport[TCP_FLAGS] &= (uint8_t) ~(TCP_FIN | TCP_PSH);
}

static bool begin_segments(struct offload_frame *f, uint8_t *octets, uint32_t len, uint32_t start,
			   const uint8_t header[OFFLOAD_HEADER_OCTETS])
{
	uint8_t type = header[GSO_TYPE_OFFSET] & (uint8_t)~GSO_ECN;
	bool needs_sum = header[0] & NEEDS_CSUM;
	struct packet p;
	uint32_t transport, frames;

	f->size = header_field(header, GSO_SIZE_OFFSET);
	if (f->size < 2 || !find_packet(&p, octets, len) || !type_agrees(type, &p))
		return false;
	transport = transport_octets(&p, octets);
	if (transport == 0 || p.l4 + transport > OFFLOAD_HEAD_MAX || (needs_sum && start != p.l4) ||
	    p.l4 - p.l3 + transport + f->size > UINT16_MAX)
		return false;
	f->left = p.end - p.l4 - transport;
	frames = f->left ? (f->left + f->size - 1) / f->size : 1;
	if (frames > OFFLOAD_FRAMES_MAX)
		return false;
	f->frames = frames;
	f->ipv6 = p.ipv6;
	f->udp = p.proto == PROTO_UDP;
	f->has_sum = needs_sum || !f->udp || get_be16(octets + p.l4 + UDP_SUM) != 0;
	f->l3 = (uint16_t)p.l3;
	f->l4 = (uint16_t)p.l4;
	f->head_octets = (uint16_t)(p.l4 + transport);
	f->payload = octets + f->head_octets;
	make_head(f, &p, octets);
	return true;
}

bool offload_begin(struct offload_frame *f, uint8_t *octets, uint32_t len, uint32_t tags,
		   const uint8_t header[OFFLOAD_HEADER_OCTETS])
{
	uint32_t start = header_field(header, CSUM_START_OFFSET) + tags;

	f->frames = 0;
	f->head_octets = 0;
	if (header[GSO_TYPE_OFFSET] != GSO_NONE)
		return begin_segments(f, octets, len, start, header);
	if (header[0] & NEEDS_CSUM &&
	    !complete(octets, len, start, header_field(header, CSUM_OFFSET_OFFSET)))
		return false;
	f->payload = octets;
	f->left = len;
	f->frames = 1;
	return true;
}

/* --- segments --------------------------------------------------------------- */

static void write_ip(struct offload_frame *f, uint8_t *ip, uint32_t octets)
{
	if (f->ipv6) {
		put_be16(ip + IPV6_LENGTH, (uint16_t)(octets - IP_V6_OCTETS));
		return;
	}
	put_be16(ip + 2, (uint16_t)octets);
	put_be16(ip + IPV4_ID, f->id++);
	memset(ip + IP_V4_CHECKSUM, 0, 2);
	store_sum(ip + IP_V4_CHECKSUM, sum_of(ip, (uint32_t)f->l4 - f->l3));
}

static uint64_t sum_of_pseudo_header(const struct offload_frame *f, const uint8_t *ip,
				     uint32_t octets)
{
	uint64_t sum = sum_of_number(octets) + sum_of_number(f->udp ? PROTO_UDP : PROTO_TCP);

	return sum + (f->ipv6 ? sum_of(ip + IPV6_ADDRS, 32) : sum_of(ip + IPV4_ADDRS, 8));
}

static void write_transport(struct offload_frame *f, uint8_t *transport, const uint8_t *ip,
			    uint32_t octets, bool is_last)
{
	uint32_t payload = octets - (f->head_octets - f->l4);
	uint8_t *at = transport + (f->udp ? UDP_SUM : TCP_SUM);

	if (f->udp) {
		put_be16(transport + UDP_LENGTH, (uint16_t)octets);
	} else {
		put_be32(transport + TCP_SEQUENCE, f->sequence);
		f->sequence += payload;
		if (is_last)
			transport[TCP_FLAGS] |= f->last_flags & (TCP_FIN | TCP_PSH);
	}
	if (!f->has_sum)
		return;
	memset(at, 0, 2);
	(f->udp ? store_sum_of_udp
		: store_sum)(at, sum_of_pseudo_header(f, ip, octets) + sum_of(transport, octets));
}

uint8_t *offload_next(struct offload_frame *f, uint32_t *len)
{
	uint32_t payload = f->left < f->size ? f->left : f->size;
	uint8_t *frame;

	if (f->frames == 0)
		return NULL;
	f->frames--;
	if (f->head_octets == 0) {
		*len = f->left;
		return f->payload;
	}
	frame = f->payload - f->head_octets;
	memcpy(frame, f->head, f->head_octets);
	*len = f->head_octets + payload;
	write_ip(f, frame + f->l3, *len - f->l3);
	write_transport(f, frame + f->l4, frame + f->l3, *len - f->l4, f->frames == 0);
	if (!f->udp)
		f->head[f->l4 + TCP_FLAGS] &= (uint8_t)~TCP_CWR; /* RFC 3168, 6.1.2: once */
	f->payload += payload;
	f->left -= payload;
	return frame;
}
