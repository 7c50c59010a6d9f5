/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl preset: sets the application priorities of well-known applications, in one
 * transaction.
 */
#include "agent/cli/port/port.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/cli/base/out.h"
#include "agent/cli/base/table_rows.h"
#include "dataplane/core/app.h"

#define APP_OBJECT  MO_NAME(lldpXdot1dcbxAdminApplicationPriorityAEPriority)
#define PRESET_MAX  24 /* entries of a preset */
#define WHAT_OCTETS 128

/* priority=N changes the priority of all entries but those that are fixed. */
struct preset {
	const char *name;
	bool fixed; /* priority=N is an error */
	bool dscp;  /* a bridge's port trusts DSCPs before tags: routers change or remove the tag */
	unsigned n;
	struct {
		struct app_priority app;
		bool fixed;
	} of[PRESET_MAX];
};

/* clang-format off */
static const struct preset presets[] = {
    /* The UDP port of RoCEv2, the DSCP of its packets, and that of its CNPs, which must not wait. */
    {"rocev2", false, true, 3, {{{APP_UDP, 3, 4791}, false}, {{APP_DSCP, 3, 26}, false}, {{APP_DSCP, 6, 48}, true}}},
    {"iscsi", false, false, 1, {{{APP_TCP, 4, 3260}, false}}},
    /* FCoE and the FCoE Initialization Protocol (FIP). */
    {"fcoe", false, false, 2, {{{APP_ETHERTYPE, 3, 0x8906}, false}, {{APP_ETHERTYPE, 3, 0x8914}, false}}},
#define CODE_POINT(dscp) {{APP_DSCP, (dscp) >> 3, dscp}, true}
    /* The code points of RFC 2474 (CS), 2597 (AF), 5865 (VOICE-ADMIT) and 3246 (EF), by class. */
    {"dscp", true, false, 22, {
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
	/* Message: An argument of `preset` is not valid. Correct it, or leave `priority=` out. */
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
		/* Messages: as "unknown preset "%s"; expected rocev2, iscsi, fcoe or dscp" */
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

/* Adds the entries of the preset for one port. priority: -1, or that of priority=N. */
static void add_preset(struct edit *e, const struct preset *preset, int priority, uint32_t ifindex)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(APP_OBJECT, &table);

	for (unsigned i = 0; i < preset->n; i++) {
		const struct app_priority *app = &preset->of[i].app;
		bool fixed = preset->of[i].fixed || priority < 0;
		struct mo_index index = {3, {ifindex, app->selector, app->protocol}};
		struct mo_value value = {.syntax = col->syntax,
					 .num = fixed ? app->priority : priority};
		char what[WHAT_OCTETS], text[16];

		snprintf(what, sizeof(what), "%s.%" PRIu32 ".%u.%u", APP_OBJECT, ifindex,
			 app->selector, app->protocol);
		snprintf(text, sizeof(text), "%" PRId64, value.num);
		edit_add(e, table, col, &index, &value, what, text);
	}
}

/* A station's port has no order of trust. Returns false after an error. */
static bool add_trust(struct edit *e, const struct table_rows_ports *ports)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(MO_NAME(dcbPortTrust), &table);
	const struct mo_value value = {.syntax = MO_ENUM, .num = MO_port_trust_dscpPcp};
	struct port_rows rows;

	if (!port_rows_read(e->cli, table, &rows))
		return false;
	for (unsigned i = 0; i < ports->n; i++) {
		struct mo_index index = {1, {ports->ifindex[i]}};
		char what[WHAT_OCTETS];

		if (!port_rows_value(&rows, col, ports->ifindex[i], PORT_PRIORITIES))
			continue;
		snprintf(what, sizeof(what), "%s.%" PRIu32, col->name, ports->ifindex[i]);
		edit_add(e, table, col, &index, &value, what, "dscpPcp");
	}
	port_rows_free(&rows);
	return true;
}

static int set_preset(struct cli *cli, const struct preset *preset, int priority,
		      const struct table_rows_ports *ports)
{
	struct edit e;
	int rc = CLI_FAILED;

	if (!edit_open(&e, cli))
		return CLI_FAILED;
	for (unsigned i = 0; i < ports->n; i++)
		add_preset(&e, preset, priority, ports->ifindex[i]);
	if (!preset->dscp || add_trust(&e, ports))
		rc = edit_commit(&e);
	if (rc == CLI_OK)
		edit_print(&e);
	edit_close(&e);
	return rc;
}

int cmd_preset(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	const struct preset *preset;
	struct table_rows_ports ports;
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
	if (!table_rows_ports_parse(cli, &ports, argc - at, argv + at))
		return CLI_FAILED;
	rc = set_preset(cli, preset, priority, &ports);
	table_rows_ports_free(&ports);
	return rc;
}
