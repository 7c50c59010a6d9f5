/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MIB modules as Net-SNMP's parser understands them, for check_mibs: the
 * door to that parser, and the list of what was found wrong.
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

/* Say what is wrong; the test has failed. */
void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
unsigned failures(void);
/* fail() unless both are the same; NULL is the same as "". */
void expect_text(const char *object, const char *what, const char *got, const char *want);

/*
 * Read the modules named, NULL ends the list, from a colon-separated list of
 * directories. Every complaint of the parser is a failure.
 */
void mib_load(const char *dirs, const char *const *modules);

/* A node of a module, NULL and a failure where there is none. */
const struct tree *mib_find(const char *module, const char *name);

/* "1.3.111.2" */
void mib_oid(const struct tree *node, char buf[MIB_TEXT_MAX]);
/* "read-only", "" where the node is no object. */
const char *mib_access(const struct tree *node);
bool mib_is_accessible(const struct tree *node);
/* "admin(1),auto(2)" in the order of the numbers, "" where it is no enumeration. */
void mib_enums(const struct tree *node, char buf[MIB_TEXT_MAX]);
/* "a, b, c": INDEX clause of an entry, or of the one it augments. */
void mib_index(const struct tree *entry, const char *module, char buf[MIB_TEXT_MAX]);
/*
 * The range of values, or of lengths: as declared, inherited from the textual
 * convention, or all that the type has. false: several ranges, or no number.
 */
bool mib_range(const struct tree *node, int64_t *low, int64_t *high);
/* Clauses of a REFERENCE text, "32.1.3 32.3.1"; the standard's own number is none. */
void mib_clauses(const char *reference, char buf[MIB_TEXT_MAX]);

#endif
