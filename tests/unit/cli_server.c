/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/cli_server.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/cli/base/out.h"
#include "lib/mo/mo_msg.h"

/* --- the server -------------------------------------------------------------------- */

struct cli_server server = {.boot_id = 1, .transmitted = 100, .set_point = 26000};

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
	for (; i < SERVER_ROWS; i++) {
		struct mo_index at = {.n = 3, .sub = {1, i + 1, 1}};
		int order = mo_index_compare(&at, &from);

		if (order > 0 || (order == 0 && !(flags & MO_READ_AFTER)))
			break;
	}
	head = octets_out_take(out, 3);
	for (; i + n < SERVER_ROWS && n < max; n++)
		put_cn_cp(out, i + n);
	head[0] = i + n < SERVER_ROWS;
	put_be16(head + 1, (uint16_t)n);
}

/* --- rows of server_put() --------------------------------------------------------------- */

#define OWN_ROWS_MAX 256

static struct own_row {
	enum mo_table_id table;
	struct mo_index index;
	struct mo_value values[OUT_COLUMNS_MAX];
} own_rows[OWN_ROWS_MAX];
static unsigned n_own_rows;

static int compare_own(const struct own_row *row, enum mo_table_id table,
		       const struct mo_index *index)
{
	if (row->table != table)
		return row->table < table ? -1 : 1;
	return mo_index_compare(&row->index, index);
}

/* Returns the row with this index; inserts it in order if it does not exist. */
static struct own_row *own_row(const struct mo_table *table, const struct mo_index *index)
{
	unsigned i = 0;

	while (i < n_own_rows && compare_own(&own_rows[i], table->id, index) < 0)
		i++;
	if (i < n_own_rows && compare_own(&own_rows[i], table->id, index) == 0)
		return &own_rows[i];
	assert_true(n_own_rows < OWN_ROWS_MAX);
	memmove(&own_rows[i + 1], &own_rows[i], (n_own_rows++ - i) * sizeof(own_rows[0]));
	own_rows[i] = (struct own_row){.table = table->id, .index = *index};
	for (unsigned c = 0; c < table->n_columns; c++) {
		const struct mo_column *col = &table->columns[c];

		own_rows[i].values[c].syntax = col->syntax;
		if (mo_is_octets(col->syntax) && col->syntax != MO_STRING)
			own_rows[i].values[c].len = (uint8_t)(col->min ? col->min : 1);
	}
	return &own_rows[i];
}

void server_put(const char *object, const char *index, const char *value)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(object, &table);
	struct mo_index at;

	if (!col || !mo_index_parse(index, &at) ||
	    !mo_parse(col, value, &own_row(table, &at)->values[col - table->columns]))
		fail_msg("%s.%s %s", object, index, value);
}

void server_clear(void)
{
	n_own_rows = 0;
}

static bool has_own_rows(uint16_t table)
{
	for (unsigned i = 0; i < n_own_rows; i++)
		if (own_rows[i].table == table)
			return true;
	return false;
}

static void serve_own_rows(enum mo_table_id id, struct octets_in *in, struct octets_out *out)
{
	const struct mo_table *table = mo_table(id);
	bool after = octets_in_u8(in) & MO_READ_AFTER;
	uint16_t max = octets_in_be16(in), n = 0;
	struct mo_index from;
	uint8_t *head;

	mo_msg_get_index(in, &from);
	head = octets_out_take(out, 3);
	head[0] = 0;
	for (unsigned i = 0; i < n_own_rows && n < max; i++) {
		if (own_rows[i].table != id || compare_own(&own_rows[i], id, &from) < after)
			continue;
		mo_msg_put_index(out, &own_rows[i].index);
		for (unsigned c = 0; c < table->n_columns; c++)
			mo_msg_put_value(out, &own_rows[i].values[c]);
		n++;
	}
	put_be16(head + 1, n);
}

static void serve_read(const struct mo_msg_header *h, struct octets_in *in, struct octets_out *out)
{
	uint8_t *head;

	if (has_own_rows(h->table)) {
		serve_own_rows((enum mo_table_id)h->table, in, out);
		return;
	}
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
	if (!server.refuse_because)
		return;
	octets_out_u8(out, (uint8_t)strlen(server.refuse_because));
	octets_out_bytes(out, server.refuse_because, strlen(server.refuse_because));
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

/* Sends two events, the second disabled and with an unknown id, then closes the connection. */
static bool serve_events(int fd, uint64_t number)
{
	struct mo_event ev = {.number = number,
			      .real_ms = UINT64_C(1763744171050),
			      .flags = MO_EVENT_NOTIFY,
			      .n = 1,
			      .vbs = {{.table = MO_cn_errored_port,
				       .subid = 3,
				       .index = {3, {1, 4, 2}},
				       .value = {.syntax = MO_INTEGER32, .num = 2}}}};
	uint8_t buf[512];

	for (; ev.number < number + 2 + server.repeated; ev.number++) {
		struct octets_out out = octets_out(buf, sizeof(buf));

		mo_msg_put_header(&out, &(struct mo_msg_header){.op = MO_OP_EVENT | MO_MSG_REPLY});
		mo_msg_put_event(&out, &ev);
		if (send(fd, buf, out.len, MSG_NOSIGNAL) < 0)
			return false;
		if (ev.number < number + server.repeated)
			continue;
		ev.id = 200;
		ev.flags = 0;
		ev.n = 0;
	}
	return false;
}

static void serve_subscribe(struct octets_in *in, struct octets_out *out)
{
	(void)octets_in_u8(in);
	server.subscribed = octets_in_be32(in) == server.boot_id ? octets_in_be64(in) + 1 : 1;
	octets_out_be32(out, server.boot_id);
	octets_out_be64(out, server.subscribed);
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
		server.n_hello++;
		octets_out_be32(out, server.boot_id);
		break;
	case MO_OP_SUBSCRIBE:
		serve_subscribe(in, out);
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
			if (req[1] == MO_OP_SUBSCRIBE && !serve_events(fd, server.subscribed))
				break;
		}
		close(fd);
	}
	return NULL;
}

int start_server(void **state)
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

int stop_server(void **state)
{
	(void)state;
	unlink(server.path);
	shutdown(server.listener, SHUT_RDWR);
	return pthread_join(server.thread, NULL);
}

/* --- running a command ----------------------------------------------------------------- */

struct cli_time cli_time;

static double now_s(void)
{
	return cli_time.now_s;
}

static void sleep_until(double when_s)
{
	assert_true(when_s > cli_time.now_s);
	cli_time.now_s = when_s + cli_time.oversleeps_s;
	cli_time.oversleeps_s = 0;
	cli_time.sleeps++;
}

struct ran run(command_fn *command, bool json, const char *const *words)
{
	struct cli cli = {.socket = server.path,
			  .json = json,
			  .interval_s = 0.1,
			  .count = 3,
			  .clock = {now_s, sleep_until}};
	const struct cli_command self = {
	    .name = "command", .args = "ARGS", .does = "", .run = command};
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

void expect_out(struct ran ran, const char *out)
{
	assert_string_equal(ran.err, "");
	assert_int_equal(ran.rc, CLI_OK);
	assert_string_equal(ran.out, out);
	free(ran.out);
}

void expect_error(struct ran ran, int rc, const char *err)
{
	assert_string_equal(ran.err, err);
	assert_int_equal(ran.rc, rc);
	free(ran.out);
}

json_t *expect_json(struct ran ran)
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
