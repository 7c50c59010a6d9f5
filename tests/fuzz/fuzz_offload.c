/* SPDX-License-Identifier: BSD-3-Clause */
/* Input: octets of inserted tags (0 or not), struct virtio_net_hdr, frame. */
#include "dataplane/core/offload.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define ADDRESSES 12

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t header[OFFLOAD_HEADER_OCTETS], *octets, *frame, *end = NULL, before[ADDRESSES];
	uint32_t len, part, tags, frames, n = 0;
	struct offload_frame f;

	if (size < 1 + sizeof(header) + ADDRESSES || size > 100000)
		return 0;
	tags = data[0] ? 4 : 0;
	memcpy(header, data + 1, sizeof(header));
	len = (uint32_t)(size - 1 - sizeof(header));
	octets = malloc(len);
	FUZZ_ASSERT(octets);
	memcpy(octets, data + 1 + sizeof(header), len);
	memcpy(before, octets, ADDRESSES);
	if (!offload_begin(&f, octets, len, tags, header)) {
		FUZZ_ASSERT(f.frames == 0 && !offload_next(&f, &part));
		free(octets);
		return 0;
	}
	frames = f.frames;
	FUZZ_ASSERT(frames >= 1 && frames <= OFFLOAD_FRAMES_MAX);
	FUZZ_ASSERT(header[1] != 0 || frames == 1);
	while ((frame = offload_next(&f, &part))) {
		FUZZ_ASSERT(frame >= octets && frame + part <= octets + len);
		FUZZ_ASSERT(memcmp(frame, before, ADDRESSES) == 0);
		/* The payload of each frame follows that of the one before. */
		FUZZ_ASSERT(!end || (frame < end && frame + part > end) || frame + part == end);
		end = frame + part;
		n++;
	}
	FUZZ_ASSERT(n == frames);
	free(octets);
	return 0;
}
