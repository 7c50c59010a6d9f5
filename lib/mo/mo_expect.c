/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mo/mo_expect.h"

#include <inttypes.h>
#include <stdio.h>

bool mo_enum_settable(const struct mo_column *col, const struct mo_enum *e)
{
	struct mo_value v = {.syntax = col->syntax, .num = e->value};

	return mo_validate(col, &v) == MO_NO_ERROR;
}

static int expected_names(const struct mo_column *col, char *buf, size_t size)
{
	int len = snprintf(buf, size, "one of");
	bool first = true;

	for (const struct mo_enum *e = col->names; e->name; e++) {
		size_t used = (size_t)len < size ? (size_t)len : size;

		if (!mo_enum_settable(col, e))
			continue;
		len += snprintf(buf + used, size - used, "%s %s", first ? "" : ",", e->name);
		first = false;
	}
	return len;
}

int mo_expected(const struct mo_column *col, char *buf, size_t size)
{
	const char *blank = col->unit[0] ? " " : "";
	const char *kind = col->syntax == MO_OCTETS ? "octets in hex" : "characters";

	if (!mo_is_writable(col))
		return snprintf(buf, size, "no value: the object is read-only");
	if (col->syntax == MO_BITS)
		return snprintf(buf, size, "none, or names of bits separated by commas: %s,...",
				col->names[0].name);
	if (col->syntax == MO_VLANS)
		return snprintf(buf, size, "none, or VLANs %" PRId64 "..%" PRId64 " as 1,10-20",
				col->min, col->max);
	if (col->names)
		return expected_names(col, buf, size);
	if (!mo_is_octets(col->syntax))
		return snprintf(buf, size, "%" PRId64 "..%" PRId64 "%s%s", col->min, col->max,
				blank, col->unit);
	if (col->min == col->max)
		return snprintf(buf, size, "%" PRId64 " %s", col->min, kind);
	return snprintf(buf, size, "%" PRId64 "..%" PRId64 " %s", col->min, col->max, kind);
}
