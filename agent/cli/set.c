/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl set: sets all objects in one transaction of TEST, COMMIT and CLEANUP,
 * as one SET PDU would. Errors have the names of SNMP. dcbctl preset: the same, with the
 * application priorities of well-known applications.
 */
#include "agent/cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/out.h"
#include "agent/cli/rowset.h"
#include "dataplane/core/app.h"
#include "agent/cli/target.h"
#include "agent/cli/view/names.h"
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

/* Explains the error of one varbind. */
static const char *explain_varbind(const struct mo_varbind *vb, enum mo_error error)
{
	if (error == MO_RESOURCE_UNAVAILABLE && vb->table == MO_lldp_admin_app)
		return "the port has 64 application priorities already, or dcbd is out of memory "
		       "or disk space";
	return explain(error);
}

/* Prints the error of one varbind. reason is the text that dcbd sent, or "". */
static int fail_varbind(const struct mo_varbind *vb, enum mo_error error, const char *text,
			const char *reason)
{
	const char *why = *reason ? reason : explain_varbind(vb, error);
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
		cli_fail_reason(cli, err);
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
		return cli_fail_client(cli);
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

/* Sets the pairs OBJECT.INDEX and VALUE, and prints them. With dry_run, only prints them. */
static int set_pairs(struct cli *cli, unsigned n, char **argv)
{
	struct names names = {.client = NULL};
	struct mo_varbind *vbs;
	struct out *out;
	int rc = CLI_FAILED;

	if (!cli_connect(cli))
		return CLI_FAILED;
	vbs = out_alloc_check(calloc(n, sizeof(*vbs)));
	for (unsigned i = 0; i < n; i++) {
		if (!parse_pair(cli, &argv[2 * i], &vbs[i]))
			goto done;
	}
	rc = cli->dry_run ? CLI_OK : transact(cli, argv, vbs, n);
	if (rc != CLI_OK)
		goto done;
	out = cli->json ? out_json_new(cli->out, false) : out_text_new(cli->out);
	names.client = cli->client;
	out->names = &names;
	for (unsigned i = 0; i < n; i++)
		out->ops->assignment(out, &vbs[i]);
	out->ops->end(out, true);
	names_forget(&names);
done:
	free(vbs);
	return rc;
}

int cmd_set(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	if (argc == 0 || argc % 2 != 0)
		return cli_usage(self);
	cli->view = NULL; /* a SET needs the control socket */
	return set_pairs(cli, (unsigned)argc / 2, argv);
}

/* --- preset --------------------------------------------------------------------------------- */

#define APP_OBJECT  "lldpXdot1dcbxAdminApplicationPriorityAEPriority"
#define PRESET_MAX  24 /* entries of a preset */
#define PAIR_OCTETS 128

/* priority=N changes the priority of all entries but those that are fixed. */
struct preset {
	const char *name;
	bool fixed; /* priority=N is an error */
	unsigned n;
	struct {
		struct app_priority app;
		bool fixed;
	} of[PRESET_MAX];
};

/* clang-format off */
static const struct preset presets[] = {
    /* The UDP port of RoCEv2, the DSCP of its packets, and that of its CNPs, which must not wait. */
    {"rocev2", false, 3, {{{APP_UDP, 3, 4791}, false}, {{APP_DSCP, 3, 26}, false}, {{APP_DSCP, 6, 48}, true}}},
    {"iscsi", false, 1, {{{APP_TCP, 4, 3260}, false}}},
    /* FCoE and the FCoE Initialization Protocol (FIP). */
    {"fcoe", false, 2, {{{APP_ETHERTYPE, 3, 0x8906}, false}, {{APP_ETHERTYPE, 3, 0x8914}, false}}},
#define CODE_POINT(dscp) {{APP_DSCP, (dscp) >> 3, dscp}, true}
    /* The code points of RFC 2474 (CS), 2597 (AF), 5865 (VOICE-ADMIT) and 3246 (EF), by class. */
    {"dscp", true, 22, {
	CODE_POINT(0), CODE_POINT(8), CODE_POINT(10), CODE_POINT(12), CODE_POINT(14),
	CODE_POINT(16), CODE_POINT(18), CODE_POINT(20), CODE_POINT(22), CODE_POINT(24),
	CODE_POINT(26), CODE_POINT(28), CODE_POINT(30), CODE_POINT(32), CODE_POINT(34),
	CODE_POINT(36), CODE_POINT(38), CODE_POINT(40), CODE_POINT(44), CODE_POINT(46),
	CODE_POINT(48), CODE_POINT(56)}},
};
/* clang-format on */
#define N_PRESETS (sizeof(presets) / sizeof(presets[0]))

const struct option cli_preset_long_options[] = {
    {"dry-run", no_argument, NULL, 'd'},
    {NULL, 0, NULL, 0},
};

bool cli_preset_option(struct cli *cli, int c, const char *arg)
{
	(void)c;
	(void)arg;
	cli->dry_run = true;
	return true;
}

static const struct preset *find_preset(const char *name)
{
	for (size_t i = 0; i < N_PRESETS; i++)
		if (strcmp(presets[i].name, name) == 0)
			return &presets[i];
	cli_fail("unknown preset \"%s\"; expected rocev2, iscsi, fcoe or dscp", name);
	return NULL;
}

/* Parses priority=N. Sets *priority to -1 if text is something else. false: an error is printed. */
static bool parse_priority(const struct preset *preset, const char *text, int *priority)
{
	static const char key[] = "priority=";
	const char *value = text + sizeof(key) - 1;

	*priority = -1;
	if (strncmp(text, key, sizeof(key) - 1) != 0)
		return true;
	if (preset->fixed) {
		cli_fail("%s: the preset \"%s\" has a priority for each DSCP", text, preset->name);
		return false;
	}
	if (value[0] >= '0' && value[0] <= '7' && !value[1]) {
		*priority = value[0] - '0';
		return true;
	}
	cli_fail("%s: expected a priority 0..7", text);
	return false;
}

/* Sets the entries of the preset on all ports. priority: -1, or that of priority=N. */
static int set_preset(struct cli *cli, const struct preset *preset, int priority,
		      const struct rowset_ports *ports)
{
	unsigned n = ports->n * preset->n;
	char(*text)[PAIR_OCTETS] = out_alloc_check(calloc(n, 2 * sizeof(*text)));
	char **argv = out_alloc_check(calloc(n, 2 * sizeof(*argv)));
	int rc;

	for (unsigned i = 0; i < n; i++) {
		unsigned entry = i % preset->n;
		const struct app_priority *app = &preset->of[entry].app;
		bool fixed = preset->of[entry].fixed || priority < 0;

		argv[2 * i] = text[2 * i];
		argv[2 * i + 1] = text[2 * i + 1];
		snprintf(argv[2 * i], PAIR_OCTETS, APP_OBJECT ".%" PRIu32 ".%u.%u",
			 ports->ifindex[i / preset->n], app->selector, app->protocol);
		snprintf(argv[2 * i + 1], PAIR_OCTETS, "%d", fixed ? app->priority : priority);
	}
	rc = set_pairs(cli, n, argv);
	free(argv);
	free(text);
	return rc;
}

int cmd_preset(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	const struct preset *preset;
	struct rowset_ports ports;
	int priority = -1, rc, at = 1;

	if (argc < 2)
		return cli_usage(self);
	preset = find_preset(argv[0]);
	if (!preset || !parse_priority(preset, argv[1], &priority))
		return CLI_FAILED;
	if (priority >= 0 && ++at == argc)
		return cli_usage(self);
	if (!cli->dry_run)
		cli->view = NULL;
	if (!rowset_ports_parse(cli, &ports, argc - at, argv + at))
		return CLI_FAILED;
	rc = set_preset(cli, preset, priority, &ports);
	rowset_ports_free(&ports);
	return rc;
}
