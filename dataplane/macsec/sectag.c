/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/macsec/sectag.h"

#include "dataplane/core/eth.h"
#include "lib/octets.h"

#define TCI_OFFSET 14
#define SL_OFFSET  15
#define PN_OFFSET  16
#define SCI_OFFSET 20

#define MPDU_MIN_OCTETS 17 /* 9.12 a) */

/* Bits of the octet with TCI and AN, figure 9-4. */
#define TCI_V   0x80
#define TCI_ES  0x40
#define TCI_SC  0x20
#define TCI_SCB 0x10
#define TCI_E   0x08
#define TCI_C   0x04
#define TCI_AN  0x03

#define SL_RESERVED 0xc0

static enum sectag_error check_tci(uint8_t tci, uint8_t sl)
{
	if (tci & TCI_V)
		return SECTAG_BAD_VERSION;
	if ((tci & TCI_SC) && (tci & (TCI_ES | TCI_SCB)))
		return SECTAG_BAD_SCI;
	return sl & SL_RESERVED ? SECTAG_BAD_SL : SECTAG_OK;
}

/* Finds the Secure Data of a frame of len octets. Returns false if the length is not valid. */
static bool find_data(struct sectag_view *view, size_t len)
{
	uint32_t around, with;

	view->data = SECTAG_ADDRESSES + sectag_octets(&view->tag);
	around = view->data + SECTAG_ICV_OCTETS;
	if (view->tag.sl == 0) {
		view->data_octets = (uint32_t)(len - around);
		return len >= around + SECTAG_SHORT_BELOW;
	}
	view->data_octets = view->tag.sl;
	with = around + view->tag.sl;
	return len == with || len == eth_padded_octets(with);
}

enum sectag_error sectag_decode(const uint8_t *frame, size_t len, struct sectag_view *view)
{
	struct sectag_view found = {.data = 0};
	enum sectag_error error;
	uint8_t tci;

	if (len < ETH_HEADER_OCTETS || get_be16(frame + ETH_TYPE_OFFSET) != SECTAG_ETHERTYPE)
		return SECTAG_NONE;
	if (len < SECTAG_ADDRESSES + MPDU_MIN_OCTETS)
		return SECTAG_SHORT;
	tci = frame[TCI_OFFSET];
	error = check_tci(tci, frame[SL_OFFSET]);
	if (error)
		return error;
	found.tag = (struct sectag){
	    .es = tci & TCI_ES,
	    .sc = tci & TCI_SC,
	    .scb = tci & TCI_SCB,
	    .encrypted = tci & TCI_E,
	    .changed = tci & TCI_C,
	    .an = tci & TCI_AN,
	    .sl = frame[SL_OFFSET],
	    .pn = get_be32(frame + PN_OFFSET),
	    .sci = tci & TCI_SC ? get_be64(frame + SCI_OFFSET) : 0,
	};
	if (!find_data(&found, len))
		return SECTAG_BAD_LENGTH;
	*view = found;
	return SECTAG_OK;
}

static uint8_t bit(bool set, unsigned int mask)
{
	return (uint8_t)(set ? mask : 0);
}

void sectag_encode(const struct sectag *tag, uint8_t *octets)
{
	put_be16(octets, SECTAG_ETHERTYPE);
	octets[2] =
	    (uint8_t)(bit(tag->es, TCI_ES) | bit(tag->sc, TCI_SC) | bit(tag->scb, TCI_SCB) |
		      bit(tag->encrypted, TCI_E) | bit(tag->changed, TCI_C) | (tag->an & TCI_AN));
	octets[3] = (uint8_t)(tag->sl & ~SL_RESERVED);
	put_be32(octets + 4, tag->pn);
	if (tag->sc)
		put_be64(octets + SECTAG_OCTETS, tag->sci);
}

uint64_t sectag_sci(const uint8_t system[6], uint16_t port)
{
	return (uint64_t)get_be32(system) << 32 | (uint64_t)get_be16(system + 4) << 16 | port;
}

const char *sectag_strerror(enum sectag_error error)
{
	static const char *const text[SECTAG_ERRORS] = {
	    [SECTAG_OK] = "no error",
	    [SECTAG_NONE] = "not a MACsec frame",
	    [SECTAG_SHORT] = "frame ends inside the SecTAG or ICV",
	    [SECTAG_BAD_VERSION] = "unsupported MACsec version",
	    [SECTAG_BAD_SCI] = "SecTAG with an SCI and the bit ES or SCB",
	    [SECTAG_BAD_SL] = "reserved bits beside the Short Length",
	    [SECTAG_BAD_LENGTH] = "length differs from the Short Length",
	};

	return (unsigned int)error < SECTAG_ERRORS ? text[error] : "unknown";
}
