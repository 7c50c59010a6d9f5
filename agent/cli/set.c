/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl set: sets all objects in one transaction of TEST, COMMIT and CLEANUP,
 * as one SET PDU would. Errors have the names of SNMP.
 */
#include "agent/cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include "agent/cli/out.h"
#include "agent/cli/target.h"
#include "lib/mo/mo_expect.h"

#define TXID 1 /* one transaction per connection */

/* Explains an error whose name alone is not enough. */
static const char *explain(enum mo_error error)
{
	switch (error) {
	case MO_GEN_ERR:
		return "another SET did not end in time; nothing was changed";
	case MO_NO_CREATION:
		return "the row does not exist, and setting this object does not create it";
	case MO_INCONSISTENT_NAME:
		return "the row does not exist now, and setting this object does not create it";
	case MO_INCONSISTENT_VALUE:
		return "the value contradicts other objects, or the state of the row";
	case MO_RESOURCE_UNAVAILABLE:
		return "dcbd is out of memory or disk space";
	case MO_COMMIT_FAILED:
		return "nothing was changed; dcbd's log says why";
	case MO_UNDO_FAILED:
		return "some values may have changed; dcbd's log says why";
	case MO_NOT_WRITABLE:
		return "the object is read-only";
	default:
		return "";
	}
}

/* Prints the error of one varbind. reason is the text that dcbd sent, or "". */
static int fail_varbind(const struct mo_varbind *vb, enum mo_error error, const char *text,
			const char *reason)
{
	const char *why = *reason ? reason : explain(error);
	const struct mo_column *col = mo_column(mo_table(vb->table), vb->subid);
	char index[128], expected[512];

	mo_index_format(&vb->index, index, sizeof(index));
	mo_expected(col, expected, sizeof(expected));
	if (error == MO_WRONG_TYPE || error == MO_WRONG_LENGTH || error == MO_WRONG_VALUE)
		return cli_fail("%s.%s: %s: expected %s, not \"%s\"", col->name, index,
				mo_strerror(error), expected, text);
	return cli_fail("%s.%s: %s%s%s", col->name, index, mo_strerror(error), *why ? ": " : "",
			why);
}

/* Parses OBJECT.INDEX and VALUE. false: an error has been printed. */
static bool parse_pair(struct cli *cli, char **words, struct mo_varbind *vb)
{
	struct target target;
	enum mo_error error;
	char err[256];

	if (!target_parse(words[0], cli->client, &target, err, sizeof(err))) {
		cli_fail("%s", err);
		return false;
	}
	if (!target.col || !mo_index_valid(target.table, &target.index)) {
		cli_fail("%s: expected OBJECT.INDEX, with all %u numbers of the index", words[0],
			 target.table->index_len);
		return false;
	}
	vb->table = target.table->id;
	vb->subid = target.col->subid;
	vb->index = target.index;
	if (!mo_parse(target.col, words[1], &vb->value))
		error = mo_is_writable(target.col) ? MO_WRONG_VALUE : MO_NOT_WRITABLE;
	else
		error = mo_validate(target.col, &vb->value);
	if (error != MO_NO_ERROR)
		fail_varbind(vb, error, words[1], "");
	return error == MO_NO_ERROR;
}

/* dcbd's answer. */
struct refusal {
	enum mo_error error;
	unsigned at; /* 1-based number of the varbind; 0: none in particular */
	char reason[MO_TEXT_MAX + 1];
};

static int fail_transaction(struct cli *cli, enum mo_client_status status, char **argv,
			    const struct mo_varbind *vbs, unsigned n, const struct refusal *r)
{
	const char *why = *r->reason ? r->reason : explain(r->error);

	if (status != MO_CLIENT_REFUSED)
		return cli_fail("%s", mo_client_strerror(cli->client));
	if (r->at >= 1 && r->at <= n)
		return fail_varbind(&vbs[r->at - 1], r->error, argv[2 * (r->at - 1) + 1],
				    r->reason);
	return cli_fail("%s%s%s", mo_strerror(r->error), *why ? ": " : "", why);
}

static int transact(struct cli *cli, char **argv, const struct mo_varbind *vbs, unsigned n)
{
	enum mo_client_status status;
	enum mo_error undo_error;
	struct refusal r;
	bool tested;

	status = mo_client_test(cli->client, TXID, vbs, n, &r.error, &r.at);
	tested = status == MO_CLIENT_OK;
	if (tested)
		status = mo_client_commit(cli->client, TXID, &r.error, &r.at);
	snprintf(r.reason, sizeof(r.reason), "%s", mo_client_reason(cli->client));
	if (tested && status == MO_CLIENT_REFUSED &&
	    mo_client_undo(cli->client, TXID, &undo_error) != MO_CLIENT_OK)
		r.error = MO_UNDO_FAILED;
	if (status != MO_CLIENT_OK)
		return fail_transaction(cli, status, argv, vbs, n, &r);
	/* The values are set, so the result of CLEANUP does not matter. */
	(void)mo_client_cleanup(cli->client, TXID);
	return CLI_OK;
}

int cmd_set(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	unsigned n = (unsigned)argc / 2;
	struct mo_varbind *vbs;
	struct out *out;
	int rc = CLI_FAILED;

	if (argc == 0 || argc % 2 != 0)
		return cli_usage(self);
	cli->view = NULL; /* a SET needs the control socket */
	if (!cli_connect(cli))
		return CLI_FAILED;
	vbs = out_alloc_check(calloc(n, sizeof(*vbs)));
	for (unsigned i = 0; i < n; i++) {
		if (!parse_pair(cli, &argv[2 * i], &vbs[i]))
			goto done;
	}
	rc = transact(cli, argv, vbs, n);
	if (rc != CLI_OK)
		goto done;
	out = cli->json ? out_json_new(cli->out, false) : out_text_new(cli->out);
	for (unsigned i = 0; i < n; i++)
		out->ops->assignment(out, &vbs[i]);
	out->ops->end(out, true);
done:
	free(vbs);
	return rc;
}
