/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/port/edit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/fetch.h"
#include "agent/cli/base/out.h"
#include "agent/cli/port/keywords.h"
#include "agent/cli/base/names.h"
#include "lib/mo/mo_expect.h"

#define TXID 1 /* one transaction per connection */

bool edit_open(struct edit *e, struct cli *cli)
{
	*e = (struct edit){.cli = cli};
	if (!cli->dry_run)
		cli->view = NULL; /* a SET needs the control socket */
	if (!cli_connect(cli))
		return false;
	e->names.client = cli->client;
	return true;
}

void edit_close(struct edit *e)
{
	for (unsigned i = 0; i < e->n; i++) {
		free(e->notes[i].what);
		free(e->notes[i].text);
	}
	for (unsigned i = 0; i < e->n_reasons; i++)
		free(e->reasons[i]);
	free(e->reasons);
	free(e->notes);
	free(e->vbs);
	target_ports_free(&e->names.ports);
}

/* --- errors ---------------------------------------------------------------------------------- */

static void print_error(struct edit *e, unsigned line, const char *text)
{
	if (e->file)
		cli_fail("%s:%u: %s", e->file, line, text);
	else
		cli_fail("%s", text);
	e->errors++;
}

bool edit_fail(struct edit *e, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	print_error(e, e->line, text);
	return false;
}

bool edit_fail_client(struct edit *e)
{
	cli_fail_client(e->cli);
	e->errors++;
	return false;
}

/* Explains an error whose name alone is not enough. */
static const char *explain(enum mo_error error)
{
	switch (error) {
	case MO_GEN_ERR:
		/* Message: Another manager has a transaction in progress. Repeat the command. */
		return "another SET did not end in time; nothing was changed";
	case MO_NO_CREATION:
		/*
		 * Message: No row can have this index, or the port does not have the object.
		 * Correct the index.
		 */
		return "the row does not exist, and setting this object does not create it";
	case MO_INCONSISTENT_NAME:
		/*
		 * Message: The row can exist, but its port or its congestion notification priority
		 * does not exist now. Correct the index, or create the priority first, in the same
		 * command for example.
		 */
		return "the row does not exist now, and setting this object does not create it";
	case MO_INCONSISTENT_VALUE:
		/*
		 * Message: Set the objects that contradict the value in the same command, or change
		 * them first.
		 */
		return "the value contradicts other objects, or the state of the row";
	case MO_RESOURCE_UNAVAILABLE:
		/* Message: Free memory, or disk space in the file system of `state_file`. */
		return "dcbd is out of memory or disk space";
	case MO_COMMIT_FAILED:
		/*
		 * Message: dcbd(8) could not save or apply the values. Correct the cause that its
		 * log names, and repeat the command.
		 */
		return "nothing was changed; dcbd's log says why";
	case MO_UNDO_FAILED:
		/*
		 * Message: The values could not be applied and the former values could not be
		 * restored. Compare the objects with `show`, correct the cause that the log of
		 * dcbd(8) names, and set the objects again.
		 */
		return "some values may have changed; dcbd's log says why";
	case MO_NOT_WRITABLE:
		return "the object is read-only";
	default:
		return "";
	}
}

/* --- assignments ----------------------------------------------------------------------------- */

/* Takes an assignment out, in the order of the others. */
static void remove_at(struct edit *e, unsigned i)
{
	free(e->notes[i].what);
	free(e->notes[i].text);
	e->n--;
	memmove(&e->vbs[i], &e->vbs[i + 1], (e->n - i) * sizeof(*e->vbs));
	memmove(&e->notes[i], &e->notes[i + 1], (e->n - i) * sizeof(*e->notes));
}

static bool is_of(const struct mo_varbind *vb, const struct mo_table *table,
		  const struct mo_column *col, const struct mo_index *index)
{
	return vb->table == table->id && vb->subid == col->subid &&
	       mo_index_compare(&vb->index, index) == 0;
}

const struct mo_value *edit_assigned(const struct edit *e, const struct mo_table *table,
				     const struct mo_column *col, const struct mo_index *index)
{
	for (unsigned i = e->n; i-- > 0;)
		if (is_of(&e->vbs[i], table, col, index))
			return &e->vbs[i].value;
	return NULL;
}

unsigned edit_drop(struct edit *e, const struct mo_table *table, const struct mo_column *col,
		   const struct mo_index *index)
{
	unsigned n = 0;

	for (unsigned i = e->n; i-- > 0;) {
		if (!is_of(&e->vbs[i], table, col, index))
			continue;
		remove_at(e, i);
		n++;
	}
	return n;
}

void edit_add(struct edit *e, const struct mo_table *table, const struct mo_column *col,
	      const struct mo_index *index, const struct mo_value *value, const char *what,
	      const char *text)
{
	if (col->syntax != MO_ROW_STATUS)
		edit_drop(e, table, col, index);
	if (e->n == e->room) {
		e->room = e->room ? 2 * e->room : 16;
		e->vbs = out_alloc_check(realloc(e->vbs, e->room * sizeof(*e->vbs)));
		e->notes = out_alloc_check(realloc(e->notes, e->room * sizeof(*e->notes)));
	}
	e->vbs[e->n] = (struct mo_varbind){
	    .table = table->id, .subid = col->subid, .index = *index, .value = *value};
	e->notes[e->n++] = (struct edit_note){.what = out_alloc_check(strdup(what)),
					      .text = out_alloc_check(strdup(text)),
					      .line = e->line};
}

/* The value of the only row of a scalar group. */
struct scalar {
	const struct mo_column *col;
	uint32_t value;
};

static void take_scalar(void *ctx, const struct out_row *row)
{
	struct scalar *s = ctx;
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(s->col->name, &table);

	s->value = (uint32_t)row->values[col - table->columns].num;
}

static bool read_scalar(struct edit *e, const char *object, uint32_t *value)
{
	const struct mo_table *table;
	struct scalar s = {.col = mo_column_by_name(object, &table)};

	if (fetch_rows(e->cli->client, &(struct target){.table = table}, take_scalar, &s) !=
	    MO_CLIENT_OK)
		return edit_fail_client(e);
	*value = s.value;
	return true;
}

bool edit_system(struct edit *e)
{
	return e->component || (read_scalar(e, MO_NAME(dcbLldpDestination), &e->destination) &&
				read_scalar(e, MO_NAME(dcbAgentComponentId), &e->component));
}

/* --- the transaction ------------------------------------------------------------------------- */

/* dcbd's answer. */
struct refusal {
	enum mo_error error;
	unsigned at; /* 1-based number of the varbind; 0: none in particular */
	char reason[MO_TEXT_MAX + 1];
};

static void take_reason(const struct edit *e, struct refusal *r)
{
	snprintf(r->reason, sizeof(r->reason), "%s", mo_client_reason(e->cli->client));
}

/* Writes what creates a row of a CNPV, if the error is that it does not exist; else "". */
static const char *advise(const struct mo_varbind *vb, enum mo_error error, char *buf, size_t size)
{
	const struct mo_table *table = mo_table(vb->table);
	uint32_t ifindex;
	unsigned priority;

	buf[0] = '\0';
	if (error == MO_INCONSISTENT_NAME && mo_index_part(table, MO_PART_COMPONENT) >= 0 &&
	    port_row_of(table, &vb->index, &ifindex, &priority))
		/*
		 * Message: as "the row does not exist now, and setting this object does not create
		 * it"
		 */
		snprintf(buf, size,
			 "; \"dcbctl set ieee8021CnComPriRowStatus.%" PRIu32
			 ".%u createAndGo\" makes priority %u a CNPV",
			 vb->index.sub[0], priority, priority);
	return buf;
}

/* Returns the octets of a reason before ", not FOUND". */
static size_t expected_len(const char *reason)
{
	const char *found = strstr(reason, ", not ");

	return found ? (size_t)(found - reason) : strlen(reason);
}

bool edit_is_new_reason(struct edit *e, const char *reason)
{
	size_t len = expected_len(reason);

	for (unsigned i = 0; i < e->n_reasons; i++)
		if (len > 0 && expected_len(e->reasons[i]) == len &&
		    memcmp(e->reasons[i], reason, len) == 0)
			return false;
	e->reasons = out_alloc_check(realloc(e->reasons, (e->n_reasons + 1) * sizeof(*e->reasons)));
	e->reasons[e->n_reasons++] = out_alloc_check(strdup(reason));
	return true;
}

/* Prints that the varbind is refused. */
static void print_refused(struct edit *e, const struct refusal *r)
{
	const struct edit_note *note = &e->notes[r->at - 1];
	const struct mo_varbind *vb = &e->vbs[r->at - 1];
	const char *why = *r->reason ? r->reason : explain(r->error);
	char text[1024], expected[512], advice[128];

	mo_expected(mo_column(mo_table(vb->table), vb->subid), expected, sizeof(expected));
	if (r->error == MO_WRONG_TYPE || r->error == MO_WRONG_LENGTH || r->error == MO_WRONG_VALUE)
		snprintf(text, sizeof(text), "%s: %s: expected %s, not \"%s\"", note->what,
			 mo_strerror(r->error), expected, note->text);
	else
		/*
		 * Message "%s.%s: inconsistentValue: %s": dcbd(8) says why: the value contradicts
		 * other objects, the port does not support it, or there is no room for it. The text
		 * has the expected and the found value, for example `swp1: ETS configuration:
		 * expected a sum of 100 % for the classes with tsaEnhancedTransmission, not 90 %`.
		 * The log of dcbd(8) has it too. Set a value as expected, or the objects that
		 * contradict it in the same command.
		 */
		/* Message "%s.%s: resourceUnavailable: %s": as "%s.%s: inconsistentValue: %s" */
		snprintf(text, sizeof(text), "%s: %s%s%s%s", note->what, mo_strerror(r->error),
			 *why ? ": " : "", why, advise(vb, r->error, advice, sizeof(advice)));
	print_error(e, note->line, text);
}

static int fail_transaction(struct edit *e, enum mo_client_status status, const struct refusal *r)
{
	const char *why = *r->reason ? r->reason : explain(r->error);

	if (status != MO_CLIENT_REFUSED)
		edit_fail_client(e);
	else if (r->at >= 1 && r->at <= e->n)
		print_refused(e, r);
	else
		cli_fail("%s%s%s", mo_strerror(r->error), *why ? ": " : "", why);
	return CLI_FAILED;
}

/* TEST until dcbd accepts the rest. Returns whether it accepted all. */
static bool test_all(struct edit *e)
{
	enum mo_client_status status;
	struct refusal r;

	for (;;) {
		status = mo_client_test(e->cli->client, TXID, e->vbs, e->n, &r.error, &r.at);
		if (status == MO_CLIENT_OK)
			break;
		take_reason(e, &r);
		if (status != MO_CLIENT_REFUSED || r.at < 1 || r.at > e->n) {
			/* After others, an answer about none in particular follows from them. */
			if (e->errors == 0)
				fail_transaction(e, status, &r);
			return false;
		}
		if (edit_is_new_reason(e, r.reason))
			print_refused(e, &r);
		remove_at(e, r.at - 1);
		if (e->n == 0)
			return false;
	}
	if (e->errors > 0)
		(void)mo_client_cleanup(e->cli->client, TXID);
	return e->errors == 0;
}

/* Returns the part of a device's settings that a table is about, as a bit; 0: none. */
static unsigned part_of(enum mo_table_id table)
{
	switch (table) {
	case MO_pfc_pri:
	case MO_lldp_admin_pfc_enable:
		return 1u << MO_hardware_part_pfc;
	case MO_lldp_admin_ets_pri:
	case MO_lldp_admin_ets_bw:
	case MO_lldp_admin_ets_tsa:
		return 1u << MO_hardware_part_ets;
	case MO_lldp_admin_app:
	case MO_dcbx_app:
		return 1u << MO_hardware_part_applicationPriorities;
	default:
		return 0;
	}
}

static uint32_t port_of(const struct mo_varbind *vb)
{
	return vb->index.sub[mo_index_part(mo_table(vb->table), MO_PART_PORT)];
}

static void take_resets(void *ctx, const struct out_row *row)
{
	unsigned *parts = ctx;
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(MO_NAME(dcbHardwareResetsLink), &table);
	const struct mo_value *value = &row->values[col - table->columns];

	for (unsigned bit = 0; value->len > 0 && bit < 8; bit++)
		*parts |= value->octets[0] & 0x80 >> bit ? 1u << bit : 0;
}

/* Returns whether an assignment before number i is about the same part of the same device. */
static bool is_named(const struct edit *e, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (part_of(e->vbs[k].table) == part_of(e->vbs[i].table) &&
		    port_of(&e->vbs[k]) == port_of(&e->vbs[i]))
			return true;
	return false;
}

/* Says, before it happens, which assignments make a driver reset its link. */
static void warn_of_resets(const struct edit *e)
{
	struct target rows = {.table = mo_table(MO_hardware), .index = {.n = 1}};

	for (unsigned i = 0; i < e->n; i++) {
		unsigned part = part_of(e->vbs[i].table), resets = 0;

		if (!part || is_named(e, i))
			continue;
		rows.index.sub[0] = port_of(&e->vbs[i]);
		if (fetch_rows(e->cli->client, &rows, take_resets, &resets) == MO_CLIENT_OK &&
		    resets & part)
			/*
			 * Message: The driver of the port takes its link down and up, or stops all
			 * traffic for a time, when it changes this setting: dcbHardwareResetsLink.
			 */
			cli_fail("%s: the driver resets the link for this", e->notes[i].what);
	}
}

int edit_commit(struct edit *e)
{
	enum mo_client_status status;
	enum mo_error undo_error;
	struct refusal r;

	if (e->errors > 0)
		return CLI_FAILED;
	if (e->cli->dry_run || e->n == 0)
		return CLI_OK;
	if (!test_all(e))
		return CLI_FAILED;
	warn_of_resets(e);
	status = mo_client_commit(e->cli->client, TXID, &r.error, &r.at);
	take_reason(e, &r);
	if (status == MO_CLIENT_REFUSED &&
	    mo_client_undo(e->cli->client, TXID, &undo_error) != MO_CLIENT_OK)
		r.error = MO_UNDO_FAILED;
	else if (r.error == MO_UNDO_FAILED) /* COMMIT could not undo, and UNDO did */
		r.error = MO_COMMIT_FAILED;
	if (status != MO_CLIENT_OK)
		return fail_transaction(e, status, &r);
	/* The values are set, so the result of CLEANUP does not matter. */
	(void)mo_client_cleanup(e->cli->client, TXID);
	return CLI_OK;
}

void edit_print(const struct edit *e)
{
	struct cli *cli = e->cli;
	struct out *out = cli->json ? out_json_new(cli->out, false) : out_text_new(cli->out);
	struct names names = {.client = cli->client};

	out->names = &names;
	for (unsigned i = 0; i < e->n; i++)
		out->ops->assignment(out, &e->vbs[i]);
	out->ops->end(out, true);
	names_forget(&names);
}
