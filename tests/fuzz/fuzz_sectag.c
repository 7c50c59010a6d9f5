/* SPDX-License-Identifier: BSD-3-Clause */
/* A decoded SecTAG is encoded to the same octets, and its Secure Data and ICV are in the frame. */
#include "dataplane/macsec/sectag.h"
#include "lib/octets.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t again[SECTAG_MAX_OCTETS];
	struct sectag_view view, untouched;
	enum sectag_error error;
	uint32_t end;

	memset(&view, 0x5a, sizeof(view));
	memcpy(&untouched, &view, sizeof(view));
	error = sectag_decode(data, size, &view);
	FUZZ_ASSERT((unsigned int)error < SECTAG_ERRORS);
	FUZZ_ASSERT((error == SECTAG_NONE) == (size < 14 || get_be16(data + 12) != 0x88e5));
	if (error) {
		FUZZ_ASSERT(memcmp(&view, &untouched, sizeof(view)) == 0);
		return 0;
	}
	FUZZ_ASSERT(view.data == SECTAG_ADDRESSES + sectag_octets(&view.tag));
	FUZZ_ASSERT(view.data_octets >= 1);
	end = view.data + view.data_octets + SECTAG_ICV_OCTETS;
	FUZZ_ASSERT(end <= size);
	FUZZ_ASSERT(end == size || (view.tag.sl && size == 60));
	FUZZ_ASSERT(view.tag.sl == 0 || view.data_octets == view.tag.sl);
	FUZZ_ASSERT(view.tag.sc || view.tag.sci == 0);
	sectag_encode(&view.tag, again);
	FUZZ_ASSERT(memcmp(again, data + SECTAG_ADDRESSES, sectag_octets(&view.tag)) == 0);
	return 0;
}
