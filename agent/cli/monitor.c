/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl monitor: prints each event of dcbd when it occurs. */
#include "agent/cli/cli.h"

#include "agent/cli/out.h"
#include "agent/cli/view/names.h"

#define RETRY_S 1

const struct option cli_monitor_long_options[] = {
    {"count", required_argument, NULL, 'c'},
    {NULL, 0, NULL, 0},
};

/*
 * The connection of events serves no reads, so the names of ports come over another one, which is
 * closed again: the next event can be much later, with other ports.
 */
static void print_event(struct cli *cli, const struct mo_event *ev)
{
	struct out *out = cli->json ? out_json_new(cli->out, true) : out_text_new(cli->out);
	struct names names = {.client = cli_new_client(cli)};

	out->names = &names;
	out->ops->event(out, ev);
	out->ops->end(out, true);
	names_forget(&names);
	mo_client_free(names.client);
}

/*
 * Prints events until cli->count of them have been printed or the connection is
 * lost. *n counts them, *seen is the number of the last one.
 */
static enum mo_client_status monitor(struct cli *cli, unsigned long *n, uint64_t *seen)
{
	enum mo_client_status status = mo_client_subscribe(cli->client, *seen);
	struct mo_event ev;

	while (status == MO_CLIENT_OK && (cli->count == 0 || *n < cli->count)) {
		status = mo_client_event(cli->client, &ev);
		if (status != MO_CLIENT_OK)
			break;
		*seen = ev.number;
		print_event(cli, &ev);
		if (fflush(cli->out) != 0)
			return MO_CLIENT_OK;
		++*n;
	}
	return status;
}

int cmd_monitor(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	unsigned long n = 0;
	uint64_t seen = 0;

	(void)argv;
	if (argc > 0)
		return cli_usage(self);
	if (!cli_connect(cli))
		return CLI_FAILED;
	/* If the connection is lost, dcbd may be restarting: connect again. */
	while (monitor(cli, &n, &seen) != MO_CLIENT_OK) {
		cli_fail_client(cli);
		cli->clock.sleep_until(cli->clock.now_s() + RETRY_S);
	}
	return CLI_OK;
}
