/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The head of an LLDPDU. Input: a frame. Properties: if a frame is accepted, there is a
 * shortest part of it that is accepted, with the same result; octets after it do not
 * matter, and a refused frame leaves the result alone.
 */
#include "lldp/lldpdu.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define FRAME_MAX 2048

/* Decodes a copy of exactly len octets, so that a sanitizer finds reads beyond it. */
static bool decode(const uint8_t *data, size_t len, struct lldpdu *out)
{
	uint8_t *copy = malloc(len ? len : 1);
	struct eth_view view;
	bool ok;

	FUZZ_ASSERT(copy);
	if (len)
		memcpy(copy, data, len);
	ok = eth_parse(copy, len, &view) == ETH_OK && lldpdu_decode(copy, len, &view, out);
	free(copy);
	return ok;
}

/* Returns the length of the shortest accepted part of an accepted frame. */
static size_t shortest(const uint8_t *data, size_t size)
{
	size_t refused = 0;
	struct lldpdu pdu;

	while (size - refused > 1) {
		size_t middle = refused + (size - refused) / 2;

		if (decode(data, middle, &pdu))
			size = middle;
		else
			refused = middle;
	}
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lldpdu pdu, part;
	struct lldpdu untouched;
	size_t needed;

	if (size > FRAME_MAX)
		return 0;
	memset(&untouched, 0x5a, sizeof(untouched));
	pdu = part = untouched;
	if (!decode(data, size, &pdu)) {
		FUZZ_ASSERT(memcmp(&pdu, &untouched, sizeof(pdu)) == 0);
		return 0;
	}
	needed = shortest(data, size);
	/* 14 octets, IDs of one octet each, and the time to live. */
	FUZZ_ASSERT(needed >= 14 + 4 + 4 + 4);
	FUZZ_ASSERT(decode(data, needed, &part));
	FUZZ_ASSERT(memcmp(pdu.source, data + 6, 6) == 0 && !(data[6] & 1));
	FUZZ_ASSERT(pdu.nearest == (data[5] == 0x0e));
	FUZZ_ASSERT(pdu.ttl == part.ttl && pdu.msap == part.msap && pdu.nearest == part.nearest);
	FUZZ_ASSERT(!decode(data, needed - 1, &part));
	return 0;
}
