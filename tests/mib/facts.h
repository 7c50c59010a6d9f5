/* SPDX-License-Identifier: BSD-3-Clause */
/* The standard's facts in tests/mib/facts, held against what the parser read. */
#ifndef DCB_TESTS_MIB_FACTS_H
#define DCB_TESTS_MIB_FACTS_H

#include <stdbool.h>

/* What a module must hold, tables and entries included. */
struct facts_expected {
	const char *module;  /* IEEE8021-CN-MIB */
	const char *file;    /* its facts */
	const char *objects; /* the node that everything is below */
	unsigned n_rows, n_accessible;
	unsigned n_arcs; /* nodes below it besides */
};

/* Both directions: every fact in the module, nothing in the module that is no fact. */
void facts_check(const char *dir, const struct facts_expected *expected);
/* Was every textual convention of the facts met with on the way? */
void facts_check_conventions(void);
bool facts_load_conventions(const char *dir);

#endif
