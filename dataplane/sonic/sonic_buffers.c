/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sonic/sonic_buffers.h"

#include <string.h>

#include "dataplane/sonic/sonic_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static enum sonic_table in_force(const struct sonic_rows *rows, enum sonic_table app,
				 enum sonic_table config)
{
	return rows->of[app].n ? app : config;
}

/* --- pools --------------------------------------------------------------------------------- */

static void read_pool(const struct sonic_reader *r, struct sonic_pool *out)
{
	static const char *const types[] = {"egress", "ingress", "both"};
	static const char *const modes[] = {"static", "dynamic"};
	unsigned type = 0, mode = 0;

	memcpy(out->name, r->row->key, strlen(r->row->key));
	if (sonic_read_number(r, "size", 0, UINT64_MAX, &out->size))
		out->known |= SONIC_POOL_SIZE;
	if (sonic_read_number(r, "xoff", 0, UINT64_MAX, &out->xoff))
		out->known |= SONIC_POOL_XOFF;
	(void)sonic_read_word(r, "type", COUNT(types), types, &type);
	(void)sonic_read_word(r, "mode", COUNT(modes), modes, &mode);
	out->ingress = type != 0;
	out->dynamic = mode == 1;
}

void sonic_pools_of(const struct sonic_rows *rows, struct sonic_switch *out)
{
	enum sonic_table table = in_force(rows, SONIC_APP_BUFFER_POOL, SONIC_BUFFER_POOL);

	for (unsigned i = 0; i < rows->of[table].n && out->n_pools < SONIC_POOLS; i++) {
		struct sonic_reader r = {table, &rows->of[table].rows[i], out->error};

		if (strlen(r.row->key) < SONIC_OBJECT_OCTETS)
			read_pool(&r, &out->pools[out->n_pools++]);
		else
			sonic_malformed(&r, "", r.row->key, "a shorter name");
	}
}

/* --- profiles ------------------------------------------------------------------------------ */

/* Returns the row of a PG; NULL: it has no buffer. */
static const struct sonic_row *find_pg(const struct sonic_rows *rows, enum sonic_table table,
				       const char *port, unsigned pg)
{
	const char separator = table == SONIC_BUFFER_PG ? '|' : ':';

	for (unsigned i = 0; i < rows->of[table].n; i++)
		if (sonic_key_covers(rows->of[table].rows[i].key, separator, "", port, pg))
			return &rows->of[table].rows[i];
	return NULL;
}

/* Reads a share of the free pool, 2 to the power of -8 to 8. */
static bool read_dynamic(const struct sonic_reader *r, int8_t *out)
{
	const char *text = sonic_value(r, "dynamic_th");
	bool negative = text && text[0] == '-';
	uint64_t value;

	if (!text)
		return false;
	if (!sonic_number(text + negative, 8, &value)) {
		sonic_malformed(r, "dynamic_th", text, "-8 to 8");
		return false;
	}
	*out = (int8_t)(negative ? -(int)value : (int)value);
	return true;
}

static void read_profile(const struct sonic_reader *r, struct sonic_priority *out)
{
	const struct {
		const char *field;
		uint64_t *to;
		uint32_t member;
	} of[] = {
	    {"size", &out->size, SONIC_PROFILE_SIZE},
	    {"xon", &out->xon, SONIC_PROFILE_XON},
	    {"xon_offset", &out->xon_offset, SONIC_PROFILE_XON_OFFSET},
	    {"xoff", &out->xoff, SONIC_PROFILE_XOFF},
	    {"static_th", &out->static_th, SONIC_PROFILE_STATIC},
	};

	for (size_t i = 0; i < COUNT(of); i++)
		if (sonic_read_number(r, of[i].field, 0, UINT64_MAX, of[i].to))
			out->known |= of[i].member;
	if (read_dynamic(r, &out->dynamic_th))
		out->known |= SONIC_PROFILE_DYNAMIC;
	(void)sonic_read_name(r, "pool", sizeof(out->pool), out->pool);
	out->lossless = out->xoff > 0;
	/* A malformed xoff is unknown. */
	if ((out->known & SONIC_PROFILE_XOFF) || !sonic_value(r, "xoff"))
		out->known |= SONIC_LOSSLESS;
}

static void read_priority(const struct sonic_rows *rows, struct sonic_port *port,
			  struct sonic_priority *out)
{
	enum sonic_table pgs = in_force(rows, SONIC_APP_BUFFER_PG, SONIC_BUFFER_PG);
	struct sonic_reader pg = {pgs, find_pg(rows, pgs, port->name, out->pg), port->error};
	struct sonic_reader profile;
	const char *name = sonic_value(&pg, "profile");

	/* "NULL": to be computed, and not in force yet. Without any row SONiC has no buffers. */
	if (!name || strcmp(name, "NULL") == 0) {
		if (rows->of[pgs].n)
			out->known |= SONIC_LOSSLESS;
		return;
	}
	if (!sonic_read_name(&pg, "profile", sizeof(out->profile), out->profile))
		return;
	profile =
	    sonic_reader_of(rows, in_force(rows, SONIC_APP_BUFFER_PROFILE, SONIC_BUFFER_PROFILE),
			    out->profile, port->error);
	if (profile.row)
		read_profile(&profile, out);
	else
		sonic_malformed(&pg, "profile", name, "an existing profile");
}

void sonic_buffers_of(const struct sonic_rows *rows, struct sonic_port *out)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if (out->priority[p].known & SONIC_PG)
			read_priority(rows, out, &out->priority[p]);
}
