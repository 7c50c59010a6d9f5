/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/conf/conf_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS "\t "
#define DIGITS "0123456789"
#define HEX    DIGITS "abcdefABCDEF"
#define NAME   DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_*"

/* The text for libconfig while it is written. */
struct writer {
	struct conf_text *text;
	FILE *out;
	unsigned line;     /* current line of the text, from 1 */
	bool at_start;     /* the current line has only blanks so far */
	unsigned includes; /* number of @include so far */
	bool in_array;     /* between [ and ] */
	bool may_include;
	char *err;
	size_t errlen;
};

/* A file that is copied into the text. */
struct source {
	const char *path, *at;
	unsigned line, depth;
};

static bool fail(struct writer *w, const struct source *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(struct writer *w, const struct source *s, const char *fmt, ...)
{
	int n = snprintf(w->err, w->errlen, "%s:%u: ", s->path, s->line);
	va_list ap;

	va_start(ap, fmt);
	if (n >= 0 && (size_t)n < w->errlen)
		vsnprintf(w->err + n, w->errlen - (size_t)n, fmt, ap);
	va_end(ap);
	return false;
}

/* Begins a part of the text: the source from its current line on. */
static bool begin_part(struct writer *w, const struct source *s)
{
	struct conf_text *t = w->text;
	struct conf_part *parts = realloc(t->parts, (t->n_parts + 1) * sizeof(*parts));
	struct conf_part *part;

	if (!parts)
		return fail(w, s, "out of memory");
	t->parts = parts;
	part = &parts[t->n_parts];
	part->first = w->line;
	part->line = s->line;
	part->path = strdup(s->path);
	if (!part->path)
		return fail(w, s, "out of memory");
	t->n_parts++;
	return true;
}

static void put(struct writer *w, const char *octets, size_t n)
{
	fwrite(octets, 1, n, w->out);
	for (size_t i = 0; i < n; i++) {
		w->line += octets[i] == '\n';
		w->at_start = octets[i] == '\n' || (w->at_start && strchr(BLANKS, octets[i]));
	}
}

static void skip(struct source *s, size_t n)
{
	for (; n > 0; n--, s->at++)
		s->line += *s->at == '\n';
}

static void copy(struct writer *w, struct source *s, size_t n)
{
	put(w, s->at, n);
	skip(s, n);
}

/* --- libconfig's tokens ---------------------------------------------------------- */

/* Returns the length of a string with its quotes; without a closing quote, of all the rest. */
static size_t string_length(const char *p)
{
	size_t n = 1;

	while (p[n] && p[n] != '"')
		n += p[n] == '\\' && p[n + 1] ? 2 : 1;
	return n + (p[n] == '"');
}

/*
 * strspn() without a look at the rest of the file: AddressSanitizer, told to check strings, reads
 * all of it in each call.
 */
static size_t span(const char *p, const char *octets)
{
	size_t n = 0;

	while (p[n] && strchr(octets, p[n]))
		n++;
	return n;
}

/* Returns the length of the comment at p; 0: no comment. */
static size_t comment_length(const char *p)
{
	const char *end;

	if (p[0] == '#' || strncmp(p, "//", 2) == 0)
		return strcspn(p, "\n");
	if (strncmp(p, "/*", 2) != 0)
		return 0;
	end = strstr(p + 2, "*/");
	return end ? (size_t)(end + 2 - p) : strlen(p);
}

static bool is_hex(const char *p)
{
	return p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && p[2] && strchr(HEX, p[2]);
}

/* Returns the length of the integer at p without a suffix; 0: no integer. */
static size_t integer_length(const char *p)
{
	size_t sign = *p == '+' || *p == '-';
	size_t digits = span(p + sign, DIGITS);

	if (is_hex(p))
		return 2 + span(p + 2, HEX);
	return digits ? sign + digits : 0;
}

/* Returns the length of the number with a point or exponent at p; 0: no such number. */
static size_t real_length(const char *p)
{
	size_t n = (*p == '+' || *p == '-');
	size_t digits = span(p + n, DIGITS);
	size_t exponent;
	bool point;

	n += digits;
	point = p[n] == '.';
	if (point)
		n += 1 + span(p + n + 1, DIGITS);
	if (!point && digits == 0)
		return 0;
	if (p[n] == 'e' || p[n] == 'E') {
		exponent = p[n + 1] == '+' || p[n + 1] == '-' ? 2 : 1;
		digits = span(p + n + exponent, DIGITS);
		if (digits)
			return n + exponent + digits;
	}
	return point ? n : 0;
}

size_t conf_token_length(const char *p)
{
	size_t n = *p == '"' ? string_length(p) : comment_length(p);

	if (n == 0 && !strchr(DIGITS "-_", *p))
		n = span(p, NAME);
	if (n == 0)
		n = real_length(p);
	return n ? n : 1;
}

/* --- integers ---------------------------------------------------------------------- */

/* Returns false if the integer does not fit in int64_t. */
static bool parse_integer(const char *p, int64_t *v)
{
	unsigned long long hex;

	errno = 0;
	if (!is_hex(p)) {
		*v = strtoll(p, NULL, 10);
		return errno == 0;
	}
	hex = strtoull(p, NULL, 16);
	*v = (int64_t)hex;
	return errno == 0 && hex <= INT64_MAX;
}

/*
 * Copies an integer of n octets as its sign and decimal digits, without leading zeros, and
 * adds the suffix L if needed.
 */
static bool copy_integer(struct writer *w, struct source *s, size_t n)
{
	bool has_sign = *s->at == '+' || *s->at == '-';
	char digits[24];
	int64_t v;
	int len;

	if (!parse_integer(s->at, &v))
		/* Message: Write a smaller number. */
		return fail(w, s, "expected an integer of at most 64 bits, not %.*s",
			    n < 64 ? (int)n : 64, s->at);
	if (has_sign) /* also of -0 and +1: in "9+1" it ends the integer before it */
		put(w, s->at, 1);
	len = snprintf(digits, sizeof(digits), "%" PRIu64, v < 0 ? -(uint64_t)v : (uint64_t)v);
	put(w, digits, (size_t)len);
	skip(s, n);
	if (*s->at == 'L')
		copy(w, s, span(s->at, "L"));
	else if (w->in_array || v < INT32_MIN || v > INT32_MAX)
		put(w, "L", 1); /* all integers of an array have one type */
	if (*s->at == '.' || isalnum((unsigned char)*s->at))
		put(w, " ", 1); /* "0xf.9" is no real, and "00x9" is no hexadecimal integer */
	return true;
}

/* --- included files ------------------------------------------------------------------ */

/* Returns the length of @include up to and with the opening quote; 0: no @include. */
static size_t include_length(const char *p)
{
	static const char word[] = "@include";
	size_t n = strlen(word), blanks;

	if (strncmp(p, word, n) != 0)
		return 0;
	blanks = span(p + n, BLANKS);
	return blanks && p[n + blanks] == '"' ? n + blanks + 1 : 0;
}

/*
 * Returns the path of an included file, from malloc; NULL: out of memory. p: the n octets
 * between the quotes. A relative path starts in the directory of the source.
 */
static char *included_path(const struct source *s, const char *p, size_t n)
{
	const char *slash = strrchr(s->path, '/');
	int dir = *p != '/' && slash ? (int)(slash + 1 - s->path) : 0;
	char *path = malloc((size_t)dir + n + 1), *to;

	if (!path)
		return NULL;
	to = path + dir;
	memcpy(path, s->path, (size_t)dir);
	for (size_t i = 0; i < n; i++) {
		i += p[i] == '\\' && i + 1 < n;
		*to++ = p[i];
	}
	*to = '\0';
	return path;
}

static bool copy_source(struct writer *w, struct source *s);

static bool copy_file(struct writer *w, const struct source *from, const char *path)
{
	struct source s = {.path = path, .line = 1, .depth = from->depth + 1};
	size_t len;
	char *octets;
	bool ok;

	if (s.depth > CONF_INCLUDE_DEPTH)
		/*
		 * Messages: Files include each other in a loop, or the file has too many `@include`
		 * lines. Remove some of them.
		 */
		return fail(w, from, "expected at most %d levels of @include", CONF_INCLUDE_DEPTH);
	if (++w->includes > CONF_INCLUDES_MAX)
		return fail(w, from, "expected at most %d times @include", CONF_INCLUDES_MAX);
	octets = conf_file_octets(path, &len);
	if (!octets)
		/*
		 * Message: The included file does not exist or is not readable for the reason at
		 * the end. Correct the path or the permissions.
		 */
		return fail(w, from, "cannot open include file \"%s\": %s", path, strerror(errno));
	s.at = octets;
	ok = conf_text_check(path, octets, len, w->err, w->errlen) && copy_source(w, &s);
	free(octets);
	return ok;
}

/* Copies the included file in the place of @include. n: include_length(). */
static bool copy_include(struct writer *w, struct source *s, size_t n)
{
	size_t name = string_length(s->at + n - 1) - 1; /* with the quote at its end */
	char *path;
	bool ok;

	if (!w->may_include)
		return fail(w, s, "expected no @include");
	if (name == 0 || s->at[n + name - 1] != '"')
		/* Message: The closing quote after the file name is missing. Add it. */
		return fail(w, s, "expected @include \"FILE\"");
	path = included_path(s, s->at + n, name - 1);
	if (!path)
		return fail(w, s, "out of memory");
	ok = copy_file(w, s, path);
	free(path);
	skip(s, n + name);
	if (!w->at_start)
		put(w, "\n", 1); /* each line of the text is from one file */
	return ok && begin_part(w, s);
}

/* --- files ------------------------------------------------------------------------------- */

/* Returns whether a string of n octets, with its quotes, has the escape of an octet 0. */
static bool has_null(const char *p, size_t n)
{
	for (size_t i = 0; i + 4 <= n; i++) {
		if (p[i] != '\\')
			continue;
		if ((p[i + 1] == 'x' || p[i + 1] == 'X') && p[i + 2] == '0' && p[i + 3] == '0')
			return true;
		i++;
	}
	return false;
}

static bool copy_token(struct writer *w, struct source *s)
{
	size_t n = conf_token_length(s->at);

	if (*s->at == '"' && has_null(s->at, n))
		/* Message: The string would end at this escape. Remove it. */
		return fail(w, s, "expected a string without \\x00");
	if (*s->at == '[' || *s->at == ']')
		w->in_array = *s->at == '[';
	copy(w, s, n);
	return true;
}

static bool copy_source(struct writer *w, struct source *s)
{
	static const char mark[] = "\xEF\xBB\xBF"; /* of UTF-8, which some editors write */
	bool ok = begin_part(w, s);

	if (strncmp(s->at, mark, strlen(mark)) == 0)
		s->at += strlen(mark);
	while (ok && *s->at) {
		size_t include = w->at_start ? include_length(s->at) : 0;
		size_t integer = real_length(s->at) ? 0 : integer_length(s->at);

		if (include)
			ok = copy_include(w, s, include);
		else if (integer)
			ok = copy_integer(w, s, integer);
		else
			ok = copy_token(w, s);
	}
	return ok;
}

char *conf_file_octets(const char *path, size_t *len)
{
	FILE *in = fopen(path, "re"), *out;
	char *octets = NULL, part[4096];
	int error = 0;
	size_t n;

	if (!in)
		return NULL;
	out = open_memstream(&octets, len);
	if (!out) {
		error = errno;
		fclose(in);
		errno = error;
		return NULL;
	}
	errno = 0;
	while ((n = fread(part, 1, sizeof(part), in)) > 0)
		fwrite(part, 1, n, out);
	if (ferror(in) || ferror(out))
		error = errno ? errno : EIO;
	fclose(in);
	if (fclose(out) != 0 && error == 0)
		error = ENOMEM;
	if (error) {
		free(octets);
		octets = NULL;
		errno = error;
	}
	return octets;
}

bool conf_text_check(const char *path, const char *octets, size_t len, char *err, size_t errlen)
{
	size_t n = strlen(octets);
	unsigned line = 1;

	for (size_t i = 0; i < n; i++)
		line += octets[i] == '\n';
	if (n < len)
		/* Message: The file is damaged from this line on, or it is not a text file. */
		snprintf(err, errlen, "%s:%u: expected text, not an octet 0", path, line);
	return n == len;
}

bool conf_text_make(struct conf_text *text, const char *path, const char *octets, bool may_include,
		    char *err, size_t errlen)
{
	struct source s = {.path = path, .at = octets, .line = 1};
	struct writer w = {.text = text,
			   .line = 1,
			   .at_start = true,
			   .may_include = may_include,
			   .err = err,
			   .errlen = errlen};
	bool ok, out_ok;
	size_t len;

	*text = (struct conf_text){0};
	w.out = open_memstream(&text->octets, &len);
	if (!w.out)
		return fail(&w, &s, "out of memory");
	ok = copy_source(&w, &s);
	/* A memory stream fails only if memory runs out. */
	out_ok = !ferror(w.out);
	out_ok = fclose(w.out) == 0 && out_ok;
	return out_ok ? ok : fail(&w, &s, "out of memory");
}

void conf_text_free(struct conf_text *text)
{
	for (size_t i = 0; i < text->n_parts; i++)
		free(text->parts[i].path);
	free(text->parts);
	free(text->octets);
	*text = (struct conf_text){0};
}

const struct conf_part *conf_text_part(const struct conf_text *text, unsigned line)
{
	size_t n = text->n_parts;

	while (n > 1 && text->parts[n - 1].first > line)
		n--;
	return &text->parts[n - 1];
}
