/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl hardware report: what the kernel has about an interface, and what dcbd makes of it. It
 * asks the kernel itself, so that dcbd need not run, nor have the interface as a port.
 *
 * The JSON is the report, and the text is made of it: a line for each member, a table for each
 * array of objects. Attributes have the names of <linux/dcbnl.h>; one that the answer does not have
 * is null.
 *
 *   JSON  [{"interface", "ifIndex", "kernel", "dcbctl", "driver", "driverVersion", "firmware",
 * "known", "delayUnit", "resetsLink": [...], "hostFlag", "owner", "dcbx": [...], "countersFrom",
 * "ets", "pfc", "maxrate", "qcn", "qcnStats", "buffer", "apps": [{"selector", "protocol",
 * "priority"}], "peerEts", "peerPfc", "peerApps", "counters": [{"name", "value", "priority",
 * "object"}], "notFound": [{"name", "priorities": [...], "object"}]}]
 */
#include "agent/cli/hardware_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "agent/cli/base/out_json.h"
#include "agent/cli/base/table_rows.h"
#include "dataplane/kernel/kernel_counters.h"

struct report {
	const char *interface;
	uint32_t ifindex;
	struct kernel_driver_info info;
	const struct kernel_driver *driver;
	struct dcbnl_port now;
	struct kernel_names names;
	uint64_t *values; /* as many as names */
	struct kernel_map map;
};

/* --- attributes ---------------------------------------------------------------------------- */

/* A member of a structure of <linux/dcbnl.h>: one number, or one for each priority or class. */
struct field {
	const char *name; /* NULL: the end */
	size_t at, octets;
	unsigned n; /* 0: one number, no array */
};
#define NUMBER(type, member)                                                    \
	{                                                                       \
#member, offsetof(type, member), sizeof(((type *)0)->member), 0 \
	}
#define NUMBERS(type, member)                                                     \
	{                                                                         \
#member, offsetof(type, member), sizeof(((type *)0)->member[0]),  \
		    sizeof(((type *)0)->member) / sizeof(((type *)0)->member[0]), \
	}

static const struct field ets_fields[] = {
    NUMBER(struct ieee_ets, willing),
    NUMBER(struct ieee_ets, ets_cap),
    NUMBER(struct ieee_ets, cbs),
    NUMBERS(struct ieee_ets, prio_tc),
    NUMBERS(struct ieee_ets, tc_tsa),
    NUMBERS(struct ieee_ets, tc_tx_bw),
    NUMBERS(struct ieee_ets, tc_rx_bw),
    NUMBERS(struct ieee_ets, reco_prio_tc),
    NUMBERS(struct ieee_ets, tc_reco_tsa),
    NUMBERS(struct ieee_ets, tc_reco_bw),
    {0},
};
static const struct field pfc_fields[] = {
    NUMBER(struct ieee_pfc, pfc_cap),
    NUMBER(struct ieee_pfc, pfc_en),
    NUMBER(struct ieee_pfc, mbc),
    NUMBER(struct ieee_pfc, delay),
    NUMBERS(struct ieee_pfc, requests),
    NUMBERS(struct ieee_pfc, indications),
    {0},
};
static const struct field maxrate_fields[] = {NUMBERS(struct ieee_maxrate, tc_maxrate), {0}};
static const struct field qcn_fields[] = {
    NUMBERS(struct ieee_qcn, rpg_enable),
    NUMBERS(struct ieee_qcn, rppp_max_rps),
    NUMBERS(struct ieee_qcn, rpg_time_reset),
    NUMBERS(struct ieee_qcn, rpg_byte_reset),
    NUMBERS(struct ieee_qcn, rpg_threshold),
    NUMBERS(struct ieee_qcn, rpg_max_rate),
    NUMBERS(struct ieee_qcn, rpg_ai_rate),
    NUMBERS(struct ieee_qcn, rpg_hai_rate),
    NUMBERS(struct ieee_qcn, rpg_gd),
    NUMBERS(struct ieee_qcn, rpg_min_dec_fac),
    NUMBERS(struct ieee_qcn, rpg_min_rate),
    NUMBERS(struct ieee_qcn, cndd_state_machine),
    {0},
};
static const struct field qcn_stats_fields[] = {
    NUMBERS(struct ieee_qcn_stats, rppp_rp_centiseconds),
    NUMBERS(struct ieee_qcn_stats, rppp_created_rps),
    {0},
};
static const struct field buffer_fields[] = {
    NUMBERS(struct dcbnl_buffer, prio2buffer),
    NUMBERS(struct dcbnl_buffer, buffer_size),
    NUMBER(struct dcbnl_buffer, total_size),
    {0},
};

static const struct attribute {
	const char *key;
	uint32_t has;
	size_t at;                  /* in struct dcbnl_port */
	const struct field *fields; /* NULL: struct dcbnl_apps */
} attributes[] = {
    {"ets", DCBNL_ETS, offsetof(struct dcbnl_port, ets), ets_fields},
    {"pfc", DCBNL_PFC, offsetof(struct dcbnl_port, pfc), pfc_fields},
    {"maxrate", DCBNL_MAXRATE, offsetof(struct dcbnl_port, maxrate), maxrate_fields},
    {"qcn", DCBNL_QCN, offsetof(struct dcbnl_port, qcn), qcn_fields},
    {"qcnStats", DCBNL_QCN_STATS, offsetof(struct dcbnl_port, qcn_stats), qcn_stats_fields},
    {"buffer", DCBNL_BUFFER, offsetof(struct dcbnl_port, buffer), buffer_fields},
    {"apps", DCBNL_APPS, offsetof(struct dcbnl_port, apps), NULL},
    {"peerEts", DCBNL_PEER_ETS, offsetof(struct dcbnl_port, peer_ets), ets_fields},
    {"peerPfc", DCBNL_PEER_PFC, offsetof(struct dcbnl_port, peer_pfc), pfc_fields},
    {"peerApps", DCBNL_PEER_APPS, offsetof(struct dcbnl_port, peer_apps), NULL},
};

static json_t *number(const void *at, size_t octets)
{
	uint64_t wide;
	uint32_t half;
	uint16_t small;

	switch (octets) {
	case sizeof(wide):
		memcpy(&wide, at, sizeof(wide));
		return out_json_unsigned(wide);
	case sizeof(half):
		memcpy(&half, at, sizeof(half));
		return json_integer(half);
	case sizeof(small):
		memcpy(&small, at, sizeof(small));
		return json_integer(small);
	default:
		return json_integer(*(const uint8_t *)at);
	}
}

static json_t *structure(const void *at, const struct field *fields)
{
	json_t *o = json_object();

	for (const struct field *f = fields; f->name; f++) {
		const char *octets = (const char *)at + f->at;
		json_t *a = f->n ? json_array() : NULL;

		for (unsigned i = 0; i < f->n; i++)
			out_json_append(a, number(octets + i * f->octets, f->octets));
		out_json_put(o, f->name, f->n ? a : number(octets, f->octets));
	}
	return o;
}

static json_t *applications(const struct dcbnl_apps *apps)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < apps->n; i++)
		out_json_append(a, json_pack("{s:i, s:i, s:i}", "selector", apps->of[i].selector,
					     "protocol", apps->of[i].protocol, "priority",
					     apps->of[i].priority));
	return a;
}

static void put_attributes(json_t *o, const struct dcbnl_port *now)
{
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		const struct attribute *a = &attributes[i];
		const void *at = (const char *)now + a->at;

		if (!(now->has & a->has))
			out_json_put(o, a->key, json_null());
		else
			out_json_put(o, a->key,
				     a->fields ? structure(at, a->fields) : applications(at));
	}
}

/* --- the driver ---------------------------------------------------------------------------- */

static json_t *owner(const struct dcbnl_port *now)
{
	const struct mo_table *table;

	return out_json_value(mo_column_by_name(MO_NAME(dcbHardwareOwner), &table),
			      &(struct mo_value){.num = kernel_owner(now)});
}

static void put_driver(json_t *o, const struct report *r)
{
	static const char *const units[] = {[KERNEL_DELAY_NONE] = "none",
					    [KERNEL_DELAY_BITS] = "bits",
					    [KERNEL_DELAY_METRES] = "metres"};
	struct utsname system;

	(void)uname(&system);
	out_json_put(o, "kernel", out_json_text(system.release));
	out_json_put(o, "dcbctl", json_string(PACKAGE_VERSION));
	out_json_put(o, "driver", out_json_text(r->info.driver));
	out_json_put(o, "driverVersion", out_json_text(r->info.version));
	out_json_put(o, "firmware", out_json_text(r->info.firmware));
	out_json_put(o, "known",
		     json_string(r->driver->name[0] ? r->driver->name : "unknown driver"));
	out_json_put(o, "delayUnit", json_string(units[r->driver->delay]));
	out_json_put(o, "resetsLink",
		     table_rows_bits(MO_NAME(dcbHardwareResetsLink), kernel_resets(r->driver)));
	out_json_put(o, "hostFlag",
		     r->driver->host_flag ? json_sprintf("%s %s", r->driver->host_flag,
							 r->driver->host_flag_value ? "on" : "off")
					  : json_null());
	out_json_put(o, "owner", owner(&r->now));
	out_json_put(o, "dcbx",
		     r->now.has & DCBNL_DCBX
			 ? table_rows_bits(MO_NAME(dcbHardwareDcbx), r->now.dcbx)
			 : json_null());
}

/* --- counters ------------------------------------------------------------------------------ */

/* Returns the object that a counter is part of. */
static json_t *object_of(enum kernel_meaning meaning, bool is_of_port)
{
	static const char *const of[KERNEL_MEANINGS] = {
	    [KERNEL_TX_FRAMES] = MO_NAME(dcbPfcPriorityRequests),
	    [KERNEL_RX_FRAMES] = MO_NAME(dcbPfcPriorityIndications),
	    [KERNEL_TX_XON] = MO_NAME(dcbPfcPriorityRequests),
	    [KERNEL_RX_XON] = MO_NAME(dcbPfcPriorityIndications),
	    [KERNEL_RX_PAUSE_US] = MO_NAME(dcbPfcPriorityPauseTime),
	    [KERNEL_TX_PAUSE_US] = MO_NAME(dcbPfcPriorityPauseSent),
	    [KERNEL_RX_TRANSITIONS] = MO_NAME(dcbPfcPriorityTransitions),
	    [KERNEL_DISCARDS] = MO_NAME(dcbPfcPriorityDiscards),
	    [KERNEL_STORM_WARNINGS] = MO_NAME(dcbHardwareStormWarnings),
	    [KERNEL_STORM_ERRORS] = MO_NAME(dcbHardwareStormErrors),
	};
	bool is_storm = meaning == KERNEL_STORM_WARNINGS || meaning == KERNEL_STORM_ERRORS;
	bool is_sent = meaning == KERNEL_TX_FRAMES || meaning == KERNEL_TX_XON;

	if (!is_of_port || is_storm)
		return json_string(of[meaning]);
	return json_string(is_sent ? MO_NAME(ieee8021PfcRequests)
				   : MO_NAME(ieee8021PfcIndications));
}

/* Adds what the counter at this position means to dcbd. */
static void put_meaning(json_t *o, const struct kernel_map *map, unsigned position)
{
	for (unsigned m = 0; m < KERNEL_MEANINGS; m++) {
		if (map->port_has >> m & 1 && map->port_at[m] == position) {
			out_json_put(o, "object", object_of(m, true));
			return;
		}
		for (unsigned p = 0; p < KERNEL_PRIORITIES; p++) {
			if (!(map->has[p] >> m & 1) || map->at[p][m] != position)
				continue;
			out_json_put(o, "priority", json_integer(p));
			out_json_put(o, "object", object_of(m, false));
			return;
		}
	}
}

static json_t *counters(const struct report *r)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < r->names.n; i++) {
		json_t *o = json_object();

		out_json_put(o, "name", out_json_text(r->names.of[i]));
		out_json_put(o, "value", out_json_unsigned(r->values[i]));
		out_json_put(o, "priority", json_null());
		out_json_put(o, "object", json_null());
		put_meaning(o, &r->map, i);
		out_json_append(a, o);
	}
	return a;
}

/* The rows of the driver without a counter. */
static json_t *not_found(const struct report *r)
{
	json_t *a = json_array();
	enum kernel_meaning meaning;
	const char *name;

	for (unsigned i = 0; (name = kernel_counter_name(r->driver, i, &meaning)); i++) {
		bool is_of_port = !strchr(name, '%');
		json_t *priorities = is_of_port ? json_null() : json_array();

		for (unsigned p = 0; !is_of_port && p < KERNEL_PRIORITIES; p++)
			if (!(r->map.has[p] >> meaning & 1))
				out_json_append(priorities, json_integer(p));
		if (is_of_port ? !(r->map.port_has >> meaning & 1)
			       : json_array_size(priorities) > 0)
			out_json_append(a, json_pack("{s:s, s:O, s:o}", "name", name, "priorities",
						     priorities, "object",
						     object_of(meaning, is_of_port)));
		json_decref(priorities);
	}
	return a;
}

static json_t *report_json(const struct report *r)
{
	json_t *o = json_object();

	out_json_put(o, "interface", out_json_text(r->interface));
	out_json_put(o, "ifIndex", json_integer(r->ifindex));
	put_driver(o, r);
	out_json_put(o, "countersFrom", json_string(r->map.is_named ? "names" : "pfc"));
	put_attributes(o, &r->now);
	out_json_put(o, "counters", counters(r));
	out_json_put(o, "notFound", not_found(r));
	return o;
}

/* --- text ---------------------------------------------------------------------------------- */

/* Writes a value that is not an object: of an array its elements. */
static void write_value(const json_t *value, FILE *f)
{
	size_t i;
	const json_t *element;

	if (json_is_string(value))
		fputs(json_string_value(value)[0] ? json_string_value(value) : "-", f);
	else if (json_is_integer(value))
		fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_array(value) && json_array_size(value) == 0)
		fputs("none", f);
	else if (json_is_array(value))
		json_array_foreach(value, i, element)
		{
			fputs(i ? " " : "", f);
			write_value(element, f);
		}
	else
		fputc('-', f);
}

static char *value_text(const json_t *value)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f) {
		write_value(value, f);
		fclose(f);
	}
	return text;
}

/* Adds a cell for each member of an object. */
static void add_row(struct text_table *g, json_t *row)
{
	const char *key;
	json_t *value;

	json_object_foreach(row, key, value)
	{
		char *text = value_text(value);

		text_table_cell(g, text ? text : "");
		free(text);
	}
}

static void write_table(const json_t *rows, FILE *f, const char *title)
{
	struct text_table g = {0};
	const char *key;
	json_t *row, *value;
	size_t i;

	json_object_foreach(json_array_get(rows, 0), key, value)
	{
		text_table_column(&g, key, json_is_integer(value));
	}
	json_array_foreach(rows, i, row)
	{
		add_row(&g, row);
	}
	table_rows_print(&g, f, title);
}

static void write_members(json_t *o, FILE *f, const char *indent)
{
	const char *key;
	json_t *value;

	json_object_foreach(o, key, value)
	{
		if (json_is_object(json_array_get(value, 0))) {
			write_table(value, f, key);
			continue;
		}
		fprintf(f, "%s%s:", indent, key);
		if (json_is_object(value)) {
			fputc('\n', f);
			write_members(value, f, "  ");
			continue;
		}
		fputc(' ', f);
		write_value(value, f);
		fputc('\n', f);
	}
}

/* --- the command --------------------------------------------------------------------------- */

static int read_counters(struct kernel_io *io, struct report *r)
{
	int error = kernel_io_names(io, r->interface, &r->names);
	int n;

	if (error || r->names.n == 0)
		return error;
	r->values = calloc(r->names.n, sizeof(r->values[0]));
	if (!r->values)
		return ENOMEM;
	n = kernel_io_values(io, r->interface, r->values, r->names.n);
	if (n < 0)
		return -n;
	return n == (int)r->names.n ? 0 : EAGAIN;
}

static int read_all(struct kernel_io *io, struct report *r)
{
	int error = kernel_io_get(io, r->interface, &r->now);

	if (error)
		return error;
	(void)kernel_io_driver(io, r->interface, &r->info);
	r->ifindex = kernel_io_ifindex(io, r->interface);
	r->driver = kernel_driver(r->info.driver);
	error = read_counters(io, r);
	/* A driver without counters of its own. */
	if (error == EOPNOTSUPP)
		error = 0;
	kernel_map_make(r->info.driver, &r->names, &r->map);
	return error;
}

int hardware_report(const struct cli *cli, struct kernel_io *io, const char *interface)
{
	struct report r = {.interface = interface};
	int error = read_all(io, &r);
	json_t *o = error ? NULL : report_json(&r);
	char text[96];

	if (error) {
		/*
		 * Message: The kernel has no such interface, its driver has no DCB, or it could not
		 * be asked, as the reason says.
		 */
		cli_fail("%s: %s", interface, dcbnl_error_text(error, text, sizeof(text)));
	} else if (cli->json) {
		json_t *all = json_array();

		out_json_append(all, o);
		out_json_write(all, cli->out);
	} else {
		write_members(o, cli->out, "");
		json_decref(o);
	}
	free(r.names.of);
	free(r.values);
	return error ? CLI_FAILED : CLI_OK;
}

int hardware_report_of(const struct cli *cli, const char *interface)
{
	char err[128];
	struct kernel_io *io = kernel_io_open(err, sizeof(err));
	int rc;

	if (!io) {
		/* Message: The kernel could not be asked, for this reason. */
		return cli_fail("%s: %s", interface, err);
	}
	rc = hardware_report(cli, io, interface);
	kernel_io_destroy(io);
	return rc;
}
