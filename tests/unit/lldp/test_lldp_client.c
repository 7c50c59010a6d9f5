/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the LLDP client that do not call liblldpctl. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lldp/client/lldp_client_sendv.h"
#include "lldp/client/lldp_client_cache.h"
#include "lldp/client/lldp_client_desired.h"

static struct lldp_tlv tlv(uint8_t subtype, uint16_t len, uint8_t fill)
{
	struct lldp_tlv t = {.oui = {0x00, 0x80, 0xc2}, .subtype = subtype, .len = len};

	memset(t.info, fill, len);
	return t;
}

static struct lldp_tlv foreign(uint8_t subtype, uint16_t len)
{
	struct lldp_tlv t = tlv(subtype, len, 0xee);

	t.oui[2] = 0xff;
	return t;
}

/* Selects the fitting TLVs and plans. The caller frees the steps. */
static struct desired_plan plan(struct desired_tlvs *d, struct lldp_tlv *has, size_t n,
				enum desired_fit fit)
{
	struct conn_port port = {.octets = 200, .n = n, .tlvs = has};
	struct desired_plan p;
	size_t octets;

	assert_int_equal(desired_fit(d, &port, &octets), fit);
	assert_true(desired_plan(d, &port, 0, &p));
	return p;
}

static size_t steps(struct desired_tlvs *d, struct lldp_tlv *has, size_t n, enum desired_fit fit)
{
	struct desired_plan p = plan(d, has, n, fit);

	free(p.steps);
	return p.n;
}

static void test_plan_replaces_and_removes(void **state)
{
	struct desired_tlvs *table = NULL, *d = desired_at(&table, "eth0", 0);
	const struct lldp_tlv requested[] = {tlv(0x0b, 2, 8), tlv(0x08, 2, 1)};
	struct lldp_tlv has[4];
	struct desired_plan p;

	(void)state;
	assert_true(desired_request(d, requested, 2, 1500));
	assert_true(d->changed);
	assert_int_equal(steps(d, NULL, 0, DESIRED_FITS), 2);

	/* The order does not matter; TLVs of other programs stay. */
	has[0] = requested[1];
	has[1] = foreign(0x0b, 3);
	has[2] = requested[0];
	has[3] = tlv(0x63, 2, 7);
	assert_int_equal(steps(d, has, 4, DESIRED_FITS), 0);

	/* Another value, another length, two TLVs of a subtype: replaced. */
	has[0].info[0] ^= 1;
	assert_int_equal(steps(d, has, 4, DESIRED_FITS), 1);
	has[0] = requested[1];
	has[0].len = 1;
	assert_int_equal(steps(d, has, 4, DESIRED_FITS), 1);
	has[0] = requested[1];
	has[1] = requested[1];
	p = plan(d, has, 4, DESIRED_FITS);
	assert_int_equal(p.n, 1);
	assert_int_equal(p.steps[0].op, CONN_REPLACE);
	assert_int_equal(p.steps[0].tlv.subtype, 0x08);
	free(p.steps);

	/* A DCB TLV of an earlier process is removed by one step, also if there are two. */
	has[0] = tlv(0x17, 8, 1);
	has[1] = tlv(0x17, 8, 2);
	has[3] = requested[1];
	p = plan(d, has, 4, DESIRED_FITS);
	assert_int_equal(p.n, 1);
	assert_int_equal(p.steps[0].op, CONN_REMOVE);
	assert_int_equal(p.steps[0].tlv.subtype, 0x17);
	free(p.steps);
	desired_free(&table, d);
	assert_null(table);
}

static void test_requested_tlvs_are_owned(void **state)
{
	struct desired_tlvs *table = NULL, *d = desired_at(&table, "eth0", 0);
	struct lldp_tlv t = tlv(0x63, 2, 7), other = tlv(0x64, 2, 7);

	(void)state;
	/* Not owned before it was requested. */
	assert_int_equal(steps(d, &t, 1, DESIRED_FITS), 0);
	assert_true(desired_request(d, &t, 1, 1500));
	assert_int_equal(steps(d, &t, 1, DESIRED_FITS), 0);
	assert_true(desired_request(d, &other, 1, 1500));
	assert_int_equal(steps(d, &t, 1, DESIRED_FITS), 2);
	assert_true(desired_request(d, NULL, 0, 1500));
	assert_int_equal(steps(d, &t, 1, DESIRED_FITS), 1);
	d->forgotten = true;
	assert_int_equal(steps(d, &t, 1, DESIRED_FITS), 1);
	desired_free(&table, d);
}

static void test_same_request_is_no_change(void **state)
{
	struct desired_tlvs *table = NULL, *d = desired_at(&table, "eth0", 0);
	const struct lldp_tlv a[] = {tlv(0x0b, 2, 8), tlv(0x08, 2, 1), tlv(0x0b, 2, 9)};
	const struct lldp_tlv b[] = {tlv(0x08, 2, 1), tlv(0x0b, 2, 9)};

	(void)state;
	assert_true(desired_request(d, a, 3, 1500));
	assert_int_equal(d->requested.n, 2); /* of two TLVs of a subtype the last */
	d->changed = false;
	assert_true(desired_request(d, b, 2, 1500));
	assert_false(d->changed);
	assert_true(desired_request(d, b, 2, 9000));
	assert_true(d->changed);
	d->changed = false;
	d->forgotten = true;
	assert_true(desired_request(d, b, 2, 9000));
	assert_true(d->changed);
	assert_false(d->forgotten);
	desired_free(&table, d);
}

static void test_tlvs_beyond_the_mtu_are_not_applied(void **state)
{
	struct desired_tlvs *table = NULL, *d = desired_at(&table, "eth0", 0);
	/* The frame has 200 octets without TLVs, so 1300 are left: these have 1299 octets. */
	struct lldp_tlv fits[] = {tlv(0x08, 507, 1), tlv(0x09, 507, 1), tlv(0x0a, 267, 1)};
	struct lldp_tlv more[] = {fits[0], fits[1], tlv(0x0a, 268, 2)};
	struct lldp_tlv has[] = {fits[0], fits[1], fits[2], foreign(1, 1)};

	(void)state;
	more[2].len = 269;
	assert_true(desired_request(d, fits, 3, 1500));
	assert_int_equal(steps(d, NULL, 0, DESIRED_FITS), 3);
	assert_true(desired_request(d, more, 3, 1500));
	assert_int_equal(steps(d, has, 3, DESIRED_TOO_LONG), 0);
	/* With a TLV of another program the former TLVs do not fit either. */
	assert_int_equal(steps(d, has, 4, DESIRED_NONE_FIT), 3);
	assert_true(desired_request(d, more, 3, 9000));
	assert_int_equal(steps(d, has, 4, DESIRED_FITS), 1);
	/* MTU 0: no limit. */
	assert_true(desired_request(d, more, 3, 0));
	assert_int_equal(steps(d, has, 4, DESIRED_FITS), 1);
	desired_free(&table, d);
}

static struct lldp_tlv mark_of(enum port_status status)
{
	return (struct lldp_tlv){{0x72, 0x64, 0x63}, 0, 1, {(uint8_t)status}};
}

/* Plans for a port with TLVs and a status. steps: "replace SUBTYPE", "remove SUBTYPE", ... */
static void expect_steps(struct desired_tlvs *d, struct lldp_tlv *has, size_t n,
			 enum port_status status, int64_t now_ms, const char *steps)
{
	struct conn_port port = {.octets = 200, .n = n, .tlvs = has, .status = status};
	char text[256] = "";
	struct desired_plan p;
	size_t octets;

	assert_int_equal(desired_fit(d, &port, &octets), DESIRED_FITS);
	assert_true(desired_plan(d, &port, now_ms, &p));
	for (size_t i = 0; i < p.n; i++) {
		const struct desired_step *s = &p.steps[i];
		bool is_mark = s->tlv.oui[0] == 0x72;

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s %s%d; ",
			 s->op == CONN_REPLACE  ? "replace"
			 : s->op == CONN_REMOVE ? "remove"
						: "status",
			 is_mark ? "mark" : "", is_mark ? s->tlv.info[0] : s->tlv.subtype);
		assert_int_equal(s->alone, is_mark || s->op == CONN_STATUS);
	}
	free(p.steps);
	assert_string_equal(text, steps);
}

/* A new port transmits when it has its TLVs; one without TLVs when its interface is known. */
static void test_mark_goes_after_the_tlvs(void **state)
{
	struct desired_tlvs *table = NULL, *d = desired_at(&table, "eth0", 0);
	const struct lldp_tlv requested = tlv(0x0b, 2, 8);
	struct lldp_tlv has[] = {mark_of(PORT_RX_TX), tlv(0x0b, 2, 9)};

	(void)state;
	d->opens_ms = 100;
	expect_steps(d, has, 2, PORT_RX_ONLY, 99, ""); /* no port of ours: its TLVs stay */
	expect_steps(d, has, 2, PORT_RX_ONLY, 100, "status 4; remove mark0; ");
	assert_true(desired_request(d, &requested, 1, 1500));
	expect_steps(d, has, 2, PORT_RX_ONLY, 0, "replace 11; status 4; remove mark0; ");
	has[1] = requested;
	expect_steps(d, has, 2, PORT_RX_ONLY, 0, "status 4; remove mark0; ");
	/* The operator has set a status since. */
	expect_steps(d, has, 2, PORT_DISABLED, 0, "remove mark0; ");
	has[0] = mark_of(PORT_TX_ONLY);
	expect_steps(d, has, 2, PORT_RX_ONLY, 0, "status 1; remove mark0; ");
	has[0] = mark_of(77); /* of another program */
	expect_steps(d, has, 2, PORT_RX_ONLY, 0, "status 4; remove mark0; ");
	expect_steps(d, has + 1, 1, PORT_RX_ONLY, 0, ""); /* the operator's status */
	desired_free(&table, d);
}

static void test_default_port_is_held_and_restored(void **state)
{
	struct desired_tlvs *table = NULL, *d = desired_at(&table, DEFAULT_PORT, 0);
	struct lldp_tlv mark = mark_of(PORT_RX_TX);

	(void)state;
	d->forgotten = false;
	expect_steps(d, NULL, 0, PORT_RX_TX, 0, "replace mark4; status 2; ");
	expect_steps(d, &mark, 1, PORT_RX_TX, 0, "status 2; ");
	expect_steps(d, &mark, 1, PORT_RX_ONLY, 0, "");
	/* Another program has removed all custom TLVs. */
	expect_steps(d, NULL, 0, PORT_RX_ONLY, 0, "replace mark4; ");
	/* New values of the operator. */
	expect_steps(d, &mark, 1, PORT_TX_ONLY, 0, "replace mark1; status 2; ");
	expect_steps(d, &mark, 1, PORT_DISABLED, 0, "remove mark0; ");
	expect_steps(d, NULL, 0, PORT_RX_ONLY, 0, "");
	expect_steps(d, NULL, 0, 0, 0, "");
	/* The end, of a process that was killed before too. */
	d->forgotten = true;
	expect_steps(d, &mark, 1, PORT_RX_ONLY, 0, "status 4; remove mark0; ");
	expect_steps(d, &mark, 1, PORT_TX_ONLY, 0, "remove mark0; ");
	expect_steps(d, NULL, 0, PORT_RX_ONLY, 0, "");
	expect_steps(d, NULL, 0, PORT_RX_TX, 0, "");
	desired_free(&table, d);
}

static void test_credit_limits_the_rate(void **state)
{
	struct desired_tlvs *table = NULL, *d = desired_at(&table, "eth0", 100);
	int64_t now = 100;

	(void)state;
	for (int i = 0; i < TX_CREDIT_MAX; i++)
		assert_int_equal(desired_tx_credit(d, now), 0);
	assert_int_equal(desired_tx_credit(d, now), TX_CREDIT_EVERY_MS);
	now += 400;
	assert_int_equal(desired_tx_credit(d, now), 600);
	now += 600;
	assert_int_equal(desired_tx_credit(d, now), 0);
	assert_int_equal(desired_tx_credit(d, now), 1000);
	/* Credit is at most TX_CREDIT_MAX. */
	now += 3600 * 1000;
	for (int i = 0; i < TX_CREDIT_MAX; i++)
		assert_int_equal(desired_tx_credit(d, now), 0);
	assert_true(desired_tx_credit(d, now) > 0);
	desired_free(&table, d);
}

static struct lldp_remote neighbor(uint8_t last)
{
	struct lldp_remote r = {
	    .ifname = "eth0", .ttl = 120, .sysname = "there", .management = "2001:db8::1"};

	r.chassis = (struct lldp_id){.subtype = 4, .len = 6, .octets = {2, 0, 0, 0, 0, 1}};
	r.port = (struct lldp_id){.subtype = 3, .len = 6, .octets = {2, 0, 0, 0, 0, last}};
	r.n_tlvs = 2;
	r.tlvs[0] = tlv(0x0b, 2, 8);
	r.tlvs[1] = tlv(0x08, 2, 1);
	return r;
}

static void test_cache_returns_kind_of_change(void **state)
{
	struct neighbor_cache *table = NULL;
	struct lldp_remote r = neighbor(1), other = neighbor(2);

	(void)state;
	assert_int_equal(cache_update(&table, &r, 1000), CACHE_NEW);
	assert_int_equal(cache_update(&table, &r, 1000), CACHE_SAME);
	assert_int_equal(cache_update(&table, &other, 1000), CACHE_NEW);
	r.ttl = 121;
	assert_int_equal(cache_update(&table, &r, 1000), CACHE_CHANGED);
	strcpy(r.sysname, "then");
	assert_int_equal(cache_update(&table, &r, 1000), CACHE_CHANGED);
	memset(r.management, 0, sizeof(r.management));
	assert_int_equal(cache_update(&table, &r, 1000), CACHE_CHANGED);
	strcpy(r.management, "192.0.2.1");
	assert_int_equal(cache_update(&table, &r, 1000), CACHE_CHANGED);
	r.tlvs[1].info[1] = 9;
	assert_int_equal(cache_update(&table, &r, 1000), CACHE_CHANGED);
	r.n_tlvs = 1;
	assert_int_equal(cache_update(&table, &r, 1000), CACHE_FEWER_TLVS);
	assert_int_equal(cache_update(&table, &r, 1000), CACHE_SAME);
	r.n_tlvs = 2;
	assert_int_equal(cache_update(&table, &r, 1000), CACHE_CHANGED);
	strcpy(r.ifname, "eth1");
	assert_int_equal(cache_update(&table, &r, 1000), CACHE_NEW);
	assert_true(cache_has(table, &r));
	assert_true(cache_remove(&table, &r));
	assert_false(cache_remove(&table, &r));
	assert_false(cache_has(table, &r));
	cache_clear(&table);
	assert_null(table);
}

struct reported {
	unsigned n;
	const struct lldp_remote *is; /* compared with the reported one that has its port ID */
};

static void count_reported(void *ctx, const struct lldp_remote *remote)
{
	struct reported *t = ctx;

	t->n++;
	if (remote->port.octets[5] == t->is->port.octets[5])
		assert_memory_equal(remote, t->is, sizeof(*remote));
}

/* Reports neighbors as stored: of the given interface, new or changed since the given time. */
static void test_cache_replays_neighbors(void **state)
{
	struct neighbor_cache *table = NULL;
	struct lldp_remote r = neighbor(1), other = neighbor(2), elsewhere = neighbor(3);
	struct reported t = {.is = &r};

	(void)state;
	r.tlvs[2] = tlv(0x63, LLDP_TLV_INFO_OCTETS, 7);
	r.tlvs[3] = tlv(0x64, 0, 0);
	r.n_tlvs = 4;
	strcpy(elsewhere.ifname, "eth01");
	elsewhere.n_tlvs = 0;
	memset(elsewhere.tlvs, 0, sizeof(elsewhere.tlvs));
	memset(elsewhere.sysname, 0, sizeof(elsewhere.sysname));
	memset(other.management, 0, sizeof(other.management));
	cache_each(table, "eth0", 0, count_reported, &t);
	assert_int_equal(t.n, 0);
	cache_update(&table, &other, 1000);
	cache_update(&table, &elsewhere, 1000);
	cache_update(&table, &r, 2000);
	cache_each(table, "eth0", 2000, count_reported, &t);
	assert_int_equal(t.n, 1);
	cache_update(&table, &other, 3000); /* unchanged: not recent */
	cache_each(table, "eth0", 2000, count_reported, &t);
	assert_int_equal(t.n, 2);
	cache_each(table, "eth0", 0, count_reported, &t);
	assert_int_equal(t.n, 4);
	t = (struct reported){.is = &elsewhere};
	cache_each(table, "eth01", 0, count_reported, &t);
	assert_int_equal(t.n, 1);
	cache_clear(&table);
}

/* All fields at their maximum length. */
static void test_cache_holds_largest_neighbor(void **state)
{
	struct neighbor_cache *table = NULL;
	struct lldp_remote *r = calloc(1, sizeof(*r));

	(void)state;
	assert_non_null(r);
	memset(r->ifname, 'i', sizeof(r->ifname) - 1);
	memset(r->sysname, 's', sizeof(r->sysname) - 1);
	memset(r->management, '1', sizeof(r->management) - 1);
	r->chassis.len = r->port.len = LLDP_ID_OCTETS;
	r->ttl = 65535;
	r->n_tlvs = LLDP_TLVS_MAX;
	for (size_t i = 0; i < LLDP_TLVS_MAX; i++)
		r->tlvs[i] = tlv((uint8_t)i, LLDP_TLV_INFO_OCTETS, 0xff);
	assert_int_equal(cache_update(&table, r, 1000), CACHE_NEW);
	r->tlvs[LLDP_TLVS_MAX - 1].info[LLDP_TLV_INFO_OCTETS - 1] ^= 1;
	assert_int_equal(cache_update(&table, r, 1000), CACHE_CHANGED);
	r->n_tlvs--;
	assert_int_equal(cache_update(&table, r, 1000), CACHE_FEWER_TLVS);
	cache_clear(&table);
	free(r);
}

/* Complete and in order; a closed peer or a full buffer fails only its own message. */
static void check_sendv(struct sendv *v)
{
	struct sendv_msg msgs[SENDV_MAX];
	int pair[SENDV_MAX][2];
	char big[300000] = {0}, got[16];

	for (size_t i = 0; i < SENDV_MAX; i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair[i]), 0);
		msgs[i] = (struct sendv_msg){pair[i][0], "request", i + 1, false};
	}
	close(pair[2][1]);
	msgs[4].data = big; /* more than a socket holds */
	msgs[4].len = sizeof(big);
	for (int round = 0; round < 3; round++) {
		sendv_send(v, msgs, SENDV_MAX);
		for (size_t i = 0; i < SENDV_MAX; i++) {
			assert_int_equal(msgs[i].sent, i != 2 && i != 4);
			if (i == 2 || i == 4)
				continue;
			assert_int_equal(read(pair[i][1], got, sizeof(got)), i + 1);
			assert_memory_equal(got, "request", i + 1);
		}
	}
	sendv_send(v, msgs, 0);
	for (size_t i = 0; i < SENDV_MAX; i++) {
		close(pair[i][0]);
		if (i != 2)
			close(pair[i][1]);
	}
}

static void test_sendv_sends_each_message_completely(void **state)
{
	struct sendv *v = sendv_new();
	sigset_t mask;

	(void)state;
	check_sendv(NULL);
	if (!v) {
		print_message("this kernel has no io_setup(2)\n");
		skip();
	}
	assert_ptr_equal(signal(SIGPIPE, SIG_DFL), SIG_DFL);
	check_sendv(v);
	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &mask), 0);
	assert_false(sigismember(&mask, SIGPIPE));
	sendv_free(v);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_plan_replaces_and_removes),
	    cmocka_unit_test(test_requested_tlvs_are_owned),
	    cmocka_unit_test(test_same_request_is_no_change),
	    cmocka_unit_test(test_tlvs_beyond_the_mtu_are_not_applied),
	    cmocka_unit_test(test_mark_goes_after_the_tlvs),
	    cmocka_unit_test(test_default_port_is_held_and_restored),
	    cmocka_unit_test(test_credit_limits_the_rate),
	    cmocka_unit_test(test_cache_returns_kind_of_change),
	    cmocka_unit_test(test_cache_replays_neighbors),
	    cmocka_unit_test(test_cache_holds_largest_neighbor),
	    cmocka_unit_test(test_sendv_sends_each_message_completely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
