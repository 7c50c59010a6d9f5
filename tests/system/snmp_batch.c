/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends many SNMP requests from one process: one for each line of standard input.
 * Prints a line with the result of each.
 *
 *   snmp_batch OPTION... AGENT         options as of the Net-SNMP tools
 *     set OID TYPE VALUE [OID TYPE VALUE]...
 *       prints the error-status, by the name that snmpset gives it, or "noError".
 *       TYPE is a letter as for snmpset.
 *     get OID
 *       prints a number in decimal, octets in hexadecimal, the error-status, or an
 *       exception: "noSuchObject", "noSuchInstance".
 *     many N OID
 *       a GET of N varbinds of this name: prints the number of values, or the
 *       error-status.
 *     times MS OID
 *       a GET each millisecond: prints the times (times.h).
 */
#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/system/times.h"

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "snmp_batch: %s\n", what);
	exit(1);
}

static size_t parse(const char *word, oid *name)
{
	size_t len = MAX_OID_LEN;

	if (!read_objid(word, name, &len))
		die(word);
	return len;
}

static netsnmp_pdu *request_of(char *line)
{
	const char *what = strtok(line, " \n"), *word;
	bool set = what && strcmp(what, "set") == 0;
	bool many = what && strcmp(what, "many") == 0;
	int copies = 1;
	netsnmp_pdu *pdu;
	oid name[MAX_OID_LEN];

	if (!set && !many && (!what || strcmp(what, "get") != 0))
		die("expected get, set or many");
	if (many)
		word = strtok(NULL, " \n"), copies = word ? atoi(word) : 0;
	pdu = snmp_pdu_create(set ? SNMP_MSG_SET : SNMP_MSG_GET);
	if (!pdu)
		die("out of memory");
	while ((word = strtok(NULL, " \n"))) {
		size_t len = parse(word, name);
		const char *type = set ? strtok(NULL, " \n") : NULL;
		const char *value = type ? strtok(NULL, " \n") : NULL;

		for (int i = 0; !set && i < copies; i++)
			snmp_add_null_var(pdu, name, len);
		if (!set)
			continue;
		if (!value || snmp_add_var(pdu, name, len, *type, value) != 0)
			die(word);
	}
	return pdu;
}

/* Prints the word of "(wrongValue) ..." or "wrongValue (...)". */
static void print_error(const char *text)
{
	text += *text == '(';
	printf("%.*s\n", (int)strcspn(text, ") \n"), text);
}

static void print_answer(const netsnmp_variable_list *v)
{
	switch (v->type) {
	case ASN_INTEGER:
		printf("%ld\n", *v->val.integer);
		break;
	case ASN_GAUGE:
	case ASN_COUNTER:
	case ASN_TIMETICKS:
		printf("%lu\n", (unsigned long)*v->val.integer & 0xffffffff);
		break;
	case ASN_COUNTER64:
		printf("%" PRIu64 "\n",
		       (uint64_t)v->val.counter64->high << 32 | v->val.counter64->low);
		break;
	case ASN_OCTET_STR:
		for (size_t i = 0; i < v->val_len; i++)
			printf("%02x", v->val.string[i]);
		putchar('\n');
		break;
	case SNMP_NOSUCHOBJECT:
		puts("noSuchObject");
		break;
	case SNMP_NOSUCHINSTANCE:
		puts("noSuchInstance");
		break;
	default:
		printf("a value of type %u\n", v->type);
	}
}

static unsigned count_values(const netsnmp_variable_list *v)
{
	unsigned n = 0;

	for (; v; v = v->next_variable)
		n += v->type < SNMP_NOSUCHOBJECT;
	return n;
}

static void answer(netsnmp_session *session, netsnmp_pdu *request)
{
	bool get = request->command == SNMP_MSG_GET;
	bool many = request->variables->next_variable;
	netsnmp_pdu *response = NULL;
	int status = snmp_synch_response(session, request, &response);

	if (status != STAT_SUCCESS || !response)
		puts(status == STAT_TIMEOUT ? "timeout" : "noResponse");
	else if (response->errstat == SNMP_ERR_NOERROR && get && many)
		printf("%u\n", count_values(response->variables));
	else if (response->errstat == SNMP_ERR_NOERROR && get && response->variables)
		print_answer(response->variables);
	else
		print_error(snmp_errstring((int)response->errstat));
	if (response)
		snmp_free_pdu(response);
}

struct get {
	netsnmp_session *session;
	oid name[MAX_OID_LEN];
	size_t len;
};

static bool get_once(void *ctx)
{
	struct get *g = ctx;
	netsnmp_pdu *request = snmp_pdu_create(SNMP_MSG_GET), *response = NULL;
	bool ok;

	snmp_add_null_var(request, g->name, g->len);
	ok = snmp_synch_response(g->session, request, &response) == STAT_SUCCESS && response &&
	     response->errstat == SNMP_ERR_NOERROR && count_values(response->variables) == 1;
	if (response)
		snmp_free_pdu(response);
	return ok;
}

static void print_times(netsnmp_session *session, char *words)
{
	static struct times times;
	struct get g = {.session = session};
	const char *ms = strtok(words, " \n"), *name = strtok(NULL, " \n");

	if (!name)
		die("expected times MS OID");
	g.len = parse(name, g.name);
	times_print(&times, strtol(ms, NULL, 10), get_once, &g);
}

int main(int argc, char **argv)
{
	netsnmp_session parsed, *session;
	char line[65536];

	if (snmp_parse_args(argc, argv, &parsed, "", NULL) != argc)
		die("usage: snmp_batch OPTION... AGENT");
	session = snmp_open(&parsed);
	if (!session)
		die("cannot open a session");
	while (fgets(line, sizeof(line), stdin)) {
		if (strncmp(line, "times ", 6) == 0)
			print_times(session, line + 6);
		else
			answer(session, request_of(line));
	}
	snmp_close(session);
	free(parsed.community); /* allocated by snmp_parse_args(); 5.9 has no function to free it */
	return 0;
}
