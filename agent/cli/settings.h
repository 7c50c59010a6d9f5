/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of dcbd, or of a batch file, as a list. */
#ifndef DCB_AGENT_CLI_SETTINGS_H
#define DCB_AGENT_CLI_SETTINGS_H

#include <stdio.h>

#include "agent/cli/base/names.h"

struct setting {
	const struct mo_table *table;
	const struct mo_column *col;
	struct mo_index index;
	struct mo_value value; /* of a RowStatus: createAndGo or createAndWait */
	bool is_default;       /* the initial value, of the profile if it depends on that */
	size_t number;         /* in the order of settings_add(), which sets it */
};

/* Ascending by table, index and object, a RowStatus before the other objects of its row. */
struct settings {
	size_t n, room, added;
	struct setting *of;
};

/* Adds a copy. The list is no longer sorted. */
void settings_add(struct settings *s, const struct setting *setting);
/* Sorts. Of several settings of one object only the last one added stays. */
void settings_sort(struct settings *s);
/* Returns the setting of this object in a sorted list; NULL: there is none. */
const struct setting *settings_find(const struct settings *s, const struct setting *like);
bool settings_equal(const struct mo_value *a, const struct mo_value *b);
void settings_free(struct settings *s);

/* Reads all settings of dcbd, sorted. If it is not MO_CLIENT_OK, the list is empty. */
enum mo_client_status settings_read(struct settings *s, struct mo_client *client);

/*
 * Reads "set OBJECT.INDEX VALUE ..." lines of a batch file, sorted. As in a file of -b, "#" at
 * the beginning of a word begins a comment, and the last value of an object counts. Prints all
 * errors with name:line. Returns their number.
 */
unsigned settings_parse(struct settings *s, FILE *f, const char *name, struct mo_client *client);

/*
 * Writes "OBJECT.INDEX VALUE", as dcbctl set reads it, with the name of the port for its ifIndex.
 * A name that could be taken for a number or has a dot stays an ifIndex.
 */
void settings_print(const struct setting *setting, struct names *names, FILE *f);

#endif
