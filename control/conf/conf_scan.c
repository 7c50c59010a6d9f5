/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/conf/conf_scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "control/conf/conf_text.h"

struct name {
	const char *text; /* NULL: none */
	int octets;
	unsigned line;
};

/* A group, list or array that is open. */
struct scope {
	char open; /* the bracket; 0: the whole text */
	unsigned line;
	struct name name;
	size_t names; /* the number of settings in the groups around it */
};

struct scan {
	struct scope *scopes; /* the innermost is the last one */
	struct name *names;   /* of the settings of the open groups */
	size_t n_scopes, n_names;
	struct name last;  /* a name that can be one of a setting */
	struct name value; /* the setting whose value follows; never a value: keys are secret */
	struct conf_scan *duplicate, *unclosed;
	bool found;
};

/* Returns whether there is place for one more. Their number grows by halves of the powers of 2. */
static bool has_place(void **list, size_t n, size_t octets)
{
	void *longer;

	if (n & (n - 1) || n == 1)
		return true;
	longer = realloc(*list, (n ? 2 * n : 2) * octets);
	if (longer)
		*list = longer;
	return longer;
}

static struct scope *innermost(const struct scan *s)
{
	return &s->scopes[s->n_scopes - 1];
}

static bool push(struct scan *s, char open, unsigned line, const struct name *name)
{
	void *scopes = s->scopes;

	if (!has_place(&scopes, s->n_scopes, sizeof(*s->scopes)))
		return false;
	s->scopes = scopes;
	s->scopes[s->n_scopes++] =
	    (struct scope){.open = open, .line = line, .name = *name, .names = s->n_names};
	return true;
}

static void report_unclosed(struct scan *s, unsigned line, bool at_end)
{
	const struct scope *in = innermost(s);

	if (!s->unclosed || in->open == 0)
		return;
	*s->unclosed = (struct conf_scan){.name = in->name.text,
					  .name_octets = in->name.octets,
					  .first = in->line,
					  .line = line,
					  .open = in->open,
					  .at_end = at_end};
	s->found = true;
}

/* Adds a setting of the innermost group. false: out of memory. */
static bool add_name(struct scan *s, const struct name *name)
{
	void *names = s->names;

	for (size_t i = innermost(s)->names; s->duplicate && i < s->n_names; i++) {
		const struct name *at = &s->names[i];

		if (at->octets != name->octets ||
		    strncmp(at->text, name->text, (size_t)at->octets) != 0)
			continue;
		*s->duplicate = (struct conf_scan){.name = at->text,
						   .name_octets = at->octets,
						   .first = at->line,
						   .line = name->line};
		s->found = true;
		return true;
	}
	if (!has_place(&names, s->n_names, sizeof(*s->names)))
		return false;
	s->names = names;
	s->names[s->n_names++] = *name;
	return true;
}

static void close_scope(struct scan *s, char c, unsigned line)
{
	static const char pairs[] = "{}()[]";
	const char *pair = innermost(s)->open ? strchr(pairs, innermost(s)->open) : NULL;

	if (!pair || pair[1] != c) {
		report_unclosed(s, line, false);
		return;
	}
	s->n_names = innermost(s)->names;
	s->n_scopes--;
}

/* Takes a token. false: out of memory. */
static bool take(struct scan *s, const char *p, size_t n, unsigned line)
{
	bool in_group = innermost(s)->open == '{' || innermost(s)->open == 0;
	struct name none = {.text = NULL}, value = s->value;

	s->value = none;
	if (isalpha((unsigned char)*p) || *p == '*') {
		s->last = (struct name){.text = p, .octets = (int)n, .line = line};
		return true;
	}
	if (n == 1 && (*p == '=' || *p == ':') && in_group) {
		s->value = s->last;
		s->last = none;
		return !s->value.text || add_name(s, &s->value);
	}
	s->last = none;
	if (n == 1 && strchr("{([", *p))
		return push(s, *p, line, &value);
	if (n == 1 && strchr("})]", *p))
		close_scope(s, *p, line);
	else if (n == 1 && strchr("=:;", *p) && !in_group)
		report_unclosed(s, line, false);
	return true;
}

static bool is_blank(const char *p)
{
	return isspace((unsigned char)*p) || *p == '#' || strncmp(p, "//", 2) == 0 ||
	       strncmp(p, "/*", 2) == 0;
}

static bool scan(const char *text, struct scan *s)
{
	struct name none = {.text = NULL};
	bool ok = push(s, 0, 1, &none);
	unsigned line = 1;

	for (size_t n; ok && !s->found && *text; text += n) {
		n = conf_token_length(text);
		if (*text == '"' && (n == 1 || text[n - 1] != '"'))
			break; /* a string that is not closed has all the rest */
		if (!is_blank(text))
			ok = take(s, text, n, line);
		for (size_t i = 0; i < n; i++)
			line += text[i] == '\n';
	}
	if (ok && !s->found && !*text)
		report_unclosed(s, line, true);
	free(s->scopes);
	free(s->names);
	return ok && s->found;
}

bool conf_scan_duplicate(const char *text, struct conf_scan *found)
{
	struct scan s = {.duplicate = found};

	return scan(text, &s);
}

bool conf_scan_unclosed(const char *text, struct conf_scan *found)
{
	struct scan s = {.unclosed = found};

	return scan(text, &s);
}
