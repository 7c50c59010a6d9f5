/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control socket: ctl_server in an event loop of its own thread, and mo_client,
 * connected by a socket file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <event2/event.h>

#include "lib/log.h"
#include "lib/mo/mo_client.h"
#include "control/ctl_server.h"
#include "control/managed_conf.h"
#include "tests/unit/fake_provider.h"

#define DEADLINE_MS 20000 /* of a request that is expected to succeed */

struct server {
	struct fake_provider provider;
	struct conf conf;
	struct managed *m;
	struct mo_service *service;
	struct event_base *base;
	struct ctl_server *ctl;
	struct event *stop;
	int stop_pipe[2];
	pthread_t thread;
};

static char dir[64], path[96];
/* The default user of dcb-agentx exists with snmpd only. */
static const struct ctl_server_config config = {
    .control = path, .hold_ms = DEADLINE_MS, .agent = "nobody"};

static void on_stop(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	event_base_loopbreak(arg);
}

static void *serve(void *arg)
{
	event_base_dispatch(((struct server *)arg)->base);
	return NULL;
}

static void add_port(struct server *s, uint32_t ifindex)
{
	struct link_info link = {.ifindex = ifindex, .mac = {2}};
	char err[128];

	snprintf(link.name, sizeof(link.name), "p%u", ifindex);
	assert_true(managed_port_add(s->m, &link, &s->conf.port_default, err, sizeof(err)));
	managed_adopted(s->m, &s->provider.provider, s->m->config->generation);
}

static struct server *server_start(uint32_t boot_id, unsigned ports)
{
	struct server *s = calloc(1, sizeof(*s));
	struct provider *const providers[] = {&s->provider.provider};
	struct provider_refusal why;
	char err[256];

	s->conf.role = ROLE_BRIDGE;
	s->conf.component_id = 1;
	fake_provider_init(&s->provider);
	s->m = managed_conf_new(&s->conf, providers, 1);
	for (unsigned i = 1; i <= ports; i++)
		add_port(s, i);
	assert_true(managed_release(s->m, &why));
	s->service = mo_service_new(s->m, NULL, boot_id);
	s->base = event_base_new();
	s->ctl = ctl_server_new(s->base, s->service, &config, err, sizeof(err));
	if (!s->ctl)
		fail_msg("%s", err);
	assert_int_equal(pipe(s->stop_pipe), 0);
	s->stop = event_new(s->base, s->stop_pipe[0], EV_READ, on_stop, s->base);
	event_add(s->stop, NULL);
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
	return s;
}

static void server_stop(struct server *s)
{
	assert_int_equal(write(s->stop_pipe[1], "x", 1), 1);
	pthread_join(s->thread, NULL);
	ctl_server_free(s->ctl);
	event_free(s->stop);
	close(s->stop_pipe[0]);
	close(s->stop_pipe[1]);
	mo_service_free(s->service);
	managed_free(s->m);
	event_base_free(s->base);
	free(s);
}

/* Reads all rows of dcbPfcPriorityTable, page_rows in a request. Returns their number. */
static unsigned walk(struct mo_client *c, unsigned page_rows)
{
	struct mo_page page = {0};
	struct mo_index at = {0};
	unsigned rows = 0, flags = 0;

	do {
		assert_int_equal(mo_client_read(c, MO_pfc_pri, flags, &at, page_rows, &page),
				 MO_CLIENT_OK);
		for (unsigned i = 0; i < page.n_rows; i++) {
			assert_true(rows == 0 || mo_index_compare(&at, &page.rows[i].index) < 0);
			at = page.rows[i].index;
			assert_int_equal(at.sub[0], rows / 8 + 1);
			assert_int_equal(at.sub[1], rows % 8);
			rows++;
		}
		flags = MO_READ_AFTER;
	} while (page.more);
	mo_page_free(&page);
	return rows;
}

static void test_read_returns_all_rows_in_pages(void **state)
{
	struct server *s = server_start(11, 700);
	struct mo_client *c = mo_client_new(path, DEADLINE_MS);

	(void)state;
	assert_int_equal(walk(c, 1000), 5600);
	assert_int_equal(walk(c, 65535), 5600); /* the reply has as many rows as fit */
	assert_int_equal(walk(c, 7), 5600);
	assert_int_equal(mo_client_boot_id(c), 11);
	mo_client_free(c);
	server_stop(s);
}

static void test_exact_read_returns_one_row_or_none(void **state)
{
	struct server *s = server_start(11, 3);
	struct mo_client *c = mo_client_new(path, DEADLINE_MS);
	const struct mo_table *table = mo_table(MO_port);
	struct mo_page page = {0};
	struct mo_value value;

	(void)state;
	assert_int_equal(
	    mo_client_read(c, MO_port, MO_READ_EXACT, &(struct mo_index){1, {2}}, 1, &page),
	    MO_CLIENT_OK);
	assert_int_equal(page.n_rows, 1);
	for (unsigned i = 0; i < table->n_columns; i++) {
		assert_true(mo_page_value(&page, 0, &table->columns[i], &value));
		assert_int_equal(value.syntax, table->columns[i].syntax);
	}
	assert_int_equal(
	    mo_client_read(c, MO_port, MO_READ_EXACT, &(struct mo_index){1, {4}}, 1, &page),
	    MO_CLIENT_OK);
	assert_int_equal(page.n_rows, 0);
	mo_page_free(&page);
	mo_client_free(c);
	server_stop(s);
}

static struct mo_varbind create_cnpv(uint32_t priority)
{
	return (struct mo_varbind){
	    .table = MO_cn_com_pri,
	    .subid = 10,
	    .index = {2, {1, priority}},
	    .value = {.syntax = MO_ROW_STATUS, .num = ROW_CREATE_AND_GO},
	};
}

static void test_client_reconnects_after_restart(void **state)
{
	struct server *s = server_start(11, 2);
	struct mo_client *c = mo_client_new(path, DEADLINE_MS);
	struct mo_varbind vb = create_cnpv(3);
	struct mo_page page = {0};
	enum mo_error error;
	unsigned varbind;

	(void)state;
	assert_int_equal(mo_client_test(c, 1, &vb, 1, &error, &varbind), MO_CLIENT_OK);
	assert_int_equal(mo_client_commit(c, 1, &error, &varbind), MO_CLIENT_OK);
	assert_int_equal(mo_client_cleanup(c, 1), MO_CLIENT_OK);
	assert_int_equal(mo_client_test(c, 2, &vb, 1, &error, &varbind), MO_CLIENT_REFUSED);
	assert_int_equal(error, MO_INCONSISTENT_VALUE);
	assert_int_equal(varbind, 1);
	vb = create_cnpv(4);
	assert_int_equal(mo_client_test(c, 3, &vb, 1, &error, &varbind), MO_CLIENT_OK);
	server_stop(s);
	/* Without a server requests fail at once. The client reconnects to a new server. */
	assert_int_equal(mo_client_commit(c, 3, &error, &varbind), MO_CLIENT_UNREACHABLE);
	assert_int_equal(mo_client_read(c, MO_cn_cp, 0, &(struct mo_index){0}, 9, &page),
			 MO_CLIENT_UNREACHABLE);
	s = server_start(12, 2);
	assert_int_equal(mo_client_commit(c, 3, &error, &varbind), MO_CLIENT_UNREACHABLE);
	assert_int_equal(mo_client_read(c, MO_cn_cp, 0, &(struct mo_index){0}, 9, &page),
			 MO_CLIENT_OK);
	assert_int_equal(page.n_rows, 0);
	assert_int_equal(mo_client_boot_id(c), 12);
	mo_page_free(&page);
	mo_client_free(c);
	server_stop(s);
}

static void *clean_up_later(void *arg)
{
	usleep(30000);
	assert_int_equal(mo_client_cleanup(arg, 1), MO_CLIENT_OK);
	return NULL;
}

static void test_commit_waits_for_other_transaction(void **state)
{
	struct server *s = server_start(11, 2);
	struct mo_client *first = mo_client_new(path, DEADLINE_MS),
			 *second = mo_client_new(path, DEADLINE_MS);
	struct mo_client *short_timeout = mo_client_new(path, 1000);
	struct mo_varbind vbs[] = {create_cnpv(3), create_cnpv(4)};
	enum mo_error error;
	unsigned varbind;
	pthread_t thread;

	(void)state;
	assert_int_equal(mo_client_test(first, 1, &vbs[0], 1, &error, &varbind), MO_CLIENT_OK);
	assert_int_equal(mo_client_test(second, 1, &vbs[1], 1, &error, &varbind), MO_CLIENT_OK);
	assert_int_equal(mo_client_commit(first, 1, &error, &varbind), MO_CLIENT_OK);
	assert_int_equal(mo_client_test(short_timeout, 1, &vbs[1], 1, &error, &varbind),
			 MO_CLIENT_OK);
	assert_int_equal(mo_client_commit(short_timeout, 1, &error, &varbind), MO_CLIENT_REFUSED);
	assert_int_equal(error, MO_GEN_ERR);
	assert_int_equal(pthread_create(&thread, NULL, clean_up_later, first), 0);
	assert_int_equal(mo_client_commit(second, 1, &error, &varbind), MO_CLIENT_OK);
	pthread_join(thread, NULL);
	mo_client_free(short_timeout);
	mo_client_free(second);
	mo_client_free(first);
	server_stop(s);
}

static void test_request_to_silent_server_times_out(void **state)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	struct mo_client *c = mo_client_new(path, 50);
	struct mo_page page = {0};

	(void)state;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 4), 0);
	assert_int_equal(mo_client_read(c, MO_cn_cp, 0, &(struct mo_index){0}, 9, &page),
			 MO_CLIENT_TIMEOUT);
	assert_non_null(strstr(mo_client_strerror(c), "no answer in time"));
	mo_client_free(c);
	mo_page_free(&page);
	close(fd);
	unlink(path);
}

static void test_path_in_use_is_refused(void **state)
{
	struct server *s = server_start(11, 1);
	struct event_base *base = event_base_new();
	struct stat st;
	char err[256];

	(void)state;
	assert_null(ctl_server_new(base, s->service, &config, err, sizeof(err)));
	assert_non_null(strstr(err, "used by another dcbd"));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0660);
	event_base_free(base);
	server_stop(s);
}

/* A socket that is bound to the path, and listens if its program is alive. */
static int bind_path(int type, bool listens)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, type, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	if (listens)
		assert_int_equal(listen(fd, 1), 0);
	return fd;
}

/* Asserts that no server starts, and that the file with its path stays. */
static void assert_refused(struct server *s, const char *reason)
{
	struct stat before, after;
	char err[256] = "";

	assert_int_equal(lstat(path, &before), 0);
	assert_null(ctl_server_new(s->base, s->service, &config, err, sizeof(err)));
	if (!strstr(err, reason))
		fail_msg("\"%s\", expected \"%s\"", err, reason);
	assert_int_equal(lstat(path, &after), 0);
	assert_int_equal(after.st_ino, before.st_ino);
	assert_int_equal(after.st_mode, before.st_mode);
}

/* A server that is replaced by others: its own socket is gone. */
static struct server *server_without_socket(void)
{
	struct server *s = server_start(11, 1);

	assert_int_equal(unlink(path), 0);
	return s;
}

static void test_file_that_is_no_socket_is_refused_and_stays(void **state)
{
	static const char wanted[] = "control: expected a socket or no file";
	struct server *s = server_without_socket();
	char victim[128];
	FILE *f;

	(void)state;
	snprintf(victim, sizeof(victim), "%s/victim", dir);
	f = fopen(victim, "w");
	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(link(victim, path), 0);
	assert_refused(s, wanted);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(victim, path), 0);
	assert_refused(s, wanted);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_refused(s, wanted);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_refused(s, wanted);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(unlink(victim), 0);
	server_stop(s);
}

static void test_socket_of_another_program_is_refused_and_stays(void **state)
{
	struct server *s = server_without_socket();
	int fd = bind_path(SOCK_STREAM, true);

	(void)state;
	assert_refused(s, "used by another dcbd, or cannot be removed: Protocol wrong type");
	assert_int_equal(unlink(path), 0);
	close(fd);
	fd = bind_path(SOCK_DGRAM, false);
	assert_refused(s, "used by another dcbd, or cannot be removed: Protocol wrong type");
	assert_int_equal(unlink(path), 0);
	close(fd);
	server_stop(s);
}

static void test_socket_of_an_ended_program_is_replaced(void **state)
{
	struct mo_client *c;
	struct server *s;

	(void)state;
	close(bind_path(SOCK_SEQPACKET, true));
	s = server_start(11, 4);
	c = mo_client_new(path, DEADLINE_MS);
	assert_int_equal(walk(c, 5), 32);
	mo_client_free(c);
	server_stop(s);
	assert_int_equal(access(path, F_OK), -1);
}

static void test_file_in_place_of_the_socket_stays_at_the_end(void **state)
{
	struct server *s = server_without_socket();
	FILE *f = fopen(path, "w");

	(void)state;
	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	server_stop(s);
	assert_int_equal(unlink(path), 0);
}

/* An invalid message closes its connection and no other. */
static void test_invalid_message_closes_its_connection(void **state)
{
	struct server *s = server_start(11, 4);
	struct mo_client *c = mo_client_new(path, DEADLINE_MS);
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct timeval tv = {.tv_sec = 5};
	char buf[16];
	int fd;

	(void)state;
	assert_int_equal(walk(c, 5), 32);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	for (size_t len = 1; len <= sizeof(buf); len++) {
		memset(buf, (int)len, sizeof(buf));
		fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
		assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
		assert_int_equal(send(fd, buf, len, 0), len);
		assert_true(recv(fd, buf, sizeof(buf), 0) > MO_MSG_HEADER);
		assert_int_equal(buf[1], (char)(MO_OP_CLOSE | MO_MSG_REPLY));
		assert_int_equal(recv(fd, buf, sizeof(buf), 0), 0);
		close(fd);
	}
	assert_int_equal(walk(c, 5), 32);
	mo_client_free(c);
	server_stop(s);
}

/* The client gets the reason even though dcbd closes the connection before its request. */
static void test_rejected_client_gets_the_reason(void **state)
{
	struct server *s = server_start(11, 1);
	struct mo_client *clients[61]; /* 4 places are for dcb-agentx */
	struct mo_page page = {0};

	(void)state;
	for (unsigned i = 0; i < 61; i++) {
		clients[i] = mo_client_new(path, DEADLINE_MS);
		assert_int_equal(
		    mo_client_read(clients[i], MO_port, 0, &(struct mo_index){0}, 1, &page),
		    i < 60 ? MO_CLIENT_OK : MO_CLIENT_UNREACHABLE);
	}
	assert_non_null(strstr(mo_client_strerror(clients[60]),
			       "dcbd closed the connection: 60 clients, which is the maximum"));
	for (unsigned i = 0; i < 61; i++)
		mo_client_free(clients[i]);
	mo_page_free(&page);
	server_stop(s);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_read_returns_all_rows_in_pages),
	    cmocka_unit_test(test_exact_read_returns_one_row_or_none),
	    cmocka_unit_test(test_client_reconnects_after_restart),
	    cmocka_unit_test(test_commit_waits_for_other_transaction),
	    cmocka_unit_test(test_request_to_silent_server_times_out),
	    cmocka_unit_test(test_path_in_use_is_refused),
	    cmocka_unit_test(test_file_that_is_no_socket_is_refused_and_stays),
	    cmocka_unit_test(test_socket_of_another_program_is_refused_and_stays),
	    cmocka_unit_test(test_socket_of_an_ended_program_is_replaced),
	    cmocka_unit_test(test_file_in_place_of_the_socket_stays_at_the_end),
	    cmocka_unit_test(test_invalid_message_closes_its_connection),
	    cmocka_unit_test(test_rejected_client_gets_the_reason),
	};
	int failed;

	log_init("test_ctl", LOG_LEVEL_ERROR, false);
	snprintf(dir, sizeof(dir), "/tmp/dcb-test-XXXXXX");
	if (!mkdtemp(dir))
		return 99;
	snprintf(path, sizeof(path), "%s/control", dir);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	rmdir(dir);
	return failed;
}
