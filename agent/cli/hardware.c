/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl hardware: the devices of ports with provider "kernel": who decides, their values,
 * and whether they differ from the settings. "report" is that of hardware_report.h.
 *
 *   JSON  [{"ifIndex", "port", "driver", "owner", "policy", "state", "differs": [...],
 *           "differsSince", "pfc": [...], "pfcCap", "ets", "parts": [...], "resetsLink": [...],
 *           "dcbx": [...], "writes", "failures", "otherChanges", "age", "preventionTime",
 *           "stormWarnings", "stormErrors", "reason"}]
 */
#include <inttypes.h>
#include <string.h>

#include "agent/cli/base/table_rows.h"
#include "agent/cli/hardware_report.h"

/* The values of ETHTOOL_PFC_PREVENTION_TOUT that are no times. */
static void prevention_text(struct table_rows_at at, char text[TABLE_ROWS_CELL_OCTETS])
{
	int64_t ms = table_rows_num(at, at.col->object);

	if (!table_rows_has(at))
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "-");
	else if (ms == 0 || ms == UINT16_MAX)
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "%s", ms ? "auto" : "off");
	else
		snprintf(text, TABLE_ROWS_CELL_OCTETS, "%" PRId64, ms);
}

static const struct table_rows_column columns[] = {
    TABLE_ROWS_PORT,
    {.key = "driver", .heading = "driver", .object = MO_NAME(dcbHardwareDriver)},
    {.key = "owner", .heading = "owner", .object = MO_NAME(dcbHardwareOwner)},
    {.key = "policy", .heading = "policy", .object = MO_NAME(dcbHardwarePolicy)},
    {.key = "state", .heading = "state", .object = MO_NAME(dcbHardwareState)},
    {.key = "pfc", .heading = "pfc", .object = MO_NAME(dcbHardwarePfc)},
    {.key = "ets", .heading = "ets", .object = MO_NAME(dcbHardwareEts)},
    {.key = "differs", .heading = "differs", .object = MO_NAME(dcbHardwareDiffers)},
    {.key = "differsSince",
     .object = MO_NAME(dcbHardwareDiffersSince),
     .value = table_rows_nonzero},
    {.key = "pfcCap", .object = MO_NAME(dcbHardwarePfcCap), .value = table_rows_nonzero},
    {.key = "parts", .object = MO_NAME(dcbHardwareParts)},
    {.key = "resetsLink", .heading = "resets link", .object = MO_NAME(dcbHardwareResetsLink)},
    {.key = "dcbx", .heading = "dcbx", .object = MO_NAME(dcbHardwareDcbx)},
    TABLE_ROWS_NUMBER("writes", "writes", dcbHardwareWrites),
    TABLE_ROWS_NUMBER("failures", "failures", dcbHardwareFailures),
    TABLE_ROWS_NUMBER("otherChanges", "others", dcbHardwareOtherChanges),
    TABLE_ROWS_NUMBER("age", "age ms", dcbHardwareAge),
    {.key = "preventionTime",
     .heading = "prevention ms",
     .right = true,
     .object = MO_NAME(dcbHardwarePreventionTime),
     .has = table_rows_has,
     .text = prevention_text},
    {.key = "stormWarnings",
     .heading = "storm warnings",
     .right = true,
     .object = MO_NAME(dcbHardwareStormWarnings),
     .has = table_rows_has},
    {.key = "stormErrors",
     .heading = "storm errors",
     .right = true,
     .object = MO_NAME(dcbHardwareStormErrors),
     .has = table_rows_has},
    {.key = "reason", .heading = "reason", .object = MO_NAME(dcbHardwareReason)},
    {0},
};

static void write_text(const struct table_rows_all *all, FILE *f)
{
	struct text_table g = {0};

	if (!table_rows_at(all, MO_hardware, 0).sub) {
		/* Message: No port of the command has provider `kernel`. */
		fputs("no hardware ports\n", f);
		return;
	}
	table_rows_put(&g, all, MO_hardware, columns);
	table_rows_print(&g, f, NULL);
}

static const struct table_rows_command hardware = {
    .tables = (const enum mo_table_id[]){MO_port, MO_hardware, MO_TABLES},
    .ports = MO_port,
    .text = write_text,
    .rows = MO_hardware,
    .columns = columns,
};

int cmd_hardware(struct cli *cli, const struct cli_command *self, int argc, char **argv)
{
	if (argc > 0 && strcmp(argv[0], "report") == 0)
		return argc == 2 ? hardware_report_of(cli, argv[1]) : cli_usage(self);
	return table_rows_command(cli, &hardware, argc, argv);
}
