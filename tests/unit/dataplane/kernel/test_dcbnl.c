/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's DCB messages, octet by octet on this machine's order of octets. */
#include "dataplane/kernel/dcbnl.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>

/* --- messages of the kernel ---------------------------------------------- */

static struct {
	uint32_t octets[8192 / 4];
	size_t len;
} built;

static void add(const void *octets, size_t len)
{
	memcpy((char *)built.octets + built.len, octets, len);
	built.len += (len + 3) & ~(size_t)3;
}

static void add_header(uint16_t type, uint16_t len)
{
	const uint16_t header[2] = {len, type};

	add(header, sizeof(header));
}

static void attribute(uint16_t type, const void *octets, size_t len)
{
	add_header(type, (uint16_t)(4 + len));
	add(octets, len);
}

static size_t begin_nest(uint16_t type)
{
	add_header(type, 0);
	return built.len - 4;
}

static void end_nest(size_t at)
{
	uint16_t len = (uint16_t)(built.len - at);

	memcpy((char *)built.octets + at, &len, sizeof(len));
}

static void begin_message(uint16_t type)
{
	const struct nlmsghdr header = {.nlmsg_type = type, .nlmsg_seq = 7, .nlmsg_pid = 9};

	memset(&built, 0, sizeof(built));
	add(&header, sizeof(header));
}

static void end_message(void)
{
	built.octets[0] = (uint32_t)built.len;
}

static void begin_dcb(uint16_t type, uint8_t cmd)
{
	const struct dcbmsg dcb = {.cmd = cmd};

	begin_message(type);
	add(&dcb, sizeof(dcb));
}

static struct dcbnl_message message;
static struct dcbnl_port port;

/* Reads a copy of the message, behind whose end a sanitizer allows no read. */
static bool read_built(void)
{
	size_t len = built.len, used = 4711;
	void *copy = malloc(len);
	bool ok;

	assert_non_null(copy);
	memcpy(copy, built.octets, len);
	ok = dcbnl_read(copy, len, &used, &message, &port);
	free(copy);
	assert_int_equal(used, len);
	return ok;
}

/* --- requests ------------------------------------------------------------ */

static uint32_t request[DCBNL_REQUEST_OCTETS / 4];

/* Builds the head of a request for swp1. */
static void begin_request(uint16_t type, uint8_t cmd)
{
	begin_dcb(type, cmd);
	attribute(DCB_ATTR_IFNAME, "swp1", 5);
}

static void assert_request(size_t len)
{
	struct nlmsghdr *header = (struct nlmsghdr *)built.octets;

	/* The values are the end of an answer to IEEE_GET. */
	header->nlmsg_flags = NLM_F_REQUEST;
	if (header->nlmsg_type != RTM_GETDCB)
		header->nlmsg_flags |= NLM_F_ACK;
	header->nlmsg_pid = 0;
	end_message();
	assert_int_equal(len, built.len);
	assert_memory_equal(request, built.octets, len);
}

static void test_requests(void **state)
{
	static const struct dcb_app apps[2] = {{1, 3, 0x8906}, {5, 4, 46}};
	size_t ieee, table;

	(void)state;
	begin_request(RTM_GETDCB, DCB_CMD_IEEE_GET);
	assert_request(dcbnl_write_get(request, "swp1", 7));
	begin_request(RTM_SETDCB, DCB_CMD_SDCBX);
	attribute(DCB_ATTR_DCBX, "\x09", 1);
	assert_request(dcbnl_write_dcbx(request, "swp1", 7, 9));
	begin_request(RTM_SETDCB, DCB_CMD_IEEE_DEL);
	ieee = begin_nest(DCB_ATTR_IEEE | NLA_F_NESTED);
	table = begin_nest(DCB_ATTR_IEEE_APP_TABLE | NLA_F_NESTED);
	attribute(DCB_ATTR_IEEE_APP, &apps[0], 4);
	attribute(DCB_ATTR_IEEE_APP, &apps[1], 4);
	end_nest(table);
	end_nest(ieee);
	assert_request(dcbnl_write_delete(request, "swp1", 7, apps, 2));
}

/* A change has the attributes whose bits are set, and no other. */
static void test_change_has_what_it_sets(void **state)
{
	static const struct ieee_ets ets = {.tc_tsa = {2, 2, 2}};
	static const struct ieee_maxrate maxrate = {{1, 2, 3}};
	static const struct ieee_qcn qcn = {.rpg_enable = {1}};
	static const struct ieee_pfc pfc = {.pfc_en = 0x18, .delay = 300};
	static const struct dcbnl_buffer buffer = {.total_size = 5};
	static const struct dcb_app app = {1, 3, 0x8906};
	struct dcbnl_change c = {
	    .ets = &ets,
	    .maxrate = &maxrate,
	    .qcn = &qcn,
	    .pfc = &pfc,
	    .buffer = &buffer,
	    .apps = &app,
	    .n_apps = 1,
	};
	size_t ieee, table;

	(void)state;
	for (unsigned sets = 0; sets < 64; sets++) {
		static const uint32_t bits[6] = {DCBNL_ETS, DCBNL_MAXRATE, DCBNL_QCN,
						 DCBNL_PFC, DCBNL_BUFFER,  DCBNL_APPS};

		c.sets = 0;
		for (unsigned i = 0; i < 6; i++)
			c.sets |= sets >> i & 1 ? bits[i] : 0;
		begin_request(RTM_SETDCB, DCB_CMD_IEEE_SET);
		ieee = begin_nest(DCB_ATTR_IEEE | NLA_F_NESTED);
		if (c.sets & DCBNL_ETS)
			attribute(DCB_ATTR_IEEE_ETS, &ets, 59);
		if (c.sets & DCBNL_MAXRATE)
			attribute(DCB_ATTR_IEEE_MAXRATE, &maxrate, 64);
		if (c.sets & DCBNL_QCN)
			attribute(DCB_ATTR_IEEE_QCN, &qcn, 360);
		if (c.sets & DCBNL_PFC)
			attribute(DCB_ATTR_IEEE_PFC, &pfc, 136);
		if (c.sets & DCBNL_BUFFER)
			attribute(DCB_ATTR_DCB_BUFFER, &buffer, 44);
		if (c.sets & DCBNL_APPS) {
			table = begin_nest(DCB_ATTR_IEEE_APP_TABLE | NLA_F_NESTED);
			attribute(DCB_ATTR_IEEE_APP, &app, 4);
			end_nest(table);
		}
		end_nest(ieee);
		assert_request(dcbnl_write_set(request, "swp1", 7, &c));
	}
}

/* The longest request has room; more entries than that are not written. */
static void test_longest_request(void **state)
{
	static struct dcb_app apps[DCBNL_APPS_MAX + 1];
	static const struct ieee_ets ets;
	static const struct ieee_maxrate maxrate;
	static const struct ieee_qcn qcn;
	static const struct ieee_pfc pfc;
	static const struct dcbnl_buffer buffer;
	struct dcbnl_change c = {
	    .sets = UINT32_MAX,
	    .ets = &ets,
	    .maxrate = &maxrate,
	    .qcn = &qcn,
	    .pfc = &pfc,
	    .buffer = &buffer,
	    .apps = apps,
	    .n_apps = DCBNL_APPS_MAX,
	};
	size_t len = dcbnl_write_set(request, "fifteen-octets0", 7, &c);

	(void)state;
	assert_true(len <= DCBNL_REQUEST_OCTETS);
	c.n_apps++;
	assert_int_equal(dcbnl_write_set(request, "fifteen-octets0", 7, &c), len);
}

/* --- answers ------------------------------------------------------------- */

/* An answer that has everything. Entries of another type than DCB_ATTR_IEEE_APP are skipped. */
static void build_port(uint16_t type, uint8_t cmd, size_t longer)
{
	static const struct dcb_app apps[2] = {{1, 3, 0x8906}, {5, 4, 46}}, peer = {2, 6, 3260};
	static const uint8_t dcb_app[4] = {24, 3, 3, 0};
	static uint8_t octets[1024];
	size_t ieee, table;

	begin_dcb(type, cmd);
	attribute(DCB_ATTR_IFNAME, "swp1", 5);
	ieee = begin_nest(DCB_ATTR_IEEE);
	for (size_t i = 0; i < sizeof(octets); i++)
		octets[i] = (uint8_t)i;
	attribute(DCB_ATTR_IEEE_ETS, octets + 1, 59 + longer);
	attribute(DCB_ATTR_IEEE_MAXRATE, octets + 2, 64 + longer);
	attribute(DCB_ATTR_IEEE_QCN, octets + 3, 360 + longer);
	attribute(DCB_ATTR_IEEE_QCN_STATS, octets + 4, 96 + longer);
	attribute(DCB_ATTR_IEEE_PFC, octets + 5, 136 + longer);
	attribute(DCB_ATTR_DCB_BUFFER, octets + 6, 44 + longer);
	table = begin_nest(DCB_ATTR_IEEE_APP_TABLE);
	attribute(DCB_ATTR_IEEE_APP, &apps[0], 4);
	attribute(2, dcb_app, 4);
	attribute(DCB_ATTR_IEEE_APP, &apps[1], 4);
	end_nest(table);
	attribute(77, octets, 100); /* of a newer kernel */
	attribute(DCB_ATTR_IEEE_PEER_ETS, octets + 7, 59 + longer);
	attribute(DCB_ATTR_IEEE_PEER_PFC, octets + 8, 136 + longer);
	table = begin_nest(DCB_ATTR_IEEE_PEER_APP);
	attribute(DCB_ATTR_IEEE_APP, &peer, 4);
	end_nest(table);
	end_nest(ieee);
	attribute(DCB_ATTR_DCBX, "\x09", 1);
	end_message();
}

static void assert_counting(const void *octets, size_t len, uint8_t first)
{
	for (size_t i = 0; i < len; i++)
		assert_int_equal(((const uint8_t *)octets)[i], (uint8_t)(first + i));
}

static void assert_port(void)
{
	assert_int_equal(message.kind, DCBNL_IS_PORT);
	assert_int_equal(message.seq, 7);
	assert_int_equal(message.pid, 9);
	assert_string_equal(message.name, "swp1");
	assert_int_equal(port.has, (DCBNL_PEER_APPS << 1) - 1);
	assert_int_equal(port.dcbx, 9);
	assert_counting(&port.ets, 59, 1);
	assert_counting(&port.maxrate, 64, 2);
	assert_counting(&port.qcn, 360, 3);
	assert_counting(&port.qcn_stats, 96, 4);
	assert_counting(&port.pfc, 136, 5);
	assert_counting(&port.buffer, 44, 6);
	assert_counting(&port.peer_ets, 59, 7);
	assert_counting(&port.peer_pfc, 136, 8);
	assert_int_equal(port.apps.n, 2);
	assert_false(port.apps.more);
	assert_int_equal(port.apps.of[0].protocol, 0x8906);
	assert_int_equal(port.apps.of[1].selector, IEEE_8021QAZ_APP_SEL_DSCP);
	assert_int_equal(port.apps.of[1].priority, 4);
	assert_int_equal(port.peer_apps.n, 1);
	assert_int_equal(port.peer_apps.of[0].protocol, 3260);
}

static void test_port(void **state)
{
	(void)state;
	build_port(RTM_GETDCB, DCB_CMD_IEEE_GET, 0);
	assert_true(read_built());
	assert_port();
	/* A newer kernel has longer structures. */
	build_port(RTM_GETDCB, DCB_CMD_IEEE_GET, 8);
	assert_true(read_built());
	assert_port();
	/* Notifications after changes, which have the same command as their results. */
	build_port(RTM_SETDCB, DCB_CMD_IEEE_SET, 0);
	assert_true(read_built());
	assert_port();
	build_port(RTM_SETDCB, DCB_CMD_IEEE_DEL, 0);
	assert_true(read_built());
	assert_port();
}

/* What an answer lacks is zero and not in has, whatever was there before. */
static void test_absent(void **state)
{
	static const uint8_t octets[256] = {1, 1, 1, 1};
	static const struct dcbnl_port zero;
	size_t ieee, table;

	(void)state;
	memset(&port, 0x5a, sizeof(port));
	begin_dcb(RTM_GETDCB, DCB_CMD_IEEE_GET);
	attribute(DCB_ATTR_IFNAME, "swp1", 5);
	ieee = begin_nest(DCB_ATTR_IEEE);
	end_nest(ieee);
	end_message();
	assert_true(read_built());
	assert_memory_equal(&port, &zero, sizeof(port));
	/* Shorter than the structure: absent. */
	begin_dcb(RTM_GETDCB, DCB_CMD_IEEE_GET);
	attribute(DCB_ATTR_IFNAME, "swp1", 5);
	ieee = begin_nest(DCB_ATTR_IEEE);
	attribute(DCB_ATTR_IEEE_ETS, octets, 58);
	attribute(DCB_ATTR_IEEE_PFC, octets, 135);
	attribute(DCB_ATTR_IEEE_QCN, octets, 0);
	table = begin_nest(DCB_ATTR_IEEE_APP_TABLE);
	attribute(DCB_ATTR_IEEE_APP, octets, 3);
	end_nest(table);
	end_nest(ieee);
	attribute(DCB_ATTR_DCBX, octets, 0);
	end_message();
	assert_true(read_built());
	assert_int_equal(port.has, DCBNL_APPS);
	port.has = 0;
	assert_memory_equal(&port, &zero, sizeof(port));
	/* A notification about CEE, of bnx2x and qlcnic. */
	begin_dcb(RTM_GETDCB, DCB_CMD_CEE_GET);
	attribute(DCB_ATTR_IFNAME, "swp1", 5);
	attribute(DCB_ATTR_CEE, octets, 40);
	end_message();
	assert_true(read_built());
	assert_int_equal(message.kind, DCBNL_IS_PORT);
	assert_string_equal(message.name, "swp1");
	assert_memory_equal(&port, &zero, sizeof(port));
}

static void test_more_apps_than_are_kept(void **state)
{
	size_t ieee, table;

	(void)state;
	for (unsigned n = DCBNL_APPS_MAX; n <= DCBNL_APPS_MAX + 1; n++) {
		begin_dcb(RTM_GETDCB, DCB_CMD_IEEE_GET);
		attribute(DCB_ATTR_IFNAME, "swp1", 5);
		ieee = begin_nest(DCB_ATTR_IEEE);
		table = begin_nest(DCB_ATTR_IEEE_APP_TABLE);
		for (unsigned i = 0; i < n; i++)
			attribute(DCB_ATTR_IEEE_APP,
				  &(struct dcb_app){1, 3, (uint16_t)(0x8000 + i)}, 4);
		end_nest(table);
		end_nest(ieee);
		end_message();
		assert_true(read_built());
		assert_int_equal(port.apps.n, DCBNL_APPS_MAX);
		assert_int_equal(port.apps.of[DCBNL_APPS_MAX - 1].protocol,
				 0x8000 + DCBNL_APPS_MAX - 1);
		assert_int_equal(port.apps.more, n > DCBNL_APPS_MAX);
	}
}

static void build_result(uint8_t cmd, uint16_t type, uint8_t octet)
{
	begin_dcb(RTM_SETDCB, cmd);
	attribute(type, &octet, 1);
	end_message();
}

/* Of the 256 results, 128 are errors, among them -EBUSY as 240. */
static void test_results(void **state)
{
	(void)state;
	for (unsigned octet = 0; octet < 256; octet++) {
		int error = octet < 128 ? 0 : (int)(256 - octet);
		uint8_t status = octet < 128 ? (uint8_t)octet : 0;

		for (unsigned cmd = 0; cmd < 3; cmd++) {
			if (cmd == 0)
				build_result(DCB_CMD_SDCBX, DCB_ATTR_DCBX, (uint8_t)octet);
			else
				build_result(cmd == 1 ? DCB_CMD_IEEE_SET : DCB_CMD_IEEE_DEL,
					     DCB_ATTR_IEEE, (uint8_t)octet);
			assert_true(read_built());
			assert_int_equal(message.kind, DCBNL_IS_RESULT);
			assert_int_equal(message.seq, 7);
			assert_int_equal(message.pid, 9);
			assert_int_equal(message.result.error, error);
			assert_int_equal(message.result.status, status);
			assert_string_equal(message.name, "");
		}
	}
	build_result(DCB_CMD_IEEE_SET, DCB_ATTR_IEEE, 240);
	assert_true(read_built());
	assert_int_equal(message.result.error, EBUSY);
}

static void build_ack(int error)
{
	const struct nlmsgerr ack = {.error = error};

	begin_message(NLMSG_ERROR);
	add(&ack, sizeof(ack));
	end_message();
}

static void test_acknowledgment(void **state)
{
	static const int errors[] = {0, EPERM, ENODEV, EOPNOTSUPP, 4095};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(errors); i++) {
		build_ack(-errors[i]);
		assert_true(read_built());
		assert_int_equal(message.kind, DCBNL_IS_ACK);
		assert_int_equal(message.result.error, errors[i]);
		assert_int_equal(message.result.status, 0);
		assert_int_equal(message.seq, 7);
		assert_int_equal(message.pid, 9);
	}
}

/* Messages that are complete, but none of these, are skipped. */
static void test_other_messages(void **state)
{
	(void)state;
	begin_message(NLMSG_NOOP);
	end_message();
	assert_false(read_built());
	begin_message(RTM_NEWLINK);
	add("abcdefgh", 8);
	end_message();
	assert_false(read_built());
	build_ack(5);
	assert_false(read_built());
	build_ack(-4096);
	assert_false(read_built());
	build_ack(INT32_MIN);
	assert_false(read_built());
	begin_message(NLMSG_ERROR);
	add("abcd", 4);
	end_message();
	assert_false(read_built());
	begin_message(RTM_GETDCB); /* without struct dcbmsg */
	end_message();
	assert_false(read_built());
	begin_dcb(RTM_SETDCB, DCB_CMD_IEEE_SET); /* without result */
	end_message();
	assert_false(read_built());
	begin_dcb(RTM_SETDCB, DCB_CMD_IEEE_SET);
	attribute(DCB_ATTR_IEEE, "abcd", 4);
	end_message();
	assert_false(read_built());
	build_result(DCB_CMD_IEEE_SET, DCB_ATTR_DCBX, 0);
	assert_false(read_built());
	build_result(DCB_CMD_GDCBX, DCB_ATTR_DCBX, 0);
	assert_false(read_built());
	begin_dcb(RTM_GETDCB, DCB_CMD_IEEE_GET);
	attribute(DCB_ATTR_IFNAME, "", 1);
	end_message();
	assert_false(read_built());
	begin_dcb(RTM_GETDCB, DCB_CMD_IEEE_GET);
	attribute(DCB_ATTR_IFNAME, "sixteen-octets00", 16);
	end_message();
	assert_false(read_built());
}

/* A name can be without its terminating zero. */
static void test_name_is_not_terminated(void **state)
{
	(void)state;
	begin_dcb(RTM_GETDCB, DCB_CMD_IEEE_GET);
	attribute(DCB_ATTR_IFNAME, "fifteen-octets0", 15);
	end_message();
	assert_true(read_built());
	assert_string_equal(message.name, "fifteen-octets0");
}

/* No message that is cut off, or whose length is wrong, is read behind its end. */
static void test_malformed_length(void **state)
{
	static const uint32_t lengths[] = {0,          15,         17,        0x7fffffff,
					   0x80000000, 0x80000010, UINT32_MAX};
	size_t used;

	(void)state;
	build_port(RTM_GETDCB, DCB_CMD_IEEE_GET, 0);
	for (size_t len = 0; len < built.len; len++) {
		char *copy = malloc(len ? len : 1);

		assert_non_null(copy);
		memcpy(copy, built.octets, len);
		assert_false(dcbnl_read(copy, len, &used, &message, &port));
		assert_int_equal(used, 0);
		/* The same with a length that fits: attributes are cut off. */
		if (len >= sizeof(struct nlmsghdr)) {
			memcpy(copy, &(uint32_t){(uint32_t)len}, 4);
			(void)dcbnl_read(copy, len, &used, &message, &port);
			assert_int_equal(used, len);
		}
		free(copy);
	}
	begin_message(NLMSG_NOOP);
	for (size_t i = 0; i < UNIT_COUNT(lengths); i++) {
		built.octets[0] = lengths[i];
		assert_false(dcbnl_read(built.octets, 16, &used, &message, &port));
		assert_int_equal(used, 0);
	}
}

/* A nest that says that it is longer than its message is not read. */
static void test_malformed_nest(void **state)
{
	size_t ieee;
	uint16_t len = 400;

	(void)state;
	begin_dcb(RTM_GETDCB, DCB_CMD_IEEE_GET);
	attribute(DCB_ATTR_IFNAME, "swp1", 5);
	ieee = built.len;
	add_header(DCB_ATTR_IEEE, 0);
	attribute(DCB_ATTR_IEEE_ETS, &port, 59);
	end_message();
	memcpy((char *)built.octets + ieee, &len, sizeof(len));
	assert_true(read_built());
	assert_int_equal(port.has, 0);
}

static void test_error_texts(void **state)
{
	static const int errors[] = {EPERM,  ENODEV, EOPNOTSUPP, EINVAL,  EBUSY,     EEXIST,
				     ENOENT, EPROTO, EMSGSIZE,   ENOBUFS, ETIMEDOUT, ENOSPC};
	char text[UNIT_COUNT(errors)][128], cut[4];

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(errors); i++) {
		assert_ptr_equal(dcbnl_error_text(errors[i], text[i], sizeof(text[i])), text[i]);
		assert_true(strlen(text[i]) > 0);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(text[i], text[k]);
	}
	assert_non_null(strstr(text[0], "CAP_NET_ADMIN"));
	assert_string_equal(dcbnl_error_text(EBUSY, cut, sizeof(cut)), "the");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_requests),         cmocka_unit_test(test_change_has_what_it_sets),
	    cmocka_unit_test(test_longest_request),  cmocka_unit_test(test_port),
	    cmocka_unit_test(test_absent),           cmocka_unit_test(test_more_apps_than_are_kept),
	    cmocka_unit_test(test_results),          cmocka_unit_test(test_acknowledgment),
	    cmocka_unit_test(test_other_messages),   cmocka_unit_test(test_name_is_not_terminated),
	    cmocka_unit_test(test_malformed_length), cmocka_unit_test(test_malformed_nest),
	    cmocka_unit_test(test_error_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
