/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words of the commands for ports, pfc, ets and so on, each with its object: as iproute2's
 * dcb(8) where it has the setting, else in the terms of the standard. A new word is a WORD in the
 * object's row of mibs.
 */
#ifndef DCB_AGENT_CLI_PORT_KEYWORDS_H
#define DCB_AGENT_CLI_PORT_KEYWORDS_H

#include <stdio.h>
#include <string.h>

#include "lib/mo/mo.h"

#define PORT_PRIORITIES 8 /* or traffic classes */

enum port_kind {
	PORT_VALUE,  /* of the port: delay 1000 */
	PORT_LIST,   /* the same, as words: order dscp pcp */
	PORT_MAP,    /* of each priority or traffic class: prio-pfc 3:on 4:off */
	PORT_BITS,   /* the same, as the bits of one object */
	PORT_BY_PRIO /* of priorities named before it: prio 3 set-point 26000 */
};

struct port_keyword {
	const char *name;
	enum port_kind kind;
	const char *object;
	bool statistics; /* shown with -s, or by its name */
};

struct port_family {
	const char *name;                    /* of the command */
	const struct port_keyword *keywords; /* ends with name NULL */
	const char *only_rows; /* a row is shown if this object is not at its first named value */
};

/* Returns the family of a command; NULL: none. */
const struct port_family *port_family(const char *command);
/* Returns the n-th family, NULL if there are fewer. */
const struct port_family *port_family_at(size_t n);
/* Returns the keyword; NULL: the family has none of this name. */
const struct port_keyword *port_keyword(const struct port_family *family, const char *name);

const struct mo_column *port_keyword_column(const struct port_keyword *kw,
					    const struct mo_table **table);
const char *port_keyword_unit(const struct port_keyword *kw);
/* Writes the keyword as a JSON name: with "_" and the unit, "set_point_octets". */
void port_keyword_json_name(const struct port_keyword *kw, char *buf, size_t size);

/*
 * Writes a value in the words of the commands: on or off, named values without their common
 * beginning and in lower case, numbers. numeric: no names.
 */
void port_keyword_format(const struct port_keyword *kw, const struct mo_value *value, bool numeric,
			 char *buf, size_t size);
/* Writes the n-th word that show can print. Returns false if there are fewer, or no words. */
bool port_keyword_word(const struct port_keyword *kw, size_t n, char *buf, size_t size);
/* Reads such a text, or any that "dcbctl set" reads. false: expected has the valid values. */
bool port_keyword_parse(const struct port_keyword *kw, const char *text, struct mo_value *value,
			char *expected, size_t size);

/*
 * The port of a row, and its priority or traffic class, PORT_PRIORITIES if it has none. Returns
 * false for a table that no keyword has.
 */
bool port_row_of(const struct mo_table *table, const struct mo_index *index, uint32_t *ifindex,
		 unsigned *priority);

/* Whether its keywords are those of application priorities, beside its own. */
static inline bool port_family_is_app(const struct port_family *family)
{
	return strcmp(family->name, "app") == 0;
}

/* Whether add, del, replace and flush change its maps, whose values can be none. */
static inline bool port_family_is_rewr(const struct port_family *family)
{
	return strcmp(family->name, "rewr") == 0;
}

/* Writes the name of a code point: RFC 2474 (CS), 2597 (AF), 3246 (EF), 5865; else the number. */
void port_dscp_name(uint32_t dscp, char *buf, size_t size);
/* Returns whether text is such a name. */
bool port_dscp_parse(const char *text, uint32_t *dscp);

/* Selectors of D.2.11.3. */
enum { PORT_APP_ETHERTYPE = 1, PORT_APP_STREAM, PORT_APP_DATAGRAM, PORT_APP_PORT, PORT_APP_DSCP };

/* A keyword of "app", for the applications of one selector; "default-prio" is EtherType 0. */
struct port_app_keyword {
	const char *name;
	uint32_t selector, min, max; /* of the protocol */
};
extern const struct port_app_keyword port_app_keywords[]; /* ends with name NULL */
/* Returns the keyword; NULL: no keyword of "app" has this name. */
const struct port_app_keyword *port_app_keyword(const char *name);

#endif
