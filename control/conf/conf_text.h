/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text of a configuration file as libconfig gets it, and where its lines come
 * from. libconfig 1.5 has two faults that are kept away from it here:
 *
 *  - It cuts an integer without the suffix L to its lowest 32 bits: 4294967297 is
 *    1, 0xffffffff is -1. With the suffix, a number of more than 64 bits becomes
 *    the largest, and in hexadecimal -1. An array has integers with it or without,
 *    not both. So each integer that needs the suffix and each in an array gets it,
 *    and one that does not fit 64 bits is refused.
 *  - It ends the program where an included file can be opened and not read, as a
 *    directory. So the text of an included file takes the place of its @include.
 */
#ifndef DCB_CONTROL_CONF_CONF_TEXT_H
#define DCB_CONTROL_CONF_CONF_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define CONF_INCLUDE_DEPTH 10  /* as libconfig has it */
#define CONF_INCLUDES_MAX  256 /* in one file, with those that they include */

/* From its first line on, the text is that of a file from one of the file's lines on. */
struct conf_part {
	unsigned first, line;
	char *path;
};

struct conf_text {
	char *octets;
	struct conf_part *parts; /* by first */
	size_t n_parts;
};

/*
 * The octets of the file at path, from malloc, with a zero behind them that *len
 * does not count. NULL: errno says why.
 */
char *conf_file_octets(const char *path, size_t *len);

/*
 * Makes the text that libconfig is to parse out of what the file at path says.
 * Files that it includes are found beside the one that names them; without
 * may_include it may have no @include. false: err holds "file:line: ...", be it that
 * memory is out. conf_text_free() follows in either case.
 */
bool conf_text_make(struct conf_text *text, const char *path, const char *octets, bool may_include,
		    char *err, size_t errlen);
void conf_text_free(struct conf_text *text);

/* The file and the line there of a line of the text, from 1. */
const struct conf_part *conf_text_part(const struct conf_text *text, unsigned line);
static inline unsigned conf_part_line(const struct conf_part *part, unsigned line)
{
	return part->line + (line - part->first);
}

#endif
