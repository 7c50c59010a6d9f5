/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Congestion notification messages of an RBridge, draft-eastlake-trill-cn-00 section 3.
 *
 * A bridge between two RBridges knows nothing of TRILL. Its CNM for a TRILL frame goes to the
 * RBridge that sent the frame on that link, with the head of the TRILL frame as its MSDU.
 * trill_cnm_transform() makes of it the CNM that the source of the inner frame understands, a
 * native frame that the caller forwards like any other: to the ingress RBridge of the TRILL
 * frame, encapsulated, or natively if this RBridge is the ingress (3.1).
 *
 * A congestion point of an RBridge makes the CNM for the inner frame at once:
 * trill_cnm_of_frame() (3.2.2).
 *
 * Where the draft is silent, the choice is one function of trill_cnm.c that says so.
 *
 * Pure: no clock, no allocation, no log. Any thread.
 */
#ifndef DCB_TRILL_CNM_H
#define DCB_TRILL_CNM_H

#include "dataplane/core/cnm.h"
#include "dataplane/trill/trill.h"

/* How to handle a CNM whose destination is this RBridge. */
enum trill_cnm_verdict {
	TRILL_CNM_TRANSFORMED, /* send the native CNM, encapsulated, to the RBridge .egress */
	TRILL_CNM_NATIVE,      /* .egress is our own nickname: send it natively */
	TRILL_CNM_OWN,         /* caused by a frame of our own that is not TRILL: our RPs */
	TRILL_CNM_CONTROL,     /* discard: caused by a TRILL control frame */
	TRILL_CNM_SHORT,       /* discard: fewer octets of the TRILL frame than the fields need */
	TRILL_CNM_MALFORMED,   /* discard: no valid CNM, or with an invalid head of a TRILL frame */
	TRILL_CNM_VERDICTS
};

/* A native CNM without C-TAG, as cnm_frame() writes it, and the tag that it belongs to. */
struct trill_cnm {
	uint8_t frame[CNM_FRAME_MAX];
	uint32_t len;
	uint16_t vid;     /* VLAN of the frame that caused it: Inner.VLAN */
	uint8_t priority; /* that of the CNM */
	uint16_t egress;  /* nickname of the RBridge behind which its destination is */
};

/*
 * Returns true for a CNM with this destination: trill_cnm_transform() decides. A CNM for
 * another destination is a native frame like any other (3.1).
 */
static inline bool trill_cnm_is_to(const uint8_t *frame, const struct eth_view *view,
				   const uint8_t *mac)
{
	return eth_is_cnm(view) && memcmp(frame + ETH_DA_OFFSET, mac, ETH_ADDR_OCTETS) == 0;
}

/*
 * Decides on a native CNM of len octets to this RBridge's address, for which eth_parse() returned
 * *view. priority is the one with which it was received: that of its C-TAG, or what the
 * port made of it: the priority of *out. nickname is our own. Writes *out for
 * TRILL_CNM_TRANSFORMED and TRILL_CNM_NATIVE only. Call it only for a port that sends TRILL frames:
 * at any other, no TRILL frame can have caused the CNM, and it is forged.
 */
enum trill_cnm_verdict trill_cnm_transform(const uint8_t *frame, uint32_t len,
					   const struct eth_view *view, uint8_t priority,
					   uint16_t nickname, struct trill_cnm *out);

/* Returns the text for counters and logs. */
const char *trill_cnm_strverdict(enum trill_cnm_verdict verdict);

/*
 * Makes the CNM for a sampled TRILL data frame of len octets, for which trill_parse() returned
 * *view: that for its inner frame, without C-TAG. cpid identifies the congestion point, port_mac
 * is the address of the port at which it is first sent, inner_priority that with which the inner
 * frame is sent (mapped like the outer priority), cnm_priority that of CNMs (default 6), and
 * cp_min_header_octets the most octets of the inner MSDU to return (32.9.4 k). Send it like a
 * frame received at the port: to the RBridge out->egress, or natively if that is our own nickname.
 */
void trill_cnm_of_frame(struct trill_cnm *out, const struct cp_verdict *verdict,
			const uint8_t cpid[CNM_CPID_OCTETS], const uint8_t *port_mac,
			const uint8_t *frame, uint32_t len, const struct trill_view *view,
			uint8_t inner_priority, uint8_t cnm_priority, uint8_t cp_min_header_octets);

#endif
