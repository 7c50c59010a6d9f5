/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/ranges.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Reads a number of digits only, and moves *text behind it. false: no number min..max. */
static bool take_number(const char **text, uint32_t min, uint32_t max, uint32_t *number)
{
	uint32_t v = 0;

	if (!isdigit((unsigned char)**text))
		return false;
	for (; isdigit((unsigned char)**text); (*text)++) {
		v = v * 10 + (uint32_t)(**text - '0');
		if (v > max)
			return false;
	}
	*number = v;
	return v >= min;
}

bool ranges_parse(const char *text, uint32_t base, uint32_t min, uint32_t max, uint8_t *octets)
{
	if (strcmp(text, "none") == 0)
		return true;
	for (;;) {
		uint32_t first, last;

		if (!take_number(&text, min, max, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!take_number(&text, first, max, &last))
				return false;
		}
		for (uint32_t n = first; n <= last; n++)
			ranges_add(octets, n - base);
		if (*text == '\0')
			return true;
		if (*text++ != ',')
			return false;
	}
}

int ranges_format(const uint8_t *octets, size_t n, uint32_t base, char *buf, size_t size)
{
	uint32_t bits = 8 * (uint32_t)n;
	int len = 0;

	for (uint32_t first = 0, last; first < bits; first = last + 1) {
		size_t used = (size_t)len < size ? (size_t)len : size;

		last = first;
		if (!ranges_has(octets, first))
			continue;
		while (last + 1 < bits && ranges_has(octets, last + 1))
			last++;
		len +=
		    snprintf(buf + used, size - used, "%s%" PRIu32, len ? "," : "", base + first);
		if (last == first)
			continue;
		used = (size_t)len < size ? (size_t)len : size;
		len += snprintf(buf + used, size - used, "-%" PRIu32, base + last);
	}
	return len ? len : snprintf(buf, size, "none");
}
