/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the commands for ports: dcbctl pfc|ets|app|cn|... show|set. */
#ifndef DCB_AGENT_CLI_PORT_PORT_H
#define DCB_AGENT_CLI_PORT_PORT_H

#include <jansson.h>

#include "agent/cli/base/out.h"
#include "agent/cli/port/edit.h"
#include "agent/cli/port/keywords.h"
#include "agent/cli/base/table_rows.h"

/* The rows of one table, by port and priority: the values as dcbd sent them. */
struct port_rows {
	const struct mo_table *table;
	size_t n, room;
	struct out_row *rows; /* with values of their own */
};

/* Reads the rows. false: an error has been printed, and port_rows_free() need not be called. */
bool port_rows_read(struct cli *cli, const struct mo_table *table, struct port_rows *rows);
void port_rows_free(struct port_rows *rows);
/* Returns the value of the row of this port and priority; NULL: there is no row, or no value. */
const struct mo_value *port_rows_value(const struct port_rows *rows, const struct mo_column *col,
				       uint32_t ifindex, unsigned priority);

/* Whether a keyword of the family follows "prio N". */
bool port_has_by_prio(const struct port_family *family);
/* Whether the word is a keyword of the family, of applications, or that "prio". */
bool port_is_keyword(const struct port_family *family, const char *word);

/* The words behind show or set: "dev PORT ..." and the rest. */
struct port_words {
	struct table_rows_ports ports; /* n 0: all */
	int n;
	char **rest;
};

/*
 * Parses "[dev PORT ...]" up to the first word for which port_is_keyword() is true. Reports all
 * names that are no ports. false: errors have been printed, and ports.names need not be freed.
 */
bool port_words_parse(struct edit *e, const struct port_family *family, int argc, char **argv,
		      struct port_words *words);

/* Reports a word that is no keyword, with the one that was meant. Returns false. */
bool port_fail_keyword(struct edit *e, const struct port_family *family, const char *word);

/* Parses "3", "3,5" or "all" to a mask. Returns 0 for anything else. */
unsigned port_parse_priorities(const char *text);

/* set dev PORT KEYWORD VALUE ... of a family */
bool port_set(struct edit *e, const struct port_family *family, int argc, char **argv);
/* show [dev PORT ...] [KEYWORD ...] of a family */
int port_show(struct cli *cli, const struct port_family *family, int argc, char **argv);

/* app add|del|replace|flush dev PORT ...; action: that word */
bool port_app_edit(struct edit *e, const char *action, int argc, char **argv);
/* Print the application priorities of a port, of the keywords named, or all if n is 0. */
struct port_text;
void port_app_text(struct port_text *t, const struct port_rows *apps, uint32_t ifindex, int n,
		   char **keywords, bool numeric);
void port_app_json(json_t *to, const struct port_rows *apps, uint32_t ifindex, int n,
		   char **keywords);

/* Text of words, in lines that are not wider than the terminal. */
struct port_text {
	FILE *f;
	size_t width;  /* of the terminal; SIZE_MAX: no limit */
	size_t indent; /* blanks before each line */
	size_t at;     /* columns written in this line */
};
struct port_text port_text_new(FILE *f, size_t indent);
void port_text_word(struct port_text *t, const char *word);
void port_text_end(struct port_text *t);

/* Columns of the terminal, as term_width(); SIZE_MAX: no limit. */
size_t port_text_width(void);

#endif
