/* SPDX-License-Identifier: BSD-3-Clause */
/* Events: numbers, switches, rate limit, log; new, slow and returning subscribers. */
#include <stdio.h>
#include <string.h>

#include "lib/log.h"
#include "lib/mo/mo_event.h"
#include "tests/unit/control/managed/stored_event.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

static void test_events_are_stored_encoded(void **state)
{
	struct events *e = events_new();
	struct events_stats stats;
	struct mo_event ev;
	char text[MO_EVENT_TEXT];
	uint64_t at = 0;
	size_t len;

	(void)state;
	assert_null(events_at(e, &at, &len));
	events_raise(e, &all, CREATED, &port2, 1, at_ms(1234));
	ev = event_at(e, 1);
	assert_int_equal(ev.number, 1);
	assert_int_equal(ev.mono_ms, 1234);
	assert_int_equal(ev.flags, MO_EVENT_NOTIFY);
	assert_int_equal(ev.n, 1);
	assert_int_equal(ev.vbs[0].index.n, port2.index.n);
	assert_memory_equal(ev.vbs[0].index.sub, port2.index.sub,
			    port2.index.n * sizeof(port2.index.sub[0]));
	mo_event_name(&ev, text, sizeof(text));
	assert_string_equal(text, "dcbErroredPortCreated");
	mo_event_objects(&ev, text, sizeof(text));
	assert_string_equal(text, "ieee8021CnEpIfIndex.1.4.2 = 2");
	mo_event_objects(&ev, text, 12);
	assert_string_equal(text, "ieee8021CnE");
	for (unsigned i = 0; i < EVENTS_KEPT; i++)
		events_raise(e, &all, DELETED, &port2, 1, at_ms(2000));
	at = 1;
	assert_non_null(events_at(e, &at, &len));
	assert_int_equal(at, 2); /* the last event has replaced the first */
	assert_int_equal(event_at(e, EVENTS_KEPT + 1).id, DELETED);
	assert_int_equal(events_next(e), EVENTS_KEPT + 2);
	events_read(e, &stats);
	assert_int_equal(stats.sent, EVENTS_KEPT + 1);
	assert_int_equal(stats.suppressed, 0);
	events_free(e);
}

/* An event has the wall-clock time besides the monotonic one. */
static void test_event_has_wall_clock_time(void **state)
{
	struct events *e = events_new();
	int64_t now_s = time(NULL);

	(void)state;
	events_raise(e, &all, CREATED, &port2, 1, at_ms(1234));
	assert_in_range(event_at(e, 1).real_ms / 1000, now_s - 3600, now_s + 3600);
	events_free(e);
}

/* An event has at most MO_EVENT_VARBINDS objects. */
static void test_objects_beyond_the_limit_are_left_out(void **state)
{
	struct mo_varbind vbs[MO_EVENT_VARBINDS + 1];
	struct events *e = events_new();

	(void)state;
	for (unsigned i = 0; i <= MO_EVENT_VARBINDS; i++)
		vbs[i] = port2;
	events_raise(e, &all, CREATED, vbs, MO_EVENT_VARBINDS, at_ms(0));
	events_raise(e, &all, CREATED, vbs, MO_EVENT_VARBINDS + 1, at_ms(0));
	assert_int_equal(event_at(e, 1).n, MO_EVENT_VARBINDS);
	assert_int_equal(event_at(e, 2).n, MO_EVENT_VARBINDS);
	events_free(e);
}

/* Each stored event is logged, notified or not; reaching the limit is logged once. */
static void test_events_are_logged(void **state)
{
	struct notify_config config = {.enabled = {true, false}, .rate_limit = 1};
	static const char created[] =
	    "<4>prog: event: dcbErroredPortCreated: ieee8021CnEpIfIndex.1.4.2 = 2\n";
	static const char deleted[] =
	    "<6>prog: event: dcbErroredPortDeleted: ieee8021CnEpIfIndex.1.4.2 = 2\n";
	static const char limited[] =
	    "<4>prog: event: rate limit of 1 notifications a minute reached: some are not sent\n";
	struct events *e = events_new();
	struct log_capture c;
	char text[2048], want[2048];

	(void)state;
	c = log_watch(LOG_LEVEL_INFO);
	events_raise(e, &config, CREATED, &port2, 1, at_ms(0));
	events_raise(e, &config, DELETED, &port2, 1, at_ms(1));
	events_raise(e, &config, CREATED, &port2, 1, at_ms(2));
	events_raise(e, &config, CREATED, &port2, 1, at_ms(3));
	events_raise(e, &config, CREATED, &port2, 1, at_ms(60000));
	events_raise(e, &config, CREATED, &port2, 1, at_ms(60001));
	log_level = LOG_LEVEL_ERROR;
	events_raise(e, &config, DELETED, &port2, 1, at_ms(60002));
	log_captured(&c, text, sizeof(text));
	snprintf(want, sizeof(want), "%s%s%s%s%s", created, deleted, limited, created, limited);
	assert_string_equal(text, want);
	events_free(e);
}

static void test_disabled_notification_is_not_sent(void **state)
{
	struct events *e = events_new();
	struct notify_config config = all;
	struct events_stats stats;

	(void)state;
	config.enabled[DELETED] = false;
	config.rate_limit = 1;
	events_raise(e, &config, DELETED, &port2, 1, at_ms(0));
	events_raise(e, &config, CREATED, &port2, 1, at_ms(0));
	assert_int_equal(event_at(e, 1).flags, 0);
	assert_int_equal(event_at(e, 2).flags, MO_EVENT_NOTIFY);
	events_read(e, &stats);
	assert_int_equal(stats.sent, 1);
	assert_int_equal(stats.suppressed, 0);
	events_free(e);
}

/*
 * Events whose notification is off have the same limit in the log and in memory, of their
 * own: they take nothing from the notifications, and are not counted as suppressed.
 */
static void test_disabled_notification_has_a_limit(void **state)
{
	struct events *e = events_new();
	struct notify_config config = {.enabled = {true, false}, .rate_limit = 120};
	struct events_stats stats;
	struct log_capture c;
	unsigned stored = 0;
	char text[65536];

	(void)state;
	c = log_watch(LOG_LEVEL_INFO);
	for (int64_t ms = 0; ms < 5000; ms += 4) /* 1250 in 5 s */
		stored += events_raise(e, &config, DELETED, &port2, 1, at_ms(ms));
	log_watched(&c, text, sizeof(text));
	assert_int_equal(stored, 120 + 9); /* and one each 500 ms */
	assert_int_equal(count_of(text, "\n"), stored + 1);
	assert_non_null(strstr(text,
			       "<4>prog: event: rate limit of 120 events a minute without "
			       "notification reached: some are not logged\n"));
	assert_int_equal(events_next(e), stored + 1);
	for (unsigned i = 0; i < 120; i++)
		assert_true(events_raise(e, &config, CREATED, &port2, 1, at_ms(5000)));
	assert_false(events_raise(e, &config, CREATED, &port2, 1, at_ms(5000)));
	events_read(e, &stats);
	assert_int_equal(stats.sent, 120);
	assert_int_equal(stats.suppressed, 1);
	events_free(e);
}

/* dcbNotifyRateLimit 0 is no limit of the log, notified or not: the neighbor decides the rate. */
static void test_log_has_a_limit_without_rate_limit(void **state)
{
	static char text[1 << 20];
	const uint32_t rates[] = {0, 60000};

	(void)state;
	for (unsigned i = 0; i < 2 * UNIT_COUNT(rates); i++) {
		struct notify_config config = {.enabled = {true, i % 2},
					       .rate_limit = rates[i / 2]};
		struct events *e = events_new();
		struct log_capture c;

		c = log_watch(LOG_LEVEL_INFO);
		for (int64_t ms = 0; ms < 5000; ms++)
			assert_true(events_raise(e, &config, DELETED, &port2, 1, at_ms(ms)));
		log_watched(&c, text, sizeof(text));
		assert_int_equal(count_of(text, "\n"),
				 600 + 49 + 1); /* one each 100 ms, and that some are not */
		assert_non_null(strstr(text,
				       "<4>prog: event: more than 600 events a minute: some "
				       "are not logged\n"));
		assert_int_equal(events_next(e), 5001);
		events_free(e);
	}
}

/* A storm or an error is a warning; its end is none. */
static void test_events_have_their_level(void **state)
{
	static const struct {
		enum mo_notification_id id;
		const char *prefix;
	} levels[] = {
	    {MO_NOTIFY_errored_port_created, "<4>prog: event: dcbErroredPortCreated: "},
	    {MO_NOTIFY_errored_port_deleted, "<6>prog: event: dcbErroredPortDeleted: "},
	    {MO_NOTIFY_pfc_storm, "<4>prog: event: dcbPfcStorm: "},
	    {MO_NOTIFY_pfc_storm_restored, "<6>prog: event: dcbPfcStormRestored: "},
	    {MO_NOTIFY_pfc_headroom_insufficient, "<4>prog: event: dcbPfcHeadroomInsufficient: "},
	    {MO_NOTIFY_dcbx_mismatch, "<6>prog: event: dcbDcbxMismatch: "},
	    {MO_NOTIFY_dcbx_mismatch_cleared, "<6>prog: event: dcbDcbxMismatchCleared: "},
	    {MO_NOTIFY_pfc_headroom_changed, "<6>prog: event: dcbPfcHeadroomChanged: "},
	    {MO_NOTIFY_macsec_pn_exhausted, "<4>prog: event: dcbMacsecPnExhausted: "},
	    {MO_NOTIFY_learn_limit_reached, "<4>prog: event: dcbLearnLimitReached: "},
	    {MO_NOTIFY_address_moves, "<4>prog: event: dcbAddressMoves: "},
	    {MO_NOTIFY_hardware_changed, "<6>prog: event: dcbHardwareChanged: "},
	};
	struct events *e = events_new();
	struct log_capture c;
	char text[2048];

	(void)state;
	assert_int_equal(UNIT_COUNT(levels), MO_NOTIFICATIONS);
	for (size_t i = 0; i < UNIT_COUNT(levels); i++) {
		c = log_watch(LOG_LEVEL_INFO);
		events_raise(e, &all, levels[i].id, &port2, 1, at_ms(0));
		log_captured(&c, text, sizeof(text));
		assert_memory_equal(text, levels[i].prefix, strlen(levels[i].prefix));
		log_level = LOG_LEVEL_WARN;
		c = log_capture();
		events_raise(e, &all, levels[i].id, &port2, 1, at_ms(0));
		log_captured(&c, text, sizeof(text));
		assert_int_equal(text[0] != '\0', levels[i].prefix[1] == '4');
	}
	log_level = LOG_LEVEL_ERROR;
	events_free(e);
}

/* A flow of events above the limit is said once, until a whole minute's worth is left. */
static void test_limit_is_announced_once(void **state)
{
	struct events *e = events_new();
	struct notify_config config = all;
	struct log_capture c;
	char text[16384];

	(void)state;
	config.rate_limit = 10;
	c = log_watch(LOG_LEVEL_WARN);
	for (int64_t ms = 0; ms < 600000; ms += 1000)
		events_raise(e, &config, DELETED, &port2, 1, at_ms(ms));
	log_captured(&c, text, sizeof(text));
	assert_string_equal(text,
			    "<4>prog: event: rate limit of 10 notifications a minute "
			    "reached: some are not sent\n");
	c = log_capture();
	for (unsigned i = 0; i < 12; i++)
		events_raise(e, &config, DELETED, &port2, 1, at_ms(700000));
	log_watched(&c, text, sizeof(text));
	assert_non_null(strstr(text, "rate limit of 10 notifications"));
	events_free(e);
}

/* The limit holds for a burst and on average, and events within it are not suppressed. */
static void test_rate_limit(void **state)
{
	static const uint32_t limits[] = {1, 2, 7, 120, 400, 60000};
	(void)state;
	srand((unsigned)unit_seed());
	for (unsigned l = 0; l < 6; l++) {
		struct notify_config config = all;
		struct events *e = events_new();
		struct events_stats stats;
		int64_t ms = 1000;
		uint64_t raised = 0;

		config.rate_limit = limits[l];
		for (; raised < limits[l] + 3; raised++)
			events_raise(e, &config, CREATED, &port2, 1, at_ms(ms));
		events_read(e, &stats);
		assert_int_equal(stats.sent, limits[l]);
		assert_int_equal(stats.suppressed, 3);
		for (; ms < 1000 + 60 * 60000; raised++) {
			ms += rand() % (120000 / (int)limits[l] + 2);
			events_raise(e, &config, CREATED, &port2, 1, at_ms(ms));
			events_read(e, &stats);
			assert_int_equal(stats.sent + stats.suppressed, raised + 1);
			assert_true(stats.sent <=
				    limits[l] + limits[l] * (uint64_t)(ms - 1000) / 60000 + 1);
		}
		assert_true(stats.sent * 100 >= raised * 40);
		/* After a minute without events the whole limit is available again. */
		ms += 60000;
		raised = stats.sent;
		for (unsigned i = 0; i < limits[l]; i++)
			events_raise(e, &config, CREATED, &port2, 1, at_ms(ms));
		events_read(e, &stats);
		assert_int_equal(stats.sent, raised + limits[l]);
		events_free(e);
	}
}

/* Subscribes. Returns the number of the first event that the session will get. */
static uint64_t subscribe(struct mo_world *w, struct mo_session *session, uint8_t flags,
			  uint32_t boot_id, uint64_t seen)
{
	uint8_t request[64], answer[64];
	struct octets_out out = octets_out(request, sizeof(request));
	struct octets_out reply = octets_out(answer, sizeof(answer));
	struct octets_in in;
	struct mo_msg_header h;

	(void)w;
	mo_msg_put_header(&out, &(struct mo_msg_header){.op = MO_OP_SUBSCRIBE, .seq = 9});
	octets_out_u8(&out, flags);
	octets_out_be32(&out, boot_id);
	octets_out_be64(&out, seen);
	assert_true(mo_service_handle(session, request, out.len, &reply));
	in = octets_in(answer, reply.len);
	assert_true(mo_msg_get_header(&in, &h));
	assert_int_equal(octets_in_be32(&in), 7); /* mo_world's boot id */
	return octets_in_be64(&in);
}

static bool ack(struct mo_session *session, uint64_t number)
{
	uint8_t request[32], answer[32];
	struct octets_out out = octets_out(request, sizeof(request));
	struct octets_out reply = octets_out(answer, sizeof(answer));

	mo_msg_put_header(&out, &(struct mo_msg_header){.op = MO_OP_ACK, .seq = 9});
	octets_out_be64(&out, number);
	if (!mo_service_handle(session, request, out.len, &reply))
		return false;
	assert_int_equal(reply.len, 0);
	return true;
}

/* The number of the next event for this session, 0: none. */
static uint64_t take(struct mo_session *session)
{
	size_t len;
	const uint8_t *octets = mo_session_event(session, &len);
	uint64_t number = octets ? decode(octets, len).number : 0;

	if (octets)
		mo_session_event_sent(session);
	return number;
}

static void count_call(void *ctx)
{
	++*(unsigned *)ctx;
}

/* The listener is called for each stored event, and not for suppressed ones. */
static void test_listener_is_called_for_each_event(void **state)
{
	const struct notify_config limited = {.enabled = {true, true}, .rate_limit = 1};
	struct events *e = events_new();
	unsigned calls = 0, others = 0;
	struct events_listener listener = {.fn = count_call, .ctx = &calls};
	struct events_listener other = {.fn = count_call, .ctx = &others};

	(void)state;
	events_raise(e, &limited, CREATED, &port2, 1, at_ms(0));
	events_listen(e, &listener);
	events_listen(e, &other);
	events_raise(e, &limited, CREATED, &port2, 1, at_ms(1)); /* beyond the limit */
	assert_int_equal(calls, 0);
	events_raise(e, &limited, CREATED, &port2, 1, at_ms(60000));
	assert_int_equal(calls, 1);
	events_ignore(e, &listener);
	events_ignore(e, &listener); /* does nothing */
	events_raise(e, &all, CREATED, &port2, 1, at_ms(60001));
	assert_int_equal(calls, 1);
	assert_int_equal(others, 2);
	assert_int_equal(events_next(e), 4);
	events_free(e);
}

/* Only dcb-agentx acknowledges: no other client can make it lose notifications. */
static void test_notifier_needs_the_right(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct mo_session *other = mo_session_new(w->service, MO_MAY_ALL & ~MO_MAY_NOTIFY);
	struct mo_session *notifier = mo_session_new(w->service, MO_MAY_ALL);
	uint8_t request[64], answer[320];
	struct octets_out out = octets_out(request, sizeof(request));
	struct octets_out reply = octets_out(answer, sizeof(answer));
	struct octets_in in;
	struct mo_msg_header h;
	char why[MO_TEXT_MAX + 1];

	(void)state;
	raise_some(w, 2);
	mo_msg_put_header(&out, &(struct mo_msg_header){.op = MO_OP_SUBSCRIBE, .seq = 9});
	octets_out_u8(&out, MO_SUBSCRIBE_NOTIFIER);
	octets_out_be32(&out, 0);
	octets_out_be64(&out, 0);
	assert_false(mo_service_handle(other, request, out.len, &reply));
	in = octets_in(answer, reply.len);
	assert_true(mo_msg_get_header(&in, &h));
	assert_int_equal(h.op, MO_OP_CLOSE | MO_MSG_REPLY);
	mo_msg_get_text(&in, why);
	assert_string_equal(why,
			    "only root, dcbd's user and control.agent_user may send notifications, "
			    "over control.socket");
	assert_false(mo_session_is_subscribed(other));
	assert_int_equal(take(other), 0);
	assert_false(ack(other, 2));
	assert_int_equal(events_acked(w->m->events), 0);
	/* Events are for everybody. */
	assert_int_equal(subscribe(w, other, 0, 7, 1), 2);
	assert_true(mo_session_is_subscribed(other));
	assert_int_equal(take(other), 2);
	assert_false(ack(other, 2));
	assert_int_equal(subscribe(w, notifier, MO_SUBSCRIBE_NOTIFIER, 0, 0), 1);
	assert_true(ack(notifier, 2));
	assert_int_equal(events_acked(w->m->events), 2);
	mo_session_free(other);
	mo_session_free(notifier);
	mo_world_free(w);
}

static void test_subscribers_get_missed_events(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct mo_session *monitor = mo_session_new(w->service, MO_MAY_ALL);
	struct mo_session *notifier = mo_session_new(w->service, MO_MAY_ALL);

	(void)state;
	raise_some(w, 3);
	assert_int_equal(take(monitor), 0); /* not subscribed */
	assert_int_equal(subscribe(w, monitor, 0, 0, 0), 4);
	assert_int_equal(take(monitor), 0);
	assert_int_equal(subscribe(w, notifier, MO_SUBSCRIBE_NOTIFIER, 0, 0), 1);
	assert_int_equal(take(notifier), 1);
	assert_int_equal(take(notifier), 2);
	assert_false(ack(monitor, 1));
	assert_true(ack(notifier, 1));
	assert_true(ack(notifier, 100)); /* not yet raised: ignored */
	/* A restarted notifier gets the events again that were not acknowledged. */
	mo_session_free(notifier);
	notifier = mo_session_new(w->service, MO_MAY_ALL);
	assert_int_equal(subscribe(w, notifier, MO_SUBSCRIBE_NOTIFIER, 77, 2), 2);
	for (uint64_t i = 2; i <= 3; i++) {
		assert_int_equal(take(notifier), i);
		assert_true(ack(notifier, i));
	}
	assert_int_equal(take(notifier), 0);
	/* A notifier that only reconnected (same boot ID) continues after the last it has seen. */
	raise_some(w, 2);
	assert_int_equal(subscribe(w, notifier, MO_SUBSCRIBE_NOTIFIER, 7, 4), 5);
	assert_int_equal(take(notifier), 5);
	assert_int_equal(take(monitor), 4);
	/* A slow subscriber misses events that are not stored any more. */
	raise_some(w, EVENTS_KEPT + 5);
	assert_int_equal(take(monitor), 11);
	mo_session_free(monitor);
	mo_session_free(notifier);
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_events_are_stored_encoded),
	    cmocka_unit_test(test_event_has_wall_clock_time),
	    cmocka_unit_test(test_objects_beyond_the_limit_are_left_out),
	    cmocka_unit_test(test_events_are_logged),
	    cmocka_unit_test(test_disabled_notification_is_not_sent),
	    cmocka_unit_test(test_disabled_notification_has_a_limit),
	    cmocka_unit_test(test_log_has_a_limit_without_rate_limit),
	    cmocka_unit_test(test_events_have_their_level),
	    cmocka_unit_test(test_limit_is_announced_once),
	    cmocka_unit_test(test_rate_limit),
	    cmocka_unit_test(test_listener_is_called_for_each_event),
	    cmocka_unit_test(test_notifier_needs_the_right),
	    cmocka_unit_test(test_subscribers_get_missed_events),
	};

	log_level = LOG_LEVEL_ERROR;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
