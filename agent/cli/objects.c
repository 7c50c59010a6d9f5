/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl objects: prints the descriptors of the objects. Does not need dcbd. */
#include "agent/cli/cli.h"
#include "agent/cli/out.h"
#include "agent/cli/target.h"

int cmd_objects(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct target target = {.table = NULL};
	struct out *out;
	char err[256];

	if (argc > 1)
		return cli_usage(self);
	if (argc > 0 && !target_parse(argv[0], &target, err, sizeof(err)))
		return cli_fail("%s", err);
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
