/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sonic/sonic_patch.h"

#include <inttypes.h>
#include <stdio.h>

uint32_t sonic_differs(const struct sonic_port *port, const struct sonic_wanted *wanted)
{
	uint32_t same = 0;

	if (port->known & SONIC_PFC_ENABLE && port->pfc_enable == wanted->pfc_enable)
		same |= SONIC_PFC_ENABLE;
	if (port->known & SONIC_CABLE && port->cable_m == wanted->cable_m)
		same |= SONIC_CABLE;
	return wanted->members & ~same;
}

bool sonic_asic_has(const struct sonic_port *port, uint8_t pfc_enable)
{
	uint8_t differ = port->asic_pfc ^ pfc_enable;

	if (port->pfc_asym)
		return true;
	if (!(port->known & SONIC_ASIC_PFC))
		return false;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if (port->priority[p].wd_state == SONIC_WD_STORMED)
			differ &= (uint8_t) ~(1u << p);
	return differ == 0;
}

void sonic_put_wanted(struct sonic_port *port, const struct sonic_wanted *wanted)
{
	if (wanted->members & SONIC_PFC_ENABLE)
		port->pfc_enable = wanted->pfc_enable;
	if (wanted->members & SONIC_CABLE)
		port->cable_m = wanted->cable_m;
}

/* A port without the row has no queue or priority group of its own for these priorities. */
const char *sonic_cannot(const struct sonic_port *port, uint32_t members)
{
	if (members & SONIC_PFC_ENABLE && !port->has_qos_map)
		return "SONiC has no row of PORT_QOS_MAP for the port: see `config qos reload`";
	if (members & SONIC_CABLE && port->cable_row[0] == '\0')
		return "SONiC has no row of CABLE_LENGTH with the port";
	return NULL;
}

/* Appends a key as a reference token of a JSON Pointer (RFC 6901, clause 3). */
static void append(char *path, size_t size, size_t *len, const char *key)
{
	if (*len + 1 < size)
		path[(*len)++] = '/';
	for (; *key && *len + 2 < size; key++) {
		if (*key == '~' || *key == '/') {
			path[(*len)++] = '~';
			path[(*len)++] = *key == '~' ? '0' : '1';
		} else {
			path[(*len)++] = *key;
		}
	}
	path[*len] = '\0';
}

/* "add" replaces a value that is there (RFC 6902, 4.1). */
static bool add(json_t *patch, const char *space, const char *table, const char *row,
		const char *field, const char *value)
{
	char path[512];
	size_t len = 0;

	if (space[0])
		append(path, sizeof(path), &len, space);
	append(path, sizeof(path), &len, table);
	append(path, sizeof(path), &len, row);
	append(path, sizeof(path), &len, field);
	return json_array_append_new(patch, json_pack("{s:s, s:s, s:s}", "op", "add", "path", path,
						      "value", value)) == 0;
}

bool sonic_patch_add(json_t *patch, const char *space, const struct sonic_port *port,
		     const struct sonic_wanted *wanted)
{
	char list[2 * DCB_PRIORITIES + 1] = "", metres[16];
	size_t len = 0;
	bool ok = true;

	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		if (!(wanted->pfc_enable >> i & 1))
			continue;
		if (len)
			list[len++] = ',';
		list[len++] = (char)('0' + i);
	}
	list[len] = '\0';
	snprintf(metres, sizeof(metres), "%" PRIu32 "m", wanted->cable_m);
	if (wanted->members & SONIC_PFC_ENABLE)
		ok = add(patch, space, sonic_tables[SONIC_PORT_QOS_MAP].name, port->name,
			 "pfc_enable", list);
	if (ok && wanted->members & SONIC_CABLE)
		ok = add(patch, space, sonic_tables[SONIC_CABLE_LENGTH].name, port->cable_row,
			 port->name, metres);
	return ok;
}
