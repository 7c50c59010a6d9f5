/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The terminal that standard output is: its width, and text that is folded to it.
 *
 * Choice: a pipe or file gets everything, unfolded, because programs read it; only a terminal has
 * a width. JSON is not folded either, so that it can be copied. -w is for people who scroll.
 */
#ifndef DCB_AGENT_CLI_BASE_TERM_H
#define DCB_AGENT_CLI_BASE_TERM_H

#include <stdio.h>

/* Output from now on fits the terminal fd. fd -1, as at the start, or no terminal: no limit. */
void term_limit(int fd);
/*
 * Returns the columns of the terminal, read again at each call, because windows change: from the
 * kernel, else the environment variable COLUMNS, else 80. 0: no limit.
 */
unsigned term_width(void);

/*
 * Returns a stream that writes lines to f, which stays the caller's, and folds those that are wider
 * than term_width(): at a blank if there is one, with the continuation indented. fclose() it.
 * Exits if out of memory.
 */
FILE *term_folded(FILE *f);

/* Number of characters of UTF-8 text: its octets that begin a character. */
size_t term_characters(const char *text);

#endif
