/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/core/pfc_pdu.h"
#include "lib/octets.h"

#define OPCODE_OFFSET     ETH_HEADER_OCTETS
#define VECTOR_OFFSET     16
#define TIME_OFFSET       18
#define PAUSE_TIME_OFFSET 16

static const uint8_t mac_control_address[ETH_ADDR_OCTETS] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

/* Checks that the EtherType is 88-08. */
static enum pfc_pdu_error check_type(const uint8_t *frame, size_t len)
{
	uint16_t type = get_be16(frame + ETH_TYPE_OFFSET);
	struct eth_view view;

	if (type == ETH_TYPE_MAC_CONTROL)
		return PFC_PDU_OK;
	if (eth_parse(frame, len, &view) == ETH_OK && view.inner_type == ETH_TYPE_MAC_CONTROL)
		return PFC_PDU_TAGGED;
	return PFC_PDU_NOT_MAC_CONTROL;
}

static enum pfc_pdu_error check_opcode(uint16_t opcode)
{
	if (opcode == PFC_OPCODE)
		return PFC_PDU_OK;
	return opcode == PFC_OPCODE_PAUSE ? PFC_PDU_PAUSE : PFC_PDU_BAD_OPCODE;
}

static enum pfc_pdu_error check_addresses(const uint8_t *frame)
{
	if (memcmp(frame + ETH_DA_OFFSET, mac_control_address, ETH_ADDR_OCTETS) != 0)
		return PFC_PDU_BAD_DESTINATION;
	return eth_is_group(frame + ETH_SA_OFFSET) ? PFC_PDU_GROUP_SOURCE : PFC_PDU_OK;
}

bool pfc_pdu_is_pause(const uint8_t *frame, size_t len)
{
	return len >= ETH_HEADER_OCTETS + 2 && get_be16(frame + OPCODE_OFFSET) == PFC_OPCODE_PAUSE;
}

enum pfc_pdu_error pfc_pdu_decode(const uint8_t *frame, size_t len, struct pfc_pdu *pdu)
{
	enum pfc_pdu_error error;

	if (len < ETH_HEADER_OCTETS + 2)
		return PFC_PDU_SHORT;
	error = check_type(frame, len);
	if (!error)
		error = check_opcode(get_be16(frame + OPCODE_OFFSET));
	if (!error)
		error = check_addresses(frame);
	if (!error && len < PFC_FIELDS_OCTETS)
		error = PFC_PDU_SHORT;
	if (error)
		return error;

	*pdu = (struct pfc_pdu){.enable = frame[VECTOR_OFFSET + 1]};
	memcpy(pdu->source, frame + ETH_SA_OFFSET, ETH_ADDR_OCTETS);
	for (unsigned int n = 0; n < DCB_PRIORITIES; n++)
		if (pdu->enable & (1u << n))
			pdu->time[n] = get_be16(frame + TIME_OFFSET + 2 * n);
	return PFC_PDU_OK;
}

enum pfc_pdu_error pfc_pdu_decode_pause(const uint8_t *frame, size_t len, uint16_t *quanta)
{
	enum pfc_pdu_error error = check_addresses(frame);

	if (!error && len < PFC_PAUSE_OCTETS)
		error = PFC_PDU_SHORT;
	if (!error)
		*quanta = get_be16(frame + PAUSE_TIME_OFFSET);
	return error;
}

void pfc_pdu_encode(const struct pfc_pdu *pdu, uint8_t frame[PFC_FRAME_OCTETS])
{
	memset(frame, 0, PFC_FRAME_OCTETS);
	memcpy(frame + ETH_DA_OFFSET, mac_control_address, ETH_ADDR_OCTETS);
	memcpy(frame + ETH_SA_OFFSET, pdu->source, ETH_ADDR_OCTETS);
	put_be16(frame + ETH_TYPE_OFFSET, ETH_TYPE_MAC_CONTROL);
	put_be16(frame + OPCODE_OFFSET, PFC_OPCODE);
	put_be16(frame + VECTOR_OFFSET, pdu->enable);
	for (unsigned int n = 0; n < DCB_PRIORITIES; n++)
		if (pdu->enable & (1u << n))
			put_be16(frame + TIME_OFFSET + 2 * n, pdu->time[n]);
}

const char *pfc_pdu_strerror(enum pfc_pdu_error error)
{
	static const char *const text[PFC_PDU_ERRORS] = {
	    [PFC_PDU_OK] = "no error",
	    [PFC_PDU_SHORT] = "frame shorter than its fields",
	    [PFC_PDU_NOT_MAC_CONTROL] = "not a MAC control frame",
	    [PFC_PDU_TAGGED] = "tagged MAC control frame",
	    [PFC_PDU_PAUSE] = "PAUSE for all priorities",
	    [PFC_PDU_BAD_OPCODE] = "unsupported MAC control opcode",
	    [PFC_PDU_BAD_DESTINATION] = "destination is not 01-80-c2-00-00-01",
	    [PFC_PDU_GROUP_SOURCE] = "source address is a group address",
	};

	return (unsigned int)error < PFC_PDU_ERRORS ? text[error] : "unknown";
}
