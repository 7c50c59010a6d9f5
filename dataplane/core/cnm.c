/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/cnm.h"
#include "lib/octets.h"

#define VERSION_SHIFT  12
#define QNTZ_FB_MASK   0x3f
#define PRIORITY_SHIFT 13

enum cnm_error cnm_decode(const uint8_t *pdu, size_t len, struct cnm *cnm)
{
	struct octets_in in = octets_in(pdu, len);
	uint16_t first, msdu_len;
	struct cnm c = {0};

	if (len < CNM_PDU_MIN_OCTETS)
		return CNM_SHORT;
	first = octets_in_be16(&in);
	c.version = (uint8_t)(first >> VERSION_SHIFT);
	c.qntz_fb = first & QNTZ_FB_MASK;
	memcpy(c.cpid, octets_in_take(&in, CNM_CPID_OCTETS), CNM_CPID_OCTETS);
	c.cnm_qoffset = (int16_t)octets_in_be16(&in);
	c.cnm_qdelta = (int16_t)octets_in_be16(&in);
	c.encap_priority = (uint8_t)(octets_in_be16(&in) >> PRIORITY_SHIFT);
	memcpy(c.encap_da, octets_in_take(&in, ETH_ADDR_OCTETS), ETH_ADDR_OCTETS);
	msdu_len = octets_in_be16(&in);
	if (msdu_len > CNM_MSDU_MAX)
		return CNM_BAD_LENGTH;
	if (msdu_len > in.left)
		return CNM_TRUNCATED;
	c.msdu_len = (uint8_t)msdu_len;
	memcpy(c.msdu, in.p, msdu_len);
	*cnm = c;
	return CNM_OK;
}

const char *cnm_strerror(enum cnm_error error)
{
	static const char *const text[CNM_ERRORS] = {
	    [CNM_OK] = "no error",
	    [CNM_SHORT] = "CNM shorter than its fields",
	    [CNM_BAD_LENGTH] = "encapsulated MSDU length above 64",
	    [CNM_TRUNCATED] = "CNM ends inside the encapsulated MSDU",
	};

	return (unsigned int)error < CNM_ERRORS ? text[error] : "unknown";
}

size_t cnm_encode(const struct cnm *cnm, uint8_t *pdu, size_t size)
{
	struct octets_out out = octets_out(pdu, size);
	unsigned int first = (unsigned int)cnm->version << VERSION_SHIFT |
			     (unsigned int)(cnm->qntz_fb & QNTZ_FB_MASK);

	if (cnm->msdu_len > CNM_MSDU_MAX || size < CNM_PDU_MIN_OCTETS + (size_t)cnm->msdu_len)
		return 0;
	octets_out_be16(&out, (uint16_t)first);
	octets_out_bytes(&out, cnm->cpid, CNM_CPID_OCTETS);
	octets_out_be16(&out, (uint16_t)cnm->cnm_qoffset);
	octets_out_be16(&out, (uint16_t)cnm->cnm_qdelta);
	octets_out_be16(&out, (uint16_t)(cnm->encap_priority << PRIORITY_SHIFT));
	octets_out_bytes(&out, cnm->encap_da, ETH_ADDR_OCTETS);
	octets_out_be16(&out, cnm->msdu_len);
	octets_out_bytes(&out, cnm->msdu, cnm->msdu_len);
	return out.len;
}

int16_t cnm_units(int64_t octets)
{
	int64_t units = octets / CNM_UNIT_OCTETS;

	if (units > INT16_MAX)
		return INT16_MAX;
	return units < INT16_MIN ? INT16_MIN : (int16_t)units;
}

/*
 * The standard requires "at least" cpMinHeaderOctets of the MSDU and allows up
 * to 64. Choice: returns cpMinHeaderOctets. The MSDU starts after the tags,
 * with the EtherType (or length).
 */
static uint8_t msdu_returned(uint32_t msdu_octets, uint8_t cp_min_header_octets)
{
	uint32_t most = cp_min_header_octets < CNM_MSDU_MAX ? cp_min_header_octets : CNM_MSDU_MAX;

	return (uint8_t)(msdu_octets < most ? msdu_octets : most);
}

void cnm_of_frame(struct cnm *cnm, const struct cp_verdict *verdict, const uint8_t *frame,
		  uint32_t len, const struct eth_view *view, uint8_t priority,
		  uint8_t cp_min_header_octets)
{
	uint32_t msdu_offset = view->payload_offset - 2u;

	cnm->version = 0;
	cnm->qntz_fb = verdict->qntz_fb;
	cnm->cnm_qoffset = cnm_units(verdict->cp_qoffset);
	cnm->cnm_qdelta = cnm_units(verdict->cp_qdelta);
	cnm->encap_priority = priority;
	memcpy(cnm->encap_da, frame + ETH_DA_OFFSET, ETH_ADDR_OCTETS);
	cnm->msdu_len = msdu_returned(len - msdu_offset, cp_min_header_octets);
	memcpy(cnm->msdu, frame + msdu_offset, cnm->msdu_len);
}

uint32_t cnm_frame(uint8_t frame[CNM_FRAME_MAX], const struct cnm *cnm, const uint8_t *da,
		   const uint8_t *sa, uint16_t flow_id)
{
	struct octets_out out = octets_out(frame, CNM_FRAME_MAX);

	octets_out_bytes(&out, da, ETH_ADDR_OCTETS);
	octets_out_bytes(&out, sa, ETH_ADDR_OCTETS);
	octets_out_be16(&out, ETH_TYPE_CN_TAG);
	octets_out_be16(&out, flow_id);
	octets_out_be16(&out, ETH_TYPE_CNM);
	out.len += cnm_encode(cnm, frame + out.len, CNM_FRAME_MAX - out.len);
	return eth_pad(frame, (uint32_t)out.len);
}
