/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/macsec/pfc_mux.h"

#include "dataplane/core/eth.h"
#include "dataplane/core/pfc_pdu.h"
#include "lib/counter.h"
#include "lib/octets.h"

/* Returns whether the initial protocol identifier is 88-08. Behind a tag it is not initial. */
static bool is_mac_control(const uint8_t *frame, size_t len)
{
	return len >= ETH_HEADER_OCTETS &&
	       get_be16(frame + ETH_TYPE_OFFSET) == ETH_TYPE_MAC_CONTROL;
}

static bool has_pfc_opcode(const uint8_t *frame, size_t len)
{
	return len >= ETH_HEADER_OCTETS + 2 && get_be16(frame + ETH_HEADER_OCTETS) == PFC_OPCODE;
}

static enum pfc_mux discard(uint64_t *counter)
{
	counter_add(counter, 1);
	return PFC_MUX_DISCARD;
}

enum pfc_mux pfc_mux_controlled(enum pfc_macsec mode, const uint8_t *frame, size_t len, bool valid,
				struct pfc_mux_stats *stats)
{
	if (!is_mac_control(frame, len))
		return PFC_MUX_PASS;
	if (!has_pfc_opcode(frame, len))
		return discard(&stats->rx_not_pfc);
	if (pfc_mux_protects(mode) && !valid)
		return discard(&stats->rx_not_valid);
	return PFC_MUX_CONTROL;
}

enum pfc_mux pfc_mux_received(enum pfc_macsec mode, const uint8_t *frame, size_t len,
			      struct pfc_mux_stats *stats)
{
	if (!is_mac_control(frame, len))
		return PFC_MUX_PASS;
	return pfc_mux_protects(mode) ? discard(&stats->rx_unprotected) : PFC_MUX_CONTROL;
}
