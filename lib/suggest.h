/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The name that a misspelled one was meant to be: of the names offered, the one with the fewest
 * letters inserted, deleted, replaced or exchanged with the next one. Upper and lower case are
 * equal.
 */
#ifndef DCB_LIB_SUGGEST_H
#define DCB_LIB_SUGGEST_H

#include <stddef.h>

struct suggest {
	const char *text; /* the misspelled name; set by the caller, the rest is zero */
	const char *best; /* NULL: none is near */
	unsigned distance;
};

/*
 * Offers a name, which has to stay valid. It is near if at most one letter differs, and one more
 * for each four letters of text. Of names equally near the first one is kept.
 */
void suggest_offer(struct suggest *n, const char *name);

/* Writes "; did you mean \"NAME\"?", or "" if no name is near. Returns buf. */
const char *suggest_hint(const struct suggest *n, char *buf, size_t size);

#endif
