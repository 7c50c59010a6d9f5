/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbctl monitor: prints each event of dcbd when it occurs. */
#include "agent/cli/base/cli.h"

#include "agent/cli/base/out.h"
#include "agent/cli/base/names.h"

#define RETRY_S       1
#define NAMES_S       1    /* names are read again after this time */
#define NAMES_AGAIN_S 10   /* the same if they could not be read */
#define NAMES_MS      1000 /* for which an event can wait for names */

const struct option cli_monitor_long_options[] = {
    {"count", required_argument, NULL, 'c'},
    {NULL, 0, NULL, 0},
};

/*
 * The names of ports, over a connection of their own: that of events serves no reads. Many events
 * can follow each other, and events are more important than names.
 */
struct port_names {
	struct names names;
	double until_s;   /* the names are new enough before */
	bool failed;      /* the last read did; the names are from an earlier one */
	uint32_t unknown; /* the last read had no name for this ifIndex; 0: none */
};

static void port_names_end(struct port_names *p)
{
	names_forget(&p->names);
	mo_client_free(p->names.client);
	*p = (struct port_names){.until_s = 0};
}

/* Returns whether the event has ports. *unknown: the first one without a name; 0: none. */
static bool has_ports(const struct mo_event *ev, const struct target_ports *ports,
		      uint32_t *unknown)
{
	bool has = false;

	*unknown = 0;
	for (unsigned i = 0; i < ev->n && !*unknown; i++) {
		const struct mo_table *table = mo_table(ev->vbs[i].table);
		const struct mo_column *col = mo_column(table, ev->vbs[i].subid);
		uint32_t ifindex =
		    col ? names_ifindex(table, &ev->vbs[i].index, col, &ev->vbs[i].value) : 0;

		has |= ifindex != 0;
		if (ifindex && !target_ports_name(ports, ifindex))
			*unknown = ifindex;
	}
	return has;
}

static void port_names_read(struct port_names *p, const struct cli *cli)
{
	struct target_ports ports;

	if (!p->names.client) {
		p->names.client = mo_client_new(cli->socket, NAMES_MS);
		if (p->names.client && cli->view)
			(void)mo_client_use_view(p->names.client, cli->view);
	}
	p->failed = !p->names.client || target_ports_read(p->names.client, &ports) != MO_CLIENT_OK;
	p->until_s = cli->clock.now_s() + (p->failed ? NAMES_AGAIN_S : NAMES_S);
	if (!p->failed) {
		names_forget(&p->names);
		p->names.ports = ports;
	}
	p->names.read = true; /* or not to be read now */
}

/* Reads the names that the event needs, if those read before are too old or lack one. */
static void port_names_update(struct port_names *p, const struct cli *cli,
			      const struct mo_event *ev)
{
	uint32_t unknown;

	if (!has_ports(ev, &p->names.ports, &unknown))
		return;
	if (p->names.read && cli->clock.now_s() < p->until_s &&
	    (p->failed || unknown == 0 || unknown == p->unknown))
		return;
	port_names_read(p, cli);
	(void)has_ports(ev, &p->names.ports, &p->unknown);
}

static void print_event(struct cli *cli, struct port_names *names, const struct mo_event *ev)
{
	struct out *out = cli->json ? out_json_new(cli->out, true) : out_text_new(cli->out);

	port_names_update(names, cli, ev);
	out->names = &names->names;
	out->ops->event(out, ev);
	out->ops->end(out, true);
}

/*
 * Prints events until cli->count of them have been printed or the connection is
 * lost. *n counts them, *seen is the number of the last one.
 */
static enum mo_client_status monitor(struct cli *cli, struct port_names *names, unsigned long *n,
				     uint64_t *seen)
{
	enum mo_client_status status = mo_client_subscribe(cli->client, *seen);
	struct mo_event ev;

	while (status == MO_CLIENT_OK && (cli->count == 0 || *n < cli->count)) {
		status = mo_client_event(cli->client, &ev);
		if (status != MO_CLIENT_OK)
			break;
		*seen = ev.number;
		print_event(cli, names, &ev);
		if (fflush(cli->out) != 0)
			return MO_CLIENT_OK;
		++*n;
	}
	return status;
}

int cmd_monitor(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct port_names names = {.until_s = 0};
	unsigned long n = 0;
	uint64_t seen = 0;

	(void)argv;
	if (argc > 0)
		return cli_usage(self);
	if (!cli_connect(cli))
		return CLI_FAILED;
	/* If the connection is lost, dcbd may be restarting: connect again. */
	while (monitor(cli, &names, &n, &seen) != MO_CLIENT_OK) {
		cli_fail_client(cli);
		port_names_end(&names);
		cli->clock.sleep_until(cli->clock.now_s() + RETRY_S);
	}
	port_names_end(&names);
	return CLI_OK;
}
