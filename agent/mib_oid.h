/* SPDX-License-Identifier: BSD-3-Clause */
/* Object identifiers: names of instances, of subtrees, and the ends of search ranges. */
#ifndef DCB_AGENT_MIB_OID_H
#define DCB_AGENT_MIB_OID_H

#include <stdint.h>

#define MIB_OID_MAX 128 /* sub-identifiers: RFC 2578, 7.1.3 */

struct mib_oid {
	uint8_t n;
	uint32_t sub[MIB_OID_MAX];
};

/* Compares in lexicographic order: negative if a < b, 0 if equal, positive if a > b. */
static inline int mib_oid_compare(const struct mib_oid *a, const struct mib_oid *b)
{
	unsigned n = a->n < b->n ? a->n : b->n;

	for (unsigned i = 0; i < n; i++)
		if (a->sub[i] != b->sub[i])
			return a->sub[i] < b->sub[i] ? -1 : 1;
	return a->n - b->n;
}

#endif
