/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl pfc-send: the command; pfc_send.c has its parts that need no network. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/cli/cli.h"
#include "agent/cli/pfc_send.h"

bool cli_pfc_send_option(struct cli *cli, int c, const char *arg)
{
	char err[256];

	if (pfc_send_option(&cli->pfc_send, c, arg, err, sizeof(err)))
		return true;
	cli_fail("%s", err);
	return false;
}

static int report(struct cli *cli, const struct pfc_port *port, const struct pfc_plan *plan,
		  const struct pfc_outcome *outcome)
{
	if (cli->json)
		pfc_report_json(cli->out, port, plan, outcome);
	else
		pfc_report_text(cli->out, port, plan, outcome);
	if (outcome->pace.error)
		return cli_fail("%s: sending failed after %" PRIu64 " frames: %s", port->ifname,
				outcome->pace.frames, strerror(outcome->pace.error));
	if (outcome->xon_error)
		return cli_fail("%s: sending the last frame (XON) failed: %s", port->ifname,
				strerror(outcome->xon_error));
	return CLI_OK;
}

int cmd_pfc_send(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	static struct pfc_outcome outcome; /* too large for the stack */
	struct pace_host host;
	struct pfc_port port;
	struct pfc_plan plan;
	char err[256];
	int fd, rc, error;

	if (argc != 1 || cli->pfc_send.enable == 0) {
		if (argc == 1)
			cli_fail("-p: expected %s", pfc_send_expects('p'));
		return cli_usage(self);
	}
	fd = pfc_socket_open(argv[0], &port, err, sizeof(err));
	if (fd < 0)
		return cli_fail("%s", err);
	pfc_send_plan(&cli->pfc_send, &port, &plan);
	if (plan.pause_ns && plan.pace.interval_ns > plan.pause_ns)
		fprintf(stderr,
			"dcbctl: warning: the shortest pause ends after %.3f us, before the next "
			"frame\n",
			(double)plan.pause_ns / 1e3);
	pfc_socket_host(&fd, &host);
	if (plan.pace.wait == PACE_ADAPT && pfc_socket_has_one_cpu())
		plan.pace.wait = PACE_ASLEEP;
	error = pfc_socket_real_time(&plan.pace);
	if (error)
		fprintf(stderr, "dcbctl: note: no real time: %s: other programs can delay frames\n",
			strerror(error));
	pfc_send_run(&plan, &host, &outcome);
	rc = report(cli, &port, &plan, &outcome);
	close(fd);
	return rc;
}
