/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The head of an LLDPDU as a port receives it (IEEE Std 802.1AB, 8.4): addresses, chassis
 * ID, port ID and time to live. lldpd reports the rest, but neither addresses nor times.
 *
 * Chassis ID and port ID together are the MSAP identifier of the neighbor. A hash of it
 * joins the frames with the neighbors that lldpd reports. A forged hash has no use: one who
 * can send frames on the link can as well send LLDPDUs with the identifier.
 */
#ifndef DCB_LLDP_LLDPDU_H
#define DCB_LLDP_LLDPDU_H

#include "dataplane/core/eth.h"

struct lldpdu {
	uint8_t source[ETH_ADDR_OCTETS];
	bool nearest; /* sent to the nearest bridge, 01-80-C2-00-00-0E; else to -00 or -03 */
	uint16_t ttl; /* seconds; 0: the neighbor shuts down */
	uint64_t msap;
};

/* A chassis ID or port ID: 802.1AB 8.5.2, 8.5.3. */
struct lldpdu_id {
	uint8_t subtype;
	uint8_t len;
	const uint8_t *octets;
};

/* Returns the hash of an MSAP identifier, for struct lldpdu. */
uint64_t lldpdu_msap(struct lldpdu_id chassis, struct lldpdu_id port);

/*
 * Decodes the head of an LLDPDU in a frame of len octets that eth_parse() accepted, with
 * its *view; octets after the time to live are not read. Returns false, with *out
 * unchanged, if the frame is not an untagged or priority-tagged one with the EtherType of
 * LLDP to one of its three group addresses (802.1AB 7.1), or does not begin with the three
 * mandatory TLVs in their order and with lengths of 8.5.
 */
bool lldpdu_decode(const uint8_t *frame, size_t len, const struct eth_view *view,
		   struct lldpdu *out);

#endif
