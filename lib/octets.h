/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Octets in network byte order: accessors, and a cursor each for reading and
 * writing. A cursor keeps "overrun" set after an access past the end, so that a
 * codec checks it once, after the last access.
 */
#ifndef DCB_LIB_OCTETS_H
#define DCB_LIB_OCTETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t get_be16(const uint8_t *p)
{
	return (uint16_t)((p[0] << 8) | p[1]);
}

static inline uint32_t get_be32(const uint8_t *p)
{
	return ((uint32_t)get_be16(p) << 16) | get_be16(p + 2);
}

static inline uint64_t get_be64(const uint8_t *p)
{
	return ((uint64_t)get_be32(p) << 32) | get_be32(p + 4);
}

static inline void put_be16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void put_be32(uint8_t *p, uint32_t v)
{
	put_be16(p, (uint16_t)(v >> 16));
	put_be16(p + 2, (uint16_t)v);
}

static inline void put_be64(uint8_t *p, uint64_t v)
{
	put_be32(p, (uint32_t)(v >> 32));
	put_be32(p + 4, (uint32_t)v);
}

/* Read cursor: a read past the end gives 0 and sets overrun. */
struct octets_in {
	const uint8_t *p;
	size_t left;
	bool overrun;
};

static inline struct octets_in octets_in(const void *p, size_t len)
{
	return (struct octets_in){.p = p, .left = len};
}

/* Returns the next n octets; NULL if fewer are left or overrun is set already. */
static inline const uint8_t *octets_in_take(struct octets_in *in, size_t n)
{
	const uint8_t *p = in->p;

	if (in->overrun || n > in->left) {
		in->overrun = true;
		in->left = 0;
		return NULL;
	}
	in->p += n;
	in->left -= n;
	return p;
}

static inline uint8_t octets_in_u8(struct octets_in *in)
{
	const uint8_t *p = octets_in_take(in, 1);

	return p ? *p : 0;
}

static inline uint16_t octets_in_be16(struct octets_in *in)
{
	const uint8_t *p = octets_in_take(in, 2);

	return p ? get_be16(p) : 0;
}

static inline uint32_t octets_in_be32(struct octets_in *in)
{
	const uint8_t *p = octets_in_take(in, 4);

	return p ? get_be32(p) : 0;
}

static inline uint64_t octets_in_be64(struct octets_in *in)
{
	const uint8_t *p = octets_in_take(in, 8);

	return p ? get_be64(p) : 0;
}

/* Write cursor: a value that does not fit is not written and sets overrun. */
struct octets_out {
	uint8_t *start;
	size_t len;
	size_t size;
	bool overrun;
};

static inline struct octets_out octets_out(void *p, size_t size)
{
	return (struct octets_out){.start = p, .size = size};
}

/* Appends n octets for the caller to fill and returns them; NULL if they do not fit. */
static inline uint8_t *octets_out_take(struct octets_out *out, size_t n)
{
	uint8_t *p;

	if (out->overrun || n > out->size - out->len) {
		out->overrun = true;
		return NULL;
	}
	p = out->start + out->len;
	out->len += n;
	return p;
}

static inline void octets_out_u8(struct octets_out *out, uint8_t v)
{
	uint8_t *p = octets_out_take(out, 1);

	if (p)
		*p = v;
}

static inline void octets_out_be16(struct octets_out *out, uint16_t v)
{
	uint8_t *p = octets_out_take(out, 2);

	if (p)
		put_be16(p, v);
}

static inline void octets_out_be32(struct octets_out *out, uint32_t v)
{
	uint8_t *p = octets_out_take(out, 4);

	if (p)
		put_be32(p, v);
}

static inline void octets_out_be64(struct octets_out *out, uint64_t v)
{
	uint8_t *p = octets_out_take(out, 8);

	if (p)
		put_be64(p, v);
}

static inline void octets_out_bytes(struct octets_out *out, const void *v, size_t n)
{
	uint8_t *p = octets_out_take(out, n);

	if (p)
		memcpy(p, v, n);
}

#endif
