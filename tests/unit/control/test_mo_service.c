/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests that are malformed or cut, and replies with all rows that fit. */
#include "lib/log.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

static void test_malformed_requests_are_refused(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	uint8_t buf[64], reply_buf[256];
	struct octets_out out, reply = octets_out(reply_buf, sizeof(reply_buf));

	(void)state;
	assert_false(mo_service_handle(w->session, (const uint8_t *)"", 0, &reply));
	out = mo_world_request(buf, sizeof(buf), MO_OP_READ, MO_TABLES);
	octets_out_bytes(&out, "\0\0\1\0", 4);
	assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	out = mo_world_request(buf, sizeof(buf), MO_OP_READ, MO_cn_cp);
	octets_out_bytes(&out, "\0\0\1\377", 4); /* an index of 255 parts */
	assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	out = mo_world_request(buf, sizeof(buf), MO_OP_TEST, 0);
	octets_out_bytes(&out, "\0\0\0\1\377\377", 6); /* 65535 varbinds, but no data */
	assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	buf[0] = MO_MSG_VERSION + 1;
	assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	mo_world_free(w);
}

static struct octets_out request_of(uint8_t *buf, size_t size, enum mo_msg_op op)
{
	struct octets_out out = mo_world_request(buf, size, op, MO_cn_com_pri);

	switch (op) {
	case MO_OP_READ:
		octets_out_u8(&out, 0);
		octets_out_be16(&out, 10);
		octets_out_u8(&out, 0);
		break;
	case MO_OP_TEST:
		octets_out_be32(&out, 1);
		octets_out_be16(&out, 1);
		mo_msg_put_varbind(
		    &out, &(struct mo_varbind){.table = MO_cn_com_pri,
					       .subid = 10,
					       .index = {2, {1, 3}},
					       .value = {.syntax = MO_ROW_STATUS, .num = 4}});
		break;
	case MO_OP_COMMIT:
	case MO_OP_UNDO:
	case MO_OP_CLEANUP:
		octets_out_be32(&out, 1);
		break;
	case MO_OP_SUBSCRIBE:
		octets_out_u8(&out, MO_SUBSCRIBE_NOTIFIER);
		octets_out_be32(&out, 0);
		octets_out_be64(&out, 0);
		break;
	case MO_OP_ACK:
		octets_out_be64(&out, 1);
		break;
	default:
		break;
	}
	return out;
}

/* A truncated request is refused, and a message that is a reply. */
static void test_truncated_requests_are_refused(void **state)
{
	static const enum mo_msg_op ops[] = {MO_OP_HELLO,     MO_OP_READ, MO_OP_TEST,
					     MO_OP_COMMIT,    MO_OP_UNDO, MO_OP_CLEANUP,
					     MO_OP_SUBSCRIBE, MO_OP_ACK};
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	uint8_t buf[128], answer[512];

	(void)state;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		struct octets_out out = request_of(buf, sizeof(buf), ops[i]), reply;

		for (size_t len = 0; len < out.len; len++) {
			reply = octets_out(answer, sizeof(answer));
			assert_false(mo_service_handle(w->session, buf, len, &reply));
		}
		reply = octets_out(answer, sizeof(answer));
		assert_true(mo_service_handle(w->session, buf, out.len, &reply));
		buf[1] |= MO_MSG_REPLY;
		reply = octets_out(answer, sizeof(answer));
		assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	}
	assert_column(w, STATUS, "");
	mo_world_free(w);
}

/* A reply buffer without room for the header of the rows is an error. */
static void test_reply_has_only_rows_that_fit(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	uint8_t buf[128], answer[MO_MSG_HEADER + 3];
	struct octets_out out = request_of(buf, sizeof(buf), MO_OP_READ), reply;

	(void)state;
	for (size_t size = MO_MSG_HEADER; size < sizeof(answer); size++) {
		reply = octets_out(answer, size);
		assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	}
	reply = octets_out(answer, sizeof(answer));
	assert_true(mo_service_handle(w->session, buf, out.len, &reply));
	assert_int_equal(reply.len, sizeof(answer));
	assert_memory_equal(answer + MO_MSG_HEADER, "\0\0\0", 3);
	/* Without room for the row, the reply has no row and says that rows are left. */
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	reply = octets_out(answer, sizeof(answer));
	assert_true(mo_service_handle(w->session, buf, out.len, &reply));
	assert_int_equal(reply.len, sizeof(answer));
	assert_memory_equal(answer + MO_MSG_HEADER, "\1\0\0", 3);
	mo_world_free(w);
}

/* A row that does not fit leaves no octets in the reply. */
static void test_reply_has_no_part_of_a_row(void **state)
{
	static const char *const rows[] = {"1.3", "1.4"};
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	size_t whole[] = {MO_MSG_HEADER + 3, 0, 0}; /* length of the reply with n rows */
	uint8_t buf[128], answer[512];
	struct octets_out out = request_of(buf, sizeof(buf), MO_OP_READ), reply;

	(void)state;
	for (unsigned n = 1; n < 3; n++) {
		assert_int_equal(SET(w, {STATUS, rows[n - 1], "createAndGo"}), MO_NO_ERROR);
		reply = octets_out(answer, sizeof(answer));
		assert_true(mo_service_handle(w->session, buf, out.len, &reply));
		whole[n] = reply.len;
	}
	for (size_t size = whole[0]; size < whole[2]; size++) {
		unsigned n = size >= whole[1];

		reply = octets_out(answer, size);
		assert_true(mo_service_handle(w->session, buf, out.len, &reply));
		assert_int_equal(reply.len, whole[n]);
		assert_int_equal(answer[MO_MSG_HEADER], 1); /* rows are left */
		assert_int_equal(get_be16(answer + MO_MSG_HEADER + 1), n);
	}
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_malformed_requests_are_refused),
	    cmocka_unit_test(test_truncated_requests_are_refused),
	    cmocka_unit_test(test_reply_has_only_rows_that_fit),
	    cmocka_unit_test(test_reply_has_no_part_of_a_row),
	};

	log_init("test_mo_service", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
