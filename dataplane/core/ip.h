/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The header of an IP packet in a frame: its traffic class, which is the DSCP (RFC 2474) and
 * the ECN field (RFC 3168), as IPv4's octet of this name and IPv6's eight bits.
 */
#ifndef DCB_CORE_IP_H
#define DCB_CORE_IP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/octets.h"

#define IP_TYPE_V4     0x0800
#define IP_TYPE_V6     0x86dd
#define IP_V4_OCTETS   20
#define IP_V6_OCTETS   40
#define IP_V4_CHECKSUM 10 /* offset */
#define IP_DSCP_SHIFT  2  /* of the DSCP in the traffic class */
#define IP_ECN_MASK    0x03

/* RFC 3168, 5. */
enum ip_ecn { IP_NOT_ECT, IP_ECT_1, IP_ECT_0, IP_CE };

/*
 * Returns the offset of an IP header whose fixed part is complete; 0: the frame has none. type_at:
 * offset of an EtherType, of IP or of a further tag. Tags of any number and kind may precede the
 * header.
 */
uint32_t ip_find(const uint8_t *frame, uint32_t len, uint32_t type_at);

/* Returns the traffic class. ip: a header that ip_find() found. */
static inline uint8_t ip_traffic_class(const uint8_t *ip)
{
	return ip[0] >> 4 == 4 ? ip[1] : (uint8_t)(get_be16(ip) >> 4);
}

static inline uint8_t ip_dscp(const uint8_t *ip)
{
	return (uint8_t)(ip_traffic_class(ip) >> IP_DSCP_SHIFT);
}

static inline enum ip_ecn ip_ecn(const uint8_t *ip)
{
	return (enum ip_ecn)(ip_traffic_class(ip) & IP_ECN_MASK);
}

/* Sets the traffic class, and updates the checksum of an IPv4 header: RFC 1624, equation 3. */
void ip_set_traffic_class(uint8_t *ip, uint8_t traffic_class);

#endif
