/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of settings dcbd.conf has, and how a mistake in one is told. */
#include "control/conf/conf_private.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- complaints ------------------------------------------------------------ */

/* "ports[1].rate": how the setting is reached from the top. */
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

bool conf_fail(struct reader *r, const config_setting_t *s, const char *fmt, ...)
{
	const char *file = config_setting_source_file(s);
	char name[256];
	va_list ap;
	int n;

	setting_path(s, name, sizeof(name));
	n = snprintf(r->err, r->errlen, "%s:%u: %s: ", file ? file : r->path,
		     config_setting_source_line(s), name);
	if (n < 0 || (size_t)n >= r->errlen)
		return false;
	va_start(ap, fmt);
	vsnprintf(r->err + n, r->errlen - (size_t)n, fmt, ap);
	va_end(ap);
	return false;
}

static void describe(const config_setting_t *s, char *buf, size_t size)
{
	switch (config_setting_type(s)) {
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		snprintf(buf, size, "%lld", config_setting_get_int64(s));
		return;
	case CONFIG_TYPE_FLOAT:
		snprintf(buf, size, "%g", config_setting_get_float(s));
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
	return conf_fail(r, s, "expected %s, not %s", what, is);
}

static bool fail_unknown(struct reader *r, const config_setting_t *s, const struct conf_row *rows)
{
	char known[256];
	size_t n = 0;

	for (; rows->name && n < sizeof(known); rows++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s", n ? ", " : "",
				      rows->name);
	return conf_fail(r, s, "unknown setting: expected one of %s", known);
}

/* --- how settings are taken ----------------------------------------------------- */

/* The configuration is read before anything runs: nothing is lost by giving up. */
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

/* Into an integer of the field's own size; the row's range fits it. */
static void store(void *field, size_t size, int64_t v)
{
	switch (size) {
	case 1:
		*(uint8_t *)field = (uint8_t)v;
		break;
	case 2:
		*(uint16_t *)field = (uint16_t)v;
		break;
	default:
		*(uint32_t *)field = (uint32_t)v;
	}
}

bool conf_take_number(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	char what[64];
	int64_t v = is_integer(s) ? config_setting_get_int64(s) : 0;

	if (!is_integer(s) || v < row->min || v > row->max) {
		snprintf(what, sizeof(what), "an integer %" PRId64 "..%" PRId64, row->min,
			 row->max);
		return conf_expected(r, s, what);
	}
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

bool conf_take_string(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	char **field = (char **)((char *)base + row->offset);
	const char *text = config_setting_get_string(s);
	int64_t len = text ? (int64_t)strlen(text) : -1;
	char what[64];

	if (len < row->min || len > row->max) {
		snprintf(what, sizeof(what), "a string of %" PRId64 "..%" PRId64 " characters",
			 row->min, row->max);
		return conf_expected(r, s, what);
	}
	free(*field);
	*field = conf_alloc_check(strdup(text));
	return true;
}

char *conf_text(const config_setting_t *s)
{
	char buf[24];

	if (config_setting_type(s) == CONFIG_TYPE_STRING)
		return conf_alloc_check(strdup(config_setting_get_string(s)));
	if (!is_integer(s))
		return NULL;
	snprintf(buf, sizeof(buf), "%lld", config_setting_get_int64(s));
	return conf_alloc_check(strdup(buf));
}

/* "2.5G" to 2500000000. Whole bit/s only, no sign, no blanks. false: no such text. */
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
	/* In the order of the rows: what is built upon comes first, wherever the file has it. */
	for (m = row->members; m->name; m++) {
		const config_setting_t *e = config_setting_get_member(s, m->name);

		if (e && !m->take(r, e, m, base))
			return false;
	}
	return true;
}
