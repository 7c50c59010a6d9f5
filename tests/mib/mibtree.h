/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MIB modules as Net-SNMP's parser reads them, for check_mibs, and the
 * count of differences found.
 */
#ifndef DCB_TESTS_MIB_MIBTREE_H
#define DCB_TESTS_MIB_MIBTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/library/parse.h>

#define MIB_TEXT_MAX 512

/* Prints a difference and counts it. */
void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Returns the number of calls of fail(). */
unsigned failures(void);
/* Calls fail() unless both texts are equal; NULL equals "". */
void expect_text(const char *object, const char *what, const char *got, const char *want);

/*
 * Reads modules, a list that ends with NULL, from a colon-separated list of
 * directories. Calls fail() for every error or warning of the parser.
 */
void mib_load(const char *dirs, const char *const *modules);

/* Returns a node of a module; if there is none, calls fail() and returns NULL. */
const struct tree *mib_find(const char *module, const char *name);

/* Writes the node's OID, for example "1.3.111.2". */
void mib_oid(const struct tree *node, char buf[MIB_TEXT_MAX]);
/* Returns MAX-ACCESS, for example "read-only"; "" if the node is not an object. */
const char *mib_access(const struct tree *node);
bool mib_is_accessible(const struct tree *node);
/* Writes "admin(1),auto(2)", ascending; "" if the node is not an enumeration. */
void mib_enums(const struct tree *node, char buf[MIB_TEXT_MAX]);
/* Writes "a, b, c": the INDEX clause of an entry, or of the entry that it augments. */
void mib_index(const struct tree *entry, const char *module, char buf[MIB_TEXT_MAX]);
/*
 * Sets *low and *high to the range of values, or of lengths: as declared, of the
 * textual convention, or of the type. Returns false if there are several ranges,
 * or if the type is not a number.
 */
bool mib_range(const struct tree *node, int64_t *low, int64_t *high);
/* Writes the clauses in a REFERENCE text: "32.1.3; 32.3.1". "802.1Q" is not a clause. */
void mib_clauses(const char *reference, char buf[MIB_TEXT_MAX]);

#endif
