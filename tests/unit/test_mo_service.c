/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The managed objects as a client of the control protocol sees them: rows that
 * appear and go together, every SNMP error, transactions, persistence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/log.h"
#include "dataplane/mo_bind.h"
#include "dataplane/mo_service.h"
#include "dataplane/persist.h"
#include "tests/unit/fake_provider.h"

/* libconfig 1.5 leaks the string it was scanning when it meets a syntax error. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig\n";
}

/* --- a small world: three ports, one session ------------------------------------------------ */

struct world {
	struct fake_provider provider;
	struct conf conf;
	struct managed *m;
	struct mo_service *service;
	struct mo_session *session;
	char dir[64], state[96];
	uint32_t txid;
	unsigned bad; /* varbind the last error was about */
};

static struct link_info link_of(uint32_t ifindex, const char *name, const char *alias)
{
	struct link_info link = {.ifindex = ifindex,
				 .mac = {2, 0, 0, 0, 0, (uint8_t)ifindex},
				 .up = true,
				 .mtu = 1500,
				 .speed = dcb_rate_from_mbps(10000)};

	snprintf(link.name, sizeof(link.name), "%s", name);
	snprintf(link.alias, sizeof(link.alias), "%s", alias);
	return link;
}

static void add_port(struct world *w, uint32_t ifindex, const char *name, const char *alias)
{
	struct link_info link = link_of(ifindex, name, alias);
	char err[128];

	assert_true(managed_port_add(w->m, &link, &w->conf.port_default, err, sizeof(err)));
	managed_adopted(w->m, w->m->config->generation);
}

static void world_start(struct world *w)
{
	fake_provider_init(&w->provider);
	w->m = managed_new(&w->conf, &w->provider.provider);
	assert_non_null(w->m);
	managed_release(w->m);
	w->service = mo_service_new(w->m, w->state, 7);
	w->session = mo_session_new(w->service);
}

static void world_stop(struct world *w)
{
	mo_session_free(w->session);
	mo_service_free(w->service);
	managed_free(w->m);
	assert_int_equal(w->provider.n_open, 0);
}

static struct world *world_new(enum dcb_role role)
{
	struct world *w = calloc(1, sizeof(*w));

	w->conf.role = role;
	w->conf.component_id = 1;
	snprintf(w->dir, sizeof(w->dir), "/tmp/dcb-test-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	snprintf(w->state, sizeof(w->state), "%s/state", w->dir);
	world_start(w);
	add_port(w, 3, "sw3", "");
	add_port(w, 5, "sw5", "uplink");
	add_port(w, 9, "sw9", "");
	return w;
}

static void world_free(struct world *w)
{
	world_stop(w);
	unlink(w->state);
	rmdir(w->dir);
	free(w);
}

/* Stop and start: what was set must be found in the state file. */
static void world_restart(struct world *w)
{
	world_stop(w);
	world_start(w);
}

static void world_load(struct world *w)
{
	char err[256];

	assert_int_equal(persist_load(w->m, w->state, w->conf.keep_absent, err, sizeof(err)),
			 PERSIST_LOADED);
	managed_adopted(w->m, w->m->config->generation);
}

/* --- requests -----------------------------------------------------------------------------------
 */

struct answer {
	uint8_t buf[MO_MSG_MAX];
	struct octets_in in;
};

static void exchange(struct world *w, struct octets_out *request, struct answer *a)
{
	struct octets_out reply = octets_out(a->buf, sizeof(a->buf));
	struct mo_msg_header h;

	assert_true(mo_service_handle(w->session, request->start, request->len, &reply));
	assert_false(reply.overrun);
	a->in = octets_in(a->buf, reply.len);
	assert_true(mo_msg_get_header(&a->in, &h));
	assert_true(h.op & MO_MSG_REPLY);
	assert_int_equal(h.seq, 42);
}

static struct octets_out request(uint8_t *buf, size_t size, enum mo_msg_op op, unsigned table)
{
	struct octets_out out = octets_out(buf, size);

	mo_msg_put_header(&out, &(struct mo_msg_header){(uint8_t)op, (uint16_t)table, 42});
	return out;
}

static struct mo_index index_of(const char *text)
{
	struct mo_index index = {0};

	if (*text)
		assert_true(mo_index_parse(text, &index));
	return index;
}

/* "i1=a,b;i2=..." is too much: one column of every row, as "index=value" words. */
static void read_column(struct world *w, const char *object, char *text, size_t size)
{
	static struct answer a;
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(object, &table);
	struct mo_index index = {0};
	uint8_t buf[256];
	struct octets_out out;
	unsigned n;

	assert_non_null(col);
	text[0] = '\0';
	out = request(buf, sizeof(buf), MO_OP_READ, table->id);
	octets_out_u8(&out, 0);
	octets_out_be16(&out, 1000);
	mo_msg_put_index(&out, &index);
	exchange(w, &out, &a);
	assert_int_equal(octets_in_u8(&a.in), 0);
	n = octets_in_be16(&a.in);
	for (unsigned r = 0; r < n; r++) {
		char index_text[80], value_text[800];

		mo_msg_get_index(&a.in, &index);
		mo_index_format(&index, index_text, sizeof(index_text));
		for (unsigned i = 0; i < table->n_columns; i++) {
			struct mo_value value;

			assert_true(mo_msg_get_value(&a.in, &value));
			if (&table->columns[i] != col)
				continue;
			mo_format(col, &value, value_text, sizeof(value_text));
			snprintf(text + strlen(text), size - strlen(text), "%s%s=%s", r ? " " : "",
				 index_text, value_text);
		}
	}
	assert_int_equal(a.in.left, 0);
}

#define assert_column(w, object, expected)                    \
	do {                                                  \
		char text_[4096];                             \
		read_column(w, object, text_, sizeof(text_)); \
		assert_string_equal(text_, expected);         \
	} while (0)

static enum mo_error phase(struct world *w, enum mo_msg_op op)
{
	static struct answer a;
	uint8_t buf[64];
	struct octets_out out = request(buf, sizeof(buf), op, 0);

	octets_out_be32(&out, w->txid);
	exchange(w, &out, &a);
	return (enum mo_error)octets_in_u8(&a.in);
}

/* TEST of up to eight "object", "index", "value" triples. */
static enum mo_error test_set(struct world *w, const char *const set[][3], unsigned n)
{
	static struct answer a;
	uint8_t buf[4096];
	struct octets_out out = request(buf, sizeof(buf), MO_OP_TEST, 0);
	enum mo_error error;

	octets_out_be32(&out, ++w->txid);
	octets_out_be16(&out, (uint16_t)n);
	for (unsigned i = 0; i < n; i++) {
		const struct mo_table *table;
		const struct mo_column *col = mo_column_by_name(set[i][0], &table);
		struct mo_varbind vb = {.index = index_of(set[i][1])};

		assert_non_null(col);
		vb.table = table->id;
		vb.subid = col->subid;
		assert_true(mo_parse(col, set[i][2], &vb.value));
		mo_msg_put_varbind(&out, &vb);
	}
	exchange(w, &out, &a);
	error = (enum mo_error)octets_in_u8(&a.in);
	w->bad = octets_in_be16(&a.in);
	return error;
}

static enum mo_error do_set(struct world *w, const char *const set[][3], unsigned n)
{
	enum mo_error error = test_set(w, set, n);

	if (error == MO_NO_ERROR)
		error = phase(w, MO_OP_COMMIT);
	phase(w, MO_OP_CLEANUP);
	managed_adopted(w->m, w->m->config->generation);
	return error;
}

#define SET(w, ...)                                      \
	do_set(w, (const char *const[][3]){__VA_ARGS__}, \
	       sizeof((const char *const[][3]){__VA_ARGS__}) / sizeof(const char *[3]))
#define STATUS "ieee8021CnComPriRowStatus"
#define QSP    "ieee8021CnCpQueueSizeSetPoint"

/* --- rows
 * ------------------------------------------------------------------------------------------ */

static void test_cnpv_makes_rows(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);

	(void)state;
	assert_column(w, QSP, "");
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_column(w, STATUS, "1.3=active");
	assert_column(w, "ieee8021CnComPriAutoAltPri", "1.3=2");
	assert_column(w, QSP, "1.3.3=26000 1.5.3=26000 1.9.3=26000");
	assert_column(w, "ieee8021CnPortPriDefModeChoice",
		      "1.3.3=cpcComp 1.3.5=cpcComp 1.3.9=cpcComp");
	assert_column(w, "ieee8021CnCpidToIfIfIndex",
		      "2.0.0.0.0.3.0.3=3 2.0.0.0.0.3.0.11=5 2.0.0.0.0.3.0.19=9");
	assert_column(w, "ieee8021CnRpgGd", ""); /* a bridge reacts to nothing */
	assert_int_equal(w->provider.published->cnpv_acting, 1 << 3);
	assert_int_equal(SET(w, {STATUS, "1.3", "destroy"}), MO_NO_ERROR);
	assert_column(w, QSP, "");
	assert_column(w, "ieee8021CnCpidToIfIfIndex", "");
	assert_int_equal(w->provider.published->cnpv_acting, 0);
	world_free(w);
}

static void test_station_has_reaction_points(void **state)
{
	struct world *w = world_new(ROLE_STATION);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.0", "createAndGo"}), MO_NO_ERROR);
	/* The syntax starts at 1, so priority 0 has index 8. */
	assert_column(w, "ieee8021CnRpgMaxRate", "1.0.3.8=10000 1.0.5.8=10000 1.0.9.8=10000");
	assert_column(w, "ieee8021CnCpPriority", "1.3.8=0 1.5.8=0 1.9.8=0");
	assert_int_equal(SET(w, {"ieee8021CnRpgMaxRate", "1.0.5.8", "4000"}), MO_NO_ERROR);
	assert_column(w, "ieee8021CnRpgMaxRate", "1.0.3.8=10000 1.0.5.8=4000 1.0.9.8=10000");
	assert_column(w, "ieee8021CnRpPortPriMaxRps", "1.0.3=1 1.0.5=1 1.0.9=1");
	world_free(w);
}

static void test_auto_disable_makes_admin_rows(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {"ieee8021CnComPriCreation", "1.4", "cncpAutoDisable"},
			     {STATUS, "1.4", "createAndGo"}),
			 MO_NO_ERROR);
	assert_column(w, "ieee8021CnPortPriDefModeChoice",
		      "1.4.3=cpcAdmin 1.4.5=cpcAdmin 1.4.9=cpcAdmin");
	add_port(w, 7, "sw7", "");
	assert_column(w, "ieee8021CnPortPriDefModeChoice",
		      "1.4.3=cpcAdmin 1.4.5=cpcAdmin 1.4.7=cpcAdmin 1.4.9=cpcAdmin");
	world_free(w);
}

static void test_eighth_row(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);
	char index[8];

	(void)state;
	for (unsigned p = 0; p < 7; p++) {
		snprintf(index, sizeof(index), "1.%u", p);
		assert_int_equal(SET(w, {STATUS, index, "createAndGo"}), MO_NO_ERROR);
	}
	assert_int_equal(SET(w, {STATUS, "1.7", "createAndGo"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {STATUS, "1.7", "createAndWait"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {STATUS, "1.7", "active"}), MO_INCONSISTENT_VALUE);
	assert_column(w, STATUS,
		      "1.0=active 1.1=active 1.2=active 1.3=active 1.4=active 1.5=active "
		      "1.6=active 1.7=notReady");
	assert_column(w, "ieee8021CnComPriAutoAltPri",
		      "1.0=7 1.1=7 1.2=7 1.3=7 1.4=7 1.5=7 1.6=7 1.7=7");
	/* One goes, the waiting one may come: in one PDU, in either order. */
	assert_int_equal(SET(w, {STATUS, "1.7", "active"}, {STATUS, "1.2", "destroy"}),
			 MO_NO_ERROR);
	assert_column(w, STATUS,
		      "1.0=active 1.1=active 1.3=active 1.4=active 1.5=active 1.6=active "
		      "1.7=active");
	world_free(w);
}

static void test_errored_ports_follow(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_column(w, "ieee8021CnEpIfIndex", "");
	assert_int_equal(SET(w, {STATUS, "1.4", "createAndGo"},
			     {"ieee8021CnPortPriAlternatePriority", "1.3.5", "4"}),
			 MO_NO_ERROR);
	assert_column(w, "ieee8021CnEpIfIndex", "1.3.5=5");
	assert_int_equal(SET(w, {"ieee8021CnComPriAlternatePriority", "1.4", "3"}), MO_NO_ERROR);
	assert_column(w, "ieee8021CnEpIfIndex", "1.3.5=5 1.4.3=3 1.4.5=5 1.4.9=9");
	assert_int_equal(SET(w, {STATUS, "1.4", "destroy"}), MO_NO_ERROR);
	assert_column(w, "ieee8021CnEpIfIndex", "");
	world_free(w);
}

static void test_master_enable_stops_acting(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(
	    SET(w, {STATUS, "1.3", "createAndGo"}, {"ieee8021CnGlobalMasterEnable", "1", "false"}),
	    MO_NO_ERROR);
	assert_int_equal(w->provider.published->cnpv_acting, 0);
	assert_column(w, STATUS, "1.3=active");
	world_free(w);
}

/* --- errors
 * ---------------------------------------------------------------------------------------- */

static void test_row_status_matrix(void **state)
{
	static const struct {
		const char *before, *set;
		enum mo_error error;
		const char *after;
	} rows[] = {
	    {NULL, "active", MO_INCONSISTENT_VALUE, ""},
	    {NULL, "notInService", MO_INCONSISTENT_VALUE, ""},
	    {NULL, "notReady", MO_WRONG_VALUE, ""},
	    {NULL, "createAndGo", MO_NO_ERROR, "1.3=active"},
	    {NULL, "createAndWait", MO_NO_ERROR, "1.3=notInService"},
	    {NULL, "destroy", MO_NO_ERROR, ""},
	    {"createAndWait", "active", MO_NO_ERROR, "1.3=active"},
	    {"createAndWait", "notInService", MO_NO_ERROR, "1.3=notInService"},
	    {"createAndWait", "notReady", MO_WRONG_VALUE, "1.3=notInService"},
	    {"createAndWait", "createAndGo", MO_INCONSISTENT_VALUE, "1.3=notInService"},
	    {"createAndWait", "createAndWait", MO_INCONSISTENT_VALUE, "1.3=notInService"},
	    {"createAndWait", "destroy", MO_NO_ERROR, ""},
	    {"createAndGo", "active", MO_NO_ERROR, "1.3=active"},
	    {"createAndGo", "notInService", MO_NO_ERROR, "1.3=notInService"},
	    {"createAndGo", "notReady", MO_WRONG_VALUE, "1.3=active"},
	    {"createAndGo", "createAndGo", MO_INCONSISTENT_VALUE, "1.3=active"},
	    {"createAndGo", "createAndWait", MO_INCONSISTENT_VALUE, "1.3=active"},
	    {"createAndGo", "destroy", MO_NO_ERROR, ""},
	    {"createAndGo", "7", MO_WRONG_VALUE, "1.3=active"},
	    {"createAndGo", "0", MO_WRONG_VALUE, "1.3=active"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct world *w = world_new(ROLE_BRIDGE);

		if (rows[i].before)
			assert_int_equal(SET(w, {STATUS, "1.3", rows[i].before}), MO_NO_ERROR);
		assert_int_equal(SET(w, {STATUS, "1.3", rows[i].set}), rows[i].error);
		assert_column(w, STATUS, rows[i].after);
		world_free(w);
	}
}

static void test_errors_name_the_varbind(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);
	unsigned published;

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	published = w->provider.n_published;
	assert_int_equal(SET(w, {QSP, "1.3.3", "30000"}, {QSP, "1.5.3", "99"}), MO_WRONG_VALUE);
	assert_int_equal(w->bad, 2);
	assert_int_equal(SET(w, {QSP, "1.3.3", "30000"}, {QSP, "1.4.3", "200"}), MO_NO_CREATION);
	assert_int_equal(w->bad, 2);
	assert_int_equal(SET(w, {QSP, "1.3.4", "30000"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {QSP, "2.3.3", "30000"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {QSP, "1.3", "30000"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {"ieee8021CnCpMacAddress", "1.3.3", "02-00-00-00-00-01"}),
			 MO_NOT_WRITABLE);
	assert_int_equal(SET(w, {"ieee8021CnComPriCreation", "1.4", "cncpAutoEnable"}),
			 MO_INCONSISTENT_NAME);
	assert_int_equal(SET(w, {STATUS, "2.4", "createAndGo"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {STATUS, "1.8", "createAndGo"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {"ieee8021CnCpFeedbackWeight", "1.3.3", "-11"}), MO_WRONG_VALUE);
	assert_int_equal(SET(w, {"ieee8021CnCpFeedbackWeight", "1.3.3", "11"}), MO_WRONG_VALUE);
	assert_int_equal(w->provider.n_published, published);
	assert_column(w, QSP, "1.3.3=26000 1.5.3=26000 1.9.3=26000");
	assert_int_equal(SET(w, {"ieee8021CnCpFeedbackWeight", "1.3.3", "-10"}), MO_NO_ERROR);
	assert_column(w, "ieee8021CnCpFeedbackWeight", "1.3.3=-10 1.5.3=1 1.9.3=1");
	world_free(w);
}

/* A row and a column that only exists because of it, the column first. */
static void test_order_does_not_matter(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {QSP, "1.9.2", "50000"}, {STATUS, "1.2", "createAndGo"}),
			 MO_NO_ERROR);
	assert_column(w, QSP, "1.3.2=26000 1.5.2=26000 1.9.2=50000");
	/* The row goes, the setting with it. */
	assert_int_equal(SET(w, {STATUS, "1.2", "destroy"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {STATUS, "1.2", "createAndGo"}), MO_NO_ERROR);
	assert_column(w, QSP, "1.3.2=26000 1.5.2=26000 1.9.2=26000");
	world_free(w);
}

/* --- transactions
 * ------------------------------------------------------------------------------------ */

static void test_undo(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);
	static const char *const set[][3] = {{QSP, "1.5.3", "31000"},
					     {STATUS, "1.4", "createAndGo"}};

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_int_equal(test_set(w, set, 2), MO_NO_ERROR);
	assert_column(w, QSP, "1.3.3=26000 1.5.3=26000 1.9.3=26000");
	assert_int_equal(phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	assert_int_equal(phase(w, MO_OP_COMMIT), MO_NO_ERROR); /* again: harmless */
	assert_column(w, STATUS, "1.3=active 1.4=active");
	add_port(w, 7, "sw7", ""); /* the world moves on meanwhile */
	assert_int_equal(phase(w, MO_OP_UNDO), MO_NO_ERROR);
	assert_column(w, STATUS, "1.3=active");
	assert_column(w, QSP, "1.3.3=26000 1.5.3=26000 1.7.3=26000 1.9.3=26000");
	world_restart(w);
	add_port(w, 5, "sw5", "uplink");
	world_load(w);
	assert_column(w, QSP, "1.5.3=26000");
	world_free(w);
}

static void test_lost_clients(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);
	static const char *const set[][3] = {{STATUS, "1.4", "createAndGo"}};

	(void)state;
	/* Tested only: nothing happens. */
	assert_int_equal(test_set(w, set, 1), MO_NO_ERROR);
	mo_session_free(w->session);
	w->session = mo_session_new(w->service);
	assert_column(w, STATUS, "");
	assert_int_equal(phase(w, MO_OP_COMMIT), MO_COMMIT_FAILED);
	/* Committed, and the client knows: stays. */
	assert_int_equal(test_set(w, set, 1), MO_NO_ERROR);
	assert_int_equal(phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	mo_session_free(w->session);
	w->session = mo_session_new(w->service);
	assert_column(w, STATUS, "1.4=active");
	/* Committed, but the answer could not be delivered: goes. */
	assert_int_equal(test_set(w, (const char *const[][3]){{STATUS, "1.4", "destroy"}}, 1),
			 MO_NO_ERROR);
	assert_int_equal(phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	mo_session_unheard(w->session);
	mo_session_free(w->session);
	w->session = mo_session_new(w->service);
	assert_column(w, STATUS, "1.4=active");
	world_free(w);
}

static void test_one_committer_at_a_time(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);
	struct mo_session *first = w->session;

	(void)state;
	assert_int_equal(test_set(w, (const char *const[][3]){{STATUS, "1.4", "createAndGo"}}, 1),
			 MO_NO_ERROR);
	assert_int_equal(phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	w->session = mo_session_new(w->service);
	assert_int_equal(SET(w, {STATUS, "1.5", "createAndGo"}), MO_GEN_ERR);
	mo_session_free(first);
	assert_int_equal(SET(w, {STATUS, "1.5", "createAndGo"}), MO_NO_ERROR);
	world_free(w);
}

static void test_malformed_requests(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);
	uint8_t buf[64], reply_buf[256];
	struct octets_out out, reply = octets_out(reply_buf, sizeof(reply_buf));

	(void)state;
	assert_false(mo_service_handle(w->session, (const uint8_t *)"", 0, &reply));
	out = request(buf, sizeof(buf), MO_OP_READ, MO_TABLES);
	octets_out_bytes(&out, "\0\0\1\0", 4);
	assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	out = request(buf, sizeof(buf), MO_OP_READ, MO_cn_cp);
	octets_out_bytes(&out, "\0\0\1\377", 4); /* an index of 255 parts */
	assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	out = request(buf, sizeof(buf), MO_OP_TEST, 0);
	octets_out_bytes(&out, "\0\0\0\1\377\377", 6); /* 65535 varbinds, none there */
	assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	buf[0] = MO_MSG_VERSION + 1;
	assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	world_free(w);
}

/* --- persistence
 * --------------------------------------------------------------------------------------- */

static void test_survives_restart_rename_and_reindex(void **state)
{
	struct world *w = world_new(ROLE_STATION);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"},
			     {"ieee8021CnComPriAlternatePriority", "1.3", "1"},
			     {QSP, "1.5.3", "31000"}, {QSP, "1.9.3", "32000"},
			     {"ieee8021CnRpgEnable", "1.3.3.3", "false"},
			     {"ieee8021CnRpgMaxRate", "1.3.3.3", "10000"},
			     {"ieee8021PfcLinkDelayAllowance", "9", "4294967295"},
			     {"ieee8021CnGlobalCnmTransmitPriority", "1", "5"}),
			 MO_NO_ERROR);
	world_restart(w);
	add_port(w, 3, "sw3", "");
	add_port(w, 4, "other", "uplink"); /* was sw5, ifIndex 5 */
	add_port(w, 8, "sw9", "");         /* was ifIndex 9 */
	world_load(w);
	assert_column(w, STATUS, "1.3=active");
	assert_column(w, "ieee8021CnComPriAlternatePriority", "1.3=1");
	assert_column(w, QSP, "1.3.3=26000 1.4.3=31000 1.8.3=32000");
	assert_column(w, "ieee8021CnRpgEnable", "1.3.3.3=false 1.3.4.3=true 1.3.8.3=true");
	assert_column(w, "ieee8021PfcLinkDelayAllowance", "3=0 4=0 8=4294967295");
	assert_column(w, "ieee8021CnGlobalCnmTransmitPriority", "1=5");
	/* A rate that was set stays set, even though it equals the speed. */
	assert_true(w->m->config->ports[0].config->rpg[3].rpg_max_rate_is_set);
	assert_false(w->m->config->ports[1].config->rpg[3].rpg_max_rate_is_set);
	world_free(w);
}

static void test_interface_leaves_and_returns(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {STATUS, "1.4", "createAndGo"},
			     {QSP, "1.5.3", "31000"}, {QSP, "1.5.4", "41000"}),
			 MO_NO_ERROR);
	fake_port(w->m->config->ports[1].port)->cp[3].cp_discarded_frames = 17;
	assert_true(managed_port_remove(w->m, managed_find(w->m, 5)));
	managed_adopted(w->m, w->m->config->generation);
	assert_int_equal(w->provider.n_open, 2);
	assert_column(w, QSP, "1.3.3=26000 1.3.4=26000 1.9.3=26000 1.9.4=26000");
	assert_column(w, "ieee8021CnGlobalDiscardedFrames", "1=17");
	/* While it is away one of its priorities is made anew: that setting is void. */
	assert_int_equal(SET(w, {STATUS, "1.4", "destroy"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {STATUS, "1.4", "createAndGo"}), MO_NO_ERROR);
	add_port(w, 12, "renamed", "uplink");
	assert_column(w, QSP,
		      "1.3.3=26000 1.3.4=26000 1.9.3=26000 1.9.4=26000 1.12.3=31000 1.12.4=26000");
	world_free(w);
}

/* An alias comes after the interface: then its settings do too, unless it has others already. */
static void test_interface_returns_before_its_alias(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);
	struct link_info link = link_of(12, "sw12", "uplink");

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {QSP, "1.5.3", "31000"}),
			 MO_NO_ERROR);
	assert_true(managed_port_remove(w->m, managed_find(w->m, 5)));
	managed_adopted(w->m, w->m->config->generation);
	add_port(w, 12, "sw12", "");
	assert_column(w, QSP, "1.3.3=26000 1.9.3=26000 1.12.3=26000");
	managed_port_update(w->m, managed_find(w->m, 12), &link);
	assert_column(w, QSP, "1.3.3=26000 1.9.3=26000 1.12.3=31000");

	assert_true(managed_port_remove(w->m, managed_find(w->m, 12)));
	managed_adopted(w->m, w->m->config->generation);
	assert_int_equal(SET(w, {QSP, "1.9.3", "32000"}), MO_NO_ERROR);
	link = link_of(9, "sw9", "uplink");
	managed_port_update(w->m, managed_find(w->m, 9), &link);
	assert_column(w, QSP, "1.3.3=26000 1.9.3=32000");
	world_free(w);
}

static void test_absent_at_start(void **state)
{
	for (int keep = 0; keep <= 1; keep++) {
		struct world *w = world_new(ROLE_BRIDGE);

		(void)state;
		w->conf.keep_absent = keep;
		assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {QSP, "1.5.3", "31000"}),
				 MO_NO_ERROR);
		world_restart(w);
		world_load(w);
		/* A SET in between must not lose what is waiting. */
		assert_int_equal(SET(w, {"ieee8021CnGlobalCnmTransmitPriority", "1", "4"}),
				 MO_NO_ERROR);
		world_restart(w);
		world_load(w);
		add_port(w, 5, "sw5", "uplink");
		assert_column(w, QSP, keep ? "1.5.3=31000" : "1.5.3=26000");
		world_free(w);
	}
}

static char *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 65536);

	assert_non_null(f);
	*len = fread(text, 1, 65535, f);
	fclose(f);
	return text;
}

static void spit(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* Cut or flip any octet: the file is refused whole and says where, and nothing crashes. */
static void test_damaged_state(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);
	char err[512], *text;
	size_t len;

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {QSP, "1.5.3", "31000"}),
			 MO_NO_ERROR);
	text = slurp(w->state, &len);
	world_restart(w);
	for (size_t at = 0; at < len; at++) {
		text[at] ^= 0x04;
		spit(w->state, text, len);
		text[at] ^= 0x04;
		assert_int_equal(persist_load(w->m, w->state, false, err, sizeof(err)),
				 PERSIST_DAMAGED);
		assert_non_null(strstr(err, "/state:"));
		assert_int_equal(dcb_config_cnpvs(w->m->config), 0);
		spit(w->state, text, at);
		assert_int_equal(persist_load(w->m, w->state, false, err, sizeof(err)),
				 PERSIST_DAMAGED);
	}
	spit(w->state, text, len);
	world_load(w);
	assert_int_equal(dcb_config_cnpvs(w->m->config), 1 << 3);
	free(text);
	world_free(w);
}

static void test_alias_with_odd_characters(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);
	static const char odd[] = "a \"quoted\" \\ name\n\x01\xc3\xbc";

	(void)state;
	add_port(w, 20, "sw20", odd);
	assert_int_equal(SET(w, {"ieee8021PfcLinkDelayAllowance", "20", "77"}), MO_NO_ERROR);
	world_restart(w);
	add_port(w, 2, "x", odd);
	world_load(w);
	assert_column(w, "ieee8021PfcLinkDelayAllowance", "2=77");
	world_free(w);
}

/* Two interfaces of one alias cannot be told apart by it: their names do. */
static void test_alias_twice(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);

	(void)state;
	add_port(w, 20, "sw20", "uplink");
	assert_int_equal(SET(w, {"ieee8021PfcLinkDelayAllowance", "20", "77"},
			     {"ieee8021PfcLinkDelayAllowance", "5", "55"}),
			 MO_NO_ERROR);
	world_restart(w);
	add_port(w, 5, "sw5", "uplink");
	add_port(w, 20, "sw20", "uplink");
	world_load(w);
	assert_column(w, "ieee8021PfcLinkDelayAllowance", "5=55 20=77");
	world_free(w);
}

static void test_disk_that_cannot_be_written(void **state)
{
	struct world *w = world_new(ROLE_BRIDGE);
	char missing[128], *before, *after;
	size_t len, len_after;

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	before = slurp(w->state, &len);
	/* A directory in the place of the temporary file: opening it fails for root too. */
	snprintf(missing, sizeof(missing), "%s.new", w->state);
	assert_int_equal(mkdir(missing, 0700), 0);
	assert_int_equal(SET(w, {QSP, "1.5.3", "31000"}), MO_COMMIT_FAILED);
	assert_column(w, QSP, "1.3.3=26000 1.5.3=26000 1.9.3=26000");
	assert_column(w, "dcbAgentStateStatus", "0=writeFailing");
	assert_column(w, "dcbAgentStateFailures", "0=1");
	after = slurp(w->state, &len_after);
	assert_int_equal(len, len_after);
	assert_memory_equal(before, after, len);
	assert_int_equal(rmdir(missing), 0);
	assert_int_equal(SET(w, {QSP, "1.5.3", "31000"}), MO_NO_ERROR);
	assert_column(w, "dcbAgentStateStatus", "0=ok");
	free(before);
	free(after);
	world_free(w);
}

/* --- order
 * -------------------------------------------------------------------------------------------- */

/*
 * Walking from any index, of any length, gives the rows behind it: compared
 * with the list of all rows, for random indexes near them.
 */
static void check_seeks(struct world *w, enum mo_table_id id, struct dcb_rng *rng)
{
	struct mo_index all[512];
	struct mo_place place;
	size_t n = 0;

	memset(all, 0, sizeof(all));
	for (struct mo_index at = {0}; mo_bind_seek(w->m, w->m->config, id, &at, n > 0, &place);
	     n++) {
		assert_true(n < 512);
		all[n] = at;
		assert_true(mo_index_valid(mo_table(id), &at));
		assert_true(n == 0 || mo_index_compare(&all[n - 1], &at) < 0);
	}
	for (unsigned i = 0; i < 4000; i++) {
		struct mo_index from = n ? all[dcb_rng_uniform(rng, 0, (uint32_t)n - 1)] : all[0];
		bool after = dcb_rng_uniform(rng, 0, 1);
		struct mo_index got;
		size_t want = 0;
		bool found;

		from.n = (uint8_t)dcb_rng_uniform(rng, 0, MO_INDEX_MAX);
		if (from.n > 0 && dcb_rng_uniform(rng, 0, 2))
			from.sub[dcb_rng_uniform(rng, 0, from.n - 1u)] +=
			    dcb_rng_uniform(rng, 0, 2) - 1;
		got = from;
		while (want < n && (mo_index_compare(&all[want], &from) < 0 ||
				    (after && mo_index_compare(&all[want], &from) == 0)))
			want++;
		found = mo_bind_seek(w->m, w->m->config, id, &got, after, &place);
		assert_int_equal(found, want < n);
		if (found)
			assert_int_equal(mo_index_compare(&got, &all[want]), 0);
		got = from;
		if (mo_bind_find(w->m, w->m->config, id, &from, &place))
			assert_int_equal(mo_index_compare(&from, &got), 0);
	}
}

static void test_order_of_rows(void **state)
{
	struct world *w = world_new(ROLE_STATION);
	uint64_t seed = 20260101;
	struct dcb_rng rng;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	dcb_rng_seed(&rng, seed, 1);
	w->m->component_id = 4;
	add_port(w, 2147483647, "last", "");
	assert_int_equal(SET(w, {STATUS, "4.0", "createAndGo"}, {STATUS, "4.7", "createAndGo"},
			     {STATUS, "4.4", "createAndWait"},
			     {"ieee8021CnPortPriAlternatePriority", "4.4.9", "7"}),
			 MO_NO_ERROR);
	for (unsigned id = 0; id < MO_TABLES; id++)
		check_seeks(w, (enum mo_table_id)id, &rng);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cnpv_makes_rows),
	    cmocka_unit_test(test_station_has_reaction_points),
	    cmocka_unit_test(test_auto_disable_makes_admin_rows),
	    cmocka_unit_test(test_eighth_row),
	    cmocka_unit_test(test_errored_ports_follow),
	    cmocka_unit_test(test_master_enable_stops_acting),
	    cmocka_unit_test(test_row_status_matrix),
	    cmocka_unit_test(test_errors_name_the_varbind),
	    cmocka_unit_test(test_order_does_not_matter),
	    cmocka_unit_test(test_undo),
	    cmocka_unit_test(test_lost_clients),
	    cmocka_unit_test(test_one_committer_at_a_time),
	    cmocka_unit_test(test_malformed_requests),
	    cmocka_unit_test(test_survives_restart_rename_and_reindex),
	    cmocka_unit_test(test_interface_leaves_and_returns),
	    cmocka_unit_test(test_interface_returns_before_its_alias),
	    cmocka_unit_test(test_absent_at_start),
	    cmocka_unit_test(test_damaged_state),
	    cmocka_unit_test(test_alias_with_odd_characters),
	    cmocka_unit_test(test_alias_twice),
	    cmocka_unit_test(test_disk_that_cannot_be_written),
	    cmocka_unit_test(test_order_of_rows),
	};

	log_init("test_mo_service", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
