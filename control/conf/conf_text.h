/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rewrites a configuration file before libconfig parses it, and keeps the file and
 * line of each line of the result. This avoids three bugs of libconfig 1.5:
 *
 *  - It truncates an integer without the suffix L to 32 bits: 4294967297 becomes 1,
 *    0xffffffff becomes -1. An integer of more than 64 bits with the suffix becomes
 *    the maximum, or -1 if hexadecimal. In an array, all integers or none must have
 *    the suffix. So the suffix is added to each integer that needs it and to each in
 *    an array; an integer that does not fit in 64 bits is an error. Integers are
 *    written as decimal digits, so that only this code converts them.
 *  - It ends a string at the escape \x00, and the text at an octet 0. Both are errors.
 *  - It ends the program if an included file can be opened but not read, for example
 *    a directory. So @include is replaced by the text of the included file.
 *
 * The byte order mark at the beginning of a file in UTF-8 is left out.
 */
#ifndef DCB_CONTROL_CONF_CONF_TEXT_H
#define DCB_CONTROL_CONF_CONF_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define CONF_INCLUDE_DEPTH 10  /* as in libconfig */
#define CONF_INCLUDES_MAX  256 /* in a file and in all files that it includes */

/* A part of the text that comes from one file. It ends where the next part begins. */
struct conf_part {
	unsigned first; /* first line in the text */
	unsigned line;  /* the same line in the file */
	char *path;
};

struct conf_text {
	char *octets;
	struct conf_part *parts; /* sorted by first */
	size_t n_parts;
};

/*
 * Reads the file at path. Returns its octets, from malloc, and a terminating null that is
 * not in *len. NULL: errno says why.
 */
char *conf_file_octets(const char *path, size_t *len);

/* Returns false if an octet is 0: libconfig would ignore the rest. err: "file:line: reason". */
bool conf_text_check(const char *path, const char *octets, size_t len, char *err, size_t errlen);

/*
 * Makes the text for libconfig from the octets of the file at path. Relative paths of
 * included files start in the directory of the including file; without may_include,
 * @include is an error. false: err is "file:line: reason", also if memory runs out. The
 * caller calls conf_text_free() even after an error.
 */
bool conf_text_make(struct conf_text *text, const char *path, const char *octets, bool may_include,
		    char *err, size_t errlen);
void conf_text_free(struct conf_text *text);

/* Returns the length of the token or comment at p; 1 if it is a single character. */
size_t conf_token_length(const char *p);

/* Returns the part that has this line of the text, from 1. */
const struct conf_part *conf_text_part(const struct conf_text *text, unsigned line);
/* Converts a line of the text to the line of the part's file. */
static inline unsigned conf_part_line(const struct conf_part *part, unsigned line)
{
	return part->line + (line - part->first);
}

#endif
