/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of the commands for ports: "dev PORT ...", and keywords. */
#include "agent/cli/port/port.h"

#include <string.h>

#include "lib/suggest.h"

bool port_has_by_prio(const struct port_family *family)
{
	for (const struct port_keyword *kw = family->keywords; kw->name; kw++)
		if (kw->kind == PORT_BY_PRIO)
			return true;
	return false;
}

bool port_is_keyword(const struct port_family *family, const char *word)
{
	return port_keyword(family, word) ||
	       (port_family_is_app(family) && port_app_keyword(word)) ||
	       (port_has_by_prio(family) && strcmp(word, "prio") == 0);
}

/* Whether the word, which is no port, is nearer to a keyword than to a port. */
static bool is_misspelled(const struct edit *e, const struct port_family *family, const char *word)
{
	struct suggest keyword = {.text = word};
	uint32_t ifindex;

	if (table_rows_parse_port(&e->names.ports, word, &ifindex))
		return false;
	for (const struct port_keyword *kw = family->keywords; kw->name; kw++)
		suggest_offer(&keyword, kw->name);
	return keyword.best || strchr(word, ':');
}

bool port_fail_keyword(struct edit *e, const struct port_family *family, const char *word)
{
	struct suggest near = {.text = word};
	char hint[128], list[1024] = "";
	size_t n = 0;

	for (const struct port_keyword *kw = family->keywords; kw->name; kw++) {
		suggest_offer(&near, kw->name);
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "", kw->name);
	}
	suggest_hint(&near, hint, sizeof(hint));
	if (hint[0])
		/*
		 * Message "%s: unknown keyword "%s"; did you mean "%s"?": Use a keyword of the
		 * commands for ports, see dcbctl(8).
		 */
		return edit_fail(e, "%s: unknown keyword \"%s\"%s", family->name, word, hint);
	/* Message: as "%s: unknown keyword "%s"; did you mean "%s"?" */
	return edit_fail(e, "%s: unknown keyword \"%s\"; expected one of %s", family->name, word,
			 list);
}

static bool take_port(struct edit *e, const char *text, struct table_rows_ports *ports)
{
	uint32_t ifindex;
	char hint[64];

	if (ports->n == TABLE_ROWS_PORTS_MAX)
		/* Message: as "expected at most %u ports" */
		return edit_fail(e, "expected at most %u ports", TABLE_ROWS_PORTS_MAX);
	if (!table_rows_parse_port(&e->names.ports, text, &ifindex))
		/*
		 * Message "expected the name or ifIndex of a port of dcbd, not "%s"; did you mean
		 * "%s"?": as "expected the name or ifIndex of a port of dcbd, not "%s"; did you
		 * mean "%s"?"
		 */
		return edit_fail(e, "expected the name or ifIndex of a port of dcbd, not \"%s\"%s",
				 text,
				 target_ports_hint(&e->names.ports, text, hint, sizeof(hint)));
	ports->ifindex[ports->n++] = ifindex;
	return true;
}

static bool read_names(struct edit *e)
{
	if (!e->names.is_read)
		e->names.failed =
		    target_ports_read(e->names.client, &e->names.ports) != MO_CLIENT_OK;
	e->names.is_read = true;
	return !e->names.failed || edit_fail_client(e);
}

bool port_words_parse(struct edit *e, const struct port_family *family, int argc, char **argv,
		      struct port_words *words)
{
	bool good = true;
	int i = 0;

	*words = (struct port_words){.n = 0};
	if (!read_names(e))
		return false;
	if (argc > 0 && strcmp(argv[0], "dev") == 0) {
		/* The first word is a port, even if a keyword has this name. */
		for (i = 1; i < argc && (i == 1 || (!port_is_keyword(family, argv[i]) &&
						    !is_misspelled(e, family, argv[i])));
		     i++)
			good = take_port(e, argv[i], &words->ports) && good;
		if (i == 1)
			/* Message: Name the ports. */
			return edit_fail(e, "%s: expected a port after dev", family->name);
	}
	words->ports.names = e->names.ports; /* e owns them */
	words->n = argc - i;
	words->rest = argv + i;
	return good;
}
