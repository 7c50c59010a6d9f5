/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/view/baseline.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/cli/base/cli.h"
#include "agent/cli/base/fetch.h"
#include "agent/cli/base/out_json.h"
#include "agent/cli/base/names.h"

/* --- the file ------------------------------------------------------------------------------- */

#define FILE_VERSION 1

static bool is_own_directory(const char *path)
{
	struct stat st;

	/* With sudo the variables can be those of another user. */
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

/* Writes the directory for the file, without "/dcbctl". false: the user has none. */
static bool find_directory(char *buf, size_t size)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	const struct passwd *user = getpwuid(geteuid());

	snprintf(buf, size, "%s", runtime ? runtime : "");
	if (buf[0] == '/' && is_own_directory(buf))
		return true;
	snprintf(buf, size, "/run/user/%u", (unsigned)geteuid());
	if (is_own_directory(buf))
		return true;
	if (!user || !is_own_directory(user->pw_dir))
		return false;
	snprintf(buf, size, "%s/.cache", user->pw_dir);
	return (mkdir(buf, 0700) == 0 || errno == EEXIST) && is_own_directory(buf);
}

/* Writes the path of the file of one run of dcbd. false: the user has no directory for it. */
static bool find_path(char path[PATH_MAX], uint32_t boot_id, const char *suffix)
{
	char directory[PATH_MAX - 64];

	if (!find_directory(directory, sizeof(directory)))
		return false;
	snprintf(path, PATH_MAX, "%s/dcbctl/counters-%08" PRIx32 ".json%s", directory, boot_id,
		 suffix);
	return true;
}

/* Returns the contents of the file; NULL: there is none, or it is not one of this program. */
static json_t *load(uint32_t boot_id)
{
	char path[PATH_MAX];
	json_t *root;

	if (!find_path(path, boot_id, ""))
		return NULL;
	root = json_load_file(path, 0, NULL);
	if (json_integer_value(json_object_get(root, "version")) == FILE_VERSION)
		return root;
	json_decref(root);
	return NULL;
}

/* Replaces the file as a whole. false: an error has been printed. */
static bool store(uint32_t boot_id, const json_t *root)
{
	char path[PATH_MAX], new[PATH_MAX];
	FILE *f;
	bool good;

	if (!find_path(path, boot_id, "") || !find_path(new, boot_id, ".new")) {
		/* Message: The values of `clear` cannot be kept. */
		cli_fail(
		    "no directory for the cleared counters: expected XDG_RUNTIME_DIR or a home "
		    "directory of this user");
		return false;
	}
	*strrchr(new, '/') = '\0';
	(void)mkdir(new, 0700);
	new[strlen(new)] = '/';
	f = fopen(new, "we");
	good = f && json_dumpf(root, f, JSON_COMPACT) == 0 && fflush(f) == 0;
	if (f)
		good = fclose(f) == 0 && good;
	if (good && rename(new, path) == 0)
		return true;
	/*
	 * Message "%s/dcbctl/counters-%x.json.new: %s": as "no directory for the cleared counters:
	 * expected XDG_RUNTIME_DIR or a home directory of this user"
	 */
	cli_fail("%s: %s", new, strerror(errno));
	(void)unlink(new);
	return false;
}

/* --- subtracting ---------------------------------------------------------------------------- */

static void take_since(void *ctx, const struct out_row *row)
{
	const struct mo_table *table = mo_table(MO_port);
	char ifindex[16];

	snprintf(ifindex, sizeof(ifindex), "%" PRIu32, row->index.sub[0]);
	for (unsigned i = 0; i < table->n_columns; i++)
		if (row->present >> i & 1 &&
		    strcmp(table->columns[i].name, MO_NAME(dcbPortCounterDiscontinuityTime)) == 0)
			out_json_put(ctx, ifindex, json_integer(row->values[i].num));
}

/* Reads since when each port counts. */
static enum mo_client_status read_since(struct mo_client *client, json_t **since)
{
	struct target target = {.table = mo_table(MO_port)};

	*since = out_alloc_check(json_object());
	return fetch_rows(client, &target, take_since, *since);
}

enum mo_client_status baseline_begin(struct baseline *b, struct mo_client *client)
{
	enum mo_client_status status;

	json_decref(b->since);
	status = read_since(client, &b->since);
	if (mo_client_boot_id(client) != b->boot_id) {
		json_decref(b->cleared);
		b->boot_id = mo_client_boot_id(client);
		b->cleared = load(b->boot_id);
	}
	return status;
}

void baseline_end(struct baseline *b)
{
	json_decref(b->cleared);
	json_decref(b->since);
	*b = (struct baseline){.boot_id = 0};
}

double baseline_time(const struct baseline *b)
{
	return b->cleared ? json_number_value(json_object_get(b->cleared, "time")) : 0;
}

void baseline_print(const struct baseline *b, FILE *f)
{
	time_t at = (time_t)baseline_time(b);
	struct tm tm;
	char text[32];

	if (at == 0)
		return;
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &tm));
	fprintf(f, "counters since %s\n", text);
}

/* Whether the counters of the port, if the row has one, go on since they were cleared. */
static bool goes_on(const struct baseline *b, uint32_t ifindex)
{
	const json_t *then;
	char key[16];

	if (ifindex == 0)
		return true;
	snprintf(key, sizeof(key), "%" PRIu32, ifindex);
	then = json_object_get(json_object_get(b->cleared, "since"), key);
	return then && json_equal(then, json_object_get(b->since, key));
}

static uint64_t gained(enum mo_syntax syntax, uint64_t now, uint64_t then)
{
	if (syntax == MO_COUNTER32)
		return (now - then) & UINT32_MAX; /* one wrap */
	return now >= then ? now - then : now;    /* less: the row is a new one */
}

void baseline_subtract(const struct baseline *b, const struct mo_table *table,
		       const struct mo_index *index, struct mo_value *values, uint64_t present)
{
	const json_t *rows, *row;
	char instance[128];
	size_t at = 0;

	rows =
	    b->cleared ? json_object_get(json_object_get(b->cleared, "tables"), table->name) : NULL;
	mo_index_format(index, instance, sizeof(instance));
	row = json_object_get(rows, instance);
	if (!row || !goes_on(b, names_row_ifindex(table, index, values, present)))
		return;
	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct mo_column *col = &table->columns[i];

		if (!out_is_counter(col))
			continue;
		if (present >> i & 1)
			values[i].num =
			    (int64_t)gained(col->syntax, (uint64_t)values[i].num,
					    (uint64_t)json_integer_value(json_array_get(row, at)));
		at++;
	}
}

/* --- dcbctl clear counters ------------------------------------------------------------------ */

const struct option cli_clear_long_options[] = {
    {"undo", no_argument, NULL, 'u'},
    {NULL, 0, NULL, 0},
};

bool cli_clear_option(struct cli *cli, int c, const char *arg)
{
	(void)c;
	(void)arg;
	cli->undo = true;
	return true;
}

struct clearing {
	const struct mo_table *table;
	json_t *rows;
};

/* Keeps the counters of a row, in the order of the columns. */
static void take_counters(void *ctx, const struct out_row *row)
{
	struct clearing *c = ctx;
	json_t *counters = out_alloc_check(json_array());
	char instance[128];

	for (unsigned i = 0; i < c->table->n_columns; i++)
		if (out_is_counter(&c->table->columns[i]))
			out_json_append(
			    counters, json_integer(row->present >> i & 1 ? row->values[i].num : 0));
	mo_index_format(&row->index, instance, sizeof(instance));
	out_json_put(c->rows, instance, counters);
}

static bool has_counters(const struct mo_table *table)
{
	for (unsigned i = 0; i < table->n_columns; i++)
		if (out_is_counter(&table->columns[i]))
			return true;
	return false;
}

static enum mo_client_status read_counters(struct mo_client *client, json_t *tables)
{
	enum mo_client_status status = MO_CLIENT_OK;

	for (unsigned id = 0; id < MO_TABLES && status == MO_CLIENT_OK; id++) {
		struct target target = {.table = mo_table((enum mo_table_id)id)};
		struct clearing c = {.table = target.table};

		if (!has_counters(target.table))
			continue;
		c.rows = out_alloc_check(json_object());
		out_json_put(tables, target.table->name, c.rows);
		status = fetch_rows(client, &target, take_counters, &c);
	}
	return status;
}

static int clear(struct cli *cli, json_t *since)
{
	json_t *root = out_alloc_check(json_object()), *tables = out_alloc_check(json_object());
	uint32_t boot_id = mo_client_boot_id(cli->client);
	int rc = CLI_OK;

	out_json_put(root, "version", json_integer(FILE_VERSION));
	out_json_put(root, "time", json_integer((json_int_t)time(NULL)));
	out_json_put(root, "since", json_incref(since));
	out_json_put(root, "tables", tables);
	if (read_counters(cli->client, tables) != MO_CLIENT_OK)
		rc = cli_fail_client(cli);
	else if (mo_client_boot_id(cli->client) != boot_id)
		/* Message: `clear` has nothing to do. */
		rc = cli_fail("dcbd was started anew meanwhile, so its counters begin at 0");
	else if (!store(boot_id, root))
		rc = CLI_FAILED;
	json_decref(root);
	return rc;
}

static int undo(const struct cli *cli)
{
	char path[PATH_MAX];

	if (!find_path(path, mo_client_boot_id(cli->client), "") || access(path, F_OK) < 0)
		/*
		 * Message: There is nothing that `clear --undo` can undo: the counters were not
		 * cleared, or dcbd(8) was started anew since.
		 */
		return cli_fail("no counters of this dcbd are cleared");
	/*
	 * Message: as "no directory for the cleared counters: expected XDG_RUNTIME_DIR or a home
	 * directory of this user"
	 */
	return unlink(path) == 0 ? CLI_OK : cli_fail("%s: %s", path, strerror(errno));
}

int cmd_clear(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	json_t *since;
	int rc;

	if (argc != 1 || strcmp(argv[0], "counters") != 0)
		return cli_usage(self);
	if (!cli_connect(cli))
		return CLI_FAILED;
	if (read_since(cli->client, &since) != MO_CLIENT_OK)
		rc = cli_fail_client(cli);
	else
		rc = cli->undo ? undo(cli) : clear(cli, since);
	json_decref(since);
	return rc;
}
