/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PFC Multiplexer between the MAC Control sublayer, the SecY and the users of its Controlled
 * Port: P802.1Qdt 36.4, 36.5 and figures 36-9, 36-10. Pure decisions about one frame.
 *
 *   mode  | PFC frames are sent    | PFC frames are accepted
 *   none  | unprotected            | unprotected
 *   data  | unprotected            | unprotected, or from the Controlled Port
 *   all   | to the Controlled Port | from the Controlled Port, with a valid ICV
 *
 * Choice, in pfc_mux_controlled(): mode data accepts protected PFC frames too. 36.4 has no
 * multiplexer, but who protects a PFC frame has more authority than who does not, and while
 * two ends change their mode, no PFC frame is lost.
 *
 * PFC frames in MPPDUs of an SC that passes intermediate relays shall be discarded (36.2.7).
 * Without a PrY no frame is taken out of an MPPDU, which is data: no PFC frame in one is ever
 * accepted.
 */
#ifndef DCB_MACSEC_PFC_MUX_H
#define DCB_MACSEC_PFC_MUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/core/pfc_headroom.h"

enum pfc_mux {
	PFC_MUX_PASS,    /* to the other users of the port the frame comes from */
	PFC_MUX_CONTROL, /* to MAC Control: M_CONTROL.indication to the PFC receiver */
	PFC_MUX_DISCARD, /* counted */
};

/* Frames discarded. */
struct pfc_mux_stats {
	uint64_t rx_not_pfc;     /* from the Controlled Port: 88-08 without the PFC opcode */
	uint64_t rx_not_valid;   /* from the Controlled Port: PFC without a valid ICV */
	uint64_t rx_unprotected; /* MAC Control without SecTAG while PFC frames are protected */
};

/* Returns whether a PFC frame is sent through the Controlled Port. */
static inline bool pfc_mux_protects(enum pfc_macsec mode)
{
	return mode == PFC_MACSEC_ALL;
}

/*
 * Decides about a frame of len octets that the SecY delivers to the Controlled Port. valid: of
 * secy_validate(). PFC_MUX_CONTROL: pfc_pdu_decode() checks the rest of the PFC frame.
 */
enum pfc_mux pfc_mux_controlled(enum pfc_macsec mode, const uint8_t *frame, size_t len, bool valid,
				struct pfc_mux_stats *stats);

/*
 * Decides about a frame of len octets as received, before secy_validate(). PFC_MUX_PASS: it is not
 * for MAC Control.
 */
enum pfc_mux pfc_mux_received(enum pfc_macsec mode, const uint8_t *frame, size_t len,
			      struct pfc_mux_stats *stats);

#endif
