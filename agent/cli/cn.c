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

#include "agent/cli/grid.h"
#include "agent/cli/out.h"
#include "agent/cli/out_json.h"
#include "agent/cli/tlv_view.h"
#include "dataplane/core/cn_profile.h"

#define PRIORITIES 8

/* All tables that the output is made of. */
struct cn {
	struct cli *cli;
	struct rowset_ports ports;
	struct rowset lldp, global, com_pri, port_pri, cn_port, dcbx_port, neighbor, port,
	    vlan_port;
};

static bool fetch(struct cn *c)
{
	return rowset_fetch(c->cli, MO_lldp, &c->ports, &c->lldp) &&
	       rowset_fetch(c->cli, MO_cn_global, &c->ports, &c->global) &&
	       rowset_fetch(c->cli, MO_cn_com_pri, &c->ports, &c->com_pri) &&
	       rowset_fetch(c->cli, MO_cn_port_pri, &c->ports, &c->port_pri) &&
	       rowset_fetch(c->cli, MO_cn_port, &c->ports, &c->cn_port) &&
	       rowset_fetch(c->cli, MO_dcbx_port, &c->ports, &c->dcbx_port) &&
	       rowset_fetch(c->cli, MO_neighbor, &c->ports, &c->neighbor) &&
	       rowset_fetch(c->cli, MO_port, &c->ports, &c->port) &&
	       rowset_fetch(c->cli, MO_vlan_port, &c->ports, &c->vlan_port);
}

/* One CNPV on one port, and the positions of its rows. */
struct port_cnpv {
	const struct cn *c;
	uint32_t ifindex;
	unsigned priority;
	size_t row;       /* of cn_port */
	size_t dcbx_port; /* row of dcbx_port */
};

/* Fills in *o. false: the priority is not a CNPV. */
static bool port_cnpv_at(const struct cn *c, size_t dcbx_port, unsigned priority,
			 struct port_cnpv *o)
{
	uint32_t ifindex = c->dcbx_port.rows[dcbx_port].index.sub[0];
	uint32_t sub[3] = {c->cn_port.n ? c->cn_port.rows[0].index.sub[0] : 0, priority, ifindex};

	*o = (struct port_cnpv){.c = c,
				.ifindex = ifindex,
				.priority = priority,
				.row = rowset_find(&c->cn_port, 3, sub),
				.dcbx_port = dcbx_port};
	return rowset_has(&c->cn_port, o->row, 3, sub);
}

static int64_t num(const struct port_cnpv *o, const char *object)
{
	return rowset_num(&o->c->cn_port, o->row, object);
}

static bool is(const struct port_cnpv *o, const char *object)
{
	return rowset_truth(&o->c->cn_port, o->row, object);
}

/*
 * Returns whether the port sends the CN TLV. Its indicators for this CNPV are
 * in the row of cn_port.
 */
static bool sends_cn_tlv(const struct port_cnpv *o)
{
	return rowset_num(&o->c->dcbx_port, o->dcbx_port, MO_NAME(dcbDcbxPortTlvsSent)) >> TLV_CN &
	       1;
}

static int64_t neighbors(const struct port_cnpv *o)
{
	return rowset_num(&o->c->dcbx_port, o->dcbx_port, MO_NAME(dcbDcbxPortNeighbors));
}

/* --- why ------------------------------------------------------------------------------------ */

/*
 * The reason why no LLDP instance carries the indicators of the CNPV: a setting
 * of the port (32.4.4) or of the component (32.3.6).
 */
static const char *why_no_instance(const struct port_cnpv *o)
{
	const uint32_t *sub = o->c->cn_port.rows[o->row].index.sub;
	size_t port = rowset_find(&o->c->port_pri, 3, sub),
	       com = rowset_find(&o->c->com_pri, 2, sub);
	int64_t choice =
	    rowset_num(&o->c->port_pri, port, MO_NAME(ieee8021CnPortPriLldpInstanceChoice));

	if (choice == MO_lldp_choice_cnlComponent)
		choice =
		    rowset_num(&o->c->com_pri, com, MO_NAME(ieee8021CnComPriLldpInstanceChoice));
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
static void why_edge(const struct port_cnpv *o, char text[TLV_TEXT_OCTETS])
{
	size_t port = rowset_find(&o->c->port, 1, &o->ifindex);
	size_t at = rowset_find(&o->c->neighbor, 1, &o->ifindex);
	int64_t tlvs = rowset_num(&o->c->neighbor, at, MO_NAME(dcbNeighborTlvs));
	int64_t malformed = rowset_num(&o->c->neighbor, at, MO_NAME(dcbNeighborMalformedTlvs));
	const char *lldp = rowset_name(&o->c->lldp, 0, MO_NAME(dcbLldpState));
	const char *because = NULL;

	if (strcmp(lldp, "off") == 0)
		/* Message: See the messages that begin with `LLDP agent`. */
		because = "LLDP is off";
	else if (num(o, MO_NAME(dcbCnPortLldpInstance)) == 0)
		because = why_no_instance(o);
	else if (!rowset_truth(&o->c->port, port, MO_NAME(dcbPortOperational)))
		/* Message "the link is down": Check the cable and the interface. */
		/*
		 * Message "dcbd cannot open the interface": The link is up. dcbPortOpenError has
		 * the reason; dcbd(8) tries again.
		 */
		because = rowset_text(&o->c->port, port, MO_NAME(dcbPortOpenError))[0]
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
		snprintf(text, TLV_TEXT_OCTETS, "edge: %s", because);
	else if (neighbors(o) == 1)
		/* Message: Make the priority a CNPV at the neighbor too. */
		snprintf(text, TLV_TEXT_OCTETS, "edge: priority %u is not a CNPV of the neighbor",
			 o->priority);
	else
		/*
		 * Message: Connect the port to one system only, and look for a device on the link
		 * that forwards LLDPDUs.
		 */
		snprintf(text, TLV_TEXT_OCTETS, "edge: %" PRId64 " neighbors, expected one",
			 neighbors(o));
}

static void why(const struct port_cnpv *o, char text[TLV_TEXT_OCTETS])
{
	const uint32_t *sub = o->c->cn_port.rows[o->row].index.sub;
	size_t com = rowset_find(&o->c->com_pri, 2, sub);
	const char *because = NULL;

	if (!rowset_truth(&o->c->global, 0, MO_NAME(ieee8021CnGlobalMasterEnable)))
		/* Message: Set ieee8021CnGlobalMasterEnable to true. */
		because = "congestion notification is switched off";
	else if (rowset_num(&o->c->com_pri, com, MO_NAME(ieee8021CnComPriRowStatus)) !=
		 MO_row_status_active)
		/* Message: Set ieee8021CnComPriRowStatus of the priority to active. */
		because = "the CNPV is not active";
	else if (is(o, MO_NAME(dcbCnPortIsAdmin)))
		because = "set by management";
	else if (num(o, MO_NAME(dcbCnPortState)) == MO_cndd_state_interior)
		because = "interior: the neighbor is not ready yet";
	else if (num(o, MO_NAME(dcbCnPortState)) == MO_cndd_state_interiorReady)
		because = "interiorReady: the neighbor is ready too";
	if (because)
		snprintf(text, TLV_TEXT_OCTETS, "%s", because);
	else
		why_edge(o, text);
}

/* Returns whether congestion notification of the CNPV is in use on this port. */
static bool is_in_use(const struct port_cnpv *o)
{
	const uint32_t *sub = o->c->cn_port.rows[o->row].index.sub;
	size_t com = rowset_find(&o->c->com_pri, 2, sub);

	return rowset_truth(&o->c->global, 0, MO_NAME(ieee8021CnGlobalMasterEnable)) &&
	       rowset_num(&o->c->com_pri, com, MO_NAME(ieee8021CnComPriRowStatus)) ==
		   MO_row_status_active &&
	       num(o, MO_NAME(dcbCnPortDefenseMode)) != MO_defense_mode_cptDisabled;
}

/* Whether the port keeps or strips CN-TAGs when it transmits; NULL: CNPV not in use. */
static const char *cn_tags(const struct port_cnpv *o)
{
	if (!is_in_use(o))
		return NULL;
	return num(o, MO_NAME(dcbCnPortDefenseMode)) == MO_defense_mode_cptInteriorReady
		   ? "kept"
		   : "stripped";
}

/* Not dcbAgentRole: a bridge or RBridge can have ports of a station beside it. */
static bool is_of_bridge(const struct port_cnpv *o)
{
	size_t row = rowset_find(&o->c->vlan_port, 1, &o->ifindex);

	return rowset_has(&o->c->vlan_port, row, 1, &o->ifindex);
}

/*
 * Returns the priority that frames received with the CNPV get: an edge port of a bridge
 * or RBridge maps it to the alternate priority (32.1).
 */
static int64_t received_as(const struct port_cnpv *o)
{
	bool maps = is_in_use(o) &&
		    num(o, MO_NAME(dcbCnPortDefenseMode)) == MO_defense_mode_cptEdge &&
		    is_of_bridge(o);

	return maps ? num(o, MO_NAME(dcbCnPortAlternatePriority)) : o->priority;
}

/* --- text ----------------------------------------------------------------------------------- */

static const char *indicators(bool sent_or_received, bool cnpv, bool ready)
{
	if (!sent_or_received || !cnpv)
		return "-";
	return ready ? "CNPV, ready" : "CNPV";
}

static void add_row(struct grid *g, const struct port_cnpv *o)
{
	const char *tags = cn_tags(o);
	char text[TLV_TEXT_OCTETS];

	grid_cell(g, rowset_port_name(&o->c->ports, o->ifindex, text));
	snprintf(text, sizeof(text), "%u", o->priority);
	grid_cell(g, text);
	grid_cell(g, rowset_name(&o->c->cn_port, o->row, MO_NAME(dcbCnPortState)));
	grid_cell(g, rowset_name(&o->c->cn_port, o->row, MO_NAME(dcbCnPortDefenseMode)));
	snprintf(text, sizeof(text), "%" PRId64, num(o, MO_NAME(dcbCnPortAlternatePriority)));
	grid_cell(g, text);
	grid_cell(g, tags ? tags : "-");
	grid_cell(g, indicators(sends_cn_tlv(o), is(o, MO_NAME(dcbCnPortXmitCnpvCapable)),
				is(o, MO_NAME(dcbCnPortXmitReady))));
	grid_cell(g, indicators(true, is(o, MO_NAME(dcbCnPortRcvdCnpv)),
				is(o, MO_NAME(dcbCnPortRcvdReady))));
	why(o, text);
	grid_cell(g, text);
}

/* Writes a line for each way in which frames of the CNPV lose their priority on this port. */
static void write_notes(const struct port_cnpv *o, bool *first)
{
	FILE *out = o->c->cli->out;
	char name[ROWSET_PORT_OCTETS];

	rowset_port_name(&o->c->ports, o->ifindex, name);
	if (is(o, MO_NAME(dcbCnPortUntagged))) {
		/*
		 * Message: The neighbor is not known to have the CNPV, so frames of the port's VLAN
		 * leave untagged, and the domain ends here. If the neighbor belongs to the domain,
		 * enable the CN TLV at both ends, or set the defense mode of the port to
		 * cptInterior. If only the priority matters, set `pvid_tagged` for the port in
		 * dcbd.conf(5).
		 */
		fprintf(out,
			"%s%s: frames of priority %u leave untagged: the neighbor receives them "
			"with its default priority\n",
			*first ? "\n" : "", name, o->priority);
		*first = false;
	}
	if (received_as(o) != o->priority) {
		/*
		 * Message: The port protects the domain from the flows of a neighbor without
		 * congestion notification. If the neighbor belongs to the domain, enable the CN TLV
		 * at both ends, or set the defense mode of the port to cptInterior.
		 */
		fprintf(out,
			"%s%s: frames received with priority %u get priority %" PRId64
			": the port is an edge\n",
			*first ? "\n" : "", name, o->priority, received_as(o));
		*first = false;
	}
}

static void write_text(const struct cn *c)
{
	static const char *const headers[] = {"port",         "CNPV",      "state",
					      "defense mode", "alternate", "CN-TAGs",
					      "sent",         "received",  "why"};
	struct grid g = {0};
	struct port_cnpv o;
	bool first = true;

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		grid_column(&g, headers[i], i == 1 || i == 4);
	for (size_t p = 0; p < c->dcbx_port.n; p++)
		for (unsigned priority = 0; priority < PRIORITIES; priority++)
			if (port_cnpv_at(c, p, priority, &o))
				add_row(&g, &o);
	if (grid_rows(&g) > 0)
		grid_print(&g, c->cli->out);
	else
		fputs("no CNPVs\n", c->cli->out);
	grid_clear(&g);
	for (size_t p = 0; p < c->dcbx_port.n; p++)
		for (unsigned priority = 0; priority < PRIORITIES; priority++)
			if (port_cnpv_at(c, p, priority, &o))
				write_notes(&o, &first);
}

/* --- JSON ----------------------------------------------------------------------------------- */

static json_t *indicators_json(bool cnpv, bool ready)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "cnpv", json_boolean(cnpv));
	out_json_put(o, "ready", json_boolean(ready));
	return o;
}

static json_t *port_cnpv_json(const struct port_cnpv *o)
{
	json_t *to = out_alloc_check(json_object());
	const struct rowset *set = &o->c->cn_port;
	const char *tags = cn_tags(o);
	int64_t instance = num(o, MO_NAME(dcbCnPortLldpInstance));
	char text[TLV_TEXT_OCTETS];

	why(o, text);
	out_json_put(to, "priority", json_integer(o->priority));
	out_json_put(to, "state", json_string(rowset_name(set, o->row, MO_NAME(dcbCnPortState))));
	out_json_put(to, "administrative", json_boolean(is(o, MO_NAME(dcbCnPortIsAdmin))));
	out_json_put(to, "defenseMode",
		     json_string(rowset_name(set, o->row, MO_NAME(dcbCnPortDefenseMode))));
	out_json_put(to, "alternatePriority",
		     json_integer(num(o, MO_NAME(dcbCnPortAlternatePriority))));
	out_json_put(to, "receivedAs", json_integer(received_as(o)));
	out_json_put(to, "untagged", json_boolean(is(o, MO_NAME(dcbCnPortUntagged))));
	out_json_put(to, "cnTags", tags ? json_string(tags) : json_null());
	out_json_put(to, "lldpInstance", instance ? json_integer(instance) : json_null());
	out_json_put(to, "sent",
		     sends_cn_tlv(o) ? indicators_json(is(o, MO_NAME(dcbCnPortXmitCnpvCapable)),
						       is(o, MO_NAME(dcbCnPortXmitReady)))
				     : json_null());
	out_json_put(
	    to, "theirs",
	    indicators_json(is(o, MO_NAME(dcbCnPortRcvdCnpv)), is(o, MO_NAME(dcbCnPortRcvdReady))));
	out_json_put(to, "modeChanges", json_integer(num(o, MO_NAME(dcbCnPortModeChanges))));
	out_json_put(to, "why", json_string(text));
	return to;
}

static void write_json(const struct cn *c)
{
	json_t *all = out_alloc_check(json_array());
	struct port_cnpv o;

	for (size_t p = 0; p < c->dcbx_port.n; p++) {
		json_t *to = out_json_port(&c->ports, c->dcbx_port.rows[p].index.sub[0]);
		json_t *a = out_alloc_check(json_array());

		for (unsigned priority = 0; priority < PRIORITIES; priority++)
			if (port_cnpv_at(c, p, priority, &o))
				out_json_append(a, port_cnpv_json(&o));
		out_json_put(to, "cnpvs", a);
		out_json_append(all, to);
	}
	out_json_write(all, c->cli->out);
}

int cmd_cn(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	struct cn c = {.cli = cli};
	int rc = CLI_FAILED;

	if (argc > 0 && (strcmp(argv[0], "show") == 0 || strcmp(argv[0], "set") == 0))
		return cmd_port(cli, self, argc, argv);
	if (!rowset_ports_parse(cli, &c.ports, argc, argv))
		return CLI_FAILED;
	if (fetch(&c) && rowset_ports_exist(&c.ports, &c.dcbx_port)) {
		(cli->json ? write_json : write_text)(&c);
		rc = CLI_OK;
	}
	rowset_ports_free(&c.ports);
	return rc;
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

/* Returns the value of an object at this rate. */
static int64_t profile_value(const struct mo_column *col, struct dcb_rate rate)
{
	for (unsigned i = 0; i < CN_PROFILE_OBJECTS; i++)
		if (strcmp(profile_objects[i], col->name) == 0)
			return cn_profile_value((enum cn_profile_object)i, rate);
	return col->has_initial ? col->initial : (int64_t)dcb_rate_to_mbps(rate); /* rpgMaxRate */
}

/* Calls write for each object of congestion points and reaction point groups that is a number. */
static void profile_each(struct dcb_rate rate, void *to,
			 void (*write)(void *to, const struct mo_column *col, int64_t value))
{
	static const enum mo_table_id tables[] = {MO_cn_cp, MO_cn_rpg};

	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		const struct mo_table *table = mo_table(tables[t]);

		for (unsigned i = 0; i < table->n_columns; i++) {
			const struct mo_column *col = &table->columns[i];

			if (mo_is_writable(col) && col->syntax != MO_TRUTH)
				write(to, col, profile_value(col, rate));
		}
	}
}

static void add_profile_row(void *to, const struct mo_column *col, int64_t value)
{
	struct grid *g = to;
	char text[24];

	grid_cell(g, col->name);
	snprintf(text, sizeof(text), "%" PRId64, value);
	grid_cell(g, text);
	snprintf(text, sizeof(text), "%" PRId64, col->initial);
	grid_cell(g, col->has_initial ? text : "-");
	grid_cell(g, col->unit);
}

static void write_profile_text(FILE *f, struct dcb_rate rate)
{
	struct grid g = {0};

	grid_column(&g, "object", false);
	grid_column(&g, "scaled", true);
	grid_column(&g, "standard", true);
	grid_column(&g, "unit", false);
	profile_each(rate, &g, add_profile_row);
	grid_print(&g, f);
	grid_clear(&g);
}

static void add_profile_json(void *to, const struct mo_column *col, int64_t value)
{
	json_t *o = out_alloc_check(json_object());

	out_json_put(o, "object", json_string(col->name));
	out_json_put(o, "value", json_integer(value));
	out_json_put(o, "default", col->has_initial ? json_integer(col->initial) : json_null());
	out_json_put(o, "unit", json_string(col->unit));
	out_json_append(to, o);
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

static void add_profile_initial(void *to, const struct mo_column *col, int64_t value)
{
	struct profile_initial *p = to;
	int identifier = p->priority ? p->priority : PRIORITIES; /* CpIndex, RpgIdentifier */
	char index[24];

	if (!col->has_initial || value == col->initial)
		return;
	if (mo_column(mo_table(MO_cn_cp), col->subid) == col)
		snprintf(index, sizeof(index), "1.*.%d", identifier);
	else
		snprintf(index, sizeof(index), "1.%d.*.%d", p->priority, identifier);
	fprintf(p->f, "%s\t{ object = \"%s\"; index = \"%s\"; port = \"*\"; value = %" PRId64 "; }",
		p->n++ ? ",\n" : "", col->name, index, value);
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
