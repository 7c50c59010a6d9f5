/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds what libconfig reports without its place: the setting that is duplicate, and the bracket
 * that is not closed.
 */
#ifndef DCB_CONTROL_CONF_CONF_SCAN_H
#define DCB_CONTROL_CONF_CONF_SCAN_H

#include <stdbool.h>

/* Lines are those of the text, from 1. Names point into the text. */
struct conf_scan {
	const char *name; /* of the setting; NULL: an element of a list, or the whole text */
	int name_octets;
	unsigned first; /* line of the first setting with this name, or of the open bracket */
	unsigned line;  /* of the duplicate, or of what stands in the place of the bracket */
	char open;      /* the bracket */
	bool at_end;    /* the text ends in the place of the bracket */
};

/* Looks for the first setting that its group has twice. false: there is none, or out of memory. */
bool conf_scan_duplicate(const char *text, struct conf_scan *found);

/*
 * Looks for the first bracket that is not closed where another one is closed, a list or an array
 * has a setting, or the text ends. false: as above.
 */
bool conf_scan_unclosed(const char *text, struct conf_scan *found);

#endif
