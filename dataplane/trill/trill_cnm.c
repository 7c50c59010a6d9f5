/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers in comments are those of the list in draft-eastlake-trill-cn-00, 3.1: fields of a native
 * CNM that a bridge made for a TRILL frame.
 */
#include "dataplane/trill/trill_cnm.h"
#include "lib/octets.h"

#define UNCHANGED_OCTETS CNM_PRIORITY_OFFSET /* version to cnmQDelta: first in the PDU */
#define VERSION_SHIFT    14                  /* in the first two octets of the TRILL header */
#define OP_WORDS_SHIFT   6
#define OP_WORDS_MASK    0x1f
#define PRIORITY_SHIFT   13 /* in a TCI, and of the encapsulated priority */

/* The head of the TRILL frame that the CNM encapsulates: fields 13 to 19. */
struct trill_head {
	uint16_t ingress;
	const uint8_t *da; /* Inner.MacDA */
	const uint8_t *sa; /* Inner.MacSA */
	uint16_t tci;      /* of the Inner.VLAN */
	uint16_t flow_id;  /* 0 without inner CN-TAG */
	const uint8_t *msdu;
	uint8_t msdu_len;
};

/*
 * Reads the inner CN-TAG, field 18, if there is one. Choice: the draft has a flow identifier of 0
 * if "field 18 is not present"; if the CNM ends inside it, it is present and unknown, so that
 * the wrong reaction point could be slowed: too short.
 */
static void take_cn_tag(struct octets_in *in, struct trill_head *head)
{
	if (in->left < 2 || get_be16(in->p) != ETH_TYPE_CN_TAG)
		return;
	(void)octets_in_be16(in);
	head->flow_id = octets_in_be16(in);
}

/*
 * Choice: the draft has the length lower by 24, and not below 0. That leaves out TRILL options and
 * the inner CN-TAG, which are not part of the inner MSDU either: what remains after all of them
 * is it. A CNM without all fields up to the Inner.VLAN cannot be addressed: too short.
 */
static enum trill_cnm_verdict read_head(const struct cnm *cnm, struct trill_head *head)
{
	struct octets_in in = octets_in(cnm->msdu, cnm->msdu_len);
	uint16_t first, tpid;

	(void)octets_in_be16(&in); /* 22-F3 */
	first = octets_in_be16(&in);
	(void)octets_in_be16(&in); /* egress nickname */
	head->ingress = octets_in_be16(&in);
	(void)octets_in_take(&in,
			     (size_t)TRILL_OPTION_WORD * (first >> OP_WORDS_SHIFT & OP_WORDS_MASK));
	head->da = octets_in_take(&in, ETH_ADDR_OCTETS);
	head->sa = octets_in_take(&in, ETH_ADDR_OCTETS);
	tpid = octets_in_be16(&in);
	head->tci = octets_in_be16(&in);
	take_cn_tag(&in, head);
	if (in.overrun)
		return TRILL_CNM_SHORT;
	head->msdu = in.p;
	head->msdu_len = (uint8_t)in.left;
	return first >> VERSION_SHIFT == 0 && tpid == ETH_TYPE_CTAG ? TRILL_CNM_TRANSFORMED
								    : TRILL_CNM_MALFORMED;
}

/* The checks that trill_parse() makes of the same fields; a CNM is for one station. */
static bool is_valid(const struct trill_head *head)
{
	uint16_t vid = head->tci & ETH_VID_MASK;

	return trill_nickname_is_valid(head->ingress) && vid != ETH_VID_NONE &&
	       vid != ETH_VID_RESERVED && !eth_is_group(head->sa);
}

/*
 * Choice: the draft takes every CNM to the RBridge for one that a TRILL frame caused. An RBridge
 * that is an end point has reaction points of its own: a CNM for a frame that was not TRILL is for
 * them. If the CNM has no EtherType, one with a flow identifier is, because the CNM for a
 * TRILL frame has 0 (field 4); the others may be for a TRILL frame and are too short.
 */
static enum trill_cnm_verdict caused_by(const struct cnm *cnm, const struct eth_view *view)
{
	if (cnm->msdu_len < 2)
		return view->flow_id ? TRILL_CNM_OWN : TRILL_CNM_SHORT;
	switch (get_be16(cnm->msdu)) {
	case ETH_TYPE_TRILL:
		return TRILL_CNM_TRANSFORMED;
	case ETH_TYPE_L2_ISIS:
		return TRILL_CNM_CONTROL;
	default:
		return TRILL_CNM_OWN;
	}
}

/*
 * Choice: field 13 is our own nickname if the congested bridge is between the ingress RBridge and
 * the next: the draft would send the CNM to itself. It leaves natively, as any frame to a
 * station behind this RBridge.
 */
static enum trill_cnm_verdict way_of(uint16_t ingress, uint16_t nickname)
{
	return ingress == nickname ? TRILL_CNM_NATIVE : TRILL_CNM_TRANSFORMED;
}

/* Choice: the draft's list has no cnmQOffset and cnmQDelta: copied, like the fields around them. */
static void put_unchanged(struct octets_out *out, const uint8_t *pdu)
{
	octets_out_bytes(out, pdu, UNCHANGED_OCTETS);
}

static void write_cnm(struct trill_cnm *to, const uint8_t *frame, const uint8_t *pdu,
		      const struct trill_head *head)
{
	struct octets_out out = octets_out(to->frame, sizeof(to->frame));

	octets_out_bytes(&out, head->sa, ETH_ADDR_OCTETS);
	octets_out_bytes(&out, frame + ETH_SA_OFFSET, ETH_ADDR_OCTETS);
	octets_out_be16(&out, ETH_TYPE_CN_TAG);
	octets_out_be16(&out, head->flow_id);
	octets_out_be16(&out, ETH_TYPE_CNM);
	put_unchanged(&out, pdu);
	octets_out_be16(&out, (uint16_t)(head->tci >> PRIORITY_SHIFT << PRIORITY_SHIFT));
	octets_out_bytes(&out, head->da, ETH_ADDR_OCTETS);
	octets_out_be16(&out, head->msdu_len);
	octets_out_bytes(&out, head->msdu, head->msdu_len);
	to->len = eth_pad(to->frame, (uint32_t)out.len);
}

enum trill_cnm_verdict trill_cnm_transform(const uint8_t *frame, uint32_t len,
					   const struct eth_view *view, uint8_t priority,
					   uint16_t nickname, struct trill_cnm *out)
{
	const uint8_t *pdu = frame + view->payload_offset;
	struct trill_head head = {0};
	enum trill_cnm_verdict verdict;
	struct cnm cnm;

	if (cnm_decode(pdu, len - view->payload_offset, &cnm) != CNM_OK)
		return TRILL_CNM_MALFORMED;
	verdict = caused_by(&cnm, view);
	if (verdict == TRILL_CNM_TRANSFORMED)
		verdict = read_head(&cnm, &head);
	if (verdict != TRILL_CNM_TRANSFORMED)
		return verdict;
	if (!is_valid(&head))
		return TRILL_CNM_MALFORMED;
	write_cnm(out, frame, pdu, &head);
	out->vid = head.tci & ETH_VID_MASK;
	out->priority = priority;
	out->egress = head.ingress;
	return way_of(head.ingress, nickname);
}

const char *trill_cnm_strverdict(enum trill_cnm_verdict verdict)
{
	static const char *const text[TRILL_CNM_VERDICTS] = {
	    [TRILL_CNM_TRANSFORMED] = "sent to the ingress RBridge of the flow",
	    [TRILL_CNM_NATIVE] = "sent to the source of the flow",
	    [TRILL_CNM_OWN] = "for a reaction point of this RBridge",
	    [TRILL_CNM_CONTROL] = "caused by a TRILL control frame",
	    [TRILL_CNM_SHORT] = "CNM has too few octets of the TRILL frame",
	    [TRILL_CNM_MALFORMED] = "malformed CNM for a TRILL frame",
	};

	return (unsigned int)verdict < TRILL_CNM_VERDICTS ? text[verdict] : "unknown";
}

void trill_cnm_of_frame(struct trill_cnm *out, const struct cp_verdict *verdict,
			const uint8_t cpid[CNM_CPID_OCTETS], const uint8_t *port_mac,
			const uint8_t *frame, uint32_t len, const struct trill_view *view,
			uint8_t inner_priority, uint8_t cnm_priority, uint8_t cp_min_header_octets)
{
	const uint8_t *inner = frame + view->inner_offset;
	struct cnm cnm;

	memcpy(cnm.cpid, cpid, CNM_CPID_OCTETS);
	cnm_of_frame(&cnm, verdict, inner, len - view->inner_offset, &view->inner, inner_priority,
		     cp_min_header_octets);
	out->len =
	    cnm_frame(out->frame, &cnm, inner + ETH_SA_OFFSET, port_mac, view->inner.flow_id);
	out->vid = view->inner.vid;
	out->priority = cnm_priority;
	out->egress = view->ingress;
}
