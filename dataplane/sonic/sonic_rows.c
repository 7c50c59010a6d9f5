/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sonic/sonic_rows.h"

#include <stdio.h>
#include <string.h>

#include "dataplane/sonic/sonic_buffers.h"
#include "dataplane/sonic/sonic_qos.h"
#include "dataplane/sonic/sonic_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

uint32_t sonic_ifindex(const char *name)
{
	static const struct {
		const char *prefix;
		uint32_t base,
		    end; /* of the next kind of interfaces in SONiC's numbering; 0: none */
	} kinds[] = {
	    {"Ethernet-BP", 9000, 10000},
	    {"Ethernet-IB", 11000, 12000},
	    {"Ethernet-Rec", 12000, 20000},
	    {"Ethernet", 1, 9000},
	};
	uint64_t number;

	for (size_t i = 0; i < COUNT(kinds); i++) {
		size_t len = strlen(kinds[i].prefix);

		/* Ethernet07 would have the ifIndex of Ethernet7. */
		if (strncmp(name, kinds[i].prefix, len) == 0 &&
		    (name[len] != '0' || name[len + 1] == '\0') &&
		    sonic_number(name + len, kinds[i].end - kinds[i].base - 1, &number))
			return kinds[i].base + (uint32_t)number;
	}
	return 0;
}

/* --- the switch ---------------------------------------------------------------------------- */

static bool read_mac(const struct sonic_reader *r, uint8_t mac[6])
{
	const char *text = sonic_value(r, "mac");
	unsigned octets[6];
	char more;

	if (!text)
		return false;
	if (strlen(text) != 17 ||
	    sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%c", &octets[0], &octets[1], &octets[2],
		   &octets[3], &octets[4], &octets[5], &more) != 6) {
		sonic_malformed(r, "mac", text, "an address such as 02:00:5e:00:53:01");
		return false;
	}
	for (unsigned i = 0; i < 6; i++)
		mac[i] = (uint8_t)octets[i];
	return true;
}

/* Sets the intervals: those of FLEX_COUNTER_TABLE, else those in the code of SONiC. */
static void read_intervals(const struct sonic_rows *rows, struct sonic_switch *out)
{
	static const struct {
		const char *key;
		uint32_t ms;
	} of[SONIC_GROUPS] = {
	    [SONIC_GROUP_PORT] = {"PORT", 1000},
	    [SONIC_GROUP_WATCHDOG] = {"PFCWD", 100},
	    [SONIC_GROUP_PG_DROPS] = {"PG_DROP", 10000},
	    [SONIC_GROUP_PG_WATERMARKS] = {"PG_WATERMARK", 60000},
	    [SONIC_GROUP_QUEUE_WATERMARKS] = {"QUEUE_WATERMARK", 60000},
	};
	static const char *const status[] = {"disable", "enable"};
	struct sonic_reader global = sonic_reader_of(rows, SONIC_PFC_WD, "GLOBAL", out->error);

	for (unsigned g = 0; g < SONIC_GROUPS; g++) {
		struct sonic_reader r =
		    sonic_reader_of(rows, SONIC_FLEX_COUNTER, of[g].key, out->error);
		uint64_t ms = of[g].ms;
		unsigned on = 1;

		if (g == SONIC_GROUP_WATCHDOG)
			(void)sonic_read_number(&global, "POLL_INTERVAL", 1, UINT32_MAX, &ms);
		(void)sonic_read_number(&r, "POLL_INTERVAL", 1, UINT32_MAX, &ms);
		(void)sonic_read_word(&r, "FLEX_COUNTER_STATUS", COUNT(status), status, &on);
		out->poll_ms[g] = on ? (uint32_t)ms : 0;
	}
}

void sonic_switch_of(const struct sonic_rows *rows, struct sonic_switch *out)
{
	static const char *const models[] = {"traditional", "dynamic"};
	struct sonic_reader r;
	unsigned model = 0;

	memset(out, 0, sizeof(*out));
	r = sonic_reader_of(rows, SONIC_METADATA, "localhost", out->error);
	out->has_mac = read_mac(&r, out->mac);
	(void)sonic_read_name(&r, "hwsku", sizeof(out->hwsku), out->hwsku);
	(void)sonic_read_name(&r, "platform", sizeof(out->platform), out->platform);
	(void)sonic_read_word(&r, "buffer_model", COUNT(models), models, &model);
	out->dynamic_buffers = model == 1;
	sonic_pools_of(rows, out);
	read_intervals(rows, out);
}

/* --- a port -------------------------------------------------------------------------------- */

/* The tables with settings of the link, those in force first. */
struct link_readers {
	struct sonic_reader state, app, config;
};

/* Reads a field where it is: in the second table if the first has none. */
static bool read_either(const struct sonic_reader *first, const struct sonic_reader *second,
			const char *field, uint64_t min, uint64_t max, uint64_t *out)
{
	const struct sonic_reader *from = sonic_value(first, field) ? first : second;

	return sonic_read_number(from, field, min, max, out);
}

static bool read_up(const struct sonic_reader *r, const char *field, bool *out)
{
	static const char *const states[] = {"down", "up"};
	unsigned up;

	if (!sonic_read_word(r, field, COUNT(states), states, &up))
		return false;
	*out = up == 1;
	return true;
}

static void read_link(const struct link_readers *r, struct sonic_port *out)
{
	static const char *const asym[] = {"off", "on"};
	const struct sonic_reader *set = r->app.row ? &r->app : &r->config;
	uint64_t speed = 0, mtu = 0;
	unsigned on = 0;

	(void)sonic_read_name(sonic_value(&r->app, "alias") ? &r->app : &r->config, "alias",
			      sizeof(out->alias), out->alias);
	if (read_up(sonic_value(set, "admin_status") ? set : &r->config, "admin_status",
		    &out->admin_up))
		out->known |= SONIC_ADMIN;
	if (read_up(&r->app, "oper_status", &out->oper_up))
		out->known |= SONIC_OPER;
	if (read_either(&r->state, sonic_value(&r->app, "speed") ? &r->app : &r->config, "speed", 1,
			UINT32_MAX, &speed))
		out->known |= SONIC_SPEED;
	if (read_either(&r->app, &r->config, "mtu", 68, UINT16_MAX, &mtu))
		out->known |= SONIC_MTU;
	if (sonic_read_word(&r->config, "pfc_asym", COUNT(asym), asym, &on) ||
	    !sonic_value(&r->config, "pfc_asym"))
		out->known |= SONIC_PFC_ASYM;
	out->speed_mbps = (uint32_t)speed;
	out->mtu = (uint32_t)mtu;
	out->pfc_asym = on == 1;
}

/* Finds the LAG: its key is LAG|PORT. */
static void read_lag(const struct sonic_rows *rows, struct sonic_port *out)
{
	for (unsigned i = 0; i < rows->of[SONIC_LAG_MEMBER].n; i++) {
		const struct sonic_row *row = &rows->of[SONIC_LAG_MEMBER].rows[i];
		const char *bar = strchr(row->key, '|');
		size_t len = bar ? (size_t)(bar - row->key) : 0;
		struct sonic_reader r = {SONIC_LAG_MEMBER, row, out->error};

		if (!bar || strcmp(bar + 1, out->name) != 0)
			continue;
		if (len == 0 || len >= sizeof(out->lag)) {
			sonic_malformed(&r, "", row->key, "PortChannel and a number");
			return;
		}
		memcpy(out->lag, row->key, len);
		return;
	}
}

/* The rows have any name; the field is that of the port: a number and m. */
static void read_cable(const struct sonic_rows *rows, struct sonic_port *out)
{
	for (unsigned i = 0; i < rows->of[SONIC_CABLE_LENGTH].n; i++) {
		struct sonic_reader r = {SONIC_CABLE_LENGTH, &rows->of[SONIC_CABLE_LENGTH].rows[i],
					 out->error};
		const char *text = sonic_value(&r, out->name);
		size_t len = text ? strlen(text) : 0;
		char number[12];
		uint64_t metres;

		if (!text)
			continue;
		if (len > 1 && len < sizeof(number) && text[len - 1] == 'm') {
			memcpy(number, text, len - 1);
			number[len - 1] = '\0';
			if (sonic_number(number, UINT32_MAX, &metres)) {
				out->cable_m = (uint32_t)metres;
				out->known |= SONIC_CABLE;
				snprintf(out->cable_row, sizeof(out->cable_row), "%.63s",
					 r.row->key);
				return;
			}
		}
		sonic_malformed(&r, out->name, text, "metres, such as 5m");
		return;
	}
}

static void read_watchdog(const struct sonic_rows *rows, struct sonic_port *out)
{
	static const char *const actions[] = {
	    [SONIC_WD_DROP - 1] = "drop",
	    [SONIC_WD_FORWARD - 1] = "forward",
	    [SONIC_WD_ALERT - 1] = "alert",
	};
	struct sonic_reader r = sonic_reader_of(rows, SONIC_PFC_WD, out->name, out->error);
	unsigned action = SONIC_WD_DROP - 1; /* if the field is missing */
	uint64_t ms = 0;

	if (!r.row)
		return;
	/* SONiC refuses times out of its ranges, which depend on the image. */
	if (sonic_read_number(&r, "detection_time", 1, UINT32_MAX, &ms)) {
		out->wd_detection_ms = (uint32_t)ms;
		out->known |= SONIC_WD_DETECTION;
	}
	if (sonic_read_number(&r, "restoration_time", 1, UINT32_MAX, &ms)) {
		out->wd_restoration_ms = (uint32_t)ms;
		out->known |= SONIC_WD_RESTORATION;
	}
	if (sonic_read_word(&r, "action", COUNT(actions), actions, &action) ||
	    !sonic_value(&r, "action")) {
		out->wd_action = (uint8_t)(action + 1);
		out->known |= SONIC_WD_ACTION;
	}
}

bool sonic_port_of(const struct sonic_rows *rows, const char *name, struct sonic_port *out)
{
	struct link_readers r;

	memset(out, 0, sizeof(*out));
	out->ifindex = sonic_ifindex(name);
	if (out->ifindex == 0 || strlen(name) >= sizeof(out->name))
		return false;
	memcpy(out->name, name, strlen(name));
	r.state = sonic_reader_of(rows, SONIC_STATE_PORT, name, out->error);
	r.app = sonic_reader_of(rows, SONIC_APP_PORT, name, out->error);
	r.config = sonic_reader_of(rows, SONIC_PORT, name, out->error);
	read_link(&r, out);
	read_lag(rows, out);
	read_cable(rows, out);
	read_watchdog(rows, out);
	sonic_qos_of(rows, out);
	sonic_buffers_of(rows, out);
	return true;
}

/* --- object identifiers -------------------------------------------------------------------- */

static void read_oid(const struct sonic_reader *r, const char *field, uint64_t *out)
{
	const char *text = sonic_value(r, field);

	if (text && !sonic_read_oid(text, out))
		sonic_malformed(r, field, text, "oid:0x and 1 to 16 hexadecimal digits");
}

/* Reads those of NAME:0 to NAME:7. */
static void read_oids(const struct sonic_rows *rows, enum sonic_table table,
		      struct sonic_port *port, uint64_t out[DCB_PRIORITIES])
{
	struct sonic_reader r = sonic_reader_of(rows, table, "", port->error);

	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		char field[SONIC_NAME_OCTETS + 2];

		snprintf(field, sizeof(field), "%s:%u", port->name, i);
		read_oid(&r, field, &out[i]);
	}
}

void sonic_oids_of(const struct sonic_rows *rows, struct sonic_port *port, struct sonic_oids *out)
{
	struct sonic_reader r = sonic_reader_of(rows, SONIC_PORT_NAMES, "", port->error);

	memset(out, 0, sizeof(*out));
	read_oid(&r, port->name, &out->port);
	read_oids(rows, SONIC_QUEUE_NAMES, port, out->queue);
	read_oids(rows, SONIC_PG_NAMES, port, out->pg);
	port->oid = out->port;
	port->known &= ~(uint32_t)SONIC_OID;
	port->known |= out->port ? SONIC_OID : 0;
}
