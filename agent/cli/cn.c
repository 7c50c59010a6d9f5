/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl cn: the defense mode of each port for each CNPV, and its reason.
 *
 *   JSON  [{"ifIndex", "port", "cnpvs": [{"priority", "state", "defenseMode", "why", ...}]}]
 *
 * dcbctl cn-profile: the initial values of the CP and RP objects for a rate. Does not need dcbd.
 *
 *   JSON  [{"rate", "objects": [{"object", "value", "default", "unit"}]}]
 */
#include <inttypes.h>
#include <string.h>

#include "agent/cli/base/out.h"
#include "agent/cli/base/out_json.h"
#include "agent/cli/tlv_view.h"
#include "dataplane/core/cn_profile.h"

/* A row of dcbCnPortTable, ifIndex, component, priority: one CNPV on one port. */
static uint32_t priority_of(struct table_rows_at o)
{
	return o.sub[2];
}

/* The rows of its CNPV, and of its port. */
static struct table_rows_at cnpv_of(struct table_rows_at o)
{
	return table_rows_find(o.all, MO_cn_com_pri, 2, o.sub + 1);
}

static struct table_rows_at port_of(struct table_rows_at o, enum mo_table_id table)
{
	return table_rows_find(o.all, table, 1, o.sub);
}

/*
 * Returns whether the port sends the CN TLV. Its indicators for this CNPV are
 * in the row of cn_port.
 */
static bool sends_cn_tlv(struct table_rows_at o)
{
	return table_rows_num(port_of(o, MO_dcbx_port), MO_NAME(dcbDcbxPortTlvsSent)) >> TLV_CN & 1;
}

static int64_t neighbors(struct table_rows_at o)
{
	return table_rows_num(port_of(o, MO_dcbx_port), MO_NAME(dcbDcbxPortNeighbors));
}

/* --- why ------------------------------------------------------------------------------------ */

/*
 * The reason why no LLDP instance carries the indicators of the CNPV: a setting
 * of the port (32.4.4) or of the component (32.3.6).
 */
static const char *why_no_instance(struct table_rows_at o)
{
	int64_t choice = table_rows_num(table_rows_find(o.all, MO_cn_port_pri, 3, o.sub),
					MO_NAME(ieee8021CnPortPriLldpInstanceChoice));

	if (choice == MO_lldp_choice_cnlComponent)
		choice = table_rows_num(cnpv_of(o), MO_NAME(ieee8021CnComPriLldpInstanceChoice));
	/*
	 * Message: The choice of the port is ieee8021CnPortPriLldpInstanceChoice. If it is
	 * cnlComponent, ieee8021CnComPriLldpInstanceChoice is used. Set the choice to cnlAdmin, and
	 * set ieee8021CnPortPriLldpInstanceSelector or ieee8021CnComPriLldpInstanceSelector to the
	 * number of `lldp.destination` in dcbd.conf(5).
	 */
	return choice == MO_lldp_choice_cnlNone ? "the LLDP instance choice is cnlNone"
						: "dcbd does not serve the selected LLDP instance";
}

/* The reason why a port is an edge port of the CNPV: no neighbor sends indicators for it. */
static void why_edge(struct table_rows_at o, char text[TABLE_ROWS_CELL_OCTETS])
{
	struct table_rows_at port = port_of(o, MO_port), neighbor = port_of(o, MO_neighbor);
	int64_t tlvs = table_rows_num(neighbor, MO_NAME(dcbNeighborTlvs));
	int64_t malformed = table_rows_num(neighbor, MO_NAME(dcbNeighborMalformedTlvs));
	const char *lldp = table_rows_name(table_rows_at(o.all, MO_lldp, 0), MO_NAME(dcbLldpState));
	const char *because = NULL;

	if (strcmp(lldp, "off") == 0)
		/* Message: See the messages that begin with `LLDP agent`. */
		because = "LLDP is off";
	else if (table_rows_num(o, MO_NAME(dcbCnPortLldpInstance)) == 0)
		because = why_no_instance(o);
	else if (!table_rows_truth(port, MO_NAME(dcbPortOperational)))
		/* Message "the link is down": Check the cable and the interface. */
		/*
		 * Message "dcbd cannot open the interface": The link is up. dcbPortOpenError has
		 * the reason; dcbd(8) tries again.
		 */
		because = table_rows_text(port, MO_NAME(dcbPortOpenError))[0]
			      ? "dcbd cannot open the interface"
			      : "the link is down";
	else if (neighbors(o) == 0 && strcmp(lldp, "mismatch") == 0)
		/* Message: as "LLDP is off" */
		because = "lldpd and liblldpctl have different versions";
	else if (neighbors(o) == 0 && strcmp(lldp, "connected") != 0)
		/* Message: as "LLDP is off" */
		because = "the LLDP agent does not answer";
	else if (neighbors(o) == 0)
		/*
		 * Message: Enable LLDP and the CN TLV at the neighbor. A neighbor that does not
		 * support congestion notification needs no action.
		 */
		because = "no neighbor";
	else if (neighbors(o) == 1 && (malformed >> TLV_CN & 1))
		/* Message: Correct the configuration of the neighbor, or update its software. */
		because = "the neighbor's CN TLV is malformed";
	else if (neighbors(o) == 1 && !(tlvs >> TLV_CN & 1))
		/* Message: as "no neighbor" */
		because = "the neighbor sends no CN TLV";
	if (because)
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "edge: %s", because);
	else if (neighbors(o) == 1)
		/* Message: Make the priority a CNPV at the neighbor too. */
		snprintf(text, TABLE_ROWS_CELL_OCTETS,
			 "edge: priority %" PRIu32 " is not a CNPV of the neighbor",
			 priority_of(o));
	else
		/*
		 * Message: Connect the port to one system only, and look for a device on the link
		 * that forwards LLDPDUs.
		 */
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "edge: %" PRId64 " neighbors, expected one",
			 neighbors(o));
}

static bool is_switched_on(struct table_rows_at o)
{
	return table_rows_truth(table_rows_at(o.all, MO_cn_global, 0),
				MO_NAME(ieee8021CnGlobalMasterEnable));
}

static bool is_active(struct table_rows_at o)
{
	return table_rows_num(cnpv_of(o), MO_NAME(ieee8021CnComPriRowStatus)) ==
	       MO_row_status_active;
}

static json_t *why(struct table_rows_at o)
{
	char text[TABLE_ROWS_CELL_OCTETS];

	if (!is_switched_on(o))
		/* Message: Set ieee8021CnGlobalMasterEnable to true. */
		return json_string("congestion notification is switched off");
	if (!is_active(o))
		/* Message: Set ieee8021CnComPriRowStatus of the priority to active. */
		return json_string("the CNPV is not active");
	if (table_rows_truth(o, MO_NAME(dcbCnPortIsAdmin)))
		return json_string("set by management");
	if (table_rows_num(o, MO_NAME(dcbCnPortState)) == MO_cndd_state_interior)
		return json_string("interior: the neighbor is not ready yet");
	if (table_rows_num(o, MO_NAME(dcbCnPortState)) == MO_cndd_state_interiorReady)
		return json_string("interiorReady: the neighbor is ready too");
	why_edge(o, text);
	return json_string(text);
}

/* Returns whether congestion notification of the CNPV is in use on this port. */
static bool is_in_use(struct table_rows_at o)
{
	return is_switched_on(o) && is_active(o) &&
	       table_rows_num(o, MO_NAME(dcbCnPortDefenseMode)) != MO_defense_mode_cptDisabled;
}

/* Whether the port keeps or strips CN-TAGs when it transmits. */
static json_t *cn_tags(struct table_rows_at o)
{
	return json_string(table_rows_num(o, MO_NAME(dcbCnPortDefenseMode)) ==
				   MO_defense_mode_cptInteriorReady
			       ? "kept"
			       : "stripped");
}

/*
 * Returns the priority that frames received with the CNPV get: an edge port of a bridge
 * or RBridge maps it to the alternate priority (32.1). Not dcbAgentRole: a bridge or RBridge can
 * have ports of a station beside it, which are not in dcbVlanPortTable.
 */
static int64_t received_as(struct table_rows_at o)
{
	bool maps = is_in_use(o) &&
		    table_rows_num(o, MO_NAME(dcbCnPortDefenseMode)) == MO_defense_mode_cptEdge &&
		    port_of(o, MO_vlan_port).sub;

	return maps ? table_rows_num(o, MO_NAME(dcbCnPortAlternatePriority)) : priority_of(o);
}

static json_t *received_as_json(struct table_rows_at o)
{
	return json_integer(received_as(o));
}

/* "CNPV, ready" for two objects. */
static void indicators_text(struct table_rows_at o, char text[TABLE_ROWS_CELL_OCTETS])
{
	bool ready = table_rows_truth(o, o.col->other);

	strcpy(text, !table_rows_truth(o, o.col->object) ? "-" : ready ? "CNPV, ready" : "CNPV");
}

static json_t *indicators(struct table_rows_at o)
{
	json_t *to = out_alloc_check(json_object());

	out_json_put(to, "cnpv", table_rows_json(o, o.col->object));
	out_json_put(to, "ready", table_rows_json(o, o.col->other));
	return to;
}

/* --- columns -------------------------------------------------------------------------------- */

static const struct table_rows_column cnpv_columns[] = {
    TABLE_ROWS_PORT_CELL,
    TABLE_ROWS_INDEX("priority", "CNPV", 2),
    {.key = "state", .heading = "state", .object = MO_NAME(dcbCnPortState)},
    {.key = "administrative", .object = MO_NAME(dcbCnPortIsAdmin)},
    {.key = "defenseMode", .heading = "defense mode", .object = MO_NAME(dcbCnPortDefenseMode)},
    TABLE_ROWS_NUMBER("alternatePriority", "alternate", dcbCnPortAlternatePriority),
    {.key = "receivedAs", .value = received_as_json},
    {.key = "untagged", .object = MO_NAME(dcbCnPortUntagged)},
    {.key = "cnTags", .heading = "CN-TAGs", .value = cn_tags, .has = is_in_use},
    {.key = "lldpInstance", .object = MO_NAME(dcbCnPortLldpInstance), .value = table_rows_nonzero},
    {.key = "sent",
     .heading = "sent",
     .has = sends_cn_tlv,
     .value = indicators,
     .text = indicators_text,
     .object = MO_NAME(dcbCnPortXmitCnpvCapable),
     .other = MO_NAME(dcbCnPortXmitReady)},
    {.key = "theirs",
     .heading = "received",
     .value = indicators,
     .text = indicators_text,
     .object = MO_NAME(dcbCnPortRcvdCnpv),
     .other = MO_NAME(dcbCnPortRcvdReady)},
    {.key = "modeChanges", .object = MO_NAME(dcbCnPortModeChanges)},
    {.key = "why", .heading = "why", .value = why},
    {0},
};

static const struct table_rows_column port_columns[] = {
    TABLE_ROWS_PORT,
    {.key = "cnpvs", .rows = cnpv_columns, .table = MO_cn_port, .arg = 1},
    {0},
};

/* --- text ----------------------------------------------------------------------------------- */

/* Writes a line for each way in which frames of the CNPV lose their priority on this port. */
static void write_notes(struct table_rows_at o, bool *first)
{
	FILE *out = o.all->cli->out;
	char name[TABLE_ROWS_PORT_OCTETS];

	table_rows_port_name(&o.all->ports, o.sub[0], name);
	if (table_rows_truth(o, MO_NAME(dcbCnPortUntagged))) {
		/*
		 * Message: The neighbor is not known to have the CNPV, so frames of the port's VLAN
		 * leave untagged, and the domain ends here. If the neighbor belongs to the domain,
		 * enable the CN TLV at both ends, or set the defense mode of the port to
		 * cptInterior. If only the priority matters, set `pvid_tagged` for the port in
		 * dcbd.conf(5).
		 */
		fprintf(out,
			"%s%s: frames of priority %" PRIu32
			" leave untagged: the neighbor receives them "
			"with its default priority\n",
			*first ? "\n" : "", name, priority_of(o));
		*first = false;
	}
	if (received_as(o) != priority_of(o)) {
		/*
		 * Message: The port protects the domain from the flows of a neighbor without
		 * congestion notification. If the neighbor belongs to the domain, enable the CN TLV
		 * at both ends, or set the defense mode of the port to cptInterior.
		 */
		fprintf(out,
			"%s%s: frames received with priority %" PRIu32 " get priority %" PRId64
			": the port is an edge\n",
			*first ? "\n" : "", name, priority_of(o), received_as(o));
		*first = false;
	}
}

static void write_text(const struct table_rows_all *all, FILE *f)
{
	struct text_table g = {0};
	bool first = true;

	table_rows_headings(&g, cnpv_columns);
	TABLE_ROWS_EACH (port, all, MO_dcbx_port, 0, NULL)
		TABLE_ROWS_EACH (o, all, MO_cn_port, 1, port.sub)
			table_rows_cells(&g, o, cnpv_columns);
	if (text_table_rows(&g) > 0)
		text_table_print(&g, f);
	else
		fputs("no CNPVs\n", f);
	text_table_clear(&g);
	TABLE_ROWS_EACH (port, all, MO_dcbx_port, 0, NULL)
		TABLE_ROWS_EACH (o, all, MO_cn_port, 1, port.sub)
			write_notes(o, &first);
}

static const struct table_rows_command cn = {
    .tables =
	(const enum mo_table_id[]){MO_lldp, MO_cn_global, MO_cn_com_pri, MO_cn_port_pri, MO_cn_port,
				   MO_dcbx_port, MO_neighbor, MO_port, MO_vlan_port, MO_TABLES},
    .ports = MO_dcbx_port,
    .text = write_text,
    .rows = MO_dcbx_port,
    .columns = port_columns,
};

int cmd_cn(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	if (argc > 0 && (strcmp(argv[0], "show") == 0 || strcmp(argv[0], "set") == 0))
		return cmd_port(cli, self, argc, argv);
	return table_rows_command(cli, &cn, argc, argv);
}

/* --- dcbctl cn-profile ---------------------------------------------------------------------- */

/* The objects that depend on the rate. */
static const char *const profile_objects[CN_PROFILE_OBJECTS] = {
    [CN_PROFILE_QUEUE_SIZE_SET_POINT] = MO_NAME(ieee8021CnCpQueueSizeSetPoint),
    [CN_PROFILE_MIN_SAMPLE_BASE] = MO_NAME(ieee8021CnCpMinSampleBase),
    [CN_PROFILE_TIME_RESET] = MO_NAME(ieee8021CnRpgTimeReset),
    [CN_PROFILE_AI_RATE] = MO_NAME(ieee8021CnRpgAiRate),
    [CN_PROFILE_HAI_RATE] = MO_NAME(ieee8021CnRpgHaiRate),
    [CN_PROFILE_MIN_RATE] = MO_NAME(ieee8021CnRpgMinRate),
};

const struct option cli_cn_profile_long_options[] = {
    {"initial", required_argument, NULL, 'i'},
    {NULL, 0, NULL, 0},
};

bool cli_cn_profile_option(struct cli *cli, int c, const char *arg)
{
	(void)c;
	cli->own_args[0] = arg;
	if (arg[0] >= '0' && arg[0] <= '7' && !arg[1])
		return true;
	/* Message: as "--%s: expected one of %s, not "%s"" */
	cli_fail("--initial: expected a priority 0..7, not \"%s\"", arg);
	return false;
}

/* An object of congestion points or reaction point groups that is a number. */
struct profile_row {
	const struct mo_column *col;
	const char *name, *unit;
	int64_t value, initial;
};

/* Returns the value of an object at this rate. */
static int64_t profile_value(const struct mo_column *col, struct dcb_rate rate)
{
	for (unsigned i = 0; i < CN_PROFILE_OBJECTS; i++)
		if (strcmp(profile_objects[i], col->name) == 0)
			return cn_profile_value((enum cn_profile_object)i, rate);
	return col->has_initial ? col->initial : (int64_t)dcb_rate_to_mbps(rate); /* rpgMaxRate */
}

/* Calls write for each such object. */
static void profile_each(struct dcb_rate rate, void *to,
			 void (*write)(void *to, const struct profile_row *row))
{
	static const enum mo_table_id tables[] = {MO_cn_cp, MO_cn_rpg};

	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		const struct mo_table *table = mo_table(tables[t]);

		for (unsigned i = 0; i < table->n_columns; i++) {
			const struct mo_column *col = &table->columns[i];

			if (mo_is_writable(col) && col->syntax != MO_TRUTH)
				write(to, &(struct profile_row){col, col->name, col->unit,
								profile_value(col, rate),
								col->initial});
		}
	}
}

static bool has_initial(struct table_rows_at at)
{
	return ((const struct profile_row *)at.data)->col->has_initial;
}

/* clang-format off */
static const struct table_rows_column profile_columns[] = {
	{.key = "object", .heading = "object", TABLE_ROWS_STRING(struct profile_row, name)},
	{.key = "value", .heading = "scaled", .right = true, TABLE_ROWS_INTEGER(struct profile_row, value)},
	{.key = "default", .heading = "standard", .right = true, .has = has_initial,
	 TABLE_ROWS_INTEGER(struct profile_row, initial)},
	{.key = "unit", .heading = "unit", TABLE_ROWS_STRING(struct profile_row, unit)},
	{0},
};
/* clang-format on */

static void add_profile_row(void *g, const struct profile_row *row)
{
	table_rows_cells(g, (struct table_rows_at){.data = row}, profile_columns);
}

static void write_profile_text(FILE *f, struct dcb_rate rate)
{
	struct text_table g = {0};

	table_rows_headings(&g, profile_columns);
	profile_each(rate, &g, add_profile_row);
	table_rows_print(&g, f, NULL);
}

static void add_profile_json(void *a, const struct profile_row *row)
{
	out_json_append(a, table_rows_object((struct table_rows_at){.data = row}, profile_columns));
}

static void write_profile_json(FILE *f, struct dcb_rate rate)
{
	json_t *all = out_alloc_check(json_array()), *o = out_alloc_check(json_object());
	json_t *objects = out_alloc_check(json_array());

	out_json_put(o, "rate", json_integer((json_int_t)rate.bps));
	profile_each(rate, objects, add_profile_json);
	out_json_put(o, "objects", objects);
	out_json_append(all, o);
	out_json_write(all, f);
}

/* Entries of initial in dcbd.conf for the objects that differ from their DEFVAL. */
struct profile_initial {
	FILE *f;
	int priority, n;
};

static void add_profile_initial(void *to, const struct profile_row *row)
{
	const struct mo_column *col = row->col;
	struct profile_initial *p = to;
	int identifier = p->priority ? p->priority : 8; /* CpIndex, RpgIdentifier */
	char index[24];

	if (!col->has_initial || row->value == col->initial)
		return;
	if (mo_column(mo_table(MO_cn_cp), col->subid) == col)
		snprintf(index, sizeof(index), "1.*.%d", identifier);
	else
		snprintf(index, sizeof(index), "1.%d.*.%d", p->priority, identifier);
	fprintf(p->f, "%s\t{ object = \"%s\"; index = \"%s\"; port = \"*\"; value = %" PRId64 "; }",
		p->n++ ? ",\n" : "", col->name, index, row->value);
}

static void write_profile_initial(FILE *f, struct dcb_rate rate, const char *priority)
{
	struct profile_initial to = {.f = f, .priority = priority[0] - '0'};

	fputs("initial = (\n", f);
	profile_each(rate, &to, add_profile_initial);
	fputs(to.n ? "\n);\n" : ");\n", f);
}

int cmd_cn_profile(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct dcb_rate rate;

	if (argc != 1 || (cli->json && cli->own_args[0]))
		return cli_usage(self);
	if (!cli_parse_rate(argv[0], &rate.bps)) {
		/* Message: as "--%s: expected one of %s, not "%s"" */
		cli_fail("expected a rate of 1 bit/s to 10T, such as 2.5G, not \"%s\"", argv[0]);
		return CLI_USAGE;
	}
	if (cli->own_args[0])
		write_profile_initial(cli->out, rate, cli->own_args[0]);
	else
		(cli->json ? write_profile_json : write_profile_text)(cli->out, rate);
	return CLI_OK;
}
