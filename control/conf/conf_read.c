/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/conf/conf_read.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/conf/conf_scan.h"
#include "lib/octets.h"
#include "lib/units.h"

/* --- the file ---------------------------------------------------------------- */

/* "line 7", or "line 7 of FILE" in another file than that of the line from. Returns buf. */
static const char *line_text(const struct reader *r, unsigned line, unsigned from, char *buf,
			     size_t size)
{
	const struct conf_part *part = conf_text_part(&r->text, line);
	const struct conf_part *other = conf_text_part(&r->text, from);
	bool same = strcmp(part->path, other->path) == 0;

	snprintf(buf, size, "line %u%s%s", conf_part_line(part, line), same ? "" : " of ",
		 same ? "" : part->path);
	return buf;
}

static bool fail_duplicate(struct reader *r, unsigned line)
{
	struct conf_scan at;
	char text[320];

	if (!conf_scan_duplicate(r->text.octets, &at) || at.line > line)
		return conf_fail_at(r, line, "duplicate setting name");
	/* Message: A group has the same setting twice. Remove one of them. */
	return conf_fail_at(r, at.line, "duplicate setting \"%.*s\": %s has the first one",
			    at.name_octets < 64 ? at.name_octets : 64, at.name,
			    line_text(r, at.first, at.line, text, sizeof(text)));
}

/* Many lines can follow the bracket that is not closed before the syntax is wrong. */
static bool fail_syntax(struct reader *r, unsigned line)
{
	struct conf_scan at;
	char text[320];

	if (!conf_scan_unclosed(r->text.octets, &at) || at.line > line)
		/*
		 * Message: The text is not in the syntax of libconfig. The error can also be at the
		 * end of the line before: often a comma, a semicolon, a quote or a bracket is
		 * missing.
		 */
		return conf_fail_at(r, line, "syntax error");
	line_text(r, at.line, at.first, text, sizeof(text));
	/*
	 * Message "%s: "%c" is not closed before line %u": The bracket of this setting, in the line
	 * before the message, has no closing one where it should be.
	 */
	return conf_fail_at(r, at.first, "%.*s%s\"%c\" is not closed before %s%s",
			    at.name ? (at.name_octets < 64 ? at.name_octets : 64) : 0,
			    at.name ? at.name : "", at.name ? ": " : "", at.open,
			    at.at_end ? "the end of the file, " : "", text);
}

static bool fail_text(struct reader *r)
{
	unsigned line = (unsigned)config_error_line(&r->file);
	const char *text = config_error_text(&r->file);

	if (strcmp(text, "duplicate setting name") == 0)
		return fail_duplicate(r, line);
	if (strcmp(text, "syntax error") == 0)
		return fail_syntax(r, line);
	return conf_fail_at(r, line, "%s", text);
}

static bool parse(struct reader *r, const char *octets, bool may_include)
{
	if (!conf_text_make(&r->text, r->path, octets, may_include, r->err, r->errlen))
		return false;
	return config_read_string(&r->file, r->text.octets) == CONFIG_TRUE || fail_text(r);
}

bool conf_open(struct reader *r)
{
	size_t len;
	char *octets = conf_file_octets(r->path, &len);
	bool ok;

	config_init(&r->file);
	if (!octets) {
		/*
		 * Message: A file cannot be opened or read. If it is the configuration file or the
		 * state file, dcbd(8) does not start. Create it, or correct its path in
		 * dcbd.conf(5) or its permissions.
		 */
		snprintf(r->err, r->errlen, "%s: %s", r->path, strerror(errno));
		return false;
	}
	ok = conf_text_check(r->path, octets, len, r->err, r->errlen) && parse(r, octets, true);
	free(octets);
	return ok;
}

bool conf_open_text(struct reader *r, const char *text)
{
	config_init(&r->file);
	return parse(r, text, false);
}

void conf_close(struct reader *r)
{
	config_destroy(&r->file);
	conf_text_free(&r->text);
}

/* --- errors ---------------------------------------------------------------- */

/* Writes the path of a setting from the root: "ports[1].rate". */
static void setting_path(const config_setting_t *s, char *buf, size_t size)
{
	const config_setting_t *parent = config_setting_parent(s);
	size_t n;

	if (!parent) {
		buf[0] = '\0';
		return;
	}
	setting_path(parent, buf, size);
	n = strlen(buf);
	if (config_setting_name(s))
		snprintf(buf + n, size - n, "%s%s", n ? "." : "", config_setting_name(s));
	else
		snprintf(buf + n, size - n, "[%d]", config_setting_index(s));
}

unsigned conf_line(const struct reader *r, const config_setting_t *s)
{
	unsigned line = config_setting_source_line(s);

	return conf_part_line(conf_text_part(&r->text, line), line);
}

/* Writes the error. name: the path of the setting and ": ", or "". */
static void write_error(struct reader *r, unsigned line, const char *name, const char *fmt,
			va_list ap)
{
	const struct conf_part *part = conf_text_part(&r->text, line);
	/*
	 * Message "%s:%u: %s: %s": The file has an error in this line, at this setting. The program
	 * does not start with dcbd.conf(5) or a scenario in error, and no frame was sent. A state
	 * file is damaged at this line: the next message says what becomes of it.
	 */
	int n =
	    snprintf(r->err, r->errlen, "%s:%u: %s", part->path, conf_part_line(part, line), name);

	if (n >= 0 && (size_t)n < r->errlen)
		vsnprintf(r->err + n, r->errlen - (size_t)n, fmt, ap);
}

bool conf_fail(struct reader *r, const config_setting_t *s, const char *fmt, ...)
{
	bool is_root = config_setting_is_root(s);
	char name[256];
	va_list ap;

	setting_path(s, name, sizeof(name) - 2);
	if (!is_root)
		strcat(name, ": ");
	va_start(ap, fmt);
	write_error(r, is_root ? 1 : config_setting_source_line(s), name, fmt, ap);
	va_end(ap);
	return false;
}

bool conf_fail_at(struct reader *r, unsigned line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_error(r, line, "", fmt, ap);
	va_end(ap);
	return false;
}

/* 1.0 is "1.0", not "1", which would look like an integer. */
static void describe_real(double v, char *buf, size_t size)
{
	snprintf(buf, size, "%g", v);
	if (!strpbrk(buf, ".en"))
		strcat(buf, ".0"); /* at most seven digits are before it */
}

static void describe(const config_setting_t *s, char *buf, size_t size)
{
	switch (config_setting_type(s)) {
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		snprintf(buf, size, "%lld", config_setting_get_int64(s));
		return;
	case CONFIG_TYPE_FLOAT:
		describe_real(config_setting_get_float(s), buf, size);
		return;
	case CONFIG_TYPE_BOOL:
		snprintf(buf, size, "%s", config_setting_get_bool(s) ? "true" : "false");
		return;
	case CONFIG_TYPE_STRING:
		snprintf(buf, size, "\"%.64s\"", config_setting_get_string(s));
		return;
	case CONFIG_TYPE_GROUP:
		snprintf(buf, size, "a group");
		return;
	case CONFIG_TYPE_ARRAY:
		snprintf(buf, size, "an array");
		return;
	default:
		snprintf(buf, size, "a list");
	}
}

bool conf_expected(struct reader *r, const config_setting_t *s, const char *what)
{
	char is[80];

	describe(s, is, sizeof(is));
	/*
	 * Message: The value has the wrong type or is out of range. The message has the expected
	 * type or range, and the value in the file. Correct the value.
	 */
	return conf_fail(r, s, "expected %s, not %s", what, is);
}

static bool fail_unknown(struct reader *r, const config_setting_t *s, const struct conf_row *rows)
{
	char known[256];
	size_t n = 0;

	for (; rows->name && n < sizeof(known); rows++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s", n ? ", " : "",
				      rows->name);
	/*
	 * Message: The group has no setting of this name; the message lists those that it has. The
	 * name is misspelled, or the setting belongs to another group.
	 */
	return conf_fail(r, s, "unknown setting: expected one of %s", known);
}

/* --- values ------------------------------------------------------------------------ */

#define FEW_NAMES 6

/* libconfig, too, ends the program if memory runs out. */
void *conf_alloc_check(void *p)
{
	if (!p) {
		fputs("dcbd.conf: out of memory\n", stderr);
		abort();
	}
	return p;
}

static bool is_integer(const config_setting_t *s)
{
	int type = config_setting_type(s);

	return type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64;
}

bool conf_is_integer(const config_setting_t *s, int64_t min, int64_t max, int64_t *v)
{
	*v = config_setting_get_int64(s); /* 0 if s is not an integer */
	return is_integer(s) && *v >= min && *v <= max;
}

bool conf_integer(struct reader *r, const config_setting_t *s, int64_t min, int64_t max, int64_t *v)
{
	char what[64];

	if (conf_is_integer(s, min, max, v))
		return true;
	snprintf(what, sizeof(what), "an integer %" PRId64 "..%" PRId64, min, max);
	return conf_expected(r, s, what);
}

bool conf_is_real(const config_setting_t *s, double *v)
{
	if (is_integer(s))
		*v = (double)config_setting_get_int64(s);
	else if (config_setting_type(s) == CONFIG_TYPE_FLOAT)
		*v = config_setting_get_float(s);
	else
		return false;
	return true;
}

int conf_is_one_of(const config_setting_t *s, const char *const names[])
{
	const char *text = config_setting_get_string(s);

	for (int i = 0; text && names[i]; i++) {
		if (strcmp(text, names[i]) == 0)
			return i;
	}
	return -1;
}

/* Writes the names as: "a", "b" or "c". More than FEW_NAMES: one of a, b, c, ... */
static void describe_names(const char *const names[], char *buf, size_t size)
{
	size_t count = 0, n = 0;
	bool few;

	while (names[count])
		count++;
	few = count <= FEW_NAMES;
	for (size_t i = 0; i < count && n < size; i++) {
		const char *before = i == 0 ? (few ? "" : "one of ") : ", ";

		if (few && i > 0 && i + 1 == count)
			before = " or ";
		n += (size_t)snprintf(buf + n, size - n, few ? "%s\"%s\"" : "%s%s", before,
				      names[i]);
	}
}

int conf_one_of(struct reader *r, const config_setting_t *s, const char *const names[])
{
	int i = conf_is_one_of(s, names);
	char what[320] = "";

	if (i < 0) {
		describe_names(names, what, sizeof(what));
		conf_expected(r, s, what);
	}
	return i;
}

const char *conf_string(struct reader *r, const config_setting_t *s, int64_t min, int64_t max)
{
	const char *text = config_setting_get_string(s);
	int64_t len = text ? (int64_t)strlen(text) : -1;
	char what[64];

	if (len >= min && len <= max)
		return text;
	snprintf(what, sizeof(what), "a string of %" PRId64 "..%" PRId64 " characters", min, max);
	conf_expected(r, s, what);
	return NULL;
}

bool conf_is_array(const config_setting_t *s)
{
	return config_setting_is_array(s) || config_setting_is_list(s);
}

static bool each(struct reader *r, const config_setting_t *s, conf_take_element *take, void *base)
{
	for (int i = 0; i < config_setting_length(s); i++) {
		if (!take(r, config_setting_get_elem(s, (unsigned)i), base))
			return false;
	}
	return true;
}

bool conf_each(struct reader *r, const config_setting_t *s, const char *what,
	       conf_take_element *take, void *base)
{
	return config_setting_is_list(s) ? each(r, s, take, base) : conf_expected(r, s, what);
}

bool conf_each_of_array(struct reader *r, const config_setting_t *s, const char *what,
			conf_take_element *take, void *base)
{
	return conf_is_array(s) ? each(r, s, take, base) : conf_expected(r, s, what);
}

/* --- settings as rows ------------------------------------------------------------------ */

/* Stores an integer in a field of this many octets; the row's range fits in it. */
static void store(void *field, size_t size, int64_t v)
{
	switch (size) {
	case 1:
		*(uint8_t *)field = (uint8_t)v;
		break;
	case 2:
		*(uint16_t *)field = (uint16_t)v;
		break;
	case 8:
		*(int64_t *)field = v;
		break;
	default:
		*(uint32_t *)field = (uint32_t)v;
	}
}

bool conf_take_number(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	int64_t v;

	if (!conf_integer(r, s, row->min, row->max, &v))
		return false;
	store((char *)base + row->offset, row->size, v);
	return true;
}

bool conf_take_bool(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base)
{
	if (config_setting_type(s) != CONFIG_TYPE_BOOL)
		return conf_expected(r, s, "true or false");
	*(bool *)((char *)base + row->offset) = config_setting_get_bool(s);
	return true;
}

static void replace_text(const struct conf_row *row, void *base, const char *text)
{
	char **field = (char **)((char *)base + row->offset);

	free(*field);
	*field = conf_alloc_check(strdup(text));
}

bool conf_take_string(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	const char *text = conf_string(r, s, row->min, row->max);

	if (text)
		replace_text(row, base, text);
	return text;
}

bool conf_take_text(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base)
{
	const char *text = config_setting_get_string(s);
	char digits[24];

	if (!text && !is_integer(s))
		return conf_expected(r, s, "a string or an integer");
	snprintf(digits, sizeof(digits), "%lld", config_setting_get_int64(s));
	replace_text(row, base, text ? text : digits);
	return true;
}

/* Parses two hexadecimal digits followed by the character behind. false: other text. */
static bool parse_octet(const char *p, char behind, uint8_t *octet)
{
	static const char digits[] = "0123456789abcdef";
	unsigned v = 0;

	for (unsigned i = 0; i < 2; i++) {
		const char *digit = p[i] ? strchr(digits, tolower((unsigned char)p[i])) : NULL;

		if (!digit)
			return false;
		v = v * 16 + (unsigned)(digit - digits);
	}
	*octet = (uint8_t)v;
	return p[2] == behind;
}

bool conf_take_address(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		       void *base)
{
	const char *text = config_setting_get_string(s);
	uint8_t *octets = (uint8_t *)base + row->offset;
	bool ok = text;

	for (unsigned i = 0; ok && i < row->size; i++)
		ok = parse_octet(text + 3 * i, i + 1 < row->size ? ':' : '\0', &octets[i]);
	return ok || conf_expected(r, s, "an address such as \"02:00:00:00:00:01\"");
}

/* Parses a rate: "2.5G" is 2500000000. false: invalid, more than max, or not whole bit/s. */
static bool parse_rate(const char *text, int64_t max, int64_t *bps)
{
	static const char suffixes[] = "kMGT";
	const char *p, *suffix;
	int decimals = -1; /* -1: no point yet */
	int exponent = 0;
	int64_t v = 0;

	for (p = text; isdigit((unsigned char)*p) || (*p == '.' && decimals < 0); p++) {
		if (*p == '.') {
			decimals = 0;
			continue;
		}
		v = v * 10 + (*p - '0');
		if (v > max)
			return false;
		decimals += decimals >= 0;
	}
	if (!isdigit((unsigned char)text[0]) || !isdigit((unsigned char)p[-1]))
		return false;
	if (*p) {
		suffix = strchr(suffixes, *p);
		if (!suffix || p[1] != '\0')
			return false;
		exponent = 3 * (int)(suffix - suffixes + 1);
	}
	exponent -= decimals > 0 ? decimals : 0;
	for (int i = 0; i < exponent && v <= max; i++)
		v *= 10;
	*bps = v;
	return exponent >= 0 && v <= max;
}

bool conf_take_rate(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base)
{
	struct dcb_rate *rate = (struct dcb_rate *)((char *)base + row->offset);
	const char *text = config_setting_get_string(s);
	int64_t v = is_integer(s) ? config_setting_get_int64(s) : -1;

	if (text && !parse_rate(text, row->max, &v))
		v = -1;
	if (v != 0 && (v < row->min || v > row->max))
		return conf_expected(r, s,
				     "a rate of 1k..10T bit/s such as \"2.5G\" or 100000000, or 0");
	rate->bps = (uint64_t)v;
	return true;
}

bool conf_take_group(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base)
{
	const struct conf_row *m;

	if (!config_setting_is_group(s))
		return conf_expected(r, s, "a group { ... }");
	for (int i = 0; i < config_setting_length(s); i++) {
		const config_setting_t *e = config_setting_get_elem(s, (unsigned)i);

		for (m = row->members; m->name && strcmp(m->name, config_setting_name(e)) != 0; m++)
			;
		if (!m->name)
			return fail_unknown(r, e, row->members);
	}
	/* In the order of the rows, because a row can depend on values of earlier rows. */
	for (m = row->members; m->name; m++) {
		const config_setting_t *e = config_setting_get_member(s, m->name);

		if (e && !m->take(r, e, m, base))
			return false;
	}
	return true;
}
