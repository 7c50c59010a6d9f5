/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/base/target.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/cli/base/out.h"
#include "lib/suggest.h"

#define PAGE_ROWS 256

/* --- ports ---------------------------------------------------------------------------------- */

static struct target_port *add_port(struct target_ports *ports)
{
	if (ports->n == ports->room) {
		ports->room = ports->room ? 2 * ports->room : 64;
		ports->of = out_alloc_check(realloc(ports->of, ports->room * sizeof(*ports->of)));
	}
	return &ports->of[ports->n++];
}

static void add_page(struct target_ports *ports, const struct mo_page *page,
		     const struct mo_column *col)
{
	for (unsigned i = 0; i < page->n_rows; i++) {
		struct target_port *port = add_port(ports);
		struct mo_value value = {.len = 0};

		port->ifindex = page->rows[i].index.sub[0];
		if (!mo_page_value(page, i, col, &value))
			value.len = 0;
		snprintf(port->name, sizeof(port->name), "%.*s", value.len,
			 (const char *)value.octets);
	}
}

enum mo_client_status target_ports_read(struct mo_client *client, struct target_ports *ports)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(MO_NAME(dcbPortName), &table);
	struct mo_page page = {.n_rows = 0};
	struct mo_index from = {.n = 0};
	enum mo_client_status status;

	*ports = (struct target_ports){.n = 0};
	do {
		status = mo_client_read(client, table->id, from.n ? MO_READ_AFTER : 0, &from,
					PAGE_ROWS, &page);
		if (status != MO_CLIENT_OK || page.n_rows == 0)
			break;
		add_page(ports, &page, col);
		from = page.rows[page.n_rows - 1].index;
	} while (page.more);
	mo_page_free(&page);
	if (status != MO_CLIENT_OK)
		target_ports_free(ports);
	return status;
}

void target_ports_free(struct target_ports *ports)
{
	free(ports->of);
	*ports = (struct target_ports){.n = 0};
}

uint32_t target_ports_find(const struct target_ports *ports, const char *name)
{
	uint32_t ifindex = 0;

	for (size_t i = 0; *name && i < ports->n; i++) {
		if (strcmp(ports->of[i].name, name) != 0)
			continue;
		if (ifindex)
			return 0; /* two interfaces are being renamed */
		ifindex = ports->of[i].ifindex;
	}
	return ifindex;
}

const char *target_ports_name(const struct target_ports *ports, uint32_t ifindex)
{
	for (size_t i = 0; i < ports->n; i++)
		if (ports->of[i].ifindex == ifindex && ports->of[i].name[0])
			return ports->of[i].name;
	return NULL;
}

const char *target_ports_hint(const struct target_ports *ports, const char *text, char *buf,
			      size_t size)
{
	struct suggest near = {.text = text};

	for (size_t i = 0; i < ports->n; i++)
		if (ports->of[i].name[0] && strcmp(ports->of[i].name, text) != 0)
			suggest_offer(&near, ports->of[i].name);
	return suggest_hint(&near, buf, size);
}

/* --- tables and objects --------------------------------------------------------------------- */

static const char *const aliases[] = {
#define TABLE(id, ...) [MO_##id] = #id,
#include "mibs/all.def"
};

const char *target_alias(const struct mo_table *table)
{
	return aliases[table->id];
}

static bool is_called(const char *name, const char *text)
{
	static const char *const prefixes[] = {"", "ieee8021", "lldpXdot1dcbx"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t n = strlen(prefixes[i]);

		if (strncmp(name, prefixes[i], n) == 0 && strcasecmp(name + n, text) == 0)
			return true;
	}
	return false;
}

/* Offers a name as it can be written on the command line. */
static void offer(struct suggest *near, const char *name)
{
	static const char *const prefixes[] = {"ieee8021", "lldpXdot1dcbx"};

	suggest_offer(near, name);
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			suggest_offer(near, name + strlen(prefixes[i]));
}

/* Writes the error about a name that does not exist, with the one that was meant. */
static void unknown(const char *name, char *err, size_t errlen)
{
	struct suggest near = {.text = name};
	char hint[128];

	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);

		offer(&near, aliases[id]);
		offer(&near, t->name);
		for (unsigned i = 0; i < t->n_columns; i++)
			offer(&near, t->columns[i].name);
	}
	suggest_hint(&near, hint, sizeof(hint));
	/*
	 * Message "unknown table or object "%s"; did you mean "%s"? "dcbctl objects" lists them":
	 * as "unknown command "%s"; did you mean "%s"? "dcbctl help" lists the commands"
	 */
	snprintf(err, errlen, "unknown table or object \"%s\"%s%s \"dcbctl objects\" lists them",
		 name, hint, hint[0] ? "" : ";");
}

static bool find(const char *name, struct target *target)
{
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);

		target->table = t;
		target->col = NULL;
		if (strcmp(aliases[id], name) == 0 || is_called(t->name, name))
			return true;
		for (unsigned i = 0; i < t->n_columns; i++) {
			target->col = &t->columns[i];
			if (is_called(target->col->name, name))
				return true;
		}
	}
	return false;
}

/* --- indexes -------------------------------------------------------------------------------- */

/*
 * Returns the part of the index that sub-identifier number i belongs to; NULL:
 * the index is shorter.
 */
static const struct mo_index_part *part_at(const struct mo_table *table, unsigned i)
{
	for (unsigned p = 0, at = 0; p < table->n_index; p++) {
		at += table->index[p].octets ? table->index[p].max : 1;
		if (i < at)
			return &table->index[p];
	}
	return NULL;
}

static bool is_ifindex(const struct mo_index_part *part)
{
	size_t n = strlen(part->name);

	return n >= 7 && strcasecmp(part->name + n - 7, "ifIndex") == 0;
}

static bool parse_number(const char *text, uint32_t min, uint32_t max, uint32_t *sub)
{
	unsigned long long v;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	v = strtoull(text, &end, 10);
	*sub = (uint32_t)v;
	return *end == '\0' && v >= min && v <= max;
}

/* Sets *sub to the ifIndex of a port of dcbd with this name. */
static bool find_port(struct target_names *names, const struct mo_index_part *part,
		      const char *text, uint32_t *sub, char *err, size_t errlen)
{
	char hint[64];

	if (!names->is_read)
		names->failed = target_ports_read(names->client, &names->ports) != MO_CLIENT_OK;
	names->is_read = true;
	if (names->failed) {
		snprintf(err, errlen, "%s", mo_client_strerror(names->client));
		return false;
	}
	*sub = target_ports_find(&names->ports, text);
	/*
	 * Message "%s: expected %u..%u or the name of a port of dcbd, not "%s"; did you mean
	 * "%s"?": as "index of %s: expected 0, not "%s""
	 */
	snprintf(err, errlen, "%s: expected %u..%u or the name of a port of dcbd, not \"%s\"%s",
		 part->name, part->min, part->max, text,
		 target_ports_hint(&names->ports, text, hint, sizeof(hint)));
	return *sub != 0;
}

static bool parse_sub(const struct target *target, struct target_names *names, unsigned i,
		      const char *text, uint32_t *sub, char *err, size_t errlen)
{
	const struct mo_index_part *part = part_at(target->table, i);
	uint32_t min = 0, max = UINT8_MAX;

	if (target->table->n_index == 0 && i == 0) {
		/*
		 * Messages: The index does not fit the table. Correct it; `show` prints the indices
		 * that exist. An option after the first argument of the command is also taken as an
		 * index: move it to the front.
		 */
		snprintf(err, errlen, "index of %s: expected 0, not \"%s\"", target->table->name,
			 text);
		return parse_number(text, 0, 0, sub);
	}
	if (!part) {
		snprintf(err, errlen, "index of %s: expected at most %u numbers",
			 target->table->name, target->table->index_len);
		return false;
	}
	if (!part->octets) {
		min = part->min;
		max = part->max;
	}
	if (parse_number(text, min, max, sub))
		return true;
	if (names && is_ifindex(part))
		return find_port(names, part, text, sub, err, errlen);
	snprintf(err, errlen, "%s: expected %u..%u, not \"%s\"", part->name, min, max, text);
	return false;
}

static bool parse_index(const char *text, struct target_names *names, struct target *target,
			char *err, size_t errlen)
{
	struct mo_index *index = &target->index;

	index->n = 0;
	for (;;) {
		size_t n = strcspn(text, ".");
		char part[64];

		snprintf(part, sizeof(part), "%.*s", (int)n, text);
		if (index->n == MO_INDEX_MAX) {
			/* Message: as "index of %s: expected 0, not "%s"" */
			snprintf(err, errlen, "index of %s: expected at most %u numbers",
				 target->table->name, target->table->index_len);
			return false;
		}
		if (!parse_sub(target, names, index->n, part, &index->sub[index->n], err, errlen))
			return false;
		index->n++;
		if (text[n] == '\0')
			return true;
		text += n + 1;
	}
}

bool target_parse_names(const char *text, struct target_names *names, struct target *target,
			char *err, size_t errlen)
{
	size_t n = strcspn(text, ".");
	char name[128];

	memset(target, 0, sizeof(*target));
	snprintf(name, sizeof(name), "%.*s", (int)n, text);
	if (n >= sizeof(name) || !find(name, target)) {
		unknown(name, err, errlen);
		return false;
	}
	return text[n] == '\0' || parse_index(text + n + 1, names, target, err, errlen);
}

/* Calls parse for one text, with names if there is a client. */
static bool parse_once(bool parse(const char *, struct target_names *, struct target *, char *,
				  size_t),
		       const char *text, struct mo_client *client, struct target *target, char *err,
		       size_t errlen)
{
	struct target_names names = {.client = client};
	bool ok = parse(text, client ? &names : NULL, target, err, errlen);

	target_ports_free(&names.ports);
	return ok;
}

bool target_parse(const char *text, struct mo_client *client, struct target *target, char *err,
		  size_t errlen)
{
	return parse_once(target_parse_names, text, client, target, err, errlen);
}

bool target_parse_index(const char *text, struct mo_client *client, struct target *target,
			char *err, size_t errlen)
{
	return parse_once(parse_index, text, client, target, err, errlen);
}

bool target_has(const struct target *target, const struct mo_index *index)
{
	for (unsigned i = 0; i < target->index.n; i++) {
		if (i >= index->n || index->sub[i] != target->index.sub[i])
			return false;
	}
	return true;
}
