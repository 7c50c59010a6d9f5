/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A transaction in the making: commands add assignments and report errors; then all assignments
 * are set, or none, if there was an error. Errors name the file and line they are from.
 */
#ifndef DCB_AGENT_CLI_PORT_EDIT_H
#define DCB_AGENT_CLI_PORT_EDIT_H

#include "agent/cli/base/cli.h"
#include "agent/cli/base/target.h"

struct edit_note {
	char *what; /* the assignment in error messages: "swp1: prio 3 set-point" */
	char *text; /* the value as written */
	unsigned line;
};

struct edit {
	struct cli *cli;
	const char *file; /* NULL: the command line */
	unsigned line;    /* of the command that is read */
	unsigned errors;  /* printed until now */
	struct target_names names;
	uint32_t component, destination; /* see edit_system(); 0: not read yet */
	unsigned n, room;
	struct mo_varbind *vbs; /* n of them */
	unsigned n_reasons;     /* dcbd's, each printed once */
	char **reasons;
	struct edit_note *notes;
};

/*
 * Connects to dcbd's control socket. With dry_run, nothing is set, and the view socket is
 * sufficient. false: an error has been printed, and edit_close() need not be called.
 */
bool edit_open(struct edit *e, struct cli *cli);
void edit_close(struct edit *e);

/* Prints "dcbctl: FILE:LINE: ..." and counts the error. Returns false. */
bool edit_fail(struct edit *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same about dcbd, which did not answer; further commands would fail as well. */
bool edit_fail_client(struct edit *e);

/*
 * Adds an assignment. what, text: see struct edit_note; they are copied. It takes the place of one
 * of the same object before it, except of a RowStatus: those of a row are steps.
 */
void edit_add(struct edit *e, const struct mo_table *table, const struct mo_column *col,
	      const struct mo_index *index, const struct mo_value *value, const char *what,
	      const char *text);
/* Returns the value that an assignment gives an object, the last of several; NULL: none does. */
const struct mo_value *edit_assigned(const struct edit *e, const struct mo_table *table,
				     const struct mo_column *col, const struct mo_index *index);
/* Takes out the assignments of an object; *col may be a RowStatus. Returns how many there were. */
unsigned edit_drop(struct edit *e, const struct mo_table *table, const struct mo_column *col,
		   const struct mo_index *index);

/* Reads dcbAgentComponentId and dcbLldpDestination once. false: an error has been printed. */
bool edit_system(struct edit *e);

/*
 * Sets all, if no error has been printed and cli->dry_run is false. dcbd names one refused
 * assignment; the others are tested again without it, so that all that are refused are printed,
 * but one for each reason that dcbd gives: that is about the settings of a port as a whole.
 * Returns CLI_OK or CLI_FAILED.
 */
int edit_commit(struct edit *e);
/*
 * Returns whether dcbd has not given this reason before, and notes it; "" is none. The value found,
 * ", not VALUE", does not count: a sum is another one without the assignment before.
 */
bool edit_is_new_reason(struct edit *e, const char *reason);
/* Prints the assignments: as text, or as JSON. */
void edit_print(const struct edit *e);

/* Commands of one transaction. false: errors have been printed, and nothing was added. */
typedef bool edit_command(struct edit *e, int argc, char **argv);
/* set: OBJECT.INDEX VALUE ... */
edit_command edit_set;
/* pfc set dev PORT ..., app add dev PORT ..., and so on; argv[0] is the name of a family. */
edit_command edit_port;

#endif
