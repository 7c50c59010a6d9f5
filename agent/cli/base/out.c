/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/base/out.h"

#include <inttypes.h>
#include <stdlib.h>

#define TABLE_COLUMNS_FIT(n) _Static_assert((n) <= OUT_COLUMNS_MAX, "raise OUT_COLUMNS_MAX")
/* No table has more columns than its highest sub-identifier. */
#define COL(tab, sub, ...) TABLE_COLUMNS_FIT(sub);
#include "mibs/all.def"

const char *out_syntax(enum mo_syntax syntax)
{
	static const char *const names[] = {
	    [MO_INTEGER32] = "Integer32",
	    [MO_UNSIGNED32] = "Unsigned32",
	    [MO_COUNTER32] = "Counter32",
	    [MO_COUNTER64] = "Counter64",
	    [MO_TIMETICKS] = "TimeTicks",
	    [MO_TRUTH] = "TruthValue",
	    [MO_ENUM] = "INTEGER",
	    [MO_ROW_STATUS] = "RowStatus",
	    [MO_OCTETS] = "OCTET STRING",
	    [MO_STRING] = "SnmpAdminString",
	    [MO_GAUGE64] = "CounterBasedGauge64",
	    [MO_BITS] = "BITS",
	    [MO_VLANS] = "OCTET STRING",
	};

	return names[syntax];
}

const char *out_access(enum mo_access access)
{
	static const char *const names[] = {
	    [MO_NA] = "not-accessible",
	    [MO_RO] = "read-only",
	    [MO_RW] = "read-write",
	    [MO_RC] = "read-create",
	};

	return names[access];
}

void out_oid(const struct mo_table *table, const struct mo_column *col, char *buf, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; i < table->oid_len && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%" PRIu32 ".", table->oid[i]);
	if (n < size)
		snprintf(buf + n, size - n, "%" PRIu32, col->subid);
}

void *out_alloc_check(void *p)
{
	if (!p) {
		/* Message: as "out of memory" */
		fputs("dcbctl: out of memory\n", stderr);
		exit(EXIT_FAILURE);
	}
	return p;
}
