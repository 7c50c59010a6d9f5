/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl show: prints rows. dcbctl objects: prints the descriptors of the objects, and does
 * not need dcbd.
 */
#include "agent/cli/base/cli.h"
#include "agent/cli/base/fetch.h"
#include "agent/cli/base/out.h"
#include "agent/cli/base/target.h"
#include "agent/cli/base/names.h"

struct shown {
	struct out *out;
	unsigned long rows;
};

static void on_row(void *ctx, const struct out_row *row)
{
	struct shown *shown = ctx;

	shown->rows++;
	shown->out->ops->row(shown->out, row);
}

static enum mo_client_status show_one(struct cli *cli, const struct target *target,
				      struct shown *shown)
{
	shown->out->ops->table(shown->out, target->table, target->col);
	return fetch_rows(cli->client, target, on_row, shown);
}

static enum mo_client_status show_all(struct cli *cli, struct shown *shown)
{
	enum mo_client_status status = MO_CLIENT_OK;

	for (unsigned id = 0; id < MO_TABLES && status == MO_CLIENT_OK; id++) {
		struct target target = {.table = mo_table((enum mo_table_id)id)};

		if (target.table->optional)
			continue;
		status = show_one(cli, &target, shown);
	}
	return status;
}

int cmd_show(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct shown shown = {.rows = 0};
	struct names names = {.client = NULL};
	struct target target = {.table = NULL};
	enum mo_client_status status;
	char err[256];

	if (argc > 2)
		return cli_usage(self);
	if (!cli_connect(cli))
		return CLI_FAILED;
	if ((argc > 0 && !target_parse(argv[0], cli->client, &target, err, sizeof(err))) ||
	    (argc > 1 && !target_parse_index(argv[1], cli->client, &target, err, sizeof(err))))
		return cli_fail_reason(cli, err);
	shown.out = cli->json ? out_json_new(cli->out, false) : out_text_new(cli->out);
	names.client = cli->client;
	shown.out->names = &names;
	status = target.table ? show_one(cli, &target, &shown) : show_all(cli, &shown);
	shown.out->ops->end(shown.out, status == MO_CLIENT_OK);
	names_forget(&names);
	if (status != MO_CLIENT_OK)
		return cli_fail_client(cli);
	if (target.index.n > 0 && shown.rows == 0) {
		mo_index_format(&target.index, err, sizeof(err));
		/*
		 * Message: No row of the table has an index that begins with these numbers. Use
		 * `show` with the table only to list its rows.
		 */
		return cli_fail("%s has no row %s", target.table->name, err);
	}
	return CLI_OK;
}

int cmd_objects(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct target target = {.table = NULL};
	struct out *out;
	char err[256];

	if (argc > 1)
		return cli_usage(self);
	if (argc > 0 && !target_parse(argv[0], NULL, &target, err, sizeof(err)))
		return cli_fail_reason(cli, err);
	out = cli->json ? out_json_new(cli->out, false) : out_text_new(cli->out);
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);

		if (target.table ? target.table != table : table->optional)
			continue;
		for (unsigned i = 0; i < table->n_columns; i++) {
			if (!target.col || target.col == &table->columns[i])
				out->ops->object(out, table, &table->columns[i]);
		}
	}
	out->ops->end(out, true);
	return CLI_OK;
}
