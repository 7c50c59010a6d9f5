/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames as a host leaves them to its interface, with their struct virtio_net_hdr, drawn at random.
 */
#ifndef DCB_TESTS_OFFLOAD_FRAME_H
#define DCB_TESTS_OFFLOAD_FRAME_H

#include <linux/virtio_net.h>
#include <stdbool.h>
#include <string.h>

#include "dataplane/core/offload.h"
#include "lib/octets.h"
#include "lib/rng.h"

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

#define UNFINISHED_OCTETS 65536

struct unfinished {
	struct virtio_net_hdr header;
	uint32_t len;
	uint32_t l3, l4, payload; /* offsets */
	bool ipv6, udp;
	uint8_t octets[UNFINISHED_OCTETS];
};

/* What a frame is to be; the rest is drawn. */
struct unfinished_kind {
	bool ipv6, udp;
	bool segmented;   /* else it lacks its checksum only */
	unsigned tags;    /* C-TAG, or S-TAG and C-TAG */
	unsigned options; /* of IPv4: 4 octets each; of IPv6: extension headers of 8 octets */
	uint32_t payload; /* octets */
	uint16_t size;    /* octets of payload in each frame */
};

static inline uint32_t unfinished_sum(const uint8_t *p, uint32_t len, uint32_t sum)
{
	for (uint32_t i = 0; i + 1 < len; i += 2)
		sum += get_be16(p + i);
	if (len % 2)
		sum += (uint32_t)p[len - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* Returns the sum of the pseudo-header: RFC 9293 3.1, RFC 8200 8.1. */
static inline uint32_t unfinished_pseudo(const uint8_t *l3, bool ipv6, bool udp, uint32_t octets)
{
	uint32_t sum = (udp ? 17u : 6u) + (octets >> 16) + (octets & 0xffff);

	return ipv6 ? unfinished_sum(l3 + 8, 32, sum) : unfinished_sum(l3 + 12, 8, sum);
}

static inline void unfinished_ip(struct unfinished *u, const struct unfinished_kind *kind,
				 struct dcb_rng *rng, struct octets_out *out, uint32_t transport)
{
	uint8_t *ip = out->start + out->len;
	uint8_t proto = kind->udp ? 17 : 6;

	if (!kind->ipv6) {
		uint32_t octets = 20 + 4 * kind->options;

		octets_out_u8(out, (uint8_t)(0x40 | octets / 4));
		octets_out_u8(out, (uint8_t)dcb_rng_next(rng) & 0xfc);
		octets_out_be16(out, (uint16_t)(octets + transport + kind->payload));
		octets_out_be16(out, (uint16_t)dcb_rng_next(rng));
		octets_out_be16(out, 0);
		octets_out_u8(out, 64);
		octets_out_u8(out, proto);
		octets_out_be16(out, 0);
		octets_out_be32(out, 0x0a000001);
		octets_out_be32(out, 0x0a000002);
		for (unsigned i = 0; i < kind->options; i++)
			octets_out_be32(out, 0x01010101); /* no operation */
		put_be16(ip + 10, (uint16_t)~unfinished_sum(ip, octets, 0));
		return;
	}
	octets_out_be32(out, 0x60000000 | (dcb_rng_next(rng) & 0x0fcfffff));
	octets_out_be16(out, (uint16_t)(8 * kind->options + transport + kind->payload));
	octets_out_u8(out, kind->options ? 60 : proto);
	octets_out_u8(out, 64);
	for (unsigned i = 0; i < 4; i++)
		octets_out_be32(out, i % 2 ? 1 + i : 0xfd000000);
	for (unsigned i = 0; i < 4; i++)
		octets_out_be32(out, i % 2 ? 2 + i : 0xfd000000);
	for (unsigned i = 0; i < kind->options; i++) { /* Destination Options: PadN */
		octets_out_u8(out, i + 1 < kind->options ? 60 : proto);
		octets_out_bytes(out, "\x00\x01\x04\x00\x00\x00\x00", 7);
	}
	u->ipv6 = true;
}

/* da: destination of the frame. */
static inline void unfinished_make(struct unfinished *u, const struct unfinished_kind *kind,
				   struct dcb_rng *rng, const uint8_t *da)
{
	struct octets_out out = octets_out(u->octets, sizeof(u->octets));
	uint32_t transport = kind->udp ? 8 : 20 + 4 * dcb_rng_uniform(rng, 0, 10);
	uint8_t *l4;

	memset(&u->header, 0, sizeof(u->header));
	u->ipv6 = false;
	u->udp = kind->udp;
	octets_out_bytes(&out, da, 6);
	octets_out_bytes(&out, "\x02\x00\x00\x00\x00\x07", 6);
	for (unsigned i = kind->tags; i > 0; i--) {
		octets_out_be16(&out, i == 2 ? 0x88a8 : 0x8100);
		octets_out_be16(&out, (uint16_t)(0x6000 | (100 + i)));
	}
	octets_out_be16(&out, kind->ipv6 ? 0x86dd : 0x0800);
	u->l3 = (uint32_t)out.len;
	unfinished_ip(u, kind, rng, &out, transport);
	u->l4 = (uint32_t)out.len;
	l4 = octets_out_take(&out, transport);
	memset(l4, 1, transport); /* options of TCP: no operation */
	put_be16(l4, (uint16_t)dcb_rng_next(rng));
	put_be16(l4 + 2, (uint16_t)dcb_rng_next(rng));
	if (kind->udp) {
		put_be16(l4 + 4, (uint16_t)(8 + kind->payload));
	} else {
		put_be32(l4 + 4, dcb_rng_next(rng));
		put_be32(l4 + 8, dcb_rng_next(rng));
		l4[12] = (uint8_t)(transport / 4 << 4);
		l4[13] = (uint8_t)(0x10 | (dcb_rng_next(rng) & 0x89)); /* ACK; CWR, PSH, FIN */
		put_be16(l4 + 14, 1000);
		put_be16(l4 + 18, 0);
	}
	put_be16(l4 + (kind->udp ? 6 : 16),
		 (uint16_t)unfinished_pseudo(u->octets + u->l3, kind->ipv6, kind->udp,
					     transport + kind->payload));
	u->payload = (uint32_t)out.len;
	for (uint32_t i = 0; i < kind->payload; i++)
		octets_out_u8(&out, (uint8_t)dcb_rng_next(rng));
	u->len = (uint32_t)out.len;
	u->header.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
	u->header.csum_start = (uint16_t)u->l4;
	u->header.csum_offset = kind->udp ? 6 : 16;
	if (!kind->segmented)
		return;
	u->header.hdr_len = (uint16_t)u->payload;
	u->header.gso_size = kind->size;
	u->header.gso_type = (uint8_t)(kind->udp    ? VIRTIO_NET_HDR_GSO_UDP_L4
				       : kind->ipv6 ? VIRTIO_NET_HDR_GSO_TCPV6
						    : VIRTIO_NET_HDR_GSO_TCPV4);
	if (!kind->udp && l4[13] & 0x80)
		u->header.gso_type |= VIRTIO_NET_HDR_GSO_ECN;
}

/* The largest headers of IPv6 and TCP, 124 octets, and the second tag fit into an MTU of 1500, too.
 */
#define UNFINISHED_SIZE_MAX 1370

static inline struct unfinished_kind unfinished_draw(struct dcb_rng *rng, uint32_t payload_max,
						     uint32_t frames_max)
{
	struct unfinished_kind kind = {
	    .ipv6 = dcb_rng_uniform(rng, 0, 1),
	    .udp = dcb_rng_uniform(rng, 0, 1),
	    .segmented = dcb_rng_uniform(rng, 0, 3) != 0,
	    .tags = dcb_rng_uniform(rng, 0, 2),
	    .options = dcb_rng_uniform(rng, 0, 3),
	    .size = (uint16_t)dcb_rng_uniform(rng, 60, UNFINISHED_SIZE_MAX),
	};

	kind.payload = dcb_rng_uniform(rng, 1, kind.segmented ? payload_max : 1300);
	if (kind.segmented && kind.payload <= kind.size)
		kind.payload = kind.size + 1u;
	if (kind.payload > frames_max * kind.size)
		kind.payload = frames_max * kind.size;
	return kind;
}

#endif
