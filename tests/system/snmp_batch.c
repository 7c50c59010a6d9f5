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
 *     whole get OID...
 *     whole next OID...
 *     whole bulk NON-REPEATERS MAX-REPETITIONS OID...
 *     whole set OID TYPE VALUE [OID TYPE VALUE]...
 *       prints the error-status and the error-index as numbers, then OID=TYPE:OCTETS for
 *       each varbind of the response: the number of its type, and the octets of its value
 *       in memory, in hexadecimal.
 *     many N OID
 *       a GET of N varbinds of this name: prints the number of values, or the
 *       error-status.
 *     times MS OID
 *       a GET each millisecond: prints the times (times.h).
 *     beside MS LATE OID AGENT
 *       a GET each millisecond, of the session's agent and of this one in turn. Prints a line
 *       for each agent: the GETs, those that have failed, the longest time, the time of all,
 *       and the time of those that took more than LATE milliseconds; in microseconds.
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

static const char *next_word(void)
{
	return strtok(NULL, " \n");
}

static long next_number(void)
{
	const char *word = next_word();

	return word ? strtol(word, NULL, 10) : 0;
}

static int command_of(const char *what)
{
	static const struct {
		const char *word;
		int command;
	} commands[] = {
	    {"get", SNMP_MSG_GET},      {"many", SNMP_MSG_GET}, {"next", SNMP_MSG_GETNEXT},
	    {"bulk", SNMP_MSG_GETBULK}, {"set", SNMP_MSG_SET},
	};

	for (size_t i = 0; what && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(what, commands[i].word) == 0)
			return commands[i].command;
	}
	die("expected get, next, bulk, set or many");
}

/* Makes the request of the words that follow. */
static netsnmp_pdu *request_of(const char *what)
{
	netsnmp_pdu *pdu = snmp_pdu_create(command_of(what));
	long copies = 1;
	const char *word;
	oid name[MAX_OID_LEN];

	if (!pdu)
		die("out of memory");
	if (strcmp(what, "many") == 0)
		copies = next_number();
	if (pdu->command == SNMP_MSG_GETBULK) {
		pdu->non_repeaters = next_number();
		pdu->max_repetitions = next_number();
	}
	while ((word = next_word())) {
		size_t len = parse(word, name);
		const char *type, *value;

		if (pdu->command != SNMP_MSG_SET) {
			for (long i = 0; i < copies; i++)
				snmp_add_null_var(pdu, name, len);
			continue;
		}
		type = next_word();
		value = type ? next_word() : NULL;
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

static void print_whole(const netsnmp_pdu *response)
{
	char name[1024];

	printf("%ld %ld", response->errstat, response->errindex);
	for (const netsnmp_variable_list *v = response->variables; v; v = v->next_variable) {
		snprint_objid(name, sizeof(name), v->name, v->name_length);
		printf(" %s=%u:", name, v->type);
		for (size_t i = 0; i < v->val_len; i++)
			printf("%02x", v->val.string[i]);
	}
	putchar('\n');
}

static void print_short(const netsnmp_pdu *response, bool get, bool many)
{
	if (response->errstat == SNMP_ERR_NOERROR && get && many)
		printf("%u\n", count_values(response->variables));
	else if (response->errstat == SNMP_ERR_NOERROR && get && response->variables)
		print_answer(response->variables);
	else
		print_error(snmp_errstring((int)response->errstat));
}

static void answer(netsnmp_session *session, netsnmp_pdu *request, bool whole)
{
	bool get = request->command == SNMP_MSG_GET;
	bool many = request->variables->next_variable;
	netsnmp_pdu *response = NULL;
	int status = snmp_synch_response(session, request, &response);

	if (status != STAT_SUCCESS || !response)
		puts(status == STAT_TIMEOUT ? "timeout" : "noResponse");
	else if (whole)
		print_whole(response);
	else
		print_short(response, get, many);
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

static void print_times(netsnmp_session *session)
{
	static struct times times;
	struct get g = {.session = session};
	long ms = next_number();
	const char *name = next_word();

	if (!name)
		die("expected times MS OID");
	g.len = parse(name, g.name);
	times_print(&times, ms, get_once, &g);
}

struct side {
	struct get get;
	unsigned n, failed;
	int64_t longest_us, all_us, late_us;
};

static void ask_side(struct side *s, int64_t late_us)
{
	int64_t us = -times_now_us();

	s->n++;
	s->failed += !get_once(&s->get);
	us += times_now_us();
	s->all_us += us;
	if (us > late_us)
		s->late_us += us;
	if (us > s->longest_us)
		s->longest_us = us;
}

/* options: those of the session. */
static void print_beside(netsnmp_session *session, const netsnmp_session *options)
{
	int64_t end = times_now_us() + next_number() * 1000, late_us = next_number() * 1000;
	const char *name = next_word(), *peer = next_word();
	netsnmp_session other = *options;
	struct side sides[2] = {0};

	if (!peer)
		die("expected beside MS LATE OID AGENT");
	other.peername = (char *)(uintptr_t)peer;
	sides[0].get.session = session;
	sides[0].get.len = parse(name, sides[0].get.name);
	sides[1].get = sides[0].get;
	sides[1].get.session = snmp_open(&other);
	if (!sides[1].get.session)
		die("cannot open a session");
	while (times_now_us() < end) {
		ask_side(&sides[0], late_us);
		ask_side(&sides[1], late_us);
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	for (const struct side *s = sides; s < sides + 2; s++)
		printf("%u %u %" PRId64 " %" PRId64 " %" PRId64 "\n", s->n, s->failed,
		       s->longest_us, s->all_us, s->late_us);
	snmp_close(sides[1].get.session);
}

static void run_line(netsnmp_session *session, const netsnmp_session *options, char *line)
{
	const char *what = strtok(line, " \n");
	bool whole = what && strcmp(what, "whole") == 0;

	if (what && strcmp(what, "times") == 0)
		print_times(session);
	else if (what && strcmp(what, "beside") == 0)
		print_beside(session, options);
	else
		answer(session, request_of(whole ? next_word() : what), whole);
}

int main(int argc, char **argv)
{
	netsnmp_session parsed, *session;
	char line[65536];

	if (snmp_parse_args(argc, argv, &parsed, "", NULL) != argc)
		die("usage: snmp_batch OPTION... AGENT");
	netsnmp_ds_set_int(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_OID_OUTPUT_FORMAT,
			   NETSNMP_OID_OUTPUT_NUMERIC);
	session = snmp_open(&parsed);
	if (!session)
		die("cannot open a session");
	while (fgets(line, sizeof(line), stdin))
		run_line(session, &parsed, line);
	snmp_close(session);
	free(parsed.community); /* allocated by snmp_parse_args(); 5.9 has no function to free it */
	return 0;
}
