/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of numbers as text, "1,10-20" or "none", and as octets: bit 0x80 of the first octet
 * stands for the number base, the next lower bit for base + 1. Any thread.
 */
#ifndef DCB_LIB_RANGES_H
#define DCB_LIB_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads a set of numbers min..max in any order into the octets, which have room for all of
 * them and are zero. base <= min. Returns false if the text has another form, a number out
 * of range, or a range that ends below its start.
 */
bool ranges_parse(const char *text, uint32_t base, uint32_t min, uint32_t max, uint8_t *octets);

/* Writes the set of n octets in ascending order. Returns the length as snprintf(). */
int ranges_format(const uint8_t *octets, size_t n, uint32_t base, char *buf, size_t size);

/* Returns whether bit number n is set: the number base + n is in the set. */
static inline bool ranges_has(const uint8_t *octets, uint32_t n)
{
	return octets[n / 8] & 0x80 >> n % 8;
}

/* Adds number base + n to the set. */
static inline void ranges_add(uint8_t *octets, uint32_t n)
{
	octets[n / 8] |= (uint8_t)(0x80 >> n % 8);
}

#endif
