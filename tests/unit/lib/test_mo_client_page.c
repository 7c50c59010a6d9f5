/* SPDX-License-Identifier: BSD-3-Clause */
/* The client of the control socket: pages of rows, and events. */
#include <string.h>
#include <unistd.h>

#include "lib/mo/mo_client.h"
#include "lib/mo/mo_msg.h"
#include "lib/octets.h"
#include "tests/unit/lib/mo_client_server.h"

#define NUMBER(n) 0, 0, 0, 0, 0, 0, 0, n /* 64 bits, in network byte order */

static unsigned realloc_fails; /* the call of realloc() that fails, from 1; 0: none */

/* The linker replaces realloc() by this (option --wrap). */
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size)
{
	if (realloc_fails > 0 && --realloc_fails == 0)
		return NULL;
	return __real_realloc(p, size);
}

/* --- pages ----------------------------------------------------------------------------- */

/* Two rows of a table with three columns, with and without values. */
static void test_page_has_rows_and_values(void **state)
{
	static const struct step steps[] = {
	    HELLO, BODY(1, 0, 2, /* row */ 1, 0, 0, 0, 7, MO_UNSIGNED32, NUMBER(1), MO_MSG_NO_VALUE,
			MO_MSG_NO_VALUE, /* row */ 2, 0, 0, 0, 8, 0, 0, 0, 9, MO_MSG_NO_VALUE,
			MO_INTEGER32, NUMBER(2), MO_MSG_NO_VALUE)};
	const struct mo_table *table = mo_table(MO_cn_cpid);
	struct mo_page page = {0};
	struct mo_value value;
	struct server s;

	(void)state;
	assert_int_equal(table->n_columns, 3);
	START(&s, steps, LONG_MS);
	assert_int_equal(mo_client_read(s.client, MO_cn_cpid, MO_READ_AFTER,
					&(struct mo_index){2, {1, 6}}, 300, &page),
			 MO_CLIENT_OK);
	server_stop(&s, 1);
	assert_int_equal(get_be16(s.request[1] + 2), MO_cn_cpid);
	assert_memory_equal(s.request[1] + MO_MSG_HEADER,
			    "\x02\x01\x2c\x02\x00\x00\x00\x01\x00\x00\x00\x06", 12);
	assert_ptr_equal(page.table, table);
	assert_int_equal(page.n_rows, 2);
	assert_true(page.more);
	assert_int_equal(page.rows[0].index.n, 1);
	assert_int_equal(page.rows[0].index.sub[0], 7);
	assert_int_equal(page.rows[1].index.n, 2);
	assert_int_equal(page.rows[1].index.sub[1], 9);
	assert_true(mo_page_value(&page, 0, &table->columns[0], &value));
	assert_int_equal(value.num, 1);
	assert_false(mo_page_value(&page, 0, &table->columns[1], &value));
	assert_false(mo_page_value(&page, 1, &table->columns[0], &value));
	assert_true(mo_page_value(&page, 1, &table->columns[1], &value));
	assert_int_equal(value.num, 2);
	mo_page_free(&page);
	assert_null(page.rows);
	assert_null(page.buf);
}

static enum mo_client_status read_cpid(struct server *s, struct mo_page *page)
{
	return mo_client_read(s->client, MO_cn_cpid, 0, &(struct mo_index){0}, 9, page);
}

/* A read into a page replaces the rows and values of the read before. */
static void test_page_is_reused(void **state)
{
	static const struct step steps[] = {
	    HELLO, BODY(0, 0, 1, 1, 0, 0, 0, 7, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE),
	    BODY(0, 0, 0),
	    BODY(0, 0, 2, 1, 0, 0, 0, 7, MO_UNSIGNED32, NUMBER(5), MO_INTEGER32, NUMBER(6),
		 MO_MSG_NO_VALUE, 1, 0, 0, 0, 8, MO_UNSIGNED32, NUMBER(7), MO_MSG_NO_VALUE,
		 MO_MSG_NO_VALUE)};
	const struct mo_table *table = mo_table(MO_cn_cpid);
	static const uint16_t rows[] = {1, 0, 2};
	struct mo_page page = {0};
	struct mo_value value;
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(read_cpid(&s, &page), MO_CLIENT_OK);
		assert_int_equal(page.n_rows, rows[i]);
		assert_false(page.more);
	}
	assert_true(mo_page_value(&page, 0, &table->columns[1], &value));
	assert_int_equal(value.num, 6);
	assert_true(mo_page_value(&page, 1, &table->columns[0], &value));
	assert_int_equal(value.num, 7);
	mo_page_free(&page);
	server_stop(&s, 1);
}

static void test_malformed_page_is_an_error(void **state)
{
	static const struct step bad[] = {
	    BODY(0, 0),                        /* number of rows missing */
	    BODY(0, 0, 1),                     /* row missing */
	    BODY(0, 0, 3, 0, MO_MSG_NO_VALUE), /* more rows than octets */
	    /* column missing */
	    BODY(0, 0, 1, 1, 0, 0, 0, 7, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE),
	    /* unknown syntax */
	    BODY(0, 0, 1, 1, 0, 0, 0, 7, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE, 0x7f),
	    /* index too long */
	    BODY(0, 0, 1, 9, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE),
	};
	struct mo_page page = {0};
	struct server s;

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(bad); i++) {
		const struct step steps[] = {HELLO, bad[i]};

		START(&s, steps, LONG_MS);
		assert_int_equal(read_cpid(&s, &page), MO_CLIENT_PROTOCOL);
		assert_int_equal(page.n_rows, 0);
		assert_non_null(
		    strstr(mo_client_strerror(s.client), "/ctl: malformed reply to READ"));
		server_stop(&s, 1);
	}
	mo_page_free(&page);
}

/* The first read has no memory for the rows, the second none for the values; the third has both. */
static void test_page_without_memory_is_an_error(void **state)
{
#define ROW BODY(0, 0, 1, 1, 0, 0, 0, 7, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE, MO_MSG_NO_VALUE)
	static const struct step steps[] = {HELLO, ROW, HELLO, ROW, HELLO, ROW};
	struct mo_page page = {0};
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	for (unsigned n = 1; n <= 3; n++) {
		bool fails = n < 3;

		realloc_fails = fails ? n : 0;
		assert_int_equal(read_cpid(&s, &page), fails ? MO_CLIENT_PROTOCOL : MO_CLIENT_OK);
		assert_int_equal(realloc_fails, 0);
		assert_int_equal(page.n_rows, !fails);
	}
	mo_page_free(&page);
	server_stop(&s, 3);
}

/* dcbd closes idle connections; a request that it has not handled for that is repeated. */
static void test_request_on_closed_connection_is_repeated(void **state)
{
	struct step read = BODY(0, 0, 0),
		    steps[7] = {HELLO, read,         HELLO,          {.what = CLOSE_WITH_REASON},
				HELLO, RESULT(0, 0), {.what = CLOSE}};
	struct mo_page page = {0};
	enum mo_error error;
	unsigned varbind;
	struct server s;

	(void)state;
	steps[1].is_last = true;
	START(&s, steps, LONG_MS);
	assert_int_equal(try_read(&s, &page), MO_CLIENT_OK);
	while (__atomic_load_n(&s.closed, __ATOMIC_SEQ_CST) == 0)
		usleep(1000);
	/* The second connection is closed when the request has arrived. */
	assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_UNREACHABLE);
	assert_int_equal(try_test(&s, &error, &varbind), MO_CLIENT_OK);
	/* Without a reason: dcbd may have handled it. */
	assert_int_equal(try_read(&s, &page), MO_CLIENT_UNREACHABLE);
	server_stop(&s, 3);
	mo_page_free(&page);
}

/* --- events ---------------------------------------------------------------------------- */

/* A number is sent with the boot id of the dcbd that it is from, no number with boot id 0. */
static void test_subscribe_sends_boot_id_and_number(void **state)
{
	static const struct step steps[] = {HELLO, BODY(0), {.what = CLOSE}, HELLO, BODY(0)};
	struct mo_page page = {0};
	struct server s;

	(void)state;
	START(&s, steps, LONG_MS);
	assert_int_equal(mo_client_subscribe(s.client, 0), MO_CLIENT_OK);
	assert_int_equal(try_read(&s, &page), MO_CLIENT_UNREACHABLE);
	assert_int_equal(mo_client_subscribe(s.client, 5), MO_CLIENT_OK);
	server_stop(&s, 2);
	assert_memory_equal(s.request[1] + MO_MSG_HEADER, "\0\0\0\0\0\0\0\0\0\0\0\0\0", 13);
	assert_memory_equal(s.request[4] + MO_MSG_HEADER, "\0\1\2\3\4\0\0\0\0\0\0\0\5", 13);
}

static enum mo_client_status event_of(const uint8_t *message, size_t len, struct mo_event *ev,
				      const char *text)
{
	struct step steps[] = {HELLO, BODY(0)};
	enum mo_client_status status;
	struct server s;

	steps[1].event = message;
	steps[1].event_len = len;
	START(&s, steps, LONG_MS);
	assert_int_equal(mo_client_subscribe(s.client, 0), MO_CLIENT_OK);
	status = mo_client_event(s.client, ev);
	if (text)
		assert_non_null(strstr(mo_client_strerror(s.client), text));
	server_stop(&s, 1);
	return status;
}

static void test_event_is_decoded_or_refused(void **state)
{
	uint8_t message[] = {MO_MSG_VERSION,
			     MO_OP_EVENT | MO_MSG_REPLY,
			     0,
			     0,
			     0,
			     0,
			     0,
			     5,
			     NUMBER(5),
			     NUMBER(6),
			     NUMBER(7),
			     MO_EVENT_NOTIFY,
			     MO_NOTIFY_pfc_storm,
			     0};
	struct mo_event ev = {.number = 1};

	(void)state;
	assert_int_equal(event_of(message, sizeof(message), &ev, NULL), MO_CLIENT_OK);
	assert_int_equal(ev.number, 5);
	assert_int_equal(ev.real_ms, 6);
	assert_int_equal(ev.mono_ms, 7);
	assert_int_equal(ev.flags, MO_EVENT_NOTIFY);
	assert_int_equal(ev.id, MO_NOTIFY_pfc_storm);
	assert_int_equal(ev.n, 0);
	assert_int_equal(event_of(message, sizeof(message) - 1, &ev, "/ctl: malformed event"),
			 MO_CLIENT_PROTOCOL);
	message[1] = MO_OP_EVENT; /* without MO_MSG_REPLY */
	assert_int_equal(event_of(message, sizeof(message), &ev, "/ctl: malformed event"),
			 MO_CLIENT_PROTOCOL);
	assert_int_equal(event_of(NULL, 0, &ev, "/ctl: dcbd closed the connection"),
			 MO_CLIENT_UNREACHABLE);
}

/* mo_client_event() does not connect: dcbd sends events only after mo_client_subscribe(). */
static void test_event_without_connection_is_unreachable(void **state)
{
	struct mo_client *c = mo_client_new("/nowhere/at/all", SHORT_MS);
	struct mo_event ev = {.number = 1};

	(void)state;
	assert_int_equal(mo_client_event(c, &ev), MO_CLIENT_UNREACHABLE);
	assert_string_equal(mo_client_strerror(c), "/nowhere/at/all: receive: Bad file descriptor");
	assert_int_equal(ev.number, 1);
	mo_client_free(c);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_page_has_rows_and_values),
	    cmocka_unit_test(test_page_is_reused),
	    cmocka_unit_test(test_malformed_page_is_an_error),
	    cmocka_unit_test(test_page_without_memory_is_an_error),
	    cmocka_unit_test(test_request_on_closed_connection_is_repeated),
	    cmocka_unit_test(test_subscribe_sends_boot_id_and_number),
	    cmocka_unit_test(test_event_is_decoded_or_refused),
	    cmocka_unit_test(test_event_without_connection_is_unreachable),
	};

	return cmocka_run_group_tests_name("mo_client", tests, NULL, NULL);
}
