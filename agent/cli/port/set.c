/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl set: sets all objects in one transaction, as one SET PDU would; see edit.h. */
#include "agent/cli/port/edit.h"

#include "lib/mo/mo_expect.h"

/* Parses a value. Returns whether it is valid; else an error has been printed. */
static bool parse_value(struct edit *e, const struct mo_column *col, const char *what,
			const char *text, struct mo_value *value)
{
	char expected[512];
	enum mo_error error;

	if (!mo_parse(col, text, value))
		error = mo_is_writable(col) ? MO_WRONG_VALUE : MO_NOT_WRITABLE;
	else
		error = mo_validate(col, value);
	if (error == MO_NO_ERROR)
		return true;
	if (error == MO_NOT_WRITABLE)
		/*
		 * Message "%s.%s: notWritable: the object is read-only": The object cannot be set.
		 */
		return edit_fail(e, "%s: %s: the object is read-only", what, mo_strerror(error));
	mo_expected(col, expected, sizeof(expected));
	/*
	 * Message "%s.%s: wrongType: expected %s, not "%s"": The value is not valid for the object.
	 * Use a value as expected.
	 */
	/*
	 * Message "%s.%s: wrongLength: expected %s, not "%s"": as "%s.%s: wrongType: expected %s,
	 * not "%s""
	 */
	/*
	 * Message "%s.%s: wrongValue: expected %s, not "%s"": as "%s.%s: wrongType: expected %s,
	 * not "%s""
	 */
	return edit_fail(e, "%s: %s: expected %s, not \"%s\"", what, mo_strerror(error), expected,
			 text);
}

/* Adds OBJECT.INDEX and VALUE. false: an error has been printed. */
static bool add_pair(struct edit *e, char **words)
{
	struct target target;
	struct mo_value value;
	char err[512], index[128], what[256];

	if (!target_parse_names(words[0], &e->names, &target, err, sizeof(err)))
		return e->names.failed ? edit_fail_client(e) : edit_fail(e, "%s", err);
	if (!target.col || !mo_index_valid(target.table, &target.index))
		/*
		 * Message: The first word of a pair is not an object with a whole index. Add the
		 * missing numbers.
		 */
		return edit_fail(e, "%s: expected OBJECT.INDEX, with all %u numbers of the index",
				 words[0], target.table->index_len);
	mo_index_format(&target.index, index, sizeof(index));
	snprintf(what, sizeof(what), "%s.%s", target.col->name, index);
	if (!parse_value(e, target.col, what, words[1], &value))
		return false;
	edit_add(e, target.table, target.col, &target.index, &value, what, words[1]);
	return true;
}

bool edit_set(struct edit *e, int argc, char **argv)
{
	unsigned before = e->errors;

	if (argc == 0 || argc % 2 != 0)
		/* Message: as "%s: expected set%s" */
		return edit_fail(e, "set: expected pairs of OBJECT.INDEX and VALUE");
	for (int i = 0; i < argc && !e->names.failed; i += 2)
		add_pair(e, argv + i);
	return e->errors == before;
}

int cmd_set(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct edit e;
	int rc = CLI_FAILED;

	if (argc == 0 || argc % 2 != 0)
		return cli_usage(self);
	if (!edit_open(&e, cli))
		return CLI_FAILED;
	if (edit_set(&e, argc, argv))
		rc = edit_commit(&e);
	if (rc == CLI_OK)
		edit_print(&e);
	edit_close(&e);
	return rc;
}
