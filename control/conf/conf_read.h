/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a file in libconfig's format: dcbd.conf, a scenario, the state file.
 * Every complaint is "file:line: setting: expected ..., not ...", written to the
 * reader's err; the function then returns false, and so do those that called
 * it. Out of memory ends the program, except in conf_open_text(). For one
 * thread at a time, before anything else runs.
 */
#ifndef DCB_CONTROL_CONF_CONF_READ_H
#define DCB_CONTROL_CONF_CONF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libconfig.h>

#include "control/conf/conf_text.h"

/* path, err, errlen and whole are the caller's; the rest is all zero before conf_open(). */
struct reader {
	const char *path; /* the file's */
	char *err;        /* where a complaint goes */
	size_t errlen;
	void *whole; /* what the file is read into: for functions that need more than their base */
	struct conf_text text;
	config_t file;
};

/* --- the file ---------------------------------------------------------------- */

/* Reads and parses the file at r->path. false: r->err says why. conf_close() follows either way. */
bool conf_open(struct reader *r);
/* Parses text, which the caller has read from r->path. @include is refused. Else as conf_open(). */
bool conf_open_text(struct reader *r, const char *text);
void conf_close(struct reader *r);

static inline const config_setting_t *conf_root(const struct reader *r)
{
	return config_root_setting(&r->file);
}

/* --- complaints ------------------------------------------------------------------ */

/* The line in which a setting begins, in the file that has it. */
unsigned conf_line(const struct reader *r, const config_setting_t *s);
/* Always false, with "file:line: setting: ..." in the reader's err; of the root "file:1: ...". */
bool conf_fail(struct reader *r, const config_setting_t *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same without a setting's name, of a line of the text: "file:line: ...". */
bool conf_fail_at(struct reader *r, unsigned line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT, not VALUE" */
bool conf_expected(struct reader *r, const config_setting_t *s, const char *what);

/* --- values ------------------------------------------------------------------------ */

/* An integer min..max. false, without a complaint: it is none. */
bool conf_is_integer(const config_setting_t *s, int64_t min, int64_t max, int64_t *v);
bool conf_integer(struct reader *r, const config_setting_t *s, int64_t min, int64_t max,
		  int64_t *v);
/* An integer or a number with a point. false, without a complaint: it is none. */
bool conf_is_real(const config_setting_t *s, double *v);
/* Which of these names it is; NULL ends them. -1, without a complaint: none. */
int conf_is_one_of(const config_setting_t *s, const char *const names[]);
int conf_one_of(struct reader *r, const config_setting_t *s, const char *const names[]);
/* A string of min..max octets, as long as the file is open. NULL: a complaint. */
const char *conf_string(struct reader *r, const config_setting_t *s, int64_t min, int64_t max);
/* A list ( ... ) or an array [ ... ]. */
bool conf_is_array(const config_setting_t *s);

/*
 * Calls take for every element, until one returns false. what: the list ( ... )
 * or, for conf_each_of_array(), also the array [ ... ] that is expected.
 */
typedef bool conf_take_element(struct reader *r, const config_setting_t *e, void *base);
bool conf_each(struct reader *r, const config_setting_t *s, const char *what,
	       conf_take_element *take, void *base);
bool conf_each_of_array(struct reader *r, const config_setting_t *s, const char *what,
			conf_take_element *take, void *base);

/* --- settings as rows ------------------------------------------------------------------ */

/*
 * One row is one setting: its name, how it is taken, where it goes and what it
 * may be. min and max are of the value, or of the length of a string.
 */
struct conf_row {
	const char *name;
	bool (*take)(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base);
	size_t offset, size; /* of the field in base */
	int64_t min, max;
	const struct conf_row *members; /* of a group; a NULL name ends them */
};

/* A group of known settings, each at most once (libconfig sees to that). */
bool conf_take_group(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base);
/* An integer field of 1, 2, 4 or 8 octets. */
bool conf_take_number(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base);
bool conf_take_bool(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);
/* A struct dcb_rate, from bit/s or "2.5G"; 0 even where min is more. */
bool conf_take_rate(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);
/* A char * from malloc, which the owner of base frees. */
bool conf_take_string(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base);
/* The same of a string or an integer, for a value whose range another setting says. */
bool conf_take_text(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);
/* Six octets, from "02:00:00:00:00:01". */
bool conf_take_address(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		       void *base);

/* p; where it is NULL the program ends. */
void *conf_alloc_check(void *p);

#endif
