/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a file in libconfig's format: dcbd.conf, a scenario, the state file. A
 * function that finds an error writes "file:line: setting: expected ..., not ..." to
 * the reader's err and returns false. If memory runs out, the program ends, except in
 * conf_open_text(). Not thread-safe.
 */
#ifndef DCB_CONTROL_CONF_CONF_READ_H
#define DCB_CONTROL_CONF_CONF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libconfig.h>

#include "control/conf/conf_text.h"

/* The caller sets path, err, errlen and whole; the rest is zero before conf_open(). */
struct reader {
	const char *path; /* of the file */
	char *err;        /* receives the error */
	size_t errlen;
	void *whole; /* the struct being filled in, for functions that need more than base */
	struct conf_text text;
	config_t file;
};

/* --- the file ---------------------------------------------------------------- */

/* Reads and parses the file at r->path. The caller calls conf_close() even after an error. */
bool conf_open(struct reader *r);
/* Like conf_open() for text that the caller has read from r->path. @include is an error. */
bool conf_open_text(struct reader *r, const char *text);
void conf_close(struct reader *r);

/* Returns the group of all settings. */
static inline const config_setting_t *conf_root(const struct reader *r)
{
	return config_root_setting(&r->file);
}

/* --- errors ---------------------------------------------------------------------- */

/* Returns the line in which a setting begins, in its file. */
unsigned conf_line(const struct reader *r, const config_setting_t *s);
/* Writes "file:line: setting: ..." to r->err; "file:1: ..." for the root. Returns false. */
bool conf_fail(struct reader *r, const config_setting_t *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Writes "file:line: ..." to r->err for a line of the text. Returns false. */
bool conf_fail_at(struct reader *r, unsigned line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* conf_fail() with the text "expected WHAT, not VALUE". */
bool conf_expected(struct reader *r, const config_setting_t *s, const char *what);

/* --- values ------------------------------------------------------------------------ */

/*
 * Each function reads the value of a setting. conf_is_...() returns false or -1 without an
 * error if the value does not fit; the other functions write the error.
 */

/* An integer min..max. */
bool conf_is_integer(const config_setting_t *s, int64_t min, int64_t max, int64_t *v);
bool conf_integer(struct reader *r, const config_setting_t *s, int64_t min, int64_t max,
		  int64_t *v);
/* An integer or a floating-point number. */
bool conf_is_real(const config_setting_t *s, double *v);
/* A string of a NULL-terminated list. Returns its position, or -1. */
int conf_is_one_of(const config_setting_t *s, const char *const names[]);
int conf_one_of(struct reader *r, const config_setting_t *s, const char *const names[]);
/* A string of min..max octets; NULL on error. Valid until conf_close(). */
const char *conf_string(struct reader *r, const config_setting_t *s, int64_t min, int64_t max);
/* Returns whether it is a list ( ... ) or an array [ ... ]. */
bool conf_is_array(const config_setting_t *s);

/*
 * Calls take for each element of a list ( ... ) or, conf_each_of_array(), of an array
 * [ ... ], until a call returns false. what: describes the expected list in an error.
 */
typedef bool conf_take_element(struct reader *r, const config_setting_t *e, void *base);
bool conf_each(struct reader *r, const config_setting_t *s, const char *what,
	       conf_take_element *take, void *base);
bool conf_each_of_array(struct reader *r, const config_setting_t *s, const char *what,
			conf_take_element *take, void *base);

/* --- settings as rows ------------------------------------------------------------------ */

/*
 * One row describes one setting: its name, the function that reads it, the field that
 * takes its value, and the range: of a number, or of the length of a string in octets.
 */
struct conf_row {
	const char *name;
	bool (*take)(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base);
	size_t offset, size; /* of the field in base */
	int64_t min, max;
	const struct conf_row *members; /* of a group; a NULL name ends them */
};

/*
 * Functions for conf_row.take. Each reads s into the row's field in base and returns
 * false after an error.
 */

/* A group with the row's members, each optional. libconfig refuses duplicates. */
bool conf_take_group(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base);
/* An integer field of 1, 2, 4 or 8 octets. */
bool conf_take_number(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base);
bool conf_take_bool(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);
/* A struct dcb_rate from bit/s or "2.5G", in the row's range or 0. */
bool conf_take_rate(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);
/* A char *, to be freed by the owner of base. */
bool conf_take_string(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base);
/* The same from a string or an integer, without a range. */
bool conf_take_text(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);
/* A MAC address from "02:00:00:00:00:01". */
bool conf_take_address(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		       void *base);

/* Returns p. If p is NULL, ends the program with the message "out of memory". */
void *conf_alloc_check(void *p);

#endif
