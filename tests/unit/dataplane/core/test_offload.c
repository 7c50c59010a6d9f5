/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames that a host has left to its interface, taken apart; each result is parsed anew. */
#include "dataplane/core/offload.h"
#include "tests/unit/dataplane/offload_frame.h"
#include "tests/unit/unit.h"

#define ROUNDS UNIT_CASES(3000)

static const uint8_t da[] = {2, 0, 0, 0, 0, 9};
static uint8_t room[4 + UNFINISHED_OCTETS];

/* Copies the frame, so that what follows can compare with it. */
static bool begin(struct offload_frame *f, const struct unfinished *u, uint32_t tags)
{
	memcpy(room + 4, u->octets, u->len);
	return offload_begin(f, room + 4, u->len, tags, (const uint8_t *)&u->header);
}

/* Compares a frame, which has the payload from offset at on, with the unfinished one. */
static void check_frame(const struct unfinished *u, const uint8_t *f, uint32_t len, uint32_t at,
			bool is_first, bool is_last)
{
	const uint8_t *l3 = f + u->l3, *l4 = f + u->l4, *of = u->octets + u->l4;
	uint32_t octets = len - u->l4, payload = len - u->payload;

	assert_memory_equal(f, u->octets, u->l3);
	assert_memory_equal(f + u->payload, u->octets + u->payload + at, payload);
	assert_int_equal(unfinished_sum(l4, octets, unfinished_pseudo(l3, u->ipv6, u->udp, octets)),
			 0xffff);
	if (u->ipv6) {
		assert_int_equal(get_be16(l3 + 4), len - u->l3 - 40);
		assert_memory_equal(l3 + 6, u->octets + u->l3 + 6, u->l4 - u->l3 - 6);
	} else {
		assert_int_equal(get_be16(l3 + 2), len - u->l3);
		assert_int_equal(unfinished_sum(l3, u->l4 - u->l3, 0), 0xffff);
	}
	assert_memory_equal(l4, of, 4); /* ports */
	if (u->udp) {
		assert_int_equal(get_be16(l4 + 4), octets);
		return;
	}
	assert_int_equal(get_be32(l4 + 4), get_be32(of + 4) + at);
	assert_int_equal(l4[13] & 0x80, is_first ? of[13] & 0x80 : 0);
	assert_int_equal(l4[13] & 0x09, is_last ? of[13] & 0x09 : 0);
	assert_int_equal(l4[13] & 0x76, of[13] & 0x76);
}

static void test_random_frames(void **state)
{
	static struct unfinished u;
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct unfinished_kind kind = unfinished_draw(&rng, 60000, OFFLOAD_FRAMES_MAX);
		uint32_t size = kind.segmented ? kind.size : kind.payload;
		struct offload_frame f;
		uint32_t at = 0, len, n = 0;
		uint16_t id = 0;
		uint8_t *frame;

		unfinished_make(&u, &kind, &rng, da);
		assert_true(begin(&f, &u, 0));
		assert_int_equal(f.frames, (kind.payload + size - 1) / size);
		while ((frame = offload_next(&f, &len))) {
			bool is_last = at + size >= kind.payload;

			assert_int_equal(len - u.payload, is_last ? kind.payload - at : size);
			check_frame(&u, frame, len, at, at == 0, is_last);
			if (!u.ipv6 && n > 0)
				assert_int_equal(get_be16(frame + u.l3 + 4), (uint16_t)(id + 1));
			id = get_be16(frame + u.l3 + 4);
			at += len - u.payload;
			n++;
		}
		assert_int_equal(at, kind.payload);
	}
}

/* A tag that was inserted after the header was made moves all offsets. */
static void test_inserted_tag(void **state)
{
	static const struct unfinished_kind kind = {
	    .segmented = true, .tags = 1, .payload = 3000, .size = 1400};
	static struct unfinished u;
	struct offload_frame f;
	struct dcb_rng rng;
	uint32_t len, at = 0;
	uint8_t *frame;

	(void)state;
	dcb_rng_seed(&rng, 1, 0);
	unfinished_make(&u, &kind, &rng, da);
	u.header.csum_start = (uint16_t)(u.header.csum_start - 4);
	assert_false(begin(&f, &u, 0));
	assert_int_equal(f.frames, 0);
	assert_true(begin(&f, &u, 4));
	for (; (frame = offload_next(&f, &len)); at += len - u.payload)
		check_frame(&u, frame, len, at, at == 0, at + 1400 >= 3000);
	assert_int_equal(at, 3000);
}

/* RFC 2675: the length of a packet of more than 65535 octets goes with its header. */
static void test_jumbo_payload(void **state)
{
	static const struct unfinished_kind kind = {
	    .ipv6 = true, .segmented = true, .options = 1, .payload = 4000, .size = 1400};
	static struct unfinished u;
	struct offload_frame f;
	struct dcb_rng rng;
	uint32_t len, at = 0, head;
	uint8_t *frame;

	(void)state;
	dcb_rng_seed(&rng, 1, 0);
	unfinished_make(&u, &kind, &rng, da);
	head = u.payload - 8;
	put_be16(u.octets + u.l3 + 4, 0);
	u.octets[u.l3 + 6] = 0; /* Hop-by-Hop Options */
	memcpy(u.octets + u.l3 + 40, "\x06\x00\xc2\x04\x00\x00\x10\x00", 8);
	assert_true(begin(&f, &u, 0));
	assert_int_equal(f.frames, 3);
	for (; (frame = offload_next(&f, &len)); at += len - head) {
		const uint8_t *l3 = frame + u.l3, *l4 = l3 + 40;

		assert_int_equal(l3[6], 6);
		assert_int_equal(get_be16(l3 + 4), len - u.l3 - 40);
		assert_memory_equal(frame + head, u.octets + u.payload + at, len - head);
		len -= u.l3 + 40;
		assert_int_equal(unfinished_sum(l4, len, unfinished_pseudo(l3, true, false, len)),
				 0xffff);
		len += u.l3 + 40;
	}
	assert_int_equal(at, 4000);
}

/* IPv4 packets that are longer than 65535 octets have no length. */
static void test_length_zero(void **state)
{
	static const struct unfinished_kind kind = {
	    .segmented = true, .payload = 5000, .size = 1000};
	static struct unfinished u;
	struct offload_frame f;
	struct dcb_rng rng;
	uint32_t len;
	uint8_t *frame;

	(void)state;
	dcb_rng_seed(&rng, 1, 0);
	unfinished_make(&u, &kind, &rng, da);
	put_be16(u.octets + u.l3 + 2, 0);
	assert_true(begin(&f, &u, 0));
	assert_int_equal(f.frames, 5);
	frame = offload_next(&f, &len);
	check_frame(&u, frame, len, 0, true, false);
}

/* RFC 1071, 3: the example. For UDP a sum of 0 is written as its other form: RFC 768. */
static void test_checksum_alone(void **state)
{
	static const struct virtio_net_hdr header = {
	    .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, .csum_start = 14, .csum_offset = 8};
	static const struct virtio_net_hdr of_udp = {
	    .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, .csum_start = 14, .csum_offset = 6};
	static const uint8_t sum[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
	uint8_t octets[14 + 10] = {0};
	struct offload_frame f;
	uint32_t len;

	(void)state;
	memcpy(octets + 14, sum, sizeof(sum));
	assert_true(offload_begin(&f, octets, sizeof(octets), 0, (const uint8_t *)&header));
	assert_int_equal(f.frames, 1);
	assert_ptr_equal(offload_next(&f, &len), octets);
	assert_int_equal(len, sizeof(octets));
	assert_null(offload_next(&f, &len));
	assert_int_equal(get_be16(octets + 22), 0x220d);
	memset(octets, 0, sizeof(octets));
	put_be16(octets + 14, 0xffff);
	assert_true(offload_begin(&f, octets, sizeof(octets), 0, (const uint8_t *)&header));
	assert_int_equal(get_be16(octets + 22), 0);
	assert_true(offload_begin(&f, octets, sizeof(octets), 0, (const uint8_t *)&of_udp));
	assert_int_equal(get_be16(octets + 20), 0xffff);
}

/* RFC 9260, appendix A, of CRC32c: the check value of "123456789" is e3069283. */
static void test_crc_of_sctp(void **state)
{
	static const struct virtio_net_hdr header = {
	    .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, .csum_start = 34, .csum_offset = 8};
	uint8_t octets[60] = {[12] = 8, [14] = 0x45, [17] = 20 + 16, [23] = 132};
	struct offload_frame f;
	uint32_t crc = UINT32_MAX;

	(void)state;
	memcpy(octets + 34, "12345678", 8);
	memcpy(octets + 46, "abcd", 4);
	assert_true(offload_begin(&f, octets, sizeof(octets), 0, (const uint8_t *)&header));
	for (unsigned i = 0; i < 16; i++) {
		crc ^= i >= 8 && i < 12 ? 0 : octets[34 + i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ UINT32_C(0x82f63b78) : crc >> 1;
	}
	crc = ~crc;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(octets[42 + i], crc >> 8 * i & 0xff);
	/* The padding of the frame is not in the packet. */
	assert_int_equal(octets[50], 0);
}

/* UDP over IPv4 without a checksum stays so. */
static void test_udp_without_checksum(void **state)
{
	static const struct unfinished_kind kind = {
	    .udp = true, .segmented = true, .payload = 300, .size = 100};
	static struct unfinished u;
	struct offload_frame f;
	struct dcb_rng rng;
	uint32_t len;

	(void)state;
	dcb_rng_seed(&rng, 1, 0);
	unfinished_make(&u, &kind, &rng, da);
	u.header.flags = 0;
	put_be16(u.octets + u.l4 + 6, 0);
	assert_true(begin(&f, &u, 0));
	for (int i = 0; i < 3; i++)
		assert_int_equal(get_be16(offload_next(&f, &len) + u.l4 + 6), 0);
}

struct hostile {
	const char *what;
	struct unfinished_kind kind;
	struct virtio_net_hdr header; /* added to that of the frame, modulo its fields */
	uint32_t cut;                 /* octets that are missing at the end */
	uint32_t at;                  /* offset behind l3 of an octet to replace; 0: none */
	uint8_t octet;
};

#define TCP4                                                     \
	{                                                        \
		.segmented = true, .payload = 4000, .size = 1000 \
	}
#define TCP6                                                                                 \
	{                                                                                    \
		.ipv6 = true, .segmented = true, .payload = 4000, .size = 1000, .options = 1 \
	}
#define UDP4                                                                  \
	{                                                                     \
		.udp = true, .segmented = true, .payload = 4000, .size = 1000 \
	}
#define LESS(n) (uint16_t) - (n)

static const struct hostile hostile[] = {
    {.what = "size 0", .kind = TCP4, .header.gso_size = LESS(1000)},
    {.what = "size 1", .kind = TCP4, .header.gso_size = LESS(999)},
    {.what = "too many frames", .kind = {.segmented = true, .payload = 60000, .size = 20}},
    {.what = "type of IPv6", .kind = TCP4, .header.gso_type = 3},
    {.what = "type of IPv4", .kind = TCP6, .header.gso_type = (uint8_t)-3},
    {.what = "type of UDP", .kind = TCP4, .header.gso_type = 4},
    {.what = "type of TCP", .kind = UDP4, .header.gso_type = (uint8_t)-4},
    {.what = "type that Linux does not have", .kind = TCP4, .header.gso_type = 1},
    {.what = "fragments of UDP", .kind = UDP4, .header.gso_type = (uint8_t)-2},
    {.what = "start behind the frame", .kind = TCP4, .header.csum_start = 60000},
    {.what = "start in the payload", .kind = TCP4, .header.csum_start = 4},
    {.what = "start in the addresses", .kind = {.payload = 100}, .header.csum_start = LESS(30)},
    {.what = "checksum behind the frame", .kind = {.payload = 100}, .header.csum_offset = 1000},
    {.what = "checksum at the end",
     .kind = {.udp = true, .payload = 100},
     .header.csum_offset = 101},
    {.what = "packet longer than the frame", .kind = TCP4, .cut = 1},
    {.what = "IPv6 longer than the frame", .kind = TCP6, .cut = 1},
    {.what = "frame ends in the IPv4 header", .kind = TCP4, .cut = 4000 + 40},
    {.what = "frame ends in the IPv6 header", .kind = TCP6, .cut = 4000 + 60},
    {.what = "IPv4 header of 16 octets", .kind = TCP4, .at = 0, .octet = 0x44},
    {.what = "fragment", .kind = TCP4, .at = 6, .octet = 0x20},
    {.what = "another protocol", .kind = TCP4, .at = 9, .octet = 47},
    {.what = "TCP header of 16 octets", .kind = TCP4, .at = 32, .octet = 0x40},
    {.what = "extension header behind the frame",
     .kind = TCP6,
     .at = 41,
     .octet = 255,
     .cut = 3000},
};

static void test_hostile_headers(void **state)
{
	static struct unfinished u;
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, 1, 0);
	for (unsigned i = 0; i < UNIT_COUNT(hostile); i++) {
		const struct hostile *h = &hostile[i];
		struct offload_frame f;
		uint32_t len;

		unfinished_make(&u, &h->kind, &rng, da);
		u.header.gso_type = (uint8_t)((u.header.gso_type & 0x7f) + h->header.gso_type);
		u.header.gso_size = (uint16_t)(u.header.gso_size + h->header.gso_size);
		u.header.csum_start = (uint16_t)(u.header.csum_start + h->header.csum_start);
		u.header.csum_offset = (uint16_t)(u.header.csum_offset + h->header.csum_offset);
		u.len -= h->cut;
		if (h->octet)
			u.octets[u.l3 + h->at] = h->octet;
		if (begin(&f, &u, 0))
			fail_msg("%s: accepted", h->what);
		assert_null(offload_next(&f, &len));
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_frames),        cmocka_unit_test(test_inserted_tag),
	    cmocka_unit_test(test_jumbo_payload),        cmocka_unit_test(test_length_zero),
	    cmocka_unit_test(test_checksum_alone),       cmocka_unit_test(test_crc_of_sctp),
	    cmocka_unit_test(test_udp_without_checksum), cmocka_unit_test(test_hostile_headers),
	};

	return cmocka_run_group_tests_name("offload", tests, NULL, NULL);
}
