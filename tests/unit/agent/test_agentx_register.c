/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registrations against a master that is late, loses and repeats Responses,
 * refuses, and serves other subagents: every root is accepted by the master's own
 * Response, or the session is to be closed. No registration of another subagent
 * is removed.
 */
#include "agent/agentx_register.h"

#include "agent/mib_cache.h"
#include "tests/unit/fake_mo_client.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/unit.h"

#include <string.h>

#define OFFER_MS 300
#define SENT_MAX 4096

struct message {
	enum agentx_type type;
	struct mib_oid node;
	bool answered;
};

static struct mib_cache *cache;
static struct mib *mib;
static struct mib_root roots[MIB_ROOTS_MAX];
static unsigned n_roots;
static struct message sent[SENT_MAX]; /* the packet identifier is the position + 1 */
static unsigned n_sent;
static int64_t now;

static uint32_t send_message(enum agentx_type type, const struct mib_oid *node)
{
	assert_true(n_sent < SENT_MAX);
	sent[n_sent] = (struct message){.type = type, .node = *node};
	return ++n_sent;
}

static int begin(bool optional)
{
	fake_dcbd_reset();
	cache = mib_cache_new(NULL);
	mib = mib_new(cache);
	if (!mib || (optional && !mib_add_module(mib, "CISCO-PFC-EXT-MIB")))
		return -1;
	n_roots = mib_roots(mib, roots);
	n_sent = 0;
	now = 1000;
	agentx_register_init(mib, OFFER_MS, send_message);
	agentx_register_begin(now);
	return 0;
}

static int setup(void **state)
{
	(void)state;
	return begin(false);
}

static int setup_optional(void **state)
{
	(void)state;
	return begin(true);
}

static int teardown(void **state)
{
	(void)state;
	mib_free(mib);
	mib_cache_free(cache);
	return 0;
}

/* --- steps ---------------------------------------------------------------------------- */

static void answer(unsigned packet, unsigned error)
{
	sent[packet - 1].answered = true;
	agentx_register_response(now, packet, error);
}

/* Answers all messages so far but this one. */
static void answer_others(unsigned packet)
{
	unsigned n = n_sent; /* not the messages that follow from an answer */

	for (unsigned p = 1; p <= n; p++)
		if (p != packet && !sent[p - 1].answered)
			answer(p, 0);
}

/* Turns the clock to the next call. Returns its result. */
static int64_t run_next(void)
{
	int64_t next = agentx_register_run(now);

	if (next < 0 || next == INT64_MAX)
		return next;
	now = next;
	return agentx_register_run(now);
}

static void assert_sent(unsigned packet, enum agentx_type type, const struct mib_oid *node)
{
	assert_true(packet <= n_sent);
	assert_int_equal(sent[packet - 1].type, type);
	assert_int_equal(mib_oid_compare(&sent[packet - 1].node, node), 0);
}

static void assert_all_accepted(void)
{
	unsigned before = n_sent;

	assert_true(agentx_register_is_settled());
	assert_true(agentx_register_run(now) == INT64_MAX);
	assert_int_equal(n_sent, before);
}

/* --- a session ------------------------------------------------------------------------ */

static void test_all_roots_are_offered_at_once(void **state)
{
	(void)state;
	assert_int_equal(n_roots, 6);
	assert_int_equal(n_sent, n_roots);
	for (unsigned i = 0; i < n_roots; i++)
		assert_sent(i + 1, AGENTX_REGISTER, &roots[i].oid);
	assert_false(agentx_register_is_settled());
	for (unsigned p = 1; p <= n_roots; p++) {
		assert_false(agentx_register_is_settled());
		answer(p, 0);
	}
	assert_all_accepted();
}

/* The defect of register_mib_reattach(): a session that ends while it registers. */
static void test_next_session_offers_all_roots_again(void **state)
{
	(void)state;
	for (unsigned accepted = 0; accepted <= n_roots; accepted++) {
		unsigned first = n_sent - n_roots + 1;

		for (unsigned p = first; p < first + accepted; p++)
			answer(p, 0);
		agentx_register_end();
		assert_false(agentx_register_is_settled());
		assert_true(agentx_register_run(now) == INT64_MAX);
		agentx_register_begin(now);
		assert_int_equal(n_sent, first - 1 + 2 * n_roots);
		for (unsigned i = 0; i < n_roots; i++)
			assert_sent(n_sent - n_roots + 1 + i, AGENTX_REGISTER, &roots[i].oid);
	}
}

static void test_response_of_last_session_has_no_effect(void **state)
{
	(void)state;
	agentx_register_end();
	agentx_register_begin(now);
	for (unsigned p = 1; p <= n_roots; p++)
		answer(p, 0);
	assert_false(agentx_register_is_settled());
	answer_others(0);
	assert_all_accepted();
}

static void test_unanswered_root_is_offered_again_then_session_is_closed(void **state)
{
	(void)state;
	answer_others(2);
	for (unsigned i = 1; i < AGENTX_OFFERS; i++) {
		int64_t due = 1000 + i * OFFER_MS;

		assert_true(agentx_register_run(due - 1) == due);
		assert_int_equal(n_sent, n_roots + i - 1);
		now = due;
		assert_true(agentx_register_run(now) == due + OFFER_MS);
		assert_sent(n_roots + i, AGENTX_REGISTER, &roots[1].oid);
	}
	assert_true(agentx_register_run(1000 + AGENTX_OFFERS * OFFER_MS - 1) > 0);
	assert_true(agentx_register_run(1000 + AGENTX_OFFERS * OFFER_MS) == -1);
	assert_int_equal(n_sent, n_roots + AGENTX_OFFERS - 1);
}

static void test_unknown_session_is_closed(void **state)
{
	(void)state;
	answer_others(0);
	agentx_register_response(now, 99, AGENTX_NOT_OPEN); /* to a ping */
	assert_true(agentx_register_run(now) == -1);
}

/* --- late, lost and repeated Responses -------------------------------------------------- */

/* The second offer meets the first one, which was accepted late. */
static void test_late_response_accepts_and_duplicate_is_ignored(void **state)
{
	struct log_capture log = log_capture();
	char text[1024];

	(void)state;
	answer_others(3);
	run_next();
	run_next();
	assert_int_equal(n_sent, n_roots + 2);
	answer(3, 0);
	assert_all_accepted();
	answer(n_roots + 1, AGENTX_DUPLICATE_REGISTRATION);
	answer(n_roots + 2, AGENTX_DUPLICATE_REGISTRATION);
	assert_all_accepted();
	log_captured(&log, text, sizeof(text));
	assert_string_equal(text, "");
}

/* A Response is lost, so the next offer is a duplicate of the first: removed, offered again. */
static void test_lost_response_removes_own_registration(void **state)
{
	struct log_capture log = log_capture();
	char text[1024];

	(void)state;
	answer_others(4);
	run_next();
	answer(n_roots + 1, AGENTX_DUPLICATE_REGISTRATION);
	assert_sent(n_roots + 2, AGENTX_UNREGISTER, &roots[3].oid);
	answer(n_roots + 2, 0);
	assert_sent(n_roots + 3, AGENTX_REGISTER, &roots[3].oid);
	answer(n_roots + 3, 0);
	assert_all_accepted();
	log_captured(&log, text, sizeof(text));
	assert_string_equal(text, "");
}

/* There is nothing to remove: it belongs to another subagent after all. */
static void test_lost_response_and_foreign_registration(void **state)
{
	struct log_capture log = log_capture();
	char text[1024];

	(void)state;
	answer_others(4);
	run_next();
	answer(n_roots + 1, AGENTX_DUPLICATE_REGISTRATION);
	answer(n_roots + 2, AGENTX_UNKNOWN_REGISTRATION);
	log_captured(&log, text, sizeof(text));
	assert_non_null(strstr(text, "another subagent has registered it; retry in 1 s"));
	assert_true(agentx_register_is_settled());
}

static void test_removal_without_response_closes_session(void **state)
{
	(void)state;
	answer_others(1);
	run_next();
	answer(n_roots + 1, AGENTX_DUPLICATE_REGISTRATION);
	assert_int_equal(sent[n_roots + 1].type, AGENTX_UNREGISTER);
	assert_true(run_next() == -1);
}

static void test_repeated_responses_have_no_effect(void **state)
{
	(void)state;
	for (unsigned p = 1; p <= n_roots; p++) {
		answer(p, 0);
		answer(p, AGENTX_DUPLICATE_REGISTRATION);
		answer(p, 0);
	}
	assert_all_accepted();
}

/* --- other subagents -------------------------------------------------------------------- */

/* Only three duplicates are an error, and the master is never asked to remove it. */
static void test_foreign_registration_is_reported_and_kept(void **state)
{
	struct log_capture log = log_capture();
	char text[4096];

	(void)state;
	answer_others(1);
	for (unsigned i = 0; i < AGENTX_OFFERS; i++) {
		assert_false(agentx_register_is_settled());
		answer(i == 0 ? 1 : n_sent, AGENTX_DUPLICATE_REGISTRATION);
		if (i + 1 < AGENTX_OFFERS)
			run_next();
	}
	assert_true(agentx_register_is_settled());
	for (unsigned s = 1; s <= 32; s = s < 32 ? 2 * s : 60) {
		unsigned before = n_sent;
		int64_t due = now + s * INT64_C(1000);

		assert_true(agentx_register_run(now) == due);
		now = due;
		agentx_register_run(now);
		assert_int_equal(n_sent, before + 1);
		answer(n_sent, AGENTX_DUPLICATE_REGISTRATION);
	}
	run_next();
	answer(n_sent, 0);
	assert_all_accepted();
	for (unsigned p = 1; p <= n_sent; p++)
		assert_int_equal(sent[p - 1].type, AGENTX_REGISTER);
	log_captured(&log, text, sizeof(text));
	assert_non_null(strstr(text, "another subagent has registered it; retry in 1 s"));
	assert_non_null(strstr(text, "another subagent has registered it; retry in 60 s"));
	assert_non_null(strstr(text, "registered now"));
}

/* The master still has our last session: it reads its end before the third offer. */
static void test_registration_of_our_last_session_is_no_error(void **state)
{
	struct log_capture log = log_capture();
	char text[1024];

	(void)state;
	answer_others(2);
	answer(2, AGENTX_DUPLICATE_REGISTRATION);
	run_next();
	answer(n_sent, AGENTX_DUPLICATE_REGISTRATION);
	run_next();
	answer(n_sent, 0);
	assert_all_accepted();
	log_captured(&log, text, sizeof(text));
	assert_string_equal(text, "");
}

static void test_other_error_is_reported_and_tried_again(void **state)
{
	struct log_capture log = log_capture();
	char text[1024];

	(void)state;
	answer_others(2);
	answer(2, 267);
	assert_true(agentx_register_is_settled());
	run_next();
	answer(n_sent, 0);
	assert_all_accepted();
	log_captured(&log, text, sizeof(text));
	assert_non_null(strstr(text, "registration failed (error 267); retry in 1 s"));
}

/* --- an optional module ------------------------------------------------------------------- */

/* Its nodes are offered one after the other, parents first. */
static void test_optional_module_offers_claims_in_order(void **state)
{
	struct mib_oid claims[MIB_CLAIMS_MAX];
	struct mib_root *root = &roots[n_roots - 1];
	unsigned n = mib_claims(mib, root, claims);

	(void)state;
	assert_true(root->optional);
	assert_in_range(n, 2, MIB_CLAIMS_MAX);
	for (unsigned i = 0; i < n; i++) {
		answer_others(0);
		assert_sent(n_sent, AGENTX_REGISTER, &claims[i]);
		assert_int_equal(n_sent, n_roots + i + 1);
		assert_false(agentx_register_is_settled());
	}
	answer_others(0);
	assert_all_accepted();
}

/* A claim is refused: all nodes before it are removed, and no node after it is offered. */
static void test_refused_claim_removes_module(void **state)
{
	struct log_capture log = log_capture();
	char text[4096];
	struct mib_oid claims[MIB_CLAIMS_MAX];
	unsigned n = mib_claims(mib, &roots[n_roots - 1], claims), first;

	(void)state;
	for (unsigned i = 0; i + 1 < n; i++)
		answer_others(0);
	answer(n_sent, 0);
	for (unsigned i = 0; i < AGENTX_OFFERS; i++) {
		first = n_sent + 1;
		answer(n_sent, AGENTX_DUPLICATE_REGISTRATION);
		if (i + 1 < AGENTX_OFFERS)
			run_next();
	}
	assert_int_equal(n_sent, first - 1 + n);
	for (unsigned i = 0; i + 1 < n; i++)
		assert_sent(first + i, AGENTX_UNREGISTER, &claims[n - 2 - i]);
	assert_sent(n_sent, AGENTX_UNREGISTER, &roots[n_roots - 1].oid);
	assert_true(agentx_register_is_settled());
	log_captured(&log, text, sizeof(text));
	assert_non_null(strstr(text, "not served until it unregisters"));
}

/* --- random masters ------------------------------------------------------------------------ */

/* A master of one subagent and its registrations, as in Net-SNMP's. */
struct model {
	struct mib_oid held[MIB_ROOTS_MAX];
	unsigned n_held;
	unsigned taken; /* messages that it has read */
};

static unsigned take(struct model *m, const struct message *message)
{
	for (unsigned i = 0; i < m->n_held; i++) {
		if (mib_oid_compare(&m->held[i], &message->node) != 0)
			continue;
		if (message->type == AGENTX_REGISTER)
			return AGENTX_DUPLICATE_REGISTRATION;
		m->held[i] = m->held[--m->n_held];
		return 0;
	}
	if (message->type == AGENTX_UNREGISTER)
		return AGENTX_UNKNOWN_REGISTRATION;
	m->held[m->n_held++] = message->node;
	return 0;
}

static unsigned random_state;
static unsigned random_below(unsigned n)
{
	random_state = random_state * 1103515245 + 12345;
	return (random_state >> 16) % n;
}

/*
 * The master is random for up to two seconds: it reads late, loses Responses,
 * repeats them. Then it is sound. Within the time of all offers, either it has
 * every root that this side believes to be registered, or the session is closed.
 */
static void test_random_masters_have_every_root(void **state)
{
	struct log_capture log = log_capture();
	char text[256];
	unsigned closed = 0, complete = 0;

	(void)state;
	random_state = (unsigned)unit_seed();
	for (unsigned round = 0; round < 3000; round++) {
		struct model m = {.n_held = 0};
		int64_t sound = now + random_below(2000),
			end = sound + 2 * AGENTX_OFFERS * OFFER_MS;
		int64_t next = 0;

		n_sent = 0;
		agentx_register_begin(now);
		while (next >= 0 && now < end) {
			bool bad = now < sound;

			while (m.taken < n_sent && (!bad || random_below(4))) {
				unsigned packet = ++m.taken;
				unsigned error = take(&m, &sent[packet - 1]);

				if (bad && random_below(3) == 0)
					continue;
				answer(packet, error);
				if (bad && random_below(3) == 0)
					answer(packet, error);
			}
			next = agentx_register_run(now);
			now += 1 + random_below(bad ? 200 : 20);
		}
		if (next < 0) {
			closed++;
		} else {
			assert_true(agentx_register_is_settled());
			assert_true(next == INT64_MAX); /* none is refused */
			assert_int_equal(m.n_held, n_roots);
			complete++;
		}
		agentx_register_end();
	}
	assert_int_equal(log_captured(&log, text, sizeof(text)), 0);
	print_message("%u sessions complete, %u closed\n", complete, closed);
	assert_true(complete > 100 && closed > 100);
}

UNIT_MAIN
{
#define TEST(name)          cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_OPTIONAL(name) cmocka_unit_test_setup_teardown(name, setup_optional, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_all_roots_are_offered_at_once),
	    TEST(test_next_session_offers_all_roots_again),
	    TEST(test_response_of_last_session_has_no_effect),
	    TEST(test_unanswered_root_is_offered_again_then_session_is_closed),
	    TEST(test_unknown_session_is_closed),
	    TEST(test_late_response_accepts_and_duplicate_is_ignored),
	    TEST(test_lost_response_removes_own_registration),
	    TEST(test_lost_response_and_foreign_registration),
	    TEST(test_removal_without_response_closes_session),
	    TEST(test_repeated_responses_have_no_effect),
	    TEST(test_foreign_registration_is_reported_and_kept),
	    TEST(test_registration_of_our_last_session_is_no_error),
	    TEST(test_other_error_is_reported_and_tried_again),
	    TEST_OPTIONAL(test_optional_module_offers_claims_in_order),
	    TEST_OPTIONAL(test_refused_claim_removes_module),
	    TEST(test_random_masters_have_every_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
