/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the standard's facts in tests/mib/facts with the modules that were read. */
#ifndef DCB_TESTS_MIB_FACTS_H
#define DCB_TESTS_MIB_FACTS_H

#include <stdbool.h>

/* The objects that a module must have, tables and entries included. */
struct facts_expected {
	const char *module;  /* IEEE8021-CN-MIB */
	const char *file;    /* the module's facts */
	const char *objects; /* the node above all objects */
	unsigned n_rows, n_accessible;
	unsigned n_arcs; /* nodes below it that are not in the facts */
};

/* Fails unless the module has every object of the facts and no other. */
void facts_check(const char *dir, const struct facts_expected *expected);
/* Fails if facts_check() found no object with one of the textual conventions. */
void facts_check_conventions(void);
/* Reads the textual conventions, before any facts_check(). Returns false if it cannot. */
bool facts_load_conventions(const char *dir);

#endif
