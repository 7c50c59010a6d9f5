/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mib/mibtree.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned n_failures;

void fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	n_failures++;
}

unsigned failures(void)
{
	return n_failures;
}

void expect_text(const char *object, const char *what, const char *got, const char *want)
{
	got = got ? got : "";
	want = want ? want : "";
	if (strcmp(got, want) != 0)
		fail("%s: %s is '%s', expected '%s'", object, what, got, want);
}

static int on_log(int major, int minor, void *message, void *arg)
{
	const struct snmp_log_message *slm = message;

	(void)major;
	(void)minor;
	(void)arg;
	/* The parser has the macros built in and reports that it skips their text. */
	if (!strstr(slm->msg, "parsed and ignored"))
		fail("parser: %.*s", (int)strcspn(slm->msg, "\n"), slm->msg);
	return 0;
}

void mib_load(const char *dirs, const char *const *modules)
{
	/* Use no modules, configuration or files of this machine. */
	setenv("MIBS", "", 1);
	setenv("SNMPCONFPATH", "/nonexistent", 1);
	netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_PERSIST_STATE, 1);
	netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_SAVE_MIB_DESCRS, 1);
	netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_MIB_ERRORS, 1);
	netsnmp_ds_set_int(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_MIB_WARNINGS, 1);
	init_callbacks();
	snmp_register_callback(SNMP_CALLBACK_LIBRARY, SNMP_CALLBACK_LOGGING, on_log, NULL);
	snmp_disable_log();
	snmp_enable_calllog();
	netsnmp_set_mib_directory(dirs);
	netsnmp_init_mib();
	for (; *modules; modules++)
		if (!netsnmp_read_module(*modules))
			fail("%s: cannot be read from %s", *modules, dirs);
}

const struct tree *mib_find(const char *module, const char *name)
{
	int modid = which_module(module);
	const struct tree *node = modid < 0 ? NULL : find_tree_node(name, modid);

	if (!node)
		fail("%s::%s: no such node", module, name);
	return node;
}

void mib_oid(const struct tree *node, char buf[MIB_TEXT_MAX])
{
	char rest[MIB_TEXT_MAX] = "";

	buf[0] = '\0';
	for (; node; node = node->parent) {
		snprintf(buf, MIB_TEXT_MAX, "%lu%.*s", node->subid, MIB_TEXT_MAX - 24, rest);
		snprintf(rest, sizeof(rest), ".%.*s", MIB_TEXT_MAX - 2, buf);
	}
}

const char *mib_access(const struct tree *node)
{
	switch (node->access) {
	case MIB_ACCESS_READONLY:
		return "read-only";
	case MIB_ACCESS_READWRITE:
		return "read-write";
	case MIB_ACCESS_CREATE:
		return "read-create";
	case MIB_ACCESS_NOACCESS:
		return "not-accessible";
	case MIB_ACCESS_NOTIFY:
		return "accessible-for-notify";
	default:
		return "";
	}
}

bool mib_is_accessible(const struct tree *node)
{
	return node->access == MIB_ACCESS_READONLY || node->access == MIB_ACCESS_READWRITE ||
	       node->access == MIB_ACCESS_CREATE || node->access == MIB_ACCESS_NOTIFY;
}

/* Returns the enumeration's element with the next greater value, NULL if there is none. */
static const struct enum_list *next_enum(const struct tree *node, int64_t after)
{
	const struct enum_list *next = NULL;

	for (const struct enum_list *e = node->enums; e; e = e->next)
		if (e->value > after && (!next || e->value < next->value))
			next = e;
	return next;
}

void mib_enums(const struct tree *node, char buf[MIB_TEXT_MAX])
{
	size_t len = 0;

	buf[0] = '\0';
	for (const struct enum_list *e = next_enum(node, INT64_MIN); e && len < MIB_TEXT_MAX;
	     e = next_enum(node, e->value))
		len += (size_t)snprintf(buf + len, MIB_TEXT_MAX - len, "%s%s(%d)", len ? "," : "",
					e->label, e->value);
}

void mib_index(const struct tree *entry, const char *module, char buf[MIB_TEXT_MAX])
{
	size_t len = 0;

	buf[0] = '\0';
	if (entry->augments) {
		/* -1: any module, because it is usually an entry of another one. */
		entry = find_tree_node(entry->augments, -1);
		if (!entry) {
			fail("%s: cannot find the entry in an AUGMENTS clause", module);
			return;
		}
	}
	for (const struct index_list *i = entry->indexes; i && len < MIB_TEXT_MAX; i = i->next)
		len += (size_t)snprintf(buf + len, MIB_TEXT_MAX - len, "%s%s%s", len ? ", " : "",
					i->isimplied ? "IMPLIED " : "", i->ilabel);
}

static bool is_unsigned(int type)
{
	return type == TYPE_UNSIGNED32 || type == TYPE_GAUGE || type == TYPE_UINTEGER ||
	       type == TYPE_TIMETICKS;
}

bool mib_range(const struct tree *node, int64_t *low, int64_t *high)
{
	const struct range_list *r = node->ranges;

	if (r) {
		/* The parser stores bounds as int, those of unsigned types too. */
		*low = is_unsigned(node->type) ? (int64_t)(uint32_t)r->low : r->low;
		*high = is_unsigned(node->type) ? (int64_t)(uint32_t)r->high : r->high;
		return r->next == NULL;
	}
	if (node->enums) {
		const struct enum_list *e = next_enum(node, INT64_MIN);

		for (*low = e->value; e; e = next_enum(node, e->value))
			*high = e->value;
		return true;
	}
	if (is_unsigned(node->type)) {
		*low = 0;
		*high = UINT32_MAX;
		return true;
	}
	*low = INT32_MIN;
	*high = INT32_MAX;
	return node->type == TYPE_INTEGER || node->type == TYPE_INTEGER32;
}

void mib_clauses(const char *reference, char buf[MIB_TEXT_MAX])
{
	size_t len = 0;

	buf[0] = '\0';
	for (const char *p = reference ? reference : ""; *p;) {
		/* Clauses of an annex begin with its letter: D.2.7. */
		bool annex =
		    isupper((unsigned char)p[0]) && p[1] == '.' && isdigit((unsigned char)p[2]);
		size_t n = annex + strspn(p + annex, "0123456789.");

		if (n == 0) {
			p++;
			continue;
		}
		/* "32.9.4 k)" is one clause; "802.1Qau" and a single "." are not clauses. */
		if (strncmp(p, "802.", 4) != 0 && (annex || isdigit((unsigned char)*p))) {
			if (p[n] == ' ' && islower((unsigned char)p[n + 1]) && p[n + 2] == ')')
				n += 3;
			len += (size_t)snprintf(buf + len, MIB_TEXT_MAX - len, "%s%.*s",
						len ? "; " : "", (int)n, p);
			if (len >= MIB_TEXT_MAX)
				return;
		}
		p += n;
	}
}
