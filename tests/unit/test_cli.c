/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbctl's commands against a server that speaks dcbd's control protocol over
 * a handful of rows: what they print as text and as JSON, and what they say
 * when something is refused.
 */
#include "agent/cli/cli.h"

#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/cli/grid.h"
#include "agent/cli/out.h"
#include "agent/cli/rates.h"
#include "agent/cli/target.h"
#include "tests/unit/unit.h"

/* --- the server -------------------------------------------------------------------- */

#define ROWS 600 /* of cn_cp: more than a page has */

static struct {
	char path[64];
	int listener;
	pthread_t thread;
	uint32_t boot_id;
	uint64_t transmitted; /* of every congestion point; more at each read of the first row */
	uint32_t set_point;   /* of row 1.1.1 */
	uint32_t pending;
	enum mo_error refuse_test, refuse_commit;
	unsigned refuse_at;
	unsigned n_test, n_commit, n_undo, n_cleanup;
} server = {.boot_id = 1, .transmitted = 100, .set_point = 26000};

static void put_number(struct octets_out *out, enum mo_syntax syntax, int64_t num)
{
	mo_msg_put_value(out, &(struct mo_value){.syntax = syntax, .num = num});
}

static void put_octets(struct octets_out *out, enum mo_syntax syntax, const void *p, uint8_t n)
{
	struct mo_value v = {.syntax = syntax, .len = n};

	memcpy(v.octets, p, n);
	mo_msg_put_value(out, &v);
}

/* Row i of cn_cp, 1.(i+1).1; the last column has no value. */
static void put_cn_cp(struct octets_out *out, unsigned i)
{
	static const uint8_t mac[] = {0, 0x1b, 0x21, 0, 0, 1};
	static const uint8_t cpid[] = {0, 0x1b, 0x21, 0, 0, 1, 0, 3};

	mo_msg_put_index(out, &(struct mo_index){.n = 3, .sub = {1, i + 1, 1}});
	put_number(out, MO_UNSIGNED32, 3);
	put_octets(out, MO_OCTETS, mac, sizeof(mac));
	put_octets(out, MO_OCTETS, cpid, sizeof(cpid));
	put_number(out, MO_UNSIGNED32, i == 0 ? server.set_point : 26000);
	put_number(out, MO_INTEGER32, -10);
	put_number(out, MO_UNSIGNED32, 150000);
	put_number(out, MO_COUNTER64, 0);
	put_number(out, MO_COUNTER64, (int64_t)server.transmitted);
	put_number(out, MO_COUNTER64, -1); /* 2^64 - 1 */
	octets_out_u8(out, MO_MSG_NO_VALUE);
}

static void put_agent_id(struct octets_out *out)
{
	mo_msg_put_index(out, &(struct mo_index){.n = 1, .sub = {0}});
	put_octets(out, MO_STRING, "1\n\xff", 3);
	put_number(out, MO_ENUM, 1);
	put_octets(out, MO_STRING, "", 0);
	put_number(out, MO_TIMETICKS, 4294967295);
	put_number(out, MO_UNSIGNED32, 4);
	put_number(out, MO_UNSIGNED32, 1);
	put_number(out, MO_ENUM, 9); /* a number without a name */
	put_number(out, MO_COUNTER32, 7);
	put_number(out, MO_COUNTER32, 0);
}

static void serve_cn_cp(struct octets_in *in, struct octets_out *out)
{
	uint8_t flags = octets_in_u8(in);
	uint16_t max = octets_in_be16(in);
	struct mo_index from;
	unsigned i = 0, n = 0;
	uint8_t *head;

	mo_msg_get_index(in, &from);
	if (from.n == 0)
		server.transmitted += 1000;
	for (; i < ROWS; i++) {
		struct mo_index at = {.n = 3, .sub = {1, i + 1, 1}};
		int order = mo_index_compare(&at, &from);

		if (order > 0 || (order == 0 && !(flags & MO_READ_AFTER)))
			break;
	}
	head = octets_out_take(out, 3);
	for (; i + n < ROWS && n < max; n++)
		put_cn_cp(out, i + n);
	head[0] = i + n < ROWS;
	put_be16(head + 1, (uint16_t)n);
}

static void serve_read(const struct mo_msg_header *h, struct octets_in *in, struct octets_out *out)
{
	uint8_t *head;

	if (h->table == MO_cn_cp) {
		serve_cn_cp(in, out);
		return;
	}
	head = octets_out_take(out, 3);
	memset(head, 0, 3);
	if (h->table == MO_agent_id && !(octets_in_u8(in) & MO_READ_AFTER)) {
		head[2] = 1;
		put_agent_id(out);
	}
}

static void put_result(struct octets_out *out, enum mo_error error)
{
	octets_out_u8(out, (uint8_t)error);
	octets_out_be16(out, (uint16_t)(error ? server.refuse_at : 0));
}

static void serve_test(struct octets_in *in, struct octets_out *out)
{
	struct mo_varbind vb;

	server.n_test++;
	(void)octets_in_be32(in);
	for (unsigned n = octets_in_be16(in); n > 0; n--) {
		mo_msg_get_varbind(in, &vb);
		if (vb.table == MO_cn_cp && vb.subid == 7)
			server.pending = (uint32_t)vb.value.num;
	}
	put_result(out, server.refuse_test);
}

static void serve_one(struct octets_in *in, struct octets_out *out)
{
	struct mo_msg_header h;

	if (!mo_msg_get_header(in, &h))
		return;
	mo_msg_put_header(out, &(struct mo_msg_header){.op = (uint8_t)(h.op | MO_MSG_REPLY),
						       .table = h.table,
						       .seq = h.seq});
	switch (h.op) {
	case MO_OP_HELLO:
		octets_out_be32(out, server.boot_id);
		break;
	case MO_OP_READ:
		serve_read(&h, in, out);
		break;
	case MO_OP_TEST:
		serve_test(in, out);
		break;
	case MO_OP_COMMIT:
		server.n_commit++;
		if (!server.refuse_commit)
			server.set_point = server.pending;
		put_result(out, server.refuse_commit);
		break;
	case MO_OP_UNDO:
		server.n_undo++;
		put_result(out, MO_NO_ERROR);
		break;
	case MO_OP_CLEANUP:
		server.n_cleanup++;
		put_result(out, MO_NO_ERROR);
		break;
	}
}

static void *serve(void *arg)
{
	static uint8_t req[MO_MSG_MAX], rep[MO_MSG_MAX];
	int fd;

	(void)arg;
	while ((fd = accept(server.listener, NULL, NULL)) >= 0) {
		ssize_t n;

		while ((n = recv(fd, req, sizeof(req), 0)) > 0) {
			struct octets_in in = octets_in(req, (size_t)n);
			struct octets_out out = octets_out(rep, sizeof(rep));

			serve_one(&in, &out);
			if (send(fd, rep, out.len, MSG_NOSIGNAL) < 0)
				break;
		}
		close(fd);
	}
	return NULL;
}

static int start_server(void **state)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};

	(void)state;
	snprintf(server.path, sizeof(server.path), "/tmp/test_cli.%d", (int)getpid());
	strcpy(sun.sun_path, server.path);
	server.listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	if (server.listener < 0 ||
	    bind(server.listener, (struct sockaddr *)&sun, sizeof(sun)) < 0 ||
	    listen(server.listener, 4) < 0)
		return -1;
	return pthread_create(&server.thread, NULL, serve, NULL);
}

static int stop_server(void **state)
{
	(void)state;
	unlink(server.path);
	shutdown(server.listener, SHUT_RDWR);
	return pthread_join(server.thread, NULL);
}

/* --- running a command ----------------------------------------------------------------- */

struct ran {
	int rc;
	char *out;
	size_t n;
	char err[4096];
};

typedef int command_fn(struct cli *cli, const struct cli_command *self, int argc, char **argv);

/* words end with NULL. */
static struct ran run(command_fn *command, bool json, const char *const *words)
{
	struct cli cli = {.socket = server.path, .json = json, .interval_s = 0.1, .count = 3};
	const struct cli_command self = {"command", "ARGS", "", command, NULL};
	struct ran ran = {.out = NULL};
	int saved = dup(STDERR_FILENO), argc = 0;
	char *argv[16];
	FILE *err = tmpfile();

	for (; words[argc]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc];
	assert_non_null(err);
	fflush(stderr);
	dup2(fileno(err), STDERR_FILENO);
	cli.out = open_memstream(&ran.out, &ran.n);
	ran.rc = command(&cli, &self, argc, argv);
	fclose(cli.out);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(err);
	ran.err[fread(ran.err, 1, sizeof(ran.err) - 1, err)] = '\0';
	fclose(err);
	mo_client_free(cli.client);
	return ran;
}

#define RUN(command, json, ...) run(command, json, (const char *const[]){__VA_ARGS__, NULL})

static void expect_out(struct ran ran, const char *out)
{
	assert_string_equal(ran.err, "");
	assert_int_equal(ran.rc, CLI_OK);
	assert_string_equal(ran.out, out);
	free(ran.out);
}

static void expect_error(struct ran ran, int rc, const char *err)
{
	assert_string_equal(ran.err, err);
	assert_int_equal(ran.rc, rc);
	free(ran.out);
}

static json_t *expect_json(struct ran ran)
{
	json_error_t error;
	json_t *j = json_loads(ran.out, 0, &error);

	assert_string_equal(ran.err, "");
	assert_int_equal(ran.rc, CLI_OK);
	if (!j)
		fail_msg("%s: %s", error.text, ran.out);
	assert_true(json_is_array(j));
	free(ran.out);
	return j;
}

/* --- show ------------------------------------------------------------------------------ */

static void test_show_one_row(void **state)
{
	(void)state;
	expect_out(RUN(cmd_show, false, "cn_cp", "1.7.1"),
		   "ieee8021CnCpTable: 1 row\n"
		   "ieee8021CnCpPriority.1.7.1           3\n"
		   "ieee8021CnCpMacAddress.1.7.1         00-1b-21-00-00-01\n"
		   "ieee8021CnCpIdentifier.1.7.1         00-1b-21-00-00-01-00-03\n"
		   "ieee8021CnCpQueueSizeSetPoint.1.7.1  26000 octets\n"
		   "ieee8021CnCpFeedbackWeight.1.7.1     -10\n"
		   "ieee8021CnCpMinSampleBase.1.7.1      150000 octets\n"
		   "ieee8021CnCpDiscardedFrames.1.7.1    0 frames\n"
		   "ieee8021CnCpTransmittedFrames.1.7.1  100 frames\n"
		   "ieee8021CnCpTransmittedCnms.1.7.1    18446744073709551615 frames\n"
		   "ieee8021CnCpMinHeaderOctets.1.7.1    \n");
	expect_out(RUN(cmd_show, false, "CnCpFeedbackWeight.1.7.1"),
		   "ieee8021CnCpTable: 1 row\n"
		   "ieee8021CnCpFeedbackWeight.1.7.1  -10\n");
	/* A control character and an octet of no encoding do not reach the terminal. */
	expect_out(RUN(cmd_show, false, "dcbAgentVersion"),
		   "dcbAgent\ndcbAgentVersion.0  1?\xff\n");
	expect_out(RUN(cmd_show, false, "cn_com_pri"), "ieee8021CnCompntPriTable: 0 rows\n");
}

static void test_show_grid(void **state)
{
	struct ran ran = RUN(cmd_show, false, "ieee8021CnCpQueueSizeSetPoint");
	unsigned lines = 0;

	(void)state;
	assert_int_equal(ran.rc, CLI_OK);
	assert_memory_equal(ran.out,
			    "ieee8021CnCpTable: 600 rows\n"
			    "ComponentId  IfIndex  Index  QueueSizeSetPoint\n"
			    "          1        1      1              26000\n",
			    28 + 47 + 47);
	for (const char *p = ran.out; *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, ROWS + 2); /* three pages, no row twice */
	free(ran.out);
}

static void test_show_all(void **state)
{
	struct ran ran = run(cmd_show, false, (const char *const[]){NULL});

	(void)state;
	assert_int_equal(ran.rc, CLI_OK);
	for (unsigned id = 0; id < MO_TABLES; id++)
		assert_non_null(strstr(ran.out, mo_table((enum mo_table_id)id)->name));
	free(ran.out);
}

static void test_show_json(void **state)
{
	json_t *j = expect_json(RUN(cmd_show, true, "cn_cp", "1.600"));
	json_t *rows = json_object_get(json_array_get(j, 0), "rows"), *values;
	static const char want[] =
	    "{\"instance\":\"1.600.1\",\"index\":{\"ieee8021CnCpComponentId\":1,"
	    "\"ieee8021CnCpIfIndex\":600,\"ieee8021CnCpIndex\":1},\"values\":{"
	    "\"ieee8021CnCpPriority\":3,\"ieee8021CnCpMacAddress\":\"00-1b-21-00-00-01\","
	    "\"ieee8021CnCpIdentifier\":\"00-1b-21-00-00-01-00-03\","
	    "\"ieee8021CnCpQueueSizeSetPoint\":26000,\"ieee8021CnCpFeedbackWeight\":-10,"
	    "\"ieee8021CnCpMinSampleBase\":150000,\"ieee8021CnCpDiscardedFrames\":0,";
	char *text;

	(void)state;
	assert_int_equal(json_array_size(j), 1);
	assert_int_equal(json_array_size(rows), 1);
	text = json_dumps(json_array_get(rows, 0), JSON_COMPACT);
	assert_memory_equal(text, want, sizeof(want) - 1);
	free(text);
	values = json_object_get(json_array_get(rows, 0), "values");
	assert_true(json_is_integer(json_object_get(values, "ieee8021CnCpTransmittedFrames")));
	/* Beyond what a signed integer holds: a number still. */
	assert_float_equal(
	    json_number_value(json_object_get(values, "ieee8021CnCpTransmittedCnms")),
	    18446744073709551615.0, 1);
	assert_true(json_is_null(json_object_get(values, "ieee8021CnCpMinHeaderOctets")));
	assert_null(json_object_get(json_array_get(rows, 0), "rates"));
	json_decref(j);

	j = expect_json(RUN(cmd_show, true, "agent_id"));
	values = json_object_get(json_array_get(json_object_get(json_array_get(j, 0), "rows"), 0),
				 "values");
	assert_string_equal(json_string_value(json_object_get(values, "dcbAgentVersion")), "1\n?");
	assert_string_equal(json_string_value(json_object_get(values, "dcbAgentRole")), "bridge");
	assert_int_equal(json_integer_value(json_object_get(values, "dcbAgentStateStatus")), 9);
	assert_int_equal(json_integer_value(json_object_get(values, "dcbAgentUpTime")), 4294967295);
	json_decref(j);
}

static void test_show_errors(void **state)
{
	(void)state;
	expect_error(RUN(cmd_show, false, "cn_cq"), CLI_FAILED,
		     "dcbctl: no table or object \"cn_cq\"; dcbctl objects lists them\n");
	expect_error(RUN(cmd_show, false, "cn_cp", "1.601"), CLI_FAILED,
		     "dcbctl: ieee8021CnCpTable has no row 1.601\n");
	expect_error(RUN(cmd_show, false, "cn_cp", "0.1"), CLI_FAILED,
		     "dcbctl: ieee8021CnCpComponentId: expected 1..4294967295, not \"0\"\n");
	expect_error(RUN(cmd_show, false, "cn_cp", "1.nosuchif"), CLI_FAILED,
		     "dcbctl: ieee8021CnCpIfIndex: expected 1..2147483647 or the name of an "
		     "interface, not \"nosuchif\"\n");
	expect_error(RUN(cmd_show, false, "cn_cp", "1.2.3.4"), CLI_FAILED,
		     "dcbctl: index of ieee8021CnCpTable: expected no more than 3 numbers\n");
	expect_error(RUN(cmd_show, false, "agent_id", "1"), CLI_FAILED,
		     "dcbctl: index of dcbAgent: expected 0, not \"1\"\n");
	expect_error(RUN(cmd_show, false, "a", "b", "c"), CLI_USAGE,
		     "usage: dcbctl [-j] [-s socket] command ARGS\n");
}

/* --- set -------------------------------------------------------------------------------- */

static void test_set(void **state)
{
	unsigned before = server.n_cleanup;
	json_t *j;
	char *text;

	(void)state;
	expect_out(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1.1", "30000",
		       "ieee8021CnCpFeedbackWeight.1.1.1", "-3"),
		   "ieee8021CnCpQueueSizeSetPoint.1.1.1 = 30000 octets\n"
		   "ieee8021CnCpFeedbackWeight.1.1.1 = -3\n");
	assert_int_equal(server.set_point, 30000);
	/* The server has read it when the connection is closed: join by one more request. */
	j = expect_json(RUN(cmd_set, true, "ieee8021CnComPriRowStatus.1.3", "createAndGo"));
	text = json_dumps(j, JSON_COMPACT);
	assert_string_equal(text,
			    "[{\"object\":\"ieee8021CnComPriRowStatus\","
			    "\"instance\":\"1.3\",\"value\":\"createAndGo\"}]");
	free(text);
	json_decref(j);
	assert_int_equal(server.n_cleanup, before + 2);
	assert_int_equal(server.n_undo, 0);
}

static void test_set_wrong(void **state)
{
	unsigned before = server.n_test;

	(void)state;
	expect_error(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1.1", "30000",
			 "ieee8021CnCpQueueSizeSetPoint.1.2.1", "99"),
		     CLI_FAILED,
		     "dcbctl: ieee8021CnCpQueueSizeSetPoint.1.2.1: wrongValue: expected "
		     "100..4294967295 octets, not \"99\"\n");
	expect_error(RUN(cmd_set, false, "ieee8021CnComPriDefModeChoice.1.3", "cpcComp"),
		     CLI_FAILED,
		     "dcbctl: ieee8021CnComPriDefModeChoice.1.3: wrongValue: expected one of "
		     "cpcAdmin, cpcAuto, not \"cpcComp\"\n");
	expect_error(RUN(cmd_set, false, "ieee8021CnCpTransmittedCnms.1.1.1", "0"), CLI_FAILED,
		     "dcbctl: ieee8021CnCpTransmittedCnms.1.1.1: notWritable: the object is "
		     "read-only\n");
	expect_error(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1", "200"), CLI_FAILED,
		     "dcbctl: ieee8021CnCpQueueSizeSetPoint.1.1: expected OBJECT.INDEX, with all "
		     "3 numbers of the index\n");
	expect_error(RUN(cmd_set, false, "cn_cp.1.1.1", "200"), CLI_FAILED,
		     "dcbctl: cn_cp.1.1.1: expected OBJECT.INDEX, with all 3 numbers of the "
		     "index\n");
	expect_error(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1.1"), CLI_USAGE,
		     "usage: dcbctl [-j] [-s socket] command ARGS\n");
	/* dcbd was not even asked. */
	assert_int_equal(server.n_test, before);
}

static void test_set_refused(void **state)
{
	unsigned commits = server.n_commit, undos = server.n_undo;

	(void)state;
	server.refuse_test = MO_INCONSISTENT_VALUE;
	server.refuse_at = 2;
	expect_error(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1.1", "31000",
			 "ieee8021CnComPriRowStatus.1.4", "active"),
		     CLI_FAILED,
		     "dcbctl: ieee8021CnComPriRowStatus.1.4: inconsistentValue: the value "
		     "contradicts other objects, or the state of the row\n");
	assert_int_equal(server.n_commit, commits);
	server.refuse_test = MO_NO_ERROR;
	server.refuse_commit = MO_COMMIT_FAILED;
	server.refuse_at = 0;
	expect_error(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1.1", "31000"),
		     CLI_FAILED,
		     "dcbctl: commitFailed: nothing was changed; dcbd's log says why\n");
	assert_int_equal(server.n_undo, undos + 1);
	server.refuse_commit = MO_NO_ERROR;
}

/* --- watch ------------------------------------------------------------------------------- */

static void test_watch_json(void **state)
{
	struct ran ran = RUN(cmd_watch, true, "ieee8021CnCpTransmittedFrames", "cn_com_pri");
	char *save = NULL;
	unsigned turns = 0;

	(void)state;
	assert_int_equal(ran.rc, CLI_OK);
	for (char *line = strtok_r(ran.out, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		json_t *j = json_loads(line, 0, NULL);
		json_t *rows = json_object_get(json_array_get(j, 0), "rows");
		json_t *rate = json_object_get(json_object_get(json_array_get(rows, 0), "rates"),
					       "ieee8021CnCpTransmittedFrames");

		assert_int_equal(json_array_size(j), 2);
		assert_int_equal(json_array_size(rows), ROWS);
		/*
		 * 1000 more at each read, every 0.1 s; on a busy machine a read
		 * comes late, and the one after a late one sooner.
		 */
		if (turns++ == 0)
			assert_true(json_is_null(rate));
		else
			assert_true(json_real_value(rate) > 10 && json_real_value(rate) < 100000);
		json_decref(j);
	}
	assert_int_equal(turns, 3);
	free(ran.out);
}

static void test_watch_text(void **state)
{
	struct ran ran = RUN(cmd_watch, false, "ieee8021CnCpTransmittedFrames.1.1.1");

	(void)state;
	/* The first turn has no rate; a read of one row does not move the counter. */
	assert_null(strstr(ran.out, "/s"));
	assert_non_null(strstr(ran.out, "ieee8021CnCpTransmittedFrames.1.1.1"));
	free(ran.out);
}

static void test_rates(void **state)
{
	const struct mo_table *table = mo_table(MO_agent_id);
	struct mo_value values[OUT_COLUMNS_MAX] = {{0}};
	struct out_row row = {.index = {.n = 1}, .values = values, .present = 0x1ff};
	double per_second[OUT_COLUMNS_MAX];
	struct rates rates = {.cursor = 0};

	(void)state;
	assert_int_equal(table->columns[7].syntax, MO_COUNTER32);
	values[7].num = UINT32_MAX - 9;
	rates_begin(&rates, 10);
	rates_row(&rates, 1, table, &row, per_second);
	rates_end(&rates);
	assert_true(isnan(per_second[7]));
	/* Wrapped: 10 to zero, 10 from there, in two seconds. */
	values[7].num = 10;
	rates_begin(&rates, 12);
	rates_row(&rates, 1, table, &row, per_second);
	rates_end(&rates);
	assert_float_equal(per_second[7], 10.0, 1e-9);
	assert_true(isnan(per_second[3])); /* TimeTicks are no counter */
	/* Another run of dcbd: its counters have nothing to do with these. */
	rates_begin(&rates, 13);
	rates_row(&rates, 2, table, &row, per_second);
	rates_end(&rates);
	assert_true(isnan(per_second[7]));
	rates_free(&rates);
}

/* --- objects, names, connection ------------------------------------------------------------ */

static void test_objects(void **state)
{
	json_t *j = expect_json(run(cmd_objects, true, (const char *const[]){NULL}));
	unsigned columns = 0;
	char *text;

	(void)state;
	for (unsigned id = 0; id < MO_TABLES; id++)
		columns += mo_table((enum mo_table_id)id)->n_columns;
	assert_int_equal(json_array_size(j), columns);
	json_decref(j);

	j = expect_json(RUN(cmd_objects, true, "CnComPriDefModeChoice"));
	text = json_dumps(j, JSON_COMPACT);
	assert_string_equal(
	    text,
	    "[{\"object\":\"ieee8021CnComPriDefModeChoice\","
	    "\"table\":\"ieee8021CnCompntPriTable\",\"module\":\"IEEE8021-CN-MIB\","
	    "\"oid\":\"1.3.111.2.802.1.1.18.1.3.1.3\",\"syntax\":\"INTEGER\","
	    "\"access\":\"read-create\",\"min\":1,\"max\":2,"
	    "\"names\":{\"cpcAdmin\":1,\"cpcAuto\":2,\"cpcComp\":3},"
	    "\"default\":\"cpcAuto\",\"defval\":true,\"unit\":\"\",\"clause\":\"32.3.1\"}]");
	free(text);
	json_decref(j);
	expect_out(RUN(cmd_objects, false, "ieee8021PfcLinkDelayAllowance"),
		   "object                         syntax      range          default  access      "
		   "unit  clause  oid\n"
		   "ieee8021PfcLinkDelayAllowance  Unsigned32  0..4294967295  0        read-write  "
		   "      12.23   1.3.111.2.802.1.1.21.1.1.1.1\n");
}

/* Every table and every object is found by its names, and by no other's. */
static void test_targets(void **state)
{
	struct target target;
	char err[256];

	(void)state;
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);

		assert_true(target_parse(target_alias(t), &target, err, sizeof(err)));
		assert_ptr_equal(target.table, t);
		assert_null(target.col);
		assert_true(target_parse(t->name, &target, err, sizeof(err)));
		assert_ptr_equal(target.table, t);
		for (unsigned i = 0; i < t->n_columns; i++) {
			assert_true(target_parse(t->columns[i].name, &target, err, sizeof(err)));
			assert_ptr_equal(target.col, &t->columns[i]);
		}
	}
	assert_true(target_parse("cn_cpid.0.27.33.0.0.1.0.3", &target, err, sizeof(err)));
	assert_int_equal(target.index.n, 8);
	assert_false(target_parse("cn_cpid.256", &target, err, sizeof(err)));
	assert_false(target_parse("cn_cp.", &target, err, sizeof(err)));
	assert_false(target_parse("cn_cp.1..2", &target, err, sizeof(err)));
	assert_false(target_parse("", &target, err, sizeof(err)));
	assert_true(target_parse("cn_cp.1.lo", &target, err, sizeof(err)));
	assert_int_equal(target.index.sub[1], 1);
}

/* Heads of columns are whole words, and no two of a table are equal. */
static void test_heads(void **state)
{
	(void)state;
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *t = mo_table((enum mo_table_id)id);
		static struct mo_value values[OUT_COLUMNS_MAX];
		struct out_row row = {.index = {.n = t->index_len}, .values = values};
		char *text = NULL, *save = NULL, *heads[GRID_COLUMNS_MAX], *head;
		size_t size, n = 0;
		FILE *f = open_memstream(&text, &size);
		struct out *out = out_text_new(f);

		out->ops->table(out, t, NULL);
		out->ops->row(out, &row);
		out->ops->row(out, &row);
		out->ops->end(out, true);
		fclose(f);
		head = strtok_r(strchr(text, '\n') + 1, "\n", &save);
		for (head = strtok_r(head, " ", &save); head; head = strtok_r(NULL, " ", &save)) {
			if (strcmp(head, "ifIndex") != 0)
				assert_in_range(head[0], 'A', 'Z');
			for (size_t i = 0; i < n; i++)
				assert_string_not_equal(head, heads[i]);
			heads[n++] = head;
		}
		/* A readable index is not there twice. */
		assert_int_equal(n, t->n_index + t->n_columns - (id == MO_cn_errored_port));
		free(text);
	}
}

/* The names of the tables are told in two more places. */
static void test_aliases_are_documented(void **state)
{
	static const char *const files[] = {"man/dcbctl.8", "contrib/bash-completion/dcbctl"};
	const char *srcdir = getenv("DCB_SRCDIR");

	(void)state;
	for (size_t f = 0; f < UNIT_COUNT(files); f++) {
		static char text[65536];
		char path[4096], want[256];
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", srcdir ? srcdir : ".", files[f]);
		file = fopen(path, "r");
		if (!file)
			fail_msg("%s", path);
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		fclose(file);
		for (unsigned id = 0; id < MO_TABLES; id++) {
			const struct mo_table *t = mo_table((enum mo_table_id)id);

			snprintf(want, sizeof(want), f == 0 ? ".It Cm %s\n%s" : "%s",
				 target_alias(t), t->name);
			if (!strstr(text, want))
				fail_msg("%s lacks %s, %s", path, target_alias(t), t->name);
		}
	}
}

static void test_unreachable(void **state)
{
	char path[sizeof(server.path)], want[256];
	struct ran ran;

	(void)state;
	strcpy(path, server.path);
	strcat(server.path, ".no");
	snprintf(want, sizeof(want), "dcbctl: %s: connect: No such file or directory\n",
		 server.path);
	ran = RUN(cmd_show, false, "cn_cp");
	assert_int_equal(ran.n, 0); /* nothing that looks like an answer */
	expect_error(ran, CLI_FAILED, want);
	expect_error(RUN(cmd_set, false, "ieee8021CnCpQueueSizeSetPoint.1.1.1", "30000"),
		     CLI_FAILED, want);
	strcpy(server.path, path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_show_one_row),
	    cmocka_unit_test(test_show_grid),
	    cmocka_unit_test(test_show_all),
	    cmocka_unit_test(test_show_json),
	    cmocka_unit_test(test_show_errors),
	    cmocka_unit_test(test_set),
	    cmocka_unit_test(test_set_wrong),
	    cmocka_unit_test(test_set_refused),
	    cmocka_unit_test(test_watch_json),
	    cmocka_unit_test(test_watch_text),
	    cmocka_unit_test(test_rates),
	    cmocka_unit_test(test_objects),
	    cmocka_unit_test(test_targets),
	    cmocka_unit_test(test_heads),
	    cmocka_unit_test(test_aliases_are_documented),
	    cmocka_unit_test(test_unreachable),
	};

	return cmocka_run_group_tests(tests, start_server, stop_server);
}
