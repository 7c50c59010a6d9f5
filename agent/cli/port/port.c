/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl pfc|ets|app|apptrust|rewr|ecn|cn|cp|rp|headroom|watchdog|storms|counters show|set. */
#include "agent/cli/port/port.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/suggest.h"

/* --- set ------------------------------------------------------------------------------------- */

enum action { SET, ADD, DEL };

/* The words of one set, on the way through them. */
struct setting {
	struct edit *e;
	const struct port_family *family;
	const struct port_words *words;
	int at;
	unsigned prios; /* bit mask of the last prio; 0: none yet */
	enum action action;
	struct port_rows rows; /* ADD, DEL: what dcbd has, of the table of all keywords */
};

static bool more(const struct setting *s)
{
	return s->at < s->words->n;
}

static const char *word(const struct setting *s)
{
	return s->words->rest[s->at];
}

/*
 * ADD and DEL: compares with the value that a command before it in the file assigns, else with that
 * in dcbd. DEL: sets *value to none.
 */
static bool check_present(struct setting *s, const struct port_keyword *kw,
			  const struct mo_index *index, uint32_t ifindex, unsigned priority,
			  const char *what, struct mo_value *value)
{
	const struct mo_table *table;
	const struct mo_column *col = port_keyword_column(kw, &table);
	const struct mo_value *now = edit_assigned(s->e, table, col, index);
	int64_t is;
	char text[64];

	if (!now)
		now = port_rows_value(&s->rows, col, ifindex, priority);
	is = now ? now->num : -1;
	if (s->action == DEL) {
		if (is < 0 || is != value->num)
			/* Message: `del` needs the value that is set. `rewr show` prints it. */
			return edit_fail(s->e, "%s: it is not set", what);
		value->num = -1;
	}
	if (s->action == ADD && is >= 0 && is != value->num) {
		port_keyword_format(kw, now, s->e->cli->numeric, text, sizeof(text));
		/* Message: `add` does not change a value. Use `replace`. */
		return edit_fail(s->e, "%s: it has %s: use replace", what, text);
	}
	return true;
}

/* Adds the value for all ports of the command. priority: PORT_PRIORITIES for a value of the port.
 */
static void add_value(struct setting *s, const struct port_keyword *kw, unsigned priority,
		      const char *text, const struct mo_value *value)
{
	const struct mo_table *table;
	const struct mo_column *col = port_keyword_column(kw, &table);

	for (unsigned i = 0; i < s->words->ports.n; i++) {
		uint32_t ifindex = s->words->ports.ifindex[i];
		char name[TABLE_ROWS_PORT_OCTETS], what[128];
		struct mo_value change = *value;
		struct mo_index index;

		mo_index_make(
		    table,
		    &(struct mo_index_of){s->e->component, ifindex, s->e->destination, priority},
		    &index);
		table_rows_port_name(&s->words->ports, ifindex, name);
		if (priority == PORT_PRIORITIES)
			snprintf(what, sizeof(what), "%s: %s", name, kw->name);
		else
			snprintf(what, sizeof(what), "%s: %s %u", name, kw->name, priority);
		if (s->action == SET ||
		    check_present(s, kw, &index, ifindex, priority, what, &change))
			edit_add(s->e, table, col, &index, &change, what, text);
	}
}

static bool parse_value(struct setting *s, const struct port_keyword *kw, const char *text,
			struct mo_value *value)
{
	char expected[512];

	/* Message: Use a value as expected. */
	return port_keyword_parse(kw, text, value, expected, sizeof(expected)) ||
	       edit_fail(s->e, "%s %s: expected %s, not \"%s\"", s->family->name, kw->name,
			 expected, text);
}

/* Parses "3" or "all" to a mask. Returns 0 for anything else. */
static unsigned parse_key(const char *text, size_t len)
{
	if (len == 3 && memcmp(text, "all", 3) == 0)
		return (1u << PORT_PRIORITIES) - 1;
	return len == 1 && text[0] >= '0' && text[0] <= '7' ? 1u << (text[0] - '0') : 0;
}

unsigned port_parse_priorities(const char *text)
{
	unsigned mask = 0, key;

	for (;; text++) {
		size_t len = strcspn(text, ",");

		key = parse_key(text, len);
		mask |= key;
		text += len;
		if (!key || !*text)
			return key ? mask : 0;
	}
}

/* KEY:VALUE ...: a later one replaces an earlier one. */
static void set_map(struct setting *s, const struct port_keyword *kw)
{
	struct mo_value values[PORT_PRIORITIES];
	const char *texts[PORT_PRIORITIES] = {NULL};
	int first = s->at;

	for (; more(s) && strchr(word(s), ':'); s->at++) {
		const char *text = strchr(word(s), ':') + 1;
		unsigned keys = parse_key(word(s), (size_t)(text - 1 - word(s)));
		struct mo_value value;

		if (!keys)
			/* Messages: as "%s %s: expected %s, not "%s"" */
			edit_fail(s->e, "%s %s: expected 0..7 or all before \":\", not \"%s\"",
				  s->family->name, kw->name, word(s));
		if (!parse_value(s, kw, text, &value))
			continue;
		for (unsigned p = 0; p < PORT_PRIORITIES; p++) {
			if (!(keys >> p & 1))
				continue;
			values[p] = value;
			texts[p] = text;
		}
	}
	if (s->at == first)
		edit_fail(s->e, "%s %s: expected 0..7 or all, \":\" and a value", s->family->name,
			  kw->name);
	for (unsigned p = 0; p < PORT_PRIORITIES; p++)
		if (texts[p])
			add_value(s, kw, p, texts[p], &values[p]);
}

/* The words before the next keyword, as one text. */
static void join_words(struct setting *s, char *buf, size_t size)
{
	size_t n = 0;

	for (; more(s) && !port_is_keyword(s->family, word(s)) && n < size; s->at++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " " : "", word(s));
}

/* One value, for the port or for the priorities named before. */
static void set_one(struct setting *s, const struct port_keyword *kw)
{
	struct mo_value value;
	char list[128];
	const char *text;

	if (!more(s) || port_is_keyword(s->family, word(s))) {
		/* Message: as "%s %s: expected a keyword and its value" */
		edit_fail(s->e, "%s %s: expected a value", s->family->name, kw->name);
		return;
	}
	text = word(s);
	if (kw->kind == PORT_LIST) {
		join_words(s, list, sizeof(list));
		text = list;
	} else {
		s->at++;
	}
	if (kw->kind == PORT_BY_PRIO && !s->prios)
		/* Message: Add the priorities: `prio 3 set-point 26000`. */
		edit_fail(s->e, "%s %s: expected \"prio\" and its priorities before it",
			  s->family->name, kw->name);
	if (!parse_value(s, kw, text, &value))
		return;
	if (kw->kind != PORT_BY_PRIO) {
		add_value(s, kw, PORT_PRIORITIES, text, &value);
		return;
	}
	for (unsigned p = 0; p < PORT_PRIORITIES; p++)
		if (s->prios >> p & 1)
			add_value(s, kw, p, text, &value);
}

static void set_prio(struct setting *s)
{
	unsigned prios = more(s) ? port_parse_priorities(word(s)) : 0;

	if (!prios)
		/* Message: as "%s %s: expected %s, not "%s"" */
		edit_fail(s->e, "%s prio: expected priorities 0..7, such as 3 or 3,5, or all%s%s%s",
			  s->family->name, more(s) ? ", not \"" : "", more(s) ? word(s) : "",
			  more(s) ? "\"" : "");
	/* After an error, what follows is checked with any priority. */
	s->prios = prios ? prios : 1;
	s->at += more(s);
}

static void set_keyword(struct setting *s)
{
	const struct port_keyword *kw = port_keyword(s->family, word(s));
	const struct mo_table *table;

	if (port_has_by_prio(s->family) && strcmp(word(s), "prio") == 0) {
		s->at++;
		set_prio(s);
		return;
	}
	if (!kw) {
		port_fail_keyword(s->e, s->family, word(s));
		do
			s->at++;
		while (more(s) && !port_is_keyword(s->family, word(s)));
		return;
	}
	s->at++;
	if (!mo_is_writable(port_keyword_column(kw, &table))) {
		/* Message: The keyword can be shown only. */
		edit_fail(s->e, "%s %s: it is read-only", s->family->name, kw->name);
		while (more(s) && !port_is_keyword(s->family, word(s)))
			s->at++;
		return;
	}
	(kw->kind == PORT_MAP ? set_map : set_one)(s, kw);
}

static bool set_words(struct edit *e, const struct port_family *family, const char *verb,
		      enum action action, int argc, char **argv)
{
	unsigned before = e->errors;
	struct port_words words;
	struct setting s = {.e = e, .family = family, .words = &words, .action = action};
	const struct mo_table *table;

	if (argc == 0 || strcmp(argv[0], "dev") != 0)
		/* Message: as "%s: expected a port after dev" */
		return edit_fail(e, "%s %s: expected dev and a port", family->name, verb);
	port_words_parse(e, family, argc, argv, &words);
	if (e->names.failed || !edit_system(e))
		return false;
	if (e->errors == before && words.n == 0)
		/* Message: Add the missing words. */
		return edit_fail(e, "%s %s: expected a keyword and its value", family->name, verb);
	if (action != SET) {
		port_keyword_column(&family->keywords[0], &table);
		if (!port_rows_read(e->cli, table, &s.rows)) {
			e->errors += e->errors == before;
			return false;
		}
	}
	while (more(&s))
		set_keyword(&s);
	port_rows_free(&s.rows);
	return e->errors == before;
}

bool port_set(struct edit *e, const struct port_family *family, int argc, char **argv)
{
	return set_words(e, family, "set", SET, argc, argv);
}

/* Sets all values of the keywords named, or of all if none is, to none. */
static bool flush(struct edit *e, const struct port_family *family, int argc, char **argv)
{
	unsigned before = e->errors;
	struct port_words words;
	struct setting s = {.e = e, .family = family, .words = &words, .action = SET};
	const struct mo_value none = {.syntax = MO_INTEGER32, .num = -1};

	if (argc == 0 || strcmp(argv[0], "dev") != 0)
		/* Message: as "%s: expected a port after dev" */
		return edit_fail(e, "%s flush: expected dev and a port", family->name);
	port_words_parse(e, family, argc, argv, &words);
	if (e->names.failed || !edit_system(e))
		return false;
	for (int i = 0; i < words.n; i++)
		if (!port_keyword(family, words.rest[i]))
			port_fail_keyword(e, family, words.rest[i]);
	for (const struct port_keyword *kw = family->keywords; kw->name; kw++) {
		bool named = words.n == 0;

		for (int i = 0; i < words.n; i++)
			named = named || strcmp(words.rest[i], kw->name) == 0;
		for (unsigned p = 0; named && p < PORT_PRIORITIES; p++)
			add_value(&s, kw, p, "none", &none);
	}
	return e->errors == before;
}

/* add|del|replace|flush of a family whose maps can have no value. */
static bool edit_map(struct edit *e, const struct port_family *family, const char *verb, int argc,
		     char **argv)
{
	if (strcmp(verb, "flush") == 0)
		return flush(e, family, argc, argv);
	return set_words(e, family, verb,
			 strcmp(verb, "add") == 0   ? ADD
			 : strcmp(verb, "del") == 0 ? DEL
						    : SET,
			 argc, argv);
}

/* --- the commands ---------------------------------------------------------------------------- */

static bool run_edit(struct edit *e, const struct port_family *family, int argc, char **argv)
{
	if (strcmp(argv[0], "set") == 0)
		return port_set(e, family, argc - 1, argv + 1);
	if (port_family_is_rewr(family))
		return edit_map(e, family, argv[0], argc - 1, argv + 1);
	return port_app_edit(e, argv[0], argc - 1, argv + 1);
}

/* Whether the family has add, del, replace and flush. */
static bool has_entries(const struct port_family *family)
{
	return port_family_is_app(family) || port_family_is_rewr(family);
}

static bool is_edit(const struct port_family *family, const char *word)
{
	static const char *const actions[] = {"add", "del", "replace", "flush"};

	for (size_t i = 0; has_entries(family) && i < sizeof(actions) / sizeof(actions[0]); i++)
		if (strcmp(actions[i], word) == 0)
			return true;
	return strcmp(word, "set") == 0;
}

bool edit_port(struct edit *e, int argc, char **argv)
{
	const struct port_family *family = port_family(argv[0]);

	if (argc < 2 || !is_edit(family, argv[1]))
		/*
		 * Message: The line of a file of commands is none that sets something. Correct it,
		 * or remove it.
		 */
		return edit_fail(e, "%s: expected set%s", family->name,
				 has_entries(family) ? ", add, del, replace or flush" : "");
	return run_edit(e, family, argc - 1, argv + 1);
}

int cmd_port(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	const struct port_family *family = port_family(self->name);
	struct edit e;
	int rc = CLI_FAILED;

	if (argc == 0)
		return cli_usage(self);
	if (strcmp(argv[0], "show") == 0)
		return port_show(cli, family, argc - 1, argv + 1);
	if (!is_edit(family, argv[0])) {
		/* Message: Use one of these words after the command. */
		cli_fail("%s: expected show%s, not \"%s\"", family->name,
			 has_entries(family) ? ", set, add, del, replace or flush" : " or set",
			 argv[0]);
		return CLI_USAGE;
	}
	if (!edit_open(&e, cli))
		return CLI_FAILED;
	if (run_edit(&e, family, argc, argv))
		rc = edit_commit(&e);
	if (rc == CLI_OK && cli->json)
		edit_print(&e);
	edit_close(&e);
	return rc;
}
